//! Messages and reductions between the processes of a system. `group` calls MPI, `agreement` makes one result of the results of all
//! processes, `exchange` sends words between neighbors.

pub mod agreement;
pub mod exchange;
pub mod group;
