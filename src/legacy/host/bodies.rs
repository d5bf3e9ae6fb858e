//! Bodies of the host as bodies of a scene.

use std::fmt::{self, Display};

use crate::assembly::panel::Fault;
use crate::assembly::update::scene::{Action, Bodies, Kinematics};
use crate::block::Block;
use crate::inertia::Inertia;
use crate::kinematics::Point;
use crate::legacy::errors::{Code, fail};
use crate::legacy::layout::BODY;
use crate::legacy::names;

use super::scene::{self, OnBody};

/// Bodies with the constraints on them, whoever lists them.
pub trait BodyList: Sync {
    /// The body with an index; one without slots is not read.
    fn body(&self, index: usize) -> *const BODY;

    /// See [`Bodies::slots`].
    fn slots(&self, index: usize) -> usize;

    /// See [`Bodies::constraints`].
    fn constraints(&self, index: usize) -> impl Iterator<Item = (usize, OnBody)>;

    /// See [`Bodies::fetch_ahead`].
    #[inline(always)]
    fn fetch_ahead(&self, _index: usize) {}
}

/// Bodies of the host.
pub struct HostBodies<T>(T);

impl<T: BodyList> HostBodies<T> {
    /// Bodies of the host.
    ///
    /// # Safety
    /// The bodies with slots and the constraints on them are valid, and nobody writes them as long as this value is there. What is
    /// known of the places of constraints on a body is used by one thread at a time.
    pub unsafe fn new(list: T) -> Self {
        Self(list)
    }
}

/// What begins the text of a body's fault: the constraint on it with the least id.
struct Subject<'a, T>(&'a T, usize);

impl<T: BodyList> Display for Subject<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self(list, body) = *self;
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints.
        unsafe {
            match list.constraints(body).map(|(_, on_body)| on_body.con).min_by_key(|&con| (*con).id) {
                Some(con) => names::constraint(con).fmt(f),
                None => names::body(list.body(body)).fmt(f),
            }
        }
    }
}

impl<T: BodyList> Bodies for HostBodies<T> {
    type Fault = Code;
    type Constraint = OnBody;

    #[inline(always)]
    fn slots(&self, body: usize) -> usize {
        self.0.slots(body)
    }

    fn constraints(&self, body: usize) -> impl Iterator<Item = (usize, OnBody)> {
        self.0.constraints(body)
    }

    fn kinematics(&self, body: usize) -> Result<Kinematics<'_>, Code> {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        unsafe { scene::kinematics(self.0.body(body), &Subject(&self.0, body)) }
    }

    fn inertia(&self, body: usize) -> Result<Option<Inertia<'_>>, Code> {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        unsafe { scene::inertia_of(self.0.body(body), &Subject(&self.0, body)) }
    }

    fn solve(&self, _: usize, _: &mut [f64]) -> Result<(), Code> {
        Err(fail!(Code::NotImplemented, "bodies have no solvers of their own"))
    }

    fn action(&self, body: usize, constraint: OnBody) -> Action<'_> {
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints.
        unsafe { scene::action(constraint.con, self.0.body(body)) }
    }

    fn points(
        &self,
        body: usize,
        constraint: OnBody,
        visit: &mut dyn FnMut(f64, &Block, &Point),
    ) -> Result<(), Code> {
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints, and that this thread alone has what is known
        // of their places.
        unsafe { scene::points(constraint, self.0.body(body), visit) }
    }

    fn fault(&self, body: usize, fault: Fault) -> Code {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        unsafe { scene::body_fault(self.0.body(body), fault) }
    }

    fn memory(&self) -> Code {
        scene::no_memory()
    }

    #[inline(always)]
    fn fetch_ahead(&self, body: usize) {
        self.0.fetch_ahead(body);
    }
}
