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
    assert changes.is_solution and own.adjoint(U=1.0).is_solution
    # Forces that are no solution: each report says so.
    wrong = table.derivatives(1.1 * R, ldy.laws.contact(0.5))
    assert not (wrong.is_solution or wrong.forward().is_solution or wrong.adjoint(U=1.0).is_solution)
    assert not table.gradient(1.1 * R, ldy.laws.contact(0.5), U=1.0).data.is_solution


def test_a_step_names_the_kinks_of_its_solution():
    system, contact = slider()
    system.set_velocity(0, [0, 0, 0, 0, 0, 0])
    system.update(1.0)
    gradient = system.gradient(np.zeros(3), U=[0, 0, 1.0])
    assert gradient.derivatives.kinks() == [(int(contact[0]), 2, "touching")] and gradient.data.is_solution


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


def test_errors_name_constraints_of_a_system_and_rows_of_a_matrix():
    system, contact = slider()
    own, of_rows = system.derivatives([-1.5, 0, 3]), ldy.derivatives(np.eye(3), [2.0, 0.0, -3.0], 0.5, [-1.5, 0, 3])
    for call, what in [
        (lambda own: own.forward([np.nan, 0, 0]), "a change of its velocity is not finite"),
        (lambda own: own.forward(friction=np.inf), "a change of its law is not finite"),
        (lambda own: own.adjoint(R=[0, 0, np.nan]), "a derivative by its force is not finite"),
    ]:
        with pytest.raises(ldy.Error, match=f"^constraint 1: {what}") as raised:
            call(own)
        assert raised.value.constraint == 1 and raised.value.entry is None
        with pytest.raises(ldy.Error, match=f"^constraint of row 0: {what}") as raised:
            call(of_rows)
        assert raised.value.constraint is None and raised.value.entry == 0


def bodies_on_a_floor(h, mass, inertia, inverse, point, frame, operator, friction):
    """A ball on the floor, tied to a body of two velocities."""
    system = ldy.System()
    ball = system.add_rigid(mass, inertia)
    rod = system.add_body(ldy.Inertia.dense(inverse))
    system.set_velocity(ball, [0.3, 0.1, -0.2, 1.0, 0.2, -2.0])
    system.set_velocity(rod, [0.5, -0.4])
    contact = system.add_point_constraints(ball, ldy.GROUND, frame, point)
    tie = system.add_constraint_rows([ball, rod], operator)
    system.set_laws(contact, ldy.laws.contact(friction))
    system.set_laws(tie, ldy.laws.fixed())
    system.update(h)
    return system, ball, rod, contact, tie


def test_a_step_has_the_derivatives_of_its_data():
    random = np.random.default_rng(8)
    tensor = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.8]])
    data = {"h": 0.2, "mass": 2.0, "inertia": tensor, "inverse": np.array([[2.0, 0.4], [0.4, 1.0]]), "point": np.array([0.1, 0.2, -1.0])}
    data["frame"] = np.eye(3)
    data["operator"] = [random.normal(size=(2, 6)), random.normal(size=(2, 2))]
    data["friction"] = 0.3
    by_R, by_U, w = random.normal(size=5), random.normal(size=5), random.normal(size=8)

    def function(**changes):
        system, ball, rod, *_ = bodies_on_a_floor(**{**data, **changes})
        R, report = system.solve(tolerance=1e-13)
        assert report.scaled_residual < 1e-11
        U = system.multiply(R) + system.results().B
        system.apply_reactions(R)
        return by_R @ R + by_U @ U + w @ np.concatenate([system.velocity(ball).ravel(), system.velocity(rod).ravel()])

    def along(name, change):
        at = [function(**{name: [a + s * b for a, b in zip(data[name], change)] if name == "operator" else data[name] + s * change}) for s in (1e-5, -1e-5)]
        return (at[0] - at[1]) / 2e-5

    system, ball, rod, contact, tie = bodies_on_a_floor(**data)
    R, _ = system.solve(tolerance=1e-13)
    gradient = system.gradient(R, by_R=by_R, U=by_U, velocities=w)
    assert not gradient.data.is_singular and not system.derivatives(R).kinks()
    mass, inertia = gradient.inertia(ball)
    change = random.normal(size=(3, 3))
    symmetric, small = change + change.T, np.array([[0.3, -0.2], [-0.2, 0.5]])
    by_inverse = -np.linalg.inv(data["inverse"]) @ gradient.matrix(rod) @ np.linalg.inv(data["inverse"])
    operators = [random.normal(size=(2, 6)), random.normal(size=(2, 2))]
    point = random.normal(size=3)
    for name, change, found in [
        ("h", 1.0, gradient.step),
        ("mass", 1.0, mass),
        ("inertia", symmetric, np.sum(inertia * symmetric)),
        ("inverse", small, np.sum(by_inverse * small)),
        ("point", point, gradient.points(contact)[0] @ point),
        ("operator", operators, sum(np.sum(gradient.operator(tie, body) * by) for body, by in zip((ball, rod), operators))),
        ("friction", 1.0, gradient.data.friction.sum()),
    ]:
        assert abs(along(name, change) - found) < 1e-6 * (1 + abs(found)), name
    skew = np.array([[0.0, -0.3, 0.2], [0.3, 0.0, -0.1], [-0.2, 0.1, 0.0]])
    turned = [function(frame=np.eye(3) + s * skew + 0.5 * s * s * skew @ skew) for s in (1e-4, -1e-4)]
    assert abs((turned[0] - turned[1]) / 2e-4 - np.sum(gradient.frame(contact) * skew)) < 1e-5
    assert gradient.compliance(tie).shape == (2, 2) and gradient.velocity(rod).shape == (2,) and gradient.rotation(ball).shape == (3, 3)
    assert np.allclose(gradient.center(ball), -gradient.points(contact)[0]) and repr(gradient) == "<ldy.StepGradient: 2 constraints>"
    for call, text in [
        (lambda: gradient.compliance(9), "constraint 9: there is no such constraint"),
        (lambda: gradient.velocity(9), "body 9: there is no such body"),
        (lambda: gradient.inertia(rod), "it is neither rigid nor pseudo-rigid"),
        (lambda: gradient.velocity([0, 1]), "2 ids where one is needed"),
        (lambda: system.gradient(R, velocities=[1, 2]), "derivatives by velocities: 2 values where 8 are needed"),
        (lambda: system.gradient(R, U=[1, 2]), "U: shape"),
    ]:
        with pytest.raises(ldy.Error, match=text):
            call()
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        copy.copy(gradient)


