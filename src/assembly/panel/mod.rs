//! The panel of a body: the operators H of all constraints on it and what A⁻¹ makes of them, ready for blocks.
//!
//! A constraint has a slot in the panel. H carries the sign of its side, so that W_αβ = h H_α A⁻¹ H_βᵀ for any two
//! slots, theory (68). [`dense`] is for bodies with few freedoms, [`nodal`] for meshes, where H touches few nodes.

pub mod dense;
pub mod nodal;

use std::collections::TryReserveError;
use std::fmt;

use crate::block::Block;
use crate::inertia::{FactorError, Factored, Freshness, Inertia, Workspace};

use dense::Dense;
use nodal::Nodal;

/// The panel of a body. What is expensive, as the factor of A, is kept from one update to the next.
#[derive(Debug, Default)]
pub struct Panel {
    form: Form,
    dense: Dense,
    nodal: Nodal,
    factored: Factored,
}

#[derive(Clone, Copy, Debug, Default)]
enum Form {
    #[default]
    Dense,
    Nodal,
}

/// Why A⁻¹ cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Memory is exhausted.
    Memory,
    /// A cannot be factored, or not be solved with.
    Factor(FactorError),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("out of memory"),
            Self::Factor(error) => error.fmt(f),
        }
    }
}

impl From<TryReserveError> for Fault {
    fn from(_: TryReserveError) -> Self {
        Self::Memory
    }
}

impl From<FactorError> for Fault {
    fn from(error: FactorError) -> Self {
        if error == FactorError::Memory { Self::Memory } else { Self::Factor(error) }
    }
}

impl Panel {
    /// Start anew with `slots` slots of dense operators, 3 × `freedoms`, all zero.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn start_dense(&mut self, slots: usize, freedoms: usize) -> Result<&mut Dense, Fault> {
        self.form = Form::Dense;
        self.dense.start(slots, freedoms)?;
        Ok(&mut self.dense)
    }

    /// Start anew with `slots` slots of nodal operators of a mesh of `nodes` nodes, all empty.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn start_nodal(&mut self, slots: usize, nodes: usize) -> Result<&mut Nodal, Fault> {
        self.form = Form::Nodal;
        self.nodal.start(slots, nodes)?;
        Ok(&mut self.nodal)
    }

    /// Let A⁻¹ work on the operators, with the time step `step`; `inertia` has as many rows as the body has freedoms.
    /// Returns what had to be done for a factor, if there is one.
    ///
    /// # Errors
    /// If memory is exhausted, or a matrix cannot be factored.
    pub fn apply(
        &mut self,
        step: f64,
        inertia: &Inertia,
        work: &mut Workspace,
    ) -> Result<Option<Freshness>, Fault> {
        match self.form {
            Form::Dense => self.dense.apply(step, inertia, &mut self.factored, work),
            Form::Nodal => self.nodal.apply(step, inertia, &mut self.factored, work),
        }
    }

    /// Estimate of the condition number of the matrix A that was factored last.
    ///
    /// # Errors
    /// As [`Factored::condition`].
    pub fn condition(&self, work: &mut Workspace) -> Result<f64, Fault> {
        Ok(self.factored.condition(work)?)
    }

    /// Bytes held for operators and products, and for factors and entries of A⁻¹.
    pub fn bytes(&self) -> [usize; 2] {
        [self.dense.bytes() + self.nodal.bytes(), self.nodal.entries_bytes() + self.factored.bytes()]
    }

    /// W_αβ of the slots α = `row`, β = `column`, theory (68).
    #[inline]
    pub fn block(&self, row: usize, column: usize) -> Block {
        match self.form {
            Form::Dense => self.dense.block(row, column),
            Form::Nodal => self.nodal.block(row, column),
        }
    }
}

#[cfg(test)]
mod tests;
