//! Error codes, the details of a thread's last error, and the host's handler.
//!
//! Nothing here allocates, so that exhausted memory can be reported.

use std::cell::Cell;
use std::collections::TryReserveError;
use std::ffi::{c_char, c_int, c_void};
use std::fmt::{self, Write};
use std::result;
use std::sync::Mutex;

use super::codes::*;

/// Result of functions that may fail with a code; `T` defaults to `()`.
pub type Result<T = (), E = Code> = result::Result<T, E>;

/// The codes of the legacy program that this library raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// No error: a legacy module's values are not the library's.
    Differs = LDY_DIFFERS,
    /// Memory exhausted.
    OutOfMemory = LDY_ERROR_OUT_OF_MEMORY,
    /// A file cannot be opened.
    FileOpen = LDY_ERROR_FILE_OPEN,
    /// A file cannot be written.
    FileWrite = LDY_ERROR_FILE_WRITE,
    /// Not in this build or version.
    NotImplemented = LDY_ERROR_NOT_IMPLEMENTED,
    /// A diagonal block, or a general matrix A, is singular.
    Singular = LDY_ERROR_SINGULAR,
    /// A symmetric matrix A is not positive definite.
    NotPositiveDefinite = LDY_ERROR_NOT_POSITIVE_DEFINITE,
    /// An inverse is missing, of unknown kind, ill-formed or of wrong size.
    InvalidFormat = LDY_ERROR_INVALID_FORMAT,
    /// The eigenvalue iteration failed.
    Eigenvalues = LDY_ERROR_EIGENVALUES,
    /// The local coordinates of a point in its element were not found.
    PointNotInElement = LDY_ERROR_POINT_NOT_IN_ELEMENT,
    /// NULL or inconsistent argument, unknown kind, non-finite value.
    InvalidArgument = LDY_ERROR_INVALID_ARGUMENT,
    /// No successful update since the last change.
    StaleResults = LDY_ERROR_STALE_RESULTS,
    /// No such body or constraint.
    NotFound = LDY_ERROR_NOT_FOUND,
    /// A count is too large.
    TooLarge = LDY_ERROR_TOO_LARGE,
    /// An iteration did not converge.
    NotConverged = LDY_ERROR_NOT_CONVERGED,
}

/// The code with a number that another process has sent.
#[cfg(feature = "mpi")]
pub fn code_of_number(number: c_int) -> Code {
    let codes = [
        Code::OutOfMemory,
        Code::FileOpen,
        Code::FileWrite,
        Code::NotImplemented,
        Code::Singular,
        Code::NotPositiveDefinite,
        Code::InvalidFormat,
        Code::Eigenvalues,
        Code::PointNotInElement,
        Code::StaleResults,
        Code::NotFound,
        Code::TooLarge,
        Code::NotConverged,
    ];
    codes.into_iter().find(|&code| code as c_int == number).unwrap_or(Code::InvalidArgument)
}

/// The meaning of a code: a string of static lifetime.
pub fn meaning(code: c_int) -> *const c_char {
    let text = match code {
        LDY_DIFFERS => c"The legacy module differs",
        LDY_ERROR_OUT_OF_MEMORY => c"Out of memory",
        LDY_ERROR_FILE_OPEN => c"File cannot be opened",
        LDY_ERROR_FILE_WRITE => c"File cannot be written",
        LDY_ERROR_NOT_IMPLEMENTED => c"Not implemented",
        LDY_ERROR_SINGULAR => c"Singular matrix",
        LDY_ERROR_NOT_POSITIVE_DEFINITE => c"Matrix not positive definite",
        LDY_ERROR_INVALID_FORMAT => c"Invalid matrix",
        LDY_ERROR_EIGENVALUES => c"Eigenvalue decomposition failed",
        LDY_ERROR_POINT_NOT_IN_ELEMENT => c"Local coordinates of a point in a finite element not found",
        LDY_ERROR_INVALID_ARGUMENT => c"Invalid input or inconsistent state",
        LDY_ERROR_STALE_RESULTS => c"No successful update since the last change",
        LDY_ERROR_NOT_FOUND => c"No such body or constraint",
        LDY_ERROR_TOO_LARGE => c"Too large",
        LDY_ERROR_NOT_CONVERGED => c"Iteration did not converge",
        0 => c"Success",
        _ => c"Unknown error",
    };
    text.as_ptr()
}

/// Keep the details of an error, formatted like `format!`, and return its code.
macro_rules! fail {
    ($code:expr, $($text:tt)+) => {
        $crate::ffi::errors::record($code, format_args!($($text)+))
    };
}
pub(crate) use fail;

/// The error of an argument or of input that is not valid: `fail!` with [`Code::InvalidArgument`].
macro_rules! invalid {
    ($($text:tt)+) => {
        $crate::ffi::errors::record($crate::ffi::errors::Code::InvalidArgument, format_args!($($text)+))
    };
}
pub(crate) use invalid;

/// Where an error of the neutral face occurred: ids and indices, −1 where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whereabouts {
    /// The id of a constraint.
    pub constraint: i64,
    /// The id of a body.
    pub body: i64,
    /// The index of an entry of many.
    pub entry: i64,
    /// The index of a row of W.
    pub row: i64,
}

