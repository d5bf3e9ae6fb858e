//! A system.

use std::collections::HashSet;
use std::sync::PoisonError;

use ldy::math::{Block, Vector};
use ldy::solve::Solver;
use ldy::system::{
    self, AtPoints, Body, Columns, Directions, EntryError, Error, Fault, Id, Inertia, Jacobian, Keyed,
    Kinematics, Operator,
};
use numpy::{PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::arrays::{Ids, Matrices, Numbers, Vectors, blocks, body, by_columns, by_columns_3, id, vectors};
use crate::at_exit::without_gil;
use crate::errors::{raised, raised_of};
use crate::solve::{self, Choice, LawArrays, Laws, Progress, Report};
use crate::solver::Functions;
use crate::stability::Joints;

type Indices<'py> = PyReadonlyArray1<'py, i32>;
type Ids1<'py> = PyResult<Bound<'py, PyArray1<i64>>>;
type Result<T> = std::result::Result<T, Error>;

/// Bodies, constraints between them, and the rows of W.
#[pyclass]
#[derive(Default)]
pub struct System {
    system: system::System,
    solver: Solver,
    functions: Functions,
}

impl System {
    /// The library's.
    pub fn inner(&self) -> &system::System {
        &self.system
    }

    /// The exception for an error. If an inverse callback has raised, this is its exception.
    fn raised(&self, error: Error) -> PyErr {
        let thrown = self.functions.thrown.lock().unwrap_or_else(PoisonError::into_inner).take();
        thrown.unwrap_or_else(|| raised(error))
    }

    /// Insert bodies, all or none. All arguments are checked before the first insertion, so that an error uses up no id.
    fn insert_bodies<'py>(
        &mut self,
        py: Python<'py>,
        count: usize,
        body: impl Fn(usize) -> std::result::Result<(usize, Kinematics, Inertia), Fault>,
    ) -> Ids1<'py> {
        let first = self.system.add_bodies(count, |k| {
            let (dofs, kinematics, inertia) = body(k)?;
            Body::new(dofs, kinematics, inertia)
        });
        let first = first.map_err(|error| raised_of(count, error))? as i64;
        Ok(PyArray1::from_vec(py, (first..first + count as i64).collect()))
    }

    fn put_jacobian(&mut self, bodies: &Ids, constraints: &Ids, jacobian: &Jacobian) -> PyResult<()> {
        let [bodies, constraints] = [bodies.as_slice()?, constraints.as_slice()?];
        let (count, [bodies, constraints]) =
            (constraints.len(), [bodies, constraints].map(|ids| ids.iter().map(|&one| id(one))));
        let set = self.system.set_jacobian(bodies, constraints, jacobian);
        set.map_err(|error| raised_of(count, error))
    }

    /// The id of the first of the constraints that are inserted.
    fn insert_jacobian(&mut self, bodies: &Ids, heights: &Ids, jacobian: &Jacobian) -> PyResult<i64> {
        let (bodies, heights) = (bodies.as_slice()?.iter().map(|&one| id(one)), heights.as_slice()?);
        // No constraint has 0 rows, or fewer.
        let each = heights.iter().map(|&height| usize::try_from(height).unwrap_or(0));
        let first = self.system.add_jacobian(bodies, each, jacobian);
        first.map(|first| first as i64).map_err(|error| raised_of(heights.len(), error))
    }

    /// A vector for each body, concatenated.
    fn vectors_of<'py>(
        &self,
        py: Python<'py>,
        bodies: &Ids,
        of: impl Fn(Id, usize) -> Result<Vector>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let ids = bodies.as_slice()?;
        let of = |(k, &one): (usize, &i64)| {
            of(id(one), k).map_err(|error| raised_of(ids.len(), of_entry(k, error)))
        };
        let made = ids.iter().enumerate().map(of).collect::<PyResult<Vec<Vector>>>()?;
        Ok(array(py, made.as_flattened()))
    }
}

fn of_entry(entry: usize, error: Error) -> EntryError {
    EntryError { entry: Some(entry), error }
}

