//! Geometric stiffness and critical step in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::fault::check_size;
use crate::ffi::errors::{Code, Result, fail, invalid};
use crate::ffi::sized::caller_sized;
use crate::memory::with_capacity;
use crate::stability::Carrier;
use crate::system::{Directions, Error, Joint, System};

use super::arguments::{self, entry};
use super::ldy_system;

/// A kind of joint: it keeps the distance between its points. The vector from the slave's point to the master's point has the
/// direction of the normal.
pub const LDY_JOINT_LINK: i32 = 1;
/// A kind of joint: it keeps its points together.
pub const LDY_JOINT_FIXED_POINT: i32 = 2;
/// A kind of joint: a contact whose axes do not turn.
pub const LDY_JOINT_CONTACT: i32 = 3;
/// A kind of joint: a contact on a face of the master, whose axes turn with the master.
pub const LDY_JOINT_CONTACT_ON_MASTER: i32 = 4;
/// A kind of joint: a contact on a face of the slave, whose axes turn with the slave.
pub const LDY_JOINT_CONTACT_ON_SLAVE: i32 = 5;
/// A kind of joint: a constraint by operators, with any number of rows, whose operators do not change when bodies move. Limits
/// and motors of generalized coordinates are such constraints. It has no geometric stiffness. Constraints by operators have no
/// other kind.
pub const LDY_JOINT_CONSTANT_OPERATORS: i32 = 6;

/// The quantity that a constraint keeps constant. It determines how the constraint's force changes when bodies move.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_joint {
    /// One of LDY_JOINT_LINK, LDY_JOINT_FIXED_POINT, LDY_JOINT_CONTACT, LDY_JOINT_CONTACT_ON_MASTER, LDY_JOINT_CONTACT_ON_SLAVE,
    /// LDY_JOINT_CONSTANT_OPERATORS.
    pub kind: i32,
    /// For LDY_JOINT_LINK, the distance of its points, positive. Other kinds do not read it.
    pub length: f64,
}

/// Compute y = K x with the geometric stiffness K of the reactions R: if bodies move by x, the generalized forces of the
/// constraints change by -K x.
///
/// Only rigid bodies and obstacles turn axes. No update is needed.
///
/// - joints: joint_count joints, one for each row: LDY_JOINT_CONSTANT_OPERATORS for a constraint by operators, another kind for a
///   constraint at points.
/// - R: R_count values, three for each row (one for each scalar row), as in U = B + W R. So a link under tension has R_N < 0.
/// - x, y: a value for each generalized velocity of all bodies, including obstacles, in the order of insertion; different arrays.
/// - count: number of values of x and of y.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, a kind is unknown
/// or does not fit its constraint, a length is not positive, or a value is not finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_geometric_stiffness(
    system: *const ldy_system,
    joints: *const ldy_joint,
    joint_count: usize,
    R: *const f64,
    R_count: usize,
    x: *const f64,
    y: *mut f64,
    count: usize,
) -> c_int {
    entry!(system: shared, joints: values(joint_count), R: values(R_count),
           x: values(count), y: values_mut(count) => {
        let stiffness = system.geometric_stiffness(&kinds(system, joints)?, R)?;
        check_size("x and y", stiffness.dofs(), x.len()).map_err(Error::of_system)?;
        stiffness.product(x, y);
    })
}

/// The result of ldy_system_critical_step.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_critical_step {
    /// sizeof (ldy_critical_step), set by the caller before the call.
    pub size: usize,
    /// omega^2, the largest eigenvalue of M^-1 K; zero if it is not positive, for instance if nothing is in tension.
    pub omega_squared: f64,
    /// The critical step 2 / omega; infinite if omega^2 is zero.
    pub step: f64,
    /// The id of the constraint that contributes most to omega^2; -1 if omega^2 is zero.
    pub constraint: i64,
    /// Its share. The shares of all constraints sum to 1.
    pub share: f64,
}

