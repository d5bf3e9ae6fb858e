//! Structures that callers allocate. They begin with their size in the caller's header. A caller and a library of different
//! versions may know different lengths: only the common part is read or written.

use std::{mem, ptr};

use super::arguments::null;
use super::errors::{Result, invalid};

/// A structure of C that its caller allocates.
///
/// # Safety
/// The type is `repr(C)`, its first field is `size: usize`, and every pattern of bits is a value of each field.
pub unsafe trait CallerSized: Copy {
    /// Its name in C.
    const NAME: &'static str;
    /// Smallest accepted `size`: up to the end of the first result, or of a text that has to be whole.
    const LEAST: usize;
}

/// Make a structure of C a [`CallerSized`] one: `repr(C)`, and besides its size numbers, arrays of numbers, pointers, and functions
/// that may be NULL. The caller has to know the fields before the named one, or all fields.
macro_rules! caller_sized {
    ($name:ident) => {
        $crate::ffi::sized::caller_sized!(@least $name, size_of::<$name>());
    };
    ($name:ident, $field:ident) => {
        $crate::ffi::sized::caller_sized!(@least $name, std::mem::offset_of!($name, $field));
    };
    (@least $name:ident, $least:expr) => {
        const _: () = assert!(std::mem::offset_of!($name, size) == 0);
        // SAFETY: it begins with its size, and the one who wrote it down knows that the rest is as demanded above.
        unsafe impl $crate::ffi::sized::CallerSized for $name {
            const NAME: &'static str = stringify!($name);
            const LEAST: usize = $least;
        }
    };
}
pub(crate) use caller_sized;

/// A caller's structure with a checked size.
pub struct CallerStruct<T> {
    first: *mut T,
    /// Bytes that both sides know, including the size itself.
    common: usize,
}

impl<T: CallerSized> CallerStruct<T> {
    /// Whether the caller knows the first `end` bytes.
    pub fn reaches(&self, end: usize) -> bool {
        self.common >= end
    }

    /// Write the fields of `value` that the caller knows, except the size. Padding is unspecified.
    pub fn fill(&self, value: &T) {
        // SAFETY: a T has at least `common` bytes, and so has the structure. The caller of `sized` promised that it can
        // be written.
        unsafe { copy(ptr::from_ref(value), self.first, self.common) };
    }

    /// The caller's values. The size and the fields beyond the caller's size are zero.
    pub fn read(&self) -> T {
        // SAFETY: any bits are a value of a CallerSized type.
        self.read_over(unsafe { mem::zeroed() })
    }

    /// `value`, overwritten by the caller's fields except the size.
    pub fn read_over(&self, mut value: T) -> T {
        // SAFETY: a T has at least `common` bytes, and so has the structure. The caller of `sized` promised that it can
        // be read. Any bytes are a value of a CallerSized type.
        unsafe { copy(self.first, &raw mut value, self.common) };
        value
    }
}

/// Check the structure at `first`, which must not be NULL; errors name the argument `name`.
///
/// # Safety
/// `first` is NULL, or points to a `size` and has `size` bytes. While the result is in use they can be read and, for `fill`,
/// written, and nobody else uses them.
pub unsafe fn sized<T: CallerSized>(name: &str, first: *mut T) -> Result<CallerStruct<T>> {
    ensure!(!first.is_null(), null(name));
    // SAFETY: the C program promises that the size can be read; a CallerSized type begins with it.
    let size = unsafe { first.cast::<usize>().read() };
    let why = format_args!("set it to sizeof ({}) before the call", T::NAME);
    let is_right = size >= T::LEAST && size.is_multiple_of(align_of::<T>());
    ensure!(is_right, invalid!("{name}->size is {size}: {why}"));
    Ok(CallerStruct { first, common: size.min(size_of::<T>()) })
}

/// Check a structure that is only read.
///
/// # Safety
/// As [`sized`], except that the bytes need not be writable: the result must not be filled.
pub unsafe fn sized_const<T: CallerSized>(name: &str, first: *const T) -> Result<CallerStruct<T>> {
    // SAFETY: the caller promises the bytes that `size` states; nothing is written.
    unsafe { sized(name, first.cast_mut()) }
}

/// Copy the fields after the size.
///
/// # Safety
/// `from` can be read and `to` written up to `end`, which is no less than a size.
unsafe fn copy<T>(from: *const T, to: *mut T, end: usize) {
    let start = size_of::<usize>();
    // SAFETY: `fill` and `read_over` promise both ranges: one of the caller's structure, one of a value of their own.
    unsafe {
        from.cast::<u8>().add(start).copy_to_nonoverlapping(to.cast::<u8>().add(start), end - start);
    }
}
