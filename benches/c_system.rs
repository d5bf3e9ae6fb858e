//! Bodies by matrices and constraints by operators, through the C interface.

use std::ffi::{CStr, c_int};
use std::ops::Range;
use std::time::Instant;
use std::{mem, ptr, slice};

use ldy::legacy::c_api::additions::ldy_last_error;
use ldy::system::c_api::bodies::*;
use ldy::system::c_api::inertia::*;
use ldy::system::c_api::jacobian::*;
use ldy::system::c_api::operators::*;
use ldy::system::c_api::results::*;
use ldy::system::c_api::rows::ldy_rows;
use ldy::system::c_api::*;

use crate::blocks::Blocks;
use crate::matrices::{Constraint, Matrices, Operator};
use crate::said;

/// How a program has its matrices.
#[derive(Clone, Copy, PartialEq)]
pub enum Form {
    /// The inverse of A, and operators, as they are.
    Dense,
    /// A and operators without their zeros. Updates factor A.
    Sparse,
}

/// A system, and what its setters are called with.
pub struct CSystem {
    system: *mut ldy_system,
    /// Other numbers for every other update: nothing can be kept.
    inputs: [Inputs; 2],
    next: usize,
}

/// Numbers of a step.
struct Inputs {
    inertia: Vec<Columns>,
    velocities: Vec<Vec<f64>>,
    constraints: Vec<Operators>,
    /// The compliances of all constraints. Without them each constraint is set by a call of its own.
    jacobians: Vec<Jacobian>,
}

/// All operators on some bodies in one matrix: by rows, without zeros if the form is sparse.
struct Jacobian {
    bodies: Vec<i64>,
    constraints: Vec<i64>,
    rows: usize,
    columns: usize,
    starts: Vec<i32>,
    indices: Vec<i32>,
    values: Vec<f64>,
}

/// Operators of a constraint with this number of rows.
struct Operators {
    rows: usize,
    sides: [Option<Columns>; 2],
}

/// A matrix by columns: dense, or sparse with starts and rows.
struct Columns {
    n: i32,
    starts: Vec<i32>,
    rows: Vec<i32>,
    values: Vec<f64>,
}

impl CSystem {
    /// The system of a scene.
    ///
    /// # Errors
    /// If the library refuses something.
    pub fn new(matrices: &Matrices, form: Form) -> Result<Self, String> {
        let inputs = [1.0, 1.0625].map(|factor| Inputs::new(matrices, form, factor));
        let mut system = ptr::null_mut();
        // SAFETY: the system goes to a place of its own.
        check(unsafe { ldy_system_create(&mut system) })?;
        let new = Self { system, inputs, next: 0 };
        for inertia in &new.inputs[0].inertia {
            let mut id = 0;
            // SAFETY: the system is live, the arrays have the sizes that their columns say.
            check(unsafe { ldy_system_add_body(system, &inertia.inertia(), &mut id) })?;
        }
        for (constraint, operators) in matrices.constraints.iter().zip(&new.inputs[0].constraints) {
            let bodies = constraint.sides.each_ref().map(|side| side.as_ref().map_or(LDY_GROUND, id));
            let views = operators.sides.each_ref().map(view);
            let (rows, count) = (operators.rows as i32, if operators.rows == 3 { 2 } else { 1 });
            let mut constraint = 0;
            // SAFETY: as above.
            check(unsafe {
                ldy_system_add_constraint_rows(
                    system,
                    rows,
                    bodies.as_ptr(),
                    views.as_ptr(),
                    count,
                    &mut constraint,
                )
            })?;
        }
        Ok(new)
    }

    /// Set everything again and update, `count` times: the time of the setters, and of setters and update, in milliseconds.
    ///
    /// # Errors
    /// If the library refuses something.
    pub fn measure(&mut self, count: usize) -> Result<Vec<[f64; 2]>, String> {
        (0..count).map(|_| self.step()).collect()
    }

    fn step(&mut self) -> Result<[f64; 2], String> {
        let start = Instant::now();
        self.set()?;
        let set = start.elapsed();
        // SAFETY: the system is live.
        check(unsafe { ldy_system_update(self.system, 1.0) })?;
        let both = start.elapsed();
        self.next = 1 - self.next;
        Ok([set, both].map(|time| time.as_secs_f64() * 1e3))
    }

