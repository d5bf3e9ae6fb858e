"""Numbers of dimensions and keywords decide shapes, never sizes or data."""

import ldy
import numpy as np
import pytest


def test_the_mass_says_how_many_bodies():
    system = ldy.System()
    assert system.add_rigid(1.0, [1.0, 2.0, 3.0]) == 0 and type(system.add_rigid(2, 0.5)) is int
    assert type(system.add_rigid(np.float64(1.0), np.eye(3))) is int
    assert system.add_rigid([1.0], 1.0).tolist() == [3] and system.add_pseudo_rigid([1.0, 2.0], [1.0, 2.0]).tolist() == [4, 5]
    # Three bodies, each with one moment.
    assert system.add_rigid([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]).tolist() == [6, 7, 8]
    system.add_point_constraints([0, 6, 7, 8], ldy.GROUND, np.eye(3), [0.0, 1.0, 0])
    system.update(1.0)
    # An arm along y turns about x and z.
    diagonals = [np.diag(block).tolist() for block in system.results().diagonal]
    np.testing.assert_allclose(diagonals, [[1 + 1 / 3, 1, 2], [2, 1, 2], [1.5, 1, 1.5], [1 + 1 / 3, 1, 1 + 1 / 3]])
    for call, text in [
        (lambda: system.add_rigid(1.0, 1.0, center=np.zeros((2, 3))), r"center: shape \(2, 3\) where \(3,\) is needed for one body"),
        (lambda: system.add_rigid(1.0, [1.0, 2.0]), r"inertia: shape \(2,\) where \(3,\)"),
        (lambda: system.add_rigid([1.0, 1.0], [1.0, 2.0, 3.0]), r"inertia: shape \(3,\) where \(2,\)"),
        (lambda: system.add_rigid([1.0, 1.0], np.ones((2, 3))), r"principal moments of several bodies are matrices"),
        (lambda: system.add_rigid([[1.0]], 1.0), "mass: shape"),
    ]:
        with pytest.raises(ldy.Error, match=text):
            call()
    assert system.body_count == 9


def test_obstacles():
    system = ldy.System()
    assert type(system.add_obstacle()) is int
    assert system.add_obstacles(np.eye(3), np.zeros((2, 3))).tolist() == [1, 2]
    assert system.add_obstacles([np.eye(3)] * 3, [0, 0, 1]).tolist() == [3, 4, 5]
    with pytest.raises(ldy.Error, match="center: shape"):
        system.add_obstacle(center=np.zeros((1, 3)))


@pytest.mark.parametrize("three", [True, False])
def test_results_have_the_same_shapes_for_rows_of_any_height(three):
    system = ldy.System()
    ball = system.add_rigid(1.0, 1.0)
    system.add_point_constraints([ball, ball], ldy.GROUND, np.eye(3))
    system.add_constraint_rows(ball, np.eye(6)[: 3 if three else 2])
    system.update(1.0)
    rows, n = system.results(), 9 if three else 8
    assert system.scalar_count == n and system.constraint_count == 3 == len(rows)
    R, _ = system.solve(ldy.laws.fixed())
    assert [array.shape for array in (rows.B, rows.V, R, system.multiply(R), system.stored_reactions())] == [(n,)] * 5
    assert [part.shape for part in rows.split(R)] == [(3,), (3,), (n - 6,)]
    assert system.multiply(np.ones((n, 4))).shape == (n, 4)
    assert isinstance(rows.blocks, ldy.Blocks) and rows.blocks[-1].shape == (n - 6, n - 6)
    assert rows.blocks.shapes.shape == (9, 2) and len(list(rows.blocks)) == 9 and len(rows.blocks[2:4]) == 2
    with pytest.raises(IndexError):
        rows.blocks[9]
    with pytest.raises(ldy.Error, match=r"x: shape \(1,\)"):
        rows.split([1.0])
    if three:
        np.testing.assert_array_equal(rows.blocks.stack()[5], rows.blocks[5])
    else:
        with pytest.raises(ldy.Error, match="different shapes"):
            rows.blocks.stack()
    np.testing.assert_array_equal(rows.blocks.largest(), [np.abs(block).max() for block in rows.blocks])
    W, first = rows.to_dense(), rows.scalars
    for k in range(3):
        for i in range(rows.starts[k], rows.starts[k + 1]):
            j = rows.columns[i]
            np.testing.assert_array_equal(rows.blocks[i], W[first[k] : first[k + 1], first[j] : first[j + 1]])


