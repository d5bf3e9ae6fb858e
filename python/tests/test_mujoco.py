"""Systems of MuJoCo's constraints against MuJoCo's own matrices, and against statics."""

import pathlib

import ldy
import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

HUMANOID = pathlib.Path(__file__).parent.parent / "examples" / "humanoid.xml"
# Boxes on a plane, a chain with limits, dry friction and a weld, and a tendon: all kinds of constraints.
SCENE = """
<mujoco>
  <option cone="{cone}" solver="PGS" jacobian="{jacobian}" timestep="0.002"/>
  <default><geom condim="3" friction="0.6"/></default>
  <worldbody>
    <geom name="ground" type="plane" size="5 5 1"/>
    <body pos="0 0 0.099"><freejoint/><geom name="box" type="box" size="0.2 0.2 0.1"/></body>
    <body pos="0.05 0 0.297"><freejoint/><geom type="box" size="0.15 0.15 0.1"/></body>
    <body pos="3 0 0.049"><freejoint/><geom type="sphere" size="0.05" condim="1" priority="1"/></body>
    <body pos="4 0 0.06"><freejoint/><geom type="sphere" size="0.05" margin="0.02"/></body>
    <body pos="1 0 1">
      <joint name="one" axis="0 1 0" range="5 90" limited="true" frictionloss="0.3"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/>
      <body pos="0.3 0 0"><joint name="two" axis="0 1 0" frictionloss="0.1"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/>
        <body name="end" pos="0.3 0 0"><joint type="ball"/><geom type="sphere" size="0.05"/></body>
      </body>
    </body>
    <body name="other" pos="1.7 0 1"><freejoint/><geom type="sphere" size="0.04"/></body>
  </worldbody>
  <contact><pair geom1="ground" geom2="box" friction="0.6 0.3 0.005 0.0001 0.0001"/></contact>
  <tendon><fixed frictionloss="0.2" limited="true" range="0.1 2"><joint joint="one" coef="1"/><joint joint="two" coef="0.5"/></fixed></tendon>
  <equality><weld body1="end" body2="other"/><connect body1="other" anchor="0 0 0.1"/><joint joint1="one" joint2="two"/></equality>
</mujoco>
"""


def state(cone="elliptic", jacobian="dense", text=SCENE):
    model = mujoco.MjModel.from_xml_string(text.format(cone=cone, jacobian=jacobian))
    data = mujoco.MjData(model)
    data.qvel[:] = np.random.default_rng(0).normal(size=model.nv)
    mujoco.mj_forward(model, data)
    return model, data


def order(system):
    """The rows of MuJoCo in the order of the system, for elliptic cones."""
    rows, laws = system.results(), system.laws(system.constraints())
    own = []
    for tag, count, kind in zip(system.tags().tolist(), rows.row_counts.tolist(), laws.kind):
        own += [tag + 1, tag + 2, tag] if kind == "contact" else range(tag, tag + count)
    return np.array(own)


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_w_and_b_are_those_of_mujoco(jacobian):
    model, data = state(jacobian=jacobian)
    system = ldy.mujoco.system(model, data)
    own = order(system)
    assert sorted(own) == list(range(data.nefc)) and system.scalar_count == data.nefc
    J = np.zeros((data.nefc, model.nv))
    for row in range(data.nefc):
        unit = np.zeros(data.nefc)
        unit[row] = 1
        mujoco.mj_mulJacTVec(model, data, J[row], unit)
    if jacobian == "dense":
        # MuJoCo's own matrix has its softness on the diagonal.
        A = data.efc_AR.reshape(data.nefc, data.nefc) - np.diag(data.efc_R)
        W = system.results().to_dense() / model.opt.timestep
        assert np.abs(W - A[np.ix_(own, own)]).max() < 1e-12 * np.abs(A).max()
    M = np.zeros((model.nv, model.nv))
    for dof, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, M[dof], unit)
    inverse = np.linalg.inv(M)
    np.testing.assert_allclose(system.results().to_dense() / model.opt.timestep, (J @ inverse @ J.T)[np.ix_(own, own)], atol=1e-9)
    np.testing.assert_allclose(system.results().B, (J @ (data.qvel + model.opt.timestep * data.qacc_smooth))[own], atol=1e-12)
    np.testing.assert_allclose(system.results().V, data.efc_vel[own], atol=1e-12)


