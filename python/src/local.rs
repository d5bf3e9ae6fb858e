//! The library's system of an object: its own, or the local system of a system across processes.

use std::ops::{Deref, DerefMut};

#[cfg(feature = "mpi")]
use ldy::parallel::ParallelSystem;
use ldy::system::System;

/// A system for functions that mind only bodies and constraints.
#[derive(Default)]
pub struct Local(Place);

#[cfg_attr(feature = "mpi", allow(clippy::large_enum_variant, reason = "an object of Python has one"))]
enum Place {
    Own(System),
    #[cfg(feature = "mpi")]
    Across(Box<ParallelSystem>),
}

impl Default for Place {
    fn default() -> Self {
        Self::Own(System::default())
    }
}

impl From<System> for Local {
    fn from(system: System) -> Self {
        Self(Place::Own(system))
    }
}

impl Deref for Local {
    type Target = System;

    fn deref(&self) -> &System {
        match &self.0 {
            Place::Own(system) => system,
            #[cfg(feature = "mpi")]
            Place::Across(parallel) => parallel.system(),
        }
    }
}

impl DerefMut for Local {
    fn deref_mut(&mut self) -> &mut System {
        match &mut self.0 {
            Place::Own(system) => system,
            #[cfg(feature = "mpi")]
            Place::Across(parallel) => parallel.system_mut(),
        }
    }
}

#[cfg(feature = "mpi")]
impl From<ParallelSystem> for Local {
    fn from(parallel: ParallelSystem) -> Self {
        Self(Place::Across(Box::new(parallel)))
    }
}

#[cfg(feature = "mpi")]
impl Local {
    /// The system across processes, if this is its local system.
    pub fn across(&self) -> Option<&ParallelSystem> {
        match &self.0 {
            Place::Own(_) => None,
            Place::Across(parallel) => Some(parallel),
        }
    }

    /// As [`Local::across`], for changes.
    pub fn across_mut(&mut self) -> Option<&mut ParallelSystem> {
        match &mut self.0 {
            Place::Own(_) => None,
            Place::Across(parallel) => Some(parallel),
        }
    }
}
