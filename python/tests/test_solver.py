"""Forces against laws that are checked here, and against what is known by hand."""

import sys
import threading

import ldy
import numpy as np
import pytest


def block_on_ground(friction_bias=0.0):
    """A cube of mass 6 that falls onto four corners and slides."""
    system = ldy.System()
    block = system.add_rigid(6.0, 1.0)
    system.set_velocity(block, [0, 0, 0, 3, 0, -2])
    corners = np.array([[1, 1, -1], [-1, 1, -1], [-1, -1, -1], [1, -1, -1.0]])
    system.add_point_constraints(block, ldy.GROUND, np.eye(3), corners)
    system.update(0.01)
    return system, block


def test_a_block_slides_as_coulomb_says():
    system, block = block_on_ground()
    R, report = system.solve(0.1)
    assert report.converged and report.status is ldy.Status.CONVERGED and report.status == "converged" and report.residual <= 1e-8
    assert report.residual == max(report.natural_residual, report.scaled_residual) and report.initial_residual > report.residual
    assert report.history.min() == pytest.approx(report.residual) and report.sweeps + report.steps > 0 and report.seconds > 0
    # The impulse of the normal forces takes the velocity 2 from the mass 6; friction is a tenth of it.
    np.testing.assert_allclose(0.01 * R.reshape(-1, 3).sum(axis=0), [-1.2, 0, 12], atol=1e-5)
    system.apply_reactions(R)
    np.testing.assert_allclose(system.velocity(block)[3:], [2.8, 0, 0], atol=1e-6)


def test_friction_may_differ_along_the_tangents():
    system, _ = block_on_ground()
    for friction, friction_2, force in [(0.1, 0.7, -1.2), (0.0, 0.7, 0.0), (0.2, 0.0, -2.4), (0.2, 0.2, -2.4)]:
        laws = ldy.laws.contact(friction, friction_2=friction_2)
        R, report = system.solve(laws)
        assert report.converged
        np.testing.assert_allclose(0.01 * R.reshape(-1, 3).sum(axis=0), [force, 0, 12], atol=1e-5)
    np.testing.assert_array_equal(R, system.solve(0.2)[0])


def obeys(U, R, friction, tolerance):
    """Signorini's and Coulomb's conditions, row by row."""
    push, slip = np.linalg.norm(R[:, :2], axis=1), np.linalg.norm(U[:, :2], axis=1)
    assert (R[:, 2] >= 0).all() and (push <= friction * R[:, 2] * (1 + 1e-12) + 1e-15).all()
    scale = np.abs(R).max() * np.abs(U).max() + 1
    assert (U[:, 2] >= -tolerance).all() and np.abs(U[:, 2] * R[:, 2]).max() < tolerance * scale
    against = np.einsum("ij,ij->i", U[:, :2], R[:, :2])
    assert np.abs(against + slip * friction * R[:, 2]).max() < tolerance * scale


@pytest.mark.parametrize("method", ["automatic", "gauss_seidel", "newton"])
@pytest.mark.parametrize("seed", range(5))
def test_forces_obey_their_laws(method, seed):
    rng = np.random.default_rng(seed)
    system = ldy.System()
    balls = system.add_rigid(rng.uniform(1, 2, 6), 0.4)
    points = rng.normal(size=(12, 3))
    master, slave = rng.permutation(np.tile(balls, 2)), np.full(12, ldy.GROUND)
    slave[:4] = balls[(np.searchsorted(balls, master[:4]) + 1) % 6]
    system.add_point_constraints(master, slave, np.eye(3), points, points)
    for ball in balls:
        system.set_velocity(ball, rng.normal(size=6))
    system.update(1.0)
    friction = rng.uniform(0, 1, 12)
    R, report = system.solve(friction, method=method, tolerance=1e-10)
    assert report.converged
    B = system.results().B
    obeys((B + system.multiply(R)).reshape(-1, 3), R.reshape(-1, 3), friction, 1e-7)
    # The same problem from its matrix alone, with the normal first.
    order = [2, 0, 1]
    turn = np.kron(np.eye(12), np.eye(3)[order])
    W = turn @ system.results().to_dense() @ turn.T
    again, report = ldy.solve(W, turn @ B, friction, normal_first=True, method=method, tolerance=1e-10)
    assert report.converged
    U, again = (W @ again + turn @ B).reshape(-1, 3), again.reshape(-1, 3)
    obeys(U[:, [1, 2, 0]], again[:, [1, 2, 0]], friction, 1e-7)


