//! An order of approximate minimum degree of a symmetric pattern (P. R. Amestoy, T. A. Davis and I. S. Duff, SIAM J. Matrix Anal. Appl.
//! 17, 1996, 886–905).
//!
//! An eliminated row becomes an element, the list of the rows that its elimination couples. A row that is left knows the elements and
//! the original neighbors that couple it. Rows with the same neighbors are merged and eliminated together.

use super::adjacency::Adjacency;
use super::tree::NONE;
use crate::memory::{self, push, repeated};

/// A row with more neighbors than this, and than ten times the root of the number of rows, is eliminated last.
const FEW: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeKind {
    /// A row that is left, and the rows merged with it.
    Row,
    /// The rows that an elimination has coupled.
    Element,
    /// An element within another, an eliminated row without an element, or a row that is merged with another.
    Gone,
}

/// A row or an element.
#[derive(Clone, Copy, Debug)]
struct GraphNode {
    kind: NodeKind,
    /// Its list: the elements of a row, then its neighbors; the rows of an element.
    start: usize,
    elements: u32,
    length: u32,
    /// The number of rows that a row stands for.
    weight: u32,
    /// A bound of the number of rows that are coupled with a row; the number of rows in an element.
    degree: u32,
    /// The number of rows of an element outside of the newest element, if `stamp` belongs to the newest element.
    outside: u32,
    stamp: u32,
}

struct Graph {
    nodes: Vec<GraphNode>,
    lists: Vec<u32>,
    /// Rings of rows that are eliminated together.
    ring: Vec<u32>,
    /// The members of the newest element have this mark.
    marks: Vec<u32>,
    mark: u32,
    degrees: Degrees,
    /// The number of rows that are left.
    left: u32,
    /// Rows of the newest element with a hash of their lists.
    hashes: Vec<(u32, u32)>,
}

/// The rows of each degree, in lists.
struct Degrees {
    first: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    least: usize,
}

impl Degrees {
    fn new(count: usize) -> memory::Result<Self> {
        let list = || repeated(count, NONE);
        Ok(Self { first: list()?, next: list()?, previous: list()?, least: 0 })
    }

    fn insert(&mut self, row: u32, degree: u32) {
        let first = &mut self.first[degree as usize];
        self.next[row as usize] = *first;
        self.previous[row as usize] = NONE;
        if *first != NONE {
            self.previous[*first as usize] = row;
        }
        *first = row;
        self.least = self.least.min(degree as usize);
    }

    fn remove(&mut self, row: u32, degree: u32) {
        let (next, previous) = (self.next[row as usize], self.previous[row as usize]);
        if next != NONE {
            self.previous[next as usize] = previous;
        }
        match previous {
            NONE => self.first[degree as usize] = next,
            previous => self.next[previous as usize] = next,
        }
    }

    /// A row of the least degree; none if no row is left.
    fn least(&mut self) -> Option<u32> {
        while let Some(&row) = self.first.get(self.least) {
            if row != NONE {
                return Some(row);
            }
            self.least += 1;
        }
        None
    }
}

/// The rows of a pattern in the order of their elimination.
///
/// # Errors
/// If memory is exhausted.
pub fn minimum_degree(pattern: &Adjacency) -> memory::Result<Vec<u32>> {
    let count = pattern.count();
    let mut order = memory::with_capacity(count)?;
    let mut graph = Graph::new(pattern)?;
    while let Some(pivot) = graph.degrees.least() {
        graph.eliminate(pivot)?;
        let mut row = pivot;
        loop {
            order.push(row);
            row = graph.ring[row as usize];
            if row == pivot {
                break;
            }
        }
    }
    order.extend((0..count as u32).filter(|&row| is_long(pattern, row as usize)));
    Ok(order)
}

fn is_long(pattern: &Adjacency, row: usize) -> bool {
    let most = FEW.max((10.0 * (pattern.count() as f64).sqrt()) as usize);
    pattern.of(row).len() > most
}

