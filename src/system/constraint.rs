//! Constraints: one to six scalar rows that measure the velocities of one to sixteen bodies.
#![forbid(unsafe_code)]

use crate::inertia::Boxed;
pub use crate::kinematics::Operator;
use crate::kinematics::{Nodal, Point};
pub use crate::math::small_symmetric::MOST_ROWS;
use crate::math::{Block, Vector, is_finite, small_symmetric};
use crate::memory::{collected, with_capacity};

use super::body::{Body, finite, same_bits};
use super::error::{Checked, Fault, Subject, subject_of};
use super::id_table::Id;
use crate::fault::check_size;

/// The largest number of bodies that a constraint acts on.
pub const MOST_BODIES: usize = 16;

/// The fault of points for a constraint by operators, or of operators for one at points.
pub(super) const OTHER_KIND: &str = "it is placed at points or by operators H as it was inserted";

/// The frame that is used with operators, which contain their own.
const NO_FRAME: Block = [0.0; 9];

/// A constraint. It is regular if it has three scalar rows and at most two bodies.
#[derive(Debug)]
pub struct Constraint {
    pub(super) bodies: [Option<Id>; 2],
    pub(super) placement: Placement,
    /// The symmetric block that is added to the diagonal block of a regular constraint.
    pub(super) compliance: Option<Block>,
    pub(super) rows: u8,
    /// The additional data of an irregular constraint.
    pub(super) irregular: Option<Boxed<Irregular>>,
}

/// The data that only irregular constraints have.
#[derive(Debug)]
pub(super) struct Irregular {
    /// The bodies from the third on, each with its operator.
    pub(super) others: Vec<(Id, Operator)>,
    /// The m × m compliance that the user has set, column-major; empty for none.
    pub(super) compliance: Vec<f64>,
    /// The regularization of each scalar row.
    pub(super) shift: [f64; MOST_ROWS],
}

/// The place where a constraint acts.
#[derive(Debug)]
pub enum Placement {
    /// Points of its bodies: U = Eᵀ (velocity of the master's point − velocity of the slave's point).
    Points {
        /// E, the local frame; its columns are the axes.
        frame: Block,
        /// The referential points of master and slave.
        points: [Vector; 2],
    },
    /// Operators of its first two bodies: U = Σ H u over all bodies, signs included.
    Operators([Option<Operator>; 2]),
}

impl Irregular {
    /// Entry (i, j) of the symmetric matrix that is added to the diagonal block.
    pub(super) fn added(&self, rows: usize, i: usize, j: usize) -> f64 {
        let given = self.compliance.get(rows * i.max(j) + i.min(j)).copied();
        given.unwrap_or_default() + if i == j { self.shift[i] } else { 0.0 }
    }

    /// Whether something is added to the diagonal block.
    pub(super) fn is_added_to(&self) -> bool {
        !self.compliance.is_empty() || self.shift != [0.0; MOST_ROWS]
    }
}

impl Constraint {
    /// Make a constraint of three rows on one or two bodies.
    pub(super) fn regular(bodies: [Option<Id>; 2], placement: Placement) -> Self {
        Self { bodies, placement, compliance: None, rows: 3, irregular: None }
    }

