"""Problems with bodies: the contact solver in the space of contacts and of bodies, beside Clarabel in the space of bodies, and Siconos.

A line a problem and tolerance: `bench-solve NAME constraints=N tolerance=T rows_ms=X ldy_ms=X warm_ms=X warm=GUESS clarabel_ms=X siconos_ms=X
siconos=SOLVER sweeps_ms=X natural=X scaled=X`; - stands for not solved. rows_ms: ldy_contact_solver_solve_rows, W alone. ldy_ms: ldy_contact_solver_solve; its forces
have the residuals in the line. Both begin with zero forces. warm_ms: ldy_contact_solver_solve from a guess, r0 of the file, or the forces at ten times
the tolerance. siconos_ms: the quickest of a few solvers, for contacts alone. sweeps_ms: a thousand plain sweeps of Gauss–Seidel. A solver that
misses a tolerance is not tried with tighter ones.
"""
import numpy as np

import siconos_peer
from peers import Peer
from timing import apart

TOLERANCES = (1e-4, 1e-6, 1e-8)
SWEEPS = 1000
# The sweeps that are made to measure one.
FEW_AND_MORE = 8, 40
SICONOS = ('PROX', 'VI_EG', 'NSGS')

# Name, problem, tolerance, guess, the time below, limit.
TARGETS = (
    ('wall-9660', 'wall9660', 1e-8, 'cold', 'clarabel', 0.25),
    ('wall-9660-warm', 'wall9660', 1e-8, 'warm', 'clarabel', 0.1),
    ('wall-49612', 'wall49612', 1e-8, 'cold', 'clarabel', 0.3),
    ('lowwall-47500', 'lowwall47500', 1e-8, 'cold', 'clarabel', 0.3),
    ('spheres-46483', 'spheres46483', 1e-4, 'cold', 'sweeps', 1.0 / 5.5),
    ('spheres-9677', 'spheres9677', 1e-6, 'warm', 'sweeps', 1.0),
    ('spheres-9677-1e-8', 'spheres9677', 1e-8, 'cold', 'sweeps', 3.0),
    ('boxes-796', 'boxes796', 1e-8, 'cold', 'sweeps', 0.05 / 0.08),
    ('boxes-6997', 'boxes6997', 1e-8, 'cold', 'sweeps', 1.0 / 0.9),
)
MASONRY = ('dome', 'vault', 'arch')


class Column:
    """Times of one solver, which is not tried again after it has missed a tolerance."""

    def __init__(self, solve):
        self.solve, self.has_missed = solve, False

    def time(self, tolerance):
        seconds = np.inf if self.has_missed else self.solve(tolerance)
        self.has_missed = not np.isfinite(seconds)
        return seconds


class Own:
    """The library's forces and times; infinite if the forces miss the tolerance."""

    def __init__(self, problem, library):
        self.problem, self.prepared = problem, library.prepare(problem)
        self.known = {}

    def run(self, tolerance, of_system=True, guess=None):
        r, seconds = apart(len(self.problem.q), self.prepared.attempt(tolerance, of_system, guess))
        is_solved = self.problem.residual(r) <= tolerance * (1 + 1e-6)
        return r, seconds if is_solved else np.inf

    def cold(self, tolerance):
        """A run from zeros, which is cut if one with a looser tolerance was cut."""
        if tolerance not in self.known:
            is_cut = any(r is None for looser, (r, _) in self.known.items() if looser > tolerance)
            self.known[tolerance] = (None, np.inf) if is_cut else self.run(tolerance)
        return self.known[tolerance]

    def warm(self, tolerance):
        guess = self.problem.guess
        if guess is None:
            guess = self.cold(10 * tolerance)[0]
        return np.inf if guess is None else self.run(tolerance, guess=guess)[1]

    def sweeps(self):
        """The time of a thousand sweeps: what more sweeps take than few, since all runs begin with the same work."""
        few, more = (apart(len(self.problem.q), self.prepared.sweeps(count))[1] for count in FEW_AND_MORE)
        return SWEEPS * (more - few) / (FEW_AND_MORE[1] - FEW_AND_MORE[0])


def milliseconds(seconds):
    return '%.3f' % (1e3 * seconds) if np.isfinite(seconds) else '-'


def compare(problems, library, python):
    clarabel, targets = Peer(python, 'conic.py'), []
    for problem in problems:
        times = compare_one(problem, Own(problem, library), clarabel)
        targets += lines(problem.name, times)
    print('\n'.join(targets))


def compare_one(problem, own, clarabel):
    """The times by tolerance and column."""
    local, sweeps, times = problem.local(), own.sweeps(), {}
    found = {}

    def siconos(tolerance):
        found.clear()
        found.update(siconos_peer.times(local, tolerance, lambda r: local.residuals(r)[0], SICONOS, best_only=True) if local else {})
        return min(found.values(), default=np.inf)

    columns = {
        'rows': Column(lambda tolerance: own.run(tolerance, of_system=False)[1]),
        'clarabel': Column(lambda tolerance: clarabel.time(problem, tolerance, problem.residual, ('-',))),
        'siconos': Column(siconos),
    }
    for tolerance in TOLERANCES:
        r, cold = own.cold(tolerance)
        row = {'cold': cold, 'warm': own.warm(tolerance), 'sweeps': sweeps}
        row.update({name: column.time(tolerance) for name, column in columns.items()})
        print('bench-solve %s constraints=%d tolerance=%g rows_ms=%s ldy_ms=%s warm_ms=%s warm=%s clarabel_ms=%s siconos_ms=%s siconos=%s '
              'sweeps_ms=%s natural=%.1e scaled=%.1e' % (
                  problem.name, problem.count, tolerance, *(milliseconds(row[name]) for name in ('rows', 'cold', 'warm')),
                  'looser' if problem.guess is None else 'r0', *(milliseconds(row[name]) for name in ('clarabel', 'siconos')),
                  min(found, key=found.get, default='-'), milliseconds(sweeps), *problem.residuals(r)), flush=True)
        times[tolerance] = row
    return times


def lines(name, times):
    """Lines for the targets of a problem. There is no line if only the other solver has failed or is absent."""
    targets = [target for target in TARGETS if target[1] == name]
    if name.startswith(MASONRY):
        targets.append((name + '-over-clarabel', name, 1e-8, 'cold', 'clarabel', 0.5))
    for target, _, tolerance, start, below, limit in targets:
        own, other = times[tolerance][start], times[tolerance][below]
        if np.isinf(own):
            yield 'target %s inf %.3g' % (target, limit)
        elif np.isfinite(other):
            yield 'target %s %.3f %.3g' % (target, own / other, limit)
