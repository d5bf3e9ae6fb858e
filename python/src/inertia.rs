//! The inertia of bodies as Python has it.

use ldy::system::{self, Checked, Error, Fault, Id};
use pyo3::prelude::*;

use crate::arrays::{Indices, Numbers, by_columns_3};
use crate::inverse_callback::Functions;

/// The kind, as in `inertia.py`; the number of velocities; the numbers; starts and rows of a sparse matrix; the inverse callback.
#[derive(FromPyObject)]
pub struct Inertia<'py>(u8, usize, Numbers<'py>, Option<(Indices<'py>, Indices<'py>)>, Option<Py<PyAny>>);

const DENSE: u8 = 0;
const DIAGONAL: u8 = 1;
const SPARSE: u8 = 2;
const FUNCTION: u8 = 3;
const RIGID: u8 = 4;
const PSEUDO_RIGID: u8 = 5;

impl Inertia<'_> {
    /// The number of generalized velocities.
    pub fn dofs(&self) -> usize {
        self.1
    }

    /// As the library has it.
    pub fn made(&self, py: Python, functions: &mut Functions) -> PyResult<Checked<system::Inertia>> {
        let Self(kind, n, values, indices, function) = self;
        let values = values.as_slice()?;
        let with_mass =
            |make: fn(f64, &[f64; 9]) -> Checked<system::Inertia>| match values.split_first_chunk() {
                Some(([mass], rest)) => {
                    rest.try_into().map_or(Err(Fault::Invalid("its inertia is not 3 x 3")), |matrix| {
                        make(*mass, &by_columns_3(matrix))
                    })
                }
                None => Err(Fault::Invalid("it has no mass")),
            };
        Ok(match (*kind, indices, function) {
            (DENSE, ..) => system::Inertia::dense(*n, values),
            (DIAGONAL, ..) => system::Inertia::diagonal(values),
            (SPARSE, Some((starts, rows)), _) => {
                system::Inertia::matrix(starts.as_slice()?, rows.as_slice()?, values)
            }
            (FUNCTION, _, Some(function)) => system::Inertia::solver(functions.add(function.clone_ref(py))),
            (RIGID, ..) => with_mass(system::Inertia::rigid),
            (PSEUDO_RIGID, ..) => with_mass(system::Inertia::pseudo_rigid),
            _ => Err(Fault::Invalid("no inertia has this kind")),
        })
    }

    /// Give a body this inertia. Its memory is used again if the kind is the same.
    pub fn set(
        &self,
        py: Python,
        system: &mut system::System,
        functions: &mut Functions,
        body: Id,
    ) -> PyResult<system::Result> {
        let Self(kind, n, values, indices, _) = self;
        Ok(match (*kind, indices) {
            (DENSE, _) => system.set_dense(body, *n, values.as_slice()?),
            (SPARSE, Some((starts, rows))) => {
                system.set_matrix(body, starts.as_slice()?, rows.as_slice()?, values.as_slice()?)
            }
            _ => match self.made(py, functions)? {
                Ok(inertia) => system.set_inertia(body, inertia),
                Err(fault) => Err(Error::of_body(body, fault)),
            },
        })
    }
}
