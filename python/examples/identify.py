"""
Friction and mass from a slide
==============================

A puck is pushed by a known force and slides to its end. Its friction and its mass are found from the recorded places: derivatives go through
all steps, from the last one to the first.

Usage: ``identify.py [--picture identify.png]``
"""

import argparse

import ldy
import numpy as np
from scipy.optimize import minimize

STEP, STEPS, GRAVITY = 0.01, 120, 9.81
FORCE = np.where(np.arange(STEPS) < 30, 20.0, 0.0)
# Mass and friction.
TRUE, GUESS = (1.7, 0.35), (1.0, 0.2)
# The puck does not turn.
INERTIA = 0.01


class Puck:
    """A puck on the floor."""

    def __init__(self):
        self.system = ldy.System()
        self.body = self.system.add_rigid(1.0, INERTIA)
        self.contact = self.system.add_point_constraints(self.body, ldy.GROUND, np.eye(3))

    def set(self, mass, friction):
        self.system.set_inertia(self.body, ldy.Inertia.rigid(mass, INERTIA))
        self.system.set_laws(self.contact, ldy.laws.contact(friction))
        self.mass = mass

    def slide(self):
        """Places after all steps; free velocities and forces of the contact, too."""
        velocity, place, free, forces = np.zeros(6), 0.0, [], []
        places = []
        for force in FORCE:
            free.append(velocity + STEP * np.array([0, 0, 0, force / self.mass, 0, -GRAVITY]))
            self.system.set_velocity(self.body, free[-1])
            self.system.update(STEP)
            R, _ = self.system.solve(tolerance=1e-10)
            forces.append(R)
            self.system.apply_reactions(R)
            velocity = self.system.velocity(self.body)
            place += STEP * velocity[3]
            places.append(place)
        return np.array(places), free, forces

    def derivatives(self, by_places, free, forces):
        """Of a function of the places, by mass and friction."""
        by_mass = by_friction = by_place = 0.0
        by_velocity = np.zeros(6)
        for k in reversed(range(STEPS)):
            by_place += by_places[k]
            by_velocity[3] += STEP * by_place
            self.system.set_velocity(self.body, free[k])
            self.system.update(STEP)
            gradient = self.system.gradient(forces[k], velocities=by_velocity)
            of_mass, _ = gradient.inertia(self.body)
            by_velocity = gradient.velocity(self.body)
            by_friction += gradient.data.friction.sum()
            by_mass += of_mass - by_velocity[3] * STEP * FORCE[k] / self.mass**2
        return np.array([by_mass, by_friction])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="identify.png")
    options = parser.parse_args()
    puck = Puck()
    puck.set(*TRUE)
    recorded, _, _ = puck.slide()
    tried, slides = [], []

    def misfit(logarithms):
        """Half the mean square of errors, and its derivatives: logarithms keep mass and friction positive."""
        values = np.exp(logarithms)
        puck.set(*values)
        places, free, forces = puck.slide()
        tried.append(values)
        slides.append(places)
        errors = places - recorded
        return errors @ errors / (2 * STEPS), values * puck.derivatives(errors / STEPS, free, forces)

    found = minimize(misfit, np.log(GUESS), method="BFGS", jac=True, options={"gtol": 1e-9})
    mass, friction = np.exp(found.x)
    print(f"{len(tried)} slides of {STEPS} steps")
    print(f"mass {mass:.6f} kg, friction {friction:.6f}; true {TRUE[0]} kg, {TRUE[1]}")
    draw(options.picture, recorded, slides, np.array(tried))


def draw(path, recorded, slides, tried):
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not there (pip install matplotlib)")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    times = STEP * np.arange(1, STEPS + 1)
    for k, places in enumerate(slides):
        left.plot(times, places, color="C0", alpha=0.2 + 0.8 * k / len(slides), linewidth=1)
    left.plot(times[::6], recorded[::6], "k.", label="recorded")
    left.set(xlabel="time (s)", ylabel="place (m)", title="slides that were tried", ylim=(0, 2 * recorded.max()))
    left.legend()
    for name, values, true in zip(("mass (kg)", "friction"), tried.T, TRUE):
        (line,) = right.plot(values, ".-", label=name)
        right.axhline(true, color=line.get_color(), linestyle="--", linewidth=1)
    right.set(xlabel="slide", title="dashed: true values")
    right.legend()
    figure.savefig(path, dpi=120)
    print(f"slides and values: {path}")


if __name__ == "__main__":
    main()
