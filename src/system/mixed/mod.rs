//! Constraints of one to six rows, on up to sixteen bodies, put together of triples.
//!
//! All that an update makes are rows of three scalars on one or two bodies: triples, the constraints of the inner table. A
//! constraint of three rows on two bodies is a triple of its own. Any other one consists of pieces: each takes some lanes of a
//! triple, which it shares with pieces of constraints on the same bodies, so that forty-four scalar rows of one robot take fifteen
//! triples. Six rows take two triples. Of many bodies each two have pieces of their own: since W = Σ H A⁻¹ Hᵀ over the bodies, and
//! each body is in one piece of a constraint, blocks of the constraint are sums of those of its pieces.
//!
//! A system in which all constraints are triples of their own has nothing of this.
#![forbid(unsafe_code)]

mod operator;
mod order;
mod view;

use std::collections::{HashMap, TryReserveError};
use std::hash::BuildHasherDefault;
use std::ops::Range;

use rustc_hash::FxHasher;

use crate::math::small_symmetric;
use crate::memory::{push, with_capacity};

use super::constraint::{Constraint, Operator, Placement};
use super::error::{Error, Fault, Subject, unknown};
use super::id_table::{Id, Table};
use super::rows::Results;
use super::structure::Structure;
use super::update_plan::{Extent, Plan};
pub use operator::RowsOperator;
pub(super) use operator::{check_bodies, check_rows};
pub use view::AnyRows;
pub(super) use view::View;

/// Most rows of a constraint.
pub const MOST_ROWS: usize = small_symmetric::MOST_ROWS;
/// Most bodies of a constraint.
pub const MOST_BODIES: usize = 16;

/// Some rows of a constraint in lanes of a triple.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The triple.
    pub triple: Id,
    /// Its first lane.
    pub lane: u8,
    /// The first row of the constraint.
    pub row: u8,
    /// So many.
    pub count: u8,
}

impl Piece {
    /// The lanes of the triple.
    pub fn lanes(&self) -> Range<usize> {
        self.lane.into()..usize::from(self.lane + self.count)
    }

    /// The rows of the constraint.
    pub fn rows(&self) -> Range<usize> {
        self.row.into()..usize::from(self.row + self.count)
    }
}

/// A constraint as its user knows it.
#[derive(Debug)]
pub(super) struct Entry {
    /// Number of rows.
    pub rows: u8,
    /// Whether it is a triple of its own, which knows its compliance.
    pub is_triple: bool,
    first: Piece,
    rest: Vec<Piece>,
    /// What is added to its diagonal block, column-major; empty: nothing.
    pub compliance: Vec<f64>,
    /// What regularisation adds to its diagonal. Triples of their own have both elsewhere.
    pub shift: [f64; MOST_ROWS],
}

impl Entry {
    /// A triple of its own.
    fn of_triple(triple: Id) -> Self {
        let first = Piece { triple, lane: 0, row: 0, count: 3 };
        Self { is_triple: true, ..Self::of_pieces(3, first, Vec::new()) }
    }

    fn of_pieces(rows: u8, first: Piece, rest: Vec<Piece>) -> Self {
        Self { rows, is_triple: false, first, rest, compliance: Vec::new(), shift: [0.0; MOST_ROWS] }
    }

    /// What is added to its diagonal block, entry by entry; symmetric to the bit.
    pub fn added(&self, i: usize, j: usize) -> f64 {
        let given = self.compliance.get(usize::from(self.rows) * i.max(j) + i.min(j)).copied();
        given.unwrap_or_default() + if i == j { self.shift[i] } else { 0.0 }
    }

    /// Whether anything is.
    pub fn is_added_to(&self) -> bool {
        !self.compliance.is_empty() || self.shift.iter().fold(false, |any, shift| any | (*shift != 0.0))
    }

    /// Its pieces: of the first two bodies, then of the next two, each by rows.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> + Clone {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// The first of them, and the others.
    pub fn first_and_rest(&self) -> (Piece, &[Piece]) {
        (self.first, &self.rest)
    }

    /// Whether it has pieces on several bodies, so that its blocks are sums.
    pub fn is_sum(&self) -> bool {
        self.pieces().filter(|piece| piece.row == 0).nth(1).is_some()
    }
}

