"""Systems against dense matrices that NumPy makes of the same data."""

import gc
import weakref

import ldy
import numpy as np
import pytest

H = 0.01


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def spd(rng, n):
    m = rng.normal(size=(n, n))
    return m @ m.T + n * np.eye(n)


class Scene:
    """Bodies of all kinds, and constraints between them; H and A^-1 as dense matrices."""

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng(seed)
        self.system = system = ldy.System()
        self.inverse, self.placed = {}, {}
        count = 4
        self.mass, self.tensor = rng.uniform(1, 2, count), np.array([spd(rng, 3) for _ in range(count)])
        self.turn, self.center = np.array([rotation(rng) for _ in range(count)]), rng.normal(size=(count, 3))
        self.rigid = system.add_rigid(self.mass, self.tensor, self.turn, self.center)
        for k, body in enumerate(self.rigid):
            inverse = np.zeros((6, 6))
            inverse[:3, :3], inverse[3:, 3:] = np.linalg.inv(self.tensor[k]), np.eye(3) / self.mass[k]
            self.inverse[body] = inverse
        self.soft = system.add_pseudo_rigid(2.0, self.tensor[0], self.center[0])
        self.inverse[self.soft] = np.zeros((12, 12))
        for i in range(3):
            self.inverse[self.soft][3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = np.linalg.inv(self.tensor[0])
            self.inverse[self.soft][9 + i, 9 + i] = 0.5
        self.wall = system.add_obstacle()
        self.inverse[self.wall] = np.zeros((6, 6))
        A = spd(rng, 7)
        self.general = [system.add_body(ldy.Inertia.dense(np.linalg.inv(A))), system.add_body(ldy.Inertia.diagonal(np.arange(1.0, 8.0)))]
        self.inverse[self.general[0]], self.inverse[self.general[1]] = np.linalg.inv(A), np.diag(np.arange(1.0, 8.0))
        self.general.append(system.add_body(ldy.Inertia.function(7, lambda x: np.linalg.solve(A, x))))
        self.inverse[self.general[2]] = np.linalg.inv(A)
        self.velocity = {}
        for body, inverse in self.inverse.items():
            self.velocity[body] = rng.normal(size=len(inverse))
            system.set_velocity(body, self.velocity[body])

    def operator(self, body, point, frame):
        if body in (self.soft, self.wall):
            center, turn = (self.center[0], None) if body == self.soft else (np.zeros(3), np.eye(3))
        else:
            k = list(self.rigid).index(body)
            center, turn = self.center[k], self.turn[k]
        if turn is None:
            return frame.T @ np.hstack([np.kron(np.eye(3), point - center), np.eye(3)])
        return frame.T @ np.hstack([-turn @ skew(point - center), np.eye(3)])

    def add_points(self, count):
        bodies = [*self.rigid, self.soft, self.wall]
        master = self.rng.choice(bodies[:-1], count)
        slave = self.rng.choice([*bodies, ldy.GROUND], count)
        slave[slave == master] = ldy.GROUND
        frame = np.array([rotation(self.rng) for _ in range(count)])
        points = self.rng.normal(size=(2, count, 3))
        ids = self.system.add_point_constraints(master, slave, frame, *points)
        for k, one in enumerate(ids):
            parts = {master[k]: self.operator(master[k], points[0, k], frame[k])}
            if slave[k] != ldy.GROUND:
                parts[slave[k]] = -self.operator(slave[k], points[1, k], frame[k])
            self.placed[one] = parts
        return ids

    def add_operators(self):
        for master, slave in [(0, 1), (1, 2), (2, 0)]:
            one, other = self.rng.normal(size=(2, 3, 7))
            made = self.system.add_constraint_rows([self.general[master], self.general[slave]], [one, other])
            self.placed[made] = {self.general[master]: one, self.general[slave]: other}

    def check(self):
        self.system.update(H)
        rows = self.system.results()
        assert list(rows.ids) == sorted(self.placed)
        bodies = sorted(self.inverse)
        at = dict(zip(bodies, np.cumsum([0] + [len(self.inverse[body]) for body in bodies])))
        J = np.zeros((3 * len(rows), sum(len(inverse) for inverse in self.inverse.values())))
        for k, one in enumerate(rows.ids):
            for body, h in self.placed[one].items():
                J[3 * k : 3 * k + 3, at[body] : at[body] + h.shape[1]] = h
        M = np.zeros((J.shape[1], J.shape[1]))
        for body, inverse in self.inverse.items():
            M[at[body] : at[body] + len(inverse), at[body] : at[body] + len(inverse)] = inverse
        W = H * J @ M @ J.T
        np.testing.assert_allclose(rows.to_dense(), W, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(rows.to_dense(), rows.to_dense().T)
        u = np.concatenate([self.velocity[body] for body in bodies])
        np.testing.assert_allclose(rows.B, J @ u, rtol=1e-9, atol=1e-12)
        x = self.rng.normal(size=3 * len(rows))
        for through_bodies in (False, True):
            np.testing.assert_allclose(self.system.multiply(x, through_bodies=through_bodies), W @ x, rtol=1e-9, atol=1e-10)
        return rows


@pytest.mark.parametrize("seed", range(20))
def test_systems_are_as_dense_matrices_say(seed):
    scene = Scene(seed)
    ids = scene.add_points(8)
    scene.add_operators()
    scene.check()
    scene.system.remove_constraints(ids[[1, 4]])
    for k in (1, 4):
        del scene.placed[ids[k]]
    scene.turn[1] = rotation(scene.rng)
    scene.system.set_rotation(scene.rigid[1], scene.turn[1])
    frame, point = rotation(scene.rng), scene.rng.normal(size=3)
    scene.system.move_constraints(ids[0], frame, point, point)
    body, other = scene.placed[ids[0]], dict(scene.placed[ids[0]])
    for side, (one, _) in enumerate(body.items()):
        other[one] = (1 - 2 * side) * scene.operator(one, point, frame)
    scene.placed[ids[0]] = other
    # What stands on the body that has turned is placed anew, too.
    for one in [one for one, parts in scene.placed.items() if scene.rigid[1] in parts]:
        scene.system.remove_constraints(one)
        del scene.placed[one]
    scene.add_points(6)
    scene.check()


def test_scipy_and_operators():
    sparse = pytest.importorskip("scipy.sparse")
    scene = Scene(3)
    scene.add_points(9)
    rows = scene.check()
    np.testing.assert_array_equal(rows.to_bsr().toarray(), rows.to_dense())
    np.testing.assert_array_equal(rows.to_csr().toarray(), rows.to_dense())
    x = np.arange(27.0)
    np.testing.assert_allclose(scene.system.operator() @ x, rows.to_dense() @ x, rtol=1e-12, atol=1e-12)
    body = scene.system.add_body(ldy.Inertia.sparse(sparse.csc_array(np.diag([1.0, 2.0, 4.0]))))
    scene.system.add_constraint_rows(body, np.eye(3))
    scene.system.update(1.0)
    np.testing.assert_allclose(scene.system.results().to_dense()[-3:, -3:], np.diag([1, 0.5, 0.25]))
    scene.system.set_inertia(body, ldy.Inertia.sparse(sparse.csc_array(np.diag([2.0, 2.0, 2.0]))))
    scene.system.update(1.0)
    np.testing.assert_allclose(scene.system.results().diagonal[-1], np.eye(3) / 2)


def test_forces_and_reactions():
    system = ldy.System()
    ball = system.add_rigid(2.0, 1.0)
    system.set_velocity(ball, [0, 0, 0, 0, 0, -1])
    system.set_velocity(ball, [0, 0, 0, 3, 0, 0], "previous")
    contact = system.add_point_constraints(ball, ldy.GROUND, np.eye(3), [0, 0, -1])
    system.update(0.5)
    np.testing.assert_array_equal(system.results().V, [3, 0, 0])
    np.testing.assert_array_equal(system.constraint_force(ball, [1, 0, 4]), [0, -1, 0, 1, 0, 4])
    system.apply_reactions([0, 0, 4])
    assert system.velocity(ball)[5] == 0
    system.set_compliance(contact, diagonal=[0, 0, 7])
    system.update(0.5)
    assert system.results().blocks[0][2, 2] == 7.25
    value, residual = system.spectral_radius(1e-9)
    assert value == pytest.approx(7.25) and residual < 1e-6


def test_errors_name_what_is_wrong_and_leave_nothing_behind():
    system = ldy.System()
    with pytest.raises(ldy.Error, match="entry 1: new body"):
        system.add_rigid([1.0, -1.0, 1.0], 1.0)
    assert len(system.bodies()) == 0
    ball = system.add_rigid(1.0, 1.0)
    with pytest.raises(ldy.Error, match="entry 2: new constraint"):
        system.add_point_constraints(ball, ldy.GROUND, np.eye(3), [[0, 0, 0], [1, 0, 0], [np.nan, 0, 0]])
    system.update(1.0)
    assert len(system.results()) == 0
    with pytest.raises(ValueError, match="frame: shape"):
        system.add_point_constraints(ball, ldy.GROUND, np.eye(4))
    with pytest.raises(ValueError, match="different lengths"):
        system.add_point_constraints([ball] * 2, ldy.GROUND, np.eye(3), np.zeros((3, 3)))
    with pytest.raises(TypeError):
        system.set_velocity(0.5, np.zeros(6))
    with pytest.raises(ldy.Error, match="6 are needed"):
        system.set_velocity(ball, np.zeros(5))
    with pytest.raises(ldy.Error):
        system.set_velocity(-7, np.zeros(6))
    system.add_point_constraints(ball, ldy.GROUND, np.eye(3))
    with pytest.raises(ldy.Error, match="constraint .* acts on it"):
        system.remove_bodies(ball)
    with pytest.raises(ldy.Error, match="no successful update"):
        system.results()


def test_one_function_for_several_bodies_is_that_of_each():
    random = np.random.default_rng(7)
    sizes = [3, 1, 4]
    roots = [random.normal(size=(n, n)) for n in sizes]
    inverses = [root @ root.T + np.eye(len(root)) for root in roots]
    calls = []

    def solve(x):
        calls.append(x.shape)
        parts = np.split(x, np.cumsum(sizes)[:-1])
        return np.vstack([inverse @ part for inverse, part in zip(inverses, parts)])

    together, apart = ldy.System(), ldy.System()
    bodies = together.add_model(sizes, solve)
    np.testing.assert_array_equal(bodies, [0, 1, 2])
    for inverse in inverses:
        apart.add_body(ldy.Inertia.dense(inverse))
    for master, slave in [(0, 1), (1, 2), (2, 0), (2, 1)]:
        operators = [random.normal(size=(3, sizes[body])) for body in (master, slave)]
        for system in (together, apart):
            system.add_constraint_rows([master, slave], operators)
    for system in (together, apart):
        system.update(0.5)
    np.testing.assert_allclose(together.results().to_dense(), apart.results().to_dense(), rtol=1e-13)
    assert calls == [(8, 9)]
    x = random.normal(size=12)
    np.testing.assert_allclose(together.multiply(x, through_bodies=True), apart.multiply(x), rtol=1e-12)
    assert calls == [(8, 9), (8, 1)]
    with pytest.raises(ldy.Error, match="at least one body"):
        together.add_model([], solve)


def test_what_a_solver_raises_comes_out():
    system = ldy.System()
    answers = [lambda x: 3 * x]
    body = system.add_body(ldy.Inertia.function(3, lambda x: answers[-1](x)))
    system.add_constraint_rows(body, np.eye(3))
    system.update(1.0)
    np.testing.assert_array_equal(system.results().to_dense(), 3 * np.eye(3))

    def fails(x):
        raise KeyError("no solution")

    answers.append(fails)
    system.set_operators(int(system.results().ids[0]), [2 * np.eye(3)])
    with pytest.raises(KeyError, match="no solution"):
        system.update(1.0)
    # The whole transpose has as many values, and they are others.
    for wrong, shape in [(lambda x: x[:2], r"\(2, 3\)"), (lambda x: x.ravel(), r"\(9,\)"), (lambda x: None, r"\(\)")]:
        answers.append(wrong)
        with pytest.raises(ValueError, match=rf"a solver returned shape {shape} where \(3, 3\) is needed"):
            system.update(1.0)
    answers.append(lambda x: x.tolist())
    system.update(1.0)
    np.testing.assert_array_equal(system.results().to_dense(), 4 * np.eye(3))


def test_what_a_solver_returns_has_the_shape_of_what_it_gets():
    system = ldy.System()
    answers = [lambda x: x]
    body = system.add_body(ldy.Inertia.function(3, lambda x: answers[-1](x)))
    constraints = [system.add_constraint_rows(body, np.eye(3) * k) for k in (1, 2)]
    system.update(1.0)
    # A transpose has as many values.
    answers.append(lambda x: x.T)
    system.set_operators(constraints[0], [3 * np.eye(3)])
    with pytest.raises(ValueError, match=r"a solver returned shape \(6, 3\) where \(3, 6\) is needed"):
        system.update(1.0)
    # One column may come as a vector.
    answers.append(lambda x: x[:, 0] if x.shape[1] == 1 else x)
    system.update(1.0)
    np.testing.assert_array_equal(system.multiply([1, 2, 3, 0, 0, 0], through_bodies=True), [9, 18, 27, 6, 12, 18])


@pytest.mark.parametrize("several", [False, True])
def test_what_owns_both_a_system_and_its_solver_is_collected(several):
    class Host:
        def __init__(self):
            self.system = ldy.System()
            bodies = self.system.add_model([3, 2], self.solve) if several else [self.system.add_body(ldy.Inertia.function(3, self.solve))]
            self.system.add_constraint_rows(bodies[0], np.eye(3))

        def solve(self, x):
            return 2 * x

    host = Host()
    gc.collect()
    host.system.update(1.0)
    np.testing.assert_array_equal(host.system.results().to_dense(), 2 * np.eye(3))
    gone = weakref.ref(host)
    del host
    gc.collect()
    assert gone() is None
    # A function that is in use stays, whatever has become of the others.
    system, made = ldy.System(), []
    for k in range(9):
        function = (lambda factor: lambda x: factor * x)(k + 1.0)
        made.append(weakref.ref(function))
        body = system.add_body(ldy.Inertia.function(3, function))
        del function
        if k % 2:
            system.remove_bodies(body)
        else:
            system.add_constraint_rows(body, np.eye(3))
    gc.collect()
    assert [one() is not None for one in made] == [True, False] * 4 + [True]
    system.update(1.0)
    np.testing.assert_array_equal(np.diag(system.results().to_dense()), np.repeat([1.0, 3, 5, 7, 9], 3))


def test_results_outlive_the_system():
    system = ldy.System()
    system.add_point_constraints(system.add_rigid(4.0, 1.0), ldy.GROUND, np.eye(3))
    system.update(1.0)
    rows = system.results()
    blocks = rows.blocks
    system.remove_constraints(0)
    system.update(1.0)
    del system
    gc.collect()
    np.testing.assert_array_equal(blocks[0], np.eye(3) / 4)
    assert len(rows) == 1 and repr(rows) == "<ldy.Rows: 1 rows, 3 scalar rows, 1 blocks>"




@pytest.mark.parametrize("order", ["rows", "columns", "sparse"])
def test_rows_of_a_jacobian_are_operators(order):
    scene = Scene(3)
    scene.add_points(4)
    scene.add_operators()
    bodies, ids = list(scene.general), sorted(scene.placed)[-3:]
    J = np.zeros((9, 21))
    for k, one in enumerate(ids):
        for body in scene.placed[one]:
            h, first = scene.rng.normal(size=(3, 7)), 7 * bodies.index(body)
            J[3 * k : 3 * k + 3, first : first + 7] = scene.placed[one][body] = h
    forms = {
        "rows": np.ascontiguousarray,
        "columns": np.asfortranarray,
        "sparse": lambda J: pytest.importorskip("scipy.sparse").csc_matrix(J),
    }
    scene.system.set_jacobian(bodies, ids, forms[order](J))
    scene.check()
    wrong = J.copy()
    wrong[3, 20] = np.nan
    with pytest.raises(ldy.Error, match="entry 1: constraint .*: its operator H is not finite"):
        scene.system.set_jacobian(bodies, ids, forms[order](wrong))
    with pytest.raises(ldy.Error, match="columns of the Jacobian J: 21 values where 14 are needed"):
        scene.system.set_jacobian(bodies[:2], ids, forms[order](J))
    scene.check()
