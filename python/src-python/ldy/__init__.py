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
"""

from ._core import Error
from .rows import Rows
from .system import GROUND, System

__all__ = ["GROUND", "Error", "Rows", "System"]
__version__ = "0.1.0"
