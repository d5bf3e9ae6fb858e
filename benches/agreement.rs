//! Whether both faces make the same of a scene.

use std::collections::HashMap;

use ldy::legacy::layout::DIAB;
use ldy::system::Rows;

use crate::host::Host;
use crate::{apart, largest};

/// Largest difference that counts as rounding, relative to the size of what is compared.
const TOLERANCE: f64 = 1e-11;

/// The largest difference between W, V and B of the two: of a block relative to what the diagonal blocks allow, of velocities to
/// the largest of all. Blocks that the legacy face has twice, once for each of two shared bodies, are added; one that it has not
/// is zero.
///
/// # Errors
/// If a difference is more than rounding.
pub fn difference(host: &Host, rows: &Rows) -> Result<f64, String> {
    let rank: HashMap<*mut DIAB, usize> = host.rows().map(|row| (row, place(row))).collect();
    if rank.len() != rows.ids.len() {
        return Err(format!("{} and {} rows", rank.len(), rows.ids.len()));
    }
    let scale: Vec<f64> = rows.diagonal.chunks(9).map(|w| largest(w).sqrt()).collect();
    let speed = largest(rows.b).max(largest(rows.v)).max(f64::MIN_POSITIVE);
    let mut worst = 0.0;
    let mut meet = |what: &str, row: usize, difference: f64| {
        // NaN counts as a difference.
        if difference <= TOLERANCE {
            worst = f64::max(worst, difference);
            return Ok(());
        }
        Err(format!("{what} of row {row}: the faces differ by {difference:e}"))
    };
    let mut blocks = HashMap::new();
    for row in host.rows() {
        let own = place(row);
        // SAFETY: the row and its constraint are live, and nobody writes them now.
        let (w, b, v) = unsafe { ((*row).W, (*row).B, (*(*row).con).V) };
        meet("B", own, apart(&b, &rows.b[3 * own..][..3]) / speed)?;
        meet("V", own, apart(&v, &rows.v[3 * own..][..3]) / speed)?;
        blocks.clear();
        blocks.insert(own, w);
        for block in host.blocks(row) {
            // SAFETY: as above.
            let (w, neighbour) = unsafe { ((*block).W, (*block).dia) };
            let sum = blocks.entry(rank[&neighbour]).or_insert([0.0; 9]);
            sum.iter_mut().zip(w).for_each(|(sum, w)| *sum += w);
        }
        for (column, block) in rows.w.row(own) {
            let expected = blocks.remove(&column).unwrap_or([0.0; 9]);
            meet("W", own, apart(&expected, block) / (scale[own] * scale[column]))?;
        }
        if !blocks.is_empty() {
            return Err(format!("row {own}: the neutral face lacks {} blocks", blocks.len()));
        }
    }
    Ok(worst)
}

/// The place of a row's constraint in the scene.
fn place(row: *mut DIAB) -> usize {
    // SAFETY: the row and its constraint are live.
    unsafe { (*(*row).con).id as usize - 1 }
}
