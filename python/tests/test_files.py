"""Contact problems in files: the same as C and Rust read and write, and damaged ones."""

import subprocess
import sys
from pathlib import Path

import ldy
import numpy as np
import pytest

DATA = Path(__file__).parents[2] / "tests" / "data"
MIXED = DATA / "problems" / "mixed.npz"


def arrays(path=MIXED):
    with np.load(path) as archive:
        return {name: archive[name] for name in archive.files}


def command(*words):
    done = subprocess.run([sys.executable, "-m", "ldy", *map(str, words)], check=False, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_the_problem_of_a_c_program_has_its_forces(tmp_path):
    problem = ldy.load_problem(MIXED)
    assert problem.W.shape == (17, 17) and list(problem.row_counts) == [3, 2, 1, 6, 3, 2] and not problem.normal_first
    expected, problem.R = problem.R, None
    R, report = problem.solve(tolerance=1e-12)
    assert report.converged
    np.testing.assert_allclose(R, expected, atol=2e-9)
    # The second contact slides in its plane.
    assert R[3] == pytest.approx(0.25 * (R[4] + 0.125))
    code, _, _ = command("solve", MIXED, "--tolerance", "1e-12", "-o", tmp_path / "R.npy")
    assert code == 0
    np.testing.assert_allclose(np.load(tmp_path / "R.npy"), expected, atol=2e-9)


def test_a_file_that_is_read_and_saved_is_the_same(tmp_path):
    ldy.load_problem(MIXED).save(tmp_path / "again.npz")
    before, after = arrays(), arrays(tmp_path / "again.npz")
    assert before.keys() == after.keys()
    for name, values in before.items():
        assert values.dtype == after[name].dtype
        np.testing.assert_array_equal(values, after[name], err_msg=name)
    assert [path.name for path in tmp_path.iterdir()] == ["again.npz"]


def test_a_factor_of_W_is_there():
    problem = ldy.load_problem(MIXED)
    # Three scalar rows at a time; the weld of six is two.
    there = np.flatnonzero(np.concatenate([np.arange(-(-m // 3) * 3) < m for m in problem.row_counts]))
    Z = problem.Z.toarray()
    np.testing.assert_allclose(Z[there] @ Z[there].T, problem.W.toarray(), atol=1e-13)
    assert not np.delete(Z, there, axis=0).any()


def planar_system(heights):
    random = np.random.default_rng(5)
    system = ldy.System()
    bodies = [system.add_body(ldy.Inertia.diagonal(1 + random.random(6))) for _ in range(3)]
    for body in bodies:
        system.set_velocity(body, random.normal(size=6))
    for row, m in enumerate(heights):
        pair = [bodies[row % 3], bodies[(row + 1) % 3]]
        system.add_constraint_rows(pair, [random.normal(size=(m, 6)) for _ in pair])
    system.update(0.5)
    return system


@pytest.mark.parametrize("heights", [[2, 2, 2], [3, 3, 3], [1, 2, 3, 4]])
def test_a_system_and_its_file_have_the_same_forces(tmp_path, heights):
    system = planar_system(heights)
    laws = ldy.Laws(len(heights))
    for row, m in enumerate(heights):
        if m in (2, 3):
            laws[row] = ldy.laws.contact(0.3, cohesion=0.1, bias=0.01 * np.arange(m))
        else:
            laws[row] = ldy.laws.bounds(0.0, np.inf, -0.1)
    expected, _ = system.solve(laws, tolerance=1e-12)
    ldy.save_problem(system, laws, tmp_path / "given.npz", expected)
    system.set_laws(system.constraints(), laws)
    ldy.save_problem(system, None, tmp_path / "kept.npz")
    for name in ("given", "kept"):
        problem = ldy.load_problem(tmp_path / f"{name}.npz")
        np.testing.assert_array_equal(problem.W.toarray(), system.results().to_csr().toarray())
        assert (problem.R is None) == (name == "kept")
        problem.R = None
        np.testing.assert_array_equal(problem.solve(tolerance=1e-12)[0], expected)
    with pytest.raises(ValueError, match="^laws: 1 laws for"):
        ldy.save_problem(system, ldy.Laws(1, ldy.laws.fixed()), tmp_path / "given.npz")
    with pytest.raises(ValueError, match="forces: 2 values where"):
        ldy.save_problem(system, laws, tmp_path / "given.npz", [1, 2])
    with pytest.raises(ValueError, match="^entry 1: the row has no law"):
        laws[1] = ldy.laws.none()
        ldy.save_problem(system, laws, tmp_path / "given.npz")
    assert ldy.load_problem(tmp_path / "given.npz").R is not None


def test_Z_repeats_steps_in_the_space_of_bodies(tmp_path):
    system = planar_system([2, 3] * 20)
    system.set_laws(system.constraints(), 0.3)
    expected, of_system = system.solve(method="newton", tolerance=1e-6)
    ldy.save_problem(system, None, tmp_path / "crowd.npz")
    problem = ldy.load_problem(tmp_path / "crowd.npz")
    R, report = problem.solve(method="newton", tolerance=1e-6)
    assert report.steps == of_system.steps > 0
    np.testing.assert_array_equal(R, expected)
    problem.Z = 2 * problem.Z
    with pytest.raises(ldy.Error, match="row 0: its blocks of W are not those of Z Z"):
        problem.solve()


def save(path, members):
    np.savez(path, **members)
    return path


def test_what_does_not_fit_is_refused(tmp_path):
    good = arrays()
    for name in good:
        for change in (1, -1):
            values = np.ravel(good[name])
            wrong = good | {name: np.append(values, values[-1:]) if change > 0 else values[:-1]}
            with pytest.raises(ValueError, match="wrong.npz: .*does not fit the rest of the file"):
                ldy.load_problem(save(tmp_path / "wrong.npz", wrong))
        if name not in ("r0", "version", "Z_indptr"):
            with pytest.raises(ValueError, match="wrong.npz: there is no"):
                ldy.load_problem(save(tmp_path / "wrong.npz", {other: good[other] for other in good if other != name}))
    for name, at, value, message in [
        ("kind", 0, 4, "kind does not fit"),
        ("heights", 0, 7, "heights does not fit"),
        ("heights", 0, 2, "q does not fit"),
        ("indices", 0, -1, "indices does not fit"),
        ("indptr", 1, 20, "indptr does not fit"),
        ("Z_indices", 0, -1, "Z_indices does not fit"),
    ]:
        values = good[name].copy()
        values[at] = value
        with pytest.raises(ValueError, match=message):
            ldy.load_problem(save(tmp_path / "wrong.npz", good | {name: values}))
    with pytest.raises(ValueError, match="version 2: this package reads version 1"):
        ldy.load_problem(save(tmp_path / "wrong.npz", good | {"version": np.int32(2)}))
    code, _, text = command("solve", tmp_path / "wrong.npz")
    assert code == 2 and text.startswith("ldy: ") and "version 2" in text


def test_damaged_bytes_are_refused(tmp_path):
    whole, path = MIXED.read_bytes(), tmp_path / "damaged.npz"
    at = whole.index(np.load(MIXED)["q"].tobytes())
    path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x20]) + whole[at + 1 :])
    with pytest.raises(ValueError, match=r"damaged.npz: .*CRC"):
        ldy.load_problem(path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"damaged.npz: "):
        ldy.load_problem(path)
    with pytest.raises(OSError, match="nothing.npz"):
        ldy.load_problem(tmp_path / "nothing.npz")


def test_old_files_are_read(tmp_path):
    contacts = {
        "data": np.array([[[1.0, 0], [0, 1]], [[2, 0.5], [0.5, 1]]]),
        "indices": [1, 0],
        "indptr": [0, 1, 2],
        "q": [1.0, 0.5, -1, 3],
        "mu": 0.5,
    }
    swapped = contacts | {"indices": [0, 1], "data": contacts["data"][[0, 1]]}
    problem = ldy.load_problem(save(tmp_path / "old.npz", swapped))
    assert problem.normal_first and list(problem.row_counts) == [2, 2]
    R, _ = problem.solve(tolerance=1e-12)
    # Sliding along its tangent: R_T = -0.5 R_N, and 0 = -1 + 2 R_N + 0.5 R_T.
    np.testing.assert_allclose(R, [0, 0, 1 / 1.75, -0.5 / 1.75], atol=1e-12)
    with pytest.raises(ldy.Error, match="it has rolling friction without the rows of moments"):
        ldy.load_problem(save(tmp_path / "old.npz", swapped | {"mu_r": 0.1})).solve()
    for name in ("stack-4", "chain-28"):
        problem = ldy.load_problem(DATA / "bodies" / f"{name}.npz")
        _, report = problem.solve(tolerance=1e-6)
        assert report.converged and not problem.normal_first
    for name in ("friction/Rover1039", "friction/Confeti-ex03", "rolling/rockfall_14_25792"):
        _, report = ldy.load_problem(DATA / f"{name}.npz").solve()
        assert report.converged


def test_moments_are_in_files(tmp_path):
    system = ldy.System()
    ball = system.add_rigid(1.0, 0.1)
    contacts = [system.add_rolling_contact(ball, ldy.GROUND, np.eye(3), (x, 0, -0.5), rows=rows) for x, rows in ((0, 5), (0.1, 6))]
    system.set_velocity(ball, [3.0, -2, 1, 0.5, 1, -1])
    system.set_laws(contacts[0], ldy.laws.rolling_contact(0.5, rolling=0.01))
    system.set_laws(contacts[1], ldy.laws.rolling_contact(0.4, rolling=0.02, torsion=0.03))
    system.update(1.0)
    expected, _ = system.solve(tolerance=1e-12)
    ldy.save_problem(system, None, tmp_path / "system.npz")
    problem = ldy.load_problem(tmp_path / "system.npz")
    problem.save(tmp_path / "again.npz")
    assert arrays(tmp_path / "system.npz")["mu_r"].tolist() == [0.01, 0.02]
    assert arrays(tmp_path / "again.npz")["mu_s"].tolist() == [0, 0.03]
    for one in (problem, ldy.load_problem(tmp_path / "again.npz")):
        R, report = one.solve(tolerance=1e-12)
        assert report.converged
        np.testing.assert_allclose(one.W @ (R - expected), 0, atol=1e-9)


def test_factors_and_points_of_bodies(tmp_path):
    from scipy.sparse import csc_array

    random = np.random.default_rng(3)
    M, H = np.diag(1 + random.random(4)), random.normal(size=(4, 4))
    members = {"f": random.normal(size=4), "b": random.normal(size=4), "mu": 0.3, "dim": 2}
    for name, matrix in (("M", M), ("H", H)):
        matrix = csc_array(matrix)
        members |= {f"{name}_{what}": getattr(matrix, what) for what in ("data", "indices", "indptr", "shape")}
    problem = ldy.load_problem(save(tmp_path / "factors.npz", members))
    np.testing.assert_allclose(problem.W.toarray(), H.T @ np.linalg.inv(M) @ H, atol=1e-12)
    np.testing.assert_allclose(problem.B, H.T @ np.linalg.inv(M) @ members["f"] + members["b"], atol=1e-12)
    # A point of two bodies against a system of rigid bodies.
    center, point = random.normal(size=(2, 3)), random.normal(size=(1, 3))
    vf, mass = random.normal(size=12), [2.0, 3.0]
    members = {
        "h": 0.5, "a": [0], "b": [1], "mu": 0.3, "bias": [0.25], "point": point, "normal": [[0, 0, 2.0]], "centre": center,
        "vf": vf, "M": np.stack([np.diag([1, 1, 1, m, m, m]) for m in mass]),
    }  # fmt: skip
    problem = ldy.load_problem(save(tmp_path / "points.npz", members))
    system = ldy.System()
    for m, place, velocity in zip(mass, center, vf.reshape(2, 6)):
        system.set_velocity(system.add_rigid(m, 1.0, center=place), velocity)
    system.add_point_constraints(0, 1, np.eye(3), point[0], point[0])
    system.update(0.5)
    np.testing.assert_allclose(problem.W.toarray(), system.results().to_dense(), atol=1e-12)
    np.testing.assert_allclose(problem.B, system.results().B, atol=1e-12)
    np.testing.assert_array_equal(problem.laws.bias[0, :3], [0, 0, 0.25])


def test_info(tmp_path):
    code, text, _ = command("info", MIXED, "--picture", tmp_path / "W.png")
    assert code == 0 and (tmp_path / "W.png").stat().st_size > 10_000
    assert "size: 6 rows, 17 scalar rows, 28 blocks" in text
    assert "laws: 3 of bounds, 3 of contact" in text and "islands: 1" in text and "rank: 17 of 17" in text
    # Three equal rows, and one on its own.
    W = np.zeros((4, 4))
    W[:3, :3], W[3, 3] = 1, 2
    ldy.Problem(W, np.ones(4), ldy.Laws(4, ldy.laws.fixed()), None, np.ones(4, dtype=int)).save(tmp_path / "equal.npz")
    _, text, _ = command("info", tmp_path / "equal.npz")
    assert "islands: 2, the largest with 3 rows" in text and "rank: 2 of 4" in text
    redundant = text.split("redundant scalar rows: ")[1].split()
    assert len(set(redundant)) == 2 and set(redundant) < {"0", "1", "2"}
    assert command("solve")[0] == 2 and command("solve", tmp_path / "equal.npz", "--method", "none")[0] == 2


def test_fixed_rows_need_no_bounds(tmp_path):
    members = arrays()
    members["kind"][5] = 1
    members["lower"][15:], members["upper"][15:] = 0, 0
    problem = ldy.load_problem(save(tmp_path / "fixed.npz", members))
    np.testing.assert_allclose(problem.solve(tolerance=1e-12)[0], members["r0"], atol=2e-9)
