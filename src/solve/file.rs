//! Problems in files, NumPy archives with W, B, laws, forces, and Z with W = Z Zᵀ: `docs/reference/file-format.md` has the format.

use std::io::{self, Write};
use std::iter::once;

use crate::io::npz::{self, Array, Items, write_all};
use crate::rows::BlockRows;

use super::body_rows::{BodyRows, NODE, NodeBlock};
use super::laws::{LawKind, of_kind};
use super::problem::{Law, Normal, Problem, triples};

/// The version of the format.
const VERSION: i32 = 1;

/// Write a problem with its laws and the initial guess of the forces, if there is one.
///
/// `laws` and `forces`: as [`Solver::solve`](super::Solver::solve) takes them. `z`: as
/// [`Solver::solve_with_factor`](super::Solver::solve_with_factor) takes it.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if a solver would refuse the problem; [`io::ErrorKind::FileTooLarge`] beyond 4 GiB; the errors of
/// the writer.
pub fn write_problem(
    out: &mut dyn Write,
    problem: &Problem,
    laws: &[Law],
    forces: Option<&[f64]>,
    z: Option<&BodyRows>,
) -> io::Result<()> {
    problem.check(laws, forces).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let Problem { w, b, normal } = problem;
    let (blocks, height) = (w.columns().len(), common_height(w));
    let (alike, any) = ([blocks, height, height], [w.values().len()]);
    let shape_of_data: &[usize] = if height > 0 { &alike } else { &any };
    let is_first = i32::from(*normal == Normal::First);
    let (count, scalars) = ([w.len()], [b.len()]);
    let forces_of = forces.unwrap_or_default();
    let z_rows = z.map_or(0, BodyRows::len);
    let z_shape = [z_nodes(z).count(), 3, NODE];
    let has_moments = of_rows(w, laws).any(|law| coefficients(law)[3..] != [0.0; 2]);
    let is_there = |name: &str| match name {
        "r0" => forces.is_some(),
        "mu_r" | "mu_s" => has_moments,
        _ => z.is_some() || !name.starts_with("Z_"),
    };
    npz::write(
        out,
        there(
            is_there,
            &mut [
                integers("version", &[], &i4(|| once(VERSION))),
                integers("normal_first", &[], &i4(|| once(is_first))),
                integers("heights", &count, &i4(|| heights(w).map(|height| height as i32))),
                integers("indptr", &[w.starts().len()], &i4(|| w.starts().iter().copied())),
                integers("indices", &[blocks], &i4(|| w.columns().iter().copied())),
                numbers("data", shape_of_data, &f8(|| by_rows(w))),
                numbers("q", &scalars, &f8(|| b.iter().copied())),
                integers("kind", &count, &i4(|| of_rows(w, laws).map(kind))),
                numbers("mu", &count, &f8(|| of_rows(w, laws).map(|law| coefficients(law)[0]))),
                numbers("mu_2", &count, &f8(|| of_rows(w, laws).map(|law| coefficients(law)[1]))),
                numbers("cohesion", &count, &f8(|| of_rows(w, laws).map(|law| coefficients(law)[2]))),
                numbers("mu_r", &count, &f8(|| of_rows(w, laws).map(|law| coefficients(law)[3]))),
                numbers("mu_s", &count, &f8(|| of_rows(w, laws).map(|law| coefficients(law)[4]))),
                numbers("lower", &scalars, &f8(|| of_scalars(w, laws, |law, i| bounds(law, i)[0]))),
                numbers("upper", &scalars, &f8(|| of_scalars(w, laws, |law, i| bounds(law, i)[1]))),
                numbers("bias", &scalars, &f8(|| of_scalars(w, laws, |law, i| law.bias[i]))),
                numbers("r0", &scalars, &f8(|| forces_of.iter().copied())),
                integers("Z_indptr", &[z_rows + 1], &i4(|| z_starts(z))),
                integers("Z_indices", &z_shape[..1], &i4(|| z_nodes(z))),
                numbers("Z_data", &z_shape, &f8(|| z_values(z))),
            ],
        ),
    )
}

