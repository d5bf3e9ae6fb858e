//! Free velocities: B = H_m v_m − H_s v_s of the current and V of the previous generalised velocities, (67).

use std::array;

use crate::block::{Block, Vector};
use crate::kinematics::Point;

/// One of the bodies of a constraint.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The point that the constraint acts on.
    pub point: Point<'a>,
    /// The previous generalised velocity.
    pub previous: &'a [f64],
    /// The current generalised velocity.
    pub current: &'a [f64],
}

impl Side<'_> {
    /// H v of the previous and of the current velocity.
    #[inline(always)]
    pub fn local_velocities(&self, frame: &Block) -> [Vector; 2] {
        [self.point.local_velocity(frame, self.previous), self.point.local_velocity(frame, self.current)]
    }
}

/// V and B of a constraint, of the local velocities of its bodies: master minus slave. No component is −0: the master's are
/// added to 0.
#[inline(always)]
pub fn free_velocities(master: [Vector; 2], slave: Option<[Vector; 2]>) -> [Vector; 2] {
    let slave = slave.unwrap_or_default();
    array::from_fn(|k| array::from_fn(|i| (0.0 + master[k][i]) - slave[k][i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::has_negative_zero;
    use crate::kinematics::pseudo_rigid::PseudoRigid;
    use crate::kinematics::rigid::Rigid;

    #[test]
    fn master_counts_plus_and_slave_minus() {
        let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        // Axes: e_y, e_z, e_x.
        let frame = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
        let master = Side {
            point: Point::Rigid(Rigid { rotation: &identity, center: &[1.0, 0.0, 0.0] }, [2.0, 0.0, 0.0]),
            previous: &[0.0, 0.0, 2.0, 0.0, 0.0, 0.0],
            current: &[0.0, 0.0, 0.0, 1.0, 2.0, 3.0],
        };
        let slave = Side {
            point: Point::PseudoRigid(PseudoRigid { center: &[0.0; 3] }, [0.0, 1.0, 0.0]),
            previous: &[0.0; 12],
            current: &[0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 7.0],
        };
        // Turning about z with 2 moves the point one off the centre along x by 2 along y.
        let [master, slave] = [master, slave].map(|side| side.local_velocities(&frame));
        assert_eq!(free_velocities(master, None), [[2.0, 0.0, 0.0], [2.0, 3.0, 1.0]]);
        assert_eq!(free_velocities(master, Some(slave)), [[2.0, 0.0, 0.0], [-3.0, -4.0, 1.0]]);
    }

    #[test]
    fn components_that_are_zero_have_no_sign() {
        let (zeros, negative) = ([[0.0; 3]; 2], [[-0.0; 3]; 2]);
        for master in [zeros, negative] {
            for slave in [None, Some(zeros), Some(negative)] {
                let made = free_velocities(master, slave);
                assert!(made.iter().all(|velocity| !has_negative_zero(velocity)), "{master:?} {slave:?}");
            }
        }
    }
}
