//! The library in its shipped form, and C programs linked with it.

pub mod programs;

use crate::compiler::{command, compiler, root, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};
use tempfile::TempDir;

/// The directory that cargo builds into.
pub fn target() -> PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    temporary.parent().expect("it lies in the target directory").to_path_buf()
}

/// Runs `make` with these arguments, apart from a `make` that these tests run under, and gives what it printed;
/// panics if it fails. Both libraries are up to date before, so that tests next to each other do not build it at the same time.
pub fn make(arguments: &[String]) -> String {
    shared_directory();
    make_alone(arguments)
}

/// The same before the library is built.
fn make_alone(arguments: &[String]) -> String {
    let mut make = command("make");
    for inherited in
        ["MAKEFLAGS", "MAKEOVERRIDES", "PREFIX", "LIBDIR", "INCLUDEDIR", "DESTDIR", "LDFLAGS", "STRIP"]
    {
        make.env_remove(inherited);
    }
    succeeds(make.arg("--no-print-directory").args(arguments).env("CARGO_TARGET_DIR", target()))
}

/// `make` with targets of `c_tests/Makefile`, whether it succeeded, and what it printed. `build` is its directory: tests in different
/// programs do not build the same files at the same time.
pub fn make_c_tests(build: &Path, arguments: &[&str]) -> (bool, String) {
    let mut make = command("make");
    make.env_remove("MAKEFLAGS").env_remove("MAKELEVEL").args(["--silent", "-f", "c_tests/Makefile"]);
    make.arg(format!("LDY_LIB={}", archive().display()));
    make.arg(format!("BUILD={}", build.display()));
    run(make.args(arguments))
}

/// Such a directory.
pub fn c_tests(place: &str) -> PathBuf {
    target().join("c_tests").join(place)
}

/// Runs a command and gives what it printed; panics if it fails.
pub fn succeeds(command: &mut Command) -> String {
    let (success, messages) = run(command);
    assert!(success, "{command:?}\n{messages}");
    messages
}

/// libldy.a of the release profile, without any feature; built by the first test that asks for it.
pub fn archive() -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        make_alone(&["library".into()]);
    });
    target().join("release/libldy.a")
}

/// The directory of libldy.so, up to date.
pub fn shared_directory() -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    archive();
    BUILT.get_or_init(|| {
        make_alone(&["shared".into()]);
    });
    target().join("shared")
}

/// The shared library itself, under the name with the version.
pub fn shared() -> PathBuf {
    shared_directory().join(concat!("libldy.so.", env!("CARGO_PKG_VERSION")))
}

/// The end of the SONAME: MAJOR.MINOR before 1.0, then MAJOR.
pub fn so_version(version: &str) -> &str {
    let parts = if version.starts_with("0.") { 2 } else { 1 };
    version.match_indices('.').nth(parts - 1).map_or(version, |(end, _)| &version[..end])
}

/// What libldy.a needs of the system.
pub fn native_libraries() -> Vec<String> {
    read("packaging/native-libs").split_whitespace().map(str::to_string).collect()
}

/// The names that the library exports.
pub fn exported_names() -> Vec<String> {
    let script = read("packaging/libldy.map");
    let (_, rest) = script.split_once("global:").expect("a list of global names");
    let (names, _) = rest.split_once("local:").expect("nothing else is exported");
    names.split_whitespace().map(|name| name.trim_end_matches(';').to_string()).collect()
}

/// The text of a file of the repository.
pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A symbol of an object, an archive or a shared library.
pub struct Symbol {
    /// Without its version.
    pub name: String,
    pub weak: bool,
    pub defined: bool,
}

/// The symbols that a file shows to others: those that a linker sees or, with `dynamic`, those that the loader sees.
/// (nm is no help with archives: where a plugin of LLVM is installed it fails at Rust's objects.)
pub fn symbols(file: &Path, dynamic: bool) -> Vec<Symbol> {
    let table = if dynamic { "--dyn-syms" } else { "--syms" };
    let text = succeeds(command("readelf").args([table, "--wide"]).arg(file));
    let mut symbols = Vec::new();
    for line in text.lines() {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [number, _, _, _, binding, visibility, section, name, ..] = columns[..] else { continue };
        if number.ends_with(':') && binding != "LOCAL" && matches!(visibility, "DEFAULT" | "PROTECTED") {
            symbols.push(Symbol {
                name: name.split('@').next().unwrap_or(name).to_string(),
                weak: binding == "WEAK",
                defined: section != "UND",
            });
        }
    }
    assert!(!symbols.is_empty(), "no symbols: {}\n{text}", file.display());
    symbols
}

/// A directory in which programs are compiled and linked.
pub struct Workshop {
    directory: TempDir,
}

impl Workshop {
    pub fn new() -> Workshop {
        Workshop { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Compiles a C or C++ source of the repository into the object `name`.
    pub fn compile(&self, source: &str, name: &str, flags: &[&str]) -> PathBuf {
        let object = self.path(name);
        let mut compiler = compiler_of(source);
        compiler.args(["-g", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror"]);
        compiler.args(["-ffunction-sections", "-fdata-sections", "-Iinclude", "-Ic_tests"]).args(flags);
        succeeds(compiler.arg("-c").arg(source).arg("-o").arg(&object));
        object
    }

    /// The objects of the small host in `c_tests/support/host`, one a source.
    pub fn compile_host(&self, sources: &[&str]) -> Vec<PathBuf> {
        sources
            .iter()
            .map(|name| {
                self.compile(&format!("c_tests/support/host/{name}.c"), &format!("{name}.o"), &["-fPIE"])
            })
            .collect()
    }

    /// Puts objects into an archive.
    pub fn archive(&self, name: &str, objects: &[PathBuf]) -> PathBuf {
        let archive = self.path(name);
        succeeds(command("ar").arg("rcs").arg(&archive).args(objects));
        archive
    }

    /// Links a program from arguments in this order.
    pub fn link<S: AsRef<std::ffi::OsStr>>(&self, linker: Command, name: &str, arguments: &[S]) -> PathBuf {
        let (success, messages) = self.try_link(linker, name, arguments);
        assert!(success && messages.is_empty(), "{name}: {messages}");
        self.path(name)
    }

    /// The same, where it may fail: whether it succeeded, and the linker's messages.
    pub fn try_link<S: AsRef<std::ffi::OsStr>>(
        &self,
        mut linker: Command,
        name: &str,
        arguments: &[S],
    ) -> (bool, String) {
        run(linker.args(arguments).arg("-o").arg(self.path(name)))
    }
}

/// The C compiler.
pub fn cc() -> Command {
    compiler("CC", "cc")
}

/// The C++ compiler.
pub fn cxx() -> Command {
    compiler("CXX", "c++")
}

fn compiler_of(source: &str) -> Command {
    let mut compiler = if source.ends_with(".cpp") { cxx() } else { cc() };
    compiler.arg(if source.ends_with(".cpp") { "-std=c++17" } else { "-std=c11" });
    compiler
}
