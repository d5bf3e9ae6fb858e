//! Panels of meshes: H touches few nodes, and A⁻¹ is kept in the form that makes the blocks cheapest.

mod couplings;
mod nodewise;
mod operators;

use crate::inertia::cost::{Counts, MatrixLifetime, SolveMethod, cheapest};
use crate::inertia::{
    FactorError, FactorResult, FactorStatus, Factored, InertiaRef, Inverse, NodalInverse, Structure,
    Workspace,
};
use crate::kinematics;
use crate::math::simd::{F64x4, Plain, SimdLevel, combination, packed};
use crate::math::{Block, Vector};
use crate::memory::{bytes_of, refill};

use couplings::{Couplings, Key};
use nodewise::Nodewise;
use operators::NodalOperators;

/// The operators of the slots of one mesh, and their products with A⁻¹.
#[derive(Debug, Default)]
pub struct NodalPanel {
    step: f64,
    mesh_nodes: usize,
    lifetime: MatrixLifetime,
    /// H of the slots.
    operators: NodalOperators,
    /// Whether memory was exhausted for an operator.
    is_short_of_memory: bool,
    response: Response,
    nodewise: Nodewise,
    nodal_inverse: NodalInverse,
    couplings: Couplings,
    /// The values of `Response::Products` and `Response::Halves`.
    values: Vec<f64>,
    /// H of one slot, 3 × 3n.
    operator: Vec<f64>,
    /// The nodes of all operators, each once, and for each node of the mesh whether the list contains it.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
}

/// The form in which A⁻¹ is kept.
#[derive(Clone, Copy, Debug, Default)]
enum Response {
    /// `nodewise`: A⁻¹ couples no two nodes.
    #[default]
    Nodewise,
    /// `couplings` through the `nodal_inverse`.
    Couplings,
    /// `values`: Yᵀ = (A⁻¹Hᵀ)ᵀ of every slot, 3 × 3n.
    Products,
    /// `values`: (L⁻¹P Hᵀ)ᵀ of every slot, 3 × 3n.
    Halves,
}

impl NodalPanel {
    pub(super) fn start(
        &mut self,
        slots: usize,
        mesh_nodes: usize,
        lifetime: MatrixLifetime,
    ) -> FactorResult {
        self.mesh_nodes = mesh_nodes;
        self.lifetime = lifetime;
        self.is_short_of_memory = false;
        Ok(self.operators.start(slots)?)
    }

    /// Add `sign` times an operator to H of a slot; all operators of a slot have the same factor Q. If memory is
    /// exhausted, the application of A⁻¹ reports it.
    pub fn add<W: AsRef<[(u32, f64)]>>(&mut self, slot: usize, sign: f64, operator: &kinematics::Nodal<W>) {
        let weights = operator.weights().iter().map(|(node, weight)| (*node, sign * weight));
        self.is_short_of_memory |= self.operators.add(slot, &operator.factor, weights).is_err();
    }

    pub(super) fn apply(
        &mut self,
        step: f64,
        inertia: &InertiaRef,
        factored: &mut Factored,
        work: &mut Workspace,
    ) -> FactorResult<Option<FactorStatus>> {
        ensure!(!self.is_short_of_memory, FactorError::Memory);
        self.step = step;
        match inertia {
            InertiaRef::Inverse(inverse) => {
                if self.nodewise.update(step, inverse, &self.operators)? {
                    self.response = Response::Nodewise;
                } else {
                    self.keep_products(inverse)?;
                }
                Ok(None)
            }
            InertiaRef::Matrix(matrix) => {
                let freshness = matrix.factor(factored, work)?;
                match self.choose(factored)? {
                    SolveMethod::NodalInverse => {
                        self.nodal_inverse.update(factored, &self.touched, work)?;
                        let key = Key::new(step, factored, &self.nodal_inverse);
                        self.couplings.update(key, &self.operators.shapes, &self.nodal_inverse)?;
                        self.response = Response::Couplings;
                    }
                    SolveMethod::HalfSolve => {
                        self.write_operators()?;
                        factored.half_solve(&mut self.values, work)?;
                        self.response = Response::Halves;
                    }
                    SolveMethod::FullSolve => {
                        self.write_operators()?;
                        factored.solve(&mut self.values, work)?;
                        self.response = Response::Products;
                    }
                }
                Ok(Some(freshness))
            }
        }
    }

    /// The bytes held, without the entries of A⁻¹.
    pub(super) fn bytes(&self) -> usize {
        self.operators.bytes()
            + self.nodewise.bytes()
            + self.couplings.bytes()
            + bytes_of!(self.values, self.operator, self.touched, self.is_touched)
    }

    /// Bytes held for the entries of A⁻¹.
    pub(super) fn entries_bytes(&self) -> usize {
        self.nodal_inverse.bytes()
    }

