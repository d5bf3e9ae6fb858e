//! Many systems at once in C, with a stride between the vectors of systems; part of `include/ldy_system.h`.

use std::ffi::c_int;
use std::{mem, slice};

use crate::ffi::errors::{Code, Result, fail};
use crate::memory::{collect, refill};
use crate::solve::LawChange;
use crate::system::{ByResults, System};

use super::arguments::{self, entry, null};
use super::batch::{chosen_of_batch, ldy_batch, no_memory};
use super::derivatives::{ldy_fit, told};
use super::ldy_system;
use super::solve::{ldy_contact_solver_options, ldy_law, status_of};

/// Solve the contact problems of many systems as ldy_batch_solve does, for forces with a stride.
///
/// - systems, count, options, statuses, residuals: as in ldy_batch_solve.
/// - R: the forces of all systems, initial guesses and results. The values of system k begin R_stride k bytes after the first ones, one for
///   each of its scalar rows. Bytes between vectors are neither read nor written: they may be members of your structures.
/// - R_stride: a multiple of 8, at least 8 times the number of scalar rows of each system but the last.
///
/// Returns what ldy_batch_solve returns; LDY_ERROR_INVALID_ARGUMENT if the stride is none of these, and nothing is solved then.
///
/// # Safety
/// As for ldy_batch_solve, with the stride of R.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_batch_solve_strided(
    batch: *mut ldy_batch,
    systems: *const *mut ldy_system,
    count: usize,
    options: *const ldy_contact_solver_options,
    R: *mut f64,
    R_stride: usize,
    statuses: *mut i32,
    residuals: *mut f64,
) -> c_int {
    entry!(batch: exclusive, systems: values(count), options: optional sized_const, statuses: optional values_mut(count),
           residuals: optional values_mut(count) => {
        batch.check(systems)?;
        let chosen = chosen_of_batch(options)?;
        // SAFETY: as in ldy_batch_update; systems are only read.
        let systems = unsafe { slice::from_raw_parts(systems.as_ptr().cast::<&System>(), count) };
        let mut vectors = mem::take(&mut batch.strided);
        vectors.set_sizes(systems, SCALARS)?;
        // SAFETY: the C program promises the values of R.
        unsafe { vectors_mut("R", R, R_stride, &vectors.sizes, &mut vectors.written) }?;
        let (mut statuses, mut residuals) = (statuses, residuals);
        statuses.iter_mut().for_each(|statuses| statuses.fill(-1));
        let measure = chosen.options.measure;
        batch.batch.solve_each(systems, &chosen.options, &mut vectors.written, |place, report| {
            statuses.iter_mut().for_each(|statuses| statuses[place] = status_of(report.status));
            residuals.iter_mut().for_each(|residuals| residuals[place] = report.residual.by(measure));
        })?;
        batch.strided = vectors.cleared();
    })
}

/// Compute y = W x for each of many systems as ldy_batch_multiply does, for vectors with strides.
///
/// - systems, count: as in ldy_batch_multiply.
/// - x, x_stride: a vector for each system; the vector of system k begins x_stride k bytes after the first one. x_stride is a
///   multiple of 8; 0: one vector for all systems.
/// - y, y_stride: where to write the products, as R in ldy_batch_solve_strided.
///
/// Returns what ldy_batch_multiply returns; LDY_ERROR_INVALID_ARGUMENT if a stride is none of these, and nothing is computed then.
///
/// # Safety
/// As for ldy_batch_multiply, with the strides of x and y.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_batch_multiply_strided(
    batch: *mut ldy_batch,
    systems: *const *mut ldy_system,
    count: usize,
    x: *const f64,
    x_stride: usize,
    y: *mut f64,
    y_stride: usize,
) -> c_int {
    entry!(batch: exclusive, systems: values(count) => {
        batch.check(systems)?;
        // SAFETY: as in ldy_batch_update; systems are only read.
        let systems = unsafe { slice::from_raw_parts(systems.as_ptr().cast::<&System>(), count) };
        let mut vectors = mem::take(&mut batch.strided);
        vectors.set_sizes(systems, SCALARS)?;
        let StridedVectors { sizes, read: [read, ..], written, .. } = &mut vectors;
        // SAFETY: the C program promises the values of x.
        unsafe { vectors_of("x", x, x_stride, sizes, read) }?;
        // SAFETY: the C program promises the values of y.
        unsafe { vectors_mut("y", y, y_stride, sizes, written) }?;
        batch.batch.multiply_each(systems, |place| read[place], written)?;
        batch.strided = vectors.cleared();
    })
}

