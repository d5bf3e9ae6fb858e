"""Values that a system keeps with its constraints: tags, laws and reactions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from . import laws as _laws
from .arrays import Floats, flat, ids
from .arrays import tags as as_tags


class Kept:
    """The functions of a system for values that remain with constraints when others are inserted or removed."""

    _core: _core.System

    def set_tags(self, constraints: ArrayLike, tags: ArrayLike) -> None:
        """Set tags of constraints, all or none: numbers by which you find them again.

        Parameters
        ----------
        constraints : int or (count,) array_like of int
            The constraints.
        tags : int or (count,) array_like of int
            One for all or one for each, 0 to 2**64 - 1; 0 at first.

        Raises
        ------
        Error
            If there is no such constraint.
        OverflowError
            If a tag is negative or too large.
        """
        of = ids(constraints)
        self._core.set_tags(of, np.ascontiguousarray(np.broadcast_to(as_tags(tags), of.shape)))

    def tags(self) -> NDArray[np.uint64]:
        """Return the tags of all constraints.

        Returns
        -------
        (constraint_count,) ndarray of int
            The tags in the order of rows.
        """
        return self._core.tags()

    def set_laws(self, constraints: ArrayLike, laws: _laws.Laws | _laws.Law | ArrayLike) -> None:
        """Keep laws with constraints, all or none; :meth:`solve` uses them if it gets no laws.

        No update is needed: W does not depend on laws.

        Parameters
        ----------
        constraints : int or (count,) array_like of int
            The constraints.
        laws : Laws, Law or array_like
            Laws in the same order, a law for all, or coefficients of friction.

        Raises
        ------
        Error
            If there is no such constraint, or a law is not valid for it.

        Examples
        --------
        >>> import numpy as np
        >>> import ldy
        >>> system = ldy.System()
        >>> joint = system.add_body(ldy.Inertia.diagonal([2.0]))
        >>> system.set_velocity(joint, [-3.0])
        >>> system.set_laws(system.add_dof_constraint(joint, 0), ldy.laws.bounds(0, np.inf))
        >>> system.update(1.0)
        >>> R, report = system.solve()
        >>> R.round(6)
        array([1.5])
        """
        of = ids(constraints)
        self._core.set_laws(of, _laws.raw(laws, self._core.row_counts_of(of)))

    def laws(self, constraints: ArrayLike) -> _laws.Laws:
        """Return the laws that are kept with constraints.

        Parameters
        ----------
        constraints : int or (count,) array_like of int
            The constraints.

        Returns
        -------
        Laws
            The laws in the same order; "none" for a constraint without a law.

        Raises
        ------
        Error
            If there is no such constraint.
        """
        return _laws.of_raw(self._core.laws(ids(constraints)))

    def store_reactions(self, R: ArrayLike) -> None:
        """Keep a reaction with each constraint, for the initial guess of the next step.

        Parameters
        ----------
        R : (n,) array_like
            A value for each scalar row.

        Raises
        ------
        Error
            If the number of values is wrong, or a value is not finite.
        """
        self._core.store_reactions(flat("R", R))

    def stored_reactions(self) -> Floats:
        """Return the reactions that are kept with constraints.

        Returns
        -------
        (n,) ndarray
            Reactions in the order that rows have now; zero for new constraints.
        """
        return self._core.stored_reactions()
