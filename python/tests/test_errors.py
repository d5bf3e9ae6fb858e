"""Exceptions have a code, the ids and the entry that they are about."""

import copy
import pickle

import ldy
import numpy as np
import pytest


def scene():
    system = ldy.System()
    balls = system.add_rigid([1.0, 2.0], 1.0)
    contacts = system.add_point_constraints(balls, ldy.GROUND, np.eye(3))
    joint = system.add_body(ldy.Inertia.diagonal([1.0, 2.0]))
    return system, balls, contacts, joint


INVALID, STALE, MISSING = ldy.ErrorCode.INVALID_ARGUMENT, ldy.ErrorCode.STALE_RESULTS, ldy.ErrorCode.NOT_FOUND
# The call; code, constraint, body and entry of its error.
REFUSED = [
    (lambda s: s.add_rigid([1, -1], 1.0), (INVALID, None, None, 1)),
    (lambda s: s.add_rigid(-1, 1.0), (INVALID, None, None, None)),
    (lambda s: s.set_velocity([0, 9], np.ones(6)), (MISSING, None, 9, 1)),
    (lambda s: s.set_velocity([0, -7], np.ones(6)), (MISSING, None, -7, 1)),
    (lambda s: s.velocity(ldy.GROUND), (MISSING, None, -1, None)),
    (lambda s: s.remove_bodies([2, 0]), (INVALID, 0, 0, 1)),
    (lambda s: s.remove_bodies([2, 2]), (INVALID, None, 2, 1)),
    (lambda s: s.remove_constraints([0, 9]), (MISSING, 9, None, 1)),
    (lambda s: s.remove_constraints(-2), (MISSING, -2, None, None)),
    (lambda s: s.add_point_constraints([0, 9], ldy.GROUND, np.eye(3)), (MISSING, None, 9, 1)),
    (lambda s: s.add_point_constraints([0, -3], ldy.GROUND, np.eye(3)), (MISSING, None, -3, 1)),
    (lambda s: s.add_dof_constraint(-5, 0), (MISSING, None, -5, None)),
    (lambda s: s.set_inertia(2, ldy.Inertia.diagonal([1.0])), (INVALID, None, 2, None)),
    (lambda s: s.set_operators(0, [np.eye(3, 6)]), (INVALID, 0, None, None)),
    (lambda s: s.results(), (STALE, None, None, None)),
    (lambda s: s.set_compliance([0, 1], [[[1, 0, 0], [0, 1, 0], [0, 0, -1]]]), (INVALID, 0, None, 0)),
    (lambda s: s.set_laws([0, 1], ldy.laws.bounds((0, 0), (1, 1))), (INVALID, None, None, 0)),
    (lambda s: ldy.solve(np.eye(6), np.zeros(6), [0, -1]), (INVALID, None, None, 1)),
]


@pytest.mark.parametrize("call, expected", REFUSED)
def test_errors_say_what_they_are_about(call, expected):
    system, *_ = scene()
    with pytest.raises(ldy.Error) as caught:
        call(system)
    error = caught.value
    assert isinstance(error, ValueError) and not isinstance(error, np.linalg.LinAlgError)
    assert (error.code, error.constraint, error.body, error.entry) == expected, error
    assert "18446744073709551" not in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.code, again.entry) == (ldy.Error, str(error), error.code, error.entry)


@pytest.mark.parametrize("wrong", [-2, -(2**63), 2**63 - 1])
def test_no_call_prints_an_id_that_was_not_given(wrong):
    system, *_ = scene()
    system.update(1.0)
    calls = [
        lambda: system.set_rotation(wrong, np.eye(3)),
        lambda: system.rotation(wrong),
        lambda: system.set_inertia(wrong, ldy.Inertia.rigid(1.0, 1.0)),
        lambda: system.velocity([wrong]),
        lambda: system.add_constraint_rows([wrong], [np.eye(3)]),
        lambda: system.add_jacobian([wrong], [3], np.eye(3)),
        lambda: system.set_jacobian([0], [wrong], np.eye(3, 6)),
        lambda: system.move_constraints(wrong, np.eye(3)),
        lambda: system.move_constraints(0, np.eye(3), master=wrong),
        lambda: system.sync_constraints([1], wrong, ldy.GROUND, np.eye(3)),
        lambda: system.set_tags(wrong, 1),
        lambda: system.set_laws(wrong, 0.5),
        lambda: system.laws(wrong),
        lambda: system.set_compliance(wrong),
        lambda: system.point_frames(wrong),
        lambda: system.body_point(wrong, np.zeros(3)),
        lambda: system.row_of(wrong),
        lambda: system.constraint_force(wrong, np.zeros(6)),
    ]
    for call in calls:
        with pytest.raises(ldy.Error, match=str(wrong)) as caught:
            call()
        assert caught.value.code == MISSING and wrong in (caught.value.body, caught.value.constraint)


