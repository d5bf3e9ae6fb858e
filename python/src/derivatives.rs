//! Derivatives of solutions for Python.

use std::sync::{Mutex, MutexGuard};

use ldy::solve::{Derivatives as Core, KinkKind, LawChange};
use ldy::system::{Error, Gradient as CoreGradient, Id, Subject};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays::{Array, Numbers, array, id};
use crate::at_exit::without_gil;
use crate::errors::{Thing, raised, raised_of_rows};
use crate::in_use::exclusive;
use crate::solve::{Laws, Rows};
use crate::system::{System, given_or_kept};

/// The numbers of a [`LawChange`] in this order: friction along both tangents, cohesion, rolling and torsional friction, six
/// lower bounds, six upper bounds, six biases.
const NUMBERS: usize = 23;

/// Derivatives of a solution.
#[pyclass(frozen)]
pub struct Derivatives {
    core: Mutex<Core>,
    /// The constraints of rows; none if the rows do not come from a system.
    ids: Vec<Id>,
}

/// Whether the equations are singular, and the share of right-hand sides outside of them.
type FitOfPython = (bool, f64);

impl Derivatives {
    fn own(&self) -> PyResult<MutexGuard<'_, Core>> {
        exclusive(&self.core, "the derivatives")
    }

    /// The exception of a row: an error of its constraint, if it has one.
    fn raised(&self, error: ldy::rows::Error) -> PyErr {
        match error.row.and_then(|row| self.ids.get(row)) {
            Some(&id) => {
                let subject = Subject::Constraint(Some(id), [None; 2]);
                raised(Error { subject, fault: error.fault })
            }
            None => raised_of_rows(error),
        }
    }
}

#[pymethods]
impl Derivatives {
    /// The derivatives of a solution of a system's rows; without laws with those that are kept.
    #[staticmethod]
    fn of_system(
        py: Python,
        system: &System,
        laws: Option<Laws>,
        reactions: Numbers,
        tolerance: f64,
    ) -> PyResult<Self> {
        let inner = system.read()?;
        let system = &inner.system;
        let (laws, reactions) = (given_or_kept(system, laws)?, reactions.as_slice()?);
        let mut own = Core::default();
        without_gil(py, || system.compute_derivatives(&mut own, &laws, reactions, tolerance))
            .map_err(raised)?;
        let ids = system.results().map_err(raised)?.ids.to_vec();
        Ok(Self { core: Mutex::new(own), ids })
    }

    /// The derivatives of a solution for the rows of any W.
    #[staticmethod]
    fn of_rows(
        py: Python,
        rows: Rows,
        normal_first: bool,
        laws: Laws,
        reactions: Numbers,
        tolerance: f64,
    ) -> PyResult<Self> {
        let problem = rows.problem(normal_first)?;
        let laws = laws.made((0..problem.w.len()).map(|row| problem.w.height(row)))?;
        let reactions = reactions.as_slice()?;
        let own =
            without_gil(py, || Core::new(&problem, &laws, reactions, tolerance)).map_err(raised_of_rows)?;
        Ok(Self { core: Mutex::new(own), ids: Vec::new() })
    }

