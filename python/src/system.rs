//! A system.

use std::sync::PoisonError;

use ldy::system::{self, Id, Inertia, Kinematics, Operator};
use numpy::{PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

use crate::arrays::{Ids, Matrices, Numbers, Vectors, blocks, body, by_columns, id, vectors};
use crate::errors::{raised, raised_at};
use crate::solver::{Function, Thrown};

type Indices<'py> = PyReadonlyArray1<'py, i32>;
type Result<T> = std::result::Result<T, system::Error>;

/// Bodies, constraints between them, and the rows of W.
#[pyclass]
#[derive(Default)]
pub struct System {
    system: system::System,
    thrown: Thrown,
}

impl System {
    /// The exception of an error: that of a solver, if one has thrown.
    fn raised(&self, error: system::Error) -> PyErr {
        let thrown = self.thrown.lock().unwrap_or_else(PoisonError::into_inner).take();
        thrown.unwrap_or_else(|| raised(error))
    }

    /// Insert things one after the other; if one is refused, those before it are taken back.
    fn insert_all(
        &mut self,
        count: usize,
        mut insert: impl FnMut(&mut system::System, usize) -> Result<Id>,
        take_back: fn(&mut system::System, Id) -> Result<()>,
    ) -> PyResult<Vec<i64>> {
        let mut ids = Vec::with_capacity(count);
        for k in 0..count {
            match insert(&mut self.system, k) {
                Ok(id) => ids.push(id as i64),
                Err(error) => {
                    // They are there, and nothing acts on them.
                    ids.iter().rev().for_each(|&one| _ = take_back(&mut self.system, id(one)));
                    return Err(raised_at(k, error));
                }
            }
        }
        Ok(ids)
    }

    fn insert_bodies(
        &mut self,
        count: usize,
        insert: impl FnMut(&mut system::System, usize) -> Result<Id>,
    ) -> PyResult<Vec<i64>> {
        self.insert_all(count, insert, system::System::remove_body)
    }
}

/// Call a setter for every entry; the first that refuses is told with its index.
fn for_each(count: usize, mut set: impl FnMut(usize) -> Result<()>) -> PyResult<()> {
    (0..count).try_for_each(|k| set(k).map_err(|error| raised_at(k, error)))
}

fn array<'py, T: numpy::Element + Copy>(py: Python<'py>, values: &[T]) -> Bound<'py, PyArray1<T>> {
    PyArray1::from_slice(py, values)
}

#[pymethods]
impl System {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    // ---- bodies

    fn add_rigid(
        &mut self,
        mass: Numbers,
        inertia: Matrices,
        rotation: Matrices,
        center: Vectors,
    ) -> PyResult<Vec<i64>> {
        let (mass, inertia, rotation) = (mass.as_slice()?, blocks(&inertia)?, blocks(&rotation)?);
        let center = vectors(&center)?;
        self.insert_bodies(mass.len(), |system, k| {
            system.insert_rigid(mass[k], &inertia[k], &rotation[k], &center[k])
        })
    }

    fn add_pseudo_rigid(&mut self, mass: Numbers, euler: Matrices, center: Vectors) -> PyResult<Vec<i64>> {
        let (mass, euler, center) = (mass.as_slice()?, blocks(&euler)?, vectors(&center)?);
        self.insert_bodies(mass.len(), |system, k| system.insert_pseudo_rigid(mass[k], &euler[k], &center[k]))
    }

    fn add_obstacle(&mut self, rotation: Matrices, center: Vectors) -> PyResult<Vec<i64>> {
        let (rotation, center) = (blocks(&rotation)?, vectors(&center)?);
        self.insert_bodies(rotation.len(), |system, k| {
            let kinematics = Kinematics::Rigid { rotation: rotation[k], center: center[k] };
            system.insert_body(6, kinematics, Inertia::Obstacle)
        })
    }

    fn add_dense(&mut self, n: usize, inverse: Numbers) -> PyResult<i64> {
        let inertia = Inertia::dense(n, inverse.as_slice()?);
        self.add_general(n, inertia)
    }

    fn add_diagonal(&mut self, inverse: Numbers) -> PyResult<i64> {
        let inverse = inverse.as_slice()?;
        self.add_general(inverse.len(), Inertia::diagonal(inverse))
    }

