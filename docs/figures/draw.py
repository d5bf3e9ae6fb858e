"""Draw the figures of the documentation. Measured ones are drawn from the tables of the pages, so that there is one place for each number.

Usage: draw.py            writes the figures beside this file
       draw.py --check    fails if one of them is not the figure that this file draws
"""

import re
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
    "residual": measured.residual,
    "pile-forces": measured.pile_forces,
    "wall-energies": measured.wall_energies,
    "wall-contacts": measured.wall_contacts,

}

def draw(folder):
    plt.style.use(HERE / "style.mplstyle")
    for name, function in FIGURES.items():
        figure = function()
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)

# Names of clip paths and markers are hashes of their coordinates.
HASH, NUMBER = re.compile(r"\b[mp][0-9a-f]{10}\b"), re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def same(first, second):
    """Whether two figures differ by rounding alone: other processors may place things elsewhere by less than a twentieth of a point."""
    texts = [HASH.sub("id", path.read_text(encoding="utf-8")) for path in (first, second)]
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in texts]
    return (NUMBER.sub("", texts[0]) == NUMBER.sub("", texts[1]) and len(numbers[0]) == len(numbers[1])
            and all(abs(a - b) < 0.05 for a, b in zip(*numbers)))


def check():
    with tempfile.TemporaryDirectory() as folder:
        draw(Path(folder))
        old = [name for name in FIGURES if not same(Path(folder) / f"{name}.svg", HERE / f"{name}.svg")]
    if old:
        sys.exit(f"docs/figures/draw.py draws other figures: {', '.join(old)}; run `make figures`")

if __name__ == "__main__":
    check() if sys.argv[1:] == ["--check"] else draw(HERE)
