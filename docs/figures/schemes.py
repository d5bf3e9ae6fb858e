"""Figures without measured data: frames and signs, the pattern of W, a step, a migration."""

import matplotlib.pyplot as plt
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle

BLUE, ORANGE, GREEN, GRAY = "#0072B2", "#D55E00", "#009E73", "#666666"
PALE = {BLUE: "#d9eaf5", ORANGE: "#fae3d6", GREEN: "#d9efe7", GRAY: "#eeeeee"}


def canvas(width, height, scale=1.0):
    """Axes without anything, where a unit is an inch times scale in both directions."""
    figure, axes = plt.subplots(figsize=(width * scale, height * scale))
    axes.set(xlim=(0, width), ylim=(0, height), aspect="equal")
    axes.axis("off")
    return figure, axes


def arrow(axes, start, end, color, label=None, at=(0, 0), width=2.2, **how):
    style = {"arrowstyle": "-|>", "mutation_scale": 14, "shrinkA": 0, "shrinkB": 0} | how
    axes.add_patch(FancyArrowPatch(start, end, color=color, linewidth=width, **style))
    if label:
        axes.text(end[0] + at[0], end[1] + at[1], label, color=color, ha="center", va="center", fontsize=12)


def box(axes, x, y, width, height, text, color=BLUE, size=10, **how):
    axes.add_patch(FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.08", facecolor=PALE[color],
                                  edgecolor=color, linewidth=1.4))
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=size, **how)


def frames():
    """Two bodies, the frame of their contact, U and R."""
    figure, axes = canvas(8.2, 4.2)
    axes.add_patch(Polygon([(0.5, 0.3), (4.3, 0.3), (4.3, 1.7), (0.5, 1.7)], facecolor=PALE[GRAY], edgecolor=GRAY, linewidth=1.4))
    axes.add_patch(Circle((2.4, 2.7), 1.0, facecolor=PALE[BLUE], edgecolor=BLUE, linewidth=1.4))
    axes.text(1.05, 0.6, "slave s", color=GRAY, fontsize=12)
    axes.text(2.4, 3.2, "master m", color=BLUE, fontsize=12, ha="center")
    point = (2.4, 1.7)
    arrow(axes, point, (2.4, 2.65), GREEN, "3, normal", (0, 0.14))
    arrow(axes, point, (3.35, 1.7), GREEN, "1, tangent", (0.1, -0.25))
    axes.add_patch(Circle((2.4, 1.7), 0.09, facecolor="white", edgecolor=GREEN, linewidth=1.8, zorder=3))
    axes.plot(2.33 + 0.07, 1.7, "x", color=GREEN, markersize=5, zorder=4)
    axes.text(2.12, 1.5, "2", color=GREEN, fontsize=12, ha="center")
    axes.text(2.4, 0.02, "frame E: its columns are the axes 1, 2, 3", color=GREEN, fontsize=10, ha="center")

    axes.text(5.2, 3.85, "relative velocity", fontsize=11, weight="bold")
    axes.text(5.2, 3.5, "U = Eᵀ (velocity of m − velocity of s)", fontsize=10)
    axes.text(5.2, 3.18, "U₃ > 0: the bodies separate", fontsize=10)
    axes.text(5.2, 2.6, "reaction", fontsize=11, weight="bold")
    axes.text(5.2, 2.25, "E R acts on m, −E R acts on s", fontsize=10)
    axes.text(5.2, 1.93, "R₃ > 0: they push each other apart", fontsize=10)
    arrow(axes, (6.1, 0.95), (6.1, 1.6), ORANGE, "E R", (0.35, -0.05))
    arrow(axes, (6.1, 0.75), (6.1, 0.1), ORANGE, "−E R", (0.4, 0.08))
    axes.text(5.2, 1.2, "on m", color=BLUE, fontsize=10)
    axes.text(5.2, 0.35, "on s", color=GRAY, fontsize=10)
    axes.plot((5.2, 7.6), (0.85, 0.85), color=GRAY, linewidth=0.8, linestyle=(0, (4, 3)))
    return figure


