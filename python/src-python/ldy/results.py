"""Updates of a system, and what follows from their results."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from . import joints as _joints
from . import laws as _laws
from .arrays import Floats, flat, ids, numbers
from .errors import Error
from .factor import Factor
from .gradients import Derivatives, StepGradient, step_gradient
from .rows import Rows
from .solutions import SolutionSet
from .solver import Progress, Report, choices, report_of, start
from .stability import CriticalStep


class SpectralRadius(NamedTuple):
    """An estimate of the largest eigenvalue of W.

    Attributes
    ----------
    value : float
        The estimate.
    residual : float
        W has an eigenvalue within this distance of it.
    """

    value: float
    residual: float


class Results:
    """The functions of a system for updates, products, forces and factors."""

    _core: _core.System

    def update(self, h: float) -> None:
        """Assemble W = h H A^-1 H^T + compliance, B and V. Other threads of Python continue during the call.

        With h = 1 W is J M^-1 J^T of robotics, and R is an impulse. Only what has changed since the last update is computed again.

        Parameters
        ----------
        h : float
            The time step, positive.

        Raises
        ------
        Error
            If h is not positive, or a value is not finite.
        SingularMatrixError
            If the matrix A of a body is singular.

        See Also
        --------
        delassus : J M^-1 J^T as an array.
        """
        self._core.update(h)

    def results(self) -> Rows:
        """Return a copy of the results of the last update, in arrays whose number does not depend on the number of rows.

        Returns
        -------
        Rows
            The rows of W with B and V. Later changes of the system do not affect them.

        Raises
        ------
        Error
            If there was no successful update since the last change.

        Examples
        --------
        >>> import numpy as np
        >>> import ldy
        >>> system = ldy.System()
        >>> ball = system.add_rigid(2.0, 0.1)
        >>> contact = system.add_point_constraints(ball, ldy.GROUND, np.eye(3))
        >>> system.update(1.0)
        >>> rows = system.results()
        >>> rows.to_dense()
        array([[0.5, 0. , 0. ],
               [0. , 0.5, 0. ],
               [0. , 0. , 0.5]])
        >>> rows.B
        array([0., 0., 0.])
        """
        return Rows(self._core.results())

    def delassus(self, h: float = 1.0) -> Floats:
        """Update the system with the step h and return W as an array. With h = 1 this is J M^-1 J^T, the Delassus matrix of robotics.

        Parameters
        ----------
        h : float, optional
            The time step. ``system.update(h); system.results().to_csr()`` is the same as a sparse matrix.

        Returns
        -------
        (n, n) ndarray
            The matrix h J M^-1 J^T, plus compliances and regularization.

        Raises
        ------
        Error
            As for :meth:`update`.

        Examples
        --------
        >>> import numpy as np
        >>> import ldy
        >>> M, J = np.diag([2.0, 4.0]), np.array([[1.0, 1.0]])
        >>> system = ldy.System()
        >>> robot = system.add_body(ldy.Inertia.dense(np.linalg.inv(M)))
        >>> constraint = system.add_constraint_rows(robot, J)
        >>> system.delassus()
        array([[0.75]])
        >>> J @ np.linalg.inv(M) @ J.T
        array([[0.75]])
        """
        self.update(h)
        return self.results().to_dense()

    def multiply(self, x: ArrayLike, *, through_bodies: bool = False) -> Floats:
        """Return W x.

        Parameters
        ----------
        x : (n,) or (n, k) array_like
            A vector, or vectors in columns.
        through_bodies : bool, optional
            Whether to multiply body by body instead of with blocks.

        Returns
        -------
        (n,) or (n, k) ndarray
            The product, in the shape of x.

        Raises
        ------
        Error
            If x has another shape, or there was no successful update since the last change.
        """
        x = numbers("x", x)
        if x.ndim not in (1, 2):
            raise Error(f"x: shape {x.shape} where (n,) or (n, k) is needed")
        if x.ndim == 1:
            return self._core.multiply(1, np.ascontiguousarray(x), through_bodies)
        columns = np.ascontiguousarray(x.T)
        if not len(columns) and x.shape[0] == self._core.scalar_count():
            return x.copy()
        return self._core.multiply(len(columns), columns.ravel(), through_bodies).reshape(columns.shape).T

    def operator(self, *, through_bodies: bool = False) -> Any:
        """Return W as a ``scipy.sparse.linalg.LinearOperator``.

        Parameters
        ----------
        through_bodies : bool, optional
            Whether to multiply body by body instead of with blocks.

        Returns
        -------
        LinearOperator
            It applies the W of the latest update, and is valid while the number of scalar rows is the same.
        """
        from scipy.sparse.linalg import LinearOperator

        size = self._core.scalar_count()

        def apply(x: Floats) -> Floats:
            return self.multiply(x, through_bodies=through_bodies)

        return LinearOperator((size, size), matvec=apply, rmatvec=apply, matmat=apply, rmatmat=apply, dtype=np.float64)

    def solve(
        self,
        laws: _laws.Laws | _laws.Law | ArrayLike | None = None,
        R: ArrayLike | None = None,
        *,
        tolerance: float = 1e-8,
        measure: str = "both",
        method: str = "automatic",
        max_sweeps: int = 100_000,
        time_limit: float | None = None,
        max_work: int | None = None,
        canonical: bool = False,
        progress: Progress | None = None,
    ) -> tuple[Floats, Report]:
        """Find forces that obey the laws of the rows, with U = B + W R. Other threads of Python continue during the call.

        Parameters
        ----------
        laws : Laws, Law or array_like, optional
            A law for each row, a law for all, or coefficients of friction, one for all contacts or one for each row. Without laws, those
            that are kept with the constraints; see :meth:`set_laws`.
        R : (n,) array_like, optional
            The initial guess, for instance the forces of the last step; zeros by default.
        tolerance : float, optional
            The solution converges when the residual is at most this.
        measure : {"both", "natural", "scaled"}
            The residual; "both" is the larger one.
        method : {"automatic", "gauss_seidel", "newton"}
            The solver.
        max_sweeps : int, optional
            The largest number of Gauss-Seidel sweeps.
        time_limit : float, optional
            Seconds; none by default.
        max_work : int, optional
            A limit in the units of ``report.work``, which depend on no clock; none by default.
        canonical : bool, optional
            Whether to return canonical forces: among all solutions with the velocities of the one that was found, those with the least
            sum of d R**2, where d is the mean of the diagonal of W of a constraint. They do not depend on the initial guess or on the
            order of constraints. The solution is found to 1e-12 for this, or as far as limits and rounding allow; if its residual is
            above the tolerance, its forces remain. W must be symmetric.
        progress : callable, optional
            Called as ``progress(residual, sweeps, steps)`` each time that the residual is computed. If it returns False, the solution
            ends, and the best forces so far are returned. If it raises, the method raises the same exception, and the forces are lost.

        Returns
        -------
        R : (n,) ndarray
            The forces, a value for each scalar row; ``results().split(R)`` cuts them into rows. They obey the bounds of their laws in any
            case: no contact exceeds its cohesion or its friction.
        report : Report
            How the solution ended. A solution that did not converge is no error: see ``report.status``.

        Raises
        ------
        Error
            If laws or options are not valid, or there was no successful update since the last change.

        Examples
        --------
        >>> import numpy as np
        >>> import ldy
        >>> system = ldy.System()
        >>> ball = system.add_rigid(2.0, 0.1)
        >>> contact = system.add_point_constraints(ball, ldy.GROUND, np.eye(3))
        >>> system.set_velocity(ball, [0, 0, 0, 0, 0, -1])
        >>> system.update(1.0)
        >>> R, report = system.solve(ldy.laws.contact(friction=0.5))
        >>> R.round(6) + 0, report.converged
        (array([0., 0., 2.]), True)
        """
        counts = self._core.row_counts()
        forces = start(R, int(counts.sum()))
        options = choices(tolerance, measure, method, max_sweeps, time_limit, max_work, canonical, progress)
        own = None if laws is None else _laws.raw(laws, counts)
        report = self._core.solve(own, options, progress, forces)
        return forces, report_of(report)

    def solution_set(
        self,
        R: ArrayLike,
        laws: _laws.Laws | _laws.Law | ArrayLike | None = None,
        *,
        tolerance: float = 0.0,
    ) -> SolutionSet:
        """Find all solutions with the velocities of a known one: which forces are unique, and how far others can change.

        Parameters
        ----------
        R : (n,) array_like
            The known solution. Solve with a tolerance that is a hundred times smaller than the one here.
        laws : Laws, Law or array_like, optional
            As in :meth:`solve`.
        tolerance : float, optional
            The largest scaled residual of R in each group of rows that blocks of W connect. Velocities below it, measured in the same way,
            count as zero. 0 means 1e-6.

        Returns
        -------
        SolutionSet
            The solutions.

        Raises
        ------
        Error
            If R is no solution, W is not symmetric, laws are not valid, or there was no successful update since the last change.

        Examples
        --------
        A table of the mass 4 on four legs, its center in the middle of them:

        >>> import numpy as np
        >>> import ldy
        >>> system = ldy.System()
        >>> table = system.add_rigid(4.0, [1.0, 1.0, 1.0], center=[0, 0, 1])
        >>> places = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
        >>> legs = system.add_point_constraints(table, ldy.GROUND, np.eye(3), places)
        >>> system.set_laws(legs, ldy.laws.contact(friction=0.0))
        >>> system.set_velocity(table, [0, 0, 0, 0, 0, -1])
        >>> system.update(1.0)
        >>> R, report = system.solve(canonical=True)
        >>> solutions = system.solution_set(R)
        >>> least, greatest = solutions.intervals(legs[0])
        >>> print(R[:3].round(6) + 0, solutions.determined()[:3], least.round(6) + 0, greatest.round(6) + 0)
        [0. 0. 1.] [ True  True False] [0. 0. 0.] [0. 0. 2.]
        """
        counts = self._core.row_counts()
        own = None if laws is None else _laws.raw(laws, counts)
        return SolutionSet(_core.SolutionSet.of_system(self._core, own, flat("R", R), tolerance), self._core.constraints())

    def derivatives(
        self,
        R: ArrayLike,
        laws: _laws.Laws | _laws.Law | ArrayLike | None = None,
        *,
        tolerance: float = 0.0,
    ) -> Derivatives:
        """Prepare the derivatives of a known solution by B, W and the numbers of the laws.

        Parameters
        ----------
        R : (n,) array_like
            The known solution. Solve with a tolerance that is a hundred times smaller than the one here.
        laws : Laws, Law or array_like, optional
            As in :meth:`solve`.
        tolerance : float, optional
            Velocities and forces below it count as zero, measured as the scaled residual in each group of rows that blocks of W connect.
            0 means 1e-6. Forces with a larger residual are accepted: ``is_solution`` is false then.

        Returns
        -------
        Derivatives
            The derivatives.

        Raises
        ------
        Error
            If laws or values are not valid, or there was no successful update since the last change.

        See Also
        --------
        derivatives : The same for any W.
        """
        own = None if laws is None else _laws.raw(laws, self._core.row_counts())
        return Derivatives(_core.Derivatives.of_system(self._core, own, flat("R", R), tolerance), self._core.constraints())

    def gradient(
        self,
        R: ArrayLike,
        laws: _laws.Laws | _laws.Law | ArrayLike | None = None,
        *,
        by_R: ArrayLike = 0.0,
        U: ArrayLike = 0.0,
        velocities: ArrayLike | None = None,
        tolerance: float = 0.0,
    ) -> StepGradient:
        """Return the derivatives of a function of a step by all data of the system.

        The function depends on the forces R and velocities U of the constraints, and on the velocities of the bodies after the step, as
        :meth:`apply_reactions` computes them. The data are those of the last update: call this before :meth:`apply_reactions`.

        Parameters
        ----------
        R : (n,) array_like
            The solution.
        laws : Laws, Law or array_like, optional
            As in :meth:`solve`.
        by_R, U : float or (n,) array_like
            The derivatives of the function by forces and by velocities of the constraints.
        velocities : array_like, optional
            The derivatives by the velocities of all bodies, one after the other, in the order of :meth:`bodies`; zero by default.
        tolerance : float, optional
            As in :meth:`derivatives`.

        Returns
        -------
        StepGradient
            The derivatives.

        Raises
        ------
        Error
            If laws, shapes or values are not valid, or there was no successful update since the last change.

        See Also
        --------
        derivatives : Derivatives of the solution alone, forward and adjoint.
        """
        return step_gradient(self._core, self.derivatives(R, laws, tolerance=tolerance), R, by_R, U, velocities)

    def factorize(self, mu: ArrayLike = 0.0, *, out: Factor | None = None) -> Factor:
        """Return the sparse Cholesky factor of W + diag(mu) for the W of the last update.

        Parameters
        ----------
        mu : float, (rows,) or (n,) array_like
            One number for all, one for each row, or one for each scalar row.
        out : Factor, optional
            A factor whose memory is used again. It is replaced and returned.

        Returns
        -------
        Factor
            The factor.

        Raises
        ------
        SingularMatrixError
            If W + diag(mu) is not positive definite to working precision.
        Error
            If the number of values is wrong, or there was no successful update since the last change.

        Examples
        --------
        >>> import numpy as np
        >>> import ldy
        >>> system = ldy.System()
        >>> body = system.add_body(ldy.Inertia.diagonal([2.0, 1.0]))
        >>> constraint = system.add_dof_constraint(body, 0)
        >>> system.update(1.0)
        >>> system.factorize(mu=2.0).solve([8.0])
        array([2.])
        """
        factor = Factor() if out is None else out
        factor._core.compute(self._core, flat("mu", np.atleast_1d(mu)))
        return factor

    def redundant(self, tolerance: float = 0.0) -> NDArray[np.bool_]:
        """Find the scalar rows of W that depend on earlier ones.

        Parameters
        ----------
        tolerance : float, optional
            The squared sine of the angle to the span of others below which a row depends on them; 0 means 1e-10.

        Returns
        -------
        (n,) ndarray of bool
            Whether each scalar row is redundant.

        Raises
        ------
        Error
            If there was no successful update since the last change.
        """
        return self._core.redundant(tolerance)

    def constraint_force(self, bodies: ArrayLike, R: ArrayLike) -> Floats:
        """Return the generalized forces H^T R of all constraints on bodies.

        Parameters
        ----------
        bodies : int or (count,) array_like of int
            The bodies, with the same number of generalized velocities.
        R : (n,) array_like
            Reactions, a value for each scalar row.

        Returns
        -------
        (n,) or (count, n) ndarray
            The forces, a value for each generalized velocity of a body.

        Raises
        ------
        Error
            If there is no such body, or the number of values is wrong.
        """
        of = ids(bodies)
        force = self._core.constraint_force(of, flat("R", R))
        return force if np.ndim(bodies) == 0 else force.reshape(len(of), -1)

    def apply_reactions(self, R: ArrayLike) -> None:
        """Add h A^-1 H^T R to the free velocity of every body: velocities at the end of the step.

        Parameters
        ----------
        R : (n,) array_like
            Reactions, a value for each scalar row.

        Raises
        ------
        Error
            If the number of values is wrong, a value is not finite, or there was no successful update since the last change.
        """
        self._core.apply_reactions(flat("R", R))

    def block_eigenvalues(self) -> Floats:
        """Return the largest eigenvalue of the diagonal block of each row.

        Returns
        -------
        (rows,) ndarray
            The eigenvalues; NaN where none is found.

        Raises
        ------
        Error
            If there was no successful update since the last change.
        """
        return self._core.block_eigenvalues()

    def spectral_radius(self, tolerance: float = 1e-3, max_products: int = 1000) -> SpectralRadius:
        """Estimate the largest eigenvalue of W by products with vectors.

        Parameters
        ----------
        tolerance : float, optional
            The relative residual of the estimate.
        max_products : int, optional
            The largest number of products.

        Returns
        -------
        SpectralRadius
            The estimate and its residual.

        Raises
        ------
        Error
            If the estimate does not converge, or there was no successful update since the last change.
        """
        return SpectralRadius(*self._core.spectral_radius(tolerance, max_products))

    def geometric_stiffness(self, joints: _joints.Joints | _joints.Joint, R: ArrayLike, x: ArrayLike) -> Floats:
        """Return K x with the geometric stiffness K of the forces R: if bodies move by x, generalized forces change by -K x.

        Parameters
        ----------
        joints : Joints or Joint
            A joint for each row, or one for all.
        R : (n,) array_like
            Reactions, a value for each scalar row.
        x : (dofs,) or (dofs, k) array_like
            Motions in the generalized velocities of all bodies in order, or several in columns.

        Returns
        -------
        (dofs,) or (dofs, k) ndarray
            The product, in the shape of x.

        Raises
        ------
        Error
            If a joint is not valid for its constraint, or a shape is wrong.
        """
        x = numbers("x", x)
        y = self._core.geometric_stiffness(_joints.raw(joints, self._core.constraint_count()), flat("R", R), np.ascontiguousarray(x.T).ravel())
        return y.reshape(x.T.shape).T

    def critical_step(self, joints: _joints.Joints | _joints.Joint, R: ArrayLike, *, sharp: bool = False) -> CriticalStep:
        """Return the critical step of explicit schemes under the forces R.

        Parameters
        ----------
        joints : Joints or Joint
            A joint for each row, or one for all.
        R : (n,) array_like
            Reactions, a value for each scalar row.
        sharp : bool, optional
            Whether to count only the motions that constraints leave free, for the step that is observed. By default all directions count,
            which is safe.

        Returns
        -------
        CriticalStep
            The step, and the constraint that contributes most.

        Raises
        ------
        Error
            If a joint is not valid for its constraint, or a number of values is wrong.
        """
        (omega_squared, step, share), constraint = self._core.critical_step(_joints.raw(joints, self._core.constraint_count()), flat("R", R), sharp)
        return CriticalStep(omega_squared, step, constraint, share)
