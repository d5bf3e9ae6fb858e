//! Solvers of C(U, R) = 0: cases with a known outcome, random problems with a known solution, problems recorded by others, and what
//! is refused.

mod analytic;
mod bad_input;
mod dense;
mod law;
mod mixed;
mod orthotropic;
mod recorded;
mod repeated;

#[allow(dead_code, reason = "the example uses the rest of it")]
#[path = "../../examples/solve/npz.rs"]
mod npz;