def graph():
    """Three boxes on a floor, their four contacts, and the pattern of W."""
    figure, axes = canvas(9.4, 3.6)
    axes.add_patch(Rectangle((0.2, 0.3), 2.6, 0.12, facecolor=GRAY))
    places = {"a": (0.45, 0.42), "b": (1.6, 0.42), "c": (1.02, 1.37)}
    for name, (x, y) in places.items():
        axes.add_patch(Rectangle((x, y), 0.95, 0.95, facecolor=PALE[BLUE], edgecolor=BLUE, linewidth=1.4))
        axes.text(x + 0.47, y + 0.47, name, color=BLUE, fontsize=13, ha="center", va="center")
    contacts = [(0.92, 0.42), (2.07, 0.42), (1.21, 1.37), (1.8, 1.37)]
    for number, (x, y) in enumerate(contacts, 1):
        axes.add_patch(Circle((x, y), 0.15, facecolor="white", edgecolor=ORANGE, linewidth=1.6, zorder=3))
        axes.text(x, y - 0.01, str(number), color=ORANGE, ha="center", va="center", fontsize=10, zorder=4)
    axes.text(1.5, 2.75, "bodies and contacts", ha="center", weight="bold")

    nodes = {"1": (4.0, 0.7), "2": (5.4, 0.7), "3": (4.0, 1.9), "4": (5.4, 1.9)}
    for first, second, body, shift in (("1", "3", "a", (-0.18, 0)), ("2", "4", "b", (0.18, 0)), ("3", "4", "c", (0, 0.17))):
        (x, y), (u, v) = nodes[first], nodes[second]
        axes.plot((x, u), (y, v), color=BLUE, linewidth=1.8, zorder=1)
        axes.text((x + u) / 2 + shift[0], (y + v) / 2 + shift[1], body, color=BLUE, ha="center", va="center", fontsize=12)
    for name, place in nodes.items():
        axes.add_patch(Circle(place, 0.2, facecolor="white", edgecolor=ORANGE, linewidth=1.6, zorder=3))
        axes.text(place[0], place[1] - 0.01, name, color=ORANGE, ha="center", va="center", fontsize=12, zorder=4)
    axes.text(4.7, 2.75, "contacts that share a body", ha="center", weight="bold")

    left, top, cell = 6.9, 2.35, 0.5
    present = {(0, 0), (1, 1), (2, 2), (3, 3), (0, 2), (2, 0), (1, 3), (3, 1), (2, 3), (3, 2)}
    for row in range(4):
        axes.text(left - 0.18, top - (row + 0.5) * cell, str(row + 1), color=ORANGE, ha="center", va="center")
        axes.text(left + (row + 0.5) * cell, top + 0.15, str(row + 1), color=ORANGE, ha="center", va="center")
        for column in range(4):
            color = "white" if (row, column) not in present else ORANGE if row == column else BLUE
            axes.add_patch(Rectangle((left + column * cell, top - (row + 1) * cell), cell, cell, facecolor=PALE.get(color, "white"),
                                     edgecolor="#bbbbbb", linewidth=0.8))
            if color != "white":
                axes.text(left + (column + 0.5) * cell, top - (row + 0.5) * cell, "3×3", ha="center", va="center", fontsize=8, color=color)
    axes.text(left + 2 * cell, 2.75, "blocks of W", ha="center", weight="bold")
    axes.text(left + 2 * cell, 0.05, "contacts 1 and 2 share the ground only: no block", ha="center", fontsize=8.5, color=GRAY)
    for start in (2.95, 6.0):
        arrow(axes, (start, 1.35), (start + 0.45, 1.35), GRAY, width=1.6)
    return figure


