//! The cost of sweeps and steps, in units of about a nanosecond. It is counted from sizes and patterns and not measured, so that
//! the choice between them is the same everywhere.

use crate::math::Vector;
use crate::memory;
use crate::solve::block_lu::MOST_PRODUCTS;
use crate::solve::problem::Problem3;
use crate::solve::workspace::Memory;

use super::{Room, Run};

/// The expected number of steps of Newton's method.
const STEPS: f64 = 12.0;

/// The cost of a product of blocks, and of the search that finds it.
const PRODUCT: f64 = 12.0;
const SEARCH: f64 = 4.0;

/// The cost of a product of blocks of bodies, and of a row in an interior step.
const BODY_PRODUCT: f64 = 15.0;
const BODY_ROW: f64 = 1000.0;

/// The expected number of interior steps.
const INTERIOR_STEPS: f64 = 20.0;

/// A step of Newton's method may take this times the time of an interior step.
const DEARER: f64 = 2.0;

/// The products of blocks of bodies in an interior step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Products {
    /// Nobody has asked.
    Unknown,
    Known(u64),
    /// There are no bodies, or the products are too many.
    None,
}

/// The cost of a sweep.
pub fn sweep_cost(problem: &Problem3) -> f64 {
    2.2 * problem.columns.len() as f64 + 60.0 * problem.rows() as f64
}

impl Run<'_, '_> {
    /// Whether Newton's method is expected to be quicker than `sweeps` sweeps, limited by the iteration limit.
    pub(super) fn newton_is_quicker(&mut self, sweeps: f64) -> memory::Result<bool> {
        let allowed = self.options.sweeps.saturating_sub(self.report.sweeps) as f64;
        let step = sweeps.min(allowed) * self.sweep_cost() / STEPS;
        let most = (step - self.step_cost(0)) / PRODUCT;
        if most < 0.0 {
            return Ok(false);
        }
        let most = most.min(MOST_PRODUCTS as f64).ceil() as u64;
        // The search goes beyond `most`, so that it need not be repeated soon; it takes at most half of the time of the sweeps so
        // far.
        let affordable = 0.5 * self.report.sweeps as f64 * self.sweep_cost() / SEARCH;
        let next = (4 * most).min(affordable as u64).min(MOST_PRODUCTS);
        if self.products.is_none() && next < 2 * self.fewer {
            return Ok(false);
        }
        let products = self.products(most, next)?;
        Ok(products.is_some_and(|products| step > self.step_cost(products)))
    }

    /// Whether interior steps in the space of bodies are expected to be quicker than `sweeps` sweeps.
    pub(super) fn interior_is_quicker(&mut self, sweeps: f64) -> memory::Result<bool> {
        let most = sweeps * self.sweep_cost() / INTERIOR_STEPS;
        if self.source.bodies.is_none() || most < self.body_step_cost(0) || !self.has_body_space()? {
            return Ok(false);
        }
        let Products::Known(products) = self.body_products else { return Ok(false) };
        Ok(most >= self.body_step_cost(products))
    }

    pub(super) fn sweep_cost(&self) -> f64 {
        sweep_cost(self.problem)
    }

    /// The cost of a step whose factorization takes `products`, with its part in the analysis of the pattern.
    pub(super) fn step_cost(&self, products: u64) -> f64 {
        let (rows, blocks) = (self.problem.rows() as f64, self.problem.columns.len() as f64);
        PRODUCT * products as f64 + 25.0 * blocks + 150.0 * rows
    }

    /// The work so far, in the same units.
    pub(super) fn work(&self) -> u64 {
        let searched = self.products.unwrap_or(self.fewer) as f64 * SEARCH;
        (self.report.sweeps as f64 * self.sweep_cost() + self.spent + searched) as u64
    }

    /// The products in a step, if they are at most `most`. If this is not known, the search goes up to `next`.
    pub(super) fn products(&mut self, most: u64, next: u64) -> memory::Result<Option<u64>> {
        if self.products.is_none() && self.fewer < most {
            self.fewer = next;
            self.products = self.room.newton.prepare(self.problem, next)?;
        }
        Ok(self.products.filter(|&products| products <= most))
    }

    /// The most products of a step of Newton's method.
    pub(super) fn most_products(&mut self) -> memory::Result<u64> {
        self.has_body_space()?;
        Ok(match self.body_products {
            Products::Known(products) => (DEARER * self.body_step_cost(products) / PRODUCT) as u64,
            _ => MOST_PRODUCTS,
        })
    }

    /// The cost of an interior step in the space of bodies.
    pub(super) fn body_step_cost(&self, products: u64) -> f64 {
        BODY_PRODUCT * products as f64 + BODY_ROW * self.problem.rows() as f64
    }

    /// Whether interior steps are made in the space of bodies: where bodies are known and the factorization is possible.
    pub(super) fn has_body_space(&mut self) -> memory::Result<bool> {
        if self.body_products == Products::Unknown {
            let most = (MOST_PRODUCTS as f64 * PRODUCT / BODY_PRODUCT) as u64;
            let Self { source, room: Room { body_space, memory: Memory { roots, .. }, .. }, .. } = self;
            let factor = |row: usize| -> Vector {
                let scale = source.scales.get(row).copied().unwrap_or([1.0; 3]);
                scale.map(|scale| scale / roots[row])
            };
            let products = match source.bodies {
                Some(bodies) => body_space.prepare(bodies, factor, most)?,
                None => None,
            };
            self.body_products = products.map_or(Products::None, Products::Known);
        }
        Ok(self.body_products != Products::None)
    }
}
