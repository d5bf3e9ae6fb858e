//! Geometric stiffness and critical step as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_double, c_int, c_longlong};

use crate::fault::check_size;
use crate::ffi::arguments::Out;
use crate::ffi::errors::{Code, Result, fail};
use crate::memory::with_capacity;
use crate::stability::Carrier;
use crate::system::{Directions, Error, Joint, System};

use super::arguments::{self, entry};
use super::ldy_system;

/// A kind of joint: it keeps the distance of its points, which lie along the normal, that of the master ahead.
pub const LDY_LINK: c_int = 1;
/// A kind of joint: it keeps its points together.
pub const LDY_FIXED_POINT: c_int = 2;
/// A kind of joint: a contact whose axes nothing turns.
pub const LDY_CONTACT: c_int = 3;
/// A kind of joint: a contact whose axes the master turns, on whose face it is.
pub const LDY_CONTACT_ON_MASTER: c_int = 4;
/// A kind of joint: a contact whose axes the slave turns, on whose face it is.
pub const LDY_CONTACT_ON_SLAVE: c_int = 5;
/// A kind of joint: a constraint by operators, of any number of rows, that stay as they are when bodies move, as those of limits
/// and motors of generalised coordinates do. It has no geometric stiffness. Of constraints by operators only such are known.
pub const LDY_CONSTANT_OPERATORS: c_int = 6;

/// What a constraint keeps as it is: what its force does when bodies move depends on it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_joint {
    /// One of LDY_LINK, LDY_FIXED_POINT, LDY_CONTACT, LDY_CONTACT_ON_MASTER, LDY_CONTACT_ON_SLAVE, LDY_CONSTANT_OPERATORS.
    pub kind: c_int,
    /// Of a link: the distance of its points, positive. Not read otherwise.
    pub length: c_double,
}

/// y = K x, K the geometric stiffness of the reactions R: what they change by when bodies move by x is -K x.
///
/// Only a rigid body or an obstacle turns axes. joints: one for each row, joint_count; those of constraints by operators are
/// LDY_CONSTANT_OPERATORS, of constraints at points others. R: three values a row, of other rows as many as they have, R_count
/// values, as in U = B + W R, so that a link under tension has R_N < 0. x, y: the generalised velocities of all bodies, obstacles
/// too, one behind the other in the order of insertion, count values each; different arrays. No update is needed.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, another count, unknown kind, one that is not for this constraint, a length not
/// positive, not finite).
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

/// The longest step that explicit schemes survive with the reactions R: 2 / omega, omega^2 the largest eigenvalue of M^-1 K, K
/// as in ldy_system_geometric_stiffness and M^-1 the inverses A^-1 of the bodies.
///
/// joints, R with their counts: as there. omega_squared: zero if nothing is in tension. step: then infinite. constraint: the id
/// of the constraint that contributes most to omega^2, then -1. share: its share, 1 of all together. NULL: not wanted.
///
/// Returns 0, 1 (no memory) or 52 (as there; a body has a sparse matrix or a solver; the eigenvalue does not settle).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_critical_step(
    system: *const ldy_system,
    joints: *const ldy_joint,
    joint_count: usize,
    R: *const f64,
    R_count: usize,
    omega_squared: *mut f64,
    step: *mut f64,
    constraint: *mut c_longlong,
    share: *mut f64,
) -> c_int {
    entry!(system: shared, joints: values(joint_count), R: values(R_count),
           omega_squared: wanted, step: wanted, constraint: wanted, share: wanted => {
        put_critical(system, joints, R, Directions::All, [omega_squared, step, share], constraint)?;
    })
}

/// As ldy_system_critical_step, of the motions alone that the constraints leave free: the step that is observed, where that of all
/// directions is merely safe. M^-1 is projected, N = M^-1 - M^-1 J^T (J M^-1 J^T)^+ J M^-1, with a row of J for a link or a
/// contact, along its normal, three for a fixed point, and all those of constraints by operators. A contact that sticks lets steps
/// be longer than told. Rows of J may depend on each other. Dense: for systems of some thousand generalised velocities.
///
/// Arguments and errors as there.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_sharp_critical_step(
    system: *const ldy_system,
    joints: *const ldy_joint,
    joint_count: usize,
    R: *const f64,
    R_count: usize,
    omega_squared: *mut f64,
    step: *mut f64,
    constraint: *mut c_longlong,
    share: *mut f64,
) -> c_int {
    entry!(system: shared, joints: values(joint_count), R: values(R_count),
           omega_squared: wanted, step: wanted, constraint: wanted, share: wanted => {
        put_critical(system, joints, R, Directions::Free, [omega_squared, step, share], constraint)?;
    })
}

fn put_critical(
    system: &System,
    joints: &[ldy_joint],
    reactions: &[f64],
    directions: Directions,
    [omega_squared, step, share]: [Out<f64>; 3],
    constraint: Out<c_longlong>,
) -> Result {
    let critical = system.critical_step(&kinds(system, joints)?, reactions, directions)?;
    let id = critical.constraint.and_then(|row| system.constraints().nth(row));
    omega_squared.put(critical.frequency_squared);
    step.put(critical.step);
    constraint.put(id.map_or(-1, |(id, _)| id as c_longlong));
    share.put(critical.share);
    Ok(())
}

/// The joints of the constraints of a system. None is read if their number differs from the number of constraints.
fn kinds(system: &System, joints: &[ldy_joint]) -> Result<Vec<Joint>> {
    system.check_joints(joints.len())?;
    let memory = |_| fail!(Code::OutOfMemory, "joints: out of memory");
    let mut kinds = with_capacity(joints.len()).map_err(memory)?;
    for (row, joint) in joints.iter().enumerate() {
        kinds.push(match joint.kind {
            LDY_LINK => Joint::Link { length: joint.length },
            LDY_FIXED_POINT => Joint::FixedPoint,
            LDY_CONTACT => Joint::Contact(Carrier::Space),
            LDY_CONTACT_ON_MASTER => Joint::Contact(Carrier::Master),
            LDY_CONTACT_ON_SLAVE => Joint::Contact(Carrier::Slave),
            LDY_CONSTANT_OPERATORS => Joint::ConstantOperators,
            kind => return Err(fail!(Code::BugFound, "joint {row}: there is no kind {kind}")),
        });
    }
    Ok(kinds)
}
