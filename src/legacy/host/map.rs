//! Maps: sets whose elements have keys.

use std::ffi::c_void;
use std::ptr;

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

/// Find the element with an id in a map whose keys are ids cast to pointers. Returns NULL if there is none, and `None` if the
/// path to it is cyclic.
///
/// # Safety
/// `node` is an empty map, or a map in the order of its keys whose children are nodes or the sentinel; nobody changes it
/// meanwhile.
pub unsafe fn with_id(mut node: *const MAP, id: u32) -> Option<*mut c_void> {
    let key = id as usize;
    // Brent's cycle detection: keep a node of the path, and replace it each time that the length of the path has doubled.
    let (mut kept, mut length, mut next) = (ptr::null(), 0_usize, 1_usize);
    // SAFETY: the caller promises an empty map, or a root whose children are nodes or the sentinel.
    while let Some(found) = unsafe { existing(node) } {
        if found.key.addr() == key {
            return Some(found.data);
        }
        if node == kept {
            return None;
        }
        length += 1;
        if length == next {
            (kept, next) = (node, 2 * next);
        }
        node = found.children()[usize::from(found.key.addr() < key)];
    }
    Some(ptr::null_mut())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain through the right children of nodes with keys 0, 1, ... The last one leads to the node at `back`, or to the
    /// sentinel if `back` is the number of nodes.
    fn chain(count: usize, back: usize) -> Vec<MAP> {
        let mut nodes: Vec<MAP> = Vec::with_capacity(count + 1);
        let first = nodes.as_mut_ptr();
        let sentinel = first.wrapping_add(count);
        for place in 0..=count {
            let key = ptr::without_provenance_mut(place);
            let right = match place {
                place if place == count => sentinel,
                place if place + 1 == count => first.wrapping_add(back),
                place => first.wrapping_add(place + 1),
            };
            nodes.push(MAP { p: ptr::null_mut(), l: sentinel, r: right, colour: 0, key, data: key });
        }
        nodes
    }

    #[test]
    fn ways_have_an_end() {
        for count in 1..40 {
            for back in 0..=count {
                let nodes = chain(count, back);
                // SAFETY: the children of these nodes are among them.
                let found = |id| unsafe { with_id(nodes.as_ptr(), id) };
                for id in 0..count {
                    assert_eq!(found(id as u32).map(|data| data.addr()), Some(id));
                }
                let missing = if back == count { Some(ptr::null_mut()) } else { None };
                assert_eq!(found(1000), missing, "{count} {back}");
            }
        }
    }
}
