"""Critical steps, and gyroscopic terms of rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .arrays import Floats, count_of, many, numbers, tensors


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


def frame_from_normal(normal: ArrayLike) -> Floats:
    """Return orthonormal frames with given normals, for :meth:`System.add_point_constraints`.

    Parameters
    ----------
    normal : (3,) or (count, 3) array_like
        Normals of any length.

    Returns
    -------
    (3, 3) or (count, 3, 3) ndarray
        Frames, whose third columns have the directions of the normals.

    Raises
    ------
    Error
        If a normal is zero or not finite.

    Examples
    --------
    >>> import ldy
    >>> ldy.frame_from_normal([0, 0, 2.0]) + 0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    given = numbers("normal", normal)
    frames = _core.frame_from_normal(many("normal", given, 1 if given.ndim == 1 else len(given), 3))
    return frames.reshape((3, 3) if given.ndim == 1 else (-1, 3, 3))
