//! Triples without a past: which constraints share a triple, and in which order triples stand, is what it would be if the
//! constraints that are there had been inserted and no others. So have results the bits of a system that is made anew.
#![forbid(unsafe_code)]

use crate::math::Vector;
use crate::memory::{collected, push, with_capacity};

use super::super::constraint::{Constraint, Operator, Placement};
use super::super::error::Error;
use super::super::id_table::{Id, Table};
use super::{List, Mixed, Owners, Piece};

/// A piece of a constraint that moves from some lanes to others.
struct Move {
    id: Id,
    before: Piece,
    /// The triple is the place in the list.
    now: Piece,
}

impl Mixed {
    /// Make triples those of a system without a past; `mark` is for those that change. Whether they stand in another order now,
    /// under other ids.
    ///
    /// # Errors
    /// If memory is exhausted. Constraints are as before then, if not their triples.
    pub fn tidy(&mut self, constraints: &mut Table<Constraint>, mark: u8) -> Result<bool, Error> {
        if !self.has_holes {
            return Ok(false);
        }
        let mut lists = std::mem::take(&mut self.lists);
        let mut with_holes = lists.iter_mut().filter(|(_, list)| list.has_holes);
        let dealt = with_holes.try_for_each(|(key, list)| self.deal(constraints, (*key, list), mark));
        self.lists = lists;
        dealt?;
        let is_reordered = self.reorder(constraints)?;
        self.has_holes = false;
        Ok(is_reordered)
    }

    /// Partition out the lanes of a list of triples once more, in the order of constraints: each gets the first that are free.
    fn deal(
        &mut self,
        constraints: &mut Table<Constraint>,
        (bodies, list): ([Option<Id>; 2], &mut List),
        mark: u8,
    ) -> Result<(), Error> {
        let (moves, owners) = self.moves(list)?;
        let mut operators = with_capacity(owners.len())?;
        for own in &owners {
            let put = |role: usize| operator(constraints, &moves, own, role);
            operators.push([put(0)?, put(1)?]);
        }
        // Seldom the lanes were used better than they would be without a past.
        let more = owners.len().saturating_sub(list.triples.len());
        constraints.reserve(more)?;
        self.owners.reserve(more)?;
        list.triples.try_reserve(more)?;
        // From here on nothing fails.
        for triple in list.triples.drain(owners.len().min(list.triples.len())..) {
            constraints.remove(triple);
            self.owners.remove(triple);
        }
        for (place, (own, operators)) in owners.into_iter().zip(operators).enumerate() {
            let placement = Placement::Operators(operators);
            match list.triples.get(place) {
                Some(&id) => {
                    if let (Some((owners, _)), Some((triple, marks))) =
                        (self.owners.get_mut(id), constraints.get_mut(id))
                    {
                        *owners = own;
                        triple.placement = placement;
                        *marks |= mark;
                    }
                }
                None => {
                    list.triples
                        .push(constraints.insert(Constraint { bodies, placement, compliance: None }, mark)?);
                    self.owners.insert(own, 0)?;
                }
            }
        }
        for Move { id, before, now } in moves {
            let Some((entry, _)) = self.entries.get_mut(id) else { continue };
            let mut pieces = std::iter::once(&mut entry.first).chain(&mut entry.rest);
            if let Some(piece) = pieces.find(|piece| piece.triple == before.triple && piece.row == before.row)
            {
                *piece = Piece { triple: list.triples[now.triple as usize], ..now };
            }
        }
        (list.has_holes, list.first_free) = (false, 0);
        Ok(())
    }

    /// Where the pieces in a list of triples ought to be, ascending by constraints, and the owners of the triples then.
    fn moves(&self, list: &List) -> Result<(Vec<Move>, Vec<Owners>), Error> {
        let all =
            list.triples.iter().filter_map(|&triple| self.owners.get(triple)).flatten().flatten().copied();
        let mut ids = collected(3 * list.triples.len(), all)?;
        ids.sort_unstable();
        ids.dedup();
        let (mut moves, mut owners) = (with_capacity(ids.len())?, Vec::<Owners>::new());
        let mut first_free = 0;
        for &id in &ids {
            let is_in_list =
                |piece: &&Piece| piece.count < 3 && list.triples.binary_search(&piece.triple).is_ok();
            let Some(&before) = self.entries.get(id).and_then(|entry| entry.pieces().find(is_in_list)) else {
                continue;
            };
            let free = free_lanes(owners.iter().map(Some), &mut first_free, before.count.into());
            let (place, lane) = free.unwrap_or((owners.len(), 0));
            if place == owners.len() {
                push(&mut owners, [None; 3])?;
            }
            let now = Piece { triple: place as Id, lane: lane as u8, ..before };
            owners[place][now.lanes()].fill(Some(id));
            moves.push(Move { id, before, now });
        }
        Ok((moves, owners))
    }

