"""The results of an update."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Rows:
    """The rows of W with B, V and diagonal blocks. They are copies, which later changes of the system do not affect.

    Row k belongs to the k-th constraint in the order of insertion, without removed ones. It has the scalar rows ``scalars[k] <= i <
    scalars[k + 1]``, three unless :meth:`System.add_rows` or :meth:`System.add_freedom` has inserted it.

    ids: id of each row's constraint.
    scalars: index of the first scalar row of each row, then the number of scalar rows.
    starts, columns, blocks: row k has the blocks ``starts[k] <= i < starts[k + 1]`` in the ascending columns ``columns[i]``;
    ``blocks[i]`` is 3 x 3.
    B, V: free and previous local velocities, a row of three each.
    diagonal, inverse: the diagonal blocks and their inverses; NaN where one is singular.

    If a constraint has other than three rows, B and V have one dimension, with a value for each scalar row, and blocks, diagonal and
    inverse are lists of matrices m x n.
    """

    def __init__(self, raw: Any) -> None:
        (ids,), (scalars, starts, columns), (blocks, B, V, diagonal, inverse) = raw
        self.ids, self.scalars, self.starts, self.columns = ids, scalars, starts, columns
        self.blocks: Any
        self.diagonal: Any
        self.inverse: Any
        self._are_three = bool((np.diff(scalars) == 3).all())
        if self._are_three:
            # The library stores matrices column by column.
            self.blocks, self.diagonal, self.inverse = (
                values.reshape(-1, 3, 3).transpose(0, 2, 1) for values in (blocks, diagonal, inverse)
            )
            self.B, self.V = B.reshape(-1, 3), V.reshape(-1, 3)
        else:
            heights = np.diff(scalars)
            own = np.repeat(np.arange(len(ids)), np.diff(starts))
            self.blocks, self._values = _cut(blocks, heights[own], heights[columns]), blocks
            self.diagonal, self.inverse = (_cut(values, heights, heights) for values in (diagonal, inverse))
            self.B, self.V = B, V

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<ldy.Rows: {len(self)} rows, {len(self.blocks)} blocks>"

    def bsr(self) -> Any:
        """Return W as a ``scipy.sparse.bsr_array`` of 3 x 3 blocks."""
        from scipy.sparse import bsr_array

        if not self._are_three:
            raise ValueError("constraints have other than three rows: see csr ()")
        size = 3 * len(self)
        return bsr_array((np.ascontiguousarray(self.blocks), self.columns, self.starts), shape=(size, size))

    def csr(self) -> Any:
        """Return W as a ``scipy.sparse.csr_array`` of numbers."""
        if self._are_three:
            return self.bsr().tocsr()
        from scipy.sparse import coo_array

        # Matrices of other sizes are stored column by column, too.
        heights, places = np.diff(self.scalars), np.arange(len(self._values))
        own = np.repeat(np.arange(len(self)), np.diff(self.starts))
        sizes = heights[own] * heights[self.columns]
        block = np.repeat(np.arange(len(sizes)), sizes)
        column, row = np.divmod(places - (np.cumsum(sizes) - sizes)[block], heights[own][block])
        at = self.scalars[own][block] + row, self.scalars[self.columns][block] + column
        return coo_array((self._values, at), shape=(self.scalars[-1], self.scalars[-1])).tocsr()

    def dense(self) -> NDArray[np.float64]:
        """Return W as an array, for small systems."""
        W = np.zeros((self.scalars[-1], self.scalars[-1]))
        of = [slice(first, end) for first, end in zip(self.scalars, self.scalars[1:])]
        for k in range(len(self)):
            for i in range(self.starts[k], self.starts[k + 1]):
                W[of[k], of[self.columns[i]]] = self.blocks[i]
        return W

    def eigenvalues(self) -> NDArray[np.float64]:
        """Return the eigenvalues of W in ascending order, for small systems."""
        return np.asarray(np.linalg.eigvalsh(self.dense()), dtype=np.float64)

    def rank(self, tolerance: float | None = None) -> int:
        """Return the rank of W, for small systems: its size minus the number of redundant scalar rows. It is the number of eigenvalues
        that are larger than tolerance times the largest one; the default tolerance is the size of rounding errors."""
        values = np.abs(self.eigenvalues())
        if tolerance is None:
            tolerance = 4 * len(values) * float(np.finfo(np.float64).eps)
        return int(np.sum(values > tolerance * values.max(initial=0.0)))


def _cut(values: NDArray[np.float64], heights: NDArray[np.int32], widths: NDArray[np.int32]) -> list[NDArray[np.float64]]:
    """Cut contiguous matrices, stored column by column."""
    ends = np.cumsum(heights * widths)
    return [part.reshape(n, m).T for part, m, n in zip(np.split(values, ends[:-1]), heights, widths)]
