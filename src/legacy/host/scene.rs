//! Bodies and constraints of the host as an update sees them. Of the host's data only V is written.

use std::fmt::Display;
use std::ptr;

use crate::assembly::diagonal::{Diagonal, Fault};
use crate::assembly::panel;
use crate::assembly::update::scene::{Action, Kinematics, Placement};
use crate::block::{Block, Vector, is_finite};
use crate::inertia::{FactorError, Inertia};
use crate::kinematics::Point;
use crate::legacy::culprit;
use crate::legacy::errors::{Code, fail};
use crate::legacy::layout::*;
use crate::legacy::names;

use super::body::Body;
use super::place::KnownPlaces;
use super::{constraint, inertia};

/// A constraint on a body.
#[derive(Clone, Copy)]
pub struct OnBody {
    /// The constraint.
    pub con: *const CON,
    /// What is known of its places.
    pub known: KnownPlaces,
}

impl OnBody {
    /// A constraint with nothing known of its places.
    pub fn new(con: *const CON) -> Self {
        Self { con, known: ptr::null_mut() }
    }
}

/// How a body moves; `subject` begins the text of an error.
///
/// # Errors
/// As [`Body::new`].
///
/// # Safety
/// The body is valid, and nobody writes it during `'a`.
pub unsafe fn kinematics<'a>(body: *const BODY, subject: &dyn Display) -> Result<Kinematics<'a>, Code> {
    // SAFETY: the caller promises a valid body.
    let view = unsafe { Body::new(body, false, subject) };
    Ok(match view? {
        Body::Rigid(rigid) => Kinematics::Rigid(rigid),
        Body::PseudoRigid(pseudo_rigid) => Kinematics::PseudoRigid(pseudo_rigid),
        Body::FiniteElement(mesh) if mesh.is_nodal() => {
            let (nodes, rotation, lasting) = (mesh.mesh_nodes(), mesh.rotation, mesh.lasting);
            Kinematics::Mesh { nodes, rotation, lasting }
        }
        Body::FiniteElement(mesh) => Kinematics::General(mesh.dofs),
    })
}

/// What is known of A of a body; `subject` begins the text of an error.
///
/// # Errors
/// As [`Body::new`] and [`inertia::of`].
///
/// # Safety
/// As [`kinematics`].
pub unsafe fn inertia_of<'a>(body: *const BODY, subject: &dyn Display) -> Result<Option<Inertia<'a>>, Code> {
    // SAFETY: the caller promises a valid body.
    unsafe {
        let view = Body::new(body, false, subject);
        view.and_then(|view| inertia::of(body, view.dofs())).map(Some)
    }
}

/// Whether a body gives the matrix A, not its inverse.
///
/// # Safety
/// As [`kinematics`].
pub unsafe fn gives_matrix(body: *const BODY) -> bool {
    // SAFETY: the caller promises a valid body.
    matches!(unsafe { inertia_of(body, &names::body(body)) }, Ok(Some(Inertia::Matrix(_))))
}

/// How a constraint acts on a body.
///
/// # Safety
/// The constraint is valid, and nobody writes it during `'a`; `body` is only compared.
#[inline(always)]
pub unsafe fn action<'a>(con: *const CON, body: *const BODY) -> Action<'a> {
    // SAFETY: the caller promises a valid constraint.
    let con = unsafe { &*con };
    Action {
        roles: [con.master.cast_const() == body, con.slave.cast_const() == body],
        placement: Placement::Points { frame: &con.base, points: [&con.mpnt, &con.spnt] },
    }
}

/// Visit the points of a constraint on a body; see [`crate::assembly::update::scene::Bodies::points`].
///
/// # Errors
/// As [`Body::new`] and [`Body::dense_point`].
///
/// # Safety
/// The constraint, its bodies and what is known of its places are valid; no other thread uses the latter.
pub unsafe fn points(
    OnBody { con, known }: OnBody,
    body: *const BODY,
    visit: &mut dyn FnMut(f64, &Block, &Point),
) -> Result<(), Code> {
    // SAFETY: the caller promises a valid constraint and a valid body.
    unsafe {
        let name = names::constraint(con);
        let view = Body::new(body, false, &name)?;
        for (sign, place) in constraint::places_on(con, body, known) {
            let point = view.dense_point(&place, &name)?;
            visit(sign, &(*con).base, &point);
        }
    }
    Ok(())
}

/// The error that a fault of a body's panel is.
///
/// # Safety
/// The body is valid.
pub unsafe fn body_fault(body: *const BODY, fault: panel::Fault) -> Code {
    // SAFETY: the caller promises a valid body.
    panel_fault(&unsafe { names::body(body) }, fault)
}

/// The error that a fault of a body's panel is; `body` begins its text.
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

/// The error of an update without memory.
pub fn no_memory() -> Code {
    fail!(Code::OutOfMemory, "no memory for an update")
}

/// The error of a diagonal block that cannot be used: [`Code::BugFound`] for what is not finite, [`Code::EigenDecomposition`],
/// [`Code::LuFactor`] for a singular block.
///
/// # Safety
/// The constraint and its bodies are valid.
#[cold]
pub unsafe fn unusable(con: *const CON, w: &Block, fault: Fault) -> Code {
    // SAFETY: the caller promises a valid constraint.
    let name = unsafe { names::constraint(con) };
    match fault {
        // SAFETY: the caller promises a valid constraint and valid bodies.
        Fault::NotFinite => unsafe { culprit::of_block(con, w) },
        Fault::Eigenvalue => fail!(Code::EigenDecomposition, "{name}: no largest eigenvalue of W found"),
        Fault::Singular => fail!(Code::LuFactor, "{name}: singular W"),
    }
}

/// The share of a constraint in the free energy.
///
/// # Errors
/// [`Code::BugFound`] if it is not finite.
///
/// # Safety
/// The constraint is valid.
#[inline(always)]
pub unsafe fn free_energy(con: *const CON, diagonal: &Diagonal, b: &Vector) -> Result<f64, Code> {
    // SAFETY: the caller promises a valid constraint.
    unsafe {
        let share = diagonal.free_energy(b, prescribed_velocity(con));
        if share.is_finite() { Ok(share) } else { Err(energy_fault(con, b)) }
    }
}

/// # Safety
/// The constraint is valid.
#[cold]
unsafe fn energy_fault(con: *const CON, b: &Vector) -> Code {
    // SAFETY: the caller promises a valid constraint.
    let (name, prescribed) = unsafe { (names::constraint(con), prescribed_velocity(con)) };
    match (is_finite(b), prescribed.is_finite()) {
        (false, _) => fail!(Code::BugFound, "{name}: B is not finite"),
        (_, false) => fail!(Code::BugFound, "{name}: the prescribed velocity Z[0] is not finite"),
        _ => fail!(Code::BugFound, "{name}: its free energy overflows, though B and Z[0] are finite"),
    }
}

/// The velocity that a VELODIR prescribes along the third axis; 0 for other kinds.
///
/// # Safety
/// The constraint is valid.
unsafe fn prescribed_velocity(con: *const CON) -> f64 {
    // SAFETY: the caller promises a valid constraint.
    unsafe { if (*con).kind == VELODIR { (*con).Z[0] } else { 0.0 } }
}