    /// Make a constraint by operators, one for each body that is not the ground.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(super) fn by_operators(
        bodies: &[Option<Id>],
        rows: usize,
        operators: impl Iterator<Item = Checked<Operator>>,
    ) -> Checked<Self> {
        let mut operators = operators;
        let first = [bodies.first().copied().flatten(), bodies.get(1).copied().flatten()];
        let mut of = |body: Option<Id>| body.and_then(|_| operators.next()).transpose();
        let placement = Placement::Operators([of(first[0])?, of(first[1])?]);
        let mut constraint = Self::regular(first, placement);
        if rows != 3 || bodies.len() > 2 {
            let mut others = with_capacity(bodies.len().saturating_sub(2))?;
            for (body, operator) in bodies.iter().skip(2).copied().flatten().zip(operators) {
                others.push((body, operator?));
            }
            let irregular = Irregular { others, compliance: Vec::new(), shift: [0.0; MOST_ROWS] };
            constraint.rows = rows as u8;
            constraint.irregular = Some(Boxed::new(irregular)?);
        }
        Ok(constraint)
    }

    /// The number of scalar rows, 1 to 6.
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.rows.into()
    }

    /// Whether it has three rows and at most two bodies.
    #[inline(always)]
    pub(super) fn is_regular(&self) -> bool {
        self.irregular.is_none()
    }

    /// Master and slave, or the first two bodies; `None` is the ground.
    pub fn bodies(&self) -> [Option<Id>; 2] {
        self.bodies
    }

    /// The bodies from the third on, each with its operator.
    pub(super) fn others(&self) -> &[(Id, Operator)] {
        self.irregular.as_ref().map_or(&[], |irregular| &irregular.others)
    }

    /// All bodies in the order of insertion, at least two; `None` is the ground.
    pub fn all_sides(&self) -> impl Iterator<Item = Option<Id>> + Clone + '_ {
        self.bodies.into_iter().chain(self.others().iter().map(|(body, _)| Some(*body)))
    }

    /// All bodies in the order of insertion, the ground left out.
    pub fn all_bodies(&self) -> impl Iterator<Item = Id> + Clone + '_ {
        self.all_sides().flatten()
    }

    /// Write the bodies to `list` as [`System::add_constraint_rows`](super::System::add_constraint_rows) takes them, the ground among the
    /// first two.
    pub(super) fn list_bodies<'a>(&self, list: &'a mut [Option<Id>; MOST_BODIES]) -> &'a [Option<Id>] {
        list[..2].copy_from_slice(&self.bodies);
        let others = self.others();
        list[2..].iter_mut().zip(others).for_each(|(to, (body, _))| *to = Some(*body));
        // A constraint with one body and a number of rows other than three has no second body.
        let first = if self.is_regular() || self.bodies[1].is_some() { 2 } else { 1 };
        &list[..first + others.len()]
    }

    /// The subject of errors of this constraint.
    pub(super) fn subject(&self, id: Id) -> Subject {
        subject_of(Some(id), self.list_bodies(&mut [None; MOST_BODIES]))
    }

    /// The place where it acts, with the operators of the first two bodies.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Whether it acts at points, not by operators.
    pub(super) fn is_at_points(&self) -> bool {
        matches!(self.placement, Placement::Points { .. })
    }

    /// The operator of the k-th body, if it has one.
    pub(super) fn operator(&self, k: usize) -> Option<&Operator> {
        match (&self.placement, k) {
            (Placement::Points { .. }, _) => None,
            (Placement::Operators(operators), 0 | 1) => operators[k].as_ref(),
            _ => self.others().get(k - 2).map(|(_, operator)| operator),
        }
    }

    /// The operator of the k-th body, if it has one.
    pub(super) fn operator_mut(&mut self, k: usize) -> Option<&mut Operator> {
        match (&mut self.placement, k) {
            (Placement::Points { .. }, _) => None,
            (Placement::Operators(operators), 0 | 1) => operators[k].as_mut(),
            _ => Some(&mut self.irregular.as_mut()?.others.get_mut(k - 2)?.1),
        }
    }

    /// All bodies with an operator, in the order of insertion.
    pub(super) fn operators(&self) -> impl Iterator<Item = (Id, &Operator)> + Clone {
        let first = self.bodies.into_iter().enumerate();
        let first = first.filter_map(|(k, body)| Some((body?, self.operator(k)?)));
        first.chain(self.others().iter().map(|(body, operator)| (*body, operator)))
    }

    /// Replace all operators by the operators of another constraint on the same bodies.
    pub(super) fn take_operators(&mut self, other: Self) {
        self.placement = other.placement;
        if let (Some(own), Some(mut new)) = (self.irregular.as_mut(), other.irregular) {
            own.others = std::mem::take(&mut new.others);
        }
    }

    /// Whether it measures its master, and whether its slave: a missing operator measures nothing.
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

    /// Sign, frame and point of `body`, which is the master (role 0) or the slave (role 1).
    pub(super) fn point<'a>(&'a self, role: usize, body: &'a Body) -> Option<(f64, &'a Block, Point<'a>)> {
        match &self.placement {
            Placement::Points { frame, points } => {
                Some(([1.0, -1.0][role], frame, body.point(&points[role])?))
            }
            Placement::Operators(operators) => {
                Some((1.0, &NO_FRAME, Point::Operator(operators[role].as_ref()?, 0)))
            }
        }
    }

    /// Visit each place where a group of three scalar rows measures a body, with its sign and frame: H of the group is the signed sum
    /// of the points' H.
    #[inline(always)]
    pub(super) fn each_point_on(
        &self,
        id: Id,
        body: &Body,
        group: usize,
        mut visit: impl FnMut(f64, &Block, &Point),
    ) {
        if !self.is_regular() {
            if let Some((_, operator)) = self.operators().find(|(other, _)| *other == id) {
                visit(1.0, &NO_FRAME, &Point::Operator(operator, group));
            }
            return;
        }
        for (role, is_own) in self.roles_of(id).into_iter().enumerate() {
            if is_own && let Some((sign, frame, point)) = self.point(role, body) {
                visit(sign, frame, &point);
            }
        }
    }

    /// The block that is added to the diagonal block of a regular constraint.
    pub fn compliance(&self) -> Option<&Block> {
        self.compliance.as_ref()
    }

    /// Whether something is added to the diagonal block.
    pub(super) fn is_compliant(&self) -> bool {
        match &self.irregular {
            Some(irregular) => irregular.is_added_to(),
            None => self.compliance.is_some(),
        }
    }
}

