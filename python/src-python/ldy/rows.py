"""The results of an update."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, Indices, Ints, numbers
from .errors import Error


class Blocks(Sequence[Floats]):
    """Matrices of different shapes in one array.

    ``blocks[i]`` is a view of a matrix m x n; ``stack()`` an array of all, if their shapes are equal.

    Parameters
    ----------
    values : (k,) ndarray
        The matrices, each column by column.
    heights, widths : (count,) ndarray of int
        The shapes.
    """

    def __init__(self, values: Floats, heights: Indices, widths: Indices) -> None:
        self.values, self._heights, self._widths = values, heights, widths

    @cached_property
    def starts(self) -> Ints:
        """The start of each matrix in ``values``, and the end."""
        return np.concatenate([[0], np.cumsum(self._heights.astype(np.int64) * self._widths)])

    @property
    def shapes(self) -> Ints:
        """Numbers of rows and columns of each matrix, (count, 2)."""
        return np.stack([self._heights, self._widths], axis=1).astype(np.int64)

    def __len__(self) -> int:
        return len(self._heights)

    @overload
    def __getitem__(self, index: int) -> Floats: ...
    @overload
    def __getitem__(self, index: slice) -> list[Floats]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        k = range(len(self))[index]
        return self.values[self.starts[k] : self.starts[k + 1]].reshape(self._widths[k], self._heights[k]).T

    def __iter__(self) -> Iterator[Floats]:
        starts, shapes = self.starts.tolist(), zip(self._widths.tolist(), self._heights.tolist(), strict=True)
        return (self.values[starts[k] : starts[k + 1]].reshape(shape).T for k, shape in enumerate(shapes))

    def __repr__(self) -> str:
        return f"<ldy.Blocks: {len(self)} matrices>"

    def stack(self) -> Floats:
        """Return all matrices in one array.

        Returns
        -------
        (count, m, n) ndarray
            A view of the matrices.

        Raises
        ------
        Error
            If their shapes differ.
        """
        shapes = set(zip(self._heights.tolist(), self._widths.tolist(), strict=True)) or {(3, 3)}
        if len(shapes) > 1:
            raise Error(f"matrices have different shapes: {sorted(shapes)}")
        ((m, n),) = shapes
        return self.values.reshape(-1, n, m).transpose(0, 2, 1)

    def largest(self) -> Floats:
        """Return the largest absolute value in each matrix.

        Returns
        -------
        (count,) ndarray
            The values.
        """
        starts = self.starts
        return np.asarray(np.maximum.reduceat(np.abs(self.values), starts[:-1])) if len(self) else np.zeros(0)


class Rows:
    """The rows of W with B, V and diagonal blocks: copies of the results of an update.

    Row k belongs to the k-th constraint in the order of insertion, without removed ones. It has the scalar rows ``scalars[k] <= i <
    scalars[k + 1]``. :meth:`System.results` makes such rows.

    Attributes
    ----------
    ids : (rows,) ndarray of int
        The constraint of each row.
    scalars : (rows + 1,) ndarray of int
        The first scalar row of each row, then the number n of scalar rows.
    starts : (rows + 1,) ndarray of int
        Row k has the blocks ``starts[k] <= i < starts[k + 1]``.
    columns : (blocks,) ndarray of int
        The column of each block; columns of a row ascend.
    blocks : Blocks
        The blocks of W; ``blocks[i]`` is m x n for rows of m and n scalar rows.
    B, V : (n,) ndarray
        Free and previous local velocities.
    diagonal, inverse : Blocks
        The diagonal blocks and their inverses; NaN where one is singular.

    Examples
    --------
    >>> import ldy
    >>> system = ldy.System()
    >>> body = system.add_body(ldy.Inertia.diagonal([2.0, 1.0]))
    >>> constraint = system.add_dof_constraint(body, 0)
    >>> system.update(0.5)
    >>> rows = system.results()
    >>> rows
    <ldy.Rows: 1 rows, 1 scalar rows, 1 blocks>
    >>> rows.to_dense()
    array([[1.]])
    """

    def __init__(self, raw: Any) -> None:
        self.ids: Ints
        self.scalars: Indices
        self.starts: Indices
        self.columns: Indices
        self.B: Floats
        self.V: Floats
        self.ids, (self.scalars, self.starts, self.columns), (self._values, self.B, self.V, self._diagonal, self._inverse) = raw

    @cached_property
    def row_counts(self) -> Indices:
        """The number of scalar rows of each row, (rows,)."""
        return np.diff(self.scalars)

    @cached_property
    def _own(self) -> Ints:
        """The row of each block."""
        return np.repeat(np.arange(len(self.ids)), np.diff(self.starts))

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks of W, in the order of ``columns``."""
        return Blocks(self._values, self.row_counts[self._own], self.row_counts[self.columns])

    @cached_property
    def diagonal(self) -> Blocks:
        """The diagonal block of each row."""
        return Blocks(self._diagonal, self.row_counts, self.row_counts)

    @cached_property
    def inverse(self) -> Blocks:
        """The inverse of the diagonal block of each row; NaN where it is singular."""
        return Blocks(self._inverse, self.row_counts, self.row_counts)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<ldy.Rows: {len(self)} rows, {len(self.B)} scalar rows, {len(self.columns)} blocks>"

    def split(self, x: ArrayLike) -> list[Floats]:
        """Cut a vector into the parts of its rows.

        Parameters
        ----------
        x : (n,) array_like
            A value for each scalar row, for instance R, B or V.

        Returns
        -------
        list of (m,) ndarray
            A view for each row. If all rows have three scalar rows, ``x.reshape(-1, 3)`` is the same as an array.

        Raises
        ------
        Error
            If x has another length.
        """
        x = numbers("x", x)
        if x.shape != (len(self.B),):
            raise Error(f"x: shape {x.shape} where ({len(self.B)},) is needed")
        ends = self.scalars.tolist()
        return [x[first:end] for first, end in zip(ends, ends[1:], strict=False)]

    def to_bsr(self) -> Any:
        """Return W as a ``scipy.sparse.bsr_array`` of 3 x 3 blocks.

        Returns
        -------
        (n, n) bsr_array
            The matrix.

        Raises
        ------
        Error
            If a row has other than three scalar rows; :meth:`to_csr` has no such limit.
        """
        from scipy.sparse import bsr_array

        if (self.row_counts != 3).any():
            raise Error(f"row {int(np.argmax(self.row_counts != 3))} has other than three scalar rows; use to_csr()")
        size = len(self.B)
        return bsr_array((np.ascontiguousarray(self.blocks.stack()), self.columns, self.starts), shape=(size, size))

    def to_csr(self) -> Any:
        """Return W as a ``scipy.sparse.csr_array`` of numbers.

        Returns
        -------
        (n, n) csr_array
            The matrix.
        """
        from scipy.sparse import coo_array

        if (self.row_counts == 3).all():
            # Much quicker than a list of entries.
            return self.to_bsr().tocsr()
        values, at = self._entries()
        return coo_array((values, at), shape=(len(self.B), len(self.B))).tocsr()

    def to_dense(self) -> Floats:
        """Return W as an array, for small systems.

        Returns
        -------
        (n, n) ndarray
            The matrix.
        """
        W = np.zeros((len(self.B), len(self.B)))
        values, at = self._entries()
        W[at] = values
        return W

    def _entries(self) -> tuple[Floats, tuple[Any, Any]]:
        """The values of W, with their rows and columns."""
        heights = self.row_counts.astype(np.int64)
        own, other = self._own, self.columns
        sizes = heights[own] * heights[other]
        block = np.repeat(np.arange(len(sizes)), sizes)
        # Blocks are stored column by column.
        column, row = np.divmod(np.arange(len(self._values)) - (np.cumsum(sizes) - sizes)[block], heights[own][block])
        return self._values, (self.scalars[own][block] + row, self.scalars[other][block] + column)

    def eigenvalues(self) -> Floats:
        """Return the eigenvalues of W, for small systems.

        Returns
        -------
        (n,) ndarray
            The eigenvalues in ascending order.
        """
        return np.asarray(np.linalg.eigvalsh(self.to_dense()), dtype=np.float64)

    def rank(self, tolerance: float | None = None) -> int:
        """Return the rank of W, for small systems: its size minus the number of redundant scalar rows.

        Parameters
        ----------
        tolerance : float, optional
            Eigenvalues count if they are larger than this times the largest one; by default the size of rounding errors.

        Returns
        -------
        int
            The rank.
        """
        values = np.abs(self.eigenvalues())
        if tolerance is None:
            tolerance = 4 * len(values) * float(np.finfo(np.float64).eps)
        return int(np.sum(values > tolerance * values.max(initial=0.0)))
