"""Contact problems in PyTorch (PyPI: torch): a step of a system and the solution of rows, with derivatives for ``backward``.

The derivatives belong to the exact solution, as in :meth:`System.gradient` and :func:`derivatives`. All is computed in double
precision by the processor. Results have the type and the device of the first argument.
"""

from __future__ import annotations

from typing import Any

from .arrays import Floats
from .differentiable import SECOND, Caller, Function, package
from .errors import Error, ErrorCode
from .rows_solver import SolverCaller
from .steps import StepCaller

# Without types, since not every environment has it.
torch: Any = package("torch", "PyTorch")

__all__ = ["Solver", "Step"]


class _Forward(torch.autograd.Function):  # type: ignore[misc]
    """The results of a function of tensors with these names."""

    @staticmethod
    def forward(ctx: Any, function: Function, names: tuple[str, ...], *tensors: Any) -> Any:
        results = [torch.from_numpy(values) for values in function.forward(dict(zip(names, map(_array, tensors))))]
        ctx.function, ctx.names = function, names
        ctx.save_for_backward(*tensors, results[-2])
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *by: Any) -> Any:
        return None, None, *_Backward.apply(ctx.function, ctx.names, *ctx.saved_tensors, *by)


class _Backward(torch.autograd.Function):  # type: ignore[misc]
    """The derivatives by all tensors: a function of its own, which refuses to be differentiated."""

    @staticmethod
    def forward(ctx: Any, function: Function, names: tuple[str, ...], *tensors: Any) -> Any:
        arrays = [_array(tensor) for tensor in tensors]
        count = len(names)
        found = function.backward(dict(zip(names, arrays)), arrays[count], arrays[count + 1 :])
        return tuple(torch.from_numpy(found[name]) for name in names)

    @staticmethod
    def backward(ctx: Any, *by: Any) -> Any:
        raise Error(SECOND, ErrorCode.NOT_IMPLEMENTED)


def _array(tensor: Any) -> Floats:
    values: Floats = tensor.detach().numpy()
    return values


class _InTorch(Caller):
    """The call of a function by PyTorch."""

    def _call(self, given: dict[str, Any]) -> list[Any]:
        """The results for tensors, arrays or numbers, like the first of them."""
        first, shapes = next(iter(given.values())), self._function.shapes
        tensors = {name: torch.as_tensor(values).to(device="cpu", dtype=torch.float64) for name, values in given.items()}
        lead = self._function.leading({name: tuple(tensor.shape) for name, tensor in tensors.items()})
        # Broadcast here, where PyTorch knows the derivatives.
        full = [torch.broadcast_to(tensor, (*lead, *shapes[name])) for name, tensor in tensors.items()]
        results = _Forward.apply(self._function, tuple(tensors), *full)
        if torch.is_tensor(first) and first.is_floating_point():
            return [values.to(device=first.device, dtype=first.dtype) for values in results]
        return list(results)


class Step(_InTorch, StepCaller):
    """One step of a system as a function of tensors: velocities after the step, forces, and velocities of constraints.

    The system is copied, with the laws that :meth:`System.set_laws` keeps. Data that a call does not give are the data of the copy. With
    leading dimensions an :class:`ldy.Batch` makes the steps.

    A call takes these names; a body or a constraint that has no such number ignores it:

    - velocity: free velocities of all bodies, in the order of :meth:`System.bodies`;
    - mass (bodies,) and inertia (bodies, 3, 3), together: of rigid and pseudo-rigid bodies;
    - frame (rows, 3, 3), master_point and slave_point (rows, 3): of constraints at points;
    - friction (rows, 2), cohesion, rolling_friction and torsional_friction (rows,): of contacts;
    - lower, upper and bias (rows, m), m the most scalar rows of a constraint.

    A solution that has not converged is an :class:`ldy.ConvergenceWarning`. At a kink, ``backward`` warns with an
    :class:`ldy.DerivativeWarning`, which names the constraints.

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
    System.gradient : The derivatives without PyTorch, by more data.

    Examples
    --------
    A puck slides for one step:

    >>> import ldy
    >>> import numpy as np
    >>> import torch
    >>> system = ldy.System()
    >>> puck = system.add_rigid(3.0, 1.0)
    >>> contact = system.add_point_constraints(puck, ldy.GROUND, np.eye(3))
    >>> system.set_laws(contact, ldy.laws.contact())
    >>> step = ldy.torch.Step(system, 0.1)
    >>> friction = torch.tensor(0.4, dtype=torch.float64, requires_grad=True)
    >>> velocity, R, U = step(torch.tensor([0, 0, 0, 3, 0, -0.981], dtype=torch.float64), friction=friction)
    >>> velocity[3].backward()
    >>> print(f"{velocity[3].item():.4f} {friction.grad.item():.4f}")
    2.6076 -0.9810
    """


class Solver(_InTorch, SolverCaller):
    """The solution of rows U = B + W R as a function of tensors.

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
    ldy.solve, ldy.derivatives : The same without PyTorch.

    Examples
    --------
    A contact with the Jacobian J on a body with the mass matrix M, which any function of PyTorch may compute:

    >>> import ldy
    >>> import torch
    >>> solver = ldy.torch.Solver(ldy.Laws(1, ldy.laws.contact(0.5)))
    >>> M = torch.eye(3, dtype=torch.float64, requires_grad=True)
    >>> J, velocity = torch.eye(3, dtype=torch.float64), torch.tensor([0.2, 0.0, -1.0], dtype=torch.float64)
    >>> R, U = solver(J @ torch.linalg.inv(M) @ J.T, J @ velocity)
    >>> R[2].backward()
    >>> print(R.detach().numpy().round(6) + 0, round(M.grad[2, 2].item(), 6))
    [-0.2  0.   1. ] 1.0
    """
