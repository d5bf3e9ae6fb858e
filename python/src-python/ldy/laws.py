"""Laws of constraints, and contact solvers for any block-sparse W."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

_CONTACT, _BOUNDS, _NONE = 0, 1, 2

Progress = Callable[[float, int, int], object]


class Laws:
    """The laws of a number of rows. At first all are contacts without friction, which needs rows of three scalars. In each law, U is
    replaced by U + bias. A bound or bias is one number for all scalars of a row, or one number for each scalar; for several rows it is
    an array of shape (rows, 1) or (rows, scalars).

    Methods set the laws of some rows: numbers, a slice, a mask, or ``...`` for all. They return the laws, so that calls can follow
    each other:

        laws = ldy.Laws(len(system.rows)).contact(..., friction=0.5).fixed([0, 1])
    """

    def __init__(self, rows: int) -> None:
        self._kinds = np.full(rows, _CONTACT, dtype=np.uint8)
        self._friction, self._friction_2, self._cohesion = np.zeros(rows), np.zeros(rows), np.zeros(rows)
        self._lower, self._upper, self._bias = np.zeros((rows, 6)), np.zeros((rows, 6)), np.zeros((rows, 6))
        # How many numbers each was given by.
        self._given = np.ones((rows, 3), dtype=np.int64)

    def __len__(self) -> int:
        return len(self._kinds)

    def contact(
        self,
        rows: Any,
        friction: ArrayLike = 0.0,
        cohesion: ArrayLike = 0.0,
        bias: ArrayLike = 0.0,
        *,
        friction_2: ArrayLike | None = None,
    ) -> Laws:
        """Contact with friction: 0 <= R_N + cohesion, 0 <= U_N, one of them zero; R_T opposes U_T, |R_T| <= friction (R_N + cohesion).

        The third component is the normal one. bias: (0, 0, e V_N) for restitution, (0, 0, gap / h) for a contact that is still open.
        friction_2: the coefficient along the second tangent, if it differs from the first. Then |(R_1 / friction, R_2 / friction_2)| <=
        R_N + cohesion, and R_T is the admissible force that dissipates most.
        """
        self._kinds[rows], self._bias[rows] = _CONTACT, _six(bias)
        self._given[rows] = 1, 1, _given(bias)
        self._friction[rows], self._cohesion[rows] = friction, cohesion
        self._friction_2[rows] = friction if friction_2 is None else friction_2
        return self

    def fixed(self, rows: Any, bias: ArrayLike = 0.0) -> Laws:
        """U = 0; bias: -v for a prescribed velocity v."""
        return self.bounds(rows, -np.inf, np.inf, bias)

    def bounds(self, rows: Any, lower: ArrayLike, upper: ArrayLike, bias: ArrayLike = 0.0) -> Laws:
        """lower <= R <= upper for each component. U is zero if R is between the bounds, >= 0 at the lower bound, <= 0 at the upper bound.

        Bounds of zero leave a component free, infinite ones fix it: (0, 0, -inf) and (0, 0, inf) are a link along the normal.
        """
        self._kinds[rows], self._bias[rows] = _BOUNDS, _six(bias)
        self._lower[rows], self._upper[rows] = _six(lower), _six(upper)
        self._given[rows] = _given(lower), _given(upper), _given(bias)
        return self

    def none(self, rows: Any) -> Laws:
        """No law: :meth:`System.set_laws` removes the law of such a constraint."""
        self._kinds[rows], self._given[rows] = _NONE, 1
        return self

    @property
    def kind(self) -> NDArray[np.str_]:
        """The kind of each law: "contact", "bounds" (also of fixed ones) or "none"."""
        kinds: NDArray[np.str_] = np.array(["contact", "bounds", "none"])[self._kinds]
        return kinds

    @property
    def friction(self) -> NDArray[np.float64]:
        """Friction of contacts along the first and the second tangent, (rows, 2); 0 for other laws."""
        both: NDArray[np.float64] = np.stack([self._friction, self._friction_2], axis=1) * (self._kinds == _CONTACT)[:, None]
        return both

    @property
    def cohesion(self) -> NDArray[np.float64]:
        """The largest pull of contacts; 0 for other laws."""
        cohesion: NDArray[np.float64] = self._cohesion * (self._kinds == _CONTACT)
        return cohesion

    @property
    def lower(self) -> NDArray[np.float64]:
        """Lower bounds, (rows, 6); only the scalars that a row has count."""
        return self._lower.copy()

    @property
    def upper(self) -> NDArray[np.float64]:
        """Upper bounds, (rows, 6); only the scalars that a row has count."""
        return self._upper.copy()

    @property
    def bias(self) -> NDArray[np.float64]:
        """Biases, (rows, 6); only the scalars that a row has count."""
        return self._bias.copy()

    @classmethod
    def of(cls, raw: Any) -> Laws:
        """Make laws from the values of the native module."""
        kinds, numbers, sixes = raw
        laws = cls(len(kinds))
        laws._kinds, (laws._friction, laws._friction_2, laws._cohesion) = kinds, numbers
        laws._lower, laws._upper, laws._bias = (values.reshape(-1, 6) for values in sixes)
        return laws


def _given(values: ArrayLike) -> int:
    """The number of values that are given for a row."""
    return int((1, *np.shape(values))[-1])


def _six(values: ArrayLike) -> NDArray[np.float64]:
    """Values of the scalar rows of a row, filled up to six. One value is for all scalar rows."""
    values = np.asarray(values, dtype=np.float64)
    if values.ndim == 0 or values.shape[-1] == 1 or values.shape[-1] > 6:
        return values
    return np.concatenate([values, np.zeros((*values.shape[:-1], 6 - values.shape[-1]))], axis=-1)


@dataclass(frozen=True)
class Report:
    """The result of a contact solver.

    end: "converged"; "sweeps", "time" or "work" (a limit was reached); "stalled" (the residual no longer decreases, because of rounding
    or because there is no solution); "infeasible" (the problem is proved infeasible); or "stopped" (by ``progress``).
    residual: of the returned forces, by the chosen measure. natural, scaled: by each measure. first: of the initial guess.
    worst: the row that contributes most to the residual.
    sweeps, steps: numbers of Gauss-Seidel sweeps and of steps of Newton's method, on the island with the most.
    work: counted from sizes and patterns, the same in each run; a unit is about a nanosecond of a processor of 2025.
    history: residuals of the largest island in the order of their computation, the first thousand, and at most 64 for each row.
    """

    end: str
    residual: float
    natural: float
    scaled: float
    first: float
    seconds: float
    worst: int
    sweeps: int
    steps: int
    work: int
    history: NDArray[np.float64]

    @property
    def converged(self) -> bool:
        """Whether the residual is within the tolerance."""
        return self.end == "converged"

    @classmethod
    def of(cls, raw: Any) -> Report:
        """Make a report from the tuple of the native module."""
        end, (residual, natural, scaled, first, seconds), (worst, sweeps, steps, work), history = raw
        return cls(end, residual, natural, scaled, first, seconds, worst, sweeps, steps, work, history)


def laws_of(laws: Laws | ArrayLike, heights: NDArray[np.int64]) -> Any:
    """Convert laws of rows with these heights for the native module. Friction alone means contacts."""
    rows = len(heights)
    if not isinstance(laws, Laws):
        laws = Laws(rows).contact(..., friction=laws)
    if len(laws) != rows:
        raise ValueError(f"{len(laws)} laws for {rows} rows")
    wrong = np.argwhere((laws._given > 1) & (laws._given != heights[:, None]))
    if len(wrong):
        row, what = wrong[0]
        name, given = ("lower", "upper", "bias")[what], laws._given[row, what]
        why = f"{given} numbers for the scalars of a row that has {heights[row]}; of several rows the shape is (rows, scalars)"
        raise ValueError(f"row {row}: {name}: {why}")
    return laws._kinds, laws._friction, laws._friction_2, laws._cohesion, laws._lower, laws._upper, laws._bias


def real_time() -> dict[str, Any]:
    """Return options for steps in real time: at most 100 sweeps of Gauss-Seidel, tolerance 1e-3, for ``system.solve(laws, R,
    **real_time())``.

    So the work of a step is bounded, and the same in each run. Use the forces of the last step as the initial guess. The solver returns
    the best forces it has found, and ``report.end`` is often "sweeps".
    """
    tolerance, method, sweeps = _core.real_time()
    return {"tolerance": tolerance, "method": method, "sweeps": sweeps}


def start(R: ArrayLike | None, scalars: int) -> NDArray[np.float64]:
    """The initial guess, a copy."""
    if R is None:
        return np.zeros(scalars)
    forces = np.array(R, dtype=np.float64).ravel()
    if forces.size != scalars:
        raise ValueError(f"R: {forces.size} values where {scalars} are needed")
    return forces


def solve(
    W: Any,
    B: ArrayLike,
    laws: Laws | ArrayLike,
    R: ArrayLike | None = None,
    *,
    heights: ArrayLike | None = None,
    normal_first: bool = False,
    tolerance: float = 1e-8,
    measure: str = "both",
    method: str = "automatic",
    sweeps: int = 100_000,
    seconds: float | None = None,
    work: int | None = None,
    progress: Progress | None = None,
) -> tuple[NDArray[np.float64], Report]:
    """Find forces for any W, sparse (SciPy) or an array, which need not be symmetric; see :meth:`System.solve`.

    heights: number of scalar rows of each row, one to six; three by default. normal_first: the first component of each contact is the
    normal one, as in FCLIB, not the third.
    """
    B = np.ascontiguousarray(B, dtype=np.float64).ravel()
    rows = np.full(len(B) // 3, 3) if heights is None else np.asarray(heights, dtype=np.int64)
    if np.shape(W) != (len(B), len(B)) or rows.sum() != len(B) or rows.ndim != 1:
        raise ValueError(f"W: shape {np.shape(W)}, with {len(B)} values of B and {rows.sum()} scalars of rows")
    matrix = _threes(W) if heights is None else _blocks(W, rows)
    forces = start(R, len(B))
    options = (tolerance, measure, method, sweeps, seconds, work)
    report = _core.solve_rows(*matrix, B, normal_first, laws_of(laws, rows), options, progress, forces)
    return forces.reshape(-1, 3) if heights is None else forces, Report.of(report)


def _threes(W: Any) -> tuple[Any, Any, Any, Any]:
    """Starts, columns and values of blocks 3 x 3, column by column."""
    from scipy.sparse import bsr_array

    W = bsr_array(W, blocksize=(3, 3))
    if not W.diagonal().all():
        # A diagonal block may be missing.
        return *_blocks(W, np.full(W.shape[0] // 3, 3))[:3], None
    if not W.has_canonical_format:
        # The arrays may be those of the caller.
        W = W.copy()
        W.sum_duplicates()
    values = np.ascontiguousarray(W.data.transpose(0, 2, 1), dtype=np.float64).ravel()
    return W.indptr.astype(np.int32), W.indices.astype(np.int32), values, None


def _blocks(W: Any, heights: NDArray[np.int64]) -> tuple[Any, Any, Any, Any]:
    """The same of rows of any heights, and where scalars of rows and values of blocks begin."""
    from scipy.sparse import coo_array

    W = coo_array(W)
    scalars, count = _sums(heights), len(heights)
    owner = np.repeat(np.arange(count), heights)
    row, column = owner[W.row], owner[W.col]
    # Diagonal blocks must be present, even if they are zero.
    blocks, which = np.unique(np.concatenate([row * count + column, np.arange(count) * (count + 1)]), return_inverse=True)
    places = _sums(heights[blocks // count] * heights[blocks % count])
    values = np.zeros(places[-1])
    at = places[which.ravel()[: len(row)]] + heights[row] * (W.col - scalars[column]) + W.row - scalars[row]
    np.add.at(values, at, W.data)
    starts = np.searchsorted(blocks, np.arange(count + 1) * count).astype(np.int32)
    return starts, (blocks % count).astype(np.int32), values, (scalars.astype(np.int32), places.astype(np.uintp))


def _sums(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each begins, and the end."""
    return np.concatenate([[0], np.cumsum(counts)])
