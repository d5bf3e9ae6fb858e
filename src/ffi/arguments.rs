//! The arguments of functions that C calls. They are read first, each by a function that checks it; what comes then is safe.

use std::ffi::{CStr, c_char};

use super::errors::{Code, Result, fail};

/// The body of a function that C calls and that returns a code: read its arguments in this order, each by the function of the
/// module `arguments` that stands behind its name, then do what stands behind the arrow. Whatever goes wrong becomes the code. An
/// argument that is `optional` is `None` where it is NULL.
///
/// It is for functions that are `unsafe`: each of them has its callers promise, in its section on safety, what the readers ask
/// for.
macro_rules! entry {
    ($($name:ident: $($reader:ident)+ $(($count:expr))?),+ => $action:expr) => {
        $crate::ffi::status(|| {
            $(let $name = $crate::ffi::arguments::entry!(@read $name $($reader)+ $(, $count)?)?;)+
            $action;
            Ok(())
        })
    };
    (@read $name:ident optional $reader:ident $(, $count:expr)?) => {
        match $name.is_null() {
            true => Ok(None),
            false => $crate::ffi::arguments::entry!(@read $name $reader $(, $count)?).map(Some),
        }
    };
    (@read $name:ident $reader:ident) => {
        // SAFETY: the caller of this function promises what its section on safety says, and the reader asks
        // for no more.
        unsafe { arguments::$reader(stringify!($name), $name) }
    };
    (@read $name:ident $reader:ident, $count:expr) => {{
        let count = $count;
        // SAFETY: the caller of this function promises what its section on safety says, for an array of
        // `count` values.
        unsafe { arguments::$reader(stringify!($name), $name, count) }
    }};
}
pub(crate) use entry;

/// A string.
///
/// # Safety
/// `text` is NULL or a C string, which nobody changes meanwhile.
pub unsafe fn string<'a>(name: &str, text: *const c_char) -> Result<&'a CStr> {
    // SAFETY: the host or program promises a C string behind what is not NULL, as this function asks for.
    if text.is_null() { Err(null(name)) } else { Ok(unsafe { CStr::from_ptr(text) }) }
}

/// The error of an argument that must not be NULL.
pub fn null(name: &str) -> Code {
    fail!(Code::BugFound, "{name} is NULL")
}

/// Where a result goes, if it is wanted.
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Write the result.
    pub fn put(self, result: T) {
        if !self.0.is_null() {
            // SAFETY: the caller that made this promised that the place can be written.
            unsafe { self.0.write(result) };
        }
    }
}

/// The place for a result that every caller wants.
///
/// # Safety
/// `place` is NULL, or can be written as long as the [`Out`] is there.
pub unsafe fn place<T>(name: &str, place: *mut T) -> Result<Out<T>> {
    if place.is_null() { Err(null(name)) } else { Ok(Out(place)) }
}

/// The place for a result; NULL: it is not wanted.
///
/// # Safety
/// As for [`place`].
pub unsafe fn wanted<T>(_: &str, place: *mut T) -> Result<Out<T>> {
    Ok(Out(place))
}
