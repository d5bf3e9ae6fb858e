//! Emits the C side of the table: typedefs with the guards of the host's headers, enumerations and
//! structures.

use super::table::{Base, Build, Declaration, Enumeration, Field, Structure, Table};
use std::fmt::Write;

/// The longest line of C text written here.
const WIDTH: usize = 110;

/// The comments after fields begin no further right than this.
const COMMENT_COLUMN_LIMIT: usize = 44;

const IF_MPI: &str = "#if defined (MPI) && MPI\n";
const IF_SERIAL: &str = "#if !(defined (MPI) && MPI)\n";

/// The typedefs of the structures, each under its guard if the host guards it.
pub fn typedefs<'a>(structures: impl Iterator<Item = &'a Structure>) -> String {
    let mut out = String::new();
    for Structure { tag, typedef, guard, .. } in structures {
        match guard {
            Some(guard) => {
                write!(out, "#ifndef {guard}\n#define {guard}\ntypedef struct {tag} {typedef};\n#endif\n")
                    .unwrap()
            }
            None => writeln!(out, "typedef struct {tag} {typedef};").unwrap(),
        }
    }
    out
}

/// The enumerations, with their typedefs where they have one.
pub fn enumerations(table: &Table) -> String {
    let emitted: Vec<String> = table
        .enumerations
        .iter()
        .map(|enumeration| {
            let mut conditional = Conditional::default();
            let opening = conditional.before(enumeration.build);
            format!("{opening}{}{}", emit_enumeration(enumeration), conditional.end())
        })
        .collect();
    emitted.join("\n")
}

/// The structures. Other structures go by their typedef if it is among `typedefs`, else by their tag.
pub fn structures<'a>(
    table: &Table,
    structures: impl Iterator<Item = &'a Structure>,
    typedefs: &[&str],
) -> String {
    let emitted: Vec<String> = structures
        .filter(|structure| structure.size.is_some())
        .map(|structure| emit_structure(table, structure, typedefs))
        .collect();
    emitted.join("\n")
}

/// Calls `emit` for each field, with the preprocessor's conditions round those that only one build has.
pub fn fields_with_conditions(structure: &Structure, mut emit: impl FnMut(&Field) -> String) -> String {
    let mut conditional = Conditional::default();
    let mut out = String::new();
    for field in &structure.fields {
        out += conditional.before(field.build);
        out += &emit(field);
    }
    out += conditional.end();
    out
}

/// The same text, or two alternatives for the MPI and the serial build.
pub fn either_build(serial: String, mpi: String) -> String {
    if serial == mpi { serial } else { format!("{IF_MPI}{mpi}#else\n{serial}#endif\n") }
}

fn emit_enumeration(enumeration: &Enumeration) -> String {
    let Enumeration { tag, typedef, comment, enumerators, .. } = enumeration;
    let texts: Vec<String> = enumerators
        .iter()
        .map(|enumerator| format!("  {} = {}", enumerator.name, enumerator.value))
        .collect();
    let column = comment_column(&texts);
    let mut out = comment_block(comment);
    writeln!(out, "enum {tag} {{").unwrap();
    for (index, (text, enumerator)) in texts.iter().zip(enumerators).enumerate() {
        let comma = if index + 1 < texts.len() { "," } else { "" };
        out += &with_comment(&format!("{text}{comma}"), &enumerator.comment, column);
    }
    out += "};\n";
    if let Some(typedef) = typedef {
        writeln!(out, "typedef enum {tag} {typedef};").unwrap();
    }
    out
}

fn emit_structure(table: &Table, structure: &Structure, typedefs: &[&str]) -> String {
    let text = |field: &Field| format!("  {};", declaration(table, field, typedefs));
    let column = comment_column(&structure.fields.iter().map(text).collect::<Vec<_>>());
    let mut out = comment_block(&structure.comment);
    writeln!(out, "struct {} {{", structure.tag).unwrap();
    let mut index = 0;
    out += &fields_with_conditions(structure, |field| {
        let lock = structure.lock.as_ref().filter(|lock| lock.before == index);
        let lock = lock.map_or(String::new(), |lock| format!("  /* {} */\n", lock.comment));
        index += 1;
        lock + &with_comment(&text(field), &field_comment(table, field), column)
    });
    out += "};\n";
    out
}

fn declaration(table: &Table, field: &Field, typedefs: &[&str]) -> String {
    let Declaration { base, pointers, name, length } = &field.declaration;
    let base = match table.base(&field.declaration) {
        Base::Scalar(_) | Base::Enumeration(_) => base.clone(),
        Base::Structure(inner) if typedefs.contains(&inner.typedef.as_str()) => base.clone(),
        Base::Structure(inner) => format!("struct {}", inner.tag),
        Base::Foreign if *pointers > 0 => "void".to_string(),
        Base::Foreign => return format!("unsigned char {name}[{}]", field.size),
    };
    let length = length.map_or(String::new(), |length| format!("[{length}]"));
    format!("{base} {}{name}{length}", "*".repeat(*pointers))
}

/// The comment of the table, after the host's own type where it is one that the header does not know.
fn field_comment(table: &Table, field: &Field) -> String {
    let Declaration { base, pointers, .. } = &field.declaration;
    match (table.base(&field.declaration), pointers) {
        (Base::Foreign, 0) => format!("{base}: {}", field.comment),
        (Base::Foreign, _) => format!("{base} {}: {}", "*".repeat(*pointers), field.comment),
        _ => field.comment.clone(),
    }
}

fn comment_column(texts: &[String]) -> usize {
    let longest = texts.iter().map(String::len).max().unwrap_or(0);
    (longest + 2).min(COMMENT_COLUMN_LIMIT)
}

/// `text` with its comment after it, beginning at `column`.
fn with_comment(text: &str, comment: &str, column: usize) -> String {
    let column = column.max(text.len() + 1);
    let lines = wrap(comment, WIDTH - column - "/*  */".len());
    let indent = " ".repeat(column + "/* ".len());
    format!("{text:column$}/* {} */\n", lines.join(&format!("\n{indent}")))
}

fn comment_block(comment: &str) -> String {
    format!("/* {} */\n", wrap(comment, WIDTH - "/*  */".len()).join("\n   "))
}

/// Breaks a text at its blanks into lines of at most `width` characters.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("never empty");
        if line.is_empty() {
            line.push_str(word);
        } else if line.len() + 1 + word.len() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_string());
        }
    }
    lines
}

/// Opens and closes the preprocessor's conditions while things of different builds follow one another.
struct Conditional {
    build: Build,
}

impl Default for Conditional {
    fn default() -> Self {
        Conditional { build: Build::Both }
    }
}

impl Conditional {
    /// The directive before something that exists in this build alone.
    fn before(&mut self, build: Build) -> &'static str {
        let previous = std::mem::replace(&mut self.build, build);
        match (previous, build) {
            (Build::Both, Build::Serial) => IF_SERIAL,
            (Build::Both, Build::Mpi) => IF_MPI,
            (Build::Serial | Build::Mpi, Build::Both) => "#endif\n",
            (Build::Serial, Build::Mpi) | (Build::Mpi, Build::Serial) => "#else\n",
            _ => "",
        }
    }

    fn end(mut self) -> &'static str {
        self.before(Build::Both)
    }
}
