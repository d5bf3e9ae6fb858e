"""
A throw to a target
===================

A puck is thrown, lands, slides and rests. Gradient descent finds the throw that ends at a target: JAX (PyPI: jax) takes derivatives through
flight, impact and sliding contact.

Usage: ``throw.py [--throws 25] [--picture throw.png]``
"""

import argparse
import sys

import ldy
import numpy as np

try:
    import jax
except ImportError:
    sys.exit("skipped: JAX is not there (pip install jax)")

jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

STEP, STEPS, GRAVITY, FRICTION = 0.01, 200, 9.81, 0.25
BEGIN, TARGET = np.array([0.0, 0.0, 0.5]), np.array([2.5, 0.8])
RATE = 0.6


def puck():
    """A step of a puck over a floor."""
    system = ldy.System()
    body = system.add_rigid(0.5, 0.01)
    contact = system.add_point_constraints(body, ldy.GROUND, np.eye(3))
    system.set_laws(contact, ldy.laws.contact(FRICTION))
    return ldy.jax.Step(system, STEP)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--throws", type=int, default=25)
    parser.add_argument("--picture", default="throw.png")
    options = parser.parse_args()
    step, fall = puck(), jnp.array([0, 0, 0, 0, 0, -STEP * GRAVITY])

    def path_of(throw):
        """The places of the puck after each step."""

        def advance(state, _):
            place, velocity = state
            # The contact may close, but not open.
            bias = jnp.array([0, 0, 1]) * place[2] / STEP
            velocity = step(velocity + fall, bias=bias).velocity
            place = place + STEP * velocity[3:]
            return (place, velocity), place

        begin = (jnp.asarray(BEGIN), jnp.concatenate([jnp.zeros(3), throw]))
        return jax.lax.scan(advance, begin, length=STEPS)[1]

    def missed(throw):
        """Half the square of the distance from the target, and the path."""
        path = path_of(throw)
        return jnp.sum((path[-1, :2] - TARGET) ** 2) / 2, path

    descend = jax.jit(jax.value_and_grad(missed, has_aux=True))
    throw, paths = jnp.array([1.0, -0.5, 2.0]), []
    for _ in range(options.throws):
        (_, path), derivative = descend(throw)
        paths.append(np.asarray(path))
        throw = throw - RATE * derivative
    distances = [np.linalg.norm(path[-1, :2] - TARGET) for path in paths]
    slid = np.linalg.norm(np.diff(paths[-1][paths[-1][:, 2] < 1e-6], axis=0), axis=1).sum()
    print(f"{len(paths)} throws: the first ends {distances[0]:.3f} m from the target, the last {distances[-1]:.1e} m")
    print(f"the last one slides {slid:.2f} m; velocity {np.array2string(np.asarray(throw), precision=2)} m/s")
    draw(options.picture, paths)


def draw(path, paths):
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not there (pip install matplotlib)")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (side, top) = plt.subplots(2, 1, figsize=(9, 6), sharex=True, layout="constrained")
    for k, places in enumerate(paths):
        color = plt.cm.viridis(k / max(len(paths) - 1, 1))
        places = np.vstack([BEGIN, places])
        side.plot(places[:, 0], places[:, 2], color=color)
        top.plot(places[:, 0], places[:, 1], color=color)
        top.plot(*places[-1, :2], "o", color=color, markersize=4)
    side.set(ylabel="height (m)", title="throws from the first one (dark) to the last one (bright)")
    top.plot(*TARGET, "rx", markersize=12, markeredgewidth=2, label="target")
    top.set(xlabel="x (m)", ylabel="y (m)")
    top.legend()
    figure.savefig(path, dpi=120)
    print(f"paths: {path}")


if __name__ == "__main__":
    main()
