//! Derivatives by what H of a point is made of: H = Eᵀ K with the frame E and K of the point in the axes of the world.
//!
//! With G = ∂L/∂H: ∂L/∂E = K Gᵀ and ∂L/∂K = E G. K = [Λ skew (X̄ − X) | I] of a rigid body, theory (43), and K = [arm ⊗ I | I] of a
//! pseudo-rigid one with the arm X − X̄, theory (44).
#![forbid(unsafe_code)]

use crate::kinematics::{pseudo_rigid, rigid};
use crate::math::{Block, UNIT, Vector, difference, of_columns, sum, times, transposed_product};
use crate::system::body::Kinematics;
use crate::system::joints::BySide;

impl BySide {
    /// The derivatives for ∂L/∂H = `column (k)` for column k; none if H of the body is not made of points.
    pub fn of_point(
        kinematics: &Kinematics,
        point: &Vector,
        frame: &Block,
        column: impl Fn(usize) -> Vector,
    ) -> Option<Self> {
        let mut made = Self::default();
        match kinematics {
            Kinematics::Rigid { rotation, center } => {
                made.add_frame(&rigid::Rigid { rotation, center }.operator(point, &UNIT), &column);
                // E G of the angular velocities, and S = skew (X̄ − X).
                let turned = of_columns([0, 1, 2].map(|k| times(frame, &column(k))));
                let [x, y, z] = difference(center, point);
                let skew: [Vector; 3] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]];
                // K = Λ S, so that ∂L/∂Λ = (E G) Sᵀ = −(E G) S and ∂L/∂S = Λᵀ (E G).
                made.rotation = of_columns(skew.map(|column| times(&turned, &column.map(|x| -x))));
                let by_skew = transposed_product(rotation, &turned);
                // S has 6 entries of ± X̄ − X.
                made.point = [by_skew[7] - by_skew[5], by_skew[2] - by_skew[6], by_skew[3] - by_skew[1]];
            }
            Kinematics::PseudoRigid { center } => {
                made.add_frame(&pseudo_rigid::PseudoRigid { center }.operator(point, &UNIT), &column);
                // The rate of row i of F times the arm is component i of the velocity.
                for i in 0..3 {
                    made.point = sum(&made.point, &[0, 1, 2].map(|j| times(frame, &column(3 * i + j))[i]));
                }
            }
            Kinematics::General => return None,
        }
        Some(made)
    }

    fn add_frame(&mut self, of_world: &[f64], column: impl Fn(usize) -> Vector) {
        for (k, own) in of_world.as_chunks::<3>().0.iter().enumerate() {
            let g = column(k);
            for (j, to) in self.frame.as_chunks_mut::<3>().0.iter_mut().enumerate() {
                (0..3).for_each(|i| to[i] += own[i] * g[j]);
            }
        }
    }
}
