//! The one update, over any scene ([`super::scene`]): [`super::bodies`] readies the operators of each body, [`super::rows`] makes what belongs to a
//! row alone, [`super::pairs`] or [`super::whole_rows`] the blocks between rows. Threads share all three.
//!
//! Results do not depend on threads, nor on what was kept from the update before. An error is that of the first body or row in
//! order.

use crate::body_operators::Panel;
use crate::body_operators::factored::Writer;
use crate::inertia::Workspace;
use crate::memory::{self, bytes};

/// The operators of all bodies, by index, with the memory that threads need for them. What is expensive is kept from one
/// update to the next.
#[derive(Debug, Default)]
pub struct BodyOperators {
    /// The panel of each body.
    pub panels: Vec<Panel>,
    /// How operators get into each: apart, so that the assembly of pairs finds panels close together.
    pub writers: Vec<Writer>,
    /// For factorisations and solves, one for each thread.
    pub(super) works: Vec<Workspace>,
    /// Bodies whose panels wait for A⁻¹.
    pub(super) heavy: Vec<u32>,
    /// Columns of a model, for its solver.
    pub(super) stacked: Vec<f64>,
}

impl BodyOperators {
    /// Make room for one more body.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn reserve(&mut self, count: usize) -> memory::Result {
        self.panels.try_reserve(count)?;
        self.writers.try_reserve(count)
    }

    /// Add bodies without operators, or take some away, until there are so many.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn resize(&mut self, count: usize) -> memory::Result {
        self.reserve(count.saturating_sub(self.panels.len()))?;
        self.panels.resize_with(count, Panel::default);
        self.writers.resize_with(count, Writer::default);
        Ok(())
    }

    /// Forget a body: its index is free, or another one's.
    pub fn forget(&mut self, body: usize) {
        self.panels[body] = Panel::default();
        self.writers[body] = Writer::NONE;
    }

    /// Keep only some of the bodies, which move up.
    pub fn retain(&mut self, is_kept: impl Fn(usize) -> bool) {
        let mut body = 0..;
        self.panels.retain(|_| body.next().is_some_and(&is_kept));
        let mut body = 0..;
        self.writers.retain(|_| body.next().is_some_and(&is_kept));
    }

    /// Bytes held, but for what panels hold.
    pub fn bytes(&self) -> usize {
        bytes(&self.panels)
            + bytes(&self.writers)
            + bytes(&self.heavy)
            + bytes(&self.stacked)
            + self.works.iter().map(Workspace::bytes).sum::<usize>()
    }

    /// Whether all bodies with slots have a Cholesky factor of h A⁻¹, as [`super::whole_rows`] wants it.
    pub fn are_factored(&self) -> bool {
        self.heavy.is_empty()
    }

    /// Whether some bodies with slots have no such factor, and all of these are meshes with operators of nodes.
    pub fn are_nodal(&self) -> bool {
        !self.are_factored() && self.heavy.iter().all(|&body| self.panels[body as usize].is_nodal())
    }

    /// Whether threads pay for so many rows: they do if there are many, or, where panels are made, bodies with much to be done for
    /// each.
    pub fn pays_for_threads(&self, rows: usize, with_panels: bool) -> bool {
        /// Rows from which on threads pay.
        const ENOUGH: usize = 512;
        rows >= ENOUGH || with_panels && self.heavy.len() > 1
    }
}

/// A part of an update, for who measures time.
#[derive(Clone, Copy, Debug)]
pub enum Phase {
    /// V and B.
    Velocities,
    /// Operators H.
    Operators,
    /// Factorisations and products with inverses.
    Solves,
    /// Diagonal blocks.
    Diagonal,
    /// Off-diagonal blocks.
    Pairs,
}