def test_results_of_no_rows():
    system = ldy.System()
    system.update(1.0)
    rows = system.results()
    assert len(rows) == 0 and rows.to_dense().shape == (0, 0) and rows.blocks.stack().shape == (0, 3, 3)
    assert rows.blocks.largest().shape == (0,) and rows.split(np.zeros(0)) == []


def test_the_delassus_matrix_of_robotics():
    rng = np.random.default_rng(0)
    M, J = rng.normal(size=(7, 7)), rng.normal(size=(5, 7))
    M = M @ M.T + np.eye(7)
    system = ldy.System()
    robot = system.add_body(ldy.Inertia.dense(np.linalg.inv(M)))
    system.add_jacobian([robot], [3, 2], J)
    np.testing.assert_allclose(system.delassus(), J @ np.linalg.inv(M) @ J.T, atol=1e-12)
    np.testing.assert_allclose(system.delassus(0.01), 0.01 * J @ np.linalg.inv(M) @ J.T, atol=1e-12)


def test_laws_broadcast():
    laws = ldy.Laws(4, ldy.laws.contact([0.1, 0.2, 0.3, 0.4]))
    assert laws.friction.tolist() == [[0.1] * 2, [0.2] * 2, [0.3] * 2, [0.4] * 2]
    laws[1:3] = ldy.laws.bounds([[0.0], [1.0]], np.inf, bias=(1, 2, 3))
    assert laws.kind.tolist() == ["contact", "bounds", "bounds", "contact"]
    assert laws.lower[:, 0].tolist() == [0, 0, 1, 0] and laws.bias[1].tolist() == [1, 2, 3, 0, 0, 0]
    laws[[0, 3]] = laws[[1, 2]]
    assert laws.kind.tolist() == ["bounds"] * 4 and laws.lower[3, 0] == 1
    laws[laws.lower[:, 0] == 1] = ldy.laws.none()
    assert laws.kind.tolist() == ["bounds", "bounds", "none", "none"] and len(laws[0]) == 1
    before = repr(laws)
    for law, text in [
        (ldy.laws.contact([0.1, 0.2]), r"friction: shape \(2,\) for 4 rows"),
        (ldy.laws.bounds(0, np.zeros((3, 1))), r"upper: shape \(3, 1\) for 4 rows"),
        (ldy.laws.bounds(0, np.zeros(7)), "upper: shape .* at most six"),
    ]:
        with pytest.raises(ldy.Error, match=text):
            laws[...] = law
    assert repr(laws) == before
    with pytest.raises(ldy.Error, match="the row has no law"):
        ldy.solve(np.eye(6), np.zeros(6), ldy.Laws(2))


def test_compliances_by_keyword():
    system = ldy.System()
    ball = system.add_rigid(1.0, 1.0)
    ids = system.add_point_constraints([ball] * 2, ldy.GROUND, np.eye(3))
    limit = system.add_dof_constraint(ball, 0)
    W = system.delassus()
    for values, added in [
        ({"diagonal": 0.5}, np.diag([0.5] * 7)),
        ({}, np.zeros((7, 7))),
    ]:
        system.set_compliance([*ids, limit], **values)
        np.testing.assert_allclose(system.delassus() - W, added, atol=1e-14)
    system.set_compliance(ids, diagonal=[[1, 2, 3], [4, 5, 6]])
    np.testing.assert_allclose(system.delassus() - W, np.diag([1, 2, 3, 4, 5, 6, 0]), atol=1e-14)
    with pytest.raises(ldy.Error, match="entry 1: constraint 2 has 1 scalar rows, constraint 0 has 3"):
        system.set_compliance([ids[0], limit], diagonal=[1, 2, 3])
    with pytest.raises(ldy.Error, match="both given"):
        system.set_compliance(ids, np.eye(3), diagonal=1)
    with pytest.raises(ldy.Error, match="entry 2: constraint 9"):
        system.set_compliance([0, 1, 9])
    np.testing.assert_allclose(system.delassus() - W, np.diag([1, 2, 3, 4, 5, 6, 0]), atol=1e-14)


