"""Constraints of a system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from . import laws as _laws
from .arrays import Floats, Indices, Ints, count_of, flat, ids, ids_of, many, numbers, operators, shaped, tags
from .errors import Error

#: Stands for the ground where a constraint has a body on one side only.
GROUND = -1


@dataclass(frozen=True)
class Sync:
    """The changes that :meth:`System.sync_constraints` has made.

    Attributes
    ----------
    kept, inserted, removed : int
        Numbers of constraints.
    first_inserted : int or None
        The id of the first new constraint. Ids of new constraints are consecutive, and all older ids are smaller.
    """

    kept: int
    inserted: int
    removed: int
    first_inserted: int | None


class Constraint(NamedTuple):
    """The bodies of a constraint and its size.

    Attributes
    ----------
    bodies : tuple of int
        The bodies in the order of insertion; GROUND for the ground.
    row_count : int
        The number m of its scalar rows.
    """

    bodies: tuple[int, ...]
    row_count: int


class Constraints:
    """The functions of a system for constraints."""

    _core: _core.System

    def add_point_constraints(
        self,
        master: ArrayLike,
        slave: ArrayLike,
        frame: ArrayLike,
        master_point: ArrayLike = (0, 0, 0),
        slave_point: ArrayLike = (0, 0, 0),
    ) -> Ints:
        """Insert constraints between points, all or none.

        U = frame.T @ (velocity of the master's point - velocity of the slave's point). Each argument has one entry for each constraint, or
        the entry of all. The normal of a contact is the third axis of its frame, and points from the slave to the master.

        Parameters
        ----------
        master, slave : int or (count,) array_like of int
            Bodies, or GROUND for none.
        frame : (3, 3) or (count, 3, 3) array_like
            The columns are the local axes, in the world.
        master_point, slave_point : (3,) or (count, 3) array_like, optional
            Referential points; for GROUND points of the world.

        Returns
        -------
        (count,) ndarray of int
            The ids of the constraints.

        Raises
        ------
        Error
            If lengths differ, there is no such body, it has no points, or a frame is not orthonormal.

        Examples
        --------
        >>> import numpy as np
        >>> import ldy
        >>> system = ldy.System()
        >>> ball = system.add_rigid(2.0, 0.1)
        >>> system.add_point_constraints(ball, ldy.GROUND, np.eye(3), [0, 0, -0.5])
        array([0])
        """
        count = count_of((master, 0), (slave, 0), (frame, 2), (master_point, 1), (slave_point, 1))
        return self._core.add_point_constraints(
            ids_of(master, count), ids_of(slave, count), *point_places(count, frame, master_point, slave_point)
        )

    @overload
    def add_constraint_rows(self, bodies: int, H: ArrayLike) -> int: ...
    @overload
    def add_constraint_rows(self, bodies: Sequence[int] | Ints, H: Sequence[ArrayLike]) -> int: ...
    def add_constraint_rows(self, bodies: Any, H: Any) -> int:
        """Insert a constraint of m rows by operators: U = sum of H @ u over its bodies.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            One body, or one to sixteen bodies.
        H : (m, n) array_like, or a sequence of count such arrays
            The operator of the one body, or of each body: m is one to six, n the number of velocities of the body. Operators contain
            the signs.

        Returns
        -------
        int
            The id of the constraint.

        Raises
        ------
        Error
            If there is no such body, a body is there twice, or a shape is wrong.

        Examples
        --------
        >>> import numpy as np
        >>> import ldy
        >>> system = ldy.System()
        >>> arm, hand = (system.add_body(ldy.Inertia.diagonal(np.ones(n))) for n in (7, 6))
        >>> weld = system.add_constraint_rows([arm, hand], [np.eye(6, 7), -np.eye(6)])
        """
        rows, values = operators([H] if np.ndim(bodies) == 0 else H)
        return self._core.add_constraint_rows(rows, ids(bodies), values)

    def add_dof_constraint(self, body: int, dof: int, coefficient: float = 1.0) -> int:
        """Insert a constraint of one row, coefficient times a generalized velocity: a limit, a motor, or friction of a joint.

        Parameters
        ----------
        body : int
            The body.
        dof : int
            The index of the velocity.
        coefficient : float, optional
            The coefficient, for instance -1 for an upper limit.

        Returns
        -------
        int
            The id of the constraint.

        Raises
        ------
        Error
            If there is no such body or velocity, or the coefficient is not finite.
        """
        return self._core.add_dof_constraint(body, dof, coefficient)

    def add_joint(
        self,
        kind: str,
        master: int,
        slave: int,
        master_frame: ArrayLike,
        master_point: ArrayLike,
        slave_frame: ArrayLike,
        slave_point: ArrayLike,
    ) -> int:
        """Insert a joint of rigid bodies or obstacles by axes and points.

        It is a constraint, whose operators an update makes again if its bodies have turned. U is the relative velocity, master minus
        slave, in the axes of the master, which turn with it. If the positions of its bodies are known (:meth:`set_position`), rows of
        the point are the velocities at the place of the slave's point. A slider whose bodies turn needs positions before each update,
        other joints do not.

        Parameters
        ----------
        kind : {"hinge", "slider", "universal", "weld", "hinge_limit", "slider_limit"}
            The rows. "hinge": three of the point, two of the relative angular velocity, across the third axis. "slider": two of the
            point, across the third axis, three angular. "universal": three of the point, one angular, along the cross product of the
            master's first and the slave's second axis. "weld": three of the point, three angular. "hinge_limit": one angular, about
            the third axis. "slider_limit": one of the point, along the third axis.
        master, slave : int
            Bodies, or GROUND for one of them.
        master_frame : (3, 3) array_like
            The columns are the axes of the joint, referential; for GROUND in the world.
        master_point : (3,) array_like
            The referential point of the joint; for GROUND its place in the world.
        slave_frame : (3, 3) array_like
            As ``master_frame``.
        slave_point : (3,) array_like
            As ``master_point``.

        Returns
        -------
        int
            The id of the constraint.

        Raises
        ------
        Error
            If the kind is unknown, there is no such body, it is not rigid, or a frame is not orthonormal.

        Examples
        --------
        A rod with its center in the origin, on a hinge about y at its end:

        >>> import numpy as np
        >>> import ldy
        >>> system = ldy.System()
        >>> rod = system.add_rigid(1.0, 0.1)
        >>> axes = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
        >>> hinge = system.add_joint("hinge", rod, ldy.GROUND, axes, [0, 0, 0.5], axes, [0, 0, 0.5])
        >>> system.constraint(hinge).row_count
        5
        >>> system.set_position(rod, [0, 0, 0.25])
        >>> system.joint_error(hinge)
        array([0.25, 0.  , 0.  , 0.  , 0.  ])
        """
        frames = (("master_frame", master_frame), ("slave_frame", slave_frame))
        points = (("master_point", master_point), ("slave_point", slave_point))
        return self._core.add_joint(
            kind,
            np.concatenate([ids(master), ids(slave)]),
            np.concatenate([many(name, frame, 1, 3, 3) for name, frame in frames]),
            np.concatenate([many(name, point, 1, 3) for name, point in points]),
        )

    def add_rolling_contact(
        self,
        master: int,
        slave: int,
        frame: ArrayLike,
        master_point: ArrayLike = (0, 0, 0),
        slave_point: ArrayLike = (0, 0, 0),
        *,
        rows: int = 6,
    ) -> int:
        """Insert a contact with moments between points of rigid bodies or obstacles.

        The first three rows are those of :meth:`add_point_constraints`. The rows after them are relative angular velocities about axes of
        the same frame, which stays in the world while bodies turn. :meth:`move_constraints` gives the contact another frame and points.

        Parameters
        ----------
        master, slave : int
            Bodies, or GROUND for one of them.
        frame : (3, 3) array_like
            The columns are the local axes; the third one is the normal, from the slave to the master.
        master_point, slave_point : (3,) array_like
            Referential points; not used for GROUND.
        rows : {4, 5, 6}
            4: then about the normal. 5: about both tangents. 6: about all three axes.

        Returns
        -------
        int
            The id of the constraint.

        Raises
        ------
        Error
            If ``rows`` is another number, there is no such body, it is not rigid, or the frame is not orthonormal.

        See Also
        --------
        laws.rolling_contact : The law.

        Examples
        --------
        >>> import numpy as np
        >>> import ldy
        >>> system = ldy.System()
        >>> ball = system.add_rigid(1.0, 0.1)
        >>> contact = system.add_rolling_contact(ball, ldy.GROUND, np.eye(3), (0, 0, -0.5), rows=5)
        >>> system.set_laws(contact, ldy.laws.rolling_contact(0.5, rolling=0.01))
        >>> system.constraint(contact).row_count
        5
        """
        points = (("master_point", master_point), ("slave_point", slave_point))
        return self._core.add_rolling_contact(
            rows,
            np.concatenate([ids(master), ids(slave)]),
            many("frame", frame, 1, 3, 3),
            np.concatenate([many(name, point, 1, 3) for name, point in points]),
        )

    def joint_error(self, joint: int) -> Floats:
        """Return the errors of a joint, one for each row, for the bias of laws: erp * error / h removes the share erp in a step.

        They follow from the rotations and the positions of its bodies, see :meth:`set_position`.

        Parameters
        ----------
        joint : int
            The id of a joint.

        Returns
        -------
        (rows,) ndarray
            For a row of the point the component of master's point - slave's point. For an angular row the component of the rotation
            vector from the slave's axes to the master's, in radians; for a hinge the sine of the angle, for a universal joint the cosine
            of the angle between its axes. For a limit the angle, from -pi to pi, or the distance.

        Raises
        ------
        Error
            If there is no such joint, or the position of a body was never set.
        """
        return self._core.joint_error(joint)

    def add_jacobian(self, bodies: ArrayLike, row_counts: ArrayLike, J: Any) -> Ints:
        """Insert constraints that are rows of a matrix J over the velocities of bodies, all or none.

        A constraint acts on the bodies whose columns contain a nonzero of its rows, at most sixteen, or on the first body if all entries
        are zero.

        Parameters
        ----------
        bodies : (k,) array_like of int
            The bodies in the order of the columns of J.
        row_counts : (count,) array_like of int
            The number of rows of each constraint, one to six, in the order of the rows of J.
        J : (rows, columns) array_like or sparse matrix of SciPy
            The operators. The normal of a contact is its last row.

        Returns
        -------
        (count,) ndarray of int
            The ids of the constraints.

        Raises
        ------
        Error
            If there is no such body, a number of rows or the shape of J is wrong, or a value is not finite.
        """
        of, counts = ids(bodies), ids(row_counts)
        if hasattr(J, "tocsr"):
            return self._core.add_sparse_jacobian(of, counts, *_sparse(J))
        return self._core.add_jacobian(of, counts, *_dense(J))

    def set_jacobian(self, bodies: ArrayLike, constraints: ArrayLike, J: Any) -> None:
        """Set the operators of many constraints from the rows of a matrix J over the velocities of bodies, all or none.

        Parameters
        ----------
        bodies : (k,) array_like of int
            The bodies in the order of the columns of J. Operators on other bodies do not change.
        constraints : (count,) array_like of int
            The constraints in the order of the rows of J.
        J : (rows, columns) array_like or sparse matrix of SciPy
            The operators. Entries on bodies that a constraint does not act on are zero.

        Raises
        ------
        Error
            If there is no such body or constraint, a shape is wrong, or a value is not finite.
        """
        of, own = ids(bodies), ids(constraints)
        if hasattr(J, "tocsr"):
            self._core.set_sparse_jacobian(of, own, *_sparse(J))
        else:
            self._core.set_jacobian(of, own, *_dense(J))

    def set_operators(self, constraint: int, H: Sequence[ArrayLike]) -> None:
        """Set the operators of a constraint that :meth:`add_constraint_rows` or :meth:`add_jacobian` has inserted.

        Parameters
        ----------
        constraint : int
            The constraint.
        H : sequence of (m, n) array_like
            An operator for each of its bodies.

        Raises
        ------
        Error
            If there is no such constraint, it is at points, or a shape is wrong.
        """
        self._core.set_operators(constraint, operators(H)[1])

    def move_constraints(
        self,
        constraints: ArrayLike,
        frame: ArrayLike,
        master_point: ArrayLike = (0, 0, 0),
        slave_point: ArrayLike = (0, 0, 0),
        *,
        master: ArrayLike | None = None,
        slave: ArrayLike = GROUND,
    ) -> None:
        """Set frames and points of constraints, and their bodies if a master is given, all or none.

        Parameters
        ----------
        constraints : int or (count,) array_like of int
            The constraints.
        frame, master_point, slave_point : array_like
            As for :meth:`add_point_constraints`.
        master, slave : int or (count,) array_like of int, optional
            New bodies; without a master the bodies stay.

        Raises
        ------
        Error
            If there is no such constraint or body, the constraint is not at points, or a frame is not orthonormal.
        """
        of = ids(constraints)
        sides = None if master is None else [ids_of(side, len(of)) for side in (master, slave)]
        self._core.move_constraints(of, sides, *point_places(len(of), frame, master_point, slave_point))

    def point_frames(self, constraints: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Return frames and points of constraints, as given.

        Parameters
        ----------
        constraints : int or (count,) array_like of int
            Constraints at points.

        Returns
        -------
        frames : (3, 3) or (count, 3, 3) ndarray
            The frames.
        master_points, slave_points : (3,) or (count, 3) ndarray
            The points.

        Raises
        ------
        Error
            If there is no such constraint, or it is not at points.
        """
        frames, masters, slaves = self._core.point_frames(ids(constraints))
        return shaped(constraints, frames, 3, 3), shaped(constraints, masters, 3), shaped(constraints, slaves, 3)

    def sync_constraints(
        self,
        keys: ArrayLike,
        master: ArrayLike,
        slave: ArrayLike,
        frame: ArrayLike,
        master_point: ArrayLike = (0, 0, 0),
        slave_point: ArrayLike = (0, 0, 0),
        laws: _laws.Laws | _laws.Law | ArrayLike | None = None,
    ) -> tuple[Ints, Sync]:
        """Make the constraints with keys equal to a list, for instance to the contacts of a step, all or none.

        A constraint that an earlier call has inserted with the same key gets bodies, frame and points of its entry. It keeps its id, row,
        compliance, law and reaction. The reaction is expressed in the new axes, so that the force in the world does not change. A new key
        inserts a constraint. A constraint whose key is not in the list is removed. Constraints that other functions have inserted do not
        change.

        Parameters
        ----------
        keys : (count,) array_like of int
            Numbers that are not negative. They become tags; see :meth:`set_tags`.
        master, slave, frame, master_point, slave_point : array_like
            As for :meth:`add_point_constraints`.
        laws : Laws, Law or array_like, optional
            Laws for all entries, or coefficients of friction. Without laws, known constraints keep theirs and new ones have none; a law
            of kind "none" does the same for one entry.

        Returns
        -------
        ids : (count,) ndarray of int
            The constraint of each entry.
        sync : Sync
            The numbers of changes.

        Raises
        ------
        Error
            If a key is there twice, or an entry is not valid.
        """
        numbers = np.atleast_1d(tags(keys, "keys"))
        count = len(numbers)
        places = point_places(count, frame, master_point, slave_point)
        own = None if laws is None else _laws.raw(laws, np.full(count, 3))
        made, counts, first = self._core.sync_constraints(numbers, ids_of(master, count), ids_of(slave, count), *places, own)
        return made, Sync(*counts, first)

    def remove_constraints(self, constraints: ArrayLike) -> None:
        """Remove constraints, all or none. Later rows move up.

        Parameters
        ----------
        constraints : int or (count,) array_like of int
            The constraints.

        Raises
        ------
        Error
            If there is no such constraint, or an earlier entry names it.
        """
        self._core.remove_constraints(ids(constraints))

    def set_compliance(
        self, constraints: ArrayLike, compliance: ArrayLike | None = None, *, diagonal: ArrayLike | None = None
    ) -> None:
        """Set compliances of constraints, all or none. They are added to the diagonal blocks of W.

        Parameters
        ----------
        constraints : int or (count,) array_like of int
            Constraints with the same number m of scalar rows, or with any numbers if ``diagonal`` is a number.
        compliance : (m, m) or (count, m, m) array_like, optional
            Symmetric and positive semidefinite, one for all or one for each.
        diagonal : float, (m,) or (count, m) array_like, optional
            Diagonal compliances instead. Without both, compliances are removed.

        Raises
        ------
        Error
            If there is no such constraint, a shape is wrong, or a compliance is not symmetric or negative in a direction.

        Examples
        --------
        >>> import numpy as np
        >>> import ldy
        >>> system = ldy.System()
        >>> ball = system.add_rigid(2.0, 0.1)
        >>> contact = system.add_point_constraints(ball, ldy.GROUND, np.eye(3))
        >>> system.set_compliance(contact, diagonal=[0, 0, 1e-6])
        """
        of = ids(constraints)
        if compliance is not None and diagonal is not None:
            raise Error("compliance and diagonal are both given")
        if compliance is None and diagonal is None:
            self._core.set_compliance(of, np.zeros(0))
        else:
            self._core.set_compliance(of, _compliances(of, self._core.row_counts_of(of), compliance, diagonal))

    def compliance(self, constraint: int) -> Floats:
        """Return the compliance of a constraint, without regularization.

        Parameters
        ----------
        constraint : int
            The constraint.

        Returns
        -------
        (m, m) ndarray
            The compliance; zero if it has none.

        Raises
        ------
        Error
            If there is no such constraint.
        """
        values, m = self._core.compliance(constraint), self.constraint(constraint).row_count
        return values.reshape(m, m) if len(values) else np.zeros((m, m))

    def regularization(self) -> Floats:
        """Return the regularization of all constraints.

        Returns
        -------
        (n,) ndarray
            A value for each scalar row.
        """
        return self._core.regularization()

    def set_regularization(self, mu: ArrayLike) -> None:
        """Replace W by W + diag(mu), from the next update on.

        Parameters
        ----------
        mu : float, (rows,) or (n,) array_like
            One number for all, one for each constraint, or one for each scalar row, in the units of W; none is negative. Zero ends it.

        Raises
        ------
        Error
            If the number of values is wrong, or a value is negative or not finite.
        """
        self._core.set_regularization(flat("mu", np.atleast_1d(mu)))

    def constraint(self, constraint: int) -> Constraint:
        """Return the bodies of a constraint and its number of scalar rows.

        Parameters
        ----------
        constraint : int
            The constraint.

        Returns
        -------
        Constraint
            Its bodies and its number of scalar rows.

        Raises
        ------
        Error
            If there is no such constraint.

        Examples
        --------
        >>> import numpy as np
        >>> import ldy
        >>> system = ldy.System()
        >>> ball = system.add_rigid(2.0, 0.1)
        >>> contacts = system.add_point_constraints(ball, ldy.GROUND, np.eye(3))
        >>> system.constraint(contacts[0])
        Constraint(bodies=(0, -1), row_count=3)
        """
        bodies, rows = self._core.constraint(constraint)
        return Constraint(tuple(bodies), rows)

    def constraints(self) -> Ints:
        """Return the ids of the constraints in the order of rows.

        Returns
        -------
        (constraint_count,) ndarray of int
            The ids.
        """
        return self._core.constraints()

    @property
    def constraint_count(self) -> int:
        """The number of constraints, which is the number of rows of W."""
        return self._core.constraint_count()

    @property
    def scalar_count(self) -> int:
        """The number n of scalar rows of all constraints, which is the length of R, B and V."""
        return self._core.scalar_count()

    def row_of(self, constraint: int) -> int:
        """Return the row of a constraint in the results of the last update.

        Parameters
        ----------
        constraint : int
            The constraint.

        Returns
        -------
        int
            The index of its row.

        Raises
        ------
        Error
            If there is no such constraint, or no update since it was inserted.
        """
        return self._core.row_of(constraint)