caller_sized!(ldy_critical_step, constraint);

/// A flag of ldy_system_critical_step: only motions that the constraints leave free count. This is the step that is observed in
/// simulations; without the flag the step is safe but may be shorter.
///
/// M^-1 is replaced by its projection N = M^-1 - M^-1 J^T (J M^-1 J^T)^+ J M^-1. J has one row for a link or a contact, along its
/// normal, three rows for a fixed point, and all rows of a constraint by operators. Rows of J may be linearly dependent. For a
/// contact that sticks the true limit is longer, because only its normal counts as constrained. Matrices are dense: use it for up
/// to some thousand generalized velocities.
pub const LDY_CRITICAL_STEP_FREE_MOTIONS: i32 = 1;

/// Compute the critical step of explicit schemes under the reactions R: 2 / omega. omega^2 is the largest eigenvalue of M^-1 K. K
/// is the matrix of ldy_system_geometric_stiffness, and M^-1 consists of the inverses A^-1 of the bodies. A shorter step is
/// stable.
///
/// - joints, joint_count, R, R_count: as in ldy_system_geometric_stiffness.
/// - flags: 0: all motions, or LDY_CRITICAL_STEP_FREE_MOTIONS.
/// - result: where to write it; set its size.
///
/// Returns the codes of ldy_system_geometric_stiffness, LDY_ERROR_NOT_CONVERGED if the eigenvalue does not converge, and
/// LDY_ERROR_INVALID_ARGUMENT also if flags is unknown or a body has a sparse matrix or an inverse callback.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given; result is NULL or valid and has the bytes that
/// its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_critical_step(
    system: *const ldy_system,
    joints: *const ldy_joint,
    joint_count: usize,
    R: *const f64,
    R_count: usize,
    flags: i32,
    result: *mut ldy_critical_step,
) -> c_int {
    entry!(system: shared, joints: values(joint_count), R: values(R_count), result: sized => {
        let directions = match flags {
            0 => Directions::All,
            LDY_CRITICAL_STEP_FREE_MOTIONS => Directions::Free,
            other => {
                let known = "0 or LDY_CRITICAL_STEP_FREE_MOTIONS";
                return Err(invalid!("flags is {other}; expected {known}"));
            }
        };
        let critical = system.critical_step(&kinds(system, joints)?, R, directions)?;
        let id = critical.constraint.and_then(|row| system.constraints().nth(row));
        result.fill(&ldy_critical_step {
            size: size_of::<ldy_critical_step>(),
            omega_squared: critical.frequency_squared,
            step: critical.step,
            constraint: id.map_or(-1, |(id, _)| id as i64),
            share: critical.share,
        });
    })
}

/// The joints of the constraints of a system. If their number differs from the number of constraints, none is read.
fn kinds(system: &System, joints: &[ldy_joint]) -> Result<Vec<Joint>> {
    system.check_joints(joints.len())?;
    let memory = |_| fail!(Code::OutOfMemory, "joints: out of memory");
    let mut kinds = with_capacity(joints.len()).map_err(memory)?;
    for (row, joint) in joints.iter().enumerate() {
        kinds.push(match joint.kind {
            LDY_JOINT_LINK => Joint::Link { length: joint.length },
            LDY_JOINT_FIXED_POINT => Joint::FixedPoint,
            LDY_JOINT_CONTACT => Joint::Contact(Carrier::Space),
            LDY_JOINT_CONTACT_ON_MASTER => Joint::Contact(Carrier::Master),
            LDY_JOINT_CONTACT_ON_SLAVE => Joint::Contact(Carrier::Slave),
            LDY_JOINT_CONSTANT_OPERATORS => Joint::ConstantOperators,
            kind => {
                return Err(invalid!("joints[{row}].kind is {kind}; expected one of LDY_JOINT_*"));
            }
        });
    }
    Ok(kinds)
}
