//! The textbook's rows, benches/textbook/rows.c.

use std::ffi::c_void;

use ldy::legacy::layout::{CON, DIAB};

use super::symbol;

/// Rows as the textbook links them, for the constraints of a host without rows.
pub struct TextbookRows {
    rows: *mut c_void,
    insert: unsafe extern "C" fn(*mut c_void, *mut CON) -> *mut DIAB,
    first: unsafe extern "C" fn(*const c_void) -> *mut DIAB,
    clear: unsafe extern "C" fn(*mut c_void),
    destroy: unsafe extern "C" fn(*mut c_void),
}

impl TextbookRows {
    /// No rows yet.
    pub(super) fn new(library: *mut c_void) -> Result<Self, String> {
        // SAFETY: textbook_rows.h declares them so.
        unsafe {
            let create: unsafe extern "C" fn() -> *mut c_void = symbol(library, c"textbook_rows_create")?;
            Ok(Self {
                rows: create(),
                insert: symbol(library, c"textbook_rows_insert")?,
                first: symbol(library, c"textbook_rows_first")?,
                clear: symbol(library, c"textbook_rows_clear")?,
                destroy: symbol(library, c"textbook_rows_destroy")?,
            })
        }
    }

    /// Make the row of a constraint.
    ///
    /// # Safety
    /// The constraint, its bodies and their sets are valid.
    pub unsafe fn insert(&self, con: *mut CON) -> *mut DIAB {
        // SAFETY: the caller promises a valid constraint.
        unsafe { (self.insert)(self.rows, con) }
    }

    /// The head of the list of rows.
    pub fn first(&self) -> *mut DIAB {
        // SAFETY: the rows are there as long as this value.
        unsafe { (self.first)(self.rows) }
    }

    /// Forget all rows, which nobody uses any more.
    pub fn clear(&self) {
        // SAFETY: as above.
        unsafe { (self.clear)(self.rows) }
    }
}

impl Drop for TextbookRows {
    fn drop(&mut self) {
        // SAFETY: as above; they are not used afterwards.
        unsafe { (self.destroy)(self.rows) }
    }
}
