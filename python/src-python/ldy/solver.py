"""Contact solvers: their options, statuses and reports."""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from . import laws as _laws
from .arrays import Floats, Ints, flat, numbers
from .errors import Error

Progress = Callable[[float, int, int], object]
#: Tolerance, measure, method, sweeps, seconds, work and whether forces are canonical.
Choices = tuple[float, str, str, int, float | None, int | None, bool]


class Status(str, enum.Enum):
    """How a solution ended. A status equals its text: ``report.status == "converged"``."""

    CONVERGED = "converged"
    #: A limit was reached.
    SWEEP_LIMIT = "sweep_limit"
    TIME_LIMIT = "time_limit"
    WORK_LIMIT = "work_limit"
    #: The residual no longer decreases, because of rounding or because there is no solution.
    STALLED = "stalled"
    #: The problem has no solution; this is proved. ``report.conflict`` names the constraints that contradict each other.
    INFEASIBLE = "infeasible"
    #: ``progress`` has ended it.
    STOPPED = "stopped"

    __str__ = str.__str__

    def __format__(self, format_spec: str) -> str:
        return format(self.value, format_spec)


@dataclass(frozen=True, eq=False)
class Conflict:
    """Constraints that contradict each other, the proof that a problem has no solution.

    With the multipliers d of a group, laws demand ``sum(d * (U + bias)) >= 0``: contacts have d >= 0, and limits have the sign that their
    law gives to U + bias. But the sum is negative for all forces that laws allow, except forces 1e8 times as large as B asks for. The
    proof need not have the least number of constraints. ``str(conflict)`` names constraints and the bodies that they move.

    Attributes
    ----------
    constraints : (k,) ndarray of int
        The constraint of each multiplier; its row if the problem was given as W and B.
    components : (k,) ndarray of int
        The scalar row of the constraint.
    demands : (k,) ndarray of str
        The demand of the law on this component of U + bias. "contact": it is not negative. "joint": it is zero. "limit": it has one sign.
    groups : (k,) ndarray of int
        The number of the group, from 0. Each group is a contradiction of its own: no block of W connects it with others.
    values : (k,) ndarray
        The multipliers d, nonzero. The largest ``abs(d)`` of a group is 1.

    See Also
    --------
    Report : Its attribute ``conflict``.

    Examples
    --------
    A ball between the floor and a ceiling that comes down with the velocity 0.5:

    >>> import numpy as np
    >>> import ldy
    >>> system = ldy.System()
    >>> ball = system.add_rigid(2.0, 0.1)
    >>> floor = system.add_point_constraints(ball, ldy.GROUND, np.eye(3), [0, 0, -1])
    >>> ceiling = system.add_point_constraints(ldy.GROUND, ball, np.eye(3), [0, 0, 1])
    >>> system.set_laws(floor, ldy.laws.contact(friction=0.5))
    >>> system.set_laws(ceiling, ldy.laws.contact(friction=0.5, bias=[0, 0, -0.5]))
    >>> system.update(1.0)
    >>> R, report = system.solve()
    >>> print(report.status, report.conflict.constraints, report.conflict.values.round(6))
    infeasible [0 1] [1. 1.]
    >>> print(report.conflict)
    contacts 0 and 1 contradict each other: no allowed forces give body 0 a velocity that satisfies them
    """

    constraints: Ints
    components: Ints
    demands: NDArray[np.str_]
    groups: Ints
    values: Floats
    text: str = field(repr=False)

    def __len__(self) -> int:
        """The number of multipliers."""
        return len(self.values)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<ldy.Conflict: {self.text or 'none'}>"