def test_laws_of_joints():
    system, _ = block_on_ground()
    system.set_velocity(0, [1, 2, 3, 3, 0, -2])
    system.update(0.01)
    laws = ldy.Laws(4, ldy.laws.contact([0.1, 0.2, 0.3, 0.4], bias=(0, 0, 0.5)))
    laws[[1]] = ldy.laws.fixed(bias=(-1, 0, 0))
    laws[2:4] = ldy.laws.bounds((0, 0, -np.inf), (0, 0, np.inf))
    R, report = system.solve(laws)
    U = (system.results().B + system.multiply(R)).reshape(-1, 3)
    assert report.converged
    np.testing.assert_allclose(U[1], [1, 0, 0], atol=1e-6)
    assert (R.reshape(-1, 3)[2:, :2] == 0).all()
    np.testing.assert_allclose(U[2:, 2], 0, atol=1e-6)
    assert U[0, 2] >= -0.5 - 1e-6


def test_warm_starts_and_limits():
    system, _ = block_on_ground()
    R, cold = system.solve(0.1, tolerance=1e-11)
    again, warm = system.solve(0.1, R, tolerance=1e-10)
    assert warm.sweeps + warm.steps <= 1 < cold.sweeps + cold.steps and again is not R
    _, short = system.solve(0.1, method="gauss_seidel", max_sweeps=1, tolerance=1e-14)
    assert short.status == "sweep_limit" and not short.converged and short.sweeps == 1
    _, short = system.solve(0.1, time_limit=0.0, tolerance=0.0)
    assert short.status == "time_limit"


def test_work_is_bounded_and_the_same_each_time():
    system, _ = block_on_ground()
    one = system.solve(0.1, max_sweeps=1, method="gauss_seidel", tolerance=0)[1]
    assert one.status == "sweep_limit" and one.work > 0
    runs = [system.solve(0.1, max_work=10 * one.work, method="gauss_seidel", tolerance=1e-300) for _ in range(2)]
    (R, report), (again, other) = runs
    assert report.status == "work_limit" and 10 * one.work <= report.work <= 11 * one.work
    assert (report.work, report.sweeps, report.residual) == (other.work, other.sweeps, other.residual)
    np.testing.assert_array_equal(R, again)
    assert ldy.real_time() == {"tolerance": 1e-3, "method": "gauss_seidel", "max_sweeps": 100}
    report = system.solve(0.1, **ldy.real_time())[1]
    assert report.sweeps <= 100 and report.steps == 0


def test_laws_stay_with_their_constraints():
    system, block = block_on_ground()
    with pytest.raises(ldy.Error, match="^constraint 0 on body 0: it has no law"):
        system.solve()
    limit = system.add_dof_constraint(block, 0)
    laws = ldy.Laws(4, ldy.laws.contact(0.1))
    laws[2] = ldy.laws.contact(0.2, friction_2=0.4, bias=(0, 0, 0.5))
    system.set_laws([0, 1, 2, 3], laws)
    system.set_laws(limit, ldy.laws.bounds(0, 1.0))
    system.update(0.01)
    kept, report = system.solve()
    given = ldy.Laws(5, ldy.laws.bounds(0, 1.0))
    given[:4] = laws
    R, expected = system.solve(given)
    np.testing.assert_array_equal(kept, R)
    assert report.converged and report.sweeps == expected.sweeps
    told = system.laws([limit, 2])
    assert list(told.kind) == ["bounds", "contact"]
    np.testing.assert_array_equal(told.friction, [[0, 0], [0.2, 0.4]])
    np.testing.assert_array_equal(told.bias[1], [0, 0, 0.5, 0, 0, 0])
    assert (told.lower[0, 0], told.upper[0, 0], told.cohesion[1]) == (0, 1, 0)
    system.set_laws([2, limit], system.laws([2, limit]))
    np.testing.assert_array_equal(system.solve()[0], R)
    with pytest.raises(ldy.Error, match="^entry 1: constraint 4 on body 0: a contact has two to six scalar rows"):
        system.set_laws([0, limit], 0.5)
    with pytest.raises(ldy.Error, match="^constraint 9"):
        system.set_laws(9, 0.5)
    system.set_laws(1, ldy.laws.none())
    assert system.laws(1).kind[0] == "none"
    with pytest.raises(ldy.Error, match="^constraint 1 on body 0: it has no law"):
        system.solve()


