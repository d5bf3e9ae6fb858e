//! The errors of joints, whose rates are the velocities of their rows.
#![forbid(unsafe_code)]

use crate::math::{Block, Vector, dot, of_columns, transposed_product, transposed_times};
use crate::system::MOST_ROWS;

use super::JointKind;
use super::rows::{Ends, JointRow};

/// The error of each row; zeros after them.
pub fn errors(kind: JointKind, ends: &Ends, centers: &[Vector; 2]) -> [f64; MOST_ROWS] {
    let [master, slave] = ends.0.map(|end| of_columns([end.axis(0), end.axis(1), end.axis(2)]));
    let gap = transposed_times(&master, &ends.gap(centers));
    // From the master's axes to the slave's: the relative rotation in the axes of either.
    let turn = transposed_product(&slave, &master);
    let angles = match kind {
        JointKind::Hinge => across(&turn),
        JointKind::HingeLimit => [0.0, 0.0, twist(&turn)],
        _ => rotation_vector(&turn),
    };
    let mut errors = [0.0; MOST_ROWS];
    for (error, &row) in errors.iter_mut().zip(kind.rows()) {
        *error = match row {
            JointRow::Point(axis) => gap[axis],
            JointRow::Angular(axis) => angles[axis],
            JointRow::Cross => dot(&ends.0[0].axis(0), &ends.0[1].axis(1)),
        };
    }
    errors
}

/// The cross product of the slave's and the master's third axis, in the axes of the master: it does not depend on the angle about them.
fn across(turn: &Block) -> Vector {
    // Zero is 0, never −0.
    [turn[5], 0.0 - turn[2], 0.0]
}

/// The angle of a rotation about the third axis, from −π to π.
fn twist(turn: &Block) -> f64 {
    libm::atan2(turn[1] - turn[3], turn[0] + turn[4])
}

/// The rotation vector, of length 0 to π.
fn rotation_vector(r: &Block) -> Vector {
    let [x, y, z] = [r[5] - r[7], r[6] - r[2], r[1] - r[3]];
    let [xy, xz, yz] = [r[1] + r[3], r[2] + r[6], r[5] + r[7]];
    // Each is a multiple of the quaternion; the largest one has all digits (S. W. Shepperd, Journal of Guidance and Control 1, 1978).
    let multiples = [
        [1.0 + r[0] + r[4] + r[8], x, y, z],
        [x, 1.0 + r[0] - r[4] - r[8], xy, xz],
        [y, xy, 1.0 - r[0] + r[4] - r[8], yz],
        [z, xz, yz, 1.0 - r[0] - r[4] + r[8]],
    ];
    let largest = (0..4).fold(0, |best, k| if multiples[k][k] > multiples[best][best] { k } else { best });
    let [w, x, y, z] = multiples[largest];
    let length = dot(&[x, y, z], &[x, y, z]).sqrt();
    if length == 0.0 {
        return [0.0; 3];
    }
    let angle = 2.0 * libm::atan2(length, w.abs());
    let scale = if w < 0.0 { -angle / length } else { angle / length };
    [x, y, z].map(|x| x * scale)
}
