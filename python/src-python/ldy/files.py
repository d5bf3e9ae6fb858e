"""Contact problems in files: W, B, laws and the initial guess of the forces. docs/reference/file-format.md has the format."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import laws as _laws
from .arrays import flat
from .errors import Error
from .laws import Laws
from .solver import Report, solve
from .system import System

VERSION = 1

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
#: The numbers of laws.
_CONTACT, _FIXED, _BOUNDS, _EXPANSION = range(4)
# The numbers of laws here for those in files.
_KINDS = np.array([0, 1, 1, 3], dtype=np.uint8)


@dataclass
class Problem:
    """A contact problem: find R and U = B + W R that obey the law of each row.

    Parameters
    ----------
    W : sparse array of SciPy
        The matrix: ``bsr_array`` if all rows have the same number of scalar rows, else ``csr_array``.
    B : (n,) ndarray
        Velocities without reactions.
    laws : Laws
        The law of each row.
    R : (n,) ndarray or None
        The initial guess, if the file has one.
    row_counts : (rows,) ndarray of int
        The number of scalar rows of each row.
    normal_first : bool
        Whether the first component of each contact is the normal one, not the last.
    Z : sparse array of SciPy or None
        Z with W = Z Z^T, if the file has it: ``bsr_array`` with blocks of 3 x 6. A row of more than three scalar rows is two block rows;
        scalar rows that it does not have are zero.
    """

    W: Any
    B: _Floats
    laws: Laws
    R: _Floats | None
    row_counts: _Ints
    normal_first: bool = False
    Z: Any = None

    def __len__(self) -> int:
        return len(self.row_counts)

    def __repr__(self) -> str:
        return f"<ldy.Problem: {len(self)} rows, {len(self.B)} scalar rows>"

    def solve(self, **options: Any) -> tuple[_Floats, Report]:
        """Solve the problem from the initial guess.

        Parameters
        ----------
        **options
            Options of :func:`solve`.

        Returns
        -------
        R : (n,) ndarray
            The forces.
        report : Report
            How the solution ended.

        Raises
        ------
        Error
            If the laws or options are not valid.
        """
        return solve(self.W, self.B, self.laws, self.R, row_counts=self.row_counts, Z=self.Z, normal_first=self.normal_first, **options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the problem to a file, which replaces an old one when it is complete.

        Parameters
        ----------
        path : path_like
            The file.

        Raises
        ------
        Error
            If numbers of values differ, or a row has no law.
        """
        if "none" in self.laws.kind:
            raise Error(f"row {list(self.laws.kind).index('none')} has no law")
        count = int(self.row_counts.sum())
        forces = np.zeros(count) if self.R is None else np.asarray(self.R, dtype=np.float64)
        for name, given, wanted in (("laws", len(self.laws), len(self)), ("B", len(self.B), count), ("R", len(forces), count)):
            if given != wanted:
                raise Error(f"{name}: {given} values where {wanted} are needed")
        arrays: dict[str, Any] = {
            "version": np.int32(VERSION),
            "normal_first": np.int32(self.normal_first),
            "heights": self.row_counts.astype(np.int32),
            **_blocks_of(self.W, self.row_counts),
            "q": self.B,
            **_arrays_of(self.laws, self.row_counts),
        }
        if self.R is not None:
            arrays["r0"] = forces
        if self.Z is not None:
            arrays |= {"Z_indptr": self.Z.indptr, "Z_indices": self.Z.indices, "Z_data": self.Z.data}
        with _replaced(path) as part, open(part, "wb") as file:
            np.savez(file, **arrays)


