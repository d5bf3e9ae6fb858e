"""MuJoCo (PyPI: mujoco) finds bodies and contacts, ldy makes W of them: it is MuJoCo's A, and its solver finds hard forces."""

import sys

import ldy
import numpy as np

try:
    import mujoco
except ImportError:
    sys.exit("skipped: MuJoCo is not there (pip install mujoco)")

SCENE = """
<mujoco>
  <option cone="elliptic" solver="PGS" jacobian="dense" timestep="0.002"/>
  <default><geom condim="3" friction="0.6"/></default>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.2 0.1"/></body>
    <body pos="0.05 0 0.3"><freejoint/><geom type="box" size="0.15 0.15 0.1"/></body>
    <body pos="1 0 0.3"><freejoint/><geom type="capsule" size="0.05 0.2"/>
      <body pos="0 0 -0.2"><joint type="ball"/><geom type="capsule" fromto="0 0 0 0.3 0 -0.03" size="0.05"/></body>
    </body>
  </worldbody>
</mujoco>
"""


def main():
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    for _ in range(500):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    # A = J M^-1 J^T, with MuJoCo's softness on the diagonal taken off. Three rows a contact, the normal first: here it is third.
    order = (np.arange(0, data.nefc, 3)[:, None] + [1, 2, 0]).ravel()
    A = data.efc_AR.reshape(data.nefc, data.nefc) - np.diag(data.efc_R)
    J = data.efc_J.reshape(data.nefc, model.nv)[order]
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)

    # A body for each tree of joints: its mass matrix is a block of M.
    system = ldy.System()
    trees = [slice(first, first + count) for first, count in zip(model.tree_dofadr, model.tree_dofnum)]
    bodies = [system.add_dense(np.linalg.inv(mass[own, own])) for own in trees]
    for body, own in zip(bodies, trees):
        # What the velocity would be without contacts.
        system.set_velocity(body, data.qvel[own] + model.opt.timestep * data.qacc_smooth[own])
    for k in range(0, len(J), 3):
        H = J[k : k + 3]
        sides = [(body, H[:, own]) for body, own in zip(bodies, trees) if H[:, own].any()]
        system.add_operators(*sides[0], *(sides[1] if len(sides) > 1 else ()))
    system.update(model.opt.timestep)

    W = system.rows.dense() / model.opt.timestep
    print(f"{len(bodies)} bodies, {data.ncon} contacts, {len(system.rows.blocks)} blocks")
    print(f"largest difference from MuJoCo's: {np.abs(W - A[np.ix_(order, order)]).max() / np.abs(A).max():.1e} of its largest entry")
    R, report = system.solve(0.6, data.efc_force[order])
    weight, on_ground = -model.opt.gravity[2] * model.body_mass.sum(), data.contact.geom1 == 0
    print(f"hard contacts: {report.end}; the ground bears {R[on_ground, 2].sum() / weight:.2f} of the weight")


if __name__ == "__main__":
    main()
