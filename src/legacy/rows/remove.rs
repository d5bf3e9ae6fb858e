//! Removal of a row.

use crate::legacy::errors::{Code, fail};
use crate::legacy::layout::DIAB;

use super::module::Module;
use super::pair::Pair;

/// Remove a row with all blocks that point to it; see `LOCDYN_Remove`. Neither bodies nor constraints are read.
pub fn remove(module: &mut Module, dia: *mut DIAB) -> Result<(), Code> {
    if dia.is_null() {
        return Err(fail!(Code::BugFound, "dia is NULL"));
    }
    let Some(row) = module.rows.live(dia) else {
        return Err(fail!(Code::BugFound, "dia is not a live row of this ldy (removed before?)"));
    };
    // SAFETY: the row is live, so its blocks, their partners' rows and its neighbours in the list are.
    unsafe {
        while !(*row).face.adj.is_null() {
            let pair = Pair::of((*row).face.adj);
            Pair::unlink(pair);
            module.pairs.give(pair.cast());
        }
        #[cfg(feature = "mpi")]
        module.externals.drop_row(row);
        let (previous, next) = ((*row).face.p, (*row).face.n);
        match previous.is_null() {
            true => module.face.dia = next,
            false => (*previous).n = next,
        }
        if let Some(next) = next.as_mut() {
            next.p = previous;
        }
        (*row).sides.into_iter().flatten().for_each(|side| module.bodies.detach(side));
        module.rows.pool.give(row.cast());
    }
    Ok(())
}
