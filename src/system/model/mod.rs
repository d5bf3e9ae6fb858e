//! The system: bodies, constraints, and the results of updates.
#![forbid(unsafe_code)]

pub(super) mod bodies;
pub(super) mod constraint_data;
pub(super) mod constraints;
mod results;

use std::sync::Mutex;

use crate::assembly::update::BodyOperators;

use super::axes::SystemOptions;
use super::body::Body;
use super::constraint::Constraint;
use super::error::{Error, Fault, Result};
use super::id_table::{Id, Table};
use super::inverse_callback::Models;
use super::jacobian::ScatterPlan;
use super::joints::ListedJoint;
use super::matrix_free::ProductWorkspace;
use super::rows::Results;
use super::scene::PartsOfPairs;
use super::structure::Structure;
use super::sync::SyncWorkspace;
use super::update_plan::Plan;
use constraint_data::ConstraintData;

/// Bodies and constraints, and the rows of W = h H A⁻¹ Hᵀ (+ compliance) with V and B.
///
/// Rows have the order in which constraints were inserted; if one is removed, the later ones move up. Ids of bodies and constraints
/// are never used again. Results are available from a successful [`System::update`] to the next change.
///
/// ```
/// use ldy::system::System;
///
/// let axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let mut system = System::new();
/// let lower = system.add_rigid(2.0, &axes, &axes, &[0.0; 3])?;
/// let upper = system.add_rigid(1.0, &axes, &axes, &[0.0; 3])?;
/// system.add_point_constraint([Some(upper), Some(lower)], &axes, [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])?;
/// system.update(0.5)?;
/// // The inverse masses along the normal, times h.
/// assert!((system.results()?.w.block(0)[8] - 0.5 * (1.0 + 1.0 / 2.0)).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct System {
    pub(super) bodies: Table<Body>,
    /// The shared inverse callbacks of some bodies.
    pub(super) models: Models,
    pub(super) constraints: Table<Constraint>,
    /// The data of each constraint, under its id.
    pub(super) data: Table<ConstraintData>,
    /// The joints by axes, with ascending ids.
    pub(super) joints: Vec<ListedJoint>,
    /// The number of irregular constraints.
    pub(super) irregular: usize,
    pub(super) structure: Structure,
    pub(super) results: Results,
    /// How threads share the pairs of blocks.
    pub(super) parts: PartsOfPairs,
    /// The same if there are irregular rows.
    pub(super) irregular_parts: PartsOfPairs<usize>,
    /// The operators of bodies at the last update.
    pub(super) made: BodyOperators,
    /// The number of constraints with a compliance.
    pub(super) compliances: usize,
    /// The workspace of products through the bodies.
    pub(super) workspace: Mutex<ProductWorkspace>,
    /// The destinations of the rows of the last Jacobian.
    pub(super) scatter: ScatterPlan,
    /// The workspace of [`System::sync_constraints`].
    pub(super) sync: SyncWorkspace,
    /// The parts that the next update computes again.
    pub(super) plan: Plan,
    /// The step of the last update.
    pub(super) step: f64,
    /// The options that the user has set.
    pub(super) options: SystemOptions,
    /// Whether the structure fits the constraints.
    pub(super) is_structured: bool,
    /// Whether all results but the marked ones are up to date, for this step. After an update that fails, none are.
    pub(super) is_made: bool,
    /// Whether the results are up to date with bodies and constraints.
    pub(super) is_fresh: bool,
    /// Whether the operators are up to date; velocities may have changed.
    pub(super) has_operators: bool,
}

impl System {
    /// An empty system.
    pub fn new() -> Self {
        Self::default()
    }

    /// Remove all bodies and constraints. Options stay, and ids are not used again.
    pub fn clear(&mut self) {
        let Self { bodies, constraints, data, options, .. } = self;
        *self = Self {
            bodies: bodies.emptied(),
            constraints: constraints.emptied(),
            data: data.emptied(),
            options: *options,
            ..Self::default()
        };
    }

    /// The id that the next body will have.
    pub fn next_body(&self) -> Id {
        self.bodies.next()
    }

    /// The id that the next constraint will have.
    pub fn next_constraint(&self) -> Id {
        self.constraints.next()
    }

    /// The number of bodies, without the ground.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// The number of constraints.
    pub fn constraint_count(&self) -> usize {
        self.constraints.len()
    }

    /// The number of rows of the last update.
    pub fn row_count(&self) -> usize {
        if self.is_structured { self.constraints.len() } else { 0 }
    }

    pub(super) fn needs(&self, has: bool) -> Result {
        if has { Ok(()) } else { Err(Error::of_system(Fault::Stale)) }
    }

    pub(super) fn values_change(&mut self) {
        self.is_fresh = false;
        self.has_operators = false;
    }

    pub(super) fn structure_changes(&mut self) {
        self.values_change();
        self.is_structured = false;
        self.scatter.forget();
    }
}