    /// Changes of forces and velocities for changes of velocities, and of the numbers of laws if they are given: for each of several
    /// changes all scalar rows, or all rows.
    fn forward<'py>(
        &self,
        py: Python<'py>,
        velocities: Numbers,
        laws: Option<Numbers>,
    ) -> PyResult<(Array<'py>, Array<'py>, FitOfPython)> {
        let mut own = self.own()?;
        let own = &mut *own;
        let velocities = velocities.as_slice()?;
        let laws: Option<Vec<LawChange>> = match &laws {
            Some(laws) => Some(laws.as_slice()?.as_chunks::<NUMBERS>().0.iter().map(change).collect()),
            None => None,
        };
        let (mut forces, mut changes) = (vec![0.0; velocities.len()], vec![0.0; velocities.len()]);
        let fit = without_gil(py, || own.forward(velocities, laws.as_deref(), &mut forces, &mut changes))
            .map_err(|error| self.raised(error))?;
        let made = |values| PyArray1::from_vec(py, values);
        Ok((made(forces), made(changes), (fit.is_singular, fit.outside)))
    }

    /// Derivatives of functions by B, and by the numbers of laws: for each of several functions all scalar rows, and all rows.
    fn adjoint<'py>(
        &self,
        py: Python<'py>,
        by_forces: Numbers,
        by_velocities: Numbers,
    ) -> PyResult<(Array<'py>, Array<'py>, FitOfPython)> {
        let mut own = self.own()?;
        let own = &mut *own;
        let (by_forces, by_velocities) = (by_forces.as_slice()?, by_velocities.as_slice()?);
        let columns = by_forces.len() / own.scalar_count().max(1);
        let mut by_b = vec![0.0; by_forces.len()];
        let mut by_laws = vec![LawChange::default(); columns * own.row_count()];
        let fit = without_gil(py, || {
            own.adjoint(Some(by_forces), Some(by_velocities), &mut by_b, Some(&mut by_laws))
        })
        .map_err(|error| self.raised(error))?;
        let numbers = by_laws.iter().flat_map(numbers_of).collect();
        let made = |values| PyArray1::from_vec(py, values);
        Ok((made(by_b), made(numbers), (fit.is_singular, fit.outside)))
    }

    /// Derivatives of a function of a step by the data of a system, with those by the numbers of laws.
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        system: &System,
        forces: Numbers,
        by_forces: Numbers,
        by_velocities: Numbers,
        by_bodies: Option<Numbers>,
    ) -> PyResult<(Gradient, Array<'py>, Array<'py>, FitOfPython)> {
        let mut own = self.own()?;
        let own = &mut *own;
        let inner = system.read()?;
        let (forces, by_forces, by_u) =
            (forces.as_slice()?, by_forces.as_slice()?, by_velocities.as_slice()?);
        let by_bodies = by_bodies.as_ref().map(|by| by.as_slice()).transpose()?;
        let mut by_laws = vec![LawChange::default(); own.row_count()];
        let mut gradient = CoreGradient::default();
        let fit = without_gil(py, || {
            let laws = Some(&mut by_laws[..]);
            inner.system.gradient(own, forces, Some(by_forces), Some(by_u), by_bodies, laws, &mut gradient)
        });
        let fit = fit.map_err(raised)?;
        let numbers = by_laws.iter().flat_map(numbers_of).collect();
        let by_b = array(py, gradient.by_b());
        Ok((Gradient(gradient), by_b, PyArray1::from_vec(py, numbers), (fit.is_singular, fit.outside)))
    }

    /// Row, component and kind of each kink.
    fn kinks(&self) -> PyResult<Vec<(usize, usize, &'static str)>> {
        let name = |kind| match kind {
            KinkKind::Touching => "touching",
            KinkKind::Sliding => "sliding",
            KinkKind::Rolling => "rolling",
            KinkKind::Spinning => "spinning",
            _ => "bound",
        };
        Ok(self.own()?.kinks().map(|kink| (kink.row, kink.component, name(kink.kind))).collect())
    }

    /// The rows whose forces have no derivatives.
    fn undetermined<'py>(&self, py: Python<'py>) -> PyResult<Array<'py, i64>> {
        let mut own = self.own()?;
        let own = &mut *own;
        let rows = without_gil(py, || own.undetermined()).map_err(|error| self.raised(error))?;
        Ok(array(py, &rows.iter().map(|&row| row as i64).collect::<Vec<_>>()))
    }

    fn residual(&self) -> PyResult<f64> {
        Ok(self.own()?.residual())
    }

    fn is_solution(&self) -> PyResult<bool> {
        Ok(self.own()?.is_solution())
    }

    fn counts(&self) -> PyResult<(usize, usize)> {
        let own = self.own()?;
        Ok((own.row_count(), own.scalar_count()))
    }
}

