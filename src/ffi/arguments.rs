//! Arguments of the functions that C calls. Each argument is read and checked by one function before anything else runs; the
//! code after that is safe.

use std::ffi::{CStr, c_char};

use super::errors::{Code, Result, invalid};

/// The body of a function that C calls and that returns a code. It reads the arguments in the given order, each with the named
/// function of the module `arguments`, and then runs the expression after the arrow. Any error becomes the code. An `optional`
/// argument is `None` if it is NULL.
///
/// The macro is for `unsafe` functions only: the safety section of each has to demand from callers what the readers need.
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
        // SAFETY: the safety section of this function demands what the reader needs.
        unsafe { arguments::$reader(stringify!($name), $name) }
    };
    (@read $name:ident $reader:ident, $count:expr) => {{
        let count = $count;
        // SAFETY: the safety section of this function demands an array of `count` values.
        unsafe { arguments::$reader(stringify!($name), $name, count) }
    }};
}
pub(crate) use entry;

/// Read a C string that must not be NULL.
///
/// # Safety
/// `text` is NULL or a C string, which nobody changes meanwhile.
pub unsafe fn string<'a>(name: &str, text: *const c_char) -> Result<&'a CStr> {
    // SAFETY: the caller promises a C string if the pointer is not NULL.
    if text.is_null() { Err(null(name)) } else { Ok(unsafe { CStr::from_ptr(text) }) }
}

/// The error of an argument that must not be NULL.
pub fn null(name: &str) -> Code {
    invalid!("{name} is NULL")
}

/// The destination of a result; NULL if the caller does not want it.
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

/// Read the destination of a mandatory result.
///
/// # Safety
/// `place` is NULL, or can be written as long as the [`Out`] is there.
pub unsafe fn place<T>(name: &str, place: *mut T) -> Result<Out<T>> {
    if place.is_null() { Err(null(name)) } else { Ok(Out(place)) }
}

/// Read the destination of an optional result; NULL: the caller does not want it.
///
/// # Safety
/// As for [`place`].
pub unsafe fn wanted<T>(_: &str, place: *mut T) -> Result<Out<T>> {
    Ok(Out(place))
}