/// Compute derivatives for each of many systems as ldy_batch_adjoint does, for vectors with strides.
///
/// - systems, count, fits: as in ldy_batch_adjoint.
/// - R, by_R, by_U and their strides: as x in ldy_batch_multiply_strided.
/// - by_B, by_B_stride: where to write the derivatives by B, as R in ldy_batch_solve_strided.
/// - by_laws, by_laws_stride: where to write the derivatives by the numbers of laws, for each system one law for each of its
///   constraints; the first one of system k is by_laws_stride k bytes after the first one of all. by_laws_stride is a multiple of 8 and
///   has bytes for these laws. NULL: not wanted. Nothing is written after an error.
///
/// Returns what ldy_batch_adjoint returns; LDY_ERROR_INVALID_ARGUMENT if a stride is none of these, and nothing is computed then.
///
/// # Safety
/// As for ldy_batch_adjoint, with the strides of all arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_batch_adjoint_strided(
    batch: *mut ldy_batch,
    systems: *const *mut ldy_system,
    count: usize,
    R: *const f64,
    R_stride: usize,
    by_R: *const f64,
    by_R_stride: usize,
    by_U: *const f64,
    by_U_stride: usize,
    by_B: *mut f64,
    by_B_stride: usize,
    by_laws: *mut ldy_law,
    by_laws_stride: usize,
    fits: *mut ldy_fit,
) -> c_int {
    entry!(batch: exclusive, systems: values(count), fits: optional values_mut(count) => {
        batch.check(systems)?;
        // SAFETY: as in ldy_batch_update; systems are only read.
        let systems = unsafe { slice::from_raw_parts(systems.as_ptr().cast::<&System>(), count) };
        let mut vectors = mem::take(&mut batch.strided);
        vectors.set_sizes(systems, SCALARS)?;
        let StridedVectors { sizes, read, written, .. } = &mut vectors;
        let given = [("R", R, R_stride), ("by_R", by_R, by_R_stride), ("by_U", by_U, by_U_stride)];
        for ((name, first, stride), read) in given.into_iter().zip(read) {
            // SAFETY: the C program promises the values of these arrays.
            unsafe { vectors_of(name, first, stride, sizes, read) }?;
        }
        // SAFETY: the C program promises the values of by_B.
        unsafe { vectors_mut("by_B", by_B, by_B_stride, sizes, written) }?;
        let is_wanted = !by_laws.is_null();
        if is_wanted {
            // SAFETY: the C program promises the laws.
            unsafe { vectors.set_laws(systems, by_laws, by_laws_stride, &mut batch.changes) }?;
        }
        let StridedVectors { read, written, changes, .. } = &mut vectors;
        let by = |place: usize| {
            let [forces, by_forces, by_velocities] = read.each_ref().map(|read| read[place]);
            ByResults { forces, by_forces, by_velocities }
        };
        let (wanted, mut fits) = (is_wanted.then_some(&mut changes[..]), fits);
        batch.batch.adjoint_each(systems, by, written, wanted, |place, fit, is_solution| {
            fits.iter_mut().for_each(|fits| fits[place] = ldy_fit::new(fit, is_solution));
        })?;
        vectors.write_laws();
        batch.strided = vectors.cleared();
    })
}

/// The memory for slices of vectors, which belong to the caller of a function: only an empty one is kept.
#[derive(Default)]
pub(super) struct StridedVectors {
    sizes: Vec<usize>,
    read: [Vec<&'static [f64]>; 3],
    written: Vec<&'static mut [f64]>,
    changes: Vec<&'static mut [LawChange]>,
    laws: Vec<&'static mut [ldy_law]>,
}

/// The places in [`System::vector_sizes`].
const SCALARS: usize = 0;
const ROWS: usize = 1;

impl StridedVectors {
    /// Set the sizes of the vectors of each system.
    fn set_sizes(&mut self, systems: &[&System], which: usize) -> Result {
        let sizes = systems.iter().map(|system| system.vector_sizes()[which]);
        collect(&mut self.sizes, systems.len(), sizes).map_err(|_| no_memory())
    }

