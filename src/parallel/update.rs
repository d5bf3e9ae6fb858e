//! One update of a system across processes.
#![forbid(unsafe_code)]

use crate::ffi::errors::{Code, Result, invalid};
use crate::io::words::Reader;
use crate::memory::with_capacity;

use super::mpi::agreement::Call;
use super::mpi::exchange::{Letters, Message};
use super::system::ParallelSystem;

impl ParallelSystem {
    /// Assemble the rows of all processes for a step h, positive and the same on all of them. Collective.
    ///
    /// The states of bodies go to their ghosts, constraints to the halos, and each process then computes its rows.
    ///
    /// # Errors
    /// The same on all processes: as [`System::update`](crate::system::System::update); if the steps differ, or an owner does not have
    /// a body of which there are ghosts.
    pub fn update(&mut self, step: f64) -> Result {
        let is_step = step.is_finite() && step > 0.0;
        let why = "the step h is not positive and finite";
        let checked = if is_step { Ok(()) } else { Err(invalid!("{why}")) };
        let is_changed = !self.system.has_structure() || !self.is_made;
        let has_changed = self.group.begin(Call::Update, step.to_bits(), is_changed, &checked)?;
        self.is_made = false;
        if has_changed {
            let uses = self.list_lent()?;
            self.are_states_first = self.list_shared(uses)?;
        }
        if self.are_states_first {
            self.send_states()?;
        }
        let joints = self.system.update_joints().map_err(Code::from);
        let letters = joints.and_then(|()| self.write_letters());
        let messages = Letters::exchange_with(&self.group, letters, &mut self.neighbors, &mut self.traffic)?;
        let made = self.read_letters(&messages).and_then(|()| {
            self.system.update(step)?;
            if has_changed { self.list_rows() } else { Ok(()) }
        });
        self.group.agree(made)?;
        self.is_made = true;
        Ok(())
    }

    /// A letter to each process that has ghosts of own bodies or own constraints in its halo: the states of bodies, then constraints.
    fn write_letters(&mut self) -> Result<Letters> {
        let mut letters = Letters::new(&self.group)?;
        self.pack_lent(&mut letters)?;
        self.pack_shared(&mut letters)?;
        Ok(letters)
    }

    fn read_letters(&mut self, messages: &[Message]) -> Result {
        let mut rest = with_capacity(messages.len())?;
        for Message { rank, words } in messages {
            let mut reader = Reader(words);
            self.read_lent(&mut reader)?;
            rest.push((*rank as u32, reader));
        }
        self.read_halo(&mut rest)
    }
}
