"""
Forces in a pile
================

Spheres with friction are poured onto the ground. Their forces are drawn.

Usage: ``pile.py [--spheres 2000] [--steps 300] [--picture pile.png]``
"""

import argparse
import time

import ldy
import numpy as np
from scipy.spatial import cKDTree

RADIUS, STEP, GRAVITY, FRICTION = 0.1, 2e-3, 9.81, 0.4
MARGIN = 0.1 * RADIUS


def heap(count, rng):
    """Centers of spheres in layers that become smaller, close to each other and a little out of order."""
    side = int(np.ceil((3 * count) ** (1 / 3)))
    layers = [(x - n / 2, y - n / 2, side - n) for n in range(side, 0, -1) for x in range(n) for y in range(n)]
    places = np.array(layers[:count]) * [2.02 * RADIUS, 2.02 * RADIUS, 1.45 * RADIUS] + [0, 0, 1.01 * RADIUS]
    return places + rng.uniform(-0.02, 0.02, places.shape) * RADIUS


def contacts(places):
    """Pairs of spheres that touch or nearly do, the ground being one of them; axes with the normal third, and gaps."""
    pairs = cKDTree(places).query_pairs(2 * RADIUS + MARGIN, output_type="ndarray").astype(np.int64)
    low = np.flatnonzero(places[:, 2] < RADIUS + MARGIN)
    apart = places[pairs[:, 0]] - places[pairs[:, 1]]
    distance = np.linalg.norm(apart, axis=1)
    normal = np.vstack([apart / distance[:, None], np.tile([0, 0, 1.0], (len(low), 1))])
    gap = np.concatenate([distance - 2 * RADIUS, places[low, 2] - RADIUS])
    master, slave = np.concatenate([pairs[:, 0], low]), np.concatenate([pairs[:, 1], np.full(len(low), ldy.GROUND)])
    return master, slave, ldy.frame_from_normal(normal), gap


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spheres", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--picture", default="pile.png")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    places, mass = heap(options.spheres, rng), 1000 * 4 / 3 * np.pi * RADIUS**3
    system = ldy.System()
    spheres = system.add_rigid(np.full(len(places), mass), 0.4 * mass * RADIUS**2)
    velocity = np.zeros((len(places), 6))
    kinetic, potential, begin, unsolved = [], [], time.perf_counter(), 0
    for _ in range(options.steps):
        places += STEP / 2 * velocity[:, 3:]
        master, slave, frame, gap = contacts(places)
        normal = frame[:, :, 2]
        # A contact that is open may close, one that is too deep comes out slowly.
        bias = ldy.laws.contact_bias(gap, STEP, erp=0.1)[:, None] * [0, 0, 1]
        # A contact that was there in the last step has its force again. A sphere looks the same however it has turned: points need no
        # rotation.
        key = master * (len(places) + 1) + slave + 1
        ids, _ = system.sync_constraints(
            key, master, slave, frame, -RADIUS * normal, RADIUS * normal, ldy.laws.contact(FRICTION, bias=bias)
        )
        system.set_velocity(spheres, velocity - [0, 0, 0, 0, 0, STEP * GRAVITY])
        system.update(STEP)
        R, report = system.solve(R=system.stored_reactions(), tolerance=1e-3, max_sweeps=500)
        unsolved += not report.converged
        system.store_reactions(R)
        system.apply_reactions(R)
        velocity = system.velocity(spheres)
        places += STEP / 2 * velocity[:, 3:]
        kinetic.append(0.5 * mass * (velocity[:, 3:] ** 2).sum() + 0.2 * mass * RADIUS**2 * (velocity[:, :3] ** 2).sum())
        potential.append(mass * GRAVITY * places[:, 2].sum())
    took = time.perf_counter() - begin

    print(f"{len(places)} spheres, {len(master)} contacts in the end, {1000 * took / options.steps:.0f} ms a step, {unsolved} not solved")
    deepest, fastest = max(-gap.min(initial=0), 0), np.linalg.norm(velocity[:, 3:], axis=1).max()
    print(f"deepest {deepest / RADIUS:.1e} of the radius, fastest {fastest:.2f} m/s")
    # Rows are in the order of ids.
    R = R.reshape(-1, 3)[np.argsort(np.argsort(ids))]
    print(f"the ground bears {R[slave == ldy.GROUND, 2].sum() / (mass * GRAVITY * len(places)):.3f} of the weight")
    points = places[master] - RADIUS * normal
    draw(options.picture, points, frame, R, STEP * np.arange(1, options.steps + 1), kinetic, potential)


def draw(path, points, frame, R, times, kinetic, potential):
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not there (pip install matplotlib)")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (above, below) = plt.subplots(2, 1, figsize=(9, 7), height_ratios=[3, 1], layout="constrained")
    ldy.plot.reactions(points, frame, R, above)
    below.plot(times, kinetic, label="kinetic")
    below.plot(times, np.array(potential) - potential[-1], label="potential, above the end")
    below.set(xlabel="time", ylabel="energy")
    below.legend()
    figure.savefig(path, dpi=120)
    print(f"forces and energies: {path}")


if __name__ == "__main__":
    main()
