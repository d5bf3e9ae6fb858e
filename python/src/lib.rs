//! Systems of bodies and constraints for Python. Arrays come in whole: one call inserts, moves or sets many things. The Python
//! part of the package gives them the types, shapes and order that are asked for here.

mod arrays;
mod at_exit;
mod errors;
mod factor;
mod solve;
mod solver;
mod stability;
mod system;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", module.py().get_type::<errors::Error>())?;
    module.add_function(wrap_pyfunction!(solve::solve_rows, module)?)?;
    module.add_function(wrap_pyfunction!(solve::real_time, module)?)?;
    module.add_function(wrap_pyfunction!(stability::gyroscopic_change, module)?)?;
    module.add_function(wrap_pyfunction!(stability::turned_rotation, module)?)?;
    at_exit::register(module)?;
    module.add_class::<factor::Factor>()?;
    module.add_class::<system::System>()
}
