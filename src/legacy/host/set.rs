//! Sets and maps: binary search trees in which missing children are a sentinel that only the host knows.

use std::collections::{HashSet, TryReserveError};
use std::ffi::c_void;
use std::fmt::Display;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::mem::MaybeUninit;
use std::ptr;

use crate::legacy::errors::{Code, fail, invalid};
use crate::legacy::layout::{BODY, CON, SET};
use crate::memory::{bytes, push, set_or_push};

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

/// The node; `None` for NULL and for the sentinel, which is its own child on both sides.
///
/// # Safety
/// `node` is NULL or valid, and nobody writes it during `'a`.
pub unsafe fn existing<'a, N: Node>(node: *const N) -> Option<&'a N> {
    // SAFETY: the caller promises a node that is NULL or valid, and that nobody writes it.
    unsafe { node.as_ref() }.filter(|found| {
        let [left, right] = found.children();
        left != node || right != node
    })
}

/// Number of nodes that a walk may visit before it checks that they form a tree.
const FREE: usize = 1024;

/// Walks over trees, with a stack that is used again and a limit on the number of nodes.
pub struct TreeWalker<N> {
    /// The nodes to return to; later entries are unused.
    stack: Vec<*const N>,
    /// A walk over more nodes first checks that they form a tree.
    limit: usize,
}

impl<N> Default for TreeWalker<N> {
    fn default() -> Self {
        Self { stack: Vec::new(), limit: FREE }
    }
}

impl<N> TreeWalker<N> {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        bytes(&self.stack)
    }
}

impl<N: Node> TreeWalker<N> {
    /// Visit the elements of a tree in order, until a visit fails.
    ///
    /// The walk keeps the nodes to return to on a stack, so that the tree need not be balanced. Parents are not read: the
    /// parents of the root and of the sentinel are arbitrary.
    ///
    /// A walk over a damaged tree with cycles must end. A walk that gets longer than the limit counts all nodes, each once. The
    /// new limit is twice that count, so that this happens rarely.
    ///
    /// # Errors
    /// If memory is exhausted, or the nodes of `what` are no tree; the error of a visit.
    ///
    /// # Safety
    /// `root` is NULL, a sentinel or a node; children are nodes or the sentinel; nobody changes them during the walk.
    pub unsafe fn each(
        &mut self,
        root: *const N,
        what: &dyn Display,
        mut visit: impl FnMut(*mut c_void) -> Result<(), Code>,
    ) -> Result<(), Code> {
        let exhausted = |_| fail!(Code::OutOfMemory, "no memory to walk over {what}");
        let (mut next, mut visited, mut depth) = (root, 0_usize, 0);
        loop {
            // SAFETY: the caller promises a root and children that are NULL, nodes or the sentinel; the stack holds nodes.
            unsafe {
                while let Some(found) = existing(next) {
                    visited += 1;
                    if visited > self.limit {
                        let count = count_once(root)
                            .map_err(exhausted)?
                            .ok_or_else(|| invalid!("{what}: not a tree, a node is reached in two ways"))?;
                        self.limit = count.saturating_mul(2);
                    }
                    set_or_push(&mut self.stack, depth, next).map_err(exhausted)?;
                    depth += 1;
                    next = found.children()[0];
                }
                if depth == 0 {
                    return Ok(());
                }
                depth -= 1;
                let node = self.stack[depth];
                visit((*node).data())?;
                next = (*node).children()[1];
            }
        }
    }
}

/// Depth of the stack of a quick walk.
const DEPTH: usize = 24;

impl TreeWalker<SET> {
    /// Visit the constraints on a body in the order of its set, without allocation and error texts. Returns false if a visit
    /// fails, the set contains NULL, the tree is too deep, or it may be no tree. Then [`TreeWalker::each_on`] visits them, or
    /// returns the error.
    ///
    /// # Safety
    /// As [`TreeWalker::each`]; the body is valid.
    #[inline(always)]
    pub unsafe fn each_quickly_on(&self, body: *const BODY, visit: impl FnMut(*mut CON) -> bool) -> bool {
        // SAFETY: the caller promises a valid body with a set that nobody changes.
        unsafe { each_quickly((*body).con, self.limit, visit) }
    }

    /// Visit the constraints on a body in the order of its set.
    ///
    /// # Errors
    /// If memory is exhausted, or the set is no tree or contains NULL; the error of a visit.
    ///
    /// # Safety
    /// As [`TreeWalker::each`]; the body is valid.
    pub unsafe fn each_on(
        &mut self,
        body: *const BODY,
        mut visit: impl FnMut(*mut CON) -> Result<(), Code>,
    ) -> Result<(), Code> {
        // SAFETY: the caller promises a valid body with a set that nobody changes.
        unsafe {
            let id = (*body).id;
            let what = format_args!("the set of constraints of body {id}");
            self.each((*body).con, &what, |element| match element.is_null() {
                true => Err(invalid!("body {id}: NULL in its set of constraints")),
                false => visit(element.cast()),
            })
        }
    }
}

