//! Constraints: what is measured of the velocities of one or two bodies.
#![forbid(unsafe_code)]

use crate::block::{Block, Vector};

use super::body::{copied, finite, of_size};
use super::error::Fault;
use super::table::Id;

/// A constraint.
#[derive(Debug)]
pub struct Constraint {
    pub(super) bodies: [Option<Id>; 2],
    pub(super) placement: Placement,
    pub(super) compliance: Option<Block>,
}

/// Where a constraint acts.
#[derive(Debug)]
pub enum Placement {
    /// At points of its bodies: U = Eᵀ (velocity of the master's point − velocity of the slave's).
    Points {
        /// E, the local frame: its axes are the columns.
        frame: Block,
        /// Referential points of master and slave.
        points: [Vector; 2],
    },
    /// By operators: U = H_master u_master + H_slave u_slave, signs included.
    Operators([Option<Operator>; 2]),
}

/// An operator H of three rows.
#[derive(Debug)]
pub enum Operator {
    /// 3 × n, column-major.
    Dense(Vec<f64>),
    /// Compressed sparse columns: column j holds `values[starts[j]..starts[j + 1]]`, in `rows`, 0, 1 or 2.
    Sparse {
        /// First entries of the columns, and the end.
        starts: Vec<i32>,
        /// Row of each entry.
        rows: Vec<i32>,
        /// The entries.
        values: Vec<f64>,
    },
}

impl Constraint {
    /// Master and slave; `None` is the ground.
    pub fn bodies(&self) -> [Option<Id>; 2] {
        self.bodies
    }

    /// How many different bodies, the ground left out.
    pub fn distinct_bodies(&self) -> usize {
        match self.bodies {
            [Some(master), Some(slave)] if master != slave => 2,
            _ => 1,
        }
    }

    /// Where it acts.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Whether it acts at points, not by operators.
    pub(super) fn is_at_points(&self) -> bool {
        matches!(self.placement, Placement::Points { .. })
    }

    /// What is added to its diagonal block.
    pub fn compliance(&self) -> Option<&Block> {
        self.compliance.as_ref()
    }
}

impl Operator {
    /// A dense operator of a body with `freedoms` velocities.
    ///
    /// # Errors
    /// If there are not as many values, one is not finite, or memory is exhausted.
    pub fn dense(freedoms: usize, values: &[f64]) -> Result<Self, Fault> {
        of_size("its operator H", values, 3 * freedoms)?;
        finite("its operator H", values)?;
        Ok(Self::Dense(copied(values)?))
    }

    /// A sparse operator of a body with `freedoms` velocities; entries of the same place are added.
    ///
    /// # Errors
    /// If the columns are ill-formed, a value is not finite, or memory is exhausted.
    pub fn sparse(freedoms: usize, starts: &[i32], rows: &[i32], values: &[f64]) -> Result<Self, Fault> {
        if starts.len() != freedoms + 1 {
            let (expected, found) = (freedoms + 1, starts.len());
            return Err(Fault::Size { what: "starts of the columns of its operator H", expected, found });
        }
        let has_end = usize::try_from(starts[freedoms]) == Ok(values.len()) && rows.len() == values.len();
        if starts[0] != 0 || !has_end || !starts.is_sorted() {
            return Err(Fault::Invalid(
                "starts of the columns of its operator H do not ascend from 0 to the end",
            ));
        }
        if !rows.iter().all(|row| (0..3).contains(row)) {
            return Err(Fault::Invalid("a row of its operator H is not 0, 1 or 2"));
        }
        finite("its operator H", values)?;
        Ok(Self::Sparse { starts: copied(starts)?, rows: copied(rows)?, values: copied(values)? })
    }

    /// Number of columns.
    pub fn freedoms(&self) -> usize {
        match self {
            Self::Dense(values) => values.len() / 3,
            Self::Sparse { starts, .. } => starts.len() - 1,
        }
    }

    /// Add H to `h`, 3 × n, column-major.
    pub fn add_to(&self, h: &mut [f64]) {
        self.each(|column, row, value| h[3 * column + row] += value);
    }

    /// H u.
    pub fn times(&self, u: &[f64]) -> Vector {
        let mut local = [0.0; 3];
        self.each(|column, row, value| local[row] += value * u[column]);
        local
    }

    /// Add Hᵀ x to `force`.
    pub fn add_transposed_times(&self, x: &Vector, force: &mut [f64]) {
        self.each(|column, row, value| force[column] += value * x[row]);
    }

    /// Visit column, row and value of every entry.
    #[inline(always)]
    pub(super) fn each(&self, mut visit: impl FnMut(usize, usize, f64)) {
        match self {
            Self::Dense(values) => {
                values.iter().enumerate().for_each(|(k, value)| visit(k / 3, k % 3, *value))
            }
            Self::Sparse { starts, rows, values } => {
                for (column, range) in starts.windows(2).enumerate() {
                    let range = range[0] as usize..range[1] as usize;
                    rows[range.clone()]
                        .iter()
                        .zip(&values[range])
                        .for_each(|(row, value)| visit(column, *row as usize, *value));
                }
            }
        }
    }
}

impl Placement {
    /// At points.
    ///
    /// # Errors
    /// If something is not finite.
    pub fn at_points(frame: &Block, points: [Vector; 2]) -> Result<Self, Fault> {
        finite("its frame", frame)?;
        points.iter().try_for_each(|point| finite("a point of it", point))?;
        Ok(Self::Points { frame: *frame, points })
    }
}

/// What is added to a diagonal block: symmetric up to rounding.
pub(super) fn check_compliance(compliance: &Block) -> Result<(), Fault> {
    finite("its compliance", compliance)?;
    let c = compliance;
    let scale = 1e-10 * c[0].abs().max(c[4].abs()).max(c[8].abs());
    let is_symmetric =
        [(1, 3), (2, 6), (5, 7)].into_iter().all(|(i, j): (usize, usize)| (c[i] - c[j]).abs() <= scale);
    if is_symmetric { Ok(()) } else { Err(Fault::Invalid("its compliance is not symmetric")) }
}
