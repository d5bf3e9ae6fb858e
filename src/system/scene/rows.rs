//! Values of a regular row alone.

use std::mem::offset_of;

use crate::assembly::diagonal::Diagonal;
use crate::assembly::irregular_rows::IrregularRows;
use crate::assembly::scene::{Action, PanelSlot, RigidEnds, RowFault, RowPart, RowsOfThread};
use crate::assembly::update::BodyOperators;
use crate::assembly::velocities::ConstraintSide;
use crate::body_operators::factored::{Slot, Slots, Writer};
use crate::kinematics::pseudo_rigid::PseudoRigid;
use crate::kinematics::rigid::Rigid;
use crate::math::{Block, Vector, is_finite, mirrored};
use crate::prefetch::fetch;
use crate::system::body::{Body, Kinematics};
use crate::system::constraint::Placement;
use crate::system::error::{Error, Fault, Result};
use crate::system::structure::NOWHERE;
use crate::team::{Numbered, Partition as _};

use super::Scene;
use super::irregular_rows::RowResults;

/// The names of values in errors.
pub(super) const VELOCITY: &str = "its velocity V or B";
pub(super) const DIAGONAL: &str = "its diagonal block of W";

/// How many rows ahead to prefetch bodies, and their velocities.
const ROWS_AHEAD: [usize; 2] = [16, 8];

/// Rows of a system.
pub type SystemRows<'a, R> = Numbered<R, &'a Scene<'a>>;

impl<R> SystemRows<'_, R> {
    /// The index of a body that a row has in one of its places.
    #[inline(always)]
    fn body(&self, row: usize, place: usize) -> usize {
        self.context.structure.place(self.first + row, place).body
    }
}

