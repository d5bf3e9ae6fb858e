//! Things under ids that ascend in the order of insertion and are never used again.
#![forbid(unsafe_code)]

use crate::memory;

/// The id of a body or a constraint: 0, 1, 2, … in the order of insertion.
pub type Id = u64;

/// Things in the order of their ids. Removed ones leave a gap until the table is closed up.
#[derive(Debug)]
pub struct Table<T> {
    ids: Vec<Id>,
    things: Vec<Option<T>>,
    /// What has changed of each, see [`super::dirty`]: apart, so that all are looked through quickly.
    marks: Vec<u8>,
    next: Id,
    live: usize,
}

/// Things with new ids that are to be given to them: room for the table, and where each stands now.
pub(super) struct Reordered<T> {
    table: Table<T>,
    places: Vec<usize>,
}

/// The mark of a gap.
pub const GONE: u8 = 0x80;

/// The mark of a thing that has been chosen from many.
const CHOSEN: u8 = 0x40;

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { ids: Vec::new(), things: Vec::new(), marks: Vec::new(), next: 0, live: 0 }
    }
}

impl<T> Table<T> {
    /// A table with a thing for each of another table, under the same ids; the next one is also the same.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn alongside<S>(other: &Table<S>, thing: impl Fn(Id, &S) -> T) -> memory::Result<Self> {
        let mut table = Self { next: other.next, live: other.live, ..Self::default() };
        table.reserve(other.live)?;
        for (id, own) in other.iter() {
            table.ids.push(id);
            table.things.push(Some(thing(id, own)));
            table.marks.push(0);
        }
        Ok(table)
    }

    /// Make room for some more things: inserting them then does not fail.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn reserve(&mut self, count: usize) -> memory::Result {
        self.ids.try_reserve(count)?;
        self.things.try_reserve(count)?;
        self.marks.try_reserve(count)
    }

    /// Append a thing with its marks; its id.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn insert(&mut self, thing: T, marks: u8) -> memory::Result<Id> {
        self.reserve(1)?;
        let id = self.next;
        self.ids.push(id);
        self.things.push(Some(thing));
        self.marks.push(marks);
        self.next += 1;
        self.live += 1;
        Ok(id)
    }

    /// Where the things would be with new ids in an order of their ids before, and where the next would.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(super) fn reordered(&self, order: impl Iterator<Item = Id> + Clone) -> memory::Result<Reordered<T>> {
        let (mut table, mut places) = (Self { next: self.next, ..Self::default() }, Vec::new());
        table.reserve(self.live)?;
        places.try_reserve_exact(self.live)?;
        places.extend(order.filter_map(|id| self.find(id)));
        Ok(Reordered { table, places })
    }

    /// Give things the new ids.
    pub(super) fn replace(&mut self, Reordered { mut table, places }: Reordered<T>) {
        for place in places {
            if let Some(thing) = self.things[place].take() {
                table.ids.push(table.next);
                table.things.push(Some(thing));
                table.marks.push(self.marks[place]);
                table.next += 1;
                table.live += 1;
            }
        }
        *self = table;
    }

    /// The id that the next thing will have.
    pub fn next(&self) -> Id {
        self.next
    }

    /// The thing with an id.
    pub fn get(&self, id: Id) -> Option<&T> {
        self.things[self.find(id)?].as_ref()
    }

    /// The thing with an id, and its marks.
    pub fn get_mut(&mut self, id: Id) -> Option<(&mut T, &mut u8)> {
        let place = self.find(id)?;
        Some((self.things[place].as_mut()?, &mut self.marks[place]))
    }

    /// Take out the thing with an id.
    pub fn remove(&mut self, id: Id) -> Option<T> {
        let place = self.find(id)?;
        let thing = self.things[place].take()?;
        self.marks[place] = GONE;
        self.live -= 1;
        Some(thing)
    }

    /// Forget the things that were inserted since this id was the next: it is again.
    pub fn truncate(&mut self, next: Id) {
        let place = self.ids.partition_point(|id| *id < next);
        self.live -= self.things.drain(place..).flatten().count();
        self.ids.truncate(place);
        self.marks.truncate(place);
        self.next = next;
    }

    /// Choose the thing with an id; false if there is none, or it has been chosen already.
    pub fn choose(&mut self, id: Id) -> bool {
        self.get_mut(id).is_some_and(|(_, mark)| {
            let is_new = *mark & CHOSEN == 0;
            *mark |= CHOSEN;
            is_new
        })
    }

    /// Take back the choice of the thing with an id.
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

    /// Whether so much of the table is gaps that it is to be closed up: each thing that moves then has been paid for by removals.
    pub fn is_sparse(&self) -> bool {
        self.things.len() - self.live > self.live / 8 + 64
    }

    /// Where things stand from a place on.
    pub fn live_places_from(&self, first: usize) -> impl Iterator<Item = usize> {
        (first..).zip(&self.marks[first..]).filter(|(_, mark)| **mark != GONE).map(|(place, _)| place)
    }

    /// Whether things have been removed since the table was closed up.
    pub fn has_gaps(&self) -> bool {
        self.live != self.things.len()
    }

    /// Where the thing with an id stands, counted from zero, gaps included.
    pub fn place(&self, id: Id) -> Option<usize> {
        self.find(id)
    }

    /// Number of things.
    pub fn len(&self) -> usize {
        self.live
    }

    /// All things with their ids, which ascend.
    pub fn iter(&self) -> impl Iterator<Item = (Id, &T)> + Clone {
        self.ids.iter().zip(&self.things).filter_map(|(id, thing)| Some((*id, thing.as_ref()?)))
    }

    /// The ids, those of gaps among them.
    pub(super) fn ids(&self) -> &[Id] {
        &self.ids
    }

    /// The things, gaps among them.
    pub(super) fn things(&self) -> &[Option<T>] {
        &self.things
    }

    /// The marks, those of gaps among them.
    pub(super) fn marks(&self) -> &[u8] {
        &self.marks
    }

    /// The things and their marks, gaps among them.
    pub(super) fn all_mut(&mut self) -> (&mut [Option<T>], &mut [u8]) {
        (&mut self.things, &mut self.marks)
    }

    fn find(&self, id: Id) -> Option<usize> {
        // Where nothing has been removed, each stands at the place that its id says.
        let place = usize::try_from(id).ok()?;
        if self.ids.get(place) == Some(&id) { Some(place) } else { self.ids.binary_search(&id).ok() }
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
}
