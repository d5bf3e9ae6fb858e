//! Sets and maps: binary search trees whose missing children are a sentinel that only the host knows.

use std::collections::{HashSet, TryReserveError};
use std::ffi::c_void;
use std::fmt::Display;
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::legacy::errors::{Code, fail};
use crate::legacy::layout::SET;
use crate::memory::{bytes, push};

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
    // SAFETY: the caller promises a node that is NULL or valid, and that nobody writes it.
    unsafe { node.as_ref() }.filter(|found| found.children() != [node; 2])
}

/// Why a walk came to no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Memory is exhausted.
    Memory,
    /// A node is reached in two ways: the nodes are no tree.
    Shape,
}

impl Fault {
    /// The error of a walk over what `what` names.
    pub fn of(self, what: &dyn Display) -> Code {
        match self {
            Self::Memory => fail!(Code::OutOfMemory, "no memory to walk over {what}"),
            Self::Shape => fail!(Code::BugFound, "{what}: not a tree, a node is reached in two ways"),
        }
    }

    /// The error of a walk over the set of constraints of the body with this id.
    pub fn of_set_of(self, body: u32) -> Code {
        self.of(&format_args!("the set of constraints of body {body}"))
    }
}

impl From<TryReserveError> for Fault {
    fn from(_: TryReserveError) -> Self {
        Self::Memory
    }
}

/// Nodes that a walk may visit before it checks that they are a tree.
const FREE: usize = 1024;

/// Memory lent to walks over trees, one after the other, and how far they may go.
pub struct Walks<N> {
    /// Nodes to come back to.
    stack: Vec<*const N>,
    /// A longer walk finds out first whether it has an end.
    limit: usize,
}

impl<N> Default for Walks<N> {
    fn default() -> Self {
        Self { stack: Vec::new(), limit: FREE }
    }
}

impl<N> Walks<N> {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        bytes(&self.stack)
    }
}

/// A walk in order over the elements.
///
/// It keeps the nodes to come back to on a stack of its own: the tree need not be balanced, and parents are not
/// read (the root's and the sentinel's are arbitrary).
///
/// A walk over a damaged tree, whose nodes lead back to others, must have an end. A walk that gets longer than any
/// before counts all nodes, each once. The limit is twice the largest count, so that this happens rarely.
pub struct InOrder<'a, N> {
    walks: &'a mut Walks<N>,
    root: *const N,
    visited: usize,
}

impl<'a, N: Node> InOrder<'a, N> {
    /// A walk over the tree with the given root; `walks` lends its memory.
    ///
    /// # Errors
    /// If memory is exhausted, or the nodes are found to be no tree.
    ///
    /// # Safety
    /// `root` is NULL, a sentinel or a node; children are nodes or the sentinel; nobody changes them during the walk.
    pub unsafe fn new(root: *const N, walks: &'a mut Walks<N>) -> Result<Self, Fault> {
        walks.stack.clear();
        let mut walk = Self { walks, root, visited: 0 };
        // SAFETY: the caller promises a root that is NULL, a sentinel or a node, and children that are nodes
        // or the sentinel.
        unsafe { walk.descend(root) }?;
        Ok(walk)
    }

    /// The next element, `None` behind the last.
    ///
    /// # Errors
    /// As [`InOrder::new`].
    ///
    /// # Safety
    /// The promise of [`InOrder::new`] still holds.
    pub unsafe fn next(&mut self) -> Result<Option<*mut c_void>, Fault> {
        let Some(node) = self.walks.stack.pop() else { return Ok(None) };
        // SAFETY: the stack holds nodes, which are valid by the promise of `new`.
        let (data, [_, right]) = unsafe { ((*node).data(), (*node).children()) };
        // SAFETY: a child of a node is a node or the sentinel.
        unsafe { self.descend(right) }?;
        Ok(Some(data))
    }

    /// Put a node and all its left descendants on the stack.
    ///
    /// # Safety
    /// `node` is NULL, the sentinel, or a node.
    unsafe fn descend(&mut self, mut node: *const N) -> Result<(), Fault> {
        // SAFETY: the caller promises NULL, the sentinel or a node; left children are nodes or the sentinel.
        while let Some(found) = unsafe { existing(node) } {
            self.visited += 1;
            if self.visited > self.walks.limit {
                // SAFETY: the caller of `new` promises that the root and all children are NULL, nodes or the
                // sentinel.
                let count = unsafe { count_once(self.root) }?;
                self.walks.limit = count.saturating_mul(2);
            }
            push(&mut self.walks.stack, node)?;
            node = found.children()[0];
        }
        Ok(())
    }
}

