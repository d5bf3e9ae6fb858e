"""Pinocchio's ADMM on a problem of contacts with friction, for solve.py, which checks what comes out.

  solve_admm.py PROBLEM.npz TOLERANCE dense|sparse FORCES.npy

Prints the seconds of the quickest of several runs from zero forces; the forces are written normal first. W is symmetric to this solver: it
is given the symmetric part. Its own tests of convergence are absolute: the tolerance is multiplied by the largest of |q|.
"""
import os
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
# Of the spectrum's estimate: by default as many as W has rows, which takes longer than the rest.
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


def main():
    path, tolerance, storage, out = sys.argv[1:]
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
    print(least)


if __name__ == '__main__':
    main()
