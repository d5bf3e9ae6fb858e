//! The end of the interpreter while daemon threads are in calls of the library.
//!
//! CPython before 3.14 ends a thread that waits for the GIL then by `pthread_exit`, which must not unwind through Rust: the process
//! would abort. So an exit handler waits until no thread is between this package and Python, and a thread that comes later sleeps
//! forever without the GIL, as CPython 3.14 has it. It ends with the process.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// The longest time that the exit handler waits for functions of Python that the library has called.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Whether the interpreter ends.
static ENDS: AtomicBool = AtomicBool::new(false);
/// The number of threads that ask for the GIL within a call, or that run a function of Python for the library.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
/// The process that has imported the package. A child by fork has none of its other threads, but their count.
static PROCESS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// How many times this thread is counted in `INSIDE`.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// Whether this thread ends the interpreter.
    static ENDS_INTERPRETER: Cell<bool> = const { Cell::new(false) };
}

/// Counts its thread in `INSIDE`.
struct Inside;

impl Inside {
    /// Count this thread, which does not have the GIL. If the interpreter ends, the thread stops here.
    fn enter() -> Self {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        let may_continue = DEPTH.get() > 0 || ENDS_INTERPRETER.get();
        if ENDS.load(Ordering::SeqCst) && !may_continue {
            INSIDE.fetch_sub(1, Ordering::SeqCst);
            loop {
                thread::park();
            }
        }
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Run a function without the GIL.
pub fn without_gil<T: Send>(py: Python, function: impl Send + FnOnce() -> T) -> T {
    let (result, inside) = py.allow_threads(|| {
        let result = function();
        (result, Inside::enter())
    });
    drop(inside);
    result
}

/// Run a function with the GIL, on a thread that does not have it.
pub fn with_gil<T>(function: impl FnOnce(Python) -> T) -> T {
    let _inside = Inside::enter();
    Python::with_gil(function)
}

/// The exit handler.
#[pyfunction]
fn end(py: Python) {
    ENDS_INTERPRETER.set(true);
    ENDS.store(true, Ordering::SeqCst);
    if PROCESS.load(Ordering::Relaxed) != std::process::id() {
        return;
    }
    py.allow_threads(|| {
        let began = Instant::now();
        while INSIDE.load(Ordering::SeqCst) > 0 && began.elapsed() < LONGEST_WAIT {
            thread::sleep(Duration::from_millis(1));
        }
    });
}

/// Register the exit handler.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    let handler = wrap_pyfunction!(end, module)?;
    module.py().import("atexit")?.call_method1("register", (handler,))?;
    Ok(())
}
