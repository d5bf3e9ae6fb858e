//! Operators H that are given entry by entry, for bodies whose kinematics are known to the caller alone.

use super::nodal::Nodal;
use crate::math::{Block, Vector};
use crate::memory::{self, with_capacity};

/// An operator H of three rows, 3 × n.
#[derive(Debug)]
pub struct Operator {
    dofs: usize,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Columns(Vec<Column>),
    Nodal(Nodal),
}

/// A column of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Which one.
    pub index: u32,
    /// Its values.
    pub values: Vector,
}

impl Operator {
    /// Of `dofs` columns those are given that may not be zero, ascending.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn of_columns(
        dofs: u32,
        columns: impl Iterator<Item = (u32, Vector)> + Clone,
    ) -> memory::Result<Self> {
        let is_kept = |[x, y, z]: Vector| (x != 0.0) | (y != 0.0) | (z != 0.0);
        let count = columns.clone().map(|(_, values)| usize::from(is_kept(values))).sum();
        let mut kept = with_capacity(count)?;
        for (index, values) in columns {
            if is_kept(values) {
                kept.push(Column { index, values });
            }
        }
        Ok(Self { dofs: dofs as usize, form: Form::Columns(kept) })
    }

    /// Of so many nodes, three dofs each.
    pub fn of_nodes(nodes: u32, nodal: Nodal) -> Self {
        Self { dofs: 3 * nodes as usize, form: Form::Nodal(nodal) }
    }

    /// Number of columns.
    pub fn dofs(&self) -> usize {
        self.dofs
    }

    /// The nodes, if it is given by these.
    pub fn by_nodes(&self) -> Option<&Nodal> {
        match &self.form {
            Form::Nodal(nodal) => Some(nodal),
            Form::Columns(_) => None,
        }
    }

    /// The columns that are not zero, ascending, if it is given by these.
    pub fn columns(&self) -> Option<&[Column]> {
        match &self.form {
            Form::Columns(columns) => Some(columns),
            Form::Nodal(_) => None,
        }
    }

    /// The same, to be replaced: they ascend.
    pub fn columns_mut(&mut self) -> Option<&mut Vec<Column>> {
        match &mut self.form {
            Form::Columns(columns) => Some(columns),
            Form::Nodal(_) => None,
        }
    }

    /// Visit the columns that are not zero, ascending.
    #[inline(always)]
    pub fn each_column(&self, mut visit: impl FnMut(Column)) {
        match &self.form {
            Form::Columns(columns) => columns.iter().copied().for_each(visit),
            Form::Nodal(nodal) => nodal.each_column(|index, values| visit(Column { index, values })),
        }
    }

    /// The most columns that [`Operator::each_column`] visits.
    pub fn most_columns(&self) -> usize {
        match &self.form {
            Form::Columns(columns) => columns.len(),
            Form::Nodal(nodal) => 3 * nodal.weights.len(),
        }
    }

    /// Add `sign` H to `h`, 3 × n, column-major.
    #[inline(always)]
    pub fn add_to(&self, sign: f64, h: &mut [f64]) {
        self.each_column(|Column { index, values }| {
            let h = &mut h[3 * index as usize..][..3];
            h.iter_mut().zip(values).for_each(|(h, value)| *h += sign * value);
        });
    }

    /// H u of each vector.
    #[inline(always)]
    pub fn times<const N: usize>(&self, vectors: [&[f64]; N]) -> [Vector; N] {
        match &self.form {
            Form::Columns(columns) => {
                let mut sums = [[0.0; 3]; N];
                for Column { index, values } in columns {
                    for (sum, u) in sums.iter_mut().zip(vectors) {
                        let u = u[*index as usize];
                        sum.iter_mut().zip(values).for_each(|(sum, h)| *sum += h * u);
                    }
                }
                sums
            }
            Form::Nodal(nodal) => vectors.map(|u| nodal.times(u)),
        }
    }

    /// Add Hᵀ x to `force`.
    pub fn add_transposed_times(&self, x: &Vector, force: &mut [f64]) {
        match &self.form {
            Form::Columns(columns) => {
                for Column { index, values } in columns {
                    let force = &mut force[*index as usize];
                    values.iter().zip(x).for_each(|(h, x)| *force += h * x);
                }
            }
            Form::Nodal(nodal) => nodal.add_transposed_times(x, force),
        }
    }
}

/// How a constraint acts on a body: as master, as slave, or as both.
#[derive(Clone, Copy, Debug)]
pub struct Action<'a> {
    /// Whether the body is the master, and whether it is the slave.
    pub roles: [bool; 2],
    /// Where the constraint acts.
    pub placement: Placement<'a>,
}

/// Where a constraint acts on its bodies, the master first.
#[derive(Clone, Copy, Debug)]
pub enum Placement<'a> {
    /// At points, in a local frame.
    Points {
        /// E, the local frame: its axes are the columns.
        frame: &'a Block,
        /// Referential points.
        points: [&'a Vector; 2],
    },
    /// By operators H, signs included; `None` is zero.
    Operators([Option<&'a Operator>; 2]),
}

impl Action<'_> {
    /// Visit the operators on the body.
    pub(super) fn operators(&self, mut visit: impl FnMut(&Operator)) {
        if let Placement::Operators(operators) = self.placement {
            let own = operators.into_iter().zip(self.roles).filter(|(_, is_own)| *is_own);
            own.filter_map(|(operator, _)| operator).for_each(&mut visit);
        }
    }
}
