"""Constraints of one to six rows, factors and what is kept with constraints, against dense matrices of NumPy."""

import ldy
import numpy as np
import pytest

HEIGHTS = (1, 3, 2, 6)


def scene(seed=0, heights=HEIGHTS):
    """Two diagonal bodies of eight velocities; H of all rows, A^-1 and the velocity, dense."""
    random = np.random.default_rng(seed)
    inverse, u = 0.5 + random.random(16), random.normal(size=16)
    H = random.normal(size=(sum(heights), 16))
    system = ldy.System()
    bodies = [system.add_body(ldy.Inertia.diagonal(inverse[8 * k : 8 * k + 8])) for k in range(2)]
    for k, body in enumerate(bodies):
        system.set_velocity(body, u[8 * k : 8 * k + 8])
    ids, first = [], 0
    for height in heights:
        rows = H[first : first + height]
        ids.append(system.add_constraint_rows(bodies, [rows[:, :8], rows[:, 8:]]))
        first += height
    system.update(0.5)
    return system, ids, H, inverse, u


def test_rows_are_those_of_dense_matrices():
    system, ids, H, inverse, u = scene()
    rows, W = system.results(), 0.5 * (H * inverse) @ H.T
    assert list(rows.ids) == ids and list(rows.scalars) == [0, 1, 4, 6, 12] and "4 rows" in repr(rows)
    np.testing.assert_allclose(rows.to_dense(), W, atol=1e-12)
    np.testing.assert_allclose(rows.to_csr().toarray(), W, atol=1e-12)
    np.testing.assert_allclose(rows.B, H @ u, atol=1e-12)
    assert [block.shape for block in rows.diagonal] == [(m, m) for m in HEIGHTS]
    np.testing.assert_allclose(rows.diagonal[3], W[6:, 6:], atol=1e-12)
    np.testing.assert_allclose(rows.inverse[2] @ W[4:6, 4:6], np.eye(2), atol=1e-9)
    assert rows.blocks[3].shape == (1, 6) and rows.rank() == 12
    with pytest.raises(ValueError, match="other than three scalar rows"):
        rows.to_bsr()
    x = np.arange(12.0)
    np.testing.assert_allclose(system.multiply(x), W @ x, atol=1e-10)
    np.testing.assert_allclose(system.operator(through_bodies=True) @ np.stack([x, -x], axis=1), np.stack([W @ x, -W @ x], axis=1), atol=1e-10)
    system.set_compliance(ids[3], np.diag(np.arange(6.0)))
    system.set_operators(ids[0], [2 * H[:1, :8], 2 * H[:1, 8:]])
    system.update(0.5)
    W[0] *= 2
    W[:, 0] *= 2
    W[6:, 6:] += np.diag(np.arange(6.0))
    np.testing.assert_allclose(system.results().to_dense(), W, atol=1e-12)
    system.set_compliance(ids[3])
    system.update(0.5)
    np.testing.assert_allclose(system.results().diagonal[3], W[6:, 6:] - np.diag(np.arange(6.0)), atol=1e-12)


def test_forces_do_not_depend_on_how_scalars_are_cut():
    expected = None
    for heights in [(3, 3, 3, 3), HEIGHTS, (6, 6), (1,) * 12]:
        system, _, H, inverse, u = scene(1, heights)
        laws, first = ldy.Laws(len(heights)), 0
        lower = np.array([-np.inf, 0, -0.1] * 4)
        for row, m in enumerate(heights):
            laws[row] = ldy.laws.bounds(
                lower[first : first + m], np.where(lower == -0.1, 0.1, np.inf)[first : first + m], 0.25 * np.arange(first, first + m)
            )
            first += m
        R, report = system.solve(laws, tolerance=1e-12)
        assert report.converged and report.worst < len(heights)
        assert R.shape == (12,)
        U = H @ u + 0.5 * (H * inverse) @ (H.T @ R) + 0.25 * np.arange(12)
        assert np.abs(np.clip(R - U, lower, np.where(lower == -0.1, 0.1, np.inf)) - R).max() < 1e-9
        expected = R if expected is None else expected
        np.testing.assert_allclose(R, expected, atol=1e-8)
    R, report = system.solve(ldy.laws.fixed(), R)
    system.apply_reactions(R)
    np.testing.assert_allclose(H @ np.concatenate([system.velocity(0), system.velocity(1)]), 0, atol=1e-6)
    with pytest.raises(ldy.Error, match="constraint 0 between bodies 0 and 1: a contact has two to six scalar rows"):
        system.update(0.5)
        system.solve(0.3)
    with pytest.raises(ValueError, match="R: 3 values where 12"):
        system.solve(ldy.laws.fixed(), np.zeros(3))


