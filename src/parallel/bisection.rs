//! Recursive coordinate bisection across processes (Berger and Bokhari, A partitioning strategy for nonuniform problems on
//! multiprocessors, 1987): a part of the bodies is cut across the longest axis of its box, so that both sides have weights in the ratio of
//! their processes, until each part has one process. Weights are integers and their sums exact, and bodies at the same place are
//! ordered by their ids: the cuts do not depend on the process that has a body.
#![forbid(unsafe_code)]

use crate::ffi::errors::Result;
use crate::memory::{collected, repeated, with_capacity};
use crate::system::Id;

use super::mpi::group::Group;

/// A body that gets a process.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Coordinates as integers with the same order.
    place: [i64; 3],
    id: Id,
    /// Cuts balance this. A body with weight 0 does not change them.
    pub weight: i64,
}

impl Point {
    pub fn new(place: [f64; 3], id: Id) -> Self {
        Self { place: place.map(ordered), id, weight: 0 }
    }

    /// A number that orders bodies along an axis; no two bodies have the same.
    fn key(&self, axis: usize) -> u128 {
        let coordinate = (self.place[axis] as u64) ^ (1 << 63);
        (u128::from(coordinate) << 64) | u128::from(self.id)
    }
}

/// An integer with the order of the number. Both zeros get the same one.
fn ordered(number: f64) -> i64 {
    let bits = (number + 0.0).to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// The number with this place in the order.
fn number(ordered: i64) -> f64 {
    f64::from_bits((ordered ^ (((ordered >> 63) as u64) >> 1) as i64) as u64)
}

/// Bodies that are together so far, and the number of their processes. They are cut along `axis`: bodies with keys up to `cut` are on
/// the left side.
#[derive(Clone, Copy, Debug)]
struct Region {
    processes: usize,
    axis: usize,
    total: i64,
    /// The weight of bodies with keys below those that begin with the digits of `cut` that are known.
    below: i64,
    cut: u128,
    is_cut: bool,
}

/// A sum over all processes gives the next digit of a key. A digit has this many bits and values.
const DIGIT: u32 = 4;
const VALUES: usize = 1 << DIGIT;

impl Region {
    fn new(processes: usize) -> Self {
        Self { processes, axis: 0, total: 0, below: 0, cut: 0, is_cut: processes == 1 }
    }

    fn left(&self) -> usize {
        self.processes / 2
    }

    /// How much more than its share the left side has with this weight, times the number of processes.
    fn excess(&self, weight: i64) -> i128 {
        i128::from(weight) * self.processes as i128 - i128::from(self.total) * self.left() as i128
    }

    /// Choose a digit of the cut. `sums`: weight and number of bodies for each value of the digit.
    fn narrow(&mut self, sums: &[i64], shift: u32) {
        let weight_and_count = sums.as_chunks::<2>().0;
        for (value, [weight, count]) in (0_u128..).zip(weight_and_count) {
            let through = self.below + weight;
            let excess = self.excess(through);
            if excess >= 0 {
                let (first, last) =
                    (self.cut | value << shift, self.cut | value << shift | ((1 << shift) - 1));
                self.is_cut = excess == 0 || *count <= 1 || shift == 0;
                let with_last = !self.is_cut || excess <= -self.excess(self.below);
                self.cut = match (self.is_cut, with_last) {
                    (false, _) => first,
                    (true, true) => last,
                    (true, false) => first.saturating_sub(1),
                };
                return;
            }
            self.below = through;
        }
    }
}

/// The parts of one level of cuts, and the part of each body.
pub struct Bisection<'a> {
    group: &'a Group,
    points: &'a [Point],
    part_of: Vec<u32>,
    parts: Vec<Region>,
    next: Vec<Region>,
    sums: Vec<i64>,
}

