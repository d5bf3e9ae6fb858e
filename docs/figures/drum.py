"""Draw runs of examples/parallel/drum.cpp: the speed of spheres in one, and their processes in another.

Usage: drum.py FLOW/drum60.pvtu MILLION/drum9.pvtu, with vtk of PyPI; writes drum.png beside this file
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

HERE = Path(__file__).parent
# The direction in which one looks, and the direction that is up in the picture.
LOOK, UP = np.array([0.55, 0.62, -0.56]), np.array([0.0, 0.0, 1.0])


def read(path):
    reader = vtk.vtkXMLPUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    fields = (vtk_to_numpy(grid.GetPointData().GetArray(name)) for name in ("velocity", "process"))
    return vtk_to_numpy(grid.GetPoints().GetData()), *fields


def panel(axes, places, colors, size, **options):
    """Near spheres are drawn after far ones."""
    look = LOOK / np.linalg.norm(LOOK)
    right = np.cross(look, UP)
    right /= np.linalg.norm(right)
    order = np.argsort(-places @ look)
    x, y = places[order] @ right, places[order] @ np.cross(right, look)
    drawn = axes.scatter(x, y, c=colors[order], s=size, linewidths=0, rasterized=True, **options)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return drawn


def main():
    plt.style.use(HERE / "style.mplstyle")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    places, velocities, _ = read(sys.argv[1])
    speed = np.linalg.norm(velocities, axis=1)
    drawn = panel(left, places, speed, 9, cmap="viridis", vmin=0, vmax=np.percentile(speed, 99))
    figure.colorbar(drawn, ax=left, label="speed, m/s", shrink=0.6)
    left.set_title(f"{len(places):,} spheres flow")
    places, _, processes = read(sys.argv[2])
    panel(right, places, processes, 1.1, cmap=matplotlib.colors.ListedColormap(["#0072B2", "#E69F00"]))
    right.set_title(f"{len(places):,} spheres, two processes")
    figure.savefig(HERE / "drum.png", dpi=110)


if __name__ == "__main__":
    main()
