//! Operators H that the caller gives entry by entry.

use super::nodal::Nodal;
use crate::math::{Block, Vector};
use crate::memory::{self, copied, with_capacity};

/// Most rows of an operator.
pub const MOST_ROWS: usize = 6;
/// Rows of a group, at most.
pub const GROUP: usize = 3;

/// Number of groups of an operator with `rows` rows.
#[inline(always)]
pub const fn groups(rows: usize) -> usize {
    rows.div_ceil(GROUP)
}

/// Number of rows in a group of an operator with `rows` rows: 3, and in the last group 1 to 3.
#[inline(always)]
pub const fn height(rows: usize, group: usize) -> usize {
    let rest = rows - GROUP * group;
    if rest < GROUP { rest } else { GROUP }
}

/// An operator H, m × n with 1 to 6 rows. Its rows form groups of three: group g has the rows 3g, 3g + 1 and 3g + 2. The last
/// group of an operator may have fewer rows, and keeps zeros for the missing ones.
///
/// ```
/// use ldy::system::{Inertia, Kinematics, Operator, System};
///
/// let mut system = System::new();
/// let body = |n| Inertia::diagonal(&vec![1.0; n]).unwrap();
/// let arm = system.add_body(3, Kinematics::General, body(3))?;
/// let hand = system.add_body(2, Kinematics::General, body(2))?;
/// // U = the sum of the velocities of the arm - the first velocity of the hand.
/// let operators = vec![Operator::dense(1, 3, &[1.0, 1.0, 1.0])?, Operator::dense(1, 2, &[-1.0, 0.0])?];
/// system.add_constraint_rows(&[arm, hand], operators)?;
/// system.update(1.0)?;
/// assert_eq!(system.results()?.w.values(), [4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Operator {
    rows: u8,
    dofs: usize,
    form: OperatorForm,
}

#[derive(Debug)]
enum OperatorForm {
    /// The nonzero columns of both groups; the second list is empty for three rows or fewer.
    Columns([Vec<Column>; 2]),
    /// Three rows.
    Nodal(Nodal),
}

/// A column of a group of rows.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its index among the columns of H.
    pub index: u32,
    /// Its values; zero beyond the height of the group.
    pub values: Vector,
}

