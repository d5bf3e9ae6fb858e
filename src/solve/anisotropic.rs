//! Transformation of friction that differs along the two tangents into friction that is the same in all directions. With μ the
//! larger coefficient and D = diag (1, μ_1 / μ, μ_2 / μ), R = D R̃ and Ũ = D U have the same power; R̃ and Ũ obey the law with μ in
//! all directions if and only if R and U obey their law; and Ũ = D B + D W D R̃. Contacts with one coefficient have D = 1. If all
//! contacts have one coefficient, nothing is copied. Multipliers of proofs need no change: D is 1 where they are not zero.

use crate::math::{Block, Vector};
use crate::memory::{self, collect};

use super::frames::{Axes, NormalFirst, NormalThird};
use super::laws::{Kind, LawKind, of_kind};
use super::problem::{Law, Normal, Problem3};

/// A problem in scaled units, and its workspace.
#[derive(Debug, Default)]
pub struct Scaled {
    /// D.
    scales: Vec<Vector>,
    values: Vec<Block>,
    b: Vec<Vector>,
    laws: Vec<Law>,
    forces: Vec<Vector>,
}

impl Scaled {
    /// Scale a problem, its laws and the initial guess.
    pub fn prepare(&mut self, problem: &Problem3, laws: &[Law], forces: &[Vector]) -> memory::Result {
        let rows = problem.rows();
        let scales = laws.iter().map(|law| match problem.normal {
            Normal::First => scale::<NormalFirst>(&law.kind),
            Normal::Third => scale::<NormalThird>(&law.kind),
        });
        collect(&mut self.scales, rows, scales)?;
        let scales = &self.scales;
        let blocks = (0..rows).flat_map(|row| problem.row(row).map(move |(column, w)| (row, column, w)));
        let scaled = blocks.map(|(row, column, w)| -> Block {
            std::array::from_fn(|k| scales[row][k % 3] * w[k] * scales[column][k / 3])
        });
        collect(&mut self.values, problem.values.len(), scaled)?;
        collect(&mut self.b, rows, problem.b.iter().zip(scales).map(times))?;
        collect(&mut self.laws, rows, laws.iter().zip(scales).map(one_coefficient))?;
        collect(&mut self.forces, rows, forces.iter().zip(scales).map(divided))
    }

    /// The scaled problem, its laws and the forces, and D.
    pub fn parts<'a>(
        &'a mut self,
        problem: &Problem3<'a>,
    ) -> (Problem3<'a>, &'a [Law], &'a mut [Vector], &'a [Vector]) {
        let Self { scales, values, b, laws, forces } = self;
        (Problem3 { values, b, ..*problem }, laws, forces, scales)
    }

    /// Compute the forces R = D R̃.
    pub fn read(&self, forces: &mut [Vector]) {
        for (force, pair) in forces.iter_mut().zip(self.forces.iter().zip(&self.scales)) {
            *force = times(pair);
        }
    }
}

/// Whether a law has two coefficients.
pub fn is_anisotropic(law: &Law) -> bool {
    of_kind!(&law.kind, kind => kind.frictions()).is_some_and(|[friction, friction_2]| friction != friction_2)
}

/// D of a row.
fn scale<A: Axes>(kind: &Kind) -> Vector {
    let mut scale = [1.0; 3];
    if let Some([friction, friction_2]) = of_kind!(kind, law => law.frictions())
        && friction != friction_2
    {
        let most = friction.max(friction_2);
        scale[A::S] = friction / most;
        scale[A::T] = friction_2 / most;
    }
    scale
}

/// The law of scaled forces and velocities.
fn one_coefficient((law, scale): (&Law, &Vector)) -> Law {
    let kind = of_kind!(&law.kind, kind => match kind.frictions() {
        Some([friction, friction_2]) => kind.isotropic(friction.max(friction_2)).into(),
        None => law.kind,
    });
    Law { kind, bias: times((&law.bias, scale)) }
}

fn times((vector, scale): (&Vector, &Vector)) -> Vector {
    std::array::from_fn(|i| scale[i] * vector[i])
}

/// Zero where there is no friction: a force there changes nothing.
fn divided((vector, scale): (&Vector, &Vector)) -> Vector {
    std::array::from_fn(|i| {
        let quotient = vector[i] / scale[i];
        if quotient.is_finite() { quotient } else { 0.0 }
    })
}
