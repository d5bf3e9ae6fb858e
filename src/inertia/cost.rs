//! Selects the cheapest method for the blocks of W of a body with a factored matrix, by the number of multiplications.
//!
//! The choice depends on the body at the update alone, not on data kept from earlier updates. Each method has different last
//! bits, and the same body must have the same W regardless of the history. Costs that pay off only later are divided by the
//! number of updates for which a matrix of this kind is expected to last.

use super::NodalInverse;

/// The quantities on which the choice depends.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// n, the number of generalized velocities of the body.
    pub dofs: usize,
    /// ℓ, the number of values in the factor.
    pub factor_length: usize,
    /// Whether the factor is LLᵀ.
    pub symmetric: bool,
    /// m, the number of constraints on the body.
    pub constraints: usize,
    /// p, the number of pairs of constraints on the body whose blocks are needed, each pair once, diagonal blocks included.
    pub pairs: usize,
    /// c, the number of different nodes of all constraints together.
    pub nodes: usize,
    /// q, the mean number of nodes of a constraint.
    pub nodes_of_constraint: f64,
    /// The expected lifetime of the matrix.
    pub lifetime: MatrixLifetime,
}

/// The expected lifetime of a matrix A, by the kind of its body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatrixLifetime {
    /// The matrix stays while the time step stays.
    #[default]
    ManyUpdates,
    /// Each update has another matrix.
    OneUpdate,
}

impl MatrixLifetime {
    fn updates(self) -> f64 {
        match self {
            Self::ManyUpdates => 17.0,
            Self::OneUpdate => 1.0,
        }
    }
}

/// A method for the blocks of W.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveMethod {
    /// Uses G, the entries of A⁻¹ at the nodes of the constraints, which is kept between updates; W_αβ = h H_α G H_βᵀ.
    NodalInverse,
    /// Uses Y = L⁻¹P Hᵀ; W_αβ = h Y_αᵀ Y_β.
    HalfSolve,
    /// Uses Y = A⁻¹Hᵀ; W_αβ = h H_α Y_β, with the few nodes of H_α.
    FullSolve,
}

/// The cost of a multiplication in the short sums of 3×3 blocks, relative to one in a solve, which works on dense columns. Measured: four
/// to six (AVX-512).
const SHORT_SUM: f64 = 5.0;

/// The relative time of the solves for the nodal inverse of a symmetric A, which skip zeros and rows that are not needed. Measured: 0.55
/// to 0.65.
const LEFT: f64 = 0.625;

/// The cost of a method, in multiplications of a solve.
///
/// | method | solves | sums of blocks |
/// | --- | --- | --- |
/// | nodal inverse | 3c · 2ℓ · 0.625 / updates; without symmetry 3c · 2ℓ / updates | 9 q c m for G Nᵀ, (9q + 54) p for pairs |
/// | half solve | 3 m ℓ | 9 n p |
/// | full solve | 3 m · 2ℓ | (9q + 27) p |
pub fn multiplications(counts: &Counts, method: SolveMethod) -> f64 {
    let real = |count: usize| count as f64;
    let (solve, nodes) = (real(counts.factor_length), 9.0 * counts.nodes_of_constraint);
    let (constraints, pairs) = (real(counts.constraints), real(counts.pairs));
    let (solves, sums) = match method {
        SolveMethod::NodalInverse => {
            let part = if counts.symmetric { LEFT } else { 1.0 };
            (
                6.0 * part * real(counts.nodes) / counts.lifetime.updates(),
                nodes * real(counts.nodes) * constraints + (nodes + 54.0) * pairs,
            )
        }
        SolveMethod::HalfSolve => (3.0 * constraints, 9.0 * real(counts.dofs) * pairs),
        SolveMethod::FullSolve => (6.0 * constraints, (nodes + 27.0) * pairs),
    };
    solves * solve + SHORT_SUM * sums
}

/// The method with the fewest multiplications; if several are equal, the first in the order of [`SolveMethod`]. The half solve needs
/// LLᵀ. The nodal inverse is excluded if it takes more than `bytes`.
pub fn cheapest(counts: &Counts, bytes: usize) -> SolveMethod {
    let methods = [SolveMethod::NodalInverse, SolveMethod::HalfSolve, SolveMethod::FullSolve];
    let possible = methods.into_iter().filter(|method| match method {
        SolveMethod::NodalInverse => NodalInverse::bytes_of(counts.nodes, counts.symmetric) <= bytes,
        SolveMethod::HalfSolve => counts.symmetric,
        SolveMethod::FullSolve => true,
    });
    possible
        .map(|method| (method, multiplications(counts, method)))
        .reduce(|best, other| if other.1 < best.1 { other } else { best })
        .map_or(SolveMethod::FullSolve, |(method, _)| method)
}

/// The quantities on which the choice depends for operators given by columns.
#[derive(Clone, Copy, Debug)]
pub struct InverseCounts {
    /// c, the number of different dofs of all constraints together.
    pub dofs: usize,
    /// m, the number of constraints on the body.
    pub constraints: usize,
    /// The number of nonzero columns of all operators.
    pub columns: usize,
    /// ℓ, the number of values in the factor.
    pub factor_length: usize,
}

impl InverseCounts {
    /// Whether G, the entries of A⁻¹ at the dofs of the constraints, takes fewer multiplications than A⁻¹Hᵀ. G is kept between updates:
    /// it takes c · 2ℓ · 0.625 / updates, and 3 c for the product with a column; A⁻¹Hᵀ takes 3 m · 2ℓ. The symmetric A is expected to
    /// last a few updates; their number is a guess. Returns false if G takes more than `bytes`.
    pub fn inverse_pays(&self, bytes: usize) -> bool {
        const UPDATES: f64 = 4.0;
        let [dofs, constraints, columns, factor_length] =
            [self.dofs, self.constraints, self.columns, self.factor_length].map(|count| count as f64);
        let solves = 2.0 * factor_length;
        let inverse = solves * LEFT * dofs / UPDATES + 3.0 * columns * dofs;
        size_of::<f64>() as f64 * dofs * dofs <= bytes as f64 && inverse < 3.0 * constraints * solves
    }
}
