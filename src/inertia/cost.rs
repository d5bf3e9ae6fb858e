//! Which way to the blocks of W is the cheapest for a body with a factored matrix, by counting multiplications.
//!
//! The choice depends on the body as it is at the update alone, and not on what is kept from earlier ones: each way has
//! last bits of its own, and the same body shall have the same W whatever was computed before. What pays only later is
//! divided by the updates that a matrix of this kind is expected to last.

use super::NodalInverse;

/// What the choice depends on.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// n, generalized velocities of the body.
    pub dofs: usize,
    /// ℓ, numbers in the factor.
    pub factor_length: usize,
    /// Whether the factor is LLᵀ.
    pub symmetric: bool,
    /// m, constraints on the body.
    pub constraints: usize,
    /// p, pairs of constraints on the body whose blocks are wanted, each pair once, with the diagonal blocks.
    pub pairs: usize,
    /// c, different nodes of all constraints together.
    pub nodes: usize,
    /// q, nodes of a constraint, the mean.
    pub nodes_of_constraint: f64,
    /// How long the matrix is expected to last.
    pub lifetime: MatrixLifetime,
}

/// How long a matrix A is expected to last, by the kind of its body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatrixLifetime {
    /// It stays, as long as the time step does.
    #[default]
    ManyUpdates,
    /// It is another one in each update.
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

/// A way to the blocks of W.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveMethod {
    /// G, the entries of A⁻¹ on the nodes of the constraints, kept between updates; W_αβ = h H_α G H_βᵀ.
    NodalInverse,
    /// Y = L⁻¹P Hᵀ; W_αβ = h Y_αᵀ Y_β.
    HalfSolve,
    /// Y = A⁻¹Hᵀ; W_αβ = h H_α Y_β, with the few nodes of H_α.
    FullSolve,
}

/// A multiplication in the short sums of 3×3 blocks, in those of a solve, which works on dense columns: four to six
/// where it was measured (AVX-512).
const SHORT_SUM: f64 = 5.0;

/// What is left of the solves for the nodal inverse of a symmetric A, where zeros and rows of no interest are left out,
/// in time: 0.55 to 0.65 where it was measured.
const LEFT: f64 = 0.625;

/// Multiplications of each way, in those of a solve.
///
/// | way | solves | sums of blocks |
/// | --- | --- | --- |
/// | nodal inverse | 3c · 2ℓ · 0.625 / updates; without symmetry 3c · 2ℓ / updates | 9 q c m for G Nᵀ, (9q + 54) p for pairs |
/// | half solve | 3 m ℓ | 9 n p |
/// | full solve | 3 m · 2ℓ | (9q + 27) p |
pub fn multiplications(counts: &Counts, way: SolveMethod) -> f64 {
    let real = |count: usize| count as f64;
    let (solve, nodes) = (real(counts.factor_length), 9.0 * counts.nodes_of_constraint);
    let (constraints, pairs) = (real(counts.constraints), real(counts.pairs));
    let (solves, sums) = match way {
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

/// The way with the fewest multiplications; the first of equals in the order of [`SolveMethod`]. The half solve needs
/// LLᵀ. With more than `bytes` for the nodal inverse that way is not taken.
pub fn cheapest(counts: &Counts, bytes: usize) -> SolveMethod {
    let ways = [SolveMethod::NodalInverse, SolveMethod::HalfSolve, SolveMethod::FullSolve];
    let possible = ways.into_iter().filter(|way| match way {
        SolveMethod::NodalInverse => NodalInverse::bytes_of(counts.nodes, counts.symmetric) <= bytes,
        SolveMethod::HalfSolve => counts.symmetric,
        SolveMethod::FullSolve => true,
    });
    possible
        .map(|way| (way, multiplications(counts, way)))
        .reduce(|best, other| if other.1 < best.1 { other } else { best })
        .map_or(SolveMethod::FullSolve, |(way, _)| way)
}

/// What the choice depends on for operators whose columns are given.
#[derive(Clone, Copy, Debug)]
pub struct InverseCounts {
    /// c, different dofs of all constraints together.
    pub dofs: usize,
    /// m, constraints on the body.
    pub constraints: usize,
    /// Columns of all operators that are not zero.
    pub columns: usize,
    /// ℓ, numbers in the factor.
    pub factor_length: usize,
}

impl InverseCounts {
    /// Whether G, the entries of A⁻¹ at the dofs of the constraints, kept between updates, takes fewer multiplications than
    /// A⁻¹Hᵀ: c · 2ℓ · 0.625 / updates and 3 c for the product of G and a column, against 3 m · 2ℓ. The symmetric A is expected to
    /// last some updates, nobody knows how many. With more than `bytes` for G that way is not taken.
    pub fn inverse_pays(&self, bytes: usize) -> bool {
        const UPDATES: f64 = 4.0;
        let [dofs, constraints, columns, factor_length] =
            [self.dofs, self.constraints, self.columns, self.factor_length].map(|count| count as f64);
        let solves = 2.0 * factor_length;
        let inverse = solves * LEFT * dofs / UPDATES + 3.0 * columns * dofs;
        size_of::<f64>() as f64 * dofs * dofs <= bytes as f64 && inverse < 3.0 * constraints * solves
    }
}
