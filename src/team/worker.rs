//! The threads of the pool, as the system has them.

use super::protocol::Shared;

pub use of_system::{Thread, join, start};

/// Bytes of a worker's stack, the default of the standard library.
const STACK: usize = 2 << 20;

/// POSIX threads. A thread of the standard library aborts the process if there is no memory for its handle.
#[cfg(unix)]
mod of_system {
    use std::ffi::c_void;
    use std::mem::MaybeUninit;
    use std::ptr;

    use super::{STACK, Shared};

    pub type Thread = libc::pthread_t;

    /// Start a worker; `None` if the system gives no more threads or no memory.
    ///
    /// # Safety
    /// The shared data outlive the worker: [`join`] comes before they are dropped.
    pub unsafe fn start(shared: &Shared) -> Option<Thread> {
        let mut attributes = MaybeUninit::uninit();
        let mut thread = MaybeUninit::uninit();
        let shared = ptr::from_ref(shared).cast_mut().cast();
        // SAFETY: attributes are initialized before they are used, and the thread if it was started. The worker uses the shared data
        // through a shared reference; the caller promises that they outlive it.
        unsafe {
            if libc::pthread_attr_init(attributes.as_mut_ptr()) != 0 {
                return None;
            }
            // If this fails, the stack has the system's default size.
            libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), STACK);
            let status = libc::pthread_create(thread.as_mut_ptr(), attributes.as_ptr(), run, shared);
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
            (status == 0).then(|| thread.assume_init())
        }
    }

    extern "C" fn run(shared: *mut c_void) -> *mut c_void {
        #[cfg(target_os = "linux")]
        // SAFETY: the name is a C string.
        unsafe {
            libc::prctl(libc::PR_SET_NAME, c"ldy".as_ptr());
        }
        // SAFETY: start passes the address of the shared data, which outlive the worker.
        unsafe { (*shared.cast::<Shared>()).worker_loop() };
        ptr::null_mut()
    }

    /// Wait for the end of a worker.
    ///
    /// # Safety
    /// This process started the thread, and joins it once.
    pub unsafe fn join(thread: Thread) {
        // SAFETY: the caller promises what POSIX asks for.
        unsafe { libc::pthread_join(thread, ptr::null_mut()) };
    }
}

/// Threads of the standard library.
#[cfg(not(unix))]
mod of_system {
    use std::thread::{Builder, JoinHandle};

    use super::{STACK, Shared};

    pub type Thread = JoinHandle<()>;

    /// Start a worker; `None` if the system gives no more threads.
    ///
    /// # Safety
    /// The shared data outlive the worker: [`join`] comes before they are dropped.
    pub unsafe fn start(shared: &Shared) -> Option<Thread> {
        let builder = Builder::new().name("ldy".to_string()).stack_size(STACK);
        // SAFETY: the caller promises that the data that the thread borrows outlive it.
        unsafe { builder.spawn_unchecked(|| shared.worker_loop()) }.ok()
    }

    /// Wait for the end of a worker.
    ///
    /// # Safety
    /// None here.
    pub unsafe fn join(thread: Thread) {
        // The caller of the job gets the panics of its work.
        let _ = thread.join();
    }
}
