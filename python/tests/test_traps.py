"""What goes wrong without a word when arrays of C are taken into Python by hand: here it cannot."""

import ctypes
import gc

import ldy
import numpy as np
import pytest


def system_of_one_body(rows=3):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    A = A @ A.T
    H = rng.normal(size=(rows, 3, 6))
    system = ldy.System()
    body = system.add_body(ldy.Inertia.dense(A))
    for one in H:
        system.add_constraint_rows(body, one)
    system.update(1.0)
    return system, H.reshape(-1, 6) @ A @ H.reshape(-1, 6).T


def system_of_joints():
    """A body of three dofs with a joint on each."""
    system = ldy.System()
    body = system.add_body(ldy.Inertia.diagonal(np.ones(3)))
    for dof in range(3):
        system.add_dof_constraint(body, dof, 1.0 + dof)
    return system, body


def test_blocks_are_those_of_numpy_and_scipy():
    """The library stores blocks by columns, SciPy by rows: taken as they are, W has all its blocks transposed."""
    pytest.importorskip("scipy")
    system, W = system_of_one_body()
    rows = system.results()
    assert not np.allclose(rows.blocks[1], rows.blocks[1].T), "the blocks would be the same either way"
    for same in (rows.to_dense(), rows.to_bsr().toarray(), rows.to_csr().toarray(), system.operator() @ np.eye(9)):
        np.testing.assert_allclose(same, W, rtol=1e-12)
    np.testing.assert_allclose(rows.blocks[1], W[:3, 3:6], rtol=1e-12)
    np.testing.assert_allclose(rows.diagonal[2] @ rows.inverse[2], np.eye(3), atol=1e-9)


def test_frames_operators_and_matrices_are_those_of_numpy():
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    system = ldy.System()
    ball = system.add_rigid(2.0, np.diag([1.0, 2, 3]), turn, [0, 0, 0])
    system.set_velocity(ball, [0, 0, 0, 5, 7, 9])
    system.add_point_constraints(ball, ldy.GROUND, turn)
    system.update(1.0)
    np.testing.assert_array_equal(system.results().B, turn.T @ [5, 7, 9])
    # Neither the order in memory nor strides count.
    again = system.add_point_constraints([ball] * 2, ldy.GROUND, np.asfortranarray(np.stack([turn, turn])), np.zeros((2, 6))[:, ::2])
    system.update(1.0)
    B = system.results().B.reshape(-1, 3)
    np.testing.assert_array_equal(B[again], B[[0, 0]])


class Stopped(BaseException):
    """Not even an Exception."""


@pytest.mark.parametrize("exception", [ZeroDivisionError, KeyboardInterrupt, SystemExit, Stopped])
def test_an_exception_of_a_function_comes_out_of_every_call_and_is_no_success(exception):
    fails = [False]

    def solve(x):
        if fails[0]:
            raise exception("told by the function")
        return x / 2

    system = ldy.System()
    body = system.add_body(ldy.Inertia.function(3, solve))
    system.set_velocity(body, [1, 2, 3])
    system.add_constraint_rows(body, np.eye(3))
    system.update(1.0)
    calls = [lambda: system.multiply(np.ones(3), through_bodies=True), lambda: system.apply_reactions(np.ones(3)), lambda: system.update(2.0)]
    for call in calls:
        fails[0] = True
        with pytest.raises(exception, match="told by the function"):
            call()
        fails[0] = False
    np.testing.assert_array_equal(system.velocity(body), [1, 2, 3])
    with pytest.raises(ldy.Error, match="no successful update"):
        system.results()
    system.update(2.0)
    np.testing.assert_array_equal(system.results().to_dense(), np.eye(3))


def test_a_function_cannot_use_the_system_that_calls_it():
    system = ldy.System()
    body = system.add_body(ldy.Inertia.function(3, lambda x: system.multiply(x)))
    system.add_constraint_rows(body, np.eye(3))
    with pytest.raises(RuntimeError, match="the system is in use"):
        system.update(1.0)


