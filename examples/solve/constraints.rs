//! One step of bodies and constraints in a file of scenes: masses, velocities, operators and laws.

use std::ops::Range;

use ldy::solve::{Kind, Law};
use ldy::system::{Inertia, Kinematics, Operator, Result, System};
use nalgebra::DMatrix;

/// The number of contacts with friction in files.
pub const CONTACT: i64 = 0;
const FIXED: i64 = 1;
/// The number of bounds on one scalar row.
pub const BOUNDS: i64 = 2;
/// The number of contacts in the expansion phase of an impact, the largest.
pub const EXPANSION: i64 = 3;

/// One step.
#[derive(Default)]
pub struct Step {
    /// The length of the step.
    pub h: f64,
    /// The mass matrix of each body.
    pub masses: Vec<DMatrix<f64>>,
    /// Free velocities of all bodies.
    pub velocities: Vec<f64>,
    /// The bodies and operators of each constraint.
    pub operators: Vec<Vec<(usize, DMatrix<f64>)>>,
    /// The law of each constraint.
    pub laws: Vec<Law<[f64; 6]>>,
    /// The initial guess of the forces.
    pub forces: Vec<f64>,
}

impl Step {
    /// The number of scalar rows of all constraints.
    pub fn scalars(&self) -> usize {
        self.operators.iter().map(|operators| operators[0].1.nrows()).sum()
    }

    /// The laws in the form of a contact solver.
    pub fn laws(&self) -> Vec<Law> {
        let heights = self.operators.iter().map(|operators| operators[0].1.nrows());
        self.laws.iter().zip(heights).flat_map(|(law, height)| law.parts(height)).collect()
    }

    /// Make a system of these bodies and constraints, and update it.
    pub fn system(&self) -> Result<System> {
        let mut system = System::new();
        let mut ids = Vec::new();
        let mut first = 0;
        for mass in &self.masses {
            let dofs = mass.nrows();
            let inverse = mass.clone().try_inverse().unwrap_or_else(|| DMatrix::zeros(dofs, dofs));
            let inverse = (&inverse + inverse.transpose()) * 0.5;
            let inertia = Inertia::dense(dofs, inverse.as_slice()).map_err(of_system)?;
            let id = system.add_body(dofs, Kinematics::General, inertia)?;
            system.set_velocity(id, &self.velocities[first..first + dofs])?;
            first += dofs;
            ids.push(id);
        }
        for operators in &self.operators {
            let bodies: Vec<_> = operators.iter().map(|(body, _)| ids[*body]).collect();
            let operators =
                operators.iter().map(|(_, h)| Operator::dense(h.nrows(), h.ncols(), h.as_slice()));
            system.add_constraint_rows(
                &bodies,
                operators.collect::<std::result::Result<_, _>>().map_err(of_system)?,
            )?;
        }
        system.update(self.h)?;
        Ok(system)
    }
}

fn of_system(fault: ldy::system::Fault) -> ldy::system::Error {
    ldy::system::Error { subject: ldy::system::Subject::System, fault }
}

/// The law of a constraint with these scalar rows; a contact has friction along both tangents, cohesion, and
/// coefficients of rolling and torsion.
pub fn law(kind: i64, contact: [f64; 5], bias: &[f64], bounds: [&[f64]; 2]) -> Law<[f64; 6]> {
    let padded = |values: &[f64], rest: f64| {
        let mut six = [rest; 6];
        six[..values.len()].copy_from_slice(values);
        six
    };
    let kind = match kind {
        CONTACT => {
            let [friction, friction_2, cohesion, rolling_friction, torsional_friction] = contact;
            Kind::Contact { friction, friction_2, cohesion, rolling_friction, torsional_friction }
        }
        EXPANSION => Kind::Expansion { friction: contact[0], least_force: bounds[0][0] },
        FIXED => Kind::Bounds { lower: [f64::NEG_INFINITY; 6], upper: [f64::INFINITY; 6] },
        _ => Kind::Bounds { lower: padded(bounds[0], 0.0), upper: padded(bounds[1], 0.0) },
    };
    Law { kind, bias: padded(bias, 0.0) }
}

/// Tangents and normal as columns. The first tangent is computed from the axis that is least parallel to the normal.
pub fn frame(normal: &[f64]) -> [[f64; 3]; 3] {
    let unit = |v: [f64; 3]| {
        let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.map(|x| x / size)
    };
    let n = unit([normal[0], normal[1], normal[2]]);
    let k = (0..3).fold(0, |k, i| if n[i].abs() < n[k].abs() { i } else { k });
    let mut s: [f64; 3] = std::array::from_fn(|i| -n[i] * n[k]);
    s[k] += 1.0;
    let s = unit(s);
    [s, cross(n, s), n]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

/// The operator of a contact at a point of a rigid body.
pub fn contact_operator(frame: &[[f64; 3]; 3], point: &[f64], center: &[f64], sign: f64) -> DMatrix<f64> {
    let arm = std::array::from_fn(|i| point[i] - center[i]);
    let mut h = DMatrix::zeros(3, 6);
    for (row, axis) in frame.iter().enumerate() {
        let turning = cross(arm, *axis);
        for i in 0..3 {
            h[(row, i)] = sign * turning[i];
            h[(row, 3 + i)] = sign * axis[i];
        }
    }
    h
}

/// Convert operators from compressed rows: entries of each row by column.
pub fn operators_of_rows(
    scalars: Range<usize>,
    starts: &[usize],
    columns: &[usize],
    values: &[f64],
    dofs: &[usize],
) -> Vec<(usize, DMatrix<f64>)> {
    let mut operators: Vec<(usize, DMatrix<f64>)> = Vec::new();
    for (row, scalar) in scalars.clone().enumerate() {
        for k in starts[scalar]..starts[scalar + 1] {
            let column = columns[k];
            let body = dofs.partition_point(|&first| first <= column) - 1;
            let at = operators.iter().position(|(other, _)| *other == body).unwrap_or_else(|| {
                operators.push((body, DMatrix::zeros(scalars.len(), dofs[body + 1] - dofs[body])));
                operators.len() - 1
            });
            operators[at].1[(row, column - dofs[body])] += values[k];
        }
    }
    operators
}
