//! A problem in rows of three, as sweeps take it.
#![forbid(unsafe_code)]

use crate::ffi::errors::{Code, Result};
use crate::math::Vector;
use crate::rows::BlockRows;
use crate::solve::parts_of_solution::{Padded, PaddedProblem, Problem3, Scaled, is_anisotropic};
use crate::solve::{Law, Normal, Problem};

/// Laws and forces of all local rows, and what makes a problem of rows of three with the same friction in all directions of them.
#[derive(Debug, Default)]
pub struct Threes {
    pub laws: Vec<Law>,
    /// A value for each scalar row.
    pub forces: Vec<f64>,
    padded: Padded,
    scaled: Scaled,
    is_padded: bool,
    is_scaled: bool,
}

impl Threes {
    /// Copy what has to be copied of a problem and of the laws and forces here.
    pub fn fill(&mut self, problem: &Problem) -> Result {
        self.is_padded = problem.w.as_threes().is_none();
        self.is_scaled = false;
        if self.is_padded {
            self.padded.fill(problem, &self.laws, &self.forces).map_err(Code::from)?;
        }
        let (problem, laws, forces) =
            unscaled(problem, &self.laws, &mut self.forces, &mut self.padded, self.is_padded);
        if laws.iter().any(is_anisotropic) {
            self.scaled.prepare(&problem, laws, forces)?;
            self.is_scaled = true;
        }
        Ok(())
    }

    /// The problem, its laws and forces.
    pub fn parts<'a>(&'a mut self, problem: &Problem<'a>) -> (Problem3<'a>, &'a [Law], &'a mut [Vector]) {
        let Self { laws, forces, padded, scaled, is_padded, is_scaled } = self;
        let (problem, laws, forces) = unscaled(problem, laws, forces, padded, *is_padded);
        if *is_scaled {
            let (problem, laws, forces, _) = scaled.parts(&problem);
            return (problem, laws, forces);
        }
        (problem, laws, forces)
    }

    /// The row of W that a row of three belongs to.
    pub fn row(&mut self, three: usize) -> usize {
        if self.is_padded {
            let rows = self.padded.parts(Normal::Third).rows;
            return rows.get(three).map_or(usize::MAX, |&row| row as usize);
        }
        three
    }

    /// The forces of scalar rows, after those of the parts have been changed.
    pub fn read(&mut self, w: &BlockRows) -> &[f64] {
        let Self { forces, padded, scaled, is_padded, is_scaled, .. } = self;
        if *is_scaled {
            let to = if *is_padded { padded.parts(Normal::Third).forces } else { forces.as_chunks_mut().0 };
            scaled.read(to);
        }
        if *is_padded {
            padded.read_forces(w, forces);
        }
        forces
    }
}

fn unscaled<'a>(
    problem: &Problem<'a>,
    laws: &'a [Law],
    forces: &'a mut [f64],
    padded: &'a mut Padded,
    is_padded: bool,
) -> (Problem3<'a>, &'a [Law], &'a mut [Vector]) {
    match problem.w.as_threes() {
        Some(w) if !is_padded => {
            (Problem3::new(w, problem.b.as_chunks().0, Normal::Third), laws, forces.as_chunks_mut().0)
        }
        _ => {
            let PaddedProblem { problem, laws, forces, .. } = padded.parts(Normal::Third);
            (problem, laws, forces)
        }
    }
}
