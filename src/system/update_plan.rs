//! The plan of an update: the parts that it computes again, and the parts that it keeps.
//!
//! If a body counts as changed, the update computes its whole panel, all its rows, and all pairs of rows through it. On bodies with
//! a Cholesky factor, Z = H L of a row depends on this row alone; a constraint that is moved then costs its own slots and pairs. On
//! other bodies A⁻¹ is applied to several operators at a time, and the result may depend on all of them; these bodies count as
//! changed.
#![forbid(unsafe_code)]

use std::iter;
use std::ops::Range;

use crate::assembly::scene::RowPart;
use crate::body_operators::factored::{Target, Writer};
use crate::memory::{collect, refill};

use super::body::{Body, Inertia};
use super::constraint::Constraint;
use super::dirty::{BEYOND, CHANGED, COMPLIANCE, UNSTEADY, VELOCITY, all_of, are_many, are_pushed};
use super::error::Error;
use super::id_table::{GONE, Table};
use super::structure::{NOWHERE, Structure};

/// On a body: its whole panel is computed. On a row: its operators and its diagonal block are computed.
const WHOLE: u8 = 1;
/// On a body: some rows write to its panel. On a row: one of its pairs may be computed.
const TOUCHED: u8 = 2;
/// On a body: a velocity has changed. On a row: V and B are computed.
const MOVING: u8 = 4;
/// On a row: its operators have changed.
const PLACED: u8 = 8;

/// The extent of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Nothing.
    Nothing,
    /// The parts in a [`Plan`], with this number of rows.
    Some(usize),
    /// Everything.
    All,
}

/// The first marked place in a range; the end of the range if there is none.
#[inline(always)]
fn next_marked(marks: &[u8], places: Range<usize>) -> usize {
    /// The number of places that are compared at a time: few are marked.
    const TOGETHER: usize = 32;
    let some = &marks[places.clone()];
    let skipped = some.as_chunks().0.iter().take_while(|marks| **marks == [0; TOGETHER]).count() * TOGETHER;
    places.start + skipped + some[skipped..].iter().take_while(|mark| **mark == 0).count()
}

/// All marked places in a range, ascending.
fn marked(marks: &[u8], places: Range<usize>) -> impl Iterator<Item = usize> {
    let next = move |from| Some(next_marked(marks, from..places.end)).filter(|&place| place < places.end);
    iter::successors(next(places.start), move |&place| next(place + 1))
}

/// The parts of each body and each row that an update computes.
#[derive(Debug, Default)]
pub struct Plan {
    bodies: Vec<u8>,
    rows: Vec<u8>,
    has_blocks: bool,
}

