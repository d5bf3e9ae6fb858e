//! The blocks of all pairs.

use crate::assembly::pairs::{self, Pair};
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::options;
use crate::legacy::rows::{self, Module, WORD};
use crate::threads::Team;

use super::disjoint::{Read, part};

/// Words of pairs a thread takes at a time.
const WORDS: usize = 2048 / WORD;

/// The blocks of all pairs, in the order in which they lie in memory; for [`UpdateKind::Penalty`] only those in rows
/// that are no contacts. The panels of all bodies are complete.
pub fn assemble(module: &mut Module, kind: UpdateKind, team: &Team) {
    let once = options::self_contact_once();
    let panels = Read(&module.bodies.panels);
    for run in module.pairs.runs() {
        team.share(run.words().div_ceil(WORDS), &|_, number| {
            let live = run.part(part(number, WORDS, run.words())).map(
                #[inline(always)]
                |chunk| {
                    // SAFETY: a chunk in use is a pair, and each part is done once, by one thread.
                    let pair = unsafe { &mut *chunk.cast::<rows::Pair>() };
                    let coupling = if once && pair.is_repeated() { None } else { pair.coupling() };
                    let [block, transpose] = pair.blocks();
                    let wanted = |(block, is_contact): (_, bool)| {
                        if kind == UpdateKind::All || !is_contact { Some(block) } else { None }
                    };
                    Pair { coupling, block: wanted(block), transpose: wanted(transpose) }
                },
            );
            pairs::assemble(|body| &panels.get()[body], live);
        });
    }
}
