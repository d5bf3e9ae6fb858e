"""Record the runs that figures are drawn from: residuals of a problem, and the forces in a pile.

Usage: record.py, with the package ldy, in the root of the repository
"""

import csv
import sys
from pathlib import Path

import ldy
import numpy as np

DATA = Path(__file__).parent / "data"
sys.path.insert(0, "python/examples")
import pile  # noqa: E402

PROBLEM, MOST = "tests/data/friction/Capsules-i101-404.npz", 3000


def write(name, columns, rows):
    with open(DATA / name, "w", encoding="utf-8", newline="") as file:
        file.write(f"# docs/figures/record.py, ldy {ldy.__version__}\n")
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])


def residuals(method):
    """Residuals of a solution, thinned out where there are many."""
    rows = []
    problem = ldy.load_problem(PROBLEM)
    problem.solve(tolerance=1e-10, method=method, max_sweeps=MOST, progress=lambda *row: rows.append(row))
    keep, last = [], 0
    for row in rows:
        residual, sweeps, steps = row[:3]
        if row is rows[-1] or sweeps + steps >= 1.02 * last:
            keep.append((sweeps, steps, f"{residual:.3e}"))
            last = sweeps + steps
    return keep


def pile_slice(spheres=1500, steps=400):
    """Lines between the centers that press on each other, in a slice of the pile that has come to rest."""
    places, mass = pile.heap(spheres, np.random.default_rng(0)), 1000 * 4 / 3 * np.pi * pile.RADIUS**3
    system = ldy.System()
    bodies = system.add_rigid(np.full(spheres, mass), 0.4 * mass * pile.RADIUS**2)
    velocity = np.zeros((spheres, 6))
    for _ in range(steps):
        places += pile.STEP / 2 * velocity[:, 3:]
        master, slave, frame, gap = pile.contacts(places)
        normal = frame[:, :, 2]
        bias = ldy.laws.contact_bias(gap, pile.STEP, erp=0.1)[:, None] * [0, 0, 1]
        ids, _ = system.sync_constraints(master * (spheres + 1) + slave + 1, master, slave, frame, -pile.RADIUS * normal,
                                         pile.RADIUS * normal, ldy.laws.contact(pile.FRICTION, bias=bias))
        system.set_velocity(bodies, velocity - [0, 0, 0, 0, 0, pile.STEP * pile.GRAVITY])
        system.update(pile.STEP)
        R, _ = system.solve(R=system.stored_reactions(), tolerance=1e-4, max_sweeps=2000)
        system.store_reactions(R)
        system.apply_reactions(R)
        velocity = system.velocity(bodies)
        places += pile.STEP / 2 * velocity[:, 3:]
    forces = R.reshape(-1, 3)[np.argsort(np.argsort(ids)), 2]
    below = places[master] - 2 * pile.RADIUS * normal
    below[slave == ldy.GROUND] = places[master][slave == ldy.GROUND] - pile.RADIUS * normal[slave == ldy.GROUND]
    inside = np.abs(places[master][:, 1] + below[:, 1]) < 4 * pile.RADIUS
    for first, second, force in zip(places[master][inside], below[inside], forces[inside]):
        if force > 1e-3 * forces.max():
            yield [f"{value:.3f}" for value in (first[0], first[2], second[0], second[2])] + [f"{force:.3g}"]


if __name__ == "__main__":
    for method in ("gauss_seidel", "automatic"):
        write(f"residual-{method.replace('_', '-')}.csv", ["sweeps", "steps", "residual"], residuals(method))
    write("pile-forces.csv", ["x1", "z1", "x2", "z2", "force"], pile_slice())
