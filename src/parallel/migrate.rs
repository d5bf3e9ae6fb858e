//! Bodies and constraints that move to other processes.
#![forbid(unsafe_code)]

use std::mem;

use crate::ffi::errors::{Code, Result, fail, invalid};
use crate::io::words::Reader;
use crate::memory::{self, collected, push};
use crate::system::{Body, Id, System};

use super::ghosts::malformed;
use super::mpi::agreement::Call;
use super::mpi::exchange::{Letters, Message};
use super::system::ParallelSystem;

/// A body or a constraint, and the process that gets it.
pub type Move = (Id, usize);

/// The moves that go elsewhere, ascending.
fn sorted(moves: &[Move], own: usize) -> Result<Vec<Move>> {
    let mut list = memory::with_capacity(moves.len())?;
    list.extend(moves.iter().copied().filter(|(_, rank)| *rank != own));
    list.sort_unstable();
    Ok(list)
}

/// The same moves by ranks, and then ascending.
fn by_rank(moves: &[Move]) -> Result<Vec<Move>> {
    let mut list = memory::copied(moves)?;
    list.sort_unstable_by_key(|&(id, rank)| (rank, id));
    Ok(list)
}

impl ParallelSystem {
    /// Move own bodies and own constraints to other processes, with their data. Collective; a process may move none.
    ///
    /// Processes with ghosts of a body learn its new owner. The former owner keeps a ghost while constraints of it act on the body. A
    /// process that gets a constraint gets ghosts of its bodies, too. Results of the last update are gone.
    ///
    /// # Errors
    /// The same on all processes: if a body or constraint is not this process's own or is there twice, a rank is none of the processes,
    /// or a body has an inverse callback; nothing has changed then. If memory is exhausted: the system must not be used any more then.
    pub fn migrate(&mut self, bodies: &[Move], constraints: &[Move]) -> Result {
        let checked = self.check_moves(bodies, constraints);
        self.group.begin(Call::Migrate, 0, false, &checked)?;
        let (bodies, constraints) = checked?;
        self.list_lent()?;
        let messages = self.exchange(self.send_bodies(&bodies))?;
        self.is_made = false;
        let received = self.drop_halo().and_then(|()| self.receive_bodies(&bodies, &messages));
        self.group.agree(received)?;
        let messages = self.exchange(self.send_constraints(&constraints))?;
        let received = self.leave(&bodies, &constraints).and_then(|()| self.receive_constraints(&messages));
        self.group.agree(received)
    }

    fn check_moves(&self, bodies: &[Move], constraints: &[Move]) -> Result<(Vec<Move>, Vec<Move>)> {
        let rank_of = |what: &str, &(id, rank): &Move| {
            let is_rank = rank < self.size();
            ensure!(is_rank, invalid!("{what} {id}: it is to move to a rank that is no process"));
            Ok(())
        };
        for body in bodies {
            rank_of("body", body)?;
            let is_own = self.system.body(body.0).is_ok() && self.owner(body.0) == self.rank();
            ensure!(is_own, fail!(Code::NotFound, "body {}: it does not belong to this process", body.0));
        }
        for constraint in constraints {
            let id = constraint.0;
            rank_of("constraint", constraint)?;
            let is_own = self.system.constraint(id).is_ok() && !self.is_halo(id);
            ensure!(is_own, fail!(Code::NotFound, "constraint {id}: it does not belong to this process"));
        }
        let lists = [sorted(bodies, self.rank())?, sorted(constraints, self.rank())?];
        for (list, what) in lists.iter().zip(["body", "constraint"]) {
            let twice = list.windows(2).find(|pair| pair[0].0 == pair[1].0);
            if let Some([(id, _), _]) = twice {
                return Err(invalid!("{what} {id}: it is to move twice"));
            }
        }
        let [bodies, constraints] = lists;
        Ok((bodies, constraints))
    }

    /// To each process: the bodies that it gets, then the new owners of its ghosts.
    fn send_bodies(&self, bodies: &[Move]) -> Result<Letters> {
        let mut letters = Letters::new(&self.group)?;
        for moves in by_rank(bodies)?.chunk_by(|one, other| one.1 == other.1) {
            let words = letters.to(moves[0].1);
            words.put(moves.len() as u64)?;
            moves.iter().try_for_each(|&(id, _)| self.system.pack_body(id, true, words))?;
        }
        for lent in &self.lent {
            let Ok(place) = bodies.binary_search_by_key(&lent.body, |entry| entry.0) else { continue };
            let (words, owner) = (letters.to(lent.rank as usize), bodies[place].1);
            if owner == lent.rank as usize {
                continue;
            }
            if words.0.is_empty() {
                words.put(0)?;
            }
            words.put(lent.body).and_then(|()| words.put(owner as u64))?;
        }
        Ok(letters)
    }