impl<R: RowResults> RowsOfThread for SystemRows<'_, R> {
    type Fault = Error;

    const WITH_VELOCITIES: bool = true;

    #[inline(always)]
    fn is_regular(&self, row: usize) -> bool {
        !R::MAY_BE_IRREGULAR || self.context.structure.is_regular(self.first + row)
    }

    #[inline(always)]
    fn irregular(&mut self) -> Option<&mut dyn IrregularRows<Fault = Error>> {
        if R::MAY_BE_IRREGULAR { Some(self) } else { None }
    }

    #[inline(always)]
    fn places(&self, row: usize) -> [Option<PanelSlot>; 2] {
        self.context.structure.places(self.first + row)
    }

    #[inline(always)]
    fn roles(&self, row: usize) -> [bool; 2] {
        self.context.constraint(self.first + row).roles()
    }

    #[inline(always)]
    fn action(&self, row: usize, place: usize) -> Action<'_> {
        self.context.action(self.first + row, self.body(row, place))
    }

    #[inline(always)]
    fn rigid(&self, row: usize, place: usize) -> Rigid<'_> {
        match &self.context.body(self.body(row, place)).1.kinematics {
            Kinematics::Rigid { rotation, center } => Rigid { rotation, center },
            _ => unreachable!("its operators are those of a rigid body"),
        }
    }

    #[inline(always)]
    fn pseudo_rigid(&self, row: usize, place: usize) -> PseudoRigid<'_> {
        match &self.context.body(self.body(row, place)).1.kinematics {
            Kinematics::PseudoRigid { center } => PseudoRigid { center },
            _ => unreachable!("its operators are those of a pseudo-rigid body"),
        }
    }

    #[inline(always)]
    fn velocities<const N: usize>(&self, row: usize, place: usize) -> Result<[&[f64; N]; 2]> {
        let (id, body) = self.context.body(self.body(row, place));
        match body.velocities.as_chunks().0 {
            [previous, free] => Ok([previous, free]),
            _ => {
                let (what, found) = ("its generalized velocity", body.dofs());
                Err(Error::of_body(id, Fault::Size { what, expected: N, found }))
            }
        }
    }

    #[inline(always)]
    fn side(&self, row: usize, role: usize) -> Result<ConstraintSide<'_>> {
        let (scene, row) = (self.context, self.first + row);
        let body = scene.body_of(row, role);
        let point = body.and_then(|body| scene.constraint(row).point(role, body));
        match (body, point) {
            (Some(body), Some((sign, frame, point))) => {
                let (previous, current) = (body.previous_velocity(), body.velocity());
                Ok(ConstraintSide { sign, frame, point, previous, current })
            }
            _ => Err(scene.failed(row, Fault::Unknown)),
        }
    }

    #[inline(always)]
    fn rigid_ends(&self, row: usize) -> Option<RigidEnds<'_>> {
        let (scene, row) = (self.context, self.first + row);
        let Placement::Points { frame, points } = &scene.constraint(row).placement else { return None };
        let places = scene.structure.ends(row);
        if places[0] == places[1] {
            return None;
        }
        let mut ends = [None; 2];
        for k in 0..2 {
            if places[k] != NOWHERE {
                ends[k] = Some((scene.rigid_end(places[k])?, &points[k]));
            }
        }
        Some(RigidEnds { frame, ends })
    }

    #[inline(always)]
    fn compliance(&self, row: usize) -> Option<&Block> {
        self.context.constraint(self.first + row).compliance()
    }

    #[inline(always)]
    fn slot<const N: usize>(&mut self, row: usize, place: usize, slots: &Slots<N>) -> Slot<'_, N> {
        let slot = self.context.structure.place(self.first + row, place).slot;
        // SAFETY: the structure gives each row slots of its own, and this row is in no other part; the update started the panels
        // and does not touch them until all rows are made.
        Slot::new(unsafe { slots.at(slot) })
    }

    #[inline(always)]
    fn part(&self, row: usize) -> RowPart {
        self.context.plan.map_or(RowPart::All, |plan| plan.of_row(self.first + row))
    }

    #[inline(always)]
    fn are_all_wanted(&self) -> bool {
        self.context.plan.is_none()
    }

    #[inline(always)]
    fn next_wanted(&self, row: usize) -> usize {
        let Some(plan) = self.context.plan else { return row };
        plan.next_row(self.first + row..self.first + self.count()) - self.first
    }

    #[inline(always)]
    fn fetch_ahead(&self, row: usize) {
        let Scene { bodies: table, constraints, structure, .. } = *self.context;
        let row = self.first + row;
        for end in structure.ends_ahead(row + ROWS_AHEAD[0]) {
            let body: *const Option<Body> = table.things().as_ptr().wrapping_add(end);
            fetch(body.cast::<[u8; 128]>());
            let velocities = body.wrapping_byte_add(offset_of!(Body, velocities));
            fetch(velocities.cast::<usize>());
        }
        if let Some(entry) = structure.entry_ahead(row + ROWS_AHEAD[1]) {
            fetch(constraints.things().as_ptr().wrapping_add(entry));
        }
        for end in structure.ends_ahead(row + ROWS_AHEAD[1]) {
            if let Some(Some(body)) = table.things().get(end) {
                fetch(body.velocities.as_ptr().cast::<[f64; 12]>());
            }
        }
    }

    #[inline(always)]
    fn fetch_writers_ahead(&self, row: usize, bodies: &BodyOperators) {
        for end in self.context.structure.ends_ahead(self.first + row + ROWS_AHEAD[0]) {
            let writer: *const Writer = bodies.writers.as_ptr().wrapping_add(end);
            fetch(writer.cast::<[u8; Writer::RIGID]>());
        }
    }

    #[inline(always)]
    fn set_velocities(&mut self, row: usize, velocities: [Vector; 2]) {
        self.things.set_velocities(row, velocities.each_ref().map(|velocity| &velocity[..]));
    }

    #[inline(always)]
    fn set_diagonal(&mut self, row: usize, made: &Diagonal) -> Result {
        let inverse = if made.is_hopeless() { [f64::NAN; 9] } else { made.a };
        self.things.set_diagonal(row, &made.w, &inverse);
        Ok(())
    }

    #[cold]
    fn refuse(&mut self, row: usize, fault: RowFault) -> Result {
        let (scene, own) = (self.context, self.first + row);
        let failed = |what| Err(scene.failed(own, Fault::NotFinite(what)));
        let RowFault::Diagonal(w, _) = fault else { return failed(VELOCITY) };
        let w = mirrored(&w);
        if !is_finite(&w) {
            return failed(DIAGONAL);
        }
        // The fault may come from rho, which is not needed.
        let made = Diagonal::new(&w, false);
        RowsOfThread::set_diagonal(self, row, &made.unwrap_or(Diagonal { w, a: [f64::NAN; 9], rho: None }))
    }
}
