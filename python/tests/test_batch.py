"""Many systems at once have the results that each has alone."""

import copy

import ldy
import numpy as np
import pytest


def stack(k):
    system, below = ldy.System(), ldy.GROUND
    for level in range(1 + k % 3):
        body = system.add_rigid(1.0 + 0.1 * k, 1.0, center=[0.1 * level, 0, level + 0.5])
        system.set_velocity(body, [0, 0, 0, 0.1 * k, 0.2, -1])
        places = np.array([[-1, -1, level], [1, -1, level], [1, 1, level], [-1, 1, level]], dtype=float)
        system.set_laws(system.add_point_constraints(body, below, np.eye(3), places), ldy.laws.contact(0.2 + 0.05 * k))
        below = body
    return system


def test_each_system_has_the_results_that_it_has_alone():
    systems = [stack(k) for k in range(8)]
    batch = ldy.Batch(systems)
    batch.update(0.1)
    R, report = batch.solve()
    assert len(batch) == 8 and batch.starts[-1] == len(R) and repr(batch) == "<ldy.Batch: 8 systems>"
    assert report.converged.all() and repr(report) == "<ldy.BatchReport: 8 of 8 converged>"
    by = np.sin(np.arange(len(R)))
    gradient = batch.adjoint(R, by, 0.5)
    assert gradient.is_solution.all() and gradient.B.shape == R.shape and repr(gradient) == "<ldy.BatchGradient: 8 systems>"
    first, products = 0, batch.split(batch.multiply(R))
    parts = zip(systems, batch.split(R), batch.split(by), batch.split(gradient.B), products, report.residuals)
    for system, own, own_by, B, W, residual in parts:
        alone, own_report = system.solve()
        assert (alone == own).all() and own_report.residual == residual
        by_own = system.derivatives(own).adjoint(own_by, 0.5)
        assert (by_own.B == B).all() and (system.multiply(own) == W).all()
        rows = slice(first, first + len(by_own.cohesion))
        assert np.allclose(gradient.friction[rows].sum(axis=1), by_own.friction.sum(axis=1), rtol=1e-14)
        assert (gradient.cohesion[rows] == by_own.cohesion).all() and (gradient.bias[rows] == by_own.bias).all()
        first = rows.stop
    assert first == len(gradient.lower) and gradient.friction.any()
    again, _ = ldy.Batch(systems[::-1]).solve()
    assert (np.concatenate([*ldy.Batch(systems[::-1]).split(again)][::-1]) == R).all()
    warm, report = batch.solve(R, max_sweeps=0)
    assert report.converged.all()


def test_a_hard_problem_does_not_keep_the_others_waiting():
    batch = ldy.Batch([stack(0), stack(2), stack(0)])
    batch.update(0.1)
    _, report = batch.solve(method="gauss_seidel", max_work=40_000, tolerance=1e-6)
    assert report.statuses == ["converged", "work_limit", "converged"]


def test_callbacks_and_their_exceptions():
    class Broken(Exception):
        pass

    def twice(x):
        if is_broken:
            raise Broken
        return 2 * x

    is_broken, systems = False, [stack(0), ldy.System(), stack(1)]
    body = systems[1].add_body(ldy.Inertia.function(2, twice))
    systems[1].set_velocity(body, [1.0, 2.0])
    systems[1].set_laws(systems[1].add_dof_constraint(body, 0), ldy.laws.fixed())
    batch = ldy.Batch(systems)
    batch.update(0.1)
    R, report = batch.solve()
    assert report.converged.all() and np.allclose(batch.split(R)[1], -1.0 / 0.2)
    is_broken = True
    with pytest.raises(Broken):
        batch.update(0.2)


def test_what_is_refused():
    system, other = stack(0), stack(1)
    with pytest.raises(ldy.Error, match="a system is there twice"):
        ldy.Batch([system, other, system])
    batch = ldy.Batch([system, other])
    with pytest.raises(ldy.Error, match="entry 0: ") as raised:
        batch.update(-1.0)
    assert raised.value.entry == 0
    with pytest.raises(ldy.Error, match="no successful update"):
        batch.solve()
    batch.update(0.1)
    with pytest.raises(ldy.Error, match="the starts of systems"):
        batch.solve(np.zeros(5))
    with pytest.raises(ldy.Error, match="a shape is not"):
        batch.adjoint(np.zeros(5))
    other.set_laws(other.constraints()[0], ldy.laws.none())
    with pytest.raises(ldy.Error, match="entry 1: constraint 0"):
        batch.solve()
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        copy.copy(batch)