@dataclass(frozen=True, eq=False)
class Report:
    """The result of a contact solver.

    Attributes
    ----------
    status : Status
        How the solution ended.
    residual : float
        The residual of the returned forces, by the chosen measure.
    natural_residual, scaled_residual : float
        The residual by each measure.
    initial_residual : float
        The residual of the initial guess, by the chosen measure.
    seconds : float
        The time of the solution.
    worst : int
        The row that contributes most to the residual.
    sweeps, steps : int
        Numbers of Gauss-Seidel sweeps and of Newton's steps, on the island with the most.
    work : int
        Counted from sizes and patterns, the same in each run. A unit is about a nanosecond of a processor of 2025.
    history : (k,) ndarray
        Residuals of the largest island in the order of their computation, the first thousand, and at most 64 for each row.
    conflict : Conflict
        The constraints that contradict each other if the status is "infeasible"; empty otherwise.
    """

    status: Status
    residual: float
    natural_residual: float
    scaled_residual: float
    initial_residual: float
    seconds: float
    worst: int
    sweeps: int
    steps: int
    work: int
    history: Floats
    conflict: Conflict

    @property
    def converged(self) -> bool:
        """Whether the residual is within the tolerance."""
        return self.status is Status.CONVERGED

    def __repr__(self) -> str:
        return f"<ldy.Report: {self.status}, residual {self.residual:.1e}, {self.sweeps} sweeps, {self.steps} steps>"


def conflict_of(numbers: tuple[Ints, Ints, Ints], values: Floats, demands: list[str], text: str) -> Conflict:
    """The conflict of the native module."""
    constraints, components, groups = numbers
    return Conflict(constraints, components, np.array(demands, dtype=np.str_), groups, values, text)


#: Of all reports of problems that have a solution. Its arrays are empty, so nobody can change them.
NO_CONFLICT = conflict_of((np.empty(0, np.int64),) * 3, np.empty(0), [], "")


def report_of(raw: Any) -> Report:
    """The report of the native module."""
    status, (residual, natural, scaled, initial, seconds), (worst, sweeps, steps, work), history, raw_conflict = raw
    conflict = NO_CONFLICT if raw_conflict is None else conflict_of(*raw_conflict)
    return Report(Status(status), residual, natural, scaled, initial, seconds, worst, sweeps, steps, work, history, conflict)


class RealTimeOptions(TypedDict):
    """Options of :func:`real_time`."""

    tolerance: float
    method: str
    max_sweeps: int


def real_time() -> RealTimeOptions:
    """Return options for steps in real time.

    The work of a step is bounded, and the same in each run. Use the forces of the last step as the initial guess. The solver returns the
    best forces it has found; ``report.status`` is often "sweep_limit".

    Returns
    -------
    dict
        Keywords for :meth:`System.solve` and :func:`solve`.

    Examples
    --------
    >>> import ldy
    >>> ldy.real_time()
    {'tolerance': 0.001, 'method': 'gauss_seidel', 'max_sweeps': 100}
    """
    tolerance, method, sweeps = _core.real_time()
    return {"tolerance": tolerance, "method": method, "max_sweeps": sweeps}


def choices(
    tolerance: float,
    measure: str,
    method: str,
    max_sweeps: int,
    time_limit: float | None,
    max_work: int | None,
    canonical: bool,
    progress: Progress | None,
) -> Choices:
    """Options for the native module, which checks their values but for those that its types exclude."""
    for name, limit in (("max_sweeps", max_sweeps), ("max_work", max_work)):
        if limit is not None and not 0 <= operator.index(limit) < 2**64:
            raise Error(f"{name}: {limit} where a number that is not negative is needed")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress: {type(progress).__name__} where a function is needed")
    return tolerance, measure, method, max_sweeps, time_limit, max_work, bool(canonical)


def start(R: ArrayLike | None, scalars: int) -> Floats:
    """The initial guess, a copy."""
    if R is None:
        return np.zeros(scalars)
    forces = np.array(numbers("R", R)).ravel()
    if forces.size != scalars:
        raise Error(f"R: {forces.size} values where {scalars} are needed, one for each scalar row")
    return forces


