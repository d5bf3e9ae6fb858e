"""Joints by axes: rows, errors, bad arguments."""

import ldy
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

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


# The rows of each kind: p and an axis for the point, a and an axis for the angular velocity, x for the cross product of axes.
KINDS = {
    "hinge": "p0 p1 p2 a0 a1",
    "slider": "p0 p1 a0 a1 a2",
    "universal": "p0 p1 p2 x0",
    "weld": "p0 p1 p2 a0 a1 a2",
    "hinge_limit": "a2",
    "slider_limit": "p2",
}


def rotation(random: np.random.Generator) -> np.ndarray:
    q = np.linalg.qr(random.normal(size=(3, 3)))[0]
    return q * np.linalg.det(q)


@pytest.mark.parametrize("ground", [None, 0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_errors_in_any_pose(kind: str, ground: int | None) -> None:
    random = np.random.default_rng(7)
    system = ldy.System()
    center, point, place = random.normal(size=(3, 2, 3))
    turned, frames = [[rotation(random) for _ in range(2)] for _ in range(2)]
    u = random.normal(size=(2, 6))
    bodies = [system.add_rigid(1.0, 1.0, rotation=turned[k], center=center[k]) for k in range(2)]
    system.set_velocity(bodies, u)
    ids = list(bodies)
    if ground is not None:
        # The ground does not move.
        ids[ground], turned[ground], u[ground] = ldy.GROUND, np.eye(3), 0
        center[ground] = 0
    joint = system.add_joint(kind, ids[0], ids[1], frames[0], point[0], frames[1], point[1])
    for step in range(4):
        if ids[step % 2] != ldy.GROUND:
            turned[step % 2] = rotation(random)
            system.set_rotation(bodies[step % 2], turned[step % 2])
        place = random.normal(size=(2, 3))
        system.set_position(bodies, place)
        system.update(1.0)
        errors = system.joint_error(joint)
        if ground is not None:
            place[ground] = 0
        axes = [turned[k] @ frames[k] for k in range(2)]
        spin = [turned[k] @ u[k, :3] for k in range(2)]
        arms = [turned[k] @ (point[k] - center[k]) for k in range(2)]
        gap = place[0] + arms[0] - place[1] - arms[1]
        speed = u[0, 3:] + np.cross(spin[0], arms[0] - gap) - u[1, 3:] - np.cross(spin[1], arms[1])
        rows = {"p": axes[0].T @ speed, "a": axes[0].T @ (spin[0] - spin[1])}
        rows["x"] = [np.cross(axes[0][:, 0], axes[1][:, 1]) @ (spin[0] - spin[1])]
        assert np.allclose(system.results().B, [rows[row[0]][int(row[1])] for row in KINDS[kind].split()], atol=1e-13)
        between = axes[1].T @ axes[0]
        if kind == "hinge":
            angles = axes[0].T @ np.cross(axes[1][:, 2], axes[0][:, 2])
        elif kind == "hinge_limit":
            angles = [0, 0, np.arctan2(between[1, 0] - between[0, 1], between[0, 0] + between[1, 1])]
        else:
            angles = Rotation.from_matrix(between).as_rotvec()
        expected = {"p": axes[0].T @ gap, "a": angles, "x": [axes[0][:, 0] @ axes[1][:, 1]]}
        assert np.allclose(errors, [expected[row[0]][int(row[1])] for row in KINDS[kind].split()], atol=1e-12)
    system.remove_constraints([joint])
    system.set_rotation(bodies[0], np.eye(3))
    system.update(1.0)
    with pytest.raises(ldy.Error, match="no such constraint"):
        system.joint_error(joint)


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
