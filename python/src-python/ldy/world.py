"""The world and the frames of bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .arrays import Floats, count_of, ids, many


class World:
    """The functions of a system that convert quantities of the world."""

    _core: _core.System

    def body_point(self, bodies: ArrayLike, x: ArrayLike, point: ArrayLike) -> Floats:
        """Convert points of the world to referential points of rigid bodies and obstacles.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies.
        x : (3,) or (count, 3) array_like
            Current mass centers.
        point : (3,) or (count, 3) array_like
            Points of the world.

        Returns
        -------
        (3,) or (count, 3) ndarray
            Referential points, (3,) if no argument has entries for several.

        Raises
        ------
        Error
            If there is no such body, it is not rigid, or a value is not finite.

        Examples
        --------
        >>> import ldy
        >>> system = ldy.System()
        >>> ball = system.add_rigid(1.0, 1.0)
        >>> system.body_point(ball, [0, 0, 5.0], [0, 0, 4.5])
        array([ 0. ,  0. , -0.5])
        """
        return self._vectors("body_point", bodies, ("x", x, 1), ("point", point, 1))

    def pseudo_rigid_point(self, bodies: ArrayLike, gradient: ArrayLike, x: ArrayLike, point: ArrayLike) -> Floats:
        """Convert points of the world to referential points of pseudo-rigid bodies.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies.
        gradient : (3, 3) or (count, 3, 3) array_like
            Deformation gradients.
        x, point : (3,) or (count, 3) array_like
            As for :meth:`body_point`.

        Returns
        -------
        (3,) or (count, 3) ndarray
            Referential points.

        Raises
        ------
        Error
            If there is no such body, it is not pseudo-rigid, or a gradient is singular.
        """
        return self._vectors("pseudo_rigid_point", bodies, ("gradient", gradient, 2), ("x", x, 1), ("point", point, 1))

    def body_angular_velocity(self, bodies: ArrayLike, angular_velocity: ArrayLike) -> Floats:
        """Convert angular velocities from the world to the frames of rigid bodies and obstacles.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies.
        angular_velocity : (3,) or (count, 3) array_like
            Angular velocities in the axes of the world.

        Returns
        -------
        (3,) or (count, 3) ndarray
            Angular velocities as generalized velocities have them.

        Raises
        ------
        Error
            If there is no such body, it is not rigid, or a value is not finite.
        """
        return self._vectors("body_angular_velocity", bodies, ("angular_velocity", angular_velocity, 1))

    def world_angular_velocity(self, bodies: ArrayLike, angular_velocity: ArrayLike) -> Floats:
        """Convert angular velocities from the frames of rigid bodies and obstacles to the world.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies.
        angular_velocity : (3,) or (count, 3) array_like
            Angular velocities as generalized velocities have them.

        Returns
        -------
        (3,) or (count, 3) ndarray
            Angular velocities in the axes of the world.

        Raises
        ------
        Error
            If there is no such body, it is not rigid, or a value is not finite.
        """
        return self._vectors("world_angular_velocity", bodies, ("angular_velocity", angular_velocity, 1))

    def _vectors(self, function: str, bodies: ArrayLike, *given: tuple[str, ArrayLike, int]) -> Floats:
        """A vector for each body."""
        count = count_of((bodies, 0), *((values, ndim) for _, values, ndim in given))
        is_one = np.ndim(bodies) == 0 and all(np.ndim(values) == ndim for _, values, ndim in given)
        of = np.ascontiguousarray(np.broadcast_to(ids(bodies), count))
        made: Floats = getattr(self._core, function)(of, *(many(name, values, count, *(3,) * ndim) for name, values, ndim in given))
        return made if is_one else made.reshape(-1, 3)
