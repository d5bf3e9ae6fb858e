//! Bodies: how their points move, what A⁻¹ is, and their generalised velocities.
#![forbid(unsafe_code)]

use std::fmt;
use std::ops::Range;

use crate::inertia::{self, BlockDiagonal, Boxed, Defect, FactorError, Inverse, Matrix, Structure};
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::{self, PseudoRigid};
use crate::kinematics::rigid::{self, Rigid};
use crate::math::{Block, Vector, deviation_from_orthonormal, inverse_symmetric, is_finite};
use crate::memory::{collected, repeated, with_room};
use crate::rows::fault::check_size;

use super::error::{Checked, Fault};

/// How the points of a body move with its generalised velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kinematics {
    /// x = Λ (X − X̄) + x̄, u = (angular velocity in the referential frame, velocity of the centre), theory (43).
    Rigid {
        /// Λ, column-major.
        rotation: Block,
        /// X̄, the referential mass centre.
        center: Vector,
    },
    /// x = F (X − X̄) + x̄, u = (rate of F row by row, velocity of the centre), theory (44).
    PseudoRigid {
        /// X̄, the referential mass centre.
        center: Vector,
    },
    /// Known to the user alone, who gives operators H.
    General,
}

/// Applies A⁻¹ for a body. It is called by the thread that updates or multiplies, never by two at once.
pub trait Solve: Send + Sync {
    /// Replace the columns of `x`, `size` values each and one behind the other, by A⁻¹ times them; a number other than
    /// zero says that this failed.
    fn solve(&self, size: usize, x: &mut [f64]) -> i32;
}

impl<T: Solve> Solve for [T; 1] {
    fn solve(&self, size: usize, x: &mut [f64]) -> i32 {
        self[0].solve(size, x)
    }
}

/// The part of a model that a body is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its model.
    pub(super) model: usize,
    /// Where its generalised velocities are in stacked columns.
    pub(super) place: Range<usize>,
}

