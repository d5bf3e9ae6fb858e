//! The moments of a contact, whose limits depend on the normal force in the row before: `rolling` has force and moments together.

use crate::math::{Block, UNIT, Vector, length};
use crate::memory;
use crate::rows::fault::Fault;
use crate::solve::derivatives::{Kink3, KinkKind, LawPart, LinearLaw};
use crate::solve::determinacy::Faces;
use crate::solve::frames::Axes;
use crate::solve::problem::Normal;
use crate::solve::rolling::Coefficients;
use crate::solve::rows_of_three::{IN_ORDER, LaneOrder};
use crate::solve::state::Solution;

use super::{LawKind, LocalLaw, Moments, slope_of_disk};

/// The contact's solution gives moments their value.
#[derive(Clone, Copy, Debug)]
pub struct WithContact;

impl LocalLaw for WithContact {
    #[inline(always)]
    fn force<A: Axes>(&self, _: &Vector, old: &Vector, _: f64) -> Vector {
        *old
    }
}

impl LawKind for Moments {
    type Local = WithContact;

    /// Files have rows of any height; the law of the contact is that of the row.
    const IN_FILES: i32 = 0;
    const HAS_INTERIOR: bool = false;

    fn check(&self, _: usize, _: usize, _: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn lanes(&self, height: usize, normal: Normal) -> LaneOrder {
        match (height, normal) {
            (4, Normal::Third) => [2, 0, 1],
            (5, Normal::First) => [1, 2, 0],
            _ => IN_ORDER,
        }
    }

    fn local<A: Axes>(&self, _: &Block) -> WithContact {
        WithContact
    }

    #[inline(always)]
    fn allowed<A: Axes>(&self, r: &Vector) -> Vector {
        *r
    }

    #[inline(always)]
    fn projected<A: Axes>(&self, x: &Vector, _: f64) -> Vector {
        *x
    }

    #[inline(always)]
    fn slope<A: Axes>(&self, _: &Vector, _: f64) -> Block {
        [0.0; 9]
    }

    /// Bodies may roll with any angular velocity.
    #[inline(always)]
    fn dual<A: Axes>(&self, _: &Vector) -> Vector {
        [0.0; 3]
    }

    #[inline(always)]
    fn reach<A: Axes>(&self, _: &Vector) -> (f64, Vector) {
        (0.0, [0.0; 3])
    }

    /// The contact adds the directions of its moments.
    fn add_faces<A: Axes>(&self, _: &mut Faces, _: &Solution, _: usize) -> memory::Result {
        Ok(())
    }

    /// Moments of an open contact are constant. Their limits follow the normal force of a closed one.
    fn linearized<A: Axes>(
        &self,
        solution: &Solution,
        row: usize,
        law: &mut LinearLaw,
        kinks: &mut Vec<Kink3>,
    ) -> memory::Result {
        let own = row.checked_sub(1).and_then(|before| Coefficients::of(solution.laws, before));
        let normal = row.checked_sub(1).and_then(|before| solution.closed_force::<A>(before));
        let (Some(Coefficients { limits: [_, rolling, torsion], .. }), Some(normal)) = (own, normal) else {
            law.force = UNIT;
            return Ok(());
        };
        let before = solution.roots[row - 1];
        let ratio = solution.roots[row] / before;
        let tangents = LawPart {
            lanes: &[A::S, A::T],
            limits: [ratio * rolling; 2],
            columns: [0, 0],
            ratio,
            normal,
            kind: KinkKind::Rolling,
        };
        let about_normal = LawPart {
            lanes: &[A::N],
            limits: [ratio * torsion; 2],
            columns: [1, 1],
            kind: KinkKind::Spinning,
            ..tangents
        };
        for part in [tangents, about_normal] {
            let pull = solution.add_part(law, row, &part, kinks)?;
            for &lane in part.lanes {
                law.pull[3 * A::N + lane] = pull[lane];
                law.numbers[6 + lane] = before * pull[lane];
            }
        }
        Ok(())
    }
}

/// The limits of the moments about tangents and normal, and their change with the normal force.
#[derive(Clone, Copy, Debug, Default)]
pub struct MomentLimits {
    pub limits: [f64; 2],
    pub slopes: [f64; 2],
}

impl MomentLimits {
    /// The projection of moments.
    #[inline(always)]
    pub fn projected<A: Axes>(&self, x: &Vector) -> Vector {
        let Self { limits, .. } = self;
        let size = length(x[A::S], x[A::T]);
        let scale = if size <= limits[0] { 1.0 } else { limits[0] / size };
        let mut p = x.map(|x| scale * x);
        p[A::N] = x[A::N].clamp(-limits[1], limits[1]);
        p
    }

    /// The derivative of this projection by x.
    #[inline(always)]
    pub fn slope<A: Axes>(&self, x: &Vector) -> Block {
        let Self { limits, .. } = self;
        let mut slope = [0.0; 9];
        let size = length(x[A::S], x[A::T]);
        slope_of_disk::<A>(&mut slope, x, limits[0], size);
        slope[4 * A::N] = f64::from(x[A::N].abs() <= limits[1]);
        slope
    }

    /// The derivative of this projection by the normal force.
    #[inline(always)]
    pub fn pull<A: Axes>(&self, x: &Vector) -> Vector {
        let Self { limits, slopes } = self;
        let mut pull = [0.0; 3];
        let size = length(x[A::S], x[A::T]);
        if size > limits[0] {
            pull[A::S] = slopes[0] * x[A::S] / size;
            pull[A::T] = slopes[0] * x[A::T] / size;
        }
        if x[A::N].abs() > limits[1] {
            pull[A::N] = slopes[1].copysign(x[A::N]);
        }
        pull
    }
}
