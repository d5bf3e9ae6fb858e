//! Contact solvers: they find forces R with C(U, R) = 0, U = B + W R, theory (11), over block-sparse rows. `docs/solvers/methods.md`
//! describes the laws, measures and methods, and when each method is used.
//!
//! `laws` has the laws as data: a file for each kind, and the table of all kinds. `problem` defines the input, `options` the options and the report. `rows_of_three` makes rows of three from rows of one to six
//! scalar rows. `anisotropic` makes friction the same in all directions. `islands` divides a problem into groups of rows that no
//! block connects. `run` is the course of the solution of one island: sweeps of Gauss–Seidel, then proximal points by the method of
//! `newton`, and the interior points of `interior`. Their steps need the factors of `block_lu`, in the space of contacts or in the
//! space of bodies, `body_space`, whose rows `body_rows` holds. `local` solves one constraint exactly while all other forces are kept.
//! `residual` measures how far forces are from a solution, by the map of `laws`. Threads share islands, the sweeps of `gauss_seidel`
//! in the order of `coloring`, and rows in the parts of `parts`: results have the same bits for any number of them. `infeasibility`
//! proves that there is no solution, and `conflict` names the rows of the proof. `determinacy` finds all solutions with the velocities of
//! one, and `derivatives` how a solution changes with its data. `stabilization` makes the bias of a contact's law from its gap,
//! `friction_curve` its friction from its slip, `hunt_crossley` its compliance. `file` writes a problem to a file.
#![forbid(unsafe_code)]

mod acceleration;
mod anisotropic;
mod block_lu;
mod body_rows;
mod body_space;
mod coloring;
mod cone;
mod conflict;
mod derivatives;
mod determinacy;
mod file;
mod frames;
mod friction_curve;
mod gauss_seidel;
mod hunt_crossley;
mod infeasibility;
mod interior;
mod islands;
mod laws;
mod local;
mod newton;
mod options;
mod parts;
mod places;
mod problem;
mod residual;
mod rolling;
mod rows_of_three;
mod run;
mod solver;
mod stabilization;
mod state;
mod velocities;
mod workspace;

pub use crate::rows::fault::{Error, Fault};
pub use crate::rows::{BlockRows, RowLayout};
pub(crate) use body_rows::BodyRowsSource;
pub use body_rows::{BodyRows, NODE, NodeBlock};
pub use conflict::{Demand, Multiplier};
pub use derivatives::{Derivatives, Fit, Kink, KinkKind, LawChange, outer_product};
pub use determinacy::SolutionSet;
pub use file::write_problem;
pub use friction_curve::FrictionCurve;
pub use hunt_crossley::HuntCrossley;
pub use options::{Method, Options, Progress, Report, Status};
pub(crate) use problem::check_law;
pub use problem::{Kind, Law, Normal, Problem};
pub use residual::{Measure, Residual};
pub use solver::Solver;
pub use stabilization::Stabilization;

/// The parts of a solution that systems across processes put together in their own course.
#[cfg(feature = "mpi")]
pub(crate) mod parts_of_solution {
    pub use super::acceleration::{Momentum, root};
    pub use super::anisotropic::{Scaled, is_anisotropic};
    pub use super::frames::NormalThird;
    pub use super::gauss_seidel::{Prepared, Sweeps};
    pub use super::laws::allowed_in_row;
    pub use super::parts::fill;
    pub(crate) use super::problem::Problem3;
    pub use super::residual::{Norms, Sums, velocity};
    pub use super::rows_of_three::{Padded, PaddedProblem};
    pub(crate) use super::run::sweeps::{BETWEEN, MOVING_RATE, MOVING_SWEEPS, RATE, Rate};
    pub use super::workspace::Memory;
}

#[cfg(test)]
mod tests;
