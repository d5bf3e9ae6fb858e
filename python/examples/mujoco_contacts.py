"""
Contacts of MuJoCo
==================

MuJoCo (PyPI: mujoco) finds bodies and contacts. ldy makes W of them, which is MuJoCo's A, and finds hard forces.
"""

# sphinx_gallery_thumbnail_path = "figures/frames.svg"
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
    # Soft contacts overlap a little: hard ones are not to push it out here.
    system = ldy.mujoco.system(model, data, stabilization=0.0)
    rows = system.results()

    # MuJoCo's A = J M^-1 J^T has its softness on the diagonal, and the normal first; here it is third.
    order = (np.arange(0, data.nefc, 3)[:, None] + [1, 2, 0]).ravel()
    A = data.efc_AR.reshape(data.nefc, data.nefc) - np.diag(data.efc_R)
    difference = np.abs(rows.to_dense() / model.opt.timestep - A[np.ix_(order, order)]).max() / np.abs(A).max()
    print(f"{system.body_count} bodies, {data.ncon} contacts, {len(rows.blocks)} blocks")
    print(f"largest difference from MuJoCo's: {difference:.1e} of its largest entry")
    R, report = system.solve(R=data.efc_force[order])
    weight, on_ground = -model.opt.gravity[2] * model.body_mass.sum(), data.contact.geom1 == 0
    print(f"hard contacts: {report.status}; the ground bears {R[2::3][on_ground].sum() / weight:.2f} of the weight")


if __name__ == "__main__":
    main()
