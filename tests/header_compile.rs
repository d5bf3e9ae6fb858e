//! The headers and the examples compile without a warning with GCC and Clang: headers alone and among a host's headers, in C and C++,
//! serial and MPI.

use crate::compiler::{compiler, root, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const STRICT: [&str; 6] = ["-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wundef", "-Werror"];
pub const STRICT_CPP: [&str; 3] = ["-Wshadow", "-Wold-style-cast", "-Wsign-conversion"];

/// GCC and Clang for each standard of C.
fn c_compilers() -> impl Iterator<Item = Command> {
    let compilers = [("CC", "cc"), ("CLANG", "clang")];
    compilers.into_iter().flat_map(|(variable, default)| {
        ["-std=c99", "-std=c11", "-std=c17"].map(|standard| {
            let mut command = compiler(variable, default);
            command.args(["-x", "c", standard, "-fsyntax-only", "-Iinclude"]).args(STRICT);
            command
        })
    })
}

/// GCC and Clang for each standard of C++.
fn cpp_compilers() -> impl Iterator<Item = Command> {
    [("CXX", "c++"), ("CLANGXX", "clang++")]
        .into_iter()
        .flat_map(|(variable, default)| of_cpp(variable, default))
}

fn of_cpp(variable: &str, default: &str) -> [Command; 2] {
    ["-std=c++17", "-std=c++20"].map(|standard| {
        let mut command = compiler(variable, default);
        command.args(["-x", "c++", standard, "-fsyntax-only", "-Iinclude"]).args(STRICT).args(STRICT_CPP);
        command
    })
}

/// Every language, each for a serial and an MPI build.
fn compilers() -> impl Iterator<Item = Command> {
    let serial = c_compilers().chain(cpp_compilers());
    let mpi = c_compilers().chain(cpp_compilers()).map(|mut command| {
        command.arg("-DMPI");
        command
    });
    serial.chain(mpi)
}

fn passes(command: &mut Command) {
    let (success, messages) = run(command);
    assert!(success && messages.is_empty(), "{command:?}\n{messages}");
}

/// Compiles a program of `c_tests/headers` in every way, with the stub headers of a host in reach or not.
fn compiles(program: &str, stubs: bool) {
    for mut command in compilers() {
        if stubs {
            command.arg("-Ic_tests/headers/stub");
        }
        passes(command.arg("c_tests/headers/".to_string() + program));
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

/// With Clang: the tests of `cpp_header` compile and run them with GCC.
#[test]
fn ldy_hpp_compiles_in_programs_that_use_all_of_it() {
    for program in ["c_tests/system/cpp_header.cpp", "examples/chain.cpp"] {
        for mut command in of_cpp("CLANGXX", "clang++") {
            passes(command.args(["-Ic_tests", program]));
        }
    }
    for header in ["ldy_bridge.hpp", "ldy_parallel.hpp"] {
        for mut command in cpp_compilers() {
            passes(command.args(["-Ic_tests/headers/stub", "-include", header, "/dev/null"]));
        }
    }
}

/// Whether a program needs a header of another project that is not installed.
fn lacks_a_header(program: &Path) -> bool {
    let (_, messages) = run(compiler("CC", "cc").args(["-fsyntax-only", "-Iinclude", "-I."]).arg(program));
    let others = ["mujoco/mujoco.h", "fclib.h", "ode/ode.h"];
    others.iter().any(|header| messages.contains(&format!("{header}: No such file or directory")))
}

#[test]
fn the_c_examples_compile_without_warnings() {
    let folders = ["examples", "examples/ode"].map(|folder| root().join(folder));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder of examples"));
    let files = entries.map(|entry| entry.expect("an entry").path());
    let programs = files.filter(|file| file.extension().is_some_and(|ending| ending == "c"));
    let programs: Vec<PathBuf> = programs.filter(|program| !lacks_a_header(program)).collect();
    assert!(programs.len() >= 7, "{programs:?}");
    for program in programs {
        for mut command in c_compilers() {
            passes(command.args(["-I.", "-Ic_tests"]).arg(&program));
        }
    }
}
