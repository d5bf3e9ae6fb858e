//! The cost of sweeps and steps, in units of about a nanosecond. It is counted from sizes and patterns and not measured, so that
//! the choice between them is the same everywhere.

use crate::math::Vector;
use crate::memory;
use crate::solve::block_lu::MOST_PRODUCTS;
use crate::solve::problem::Problem3;
use crate::solve::workspace::Memory;

use super::sweeps::Left;
use super::{FEW, LARGE, Room, Run};

/// The expected number of steps; the same for structures, with few bodies and a large residual; and in small problems, and from an
/// initial guess whose residual is less than `GOOD`, as in a wall at rest.
const STEPS: f64 = 20.0;
const STRUCTURE_STEPS: f64 = 10.0;
const GOOD: f64 = 0.01;
const GOOD_STEPS: f64 = 5.0;

/// The cost of a product of blocks, of the elimination of a row beside that, and of the search that finds the product.
const PRODUCT: f64 = 1.5;
const PIVOT: f64 = 200.0;
const SEARCH: f64 = 1.5;

/// The cost of a product of blocks of bodies, of the elimination of a node beside that, and of a row in an interior step.
const BODY_PRODUCT: f64 = 8.0;
const NODE_PIVOT: f64 = 600.0;
const BODY_ROW: f64 = 1000.0;

/// The most products of blocks of bodies in an interior step.
pub(super) const MOST_BODY_PRODUCTS: u64 = (MOST_PRODUCTS as f64 * PRODUCT / BODY_PRODUCT) as u64;

/// With more rows than this for each node, factors are not sought in the space of contacts.
const MANY_ROWS: usize = 4;

/// The search for fill takes at most this part of the time of the sweeps so far: of large heaps it is of no use.
const SEARCHED: f64 = 0.2;

/// The products of blocks of bodies in an interior step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Products {
    /// More than these, or nobody has searched.
    MoreThan(u64),
    Known(u64),
    /// There are no bodies.
    None,
}

/// The cost of a sweep.
pub fn sweep_cost(problem: &Problem3) -> f64 {
    2.2 * problem.columns.len() as f64 + 60.0 * problem.rows() as f64
}

/// The cost of a step whose factorization takes `products`, with its part in the analysis of the pattern.
fn step_cost(problem: &Problem3, products: u64) -> f64 {
    let (rows, blocks) = (problem.rows() as f64, problem.columns.len() as f64);
    PRODUCT * products as f64 + 25.0 * blocks + (150.0 + PIVOT) * rows
}

/// The cost of a step of a small problem, with full factors.
pub(super) fn dense_step_cost(problem: &Problem3) -> f64 {
    step_cost(problem, problem.rows().pow(3) as u64 / 3)
}

impl Run<'_, '_> {
    /// Whether Newton's method is expected to be quicker than the sweeps that are left, limited by the iteration limit.
    pub(super) fn newton_is_quicker(&mut self, left: &Left) -> memory::Result<bool> {
        if self.has_few_bodies() {
            return Ok(false);
        }
        let allowed = self.options.max_sweeps.saturating_sub(self.report.sweeps) as f64;
        // In larger problems many steps may follow a good guess, too, as in heaps.
        let (sweeps, steps) = match self.problem.rows() <= FEW {
            true => (left.sweeps, self.expected_steps()),
            false => (left.in_heap, STEPS),
        };
        let step = sweeps.min(allowed) * self.sweep_cost() / steps;
        let most = (step - self.step_cost(0)) / PRODUCT;
        if most < 0.0 {
            return Ok(false);
        }
        let most = most.min(MOST_PRODUCTS as f64).ceil() as u64;
        let next = self.search(most, MOST_PRODUCTS);
        if self.products.is_none() && next < 2 * self.fewer {
            return Ok(false);
        }
        let products = self.products(most, next)?;
        Ok(products.is_some_and(|products| step > self.step_cost(products)))
    }

    fn expected_steps(&self) -> f64 {
        if self.problem.rows() <= FEW || self.report.initial.by(self.options.measure) < GOOD {
            GOOD_STEPS
        } else if self.best_residual() > LARGE && self.has_few_bodies() {
            STRUCTURE_STEPS
        } else {
            STEPS
        }
    }

    /// Whether there are so few bodies that factors are smaller in their space, as in walls.
    pub(super) fn has_few_bodies(&self) -> bool {
        let nodes = self.room.body_space.nodes();
        !matches!(self.body_products, Products::None | Products::MoreThan(0))
            && self.problem.rows() > MANY_ROWS * nodes
    }

    /// The products up to which a search goes that asks for `most`: beyond these, so that it need not be repeated soon, and at most
    /// `limit`.
    fn search(&self, most: u64, limit: u64) -> u64 {
        let affordable = SEARCHED * self.report.sweeps as f64 * self.sweep_cost() / SEARCH;
        (4 * most).min(affordable as u64).min(limit)
    }

