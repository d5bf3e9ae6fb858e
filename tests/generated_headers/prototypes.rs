//! Prototypes, constants and types of our own as C text: cbindgen's, with comments in the form of a C
//! header.

use std::path::{Path, PathBuf};

/// The C text of the public declarations of Rust source files, with their documentation as comments. Types that no function has
/// are left out.
pub fn emit(sources: &[PathBuf], config: &Path) -> Result<String, String> {
    let config = cbindgen::Config::from_file(config)?;
    let builder = cbindgen::Builder::new().with_config(config);
    let builder = sources.iter().fold(builder, |builder, source| builder.with_src(source));
    let bindings = builder.generate().map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    String::from_utf8(text).map(|text| tidy(&text)).map_err(|error| error.to_string())
}

/// What cbindgen puts before functions that are defined in C, and only before those.
const EXTERN: &str = "extern ";
const EXTERN_INDENT: &str = "       ";

/// Sets comments as `/* text */`, turns their Markdown into plain text, and drops `extern `.
fn tidy(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    let mut indent = "";
    while let Some(line) = lines.next() {
        if line.trim_start() == "/*" {
            let margin = line.trim_end_matches("/*");
            let inside = lines.by_ref().take_while(|line| line.trim_start() != "*/");
            let comment: Vec<String> =
                inside.map(|line| plain(margin, line.strip_prefix(margin).unwrap_or(line))).collect();
            out += &format!("{margin}/* {} */\n", comment.join("\n").trim_start());
            indent = "";
        } else if let Some(function) = line.strip_prefix(EXTERN) {
            out += &format!("{function}\n");
            indent = EXTERN_INDENT;
        } else {
            out += &format!("{}\n", line.strip_prefix(indent).unwrap_or(line));
        }
    }
    out
}

/// A line of a Markdown comment as plain text, indented as far as the first, which begins after `margin`.
fn plain(margin: &str, line: &str) -> String {
    let line = line.strip_prefix(' ').unwrap_or(line);
    let line = match line.trim_start_matches('#').strip_prefix(' ') {
        Some(heading) if line.starts_with('#') => format!("{heading}:"),
        _ => line.replace("[`", "`").replace("`]", "`").replace("\\[", "[").replace("\\]", "]"),
    };
    if line.is_empty() { line } else { format!("{margin}   {line}") }
}