fn heights(w: &BlockRows) -> impl Iterator<Item = usize> + Clone {
    (0..w.len()).map(|row| w.height(row))
}

/// The height of all rows; zero if rows differ.
fn common_height(w: &BlockRows) -> usize {
    heights(w).reduce(|one, other| if one == other { one } else { 0 }).unwrap_or(0)
}

/// The values of all blocks, each block row by row.
fn by_rows(w: &BlockRows) -> impl Iterator<Item = f64> {
    let blocks = (0..w.len()).flat_map(move |row| w.row(row).map(move |(_, block)| (w.height(row), block)));
    blocks.flat_map(|(m, block)| (0..m).flat_map(move |i| block.iter().skip(i).step_by(m).copied()))
}

/// The first law of each row.
fn of_rows<'a>(w: &BlockRows, laws: &'a [Law]) -> impl Iterator<Item = &'a Law> {
    heights(w).scan(0, |next, height| {
        let law = &laws[*next];
        *next += triples(height);
        Some(law)
    })
}

/// A value of a law for each scalar row.
fn of_scalars(w: &BlockRows, laws: &[Law], value: fn(&Law, usize) -> f64) -> impl Iterator<Item = f64> {
    let counts = heights(w).flat_map(|height| (0..height).step_by(3).map(move |i| (height - i).min(3)));
    laws.iter().zip(counts).flat_map(move |(law, count)| (0..count).map(move |i| value(law, i)))
}

/// The number of the kind. Readers also take 1, bounds that are all infinite.
fn kind(law: &Law) -> i32 {
    fn number<L: LawKind>(_: L) -> i32 {
        L::IN_FILES
    }
    of_kind!(&law.kind, kind => number(kind))
}

fn coefficients(law: &Law) -> [f64; 5] {
    of_kind!(&law.kind, kind => kind.coefficients())
}

fn bounds(law: &Law, component: usize) -> [f64; 2] {
    of_kind!(&law.kind, kind => kind.bounds(component))
}

/// The nodes and the blocks of each row of Z.
fn parts(z: Option<&BodyRows>) -> impl Iterator<Item = (&[u32], &[NodeBlock])> {
    z.into_iter().flat_map(|z| (0..z.len()).map(move |row| z.row(row)))
}

fn z_starts(z: Option<&BodyRows>) -> impl Iterator<Item = i32> {
    once(0).chain(parts(z).scan(0, |end, (nodes, _)| {
        *end += nodes.len() as i32;
        Some(*end)
    }))
}

fn z_nodes(z: Option<&BodyRows>) -> impl Iterator<Item = i32> {
    parts(z).flat_map(|(nodes, _)| nodes.iter().map(|&node| node as i32))
}

/// The values of Z, each block row by row.
fn z_values(z: Option<&BodyRows>) -> impl Iterator<Item = f64> {
    let blocks = parts(z).flat_map(|(_, blocks)| blocks);
    blocks.flat_map(|block| (0..3).flat_map(move |i| block.iter().map(move |column| column[i])))
}

/// The arrays that are there, in order.
fn there<'s, 'a>(is_there: impl Fn(&str) -> bool, arrays: &'s mut [Array<'a>]) -> &'s [Array<'a>] {
    let count = arrays.iter().filter(|array| is_there(array.name)).count();
    arrays.sort_by_key(|array| !is_there(array.name));
    &arrays[..count]
}

fn integers<'a>(name: &'a str, shape: &'a [usize], items: Items<'a>) -> Array<'a> {
    Array { name, kind: "<i4", shape, items }
}

fn numbers<'a>(name: &'a str, shape: &'a [usize], items: Items<'a>) -> Array<'a> {
    Array { name, kind: "<f8", shape, items }
}

fn i4<I: Iterator<Item = i32>>(items: impl Fn() -> I) -> impl Fn(&mut dyn Write) -> io::Result<()> {
    move |out| write_all(out, items().map(i32::to_le_bytes))
}

fn f8<I: Iterator<Item = f64>>(items: impl Fn() -> I) -> impl Fn(&mut dyn Write) -> io::Result<()> {
    move |out| write_all(out, items().map(f64::to_le_bytes))
}
