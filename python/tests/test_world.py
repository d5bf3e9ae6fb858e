"""From the world to referential frames and back, and what is told of bodies and constraints as it was given."""

import ldy
import numpy as np
import pytest


def scene():
    rng = np.random.default_rng(1)
    turns = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(3)]
    turns = [turn * np.linalg.det(turn) for turn in turns]
    centers = rng.normal(size=(3, 3))
    system = ldy.System()
    return rng, system, system.add_rigid([1.0, 2, 3], 1.0, turns, centers), np.array(turns), centers


def test_points_and_spins_of_rigid_bodies():
    rng, system, bodies, turns, centers = scene()
    now, X, spin = rng.normal(size=(3, 3, 3))
    places = now + np.einsum("kij,kj->ki", turns, X - centers)
    system.set_position(bodies, now)
    np.testing.assert_array_equal(system.position(bodies), now)
    np.testing.assert_array_equal(system.position(1), now[1])
    np.testing.assert_allclose(system.body_point(bodies, places), X, atol=1e-13)
    np.testing.assert_allclose(system.body_point(1, places[1]), X[1], atol=1e-13)
    world = np.einsum("kij,kj->ki", turns, spin)
    np.testing.assert_allclose(system.world_angular_velocity(bodies, spin), world, atol=1e-13)
    np.testing.assert_allclose(system.body_angular_velocity(bodies, world), spin, atol=1e-13)
    # One spin for all.
    np.testing.assert_allclose(system.world_angular_velocity(bodies, spin[0]), turns @ spin[0], atol=1e-13)
    np.testing.assert_array_equal(system.rotation(bodies), turns)
    np.testing.assert_array_equal(system.rotation(2), turns[2])
    with pytest.raises(ldy.Error, match="^entry 1: body 7: there is no such body"):
        system.world_angular_velocity([0, 7], spin[0])
    with pytest.raises(ldy.Error, match="^body 7: there is no such body"):
        system.world_angular_velocity(7, spin[0])


def test_contacts_from_normals_and_places():
    rng, system, bodies, turns, centers = scene()
    now, normal, place = rng.normal(size=(3, 3, 3))
    with pytest.raises(ldy.Error, match="^entry 0: body 0: its position in the world is not known"):
        system.contact_frames(bodies, ldy.GROUND, normal, place)
    system.set_position(bodies, now)
    slaves = [bodies[1], ldy.GROUND, bodies[0]]
    frames, masters, others = system.contact_frames(bodies, slaves, normal, place)
    np.testing.assert_array_equal(frames, ldy.frame_from_normal(normal))
    np.testing.assert_array_equal(masters, system.body_point(bodies, place))
    np.testing.assert_array_equal(others[[0, 2]], system.body_point(slaves[::2], place[::2]))
    np.testing.assert_array_equal(others[1], place[1])
    with pytest.raises(ldy.Error, match="the normal is zero"):
        system.contact_frames(0, ldy.GROUND, [0, 0, 0], place)
    # The contact moves as its bodies do in the world.
    spin, v = rng.normal(size=(2, 3, 3))
    system.set_velocity(bodies, np.hstack([system.body_angular_velocity(bodies, spin), v]))
    system.sync_constraints([1, 2, 3], bodies, slaves, frames, masters, others)
    system.update(1.0)
    at = [v + np.cross(spin, place[k] - now) for k in range(3)]
    relative = [at[k][k] - (at[k][slaves[k]] if slaves[k] >= 0 else 0) for k in range(3)]
    expected = np.einsum("kij,ki->kj", frames, relative)
    np.testing.assert_allclose(system.results().B.reshape(3, 3), expected, atol=1e-12)
    R = rng.normal(size=9)
    forces = system.constraint_force(bodies, R)
    np.testing.assert_array_equal(forces[2], system.constraint_force(2, R))


def test_points_of_pseudo_rigid_bodies():
    rng = np.random.default_rng(2)
    system = ldy.System()
    body = system.add_pseudo_rigid(1.0, 1.0, [1.0, 2, 3])
    F, now, X = np.eye(3) + 0.2 * rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    found = system.pseudo_rigid_point(body, F, now, now + F @ (X - [1, 2, 3]))
    np.testing.assert_allclose(found, X, atol=1e-13)
    with pytest.raises(ldy.Error, match="^body 0: its deformation gradient is singular"):
        system.pseudo_rigid_point(body, np.ones((3, 3)), now, now)