def solve(
    W: Any,
    B: ArrayLike,
    laws: _laws.Laws | _laws.Law | ArrayLike,
    R: ArrayLike | None = None,
    *,
    row_counts: ArrayLike | None = None,
    Z: Any = None,
    normal_first: bool = False,
    tolerance: float = 1e-8,
    measure: str = "both",
    method: str = "automatic",
    max_sweeps: int = 100_000,
    time_limit: float | None = None,
    max_work: int | None = None,
    canonical: bool = False,
    progress: Progress | None = None,
) -> tuple[Floats, Report]:
    """Find forces that obey laws for any W.

    Parameters
    ----------
    W : (n, n) array_like or sparse matrix of SciPy
        The matrix, which need not be symmetric.
    B : (n,) array_like
        Velocities without reactions.
    laws : Laws, Law or array_like
        A law for each row, a law for all, or coefficients of friction.
    R : (n,) array_like, optional
        The initial guess; zeros by default.
    row_counts : (rows,) array_like of int, optional
        The number of scalar rows of each row, one to six; three by default.
    Z : bsr_array of SciPy, optional
        Z with W = Z Z^T, as :class:`Problem` has it. Some steps are quicker then.
    normal_first : bool, optional
        Whether the first component of each contact is the normal one, as in FCLIB, not the last.
    tolerance, measure, method, max_sweeps, time_limit, max_work, canonical, progress : optional
        Options; see :meth:`System.solve`.

    Returns
    -------
    R : (n,) ndarray
        The forces, which obey their laws.
    report : Report
        How the solution ended.

    Raises
    ------
    Error
        If shapes, values or laws are not valid.

    See Also
    --------
    System.solve : The same for the W and B of a system.

    Examples
    --------
    A contact pushed into the ground with the velocity 1 and dragged along with 0.2:

    >>> import numpy as np
    >>> import ldy
    >>> R, report = ldy.solve(np.eye(3), [0.2, 0, -1], 0.5)
    >>> print(R.round(6) + 0, report.status)
    [-0.2  0.   1. ] converged
    """
    matrix, B, rows = matrix_of_rows(W, B, row_counts)
    forces = start(R, len(B))
    options = choices(tolerance, measure, method, max_sweeps, time_limit, max_work, canonical, progress)
    factor = None if Z is None else (Z.indptr.astype(np.int32), Z.indices.astype(np.int32), flat("Z", Z.data))
    report = _core.solve_rows((*matrix, B), factor, normal_first, _laws.raw(laws, rows), options, progress, forces)
    return forces, report_of(report)


def matrix_of_rows(W: Any, B: ArrayLike, row_counts: ArrayLike | None) -> tuple[tuple[Any, Any, Any, Any], Floats, Ints]:
    """W for the native module, B, and the number of scalar rows of each row."""
    B = flat("B", B)
    rows = np.full(len(B) // 3, 3) if row_counts is None else np.asarray(row_counts, dtype=np.int64)
    if np.shape(W) != (len(B), len(B)) or rows.ndim != 1 or rows.sum() != len(B):
        raise Error(f"W: shape {np.shape(W)}, with {len(B)} values of B and {rows.sum()} scalar rows")
    return (_threes(W) if row_counts is None else _blocks(W, rows)), B, rows


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


def _blocks(W: Any, row_counts: Ints) -> tuple[Any, Any, Any, Any]:
    """The same for rows with any numbers of scalar rows, with the starts of rows in vectors and of blocks in the values."""
    from scipy.sparse import coo_array

    W = coo_array(W)
    scalars, count = _sums(row_counts), len(row_counts)
    owner = np.repeat(np.arange(count), row_counts)
    row, column = owner[W.row], owner[W.col]
    # Diagonal blocks must be present, even if they are zero.
    blocks, which = np.unique(np.concatenate([row * count + column, np.arange(count) * (count + 1)]), return_inverse=True)
    places = _sums(row_counts[blocks // count] * row_counts[blocks % count])
    values = np.zeros(places[-1])
    at = places[which.ravel()[: len(row)]] + row_counts[row] * (W.col - scalars[column]) + W.row - scalars[row]
    np.add.at(values, at, W.data)
    starts = np.searchsorted(blocks, np.arange(count + 1) * count).astype(np.int32)
    return starts, (blocks % count).astype(np.int32), values, (scalars.astype(np.int32), places.astype(np.uintp))


def _sums(counts: Ints) -> Ints:
    """The start of each, and the end."""
    return np.concatenate([[0], np.cumsum(counts)])
