"""Geometric stiffness and longest steps, against derivatives that NumPy makes of what joints keep."""

import ldy
import numpy as np
import pytest

LENGTH = 1.5


def exp(v):
    angle = np.linalg.norm(v)
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + np.sinc(angle / np.pi) * cross + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * cross @ cross


def axes(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


class Scene:
    """Two bodies: a link from the ground, a fixed point between them, a contact whose axes the second turns, and a limit."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.turns, self.places = [axes(rng), axes(rng)], rng.normal(size=(2, 3))
        self.points = rng.normal(size=(4, 3))  # of the link, of the fixed point on both, of the contact
        self.frames = [axes(rng) for _ in range(3)]
        self.R = np.concatenate([[0, 0, -2.0], rng.normal(size=6), [0.25]])
        masses, inertias = [2.0, 3.0], [np.diag([1.0, 2, 3]), np.diag([2.0, 2, 1])]
        self.inverse = np.zeros((12, 12))
        for k in range(2):
            self.inverse[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = np.linalg.inv(inertias[k])
            self.inverse[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = np.eye(3) / masses[k]
        system = self.system = ldy.System()
        one, other = system.add_rigid(masses, inertias, self.turns)
        system.add_point_constraints(one, ldy.GROUND, self.frames[0], self.points[0])
        system.add_point_constraints(one, other, self.frames[1], self.points[1], self.points[2])
        system.add_point_constraints(other, ldy.GROUND, self.frames[2], self.points[3])
        system.add_dof_constraint(other, 4)
        self.joints = ldy.Joints(4, ldy.joints.link(LENGTH))
        self.joints[1] = ldy.joints.fixed_point()
        self.joints[2] = ldy.joints.contact("master")
        self.joints[3] = ldy.joints.constant_operators()

    def kept(self, x):
        """What the joints keep, a vector each in axes of space, or those that the second body turns; zero at first."""
        turned = [turn @ exp(x[6 * k : 6 * k + 3]) for k, turn in enumerate(self.turns)]
        moved = lambda k, point: turned[k] @ point + x[6 * k + 3 : 6 * k + 6] - self.turns[k] @ point
        link = LENGTH * self.frames[0][:, 2] + moved(0, self.points[0])
        between = moved(0, self.points[1]) - moved(1, self.points[2])
        contact = self.turns[1] @ turned[1].T @ moved(1, self.points[3])
        return np.linalg.norm(link) - LENGTH, between, contact

    def potential(self, x):
        link, between, contact = self.kept(x)
        force = [-frame @ self.R[3 * k : 3 * k + 3] for k, frame in enumerate(self.frames)]
        return -self.R[2] * link + force[1] @ between + force[2] @ contact

    def stiffness(self, h=1e-4):
        unit, value = h * np.eye(12), self.potential
        of = lambda a, b: value(a + b) - value(a - b) - value(b - a) + value(-a - b)
        return np.array([[of(a, b) for b in unit] for a in unit]) / (4 * h * h)

    def gradients(self, h=1e-6):
        rows = lambda x: np.concatenate([[self.kept(x)[0]], self.kept(x)[1], [self.frames[2][:, 2] @ self.kept(x)[2]]])
        of_points = np.array([rows(h * unit) - rows(-h * unit) for unit in np.eye(12)]).T / (2 * h)
        return np.vstack([of_points, np.eye(12)[10]])


@pytest.mark.parametrize("seed", range(3))
def test_stiffness_and_steps_are_those_of_derivatives(seed):
    scene = Scene(seed)
    K, system = scene.stiffness(), scene.system
    found = system.geometric_stiffness(scene.joints, scene.R, np.eye(12))
    np.testing.assert_allclose(found, K, atol=1e-5)
    x = np.arange(12.0)
    np.testing.assert_allclose(system.geometric_stiffness(scene.joints, scene.R, x), found @ x, atol=1e-12)

    M, J = scene.inverse, scene.gradients()
    free = M - M @ J.T @ np.linalg.pinv(J @ M @ J.T, rcond=1e-8) @ J @ M
    for inverse, sharp in ((M, False), (free, True)):
        expected = np.linalg.eigvals(inverse @ K).real.max()
        step = system.critical_step(scene.joints, scene.R, sharp=sharp)
        assert step.omega_squared == pytest.approx(expected, rel=1e-4)
        assert step.step == pytest.approx(2 / np.sqrt(expected), rel=1e-4)
        assert step.constraint in (0, 1, 2) and step.share > 0.25
    none = system.critical_step(scene.joints, np.zeros(10))
    assert (none.omega_squared, none.step, none.constraint) == (0, np.inf, None)


def test_joints_broadcast():
    joints = ldy.Joints(4, ldy.joints.link([1.0, 2.0, 3.0, 4.0]))
    joints[2:] = ldy.joints.contact("slave")
    assert repr(joints) == "<ldy.Joints: 2 link, 2 contact of the slave>" and len(joints) == 4
    for rows in (slice(0, 3), 0):
        with pytest.raises(ldy.Error, match=r"length: shape \(2,\) for [13] rows"):
            joints[rows] = ldy.joints.link([1.0, 2.0])
    with pytest.raises(ldy.Error, match="rows: -1"):
        ldy.Joints(-1)


def test_joints_that_are_none_are_refused():
    scene = Scene(0)
    call = scene.system.critical_step
    for joints, text in [
        (ldy.Joints(3), "the joints: 3 values where 4 are needed"),
        (ldy.Joints(4), "constraint 3 on body 1: its geometric stiffness is not known"),
        (ldy.joints.link(-1.0), "constraint 0 on body 0: the length of the link"),
    ]:
        with pytest.raises(ldy.Error, match=text):
            call(joints, scene.R)
    with pytest.raises(ValueError, match="axes_of"):
        ldy.joints.contact("nobody")
    with pytest.raises(ValueError, match="x: 5 values where 12"):
        scene.system.geometric_stiffness(scene.joints, scene.R, np.zeros(5))
