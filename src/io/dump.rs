//! The dump: one line for each row, with its neighbors in an order that depends on points and ids only.

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Write};

use crate::math::{Block, Vector};
use crate::memory::{self, with_capacity};

use super::PercentG;

/// The label of a constraint in a dump.
#[derive(Clone, Copy, Debug)]
pub struct Label<'a> {
    /// The name of the kind.
    pub name: &'static str,
    /// The number of the kind.
    pub kind: i32,
    /// The spatial point.
    pub point: &'a Vector,
    /// The ids of master and slave; −1 if there is no slave.
    pub bodies: [i32; 2],
    /// The local frame.
    pub base: &'a Block,
}

/// A row without its neighbors.
#[derive(Clone, Copy, Debug)]
pub struct DumpRow<'a> {
    /// The label of its constraint.
    pub label: Label<'a>,
    /// The diagonal block.
    pub w: &'a Block,
    /// B, V, U and R.
    pub vectors: [&'a Vector; 4],
}

/// The neighbors of a row. The memory is used again for each row.
#[derive(Default, Debug)]
pub struct Neighbors<'a>(Vec<Neighbor<'a>>);

/// An off-diagonal block with the label of its neighbor.
#[derive(Debug)]
struct Neighbor<'a> {
    label: Label<'a>,
    w: &'a Block,
    /// The index in the row's list.
    place: usize,
}

impl<'a> Neighbors<'a> {
    /// An empty list with capacity `count`.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn with_capacity(count: usize) -> memory::Result<Self> {
        Ok(Self(with_capacity(count)?))
    }

    /// Remove all neighbors.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Add the next block of the row's list.
    pub fn push(&mut self, label: Label<'a>, w: &'a Block) {
        let place = self.0.len();
        self.0.push(Neighbor { label, w, place });
    }

    /// The neighbors in the order of a dump. Each group has the blocks to one neighbor, in the order of the list.
    fn groups(&mut self) -> impl Iterator<Item = &[Neighbor<'a>]> {
        let by_place = |a: &Neighbor, b: &Neighbor| a.place.cmp(&b.place);
        self.0.sort_unstable_by(|a, b| a.label.order(&b.label).then_with(|| by_place(a, b)));
        self.0.chunk_by(|a, b| a.label.order(&b.label).is_eq())
    }
}

impl Label<'_> {
    /// The order in a dump: by point, smaller and larger body id, kind and normal. Labels that are equal in all of these count as one
    /// neighbor.
    fn order(&self, other: &Self) -> Ordering {
        let bodies =
            |label: &Self| (label.bodies[0].min(label.bodies[1]), label.bodies[0].max(label.bodies[1]));
        order_of_numbers(self.point, other.point)
            .then_with(|| bodies(self).cmp(&bodies(other)))
            .then_with(|| self.kind.cmp(&other.kind))
            .then_with(|| order_of_numbers(&self.base[6..], &other.base[6..]))
    }
}

/// The lexicographic order. Zeros of both signs are equal; all NaN are equal and come last.
fn order_of_numbers(a: &[f64], b: &[f64]) -> Ordering {
    let of_two = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()));
    a.iter().zip(b).map(|(&a, &b)| of_two(a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Write a row and its neighbors: a line `KIND (point) (ids) [base] [W] (B) (V) (U) (R)`, and for each neighbor
/// ` => KIND (point) (ids) [base] [W]`, with the sum of the blocks to it and the label of the first block.
///
/// # Errors
/// The errors of the writer.
pub fn write_row(out: &mut impl Write, row: &DumpRow, neighbors: &mut Neighbors) -> io::Result<()> {
    let [b, v, u, r] = row.vectors.map(|vector| NumberList(vector));
    write!(out, "{} [{}] ({b}) ({v}) ({u}) ({r})", row.label, NumberList(row.w))?;
    for group in neighbors.groups() {
        let first = &group[0];
        let mut sum = *first.w;
        for other in &group[1..] {
            sum.iter_mut().zip(other.w).for_each(|(sum, value)| *sum += value);
        }
        write!(out, " => {} [{}]", first.label, NumberList(&sum))?;
    }
    writeln!(out)
}

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (name, point, base) = (self.name, NumberList(self.point), NumberList(self.base));
        let [master, slave] = self.bodies;
        write!(f, "{name} ({point}) ({master}, {slave}) [{base}]")
    }
}

/// Numbers with commas between them.
struct NumberList<'a>(&'a [f64]);

impl fmt::Display for NumberList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(k, &value)| {
            write!(f, "{}{}", if k > 0 { ", " } else { "" }, PercentG::<6>(value))
        })
    }
}

#[cfg(test)]
mod tests;
