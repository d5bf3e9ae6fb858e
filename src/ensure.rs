//! A macro for conditions that a function requires.

/// Return an error unless the condition holds. The error is made only if it is returned.
macro_rules! ensure {
    ($holds:expr, $error:expr) => {
        if !$holds {
            return Err($error);
        }
    };
}
