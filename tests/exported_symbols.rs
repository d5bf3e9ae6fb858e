//! Both libraries show the names of the public headers to a program, and ask for no more than the
//! documentation names.

use crate::compiler::command;
use crate::library::{
    Symbol, archive, exported_names, native_libraries, read, shared, so_version, succeeds, symbols,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Hooks that a host may provide.
const HOST_HOOKS: [&str; 5] =
    ["GEOMETRIC_EPSILON", "SOLFEC_Timer_End", "SOLFEC_Timer_Start", "__errstack__", "errstring"];

/// Hooks that a host may define as well: they are weak here.
const OPERATORS: [&str; 6] = [
    "BODY_Gen_To_Loc_Operator",
    "BODY_Local_Velo",
    "FEM_Gen_To_Loc_Operator",
    "FEM_Local_Velo",
    "MX_Create",
    "MX_Destroy",
];

const MODULE: [&str; 12] = [
    "LOCDYN_Clone_Non_Contacts",
    "LOCDYN_Create",
    "LOCDYN_Destroy",
    "LOCDYN_Dump",
    "LOCDYN_Insert",
    "LOCDYN_Remove",
    "LOCDYN_Update_Begin",
    "LOCDYN_Update_End",
    "LOCDYN_W_MatrixMarket",
    "LOCDYN_avgWii",
    "LOCDYN_maxWii",
    "LOCDYN_minWii",
];

/// Prefixes of names that are seen in the archive and belong to no one else: mangled names, and assembly kernels with their versions.
const NOT_PUBLIC: [&str; 3] = ["_R", "_ZN", "libpulp_v0_"];

/// What Rust's standard library uses of newer C libraries where it finds it.
const STANDARD_LIBRARY: [&str; 3] = ["pidfd_getpid", "pidfd_spawnp", "posix_spawn_file_actions_addchdir"];

fn names<'a>(symbols: impl IntoIterator<Item = &'a Symbol>) -> BTreeSet<&'a str> {
    symbols.into_iter().map(|symbol| symbol.name.as_str()).collect()
}

fn defined(file: &Path, dynamic: bool) -> Vec<Symbol> {
    symbols(file, dynamic).into_iter().filter(|symbol| symbol.defined).collect()
}

#[test]
fn the_list_is_the_module_the_operators_and_our_own_additions() {
    let listed = exported_names();
    let own = listed.iter().filter(|name| name.starts_with("ldy_"));
    assert!(own.clone().all(|name| !name.starts_with("ldy_entry_") && !name.starts_with("ldy_hook_")));
    let mut expected: Vec<&str> = MODULE.into_iter().chain(OPERATORS).collect();
    expected.extend(own.map(String::as_str));
    expected.sort_unstable();
    assert_eq!(listed, expected);
    assert!(listed.iter().any(|name| name == "ldy_version"));
}

#[test]
fn nm_shows_the_listed_names_of_the_shared_library_and_no_others() {
    let text = succeeds(command("nm").args(["-D", "--defined-only"]).arg(shared()));
    let version = &format!("@@LDY_{}", so_version(env!("CARGO_PKG_VERSION")));
    // An absolute symbol, A, stands for the version itself.
    let found = text.lines().filter(|line| !line.contains(" A ")).map(|line| {
        let name = line.split_whitespace().last().expect(line);
        name.strip_suffix(version).unwrap_or_else(|| panic!("no {version}: {line}")).to_string()
    });
    assert_eq!(found.collect::<BTreeSet<String>>(), exported_names().into_iter().collect());
}

#[test]
fn the_operators_are_weak_and_nothing_else_is_in_both_libraries() {
    let listed = exported_names();
    for (file, dynamic) in [(archive(), false), (shared(), true)] {
        let defined = defined(&file, dynamic);
        let shown = defined.iter().filter(|symbol| listed.contains(&symbol.name));
        let (weak, strong): (Vec<&Symbol>, Vec<&Symbol>) = shown.partition(|symbol| symbol.weak);
        assert_eq!(names(weak), OPERATORS.into_iter().collect(), "{}", file.display());
        assert_eq!(strong.len() + OPERATORS.len(), listed.len(), "{}", file.display());
    }
}

