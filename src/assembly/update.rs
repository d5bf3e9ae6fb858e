//! The update over any scene ([`super::scene`]): [`super::bodies`] prepares the operators of each body, [`super::rows`] makes the
//! values that belong to a row alone, [`super::pairs`] or [`super::whole_rows`] the blocks between rows. Threads share all three.
//!
//! Results depend neither on threads nor on values kept from the last update. The error of an update is the error of the first
//! body or row in order.

use crate::body_operators::Panel;
use crate::body_operators::factored::Writer;
use crate::inertia::Workspace;
use crate::memory::{self, bytes_of};

/// The operators of all bodies, by index, with the memory that threads need for them. Expensive parts are kept from one
/// update to the next.
#[derive(Debug, Default)]
pub struct BodyOperators {
    /// The panel of each body.
    pub panels: Vec<Panel>,
    /// The writer of each panel's operators: apart, so that panels are close together in memory for the assembly of pairs.
    pub writers: Vec<Writer>,
    /// Workspaces for factorizations and solves, one for each thread.
    pub(super) works: Vec<Workspace>,
    /// Bodies whose panels wait for A⁻¹.
    pub(super) heavy: Vec<u32>,
    /// Columns of a model, for its inverse callback.
    pub(super) stacked: Vec<f64>,
}

impl BodyOperators {
    /// Make room for `count` more bodies.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn reserve(&mut self, count: usize) -> memory::Result {
        self.panels.try_reserve(count)?;
        self.writers.try_reserve(count)
    }

    /// Add bodies without operators, or remove the last ones, until there are `count`.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn resize(&mut self, count: usize) -> memory::Result {
        self.reserve(count.saturating_sub(self.panels.len()))?;
        self.panels.resize_with(count, Panel::default);
        self.writers.resize_with(count, Writer::default);
        Ok(())
    }

    /// Forget a body: its index is free, or belongs to another body.
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

    /// The bytes held, without the bytes that panels hold.
    pub fn bytes(&self) -> usize {
        bytes_of!(self.panels, self.writers, self.heavy, self.stacked)
            + self.works.iter().map(Workspace::bytes).sum::<usize>()
    }

    /// Whether all bodies with slots have a Cholesky factor of h A⁻¹, as [`super::whole_rows`] requires.
    pub fn are_factored(&self) -> bool {
        self.heavy.is_empty()
    }

    /// Whether some bodies with slots have no such factor, and all of these are meshes with operators of nodes.
    pub fn are_nodal(&self) -> bool {
        !self.are_factored() && self.heavy.iter().all(|&body| self.panels[body as usize].is_nodal())
    }

    /// Whether threads pay for `rows` rows: they do if there are many rows, or if panels are made and there are bodies that each
    /// need much work.
    pub fn pays_for_threads(&self, rows: usize, with_panels: bool) -> bool {
        /// The number of rows from which threads pay.
        const ENOUGH: usize = 512;
        rows >= ENOUGH || with_panels && self.heavy.len() > 1
    }
}

/// A part of an update, for time measurements.
#[derive(Clone, Copy, Debug)]
pub enum Phase {
    /// V and B.
    Velocities,
    /// Operators H.
    Operators,
    /// Factorizations and products with inverses.
    Solves,
    /// Diagonal blocks.
    Diagonal,
    /// Off-diagonal blocks.
    Pairs,
}
