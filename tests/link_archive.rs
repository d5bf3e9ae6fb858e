//! libldy.a in the ways in which programs are linked: flags, order, one object, beside another Rust library.

use crate::compiler::command;
use crate::library::programs::{Hosts, check_bare, check_cpp, check_full};
use crate::library::{Workshop, archive, cc, cxx, native_libraries, succeeds};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A way to link: the flags in front, and whether the system's libraries are linked statically too.
struct Way {
    name: &'static str,
    flags: &'static [&'static str],
    wholly_static: bool,
}

const fn way(name: &'static str, flags: &'static [&'static str]) -> Way {
    Way { name, flags, wholly_static: false }
}

const PLAIN: Way = way("plain", &[]);
const WAYS: [Way; 6] = [
    PLAIN,
    way("as-needed", &["-Wl,--as-needed"]),
    way("gc-sections", &["-Wl,--gc-sections"]),
    way("now", &["-Wl,-z,now"]),
    way("no-pie", &["-no-pie"]),
    Way { name: "static-pie", flags: &["-static-pie", "-Wl,--gc-sections"], wholly_static: true },
];

/// The documented order: flags, the program's objects and archives, the library, the system's libraries.
/// (There is no static libgcc_s: in wholly static programs the compiler chooses the unwinder itself.)
fn line(way: &Way, objects: &[PathBuf], library: &Path) -> Vec<OsString> {
    let native = native_libraries().into_iter().filter(|name| !way.wholly_static || name != "-lgcc_s");
    let objects = objects.iter().map(OsString::from);
    let flags = way.flags.iter().map(OsString::from);
    flags.chain(objects).chain([library.into()]).chain(native.map(OsString::from)).collect()
}

/// Links and runs the three hosts.
fn hosts_work(workshop: &Workshop, hosts: &Hosts, library: &Path, way: &Way) {
    let linked = |linker: Command, kind: &str, objects: &[PathBuf]| {
        let name = format!("{kind}-{}", way.name);
        let (success, messages) = workshop.try_link(linker, &name, &line(way, objects, library));
        // Rust's runtime names functions of glibc that need its shared library, none of which is called: the linker warns.
        assert!(success && (way.wholly_static || messages.is_empty()), "{name}: {messages}");
        workshop.path(&name)
    };
    check_full(&linked(cc(), "full", &hosts.full));
    check_bare(&linked(cc(), "bare", &hosts.bare));
    check_cpp(&linked(cxx(), "cpp", &hosts.cpp));
}

#[test]
fn every_host_works_with_every_flag() {
    let workshop = Workshop::new();
    let hosts = Hosts::compile(&workshop);
    for way in &WAYS {
        hosts_work(&workshop, &hosts, &archive(), way);
    }
}

/// Neither stripped nor without the sections that it does not need.
#[test]
fn a_minimal_program_is_small() {
    let workshop = Workshop::new();
    let program = workshop.compile("examples/minimal.c", "minimal.o", &[]);
    let linked = workshop.link(cc(), "minimal", &line(&PLAIN, &[program], &archive()));
    let bytes = std::fs::metadata(linked).expect("the program").len();
    assert!(bytes <= 4_600_000, "{bytes} bytes");
}

/// The output of `ld -r` for all objects of the archive.
fn partially_linked(workshop: &Workshop) -> PathBuf {
    let object = workshop.path("ldy.o");
    succeeds(command("ld").args(["-r", "--whole-archive"]).arg(archive()).arg("-o").arg(&object));
    object
}

#[test]
fn every_host_works_with_the_library_linked_into_one_object() {
    let workshop = Workshop::new();
    let hosts = Hosts::compile(&workshop);
    let object = partially_linked(&workshop);
    for way in WAYS.iter().filter(|way| ["plain", "gc-sections"].contains(&way.name)) {
        hosts_work(&workshop, &hosts, &object, way);
    }
}

#[test]
fn behind_the_hosts_archive_its_operators_are_the_hosts() {
    let workshop = Workshop::new();
    let (program, host) = operators_and_archive(&workshop);
    let arguments = line(&PLAIN, &[program, host], &archive());
    let printed = succeeds(&mut Command::new(workshop.link(cc(), "right", &arguments)));
    assert!(printed.contains("BODY_Gen_To_Loc_Operator: the host's\n"), "{printed}");
    assert!(!printed.contains("the library's"), "{printed}");
}

/// What happens then: the library's weak operators already are there when the linker comes to the archive,
/// which it has no reason to open for them. No error, no warning.
#[test]
fn before_the_hosts_archive_its_operators_are_the_librarys() {
    let workshop = Workshop::new();
    let (program, host) = operators_and_archive(&workshop);
    let mut arguments = line(&PLAIN, &[program], &archive());
    arguments.push(host.into());
    let printed = succeeds(&mut Command::new(workshop.link(cc(), "wrong", &arguments)));
    assert!(printed.contains("BODY_Gen_To_Loc_Operator: the library's\n"), "{printed}");
    assert!(!printed.contains("the host's"), "{printed}");
}

/// A program that calls the operators, and a host's archive with operators of its own.
fn operators_and_archive(workshop: &Workshop) -> (PathBuf, PathBuf) {
    let program = workshop.compile("c_tests/link/operators.c", "operators_program.o", &[]);
    let objects = workshop.compile_host(&["host", "set", "matrix", "operators"]);
    (program, workshop.archive("libhost.a", &objects))
}

#[test]
fn before_the_programs_objects_nothing_is_found() {
    let workshop = Workshop::new();
    let program = workshop.compile("examples/minimal.c", "minimal.o", &[]);
    let mut arguments = line(&PLAIN, &[], &archive());
    arguments.insert(1, program.into());
    let (success, messages) = workshop.try_link(cc(), "nothing", &arguments);
    assert!(!success && messages.contains("undefined reference to `LOCDYN_Create'"), "{messages}");
}

#[test]
fn a_second_rust_library_works_beside_it_in_either_order() {
    let workshop = Workshop::new();
    let program = workshop.compile("c_tests/link/two_rust.c", "two_rust.o", &[]);
    let second = workshop.path("libsecond.a");
    let mut rustc = command(&std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()));
    rustc.args(["--edition", "2024", "--crate-type", "staticlib", "-C", "panic=unwind"]);
    succeeds(rustc.arg("c_tests/link/second.rs").arg("-o").arg(&second));
    for (name, [first, last]) in [("before", [&second, &archive()]), ("after", [&archive(), &second])] {
        let arguments = line(&PLAIN, &[program.clone(), first.clone()], last);
        let program = workshop.link(cc(), name, &arguments);
        assert_eq!(succeeds(&mut Command::new(program)), "panic caught: 1, thread: 42\nrows: 0\n");
    }
}

/// A library of another version of Rust has a runtime of its own, with a name that ours has, too; here a C function stands for it.
#[test]
fn its_runtime_gets_along_with_that_of_another_version_of_rust() {
    let workshop = Workshop::new();
    let program = workshop.compile("examples/minimal.c", "minimal.o", &[]);
    let source = workshop.path("runtime.c");
    std::fs::write(&source, "void rust_eh_personality (void);\nvoid rust_eh_personality (void) { }\n")
        .expect("a source");
    let other = workshop.compile(source.to_str().expect("a path in UTF-8"), "runtime.o", &[]);
    let linked = workshop.link(cc(), "other_runtime", &line(&PLAIN, &[program, other], &archive()));
    let printed = succeeds(&mut Command::new(linked));
    assert!(printed.contains("W = 0.005 in the normal direction"), "{printed}");
}
