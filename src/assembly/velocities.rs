//! Free velocities: B = H_m v_m − H_s v_s of the current and V of the previous generalized velocities, (67).

use crate::kinematics::Point;
use crate::math::{Block, Vector};

/// The master or the slave of a constraint.
#[derive(Clone, Copy, Debug)]
pub struct ConstraintSide<'a> {
    /// 1 for the master, −1 for the slave; 1 for an operator that includes its sign.
    pub sign: f64,
    /// The local frame: its axes are the columns.
    pub frame: &'a Block,
    /// The point that the constraint acts on.
    pub point: Point<'a>,
    /// The previous generalized velocity.
    pub previous: &'a [f64],
    /// The current generalized velocity.
    pub current: &'a [f64],
}

impl ConstraintSide<'_> {
    /// The side's part of V and B: H v of the previous and of the current velocity, with the sign. Compiled once: inlining it
    /// would inline all kinds of points too.
    #[inline(never)]
    pub fn local_velocities(&self) -> [Vector; 2] {
        let Self { sign, frame, point, previous, current } = self;
        let [v, b] = point.local_velocities(frame, [previous, current]);
        [v.map(|value| sign * value), b.map(|value| sign * value)]
    }
}

/// V and B of a constraint, the sum over its master and slave if it has them. No component is −0: all are added to 0.
///
/// # Errors
/// The error of the first side that has no velocities.
#[inline(always)]
pub fn free_velocities<'a, E>(
    sides: impl IntoIterator<Item = Result<ConstraintSide<'a>, E>>,
) -> Result<[Vector; 2], E> {
    let mut sum = [[0.0; 3]; 2];
    for side in sides {
        for (sum, local) in sum.as_flattened_mut().iter_mut().zip(side?.local_velocities().as_flattened()) {
            *sum += local;
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinematics::pseudo_rigid::PseudoRigid;
    use crate::kinematics::rigid::Rigid;
    use crate::math::has_negative_zero;
    use std::convert::Infallible;

    fn made<const N: usize>(sides: [ConstraintSide; N]) -> [Vector; 2] {
        free_velocities(sides.map(Ok::<_, Infallible>)).unwrap()
    }

    #[test]
    fn master_counts_plus_and_slave_minus() {
        let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        // Axes: e_y, e_z, e_x.
        let frame = &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
        let master = ConstraintSide {
            sign: 1.0,
            frame,
            point: Point::Rigid(Rigid { rotation: &identity, center: &[1.0, 0.0, 0.0] }, [2.0, 0.0, 0.0]),
            previous: &[0.0, 0.0, 2.0, 0.0, 0.0, 0.0],
            current: &[0.0, 0.0, 0.0, 1.0, 2.0, 3.0],
        };
        let slave = ConstraintSide {
            sign: -1.0,
            frame,
            point: Point::PseudoRigid(PseudoRigid { center: &[0.0; 3] }, [0.0, 1.0, 0.0]),
            previous: &[0.0; 12],
            current: &[0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 7.0],
        };
        // Turning about z with 2 moves the point one off the center along x by 2 along y.
        assert_eq!(made([master]), [[2.0, 0.0, 0.0], [2.0, 3.0, 1.0]]);
        assert_eq!(made([master, slave]), [[2.0, 0.0, 0.0], [-3.0, -4.0, 1.0]]);
    }

    #[test]
    fn the_first_side_that_has_none_is_told() {
        let sides = [Err('a'), Err('b')];
        assert_eq!(free_velocities(sides), Err('a'));
    }

    #[test]
    fn components_that_are_zero_have_no_sign() {
        let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let point = Point::Rigid(Rigid { rotation: &identity, center: &[0.0; 3] }, [1.0, 0.0, 0.0]);
        for velocity in [[0.0; 6], [-0.0; 6]] {
            let side = |sign| ConstraintSide {
                sign,
                frame: &identity,
                point,
                previous: &velocity,
                current: &velocity,
            };
            for sides in [made([side(1.0)]), made([side(-1.0)]), made([side(1.0), side(-1.0)])] {
                assert!(sides.iter().all(|velocity| !has_negative_zero(velocity)));
            }
        }
    }
}
