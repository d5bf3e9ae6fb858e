//! The part of a system that one process has.
#![forbid(unsafe_code)]

use std::ffi::c_int;

use crate::ffi::errors::{Code, Result, fail};
use crate::memory::{self, push};
use crate::system::pack::UNKNOWN_BODY;
use crate::system::{Constraint, Id, System};

use super::ghosts::Lent;
use super::mpi::agreement::Call;
use super::mpi::exchange::{Letters, Message, Traffic};
use super::mpi::group::Group;
use super::mpi::partners::Partners;
use super::row_exchange::RowExchange;
use super::solve::Workspace;

/// A system across processes: the part of this process. Functions that say so are collective: all processes call them in the same
/// order, and an error of one is the error of all.
#[derive(Debug)]
pub struct ParallelSystem {
    pub(super) group: Group,
    pub(super) traffic: Traffic,
    /// The own bodies and constraints, ghosts, and the halo, under global ids.
    pub(super) system: System,
    /// The bodies that other processes own, with their owners, ascending.
    pub(super) ghosts: Vec<(Id, u32)>,
    /// The own bodies of which other processes have ghosts, by ranks and ids.
    pub(super) lent: Vec<Lent>,
    /// The holders of these ghosts, and the owners of the ghosts of this process.
    pub(super) holders: Partners,
    /// The constraints of other processes, with these, ascending.
    pub(super) halo: Vec<(Id, u32)>,
    /// The own constraints that belong to the halos of others: by ranks and ids.
    pub(super) shared: Vec<(u32, Id)>,
    /// The processes with messages of an update.
    pub(super) neighbors: Partners,
    pub(super) rows: RowExchange,
    pub(super) solver: Workspace,
    /// Whether an update sends the states of bodies before constraints, whose operators follow ghosts on some process.
    pub(super) are_states_first: bool,
    /// Whether the last update has succeeded on all processes and no process has failed since.
    pub(super) is_made: bool,
}

/// Counts of a process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Messages that the process has sent, and bytes in them.
    pub messages: u64,
    /// Bytes in the messages.
    pub bytes: u64,
    /// Ghosts.
    pub ghosts: u64,
    /// Constraints in its halo.
    pub halo: u64,
    /// Own constraints in halos of other processes, once for each of these.
    pub shared: u64,
    /// Processes to which constraints are sent.
    pub neighbors: u64,
    /// Colors of the last solution.
    pub colors: u64,
}

impl ParallelSystem {
    /// An empty system. Collective over the communicator with this Fortran handle.
    ///
    /// # Errors
    /// If MPI is not running, the handle is that of no communicator within a group, or memory is exhausted on one process.
    pub fn new(communicator: c_int) -> Result<Self> {
        Ok(Self {
            group: Group::open(communicator)?,
            traffic: Traffic::default(),
            system: System::new(),
            ghosts: Vec::new(),
            lent: Vec::new(),
            holders: Partners::default(),
            halo: Vec::new(),
            shared: Vec::new(),
            neighbors: Partners::default(),
            rows: RowExchange::default(),
            solver: Workspace::default(),
            are_states_first: false,
            is_made: false,
        })
    }

    /// The rank of this process.
    pub fn rank(&self) -> usize {
        self.group.rank()
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.group.size()
    }

    /// Counts of messages and shared constraints.
    pub fn counts(&self) -> Counts {
        let ranks = self.shared.chunk_by(|one, other| one.0 == other.0);
        Counts {
            messages: self.traffic.messages,
            bytes: self.traffic.bytes,
            ghosts: self.ghosts.len() as u64,
            halo: self.halo.len() as u64,
            shared: self.shared.len() as u64,
            neighbors: ranks.count() as u64,
            colors: self.solver.color_count() as u64,
        }
    }

    /// Bodies and constraints of this process, with ghosts and halo.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// As [`ParallelSystem::system`], for changes.
    pub fn system_mut(&mut self) -> &mut System {
        &mut self.system
    }

    /// The owner of a body that this process has.
    pub(super) fn owner(&self, body: Id) -> usize {
        match self.ghosts.binary_search_by_key(&body, |ghost| ghost.0) {
            Ok(place) => self.ghosts[place].1 as usize,
            Err(_) => self.rank(),
        }
    }

    /// Whether a constraint of the local system belongs to another process.
    pub(super) fn is_halo(&self, constraint: Id) -> bool {
        self.halo.binary_search_by_key(&constraint, |halo| halo.0).is_ok()
    }

    /// The bodies of this process, ascending.
    pub fn own_bodies(&self) -> impl Iterator<Item = Id> + Clone {
        let mut ghosts = self.ghosts.iter().peekable();
        self.system.bodies().map(|(id, _)| id).filter(|&id| id != UNKNOWN_BODY).filter(move |id| {
            while ghosts.next_if(|(other, _)| other < id).is_some() {}
            ghosts.next_if(|(other, _)| other == id).is_none()
        })
    }

    /// The constraints of this process, ascending.
    pub fn own_constraints(&self) -> impl Iterator<Item = (Id, &Constraint)> + Clone {
        let mut halo = self.halo.iter().peekable();
        self.system.constraints().filter(move |(id, _)| {
            while halo.next_if(|(other, _)| other < id).is_some() {}
            halo.next_if(|(other, _)| other == id).is_none()
        })
    }

    /// The number of constraints of this process.
    pub fn own_count(&self) -> usize {
        self.own_constraints().count()
    }

    /// Take part in a collective call whose arguments are bad on this process.
    ///
    /// # Errors
    /// The same on all processes: an error of one of them.
    pub(super) fn withdraw(&self, call: Call, error: impl Into<Code>) -> Result {
        self.group.begin(call, 0, false, &Err::<(), _>(error.into())).map(|_| ())
    }

    /// Send letters to any processes, and receive theirs, see [`Letters::exchange`].
    ///
    /// # Errors
    /// The same on all processes: the error of the first process that has no letters, or no memory for those that arrive. If MPI fails.
    pub(super) fn exchange(&mut self, letters: Result<Letters>) -> Result<Vec<Message>> {
        Letters::exchange(&self.group, letters, &mut self.traffic)
    }

    /// Check that there was a successful update since the last change on this process.
    ///
    /// # Errors
    /// [`Code::StaleResults`] if there was none.
    pub(super) fn check_made(&self) -> Result {
        let is_fresh = self.is_made && self.system.has_structure();
        ensure!(is_fresh, fail!(Code::StaleResults, "no successful update since the last change"));
        Ok(())
    }

    /// Remove bodies, own ones or ghosts. Constraints of other processes on them are removed from this process until the next update.
    ///
    /// # Errors
    /// If there is no such body, or a constraint of this process acts on it. Bodies before it have been removed then.
    pub fn remove_bodies(&mut self, bodies: &[Id]) -> Result {
        let mut sorted = memory::copied(bodies)?;
        sorted.sort_unstable();
        let mut gone = Vec::new();
        for &(id, _) in &self.halo {
            if let Ok(constraint) = self.system.constraint(id)
                && constraint.all_bodies().any(|body| sorted.binary_search(&body).is_ok())
            {
                push(&mut gone, id)?;
            }
        }
        for id in gone {
            self.system.remove_constraint(id)?;
        }
        self.system.remove_bodies(bodies.len(), |k| bodies[k])?;
        let Self { ghosts, system, .. } = self;
        ghosts.retain(|&(id, _)| system.body(id).is_ok());
        Ok(())
    }
}