    fn add_matrix(&mut self, starts: Indices, rows: Indices, values: Numbers) -> PyResult<i64> {
        let starts = starts.as_slice()?;
        let inertia = Inertia::matrix(starts, rows.as_slice()?, values.as_slice()?);
        self.add_general(starts.len().saturating_sub(1), inertia)
    }

    fn add_solver(&mut self, n: usize, function: Py<PyAny>) -> PyResult<i64> {
        let inertia = Inertia::solver(Function { function, thrown: self.thrown.clone() });
        self.add_general(n, inertia)
    }

    fn remove_bodies(&mut self, bodies: Ids) -> PyResult<()> {
        let ids = bodies.as_slice()?;
        for_each(ids.len(), |k| self.system.remove_body(id(ids[k])))
    }

    fn set_rotation(&mut self, bodies: Ids, rotation: Matrices) -> PyResult<()> {
        let (ids, rotation) = (bodies.as_slice()?, blocks(&rotation)?);
        for_each(ids.len(), |k| self.system.set_rotation(id(ids[k]), &rotation[k]))
    }

    fn set_dense(&mut self, one: i64, n: usize, inverse: Numbers) -> PyResult<()> {
        self.set_inertia(one, Inertia::dense(n, inverse.as_slice()?))
    }

    fn set_diagonal(&mut self, one: i64, inverse: Numbers) -> PyResult<()> {
        self.set_inertia(one, Inertia::diagonal(inverse.as_slice()?))
    }

    fn set_matrix(&mut self, one: i64, starts: Indices, rows: Indices, values: Numbers) -> PyResult<()> {
        self.set_inertia(one, Inertia::matrix(starts.as_slice()?, rows.as_slice()?, values.as_slice()?))
    }

    fn set_velocity(&mut self, bodies: Ids, velocity: Vectors, is_previous: bool) -> PyResult<()> {
        let (ids, velocity) = (bodies.as_slice()?, velocity.as_slice()?);
        let n = velocity.len() / ids.len().max(1);
        for_each(ids.len(), |k| {
            let own = &velocity[n * k..n * (k + 1)];
            match is_previous {
                true => self.system.set_previous_velocity(id(ids[k]), own),
                false => self.system.set_velocity(id(ids[k]), own),
            }
        })
    }

