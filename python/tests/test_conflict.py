"""Constraints that contradict each other: multipliers against W, B and laws, and texts by hand."""

import ldy
import numpy as np


def proof(W, B, d, bias=0):
    """The sum of d (U + bias) without forces, and how forces change it."""
    return d @ (np.asarray(B) + bias), np.abs(W.T @ d).max()


def pressed():
    """A ball between the floor and a ceiling that comes down, beside a ball on the floor; a ball that two joints move."""
    system = ldy.System()
    balls = system.add_rigid(np.ones(3), np.ones(3))
    system.add_point_constraints(balls[[1, 0]], ldy.GROUND, np.eye(3), [0, 0, -1])
    system.add_point_constraints(ldy.GROUND, balls[:1], np.eye(3), [0, 0, 1])
    system.add_point_constraints(balls[[2, 2]], ldy.GROUND, np.eye(3))
    laws = ldy.laws.contact(friction=0.5)
    bias = np.zeros((5, 3))
    bias[2, 2] = -0.25
    bias[4, 1] = 2
    system.set_laws([0, 1], laws)
    system.set_laws([2], ldy.laws.contact(friction=0.5, bias=bias[2]))
    system.set_laws([3], ldy.laws.fixed())
    system.set_laws([4], ldy.laws.fixed(bias=bias[4]))
    system.set_velocity(balls, np.tile([0, 0, 0, 0, 0, -1.0], (3, 1)))
    system.update(1.0)
    return system, bias.ravel()


def test_a_system_names_constraints_and_bodies():
    system, bias = pressed()
    R, report = system.solve()
    conflict = report.conflict
    assert report.status == ldy.Status.INFEASIBLE and len(conflict) == 4
    assert conflict.constraints.tolist() == [1, 2, 3, 4] and conflict.components.tolist() == [2, 2, 1, 1]
    assert conflict.groups.tolist() == [0, 0, 1, 1] and conflict.demands.tolist() == ["contact"] * 2 + ["joint"] * 2
    assert str(conflict) == (
        "contacts 1 and 2 contradict each other: no allowed forces give body 0 a velocity that satisfies them; "
        "joints 3 and 4 contradict each other: no allowed forces give body 2 a velocity that satisfies them"
    )
    assert repr(conflict) == f"<ldy.Conflict: {conflict}>"
    rows = system.results()
    for group in (0, 1):
        own = conflict.groups == group
        d = np.zeros(15)
        d[3 * conflict.constraints[own] + conflict.components[own]] = conflict.values[own]
        gain, growth = proof(rows.to_csr().toarray(), rows.B, d, bias)
        assert gain < -0.2 and growth < 1e-8 and np.abs(d).max() == 1


def test_a_solution_has_no_conflict():
    R, report = ldy.solve(np.eye(3), [0, 0, -1.0], 0.5)
    conflict = report.conflict
    assert report.converged and len(conflict) == 0 and str(conflict) == "" and repr(conflict) == "<ldy.Conflict: none>"
    shapes = [values.shape for values in (conflict.constraints, conflict.components, conflict.demands, conflict.groups, conflict.values)]
    assert shapes == [(0,)] * 5


def test_rows_are_named_by_their_numbers():
    h = np.array([[1.0], [2.0], [0.0]])
    W, B = h @ h.T + np.diag([0, 0, 1.0]), np.array([0.0, 0.0, 0.3])
    laws = ldy.laws.fixed(bias=[[1.0], [-1.0], [0.0]])
    R, report = ldy.solve(W, B, laws, row_counts=[1, 1, 1])
    conflict = report.conflict
    assert str(conflict) == "rows 0 and 1 contradict each other: no allowed forces satisfy them"
    assert conflict.constraints.tolist() == [0, 1] and conflict.components.tolist() == [0, 0]
    d = np.append(conflict.values, 0)
    gain, growth = proof(W, B, d, np.array([1.0, -1.0, 0.0]))
    assert gain < -1 and growth < 1e-8
    np.testing.assert_allclose(conflict.values, [-1, 0.5], rtol=1e-6)