    fn drop_halo(&mut self) -> Result {
        for (id, _) in mem::take(&mut self.halo) {
            if self.system.constraint(id).is_ok() {
                self.system.remove_constraint(id)?;
            }
        }
        Ok(())
    }

    fn receive_bodies(&mut self, leaving: &[Move], messages: &[Message]) -> Result {
        let mut new: Vec<(Id, Body)> = Vec::new();
        let mut owners = memory::copied(leaving)?;
        let mut come = Vec::new();
        for message in messages {
            let mut reader = Reader(&message.words);
            for _ in 0..reader.word().ok_or_else(malformed)? {
                let id = *reader.0.first().ok_or_else(malformed)?;
                push(&mut come, id)?;
                match self.system.body(id) {
                    Ok(_) => self.system.receive_body(&mut reader)?,
                    Err(_) => push(&mut new, System::unpack_body(&mut reader)?)?,
                }
            }
            while let Some(body) = reader.word() {
                let owner = reader.word().ok_or_else(malformed)? as usize;
                push(&mut owners, (body, owner))?;
            }
        }
        come.sort_unstable();
        self.ghosts.retain(|ghost| come.binary_search(&ghost.0).is_err());
        self.set_owners(&mut owners)?;
        new.sort_unstable_by_key(|body| body.0);
        Ok(self.system.insert_bodies(new)?)
    }

    /// Note the owners of bodies that other processes own.
    fn set_owners(&mut self, owners: &mut [Move]) -> Result {
        owners.sort_unstable();
        self.ghosts.retain(|ghost| owners.binary_search_by_key(&ghost.0, |owner| owner.0).is_err());
        self.ghosts.try_reserve(owners.len())?;
        self.ghosts.extend(owners.iter().map(|&(body, owner)| (body, owner as u32)));
        self.ghosts.sort_unstable();
        Ok(())
    }

    /// To each process: bodies of the constraints that it gets, each with its owner, then the constraints.
    fn send_constraints(&self, constraints: &[Move]) -> Result<Letters> {
        let mut letters = Letters::new(&self.group)?;
        for moves in by_rank(constraints)?.chunk_by(|one, other| one.1 == other.1) {
            let mut bodies = Vec::new();
            for &(id, _) in moves {
                for body in self.system.constraint(id)?.all_bodies() {
                    push(&mut bodies, body)?;
                }
            }
            bodies.sort_unstable();
            bodies.dedup();
            let words = letters.to(moves[0].1);
            words.put(bodies.len() as u64)?;
            for body in bodies {
                words.put(self.owner(body) as u64)?;
                self.system.pack_body(body, true, words)?;
            }
            moves.iter().try_for_each(|&(id, _)| self.system.pack_constraint(id, true, words))?;
        }
        Ok(letters)
    }

    /// Remove the constraints that have left, and ghosts of bodies that have left and that no constraint uses.
    fn leave(&mut self, bodies: &[Move], constraints: &[Move]) -> Result {
        constraints.iter().try_for_each(|(id, _)| self.system.remove_constraint(*id))?;
        let used = self.own_constraints().flat_map(|(_, constraint)| constraint.all_bodies());
        let mut used = collected(used.clone().count(), used)?;
        used.sort_unstable();
        for (id, _) in bodies.iter().filter(|(id, _)| used.binary_search(id).is_err()) {
            self.system.remove_body(*id)?;
        }
        Ok(())
    }

    fn receive_constraints(&mut self, messages: &[Message]) -> Result {
        let mut owners = Vec::new();
        let mut new: Vec<(Id, Body)> = Vec::new();
        let mut rest = memory::with_capacity(messages.len())?;
        for message in messages {
            let mut reader = Reader(&message.words);
            for _ in 0..reader.word().ok_or_else(malformed)? {
                let owner = reader.word().ok_or_else(malformed)? as usize;
                let (id, body) = System::unpack_body(&mut reader)?;
                if self.system.body(id).is_err() {
                    push(&mut owners, (id, owner))?;
                    push(&mut new, (id, body))?;
                }
            }
            rest.push((message.rank as u32, reader));
        }
        new.sort_unstable_by_key(|body| body.0);
        new.dedup_by_key(|body| body.0);
        owners.sort_unstable();
        owners.dedup();
        self.set_owners(&mut owners)?;
        self.system.insert_bodies(new)?;
        Ok(self.system.unpack_constraints(&mut rest)?)
    }
}