/// Remove many things, all or none: each must be there, be named once, and be removable.
fn remove_all(
    system: &mut system::System,
    ids: &[i64],
    is_removable: impl Fn(&system::System, Id) -> bool,
    remove: impl Fn(&mut system::System, Id) -> Result<()>,
) -> PyResult<()> {
    let mut named = HashSet::with_capacity(ids.len());
    for (k, &one) in ids.iter().enumerate() {
        if !named.insert(one) {
            return Err(PyValueError::new_err(format!("entry {k}: id {one} is named twice")));
        }
        if !is_removable(system, id(one)) {
            return remove(system, id(one)).map_err(|error| raised_of(ids.len(), of_entry(k, error)));
        }
    }
    ids.iter().try_for_each(|&one| remove(system, id(one)).map_err(raised))
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

    fn __traverse__(&self, visit: PyVisit) -> std::result::Result<(), PyTraverseError> {
        self.functions.visit(&visit)
    }

    /// Nothing can reach it any more but what its functions reach.
    fn __clear__(&mut self) {
        self.system = system::System::default();
    }

    // ---- bodies

    fn add_rigid<'py>(
        &mut self,
        py: Python<'py>,
        mass: Numbers,
        inertia: Matrices,
        rotation: Matrices,
        center: Vectors,
    ) -> Ids1<'py> {
        let (mass, inertia, rotation) = (mass.as_slice()?, blocks(&inertia)?, blocks(&rotation)?);
        let center = vectors(&center)?;
        self.insert_bodies(py, mass.len(), |k| {
            let kinematics = Kinematics::Rigid { rotation: rotation[k], center: center[k] };
            Ok((6, kinematics, Inertia::rigid(mass[k], &inertia[k])?))
        })
    }

    fn add_pseudo_rigid<'py>(
        &mut self,
        py: Python<'py>,
        mass: Numbers,
        euler: Matrices,
        center: Vectors,
    ) -> Ids1<'py> {
        let (mass, euler, center) = (mass.as_slice()?, blocks(&euler)?, vectors(&center)?);
        self.insert_bodies(py, mass.len(), |k| {
            let kinematics = Kinematics::PseudoRigid { center: center[k] };
            Ok((12, kinematics, Inertia::pseudo_rigid(mass[k], &euler[k])?))
        })
    }

    fn add_obstacle<'py>(&mut self, py: Python<'py>, rotation: Matrices, center: Vectors) -> Ids1<'py> {
        let (rotation, center) = (blocks(&rotation)?, vectors(&center)?);
        self.insert_bodies(py, rotation.len(), |k| {
            let kinematics = Kinematics::Rigid { rotation: rotation[k], center: center[k] };
            Ok((6, kinematics, Inertia::Obstacle))
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
        let inertia = Inertia::solver(self.functions.add(function));
        self.add_general(n, inertia)
    }

    fn add_model(&mut self, sizes: Vec<usize>, function: Py<PyAny>) -> PyResult<i64> {
        let function = self.functions.add(function);
        self.system.add_model(&sizes, function).map(|first| first as i64).map_err(raised)
    }

    fn remove_bodies(&mut self, bodies: Ids) -> PyResult<()> {
        let used: HashSet<Id> =
            self.system.constraints().flat_map(|(_, constraint)| constraint.bodies()).flatten().collect();
        let is_removable = |system: &system::System, id| system.body(id).is_ok() && !used.contains(&id);
        remove_all(&mut self.system, bodies.as_slice()?, is_removable, system::System::remove_body)
    }

    fn set_rotation(&mut self, bodies: Ids, rotation: Matrices) -> PyResult<()> {
        let (ids, rotation) = (bodies.as_slice()?, blocks(&rotation)?);
        let set = self.system.set_rotations(ids.len(), |k| (id(ids[k]), rotation[k]));
        set.map_err(|error| raised_of(ids.len(), error))
    }

    fn rotation<'py>(&self, py: Python<'py>, bodies: Ids) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (ids, mut all) = (bodies.as_slice()?, Vec::<Block>::new());
        let told = self.system.rotations(ids.len(), |k| id(ids[k]), |_, one| all.push(by_columns_3(one)));
        told.map_err(|error| raised_of(ids.len(), error))?;
        Ok(array(py, all.as_flattened()))
    }

    fn set_mass(&mut self, one: i64, mass: f64, inertia: Matrices) -> PyResult<()> {
        let inertia = blocks(&inertia)?[0];
        self.system.set_mass(id(one), mass, &inertia).map_err(raised)
    }

    fn set_dense(&mut self, one: i64, n: usize, inverse: Numbers) -> PyResult<()> {
        self.system.set_dense(id(one), n, inverse.as_slice()?).map_err(raised)
    }

    fn set_diagonal(&mut self, one: i64, inverse: Numbers) -> PyResult<()> {
        self.set_inertia(one, Inertia::diagonal(inverse.as_slice()?))
    }

    fn set_matrix(&mut self, one: i64, starts: Indices, rows: Indices, values: Numbers) -> PyResult<()> {
        let (starts, rows, values) = (starts.as_slice()?, rows.as_slice()?, values.as_slice()?);
        self.system.set_matrix(id(one), starts, rows, values).map_err(raised)
    }

    fn set_velocity(&mut self, bodies: Ids, velocity: Vectors, is_previous: bool) -> PyResult<()> {
        let (ids, velocity) = (bodies.as_slice()?, velocity.as_slice()?);
        let n = velocity.len() / ids.len().max(1);
        let of = |k: usize| (id(ids[k]), &velocity[n * k..n * (k + 1)]);
        let set = self.system.set_velocities(ids.len(), is_previous, of);
        set.map_err(|error| raised_of(ids.len(), error))
    }

    /// The velocities of bodies, concatenated. All bodies must have the same number of dofs.
    fn velocity<'py>(&self, py: Python<'py>, bodies: Ids) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (ids, mut values) = (bodies.as_slice()?, Vec::new());
        for (k, &one) in ids.iter().enumerate() {
            let body = self.system.body(id(one));
            let body = body.map_err(|error| raised_of(ids.len(), of_entry(k, error)))?;
            if k > 0 && values.len() != k * body.dofs() {
                let text =
                    format!("entry {k}: body {one} has another number of velocities than those before it");
                return Err(PyValueError::new_err(text));
            }
            values.extend_from_slice(body.velocity());
        }
        Ok(PyArray1::from_vec(py, values))
    }

    fn bodies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.system.bodies().map(|(id, _)| id as i64))
    }

    // ---- constraints

    fn add_constraints<'py>(
        &mut self,
        py: Python<'py>,
        master: Ids,
        slave: Ids,
        frame: Matrices,
        master_point: Vectors,
        slave_point: Vectors,
    ) -> Ids1<'py> {
        let (master, slave) = (master.as_slice()?, slave.as_slice()?);
        let (frame, points) =
            (frame.as_slice()?.as_chunks().0, [vectors(&master_point)?, vectors(&slave_point)?]);
        let first = self.system.add_point_constraints(master.len(), |k| AtPoints {
            bodies: [body(master[k]), body(slave[k])],
            frame: by_columns_3(&frame[k]),
            points: points.map(|points| points[k]),
        });
        let first = first.map_err(|error| raised_of(master.len(), error))? as i64;
        Ok(PyArray1::from_iter(py, first..first + master.len() as i64))
    }

    /// H row by row, 3 × n; none for the ground.
    fn add_operators(
        &mut self,
        master: i64,
        of_master: Option<Numbers>,
        slave: i64,
        of_slave: Option<Numbers>,
    ) -> PyResult<i64> {
        let operators = [operator(of_master)?, operator(of_slave)?].into_iter().flatten().collect();
        let inserted = self.system.add_constraint_rows(&[body(master), body(slave)], operators);
        inserted.map(|id| id as i64).map_err(raised)
    }

    /// Insert a constraint of `rows` scalar rows; one H for each body, row-major.
    fn add_rows(&mut self, rows: usize, bodies: Ids, operators: Vec<Numbers>) -> PyResult<i64> {
        let bodies: Vec<Id> = bodies.as_slice()?.iter().map(|&body| id(body)).collect();
        let operators = rows_operators(rows, &operators)?;
        Ok(self.system.add_constraint_rows(&bodies, operators).map_err(raised)? as i64)
    }

    fn add_freedom(&mut self, body: i64, freedom: i64, coefficient: f64) -> PyResult<i64> {
        let freedom = usize::try_from(freedom).ok();
        Ok(self.system.add_dof_constraint(id(body), freedom, coefficient).map_err(raised)? as i64)
    }

    fn set_rows_operators(&mut self, constraint: i64, operators: Vec<Numbers>) -> PyResult<()> {
        let rows = self.system.constraint(id(constraint)).map_err(raised)?.rows();
        self.system.set_operators(id(constraint), rows_operators(rows, &operators)?).map_err(raised)
    }

    fn set_rows_compliance(&mut self, constraint: i64, compliance: Option<Numbers>) -> PyResult<()> {
        let compliance = compliance.as_ref().map(|values| values.as_slice()).transpose()?;
        self.system.set_compliance(id(constraint), compliance.unwrap_or_default()).map_err(raised)
    }

    fn regularise(&mut self, mu: Numbers) -> PyResult<()> {
        self.system.set_regularization(mu.as_slice()?).map_err(raised)
    }

    fn set_tags(&mut self, constraints: Ids, tags: PyReadonlyArray1<u64>) -> PyResult<()> {
        let (ids, tags) = (constraints.as_slice()?, tags.as_slice()?);
        let set = self.system.set_tags(ids.len(), |k| (id(ids[k]), tags[k]));
        set.map_err(|error| raised_of(ids.len(), error))
    }

    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let mut tags = vec![0; self.system.constraints().count()];
        self.system.tags(&mut tags).map_err(raised)?;
        Ok(PyArray1::from_vec(py, tags))
    }

    fn set_laws(&mut self, constraints: Ids, laws: Laws) -> PyResult<()> {
        let (ids, laws) = (constraints.as_slice()?, laws.of_constraints()?);
        let set = self.system.set_laws(ids.len(), |k| (id(ids[k]), laws[k]));
        set.map_err(|error| raised_of(ids.len(), error))
    }

    fn laws<'py>(&self, py: Python<'py>, constraints: Ids) -> PyResult<LawArrays<'py>> {
        let (ids, mut laws) = (constraints.as_slice()?, Vec::new());
        let told = self.system.laws(ids.len(), |k| id(ids[k]), |_, law| laws.push(law.copied()));
        told.map_err(|error| raised_of(ids.len(), error))?;
        Ok(solve::arrays(py, &laws))
    }

    /// Numbers of scalar rows of constraints.
    fn heights_of<'py>(&self, py: Python<'py>, constraints: Ids) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let ids = constraints.as_slice()?;
        let height = |(k, &one): (usize, &i64)| match self.system.constraint(id(one)) {
            Ok(constraint) => Ok(constraint.rows() as i64),
            Err(error) => Err(raised_of(ids.len(), of_entry(k, error))),
        };
        let heights = ids.iter().enumerate().map(height).collect::<PyResult<Vec<i64>>>()?;
        Ok(PyArray1::from_vec(py, heights))
    }

    fn set_reactions(&mut self, reactions: Numbers) -> PyResult<()> {
        self.system.store_reactions(reactions.as_slice()?).map_err(raised)
    }

    fn reactions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut reactions = vec![0.0; self.scalar_count()];
        self.system.stored_reactions(&mut reactions).map_err(raised)?;
        Ok(PyArray1::from_vec(py, reactions))
    }

    /// Which scalar rows depend on earlier ones.
    fn redundant<'py>(&self, py: Python<'py>, tolerance: f64) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let system = &self.system;
        let flags = without_gil(py, || system.redundant(tolerance)).map_err(raised)?;
        Ok(PyArray1::from_vec(py, flags))
    }

    fn set_operators(
        &mut self,
        constraint: i64,
        of_master: Option<Numbers>,
        of_slave: Option<Numbers>,
    ) -> PyResult<()> {
        let operators = [operator(of_master)?, operator(of_slave)?].into_iter().flatten().collect();
        self.system.set_operators(id(constraint), operators).map_err(raised)
    }

    /// Rows of J, of which entry (i, j) is `values[i * strides[0] + j * strides[1]]`.
    fn set_jacobian(
        &mut self,
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
        &mut self,
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

    fn add_jacobian(
        &mut self,
        bodies: Ids,
        heights: Ids,
        values: Numbers,
        shape: [usize; 2],
        strides: [usize; 2],
    ) -> PyResult<i64> {
        let jacobian = Jacobian::Dense { values: values.as_slice()?, shape, strides };
        self.insert_jacobian(&bodies, &heights, &jacobian)
    }

    fn add_sparse_jacobian(
        &mut self,
        bodies: Ids,
        heights: Ids,
        shape: [usize; 2],
        starts: Indices,
        indices: Indices,
        values: Numbers,
    ) -> PyResult<i64> {
        let (starts, indices, values) = (starts.as_slice()?, indices.as_slice()?, values.as_slice()?);
        let jacobian = Jacobian::Sparse { shape, starts, counts: None, indices, values };
        self.insert_jacobian(&bodies, &heights, &jacobian)
    }

    /// Ids of the entries; numbers of kept, inserted and removed constraints; the id of the first new one.
    #[allow(clippy::too_many_arguments, clippy::type_complexity, reason = "the arrays of a list")]
    fn sync_constraints<'py>(
        &mut self,
        py: Python<'py>,
        keys: PyReadonlyArray1<u64>,
        master: Ids,
        slave: Ids,
        frame: Matrices,
        master_point: Vectors,
        slave_point: Vectors,
        laws: Option<Laws>,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, [usize; 3], Option<i64>)> {
        let (keys, master, slave) = (keys.as_slice()?, master.as_slice()?, slave.as_slice()?);
        let (frame, points) = (blocks(&frame)?, [vectors(&master_point)?, vectors(&slave_point)?]);
        let laws = laws.map(|laws| laws.of_constraints()).transpose()?;
        let entry = |k: usize| Keyed {
            key: keys[k],
            place: AtPoints {
                bodies: [body(master[k]), body(slave[k])],
                frame: frame[k],
                points: points.map(|points| points[k]),
            },
            law: laws.as_ref().and_then(|laws| laws[k]),
        };
        let mut ids = Vec::with_capacity(keys.len());
        let synced = self.system.sync_constraints(keys.len(), entry, |_, id| ids.push(id as i64));
        let synced = synced.map_err(|error| raised_of(keys.len(), error))?;
        let counts = [synced.kept, synced.inserted, synced.removed];
        Ok((PyArray1::from_vec(py, ids), counts, synced.first_inserted.map(|id| id as i64)))
    }

    fn remove_constraints(&mut self, constraints: Ids) -> PyResult<()> {
        let ids = constraints.as_slice()?;
        let removed = self.system.remove_constraints(ids.len(), |k| id(ids[k]));
        removed.map_err(|error| raised_of(ids.len(), error))
    }

    /// Bodies stay where none are given.
    fn move_constraints(
        &mut self,
        constraints: Ids,
        bodies: Option<[Ids; 2]>,
        frame: Matrices,
        master_point: Vectors,
        slave_point: Vectors,
    ) -> PyResult<()> {
        let (ids, frame) = (constraints.as_slice()?, blocks(&frame)?);
        let points = [vectors(&master_point)?, vectors(&slave_point)?];
        let bodies = match &bodies {
            Some([master, slave]) => Some([master.as_slice()?, slave.as_slice()?]),
            None => None,
        };
        let moved = self.system.move_constraints(ids.len(), |k| {
            let bodies = bodies.map(|bodies| bodies.map(|ids| body(ids[k])));
            (id(ids[k]), bodies, frame[k], points.map(|points| points[k]))
        });
        moved.map_err(|error| raised_of(ids.len(), error))
    }

    /// Frames, points of masters, points of slaves.
    fn placements<'py>(&self, py: Python<'py>, constraints: Ids) -> PyResult<[Bound<'py, PyArray1<f64>>; 3]> {
        let ids = constraints.as_slice()?;
        let (mut frames, mut places) = (Vec::<Block>::new(), [Vec::<Vector>::new(), Vec::new()]);
        let told = self.system.point_frames(
            ids.len(),
            |k| id(ids[k]),
            |_, frame, points| {
                frames.push(by_columns_3(frame));
                places.iter_mut().zip(points).for_each(|(places, point)| places.push(*point));
            },
        );
        told.map_err(|error| raised_of(ids.len(), error))?;
        let [masters, slaves] = places;
        Ok([frames.as_flattened(), masters.as_flattened(), slaves.as_flattened()]
            .map(|values| array(py, values)))
    }

    fn set_compliance(&mut self, constraints: Ids, compliance: Matrices) -> PyResult<()> {
        let (ids, compliance) = (constraints.as_slice()?, blocks(&compliance)?);
        let set = self.system.set_compliances(ids.len(), |k| (id(ids[k]), &compliance[k][..]));
        set.map_err(|error| raised_of(ids.len(), error))
    }

    // ---- the world

    fn referential_point<'py>(
        &self,
        py: Python<'py>,
        bodies: Ids,
        center: Vectors,
        place: Vectors,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (center, place) = (vectors(&center)?, vectors(&place)?);
        let system = &self.system;
        self.vectors_of(py, &bodies, |id, k| system.body_point(id, &center[k], &place[k]))
    }

    fn pseudo_rigid_point<'py>(
        &self,
        py: Python<'py>,
        bodies: Ids,
        gradient: Matrices,
        center: Vectors,
        place: Vectors,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (gradient, center, place) = (blocks(&gradient)?, vectors(&center)?, vectors(&place)?);
        let system = &self.system;
        let point = |id, k| system.pseudo_rigid_point(id, &gradient[k], &center[k], &place[k]);
        self.vectors_of(py, &bodies, point)
    }

    fn referential_spin<'py>(
        &self,
        py: Python<'py>,
        bodies: Ids,
        spin: Vectors,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let spin = vectors(&spin)?;
        self.vectors_of(py, &bodies, |id, k| self.system.body_angular_velocity(id, &spin[k]))
    }

    fn world_spin<'py>(
        &self,
        py: Python<'py>,
        bodies: Ids,
        spin: Vectors,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let spin = vectors(&spin)?;
        self.vectors_of(py, &bodies, |id, k| self.system.world_angular_velocity(id, &spin[k]))
    }

    // ---- stability

    /// K v of vectors v, concatenated.
    fn geometric_stiffness<'py>(
        &self,
        py: Python<'py>,
        joints: Joints,
        reactions: Numbers,
        x: Numbers,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let stiffness = self.system.geometric_stiffness(&joints.made()?, reactions.as_slice()?);
        let (stiffness, x) = (stiffness.map_err(raised)?, x.as_slice()?);
        let size = stiffness.dofs();
        if size == 0 || !x.len().is_multiple_of(size) {
            let text = format!("x: {} values where {size} for each vector are needed", x.len());
            return Err(PyValueError::new_err(text));
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
        let (joints, reactions, system) = (joints.made()?, reactions.as_slice()?, &self.system);
        let directions = if is_sharp { Directions::Free } else { Directions::All };
        let made = without_gil(py, || system.critical_step(&joints, reactions, directions));
        let made = made.map_err(raised)?;
        let constraint = made.constraint.and_then(|row| system.constraints().nth(row));
        Ok(([made.frequency_squared, made.step, made.share], constraint.map(|(id, _)| id as i64)))
    }

    // ---- results

    fn update(&mut self, py: Python, h: f64) -> PyResult<()> {
        let system = &mut self.system;
        without_gil(py, || system.update(h)).map_err(|error| self.raised(error))
    }

    /// Copies: ids, where scalars of rows begin, starts, columns, blocks (column by column), B, V, diagonal blocks and their inverses.
    #[allow(clippy::type_complexity, reason = "a tuple of arrays")]
    fn rows<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        [Bound<'py, PyArray1<i64>>; 1],
        [Bound<'py, PyArray1<i32>>; 3],
        [Bound<'py, PyArray1<f64>>; 5],
    )> {
        let rows = self.system.results().map_err(raised)?;
        let scalars: Vec<i32> = match rows.w.layout() {
            Some(layout) => layout.scalar_starts().to_vec(),
            None => (0..=rows.ids.len()).map(|row| 3 * row as i32).collect(),
        };
        let numbers = [rows.w.values(), rows.b, rows.v, rows.diagonal, rows.inverse];
        Ok((
            [array(py, rows.ids)],
            [&scalars, rows.w.starts(), rows.w.columns()].map(|values| array(py, values)),
            numbers.map(|values| array(py, values)),
        ))
    }

    /// Products with `count` vectors, concatenated.
    fn times<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        x: Numbers,
        through_bodies: bool,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let x = x.as_slice()?;
        let mut y = vec![0.0; x.len()];
        let (system, stride) = (&self.system, x.len() / count.max(1));
        without_gil(py, || {
            // One vector is to be of the right length to the value; of several the strides are.
            let scalars: usize = scalar_count(system);
            if count != 1 && stride != scalars {
                let (what, expected, found) = ("vectors of three values a row", scalars, stride);
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
        .map_err(|error| self.raised(error))?;
        Ok(PyArray1::from_vec(py, y))
    }

    fn row_count(&self) -> usize {
        if self.system.row_count() == 0 { 0 } else { self.system.constraints().count() }
    }

    /// Numbers of scalars of the rows.
    fn heights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let heights = self.system.constraints().map(|(_, constraint)| constraint.rows());
        PyArray1::from_vec(py, heights.take(self.row_count()).map(|height| height as i64).collect())
    }

    /// Whether no constraint has other than three rows.
    fn are_three(&self) -> bool {
        self.system.results().is_ok_and(|rows| rows.w.layout().is_none())
    }

    /// The number of scalar rows of all constraints.
    fn scalar_count(&self) -> usize {
        scalar_count(&self.system)
    }

    /// See [`solve::report`] for the result; without laws the kept ones are used. `reactions` are where to begin, and become the
    /// best that are met.
    fn solve<'py>(
        &mut self,
        py: Python<'py>,
        laws: Option<Laws>,
        options: Choice,
        progress: Option<Py<PyAny>>,
        mut reactions: PyReadwriteArray1<f64>,
    ) -> PyResult<Report<'py>> {
        let rows = self.system.results().map_err(raised)?;
        let laws = match laws {
            Some(laws) => laws.made((0..rows.w.len()).map(|row| rows.w.height(row)))?,
            None => {
                let mut kept = Vec::new();
                self.system.row_laws(&mut kept).map_err(raised)?;
                kept
            }
        };
        let options = options.made()?;
        let forces = reactions.as_slice_mut()?;
        let Self { system, solver, .. } = self;
        let mut progress = Progress::new(progress, options.measure);
        let report = without_gil(py, || match progress.watch() {
            Some(mut watch) => system.solve_with_progress(solver, &laws, &options, forces, &mut watch),
            None => system.solve(solver, &laws, &options, forces),
        })
        .map_err(raised)?;
        progress.end()?;
        Ok(solve::report(py, &report, &options, solver))
    }

    fn add_force(&self, one: i64, reactions: Numbers, mut force: PyReadwriteArray1<f64>) -> PyResult<()> {
        self.system.constraint_force(id(one), reactions.as_slice()?, force.as_slice_mut()?).map_err(raised)
    }

    fn add_reactions(&mut self, py: Python, reactions: Numbers) -> PyResult<()> {
        let (reactions, system) = (reactions.as_slice()?, &mut self.system);
        without_gil(py, || system.apply_reactions(reactions)).map_err(|error| self.raised(error))
    }

    /// The largest eigenvalue of the diagonal block of each row.
    fn largest_eigenvalues<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let rows = self.system.results().map_err(raised)?;
        let mut largest = vec![0.0; rows.ids.len()];
        rows.largest_eigenvalues(&mut largest);
        Ok(PyArray1::from_vec(py, largest))
    }

    fn largest_eigenvalue(&self, py: Python, tolerance: f64, most_products: usize) -> PyResult<(f64, f64)> {
        let system = &self.system;
        let estimate =
            without_gil(py, || system.spectral_radius(tolerance, most_products)).map_err(raised)?;
        Ok((estimate.value, estimate.residual))
    }
}

