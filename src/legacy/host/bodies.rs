//! Bodies of the host as bodies of a scene.

use std::ptr;

use crate::assembly::panel;
use crate::assembly::update::scene::{Action, Bodies, Kinematics};
use crate::block::Block;
use crate::inertia::Inertia;
use crate::kinematics::Point;
use crate::legacy::fault::{Error, Fault};
use crate::legacy::layout::{BODY, CON};

use super::body::Body;
use super::place::KnownPlaces;
use super::{constraint, inertia};

/// A constraint on a body.
#[derive(Clone, Copy)]
pub struct OnBody {
    /// The constraint.
    pub con: *const CON,
    /// What is known of its places.
    pub known: KnownPlaces,
}

impl OnBody {
    /// A constraint with nothing known of its places.
    pub fn new(con: *const CON) -> Self {
        Self { con, known: ptr::null_mut() }
    }
}

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

    fn view(&self, body: usize) -> Result<Body<'_>, Error> {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        unsafe { Body::new(self.0.body(body), false) }.map_err(|fault| self.error(body, fault))
    }

    /// The error of a body.
    #[cold]
    fn of_body(&self, body: usize, fault: impl Into<Fault>) -> Error {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        Error::of_body(unsafe { (*self.0.body(body)).id }, fault)
    }

    /// The error of the constraint on a body that has the least id.
    #[cold]
    fn error(&self, body: usize, fault: Fault) -> Error {
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints.
        unsafe {
            match self.0.constraints(body).map(|(_, on_body)| on_body.con).min_by_key(|&con| (*con).id) {
                Some(con) => constraint::error(con, fault),
                None => self.of_body(body, fault),
            }
        }
    }
}

impl<T: BodyList> Bodies for HostBodies<T> {
    type Fault = Error;
    type Constraint = OnBody;

    #[inline(always)]
    fn slots(&self, body: usize) -> usize {
        self.0.slots(body)
    }

    fn constraints(&self, body: usize) -> impl Iterator<Item = (usize, OnBody)> {
        self.0.constraints(body)
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
        unsafe { inertia::of(self.0.body(body), dofs) }.map(Some).map_err(|fault| self.of_body(body, fault))
    }

    fn solve(&self, _: usize, _: &mut [f64]) -> Result<(), Error> {
        unreachable!("a body of the host gives A or its inverse")
    }

    fn action(&self, body: usize, constraint: OnBody) -> Action<'_> {
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints.
        unsafe { constraint::action(constraint.con, self.0.body(body)) }
    }

    fn points(
        &self,
        body: usize,
        OnBody { con, known }: OnBody,
        visit: &mut dyn FnMut(f64, &Block, &Point),
    ) -> Result<(), Error> {
        let body = self.0.body(body);
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
        self.0.fetch_ahead(body);
    }
}
