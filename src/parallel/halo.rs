//! The constraints that go to other processes: a process has all constraints on the bodies that it owns, and all on ghosts that its own
//! constraints couple with others. Geometry is sent, not operators or panels: 15 numbers of a constraint at points are less than the 36
//! of two operators, and each process makes the panel of a body with the same bits.
#![forbid(unsafe_code)]

use crate::ffi::errors::Result;
use crate::io::words::Reader;
use crate::memory::push;
use crate::system::Id;

use super::ghosts::malformed;
use super::mpi::exchange::{Letters, Message};
use super::mpi::partners::Partners;
use super::system::ParallelSystem;

impl ParallelSystem {
    /// List the own constraints that belong to the halos of other processes, and the processes with messages of an update. `uses`: own
    /// bodies that constraints of other processes use, by bodies and ranks. Returns whether operators of any process follow ghosts.
    /// Collective.
    ///
    /// # Errors
    /// The same on all processes: if memory is exhausted.
    pub(super) fn list_shared(&mut self, uses: Vec<(Id, u32)>) -> Result<bool> {
        let letters = self.tell_users(&uses);
        let messages = Letters::exchange_with(&self.group, letters, &mut self.holders, &mut self.traffic)?;
        let listed = self.sort_shared(uses, &messages);
        let has_joints = self.group.agree_on(&listed, self.has_joints_on_ghosts())?;
        (self.shared, self.neighbors) = listed?;
        Ok(has_joints)
    }

    /// Whether operators of own constraints follow ghosts.
    fn has_joints_on_ghosts(&self) -> bool {
        self.system.bodies_of_joints().any(|body| self.owner(body) != self.rank())
    }

    /// Send each user of an own body the list of the other users.
    fn tell_users(&self, uses: &[(Id, u32)]) -> Result<Letters> {
        let mut letters = Letters::new(&self.group)?;
        for users in uses.chunk_by(|one, other| one.0 == other.0).filter(|users| users.len() > 1) {
            for &(body, user) in users {
                let words = letters.to(user as usize);
                for &(_, other) in users.iter().filter(|(_, other)| *other != user) {
                    words.put(body).and_then(|()| words.put(other.into()))?;
                }
            }
        }
        Ok(letters)
    }

    /// The ranks and constraints, ascending, where `targets` are uses of own bodies, and messages name other users of ghosts; and the
    /// processes with messages of an update. Users of a body send constraints to its owner and to each other.
    fn sort_shared(
        &self,
        mut targets: Vec<(Id, u32)>,
        messages: &[Message],
    ) -> Result<(Vec<(u32, Id)>, Partners)> {
        for message in messages {
            let mut reader = Reader(&message.words);
            while let Some(body) = reader.word() {
                let user = reader.word().ok_or_else(malformed)? as u32;
                push(&mut targets, (body, user))?;
            }
        }
        targets.sort_unstable();
        let mut shared = Vec::new();
        for (id, constraint) in self.own_constraints() {
            for body in constraint.all_bodies().filter(|&body| !self.system.is_obstacle(body)) {
                let owner = self.owner(body);
                if owner != self.rank() {
                    push(&mut shared, (owner as u32, id))?;
                }
                let first = targets.partition_point(|target| target.0 < body);
                for &(_, user) in targets[first..].iter().take_while(|target| target.0 == body) {
                    push(&mut shared, (user, id))?;
                }
            }
        }
        shared.sort_unstable();
        shared.dedup();
        let out = shared.iter().map(|shared| shared.0).chain(self.lent.iter().map(|lent| lent.rank));
        let inbox = targets.iter().map(|target| target.1).chain(self.ghosts.iter().map(|ghost| ghost.1));
        let partners = Partners::new(&self.group, out, inbox)?;
        Ok((shared, partners))
    }

    /// Append the own constraints that belong to the halos of others, a list for each process; before it are states of bodies, or that
    /// there are none.
    pub(super) fn pack_shared(&self, letters: &mut Letters) -> Result {
        for &(rank, id) in &self.shared {
            let words = letters.to(rank as usize);
            if words.0.is_empty() {
                words.put(0)?;
            }
            self.system.pack_constraint(id, false, words)?;
        }
        Ok(())
    }

    /// Make the halo equal to the constraints in messages.
    pub(super) fn read_halo(&mut self, messages: &mut [(u32, Reader)]) -> Result {
        let mut before = Vec::new();
        for &(id, _) in &self.halo {
            push(&mut before, id)?;
        }
        let mut halo = Vec::new();
        let received =
            self.system.receive_constraints(messages, &before, &mut |id, rank| push(&mut halo, (id, rank)));
        // After an error some constraints may have been removed, and none has been inserted.
        if received.is_ok() {
            self.halo = halo;
        }
        Ok(received?)
    }
}
