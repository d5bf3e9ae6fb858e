//! Local dynamics of multi-body contact problems: U = B + W R relates forces R and relative velocities U at the
//! constraints (contacts, joints) of bodies. W = h H A⁻¹ Hᵀ is the Delassus matrix, sparse in 3×3 blocks (theory (62)–(64)).
//!
//! The library replaces, at the level of the C ABI, the module `ldy` of Solfec-1.0; C programs read
//! `include/ldy.h` or the self-contained `include/ldy_host.h`. Equation numbers refer to `docs/theory.md`.
//!
//! # Architecture
//!
//! The core, safe Rust that knows neither C nor the legacy program: slices and fixed-size arrays in, blocks out.
//!
//! - [`block`]: 3×3 blocks, and symmetric matrices of up to six rows.
//! - [`kinematics`]: H, the operator from generalised to local velocity; a file a kind of body.
//! - [`inertia`]: A⁻¹ in all its forms, behind Y = A⁻¹ Hᵀ.
//! - [`assembly`]: the one update ([`assembly::update`]), over any scene. How a pair of blocks is computed: [`assembly::panel`],
//!   in one page.
//! - [`eigen`]: the largest eigenvalue by the Lanczos method.
//! - [`export`]: W as text, the dump and MatrixMarket.
//! - [`solve`]: forces that obey the laws of constraints, C(U, R) = 0, over any block-sparse rows.
//! - [`rows`]: the one type of block-sparse rows of W; products, Cholesky factors of W + μ 1, dependent rows and files of them.
//! - [`stability`]: the geometric stiffness of constraint forces, and the longest stable step.
//!
//! Two faces, each for a kind of host, and a scene each: what the face knows of bodies, rows and pairs, and where results go
//! ([`assembly::update::scene`]). Scenes compute nothing.
//!
//! - [`legacy`], that of the legacy module: layouts, the linked rows and their memory, the host's bodies and constraints
//!   seen as the core wants them, entry points. Its shadow is a third scene: the rows of another module.
//! - [`system`], for any simulator: bodies and constraints of its own, block-sparse rows.
//!
//! Rows of the legacy face become those of the neutral one by `legacy::copied_rows`, for `system::c_api` alone.
//!
//! [`boundary`] is what both have in common: status codes, errors, files. `unsafe` is in the faces, the boundary,
//! `threads`, what threads write to (`system::scene`), and `prefetch` alone. Arrows go one way: legacy, system →
//! assembly → kinematics, inertia → block, and legacy, system → export → block, system → solve → block and threads, and
//! system → direct → inertia and block.
//!
//! In the build for MPI `legacy::parallel` exchanges what bodies on other processes do to V and B.
//!
//! # How an update runs
//!
//! `LOCDYN_Update_Begin` (`legacy/entry.c`) → `legacy::update` gathers the rows, or `ldy_system_update` → `system::update` →
//! [`assembly::update`]: per body, a Cholesky factor of h A⁻¹, or H of its constraints and what A⁻¹ makes of it
//! ([`assembly::panel`]) → per row, V and B, H where a factor waits for it, W_αα, A, rho ([`assembly::diagonal`]) → per pair,
//! W_αβ and W_βα, written straight into the blocks of the face in the order in which they lie in memory. Where all bodies have such
//! a factor, the neutral face has its blocks made row by row ([`assembly::update::whole_rows`]). `threads` share bodies, rows and
//! pairs; an error is that of the first body or row in order: a code with a text in the legacy face (`ffi::errors`), typed in
//! the neutral one (`system::error`). What has not changed since the last update is not made again: `system::plan`, and
//! `LDY_REUSE` of the legacy face.
//!
//! A block W_αβ of two rigid bodies passes twelve files in the legacy face and eleven in the neutral one. A file counts if a
//! function of it runs in an update for which nothing was inserted or removed, as `valgrind --tool=callgrind` tells of a build with
//! line tables, and computes or chooses there a number of the block or the place that it is written to. No file counts for what
//! checks what is given and hands it on (entry points, `legacy/host/domain.rs`, `legacy/rows/local_dynamics.rs`,
//! `inertia/block_diagonal.rs`), sees whether anything has changed (`legacy/rows/attach.rs`, `system/changes.rs`), makes V, B or
//! W_αα (`assembly/diagonal.rs`), is a list or a declaration, shares work (`threads`), or computes with vectors (`block`).
//!
//! - What both faces have: `assembly/update/bodies.rs` starts panels with the factors of `assembly/panel/cholesky.rs`;
//!   `assembly/update/rows.rs` writes Z = H L, H by `kinematics/rigid.rs`; `pairs.rs` or `whole_rows.rs` beside it ask
//!   `assembly/panel/mod.rs` for Z_α Z_βᵀ.
//! - In the legacy face: `update/mod.rs` → `rows/gather.rs`, then `update/scene.rs` with `host/body.rs`, and `rows/pool.rs` and
//!   `rows/pair.rs`, where blocks lie.
//! - In the neutral face: `update.rs` → `structure/mod.rs` and `neighbours.rs` beside it, where blocks lie, then `scene.rs` with
//!   `body.rs`.
//!
//! [`direct`], [`solve`], [`stability`] and [`system`] are the interface for Rust; the other modules are not.

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

mod first_error;
mod memory;
mod prefetch;
pub(crate) mod team;
