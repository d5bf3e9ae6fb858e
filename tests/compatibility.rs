//! `docs/reference/symbols.md` names every exported symbol, each with a test that uses it.

use crate::library::read;
use std::collections::BTreeMap;

/// The status of what the libraries of one process have not.
const MPI_ONLY: &str = "addition, with MPI only";

/// Symbol to status and test.
fn table() -> BTreeMap<String, [String; 2]> {
    let text = read("docs/reference/symbols.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    let cells = rows.map(|row| row.split(" | ").collect::<Vec<_>>());
    let row = |cells: Vec<&str>| {
        (cells[0].trim_end_matches('`').to_string(), [cells[1], cells[2]].map(String::from))
    };
    cells.map(row).collect()
}

#[test]
fn the_table_has_the_exported_symbols() {
    let map = read("packaging/libldy.map");
    let names = map.lines().filter_map(|line| line.trim().strip_suffix(';'));
    let names: Vec<&str> = names.filter(|name| !["*", "}"].contains(name)).collect();
    assert!(names.contains(&"LOCDYN_Create"));
    let table = table();
    let (mpi, all): (Vec<_>, Vec<_>) = table.iter().partition(|(_, [status, _])| status == MPI_ONLY);
    assert_eq!(all.into_iter().map(|(symbol, _)| symbol).collect::<Vec<_>>(), names);
    let mpi: Vec<&str> = mpi.into_iter().map(|(symbol, _)| symbol.as_str()).collect();
    let (parallel, mpi): (Vec<_>, Vec<_>) =
        mpi.into_iter().partition(|symbol| symbol.starts_with("ldy_parallel_"));
    assert_eq!(
        mpi,
        ["ldy_layout_mpi", "ldy_layout_mpi_mpich", "ldy_layout_mpi_openmpi", "ldy_set_communicator"]
    );
    let header = read("include/ldy.h");
    let (_, for_mpi) =
        header.split_once("/* ---- Additions in the build for MPI ---- */").expect("that part");
    assert!(mpi.iter().all(|symbol| for_mpi.contains(&format!("{symbol}("))));
    let header = read("include/ldy_parallel.h");
    let declared: Vec<&str> = header
        .lines()
        .filter_map(|line| line.split_once('(')?.0.split_once(' '))
        .filter(|(kind, name)| ["int", "void", "size_t"].contains(kind) && name.starts_with("ldy_parallel_"))
        .map(|(_, name)| name)
        .collect();
    assert!(
        parallel.len() == declared.len() && parallel.iter().all(|name| declared.contains(name)),
        "{declared:?}"
    );
}

/// The prefix separates the two faces, the solvers, factors and rows. Functions of both faces are listed as additions.
#[test]
fn functions_of_the_neutral_face_and_its_parts_have_their_prefixes() {
    for (symbol, [status, _]) in table() {
        assert_eq!(symbol.starts_with("ldy_system_"), status == "neutral face", "{symbol}");
        assert_eq!(symbol.starts_with("ldy_contact_solver_"), status == "solvers", "{symbol}");
        assert_eq!(symbol.starts_with("ldy_factor_"), status == "factors", "{symbol}");
        assert_eq!(symbol.starts_with("ldy_rows_"), status == "rows", "{symbol}");
        assert_eq!(symbol.starts_with("ldy_locdyn_"), status == "rows of a LOCDYN", "{symbol}");
    }
}

#[test]
fn each_test_is_there_and_uses_its_symbol() {
    for (symbol, [_, test]) in table() {
        let word = |character: char| !(character.is_ascii_alphanumeric() || character == '_');
        assert!(read(&test).split(word).any(|name| name == symbol), "{test} does not use {symbol}");
    }
}
