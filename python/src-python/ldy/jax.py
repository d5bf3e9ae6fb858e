"""Contact problems in JAX (PyPI: jax): a step of a system and the solution of rows, with derivatives for ``jax.grad`` and ``jax.vjp``.

The derivatives belong to the exact solution, as in :meth:`System.gradient` and :func:`derivatives`. All is computed in double
precision by the processor, so that 64-bit numbers must be switched on before arrays are made: ``jax.config.update("jax_enable_x64", True)``.
Results have the type of the first argument. ``jax.jit`` and ``jax.vmap`` are supported.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .differentiable import SECOND, Caller, Function, package
from .errors import Error, ErrorCode
from .rows_solver import SolverCaller
from .steps import StepCaller

# Without types, since not every environment has it.
jax: Any = package("jax", "JAX")

__all__ = ["Solver", "Step"]


def _differentiable(function: Function) -> Callable[[dict[str, Any]], Any]:
    """A function of JAX of a dictionary of arrays, with the derivatives of another one."""

    def leading(data: dict[str, Any]) -> tuple[int, ...]:
        return function.leading({name: values.shape for name, values in data.items()})

    def call(data: dict[str, Any]) -> Any:
        shapes = tuple(jax.ShapeDtypeStruct((*leading(data), size), np.float64) for size in function.sizes.values())
        return jax.pure_callback(lambda data: tuple(function.forward(data)), shapes, data, vmap_method="expand_dims")

    def pull(data: dict[str, Any], R: Any, by: Any) -> Any:
        shapes = {name: jax.ShapeDtypeStruct(values.shape, np.float64) for name, values in data.items()}
        return jax.pure_callback(function.backward, shapes, data, R, by, vmap_method="expand_dims")

    def refuse(saved: Any, by: Any) -> Any:
        raise Error(SECOND, ErrorCode.NOT_IMPLEMENTED)

    own_pull = jax.custom_vjp(pull)
    own_pull.defvjp(lambda *given: (pull(*given), None), refuse)

    def forward(data: dict[str, Any]) -> Any:
        results = own_call(data)
        return results, (data, results[-2])

    def backward(saved: Any, by: Any) -> Any:
        return (own_pull(*saved, by),)

    own_call = jax.custom_vjp(call)
    own_call.defvjp(forward, backward)
    made: Callable[[dict[str, Any]], Any] = own_call
    return made


class _InJax(Caller):
    """The call of a function by JAX."""

    @functools.cached_property
    def _differentiable(self) -> Callable[[dict[str, Any]], Any]:
        return _differentiable(self._function)

    def _call(self, given: dict[str, Any]) -> list[Any]:
        """The results for arrays or numbers, of the type of the first of them."""
        if jax.dtypes.canonicalize_dtype(np.float64) != np.float64:
            raise Error('ldy.jax needs 64-bit numbers: jax.config.update("jax_enable_x64", True) before arrays are made')
        first, shapes = next(iter(given.values())), self._function.shapes
        arrays = {name: jax.numpy.asarray(values, dtype=np.float64) for name, values in given.items()}
        lead = self._function.leading({name: values.shape for name, values in arrays.items()})
        # Broadcast here, where JAX knows the derivatives.
        full = {name: jax.numpy.broadcast_to(values, (*lead, *shapes[name])) for name, values in arrays.items()}
        kind = getattr(first, "dtype", np.dtype(np.float64))
        kind = kind if jax.numpy.issubdtype(kind, jax.numpy.floating) else np.dtype(np.float64)
        return [values.astype(kind) for values in self._differentiable(full)]


class Step(_InJax, StepCaller):
    """One step of a system as a function of arrays: velocities after the step, forces, and velocities of constraints.

    The system is copied, with the laws that :meth:`System.set_laws` keeps. Data that a call does not give are the data of the copy. With
    leading dimensions, or under ``jax.vmap``, an :class:`ldy.Batch` makes the steps.

    A call takes these names; a body or a constraint that has no such number ignores it:

    - velocity: free velocities of all bodies, in the order of :meth:`System.bodies`;
    - mass (bodies,) and inertia (bodies, 3, 3), together: of rigid and pseudo-rigid bodies;
    - frame (rows, 3, 3), master_point and slave_point (rows, 3): of constraints at points;
    - friction (rows, 2), cohesion, rolling_friction and torsional_friction (rows,): of contacts;
    - lower, upper and bias (rows, m), m the most scalar rows of a constraint.

    A solution that has not converged is an :class:`ldy.ConvergenceWarning`. At a kink, derivatives are an :class:`ldy.DerivativeWarning`,
    which names the constraints.

    Parameters
    ----------
    system : System
        The system, without inverse callbacks.
    h : float
        The time step, positive.
    tolerance : float, optional
        The largest residual of a solution. Derivatives count forces and velocities below a hundred times of it as zero, or below 1e-6.
    max_sweeps : int, optional
        The largest number of Gauss-Seidel sweeps.
    canonical : bool, optional
        Whether forces that are not unique are the canonical ones, see :meth:`System.solve`. Others are often at a kink.

    Raises
    ------
    Error
        If a body has an inverse callback.

    See Also
    --------
    System.gradient : The derivatives without JAX, by more data.

    Examples
    --------
    A puck slides for one step:

    >>> import jax
    >>> import ldy
    >>> import numpy as np
    >>> jax.config.update("jax_enable_x64", True)
    >>> system = ldy.System()
    >>> puck = system.add_rigid(3.0, 1.0)
    >>> contact = system.add_point_constraints(puck, ldy.GROUND, np.eye(3))
    >>> system.set_laws(contact, ldy.laws.contact())
    >>> step = ldy.jax.Step(system, 0.1)
    >>> speed = jax.value_and_grad(lambda friction: step([0, 0, 0, 3, 0, -0.981], friction=friction).velocity[3])
    >>> value, derivative = speed(0.4)
    >>> print(f"{value:.4f} {derivative:.4f}")
    2.6076 -0.9810
    """


class Solver(_InJax, SolverCaller):
    """The solution of rows U = B + W R as a function of arrays.

    A call may replace the numbers of the laws. It has the names and warnings of :class:`Step`.

    Parameters
    ----------
    laws : Laws
        The laws of the rows.
    row_counts : (rows,) array_like of int, optional
        The number of scalar rows of each row, one to six; three by default.
    tolerance, max_sweeps, canonical : optional
        As in :class:`Step`.

    Raises
    ------
    Error
        If a law does not fit to its row.

    See Also
    --------
    ldy.solve, ldy.derivatives : The same without JAX.

    Examples
    --------
    A contact with the Jacobian J on a body with the mass matrix M, which any function of JAX may compute:

    >>> import jax
    >>> import ldy
    >>> jax.config.update("jax_enable_x64", True)
    >>> solver = ldy.jax.Solver(ldy.Laws(1, ldy.laws.contact(0.5)))
    >>> J, velocity = jax.numpy.eye(3), jax.numpy.array([0.2, 0.0, -1.0])
    >>> force = jax.grad(lambda M: solver(J @ jax.numpy.linalg.inv(M) @ J.T, J @ velocity).R[2])
    >>> print(round(float(force(jax.numpy.eye(3))[2, 2]), 6))
    1.0
    """