def test_bodies_turn_on_by_themselves():
    J, spins = np.diag([1.0, 2, 4]), np.array([[1.0, 2, 3], [0, 1, 0]])
    expected = [-1e-9 * np.linalg.solve(J, np.cross(spin, J @ spin)) for spin in spins]
    np.testing.assert_allclose(ldy.gyroscopic_change(J, spins, 1e-9), expected, atol=1e-16)
    np.testing.assert_allclose(ldy.gyroscopic_change(J, spins[0], 1e-9), expected[0], atol=1e-16)
    with pytest.raises(ldy.Error, match="^inertia, angular velocity or h"):
        ldy.gyroscopic_change(np.zeros((3, 3)), spins[0], 0.1)


def test_a_free_body_keeps_energy_and_momentum():
    J = np.diag([1.0, 2, 3])
    spin, rotation = np.array([0.5, 50.0, 1.0]), np.eye(3)
    energy, momentum, least = spin @ J @ spin, J @ spin, 50.0
    for _ in range(1000):
        after = spin + ldy.gyroscopic_change(J, spin, 0.01)
        rotation, spin = ldy.advance_rotation(rotation, spin, after, 0.01), after
        least = min(least, spin[1])
    assert least < 0
    assert spin @ J @ spin == pytest.approx(energy, rel=1e-9)
    np.testing.assert_allclose(rotation @ J @ spin, momentum, atol=1e-7)
    several = ldy.advance_rotation(rotation, [spin, 2 * spin], spin, 0.1)
    assert several.shape == (2, 3, 3)
    np.testing.assert_array_equal(several[0], ldy.advance_rotation(rotation, spin, spin, 0.1))
    with pytest.raises(ldy.Error, match="^the rotation, an angular velocity or h"):
        ldy.advance_rotation(rotation, spin, spin, np.nan)


def test_placements_are_those_given():
    rng, system, bodies, turns, _ = scene()
    points = rng.normal(size=(2, 2, 3))
    ids = system.add_point_constraints(bodies[:2], bodies[2], turns[:2], points[0], points[1])
    frames, masters, slaves = system.point_frames(ids[::-1])
    for found, given in ((frames, turns[:2]), (masters, points[0]), (slaves, points[1])):
        np.testing.assert_array_equal(found, given[::-1])
    assert [array.shape for array in system.point_frames(0)] == [(3, 3), (3,), (3,)]
    # With other bodies, as constraints that are inserted so.
    system.move_constraints(ids, turns[0], points[1], points[0], master=bodies[2], slave=[bodies[0], ldy.GROUND])
    other = scene()[1]
    other.add_point_constraints(bodies[2], [bodies[0], ldy.GROUND], turns[0], points[1], points[0])
    for one in (system, other):
        one.update(0.5)
    np.testing.assert_array_equal(system.results().to_dense(), other.results().to_dense())
    with pytest.raises(ldy.Error, match="^entry 1: constraint 9: there is no such constraint"):
        system.point_frames([0, 9])
    operators = system.add_constraint_rows(bodies[0], np.ones((3, 6)))
    with pytest.raises(ldy.Error, match="^constraint 2 on body 0: it is given by operators H"):
        system.point_frames(operators)


def test_of_one_thing_it_is_not_said_which():
    _, system, bodies, *_ = scene()
    for call, text in [
        (lambda: system.add_rigid(-1.0, 1.0), "^new body: "),
        (lambda: system.add_point_constraints(7, 0, np.eye(3)), "^new constraint between bodies 7 and 0: there is no body 7"),
        (lambda: system.set_velocity(7, np.ones(6)), "^body 7: "),
        (lambda: system.velocity(7), "^body 7: "),
        (lambda: system.set_rotation(7, np.eye(3)), "^body 7: "),
        (lambda: system.remove_bodies(7), "^body 7: "),
        (lambda: system.remove_constraints(7), "^constraint 7: "),
        (lambda: system.set_tags(7, 1), "^constraint 7: "),
        (lambda: system.set_compliance(7, np.eye(3)), "^constraint 7: "),
        (lambda: system.move_constraints(7, np.eye(3)), "^constraint 7: "),
        (lambda: system.add_jacobian(bodies, 7, np.zeros((7, 18))), "^new constraint: a constraint has one to six rows"),
    ]:
        with pytest.raises(ldy.Error, match=text):
            call()
