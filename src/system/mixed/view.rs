//! The rows of W constraint by constraint, where some have not three scalars or are sums of pieces.
#![forbid(unsafe_code)]

use std::iter;
use std::ops::Range;

use crate::assembly::diagonal::Diagonal;
use crate::math::{Block, Vector, is_finite, small_symmetric};
use crate::memory::{push, refill, renew};
use crate::rows::pattern::range;
use crate::rows::{BlockRows, RowLayout};

use super::super::error::{Error, Fault};
use super::super::id_table::{Id, Table};
use super::super::rows::{Results, Rows, resized};
use super::super::structure::Structure;
use super::super::update_plan::{Extent, Plan};
use super::Entry;

/// The rows of W and what goes with them, of constraints with any numbers of rows: row k belongs to the k-th constraint in the
/// order of insertion, those removed left out, and is as many scalars high as that has rows.
#[derive(Clone, Copy, Debug)]
pub struct AnyRows<'a> {
    /// Ids of the constraints.
    pub ids: &'a [i64],
    /// W.
    pub w: BlockRows<'a>,
    /// Free local velocities, one behind the other.
    pub b: &'a [f64],
    /// Previous local velocities.
    pub v: &'a [f64],
    /// Diagonal blocks, m × m, symmetric to the bit.
    pub diagonal: &'a [f64],
    /// Their inverses, symmetric to the bit; NaN where a block is singular.
    pub inverse: &'a [f64],
    /// Where the diagonal block and the inverse of each row begin, and the end; empty: all have nine values.
    pub squares: &'a [usize],
}

impl<'a> From<Rows<'a>> for AnyRows<'a> {
    fn from(rows: Rows<'a>) -> Self {
        let Rows { ids, b, v, diagonal, inverse, .. } = rows;
        Self {
            ids,
            w: rows.matrix(),
            b: b.as_flattened(),
            v: v.as_flattened(),
            diagonal: diagonal.as_flattened(),
            inverse: inverse.as_flattened(),
            squares: &[],
        }
    }
}

impl AnyRows<'_> {
    /// Where the diagonal block and the inverse of a row are among the others.
    #[inline(always)]
    pub fn square(&self, row: usize) -> Range<usize> {
        if self.squares.is_empty() { 9 * row..9 * row + 9 } else { range(self.squares, row) }
    }

    /// Write the largest eigenvalue of each diagonal block: NaN where none is found.
    pub fn largest_eigenvalues(&self, values: &mut [f64]) {
        for (row, value) in values.iter_mut().enumerate() {
            let own = &self.diagonal[self.square(row)];
            *value = small_symmetric::largest_eigenvalue(self.w.height(row), own);
        }
    }
}

/// Some rows of a constraint in lanes of a row of three.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// The other row: of three, or of the constraint.
    row: u32,
    lane: u8,
    scalar: u8,
    count: u8,
}

/// What a row is, beside its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum Kind {
    /// A row of three of its own, with all that belongs to it.
    Triple,
    /// Lanes of rows of three.
    Lanes,
    /// A sum of such lanes.
    Sum,
}

/// How the blocks of a row are filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Each is looked up.
    LookUp,
    /// In the order in which those of three stand.
    InOrder,
    /// So, all at once: they are the same blocks.
    Whole,
    /// In order, together with the two other rows of one scalar that share a row of three with this one, the first of them.
    AllThree,
    /// With the first of three.
    WithFirst,
}

/// Columns side by side, both in a row of three and in a row that is filled in order.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The block that they begin with in the row of three, counted from the first of all.
    block: u32,
    /// The first column of the other row.
    column: u32,
    /// How many.
    count: u32,
}

/// Stands for a row of three that is not all of one constraint.
const SHARED: u32 = u32::MAX;

