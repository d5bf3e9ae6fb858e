//! The couplings of any two slots of a mesh through A⁻¹, without the axes of their constraints.

use std::mem;

use super::operators::{NodalOperators, Shapes};
use super::times_times_transposed;
use crate::inertia::nodal_inverse::{add, block_count, place};
use crate::inertia::{Factored, NodalInverse};
use crate::math::simd::{F64x4, Kernel, SimdLevel, at_best};
use crate::math::{Block, transposed};
use crate::memory::{self, bytes_of, collect, refill, resize};
use crate::prefetch::fetch_beyond;

/// K_αβ = h Σ_a Σ_b N_a N'_b (A⁻¹)_ab of any two slots, so that W_αβ = Q_α K_αβ Q_βᵀ. It stays while A, h and the
/// weights do: constraints turned with a co-rotational body cost two products a pair.
///
/// The stored blocks are (α, β) with α ≤ β, in the order of α for each β; if A is unsymmetric, the blocks (β, α) follow. As in
/// [`NodalInverse`], the values grow at the end only.
///
/// The sum over b is the inner one. The choice of β among two slots affects the last bits. With a symmetric A, β is the
/// slot that [`Shapes::compare`] orders last, so the bits do not depend on the slots that the two constraints have.
#[derive(Debug, Default)]
pub struct Couplings {
    /// The key of all blocks, if they are complete.
    key: Option<Key>,
    symmetric: bool,
    /// The shapes of the slots for which the blocks were made.
    shapes: Shapes,
    blocks: Vec<Block>,
    /// The slots whose blocks must be made again, during [`Couplings::update`].
    changed: Vec<bool>,
    /// The slots, in the order of [`Shapes::compare`] if A is symmetric.
    order: Vec<u32>,
    /// The place of each node of the shapes in the nodal inverse.
    places: Vec<u32>,
    /// Σ_b (A⁻¹)_ab N_b at every node a of the nodal inverse, for one slot at a time.
    response: Vec<Block>,
}

/// The inputs of couplings other than the weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    step: f64,
    /// The revision of the factor of A.
    revision: u64,
    symmetric: bool,
}

impl Key {
    /// The key for a time step, a factor of A and an inverse.
    pub fn new(step: f64, factored: &Factored, inverse: &NodalInverse) -> Self {
        Self { step, revision: factored.revision(), symmetric: inverse.symmetric }
    }
}

impl Couplings {
    /// Make the blocks for this key and these shapes; the inverse belongs to the key and contains all nodes.
    ///
    /// # Errors
    /// If memory is exhausted; nothing is kept then.
    pub fn update(&mut self, key: Key, shapes: &Shapes, inverse: &NodalInverse) -> memory::Result {
        if self.key.take() != Some(key) {
            self.shapes.clear();
            self.symmetric = key.symmetric;
        }
        if self.find_changed(shapes)? {
            self.compute(key.step, shapes, inverse)?;
            self.shapes.copy(shapes)?;
        }
        self.key = Some(key);
        Ok(())
    }

    /// The columns of W_αβ with α = `row`, β = `column`.
    #[inline(always)]
    pub fn columns<L: SimdLevel>(
        &self,
        level: L,
        operators: &NodalOperators,
        row: usize,
        column: usize,
    ) -> [L::F64x4; 3] {
        let coupling = &self.blocks[place(self.symmetric, row, column)];
        fetch_beyond(coupling);
        let mut coupling = level.columns(coupling);
        if self.symmetric && row > column {
            coupling = F64x4::transposed(coupling);
        }
        times_times_transposed(&level.columns(&operators.factors[row]), &coupling, &operators.factors[column])
    }

    /// The bytes held.
    pub fn bytes(&self) -> usize {
        self.shapes.bytes() + bytes_of!(self.blocks, self.response, self.order, self.places, self.changed)
    }

    /// Note the slots that changed, and return whether any did. If the inverse is unsymmetric and one slot changed, all count as
    /// changed.
    fn find_changed(&mut self, shapes: &Shapes) -> memory::Result<bool> {
        let Self { shapes: known, changed, symmetric, .. } = self;
        collect(
            changed,
            shapes.len(),
            (0..shapes.len()).map(|slot| slot >= known.len() || !known.agrees(shapes, slot)),
        )?;
        let any = changed.contains(&true);
        if any && !*symmetric {
            changed.fill(true);
        }
        Ok(any || shapes.len() != known.len())
    }

