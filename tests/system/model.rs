//! Bodies and constraints of a system: what it ought to be by dense matrices, and the system made again from them.

use std::collections::BTreeMap;

use ldy::system::{Id, Inertia, Kinematics, Operator, Solve, System};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use testing::dense::{self, Reference};
use testing::matrices::{compressed, nonzero};

/// The form of a body's inertia; [`Body`] has the inverse.
#[derive(Clone, Debug)]
pub enum Known {
    Obstacle,
    Rigid(f64, [f64; 9]),
    PseudoRigid(f64, [f64; 9]),
    Dense,
    Diagonal,
    /// A itself, and whether only its lower triangle is given.
    Matrix(DMatrix<f64>, bool),
    Solver,
}

struct Inverting(DMatrix<f64>);

impl Solve for Inverting {
    fn solve(&self, size: usize, x: &mut [f64]) -> i32 {
        let solved = &self.0 * DMatrix::from_column_slice(size, x.len() / size, x);
        x.copy_from_slice(solved.as_slice());
        0
    }
}

#[derive(Clone, Debug)]
pub struct Body {
    pub kinematics: Kinematics,
    pub known: Known,
    pub inverse: DMatrix<f64>,
    /// The previous and the free velocity.
    pub velocities: [Vec<f64>; 2],
}

impl Body {
    pub fn dofs(&self) -> usize {
        self.inverse.nrows()
    }

    pub fn has_points(&self) -> bool {
        !matches!(self.kinematics, Kinematics::General)
    }

    fn inertia(&self) -> Inertia {
        let inertia = match &self.known {
            Known::Obstacle => return Inertia::Obstacle,
            Known::Rigid(mass, tensor) => Inertia::rigid(*mass, tensor),
            Known::PseudoRigid(mass, tensor) => Inertia::pseudo_rigid(*mass, tensor),
            Known::Dense => Inertia::dense(self.dofs(), self.inverse.as_slice()),
            Known::Diagonal => Inertia::diagonal(self.inverse.diagonal().as_slice()),
            Known::Matrix(a, is_lower) => {
                let (starts, rows, values) = nonzero(a, |i, j| i >= j || !is_lower);
                Inertia::matrix(&starts, &rows, &values)
            }
            Known::Solver => Inertia::solver(Inverting(self.inverse.clone())),
        };
        inertia.unwrap()
    }

    /// H of a point.
    fn operator(&self, frame: &[f64; 9], point: &[f64; 3], sign: f64) -> DMatrix<f64> {
        let (frame, point) = (Matrix3::from_column_slice(frame), Vector3::from(*point));
        match self.kinematics {
            Kinematics::Rigid { rotation, center } => {
                let rotation = Matrix3::from_column_slice(&rotation);
                dense::of_rigid(&rotation, &(point - Vector3::from(center)), &frame, sign)
            }
            Kinematics::PseudoRigid { center } => {
                dense::of_pseudo_rigid(&(point - Vector3::from(center)), &frame, sign)
            }
            Kinematics::General => unreachable!("it has no points"),
        }
    }
}

/// Factor, nodes and their weights.
pub type Nodal = ([f64; 9], Vec<i32>, Vec<f64>);

#[derive(Clone, Debug)]
pub enum Place {
    /// Frame, points, and whether the first body is the slave.
    Points([f64; 9], [[f64; 3]; 2], bool),
    /// H of each body, and whether it is given as a sparse matrix.
    Operators(Vec<DMatrix<f64>>, bool),
    /// H of each body.
    Nodal(Vec<Nodal>),
}

#[derive(Clone, Debug)]
pub struct Constraint {
    pub rows: usize,
    /// At points and by nodes there are one or two.
    pub bodies: Vec<Id>,
    pub place: Place,
    pub compliance: Option<DMatrix<f64>>,
    /// What regularization adds to the diagonal.
    pub shift: Vec<f64>,
}

#[derive(Clone, Default)]
pub struct Model {
    pub bodies: BTreeMap<Id, Body>,
    pub constraints: BTreeMap<Id, Constraint>,
    pub next: Id,
    pub next_body: Id,
}

impl Model {
    /// H of a constraint on one of its bodies.
    fn operator(&self, constraint: &Constraint, which: usize) -> DMatrix<f64> {
        let body = &self.bodies[&constraint.bodies[which]];
        match &constraint.place {
            Place::Operators(operators, _) => operators[which].clone(),
            Place::Points(frame, points, is_slave) => {
                let side = which + usize::from(*is_slave);
                body.operator(frame, &points[side], [1.0, -1.0][side])
            }
            Place::Nodal(operators) => {
                let (factor, nodes, weights) = &operators[which];
                let mut h = DMatrix::zeros(3, body.dofs());
                for (node, weight) in nodes.iter().zip(weights) {
                    let part = Matrix3::from_column_slice(factor) * *weight;
                    h.view_mut((0, 3 * *node as usize), (3, 3)).copy_from(&part);
                }
                h
            }
        }
    }