/// The rows, and what they are made of.
#[derive(Debug, Default)]
pub struct View {
    ids: Vec<i64>,
    entries: Vec<u32>,
    kinds: Vec<Kind>,
    ways: Vec<Way>,
    starts: Vec<i32>,
    columns: Vec<i32>,
    /// Where the diagonal block of each row begins.
    diagonals: Vec<usize>,
    scalars: Vec<i32>,
    places: Vec<usize>,
    squares: Vec<usize>,
    /// The parts of each row.
    part_starts: Vec<u32>,
    parts: Vec<Part>,
    /// The parts that each row of three has.
    owner_starts: Vec<u32>,
    owners: Vec<Part>,
    /// The constraint that each row of three is all of, or [`SHARED`].
    triples: Vec<u32>,
    /// How many lanes of each row of three are used, if these are the first ones and in the order of constraints; else 0.
    used: Vec<u8>,
    /// Of each row of three that others are filled of in order, the columns with used lanes.
    run_starts: Vec<u32>,
    runs: Vec<Run>,
    /// Of each scalar where it is among those of rows of three; of a sum, its last part.
    sources: Vec<usize>,
    values: Vec<f64>,
    b: Vec<f64>,
    v: Vec<f64>,
    diagonal: Vec<f64>,
    inverse: Vec<f64>,
    /// Whether some row is a sum.
    has_sums: bool,
    /// Room: where the block of each column begins, or which row has it last.
    marks: Vec<usize>,
    /// Whether the values are those of the structure.
    is_filled: bool,
}

/// What filling in comes to: where it fails, the constraint and what is wrong with it.
pub type Filling = Result<(), (Id, Fault)>;

impl View {
    /// Whether a row of three is not all of one constraint.
    #[inline(always)]
    pub fn is_shared(&self, row: usize) -> bool {
        self.triples[row] == SHARED
    }