impl Operator {
    /// Make a dense operator of `rows` scalar rows, 1 to 6, for a body with `dofs` velocities: rows × dofs values, column-major.
    /// Zero columns are left out.
    ///
    /// # Errors
    /// If the number of rows or of values is wrong, a value is not finite, or memory is exhausted.
    pub fn dense(rows: usize, dofs: usize, values: &[f64]) -> Checked<Self> {
        check_rows(rows)?;
        check_size("its operator H", dofs.saturating_mul(rows), values.len())?;
        finite("its operator H", values)?;
        if rows == 3 {
            return Ok(Self::of_columns(count(dofs)?, (0..).zip(values.as_chunks().0.iter().copied()))?);
        }
        let columns = (0..).zip(values.chunks_exact(rows)).map(|(index, values)| {
            let mut column = [0.0; MOST_ROWS];
            column[..rows].copy_from_slice(values);
            (index, column)
        });
        Ok(Self::of_rows(rows, count(dofs)?, columns)?)
    }

    /// Make a sparse operator of `rows` scalar rows, 1 to 6, for a body with `dofs` velocities, from compressed columns. Entries
    /// with the same row and column are added.
    ///
    /// # Errors
    /// If the number of rows is wrong, the columns are ill-formed, a value or a sum is not finite, or memory is exhausted.
    pub fn sparse(
        rows: usize,
        dofs: usize,
        starts: &[i32],
        row_indices: &[i32],
        values: &[f64],
    ) -> Checked<Self> {
        check_rows(rows)?;
        let operator = if rows == 3 {
            let columns = sparse_columns::<3>(rows, dofs, starts, row_indices, values)?;
            Self::of_columns(count(dofs)?, columns)?
        } else {
            let columns = sparse_columns::<MOST_ROWS>(rows, dofs, starts, row_indices, values)?;
            Self::of_rows(rows, count(dofs)?, columns)?
        };
        // The sum of entries with the same row and column may overflow.
        let mut is_right = true;
        for group in 0..operator.groups() {
            operator.each_column(group, |column| is_right &= is_finite(&column.values));
        }
        if is_right { Ok(operator) } else { Err(Fault::NotFinite("its operator H")) }
    }

