"""Solution sets against linear and cone programs of SciPy over dense null spaces, and closed forms."""

import ldy
import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import linprog, minimize


def boxes(random, levels, friction, points=4):
    """A stack of shifted boxes of different masses on random points."""
    system, below, place = ldy.System(), ldy.GROUND, np.zeros(2)
    for level in range(levels):
        place = place + random.uniform(-0.1, 0.1, 2)
        body = system.add_rigid(random.uniform(1, 3), np.array([1.0, 2.0, 2.0]), center=[*place, level + 0.5])
        system.set_velocity(body, [0, 0, 0, 0, 0, -1])
        angles = np.arange(points) * 2 * np.pi / points + random.uniform(-0.3, 0.3, points)
        corners = np.column_stack([place[0] + np.cos(angles), place[1] + 0.5 * np.sin(angles), np.full(points, float(level))])
        system.add_point_constraints(body, below, np.eye(3), corners)
        below = body
    system.update(1.0)
    return system, ldy.laws.contact(friction=friction)


def planar(random, points):
    """A box on points in a plane: rows of a tangent and the normal."""
    M, system = np.diag([1.0, 1.0, 0.4]), ldy.System()
    body = system.add_body(ldy.Inertia.diagonal(1 / np.diag(M)))
    system.set_velocity(body, [0.0, -1.0, 0.0])
    x = np.sort(random.uniform(-1, 1, points))
    x[0], x[-1] = -1, 1
    for at in x:
        system.add_constraint_rows([body], [np.array([[1.0, 0.0, 0.7], [0.0, 1.0, at]])])
    system.update(1.0)
    return system


def set_of(system, laws, R):
    return system.solution_set(R, laws), null_space(system.results().to_dense(), rcond=1e-10)


def test_intervals_of_planar_contacts_are_those_of_linear_programs():
    random = np.random.default_rng(1)
    for points in (2, 3, 5):
        for friction in (0.0, 0.3, 0.8):
            system, laws = planar(random, points), ldy.laws.contact(friction=friction)
            R, report = system.solve(laws, tolerance=1e-12)
            assert report.converged
            solutions, N = set_of(system, laws, R)
            # |R_T| <= friction R_N, for R + N z.
            T, n = N[0::2], N[1::2]
            A = np.vstack([T - friction * n, -T - friction * n])
            b = -np.concatenate([R[0::2] - friction * R[1::2], -R[0::2] - friction * R[1::2]])
            if friction == 0:
                # Without friction R_T is zero, and only the normals have a null space.
                Z = null_space(system.results().to_dense()[1::2, 1::2], rcond=1e-10)
                N = np.zeros((2 * points, Z.shape[1]))
                N[1::2] = Z
                A, b = -N[1::2], R[1::2]
            least, greatest = solutions.intervals()
            determined = solutions.determined()
            for i, row in enumerate(N):
                if len(row) == 0:
                    assert determined[i] and least[i] == greatest[i]
                    continue
                ends = [linprog(sign * row, A, b + 1e-12, bounds=(None, None)).fun for sign in (1, -1)]
                np.testing.assert_allclose([least[i], greatest[i]], [R[i] + ends[0], R[i] - ends[1]], atol=1e-7)
                assert determined[i] == (np.abs(row).max() < 1e-9)


