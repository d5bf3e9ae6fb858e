//! The gathered rows as rows of a scene.

use std::mem::offset_of;
use std::ops::Range;

use crate::assembly::diagonal::{self, Diagonal};
use crate::assembly::panel::writer::{Slot, Slots, Writer};
use crate::assembly::update::BodyOperators;
use crate::assembly::update::scene::{Action, Place, RowFault, Rows};
use crate::assembly::velocities::Side;
use crate::block::{Block, Vector};
use crate::kinematics::pseudo_rigid::PseudoRigid;
use crate::kinematics::rigid::Rigid;
use crate::legacy::culprit;
use crate::legacy::fault::{Error, Fault};
use crate::legacy::host::constraint;
use crate::legacy::host::place::Role;
use crate::legacy::layout::BODY;
use crate::legacy::rows::GatheredRow;
use crate::prefetch::fetch;
use crate::threads::Deal;

use super::VELOCITIES_AHEAD;

/// Rows of the host.
pub struct HostRows<'a>(&'a mut [GatheredRow]);

impl<'a> HostRows<'a> {
    /// Rows of the host.
    ///
    /// # Safety
    /// The rows are live, each here once; their constraints and the bodies of these are valid; what a row writes is this value's alone during
    /// `'a`. Slots of the rows are those of panels that have been started and are not touched otherwise.
    pub unsafe fn new(rows: &'a mut [GatheredRow]) -> Self {
        Self(rows)
    }

    /// The body of one of the places of a row; there is one.
    #[inline(always)]
    fn body(&self, row: usize, place: usize) -> *mut BODY {
        // SAFETY: a live row is promised to HostRows::new.
        unsafe { (*self.0[row].row).bodies[place] }
    }
}

// SAFETY: parts of disjoint ranges are of different rows.
unsafe impl<'a> Deal for HostRows<'a> {
    type Shared = <&'a mut [GatheredRow] as Deal>::Shared;

    fn count(&self) -> usize {
        self.0.len()
    }

    fn shared(self) -> Self::Shared {
        self.0.shared()
    }

    unsafe fn part(shared: &Self::Shared, range: Range<usize>) -> Self {
        // SAFETY: the caller promises that no row is in another part.
        Self(unsafe { <&mut [GatheredRow]>::part(shared, range) })
    }
}

