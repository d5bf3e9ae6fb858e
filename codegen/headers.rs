//! Puts the C files together: templates hold the prose and the frame, the table the layouts, and the
//! prototypes come from the declarations in `src/legacy/c_api`.

use super::constants::with_enumerations;
use super::table::{Structure, Table};
use super::{assertions, c};

/// The structures that `ldy.h` defines, as the header it replaces did.
const OWN: [&str; 3] = ["OFFB", "DIAB", "LOCDYN"];

/// The host's structures that `ldy.h` needs a typedef of.
const HOST_TYPEDEFS: [&str; 3] = ["CON", "DOM", "BODY"];

/// The text of `ldy.h`.
pub fn ldy_h(table: &Table, module: &str, codes: &str, additions: &str, parallel: &str) -> String {
    let known: Vec<&str> = OWN.into_iter().chain(HOST_TYPEDEFS).collect();
    let host = HOST_TYPEDEFS.into_iter().filter_map(|typedef| table.structure(typedef));
    fill(
        include_str!("templates/ldy.h"),
        &[
            ("host typedefs", &c::typedefs(host)),
            ("own typedefs", &c::typedefs(own(table))),
            ("structures", &c::structures(table, own(table), &known)),
            ("module", module),
            ("codes", &guarded(codes)),
            ("additions", &with_enumerations(additions)),
            ("parallel", parallel),
        ],
    )
}

/// The text of `ldy_host.h`.
pub fn ldy_host_h(table: &Table, operators: &str) -> String {
    let known: Vec<&str> = host(table).map(|structure| structure.typedef.as_str()).collect();
    fill(
        include_str!("templates/ldy_host.h"),
        &[
            ("typedefs", &c::typedefs(host(table))),
            ("enumerations", &c::enumerations(table)),
            ("structures", &c::structures(table, host(table), &known)),
            ("operators", operators),
        ],
    )
}

/// The text of `ldy_system.h`; `version` is "major.minor.patch".
pub fn ldy_system_h(codes: &str, additions: &str, system: &str, version: &str) -> String {
    let common: Vec<&str> = COMMON.into_iter().map(|name| declaration(additions, name)).collect();
    fill(
        include_str!("templates/ldy_system.h"),
        &[
            ("version", &version_macros(version)),
            ("codes", &guarded(codes)),
            ("common", &with_results(&common.join("\n\n"))),
            ("system", &with_results(&with_enumerations(system))),
        ],
    )
}

/// The text of `ldy_bridge.h`.
pub fn ldy_bridge_h(bridge: &str) -> String {
    // The header knows of the other face this name alone.
    let bridge = with_results(&bridge.replace("LOCDYN *ldy", "struct locdyn *ldy"));
    fill(include_str!("templates/ldy_bridge.h"), &[("bridge", &bridge)])
}

/// The text of `ldy_parallel.h`.
pub fn ldy_parallel_h(parallel: &str) -> String {
    let parallel = with_results(&with_enumerations(parallel));
    fill(include_str!("templates/ldy_parallel.h"), &[("parallel", &parallel)])
}

/// The codes of errors, which both faces define.
fn guarded(codes: &str) -> String {
    format!(
        "#ifndef LDY_ERROR_CODES\n#define LDY_ERROR_CODES\n\n{}\n\n#endif",
        with_enumerations(codes.trim())
    )
}

/// The macro for results that are not to be ignored, before each function that returns a code.
fn with_results(text: &str) -> String {
    text.replace("\nint ldy_", "\nLDY_RESULT\nint ldy_")
}

fn version_macros(version: &str) -> String {
    let numbers: Vec<u32> = version.split('.').map(|part| part.parse().expect("a number")).collect();
    let [major, minor, patch] = numbers[..] else { panic!("a version has three numbers") };
    format!(
        "#define LDY_VERSION_MAJOR {major}\n#define LDY_VERSION_MINOR {minor}\n#define LDY_VERSION_PATCH {patch}\n\
         /* 10000 major + 100 minor + patch, see ldy_version_number. */\n#define LDY_VERSION_NUMBER {}",
        10_000 * major + 100 * minor + patch
    )
}

/// Declared by both faces.
const COMMON: [&str; 8] = [
    "ldy_last_error",
    "ldy_strerror",
    "ldy_version",
    "ldy_version_number",
    "ldy_build_info",
    "ldy_set_threads",
    "ldy_threads",
    "ldy_shutdown",
];

/// The declaration of a function with its comment: the paragraph whose code has its name.
fn declaration<'a>(text: &'a str, name: &str) -> &'a str {
    let ends = |paragraph: &&str| {
        let code = paragraph.rsplit("*/").next().unwrap_or_default();
        code.contains(&format!("{name}(")) && code.trim_end().ends_with(';')
    };
    let start = |end: usize| text[..end].rfind("/*").unwrap_or(0);
    let paragraph = text.split("\n\n").find(ends).unwrap_or_else(|| panic!("no {name}"));
    let end = paragraph.as_ptr() as usize - text.as_ptr() as usize + paragraph.len();
    text[start(end)..end].trim()
}

/// The text of the C file of assertions.
pub fn layout_assertions_c(table: &Table) -> String {
    fill(include_str!("templates/layout_assertions.c"), &[("assertions", &assertions::assertions(table))])
}

fn own(table: &Table) -> impl Iterator<Item = &Structure> {
    table.structures.iter().filter(|structure| OWN.contains(&structure.typedef.as_str()))
}

fn host(table: &Table) -> impl Iterator<Item = &Structure> {
    table.structures.iter().filter(|structure| !OWN.contains(&structure.typedef.as_str()))
}

/// Replaces each line `@NAME@` of a template by the text that goes by this name.
fn fill(template: &str, texts: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for line in template.lines() {
        match line.strip_prefix('@').and_then(|line| line.strip_suffix('@')) {
            Some(name) => {
                let found = texts.iter().find(|(known, _)| *known == name);
                out += found.unwrap_or_else(|| panic!("a template asks for `{name}`")).1.trim();
            }
            None => out += line,
        }
        out.push('\n');
    }
    out
}