/// Beside the list, the archive defines names that its own C and Rust halves need of each other, the Rust runtime with
/// mangled names, and the kernels written in assembly that the library for sparse matrices brings, whose names carry
/// their version. Anything else would be a clash with a host waiting to happen.
#[test]
fn the_archive_takes_no_other_names() {
    let listed = exported_names();
    let others: Vec<String> = defined(&archive(), false)
        .into_iter()
        .map(|symbol| symbol.name)
        .filter(|name| !listed.contains(name) && name != "rust_eh_personality")
        .filter(|name| !NOT_PUBLIC.iter().any(|prefix| name.starts_with(prefix)))
        .collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn the_twelve_lie_in_an_object_of_their_own() {
    let text = succeeds(command("readelf").args(["--syms", "--wide"]).arg(archive()));
    let mut members = text.split("\nFile: ").filter(|member| member.contains(" LOCDYN_Create"));
    let member = members.next().expect("an object with LOCDYN_Create");
    assert!(
        members.all(|other| other.lines().all(|line| !line.contains(" LOCDYN_") || line.contains(" UND ")))
    );
    let defines = |line: &&str| line.contains(" GLOBAL DEFAULT ") && !line.contains(" UND ");
    let defined: BTreeSet<&str> =
        member.lines().filter(defines).filter_map(|line| line.split_whitespace().last()).collect();
    assert_eq!(defined, MODULE.into_iter().collect());
}

/// What belongs to a library of the system carries a version, which the linker gave it.
#[test]
fn the_shared_library_asks_the_host_for_hooks_only_and_weakly() {
    let startup = ["_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__gmon_start__"];
    let text = succeeds(command("nm").args(["-D", "--undefined-only"]).arg(shared()));
    let mut of_the_host = BTreeSet::new();
    for line in text.lines().filter(|line| !line.contains("@GLIBC_") && !line.contains("@GCC_")) {
        let [kind, name] = line.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert_eq!(kind, "w", "{line}");
        if !startup.contains(&name) && !STANDARD_LIBRARY.contains(&name) {
            of_the_host.insert(name);
        }
    }
    assert!(of_the_host.iter().all(|name| HOST_HOOKS.contains(name)), "{of_the_host:?}");
    assert!(of_the_host.contains("__errstack__") && of_the_host.contains("errstring"), "{of_the_host:?}");
}

#[test]
fn the_shared_library_has_its_name_and_needs_documented_libraries_only() {
    let text = succeeds(command("readelf").args(["--dynamic", "--wide"]).arg(shared()));
    let soname = &format!("Library soname: [libldy.so.{}]", so_version(env!("CARGO_PKG_VERSION")));
    assert!(text.contains(soname), "{text}");
    let needed = text.lines().filter(|line| line.contains("(NEEDED)"));
    let needed: Vec<&str> =
        needed.filter_map(|line| line.rsplit_once('[')?.1.split_once(".so").map(|(name, _)| name)).collect();
    let native: Vec<String> = native_libraries().iter().map(|flag| flag.replacen("-l", "lib", 1)).collect();
    for library in needed {
        assert!(native.iter().any(|known| known == library) || library == "ld-linux-x86-64", "{library}");
    }
}

#[test]
fn the_native_libraries_are_those_that_rustc_names() {
    let release = archive().with_file_name("");
    let place = TempDir::new().expect("a directory");
    // A static library of nothing else needs the same.
    fs::write(place.path().join("only.rs"), "extern crate ldy;\n").expect("a crate");
    let mut rustc = command(&std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()));
    rustc.args(["--edition=2021", "--crate-type=staticlib", "--print=native-static-libs", "only.rs"]);
    rustc.arg(format!("-Ldependency={}", release.join("deps").display()));
    rustc.arg(format!("--extern=ldy={}", release.join("libldy.rlib").display()));
    let messages = succeeds(rustc.current_dir(place.path()));
    let note = messages.lines().find_map(|line| line.split_once("native-static-libs: "));
    let (_, named) = note.unwrap_or_else(|| panic!("no such note:\n{messages}"));
    assert_eq!(native_libraries().join(" "), named.trim());
}

#[test]
fn the_documentation_names_the_same_native_libraries() {
    let list = native_libraries().join(" ");
    for page in ["README.md", "docs/solfec/legacy.md", "docs/how-to/linking.md", "docs/install.md"] {
        assert!(read(page).contains(&list), "{page} does not name {list}");
    }
}
