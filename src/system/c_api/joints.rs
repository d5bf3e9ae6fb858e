//! Joints of rigid bodies by axes, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::errors::{Result, invalid};
use crate::system::{JointFrame, JointKind};

use super::arguments::{self, constraint_id, entry};
use super::constraints::side;
use super::ldy_system;

/// A joint by axes: the bodies turn about the third axis. Three rows of the point, two of the relative angular velocity, across the
/// axis.
pub const LDY_AXES_HINGE: i32 = 1;
/// A joint by axes: the bodies slide along the third axis. Two rows of the point, across the axis, three of the relative angular
/// velocity.
pub const LDY_AXES_SLIDER: i32 = 2;
/// A joint by axes: the first axis of the master stays perpendicular to the second axis of the slave. Three rows of the point, one of
/// the relative angular velocity, along the cross product of these axes. If they are parallel, this row is zero.
pub const LDY_AXES_UNIVERSAL: i32 = 3;
/// A joint by axes: the bodies are one. Three rows of the point, three of the relative angular velocity.
pub const LDY_AXES_WELD: i32 = 4;
/// A joint by axes: a limit, motor or friction of a hinge. One row of the relative angular velocity, about the third axis.
pub const LDY_AXES_HINGE_LIMIT: i32 = 5;
/// A joint by axes: a limit, motor or friction of a slider. One row of the point, along the third axis.
pub const LDY_AXES_SLIDER_LIMIT: i32 = 6;

/// Insert a joint between rigid bodies or obstacles by axes and points. It is a constraint with 1 to 6 rows, whose operators H the
/// library makes: an update makes them again if the rotation of a body has changed.
///
/// U is the relative velocity, master minus slave, in the axes of the master, which turn with it. The rows are in the order that the
/// constant of the kind names, each in the order of the axes.
///
/// - kind: one of LDY_AXES_HINGE, LDY_AXES_SLIDER, LDY_AXES_UNIVERSAL, LDY_AXES_WELD, LDY_AXES_HINGE_LIMIT, LDY_AXES_SLIDER_LIMIT.
/// - master, slave: ids; one of them may be LDY_GROUND.
/// - master_frame, slave_frame: 3 x 3, column-major, orthonormal. The columns are the axes of the joint in the referential frame of
///   the body, or in the world for the ground.
/// - master_point, slave_point: the referential point of the joint, or its place in the world for the ground, 3 values each.
/// - joint: where to write the id, the id of a constraint.
///
/// A law of bounds without limits (LDY_LAW_FIXED) holds a joint. A limit or motor is a second constraint with the same frames and
/// points. ldy_system_joint_error returns the errors for the bias of laws. ldy_system_set_operators refuses a joint.
///
/// If the positions of its bodies are known (ldy_system_set_positions), the rows of the point are the velocities at the place of the
/// slave's point. Otherwise both points count as one place. A slider whose bodies turn needs positions before each update, because its
/// points are apart. Other joints work without them.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, the kind is unknown, a body is not rigid,
/// both bodies are the same or the ground, a value is not finite, or a frame is not orthonormal to within 1e-8 (unless an option
/// accepts it, see ldy_system_set_option). Returns LDY_ERROR_NOT_FOUND if a body does not exist.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_joint(
    system: *mut ldy_system,
    kind: i32,
    master: i64,
    slave: i64,
    master_frame: *const f64,
    master_point: *const f64,
    slave_frame: *const f64,
    slave_point: *const f64,
    joint: *mut i64,
) -> c_int {
    entry!(system: exclusive, master_frame: array, master_point: array, slave_frame: array, slave_point: array,
           joint: place => {
        let [master_end, slave_end] = [(master_frame, master_point), (slave_frame, slave_point)]
            .map(|(axes, point)| JointFrame { axes: *axes, point: *point });
        let bodies = [side(master)?, side(slave)?];
        joint.put(system.add_joint(kind_of(kind)?, bodies, &master_end, &slave_end)? as i64);
    })
}

fn kind_of(kind: i32) -> Result<JointKind> {
    Ok(match kind {
        LDY_AXES_HINGE => JointKind::Hinge,
        LDY_AXES_SLIDER => JointKind::Slider,
        LDY_AXES_UNIVERSAL => JointKind::Universal,
        LDY_AXES_WELD => JointKind::Weld,
        LDY_AXES_HINGE_LIMIT => JointKind::HingeLimit,
        LDY_AXES_SLIDER_LIMIT => JointKind::SliderLimit,
        _ => {
            return Err(invalid!("kind is {kind}; expected one of LDY_AXES_*"));
        }
    })
}

/// Compute the errors of a joint, one for each row, from the rotations and the positions of its bodies (ldy_system_set_positions).
///
/// - A row of the point: the component of master's point - slave's point in the axes of the master.
/// - A row of the angular velocity: the component of the rotation vector from the slave's axes to the master's, in radians. For a
///   hinge it is the sine of the angle, so that the hinge may turn by any angle; for a universal joint the cosine of the angle between
///   its axes.
/// - A limit: the angle, from -pi to pi, or the distance of the points along the axis.
///
/// While the errors are small, their rates are the velocities U. A law with the bias erp error / h removes the share erp in a step.
///
/// - joint: id of a joint by axes.
/// - errors: where to write them; count is the number of rows.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, the constraint
/// is not a joint by axes, the position of a body was never set, count is wrong, or an error is not finite. After an error nothing is
/// written.
///
/// # Safety
/// system comes from ldy_system_create; errors is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_joint_error(
    system: *const ldy_system,
    joint: i64,
    errors: *mut f64,
    count: usize,
) -> c_int {
    entry!(system: shared, errors: values_mut(count) => system.joint_error(constraint_id(joint)?, errors)?)
}
