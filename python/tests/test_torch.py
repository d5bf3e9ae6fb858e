"""ldy.torch against differences, closed forms and ldy without PyTorch."""

import differentiable_scenes as scenes
import ldy
import numpy as np
import pages
import pytest

torch = pytest.importorskip("torch")


def tensors(data):
    return {name: torch.tensor(values, dtype=torch.float64, requires_grad=True) for name, values in data.items()}


def is_derivative(function, data):
    """Compare the derivatives of all results by all data with differences; warnings are errors."""
    given = tensors(data)

    def of_tensors(*values):
        return tuple(function(**dict(zip(given, values))))

    return torch.autograd.gradcheck(of_tensors, tuple(given.values()), eps=1e-6, atol=1e-6, rtol=1e-5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", scenes.CONTACTS)
def test_steps_with_each_law(name):
    system, data = scenes.data_of(name)
    assert is_derivative(ldy.torch.Step(system, scenes.H, **scenes.TIGHT), data)


@pytest.mark.filterwarnings("error")
def test_a_step_of_many_bodies():
    system, data = scenes.many_bodies()
    assert is_derivative(ldy.torch.Step(system, scenes.H, **scenes.TIGHT), data)


@pytest.mark.filterwarnings("error")
def test_frames_as_functions_of_angles():
    system, data = scenes.data_of("slides")
    step = ldy.torch.Step(system, scenes.H, **scenes.TIGHT)
    velocity = torch.tensor(data["velocity"])

    def turned(angles):
        a, b = angles
        one, zero = torch.ones_like(a), torch.zeros_like(a)
        first = torch.stack([torch.cos(a), -torch.sin(a), zero, torch.sin(a), torch.cos(a), zero, zero, zero, one]).reshape(3, 3)
        second = torch.stack([torch.cos(b), zero, torch.sin(b), zero, one, zero, -torch.sin(b), zero, torch.cos(b)]).reshape(3, 3)
        return tuple(step(velocity, frame=first @ second))

    assert torch.autograd.gradcheck(turned, (torch.tensor([0.2, 0.1], dtype=torch.float64, requires_grad=True),), atol=1e-6, rtol=1e-5)


@pytest.mark.filterwarnings("error")
def test_solutions_of_rows():
    laws, row_counts, data = scenes.robot()
    assert is_derivative(ldy.torch.Solver(laws, row_counts=row_counts, **scenes.TIGHT), data)


def test_results_are_those_of_the_system():
    system, data = scenes.many_bodies()
    step = ldy.torch.Step(system, scenes.H)
    velocity, R, U = step(data["velocity"])
    for body, values in zip(system.bodies(), np.split(data["velocity"], [6, 12, 18])):
        system.set_velocity(body, values)
    system.update(scenes.H)
    own, _ = system.solve()
    assert (R.numpy() == own).all() and (U.numpy() == system.multiply(own) + system.results().B).all()
    system.apply_reactions(own)
    assert (velocity.numpy() == np.concatenate([system.velocity(int(body)) for body in system.bodies()])).all()
    # What one call gives, the next one does not find.
    other = step(data["velocity"], friction=0.0)
    assert not np.allclose(other.R, R) and (step(data["velocity"]).R == R).all()
    assert step.shapes["bias"] == (6, 5) and step.shapes["velocity"] == (20,)


def test_leading_dimensions_are_steps_of_their_own():
    system, data = scenes.data_of("slides")
    step = ldy.torch.Step(system, scenes.H)
    velocities = torch.tensor(data["velocity"] + 0.1 * np.sin(np.arange(36.0)).reshape(3, 2, 6), requires_grad=True)
    friction = torch.tensor([0.2, 0.3], dtype=torch.float64, requires_grad=True)
    velocity, R, U = step(velocities, friction=friction[:, None, None])
    assert velocity.shape == (3, 2, 6) and R.shape == U.shape == (3, 2, 3)
    velocity[..., 3].sum().backward()
    sums = np.zeros(2)
    for i in range(3):
        for j in range(2):
            own, mu = velocities.detach()[i, j].requires_grad_(), friction.detach()[j].requires_grad_()
            after, forces, _ = step(own, friction=mu)
            after[3].backward()
            assert (after == velocity[i, j]).all() and (forces == R[i, j]).all() and (own.grad == velocities.grad[i, j]).all()
            sums[j] += mu.grad
    assert np.allclose(friction.grad, sums, rtol=1e-14) and (sums < 0).all()


def test_steps_after_steps():
    """A puck slides to its end: the distance is v**2 / (2 mu g), up to the step."""
    system, _ = scenes.ball_on_a_floor([0] * 6, ldy.laws.contact(0.0))
    system.move_constraints(system.constraints(), np.eye(3))
    h, friction = 0.001, torch.tensor(0.4, dtype=torch.float64, requires_grad=True)
    step = ldy.torch.Step(system, h)
    fall, velocity = torch.tensor([0, 0, 0, 0, 0, -9.81 * h], dtype=torch.float64), torch.tensor([0, 0, 0, 1.0, 0, 0], dtype=torch.float64)
    distance = 0.0
    while velocity[3].item() > 1e-9:
        velocity = step(velocity + fall, friction=friction).velocity
        distance = distance + h * velocity[3]
    distance.backward()
    assert abs(distance.item() * 2 * 0.4 * 9.81 - 1) < 0.01 and abs(friction.grad.item() * 2 * 0.4**2 * 9.81 + 1) < 0.01


def test_single_precision_is_kept():
    system, data = scenes.data_of("slides")
    velocity = torch.tensor(data["velocity"], dtype=torch.float32, requires_grad=True)
    after = ldy.torch.Step(system, scenes.H)(velocity).velocity
    after.sum().backward()
    assert after.dtype == velocity.grad.dtype == torch.float32
    assert ldy.torch.Step(system, scenes.H)([0, 0, 0, 3, 0, -1]).velocity.dtype == torch.float64


def test_second_derivatives_are_refused():
    system, data = scenes.data_of("slides")
    velocity = tensors(data)["velocity"]
    laws, row_counts, rows = scenes.robot()
    B = tensors(rows)["B"]
    for function, given in [
        (lambda: ldy.torch.Step(system, scenes.H)(velocity).velocity.sum(), velocity),
        (lambda: ldy.torch.Solver(laws, row_counts=row_counts)(rows["W"], B).R.sum(), B),
    ]:
        (first,) = torch.autograd.grad(function(), given, create_graph=True)
        with pytest.raises(ldy.Error, match="second derivatives of contact problems are not available") as raised:
            torch.autograd.grad(first.sum(), given)
        assert raised.value.code == ldy.ErrorCode.NOT_IMPLEMENTED


def test_kinks_are_told():
    system, _ = scenes.data_of("slides")
    step = ldy.torch.Step(system, scenes.H)
    velocity = torch.zeros(2, 6, dtype=torch.float64, requires_grad=True)
    result = step(velocity + torch.tensor([[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, -1.0]]))
    with pytest.warns(ldy.DerivativeWarning, match=r"at a kink.*: solution 0 constraint 0 component 2 \(touching\)$"):
        result.velocity.sum().backward()


def test_forces_without_derivatives_are_told():
    step = ldy.torch.Step(scenes.table(), 1.0, canonical=True)
    velocity = torch.tensor([0, 0, 0, 0, 0, -1.0], requires_grad=True)
    with pytest.warns(ldy.DerivativeWarning, match="forces that have no derivatives: constraint 0, constraint 1, constraint 2, constraint 3$"):
        step(velocity).R[2].backward()


@pytest.mark.filterwarnings("error")
def test_velocities_have_derivatives_where_forces_have_none():
    velocity = torch.tensor([0, 0, 0, 0, 0, -1.0], dtype=torch.float64, requires_grad=True)
    ldy.torch.Step(scenes.table(), 1.0, canonical=True)(velocity).velocity.sum().backward()
    assert np.allclose(velocity.grad, 0, atol=1e-9)


def test_solutions_that_have_not_converged_are_told():
    system, data = scenes.many_bodies()
    step = ldy.torch.Step(system, scenes.H, max_sweeps=0)
    velocity = tensors(data)["velocity"]
    with pytest.warns(ldy.ConvergenceWarning, match="the solution has not converged: sweep_limit, residual .* where 1e-08 is the tolerance"):
        after = step(velocity).velocity
    with pytest.warns(ldy.DerivativeWarning) as warned:
        after.sum().backward()
    assert str(warned[0].message).startswith("the forces are no solution, so these are not its derivatives: residual ")
    with pytest.warns(ldy.ConvergenceWarning, match="2 of 2 solutions have not converged"):
        step(torch.stack([velocity, velocity]))


def test_what_is_refused():
    system, data = scenes.data_of("slides")
    step, velocity = ldy.torch.Step(system, scenes.H), torch.tensor(data["velocity"])
    laws, row_counts, rows = scenes.robot()
    solver = ldy.torch.Solver(laws, row_counts=row_counts)
    for call, text in [
        (lambda: step(velocity[:5]), r"velocity: shape \(5,\) where \(\.\.\., 6\) is needed"),
        (lambda: step(velocity, frictoin=0.3), "there is no frictoin; there are velocity, mass"),
        (lambda: step(velocity, mass=1.0), "mass and inertia are given together"),
        (lambda: step(velocity, friction=torch.zeros(2, 3)), r"friction: shape \(2, 3\) where \(\.\.\., 1, 2\) is needed"),
        (lambda: step(torch.zeros(2, 6), friction=torch.zeros(3, 1, 1)), "the leading dimensions of velocity, friction do not broadcast"),
        (lambda: step(velocity, friction=-1.0), "friction"),
        (lambda: solver(rows["W"][:3], rows["B"]), "W: shape"),
        (lambda: solver(rows["W"], rows["B"], W_2=1), "there is no W_2"),
        (lambda: ldy.torch.Solver(laws, row_counts=[3, 3]), r"row_counts: shape \(2,\) where \(3,\) is needed"),
        (lambda: ldy.torch.Solver(ldy.Laws(1))(np.eye(3), [0, 0, -1]), "law"),
    ]:
        with pytest.raises(ldy.Error, match=text):
            call()


def test_the_page():
    ((printed, shown),) = pages.run("how-to/learning.md", "torch")
    assert printed == shown
