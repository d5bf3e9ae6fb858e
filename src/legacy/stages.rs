//! The stages of an assembly on bodies and constraints of the host, for whoever keeps the results: rows of this
//! library or a mirror of others. They read the host's structures and write none.

use std::fmt::Display;
use std::ptr;

use crate::assembly::diagonal::{Diagonal, Fault};
use crate::assembly::panel::root::{self, Root};
use crate::assembly::panel::{self, Panel, homogeneous};
use crate::assembly::velocities::free_velocities;
use crate::block::lanes::{self, Level, Plain, add, combination, write};
use crate::block::{Block, Real, Vector, is_finite};
use crate::inertia::{FactorError, Freshness, Inertia, Inverse, Workspace};
use crate::kinematics::pseudo_rigid::{self, PseudoRigid};
use crate::kinematics::rigid::{self, Rigid};

use super::errors::{Code, fail};
use super::host::body::{Body, no_velocities};
use super::host::domain::UpdateKind;
use super::host::place::{KnownPlaces, Place, Role};
use super::host::{constraint, inertia};
use super::layout::*;
use super::rows::{Slots, Way};
use super::{culprit, names};

/// V and B of a constraint.
///
/// # Errors
/// As [`constraint::check`] and [`constraint::side`]; [`Code::BugFound`] if they are not finite.
///
/// # Safety
/// The constraint and its bodies are valid.
#[inline(always)]
pub unsafe fn velocities(con: *const CON, known: KnownPlaces) -> Result<[Vector; 2], Code> {
    // SAFETY: promised by the caller.
    unsafe {
        constraint::check(con)?;
        let slave = match (*con).slave {
            slave if slave.is_null() => None,
            slave => Some(local_velocities(con, Role::Slave, slave, known)?),
        };
        let master = local_velocities(con, Role::Master, (*con).master, known)?;
        finite(con, &Role::BOTH, free_velocities(master, slave))
    }
}

/// V and B, or what the bodies with these roles make of them, if they are finite.
///
/// # Errors
/// [`Code::BugFound`] if not.
///
/// # Safety
/// The constraint and these bodies are valid.
#[inline(always)]
pub unsafe fn finite(con: *const CON, roles: &[Role], velocities: [Vector; 2]) -> Result<[Vector; 2], Code> {
    match velocities.iter().all(|velocity| is_finite(velocity)) {
        true => Ok(velocities),
        // SAFETY: promised by the caller.
        false => Err(unsafe { culprit::of_velocities(con, roles) }),
    }
}

/// The local velocities of one of the bodies of a constraint.
///
/// # Errors
/// As [`constraint::side`].
///
/// # Safety
/// As there.
#[inline(always)]
pub unsafe fn local_velocities(
    con: *const CON,
    role: Role,
    body: *const BODY,
    known: KnownPlaces,
) -> Result<[Vector; 2], Code> {
    // SAFETY: promised by the caller.
    unsafe { Ok(constraint::side(con, role, body, known)?.local_velocities(&(*con).base)) }
}

/// A constraint in its slot of a body's panel.
#[derive(Clone, Copy)]
pub struct Occupant {
    /// The slot.
    pub slot: usize,
    /// The constraint.
    pub con: *const CON,
    /// What is known of its places.
    pub known: KnownPlaces,
}