impl Rows for HostRows<'_> {
    type Fault = Error;

    const WITH_VELOCITIES: bool = !VELOCITIES_AHEAD;

    #[inline(always)]
    fn places(&self, row: usize) -> [Option<Place>; 2] {
        // SAFETY: a live row is promised to HostRows::new.
        let sides = unsafe { (*self.0[row].row).sides };
        sides.map(
            #[inline(always)]
            |side| side.map(|side| Place { body: side.body() as usize, slot: side.slot as usize }),
        )
    }

    #[inline(always)]
    fn roles(&self, row: usize) -> [bool; 2] {
        // SAFETY: a valid constraint is promised to HostRows::new.
        let con = unsafe { &*self.0[row].con };
        [!con.master.is_null(), !con.slave.is_null()]
    }

    #[inline(always)]
    fn action(&self, row: usize, place: usize) -> Action<'_> {
        // SAFETY: a valid constraint is promised to HostRows::new.
        unsafe { constraint::action(self.0[row].con, self.body(row, place)) }
    }

    #[inline(always)]
    fn rigid(&self, row: usize, place: usize) -> Rigid<'_> {
        // SAFETY: a valid body is promised to HostRows::new; panels of rigid bodies are not started without a configuration.
        unsafe {
            let body = &*self.body(row, place);
            Rigid { rotation: &*body.conf.cast(), center: &body.ref_center }
        }
    }

    #[inline(always)]
    fn pseudo_rigid(&self, row: usize, place: usize) -> PseudoRigid<'_> {
        // SAFETY: a valid body is promised to HostRows::new.
        PseudoRigid { center: unsafe { &(*self.body(row, place)).ref_center } }
    }

    #[inline(always)]
    fn velocities<const N: usize>(&self, row: usize, place: usize) -> Result<[&[f64; N]; 2], Error> {
        let body = self.body(row, place);
        // SAFETY: a valid body is promised to HostRows::new; velo holds the current velocity, then the previous one.
        unsafe {
            let velo = (*body).velo.cast_const().cast::<[f64; N]>();
            if velo.is_null() {
                return Err(constraint::error(self.0[row].con, Fault::Null("velo", (*body).id)));
            }
            Ok([&*velo.add(1), &*velo])
        }
    }

    #[inline(always)]
    fn side(&self, row: usize, role: usize) -> Result<Side<'_>, Error> {
        let (GatheredRow { con, row, .. }, role) = (self.0[row], Role::BOTH[role]);
        // SAFETY: a live row and a valid constraint with this body are promised to HostRows::new; no other thread has the row.
        unsafe { constraint::side(con, role, constraint::body_of(con, role), (*row).known) }
    }

    #[inline(always)]
    fn slot<const N: usize>(&mut self, row: usize, place: usize, slots: &Slots<N>) -> Slot<'_, N> {
        // SAFETY: a live row is promised to HostRows::new, no two rows have one slot, and nobody else has this row;
        // panels are not touched between their start and the end of the rows.
        unsafe {
            let slot = (*self.0[row].row).sides[place].map_or(usize::MAX, |side| side.slot as usize);
            Slot::new(slots.places().at(slot))
        }
    }

    #[inline(always)]
    fn wants_velocities(&self, row: usize) -> bool {
        self.0[row].is_listed
    }

    #[inline(always)]
    fn set_velocities(&mut self, row: usize, [v, b]: [Vector; 2]) {
        let gathered = &self.0[row];
        // SAFETY: the row is live and this thread's alone, and so is V, as promised to HostRows::new.
        unsafe {
            *gathered.v = v;
            (*gathered.row).public.B = b;
        }
    }

    #[inline(always)]
    fn kept(&self, row: usize) -> Option<Diagonal> {
        // SAFETY: a live row is promised to HostRows::new.
        let row = unsafe { &*self.0[row].row };
        (!row.is_stale).then_some(Diagonal { w: row.public.W, a: row.public.A, rho: None })
    }

    #[inline(always)]
    fn set_diagonal(&mut self, row: usize, diagonal: &Diagonal) -> Result<(), Error> {
        let gathered = &mut self.0[row];
        // SAFETY: the row is live and this thread's alone, its constraint valid, as promised to HostRows::new.
        unsafe {
            let row = &mut *gathered.row;
            gathered.energy = constraint::free_energy(gathered.con, diagonal, &row.public.B)?;
            (row.public.W, row.public.A) = (diagonal.w, diagonal.a);
            row.is_stale = false;
            if let Some(rho) = diagonal.rho {
                row.public.rho = rho;
            }
        }
        Ok(())
    }

    #[cold]
    fn refuse(&mut self, row: usize, fault: RowFault) -> Result<(), Error> {
        let con = self.0[row].con;
        // SAFETY: a valid constraint with valid bodies is promised to HostRows::new.
        Err(unsafe {
            match fault {
                RowFault::Velocities => culprit::of_velocities(con, &Role::BOTH),
                RowFault::Diagonal(w, diagonal::Fault::NotFinite) => culprit::of_block(con, &w),
                RowFault::Diagonal(_, diagonal::Fault::Eigenvalue) => {
                    constraint::error(con, Fault::Eigenvalue)
                }
                RowFault::Diagonal(_, diagonal::Fault::Singular) => constraint::error(con, Fault::Singular),
            }
        })
    }

    #[inline(always)]
    fn fetch_ahead(&self, row: usize, bodies: &BodyOperators) {
        // SAFETY: the caller of HostRows::new promises live rows, valid constraints and bodies; what may be NULL is only asked for.
        unsafe {
            if let Some(ahead) = self.0.get(row + AHEAD[0]) {
                fetch(ahead.con);
                fetch(ahead.row);
            }
            if let Some(ahead) = self.0.get(row + AHEAD[1]) {
                for body in ahead.bodies {
                    fetch(body.wrapping_byte_add(offset_of!(BODY, ref_center)).cast::<Vector>());
                    fetch(body.wrapping_byte_add(offset_of!(BODY, conf)).cast::<[*mut f64; 2]>());
                }
                for side in (*ahead.row).sides.into_iter().flatten() {
                    let writer = &raw const bodies.writers[side.body() as usize];
                    fetch(writer.cast::<[u8; Writer::RIGID]>());
                }
            }
            if let Some(ahead) = self.0.get(row + AHEAD[2]) {
                for body in ahead.bodies {
                    if let Some(body) = body.as_ref() {
                        fetch(body.conf.cast::<Block>());
                        fetch(body.velo.cast::<[f64; 12]>());
                    }
                }
            }
        }
    }
}

/// How many places ahead to prefetch constraints and rows, the bodies of these, and what bodies lead to.
const AHEAD: [usize; 3] = [64, 32, 12];