def test_a_limit_and_what_is_refused():
    system = ldy.System()
    joint = system.add_body(ldy.Inertia.diagonal([2.0, 1.0]))
    system.set_velocity(joint, [-3.0, 5.0])
    limit = system.add_dof_constraint(joint, 0)
    system.update(1.0)
    R, _ = system.solve(ldy.laws.bounds(0, np.inf))
    np.testing.assert_allclose(R, [1.5], atol=1e-8)
    for call, text in [
        (lambda: system.add_dof_constraint(joint, 2), "no such generali[sz]ed velocity"),
        (lambda: system.add_dof_constraint(joint, -1), "no such generali[sz]ed velocity"),
        (lambda: system.add_constraint_rows([joint, joint], [np.eye(2), np.eye(2)]), "there twice"),
        (lambda: system.add_constraint_rows([joint], [np.ones((7, 2))]), "one to six rows"),
        (lambda: system.add_constraint_rows([joint], [np.ones((1, 3))]), "3 values where 2 are needed"),
        (lambda: system.set_operators(limit, [np.ones((2, 2))]), "4 values where 2 are needed"),
        (lambda: system.set_compliance(limit, np.eye(2)), r"shape \(2, 2\) where \(1, 1, 1\)"),
        (lambda: system.set_regularization([1, 2, 3]), "3 values where 1"),
    ]:
        with pytest.raises(ldy.Error, match=text):
            call()
    with pytest.raises(ValueError, match="m the same for all"):
        system.add_constraint_rows([joint], [np.ones(2)])


def test_factors():
    system, _, H, inverse, _ = scene(2)
    W, factor = 0.5 * (H * inverse) @ H.T, ldy.Factor()
    with pytest.raises(ldy.Error, match="has not been factored"):
        factor.solve(np.zeros(12))
    assert repr(factor) == "<ldy.Factor: empty>"
    for mu, own in [(0.25, np.full(12, 0.25)), ([1, 2, 3, 4], np.repeat([1, 2, 3, 4], HEIGHTS)), (np.arange(12), np.arange(12))]:
        A, b = W + np.diag(own), np.arange(24.0).reshape(12, 2)
        np.testing.assert_allclose(A @ system.factorize(mu, out=factor).solve(b), b, atol=1e-7)
        np.testing.assert_allclose(A @ factor.solve(b[:, 0]), b[:, 0], atol=1e-7)
        assert factor.log_determinant == pytest.approx(np.linalg.slogdet(A)[1], abs=1e-9)
    with pytest.raises(ldy.Error, match="5 values where 4 are needed"):
        system.factorize(np.ones(5))


def test_what_is_redundant_and_regularised():
    system, ids, H, *_ = scene(3)
    system.add_constraint_rows([0, 1], [H[:2, :8] + H[3:5, :8], H[:2, 8:] + H[3:5, 8:]])
    system.update(1.0)
    assert list(np.flatnonzero(system.redundant())) == [12, 13]
    W = system.results().to_dense()
    system.set_regularization(np.arange(5) + 1.0)
    system.update(1.0)
    np.testing.assert_allclose(system.results().to_dense() - W, np.diag(np.repeat([1, 2, 3, 4, 5], [*HEIGHTS, 2])), atol=1e-12)
    assert not system.redundant(1e-3).any()
    system.set_regularization(0)
    system.update(1.0)
    np.testing.assert_array_equal(system.results().to_dense(), W)


