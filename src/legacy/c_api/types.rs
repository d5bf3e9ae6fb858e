//! Options and structures of functions beyond the legacy module.

#![allow(non_camel_case_types, reason = "the names of the C types")]
#![allow(non_snake_case, reason = "fields have the names of the theory")]

use std::ffi::{c_char, c_int, c_longlong};

use crate::ffi::codes::LDY_REPORT_TEXT;
use crate::ffi::sized::caller_sized;

/// Option of ldy_set_option: with 1 an error never jumps through the host's __errstack__; with 0, the default, it does. A host that
/// is compiled without exceptions (NOTHROW) needs it: there an error of the legacy module ends the program with exit code 1, but
/// after a jump the code may be 0. The environment variable LDY_NO_LONGJMP, unless it is empty or 0, has the same effect.
pub const LDY_NO_LONGJMP: c_int = 1;

/// Option of ldy_set_option: with 1, of the two blocks that a self-contact constraint (inserted with one == two) has with
/// each neighbor, the first in list order holds W and the other is zero, so that a solver that sums blocks counts W
/// once; with 0, the default, both hold W, as in the legacy module. It holds from the next LOCDYN_Update_Begin on.
pub const LDY_SELF_CONTACT_ONCE: c_int = 2;

/// Option of ldy_set_option: with 1 the host promises that it writes neither W, A and rho of rows nor W of blocks, and an
/// update keeps such values if they depend only on rigid and pseudo-rigid bodies, constraints and a step whose bits have
/// not changed since the last update; with 0, the default, everything is written. V, B and the free energy are always
/// computed. Factors of matrices A are kept without any promise while the bits of A do not change.
pub const LDY_REUSE: c_int = 3;

/// Option of ldy_set_option: with 1 updates do without AVX2; with 0, the default, they use it on processors that have it.
/// Results have the same bits.
pub const LDY_NO_AVX2: c_int = 4;

/// Option of ldy_set_option: with 1 an error that jumps through the host's __errstack__ writes nothing to stderr; with 0, the
/// default, it writes one line before the jump, with the details that the host does not know of. Errors that end the program
/// are always printed.
pub const LDY_QUIET: c_int = 5;

/// Statistics of a local dynamics; see ldy_get_stats.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ldy_stats {
    /// sizeof (ldy_stats), set by the caller before the call.
    pub size: usize,
    /// Rows.
    pub rows: usize,
    /// Off-diagonal blocks, all rows together.
    pub blocks: usize,
    /// Bytes held for rows, those in reserve included.
    pub row_bytes: usize,
    /// Bytes held for blocks, those in reserve included.
    pub block_bytes: usize,
    /// Bytes held for operators H and what the inverses made of them.
    pub operator_bytes: usize,
    /// Bytes held for factors of matrices, copies of the matrices, and entries of their inverses.
    pub factor_bytes: usize,
    /// Bytes held for workspaces, mainly of solves, and for bookkeeping.
    pub scratch_bytes: usize,
    /// Matrices factored since LOCDYN_Create.
    pub factorisations: usize,
    /// Times that a factor was found still right since LOCDYN_Create.
    pub factors_reused: usize,
    /// Seconds that the last update spent on V and B and, as one goes with the other, on H of rigid and pseudo-rigid
    /// bodies; with several threads on the diagonal blocks too.
    pub velocities_time: f64,
    /// Seconds that it spent on H of other bodies.
    pub operators_time: f64,
    /// Seconds that it spent on factorizations and products with inverses.
    pub solves_time: f64,
    /// Seconds that it spent on the diagonal blocks; 0 with several threads.
    pub diagonal_time: f64,
    /// Seconds that it spent on the off-diagonal blocks.
    pub pairs_time: f64,
    /// MPI: blocks to external constraints, all rows together; not counted in blocks. Their bytes are in block_bytes.
    pub external_blocks: usize,
    /// MPI: messages with contributions to V and B that the last update sent to other processes.
    pub messages: usize,
    /// MPI: bytes in these messages.
    pub message_bytes: usize,
}

caller_sized!(ldy_stats, blocks);

/// The largest differences that ldy_shadow_check found, each relative to a scale of its own: V and B to the speeds
/// that enter them (|H||v|, absolute values entry by entry, at least 1e-3), W, A and rho to their own size, a block to
/// the square root of the sizes of the two diagonal blocks, the free energy to its terms. -1 where nothing was compared.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ldy_differences {
    /// Previous local velocities.
    pub V: f64,
    /// Free local velocities.
    pub B: f64,
    /// Diagonal blocks.
    pub W: f64,
    /// Inverses of the diagonal blocks.
    pub A: f64,
    /// Scaling parameters.
    pub rho: f64,
    /// Off-diagonal blocks.
    pub block: f64,
    /// The free energy.
    pub free_energy: f64,
}

impl ldy_differences {
    /// Nothing was compared.
    pub(crate) const NONE: Self =
        Self { V: -1.0, B: -1.0, W: -1.0, A: -1.0, rho: -1.0, block: -1.0, free_energy: -1.0 };
}

/// The differences that ldy_shadow_check allows; see ldy_differences. Where a body gives its matrix A and not the
/// inverse, W, A, rho, blocks and the free energy are allowed 2.2e-16 times the condition number of A if that is more.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ldy_tolerance {
    /// sizeof (ldy_tolerance), set by the caller before the call.
    pub size: usize,
    /// Previous local velocities.
    pub V: f64,
    /// Free local velocities.
    pub B: f64,
    /// Diagonal blocks.
    pub W: f64,
    /// Inverses of the diagonal blocks.
    pub A: f64,
    /// Scaling parameters.
    pub rho: f64,
    /// Off-diagonal blocks.
    pub block: f64,
    /// The free energy.
    pub free_energy: f64,
}

caller_sized!(ldy_tolerance, B);

/// The result of a check: the first violation, and its place.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_report {
    /// sizeof (ldy_report), set by the caller before the call.
    pub size: usize,
    /// 0: nothing is wrong; LDY_DIFFERS: see ldy_shadow_check; else an error code.
    pub code: c_int,
    /// Id of the constraint in whose row it is, -1 if in none.
    pub constraint: c_longlong,
    /// Id of the constraint that the block in question couples the row to, -1 if it is no block.
    pub neighbour: c_longlong,
    /// Id of the body in question, -1 if it is none.
    pub body: c_longlong,
    /// The violation, with these ids; empty if there is none.
    pub text: [c_char; LDY_REPORT_TEXT],
    /// ldy_shadow_check: the largest differences; other checks: -1 each.
    pub largest: ldy_differences,
    /// ldy_shadow_check: the largest condition number of a body's matrix A, 0 if all give inverses; other checks: 0.
    pub condition: f64,
    /// ldy_shadow_check: seconds that the library's own assembly took; other checks: 0.
    pub time: f64,
}

caller_sized!(ldy_report, largest);
