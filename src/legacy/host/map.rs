//! Maps: sets whose elements have keys.

use std::ffi::c_void;

use crate::legacy::layout::MAP;

use super::set::{Node, existing};

impl Node for MAP {
    fn children(&self) -> [*const Self; 2] {
        [self.l, self.r]
    }

    fn data(&self) -> *mut c_void {
        self.data
    }
}

/// The element with an id in a map whose keys are ids cast to pointers, NULL if there is none.
///
/// # Safety
/// `node` is an empty or valid map, in the order of its keys, and nobody changes it meanwhile.
pub unsafe fn with_id(mut node: *const MAP, id: u32) -> *mut c_void {
    let key = id as usize;
    // SAFETY: promised by the caller; children are nodes of the map or the sentinel.
    while let Some(found) = unsafe { existing(node) } {
        if found.key.addr() == key {
            return found.data;
        }
        node = found.children()[usize::from(found.key.addr() < key)];
    }
    std::ptr::null_mut()
}
