//! Systems of bodies and constraints for Python. One call inserts, moves or sets many things by arrays. The Python part of the package
//! gives these arrays their types, shapes and order.

mod arrays;
mod at_exit;
mod batch;
mod derivatives;
mod errors;
mod factor;
mod in_use;
mod inertia;
mod inverse_callback;
mod local;
#[cfg(feature = "mpi")]
mod parallel;
mod solution_set;
mod solve;
mod stability;
mod system;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(solve::solve_rows, module)?)?;
    module.add_function(wrap_pyfunction!(solve::real_time, module)?)?;
    module.add_function(wrap_pyfunction!(solve::contact_bias, module)?)?;
    module.add_function(wrap_pyfunction!(solve::contact_friction, module)?)?;
    module.add_function(wrap_pyfunction!(solve::contact_compliance, module)?)?;
    module.add_function(wrap_pyfunction!(stability::gyroscopic_change, module)?)?;
    module.add_function(wrap_pyfunction!(stability::advance_rotation, module)?)?;
    module.add_function(wrap_pyfunction!(stability::frame_from_normal, module)?)?;
    at_exit::register(module)?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<factor::Factor>()?;
    module.add_class::<solution_set::SolutionSet>()?;
    module.add_class::<derivatives::Derivatives>()?;
    module.add_class::<derivatives::Gradient>()?;
    #[cfg(feature = "mpi")]
    module.add_class::<parallel::Parallel>()?;
    module.add_class::<system::System>()
}