/// The number of nodes of a tree.
///
/// # Errors
/// If memory is exhausted, or a node is reached in two ways.
///
/// # Safety
/// As [`InOrder::new`].
#[cold]
unsafe fn count_once<N: Node>(root: *const N) -> Result<usize, Fault> {
    let mut seen: HashSet<*const N, BuildHasherDefault<DefaultHasher>> = HashSet::default();
    let mut open = Vec::new();
    push(&mut open, root)?;
    while let Some(node) = open.pop() {
        // SAFETY: the caller promises that the root and all children are NULL, nodes or the sentinel.
        let Some(found) = (unsafe { existing(node) }) else { continue };
        seen.try_reserve(1)?;
        if !seen.insert(node) {
            return Err(Fault::Shape);
        }
        open.try_reserve(2)?;
        open.extend(found.children());
    }
    Ok(seen.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    /// Nodes in an array, the last of which is the sentinel; children are places.
    fn nodes(children: &[[usize; 2]]) -> Vec<SET> {
        let mut nodes: Vec<SET> = Vec::with_capacity(children.len() + 1);
        let first = nodes.as_mut_ptr();
        for &[l, r] in children.iter().chain(&[[children.len(); 2]]) {
            let data = ptr::without_provenance_mut(nodes.len() + 1);
            nodes.push(SET {
                p: ptr::null_mut(),
                l: first.wrapping_add(l),
                r: first.wrapping_add(r),
                colour: 0,
                data,
            });
        }
        nodes
    }

    /// The walk's elements, which are one more than the places of the nodes, and how it ended.
    fn walk(nodes: &[SET], walks: &mut Walks<SET>) -> (Vec<usize>, Option<Fault>) {
        let mut elements = Vec::new();
        // SAFETY: the children of these nodes are among them.
        let walk = unsafe { InOrder::new(nodes.as_ptr(), walks) };
        let mut walk = match walk {
            Ok(walk) => walk,
            Err(fault) => return (elements, Some(fault)),
        };
        loop {
            // SAFETY: the children of these nodes are among them.
            match unsafe { walk.next() } {
                Ok(Some(element)) => elements.push(element.addr()),
                Ok(None) => return (elements, None),
                Err(fault) => return (elements, Some(fault)),
            }
        }
    }

    #[test]
    fn walks_are_in_order_however_long() {
        let mut walks = Walks::default();
        assert_eq!(walk(&nodes(&[[1, 2], [3, 4], [4, 3], [4, 4]][..0]), &mut walks), (vec![], None));
        assert_eq!(walk(&nodes(&[[1, 2], [3, 3], [3, 3]]), &mut walks), (vec![2, 1, 3], None));
        let count = 10 * FREE;
        // Children are the next node on one side, the sentinel on the other.
        let left: Vec<[usize; 2]> = (0..count).map(|place| [place + 1, count]).collect();
        let right: Vec<[usize; 2]> = (0..count).map(|place| [count, place + 1]).collect();
        assert_eq!(walk(&nodes(&left), &mut walks), ((1..=count).rev().collect(), None));
        assert_eq!(walks.limit, 2 * count);
        assert_eq!(walk(&nodes(&right), &mut walks), ((1..=count).collect(), None));
        assert_eq!(walks.limit, 2 * count);
    }

    #[test]
    fn walks_that_do_not_end_are_ended() {
        // Left and right of a node: itself, the root, one between; and halves that are shared, 2⁶⁰ elements.
        let shared: Vec<[usize; 2]> = (0..60).map(|place| [place + 1; 2]).collect();
        let last = 3;
        for children in [
            vec![[0, 1]],
            vec![[1, 0]],
            vec![[1, last], [2, last], [0, last]],
            vec![[1, last], [2, last], [1, last]],
            vec![[1, last], [2, last], [last, 0]],
            vec![[last, 1], [last, 2], [last, 0]],
            vec![[last, 1], [last, 2], [1, last]],
            vec![[1, last], [last, 2], [last, 1]],
            shared,
        ] {
            let (elements, fault) = walk(&nodes(&children), &mut Walks::default());
            assert_eq!(fault, Some(Fault::Shape), "{children:?}");
            assert!(elements.len() <= FREE);
        }
    }
}
