//! Options of the process.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::math::simd;
use crate::team;

use super::c_api::types::{LDY_NO_AVX2, LDY_NO_LONGJMP, LDY_QUIET};
use super::errors::{Result, invalid};

/// Whether each option is set, indexed by its number.
static SET: [AtomicBool; LDY_QUIET as usize + 1] = [const { AtomicBool::new(false) }; LDY_QUIET as usize + 1];
/// Counts changes of options and of the number of threads.
static REVISION: AtomicU32 = AtomicU32::new(0);

/// Set an option.
pub fn set(option: c_int, value: c_int) -> Result {
    let is_set = match value {
        0 => false,
        1 => true,
        _ => return Err(invalid!("option {option}: unknown value {value}")),
    };
    ensure!((LDY_NO_LONGJMP..=LDY_QUIET).contains(&option), invalid!("unknown option {option}"));
    if option == LDY_NO_AVX2 {
        simd::forbid_avx2(is_set);
    }
    if SET[option as usize].swap(is_set, Ordering::Relaxed) != is_set {
        REVISION.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Whether one of the options is set.
#[unsafe(export_name = "ldy_entry_is_set")]
pub extern "C" fn is_set(option: c_int) -> bool {
    SET[option as usize].load(Ordering::Relaxed)
}

/// A number that changes with every change of an option or of the number of threads. Results are not reused across such
/// changes: a host that withdraws its promise to leave W unchanged may write to W until it renews the promise.
pub fn revision() -> u32 {
    REVISION.load(Ordering::Relaxed)
}

/// How many threads updates may use.
pub fn threads() -> c_int {
    c_int::try_from(team::asked()).unwrap_or(c_int::MAX)
}

/// Set the number of threads.
pub fn set_threads(count: c_int) -> Result {
    match usize::try_from(count) {
        Ok(count @ 1..=team::MOST) => {
            if team::asked() != count {
                REVISION.fetch_add(1, Ordering::Relaxed);
            }
            team::ask(count);
            Ok(())
        }
        _ => Err(invalid!("{count} threads")),
    }
}
