"""Figures of measured data: the tables of the pages, and the runs in data/, which record.py makes."""

import csv
import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from tables import lists, number, table

HERE = Path(__file__).parent
BLUE, ORANGE, GREEN, PINK, YELLOW, SKY, GRAY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#888888"
LEGACY, NEUTRAL = "developers/measured/legacy.md", "developers/measured/neutral.md"
SOLVERS, CHOOSING, SOLFEC = "developers/measured/solvers.md", "solvers/choosing.md", "solfec/measurements.md"


def plain(value, _):
    return f"{value:,.10g}".replace(",", "\u202f")


def logarithmic(axis):
    axis.set_major_locator(LogLocator(numticks=12))
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_formatter(NullFormatter())


def recorded(name):
    with open(HERE / "data" / name, encoding="utf-8", newline="") as file:
        return [{key: float(value) if value else None for key, value in row.items()}
                for row in csv.DictReader(line for line in file if not line.startswith("#"))]


def speedup():
    """The time of an update in Solfec, its own module and the library."""
    rows = table(SOLFEC, "scene", "update, ms: legacy → library")[::-1]
    times = [[number(part.strip()) for part in row["update, ms: legacy → library"].split("→")] for row in rows]
    figure, axes = plt.subplots(figsize=(8, 3.9))
    places = np.arange(len(rows))
    for shift, which, color, label in ((0.19, 0, GRAY, "Solfec's own module"), (-0.19, 1, BLUE, "ldy")):
        bars = axes.barh(places + shift, [pair[which] for pair in times], 0.36, color=color, label=label)
        axes.bar_label(bars, [f"{pair[which]:g}" for pair in times], padding=3, fontsize=8.5, color="#444444")
    names = [row["scene"] for row in rows]
    axes.set_yticks(places, names, fontsize=9)
    axes.set(xscale="log", xlabel="milliseconds for one update of W and B, one thread", title="An update in Solfec")
    axes.grid(axis="y", visible=False)
    logarithmic(axes.xaxis)
    axes.set_xlim(0.1, 2500)
    figure.legend(loc="outside lower right", ncols=2)
    return figure


def scaling():
    """Nanoseconds for each block over the size of the scene."""
    rows = table(LEGACY, "scene", "blocks", "update, ns, 1 thread")
    curves = (
        ("textbook, ns", "a textbook's update in C (BLAS, LAPACK)", ORANGE, "-", "s"),
        ("update, ns, 1 thread", "ldy, 1 thread", SKY, "-", "o"),
        ("update, ns, 2 threads", "ldy, 2 threads", BLUE, "-", "o"),
        ("touch, ns", "only walking over the finished blocks", "#333333", (0, (5, 2)), None),
        ("stream, ns", "only writing memory", "#999999", (0, (1, 1.5)), None),
    )
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.6), sharey=True)
    titles = {"spheres": "few contacts a body: a lattice of spheres", "hub": "many contacts on one body: a box carries spheres"}
    for axes, (kind, title) in zip(panels, titles.items()):
        for column, label, color, dashes, marker in curves:
            points = [(number(row["blocks"]), number(row[column])) for row in rows if row["scene"].startswith(kind + "-")]
            points = [point for point in points if point[1]]
            axes.plot(*zip(*points), label=label, color=color, linestyle=dashes, marker=marker)
        axes.set(xscale="log", yscale="log", xlabel="blocks of W beside the diagonal", title=title)
        logarithmic(axes.yaxis)
        axes.xaxis.set_minor_formatter(NullFormatter())
    panels[0].set_ylabel("nanoseconds for each block")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def peers():
    """How many times as long as the library other programs take for W."""
    colors = {"MuJoCo": ORANGE, "Pinocchio": GREEN, "NumPy": YELLOW, "Siconos": PINK}
    rows = table(NEUTRAL, "scene", "peer", "ratio")
    bars = [(row["scene"], row["peer"].partition(",")[0], re.sub(r".*`(.*)`.*", r"\1", row["peer"]), number(row["ratio"]))
            for row in rows]
    bars += [(row["scene"], "MuJoCo", "mj_projectConstraint", number(row["ratio, 1 thread"]))
             for row in table(LEGACY, "scene", "MuJoCo, ms", "ratio, 1 thread")]
    bars.sort(key=lambda bar: (list(colors).index(bar[1]), bar[3]))
    figure, axes = plt.subplots(figsize=(9, 0.185 * len(bars) + 1.2))
    for place, (_, peer, _, ratio) in enumerate(bars):
        first = next(k for k, bar in enumerate(bars) if bar[1] == peer) == place
        axes.barh(place, ratio - 1, 0.72, left=1, color=colors[peer], label=peer if first else None)
    axes.set_yticks(range(len(bars)), [f"{scene}: {call}" for scene, _, call, _ in bars], fontsize=7.5)
    axes.axvline(1, color="#333333", linewidth=1.2)
    axes.set(xscale="log", xlabel="time of the other program over time of ldy; left of 1, ldy is slower", ylim=(-0.7, len(bars) - 0.3),
             title="Assembly of W: other programs over ldy, one thread")
    axes.grid(axis="y", visible=False)
    logarithmic(axes.xaxis)
    axes.legend(loc="lower right")
    return figure


