//! The assertions of `c_tests/legacy/layout_assertions.c` hold for our own header, and `make check-host` names the
//! field of other headers that differs.

use crate::compiler::{command, compiler, copy_headers_with, root, run};
use std::fs;

/// `make check-host` with these variables: whether it succeeded, and all it printed.
fn check_host(headers: &str, include: &str, flags: &str) -> (bool, String) {
    let mut make = command("make");
    make.env_remove("MAKEFLAGS").args(["--no-print-directory", "check-host"]);
    run(make.args([
        format!("HOST_HEADERS={headers}"),
        format!("HOST_INCLUDE={include}"),
        format!("HOST_CFLAGS={flags}"),
    ]))
}

/// `make check-host` on `ldy_host.h` with parts of its text replaced in order.
fn check_edited(edits: &[(&str, &str)], flags: &str) -> (bool, String) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    copy_headers_with(directory.path(), edits);
    check_host("ldy_host.h", &directory.path().display().to_string(), flags)
}

/// Asserts that the edited header is refused with a single error, which says what is `expected`.
fn refused(edits: &[(&str, &str)], flags: &str, expected: &str) {
    let (success, messages) = check_edited(edits, flags);
    assert!(!success, "accepted:\n{messages}");
    let errors: Vec<&str> = messages.lines().filter(|line| line.contains("error:")).collect();
    assert!(
        matches!(errors[..], [only] if only.contains(expected)),
        "`{expected}` is to be said:\n{messages}"
    );
}

#[test]
fn our_own_header_has_the_layout_that_is_asserted() {
    for flags in [&[] as &[&str], &["-DMPI"], &["-fopenmp"]] {
        let mut cc = compiler("CC", "cc");
        cc.args(["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-Iinclude"])
            .args(flags);
        let (success, messages) =
            run(cc.args(["-include", "ldy_host.h", "c_tests/legacy/layout_assertions.c"]));
        assert!(success && messages.is_empty(), "{cc:?}\n{messages}");
    }
}

#[test]
fn every_field_of_the_table_is_asserted() {
    let table = fs::read_to_string(root().join("src/legacy/layout.tsv")).expect("the table");
    let assertions =
        fs::read_to_string(root().join("c_tests/legacy/layout_assertions.c")).expect("the assertions");
    let has = |line: String| assert!(assertions.lines().any(|known| known == line), "missing: {line}");
    let mut structures = 0;
    for row in table.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [tag, typedef, _, declaration, serial, mpi, size, _] = columns[..] else { panic!("{row}") };
        let name = declaration.rsplit([' ', '*']).next().and_then(|name| name.split('[').next()).expect(row);
        let is_structure = size == "-";
        structures += usize::from(is_structure && serial != "-");
        for number in [serial, mpi].into_iter().filter(|number| *number != "-") {
            match is_structure {
                true => has(format!("SIZE ({tag}, {typedef}, {number});")),
                false => has(format!("FIELD ({tag}, {typedef}, {name}, {number}, {size});")),
            }
        }
    }
    assert_eq!(structures, 19);
}

#[test]
fn make_check_host_accepts_headers_with_the_same_layout() {
    for flags in ["", "-DMPI", "-std=c11 -Wall -Werror"] {
        let (success, messages) = check_host("ldy_host.h", "include", flags);
        assert!(success, "{messages}");
        assert_eq!(messages, "check-host: every structure in ldy_host.h has the expected layout\n");
    }
}

#[test]
fn make_check_host_takes_several_headers_from_several_directories() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| directory.path().join(name);
    for name in ["first", "second"] {
        fs::create_dir(path(name)).expect("a directory");
    }
    fs::write(path("first/one.h"), "#define ONE\n").expect("one.h");
    fs::write(path("second/two.h"), "#ifdef ONE\n#include \"ldy_host.h\"\n#endif\n").expect("two.h");
    let include = format!("{} {} include", path("first").display(), path("second").display());
    let (success, messages) = check_host("one.h two.h", &include, "");
    assert!(success, "{messages}");
    let (success, messages) = check_host("two.h one.h", &include, "");
    assert!(
        !success && messages.contains("struct memory_pool is defined in none of two.h one.h"),
        "{messages}"
    );
}

