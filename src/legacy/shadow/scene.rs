//! The rows of another module, their bodies and pairs as a scene.

use std::ptr;

use crate::assembly::diagonal::Diagonal;
use crate::assembly::panel::Panel;
use crate::assembly::update::pairs::{Coupling, Pair, Pairs};
use crate::assembly::update::scene::Place;
use crate::block::{Block, Vector};
use crate::legacy::culprit;
use crate::legacy::fault::Error;
use crate::legacy::host::bodies::{BodyList, OnBody};
use crate::legacy::host::constraint;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::host::place::KnownPlaces;
use crate::legacy::host::rows::HostRow;
use crate::legacy::layout::*;
use crate::threads::Numbered;

use super::lines::{LegacyRow, LegacyRows};

/// A body and the rows on it, each with whether W counts the body for it: the row's slot is its position.
pub struct MirrorBody {
    /// The body.
    pub body: *const BODY,
    /// Row and whether it counts.
    pub rows: Vec<(u32, bool)>,
    /// Condition number of the matrix A, and the revision of the factor that it was estimated of.
    pub(super) condition: Option<(u64, f64)>,
}

impl MirrorBody {
    /// Whether W counts the body for one of its rows.
    pub fn counts(&self) -> bool {
        self.rows.iter().any(|&(_, counts)| counts)
    }
}

/// Rows with what is wanted of them.
#[derive(Clone, Copy)]
pub struct MirrorScene<'a> {
    bodies: &'a [MirrorBody],
    lines: &'a LegacyRows,
    kind: UpdateKind,
}

// SAFETY: pointers to the host's structures are the only reason why this is not Sync of itself; nobody writes
// what they lead to while it exists.
unsafe impl Sync for MirrorScene<'_> {}

impl<'a> MirrorScene<'a> {
    /// Rows with the bodies that they are on.
    ///
    /// # Safety
    /// The bodies and the constraints of the rows are valid, and nobody writes them during `'a`.
    pub unsafe fn new(bodies: &'a [MirrorBody], lines: &'a LegacyRows, kind: UpdateKind) -> Self {
        Self { bodies, lines, kind }
    }

    fn con(&self, row: u32) -> *const CON {
        self.lines.all[row as usize].con
    }

    /// Whether blocks of a row are made.
    fn wants(&self, row: u32) -> bool {
        // SAFETY: valid constraints are promised to MirrorScene::new.
        self.kind == UpdateKind::All || unsafe { (*self.con(row)).kind != CONTACT }
    }
}

impl BodyList for MirrorScene<'_> {
    fn body(&self, index: usize) -> *const BODY {
        self.bodies[index].body
    }

    fn slots(&self, index: usize) -> usize {
        let attached = &self.bodies[index];
        if attached.counts() { attached.rows.len() } else { 0 }
    }

    fn constraints(&self, index: usize) -> impl Iterator<Item = (usize, OnBody)> {
        let slots = self.bodies[index].rows.iter().enumerate().filter(|(_, (_, counts))| *counts);
        slots.map(|(slot, &(row, _))| (slot, OnBody::new(self.con(row))))
    }
}

/// What the library makes of a row.
pub struct MirrorRow {
    con: *const CON,
    places: [Option<Place>; 2],
    bodies: [*const BODY; 2],
    /// V.
    pub v: Vector,
    /// B.
    pub b: Vector,
    /// W, A, rho; not in a minimal update.
    pub diagonal: Option<Diagonal>,
    /// The share of the free energy.
    pub energy: f64,
}

// SAFETY: pointers to the host's structures are the only reason why this is not Send of itself; no safe function
// follows them.
unsafe impl Send for MirrorRow {}

impl MirrorRow {
    /// A row with these places on its bodies.
    pub fn new(line: &LegacyRow, places: [Option<Place>; 2]) -> Self {
        let (v, b) = ([0.0; 3], [0.0; 3]);
        Self { con: line.con, places, bodies: line.bodies, v, b, diagonal: None, energy: 0.0 }
    }
}

// SAFETY: a slot is the position of a row among those of a body, which has each row once.
unsafe impl HostRow for MirrorRow {
    const WITH_VELOCITIES: bool = true;

    fn con(&self) -> *const CON {
        self.con
    }

    unsafe fn places(&self) -> [Option<Place>; 2] {
        self.places
    }

    unsafe fn bodies(&self) -> [*mut BODY; 2] {
        self.bodies.map(<*const BODY>::cast_mut)
    }

    unsafe fn known(&self) -> KnownPlaces {
        ptr::null_mut()
    }

    unsafe fn set_velocities(&mut self, [v, b]: [Vector; 2]) {
        (self.v, self.b) = (v, b);
    }

    unsafe fn set_diagonal(&mut self, diagonal: &Diagonal) -> Result<(), Error> {
        // SAFETY: the caller promises a valid constraint.
        self.energy = unsafe { constraint::free_energy(self.con, diagonal, &self.b)? };
        self.diagonal = Some(*diagonal);
        Ok(())
    }
}

/// A pair of rows coupled through a body.
pub struct ExpectedPair {
    pub(super) rows: [u32; 2],
    /// Index of the body.
    pub body: u32,
    pub(super) slots: Option<[u32; 2]>,
    /// How many blocks each of the rows has of it.
    pub count: usize,
    pub(super) blocks: [Block; 2],
}

impl ExpectedPair {
    /// What the pair is to have, if anything is wanted of it: W_αβ, W_βα in rows where `wanted` says so.
    pub fn pair(&mut self, wanted: impl Fn(u32) -> bool) -> Option<Pair<'_, [u32; 2]>> {
        let Self { rows, body, slots, blocks: [block, transpose], .. } = self;
        let [first, second] = rows.map(wanted);
        let body = *body as usize;
        let coupling =
            slots.map(|[row, column]| Coupling { body, row: row as usize, column: column as usize });
        (first || second).then_some(Pair {
            name: *rows,
            couplings: [coupling, None],
            block: first.then_some(block),
            transpose: second.then_some(transpose),
        })
    }
}

/// The pairs of rows.
pub type MirrorPairs<'a> = Numbered<&'a mut [ExpectedPair], MirrorScene<'a>>;

impl Pairs for MirrorPairs<'_> {
    type Name = [u32; 2];
    type Fault = Error;

    const IN_ROWS: bool = false;

    fn each(&mut self, _: &[Panel], make: impl FnMut(Pair<'_, [u32; 2]>)) {
        let scene = self.context;
        self.things.iter_mut().filter_map(|pair| pair.pair(|row| scene.wants(row))).for_each(make);
    }

    fn fault(&self, rows: [u32; 2]) -> Error {
        // SAFETY: valid constraints are promised to MirrorScene::new.
        unsafe { culprit::of_blocks_between(rows.map(|row| self.context.con(row))) }
    }
}
