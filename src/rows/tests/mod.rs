mod cholesky;
mod random;
mod rank;