STEP = (
    ("detect", "contact_frames\nsync_constraints", GRAY, "bodies, points, normals, gaps"),
    ("velocities", "set_velocities", GRAY, "free velocity u + h A⁻¹ f"),
    ("assemble", "update", BLUE, "W = h H A⁻¹ Hᵀ, B"),
    ("solve", "contact_solver_solve", BLUE, "R with C(U, R) = 0"),
    ("apply", "apply_reactions", BLUE, "u = free + h A⁻¹ Hᵀ R"),
    ("advance", "advance_rotation\nset_positions", GRAY, "positions, rotations"),
)


def step():
    """The calls of a step, and what stays valid from one to the next."""
    figure, axes = canvas(11.2, 3.5)
    width, gap = 1.58, 0.26
    for place, (title, calls, color, result) in enumerate(STEP):
        x = 0.15 + place * (width + gap)
        box(axes, x, 1.55, width, 1.1, "", color)
        axes.text(x + width / 2, 2.4, title, ha="center", va="center", weight="bold", color=color)
        axes.text(x + width / 2, 1.93, calls, ha="center", va="center", fontsize=8.5, family="monospace")
        axes.text(x + width / 2, 1.32, result, ha="center", va="center", fontsize=8.5, color="#444444")
        if place:
            arrow(axes, (x - gap, 2.1), (x, 2.1), GRAY, width=1.5)
    last = 0.15 + 5 * (width + gap) + width / 2
    axes.plot((last, last, 0.15 + width / 2), (2.65, 3.1, 3.1), color=GRAY, linewidth=1.5)
    arrow(axes, (0.15 + width / 2, 3.1), (0.15 + width / 2, 2.65), GRAY, width=1.5)
    axes.text((last + 0.9) / 2, 3.25, "next step: laws and forces stay with the constraints", ha="center", fontsize=9.5, color=GRAY)
    bars = ((2, 5, "results and W: until bodies or constraints change", BLUE), (0, 6, "ids, laws, stored forces: until removed", GRAY))
    for line, (first, end, text, color) in enumerate(bars):
        y, x0, x1 = 0.72 - 0.46 * line, 0.15 + first * (width + gap), 0.15 + end * (width + gap) - gap
        axes.add_patch(Rectangle((x0, y), x1 - x0, 0.32, facecolor=PALE[color], edgecolor=color, linewidth=1))
        axes.text((x0 + x1) / 2, y + 0.155, text, ha="center", va="center", fontsize=9, color="#333333")
    return figure


LINKS = (
    ("1  operators", ("host.o", "legacy ldy.o", "libldy.a"), "assembly: legacy\noperators H: ldy"),
    ("2  shadow", ("host.o + check", "legacy ldy.o", "libldy.a"), "assembly: legacy\nldy compares each update"),
    ("3  replace", ("host.o", None, "libldy.a"), "assembly: ldy"),
)


def migration():
    """The three link lines of a migration."""
    figure, axes = canvas(9.6, 3.5)
    colors = (GRAY, ORANGE, BLUE)
    axes.text(2.1, 3.2, "link line: cc …", weight="bold")
    axes.text(7.5, 3.2, "what runs", weight="bold")
    for line, (title, parts, runs) in enumerate(LINKS):
        y = 2.35 - 1.05 * line
        axes.text(0.1, y + 0.3, title, va="center", fontsize=11, weight="bold")
        for place, (part, color) in enumerate(zip(parts, colors)):
            if part:
                box(axes, 2.1 + 1.75 * place, y, 1.6, 0.6, part, color, 9.5, family="monospace")
            else:
                axes.text(2.9 + 1.75 * place, y + 0.3, "left out", ha="center", va="center", fontsize=9.5, color="#999999", style="italic")
        axes.text(7.5, y + 0.3, runs, va="center", fontsize=9.5)
        if line:
            arrow(axes, (0.7, y + 1.12), (0.7, y + 0.55), GRAY, width=1.4)
    axes.text(1.05, 0.02, "back: the line before", fontsize=9, color=GRAY, va="bottom")
    return figure
