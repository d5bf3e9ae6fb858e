"""A chain of spheres over all processes of mpi4py, against one process: rows, forces and products to the bit, and migration.

mpirun -n 2 python chain.py
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse
from mpi4py import MPI

import ldy

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.rank, COMM.size
COUNT = 5 * SIZE
EACH = np.arange(COUNT)


def insert(system, spheres):
    bodies = system.add_rigid(1 + 0.1 * spheres, 0.4)
    velocity = np.column_stack([0 * spheres, 0.1 * spheres, 0 * spheres, -1.0 * spheres, 0 * spheres + 0.5, 0 * spheres - 2.0])
    system.set_velocity(bodies, velocity)
    system.set_position(bodies, np.column_stack([spheres, 0 * spheres, 0 * spheres]).astype(float))


def serial():
    system = ldy.System()
    insert(system, EACH)
    slaves = np.append(EACH[1:], ldy.GROUND)
    joints = system.add_point_constraints(EACH, slaves, np.eye(3), [0.5, 0, 0], [-0.5, 0, 0])
    system.set_laws(joints, ldy.laws.fixed())
    return system


def across():
    """Each fifth of the spheres, with the joints to the spheres after them."""
    parallel = ldy.parallel.Parallel(COMM)
    own = EACH[5 * RANK : 5 * RANK + 5]
    parallel.set_next_ids(own[0], 0)
    insert(parallel.system, own)
    is_last = RANK == SIZE - 1
    parallel.add_ghosts([] if is_last else [own[-1] + 1], [] if is_last else [RANK + 1])
    slaves = np.append(own[1:], ldy.GROUND if is_last else own[-1] + 1)
    # Ids of any order.
    parallel.add_point_constraints(own[::-1], own[::-1], slaves[::-1], np.eye(3), [0.5, 0, 0], [-0.5, 0, 0])
    parallel.system.set_laws(own, ldy.laws.fixed())
    return parallel


def gathered(parallel, values):
    """Values of all scalar rows, in the order of ids."""
    pairs = COMM.allgather((parallel.constraints, np.reshape(values, (-1, 3))))
    all_values = np.empty((COUNT, 3))
    for constraints, part in pairs:
        all_values[constraints] = part
    return all_values.ravel()


def check_step(parallel):
    whole = serial()
    whole.update(0.25)
    parallel.update(0.25)
    x = np.linspace(-1, 2, 3 * COUNT)
    own = np.concatenate([x[3 * k : 3 * k + 3] for k in parallel.constraints])
    B = parallel.system.results().B.reshape(-1, 3)[parallel.own_rows]
    np.testing.assert_array_equal(gathered(parallel, B), whole.results().B.ravel())
    for through in (False, True):
        products = gathered(parallel, parallel.multiply(own, through))
        np.testing.assert_array_equal(products, whole.multiply(x, through_bodies=through))
    assert parallel.dot(own, own) == parallel.dot(own, own.copy()) and abs(parallel.dot(own, own) - x @ x) < 1e-12 * (x @ x)
    R, report = parallel.solve(tolerance=1e-12)
    assert report.converged and report.sweeps > 0
    assert parallel.solve(R, tolerance=1e-12)[1].sweeps == 0
    assert parallel.solve(fast=True, tolerance=1e-12)[1].converged and parallel.stats.colors == 1
    alone = ldy.parallel.Parallel(MPI.COMM_SELF)
    insert(alone.system, EACH)
    alone.system.set_laws(alone.system.add_point_constraints(EACH, np.append(EACH[1:], ldy.GROUND), np.eye(3), [0.5, 0, 0], [-0.5, 0, 0]), ldy.laws.fixed())
    alone.update(0.25)
    expected, _ = alone.solve(tolerance=1e-12)
    np.testing.assert_array_equal(gathered(parallel, R), expected)
    np.testing.assert_allclose(expected, whole.solve(tolerance=1e-12)[0], rtol=1e-6, atol=1e-9)


def read_pieces(path):
    """W of an index and its pieces."""
    lines = path.read_text().splitlines()[2:]
    return scipy.sparse.vstack([scipy.sparse.load_npz(path.parent / line.split(" ", 3)[3]) for line in lines])


def check_files(parallel):
    """W of one process to the bit, in one file and in pieces."""
    whole = serial()
    whole.update(0.25)
    folder = Path(COMM.bcast(tempfile.mkdtemp() if RANK == 0 else None))
    parallel.write_rows(folder / "W.npz")
    parallel.write_rows(folder / "W", pieces=True)
    parallel.write_rows(str(folder / "W.mtx"), "mtx")
    expected = whole.results().to_bsr().toarray()
    np.testing.assert_array_equal(scipy.sparse.load_npz(folder / "W.npz").toarray(), expected)
    np.testing.assert_array_equal(read_pieces(folder / "W").toarray(), expected)
    assert len(list(folder.glob("W.*.npz"))) == SIZE
    np.testing.assert_allclose(scipy.io.mmread(folder / "W.mtx").toarray(), expected, rtol=1e-14)
    COMM.Barrier()
    if RANK == 0:
        shutil.rmtree(folder)
    for path, format, text in (("W", "text", "format"), ("/nowhere/W", "npz", "/nowhere")):
        try:
            parallel.write_rows(path, format)
            raise AssertionError("no error")
        except ldy.Error as error:
            assert text in str(error), error


def check_refresh(parallel):
    """A ghost gets the velocity of its body."""
    first, ghost = parallel.bodies[0], parallel.bodies[-1] + 1
    before = parallel.system.velocity(first)
    parallel.system.set_velocity(first, [RANK + 1.0, 0, 0, 0, 0, 0])
    parallel.refresh()
    assert RANK == SIZE - 1 or parallel.system.velocity(ghost)[0] == RANK + 2.0
    parallel.system.set_velocity(first, before)


def check_migration(parallel):
    own, constraints = parallel.bodies, parallel.constraints
    weights = np.ones(len(own), dtype=int)
    ranks, constraint_ranks = parallel.partition(own, constraints, weights=weights)
    np.testing.assert_array_equal(ranks, own // 5)
    np.testing.assert_array_equal(constraint_ranks, constraints // 5)
    points = np.column_stack([-own, 0 * own, 0 * own]).astype(float)
    np.testing.assert_array_equal(parallel.partition(own, constraints, points, weights)[0], SIZE - 1 - own // 5)
    to = (ranks + 1) % SIZE
    parallel.migrate(own, to, constraints, to)
    expected = EACH.reshape(-1, 5)[(RANK - 1) % SIZE]
    np.testing.assert_array_equal(parallel.bodies, expected)
    np.testing.assert_array_equal(parallel.constraints, expected)
    assert SIZE == 1 or parallel.stats.messages > 0


def check_velocities(parallel):
    """Forces close all joints."""
    R, _ = parallel.solve(tolerance=1e-12)
    parallel.apply_reactions(R)
    parallel.refresh()
    parallel.update(0.25)
    B = parallel.system.results().B.reshape(-1, 3)[parallel.own_rows]
    np.testing.assert_allclose(B, 0, atol=1e-9)


def check_errors(parallel):
    is_last = RANK == SIZE - 1
    for wrong, text in (
        (lambda: parallel.remove_bodies([1000]), "1000"),
        (lambda: parallel.migrate([0, 1], [0, 0, 0], [], []), "body_ranks: 3 values"),
        (lambda: parallel.add_point_constraints([7, 8, 9], [0, 1], ldy.GROUND, np.eye(3)), "3 ids"),
        (lambda: parallel.partition(parallel.bodies, [], weights=-1), "negative"),
    ):
        try:
            wrong()
            raise AssertionError("no error")
        except ldy.Error as error:
            assert text in str(error), error
    try:
        parallel.add_ghosts([1000] if is_last else [], [SIZE] if is_last else [])
        raise AssertionError("no error")
    except ldy.Error as error:
        assert f"rank {SIZE - 1}" in str(error) and "1000" in str(error), error
    try:
        parallel.system.update(0.25)
        raise AssertionError("no error")
    except ldy.Error as error:
        assert "on all processes" in str(error)


def main():
    parallel = across()
    check_step(parallel)
    check_files(parallel)
    check_refresh(parallel)
    check_migration(parallel)
    check_step(parallel)
    check_velocities(parallel)
    check_errors(parallel)
    if RANK == 0:
        print(f"chain on {SIZE}: rows, products and forces of one process, {parallel}")


try:
    main()
except BaseException as error:
    print(f"rank {RANK}: {error!r}", file=sys.stderr)
    COMM.Abort(1)
