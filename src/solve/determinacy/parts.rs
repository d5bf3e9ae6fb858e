//! The parts of a null space that depend on each other through cones: each is a small cone program of its own.

use crate::memory::{self, collect, push, refill};
use crate::solve::islands::{join, root};

use super::faces::{Direction, Faces, NONE};
use super::null_space::NullSpace;
use super::program::ConeProgram;

/// The parts: lists of a part and its null vector, direction or cone, ascending.
#[derive(Debug, Default)]
pub struct Parts {
    parents: Vec<u32>,
    vectors: Vec<(u32, u32)>,
    directions: Vec<(u32, u32)>,
    cones: Vec<(u32, u32)>,
    /// The parts.
    pub all: Vec<u32>,
}

impl Parts {
    /// Find the parts.
    pub fn find(&mut self, faces: &Faces, null: &NullSpace) -> memory::Result {
        let Self { parents, vectors, directions, cones, all } = self;
        collect(parents, null.parents().len(), null.parents().iter().copied())?;
        let moving = |k: &usize| *k != NONE && null.moves[*k];
        for cone in &faces.cones {
            let mut own = cone.directions.iter().copied().filter(moving);
            if let Some(first) = own.next() {
                own.for_each(|other| _ = join(parents, first as u32, other as u32));
            }
        }
        for list in [&mut *vectors, directions, cones] {
            list.clear();
        }
        for vector in 0..null.len() {
            let first = null.vector(vector)[0].0;
            push(vectors, (root(parents, first), vector as u32))?;
        }
        for (k, _) in null.moves.iter().enumerate().filter(|(_, moves)| **moves) {
            push(directions, (root(parents, k as u32), k as u32))?;
        }
        for (number, cone) in faces.cones.iter().enumerate() {
            if let Some(k) = cone.directions.iter().copied().find(moving) {
                push(cones, (root(parents, k as u32), number as u32))?;
            }
        }
        for list in [&mut *vectors, directions, cones] {
            list.sort_unstable();
        }
        collect(all, vectors.len(), vectors.iter().map(|&(part, _)| part))?;
        all.dedup();
        Ok(())
    }

    /// The part of a direction that a null vector moves.
    pub fn of_direction(&mut self, direction: usize) -> u32 {
        root(&mut self.parents, direction as u32)
    }
}

/// The members of a part in one of the lists.
fn members(list: &[(u32, u32)], part: u32) -> &[(u32, u32)] {
    let first = list.partition_point(|&(other, _)| other < part);
    let count = list[first..].partition_point(|&(other, _)| other == part);
    &list[first..first + count]
}

/// A part as a cone program: t_k = t_k⁰ + size (e_k · x) / w_k, where the rows e_k have orthonormal columns and w_k is √d times the
/// length of the direction. So |√d R| changes by size |x|.
#[derive(Debug, Default)]
pub struct PartProgram {
    /// The part.
    part: Option<u32>,
    /// The directions, ascending, with w.
    pub directions: Vec<(u32, f64)>,
    /// The orthonormal columns.
    basis: Vec<f64>,
    /// The unit of forces, as √d R.
    pub size: f64,
    pub program: ConeProgram,
    /// The coefficients of a linear function.
    pub linear: Vec<f64>,
}

impl PartProgram {
    /// Make the program of a part, unless it is the last one. `roots` has √d of each row, and scaled forces below `noise` are
    /// rounding errors.
    pub fn make(
        &mut self,
        part: u32,
        parts: &Parts,
        faces: &Faces,
        null: &NullSpace,
        roots: &[f64],
        noise: &[f64],
    ) -> memory::Result {
        if self.part == Some(part) {
            return Ok(());
        }
        self.part = None;
        let own = members(&parts.directions, part);
        let weighted = own.iter().map(|&(_, k)| (k, weight(&faces.directions[k as usize], roots)));
        collect(&mut self.directions, own.len(), weighted)?;
        self.make_basis(members(&parts.vectors, part), null)?;
        let cones = members(&parts.cones, part);
        self.size = self.unit(cones, faces, roots, noise);
        self.make_cones(cones, faces, roots)?;
        self.part = Some(part);
        Ok(())
    }