    /// List the ids alone: all constraints are triples of their own.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn follow_ids(&mut self, entries: &Table<Entry>) -> Result<(), Error> {
        Ok(renew(&mut self.ids, entries.len(), entries.iter().map(|(id, _)| id as i64))?)
    }

    /// Make its structure that of the entries, given that of the rows of three.
    ///
    /// # Errors
    /// If memory is exhausted, or an `i32` cannot count the blocks or scalars.
    pub fn follow(&mut self, entries: &Table<Entry>, structure: &Structure) -> Result<(), Error> {
        self.is_filled = false;
        self.follow_ids(entries)?;
        self.list_parts(entries, structure)?;
        self.list_owners(structure)?;
        self.has_sums = self.kinds.contains(&Kind::Sum);
        self.list_blocks(structure)?;
        self.list_runs(structure)?;
        self.list_places()?;
        let (scalars, squares) = (last(&self.scalars) as usize, last(&self.squares));
        resized(&mut self.values, last(&self.places), 0.0)?;
        for vector in [&mut self.b, &mut self.v] {
            resized(vector, scalars, 0.0)?;
        }
        for blocks in [&mut self.diagonal, &mut self.inverse] {
            resized(blocks, squares, 0.0)?;
        }
        Ok(())
    }

    fn list_parts(&mut self, entries: &Table<Entry>, structure: &Structure) -> Result<(), Error> {
        let Self { entries: places, kinds, scalars, squares, part_starts, parts, .. } = self;
        let rows = entries.len();
        parts.clear();
        renew(places, rows, iter::empty())?;
        renew(kinds, rows, iter::empty())?;
        renew(scalars, rows + 1, iter::once(0))?;
        renew(squares, rows + 1, iter::once(0))?;
        renew(part_starts, rows + 1, iter::once(0))?;
        // Most triples stand behind those of the constraint before.
        let mut ahead = 0;
        let mut row_of = |triple: Id| {
            let found = match structure.ids().get(ahead) {
                Some(&id) if id as Id == triple => Some(ahead),
                _ => structure.row(triple),
            };
            ahead = found.map_or(ahead, |row| row + 1);
            found
        };
        for place in entries.live_places_from(0) {
            let Some(entry) = &entries.things()[place] else { continue };
            for piece in entry.pieces() {
                let Some(row) = row_of(piece.triple) else { continue };
                let (lane, scalar, count) = (piece.lane, piece.row, piece.count);
                push(parts, Part { row: row as u32, lane, scalar, count })?;
            }
            places.push(place as u32);
            kinds.push(match entry.is_triple {
                true => Kind::Triple,
                false if entry.is_sum() => Kind::Sum,
                false => Kind::Lanes,
            });
            part_starts.push(parts.len() as u32);
            let size = i32::from(entry.rows);
            let end = last(scalars).checked_add(size);
            scalars.push(end.ok_or(too_many("the constraints have more rows than an int can count"))?);
            squares.push(last(squares) + (size * size) as usize);
        }
        Ok(())
    }

    fn list_owners(&mut self, structure: &Structure) -> Result<(), Error> {
        let Self { part_starts, parts, owner_starts, owners, kinds, triples, used, .. } = self;
        refill(used, structure.len(), 0)?;
        refill(triples, structure.len(), SHARED)?;
        refill(owner_starts, structure.len() + 1, 0)?;
        refill(owners, parts.len(), Part { row: 0, lane: 0, scalar: 0, count: 0 })?;
        parts.iter().for_each(|part| owner_starts[part.row as usize] += 1);
        let mut end = 0;
        for start in owner_starts.iter_mut() {
            end += *start;
            *start = end;
        }
        // From the last on, so that those of a row ascend and each start ends where it belongs.
        for row in (0..part_starts.len() - 1).rev() {
            for part in parts[range(part_starts, row)].iter().rev() {
                let place = &mut owner_starts[part.row as usize];
                *place -= 1;
                owners[*place as usize] = Part { row: row as u32, ..*part };
                if kinds[row] == Kind::Triple {
                    triples[part.row as usize] = row as u32;
                }
            }
        }
        for (row, used) in used.iter_mut().enumerate() {
            let lanes = owners[range(owner_starts, row)].iter();
            *used = lanes.fold(0, |end, part| if end == part.lane { end + part.count } else { u8::MAX });
            if *used > 3 {
                *used = 0;
            }
        }
        Ok(())
    }

    fn list_blocks(&mut self, structure: &Structure) -> Result<(), Error> {
        let Self { part_starts, parts, owner_starts, owners, triples, used, kinds, .. } = self;
        let Self { ways, starts, columns, marks, .. } = self;
        let rows = part_starts.len() - 1;
        renew(starts, rows + 1, iter::once(0))?;
        refill(ways, rows, Way::LookUp)?;
        columns.clear();
        refill(marks, rows, usize::MAX)?;
        for row in 0..rows {
            let start = columns.len();
            let own = &parts[range(part_starts, row)];
            let mut way = match kinds[row] {
                Kind::Triple => Way::Whole,
                Kind::Lanes => Way::InOrder,
                Kind::Sum => Way::LookUp,
            };
            let mut end = 0;
            for part in own {
                let inner = part.row as usize;
                let others = &structure.columns()[range(structure.starts(), inner)];
                if !is_coupled(structure, inner) {
                    columns.try_reserve(1)?;
                    if std::mem::replace(&mut marks[row], row) != row {
                        columns.push(row as i32);
                    }
                    way = Way::LookUp;
                    continue;
                }
                columns.try_reserve(3 * others.len())?;
                for &column in others {
                    let triple = triples[column as usize];
                    if triple != SHARED && own.len() == 1 {
                        columns.push(triple as i32);
                        continue;
                    }
                    if used[column as usize] == 0 {
                        way = Way::LookUp;
                    }
                    for other in &owners[range(owner_starts, column as usize)] {
                        // The rows of a constraint follow each other.
                        let is_next = other.scalar == std::mem::replace(&mut end, other.scalar + other.count);
                        if columns.len() > start && columns.last() == Some(&(other.row as i32)) {
                            way = if is_next { way } else { Way::LookUp };
                            continue;
                        }
                        if other.scalar > 0 {
                            way = Way::LookUp;
                        }
                        let mark = &mut marks[other.row as usize];
                        if *mark != row {
                            *mark = row;
                            columns.push(other.row as i32);
                        } else if own.len() == 1 {
                            way = Way::LookUp;
                        }
                        way = match kinds[other.row as usize] {
                            Kind::Sum => Way::LookUp,
                            _ if way == Way::Whole => Way::InOrder,
                            _ => way,
                        };
                    }
                }
            }
            let blocks = &mut columns[start..];
            if !blocks.is_sorted() {
                blocks.sort_unstable();
                way = Way::LookUp;
            }
            if way == Way::InOrder && own.len() > 1 {
                let is_in_order = |part: &Part| {
                    let (mut rest, mut end) = (&*blocks, 0);
                    structure.columns()[range(structure.starts(), part.row as usize)].iter().all(|&column| {
                        owners[range(owner_starts, column as usize)].iter().all(|other| {
                            if rest[0] != other.row as i32 {
                                (rest, end) = (&rest[1..], 0);
                            }
                            let is_next =
                                other.scalar == std::mem::replace(&mut end, other.scalar + other.count);
                            is_next && rest.first() == Some(&(other.row as i32))
                        })
                    })
                };
                if !own.iter().all(is_in_order) {
                    way = Way::LookUp;
                }
            }
            ways[row] = way;
            let end = i32::try_from(columns.len());
            starts.push(end.map_err(|_| too_many("W has more blocks than an int can count"))?);
        }
        Ok(())
    }

    /// List the runs of rows that are filled in order, and see which rows of one scalar are filled together.
    fn list_runs(&mut self, structure: &Structure) -> Result<(), Error> {
        let Self { ways, used, scalars, owner_starts, owners, run_starts, runs, .. } = self;
        renew(run_starts, structure.len() + 1, iter::once(0))?;
        runs.clear();
        for row in 0..structure.len() {
            let (start, mut end) = (runs.len(), 0);
            let owners = &owners[range(owner_starts, row)];
            let blocks = range(structure.starts(), row);
            if owners.first().is_some_and(|part| ways[part.row as usize] == Way::Whole) {
                push(runs, Run { block: blocks.start as u32, column: 0, count: 3 * blocks.len() as u32 })?;
            } else if owners.iter().any(|part| ways[part.row as usize] == Way::InOrder) {
                if let Ok([first, second, third]) = <&[Part; 3]>::try_from(owners)
                    && [first, second, third].iter().all(|part| {
                        range(scalars, part.row as usize).len() == 1
                            && ways[part.row as usize] == Way::InOrder
                    })
                {
                    ways[first.row as usize] = Way::AllThree;
                    ways[second.row as usize] = Way::WithFirst;
                    ways[third.row as usize] = Way::WithFirst;
                }
                for (block, &column) in (blocks.start as u32..).zip(&structure.columns()[blocks]) {
                    let count = u32::from(used[column as usize]);
                    match runs[start..].last_mut() {
                        Some(run) if run.count == 3 * (block - run.block) => run.count += count,
                        _ => push(runs, Run { block, column: end, count })?,
                    }
                    end += count;
                }
            }
            run_starts.push(runs.len() as u32);
        }
        Ok(())
    }

    /// List where each block and each diagonal block goes, and where each scalar comes from.
    fn list_places(&mut self) -> Result<(), Error> {
        let Self { starts, columns, scalars, places, diagonals, part_starts, parts, sources, .. } = self;
        let rows = starts.len() - 1;
        renew(places, columns.len() + 1, iter::once(0))?;
        refill(diagonals, rows, 0)?;
        refill(sources, last(scalars) as usize, 0)?;
        let mut end = 0;
        for row in 0..rows {
            let (height, own) = (range(scalars, row).len(), range(starts, row));
            let columns = &columns[own.clone()];
            places.extend(columns.iter().map(|&column| {
                end += height * range(scalars, column as usize).len();
                end
            }));
            let diagonal = columns.partition_point(|&column| (column as usize) < row);
            diagonals[row] = places[own.start + diagonal];
            for part in &parts[range(part_starts, row)] {
                let first = range(scalars, row).start + usize::from(part.scalar);
                for k in 0..usize::from(part.count) {
                    sources[first + k] = 3 * part.row as usize + usize::from(part.lane) + k;
                }
            }
        }
        Ok(())
    }

    /// Fill in what of the rows of three has been made anew, and by which plan.
    ///
    /// # Errors
    /// If a sum is not finite.
    pub fn fill(
        &mut self,
        entries: &Table<Entry>,
        structure: &Structure,
        results: &Results,
        (made, plan): (Extent, Option<&Plan>),
    ) -> Filling {
        let plan = plan.filter(|_| self.is_filled);
        if made == Extent::Nothing && self.is_filled {
            return Ok(());
        }
        self.is_filled = false;
        self.fill_vectors(results)?;
        let is_kept = |plan: &Plan, parts: &[Part]| {
            !plan.has_blocks() || parts.iter().all(|part| plan.blocks_of(part.row as usize) == [false; 2])
        };
        for row in 0..self.kinds.len() {
            if plan.is_some_and(|plan| is_kept(plan, &self.parts[range(&self.part_starts, row)])) {
                continue;
            }
            match self.ways[row] {
                Way::InOrder | Way::Whole => self.fill_in_order(row, results),
                Way::AllThree => self.fill_three(row, results),
                Way::WithFirst => {}
                Way::LookUp => self.look_up_blocks(row, structure, results)?,
            }
            self.fill_diagonal(row, entries, results)?;
        }
        self.mirror_sums();
        self.is_filled = true;
        Ok(())
    }

    fn fill_vectors(&mut self, results: &Results) -> Filling {
        let [mut b, mut v] = [&mut self.b, &mut self.v].map(std::mem::take);
        self.gather(&results.b, &mut b);
        self.gather(&results.v, &mut v);
        (self.b, self.v) = (b, v);
        for row in self.sums() {
            let own = range(&self.scalars, row);
            let wrong = (self.ids[row] as Id, Fault::NotFinite("its velocity V or B"));
            ensure!(is_finite(&self.b[own.clone()]) && is_finite(&self.v[own]), wrong);
        }
        Ok(())
    }

    /// The rows that are sums.
    fn sums(&self) -> impl Iterator<Item = usize> {
        let count = if self.has_sums { self.kinds.len() } else { 0 };
        (0..count).filter(|&row| self.kinds[row] == Kind::Sum)
    }

    /// Write of each scalar the sum of its lanes.
    fn gather(&self, lanes: &[Vector], to: &mut [f64]) {
        let from = lanes.as_flattened();
        to.iter_mut().zip(&self.sources).for_each(|(to, &source)| *to = from[source]);
        for row in self.sums() {
            let to = &mut to[range(&self.scalars, row)];
            to.fill(0.0);
            for part in &self.parts[range(&self.part_starts, row)] {
                let to = &mut to[part.scalar.into()..][..part.count.into()];
                let from = &lanes[part.row as usize][part.lane.into()..];
                to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
            }
        }
    }

    /// Fill in a row whose columns stand in the order of lanes: its blocks are one matrix, which is filled column by column.
    fn fill_in_order(&mut self, row: usize, results: &Results) {
        let Self { starts, scalars, places, part_starts, parts, run_starts, runs, values, .. } = self;
        let (height, start) = (range(scalars, row).len(), places[starts[row] as usize]);
        let columns = results.values.as_flattened().as_chunks().0;
        for part in &parts[range(part_starts, row)] {
            let (first, lane) = (part.scalar.into(), part.lane.into());
            for Run { block, column, count } in &runs[range(run_starts, part.row as usize)] {
                let from = &columns[3 * *block as usize..][..*count as usize];
                let to = &mut values[start + height * *column as usize..][..height * from.len()];
                match (part.count, height) {
                    (1, 1) => copy::<1, 1>(to, 1, [first, lane], from),
                    (2, 2) => copy::<2, 2>(to, 2, [first, lane], from),
                    (3, 3) => to.copy_from_slice(from.as_flattened()),
                    (1, _) => copy::<1, 0>(to, height, [first, lane], from),
                    (2, _) => copy::<2, 0>(to, height, [first, lane], from),
                    _ => copy::<3, 0>(to, height, [first, lane], from),
                }
            }
        }
    }

    /// The same of three rows of one scalar that share a row of three.
    fn fill_three(&mut self, row: usize, results: &Results) {
        let Self {
            starts, places, part_starts, parts, owner_starts, owners, run_starts, runs, values, ..
        } = self;
        let inner = parts[part_starts[row] as usize].row as usize;
        let first = owner_starts[inner] as usize;
        let own = [0, 1, 2].map(|k| {
            let blocks = range(starts, owners[first + k].row as usize);
            places[blocks.start]..places[blocks.end]
        });
        let Ok([x, y, z]) = values.get_disjoint_mut(own) else { return };
        let columns = results.values.as_flattened().as_chunks().0;
        for Run { block, column, count } in &runs[range(run_starts, inner)] {
            let (from, to) = (3 * *block as usize, *column as usize);
            let from = &columns[from..][..*count as usize];
            let [x, y, z] = [&mut *x, y, z].map(|row| &mut row[to..][..from.len()]);
            for (((x, y), z), column) in x.iter_mut().zip(y).zip(z).zip(from) {
                [*x, *y, *z] = *column;
            }
        }
    }

    /// The same of a row whose blocks stand in another order, or are sums.
    fn look_up_blocks(&mut self, row: usize, structure: &Structure, results: &Results) -> Filling {
        let Self { kinds, starts, columns, scalars, places, marks, owners, owner_starts, .. } = self;
        let (height, own) = (range(scalars, row).len(), range(starts, row));
        let first = places[own.start];
        let values = &mut self.values[first..places[own.end]];
        let kind = kinds[row];
        for block in own.clone() {
            let column = columns[block] as usize;
            marks[column] = places[block] - first;
            if kind != Kind::Triple || kinds[column] == Kind::Sum {
                values[places[block] - first..places[block + 1] - first].fill(0.0);
            }
        }
        for part in &self.parts[range(&self.part_starts, row)] {
            let inner = part.row as usize;
            let is_coupled = is_coupled(structure, inner);
            let blocks = range(structure.starts(), inner);
            for (&column, block) in structure.columns()[blocks.clone()].iter().zip(&results.values[blocks]) {
                for other in &owners[range(owner_starts, column as usize)] {
                    let to = other.row as usize;
                    if !is_coupled && to != row {
                        continue;
                    }
                    let is_sum = kind == Kind::Sum || kinds[to] == Kind::Sum;
                    let to = &mut values[marks[to] + height * usize::from(other.scalar)..];
                    if kind == Kind::Triple && other.count == 3 && !is_sum {
                        to[..9].copy_from_slice(block);
                        continue;
                    }
                    let columns = block[3 * usize::from(other.lane)..].chunks_exact(3);
                    for (j, from) in columns.take(other.count.into()).enumerate() {
                        let to = &mut to[height * j + usize::from(part.scalar)..][..part.count.into()];
                        let from = &from[part.lane.into()..];
                        to.iter_mut()
                            .zip(from)
                            .for_each(|(to, from)| *to = if is_sum { *to + from } else { *from });
                    }
                }
            }
        }
        if kind == Kind::Sum
            && let Some(wrong) = own.clone().find(|&k| !is_finite(&self.values[places[k]..places[k + 1]]))
        {
            let other = self.ids[columns[wrong] as usize] as Id;
            return Err((self.ids[row] as Id, Fault::NotFiniteBlock(other)));
        }
        Ok(())
    }

    /// Put the diagonal block of a row in its places, with its compliance, and invert it.
    fn fill_diagonal(&mut self, row: usize, entries: &Table<Entry>, results: &Results) -> Filling {
        let own = range(&self.squares, row);
        let (diagonal, inverse) = (&mut self.diagonal[own.clone()], &mut self.inverse[own]);
        if self.kinds[row] == Kind::Triple {
            let inner = self.parts[self.part_starts[row] as usize].row as usize;
            diagonal.copy_from_slice(&results.diagonal[inner]);
            inverse.copy_from_slice(&results.inverse[inner]);
            return Ok(());
        }
        let block = &mut self.values[self.diagonals[row]..][..diagonal.len()];
        if let Some(entry) = &entries.things()[self.entries[row] as usize]
            && entry.is_added_to()
        {
            let height = entry.rows.into();
            for (j, column) in block.chunks_exact_mut(height).enumerate() {
                column.iter_mut().enumerate().for_each(|(i, value)| *value += entry.added(i, j));
            }
            ensure!(is_finite(block), (self.ids[row] as Id, Fault::NotFinite("its diagonal block of W")));
        }
        match (&*block, &mut *diagonal) {
            ([w], [to]) => *to = *w,
            (_, to) => to.copy_from_slice(block),
        }
        invert(range(&self.scalars, row).len(), block, inverse);
        Ok(())
    }

    /// Let blocks of two sums be transposes of each other to the bit: they are added in different orders.
    fn mirror_sums(&mut self) {
        if !self.has_sums {
            return;
        }
        let Self { kinds, starts, columns, scalars, places, values, .. } = self;
        for row in (0..kinds.len()).filter(|&row| kinds[row] == Kind::Sum) {
            let height = range(scalars, row).len();
            for block in range(starts, row) {
                let column = columns[block] as usize;
                if column >= row {
                    break;
                }
                let others = range(starts, column);
                if kinds[column] == Kind::Sum
                    && let Ok(other) = columns[others.clone()].binary_search(&(row as i32))
                {
                    let width = range(scalars, column).len();
                    let (own, from) = (places[block], places[others.start + other]);
                    for j in 0..width {
                        for i in 0..height {
                            values[own + height * j + i] = values[from + width * i + j];
                        }
                    }
                }
            }
        }
    }

    /// The rows.
    pub fn rows(&self) -> AnyRows<'_> {
        let Self { ids, starts, columns, values, b, v, diagonal, inverse, .. } = self;
        let layout = RowLayout::trusted(&self.scalars, &self.places);
        let w = BlockRows::trusted(starts, columns, values, Some(layout));
        AnyRows { ids, w, b, v, diagonal, inverse, squares: &self.squares }
    }

    /// Ids of the constraints, row by row.
    pub fn ids(&self) -> &[i64] {
        &self.ids
    }

    /// Number of scalars.
    pub fn scalar_count(&self) -> usize {
        last(&self.scalars) as usize
    }

    /// Write a vector with an entry for each scalar into the lanes of vectors of three; others stay as they are.
    pub fn spread(&self, x: &[f64], inner: &mut [Vector]) {
        for row in 0..self.kinds.len() {
            let x = &x[range(&self.scalars, row)];
            for part in &self.parts[range(&self.part_starts, row)] {
                let to = &mut inner[part.row as usize][part.lane.into()..][..part.count.into()];
                to.copy_from_slice(&x[part.scalar.into()..][..part.count.into()]);
            }
        }
    }

    /// Write the sums of lanes of vectors of three into a vector with an entry for each scalar, and add what compliances make of x.
    pub fn collect(&self, inner: &[Vector], entries: &Table<Entry>, x: &[f64], y: &mut [f64]) {
        self.gather(inner, y);
        for row in 0..self.kinds.len() {
            let own = range(&self.scalars, row);
            let (x, y) = (&x[own.clone()], &mut y[own]);
            if let Some(entry) = &entries.things()[self.entries[row] as usize]
                && entry.is_added_to()
            {
                for (i, y) in y.iter_mut().enumerate() {
                    x.iter().enumerate().for_each(|(j, value)| *y += entry.added(i, j) * value);
                }
            }
        }
    }
}

