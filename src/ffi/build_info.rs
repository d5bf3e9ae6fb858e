//! Version, build and settings of this library, in a line that a host may log.

use std::ffi::{CStr, c_char};
use std::fmt::{self, Write};
use std::sync::OnceLock;

use crate::math::simd;
use crate::team;

use super::errors::Text;

unsafe extern "C" {
    safe fn ldy_identity_mpi() -> *const c_char;
}

/// Settings that a host can change.
#[derive(Clone, Copy, PartialEq)]
struct Settings {
    threads: usize,
    avx2: bool,
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let vectors = if self.avx2 { "AVX2" } else { "plain" };
        write!(f, "; threads: {}; vectors: {vectors}", self.threads)
    }
}

/// Number of texts kept; more than the settings that a host tries.
const MOST: usize = 8;

/// Texts never change, since hosts keep pointers to them. So each of the first settings has a text of its own.
static TEXTS: [OnceLock<(Settings, Text)>; MOST] = [const { OnceLock::new() }; MOST];
/// The text for all further settings: it does not name them.
static OTHERS: OnceLock<Text> = OnceLock::new();

/// Return the line, a string of static lifetime. This allocates nothing.
pub fn text() -> *const c_char {
    let now = Settings { threads: team::asked(), avx2: simd::uses_avx2() };
    let mut known = TEXTS.iter().map(|place| place.get_or_init(|| (now, line(format_args!("{now}")))));
    let fitting = known.find(|(settings, _)| *settings == now).map(|(_, text)| text);
    fitting.unwrap_or_else(|| OTHERS.get_or_init(|| line(format_args!("")))).as_ptr()
}

fn line(settings: fmt::Arguments) -> Text {
    // SAFETY: C returns a string literal.
    let mpi = unsafe { CStr::from_ptr(ldy_identity_mpi()) }.to_str().unwrap_or_default();
    let (layouts, of) = if cfg!(feature = "mpi") { ("MPI", "; ") } else { ("serial", "") };
    let (version, target, compiler) = (env!("CARGO_PKG_VERSION"), env!("LDY_TARGET"), env!("LDY_RUSTC"));
    let mut text = Text::new();
    // Writing to a Text never fails; it cuts.
    let _ =
        write!(text, "ldy {version}; layouts: {layouts}{of}{mpi}{settings}; target: {target}; {compiler}");
    text
}
