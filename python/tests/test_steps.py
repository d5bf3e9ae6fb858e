"""Steps in kept memory have the results of steps in new memory."""

import itertools
import warnings

import differentiable_scenes as scenes
import ldy
import numpy as np
import pytest
from ldy.differentiable import Options
from ldy.steps import StepFunction


def two_bodies():
    """A ball on a floor that turns, tied to another one by a hinge, and all data of two steps."""
    system = ldy.System()
    belt = system.add_obstacle()
    low, high = system.add_rigid([2.0, 1.0], scenes.TENSOR, center=[[0, 0, 1.0], [0, 0, 3.0]])
    floor = system.add_point_constraints(low, belt, np.eye(3), [[-1, -0.4, 0.1], [1, -0.5, 0], [0, 0.6, 0]])
    hinge = system.add_joint("hinge", high, low, np.eye(3), [0, 0, 2.0], np.eye(3), [0, 0, 2.0])
    system.set_laws(floor, ldy.laws.contact(0.3))
    system.set_laws(hinge, ldy.laws.fixed())
    c, s = np.cos(0.2), np.sin(0.2)
    turned, random = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]), np.random.default_rng(5)
    points, down = np.array([[-1, -0.4, 0], [1, -0.5, 0], [0, 0.6, 0], [0, 0, 2.0]]), np.array([0] * 6 + [0, 0, 0, 0, 0, -6.0] * 2)
    data = {
        "velocity": [random.normal(size=(3, 18)) + down, random.normal(size=(3, 18)) + down],
        "mass": [np.array([0, 2.0, 1.0]), np.array([0, 1.5, 1.2])],
        "frame": [np.eye(3), turned],
        "master_point": [points, points + 0.1],
        "slave_point": [points, points - 0.1],
        "friction": [0.3, 0.6],
        "bias": [0.0, 0.1 * random.normal(size=(4, 5))],
    }
    return system, {name: [np.asarray(value) for value in values] for name, values in data.items()}


def values(data, chosen, count=3):
    """The first or the second value of all data, for a number of systems."""
    own = {name: data[name][which] for name, which in chosen.items()}
    if "mass" in own:
        own["inertia"] = scenes.TENSOR[None] * own["mass"][:, None, None]
    shapes = {"frame": (4, 3, 3), "friction": (4, 2), "bias": (4, 5)}
    own = {name: np.broadcast_to(value, shapes[name]) if name in shapes else value for name, value in own.items()}
    return own | {"velocity": own["velocity"][:count]}


def everything(function, data):
    """All results, and the derivatives of a function of them by all data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = function.forward(data)
        found = function.backward(data, results[1], [np.sin(np.arange(value.size, dtype=float)).reshape(value.shape) for value in results])
    return [*results, *(found[name] for name in sorted(found))]


def same(one, other):
    return len(one) == len(other) and all(np.array_equal(a, b) for a, b in zip(one, other))


OPTIONS = Options(1e-9, 100_000, False)


def test_each_input_changed_alone_and_with_another():
    system, data = two_bodies()
    kept, first = StepFunction(system, scenes.H, OPTIONS), dict.fromkeys(data, 0)
    base = everything(StepFunction(system, scenes.H, OPTIONS), values(data, first))
    inputs = [*data, "count", *(f"without {name}" for name in data if name != "velocity")]
    changes = [(name,) for name in inputs] + list(itertools.combinations(inputs, 2))
    for place, change in enumerate(changes):
        chosen = {name: int(name in change) for name in data if f"without {name}" not in change}
        own = values(data, chosen, 2 if "count" in change else 3)
        expected = everything(StepFunction(system, scenes.H, OPTIONS), own)
        assert same(everything(kept, own), expected), change
        # Back again, every second time.
        if place % 2 == 0:
            assert same(everything(kept, values(data, first)), base), change
        assert not same(expected, base), change


@pytest.mark.parametrize("name", ["mass", "velocity", "frame", "friction"])
def test_a_failure_in_the_middle_leaves_nothing_behind(name):
    system, data = two_bodies()
    kept, first, second = StepFunction(system, scenes.H, OPTIONS), dict.fromkeys(data, 0), dict.fromkeys(data, 1)
    expected = [everything(StepFunction(system, scenes.H, OPTIONS), values(data, chosen)) for chosen in (first, second)]
    assert same(everything(kept, values(data, first)), expected[0])
    bad = values(data, second)
    bad[name] = np.repeat(np.asarray(bad[name])[None], 3, axis=0) if name != "velocity" else bad[name].copy()
    # The second of three systems refuses it: the first one has the new data, the third one the old ones.
    bad[name][1] = -1.0 if name == "mass" else np.nan
    for function in (kept.forward, lambda data: kept.backward(data, expected[1][1], expected[1][:3])):
        with pytest.raises(ldy.Error):
            function(bad)
        assert same(everything(kept, values(data, first)), expected[0])
        with pytest.raises(ldy.Error):
            function(bad)
        assert same(everything(kept, values(data, second)), expected[1])


def test_solutions_that_do_not_converge_leave_nothing_behind():
    system, data = two_bodies()
    options = OPTIONS._replace(max_sweeps=1, tolerance=1e-15)
    kept = StepFunction(system, scenes.H, options)
    for which in (0, 1, 0, 0):
        own = values(data, dict.fromkeys(data, which))
        assert same(everything(kept, own), everything(StepFunction(system, scenes.H, options), own))


def test_the_memory_is_kept():
    system, data = two_bodies()
    function = StepFunction(system, scenes.H, OPTIONS)
    function.forward(values(data, dict.fromkeys(data, 0)))
    core = function._batch._core
    function.forward(values(data, dict.fromkeys(data, 1), 2))
    assert function._batch._core is core and len(function._batch) == 2


def test_joints_have_no_derivatives_in_a_step_by_frames_that_it_does_not_set():
    system, data = two_bodies()
    function, own = StepFunction(system, scenes.H, OPTIONS), values(data, dict.fromkeys(data, 1))
    R = function.forward(own)[1]
    found = function.backward(own, R, [np.ones((3, size)) for size in function.sizes.values()])
    for name in ("frame", "master_point", "slave_point"):
        assert found[name][:, :3].any() and not found[name][:, 3].any()
