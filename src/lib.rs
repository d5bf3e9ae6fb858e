//! Local dynamics of multi-body contact problems: U = B + W R relates forces R and relative velocities U at the constraints
//! (contacts, joints) of bodies. W = h H A⁻¹ Hᵀ is the Delassus matrix, sparse in blocks: a block has 3×3 values for two
//! constraints of three scalar rows (theory (62)–(64)), m × n for constraints of m and n scalar rows.
//!
//! The library replaces the module `ldy` of Solfec-1.0 at the level of the C ABI. C programs include `include/ldy.h` or the
//! self-contained `include/ldy_host.h`; other simulators include `include/ldy_system.h`. Equation numbers refer to
//! `docs/concepts/theory.md`.
//!
//! # A program
//!
//! A block falls on the floor with friction:
//!
//! ```
//! use ldy::solve::{Kind, Law, Options, Solver, Status};
//! use ldy::system::System;
//!
//! let axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
//! let mut system = System::new();
//! let block = system.add_rigid(2.0, &axes, &axes, &[0.0; 3])?;
//! // Master, slave (`None`: the ground), local axes (the third is the normal, from slave to master), points.
//! system.add_point_constraint([Some(block), None], &axes, [[0.0, 0.0, -1.0], [0.0; 3]])?;
//! system.set_velocity(block, &[0.0, 0.0, 0.0, 1.0, 0.0, -3.0])?;
//! system.update(1.0)?;
//!
//! let contact = Law { kind: Kind::contact([0.5; 2], 0.0), bias: [0.0; 3] };
//! let mut forces = [0.0; 3];
//! let report = system.solve(&mut Solver::new(), &[contact], &Options::default(), &mut forces)?;
//! assert_eq!(report.status, Status::Converged);
//! assert!(forces[2] > 0.0);
//! system.apply_reactions(&forces)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`system::System`]: bodies, constraints, and the rows of W, B and V; [`system::Rows`] has the results.
//! - [`solve::Solver`]: forces that obey [`solve::Law`]s. [`solve::Options`] sets tolerance and limits, [`solve::Report`] says how it
//!   ended. [`solve::Stabilization`] makes the bias of a contact from its gap.
//! - [`rows::Cholesky`]: factors of W + μ 1.
//! - [`stability`]: the geometric stiffness of constraint forces, the critical step of explicit schemes.
//!
//! # Architecture
//!
//! The core is safe Rust that knows neither C nor the legacy program. It takes slices and fixed-size arrays and returns blocks.
//!
//! - `math`: 3×3 blocks, small symmetric matrices, eigenvalues, vector instructions, the Lanczos method.
//! - `kinematics`: H, the operator from generalized to local velocity, with a file for each kind of body.
//! - `inertia`: A⁻¹ in all its forms, with one interface: Y = A⁻¹ Hᵀ.
//! - [`rows`]: the one type of block-sparse rows of W. `layout` has the heights of rows, `block_rows` the type, `multiply`
//!   products, `cholesky` factors of W + μ 1, `rank` dependent rows, `fault` errors, `files` MatrixMarket and NumPy archives.
//! - `body_operators`: the panel of a body has H of its constraints and the product of A⁻¹ with Hᵀ. `factored` is for rigid
//!   and pseudo-rigid bodies with a Cholesky factor of h A⁻¹, `pseudo_rigid` the short form of the latter, `nodal` is for meshes,
//!   `general` for all other bodies. `small_blocks` writes m × n blocks.
//! - `assembly`: the stages of an update over any scene. `scene` has the traits of a scene, `bodies` prepares panels, `rows`
//!   and `irregular_rows` compute V, B and diagonal blocks, with `velocities` and `diagonal`; `pairs`, `irregular_pairs` and
//!   `whole_rows` compute the blocks between rows.
//! - [`solve`]: forces that obey the laws of constraints, C(U, R) = 0, over any block-sparse rows.
//! - [`stability`]: the geometric stiffness of constraint forces, and the longest stable step.
//! - `io`: files: W in the text dump and in MatrixMarket, and NumPy archives.
//! - `team`: threads that share bodies, rows and pairs.
//!
//! Two faces use the core, each for one kind of host. Each has a scene: the bodies, rows and pairs that the face knows, and the
//! places of results (`assembly::scene`). Scenes compute nothing.
//!
//! - [`system`], for any simulator: [`System`](system::System) holds bodies and constraints and has block-sparse rows. `model`
//!   has the tables, `structure` the rows on each body, `scene` the scene, `update_plan` and `dirty` the parts that an update
//!   makes again, `jacobian` the operators of many constraints, `joints` joints of rigid bodies by axes, `rows` the results,
//!   `matrix_free` products without blocks, `c_api` the C interface.
//! - `legacy`, for hosts of the legacy module: `c_api` has the C interface, `host` checked views of the host's bodies and
//!   constraints, `rows` the linked rows and their memory, `update` the scene, `mpi` the exchange with other processes,
//!   `shadow` a comparison with the rows of another module.
//!
//! - `parallel`, in the build for MPI: one system across processes. Each process has a part of it, a `system::System` with ghosts of
//!   bodies of other processes and a halo of their constraints.
//!
//! `legacy::csr` copies rows of the legacy face into rows of the neutral face, for `system::c_api` alone.
//!
//! `ffi` has the parts that both faces share: status codes, errors, handles, files. Only the faces (`legacy`,
//! `system::c_api`, `system::scene`, `parallel::c_api`, `parallel::mpi`), `ffi`, `team` and `prefetch` contain `unsafe`. Dependencies go one way: the faces use all
//! of the core; stability → assembly → body_operators → kinematics and inertia → math; solve → rows → inertia, io and math. The
//! core never uses a face.
//!
//! # How an update runs
//!
//! `LOCDYN_Update_Begin` (`legacy/entry.c`) calls `legacy::update`, which gathers the rows. `ldy_system_update` calls
//! `system::update`. Both then run the same stages:
//!
//! 1. `assembly::bodies`, for each body: a Cholesky factor of h A⁻¹, or H of its constraints and the product with A⁻¹.
//! 2. `assembly::rows`, for each row: V, B, W_αα, its inverse A, and rho if wanted (`assembly::diagonal`). If a body has a
//!    factor L, this stage writes Z = H L.
//! 3. `assembly::pairs`, for each pair: W_αβ and W_βα, in the order of the blocks in memory. If all bodies of a large system
//!    have a Cholesky factor, the neutral face has `assembly::whole_rows` write the blocks row by row instead.
//!
//! Threads share bodies, rows and pairs. The error of an update is the error of the first body or row in order: a code with a
//! text in the legacy face (`ffi::errors`), a typed error in the neutral face (`system::error`). An update does not repeat work
//! for unchanged bodies and rows: see `system::update_plan`, and `LDY_REUSE` in the legacy face.
//!
//! # The block of two rigid bodies
//!
//! A constraint is regular if it has three scalar rows and at most two bodies. These files compute its block W_αβ or the place
//! of the block:
//!
//! - In both faces: `assembly/bodies.rs` starts panels with the factors of `body_operators/factored.rs`; `assembly/rows.rs`
//!   writes Z = H L, with H from `kinematics/rigid.rs`; `assembly/pairs.rs` or `assembly/whole_rows.rs` calls
//!   `body_operators/mod.rs` for Z_α Z_βᵀ.
//! - In the legacy face: `legacy/update/mod.rs` and `legacy/rows` gather the rows; `legacy/update/scene.rs` with
//!   `legacy/host/body.rs` is the scene; `legacy/rows/pool.rs` and `legacy/rows/pair.rs` have the places of blocks.
//! - In the neutral face: `system/structure/mod.rs` and `system/structure/neighbors.rs` have the places of blocks;
//!   `system/scene` with `system/body.rs` is the scene.
//!
//! # The block of a joint limit
//!
//! A joint limit has one scalar row, so it is irregular. A constraint of m scalar rows takes ceil(m/3) slots on each body: a
//! limit takes one. The way from its insertion to W:
//!
//! 1. `system/model/constraints.rs`: `System::add_dof_constraint` makes the operator of one generalized velocity and calls
//!    `System::add_constraint_rows`, which checks bodies and operators.
//! 2. `system/model/constraints.rs` puts the constraint into the tables and counts irregular constraints.
//! 3. `system/structure/insert_rows.rs`, at the next update, gives the row its slots on each body and its columns in W;
//!    `system/structure/irregular_layout.rs` keeps its height and the first value of the row and of its blocks.
//! 4. `system/scene/irregular_rows.rs` gives the row's operators and velocities to `assembly/irregular_rows.rs`, which computes
//!    V, B and the m × m diagonal block with its inverse.
//! 5. `system/scene/irregular_pairs.rs` gives the places of blocks to `assembly/irregular_pairs.rs`;
//!    `body_operators/small_blocks.rs` writes the m × n blocks.
//!
//! [`rows`], [`solve`], [`stability`] and [`system`] are the interface for Rust; the other modules are not.

#[macro_use]
mod ensure;

pub mod rows;
pub mod solve;
pub mod stability;
pub mod system;

// The rest is no interface: it is reached by the tests and benches of this repository, and may change.
#[doc(hidden)]
pub mod assembly;
#[doc(hidden)]
pub mod body_operators;
#[doc(hidden)]
pub mod ffi;
#[doc(hidden)]
pub mod inertia;
#[doc(hidden)]
pub mod io;
#[doc(hidden)]
pub mod kinematics;
#[doc(hidden)]
pub mod legacy;
#[doc(hidden)]
pub mod math;
#[cfg(feature = "mpi")]
#[doc(hidden)]
pub mod parallel;

mod factor;
mod fault;
mod first_error;
mod memory;
mod prefetch;
pub(crate) mod team;