impl System {
    fn add_general(&mut self, n: usize, inertia: std::result::Result<Inertia, Fault>) -> PyResult<i64> {
        let failed = |fault| raised(Error::of_body(self.system.next_body(), fault));
        let inertia = inertia.map_err(failed)?;
        Ok(self.system.add_body(n, Kinematics::General, inertia).map_err(raised)? as i64)
    }

    fn set_inertia(&mut self, one: i64, inertia: std::result::Result<Inertia, Fault>) -> PyResult<()> {
        let inertia = inertia.map_err(|fault| raised(Error::of_body(id(one), fault)))?;
        self.system.set_inertia(id(one), inertia).map_err(raised)
    }
}

/// Number of scalars of all constraints.
fn scalar_count(system: &system::System) -> usize {
    system.constraints().map(|(_, constraint)| constraint.rows()).sum()
}

/// Operators of `rows` scalar rows, from row-major values.
fn rows_operators(rows: usize, operators: &[Numbers]) -> PyResult<Vec<Operator>> {
    let operator = |h: &Numbers| {
        let values = h.as_slice()?;
        let n = values.len() / rows.max(1);
        let made = Operator::dense(rows, n, &by_columns(values, rows, n));
        made.map_err(|fault| raised(Error::of_system(fault)))
    };
    operators.iter().map(operator).collect()
}

fn operator(h: Option<Numbers>) -> PyResult<Option<Operator>> {
    let Some(h) = h else { return Ok(None) };
    let values = h.as_slice()?;
    let n = values.len() / 3;
    let made = Operator::dense(3, n, &by_columns(values, 3, n));
    made.map(Some).map_err(|fault| raised(Error::of_system(fault)))
}
