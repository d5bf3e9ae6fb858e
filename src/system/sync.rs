//! The constraints of one list, for instance the contacts of a step, matched with the constraints that exist by keys.
#![forbid(unsafe_code)]

use crate::math::{Block, Vector, inverse, is_finite, times};
use crate::memory::{self, collect};

use super::body::same_bits;
use super::bulk::{AtPoints, EntryError, EntryResult};
use super::constraint::Placement;
use super::error::{Error, Fault, Subject};
use super::id_table::Id;
use super::laws::{self, RowLaw};
use super::model::System;

/// An entry of a list for [`System::sync_constraints`].
///
/// ```
/// use ldy::solve::Law;
/// use ldy::system::{AtPoints, Keyed, System};
///
/// let axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let mut system = System::new();
/// let ball = system.add_rigid(1.0, &axes, &axes, &[0.0; 3])?;
/// let place = AtPoints { bodies: [Some(ball), None], frame: axes, points: [[0.0, 0.0, -0.5]; 2] };
/// let contact = |key| Keyed { key, place, law: Some(Law::contact(0.5).into()) };
/// system.sync_constraints(2, |k| contact([7, 8][k]), |_, _| ())?;
/// let synced = system.sync_constraints(2, |k| contact([8, 9][k]), |_, _| ())?;
/// assert_eq!((synced.kept, synced.inserted, synced.removed), (1, 1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Keyed {
    /// The number by which the constraint is found again in the next list. It becomes the tag of the constraint.
    pub key: u64,
    /// Bodies, frame and points.
    pub place: AtPoints,
    /// The law; `None`: an existing constraint keeps its law, and a new one has none.
    pub law: Option<RowLaw>,
}

/// The numbers of constraints that [`System::sync_constraints`] has kept, inserted and removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// Constraints whose keys were known: they have the frames, points and bodies of their entries now.
    pub kept: usize,
    /// New constraints. Their ids follow each other in the order of entries, and are larger than all ids before.
    pub inserted: usize,
    /// Constraints that were removed, since no entry has their key.
    pub removed: usize,
    /// The id of the first new constraint.
    pub first_inserted: Option<Id>,
}

/// Memory for the next call.
#[derive(Debug, Default)]
pub(super) struct SyncWorkspace {
    /// The keys of entries, with their entries, ascending.
    given: Vec<(u64, usize)>,
    /// The keys of existing constraints, ascending.
    known: Vec<(u64, Id)>,
    /// The constraint of each entry.
    ids: Vec<Option<Id>>,
    /// Constraints that no entry names.
    gone: Vec<Id>,
}

impl SyncWorkspace {
    /// Match keys; returns the first entry whose key an earlier entry has.
    fn join(
        &mut self,
        count: usize,
        key: impl Fn(usize) -> u64,
        known: impl Iterator<Item = (u64, Id)> + Clone,
    ) -> memory::Result<Option<usize>> {
        let Self { given, known: own, ids, gone } = self;
        collect(given, count, (0..count).map(|k| (key(k), k)))?;
        given.sort_unstable();
        collect(own, known.clone().count(), known)?;
        own.sort_unstable();
        memory::refill(ids, count, None)?;
        collect(gone, own.len(), std::iter::empty())?;
        let mut rest = given.iter().peekable();
        for &(key, id) in own.iter() {
            while rest.next_if(|(other, _)| *other < key).is_some() {}
            match rest.next_if(|(other, _)| *other == key) {
                Some(&(_, entry)) => ids[entry] = Some(id),
                None => gone.push(id),
            }
        }
        Ok(given.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).min())
    }
}