    /// Let triples stand in the order of the first constraint in each. Whether they did not.
    fn reorder(&mut self, constraints: &mut Table<Constraint>) -> Result<bool, Error> {
        let firsts = self.owners.iter().map(|(triple, owners)| {
            let first = owners.iter().flatten().min().copied().unwrap_or_default();
            let pieces = self.entries.get(first).into_iter().flat_map(super::Entry::pieces);
            (first, pieces.take_while(|piece| piece.triple != triple).count(), triple)
        });
        let mut order = collected(self.owners.len(), firsts)?;
        if order.is_sorted() {
            return Ok(false);
        }
        order.sort_unstable();
        // Pairs of ids, before and now.
        let pairs = (constraints.next()..).zip(&order).map(|(now, &(_, _, before))| (before, now));
        let mut ids = collected(order.len(), pairs)?;
        let now = constraints.reordered(ids.iter().map(|(before, _)| *before))?;
        let owners = self.owners.reordered(ids.iter().map(|(before, _)| *before))?;
        constraints.replace(now);
        self.owners.replace(owners);
        ids.sort_unstable();
        let renamed = |triple: Id| match ids.binary_search_by_key(&triple, |(before, _)| *before) {
            Ok(place) => ids[place].1,
            Err(_) => triple,
        };
        for entry in self.entries.all_mut().0.iter_mut().flatten() {
            let pieces = std::iter::once(&mut entry.first).chain(&mut entry.rest);
            pieces.for_each(|piece| piece.triple = renamed(piece.triple));
        }
        for list in self.lists.values_mut() {
            list.triples.iter_mut().for_each(|triple| *triple = renamed(*triple));
            list.triples.sort_unstable();
        }
        Ok(true)
    }
}

/// The operator of the master, 0, or the slave, 1, of a triple, put together of those that its owners have had elsewhere.
fn operator(
    constraints: &Table<Constraint>,
    moves: &[Move],
    owners: &Owners,
    role: usize,
) -> Result<Option<Operator>, Error> {
    let mut dofs = None;
    let mut columns: Vec<(u32, Vector)> = Vec::new();
    for (lane, id) in owners.iter().enumerate() {
        let Some(id) = id else { continue };
        let Ok(own) = moves.binary_search_by_key(id, |own| own.id) else { continue };
        let Move { before, now, .. } = &moves[own];
        let Some(from) = constraints.get(before.triple).and_then(|triple| triple.operator(role)) else {
            continue;
        };
        dofs = Some(from.dofs() as u32);
        columns.try_reserve(from.most_columns())?;
        from.each_column(|column| {
            let mut values = [0.0; 3];
            values[lane] = column.values[lane - usize::from(now.lane) + usize::from(before.lane)];
            columns.push((column.index, values));
        });
    }
    columns.sort_unstable_by_key(|column| column.0);
    columns.dedup_by(|later, first| {
        let is_same = later.0 == first.0;
        if is_same {
            first.1.iter_mut().zip(later.1).for_each(|(sum, value)| *sum += value);
        }
        is_same
    });
    Ok(dofs.map(|dofs| Operator::of_columns(dofs, columns.iter().copied())).transpose()?)
}

/// The first free lanes side by side, and where; triples before `first_free` are full.
pub(super) fn free_lanes<'a>(
    triples: impl Iterator<Item = Option<&'a Owners>> + Clone,
    first_free: &mut usize,
    count: usize,
) -> Option<(usize, usize)> {
    let is_full = |owners: &Option<&Owners>| owners.is_some_and(|owners| owners.iter().all(Option::is_some));
    *first_free += triples.clone().skip(*first_free).take_while(is_full).count();
    triples.enumerate().skip(*first_free).find_map(|(place, owners)| {
        let lane = owners?.windows(count).position(|lanes| lanes.iter().all(Option::is_none))?;
        Some((place, lane))
    })
}
