"""The solution of rows as a function with derivatives: the part that PyTorch and JAX share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import laws as _laws
from .arrays import Floats
from .differentiable import Arrays, Caller, Function, Notes, Options, law_gradients, law_shapes
from .errors import Error
from .gradients import derivatives
from .solver import solve


class SolverResult(NamedTuple):
    """The results of ``Solver`` of :mod:`ldy.torch` and :mod:`ldy.jax`.

    Attributes
    ----------
    R, U : (..., n) array
        The forces and the velocities of the constraints.
    """

    R: Any
    U: Any


class SolverFunction(Function):
    """The solution of rows with any W."""

    def __init__(self, laws: _laws.Laws, row_counts: ArrayLike | None, options: Options) -> None:
        super().__init__(options)
        self._laws = laws
        self._row_counts = np.full(len(laws), 3) if row_counts is None else np.array(row_counts, dtype=np.int64)
        if self._row_counts.shape != (len(laws),):
            raise Error(f"row_counts: shape {self._row_counts.shape} where ({len(laws)},) is needed")
        # Laws are checked now, not when the function is called.
        _laws.raw(laws, self._row_counts)
        n = int(self._row_counts.sum())
        self.shapes = {"W": (n, n), "B": (n,), **law_shapes(len(laws), max(self._row_counts, default=1))}
        self.needed, self.sizes = ("W", "B"), {"R": n, "U": n}

    def _own(self, data: Arrays, k: int) -> tuple[Floats, Floats, _laws.Laws]:
        numbers = {name: values[k] for name, values in data.items() if name not in ("W", "B")}
        return data["W"][k], data["B"][k], _laws.with_numbers(self._laws, self._row_counts, numbers)

    def _solve(self, data: Arrays, count: int) -> Any:
        R, statuses, residuals = np.zeros((count, self.sizes["R"])), [], np.zeros(count)
        U = np.zeros_like(R)
        for k in range(count):
            W, B, laws = self._own(data, k)
            R[k], report = solve(W, B, laws, row_counts=self._row_counts, **self._options._asdict())
            U[k] = B + W @ R[k]
            statuses.append(report.status)
            residuals[k] = report.residual
        return R, U, statuses, residuals

    def _pull(self, data: Arrays, R: Floats, by: Arrays, notes: Notes) -> Arrays:
        found = {name: np.zeros_like(values) for name, values in data.items()}
        for k in range(len(R)):
            own = derivatives(*self._own(data, k), R[k], row_counts=self._row_counts, tolerance=self.derivative_tolerance)
            gradient = own.adjoint(by["R"][k], by["U"][k])
            notes.add(k, own, gradient.outside)
            found["B"][k], found["W"][k] = gradient.B, np.outer(gradient.B, R[k])
            for name, values in law_gradients(gradient, self._laws, data).items():
                found[name][k] = values
        return found


class SolverCaller(Caller):
    """The part of ``Solver`` that does not depend on who differentiates."""

    def __init__(
        self,
        laws: _laws.Laws,
        *,
        row_counts: ArrayLike | None = None,
        tolerance: float = 1e-8,
        max_sweeps: int = 100_000,
        canonical: bool = False,
    ) -> None:
        self._function = SolverFunction(laws, row_counts, Options(tolerance, max_sweeps, canonical))

    def __call__(self, W: Any, B: Any, **numbers: Any) -> SolverResult:
        """Find forces that obey the laws.

        Parameters
        ----------
        W : (..., n, n) array
            The matrix, which need not be symmetric.
        B : (..., n) array
            Velocities without reactions.
        **numbers : array or float
            Numbers of the laws, by the names in ``shapes``, with any leading dimensions. Shapes broadcast.

        Returns
        -------
        SolverResult
            The forces R and the velocities U.

        Raises
        ------
        Error
            If there is no such name, or a shape or a value is wrong.
        """
        return SolverResult(*self._call({"W": W, "B": B, **numbers}))
