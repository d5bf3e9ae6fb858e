//! A system.

use std::fs::File;
use std::io::{BufWriter, IntoInnerError};
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use ldy::math::{Block, Vector};
use ldy::solve::{Law, Solver, write_problem};
use ldy::system::{
    self, AtPoints, Body, Columns, ContactRows, Directions, EntryError, Error, Fault, Id, Inertia, Jacobian,
    JointFrame, JointKind, Keyed, Kinematics, Operator, SystemOption,
};
use numpy::{PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::arrays::{
    Array, Ids, Indices, Matrices, Numbers, Vectors, array, blocks, by_columns, by_columns_3, id, ids, sides,
    vectors,
};
use crate::at_exit::without_gil;
use crate::errors::{Thing, in_use, invalid, raised, raised_of};
use crate::inertia;
use crate::inverse_callback::Functions;
use crate::local::Local;
use crate::solve::{self, Choices, LawArrays, Laws, Progress, Report};
use crate::stability::Joints;

type Result<T> = std::result::Result<T, Error>;

/// Bodies, constraints between them, and the rows of W. One call at a time may change it.
#[pyclass(frozen)]
#[derive(Default)]
pub struct System(RwLock<Inner>);

/// The library's system, with the memory of its solver and the inverse callbacks.
#[derive(Default)]
pub struct Inner {
    pub system: Local,
    solver: Solver,
    functions: Functions,
}

impl System {
    /// The local system of a system across processes.
    #[cfg(feature = "mpi")]
    pub fn across(parallel: ldy::parallel::ParallelSystem) -> PyResult<Self> {
        let local = Self::default();
        local.write()?.system = parallel.into();
        Ok(local)
    }

    /// To read it. No call waits for another one, which could be the call that has called this one.
    pub fn read(&self) -> PyResult<RwLockReadGuard<'_, Inner>> {
        match self.0.try_read() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::Poisoned(error)) => Ok(error.into_inner()),
            Err(TryLockError::WouldBlock) => Err(in_use("the system")),
        }
    }

    /// To change it.
    pub fn write(&self) -> PyResult<RwLockWriteGuard<'_, Inner>> {
        match self.0.try_write() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::Poisoned(error)) => Ok(error.into_inner()),
            Err(TryLockError::WouldBlock) => Err(in_use("the system")),
        }
    }

    /// Insert bodies, all or none. All arguments are checked before the first insertion, so that an error uses up no id.
    fn insert_bodies<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        body: impl Fn(usize) -> std::result::Result<(usize, Kinematics, Inertia), Fault>,
    ) -> PyResult<Array<'py, i64>> {
        let first = self.write()?.system.add_bodies(count, |k| {
            let (dofs, kinematics, inertia) = body(k)?;
            Body::new(dofs, kinematics, inertia)
        });
        let first = first.map_err(|error| raised_of(count, error))?;
        Ok(following(py, first, count))
    }

    fn put_jacobian(&self, bodies: &Ids, constraints: &Ids, jacobian: &Jacobian) -> PyResult<()> {
        let (bodies, constraints) = (ids(Thing::Body, bodies)?, ids(Thing::Constraint, constraints)?);
        let set = self.write()?.system.set_jacobian(bodies.iter(), constraints.iter(), jacobian);
        set.map_err(|error| raised_of(constraints.len(), error))
    }

    fn insert_jacobian<'py>(
        &self,
        py: Python<'py>,
        bodies: &Ids,
        row_counts: &Ids,
        jacobian: &Jacobian,
    ) -> PyResult<Array<'py, i64>> {
        let (bodies, row_counts) = (ids(Thing::Body, bodies)?, row_counts.as_slice()?);
        // No constraint has 0 rows, or fewer.
        let each = row_counts.iter().map(|&rows| usize::try_from(rows).unwrap_or(0));
        let first = self.write()?.system.add_jacobian(bodies.iter(), each, jacobian);
        let first = first.map_err(|error| raised_of(row_counts.len(), error))?;
        Ok(following(py, first, row_counts.len()))
    }

    /// A vector for each body, concatenated.
    fn vectors_of<'py>(
        &self,
        py: Python<'py>,
        bodies: &Ids,
        of: impl Fn(&system::System, Id, usize) -> Result<Vector>,
    ) -> PyResult<Array<'py>> {
        let (bodies, inner) = (ids(Thing::Body, bodies)?, self.read()?);
        let of = |(k, body): (usize, Id)| {
            of(&inner.system, body, k).map_err(|error| raised_of(bodies.len(), of_entry(k, error)))
        };
        let made = bodies.iter().enumerate().map(of).collect::<PyResult<Vec<Vector>>>()?;
        Ok(array(py, made.as_flattened()))
    }
}

impl Inner {
    /// The exception for an error. If an inverse callback has raised, this is its exception.
    fn raised(&self, error: Error) -> PyErr {
        self.exception().unwrap_or_else(|| raised(error))
    }

    /// The exception that an inverse callback has raised.
    pub fn exception(&self) -> Option<PyErr> {
        self.functions.thrown.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn of_entry(entry: usize, error: Error) -> EntryError {
    EntryError { entry: Some(entry), error }
}

/// Consecutive ids.
fn following<'py>(py: Python<'py>, first: Id, count: usize) -> Array<'py, i64> {
    let first = first as i64;
    PyArray1::from_iter(py, first..first + count as i64)
}

