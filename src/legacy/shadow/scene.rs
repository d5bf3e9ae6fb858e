//! The rows of another module, their bodies and pairs as a scene.

use std::ops::Range;
use std::ptr;

use crate::assembly::diagonal::Diagonal;
use crate::assembly::panel::{Fault, Panel};
use crate::assembly::update::pairs::{Coupling, Pair, Pairs};
use crate::assembly::update::scene::{Action, Bodies, Kinematics, Place};
use crate::block::{Block, Vector};
use crate::inertia::Inertia;
use crate::kinematics::Point;
use crate::legacy::culprit;
use crate::legacy::errors::{Code, fail};
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::host::place::KnownPlaces;
use crate::legacy::host::rows::HostRow;
use crate::legacy::host::scene::{self, OnBody};
use crate::legacy::layout::*;
use crate::threads::Deal;

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

/// The bodies of rows.
pub struct MirrorBodies<'a> {
    bodies: &'a [MirrorBody],
    lines: &'a LegacyRows,
}

// SAFETY: pointers to the host's structures are the only reason why this is not Sync of itself; nobody writes
// what they lead to while it exists.
unsafe impl Sync for MirrorBodies<'_> {}

impl<'a> MirrorBodies<'a> {
    /// The bodies of rows.
    ///
    /// # Safety
    /// The bodies and the constraints of the rows are valid, and nobody writes them during `'a`.
    pub unsafe fn new(bodies: &'a [MirrorBody], lines: &'a LegacyRows) -> Self {
        Self { bodies, lines }
    }

    fn body(&self, index: usize) -> *const BODY {
        self.bodies[index].body
    }
}

impl Bodies for MirrorBodies<'_> {
    type Fault = Code;
    type Constraint = OnBody;

    fn slots(&self, body: usize) -> usize {
        let attached = &self.bodies[body];
        if attached.counts() { attached.rows.len() } else { 0 }
    }

    fn constraints(&self, body: usize) -> impl Iterator<Item = (usize, OnBody)> {
        let slots = self.bodies[body].rows.iter().enumerate().filter(|(_, (_, counts))| *counts);
        slots.map(|(slot, &(row, _))| (slot, OnBody::new(self.lines.all[row as usize].con)))
    }

    fn kinematics(&self, body: usize) -> Result<Kinematics<'_>, Code> {
        // SAFETY: a valid body is promised to MirrorBodies::new.
        unsafe { scene::kinematics(self.body(body)) }
    }

    fn inertia(&self, body: usize) -> Result<Option<Inertia<'_>>, Code> {
        // SAFETY: a valid body is promised to MirrorBodies::new.
        unsafe { scene::inertia_of(self.body(body)) }
    }

    fn solve(&self, _: usize, _: &mut [f64]) -> Result<(), Code> {
        Err(fail!(Code::NotImplemented, "bodies have no solvers of their own"))
    }

    fn action(&self, body: usize, constraint: OnBody) -> Action<'_> {
        // SAFETY: valid constraints are promised to MirrorBodies::new.
        unsafe { scene::action(constraint.con, self.body(body)) }
    }

    fn points(
        &self,
        body: usize,
        constraint: OnBody,
        visit: &mut dyn FnMut(f64, &Block, &Point),
    ) -> Result<(), Code> {
        // SAFETY: valid bodies and constraints are promised to MirrorBodies::new; nothing is known of places.
        unsafe { scene::points(constraint, self.body(body), visit) }
    }

    fn fault(&self, body: usize, fault: Fault) -> Code {
        // SAFETY: a valid body is promised to MirrorBodies::new.
        unsafe { scene::body_fault(self.body(body), fault) }
    }

    fn memory(&self) -> Code {
        scene::no_memory()
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

    unsafe fn set_diagonal(&mut self, diagonal: &Diagonal) -> Result<(), Code> {
        // SAFETY: the caller promises a valid constraint.
        self.energy = unsafe { scene::free_energy(self.con, diagonal, &self.b)? };
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
pub struct MirrorPairs<'a> {
    couples: &'a mut [ExpectedPair],
    lines: &'a LegacyRows,
    kind: UpdateKind,
}

impl<'a> MirrorPairs<'a> {
    /// The pairs of rows.
    ///
    /// # Safety
    /// The constraints of the rows are valid during `'a`.
    pub unsafe fn new(couples: &'a mut [ExpectedPair], lines: &'a LegacyRows, kind: UpdateKind) -> Self {
        Self { couples, lines, kind }
    }
}

/// Pairs that are being dealt.
pub struct Dealt<'a>(<&'a mut [ExpectedPair] as Deal>::Shared, &'a LegacyRows, UpdateKind);

// SAFETY: pointers to the host's structures are the only reason why this is not Sync of itself; nobody writes
// what they lead to while it exists.
unsafe impl Sync for Dealt<'_> {}

// SAFETY: parts of disjoint ranges are different pairs.
unsafe impl<'a> Deal for MirrorPairs<'a> {
    type Shared = Dealt<'a>;

    fn count(&self) -> usize {
        self.couples.len()
    }

    fn shared(self) -> Dealt<'a> {
        Dealt(self.couples.shared(), self.lines, self.kind)
    }

    unsafe fn part(shared: &Dealt<'a>, range: Range<usize>) -> Self {
        // SAFETY: the caller promises that no pair is in another part.
        let couples = unsafe { <&mut [ExpectedPair]>::part(&shared.0, range) };
        Self { couples, lines: shared.1, kind: shared.2 }
    }
}

impl Pairs for MirrorPairs<'_> {
    type Name = [u32; 2];
    type Fault = Code;

    fn part_of(&self, _: usize) -> usize {
        512
    }

    fn each(
        &mut self,
        _: &[Panel],
        make: impl FnMut(Pair<'_, [u32; 2]>) -> Result<(), [u32; 2]>,
    ) -> Result<(), [u32; 2]> {
        let Self { couples, lines, kind } = self;
        // SAFETY: valid constraints are promised to MirrorPairs::new.
        let is_contact = |row: u32| unsafe { (*lines.all[row as usize].con).kind == CONTACT };
        let wanted = |row: u32| *kind == UpdateKind::All || !is_contact(row);
        couples.iter_mut().filter_map(|couple| couple.pair(wanted)).try_for_each(make)
    }

    fn fault(&self, rows: [u32; 2]) -> Code {
        // SAFETY: valid constraints are promised to MirrorPairs::new.
        unsafe { culprit::of_blocks_between(rows.map(|row| self.lines.all[row as usize].con)) }
    }
}