def save_problem(
    system: System, laws: Laws | _laws.Law | ArrayLike | None, path: str | os.PathLike[str], R: ArrayLike | None = None
) -> None:
    """Write the contact problem of the last update of a system to a file.

    Parameters
    ----------
    system : System
        The system.
    laws : Laws, Law, array_like or None
        A law for each row, a law for all, or coefficients of friction. None: the laws that are kept with the constraints.
    path : path_like
        The file; it is replaced when the new one is complete.
    R : (n,) array_like, optional
        The initial guess.

    Raises
    ------
    Error
        If numbers of values differ, or a row has no law.

    See Also
    --------
    load_problem : Read such a file.
    """
    forces = None if R is None else flat("R", R)
    row_counts = system.results().row_counts.astype(np.int64)
    with _replaced(path) as part:
        system._core.write_problem(part, None if laws is None else _laws.raw(laws, row_counts), forces)


@contextmanager
def _replaced(path: str | os.PathLike[str]) -> Iterator[str]:
    """The name of a file beside another one, which it replaces in the end."""
    target = Path(path)
    part = target.with_name(f".{target.name}-{os.getpid()}")
    try:
        yield str(part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def load_problem(path: str | os.PathLike[str]) -> Problem:
    """Read a contact problem from a file of any version: W, bodies with operators, or factors of W.

    Parameters
    ----------
    path : path_like
        The file.

    Returns
    -------
    Problem
        The problem; :meth:`Problem.solve` solves it.

    Raises
    ------
    Error
        If the file is damaged, its arrays do not fit together, or its version is not known. The message names the array.

    See Also
    --------
    save_problem : Write the problem of a system.
    """
    try:
        with np.load(path) as archive:
            arrays = _Arrays({name: archive[name] for name in archive.files})
        if "version" in arrays:
            return _with_matrix(arrays)
        if "vf" in arrays:
            return _with_bodies(arrays)
        return _with_factors(arrays) if "M_data" in arrays else _with_contacts(arrays)
    except (zipfile.BadZipFile, EOFError, KeyError, TypeError, ValueError) as error:
        why = f"there is no {error.args[0]}" if isinstance(error, KeyError) else error
        raise Error(f"{os.fspath(path)}: {why}") from None


class _Arrays(dict[str, NDArray[Any]]):
    """The arrays of a file by name."""

    def numbers(self, name: str, count: int) -> _Floats:
        values = self[name].astype(np.float64).ravel()
        _fits(values.size == count, name)
        return values

    def spread(self, name: str, count: int) -> _Floats:
        """One number for all, or one each."""
        return np.repeat(self.numbers(name, 1), count) if self[name].size == 1 else self.numbers(name, count)

    def integers(self, name: str, least: int, most: int) -> _Ints:
        values = self[name].ravel()
        _fits(values.dtype.kind in "iu" and bool(np.all((least <= values) & (values <= most))), name)
        return values.astype(np.int64)

    def matrix(self, name: str, kind: Any, shape: tuple[int, int] | None = None) -> Any:
        """A matrix in compressed rows or columns; without a shape the file has it."""
        if shape is None:
            rows, columns = self.integers(f"{name}_shape", 0, 1 << 31)
            shape = int(rows), int(columns)
        data, indices = self[f"{name}_data"].astype(np.float64), self.integers(f"{name}_indices", 0, max(shape) - 1)
        lines = shape[0] if kind.__name__.startswith("csr") else shape[1]
        starts = self.integers(f"{name}_indptr", 0, len(data))
        _are_starts(starts, lines, len(data), f"{name}_indptr")
        _fits(len(indices) == len(data), f"{name}_indices")
        return kind((data, indices, starts), shape=shape)


def _fits(holds: bool, name: str) -> None:
    if not holds:
        raise Error(f"{name} does not fit the rest of the file")


def _are_starts(starts: _Ints, count: int, end: int, name: str) -> None:
    _fits(len(starts) == count + 1 and starts[0] == 0 and starts[-1] == end and bool((np.diff(starts) >= 0).all()), name)


def _sums(counts: _Ints) -> _Ints:
    return np.concatenate([[0], np.cumsum(counts)])


def _places(heights: _Ints, row: _Ints, column: _Ints) -> tuple[_Ints, _Ints]:
    """The scalar rows and columns of all values of blocks, each row by row."""
    m, n = heights[row], heights[column]
    first = _sums(m * n)
    block = np.repeat(np.arange(len(row)), m * n)
    i, j = np.divmod(np.arange(first[-1]) - first[block], n[block])
    scalars = _sums(heights)
    return scalars[row[block]] + i, scalars[column[block]] + j


def _with_matrix(arrays: _Arrays) -> Problem:
    version = int(arrays.numbers("version", 1)[0])
    if version != VERSION:
        raise Error(f"version {version}: this package reads version {VERSION}")
    heights = arrays.integers("heights", 1, 6)
    first = bool(arrays.numbers("normal_first", 1)[0])
    B = arrays.numbers("q", int(heights.sum()))
    R = arrays.numbers("r0", len(B)) if "r0" in arrays else None
    return Problem(_matrix(arrays, heights), B, _laws_of(arrays, heights), R, heights, first, _factor(arrays, heights))


def _factor(arrays: _Arrays, heights: _Ints) -> Any:
    """Z, if it is there."""
    from scipy.sparse import bsr_array

    if "Z_indptr" not in arrays:
        return None
    nodes = arrays["Z_indices"].size
    column, starts = arrays.integers("Z_indices", 0, nodes - 1), arrays.integers("Z_indptr", 0, nodes)
    _are_starts(starts, int(np.sum((heights + 2) // 3)), nodes, "Z_indptr")
    data = arrays.numbers("Z_data", 18 * nodes).reshape(-1, 3, 6)
    shape = 3 * (len(starts) - 1), 6 * int(column.max(initial=-1) + 1)
    return bsr_array((data, column.astype(np.int32), starts.astype(np.int32)), shape=shape)


def _with_contacts(arrays: _Arrays) -> Problem:
    B, rows = arrays.numbers("q", arrays["q"].size), len(arrays["indptr"]) - 1
    _fits(rows >= 0 and (rows == 0) == (len(B) == 0) and len(B) % max(rows, 1) == 0, "q")
    heights = np.full(rows, len(B) // max(rows, 1))
    laws = Laws(rows, _contacts(arrays, rows))
    return Problem(_matrix(arrays, heights), B, laws, None, heights, True)


def _with_factors(arrays: _Arrays) -> Problem:
    """M v = H r + f, u = H^T v + b, with the normal first."""
    from scipy.sparse import bsr_array, csc_array
    from scipy.sparse.linalg import splu

    M, H, d = arrays.matrix("M", csc_array), arrays.matrix("H", csc_array), int(arrays.integers("dim", 1, 6)[0])
    _fits(M.shape == (H.shape[0], H.shape[0]), "M")
    _fits(H.shape[1] % d == 0, "dim")
    right = np.column_stack([H.toarray(), arrays.numbers("f", H.shape[0])])
    made = H.T @ splu(M).solve(right)
    W, B = made[:, :-1], made[:, -1] + arrays.numbers("b", H.shape[1])
    if not (M - M.T).count_nonzero():
        W = (W + W.T) / 2
    heights = np.full(H.shape[1] // d, d)
    laws = Laws(len(heights), _contacts(arrays, len(heights)))
    return Problem(bsr_array(W, blocksize=(d, d)), B, laws, None, heights, True)


def _with_bodies(arrays: _Arrays) -> Problem:
    """W = h H M^-1 H^T and B = H v, with the normal last."""
    from scipy.sparse import block_diag, csr_array

    masses = list(_masses(arrays))
    dofs, rows = [len(mass) for mass in masses], len(arrays["a"])
    is_mixed = "heights" in arrays
    heights = arrays.integers("heights", 1, 6) if is_mixed else np.full(rows, 3)
    _fits(len(heights) == rows, "heights")
    shape = int(heights.sum()), sum(dofs)
    H = arrays.matrix("H", csr_array, shape) if "H_data" in arrays else _operators(arrays, shape)
    inverse = block_diag([np.linalg.inv(mass) for mass in masses], format="csr")
    W = csr_array(arrays.numbers("h", 1)[0] * (H @ ((inverse + inverse.T) / 2) @ H.T))
    B = H @ arrays.numbers("vf", shape[1])
    bias = arrays.numbers("bias", shape[0] if is_mixed else rows)
    given: dict[str, NDArray[Any]] = {
        "kind": np.zeros(rows, dtype=np.int64),
        "mu_2": arrays.spread("mu", rows),
        "cohesion": np.zeros(rows),
        "lower": np.full(shape[0], -np.inf),
        "upper": np.full(shape[0], np.inf),
        **arrays,
        "mu": arrays.spread("mu", rows),
        "bias": bias if is_mixed else np.kron(bias, [0, 0, 1]),
    }
    R = arrays.numbers("r0", shape[0]) if "r0" in arrays else None
    return Problem(W, B, _laws_of(_Arrays(given), heights), R, heights)


def _masses(arrays: _Arrays) -> Iterator[_Floats]:
    """The mass matrix of each body."""
    if "dofs" not in arrays:
        _fits(arrays["M"].size % 36 == 0, "M")
        yield from arrays["M"].astype(np.float64).reshape(-1, 6, 6)
        return
    dofs = arrays.integers("dofs", 1, 10_000)
    packed, first = arrays.numbers("M_packed", int(np.sum(dofs * (dofs + 1) // 2))), 0
    for n in dofs:
        mass, lower = np.zeros((n, n)), np.tril_indices(n)
        mass[lower] = packed[first : first + len(lower[0])]
        first += len(lower[0])
        yield mass + np.tril(mass, -1).T


def _operators(arrays: _Arrays, shape: tuple[int, int]) -> Any:
    """H of contacts at points of rigid bodies; velocities are angular, then linear."""
    from scipy.sparse import csr_array

    rows, bodies = shape[0] // 3, shape[1] // 6
    normal, point = (arrays.numbers(name, 3 * rows).reshape(-1, 3) for name in ("normal", "point"))
    center = arrays.numbers("centre", 3 * bodies).reshape(-1, 3)
    normal = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    # The first tangent comes from the axis that is least parallel to the normal.
    axis = np.eye(3)[np.argmin(np.abs(normal), axis=1)]
    tangent = axis - normal * np.sum(axis * normal, axis=1, keepdims=True)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    frame = np.stack([tangent, np.cross(normal, tangent), normal], axis=1)
    H = csr_array(shape)
    for name, sign in (("a", 1.0), ("b", -1.0)):
        body = arrays.integers(name, -1, bodies - 1)
        _fits(len(body) == rows, name)
        on = np.flatnonzero(body >= 0)
        arm = (point[on] - center[body[on]])[:, None, :]
        values = sign * np.concatenate([np.cross(arm, frame[on]), frame[on]], axis=2)
        row = np.broadcast_to((3 * on[:, None] + np.arange(3))[:, :, None], values.shape)
        column = np.broadcast_to((6 * body[on][:, None] + np.arange(6))[:, None, :], values.shape)
        H = H + csr_array((values.ravel(), (row.ravel(), column.ravel())), shape=shape)
    return H


def _matrix(arrays: _Arrays, heights: _Ints) -> Any:
    """W of rows with these heights."""
    from scipy.sparse import bsr_array, coo_array

    data, rows = arrays["data"].astype(np.float64).ravel(), len(heights)
    column = arrays.integers("indices", 0, rows - 1)
    starts = arrays.integers("indptr", 0, len(column))
    _are_starts(starts, rows, len(column), "indptr")
    row = np.repeat(np.arange(rows), np.diff(starts))
    _fits(data.size == int(np.sum(heights[row] * heights[column])), "data")
    size = int(heights.sum())
    if len(set(heights)) == 1:
        W = bsr_array((data.reshape(-1, heights[0], heights[0]), column, starts), shape=(size, size))
        W.sort_indices()
        return W
    return coo_array((data, _places(heights, row, column)), shape=(size, size)).tocsr()


def _laws_of(arrays: _Arrays, heights: _Ints) -> Laws:
    """Laws of rows with these heights."""
    rows, size = len(heights), int(heights.sum())
    kind = arrays.integers("kind", _CONTACT, _EXPANSION)
    _fits(len(kind) == rows, "kind")
    friction, friction_2, cohesion = (arrays.numbers(name, rows) for name in ("mu", "mu_2", "cohesion"))
    there = np.arange(6) < heights[:, None]
    sixes = np.zeros((3, rows, 6))
    for six, name in zip(sixes, ("lower", "upper", "bias"), strict=True):
        six[there] = arrays.numbers(name, size)
    sixes[0][kind == _FIXED], sixes[1][kind == _FIXED] = -np.inf, np.inf
    lower, upper, bias = np.where(there, sixes, 0.0)
    coefficients = friction, friction_2, cohesion, *_moments(arrays, rows)
    return _laws.of_raw((_KINDS[kind], coefficients, (lower, upper, bias)))


def _moments(arrays: _Arrays, rows: int) -> list[_Floats]:
    """Coefficients of rolling and torsional friction, zero where there are none."""
    return [arrays.spread(name, rows) if name in arrays else np.zeros(rows) for name in ("mu_r", "mu_s")]


def _contacts(arrays: _Arrays, rows: int) -> _laws.Law:
    """The law of contacts in files that have nothing else."""
    rolling, torsion = _moments(arrays, rows)
    return _laws.rolling_contact(arrays.spread("mu", rows), rolling=rolling, torsion=torsion)


def _blocks_of(W: Any, heights: _Ints) -> dict[str, NDArray[Any]]:
    """Blocks of W, each row by row; diagonal blocks are there even if they are zero."""
    from scipy.sparse import coo_array

    W = coo_array(W)
    rows = len(heights)
    owner, scalars = np.repeat(np.arange(rows), heights), _sums(heights)
    number = owner[W.row] * rows + owner[W.col]
    blocks, which = np.unique(np.concatenate([number, np.arange(rows) * (rows + 1)]), return_inverse=True)
    row, column = np.divmod(blocks, max(rows, 1))
    first = _sums(heights[row] * heights[column])
    data = np.zeros(first[-1])
    at = which.ravel()[: len(number)]
    np.add.at(data, first[at] + heights[column[at]] * (W.row - scalars[row[at]]) + W.col - scalars[column[at]], W.data)
    if len(set(heights)) == 1:
        data = data.reshape(-1, heights[0], heights[0])
    starts = np.searchsorted(row, np.arange(rows + 1))
    return {"indptr": starts.astype(np.int32), "indices": column.astype(np.int32), "data": data}


def _arrays_of(laws: Laws, heights: _Ints) -> dict[str, NDArray[Any]]:
    """Laws as arrays: contacts have no bounds, others no friction; expansion has its least force for the lower bound."""
    kind, there = laws.kind, np.arange(6) < heights[:, None]
    free = np.where((kind == "bounds")[:, None], np.stack([laws.lower, laws.upper]), 0.0)
    free[0, :, 0] += laws.least_force
    moments = {"mu_r": laws.rolling_friction, "mu_s": laws.torsional_friction}
    return {
        "kind": np.select([kind == "contact", kind == "expansion"], [_CONTACT, _EXPANSION], _BOUNDS).astype(np.int32),
        "mu": laws.friction[:, 0],
        "mu_2": laws.friction[:, 1],
        "cohesion": laws.cohesion,
        **(moments if any(values.any() for values in moments.values()) else {}),
        "lower": free[0][there],
        "upper": free[1][there],
        "bias": laws.bias[there],
    }