def test_intervals_of_drives_are_those_of_linear_programs():
    random = np.random.default_rng(4)
    for case in range(20):
        H = random.integers(-2, 3, (6, 3)).astype(float)
        lower, upper = -random.uniform(0.1, 2, 6), random.uniform(0.1, 2, 6)
        if case % 2:
            upper[:2] = np.inf
        laws = ldy.Laws(6)
        for k in range(6):
            laws[k] = ldy.laws.bounds([lower[k]], [upper[k]])
        B = H @ random.normal(size=3)
        R, report = ldy.solve(H @ H.T, B, laws, row_counts=np.ones(6, int), tolerance=1e-12)
        if not report.converged:
            continue
        solutions = ldy.solution_set(H @ H.T, B, laws, R, row_counts=np.ones(6, int))
        U = B + H @ H.T @ R
        # With a velocity a drive is at its limit.
        low, high = np.where(U < -1e-7, upper, lower), np.where(U > 1e-7, lower, upper)
        least, greatest = solutions.intervals()
        for i in range(6):
            for sign, found in ((1, least[i]), (-1, greatest[i])):
                end = linprog(sign * np.eye(6)[i], A_eq=H.T, b_eq=H.T @ R, bounds=np.column_stack([low, high]))
                expected = sign * end.fun if end.status == 0 else -sign * np.inf
                np.testing.assert_allclose(found, expected, atol=1e-7)


@pytest.mark.parametrize("friction", [0.2, 0.7])
def test_intervals_with_cones_are_those_of_a_general_optimizer(friction):
    random = np.random.default_rng(5)
    system, laws = boxes(random, 2, friction)
    R, report = system.solve(laws, tolerance=1e-12)
    solutions, N = set_of(system, laws, R)
    assert report.converged and not solutions.determined().any()
    least, greatest = solutions.intervals()

    def inside(z):
        T = (R + N @ z).reshape(-1, 3)
        return np.concatenate([(friction * T[:, 2]) ** 2 - T[:, 0] ** 2 - T[:, 1] ** 2, T[:, 2]])

    for i in range(0, len(R), 5):
        for sign, found in ((1, least[i]), (-1, greatest[i])):
            start = np.zeros(N.shape[1])
            best = minimize(
                lambda z: sign * N[i] @ z, start, jac=lambda z: sign * N[i], constraints={"type": "ineq", "fun": inside},
                options={"maxiter": 500, "ftol": 1e-13}, method="SLSQP",
            )
            np.testing.assert_allclose(found, R[i] + sign * best.fun, atol=2e-5)


def test_rolling_contacts():
    """Two contacts of a ball with moments at one place share the force and the moments."""
    system = ldy.System()
    ball = system.add_rigid(2.0, 1.0)
    H = np.zeros((6, 6))
    H[:3, 3:], H[3:, :3] = np.eye(3), np.eye(3)
    for _ in range(2):
        system.add_constraint_rows([ball], [H])
    system.set_velocity(ball, [0.02, 0, 0.01, 0, 0, -1])
    system.update(1.0)
    laws = ldy.laws.rolling_contact(0.5, rolling=0.1, torsion=0.05)
    R, report = system.solve(laws, tolerance=1e-12)
    assert report.converged
    solutions = system.solution_set(R, laws)
    assert not solutions.determined().any()
    least, greatest = (end.reshape(2, 6)[0] for end in solutions.intervals())
    # Forces of 2 in sum. Moments of -0.02 and -0.01 in sum, the largest ones 0.1 N and 0.05 N. Each contact alone can bear all.
    total, (roll, spin) = 2.0, (-0.02, -0.01)

    def ends(limit, own):
        # Moments m and own - m with |m| <= limit N and |own - m| <= limit (total - N).
        return [(own - limit * total) / 2, (own + limit * total) / 2]

    for component, (limit, own) in {0: (0.5, 0), 1: (0.5, 0), 3: (0.1, roll), 5: (0.05, spin)}.items():
        np.testing.assert_allclose([least[component], greatest[component]], ends(limit, own), atol=1e-7)
    # Across the rolling moment both contacts bear half of that one.
    across = np.sqrt((0.1 * total / 2) ** 2 - (roll / 2) ** 2)
    np.testing.assert_allclose([least[4], greatest[4]], [-across, across], atol=1e-7)
    # A contact without a normal force has no moments, and all of them are at the other one.
    np.testing.assert_allclose([least[2], greatest[2]], [0, 2], atol=1e-7)