def point_places(count: int, frame: ArrayLike, master_point: ArrayLike, slave_point: ArrayLike) -> tuple[Floats, Floats, Floats]:
    return (
        many("frame", frame, count, 3, 3),
        many("master_point", master_point, count, 3),
        many("slave_point", slave_point, count, 3),
    )


def _sparse(J: Any) -> tuple[tuple[int, int], Indices, Indices, Floats]:
    """Shape, starts, columns and values of compressed rows."""
    J = J.tocsr(copy=True)
    J.sum_duplicates()
    starts, indices = (np.ascontiguousarray(array, dtype=np.int32) for array in (J.indptr, J.indices))
    return J.shape, starts, indices, np.ascontiguousarray(J.data, dtype=np.float64)


def _dense(J: ArrayLike) -> tuple[Floats, tuple[int, int], tuple[int, int]]:
    """Values in the order in which memory has them, shape and strides."""
    J = numbers("J", J)
    if J.ndim != 2:
        raise Error(f"J: shape {J.shape} where two dimensions are needed")
    by_columns = J.flags.f_contiguous and not J.flags.c_contiguous
    strides = (1, J.shape[0]) if by_columns else (J.shape[1], 1)
    return J.ravel("F" if by_columns else "C"), (J.shape[0], J.shape[1]), strides


def _compliances(of: Ints, rows: Ints, compliance: ArrayLike | None, diagonal: ArrayLike | None) -> Floats:
    """Compliances of constraints with these numbers of scalar rows, one after the other."""
    if diagonal is not None and np.ndim(diagonal) == 0:
        value = float(np.asarray(diagonal, dtype=np.float64))
        return np.concatenate([np.zeros(0), *(value * np.eye(m).ravel() for m in rows)])
    if not len(of):
        return np.zeros(0)
    m = int(rows[0])
    if (rows != m).any():
        k = int(np.argmax(rows != m))
        why = f"constraint {of[k]} has {rows[k]} scalar rows, constraint {of[0]} has {m}"
        raise Error(f"entry {k}: {why}", constraint=int(of[k]), entry=k)
    if diagonal is not None:
        return (many("diagonal", diagonal, len(of), m)[:, :, None] * np.eye(m)).ravel()
    assert compliance is not None
    return many("compliance", compliance, len(of), m, m).ravel()
