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


def overlapping(values):
    return np.lib.stride_tricks.as_strided(values, (2, 24), (48, 8))


def test_rows_of_arrays_with_strides():
    systems = [stack(k) for k in range(4)]
    batch = ldy.Batch(systems)
    batch.update(0.1)
    R, report = batch.solve()
    counts, by = np.diff(batch.starts), np.sin(np.arange(len(R)))
    most = int(counts.max())
    inside = np.arange(most) < counts[:, None]

    def spread(values, *shape):
        """The values in rows of an array, of any strides, whose other values are not finite."""
        whole = np.full(shape, np.nan)
        rows = whole[:, 1, 2 : most + 5] if len(shape) == 3 else whole[::-2, :most]
        for row, own in zip(rows, batch.split(values)):
            row[: len(own)] = own
        return whole, rows

    def same(rows, values):
        assert (rows[:, :most][inside] == values).all() and np.isnan(rows[:, :most][~inside]).all() and np.isnan(rows[:, most:]).all()

    for shape in [(4, 3, most + 7), (8, most)]:
        whole, forces = spread(np.zeros(len(R)), *shape)
        found, own_report = batch.solve(forces, out=forces)
        assert found is forces and (own_report.residuals == report.residuals).all()
        same(forces, R)
        other = spread(np.zeros(len(R)), *shape)[1]
        assert batch.solve(out=other)[0] is other
        same(other, R)
        same(batch.solve(forces, max_sweeps=0, out=other)[0], batch.solve(R, max_sweeps=0)[0])
        gradient = batch.adjoint(forces, spread(by, *shape)[1], 0.5, out=other)
        expected = batch.adjoint(R, by, 0.5)
        assert gradient.B is other and (gradient.friction == expected.friction).all()
        same(other, expected.B)
        same(batch.multiply(forces, out=other), batch.multiply(R))
        assert (batch.multiply(forces) == batch.multiply(R)).all()
        # In the same memory.
        same(batch.multiply(forces, out=forces), batch.multiply(R))
        assert np.isnan(whole).sum() == whole.size - len(R)
    # Values that are not contiguous, of another type or not aligned are copied; a list is an array, too.
    x = np.zeros((4, most))
    x[inside] = R
    columns, bytes_of = np.asfortranarray(x), np.zeros(8 * x.size + 1, dtype=np.uint8)[1:].view(np.float64).reshape(x.shape)
    bytes_of[...] = x
    for given in (columns, bytes_of, x.tolist()):
        assert (batch.multiply(given) == batch.multiply(R)).all()
    small = x.astype(np.float32)
    assert (batch.multiply(small) == batch.multiply(small.astype(float)[inside])).all()


def test_rows_are_not_copied():
    batch = ldy.Batch([stack(0), stack(3)])
    batch.update(0.1)
    whole = np.zeros((2, 5, 20))
    for rows in (whole[:, 1, :12], whole[::-1, 2, 3:], whole.reshape(-1)[:24], whole[:, 0]):
        assert batch._given("R", rows, batch.starts) is rows or np.shares_memory(batch._given("R", rows, batch.starts), rows)
        assert batch._out(rows, batch.starts) is rows


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
    for call, text in [
        (lambda: batch.solve(np.zeros(5)), r"R: shape \(5,\) where \(36,\), or \(2, 24\) or wider, is needed"),
        (lambda: batch.adjoint(np.zeros(5)), r"R: shape \(5,\)"),
        (lambda: batch.adjoint(np.zeros(36), np.zeros((2, 23))), r"by_R: shape \(2, 23\)"),
        (lambda: batch.multiply(np.zeros((3, 24))), r"x: shape \(3, 24\)"),
        (lambda: batch.multiply(np.zeros(36), out=np.zeros(35)), r"out: shape \(35,\)"),
        (lambda: batch.multiply(np.zeros(36), out=np.zeros(36, dtype=np.float32)), "out: an array of float64 is needed"),
        (lambda: batch.multiply(np.zeros(36), out=[0.0] * 36), "out: an array of float64 is needed"),
        (lambda: batch.multiply(np.zeros(36), out=np.broadcast_to(0.0, (2, 24))), "that can be written"),
        (lambda: batch.multiply(np.zeros(36), out=np.zeros(72)[::2]), "out: the values of a system are not contiguous"),
        (lambda: batch.multiply(np.zeros(36), out=np.zeros((24, 2)).T), "out: the values of a system are not contiguous"),
        (lambda: batch.multiply(np.zeros(36), out=overlapping(np.zeros(30))), "or rows overlap"),
    ]:
        with pytest.raises(ldy.Error, match=text):
            call()
    other.set_laws(other.constraints()[0], ldy.laws.none())
    with pytest.raises(ldy.Error, match="entry 1: constraint 0"):
        batch.solve()
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        copy.copy(batch)
