"""Laws whose numbers change from step to step, or from phase to phase, against closed forms."""

import math

import ldy
import numpy as np
import pytest

STEP = 1 / 64
# The normal, the third axis, along x; columns are axes.
ALONG_X = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0.0]])


def block():
    """A mass 2 on the ground."""
    system = ldy.System()
    body = system.add_rigid(2.0, 1.0)
    contact = system.add_point_constraints(body, ldy.GROUND, np.eye(3))
    return system, body, contact


def solved(system, h, laws):
    system.update(h)
    R, report = system.solve(laws, tolerance=1e-13)
    assert report.converged
    system.apply_reactions(R)
    return R.reshape(-1, 3)


def pull(velocity, force, friction):
    """The velocity after a step with a pull along x, pressed on the ground with 16."""
    system, body, _ = block()
    system.set_velocity(body, [0, 0, 0, velocity + STEP * force / 2, 0, -STEP * 8])
    solved(system, STEP, ldy.laws.contact(friction))
    return system.velocity(body)[3]


def root(function, low, high):
    """The root of an increasing function."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return low


def test_static_and_kinetic_friction():
    velocity = 0.0
    # The block sticks below 8, breaks away above it, and slides against 4 until it stops; then it has 8 again.
    for force, expected in [(7, 0), (9, 0.5), (6, 1.5), (0, 0), (7, 0)]:
        velocity = pull(velocity, force, ldy.laws.contact_friction(abs(velocity), 0.5, 0.25, stick_speed=1e-9))
        assert velocity == pytest.approx(STEP * expected, abs=1e-12)


def test_stribeck_friction():
    def curve(slip):
        return ldy.laws.contact_friction(slip, 0.5, 0.25, stribeck_speed=1.0, viscous=0.01)

    np.testing.assert_allclose(curve([0, 1]), [0.5, 0.26 + 0.25 * math.exp(-1)], rtol=1e-15)
    velocity = 0.5
    for _ in range(20):
        velocity = pull(0.5, 10, curve(velocity))
    expected = root(lambda v: v - 0.5 - STEP * (10 - 16 * (0.25 + 0.25 * math.exp(-v * v) + 0.01 * v)) / 2, 0, 10)
    assert velocity == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ldy.Error, match="^entry 1: the slip or a parameter is negative"):
        curve([0, -1])


def bounce(model, h):
    """The speed after an impact with speed 1 of a mass 2."""
    system, body, contact = block()
    gap, velocity = 0.0, -1.0
    while gap <= 0:
        compliance, bias = ldy.laws.contact_compliance(gap, h, velocity, **model)
        system.set_compliance(contact, np.diag([0, 0, compliance]))
        system.set_velocity(body, [0, 0, 0, 0, 0, velocity])
        solved(system, h, ldy.laws.contact(bias=[0, 0, bias]))
        velocity = system.velocity(body)[5]
        gap += h * velocity
    return velocity


def test_hunt_crossley_contact():
    model = {"stiffness": 8192, "exponent": 1.5, "damping": 0.2, "least_penetration": 1e-9}
    compliance, bias = ldy.laws.contact_compliance([-STEP, -STEP], STEP, [0, 2], **model)
    assert -bias[0] / compliance[0] == pytest.approx(16, abs=1e-12)
    np.testing.assert_allclose(1 / compliance, [4.8 + 24, 4.8 + 0.4 * 24], rtol=1e-12)
    a = 0.3
    energy = 1 / a - math.log(1 + a) / a**2
    expected = root(lambda v: -v / a - math.log(1 - a * v) / a**2 - energy, 0, 1)
    model["stiffness"] = 1e4
    assert 2 * bounce(model, 5e-4) - bounce(model, 1e-3) == pytest.approx(expected, abs=2e-3)
    with pytest.raises(ldy.Error, match="^gap, velocity or h is not finite"):
        ldy.laws.contact_compliance(0.0, 0.0, **model)
    with pytest.raises(ldy.Error, match=r"^gap and velocity: shapes \(2,\) and \(3,\) differ"):
        ldy.laws.contact_compliance([0, 0], 0.1, [1, 2, 3], **model)


def impact(system, friction, restitution):
    """Compression, then expansion with at least e times the forces of the compression."""
    R = solved(system, 1.0, ldy.laws.contact(friction))
    solved(system, 1.0, ldy.laws.expansion(friction, least_force=restitution * R[:, 2]))


def test_poisson_restitution(tmp_path):
    # A ball strikes two in a row. With e = 0 in the second contact, the bound of its force does not hold it back.
    for second in (1, 0):
        system = ldy.System()
        balls = system.add_rigid([1.0, 1.0, 1.0], 1.0)
        system.add_point_constraints(balls[1:], balls[:2], ALONG_X)
        system.set_velocity(balls[0], [0, 0, 0, 1, 0, 0])
        impact(system, 0.0, np.array([1, second]))
        np.testing.assert_allclose([system.velocity(ball)[3] for ball in balls], [-1 / 3, 2 / 3, 2 / 3], atol=1e-11)
    # Friction acts in both phases: v_T - mu (1 + e) v_N.
    system, body, contact = block()
    system.set_velocity(body, [0, 0, 0, 3, 0, -4])
    impact(system, 0.25, 0.5)
    np.testing.assert_allclose(system.velocity(body)[3:], [3 - 0.25 * 1.5 * 4, 0, 2], atol=1e-11)
    # The law is kept with a constraint, and in files.
    system.set_laws(contact, ldy.laws.expansion(0.5, least_force=0.25))
    laws = system.laws(contact)
    assert laws.kind == ["expansion"] and laws.least_force == [0.25] and laws.friction.tolist() == [[0.5, 0.5]]
    system.update(1.0)
    for k, save in enumerate([lambda path: ldy.save_problem(system, None, path), lambda path: ldy.load_problem(tmp_path / "0.npz").save(path)]):
        save(tmp_path / f"{k}.npz")
        laws = ldy.load_problem(tmp_path / f"{k}.npz").laws
        assert laws.kind == ["expansion"] and laws.least_force == [0.25] and laws.friction.tolist() == [[0.5, 0.5]]
