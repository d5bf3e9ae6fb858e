"""Arrays with an entry for each of many things, and arrays with one for all."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import Error

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Indices = NDArray[np.int32]


def numbers(name: str, values: ArrayLike) -> Floats:
    """An array of numbers."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise Error(f"{name}: {error}") from None


def many(name: str, values: ArrayLike, count: int, *shape: int) -> Floats:
    """``count`` arrays of a shape; one stands for all of them."""
    values = numbers(name, values)
    if values.shape == shape or values.shape == (1, *shape):
        values = values.reshape(1, *shape) if count == 1 else np.broadcast_to(values, (count, *shape))
    if values.shape != (count, *shape):
        raise Error(f"{name}: shape {values.shape} where {(count, *shape)} or {shape} is needed")
    return np.ascontiguousarray(values)


def of_one(name: str, values: ArrayLike, *shape: int) -> Floats:
    """The array of one thing."""
    values = numbers(name, values)
    if values.shape != shape:
        raise Error(f"{name}: shape {values.shape} where {shape} is needed for one body")
    return np.ascontiguousarray(values[None])


def each(name: str, is_one: bool, values: ArrayLike, count: int, *shape: int) -> Floats:
    """The array of one thing, or arrays of many."""
    return of_one(name, values, *shape) if is_one else many(name, values, count, *shape)


def tensors(name: str, values: ArrayLike, count: int, is_one: bool) -> Floats:
    """Symmetric tensors from numbers, principal moments or matrices, by the number of dimensions alone."""
    values = numbers(name, values)
    if values.ndim == 0:
        return np.ascontiguousarray(np.broadcast_to(values * np.eye(3), (count, 3, 3)))
    if is_one and values.ndim == 1:
        # Principal moments of one body.
        return of_one(name, values, 3)[:, :, None] * np.eye(3)
    if is_one:
        return of_one(name, values, 3, 3)
    if values.ndim == 1:
        # A number for each body.
        return many(name, values, count)[:, None, None] * np.eye(3)
    if values.ndim == 2 and values.shape != (3, 3):
        why = f"principal moments of several bodies are matrices: {name}[:, :, None] * numpy.eye(3)"
        raise Error(f"{name}: shape {values.shape} where (), ({count},), (3, 3) or {(count, 3, 3)} is needed; {why}")
    return many(name, values, count, 3, 3)


def count_of(*arguments: tuple[ArrayLike, int]) -> int:
    """The number of things that arrays describe, each with its number of dimensions if it describes one."""
    counts = {np.shape(values)[0] for values, ndim in arguments if np.ndim(values) == ndim + 1}
    counts = counts - {1} or counts
    if len(counts) > 1:
        raise Error(f"arrays of different lengths: {sorted(counts)}")
    return counts.pop() if counts else 1


def ids(values: ArrayLike) -> Ints:
    """Ids of one or many things, as an array."""
    given = np.atleast_1d(np.asarray(values))
    if given.ndim != 1 or given.dtype.kind not in "iu" and given.size:
        raise TypeError(f"ids: {values!r} where a whole number or an array of them is needed")
    return np.ascontiguousarray(given, dtype=np.int64)


def ids_of(values: ArrayLike, count: int) -> Ints:
    """``count`` ids; one stands for all of them."""
    return np.ascontiguousarray(np.broadcast_to(ids(values), count))


def tags(values: ArrayLike, name: str = "tags") -> NDArray[np.uint64]:
    """Numbers that are not negative."""
    given = np.asarray(values)
    if given.dtype.kind not in "iu":
        # Some versions of NumPy take a list with numbers from 2**63 on for floats.
        objects = np.asarray(values, dtype=object)
        whole = [operator.index(one) for one in objects.flat]
        _check_tags(name, whole)
        given = np.array(whole, dtype=np.uint64).reshape(objects.shape)
    elif given.size:
        _check_tags(name, [given.min()])
    return given.astype(np.uint64)


def _check_tags(name: str, tags: Any) -> None:
    for tag in tags:
        if not 0 <= tag < 2**64:
            raise OverflowError(f"{name}: {tag} where numbers from 0 to 2**64 - 1 are needed")


def flat(name: str, values: ArrayLike) -> Floats:
    """Numbers one after the other."""
    return np.ascontiguousarray(numbers(name, values)).reshape(-1)


def shaped(of: ArrayLike, values: Floats, *shape: int) -> Floats:
    """Values for each id, or for the only one if ``of`` is no array."""
    return values.reshape(shape if np.ndim(of) == 0 else (-1, *shape))


def operators(H: Any) -> tuple[int, list[Floats]]:
    """The number of rows of operators, and their values row by row."""
    arrays = [numbers("H", one) for one in H]
    rows = {one.shape[0] if one.ndim == 2 else -1 for one in arrays}
    if len(rows) != 1 or -1 in rows:
        raise Error(f"H: shapes {[one.shape for one in arrays]} where (m, n) are needed, m the same for all")
    return rows.pop(), [np.ascontiguousarray(one).ravel() for one in arrays]
