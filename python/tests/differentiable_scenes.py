"""Scenes for the tests of ldy.torch and ldy.jax: contacts that slide, stick and open, and other laws, away from kinks."""

import ldy
import numpy as np

H = 0.1
TENSOR = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.8]])
TIGHT = {"tolerance": 1e-12}


def ball_on_a_floor(velocity, law):
    """A rigid body, its center above the point at which it touches the floor."""
    system = ldy.System()
    ball = system.add_rigid(2.0, TENSOR)
    contact = system.add_point_constraints(ball, ldy.GROUND, np.eye(3), [0.1, 0.2, -1.0])
    system.set_laws(contact, law)
    return system, {"velocity": np.array(velocity, dtype=float)}


CONTACTS = {
    "slides": ([0.3, 0.1, -0.2, 3.0, 0.2, -2.0], ldy.laws.contact(0.3)),
    "slides with two coefficients": ([0.3, 0.1, -0.2, 3.0, 2.2, -2.0], ldy.laws.contact(0.3, friction_2=0.2)),
    "sticks": ([0.0, 0.0, 0.1, 0.1, 0.0, -2.0], ldy.laws.contact(0.8)),
    "opens": ([0.0, 0.1, 0.0, 1.0, 0.0, 2.0], ldy.laws.contact(0.5)),
    "pulls": ([0.0, 0.0, 0.0, 2.0, 0.5, 0.05], ldy.laws.contact(0.3, cohesion=5.0)),
    "expands": ([0.0, 0.0, 0.0, 2.0, 0.5, 0.5], ldy.laws.expansion(0.3, least_force=4.0)),
    "is at bounds": ([0.3, 0.1, -0.2, 3.0, -0.5, -1.0], ldy.laws.bounds(-4.0, 3.0)),
    "is fixed": ([0.3, 0.1, -0.2, 3.0, -0.5, -1.0], ldy.laws.fixed()),
}


def data_of(name):
    """The data of a scene of CONTACTS beside the velocity, as far as its law has them."""
    velocity, law = CONTACTS[name]
    system, data = ball_on_a_floor(velocity, law)
    laws = system.laws(system.constraints())
    data |= {"mass": np.array([2.0]), "inertia": TENSOR[None], "bias": np.array([[0.01, -0.02, 0.03]])}
    data |= {"master_point": np.array([[0.1, 0.2, -1.0]]), "slave_point": np.array([[0.0, 0.0, 0.0]])}
    if laws.kind[0] in ("contact", "expansion"):
        data["friction"] = laws.friction
    if name == "pulls":
        data["cohesion"] = laws.cohesion
    if name in ("expands", "is at bounds"):
        data["lower"] = laws.lower[:, :3]
    if name == "is at bounds":
        data["upper"] = laws.upper[:, :3]
    return system, data


def many_bodies():
    """Three bodies, a prescribed one among them, with rows of one, two, three and five scalar rows."""
    system = ldy.System()
    low, high = system.add_rigid([2.0, 1.0], 0.4, center=[[0, 0, 0.5], [0, 0, 1.5]])
    belt = system.add_obstacle(center=[0, 0, 0])
    rod = system.add_body(ldy.Inertia.dense([[2.0, 0.4], [0.4, 1.0]]))
    corners = [[-1, -0.4, 0], [1, -0.5, 0], [0, 0.6, 0]]
    floor = system.add_point_constraints(low, belt, np.eye(3), corners, corners)
    rolling = system.add_rolling_contact(high, low, np.eye(3), [0, 0, 1.0], [0, 0, 1.0], rows=5)
    tie = system.add_constraint_rows([int(high), rod], [np.eye(2, 6, 3), -np.eye(2)])
    limit = system.add_dof_constraint(rod, 1)
    system.set_laws(floor, ldy.laws.contact(0.3))
    system.set_laws(rolling, ldy.laws.rolling_contact(0.4, rolling=0.05))
    system.set_laws(tie, ldy.laws.bounds(-6.0, 6.0))
    system.set_laws(limit, ldy.laws.bounds(0.0, np.inf))
    velocity = [0.1, 0.2, 0.3, 2.0, 0.3, -1.0, 0.4, -3.0, 0.2, 0.5, -0.3, -2.0, 0, 0, 0, 0.4, 0, 0, 0.5, -0.7]
    data = {"velocity": np.array(velocity), "rolling_friction": np.array([0, 0, 0, 0.05, 0, 0])}
    data["friction"] = np.repeat([[0.3, 0.3]] * 3 + [[0.4, 0.4]] + [[0, 0]] * 2, 1, axis=0)
    data["master_point"] = np.vstack([corners, [[0, 0, 1.0]] * 3])
    data["bias"] = 0.05 * np.sin(np.arange(30.0).reshape(6, 5))
    return system, data


def table(height=1.0):
    """A body on four legs, whose forces are not unique, and resting contacts of another body that are at a kink."""
    system = ldy.System()
    body = system.add_rigid(4.0, 1.0, center=[0, 0, height])
    legs = system.add_point_constraints(body, ldy.GROUND, np.eye(3), [[-1, -0.5, 0], [1, -0.5, 0], [1, 0.5, 0], [-1, 0.5, 0]])
    system.set_laws(legs, ldy.laws.contact(0.5))
    return system


def robot():
    """W, B and laws of rows with three, one and three scalar rows, and numbers of the laws."""
    random = np.random.default_rng(3)
    J = random.normal(size=(7, 9))
    laws = ldy.Laws(3, ldy.laws.contact(0.3))
    laws[1] = ldy.laws.bounds(0.0, np.inf)
    data = {"W": J @ J.T + 0.2 * np.eye(7), "B": np.array([2.0, 0.3, -1.0, -0.5, -0.2, 1.5, -0.8])}
    data |= {"friction": np.array([[0.3, 0.2], [0, 0], [0.4, 0.4]]), "bias": 0.1 * random.normal(size=(3, 3))}
    return laws, [3, 1, 3], data