def test_bad_values_are_named_with_their_argument():
    system, *_ = scene()
    system.update(1.0)
    for call, kind, text in [
        (lambda: system.add_rigid("a", 1.0), ldy.Error, "^mass: could not convert"),
        (lambda: system.add_rigid(1.0, [[1.0], [2.0, 3.0]]), ldy.Error, "^inertia: "),
        (lambda: system.add_body(np.eye(3)), TypeError, "^inertia: ndarray where an Inertia is needed"),
        (lambda: ldy.Inertia.dense(np.ones((2, 3))), ldy.Error, r"^inverse: shape \(2, 3\) where \(n, n\)"),
        (lambda: ldy.Inertia.sparse(np.eye(2)), TypeError, "^A: ndarray where a sparse matrix"),
        (lambda: ldy.Inertia.function(-1, abs), ldy.Error, "^n: -1 where a positive number"),
        (lambda: ldy.Inertia.function(3, None), TypeError, "^function: NoneType where a function"),
        (lambda: system.add_model([2, 0], abs), ldy.Error, "^n: 0 where a positive number"),
        (lambda: system.set_velocity(0, 5.0), ldy.Error, r"^velocity: shape \(\)"),
        (lambda: system.set_velocity(0, np.zeros(6), "next"), ldy.Error, "^which: 'next' where"),
        (lambda: system.velocity(True), TypeError, "^ids: True where"),
        (lambda: system.set_option("other", True), ldy.Error, '^name: "other" where'),
        (lambda: system.solve(0.5, max_sweeps=-1), ldy.Error, "^max_sweeps: -1 where"),
        (lambda: system.solve(0.5, max_work=-1), ldy.Error, "^max_work: -1 where"),
        (lambda: system.solve(0.5, progress=3), TypeError, "^progress: int where a function"),
        (lambda: system.solve("a"), ldy.Error, "^friction: could not convert"),
        (lambda: system.solve(0.5, "a"), ldy.Error, "^R: could not convert"),
        (lambda: system.multiply(1.0), ldy.Error, r"^x: shape \(\) where \(n,\)"),
        (lambda: ldy.Laws(-1), ldy.Error, "^rows: -1 where"),
        (lambda: system.set_tags(0, 2**64), OverflowError, "^tags: 18446744073709551616 where numbers from 0"),
        (lambda: system.sync_constraints([-1], 0, -1, np.eye(3)), OverflowError, "^keys: -1 where numbers from 0"),
    ]:
        with pytest.raises(kind, match=text):
            call()
    assert repr(system) == "<ldy.System: 3 bodies, 2 constraints, 6 scalar rows>"
    # Nothing is no fault.
    system.set_compliance([], np.eye(3))
    system.set_velocity([], np.zeros((0, 6)))
    assert system.multiply(np.zeros((6, 0))).shape == (6, 0) and system.add_rigid([], 1.0).shape == (0,)
    assert system.add_point_constraints([], ldy.GROUND, np.eye(3)).shape == (0,)


def test_singular_matrices_are_errors_of_linear_algebra():
    sparse = pytest.importorskip("scipy.sparse")
    system, _, _, joint = scene()
    limits = [system.add_dof_constraint(joint, 0) for _ in range(2)]
    system.update(1.0)
    with pytest.raises(ldy.SingularMatrixError) as caught:
        system.factorize()
    assert isinstance(caught.value, np.linalg.LinAlgError) and isinstance(caught.value, ldy.Error)
    assert caught.value.code is ldy.ErrorCode.NOT_POSITIVE_DEFINITE and caught.value.constraint in limits
    with pytest.raises(np.linalg.LinAlgError) as caught:
        body = system.add_body(ldy.Inertia.sparse(sparse.csc_array(np.diag([1.0, -1.0]))))
        system.add_dof_constraint(body, 0)
        system.update(1.0)
    assert caught.value.body == 3


def test_what_cannot_be_copied_says_so_and_the_rest_can():
    system, *_ = scene()
    system.update(1.0)
    for call in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            call(system.factorize(1.0))
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(system)
    for again in (system.clone(), copy.copy(system), copy.deepcopy(system)):
        again.update(1.0)
        np.testing.assert_array_equal(again.results().to_dense(), system.results().to_dense())
        again.clear()
    assert system.body_count > 0
    system.add_body(ldy.Inertia.function(2, lambda x: x))
    with pytest.raises(ldy.Error, match="its inverse callback cannot be copied"):
        system.clone()
    system.update(1.0)
    R, report = system.solve(0.5)
    laws = ldy.Laws(2, ldy.laws.contact(0.5))
    for thing in (system.results(), report, laws, laws[0], ldy.laws.contact(0.5), ldy.Joints(2), ldy.Status.CONVERGED):
        for again in (pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing), copy.copy(thing)):
            assert type(again) is type(thing) and repr(again) == repr(thing)
    rows, again = system.results(), pickle.loads(pickle.dumps(system.results()))
    np.testing.assert_array_equal(again.to_dense(), rows.to_dense())
    assert ldy.Inertia.dense(np.eye(2)) != ldy.Inertia.dense(np.eye(2))


def test_what_is_printed_has_sizes():
    system, *_ = scene()
    system.add_dof_constraint(2, 0)
    system.update(1.0)
    laws = ldy.Laws(3, ldy.laws.contact(0.5))
    laws[2] = ldy.laws.fixed()
    assert [repr(thing) for thing in (system, system.results(), system.factorize(1.0), laws, ldy.Laws(0), ldy.Inertia.rigid(1, 1))] == [
        "<ldy.System: 3 bodies, 3 constraints, 7 scalar rows>",
        "<ldy.Rows: 3 rows, 7 scalar rows, 3 blocks>",
        "<ldy.Factor: 7 scalar rows>",
        "<ldy.Laws: 2 contact, 1 bounds>",
        "<ldy.Laws: no rows>",
        "<ldy.Inertia: rigid, 6 velocities>",
    ]
    R, report = system.solve(laws)
    assert repr(report).startswith("<ldy.Report: converged, residual ") and f"{report.status}" == "converged"
