//! Constraints: what is measured of the velocities of one or two bodies.
#![forbid(unsafe_code)]

pub use crate::kinematics::Operator;
use crate::kinematics::{Nodal, Point};
use crate::math::{Block, Vector, is_finite, small_symmetric};
use crate::memory::collected;
use crate::rows::fault::check_size;

use super::body::{Body, finite, same_bits};
use super::error::{Checked, Fault};
use super::id_table::Id;

/// What is wrong where points are given for operators, or the other way round.
pub(super) const OTHER_KIND: &str = "it is placed at points or by operators H as it was inserted";

/// Operators have their own frame.
const NO_FRAME: Block = [0.0; 9];

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

impl Constraint {
    /// Master and slave; `None` is the ground.
    pub fn bodies(&self) -> [Option<Id>; 2] {
        self.bodies
    }

    /// Where it acts.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Whether it acts at points, not by operators.
    pub(super) fn is_at_points(&self) -> bool {
        matches!(self.placement, Placement::Points { .. })
    }

    /// Its operator of the master, 0, or the slave, 1, if it has one.
    pub(super) fn operator(&self, role: usize) -> Option<&Operator> {
        match &self.placement {
            Placement::Points { .. } => None,
            Placement::Operators(operators) => operators[role].as_ref(),
        }
    }

    /// Whether it measures its master, and whether its slave: an operator that is missing measures nothing.
    #[inline(always)]
    pub(super) fn roles(&self) -> [bool; 2] {
        match &self.placement {
            Placement::Points { .. } => [self.bodies[0].is_some(), self.bodies[1].is_some()],
            Placement::Operators(operators) => [operators[0].is_some(), operators[1].is_some()],
        }
    }

    /// Whether a body is its master, and whether it is its slave.
    #[inline(always)]
    pub(super) fn roles_of(&self, body: Id) -> [bool; 2] {
        [self.bodies[0] == Some(body), self.bodies[1] == Some(body)]
    }

    /// What it measures of its master, role 0, or slave, role 1, which is `body`: sign, frame and point.
    pub(super) fn point<'a>(&'a self, role: usize, body: &'a Body) -> Option<(f64, &'a Block, Point<'a>)> {
        match &self.placement {
            Placement::Points { frame, points } => {
                Some(([1.0, -1.0][role], frame, body.point(&points[role])?))
            }
            Placement::Operators(operators) => {
                Some((1.0, &NO_FRAME, Point::Operator(operators[role].as_ref()?)))
            }
        }
    }

    /// All that it measures of a body: H is the signed sum of the points' H.
    pub(super) fn points_on<'a>(
        &'a self,
        id: Id,
        body: &'a Body,
    ) -> impl Iterator<Item = (f64, &'a Block, Point<'a>)> {
        let roles = self.roles_of(id);
        (0..2).filter(move |&role| roles[role]).filter_map(move |role| self.point(role, body))
    }

    /// What is added to its diagonal block.
    pub fn compliance(&self) -> Option<&Block> {
        self.compliance.as_ref()
    }
}

impl Operator {
    /// A dense operator of a body with `dofs` velocities; columns that are zero are left out.
    ///
    /// # Errors
    /// If there are not as many values, one is not finite, or memory is exhausted.
    pub fn dense(dofs: usize, values: &[f64]) -> Checked<Self> {
        check_size("its operator H", dofs.saturating_mul(3), values.len())?;
        finite("its operator H", values)?;
        Ok(Self::of_columns(count(dofs)?, (0..).zip(values.as_chunks().0.iter().copied()))?)
    }

    /// A sparse operator of a body with `dofs` velocities; entries of the same place are added.
    ///
    /// # Errors
    /// If the columns are ill-formed, a value is not finite, or memory is exhausted.
    pub fn sparse(dofs: usize, starts: &[i32], rows: &[i32], values: &[f64]) -> Checked<Self> {
        let columns = sparse_columns::<3>(3, dofs, starts, rows, values)?;
        let operator = Self::of_columns(count(dofs)?, columns)?;
        // Entries of the same place may overflow together.
        let mut has_overflown = false;
        operator.each_column(|column| has_overflown |= !is_finite(&column.values));
        if has_overflown { Err(Fault::NotFinite("its operator H")) } else { Ok(operator) }
    }