/// Frames row by row, points of masters, points of slaves.
#[derive(Default)]
struct Frames([Vec<f64>; 3]);

impl Frames {
    fn push(&mut self, frame: &Block, [master, slave]: &[Vector; 2]) {
        let Self([frames, masters, slaves]) = self;
        frames.extend(by_columns_3(frame));
        masters.extend(master);
        slaves.extend(slave);
    }

    fn arrays<'py>(&self, py: Python<'py>) -> [Array<'py>; 3] {
        self.0.each_ref().map(|values| array(py, values))
    }
}

#[pymethods]
impl System {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn __traverse__(&self, visit: PyVisit) -> std::result::Result<(), PyTraverseError> {
        // A call uses the system where it cannot be read: then it is reachable.
        self.0.try_read().map_or(Ok(()), |inner| inner.functions.visit(&visit))
    }

    /// Only its functions can reach it now.
    fn __clear__(&self) {
        if let Ok(mut inner) = self.0.try_write() {
            inner.system = Local::default();
        }
    }

    /// A copy, which has no inverse callbacks.
    fn clone(&self) -> PyResult<Self> {
        let system = self.read()?.system.try_clone().map_err(raised)?;
        let clone = Self::default();
        clone.write()?.system = system.into();
        Ok(clone)
    }

    // ---- bodies

