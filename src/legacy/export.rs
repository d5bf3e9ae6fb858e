//! W as text: conversion of the rows for the writers of [`crate::io`].

use std::ffi::{CStr, c_char, c_int};

use crate::io::{dump, matrix_market};
use crate::math::Vector;

use super::arguments::{self, entry};
use super::display;
use super::errors::{Code, Result, fail, invalid};
#[cfg(feature = "mpi")]
use super::ffi::caught;
use super::ffi::status;
use super::file;
use super::host::constraint;
use super::layout::{CON, DIAB, LOCDYN, OFFB};
#[cfg(feature = "mpi")]
use super::mpi::{dump::in_parts, dump::withdraw, world::World};
#[cfg(feature = "mpi")]
use super::rows::external;
use super::rows::{LocalDynamics, RowNode};

/// Write the rows, neighbors in geometrical order; see `LOCDYN_Dump`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_dump(ldy: *mut LOCDYN, path: *const c_char) -> c_int {
    // SAFETY: the host promises a LOCDYN that nobody else uses meanwhile, valid constraints and bodies of all rows, and a path
    // that is NULL or a C string.
    status(|| unsafe {
        let dynamics = LocalDynamics::from_public(ldy);
        #[cfg(feature = "mpi")]
        let dynamics = dynamics.map_err(withdraw);
        let dynamics = &*dynamics?;
        #[cfg(feature = "mpi")]
        if let Some(world) = World::current()? {
            let prepared = caught(|| room(dynamics));
            return in_parts(&world, path, prepared, |part, room| write_rows(dynamics, part, room));
        }
        let neighbors = room(dynamics)?;
        write_rows(dynamics, arguments::string("path", path)?, neighbors)
    })
}

/// Check all constraints, and reserve memory for the neighbors of any row.
///
/// # Safety
/// As [`ldy_entry_dump`].
unsafe fn room<'a>(dynamics: &LocalDynamics) -> Result<dump::Neighbors<'a>> {
    let mut most = 0;
    // SAFETY: the list holds live rows, and the caller promises that their constraints and bodies are valid.
    unsafe {
        for row in dynamics.list() {
            constraint::check((*row).public.con)?;
            for con in externals(row) {
                constraint::check(con.dia.cast::<CON>())?;
            }
            most = most.max((*row).blocks().count() + externals(row).count());
        }
    }
    dump::Neighbors::with_capacity(most)
        .map_err(|_| fail!(Code::OutOfMemory, "no memory to sort {most} neighbours"))
}

/// # Safety
/// As [`ldy_entry_dump`]; all constraints have been checked.
unsafe fn write_rows(dynamics: &LocalDynamics, path: &CStr, mut neighbors: dump::Neighbors) -> Result {
    // SAFETY: the list holds live rows that nobody changes meanwhile; the caller promises checked constraints.
    unsafe {
        file::write(path, |out| {
            for row in dynamics.list() {
                neighbors.clear();
                for block in (*row).blocks() {
                    neighbors.push(constraint::label((*(*block).dia).con), &(*block).W);
                }
                for block in externals(row) {
                    neighbors.push(constraint::label(block.dia.cast::<CON>()), &block.W);
                }
                let DIAB { ref B, ref W, V, U, R, con, .. } = (*row).public;
                let vector = |values: *mut f64| &*values.cast_const().cast::<Vector>();
                let vectors = [B, vector(V), vector(U), vector(R)];
                let row = dump::DumpRow { label: constraint::label(con), w: W, vectors };
                dump::write_row(out, &row, &mut neighbors)?;
            }
            Ok(())
        })
    }
}

/// The blocks of a row to external constraints; `dia` of each is the constraint, cast.
///
/// # Safety
/// `row` is live, and nobody changes its blocks meanwhile.
unsafe fn externals<'a>(row: *const RowNode) -> impl Iterator<Item = &'a OFFB> {
    // SAFETY: the caller promises a live row whose blocks nobody changes meanwhile.
    #[cfg(feature = "mpi")]
    return unsafe { external::of(row) };
    #[cfg(not(feature = "mpi"))]
    {
        let _ = row;
        std::iter::empty()
    }
}

/// Write W in MatrixMarket coordinate format, and number the constraints; see `LOCDYN_W_MatrixMarket`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_matrix_market(ldy: *mut LOCDYN, path: *const c_char) -> c_int {
    // SAFETY: the list holds live rows that nobody changes meanwhile; the host promises valid constraints, and a path that is
    // NULL or a C string.
    entry!(ldy: dynamics => unsafe {
        let why = "LOCDYN_W_MatrixMarket is not in the MPI build";
        ensure!(!cfg!(feature = "mpi"), fail!(Code::NotImplemented, "{why}"));
        let (mut rows, mut blocks) = (0, 0);
        for row in ldy.list() {
            let name = || display::constraint((*row).public.con);
            first_equation(rows).ok_or_else(|| invalid!("{}: no int can number it", name()))?;
            rows += 1;
            blocks += (*row).blocks().count();
        }
        let path = arguments::string("path", path)?;
        file::write(path, |out| {
            for (index, row) in ldy.list().enumerate() {
                (*(*row).public.con).num = first_equation(index).unwrap_or_default();
            }
            matrix_market::write_head(out, [3 * rows; 2], 9 * (rows + blocks))?;
            for row in ldy.list() {
                let number = (*(*row).public.con).num;
                matrix_market::write_block(out, [number.into(); 2], 3, &(*row).public.W)?;
                for block in (*row).blocks() {
                    let column = (*(*(*block).dia).con).num;
                    matrix_market::write_block(out, [number.into(), column.into()], 3, &(*block).W)?;
                }
            }
            Ok(())
        })?
    })
}

/// The 1-based number of the first of a row's three equations.
fn first_equation(index: usize) -> Option<c_int> {
    c_int::try_from(index).ok()?.checked_mul(3)?.checked_add(1)
}
