//! Conditions without which a function has an error.

/// Return the error, which is not made otherwise, unless the condition holds.
macro_rules! ensure {
    ($holds:expr, $error:expr) => {
        if !$holds {
            return Err($error);
        }
    };
}
