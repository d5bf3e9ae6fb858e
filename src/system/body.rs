//! Bodies: their kinematics, inertia and generalized velocities.
#![forbid(unsafe_code)]

use std::fmt;

use crate::fault::check_size;
use crate::inertia::{self, BlockDiagonal, Defect, FactorError, Inverse, Matrix, Structure};
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::{self, PseudoRigid};
use crate::kinematics::rigid::{self, Rigid};
use crate::math::simd::{F64x4, Kernel, SimdLevel, at_best};
use crate::math::{Block, Real, Vector, inverse_symmetric, is_finite};
use crate::memory::{collected, copied, repeated, with_capacity};

use super::error::{Checked, Fault};
use super::inverse_callback::{BoxedSolver, Member, Solve};

/// How the points of a body move with its generalized velocity.
///
/// ```
/// use ldy::system::{Inertia, Kinematics, System};
///
/// let axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let mut system = System::new();
/// let floor = Kinematics::Rigid { rotation: axes, center: [0.0; 3] };
/// system.add_body(6, floor, Inertia::Obstacle)?;
/// // A reduced model with two velocities.
/// system.add_body(2, Kinematics::General, Inertia::diagonal(&[1.0, 0.5])?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kinematics {
    /// x = Λ (X − X̄) + x̄, u = (angular velocity in the referential frame, velocity of the center), theory (43).
    Rigid {
        /// Λ, column-major.
        rotation: Block,
        /// X̄, the referential mass center.
        center: Vector,
    },
    /// x = F (X − X̄) + x̄, u = (rate of F row by row, velocity of the center), theory (44).
    PseudoRigid {
        /// X̄, the referential mass center.
        center: Vector,
    },
    /// Known to the user alone, who passes operators H.
    General,
}

/// The inertia of a body: A or A⁻¹ in one of several forms.
///
/// ```
/// use ldy::system::Inertia;
///
/// assert_eq!(Inertia::diagonal(&[1.0, 2.0])?.size(), Some(2));
/// assert_eq!(Inertia::dense(2, &[2.0, 1.0, 1.0, 2.0])?.size(), Some(2));
/// // A = [[2, 1], [1, 4]], by columns.
/// let (starts, rows) = ([0, 2, 4], [0, 1, 0, 1]);
/// assert_eq!(Inertia::matrix(&starts, &rows, &[2.0, 1.0, 1.0, 4.0])?.size(), Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[allow(clippy::large_enum_variant, reason = "most bodies have blocks, and go without an allocation")]
#[non_exhaustive]
pub enum Inertia {
    /// A⁻¹ = 0: an obstacle, whose velocity is prescribed.
    Obstacle,
    /// A⁻¹ in 3×3 blocks along the diagonal: a rigid body has two, a pseudo-rigid body four.
    Blocks {
        /// The blocks, column-major; only the first `count` blocks are read.
        values: [f64; 36],
        /// 2 or 4.
        count: usize,
    },
    /// A⁻¹, column-major.
    Dense(Vec<f64>),
    /// The diagonal of A⁻¹.
    Diagonal {
        /// The diagonal.
        values: Vec<f64>,
        /// 0, 1, …, n.
        ends: Vec<i32>,
    },
    /// The lower triangle of A in compressed sparse columns; each column has the diagonal entry first, then ascending rows.
    Matrix {
        /// The first entry of each column, and the end.
        starts: Vec<i32>,
        /// The row of each entry.
        rows: Vec<i32>,
        /// The entries.
        values: Vec<f64>,
    },
    /// The user's inverse callback applies A⁻¹.
    Solver(BoxedSolver),
    /// One inverse callback of the user applies A⁻¹ of all bodies of a model at once.
    Member(Member),
}

impl fmt::Debug for Inertia {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Obstacle => "Obstacle",
            Self::Blocks { .. } => "Blocks",
            Self::Dense(_) => "Dense",
            Self::Diagonal { .. } => "Diagonal",
            Self::Matrix { .. } => "Matrix",
            Self::Solver(_) => "Solver",
            Self::Member(_) => "Member",
        })
    }
}

/// The starts of the values of the blocks, and the first rows of the blocks.
const BLOCK_STARTS: [i32; 5] = [0, 9, 18, 27, 36];
const BLOCK_ROWS: [i32; 5] = [0, 3, 6, 9, 12];