    /// The number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.basis.len() / self.directions.len().max(1)
    }

    /// e_k · x for a direction of the part.
    pub fn change(&self, place: usize, x: &[f64]) -> f64 {
        self.basis.chunks_exact(self.directions.len()).zip(x).map(|(column, x)| column[place] * x).sum()
    }

    /// The place of a direction of the part.
    pub fn place(&self, direction: usize) -> usize {
        self.directions.partition_point(|&(k, _)| (k as usize) < direction)
    }

    /// Make the coefficients of the function Σ f_k e_k · x.
    pub fn write_linear(&mut self, function: impl Fn(usize) -> f64) -> memory::Result {
        let columns = self.basis.chunks_exact(self.directions.len());
        let count = columns.len();
        let along = columns.map(|column| column.iter().enumerate().map(|(k, e)| e * function(k)).sum());
        collect(&mut self.linear, count, along)
    }

    /// Orthonormalize the null vectors, weighted by w. Two passes make them orthonormal up to rounding.
    fn make_basis(&mut self, vectors: &[(u32, u32)], null: &NullSpace) -> memory::Result {
        let height = self.directions.len();
        refill(&mut self.basis, height * vectors.len(), 0.0)?;
        for (j, &(_, vector)) in vectors.iter().enumerate() {
            let (earlier, column) = self.basis.split_at_mut(height * j);
            let column = &mut column[..height];
            for &(k, value) in null.vector(vector as usize) {
                let place = self.directions.partition_point(|&(other, _)| other < k);
                column[place] = self.directions[place].1 * value;
            }
            for _ in 0..2 {
                for other in earlier.chunks_exact(height) {
                    let along: f64 = other.iter().zip(&*column).map(|(a, b)| a * b).sum();
                    column.iter_mut().zip(other).for_each(|(x, other)| *x -= along * other);
                }
                let length = column.iter().map(|x| x * x).sum::<f64>().sqrt();
                column.iter_mut().for_each(|x| *x /= length);
            }
        }
        Ok(())
    }

    /// The unit of forces: the largest force, or the largest bound if all forces are rounding errors.
    fn unit(&self, cones: &[(u32, u32)], faces: &Faces, roots: &[f64], noise: &[f64]) -> f64 {
        let own = self.directions.iter().map(|&(k, weight)| (&faces.directions[k as usize], weight));
        let force = own.clone().map(|(own, weight)| (weight * own.value).abs()).fold(0.0, f64::max);
        let noise = own.map(|(own, _)| noise[own.row]).fold(0.0, f64::max);
        let bounds = cones.iter().map(|&(_, cone)| {
            let cone = &faces.cones[cone as usize];
            (roots[faces.directions[cone.first()].row] * cone.shift).abs()
        });
        let bound = bounds.fold(0.0, f64::max);
        if force > noise {
            force
        } else if bound > 0.0 {
            bound
        } else {
            noise.max(f64::MIN_POSITIVE)
        }
    }

    fn make_cones(&mut self, cones: &[(u32, u32)], faces: &Faces, roots: &[f64]) -> memory::Result {
        let (height, unknowns) = (self.directions.len(), self.unknowns());
        self.program.start(unknowns, cones.len())?;
        for (number, &(_, cone)) in cones.iter().enumerate() {
            let cone = &faces.cones[cone as usize];
            let unit = roots[faces.directions[cone.first()].row];
            self.program.offsets[number][0] = unit * cone.shift / self.size;
            for (i, &k) in cone.directions.iter().enumerate().filter(|(_, k)| **k != NONE) {
                let factor = unit * cone.factors[i];
                self.program.offsets[number][i] += factor * faces.directions[k].value / self.size;
                let place = self.place(k);
                let Some(&(_, weight)) = self.directions.get(place).filter(|(own, _)| *own as usize == k)
                else {
                    continue;
                };
                for j in 0..unknowns {
                    let to = &mut self.program.columns[cones.len() * j + number];
                    to[i] = factor * self.basis[height * j + place] / weight;
                }
            }
        }
        Ok(())
    }
}

/// w of a direction.
fn weight(direction: &Direction, roots: &[f64]) -> f64 {
    let squares = direction.vectors.iter().enumerate().filter(|(_, v)| **v != [0.0; 3]);
    let squares = squares.map(|(part, v)| {
        let root = roots[direction.row + part];
        v.iter().map(|x| (root * x) * (root * x)).sum::<f64>()
    });
    squares.sum::<f64>().sqrt()
}
