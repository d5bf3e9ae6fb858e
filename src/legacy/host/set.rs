//! Sets: binary search trees whose missing children are a sentinel that only the host knows.

use std::collections::TryReserveError;
use std::ffi::c_void;

use crate::legacy::layout::SET;

/// Whether there is no node here: NULL, or the sentinel, which is its own child on both sides.
///
/// # Safety
/// `node` is NULL or valid.
unsafe fn is_end(node: *const SET) -> bool {
    // SAFETY: promised by the caller.
    node.is_null() || unsafe { (*node).l.cast_const() == node && (*node).r.cast_const() == node }
}

/// A walk in order over the elements of a set.
///
/// It keeps the nodes to come back to on a stack of its own: the tree need not be balanced, and parents are not
/// read (the root's and the sentinel's are arbitrary).
pub struct InOrder<'a> {
    stack: &'a mut Vec<*const SET>,
}

impl<'a> InOrder<'a> {
    /// A walk over the set with the given root; `stack` lends its memory.
    ///
    /// # Errors
    /// If memory is exhausted.
    ///
    /// # Safety
    /// `root` is an empty or valid set, and nobody changes it during the walk.
    pub unsafe fn new(root: *const SET, stack: &'a mut Vec<*const SET>) -> Result<Self, TryReserveError> {
        stack.clear();
        let mut walk = Self { stack };
        // SAFETY: promised by the caller.
        unsafe { walk.descend(root) }?;
        Ok(walk)
    }

    /// The next element, `None` behind the last.
    ///
    /// # Errors
    /// If memory is exhausted.
    ///
    /// # Safety
    /// The promise of [`InOrder::new`] still holds.
    pub unsafe fn next(&mut self) -> Result<Option<*mut c_void>, TryReserveError> {
        let Some(node) = self.stack.pop() else { return Ok(None) };
        // SAFETY: nodes on the stack belong to the tree.
        let (data, right) = unsafe { ((*node).data, (*node).r) };
        // SAFETY: a child of a node of the tree is a node of it or the sentinel.
        unsafe { self.descend(right) }?;
        Ok(Some(data))
    }

    /// Put a node and all its left descendants on the stack.
    ///
    /// # Safety
    /// `node` is NULL, the sentinel, or a node of the tree.
    unsafe fn descend(&mut self, mut node: *const SET) -> Result<(), TryReserveError> {
        // SAFETY: promised by the caller; left children are nodes of the tree or the sentinel.
        unsafe {
            while !is_end(node) {
                self.stack.try_reserve(1)?;
                self.stack.push(node);
                node = (*node).l;
            }
        }
        Ok(())
    }
}
