"""Geometric stiffness and critical steps; gyroscopic terms of rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .arrays import Floats, count_of, many, numbers, tensors
from .errors import Error

_LINK, _FIXED_POINT, _CONTACT, _CONSTANT = 0, 1, 2, 5
_CARRIERS = {"space": 0, "master": 1, "slave": 2}


class Joints:
    """The quantities that constraints keep constant, a joint for each row.

    Methods set the joints of some rows: an index, a slice, a mask, an array of indices, or ``...`` for all. They return the joints.

    Parameters
    ----------
    rows : int
        The number of rows. At first all are contacts whose axes do not turn.

    Examples
    --------
    >>> import ldy
    >>> ldy.Joints(3).link(0, length=2.0).fixed_point(1)
    <ldy.Joints: 1 link, 1 fixed_point, 1 contact>
    """

    def __init__(self, rows: int) -> None:
        self._kinds, self._lengths = np.full(rows, _CONTACT, dtype=np.uint8), np.zeros(rows)

    def __len__(self) -> int:
        return len(self._kinds)

    def __repr__(self) -> str:
        names = {"link": (_LINK,), "fixed_point": (_FIXED_POINT,), "contact": (2, 3, 4), "constant_operators": (_CONSTANT,)}
        counts = {name: int(np.isin(self._kinds, kinds).sum()) for name, kinds in names.items()}
        return f"<ldy.Joints: {', '.join(f'{count} {name}' for name, count in counts.items() if count) or 'no rows'}>"

    def link(self, rows: Any, length: ArrayLike) -> Joints:
        """Keep the distance of the points.

        Parameters
        ----------
        rows : index
            The rows.
        length : float or array_like
            The distance. The vector from the slave's point to the master's point has the direction of the normal.

        Returns
        -------
        Joints
            The same joints.
        """
        self._kinds[rows], self._lengths[rows] = _LINK, length
        return self

    def fixed_point(self, rows: Any) -> Joints:
        """Keep the points together.

        Parameters
        ----------
        rows : index
            The rows.

        Returns
        -------
        Joints
            The same joints.
        """
        self._kinds[rows] = _FIXED_POINT
        return self

    def contact(self, rows: Any, axes_of: str = "space") -> Joints:
        """Keep the distance of surfaces.

        Parameters
        ----------
        rows : index
            The rows.
        axes_of : {"space", "master", "slave"}
            The axes turn with a body, or do not turn.

        Returns
        -------
        Joints
            The same joints.

        Raises
        ------
        Error
            If ``axes_of`` is another text.
        """
        if axes_of not in _CARRIERS:
            raise Error(f"axes_of: {axes_of!r} where one of {list(_CARRIERS)} is needed")
        self._kinds[rows] = _CONTACT + _CARRIERS[axes_of]
        return self

    def constant_operators(self, rows: Any) -> Joints:
        """Declare that operators do not change when bodies move.

        Parameters
        ----------
        rows : index
            The rows.

        Returns
        -------
        Joints
            The same joints.
        """
        self._kinds[rows] = _CONSTANT
        return self

    @property
    def _raw(self) -> Any:
        """The arguments of the native module."""
        return self._kinds, self._lengths


@dataclass(frozen=True)
class CriticalStep:
    """The critical step of explicit schemes.

    Attributes
    ----------
    omega_squared : float
        The largest eigenvalue of M^-1 K, zero if nothing is in tension.
    step : float
        2 / omega.
    constraint : int or None
        The constraint that contributes most.
    share : float
        Its share of omega_squared.
    """

    omega_squared: float
    step: float
    constraint: int | None
    share: float


def gyroscopic_change(inertia: ArrayLike, angular_velocity: ArrayLike, h: float) -> Floats:
    """Return changes of angular velocities of free rigid bodies in a step: the gyroscopic terms of free velocities.

    The method of Simo and Wong (1991) keeps energy and the length of the angular momentum to rounding for any h; to first order the
    change is -h J^-1 (w x J w).

    Parameters
    ----------
    inertia : array_like
        J: a number, principal moments (3,) or a matrix (3, 3) of one body; for several, in the shapes of :meth:`System.add_rigid`.
    angular_velocity : (3,) or (count, 3) array_like
        Angular velocities w in the frames of the bodies.
    h : float
        The time step.

    Returns
    -------
    (3,) or (count, 3) ndarray
        The changes, in the shape of the angular velocities.

    Raises
    ------
    Error
        If a value is not finite, or an inertia is singular.

    Examples
    --------
    >>> import ldy
    >>> ldy.gyroscopic_change([1, 2, 3], [0, 1, 0], 0.1) + 0
    array([0., 0., 0.])
    """
    w = numbers("angular_velocity", angular_velocity)
    is_one = w.ndim == 1
    count = 1 if is_one else len(w)
    change = _core.gyroscopic_change(tensors("inertia", inertia, count, is_one), many("angular_velocity", w, count, 3), h)
    return change.reshape(w.shape)


def advance_rotation(rotation: ArrayLike, before: ArrayLike, after: ArrayLike, h: float) -> Floats:
    """Return rotations of rigid bodies after a step, rotation @ exp(h (before + after) / 2).

    With after = before + :func:`gyroscopic_change` the angular momentum in the world remains the same to rounding, as long as a body turns
    by at most a radian in the step.

    Parameters
    ----------
    rotation : (3, 3) or (count, 3, 3) array_like
        Rotations at the beginning of the step.
    before, after : (3,) or (count, 3) array_like
        Angular velocities at the beginning and end of the step, in the frames of the bodies.
    h : float
        The time step.

    Returns
    -------
    (3, 3) or (count, 3, 3) ndarray
        The rotations, (3, 3) if no argument has entries for several.

    Raises
    ------
    Error
        If a value is not finite.
    """
    count = count_of((rotation, 2), (before, 1), (after, 1))
    is_one = (np.ndim(rotation), np.ndim(before), np.ndim(after)) == (2, 1, 1)
    first, last = many("before", before, count, 3), many("after", after, count, 3)
    advanced = _core.advance_rotation(many("rotation", rotation, count, 3, 3), first, last, h)
    return advanced.reshape((3, 3) if is_one else (-1, 3, 3))
