"""Solvers of Siconos on local problems: in a plane, in space, and with rolling friction."""
import os
import tempfile

from timing import LIMIT, apart, clocks, elapsed

import numpy as np
import siconos.numerics as siconos

# Siconos's own measure is looser than the natural map where forces are large: its tolerance is lowered until the map is met.
TIGHTER = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6)
# Scalar rows; a dense matrix of more is not tried.
MOST_DENSE = 5000


def full_error(options):
    options.iparam[siconos.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = \
        siconos.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL


def projection(options):
    siconos.solver_options_update_internal(options, 0, siconos.SICONOS_ROLLING_FRICTION_3D_ONECONTACT_ProjectionOnCone)


def balance(options):
    options.iparam[siconos.SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] = siconos.SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING


def local_projection(options):
    siconos.solver_options_update_internal(
        options, 0, siconos.SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration)
    inner = siconos.solver_options_get_internal_solver(options, 0)
    inner.dparam[siconos.SICONOS_DPARAM_TOL] = 1e-12
    inner.iparam[siconos.SICONOS_IPARAM_MAX_ITER] = 10


def solver(name, *changes, most=10 ** 8, dense=False):
    """Number, changes to its default options, most iterations, and whether W is dense."""
    return getattr(siconos, 'SICONOS_' + name), changes, most, dense


# By the rows of a contact: a plane, space, and rolling contacts, of which sparse blocks end the process of some.
SOLVERS = {
    2: {
        'NSGS': solver('FRICTION_2D_NSGS'),
        'NSGS-DENSE': solver('FRICTION_2D_NSGS', dense=True),
        'CPG': solver('FRICTION_2D_CPG', most=10 ** 6, dense=True),
        'LEMKE': solver('FRICTION_2D_LEMKE', most=10 ** 6, dense=True),
        'ENUM': solver('FRICTION_2D_ENUM', most=10 ** 6, dense=True),
    },
    3: {
        'NSGS': solver('FRICTION_3D_NSGS'),
        'NSGS-FULL': solver('FRICTION_3D_NSGS', full_error),
        'NSGS-PLI': solver('FRICTION_3D_NSGS', local_projection),
        'NSGS-PLI-FULL': solver('FRICTION_3D_NSGS', local_projection, full_error),
        'NSN_AC': solver('FRICTION_3D_NSN_AC', most=2000),
        'ADMM': solver('FRICTION_3D_ADMM'),
        'VI_EG': solver('FRICTION_3D_VI_EG'),
        'PROX': solver('FRICTION_3D_PROX'),
    },
    5: {
        'NSGS': solver('ROLLING_FRICTION_3D_NSGS', dense=True),
        'NSGS-FULL': solver('ROLLING_FRICTION_3D_NSGS', full_error, dense=True),
        'NSGS-PROJ': solver('ROLLING_FRICTION_3D_NSGS', projection, dense=True),
        'NSGS-PROJ-FULL': solver('ROLLING_FRICTION_3D_NSGS', projection, full_error, dense=True),
        'ADMM': solver('ROLLING_FRICTION_3D_ADMM'),
        'ADMM-RB': solver('ROLLING_FRICTION_3D_ADMM', balance),
        'ADMM-DENSE': solver('ROLLING_FRICTION_3D_ADMM', dense=True),
    },
}
READ = {2: siconos.frictionContact_new_from_filename, 3: siconos.frictionContact_new_from_filename,
        5: siconos.rollingFrictionContact_new_from_filename}
DRIVE = {
    2: lambda problem, r, u, options: siconos.fc2d_driver(problem, r, u, options),
    3: lambda problem, r, u, options: siconos.fc3d_driver(problem, r, u, options),
    5: lambda problem, r, u, options: siconos.rolling_fc3d_driver(problem, r, u, options),
}


def numbers(values):
    return ' '.join('%.17e' % value for value in values)


def native(problem, dense):
    """The problem through Siconos's text format."""
    with tempfile.NamedTemporaryFile('w', suffix='.dat') as file:
        file.write('%d\n%d\n' % (problem.height, len(problem.friction)))
        write_matrix(file, problem.W, dense)
        coefficients = [problem.friction] if problem.rolling is None else [problem.friction, problem.rolling]
        for values in (problem.q, *coefficients):
            file.write(numbers(values) + '\n')
        file.flush()
        return READ[problem.height](file.name)


def write_matrix(file, W, dense):
    scalars, height = W.shape[0], W.blocksize[0]
    file.write('%d\n%d\n%d\n' % (not dense, scalars, scalars))
    if dense:
        file.write('%d\t%d\n%s\n' % (scalars, scalars, numbers(W.toarray().ravel(order='F'))))
        return
    count, ends = scalars // height, ' '.join(str(end) for end in range(height, scalars + 1, height))
    file.write('%d\n%d\n%d\n%s\n%s\n%d\n%d\n' % (len(W.data), count, count, ends, ends, count + 1, len(W.data)))
    file.write('%s\n%s\n' % (' '.join(map(str, W.indptr)), ' '.join(map(str, W.indices))))
    for index, block in enumerate(W.data):
        file.write('%d\n%s\n' % (index, '\n'.join('%.17e' % value for value in block.T.ravel())))


def silence():
    """Print nothing more: Siconos prints while it works."""
    nowhere = os.open('/dev/null', os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def attempt(problem, height, solver, tolerance, r):
    silence()
    number, changes, most, _ = solver
    r[:] = 0
    options = siconos.SolverOptions(number)
    options.dparam[siconos.SICONOS_DPARAM_TOL] = tolerance
    options.iparam[siconos.SICONOS_IPARAM_MAX_ITER] = most
    for change in changes:
        change(options)
    begin = clocks()
    DRIVE[height](problem, r, np.zeros(len(r)), options)
    return elapsed(begin)


def times(problem, tolerance, measure, names=None, best_only=False):
    """The time of each solver that meets the tolerance by `measure(r)`. With `best_only` all runs of a solver have the limit together, and
    are cut when another solver was quicker."""
    height, found, own = problem.height, {}, {}
    for name in names or SOLVERS[height]:
        chosen = SOLVERS[height][name]
        dense = chosen[-1]
        if dense and len(problem.q) > MOST_DENSE:
            continue
        if dense not in own:
            own[dense] = native(problem, dense)
        most = min([LIMIT, *found.values()]) if best_only else LIMIT
        for tighter in TIGHTER:
            r, seconds = apart(len(problem.q), lambda r: attempt(own[dense], height, chosen, tolerance * tighter, r), most)
            if r is None:
                break
            if measure(r) <= tolerance:
                found[name] = seconds
                break
            if best_only:
                most -= seconds
    return found
