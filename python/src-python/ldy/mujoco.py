"""Systems of the constraints of MuJoCo (PyPI: mujoco), with hard contacts."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from . import laws
from .arrays import Floats
from .errors import Error
from .inertia import Inertia
from .laws import Law, Laws
from .system import System

# Without types, since not every environment has it.
mujoco: Any = importlib.import_module("mujoco")

__all__ = ["system", "velocity"]

_EQUALITY = int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
_DRY = [int(getattr(mujoco.mjtConstraint, f"mjCNSTR_FRICTION_{name}")) for name in ("DOF", "TENDON")]
_PYRAMID = int(mujoco.mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL)
_CONTACTS = [_PYRAMID, *(int(getattr(mujoco.mjtConstraint, f"mjCNSTR_CONTACT_{name}")) for name in ("FRICTIONLESS", "ELLIPTIC"))]


def system(model: Any, data: Any, *, h: float | None = None, stabilization: float = 0.2, torsion: bool = True) -> System:
    """Make a system of all active constraints of a MuJoCo state, updated and ready to solve.

    Each tree of joints is a body with its dofs. Constraints keep the order of MuJoCo: equalities, dry friction, limits, contacts. Contacts
    of pyramidal and elliptic cones have the rows (tangent, tangent, normal); MuJoCo has the normal first. Constraints have their laws:

    - contacts: Coulomb's law, with both coefficients of sliding, and with the velocity of surfaces that move;
    - frictionless contacts and limits of joints and tendons: one row, R >= 0;
    - dry friction of joints and tendons: one row, R within the friction loss;
    - equalities: U = 0.

    Constraints are hard: ``solref`` and ``solimp`` are not used. Positions enter through the biases of the laws: a contact or limit that
    is open may close in the step, and a part of an error is removed.

    Parameters
    ----------
    model : mujoco.MjModel
        The model.
    data : mujoco.MjData
        The state, after ``mujoco.mj_forward (model, data)``.
    h : float, optional
        The time step; that of the model by default. W is h J M^-1 J^T, and R a force.
    stabilization : float, optional
        The part of a position error that is removed in a step; zero for none.
    torsion : bool, optional
        Whether contacts of four or six dimensions are refused. Torsional and rolling friction have no law; with False they are left out.

    Returns
    -------
    System
        The system. Free velocities are ``qvel + h qacc_smooth``. The tag of a constraint is its first row in ``data.efc_J``.

    Raises
    ------
    Error
        If a contact has torsional or rolling friction.

    See Also
    --------
    velocity : The velocities of the system as ``qvel``.

    Examples
    --------
    >>> import ldy
    >>> import mujoco
    >>> model = mujoco.MjModel.from_xml_string('''<mujoco><worldbody><geom type="plane" size="1 1 1"/>
    ...     <body pos="0 0 0.099"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>''')
    >>> data = mujoco.MjData(model)
    >>> mujoco.mj_forward(model, data)
    >>> system = ldy.mujoco.system(model, data)
    >>> system
    <ldy.System: 1 bodies, 4 constraints, 12 scalar rows>
    >>> R, report = system.solve()
    >>> system.apply_reactions(R)
    >>> data.qvel[:] = ldy.mujoco.velocity(system)
    """
    h = float(model.opt.timestep) if h is None else float(h)
    made = System()
    bodies = _add_bodies(made, model, data, h)
    counts, operators, own, tags = _constraints(model, data, h, stabilization, torsion)
    if counts:
        ids = made.add_jacobian(bodies, counts, np.concatenate(operators))
        all_laws = Laws(len(ids))
        for row, law in enumerate(own):
            all_laws[row] = law
        made.set_laws(ids, all_laws)
        made.set_tags(ids, tags)
    made.update(h)
    return made


def velocity(system: System) -> Floats:
    """Return the free velocities of all bodies of a system in one array.

    Parameters
    ----------
    system : System
        A system of :func:`system`, after :meth:`System.apply_reactions`.

    Returns
    -------
    (nv,) ndarray
        The velocities in the order of ``qvel``.
    """
    return np.concatenate([np.zeros(0), *(system.velocity(int(body)) for body in system.bodies())])


def _add_bodies(system: System, model: Any, data: Any, h: float) -> list[int]:
    """A body for each tree of joints: its inverse is a block of M^-1."""
    inverse = np.zeros((model.nv, model.nv))
    mujoco.mj_solveM(model, data, inverse, np.eye(model.nv))
    inverse = (inverse + inverse.T) / 2
    bodies = []
    free = data.qvel + h * data.qacc_smooth
    _, starts = np.unique(model.dof_treeid, return_index=True)
    for first, end in zip(starts, [*starts[1:], model.nv], strict=True):
        dofs = slice(first, end)
        body = system.add_body(Inertia.dense(inverse[dofs, dofs]))
        system.set_velocity(body, free[dofs])
        system.set_velocity(body, data.qvel[dofs], "previous")
        bodies.append(body)
    return bodies


def _jacobian(model: Any, data: Any) -> Floats:
    """``efc_J`` as a dense array."""
    if not mujoco.mj_isSparse(model):
        return np.array(data.efc_J, dtype=np.float64).reshape(data.nefc, model.nv)
    J = np.zeros((data.nefc, model.nv))
    for row, (first, count) in enumerate(zip(data.efc_J_rowadr, data.efc_J_rownnz, strict=True)):
        J[row, data.efc_J_colind[first : first + count]] = data.efc_J[first : first + count]
    return J


def _constraints(
    model: Any, data: Any, h: float, stabilization: float, torsion: bool
) -> tuple[list[int], list[Floats], list[Law], list[int]]:
    """Numbers of rows, operators, laws and first rows of all constraints."""
    # Surfaces that move, such as belts, add to velocities.
    moves = getattr(model, "flg_surfacevel", False)
    J, position, loss = _jacobian(model, data), data.efc_pos, data.efc_frictionloss
    slip = data.efc_vel - J @ data.qvel if moves else np.zeros(data.nefc)
    types, which = data.efc_type.tolist(), data.efc_id.tolist()
    counts: list[int] = []
    operators: list[Floats] = []
    own: list[Law] = []
    tags: list[int] = []

    def bias_of_gap(gap: float) -> float:
        return (gap if gap > 0 else stabilization * gap) / h

    row = 0
    while row < data.nefc:
        end = row + 1
        while end < data.nefc and (types[end], which[end]) == (types[row], which[row]):
            end += 1
        kind = types[row]
        if kind in _CONTACTS:
            contact = data.contact[which[row]]
            H, law = _contact(contact, J[row:end], slip[row:end], bias_of_gap(float(contact.dist)), kind == _PYRAMID, torsion)
        elif kind == _EQUALITY:
            # Equalities of flexible bodies have more rows than a constraint can have; each is one.
            end = end if end - row <= 6 else row + 1
            H, law = J[row:end], laws.fixed(stabilization * position[row:end] / h)
        else:
            end = row + 1
            H = J[row:end]
            is_dry = kind in _DRY
            law = laws.bounds(-loss[row], loss[row]) if is_dry else laws.bounds(0, np.inf, bias_of_gap(float(position[row])))
        counts.append(len(H))
        operators.append(H)
        own.append(law)
        tags.append(row)
        row = end
    return counts, operators, own, tags


def _contact(contact: Any, J: Floats, slip: Floats, bias: float, is_pyramid: bool, torsion: bool) -> tuple[Floats, Law]:
    """Operators and law of a contact, from its rows in ``efc_J`` and their parts of velocities that surfaces add."""
    if contact.dim > 3 and torsion:
        why = "torsional and rolling friction have no law; torsion=False leaves them out"
        raise Error(f"contact of geometries {contact.geom1} and {contact.geom2}: condim {contact.dim}: {why}")
    if contact.dim == 1:
        return J, laws.bounds(0, np.inf, bias)
    first, second = contact.friction[:2]
    J = np.column_stack([J, slip])
    if is_pyramid:
        # Edges of the pyramid are normal + friction tangent and normal - friction tangent.
        normal, tangents = (J[0] + J[1]) / 2, [(J[0] - J[1]) / (2 * first), (J[2] - J[3]) / (2 * second)]
    else:
        normal, tangents = J[0], [J[1], J[2]]
    J = np.stack([*tangents, normal])
    H, slip = J[:, :-1], J[:, -1]
    return H, laws.contact(first, friction_2=second, bias=(*slip[:2], bias))
