//! libldy.so with hosts that have all, nothing, or load it themselves.

use crate::compiler::{command, run};
use crate::library::programs::{Hosts, check_bare, check_cpp, check_full};
use crate::library::{Workshop, cc, cxx, shared, shared_directory, so_version, succeeds};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Flags, objects, and the library with the path by which the loader will find it.
fn line(flags: &[&str], objects: &[PathBuf]) -> Vec<OsString> {
    let directory = shared_directory();
    let directory = directory.to_str().expect("a path in UTF-8");
    let library = [format!("-L{directory}"), format!("-Wl,-rpath,{directory}"), "-lldy".to_string()];
    flags
        .iter()
        .map(OsString::from)
        .chain(objects.iter().map(OsString::from))
        .chain(library.map(OsString::from))
        .collect()
}

/// The library finds hooks of a full host because the linker saw that it asks for them: no -rdynamic.
#[test]
fn every_host_works_with_every_flag() {
    let workshop = Workshop::new();
    let hosts = Hosts::compile(&workshop);
    let ways: [(&str, &[&str]); 5] = [
        ("plain", &[]),
        ("as-needed", &["-Wl,--as-needed"]),
        ("gc-sections", &["-Wl,--gc-sections"]),
        ("now", &["-Wl,-z,now"]),
        ("no-pie", &["-no-pie"]),
    ];
    for (name, flags) in ways {
        let linked = |linker: Command, kind: &str, objects: &[PathBuf]| {
            workshop.link(linker, &format!("{kind}-{name}"), &line(flags, objects))
        };
        check_full(&linked(cc(), "full", &hosts.full));
        check_bare(&linked(cc(), "bare", &hosts.bare));
        check_cpp(&linked(cxx(), "cpp", &hosts.cpp));
    }
}

#[test]
fn programs_ask_for_the_library_by_its_soname() {
    let workshop = Workshop::new();
    let object = workshop.compile("examples/minimal.c", "minimal.o", &[]);
    let program = workshop.link(cc(), "minimal", &line(&[], &[object]));
    let dynamic = succeeds(command("readelf").arg("--dynamic").arg(program));
    let soname = format!("Shared library: [libldy.so.{}]", so_version(env!("CARGO_PKG_VERSION")));
    assert!(dynamic.contains(&soname), "{dynamic}");
}

/// A legacy object beside the library: the program's twelve win, and the additions are the library's.
#[test]
fn a_legacy_object_in_the_program_wins() {
    let workshop = Workshop::new();
    let mut objects = workshop.compile_host(&["host", "set", "matrix", "locdyn"]);
    objects.push(workshop.compile("c_tests/link/legacy_object.c", "legacy_object.o", &[]));
    let program = workshop.link(cc(), "legacy", &line(&[], &objects));
    let printed = succeeds(&mut Command::new(program));
    assert!(printed.contains("free_energy = 4711, measures 4712 "), "{printed}");
    assert!(printed.contains("version is there: 1\n"), "{printed}");
}

/// -fvisibility=hidden keeps a host's symbols from every shared library: no error, but nobody calls the hooks.
#[test]
fn a_host_that_hides_its_symbols_is_one_without_hooks() {
    let workshop = Workshop::new();
    let mut objects = workshop.compile_host(&["host", "set", "matrix", "operators"]);
    for (source, name) in [("support/host/hooks.c", "hooks.o"), ("link/full_host.c", "full_host.o")] {
        let source = format!("c_tests/{source}");
        objects.push(workshop.compile(&source, name, &["-fPIE", "-fvisibility=hidden"]));
    }
    let program = workshop.link(cc(), "hidden", &line(&[], &objects));
    let (success, messages) = run(&mut Command::new(program));
    assert!(!success && messages.contains("timers: 0 0 none\n"), "{messages}");
    assert!(messages.contains("\nldy: ") && !messages.contains("the host's own table"), "{messages}");
}

/// The linker did not see the library then, so it keeps the host's symbols to itself unless an option says otherwise.
#[test]
fn a_host_that_loads_it_itself_is_to_be_linked_with_rdynamic() {
    let workshop = Workshop::new();
    // At link time there is no library that the headers could ask for.
    let flags = ["-D_GNU_SOURCE", "-DLDY_NO_LINK_CHECK"];
    let objects = [("c_tests/support/host/hooks.c", "hooks.o"), ("c_tests/link/loader.c", "loader.o")]
        .map(|(source, object)| workshop.compile(source, object, &flags));
    let cases = [
        ("-rdynamic", true, "error stack: 52\n"),
        ("-Wl,--no-export-dynamic", false, "no error stack\nldy: "),
    ];
    for (flag, succeeds, expected) in cases {
        let objects = objects.iter().map(OsString::from);
        let arguments: Vec<OsString> =
            [flag.into()].into_iter().chain(objects).chain(["-ldl".into()]).collect();
        let program = workshop.link(cc(), &format!("loader-{succeeds}"), &arguments);
        let (success, messages) = run(Command::new(program).arg(shared()));
        assert!(success == succeeds && messages.starts_with(expected), "{flag}: {messages}");
    }
}
