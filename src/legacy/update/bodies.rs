//! The host's bodies as a scene.

use std::mem::offset_of;
use std::ptr;

use crate::assembly::panel::Fault;
use crate::assembly::update::scene::{Action, Bodies, Kinematics};
use crate::block::Block;
use crate::inertia::Inertia;
use crate::kinematics::Point;
use crate::legacy::errors::{Code, fail};
use crate::legacy::host::scene::{self, OnBody};
use crate::legacy::layout::{BODY, MX};
use crate::legacy::rows::{BodyEntry, Slot};
use crate::prefetch::fetch;

/// Bodies with rows attached.
pub struct HostBodies<'a>(&'a [BodyEntry]);

impl<'a> HostBodies<'a> {
    /// Bodies with rows attached.
    ///
    /// # Safety
    /// The bodies with rows and the constraints of these are valid, and nobody writes them during `'a`.
    pub unsafe fn new(bodies: &'a [BodyEntry]) -> Self {
        Self(bodies)
    }

    fn body(&self, index: usize) -> *const BODY {
        self.0[index].body
    }
}

impl Bodies for HostBodies<'_> {
    type Fault = Code;
    type Constraint = OnBody;

    #[inline(always)]
    fn slots(&self, body: usize) -> usize {
        let attached = &self.0[body];
        if attached.has_rows() { attached.slots().len() + attached.externals().len() } else { 0 }
    }

    fn constraints(&self, body: usize) -> impl Iterator<Item = (usize, OnBody)> {
        let attached = &self.0[body];
        let slots = attached.slots();
        let own = slots.iter().enumerate().filter_map(|(slot, taken)| match *taken {
            // SAFETY: rows in slots are live.
            Slot::Row(row) => unsafe { Some((slot, OnBody { con: (*row).public.con, known: (*row).known })) },
            Slot::Free(_) => None,
        });
        own.chain((slots.len()..).zip(attached.externals().iter().map(|&con| OnBody::new(con))))
    }

    fn kinematics(&self, body: usize) -> Result<Kinematics<'_>, Code> {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        unsafe { scene::kinematics(self.body(body)) }
    }

    fn inertia(&self, body: usize) -> Result<Option<Inertia<'_>>, Code> {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        unsafe { scene::inertia_of(self.body(body)) }
    }

    fn solve(&self, _: usize, _: &mut [f64]) -> Result<(), Code> {
        Err(fail!(Code::NotImplemented, "bodies have no solvers of their own"))
    }

    fn action(&self, body: usize, constraint: OnBody) -> Action<'_> {
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints.
        unsafe { scene::action(constraint.con, self.body(body)) }
    }

    fn points(
        &self,
        body: usize,
        constraint: OnBody,
        visit: &mut dyn FnMut(f64, &Block, &Point),
    ) -> Result<(), Code> {
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints; what is known of a
        // place is used by the thread that has the body.
        unsafe { scene::points(constraint, self.body(body), visit) }
    }

    fn fault(&self, body: usize, fault: Fault) -> Code {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        unsafe { scene::body_fault(self.body(body), fault) }
    }

    fn memory(&self) -> Code {
        scene::no_memory()
    }

    #[inline(always)]
    fn fetch_ahead(&self, body: usize) {
        // Free indices have no body. Of the others this reads only what has been prefetched before.
        let at = |ahead: usize| self.0.get(body + ahead).map_or(ptr::null_mut(), |attached| attached.body);
        let body = at(AHEAD[0]);
        fetch(body.cast::<[u8; 64]>());
        fetch(body.wrapping_byte_add(offset_of!(BODY, conf)).cast::<*mut f64>());
        fetch(body.wrapping_byte_add(offset_of!(BODY, inverse)).cast::<*mut MX>());
        // SAFETY: valid bodies are promised to HostBodies::new; what may be NULL is only asked for.
        unsafe {
            if let Some(body) = at(AHEAD[1]).as_ref() {
                fetch(body.inverse);
            }
            if let Some(matrix) = at(AHEAD[2]).as_ref().and_then(|body| body.inverse.as_ref()) {
                fetch(matrix.p);
                fetch(matrix.i);
                fetch(matrix.x.cast::<[f64; 18]>());
            }
        }
    }
}

/// How many places ahead to prefetch bodies, their matrices, and the arrays of matrices.
const AHEAD: [usize; 3] = [24, 16, 8];