#[test]
fn make_check_host_says_what_to_give_when_nothing_is_given() {
    let (success, messages) = check_host("", "include", "");
    assert!(!success && messages.contains("HOST_HEADERS=\"dom.h nts.h sol.h\""), "{messages}");
}

#[test]
fn make_check_host_says_what_to_give_when_a_header_includes_one_that_is_not_found() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let folder = directory.path().display().to_string();
    for (absent, advice) in [
        ("mpi.h", "say CC=mpicc"),
        ("hdf5.h", "hdf5.h is in no folder of HOST_INCLUDE"),
        ("params.h", "If the host's build generates this header, build the host first"),
    ] {
        fs::write(directory.path().join("dom.h"), format!("#include \"{absent}\"\n")).expect("dom.h");
        let (success, messages) = check_host("dom.h", &folder, "-nostdinc");
        assert!(!success && messages.contains(&format!("check-host: {absent} is")), "{messages}");
        assert!(messages.contains(advice), "{messages}");
    }
}

#[test]
fn an_inserted_field_is_noticed_at_the_next_one() {
    refused(
        &[("  double base[9];", "  int added; double base[9];")],
        "",
        "constraint.base (CON): offset 104 expected",
    );
}

#[test]
fn swapped_fields_are_noticed_at_the_first() {
    let apart = [
        ("  double point[3];", "@"),
        ("  double base[9];", "  double point[3];"),
        ("@", "  double base[9];"),
    ];
    refused(&apart, "", "constraint.point (CON): offset 80 expected");
    let alike = [("  double R[3];", "@"), ("  double U[3];", "  double R[3];"), ("@", "  double U[3];")];
    refused(&alike, "", "constraint.R (CON): offset 0 expected");
}

#[test]
fn a_field_of_another_size_is_named_itself() {
    refused(&[("  double Z[7];", "  double Z[6];")], "", "constraint.Z (CON): size 56 expected");
}

#[test]
fn a_missing_field_is_named() {
    refused(&[("  int nzmax;", "  int values;")], "", "'struct general_matrix' has no member named 'nzmax'");
}

#[test]
fn a_field_too_many_at_the_end_is_noticed_by_the_size() {
    refused(&[("  SOLFEC *next;", "  SOLFEC *next; int added;")], "", "solfec (SOLFEC): size 336 expected");
}

#[test]
fn the_fields_of_an_mpi_build_are_checked_in_an_mpi_build_only() {
    let edits = [("  int ncpu;", "  double ncpu;")];
    refused(&edits, "-DMPI", "domain.ncpu (DOM): offset 556 expected");
    let (success, messages) = check_edited(&edits, "");
    assert!(success, "{messages}");
}

#[test]
fn the_lock_of_an_openmp_build_is_no_difference() {
    let edits = [("  DOM *prev;", "  int lock[4]; DOM *prev;")];
    refused(&edits, "", "domain.prev (DOM): offset 552 expected");
    let (success, messages) = check_edited(&edits, "-fopenmp");
    assert!(success, "{messages}");
}

#[test]
fn a_structure_that_no_header_defines_is_named() {
    let edits = [("struct newton {", "struct newton_parameters {")];
    refused(&edits, "", "incomplete type 'struct newton'");
    let (_, messages) = check_edited(&edits, "");
    assert!(messages.contains("check-host: struct newton is defined in none of ldy_host.h"), "{messages}");
}

#[test]
fn a_header_that_does_not_exist_is_named() {
    let (success, messages) = check_host("absent.h", "include", "");
    assert!(!success && messages.contains("absent.h: No such file"), "{messages}");
}
