//! Errors, and the body or constraint that they concern.
#![forbid(unsafe_code)]

use std::collections::TryReserveError;
use std::{fmt, result};

use super::id_table::Id;

pub use crate::fault::Fault;

/// The result of a function that may fail; `()` unless a type is named.
pub type Result<T = (), E = Error> = result::Result<T, E>;

/// The result of a function that does not know the body or constraint an error concerns.
pub type Checked<T = ()> = result::Result<T, Fault>;

/// A fault and its subject.
///
/// ```
/// use ldy::system::{Error, Fault, Subject, System};
///
/// let error: Error = System::new().body(7).unwrap_err();
/// assert_eq!((error.subject, error.fault), (Subject::Body(Some(7)), Fault::Unknown));
/// assert_eq!(error.to_string(), "body 7: there is no such body");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Error {
    /// The system, body or constraint that the error concerns.
    pub subject: Subject,
    /// The fault.
    pub fault: Fault,
}

/// The subject of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// The system as a whole.
    System,
    /// A body; `None` is a body that was to be inserted.
    Body(Option<Id>),
    /// A constraint and its bodies; `None` is a constraint that was to be inserted, and the ground.
    Constraint(Option<Id>, [Option<Id>; 2]),
    /// A constraint on more than two bodies: the first two, and the number of all.
    Among(Option<Id>, [Id; 2], usize),
}

impl Error {
    /// An error of the system as a whole.
    pub fn of_system(fault: impl Into<Fault>) -> Self {
        Self { subject: Subject::System, fault: fault.into() }
    }

    /// An error of a body.
    pub fn of_body(body: Id, fault: impl Into<Fault>) -> Self {
        Self { subject: Subject::Body(Some(body)), fault: fault.into() }
    }

    /// An error of a body that is to be inserted.
    pub fn of_new_body(fault: impl Into<Fault>) -> Self {
        Self { subject: Subject::Body(None), fault: fault.into() }
    }
}

/// The error of an id that no constraint has.
pub(super) fn unknown(id: Id) -> Error {
    Error { subject: Subject::Constraint(Some(id), [None, None]), fault: Fault::Unknown }
}

/// The subject of errors of a constraint on these bodies; `None` is one that is to be inserted.
pub(crate) fn subject_of(id: Option<Id>, bodies: &[Option<Id>]) -> Subject {
    match *bodies {
        [Some(first), Some(second), _, ..] => Subject::Among(id, [first, second], bodies.len()),
        _ => {
            let at = |k: usize| bodies.get(k).copied().flatten();
            Subject::Constraint(id, [at(0), at(1)])
        }
    }
}

impl From<TryReserveError> for Error {
    fn from(_: TryReserveError) -> Self {
        Self::of_system(Fault::Memory)
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.fault, self.subject) {
            (Fault::Unknown, Subject::Body(_)) => write!(f, "{}: there is no such body", self.subject),
            (Fault::Unknown, Subject::Constraint(..) | Subject::Among(..)) => {
                write!(f, "{}: there is no such constraint", self.subject)
            }
            (fault, subject) => write!(f, "{subject}: {fault}"),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Self::System => f.write_str("system"),
            Self::Body(id) => Named("body", id).fmt(f),
            Self::Constraint(id, bodies) => {
                Named("constraint", id).fmt(f)?;
                match bodies {
                    [Some(master), Some(slave)] => write!(f, " between bodies {master} and {slave}"),
                    [Some(body), None] | [None, Some(body)] => write!(f, " on body {body}"),
                    [None, None] => Ok(()),
                }
            }
            Self::Among(id, [first, second], count) => {
                Named("constraint", id).fmt(f)?;
                write!(f, " among bodies {first}, {second} and {} more", count - 2)
            }
        }
    }
}

/// A kind of thing, and the id of one, or `None` for a new one.
struct Named(&'static str, Option<Id>);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.1 {
            Some(id) => write!(f, "{} {id}", self.0),
            None => write!(f, "new {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inertia::FactorError;

    #[test]
    fn texts_name_what_it_is_about() {
        let text = |subject, fault| Error { subject, fault }.to_string();
        let both = Subject::Constraint(Some(12), [Some(3), Some(7)]);
        assert_eq!(text(both, Fault::NoBody(7)), "constraint 12 between bodies 3 and 7: there is no body 7");
        let one = Subject::Constraint(Some(12), [Some(3), None]);
        assert_eq!(
            text(one, Fault::NotFinite("the frame")),
            "constraint 12 on body 3: the frame is not finite"
        );
        let many = Subject::Among(Some(12), [3, 7], 5);
        assert_eq!(
            text(many, Fault::Singular),
            "constraint 12 among bodies 3, 7 and 3 more: its diagonal block of W is singular"
        );
        let matrix = Fault::from(FactorError::NotPositiveDefinite { row: 4 });
        assert_eq!(
            text(Subject::Body(Some(3)), matrix),
            "body 3: its matrix A: not positive definite in row 4"
        );
        assert_eq!(text(Subject::Body(None), Fault::Memory), "new body: out of memory");
        let new = text(Subject::Constraint(None, [Some(3), None]), Fault::NotFinite("the frame"));
        assert_eq!(new, "new constraint on body 3: the frame is not finite");
        assert_eq!(Fault::from(FactorError::Memory), Fault::Memory);
    }
}
