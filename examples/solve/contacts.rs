//! Contacts with friction. A file holds the matrix: `data`, `indices`, `indptr`, `q`, `mu`, in the form of
//! `scipy.sparse.bsr_matrix`, or its factors `M` and `H`.

use std::io;

use ldy::rows::BlockRows;
use ldy::solve::{Error, Kind, Law, Normal, Problem};
use nalgebra::DMatrix;

use super::archive::{Archive, are_starts, fits, wrong};

/// A frictional contact problem, normal component first.
pub struct Contacts {
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<[f64; 9]>,
    b: Vec<[f64; 3]>,
    pub laws: Vec<Law>,
    /// The number of components of a contact in the file.
    pub dimension: usize,
}

impl Contacts {
    /// Read a file with the matrix.
    pub fn read_local(archive: &mut Archive) -> io::Result<Self> {
        let starts = narrow(archive.integers("indptr")?)?;
        let columns = narrow(archive.integers("indices")?)?;
        let rows = starts.len().checked_sub(1).ok_or_else(|| wrong("indptr"))?;
        let (q, data) = (archive.numbers("q")?, archive.numbers("data")?);
        let dimension = q.len().checked_div(rows).unwrap_or(3);
        fits(dimension > 0 && q.len() == rows * dimension, "q")?;
        fits(data.len() == columns.len() * dimension * dimension, "data")?;
        // The file stores blocks by rows.
        let blocks = data
            .chunks_exact(dimension * dimension)
            .map(|block| padded(dimension, |i, j| block[dimension * i + j]));
        let mut contacts = Self {
            values: blocks.collect(),
            b: vectors(dimension, &q),
            laws: laws(archive, dimension, rows)?,
            starts,
            columns,
            dimension,
        };
        contacts.sort()?;
        Ok(contacts)
    }

    /// Read a file with M v = H r + f, u = Hᵀ v + b.
    pub fn read_global(archive: &mut Archive) -> io::Result<Self> {
        let dimension = archive.number("dim")? as usize;
        let m = dense(archive, "M")?;
        let h = dense(archive, "H")?;
        fits(dimension > 0 && h.ncols().is_multiple_of(dimension), "dim")?;
        fits(m.is_square() && m.nrows() == h.nrows(), "M")?;
        let (f, b) = (archive.exactly("f", h.nrows())?, archive.exactly("b", h.ncols())?);
        let mut right = DMatrix::zeros(h.nrows(), h.ncols() + 1);
        right.columns_mut(0, h.ncols()).copy_from(&h);
        right.set_column(h.ncols(), &nalgebra::DVector::from_column_slice(&f));
        let is_symmetric = m == m.transpose();
        let solved = m.lu().solve(&right).ok_or_else(|| wrong("M"))?;
        let all = h.transpose() * solved;
        let mut w = all.columns(0, h.ncols()).into_owned();
        if is_symmetric {
            w = (&w + w.transpose()) * 0.5;
        }
        let q: Vec<f64> = (0..b.len()).map(|i| all[(i, h.ncols())] + b[i]).collect();
        let rows = b.len() / dimension;
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..rows {
            for column in 0..rows {
                let block = padded(dimension, |i, j| w[(dimension * row + i, dimension * column + j)]);
                if row == column || block.iter().any(|&x| x != 0.0) {
                    columns.push(column as i32);
                    values.push(block);
                }
            }
            starts.push(columns.len() as i32);
        }
        let laws = laws(archive, dimension, rows)?;
        let mut contacts = Self { starts, columns, values, b: vectors(dimension, &q), laws, dimension };
        contacts.fill_lanes();
        Ok(contacts)
    }

    /// Sort the columns of each row in ascending order.
    fn sort(&mut self) -> io::Result<()> {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        for range in self.starts.windows(2) {
            let range = usize::try_from(range[0]).ok().zip(usize::try_from(range[1]).ok());
            let row = range.and_then(|(from, to)| order.get_mut(from..to));
            row.ok_or(io::ErrorKind::InvalidData)?.sort_by_key(|&k| self.columns[k]);
        }
        self.columns = order.iter().map(|&k| self.columns[k]).collect();
        self.values = order.iter().map(|&k| self.values[k]).collect();
        self.fill_lanes();
        Ok(())
    }

    /// Fill the lane of the second tangent, which planar contacts do not have: it gets the mean of the others on the diagonal, and
    /// no friction.
    fn fill_lanes(&mut self) {
        if self.dimension == 2 {
            for row in 0..self.laws.len() {
                for k in self.starts[row] as usize..self.starts[row + 1] as usize {
                    if self.columns[k] as usize == row {
                        let block = &mut self.values[k];
                        block[8] = 0.5 * (block[0] + block[4]);
                    }
                }
            }
        }
    }

    /// The problem of the contacts.
    ///
    /// # Errors
    /// If the rows are ill-formed.
    pub fn problem(&self) -> Result<Problem<'_>, Error> {
        let Self { starts, columns, values, b, .. } = self;
        let w = BlockRows::new(starts, columns, values.as_flattened(), None)?;
        Ok(Problem { w, b: b.as_flattened(), normal: Normal::First })
    }
}

/// A column-major block, padded from the given components.
fn padded(dimension: usize, value: impl Fn(usize, usize) -> f64) -> [f64; 9] {
    let is_there = |i: usize| i < dimension;
    std::array::from_fn(|k| {
        let (i, j) = (k % 3, k / 3);
        if is_there(i) && is_there(j) { value(i, j) } else { 0.0 }
    })
}

fn vectors(dimension: usize, values: &[f64]) -> Vec<[f64; 3]> {
    let one = |values: &[f64]| std::array::from_fn(|i| values.get(i).copied().unwrap_or(0.0));
    values.chunks_exact(dimension).map(one).collect()
}

fn laws(archive: &mut Archive, dimension: usize, rows: usize) -> io::Result<Vec<Law>> {
    if dimension > 3 {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "there is no law of rolling friction"));
    }
    let law = |friction: f64| {
        let mut law = Law::contact(friction);
        if let Kind::Contact { friction_2, .. } = &mut law.kind
            && dimension == 2
        {
            *friction_2 = 0.0;
        }
        law
    };
    Ok(archive.spread("mu", rows)?.into_iter().map(law).collect())
}

/// Read a matrix in compressed columns.
fn dense(archive: &mut Archive, name: &str) -> io::Result<DMatrix<f64>> {
    let array = |what: &str| format!("{name}_{what}");
    let shape = archive.counts(&array("shape"))?;
    let [starts, rows] = [archive.counts(&array("indptr"))?, archive.counts(&array("indices"))?];
    let values = archive.exactly(&array("data"), rows.len())?;
    fits(shape.len() == 2 && starts.len() == shape[1] + 1, &array("shape"))?;
    fits(are_starts(&starts, rows.len()), &array("indptr"))?;
    fits(rows.iter().all(|&row| row < shape[0]), &array("indices"))?;
    let mut matrix = DMatrix::zeros(shape[0], shape[1]);
    for (column, range) in starts.windows(2).enumerate() {
        for k in range[0]..range[1] {
            matrix[(rows[k], column)] += values[k];
        }
    }
    Ok(matrix)
}

fn narrow(values: Vec<i64>) -> io::Result<Vec<i32>> {
    values.into_iter().map(|value| i32::try_from(value).map_err(io::Error::other)).collect()
}
