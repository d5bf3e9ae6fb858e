//! Structures that callers allocate. They begin with their size as the caller's header has it, since a caller and a library
//! of different versions know structures of different lengths: what both know is written or read, nothing else is touched.

use std::{mem, ptr};

use super::arguments::null;
use super::errors::{Code, Result, fail};

/// A structure of C that its caller allocates.
///
/// # Safety
/// The type is `repr(C)`, its first field is `size: usize`, and every pattern of bits is a value of each field.
pub unsafe trait CallerSized: Copy {
    /// Its name in C.
    const NAME: &'static str;
    /// The least size that makes sense: up to the end of the first result, or of a text that has to be whole.
    const LEAST: usize;
}

/// A caller's structure whose size has been checked.
pub struct CallerStruct<T> {
    first: *mut T,
    /// Bytes that both sides know, the size itself among them.
    common: usize,
}

impl<T: CallerSized> CallerStruct<T> {
    /// Whether the caller knows of all up to this many bytes.
    pub fn reaches(&self, end: usize) -> bool {
        self.common >= end
    }

    /// Write what the caller knows of `value`, but for the size; padding is unspecified.
    pub fn fill(&self, value: &T) {
        // SAFETY: a T has at least `common` bytes, and so has the structure. The caller of `sized` promised that it can
        // be written.
        unsafe { copy(ptr::from_ref(value), self.first, self.common) };
    }

    /// What the caller has set; zero is what lies behind its size, and the size itself.
    pub fn read(&self) -> T {
        // SAFETY: any bits are a value of a CallerSized type.
        self.read_over(unsafe { mem::zeroed() })
    }

    /// `value` with what the caller has set, but for the size.
    pub fn read_over(&self, mut value: T) -> T {
        // SAFETY: a T has at least `common` bytes, and so has the structure. The caller of `sized` promised that it can
        // be read. Any bytes are a value of a CallerSized type.
        unsafe { copy(self.first, &raw mut value, self.common) };
        value
    }
}

/// The structure that the argument `name` leads to, which must not be NULL.
///
/// # Safety
/// `first` is NULL, or leads to a `size` and to as many bytes. As long as the place is there they can be read, and, if it is
/// filled, written, by nobody else meanwhile.
pub unsafe fn sized<T: CallerSized>(name: &str, first: *mut T) -> Result<CallerStruct<T>> {
    ensure!(!first.is_null(), null(name));
    // SAFETY: the C program promises that the size can be read; a CallerSized type begins with it.
    let size = unsafe { first.cast::<usize>().read() };
    let why = format_args!("set it to sizeof ({}) before the call", T::NAME);
    let is_right = size >= T::LEAST && size.is_multiple_of(align_of::<T>());
    ensure!(is_right, fail!(Code::BugFound, "{name}->size is {size}: {why}"));
    Ok(CallerStruct { first, common: size.min(size_of::<T>()) })
}

/// The same of a structure that is only read.
///
/// # Safety
/// As [`sized`], but for writing: the place must not be filled.
pub unsafe fn sized_const<T: CallerSized>(name: &str, first: *const T) -> Result<CallerStruct<T>> {
    // SAFETY: the caller promises what `sized` asks for: as many bytes as the size says; nothing is written.
    unsafe { sized(name, first.cast_mut()) }
}

/// Copy the fields behind the size.
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
