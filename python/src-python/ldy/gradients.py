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
    """

    R: Floats
    U: Floats
    is_singular: bool
    outside: float


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
        return Changes(R.reshape(velocities.shape), U.reshape(velocities.shape), is_singular, outside)

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
        return _gradient(B.reshape(*columns, count), laws.reshape(*columns, rows, 23), fit)

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


def _gradient(B: Floats, laws: Floats, fit: tuple[bool, float]) -> Gradient:
    return Gradient(B, **of_laws(laws), is_singular=fit[0], outside=fit[1])
