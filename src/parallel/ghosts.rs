//! Ghosts: copies of bodies that other processes own.
#![forbid(unsafe_code)]

use crate::ffi::errors::{Code, Result, fail, invalid};
use crate::io::words::{Reader, Words};
use crate::memory::{self, push};
use crate::system::{Id, System};

use super::mpi::agreement::Call;
use super::mpi::exchange::{Letters, Message};
use super::mpi::partners::Partners;
use super::system::ParallelSystem;

/// An own body of which another process has a ghost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lent {
    /// The process with the ghost.
    pub rank: u32,
    /// The body.
    pub body: Id,
    /// The digest of the inertia that was sent last.
    pub digest: Option<u64>,
}

pub(super) fn malformed() -> Code {
    invalid!("a message from another process is malformed")
}

impl ParallelSystem {
    /// Get copies of bodies from their owners. Collective; a process may ask for none.
    ///
    /// # Errors
    /// The same on all processes: if an owner is no process or this one, this process has the body already, its owner has not, or it has
    /// an inverse callback; if memory is exhausted. Nothing has changed then.
    pub fn add_ghosts(&mut self, ghosts: &[(Id, usize)]) -> Result {
        let checked = self.check_ghosts(ghosts);
        self.group.begin(Call::AddGhosts, 0, false, &checked)?;
        let questions = self.exchange(self.ask(ghosts))?;
        let answers = self.exchange(self.answer(&questions))?;
        let (bodies, all) = self.group.agree(self.read_ghosts(ghosts, &answers))?;
        let inserted = self.system.insert_bodies(bodies);
        if inserted.is_ok() {
            self.ghosts = all;
        }
        self.group.agree(inserted)
    }

    fn check_ghosts(&self, ghosts: &[(Id, usize)]) -> Result {
        let mut ids = memory::collected(ghosts.len(), ghosts.iter().map(|ghost| ghost.0))?;
        ids.sort_unstable();
        for pair in ids.windows(2) {
            ensure!(pair[0] != pair[1], invalid!("body {}: a ghost of it is asked for twice", pair[0]));
        }
        for &(id, owner) in ghosts {
            let fault = if owner >= self.size() {
                "its owner is no process"
            } else if owner == self.rank() {
                "its owner is this process"
            } else if self.system.body(id).is_ok() {
                "this process has it already"
            } else {
                continue;
            };
            return Err(invalid!("ghost of body {id} of rank {owner}: {fault}"));
        }
        Ok(())
    }

    fn ask(&self, ghosts: &[(Id, usize)]) -> Result<Letters> {
        let mut letters = Letters::new(&self.group)?;
        for &(id, owner) in ghosts {
            letters.to(owner).put(id)?;
        }
        Ok(letters)
    }

    fn answer(&self, questions: &[Message]) -> Result<Letters> {
        let mut letters = Letters::new(&self.group)?;
        for Message { rank, words } in questions {
            for &id in words {
                self.check_owned(id, *rank)?;
                self.system.pack_body(id, true, letters.to(*rank))?;
            }
        }
        Ok(letters)
    }

    /// Check that this process owns a body of which another one has a ghost.
    pub(super) fn check_owned(&self, id: Id, rank: usize) -> Result {
        let (own, owner) = (self.rank(), self.owner(id));
        let is_here = owner == own && self.system.body(id).is_ok();
        ensure!(
            is_here,
            fail!(
                Code::NotFound,
                "body {id}: rank {rank} names rank {own} as its owner, which does not own it"
            )
        );
        Ok(())
    }

    #[expect(clippy::type_complexity, reason = "bodies and their owners, used once")]
    fn read_ghosts(
        &self,
        asked: &[(Id, usize)],
        answers: &[Message],
    ) -> Result<(Vec<(Id, crate::system::Body)>, Vec<(Id, u32)>)> {
        let mut bodies = memory::with_capacity(asked.len())?;
        for message in answers {
            let mut reader = Reader(&message.words);
            while !reader.is_empty() {
                bodies.push(System::unpack_body(&mut reader)?);
            }
        }
        bodies.sort_unstable_by_key(|body: &(Id, _)| body.0);
        let mut all = memory::copied(&self.ghosts)?;
        all.try_reserve(asked.len())?;
        all.retain(|ghost| self.system.body(ghost.0).is_ok());
        all.extend(asked.iter().map(|&(id, owner)| (id, owner as u32)));
        all.sort_unstable();
        Ok((bodies, all))
    }

