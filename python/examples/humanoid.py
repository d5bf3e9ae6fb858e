"""A humanoid of Pinocchio (PyPI: pin) on its feet: W of points of its soles, and Pinocchio's Delassus matrix.

A mechanism in minimal coordinates is one body with a mass matrix M and an operator H for each constraint: here M^-1 is dense.
"""

import sys

import ldy
import numpy as np

try:
    import pinocchio
except ImportError:
    sys.exit("skipped: Pinocchio is not there (pip install pin)")

SOLE = [(x, y, -0.05) for x in (-0.05, 0.1) for y in (-0.04, 0.04)]
FEET = ["lleg_wrist2_joint", "rleg_wrist2_joint"]


def contacts(model):
    """Points of the soles that stand on the ground, with axes of the feet."""
    constraints = pinocchio.StdVec_RigidConstraintModel()
    for foot in FEET:
        for point in SOLE:
            place = pinocchio.SE3(np.eye(3), np.array(point))
            ground = 0, pinocchio.SE3.Identity()
            kind, axes = pinocchio.ContactType.CONTACT_3D, pinocchio.ReferenceFrame.LOCAL
            constraints.append(pinocchio.RigidConstraintModel(kind, model, model.getJointId(foot), place, *ground, axes))
    datas = pinocchio.StdVec_RigidConstraintData()
    for constraint in constraints:
        datas.append(constraint.createData())
    return constraints, datas


def main():
    model = pinocchio.buildSampleModelHumanoid()
    data = model.createData()
    q = pinocchio.integrate(model, pinocchio.neutral(model), np.random.default_rng(1).uniform(-0.3, 0.3, model.nv))
    constraints, datas = contacts(model)
    theirs = np.array(pinocchio.computeDelassusMatrix(model, data, q, constraints, datas, 0.0))

    pinocchio.computeJointJacobians(model, data, q)
    mass = pinocchio.crba(model, data, q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    H = pinocchio.getConstraintsJacobian(model, data, constraints, datas)

    system = ldy.System()
    robot = system.add_dense(np.linalg.inv(mass))
    for k in range(0, len(H), 3):
        system.add_operators(robot, H[k : k + 3])
    system.set_velocity(robot, np.random.default_rng(2).normal(size=model.nv))
    system.update(1.0)
    W = system.rows.dense()
    R, report = system.solve(0.7)

    print(f"{model.nv} freedoms, {len(constraints)} contacts, rank of W {system.rows.rank()} of {len(W)}")
    print(f"largest difference from Pinocchio's: {np.abs(W - theirs).max() / np.abs(theirs).max():.1e} of its largest entry")
    print(f"impulses that stop it: {report.end}, the largest {np.linalg.norm(R, axis=1).max():.2f}")


if __name__ == "__main__":
    main()
