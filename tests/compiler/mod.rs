//! Runs the C and C++ compilers and `make` on files of this repository.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder above tests").to_path_buf()
}

/// A command in the root of the repository whose messages are in English.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).env("LC_ALL", "C");
    command
}

/// The compiler that an environment variable names, or else the system's own.
pub fn compiler(variable: &str, default: &str) -> Command {
    let named = std::env::var(variable).unwrap_or_else(|_| default.to_string());
    let mut words = named.split_whitespace();
    let mut compiler = command(words.next().unwrap_or(default));
    compiler.args(words);
    compiler
}

/// Runs a command: whether it succeeded, and its standard output followed by its standard error.
pub fn run(command: &mut Command) -> (bool, String) {
    let Output { status, stdout, stderr } =
        command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    (status.success(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

/// Copies the public headers into a directory, `ldy_host.h` with pieces of its text replaced, one after the
/// other.
pub fn copy_headers_with(directory: &Path, edits: &[(&str, &str)]) {
    let include = root().join("include");
    std::fs::copy(include.join("ldy.h"), directory.join("ldy.h")).expect("ldy.h");
    let mut host = std::fs::read_to_string(include.join("ldy_host.h")).expect("ldy_host.h");
    for (old, new) in edits {
        assert_eq!(host.matches(old).count(), 1, "`{old}` is to be in ldy_host.h once");
        host = host.replace(old, new);
    }
    std::fs::write(directory.join("ldy_host.h"), host).expect("a copy of ldy_host.h");
}
