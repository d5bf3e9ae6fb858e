//! Sets and maps: binary search trees whose missing children are a sentinel that only the host knows.

use std::collections::TryReserveError;
use std::ffi::c_void;

use crate::legacy::layout::SET;

/// A node of such a tree.
pub trait Node {
    /// The children, left and right.
    fn children(&self) -> [*const Self; 2];
    /// The element.
    fn data(&self) -> *mut c_void;
}

impl Node for SET {
    fn children(&self) -> [*const Self; 2] {
        [self.l, self.r]
    }

    fn data(&self) -> *mut c_void {
        self.data
    }
}

/// The node here; `None` for NULL and for the sentinel, which is its own child on both sides.
///
/// # Safety
/// `node` is NULL or valid, and nobody writes it during `'a`.
pub unsafe fn existing<'a, N: Node>(node: *const N) -> Option<&'a N> {
    // SAFETY: promised by the caller.
    unsafe { node.as_ref() }.filter(|found| found.children() != [node; 2])
}

/// A walk in order over the elements.
///
/// It keeps the nodes to come back to on a stack of its own: the tree need not be balanced, and parents are not
/// read (the root's and the sentinel's are arbitrary).
pub struct InOrder<'a, N> {
    stack: &'a mut Vec<*const N>,
}

impl<'a, N: Node> InOrder<'a, N> {
    /// A walk over the tree with the given root; `stack` lends its memory.
    ///
    /// # Errors
    /// If memory is exhausted.
    ///
    /// # Safety
    /// `root` is an empty or valid tree, and nobody changes it during the walk.
    pub unsafe fn new(root: *const N, stack: &'a mut Vec<*const N>) -> Result<Self, TryReserveError> {
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
        let (data, [_, right]) = unsafe { ((*node).data(), (*node).children()) };
        // SAFETY: a child of a node of the tree is a node of it or the sentinel.
        unsafe { self.descend(right) }?;
        Ok(Some(data))
    }

    /// Put a node and all its left descendants on the stack.
    ///
    /// # Safety
    /// `node` is NULL, the sentinel, or a node of the tree.
    unsafe fn descend(&mut self, mut node: *const N) -> Result<(), TryReserveError> {
        // SAFETY: promised by the caller; left children are nodes of the tree or the sentinel.
        while let Some(found) = unsafe { existing(node) } {
            self.stack.try_reserve(1)?;
            self.stack.push(node);
            node = found.children()[0];
        }
        Ok(())
    }
}