def test_what_is_kept_with_constraints():
    system, ids, *_ = scene(4)
    system.store_reactions(np.arange(12.0))
    system.remove_constraints(ids[2])
    assert list(system.stored_reactions()) == [0, 1, 2, 3, 6, 7, 8, 9, 10, 11]
    with pytest.raises(ldy.Error, match="10 are needed"):
        system.store_reactions(np.zeros(12))
    system, ids, *_ = scene(4, (3, 3, 3))
    system.set_tags(ids, [5, 6, 2**63])
    system.set_tags(ids[:1], 9)
    system.remove_constraints(ids[1])
    assert list(system.tags()) == [9, 2**63]
    with pytest.raises(ldy.Error, match="entry 1: constraint 1"):
        system.set_tags(ids[:2], 1)
    for refused, error in [(1.5, TypeError), ([1, 2.0], TypeError), (-1, OverflowError), (np.array(-1), OverflowError)]:
        with pytest.raises(error):
            system.set_tags(ids[0], refused)
    assert list(system.tags()) == [9, 2**63]


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, lambda J: pytest.importorskip("scipy.sparse").csr_array(J)])
def test_constraints_are_rows_of_a_jacobian(form):
    rng = np.random.default_rng(5)
    system = ldy.System()
    bodies = [system.add_body(ldy.Inertia.diagonal(np.arange(1.0, 4.0) + k)) for k in range(3)]
    system.add_dof_constraint(0, 1)
    order, heights = [2, 0, 1], [1, 3, 6, 2]
    J = rng.normal(size=(12, 9))
    J[0, 3:], J[1:4, :3] = 0, 0
    ids = system.add_jacobian(order, heights, form(J))
    assert ids.tolist() == [1, 2, 3, 4]
    with pytest.raises(ldy.Error, match="entry 3: new constraint: a constraint has one to six rows"):
        system.add_jacobian(order, [1, 3, 6, 0], form(J))
    with pytest.raises(ldy.Error, match="rows of the Jacobian J: 12 values where 10 are needed"):
        system.add_jacobian(order, heights[:3], form(J))
    assert system.add_dof_constraint(0, 1) == 5
    system.update(0.5)
    all_rows = np.zeros((14, 9))
    all_rows[0, 1] = all_rows[13, 1] = 1
    for place, body in enumerate(order):
        all_rows[1:13, 3 * body : 3 * body + 3] = J[:, 3 * place : 3 * place + 3]
    inverse = np.concatenate([np.arange(1.0, 4.0) + k for k in range(3)])
    W = 0.5 * (all_rows * inverse) @ all_rows.T
    np.testing.assert_allclose(system.results().to_dense(), W, atol=1e-12)
    # The first of them is on one body, the second on two: they have no blocks with what is on others alone.
    assert list(np.diff(system.results().starts)) == [5, 3, 5, 6, 6, 5]
    largest = [np.linalg.eigvalsh(W[a:b, a:b]).max() for a, b in zip(system.results().scalars, system.results().scalars[1:])]
    np.testing.assert_allclose(system.block_eigenvalues(), largest, rtol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_rows_of_any_matrix_are_solved(sparse):
    system, ids, H, *_ = scene(4)
    system.update(0.5)
    rows = system.results()
    laws = ldy.Laws(len(rows), ldy.laws.bounds(0, np.inf))
    laws[2] = ldy.laws.fixed()
    expected, _ = system.solve(laws, tolerance=1e-12)
    heights, W = np.diff(rows.scalars), rows.to_dense()
    if sparse:
        W = pytest.importorskip("scipy.sparse").csr_matrix(W)
    R, report = ldy.solve(W, rows.B, laws, row_counts=heights, tolerance=1e-12)
    assert report.converged and R.shape == rows.B.shape
    np.testing.assert_array_equal(R, expected)
    # Laws hold, with U of NumPy.
    U, first = rows.to_dense() @ R + rows.B, rows.scalars[2]
    stops = np.delete(np.arange(len(R)), np.s_[first : rows.scalars[3]])
    assert abs(U[first : rows.scalars[3]]).max() < 1e-9
    assert np.minimum(U[stops], R[stops]).min() > -1e-9 and abs(U[stops] * R[stops]).max() < 1e-9
    for wrong in ([3, 3], heights[:-1]):
        with pytest.raises(ValueError, match="scalar rows"):
            ldy.solve(W, rows.B, laws, row_counts=wrong)
    with pytest.raises(ldy.Error, match="row 0: it has not one to six scalars"):
        ldy.solve(np.eye(7), np.ones(7), ldy.laws.fixed(), row_counts=[7])


def test_a_diagonal_block_may_be_zero():
    R, report = ldy.solve(np.diag([0.0, 2.0]), [0, -1], ldy.laws.bounds(0, np.inf), row_counts=[1, 1])
    np.testing.assert_allclose(R, [0, 0.5], atol=1e-9)
    # The same with rows of three, whose blocks SciPy would leave out of a sum.
    R, report = ldy.solve(np.diag([1.0, 1, 1, 0, 0, 0]), [0, 0, -1, 0, 0, 1], 0.5)
    np.testing.assert_array_equal(R, [0, 0, 1, 0, 0, 0])

@pytest.mark.parametrize("columns, starts", [([0, 0, 1], [0, 2, 3]), ([1, 0, 1], [0, 2, 3])])
def test_a_sparse_matrix_stays_as_it_is(columns, starts):
    """With two blocks at one place, and with columns that are not sorted."""
    sparse = pytest.importorskip("scipy.sparse")
    arrays = np.stack([np.eye(3), 2 * np.eye(3), 3 * np.eye(3)]), np.array(columns), np.array(starts)
    W = sparse.bsr_array(tuple(array.copy() for array in arrays), shape=(6, 6))
    R, report = ldy.solve(W, [0, 0, -6, 0, 0, -3], 0.5)
    assert report.converged
    np.testing.assert_allclose(W.toarray() @ R, [0, 0, 6, 0, 0, 3], atol=1e-6)
    for own, given in zip((W.data, W.indices, W.indptr), arrays, strict=True):
        np.testing.assert_array_equal(own, given)
