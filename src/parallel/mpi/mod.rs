//! Messages and reductions between the processes of a system. `group` calls MPI, `agreement` makes one result of the results of all
//! processes, `exchange` sends words, `partners` are processes that know who sends to whom.

pub mod agreement;
pub mod exchange;
pub mod group;
pub mod partners;