    /// Whether steps in the space of bodies are expected to be quicker than the sweeps that are left.
    pub(super) fn bodies_are_quicker(&mut self, left: &Left) -> memory::Result<bool> {
        let most = (self.worth_of_step(left) - self.cost_of_body_rows()) / BODY_PRODUCT;
        if self.source.bodies.is_none() || most < 0.0 {
            return Ok(false);
        }
        let next = self.search(most.min(MOST_PRODUCTS as f64).ceil() as u64, MOST_BODY_PRODUCTS);
        if matches!(self.body_products, Products::MoreThan(fewer) if next < 2 * fewer) {
            return Ok(false);
        }
        let products = self.body_products(next)?;
        // The number of bodies is known now.
        let step = self.worth_of_step(left);
        Ok(products.is_some_and(|products| step >= self.body_step_cost(products)))
    }

    /// The cost of the sweeps that a step in the space of bodies is worth. Before the bodies are known, the problem may be a structure.
    fn worth_of_step(&self, left: &Left) -> f64 {
        let are_known = self.body_products != Products::MoreThan(0);
        let has_many_bodies = are_known && !self.has_few_bodies() && self.problem.rows() > FEW;
        let sweeps = if has_many_bodies { left.in_heap } else { left.sweeps };
        sweeps * self.sweep_cost() / self.expected_steps()
    }

    pub(super) fn sweep_cost(&self) -> f64 {
        sweep_cost(self.problem)
    }

    pub(super) fn step_cost(&self, products: u64) -> f64 {
        step_cost(self.problem, products)
    }

    /// The work so far, in the same units.
    pub(super) fn work(&self) -> u64 {
        let in_bodies = match self.body_products {
            Products::MoreThan(products) | Products::Known(products) => products,
            Products::None => 0,
        };
        let searched = (self.products.unwrap_or(self.fewer) + in_bodies) as f64 * SEARCH;
        (self.report.sweeps as f64 * self.sweep_cost() + self.spent + searched) as u64
    }

    /// The products in a step, if they are at most `most`. If this is not known, the search goes up to `next`.
    pub(super) fn products(&mut self, most: u64, next: u64) -> memory::Result<Option<u64>> {
        if self.products.is_none() && self.fewer < most {
            self.fewer = next;
            self.products = self.room.newton.prepare(self.problem, self.laws, next)?;
        }
        Ok(self.products.filter(|&products| products <= most))
    }

    /// Choose the cheaper space for Newton's method. Returns false if factors are too large in both.
    pub(super) fn choose_space_of_newton(&mut self) -> memory::Result<bool> {
        let in_bodies = self.body_products(MOST_BODY_PRODUCTS)?.map(|products| self.body_step_cost(products));
        let most = match in_bodies {
            Some(cost) => ((cost - self.step_cost(0)) / PRODUCT) as u64,
            None => MOST_PRODUCTS,
        };
        let is_in_contacts = !self.has_few_bodies() && self.products(most, most)?.is_some();
        self.cost_of_newton = match in_bodies {
            Some(cost) if !is_in_contacts => cost,
            _ => self.step_cost(self.products.unwrap_or(0)),
        };
        self.is_newton_in_bodies = in_bodies.is_some() && !is_in_contacts;
        if self.is_newton_in_bodies {
            self.room.newton.prepare_rows(self.problem.rows(), false)?;
        }
        Ok(is_in_contacts || self.is_newton_in_bodies)
    }

    /// The cost of an interior step in the space of bodies, whose factorization takes `products`.
    pub(super) fn body_step_cost(&self, products: u64) -> f64 {
        let pivots = NODE_PIVOT * self.room.body_space.nodes() as f64;
        BODY_PRODUCT * products as f64 + pivots + self.cost_of_body_rows()
    }

    /// The part of the rows in that cost.
    fn cost_of_body_rows(&self) -> f64 {
        BODY_ROW * self.problem.rows() as f64
    }

    /// The products in an interior step in the space of bodies, if bodies are known and the products are at most `most`. If this is
    /// not known, the search goes up to `most`.
    pub(super) fn body_products(&mut self, most: u64) -> memory::Result<Option<u64>> {
        if let Products::MoreThan(fewer) = self.body_products
            && fewer < most
        {
            self.body_products = match fewer > 0 || self.prepare_bodies()? {
                true => self.room.body_space.analyse(most)?.map_or(Products::MoreThan(most), Products::Known),
                false => Products::None,
            };
        }
        Ok(match self.body_products {
            Products::Known(products) => Some(products).filter(|&products| products <= most),
            _ => None,
        })
    }

    /// Get the rows of bodies; returns false if there are none.
    fn prepare_bodies(&mut self) -> memory::Result<bool> {
        let Self { source, room: Room { body_space, memory: Memory { roots, .. }, .. }, .. } = self;
        let factor = |row: usize| -> Vector {
            let scale = source.scales.get(row).copied().unwrap_or([1.0; 3]);
            scale.map(|scale| scale / roots[row])
        };
        source.bodies.map_or(Ok(false), |bodies| body_space.prepare(bodies, factor))
    }
}