    fn set(&mut self) -> Result<(), String> {
        let Inputs { inertia, velocities, constraints, jacobians } = &self.inputs[self.next];
        for (id, (inertia, velocity)) in inertia.iter().zip(velocities).enumerate() {
            let id = id as i64;
            // SAFETY: the system is live, the arrays have the sizes that their columns say.
            unsafe {
                check(ldy_system_set_inertia(self.system, id, &inertia.inertia()))?;
                let (which, count) = (LDY_VELOCITY_FREE, velocity.len());
                check(ldy_system_set_velocity(self.system, id, which, velocity.as_ptr(), count))?;
            }
        }
        for jacobian in jacobians {
            let Jacobian { bodies, constraints: ids, .. } = jacobian;
            let (body_count, count, matrix) = (bodies.len(), ids.len(), jacobian.matrix());
            // SAFETY: as above.
            check(unsafe {
                ldy_system_set_jacobian(
                    self.system,
                    bodies.as_ptr(),
                    body_count,
                    ids.as_ptr(),
                    count,
                    &matrix,
                )
            })?;
        }
        if !jacobians.is_empty() {
            return Ok(());
        }
        for (id, Operators { sides, .. }) in constraints.iter().enumerate() {
            let views = sides.each_ref().map(view);
            // The ground has no operator.
            let first = usize::from(sides[0].is_none());
            let count = sides.iter().flatten().count();
            // SAFETY: as above.
            check(unsafe {
                ldy_system_set_operators(self.system, id as i64, views[first..].as_ptr(), count)
            })?;
        }
        Ok(())
    }

    /// Update with the numbers of the scene and write W to a file; how many blocks it has.
    ///
    /// # Errors
    /// If the library refuses something, or the file cannot be written.
    pub fn write(&mut self, path: &str) -> Result<usize, String> {
        self.next = 0;
        self.step()?;
        // SAFETY: the structure holds integers and raw pointers, for which zeros are values.
        let mut rows = ldy_rows { size: size_of::<ldy_rows>(), ..unsafe { mem::zeroed() } };
        // SAFETY: the system is live, and the size says how much there is to write to.
        check(unsafe { ldy_system_results(self.system, &mut rows) })?;
        let (count, blocks) = (rows.rows as usize, rows.blocks as usize);
        let threes: Vec<i32> = (0..=count as i32).map(|row| 3 * row).collect();
        // SAFETY: the library's arrays have the lengths that it reports, until the system changes. Some are missing where all
        // rows have three scalars.
        let blocks_of_rows = unsafe {
            let value_count =
                if rows.value_starts.is_null() { 9 * blocks } else { *rows.value_starts.add(blocks) };
            Blocks {
                scalar_starts: match rows.scalar_starts.is_null() {
                    true => &threes,
                    false => slice::from_raw_parts(rows.scalar_starts, count + 1),
                },
                starts: slice::from_raw_parts(rows.starts, count + 1),
                columns: slice::from_raw_parts(rows.columns, blocks),
                values: slice::from_raw_parts(rows.values, value_count),
            }
        };
        said(blocks_of_rows.write(path, 1.0))?;
        Ok(blocks)
    }
}

impl Drop for CSystem {
    fn drop(&mut self) {
        // SAFETY: the system comes from ldy_system_create and is not used afterwards.
        unsafe { ldy_system_destroy(self.system) };
    }
}

impl Inputs {
    fn new(matrices: &Matrices, form: Form, factor: f64) -> Self {
        let inertia = matrices.bodies.iter().map(|body| match form {
            Form::Dense => Columns::dense(body.dofs, &body.inverse, 1.0 / factor),
            Form::Sparse => Columns::sparse(body.dofs, &body.matrix, factor, |row, column| row >= column),
        });
        let operator = |operator: &Operator, rows: usize| {
            let n = operator.values.len() / rows;
            match form {
                Form::Dense => Columns::dense(n, &operator.values, factor),
                Form::Sparse => Columns::sparse(n, &operator.values, factor, |_, _| true),
            }
        };
        let operators = |Constraint { rows, sides }: &Constraint| Operators {
            rows: *rows,
            sides: sides.each_ref().map(|side| side.as_ref().map(|side| operator(side, *rows))),
        };
        Self {
            inertia: inertia.collect(),
            velocities: matrices.bodies.iter().map(|body| vec![factor; body.dofs]).collect(),
            constraints: matrices.constraints.iter().map(operators).collect(),
            jacobians: Jacobian::all(matrices, form, factor),
        }
    }
}

impl Columns {
    fn inertia(&self) -> ldy_inertia {
        let Self { n, starts, rows, values } = self;
        let is_dense = starts.is_empty();
        ldy_inertia {
            size: size_of::<ldy_inertia>(),
            kind: if is_dense { LDY_INERTIA_DENSE } else { LDY_INERTIA_SPARSE },
            n: *n,
            values: values.as_ptr(),
            starts: starts.as_ptr(),
            rows: rows.as_ptr(),
            count: values.len(),
            mass: 0.0,
            apply_inverse: None,
            data: ptr::null_mut(),
            release: None,
        }
    }
}

