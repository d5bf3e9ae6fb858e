//! A table of items under ids that ascend in the order of insertion and are never used again.
#![forbid(unsafe_code)]

use std::collections::TryReserveError;

use crate::memory;

/// The id of a body or a constraint: 0, 1, 2, … in the order of insertion.
pub type Id = u64;

/// An item with its id and marks, while others are merged.
#[cfg(any(test, feature = "mpi"))]
pub type Kept<T> = ((Id, Option<T>), u8);

/// Items in the order of their ids. A removed item leaves a gap until the table is closed up.
#[derive(Debug)]
pub struct Table<T> {
    ids: Vec<Id>,
    things: Vec<Option<T>>,
    /// The dirty flags of each item, see [`super::dirty`], in an array of their own so that scanning them is quick.
    marks: Vec<u8>,
    next: Id,
    live: usize,
    /// One past the greatest id of all items that were ever there.
    end: Id,
    /// Whether an item has come below the end since [`Table::take_disorder`].
    is_disordered: bool,
}

/// The mark of a gap.
pub const GONE: u8 = 0x80;

/// The mark of an item that has been chosen from many.
const CHOSEN: u8 = 0x40;

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            ids: Vec::new(),
            things: Vec::new(),
            marks: Vec::new(),
            next: 0,
            live: 0,
            end: 0,
            is_disordered: false,
        }
    }
}