def test_laws_are_those_of_the_constraints():
    model, data = state()
    system, h = ldy.mujoco.system(model, data, stabilization=0.5), model.opt.timestep
    rows, types = system.results(), mujoco.mjtConstraint
    seen, distances, frictions = set(), [], set()
    for k, tag in enumerate(system.tags().tolist()):
        law, kind, m = system.laws(int(rows.ids[k])), int(data.efc_type[tag]), rows.row_counts[k]
        lower, upper, bias = law.lower[0, :m], law.upper[0, :m], law.bias[0, :m]
        seen.add((kind, int(m)))
        if kind == types.mjCNSTR_CONTACT_ELLIPTIC.value:
            contact = data.contact[int(data.efc_id[tag])]
            np.testing.assert_array_equal(law.friction[0], contact.friction[:2])
            np.testing.assert_allclose(bias, [0, 0, (0.5 if contact.dist < 0 else 1) * contact.dist / h])
            assert law.kind[0] == "contact"
            distances.append(contact.dist)
            frictions.add(tuple(contact.friction[:2]))
        elif kind in (types.mjCNSTR_FRICTION_DOF.value, types.mjCNSTR_FRICTION_TENDON.value):
            assert (-lower, upper, bias) == (data.efc_frictionloss[tag],) * 2 + (0,)
        elif kind == types.mjCNSTR_EQUALITY.value:
            assert (lower == -np.inf).all() and (upper == np.inf).all()
            np.testing.assert_allclose(bias, 0.5 * data.efc_pos[tag : tag + m] / h)
        else:
            assert (lower, upper) == (0, np.inf) and data.efc_pos[tag] < 0
            np.testing.assert_allclose(bias, 0.5 * data.efc_pos[tag] / h)
    assert {(kind.value, m) for kind, m in [
        (types.mjCNSTR_EQUALITY, 6), (types.mjCNSTR_EQUALITY, 3), (types.mjCNSTR_EQUALITY, 1), (types.mjCNSTR_FRICTION_DOF, 1),
        (types.mjCNSTR_FRICTION_TENDON, 1), (types.mjCNSTR_LIMIT_JOINT, 1), (types.mjCNSTR_LIMIT_TENDON, 1),
        (types.mjCNSTR_CONTACT_FRICTIONLESS, 1), (types.mjCNSTR_CONTACT_ELLIPTIC, 3),
    ]} == seen  # fmt: skip
    # Contacts that overlap and that are open, and tangents with different coefficients.
    assert min(distances) < 0 < max(distances) and (0.6, 0.3) in frictions


def test_cones_make_no_difference():
    systems = [ldy.mujoco.system(*state(cone)) for cone in ("elliptic", "pyramidal")]
    rows = [system.results() for system in systems]
    assert rows[0].scalars.tolist() == rows[1].scalars.tolist()
    np.testing.assert_allclose(rows[0].to_dense(), rows[1].to_dense(), atol=1e-12)
    np.testing.assert_allclose(rows[0].B, rows[1].B, atol=1e-12)
    laws = [system.laws(system.constraints()) for system in systems]
    for name in ("friction", "lower", "upper", "bias"):
        np.testing.assert_allclose(*(getattr(own, name) for own in laws))


def step(model, data, **options):
    mujoco.mj_forward(model, data)
    system = ldy.mujoco.system(model, data)
    R, report = system.solve(**options)
    assert report.converged, report
    system.apply_reactions(R)
    data.qvel[:] = ldy.mujoco.velocity(system)
    mujoco.mj_integratePos(model, data.qpos, data.qvel, model.opt.timestep)
    return system, R


