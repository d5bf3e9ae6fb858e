//! Options of the process.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::block::lanes;
use crate::threads;

use super::errors::{Code, fail};
use super::interface::types::{LDY_NO_AVX2, LDY_NO_LONGJMP, LDY_QUIET, LDY_REUSE, LDY_SELF_CONTACT_ONCE};

static NO_LONGJMP: AtomicBool = AtomicBool::new(false);
static SELF_CONTACT_ONCE: AtomicBool = AtomicBool::new(false);
static REUSE: AtomicBool = AtomicBool::new(false);
static QUIET: AtomicBool = AtomicBool::new(false);
static NO_AVX2: AtomicBool = AtomicBool::new(false);

/// Counts changes of options and of the number of threads.
static REVISION: AtomicU32 = AtomicU32::new(0);

/// Set an option.
pub fn set(option: c_int, value: c_int) -> Result<(), Code> {
    let flag = match value {
        0 => false,
        1 => true,
        _ => return Err(fail!(Code::BugFound, "option {option}: unknown value {value}")),
    };
    match option {
        LDY_NO_LONGJMP => change(&NO_LONGJMP, flag),
        LDY_SELF_CONTACT_ONCE => change(&SELF_CONTACT_ONCE, flag),
        LDY_REUSE => change(&REUSE, flag),
        LDY_QUIET => change(&QUIET, flag),
        LDY_NO_AVX2 => {
            change(&NO_AVX2, flag);
            lanes::forbid_avx2(flag);
        }
        _ => return Err(fail!(Code::BugFound, "unknown option {option}")),
    }
    Ok(())
}

fn change(option: &AtomicBool, value: bool) {
    if option.swap(value, Ordering::Relaxed) != value {
        count_change();
    }
}

fn count_change() {
    REVISION.fetch_add(1, Ordering::Relaxed);
}

/// A number that changes with every change of an option or of the number of threads. What was made under other
/// options is not reused: a host that takes its promise to leave W alone back may write to W until it gives it again.
pub fn revision() -> u32 {
    REVISION.load(Ordering::Relaxed)
}

/// Set the number of threads.
pub fn set_threads(count: c_int) -> Result<(), Code> {
    match usize::try_from(count) {
        Ok(count @ 1..=threads::MOST) => {
            if threads::asked() != count {
                count_change();
            }
            threads::ask(count);
            Ok(())
        }
        _ => Err(fail!(Code::BugFound, "{count} threads")),
    }
}

/// Whether errors may jump through the host's error stack.
pub fn jumps_allowed() -> bool {
    !NO_LONGJMP.load(Ordering::Relaxed)
}

/// Whether errors that jump through the host's error stack are not told on stderr.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Whether the host leaves W alone, so that what has not changed can stay.
pub fn reuse() -> bool {
    REUSE.load(Ordering::Relaxed)
}

/// Whether the second of two blocks between the same rows through the same body is zero.
pub fn self_contact_once() -> bool {
    SELF_CONTACT_ONCE.load(Ordering::Relaxed)
}
