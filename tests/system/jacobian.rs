//! Operators of many constraints at once: rows of a Jacobian, dense by rows or columns, or sparse.

use ldy::system::{EntryError, Id, Jacobian, System};
use nalgebra::DMatrix;

/// The layout of the arrays.
#[derive(Clone, Copy, Debug)]
pub enum Layout {
    ByRows,
    ByColumns,
    /// Compressed rows, with the end of each.
    Compressed,
    /// Compressed rows with counts, in another order, and others between.
    Counted,
}

pub const LAYOUTS: [Layout; 4] = [Layout::ByRows, Layout::ByColumns, Layout::Compressed, Layout::Counted];

/// Hand a Jacobian over to what takes it.
pub fn with<T>(j: &DMatrix<f64>, layout: Layout, take: impl FnOnce(&Jacobian) -> T) -> T {
    let shape = [j.nrows(), j.ncols()];
    match layout {
        Layout::ByRows => {
            // Two values after each row.
            let stride = j.ncols() + 2;
            let mut values = vec![f64::NAN; stride * j.nrows()];
            for (row, values) in j.row_iter().zip(values.chunks_mut(stride)) {
                row.iter().zip(values).for_each(|(from, to)| *to = *from);
            }
            take(&Jacobian::Dense { values: &values, shape, strides: [stride, 1] })
        }
        Layout::ByColumns => take(&Jacobian::Dense { values: j.as_slice(), shape, strides: [1, j.nrows()] }),
        Layout::Compressed | Layout::Counted => {
            let is_counted = matches!(layout, Layout::Counted);
            let (mut starts, mut counts) = (vec![0; j.nrows()], vec![0; j.nrows()]);
            let (mut indices, mut values) = (vec![], vec![]);
            for row in 0..j.nrows() {
                let row = if is_counted { j.nrows() - 1 - row } else { row };
                starts[row] = indices.len() as i32;
                // Some zeros are there, too.
                for column in
                    (0..j.ncols()).filter(|&column| j[(row, column)] != 0.0 || (row + column) % 7 == 0)
                {
                    indices.push(column as i32);
                    values.push(j[(row, column)]);
                }
                counts[row] = indices.len() as i32 - starts[row];
                if is_counted {
                    indices.push(-5);
                    values.push(f64::NAN);
                }
            }
            if !is_counted {
                starts.push(indices.len() as i32);
            }
            let counts = is_counted.then_some(&counts[..]);
            let (indices, values, starts) = (&indices[..], &values[..], &starts[..]);
            take(&Jacobian::Sparse { shape, starts, counts, indices, values })
        }
    }
}

/// Set operators of constraints.
pub fn set(
    system: &mut System,
    (bodies, constraints): (&[Id], &[Id]),
    j: &DMatrix<f64>,
    layout: Layout,
) -> Result<(), EntryError> {
    with(j, layout, |jacobian| {
        system.set_jacobian(bodies.iter().copied(), constraints.iter().copied(), jacobian)
    })
}

/// Insert constraints.
pub fn insert(
    system: &mut System,
    (bodies, heights): (&[Id], &[usize]),
    j: &DMatrix<f64>,
    layout: Layout,
) -> Result<Id, EntryError> {
    with(j, layout, |jacobian| system.add_jacobian(bodies.iter().copied(), heights.iter().copied(), jacobian))
}
