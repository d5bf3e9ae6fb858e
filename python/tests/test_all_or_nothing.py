"""A call for many things does all of it or nothing: ids, values and results are those of a system that has not met it."""

import ldy
import numpy as np
import pytest


def scene():
    system = ldy.System()
    balls = system.add_rigid([1.0, 2.0, 3.0], [0.1, 0.2, 0.3], np.eye(3), np.zeros((3, 3)))
    contacts = system.add_point_constraints(balls, ldy.GROUND, np.eye(3), [[0, 0, -1], [1, 0, -1], [0, 1, -1]])
    system.set_velocity(balls, np.arange(18.0).reshape(3, 6))
    system.set_compliance(contacts[1:], diagonal=[1, 2, 3])
    return system, balls, contacts


NOT_A_NUMBER = [[0.0, 0, 0], [0, 1, 0], [np.nan, 0, 0]]
REFUSED = {
    "rigid": lambda s: s.add_rigid([1, 1, -1], 1.0),
    "pseudo-rigid": lambda s: s.add_pseudo_rigid([1, 1, 1], [1.0, 1.0, -1.0]),
    "obstacle": lambda s: s.add_obstacles(np.eye(3), NOT_A_NUMBER),
    "constraints": lambda s: s.add_point_constraints([0, 1, 2], ldy.GROUND, np.eye(3), NOT_A_NUMBER),
    "constraints of no body": lambda s: s.add_point_constraints([0, 1, 7], ldy.GROUND, np.eye(3)),
    "constraints of the ground": lambda s: s.add_point_constraints([0, 1, ldy.GROUND], ldy.GROUND, np.eye(3)),
    "rotation": lambda s: s.set_rotation([0, 1, 9], -np.eye(3)),
    "velocity": lambda s: s.set_velocity([2, 2, 9], np.ones(6)),
    "previous velocity": lambda s: s.set_velocity([0, 1, 9], np.ones(6), "previous"),
    "move": lambda s: s.move_constraints([0, 0, 1], np.eye(3), NOT_A_NUMBER),
    "compliance": lambda s: s.set_compliance([0, 1, 9], diagonal=[4, 4, 4]),
    "remove constraints": lambda s: s.remove_constraints([0, 1, 9]),
    "remove bodies": lambda s: s.remove_bodies([3, 0]),
}


def digest(system, h=0.5):
    system.update(h)
    rows = system.results()
    return [np.asarray(values).tobytes() for values in (rows.ids, rows.starts, rows.columns, rows.blocks.values, rows.B, rows.V)]


@pytest.mark.parametrize("what", REFUSED)
def test_a_refused_call_has_not_been_made(what):
    (system, *_), (other, *_) = scene(), scene()
    for one in (system, other):
        one.add_rigid(1.0, 1.0)
        one.update(0.5)
    with pytest.raises(ldy.Error, match=f"entry {1 if what == 'remove bodies' else 2}: "):
        REFUSED[what](system)
    assert digest(system) == digest(other)
    assert [body.tolist() for body in (system.bodies(), other.bodies())] == [[0, 1, 2, 3]] * 2
    # No id has been used up.
    assert system.add_rigid(1.0, 1.0) == 4
    assert system.add_point_constraints([4, 4], ldy.GROUND, np.eye(3)).tolist() == [3, 4]
    other.add_rigid(1.0, 1.0)
    other.add_point_constraints([4, 4], ldy.GROUND, np.eye(3))
    assert digest(system) == digest(other)


def test_texts_have_no_ids_of_things_that_were_not_inserted():
    system, _, _ = scene()
    with pytest.raises(ldy.Error, match="entry 2: new body: "):
        REFUSED["rigid"](system)
    with pytest.raises(ldy.Error, match="entry 2: new constraint on body 2: "):
        REFUSED["constraints"](system)
    with pytest.raises(ldy.Error, match="entry 2: new constraint on body 7: there is no body 7"):
        REFUSED["constraints of no body"](system)


def test_things_are_removed_once():
    system, balls, contacts = scene()
    with pytest.raises(ldy.Error, match="entry 2: constraint 0: an earlier entry has the same id"):
        system.remove_constraints([0, 1, 0])
    system.remove_constraints(contacts[[2, 0]])
    system.remove_bodies(balls[[2, 0]])
    assert system.bodies().tolist() == [1]
    system.update(1.0)
    assert system.results().ids.tolist() == [1]


def test_masses_change():
    system, balls, _ = scene()
    system.set_inertia(balls[0], ldy.Inertia.rigid(4.0, 0.5))
    system.update(1.0)
    assert system.results().diagonal[0][2, 2] == 0.25
    with pytest.raises(ldy.Error):
        system.set_inertia(balls[0], ldy.Inertia.rigid(-4.0, 0.5))
    general = system.add_body(ldy.Inertia.diagonal([1.0, 2.0]))
    with pytest.raises(ldy.Error, match="body 3: .*6 "):
        system.set_inertia(general, ldy.Inertia.rigid(1.0, 1.0))


def test_velocities_of_many_bodies():
    system, balls, _ = scene()
    np.testing.assert_array_equal(system.velocity(balls[[2, 0]]), np.arange(18.0).reshape(3, 6)[[2, 0]])
    assert system.velocity(0).shape == (6,) and system.velocity([0]).shape == (1, 6) and system.velocity([]).shape == (0, 0)
    soft = system.add_pseudo_rigid(1.0, 1.0)
    with pytest.raises(ValueError, match="entry 1: body 3 has 12 velocities, the bodies before it have 6"):
        system.velocity([0, soft])
    with pytest.raises(ldy.Error, match="entry 1: body 8"):
        system.velocity([0, 8])