def test_results_are_copies_that_nothing_changes():
    system, W = system_of_one_body()
    rows = system.results()
    arrays = [rows.blocks[0], rows.B, rows.V, rows.starts, rows.columns, rows.ids, rows.diagonal[0], rows.inverse[0]]
    before = [values.copy() for values in arrays]
    address = rows.blocks[0].ctypes.data
    for step in range(1, 20):
        system.remove_constraints(system.results().ids[:1])
        system.add_constraint_rows(0, np.eye(3, 6) * step)
        system.update(step)
    del system
    gc.collect()
    for values, kept in zip(arrays, before):
        np.testing.assert_array_equal(values, kept)
    assert ctypes.c_double.from_address(address).value == before[0].flat[0]
    # Nor does a write to them reach the library.
    system, W = system_of_one_body()
    system.results().blocks[0][:] = 0
    np.testing.assert_allclose(system.results().to_dense(), W, rtol=1e-12)


def test_several_vectors_have_the_bits_of_each_alone():
    pytest.importorskip("scipy")
    system, _ = system_of_one_body(5)
    X = np.random.default_rng(1).normal(size=(15, 7))
    for through_bodies in (False, True):
        Y = system.operator(through_bodies=through_bodies) @ X
        for k in range(7):
            np.testing.assert_array_equal(Y[:, k], system.multiply(X[:, k], through_bodies=through_bodies))
    old = system.operator()
    system.remove_constraints(0)
    system.update(1.0)
    with pytest.raises(ldy.Error, match="15|12"):
        old @ X
    with pytest.raises(ldy.Error):
        old @ X[:, 0]


def test_a_factor_solves_for_vectors_in_columns_alone():
    system, _ = system_of_joints()
    system.update(1.0)
    factor, W = system.factorize(), system.results().to_dense()
    columns = np.arange(6.0).reshape(3, 2)
    assert np.allclose(W @ factor.solve(columns), columns) and np.allclose(W @ factor.solve(columns[:, 0]), columns[:, 0])
    for wrong in (columns.T, np.ones(6), np.ones((6, 2)), np.ones(2)):
        with pytest.raises(ValueError, match=r"where \(3,\) or \(3, k\) is needed"):
            factor.solve(wrong)


def test_laws_are_given_as_many_numbers_as_rows_have():
    system, body = system_of_joints()
    system.set_velocity(body, [-10.0, -10.0, -10.0])
    system.update(1.0)
    most = np.array([1.0, 2.0, 3.0])
    forces, _ = system.solve(ldy.laws.bounds(-most[:, None], most[:, None]))
    assert np.allclose(forces, most)
    for name, laws in {
        "lower": ldy.laws.bounds(-most, 1.0),
        "upper": ldy.laws.bounds(-1.0, most),
        "bias": ldy.laws.fixed(most),
    }.items():
        with pytest.raises(ValueError, match=f"row 0: {name}: 3 numbers for a row with 1 scalar rows"):
            system.solve(laws)
        with pytest.raises(ValueError, match=name):
            ldy.solve(system.results().to_dense(), system.results().B, laws, row_counts=[1, 1, 1])


def test_compliances_of_three_constraints_are_no_guess():
    system = ldy.System()
    body = system.add_rigid(np.ones(3), 1.0)
    constraints = system.add_point_constraints(body, ldy.GROUND, np.eye(3))
    system.update(1.0)
    before, values = system.results().to_dense(), np.full((3, 3), 1e-3)
    for given, added in (({"compliance": values}, np.kron(np.eye(3), values)), ({"diagonal": values}, 1e-3 * np.eye(9))):
        system.set_compliance(constraints, **given)
        system.update(1.0)
        assert np.allclose(system.results().to_dense() - before, added)


def test_rows_of_any_size_are_sparse():
    system, body = system_of_joints()
    other = system.add_body(ldy.Inertia.diagonal(np.ones(2)))
    system.add_constraint_rows([body, other], [np.arange(6.0).reshape(2, 3), np.ones((2, 2))])
    system.update(1.0)
    W = system.results().to_csr()
    assert np.array_equal(W.toarray(), system.results().to_dense()) and W.nnz == sum(block.size for block in system.results().blocks)
