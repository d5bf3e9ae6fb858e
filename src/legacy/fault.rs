//! What goes wrong while an update is made: a fault, and the constraint or body that has it. It is plain data, which threads hand
//! over; its text is made where it becomes a code, when the update ends.

use std::ffi::c_int;
use std::fmt;

use crate::assembly::panel;
use crate::inertia::{Defect, FactorError};
use crate::kinematics::finite_element::Element;

use super::errors::{Code, fail};
use super::host::place::Role;
use super::names::ConstraintName;

/// A fault and what has it.
#[derive(Clone, Copy)]
pub struct Error {
    /// What has it.
    pub subject: Subject,
    /// What is wrong.
    pub fault: Fault,
}

/// What an error is about.
#[derive(Clone, Copy)]
pub enum Subject {
    /// The update as a whole.
    Update,
    /// A constraint.
    Constraint(ConstraintName),
    /// Two constraints together.
    Pair([ConstraintName; 2]),
    /// The body with this id.
    Body(u32),
}

/// What is wrong. Bodies are told by their ids.
#[derive(Clone, Copy)]
pub enum Fault {
    /// Memory is exhausted, needed for this.
    Memory(&'static str),
    /// A pointer of a body is NULL.
    Null(&'static str, u32),
    /// Kind or form of a body, with a value that is none.
    Unknown(&'static str, u32, c_int),
    /// A body with this number of generalised velocities.
    Dofs(u32, c_int),
    /// A body whose mesh has so many nodes, and so many generalised velocities.
    MeshDofs(u32, usize, usize),
    /// A place on a body has no shape.
    NoShape(u32),
    /// A body has no mesh.
    NoMesh(u32),
    /// The mesh of a body has no nodes.
    NoNodes(u32),
    /// A point lies on no element.
    NoElement,
    /// A point lies on an element of unknown type, or with unknown nodes.
    IllFormedElement,
    /// The local coordinates of a point in this element are not found.
    LocalCoordinates(Element),
    /// The reduced base of a body is like this.
    ReducedBase(u32, &'static str),
    /// The inverse of a body cannot serve.
    Inverse(InverseFault),
    /// The inverse has this size, the body so many velocities.
    InverseSize(usize, usize),
    /// The matrix A cannot be factored or solved with.
    Factor(FactorError),
    /// A value is not finite.
    NotFinite(Value),
    /// Something is not finite although what it is made of is.
    Overflow(&'static str, &'static str),
    /// The largest eigenvalue of a diagonal block is not found.
    Eigenvalue,
    /// A diagonal block is singular.
    Singular,
}

/// Why a matrix cannot serve as an inverse.
#[derive(Clone, Copy)]
pub enum InverseFault {
    /// There is none.
    Missing,
    /// It is of this kind.
    Kind(c_int),
    /// Rows and columns differ in number.
    NotSquare,
    /// Arrays are missing or sizes negative.
    Incomplete,
    /// Its entries do not fit each other.
    IllFormed(Defect),
}

/// A value that V, B, W and the free energy are made of; bodies by their ids.
#[derive(Clone, Copy)]
pub enum Value {
    /// The frame of the constraint.
    Frame,
    /// Its point on the body with this role.
    Point(Role, u32),
    /// A body's mass centre.
    Center(u32),
    /// A body's configuration.
    Configuration(u32),
    /// A body's velocity.
    Velocity(u32),
    /// A body's reduced base.
    ReducedBase(u32),
    /// A body's inverse.
    Inverse(u32),
    /// B.
    B,
    /// The velocity that a constraint prescribes.
    Prescribed,
    /// The blocks between two constraints.
    Between,
}

impl Error {
    /// The error of an update without memory.
    pub const MEMORY: Self = Self { subject: Subject::Update, fault: Fault::Memory("an update") };

    /// An error of the body with an id.
    pub fn of_body(body: u32, fault: impl Into<Fault>) -> Self {
        Self { subject: Subject::Body(body), fault: fault.into() }
    }
}

impl From<panel::Fault> for Fault {
    fn from(fault: panel::Fault) -> Self {
        match fault {
            panel::Fault::Memory => Self::Memory("its operators"),
            panel::Fault::Factor(error) => Self::Factor(error),
        }
    }
}

impl From<Error> for Code {
    fn from(error: Error) -> Self {
        let code = match error.fault {
            Fault::Memory(_) => Self::OutOfMemory,
            Fault::ReducedBase(..)
            | Fault::Inverse(_)
            | Fault::InverseSize(..)
            | Fault::Factor(FactorError::Matrix(_)) => Self::MatrixKind,
            Fault::Factor(FactorError::NotPositiveDefinite { .. }) => Self::CholFactor,
            Fault::Eigenvalue => Self::EigenDecomposition,
            Fault::LocalCoordinates(_) => Self::CoordinatesInverse,
            Fault::Singular => Self::LuFactor,
            Fault::Factor(error) if error != FactorError::NotFinite => Self::LuFactor,
            _ => Self::BugFound,
        };
        fail!(code, "{error}")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.subject {
            Subject::Update => {}
            Subject::Constraint(name) => write!(f, "{name}: ")?,
            Subject::Pair([first, second]) => write!(f, "{first} and {second}: ")?,
            Subject::Body(id) => write!(f, "body {id}: ")?,
        }
        self.fault.fmt(f)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Memory(what) => write!(f, "no memory for {what}"),
            Self::Null(what, body) => write!(f, "{what} of body {body} is NULL"),
            Self::Unknown(what, body, value) => write!(f, "body {body} of unknown {what} {value}"),
            Self::Dofs(body, dofs) => write!(f, "body {body} with dofs {dofs}"),
            Self::MeshDofs(body, nodes, dofs) => {
                write!(f, "body {body} with {nodes} mesh nodes and dofs {dofs}")
            }
            Self::NoShape(body) => write!(f, "no shape (SGP) on body {body}"),
            Self::NoMesh(body) => write!(f, "body {body} has no mesh"),
            Self::NoNodes(body) => write!(f, "the mesh of body {body} has no nodes"),
            Self::NoElement => f.write_str("its point lies on no element"),
            Self::IllFormedElement => f.write_str("an element has unknown type or nodes"),
            Self::LocalCoordinates(element) => {
                write!(f, "no local coordinates of its point in the element of nodes {:?}", element.nodes())
            }
            Self::ReducedBase(body, what) => write!(f, "the reduced base evec of body {body} is {what}"),
            Self::Inverse(fault) => write!(f, "inverse: {fault}"),
            Self::InverseSize(size, dofs) => write!(f, "inverse of size {size} for {dofs} velocities"),
            Self::Factor(error) => write!(f, "its matrix A: {error}"),
            Self::NotFinite(value) => write!(f, "{value} is not finite"),
            Self::Overflow(what, of) => write!(f, "{what} overflows, though {of} finite"),
            Self::Eigenvalue => f.write_str("no largest eigenvalue of W found"),
            Self::Singular => f.write_str("singular W"),
        }
    }
}

impl fmt::Display for InverseFault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("missing"),
            Self::Kind(kind) => write!(f, "unknown kind {kind}"),
            Self::NotSquare => f.write_str("not square"),
            Self::Incomplete => f.write_str("arrays are missing or sizes negative"),
            Self::IllFormed(defect) => defect.fmt(f),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Frame => f.write_str("its frame (base)"),
            Self::Point(Role::Master, id) => write!(f, "its point on body {id} (mpnt)"),
            Self::Point(Role::Slave, id) => write!(f, "its point on body {id} (spnt)"),
            Self::Center(id) => write!(f, "centre (ref_center) of body {id}"),
            Self::Configuration(id) => write!(f, "configuration of body {id}"),
            Self::Velocity(id) => write!(f, "velocity of body {id}"),
            Self::ReducedBase(id) => write!(f, "reduced base (evec) of body {id}"),
            Self::Inverse(id) => write!(f, "inverse of body {id}"),
            Self::B => f.write_str("B"),
            Self::Prescribed => f.write_str("the prescribed velocity Z[0]"),
            Self::Between => f.write_str("W between them"),
        }
    }
}
