//! The bodies that rows are attached to as bodies of a scene.

use std::mem::offset_of;
use std::ptr;

use crate::assembly::panel;
use crate::assembly::update::scene::{Action, Bodies, Kinematics};
use crate::block::Block;
use crate::inertia::Inertia;
use crate::kinematics::Point;
use crate::legacy::fault::{Error, Fault};
use crate::legacy::host::body::Body;
use crate::legacy::host::place::KnownPlaces;
use crate::legacy::host::{constraint, inertia};
use crate::legacy::layout::{BODY, CON, MX};
use crate::legacy::rows::{BodyEntry, Slot};
use crate::prefetch::fetch;

/// A constraint on a body.
#[derive(Clone, Copy)]
pub struct OnBody {
    /// The constraint.
    pub con: *const CON,
    /// What is known of its places.
    pub known: KnownPlaces,
}

/// Bodies of the host.
pub struct HostBodies<'a>(&'a [BodyEntry]);

impl<'a> HostBodies<'a> {
    /// Bodies of the host.
    ///
    /// # Safety
    /// The bodies with rows, these rows and all constraints on the bodies are valid, and nobody writes them as long as this value is there. What is
    /// known of the places of constraints on a body is used by one thread at a time.
    pub unsafe fn new(bodies: &'a [BodyEntry]) -> Self {
        Self(bodies)
    }

    fn view(&self, body: usize) -> Result<Body<'_>, Error> {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        unsafe { Body::new(self.0[body].body, false) }.map_err(|fault| self.error(body, fault))
    }

    /// The error of a body.
    #[cold]
    fn of_body(&self, body: usize, fault: impl Into<Fault>) -> Error {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        Error::of_body(unsafe { (*self.0[body].body).id }, fault)
    }

    /// The error of the constraint on a body that has the least id.
    #[cold]
    fn error(&self, body: usize, fault: Fault) -> Error {
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints.
        unsafe {
            match self.constraints(body).map(|(_, on_body)| on_body.con).min_by_key(|&con| (*con).id) {
                Some(con) => constraint::error(con, fault),
                None => self.of_body(body, fault),
            }
        }
    }
}

impl Bodies for HostBodies<'_> {
    type Fault = Error;
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
        let externals = attached.externals().iter().map(|&con| OnBody { con, known: ptr::null_mut() });
        own.chain((slots.len()..).zip(externals))
    }

    fn kinematics(&self, body: usize) -> Result<Kinematics<'_>, Error> {
        Ok(match self.view(body)? {
            Body::Rigid(rigid) => Kinematics::Rigid(rigid),
            Body::PseudoRigid(pseudo_rigid) => Kinematics::PseudoRigid(pseudo_rigid),
            Body::FiniteElement(mesh) if mesh.is_nodal() => {
                let (nodes, rotation, lasting) = (mesh.mesh_nodes(), mesh.rotation, mesh.lasting);
                Kinematics::Mesh { nodes, rotation, lasting }
            }
            Body::FiniteElement(mesh) => Kinematics::General(mesh.dofs),
        })
    }

    fn inertia(&self, body: usize) -> Result<Option<Inertia<'_>>, Error> {
        let dofs = self.view(body)?.dofs();
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        unsafe { inertia::of(self.0[body].body, dofs) }.map(Some).map_err(|fault| self.of_body(body, fault))
    }

    fn solve(&self, _: usize, _: &mut [f64]) -> Result<(), Error> {
        unreachable!("a body of the host gives A or its inverse")
    }

    fn action(&self, body: usize, constraint: OnBody) -> Action<'_> {
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints.
        unsafe { constraint::action(constraint.con, self.0[body].body) }
    }

    fn points(
        &self,
        body: usize,
        OnBody { con, known }: OnBody,
        visit: &mut dyn FnMut(f64, &Block, &Point),
    ) -> Result<(), Error> {
        let body = self.0[body].body;
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints, and that this thread alone has what is known
        // of their places.
        unsafe {
            let points = Body::new(body, false).and_then(|view| {
                constraint::places_on(con, body, known).try_for_each(|(sign, place)| {
                    visit(sign, &(*con).base, &view.dense_point(&place)?);
                    Ok(())
                })
            });
            points.map_err(|fault| constraint::error(con, fault))
        }
    }

    fn fault(&self, body: usize, fault: panel::Fault) -> Error {
        self.of_body(body, fault)
    }

    fn memory(&self) -> Error {
        Error::MEMORY
    }

    #[inline(always)]
    fn fetch_ahead(&self, body: usize) {
        // Free indices have no body. Of the others this reads only what has been prefetched before.
        let at = |ahead: usize| self.0.get(body + ahead).map_or(ptr::null_mut(), |attached| attached.body);
        let body = at(AHEAD[0]);
        fetch(body.cast::<[u8; 64]>());
        fetch(body.wrapping_byte_add(offset_of!(BODY, conf)).cast::<*mut f64>());
        fetch(body.wrapping_byte_add(offset_of!(BODY, inverse)).cast::<*mut MX>());
        // SAFETY: the caller of HostBodies::new promises valid bodies; what may be NULL is only asked for.
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
