"""Arrays of many things, of which one may stand for all."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def many(name: str, values: ArrayLike, count: int, *shape: int) -> NDArray[np.float64]:
    """``count`` arrays of a shape; one stands for all of them."""
    values = np.asarray(values, dtype=np.float64)
    if values.shape == shape or values.shape == (1, *shape):
        values = np.broadcast_to(values, (count, *shape))
    if values.shape != (count, *shape):
        raise ValueError(f"{name}: shape {values.shape} where {(count, *shape)} or {shape} is needed")
    return np.ascontiguousarray(values)


def count_of(*arguments: tuple[ArrayLike, int]) -> tuple[int, bool]:
    """How many things arrays describe, each with its dimension if it describes one; whether it is one without an array of them."""
    arrays = [(np.asarray(values), ndim) for values, ndim in arguments]
    counts = {array.shape[0] for array, ndim in arrays if array.ndim == ndim + 1}
    counts = counts - {1} or counts
    if len(counts) > 1:
        raise ValueError(f"arrays of different lengths: {sorted(counts)}")
    return (counts.pop(), False) if counts else (1, True)


def inertias(name: str, values: ArrayLike, count: int) -> NDArray[np.float64]:
    """A matrix, or a number for that number on the diagonal."""
    values = np.asarray(values, dtype=np.float64)
    if values.ndim < 2:
        values = values[..., None, None] * np.eye(3)
    return many(name, values, count, 3, 3)
