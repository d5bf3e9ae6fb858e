//! Rows of this library, as an update sees them.

use std::mem::offset_of;

use crate::assembly::diagonal::Diagonal;
use crate::assembly::panel::writer::Writer;
use crate::assembly::update::BodyOperators;
use crate::assembly::update::scene::Place;
use crate::block::{Block, Vector};
use crate::legacy::fault::Error;
use crate::legacy::host::constraint;
use crate::legacy::host::place::KnownPlaces;
use crate::legacy::host::rows::HostRow;
use crate::legacy::layout::{BODY, CON};
use crate::legacy::rows::{GatheredRow, Side};
use crate::prefetch::fetch;

use super::VELOCITIES_AHEAD;

// SAFETY: each row is gathered once, and rows have slots of their own.
unsafe impl HostRow for GatheredRow {
    const WITH_VELOCITIES: bool = !VELOCITIES_AHEAD;

    #[inline(always)]
    fn con(&self) -> *const CON {
        self.con
    }

    #[inline(always)]
    unsafe fn places(&self) -> [Option<Place>; 2] {
        // SAFETY: the caller promises a live row.
        let [first, second] = unsafe { (*self.row).sides };
        let place = |side: Side| Place { body: side.body() as usize, slot: side.slot as usize };
        [first.map(place), second.map(place)]
    }

    #[inline(always)]
    unsafe fn bodies(&self) -> [*mut BODY; 2] {
        // SAFETY: the caller promises a live row.
        unsafe { (*self.row).bodies }
    }

    #[inline(always)]
    unsafe fn known(&self) -> KnownPlaces {
        // SAFETY: the caller promises a live row.
        unsafe { (*self.row).known }
    }

    #[inline(always)]
    fn wants_velocities(&self) -> bool {
        self.is_listed
    }

    #[inline(always)]
    unsafe fn set_velocities(&mut self, [v, b]: [Vector; 2]) {
        // SAFETY: the caller promises a live row and a valid constraint, both this thread's alone.
        unsafe {
            (*self.con).V = v;
            (*self.row).public.B = b;
        }
    }

    #[inline(always)]
    unsafe fn kept(&self) -> Option<Diagonal> {
        // SAFETY: the caller promises a live row.
        let row = unsafe { &*self.row };
        (!row.is_stale).then_some(Diagonal { w: row.public.W, a: row.public.A, rho: None })
    }

    #[inline(always)]
    unsafe fn set_diagonal(&mut self, diagonal: &Diagonal) -> Result<(), Error> {
        // SAFETY: the caller promises a live row and a valid constraint, both this thread's alone.
        unsafe {
            let face = &mut (*self.row).public;
            self.energy = constraint::free_energy(self.con, diagonal, &face.B)?;
            face.W = diagonal.w;
            face.A = diagonal.a;
            (*self.row).is_stale = false;
            if let Some(rho) = diagonal.rho {
                face.rho = rho;
            }
        }
        Ok(())
    }

    #[inline(always)]
    unsafe fn fetch_ahead(tasks: &[Self], place: usize, bodies: &BodyOperators) {
        // SAFETY: the caller promises live rows, valid constraints and bodies; what may be NULL is only asked for.
        unsafe {
            if let Some(task) = tasks.get(place + AHEAD[0]) {
                fetch(task.con);
                fetch(task.row);
            }
            if let Some(task) = tasks.get(place + AHEAD[1]) {
                for body in task.bodies {
                    fetch(body.wrapping_byte_add(offset_of!(BODY, ref_center)).cast::<Vector>());
                    fetch(body.wrapping_byte_add(offset_of!(BODY, conf)).cast::<[*mut f64; 2]>());
                }
                for side in (*task.row).sides.into_iter().flatten() {
                    let writer = &raw const bodies.writers[side.body() as usize];
                    fetch(writer.cast::<[u8; Writer::RIGID]>());
                }
            }
            if let Some(task) = tasks.get(place + AHEAD[2]) {
                for body in task.bodies {
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
