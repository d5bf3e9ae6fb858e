//! The sparse Cholesky factor of W + μ 1.

use crate::block::is_finite;
use crate::block_rows::BlockRows;
use crate::inertia::{FactorError, Factored, Structure, Workspace};
use crate::row_error::{Error, Fault};

/// A pivot that is no more than this of its diagonal entry is rounding.
const SINGULAR: f64 = 1e-13;

/// The factor of W + μ 1, with its memory, which is used again: the order of elimination is kept as long as the pattern stays.
#[derive(Debug, Default)]
pub struct Cholesky {
    factored: Factored,
    work: Workspace,
    /// The lower triangle by scalar columns: the diagonal first, then ascending rows.
    starts: Vec<i32>,
    rows: Vec<i32>,
    values: Vec<f64>,
    /// Of the scalar rows, if there is a factor; one of no rows is not made.
    size: Option<usize>,
}

impl Cholesky {
    /// A factor of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Factor W + diag μ. μ has one value for all, one for each row, or three for each row; none: zero.
    ///
    /// # Errors
    /// If the rows are ill-formed, μ has another number of values, something is not finite, memory is exhausted, or a pivot is not
    /// positive or only by rounding, no more than 1e-13 of its diagonal entry. There is no factor then.
    pub fn factorise(&mut self, w: &BlockRows, mu: &[f64]) -> Result<(), Error> {
        self.size = None;
        w.check_pattern()?;
        let rows = w.len();
        let each = match mu.len() {
            0 | 1 => 0,
            found if found == rows => 1,
            found if found == 3 * rows => 3,
            found => return Err(Error::of_rows(Fault::Size { what: "mu", expected: rows, found })),
        };
        if !is_finite(mu) {
            return Err(Error::of_rows(Fault::NotFinite("mu")));
        }
        w.check_values()?;
        self.fill(w, |row, i| match each {
            0 => mu.first().copied().unwrap_or(0.0),
            1 => mu[row],
            _ => mu[3 * row + i],
        })?;
        if rows > 0 {
            self.eliminate()?;
        }
        self.size = Some(3 * rows);
        Ok(())
    }

    fn eliminate(&mut self) -> Result<(), Error> {
        let Self { factored, work, starts, rows, values, .. } = self;
        factored.update(Structure::PositiveDefinite, starts, rows, values, work)?;
        let mut first = None;
        factored.each_pivot(|row, pivot| {
            if pivot <= SINGULAR * values[starts[row] as usize] {
                first.get_or_insert(row / 3);
            }
        })?;
        first.map_or(Ok(()), |row| Err(Error { row: Some(row), fault: Fault::NotPositive }))
    }

    /// The lower triangle of W + diag μ.
    fn fill(&mut self, w: &BlockRows, mu: impl Fn(usize, usize) -> f64) -> Result<(), Error> {
        let Self { starts, rows, values, .. } = self;
        let count = w.len();
        // Of a diagonal block 6 entries, of each right of it 9.
        let above: usize = (0..count).map(|row| w.upper(row).count() - 1).sum();
        let total = 6 * count + 9 * above;
        if i32::try_from(total).is_err() {
            let what = "W has more entries than an int can count";
            return Err(Error::of_rows(Fault::Invalid(what)));
        }
        starts.clear();
        rows.clear();
        values.clear();
        starts.try_reserve_exact(3 * count + 1)?;
        rows.try_reserve_exact(total)?;
        values.try_reserve_exact(total)?;
        starts.push(0);
        for row in 0..count {
            for j in 0..3 {
                for (column, block) in w.upper(row) {
                    let is_diagonal = column == row;
                    for i in if is_diagonal { j } else { 0 }..3 {
                        rows.push((3 * column + i) as i32);
                        let shift = if is_diagonal && i == j { mu(row, i) } else { 0.0 };
                        values.push(block[3 * i + j] + shift);
                    }
                }
                starts.push(rows.len() as i32);
            }
        }
        Ok(())
    }

    /// Number of scalar rows of the factor.
    ///
    /// # Errors
    /// If there is none.
    pub fn size(&self) -> Result<usize, Error> {
        self.size.ok_or(Error::of_rows(Fault::Invalid("W + mu 1 has not been factored")))
    }

    /// Replace x by (W + μ 1)⁻¹ x.
    ///
    /// # Errors
    /// If there is no factor, x has another length, or memory is exhausted; x is then as it was.
    pub fn solve(&mut self, x: &mut [f64]) -> Result<(), Error> {
        match self.size()? {
            0 if x.is_empty() => Ok(()),
            expected if expected == x.len() => Ok(self.factored.solve_vector(x, &mut self.work)?),
            expected => {
                let what = "a vector of three values a row";
                Err(Error::of_rows(Fault::Size { what, expected, found: x.len() }))
            }
        }
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

/// Of a factor of W + μ 1.
impl From<FactorError> for Error {
    fn from(error: FactorError) -> Self {
        match error {
            FactorError::NotPositiveDefinite { row } => {
                Self { row: Some(row / 3), fault: Fault::NotPositive }
            }
            FactorError::Memory => Self::of_rows(Fault::Memory),
            FactorError::NotFinite => Self::of_rows(Fault::NotFinite("the factor of W + mu 1")),
            FactorError::Missing => Self::of_rows(Fault::Invalid("W + mu 1 has not been factored")),
            FactorError::Matrix(_) | FactorError::Singular => {
                Self::of_rows(Fault::Invalid("W + mu 1 is no matrix that can be factored"))
            }
        }
    }
}