/// Start the panel of a body with `count` slots, of which `slots` are taken. Where h A⁻¹ has a root, `root` is made that,
/// unless it is already, and operators are left to be written, by [`add_rigid_share`] or [`add_pseudo_rigid_share`], to
/// slots that `compare` or not; else H of the constraints is put into their slots.
///
/// # Errors
/// As [`Body::new`], [`inertia::of`], [`Body::dense_point`] and the panel.
///
/// # Safety
/// The body and the constraints are valid. Where operators are left to be written, the panel is not touched meanwhile.
pub unsafe fn start_panel(
    panel: &mut Panel,
    root: &mut Root,
    body: *const BODY,
    step: f64,
    compare: bool,
    count: usize,
    slots: impl Iterator<Item = Occupant>,
) -> Result<Way, Code> {
    // SAFETY: promised by the caller.
    unsafe {
        let name = names::body(body);
        let view = Body::new(body, false, &name)?;
        let failed = |fault| panel_fault(&name, fault);
        let has_root = renew_root(root, body, &view, step)?;
        match view {
            Body::Rigid(_) if has_root => {
                let slots = panel.start_rigid(count).map_err(failed)?;
                return Ok(Way::Rigid(Slots::new(slots, compare)));
            }
            Body::PseudoRigid(_) if has_root => {
                let slots = panel.start_pseudo_rigid(count).map_err(failed)?;
                return Ok(Way::PseudoRigid(Slots::new(slots, compare)));
            }
            Body::FiniteElement(mesh) if mesh.is_nodal() => {
                let nodal = panel.start_nodal(count, mesh.mesh_nodes(), mesh.lasting).map_err(failed)?;
                for Occupant { slot, con, known } in slots {
                    let name = names::constraint(con);
                    for (sign, place) in constraint::places_on(con, body, known) {
                        nodal.add_operator(slot, sign, &mesh.nodal_operator(&place, &(*con).base, &name)?);
                    }
                }
            }
            _ => {
                let dense = panel.start_dense(count, view.freedoms()).map_err(failed)?;
                for Occupant { slot, con, known } in slots {
                    for (sign, place) in constraint::places_on(con, body, known) {
                        let point = view.dense_point(&place, &names::constraint(con))?;
                        point.add_operator(sign, &(*con).base, dense.operator_mut(slot));
                    }
                }
            }
        }
    }
    Ok(Way::Complete)
}

/// As [`start_panel`], and all operators are written.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn fill_panel(
    panel: &mut Panel,
    body: *const BODY,
    step: f64,
    count: usize,
    slots: impl Iterator<Item = Occupant> + Clone,
) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        let mut root = Root::NONE;
        match start_panel(panel, &mut root, body, step, false, count, slots.clone())? {
            Way::Complete => {}
            Way::Rigid(z) => slots.for_each(|Occupant { slot, con, .. }| {
                let mut h = rigid_columns(Plain, con, body);
                root.apply(&mut h);
                z.write(slot, |z| write(z, &h));
            }),
            Way::PseudoRigid(z) => slots.for_each(|Occupant { slot, con, .. }| {
                let h = pseudo_rigid_operator(Plain, con, body);
                z.write(slot, |z| homogeneous::Slot::new(Plain, &root, &h).write(z));
            }),
        }
    }
    Ok(())
}

/// Make `root` the root of h A⁻¹ of a rigid or pseudo-rigid body; returns whether there is one.
///
/// # Errors
/// As [`inertia::of`].
///
/// # Safety
/// The body is valid, `view` is this body.
#[inline(always)]
unsafe fn renew_root(root: &mut Root, body: *const BODY, view: &Body, step: f64) -> Result<bool, Code> {
    if let Body::FiniteElement(_) = view {
        return Ok(false);
    }
    // SAFETY: promised by the caller.
    match unsafe { inertia::of(body, view.freedoms())? } {
        Inertia::Inverse(Inverse::BlockDiagonal(inverse)) => {
            let blocks = match view {
                Body::PseudoRigid(_) => inverse.of_pseudo_rigid(),
                _ => inverse.of_rigid(),
            };
            Ok(blocks.is_some_and(|blocks| root.renew(step, blocks)))
        }
        _ => Ok(false),
    }
}

/// What a constraint gets from its bodies.
#[derive(Clone, Copy)]
pub struct Share<Lanes> {
    /// H v of the previous and the current velocity.
    pub velocities: [Lanes; 2],
    /// W_αα.
    pub w: [Lanes; 3],
    /// Whether an operator has other bits than at the update before.
    pub changed: bool,
}

impl<Lanes: lanes::Lanes> Share<Lanes> {
    /// Nothing yet.
    #[inline(always)]
    pub fn none(level: impl Level<Lanes = Lanes>) -> Self {
        Self { velocities: [level.zero(); 2], w: [level.zero(); 3], changed: false }
    }

    #[inline(always)]
    fn add(&mut self, velocities: [Lanes; 2], w: [Lanes; 3], changed: bool) {
        add(&mut self.velocities, &velocities);
        add(&mut self.w, &w);
        self.changed |= changed;
    }
}

