//! Emits the Rust side of the table: structures with their layout in memory, constants for the enumerators, and
//! assertions at compile time that both are as the table says.

use super::table::{Base, Declaration, Enumeration, Field, Structure, Table};

/// The keywords of Rust that are names of fields.
const KEYWORDS: [&str; 3] = ["box", "ref", "type"];

/// The Rust source of the serial layouts or, with `mpi`, of the layouts of a host compiled with -DMPI.
pub fn emit(table: &Table, mpi: bool) -> String {
    let enumerations = table.enumerations.iter().filter(|enumeration| enumeration.build.includes(mpi));
    let structures = table.structures.iter().map(|structure| emit_structure(table, structure, mpi));
    enumerations.map(emit_enumeration).chain(structures).collect()
}

fn emit_enumeration(enumeration: &Enumeration) -> String {
    let of = enumeration.comment.trim_end_matches('.');
    let mut out = String::new();
    for enumerator in &enumeration.enumerators {
        let comment = doc(&format!("{of}: {}.", enumerator.comment));
        out += &format!("/// {comment}\npub const {}: c_int = {};\n", enumerator.name, enumerator.value);
    }
    out + "\n"
}

fn emit_structure(table: &Table, structure: &Structure, mpi: bool) -> String {
    let name = &structure.typedef;
    let Some(size) = structure.size.and_then(|size| size.of(mpi)) else { return String::new() };
    let mut out = format!("/// {}\n#[repr(C)]\npub struct {name} {{\n", doc(&structure.comment));
    let mut assertions = String::new();
    for field in structure.fields.iter().filter(|field| field.build.includes(mpi)) {
        let identifier = identifier(&field.declaration.name);
        let field_type = rust_type(table, field);
        out += &format!("    /// {}\n    pub {identifier}: {field_type},\n", doc(&field.comment));
        let what = format!("{name}.{identifier}");
        let offset = field.offset.of(mpi).expect("a field of this build");
        assertions += &assert_equal(&format!("offset_of!({name}, {identifier})"), offset, &what, "offset");
        let projection = format!("size_of_field(|whole: &{name}| &whole.{identifier})");
        assertions += &assert_equal(&projection, field.size, &what, "size");
    }
    assertions += &assert_equal(&format!("size_of::<{name}>()"), size, name, "size");
    out + "}\n" + &assertions + "\n"
}

/// On Windows `long` has four bytes, and the layouts of its C compilers are others.
fn assert_equal(expression: &str, expected: usize, what: &str, quantity: &str) -> String {
    format!(
        "const _: () = assert!(!cfg!(unix) || {expression} == {expected}, \"{what}: {quantity} {expected} expected\");\n"
    )
}

fn rust_type(table: &Table, field: &Field) -> String {
    let Declaration { pointers, length, .. } = field.declaration;
    let base = match table.base(&field.declaration) {
        Base::Scalar(scalar) => scalar.rust,
        Base::Enumeration(_) => "c_int",
        Base::Structure(structure) if structure.size.is_some() => &structure.typedef,
        Base::Structure(_) | Base::Foreign if pointers > 0 => "c_void",
        Base::Structure(_) | Base::Foreign => return format!("[c_uchar; {}]", field.size),
    };
    let one = format!("{}{base}", "*mut ".repeat(pointers));
    match length {
        Some(length) => format!("[{one}; {length}]"),
        None => one,
    }
}

fn identifier(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("r#{name}") } else { name.to_string() }
}

/// A comment of the table as Markdown text.
fn doc(comment: &str) -> String {
    let mut text = String::new();
    for character in comment.chars() {
        if matches!(character, '[' | ']' | '<' | '>' | '*' | '_' | '^') {
            text.push('\\');
        }
        text.push(character);
    }
    text
}
