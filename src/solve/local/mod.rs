//! Solution of one constraint: the force that obeys its law while all others are kept.

mod bounded;
mod contact;
mod rolling;

use crate::math::{Block, Vector};

use super::frames::Axes;
use super::problem::{Kind, Law};
use bounded::Bounded;
use contact::Contact;
pub use rolling::RollingContact;

/// The diagonal block of W of a constraint, prepared for any velocity.
#[derive(Clone, Copy, Debug)]
pub enum Local {
    /// Contact with friction.
    Contact(Contact),
    /// Components with bounds.
    Bounded(Bounded),
    /// Contact with moments in the next row; its number among such contacts.
    Rolling(u32),
    /// Moments, whose contact gives them a value.
    Moments,
}

impl Local {
    /// Prepare a diagonal block of W.
    pub fn new<A: Axes>(w: &Block, law: &Law) -> Self {
        match law.kind {
            Kind::Contact { friction, cohesion, .. } => {
                Self::Contact(Contact::new::<A>(w, friction, cohesion))
            }
            Kind::Bounds { lower, upper } => Self::Bounded(Bounded::new(w, lower, upper)),
            Kind::Moments => Self::Moments,
        }
    }

    /// The force that obeys the law if it adds W R to the velocity q, which includes the bias. `old` is the initial guess, and is
    /// kept where the block leaves the force open.
    #[inline(always)]
    pub fn force<A: Axes>(&self, q: &Vector, old: &Vector) -> Vector {
        match self {
            Self::Contact(contact) => contact.force::<A>(q, old),
            Self::Bounded(bounded) => bounded.force(q, old),
            // Two rows together have these forces.
            Self::Rolling(_) | Self::Moments => *old,
        }
    }
}