def solver_profile():
    """Performance profiles of Dolan and Moré over 24 problems and two tolerances."""
    _, rows = lists(SOLVERS, "problem", "1e-4: ldy", "1e-8: ldy")
    runs = [[number(cell) for cell in row[first:first + 4]] for row in rows for first in (2, 6)]
    times = np.array([[np.inf if time is None else time for time in run] for run in runs])
    ratios = times / times.min(axis=1, keepdims=True)
    figure, axes = plt.subplots(figsize=(7.4, 4.2))
    labels = ("ldy", "Siconos, the best of eight for each problem", "Siconos, NSGS", "Pinocchio, ADMM")
    for column, (label, color) in enumerate(zip(labels, (BLUE, PINK, ORANGE, GREEN))):
        factors = np.sort(ratios[:, column][np.isfinite(ratios[:, column])])
        shares = np.arange(1, len(factors) + 1) / len(times)
        axes.step([*factors, 1e5], [*shares, shares[-1]], where="post", label=label, color=color)
    axes.set(xscale="log", xlim=(1, 1e4), ylim=(0, 1.03), xlabel="times as long as the quickest solver of the problem",
             ylabel="share of the problems solved", title=f"Contact solvers on {len(times)} runs of other groups' problems")
    logarithmic(axes.xaxis)
    axes.legend(loc="lower right")
    return figure


def tolerance():
    """Milliseconds a step over the tolerance."""
    rows = table(CHOOSING, "sequence", "1e-3", "1e-8")
    figure, axes = plt.subplots(figsize=(8.6, 4.4))
    columns = ("1e-3", "1e-4", "1e-6", "1e-8")
    palette = (BLUE, ORANGE, GREEN, PINK, YELLOW, SKY, GRAY)
    for row, color in zip(rows, palette):
        points = []
        for place, column in enumerate(columns):
            median, _, slowest = row[column].partition(",")
            if number(median) is not None:
                points.append((place, number(median), number(slowest.strip())))
        places, medians, slowest = zip(*points)
        axes.plot(places, medians, marker="o", color=color, label=row["sequence"].partition(" (")[0])
        axes.fill_between(places, medians, slowest, color=color, alpha=0.08, linewidth=0)
    axes.set(yscale="log", ylabel="milliseconds for a step, one thread", xlabel="tolerance", title="What a tolerance costs")
    axes.set_xticks(range(len(columns)), columns)
    logarithmic(axes.yaxis)
    figure.legend(loc="outside right center", fontsize=8.5, title="line: median of the steps\nshade: up to the 99th percentile", title_fontsize=8.5)
    return figure


def residual():
    """The residual over sweeps and steps, by method."""
    figure, axes = plt.subplots(figsize=(7.4, 4))
    for name, label, color in (("gauss-seidel", "Gauss–Seidel alone", ORANGE), ("automatic", "automatic: sweeps, then Newton's steps", BLUE)):
        rows = recorded(f"residual-{name}.csv")
        axes.plot([row["sweeps"] + row["steps"] for row in rows], [row["residual"] for row in rows], color=color, label=label)
    axes.set(yscale="log", xscale="log", xlabel="sweeps and steps", ylabel="residual", title="2314 contacts of a pile, from zero forces")
    axes.legend(loc="upper right")
    return figure


def pile_forces():
    """The contact forces in a slice of the pile."""
    rows = recorded("pile-forces.csv")
    figure, axes = plt.subplots(figsize=(7.6, 4.6))
    forces = np.array([row["force"] for row in rows])
    for row, share in zip(rows, forces / forces.max()):
        axes.plot((row["x1"], row["x2"]), (row["z1"], row["z2"]), color=plt.cm.viridis_r(0.1 + 0.9 * share), linewidth=0.4 + 7 * share,
                  solid_capstyle="round")
    axes.set(aspect="equal", xlabel="x, m", ylabel="z, m", title="Forces in a slice of a pile")
    axes.grid(visible=False)
    return figure


def wall_energies():
    """Energies of the wall that a ball hits."""
    rows = recorded("wall.csv")
    time = [row["time"] for row in rows]
    kinetic, potential = (np.array([row[key] for row in rows]) / 1000 for key in ("kinetic", "potential"))
    figure, axes = plt.subplots(figsize=(8, 3.6))
    axes.plot(time, kinetic + potential, color="#333333", linewidth=3, label="total")
    axes.plot(time, kinetic, color=BLUE, label="kinetic")
    axes.plot(time, potential, color=ORANGE, label="potential, zero at the beginning")
    for when, what in ((0.09, "the ball hits the wall"), (0.505, "the ball reaches the floor")):
        axes.axvline(when, color=GRAY, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.text(when + 0.01, 27, what, color="#555555", fontsize=9)
    axes.set(xlabel="time, s", ylabel="energy, kJ", title="Energies of the wall and the ball")
    axes.legend()
    return figure


def wall_contacts():
    """Contacts, sweeps and penetrations of the same."""
    rows = recorded("wall.csv")
    time = [row["time"] for row in rows]
    panels = (
        ("contacts", (("contacts", "candidates", GRAY), ("loaded", "active: with a force", BLUE))),
        ("sweeps of the solver", (("sweeps", None, BLUE),)),
        ("deepest penetration, mm", (("penetration", None, BLUE),)),
    )
    figure, several = plt.subplots(3, 1, figsize=(8, 6.4), sharex=True)
    for axes, (label, curves) in zip(several, panels):
        for key, name, color in curves:
            scale = 1000 if key == "penetration" else 1
            axes.plot(time, [scale * row[key] for row in rows], color=color, label=name, linewidth=1.2)
        axes.set_ylabel(label)
        if curves[0][1]:
            axes.legend()
    several[0].set_title("A step of the wall")
    several[-1].set_xlabel("time, s")
    return figure