impl<'a> Bisection<'a> {
    /// All bodies in one part, with all memory that cuts need.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn new(group: &'a Group, points: &'a [Point]) -> Result<Self> {
        let size = group.size();
        Ok(Self {
            group,
            points,
            part_of: repeated(points.len(), 0)?,
            parts: collected(size, [Region::new(size)].into_iter())?,
            next: with_capacity(size)?,
            sums: repeated(2 * VALUES * size, 0)?,
        })
    }

    /// The rank of each body. Collective.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn ranks(mut self) -> Result<Vec<u32>> {
        while self.parts.iter().any(|part| !part.is_cut) {
            self.choose_axes()?;
            let mut shift = u128::BITS;
            while self.parts.iter().any(|part| !part.is_cut) {
                shift -= DIGIT;
                self.narrow(shift)?;
            }
            self.split();
        }
        Ok(self.part_of)
    }

    /// The longest axis of each box, and total weights.
    fn choose_axes(&mut self) -> Result {
        let (totals, ends) = self.sums.split_at_mut(self.parts.len());
        let ends = &mut ends[..6 * self.parts.len()];
        totals.fill(0);
        ends.fill(i64::MIN);
        let weighted = self.points.iter().zip(&self.part_of).filter(|(point, _)| point.weight > 0);
        for (point, &part) in weighted {
            totals[part as usize] += point.weight;
            let ends = &mut ends[6 * part as usize..][..6];
            for (axis, place) in point.place.into_iter().enumerate() {
                ends[2 * axis] = ends[2 * axis].max(place);
                ends[2 * axis + 1] = ends[2 * axis + 1].max(!place);
            }
        }
        self.group.sum(totals)?;
        self.group.max(ends)?;
        for ((part, total), ends) in self.parts.iter_mut().zip(totals).zip(ends.as_chunks::<6>().0) {
            part.total = *total;
            let extent = |axis: usize| number(ends[2 * axis]) - number(!ends[2 * axis + 1]);
            for axis in 1..3 {
                if extent(axis) > extent(part.axis) {
                    part.axis = axis;
                }
            }
        }
        Ok(())
    }

    /// Choose a digit of each cut that is not known yet.
    fn narrow(&mut self, shift: u32) -> Result {
        let known = u128::MAX.checked_shl(shift + DIGIT).unwrap_or(0);
        let sums = &mut self.sums[..2 * VALUES * self.parts.len()];
        sums.fill(0);
        for (point, &part) in self.points.iter().zip(&self.part_of) {
            let Region { axis, cut, is_cut, .. } = self.parts[part as usize];
            let key = point.key(axis);
            if point.weight > 0 && !is_cut && (key ^ cut) & known == 0 {
                let value = (key >> shift) as usize % VALUES;
                let place = 2 * (VALUES * part as usize + value);
                sums[place] += point.weight;
                sums[place + 1] += 1;
            }
        }
        self.group.sum(sums)?;
        let open = self.parts.iter_mut().zip(sums.chunks_exact(2 * VALUES)).filter(|(part, _)| !part.is_cut);
        open.for_each(|(part, sums)| part.narrow(sums, shift));
        Ok(())
    }

    /// Make two parts of each part with several processes. In the end the number of a part is a rank.
    fn split(&mut self) {
        // The number of new parts before each part is kept in `sums`.
        self.next.clear();
        for (part, first) in self.parts.iter().zip(&mut self.sums) {
            *first = self.next.len() as i64;
            if part.processes > 1 {
                self.next.push(Region::new(part.left()));
            }
            self.next.push(Region::new(part.processes - part.left()));
        }
        for (point, place) in self.points.iter().zip(&mut self.part_of) {
            let part = &self.parts[*place as usize];
            let is_right = part.processes > 1 && point.key(part.axis) > part.cut;
            *place = self.sums[*place as usize] as u32 + u32::from(is_right);
        }
        std::mem::swap(&mut self.parts, &mut self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of the processes get half of bodies whose weights and number no 32 bits hold.
    #[test]
    fn cuts_balance_more_than_32_bits_count() {
        let part = Region { total: 16 << 50, ..Region::new(10) };
        let mut sums = [0; 2 * VALUES];
        sums.as_chunks_mut::<2>().0.fill([1 << 50, 1 << 40]);
        let mut narrowed = part;
        narrowed.narrow(&sums, 124);
        // Eight of sixteen digits have half of the weight.
        assert_eq!((narrowed.is_cut, narrowed.cut), (true, (8 << 124) - 1));
        let mut narrowed = part;
        sums[1] += 1;
        sums[0] += 1;
        narrowed.narrow(&sums, 124);
        assert_eq!((narrowed.is_cut, narrowed.below, narrowed.cut), (false, (7 << 50) + 1, 7 << 124));
    }
}
