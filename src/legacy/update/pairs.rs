//! The blocks of all pairs.

use crate::assembly::pairs::{self, Coupling, Pair};
use crate::assembly::panel::Panel;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::options;
use crate::legacy::rows::{self, Module, WORD};
use crate::threads::Team;

use super::disjoint::{Read, part};

/// Words of pairs a thread takes at a time.
const WORDS: usize = 2048 / WORD;

/// The blocks of all pairs, in the order in which they lie in memory; for [`UpdateKind::Penalty`] only those in rows
/// that are no contacts. With `reuse` blocks of operators that have not changed are left as they are. The panels of all
/// bodies are complete.
pub fn assemble(module: &mut Module, kind: UpdateKind, reuse: bool, team: &Team) {
    let once = options::self_contact_once();
    let panels = Read(&module.bodies.panels);
    for run in module.pairs.runs() {
        team.share(run.words().div_ceil(WORDS), &|_, number| {
            let words = part(number, WORDS, run.words());
            // SAFETY: a chunk in use is a pair, and each part is done once, by one thread.
            let live = run.part(words).map(|chunk| unsafe { &mut *chunk.cast::<rows::Pair>() });
            let stale = live.filter(|pair| !reuse || !is_unchanged(panels.get(), pair));
            pairs::assemble(|body| &panels.get()[body], stale.map(|pair| wanted(pair, kind, once)));
        });
    }
}

/// What is wanted of a pair: its second blocks not twice, for [`UpdateKind::Penalty`] none of contacts.
#[inline(always)]
fn wanted(pair: &mut rows::Pair, kind: UpdateKind, once: bool) -> Pair<'_> {
    let coupling = if once && pair.is_repeated() { None } else { pair.coupling() };
    let [block, transpose] = pair.blocks();
    let wanted = |(block, is_contact): (_, bool)| {
        if kind == UpdateKind::All || !is_contact { Some(block) } else { None }
    };
    Pair { coupling, block: wanted(block), transpose: wanted(transpose) }
}

/// Whether a pair has the blocks that its operators make. Of repeated pairs nobody knows what was wanted before.
fn is_unchanged(panels: &[Panel], pair: &rows::Pair) -> bool {
    match pair.coupling() {
        Some(Coupling { body, row, column }) if !pair.is_repeated() => {
            !panels[body].has_changed(row) && !panels[body].has_changed(column)
        }
        _ => false,
    }
}
