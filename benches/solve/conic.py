"""Clarabel on problems with bodies: a peer, see peers.py. There are no variants.

The problem follows Acary, Cadoux, Lemaréchal and Malick (2011). Unknowns are the velocities v of the bodies:

  minimize ½ (v − vf)ᵀ M (v − vf) such that μ |U_T| ≤ U_N + s, U = H v + bias, for each contact (U + s n is in the dual cone).

Multipliers are impulses: M (v − vf) = Hᵀ h r. With s given it is a second-order cone program. De Saxcé's term s = μ |U_T| is found by a
fixed-point iteration outside. A row with bounds has U = p − n with p, n ≥ 0 and the cost − lower p + upper n, both times h; p is left out if
the lower bound is infinite, n if the upper one is. The time of all iterations counts, in Clarabel alone.
"""
import clarabel
import numpy as np
import scipy.sparse as sparse

from peers import serve
from problems import CONTACT, load
from timing import clocks, elapsed, least_time

ITERATIONS = 60
# Clarabel has other measures: its tolerance is multiplied by these factors in turn, until the problem's are met. The second number is the
# patience with each.
TIGHTER = ((1.0, 4), (1e-2, 4), (1e-4, 4), (1e-6, ITERATIONS))


class Program:
    """Minimize ½ xᵀ P x + cᵀ x such that b − A x is in a product of cones; x is v − vf, and p and n of rows with bounds. Units of mass and
    velocity are a mean effective mass and a mean of q, since tolerances are partly absolute."""

    def __init__(self, problem, tolerance):
        self.problem = problem
        self.settings = clarabel.DefaultSettings()
        self.settings.verbose = False
        # The other one of its direct solvers, faer, takes as long.
        self.settings.direct_solve_method = 'qdldl'
        self.settings.presolve_enable = False
        self.settings.max_threads = 1
        for name in ('tol_gap_abs', 'tol_gap_rel', 'tol_feas', 'tol_ktratio'):
            setattr(self.settings, name, tolerance)
        self.speed = np.linalg.norm(problem.q) / np.sqrt(len(problem.q))
        self.mass = problem.h / np.mean(problem.scale)
        contacts = problem.components.ravel()
        others = np.setdiff1d(np.arange(len(problem.q)), contacts)
        # The cone of Clarabel has friction 1: tangential velocities are multiplied by friction.
        self.rows = np.concatenate([others, contacts])
        self.weights = np.ones(len(self.rows))
        self.weights[len(others):] = np.column_stack([np.ones_like(problem.friction), problem.friction, problem.friction]).ravel()
        self._assemble(others)

    def _assemble(self, others):
        problem, weights = self.problem, sparse.diags(self.weights)
        positive, negative = (np.flatnonzero(np.isfinite(bound[others])) for bound in (problem.lower, problem.upper))
        slacks = len(positive) + len(negative)
        columns = np.arange(slacks)
        signs = np.concatenate([-np.ones(len(positive)), np.ones(len(negative))])
        of_slacks = sparse.csc_matrix((signs, (np.concatenate([positive, negative]), columns)), shape=(len(self.rows), slacks))
        velocities = -(weights @ problem.H[self.rows])
        # U − p + n = 0, then p, n ≥ 0, then contacts.
        top = len(others)
        self.A = sparse.bmat([
            [velocities[:top], -of_slacks[:top]],
            [None, -sparse.identity(slacks)] if slacks else [sparse.csc_matrix((0, velocities.shape[1])), sparse.csc_matrix((0, 0))],
            [velocities[top:], None],
        ], format='csc')
        # Clarabel takes the upper triangle.
        self.P = sparse.triu(sparse.block_diag([*problem.masses, sparse.csc_matrix((slacks, slacks))]) / self.mass, format='csc')
        costs = np.concatenate([-problem.lower[others][positive], problem.upper[others][negative]])
        self.costs = np.concatenate([np.zeros(len(problem.vf)), problem.h * costs / (self.mass * self.speed)])
        self.free = self.weights * problem.q[self.rows]
        self.slacks, self.top = slacks, top
        contacts = [clarabel.SecondOrderConeT(3)] * len(problem.friction)
        self.cones = [clarabel.ZeroConeT(top), clarabel.NonnegativeConeT(slacks), *contacts]

    def solve(self, s):
        """Forces and velocities U for given terms s, and the seconds."""
        free = self.free.copy()
        free[self.top::3] += s
        b = np.concatenate([free[:self.top], np.zeros(self.slacks), free[self.top:]]) / self.speed
        begin = clocks()
        solver = clarabel.DefaultSolver(self.P, self.costs, self.A, b, self.cones, self.settings)
        solution = solver.solve()
        seconds = elapsed(begin)
        z = np.array(solution.z)
        multipliers = np.concatenate([z[:self.top], z[self.top + self.slacks:]])
        r = np.empty(len(self.rows))
        r[self.rows] = self.weights * multipliers * (self.mass * self.speed / self.problem.h)
        v = self.problem.vf + self.speed * np.array(solution.x)[:len(self.problem.vf)]
        return r, self.problem.H @ v + self.problem.bias, seconds


def fixed_point(program, tolerance, patience):
    """Forces, their residual and the seconds. The iteration ends when forces meet the tolerance, or when the last `patience` iterations
    have not halved the residual."""
    problem, total, history = program.problem, 0.0, []
    s = np.zeros(len(problem.friction))
    while len(history) < ITERATIONS:
        r, U, seconds = program.solve(s)
        total += seconds
        history.append(problem.residual(r))
        if history[-1] <= tolerance or history[-1] > 0.5 * min(history[:-patience], default=np.inf):
            break
        s = problem.friction * np.linalg.norm(U[problem.components[:, 1:]], axis=1)
    return r, history[-1], total


def run(tolerance, _, out, path):
    problem = load(path)
    for factor, patience in TIGHTER:
        program = Program(problem, tolerance * factor)
        r, residual, seconds = fixed_point(program, tolerance, patience)
        if residual <= tolerance:
            seconds = least_time(lambda: fixed_point(program, tolerance, patience)[2])
            break
    np.save(out, r)
    return seconds


if __name__ == '__main__':
    serve(run)
