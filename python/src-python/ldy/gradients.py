"""Derivatives of the solution of a contact problem by all its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from . import laws as _laws
from .arrays import Floats, Ints, flat, ids, numbers
from .errors import Error, ErrorCode
from .solver import matrix_of_rows

#: The numbers of a law as the native module has them: name, shape for each row, place.
_NUMBERS: dict[str, tuple[tuple[int, ...], int | slice]] = {
    "friction": ((2,), slice(0, 2)),
    "cohesion": ((), 2),
    "rolling_friction": ((), 3),
    "torsional_friction": ((), 4),
    "lower": ((6,), slice(5, 11)),
    "upper": ((6,), slice(11, 17)),
    "bias": ((6,), slice(17, 23)),
}


class Kink(NamedTuple):
    """A place where a solution is at a kink: changes of the data to one side have other derivatives than those to the other side.

    Attributes
    ----------
    constraint : int
        The constraint; its row if the derivatives were made by :func:`derivatives`.
    component : int
        The component of the constraint; the first one of the force along both tangents, or of the moments about both.
    kind : str
        "touching": a contact has neither force nor normal velocity; its force counts as constant. "sliding", "rolling", "spinning": a
        contact has the largest friction or moment and does not move; it counts as sticking. "bound": a force is at a bound and its
        velocity is zero; it counts as constant.
    """

    constraint: int
    component: int
    kind: str


class Changes(NamedTuple):
    """Changes of forces and velocities, see :meth:`Derivatives.forward`.

    Attributes
    ----------
    R, U : (n,) or (k, n) ndarray
        The changes of forces and velocities.
    is_singular : bool
        Whether only a part of the forces has derivatives. The changes of the others are those with the least sum of d dR**2, where d is
        the mean of the diagonal of W of a constraint.
    outside : float
        The largest share of a right-hand side that the equations cannot have, 0 to 1: the change leads to other states of constraints,
        or to a problem without a solution.
    is_solution : bool
        Whether the forces are a solution. Otherwise the changes are those of no solution.
    """

    R: Floats
    U: Floats
    is_singular: bool
    outside: float
    is_solution: bool


@dataclass(frozen=True)
class Gradient:
    """Derivatives of a function of forces and velocities by all data, see :meth:`Derivatives.adjoint`.

    With k functions each array has k as its first dimension. Derivatives by numbers that a law does not have are zero. The derivatives by
    W are ``np.outer(B, R)``.

    Attributes
    ----------
    B : (n,) ndarray
        By the free velocities.
    friction : (rows, 2) ndarray
        By the coefficients of friction along both tangents. By one coefficient for both: their sum.
    cohesion, rolling_friction, torsional_friction : (rows,) ndarray
        By these numbers of contacts.
    lower, upper, bias : (rows, 6) ndarray
        By bounds and biases; only the first m values of a row with m scalar rows count.
    is_singular : bool
        Whether only a part of the forces has derivatives.
    outside : float
        The largest share of a right-hand side that the equations cannot have, 0 to 1: a function depends on forces that have no
        derivatives.
    is_solution : bool
        Whether the forces are a solution. Otherwise the derivatives are those of no solution.
    """

    B: Floats
    friction: Floats
    cohesion: Floats
    rolling_friction: Floats
    torsional_friction: Floats
    lower: Floats
    upper: Floats
    bias: Floats
    is_singular: bool
    outside: float
    is_solution: bool

    def __repr__(self) -> str:
        return f"<ldy.Gradient: {self.B.shape[-1]} scalar rows, outside {self.outside:.1e}>"


class Derivatives:
    """Derivatives of the forces R and velocities U of a solution by B, W and the numbers of the laws.

    :meth:`System.derivatives` and :func:`derivatives` make them. They do not change when the system does. They cannot be copied or pickled.

    Examples
    --------
    A ball comes down at the speed 3 and slides; the derivatives of its velocity along the ground:

    >>> import numpy as np
    >>> import ldy
    >>> system = ldy.System()
    >>> ball = system.add_rigid(1.0, 0.4)
    >>> contact = system.add_point_constraints(ball, ldy.GROUND, np.eye(3), [0, 0, 0])
    >>> system.set_velocity(ball, [0, 0, 0, 2, 0, -3])
    >>> system.update(1.0)
    >>> laws = ldy.laws.contact(friction=0.5)
    >>> R, report = system.solve(laws)
    >>> gradient = system.derivatives(R, laws).adjoint(U=[1, 0, 0])
    >>> print(gradient.B.round(6) + 0, gradient.friction.sum().round(6))
    [1.  0.  0.5] -3.0
    """

    def __init__(self, core: _core.Derivatives, constraints: Ints) -> None:
        self._core, self._constraints = core, constraints

    @property
    def residual(self) -> float:
        """The largest scaled residual of the forces in a group of rows that blocks of W connect."""
        return self._core.residual()

    @property
    def is_solution(self) -> bool:
        """Whether the residual is at most the tolerance. Otherwise derivatives belong to no solution."""
        return self._core.is_solution()

    def forward(
        self,
        B: ArrayLike = 0.0,
        *,
        friction: ArrayLike = 0.0,
        cohesion: ArrayLike = 0.0,
        rolling_friction: ArrayLike = 0.0,
        torsional_friction: ArrayLike = 0.0,
        lower: ArrayLike = 0.0,
        upper: ArrayLike = 0.0,
        bias: ArrayLike = 0.0,
    ) -> Changes:
        """Compute the changes of forces and velocities that belong to small changes of the data.

        Parameters
        ----------
        B : float, (n,) or (k, n) array_like
            One change dB + dW R, or k changes.
        friction : float, (rows, 2) or (k, rows, 2) array_like
            Changes of the coefficients of friction along both tangents.
        cohesion, rolling_friction, torsional_friction : float, (rows,) or (k, rows) array_like
            Changes of these numbers of contacts.
        lower, upper, bias : float, (rows, 6) or (k, rows, 6) array_like
            Changes of bounds and biases; only the first m values of a row with m scalar rows count.

        Returns
        -------
        Changes
            The changes of forces and velocities. A bias is a number of the law: its change is no part of the change of U.

        Raises
        ------
        Error
            If a shape does not fit, or a value is not finite.
        """
        rows, count = self._core.counts()
        B = numbers("B", B)
        columns = B.shape[:-1] if B.ndim else ()
        given = dict(
            friction=friction,
            cohesion=cohesion,
            rolling_friction=rolling_friction,
            torsional_friction=torsional_friction,
            lower=lower,
            upper=upper,
            bias=bias,
        )
        changes = {name: numbers(name, value) for name, value in given.items()}
        for name, value in changes.items():
            more = value.shape[: value.ndim - 1 - len(_NUMBERS[name][0])]
            columns = max(columns, more, key=len)
        if len(columns) > 1:
            raise Error(f"B: shape {B.shape} where (), ({count},) or (k, {count}) is needed")
        laws = np.zeros((*columns, rows, 23))
        for name, value in changes.items():
            shape, place = _NUMBERS[name]
            laws[..., place] = _broadcast(name, value, (*columns, rows, *shape))
        velocities = np.ascontiguousarray(_broadcast("B", B, (*columns, count)), dtype=np.float64)
        is_changed = any(value.any() or not np.isfinite(value).all() for value in changes.values())
        R, U, (is_singular, outside) = self._core.forward(velocities.reshape(-1), laws.reshape(-1) if is_changed else None)
        return Changes(R.reshape(velocities.shape), U.reshape(velocities.shape), is_singular, outside, self.is_solution)

    def adjoint(self, R: ArrayLike = 0.0, U: ArrayLike = 0.0) -> Gradient:
        """Compute the derivatives of a function of forces and velocities, or of several, by all data.

        Parameters
        ----------
        R, U : float, (n,) or (k, n) array_like
            The derivatives of one function, or of k functions, by forces and by velocities.

        Returns
        -------
        Gradient
            The derivatives by all data.

        Raises
        ------
        Error
            If a shape does not fit, or a value is not finite.
        """
        rows, count = self._core.counts()
        by = [numbers(name, value) for name, value in (("R", R), ("U", U))]
        columns = max((value.shape[:-1] for value in by if value.ndim), key=len, default=())
        if len(columns) > 1:
            raise Error(f"R and U: shapes {by[0].shape} and {by[1].shape} where (), ({count},) or (k, {count}) are needed")
        both = [_broadcast(name, value, (*columns, count)) for name, value in zip("RU", by)]
        raw = [np.ascontiguousarray(value, dtype=np.float64).reshape(-1) for value in both]
        B, laws, fit = self._core.adjoint(raw[0], raw[1])
        return _gradient(B.reshape(*columns, count), laws.reshape(*columns, rows, 23), fit, self.is_solution)

    def kinks(self) -> list[Kink]:
        """Return where the solution is at a kink: derivatives belong to one side there.

        Returns
        -------
        list of Kink
            The kinks, in the order of rows.
        """
        return [Kink(int(self._constraints[row]), component, kind) for row, component, kind in self._core.kinks()]

    def undetermined(self) -> Ints:
        """Return the constraints whose forces have no derivatives: the equations leave their changes open, as where W is singular.

        Returns
        -------
        (k,) ndarray of int
            The constraints, in the order of rows.
        """
        constraints: Ints = self._constraints[self._core.undetermined()]
        return constraints

    def __repr__(self) -> str:
        return f"<ldy.Derivatives: {self._core.counts()[1]} scalar rows>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("Derivatives cannot be copied or pickled: make others")


def of_laws(numbers: Floats) -> dict[str, Any]:
    """Derivatives by the numbers of laws, by name; the last dimension has the 23 numbers of the native module."""
    return {name: np.ascontiguousarray(numbers[..., place]) for name, (_, place) in _NUMBERS.items()}


def _gradient(B: Floats, laws: Floats, fit: tuple[bool, float], is_solution: bool) -> Gradient:
    return Gradient(B, **of_laws(laws), is_singular=fit[0], outside=fit[1], is_solution=is_solution)


def step_gradient(
    core: _core.System, of: Derivatives, R: ArrayLike, by_R: ArrayLike, U: ArrayLike, velocities: ArrayLike | None
) -> StepGradient:
    """The derivatives of a step of a system; velocities are for all bodies in turn."""
    rows, count = of._core.counts()
    by = [np.ascontiguousarray(_broadcast(name, numbers(name, value), (count,))) for name, value in (("by_R", by_R), ("U", U))]
    bodies = None if velocities is None else flat("velocities", velocities)
    found, B, laws, fit = of._core.gradient(core, flat("R", R), by[0], by[1], bodies)
    heights = dict(zip(core.constraints().tolist(), core.row_counts().tolist()))
    return StepGradient(found, _gradient(B, laws.reshape(rows, 23), fit, of.is_solution), of, heights)


class StepGradient:
    """Derivatives of a function of a step by all data of its system.

    :meth:`System.gradient` makes them. They do not change when the system does. Derivatives by a matrix whose entries are equal in pairs are
    symmetric: the derivative by both entries is the sum of both. Those by frames and rotations count all entries as independent.

    Attributes
    ----------
    data : Gradient
        The derivatives by B and the numbers of the laws; it says whether the forces are a solution.
    derivatives : Derivatives
        The derivatives of the solution, which name its kinks.
    step : float
        The derivative by the step h of the last update; free velocities and biases count as given.

    Examples
    --------
    A puck slides for one step. Its speed afterwards does not depend on its mass:

    >>> import numpy as np
    >>> import ldy
    >>> h, system = 0.1, ldy.System()
    >>> puck = system.add_rigid(3.0, 1.0)
    >>> contact = system.add_point_constraints(puck, ldy.GROUND, np.eye(3), [0, 0, 0])
    >>> system.set_velocity(puck, [0, 0, 0, 3, 0, -9.81 * h])
    >>> system.update(h)
    >>> laws = ldy.laws.contact(friction=0.4)
    >>> R, report = system.solve(laws)
    >>> gradient = system.gradient(R, laws, velocities=[0, 0, 0, 1, 0, 0])
    >>> mass, inertia = gradient.inertia(puck)
    >>> print(round(mass, 6) + 0, gradient.velocity(puck).round(6) + 0, gradient.data.friction.sum().round(6))
    0.0 [0.  0.  0.  1.  0.  0.4] -0.981
    """

    def __init__(self, core: _core.Gradient, data: Gradient, of: Derivatives, heights: dict[int, int]) -> None:
        self._core, self.data, self.derivatives, self._heights = core, data, of, heights
        self.step = core.step()

    def velocity(self, body: int) -> Floats:
        """Return the derivatives by the free velocity of a body.

        Parameters
        ----------
        body : int
            The body.

        Returns
        -------
        (n,) ndarray
            The derivatives.
        """
        return self._core.velocity(_one(body))

    def inertia(self, body: int) -> tuple[float, Floats]:
        """Return the derivatives by the mass of a rigid or pseudo-rigid body, and by its inertia.

        Parameters
        ----------
        body : int
            The body.

        Returns
        -------
        mass : float
            The derivative by the mass.
        inertia : (3, 3) ndarray
            The derivatives by the referential inertia of a rigid body, or the Euler tensor of a pseudo-rigid one.

        Raises
        ------
        Error
            If the body is neither rigid nor pseudo-rigid, or has another matrix.
        """
        mass, tensor = self._core.inertia(_one(body))
        return mass, tensor.reshape(3, 3)

    def matrix(self, body: int) -> Floats:
        """Return the derivatives by the matrix A of a body, in any form of its inertia.

        Parameters
        ----------
        body : int
            The body.

        Returns
        -------
        (n, n) ndarray
            The derivatives.
        """
        values = self._core.matrix(_one(body))
        return values.reshape(2 * (int(len(values) ** 0.5 + 0.5),))

    def rotation(self, body: int) -> Floats:
        """Return the derivatives by the rotation of a rigid body, with frames and points as they are.

        Parameters
        ----------
        body : int
            The body.

        Returns
        -------
        (3, 3) ndarray
            The derivatives; zero for other bodies.
        """
        return self._core.pose(_one(body))[0].reshape(3, 3).T.copy()

    def center(self, body: int) -> Floats:
        """Return the derivatives by the referential mass center of a rigid or pseudo-rigid body, with points as they are.

        Parameters
        ----------
        body : int
            The body.

        Returns
        -------
        (3,) ndarray
            The derivatives; zero for other bodies.
        """
        return self._core.pose(_one(body))[1]

    def position(self, body: int) -> Floats:
        """Return the derivatives by the position of a rigid body in the world, on which joints by axes depend.

        Parameters
        ----------
        body : int
            The body.

        Returns
        -------
        (3,) ndarray
            The derivatives; zero for other bodies, and if no joint knows the positions of all its bodies.
        """
        return self._core.pose(_one(body))[2]

    def frame(self, constraint: int) -> Floats:
        """Return the derivatives by the frame of a constraint at points, or by the master's frame of a joint.

        Parameters
        ----------
        constraint : int
            The constraint.

        Returns
        -------
        (3, 3) ndarray
            The derivatives; zero if operators place it.
        """
        return self._core.place(_one(constraint))[0].reshape(3, 3).T.copy()

    def slave_frame(self, joint: int) -> Floats:
        """Return the derivatives by the slave's frame of a joint.

        Parameters
        ----------
        joint : int
            The joint.

        Returns
        -------
        (3, 3) ndarray
            The derivatives; zero for other constraints.
        """
        return self._core.place(_one(joint))[1].reshape(3, 3).T.copy()

    def points(self, constraint: int) -> Floats:
        """Return the derivatives by the referential points of a constraint or joint.

        Parameters
        ----------
        constraint : int
            The constraint.

        Returns
        -------
        (2, 3) ndarray
            The derivatives by the points of master and slave; zero if operators place the constraint.
        """
        return self._core.place(_one(constraint))[2].reshape(2, 3)

    def operator(self, constraint: int, body: int) -> Floats:
        """Return the derivatives by the operator H of a constraint on a body, signs included.

        Parameters
        ----------
        constraint : int
            The constraint.
        body : int
            A body that it acts on; this is not checked.

        Returns
        -------
        (m, n) ndarray
            The derivatives.
        """
        rows = self._rows(constraint)
        return self._core.operator(_one(constraint), _one(body), rows).reshape(-1, rows).T.copy()

    def compliance(self, constraint: int) -> Floats:
        """Return the derivatives by the compliance of a constraint, also if it has none.

        Parameters
        ----------
        constraint : int
            The constraint.

        Returns
        -------
        (m, m) ndarray
            The derivatives; those on the diagonal are those by regularization.
        """
        rows = self._rows(constraint)
        return self._core.compliance(_one(constraint), rows).reshape(rows, rows)

    def _rows(self, constraint: int) -> int:
        constraint = _one(constraint)
        if constraint not in self._heights:
            raise Error(f"constraint {constraint}: there is no such constraint", ErrorCode.NOT_FOUND, constraint)
        return self._heights[constraint]

    def __repr__(self) -> str:
        return f"<ldy.StepGradient: {len(self._heights)} constraints>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a StepGradient cannot be copied or pickled: make another one")


def _one(thing: ArrayLike) -> int:
    """The id of one thing, given as a number or as an array of one."""
    found = ids(thing)
    if len(found) != 1:
        raise Error(f"ids: {len(found)} ids where one is needed")
    return int(found[0])


def _broadcast(name: str, values: Floats, shape: tuple[int, ...]) -> Floats:
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        raise Error(f"{name}: shape {values.shape} where () or {shape} is needed") from None


def derivatives(
    W: Any,
    B: ArrayLike,
    laws: _laws.Laws | _laws.Law | ArrayLike,
    R: ArrayLike,
    *,
    row_counts: ArrayLike | None = None,
    normal_first: bool = False,
    tolerance: float = 0.0,
) -> Derivatives:
    """Prepare the derivatives of a known solution, for any W.

    Parameters
    ----------
    W : (n, n) array_like or sparse matrix of SciPy
        The matrix, which need not be symmetric.
    B : (n,) array_like
        Velocities without reactions.
    laws : Laws, Law or array_like
        As in :func:`solve`.
    R : (n,) array_like
        The known solution.
    row_counts : (rows,) array_like of int, optional
        The number of scalar rows of each row, one to six; three by default.
    normal_first : bool, optional
        Whether the first component of each contact is the normal one, as in FCLIB, not the last.
    tolerance : float, optional
        See :meth:`System.derivatives`.

    Returns
    -------
    Derivatives
        The derivatives.

    Raises
    ------
    Error
        If shapes, values or laws are not valid.

    Examples
    --------
    >>> import numpy as np
    >>> import ldy
    >>> W, B = np.eye(3), [2.0, 0.0, -3.0]
    >>> R, report = ldy.solve(W, B, 0.5)
    >>> changes = ldy.derivatives(W, B, 0.5, R).forward([0, 0, -1])
    >>> print(changes.R.round(6) + 0, changes.U.round(6) + 0)
    [-0.5  0.   1. ] [-0.5  0.   0. ]
    """
    matrix, B, rows = matrix_of_rows(W, B, row_counts)
    own = _laws.raw(laws, rows)
    core = _core.Derivatives.of_rows((*matrix, B), normal_first, own, flat("R", R), tolerance)
    return Derivatives(core, np.arange(len(rows), dtype=np.int64))