impl Graph {
    fn new(pattern: &Adjacency) -> memory::Result<Self> {
        let count = pattern.count();
        let mut graph = Self {
            nodes: memory::with_capacity(count)?,
            lists: memory::with_capacity(pattern.neighbors.len())?,
            ring: memory::collected(count, 0..count as u32)?,
            marks: repeated(count, 0)?,
            mark: 0,
            degrees: Degrees::new(count)?,
            left: 0,
            hashes: Vec::new(),
        };
        for row in 0..count {
            let start = graph.lists.len();
            let kind = if is_long(pattern, row) { NodeKind::Gone } else { NodeKind::Row };
            if kind == NodeKind::Row {
                let neighbors = pattern.of(row).iter().filter(|&&other| !is_long(pattern, other as usize));
                graph.lists.extend(neighbors);
                graph.left += 1;
            }
            let length = (graph.lists.len() - start) as u32;
            graph.nodes.push(GraphNode {
                kind,
                start,
                elements: 0,
                length,
                weight: 1,
                degree: length,
                outside: 0,
                stamp: 0,
            });
            if kind == NodeKind::Row {
                graph.degrees.insert(row as u32, length);
            }
        }
        Ok(graph)
    }

    fn node(&mut self, index: u32) -> &mut GraphNode {
        &mut self.nodes[index as usize]
    }

    /// Eliminate a row and those that are merged with it.
    fn eliminate(&mut self, pivot: u32) -> memory::Result {
        let GraphNode { weight, degree, .. } = self.nodes[pivot as usize];
        self.degrees.remove(pivot, degree);
        self.left -= weight;
        let start = self.lists.len();
        self.mark += 1;
        let mut size = self.gather(pivot)?;
        let members = start..self.lists.len();
        self.count_outside(members.clone());
        self.hashes.clear();
        self.hashes.try_reserve(members.len())?;
        for k in members.clone() {
            let row = self.lists[k];
            match self.shorten(row, pivot) {
                Some(hash) => self.hashes.push((hash, row)),
                // All neighbors of the row are neighbors of the pivot: it is eliminated, too.
                None => {
                    let node = self.node(row);
                    node.kind = NodeKind::Gone;
                    let weight = node.weight;
                    (size, self.left) = (size - weight, self.left - weight);
                    self.ring.swap(row as usize, pivot as usize);
                }
            }
        }
        self.merge_equal_rows();
        self.close(pivot, start, size);
        Ok(())
    }

    /// Append the rows that are coupled by the elimination of a pivot to the lists, mark them, and take them out of the lists of
    /// degrees. Returns the number of rows that they stand for.
    fn gather(&mut self, pivot: u32) -> memory::Result<u32> {
        let Self { nodes, lists, marks, mark, degrees, .. } = self;
        marks[pivot as usize] = *mark;
        let GraphNode { start, elements, length, .. } = nodes[pivot as usize];
        let mut size = 0;
        let mut take = |nodes: &mut [GraphNode], lists: &mut Vec<u32>, row: u32| {
            let GraphNode { kind, weight, degree, .. } = nodes[row as usize];
            if kind == NodeKind::Row && marks[row as usize] != *mark {
                marks[row as usize] = *mark;
                size += weight;
                degrees.remove(row, degree);
                push(lists, row)?;
            }
            memory::Result::Ok(())
        };
        for k in start..start + elements as usize {
            let element = lists[k];
            let GraphNode { kind, start, length, .. } = nodes[element as usize];
            if kind == NodeKind::Element {
                for k in start..start + length as usize {
                    let row = lists[k];
                    take(nodes, lists, row)?;
                }
                nodes[element as usize].kind = NodeKind::Gone;
            }
        }
        for k in start + elements as usize..start + length as usize {
            let row = lists[k];
            take(nodes, lists, row)?;
        }
        Ok(size)
    }

    /// Count the rows outside of the newest element for each older element that shares rows with it.
    fn count_outside(&mut self, members: std::ops::Range<usize>) {
        for k in members {
            let GraphNode { start, elements, weight, .. } = self.nodes[self.lists[k] as usize];
            for k in start..start + elements as usize {
                let element = &mut self.nodes[self.lists[k] as usize];
                if element.stamp != self.mark {
                    (element.stamp, element.outside) = (self.mark, element.degree);
                }
                element.outside -= weight;
            }
        }
    }

