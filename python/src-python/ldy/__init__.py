"""Local dynamics of constrained bodies, U = B + W R.

A :class:`System` holds bodies and constraints; :meth:`System.update` assembles the block-sparse rows of the Delassus matrix
W = h H A^-1 H^T, and B and V. :meth:`System.solve` finds forces that obey the laws of contact, friction and joints.

The normal of a contact is the last of its components, the third axis of its frame. It points from the slave to the master. Matrices are
written as NumPy has them: ``frame[:, 2]`` is the third axis of a frame.

Examples
--------
>>> import numpy as np
>>> import ldy
>>> system = ldy.System()
>>> ball = system.add_rigid(mass=2.0, inertia=0.1)
>>> contact = system.add_point_constraints(ball, ldy.GROUND, np.eye(3), [0, 0, -0.5])
>>> system.set_velocity(ball, [0, 0, 0, 0, 0, -1])
>>> system.update(0.01)
>>> R, report = system.solve(ldy.laws.contact(friction=0.5))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import joints, laws
from .batches import Batch, BatchGradient, BatchReport
from .bodies import Body
from .constraints import GROUND, Constraint, Sync
from .errors import ConvergenceWarning, DerivativeWarning, Error, ErrorCode, InUseError, SingularMatrixError
from .factor import Factor
from .files import Problem, load_problem, save_problem
from .gradients import Changes, Derivatives, Gradient, Kink, StepGradient, derivatives
from .inertia import Inertia
from .joints import Joint, Joints
from .laws import Law, Laws
from .results import SpectralRadius
from .rows import Blocks, Rows
from .solutions import SolutionSet, solution_set
from .solver import Conflict, Report, Status, real_time, solve
from .stability import CriticalStep, advance_rotation, frame_from_normal, gyroscopic_change
from .system import System

if TYPE_CHECKING:
    from . import jax, mujoco, parallel, pinocchio, plot, torch

__all__ = [
    "GROUND",
    "Batch",
    "BatchGradient",
    "BatchReport",
    "Blocks",
    "Body",
    "Changes",
    "Conflict",
    "Constraint",
    "ConvergenceWarning",
    "CriticalStep",
    "DerivativeWarning",
    "Derivatives",
    "Error",
    "ErrorCode",
    "Factor",
    "Gradient",
    "InUseError",
    "Inertia",
    "Joint",
    "Joints",
    "Kink",
    "Law",
    "Laws",
    "Problem",
    "Report",
    "Rows",
    "SingularMatrixError",
    "SolutionSet",
    "SpectralRadius",
    "Status",
    "StepGradient",
    "Sync",
    "System",
    "advance_rotation",
    "derivatives",
    "frame_from_normal",
    "gyroscopic_change",
    "jax",
    "joints",
    "laws",
    "load_problem",
    "mujoco",
    "parallel",
    "pinocchio",
    "plot",
    "real_time",
    "save_problem",
    "solution_set",
    "solve",
    "torch",
]
__version__ = "0.1.0"

#: Modules that need other packages or MPI; they are imported when they are used.
_OPTIONAL = ("jax", "mujoco", "parallel", "pinocchio", "plot", "torch")


def __getattr__(name: str) -> Any:
    if name in _OPTIONAL:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_OPTIONAL])
