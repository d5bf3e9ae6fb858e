"""Geometric stiffness and critical steps; gyroscopic terms of rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .arrays import count_of, inertias, many

_LINK, _FIXED_POINT, _CONTACT, _CONSTANT = 0, 1, 2, 5
_CARRIERS = {"space": 0, "master": 1, "slave": 2}


class Joints:
    """The quantities that constraints keep constant, one joint for each row. At first all are contacts whose axes do not turn.

    Methods set the joints of some rows: numbers, a slice, a mask, or ``...`` for all. They return the joints.
    """

    def __init__(self, rows: int) -> None:
        self._kinds, self._lengths = np.full(rows, _CONTACT, dtype=np.uint8), np.zeros(rows)

    def __len__(self) -> int:
        return len(self._kinds)

    def link(self, rows: Any, length: ArrayLike) -> Joints:
        """Keep the distance of the points. The vector from the slave's point to the master's point has the direction of the normal."""
        self._kinds[rows], self._lengths[rows] = _LINK, length
        return self

    def fixed_point(self, rows: Any) -> Joints:
        """Keep the points together."""
        self._kinds[rows] = _FIXED_POINT
        return self

    def contact(self, rows: Any, axes_of: str = "space") -> Joints:
        """Contacts. axes_of: what their axes turn with, "space" (they do not turn), "master" or "slave"."""
        if axes_of not in _CARRIERS:
            raise ValueError(f"axes_of: {axes_of!r} where one of {list(_CARRIERS)} is needed")
        self._kinds[rows] = _CONTACT + _CARRIERS[axes_of]
        return self

    def constant_operators(self, rows: Any) -> Joints:
        """Constraints by operators that do not change when bodies move."""
        self._kinds[rows] = _CONSTANT
        return self

    @property
    def raw(self) -> Any:
        """The arguments of the native module."""
        return self._kinds, self._lengths


@dataclass(frozen=True)
class CriticalStep:
    """The critical step of explicit schemes.

    omega_squared: the largest eigenvalue of M^-1 K, zero if nothing is in tension. step: 2 / omega. constraint: the id of the constraint
    that contributes most, or None. share: its share of omega_squared.
    """

    omega_squared: float
    step: float
    constraint: int | None
    share: float


def gyroscopic_change(inertia: ArrayLike, spin: ArrayLike, h: float) -> NDArray[np.float64]:
    """Return the gyroscopic terms of rigid bodies: changes of angular velocities in a step without torques, in referential frames. They are
    part of the free velocity.

    inertia: J, 3 x 3 or a number. spin: three numbers a body. The method of Simo and Wong (1991) keeps energy and the length of the
    angular momentum to rounding for any h; to first order the change is -h J^-1 (spin x J spin).
    """
    spin = np.asarray(spin, dtype=np.float64)
    count = count_of((inertia, 2 if np.ndim(inertia) >= 2 else 0), (spin, 1))[0]
    change = _core.gyroscopic_change(inertias("inertia", inertia, count), many("spin", spin, count, 3), h)
    return change.reshape(-1, 3) if spin.ndim > 1 or np.ndim(inertia) in (1, 3) else change


def turned_rotation(rotation: ArrayLike, before: ArrayLike, after: ArrayLike, h: float) -> NDArray[np.float64]:
    """Return rotations of rigid bodies after a step, rotation @ exp(h (before + after) / 2). before, after: angular velocities at the
    beginning and end of the step, in referential frames. With after = before + :func:`gyroscopic_change` the angular momentum in the world
    remains the same to rounding, as long as a body turns by at most a radian in the step."""
    count, is_one = count_of((rotation, 2), (before, 1), (after, 1))
    first, last = many("before", before, count, 3), many("after", after, count, 3)
    turned = _core.turned_rotation(many("rotation", rotation, count, 3, 3), first, last, h)
    return turned.reshape((3, 3) if is_one else (-1, 3, 3))
