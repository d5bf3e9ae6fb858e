"""One system across the processes of an MPI communicator.

The wheel has no MPI. Build the package for the MPI of mpi4py, with its compiler::

    MPICC=mpicc pip install ./python --config-settings=build-args="--auditwheel skip --features mpi -- -C linker=mpicc"

Functions that say so are collective: all processes call them in the same order. An error of one process is raised on all, with its rank,
except errors of types and shapes, which the process finds before it calls others. The guide "One system across processes" has the rest.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .arrays import Floats, Ints, count_of, flat, ids, ids_of, many
from .constraints import point_places
from .errors import Error
from .solver import Report, choices, report_of, start
from .system import System

__all__ = ["Parallel", "Stats"]

Ranks = NDArray[np.int32]


@dataclass(frozen=True)
class Stats:
    """Counts of a process since its system was created.

    Attributes
    ----------
    messages, bytes : int
        Messages to other processes, without reductions, and bytes in them.
    ghosts : int
        Ghosts.
    halo : int
        Constraints in the halo at the last update.
    shared : int
        Own constraints in halos of other processes, once for each of these.
    neighbors : int
        Processes to which constraints are sent.
    colors : int
        Colors of the last solution.
    """

    messages: int
    bytes: int
    ghosts: int
    halo: int
    shared: int
    neighbors: int
    colors: int


def _ranks(name: str, values: ArrayLike, count: int) -> Ranks:
    """A whole number for each of ``count`` things; one stands for all of them."""
    try:
        return np.ascontiguousarray(np.broadcast_to(ids(values), count), dtype=np.int32)
    except ValueError:
        raise Error(f"{name}: {np.size(values)} values where {count} are needed") from None


class Parallel:
    """A system across the processes of a communicator.

    Bodies and constraints have global ids, which you choose. A body belongs to the process that inserts it into :attr:`system`; other
    processes may have ghosts of it.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        The communicator, which is duplicated. Collective.

    Examples
    --------
    >>> from mpi4py import MPI  # doctest: +SKIP
    >>> parallel = ldy.parallel.Parallel(MPI.COMM_WORLD)  # doctest: +SKIP
    """

    def __init__(self, comm: Any) -> None:
        if not hasattr(_core, "Parallel"):
            raise ImportError("this build of ldy has no MPI; the documentation of ldy.parallel says how to build one that has")
        self._core = _core.Parallel(comm.py2f())
        self._system = System()
        self._system._core = self._core.system()

    def __repr__(self) -> str:
        return f"<ldy.parallel.Parallel: {len(self.bodies)} bodies, {len(self.constraints)} constraints of this process>"

    @property
    def system(self) -> System:
        """The local system: own bodies and constraints, ghosts, and the halo, under global ids. It has no update of its own."""
        return self._system

    def set_next_ids(self, body: int, constraint: int) -> None:
        """Choose the global ids of the bodies and constraints that are inserted next into :attr:`system`."""
        self._core.set_next_ids(body, constraint)

    def add_ghosts(self, bodies: ArrayLike, owners: ArrayLike) -> None:
        """Get ghosts of bodies from their owners, whose ranks are given. Collective; a process may pass none."""
        bodies = ids(bodies)
        self._core.add_ghosts(bodies, _ranks("owners", owners, len(bodies)))

    def refresh(self) -> None:
        """Send the current states of bodies to their ghosts. Collective."""
        self._core.refresh()

    def remove_bodies(self, bodies: ArrayLike) -> None:
        """Remove own bodies or ghosts from this process."""
        self._core.remove_bodies(ids(bodies))

    def add_point_constraints(
        self,
        constraints: ArrayLike,
        master: ArrayLike,
        slave: ArrayLike,
        frame: ArrayLike,
        master_point: ArrayLike = (0, 0, 0),
        slave_point: ArrayLike = (0, 0, 0),
    ) -> None:
        """Insert constraints at points, as :meth:`System.add_point_constraints`, under global ids of any order."""
        names = ids(constraints)
        count = len(names)
        if count_of((master, 0), (slave, 0), (frame, 2), (master_point, 1), (slave_point, 1)) not in (1, count):
            raise Error(f"constraints: {count} ids, and another number of bodies, frames or points")
        self._core.add_point_constraints(
            names, ids_of(master, count), ids_of(slave, count), *point_places(count, frame, master_point, slave_point)
        )

    def update(self, h: float) -> None:
        """Assemble W, B and V on all processes; ``system.rows`` has them. Collective."""
        self._core.update(h)

    @property
    def bodies(self) -> Ints:
        """The ids of the bodies of this process, ascending."""
        return self._core.bodies()

    @property
    def constraints(self) -> Ints:
        """The ids of the constraints of this process, ascending, without its halo."""
        return self._core.constraints()

    @property
    def own_rows(self) -> Ints:
        """The rows of the local system that belong to this process, ascending."""
        return self._core.rows()

    @property
    def scalar_count(self) -> int:
        """The number of scalar rows of this process; 0 if there was no update since the last change."""
        return self._core.scalar_count()

    def multiply(self, x: ArrayLike, through_bodies: bool = False) -> Floats:
        """Compute W x. Collective. Vectors have a value for each scalar row of this process, in the order of ids."""
        return self._core.multiply(flat("x", x), through_bodies)

    def dot(self, x: ArrayLike, y: ArrayLike) -> float:
        """Compute the sum of the products x y over all processes, exact until it is rounded once. Collective."""
        return self._core.dot(flat("x", x), flat("y", y))

    def write_rows(self, path: str | os.PathLike[str], format: str = "npz", *, pieces: bool = False) -> None:
        """Write W of all processes. Collective.

        Parameters
        ----------
        path : str or path
            The file, the same on all processes, in a folder that all of them have.
        format : {"npz", "mtx"}
            An archive for ``scipy.sparse.load_npz``, or MatrixMarket.
        pieces : bool, optional
            Whether each process writes a file of its own, with consecutive rows of W and all columns. The file at ``path`` is then an
            index of them, which the guide describes.
        """
        if format not in ("npz", "mtx"):
            raise Error(f"format is {format!r}; expected 'npz' or 'mtx'")
        self._core.write_rows(path, format == "mtx", pieces)

    def solve(
        self,
        R: ArrayLike | None = None,
        *,
        fast: bool = False,
        tolerance: float = 1e-8,
        measure: str = "both",
        max_sweeps: int = 100_000,
        time_limit: float | None = None,
    ) -> tuple[Floats, Report]:
        """Find forces that obey the laws of all constraints. Collective.

        Parameters
        ----------
        R : (n,) array_like, optional
            The initial guess for the scalar rows of this process; zeros by default.
        fast : bool, optional
            Whether processes exchange forces once in a sweep only. Forces then depend on the partition.
        tolerance, measure, max_sweeps, time_limit : optional
            Options, the same on all processes; see :meth:`System.solve`.

        Returns
        -------
        R : (n,) ndarray
            The forces of this process.
        report : Report
            How the solution ended, the same on all processes except seconds. ``worst`` is a row of the local system, or -1 if it belongs
            to another process.
        """
        options = choices(tolerance, measure, "automatic", max_sweeps, time_limit, None, False, None)
        forces = start(R, self.scalar_count)
        status, numbers, (worst, *counts), history, conflict = self._core.solve(options, fast, forces)
        return forces, report_of((status, numbers, (worst if worst < 2**63 else -1, *counts), history, conflict))

    def apply_reactions(self, R: ArrayLike) -> None:
        """Add h A^-1 H^T R to the free velocities of all bodies. Collective."""
        self._core.apply_reactions(flat("R", R))

    def partition(
        self, bodies: ArrayLike, constraints: ArrayLike, points: ArrayLike | None = None, weights: ArrayLike | None = None
    ) -> tuple[Ranks, Ranks]:
        """Find a rank for each own body and constraint by recursive coordinate bisection. Collective.

        Parameters
        ----------
        bodies, constraints : array_like of int
            Own bodies and constraints.
        points : (count, 3) array_like, optional
            The place of each body; its position by default.
        weights : (count,) array_like of int, optional
            The weight of each body; 1 and the number of its constraints by default.

        Returns
        -------
        body_ranks, constraint_ranks : ndarray of int
            For :meth:`migrate`.
        """
        bodies = ids(bodies)
        places = None if points is None else many("points", points, len(bodies), 3)
        found = self._core.partition(bodies, ids(constraints), places, None if weights is None else _ranks("weights", weights, len(bodies)))
        return found[0], found[1]

    def migrate(self, bodies: ArrayLike, body_ranks: ArrayLike, constraints: ArrayLike, constraint_ranks: ArrayLike) -> None:
        """Move own bodies and constraints to the processes of these ranks. Collective; a process may move none."""
        bodies, constraints = ids(bodies), ids(constraints)
        self._core.migrate(
            bodies, _ranks("body_ranks", body_ranks, len(bodies)), constraints, _ranks("constraint_ranks", constraint_ranks, len(constraints))
        )

    @property
    def stats(self) -> Stats:
        """Counts of messages, ghosts and shared constraints of this process."""
        return Stats(*self._core.stats())