    /// Set the laws of each system and the changes that become them.
    ///
    /// # Safety
    /// As for [`vectors_mut`]; nobody changes `all` as long as the changes are there.
    unsafe fn set_laws(
        &mut self,
        systems: &[&System],
        by_laws: *mut ldy_law,
        stride: usize,
        all: &mut Vec<LawChange>,
    ) -> Result {
        self.set_sizes(systems, ROWS)?;
        let Self { sizes, changes, laws, .. } = self;
        // SAFETY: this function requires it.
        unsafe { vectors_mut("by_laws", by_laws, stride, sizes, laws) }?;
        let most = sizes.iter().copied().max().unwrap_or_default();
        refill(all, sizes.len().saturating_mul(most), LawChange::default()).map_err(|_| no_memory())?;
        // SAFETY: there are `most` changes for each system.
        unsafe { vectors_mut("by_laws", all.as_mut_ptr(), most * size_of::<LawChange>(), sizes, changes) }
    }

    /// Write the changes to the laws.
    fn write_laws(&mut self) {
        let pairs = self.laws.iter_mut().zip(&self.changes);
        pairs.for_each(|(to, own)| to.iter_mut().zip(&**own).for_each(|(to, change)| *to = told(*change)));
    }

    fn cleared(mut self) -> Self {
        self.read.iter_mut().for_each(Vec::clear);
        self.written.clear();
        self.changes.clear();
        self.laws.clear();
        self
    }
}

/// Vectors of these sizes, with a stride in bytes. With a stride of 0 all begin at the same place.
///
/// # Safety
/// `first` is NULL, or there are these values, which nobody changes as long as the slices are there.
unsafe fn vectors_of<T>(
    name: &str,
    first: *const T,
    stride: usize,
    sizes: &[usize],
    to: &mut Vec<&[T]>,
) -> Result {
    check_stride::<T>(name, first.is_null(), stride, sizes)?;
    to.try_reserve(sizes.len()).map_err(|_| no_memory())?;
    for (k, &size) in sizes.iter().enumerate().filter(|_| !first.is_null()) {
        // SAFETY: this function requires these values.
        to.push(unsafe { slice::from_raw_parts(first.wrapping_byte_add(stride * k), size) });
    }
    to.resize(sizes.len(), &[]);
    Ok(())
}

/// As [`vectors_of`], for vectors that are written and do not overlap.
///
/// # Safety
/// `first` is NULL, or there are these values, which nobody else uses as long as the slices are there.
unsafe fn vectors_mut<T>(
    name: &str,
    first: *mut T,
    stride: usize,
    sizes: &[usize],
    to: &mut Vec<&mut [T]>,
) -> Result {
    check_stride::<T>(name, first.is_null(), stride, sizes)?;
    let others = sizes.len().saturating_sub(1);
    if let Some(k) = sizes[..others].iter().position(|size| size.saturating_mul(size_of::<T>()) > stride) {
        let size = sizes[k];
        return Err(fail!(
            Code::InvalidArgument,
            "{name}: a stride of {stride} bytes is too short for the {size} values of systems[{k}]"
        ));
    }
    to.try_reserve(sizes.len()).map_err(|_| no_memory())?;
    for (k, &size) in sizes.iter().enumerate().filter(|_| !first.is_null()) {
        // SAFETY: this function requires these values, and the stride keeps them apart.
        to.push(unsafe { slice::from_raw_parts_mut(first.wrapping_byte_add(stride * k), size) });
    }
    to.resize_with(sizes.len(), Default::default);
    Ok(())
}

fn check_stride<T>(name: &str, is_null: bool, stride: usize, sizes: &[usize]) -> Result {
    let most = sizes.iter().copied().max().unwrap_or_default();
    ensure!(most == 0 || !is_null, null(name));
    let unit = align_of::<T>();
    ensure!(
        stride.is_multiple_of(unit),
        fail!(Code::InvalidArgument, "{name}: a stride of {stride} bytes is no multiple of {unit}")
    );
    let extent = sizes.len().saturating_mul(stride).saturating_add(most.saturating_mul(size_of::<T>()));
    ensure!(
        isize::try_from(extent).is_ok(),
        fail!(Code::TooLarge, "{name}: vectors {stride} bytes apart are too large")
    );
    Ok(())
}
