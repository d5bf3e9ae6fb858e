"""Many systems at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .arrays import Floats, Indices, numbers
from .errors import Error
from .gradients import of_laws
from .solver import Status, choices
from .system import System


@dataclass(frozen=True)
class BatchReport:
    """How the solutions of many systems ended.

    Attributes
    ----------
    statuses : list of Status
        The status of each system.
    residuals : (systems,) ndarray
        The residual of each system.
    """

    statuses: list[Status]
    residuals: Floats

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Whether each system has converged, (systems,)."""
        return np.array([status == Status.CONVERGED for status in self.statuses], dtype=np.bool_)

    def __repr__(self) -> str:
        return f"<ldy.BatchReport: {int(self.converged.sum())} of {len(self.statuses)} converged>"


@dataclass(frozen=True)
class BatchGradient:
    """Derivatives of a function of each of many systems.

    Attributes
    ----------
    B : (n,) ndarray
        The derivatives by B of all systems, in their order.
    friction : (rows, 2) ndarray
        By the coefficients of friction along both tangents, for the constraints of all systems. Where both are the same, the first value is
        the derivative by both.
    cohesion, rolling_friction, torsional_friction : (rows,) ndarray
        By these numbers of contacts.
    lower, upper, bias : (rows, 6) ndarray
        By bounds and biases; only the first m values of a constraint with m scalar rows count.
    is_singular : (systems,) ndarray of bool
        Whether only a part of the forces of each system has derivatives.
    outside : (systems,) ndarray
        The largest share of a right-hand side that the equations of each system cannot have, 0 to 1.
    is_solution : (systems,) ndarray of bool
        Whether the forces of each system are a solution.
    """

    B: Floats
    friction: Floats
    cohesion: Floats
    rolling_friction: Floats
    torsional_friction: Floats
    lower: Floats
    upper: Floats
    bias: Floats
    is_singular: NDArray[np.bool_]
    outside: Floats
    is_solution: NDArray[np.bool_]

    def __repr__(self) -> str:
        return f"<ldy.BatchGradient: {len(self.outside)} systems>"


