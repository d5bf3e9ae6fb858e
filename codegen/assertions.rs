//! Emits the C file that asserts the layouts of the table.

use super::c::{either_build, fields_with_conditions};
use super::table::{Field, Structure, Table};

/// One assertion a line. For each structure: that it is defined, its fields in their order, its size.
pub fn assertions(table: &Table) -> String {
    let mut out = String::new();
    for structure in table.structures.iter().filter(|structure| structure.size.is_some()) {
        out += &emit_structure(structure);
    }
    out
}

fn emit_structure(structure: &Structure) -> String {
    let Structure { tag, typedef, size, lock, .. } = structure;
    let size_of =
        |mpi| format!("SIZE ({tag}, {typedef}, {});\n", size.and_then(|size| size.of(mpi)).unwrap_or(0));
    let mut index = 0;
    let fields = fields_with_conditions(structure, |field| {
        let locked = lock.as_ref().is_some_and(|lock| lock.before == index);
        index += 1;
        let opening = if locked { "#ifndef _OPENMP\n" } else { "" };
        opening.to_string() + &emit_field(structure, field)
    });
    let closing = if lock.is_some() { "#endif\n" } else { "" };
    format!("\nDEFINED ({tag}, {typedef});\n{fields}{}{closing}", either_build(size_of(false), size_of(true)))
}

fn emit_field(structure: &Structure, field: &Field) -> String {
    let Structure { tag, typedef, .. } = structure;
    let Field { declaration, build, offset, size, .. } = field;
    let line = |mpi| {
        let offset = offset.of(mpi).unwrap_or(0);
        format!("FIELD ({tag}, {typedef}, {}, {offset}, {size});\n", declaration.name)
    };
    match [false, true].map(|mpi| build.includes(mpi)) {
        [true, true] => either_build(line(false), line(true)),
        [serial, _] => line(!serial),
    }
}