    /// The columns of W_αβ of two slots; zero if one is free.
    #[inline(always)]
    pub(super) fn columns<L: SimdLevel>(&self, level: L, row: usize, column: usize) -> [L::F64x4; 3] {
        let operators = &self.operators;
        let [x, y, z] = match self.response {
            Response::Nodewise => self.nodewise.columns(level, operators, row, column),
            Response::Couplings => self.couplings.columns(level, operators, row, column),
            Response::Products | Response::Halves => level.columns(&self.product(row, column)),
        };
        [x + 0.0, y + 0.0, z + 0.0]
    }

    /// W_αβ of two slots from the values.
    fn product(&self, row: usize, column: usize) -> Block {
        let y = self.slot_values(column);
        if let Response::Halves = self.response {
            return product(self.slot_values(row), y).map(|value| self.step * value);
        }
        let (nodes, weights) = self.operators.shapes.of(row);
        let mut sum = [0.0; 9];
        for (&node, weight) in nodes.iter().zip(weights) {
            let y = &y[9 * node as usize..][..9];
            sum.iter_mut().zip(y).for_each(|(sum, y)| *sum += weight * y);
        }
        let h = Plain.columns(&self.operators.factors[row]);
        packed(&times_transposed(&h, &sum)).map(|value| self.step * value)
    }

    fn slot_values(&self, slot: usize) -> &[f64] {
        &self.values[9 * self.mesh_nodes * slot..9 * self.mesh_nodes * (slot + 1)]
    }

    fn keep_products(&mut self, inverse: &Inverse) -> FactorResult {
        self.write_operators()?;
        let length = 9 * self.mesh_nodes;
        self.operator.clear();
        self.operator.try_reserve(length)?;
        for y in self.values.chunks_exact_mut(length) {
            self.operator.clear();
            self.operator.extend_from_slice(y);
            inverse.apply(1.0, &self.operator, y);
        }
        self.response = Response::Products;
        Ok(())
    }

    /// Write H of every slot into the values: 3 × 3n each.
    fn write_operators(&mut self) -> FactorResult {
        let (length, slots) = (9 * self.mesh_nodes, self.operators.factors.len());
        refill(&mut self.values, length * slots, 0.0)?;
        for (slot, h) in self.values.chunks_exact_mut(length).enumerate() {
            let (nodes, weights) = self.operators.shapes.of(slot);
            for (&node, weight) in nodes.iter().zip(weights) {
                let h = &mut h[9 * node as usize..][..9];
                h.iter_mut().zip(&self.operators.factors[slot]).for_each(|(h, q)| *h = weight * q);
            }
        }
        Ok(())
    }

    /// Collect the nodes that operators touch, and choose the method with the fewest operations.
    fn choose(&mut self, factored: &Factored) -> FactorResult<SolveMethod> {
        refill(&mut self.is_touched, self.mesh_nodes, false)?;
        self.touched.clear();
        self.touched.try_reserve(self.mesh_nodes)?;
        let shapes = &self.operators.shapes;
        for slot in 0..shapes.len() {
            for &node in shapes.of(slot).0 {
                if !std::mem::replace(&mut self.is_touched[node as usize], true) {
                    self.touched.push(node);
                }
            }
        }
        let taken = || (0..shapes.len()).map(|slot| shapes.range(slot).len()).filter(|&nodes| nodes > 0);
        let (constraints, nodes_of_all) = (taken().count(), taken().sum::<usize>());
        let counts = Counts {
            dofs: factored.size(),
            factor_length: factored.factor_length(),
            symmetric: factored.structure() == Some(Structure::PositiveDefinite),
            constraints,
            pairs: constraints * (constraints + 1) / 2,
            nodes: self.touched.len(),
            nodes_of_constraint: nodes_of_all as f64 / f64::max(constraints as f64, 1.0),
            lifetime: self.lifetime,
        };
        Ok(cheapest(&counts, self.nodal_inverse.most_bytes()))
    }
}

/// X Yᵀ of X and Y, both 3 × n, column-major.
#[inline(always)]
fn product(x: &[f64], y: &[f64]) -> Block {
    let mut w = [0.0; 9];
    for (x, y) in x.chunks_exact(3).zip(y.chunks_exact(3)) {
        for j in 0..3 {
            for i in 0..3 {
                w[3 * j + i] += x[i] * y[j];
            }
        }
    }
    w
}

/// `a bᵀ`.
#[inline(always)]
fn times_transposed<L: F64x4>(a: &[L; 3], b: &Block) -> [L; 3] {
    [combination(a, &row(b, 0)), combination(a, &row(b, 1)), combination(a, &row(b, 2))]
}

/// `a k bᵀ`, a column at a time.
#[inline(always)]
fn times_times_transposed<L: F64x4>(a: &[L; 3], k: &[L; 3], b: &Block) -> [L; 3] {
    let [x, y, z] = times_transposed(k, b);
    [combination(a, &x.vector()), combination(a, &y.vector()), combination(a, &z.vector())]
}

/// Row i of a block.
#[inline(always)]
fn row(b: &Block, i: usize) -> Vector {
    [b[i], b[3 + i], b[6 + i]]
}

#[cfg(test)]
mod tests;
