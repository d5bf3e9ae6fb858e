//! The blocks of all pairs.

use std::slice;

use crate::assembly::pairs::{self, Pair};
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::options;
use crate::legacy::rows::{self, Module};
use crate::threads::Team;

use super::disjoint::{Disjoint, Read, part};

/// Pairs a thread takes at a time.
const PAIRS: usize = 2048;

/// The blocks of all pairs, in the order in which they lie in memory; for [`UpdateKind::Penalty`] only those in rows
/// that are no contacts. The panels of all bodies are complete.
pub fn assemble(module: &mut Module, kind: UpdateKind, team: &Team) {
    let once = options::self_contact_once();
    let panels = Read(&module.bodies.panels);
    for (first, count) in module.pairs.runs() {
        // SAFETY: chunks taken are pairs, live or dead, and nobody else uses them.
        let pairs = Disjoint::new(unsafe { slice::from_raw_parts_mut(first.cast::<rows::Pair>(), count) });
        team.share(count.div_ceil(PAIRS), &|_, number| {
            // SAFETY: each part is done once.
            let pairs = unsafe { pairs.range(part(number, PAIRS, count)) };
            let live = pairs.iter_mut().filter(|pair| pair.is_live()).map(|pair| {
                let coupling = if once && pair.is_repeated() { None } else { pair.coupling() };
                let [block, transpose] = pair.blocks();
                let wanted = |(block, is_contact): (_, bool)| {
                    if kind == UpdateKind::All || !is_contact { Some(block) } else { None }
                };
                Pair { coupling, block: wanted(block), transpose: wanted(transpose) }
            });
            pairs::assemble(|body| &panels.get()[body], live);
        });
    }
}
