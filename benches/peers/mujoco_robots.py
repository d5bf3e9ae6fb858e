"""Robots on the floor in MuJoCo: mujoco-humanoids-22, mujoco-chains-20, mujoco-friction-loss-1.

Usage: mujoco_robots.py SCENE FILE. Writes the matrices of the scene to the file, see matrices.py; then see turns.py. The
timed function is mj_projectConstraint, with the storage that MuJoCo chooses by itself.
"""

import importlib.util
import pathlib
import sys

import matrices
import turns
from modules import missing, module

numpy = module("numpy")
mujoco = module("mujoco")

from mujoco_scene import project

# Steps in which robots come to rest, unless they are on the floor from the beginning.
SETTLING = {"mujoco-humanoids": 500, "mujoco-friction-loss": 500, "mujoco-chains": 0}
LINKS = 16
# Half a link, and its radius.
HALF, RADIUS = 0.1, 0.05


def humanoids(count):
    """Gymnasium's model, 23 dofs each, without limits of joints: they would be single rows."""
    package = importlib.util.find_spec("gymnasium")
    if package is None:
        missing("gymnasium")
    humanoid = str(pathlib.Path(package.origin).parent / "envs" / "mujoco" / "assets" / "humanoid.xml")
    spec = mujoco.MjSpec.from_file(humanoid)
    for k in range(1, count):
        frame = spec.worldbody.add_frame(pos=[3.0 * (k % 5), 3.0 * (k // 5), 0])
        frame.attach_body(mujoco.MjSpec.from_file(humanoid).body("torso"), f"{k}-", "")
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    return spec


def with_friction_loss(count):
    """The same, each joint with friction: one row."""
    spec = humanoids(count)
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_HINGE:
            joint.frictionloss = 0.1
    return spec


def chains(count):
    """Straight chains of capsules with ball joints, 51 dofs each, flat on the floor."""
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[100, 100, 1], contype=0, conaffinity=1)
    for k in range(count):
        body = spec.worldbody.add_body(pos=[0, 3 * RADIUS * k, RADIUS])
        body.add_freejoint()
        for link in range(LINKS):
            if link > 0:
                body = body.add_body(pos=[2 * HALF, 0, 0])
                body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL, pos=[-HALF, 0, 0])
            body.add_geom(
                type=mujoco.mjtGeom.mjGEOM_CAPSULE,
                fromto=[RADIUS - HALF, 0, 0, HALF - RADIUS, 0, 0],
                size=[RADIUS, 0, 0],
                contype=1,
                conaffinity=0,
            )
    return spec


def load(scene):
    kind, count = scene.rsplit("-", 1)
    kinds = {"mujoco-humanoids": humanoids, "mujoco-friction-loss": with_friction_loss, "mujoco-chains": chains}
    spec = kinds[kind](int(count))
    spec.memory = 2**30
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    # Its own choice is the quickest of the solvers; this one makes it assemble A.
    spec.option.solver = mujoco.mjtSolver.mjSOL_PGS
    spec.option.iterations = 10
    for geom in spec.geoms:
        geom.condim, geom.margin = 3, 0.001
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(SETTLING[kind]):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    assert data.nefc == data.nf + 3 * data.ncon, "not all rows are those of friction"
    return model, data


def jacobian(model, data):
    if not mujoco.mj_isSparse(model):
        return data.efc_J.reshape(data.nefc, model.nv).copy()
    rows = numpy.repeat(numpy.arange(data.nefc), data.efc_J_rownnz)
    dense = numpy.zeros((data.nefc, model.nv))
    dense[rows, data.efc_J_colind[: len(rows)]] = data.efc_J[: len(rows)]
    return dense


def response(model, data):
    """A without the regularisation on its diagonal."""
    if mujoco.mj_isSparse(model):
        rows = numpy.repeat(numpy.arange(data.nefc), data.efc_AR_rownnz)
        columns, values = data.efc_AR_colind[: len(rows)].copy(), data.efc_AR[: len(rows)].copy()
        diagonal = rows == columns
        values[diagonal] -= data.efc_R[rows[diagonal]]
        return rows, columns, values
    return data.efc_AR.reshape(data.nefc, data.nefc) - numpy.diag(data.efc_R)


def trees(model, data, path):
    """Write a body for each tree of joints; constraints act on one of them, or on two."""
    mass = numpy.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    first, length = model.tree_dofadr, model.tree_dofnum
    own = [slice(start, start + count) for start, count in zip(first, length)]
    dense = jacobian(model, data)
    constraints = []
    heights = [1] * data.nf + [3] * data.ncon
    for row, height in zip(numpy.cumsum([0] + heights), heights):
        h = dense[row : row + height]
        sides = [(tree, h[:, dofs]) for tree, dofs in enumerate(own) if h[:, dofs].any()]
        constraints.append((sides + [(-1, None)])[:2])
    matrices.write(path, [mass[dofs, dofs] for dofs in own], constraints)


def main():
    scene, path = sys.argv[1:]
    model, data = load(scene)
    project(model, data)
    trees(model, data, path)
    factor = turns.median(turns.timed(mujoco.mj_factorM, model, data))
    # The cost of a call from Python alone, made without a lambda, as `project` makes its own: a lambda adds a third to it.
    call = turns.median(turns.timed(mujoco.mj_isSparse, model))
    turns.serve(
        {
            "version": mujoco.__version__,
            "jacobian": "sparse" if mujoco.mj_isSparse(model) else "dense",
            "factor_ms": f"{factor:.6f}",
            "python_ms": f"{call:.6f}",
        },
        {"mj_projectConstraint": lambda: project(model, data)},
        {"mj_projectConstraint": lambda: response(model, data)},
    )


if __name__ == "__main__":
    main()