impl Jacobian {
    fn matrix(&self) -> ldy_matrix {
        let Self { rows, columns, starts, indices, values, .. } = self;
        let is_dense = starts.is_empty();
        ldy_matrix {
            size: size_of::<ldy_matrix>(),
            rows: *rows,
            columns: *columns,
            values: values.as_ptr(),
            row_stride: 0,
            column_stride: 0,
            starts: if is_dense { ptr::null() } else { starts.as_ptr() },
            counts: ptr::null(),
            indices: if is_dense { ptr::null() } else { indices.as_ptr() },
            count: values.len(),
        }
    }

    /// Dense, one for each body, as most of one over several would be zero; none if constraints act on two.
    fn all(matrices: &Matrices, form: Form, factor: f64) -> Vec<Self> {
        let bodies = 0..matrices.bodies.len();
        let of = |bodies| Self::new(matrices, bodies, form, factor);
        match form {
            Form::Sparse => vec![of(bodies)],
            Form::Dense if matrices.constraints.iter().all(|one| one.sides.iter().flatten().count() == 1) => {
                bodies.map(|body| of(body..body + 1)).filter(|one| one.rows > 0).collect()
            }
            Form::Dense => vec![],
        }
    }

    fn new(matrices: &Matrices, bodies: Range<usize>, form: Form, factor: f64) -> Self {
        let mut firsts = vec![0; bodies.start + 1];
        firsts.extend(matrices.bodies[bodies.clone()].iter().scan(0, |end, body| {
            *end += body.dofs;
            Some(*end)
        }));
        let columns = firsts[bodies.end];
        let (mut constraints, mut height) = (vec![], 0);
        let (mut starts, mut indices, mut values) = (vec![], vec![], vec![]);
        let mut dense = vec![0.0; columns];
        for (id, Constraint { rows, sides }) in (0..).zip(&matrices.constraints) {
            if !sides.iter().flatten().any(|side| bodies.contains(&side.body)) {
                continue;
            }
            constraints.push(id);
            height += rows;
            for row in 0..*rows {
                dense.fill(0.0);
                for Operator { body, values } in sides.iter().flatten() {
                    let own = values.chunks_exact(*rows).zip(&mut dense[firsts[*body]..]);
                    own.for_each(|(column, to)| *to = factor * column[row]);
                }
                if form == Form::Dense {
                    values.extend_from_slice(&dense);
                    continue;
                }
                starts.push(values.len() as i32);
                for (column, value) in dense.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                    indices.push(column as i32);
                    values.push(*value);
                }
            }
        }
        if form == Form::Sparse {
            starts.push(values.len() as i32);
        }
        let bodies = bodies.map(|body| body as i64).collect();
        Self { bodies, constraints, rows: height, columns, starts, indices, values }
    }
}

impl Columns {
    fn dense(n: usize, values: &[f64], factor: f64) -> Self {
        let values = values.iter().map(|value| factor * value).collect();
        Self { n: n as i32, starts: vec![], rows: vec![], values }
    }

    /// Pick the nonzero entries in the wanted part.
    fn sparse(n: usize, dense: &[f64], factor: f64, wanted: impl Fn(usize, usize) -> bool) -> Self {
        let height = dense.len() / n;
        let (mut starts, mut rows, mut values) = (vec![0], vec![], vec![]);
        for (column, entries) in dense.chunks_exact(height).enumerate() {
            for (row, value) in entries.iter().enumerate() {
                if *value != 0.0 && wanted(row, column) {
                    rows.push(row as i32);
                    values.push(factor * value);
                }
            }
            starts.push(rows.len() as i32);
        }
        Self { n: n as i32, starts, rows, values }
    }
}

/// An operator as C has it; without one, what is not read.
fn view(columns: &Option<Columns>) -> ldy_operator {
    let nothing =
        ldy_operator { n: 0, starts: ptr::null(), rows: ptr::null(), values: ptr::null(), count: 0 };
    let Some(Columns { n, starts, rows, values }) = columns else { return nothing };
    let dense = ldy_operator { n: *n, values: values.as_ptr(), count: values.len(), ..nothing };
    if starts.is_empty() {
        dense
    } else {
        ldy_operator { starts: starts.as_ptr(), rows: rows.as_ptr(), ..dense }
    }
}

fn id(operator: &Operator) -> i64 {
    operator.body as i64
}

fn check(code: c_int) -> Result<(), String> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: the text is the library's, and stays until the thread's next error.
    let text = unsafe { CStr::from_ptr(ldy_last_error()) };
    Err(format!("code {code}: {}", text.to_string_lossy()))
}
