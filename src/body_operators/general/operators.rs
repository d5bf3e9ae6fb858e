//! H of the slots of a body, packed without zero columns, and the place of each slot among the tiles of Y.

use super::WIDTH;
use crate::kinematics::{Column, Point, operator::GROUP};
use crate::math::Block;
use crate::memory::{self, bytes_of, push, refill};

/// Operators slot by slot, and the dofs that they touch.
#[derive(Debug, Default)]
pub struct GeneralOperators {
    /// Number of dofs.
    pub dofs: usize,
    slots: Vec<SlotColumns>,
    tiles: Vec<Tile>,
    /// Columns with their dof, or its place among the touched dofs once these are listed.
    columns: Vec<Column>,
    /// Dofs with a column, ascending.
    pub touched: Vec<u32>,
    /// For each dof its place among the touched ones.
    places: Vec<u32>,
    /// H of one slot, 3 × dofs.
    sum: Vec<f64>,
}

/// A slot: 1 to 3 rows of a constraint.
#[derive(Clone, Copy, Debug, Default)]
pub struct SlotColumns {
    /// Begin and end of its columns of H.
    start: usize,
    end: usize,
    /// The tile with its columns of Y, and the first of these.
    pub tile: u32,
    pub first: u8,
    /// Number of rows of H and columns of Y.
    pub height: u8,
}

/// A tile of Y.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tile {
    /// The slot after the tile's last slot.
    pub end: u32,
    /// The number of columns that slots use: the first ones.
    pub width: u8,
}

/// Place of a dof that is not touched.
const NONE: u32 = u32::MAX;

impl GeneralOperators {
    /// Start again with a number of slots, all zero.
    pub fn start(&mut self, slots: usize, dofs: usize) -> memory::Result {
        self.dofs = dofs;
        self.columns.clear();
        refill(&mut self.slots, slots, SlotColumns::default())
    }

    /// Add `sign` times the operator of a point to H of a slot.
    pub fn add(&mut self, slot: usize, sign: f64, frame: &Block, point: &Point) -> memory::Result {
        let Self { dofs, slots, columns, sum, .. } = self;
        let SlotColumns { start: first, end, height, .. } = slots[slot];
        let own_height = match point {
            Point::Operator(operator, group) => operator.height(*group),
            _ => GROUP,
        };
        let start = columns.len();
        match point {
            &Point::Operator(operator, group) if first == end => {
                columns.try_reserve(operator.most_columns(group))?;
                match operator.columns(group) {
                    Some(own) => columns.extend_from_slice(own),
                    None => operator.each_column(group, |column| columns.push(column)),
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
                // The old columns of the slot stay unused in their place: few constraints have two points on one body.
                let all = (0..).zip(sum.as_chunks().0).map(|(index, &values)| Column { index, values });
                columns.extend(all.filter(|column| column.values != [0.0; 3]));
            }
        }
        let height = height.max(own_height as u8);
        slots[slot] = SlotColumns { start, end: columns.len(), height, ..SlotColumns::default() };
        Ok(())
    }

    /// Give each slot its place in a tile, once all operators are added. A slot without operators has three zero rows.
    pub fn lay_out(&mut self) -> memory::Result {
        let Self { slots, tiles, .. } = self;
        tiles.clear();
        let mut last = Tile::default();
        for (slot, end) in slots.iter_mut().zip(1..) {
            if slot.height == 0 {
                slot.height = GROUP as u8;
            }
            if usize::from(last.width + slot.height) > WIDTH {
                push(tiles, last)?;
                last.width = 0;
            }
            (slot.tile, slot.first) = (tiles.len() as u32, last.width);
            last = Tile { end, width: last.width + slot.height };
        }
        if last.width > 0 { push(tiles, last) } else { Ok(()) }
    }

    /// List the touched dofs; if `by_nodes`, all three dofs of a node with a touched dof.
    pub fn list_touched(&mut self, by_nodes: bool) -> memory::Result {
        let Self { dofs, slots, columns, touched, places, .. } = self;
        refill(places, *dofs, NONE)?;
        for column in slots.iter().flat_map(|slot| &columns[slot.start..slot.end]) {
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
        for slot in &*slots {
            for column in &mut columns[slot.start..slot.end] {
                column.index = places[column.index as usize];
            }
        }
        Ok(())
    }

    /// The slots.
    #[inline(always)]
    pub fn slots(&self) -> &[SlotColumns] {
        &self.slots
    }

    /// The tiles.
    #[inline(always)]
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// Number of scalar columns of all slots: their heights added up.
    pub fn width(&self) -> usize {
        self.slots.iter().map(|slot| usize::from(slot.height)).sum()
    }

    /// Number of columns of all slots.
    pub fn column_count(&self) -> usize {
        self.slots.iter().map(|slot| slot.end - slot.start).sum()
    }

    /// The columns of a slot: once dofs are listed, with places among these.
    #[inline(always)]
    pub fn columns_of(&self, slot: &SlotColumns) -> &[Column] {
        &self.columns[slot.start..slot.end]
    }

    /// The place of a dof among the touched ones.
    #[inline(always)]
    pub fn place(&self, dof: usize) -> Option<usize> {
        Some(self.places[dof]).filter(|&place| place != NONE).map(|place| place as usize)
    }

    /// The bytes held.
    pub fn bytes(&self) -> usize {
        bytes_of!(self.slots, self.tiles, self.columns, self.touched, self.places, self.sum)
    }
}
