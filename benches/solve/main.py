#!/usr/bin/python3
"""Solvers of frictional contact problems, side by side with Siconos, Pinocchio's ADMM and Clarabel.

  main.py LIBRARY.so PROBLEM.npz...

Prints a line for each problem and tolerance, then a line `target NAME VALUE LIMIT` for each target. Times are CPU times of one thread; each is
the least of several runs. A run of any solver is solved if the natural map over |q| and the same in scaled units, both computed here, are
within the tolerance. A run is cut after LIMIT seconds (default 20, environment LDY_BENCH_LIMIT). Peers with another Python (environment
LDY_PYTHON) are left out if that has not got them.

- Local problems (W, q, mu), from zero forces: `bench-solve NAME contacts=N tolerance=T ldy_ms=X best_ms=X best=SOLVER nsgs_ms=X pin_ms=X
  natural=X scaled=X`. Pinocchio takes W as symmetric, so its forces are checked with the symmetric part of W.
- Local problems in a plane, and with rolling friction: the same without nsgs_ms and pin_ms. `best` is the quickest solver of Siconos; if
  none is in time, the limit is in its place in the target's ratio.
- Problems with bodies: see bodies.py.
- Problems in global form are left out.
"""
import os
import statistics
import sys

from library import Library
from timing import LIMIT, apart

import bodies
import numpy as np
import siconos_peer
from peers import Peer
from problems import Local, load

TOLERANCES = (1e-4, 1e-8)
TIGHTER_ADMM = (1.0, 1e-1, 1e-2, 1e-3, 1e-5)
PYTHON = os.environ.get('LDY_PYTHON')


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    library, problems = Library(sys.argv[1]), [problem for problem in map(load, sys.argv[2:]) if problem]
    by_height = {height: [problem for problem in problems if isinstance(problem, Local) and problem.height == height] for height in (2, 3, 5)}
    of_bodies = [problem for problem in problems if not isinstance(problem, Local)]
    if by_height[3]:
        compare_local(by_height[3], library)
    for height, name, limit in ((2, 'planar', 0.5), (5, 'rolling', 0.3)):
        if by_height[height]:
            compare_with_best(by_height[height], library, name, limit)
    if of_bodies:
        bodies.compare(of_bodies, library, PYTHON)


def compare_local(problems, library):
    pinocchio = Peer(PYTHON, 'admm.py')
    unsolved, over_best, over_nsgs, over_pin = 0, {t: [] for t in TOLERANCES}, [], []
    for problem in problems:
        prepared, count = library.prepare(problem), len(problem.friction)
        for tolerance in TOLERANCES:
            times = siconos_peer.times(problem, tolerance, problem.residual)
            r, own = apart(len(problem.q), prepared.attempt(tolerance))
            residuals = problem.residuals(r)
            solved = max(residuals) <= tolerance * (1 + 1e-6)
            best = min(times, key=times.get, default=None)
            nsgs = times.get('NSGS', np.inf)
            pin = pinocchio.time(problem, tolerance, problem.symmetric().residual, ('dense', 'sparse'), TIGHTER_ADMM)
            print('bench-solve %s contacts=%d tolerance=%g ldy_ms=%.3f best_ms=%.3f best=%s nsgs_ms=%.3f pin_ms=%.3f natural=%.1e scaled=%.1e%s' % (
                problem.name, count, tolerance, 1e3 * own, 1e3 * times.get(best, np.inf), best, 1e3 * nsgs,
                1e3 * pin, *residuals, '' if solved else ' UNSOLVED'), flush=True)
            if tolerance == 1e-8 and times and not solved:
                unsolved += 1
            if count >= 20 and times:
                ratio = own / times[best] if solved else np.inf
                over_best[tolerance].append(ratio)
                if np.isfinite(nsgs):
                    over_nsgs.append(own / nsgs if solved else np.inf)
                if np.isfinite(pin):
                    over_pin.append(own / pin if solved else np.inf)
    print('target unsolved-1e-8 %d 0' % unsolved)
    if over_nsgs:
        medians = {tolerance: statistics.median(ratios) for tolerance, ratios in over_best.items() if ratios}
        for tolerance, median in medians.items():
            print('median-over-best at %g: %.3f' % (tolerance, median))
        print('target median-over-best %.3f 0.5' % max(medians.values()))
        print('target over-nsgs %.3f 0.2' % statistics.median(over_nsgs))
    if over_pin:
        print('median-over-pinocchio, of %d: %.3f' % (len(over_pin), statistics.median(over_pin)))
    print('targets of the pile: make bench-pile')


def compare_with_best(problems, library, name, limit):
    """Solved by the library, beside the quickest solver of Siconos."""
    unsolved, ratios = 0, {tolerance: [] for tolerance in TOLERANCES}
    for problem in problems:
        prepared = library.prepare(problem)
        for tolerance in TOLERANCES:
            times = siconos_peer.times(problem, tolerance, problem.residual, best_only=True)
            r, own = apart(len(problem.q), prepared.attempt(tolerance))
            residuals = problem.residuals(r)
            solved = max(residuals) <= tolerance * (1 + 1e-6)
            best = min(times, key=times.get, default='-')
            print('bench-solve %s contacts=%d tolerance=%g ldy_ms=%.3f best_ms=%.3f best=%s natural=%.1e scaled=%.1e%s' % (
                problem.name, len(problem.friction), tolerance, 1e3 * own, 1e3 * times.get(best, np.inf), best, *residuals,
                '' if solved else ' UNSOLVED'), flush=True)
            if times or solved:
                unsolved += tolerance == 1e-8 and not solved
                # Where no solver of Siconos is in time, the quickest one takes longer than the limit.
                ratios[tolerance].append(own / times.get(best, LIMIT) if solved else np.inf)
    print('target %s-unsolved-1e-8 %d 0' % (name, unsolved))
    medians = [statistics.median(values) for values in ratios.values() if values]
    if medians:
        print('target %s-over-best %.3f %g' % (name, max(medians), limit))


if __name__ == '__main__':
    main()
