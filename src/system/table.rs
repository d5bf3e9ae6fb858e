//! Things under ids that ascend in the order of insertion and are never used again.
#![forbid(unsafe_code)]

use std::collections::TryReserveError;

/// The id of a body or a constraint: 0, 1, 2, … in the order of insertion.
pub type Id = u64;

/// Things in the order of their ids. Removed ones leave a gap until the table is closed up.
#[derive(Debug)]
pub struct Table<T> {
    entries: Vec<(Id, Option<T>)>,
    next: Id,
    live: usize,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), next: 0, live: 0 }
    }
}

impl<T> Table<T> {
    /// Append a thing; its id.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn insert(&mut self, thing: T) -> Result<Id, TryReserveError> {
        self.entries.try_reserve(1)?;
        let id = self.next;
        self.entries.push((id, Some(thing)));
        self.next += 1;
        self.live += 1;
        Ok(id)
    }

    /// The id that the next thing will have.
    pub fn next(&self) -> Id {
        self.next
    }

    /// The thing with an id.
    pub fn get(&self, id: Id) -> Option<&T> {
        self.entries[self.find(id)?].1.as_ref()
    }

    /// The thing with an id.
    pub fn get_mut(&mut self, id: Id) -> Option<&mut T> {
        let place = self.find(id)?;
        self.entries[place].1.as_mut()
    }

    /// Take out the thing with an id.
    pub fn remove(&mut self, id: Id) -> Option<T> {
        let place = self.find(id)?;
        let thing = self.entries[place].1.take()?;
        self.live -= 1;
        Some(thing)
    }

    /// Close the gaps.
    pub fn close_up(&mut self) {
        if self.live != self.entries.len() {
            self.entries.retain(|(_, thing)| thing.is_some());
        }
    }

    /// Where the thing with an id stands, counted from zero, if there are no gaps.
    pub fn place(&self, id: Id) -> Option<usize> {
        self.find(id)
    }

    /// Number of things.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// All things with their ids, which ascend.
    pub fn iter(&self) -> impl Iterator<Item = (Id, &T)> + Clone {
        self.entries.iter().filter_map(|(id, thing)| Some((*id, thing.as_ref()?)))
    }

    /// The entries, gaps among them.
    pub(super) fn entries(&self) -> &[(Id, Option<T>)] {
        &self.entries
    }

    /// The entries, gaps among them.
    pub(super) fn entries_mut(&mut self) -> &mut [(Id, Option<T>)] {
        &mut self.entries
    }

    fn find(&self, id: Id) -> Option<usize> {
        self.entries.binary_search_by_key(&id, |entry| entry.0).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_outlive_others_and_never_return() {
        let mut table = Table::default();
        let ids: Vec<Id> = ["a", "b", "c"].into_iter().map(|name| table.insert(name).unwrap()).collect();
        assert_eq!(ids, [0, 1, 2]);
        assert_eq!((table.remove(1), table.remove(1), table.get(1)), (Some("b"), None, None));
        table.close_up();
        assert_eq!((table.place(2), table.get(2), table.get(1), table.len()), (Some(1), Some(&"c"), None, 2));
        assert_eq!(table.insert("d").unwrap(), 3);
        assert_eq!(table.remove(3), Some("d"));
        table.close_up();
        assert_eq!(table.insert("e").unwrap(), 4);
        assert_eq!(table.iter().collect::<Vec<_>>(), [(0, &"a"), (2, &"c"), (4, &"e")]);
    }
}
