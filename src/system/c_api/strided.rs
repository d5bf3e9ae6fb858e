//! Arrays of C whose entries are a stride apart, for instance in structures of the program's own.

use std::ffi::c_longlong;
use std::marker::PhantomData;
use std::slice;

use crate::ffi::errors::{Code, Result, fail};
use crate::system::Id;

use crate::ffi::arguments::null;

/// Entries of `width` values each, with `stride` bytes from the beginning of one entry to the next. Bytes between entries are not
/// touched.
#[derive(Clone, Copy)]
pub struct Strided<'a, T> {
    first: *const T,
    stride: usize,
    width: usize,
    count: usize,
    values: PhantomData<&'a T>,
}

/// Entries as in [`Strided`], but mutable.
pub struct StridedMut<'a, T> {
    first: *mut T,
    stride: usize,
    width: usize,
    count: usize,
    values: PhantomData<&'a mut T>,
}

/// The number of entries, the bytes from one entry to the next, and the number of values of an entry.
pub type Shape = (usize, usize, usize);

/// Check that entries of type T can have this count and stride.
fn check<T>(name: &str, is_null: bool, (count, stride, width): Shape) -> Result {
    let bytes = width.saturating_mul(size_of::<T>());
    let extent = count.saturating_sub(1).saturating_mul(stride).saturating_add(bytes);
    if is_null && count > 0 {
        Err(null(name))
    } else if !stride.is_multiple_of(align_of::<T>()) {
        Err(fail!(Code::BugFound, "{name}: a stride of {stride} bytes is no multiple of {}", align_of::<T>()))
    } else if isize::try_from(extent).is_err() {
        Err(fail!(Code::BugFound, "{name}: no array has {count} entries that are {stride} bytes apart"))
    } else {
        Ok(())
    }
}

/// Entries that are read. With a stride of 0 all entries are the same one.
///
/// # Safety
/// `first` is NULL, or there are entries of this shape, which nobody changes meanwhile.
pub unsafe fn strided<'a, T>(name: &str, first: *const T, shape: Shape) -> Result<Strided<'a, T>> {
    check::<T>(name, first.is_null(), shape)?;
    let (count, stride, width) = shape;
    Ok(Strided { first, stride, width, count, values: PhantomData })
}

/// Entries that are written. They do not overlap: if there are several, the stride is at least the size of one entry's values.
///
/// # Safety
/// `first` is NULL, or there are entries of this shape, which nobody else uses meanwhile.
pub unsafe fn strided_mut<'a, T>(name: &str, first: *mut T, shape: Shape) -> Result<StridedMut<'a, T>> {
    check::<T>(name, first.is_null(), shape)?;
    let (count, stride, width) = shape;
    let bytes = width * size_of::<T>();
    let why = format_args!("a stride of {stride} bytes is less than the {bytes} of an entry");
    ensure!(count <= 1 || stride >= bytes, fail!(Code::BugFound, "{name}: {why}"));
    Ok(StridedMut { first, stride, width, count, values: PhantomData })
}

/// Ids of bodies, checked to be possible ids.
///
/// # Safety
/// The conditions of [`strided`].
pub unsafe fn body_ids<'a>(
    name: &str,
    first: *const c_longlong,
    (count, stride): (usize, usize),
) -> Result<Strided<'a, c_longlong>> {
    // SAFETY: the C program promises entries of this shape, as this function requires.
    unsafe { strided(name, first, (count, stride, 1)) }?.checked("body", None)
}

/// Ids of constraints, checked to be possible ids.
///
/// # Safety
/// The conditions of [`strided`].
pub unsafe fn constraint_ids<'a>(
    name: &str,
    first: *const c_longlong,
    (count, stride): (usize, usize),
) -> Result<Strided<'a, c_longlong>> {
    // SAFETY: the C program promises entries of this shape, as this function requires.
    unsafe { strided(name, first, (count, stride, 1)) }?.checked("constraint", None)
}

impl<'a, T> Strided<'a, T> {
    /// An entry.
    pub fn at(&self, entry: usize) -> &'a [T] {
        assert!(entry < self.count);
        // SAFETY: the caller of the constructor promised all entries of this shape, unchanged; this is one of them. The constructor
        // checked that they span no more bytes than a pointer can be moved by and that the stride keeps the alignment of the first.
        unsafe { slice::from_raw_parts(self.first.byte_add(entry * self.stride), self.width) }
    }

    /// An entry of N values.
    ///
    /// # Panics
    /// If N is not the number of values of an entry.
    pub fn array<const N: usize>(&self, entry: usize) -> [T; N]
    where
        T: Copy,
    {
        *self.at(entry).first_chunk().expect("as many values as the shape says")
    }
}

impl<T: Copy> StridedMut<'_, T> {
    /// Write an entry.
    pub fn put(&mut self, entry: usize, values: &[T]) {
        assert!(entry < self.count && values.len() == self.width);
        // SAFETY: the caller of the constructor promised all entries of this shape, which nobody else uses; this is one of them.
        // The constructor checked that they span no more bytes than a pointer can be moved by, that the stride keeps the alignment,
        // and that they do not overlap.
        unsafe { slice::from_raw_parts_mut(self.first.byte_add(entry * self.stride), self.width) }
            .copy_from_slice(values);
    }
}

impl Strided<'_, c_longlong> {
    /// Check that all ids are possible: negative ids are not, except this one.
    pub fn checked(self, what: &str, or: Option<c_longlong>) -> Result<Self> {
        let mut ids = (0..self.count).map(|k| (k, self.at(k)[0]));
        match ids.find(|&(_, id)| id < 0 && Some(id) != or) {
            Some((k, id)) => Err(fail!(Code::BugFound, "entry {k}: {what} {id}: there is none with this id")),
            None => Ok(self),
        }
    }

    /// All ids. They have been checked.
    pub fn ids(&self) -> impl Iterator<Item = Id> + Clone {
        (0..self.count).map(|k| self.id(k))
    }

    /// One id. It has been checked.
    pub fn id(&self, entry: usize) -> Id {
        self.at(entry)[0] as Id
    }
}
