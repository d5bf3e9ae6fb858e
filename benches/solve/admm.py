"""Pinocchio's ADMM on local problems of contacts with friction: a peer, see peers.py. Variants are `dense` and `sparse`, the storage of W.

The runs begin with zero forces. The forces are written normal first. The solver takes W as symmetric, so it gets the symmetric part. Its own
tests of convergence are absolute: the tolerance is multiplied by the largest of |q|.
"""
from peers import serve
from problems import load
from timing import clocks, elapsed, least_time

import numpy as np
import pinocchio as pin
import scipy.sparse as sparse

ITERATIONS = 10 ** 6
# Steps to estimate the spectrum. By default there is one for each row of W, which takes longer than the rest.
LANCZOS = 20


def read(path):
    """The symmetric part of W, q and friction; components in Pinocchio's order, the normal last."""
    problem = load(path).symmetric()
    order = problem.components[:, [1, 2, 0]].ravel()
    return sparse.csc_matrix(problem.W.tocsc()[order][:, order]), problem.q[order], problem.friction, order


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
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = tolerance * np.abs(q).max()
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
    settings.max_iterations, settings.lanczos_size = ITERATIONS, LANCZOS
    solver, result = pin.ADMMConstraintSolver(), pin.ADMMSolverResult()

    def attempt():
        # The solver changes its damping.
        delassus = pin.DelassusOperatorDense(W.toarray()) if storage == 'dense' else pin.DelassusOperatorSparse(W)
        result.reset()
        solver.reset()
        begin = clocks()
        solver.solve(delassus, q, models, data, settings, result)
        return elapsed(begin)

    least = least_time(attempt)
    forces = np.empty(len(q))
    forces[order] = np.array(result.retrieveConstraintImpulses()).ravel()
    np.save(out, forces)
    return least


if __name__ == '__main__':
    serve(run)
