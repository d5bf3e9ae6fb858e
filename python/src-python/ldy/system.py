"""Bodies, constraints between them, and what an update makes of them."""

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
    """Values of each thing, or of the one without an array of them."""
    return values.reshape(shape if np.ndim(ids) == 0 else (-1, *shape))


def _with_jacobian(
    dense: Callable[..., Any], sparse: Callable[..., Any], bodies: NDArray[np.int64], rows: NDArray[np.int64], J: Any
) -> Any:
    """Hand a Jacobian over, as it lies in memory."""
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
    of the first new one. Ids of new constraints follow each other, and all older ids are smaller."""

    kept: int
    inserted: int
    removed: int
    first_inserted: int | None


class System:
    """A system of bodies and constraints. It is used by one thread at a time.

    Functions that insert take arrays of things, or one thing, and return their ids, or the id. Errors are exceptions: :class:`Error`
    with the library's text, which names constraint and bodies; what a solver raises comes out as it is. Calls for many things do all of
    it or nothing: one that is refused uses up no id and changes nothing.
    """

    def __init__(self) -> None:
        self._core = _core.System()

    # ---- bodies

    def add_rigid(self, mass: ArrayLike, inertia: ArrayLike, rotation: ArrayLike = np.eye(3), center: ArrayLike = (0, 0, 0)) -> Any:
        """Rigid bodies, with generalised velocities (angular in the body's frame, of the centre).

        mass: positive. inertia: referential, about the centre, 3 x 3 or a number. rotation: from the reference to now. center:
        referential. A point p of the world is the referential point ``center + rotation.T @ (p - x)``, x the centre now.
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
        """Pseudo-rigid bodies, with generalised velocities (rate of the deformation gradient row by row, of the centre).

        euler: the Euler tensor about the centre, 3 x 3 or a number.
        """
        count, is_one = count_of((mass, 0), (euler, 0 if np.ndim(euler) < 2 else 2), (center, 1))
        return _answer(
            self._core.add_pseudo_rigid(
                many("mass", mass, count), inertias("euler", euler, count), many("center", center, count, 3)
            ),
            is_one,
        )

    def add_obstacle(self, rotation: ArrayLike = np.eye(3), center: ArrayLike = (0, 0, 0)) -> Any:
        """Bodies with prescribed velocities, as those of rigid ones; they couple no constraints."""
        count, is_one = count_of((rotation, 2), (center, 1))
        return _answer(
            self._core.add_obstacle(many("rotation", rotation, count, 3, 3), many("center", center, count, 3)), is_one
        )

    def add_dense(self, inverse: ArrayLike) -> int:
        """A body by its inverse A^-1, n x n; its constraints are given by operators."""
        inverse = np.asarray(inverse, dtype=np.float64)
        if inverse.ndim != 2 or inverse.shape[0] != inverse.shape[1]:
            raise ValueError(f"inverse: shape {inverse.shape} where (n, n) is needed")
        return self._core.add_dense(len(inverse), inverse.ravel())

    def add_diagonal(self, inverse: ArrayLike) -> int:
        """A body by the diagonal of its inverse."""
        return self._core.add_diagonal(np.ascontiguousarray(inverse, dtype=np.float64))

    def add_matrix(self, A: Any) -> int:
        """A body by its sparse matrix A (SciPy), which updates factor; symmetric, or its lower triangle."""
        return self._core.add_matrix(*_csc(A))

    def add_solver(self, n: int, solve: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> int:
        """A body of n velocities whose ``solve(x)`` returns A^-1 x, for x with n rows and any number of columns."""
        return self._core.add_solver(n, solve)

    def add_model(
        self, sizes: Sequence[int], solve: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    ) -> NDArray[np.int64]:
        """Bodies of ``sizes[i]`` velocities each whose A^-1 one function applies: ``solve(x)`` returns A^-1 x for x with
        ``sum(sizes)`` rows, those of the bodies one below the other. It is called once in each update; columns of all bodies stand side
        by side, since A^-1 couples no two of them. Returns the bodies."""
        sizes = [int(size) for size in sizes]
        first = self._core.add_model(sizes, solve)
        return np.arange(first, first + len(sizes), dtype=np.int64)

    def remove_bodies(self, bodies: ArrayLike) -> None:
        """Remove bodies on which no constraint acts."""
        self._core.remove_bodies(_ids(bodies))

    def set_rotation(self, bodies: ArrayLike, rotation: ArrayLike) -> None:
        """Rotations of rigid bodies and obstacles."""
        ids = _ids(bodies)
        self._core.set_rotation(ids, many("rotation", rotation, len(ids), 3, 3))

    def rotation(self, bodies: ArrayLike) -> NDArray[np.float64]:
        """Rotations of rigid bodies and obstacles, 3 x 3 each, or that of one body."""
        return _each(bodies, self._core.rotation(_ids(bodies)), 3, 3)

    def set_mass(self, body: int, mass: float, inertia: ArrayLike) -> None:
        """Another mass, and inertia or Euler tensor, of a rigid or pseudo-rigid body; see :meth:`add_rigid`."""
        self._core.set_mass(body, mass, inertias("inertia", inertia, 1))

    def set_dense(self, body: int, inverse: ArrayLike) -> None:
        """Another inverse of a body of any kind."""
        inverse = np.asarray(inverse, dtype=np.float64)
        if inverse.ndim != 2 or inverse.shape[0] != inverse.shape[1]:
            raise ValueError(f"inverse: shape {inverse.shape} where (n, n) is needed")
        self._core.set_dense(body, len(inverse), inverse.ravel())

    def set_diagonal(self, body: int, inverse: ArrayLike) -> None:
        """Another diagonal inverse of a body of any kind."""
        self._core.set_diagonal(body, np.ascontiguousarray(inverse, dtype=np.float64))

    def set_matrix(self, body: int, A: Any) -> None:
        """Another sparse matrix of a body of any kind; see :meth:`add_matrix`."""
        self._core.set_matrix(body, *_csc(A))

    def set_velocity(self, bodies: ArrayLike, velocity: ArrayLike) -> None:
        """Free velocities, of which B is made: what they would be after the step without reactions."""
        self._set_velocity(bodies, velocity, False)

    def set_previous_velocity(self, bodies: ArrayLike, velocity: ArrayLike) -> None:
        """Velocities before the step, of which V is made."""
        self._set_velocity(bodies, velocity, True)

    def _set_velocity(self, bodies: ArrayLike, velocity: ArrayLike, is_previous: bool) -> None:
        ids, velocity = _ids(bodies), np.asarray(velocity, dtype=np.float64)
        self._core.set_velocity(ids, many("velocity", velocity, len(ids), velocity.shape[-1]), is_previous)

    def velocity(self, bodies: ArrayLike) -> NDArray[np.float64]:
        """Free velocities, a row for each body, or that of one body: as set, and changed by :meth:`add_reactions`."""
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
        """Constraints between points: U = frame.T @ (velocity of the master's point - velocity of the slave's).

        master, slave: ids, GROUND for none. frame: the local axes are its columns. Points are referential.
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
        """A constraint by operators, 3 x n: U = H_master @ u_master + H_slave @ u_slave, signs included."""
        return self._core.add_operators(master, _operator(H_master), slave, _operator(H_slave))

    def add_rows(self, bodies: ArrayLike, H: Sequence[ArrayLike]) -> int:
        """A constraint of m rows, one to six, on one to sixteen bodies: U is the sum of H @ u, an operator m x n for each body."""
        rows, operators = _operators(H)
        return self._core.add_rows(rows, _ids(bodies), operators)

    def add_freedom(self, body: int, freedom: int, coefficient: float = 1.0) -> int:
        """A constraint of one row, which is a generalised velocity of a body times a coefficient: a limit, a motor, friction of a joint."""
        return self._core.add_freedom(body, freedom, coefficient)

    def add_jacobian(self, bodies: ArrayLike, heights: ArrayLike, J: Any) -> NDArray[np.int64]:
        """Constraints as rows of J, of each as many as ``heights`` tells, one to six, over the velocities of the bodies; their ids.

        J: an array, or a matrix of scipy.sparse. A constraint is on those of the bodies in whose columns its rows are not all zero,
        at most sixteen, or on the first of the bodies. All of them are inserted, or none.
        """
        heights = _ids(heights)
        first = _with_jacobian(self._core.add_jacobian, self._core.add_sparse_jacobian, _ids(bodies), heights, J)
        return np.arange(first, first + len(heights), dtype=np.int64)

    def set_rows_operators(self, constraint: int, H: Sequence[ArrayLike]) -> None:
        """Other operators of a constraint of any number of rows, one for each of its bodies."""
        self._core.set_rows_operators(constraint, _operators(H)[1])

    def set_rows_compliance(self, constraint: int, compliance: ArrayLike | None) -> None:
        """The compliance of a constraint of m rows, m x m and symmetric."""
        values = None if compliance is None else np.ascontiguousarray(compliance, dtype=np.float64).ravel()
        self._core.set_rows_compliance(constraint, values)

    def set_operators(self, constraint: int, H_master: ArrayLike | None, H_slave: ArrayLike | None = None) -> None:
        """Other operators of a constraint."""
        self._core.set_operators(constraint, _operator(H_master), _operator(H_slave))

    def set_jacobian(self, bodies: ArrayLike, constraints: ArrayLike, J: Any) -> None:
        """Other operators of many constraints: rows of J, of each constraint as many as it has, over the velocities of the bodies.

        J: an array, or a matrix of scipy.sparse. Operators on other bodies stay. All of it is taken, or nothing.
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
        """Other frames and points, and other bodies if a master is given; see :meth:`add_constraints`."""
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
        """Make constraints those of a list, for instance the contacts of a step, by keys, whole numbers that are not negative.

        A constraint that an earlier call has inserted with the same key gets bodies, frame and points of its entry, and keeps its id,
        row, compliance, law and reaction, which is expressed in the new axes: the force in the world stays. A new key inserts a
        constraint. A constraint whose key is not in the list is removed. Constraints that other functions have inserted stay as they
        are. Keys are tags, see :meth:`set_tags`. All of it is done, or nothing.

        laws: laws or coefficients of friction of all entries; without, known constraints keep their laws and new ones have none. A
        law of kind "none" does the same for one entry. Returns the id of each entry, and the numbers of changes.
        """
        numbers = np.atleast_1d(_tags(keys))
        count = len(numbers)
        masters, slaves = (np.ascontiguousarray(np.broadcast_to(_ids(side), count)) for side in (master, slave))
        places = self._placement(count, frame, master_point, slave_point)
        own = None if laws is None else laws_of(laws, np.full(count, 3))
        ids, counts, first = self._core.sync_constraints(numbers, masters, slaves, *places, own)
        return ids, Sync(*counts, first)

    def placements(self, constraints: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Frames of constraints at points, points of their masters and of their slaves, as given; or those of one."""
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
        """Compliances, 3 x 3 and symmetric, or three numbers of a diagonal, added to the diagonal blocks of W: one for all constraints, or
        one each. For three constraints 3 x 3 numbers could be either: give the shape (1, 3, 3) or (3, 3, 3)."""
        ids, compliance = _ids(constraints), np.asarray(compliance, dtype=np.float64)
        if compliance.shape == (3, 3) and len(ids) == 3:
            raise ValueError("compliance: one matrix, or three diagonals? give the shape (1, 3, 3) or (3, 3, 3)")
        if compliance.ndim >= 1 and compliance.shape[-2:] != (3, 3):
            compliance = compliance[..., None] * np.eye(3)
        self._core.set_compliance(ids, many("compliance", compliance, len(ids), 3, 3))

    def regularise(self, mu: ArrayLike) -> None:
        """W + diag (mu) in place of W from the next update on: one number for all, one for each row, or one for each scalar row."""
        self._core.regularise(np.ascontiguousarray(np.atleast_1d(mu), dtype=np.float64).ravel())

    def set_tags(self, constraints: ArrayLike, tags: ArrayLike) -> None:
        """Numbers by which constraints are found again, which stay with them; 0 at first."""
        ids = _ids(constraints)
        self._core.set_tags(ids, np.ascontiguousarray(np.broadcast_to(_tags(tags), ids.shape)))

    @property
    def tags(self) -> NDArray[np.uint64]:
        """The tags of all constraints, in the order of rows."""
        return self._core.tags()

    def set_laws(self, constraints: ArrayLike, laws: Laws | ArrayLike) -> None:
        """Keep laws with constraints; :meth:`solve` uses them if it gets no laws.

        laws: :class:`Laws` with a law for each of the constraints in this order, or coefficients of friction. A law stays with its
        constraint until that is removed. No update is needed: W does not depend on laws.
        """
        ids = _ids(constraints)
        self._core.set_laws(ids, laws_of(laws, self._core.heights_of(ids)))

    def laws(self, constraints: ArrayLike) -> Laws:
        """The laws that are kept with constraints; :attr:`Laws.kind` is "none" for a constraint without a law."""
        return Laws.of(self._core.laws(_ids(constraints)))

    @property
    def reactions(self) -> NDArray[np.float64]:
        """Forces that are kept with their constraints when others come and go, one dimension in the order of scalar rows; those of new
        ones are zero. Assign to them what :meth:`solve` returns, and begin with them after the next update."""
        return self._core.reactions()

    @reactions.setter
    def reactions(self, R: ArrayLike) -> None:
        self._core.set_reactions(np.ascontiguousarray(R, dtype=np.float64).ravel())

    # ---- from the world

    def referential_point(self, bodies: ArrayLike, center: ArrayLike, place: ArrayLike) -> NDArray[np.float64]:
        """Referential points of rigid bodies that are at places of the world; center: where the mass centres are now."""
        return self._in_reference(self._core.referential_point, bodies, ("center", center, 1), ("place", place, 1))

    def pseudo_rigid_point(
        self, bodies: ArrayLike, gradient: ArrayLike, center: ArrayLike, place: ArrayLike
    ) -> NDArray[np.float64]:
        """The same of pseudo-rigid bodies; gradient: their deformation gradients now, which a system does not keep."""
        vectors = ("gradient", gradient, 2), ("center", center, 1), ("place", place, 1)
        return self._in_reference(self._core.pseudo_rigid_point, bodies, *vectors)

    def referential_spin(self, bodies: ArrayLike, world: ArrayLike) -> NDArray[np.float64]:
        """Angular velocities of the world in the referential frames of rigid bodies, as generalised velocities have them."""
        return self._in_reference(self._core.referential_spin, bodies, ("world", world, 1))

    def world_spin(self, bodies: ArrayLike, referential: ArrayLike) -> NDArray[np.float64]:
        """The other way round."""
        return self._in_reference(self._core.world_spin, bodies, ("referential", referential, 1))

    @staticmethod
    def _in_reference(call: Callable[..., NDArray[np.float64]], bodies: ArrayLike, *given: tuple[str, ArrayLike, int]) -> NDArray[np.float64]:
        count, is_one = count_of((bodies, 0), *((values, ndim) for _, values, ndim in given))
        ids = np.ascontiguousarray(np.broadcast_to(_ids(bodies), count))
        made = call(ids, *(many(name, values, count, *(3,) * ndim) for name, values, ndim in given))
        return made if is_one else made.reshape(-1, 3)

    # ---- stability

    def geometric_stiffness(self, joints: Joints, R: ArrayLike, x: ArrayLike) -> NDArray[np.float64]:
        """K x, K the geometric stiffness of the forces R: they change by -K x when bodies move by x.

        joints: one for each row. x: the generalised velocities of all bodies one behind the other, or a matrix of such columns."""
        x = np.asarray(x, dtype=np.float64)
        R = np.ascontiguousarray(R, dtype=np.float64).ravel()
        y = self._core.geometric_stiffness(joints.raw, R, np.ascontiguousarray(x.T).ravel())
        return y.reshape(x.T.shape).T

    def critical_step(self, joints: Joints, R: ArrayLike, *, sharp: bool = False) -> CriticalStep:
        """The longest step that explicit schemes survive with the forces R, that of all directions, which is safe; sharp: of those alone
        that the constraints leave free, as is observed."""
        R = np.ascontiguousarray(R, dtype=np.float64).ravel()
        (omega_squared, step, share), constraint = self._core.critical_step(joints.raw, R, sharp)
        return CriticalStep(omega_squared, step, constraint, share)

    # ---- results

    def update(self, h: float) -> None:
        """Make W = h H A^-1 H^T + compliance, B and V. Other threads of Python go on meanwhile."""
        self._core.update(h)

    @property
    def rows(self) -> Rows:
        """A copy of what the last update made."""
        return Rows(self._core.rows())

    def multiply(self, x: ArrayLike, through_bodies: bool = False) -> NDArray[np.float64]:
        """W x, by blocks or body by body, in the shape of x: three values a row. See :meth:`operator` for several vectors at once."""
        x = np.asarray(x, dtype=np.float64)
        return self._core.times(1, np.ascontiguousarray(x).ravel(), through_bodies).reshape(x.shape)

    def operator(self, through_bodies: bool = False) -> Any:
        """W as a ``scipy.sparse.linalg.LinearOperator``, as long as the number of rows stays the same. It is that of the last update
        whenever it is used. ``operator () @ X`` multiplies all columns of X at once."""
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
        """Forces that obey the laws of the rows, C(U, R) = 0 with U = B + W R; other threads of Python go on meanwhile.

        laws: :class:`Laws`, or coefficients of friction, one for all contacts or one a row; without, the laws that are kept with the
        constraints, see :meth:`set_laws`. R: where to begin, three values a row, for
        instance the forces of the last step; zeros without. tolerance: of the residual, which ``measure`` says: "natural", "scaled" or
        the larger of "both". method: "automatic", "gauss-seidel" or "newton". sweeps, seconds, work: the most that are spent;
        work is counted in the units of ``report.work`` and depends on no clock. progress: called
        as ``progress(residual, sweeps, steps)`` each time that the residual is looked at; False ends the solution, and so does an
        exception, which comes out as it is. The best forces so far are then those returned, or lost.

        Returns R, a row of three each, or one dimension where constraints have other than three rows, and a :class:`Report`. An end
        without convergence is no error: see ``report.end``. R obeys its laws in any case: no contact pulls, or rubs more than its
        friction allows.
        """
        heights = self._core.heights()
        forces = start(R, heights.sum())
        options = (tolerance, measure, method, sweeps, seconds, work)
        own = None if laws is None else laws_of(laws, heights)
        report = self._core.solve(own, options, progress, forces)
        return forces.reshape(-1, 3) if self._core.are_three() else forces, Report.of(report)

    def redundant(self, tolerance: float = 0.0) -> NDArray[np.bool_]:
        """Which scalar rows of W depend on earlier ones. tolerance: the squared sine of the angle to the span of others, 0: 1e-10."""
        return self._core.redundant(tolerance)

    def force(self, body: int, R: ArrayLike) -> NDArray[np.float64]:
        """The generalised force H^T R of all constraints on a body."""
        force = np.zeros_like(self.velocity(body))
        self._core.add_force(body, np.ascontiguousarray(R, dtype=np.float64).ravel(), force)
        return force

    def add_reactions(self, R: ArrayLike) -> None:
        """Add h A^-1 H^T R to the free velocity of every body."""
        self._core.add_reactions(np.ascontiguousarray(R, dtype=np.float64).ravel())

    def largest_eigenvalues(self) -> NDArray[np.float64]:
        """The largest eigenvalue of the diagonal block of each row; NaN where none is found."""
        return self._core.largest_eigenvalues()

    def largest_eigenvalue(self, tolerance: float = 1e-3, most_products: int = 1000) -> tuple[float, float]:
        """An estimate of W's largest eigenvalue, and the norm of its residual."""
        return self._core.largest_eigenvalue(tolerance, most_products)


class Factor:
    """The sparse Cholesky factor of W + diag (mu) of the last update; it keeps its memory for the next one."""

    def __init__(self) -> None:
        self._core = _core.Factor()

    def make(self, system: System, mu: ArrayLike = 0.0) -> Factor:
        """mu: one number for all, one for each row, or one for each scalar row. Returns the factor."""
        self._core.make(system._core, np.ascontiguousarray(np.atleast_1d(mu), dtype=np.float64).ravel())
        return self

    def solve(self, b: ArrayLike) -> NDArray[np.float64]:
        """(W + mu 1)^-1 b, in the shape of b: a vector, a row of three for each row, or a matrix with a vector in each column."""
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
        """The natural logarithm of the determinant of W + mu 1."""
        return self._core.log_determinant()


def _operators(H: Sequence[ArrayLike]) -> tuple[int, list[NDArray[np.float64]]]:
    """How many rows operators have, and their values row by row."""
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
