//! The bodies that rows are attached to, as an update sees them.

use std::mem::offset_of;
use std::ptr;

use crate::legacy::host::bodies::{BodyList, OnBody};
use crate::legacy::layout::{BODY, MX};
use crate::legacy::rows::{BodyEntry, Slot};
use crate::prefetch::fetch;

impl BodyList for &[BodyEntry] {
    fn body(&self, index: usize) -> *const BODY {
        self[index].body
    }

    #[inline(always)]
    fn slots(&self, index: usize) -> usize {
        let attached = &self[index];
        if attached.has_rows() { attached.slots().len() + attached.externals().len() } else { 0 }
    }

    fn constraints(&self, index: usize) -> impl Iterator<Item = (usize, OnBody)> {
        let attached = &self[index];
        let slots = attached.slots();
        let own = slots.iter().enumerate().filter_map(|(slot, taken)| match *taken {
            // SAFETY: rows in slots are live.
            Slot::Row(row) => unsafe { Some((slot, OnBody { con: (*row).public.con, known: (*row).known })) },
            Slot::Free(_) => None,
        });
        own.chain((slots.len()..).zip(attached.externals().iter().map(|&con| OnBody::new(con))))
    }

    #[inline(always)]
    fn fetch_ahead(&self, body: usize) {
        // Free indices have no body. Of the others this reads only what has been prefetched before.
        let at = |ahead: usize| self.get(body + ahead).map_or(ptr::null_mut(), |attached| attached.body);
        let body = at(AHEAD[0]);
        fetch(body.cast::<[u8; 64]>());
        fetch(body.wrapping_byte_add(offset_of!(BODY, conf)).cast::<*mut f64>());
        fetch(body.wrapping_byte_add(offset_of!(BODY, inverse)).cast::<*mut MX>());
        // SAFETY: valid bodies are promised to HostBodies::new, whose list this is; what may be NULL is only asked for.
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