impl Whereabouts {
    /// No constraint, body, entry or row.
    pub const NOWHERE: Self = Self { constraint: -1, body: -1, entry: -1, row: -1 };
}

/// An error of a thread.
#[derive(Clone, Copy)]
#[repr(C)]
struct Last {
    text: Text,
    code: c_int,
    place: Whereabouts,
}

thread_local! {
    static LAST: Cell<Last> =
        const { Cell::new(Last { text: Text::new(), code: 0, place: Whereabouts::NOWHERE }) };
}

/// Bytes of a text, enough for a constraint, its bodies and a cause; longer texts are cut.
const TEXT_SIZE: usize = LDY_REPORT_TEXT;

/// A C string of bounded length. The bytes are the first field, so that they have the address of the structure.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Text {
    bytes: [u8; TEXT_SIZE],
    length: usize,
}

impl Text {
    /// An empty text.
    pub(super) const fn new() -> Self {
        Self { bytes: [0; TEXT_SIZE], length: 0 }
    }

    /// The text for C, terminated by zero.
    pub const fn as_ptr(&self) -> *const c_char {
        self.bytes.as_ptr().cast()
    }

    /// The text, padded with zeros.
    pub const fn bytes(&self) -> &[u8; TEXT_SIZE] {
        &self.bytes
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default())
    }
}

impl Write for Text {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let room = TEXT_SIZE - 1 - self.length;
        let count = (0..=room.min(piece.len())).rev().find(|&at| piece.is_char_boundary(at)).unwrap_or(0);
        self.bytes[self.length..self.length + count].copy_from_slice(&piece.as_bytes()[..count]);
        self.length += count;
        Ok(())
    }
}

/// Keep the details of an error as this thread's last, and return its code. See `fail!`.
pub fn record(code: Code, details: fmt::Arguments) -> Code {
    located(code, details, Whereabouts::NOWHERE)
}

/// The same for an error whose whereabouts are known.
pub fn located(code: Code, details: impl fmt::Display, place: Whereabouts) -> Code {
    let mut text = Text::new();
    // Writing to a Text never fails; only a Display with an error of its own could fail here.
    let _ = write!(text, "{details}");
    LAST.set(Last { text, code: code as c_int, place });
    code
}

/// Put the subject of this thread's last error before its details.
pub fn about(subject: impl fmt::Display, code: Code) -> Code {
    fail!(code, "{subject}: {}", last())
}

/// The details of this thread's last error; empty if there was none.
pub fn last() -> Text {
    LAST.get().text
}

/// The code of this thread's last error, 0 if there was none, and where it occurred.
pub fn last_place() -> (c_int, Whereabouts) {
    let Last { code, place, .. } = LAST.get();
    (code, place)
}

/// The same for C, valid until the thread's next error.
pub fn last_text() -> *const c_char {
    LAST.with(|last| last.as_ptr().cast_const().cast())
}

impl From<TryReserveError> for Code {
    /// Make the error this thread's last.
    fn from(_: TryReserveError) -> Self {
        fail!(Code::OutOfMemory, "out of memory")
    }
}

/// An error with its details, to be passed from one thread to another.
#[derive(Clone, Copy)]
pub struct DetailedError {
    code: Code,
    details: Last,
}

impl From<Code> for DetailedError {
    /// The thread's last error, which has this code.
    fn from(code: Code) -> Self {
        Self { code, details: LAST.get() }
    }
}

impl From<DetailedError> for Code {
    /// Make the error this thread's last.
    fn from(DetailedError { code, details }: DetailedError) -> Self {
        LAST.set(details);
        code
    }
}

/// The host's handler of errors.
#[derive(Clone, Copy)]
pub struct Handler {
    /// The function to call.
    pub function: unsafe extern "C" fn(c_int, *const c_char, *mut c_void),
    /// Its last argument.
    pub data: *mut c_void,
}

// SAFETY: the data is only passed to the host's own function, in the thread that meets an error; the header says that the
// setting holds for all threads.
unsafe impl Send for Handler {}

static HANDLER: Mutex<Option<Handler>> = Mutex::new(None);

/// Set or remove the handler of this process.
pub fn set_handler(handler: Option<Handler>) {
    *HANDLER.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = handler;
}

/// The handler of this process.
pub fn handler() -> Option<Handler> {
    *HANDLER.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    fn text() -> String {
        // SAFETY: the text is a C string of this thread, and no error happens while it is read.
        unsafe { CStr::from_ptr(last_text()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(text(), "");
        record(Code::InvalidArgument, format_args!("{}é", "x".repeat(TEXT_SIZE - 2)));
        assert_eq!(text(), "x".repeat(TEXT_SIZE - 2));
        record(Code::InvalidArgument, format_args!("short"));
        assert_eq!(text(), "short");
    }

    #[test]
    fn texts_belong_to_their_thread() {
        record(Code::InvalidArgument, format_args!("mine"));
        std::thread::spawn(|| assert_eq!(text(), "")).join().unwrap();
        assert_eq!(text(), "mine");
    }
}
