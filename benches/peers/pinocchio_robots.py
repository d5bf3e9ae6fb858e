"""Robots of Pinocchio with points held by the ground: panda-8, humanoid-64.

Usage: pinocchio_robots.py SCENE FILE. Writes the matrices of the scene to the file, see matrices.py; then see turns.py.
"""

import importlib.metadata
import sys

import matrices
import turns
from modules import missing, module

numpy = module("numpy")
pinocchio = module("pinocchio")

# The regularization of its factors: fewer dofs than rows make W singular.
REGULARISATION = 1e-10


def panda():
    """The arm of Franka Emika, with two fingers: 9 dofs."""
    try:
        files = importlib.metadata.files("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        missing("example-robot-data")
    (urdf,) = (file for file in files if file.name == "panda.urdf")
    return pinocchio.buildModelFromUrdf(str(urdf.locate()))


def humanoid():
    """Pinocchio's own sample: 34 dofs."""
    return pinocchio.buildSampleModelHumanoid()


def held(model, count, random):
    """That many points of links, each held where it is."""
    constraints = pinocchio.StdVec_RigidConstraintModel()
    for _ in range(count):
        joint = int(random.integers(1, model.njoints))
        place = pinocchio.SE3(numpy.eye(3), random.uniform(-0.2, 0.2, 3))
        ground = 0, pinocchio.SE3.Identity()
        kind, axes = pinocchio.ContactType.CONTACT_3D, pinocchio.ReferenceFrame.LOCAL
        constraints.append(pinocchio.RigidConstraintModel(kind, model, joint, place, *ground, axes))
    datas = pinocchio.StdVec_RigidConstraintData()
    for constraint in constraints:
        datas.append(constraint.createData())
    return constraints, datas


def main():
    scene, path = sys.argv[1:]
    kind, count = scene.rsplit("-", 1)
    model = {"panda": panda, "humanoid": humanoid}[kind]()
    random = numpy.random.default_rng(1)
    constraints, datas = held(model, int(count), random)
    data = model.createData()
    q = pinocchio.integrate(model, pinocchio.neutral(model), random.uniform(-0.5, 0.5, model.nv))

    def places_and_mass():
        pinocchio.computeJointJacobians(model, data, q)
        pinocchio.crba(model, data, q, pinocchio.Convention.WORLD)

    places_and_mass()
    for constraint, own in zip(constraints, datas):
        constraint.calc(model, data, own)
    cholesky = pinocchio.ConstraintCholeskyDecomposition(model, data, constraints, datas)
    cholesky.compute(model, data, constraints, datas, REGULARISATION)
    delassus = cholesky.getDelassusOperatorCholeskyExpression()
    jacobian = pinocchio.getConstraintsJacobian(model, data, constraints, datas)
    mass = matrices.symmetric(data.M)
    ground = (-1, None)
    matrices.write(path, [mass], [((0, jacobian[k : k + 3]), ground) for k in range(0, len(jacobian), 3)])
    # This one goes from q to W at once.
    other_data = model.createData()

    def factors():
        cholesky.compute(model, data, constraints, datas, REGULARISATION)
        return delassus.matrix()

    def recursion():
        return pinocchio.computeDelassusMatrix(model, other_data, q, constraints, datas, 0.0)

    def inputs():
        places_and_mass()
        pinocchio.getConstraintsJacobian(model, data, constraints, datas)

    turns.serve(
        {"version": pinocchio.__version__, "inputs_ms": f"{turns.median(turns.timed(inputs)):.4f}"},
        {"ConstraintCholeskyDecomposition": turns.timed(factors), "computeDelassusMatrix": turns.timed(recursion)},
        {"ConstraintCholeskyDecomposition": factors, "computeDelassusMatrix": recursion},
    )


if __name__ == "__main__":
    main()
