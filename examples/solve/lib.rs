//! Contact problems in files: arrays of archives, problems with W, and steps of bodies and constraints.

pub mod archive;
pub mod constraints;
pub mod problems;
pub mod scenes;
