"""Sparse Cholesky factors of W."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .arrays import Floats, numbers
from .errors import Error


class Factor:
    """The sparse Cholesky factor of W + diag(mu). :meth:`System.factorize` makes one.

    It does not change when the system does. It cannot be copied or pickled.

    Examples
    --------
    >>> import ldy
    >>> system = ldy.System()
    >>> body = system.add_body(ldy.Inertia.diagonal([2.0, 1.0]))
    >>> constraint = system.add_dof_constraint(body, 0)
    >>> system.update(1.0)
    >>> factor = system.factorize()
    >>> factor
    <ldy.Factor: 1 scalar rows>
    >>> factor.solve([4.0])
    array([2.])
    """

    def __init__(self) -> None:
        self._core = _core.Factor()

    @property
    def size(self) -> int:
        """The number n of scalar rows."""
        return self._core.size()

    def solve(self, b: ArrayLike) -> Floats:
        """Return (W + diag(mu))^-1 b.

        Parameters
        ----------
        b : (n,) or (n, k) array_like
            A vector, or vectors in columns.

        Returns
        -------
        (n,) or (n, k) ndarray
            The solution, in the shape of b.

        Raises
        ------
        Error
            If b has another shape, or nothing has been factored.
        """
        b, size = numbers("b", b), self._core.size()
        if b.ndim not in (1, 2) or b.shape[0] != size:
            raise Error(f"b: shape {b.shape} where ({size},) or ({size}, k) is needed")
        # Columns one after the other.
        columns = np.array(b.T, order="C")
        values = columns.reshape(-1)
        self._core.solve(values)
        return values.reshape(columns.shape).T

    @property
    def log_determinant(self) -> float:
        """The natural logarithm of the determinant of W + diag(mu)."""
        return self._core.log_determinant()

    def __repr__(self) -> str:
        try:
            return f"<ldy.Factor: {self.size} scalar rows>"
        except Error:
            return "<ldy.Factor: empty>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Factor cannot be copied or pickled: factorize again")
