//! Systems across processes, in the build with the feature `mpi`.

use std::ffi::CString;
use std::path::PathBuf;

use ldy::ffi::errors::Code;
use ldy::parallel::{Format, Mode, ParallelSystem, Partition};
use ldy::system::{AtPoints, Id};
use numpy::{PyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

use crate::arrays::{Array, Ids, Indices, Matrices, Numbers, Vectors, by_columns_3, ids, sides, vectors};
use crate::at_exit::without_gil;
use crate::errors::{Thing, invalid, raised_code, raised_of};
use crate::solve::{Choices, Report, report_of};
use crate::system::System;

type Result<T = ()> = std::result::Result<T, Code>;

/// A system across processes. Its content is in the object of its local system.
#[pyclass(frozen)]
pub struct Parallel(Py<System>);

/// The error after the system has been cleared by the garbage collector.
fn gone() -> PyErr {
    invalid(None, "the system does not exist any more")
}

/// Ids with the process of each.
fn moves(what: Thing, given: &Ids, ranks: &Indices) -> PyResult<Vec<(Id, usize)>> {
    let ranks = ranks.as_slice()?.iter().map(|&rank| usize::try_from(rank).unwrap_or(usize::MAX));
    Ok(ids(what, given)?.iter().zip(ranks).collect())
}

impl Parallel {
    /// Call a function that changes the system, without the GIL.
    fn change<T: Send>(
        &self,
        py: Python,
        function: impl Send + FnOnce(&mut ParallelSystem) -> Result<T>,
    ) -> PyResult<T> {
        let mut inner = self.0.get().write()?;
        let parallel = inner.system.across_mut().ok_or_else(gone)?;
        without_gil(py, || function(parallel)).map_err(raised_code)
    }

    fn read<T>(&self, function: impl FnOnce(&ParallelSystem) -> T) -> PyResult<T> {
        let inner = self.0.get().read()?;
        Ok(function(inner.system.across().ok_or_else(gone)?))
    }
}

#[pymethods]
impl Parallel {
    #[new]
    fn new(py: Python, communicator: i32) -> PyResult<Self> {
        let made = ParallelSystem::new(communicator).map_err(raised_code)?;
        Ok(Self(Py::new(py, System::across(made)?)?))
    }

    fn system(&self, py: Python) -> Py<System> {
        self.0.clone_ref(py)
    }

    fn set_next_ids(&self, body: i64, constraint: i64) -> PyResult<()> {
        let is_id = |id: i64| (0..i64::MAX).contains(&id);
        if !is_id(body) || !is_id(constraint) {
            return Err(invalid(None, "an id is negative or too large"));
        }
        self.0.get().write()?.system.set_next_ids(body as Id, constraint as Id);
        Ok(())
    }

    fn add_ghosts(&self, py: Python, bodies: Ids, owners: Indices) -> PyResult<()> {
        let ghosts = moves(Thing::Body, &bodies, &owners)?;
        self.change(py, |parallel| parallel.add_ghosts(&ghosts))
    }

    fn refresh(&self, py: Python) -> PyResult<()> {
        self.change(py, ParallelSystem::refresh)
    }

    fn remove_bodies(&self, py: Python, bodies: Ids) -> PyResult<()> {
        let bodies: Vec<Id> = ids(Thing::Body, &bodies)?.iter().collect();
        self.change(py, |parallel| parallel.remove_bodies(&bodies))
    }

    #[allow(clippy::too_many_arguments, reason = "arrays of constraints")]
    fn add_point_constraints(
        &self,
        constraints: Ids,
        master: Ids,
        slave: Ids,
        frame: Matrices,
        master_point: Vectors,
        slave_point: Vectors,
    ) -> PyResult<()> {
        let (names, master, slave) = (ids(Thing::Constraint, &constraints)?, sides(&master)?, sides(&slave)?);
        let (frame, points) =
            (frame.as_slice()?.as_chunks().0, [vectors(&master_point)?, vectors(&slave_point)?]);
        let inserted = self.0.get().write()?.system.add_point_constraints_under(
            names.len(),
            |k| names.at(k),
            |k| AtPoints {
                bodies: [master.side(k), slave.side(k)],
                frame: by_columns_3(&frame[k]),
                points: points.map(|points| points[k]),
            },
        );
        inserted.map_err(|error| raised_of(names.len(), error))
    }

    fn update(&self, py: Python, h: f64) -> PyResult<()> {
        self.change(py, |parallel| parallel.update(h))
    }

    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Array<'py, i64>> {
        self.read(|parallel| PyArray1::from_iter(py, parallel.own_bodies().map(|id| id as i64)))
    }

    fn constraints<'py>(&self, py: Python<'py>) -> PyResult<Array<'py, i64>> {
        self.read(|parallel| PyArray1::from_iter(py, parallel.own_constraints().map(|(id, _)| id as i64)))
    }

    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Array<'py, i64>> {
        let rows = |parallel: &ParallelSystem| parallel.own_rows().map(<[u32]>::to_vec);
        let rows = self.read(rows)?.map_err(raised_code)?;
        Ok(PyArray1::from_iter(py, rows.into_iter().map(i64::from)))
    }

    fn scalar_count(&self) -> PyResult<usize> {
        self.read(|parallel| parallel.own_scalars().unwrap_or_default())
    }

    fn multiply<'py>(&self, py: Python<'py>, x: Numbers, through_bodies: bool) -> PyResult<Array<'py>> {
        let x = x.as_slice()?;
        let mut y = vec![0.0; x.len()];
        self.change(py, |parallel| parallel.multiply(x, &mut y, through_bodies))?;
        Ok(PyArray1::from_vec(py, y))
    }

    fn dot(&self, py: Python, x: Numbers, y: Numbers) -> PyResult<f64> {
        let (x, y) = (x.as_slice()?, y.as_slice()?);
        self.change(py, |parallel| parallel.dot(x, y))
    }

    fn write_rows(&self, py: Python, path: PathBuf, is_text: bool, are_pieces: bool) -> PyResult<()> {
        let path = CString::new(path.into_os_string().into_encoded_bytes())
            .map_err(|_| invalid(None, "the path has a zero byte"))?;
        let format = if is_text { Format::MatrixMarket } else { Format::Npz };
        self.change(py, |parallel| match are_pieces {
            true => parallel.write_pieces(&path, format),
            false => parallel.write_rows(&path, format),
        })
    }

    fn apply_reactions(&self, py: Python, reactions: Numbers) -> PyResult<()> {
        let reactions = reactions.as_slice()?;
        self.change(py, |parallel| parallel.apply_reactions(reactions))
    }

    fn solve<'py>(
        &self,
        py: Python<'py>,
        options: Choices,
        fast: bool,
        mut reactions: PyReadwriteArray1<f64>,
    ) -> PyResult<Report<'py>> {
        let (options, forces) = (options.made()?, reactions.as_slice_mut()?);
        let mode = if fast { Mode::Fast } else { Mode::SameBits };
        let (made, history) = self.change(py, |parallel| {
            let made = parallel.solve(&options, mode, forces)?;
            Ok((made, parallel.history().to_vec()))
        })?;
        Ok(report_of(py, &made, &options, &history, None))
    }

    fn partition<'py>(
        &self,
        py: Python<'py>,
        bodies: Ids,
        constraints: Ids,
        points: Option<Vectors>,
        weights: Option<Indices>,
    ) -> PyResult<[Array<'py, i32>; 2]> {
        let bodies: Vec<Id> = ids(Thing::Body, &bodies)?.iter().collect();
        let constraints: Vec<Id> = ids(Thing::Constraint, &constraints)?.iter().collect();
        let points = points.as_ref().map(vectors).transpose()?;
        let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
        let (of_bodies, of_constraints) = self.change(py, |parallel| {
            let place = points.map(|points| move |k: usize| points[k]);
            let places = place.as_ref().map(|place| place as &dyn Fn(usize) -> [f64; 3]);
            parallel.partition(&Partition { bodies: &bodies, places, weights, constraints: &constraints })
        })?;
        let array = |ranks: Vec<u32>| PyArray1::from_iter(py, ranks.into_iter().map(|rank| rank as i32));
        Ok([array(of_bodies), array(of_constraints)])
    }

    fn migrate(
        &self,
        py: Python,
        bodies: Ids,
        body_ranks: Indices,
        constraints: Ids,
        constraint_ranks: Indices,
    ) -> PyResult<()> {
        let bodies = moves(Thing::Body, &bodies, &body_ranks)?;
        let constraints = moves(Thing::Constraint, &constraints, &constraint_ranks)?;
        self.change(py, |parallel| parallel.migrate(&bodies, &constraints))
    }

    /// Messages, bytes, ghosts, halo, shared, neighbors, colors.
    fn stats(&self) -> PyResult<[u64; 7]> {
        self.read(|parallel| {
            let counts = parallel.counts();
            let sent = [counts.messages, counts.bytes];
            [sent[0], sent[1], counts.ghosts, counts.halo, counts.shared, counts.neighbors, counts.colors]
        })
    }
}
