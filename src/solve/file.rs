//! Problems in files, NumPy archives with W, B, laws, forces, and Z with W = Z Zᵀ: `docs/files.md` has the format.

use std::io::{self, Write};
use std::iter::once;

use crate::io::npz::{self, Array, Items, write_all};

use super::body_rows::{BodyRows, NODE};
use super::problem::{Kind, Law, Normal, Problem, triples};

/// The version of the format.
const VERSION: i32 = 1;

/// The numbers of laws in files. Readers also take 1, bounds that are all infinite.
const CONTACT: i32 = 0;
const BOUNDS: i32 = 2;

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
    let rows = || 0..w.len();
    let heights = || rows().map(|row| w.height(row) as i32);
    // The first law of each row, and the values of laws for each scalar row.
    let of_rows = || {
        rows().scan(0, |next, row| {
            let law = &laws[*next];
            *next += triples(w.height(row));
            Some(law)
        })
    };
    let counts =
        || rows().flat_map(|row| (0..w.height(row)).step_by(3).map(move |i| (w.height(row) - i).min(3)));
    let of_scalars = |value: fn(&Law, usize) -> f64| {
        laws.iter().zip(counts()).flat_map(move |(law, count)| (0..count).map(move |i| value(law, i)))
    };
    let friction = |value: fn([f64; 3]) -> f64| {
        of_rows().map(move |law| match law.kind {
            Kind::Contact { friction, friction_2, cohesion } => value([friction, friction_2, cohesion]),
            Kind::Bounds { .. } => 0.0,
        })
    };
    let kinds =
        || of_rows().map(|law| if matches!(law.kind, Kind::Contact { .. }) { CONTACT } else { BOUNDS });
    // Zero if rows differ.
    let height = rows().map(|row| w.height(row)).reduce(|one, other| if one == other { one } else { 0 });
    let (blocks, height) = (w.columns().len(), height.unwrap_or(0));
    let (alike, any) = ([blocks, height, height], [w.values().len()]);
    let shape_of_data: &[usize] = if height > 0 { &alike } else { &any };
    let by_rows = || {
        rows()
            .flat_map(|row| w.row(row).map(move |(_, block)| (w.height(row), block)))
            .flat_map(|(m, block)| (0..m).flat_map(move |i| block.iter().skip(i).step_by(m).copied()))
    };
    let is_first = i32::from(*normal == Normal::First);
    let (count, scalars) = ([w.len()], [b.len()]);
    let forces_of = forces.unwrap_or_default();
    let z_rows = z.map_or(0, BodyRows::len);
    let parts = || (0..z_rows).flat_map(|row| z.map(|z| z.row(row)));
    let z_starts = || {
        once(0).chain(parts().scan(0, |end, (nodes, _)| {
            *end += nodes.len() as i32;
            Some(*end)
        }))
    };
    let z_nodes = || parts().flat_map(|(nodes, _)| nodes.iter().map(|&node| node as i32));
    let z_values = || {
        let blocks = parts().flat_map(|(_, blocks)| blocks);
        blocks.flat_map(|block| (0..3).flat_map(move |i| block.iter().map(move |column| column[i])))
    };
    let z_shape = [z_nodes().count(), 3, NODE];
    let is_there = |name: &str| match name {
        "r0" => forces.is_some(),
        _ => z.is_some() || !name.starts_with("Z_"),
    };
    npz::write(
        out,
        there(
            is_there,
            &mut [
                integers("version", &[], &i4(|| once(VERSION))),
                integers("normal_first", &[], &i4(|| once(is_first))),
                integers("heights", &count, &i4(heights)),
                integers("indptr", &[w.starts().len()], &i4(|| w.starts().iter().copied())),
                integers("indices", &[blocks], &i4(|| w.columns().iter().copied())),
                numbers("data", shape_of_data, &f8(by_rows)),
                numbers("q", &scalars, &f8(|| b.iter().copied())),
                integers("kind", &count, &i4(kinds)),
                numbers("mu", &count, &f8(|| friction(|[mu, ..]| mu))),
                numbers("mu_2", &count, &f8(|| friction(|[_, mu, _]| mu))),
                numbers("cohesion", &count, &f8(|| friction(|[.., cohesion]| cohesion))),
                numbers("lower", &scalars, &f8(|| of_scalars(lower))),
                numbers("upper", &scalars, &f8(|| of_scalars(upper))),
                numbers("bias", &scalars, &f8(|| of_scalars(|law, i| law.bias[i]))),
                numbers("r0", &scalars, &f8(|| forces_of.iter().copied())),
                integers("Z_indptr", &[z_rows + 1], &i4(z_starts)),
                integers("Z_indices", &z_shape[..1], &i4(z_nodes)),
                numbers("Z_data", &z_shape, &f8(z_values)),
            ],
        ),
    )
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

fn lower(law: &Law, i: usize) -> f64 {
    if let Kind::Bounds { lower, .. } = law.kind { lower[i] } else { 0.0 }
}

fn upper(law: &Law, i: usize) -> f64 {
    if let Kind::Bounds { upper, .. } = law.kind { upper[i] } else { 0.0 }
}
