"""Systems of bodies and constraints."""

from __future__ import annotations

from typing import NoReturn

from . import _core
from .bodies import Bodies
from .constraints import Constraints
from .kept import Kept
from .results import Results
from .world import World


class System(Bodies, Constraints, Kept, Results, World):
    """A system of bodies and constraints, and the rows of its Delassus matrix W.

    Functions for many bodies or constraints take arrays with one entry for each, or one value for all. They do all or nothing: if an entry
    is refused, nothing has changed and no id is used up. One thread at a time may use a system.

    A system cannot be copied or pickled, since it may have inverse callbacks.

    See Also
    --------
    solve : Find forces for any matrix W.

    Examples
    --------
    >>> import numpy as np
    >>> import ldy
    >>> system = ldy.System()
    >>> ball = system.add_rigid(mass=2.0, inertia=0.1)
    >>> contact = system.add_point_constraints(ball, ldy.GROUND, np.eye(3), [0, 0, -0.5])
    >>> system.set_velocity(ball, [0, 0, 0, 0, 0, -1])
    >>> system
    <ldy.System: 1 bodies, 1 constraints, 3 scalar rows>
    >>> system.update(0.01)
    >>> R, report = system.solve(0.5)
    >>> system.apply_reactions(R)
    >>> print(report.status, abs(system.velocity(ball)).max() < 1e-8)
    converged True
    """

    def __init__(self) -> None:
        self._core = _core.System()

    def __repr__(self) -> str:
        counts = f"{self.body_count} bodies, {self.constraint_count} constraints, {self.scalar_count} scalar rows"
        return f"<ldy.System: {counts}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a System cannot be copied or pickled, since it may have inverse callbacks: insert its bodies again")
