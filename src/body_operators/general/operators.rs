//! H of the slots of a body without its columns that are zero, packed.

use crate::kinematics::{Column, Point};
use crate::math::Block;
use crate::memory::{self, bytes, refill};

/// Operators slot by slot, and the dofs that they touch.
#[derive(Debug, Default)]
pub struct Operators {
    /// Number of dofs.
    pub dofs: usize,
    /// Where the columns of a slot begin and end.
    ranges: Vec<[usize; 2]>,
    /// Of each the dof, and once these are listed its place among the touched ones.
    columns: Vec<Column>,
    /// Dofs with a column, ascending.
    pub touched: Vec<u32>,
    /// For each dof its place among the touched ones.
    places: Vec<u32>,
    /// H of one slot, 3 × dofs.
    sum: Vec<f64>,
}

/// Place of a dof that is not touched.
const NONE: u32 = u32::MAX;

impl Operators {
    /// Start anew with so many slots, all zero.
    pub fn start(&mut self, slots: usize, dofs: usize) -> memory::Result {
        self.dofs = dofs;
        self.columns.clear();
        refill(&mut self.ranges, slots, [0; 2])
    }

    /// Add `sign` times the operator of a point to H of a slot.
    pub fn add(&mut self, slot: usize, sign: f64, frame: &Block, point: &Point) -> memory::Result {
        let Self { dofs, ranges, columns, sum, .. } = self;
        let [first, end] = ranges[slot];
        let start = columns.len();
        match point {
            Point::Operator(operator) if first == end => {
                columns.try_reserve(operator.most_columns())?;
                match operator.columns() {
                    Some(own) => columns.extend_from_slice(own),
                    None => operator.each_column(|column| columns.push(column)),
                }
                if sign != 1.0 {
                    let values = columns[start..].iter_mut().flat_map(|column| &mut column.values);
                    values.for_each(|value| *value *= sign);
                }
            }
            _ => {
                refill(sum, 3 * *dofs, 0.0)?;
                for Column { index, values } in &columns[first..end] {
                    sum[3 * *index as usize..][..3].copy_from_slice(values);
                }
                point.add_operator(sign, frame, sum);
                columns.try_reserve(*dofs)?;
                // What the slot had stays unused where it is: few constraints have two points on one body.
                let all = (0..).zip(sum.as_chunks().0).map(|(index, &values)| Column { index, values });
                columns.extend(all.filter(|column| column.values != [0.0; 3]));
            }
        }
        ranges[slot] = [start, columns.len()];
        Ok(())
    }

    /// List the dofs that are touched, if `by_nodes` all three of a node where one is.
    pub fn list_touched(&mut self, by_nodes: bool) -> memory::Result {
        let Self { dofs, ranges, columns, touched, places, .. } = self;
        refill(places, *dofs, NONE)?;
        for column in ranges.iter().flat_map(|&[start, end]| &columns[start..end]) {
            places[column.index as usize] = 0;
        }
        if by_nodes {
            for node in places.chunks_exact_mut(3).filter(|node| node.contains(&0)) {
                node.fill(0);
            }
        }
        touched.clear();
        touched.try_reserve(*dofs)?;
        for (dof, place) in (0..).zip(places.iter_mut()).filter(|(_, place)| **place != NONE) {
            *place = touched.len() as u32;
            touched.push(dof);
        }
        if touched.len() == *dofs {
            return Ok(());
        }
        for &[start, end] in &*ranges {
            for column in &mut columns[start..end] {
                column.index = places[column.index as usize];
            }
        }
        Ok(())
    }

    /// Take what has been made of the operators in their place: columns of each slot in turn, up to the ends that are given.
    pub fn replace(&mut self, columns: &mut Vec<Column>, ends: impl Iterator<Item = usize>) {
        std::mem::swap(&mut self.columns, columns);
        let mut start = 0;
        for (range, end) in self.ranges.iter_mut().zip(ends) {
            *range = [std::mem::replace(&mut start, end), end];
        }
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.ranges.len()
    }

    /// Number of columns of all slots.
    pub fn column_count(&self) -> usize {
        self.ranges.iter().map(|[start, end]| end - start).sum()
    }

    /// The columns of a slot: once dofs are listed, with places among these.
    #[inline(always)]
    pub fn of(&self, slot: usize) -> &[Column] {
        let [start, end] = self.ranges[slot];
        &self.columns[start..end]
    }

    /// The place of a dof among the touched ones.
    #[inline(always)]
    pub fn place(&self, dof: usize) -> Option<usize> {
        Some(self.places[dof]).filter(|&place| place != NONE).map(|place| place as usize)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        bytes(&self.ranges)
            + bytes(&self.columns)
            + size_of::<u32>() * (self.touched.capacity() + self.places.capacity())
            + bytes(&self.sum)
    }
}
