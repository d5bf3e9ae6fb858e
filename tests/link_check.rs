//! The linker finds a library that does not fit: here the serial one. `make test-mpi` has the builds for MPI.

use crate::compiler::command;
use crate::library::{Workshop, archive, cc, cxx, native_libraries, shared_directory, succeeds};
use std::fs;
use std::path::{Path, PathBuf};

const EMPTY: &str = "#include \"ldy_host.h\"\nint main (void) { return 0; }\n";

/// What an MPI host's object asks for, by the macro of its mpi.h.
const FLAVOURS: [(&str, &str); 4] = [
    ("-DMPI", "ldy_layout_mpi"),
    ("-DOPEN_MPI=1", "ldy_layout_mpi_openmpi"),
    ("-DMPICH_VERSION=\"4.0\"", "ldy_layout_mpi_mpich"),
    ("-DOTHER_MPI", "ldy_layout_mpi"),
];

/// The languages, with the flags that change what the compiler keeps.
const WAYS: [(&str, &[&str]); 4] = [
    ("empty.c", &["-std=c99", "-O2"]),
    ("empty.c", &["-std=c11", "-O0", "-fPIE"]),
    ("empty.c", &["-std=gnu17", "-O3"]),
    ("empty.cpp", &["-std=c++17", "-O2"]),
];

/// A program that includes the header and calls nothing of the library.
fn empty(workshop: &Workshop, way: &(&str, &[&str]), flags: &[&str]) -> PathBuf {
    let source = workshop.path(way.0);
    fs::write(&source, EMPTY).expect("a source");
    workshop.compile(source.to_str().expect("a path in UTF-8"), "empty.o", &[way.1, flags].concat())
}

fn link(workshop: &Workshop, object: &Path, flags: &[&str]) -> (bool, String) {
    let mut arguments: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
    arguments.extend([object, &archive()].map(|path| path.display().to_string()));
    arguments.extend(native_libraries());
    workshop.try_link(cxx(), "program", &arguments)
}

/// The linker's flags that might drop what nobody calls.
const DROPPING: [&[&str]; 3] = [&[], &["-Wl,--gc-sections"], &["-Wl,--gc-sections,--as-needed,-O1"]];

#[test]
fn a_serial_program_links() {
    let workshop = Workshop::new();
    for way in &WAYS {
        let object = empty(&workshop, way, &[]);
        for flags in DROPPING {
            assert_eq!(link(&workshop, &object, flags), (true, String::new()), "{way:?} {flags:?}");
        }
    }
}

#[test]
fn a_program_for_mpi_does_not_and_the_linker_names_what_it_needs() {
    let workshop = Workshop::new();
    for way in &WAYS {
        for (flavour, name) in FLAVOURS {
            let object = empty(&workshop, way, &["-DMPI", flavour]);
            for flags in DROPPING {
                let (success, messages) = link(&workshop, &object, flags);
                let expected = format!("undefined reference to `{name}'");
                assert!(!success && messages.contains(&expected), "{way:?} {flavour} {flags:?}: {messages}");
            }
        }
    }
}

/// The library for MPI lacks the function, as no library at all does.
#[test]
fn a_serial_program_asks_for_the_serial_library() {
    let workshop = Workshop::new();
    for way in &WAYS {
        let object = empty(&workshop, way, &[]);
        let (success, messages) =
            workshop.try_link(cxx(), "program", &["-Wl,--gc-sections".as_ref(), &*object]);
        assert!(!success && messages.contains("undefined reference to `ldy_layout_serial'"), "{messages}");
    }
}

#[test]
fn without_the_check_it_links() {
    let workshop = Workshop::new();
    for way in &WAYS {
        let object = empty(&workshop, way, &["-DMPI", "-DLDY_NO_LINK_CHECK"]);
        assert_eq!(link(&workshop, &object, &[]), (true, String::new()), "{way:?}");
    }
}

#[test]
fn a_pointer_an_object_is_all_that_it_costs() {
    let workshop = Workshop::new();
    let size = |flags: &[&str]| {
        let object = empty(&workshop, &WAYS[0], flags);
        let text = succeeds(command("size").arg(object));
        let columns = text.lines().last().expect("a line of sizes").split_whitespace();
        let [code, data, zeros] = columns.take(3).collect::<Vec<_>>()[..] else { panic!("{text}") };
        [code, data, zeros].map(|bytes| bytes.parse::<usize>().expect("bytes")).iter().sum::<usize>()
    };
    assert_eq!(size(&[]), size(&["-DLDY_NO_LINK_CHECK"]) + size_of::<usize>());
}

#[test]
fn the_shared_library_has_the_function_too() {
    let workshop = Workshop::new();
    let directory = shared_directory().display().to_string();
    for (flags, fits) in [(&[] as &[&str], true), (&["-DMPI"], false)] {
        let object = empty(&workshop, &WAYS[0], flags);
        let arguments = [object.display().to_string(), format!("-L{directory}"), "-lldy".to_string()];
        let (success, messages) = workshop.try_link(cc(), "program", &arguments);
        assert_eq!(success, fits, "{messages}");
        assert_eq!(messages.contains("undefined reference to `ldy_layout_mpi'"), !fits, "{messages}");
    }
}

/// Objects of several sources, one of them in C++, in one program: each has a reference of its own.
#[test]
fn several_objects_have_no_symbol_twice() {
    let workshop = Workshop::new();
    let program = empty(&workshop, &WAYS[0], &[]);
    let part = workshop.path("part.cpp");
    fs::write(&part, "#include \"ldy_host.h\"\n").expect("a source");
    let part = workshop.compile(part.to_str().expect("a path in UTF-8"), "part.o", &["-O2"]);
    let both = workshop.path("both.o");
    succeeds(command("ld").arg("-r").args([&program, &part]).arg("-o").arg(&both));
    assert_eq!(link(&workshop, &both, &["-Wl,--gc-sections"]), (true, String::new()));
}
