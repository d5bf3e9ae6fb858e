//! The headers compile without a warning, alone and among a host's headers, in C and C++, serial and MPI.

use crate::compiler::{compiler, run};
use std::process::Command;

const STRICT: [&str; 7] =
    ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wundef", "-fsyntax-only", "-Iinclude"];

/// Every language, each for a serial and an MPI build.
fn compilers() -> impl Iterator<Item = Command> {
    let languages = [("CC", "cc", "c", "c99"), ("CC", "cc", "c", "c11"), ("CXX", "c++", "c++", "c++17")];
    languages.into_iter().flat_map(|(variable, default, language, standard)| {
        [&[] as &[&str], &["-DMPI"]].map(|defines| {
            let mut command = compiler(variable, default);
            command.args(["-x", language]).arg(format!("-std={standard}")).args(STRICT).args(defines);
            command
        })
    })
}

/// Compiles a program of `c_tests/headers` in every way, with the stub headers of a host in reach or not.
fn compiles(program: &str, stubs: bool) {
    for mut command in compilers() {
        if stubs {
            command.arg("-Ic_tests/headers/stub");
        }
        let (success, messages) = run(command.arg("c_tests/headers/".to_string() + program));
        assert!(success && messages.is_empty(), "{command:?}\n{messages}");
    }
}

#[test]
fn ldy_host_h_alone_declares_all_that_a_program_needs() {
    compiles("host_alone.c", false);
}

#[test]
fn ldy_system_h_needs_no_other_header_and_minds_none() {
    compiles("system_alone.c", false);
    compiles("system_beside_host.c", false);
    compiles("system_before_host.c", false);
}

#[test]
fn structures_of_our_own_stay_as_they_are() {
    compiles("fixed_layouts.c", false);
}

#[test]
fn ldy_h_after_ldy_host_h_changes_nothing() {
    compiles("host_and_operators.c", false);
}

#[test]
fn ldy_h_brings_the_headers_of_a_host() {
    compiles("ldy_alone.c", true);
}

#[test]
fn ldy_h_follows_the_headers_of_a_host() {
    compiles("ldy_last.c", true);
}

#[test]
fn ldy_h_precedes_the_headers_of_a_host() {
    compiles("ldy_first.c", true);
}

#[test]
fn ldy_host_h_after_ldy_h_is_refused_with_a_reason() {
    for mut command in compilers() {
        command.args(["-Ic_tests/headers/stub", "-include", "ldy.h", "include/ldy_host.h"]);
        let (success, messages) = run(&mut command);
        assert!(!success && messages.contains("include it before ldy.h"), "{command:?}\n{messages}");
    }
}
