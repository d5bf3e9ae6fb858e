mod cholesky;
mod random;