/// The largest difference between the two halves of a symmetric matrix, relative to its diagonal.
const ASYMMETRY: f64 = 1e-10;

impl Inertia {
    /// Make A⁻¹ of a rigid body: the inverses of its referential inertia and of its mass.
    ///
    /// # Errors
    /// If they are not finite, symmetric and positive definite.
    pub fn rigid(mass: f64, inertia: &Block) -> Checked<Self> {
        Ok(Self::blocks([inverse_of("the referential inertia", inertia)?, inverse_of_mass(mass)?]))
    }

    /// Make A⁻¹ of a pseudo-rigid body: the inverse of its Euler tensor three times, and the inverse of its mass.
    ///
    /// # Errors
    /// If they are not finite, symmetric and positive definite.
    pub fn pseudo_rigid(mass: f64, euler: &Block) -> Checked<Self> {
        let (tensor, weight) = (inverse_of("the Euler tensor", euler)?, inverse_of_mass(mass)?);
        Ok(Self::blocks([tensor, tensor, tensor, weight]))
    }

    fn blocks<const N: usize>(blocks: [Block; N]) -> Self {
        let mut values = [0.0; 36];
        values[..9 * N].copy_from_slice(blocks.as_flattened());
        Self::Blocks { values, count: N }
    }

    /// Make a dense A⁻¹ from `size`² values, column-major.
    ///
    /// # Errors
    /// If the number of values is wrong, a value is not finite, the matrix is not symmetric up to 1e-10 of its diagonal, or memory
    /// is exhausted.
    pub fn dense(size: usize, inverse: &[f64]) -> Checked<Self> {
        check_dense(size, inverse)?;
        Ok(Self::Dense(copied(inverse)?))
    }

