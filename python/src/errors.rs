//! Errors of the library as exceptions of `ldy/errors.py`.

use ldy::inertia::FactorError;
use ldy::system::{EntryError, Error, Fault, Subject};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

/// The numbers of errors, as C has them in `ldy_error`.
mod code {
    pub const SINGULAR: i32 = 15;
    pub const NOT_POSITIVE_DEFINITE: i32 = 16;
    pub const INVALID_FORMAT: i32 = 20;
    pub const INVALID_ARGUMENT: i32 = 52;
    pub const STALE_RESULTS: i32 = 101;
    pub const NOT_FOUND: i32 = 102;
    pub const TOO_LARGE: i32 = 103;
    pub const NOT_CONVERGED: i32 = 104;
}

/// The body, constraint and entry that an error concerns, where they are known.
#[derive(Clone, Copy, Default)]
struct Place {
    constraint: Option<i64>,
    body: Option<i64>,
    entry: Option<usize>,
}

/// The things that ids name.
#[derive(Clone, Copy, PartialEq)]
pub enum Thing {
    Body,
    Constraint,
}

fn code(fault: Fault) -> i32 {
    match fault {
        Fault::Matrix(FactorError::Matrix(_)) => code::INVALID_FORMAT,
        Fault::Matrix(FactorError::NotPositiveDefinite { .. }) | Fault::NotPositive => {
            code::NOT_POSITIVE_DEFINITE
        }
        Fault::Matrix(FactorError::Singular) | Fault::Singular => code::SINGULAR,
        Fault::Matrix(FactorError::Missing) | Fault::Stale => code::STALE_RESULTS,
        Fault::Unknown | Fault::NoBody(_) => code::NOT_FOUND,
        Fault::TooLarge(_) => code::TOO_LARGE,
        Fault::NotConverged(_) => code::NOT_CONVERGED,
        _ => code::INVALID_ARGUMENT,
    }
}

/// An exception of the package. The module is always there: it has imported this one.
fn exception(class: &str, text: String, code: i32, place: Place) -> PyErr {
    let Place { constraint, body, entry } = place;
    Python::with_gil(|py| {
        let class = py.import("ldy.errors").and_then(|module| module.getattr(class));
        match class.and_then(|class| class.call1((text, code, constraint, body, entry))) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
}

fn of_fault(fault: Fault, text: String, place: Place) -> PyErr {
    let code = code(fault);
    match code {
        _ if fault == Fault::Memory => PyMemoryError::new_err(text),
        code::SINGULAR | code::NOT_POSITIVE_DEFINITE => exception("SingularMatrixError", text, code, place),
        _ => exception("Error", text, code, place),
    }
}

fn place(error: &Error) -> Place {
    let (constraint, body) = match (error.subject, error.fault) {
        (Subject::Body(body), Fault::InUse(constraint)) => (Some(constraint), body),
        (Subject::Body(body), _) => (None, body),
        (Subject::Constraint(id, _) | Subject::Among(id, ..), Fault::NoBody(body)) => (id, Some(body)),
        (Subject::Constraint(id, _) | Subject::Among(id, ..), _) => (id, None),
        (Subject::System, Fault::NoBody(body)) => (None, Some(body)),
        _ => (None, None),
    };
    Place { constraint: constraint.map(|id| id as i64), body: body.map(|id| id as i64), entry: None }
}

/// The exception of an error.
pub fn raised(error: Error) -> PyErr {
    of_fault(error.fault, error.to_string(), place(&error))
}

/// The exception of the thread's last error, which has this code.
#[cfg(feature = "mpi")]
pub fn raised_code(code: ldy::ffi::errors::Code) -> PyErr {
    let (text, (_, place)) = (ldy::ffi::errors::last().to_string(), ldy::ffi::errors::last_place());
    let known = |number: i64| (number >= 0).then_some(number);
    let entry = known(place.entry).map(|entry| entry as usize);
    let place = Place { constraint: known(place.constraint), body: known(place.body), entry };
    match code as i32 {
        _ if code == ldy::ffi::errors::Code::OutOfMemory => PyMemoryError::new_err(text),
        number @ (code::SINGULAR | code::NOT_POSITIVE_DEFINITE) => {
            exception("SingularMatrixError", text, number, place)
        }
        number => exception("Error", text, number, place),
    }
}

/// The exception of an error in a call for `count` bodies or constraints. For a single one the text has no index.
pub fn raised_of(count: usize, EntryError { entry, error }: EntryError) -> PyErr {
    let entry = entry.filter(|_| count > 1);
    let text = EntryError { entry, error }.to_string();
    of_fault(error.fault, text, Place { entry, ..place(&error) })
}

/// The exception of an error of rows of any matrix: the entry is the row.
pub fn raised_of_rows(error: ldy::rows::Error) -> PyErr {
    of_fault(error.fault, error.to_string(), Place { entry: error.row, ..Place::default() })
}

/// The exception of an argument, or of its entry if there are several.
pub fn invalid(entry: Option<usize>, text: &str) -> PyErr {
    let prefix = entry.map_or(String::new(), |entry| format!("entry {entry}: "));
    let place = Place { entry, ..Place::default() };
    exception("Error", format!("{prefix}{text}"), code::INVALID_ARGUMENT, place)
}

/// The exception of an id that nothing can have.
pub fn no_such(thing: Thing, id: i64, entry: Option<usize>) -> PyErr {
    let prefix = entry.map_or(String::new(), |entry| format!("entry {entry}: "));
    let (text, place) = match thing {
        Thing::Body if id == -1 => (
            format!("{prefix}body -1: a body is needed, not the ground"),
            Place { body: Some(id), ..Place::default() },
        ),
        Thing::Body => (
            format!("{prefix}body {id}: there is no such body"),
            Place { body: Some(id), ..Place::default() },
        ),
        Thing::Constraint => (
            format!("{prefix}constraint {id}: there is no such constraint"),
            Place { constraint: Some(id), ..Place::default() },
        ),
    };
    exception("Error", text, code::NOT_FOUND, Place { entry, ..place })
}

/// The exception of an object that another thread or a function of the user's uses now.
pub fn in_use(what: &str) -> PyErr {
    let text = format!("{what} is in use by another thread, or by the call that has called this function");
    exception("InUseError", text, code::INVALID_ARGUMENT, Place::default())
}