impl System {
    /// Make the constraints with keys equal to a list of `count` entries, all or none. A constraint has a key if an earlier call
    /// has inserted it; other constraints are not touched.
    ///
    /// - If a constraint has the key of an entry, it gets bodies, frame and points of the entry, and keeps id, row, compliance,
    ///   reaction and law (unless the entry has a law). If its frame changes, the reaction is expressed in the new axes, so that
    ///   the force on the bodies in the world is the same; if master and slave change places, its sign changes, too.
    /// - If no constraint has the key, a new one is inserted, without reaction and compliance.
    /// - If no entry has the key of a constraint, it is removed.
    ///
    /// The key is the tag of the constraint; [`System::set_tag`] changes it. If two constraints have the same key then, the older
    /// one is the constraint of the entry, and the other one is removed.
    ///
    /// `tell` gets the id of the constraint of each entry.
    ///
    /// # Errors
    /// The error of the first entry that [`System::add_point_constraint`] or [`System::set_law`] would refuse, or whose key an earlier
    /// entry has. Also if memory is exhausted. Nothing has changed then.
    pub fn sync_constraints(
        &mut self,
        count: usize,
        entry: impl Fn(usize) -> Keyed,
        mut tell: impl FnMut(usize, Id),
    ) -> EntryResult<Synced> {
        let mut room = std::mem::take(&mut self.sync);
        let synced = self.sync_in(&mut room, count, entry);
        if synced.is_ok() {
            room.ids.iter().flatten().enumerate().for_each(|(entry, id)| tell(entry, *id));
        }
        self.sync = room;
        synced
    }

    fn sync_in(
        &mut self,
        room: &mut SyncWorkspace,
        count: usize,
        entry: impl Fn(usize) -> Keyed,
    ) -> EntryResult<Synced> {
        let known = self.data.iter().filter(|(_, data)| data.has_key).map(|(id, data)| (data.tag, id));
        let twice = room.join(count, |k| entry(k).key, known).map_err(Error::from)?;
        let first = self.next_constraint();
        let mut inserted = 0;
        for k in 0..count {
            let Keyed { place: AtPoints { bodies, frame, points }, law, .. } = entry(k);
            let id = room.ids[k];
            inserted += Id::from(room.ids[k].is_none());
            let key =
                if twice == Some(k) { Err(Fault::Invalid("an earlier entry has its key")) } else { Ok(()) };
            let checked = key.and_then(|()| self.check_points(bodies, &frame, points).map(|_| ()));
            let checked = checked.and_then(|()| laws::check(&law, 3));
            checked.map_err(|fault| EntryError {
                entry: Some(k),
                error: Error { subject: Subject::Constraint(id, bodies), fault },
            })?;
        }
        // Only this can fail.
        if inserted > 0 {
            let new = (0..count).filter(|&k| room.ids[k].is_none());
            self.put_at_points(new.map(|k| entry(k).place))?;
        }
        let mut next = first;
        for k in 0..count {
            let Keyed { key, place, law } = entry(k);
            match room.ids[k] {
                Some(id) => self.carry_over(id, &place)?,
                None => {
                    room.ids[k] = Some(next);
                    if let Some((data, _)) = self.data.get_mut(next) {
                        (data.tag, data.has_key) = (key, true);
                    }
                    next += 1;
                }
            }
            if let (Some(id), Some(_)) = (room.ids[k], law) {
                self.put_law(id, law);
            }
        }
        room.gone.iter().try_for_each(|&id| self.remove_constraint(id))?;
        let first_inserted = (inserted > 0).then_some(first);
        let inserted = inserted as usize;
        Ok(Synced { kept: count - inserted, inserted, removed: room.gone.len(), first_inserted })
    }

    /// Move a constraint, and express its reaction in the new axes. The place has been checked.
    fn carry_over(&mut self, id: Id, place: &AtPoints) -> super::error::Result {
        let &AtPoints { bodies, frame, points } = place;
        let frame = self.options.accepted(&frame);
        let constraint = self.constraint(id)?;
        let [master, slave] = constraint.bodies();
        let changes_sides = master != slave && bodies == [slave, master];
        if let Placement::Points { frame: before, .. } = constraint.placement() {
            let before = *before;
            if let Some((data, _)) = self.data.get_mut(id) {
                let [x, y, z, ..] = data.reaction;
                let turned = in_axes(&frame, &before, [x, y, z]);
                let sign = if changes_sides { -1.0 } else { 1.0 };
                data.reaction[..3].copy_from_slice(&turned.map(|r| sign * r));
            }
        }
        self.put_points(id, bodies, Placement::Points { frame, points })
    }
}

/// The components in the axes E′ of a force with the components R in the axes E: E′ R′ = E R. Zero if that is not finite, as with
/// singular axes, see [`super::SystemOption::AnyAxes`].
fn in_axes(after: &Block, before: &Block, force: Vector) -> Vector {
    if same_bits(after, before) || force == [0.0; 3] {
        return force;
    }
    let turned = inverse(after).map(|inverse| times(&inverse, &times(before, &force)));
    turned.filter(|turned| is_finite(turned)).unwrap_or_default()
}
