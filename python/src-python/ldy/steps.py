"""A step of a system as a function with derivatives: the part that PyTorch and JAX share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from . import laws as _laws
from .arrays import Floats
from .batches import Batch
from .differentiable import Arrays, Caller, Function, Notes, Options, Shape, law_gradients, law_shapes
from .errors import Error
from .gradients import step_gradient
from .inertia import Inertia
from .system import System


class StepResult(NamedTuple):
    """The results of ``Step`` of :mod:`ldy.torch` and :mod:`ldy.jax`.

    Attributes
    ----------
    velocity : (..., dofs) array
        The velocities of all bodies after the step.
    R, U : (..., n) array
        The forces and the velocities of the constraints.
    """

    velocity: Any
    R: Any
    U: Any


class StepFunction(Function):
    """One step of copies of a system."""

    def __init__(self, system: System, h: float, options: Options) -> None:
        super().__init__(options)
        self._template, self._h = system.clone(), float(h)
        ids, constraints = system.bodies(), system.constraints()
        bodies = [system.body(int(body)) for body in ids]
        heights = [system.constraint(int(constraint)).row_count for constraint in constraints]
        starts = np.concatenate([[0], np.cumsum([body.size for body in bodies])]).astype(np.int64)
        # Bodies of each size, and the places of their velocities.
        self._groups = []
        for size in sorted({body.size for body in bodies}):
            places = np.array([k for k, body in enumerate(bodies) if body.size == size])
            self._groups.append((ids[places], starts[places][:, None] + np.arange(size)))
        self._ids, self._constraints, self._heights = ids, constraints, np.array(heights, dtype=np.int64)
        self._laws = system.laws(constraints)
        self._points = np.array([k for k, constraint in enumerate(constraints) if _has_points(system, int(constraint))], dtype=np.int64)
        makers = {"rigid": Inertia.rigid, "pseudo_rigid": Inertia.pseudo_rigid}
        self._massive = [(k, int(ids[k]), makers[body.kind]) for k, body in enumerate(bodies) if body.kind in makers]
        rows, count = len(constraints), len(ids)
        self.shapes = {"velocity": (int(starts[-1]),), "mass": (count,), "inertia": (count, 3, 3)}
        self.shapes |= {"frame": (rows, 3, 3), "master_point": (rows, 3), "slave_point": (rows, 3)}
        self.shapes |= law_shapes(rows, max(heights, default=1))
        self.needed = ("velocity",)
        self.sizes = {"velocity": int(starts[-1]), "R": sum(heights), "U": sum(heights)}
        self._systems: list[System] = []
        self._names: frozenset[str] = frozenset()
        # The memory of solvers and derivatives, for the next call.
        self._batch = Batch([])

    def leading(self, given: Mapping[str, Shape]) -> Shape:
        """As for other functions; a mass needs an inertia."""
        if ("mass" in given) != ("inertia" in given):
            raise Error("mass and inertia are given together")
        return super().leading(given)

    def _solve(self, data: Arrays, count: int) -> Any:
        systems = self._updated(data, count)
        forces, report = self._batch.solve(**self._options._asdict())
        R = forces.reshape(count, -1)
        velocity, U = np.zeros((count, self.sizes["velocity"])), np.zeros_like(R)
        for k, system in enumerate(systems):
            U[k] = system.results().B + system.multiply(R[k])
            system.apply_reactions(R[k])
            for bodies, places in self._groups:
                velocity[k, places] = system.velocity(bodies)
        return velocity, R, U, report.statuses, report.residuals

    def _pull(self, data: Arrays, R: Floats, by: Arrays, notes: Notes) -> Arrays:
        systems = self._updated(data, len(R))
        found = {name: np.zeros_like(values) for name, values in data.items()}
        for k, system in enumerate(systems):
            own = system.derivatives(R[k], tolerance=self.derivative_tolerance)
            gradient = step_gradient(system._core, own, R[k], by["R"][k], by["U"][k], by["velocity"][k])
            notes.add(k, own, gradient.data.outside)
            found["velocity"][k] = np.concatenate([np.zeros(0), *(gradient.velocity(int(body)) for body in self._ids)])
            if "mass" in data:
                for place, body, _ in self._massive:
                    found["mass"][k, place], found["inertia"][k, place] = gradient.inertia(body)
            # Joints and contacts with moments stay in their places.
            for place in self._points:
                constraint = int(self._constraints[place])
                if "frame" in data:
                    found["frame"][k, place] = gradient.frame(constraint)
                for side, name in enumerate(("master_point", "slave_point")):
                    if name in data:
                        found[name][k, place] = gradient.points(constraint)[side]
            for name, values in law_gradients(gradient.data, self._laws, data).items():
                found[name][k] = values
        return found

    def _updated(self, data: Arrays, count: int) -> list[System]:
        """Copies of the system with the data, updated."""
        if frozenset(data) != self._names:
            # Other data have the values of the template again.
            self._systems, self._names = [], frozenset(data)
        self._systems += [self._template.clone() for _ in range(count - len(self._systems))]
        systems = self._systems[:count]
        for k, system in enumerate(systems):
            self._set(system, {name: values[k] for name, values in data.items()})
        self._batch._take(systems)
        self._batch.update(self._h)
        return systems

    def _set(self, system: System, data: Arrays) -> None:
        for bodies, places in self._groups:
            system.set_velocity(bodies, data["velocity"][places])
        if "mass" in data:
            for place, body, made in self._massive:
                tensor = data["inertia"][place]
                system.set_inertia(body, made(data["mass"][place], (tensor + tensor.T) / 2))
        if not data.keys().isdisjoint(("frame", "master_point", "slave_point")):
            self._move(system, data)
        numbers = {name: values for name, values in data.items() if name in law_shapes(0, 0)}
        if numbers:
            system.set_laws(self._constraints, _laws.with_numbers(self._laws, self._heights, numbers))

    def _move(self, system: System, data: Arrays) -> None:
        """Set frames and points of the constraints that have them."""
        names, of = ("frame", "master_point", "slave_point"), self._constraints[self._points]
        own = zip(names, self._template.point_frames(of))
        system.move_constraints(of, *(data[name][self._points] if name in data else values for name, values in own))


def _has_points(system: System, constraint: int) -> bool:
    try:
        system.point_frames(constraint)
    except Error:
        return False
    return True


class StepCaller(Caller):
    """The part of ``Step`` that does not depend on who differentiates."""

    def __init__(self, system: System, h: float, *, tolerance: float = 1e-8, max_sweeps: int = 100_000, canonical: bool = False) -> None:
        self._function = StepFunction(system, h, Options(tolerance, max_sweeps, canonical))

    def __call__(self, velocity: Any, **data: Any) -> StepResult:
        """Make the step.

        Parameters
        ----------
        velocity : (..., dofs) array
            The free velocities of all bodies in the order of :meth:`System.bodies`, velocities after the step without reactions.
        **data : array or float
            Other data, by the names in ``shapes``, with any leading dimensions. Shapes broadcast.

        Returns
        -------
        StepResult
            The velocities of the bodies after the step, the forces R and the velocities U of the constraints.

        Raises
        ------
        Error
            If there is no such name, a shape is wrong, or the system refuses a value.
        """
        return StepResult(*self._call({"velocity": velocity, **data}))