    /// Replace a dense A⁻¹ by another one of the same size. Returns false, and changes nothing, if there is no such A⁻¹.
    ///
    /// # Errors
    /// The errors of [`Inertia::dense`]; nothing has changed then.
    pub(super) fn replace_dense(&mut self, size: usize, inverse: &[f64]) -> Checked<bool> {
        match self {
            Self::Dense(values) if values.len() == size.saturating_mul(size) => {
                check_dense(size, inverse)?;
                values.copy_from_slice(inverse);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Make a diagonal A⁻¹; no value may be negative.
    ///
    /// # Errors
    /// If a value is negative or not finite, or memory is exhausted.
    pub fn diagonal(inverse: &[f64]) -> Checked<Self> {
        finite("the diagonal inverse", inverse)?;
        let why = "the diagonal inverse has a negative value";
        ensure!(!inverse.iter().any(|&value| value < 0.0), Fault::Invalid(why));
        let size = i32::try_from(inverse.len()).map_err(|_| Fault::Memory)?;
        let ends = collected(inverse.len() + 1, 0..=size)?;
        Ok(Self::Diagonal { values: copied(inverse)?, ends })
    }

    /// Make a symmetric positive definite A from compressed sparse columns. If there are entries above the diagonal, the lower
    /// triangle is kept, and the upper one must agree with it up to 1e-10 of the diagonal.
    ///
    /// # Errors
    /// If the columns are ill-formed or not symmetric, a value is not finite, or memory is exhausted. A matrix that is not positive
    /// definite is found only when it is factored.
    pub fn matrix(starts: &[i32], rows: &[i32], values: &[f64]) -> Checked<Self> {
        let of = |structure| Matrix { structure, starts, rows, values };
        match of(Structure::PositiveDefinite).check() {
            Err(FactorError::Matrix(_)) => {}
            checked => {
                checked?;
                let (starts, rows) = (copied(starts)?, copied(rows)?);
                return Ok(Self::Matrix { starts, rows, values: copied(values)? });
            }
        }
        of(Structure::General).check()?;
        let columns = || {
            starts.windows(2).enumerate().map(|(j, range)| (j as i32, range[0] as usize..range[1] as usize))
        };
        let mut lower =
            LowerTriangle { starts: with_capacity(starts.len())?, entries: with_capacity(rows.len())? };
        for (j, range) in columns() {
            lower.start_column();
            let start = lower.entries.len();
            lower.entries.extend(range.filter(|&k| rows[k] >= j).map(|k| (rows[k], values[k])));
            lower.entries[start..].sort_unstable_by_key(|entry| entry.0);
            let not_positive = FactorError::NotPositiveDefinite { row: j as usize };
            ensure!(lower.entries.get(start).is_some_and(|entry| entry.0 == j), Fault::Matrix(not_positive));
        }
        lower.start_column();
        let above = columns().flat_map(|(j, range)| range.filter(move |&k| rows[k] < j).map(move |k| (k, j)));
        let mut count = 0;
        for (k, column) in above {
            count += 1;
            ensure!(lower.has(column, rows[k], values[k]), Fault::Invalid("the matrix A is not symmetric"));
        }
        let why = "the matrix A is not symmetric: entries are missing";
        ensure!(count == 0 || count == lower.entries.len() - (starts.len() - 1), Fault::Invalid(why));
        lower.into_inertia()
    }

    /// Replace the entries of A by other ones, if its lower triangle was given with the same columns and rows: these have been
    /// checked then. Returns false, and changes nothing, if there is no such A.
    ///
    /// # Errors
    /// If a value is not finite; nothing has changed then.
    pub(super) fn replace_matrix(&mut self, starts: &[i32], rows: &[i32], values: &[f64]) -> Checked<bool> {
        match self {
            Self::Matrix { starts: own_starts, rows: own_rows, values: own }
                if own_rows == rows && own_starts == starts && own.len() == values.len() =>
            {
                if !is_finite(values) {
                    return Err(FactorError::NotFinite.into());
                }
                own.copy_from_slice(values);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Make an A⁻¹ that an inverse callback applies.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn solver(solver: impl Solve + 'static) -> Checked<Self> {
        Ok(Self::Solver(BoxedSolver::new(solver)?))
    }

    /// The number of generalized velocities; `None` if any number is possible.
    pub fn size(&self) -> Option<usize> {
        match self {
            Self::Obstacle | Self::Solver(_) => None,
            Self::Blocks { count, .. } => Some(3 * count),
            Self::Dense(values) => Some(values.len().isqrt()),
            Self::Diagonal { values, .. } => Some(values.len()),
            Self::Matrix { starts, .. } => Some(starts.len() - 1),
            Self::Member(member) => Some(member.place.len()),
        }
    }

    /// Whether nodal operators can be used with it: panels of meshes need a matrix A or a diagonal A⁻¹.
    pub(super) fn is_of_nodes(&self) -> bool {
        matches!(self, Self::Matrix { .. } | Self::Diagonal { .. })
    }

    /// Whether an inverse callback of the user applies A⁻¹.
    pub(super) fn is_users(&self) -> bool {
        matches!(self, Self::Solver(_) | Self::Member(_))
    }

    /// The inertia as an update reads it; `None` for obstacles and inverse callbacks.
    pub(super) fn view(&self) -> Result<Option<inertia::InertiaRef<'_>>, Defect> {
        let inverse = match self {
            Self::Obstacle | Self::Solver(_) | Self::Member(_) => return Ok(None),
            Self::Matrix { starts, rows, values } => {
                let structure = Structure::PositiveDefinite;
                return Ok(Some(inertia::InertiaRef::Matrix(Matrix { structure, starts, rows, values })));
            }
            Self::Blocks { values, count } => {
                let (starts, rows) = (&BLOCK_STARTS[..=*count], &BLOCK_ROWS[..=*count]);
                Inverse::BlockDiagonal(BlockDiagonal::new(starts, rows, &values[..9 * count])?)
            }
            Self::Dense(values) => Inverse::Dense(inertia::Dense::new(values.len().isqrt(), values)?),
            Self::Diagonal { values, ends } => {
                Inverse::BlockDiagonal(BlockDiagonal::new(ends, ends, values)?)
            }
        };
        Ok(Some(inertia::InertiaRef::Inverse(inverse)))
    }
}

/// The lower triangle of a matrix under construction.
struct LowerTriangle {
    starts: Vec<i32>,
    /// Row and value.
    entries: Vec<(i32, f64)>,
}

impl LowerTriangle {
    fn start_column(&mut self) {
        self.starts.push(self.entries.len() as i32);
    }

    fn column(&self, j: i32) -> &[(i32, f64)] {
        &self.entries[self.starts[j as usize] as usize..self.starts[j as usize + 1] as usize]
    }

    /// Whether entry (`row`, `column`) is the value, up to rounding.
    fn has(&self, row: i32, column: i32, value: f64) -> bool {
        let entries = self.column(column);
        let Ok(found) = entries.binary_search_by_key(&row, |entry| entry.0) else { return false };
        let scale = self.column(row)[0].1.abs().max(entries[0].1.abs());
        (entries[found].1 - value).abs() <= ASYMMETRY * scale
    }

    fn into_inertia(self) -> Checked<Inertia> {
        let rows = collected(self.entries.len(), self.entries.iter().map(|entry| entry.0))?;
        let values = collected(self.entries.len(), self.entries.iter().map(|entry| entry.1))?;
        Ok(Inertia::Matrix { starts: self.starts, rows, values })
    }
}

/// Check the values of a dense A⁻¹: they must be finite, and symmetric up to rounding.
fn check_dense(size: usize, inverse: &[f64]) -> Checked {
    check_size("the dense inverse", size.saturating_mul(size), inverse.len())?;
    // Most matrices pass this test.
    if at_best(IsClearlySymmetric { size, values: inverse }) {
        return Ok(());
    }
    finite("the dense inverse", inverse)?;
    let diagonal = |k: usize| inverse[k * (size + 1)].abs();
    let is_symmetric = is_symmetric(size, inverse, |i, j| f64::max(diagonal(i), diagonal(j)));
    ensure!(is_symmetric, Fault::Invalid("the dense inverse is not symmetric"));
    Ok(())
}

/// Whether a square matrix is finite, and entries (i, j) and (j, i) differ little relative to the least diagonal entry.
struct IsClearlySymmetric<'a> {
    size: usize,
    values: &'a [f64],
}

impl Kernel for IsClearlySymmetric<'_> {
    type Output = bool;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> bool {
        let Self { size, values } = self;
        let (mut most, mut most_of_rests, mut least) = (level.zero(), 0.0_f64, f64::INFINITY);
        // Zero, or not a number where a difference or a diagonal entry is not finite.
        let (mut zeros, mut zero) = (level.zero(), 0.0);
        for (j, column) in values.chunks_exact(size.max(1)).enumerate() {
            let (chunks, rest) = column[..j].as_chunks();
            for (chunk, first) in chunks.iter().zip((0..).step_by(4)) {
                let row = &values[first * size + j..];
                let own = level.load(chunk);
                let difference = own - level.load(&[row[0], row[size], row[2 * size], row[3 * size]]);
                most = most.max(difference.abs());
                zeros = zeros + difference * 0.0;
            }
            for (value, i) in rest.iter().zip(4 * chunks.len()..) {
                let difference = value - values[i * size + j];
                most_of_rests = most_of_rests.max(difference.abs());
                zero += difference * 0.0;
            }
            least = least.min(column[j].abs());
            zero += column[j] * 0.0;
        }
        let most = most.values().into_iter().fold(most_of_rests, f64::max);
        zero == 0.0 && zeros.all_finite() && most <= ASYMMETRY * least
    }
}

/// Whether entries (i, j) and (j, i) of a square matrix differ little relative to `scale` of i and j.
#[inline(always)]
fn is_symmetric(size: usize, values: &[f64], scale: impl Fn(usize, usize) -> f64) -> bool {
    let columns = || values.chunks_exact(size.max(1));
    let mut are_close = true;
    for (j, column) in columns().enumerate() {
        // No branch for each entry.
        for (i, (row, value)) in columns().zip(&column[..j]).enumerate() {
            are_close &= (value - row[j]).abs() <= ASYMMETRY * scale(i, j);
        }
    }
    are_close
}

fn inverse_of(what: &'static str, b: &Block) -> Checked<Block> {
    finite(what, b)?;
    let scale = b[0].abs().max(b[4].abs()).max(b[8].abs());
    ensure!(is_symmetric(3, b, |_, _| scale), Fault::Invalid("its inertia is not symmetric"));
    let minor = b[0] * b[4] - b[1] * b[1];
    let inverse = inverse_symmetric(b).filter(|inverse| is_finite(inverse));
    match inverse {
        Some(inverse) if b[0] > 0.0 && minor > 0.0 && inverse[8] > 0.0 => Ok(inverse),
        _ => Err(Fault::Invalid("its inertia is not positive definite")),
    }
}

fn inverse_of_mass(mass: f64) -> Checked<Block> {
    let weight = 1.0 / mass;
    let why = "its mass is not positive and finite";
    ensure!(mass > 0.0 && mass.is_finite() && weight.is_finite(), Fault::Invalid(why));
    Ok([weight, 0.0, 0.0, 0.0, weight, 0.0, 0.0, 0.0, weight])
}

pub(super) fn finite(what: &'static str, values: &[f64]) -> Checked {
    if is_finite(values) { Ok(()) } else { Err(Fault::NotFinite(what)) }
}

/// Whether values have the same bits: 0 and −0 have not, and results computed from them may differ.
pub(super) fn same_bits(one: &[f64], other: &[f64]) -> bool {
    let pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.fold(0, |bits, (a, b)| bits | (a.to_bits() ^ b.to_bits())) == 0
}

/// A body.
///
/// ```
/// use ldy::system::System;
///
/// let axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let mut system = System::new();
/// let id = system.add_rigid(2.0, &axes, &axes, &[0.0; 3])?;
/// system.set_velocity(id, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0])?;
/// let body = system.body(id)?;
/// assert_eq!((body.dofs(), body.velocity()[2]), (6, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Body {
    pub(super) kinematics: Kinematics,
    pub(super) inertia: Inertia,
    /// The previous generalized velocity, followed by the free one.
    pub(super) velocities: Vec<f64>,
    /// Where the mass center of a rigid body is in the world, if that is known.
    pub(super) position: Option<Vector>,
    /// The number of constraints on the body; a constraint with the body as master and slave counts twice.
    pub(super) users: usize,
}

impl Body {
    /// Make a body at rest.
    ///
    /// # Errors
    /// If kinematics and inertia have different numbers of velocities, the configuration is not finite, or memory is
    /// exhausted.
    pub fn new(dofs: usize, kinematics: Kinematics, inertia: Inertia) -> Checked<Self> {
        kinematics.check()?;
        if dofs == 0 || kinematics.dofs().is_some_and(|expected| expected != dofs) {
            let (what, expected) = ("its generalized velocity", kinematics.dofs().unwrap_or(1));
            return Err(Fault::Size { what, expected, found: dofs });
        }
        fits(&inertia, dofs)?;
        Ok(Self { kinematics, inertia, velocities: repeated(2 * dofs, 0.0)?, position: None, users: 0 })
    }

    /// The number of generalized velocities.
    pub fn dofs(&self) -> usize {
        self.velocities.len() / 2
    }

    /// Its kinematics.
    pub fn kinematics(&self) -> &Kinematics {
        &self.kinematics
    }

    /// Its inertia.
    pub fn inertia(&self) -> &Inertia {
        &self.inertia
    }

    /// The free velocity, from which B is computed.
    pub fn velocity(&self) -> &[f64] {
        &self.velocities[self.dofs()..]
    }

    /// The previous velocity, from which V is computed.
    pub fn previous_velocity(&self) -> &[f64] {
        &self.velocities[..self.dofs()]
    }

    /// Where the mass center of a rigid body is in the world, if [`System::set_positions`](super::System::set_positions) has set it.
    pub fn position(&self) -> Option<&Vector> {
        self.position.as_ref()
    }

    /// The previous or the free generalized velocity.
    pub(super) fn velocity_mut(&mut self, is_previous: bool) -> &mut [f64] {
        let dofs = self.dofs();
        let (previous, free) = self.velocities.split_at_mut(dofs);
        if is_previous { previous } else { free }
    }

    /// Set the kinematics; return whether that changes anything.
    pub(super) fn set_kinematics(&mut self, kinematics: Kinematics) -> Checked<bool> {
        kinematics.check()?;
        let changes = !self.kinematics.has_bits_of(&kinematics);
        self.kinematics = kinematics;
        Ok(changes)
    }

    /// Set the inertia, and return the previous one.
    pub(super) fn set_inertia(&mut self, inertia: Inertia) -> Checked<Inertia> {
        fits(&inertia, self.dofs())?;
        Ok(std::mem::replace(&mut self.inertia, inertia))
    }

    /// A referential point with the data that relate its velocity to the body's; `None` if only the user knows them.
    pub(super) fn point<'a>(&'a self, point: &Vector) -> Option<Point<'a>> {
        match &self.kinematics {
            Kinematics::Rigid { rotation, center } => Some(Point::Rigid(Rigid { rotation, center }, *point)),
            Kinematics::PseudoRigid { center } => Some(Point::PseudoRigid(PseudoRigid { center }, *point)),
            Kinematics::General => None,
        }
    }
}

