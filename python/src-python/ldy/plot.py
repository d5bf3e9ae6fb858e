"""Pictures, with matplotlib: every function draws into axes, or into the current ones, and returns them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .rows import Rows


def _axes(axes: Any) -> Any:
    import matplotlib.pyplot as plt

    return plt.gca() if axes is None else axes


def pattern(rows: Rows, axes: Any = None) -> Any:
    """The blocks of W, coloured by the logarithm of their largest entries."""
    axes = _axes(axes)
    size = np.abs(rows.blocks).max(axis=(1, 2))
    row = np.repeat(np.arange(len(rows)), np.diff(rows.starts))
    colours = np.log10(np.where(size > 0, size, np.nan))
    marker = min(40.0, (200.0 / max(len(rows), 1)) ** 2)
    drawn = axes.scatter(rows.columns, row, c=colours, s=marker, marker="s", linewidths=0, plotnonfinite=True)
    axes.set(xlim=(-0.5, len(rows) - 0.5), ylim=(len(rows) - 0.5, -0.5), aspect="equal", xlabel="column", ylabel="row")
    axes.set_title(f"W: {len(rows)} rows, {len(rows.blocks)} blocks")
    axes.figure.colorbar(drawn, ax=axes, label="log10 of the largest entry")
    return axes


def spectrum(rows: Rows, axes: Any = None) -> Any:
    """The eigenvalues of W, for small systems, with its rank and the condition of what has it."""
    axes = _axes(axes)
    values, rank = rows.eigenvalues()[::-1], rows.rank()
    number = np.arange(1, len(values) + 1)
    axes.semilogy(number[:rank], values[:rank], ".", label="not zero")
    axes.semilogy(number[rank:], np.abs(values[rank:]), "x", label="zero but for rounding")
    condition = values[0] / values[rank - 1] if rank else np.nan
    axes.set(xlabel="number", ylabel="eigenvalue", title=f"W: rank {rank} of {len(values)}, condition {condition:.1e}")
    axes.legend()
    return axes


def reactions(points: ArrayLike, frame: ArrayLike, R: ArrayLike, axes: Any = None, plane: tuple[int, int] = (0, 2)) -> Any:
    """Forces at their points, in the world and seen along an axis: ``plane`` has the two axes that are seen.

    points: a row of three for each force. frame: as in :meth:`System.add_constraints`, one or many. R: in these frames.
    """
    axes = _axes(axes)
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    forces = np.einsum("...ij,...j->...i", np.asarray(frame, dtype=np.float64), np.asarray(R, dtype=np.float64).reshape(-1, 3))
    horizontal, vertical = plane
    strength = np.linalg.norm(forces, axis=1)
    drawn = axes.quiver(*points[:, plane].T, *forces[:, plane].T, strength, angles="xy", pivot="tip")
    names = "xyz"
    axes.set(xlabel=names[horizontal], ylabel=names[vertical], aspect="equal", title=f"{np.sum(strength > 0)} of {len(points)} forces")
    axes.figure.colorbar(drawn, ax=axes, label="force")
    return axes


def energies(times: ArrayLike, parts: Mapping[str, ArrayLike], axes: Any = None) -> Any:
    """Energies over time, by name, and their sum."""
    axes = _axes(axes)
    times = np.asarray(times, dtype=np.float64)
    for name, values in parts.items():
        axes.plot(times, np.asarray(values, dtype=np.float64), label=name)
    if len(parts) > 1:
        axes.plot(times, sum(np.asarray(values, dtype=np.float64) for values in parts.values()), "k--", label="sum")
    axes.set(xlabel="time", ylabel="energy")
    axes.legend()
    return axes