impl<T> Table<T> {
    /// Reserve memory for `count` more items, so that inserting them does not fail.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn reserve(&mut self, count: usize) -> memory::Result {
        self.ids.try_reserve(count)?;
        self.things.try_reserve(count)?;
        self.marks.try_reserve(count)
    }

    /// Insert an item with its marks under the next id, and return the id. It comes after all others, unless [`Table::set_next`] has
    /// chosen a smaller id than theirs.
    ///
    /// # Errors
    /// If memory is exhausted, or an item has the next id.
    pub fn insert(&mut self, thing: T, marks: u8) -> memory::Result<Id> {
        self.reserve(1)?;
        let id = self.next;
        if id >= self.end {
            self.ids.push(id);
            self.things.push(Some(thing));
            self.marks.push(marks);
            self.end = id + 1;
        } else {
            self.insert_between(id, thing, marks)?;
        }
        self.next += 1;
        self.live += 1;
        Ok(id)
    }

    #[cold]
    fn insert_between(&mut self, id: Id, thing: T, marks: u8) -> memory::Result {
        let place = self.ids.partition_point(|&other| other < id);
        self.is_disordered = true;
        if self.ids.get(place) != Some(&id) {
            self.ids.insert(place, id);
            self.things.insert(place, Some(thing));
            self.marks.insert(place, marks);
            return Ok(());
        }
        // No memory is large enough for two items with one id.
        let room = if self.marks[place] == GONE { 0 } else { usize::MAX };
        self.marks.try_reserve(room)?;
        (self.things[place], self.marks[place]) = (Some(thing), marks);
        Ok(())
    }

    /// Choose the id of the next item.
    #[cfg(any(test, feature = "mpi"))]
    pub fn set_next(&mut self, id: Id) {
        self.next = id;
    }

    /// Allocate all that the merge of these items needs.
    ///
    /// # Errors
    /// If memory is exhausted.
    #[cfg(any(test, feature = "mpi"))]
    pub fn room_for(&mut self, items: &[(Id, T, u8)]) -> memory::Result<Vec<Kept<T>>> {
        self.reserve(items.len())?;
        let after = items.first().map_or(0, |(first, ..)| self.ids.len() - self.place_of_first(*first));
        memory::with_capacity(after)
    }

    /// The place of the first item, or gap, that does not come before an id.
    #[cfg(any(test, feature = "mpi"))]
    fn place_of_first(&self, id: Id) -> usize {
        self.ids.partition_point(|&other| other < id)
    }

    /// Insert items with their marks under ids that ascend and that no item has, in the room for them.
    #[cfg(any(test, feature = "mpi"))]
    pub fn merge(&mut self, items: Vec<(Id, T, u8)>, mut after: Vec<Kept<T>>) {
        let Some(&(first, ..)) = items.first() else { return };
        self.live += items.len();
        if first >= self.end {
            self.end = items.last().map_or(self.end, |(last, ..)| last + 1);
            for (id, thing, marks) in items {
                self.ids.push(id);
                self.things.push(Some(thing));
                self.marks.push(marks);
            }
            return;
        }
        self.end = items.last().map_or(self.end, |(last, ..)| self.end.max(last + 1));
        self.is_disordered = true;
        let start = self.place_of_first(first);
        let own = self.ids.drain(start..).zip(self.things.drain(start..)).zip(self.marks.drain(start..));
        after.extend(own.filter(|(_, marks)| *marks != GONE));
        let mut others = after.into_iter().peekable();
        let mut put = |id, thing, marks| {
            self.ids.push(id);
            self.things.push(thing);
            self.marks.push(marks);
        };
        for (id, thing, marks) in items {
            while let Some(((other, thing), marks)) = others.next_if(|((other, _), _)| *other < id) {
                put(other, thing, marks);
            }
            put(id, Some(thing), marks);
        }
        others.for_each(|((id, thing), marks)| put(id, thing, marks));
    }

    /// Whether items have come below the end since the last call: the structure has to be made from the start then.
    pub fn take_disorder(&mut self) -> bool {
        std::mem::take(&mut self.is_disordered)
    }

    /// The id that the next item will have.
    pub fn next(&self) -> Id {
        self.next
    }

    /// The item with an id.
    pub fn get(&self, id: Id) -> Option<&T> {
        self.things[self.place(id)?].as_ref()
    }

    /// The item with an id, and its marks.
    pub fn get_mut(&mut self, id: Id) -> Option<(&mut T, &mut u8)> {
        let place = self.place(id)?;
        Some((self.things[place].as_mut()?, &mut self.marks[place]))
    }

    /// Remove and return the item with an id.
    pub fn remove(&mut self, id: Id) -> Option<T> {
        let place = self.place(id)?;
        let thing = self.things[place].take()?;
        self.marks[place] = GONE;
        self.live -= 1;
        Some(thing)
    }

    /// Remove the items that were inserted since `next` was the next id, and make it the next id again.
    pub fn truncate(&mut self, next: Id) {
        let place = |bound: Id| self.ids.partition_point(|id| *id < bound);
        let range = place(next)..place(self.next);
        self.live -= self.things.drain(range.clone()).flatten().count();
        self.ids.drain(range.clone());
        self.marks.drain(range);
        self.next = next;
    }

    /// An empty table that continues the ids of this one.
    pub fn emptied(&self) -> Self {
        Self { next: self.next, end: self.end, ..Self::default() }
    }

    /// A table of copies under the same ids, without the gaps; `copy` makes each with its marks.
    ///
    /// # Errors
    /// The first error of `copy`, or if memory is exhausted.
    pub fn copied<E: From<TryReserveError>>(
        &self,
        copy: impl Fn(Id, &T) -> Result<(T, u8), E>,
    ) -> Result<Self, E> {
        let mut table = self.emptied();
        table.reserve(self.live)?;
        for (id, thing) in self.iter() {
            let (thing, marks) = copy(id, thing)?;
            table.ids.push(id);
            table.things.push(Some(thing));
            table.marks.push(marks);
        }
        table.live = self.live;
        Ok(table)
    }

    /// Choose the item with an id; return false if there is none, or it has been chosen already.
    pub fn choose(&mut self, id: Id) -> bool {
        self.get_mut(id).is_some_and(|(_, mark)| {
            let is_new = *mark & CHOSEN == 0;
            *mark |= CHOSEN;
            is_new
        })
    }

    /// Undo the choice of the item with an id.
    pub fn take_back(&mut self, id: Id) {
        if let Some((_, mark)) = self.get_mut(id) {
            *mark &= !CHOSEN;
        }
    }

    /// Close the gaps.
    pub fn close_up(&mut self) {
        let Self { ids, things, marks, .. } = self;
        let mut own = marks.iter();
        ids.retain(|_| own.next() != Some(&GONE));
        marks.retain(|mark| *mark != GONE);
        things.retain(Option::is_some);
    }

    /// Whether the share of gaps is large enough to close the table up. The removals have then paid for each item that moves.
    pub fn is_sparse(&self) -> bool {
        self.things.len() - self.live > self.live / 8 + 64
    }

    /// The places of the items from place `first` on.
    pub fn live_places_from(&self, first: usize) -> impl Iterator<Item = usize> {
        (first..).zip(&self.marks[first..]).filter(|(_, mark)| **mark != GONE).map(|(place, _)| place)
    }

    /// Whether items have been removed since the table was closed up.
    pub fn has_gaps(&self) -> bool {
        self.live != self.things.len()
    }

    /// The place of the item with an id, counted from zero, gaps included.
    pub fn place(&self, id: Id) -> Option<usize> {
        // If nothing has been removed, the place of each item is its id.
        let place = usize::try_from(id).ok()?;
        if self.ids.get(place) == Some(&id) { Some(place) } else { self.ids.binary_search(&id).ok() }
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.live
    }

    /// All items with their ids, which ascend.
    pub fn iter(&self) -> impl Iterator<Item = (Id, &T)> + Clone {
        self.ids.iter().zip(&self.things).filter_map(|(id, thing)| Some((*id, thing.as_ref()?)))
    }

    /// The ids, gaps included.
    pub(super) fn ids(&self) -> &[Id] {
        &self.ids
    }

    /// The items, gaps included.
    pub(super) fn things(&self) -> &[Option<T>] {
        &self.things
    }

    /// The marks, gaps included.
    pub(super) fn marks(&self) -> &[u8] {
        &self.marks
    }

    /// The items and their marks, gaps included.
    pub(super) fn all_mut(&mut self) -> (&mut [Option<T>], &mut [u8]) {
        (&mut self.things, &mut self.marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_outlive_others_and_never_return() {
        let mut table = Table::default();
        let ids: Vec<Id> = ["a", "b", "c"].into_iter().map(|name| table.insert(name, 0).unwrap()).collect();
        assert_eq!(ids, [0, 1, 2]);
        assert_eq!((table.remove(1), table.remove(1), table.get(1)), (Some("b"), None, None));
        table.close_up();
        assert_eq!((table.place(2), table.get(2), table.get(1), table.len()), (Some(1), Some(&"c"), None, 2));
        assert_eq!(table.insert("d", 0).unwrap(), 3);
        assert_eq!(table.remove(3), Some("d"));
        table.close_up();
        assert_eq!(table.insert("e", 7).unwrap(), 4);
        assert_eq!(table.iter().collect::<Vec<_>>(), [(0, &"a"), (2, &"c"), (4, &"e")]);
        assert_eq!(table.marks(), [0, 0, 7]);
    }

    #[test]
    fn chosen_ids_keep_their_order() {
        let mut table = Table::default();
        table.set_next(10);
        assert_eq!((table.insert('a', 1), table.take_disorder()), (Ok(10), false));
        table.set_next(4);
        assert_eq!((table.insert('b', 2), table.take_disorder(), table.next()), (Ok(4), true, 5));
        table.set_next(10);
        assert!(table.insert('c', 0).is_err());
        let items = vec![(2, 'd', 4), (7, 'e', 5), (12, 'f', 6)];
        let room = table.room_for(&items).unwrap();
        table.merge(items, room);
        let all: Vec<_> = table.iter().map(|(id, &name)| (id, name)).collect();
        assert_eq!(all, [(2, 'd'), (4, 'b'), (7, 'e'), (10, 'a'), (12, 'f')]);
        assert_eq!((table.len(), table.marks()), (5, &[4, 2, 5, 1, 6][..]));
        assert!(table.take_disorder() && !table.take_disorder());
        table.set_next(5);
        table.insert('g', 0).unwrap();
        table.insert('h', 0).unwrap();
        table.truncate(5);
        assert_eq!((table.len(), table.get(6), table.get(7)), (5, None, Some(&'e')));
        table.remove(7);
        table.set_next(7);
        assert_eq!((table.insert('i', 3), table.get(7), table.len()), (Ok(7), Some(&'i'), 5));
    }
}
