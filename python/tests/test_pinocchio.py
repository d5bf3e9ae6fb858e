"""Systems of Pinocchio's constraints against Pinocchio's own Delassus matrix."""

import ldy
import numpy as np
import pytest

pinocchio = pytest.importorskip("pinocchio")
if not hasattr(pinocchio, "buildSampleModelHumanoid"):
    pytest.skip("another package has the name pinocchio", allow_module_level=True)

THREE, SIX, LOCAL = pinocchio.ContactType.CONTACT_3D, pinocchio.ContactType.CONTACT_6D, pinocchio.ReferenceFrame.LOCAL


def state(seed=0):
    model = pinocchio.buildSampleModelHumanoid()
    data, rng = model.createData(), np.random.default_rng(seed)
    q = pinocchio.integrate(model, pinocchio.neutral(model), rng.uniform(-0.3, 0.3, model.nv))
    v = rng.normal(size=model.nv)
    pinocchio.computeAllTerms(model, data, q, v)
    return model, data, q, v, rng


def constraints(model, rng, kinds):
    made = []
    for kind in kinds:
        joint = int(rng.integers(2, model.njoints))
        place = pinocchio.SE3(pinocchio.exp3(rng.normal(size=3)), rng.normal(size=3))
        made.append(pinocchio.RigidConstraintModel(kind, model, joint, place, 0, pinocchio.SE3.Identity(), LOCAL))
    return made


@pytest.mark.parametrize("kinds", [[THREE] * 3, [SIX, THREE, THREE, SIX], [SIX]])
def test_w_and_b_are_those_of_pinocchio(kinds):
    model, data, q, v, rng = state()
    contacts = constraints(model, rng, kinds)
    system = ldy.pinocchio.system(model, data, contacts, velocity=v)
    models, datas = pinocchio.StdVec_RigidConstraintModel(), pinocchio.StdVec_RigidConstraintData()
    for contact in contacts:
        models.append(contact)
        datas.append(contact.createData())
    theirs = np.array(pinocchio.computeDelassusMatrix(model, model.createData(), q, models, datas, 0.0))
    W = system.results().to_dense()
    assert np.abs(W - theirs).max() < 1e-12 * np.abs(theirs).max()
    J = pinocchio.getConstraintsJacobian(model, data, models, datas)
    np.testing.assert_allclose(system.results().B, J @ v, atol=1e-10)
    assert system.results().row_counts.tolist() == [3 if kind == THREE else 6 for kind in kinds]
    assert system.laws(system.constraints()).kind.tolist() == ["contact" if kind == THREE else "bounds" for kind in kinds]
    np.testing.assert_allclose(ldy.pinocchio.system(model, data, contacts, h=0.01).results().to_dense(), 0.01 * theirs, atol=1e-12)


def test_forces_stop_what_is_fixed_and_friction_is_of_each():
    model, data, q, v, rng = state(1)
    contacts = constraints(model, rng, [THREE, SIX, THREE])
    system = ldy.pinocchio.system(model, data, contacts, friction=[0.1, 0.2, 0.3], velocity=v)
    assert system.laws([0, 2]).friction.tolist() == [[0.1, 0.1], [0.3, 0.3]] and system.tags().tolist() == [0, 1, 2]
    R, report = system.solve(tolerance=1e-10)
    assert report.converged
    U = system.results().split(system.results().B + system.multiply(R))
    assert np.abs(U[1]).max() < 1e-7 and U[0][2] > -1e-7 and U[2][2] > -1e-7
    # The same forces by Pinocchio's own dynamics of fixed constraints, where contacts stick.
    fixed, _ = system.solve(ldy.laws.fixed(), tolerance=1e-12)
    np.testing.assert_allclose(system.multiply(fixed), -system.results().B, atol=1e-8)


def test_what_is_refused():
    model, data, *_ = state()
    world = pinocchio.RigidConstraintModel(THREE, model, 3, pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED)
    with pytest.raises(ldy.Error, match=r"contacts\[0\]: reference frame LOCAL_WORLD_ALIGNED where LOCAL") as caught:
        ldy.pinocchio.system(model, data, [world])
    assert caught.value.entry == 0
    with pytest.raises(TypeError, match=r"contacts\[1\]: int where a RigidConstraintModel"):
        ldy.pinocchio.system(model, data, [constraints(model, np.random.default_rng(0), [THREE])[0], 3])
    assert ldy.pinocchio.system(model, data, []).scalar_count == 0
