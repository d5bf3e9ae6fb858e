//! `docs/compatibility.md` names every exported symbol, each with a test that uses it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Symbol to test.
fn table() -> BTreeMap<String, String> {
    let text = read("docs/compatibility.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    let cells = rows.map(|row| row.split(" | ").collect::<Vec<_>>());
    cells.map(|cells| (cells[0].trim_end_matches('`').to_string(), cells[2].to_string())).collect()
}

#[test]
fn the_table_has_the_exported_symbols() {
    let map = read("packaging/libldy.map");
    let names = map.lines().filter_map(|line| line.trim().strip_suffix(';'));
    let names: Vec<&str> = names.filter(|name| !["*", "}"].contains(name)).collect();
    assert!(names.contains(&"LOCDYN_Create"));
    assert_eq!(table().keys().map(String::as_str).collect::<Vec<_>>(), names);
}

#[test]
fn each_test_is_there_and_uses_its_symbol() {
    for (symbol, test) in table() {
        let word = |character: char| !(character.is_ascii_alphanumeric() || character == '_');
        assert!(read(&test).split(word).any(|name| name == symbol), "{test} does not use {symbol}");
    }
}
