//! Solution of one constraint: the force that obeys its law while all others are kept.

mod bounded;
pub(super) mod branches;
mod contact;
mod expansion;
mod rolling;

pub use bounded::BoundedSolution;
pub use contact::ContactSolution;
pub use expansion::ExpansionSolution;
pub use rolling::{ACCURACY, RollingContact};