/// See [`TreeWalker::each_quickly_on`]; at most `limit` nodes are visited.
///
/// # Safety
/// As [`TreeWalker::each`].
#[inline(always)]
unsafe fn each_quickly(root: *const SET, limit: usize, mut visit: impl FnMut(*mut CON) -> bool) -> bool {
    let mut above = [const { MaybeUninit::<*const SET>::uninit() }; DEPTH];
    // The sentinel, once it is known.
    let mut sentinel = ptr::null();
    let (mut next, mut depth, mut left) = (root, 0_usize, limit);
    loop {
        // SAFETY: the caller promises a root and children that are NULL, nodes or the sentinel, and nodes were put above.
        let node = unsafe {
            while next != sentinel {
                let Some(node) = existing(next) else {
                    sentinel = next;
                    break;
                };
                let Some(place) = above.get_mut(depth) else { return false };
                place.write(next);
                depth += 1;
                next = node.l;
            }
            // With an empty stack this wraps to an index that has no entry.
            depth = depth.wrapping_sub(1);
            let Some(node) = above.get(depth) else { return true };
            &*node.assume_init()
        };
        let con = node.data.cast::<CON>();
        if left == 0 || con.is_null() || !visit(con) {
            return false;
        }
        left -= 1;
        next = node.r;
    }
}

/// The number of nodes of a tree; `None` if a node is reached in two ways.
///
/// # Errors
/// If memory is exhausted.
///
/// # Safety
/// As [`TreeWalker::each`].
#[cold]
unsafe fn count_once<N: Node>(root: *const N) -> Result<Option<usize>, TryReserveError> {
    let mut seen: HashSet<*const N, BuildHasherDefault<DefaultHasher>> = HashSet::default();
    let mut open = Vec::new();
    push(&mut open, root)?;
    while let Some(node) = open.pop() {
        // SAFETY: the caller promises that the root and all children are NULL, nodes or the sentinel.
        let Some(found) = (unsafe { existing(node) }) else { continue };
        seen.try_reserve(1)?;
        if !seen.insert(node) {
            return Ok(None);
        }
        open.try_reserve(2)?;
        open.extend(found.children());
    }
    Ok(Some(seen.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// The elements of the walk, which are one more than the indices of the nodes, and its error.
    fn walk(nodes: &[SET], walker: &mut TreeWalker<SET>) -> (Vec<usize>, Option<Code>) {
        let mut elements = Vec::new();
        let visit = |element: *mut c_void| {
            elements.push(element.addr());
            Ok(())
        };
        // SAFETY: the children of these nodes are among them.
        let fault = unsafe { walker.each(nodes.as_ptr(), &"nodes", visit) }.err();
        (elements, fault)
    }

    #[test]
    fn walks_are_in_order_however_long() {
        let mut walker = TreeWalker::default();
        assert_eq!(walk(&nodes(&[[1, 2], [3, 4], [4, 3], [4, 4]][..0]), &mut walker), (vec![], None));
        assert_eq!(walk(&nodes(&[[1, 2], [3, 3], [3, 3]]), &mut walker), (vec![2, 1, 3], None));
        let count = 10 * FREE;
        // Children are the next node on one side, the sentinel on the other.
        let left: Vec<[usize; 2]> = (0..count).map(|place| [place + 1, count]).collect();
        let right: Vec<[usize; 2]> = (0..count).map(|place| [count, place + 1]).collect();
        assert_eq!(walk(&nodes(&left), &mut walker), ((1..=count).rev().collect(), None));
        assert_eq!(walker.limit, 2 * count);
        assert_eq!(walk(&nodes(&right), &mut walker), ((1..=count).collect(), None));
        assert_eq!(walker.limit, 2 * count);
    }

    #[test]
    fn quick_walks_are_in_order_or_not_made() {
        let quickly = |nodes: &[SET], limit: usize| {
            let mut found = vec![];
            let visit = |con: *mut CON| {
                found.push(con.addr());
                true
            };
            // SAFETY: the children of these nodes are among them; no constraint is read.
            unsafe { each_quickly(nodes.as_ptr(), limit, visit) }.then_some(found)
        };
        let balanced = nodes(&[[1, 4], [2, 3], [7, 7], [7, 7], [5, 6], [7, 7], [7, 7]]);
        assert_eq!(quickly(&balanced, 7), Some(walk(&balanced, &mut TreeWalker::default()).0));
        assert_eq!((quickly(&balanced, 6), quickly(&nodes(&[]), 0)), (None, Some(vec![])));
        for count in [DEPTH, DEPTH + 1] {
            let left: Vec<[usize; 2]> = (0..count).map(|place| [place + 1, count]).collect();
            let found = (count == DEPTH).then(|| (1..=count).rev().collect());
            assert_eq!(quickly(&nodes(&left), 2 * DEPTH), found);
        }
        // A node that leads back to the root, and a node without a constraint.
        assert_eq!(quickly(&nodes(&[[2, 1], [2, 0]]), 1000), None);
        let mut without = nodes(&[[1, 1]]);
        without[0].data = ptr::null_mut();
        assert_eq!(quickly(&without, 10), None);
    }

    #[test]
    fn walks_that_do_not_end_are_ended() {
        // Left or right child of a node: itself, the root, a node in between; and shared halves with 2⁶⁰ elements.
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
            let (elements, fault) = walk(&nodes(&children), &mut TreeWalker::default());
            assert_eq!(fault, Some(Code::InvalidArgument), "{children:?}");
            assert!(elements.len() <= FREE);
        }
    }
}
