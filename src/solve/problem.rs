//! What is to be solved: the block-sparse rows of U = B + W R, and the law of each constraint.

use crate::math::small_symmetric::MOST_ROWS;
use crate::math::{Block, Vector, is_finite};
use crate::rows::any_rows::{AnyBlockRows, check_size};
use crate::rows::block_rows::BlockRows;
use crate::rows::fault::{Error, Fault};

/// Which component of R, U and the blocks is the normal one; the two others are tangential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Normal {
    /// The first, as in FCLIB.
    First,
    /// The third, as in the rows of a system.
    #[default]
    Third,
}

/// Block-sparse rows. W need not be symmetric, and its pattern need not be either.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// Row k has the blocks `starts[k]..starts[k + 1]`; one value more than rows.
    pub starts: &'a [i32],
    /// Column of each block, ascending in a row, the diagonal among them.
    pub columns: &'a [i32],
    /// The blocks, column-major.
    pub values: &'a [Block],
    /// Free velocities; a vector a row.
    pub b: &'a [Vector],
    /// The normal component.
    pub normal: Normal,
}

/// The law of a constraint: what ties its force R to its velocity U. With six values it is that of a row of one to six scalars, see
/// [`Law::parts`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law<V = Vector> {
    /// Its form, in terms of the velocity U + `bias`.
    pub kind: Kind<V>,
    /// Added to U: e V_N for restitution (V_N < 0 is the approach before the impact), gap / h for a contact that is still
    /// open, −v for a prescribed velocity v.
    pub bias: V,
}

/// The forms of a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind<V = Vector> {
    /// Signorini and Coulomb: 0 ≤ R_N + cohesion ⟂ U_N ≥ 0, and R_T against U_T, |R_T| ≤ friction · (R_N + cohesion).
    ///
    /// With two coefficients |(R_1 / friction, R_2 / friction_2)| ≤ R_N + cohesion, and of these forces R_T is the one with the
    /// most dissipation.
    Contact {
        /// Coulomb's coefficient along the first tangent.
        friction: f64,
        /// That along the second one; the same where friction has no direction. One of them may be zero.
        friction_2: f64,
        /// The largest pull, a force.
        cohesion: f64,
    },
    /// Each component on its own: lower ≤ R_i ≤ upper; between the bounds U_i = 0, at the lower one U_i ≥ 0, at the upper
    /// one U_i ≤ 0. Infinite bounds make a fixed component, equal ones a given force, −m and m a motor or dry friction
    /// with the most force m, 0 and infinity a stop.
    Bounds {
        /// The lower bounds.
        lower: V,
        /// The upper bounds, none below its lower one.
        upper: V,
    },
}

impl Law {
    /// Contact with friction that is the same in all directions, and nothing else.
    pub fn contact(friction: f64) -> Self {
        Self { kind: Kind::Contact { friction, friction_2: friction, cohesion: 0.0 }, bias: [0.0; 3] }
    }

    /// All three components of U are zero.
    pub fn fixed() -> Self {
        Self {
            kind: Kind::Bounds { lower: [f64::NEG_INFINITY; 3], upper: [f64::INFINITY; 3] },
            bias: [0.0; 3],
        }
    }

    /// Whether it is an equation: each component of U is zero whatever the force, or the force is given.
    #[inline(always)]
    pub(super) fn is_joint(&self) -> bool {
        let Kind::Bounds { lower, upper } = &self.kind else { return false };
        let is_free = |i: usize| lower[i] == f64::NEG_INFINITY && upper[i] == f64::INFINITY;
        (0..3).all(|i| is_free(i) || lower[i] == upper[i])
    }

    fn check(&self) -> Result<(), Fault> {
        ensure!(is_finite(&self.bias), Fault::NotFinite("the bias of its law"));
        match self.kind {
            Kind::Contact { friction, friction_2, cohesion } => {
                let is_size = |x: f64| x >= 0.0 && x.is_finite();
                let why = "its friction is negative or not finite";
                ensure!(is_size(friction) && is_size(friction_2), Fault::Invalid(why));
                ensure!(is_size(cohesion), Fault::Invalid("its cohesion is negative or not finite"));
            }
            Kind::Bounds { lower, upper } => {
                let ordered = |(l, u): (f64, f64)| l <= u && l < f64::INFINITY && u > f64::NEG_INFINITY;
                let why = "a lower bound of its force is above the upper one";
                ensure!(lower.into_iter().zip(upper).all(ordered), Fault::Invalid(why));
            }
        }
        Ok(())
    }
}

impl Law<[f64; MOST_ROWS]> {
    /// The laws of the first three scalars of a row and of the others, where it has so many.
    pub fn parts(self, scalars: usize) -> impl Iterator<Item = Law> {
        (0..scalars.div_ceil(3)).map(move |part| {
            let own = |values: &[f64; MOST_ROWS]| std::array::from_fn(|i| values[3 * part + i]);
            let kind = match &self.kind {
                Kind::Bounds { lower, upper } => Kind::Bounds { lower: own(lower), upper: own(upper) },
                &Kind::Contact { friction, friction_2, cohesion } => {
                    Kind::Contact { friction, friction_2, cohesion }
                }
            };
            Law { kind, bias: own(&self.bias) }
        })
    }
}

impl<'a> Problem<'a> {
    /// Number of constraints.
    pub fn rows(&self) -> usize {
        self.b.len()
    }

    #[inline(always)]
    fn matrix(&self) -> BlockRows<'a> {
        BlockRows { starts: self.starts, columns: self.columns, values: self.values }
    }

    /// Where the blocks of a row are.
    #[inline(always)]
    pub(super) fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.matrix().range(row)
    }

    /// The blocks of a row, with their columns.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = (usize, &'a Block)> + use<'a> {
        self.matrix().row(row)
    }

    /// Whether rows, laws and forces fit together and everything is finite.
    pub(super) fn check(&self, laws: &[Law], forces: &[Vector]) -> Result<(), Error> {
        let rows = self.rows();
        let sizes = [
            ("starts", rows + 1, self.starts.len()),
            ("values", self.columns.len(), self.values.len()),
            ("laws", rows, laws.len()),
            ("forces", rows, forces.len()),
        ];
        sizes.into_iter().try_for_each(|(what, expected, found)| check_size(what, expected, found))?;
        let why = "more rows than an int can count";
        ensure!(i32::try_from(rows).is_ok(), Error::of_rows(Fault::Invalid(why)));
        let matrix = AnyBlockRows::from(&self.matrix());
        matrix.check_starts()?;
        for (row, law) in laws.iter().enumerate() {
            self.check_row(&matrix, row, law, &forces[row])
                .map_err(|fault| Error { row: Some(row), fault })?;
        }
        Ok(())
    }

    fn check_row(&self, matrix: &AnyBlockRows, row: usize, law: &Law, force: &Vector) -> Result<(), Fault> {
        matrix.check_columns_of(row)?;
        matrix.check_values_of(row)?;
        ensure!(is_finite(&self.b[row]), Fault::NotFinite("B"));
        ensure!(is_finite(force), Fault::NotFinite("the force to begin with"));
        law.check()
    }
}
