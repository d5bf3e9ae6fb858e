//! The textbook's update, benches/textbook/update.c, beside the library's on the same lists.

mod agreement;
mod rows;

use std::ffi::{CStr, CString, c_int, c_void};
use std::time::{Duration, Instant};

use ldy::legacy::layout::{DOM, LOCDYN};

use super::time;
use agreement::Results;
use ldy_benches::host::Host;
use ldy_benches::median;
pub use rows::TextbookRows;

/// An update that takes longer is not repeated.
const TOO_SLOW: Duration = Duration::from_secs(5);
/// Fewest turns that count.
const LEAST: usize = 3;
/// Most turns that count.
const MOST: usize = 20;
/// How long to measure if there are more turns than the fewest.
const ENOUGH: Duration = Duration::from_secs(20);
/// Most steps of searching for partners in one update; beyond, an update takes minutes.
const MOST_STEPS: usize = 1_000_000_000;

/// The shared library with the textbook's update and rows.
pub struct Textbook {
    library: *mut c_void,
    update: unsafe extern "C" fn(*mut LOCDYN) -> c_int,
    release: unsafe extern "C" fn(*mut DOM),
}

/// Times in turns, medians.
pub struct SideBySide {
    /// The textbook's update.
    pub textbook: Duration,
    /// The library's update between the textbook's.
    pub library: Duration,
    /// The textbook's shortest update.
    pub least: Duration,
    /// How many updates count.
    pub turns: usize,
    /// Largest difference, relative.
    pub difference: f64,
}

impl Textbook {
    /// Open the shared library at a path.
    ///
    /// # Errors
    /// If the loader reports an error.
    pub fn open(path: &str) -> Result<Self, String> {
        let name = CString::new(path).map_err(|error| error.to_string())?;
        // SAFETY: the name is a C string; BLAS and LAPACK are initialized by the library's own initializers.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        if library.is_null() {
            return Err(loader_error());
        }
        // SAFETY: textbook.h declares them so.
        unsafe {
            Ok(Self {
                library,
                update: symbol(library, c"textbook_update")?,
                release: symbol(library, c"textbook_release")?,
            })
        }
    }

    /// Rows of its own.
    ///
    /// # Errors
    /// If the loader reports an error.
    pub fn rows(&self) -> Result<TextbookRows, String> {
        TextbookRows::new(self.library)
    }

    /// Measure in turns with the library; `None` if that would take too long.
    ///
    /// # Panics
    /// If the results differ.
    pub fn measure(&self, host: &mut Host) -> Option<SideBySide> {
        if search_steps(host) > MOST_STEPS {
            return None;
        }
        let mut difference = 0.0;
        let mut checked_turn = |host: &mut Host| {
            let own = turn(host);
            let expected = Results::of(host);
            let textbook = time(|| self.update(host));
            difference = expected.compare(host).max(difference);
            (own, textbook)
        };
        let first = checked_turn(host);
        let (own, textbook): (Vec<_>, Vec<_>) = if first.1 > TOO_SLOW {
            [first].into_iter().unzip()
        } else {
            let start = Instant::now();
            let turns = (0..MOST).take_while(|k| *k < LEAST || start.elapsed() < ENOUGH);
            // No comparison here: it would empty the caches.
            let times = turns.map(|_| (turn(host), time(|| self.update(host)))).unzip();
            checked_turn(host);
            times
        };
        // SAFETY: the host's domain is valid.
        unsafe { (self.release)(host.domain()) };
        Some(SideBySide {
            textbook: median(&textbook),
            library: median(&own),
            least: textbook.iter().copied().min().unwrap_or_default(),
            turns: own.len(),
            difference,
        })
    }

    fn update(&self, host: &Host) {
        // SAFETY: the lists, bodies and constraints are valid, as for the library's own update.
        let failed = unsafe { (self.update)(host.ldy()) };
        assert_eq!(failed, 0, "the textbook's update failed");
    }
}

/// A function of a library.
///
/// # Errors
/// The message of the loader.
///
/// # Safety
/// The library is open and stays so, and declares a function of this name so.
unsafe fn symbol<F: Copy>(library: *mut c_void, name: &CStr) -> Result<F, String> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: the caller promises an open library, whose function of this name has this type.
    unsafe {
        let symbol = libc::dlsym(library, name.as_ptr());
        if symbol.is_null() { Err(loader_error()) } else { Ok(std::mem::transmute_copy(&symbol)) }
    }
}

/// The library's part of a turn.
fn turn(host: &mut Host) -> Duration {
    host.advance();
    time(|| host.update())
}

/// About how many blocks the search for partners walks over: half of all pairs' neighbors' lists.
fn search_steps(host: &Host) -> usize {
    let degrees = host.rows().map(|row| host.blocks(row).count());
    degrees.map(|degree| degree * degree / 4).sum()
}

fn loader_error() -> String {
    // SAFETY: dlerror gives NULL or a string that lives until the next call to the loader.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "unknown error of the loader".into();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