    /// An operator of a body with `dofs` velocities, three a node: H = Σ N_a Q, the columns of node a are N_a Q. Q is 3 × 3,
    /// column-major; nodes ascend, and each has its weight N_a. Constraints on meshes are of this form: weights are shape
    /// functions, Q = Eᵀ. It takes less memory and time than others if all constraints on the body have it.
    ///
    /// # Errors
    /// If the velocities are not three a node, there is no such node, nodes do not ascend, there are not as many weights, a value
    /// is not finite, or memory is exhausted.
    pub fn nodal(dofs: usize, factor: &Block, nodes: &[i32], weights: &[f64]) -> Checked<Self> {
        let why = "its operator H is that of nodes, but its body has not three velocities for each";
        ensure!(dofs.is_multiple_of(3), Fault::Invalid(why));
        check_size("weights of its operator H", nodes.len(), weights.len())?;
        finite("its operator H", factor)?;
        finite("its operator H", weights)?;
        let is_node = |&node: &i32| usize::try_from(node).is_ok_and(|node| node < dofs / 3);
        let why = "nodes of its operator H do not ascend, or its body has no such node";
        ensure!(nodes.iter().all(is_node) && nodes.is_sorted_by(|a, b| a < b), Fault::Invalid(why));
        let pairs = nodes.iter().zip(weights).map(|(&node, &weight)| (node as u32, weight));
        let nodal = Nodal { factor: *factor, weights: collected(nodes.len(), pairs)? };
        Ok(Self::of_nodes(count(dofs / 3)?, nodal))
    }
}

/// The columns of a sparse operator of `count` rows that are not empty; entries of the same place are added.
///
/// # Errors
/// If the columns are ill-formed, or a value is not finite.
pub(super) fn sparse_columns<'a, const N: usize>(
    count: usize,
    dofs: usize,
    starts: &'a [i32],
    rows: &'a [i32],
    values: &'a [f64],
) -> Checked<impl Iterator<Item = (u32, [f64; N])> + Clone + 'a> {
    check_size("starts of the columns of its operator H", dofs + 1, starts.len())?;
    let has_end = usize::try_from(starts[dofs]) == Ok(values.len()) && rows.len() == values.len();
    let why = "starts of the columns of its operator H do not ascend from 0 to the end";
    ensure!(starts[0] == 0 && has_end && starts.is_sorted(), Fault::Invalid(why));
    if !rows.iter().all(|row| usize::try_from(*row).is_ok_and(|row| row < count)) {
        return Err(Fault::Invalid(match count {
            3 => "a row of its operator H is not 0, 1 or 2",
            _ => "a row of its operator H is none of its constraint's",
        }));
    }
    finite("its operator H", values)?;
    let full = (0_u32..).zip(starts.windows(2)).filter(|(_, range)| range[0] != range[1]);
    Ok(full.map(move |(index, range)| {
        let range = range[0] as usize..range[1] as usize;
        let mut column = [0.0; N];
        rows[range.clone()]
            .iter()
            .zip(&values[range])
            .for_each(|(&row, value)| column[row as usize] += value);
        (index, column)
    }))
}

/// A number of columns, as operators count them.
pub(super) fn count(dofs: usize) -> Checked<u32> {
    u32::try_from(dofs).map_err(|_| Fault::Memory)
}

impl Placement {
    /// At points.
    ///
    /// # Errors
    /// If something is not finite.
    pub fn at_points(frame: &Block, points: [Vector; 2]) -> Checked<Self> {
        finite("its frame", frame)?;
        points.iter().try_for_each(|point| finite("a point of it", point))?;
        Ok(Self::Points { frame: *frame, points })
    }

    /// Whether both are at points, and the same ones to the bit.
    pub(super) fn has_points_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Points { frame, points }, Self::Points { frame: axes, points: places }) => {
                same_bits(frame, axes) && same_bits(points.as_flattened(), places.as_flattened())
            }
            _ => false,
        }
    }
}

/// What is added to a diagonal block of so many rows, column-major, empty if nothing: finite, symmetric and semi-definite up to
/// rounding.
pub(super) fn check_compliance(rows: usize, compliance: &[f64]) -> Checked {
    finite("its compliance", compliance)?;
    let entry = |i: usize, j: usize| compliance.get(rows * j + i).copied().unwrap_or_default();
    let scale = 1e-10 * (0..rows).fold(0.0, |most, i| f64::max(most, entry(i, i).abs()));
    let is_symmetric = (0..rows).all(|j| (0..j).all(|i| (entry(i, j) - entry(j, i)).abs() <= scale));
    ensure!(is_symmetric, Fault::Invalid("its compliance is not symmetric"));
    let mut negated = [0.0; small_symmetric::MOST_ROWS * small_symmetric::MOST_ROWS];
    let negated = &mut negated[..rows * rows];
    for (k, negated) in negated.iter_mut().enumerate() {
        *negated = -entry((k % rows).min(k / rows), (k % rows).max(k / rows));
    }
    // Of zeros alone none is found.
    let why = "its compliance is negative in some direction";
    if small_symmetric::largest_eigenvalue(rows, negated) > scale { Err(Fault::Invalid(why)) } else { Ok(()) }
}