/// Add what a constraint gets from a rigid body; Z = H L is written to its slot.
///
/// # Errors
/// [`Code::BugFound`] if the body has no velocities.
///
/// # Safety
/// The constraint is valid, and so is the body, whose panel has been started, with the slots, of which one
/// is the constraint's.
#[inline(always)]
pub unsafe fn add_rigid_share<L: Level>(
    level: L,
    con: *const CON,
    body: *const BODY,
    root: &Root,
    slots: &Slots<{ panel::RIGID }>,
    slot: usize,
    sum: &mut Share<L::Lanes>,
) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        let mut h = rigid_columns(level, con, body);
        let [current, previous] = velocities_of::<{ rigid::FREEDOMS }>(con, body)?;
        let velocities = [combination(&h, previous), combination(&h, current)];
        root.apply(&mut h);
        let changed = slots.write(
            slot,
            #[inline(always)]
            |z| write(z, &h),
        );
        sum.add(velocities, root::square(level, &h), changed);
        Ok(())
    }
}

/// Add what a constraint gets from a pseudo-rigid body; Z = H L is written to its slot.
///
/// # Errors
/// As [`add_rigid_share`].
///
/// # Safety
/// As there.
#[inline(always)]
pub unsafe fn add_pseudo_rigid_share<L: Level>(
    level: L,
    con: *const CON,
    body: *const BODY,
    root: &Root,
    slots: &Slots<{ panel::PSEUDO_RIGID }>,
    slot: usize,
    sum: &mut Share<L::Lanes>,
) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        let h = pseudo_rigid_operator(level, con, body);
        let [current, previous] = velocities_of::<{ pseudo_rigid::FREEDOMS }>(con, body)?;
        let velocities = [h.local_velocity(level, previous), h.local_velocity(level, current)];
        let z = homogeneous::Slot::new(level, root, &h);
        let changed = slots.write(
            slot,
            #[inline(always)]
            |place| z.write(place),
        );
        sum.add(velocities, z.square(), changed);
        Ok(())
    }
}

/// The current and the previous velocity of a body of a constraint.
///
/// # Errors
/// [`Code::BugFound`] if it has none.
///
/// # Safety
/// Both are valid, and the body has so many freedoms.
#[inline(always)]
unsafe fn velocities_of<'a, const FREEDOMS: usize>(
    con: *const CON,
    body: *const BODY,
) -> Result<[&'a [f64; FREEDOMS]; 2], Code> {
    // SAFETY: promised by the caller; velo holds one behind the other.
    unsafe {
        let velo = (*body).velo.cast_const().cast::<[f64; FREEDOMS]>();
        if velo.is_null() {
            return Err(no_velocities(&names::constraint(con), body));
        }
        Ok([&*velo, &*velo.add(1)])
    }
}

/// The columns of H of a constraint on a rigid body, master minus slave if it is both.
///
/// # Safety
/// The constraint is valid, and so is the body, whose panel has been started.
#[inline(always)]
unsafe fn rigid_columns<L: Level>(
    level: L,
    con: *const CON,
    body: *const BODY,
) -> [L::Lanes; rigid::FREEDOMS] {
    // SAFETY: promised by the caller; the panel of a rigid body is not started without a configuration.
    unsafe {
        let rigid = Rigid { rotation: &*(*body).conf.cast(), center: &(*body).ref_center };
        let axes = level.transposed_columns(&(*con).base);
        master_minus_slave(
            con,
            body,
            [level.zero(); rigid::FREEDOMS],
            #[inline(always)]
            |place| rigid.columns(&place.point, &axes),
        )
    }
}

/// H of a constraint on a pseudo-rigid body, master minus slave if it is both.
///
/// # Safety
/// As [`rigid_columns`].
#[inline(always)]
unsafe fn pseudo_rigid_operator<L: Level>(
    level: L,
    con: *const CON,
    body: *const BODY,
) -> pseudo_rigid::Operator<L::Lanes> {
    // SAFETY: promised by the caller.
    unsafe {
        let prb = PseudoRigid { center: &(*body).ref_center };
        let arm = master_minus_slave(
            con,
            body,
            [0.0; 4],
            #[inline(always)]
            |place| prb.arm(&place.point),
        );
        pseudo_rigid::Operator { axes: level.transposed_columns(&(*con).base), arm }
    }
}

/// # Safety
/// The constraint is valid.
#[inline(always)]
unsafe fn master_minus_slave<T: Real, const N: usize>(
    con: *const CON,
    body: *const BODY,
    zero: [T; N],
    values: impl Fn(Place) -> [T; N],
) -> [T; N] {
    // SAFETY: promised by the caller.
    unsafe {
        let mut sum = match (*con).master.cast_const() == body {
            true => values(Place::of(con, Role::Master, ptr::null_mut())),
            false => zero,
        };
        if (*con).slave.cast_const() == body {
            let slave = values(Place::of(con, Role::Slave, ptr::null_mut()));
            for (sum, slave) in sum.iter_mut().zip(slave) {
                *sum = *sum - slave;
            }
        }
        sum
    }
}