    /// Remove the newest element's members from the list of one of them, and elements within the newest one, and add the newest one.
    /// Its degree becomes a bound of the rows that are coupled with it outside of the newest element. Returns a hash of the list, or
    /// none if the list has only the newest element.
    fn shorten(&mut self, row: u32, pivot: u32) -> Option<u32> {
        let Self { nodes, lists, marks, mark, .. } = self;
        let GraphNode { start, elements, length, degree, .. } = nodes[row as usize];
        let (mut outside, mut hash, mut to) = (0_u32, 0_u32, start);
        for k in start..start + elements as usize {
            let element = lists[k];
            let node = &mut nodes[element as usize];
            if node.kind != NodeKind::Element {
                continue;
            }
            if node.outside == 0 {
                node.kind = NodeKind::Gone;
                continue;
            }
            outside = outside.saturating_add(node.outside);
            hash = hash.wrapping_add(element);
            lists[to] = element;
            to += 1;
        }
        let elements_end = to;
        for k in start + elements as usize..start + length as usize {
            let other = lists[k];
            let node = &nodes[other as usize];
            if node.kind == NodeKind::Row && marks[other as usize] != *mark {
                outside = outside.saturating_add(node.weight);
                hash = hash.wrapping_add(other);
                lists[to] = other;
                to += 1;
            }
        }
        if to == start {
            return None;
        }
        // The pivot, or an element that is gone, has left a place at the end. The first neighbor goes there, and the first element to
        // the place of that neighbor.
        lists[to] = lists[elements_end];
        lists[elements_end] = lists[start];
        lists[start] = pivot;
        let node = &mut nodes[row as usize];
        node.elements = (elements_end - start) as u32 + 1;
        node.length = (to - start) as u32 + 1;
        node.degree = degree.min(outside);
        Some(hash)
    }

    /// Merge members of the newest element whose lists are equal.
    fn merge_equal_rows(&mut self) {
        self.hashes.sort_unstable();
        let hashes = std::mem::take(&mut self.hashes);
        for same in hashes.chunk_by(|a, b| a.0 == b.0) {
            for (k, &(_, row)) in same.iter().enumerate() {
                let later = &same[k + 1..];
                if self.nodes[row as usize].kind != NodeKind::Row || later.is_empty() {
                    continue;
                }
                self.mark += 1;
                for k in self.list(row) {
                    self.marks[self.lists[k] as usize] = self.mark;
                }
                for &(_, other) in later {
                    if self.nodes[other as usize].kind == NodeKind::Row && self.is_equal(row, other) {
                        self.nodes[row as usize].weight += self.nodes[other as usize].weight;
                        self.nodes[other as usize].kind = NodeKind::Gone;
                        self.ring.swap(row as usize, other as usize);
                    }
                }
            }
        }
        self.hashes = hashes;
    }

    fn list(&self, row: u32) -> std::ops::Range<usize> {
        let GraphNode { start, length, .. } = self.nodes[row as usize];
        start..start + length as usize
    }

    /// Whether two rows have the same list. The list of the first is marked.
    fn is_equal(&self, row: u32, other: u32) -> bool {
        let (a, b) = (&self.nodes[row as usize], &self.nodes[other as usize]);
        (a.length, a.elements) == (b.length, b.elements)
            && self.list(other).all(|k| self.marks[self.lists[k] as usize] == self.mark)
    }

    /// Make the pivot an element of the rows that are left of its list, and give these rows their degrees.
    fn close(&mut self, pivot: u32, start: usize, size: u32) {
        let Self { nodes, lists, degrees, left, .. } = self;
        let mut to = start;
        for k in start..lists.len() {
            let row = lists[k];
            let node = &mut nodes[row as usize];
            if node.kind == NodeKind::Row {
                node.degree = node.degree.saturating_add(size - node.weight).min(*left - node.weight);
                degrees.insert(row, node.degree);
                lists[to] = row;
                to += 1;
            }
        }
        lists.truncate(to);
        let node = &mut nodes[pivot as usize];
        node.kind = if to == start { NodeKind::Gone } else { NodeKind::Element };
        (node.start, node.length, node.degree) = (start, (to - start) as u32, size);
    }
}
