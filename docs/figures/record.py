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

SPHERES, STEPS, MOST = 800, 700, 3000


def write(name, columns, rows):
    with open(DATA / name, "w", encoding="utf-8", newline="") as file:
        file.write(f"# docs/figures/record.py, ldy {ldy.__version__}\n")
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])


def poured():
    """A pile that has come to rest: its system, and the bodies, places, normals and forces of its contacts."""
    places, mass = pile.heap(SPHERES, np.random.default_rng(0)), 1000 * 4 / 3 * np.pi * pile.RADIUS**3
    system = ldy.System()
    bodies = system.add_rigid(np.full(SPHERES, mass), 0.4 * mass * pile.RADIUS**2)
    velocity = np.zeros((SPHERES, 6))
    for _ in range(STEPS):
        places += pile.STEP / 2 * velocity[:, 3:]
        master, slave, frame, gap = pile.contacts(places)
        normal = frame[:, :, 2]
        bias = ldy.laws.contact_bias(gap, pile.STEP, erp=0.1)[:, None] * [0, 0, 1]
        ids, _ = system.sync_constraints(master * (SPHERES + 1) + slave + 1, master, slave, frame, -pile.RADIUS * normal,
                                         pile.RADIUS * normal, ldy.laws.contact(pile.FRICTION, bias=bias))
        system.set_velocity(bodies, velocity - [0, 0, 0, 0, 0, pile.STEP * pile.GRAVITY])
        system.update(pile.STEP)
        R, _ = system.solve(R=system.stored_reactions(), tolerance=1e-4, max_sweeps=2000)
        system.store_reactions(R)
        system.apply_reactions(R)
        velocity = 0.99 * system.velocity(bodies)
        places += pile.STEP / 2 * velocity[:, 3:]
    system.set_velocity(bodies, velocity - [0, 0, 0, 0, 0, pile.STEP * pile.GRAVITY])
    system.update(pile.STEP)
    return system, master, slave, places, normal, R.reshape(-1, 3)[np.argsort(np.argsort(ids)), 2]


def residuals(system, method):
    """Residuals of a solution from zero forces, thinned out where there are many. """
    rows = []
    system.solve(tolerance=1e-9, method=method, max_sweeps=MOST, progress=lambda *row: rows.append(row[:3]))
    keep, last = [], 0
    for place, (residual, sweeps, steps) in enumerate(rows):
        if place == len(rows) - 1 or sweeps + steps >= 1.02 * last:
            keep.append((sweeps, steps, f"{residual:.3e}"))
            last = sweeps + steps
    return keep


def forces_in_slice(master, slave, places, normal, forces):
    """Lines between the centers that press on each other, in a slice of the pile."""
    upper = places[master]
    lower = upper - np.where(slave == ldy.GROUND, 1, 2)[:, None] * pile.RADIUS * normal
    for k in np.flatnonzero((np.abs(upper[:, 1] + lower[:, 1]) < 4 * pile.RADIUS) & (forces > 1e-3 * forces.max())):
        yield [f"{value:.3f}" for value in (upper[k, 0], upper[k, 2], lower[k, 0], lower[k, 2])] + [f"{forces[k]:.3g}"]


if __name__ == "__main__":
    system, *contacts = poured()
    for method in ("gauss_seidel", "automatic"):
        write(f"residual-{method.replace('_', '-')}.csv", ["sweeps", "steps", "residual"], residuals(system, method))
    write("pile-forces.csv", ["x1", "z1", "x2", "z2", "force"], forces_in_slice(*contacts))
    print(f"{len(contacts[0])} contacts")
