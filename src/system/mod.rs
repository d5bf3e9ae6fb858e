//! The neutral interface: U = B + W R for any simulator of constrained bodies.
//!
//! [`System`] holds bodies and constraints, and computes the block-sparse rows of W from them; `include/ldy_system.h` is generated
//! from [`c_api`]. [`crate::assembly::update`] computes the numbers, as it does for the legacy interface: the same bodies and
//! constraints have the same bits through both. `unsafe` code is in `c_api`, and in `scene` where threads share slots and blocks.
//!
//! The modules: `id_table` keeps bodies and constraints under ids, and `structure` the pattern of W. `scene` has all data that an
//! `update` reads, `dirty` the flags of changes, and `update_plan` the parts that an update computes again. `matrix_free`
//! multiplies with W through the bodies, `stability` finds the longest stable step, and `solve` finds the forces, factors W and
//! finds dependent rows. `conflict_text` names the constraints and bodies of a problem without solution. `laws` keeps laws with
//! constraints, `sync` matches constraints with a list by keys, `bulk` has functions for many bodies or constraints, `clone` copies
//! systems, `jacobian` the operators of many constraints as one matrix, and `inverse_callback` the user's functions that apply A⁻¹.
//! `given_ids` inserts bodies and constraints under ids of the caller's choice, and `pack` writes them to messages for other processes.
//! `world` converts quantities of the world frame, `spin` rotates free rigid bodies, and `joints` has joints of rigid bodies by axes.

mod axes;
mod batch;
mod body;
mod body_rows;
mod bulk;
pub mod c_api;
mod clone;
mod conflict_text;
mod constraint;
mod dirty;
mod error;
mod given_ids;
mod gradient;
mod id_table;
mod inverse_callback;
mod jacobian;
mod joints;
mod laws;
mod matrix_free;
mod model;
#[cfg(feature = "mpi")]
pub(crate) mod pack;
mod rows;
mod scene;
mod solve;
mod spin;
mod stability;
mod structure;
mod sync;
mod update;
mod update_plan;
mod world;

pub use crate::math::lanczos::Estimate;
pub use crate::rows::multiply::{Columns, extent};
pub use axes::SystemOption;
pub use batch::{Batch, ByResults};
pub use body::{Body, Inertia, Kinematics};
pub use bulk::{AtPoints, EntryError, EntryResult};
pub use conflict_text::ConflictText;
pub use constraint::{Constraint, MOST_BODIES, MOST_ROWS, Operator, Placement};
pub(crate) use error::subject_of;
pub use error::{Checked, Error, Fault, Result, Subject};
pub use gradient::{Gradient, Place, Pose};
pub use id_table::Id;
pub use inverse_callback::{BoxedSolver, Member, Solve};
pub use jacobian::Jacobian;
pub use joints::{ContactRows, JointFrame, JointKind};
pub use laws::RowLaw;
pub use model::System;
pub use rows::Rows;
pub use spin::{advance_rotation, gyroscopic_change};
pub use stability::{Directions, Joint};
pub use sync::{Keyed, Synced};
