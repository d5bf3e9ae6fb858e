"""Derivatives against central differences of solutions, and closed forms."""

import copy

import ldy
import numpy as np
import pytest

STEP = 1e-5


def scene(random, rows):
    """Contacts and bounds with a regular W, and their numbers."""
    H = random.normal(size=(3 * rows, 3 * rows + 2))
    data = {"W": H @ H.T + 0.3 * np.eye(3 * rows), "B": random.normal(size=3 * rows)}
    kinds = random.random(rows) < 0.7
    data["friction"] = random.uniform(0.2, 0.8, (rows, 2))
    data["cohesion"] = random.uniform(0.1, 0.3, rows)
    data["lower"], data["upper"] = random.uniform(-0.4, -0.1, (rows, 6)), random.uniform(0.1, 0.4, (rows, 6))
    data["bias"] = 0.2 * random.normal(size=(rows, 6))
    return kinds, data


def laws_of(kinds, data):
    laws = ldy.Laws(len(kinds))
    friction, friction_2 = data["friction"][kinds].T
    bias = data["bias"][:, :3]
    laws[kinds] = ldy.laws.contact(friction, friction_2=friction_2, cohesion=data["cohesion"][kinds], bias=bias[kinds])
    lower, upper = data["lower"][~kinds, :3], data["upper"][~kinds, :3]
    laws[~kinds] = ldy.laws.bounds(lower, upper, bias[~kinds])
    return laws


def solution(kinds, data):
    R, report = ldy.solve(data["W"], data["B"], laws_of(kinds, data), tolerance=1e-12)
    assert report.scaled_residual < 1e-11
    return R, data["W"] @ R + data["B"]


def test_both_ways_are_differences_of_solutions():
    random, compared = np.random.default_rng(4), 0
    for _ in range(30):
        kinds, data = scene(random, 4)
        R, U = solution(kinds, data)
        own = ldy.derivatives(data["W"], data["B"], laws_of(kinds, data), R, tolerance=1e-4)
        assert own.is_solution and own.residual < 1e-10
        if own.kinks():
            continue
        change = {name: random.normal(size=np.shape(value)) for name, value in data.items()}
        sides = [solution(kinds, {name: value + sign * STEP * change[name] for name, value in data.items()}) for sign in (1, -1)]
        dR, dU = ((after - before) / (2 * STEP) for after, before in zip(*sides))
        numbers = {name: change[name] for name in ("friction", "cohesion", "lower", "upper", "bias")}
        found = own.forward(change["B"] + change["W"] @ R, **numbers)
        size = np.abs(dR).max() + np.abs(dU).max()
        assert np.abs(found.R - dR).max() < 1e-6 * size and np.abs(found.U - dU).max() < 1e-6 * size
        by_R, by_U = random.normal(size=(2, len(R)))
        gradient = own.adjoint(by_R, by_U)
        along = gradient.B @ change["B"] + np.sum(np.outer(gradient.B, R) * change["W"])
        along += sum(np.sum(getattr(gradient, name) * value) for name, value in numbers.items())
        assert abs(along - by_R @ dR - by_U @ dU) < 1e-6 * size * len(R)
        compared += 1
    assert compared > 15


def slider():
    system = ldy.System()
    ball = system.add_rigid(1.0, 0.4)
    removed = system.add_point_constraints(ball, ldy.GROUND, np.eye(3), [0, 0, 0])
    contact = system.add_point_constraints(ball, ldy.GROUND, np.eye(3), [0, 0, 0])
    system.remove_constraints(removed)
    system.set_velocity(ball, [0, 0, 0, 2, 0, -3])
    system.set_laws(contact, ldy.laws.contact(friction=0.5))
    system.update(1.0)
    return system, contact