fn change(numbers: &[f64; NUMBERS]) -> LawChange {
    let six = |first: usize| std::array::from_fn(|i| numbers[first + i]);
    let [friction, friction_2, cohesion, rolling_friction, torsional_friction, ..] = *numbers;
    LawChange {
        friction,
        friction_2,
        cohesion,
        rolling_friction,
        torsional_friction,
        lower: six(5),
        upper: six(11),
        bias: six(17),
    }
}

pub fn numbers_of(change: &LawChange) -> [f64; NUMBERS] {
    let LawChange {
        friction,
        friction_2,
        cohesion,
        rolling_friction,
        torsional_friction,
        lower,
        upper,
        bias,
    } = *change;
    let mut numbers = [0.0; NUMBERS];
    numbers[..5].copy_from_slice(&[friction, friction_2, cohesion, rolling_friction, torsional_friction]);
    for (first, six) in [(5, lower), (11, upper), (17, bias)] {
        numbers[first..first + 6].copy_from_slice(&six);
    }
    numbers
}

/// Derivatives of a function of a step by the data of a system.
#[pyclass(frozen)]
pub struct Gradient(CoreGradient);

#[pymethods]
impl Gradient {
    fn step(&self) -> f64 {
        self.0.by_step()
    }

    fn velocity<'py>(&self, py: Python<'py>, body: i64) -> PyResult<Array<'py>> {
        Ok(array(py, self.0.by_velocity(id(Thing::Body, body)?).map_err(raised)?))
    }

    /// By the mass, and by inertia or Euler tensor.
    fn inertia<'py>(&self, py: Python<'py>, body: i64) -> PyResult<(f64, Array<'py>)> {
        let (mass, tensor) = self.0.by_inertia(id(Thing::Body, body)?).map_err(raised)?;
        Ok((mass, array(py, &tensor)))
    }

    fn matrix<'py>(&self, py: Python<'py>, body: i64) -> PyResult<Array<'py>> {
        let body = id(Thing::Body, body)?;
        let count = self.0.by_velocity(body).map_err(raised)?.len();
        let mut values = vec![0.0; count * count];
        self.0.by_matrix(body, &mut values).map_err(raised)?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// By rotation, mass center and position in the world.
    fn pose<'py>(&self, py: Python<'py>, body: i64) -> PyResult<[Array<'py>; 3]> {
        let pose = self.0.by_pose(id(Thing::Body, body)?).map_err(raised)?;
        Ok([array(py, &pose.rotation), array(py, &pose.center), array(py, &pose.position)])
    }

    /// By the frame, by the slave's frame of a joint, and by the points of master and slave.
    fn place<'py>(&self, py: Python<'py>, constraint: i64) -> PyResult<[Array<'py>; 3]> {
        let place = self.0.by_place(id(Thing::Constraint, constraint)?).map_err(raised)?;
        Ok([array(py, &place.frame), array(py, &place.slave_frame), array(py, place.points.as_flattened())])
    }

    /// By the operator of `rows` scalar rows on a body, column by column.
    fn operator<'py>(
        &self,
        py: Python<'py>,
        constraint: i64,
        body: i64,
        rows: usize,
    ) -> PyResult<Array<'py>> {
        let (constraint, body) = (id(Thing::Constraint, constraint)?, id(Thing::Body, body)?);
        let count = self.0.by_velocity(body).map_err(raised)?.len();
        let mut values = vec![0.0; rows * count];
        self.0.by_operator(constraint, body, &mut values).map_err(raised)?;
        Ok(PyArray1::from_vec(py, values))
    }

    fn compliance<'py>(&self, py: Python<'py>, constraint: i64, rows: usize) -> PyResult<Array<'py>> {
        let mut values = vec![0.0; rows * rows];
        self.0.by_compliance(id(Thing::Constraint, constraint)?, &mut values).map_err(raised)?;
        Ok(PyArray1::from_vec(py, values))
    }
}
