//! Arrays of C whose entries are a stride apart, for instance in structures of the program's own.

use std::marker::PhantomData;
use std::slice;

use crate::ffi::errors::{Code, Result, Whereabouts, fail, invalid, located};
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
    entries: Strided<'a, T>,
    values: PhantomData<&'a mut T>,
}

/// The number of entries, the bytes from one entry to the next, and the number of values of an entry.
pub type StridedShape = (usize, usize, usize);

/// Entries that are read. With a stride of 0 all entries are the same one.
///
/// # Safety
/// `first` is NULL, or there are entries of this shape, which nobody changes meanwhile.
pub unsafe fn strided<'a, T>(
    name: &str,
    first: *const T,
    (count, stride, width): StridedShape,
) -> Result<Strided<'a, T>> {
    let bytes = width.saturating_mul(size_of::<T>());
    let extent = count.saturating_sub(1).saturating_mul(stride).saturating_add(bytes);
    if first.is_null() && count > 0 {
        Err(null(name))
    } else if !stride.is_multiple_of(align_of::<T>()) {
        Err(invalid!("{name}: a stride of {stride} bytes is no multiple of {}", align_of::<T>()))
    } else if isize::try_from(extent).is_err() {
        Err(fail!(Code::TooLarge, "{name}: a count of {count} entries {stride} bytes apart is too large"))
    } else if i32::try_from(count).is_err() {
        // Rows are numbered by an int. Without this, an absurd count with a stride of 0 would take forever.
        Err(fail!(Code::TooLarge, "{name}: an int cannot number {count} entries"))
    } else {
        Ok(Strided { first, stride, width, count, values: PhantomData })
    }
}

/// Entries that are written. They do not overlap: if there are several, the stride is at least the size of one entry's values.
///
/// # Safety
/// `first` is NULL, or there are entries of this shape, which nobody else uses meanwhile.
pub unsafe fn strided_mut<'a, T>(
    name: &str,
    first: *mut T,
    shape: StridedShape,
) -> Result<StridedMut<'a, T>> {
    // SAFETY: the C program promises entries of this shape, as this function requires; they are not read.
    let entries = unsafe { strided(name, first.cast_const(), shape) }?;
    let (count, stride, bytes) = (shape.0, shape.1, entries.width * size_of::<T>());
    let why = format_args!("a stride of {stride} bytes is less than the {bytes} of an entry");
    ensure!(count <= 1 || stride >= bytes, invalid!("{name}: {why}"));
    Ok(StridedMut { entries, values: PhantomData })
}

/// Ids, checked to be possible ids of bodies or constraints. The arguments in brackets are the number of ids, the bytes from one
/// to the next, and what they are ids of.
///
/// # Safety
/// The conditions of [`strided`].
pub unsafe fn ids<'a>(
    name: &str,
    first: *const i64,
    (count, stride, what): (usize, usize, &str),
) -> Result<Strided<'a, i64>> {
    // SAFETY: the C program promises entries of this shape, as this function requires.
    unsafe { strided(name, first, (count, stride, 1)) }?.checked(what, None)
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
    /// Write an entry. No reference to it exists outside of this function.
    pub fn put(&self, entry: usize, values: &[T]) {
        let Strided { first, stride, width, count, .. } = self.entries;
        assert!(entry < count && values.len() == width);
        // SAFETY: the caller of the constructor promised all entries of this shape, which nobody else uses; this is one of them.
        // The constructor checked that they span no more bytes than a pointer can be moved by, that the stride keeps the alignment,
        // and that they do not overlap.
        unsafe { slice::from_raw_parts_mut(first.cast_mut().byte_add(entry * stride), width) }
            .copy_from_slice(values);
    }
}

impl Strided<'_, i64> {
    /// Check that all ids are possible: negative ids are not, except this one.
    pub fn checked(self, what: &str, or: Option<i64>) -> Result<Self> {
        let mut ids = (0..self.count).map(|k| (k, self.at(k)[0]));
        match ids.find(|&(_, id)| id < 0 && Some(id) != or) {
            Some((k, id)) => {
                let place = Whereabouts { entry: k as i64, ..Whereabouts::NOWHERE };
                let text = format_args!("entry {k}: {what} {id}: there is no such {what}");
                Err(located(Code::NotFound, text, place))
            }
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
