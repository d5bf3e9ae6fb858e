//! Solvers of C(U, R) = 0: cases with a known outcome, random problems with a known solution; and what is refused.

mod analytic;
mod bad_input;
mod conflict;
mod dense;
mod derivatives;
mod determinacy;
mod factor;
mod joints;
mod law;
mod mixed;
mod orthotropic;
mod planar;
mod repeated;
mod rolling;
