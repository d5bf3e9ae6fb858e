//! Panels of meshes: H touches few nodes, and A⁻¹ is kept in the form that makes the blocks cheapest.

use super::Fault;
use super::dense::product;
use crate::block::{Block, transposed, transposed_product};
use crate::inertia::cost::{Counts, Way, cheapest};
use crate::inertia::{Factored, Freshness, Inertia, Inverse, NodalInverse, Structure, Workspace};
use crate::kinematics::finite_element::NodalOperator;

/// Most bytes for the entries of one body's A⁻¹ on the nodes of its constraints.
const NODAL_INVERSE_BYTES: usize = 1 << 30;

/// The operators of the slots of one mesh, and what A⁻¹ made of them.
#[derive(Debug, Default)]
pub struct Nodal {
    step: f64,
    mesh_nodes: usize,
    /// H of the slots; free slots have none.
    operators: Vec<Option<NodalOperator>>,
    response: Response,
    /// What the response keeps, see there.
    values: Vec<f64>,
    blocks: Vec<Block>,
    nodal_inverse: NodalInverse,
    /// Nodes of all operators, each once, and for every node of the mesh whether it is one of them.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
}

/// What is kept of A⁻¹, without the factor h.
#[derive(Clone, Copy, Debug, Default)]
enum Response {
    /// `blocks`: (A⁻¹)_aa of every node a; A⁻¹ couples no two nodes.
    #[default]
    Nodewise,
    /// `blocks`: for every slot, Σ_b N_b (A⁻¹)_ab at every node a that the nodal inverse holds.
    Nodes,
    /// `values`: Yᵀ = (A⁻¹Hᵀ)ᵀ of every slot, 3 × 3n.
    Products,
    /// `values`: (L⁻¹P Hᵀ)ᵀ of every slot, 3 × 3n.
    Halves,
}

impl Nodal {
    pub(super) fn start(&mut self, slots: usize, mesh_nodes: usize) -> Result<(), Fault> {
        self.mesh_nodes = mesh_nodes;
        self.operators.clear();
        self.operators.try_reserve(slots)?;
        self.operators.resize(slots, None);
        Ok(())
    }

    /// Add `sign` times an operator to H of a slot; all operators of a slot have the same factor Q.
    pub fn add_operator(&mut self, slot: usize, sign: f64, operator: &NodalOperator) {
        self.operators[slot].get_or_insert(NodalOperator::zero(operator.factor())).add(sign, operator);
    }

    pub(super) fn apply(
        &mut self,
        step: f64,
        inertia: &Inertia,
        factored: &mut Factored,
        work: &mut Workspace,
    ) -> Result<Option<Freshness>, Fault> {
        self.step = step;
        match inertia {
            Inertia::Inverse(inverse) => {
                match inverse.node_blocks() {
                    Some(blocks) => self.keep_nodewise(blocks)?,
                    None => self.keep_products(inverse)?,
                }
                Ok(None)
            }
            Inertia::Matrix(matrix) => {
                let freshness = matrix.factor(factored, work)?;
                match self.choose(factored, freshness)? {
                    Way::NodalInverse => self.keep_nodes(factored, work)?,
                    Way::HalfSolve => {
                        self.write_operators()?;
                        factored.half_solve(&mut self.values, work)?;
                        self.response = Response::Halves;
                    }
                    Way::FullSolve => {
                        self.write_operators()?;
                        factored.solve(&mut self.values, work)?;
                        self.response = Response::Products;
                    }
                }
                Ok(Some(freshness))
            }
        }
    }