/// What is known of A.
#[allow(clippy::large_enum_variant, reason = "most bodies have blocks, and go without an allocation")]
pub enum Inertia {
    /// A⁻¹ = 0: an obstacle, whose velocity is prescribed.
    Obstacle,
    /// A⁻¹ in 3×3 blocks along the diagonal: two of a rigid body, four of a pseudo-rigid one.
    Blocks {
        /// The blocks, column-major; of a rigid body two count.
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
    /// The lower triangle of A in compressed sparse columns, the diagonal first and then ascending rows in each.
    Matrix {
        /// First entries of the columns, and the end.
        starts: Vec<i32>,
        /// Row of each entry.
        rows: Vec<i32>,
        /// The entries.
        values: Vec<f64>,
    },
    /// A⁻¹ is applied by the user.
    Solver(Box<dyn Solve>),
    /// A⁻¹ is applied by the user, for all bodies of a model at once.
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

/// Starts of the values of the blocks, and their first rows.
const BLOCK_STARTS: [i32; 5] = [0, 9, 18, 27, 36];
const BLOCK_ROWS: [i32; 5] = [0, 3, 6, 9, 12];

/// How far the two halves of a symmetric matrix may be apart, relative to its diagonal.
const ASYMMETRY: f64 = 1e-10;

impl Inertia {
    /// A⁻¹ of a rigid body: of its referential inertia, and of its mass.
    ///
    /// # Errors
    /// If they are not finite, symmetric and positive definite.
    pub fn rigid(mass: f64, inertia: &Block) -> Checked<Self> {
        let (moments, weight) = (inverse_of("the referential inertia", inertia)?, inverse_of_mass(mass)?);
        let mut values = [0.0; 36];
        values[..9].copy_from_slice(&moments);
        values[9..18].copy_from_slice(&weight);
        Ok(Self::Blocks { values, count: 2 })
    }

    /// A⁻¹ of a pseudo-rigid body: three times of its Euler tensor, and of its mass.
    ///
    /// # Errors
    /// If they are not finite, symmetric and positive definite.
    pub fn pseudo_rigid(mass: f64, euler: &Block) -> Checked<Self> {
        let (tensor, weight) = (inverse_of("the Euler tensor", euler)?, inverse_of_mass(mass)?);
        let mut values = [0.0; 36];
        values
            .chunks_exact_mut(9)
            .zip([tensor, tensor, tensor, weight])
            .for_each(|(to, from)| to.copy_from_slice(&from));
        Ok(Self::Blocks { values, count: 4 })
    }

    /// A dense A⁻¹, column-major, `size`² values.
    ///
    /// # Errors
    /// If there are not as many, they are not finite, not symmetric up to 1e-10 of the diagonal, or memory is exhausted.
    pub fn dense(size: usize, inverse: &[f64]) -> Checked<Self> {
        check_dense(size, inverse)?;
        Ok(Self::Dense(copied(inverse)?))
    }

    /// Take another dense A⁻¹ in the place of one of the same size. Whether there was one.
    ///
    /// # Errors
    /// As [`Inertia::dense`]; nothing has changed then.
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

    /// The diagonal of A⁻¹, of which nothing may be negative.
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

    /// A symmetric positive definite A in compressed sparse columns. Of a matrix with entries above the diagonal the
    /// lower triangle is kept, and the upper one must agree with it up to 1e-10 of the diagonal.
    ///
    /// # Errors
    /// If the columns are ill-formed or not symmetric, a value is not finite, or memory is exhausted. Whether A is positive
    /// definite shows when it is factored.
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
        let mut lower = Lower { starts: with_room(starts.len())?, entries: with_room(rows.len())? };
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

    /// Take the entries of another A in the place of one whose lower triangle was given with the same columns and rows: they have
    /// been checked then. Whether there was one.
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

    /// A⁻¹ applied by a solver.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn solver(solver: impl Solve + 'static) -> Checked<Self> {
        Ok(Self::Solver(Boxed::new(solver)?.into_box()))
    }

    /// Number of generalised velocities; `None` if any number goes.
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

    /// Whether it goes with operators of nodes: panels of meshes take a matrix A or a diagonal A⁻¹.
    pub(super) fn is_of_nodes(&self) -> bool {
        matches!(self, Self::Matrix { .. } | Self::Diagonal { .. })
    }

    /// Whether A⁻¹ is applied by the user.
    pub(super) fn is_users(&self) -> bool {
        matches!(self, Self::Solver(_) | Self::Member(_))
    }

    /// As an update wants it; `None` of obstacles and of what the user applies.
    pub(super) fn view(&self) -> Result<Option<inertia::Inertia<'_>>, Defect> {
        let inverse = match self {
            Self::Obstacle | Self::Solver(_) | Self::Member(_) => return Ok(None),
            Self::Matrix { starts, rows, values } => {
                let structure = Structure::PositiveDefinite;
                return Ok(Some(inertia::Inertia::Matrix(Matrix { structure, starts, rows, values })));
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
        Ok(Some(inertia::Inertia::Inverse(inverse)))
    }
}

/// The lower triangle of a matrix while it is put together.
struct Lower {
    starts: Vec<i32>,
    /// Row and value.
    entries: Vec<(i32, f64)>,
}

impl Lower {
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

/// Whether these are the values of a dense A⁻¹: finite, and symmetric up to rounding.
fn check_dense(size: usize, inverse: &[f64]) -> Checked {
    check_size("the dense inverse", size.saturating_mul(size), inverse.len())?;
    finite("the dense inverse", inverse)?;
    let diagonal = |k: usize| inverse[k * (size + 1)].abs();
    let least = (0..size).map(diagonal).fold(f64::INFINITY, f64::min);
    // What is close beside the least of them is so beside all, and most matrices are.
    let is_symmetric = is_symmetric(size, inverse, |_, _| least)
        || is_symmetric(size, inverse, |i, j| f64::max(diagonal(i), diagonal(j)));
    ensure!(is_symmetric, Fault::Invalid("the dense inverse is not symmetric"));
    Ok(())
}

/// Whether entries (i, j) and (j, i) of a square matrix are close beside `scale` of i and j.
#[inline(always)]
fn is_symmetric(size: usize, values: &[f64], scale: impl Fn(usize, usize) -> f64) -> bool {
    let columns = || values.chunks_exact(size.max(1));
    let mut are_close = true;
    for (j, column) in columns().enumerate() {
        // Without a branch for each.
        for (i, (row, value)) in columns().zip(&column[..j]).enumerate() {
            are_close &= (value - row[j]).abs() <= ASYMMETRY * scale(i, j);
        }
    }
    are_close
}

fn inverse_of(what: &'static str, b: &Block) -> Checked<Block> {
    finite(what, b)?;
    let scale = b[0].abs().max(b[4].abs()).max(b[8].abs());
    let are_close = |i: usize, j: usize| (b[i] - b[j]).abs() <= ASYMMETRY * scale;
    let why = "its inertia is not symmetric";
    ensure!(are_close(1, 3) && are_close(2, 6) && are_close(5, 7), Fault::Invalid(why));
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

/// Whether axes are orthonormal to within 1e-8; what to say if not.
pub(super) fn orthonormal(what: &'static str, axes: &Block) -> Checked {
    if deviation_from_orthonormal(axes) <= 1e-8 { Ok(()) } else { Err(Fault::Invalid(what)) }
}

/// Whether values have the same bits: 0 and −0 do not, and what is made of them may not either.
pub(super) fn same_bits(one: &[f64], other: &[f64]) -> bool {
    let pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.fold(0, |bits, (a, b)| bits | (a.to_bits() ^ b.to_bits())) == 0
}

pub(super) fn copied<T: Copy>(values: &[T]) -> Checked<Vec<T>> {
    Ok(collected(values.len(), values.iter().copied())?)
}

/// A body.
#[derive(Debug)]
pub struct Body {
    pub(super) kinematics: Kinematics,
    pub(super) inertia: Inertia,
    /// Generalised velocities: the previous and the free one, one behind the other.
    pub(super) velocities: Vec<f64>,
    /// Constraints on the body, one counted twice if it is master and slave.
    pub(super) users: usize,
}

impl Body {
    /// A body at rest.
    ///
    /// # Errors
    /// If kinematics and inertia have different numbers of velocities, the configuration is not finite, or memory is
    /// exhausted.
    pub fn new(dofs: usize, kinematics: Kinematics, inertia: Inertia) -> Checked<Self> {
        kinematics.check()?;
        if dofs == 0 || kinematics.dofs().is_some_and(|expected| expected != dofs) {
            let (what, expected) = ("its generalised velocity", kinematics.dofs().unwrap_or(1));
            return Err(Fault::Size { what, expected, found: dofs });
        }
        fits(&inertia, dofs)?;
        Ok(Self { kinematics, inertia, velocities: repeated(2 * dofs, 0.0)?, users: 0 })
    }

    /// Number of generalised velocities.
    pub fn dofs(&self) -> usize {
        self.velocities.len() / 2
    }

    /// How its points move.
    pub fn kinematics(&self) -> &Kinematics {
        &self.kinematics
    }

    /// What is known of A.
    pub fn inertia(&self) -> &Inertia {
        &self.inertia
    }

    /// The free velocity, of which B is made.
    pub fn velocity(&self) -> &[f64] {
        &self.velocities[self.dofs()..]
    }

    /// The previous velocity, of which V is made.
    pub fn previous_velocity(&self) -> &[f64] {
        &self.velocities[..self.dofs()]
    }

    pub(super) fn velocity_mut(&mut self) -> &mut [f64] {
        let dofs = self.dofs();
        &mut self.velocities[dofs..]
    }

    pub(super) fn previous_velocity_mut(&mut self) -> &mut [f64] {
        let dofs = self.dofs();
        &mut self.velocities[..dofs]
    }

    /// Set how its points move; whether that changes anything.
    pub(super) fn set_kinematics(&mut self, kinematics: Kinematics) -> Checked<bool> {
        kinematics.check()?;
        let changes = !self.kinematics.has_bits_of(&kinematics);
        self.kinematics = kinematics;
        Ok(changes)
    }

    /// Set what is known of A; what was known before.
    pub(super) fn set_inertia(&mut self, inertia: Inertia) -> Checked<Inertia> {
        fits(&inertia, self.dofs())?;
        Ok(std::mem::replace(&mut self.inertia, inertia))
    }

    /// A referential point and what ties it to the velocity; `None` if only the user knows.
    pub(super) fn point<'a>(&'a self, point: &Vector) -> Option<Point<'a>> {
        match &self.kinematics {
            Kinematics::Rigid { rotation, center } => Some(Point::Rigid(Rigid { rotation, center }, *point)),
            Kinematics::PseudoRigid { center } => Some(Point::PseudoRigid(PseudoRigid { center }, *point)),
            Kinematics::General => None,
        }
    }
}

fn fits(inertia: &Inertia, dofs: usize) -> Checked {
    inertia.size().map_or(Ok(()), |found| Ok(check_size("rows of its inertia", dofs, found)?))
}

impl Kinematics {
    /// Number of generalised velocities, if they are known.
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

    /// Whether Λ of a rigid body is orthonormal.
    ///
    /// # Errors
    /// If not.
    pub(super) fn check_rotation(&self) -> Checked {
        match self {
            Self::Rigid { rotation, .. } => {
                orthonormal("its rotation is not orthonormal to within 1e-8", rotation)
            }
            _ => Ok(()),
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
        // Rounding in the upper triangle does not count.
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
        // Another value, one too many, one missing.
        refused(&[0, 1, 0, 1, 2, 1, 2], &[0, 2, 5, 7], &[4.0, 1.0, 1.1, 5.0, 2.0, 2.0, 6.0]);
        refused(&[0, 0, 1, 2, 1, 2], &[0, 1, 4, 6], &[4.0, 1.0, 5.0, 2.0, 2.0, 6.0]);
        refused(&[0, 1, 1, 2, 1, 2], &[0, 2, 4, 6], &[4.0, 1.0, 5.0, 2.0, 2.0, 6.0]);
        let twice = lower(&[0, 2, 3], &[0, 0, 1], &[1.0, 1.0, 1.0]);
        assert_eq!(twice, Err(Fault::Matrix(FactorError::Matrix(Defect::Duplicate))));
        assert_eq!(lower(&[0], &[], &[]), Err(Fault::Matrix(FactorError::Matrix(Defect::Size))));
    }

    #[test]
    fn entries_of_a_dense_inverse_are_close_beside_the_greater_of_their_diagonal_entries() {
        // A diagonal of 1, 1e4 and −1e6, and how much the entries of a pair differ.
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
