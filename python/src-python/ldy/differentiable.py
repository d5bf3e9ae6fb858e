"""Steps and solutions as functions of arrays, with their derivatives: what PyTorch and JAX share.

A function takes named arrays, each with its own shape and any leading dimensions, which broadcast.
"""

from __future__ import annotations

import importlib
import math
import threading
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import laws as _laws
from .arrays import Floats
from .errors import ConvergenceWarning, DerivativeWarning, Error
from .gradients import Derivatives, Gradient, Kink
from .solver import Status

Arrays = dict[str, Floats]
Shape = tuple[int, ...]

#: The error of second derivatives.
SECOND = "second derivatives of contact problems are not available"
#: A larger share of a right-hand side outside of the equations is no rounding.
OUTSIDE = 1e-6
#: At most this number of places is named in a warning.
NAMED = 5


class Options(NamedTuple):
    """Options of :meth:`System.solve`."""

    tolerance: float
    max_sweeps: int
    canonical: bool


def package(name: str, title: str) -> Any:
    """Import a package that users may not have."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(f"ldy.{name} needs {title}: pip install {name}", name=name) from None


class Function:
    """A function of named arrays.

    ``shapes`` has the shape of each array; ``sizes`` has the length of each result, by its name.
    """

    shapes: dict[str, Shape]
    needed: tuple[str, ...]
    _laws: _laws.Laws
    sizes: dict[str, int]

    def __init__(self, options: Options) -> None:
        self._options = options
        # One calculation at a time, since all of them use the same memory.
        self._lock = threading.Lock()

    @property
    def derivative_tolerance(self) -> float:
        """Forces and velocities below it count as zero: a hundred times the tolerance of solutions."""
        return min(max(1e-6, 100 * self._options.tolerance), 0.1)

    def leading(self, given: Mapping[str, Shape]) -> Shape:
        """Check names and shapes of given arrays, and return the common leading dimensions."""
        for name in self.needed:
            if name not in given:
                raise Error(f"{name} is missing")
        for name in given:
            if name not in self.shapes:
                raise Error(f"there is no {name}; there are {', '.join(self.shapes)}")
        return _leading(given, self.shapes)

    def forward(self, data: Mapping[str, ArrayLike]) -> list[Floats]:
        """The results, with the common leading dimensions. A solution that has not converged is a warning."""
        lead, flat = _flat(data, self.shapes)
        with self._lock:
            *results, statuses, residuals = self._solve(flat, math.prod(lead))
        self._warn_of_limits(statuses, residuals)
        return [values.reshape(*lead, size) for values, size in zip(results, self.sizes.values())]

    def backward(self, data: Mapping[str, ArrayLike], R: ArrayLike, by: Sequence[ArrayLike]) -> Arrays:
        """The derivatives of a function of the results by all given arrays, each in its shape with the common leading dimensions."""
        outer = {"the solution": R} | {f"the derivative by {name}": values for name, values in zip(self.sizes, by)}
        sizes = dict(zip(outer, [self.sizes["R"], *self.sizes.values()]))
        lead, flat = _flat({**data, **outer}, {**self.shapes, **{name: (size,) for name, size in sizes.items()}})
        R, *by = (flat.pop(name) for name in outer)
        notes = Notes(math.prod(lead))
        with self._lock:
            found = self._pull(flat, R, dict(zip(self.sizes, by)), notes)
        notes.warn()
        return {name: values.reshape(*lead, *self.shapes[name]) for name, values in found.items()}

    def _warn_of_limits(self, statuses: Sequence[Status], residuals: Floats) -> None:
        missed = [k for k, status in enumerate(statuses) if status != Status.CONVERGED]
        if not missed:
            return
        worst = max(missed, key=lambda k: float(residuals[k]))
        share = f"{len(missed)} of {len(statuses)} solutions have" if len(statuses) > 1 else "the solution has"
        text = f"{share} not converged: {statuses[worst]}, residual {residuals[worst]:.1e} where {self._options.tolerance:.0e} is the tolerance"
        warnings.warn(text, ConvergenceWarning, stacklevel=2)

    def _solve(self, data: Arrays, count: int) -> Any:
        raise NotImplementedError

    def _pull(self, data: Arrays, R: Floats, by: Arrays, notes: Notes) -> Arrays:
        raise NotImplementedError


def _leading(given: Mapping[str, Shape], shapes: Mapping[str, Shape]) -> Shape:
    leads = []
    for name, shape in given.items():
        own = shapes[name]
        lead, rest = shape[: max(len(shape) - len(own), 0)], shape[max(len(shape) - len(own), 0) :]
        if any(length not in (1, full) for length, full in zip(rest[::-1], own[::-1])):
            raise Error(f"{name}: shape {tuple(shape)} where (..., {', '.join(map(str, own))}) is needed")
        leads.append(lead)
    try:
        return tuple(np.broadcast_shapes(*leads))
    except ValueError:
        raise Error(f"the leading dimensions of {', '.join(given)} do not broadcast: {leads}") from None


def _flat(data: Mapping[str, ArrayLike], shapes: Mapping[str, Shape]) -> tuple[Shape, Arrays]:
    """The common leading dimensions, and the arrays with one dimension in their place."""
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in data.items()}
    lead = _leading({name: values.shape for name, values in arrays.items()}, shapes)
    full = {name: np.broadcast_to(values, (*lead, *shapes[name])) for name, values in arrays.items()}
    return lead, {name: values.reshape(math.prod(lead), *shapes[name]) for name, values in full.items()}


class Notes:
    """Notes about derivatives, with the names of rows."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._kinks: list[tuple[int, Kink]] = []
        self._open: list[tuple[int, int]] = []
        self._residuals: list[tuple[int, float]] = []

    def add(self, k: int, of: Derivatives, outside: float) -> None:
        """Take notes of the derivatives of one solution."""
        if not of.is_solution:
            self._residuals.append((k, of.residual))
        self._kinks += [(k, kink) for kink in of.kinks()]
        if outside > OUTSIDE:
            self._open += [(k, int(constraint)) for constraint in of.undetermined()]

    def warn(self) -> None:
        """Warn of each kind of notes."""
        where = [f"{self._of(k)}residual {residual:.1e}" for k, residual in self._residuals]
        self._say("the forces are no solution, so these are not its derivatives", where)
        where = [f"{self._of(k)}constraint {kink.constraint} component {kink.component} ({kink.kind})" for k, kink in self._kinks]
        self._say("the solution is at a kink, and the derivatives are those to one side", where)
        where = [f"{self._of(k)}constraint {constraint}" for k, constraint in self._open]
        self._say("a function depends on forces that have no derivatives", where)

    def _of(self, k: int) -> str:
        return f"solution {k} " if self._count > 1 else ""

    @staticmethod
    def _say(what: str, where: list[str]) -> None:
        if where:
            more = f" and {len(where) - NAMED} more" if len(where) > NAMED else ""
            warnings.warn(f"{what}: {', '.join(where[:NAMED])}{more}", DerivativeWarning, stacklevel=3)


def law_shapes(rows: int, height: int) -> dict[str, Shape]:
    each = dict(friction=(2,), cohesion=(), rolling_friction=(), torsional_friction=(), lower=(height,), upper=(height,), bias=(height,))
    return {name: (rows, *shape) for name, shape in each.items()}


def law_gradients(of: Gradient, laws: _laws.Laws, data: Arrays) -> Arrays:
    """The derivatives by numbers of laws, in the shapes of the given ones."""
    found = {name: np.array(getattr(of, name)) for name in law_shapes(0, 0)}
    # A contact in the expansion phase has one coefficient of friction.
    friction, rows = found["friction"], laws.kind == "expansion"
    friction[rows, 0] += friction[rows, 1]
    friction[rows, 1] = 0
    found = {name: found[name] for name in data if name in found}
    return {name: values[:, : data[name].shape[-1]] if values.ndim > 1 else values for name, values in found.items()}


class Caller:
    """A function that somebody differentiates."""

    _function: Function

    @property
    def shapes(self) -> dict[str, Shape]:
        """The shape of each argument, without leading dimensions."""
        return dict(self._function.shapes)

    def _call(self, given: dict[str, Any]) -> list[Any]:
        """The results; whoever differentiates has this function."""
        raise NotImplementedError
