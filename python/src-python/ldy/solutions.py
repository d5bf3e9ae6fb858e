"""All solutions of a contact problem with the velocities of a known one."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from . import laws as _laws
from .arrays import Floats, Ints, flat, ids
from .errors import Error, ErrorCode
from .solver import matrix_of_rows


class SolutionSet:
    """The solutions with the velocities U of a known solution R: all forces R' with W (R' - R) = 0 that obey the laws with U.

    :meth:`System.solution_set` and :func:`solution_set` make one. It does not change when the system does. It cannot be copied or
    pickled. Constraints are named by their ids, or by the numbers of their rows if the set was made by :func:`solution_set`.

    Examples
    --------
    Two drives at one axis share the load 5; one of them can take 4, the other 3:

    >>> import ldy
    >>> system = ldy.System()
    >>> wheel = system.add_body(ldy.Inertia.diagonal([1.0]))
    >>> system.set_velocity(wheel, [-5.0])
    >>> drives = [system.add_dof_constraint(wheel, 0) for _ in range(2)]
    >>> for drive, most in zip(drives, (4.0, 3.0)):
    ...     system.set_laws(drive, ldy.laws.bounds(-most, most))
    >>> system.update(1.0)
    >>> R, report = system.solve()
    >>> solutions = system.solution_set(R)
    >>> solutions.determined()
    array([False, False])
    >>> least, greatest = solutions.intervals()
    >>> print(least.round(6), greatest.round(6))
    [2. 1.] [4. 3.]
    """

    def __init__(self, core: _core.SolutionSet, constraints: Ints) -> None:
        # The ids ascend from row to row.
        self._core, self._constraints = core, constraints

    def determined(self) -> NDArray[np.bool_]:
        """Return which components of the force are the same in all solutions.

        Returns
        -------
        (n,) ndarray of bool
            True: the component is the same in all solutions, up to rounding. False: a null vector of W changes it within the linear span
            of the forces that the laws allow with U. If cones forbid each such change, the interval is a point.
        """
        return self._core.determined()

    def intervals(self, constraints: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Return the least and the greatest value of components of the force over all solutions.

        Parameters
        ----------
        constraints : int or (count,) array_like of int, optional
            The constraints; all by default, in the order of rows.

        Returns
        -------
        least : (k,) ndarray
            A value for each scalar row of the constraints, infinite if there is no limit, or one that is 1e8 times larger than the
            forces that change together.
        greatest : (k,) ndarray
            The same for the greatest values.

        Raises
        ------
        Error
            If there is no such constraint.
        """
        rows = self._rows(self._constraints if constraints is None else ids(constraints))
        pairs = self._core.intervals(rows).reshape(-1, 2)
        return pairs[:, 0].copy(), pairs[:, 1].copy()

    def causes(self, constraint: int, component: int) -> list[int]:
        """Return the constraints whose forces can change together with a component of the force.

        Parameters
        ----------
        constraint : int
            The constraint.
        component : int
            The component of its force, counted from 0.

        Returns
        -------
        list of int
            For each of them there is a null vector of W that changes this component and a component of the constraint. The list is empty
            if the component is determined.

        Raises
        ------
        Error
            If there is no such constraint or component.
        """
        if component < 0:
            raise Error(f"component: {component} where a number that is not negative is needed")
        row = int(self._rows(ids(int(constraint)))[0])
        causes: list[int] = self._constraints[self._core.causes(row, component)].tolist()
        return causes

    def canonical(self) -> Floats:
        """Return the forces with the least sum of d R**2 among all solutions, where d is the mean of the diagonal of W of a constraint.

        Returns
        -------
        (n,) ndarray
            The forces, which are unique; see the option ``canonical`` of :meth:`System.solve`.
        """
        forces = np.zeros(self._core.scalar_count())
        self._core.canonical(forces)
        return forces

    def _rows(self, constraints: Ints) -> NDArray[np.int32]:
        rows = np.searchsorted(self._constraints, constraints)
        known = rows < len(self._constraints)
        known[known] = self._constraints[rows[known]] == constraints[known]
        if not known.all():
            constraint = int(constraints[~known][0])
            text = f"constraint {constraint}: there is no such constraint in the set"
            raise Error(text, ErrorCode.NOT_FOUND, constraint)
        return rows.astype(np.int32)

    def __repr__(self) -> str:
        return f"<ldy.SolutionSet: {self._core.scalar_count()} scalar rows>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SolutionSet cannot be copied or pickled: make another one")


def solution_set(
    W: Any,
    B: ArrayLike,
    laws: _laws.Laws | _laws.Law | ArrayLike,
    R: ArrayLike,
    *,
    row_counts: ArrayLike | None = None,
    normal_first: bool = False,
    tolerance: float = 0.0,
) -> SolutionSet:
    """Find all solutions with the velocities of a known one, for any symmetric W.

    Parameters
    ----------
    W : (n, n) array_like or sparse matrix of SciPy
        The matrix, which is symmetric.
    B : (n,) array_like
        Velocities without reactions.
    laws : Laws, Law or array_like
        As in :func:`solve`.
    R : (n,) array_like
        The known solution.
    row_counts : (rows,) array_like of int, optional
        The number of scalar rows of each row, one to six; three by default.
    normal_first : bool, optional
        Whether the first component of each contact is the normal one, as in FCLIB, not the last.
    tolerance : float, optional
        See :meth:`System.solution_set`.

    Returns
    -------
    SolutionSet
        The solutions.

    Raises
    ------
    Error
        If R is no solution, W is not symmetric, or shapes, values or laws are not valid.

    Examples
    --------
    Two props under one load:

    >>> import numpy as np
    >>> import ldy
    >>> W, B = np.kron(np.ones((2, 2)), np.diag([0, 0, 1.0])), [0, 0, -3.0, 0, 0, -3.0]
    >>> solutions = ldy.solution_set(W, B, 0.0, [0, 0, 1, 0, 0, 2])
    >>> least, greatest = solutions.intervals(1)
    >>> print(least.round(6) + 0, greatest.round(6) + 0, solutions.causes(1, 2))
    [0. 0. 0.] [0. 0. 3.] [0, 1]
    """
    matrix, B, rows = matrix_of_rows(W, B, row_counts)
    own = _laws.raw(laws, rows)
    core = _core.SolutionSet.of_rows((*matrix, B), normal_first, own, flat("R", R), tolerance)
    return SolutionSet(core, np.arange(len(rows), dtype=np.int64))