/// What A⁻¹ of a body makes of the operators in its panel, where there is something left to do.
///
/// # Errors
/// As [`inertia::of`] and the panel.
///
/// # Safety
/// The body is valid.
pub unsafe fn apply_inverse(
    panel: &mut Panel,
    body: *const BODY,
    step: f64,
    work: &mut Workspace,
) -> Result<Option<Freshness>, Code> {
    if !panel.needs_inverse() {
        return Ok(None);
    }
    // SAFETY: promised by the caller.
    unsafe {
        let name = names::body(body);
        let freedoms = Body::new(body, false, &name)?.freedoms();
        let inertia = inertia::of(body, freedoms)?;
        panel.apply(step, &inertia, work).map_err(|fault| panel_fault(&name, fault))
    }
}

/// The error that a fault of a body's panel is.
pub fn panel_fault(body: &dyn Display, fault: panel::Fault) -> Code {
    let code = match fault {
        panel::Fault::Memory => return fail!(Code::OutOfMemory, "{body}: no memory for its operators"),
        panel::Fault::Factor(FactorError::Matrix(_)) => Code::MatrixKind,
        panel::Fault::Factor(FactorError::NotFinite) => Code::BugFound,
        panel::Fault::Factor(FactorError::NotPositiveDefinite { .. }) => Code::CholFactor,
        panel::Fault::Factor(_) => Code::LuFactor,
    };
    fail!(code, "{body}: its matrix A: {fault}")
}

/// The diagonal block of a constraint, `w` up to rounding; rho for [`UpdateKind::All`] only.
///
/// # Errors
/// [`Code::BugFound`] for what is not finite, [`Code::EigenDecomposition`], [`Code::LuFactor`] for a singular block.
///
/// # Safety
/// The constraint and its bodies are valid.
#[inline(always)]
pub unsafe fn diagonal(con: *const CON, w: &Block, kind: UpdateKind) -> Result<Diagonal, Code> {
    Diagonal::new(w, kind == UpdateKind::All).map_err(
        #[cold]
        // SAFETY: promised by the caller.
        |fault| unsafe { unusable(con, w, fault) },
    )
}

/// The share of a constraint in the free energy.
///
/// # Errors
/// [`Code::BugFound`] if it is not finite.
///
/// # Safety
/// As [`diagonal`].
#[inline(always)]
pub unsafe fn free_energy(con: *const CON, diagonal: &Diagonal, b: &Vector) -> Result<f64, Code> {
    // SAFETY: promised by the caller.
    unsafe {
        let prescribed = prescribed_velocity(con);
        let share = diagonal.free_energy(b, prescribed);
        if share.is_finite() {
            return Ok(share);
        }
        let name = names::constraint(con);
        Err(match (is_finite(b), prescribed.is_finite()) {
            (false, _) => fail!(Code::BugFound, "{name}: B is not finite"),
            (_, false) => fail!(Code::BugFound, "{name}: the prescribed velocity Z[0] is not finite"),
            _ => fail!(Code::BugFound, "{name}: its free energy overflows, though B and Z[0] are finite"),
        })
    }
}

/// The velocity that a VELODIR prescribes along the third axis; 0 for other kinds.
///
/// # Safety
/// `con` is valid.
unsafe fn prescribed_velocity(con: *const CON) -> f64 {
    // SAFETY: promised by the caller.
    unsafe { if (*con).kind == VELODIR { (*con).Z[0] } else { 0.0 } }
}

/// # Safety
/// `con` and its bodies are valid.
unsafe fn unusable(con: *const CON, w: &Block, fault: Fault) -> Code {
    // SAFETY: promised by the caller.
    let name = unsafe { names::constraint(con) };
    match fault {
        // SAFETY: promised by the caller.
        Fault::NotFinite => unsafe { culprit::of_block(con, w) },
        Fault::Eigenvalue => fail!(Code::EigenDecomposition, "{name}: no largest eigenvalue of W found"),
        Fault::Singular => fail!(Code::LuFactor, "{name}: singular W"),
    }
}
