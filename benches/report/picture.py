"""Nanoseconds a block over the size of the scene, drawn from recorded lines.

Usage: picture.py scaling.txt scaling.svg
"""

import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from lines import Record

# Names and colors: the library darker for more threads, limits gray. The color-blind can distinguish them, too
# (Okabe and Ito).
TEXTBOOK = ("textbook C (BLAS, LAPACK)", "#D55E00", "-", "s")
THREADS = {
    1: ("ldy, 1 thread", "#56B4E9", "-", "o"),
    2: ("ldy, 2 threads", "#0072B2", "-", "o"),
}
TOUCH = ("touch, along the lists", "#333333", (0, (5, 2)), None)
STREAM = ("stream, by address", "#999999", (0, (1, 1.5)), None)

PANELS = {
    "spheres": "spheres-N: a lattice of N³ spheres",
    "hub": "hub-N: one box carries N² spheres",
}


def curves(record, kind):
    """(style, [(blocks, nanoseconds a block)]) of one kind of scene, from above."""
    def points(lines, key):
        chosen = [line for line in lines if line["scene"].startswith(kind + "-") and key in line]
        return sorted((line["blocks"], line[key]) for line in chosen)

    single = record.of_threads(1)
    yield TEXTBOOK, points(single, "textbook_ns_per_block")
    for count in record.thread_counts():
        yield THREADS[count], points(record.of_threads(count), "update_ns_per_block")
    yield TOUCH, points(single, "touch_ns_per_block")
    yield STREAM, points(single, "stream_ns_per_block")


def plain(value, _):
    return f"{value:,g}".replace(",", "\u202f")


def draw(axes, record, kind):
    for (label, colour, dashes, marker), points in curves(record, kind):
        if points:
            axes.plot(*zip(*points), label=label, color=colour, linestyle=dashes, marker=marker, zorder=3)
    axes.set_title(PANELS[kind], loc="left", pad=24)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("off-diagonal blocks")
    axes.xaxis.set_major_locator(LogLocator(numticks=12))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.8, zorder=0)
    axes.spines[["top", "right"]].set_visible(False)
    mark_sizes(axes, record, kind)


def mark_sizes(axes, record, kind):
    """N of each scene along the upper edge, where it does not run into the one before."""
    lines = [line for line in record.of_threads(1) if line["scene"].startswith(kind + "-")]
    sizes = sorted((line["blocks"], line["scene"].rpartition("-")[2]) for line in lines)
    upper = axes.secondary_xaxis("top")
    upper.set_xticks([blocks for blocks, _ in sizes], [size for _, size in sizes])
    upper.minorticks_off()
    upper.tick_params(length=3, color="#999999", labelcolor="#777777", labelsize=8.5, pad=1)
    upper.spines["top"].set_visible(False)
    axes.annotate("N =", (0, 1), xycoords=axes.transAxes, xytext=(-6, 4.5), textcoords="offset points",
                   ha="right", color="#777777", fontsize=8.5)


def main():
    source, target = sys.argv[1:]
    record = Record(source)
    plt.rcParams.update({
        "font.family": "sans-serif", "font.size": 10, "axes.titlesize": 11, "axes.titleweight": "bold",
        "axes.edgecolor": "#666666", "xtick.color": "#444444", "ytick.color": "#444444",
        "lines.linewidth": 2, "lines.markersize": 4.5, "svg.hashsalt": "ldy", "svg.fonttype": "path",
    })
    figure, panels = plt.subplots(1, 2, figsize=(10, 5), sharey=True, layout="constrained")
    for axes, kind in zip(panels, PANELS):
        draw(axes, record, kind)
    panels[0].set_ylabel("nanoseconds a block and update")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, handlelength=2.4, columnspacing=1.6)
    figure.savefig(target, metadata={"Date": None}, facecolor="white")


if __name__ == "__main__":
    main()
