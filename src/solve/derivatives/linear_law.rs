//! Laws for small changes of a solution, in the scaled unknowns y = √d R and v = U / √d:
//! F dy + f dz + V dv + P dθ = 0, where z is y of the row before, for rows of moments, and θ are the numbers of the law.
//!
//! An open contact keeps its force. A closed one keeps its normal velocity, and each part of it either keeps its velocity (it
//! sticks) or obeys y = −y_N M w, w = M v / |M v| (it slides, rolls or spins), with M = diag μ. A component with bounds keeps its
//! velocity between them, and its force at a bound.

use crate::math::{Block, Vector, length};
use crate::memory::{self, push};
use crate::solve::frames::Axes;
use crate::solve::laws::{LawKind, of_kind};
use crate::solve::state::Solution;

/// Where a solution is at a kink: the law has one derivative for changes to one side and another one for changes to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KinkKind {
    /// A contact has neither force nor normal velocity. Its force counts as constant.
    Touching,
    /// A contact has the largest friction and does not slide. It counts as sticking.
    Sliding,
    /// A contact has the largest moment about its tangents and does not roll. It counts as sticking.
    Rolling,
    /// A contact has the largest moment about its normal and does not spin. It counts as sticking.
    Spinning,
    /// A component of the force is at a bound and its velocity is zero. Its force counts as constant.
    Bound,
}

/// A kink of a row of three.
#[derive(Clone, Copy, Debug)]
pub struct Kink3 {
    pub row: usize,
    pub lane: usize,
    pub kind: KinkKind,
}

/// The bound that holds a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    #[default]
    None,
    Lower,
    Upper,
    /// Both, which are the same.
    Given,
}

/// The law of a row of three for small changes.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearLaw {
    /// F, column-major.
    pub force: Block,
    /// f, for all components of the row before.
    pub pull: Block,
    /// V.
    pub velocity: Block,
    /// P: columns of friction, second friction and cohesion; in rows of moments of rolling friction, torsional friction and cohesion.
    pub numbers: Block,
    /// Whether the third column of P belongs to the least force, and not to cohesion.
    pub has_least_force: bool,
    /// The bounds that hold components.
    pub bounds: [Bound; 3],
}

/// A part of a contact: the force along both tangents, or moments.
pub struct LawPart<'a> {
    pub lanes: &'a [usize],
    /// The limits of the scaled components over the scaled normal force.
    pub limits: [f64; 2],
    /// The columns of the coefficients in [`LinearLaw::numbers`].
    pub columns: [usize; 2],
    /// The scaled limits over the coefficients.
    pub ratio: f64,
    /// Scaled, with the cohesion.
    pub normal: f64,
    pub kind: KinkKind,
}

impl LinearLaw {
    /// Whether velocities do not matter, and no other row: the forces of the row depend on its numbers alone.
    pub fn is_given(&self) -> bool {
        // Without the signs of zeros, and without branches.
        self.velocity.iter().chain(&self.pull).fold(0, |all, x| all | x.to_bits() << 1) == 0
    }
}

impl Solution<'_> {
    /// The scaled normal force of a contact with its cohesion, if the contact is closed.
    pub fn closed_force<A: Axes>(&self, row: usize) -> Option<f64> {
        let cohesion = of_kind!(&self.laws[row].kind, law => law.cohesion())?;
        let force = self.roots[row] * (self.forces[row][A::N] + cohesion);
        (force > self.zeros[row]).then_some(force)
    }

    /// Add the equations of a part of a closed contact. Returns the factors of the change of the normal force.
    pub fn add_part(
        &self,
        law: &mut LinearLaw,
        row: usize,
        part: &LawPart,
        kinks: &mut Vec<Kink3>,
    ) -> memory::Result<Vector> {
        let &LawPart { lanes, limits, columns, ratio, normal, kind } = part;
        let (root, zero) = (self.roots[row], self.zeros[row]);
        let of_lanes = |value: &dyn Fn(usize, usize) -> f64| -> [f64; 2] {
            std::array::from_fn(|i| lanes.get(i).map_or(0.0, |&lane| value(i, lane)))
        };
        let most = limits[0].max(limits[1]);
        // M over its largest entry, so that the direction has a limit without friction.
        let shape = of_lanes(&|i, _| if most > 0.0 { limits[i] / most } else { 1.0 });
        let v = of_lanes(&|i, lane| if shape[i] > 0.0 { self.velocities[row][lane] / root } else { 0.0 });
        let mut pull = [0.0; 3];
        if length(v[0], v[1]) <= zero {
            let share = |i: usize, lane: usize| root * self.forces[row][lane] / (limits[i] / most);
            let y = of_lanes(&|i, lane| if limits[i] > 0.0 { share(i, lane) } else { 0.0 });
            if most > 0.0 && most * normal - length(y[0], y[1]) <= zero {
                push(kinks, Kink3 { row, lane: lanes[0], kind })?;
            }
            for (i, &lane) in lanes.iter().enumerate() {
                let to = if limits[i] > 0.0 { &mut law.velocity } else { &mut law.force };
                to[4 * lane] = 1.0;
            }
            return Ok(pull);
        }
        let speed = length(shape[0] * v[0], shape[1] * v[1]);
        let w = [0, 1].map(|i| shape[i] * v[i] / speed);
        // The change of w has this direction, across w.
        let across = if lanes.len() == 2 { [-shape[0] * w[1], shape[1] * w[0]] } else { [0.0; 2] };
        let size = length(across[0], across[1]);
        let stiffness = normal * most / speed * (size * size);
        let unit = across.map(|x| if size > 0.0 { x / size } else { 0.0 });
        // The equation across w is divided by its largest coefficient.
        let share = stiffness / (1.0 + stiffness);
        let scaled = |x: [f64; 2]| {
            let along = share * (unit[0] * x[0] + unit[1] * x[1]);
            [x[0] - along * unit[0], x[1] - along * unit[1]]
        };
        let of_normal = scaled([limits[0] * w[0], limits[1] * w[1]]);
        for (i, &lane) in lanes.iter().enumerate() {
            pull[lane] = of_normal[i];
            for (j, &other) in lanes.iter().enumerate() {
                let unit_column = scaled([f64::from(j == 0), f64::from(j == 1)]);
                law.force[3 * other + lane] = unit_column[i];
                law.velocity[3 * other + lane] = share * unit[i] * unit[j];
            }
        }
        for j in 0..lanes.len() {
            // M w changes with its j-th coefficient, and so does w.
            let turn = if j == 0 { -w[1] } else { w[0] } * v[j] / speed;
            let mut change = across.map(|x| if lanes.len() == 2 { x * turn } else { 0.0 });
            change[j] += w[j];
            let change = scaled(change.map(|x| ratio * normal * x));
            for (i, &lane) in lanes.iter().enumerate() {
                law.numbers[3 * columns[j] + lane] += change[i];
            }
        }
        Ok(pull)
    }
}
