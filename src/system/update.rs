//! The way of one update of a system.
#![forbid(unsafe_code)]

use std::mem;

use crate::assembly::bodies::{How, prepare};
use crate::assembly::rows::{self, Wanted};
use crate::assembly::update::BodyOperators;
use crate::assembly::{pairs, whole_rows};
use crate::team::{Numbered, Partition, Ragged, Team};

use super::dirty;
use super::error::{Error, Fault, Result};
use super::model::System;
use super::rows::{Results, resized};
use super::scene::{Blocks, Order, PairBlocks, PartsOfPairs, Scene, part_of_rows};
use super::update_plan::{Extent, Plan};

/// From so many blocks on, of one thread and of several, both blocks of a pair are computed where they lie. Fewer stay in the
/// processor's caches, where it costs less to write to other rows. Both ways have the same bits.
const WHOLE_ROWS_FROM: [usize; 2] = [60_000, 30_000];

impl System {
    /// Assemble W, V, B and the diagonal for a step h, positive.
    ///
    /// If the step is refused, nothing has changed. After any other error there are no results, and everything may be
    /// changed and updated again.
    ///
    /// # Errors
    /// Of the first body whose matrix cannot be factored, else of the first whose solver fails, else of the first constraint
    /// whose values are not finite; if the step is not positive and finite, W has more blocks than an `i32` can count, or
    /// memory is exhausted.
    pub fn update(&mut self, step: f64) -> Result {
        let why = "the step h is not positive and finite";
        ensure!(step.is_finite() && step > 0.0, Error::of_system(Fault::Invalid(why)));
        // Whatever fails half-way has not been made.
        let mut is_made = mem::take(&mut self.is_made) && self.step == step;
        self.values_change();
        if !self.is_structured {
            self.room.forget();
            self.parts.forget();
            if let Some(mixed) = &mut self.mixed
                && mixed.tidy(&mut self.constraints, dirty::CHANGED)?
            {
                self.structure.forget();
            }
            let is_kept = is_made && !self.structure.is_forgotten() && !dirty::are_many(&self.bodies);
            is_made = is_kept;
            self.structure.take_out(&self.constraints, is_kept.then_some(&mut self.results))?;
            self.close_up_bodies()?;
            let results = is_kept.then_some(&mut self.results);
            self.structure.put_in(&self.bodies, &self.constraints, results)?;
            if let Some(mixed) = &mut self.mixed {
                mixed.follow(&self.structure)?;
            }
            self.is_structured = true;
        }
        let Self { bodies, models, constraints, mixed, structure, results, parts, made, plan, .. } = self;
        let extent = match is_made {
            true => plan.make(bodies, constraints, structure, &made.writers)?,
            false => Extent::All,
        };
        let (rows, plan) = match extent {
            Extent::Nothing | Extent::All => (structure.len(), None),
            Extent::Some(rows) => (rows, Some(&*plan)),
        };
        if extent != Extent::Nothing {
            let scene = Scene { bodies, models, constraints, mixed: mixed.as_ref(), structure, plan };
            assemble(scene, rows, results, parts, made, step)?;
        }
        if let Some(mixed) = mixed {
            mixed.fill(constraints, structure, results, (extent, plan))?;
        }
        dirty::settle(bodies, constraints);
        self.is_made = true;
        self.step = step;
        self.has_operators = true;
        self.is_fresh = true;
        Ok(())
    }
}

/// Assemble everything, or what the scene's plan says, which makes so many rows; tables have no gaps, and the structure is theirs.
///
/// # Errors
/// Of the first body whose matrix cannot be factored, else of the first whose solver fails, else of the first constraint
/// whose values are not finite.
fn assemble(
    scene: Scene,
    rows: usize,
    results: &mut Results,
    parts: &mut PartsOfPairs,
    made: &mut BodyOperators,
    step: f64,
) -> Result {
    let Scene { bodies, structure, plan, .. } = scene;
    let (count, block_count) = (structure.len(), structure.columns().len());
    made.resize(bodies.len())?;
    let has_blocks = plan.is_none_or(Plan::has_blocks);
    let mut team = Team::if_it_pays(made.pays_for_threads(rows, has_blocks));
    if has_blocks {
        let how = How { step, complete: false };
        prepare(&scene, made, how, &mut team, &mut |_| {})?;
    }

    let Results { values, b, v, diagonal, inverse } = results;
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
    let parts = parts.of(structure, order, plan.is_some(), team.size())?;
    let context = &PairBlocks { blocks, order, values: values[..].shared() };
    pairs::assemble(Numbered { first: 0, things: parts, context }, 1, &made.panels, &mut team)
}
