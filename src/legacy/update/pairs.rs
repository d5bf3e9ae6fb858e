//! The blocks of all pairs.

use std::slice;

use crate::assembly::pairs::{self, Pair};
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::options;
use crate::legacy::rows::{self, Module};

/// The blocks of all pairs, in the order in which they lie in memory; for [`UpdateKind::Penalty`] only those in rows
/// that are no contacts. The panels of all bodies are complete.
pub fn assemble(module: &mut Module, kind: UpdateKind) {
    let once = options::self_contact_once();
    for (first, count) in module.pairs.runs() {
        // SAFETY: chunks taken are pairs, live or dead, and nobody else uses them.
        let pairs = unsafe { slice::from_raw_parts_mut(first.cast::<rows::Pair>(), count) };
        let live = pairs.iter_mut().filter(|pair| pair.is_live()).map(|pair| {
            let coupling = if once && pair.is_repeated() { None } else { pair.coupling() };
            let [block, transpose] = pair.blocks();
            let wanted = |(block, is_contact): (_, bool)| {
                if kind == UpdateKind::All || !is_contact { Some(block) } else { None }
            };
            Pair { coupling, block: wanted(block), transpose: wanted(transpose) }
        });
        pairs::assemble(|body| &module.bodies.panels[body], live);
    }
}
