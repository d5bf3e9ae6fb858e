"""Bodies of a system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .arrays import Floats, Ints, count_of, each, ids, many, numbers, of_one, shaped, tensors
from .errors import Error
from .inertia import Inertia, check_callback, raw

Which = Literal["free", "previous"]
Option = Literal["any_axes", "orthonormalize"]
#: The rotation of a body that has not turned.
IDENTITY = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
Number = float | np.floating[Any] | np.integer[Any]


class Body(NamedTuple):
    """The kind of a body and its size.

    Attributes
    ----------
    kind : str
        "rigid", "pseudo_rigid", "obstacle" or "general".
    size : int
        The number of its generalized velocities.
    """

    kind: str
    size: int


class Bodies:
    """The functions of a system for bodies."""

    _core: _core.System

    @overload
    def add_rigid(
        self, mass: Number, inertia: ArrayLike, rotation: ArrayLike = ..., center: ArrayLike = ...
    ) -> int: ...
    @overload
    def add_rigid(
        self, mass: Sequence[float] | Floats, inertia: ArrayLike, rotation: ArrayLike = ..., center: ArrayLike = ...
    ) -> Ints: ...
    def add_rigid(self, mass: Any, inertia: ArrayLike, rotation: ArrayLike = IDENTITY, center: ArrayLike = (0, 0, 0)) -> Any:
        """Insert a rigid body, or several.

        The mass decides: a number inserts one body, an array inserts a body for each of its numbers. Generalized velocities are (angular
        velocity in the frame of the body, velocity of the mass center).

        Parameters
        ----------
        mass : float or (count,) array_like
            Masses, positive.
        inertia : array_like
            Referential inertia about the mass center. One body: a number for all axes, principal moments (3,), or a matrix (3, 3).
            Several bodies: a number or a matrix (3, 3) for all, numbers (count,), or matrices (count, 3, 3).
        rotation : (3, 3) or (count, 3, 3) array_like, optional
            Rotations from the reference configuration to the current one.
        center : (3,) or (count, 3) array_like, optional
            Referential mass centers. A point p of the world is the referential point ``center + rotation.T @ (p - x)``; x is the current
            mass center.

        Returns
        -------
        int or (count,) ndarray of int
            The id of the body, or the ids of the bodies.

        Raises
        ------
        Error
            If a shape is wrong, or an inertia is not positive definite. Nothing is inserted.

        Examples
        --------
        >>> import ldy
        >>> system = ldy.System()
        >>> system.add_rigid(1.0, [1.0, 2.0, 3.0])  # one body with principal moments
        0
        >>> system.add_rigid([1.0, 2.0], 0.1, center=[[0, 0, 0], [0, 0, 1]])
        array([1, 2])
        """
        is_one, count = _mass(mass)
        new = self._core.add_rigid(
            many("mass", mass, count),
            tensors("inertia", inertia, count, is_one),
            each("rotation", is_one, rotation, count, 3, 3),
            each("center", is_one, center, count, 3),
        )
        return int(new[0]) if is_one else new

    @overload
    def add_pseudo_rigid(self, mass: Number, euler: ArrayLike, center: ArrayLike = ...) -> int: ...
    @overload
    def add_pseudo_rigid(self, mass: Sequence[float] | Floats, euler: ArrayLike, center: ArrayLike = ...) -> Ints: ...
    def add_pseudo_rigid(self, mass: Any, euler: ArrayLike, center: ArrayLike = (0, 0, 0)) -> Any:
        """Insert a pseudo-rigid body, or several; the mass decides, as for :meth:`add_rigid`.

        Generalized velocities are (rate of the deformation gradient row by row, velocity of the mass center).

        Parameters
        ----------
        mass : float or (count,) array_like
            Masses, positive.
        euler : array_like
            Euler tensors about the mass center, in the shapes of the inertia of :meth:`add_rigid`.
        center : (3,) or (count, 3) array_like, optional
            Referential mass centers.

        Returns
        -------
        int or (count,) ndarray of int
            The id of the body, or the ids of the bodies.

        Raises
        ------
        Error
            If a shape is wrong, or a tensor is not positive definite. Nothing is inserted.
        """
        is_one, count = _mass(mass)
        new = self._core.add_pseudo_rigid(
            many("mass", mass, count), tensors("euler", euler, count, is_one), each("center", is_one, center, count, 3)
        )
        return int(new[0]) if is_one else new

    def add_obstacle(self, rotation: ArrayLike = IDENTITY, center: ArrayLike = (0, 0, 0)) -> int:
        """Insert a body with a prescribed velocity, which has the form of a rigid body's velocity.

        It couples no constraints: its inverse inertia is zero.

        Parameters
        ----------
        rotation : (3, 3) array_like, optional
            The rotation from the reference configuration to the current one.
        center : (3,) array_like, optional
            The referential point whose velocity is prescribed.

        Returns
        -------
        int
            The id of the body.

        Raises
        ------
        Error
            If a shape is wrong or a value is not finite.
        """
        return int(self._core.add_obstacles(of_one("rotation", rotation, 3, 3), of_one("center", center, 3))[0])

    def add_obstacles(self, rotation: ArrayLike, center: ArrayLike) -> Ints:
        """Insert obstacles, as many as the longer of the arrays has entries.

        Parameters
        ----------
        rotation : (3, 3) or (count, 3, 3) array_like
            Rotations from the reference configuration to the current one.
        center : (3,) or (count, 3) array_like
            Referential points whose velocities are prescribed.

        Returns
        -------
        (count,) ndarray of int
            The ids of the bodies.

        Raises
        ------
        Error
            If a shape is wrong or a value is not finite. Nothing is inserted.
        """
        count = count_of((rotation, 2), (center, 1))
        return self._core.add_obstacles(many("rotation", rotation, count, 3, 3), many("center", center, count, 3))

    def add_body(self, inertia: Inertia) -> int:
        """Insert a body of which only the inertia is known. Its constraints are given by operators.

        Parameters
        ----------
        inertia : Inertia
            The inertia; its size is the number of generalized velocities.

        Returns
        -------
        int
            The id of the body.

        Raises
        ------
        Error
            If values are not finite or not symmetric.

        Examples
        --------
        >>> import numpy as np
        >>> import ldy
        >>> system = ldy.System()
        >>> system.add_body(ldy.Inertia.dense(np.eye(7)))
        0
        """
        return self._core.add_body(raw(inertia))

    def add_model(self, sizes: Sequence[int], function: Callable[[Floats], ArrayLike]) -> Ints:
        """Insert bodies with a shared inverse callback. One call of it in each update is enough.

        Parameters
        ----------
        sizes : sequence of int
            The number of generalized velocities of each body.
        function : callable
            ``function(x)`` returns A^-1 x in the shape (sum(sizes), k) of x: the rows of the first body, then those of the next. A^-1
            is block-diagonal by body, and a column has a right-hand side for each body.

        Returns
        -------
        (count,) ndarray of int
            The ids of the bodies.

        Raises
        ------
        Error
            If there is no body, or a size is zero.
        """
        return self._core.add_model([check_callback(size, function) for size in sizes], function)

    def remove_bodies(self, bodies: ArrayLike) -> None:
        """Remove bodies on which no constraint acts, all or none.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies.

        Raises
        ------
        Error
            If there is no such body, a constraint acts on it, or an earlier entry names it.
        """
        self._core.remove_bodies(ids(bodies))

    def set_inertia(self, body: int, inertia: Inertia) -> None:
        """Set the inertia of a body. The form may change; the size may not.

        Parameters
        ----------
        body : int
            The body.
        inertia : Inertia
            The new inertia.

        Raises
        ------
        Error
            If there is no such body, or the inertia is not valid for it.
        """
        self._core.set_inertia(body, raw(inertia))

    def set_rotation(self, bodies: ArrayLike, rotation: ArrayLike) -> None:
        """Set the rotations of rigid bodies and obstacles, all or none.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies.
        rotation : (3, 3) or (count, 3, 3) array_like
            Rotations from the reference configuration to the current one.

        Raises
        ------
        Error
            If there is no such body, it has no rotation, or a rotation is not orthonormal.
        """
        of = ids(bodies)
        self._core.set_rotation(of, many("rotation", rotation, len(of), 3, 3))

    def rotation(self, bodies: ArrayLike) -> Floats:
        """Return the rotations of rigid bodies and obstacles.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies.

        Returns
        -------
        (3, 3) or (count, 3, 3) ndarray
            The rotations, one for each id.

        Raises
        ------
        Error
            If there is no such body, or it has no rotation.
        """
        return shaped(bodies, self._core.rotation(ids(bodies)), 3, 3)

    def set_velocity(self, bodies: ArrayLike, velocity: ArrayLike, which: Which = "free") -> None:
        """Set generalized velocities, all or none.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies.
        velocity : (n,) or (count, n) array_like
            The velocities, one for all or one for each body.
        which : {"free", "previous"}
            Free velocities include the forces of the step but for reactions: B = H times the free velocity. Previous velocities are those
            before the step: V = H times the previous velocity.

        Raises
        ------
        Error
            If there is no such body, it has another number of velocities, or a value is not finite.
        """
        velocity, of = numbers("velocity", velocity), ids(bodies)
        self._core.set_velocity(of, many("velocity", velocity, len(of), (1, *velocity.shape)[-1]), _is_previous(which))

    def velocity(self, bodies: ArrayLike, which: Which = "free") -> Floats:
        """Return generalized velocities of bodies that have the same number n of them.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies.
        which : {"free", "previous"}
            Free velocities are as set, or as :meth:`apply_reactions` has changed them.

        Returns
        -------
        (n,) or (count, n) ndarray
            The velocities, one for each id.

        Raises
        ------
        Error
            If there is no such body, or numbers of velocities differ.
        """
        of = ids(bodies)
        values = self._core.velocity(of, _is_previous(which))
        return values if np.ndim(bodies) == 0 else values.reshape(len(of), -1 if len(of) else 0)

    def bodies(self) -> Ints:
        """Return the ids of the bodies in the order of insertion.

        Returns
        -------
        (body_count,) ndarray of int
            The ids.
        """
        return self._core.bodies()

    @property
    def body_count(self) -> int:
        """The number of bodies."""
        return self._core.body_count()

    def body(self, body: int) -> Body:
        """Return the kind of a body and its number of generalized velocities.

        Parameters
        ----------
        body : int
            The body.

        Returns
        -------
        Body
            Its kind and size.

        Raises
        ------
        Error
            If there is no such body.

        Examples
        --------
        >>> import ldy
        >>> system = ldy.System()
        >>> system.body(system.add_rigid(1.0, 1.0))
        Body(kind='rigid', size=6)
        """
        return Body(*self._core.body(body))

    def clear(self) -> None:
        """Remove all bodies and constraints. Options stay, and ids are not used again."""
        self._core.clear()

    def set_option(self, name: Option, value: bool) -> None:
        """Set an option of the system, for all calls from now on.

        Parameters
        ----------
        name : {"any_axes", "orthonormalize"}
            "any_axes": accept frames and rotations that are not orthonormal, for instance axes that carry units. "orthonormalize":
            replace frames and rotations that are orthonormal to within 1e-5, such as those of single precision, by the closest
            orthonormal ones.
        value : bool
            The value; False at first.

        Raises
        ------
        Error
            If there is no such option.
        """
        self._core.set_option(name, bool(value))

    def option(self, name: Option) -> bool:
        """Return the value of an option.

        Parameters
        ----------
        name : {"any_axes", "orthonormalize"}
            The option; see :meth:`set_option`.

        Returns
        -------
        bool
            Its value.

        Raises
        ------
        Error
            If there is no such option.
        """
        return self._core.option(name)


def _mass(mass: Any) -> tuple[bool, int]:
    """Whether there is one body, and the number of bodies."""
    if np.ndim(mass) > 1:
        raise Error(f"mass: shape {np.shape(mass)} where a number or (count,) is needed")
    return np.ndim(mass) == 0, int(np.size(mass))


def _is_previous(which: str) -> bool:
    if which not in ("free", "previous"):
        raise Error(f'which: {which!r} where "free" or "previous" is needed')
    return which == "previous"
