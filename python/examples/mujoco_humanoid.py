"""
A humanoid of MuJoCo falls
==========================

A humanoid (PyPI: mujoco) falls, with hard contacts, joint limits and dry friction that ldy solves in each step.
"""

# sphinx_gallery_thumbnail_path = "figures/step.svg"
import pathlib
import sys

try:
    import mujoco
except ImportError:
    sys.exit("skipped: MuJoCo is not there (pip install mujoco)")
import ldy

model = mujoco.MjModel.from_xml_path(str(pathlib.Path(__file__).with_name("humanoid.xml")))
data, deepest, rows = mujoco.MjData(model), 0.0, 0
while data.time < 2:
    mujoco.mj_forward(model, data)
    system = ldy.mujoco.system(model, data)
    R, report = system.solve(tolerance=1e-6, max_sweeps=1000)
    system.apply_reactions(R)
    data.qvel[:] = ldy.mujoco.velocity(system)
    mujoco.mj_integratePos(model, data.qpos, data.qvel, model.opt.timestep)
    data.time += model.opt.timestep
    deepest, rows = min([deepest, *data.contact.dist]), max(rows, system.scalar_count)
print(f"{model.nv} dofs, at most {rows} scalar rows, {report.status} at the end")
print(f"height of the torso {data.qpos[2]:.3f} m, deepest penetration {-1000 * deepest:.2f} mm")
