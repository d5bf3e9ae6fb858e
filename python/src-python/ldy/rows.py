"""The results of an update."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Rows:
    """Rows of W and what goes with them: copies, which stay as they are whatever becomes of the system.

    Row k belongs to the k-th constraint in the order of insertion, those removed left out; it is the scalar rows 3k, 3k + 1, 3k + 2.

    ids: id of each row's constraint.
    starts, columns, blocks: row k has the blocks ``starts[k] <= i < starts[k + 1]`` in the ascending columns ``columns[i]``;
    ``blocks[i]`` is 3 x 3.
    B, V: free and previous local velocities, a row of three each.
    diagonal, inverse: the diagonal blocks and their inverses; NaN where one is singular.
    """

    def __init__(self, raw: Any) -> None:
        (ids,), (starts, columns), (blocks, B, V, diagonal, inverse) = raw
        self.ids, self.starts, self.columns = ids, starts, columns
        # The library stores matrices column by column.
        self.blocks, self.diagonal, self.inverse = (
            values.reshape(-1, 3, 3).transpose(0, 2, 1) for values in (blocks, diagonal, inverse)
        )
        self.B, self.V = B.reshape(-1, 3), V.reshape(-1, 3)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<ldy.Rows: {len(self)} rows, {len(self.blocks)} blocks>"

    def bsr(self) -> Any:
        """W as a ``scipy.sparse.bsr_array`` of 3 x 3 blocks."""
        from scipy.sparse import bsr_array

        size = 3 * len(self)
        return bsr_array((np.ascontiguousarray(self.blocks), self.columns, self.starts), shape=(size, size))

    def csr(self) -> Any:
        """W as a ``scipy.sparse.csr_array`` of numbers."""
        return self.bsr().tocsr()

    def dense(self) -> NDArray[np.float64]:
        """W as an array, for small systems."""
        W = np.zeros((len(self), 3, len(self), 3))
        for k in range(len(self)):
            own = slice(self.starts[k], self.starts[k + 1])
            W[k, :, self.columns[own], :] = self.blocks[own]
        return W.reshape(3 * len(self), 3 * len(self))

    def eigenvalues(self) -> NDArray[np.float64]:
        """The eigenvalues of W in ascending order, for small systems."""
        return np.asarray(np.linalg.eigvalsh(self.dense()), dtype=np.float64)

    def rank(self, tolerance: float | None = None) -> int:
        """The rank of W, for small systems: its size less the constraints, in scalars, that others make redundant. Eigenvalues count
        that are larger than the tolerance times the largest one; without, than what rounding leaves."""
        values = np.abs(self.eigenvalues())
        if tolerance is None:
            tolerance = 4 * len(values) * float(np.finfo(np.float64).eps)
        return int(np.sum(values > tolerance * values.max(initial=0.0)))
