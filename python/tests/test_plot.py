"""Pictures show what they should: what is drawn is compared with the numbers."""

import ldy
import numpy as np
import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")
pyplot.switch_backend("Agg")


@pytest.fixture
def table():
    """Six contacts under a plate: 18 numbers of force, 6 dofs."""
    system = ldy.System()
    plate = system.add_rigid(1.0, 1.0)
    system.set_velocity(plate, [0, 0, 0, 0, 0, -1])
    points = np.array([[x, y, 0] for x in (-1, 0, 1.0) for y in (-1, 1.0)])
    system.add_point_constraints(plate, ldy.GROUND, np.eye(3), points)
    system.update(0.1)
    yield system, points
    pyplot.close("all")


def test_ranks_are_those_of_numpy(table):
    rows = table[0].results()
    assert rows.rank() == 6 == np.linalg.matrix_rank(rows.to_dense())
    np.testing.assert_allclose(rows.eigenvalues(), np.linalg.eigvalsh(rows.to_dense()))
    assert rows.rank(2.0) == 0


def test_pictures(table, tmp_path):
    system, points = table
    figure, ((one, two), (three, four)) = pyplot.subplots(2, 2)
    assert ldy.plot.pattern(system.results(), one) is one
    assert len(one.collections[0].get_offsets()) == 36 and "6 rows, 36 blocks" in one.get_title()
    ldy.plot.spectrum(system.results(), two)
    assert "rank 6 of 18" in two.get_title() and [len(line.get_xdata()) for line in two.lines] == [6, 12]
    R, report = system.solve(0.3)
    ldy.plot.reactions(points, np.eye(3), R, three)
    np.testing.assert_allclose(three.collections[0].V, R[2::3])
    ldy.plot.convergence(report, four)
    np.testing.assert_array_equal(four.lines[0].get_ydata(), report.history)
    assert four.get_title().startswith("converged: ")
    figure.savefig(tmp_path / "picture.png")
    assert ldy.plot.convergence(report) is pyplot.gca()


def test_rows_of_any_height_are_drawn(table):
    system, _ = table
    system.add_dof_constraint(0, 2, 10.0)
    system.add_constraint_rows(0, np.eye(6))
    system.update(1.0)
    rows = system.results()
    axes = ldy.plot.pattern(rows)
    largest = [np.abs(block).max() for block in rows.blocks]
    assert len({block.shape for block in rows.blocks}) > 4
    np.testing.assert_array_equal(axes.collections[0].get_array(), np.log10(np.where(np.array(largest) > 0, largest, np.nan)))
