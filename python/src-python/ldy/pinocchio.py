"""Systems of the constraints of Pinocchio (PyPI: pin)."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import laws
from .errors import Error
from .inertia import Inertia
from .laws import Laws
from .system import System

# Without types, since not every environment has it.
pinocchio: Any = importlib.import_module("pinocchio")

__all__ = ["system"]


def system(
    model: Any, data: Any, contacts: Sequence[Any], *, friction: ArrayLike = 0.0, velocity: ArrayLike | None = None, h: float = 1.0
) -> System:
    """Make a system of rigid constraints of Pinocchio, updated and ready to solve.

    The mechanism is one body with ``model.nv`` dofs. Constraints have their laws: contacts of three rows have Coulomb's law, with the
    z axis of the first placement as normal; constraints of six rows are fixed.

    Parameters
    ----------
    model : pinocchio.Model
        The model.
    data : pinocchio.Data
        Its data, after ``pinocchio.computeAllTerms(model, data, q, v)``, or after ``crba`` and ``computeJointJacobians``.
    contacts : sequence of pinocchio.RigidConstraintModel
        Constraints with the type ``CONTACT_3D`` or ``CONTACT_6D`` and the reference frame ``LOCAL``.
    friction : float or (count,) array_like, optional
        Coefficients of friction, one for all or one for each of the constraints.
    velocity : (nv,) array_like, optional
        The free velocity: v + h times the acceleration without constraints; zero by default.
    h : float, optional
        The time step. With h = 1 W is J M^-1 J^T, as Pinocchio has it, and R is an impulse.

    Returns
    -------
    System
        The system. The tag of a constraint is its index in ``contacts``.

    Raises
    ------
    Error
        If a constraint has another type or reference frame, or a value is not finite.
    TypeError
        If a constraint is no ``RigidConstraintModel``.

    Examples
    --------
    >>> import ldy
    >>> import numpy as np
    >>> import pinocchio
    >>> model = pinocchio.buildSampleModelManipulator()
    >>> data = model.createData()
    >>> pinocchio.computeAllTerms(model, data, pinocchio.neutral(model), np.zeros(model.nv))
    >>> tip = pinocchio.RigidConstraintModel(pinocchio.ContactType.CONTACT_3D, model, model.njoints - 1, pinocchio.ReferenceFrame.LOCAL)
    >>> ldy.pinocchio.system(model, data, [tip], friction=0.5)
    <ldy.System: 1 bodies, 1 constraints, 3 scalar rows>
    """
    models, datas = pinocchio.StdVec_RigidConstraintModel(), pinocchio.StdVec_RigidConstraintData()
    is_contact = np.zeros(len(contacts), dtype=bool)
    for k, contact in enumerate(contacts):
        if not isinstance(contact, pinocchio.RigidConstraintModel):
            raise TypeError(f"contacts[{k}]: {type(contact).__name__} where a RigidConstraintModel is needed")
        if contact.reference_frame != pinocchio.ReferenceFrame.LOCAL:
            raise Error(f"contacts[{k}]: reference frame {contact.reference_frame} where LOCAL is needed", entry=k)
        is_contact[k] = contact.type == pinocchio.ContactType.CONTACT_3D
        if not is_contact[k] and contact.type != pinocchio.ContactType.CONTACT_6D:
            raise Error(f"contacts[{k}]: type {contact.type} where CONTACT_3D or CONTACT_6D is needed", entry=k)
        models.append(contact)
        datas.append(contact.createData())
        contact.calc(model, data, datas[k])
    # Some functions of Pinocchio write the upper triangle alone.
    upper = np.triu(data.M)
    factor = np.linalg.inv(np.linalg.cholesky(upper + np.triu(upper, 1).T))
    made = System()
    robot = made.add_body(Inertia.dense(factor.T @ factor))
    if velocity is not None:
        made.set_velocity(robot, velocity)
    if len(contacts):
        J = pinocchio.getConstraintsJacobian(model, data, models, datas)
        ids = made.add_jacobian([robot], np.where(is_contact, 3, 6), J)
        own = Laws(len(ids), laws.contact(friction))
        own[~is_contact] = laws.fixed()
        made.set_laws(ids, own)
        made.set_tags(ids, np.arange(len(ids)))
    made.update(h)
    return made
