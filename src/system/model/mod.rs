//! The system: bodies, constraints, and what an update makes of them.
#![forbid(unsafe_code)]

mod bodies;
mod constraint_data;
mod constraints;
mod results;

use std::sync::Mutex;

use crate::assembly::update::BodyOperators;

use super::body::Body;
use super::constraint::Constraint;
use super::constraint_data::Kept;
use super::error::{Error, Fault, Result};
use super::id_table::{Id, Table};
use super::jacobian::room::Room;
use super::matrix_free::Scratch;
use super::mixed::Mixed;
use super::rows::Results;
use super::scene::PartsOfPairs;
use super::shared_solver::Models;
use super::structure::Structure;
use super::update_plan::Plan;

/// Bodies and constraints, and the rows of W = h H A⁻¹ Hᵀ (+ compliance) with V and B.
///
/// Rows have the order in which constraints were inserted; where one is removed the later ones move up. Ids of bodies and
/// constraints are never used again. Results are there from a successful [`System::update`] to the next change.
#[derive(Debug, Default)]
pub struct System {
    pub(super) bodies: Table<Body>,
    /// What some of them are parts of.
    pub(super) models: Models,
    /// Those that are rows of three; all that there are, unless `mixed` knows others.
    pub(super) constraints: Table<Constraint>,
    /// What is kept with each constraint, under its id.
    pub(super) kept: Table<Kept>,
    pub(super) mixed: Option<Mixed>,
    pub(super) structure: Structure,
    pub(super) results: Results,
    /// How threads share the pairs of blocks.
    pub(super) parts: PartsOfPairs,
    /// The operators of bodies, as they stood at the last update.
    pub(super) made: BodyOperators,
    /// How many constraints have a compliance.
    pub(super) compliances: usize,
    /// Room for products through the bodies.
    scratch: Mutex<Scratch>,
    /// Vectors with three values for each row of three: what is multiplied, and its product.
    pub(super) spread: Mutex<[Vec<f64>; 2]>,
    /// Room for what setters of many operators look at.
    pub(super) room: Room,
    /// What the next update makes again.
    pub(super) plan: Plan,
    /// The step of the last update.
    pub(super) step: f64,
    /// Whether frames and rotations need not be orthonormal.
    takes_any_axes: bool,
    /// Whether the structure is that of the constraints.
    pub(super) is_structured: bool,
    /// Whether everything that is not marked in the tables has been made, for this step: an update that fails leaves nothing that
    /// counts as made.
    pub(super) is_made: bool,
    /// Whether the results are those of bodies and constraints.
    pub(super) is_fresh: bool,
    /// Whether the operators are: velocities may have changed.
    pub(super) has_operators: bool,
}

impl System {
    /// A system without bodies.
    pub fn new() -> Self {
        Self::default()
    }

    /// The id that the next body will have.
    pub fn next_body(&self) -> Id {
        self.bodies.next()
    }

    /// The id that the next constraint will have.
    pub fn next_constraint(&self) -> Id {
        self.mixed.as_ref().map_or(self.constraints.next(), Mixed::next)
    }

    /// Number of rows of the last update.
    pub fn row_count(&self) -> usize {
        if self.is_structured { self.kept.len() } else { 0 }
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
        self.room.forget();
    }
}
