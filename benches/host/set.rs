//! Sets of constraints as hosts store them: binary search trees with a sentinel of their own.

use std::ptr;

use ldy::legacy::layout::{CON, SET};

use super::array::Array;

/// A set with its nodes; the last is the sentinel.
pub struct Set {
    nodes: Array<SET>,
}

impl Set {
    /// A balanced tree whose in-order walk gives the elements.
    pub fn new(elements: &[*mut CON]) -> Self {
        let node = |data: *mut CON| SET {
            p: ptr::null_mut(),
            l: ptr::null_mut(),
            r: ptr::null_mut(),
            colour: 0,
            data: data.cast(),
        };
        let nodes = Array::new(elements.iter().copied().chain([ptr::null_mut()]).map(node));
        let sentinel = nodes.at(elements.len());
        // SAFETY: the nodes are this function's.
        unsafe { ((*sentinel).l, (*sentinel).r) = (sentinel, sentinel) };
        link(&nodes, 0, elements.len(), sentinel);
        Self { nodes }
    }

    /// The root, or the sentinel of an empty set.
    pub fn root(&self) -> *mut SET {
        self.nodes.at((self.nodes.len() - 1) / 2)
    }
}

/// Make a tree of the nodes `start..end`, whose root is the one in the middle.
fn link(nodes: &Array<SET>, start: usize, end: usize, parent: *mut SET) -> *mut SET {
    if start == end {
        return nodes.at(nodes.len() - 1);
    }
    let middle = (start + end) / 2;
    let node = nodes.at(middle);
    let children = [link(nodes, start, middle, node), link(nodes, middle + 1, end, node)];
    // SAFETY: the node belongs to the caller.
    unsafe { ((*node).p, [(*node).l, (*node).r]) = (parent, children) };
    node
}
