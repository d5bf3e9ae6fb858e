//! One update of a system.
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
use super::scene::{
    BlockSources, IrregularBlocks, IrregularResults, PairBlocks, PairOrder, PartsOfPairs, RegularResults,
    Scene, part_of_rows,
};
use super::update_plan::{Extent, Plan};

/// The numbers of blocks, for one thread and for several, from which on both blocks of a pair are computed at their own places.
/// Smaller systems stay in the processor's caches, where it costs less to write to other rows. Both ways have the same bits.
const WHOLE_ROWS_FROM: [usize; 2] = [60_000, 30_000];

impl System {
    /// Assemble W, V, B and the diagonal for a step h, positive.
    ///
    /// If the step is refused, nothing has changed. After any other error there are no results, and everything may be
    /// changed and updated again.
    ///
    /// # Errors
    /// The error of the first body whose matrix cannot be factored, else of the first whose inverse callback fails, else of the
    /// first constraint whose values are not finite. Also if the step is not positive and finite, W has more blocks than an `i32`
    /// can count, or memory is exhausted.
    pub fn update(&mut self, step: f64) -> Result {
        let why = "the step h is not positive and finite";
        ensure!(step.is_finite() && step > 0.0, Error::of_system(Fault::Invalid(why)));
        self.update_joints()?;
        // If the update fails half-way, nothing counts as up to date.
        let mut is_made = mem::take(&mut self.is_made) && self.step == step;
        self.values_change();
        if !self.is_structured {
            self.scatter.forget();
            self.parts.forget();
            self.irregular_parts.forget();
            self.forget_disordered();
            let is_kept = is_made && !self.structure.is_forgotten() && !dirty::are_many(&self.bodies);
            is_made = is_kept;
            self.structure.remove_rows(&self.constraints, is_kept.then_some(&mut self.results))?;
            self.close_up_bodies()?;
            let results = is_kept.then_some(&mut self.results);
            self.structure.insert_rows(&self.bodies, &self.constraints, results)?;
            self.is_structured = true;
        }
        let Self {
            bodies,
            models,
            constraints,
            compliances,
            structure,
            results,
            parts,
            irregular_parts,
            made,
            plan,
            ..
        } = self;
        let extent = match is_made {
            true => plan.make(bodies, constraints, structure, &made.writers)?,
            false => Extent::All,
        };
        let (rows, plan) = match extent {
            Extent::Nothing | Extent::All => (structure.len(), None),
            Extent::Some(rows) => (rows, Some(&*plan)),
        };
        if extent != Extent::Nothing {
            let has_compliance = *compliances > 0;
            let scene = Scene { bodies, models, constraints, structure, plan, has_compliance };
            assemble(scene, rows, results, (parts, irregular_parts), made, step)?;
        }
        dirty::settle(bodies, constraints);
        self.is_made = true;
        self.step = step;
        self.has_operators = true;
        self.is_fresh = true;
        Ok(())
    }
}

/// Assemble everything, or the parts in the scene's plan; `rows` is the number of rows with something to compute. Tables have no
/// gaps, and the structure belongs to them.
///
/// # Errors
/// The error of the first body whose matrix cannot be factored, else of the first whose inverse callback fails, else of the first
/// constraint whose values are not finite.
fn assemble(
    scene: Scene,
    rows: usize,
    results: &mut Results,
    (parts, irregular_parts): (&mut PartsOfPairs, &mut PartsOfPairs<usize>),
    made: &mut BodyOperators,
    step: f64,
) -> Result {
    let Scene { bodies, structure, plan, .. } = scene;
    made.resize(bodies.len())?;
    let has_blocks = plan.is_none_or(Plan::has_blocks);
    let mut team = Team::if_it_pays(made.pays_for_threads(rows, has_blocks));
    if has_blocks {
        let how = How { step, complete: false };
        prepare(&scene, made, how, &mut team, &mut |_| {})?;
    }

    let count = structure.square_count();
    for (numbers, length) in [(&mut results.diagonal, count), (&mut results.inverse, count)] {
        resized(numbers, length, 0.0)?;
    }
    resized(&mut results.values, structure.value_count(), 0.0)?;
    for vector in [&mut results.b, &mut results.v] {
        resized(vector, structure.scalar_count(), 0.0)?;
    }
    let wanted = match has_blocks {
        true => Wanted::Diagonal { with_rho: false, reuse: false },
        false => Wanted::VelocitiesAgain,
    };
    if structure.has_irregular() {
        assemble_irregular(&scene, results, irregular_parts, made, wanted, &mut team)
    } else {
        assemble_regular(&scene, results, parts, made, wanted, &mut team)
    }
}

/// Assemble rows and blocks where all rows are regular; the operators of bodies are ready.
///
/// # Errors
/// The error of the first constraint whose values are not finite.
fn assemble_regular(
    scene: &Scene,
    Results { values, b, v, diagonal, inverse }: &mut Results,
    parts: &mut PartsOfPairs,
    made: &BodyOperators,
    wanted: Wanted,
    team: &mut Team,
) -> Result {
    let Scene { structure, plan, .. } = *scene;
    let [values, diagonal, inverse] = [values, diagonal, inverse].map(|blocks| blocks.as_chunks_mut().0);
    let [b, v] = [b, v].map(|vectors| vectors.as_chunks_mut().0);
    let things: RegularResults = ((b, v), (&mut *diagonal, inverse));
    rows::assemble(Numbered { first: 0, things, context: scene }, made, wanted, team, &mut |_| {})?;
    if wanted == Wanted::VelocitiesAgain {
        return Ok(());
    }
    let blocks = BlockSources { scene, diagonal };
    let enough = WHOLE_ROWS_FROM[usize::from(team.size() > 1)];
    if plan.is_none() && made.are_factored() && values.len() >= enough {
        let things = Ragged { values, starts: structure.starts() };
        let part = part_of_rows(structure.len(), team.size());
        let rows = Numbered { first: 0, things, context: blocks };
        return whole_rows::assemble(rows, part, &made.panels, team);
    }
    let order = if plan.is_none() && made.are_nodal() { PairOrder::ByColumns } else { PairOrder::ByRows };
    let parts = parts.of(structure, order, plan.is_some(), team.size())?;
    let context = &PairBlocks { blocks, order, values: values[..].shared() };
    pairs::assemble(Numbered { first: 0, things: parts, context }, 1, &made.panels, team)
}

/// Assemble rows and blocks where some rows are irregular; the operators of bodies are ready.
///
/// # Errors
/// The error of the first constraint whose values are not finite.
fn assemble_irregular(
    scene: &Scene,
    Results { values, b, v, diagonal, inverse }: &mut Results,
    parts: &mut PartsOfPairs<usize>,
    made: &BodyOperators,
    wanted: Wanted,
    team: &mut Team,
) -> Result {
    let Scene { structure, plan, .. } = *scene;
    let [b, v] = [b, v].map(|values| Ragged { values, starts: structure.scalar_starts() });
    let starts = structure.square_starts();
    let things: IrregularResults =
        ((b, v), (Ragged { values: &mut *diagonal, starts }, Ragged { values: inverse, starts }));
    rows::assemble(Numbered { first: 0, things, context: scene }, made, wanted, team, &mut |_| {})?;
    if wanted == Wanted::VelocitiesAgain {
        return Ok(());
    }
    let parts = parts.of(structure, PairOrder::ByRows, plan.is_some(), team.size())?;
    let context = &IrregularBlocks { scene, diagonal, values: values[..].shared() };
    pairs::assemble(Numbered { first: 0, things: parts, context }, 1, &made.panels, team)
}