class Batch:
    """Many systems that share nothing: updated, solved and differentiated in one call each, over all threads of the library.

    Each system has the results that it has alone, for any order of systems and any number of threads, which the environment variable
    ``LDY_NUM_THREADS`` sets. Laws are kept with the constraints, see :meth:`System.set_laws`. Other threads of Python continue during a call.

    A vector of all systems is contiguous, (n,), or has a row for each system, (systems, width): the values of a system are the first ones of
    its row. Rows are not copied, wherever they are, if the values of each row are contiguous.

    Parameters
    ----------
    systems : sequence of System
        The systems, all different.

    Examples
    --------
    >>> import numpy as np
    >>> import ldy
    >>> systems = [ldy.System() for _ in range(3)]
    >>> for mass, system in enumerate(systems, start=1):
    ...     ball = system.add_rigid(mass, 1.0)
    ...     system.set_velocity(ball, [0, 0, 0, 0, 0, -1])
    ...     system.set_laws(system.add_point_constraints(ball, ldy.GROUND, np.eye(3), [0, 0, 0]), ldy.laws.contact(0.5))
    >>> batch = ldy.Batch(systems)
    >>> batch.update(0.1)
    >>> R, report = batch.solve()
    >>> print(R.reshape(3, 3)[:, 2].round(6), report)
    [10. 20. 30.] <ldy.BatchReport: 3 of 3 converged>
    """

    def __init__(self, systems: Sequence[System]) -> None:
        self._core = _core.Batch()
        self._take(systems)

    def _take(self, systems: Sequence[System]) -> None:
        """Go on with other systems in the same memory."""
        systems = list(systems)
        cores = [system._core for system in systems]
        if len({id(core) for core in cores}) != len(cores):
            raise Error("systems: a system is there twice")
        self._systems, self._cores = systems, cores

    @property
    def systems(self) -> list[System]:
        """The systems."""
        return list(self._systems)

    def __len__(self) -> int:
        return len(self._systems)

    @property
    def starts(self) -> Indices:
        """The first scalar row of each system in vectors of all systems, and the end, (systems + 1,)."""
        counts = [int(core.row_counts().sum()) for core in self._cores]
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    def split(self, values: ArrayLike) -> list[Floats]:
        """Cut a vector of all systems into one for each.

        Parameters
        ----------
        values : (n,) array_like
            The values.

        Returns
        -------
        list of ndarray
            Views of the values, one for each system.
        """
        return np.split(numbers("values", values), self.starts[1:-1])

    def update(self, h: float) -> None:
        """Update all systems, as :meth:`System.update` does for one.

        Parameters
        ----------
        h : float
            The time step of all of them, positive.

        Raises
        ------
        Error
            The error of the first system that could not be updated, with its place as ``entry``. All are tried.
        """
        self._core.update(self._cores, h)

    def solve(
        self,
        R: ArrayLike | None = None,
        *,
        tolerance: float = 1e-8,
        measure: str = "both",
        method: str = "automatic",
        max_sweeps: int = 100_000,
        time_limit: float | None = None,
        max_work: int | None = None,
        canonical: bool = False,
        out: Floats | None = None,
    ) -> tuple[Floats, BatchReport]:
        """Find the forces of all systems, as :meth:`System.solve` does for one.

        Parameters
        ----------
        R : (n,) or (systems, width) array_like, optional
            Initial guesses for all systems; zeros by default.
        tolerance : float, optional
            As in :meth:`System.solve`; so are the following ones, for each system.
        measure : {"both", "natural", "scaled"}
            The residual.
        method : {"automatic", "gauss_seidel", "newton"}
            The solver.
        max_sweeps : int, optional
            The largest number of Gauss-Seidel sweeps of each system.
        time_limit : float, optional
            Seconds for each system; none by default.
        max_work : int, optional
            A limit of the work of each system, which depends on no clock; none by default.
        canonical : bool, optional
            Whether to return canonical forces.
        out : (n,) or (systems, width) ndarray, optional
            Where to write the forces; it may be R. After an error it has forces or initial guesses.

        Returns
        -------
        R : (n,) ndarray
            The forces of all systems, see :meth:`split`; ``out`` if it is given.
        report : BatchReport
            How the solutions ended.

        Raises
        ------
        Error
            The error of the first system that could not be solved, with its place as ``entry``. All are tried.
        """
        starts = self.starts
        guess = None if R is None else self._given("R", R, starts)
        forces = self._out(out, starts)
        if guess is not forces:
            self._begin(forces, guess, starts)
        options = choices(tolerance, measure, method, max_sweeps, time_limit, max_work, canonical, None)
        statuses, residuals = self._core.solve(self._cores, options, forces, starts)
        return forces, BatchReport([Status(status) for status in statuses], residuals)

    def multiply(self, x: ArrayLike, out: Floats | None = None) -> Floats:
        """Compute W x for each system, as :meth:`System.multiply` does for one.

        Parameters
        ----------
        x : (n,) or (systems, width) array_like
            A vector for each system.
        out : (n,) or (systems, width) ndarray, optional
            Where to write the products. After an error it has the results of the other systems.

        Returns
        -------
        (n,) ndarray
            The products, see :meth:`split`; ``out`` if it is given.

        Raises
        ------
        Error
            The error of the first system whose W is not known, with its place as ``entry``. All are tried.
        """
        starts = self.starts
        products = self._out(out, starts)
        self._core.multiply(self._cores, self._given("x", x, starts, products), products, starts)
        return products

    def adjoint(self, R: ArrayLike, by_R: ArrayLike = 0.0, U: ArrayLike = 0.0, out: Floats | None = None) -> BatchGradient:
        """Compute for each system the derivatives of a function of its forces and velocities by B and by laws.

        Parameters
        ----------
        R : (n,) or (systems, width) array_like
            The solutions of all systems.
        by_R, U : float, (n,) or (systems, width) array_like
            The derivatives of the functions by forces and by velocities.
        out : (n,) or (systems, width) ndarray, optional
            Where to write the derivatives by B. After an error it has the results of the other systems.

        Returns
        -------
        BatchGradient
            The derivatives; its B is ``out`` if that is given.

        Raises
        ------
        Error
            The error of the first system that has no derivatives, with its place as ``entry``. All are tried.

        See Also
        --------
        System.derivatives : Derivatives of one system by all data.
        """
        starts = self.starts
        B = self._out(out, starts)
        forces, of_R, of_U = (self._given(name, values, starts, B) for name, values in (("R", R), ("by_R", by_R), ("U", U)))
        laws, (is_singular, outside, is_solution) = self._core.adjoint(self._cores, forces, of_R, of_U, B, starts)
        flags = [np.array(values, dtype=np.bool_) for values in (is_singular, is_solution)]
        by_laws = of_laws(laws.reshape(-1, 23))
        return BatchGradient(B, **by_laws, is_singular=flags[0], outside=np.array(outside), is_solution=flags[1])

    def _given(self, name: str, values: ArrayLike, starts: Indices, out: Floats | None = None) -> Floats:
        """A given vector of all systems, copied if its rows are not contiguous or share memory with ``out``."""
        given = numbers(name, values)
        if given.shape in ((), (1,)):
            return np.full(int(starts[-1]), given)
        if not self._is_in_rows(given, starts):
            if given.size != starts[-1]:
                raise Error(f"{name}: {self._mismatch(given, starts)}")
            given = np.ascontiguousarray(given).reshape(-1)
        is_free = out is None or not np.may_share_memory(given, out)
        return given if is_free and given.flags.aligned and _has_contiguous_rows(given) else given.copy()

    def _out(self, out: Floats | None, starts: Indices) -> Floats:
        """Where results are written: ``out``, or a new vector."""
        if out is None:
            return np.zeros(starts[-1])
        if not isinstance(out, np.ndarray) or out.dtype != np.float64 or not (out.flags.writeable and out.flags.aligned):
            raise Error("out: an array of float64 is needed that can be written")
        if not self._is_in_rows(out, starts) and out.shape != (starts[-1],):
            raise Error(f"out: {self._mismatch(out, starts)}")
        if not _has_contiguous_rows(out) or len(out) > 1 and out.ndim > 1 and abs(out.strides[0]) < 8 * out.shape[1]:
            raise Error("out: the values of a system are not contiguous, or rows overlap")
        return out

    def _is_in_rows(self, values: Floats, starts: Indices) -> bool:
        most = int(np.diff(starts).max(initial=0))
        return values.ndim == 2 and len(values) == len(self) and values.shape[1] >= most

    def _mismatch(self, values: Floats, starts: Indices) -> str:
        most = int(np.diff(starts).max(initial=0))
        return f"shape {values.shape} where ({starts[-1]},), or ({len(self)}, {most}) or wider, is needed"

    def _begin(self, forces: Floats, guess: Floats | None, starts: Indices) -> None:
        """Write initial guesses, or zeros."""
        guess = np.zeros(starts[-1]) if guess is None else guess
        for own, values in zip(self._cut(forces, starts), self._cut(guess, starts)):
            own[:] = values

    def _cut(self, values: Floats, starts: Indices) -> list[Floats]:
        """The vector of each system."""
        if values.ndim == 1:
            return np.split(values, starts[1:-1])
        return [row[:count] for row, count in zip(values, np.diff(starts))]

    def __repr__(self) -> str:
        return f"<ldy.Batch: {len(self)} systems>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Batch cannot be copied or pickled: make another one")


def _has_contiguous_rows(values: Floats) -> bool:
    return values.shape[-1] < 2 or values.strides[-1] == values.itemsize
