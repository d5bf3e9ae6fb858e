"""Solvers of Siconos on local problems."""
import os
import tempfile

from timing import LIMIT, apart, clocks, elapsed

import numpy as np
import siconos.numerics as siconos

# Siconos's own measure is looser than the natural map where forces are large: its tolerance is lowered until the map is met.
TIGHTER = (1.0, 1e-2, 1e-4, 1e-6)


def full_error(options):
    options.iparam[siconos.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = \
        siconos.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL


def local_projection(options):
    siconos.solver_options_update_internal(
        options, 0, siconos.SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration)
    inner = siconos.solver_options_get_internal_solver(options, 0)
    inner.dparam[siconos.SICONOS_DPARAM_TOL] = 1e-12
    inner.iparam[siconos.SICONOS_IPARAM_MAX_ITER] = 10


# Number, changes to its default options, most iterations.
SOLVERS = {
    'NSGS': (siconos.SICONOS_FRICTION_3D_NSGS, [], 10 ** 8),
    'NSGS-FULL': (siconos.SICONOS_FRICTION_3D_NSGS, [full_error], 10 ** 8),
    'NSGS-PLI': (siconos.SICONOS_FRICTION_3D_NSGS, [local_projection], 10 ** 8),
    'NSGS-PLI-FULL': (siconos.SICONOS_FRICTION_3D_NSGS, [local_projection, full_error], 10 ** 8),
    'NSN_AC': (siconos.SICONOS_FRICTION_3D_NSN_AC, [], 2000),
    'ADMM': (siconos.SICONOS_FRICTION_3D_ADMM, [], 10 ** 8),
    'VI_EG': (siconos.SICONOS_FRICTION_3D_VI_EG, [], 10 ** 8),
    'PROX': (siconos.SICONOS_FRICTION_3D_PROX, [], 10 ** 8),
}


def native(problem):
    """The problem through Siconos's text format, with sparse blocks."""
    count, blocks = len(problem.friction), problem.W.data
    numbers = lambda values: ' '.join('%.17e' % value for value in values)
    ends = ' '.join(str(3 * (row + 1)) for row in range(count))
    with tempfile.NamedTemporaryFile('w', suffix='.dat') as file:
        file.write('3\n%d\n1\n%d\n%d\n%d\n' % (count, 3 * count, 3 * count, len(blocks)))
        file.write('%d\n%d\n%s\n%s\n%d\n%d\n' % (count, count, ends, ends, count + 1, len(blocks)))
        file.write('%s\n%s\n' % (' '.join(map(str, problem.W.indptr)), ' '.join(map(str, problem.W.indices))))
        for index, block in enumerate(blocks):
            file.write('%d\n%s\n' % (index, '\n'.join('%.17e' % value for value in block.T.ravel())))
        file.write('%s\n%s\n' % (numbers(problem.q), numbers(problem.friction)))
        file.flush()
        return siconos.frictionContact_new_from_filename(file.name)


def silence():
    """Print nothing more: Siconos prints while it works."""
    nowhere = os.open('/dev/null', os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def attempt(problem, solver, tolerance, r):
    silence()
    number, changes, most = SOLVERS[solver]
    r[:] = 0
    options = siconos.SolverOptions(number)
    options.dparam[siconos.SICONOS_DPARAM_TOL] = tolerance
    options.iparam[siconos.SICONOS_IPARAM_MAX_ITER] = most
    for change in changes:
        change(options)
    begin = clocks()
    siconos.fc3d_driver(problem, r, np.zeros(len(r)), options)
    return elapsed(begin)


def times(problem, tolerance, measure, solvers=SOLVERS, best_only=False):
    """The time of each solver that meets the tolerance by `measure(r)`. With `best_only` all runs of a solver have the limit together, and
    are cut when another solver was quicker."""
    own, found = native(problem), {}
    for solver in solvers:
        most = min([LIMIT, *found.values()]) if best_only else LIMIT
        for tighter in TIGHTER:
            r, seconds = apart(len(problem.q), lambda r: attempt(own, solver, tolerance * tighter, r), most)
            if r is None:
                break
            if measure(r) <= tolerance:
                found[solver] = seconds
                break
            if best_only:
                most -= seconds
    return found