def test_a_list_of_contacts_is_matched_by_keys():
    system, block = block_on_ground()
    quarter = np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]])
    ids, sync = system.sync_constraints([7, 2**64 - 1], block, ldy.GROUND, np.eye(3), [[1, 1, -1], [0, 0, 0]], laws=0.5)
    assert list(ids) == [4, 5] and (sync.kept, sync.inserted, sync.removed, sync.first_inserted) == (0, 2, 0, 4)
    assert list(system.tags()) == [0, 0, 0, 0, 7, 2**64 - 1]
    system.store_reactions(np.arange(18.0))
    ids, sync = system.sync_constraints([3, 7], block, [ldy.GROUND, ldy.GROUND], [np.eye(3), quarter], laws=ldy.laws.none())
    assert list(ids) == [6, 4] and (sync.kept, sync.inserted, sync.removed, sync.first_inserted) == (1, 1, 1, 6)
    np.testing.assert_allclose(quarter @ system.stored_reactions()[12:15], [12, 13, 14])
    assert list(system.laws(ids).kind) == ["none", "contact"]
    with pytest.raises(ldy.Error, match="^entry 1: new constraint on body 0: an earlier entry has its key"):
        system.sync_constraints([5, 5], block, ldy.GROUND, np.eye(3))
    assert system.sync_constraints([], block, ldy.GROUND, np.eye(3))[1].removed == 2
    assert len(system.tags()) == 4


def test_progress_is_told_and_may_stop():
    system, _ = block_on_ground()
    W, B = system.results().to_dense(), system.results().B
    solvers = [
        lambda progress: system.solve(0.1, method="gauss_seidel", tolerance=1e-12, progress=progress),
        lambda progress: ldy.solve(W, B, 0.1, method="gauss_seidel", tolerance=1e-12, progress=progress),
    ]
    for solve in solvers:
        told = []
        R, report = solve(lambda *so_far: told.append(so_far))
        assert report.converged and len(told) == len(report.history) > 2
        residuals = [residual for residual, _, _ in told]
        assert residuals == sorted(residuals, reverse=True) and residuals[-1] == report.residual
        assert told[-1][1:] == (report.sweeps, report.steps)
        _, report = solve(lambda residual, sweeps, steps: sweeps == 0)
        assert report.status == "stopped" and report.residual == residuals[1]

        def raises(residual, sweeps, steps):
            raise KeyError("enough")

        with pytest.raises(KeyError, match="enough"):
            solve(raises)
    assert system.solve(0.1)[1].converged


def test_an_infinite_time_is_no_limit():
    system, _ = block_on_ground()
    for limit in (np.inf, 1e300, 1e18):
        assert system.solve(0.1, time_limit=limit)[1].converged
    assert system.solve(0.1, time_limit=0)[1].status == "time_limit"


def test_what_a_solver_refuses():
    system, _ = block_on_ground()
    with pytest.raises(ValueError, match="3 laws for 4 rows"):
        system.solve(ldy.Laws(3, ldy.laws.contact()))
    with pytest.raises(ValueError, match="R: 3 values where 12"):
        system.solve(0.1, [0, 0, 1])
    with pytest.raises(ldy.Error, match="constraint 2 on body 0: its friction"):
        system.solve([0.1, 0.1, -1, 0.1])
    with pytest.raises(ValueError, match='method: "jacobi" where'):
        system.solve(0.1, method="jacobi")
    with pytest.raises(ValueError, match='measure: "other" where'):
        system.solve(0.1, measure="other")
    for limit in (-1, np.nan, -np.inf):
        with pytest.raises(ValueError, match="time_limit: .* where a number of seconds"):
            system.solve(0.1, time_limit=limit)
    with pytest.raises(ldy.Error, match="row 1: .*friction"):
        ldy.solve(np.eye(6), np.zeros(6), [0, np.nan])
    with pytest.raises(ValueError, match="W: shape"):
        ldy.solve(np.eye(6), np.zeros(3), 0)
    system.set_velocity(0, np.zeros(6))
    with pytest.raises(ldy.Error, match="no successful update"):
        system.solve(0.1)


