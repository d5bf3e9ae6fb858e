//! Emits `OUT_DIR/layout.rs` from the tables in `src/legacy`, and compiles the C files there.

use ldy_codegen::Table;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

const LAYOUT: &str = "src/legacy/layout.tsv";
const ENUMERATIONS: &str = "src/legacy/enumerations.tsv";

/// The C files. Each becomes an object of its own: a program that links its own LOCDYN_* must not pull in ours together with
/// the hooks.
const C_FILES: [&str; 2] = ["src/legacy/entry.c", "src/legacy/hooks.c"];

/// The C file that identifies the MPI of the library. In a build for MPI, the compiler of that MPI compiles it.
const IDENTITY: &str = "src/legacy/identity.c";

/// The C files that call MPI, and their headers. Only a build for MPI compiles them, with the compiler of that MPI.
const MPI_FILES: [&str; 4] = [
    "src/legacy/mpi/calls.c",
    "src/parallel/mpi/parallel_calls.c",
    "src/legacy/mpi/calls.h",
    "src/parallel/mpi/parallel_calls.h",
];

fn main() {
    for input in ["build.rs", "include", "src/legacy/internal.h", IDENTITY, LAYOUT, ENUMERATIONS]
        .iter()
        .chain(C_FILES.iter().chain(&MPI_FILES))
    {
        println!("cargo:rerun-if-changed={input}");
    }
    let mpi = env::var_os("CARGO_FEATURE_MPI").is_some();
    emit_layout(mpi);
    emit_origin();
    compile_c(mpi);
    if mpi {
        compile_mpi();
    }
}

/// Record the target and the compiler of the library.
fn emit_origin() {
    let variable = |name: &str| env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"));
    println!("cargo:rustc-env=LDY_TARGET={}", variable("TARGET"));
    let version = Command::new(variable("RUSTC")).arg("--version").output();
    let version = version.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo:rustc-env=LDY_RUSTC={}", version.as_deref().map_or("rustc", str::trim));
}

fn emit_layout(mpi: bool) {
    let table = Table::parse(&read(LAYOUT), &read(ENUMERATIONS)).unwrap_or_else(|error| panic!("{error}"));
    let out = Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("layout.rs");
    fs::write(&out, ldy_codegen::emit(&table, mpi))
        .unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}

fn compile_c(mpi: bool) {
    let mut build = c_build();
    build.files(C_FILES);
    match mpi {
        true => build.define("MPI", None),
        false => build.file(IDENTITY),
    };
    build.compile("ldy_c");
}

fn c_build() -> cc::Build {
    let mut build = cc::Build::new();
    build.include("include").std("c11").pic(true).warnings(true).extra_warnings(true);
    build
}

/// Compile the file that calls MPI. LDY_MPICC or MPICC in the environment names the compiler of the MPI.
fn compile_mpi() {
    let variables = ["LDY_MPICC", "MPICC"];
    variables.iter().for_each(|variable| println!("cargo:rerun-if-env-changed={variable}"));
    let named = variables.iter().find_map(env::var_os).filter(|name| !name.is_empty());
    let compiler = named.unwrap_or_else(|| "mpicc".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        panic!("no MPI compiler {compiler:?}: install libopenmpi-dev or libmpich-dev, or set LDY_MPICC");
    }
    let mut build = c_build();
    build.compiler(compiler).files([MPI_FILES[0], MPI_FILES[1], IDENTITY]).define("MPI", None);
    build.compile("ldy_mpi");
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}
