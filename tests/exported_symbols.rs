//! The symbols of `libldy.a`: which are there for hosts, which are weak, and that there are no others.

mod common;
#[allow(dead_code, reason = "other tests use the rest of it")]
mod compiler;

use common::{static_library, succeed};
use compiler::command;
use std::collections::HashSet;
use std::path::Path;

const MODULE: [&str; 12] = [
    "LOCDYN_Create",
    "LOCDYN_Insert",
    "LOCDYN_Remove",
    "LOCDYN_Update_Begin",
    "LOCDYN_Update_End",
    "LOCDYN_Dump",
    "LOCDYN_W_MatrixMarket",
    "LOCDYN_Clone_Non_Contacts",
    "LOCDYN_avgWii",
    "LOCDYN_minWii",
    "LOCDYN_maxWii",
    "LOCDYN_Destroy",
];

const WEAK: [&str; 6] = [
    "BODY_Gen_To_Loc_Operator",
    "BODY_Local_Velo",
    "FEM_Gen_To_Loc_Operator",
    "FEM_Local_Velo",
    "MX_Create",
    "MX_Destroy",
];

/// What a host may provide. Only finite elements need the tolerance.
const HOOKS: [&str; 4] = ["SOLFEC_Timer_Start", "SOLFEC_Timer_End", "__errstack__", "errstring"];
const HOOKS_OF_FINITE_ELEMENTS: [&str; 1] = ["GEOMETRIC_EPSILON"];

struct Symbol {
    member: String,
    kind: char,
    name: String,
}

/// The external symbols of an archive.
fn symbols(archive: &Path) -> Vec<Symbol> {
    let text = succeed(command("nm").args(["--extern-only", "--print-file-name"]).arg(archive));
    let mut symbols = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace().rev();
        let (Some(name), Some(kind)) = (words.next(), words.next()) else { continue };
        let Some(member) = line.split(':').nth(1) else { continue };
        if let [kind] = kind.chars().collect::<Vec<_>>()[..] {
            symbols.push(Symbol { member: member.to_string(), kind, name: name.to_string() });
        }
    }
    assert!(symbols.len() > 100, "{} symbols", symbols.len());
    symbols
}

fn members(archive: &Path) -> Vec<String> {
    succeed(command("ar").arg("t").arg(archive)).lines().map(str::to_string).collect()
}

/// The names of the object files that come with Rust itself: the standard library and what it is made of.
fn members_of_rust() -> HashSet<String> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let directory = succeed(command(&rustc).args(["--print", "target-libdir"]));
    let rust: HashSet<String> = std::fs::read_dir(directory.trim())
        .expect("Rust's own libraries")
        .map(|entry| entry.expect("a directory entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rlib"))
        .flat_map(|path| members(&path))
        .collect();
    assert!(rust.iter().any(|member| member.starts_with("std-")), "no standard library in {directory}");
    rust
}

/// The symbols of object files that are not Rust's own.
fn own_symbols() -> Vec<Symbol> {
    let rust = members_of_rust();
    let own: Vec<Symbol> =
        symbols(static_library()).into_iter().filter(|symbol| !rust.contains(&symbol.member)).collect();
    assert!(own.iter().any(|symbol| symbol.name.starts_with("ldy_")));
    own
}

fn defined(kind: char) -> bool {
    !matches!(kind, 'U' | 'w' | 'v')
}

/// Names that the Rust compiler makes up: no C program can mean one of them.
fn mangled(name: &str) -> bool {
    name.starts_with("_R") || name.starts_with("_ZN")
}

/// The definitions of a name in all of the archive: object file and kind.
fn definitions<'a>(symbols: &'a [Symbol], name: &str) -> Vec<(&'a str, char)> {
    let named = symbols.iter().filter(|symbol| symbol.name == name && defined(symbol.kind));
    named.map(|symbol| (symbol.member.as_str(), symbol.kind)).collect()
}

#[test]
fn the_module_is_strong_and_in_an_object_of_its_own() {
    let symbols = own_symbols();
    let home = definitions(&symbols, MODULE[0])[0].0;
    for name in MODULE {
        assert_eq!(definitions(&symbols, name), [(home, 'T')], "{name}");
    }
    let in_home = symbols.iter().filter(|symbol| symbol.member == home && defined(symbol.kind));
    let others: Vec<&str> =
        in_home.map(|symbol| symbol.name.as_str()).filter(|name| !MODULE.contains(name)).collect();
    assert!(others.is_empty(), "beside the module: {others:?}");
}

#[test]
fn what_a_host_may_define_is_weak() {
    let symbols = own_symbols();
    for name in WEAK {
        let kinds: Vec<char> = definitions(&symbols, name).iter().map(|(_, kind)| *kind).collect();
        assert_eq!(kinds, ['W'], "{name}");
    }
}

#[test]
fn what_a_host_may_lack_is_referred_to_weakly() {
    let symbols = own_symbols();
    let kinds = |name: &str| -> Vec<char> {
        symbols.iter().filter(|symbol| symbol.name == name).map(|symbol| symbol.kind).collect()
    };
    for name in HOOKS {
        assert!(!kinds(name).is_empty(), "{name} is not referred to");
    }
    for name in HOOKS.iter().chain(&HOOKS_OF_FINITE_ELEMENTS) {
        assert!(kinds(name).iter().all(|kind| matches!(kind, 'w' | 'v')), "{name}: {:?}", kinds(name));
    }
}

#[test]
fn every_other_name_of_ours_begins_with_ldy() {
    let symbols = own_symbols();
    let others: Vec<&str> = symbols
        .iter()
        .filter(|symbol| defined(symbol.kind) && !mangled(&symbol.name))
        .map(|symbol| symbol.name.as_str())
        .filter(|name| !MODULE.contains(name) && !WEAK.contains(name) && !name.starts_with("ldy_"))
        // The compiler's own reference to the routine that unwinds, one in each program.
        .filter(|name| *name != "DW.ref.rust_eh_personality")
        .collect();
    assert!(others.is_empty(), "{others:?}");
}
