//! The neutral face: U = B + W R for any simulator of constrained bodies.
//!
//! [`System`] holds bodies and constraints, and makes of them the block-sparse rows of W; [`interface`] is what
//! `include/ldy_system.h` is generated from. The numbers come from [`crate::assembly::update`], as those of the legacy face do:
//! the same bodies and constraints have the same bits through both. `unsafe` is in the interface, and in `scene` where threads
//! share slots and blocks.
//!
//! `table` keeps bodies and constraints under ids, `structure` says which rows of W have blocks in common, `scene` is all
//! that an `update` goes over, `changes` what has changed of it, `plan` what is made again, `product` multiplies with W,
//! `stability` finds the longest stable step, `solve` the forces, `direct` factors and ranks, `kept` has what is kept with
//! constraints, `bulk` takes many bodies or constraints at once, `jacobian` their operators, `insertion` has them in all or none,
//! `models` has bodies that one solver is for, `world` turns what a program has in the world into what is asked
//! for here. `mixed` ties constraints of other than three rows, or on more than two bodies, to rows of three; `any_rows` is what
//! [`System`] does with them.

mod any_rows;
mod body;
mod bulk;
pub mod c_api;
mod constraint;
mod constraint_data;
mod direct;
mod dirty;
mod error;
mod id_table;
mod insertion;
mod jacobian;
mod matrix_free;
mod mixed;
mod model;
mod rows;
mod scene;
mod shared_solver;
mod solve;
mod stability;
mod structure;
mod update;
mod update_plan;
mod world;

pub use crate::math::lanczos::Estimate;
pub use crate::rows::multiply::{Columns, extent};
pub use body::{Body, Inertia, Kinematics, Member, Solve};
pub use bulk::{AtPoints, EntryError, EntryResult};
pub use constraint::{Constraint, Operator, Placement};
pub use error::{Checked, Error, Fault, Result, Subject};
pub use id_table::Id;
pub use jacobian::Jacobian;
pub use mixed::{AnyRows, MOST_BODIES, MOST_ROWS, RowsOperator};
pub use model::System;
pub use rows::Rows;
pub use stability::{Directions, Joint};
pub use world::gyroscopic_change;
