//! The generated C files that are checked in are those that the tables, the templates and the interface give.
//! With LDY_WRITE_HEADERS=1 in the environment they are written instead (`make headers`).

mod prototypes;

use crate::compiler::root;
use crate::library::read;
use ldy_codegen::{
    Table, layout_assertions_c, ldy_bridge_h, ldy_h, ldy_host_h, ldy_parallel_h, ldy_system_h, version_script,
};
use std::fs;
use std::path::PathBuf;

/// A generated file: where it belongs in the repository, and its text.
struct Generated {
    path: &'static str,
    text: String,
}

fn generate() -> [Generated; 7] {
    let table = Table::parse(&read("src/legacy/layout.tsv"), &read("src/legacy/enumerations.tsv"))
        .unwrap_or_else(|error| panic!("{error}"));
    let of_all = |names: &[&str]| {
        let sources: Vec<PathBuf> = names.iter().map(|name| root().join("src").join(name)).collect();
        prototypes::emit(&sources, &root().join("cbindgen.toml"))
            .unwrap_or_else(|error| panic!("{names:?}: {error}"))
    };
    let prototypes = |name: &str| of_all(&[name]);
    let codes = prototypes("ffi/codes.rs");
    let additions = of_all(&["legacy/c_api/types.rs", "legacy/c_api/additions.rs"]);
    let ldy_h = ldy_h(
        &table,
        &prototypes("legacy/c_api/entry_points.rs"),
        &codes,
        &additions,
        &prototypes("legacy/c_api/mpi.rs"),
    );
    let ldy_host_h = ldy_host_h(&table, &prototypes("legacy/c_api/operators.rs"));
    // In the order in which the header has them.
    let parts = [
        "errors",
        "inertia",
        "bodies",
        "constraints",
        "operators",
        "joints",
        "jacobian",
        "constraint_data",
        "bulk",
        "bulk_world",
        "lists",
        "world",
        "results",
        "products",
        "factors",
        "rank",
        "files",
        "stability",
        "solve",
        "conflict",
        "solution_set",
        "derivatives",
        "gradient",
        "batch",
        "batch_strided",
        "laws",
        "stabilization",
        "friction_curve",
        "hunt_crossley",
        "problem_file",
        "sync",
    ];
    let parts = parts.map(|part| match part {
        "results" => of_all(&["system/c_api/rows.rs", "system/c_api/results.rs"]),
        _ => prototypes(&format!("system/c_api/{part}.rs")),
    });
    let system = [prototypes("system/c_api.rs"), parts.join("\n\n")].join("\n\n");
    let ldy_system_h = ldy_system_h(&codes, &additions, &system, env!("CARGO_PKG_VERSION"));
    let ldy_bridge_h = ldy_bridge_h(&prototypes("system/c_api/locdyn.rs"));
    let of_processes =
        ["handles", "bodies", "constraints", "results", "solve", "partition", "migrate", "lists"];
    let of_processes = of_processes.map(|part| prototypes(&format!("parallel/c_api/{part}.rs")));
    let ldy_parallel_h = ldy_parallel_h(&of_processes.join("\n\n"));
    let exports = version_script(
        &[&ldy_h, &ldy_host_h, &ldy_system_h, &ldy_bridge_h],
        &format!("LDY_{}", crate::library::so_version(env!("CARGO_PKG_VERSION"))),
    );
    [
        Generated { path: "include/ldy.h", text: ldy_h },
        Generated { path: "include/ldy_host.h", text: ldy_host_h },
        Generated { path: "include/ldy_system.h", text: ldy_system_h },
        Generated { path: "include/ldy_bridge.h", text: ldy_bridge_h },
        Generated { path: "include/ldy_parallel.h", text: ldy_parallel_h },
        Generated { path: "c_tests/legacy/layout_assertions.c", text: layout_assertions_c(&table) },
        Generated { path: "packaging/libldy.map", text: exports },
    ]
}

/// The first line in which the two texts differ, with its number.
fn first_difference(checked_in: &str, generated: &str) -> String {
    let (mut ours, mut theirs) = (checked_in.lines(), generated.lines());
    for number in 1.. {
        match (ours.next(), theirs.next()) {
            (None, None) => break,
            (a, b) if a == b => {}
            (a, b) => {
                return format!(
                    "line {number}:\n  checked in: {}\n  generated:  {}",
                    a.unwrap_or("(end)"),
                    b.unwrap_or("(end)")
                );
            }
        }
    }
    "the ends of their lines".to_string()
}

#[test]
fn the_generated_files_are_up_to_date() {
    let elsewhere = tempfile::tempdir().expect("a temporary directory");
    let write = std::env::var_os("LDY_WRITE_HEADERS").is_some_and(|value| value == "1");
    let mut stale = Vec::new();
    for Generated { path, text } in generate() {
        let target = if write { root().join(path) } else { elsewhere.path().join(path) };
        fs::create_dir_all(target.parent().expect("a file in a directory")).expect("its directory");
        fs::write(&target, &text).unwrap_or_else(|error| panic!("{}: {error}", target.display()));
        let generated = fs::read(&target).expect("just written");
        let checked_in = fs::read(root().join(path)).unwrap_or_default();
        if generated != checked_in {
            stale.push(format!("{path}: {}", first_difference(&String::from_utf8_lossy(&checked_in), &text)));
        }
    }
    assert!(stale.is_empty(), "out of date, run `make headers`:\n{}", stale.join("\n"));
}