impl Plan {
    /// Plan an update of a system in which everything but the marked entries is up to date; the structure belongs to these tables.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn make(
        &mut self,
        bodies: &Table<Body>,
        constraints: &Table<Constraint>,
        structure: &Structure,
        writers: &[Writer],
    ) -> Result<Extent, Error> {
        let is_marked = |marks: &[u8]| all_of(marks) & !GONE != 0;
        let has_marked_rows = is_marked(constraints.marks());
        if !is_marked(bodies.marks()) && !has_marked_rows {
            return Ok(Extent::Nothing);
        }
        if are_many(bodies) {
            return Ok(Extent::All);
        }
        if are_pushed(bodies) && !has_marked_rows {
            refill(&mut self.bodies, bodies.marks().len(), MOVING)?;
            refill(&mut self.rows, structure.len(), MOVING)?;
            self.has_blocks = false;
            return Ok(Extent::Some(structure.len()));
        }
        let parts = bodies.marks().iter().map(|mark| {
            let whole = if mark & (CHANGED | UNSTEADY) != 0 { WHOLE | MOVING } else { 0 };
            whole | if mark & VELOCITY != 0 { MOVING } else { 0 }
        });
        collect(&mut self.bodies, parts.len(), parts)?;
        refill(&mut self.rows, structure.len(), 0)?;
        let has_slots =
            |body: usize| writers.get(body).is_some_and(|writer| !matches!(writer.target, Target::Complete));
        if has_marked_rows {
            self.add_marked_rows(constraints.marks(), structure, has_slots);
        }
        self.add_rows_on_bodies(bodies, structure);
        let [some, whole] = self.finish(structure, has_slots);
        Ok(if BEYOND * whole > structure.len() { Extent::All } else { Extent::Some(some) })
    }

    /// Add the rows of marked constraints, and their bodies.
    fn add_marked_rows(&mut self, marks: &[u8], structure: &Structure, has_slots: impl Fn(usize) -> bool) {
        for (row, part) in self.rows.iter_mut().enumerate() {
            let mark = marks[structure.entry(row)];
            if mark & COMPLIANCE != 0 {
                *part |= WHOLE | MOVING;
            }
            if mark & CHANGED != 0 {
                *part |= PLACED | TOUCHED | WHOLE | MOVING;
                for place in structure.each_place(row) {
                    self.bodies[place.body] |= if has_slots(place.body) { TOUCHED } else { WHOLE };
                }
            }
        }
    }

    /// Add the rows on the bodies in the plan. Moving obstacles have lists of no rows.
    fn add_rows_on_bodies(&mut self, bodies: &Table<Body>, structure: &Structure) {
        let Self { bodies: of_body, rows, .. } = self;
        let mut has_moving_obstacle = false;
        for body in marked(of_body, 0..of_body.len()) {
            let on_body = structure.rows_on(body);
            let of_rows = match of_body[body] {
                part if part & WHOLE != 0 => WHOLE | TOUCHED | MOVING,
                // If a body is only touched, not all its rows are computed.
                part => part,
            };
            on_body.iter().for_each(|&row| rows[row as usize] |= of_rows);
            has_moving_obstacle |= on_body.is_empty()
                && bodies.things()[body]
                    .as_ref()
                    .is_some_and(|body| matches!(body.inertia(), Inertia::Obstacle));
        }
        if has_moving_obstacle {
            for (row, part) in rows.iter_mut().enumerate() {
                for &end in structure.all_ends(row).iter().filter(|&&end| end != NOWHERE) {
                    *part |= of_body[end as usize] & MOVING;
                }
            }
        }
    }

    /// Add the slots that rows write to. Returns the number of rows whose velocities are computed, and the number of whole rows.
    fn finish(&mut self, structure: &Structure, has_slots: impl Fn(usize) -> bool) -> [usize; 2] {
        let Self { bodies: of_body, rows, has_blocks } = self;
        let [mut some, mut whole] = [0; 2];
        *has_blocks = false;
        for row in marked(rows, 0..rows.len()) {
            *has_blocks |= rows[row] & (TOUCHED | WHOLE) != 0;
            some += usize::from(rows[row] & MOVING != 0);
            if rows[row] & WHOLE != 0 {
                whole += 1;
                // Rows that are computed write to all their bodies. That touches no other rows.
                for place in structure.each_place(row).filter(|place| has_slots(place.body)) {
                    of_body[place.body] |= TOUCHED;
                }
            }
        }
        [some, whole]
    }

    /// Whether an update keeps the panel of a body.
    #[inline(always)]
    pub fn is_body_kept(&self, body: usize) -> bool {
        self.bodies[body] & (WHOLE | TOUCHED) == 0
    }

    /// The first row in a range with something to compute; the end of the range if there is none.
    #[inline(always)]
    pub fn next_row(&self, rows: Range<usize>) -> usize {
        next_marked(&self.rows, rows)
    }

    /// The part of a row that an update computes.
    #[inline(always)]
    pub fn of_row(&self, row: usize) -> RowPart {
        match self.rows[row] {
            part if part & WHOLE != 0 => RowPart::All,
            part if part & MOVING != 0 => RowPart::Velocities,
            _ => RowPart::Nothing,
        }
    }

    /// Whether blocks of any row may be computed, including diagonal ones.
    pub fn has_blocks(&self) -> bool {
        self.has_blocks
    }

    /// The rows in a range with something to compute; whether the diagonal block of each is computed, and whether pairs of it may
    /// be.
    #[inline(always)]
    pub fn blocks_in(&self, rows: Range<usize>) -> impl Iterator<Item = (usize, [bool; 2])> {
        marked(&self.rows, rows)
            .map(|row| (row, [self.rows[row] & WHOLE != 0, self.rows[row] & TOUCHED != 0]))
    }

    /// Whether the pair of two rows that these bodies couple is computed.
    #[inline(always)]
    pub fn has_pair(&self, rows: [usize; 2], mut bodies: impl Iterator<Item = usize>) -> bool {
        let is_placed = |row: usize| self.rows[row] & PLACED != 0;
        rows.into_iter().any(is_placed) || bodies.any(|body| self.bodies[body] & WHOLE != 0)
    }
}
