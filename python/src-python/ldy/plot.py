"""Pictures, with matplotlib. Every function draws into axes, or into the current ones, and returns them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .rows import Rows
from .solver import Report


def _axes(axes: Any) -> Any:
    import matplotlib.pyplot as plt

    return plt.gca() if axes is None else axes


def pattern(rows: Rows, axes: Any = None) -> Any:
    """Draw the blocks of W, colored by the logarithm of their largest entries.

    Parameters
    ----------
    rows : Rows
        Rows of any numbers of scalar rows.
    axes : matplotlib.axes.Axes, optional
        The axes to draw into.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    axes = _axes(axes)
    size = rows.blocks.largest()
    row = np.repeat(np.arange(len(rows)), np.diff(rows.starts))
    colors = np.log10(np.where(size > 0, size, np.nan))
    marker = min(40.0, (200.0 / max(len(rows), 1)) ** 2)
    drawn = axes.scatter(rows.columns, row, c=colors, s=marker, marker="s", linewidths=0, plotnonfinite=True)
    axes.set(xlim=(-0.5, len(rows) - 0.5), ylim=(len(rows) - 0.5, -0.5), aspect="equal", xlabel="column", ylabel="row")
    axes.set_title(f"W: {len(rows)} rows, {len(rows.blocks)} blocks")
    axes.figure.colorbar(drawn, ax=axes, label="log10 of the largest entry")
    return axes


def spectrum(rows: Rows, axes: Any = None) -> Any:
    """Draw the eigenvalues of W, for small systems, with its rank and the condition of its nonzero eigenvalues.

    Parameters
    ----------
    rows : Rows
        Rows of any numbers of scalar rows.
    axes : matplotlib.axes.Axes, optional
        The axes to draw into.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
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
    """Draw forces of contacts at their points, in a plane of the world.

    Parameters
    ----------
    points : (count, 3) array_like
        Points of the world.
    frame : (3, 3) or (count, 3, 3) array_like
        Frames as in :meth:`System.add_point_constraints`.
    R : (3 count,) array_like
        Forces of constraints with three scalar rows.
    axes : matplotlib.axes.Axes, optional
        The axes to draw into.
    plane : (int, int), optional
        The two axes of the world that are drawn.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    axes = _axes(axes)
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    forces = np.einsum("...ij,...j->...i", np.asarray(frame, dtype=np.float64), np.asarray(R, dtype=np.float64).reshape(-1, 3))
    horizontal, vertical = plane
    strength = np.linalg.norm(forces, axis=1)
    drawn = axes.quiver(*points[:, plane].T, *forces[:, plane].T, strength, angles="xy", pivot="tip")
    names = "xyz"
    axes.set(xlabel=names[horizontal], ylabel=names[vertical], aspect="equal", title=f"{np.sum(strength > 0)} of {len(points)} forces")
    # As high as the axes, whose sides have the lengths of the plane.
    axes.figure.colorbar(drawn, cax=axes.inset_axes((1.02, 0, 0.03, 1)), label="force")
    return axes


def convergence(report: Report, axes: Any = None) -> Any:
    """Draw the residuals of a solution in the order of their computation.

    Parameters
    ----------
    report : Report
        The report of :meth:`System.solve` or :func:`solve`.
    axes : matplotlib.axes.Axes, optional
        The axes to draw into.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    axes = _axes(axes)
    axes.semilogy(np.arange(len(report.history)), report.history, ".-")
    axes.set(xlabel="number", ylabel="residual", title=f"{report.status}: {report.sweeps} sweeps, {report.steps} Newton steps")
    return axes