def test_values_that_were_set_come_back():
    system = ldy.System()
    ball, soft = system.add_rigid(1.0, 1.0), system.add_pseudo_rigid(1.0, 1.0)
    wall, robot = system.add_obstacle(), system.add_body(ldy.Inertia.diagonal([1.0, 2.0]))
    assert [tuple(system.body(body)) for body in system.bodies()] == [("rigid", 6), ("pseudo_rigid", 12), ("obstacle", 6), ("general", 2)]
    ids = [*system.add_point_constraints([ball, soft], [ldy.GROUND, wall], np.eye(3)), system.add_dof_constraint(robot, 1)]
    ids.append(system.add_constraint_rows([ball, wall, robot], [np.ones((2, 6)), np.ones((2, 6)), np.ones((2, 2))]))
    told = [system.constraint(one) for one in ids]
    assert [one.row_count for one in told] == [3, 3, 1, 2] and told[0].bodies == (ball, ldy.GROUND) and told[1].bodies == (soft, wall)
    assert told[3].bodies == (ball, wall, robot)
    matrix = np.array([[2.0, 1], [1, 3]])
    system.set_compliance(ids[3], matrix)
    system.set_compliance(ids[0], diagonal=[1, 2, 3])
    np.testing.assert_array_equal(system.compliance(ids[3]), matrix)
    np.testing.assert_array_equal(system.compliance(ids[0]), np.diag([1, 2, 3]))
    np.testing.assert_array_equal(system.compliance(ids[1]), np.zeros((3, 3)))
    system.set_regularization([1.0, 2, 3, 4])
    np.testing.assert_array_equal(system.regularization(), [1, 1, 1, 2, 2, 2, 3, 4, 4])
    system.clear()
    assert repr(system) == "<ldy.System: 0 bodies, 0 constraints, 0 scalar rows>" and system.add_rigid(1.0, 1.0) == 4


def test_options_of_axes():
    system = ldy.System()
    ball = system.add_rigid(1.0, 1.0)
    single = ldy.frame_from_normal([1.0, 2.0, 3.0]).astype(np.float32)
    with pytest.raises(ldy.Error, match="not orthonormal"):
        system.add_point_constraints(ball, ldy.GROUND, single)
    assert not system.option("orthonormalize")
    system.set_option("orthonormalize", True)
    assert system.option("orthonormalize") and not system.option("any_axes")
    system.add_point_constraints(ball, ldy.GROUND, single)
    # W = E^T E for this point.
    np.testing.assert_allclose(system.delassus(), np.eye(3), atol=1e-6)
    system.set_option("any_axes", True)
    system.add_point_constraints(ball, ldy.GROUND, 2 * np.eye(3))


def test_frames_from_normals():
    normals = np.random.default_rng(0).normal(size=(20, 3))
    frames = ldy.frame_from_normal(normals)
    np.testing.assert_allclose(frames[:, :, 2] * np.linalg.norm(normals, axis=1)[:, None], normals, atol=1e-14)
    np.testing.assert_allclose(frames.transpose(0, 2, 1) @ frames, np.tile(np.eye(3), (20, 1, 1)), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(frames), 1)
    np.testing.assert_array_equal(ldy.frame_from_normal(normals[3]), frames[3])
    with pytest.raises(ldy.Error, match="^entry 1: the normal is zero"):
        ldy.frame_from_normal([[0, 0, 1], [0, 0, 0]])
    with pytest.raises(ldy.Error, match="^the normal is zero"):
        ldy.frame_from_normal([0, 0, np.nan])


def test_optional_modules_are_imported_when_they_are_used():
    import subprocess
    import sys

    text = "import sys, ldy; assert not {'ldy.plot', 'matplotlib', 'scipy'} & set(sys.modules); ldy.plot; assert 'ldy.plot' in sys.modules"
    assert subprocess.run([sys.executable, "-c", text]).returncode == 0
    with pytest.raises(AttributeError, match="nothing"):
        ldy.nothing
    assert "mujoco" in dir(ldy)
