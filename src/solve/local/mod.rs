//! Solution of one constraint: the force that obeys its law while all others are kept.

mod bounded;
pub(super) mod branches;
mod contact;
mod expansion;
mod rolling;

pub use bounded::BoundedSolution;
pub use contact::ContactSolution;
pub use expansion::ExpansionSolution;
pub use rolling::RollingContact;

/// The errors that a sweep leaves of a row, relative to those before: the other forces of the sweep change more.
pub const ACCURACY: f64 = 1e-2;
