"""
A humanoid of Pinocchio
=======================

A humanoid (PyPI: pin) on its feet: W of points of its soles, and Pinocchio's Delassus matrix.
"""

# sphinx_gallery_thumbnail_path = "figures/peers.svg"
import sys

import ldy
import numpy as np

try:
    import pinocchio
except ImportError:
    sys.exit("skipped: Pinocchio is not there (pip install pin)")

SOLE = [(x, y, -0.05) for x in (-0.05, 0.1) for y in (-0.04, 0.04)]
FEET = ["lleg_wrist2_joint", "rleg_wrist2_joint"]


def main():
    model = pinocchio.buildSampleModelHumanoid()
    data, rng = model.createData(), np.random.default_rng(1)
    q = pinocchio.integrate(model, pinocchio.neutral(model), rng.uniform(-0.3, 0.3, model.nv))
    v = rng.normal(size=model.nv)
    # Points of the soles that stand on the ground, with axes of the feet.
    kind, axes, ground = pinocchio.ContactType.CONTACT_3D, pinocchio.ReferenceFrame.LOCAL, (0, pinocchio.SE3.Identity())
    places = [(model.getJointId(foot), pinocchio.SE3(np.eye(3), np.array(point))) for foot in FEET for point in SOLE]
    contacts = [pinocchio.RigidConstraintModel(kind, model, *place, *ground, axes) for place in places]

    pinocchio.computeAllTerms(model, data, q, v)
    system = ldy.pinocchio.system(model, data, contacts, friction=0.7, velocity=v)
    rows = system.results()
    R, report = system.solve()

    models, datas = pinocchio.StdVec_RigidConstraintModel(), pinocchio.StdVec_RigidConstraintData()
    for contact in contacts:
        models.append(contact)
        datas.append(contact.createData())
    theirs = np.array(pinocchio.computeDelassusMatrix(model, data, q, models, datas, 0.0))
    difference = np.abs(rows.to_dense() - theirs).max() / np.abs(theirs).max()
    print(f"{model.nv} dofs, {len(contacts)} contacts, rank of W {rows.rank()} of {len(rows.B)}")
    print(f"largest difference from Pinocchio's: {difference:.1e} of its largest entry")
    print(f"impulses that stop it: {report.status}, the largest {np.linalg.norm(R.reshape(-1, 3), axis=1).max():.2f}")


if __name__ == "__main__":
    main()
