//! Problems, U = B + W R, and the laws of constraints.

use std::borrow::Borrow;

use crate::math::small_symmetric::MOST_ROWS;
use crate::math::{Block, Vector, is_finite};
use crate::rows::fault::{Error, Fault, check_size};
use crate::rows::{BlockRows, Bsr3, NOT_FINITE};

pub use super::laws::Kind;
use super::laws::{LawKind, of_kind};

/// The normal component of R, U and the blocks; the others are tangential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Normal {
    /// The first, as in FCLIB.
    First,
    /// The third, as in the rows of a system; the second of a contact of two scalar rows.
    #[default]
    Third,
}

/// A problem: find R and U = B + W R that obey the law of each constraint.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// W, which need not be symmetric; its pattern need not be either.
    pub w: BlockRows<'a>,
    /// Free velocities, a value for each scalar row.
    pub b: &'a [f64],
    /// The normal component of contacts.
    pub normal: Normal,
}

/// A problem whose rows all have three scalar rows: the form that the methods take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Problem3<'a> {
    /// Row k has the blocks `starts[k]..starts[k + 1]`; one value more than rows.
    pub starts: &'a [i32],
    /// The column of each block, ascending in a row, with the diagonal.
    pub columns: &'a [i32],
    /// The blocks, column-major.
    pub values: &'a [Block],
    /// Free velocities, a vector for each row.
    pub b: &'a [Vector],
    /// The normal component.
    pub normal: Normal,
}

/// The law of a constraint: the relation between its force R and its velocity U. With six values it is the law of a row of one to
/// six scalar rows, see [`Law::parts`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law<V = Vector> {
    /// Its kind, in terms of the velocity U + `bias`.
    pub kind: Kind<V>,
    /// Added to U: e V_N for restitution (V_N < 0 is the approach before the impact), gap / h for a contact that is still
    /// open, −v for a prescribed velocity v.
    pub bias: V,
}

impl Law {
    /// Contact with isotropic friction, without cohesion and bias.
    pub fn contact(friction: f64) -> Self {
        Self { kind: Kind::contact([friction; 2], 0.0), bias: [0.0; 3] }
    }

    /// All three components of U are zero.
    pub fn fixed() -> Self {
        Self {
            kind: Kind::Bounds { lower: [f64::NEG_INFINITY; 3], upper: [f64::INFINITY; 3] },
            bias: [0.0; 3],
        }
    }

    /// Whether the row has the moments of a contact.
    #[inline(always)]
    pub(super) fn is_of_moments(&self) -> bool {
        matches!(self.kind, Kind::Moments)
    }

    /// Whether the law is an equation: each component has zero velocity, or a given force.
    #[inline(always)]
    pub(super) fn is_joint(&self) -> bool {
        of_kind!(&self.kind, law => law.is_joint())
    }

    /// Check the first (0) or the second (1) law of a row with `height` scalar rows. `is_of_moments`: it comes after a contact's law.
    fn check(&self, height: usize, part: usize, is_of_moments: bool) -> Result<(), Fault> {
        let count = (height - 3 * part).min(3);
        ensure!(is_finite(&self.bias[..count]), Fault::NotFinite("the bias of its law"));
        let why = "the second law of a contact with moments, and of nothing else, is that of moments";
        ensure!(is_of_moments == self.is_of_moments(), Fault::Invalid(why));
        of_kind!(&self.kind, law => law.check(height, part, count))
    }
}

impl Law<[f64; MOST_ROWS]> {
    /// The law of the first three scalar rows of a row, and the law of the others if there are more.
    pub fn parts(self, scalars: usize) -> impl Iterator<Item = Law> {
        (0..scalars.div_ceil(3)).map(move |part| {
            let own = |values: [f64; MOST_ROWS]| std::array::from_fn(|i| values[3 * part + i]);
            let kind = match self.kind {
                Kind::Contact { .. } if part > 0 => Kind::Moments,
                kind => kind.map(own),
            };
            Law { kind, bias: own(self.bias) }
        })
    }
}

/// Check a law for a row of `height` scalar rows.
pub(crate) fn check_law(law: Law<[f64; MOST_ROWS]>, height: usize) -> Result<(), Fault> {
    check_parts(law.parts(height), height)
}

/// Check the laws of the first three scalar rows of a row, and of the others.
fn check_parts(laws: impl Iterator<Item = impl Borrow<Law>>, height: usize) -> Result<(), Fault> {
    let mut is_contact = false;
    laws.enumerate().try_for_each(|(part, law)| {
        let law: &Law = law.borrow();
        law.check(height, part, is_contact)?;
        is_contact = matches!(law.kind, Kind::Contact { .. });
        Ok(())
    })
}

impl Problem<'_> {
    /// The number of laws: one for each row, or two for a row of more than three scalar rows.
    pub fn laws(&self) -> usize {
        match self.w.layout() {
            Some(_) => (0..self.w.len()).map(|row| triples(self.w.height(row))).sum(),
            None => self.w.len(),
        }
    }

    /// Check the lengths of B, laws and forces, if there are forces, that all values are finite, and that each law is valid for its
    /// row.
    pub(crate) fn check(&self, laws: &[Law], forces: Option<&[f64]>) -> Result<(), Error> {
        let scalars = self.w.scalar_count();
        check_size("B", scalars, self.b.len())?;
        check_size("laws", self.laws(), laws.len())?;
        check_size("forces", scalars, forces.map_or(scalars, <[f64]>::len))?;
        // All numbers at once take much less time than those of each row, which are looked at if one is not finite.
        let are_finite = [self.w.values(), self.b, forces.unwrap_or_default()].into_iter().all(is_finite);
        let (mut rest, mut last) = (laws, (&laws[..0], 0));
        (0..self.w.len()).try_for_each(|row| {
            let height = self.w.height(row);
            let (own, others) = rest.split_at(triples(height));
            rest = others;
            // Many rows have the laws of the row before them.
            if are_finite && last == (own, height) {
                return Ok(());
            }
            last = (own, height);
            let numbers = if are_finite { Ok(()) } else { self.check_numbers(row, forces) };
            let checked = numbers.and_then(|()| check_parts(own.iter(), height));
            checked.map_err(|fault| Error::of_row(row, fault))
        })
    }

    fn check_numbers(&self, row: usize, forces: Option<&[f64]>) -> Result<(), Fault> {
        let own = self.w.scalars(row);
        ensure!(self.w.row(row).all(|(_, block)| is_finite(block)), NOT_FINITE);
        ensure!(is_finite(&self.b[own.clone()]), Fault::NotFinite("B"));
        let is_start = forces.is_none_or(|forces| is_finite(&forces[own]));
        ensure!(is_start, Fault::NotFinite("the force to begin with"));
        Ok(())
    }
}

/// The number of rows of three that the scalar rows of one row take.
pub(super) fn triples(height: usize) -> usize {
    height.div_ceil(3)
}

impl<'a> Problem3<'a> {
    pub fn new(Bsr3 { starts, columns, values }: Bsr3<'a>, b: &'a [Vector], normal: Normal) -> Self {
        Self { starts, columns, values, b, normal }
    }

    /// The number of constraints.
    pub fn rows(&self) -> usize {
        self.b.len()
    }

    #[inline(always)]
    fn matrix(&self) -> Bsr3<'a> {
        Bsr3 { starts: self.starts, columns: self.columns, values: self.values }
    }

    /// The range of a row's blocks.
    #[inline(always)]
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.matrix().range(row)
    }

    /// The blocks of a row with their columns.
    #[inline(always)]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &'a Block)> + use<'a> {
        self.matrix().row(row)
    }
}
