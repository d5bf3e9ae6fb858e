//! The data of a system, from which another one can be made.

use ldy::system::{Error, Id, Inertia, Kinematics, Operator, Solve, System};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// What solvers do: multiply by a thousandth of it, or fail if it is negative.
pub type Mood = Arc<AtomicI32>;

struct Moody(Mood);

impl Solve for Moody {
    fn solve(&self, _: usize, x: &mut [f64]) -> i32 {
        let mood = self.0.load(Ordering::Relaxed);
        x.iter_mut().for_each(|x| *x *= 1e-3 * f64::from(mood));
        if mood < 0 { mood } else { 0 }
    }
}

/// The form of a body's inertia.
#[derive(Clone)]
pub enum Known {
    Obstacle,
    Rigid(f64, [f64; 9]),
    PseudoRigid(f64, [f64; 9]),
    Dense(Vec<f64>),
    Diagonal(Vec<f64>),
    /// The diagonal, and the value below it.
    Matrix(Vec<f64>, f64),
    Solver,
}

impl Known {
    pub fn inertia(&self, mood: &Mood) -> Inertia {
        match self {
            Self::Obstacle => Inertia::Obstacle,
            Self::Rigid(mass, tensor) => Inertia::rigid(*mass, tensor).unwrap(),
            Self::PseudoRigid(mass, tensor) => Inertia::pseudo_rigid(*mass, tensor).unwrap(),
            Self::Dense(values) => Inertia::dense(values.len().isqrt(), values).unwrap(),
            Self::Diagonal(values) => Inertia::diagonal(values).unwrap(),
            Self::Matrix(diagonal, below) => {
                let n = diagonal.len() as i32;
                let (mut starts, mut rows, mut values) = (vec![0], vec![], vec![]);
                for (j, value) in (0..).zip(diagonal) {
                    rows.push(j);
                    values.push(*value);
                    if j + 1 < n {
                        rows.push(j + 1);
                        values.push(*below);
                    }
                    starts.push(rows.len() as i32);
                }
                Inertia::matrix(&starts, &rows, &values).unwrap()
            }
            Self::Solver => Inertia::solver(Moody(mood.clone())).unwrap(),
        }
    }
}

/// A body.
#[derive(Clone)]
pub struct Body {
    pub kinematics: Kinematics,
    pub known: Known,
    /// Previous and free.
    pub velocities: [Vec<f64>; 2],
}

/// Where a constraint acts.
#[derive(Clone)]
pub enum Place {
    Points([f64; 9], [[f64; 3]; 2]),
    Operators([Option<Vec<f64>>; 2]),
}

/// A constraint.
#[derive(Clone)]
pub struct Constraint {
    pub bodies: [Option<Id>; 2],
    pub place: Place,
    pub compliance: Option<[f64; 9]>,
}

/// All of them.
#[derive(Default)]
pub struct Model {
    pub bodies: BTreeMap<Id, Body>,
    pub constraints: BTreeMap<Id, Constraint>,
    pub next: [Id; 2],
    pub mood: Mood,
}

/// Operators, dense or, where a column is zero, sparse.
pub fn operators(given: &[Option<Vec<f64>>; 2]) -> [Option<Operator>; 2] {
    given.each_ref().map(|values| {
        let values = values.as_ref()?;
        let dofs = values.len() / 3;
        if values[..3] != [0.0; 3] {
            return Some(Operator::dense(3, dofs, values).unwrap());
        }
        let starts: Vec<i32> = (0..=dofs as i32).map(|j| 3 * (j - 1).max(0)).collect();
        let rows: Vec<i32> = (3..values.len() as i32).map(|k| k % 3).collect();
        Some(Operator::sparse(3, dofs, &starts, &rows, &values[3..]).unwrap())
    })
}

pub fn insert_constraint(system: &mut System, constraint: &Constraint) -> Result<Id, Error> {
    let Constraint { bodies, place, compliance } = constraint;
    let id = match place {
        Place::Points(frame, points) => system.add_point_constraint(*bodies, frame, *points)?,
        Place::Operators(given) => {
            system.add_constraint_rows(bodies, operators(given).into_iter().flatten().collect())?
        }
    };
    if compliance.is_some() {
        system.set_compliance(id, compliance.as_ref().map_or(&[], |block| &block[..]))?;
    }
    Ok(id)
}