    fn add_rigid<'py>(
        &self,
        py: Python<'py>,
        mass: Numbers,
        inertia: Matrices,
        rotation: Matrices,
        center: Vectors,
    ) -> PyResult<Array<'py, i64>> {
        let (mass, inertia, rotation) = (mass.as_slice()?, blocks(&inertia)?, blocks(&rotation)?);
        let center = vectors(&center)?;
        self.insert_bodies(py, mass.len(), |k| {
            let kinematics = Kinematics::Rigid { rotation: rotation[k], center: center[k] };
            Ok((6, kinematics, Inertia::rigid(mass[k], &inertia[k])?))
        })
    }

    fn add_pseudo_rigid<'py>(
        &self,
        py: Python<'py>,
        mass: Numbers,
        euler: Matrices,
        center: Vectors,
    ) -> PyResult<Array<'py, i64>> {
        let (mass, euler, center) = (mass.as_slice()?, blocks(&euler)?, vectors(&center)?);
        self.insert_bodies(py, mass.len(), |k| {
            let kinematics = Kinematics::PseudoRigid { center: center[k] };
            Ok((12, kinematics, Inertia::pseudo_rigid(mass[k], &euler[k])?))
        })
    }

    fn add_obstacles<'py>(
        &self,
        py: Python<'py>,
        rotation: Matrices,
        center: Vectors,
    ) -> PyResult<Array<'py, i64>> {
        let (rotation, center) = (blocks(&rotation)?, vectors(&center)?);
        self.insert_bodies(py, rotation.len(), |k| {
            let kinematics = Kinematics::Rigid { rotation: rotation[k], center: center[k] };
            Ok((6, kinematics, Inertia::Obstacle))
        })
    }

    fn add_body(&self, py: Python, inertia: inertia::Inertia) -> PyResult<i64> {
        let Inner { system, functions, .. } = &mut *self.write()?;
        let made = inertia.made(py, functions)?;
        let made = made.map_err(|fault| raised(Error::of_new_body(fault)))?;
        Ok(system.add_body(inertia.dofs(), Kinematics::General, made).map_err(raised)? as i64)
    }

    fn add_model<'py>(
        &self,
        py: Python<'py>,
        sizes: Vec<usize>,
        function: Py<PyAny>,
    ) -> PyResult<Array<'py, i64>> {
        let Inner { system, functions, .. } = &mut *self.write()?;
        let function = functions.add(function);
        let first = system.add_model(&sizes, function).map_err(raised)?;
        Ok(following(py, first, sizes.len()))
    }

    fn remove_bodies(&self, bodies: Ids) -> PyResult<()> {
        let bodies = ids(Thing::Body, &bodies)?;
        let removed = self.write()?.system.remove_bodies(bodies.len(), |k| bodies.at(k));
        removed.map_err(|error| raised_of(bodies.len(), error))
    }

    fn set_rotation(&self, bodies: Ids, rotation: Matrices) -> PyResult<()> {
        let (bodies, rotation) = (ids(Thing::Body, &bodies)?, blocks(&rotation)?);
        let set = self.write()?.system.set_rotations(bodies.len(), |k| (bodies.at(k), rotation[k]));
        set.map_err(|error| raised_of(bodies.len(), error))
    }

    fn rotation<'py>(&self, py: Python<'py>, bodies: Ids) -> PyResult<Array<'py>> {
        let (bodies, mut all) = (ids(Thing::Body, &bodies)?, Vec::<Block>::new());
        let tell = |_: usize, one: &Block| all.push(by_columns_3(one));
        let told = self.read()?.system.rotations(bodies.len(), |k| bodies.at(k), tell);
        told.map_err(|error| raised_of(bodies.len(), error))?;
        Ok(array(py, all.as_flattened()))
    }

    fn set_inertia(&self, py: Python, body: i64, inertia: inertia::Inertia) -> PyResult<()> {
        let body = id(Thing::Body, body)?;
        let Inner { system, functions, .. } = &mut *self.write()?;
        inertia.set(py, system, functions, body)?.map_err(raised)
    }

    fn set_velocity(&self, bodies: Ids, velocity: Vectors, is_previous: bool) -> PyResult<()> {
        let (bodies, velocity) = (ids(Thing::Body, &bodies)?, velocity.as_slice()?);
        let n = velocity.len() / bodies.len().max(1);
        let of = |k: usize| (bodies.at(k), &velocity[n * k..n * (k + 1)]);
        let set = self.write()?.system.set_velocities(bodies.len(), is_previous, of);
        set.map_err(|error| raised_of(bodies.len(), error))
    }

    /// The velocities of bodies, concatenated. All bodies must have the same number of dofs.
    fn velocity<'py>(&self, py: Python<'py>, bodies: Ids, is_previous: bool) -> PyResult<Array<'py>> {
        let (bodies, inner, mut values) = (ids(Thing::Body, &bodies)?, self.read()?, Vec::new());
        for (k, one) in bodies.iter().enumerate() {
            let body = inner.system.body(one);
            let body = body.map_err(|error| raised_of(bodies.len(), of_entry(k, error)))?;
            if k > 0 && values.len() != k * body.dofs() {
                let dofs = values.len() / k;
                let text =
                    format!("body {one} has {} velocities, the bodies before it have {dofs}", body.dofs());
                return Err(invalid(Some(k), &text));
            }
            let velocity = if is_previous { body.previous_velocity() } else { body.velocity() };
            values.extend_from_slice(velocity);
        }
        Ok(PyArray1::from_vec(py, values))
    }

    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Array<'py, i64>> {
        Ok(PyArray1::from_iter(py, self.read()?.system.bodies().map(|(id, _)| id as i64)))
    }

    fn body_count(&self) -> PyResult<usize> {
        Ok(self.read()?.system.body_count())
    }

    /// The kind of a body and its number of velocities.
    fn body(&self, body: i64) -> PyResult<(&'static str, usize)> {
        let (body, inner) = (id(Thing::Body, body)?, self.read()?);
        let body = inner.system.body(body).map_err(raised)?;
        let kind = match (body.kinematics(), body.inertia()) {
            (Kinematics::Rigid { .. }, Inertia::Obstacle) => "obstacle",
            (Kinematics::Rigid { .. }, _) => "rigid",
            (Kinematics::PseudoRigid { .. }, _) => "pseudo_rigid",
            (Kinematics::General, _) => "general",
        };
        Ok((kind, body.dofs()))
    }

    fn set_option(&self, name: &str, value: bool) -> PyResult<()> {
        self.write()?.system.set_option(option(name)?, value);
        Ok(())
    }

    fn option(&self, name: &str) -> PyResult<bool> {
        Ok(self.read()?.system.option(option(name)?))
    }

    fn clear(&self) -> PyResult<()> {
        self.write()?.system.clear();
        Ok(())
    }

    // ---- constraints

    fn add_point_constraints<'py>(
        &self,
        py: Python<'py>,
        master: Ids,
        slave: Ids,
        frame: Matrices,
        master_point: Vectors,
        slave_point: Vectors,
    ) -> PyResult<Array<'py, i64>> {
        let (master, slave) = (sides(&master)?, sides(&slave)?);
        let (frame, points) =
            (frame.as_slice()?.as_chunks().0, [vectors(&master_point)?, vectors(&slave_point)?]);
        let first = self.write()?.system.add_point_constraints(master.len(), |k| AtPoints {
            bodies: [master.side(k), slave.side(k)],
            frame: by_columns_3(&frame[k]),
            points: points.map(|points| points[k]),
        });
        let first = first.map_err(|error| raised_of(master.len(), error))?;
        Ok(following(py, first, master.len()))
    }

    /// Insert a constraint of `rows` scalar rows; one H for each body, row-major.
    fn add_constraint_rows(&self, rows: usize, bodies: Ids, operators: Vec<Numbers>) -> PyResult<i64> {
        let bodies: Vec<Id> = ids(Thing::Body, &bodies)?.iter().collect();
        let operators = row_operators(rows, &operators)?;
        Ok(self.write()?.system.add_constraint_rows(&bodies, operators).map_err(raised)? as i64)
    }

    fn add_dof_constraint(&self, body: i64, dof: i64, coefficient: f64) -> PyResult<i64> {
        let (body, dof) = (id(Thing::Body, body)?, usize::try_from(dof).ok());
        Ok(self.write()?.system.add_dof_constraint(body, dof, coefficient).map_err(raised)? as i64)
    }

    /// Insert a joint: its bodies, axes and points, the master's first.
    fn add_joint(&self, kind: &str, bodies: Ids, axes: Matrices, points: Vectors) -> PyResult<i64> {
        let kind = match kind {
            "hinge" => JointKind::Hinge,
            "slider" => JointKind::Slider,
            "universal" => JointKind::Universal,
            "weld" => JointKind::Weld,
            "hinge_limit" => JointKind::HingeLimit,
            "slider_limit" => JointKind::SliderLimit,
            other => {
                let text = "one of hinge, slider, universal, weld, hinge_limit, slider_limit is needed";
                return Err(invalid(None, &format!("kind: '{other}' where {text}")));
            }
        };
        let (bodies, axes, points) = (sides(&bodies)?, blocks(&axes)?, vectors(&points)?);
        let [master, slave] = [0, 1].map(|k| JointFrame { axes: axes[k], point: points[k] });
        let bodies = [bodies.side(0), bodies.side(1)];
        Ok(self.write()?.system.add_joint(kind, bodies, &master, &slave).map_err(raised)? as i64)
    }

    fn add_rolling_contact(&self, rows: i64, bodies: Ids, frame: Matrices, points: Vectors) -> PyResult<i64> {
        let wrong = || invalid(None, &format!("rows: {rows} where 4, 5 or 6 is needed"));
        let rows = ContactRows::of_count(rows).ok_or_else(wrong)?;
        let (bodies, frame, points) = (sides(&bodies)?, blocks(&frame)?, vectors(&points)?);
        let (bodies, points) = ([bodies.side(0), bodies.side(1)], [points[0], points[1]]);
        let made = self.write()?.system.add_rolling_contact(rows, bodies, &frame[0], points);
        Ok(made.map_err(raised)? as i64)
    }

    fn joint_error<'py>(&self, py: Python<'py>, joint: i64) -> PyResult<Array<'py>> {
        let joint = id(Thing::Constraint, joint)?;
        let inner = self.read()?;
        let mut errors = vec![0.0; inner.system.constraint(joint).map_err(raised)?.rows()];
        inner.system.joint_error(joint, &mut errors).map_err(raised)?;
        Ok(array(py, &errors))
    }

    fn set_operators(&self, constraint: i64, operators: Vec<Numbers>) -> PyResult<()> {
        let (constraint, system) = (id(Thing::Constraint, constraint)?, &mut self.write()?.system);
        let rows = system.constraint(constraint).map_err(raised)?.rows();
        system.set_operators(constraint, row_operators(rows, &operators)?).map_err(raised)
    }

    /// Compliances of constraints, concatenated: a square matrix for each, or nothing at all.
    fn set_compliance(&self, constraints: Ids, compliance: Numbers) -> PyResult<()> {
        let (constraints, values) = (ids(Thing::Constraint, &constraints)?, compliance.as_slice()?);
        let system = &mut self.write()?.system;
        let mut starts = vec![0];
        for (k, constraint) in constraints.iter().enumerate() {
            let constraint = system.constraint(constraint);
            let constraint = constraint.map_err(|error| raised_of(constraints.len(), of_entry(k, error)))?;
            starts.push(starts[k] + constraint.rows().pow(2));
        }
        if !values.is_empty() && values.len() != starts[constraints.len()] {
            return Err(invalid(None, "the compliances have another number of values than the constraints"));
        }
        let of = |k: usize| (constraints.at(k), values.get(starts[k]..starts[k + 1]).unwrap_or_default());
        system.set_compliances(constraints.len(), of).map_err(|error| raised_of(constraints.len(), error))
    }

    /// m × m values, or none.
    fn compliance<'py>(&self, py: Python<'py>, constraint: i64) -> PyResult<Array<'py>> {
        let (constraint, inner) = (id(Thing::Constraint, constraint)?, self.read()?);
        Ok(array(py, inner.system.compliance(constraint).map_err(raised)?))
    }

    fn regularization<'py>(&self, py: Python<'py>) -> PyResult<Array<'py>> {
        let system = &self.read()?.system;
        let mut mu = vec![0.0; scalar_count(system)];
        system.regularization(&mut mu).map_err(raised)?;
        Ok(PyArray1::from_vec(py, mu))
    }

    /// The bodies of a constraint, −1 for the ground, and its number of scalar rows.
    fn constraint(&self, constraint: i64) -> PyResult<(Vec<i64>, usize)> {
        let (constraint, inner) = (id(Thing::Constraint, constraint)?, self.read()?);
        let constraint = inner.system.constraint(constraint).map_err(raised)?;
        let bodies = constraint.all_sides().map(|body| body.map_or(-1, |id| id as i64));
        Ok((bodies.collect(), constraint.rows()))
    }

    fn set_regularization(&self, mu: Numbers) -> PyResult<()> {
        self.write()?.system.set_regularization(mu.as_slice()?).map_err(raised)
    }

    fn set_tags(&self, constraints: Ids, tags: PyReadonlyArray1<u64>) -> PyResult<()> {
        let (constraints, tags) = (ids(Thing::Constraint, &constraints)?, tags.as_slice()?);
        let set = self.write()?.system.set_tags(constraints.len(), |k| (constraints.at(k), tags[k]));
        set.map_err(|error| raised_of(constraints.len(), error))
    }

    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Array<'py, u64>> {
        let system = &self.read()?.system;
        let mut tags = vec![0; system.constraint_count()];
        system.tags(&mut tags).map_err(raised)?;
        Ok(PyArray1::from_vec(py, tags))
    }

    fn set_laws(&self, constraints: Ids, laws: Laws) -> PyResult<()> {
        let (constraints, laws) = (ids(Thing::Constraint, &constraints)?, laws.of_constraints()?);
        let set = self.write()?.system.set_laws(constraints.len(), |k| (constraints.at(k), laws[k]));
        set.map_err(|error| raised_of(constraints.len(), error))
    }

    fn laws<'py>(&self, py: Python<'py>, constraints: Ids) -> PyResult<LawArrays<'py>> {
        let (constraints, mut laws) = (ids(Thing::Constraint, &constraints)?, Vec::new());
        let system = &self.read()?.system;
        let told = system.laws(constraints.len(), |k| constraints.at(k), |_, law| laws.push(law.copied()));
        told.map_err(|error| raised_of(constraints.len(), error))?;
        Ok(solve::arrays(py, &laws))
    }

    /// Numbers of scalar rows of constraints.
    fn row_counts_of<'py>(&self, py: Python<'py>, constraints: Ids) -> PyResult<Array<'py, i64>> {
        let (constraints, inner) = (ids(Thing::Constraint, &constraints)?, self.read()?);
        let rows = |(k, constraint): (usize, Id)| match inner.system.constraint(constraint) {
            Ok(constraint) => Ok(constraint.rows() as i64),
            Err(error) => Err(raised_of(constraints.len(), of_entry(k, error))),
        };
        Ok(PyArray1::from_vec(py, constraints.iter().enumerate().map(rows).collect::<PyResult<_>>()?))
    }

    fn store_reactions(&self, reactions: Numbers) -> PyResult<()> {
        self.write()?.system.store_reactions(reactions.as_slice()?).map_err(raised)
    }

    fn stored_reactions<'py>(&self, py: Python<'py>) -> PyResult<Array<'py>> {
        let system = &self.read()?.system;
        let mut reactions = vec![0.0; scalar_count(system)];
        system.stored_reactions(&mut reactions).map_err(raised)?;
        Ok(PyArray1::from_vec(py, reactions))
    }

    /// Which scalar rows depend on earlier ones.
    fn redundant<'py>(&self, py: Python<'py>, tolerance: f64) -> PyResult<Array<'py, bool>> {
        let system = &self.read()?.system;
        let flags = without_gil(py, || system.redundant(tolerance)).map_err(raised)?;
        Ok(PyArray1::from_vec(py, flags))
    }

    /// Rows of J, of which entry (i, j) is `values[i * strides[0] + j * strides[1]]`.
    fn set_jacobian(
        &self,
        bodies: Ids,
        constraints: Ids,
        values: Numbers,
        shape: [usize; 2],
        strides: [usize; 2],
    ) -> PyResult<()> {
        let jacobian = Jacobian::Dense { values: values.as_slice()?, shape, strides };
        self.put_jacobian(&bodies, &constraints, &jacobian)
    }

    /// Compressed rows of J.
    fn set_sparse_jacobian(
        &self,
        bodies: Ids,
        constraints: Ids,
        shape: [usize; 2],
        starts: Indices,
        indices: Indices,
        values: Numbers,
    ) -> PyResult<()> {
        let (starts, indices, values) = (starts.as_slice()?, indices.as_slice()?, values.as_slice()?);
        let jacobian = Jacobian::Sparse { shape, starts, counts: None, indices, values };
        self.put_jacobian(&bodies, &constraints, &jacobian)
    }

    fn add_jacobian<'py>(
        &self,
        py: Python<'py>,
        bodies: Ids,
        row_counts: Ids,
        values: Numbers,
        shape: [usize; 2],
        strides: [usize; 2],
    ) -> PyResult<Array<'py, i64>> {
        let jacobian = Jacobian::Dense { values: values.as_slice()?, shape, strides };
        self.insert_jacobian(py, &bodies, &row_counts, &jacobian)
    }

    #[allow(clippy::too_many_arguments, reason = "the arrays of a matrix")]
    fn add_sparse_jacobian<'py>(
        &self,
        py: Python<'py>,
        bodies: Ids,
        row_counts: Ids,
        shape: [usize; 2],
        starts: Indices,
        indices: Indices,
        values: Numbers,
    ) -> PyResult<Array<'py, i64>> {
        let (starts, indices, values) = (starts.as_slice()?, indices.as_slice()?, values.as_slice()?);
        let jacobian = Jacobian::Sparse { shape, starts, counts: None, indices, values };
        self.insert_jacobian(py, &bodies, &row_counts, &jacobian)
    }

    /// Ids of the entries; numbers of kept, inserted and removed constraints; the id of the first new one.
    #[allow(clippy::too_many_arguments, clippy::type_complexity, reason = "the arrays of a list")]
    fn sync_constraints<'py>(
        &self,
        py: Python<'py>,
        keys: PyReadonlyArray1<u64>,
        master: Ids,
        slave: Ids,
        frame: Matrices,
        master_point: Vectors,
        slave_point: Vectors,
        laws: Option<Laws>,
    ) -> PyResult<(Array<'py, i64>, [usize; 3], Option<i64>)> {
        let (keys, master, slave) = (keys.as_slice()?, sides(&master)?, sides(&slave)?);
        let (frame, points) = (blocks(&frame)?, [vectors(&master_point)?, vectors(&slave_point)?]);
        let laws = laws.map(|laws| laws.of_constraints()).transpose()?;
        let entry = |k: usize| Keyed {
            key: keys[k],
            place: AtPoints {
                bodies: [master.side(k), slave.side(k)],
                frame: frame[k],
                points: points.map(|points| points[k]),
            },
            law: laws.as_ref().and_then(|laws| laws[k]),
        };
        let mut own = Vec::with_capacity(keys.len());
        let synced = self.write()?.system.sync_constraints(keys.len(), entry, |_, id| own.push(id as i64));
        let synced = synced.map_err(|error| raised_of(keys.len(), error))?;
        let counts = [synced.kept, synced.inserted, synced.removed];
        Ok((PyArray1::from_vec(py, own), counts, synced.first_inserted.map(|id| id as i64)))
    }

    fn remove_constraints(&self, constraints: Ids) -> PyResult<()> {
        let constraints = ids(Thing::Constraint, &constraints)?;
        let removed = self.write()?.system.remove_constraints(constraints.len(), |k| constraints.at(k));
        removed.map_err(|error| raised_of(constraints.len(), error))
    }

    /// Without bodies, the constraints stay on theirs.
    fn move_constraints(
        &self,
        constraints: Ids,
        bodies: Option<[Ids; 2]>,
        frame: Matrices,
        master_point: Vectors,
        slave_point: Vectors,
    ) -> PyResult<()> {
        let (constraints, frame) = (ids(Thing::Constraint, &constraints)?, blocks(&frame)?);
        let points = [vectors(&master_point)?, vectors(&slave_point)?];
        let bodies = match &bodies {
            Some([master, slave]) => Some([sides(master)?, sides(slave)?]),
            None => None,
        };
        let moved = self.write()?.system.move_constraints(constraints.len(), |k| {
            let bodies = bodies.map(|bodies| bodies.map(|sides| sides.side(k)));
            (constraints.at(k), bodies, frame[k], points.map(|points| points[k]))
        });
        moved.map_err(|error| raised_of(constraints.len(), error))
    }

    /// Frames, points of masters, points of slaves.
    fn point_frames<'py>(&self, py: Python<'py>, constraints: Ids) -> PyResult<[Array<'py>; 3]> {
        let constraints = ids(Thing::Constraint, &constraints)?;
        let mut frames = Frames::default();
        let told = self.read()?.system.point_frames(
            constraints.len(),
            |k| constraints.at(k),
            |_, frame, points| frames.push(frame, points),
        );
        told.map_err(|error| raised_of(constraints.len(), error))?;
        Ok(frames.arrays(py))
    }

    // ---- the world

    fn body_point<'py>(&self, py: Python<'py>, bodies: Ids, place: Vectors) -> PyResult<Array<'py>> {
        let place = vectors(&place)?;
        self.vectors_of(py, &bodies, |system, id, k| system.body_point(id, &place[k]))
    }

    fn set_position(&self, bodies: Ids, position: Vectors) -> PyResult<()> {
        let (bodies, position) = (ids(Thing::Body, &bodies)?, vectors(&position)?);
        let set = self.write()?.system.set_positions(bodies.len(), |k| (bodies.at(k), position[k]));
        set.map_err(|error| raised_of(bodies.len(), error))
    }

    fn position<'py>(&self, py: Python<'py>, bodies: Ids) -> PyResult<Array<'py>> {
        let (bodies, mut all) = (ids(Thing::Body, &bodies)?, Vec::<Vector>::new());
        let tell = |_: usize, one: &Vector| all.push(*one);
        let told = self.read()?.system.positions(bodies.len(), |k| bodies.at(k), tell);
        told.map_err(|error| raised_of(bodies.len(), error))?;
        Ok(array(py, all.as_flattened()))
    }

    /// Frames, points of masters and points of slaves.
    fn contact_frames<'py>(
        &self,
        py: Python<'py>,
        master: Ids,
        slave: Ids,
        normal: Vectors,
        place: Vectors,
    ) -> PyResult<[Array<'py>; 3]> {
        let (master, slave) = (sides(&master)?, sides(&slave)?);
        let (normal, place) = (vectors(&normal)?, vectors(&place)?);
        let mut frames = Frames::default();
        let told = self.read()?.system.contact_frames(
            normal.len(),
            |k| ([master.side(k), slave.side(k)], normal[k], place[k]),
            |_, contact| frames.push(&contact.frame, &contact.points),
        );
        told.map_err(|error| raised_of(normal.len(), error))?;
        Ok(frames.arrays(py))
    }

    fn pseudo_rigid_point<'py>(
        &self,
        py: Python<'py>,
        bodies: Ids,
        gradient: Matrices,
        center: Vectors,
        place: Vectors,
    ) -> PyResult<Array<'py>> {
        let (gradient, center, place) = (blocks(&gradient)?, vectors(&center)?, vectors(&place)?);
        self.vectors_of(py, &bodies, |system, id, k| {
            system.pseudo_rigid_point(id, &gradient[k], &center[k], &place[k])
        })
    }

    fn body_angular_velocity<'py>(
        &self,
        py: Python<'py>,
        bodies: Ids,
        spin: Vectors,
    ) -> PyResult<Array<'py>> {
        let spin = vectors(&spin)?;
        self.vectors_of(py, &bodies, |system, id, k| system.body_angular_velocity(id, &spin[k]))
    }

    fn world_angular_velocity<'py>(
        &self,
        py: Python<'py>,
        bodies: Ids,
        spin: Vectors,
    ) -> PyResult<Array<'py>> {
        let spin = vectors(&spin)?;
        self.vectors_of(py, &bodies, |system, id, k| system.world_angular_velocity(id, &spin[k]))
    }

    // ---- stability

    /// K v of vectors v, concatenated.
    fn geometric_stiffness<'py>(
        &self,
        py: Python<'py>,
        joints: Joints,
        reactions: Numbers,
        x: Numbers,
    ) -> PyResult<Array<'py>> {
        let inner = self.read()?;
        let stiffness = inner.system.geometric_stiffness(&joints.made()?, reactions.as_slice()?);
        let (stiffness, x) = (stiffness.map_err(raised)?, x.as_slice()?);
        let size = stiffness.dofs();
        if size == 0 || !x.len().is_multiple_of(size) {
            let text = format!("x: {} values where {size} for each vector are needed", x.len());
            return Err(invalid(None, &text));
        }
        let mut y = vec![0.0; x.len()];
        let pairs = x.chunks(size).zip(y.chunks_mut(size));
        pairs.for_each(|(x, y)| stiffness.product(x, y));
        Ok(PyArray1::from_vec(py, y))
    }

    /// Squared frequency, step and share; the constraint, if there is one.
    fn critical_step(
        &self,
        py: Python,
        joints: Joints,
        reactions: Numbers,
        is_sharp: bool,
    ) -> PyResult<([f64; 3], Option<i64>)> {
        let (joints, reactions, system) = (joints.made()?, reactions.as_slice()?, &self.read()?.system);
        let directions = if is_sharp { Directions::Free } else { Directions::All };
        let made = without_gil(py, || system.critical_step(&joints, reactions, directions));
        let made = made.map_err(raised)?;
        let constraint = made.constraint.and_then(|row| system.constraints().nth(row));
        Ok(([made.frequency_squared, made.step, made.share], constraint.map(|(id, _)| id as i64)))
    }

    // ---- results

    fn update(&self, py: Python, h: f64) -> PyResult<()> {
        let inner = &mut *self.write()?;
        #[cfg(feature = "mpi")]
        if inner.system.across().is_some() {
            return Err(invalid(None, "a local system is updated by its Parallel, on all processes"));
        }
        let system = &mut inner.system;
        let updated = without_gil(py, || system.update(h));
        updated.map_err(|error| inner.raised(error))
    }

    /// Copies: ids, where scalars of rows begin, starts, columns, blocks (column by column), B, V, diagonal blocks and their inverses.
    #[allow(clippy::type_complexity, reason = "a tuple of arrays")]
    fn results<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Array<'py, i64>, [Array<'py, i32>; 3], [Array<'py>; 5])> {
        let inner = self.read()?;
        let rows = inner.system.results().map_err(raised)?;
        let scalars = match rows.w.layout() {
            Some(layout) => array(py, layout.scalar_starts()),
            None => PyArray1::from_iter(py, (0..=rows.ids.len()).map(|row| 3 * row as i32)),
        };
        let numbers = [rows.w.values(), rows.b, rows.v, rows.diagonal, rows.inverse];
        Ok((
            PyArray1::from_iter(py, rows.ids.iter().map(|id| *id as i64)),
            [scalars, array(py, rows.w.starts()), array(py, rows.w.columns())],
            numbers.map(|values| array(py, values)),
        ))
    }

    fn row_of(&self, constraint: i64) -> PyResult<usize> {
        self.read()?.system.row_of(id(Thing::Constraint, constraint)?).map_err(raised)
    }

    /// Products with `count` vectors, concatenated.
    fn multiply<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        x: Numbers,
        through_bodies: bool,
    ) -> PyResult<Array<'py>> {
        let x = x.as_slice()?;
        let mut y = vec![0.0; x.len()];
        let inner = self.read()?;
        let (system, stride) = (&inner.system, x.len() / count.max(1));
        without_gil(py, || {
            // The library checks the length of one vector, and only the strides of several.
            let scalars: usize = scalar_count(system);
            if count != 1 && stride != scalars {
                let (what, expected, found) = ("vectors of W x", scalars, stride);
                return Err(Error::of_system(Fault::Size { what, expected, found }));
            }
            match (count, through_bodies) {
                (1, true) => system.multiply_through_bodies(x, &mut y),
                (1, false) => system.multiply(x, &mut y),
                _ => {
                    let (x, y) = (Columns { values: x, stride }, Columns { values: &mut y[..], stride });
                    match through_bodies {
                        true => system.multiply_columns_through_bodies(count, x, y),
                        false => system.multiply_columns(count, x, y),
                    }
                }
            }
        })
        .map_err(|error| inner.raised(error))?;
        Ok(PyArray1::from_vec(py, y))
    }

    fn constraints<'py>(&self, py: Python<'py>) -> PyResult<Array<'py, i64>> {
        Ok(PyArray1::from_iter(py, self.read()?.system.constraints().map(|(id, _)| id as i64)))
    }

    fn constraint_count(&self) -> PyResult<usize> {
        Ok(self.read()?.system.constraint_count())
    }

    /// Numbers of scalar rows of all constraints.
    fn row_counts<'py>(&self, py: Python<'py>) -> PyResult<Array<'py, i64>> {
        let inner = self.read()?;
        let counts = inner.system.constraints().map(|(_, constraint)| constraint.rows() as i64);
        Ok(PyArray1::from_vec(py, counts.collect()))
    }

    /// The number of scalar rows of all constraints.
    fn scalar_count(&self) -> PyResult<usize> {
        Ok(scalar_count(&self.read()?.system))
    }

    /// See [`solve::report`] for the result; without laws the kept ones are used. `reactions` is the initial guess, and becomes the
    /// best forces that are found.
    fn solve<'py>(
        &self,
        py: Python<'py>,
        laws: Option<Laws>,
        options: Choices,
        progress: Option<Py<PyAny>>,
        mut reactions: PyReadwriteArray1<f64>,
    ) -> PyResult<Report<'py>> {
        let Inner { system, solver, .. } = &mut *self.write()?;
        let laws = given_or_kept(system, laws)?;
        let options = options.made()?;
        let forces = reactions.as_slice_mut()?;
        let mut progress = Progress::new(progress, options.measure);
        let (system, own) = (&*system, &mut *solver);
        let report = without_gil(py, || match progress.watch() {
            Some(mut watch) => system.solve_with_progress(own, &laws, &options, forces, &mut watch),
            None => system.solve(own, &laws, &options, forces),
        })
        .map_err(raised)?;
        progress.end()?;
        let text = system.conflict_text(solver.conflict()).map_err(raised)?;
        Ok(solve::report(py, &report, &options, solver, &text))
    }

    /// Write the contact problem to a file; without laws the kept ones.
    fn write_problem(&self, path: PathBuf, laws: Option<Laws>, reactions: Option<Numbers>) -> PyResult<()> {
        let Inner { system, .. } = &*self.read()?;
        let laws = given_or_kept(system, laws)?;
        let forces = reactions.as_ref().map(|reactions| reactions.as_slice()).transpose()?;
        system.check_problem(&laws, forces).map_err(raised)?;
        let (problem, z) = (system.results().map_err(raised)?.problem(), system.body_rows().map_err(raised)?);
        let mut out = BufWriter::new(File::create(path)?);
        write_problem(&mut out, &problem, &laws, forces, z.as_ref())?;
        out.into_inner().map_err(IntoInnerError::into_error)?;
        Ok(())
    }

    /// H^T R of bodies with the same number of velocities.
    fn constraint_force<'py>(
        &self,
        py: Python<'py>,
        bodies: Ids,
        reactions: Numbers,
    ) -> PyResult<Array<'py>> {
        let (bodies, reactions) = (ids(Thing::Body, &bodies)?, reactions.as_slice()?);
        let (inner, mut all) = (self.read()?, Vec::new());
        let first = (bodies.len() > 0).then(|| inner.system.body(bodies.at(0))).transpose();
        let n = first.map_err(raised)?.map_or(0, |body| body.dofs());
        let tell = |_: usize, force: &[f64]| all.extend_from_slice(force);
        let told = inner.system.constraint_forces(bodies.len(), n, |k| bodies.at(k), reactions, tell);
        told.map_err(|error| raised_of(bodies.len(), error))?;
        Ok(array(py, &all))
    }

    fn apply_reactions(&self, py: Python, reactions: Numbers) -> PyResult<()> {
        let (reactions, inner) = (reactions.as_slice()?, &mut *self.write()?);
        let system = &mut inner.system;
        let applied = without_gil(py, || system.apply_reactions(reactions));
        applied.map_err(|error| inner.raised(error))
    }

    /// The largest eigenvalue of the diagonal block of each row.
    fn block_eigenvalues<'py>(&self, py: Python<'py>) -> PyResult<Array<'py>> {
        let inner = self.read()?;
        let rows = inner.system.results().map_err(raised)?;
        let mut largest = vec![0.0; rows.ids.len()];
        rows.block_eigenvalues(&mut largest);
        Ok(PyArray1::from_vec(py, largest))
    }

    fn spectral_radius(&self, py: Python, tolerance: f64, max_products: usize) -> PyResult<(f64, f64)> {
        let system = &self.read()?.system;
        let estimate = without_gil(py, || system.spectral_radius(tolerance, max_products)).map_err(raised)?;
        Ok((estimate.value, estimate.residual))
    }
}