/// The constraints that have lanes of a triple.
pub(super) type Owners = [Option<Id>; 3];

/// The triples of pieces on the same bodies, ascending, and where the first with a free lane may be.
#[derive(Debug, Default)]
struct List {
    triples: Vec<Id>,
    first_free: usize,
    /// Whether a piece has been removed since its lanes were dealt out.
    has_holes: bool,
}

/// What ties constraints to triples.
#[derive(Debug, Default)]
pub(super) struct Mixed {
    entries: Table<Entry>,
    owners: Table<Owners>,
    lists: HashMap<[Option<Id>; 2], List, BuildHasherDefault<FxHasher>>,
    /// Whether some list has holes.
    has_holes: bool,
    /// How many constraints are no triples of their own.
    odd: usize,
    pub view: View,
}

impl Mixed {
    /// Of a system in which all constraints are triples of their own.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn of(constraints: &Table<Constraint>) -> Result<Self, TryReserveError> {
        let entries = Table::alongside(constraints, |id, _| Entry::of_triple(id))?;
        let owners = Table::alongside(constraints, |id, _| [Some(id); 3])?;
        Ok(Self { entries, owners, ..Self::default() })
    }

    /// The id that the next constraint will have.
    pub fn next(&self) -> Id {
        self.entries.next()
    }

    /// Whether some constraints are no triples of their own.
    pub fn is_odd(&self) -> bool {
        self.odd > 0
    }

    /// Whether a row of three is not all of one constraint; rows are those of the view.
    #[inline(always)]
    pub fn is_shared(&self, row: usize) -> bool {
        self.odd > 0 && self.view.is_shared(row)
    }

    pub fn entries(&self) -> &Table<Entry> {
        &self.entries
    }

    /// The constraint that has a lane of a triple, or the first one that has any.
    pub fn owner(&self, triple: Id, lane: usize) -> Option<Id> {
        let owners = self.owners.get(triple)?;
        owners.get(lane).copied().flatten().or_else(|| owners.iter().copied().flatten().next())
    }

    /// The triple of a constraint that has one of its own.
    ///
    /// # Errors
    /// If there is no such constraint, or it has none.
    pub fn triple(&self, constraints: &Table<Constraint>, id: Id) -> Result<Id, Error> {
        let entry = self.entries.get(id).ok_or(unknown(id))?;
        if entry.is_triple {
            return Ok(entry.first.triple);
        }
        let what = "it was not inserted with three rows on one or two bodies";
        Err(Error { subject: self.subject(constraints, id), fault: Fault::Invalid(what) })
    }

    /// The first constraint that is no triple of its own.
    pub fn first_odd(&self) -> Option<Id> {
        self.entries.iter().find(|(_, entry)| !entry.is_triple).map(|(id, _)| id)
    }

    /// The bodies of a constraint, in its order.
    pub fn bodies<'a>(
        &'a self,
        constraints: &'a Table<Constraint>,
        id: Id,
    ) -> impl Iterator<Item = Option<Id>> + Clone + 'a {
        let pieces = self.entries.get(id).into_iter().flat_map(Entry::pieces);
        let of_pieces = pieces.filter(|piece| piece.row == 0);
        of_pieces.filter_map(|piece| constraints.get(piece.triple)).flat_map(|triple| triple.bodies)
    }

    /// What errors of a constraint are about.
    pub fn subject(&self, constraints: &Table<Constraint>, id: Id) -> Subject {
        let mut all = self.bodies(constraints, id);
        let count = all.clone().flatten().count();
        match [all.next().flatten(), all.next().flatten()] {
            [Some(first), Some(second)] if count > 2 => Subject::Among(id, [first, second], count),
            sides => Subject::Constraint(id, sides),
        }
    }

    /// Note a triple of its own that has been inserted; the id of the constraint.
    ///
    /// # Errors
    /// If memory is exhausted; then [`Mixed::truncate`] is needed.
    pub fn insert_triple(&mut self, triple: Id) -> Result<Id, TryReserveError> {
        let id = self.entries.insert(Entry::of_triple(triple), 0)?;
        self.owners.insert([Some(id); 3], 0)?;
        Ok(id)
    }

    /// Insert a constraint that has not got its operators yet: what its lanes hold counts for nothing. `zero` makes an operator of
    /// a body that is zero; `mark` is that of new triples.
    ///
    /// # Errors
    /// If memory is exhausted; then [`Mixed::truncate`] is needed.
    pub fn claim(
        &mut self,
        constraints: &mut Table<Constraint>,
        (bodies, rows): (&[Id], usize),
        zero: impl Fn(Id) -> Result<Operator, TryReserveError>,
        mark: u8,
    ) -> Result<Id, TryReserveError> {
        let id = self.entries.next();
        let mut first = None;
        let mut rest = with_capacity(bodies.len().div_ceil(2) * rows.div_ceil(3) - 1)?;
        for bodies in bodies.chunks(2) {
            let key = [Some(bodies[0]), bodies.get(1).copied()];
            for row in (0..rows).step_by(3) {
                let count = (rows - row).min(3);
                let shared = if count < 3 { self.find_lanes(key, count) } else { None };
                let (triple, lane) = match shared {
                    Some(shared) => shared,
                    None => {
                        let [master, slave] = key.map(|body| body.map(&zero).transpose());
                        let placement = Placement::Operators([master?, slave?]);
                        let new = Constraint { bodies: key, placement, compliance: None };
                        let triple = constraints.insert(new, mark)?;
                        self.owners.insert([None; 3], 0)?;
                        if count < 3 {
                            self.lists.try_reserve(1)?;
                            push(&mut self.lists.entry(key).or_default().triples, triple)?;
                        }
                        (triple, 0)
                    }
                };
                let piece = Piece { triple, lane: lane as u8, row: row as u8, count: count as u8 };
                if let Some((owners, _)) = self.owners.get_mut(triple) {
                    owners[piece.lanes()].fill(Some(id));
                }
                match first {
                    Some(_) => rest.push(piece),
                    None => first = Some(piece),
                }
            }
        }
        if let Some(first) = first {
            self.entries.insert(Entry::of_pieces(rows as u8, first, rest), 0)?;
            self.odd += 1;
        }
        Ok(id)
    }

    /// Forget the constraints that were inserted since these ids were the next of constraints and triples.
    pub fn truncate(&mut self, id: Id, triple: Id) {
        self.odd -= self.entries.iter().filter(|(own, entry)| *own >= id && !entry.is_triple).count();
        self.entries.truncate(id);
        self.owners.truncate(triple);
        let lanes = self.owners.all_mut().0.iter_mut().flatten().flatten();
        lanes.filter(|owner| **owner >= Some(id)).for_each(|owner| *owner = None);
        self.lists.retain(|_, list| {
            list.triples.truncate(list.triples.partition_point(|own| *own < triple));
            list.first_free = 0;
            !list.triples.is_empty()
        });
    }

    /// So many free lanes side by side in a triple on these bodies; the first there are, whatever the past.
    fn find_lanes(&mut self, key: [Option<Id>; 2], count: usize) -> Option<(Id, usize)> {
        let Self { lists, owners, .. } = self;
        let List { triples, first_free, .. } = lists.get_mut(&key)?;
        let of_triples = triples.iter().map(|&triple| owners.get(triple));
        let (place, lane) = order::free_lanes(of_triples, first_free, count)?;
        Some((triples[place], lane))
    }

    /// Give a constraint that is no triple of its own other operators, one for each body. After an error nothing has changed.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn set(
        &mut self,
        constraints: &mut Table<Constraint>,
        id: Id,
        operators: &[RowsOperator],
        mark: u8,
    ) -> Result<(), Error> {
        let Some(entry) = self.entries.get(id) else { return Ok(()) };
        let mut made = with_capacity(1 + entry.rest.len())?;
        let of_bodies = operators.chunks(2).flat_map(|operators| {
            let groups = usize::from(entry.rows).div_ceil(3);
            std::iter::repeat_n(operators, groups)
        });
        for (piece, operators) in entry.pieces().zip(of_bodies) {
            let put = |k: usize| {
                let old = constraints.get(piece.triple).and_then(|old| old.operator(k));
                operators.get(k).map(|operator| operator.put(piece, old)).transpose()
            };
            made.push([put(0).map_err(Error::of_system)?, put(1).map_err(Error::of_system)?]);
        }
        for (piece, operators) in entry.pieces().zip(made) {
            if let Some((triple, marks)) = constraints.get_mut(piece.triple) {
                triple.placement = Placement::Operators(operators);
                *marks |= mark;
            }
        }
        Ok(())
    }

    /// Set the compliance of a constraint that is no triple of its own; `mark` is for its triples.
    pub fn set_compliance(
        &mut self,
        constraints: &mut Table<Constraint>,
        id: Id,
        compliance: Vec<f64>,
        mark: u8,
    ) {
        self.change(constraints, id, mark, |entry| entry.compliance = compliance);
    }

    /// Set what regularisation adds to each row of a constraint that is no triple of its own; `mark` is for its triples.
    pub fn set_shift(
        &mut self,
        constraints: &mut Table<Constraint>,
        id: Id,
        of: impl Fn(usize) -> f64,
        mark: u8,
    ) {
        let shift = std::array::from_fn(of);
        if self.entries.get(id).is_some_and(|entry| entry.shift != shift) {
            self.change(constraints, id, mark, |entry| entry.shift = shift);
        }
    }

    fn change(
        &mut self,
        constraints: &mut Table<Constraint>,
        id: Id,
        mark: u8,
        change: impl FnOnce(&mut Entry),
    ) {
        let Some((entry, _)) = self.entries.get_mut(id) else { return };
        change(entry);
        for piece in entry.pieces() {
            if let Some((_, marks)) = constraints.get_mut(piece.triple) {
                *marks |= mark;
            }
        }
    }

    /// Remove a constraint; triples that are left without one go, too.
    pub fn remove(&mut self, constraints: &mut Table<Constraint>, id: Id) {
        let Some(entry) = self.entries.remove(id) else { return };
        self.odd -= usize::from(!entry.is_triple);
        for piece in entry.pieces() {
            self.free(constraints, piece);
        }
        if self.owners.is_sparse() {
            self.owners.close_up();
        }
        if self.entries.is_sparse() {
            self.entries.close_up();
        }
    }

    /// Free the lanes of a piece; its rows stay in the operators of the triple until lanes are dealt out again.
    fn free(&mut self, constraints: &mut Table<Constraint>, piece: &Piece) {
        let Some((owners, _)) = self.owners.get_mut(piece.triple) else { return };
        owners[piece.lanes()].fill(None);
        let is_empty = owners.iter().all(Option::is_none);
        let Some(key) = constraints.get(piece.triple).map(|triple| triple.bodies) else { return };
        if is_empty {
            constraints.remove(piece.triple);
            self.owners.remove(piece.triple);
        }
        if piece.count < 3
            && let Some(list) = self.lists.get_mut(&key)
            && let Ok(place) = list.triples.binary_search(&piece.triple)
        {
            list.first_free = list.first_free.min(place);
            (list.has_holes, self.has_holes) = (true, true);
            if is_empty {
                list.triples.remove(place);
            }
            if list.triples.is_empty() {
                self.lists.remove(&key);
            }
        }
    }

    /// Make the view of the rows that of the structure.
    ///
    /// # Errors
    /// As [`View::follow`].
    pub fn follow(&mut self, structure: &Structure) -> Result<(), Error> {
        match self.is_odd() {
            true => self.view.follow(&self.entries, structure),
            false => self.view.follow_ids(&self.entries),
        }
    }

    /// Fill the view with what has been made, and by which plan.
    ///
    /// # Errors
    /// As [`View::fill`].
    pub fn fill(
        &mut self,
        constraints: &Table<Constraint>,
        structure: &Structure,
        results: &Results,
        made: (Extent, Option<&Plan>),
    ) -> Result<(), Error> {
        let Self { entries, view, .. } = self;
        let filled = if self.odd > 0 { view.fill(entries, structure, results, made) } else { Ok(()) };
        filled.map_err(|(id, fault)| Error { subject: self.subject(constraints, id), fault })
    }
}
