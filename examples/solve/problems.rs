//! Problems with the matrix W, in the format of docs/reference/file-format.md: `data`, `indices`, `indptr`, `q` and laws. Older files have contacts only,
//! with `mu`, or the factors `M` and `H` of W.

use std::io;

use ldy::rows::{BlockRows, RowLayoutBuf};
use ldy::solve::{BodyRows, Error, Law, Normal, Options, Problem, Report, Solver};
use nalgebra::DMatrix;

use crate::archive::{Archive, are_starts, fits, wrong};
use crate::constraints::{CONTACT, EXPANSION, law};

/// The version of the format.
const VERSION: f64 = 1.0;

/// A problem, its laws and the initial guess of the forces.
pub struct MatrixProblem {
    starts: Vec<i32>,
    columns: Vec<i32>,
    /// The values of blocks, column by column.
    values: Vec<f64>,
    heights: Vec<usize>,
    b: Vec<f64>,
    normal: Normal,
    laws: Vec<Law>,
    /// The initial guess, then the solution.
    pub forces: Vec<f64>,
    /// Z with W = Z Zᵀ, if it is known.
    z: Option<BodyRows>,
}

impl MatrixProblem {
    /// Read a file with W.
    pub fn read_local(archive: &mut Archive) -> io::Result<Self> {
        let is_old = !archive.has("version");
        let version = if is_old { VERSION } else { archive.number("version")? };
        if version != VERSION {
            let text = format!("version {version}: this program reads version {VERSION}");
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        let (starts, columns) = (archive.counts("indptr")?, archive.counts("indices")?);
        let rows = starts.len().checked_sub(1).ok_or_else(|| wrong("indptr"))?;
        let (q, data) = (archive.numbers("q")?, archive.numbers("data")?);
        let heights = if is_old { alike(rows, q.len())? } else { archive.counts("heights")? };
        fits(heights.len() == rows && heights.iter().all(|height| (1..=6).contains(height)), "heights")?;
        fits(q.len() == heights.iter().sum::<usize>(), "q")?;
        fits(are_starts(&starts, columns.len()), "indptr")?;
        fits(columns.iter().all(|&column| column < rows), "indices")?;
        let is_first = is_old || archive.number("normal_first")? != 0.0;
        let laws = if is_old { contacts(archive, &heights)? } else { laws(archive, &heights)? };
        let mut places = vec![0];
        for (row, &height) in heights.iter().enumerate() {
            let sizes = columns[starts[row]..starts[row + 1]].iter().map(|&column| height * heights[column]);
            sizes.for_each(|size| places.push(places[places.len() - 1] + size));
        }
        fits(data.len() == places[columns.len()], "data")?;
        let mut blocks = Blocks::default();
        for (row, &height) in heights.iter().enumerate() {
            // The files of SciPy may have the columns of a row in any order.
            let mut own: Vec<usize> = (starts[row]..starts[row + 1]).collect();
            own.sort_by_key(|&k| columns[k]);
            for k in own {
                // The file stores blocks by rows.
                let (block, width) = (&data[places[k]..places[k + 1]], heights[columns[k]]);
                blocks.push(columns[k], height, width, |i, j| block[width * i + j]);
            }
            blocks.end_row();
        }
        let forces = if archive.has("r0") { archive.exactly("r0", q.len())? } else { vec![0.0; q.len()] };
        let normal = if is_first { Normal::First } else { Normal::Third };
        let z = if archive.has("Z_indptr") { Some(factor(archive)?) } else { None };
        Ok(Self { z, ..blocks.problem(heights, q, normal, laws, forces) })
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
        let heights = alike(b.len() / dimension, b.len())?;
        let laws = contacts(archive, &heights)?;
        let mut blocks = Blocks::default();
        for row in 0..heights.len() {
            for column in 0..heights.len() {
                let block = w.view((dimension * row, dimension * column), (dimension, dimension));
                if row == column || block.iter().any(|&x| x != 0.0) {
                    blocks.push(column, dimension, dimension, |i, j| block[(i, j)]);
                }
            }
            blocks.end_row();
        }
        let forces = vec![0.0; q.len()];
        Ok(blocks.problem(heights, q, Normal::First, laws, forces))
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.heights.len()
    }

    /// Call a function with the problem, its laws, forces, and Z.
    ///
    /// # Errors
    /// If the rows are ill-formed.
    pub fn with<T>(
        &mut self,
        solve: impl FnOnce(&Problem, &[Law], &mut [f64], Option<&BodyRows>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Self { starts, columns, values, heights, b, normal, laws, forces, z } = self;
        let layout = RowLayoutBuf::new(heights, starts, columns)?;
        let w = BlockRows::new(starts, columns, values, Some(layout.borrow()))?;
        solve(&Problem { w, b, normal: *normal }, laws, forces, z.as_ref())
    }

    /// Solve the problem.
    ///
    /// # Errors
    /// If a value is not valid, or the rows are ill-formed.
    pub fn solve(&mut self, options: &Options) -> Result<Report, Error> {
        self.with(|problem, laws, forces, z| match z {
            Some(z) => Solver::new().solve_with_factor(problem, z, laws, options, forces, None),
            None => Solver::new().solve(problem, laws, options, forces),
        })
    }
}

/// The blocks of rows in order.
struct Blocks {
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<f64>,
}

impl Default for Blocks {
    fn default() -> Self {
        Self { starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }
}

impl Blocks {
    fn push(&mut self, column: usize, height: usize, width: usize, value: impl Fn(usize, usize) -> f64) {
        self.columns.push(column as i32);
        (0..width).for_each(|j| self.values.extend((0..height).map(|i| value(i, j))));
    }

    fn end_row(&mut self) {
        self.starts.push(self.columns.len() as i32);
    }

    fn problem(
        self,
        heights: Vec<usize>,
        b: Vec<f64>,
        normal: Normal,
        laws: Vec<Law>,
        forces: Vec<f64>,
    ) -> MatrixProblem {
        let Self { starts, columns, values } = self;
        MatrixProblem { starts, columns, values, heights, b, normal, laws, forces, z: None }
    }
}

/// The heights of rows that all have the same.
fn alike(rows: usize, scalars: usize) -> io::Result<Vec<usize>> {
    let height = scalars.checked_div(rows).unwrap_or(3);
    fits(height > 0 && scalars == rows * height, "q")?;
    Ok(vec![height; rows])
}

/// The laws of contacts with a coefficient of friction.
fn contacts(archive: &mut Archive, heights: &[usize]) -> io::Result<Vec<Law>> {
    let friction = archive.spread("mu", heights.len())?;
    let [rolling, torsion] = moments(archive, heights.len())?;
    let laws = heights.iter().enumerate().flat_map(|(row, &height)| {
        let contact = [friction[row], friction[row], 0.0, rolling[row], torsion[row]];
        law(CONTACT, contact, &[], [&[], &[]]).parts(height)
    });
    Ok(laws.collect())
}

/// The coefficients of rolling and torsional friction, zero where the file has none.
fn moments(archive: &mut Archive, rows: usize) -> io::Result<[Vec<f64>; 2]> {
    let mut values = |name| if archive.has(name) { archive.spread(name, rows) } else { Ok(vec![0.0; rows]) };
    Ok([values("mu_r")?, values("mu_s")?])
}

/// The laws of rows of any kind.
fn laws(archive: &mut Archive, heights: &[usize]) -> io::Result<Vec<Law>> {
    let (rows, scalars) = (heights.len(), heights.iter().sum());
    let kinds = archive.integers("kind")?;
    fits(kinds.len() == rows && kinds.iter().all(|kind| (0..=EXPANSION).contains(kind)), "kind")?;
    let mut by_row = |name| archive.exactly(name, rows);
    let (friction, friction_2, cohesion) = (by_row("mu")?, by_row("mu_2")?, by_row("cohesion")?);
    let [rolling, torsion] = moments(archive, rows)?;
    let mut by_scalar = |name| archive.exactly(name, scalars);
    let (lower, upper, bias) = (by_scalar("lower")?, by_scalar("upper")?, by_scalar("bias")?);
    let (mut laws, mut first) = (Vec::new(), 0);
    for (row, &height) in heights.iter().enumerate() {
        let own = first..first + height;
        let contact = [friction[row], friction_2[row], cohesion[row], rolling[row], torsion[row]];
        let bounds = [&lower[own.clone()], &upper[own.clone()]];
        laws.extend(law(kinds[row], contact, &bias[own], bounds).parts(height));
        first += height;
    }
    Ok(laws)
}

/// Read Z.
fn factor(archive: &mut Archive) -> io::Result<BodyRows> {
    let narrow = |values: Vec<usize>, name| -> io::Result<Vec<i32>> {
        values.into_iter().map(|value| i32::try_from(value).map_err(|_| wrong(name))).collect()
    };
    let starts = narrow(archive.counts("Z_indptr")?, "Z_indptr")?;
    let nodes = narrow(archive.counts("Z_indices")?, "Z_indices")?;
    BodyRows::new(&starts, &nodes, &archive.numbers("Z_data")?).map_err(io::Error::other)
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
