"""ldy.jax against differences, and ldy without JAX."""

import subprocess
import sys

import differentiable_scenes as scenes
import ldy
import numpy as np
import pages
import pytest

jax = pytest.importorskip("jax")
jnp = jax.numpy
test_util = pytest.importorskip("jax.test_util")
jax.config.update("jax_enable_x64", True)


def check(function, data):
    """Compare the derivatives of all results by all data with differences."""
    test_util.check_grads(lambda data: tuple(function(**data)), (jax.tree.map(jnp.asarray, data),), 1, ["rev"], 1e-5, 1e-5, 1e-5)


@pytest.mark.filterwarnings("error:::ldy")
@pytest.mark.parametrize("name", scenes.CONTACTS)
def test_steps_with_each_law(name):
    system, data = scenes.data_of(name)
    # Symmetric matrices alone are inertias: differences along others are those along their symmetric part, too.
    check(ldy.jax.Step(system, scenes.H, **scenes.TIGHT), data)


@pytest.mark.filterwarnings("error:::ldy")
def test_a_step_of_many_bodies_and_solutions_of_rows():
    system, data = scenes.many_bodies()
    check(ldy.jax.Step(system, scenes.H, **scenes.TIGHT), data)
    laws, row_counts, data = scenes.robot()
    check(ldy.jax.Solver(laws, row_counts=row_counts, **scenes.TIGHT), data)


def test_batches_have_the_steps_of_each():
    system, data = scenes.data_of("slides")
    step = ldy.jax.Step(system, scenes.H)
    velocities = jnp.asarray(data["velocity"] + 0.1 * np.sin(np.arange(24.0)).reshape(4, 6))
    frictions = jnp.array([0.2, 0.3, 0.25, 0.1])

    def speed(velocity, friction):
        return step(velocity, friction=friction).velocity[3]

    both = jax.value_and_grad(speed, (0, 1))
    each = [both(velocity, friction) for velocity, friction in zip(velocities, frictions)]
    for several in (jax.vmap(both)(velocities, frictions), jax.jit(jax.vmap(both))(velocities, frictions)):
        assert all((jnp.stack(leaves) == leaf).all() for leaf, *leaves in zip(*map(jax.tree.leaves, [several, *each])))
    # One friction for all, and leading dimensions.
    shared = jax.vmap(both, (0, None))(velocities, 0.3)
    assert (shared[1][0][1] == each[1][1][0]).all() and shared[1][1].shape == (4,)
    after = step(velocities, friction=frictions[:, None, None]).velocity
    assert (after[:, 3] == jnp.array([value for value, _ in each])).all()


def test_a_jacobian_has_a_row_for_each_result():
    system, data = scenes.data_of("slides")
    step, velocity = ldy.jax.Step(system, scenes.H), jnp.asarray(data["velocity"])
    rows = jax.jacrev(lambda velocity: step(velocity).velocity)(velocity)
    for k in range(6):
        assert (rows[k] == jax.grad(lambda velocity: step(velocity).velocity[k])(velocity)).all()


def test_steps_in_a_loop_of_jax():
    system, _ = scenes.ball_on_a_floor([0] * 6, ldy.laws.contact(0.0))
    system.move_constraints(system.constraints(), np.eye(3))
    step, fall = ldy.jax.Step(system, 0.01), jnp.array([0, 0, 0, 0, 0, -0.0981])

    def distance(friction):
        def advance(state, _):
            place, velocity = state
            velocity = step(velocity + fall, friction=friction).velocity
            return (place + 0.01 * velocity, velocity), None

        begin = (jnp.zeros(6), jnp.array([0, 0, 0, 1.0, 0, 0]))
        return jax.lax.scan(advance, begin, length=20)[0][0][3]

    # After n steps v = 1 - mu g h n.
    value, derivative = jax.jit(jax.value_and_grad(distance))(0.4)
    assert abs(value - (0.2 - 0.4 * 0.0981 * 0.01 * 210)) < 1e-9 and abs(derivative + 0.0981 * 0.01 * 210) < 1e-9


def test_types_are_kept():
    system, data = scenes.data_of("slides")
    step, velocity = ldy.jax.Step(system, scenes.H), jnp.asarray(data["velocity"], dtype=jnp.float32)
    assert step(velocity).velocity.dtype == jnp.float32
    assert jax.grad(lambda velocity: step(velocity).velocity.sum())(velocity).dtype == jnp.float32
    assert step([0, 0, 0, 3, 0, -1]).velocity.dtype == jnp.float64


def test_second_derivatives_are_refused():
    system, data = scenes.data_of("slides")
    step, velocity = ldy.jax.Step(system, scenes.H), jnp.asarray(data["velocity"])
    first = jax.grad(lambda velocity: step(velocity).velocity.sum())
    with pytest.raises(ldy.Error, match="second derivatives of contact problems are not available") as raised:
        jax.grad(lambda velocity: first(velocity).sum())(velocity)
    assert raised.value.code == ldy.ErrorCode.NOT_IMPLEMENTED
    # Derivatives as constants are allowed.
    assert np.isfinite(jax.grad(lambda v: (v * jax.lax.stop_gradient(first(v))).sum())(velocity)).all()


def test_warnings():
    system, _ = scenes.data_of("slides")
    step = ldy.jax.Step(system, scenes.H)
    with pytest.warns(ldy.DerivativeWarning, match=r"at a kink.*: constraint 0 component 2 \(touching\)$"):
        jax.block_until_ready(jax.grad(lambda velocity: step(velocity).velocity.sum())(jnp.zeros(6)))
    system, data = scenes.many_bodies()
    with pytest.warns(ldy.ConvergenceWarning, match="the solution has not converged: sweep_limit"):
        jax.block_until_ready(tuple(ldy.jax.Step(system, scenes.H, max_sweeps=0)(data["velocity"])))
    # A batch is one call.
    with pytest.warns(ldy.ConvergenceWarning, match="3 of 3 solutions have not converged"):
        jax.block_until_ready(jax.vmap(ldy.jax.Step(system, scenes.H, max_sweeps=0))(jnp.tile(data["velocity"], (3, 1))))


def test_what_is_refused():
    system, data = scenes.data_of("slides")
    step = ldy.jax.Step(system, scenes.H)
    for call, text in [
        (lambda: step(jnp.zeros(5)), r"velocity: shape \(5,\) where \(\.\.\., 6\) is needed"),
        (lambda: step(data["velocity"], frictoin=0.3), "there is no frictoin"),
        (lambda: jax.vmap(lambda velocity: step(velocity))(jnp.zeros((2, 5))), "velocity: shape"),
    ]:
        with pytest.raises(ldy.Error, match=text):
            call()


def test_single_precision_alone_is_refused():
    program = "import ldy; ldy.jax.Solver(ldy.Laws(1, ldy.laws.contact(0.5)))([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, -1])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert 'ldy.jax needs 64-bit numbers: jax.config.update("jax_enable_x64", True)' in done.stderr


def test_the_page():
    ((printed, shown),) = pages.run("how-to/learning.md", "jax")
    assert printed == shown
