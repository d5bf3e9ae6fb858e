"""Joints: the quantities that constraints keep constant, for critical steps."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, numbers
from .errors import Error

__all__ = ["Joint", "Joints", "constant_operators", "contact", "fixed_point", "link"]

_NAMES = ("link", "fixed_point", "contact", "contact of the master", "contact of the slave", "constant_operators")
_CARRIERS = {"space": 2, "master": 3, "slave": 4}


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint for one row, or for each of several rows.

    Make one by :func:`link`, :func:`fixed_point`, :func:`contact` or :func:`constant_operators`.
    """

    _kind: int
    _length: Floats

    def __repr__(self) -> str:
        return f"<ldy.joints: {_NAMES[self._kind]}>"


def link(length: ArrayLike) -> Joint:
    """Make a joint that keeps the distance of the points.

    Parameters
    ----------
    length : float or (rows,) array_like
        The distance. The vector from the slave's point to the master's point has the direction of the normal.

    Returns
    -------
    Joint
        The joint.
    """
    return Joint(0, numbers("length", length))


def fixed_point() -> Joint:
    """Make a joint that keeps the points together.

    Returns
    -------
    Joint
        The joint.
    """
    return Joint(1, np.zeros(()))


def contact(axes_of: str = "space") -> Joint:
    """Make a joint that keeps the distance of surfaces.

    Parameters
    ----------
    axes_of : {"space", "master", "slave"}
        The axes turn with a body, or do not turn.

    Returns
    -------
    Joint
        The joint.

    Raises
    ------
    Error
        If ``axes_of`` is another text.
    """
    if axes_of not in _CARRIERS:
        raise Error(f"axes_of: {axes_of!r} where one of {list(_CARRIERS)} is needed")
    return Joint(_CARRIERS[axes_of], np.zeros(()))


def constant_operators() -> Joint:
    """Make a joint whose operators do not change when bodies move.

    Returns
    -------
    Joint
        The joint.
    """
    return Joint(5, np.zeros(()))


class Joints:
    """Joints of a number of rows, an array of joints.

    Assign a :class:`Joint` to rows: an index, a slice, a mask, an array of indices, or ``...`` for all.

    Parameters
    ----------
    rows : int
        The number of rows.
    joint : Joint, optional
        The joint of all rows, at first; a contact whose axes do not turn by default.

    Examples
    --------
    >>> import ldy
    >>> joints = ldy.Joints(3)
    >>> joints[0] = ldy.joints.link(2.0)
    >>> joints
    <ldy.Joints: 1 link, 2 contact>
    """

    def __init__(self, rows: int, joint: Joint | None = None) -> None:
        if operator.index(rows) < 0:
            raise Error(f"rows: {rows} where a number that is not negative is needed")
        self._kinds, self._lengths = np.zeros(rows, dtype=np.uint8), np.zeros(rows)
        self[...] = contact() if joint is None else joint

    def __len__(self) -> int:
        return len(self._kinds)

    def __repr__(self) -> str:
        counts = {name: int(np.sum(self._kinds == kind)) for kind, name in enumerate(_NAMES)}
        return f"<ldy.Joints: {', '.join(f'{count} {name}' for name, count in counts.items() if count) or 'no rows'}>"

    def __setitem__(self, rows: Any, joint: Joint) -> None:
        chosen = self._kinds[rows].shape
        try:
            lengths = np.broadcast_to(joint._length, chosen)
        except ValueError:
            raise Error(f"length: shape {joint._length.shape} for {chosen[0] if chosen else 1} rows") from None
        self._kinds[rows], self._lengths[rows] = joint._kind, lengths


def raw(joints: Joints | Joint, rows: int) -> Any:
    """Joints of rows for the native module."""
    joints = Joints(rows, joints) if isinstance(joints, Joint) else joints
    return joints._kinds, joints._lengths
