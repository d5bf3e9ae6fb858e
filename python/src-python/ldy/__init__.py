"""Local dynamics of constrained bodies, U = B + W R.

A :class:`System` holds bodies and constraints; :meth:`System.update` makes the block-sparse rows of the Delassus matrix
W = h H A^-1 H^T, and B and V. Matrices are written as NumPy has them: ``frame[:, 2]`` is the third axis of a frame.

    import ldy
    system = ldy.System()
    ball = system.add_rigid(mass=2.0, inertia=0.1)
    contact = system.add_constraints(ball, ldy.GROUND, frame=numpy.eye(3), master_point=[0, 0, -0.5])
    system.set_velocity(ball, [0, 0, 0, 0, 0, -1])
    system.update(0.01)
    W = system.rows.bsr()
    R, report = system.solve(0.5)

:mod:`ldy.plot` draws W, its spectrum, forces and energies.
"""

from ._core import Error
from .files import Problem, load_problem, save_problem
from .laws import Laws, Report, real_time, solve
from .rows import Rows
from .stability import CriticalStep, Joints, gyroscopic_change, turned_rotation
from .system import GROUND, Factor, Sync, System

__all__ = [
    "GROUND",
    "CriticalStep",
    "Error",
    "Factor",
    "Joints",
    "Laws",
    "Problem",
    "Report",
    "Rows",
    "Sync",
    "System",
    "gyroscopic_change",
    "load_problem",
    "real_time",
    "save_problem",
    "solve",
    "turned_rotation",
]
__version__ = "0.1.0"