fn fits(inertia: &Inertia, dofs: usize) -> Checked {
    inertia.size().map_or(Ok(()), |found| check_size("rows of its inertia", dofs, found))
}

impl Kinematics {
    /// The number of generalized velocities, if it is known.
    pub fn dofs(&self) -> Option<usize> {
        match self {
            Self::Rigid { .. } => Some(rigid::DOFS),
            Self::PseudoRigid { .. } => Some(pseudo_rigid::DOFS),
            Self::General => None,
        }
    }

    fn has_bits_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rigid { rotation, center }, Self::Rigid { rotation: other, center: place }) => {
                same_bits(rotation, other) && same_bits(center, place)
            }
            (Self::PseudoRigid { center }, Self::PseudoRigid { center: other }) => same_bits(center, other),
            (Self::General, Self::General) => true,
            _ => false,
        }
    }

    pub(super) fn check(&self) -> Checked {
        match self {
            Self::Rigid { rotation, center } => {
                finite("its rotation", rotation)?;
                finite("its centre", center)
            }
            Self::PseudoRigid { center } => finite("its centre", center),
            Self::General => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dense inverses of all sizes pass if they are finite and symmetric up to rounding, and each entry that is not is found.
    #[test]
    fn each_entry_of_a_dense_inverse_is_checked() {
        for size in 0..11 {
            // The diagonal entries differ by a factor of up to 1000.
            let entry = |i: usize, j: usize| if i == j { 10_f64.powi((i % 4) as i32) } else { 0.1 };
            let right: Vec<f64> = (0..size * size).map(|k| entry(k / size, k % size)).collect();
            let refused = |k: usize, value: f64| {
                let mut values = right.clone();
                values[k] = value;
                check_dense(size, &values).is_err()
            };
            assert_eq!(check_dense(size, &right), Ok(()));
            for k in 0..size * size {
                let (i, j) = (k / size, k % size);
                let scale = f64::max(entry(i, i), entry(j, j));
                assert_eq!(refused(k, entry(i, j) + 2e-10 * scale), i != j, "{size} {k}");
                assert!(!refused(k, entry(i, j) + 0.5e-10 * scale), "{size} {k}");
                assert!(
                    [f64::NAN, f64::INFINITY, -f64::INFINITY].iter().all(|x| refused(k, *x)),
                    "{size} {k}"
                );
            }
        }
    }

    /// 4 1 0 / 1 5 2 / 0 2 6.
    const LOWER: ([i32; 4], [i32; 5], [f64; 5]) = ([0, 2, 4, 5], [0, 1, 1, 2, 2], [4.0, 1.0, 5.0, 2.0, 6.0]);

    type Columns = (Vec<i32>, Vec<i32>, Vec<f64>);

    fn lower(starts: &[i32], rows: &[i32], values: &[f64]) -> Checked<Columns> {
        match Inertia::matrix(starts, rows, values)? {
            Inertia::Matrix { starts, rows, values } => Ok((starts, rows, values)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn of_any_form_the_lower_triangle_is_kept_in_order() {
        let (starts, rows, values) = LOWER;
        let expected = (starts.to_vec(), rows.to_vec(), values.to_vec());
        assert_eq!(lower(&starts, &rows, &values), Ok(expected.clone()));
        assert_eq!(lower(&starts, &[1, 0, 2, 1, 2], &[1.0, 4.0, 2.0, 5.0, 6.0]), Ok(expected.clone()));
        let whole = [1.0, 4.0, 2.0, 1.0, 5.0, 6.0, 2.0];
        assert_eq!(lower(&[0, 2, 5, 7], &[1, 0, 2, 0, 1, 2, 1], &whole), Ok(expected.clone()));
        // Rounding in the upper triangle is ignored.
        let rounded = [1.0, 4.0, 2.0, 1.0 + 1e-12, 5.0, 6.0, 2.0];
        assert_eq!(lower(&[0, 2, 5, 7], &[1, 0, 2, 0, 1, 2, 1], &rounded), Ok(expected));
    }

    #[test]
    fn what_is_not_symmetric_is_refused() {
        let refused = |rows: &[i32], starts: &[i32], values: &[f64]| {
            assert!(
                matches!(lower(starts, rows, values), Err(Fault::Invalid(text)) if text.contains("symmetric"))
            );
        };
        // One value differs, one is superfluous, one is missing.
        refused(&[0, 1, 0, 1, 2, 1, 2], &[0, 2, 5, 7], &[4.0, 1.0, 1.1, 5.0, 2.0, 2.0, 6.0]);
        refused(&[0, 0, 1, 2, 1, 2], &[0, 1, 4, 6], &[4.0, 1.0, 5.0, 2.0, 2.0, 6.0]);
        refused(&[0, 1, 1, 2, 1, 2], &[0, 2, 4, 6], &[4.0, 1.0, 5.0, 2.0, 2.0, 6.0]);
        let twice = lower(&[0, 2, 3], &[0, 0, 1], &[1.0, 1.0, 1.0]);
        assert_eq!(twice, Err(Fault::Matrix(FactorError::Matrix(Defect::Duplicate))));
        assert_eq!(lower(&[0], &[], &[]), Err(Fault::Matrix(FactorError::Matrix(Defect::Size))));
    }

    #[test]
    fn entries_of_a_dense_inverse_are_close_beside_the_greater_of_their_diagonal_entries() {
        // A diagonal of 1, 1e4 and −1e6, and the difference between the entries of a pair.
        let is_taken = |[i, j]: [usize; 2], difference: f64| {
            let mut values = [1.0, 0.0, 0.0, 0.0, 1e4, 0.0, 0.0, 0.0, -1e6];
            (values[i + 3 * j], values[j + 3 * i]) = (0.5, 0.5 + difference);
            Inertia::dense(3, &values).is_ok()
        };
        for (pair, greater) in [([0, 1], 1e4), ([0, 2], 1e6), ([1, 2], 1e6)] {
            for sign in [1.0, -1.0] {
                let close = 1e-10 * greater * sign;
                assert!(is_taken(pair, 0.0) && is_taken(pair, 0.9 * close), "{pair:?}");
                assert!(!is_taken(pair, 1.1 * close), "{pair:?}");
            }
        }
    }

    #[test]
    fn inertias_are_inverted_and_checked() {
        let tensor = [2.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.5];
        let Ok(Inertia::Blocks { values, count: 4 }) = Inertia::pseudo_rigid(4.0, &tensor) else { panic!() };
        let inverse = [1.0, -1.0, 0.0, -1.0, 2.0, 0.0, 0.0, 0.0, 2.0];
        assert!(values[..27].chunks(9).all(|block| block == inverse));
        assert_eq!((values[27], values[31], values[35], values[28]), (0.25, 0.25, 0.25, 0.0));
        let mut indefinite = tensor;
        indefinite[8] = -0.5;
        assert!(Inertia::rigid(1.0, &indefinite).is_err() && Inertia::rigid(1e-320, &tensor).is_err());
        assert!(Inertia::rigid(1.0, &[0.0; 9]).is_err() && Inertia::rigid(f64::INFINITY, &tensor).is_err());
    }

    #[test]
    fn a_body_and_its_inertia_have_the_same_size() {
        let rigid = Kinematics::Rigid { rotation: [0.0; 9], center: [0.0; 3] };
        let dense = |size: usize| Inertia::dense(size, DIAGONAL[..size * size].try_into().unwrap());
        const DIAGONAL: [f64; 36] = [0.0; 36];
        assert!(Body::new(6, rigid, dense(6).unwrap()).is_ok());
        assert!(Body::new(5, rigid, dense(5).unwrap()).is_err());
        assert!(Body::new(5, Kinematics::General, dense(4).unwrap()).is_err());
        assert!(Body::new(0, Kinematics::General, Inertia::Obstacle).is_err());
    }
}
