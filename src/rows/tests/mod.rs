mod cholesky;
mod layout;
mod multiply;
mod random;
mod rank;