pub fn insert_body(system: &mut System, body: &Body, mood: &Mood) -> Id {
    let Body { kinematics, known, velocities: [previous, free] } = body;
    let id = system.add_body(free.len(), *kinematics, known.inertia(mood)).unwrap();
    system.set_previous_velocity(id, previous).unwrap();
    system.set_velocity(id, free).unwrap();
    id
}

impl Model {
    /// The same system, made again with the same ids.
    pub fn anew(&self) -> System {
        let mut system = System::new();
        system.set_option(ldy::system::SystemOption::AnyAxes, true);
        let filler = Body {
            kinematics: Kinematics::General,
            known: Known::Diagonal(vec![1.0]),
            velocities: [vec![0.0], vec![0.0]],
        };
        let mut fillers = vec![];
        for id in 0..self.next[0] {
            let body = self.bodies.get(&id).unwrap_or_else(|| {
                fillers.push(id);
                &filler
            });
            assert_eq!(insert_body(&mut system, body, &self.mood), id);
        }
        let ground = insert_body(&mut system, &filler, &self.mood);
        for id in 0..self.next[1] {
            if let Some(constraint) = self.constraints.get(&id) {
                assert_eq!(insert_constraint(&mut system, constraint).unwrap(), id);
            } else {
                let place = Place::Operators([Some(vec![1.0; 3]), None]);
                let constraint = Constraint { bodies: [Some(ground), None], place, compliance: None };
                assert_eq!(insert_constraint(&mut system, &constraint).unwrap(), id);
                system.remove_constraint(id).unwrap();
            }
        }
        fillers.into_iter().chain([ground]).for_each(|id| system.remove_body(id).unwrap());
        system
    }

    /// Update both, and compare all that comes of it to the bit. Returns whether it succeeded.
    pub fn compare(&self, system: &mut System, step: f64) -> bool {
        let mut anew = self.anew();
        let results = [system.update(step), anew.update(step)];
        assert_eq!(results[0], results[1]);
        if results[0].is_err() {
            assert!(system.results().is_err());
            return false;
        }
        self.assert_pattern(system);
        assert_same(system, &mut anew);
        true
    }

    /// Whether there is a block for each two constraints on one body that is no obstacle, and no other.
    fn assert_pattern(&self, system: &System) {
        let rows = system.results().unwrap();
        assert!(rows.ids.iter().map(|id| *id as Id).eq(self.constraints.keys().copied()));
        let movable: Vec<Vec<Id>> = self
            .constraints
            .values()
            .map(|constraint| {
                let bodies = constraint.bodies.into_iter().flatten();
                bodies.filter(|id| !matches!(self.bodies[id].known, Known::Obstacle)).collect()
            })
            .collect();
        let (mut starts, mut columns) = (vec![0], vec![]);
        for (row, own) in movable.iter().enumerate() {
            let is_coupled =
                |column: &usize| *column == row || movable[*column].iter().any(|body| own.contains(body));
            columns.extend((0..movable.len()).filter(is_coupled).map(|column| column as i32));
            starts.push(columns.len() as i32);
        }
        assert_eq!((rows.w.starts(), rows.w.columns()), (&starts[..], &columns[..]));
    }
}

/// Whether two systems have the same results, and products, to the bit.
pub fn assert_same(system: &mut System, anew: &mut System) {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let (rows, expected) = (system.results().unwrap(), anew.results().unwrap());
    assert_eq!(
        (rows.ids, rows.w.starts(), rows.w.columns()),
        (expected.ids, expected.w.starts(), expected.w.columns())
    );
    for (name, found, expected) in [
        ("B", rows.b, expected.b),
        ("V", rows.v, expected.v),
        ("diagonal", rows.diagonal, expected.diagonal),
        ("inverse", rows.inverse, expected.inverse),
        ("W", rows.w.values(), expected.w.values()),
    ] {
        let (found, expected) = (bits(found), bits(expected));
        let place = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        assert_eq!((name, found.len(), place), (name, expected.len(), None));
    }
    let size = 3 * rows.ids.len();
    let x: Vec<f64> = (0..size).map(|k| (0.7 * k as f64).sin()).collect();
    let mut products = [(); 4].map(|()| vec![0.0; size]);
    let [a, b, c, d] = &mut products;
    system.multiply(&x, a).unwrap();
    anew.multiply(&x, b).unwrap();
    let through = [system.multiply_through_bodies(&x, c), anew.multiply_through_bodies(&x, d)];
    assert_eq!(through[0], through[1]);
    assert_eq!(bits(a), bits(b), "W x");
    assert!(through[0].is_err() || bits(c) == bits(d), "through bodies");
}