SLOPE = """<mujoco><option timestep="0.002" cone="{cone}" gravity="{g} 0 -9.81" jacobian="{jacobian}"/><worldbody>
<geom type="plane" size="5 5 1" friction="0.1"/>
<body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2" friction="0.5 0.005 0.0001"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_a_block_slides_as_coulomb_says(cone):
    for g in (4.0, 6.0):
        model = mujoco.MjModel.from_xml_string(SLOPE.replace("{g}", str(g)).format(cone=cone, jacobian="dense"))
        data = mujoco.MjData(model)
        for _ in range(50):
            system, R = step(model, data)
        assert system.constraint_count == 4
        # Friction is 0.5: the block holds against 4, and slides against 6. Soft contacts of MuJoCo would creep.
        np.testing.assert_allclose(data.qvel[:3], [max(0, 0.1 * (g - 0.5 * 9.81)), 0, 0], atol=1e-6)
        np.testing.assert_allclose(R.reshape(4, 3)[:, 2].sum(), 2 * 9.81, rtol=1e-5)
        assert data.qpos[2] == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_a_belt_takes_a_block_along(cone):
    text = SLOPE.replace('type="plane"', 'type="plane" surfacevel="0.3 -0.2 0"').replace("{g}", "0")
    try:
        model = mujoco.MjModel.from_xml_string(text.format(cone=cone, jacobian="dense"))
    except ValueError:
        pytest.skip("this MuJoCo has no surfaces that move")
    data = mujoco.MjData(model)
    # Friction of 0.5 gives the acceleration g / 2, along the velocity of the belt.
    for _ in range(11):
        step(model, data)
    direction = np.array([0.3, -0.2]) / np.hypot(0.3, 0.2)
    np.testing.assert_allclose(data.qvel[:2], 0.5 * 9.81 * 0.022 * direction, rtol=1e-2)
    for _ in range(60):
        step(model, data)
    np.testing.assert_allclose(data.qvel[:3], [0.3, -0.2, 0], atol=1e-5)


def test_limits_and_dry_friction_hold():
    text = """<mujoco><option timestep="0.002"/><worldbody><body pos="0 0 1">
    <joint name="j" axis="0 1 0" range="-0.1 30" limited="true" frictionloss="{loss}"/>
    <geom type="sphere" pos="{x} 0 0" size="0.05" mass="1"/></body></worldbody></mujoco>"""
    for x, loss, angle in [(0.1, 2.0, 0.0), (0.1, 0.0, np.radians(30)), (-0.1, 0.5, np.radians(-0.1))]:
        model = mujoco.MjModel.from_xml_string(text.format(x=x, loss=loss))
        data = mujoco.MjData(model)
        for _ in range(400):
            step(model, data)
            # MuJoCo knows of a limit when it has been passed.
            assert np.radians(-0.1) - 1e-3 < data.qpos[0] < np.radians(30) + 0.01
        # Dry friction of 2 N m bears 0.98 N m; without it the arm falls to its limit.
        assert data.qpos[0] == pytest.approx(angle, abs=1e-6) and abs(data.qvel[0]) < 1e-6


def test_what_has_no_law_is_refused():
    text = SLOPE.replace('mass="2"', 'mass="2" condim="{condim}"').replace("{g}", "0").replace("{cone}", "elliptic").replace("{jacobian}", "dense")
    for condim in (4, 6):
        model = mujoco.MjModel.from_xml_string(text.replace("{condim}", str(condim)))
        data = mujoco.MjData(model)
        data.qpos[2] = 0.099
        mujoco.mj_forward(model, data)
        with pytest.raises(ldy.Error, match=f"condim {condim}: torsional"):
            ldy.mujoco.system(model, data)
        system = ldy.mujoco.system(model, data, torsion=False)
        assert system.scalar_count == 12


def test_a_state_without_constraints():
    model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    system = ldy.mujoco.system(model, data)
    R, report = system.solve()
    assert R.shape == (0,) and report.converged
    np.testing.assert_allclose(ldy.mujoco.velocity(system), [0, 0, -9.81 * model.opt.timestep, 0, 0, 0])


def test_the_humanoid_falls_onto_its_feet():
    model = mujoco.MjModel.from_xml_path(str(HUMANOID))
    data = mujoco.MjData(model)
    for _ in range(100):
        system, R = step(model, data, tolerance=1e-6)
    assert data.ncon == 8 and system.constraint_count >= 21 + 8
    assert min(data.contact.dist) > -1e-3 and data.qpos[2] > 1.2