    /// All of it by dense matrices; bodies and constraints are in the order of their ids.
    pub fn reference(&self, step: f64) -> Reference {
        let places: BTreeMap<Id, usize> = self.bodies.keys().copied().zip(0..).collect();
        let body = |body: &Body| dense::Body {
            inverse: body.inverse.clone(),
            velocities: body.velocities.each_ref().map(|velocity| DVector::from_column_slice(velocity)),
            is_obstacle: matches!(body.known, Known::Obstacle),
        };
        let constraint = |one: &Constraint| {
            let operators = (0..one.bodies.len()).map(|k| (places[&one.bodies[k]], self.operator(one, k)));
            let shift = DMatrix::from_diagonal(&DVector::from_column_slice(&one.shift));
            let compliance = one.compliance.as_ref().map_or(shift.clone(), |compliance| compliance + shift);
            dense::Constraint { rows: one.rows, operators: operators.collect(), compliance: Some(compliance) }
        };
        let bodies: Vec<_> = self.bodies.values().map(body).collect();
        let constraints: Vec<_> = self.constraints.values().map(constraint).collect();
        Reference::new(&bodies, &constraints, step)
    }

    /// A system that is made of this alone.
    pub fn anew(&self) -> System {
        let mut system = System::new();
        for id in 0..self.next_body {
            let Some(body) = self.bodies.get(&id) else {
                // An id that is gone has been used.
                let gone = system.add_body(1, Kinematics::General, Inertia::diagonal(&[1.0]).unwrap());
                system.remove_body(gone.unwrap()).unwrap();
                continue;
            };
            assert_eq!(insert_body(&mut system, body), id);
        }
        self.constraints.values().for_each(|one| {
            insert_constraint(&mut system, one);
        });
        system.set_regularization(&self.shifts()).unwrap();
        system
    }

    /// Set what regularization adds: one value, one for each constraint, or one for each scalar row.
    pub fn set_shifts(&mut self, mu: &[f64]) {
        let (count, mut rest) = (self.constraints.len(), mu);
        for (row, one) in self.constraints.values_mut().enumerate() {
            one.shift = match mu.len() {
                1 => vec![mu[0]; one.rows],
                given if given == count => vec![mu[row]; one.rows],
                _ => rest.split_off(..one.rows).unwrap().to_vec(),
            };
        }
    }

    /// The regularization of all scalar rows.
    pub fn shifts(&self) -> Vec<f64> {
        let shifts: Vec<f64> = self.constraints.values().flat_map(|one| one.shift.clone()).collect();
        if shifts.is_empty() { vec![0.0] } else { shifts }
    }
}

pub fn insert_body(system: &mut System, body: &Body) -> Id {
    let id = system.add_body(body.dofs(), body.kinematics, body.inertia()).unwrap();
    system.set_previous_velocity(id, &body.velocities[0]).unwrap();
    system.set_velocity(id, &body.velocities[1]).unwrap();
    id
}

/// By the call that a matrix or a dense inverse has, else by that for all.
pub fn set_inertia(system: &mut System, id: Id, body: &Body) {
    match (&body.known, body.inertia()) {
        (Known::Dense, _) => system.set_dense(id, body.dofs(), body.inverse.as_slice()),
        (_, Inertia::Matrix { starts, rows, values }) => system.set_matrix(id, &starts, &rows, &values),
        (_, inertia) => system.set_inertia(id, inertia),
    }
    .unwrap();
}

fn operators(operators: &[DMatrix<f64>], sparse: bool) -> Vec<Operator> {
    let one = |h: &DMatrix<f64>| {
        if !sparse {
            return Operator::dense(h.nrows(), h.ncols(), h.as_slice()).unwrap();
        }
        let (starts, rows, values) = compressed(h, |i, j| h[(i, j)] != 0.0);
        Operator::sparse(h.nrows(), h.ncols(), &starts, &rows, &values).unwrap()
    };
    operators.iter().map(one).collect()
}

/// Operators by nodes of one body or two.
fn nodal(system: &System, bodies: &[Id], given: &[Nodal]) -> [Option<Operator>; 2] {
    [0, 1].map(|k| {
        let dofs = system.body(*bodies.get(k)?).unwrap().dofs();
        let (factor, nodes, weights) = &given[k];
        Some(Operator::nodal(dofs, factor, nodes, weights).unwrap())
    })
}

pub fn insert_constraint(system: &mut System, one: &Constraint) -> Id {
    let [first, second] = [0, 1].map(|k| one.bodies.get(k).copied());
    let id = match &one.place {
        Place::Points(frame, points, is_slave) => {
            let bodies = if *is_slave { [second, first] } else { [first, second] };
            system.add_point_constraint(bodies, frame, *points)
        }
        Place::Operators(given, sparse) => system.add_constraint_rows(&one.bodies, operators(given, *sparse)),
        Place::Nodal(given) => {
            let given = nodal(system, &one.bodies, given);
            system.add_constraint_rows(&[first, second], given.into_iter().flatten().collect())
        }
    };
    let id = id.unwrap();
    if let Some(compliance) = &one.compliance {
        system.set_compliance(id, compliance.as_slice()).unwrap();
    }
    id
}

/// Give a constraint on the same bodies another place of the same kind.
pub fn replace(system: &mut System, id: Id, bodies: &[Id], place: &Place) {
    match place {
        Place::Points(frame, points, _) => system.move_constraint(id, frame, *points),
        Place::Operators(given, sparse) => system.set_operators(id, operators(given, *sparse)),
        Place::Nodal(given) => {
            let given = nodal(system, bodies, given);
            system.set_operators(id, given.into_iter().flatten().collect())
        }
    }
    .unwrap();
}