def test_other_threads_go_on_while_it_solves():
    """Python never takes the turn from a thread here: another one counts only while the library has given it away."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(90, 90))
    system = ldy.System()
    body = system.add_body(ldy.Inertia.dense(A @ A.T))
    system.set_velocity(body, rng.normal(size=90))
    for k in range(0, 90, 3):
        system.add_constraint_rows(body, np.eye(90)[k : k + 3])
    system.update(1.0)
    system.solve(0.5)
    counted, over = [0], threading.Event()

    def count():
        while not over.wait(1e-4):
            counted[0] += 1

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e6)
    counter = threading.Thread(target=count)
    counter.start()
    try:
        before = counted[0]
        for _ in range(100):
            # Enough work for the other thread to wake up in.
            system.solve(0.5, tolerance=0.0, max_sweeps=3000, method="gauss_seidel")
            if counted[0] > before + 3:
                break
        assert counted[0] > before + 3
    finally:
        sys.setswitchinterval(interval)
        over.set()
        counter.join()


def test_a_system_in_use_says_so():
    system, _ = block_on_ground()
    caught, inside, over = [], threading.Event(), threading.Event()

    def progress(residual, sweeps, steps):
        inside.set()
        over.wait(30)

    solving = threading.Thread(target=lambda: system.solve(0.1, progress=progress))
    solving.start()
    assert inside.wait(30)
    for call in (lambda: system.update(1.0), lambda: system.scalar_count, lambda: system.factorize()):
        with pytest.raises(ldy.InUseError, match="^the system is in use") as error:
            call()
        caught.append(error.value)
    over.set()
    solving.join()
    assert all(isinstance(error, RuntimeError) and isinstance(error, ldy.Error) for error in caught)
    system.update(1.0)


def test_biases_close_gaps_and_bounce():
    bias = ldy.laws.contact_bias([0.25, -0.5, -1.5, -4.5], 0.125, erp=0.25, slop=0.5, max_speed=3.0)
    np.testing.assert_array_equal(bias, [2, 0, -2, -3])
    # Closed contacts that approach with 1 and with 5.
    np.testing.assert_array_equal(ldy.laws.contact_bias(0.0, 1.0, [-1, -5, 5], restitution=0.5, bounce_speed=2.0), [0, -2.5, 0])
    assert ldy.laws.contact_bias(0.5, 0.25).shape == () and ldy.laws.contact_bias(0.5, 0.25) == 2
    with pytest.raises(ldy.Error, match="^entry 1: gap, velocity or h"):
        ldy.laws.contact_bias([0, np.nan], 0.1)
    with pytest.raises(ldy.Error, match="^gap, velocity or h"):
        ldy.laws.contact_bias(0, 0.1, erp=2.0)
    with pytest.raises(ldy.Error, match=r"^gap and velocity: shapes \(2,\) and \(3,\) differ"):
        ldy.laws.contact_bias([0, 0], 0.1, [1, 2, 3])
    # A ball that falls with 2 leaves the ground with 1.
    system = ldy.System()
    ball = system.add_rigid(1.0, 1.0)
    system.add_point_constraints(ball, ldy.GROUND, np.eye(3))
    for which in ("free", "previous"):
        system.set_velocity(ball, [0, 0, 0, 0, 0, -2.0], which)
    system.update(0.1)
    normal = ldy.laws.contact_bias(0.0, 0.1, system.results().V[2::3], restitution=0.5)
    R, _ = system.solve(ldy.laws.contact(bias=normal[:, None] * [0, 0, 1]))
    system.apply_reactions(R)
    assert system.velocity(ball)[5] == pytest.approx(1)
