//! The way of one update of a system.
#![forbid(unsafe_code)]

use crate::assembly::update::BodyOperators;
use crate::assembly::update::bodies::{How, prepare};
use crate::assembly::update::rows::{self, Wanted};
use crate::assembly::update::{pairs, whole_rows};
use crate::block::transposed;
use crate::boundary::large_pages;
use crate::prefetch::fetch;
use crate::threads::{Numbered, Ragged, Team};

use super::body::Body;
use super::constraint::Constraint;
use super::error::Error;
use super::rows::Results;
use super::scene::{Blocks, Order, Scene, part_of_pairs, part_of_rows};
use super::structure::Structure;
use super::table::Table;

/// Assemble everything; tables have no gaps, and the structure is theirs.
///
/// # Errors
/// Of the first body whose matrix cannot be factored, else of the first whose solver fails, else of the first constraint
/// whose values are not finite.
pub(super) fn assemble(
    bodies: &Table<Body>,
    constraints: &Table<Constraint>,
    structure: &Structure,
    results: &mut Results,
    made: &mut BodyOperators,
    step: f64,
) -> Result<(), Error> {
    let (count, blocks) = (structure.len(), structure.columns().len());
    made.resize(bodies.len())?;
    let mut team = Team::if_it_pays(made.pays_for_threads(count));
    let scene = Scene::new(bodies, constraints, structure);
    let how = How { step, complete: false };
    prepare(&scene, made, how, &mut team, &mut |_| {})?;

    let Results { values, b, v, diagonal, inverse, cursors } = results;
    resized(cursors, count, 0)?;
    for (blocks_of, length) in [(&mut *values, blocks), (&mut *diagonal, count), (&mut *inverse, count)] {
        resized(blocks_of, length, [0.0; 9])?;
    }
    resized(b, count, [0.0; 3])?;
    resized(v, count, [0.0; 3])?;
    let things = ((&mut b[..], &mut v[..]), (&mut diagonal[..], &mut inverse[..]));
    let wanted = Wanted::Diagonal { with_rho: true, reuse: false };
    rows::assemble(Numbered { first: 0, things, context: &scene }, made, wanted, &mut team, &mut |_| {})?;

    let blocks = Ragged { values, starts: structure.starts() };
    let order = if made.are_nodal() { Order::ByColumns } else { Order::ByRows };
    let context = &Blocks { scene, diagonal, order };
    if made.are_factored() {
        let part = part_of_rows(count, team.size());
        let rows = Numbered { first: 0, things: blocks, context };
        return whole_rows::assemble(rows, part, &made.panels, &mut team);
    }
    let part = part_of_pairs(count, team.size());
    let pairs = Numbered { first: 0, things: (blocks, &mut cursors[..]), context };
    let mut result = pairs::assemble(pairs, part, &made.panels, &mut team);
    if result.is_err() {
        // The first error in order is that by rows.
        let context = &Blocks { scene, diagonal, order: Order::ByRows };
        let blocks = Ragged { values, starts: structure.starts() };
        let pairs = Numbered { first: 0, things: (blocks, &mut cursors[..]), context };
        result = pairs::assemble(pairs, part, &made.panels, &mut team);
    }
    result?;
    let first = values.as_ptr();
    let ahead = |counterpart| fetch(first.wrapping_add(counterpart));
    structure.each_apart(part, cursors, ahead, |k, to| values[to] = transposed(&values[k]));
    Ok(())
}

/// Make a vector so long, without touching what is there already.
fn resized<T: Copy>(values: &mut Vec<T>, length: usize, value: T) -> Result<(), Error> {
    let before = values.capacity();
    values.try_reserve(length.saturating_sub(values.len()))?;
    if values.capacity() != before {
        large_pages::ask_for(values.as_ptr(), values.capacity());
    }
    values.resize(length, value);
    Ok(())
}