/// Copy ROWS rows of columns, from a lane on, into columns of `height` values, or of HEIGHT if it is not 0, from a row on.
#[inline(never)]
fn copy<const ROWS: usize, const HEIGHT: usize>(
    to: &mut [f64],
    height: usize,
    [first, lane]: [usize; 2],
    from: &[Vector],
) {
    let (height, lane) = (if HEIGHT == 0 { height } else { HEIGHT }, lane.min(3 - ROWS));
    for (to, from) in to.chunks_exact_mut(height).zip(from) {
        let first = if ROWS == HEIGHT { 0 } else { first };
        to[first..][..ROWS].copy_from_slice(&from[lane..lane + ROWS]);
    }
}

/// Whether rows are coupled with each other that share this one: not by obstacles.
fn is_coupled(structure: &Structure, row: usize) -> bool {
    structure.places(row).iter().any(Option::is_some)
}

fn last<T: Copy + Default>(starts: &[T]) -> T {
    starts.last().copied().unwrap_or_default()
}

fn too_many(what: &'static str) -> Error {
    Error::of_system(Fault::Invalid(what))
}

/// Write the inverse of a diagonal block; of three rows as an update does.
#[inline(always)]
fn invert(height: usize, w: &[f64], inverse: &mut [f64]) {
    match <&Block>::try_from(w) {
        Ok(w) => inverse.copy_from_slice(&match Diagonal::new(w, false) {
            Ok(made) if !made.is_hopeless() => made.a,
            _ => [f64::NAN; 9],
        }),
        Err(_) => small_symmetric::invert(height, w, inverse),
    }
}
