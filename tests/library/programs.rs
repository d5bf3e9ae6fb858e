//! The programs of `c_tests/link` that show whether a library works in them, and what they have to print.

use super::{Workshop, succeeds};
use crate::compiler::{command, run};
use std::path::{Path, PathBuf};

/// Every host compiled, to be linked in many ways.
pub struct Hosts {
    /// With operators, timers, error stack and texts of its own.
    pub full: Vec<PathBuf>,
    /// With none of them.
    pub bare: Vec<PathBuf>,
    /// In C++.
    pub cpp: Vec<PathBuf>,
}

impl Hosts {
    pub fn compile(workshop: &Workshop) -> Hosts {
        let mut bare = workshop.compile_host(&["host", "set", "matrix"]);
        let mut full = [bare.clone(), workshop.compile_host(&["hooks", "operators"])].concat();
        full.push(workshop.compile("c_tests/link/full_host.c", "full_host.o", &["-fPIE"]));
        bare.push(workshop.compile("c_tests/link/bare_host.c", "bare_host.o", &["-fPIE"]));
        let cpp = vec![workshop.compile("c_tests/link/host.cpp", "host_cpp.o", &["-fPIE"])];
        Hosts { full, bare, cpp }
    }
}

/// W of one constraint in the center of a body of unit inverse: h I, h = 0.001.
const UNIT_W: &str = "W = 0.001 0.001 0.001\n";

/// The timers ran, the host's operators won, and the library jumped to its error stack after it had reported the details.
pub fn check_full(program: &Path) {
    let expected =
        UNIT_W.to_string() + "timers: 1 1 LOCDYN\noperators: the host's\nerror stack: 52, details: yes\n";
    let printed = succeeds(&mut command_of(program));
    // On stderr, before the jump.
    let told = printed.strip_prefix(&expected);
    assert!(told.is_some_and(|line| line.contains("dia is NULL")), "{}: {printed}", program.display());
    let (success, messages) = run(command_of(program).arg("unhandled"));
    assert!(!success, "{}", program.display());
    let text = "ldy: error 52 of the host's own table: ";
    assert!(messages.contains(text), "{}: {messages}", program.display());
}

/// The library replaced all that is missing: operators, and a line on stderr for an error.
pub fn check_bare(program: &Path) {
    let (success, messages) = run(&mut command_of(program));
    // Column 0 of skew (0 - X), X = (0.5, 0.25, 0), is (0, -X[2], X[1]).
    let expected = format!("H(2,0) = 0.25\n{UNIT_W}");
    assert!(!success && messages.starts_with(&expected), "{}: {messages}", program.display());
    assert!(messages[expected.len()..].starts_with("ldy: "), "{}: {messages}", program.display());
}

/// W = h (I + skew(X) skew(X)^T), X = (1, 0, 0), h = 0.5.
pub fn check_cpp(program: &Path) {
    assert_eq!(succeeds(&mut command_of(program)), "W = 0.5 1 1\n", "{}", program.display());
}

fn command_of(program: &Path) -> std::process::Command {
    command(program.to_str().expect("a path in UTF-8"))
}