def test_canonical_forces():
    random = np.random.default_rng(7)
    system, laws = boxes(random, 3, 0.5, points=5)
    R, report = system.solve(laws, canonical=True)
    other, _ = system.solve(laws, random.normal(size=len(R)), canonical=True)
    assert report.converged
    np.testing.assert_allclose(R, other, atol=1e-9)
    solutions = system.solution_set(R, laws)
    np.testing.assert_allclose(solutions.canonical(), R, atol=1e-9)
    # The cones are wide: the least forces are those without a part in the null space, weighted by d.
    rows = system.results()
    d = np.repeat([np.trace(block) / 3 for block in rows.diagonal], 3)
    N = null_space(rows.to_dense(), rcond=1e-10)
    plain, _ = system.solve(laws, tolerance=1e-12)
    z = np.linalg.lstsq(np.sqrt(d)[:, None] * N, -np.sqrt(d) * plain, rcond=None)[0]
    np.testing.assert_allclose(R, plain + N @ z, atol=1e-8)


def test_ids_and_rows():
    random = np.random.default_rng(0)
    system, laws = boxes(random, 2, 0.4, points=5)
    ids = system.constraints()
    system.remove_constraints(ids[0])
    system.update(1.0)
    ids = ids[1:]
    R, _ = system.solve(laws)
    solutions = system.solution_set(R, laws)
    assert repr(solutions) == "<ldy.SolutionSet: 27 scalar rows>"
    # Four legs below, five above.
    assert solutions.causes(ids[0], 0) == solutions.causes(ids[3], 2) == list(ids[:4])
    assert solutions.causes(ids[5], 2) == list(ids[4:])
    least, greatest = solutions.intervals([ids[5], ids[0]])
    every = solutions.intervals()
    np.testing.assert_array_equal(least, np.concatenate([every[0][15:18], every[0][:3]]))
    rows = system.results()
    of_rows = ldy.solution_set(rows.to_dense(), rows.B, laws, R)
    assert of_rows.causes(5, 2) == [4, 5, 6, 7, 8]
    np.testing.assert_allclose(of_rows.intervals()[1], every[1], atol=1e-7)
    swapped = [3 * (k // 3) + (k + 2) % 3 for k in range(len(R))]
    first = ldy.solution_set(rows.to_dense()[np.ix_(swapped, swapped)], rows.B[swapped], laws, R[swapped], normal_first=True)
    np.testing.assert_allclose(first.intervals()[1], every[1][swapped], atol=1e-7)


def test_errors():
    system, laws = boxes(np.random.default_rng(0), 1, 0.4)
    R, _ = system.solve(laws)
    solutions = system.solution_set(R, laws)
    cases = [
        (lambda: system.solution_set(R + 1e-3, laws), "the forces are no solution"),
        (lambda: system.solution_set(R[1:], laws), "forces: 11 values where 12 are needed"),
        (lambda: system.solution_set(R), "it has no law"),
        (lambda: system.solution_set(R, laws, tolerance=2), "the tolerance is not between 0 and 1"),
        (lambda: solutions.causes(77, 0), "constraint 77: there is no such constraint in the set"),
        (lambda: solutions.causes(system.constraints()[0], 3), "there is no such component of its force"),
        (lambda: solutions.causes(system.constraints()[0], -1), "component: -1 where a number"),
        (lambda: solutions.intervals([77]), "constraint 77: there is no such constraint in the set"),
        (lambda: ldy.solution_set(np.triu(np.ones((3, 3))), np.zeros(3), 0.5, np.zeros(3)), "its blocks of W are not symmetric"),
        (lambda: ldy.solve(np.eye(3) + np.triu(np.ones((3, 3))), [0, 0, -1], 0.5, canonical=True), "its blocks of W are not symmetric"),
    ]
    for call, text in cases:
        with pytest.raises(ldy.Error, match=text):
            call()
    with pytest.raises(TypeError, match="cannot be copied"):
        __import__("copy").copy(solutions)
