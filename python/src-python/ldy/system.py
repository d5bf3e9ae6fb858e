"""Bodies, constraints between them, and the results of updates."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .arrays import count_of, inertias, many
from .laws import Laws, Progress, Report, laws_of, start
from .rows import Rows
from .stability import CriticalStep, Joints

#: Stands for the ground where a constraint has a body on one side only.
GROUND = -1


def _ids(values: ArrayLike) -> NDArray[np.int64]:
    ids = np.atleast_1d(np.asarray(values))
    if ids.ndim != 1 or ids.dtype.kind not in "iu" and ids.size:
        raise TypeError("ids are whole numbers, one or an array")
    return np.ascontiguousarray(ids, dtype=np.int64)


def _tags(values: ArrayLike) -> NDArray[np.uint64]:
    tags = np.asarray(values)
    if tags.dtype.kind not in "iu":
        # Some versions of NumPy take a list with numbers from 2**63 on for floats.
        numbers = np.asarray(values, dtype=object)
        tags = np.array([operator.index(one) for one in numbers.flat], dtype=np.uint64).reshape(numbers.shape)
    elif tags.size and tags.min() < 0:
        raise OverflowError("tags are not negative")
    return tags.astype(np.uint64)


def _answer(ids: NDArray[np.int64], is_one: bool) -> Any:
    return int(ids[0]) if is_one else ids


def _each(ids: ArrayLike, values: NDArray[np.float64], *shape: int) -> NDArray[np.float64]:
    """Values for each body or constraint, or for the only one if the ids are no array."""
    return values.reshape(shape if np.ndim(ids) == 0 else (-1, *shape))


def _with_jacobian(
    dense: Callable[..., Any], sparse: Callable[..., Any], bodies: NDArray[np.int64], rows: NDArray[np.int64], J: Any
) -> Any:
    """Pass a Jacobian in the order in which memory has it."""
    if hasattr(J, "tocsr"):
        J = J.tocsr(copy=True)
        J.sum_duplicates()
        starts, indices = (np.ascontiguousarray(array, dtype=np.int32) for array in (J.indptr, J.indices))
        return sparse(bodies, rows, J.shape, starts, indices, np.ascontiguousarray(J.data, dtype=np.float64))
    J = np.asarray(J, dtype=np.float64)
    if J.ndim != 2:
        raise ValueError(f"J: shape {J.shape} where two dimensions are needed")
    by_columns = J.flags.f_contiguous and not J.flags.c_contiguous
    strides = (1, J.shape[0]) if by_columns else (J.shape[1], 1)
    return dense(bodies, rows, J.ravel("F" if by_columns else "C"), J.shape, strides)


def _csc(A: Any) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    A = A.tocsc() if hasattr(A, "tocsc") else None
    if A is None:
        raise TypeError("A is a sparse matrix of SciPy")
    A.sort_indices()
    return A.indptr.astype(np.int32), A.indices.astype(np.int32), np.ascontiguousarray(A.data, dtype=np.float64)


@dataclass(frozen=True)
class Sync:
    """The changes that :meth:`System.sync_constraints` has made: numbers of constraints that were kept, inserted and removed, and the id
    of the first new one. Ids of new constraints are consecutive, and all older ids are smaller."""

    kept: int
    inserted: int
    removed: int
    first_inserted: int | None


class System:
    """A system of bodies and constraints. One thread at a time may use it.

    Functions that insert take arrays with one entry for each body or constraint, or the values of one, and return ids, or one id. Errors
    are exceptions: :class:`Error` with the library's text, which names constraint and bodies. If a function of yours raises, the call
    that used it raises the same exception. A call for several bodies or constraints changes all or nothing; if it is refused, no id is
    used up.
    """

    def __init__(self) -> None:
        self._core = _core.System()

    # ---- bodies

    def add_rigid(self, mass: ArrayLike, inertia: ArrayLike, rotation: ArrayLike = np.eye(3), center: ArrayLike = (0, 0, 0)) -> Any:
        """Insert rigid bodies. Generalized velocities are (angular velocity in the body's frame, velocity of the mass center).

        mass: positive. inertia: referential, about the mass center, 3 x 3 or a number. rotation: from the reference configuration to the
        current one. center: referential mass center. A point p of the world is the referential point ``center + rotation.T @ (p - x)``; x
        is the current center.
        """
        scalar = np.ndim(inertia) < 2
        count, is_one = count_of((mass, 0), (inertia, 0 if scalar else 2), (rotation, 2), (center, 1))
        return _answer(
            self._core.add_rigid(
                many("mass", mass, count),
                inertias("inertia", inertia, count),
                many("rotation", rotation, count, 3, 3),
                many("center", center, count, 3),
            ),
            is_one,
        )

    def add_pseudo_rigid(self, mass: ArrayLike, euler: ArrayLike, center: ArrayLike = (0, 0, 0)) -> Any:
        """Insert pseudo-rigid bodies. Generalized velocities are (rate of the deformation gradient row by row, velocity of the mass
        center).

        euler: the Euler tensor about the mass center, 3 x 3 or a number.
        """
        count, is_one = count_of((mass, 0), (euler, 0 if np.ndim(euler) < 2 else 2), (center, 1))
        return _answer(
            self._core.add_pseudo_rigid(
                many("mass", mass, count), inertias("euler", euler, count), many("center", center, count, 3)
            ),
            is_one,
        )

    def add_obstacle(self, rotation: ArrayLike = np.eye(3), center: ArrayLike = (0, 0, 0)) -> Any:
        """Insert bodies with prescribed velocities, which have the form of rigid bodies' velocities. They couple no constraints."""
        count, is_one = count_of((rotation, 2), (center, 1))
        return _answer(
            self._core.add_obstacle(many("rotation", rotation, count, 3, 3), many("center", center, count, 3)), is_one
        )

    def add_dense(self, inverse: ArrayLike) -> int:
        """Insert a body by its inverse A^-1, n x n. Its constraints are given by operators."""
        inverse = np.asarray(inverse, dtype=np.float64)
        if inverse.ndim != 2 or inverse.shape[0] != inverse.shape[1]:
            raise ValueError(f"inverse: shape {inverse.shape} where (n, n) is needed")
        return self._core.add_dense(len(inverse), inverse.ravel())

    def add_diagonal(self, inverse: ArrayLike) -> int:
        """Insert a body by the diagonal of its inverse."""
        return self._core.add_diagonal(np.ascontiguousarray(inverse, dtype=np.float64))

    def add_matrix(self, A: Any) -> int:
        """Insert a body by its sparse matrix A (SciPy), which updates factor. A is symmetric, or its lower triangle."""
        return self._core.add_matrix(*_csc(A))

    def add_solver(self, n: int, solve: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> int:
        """Insert a body with n velocities and an inverse callback: ``solve(x)`` returns A^-1 x, for x with n rows and any number of
        columns."""
        return self._core.add_solver(n, solve)

    def add_model(
        self, sizes: Sequence[int], solve: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    ) -> NDArray[np.int64]:
        """Insert bodies with a shared inverse callback. sizes: number of velocities of each body. ``solve(x)`` returns A^-1 x for x with
        ``sum(sizes)`` rows: the rows of the first body, then of the next. A^-1 is block-diagonal by body, so that a column has a
        right-hand side for each body, and one call in each update is enough. Returns the ids."""
        sizes = [int(size) for size in sizes]
        first = self._core.add_model(sizes, solve)
        return np.arange(first, first + len(sizes), dtype=np.int64)

    def remove_bodies(self, bodies: ArrayLike) -> None:
        """Remove bodies on which no constraint acts."""
        self._core.remove_bodies(_ids(bodies))

    def set_rotation(self, bodies: ArrayLike, rotation: ArrayLike) -> None:
        """Set the rotations of rigid bodies and obstacles."""
        ids = _ids(bodies)
        self._core.set_rotation(ids, many("rotation", rotation, len(ids), 3, 3))

    def rotation(self, bodies: ArrayLike) -> NDArray[np.float64]:
        """Return the rotations of rigid bodies and obstacles, 3 x 3 each, or the rotation of one body."""
        return _each(bodies, self._core.rotation(_ids(bodies)), 3, 3)

    def set_mass(self, body: int, mass: float, inertia: ArrayLike) -> None:
        """Set mass, and inertia or Euler tensor, of a rigid or pseudo-rigid body; see :meth:`add_rigid`."""
        self._core.set_mass(body, mass, inertias("inertia", inertia, 1))

    def set_dense(self, body: int, inverse: ArrayLike) -> None:
        """Set the inverse of a body of any kind."""
        inverse = np.asarray(inverse, dtype=np.float64)
        if inverse.ndim != 2 or inverse.shape[0] != inverse.shape[1]:
            raise ValueError(f"inverse: shape {inverse.shape} where (n, n) is needed")
        self._core.set_dense(body, len(inverse), inverse.ravel())

    def set_diagonal(self, body: int, inverse: ArrayLike) -> None:
        """Set a diagonal inverse of a body of any kind."""
        self._core.set_diagonal(body, np.ascontiguousarray(inverse, dtype=np.float64))

    def set_matrix(self, body: int, A: Any) -> None:
        """Set a sparse matrix A of a body of any kind; see :meth:`add_matrix`."""
        self._core.set_matrix(body, *_csc(A))

    def set_velocity(self, bodies: ArrayLike, velocity: ArrayLike) -> None:
        """Set free velocities: velocities after the step if there were no reactions. B = H times the free velocity."""
        self._set_velocity(bodies, velocity, False)

    def set_previous_velocity(self, bodies: ArrayLike, velocity: ArrayLike) -> None:
        """Set velocities before the step. V = H times the previous velocity."""
        self._set_velocity(bodies, velocity, True)

    def _set_velocity(self, bodies: ArrayLike, velocity: ArrayLike, is_previous: bool) -> None:
        ids, velocity = _ids(bodies), np.asarray(velocity, dtype=np.float64)
        self._core.set_velocity(ids, many("velocity", velocity, len(ids), velocity.shape[-1]), is_previous)

    def velocity(self, bodies: ArrayLike) -> NDArray[np.float64]:
        """Return free velocities, a row for each body, or the velocity of one body: as set, or as :meth:`add_reactions` has changed it.
        """
        ids = _ids(bodies)
        values = self._core.velocity(ids)
        return values if np.ndim(bodies) == 0 else values.reshape(len(ids), -1 if len(ids) else 0)

    @property
    def bodies(self) -> NDArray[np.int64]:
        """Ids of the bodies."""
        return self._core.bodies()

    # ---- constraints

    def add_constraints(
        self,
        master: ArrayLike,
        slave: ArrayLike,
        frame: ArrayLike,
        master_point: ArrayLike = (0, 0, 0),
        slave_point: ArrayLike = (0, 0, 0),
    ) -> Any:
        """Insert constraints between points: U = frame.T @ (velocity of the master's point - velocity of the slave's point).

        master, slave: ids, or GROUND for none. frame: its columns are the local axes. Points are referential.
        """
        count, is_one = count_of((master, 0), (slave, 0), (frame, 2), (master_point, 1), (slave_point, 1))
        master, slave = (np.broadcast_to(_ids(ids), count) for ids in (master, slave))
        return _answer(
            self._core.add_constraints(
                np.ascontiguousarray(master), np.ascontiguousarray(slave), *self._placement(count, frame, master_point, slave_point)
            ),
            is_one,
        )

    def add_operators(self, master: int, H_master: ArrayLike | None, slave: int = GROUND, H_slave: ArrayLike | None = None) -> int:
        """Insert a constraint by operators, 3 x n: U = H_master @ u_master + H_slave @ u_slave. The operators contain the signs."""
        return self._core.add_operators(master, _operator(H_master), slave, _operator(H_slave))

    def add_rows(self, bodies: ArrayLike, H: Sequence[ArrayLike]) -> int:
        """Insert a constraint of m rows, one to six, on one to sixteen bodies: U = sum of H @ u, with an operator m x n for each body.
        """
        rows, operators = _operators(H)
        return self._core.add_rows(rows, _ids(bodies), operators)

    def add_freedom(self, body: int, freedom: int, coefficient: float = 1.0) -> int:
        """Insert a constraint of one row, coefficient times a generalized velocity of a body: a limit, a motor, or friction of a joint.
        """
        return self._core.add_freedom(body, freedom, coefficient)

    def add_jacobian(self, bodies: ArrayLike, heights: ArrayLike, J: Any) -> NDArray[np.int64]:
        """Insert constraints that are rows of a Jacobian J over the velocities of the bodies, and return their ids.

        heights: number of rows of each constraint, one to six. J: an array, or a matrix of scipy.sparse. A constraint acts on the bodies
        whose columns contain a nonzero of its rows, at most sixteen, or on the first body if all entries are zero. All constraints are
        inserted, or none.
        """
        heights = _ids(heights)
        first = _with_jacobian(self._core.add_jacobian, self._core.add_sparse_jacobian, _ids(bodies), heights, J)
        return np.arange(first, first + len(heights), dtype=np.int64)

    def set_rows_operators(self, constraint: int, H: Sequence[ArrayLike]) -> None:
        """Set the operators of a constraint with any number of rows, one for each of its bodies."""
        self._core.set_rows_operators(constraint, _operators(H)[1])

    def set_rows_compliance(self, constraint: int, compliance: ArrayLike | None) -> None:
        """Set the compliance of a constraint of m rows, m x m and symmetric."""
        values = None if compliance is None else np.ascontiguousarray(compliance, dtype=np.float64).ravel()
        self._core.set_rows_compliance(constraint, values)

    def set_operators(self, constraint: int, H_master: ArrayLike | None, H_slave: ArrayLike | None = None) -> None:
        """Set the operators of a constraint."""
        self._core.set_operators(constraint, _operator(H_master), _operator(H_slave))

    def set_jacobian(self, bodies: ArrayLike, constraints: ArrayLike, J: Any) -> None:
        """Set the operators of many constraints from the rows of a Jacobian J over the velocities of the bodies. Each constraint takes
        its number of rows, one constraint after the other.

        J: an array, or a matrix of scipy.sparse. Operators on other bodies do not change. All operators are set, or none.
        """
        dense, sparse = self._core.set_jacobian, self._core.set_sparse_jacobian
        _with_jacobian(dense, sparse, _ids(bodies), _ids(constraints), J)

    def remove_constraints(self, constraints: ArrayLike) -> None:
        """Remove constraints; later rows move up."""
        self._core.remove_constraints(_ids(constraints))

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
        """Set frames and points, and bodies if a master is given; see :meth:`add_constraints`."""
        ids = _ids(constraints)
        sides = None
        if master is not None:
            sides = [np.ascontiguousarray(np.broadcast_to(_ids(side), ids.shape)) for side in (master, slave)]
        self._core.move_constraints(ids, sides, *self._placement(len(ids), frame, master_point, slave_point))

    def sync_constraints(
        self,
        keys: ArrayLike,
        master: ArrayLike,
        slave: ArrayLike,
        frame: ArrayLike,
        master_point: ArrayLike = (0, 0, 0),
        slave_point: ArrayLike = (0, 0, 0),
        laws: Laws | ArrayLike | None = None,
    ) -> tuple[NDArray[np.int64], Sync]:
        """Make the constraints with keys equal to a list, for instance to the contacts of a step. Keys are non-negative integers.

        A constraint that an earlier call has inserted with the same key gets bodies, frame and points of its entry. It keeps its id, row,
        compliance, law and reaction. The reaction is expressed in the new axes, so that the force in the world does not change. A new key
        inserts a constraint. A constraint whose key is not in the list is removed. Constraints that other functions have inserted do not
        change. Keys are tags, see :meth:`set_tags`. The function does all of it, or nothing.

        laws: laws or coefficients of friction for all entries. Without laws, known constraints keep theirs and new ones have none; a law
        of kind "none" does the same for one entry. Returns the id of each entry, and the numbers of changes.
        """
        numbers = np.atleast_1d(_tags(keys))
        count = len(numbers)
        masters, slaves = (np.ascontiguousarray(np.broadcast_to(_ids(side), count)) for side in (master, slave))
        places = self._placement(count, frame, master_point, slave_point)
        own = None if laws is None else laws_of(laws, np.full(count, 3))
        ids, counts, first = self._core.sync_constraints(numbers, masters, slaves, *places, own)
        return ids, Sync(*counts, first)

    def placements(self, constraints: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the frames of constraints at points, the points of their masters and of their slaves, as given; or the values of one
        constraint."""
        frames, masters, slaves = self._core.placements(_ids(constraints))
        return _each(constraints, frames, 3, 3), _each(constraints, masters, 3), _each(constraints, slaves, 3)

    @staticmethod
    def _placement(
        count: int, frame: ArrayLike, master_point: ArrayLike, slave_point: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        return (
            many("frame", frame, count, 3, 3),
            many("master_point", master_point, count, 3),
            many("slave_point", slave_point, count, 3),
        )

    def set_compliance(self, constraints: ArrayLike, compliance: ArrayLike) -> None:
        """Set compliances, which are added to the diagonal blocks of W: 3 x 3 and symmetric, or three numbers of a diagonal. Give one for
        all constraints, or one for each. For three constraints an array of 3 x 3 numbers is ambiguous: give the shape (1, 3, 3) or (3, 3,
        3)."""
        ids, compliance = _ids(constraints), np.asarray(compliance, dtype=np.float64)
        if compliance.shape == (3, 3) and len(ids) == 3:
            raise ValueError("compliance: one matrix, or three diagonals? give the shape (1, 3, 3) or (3, 3, 3)")
        if compliance.ndim >= 1 and compliance.shape[-2:] != (3, 3):
            compliance = compliance[..., None] * np.eye(3)
        self._core.set_compliance(ids, many("compliance", compliance, len(ids), 3, 3))

    def regularise(self, mu: ArrayLike) -> None:
        """Set a regularization: from the next update on, W + diag (mu) replaces W. mu: one number for all, one for each row, or one for
        each scalar row."""
        self._core.regularise(np.ascontiguousarray(np.atleast_1d(mu), dtype=np.float64).ravel())

    def set_tags(self, constraints: ArrayLike, tags: ArrayLike) -> None:
        """Set tags: numbers by which you find constraints again. A tag remains with its constraint; it is 0 at first."""
        ids = _ids(constraints)
        self._core.set_tags(ids, np.ascontiguousarray(np.broadcast_to(_tags(tags), ids.shape)))

    @property
    def tags(self) -> NDArray[np.uint64]:
        """The tags of all constraints, in the order of rows."""
        return self._core.tags()

    def set_laws(self, constraints: ArrayLike, laws: Laws | ArrayLike) -> None:
        """Keep laws with constraints; :meth:`solve` uses them if it gets no laws.

        laws: :class:`Laws` with a law for each of the constraints in this order, or coefficients of friction. A law remains with its
        constraint until the constraint is removed. No update is needed: W does not depend on laws.
        """
        ids = _ids(constraints)
        self._core.set_laws(ids, laws_of(laws, self._core.heights_of(ids)))

    def laws(self, constraints: ArrayLike) -> Laws:
        """Return the laws that are kept with constraints; :attr:`Laws.kind` is "none" for a constraint without a law."""
        return Laws.of(self._core.laws(_ids(constraints)))

    @property
    def reactions(self) -> NDArray[np.float64]:
        """Forces that are kept with constraints when other constraints are inserted or removed: one dimension, in the order of scalar
        rows, zero for new constraints. Assign the result of :meth:`solve`, and use them as the initial guess after the next update."""
        return self._core.reactions()

    @reactions.setter
    def reactions(self, R: ArrayLike) -> None:
        self._core.set_reactions(np.ascontiguousarray(R, dtype=np.float64).ravel())

    # ---- from the world

    def referential_point(self, bodies: ArrayLike, center: ArrayLike, place: ArrayLike) -> NDArray[np.float64]:
        """Return the referential points of rigid bodies for places in the world. center: where the mass centers are now."""
        return self._in_reference(self._core.referential_point, bodies, ("center", center, 1), ("place", place, 1))

    def pseudo_rigid_point(
        self, bodies: ArrayLike, gradient: ArrayLike, center: ArrayLike, place: ArrayLike
    ) -> NDArray[np.float64]:
        """Return the referential points of pseudo-rigid bodies for places in the world. gradient: their deformation gradients now, which
        a system does not store. center: where the mass centers are now."""
        vectors = ("gradient", gradient, 2), ("center", center, 1), ("place", place, 1)
        return self._in_reference(self._core.pseudo_rigid_point, bodies, *vectors)

    def referential_spin(self, bodies: ArrayLike, world: ArrayLike) -> NDArray[np.float64]:
        """Return angular velocities of rigid bodies in their referential frames, the frames of generalized velocities, from those in the
        world."""
        return self._in_reference(self._core.referential_spin, bodies, ("world", world, 1))

    def world_spin(self, bodies: ArrayLike, referential: ArrayLike) -> NDArray[np.float64]:
        """Return angular velocities of rigid bodies in the world, from those in their referential frames."""
        return self._in_reference(self._core.world_spin, bodies, ("referential", referential, 1))

    @staticmethod
    def _in_reference(call: Callable[..., NDArray[np.float64]], bodies: ArrayLike, *given: tuple[str, ArrayLike, int]) -> NDArray[np.float64]:
        count, is_one = count_of((bodies, 0), *((values, ndim) for _, values, ndim in given))
        ids = np.ascontiguousarray(np.broadcast_to(_ids(bodies), count))
        made = call(ids, *(many(name, values, count, *(3,) * ndim) for name, values, ndim in given))
        return made if is_one else made.reshape(-1, 3)

    # ---- stability

    def geometric_stiffness(self, joints: Joints, R: ArrayLike, x: ArrayLike) -> NDArray[np.float64]:
        """Return K x with the geometric stiffness K of the forces R: if bodies move by x, the generalized forces change by -K x.

        joints: one for each row. x: the generalized velocities of all bodies in one vector, or a matrix with such columns.
        """
        x = np.asarray(x, dtype=np.float64)
        R = np.ascontiguousarray(R, dtype=np.float64).ravel()
        y = self._core.geometric_stiffness(joints.raw, R, np.ascontiguousarray(x.T).ravel())
        return y.reshape(x.T.shape).T

    def critical_step(self, joints: Joints, R: ArrayLike, *, sharp: bool = False) -> CriticalStep:
        """Return the critical step of explicit schemes under the forces R. It counts all directions of motion, so that it is safe. With
        sharp=True it counts only the motions that constraints leave free: the step that is observed."""
        R = np.ascontiguousarray(R, dtype=np.float64).ravel()
        (omega_squared, step, share), constraint = self._core.critical_step(joints.raw, R, sharp)
        return CriticalStep(omega_squared, step, constraint, share)

    # ---- results

    def update(self, h: float) -> None:
        """Assemble W = h H A^-1 H^T + compliance, B and V. Other threads of Python continue during the call."""
        self._core.update(h)

    @property
    def rows(self) -> Rows:
        """A copy of the results of the last update."""
        return Rows(self._core.rows())

    def multiply(self, x: ArrayLike, through_bodies: bool = False) -> NDArray[np.float64]:
        """Return W x, from blocks or body by body, in the shape of x: three values for each row. See :meth:`operator` for several vectors
        at once."""
        x = np.asarray(x, dtype=np.float64)
        return self._core.times(1, np.ascontiguousarray(x).ravel(), through_bodies).reshape(x.shape)

    def operator(self, through_bodies: bool = False) -> Any:
        """Return W as a ``scipy.sparse.linalg.LinearOperator``. It applies the W of the latest update, and is valid while the number of
        rows is the same. ``operator () @ X`` multiplies all columns of X at once."""
        from scipy.sparse.linalg import LinearOperator

        size = self._core.scalar_count() if self._core.row_count() else 0

        def one(x: NDArray[np.float64]) -> NDArray[np.float64]:
            return self.multiply(x, through_bodies)

        def many(X: NDArray[np.float64]) -> NDArray[np.float64]:
            columns = np.ascontiguousarray(X.T, dtype=np.float64)
            return self._core.times(len(columns), columns.ravel(), through_bodies).reshape(columns.shape).T

        return LinearOperator((size, size), matvec=one, rmatvec=one, matmat=many, rmatmat=many, dtype=np.float64)

    def solve(
        self,
        laws: Laws | ArrayLike | None = None,
        R: ArrayLike | None = None,
        *,
        tolerance: float = 1e-8,
        measure: str = "both",
        method: str = "automatic",
        sweeps: int = 100_000,
        seconds: float | None = None,
        work: int | None = None,
        progress: Progress | None = None,
    ) -> tuple[NDArray[np.float64], Report]:
        """Find forces that obey the laws of the rows, C(U, R) = 0 with U = B + W R. Other threads of Python continue during the call.

        laws: :class:`Laws`, or coefficients of friction, one for all contacts or one for each row. Without laws, the laws that are kept
        with the constraints, see :meth:`set_laws`.
        R: the initial guess, three values for each row, for instance the forces of the last step; zeros by default.
        tolerance: the solution converges when the residual is at most this. measure: "natural", "scaled" or "both" (the larger one).
        method: "automatic", "gauss-seidel" or "newton".
        sweeps, seconds, work: limits. work is counted in the units of ``report.work`` and depends on no clock. Infinite seconds are
        no limit.
        progress: called as ``progress(residual, sweeps, steps)`` each time that the residual is computed. If it returns False, the
        solution ends, and the best forces so far are returned. If it raises, ``solve`` raises the same exception, and the forces are
        lost.

        Returns R, a row of three values each, or one dimension if constraints have other than three rows, and a :class:`Report`. A
        solution that did not converge is no error: see ``report.end``. R obeys its laws in any case: no contact exceeds its cohesion or
        its friction.
        """
        heights = self._core.heights()
        forces = start(R, heights.sum())
        options = (tolerance, measure, method, sweeps, seconds, work)
        own = None if laws is None else laws_of(laws, heights)
        report = self._core.solve(own, options, progress, forces)
        return forces.reshape(-1, 3) if self._core.are_three() else forces, Report.of(report)

    def redundant(self, tolerance: float = 0.0) -> NDArray[np.bool_]:
        """Return for each scalar row of W whether it depends on earlier ones. tolerance: the squared sine of the angle to the span of
        others below which a row depends on them; 0: 1e-10."""
        return self._core.redundant(tolerance)

    def force(self, body: int, R: ArrayLike) -> NDArray[np.float64]:
        """Return the generalized force H^T R of all constraints on a body."""
        force = np.zeros_like(self.velocity(body))
        self._core.add_force(body, np.ascontiguousarray(R, dtype=np.float64).ravel(), force)
        return force

    def add_reactions(self, R: ArrayLike) -> None:
        """Add h A^-1 H^T R to the free velocity of every body."""
        self._core.add_reactions(np.ascontiguousarray(R, dtype=np.float64).ravel())

    def largest_eigenvalues(self) -> NDArray[np.float64]:
        """Return the largest eigenvalue of the diagonal block of each row; NaN where none is found."""
        return self._core.largest_eigenvalues()

    def largest_eigenvalue(self, tolerance: float = 1e-3, most_products: int = 1000) -> tuple[float, float]:
        """Return an estimate of W's largest eigenvalue, and the norm of its residual."""
        return self._core.largest_eigenvalue(tolerance, most_products)


class Factor:
    """The sparse Cholesky factor of W + diag (mu) for the W of the last update. It keeps its memory for the next one."""

    def __init__(self) -> None:
        self._core = _core.Factor()

    def make(self, system: System, mu: ArrayLike = 0.0) -> Factor:
        """Factor W + diag (mu). mu: one number for all, one for each row, or one for each scalar row. Returns the factor."""
        self._core.make(system._core, np.ascontiguousarray(np.atleast_1d(mu), dtype=np.float64).ravel())
        return self

    def solve(self, b: ArrayLike) -> NDArray[np.float64]:
        """Return (W + diag (mu))^-1 b, in the shape of b: a vector, a row of three for each row, or a matrix with a vector in each
        column."""
        x = np.array(b, dtype=np.float64)
        size = self._core.size()
        if x.size != size and (x.ndim != 2 or x.shape[0] != size):
            raise ValueError(f"b: shape {x.shape}, where vectors have {size} values and stand in columns")
        if x.size != size:
            columns = np.ascontiguousarray(x.T)
            flat = columns.ravel()
            self._core.solve(flat)
            return np.ascontiguousarray(flat.reshape(columns.shape).T)
        flat = x.ravel()
        self._core.solve(flat)
        return flat.reshape(x.shape)

    @property
    def log_determinant(self) -> float:
        """Return the natural logarithm of the determinant of W + diag (mu)."""
        return self._core.log_determinant()


def _operators(H: Sequence[ArrayLike]) -> tuple[int, list[NDArray[np.float64]]]:
    """The number of rows of operators, and their values row by row."""
    arrays = [np.asarray(one, dtype=np.float64) for one in H]
    rows = {one.shape[0] if one.ndim == 2 else -1 for one in arrays}
    if len(rows) != 1 or -1 in rows:
        raise ValueError(f"H: shapes {[one.shape for one in arrays]} where (m, n) are needed, m the same for all")
    return rows.pop(), [np.ascontiguousarray(one).ravel() for one in arrays]


def _operator(H: ArrayLike | None) -> NDArray[np.float64] | None:
    if H is None:
        return None
    H = np.asarray(H, dtype=np.float64)
    if H.ndim != 2 or H.shape[0] != 3:
        raise ValueError(f"H: shape {H.shape} where (3, n) is needed")
    return np.ascontiguousarray(H).ravel()
