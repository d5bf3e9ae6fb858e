//! The sparse Cholesky factor of W + μ 1.

use std::iter;

use crate::inertia::{FactorError, Factored, Structure, Workspace};
use crate::math::is_finite;
use crate::memory::collect;
use crate::rows::block_rows::BlockRows;
use crate::rows::fault::{Error, Fault, check_size};

/// A pivot of at most this share of its diagonal entry is a rounding error.
const SINGULAR: f64 = 1e-13;

/// The factor of W + μ 1 and its workspace. The order of elimination is kept as long as the pattern stays.
///
/// ```
/// use ldy::rows::{BlockRows, Cholesky};
///
/// let w = BlockRows::new(&[0, 1], &[0], &[3.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], None)?;
/// let mut factor = Cholesky::new();
/// // W is singular, W + 1 is not.
/// assert!(factor.factorize(&w, &[]).is_err());
/// factor.factorize(&w, &[1.0])?;
/// let mut x = [8.0, 4.0, 2.0];
/// factor.solve(&mut x)?;
/// assert!(x.iter().all(|x| (x - 2.0).abs() < 1e-15));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Cholesky {
    factored: Factored,
    work: Workspace,
    /// The lower triangle by scalar columns: the diagonal entry first, then ascending rows.
    starts: Vec<i32>,
    rows: Vec<i32>,
    values: Vec<f64>,
    /// The number of scalar rows if there is a factor. Without rows nothing is factored.
    size: Option<usize>,
}

impl Cholesky {
    /// Make a workspace without a factor.
    pub fn new() -> Self {
        Self::default()
    }

    /// Factor W + diag μ. W is symmetric. μ has one value for all rows, one for each row, or one for each scalar row; without values
    /// it is zero.
    ///
    /// # Errors
    /// If μ has another number of values, a value is not finite, memory is exhausted, or a pivot is not positive, or positive by
    /// rounding alone: at most 1e-13 of its diagonal entry. There is no factor then.
    pub fn factorize(&mut self, w: &BlockRows, mu: &[f64]) -> Result<(), Error> {
        self.size = None;
        let (rows, scalars) = (w.len(), w.scalar_count());
        let each = match mu.len() {
            0 | 1 => Each::Together,
            found if found == rows => Each::Row,
            found if found == scalars => Each::Scalar,
            found => return Err(Error::of_rows(Fault::Size { what: "mu", expected: rows, found })),
        };
        ensure!(is_finite(mu), Error::of_rows(Fault::NotFinite("mu")));
        w.check_values()?;
        self.fill(w, |row, scalar| match each {
            Each::Together => mu.first().copied().unwrap_or(0.0),
            Each::Row => mu[row],
            Each::Scalar => mu[scalar],
        })?;
        if rows > 0 {
            // The factor numbers scalar rows.
            self.eliminate()
                .map_err(|error| Error { row: error.row.map(|scalar| w.row_of(scalar)), ..error })?;
        }
        self.size = Some(scalars);
        Ok(())
    }

    fn eliminate(&mut self) -> Result<(), Error> {
        let Self { factored, work, starts, rows, values, .. } = self;
        factored.update(Structure::PositiveDefinite, starts, rows, values, work)?;
        let mut first = None;
        factored.each_pivot(|row, pivot| {
            if pivot <= SINGULAR * values[starts[row] as usize] {
                first.get_or_insert(row);
            }
        })?;
        first.map_or(Ok(()), |row| Err(Error::of_row(row, Fault::NotPositive)))
    }

    /// Write the lower triangle of W + diag μ.
    fn fill(&mut self, w: &BlockRows, mu: impl Fn(usize, usize) -> f64) -> Result<(), Error> {
        let Self { starts, rows, values, .. } = self;
        let count = w.len();
        let entries = |row: usize| {
            let height = w.height(row);
            // A triangle of the diagonal block.
            w.upper(row).map(|(_, block)| block.len()).sum::<usize>() - height * (height - 1) / 2
        };
        let total: usize = (0..count).map(entries).sum();
        let why = "W has more entries";
        ensure!(i32::try_from(total).is_ok(), Error::of_rows(Fault::TooLarge(why)));
        collect(starts, w.scalar_count() + 1, iter::once(0))?;
        collect(rows, total, iter::empty())?;
        collect(values, total, iter::empty())?;
        for row in 0..count {
            let own = w.scalars(row);
            for (j, scalar) in own.clone().enumerate() {
                for (column, block) in w.upper(row) {
                    let first = if column == row { j } else { 0 };
                    let entries = block[j..].iter().step_by(own.len());
                    for (other, value) in w.scalars(column).zip(entries).skip(first) {
                        rows.push(other as i32);
                        let shift = if other == scalar { mu(row, scalar) } else { 0.0 };
                        values.push(value + shift);
                    }
                }
                starts.push(rows.len() as i32);
            }
        }
        Ok(())
    }

    /// The number of scalar rows of the factor.
    ///
    /// # Errors
    /// If there is no factor.
    pub fn size(&self) -> Result<usize, Error> {
        self.size.ok_or(Error::of_rows(Fault::Invalid("W + mu 1 has not been factored")))
    }

    /// Replace x by (W + μ 1)⁻¹ x.
    ///
    /// # Errors
    /// If there is no factor, x has another length, or memory is exhausted; x is then unchanged.
    pub fn solve(&mut self, x: &mut [f64]) -> Result<(), Error> {
        check_size("a vector with a value for each scalar row", self.size()?, x.len())?;
        if x.is_empty() { Ok(()) } else { Ok(self.factored.solve_vector(x, &mut self.work)?) }
    }

    /// The logarithm of the determinant of W + μ 1.
    ///
    /// # Errors
    /// If there is no factor.
    pub fn log_determinant(&self) -> Result<f64, Error> {
        let mut sum = 0.0;
        if self.size()? > 0 {
            self.factored.each_pivot(|_, pivot| sum += pivot.ln())?;
        }
        Ok(sum)
    }
}

/// The rows for which μ has a value.
#[derive(Clone, Copy, Debug)]
enum Each {
    /// One value for all rows.
    Together,
    Row,
    Scalar,
}

/// The row of the result is a scalar row.
impl From<FactorError> for Error {
    fn from(error: FactorError) -> Self {
        match error {
            FactorError::NotPositiveDefinite { row } => Self::of_row(row, Fault::NotPositive),
            FactorError::Memory => Self::of_rows(Fault::Memory),
            FactorError::NotFinite => Self::of_rows(Fault::NotFinite("the factor of W + mu 1")),
            FactorError::Missing => Self::of_rows(Fault::Invalid("W + mu 1 has not been factored")),
            FactorError::Matrix(_) | FactorError::Singular => {
                Self::of_rows(Fault::Invalid("W + mu 1 is no matrix that can be factored"))
            }
        }
    }
}
