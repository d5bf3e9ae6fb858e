"""Joints by axes: rows, errors, bad arguments."""

import ldy
import numpy as np
import pytest

TURNED = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
# The third axis is x.
ALONG_X = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
# Rows of a body on the ground: the velocity of its point is (2.5, 5, 5) in the world, its angular velocity (1, 2, 3) in its own frame,
# and the axes of the master are y, -x and z.
ROWS = {
    "hinge": [5, -2.5, 5, 1, 2],
    "slider": [5, -2.5, 1, 2, 3],
    "universal": [5, -2.5, 5, 3],
    "weld": [5, -2.5, 5, 1, 2, 3],
    "hinge_limit": [3],
    "slider_limit": [5],
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows_turn_with_the_master(kind: str) -> None:
    system = ldy.System()
    body = system.add_rigid(1.0, 1.0)
    system.set_velocity(body, [1, 2, 3, 4, 5, 6])
    # The second axis of the slave is -x at last, so that the universal joint's row is along z.
    joint = system.add_joint(kind, body, ldy.GROUND, np.eye(3), [0.5, 0, 0], TURNED, [0, 0, 0])
    system.set_rotation(body, TURNED)
    system.update(1.0)
    assert np.allclose(system.results().B, ROWS[kind], atol=1e-15)
    assert system.constraint(joint).row_count == len(ROWS[kind])


def test_a_slider_that_turns_needs_positions() -> None:
    system = ldy.System()
    arm, slide = (system.add_rigid(1.0, 1.0) for _ in range(2))
    system.set_velocity(arm, [0, 0, 1, 0, 0, 0])
    system.set_velocity(slide, [0, 0, 1, 0, 2, 0])
    joint = system.add_joint("slider", arm, slide, ALONG_X, [0, 0, 0], ALONG_X, [0, 0, 0])
    system.update(1.0)
    assert np.allclose(system.results().B, [-2, 0, 0, 0, 0])
    system.set_position([arm, slide], [[0, 0, 0], [2, 0, 0]])
    system.update(1.0)
    assert np.allclose(system.results().B, 0)


def test_errors_and_bad_arguments() -> None:
    system = ldy.System()
    body = system.add_rigid(1.0, 1.0, rotation=TURNED)
    frames = (np.eye(3), [0.5, 0, 0], np.eye(3), [0, 0, 0])
    weld = system.add_joint("weld", body, ldy.GROUND, *frames)
    with pytest.raises(ldy.Error, match="its position in the world is not known"):
        system.joint_error(weld)
    system.set_position(body, [0, -0.5, 0.25])
    assert np.allclose(system.joint_error(weld), [0, 0, 0.25, 0, 0, np.pi / 2])
    limit = system.add_joint("hinge_limit", ldy.GROUND, body, *frames)
    assert np.allclose(system.joint_error(limit), [-np.pi / 2])
    with pytest.raises(ldy.Error, match="kind: 'ball'"):
        system.add_joint("ball", body, ldy.GROUND, *frames)
    with pytest.raises(ldy.Error, match="master_frame: shape"):
        system.add_joint("weld", body, ldy.GROUND, np.eye(2), *frames[1:])
    with pytest.raises(ldy.Error, match="orthonormal"):
        system.add_joint("weld", body, ldy.GROUND, np.ones((3, 3)), *frames[1:])
    with pytest.raises(ldy.Error, match="joint by axes"):
        system.set_operators(weld, [np.zeros((6, 6))])
    contact = system.add_point_constraints(body, ldy.GROUND, np.eye(3))[0]
    with pytest.raises(ldy.Error, match="not a joint"):
        system.joint_error(contact)
