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

    :meth:`clone` and :func:`copy.copy` copy a system. It cannot be pickled.

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

    def clone(self) -> System:
        """Copy the system: bodies, constraints, and everything that was set, under the same ids.

        Returns
        -------
        System
            The copy. It has no results. After an update its results are bit-identical with the original's.

        Raises
        ------
        Error
            If a body has an inverse callback, which cannot be copied.
        """
        copy = System()
        copy._core = self._core.clone()
        return copy

    def __copy__(self) -> System:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, object]) -> System:
        return self.clone()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a System cannot be pickled, since it may have inverse callbacks: clone it, or insert its bodies again")
