"""The world and the frames of bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .arrays import Floats, count_of, ids, ids_of, many, shaped


class World:
    """The functions of a system that convert quantities of the world."""

    _core: _core.System

    def set_position(self, bodies: ArrayLike, position: ArrayLike) -> None:
        """Set where the mass centers of rigid bodies and obstacles are in the world, all or none.

        :meth:`body_point`, :meth:`contact_frames` and :meth:`joint_error` use positions, and so do updates for joints by axes. Nothing
        else depends on them.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies.
        position : (3,) or (count, 3) array_like
            The positions.

        Raises
        ------
        Error
            If there is no such body, it is not rigid, or a position is not finite.
        """
        of = ids(bodies)
        self._core.set_position(of, many("position", position, len(of), 3))

    def position(self, bodies: ArrayLike) -> Floats:
        """Return the positions of rigid bodies and obstacles.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies.

        Returns
        -------
        (3,) or (count, 3) ndarray
            The positions, one for each id.

        Raises
        ------
        Error
            If there is no such body, it is not rigid, or its position was never set.
        """
        return shaped(bodies, self._core.position(ids(bodies)), 3)

    def contact_frames(
        self, master: ArrayLike, slave: ArrayLike, normal: ArrayLike, place: ArrayLike
    ) -> tuple[Floats, Floats, Floats]:
        """Compute frames and points of contacts from normals and places in the world.

        The results are arguments of :meth:`add_point_constraints` and :meth:`sync_constraints`. Both points of a contact are at its
        place. The positions of the bodies are set (:meth:`set_position`).

        Parameters
        ----------
        master, slave : int or (count,) array_like of int
            Rigid bodies or obstacles, or GROUND for none.
        normal : (3,) or (count, 3) array_like
            Directions from the slave to the master, of any length.
        place : (3,) or (count, 3) array_like
            Points of the world.

        Returns
        -------
        frames : (count, 3, 3) ndarray
            The columns are the axes, the third is the normal.
        master_points : (count, 3) ndarray
            Referential points of the masters.
        slave_points : (count, 3) ndarray
            Referential points of the slaves.

        Raises
        ------
        Error
            If lengths differ, there is no such body, it has no position, or a normal is zero.

        Examples
        --------
        >>> import ldy
        >>> system = ldy.System()
        >>> ball = system.add_rigid(1.0, 0.1)
        >>> system.set_position(ball, [0, 0, 0.5])
        >>> contact = system.contact_frames(ball, ldy.GROUND, normal=[0, 0, 1], place=[0, 0, 0])
        >>> system.add_point_constraints(ball, ldy.GROUND, *contact)
        array([0])
        """
        count = count_of((master, 0), (slave, 0), (normal, 1), (place, 1))
        sides = ids_of(master, count), ids_of(slave, count)
        frames, masters, slaves = self._core.contact_frames(*sides, many("normal", normal, count, 3), many("place", place, count, 3))
        return frames.reshape(-1, 3, 3), masters.reshape(-1, 3), slaves.reshape(-1, 3)

    def body_point(self, bodies: ArrayLike, point: ArrayLike) -> Floats:
        """Convert points of the world to referential points of rigid bodies and obstacles.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies, whose positions are set (:meth:`set_position`).
        point : (3,) or (count, 3) array_like
            Points of the world.

        Returns
        -------
        (3,) or (count, 3) ndarray
            Referential points, (3,) if no argument has entries for several.

        Raises
        ------
        Error
            If there is no such body, it is not rigid, its position was never set, or a value is not finite.

        Examples
        --------
        >>> import ldy
        >>> system = ldy.System()
        >>> ball = system.add_rigid(1.0, 1.0)
        >>> system.set_position(ball, [0, 0, 5.0])
        >>> system.body_point(ball, [0, 0, 4.5])
        array([ 0. ,  0. , -0.5])
        """
        return self._vectors("body_point", bodies, ("point", point, 1))

    def pseudo_rigid_point(self, bodies: ArrayLike, gradient: ArrayLike, x: ArrayLike, point: ArrayLike) -> Floats:
        """Convert points of the world to referential points of pseudo-rigid bodies.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies.
        gradient : (3, 3) or (count, 3, 3) array_like
            Deformation gradients.
        x : (3,) or (count, 3) array_like
            Current mass centers.
        point : (3,) or (count, 3) array_like
            Points of the world.

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
        of = ids_of(bodies, count)
        made: Floats = getattr(self._core, function)(of, *(many(name, values, count, *(3,) * ndim) for name, values, ndim in given))
        return made if is_one else made.reshape(-1, 3)
