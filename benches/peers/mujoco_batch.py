"""Humanoids in MuJoCo, on their feet and on the ground: mj_fwdConstraint of all of them, on request.

Usage: mujoco_batch.py COUNT MODEL FILE. Writes the states of COUNT humanoids of the model to the file, as numbers of 8 bytes: for each
humanoid the numbers of its dofs, constraints and rows, M^-1, the free velocity, and J by rows; for each constraint the number of its rows,
friction along both tangents, -1 for one without, and three biases. The normal is the last row. Then see turns.py: a call is
mj_fwdConstraint of all humanoids, from the acceleration without forces (cold) or from the one of the step before (warm).
"""

import functools
import sys
import time

import turns
from modules import module

numpy = module("numpy")
mujoco = module("mujoco")

# The part of a penetration that is removed in a step.
STABILIZATION = 0.2
ELLIPTIC = int(mujoco.mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC)
SINGLE = [int(mujoco.mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS), int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)]
CONES = {"elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC, "pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL}


def models(path):
    """The model without dry friction, by each kind of cone."""
    found = {}
    for name, cone in CONES.items():
        spec = mujoco.MjSpec.from_file(path)
        spec.memory, spec.option.cone, spec.option.solver = 2**21, cone, mujoco.mjtSolver.mjSOL_NEWTON
        found[name] = spec.compile()
        found[name].dof_frictionloss[:] = 0
    return found


def state(model, random):
    """A humanoid some time after it was pushed, with the acceleration of the step before."""
    data = mujoco.MjData(model)
    data.qvel[:] = random.normal(size=model.nv) * 0.5
    for _ in range(random.integers(150, 1000)):
        mujoco.mj_step(model, data)
    return data.qpos.copy(), data.qvel.copy(), data.qacc_warmstart.copy()


def at(model, state):
    """Data in which all but forces is computed for a state."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qacc_warmstart[:] = state
    mujoco.mj_forward(model, data)
    return data


def constraints(data, h):
    """Rows in the jacobian, friction and biases of each constraint, of data with elliptic cones."""
    row = 0
    while row < data.nefc:
        kind, gap = data.efc_type[row], data.efc_pos[row]
        bias = (gap if gap > 0 else STABILIZATION * gap) / h
        if kind == ELLIPTIC:
            contact = data.contact[data.efc_id[row]]
            assert contact.dim == 3
            yield [row + 1, row + 2, row], contact.friction[:2], [0, 0, bias]
            row += 3
        else:
            assert kind in SINGLE
            yield [row], [-1, -1], [bias, 0, 0]
            row += 1


def numbers(model, data):
    h, nv = model.opt.timestep, model.nv
    inverse = numpy.zeros((nv, nv))
    mujoco.mj_solveM(model, data, inverse, numpy.eye(nv))
    found = list(constraints(data, h))
    order = [row for rows, _, _ in found for row in rows]
    yield [nv, len(found), data.nefc]
    yield ((inverse + inverse.T) / 2).ravel()
    yield data.qvel + h * data.qacc_smooth
    yield data.efc_J.reshape(data.nefc, nv)[order].ravel()
    yield from ([len(rows), *friction, *biases] for rows, friction, biases in found)


def forces(model, datas, starts):
    """The time of mj_fwdConstraint of all of them, in milliseconds, each with its start."""
    total = 0
    for data, start in zip(datas, starts):
        data.qacc_warmstart[:] = start
        begin = time.thread_time_ns()
        mujoco.mj_fwdConstraint(model, data)
        total += time.thread_time_ns() - begin
    return total / 1e6


def empty(model, count):
    """The same with calls that do nothing: what Python and the clock take."""
    total = 0
    for _ in range(count):
        begin = time.thread_time_ns()
        mujoco.mj_isSparse(model)
        total += time.thread_time_ns() - begin
    return total / 1e6


def main():
    count, path, file = int(sys.argv[1]), *sys.argv[2:]
    random, by_cone = numpy.random.default_rng(1), models(path)
    states = [state(by_cone["elliptic"], random) for _ in range(count)]
    calls = {}
    for cone, model in by_cone.items():
        datas = [at(model, state) for state in states]
        starts = {"cold": [data.qacc_smooth.copy() for data in datas], "warm": [acceleration for *_, acceleration in states]}
        for start, of in starts.items():
            calls[f"{cone}-{start}"] = functools.partial(forces, model, datas, of)
        if cone == "elliptic":
            assert not mujoco.mj_isSparse(model)
            numpy.concatenate([part for data in datas for part in numbers(model, data)]).astype("<f8").tofile(file)
            about = {"contacts": sum(data.ncon for data in datas), "rows": sum(data.nefc for data in datas)}
    python = turns.median(functools.partial(empty, model, count))
    turns.serve({"version": mujoco.__version__, "step": model.opt.timestep, **about, "python_ms": f"{python:.6f}"}, calls)


if __name__ == "__main__":
    main()