fn option(name: &str) -> PyResult<SystemOption> {
    match name {
        "any_axes" => Ok(SystemOption::AnyAxes),
        "orthonormalize" => Ok(SystemOption::Orthonormalize),
        _ => {
            let text = format!("name: {name:?} where one of \"any_axes\", \"orthonormalize\" is needed");
            Err(invalid(None, &text))
        }
    }
}

/// Number of scalars of all constraints.
fn scalar_count(system: &system::System) -> usize {
    system.constraints().map(|(_, constraint)| constraint.rows()).sum()
}

/// The given laws of a system's rows, or the kept ones.
pub fn given_or_kept(system: &system::System, laws: Option<Laws>) -> PyResult<Vec<Law>> {
    let rows = system.results().map_err(raised)?;
    if let Some(laws) = laws {
        return laws.made((0..rows.w.len()).map(|row| rows.w.height(row)));
    }
    let mut kept = Vec::new();
    system.row_laws(&mut kept).map_err(raised)?;
    Ok(kept)
}

/// Operators of `rows` scalar rows, from row-major values.
fn row_operators(rows: usize, operators: &[Numbers]) -> PyResult<Vec<Operator>> {
    let operator = |h: &Numbers| {
        let values = h.as_slice()?;
        let n = values.len() / rows.max(1);
        let made = Operator::dense(rows, n, &by_columns(values, rows, n));
        made.map_err(|fault| raised(Error::of_system(fault)))
    };
    operators.iter().map(operator).collect()
}
