"""
A thousand humanoids
====================

Humanoids of MuJoCo (PyPI: mujoco) are pushed and fall. In each step a batch solves the hard contacts, joint limits and dry friction of all
of them. MuJoCo's rollout makes the same steps with soft contacts.

Usage: ``many_humanoids.py [--humanoids 1024] [--steps 200] [--picture many_humanoids.png]``
"""

import argparse
import pathlib
import sys
import time

import ldy
import numpy as np

try:
    import mujoco
    import mujoco.rollout
except ImportError:
    sys.exit("skipped: MuJoCo is not there (pip install mujoco)")

STEP, WORK = 0.005, 5_000_000


class Clock:
    """Seconds of the processor for each part of the steps."""

    def __init__(self):
        self.seconds, self.begin = {}, time.process_time()

    def note(self, name):
        """The time since the last note is that of a part."""
        now = time.process_time()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self.begin
        self.begin = now


def dynamics(model, data):
    """All but constraint forces."""
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_fwdActuation(model, data)
    mujoco.mj_fwdAcceleration(model, data)


def advance(model, datas, clock):
    """A step of all humanoids; the number of solutions that did not converge, and of all scalar rows."""
    for data in datas:
        dynamics(model, data)
    clock.note("MuJoCo's dynamics")
    systems = [ldy.mujoco.system(model, data) for data in datas]
    clock.note("systems")
    batch = ldy.Batch(systems)
    # One hard problem does not keep the others waiting.
    R, report = batch.solve(tolerance=1e-6, max_work=WORK)
    clock.note("solutions")
    for system, data, own in zip(systems, datas, batch.split(R)):
        system.apply_reactions(own)
        data.qvel[:] = ldy.mujoco.velocity(system)
        mujoco.mj_integratePos(model, data.qpos, data.qvel, STEP)
    clock.note("velocities and places")
    return int(np.sum(~report.converged)), len(R)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--humanoids", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--picture", default="many_humanoids.png")
    options = parser.parse_args()
    model = mujoco.MjModel.from_xml_path(str(pathlib.Path(sys.argv[0]).with_name("humanoid.xml")))
    model.opt.timestep = STEP
    rng = np.random.default_rng(0)
    datas = [mujoco.MjData(model) for _ in range(options.humanoids)]
    for data in datas:
        data.qvel[:] = rng.normal(size=model.nv) * np.where(np.arange(model.nv) < 3, 1.5, 0.3)
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    begin = np.zeros((len(datas), mujoco.mj_stateSize(model, kind)))
    for state, data in zip(begin, datas):
        mujoco.mj_getState(model, data, state, kind)

    clock, heights, unsolved, rows = Clock(), np.zeros((options.steps, len(datas))), 0, 0
    for k in range(options.steps):
        missed, count = advance(model, datas, clock)
        unsolved, rows = unsolved + missed, rows + count
        heights[k] = [data.qpos[2] for data in datas]
    states, _ = mujoco.rollout.rollout(model, [mujoco.MjData(model)], begin, nstep=options.steps)
    clock.note("MuJoCo's rollout")

    solved = options.steps * len(datas)
    print(f"{len(datas)} humanoids, {options.steps} steps, {rows / solved:.0f} rows each, {unsolved} of {solved} solutions did not converge")
    print("microseconds for a humanoid and step: " + ", ".join(f"{name} {1e6 * taken / solved:.0f}" for name, taken in clock.seconds.items()))
    medians = [float(np.median(values)) for values in (heights[-1], states[:, -1, 3])]
    print(f"median height of the torso {medians[0]:.3f} m, in MuJoCo's rollout {medians[1]:.3f} m")
    deepest = min([0.0, *(dist for data in datas for dist in data.contact.dist)])
    print(f"deepest penetration at the end {-1000 * deepest:.2f} mm")
    draw(options.picture, model, datas, heights, states[:, :, 3].T)


def draw(path, model, datas, heights, softer):
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not there (pip install matplotlib)")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection

    figure, (crowd, below) = plt.subplots(2, 1, figsize=(10, 7), height_ratios=[3, 2], layout="constrained")
    bones = model.geom_type == mujoco.mjtGeom.mjGEOM_CAPSULE
    for k, data in enumerate(datas[:48]):
        mujoco.mj_forward(model, data)
        half = data.geom_xmat.reshape(-1, 3, 3)[bones, :, 2] * model.geom_size[bones, 1, None]
        middle = data.geom_xpos[bones] - [data.qpos[0], 0, 0]
        ends = np.stack([middle - half, middle + half], axis=1)[..., [0, 2]] + [1.6 * (k % 12), 1.7 * (k // 12)]
        crowd.add_collection(LineCollection(ends, linewidths=3, colors=f"C{k % 10}", capstyle="round"))
        crowd.axhline(1.7 * (k // 12), color="0.8", linewidth=1, zorder=0)
    crowd.set(aspect="equal", xlim=(-1.2, 19), ylim=(-0.2, 1.7 * (1 + (min(len(datas), 48) - 1) // 12)), xticks=[], yticks=[])
    crowd.set_title("some of them at the end")
    times = STEP * np.arange(1, len(heights) + 1)
    for name, values, color in (("hard contacts", heights, "C0"), ("MuJoCo's rollout", softer, "C1")):
        below.plot(times, np.median(values, axis=1), color=color, label=name)
        below.fill_between(times, *np.percentile(values, [10, 90], axis=1), color=color, alpha=0.2)
    below.set(xlabel="time (s)", ylabel="height of the torso (m)", title="medians, and four fifths of all")
    below.legend()
    figure.savefig(path, dpi=120)
    print(f"poses and heights: {path}")


if __name__ == "__main__":
    main()
