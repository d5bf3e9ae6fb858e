//! Rust bindings that bindgen makes from the generated headers have the layouts of the table, in a serial and in an MPI
//! build, and call the shared library.

use crate::compiler::{command, root};
use crate::library::{cc, exported_names, read, shared_directory, succeeds};
use ldy_codegen::Table;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What bindgen makes of `ldy_host.h`, which brings `ldy.h`.
fn bindings(flags: &[&str]) -> String {
    // libclang's package has no stddef.h of its own; the C compiler's serves.
    let headers = succeeds(cc().arg("-print-file-name=include"));
    bindgen::Builder::default()
        .header(root().join("include/ldy_host.h").display().to_string())
        .header(root().join("include/ldy_system.h").display().to_string())
        .header(root().join("include/ldy_bridge.h").display().to_string())
        .clang_args(["-isystem", headers.trim()])
        .clang_args(flags)
        .allowlist_file(".*/include/ldy(_host|_system|_bridge)?[.]h")
        .prepend_enum_name(false)
        .formatter(bindgen::Formatter::None)
        .generate()
        .unwrap_or_else(|error| panic!("{flags:?}: {error}"))
        .to_string()
}

/// Assertions at compile time: the size of every structure, the offset and the size of every field, the value
/// of every enumerator.
fn assertions(table: &Table, mpi: bool) -> String {
    let mut out = "const fn size_of_field<W, F>(_: fn(&W) -> &F) -> usize { size_of::<F>() }\n".to_string();
    let mut assert_equal = |expression: String, expected: &str| {
        out += &format!(
            "const _: () = assert!({expression} == {expected}, \"{} is to be {expected}\");\n",
            expression.replace(['{', '}', '"'], "'")
        );
    };
    for structure in &table.structures {
        let name = &structure.typedef;
        let Some(size) = structure.size.and_then(|size| size.of(mpi)) else { continue };
        assert_equal(format!("size_of::<{name}>()"), &size.to_string());
        for field in structure.fields.iter().filter(|field| field.build.includes(mpi)) {
            let identifier = identifier(&field.declaration.name);
            let offset = field.offset.of(mpi).expect("a field of this build");
            assert_equal(format!("std::mem::offset_of!({name}, {identifier})"), &offset.to_string());
            let projection = format!("size_of_field(|whole: &{name}| &whole.{identifier})");
            assert_equal(projection, &field.size.to_string());
        }
    }
    for enumeration in table.enumerations.iter().filter(|enumeration| enumeration.build.includes(mpi)) {
        for enumerator in &enumeration.enumerators {
            assert_equal(format!("{} as i64", enumerator.name), &enumerator.value);
        }
    }
    out
}

/// A field's name as bindgen writes it.
fn identifier(name: &str) -> String {
    if ["box", "ref", "type"].contains(&name) { format!("{name}_") } else { name.to_string() }
}

/// Compiles a Rust source.
fn rustc(directory: &Path, source: &str, arguments: &[String]) -> PathBuf {
    let (input, output) = (directory.join("bindings.rs"), directory.join("bindings"));
    fs::write(&input, source).expect("a source");
    let mut rustc = command(&std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()));
    rustc.args(["--edition", "2021", "--cap-lints", "allow"]).args(arguments);
    succeeds(rustc.arg(&input).arg("-o").arg(&output));
    output
}

#[test]
fn the_layouts_are_those_of_the_table() {
    let table = Table::parse(&read("src/legacy/layout.tsv"), &read("src/legacy/enumerations.tsv"))
        .unwrap_or_else(|error| panic!("{error}"));
    for (mpi, flags) in [(false, &[] as &[&str]), (true, &["-DMPI"])] {
        let assertions = assertions(&table, mpi);
        assert!(assertions.matches("offset_of!").count() > 250, "{assertions}");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let arguments = ["--crate-type", "lib", "--emit", "metadata"].map(str::to_string);
        rustc(directory.path(), &(bindings(flags) + "\n" + &assertions), &arguments);
    }
}

#[test]
fn a_rust_program_calls_every_function_of_the_shared_library() {
    let functions = exported_names();
    let table: String = functions.iter().map(|name| format!("{name} as *const (), ")).collect();
    let main = format!(
        "fn main() {{
            let functions: [*const (); {}] = [{table}];
            assert!(functions.iter().all(|function| !function.is_null()));
            unsafe {{
                let mut dom: DOM = std::mem::zeroed();
                dom.step = 0.5;
                let ldy = LOCDYN_Create(&mut dom);
                LOCDYN_Update_Begin(ldy);
                println!(\"{{}} {{}}\", (*(*ldy).dom).step, LOCDYN_maxWii(ldy));
                LOCDYN_Destroy(ldy);
            }}
        }}",
        functions.len()
    );
    let directory = tempfile::tempdir().expect("a temporary directory");
    let library = shared_directory().display().to_string();
    let arguments = [
        format!("-Lnative={library}"),
        "-ldylib=ldy".to_string(),
        format!("-Clink-arg=-Wl,-rpath,{library}"),
    ];
    let program = rustc(directory.path(), &(bindings(&[]) + "\n" + &main), &arguments);
    assert_eq!(succeeds(&mut Command::new(program)), "0.5 0\n");
}