    fn velocity<'py>(&self, py: Python<'py>, one: i64) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.system.body(id(one)).map_err(raised)?.velocity()))
    }

    fn bodies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.system.bodies().map(|(id, _)| id as i64))
    }

    // ---- constraints

    fn add_constraints(
        &mut self,
        master: Ids,
        slave: Ids,
        frame: Matrices,
        master_point: Vectors,
        slave_point: Vectors,
    ) -> PyResult<Vec<i64>> {
        let (master, slave, frame) = (master.as_slice()?, slave.as_slice()?, blocks(&frame)?);
        let points = [vectors(&master_point)?, vectors(&slave_point)?];
        let insert = |system: &mut system::System, k: usize| {
            system.insert_constraint(
                [body(master[k]), body(slave[k])],
                &frame[k],
                points.map(|points| points[k]),
            )
        };
        self.insert_all(master.len(), insert, system::System::remove_constraint)
    }

    /// H row by row, 3 × n; none for the ground.
    fn add_operators(
        &mut self,
        master: i64,
        of_master: Option<Numbers>,
        slave: i64,
        of_slave: Option<Numbers>,
    ) -> PyResult<i64> {
        let operators = [operator(of_master)?, operator(of_slave)?];
        let inserted = self.system.insert_operators([body(master), body(slave)], operators);
        inserted.map(|id| id as i64).map_err(raised)
    }

    fn set_operators(
        &mut self,
        constraint: i64,
        of_master: Option<Numbers>,
        of_slave: Option<Numbers>,
    ) -> PyResult<()> {
        let operators = [operator(of_master)?, operator(of_slave)?];
        self.system.set_operators(id(constraint), operators).map_err(raised)
    }

    fn remove_constraints(&mut self, constraints: Ids) -> PyResult<()> {
        let ids = constraints.as_slice()?;
        for_each(ids.len(), |k| self.system.remove_constraint(id(ids[k])))
    }

    fn move_constraints(
        &mut self,
        constraints: Ids,
        frame: Matrices,
        master_point: Vectors,
        slave_point: Vectors,
    ) -> PyResult<()> {
        let (ids, frame) = (constraints.as_slice()?, blocks(&frame)?);
        let points = [vectors(&master_point)?, vectors(&slave_point)?];
        for_each(ids.len(), |k| {
            self.system.move_constraint(id(ids[k]), &frame[k], points.map(|points| points[k]))
        })
    }

    fn set_compliance(&mut self, constraints: Ids, compliance: Matrices) -> PyResult<()> {
        let (ids, compliance) = (constraints.as_slice()?, blocks(&compliance)?);
        for_each(ids.len(), |k| self.system.set_compliance(id(ids[k]), Some(compliance[k])))
    }

    // ---- results

    fn update(&mut self, py: Python, h: f64) -> PyResult<()> {
        let system = &mut self.system;
        py.allow_threads(|| system.update(h)).map_err(|error| self.raised(error))
    }

    /// Copies: ids, starts, columns, blocks (column by column), B, V, diagonal blocks and their inverses.
    #[allow(clippy::type_complexity, reason = "a tuple of arrays")]
    fn rows<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        [Bound<'py, PyArray1<i64>>; 1],
        [Bound<'py, PyArray1<i32>>; 2],
        [Bound<'py, PyArray1<f64>>; 5],
    )> {
        let rows = self.system.rows_with_inverses().or_else(|_| self.system.rows()).map_err(raised)?;
        let numbers = [
            rows.values.as_flattened(),
            rows.b.as_flattened(),
            rows.v.as_flattened(),
            rows.diagonal.as_flattened(),
            rows.inverse.as_flattened(),
        ];
        Ok((
            [array(py, rows.ids)],
            [rows.starts, rows.columns].map(|values| array(py, values)),
            numbers.map(|values| array(py, values)),
        ))
    }

    fn times<'py>(
        &self,
        py: Python<'py>,
        x: Numbers,
        through_bodies: bool,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let x = x.as_slice()?;
        let mut y = vec![0.0; x.len()];
        let system = &self.system;
        py.allow_threads(|| match through_bodies {
            true => system.times_through_bodies(x, &mut y),
            false => system.times(x, &mut y),
        })
        .map_err(|error| self.raised(error))?;
        Ok(PyArray1::from_vec(py, y))
    }

    fn add_force(&self, one: i64, reactions: Numbers, mut force: PyReadwriteArray1<f64>) -> PyResult<()> {
        self.system.add_force(id(one), reactions.as_slice()?, force.as_slice_mut()?).map_err(raised)
    }

    fn add_reactions(&mut self, py: Python, reactions: Numbers) -> PyResult<()> {
        let (reactions, system) = (reactions.as_slice()?, &mut self.system);
        py.allow_threads(|| system.add_reactions(reactions)).map_err(|error| self.raised(error))
    }

    fn largest_eigenvalue(&self, tolerance: f64, most_products: usize) -> PyResult<(f64, f64)> {
        let estimate = self.system.largest_eigenvalue(tolerance, most_products).map_err(raised)?;
        Ok((estimate.value, estimate.residual))
    }
}

impl System {
    fn add_general(
        &mut self,
        n: usize,
        inertia: std::result::Result<Inertia, system::Fault>,
    ) -> PyResult<i64> {
        let failed = |fault| raised(system::Error::of_body(self.system.next_body(), fault));
        let inertia = inertia.map_err(failed)?;
        Ok(self.system.insert_body(n, Kinematics::General, inertia).map_err(raised)? as i64)
    }

    fn set_inertia(
        &mut self,
        one: i64,
        inertia: std::result::Result<Inertia, system::Fault>,
    ) -> PyResult<()> {
        let inertia = inertia.map_err(|fault| raised(system::Error::of_body(id(one), fault)))?;
        self.system.set_inertia(id(one), inertia).map_err(raised)
    }
}

fn operator(h: Option<Numbers>) -> PyResult<Option<Operator>> {
    let Some(h) = h else { return Ok(None) };
    let values = h.as_slice()?;
    let n = values.len() / 3;
    let made = Operator::dense(n, &by_columns(values, 3, n));
    made.map(Some).map_err(|fault| raised(system::Error::of_system(fault)))
}