    fn compute(&mut self, step: f64, shapes: &Shapes, inverse: &NodalInverse) -> memory::Result {
        let count = shapes.len();
        resize(&mut self.blocks, block_count(count, self.symmetric), [0.0; 9])?;
        // The old nodes of a slot that got a second operator are still listed, and need not be in the inverse.
        let places = shapes.nodes.iter().map(|&node| inverse.slot(node).unwrap_or(0) as u32);
        collect(&mut self.places, places.len(), places)?;
        refill(&mut self.response, inverse.nodes.len(), [0.0; 9])?;
        collect(&mut self.order, count, 0..count as u32)?;
        if self.symmetric {
            self.order.sort_unstable_by(|&one, &other| shapes.compare(one as usize, other as usize));
        }
        at_best(CouplingBlocks { couplings: self, step, shapes, inverse });
        Ok(())
    }

    /// Store the block (row, column).
    #[inline(always)]
    fn put(&mut self, row: usize, column: usize, block: Block) {
        self.blocks[place(self.symmetric, row, column)] =
            if self.symmetric && row > column { transposed(&block) } else { block };
    }
}

/// Makes the blocks of the slots that changed, in order.
struct CouplingBlocks<'a> {
    couplings: &'a mut Couplings,
    step: f64,
    shapes: &'a Shapes,
    inverse: &'a NodalInverse,
}

impl Kernel for CouplingBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, _: L) {
        let Self { couplings, step, shapes, inverse } = self;
        let order = mem::take(&mut couplings.order);
        let symmetric = couplings.symmetric;
        let are_equal =
            |one: &u32, other: &u32| !symmetric || shapes.compare(*one as usize, *other as usize).is_eq();
        let mut end = 0;
        for equal in order.chunk_by(are_equal) {
            let first = end;
            end += equal.len();
            for column in equal.iter().map(|&column| column as usize) {
                if !couplings.changed[column] {
                    continue;
                }
                let Couplings { places, response, .. } = &mut *couplings;
                let range = shapes.range(column);
                inverse.respond(&places[range.clone()], &shapes.weights[range], response);
                for value in response.as_flattened_mut() {
                    *value *= step;
                }
                for (k, &row) in order[..end].iter().enumerate() {
                    let row = row as usize;
                    let sum = sum_at(shapes, row, &couplings.places, &couplings.response);
                    let is_symmetric = symmetric && k >= first;
                    couplings.put(row, column, if is_symmetric { symmetrised(sum) } else { sum });
                }
                for row in order[end..].iter().map(|&row| row as usize) {
                    if !couplings.changed[row] {
                        let sum = sum_of_two(step, shapes, [column, row], &couplings.places, inverse);
                        couplings.put(column, row, sum);
                    }
                }
            }
        }
        couplings.order = order;
    }
}

/// A block that is symmetric up to rounding, with its upper triangle in place of the lower one.
#[inline(always)]
fn symmetrised(mut block: Block) -> Block {
    (block[1], block[2], block[5]) = (block[3], block[6], block[7]);
    block
}

/// Σ_a N_a R_a over the nodes of a slot, which are at `places` among the responses R.
#[inline(always)]
fn sum_at(shapes: &Shapes, slot: usize, places: &[u32], response: &[Block]) -> Block {
    let range = shapes.range(slot);
    let mut sum = [0.0; 9];
    for (&place, weight) in places[range.clone()].iter().zip(&shapes.weights[range]) {
        add(&mut sum, weight, &response[place as usize]);
    }
    sum
}

/// The result of [`sum_at`], to the bit, for the first slot with the responses of the second, without responses at other nodes:
/// results do not depend on changes of other slots.
fn sum_of_two(
    step: f64,
    shapes: &Shapes,
    [row, column]: [usize; 2],
    places: &[u32],
    inverse: &NodalInverse,
) -> Block {
    let nodes = |slot| {
        let range = shapes.range(slot);
        places[range.clone()].iter().map(|&place| place as usize).zip(&shapes.weights[range])
    };
    let mut sum = [0.0; 9];
    for (a, own) in nodes(row) {
        let mut response = [0.0; 9];
        for (b, weight) in nodes(column) {
            add(&mut response, weight, &inverse.slot_block(a, b));
        }
        sum.iter_mut().zip(response).for_each(|(sum, r)| *sum += own * (r * step));
    }
    sum
}