    /// Make an operator that is zero.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(super) fn zero(rows: usize, dofs: usize) -> Checked<Self> {
        Ok(match rows {
            3 => Self::of_columns(count(dofs)?, std::iter::empty()),
            _ => Self::of_rows(rows, count(dofs)?, std::iter::empty()),
        }?)
    }

    /// Make an operator of one scalar row that is zero but for one entry.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(super) fn of_dof(dofs: usize, index: usize, value: f64) -> Checked<Self> {
        let column = [value, 0.0, 0.0, 0.0, 0.0, 0.0];
        Ok(Self::of_rows(1, count(dofs)?, std::iter::once((count(index)?, column)))?)
    }

    /// Make an operator of a body with `dofs` velocities, three for each node: H = Σ N_a Q, the columns of node a are N_a Q. Q is
    /// 3 × 3, column-major; nodes ascend, and each has its weight N_a. Constraints on meshes are of this form: weights are shape
    /// functions, Q = Eᵀ. This form takes less memory and time than others if all constraints on the body have it.
    ///
    /// # Errors
    /// If the number of velocities is not a multiple of three, there is no such node, nodes do not ascend, the number of weights is
    /// wrong, a value is not finite, or memory is exhausted.
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

/// The columns of a sparse operator of `count` rows that are not empty; entries with the same row and column are added.
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

/// Check the number of rows of a constraint.
pub(super) fn check_rows(rows: usize) -> Checked {
    ensure!((1..=MOST_ROWS).contains(&rows), Fault::Invalid("a constraint has one to six rows"));
    Ok(())
}

/// Check the number of bodies of a constraint.
pub(super) fn check_bodies(count: usize) -> Checked {
    ensure!((1..=MOST_BODIES).contains(&count), Fault::Invalid("a constraint has one to sixteen bodies"));
    Ok(())
}

/// A number of columns in the type that operators use for it.
pub(super) fn count(dofs: usize) -> Checked<u32> {
    u32::try_from(dofs).map_err(|_| Fault::Memory)
}

impl Placement {
    /// Make a placement at points.
    ///
    /// # Errors
    /// If a value is not finite.
    pub fn at_points(frame: &Block, points: [Vector; 2]) -> Checked<Self> {
        finite("its frame", frame)?;
        points.iter().try_for_each(|point| finite("a point of it", point))?;
        Ok(Self::Points { frame: *frame, points })
    }

    /// Whether both are at points, and frames and points have the same bits.
    pub(super) fn has_points_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Points { frame, points }, Self::Points { frame: axes, points: places }) => {
                same_bits(frame, axes) && same_bits(points.as_flattened(), places.as_flattened())
            }
            _ => false,
        }
    }
}

/// The m × m values of a compliance with m values on the diagonal; any other number of values is as it was given.
pub(super) fn full_compliance<'a>(
    rows: usize,
    given: &'a [f64],
    room: &'a mut [f64; MOST_ROWS * MOST_ROWS],
) -> &'a [f64] {
    if given.len() != rows {
        return given;
    }
    given.iter().enumerate().for_each(|(i, &value)| room[(rows + 1) * i] = value);
    &room[..rows * rows]
}

/// Check a matrix that is to be added to a diagonal block of `rows` scalar rows, column-major, empty for none: it must be finite,
/// and symmetric and positive semidefinite up to rounding.
pub(super) fn check_compliance(rows: usize, compliance: &[f64]) -> Checked {
    check_size("its compliance", rows * rows, compliance.len())?;
    finite("its compliance", compliance)?;
    let entry = |i: usize, j: usize| compliance.get(rows * j + i).copied().unwrap_or_default();
    let scale = 1e-10 * (0..rows).fold(0.0, |most, i| f64::max(most, entry(i, i).abs()));
    let is_symmetric = (0..rows).all(|j| (0..j).all(|i| (entry(i, j) - entry(j, i)).abs() <= scale));
    ensure!(is_symmetric, Fault::Invalid("its compliance is not symmetric"));
    let mut negated = [0.0; MOST_ROWS * MOST_ROWS];
    let negated = &mut negated[..rows * rows];
    for (k, negated) in negated.iter_mut().enumerate() {
        *negated = -entry((k % rows).min(k / rows), (k % rows).max(k / rows));
    }
    // A zero matrix passes: its largest eigenvalue is not above the scale.
    let why = "its compliance is negative in some direction";
    if small_symmetric::largest_eigenvalue(rows, negated) > scale { Err(Fault::Invalid(why)) } else { Ok(()) }
}