    /// Bytes held, but for the entries of A⁻¹.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Option<NodalOperator>>() * self.operators.capacity()
            + size_of::<f64>() * self.values.capacity()
            + size_of::<Block>() * self.blocks.capacity()
            + size_of::<u32>() * self.touched.capacity()
            + self.is_touched.capacity()
    }

    /// Bytes held for the entries of A⁻¹.
    pub(super) fn entries_bytes(&self) -> usize {
        self.nodal_inverse.bytes()
    }

    /// W_αβ of two slots; zero if one is free.
    pub(super) fn block(&self, row: usize, column: usize) -> Block {
        let (Some(own), Some(other)) = (&self.operators[row], &self.operators[column]) else {
            return [0.0; 9];
        };
        let mut w = match self.response {
            Response::Nodewise => {
                let at = |node: u32| self.blocks[node as usize].map(|value| other.weight(node) * value);
                in_frame_of(other, &own.times_blocks(at))
            }
            Response::Nodes => {
                let count = self.nodal_inverse.nodes().len();
                let response = &self.blocks[count * column..count * (column + 1)];
                let at = |node| self.nodal_inverse.slot(node).map_or([0.0; 9], |slot| response[slot]);
                in_frame_of(other, &own.times_blocks(at))
            }
            Response::Products => {
                let y = self.slot_values(column);
                own.times_blocks(|node| {
                    let transpose: [f64; 9] = std::array::from_fn(|k| y[9 * node as usize + k]);
                    transposed(&transpose)
                })
            }
            Response::Halves => product(self.slot_values(row), self.slot_values(column)),
        };
        w.iter_mut().for_each(|value| *value *= self.step);
        w
    }

    fn slot_values(&self, slot: usize) -> &[f64] {
        &self.values[9 * self.mesh_nodes * slot..9 * self.mesh_nodes * (slot + 1)]
    }

    fn keep_nodewise(&mut self, blocks: impl Iterator<Item = Block>) -> Result<(), Fault> {
        self.blocks.clear();
        self.blocks.try_reserve(self.mesh_nodes)?;
        self.blocks.extend(blocks);
        self.response = Response::Nodewise;
        Ok(())
    }

    fn keep_products(&mut self, inverse: &Inverse) -> Result<(), Fault> {
        self.write_operators()?;
        let mut h = Vec::new();
        h.try_reserve_exact(9 * self.mesh_nodes)?;
        for y in self.values.chunks_exact_mut(9 * self.mesh_nodes) {
            h.clear();
            h.extend_from_slice(y);
            inverse.apply(1.0, &h, y);
        }
        self.response = Response::Products;
        Ok(())
    }

    fn keep_nodes(&mut self, factored: &Factored, work: &mut Workspace) -> Result<(), Fault> {
        self.nodal_inverse.update(factored, &self.touched, work)?;
        let count = self.nodal_inverse.nodes().len();
        self.blocks.clear();
        self.blocks.try_reserve(count * self.operators.len())?;
        self.blocks.resize(count * self.operators.len(), [0.0; 9]);
        for (operator, response) in self.operators.iter().zip(self.blocks.chunks_exact_mut(count.max(1))) {
            if let Some(operator) = operator {
                self.nodal_inverse.response(operator.nodes(), operator.weights(), response);
            }
        }
        self.response = Response::Nodes;
        Ok(())
    }

    /// Write H of every slot into the values: 3 × 3n each.
    fn write_operators(&mut self) -> Result<(), Fault> {
        let length = 9 * self.mesh_nodes;
        self.values.clear();
        self.values.try_reserve(length * self.operators.len())?;
        self.values.resize(length * self.operators.len(), 0.0);
        for (operator, h) in self.operators.iter().zip(self.values.chunks_exact_mut(length)) {
            if let Some(operator) = operator {
                operator.add_dense(1.0, h);
            }
        }
        Ok(())
    }

    /// Collect the nodes that operators touch, and choose the way with the fewest operations.
    fn choose(&mut self, factored: &Factored, freshness: Freshness) -> Result<Way, Fault> {
        self.is_touched.clear();
        self.is_touched.try_reserve(self.mesh_nodes)?;
        self.is_touched.resize(self.mesh_nodes, false);
        self.touched.clear();
        self.touched.try_reserve(self.mesh_nodes)?;
        let (mut constraints, mut nodes_of_all) = (0, 0);
        for operator in self.operators.iter().flatten() {
            constraints += 1;
            nodes_of_all += operator.nodes().len();
            for &node in operator.nodes() {
                if !std::mem::replace(&mut self.is_touched[node as usize], true) {
                    self.touched.push(node);
                }
            }
        }
        let is_missing = |node: &&u32| self.nodal_inverse.slot(**node).is_none();
        let missing_nodes = match freshness {
            Freshness::Kept => self.touched.iter().filter(is_missing).count(),
            _ => self.touched.len(),
        };
        let counts = Counts {
            freedoms: factored.size(),
            factor_length: factored.factor_length(),
            symmetric: factored.structure() == Some(Structure::PositiveDefinite),
            constraints,
            pairs: constraints * (constraints + 1) / 2,
            nodes: self.touched.len(),
            missing_nodes,
            nodes_of_constraint: nodes_of_all as f64 / f64::max(constraints as f64, 1.0),
            survived: factored.survived(),
        };
        Ok(cheapest(&counts, NODAL_INVERSE_BYTES))
    }
}

/// M Q_βᵀ with the factor Q of β's operator.
fn in_frame_of(operator: &NodalOperator, m: &Block) -> Block {
    transposed_product(&transposed(m), &transposed(operator.factor()))
}