impl Operator {
    /// Three rows and `dofs` columns. The iterator yields the columns that may be nonzero, ascending.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn of_columns(
        dofs: u32,
        columns: impl Iterator<Item = (u32, Vector)> + Clone,
    ) -> memory::Result<Self> {
        let lists = [nonzero(columns)?, Vec::new()];
        Ok(Self { rows: 3, dofs: dofs as usize, form: OperatorForm::Columns(lists) })
    }

    /// `rows` rows, 1 to 6, and `dofs` columns. The iterator yields the columns that may be nonzero, ascending; their values
    /// beyond `rows` are ignored. Each group leaves out its own zero columns.
    ///
    /// # Errors
    /// If memory is exhausted.
    ///
    /// # Panics
    /// If `rows` is not 1 to 6.
    pub fn of_rows(
        rows: usize,
        dofs: u32,
        columns: impl Iterator<Item = (u32, [f64; MOST_ROWS])> + Clone,
    ) -> memory::Result<Self> {
        assert!((1..=MOST_ROWS).contains(&rows));
        let group =
            |group: usize| nonzero(columns.clone().map(move |(index, all)| (index, part(&all, rows, group))));
        let second = if rows > GROUP { group(1)? } else { Vec::new() };
        Ok(Self { rows: rows as u8, dofs: dofs as usize, form: OperatorForm::Columns([group(0)?, second]) })
    }

    /// An operator of `nodes` nodes with three rows, and three dofs for each node.
    pub fn of_nodes(nodes: u32, nodal: Nodal) -> Self {
        Self { rows: 3, dofs: 3 * nodes as usize, form: OperatorForm::Nodal(nodal) }
    }

    /// Copy it.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn try_clone(&self) -> memory::Result<Self> {
        let form = match &self.form {
            OperatorForm::Columns([first, second]) => {
                OperatorForm::Columns([copied(first)?, copied(second)?])
            }
            OperatorForm::Nodal(Nodal { factor, weights }) => {
                OperatorForm::Nodal(Nodal { factor: *factor, weights: copied(weights)? })
            }
        };
        Ok(Self { form, ..*self })
    }

    /// Number of rows m, 1 to 6.
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.rows.into()
    }

    /// Number of groups of three rows: 1 or 2.
    #[inline(always)]
    pub fn groups(&self) -> usize {
        groups(self.rows())
    }

    /// Number of rows of a group: 1 to 3.
    #[inline(always)]
    pub fn height(&self, group: usize) -> usize {
        height(self.rows(), group)
    }

    /// Number of columns n.
    pub fn dofs(&self) -> usize {
        self.dofs
    }

    /// The nodal form, if it has this form.
    pub fn by_nodes(&self) -> Option<&Nodal> {
        match &self.form {
            OperatorForm::Nodal(nodal) => Some(nodal),
            OperatorForm::Columns(_) => None,
        }
    }

    /// The nonzero columns of a group, ascending, unless it has the nodal form.
    #[inline(always)]
    pub fn columns(&self, group: usize) -> Option<&[Column]> {
        match &self.form {
            OperatorForm::Columns(lists) => Some(&lists[group]),
            OperatorForm::Nodal(_) => None,
        }
    }

    /// As [`Operator::columns`], for the caller to replace. Columns must ascend, and have zeros beyond the height of the group.
    pub fn columns_mut(&mut self, group: usize) -> Option<&mut Vec<Column>> {
        match &mut self.form {
            OperatorForm::Columns(lists) => Some(&mut lists[group]),
            OperatorForm::Nodal(_) => None,
        }
    }

    /// Replace H by other values, rows × dofs, column-major; zero columns are left out, as in [`Operator::of_rows`]. Memory is reserved
    /// for all columns, so that only the first replacement may fail. Operators of nodes are not replaced.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn replace(&mut self, values: &[f64]) -> memory::Result {
        let (rows, dofs) = (self.rows(), self.dofs);
        let OperatorForm::Columns(lists) = &mut self.form else { return Ok(()) };
        for (group, list) in lists.iter_mut().enumerate().take(groups(rows)) {
            list.clear();
            list.try_reserve_exact(dofs)?;
            for (index, all) in (0..).zip(values.chunks_exact(rows)) {
                let values = part(all, rows, group);
                if is_kept(values) {
                    list.push(Column { index, values });
                }
            }
        }
        Ok(())
    }

    /// Visit the nonzero columns of a group, ascending.
    #[inline(always)]
    pub fn each_column(&self, group: usize, mut visit: impl FnMut(Column)) {
        match &self.form {
            OperatorForm::Columns(lists) => lists[group].iter().copied().for_each(visit),
            OperatorForm::Nodal(nodal) => nodal.each_column(|index, values| visit(Column { index, values })),
        }
    }

    /// An upper bound of the number of columns that [`Operator::each_column`] visits.
    pub fn most_columns(&self, group: usize) -> usize {
        match &self.form {
            OperatorForm::Columns(lists) => lists[group].len(),
            OperatorForm::Nodal(nodal) => 3 * nodal.weights.len(),
        }
    }

    /// Add `sign` times a group of H to `h`, 3 × n, column-major.
    #[inline(always)]
    pub fn add_to(&self, group: usize, sign: f64, h: &mut [f64]) {
        self.each_column(group, |Column { index, values }| {
            let h = &mut h[3 * index as usize..][..3];
            h.iter_mut().zip(values).for_each(|(h, value)| *h += sign * value);
        });
    }

    /// H u of each vector, for a group of rows; zeros beyond its height.
    #[inline(always)]
    pub fn times<const N: usize>(&self, group: usize, vectors: [&[f64]; N]) -> [Vector; N] {
        match &self.form {
            OperatorForm::Columns(lists) => {
                let mut sums = [[0.0; 3]; N];
                for Column { index, values } in &lists[group] {
                    for (sum, u) in sums.iter_mut().zip(vectors) {
                        let u = u[*index as usize];
                        sum.iter_mut().zip(values).for_each(|(sum, h)| *sum += h * u);
                    }
                }
                sums
            }
            OperatorForm::Nodal(nodal) => vectors.map(|u| nodal.times(u)),
        }
    }

    /// Add Hᵀ x to `force`, for a group of rows; values of x beyond its height must be finite.
    pub fn add_transposed_times(&self, group: usize, x: &Vector, force: &mut [f64]) {
        match &self.form {
            OperatorForm::Columns(lists) => {
                for Column { index, values } in &lists[group] {
                    let force = &mut force[*index as usize];
                    values.iter().zip(x).for_each(|(h, x)| *force += h * x);
                }
            }
            OperatorForm::Nodal(nodal) => nodal.add_transposed_times(x, force),
        }
    }
}

/// The values of a column in a group of rows.
fn part(all: &[f64], rows: usize, group: usize) -> Vector {
    let (mut values, height) = ([0.0; GROUP], height(rows, group));
    values[..height].copy_from_slice(&all[GROUP * group..][..height]);
    values
}

fn is_kept([x, y, z]: Vector) -> bool {
    (x != 0.0) | (y != 0.0) | (z != 0.0)
}

/// The columns that are not zero.
fn nonzero(columns: impl Iterator<Item = (u32, Vector)> + Clone) -> memory::Result<Vec<Column>> {
    let count = columns.clone().map(|(_, values)| usize::from(is_kept(values))).sum();
    let mut kept = with_capacity(count)?;
    for (index, values) in columns {
        if is_kept(values) {
            kept.push(Column { index, values });
        }
    }
    Ok(kept)
}

/// How a constraint acts on a body: as master, as slave, or as both.
#[derive(Clone, Copy, Debug)]
pub struct Action<'a> {
    /// Whether the body is the master, and whether it is the slave.
    pub roles: [bool; 2],
    /// Where the constraint acts.
    pub placement: PlacementRef<'a>,
    /// The group of rows, see [`Operator`]; 0 at points.
    pub group: usize,
}

/// Where a constraint acts on its bodies, the master first.
#[derive(Clone, Copy, Debug)]
pub enum PlacementRef<'a> {
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
        if let PlacementRef::Operators(operators) = self.placement {
            let own = operators.into_iter().zip(self.roles).filter(|(_, is_own)| *is_own);
            own.filter_map(|(operator, _)| operator).for_each(&mut visit);
        }
    }
}
