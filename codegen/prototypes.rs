//! The library's own prototypes, constants and types as C text: the output of cbindgen, with comments in the style of a C
//! header.

use std::path::{Path, PathBuf};

/// The C text of the public declarations in Rust source files, with their documentation as comments. It omits types that no function
/// uses.
pub fn emit(sources: &[PathBuf], config: &Path) -> Result<String, String> {
    let config = cbindgen::Config::from_file(config)?;
    let builder = cbindgen::Builder::new().with_config(config);
    let builder = sources.iter().fold(builder, |builder, source| builder.with_src(source));
    let bindings = builder.generate().map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    String::from_utf8(text).map(|text| tidy(&text)).map_err(|error| error.to_string())
}

/// The prefix of cbindgen for functions that are defined in C.
const EXTERN: &str = "extern ";
const EXTERN_INDENT: &str = "       ";

/// Format comments as `/* text */`, convert their Markdown to plain text, and remove `extern `.
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

/// A line of a Markdown comment as plain text, indented to align with the first line, which begins at `margin`.
fn plain(margin: &str, line: &str) -> String {
    let line = line.strip_prefix(' ').unwrap_or(line);
    let line = match line.trim_start_matches('#').strip_prefix(' ') {
        Some(heading) if line.starts_with('#') => format!("{heading}:"),
        _ => line.replace("[`", "`").replace("`]", "`").replace("\\[", "[").replace("\\]", "]"),
    };
    if line.is_empty() { line } else { format!("{margin}   {line}") }
}
