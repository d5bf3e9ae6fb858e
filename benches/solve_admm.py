"""Pinocchio's ADMM on problems of contacts with friction, for solve.py, which checks what comes out.

Reads lines `TOLERANCE dense|sparse SECONDS FORCES.npy PROBLEM.npz`, and answers each with a line: the seconds of the quickest of several
runs from zero forces, or `cut` where one takes more CPU time than SECONDS. The forces are written normal first. W is symmetric to
this solver: it is given the symmetric part. Its own tests of convergence are absolute: the tolerance is multiplied by the largest of |q|.
"""
import os
import resource
import sys
import time

for variable in ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS'):
    os.environ[variable] = '1'

import numpy as np
import pinocchio as pin
import scipy.sparse as sparse

REPETITIONS = 15
ENOUGH = 0.3
ITERATIONS = 10 ** 6
# Steps to estimate the spectrum. By default there is one for each row of W, which takes longer than the rest.
LANCZOS = 20


def read(path):
    """The symmetric part of W, q and friction; components in Pinocchio's order, the normal last."""
    with np.load(path, allow_pickle=False) as file:
        shape = tuple(int(size) for size in file['shape'])
        W = sparse.bsr_matrix((file['data'], file['indices'], file['indptr']), shape=shape).tocsc()
        q, friction = np.array(file['q'], float), np.array(file['mu'], float)
    order = np.arange(len(q)).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    W = (0.5 * (W + W.T))[order][:, order]
    return sparse.csc_matrix(W), q[order], friction, order


def contacts(friction):
    """Models of contacts, of which the solver needs the cones alone."""
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), 'body')
    models, data = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for coefficient in friction:
        contact = pin.PointContactConstraintModel(model, 1)
        contact.setFriction(float(coefficient))
        contact = pin.ConstraintModel(contact)
        models.append(contact)
        data.append(contact.createData())
    return model, models, data


def run(tolerance, storage, out, path):
    W, q, friction, order = read(path)
    # The models refer to it.
    model, models, data = contacts(friction)
    settings = pin.ADMMSolverSettings()
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = float(tolerance) * np.abs(q).max()
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
    settings.max_iterations, settings.lanczos_size = ITERATIONS, LANCZOS
    solver, result = pin.ADMMConstraintSolver(), pin.ADMMSolverResult()
    least, begun = np.inf, time.perf_counter()
    for _ in range(REPETITIONS):
        # The solver changes its damping.
        delassus = pin.DelassusOperatorDense(W.toarray()) if storage == 'dense' else pin.DelassusOperatorSparse(W)
        result.reset()
        solver.reset()
        wall, cpu = time.perf_counter(), time.process_time()
        solver.solve(delassus, q, models, data, settings, result)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        least = min(least, wall if wall < 0.02 else cpu)
        if time.perf_counter() - begun > ENOUGH:
            break
    forces = np.empty(len(q))
    forces[order] = np.array(result.retrieveConstraintImpulses()).ravel()
    np.save(out, forces)
    print(least, flush=True)


def main():
    for line in sys.stdin:
        tolerance, storage, seconds, out, path = line.rstrip('\n').split(' ', 4)
        # Some never end: each in a process of its own.
        child = os.fork()
        if child == 0:
            limit = int(time.process_time() + float(seconds)) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            run(tolerance, storage, out, path)
            sys.stdout.flush()
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(status):
            print('cut', flush=True)
        elif os.WEXITSTATUS(status) != 0:
            sys.exit('%s: failed' % path)


if __name__ == '__main__':
    main()