    /// Forget the ghosts that have been removed. The owners of all others get a list of the ghosts that own constraints use. Each owner
    /// then lists the bodies that it lends. Returns the uses of own bodies by other processes, by bodies and ranks. Collective.
    ///
    /// # Errors
    /// The same on all processes: if a ghost has another owner than its process says, or memory is exhausted.
    pub(super) fn list_lent(&mut self) -> Result<Vec<(Id, u32)>> {
        let Self { ghosts, system, .. } = self;
        ghosts.retain(|&(id, _)| system.body(id).is_ok());
        let messages = self.exchange(self.uses())?;
        let listed = self.read_uses(&messages).and_then(|(lent, uses)| {
            let holders = lent.iter().map(|lent| lent.rank);
            let owners = self.ghosts.iter().map(|ghost| ghost.1);
            Ok((Partners::new(&self.group, holders, owners)?, lent, uses))
        });
        let (partners, lent, uses) = self.group.agree(listed)?;
        (self.holders, self.lent) = (partners, lent);
        Ok(uses)
    }

    /// The ghosts of each owner, with 1 if an own constraint couples it with others, else 0.
    fn uses(&self) -> Result<Letters> {
        let mut used = Vec::new();
        for (_, constraint) in self.own_constraints() {
            for body in constraint.all_bodies() {
                if self.owner(body) != self.rank() {
                    push(&mut used, body)?;
                }
            }
        }
        used.sort_unstable();
        let mut letters = Letters::new(&self.group)?;
        for &(id, owner) in &self.ghosts {
            let is_used = used.binary_search(&id).is_ok() && !self.system.is_obstacle(id);
            let words = letters.to(owner as usize);
            words.put(id).and_then(|()| words.put(is_used.into()))?;
        }
        Ok(letters)
    }

    #[expect(clippy::type_complexity, reason = "two lists, used once")]
    fn read_uses(&self, messages: &[Message]) -> Result<(Vec<Lent>, Vec<(Id, u32)>)> {
        let (mut lent, mut uses) = (Vec::new(), Vec::new());
        for Message { rank, words } in messages {
            let mut reader = Reader(words);
            while let Some(id) = reader.word() {
                self.check_owned(id, *rank)?;
                let rank = *rank as u32;
                let known = self.lent.binary_search_by_key(&(rank, id), |lent| (lent.rank, lent.body));
                let digest = known.ok().and_then(|place| self.lent[place].digest);
                push(&mut lent, Lent { rank, body: id, digest })?;
                if reader.word().ok_or_else(malformed)? == 1 {
                    push(&mut uses, (id, rank))?;
                }
            }
        }
        lent.sort_unstable();
        uses.sort_unstable();
        Ok((lent, uses))
    }

    /// Append the states of the own bodies of which other processes have ghosts, a list for each of them.
    pub(super) fn pack_lent(&mut self, letters: &mut Letters) -> Result {
        let mut scratch = Words::default();
        let Self { lent, system, .. } = self;
        for of_rank in lent.chunk_by_mut(|one, other| one.rank == other.rank) {
            let words = letters.to(of_rank[0].rank as usize);
            words.put(of_rank.len() as u64)?;
            for Lent { body, digest, .. } in of_rank {
                let now = Some(system.inertia_digest(*body, &mut scratch)?);
                system.pack_body(*body, *digest != now, words)?;
                *digest = now;
            }
        }
        Ok(())
    }

    /// Send the states of bodies to their ghosts. Collective.
    ///
    /// # Errors
    /// The same on all processes: as [`ParallelSystem::update`] for ghosts.
    pub fn refresh(&mut self) -> Result {
        let is_changed = !self.system.has_structure();
        if self.group.begin(Call::Refresh, 0, is_changed, &Ok(()))? {
            self.list_lent()?;
        }
        self.send_states()
    }

    /// Send the states of the bodies that have been listed. Collective.
    pub(super) fn send_states(&mut self) -> Result {
        let letters = Letters::new(&self.group).and_then(|mut letters| {
            self.pack_lent(&mut letters)?;
            Ok(letters)
        });
        let messages = Letters::exchange_with(&self.group, letters, &mut self.holders, &mut self.traffic)?;
        let read = messages.iter().try_for_each(|message| {
            let mut reader = Reader(&message.words);
            self.read_lent(&mut reader)
        });
        self.group.agree(read)
    }

    /// Read a list of states, and make the ghosts equal to them.
    pub(super) fn read_lent(&mut self, reader: &mut Reader) -> Result {
        let count = reader.word().ok_or_else(malformed)?;
        (0..count).try_for_each(|_| self.system.receive_body(reader).map_err(Code::from))
    }
}
