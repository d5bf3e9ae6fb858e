"""The inertia of bodies in its forms."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, numbers, of_one, tensors
from .errors import Error

_KINDS = ("dense", "diagonal", "sparse", "function", "rigid", "pseudo_rigid")


@dataclass(frozen=True, eq=False)
class Inertia:
    """The inertia of a body, for :meth:`System.add_body` and :meth:`System.set_inertia`.

    Make one by :meth:`dense`, :meth:`diagonal`, :meth:`sparse`, :meth:`function`, :meth:`rigid` or :meth:`pseudo_rigid`.

    Attributes
    ----------
    kind : str
        The name of the method that made it.
    size : int
        The number n of generalized velocities.

    See Also
    --------
    System.add_body : Insert a body by its inertia.

    Examples
    --------
    >>> import ldy
    >>> ldy.Inertia.diagonal([1.0, 0.5])
    <ldy.Inertia: diagonal, 2 velocities>
    """

    kind: str
    size: int
    _values: Floats
    _indices: Any = None
    _function: Callable[[Floats], ArrayLike] | None = None

    @classmethod
    def dense(cls, inverse: ArrayLike) -> Inertia:
        """Make an inertia from the dense inverse A^-1.

        Parameters
        ----------
        inverse : (n, n) array_like
            A^-1, symmetric and positive semidefinite.

        Returns
        -------
        Inertia
            The inertia; the values are copied when a body gets it.

        Raises
        ------
        Error
            If the array is not square.
        """
        inverse = numbers("inverse", inverse)
        if inverse.ndim != 2 or inverse.shape[0] != inverse.shape[1]:
            raise Error(f"inverse: shape {inverse.shape} where (n, n) is needed")
        return cls("dense", len(inverse), inverse.ravel())

    @classmethod
    def diagonal(cls, inverse: ArrayLike) -> Inertia:
        """Make an inertia from the diagonal of A^-1.

        Parameters
        ----------
        inverse : (n,) array_like
            The diagonal, not negative.

        Returns
        -------
        Inertia
            The inertia.

        Raises
        ------
        Error
            If the array has not one dimension.
        """
        inverse = np.ascontiguousarray(numbers("inverse", inverse))
        if np.ndim(inverse) != 1:
            raise Error(f"inverse: shape {inverse.shape} where (n,) is needed")
        return cls("diagonal", len(inverse), inverse)

    @classmethod
    def sparse(cls, A: Any) -> Inertia:
        """Make an inertia from a sparse matrix A, which updates factorize.

        Parameters
        ----------
        A : (n, n) sparse matrix or array of SciPy
            A, symmetric or its lower triangle, positive definite.

        Returns
        -------
        Inertia
            The inertia.

        Raises
        ------
        TypeError
            If A is no sparse matrix.
        """
        if not hasattr(A, "tocsc"):
            raise TypeError(f"A: {type(A).__name__} where a sparse matrix of SciPy is needed")
        A = A.tocsc(copy=True)
        A.sum_duplicates()
        starts, rows = (np.ascontiguousarray(array, dtype=np.int32) for array in (A.indptr, A.indices))
        return cls("sparse", A.shape[1], np.ascontiguousarray(A.data, dtype=np.float64), (starts, rows))

    @classmethod
    def function(cls, n: int, function: Callable[[Floats], ArrayLike]) -> Inertia:
        """Make an inertia from an inverse callback.

        Parameters
        ----------
        n : int
            The number of generalized velocities.
        function : callable
            ``function(x)`` returns A^-1 x in the shape (n, k) of x, for any k. If it raises, the call of the system that used it
            raises the same exception.

        Returns
        -------
        Inertia
            The inertia.

        Raises
        ------
        Error
            If n is not positive.
        TypeError
            If the function is none.

        Examples
        --------
        >>> import ldy
        >>> system = ldy.System()
        >>> body = system.add_body(ldy.Inertia.function(3, lambda x: x / 2))
        """
        return cls("function", check_callback(n, function), np.zeros(0), None, function)

    @classmethod
    def rigid(cls, mass: float, inertia: ArrayLike) -> Inertia:
        """Make the inertia of a rigid body.

        Parameters
        ----------
        mass : float
            The mass, positive.
        inertia : float, (3,) or (3, 3) array_like
            The referential inertia about the mass center: one moment for all axes, principal moments, or a matrix.

        Returns
        -------
        Inertia
            The inertia, with six velocities.

        Raises
        ------
        Error
            If a shape is wrong.
        """
        return cls("rigid", 6, _with_mass(mass, "inertia", inertia))

    @classmethod
    def pseudo_rigid(cls, mass: float, euler: ArrayLike) -> Inertia:
        """Make the inertia of a pseudo-rigid body.

        Parameters
        ----------
        mass : float
            The mass, positive.
        euler : float, (3,) or (3, 3) array_like
            The Euler tensor about the mass center: a number for all axes, a diagonal, or a matrix.

        Returns
        -------
        Inertia
            The inertia, with twelve velocities.

        Raises
        ------
        Error
            If a shape is wrong.
        """
        return cls("pseudo_rigid", 12, _with_mass(mass, "euler", euler))

    def __repr__(self) -> str:
        return f"<ldy.Inertia: {self.kind}, {self.size} velocities>"


def raw(inertia: Inertia) -> Any:
    """An inertia for the native module."""
    if not isinstance(inertia, Inertia):
        raise TypeError(f"inertia: {type(inertia).__name__} where an Inertia is needed, for instance Inertia.dense(inverse)")
    return _KINDS.index(inertia.kind), inertia.size, inertia._values, inertia._indices, inertia._function


def check_callback(n: int, function: object) -> int:
    """Check the arguments of an inverse callback; return n."""
    n = operator.index(n)
    if n <= 0:
        raise Error(f"n: {n} where a positive number of velocities is needed")
    if not callable(function):
        raise TypeError(f"function: {type(function).__name__} where a function is needed")
    return n


def _with_mass(mass: float, name: str, tensor: ArrayLike) -> Floats:
    return np.concatenate([of_one("mass", mass), tensors(name, tensor, 1, True).ravel()])
