//! Solution of one constraint: the force that obeys its law while all others are kept.

mod bounded;
mod contact;

use crate::math::{Block, Vector};

use super::frames::Axes;
use super::problem::{Kind, Law};
use bounded::Bounded;
use contact::Contact;

/// The diagonal block of W of a constraint, prepared for any velocity.
#[derive(Clone, Copy, Debug)]
pub enum Local {
    /// Contact with friction.
    Contact(Contact),
    /// Components with bounds.
    Bounded(Bounded),
}

impl Local {
    /// Prepare a diagonal block of W.
    pub fn new<A: Axes>(w: &Block, law: &Law) -> Self {
        match law.kind {
            Kind::Contact { friction, cohesion, .. } => {
                Self::Contact(Contact::new::<A>(w, friction, cohesion))
            }
            Kind::Bounds { lower, upper } => Self::Bounded(Bounded::new(w, lower, upper)),
        }
    }

    /// The force that obeys the law if it adds W R to the velocity q, which includes the bias. `old` is the initial guess, and is
    /// kept where the block leaves the force open.
    #[inline(always)]
    pub fn force<A: Axes>(&self, q: &Vector, old: &Vector) -> Vector {
        match self {
            Self::Contact(contact) => contact.force::<A>(q, old),
            Self::Bounded(bounded) => bounded.force(q, old),
        }
    }
}
