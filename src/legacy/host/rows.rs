//! Constraints of the host with their rows as rows of a scene.

use std::ops::Range;

use crate::assembly::diagonal::{self, Diagonal};
use crate::assembly::panel::writer::{Slot, Slots};
use crate::assembly::update::BodyOperators;
use crate::assembly::update::scene::{Action, Place, RowFault, Rows};
use crate::assembly::velocities::Side;
use crate::block::Vector;
use crate::kinematics::pseudo_rigid::PseudoRigid;
use crate::kinematics::rigid::Rigid;
use crate::legacy::culprit;
use crate::legacy::fault::{Error, Fault};
use crate::legacy::layout::{BODY, CON};
use crate::threads::Deal;

use super::constraint;
use super::place::{KnownPlaces, Role};

/// A row, wherever its results are kept.
///
/// # Safety
/// Two values are never the same row, and so never have a slot in common.
pub unsafe trait HostRow: Sized + Send {
    /// See [`Rows::WITH_VELOCITIES`].
    const WITH_VELOCITIES: bool;

    /// Its constraint.
    fn con(&self) -> *const CON;

    /// Its places on the bodies that W counts.
    ///
    /// # Safety
    /// The caller keeps the promise of [`HostRows::new`]; this holds for the functions below, too.
    unsafe fn places(&self) -> [Option<Place>; 2];

    /// The bodies of these places.
    ///
    /// # Safety
    /// As [`HostRow::places`].
    unsafe fn bodies(&self) -> [*mut BODY; 2];

    /// What is known of the constraint's places.
    ///
    /// # Safety
    /// As [`HostRow::places`].
    unsafe fn known(&self) -> KnownPlaces;

    /// See [`Rows::wants_velocities`].
    #[inline(always)]
    fn wants_velocities(&self) -> bool {
        true
    }

    /// See [`Rows::set_velocities`].
    ///
    /// # Safety
    /// As [`HostRow::places`].
    unsafe fn set_velocities(&mut self, velocities: [Vector; 2]);

    /// See [`Rows::kept`].
    ///
    /// # Safety
    /// As [`HostRow::places`].
    #[inline(always)]
    unsafe fn kept(&self) -> Option<Diagonal> {
        None
    }

    /// See [`Rows::set_diagonal`].
    ///
    /// # Errors
    /// As [`constraint::free_energy`].
    ///
    /// # Safety
    /// As [`HostRow::places`].
    unsafe fn set_diagonal(&mut self, diagonal: &Diagonal) -> Result<(), Error>;

    /// Ask for what some rows behind this place will need.
    ///
    /// # Safety
    /// As [`HostRow::places`].
    #[inline(always)]
    unsafe fn fetch_ahead(_rows: &[Self], _place: usize, _bodies: &BodyOperators) {}
}

/// Rows of the host.
pub struct HostRows<'a, T>(&'a mut [T]);

impl<'a, T: HostRow> HostRows<'a, T> {
    /// Rows of the host.
    ///
    /// # Safety
    /// The rows are live; their constraints and the bodies of these are valid; what a row writes is this value's alone during
    /// `'a`. Slots of the rows are those of panels that have been started and are not touched otherwise.
    pub unsafe fn new(rows: &'a mut [T]) -> Self {
        Self(rows)
    }

    /// The body of one of the places of a row; there is one.
    #[inline(always)]
    fn body(&self, row: usize, place: usize) -> *mut BODY {
        // SAFETY: a live row is promised to HostRows::new.
        unsafe { self.0[row].bodies()[place] }
    }
}

// SAFETY: parts of disjoint ranges are of different rows.
unsafe impl<'a, T: HostRow> Deal for HostRows<'a, T> {
    type Shared = <&'a mut [T] as Deal>::Shared;

    fn count(&self) -> usize {
        self.0.len()
    }

    fn shared(self) -> Self::Shared {
        self.0.shared()
    }

    unsafe fn part(shared: &Self::Shared, range: Range<usize>) -> Self {
        // SAFETY: the caller promises that no row is in another part.
        Self(unsafe { <&mut [T]>::part(shared, range) })
    }
}

impl<T: HostRow> Rows for HostRows<'_, T> {
    type Fault = Error;

    const WITH_VELOCITIES: bool = T::WITH_VELOCITIES;

    #[inline(always)]
    fn places(&self, row: usize) -> [Option<Place>; 2] {
        // SAFETY: a live row is promised to HostRows::new.
        unsafe { self.0[row].places() }
    }

    #[inline(always)]
    fn roles(&self, row: usize) -> [bool; 2] {
        // SAFETY: a valid constraint is promised to HostRows::new.
        let con = unsafe { &*self.0[row].con() };
        [!con.master.is_null(), !con.slave.is_null()]
    }

    #[inline(always)]
    fn action(&self, row: usize, place: usize) -> Action<'_> {
        // SAFETY: a valid constraint is promised to HostRows::new.
        unsafe { constraint::action(self.0[row].con(), self.body(row, place)) }
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
                return Err(constraint::error(self.0[row].con(), Fault::Null("velo", (*body).id)));
            }
            Ok([&*velo.add(1), &*velo])
        }
    }

    #[inline(always)]
    fn side(&self, row: usize, role: usize) -> Result<Side<'_>, Error> {
        let (row, role) = (&self.0[row], Role::BOTH[role]);
        let con = row.con();
        // SAFETY: a live row and a valid constraint with this body are promised to HostRows::new; no other thread has the row.
        unsafe { constraint::side(con, role, constraint::body_of(con, role), row.known()) }
    }

    #[inline(always)]
    fn slot<const N: usize>(&mut self, row: usize, place: usize, slots: &Slots<N>) -> Slot<'_, N> {
        // SAFETY: a live row is promised to HostRows::new, no two rows have one slot, and nobody else has this row;
        // panels are not touched between their start and the end of the rows.
        unsafe {
            let slot = self.0[row].places()[place].map_or(usize::MAX, |place| place.slot);
            Slot::new(slots.places().at(slot))
        }
    }

    #[inline(always)]
    fn wants_velocities(&self, row: usize) -> bool {
        self.0[row].wants_velocities()
    }

    #[inline(always)]
    fn set_velocities(&mut self, row: usize, velocities: [Vector; 2]) {
        // SAFETY: the row is live and this thread's alone, as promised to HostRows::new.
        unsafe { self.0[row].set_velocities(velocities) }
    }

    #[inline(always)]
    fn kept(&self, row: usize) -> Option<Diagonal> {
        // SAFETY: a live row is promised to HostRows::new.
        unsafe { self.0[row].kept() }
    }

    #[inline(always)]
    fn set_diagonal(&mut self, row: usize, diagonal: &Diagonal) -> Result<(), Error> {
        // SAFETY: the row is live and this thread's alone, as promised to HostRows::new.
        unsafe { self.0[row].set_diagonal(diagonal) }
    }

    #[cold]
    fn refuse(&mut self, row: usize, fault: RowFault) -> Result<(), Error> {
        let con = self.0[row].con();
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
        // SAFETY: the caller of HostRows::new promises live rows with valid constraints and bodies.
        unsafe { T::fetch_ahead(self.0, row, bodies) }
    }
}
