//! The exported names of the library, from its public headers, as a version script for the linker.

/// The version script of the shared library. It exports the functions that the headers declare, and nothing else.
/// `node` is the version of the names.
pub fn version_script(headers: &[&str], node: &str) -> String {
    let mut names: Vec<String> = headers.iter().flat_map(|header| functions(header)).collect();
    names.sort();
    names.dedup();
    let names: String = names.iter().map(|name| format!("    {name};\n")).collect();
    format!(
        "/* The names that the library exports: the functions of include/*.h.\n \
         * Generated from them; `make headers` writes it again. */\n\
         {node} {{\n  global:\n{names}  local:\n    *;\n}};\n"
    )
}

/// The names of the functions that a header declares.
fn functions(header: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let outside = |&character: &char| {
        depth += usize::from(character == '{');
        let outside = depth == 0;
        depth = depth.saturating_sub(usize::from(character == '}'));
        outside
    };
    let code: String = code(header).chars().filter(outside).collect();
    code.split(';').filter_map(function).collect()
}

/// The name in a declaration of a function, `type name(arguments)`.
fn function(declaration: &str) -> Option<String> {
    let (head, _) = declaration.split_once('(')?;
    let is_other = head.split_whitespace().any(|word| ["typedef", "static"].contains(&word));
    let word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let name = head.trim_end().rsplit(|character| !word(character)).next()?;
    (!is_other && !name.is_empty()).then(|| name.to_string())
}

/// The C text of a header without comments, directives, and text for C++ or for a build with MPI: the shared library is
/// serial.
fn code(header: &str) -> String {
    let mut pieces = header.split("/*");
    let mut text = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        text += piece.split_once("*/").map_or("", |(_, code)| code);
    }
    let mut out = String::new();
    let mut for_others = false;
    for line in text.lines() {
        match line {
            "#ifdef __cplusplus" | "#if defined (MPI) && MPI" => for_others = true,
            "#endif" | "#else" if for_others => for_others = false,
            _ if for_others || line.starts_with('#') => {}
            _ => out += &format!("{line}\n"),
        }
    }
    out
}
