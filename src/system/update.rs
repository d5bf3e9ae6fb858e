//! The way of one update of a system.
#![forbid(unsafe_code)]

use crate::assembly::update::BodyOperators;
use crate::assembly::update::bodies::{How, prepare};
use crate::assembly::update::rows::{self, Wanted};
use crate::assembly::update::{pairs, whole_rows};
use crate::threads::{Deal, Numbered, Ragged, Team};

use super::changes::Plan;
use super::error::Error;
use super::rows::{Results, resized};
use super::scene::{Blocks, Order, PairBlocks, PartOfPairs, Scene, part_of_rows};

/// From so many blocks on, of one thread and of several, both blocks of a pair are computed where they lie. Fewer stay in the
/// processor's caches, where it costs less to write to other rows. Both ways have the same bits.
const WHOLE_ROWS_FROM: [usize; 2] = [60_000, 30_000];

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
    let has_blocks = plan.is_none_or(Plan::has_blocks);
    let mut team = Team::if_it_pays(made.pays_for_threads(rows, has_blocks));
    if has_blocks {
        let how = How { step, complete: false };
        prepare(&scene, made, how, &mut team, &mut |_| {})?;
    }

    let Results { values, b, v, diagonal, inverse, parts } = results;
    for (blocks_of, length) in [(&mut *values, block_count), (&mut *diagonal, count), (&mut *inverse, count)]
    {
        resized(blocks_of, length, [0.0; 9])?;
    }
    resized(b, count, [0.0; 3])?;
    resized(v, count, [0.0; 3])?;
    let things = ((&mut b[..], &mut v[..]), (&mut diagonal[..], &mut inverse[..]));
    let wanted = match has_blocks {
        true => Wanted::Diagonal { with_rho: false, reuse: false },
        false => Wanted::VelocitiesAgain,
    };
    rows::assemble(Numbered { first: 0, things, context: &scene }, made, wanted, &mut team, &mut |_| {})?;
    if !has_blocks {
        return Ok(());
    }
    let blocks = Blocks { scene: &scene, diagonal };
    if plan.is_none() && made.are_factored() && block_count >= WHOLE_ROWS_FROM[usize::from(team.size() > 1)] {
        let things = Ragged { values, starts: structure.starts() };
        let part = part_of_rows(count, team.size());
        return whole_rows::assemble(
            Numbered { first: 0, things, context: blocks },
            part,
            &made.panels,
            &mut team,
        );
    }
    let order = if plan.is_none() && made.are_nodal() { Order::ByColumns } else { Order::ByRows };
    PartOfPairs::make(parts, structure, order, plan.is_some(), team.size())?;
    let context = &PairBlocks { blocks, order, values: values[..].shared() };
    pairs::assemble(Numbered { first: 0, things: &mut parts[..], context }, 1, &made.panels, &mut team)
}
