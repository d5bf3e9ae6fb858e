//! Solution of one constraint: the force that obeys its law while all others are kept.

mod bounded;
mod contact;
mod rolling;

pub use bounded::BoundedSolution;
pub use contact::ContactSolution;
pub use rolling::RollingContact;
