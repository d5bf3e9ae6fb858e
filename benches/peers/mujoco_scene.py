"""A scene of `make bench-peers` in MuJoCo, measured on demand.

Usage: mujoco_scene.py SCENE [sparse|dense], SCENE as spheres-8 or hub-16.

Prints a line of key=value pairs about the scene, and measures mj_projectConstraint on request, see turns.py. That call
assembles A = J M^-1 J^T, which the library calls W / h.
"""

import sys
import time

import turns
from modules import module

mujoco = module("mujoco")
numpy = module("numpy")

RADIUS = 0.1
MARGIN = 0.001  # touching spheres are as far apart as rounding makes them

# Bits: 1 spheres among themselves and on the floor, 2 spheres on the carrier. The carrier would touch the floor at its
# four corners: a foot without mass gives it one contact, below its centre.
MODEL = """
<mujoco>
  <size memory="{memory}"/>
  <option cone="elliptic" jacobian="{jacobian}" solver="PGS" iterations="1"/>
  <default>
    <geom density="1000" condim="3" margin="{margin}"/>
    <default class="sphere"><geom type="sphere" size="{radius}" contype="3" conaffinity="3"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="100 100 1" contype="1" conaffinity="0"/>
    {bodies}
  </worldbody>
</mujoco>
"""

CARRIER = """
<body pos="{middle} {middle} {radius}">
  <freejoint/>
  <geom type="box" size="{half} {half} {radius}" contype="2" conaffinity="2"/>
  <geom type="sphere" size="{foot}" pos="0 0 {offset}" mass="0" contype="4" conaffinity="1"/>
</body>
"""


def sphere(i, j, z):
    return f'<body pos="{2 * RADIUS * i!r} {2 * RADIUS * j!r} {z!r}"><freejoint/><geom class="sphere"/></body>'


def lattice(size):
    cells = range(size)
    return [sphere(i, j, RADIUS + 2 * RADIUS * k) for k in cells for j in cells for i in cells]


def hub(size):
    foot = RADIUS / 2
    carrier = CARRIER.format(
        middle=RADIUS * (size - 1), half=RADIUS * size, radius=RADIUS, foot=foot, offset=foot - RADIUS
    )
    cells = range(size)
    return [carrier] + [sphere(i, j, 3 * RADIUS) for j in cells for i in cells]


def load(scene, jacobian):
    kind, size = scene.split("-")
    bodies = {"spheres": lattice, "hub": hub}[kind](int(size))
    text = MODEL.format(
        memory="3G", jacobian=jacobian, margin=MARGIN, radius=RADIUS, bodies="\n".join(bodies)
    )
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def response(data, jacobian):
    """Sum of the diagonal of A, and the number of its 3 x 3 blocks off the diagonal."""
    rows = data.nefc
    values = data.efc_AR.ravel()
    if jacobian == "dense":
        a = values[: rows * rows].reshape(rows, rows)
        trace, entries = numpy.trace(a), numpy.count_nonzero(a)
    else:
        starts, lengths, columns = data.efc_AR_rowadr, data.efc_AR_rownnz, data.efc_AR_colind
        entries = int(lengths.sum())
        diagonal = columns[:entries] == numpy.repeat(numpy.arange(rows), lengths)
        assert (starts == numpy.concatenate([[0], numpy.cumsum(lengths)[:-1]])).all()
        trace = values[:entries][diagonal].sum()
    return float(trace - data.efc_R.sum()), entries // 9 - data.ncon


def project(model, data):
    """One call, in milliseconds. It takes memory of the arena, which the next search for contacts gives back."""
    mujoco.mj_collision(model, data)
    mujoco.mj_makeConstraint(model, data)
    start = time.perf_counter_ns()
    mujoco.mj_projectConstraint(model, data)
    return (time.perf_counter_ns() - start) / 1e6


def main():
    scene = sys.argv[1]
    jacobian = sys.argv[2] if len(sys.argv) > 2 else "sparse"
    model, data = load(scene, jacobian)
    mujoco.mj_forward(model, data)
    project(model, data)
    trace, blocks = response(data, jacobian)
    turns.serve(
        {
            "contacts": data.ncon,
            "rows": data.nefc,
            "blocks": blocks,
            "trace": repr(trace),
            "jacobian": jacobian,
            "version": mujoco.__version__,
        },
        {"mj_projectConstraint": lambda: project(model, data)},
    )


if __name__ == "__main__":
    main()