def test_several_changes_and_functions_at_once():
    system, _ = slider()
    own = system.derivatives([-1.5, 0, 3])
    changes = own.forward([[0, 0, -1.0], [0, 0, 0]], friction=[[[0, 0]], [[1, 1]]])
    assert np.allclose(changes.R, [[-0.5, 0, 1], [-3, 0, 0]]) and np.allclose(changes.U, [[-0.5, 0, 0], [-3, 0, 0]])
    assert not changes.is_singular and changes.outside < 1e-14
    assert np.allclose(own.forward(friction=1.0).R, changes.R[1]) and np.allclose(own.forward(bias=[[[0, 0, 1, 0, 0, 0]], np.zeros((1, 6))]).U[:, 2], [-1, 0])
    gradient = own.adjoint([[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [0, 0, 0]])
    assert np.allclose(gradient.B, [[1, 0, 0.5], [0, 0, 0.5]])
    assert gradient.friction.shape == (2, 1, 2) and np.allclose(gradient.friction.sum(axis=-1), -3)
    assert gradient.cohesion.shape == (2, 1) and gradient.lower.shape == (2, 1, 6)
    assert np.allclose(own.adjoint(U=[1, 0, 0]).B, [1, 0, 0.5]) and np.allclose(own.adjoint(R=1.0).B, own.adjoint([1, 1, 1]).B)
    assert repr(own) == "<ldy.Derivatives: 3 scalar rows>" and repr(gradient).startswith("<ldy.Gradient: 3 scalar rows, outside ")


def test_kinks_and_open_changes_are_told():
    system, contact = slider()
    system.set_velocity(system.bodies()[0], [0] * 6)
    system.update(1.0)
    assert system.derivatives([0, 0, 0]).kinks() == [ldy.Kink(contact, 2, "touching")]
    table = ldy.System()
    body = table.add_rigid(4.0, 1.0, center=[0, 0, 1])
    table.set_velocity(body, [0, 0, 0, 0, 0, -1])
    legs = table.add_point_constraints(body, ldy.GROUND, np.eye(3), [[-1, -0.5, 0], [1, -0.5, 0], [1, 0.5, 0], [-1, 0.5, 0]])
    table.update(1.0)
    R = np.tile([0, 0, 1.0], 4)
    own = table.derivatives(R, ldy.laws.contact(0.5))
    changes = own.forward(np.tile([0, 0, -1.0], 4))
    assert changes.is_singular and changes.outside < 1e-9 and np.allclose(changes.R, R) and np.allclose(changes.U, 0)
    assert own.adjoint(np.eye(12)[2]).outside > 0.1 and (own.undetermined() == legs).all()
    assert not table.derivatives(1.1 * R, ldy.laws.contact(0.5)).is_solution


def test_what_is_refused():
    system, contact = slider()
    own = system.derivatives([-1.5, 0, 3])
    for call, text in [
        (lambda: own.forward([1, 2]), r"B: shape \(2,\) where \(\) or \(3,\) is needed"),
        (lambda: own.forward(np.zeros((1, 1, 3))), r"B: shape \(1, 1, 3\)"),
        (lambda: own.forward(friction=[1, 2, 3]), "friction: shape"),
        (lambda: own.forward([np.nan, 0, 0]), "a change of its velocity is not finite"),
        (lambda: own.forward(bias=np.inf), "a change of its law is not finite"),
        (lambda: own.adjoint(U=[np.inf, 0, 0]), "a derivative by its velocity is not finite"),
        (lambda: own.adjoint(R=[[1, 2]]), "R: shape"),
        (lambda: system.derivatives([0, 0]), "forces: 2 values where 3 are needed"),
        (lambda: system.derivatives([0, 0, 0], tolerance=1.0), "the tolerance is not between 0 and 1"),
    ]:
        with pytest.raises(ldy.Error, match=text):
            call()
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        copy.copy(own)
    system.remove_constraints(contact)
    with pytest.raises(ldy.Error, match="no successful update since the last change"):
        system.derivatives([-1.5, 0, 3])
    # They remain as they are.
    assert np.allclose(own.adjoint(U=[1, 0, 0]).B, [1, 0, 0.5])