def test_a_pendulum_has_derivatives_by_its_joint():
    # A rod of the mass m hangs on a hinge at the distance l from its center, at an angle. After a step of gravity it turns at
    # -m g h l sin / (J + m l^2).
    m, J, length, angle, g, h = 2.0, 0.3, 0.7, 0.4, 9.81, 0.01
    c, s = np.cos(angle), np.sin(angle)
    along = np.array([c, s, 0.0])
    rotation = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    system = ldy.System()
    rod = system.add_rigid(m, J, rotation)
    system.set_velocity(rod, [0, 0, 0, g * h, 0, 0])
    hinge = system.add_joint("hinge", rod, ldy.GROUND, np.eye(3), [-length, 0, 0], np.eye(3), [0, 0, 0])
    system.set_position(rod, length * along)
    system.update(h)
    laws = ldy.laws.fixed()
    R, _ = system.solve(laws, tolerance=1e-13)
    gradient = system.gradient(R, laws, velocities=[0, 0, 1, 0, 0, 0])
    moment = J + m * length**2
    by_length = -m * g * h * s * (J - m * length**2) / moment**2
    position, points = gradient.position(rod), gradient.points(hinge)
    assert abs(position @ along - by_length) < 1e-11 and abs(points[1] @ along + by_length) < 1e-11
    skew = np.array([[0, -1.0, 0], [1, 0, 0], [0, 0, 0]])
    by_angle = np.sum(gradient.rotation(rod) * (rotation @ skew)) + length * position @ [-s, c, 0]
    assert abs(by_angle + m * g * h * length * c / moment) < 1e-11
    assert np.allclose(points[0], 0, atol=1e-11) and not gradient.slave_frame(hinge).any()
    # The axes of the rows are the master's.
    assert gradient.frame(hinge).shape == (3, 3)
    with pytest.raises(ldy.Error, match="constraint 9: there is no such constraint"):
        gradient.slave_frame(9)


def universal_joint(axes):
    """A rod on a universal joint, and its R, U and derivatives."""
    system = ldy.System()
    rod = system.add_rigid(2.0, [0.3, 0.4, 0.5])
    system.set_velocity(rod, [0.3, 0.1, -0.2, 1.0, 0.2, -2.0])
    joint = system.add_joint("universal", ldy.GROUND, rod, np.eye(3), [0, 0, 0], axes, [0, 0.4, 0.2])
    system.update(0.1)
    laws = ldy.laws.fixed()
    R, _ = system.solve(laws, tolerance=1e-13)
    return joint, R, system.gradient(R, laws, by_R=[0.3, -0.2, 0.5, 1.0])


def test_a_joint_has_derivatives_by_the_axes_of_the_slave():
    turn = np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1.0]])
    joint, R, gradient = universal_joint(turn)
    skew = np.array([[0.0, -0.3, 0.2], [0.3, 0.0, -0.1], [-0.2, 0.1, 0.0]])
    at = [universal_joint(turn @ (np.eye(3) + x * skew + 0.5 * x * x * skew @ skew))[1] @ [0.3, -0.2, 0.5, 1.0] for x in (1e-4, -1e-4)]
    assert abs((at[0] - at[1]) / 2e-4 - np.sum(gradient.slave_frame(joint) * (turn @ skew))) < 1e-5
