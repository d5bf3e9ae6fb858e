//! The way of one update of a system.
#![forbid(unsafe_code)]

use crate::assembly::update::BodyOperators;
use crate::assembly::update::bodies::{How, prepare};
use crate::assembly::update::rows::{self, Wanted};
use crate::assembly::update::{pairs, whole_rows};
use crate::block::transposed;
use crate::prefetch::fetch;
use crate::threads::{Numbered, Ragged, Team};

use super::error::Error;
use super::rows::{Results, resized};
use super::scene::{Blocks, Order, Planned, Scene, part_of_pairs, part_of_rows};

/// From so many blocks on, of one thread and of several, both blocks of a pair are computed where they lie. Fewer stay in the
/// processor's caches, where a copy costs less. Both ways have the same bits.
const WHOLE_ROWS_FROM: [usize; 2] = [200_000, 30_000];

/// Assemble everything, or what the scene's plan says, which makes so many rows; tables have no gaps, and the structure is theirs.
///
/// # Errors
/// Of the first body whose matrix cannot be factored, else of the first whose solver fails, else of the first constraint
/// whose values are not finite.
pub(super) fn assemble(
    scene: Scene,
    rows: usize,
    results: &mut Results,
    made: &mut BodyOperators,
    step: f64,
) -> Result<(), Error> {
    let Scene { bodies, structure, plan, .. } = scene;
    let (count, block_count) = (structure.len(), structure.columns().len());
    made.resize(bodies.len())?;
    let mut team = Team::if_it_pays(made.pays_for_threads(rows));
    let how = How { step, complete: false };
    prepare(&scene, made, how, &mut team, &mut |_| {})?;

    let Results { values, b, v, diagonal, inverse, cursors } = results;
    resized(cursors, count, 0)?;
    for (blocks_of, length) in [(&mut *values, block_count), (&mut *diagonal, count), (&mut *inverse, count)]
    {
        resized(blocks_of, length, [0.0; 9])?;
    }
    resized(b, count, [0.0; 3])?;
    resized(v, count, [0.0; 3])?;
    let things = ((&mut b[..], &mut v[..]), (&mut diagonal[..], &mut inverse[..]));
    // Of all rows rho comes along, four at a time; of some it is not made: no result here depends on it.
    let wanted = Wanted::Diagonal { with_rho: plan.is_none(), reuse: false };
    rows::assemble(Numbered { first: 0, things, context: &scene }, made, wanted, &mut team, &mut |_| {})?;

    if plan.is_some_and(|plan| !plan.has_blocks()) {
        return Ok(());
    }
    let order = if made.are_nodal() { Order::ByColumns } else { Order::ByRows };
    let blocks = Blocks { scene, diagonal, order };
    let things = Ragged { values, starts: structure.starts() };
    if let Some(plan) = plan {
        let part = part_of_pairs(count, team.size());
        let context = &Planned { blocks, plan };
        pairs::assemble(Numbered { first: 0, things, context }, part, &made.panels, &mut team)?;
        for row in (0..count).filter(|&row| plan.blocks_of(row)[1]) {
            structure.each_apart_of(part, row, |k, to| values[to] = transposed(&values[k]));
        }
        return Ok(());
    }
    let context = &blocks;
    if made.are_factored() && block_count >= WHOLE_ROWS_FROM[usize::from(team.size() > 1)] {
        let part = part_of_rows(count, team.size());
        return whole_rows::assemble(Numbered { first: 0, things, context }, part, &made.panels, &mut team);
    }
    let part = part_of_pairs(count, team.size());
    let things = (things, &mut cursors[..]);
    pairs::assemble(Numbered { first: 0, things, context }, part, &made.panels, &mut team)?;
    let first = values.as_ptr();
    let ahead = |counterpart| fetch(first.wrapping_add(counterpart));
    structure.each_apart(part, cursors, ahead, |k, to| values[to] = transposed(&values[k]));
    Ok(())
}
