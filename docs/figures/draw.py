"""Draw the figures of the documentation. Measured ones are drawn from the tables of the pages, so that there is one place for each number.

Usage: draw.py            writes the figures beside this file
       draw.py --check    fails if one of them is not the figure that this file draws
"""

import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

import measured
import schemes

HERE = Path(__file__).parent
FIGURES = {
    "frames": schemes.frames,
    "graph": schemes.graph,
    "step": schemes.step,
    "migration": schemes.migration,
    "speedup": measured.speedup,
    "scaling": measured.scaling,
    "peers": measured.peers,
    "solver-profile": measured.solver_profile,
    "tolerance": measured.tolerance,
    
    
}


def draw(folder):
    plt.style.use(HERE / "style.mplstyle")
    for name, function in FIGURES.items():
        figure = function()
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)


def check():
    with tempfile.TemporaryDirectory() as folder:
        draw(Path(folder))
        old = [name for name in FIGURES if (Path(folder) / f"{name}.svg").read_bytes() != (HERE / f"{name}.svg").read_bytes()]
    if old:
        sys.exit(f"docs/figures/draw.py draws other figures: {', '.join(old)}; run `make figures`")


if __name__ == "__main__":
    check() if sys.argv[1:] == ["--check"] else draw(HERE)
