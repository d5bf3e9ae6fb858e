//! The static library, and the C programs that `c_tests/Makefile` builds and runs with it.

use crate::compiler::{command, run};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The target directory that these tests were built in.
fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target directory")
}

/// Runs a command that has to succeed; what it printed.
pub fn succeed(command: &mut std::process::Command) -> String {
    let (success, messages) = run(command);
    assert!(success, "{command:?}\n{messages}");
    messages
}

/// `libldy.a` of the release profile, without any feature; built by the first test that asks for it.
pub fn static_library() -> &'static Path {
    static LIBRARY: LazyLock<PathBuf> = LazyLock::new(|| {
        let mut cargo = command(env!("CARGO"));
        cargo.args(["build", "--release", "--locked", "--lib", "--target-dir"]).arg(target());
        succeed(&mut cargo);
        target().join("release/libldy.a")
    });
    &LIBRARY
}

/// The path of the system's C or C++ compiler, as the crate `cc` finds it.
#[allow(dead_code, reason = "one of the tests compiles nothing")]
fn compiler(cpp: bool) -> PathBuf {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let version = succeed(command(&rustc).arg("-vV"));
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host triple");
    let mut build = cc::Build::new();
    build
        .cpp(cpp)
        .host(host)
        .target(host)
        .opt_level(1)
        .cargo_metadata(false)
        .out_dir(env!("CARGO_TARGET_TMPDIR"));
    build.get_compiler().path().to_path_buf()
}

/// `make` with a target of `c_tests/Makefile`. `place` is a directory of its own under the target directory,
/// so that tests in different programs do not build the same files at the same time.
#[allow(dead_code, reason = "one of the tests compiles nothing")]
pub fn make(place: &str, arguments: &[&str]) -> (bool, String) {
    let mut make = command("make");
    make.env_remove("MAKEFLAGS").env_remove("MAKELEVEL");
    make.args(["--silent", "-f", "c_tests/Makefile"]);
    make.arg(format!("CC={}", compiler(false).display()));
    make.arg(format!("CXX={}", compiler(true).display()));
    make.arg(format!("LDY_LIB={}", static_library().display()));
    make.arg(format!("BUILD={}", build(place).display()));
    run(make.args(arguments))
}

/// Where `make` puts what it builds.
#[allow(dead_code, reason = "one of the tests compiles nothing")]
pub fn build(place: &str) -> PathBuf {
    target().join("c_tests").join(place)
}
