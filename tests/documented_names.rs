//! Names in texts: each name of the library that a page or a header mentions exists, each function is in a guide, and the page of
//! renamed functions is right.

use crate::compiler::root;
use crate::library::read;
use std::collections::BTreeSet;
use std::fs;

/// All pages, by their path from the root of the repository.
fn pages() -> Vec<String> {
    let files = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "python/README.md"];
    let mut pages = files.map(String::from).to_vec();
    let mut folders = vec!["docs".to_string()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder of the documentation") {
            let name = entry.expect("an entry").file_name().into_string().expect("a name in UTF-8");
            let path = format!("{folder}/{name}");
            if root().join(&path).is_dir() {
                folders.push(path);
            } else if path.ends_with(".md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

fn page_called(name: &str) -> String {
    let end = format!("/{name}");
    pages().into_iter().find(|page| page.ends_with(&end)).unwrap_or_else(|| panic!("no page {name}"))
}

/// The functions of the neutral face.
fn declared() -> BTreeSet<String> {
    declared_in(&["ldy_system.h", "ldy_bridge.h"])
}

fn declared_in(headers: &[&str]) -> BTreeSet<String> {
    let headers: Vec<String> = headers.iter().map(|name| read(&format!("include/{name}"))).collect();
    let starts = ["int ", "void ", "size_t ", "const char *"];
    let lines = headers.iter().flat_map(|header| header.lines());
    let names = lines.filter_map(|line| {
        let rest = starts.iter().find_map(|start| line.strip_prefix(start))?;
        rest.split_once('(').map(|(name, _)| name)
    });
    names.filter(|name| name.starts_with("ldy_") && !name.contains(' ')).map(String::from).collect()
}

/// The words of a text that may be names of the library. A word that ends in an underscore stands for several names.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("ldy_") && !word.ends_with('_'))
}

/// A header without its comments.
fn without_comments(header: &str) -> String {
    let mut parts = header.split("/*");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |text, part| text + part.split_once("*/").map_or("", |(_, rest)| rest))
}

/// All that the headers define and the libraries export, and the names of the headers.
fn defined() -> BTreeSet<String> {
    let headers = ["ldy.h", "ldy_host.h", "ldy_system.h", "ldy_bridge.h", "ldy_parallel.h"]
        .map(|name| format!("include/{name}"));
    let texts: Vec<String> = headers.iter().map(|path| without_comments(&read(path))).collect();
    let exported = read("packaging/libldy.map");
    let words = texts.iter().chain([&exported]).flat_map(|text| {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
    });
    words
        .map(String::from)
        .chain(["ldy_bridge", "ldy_host", "ldy_parallel", "ldy_system"].map(String::from))
        .collect()
}

#[test]
fn each_name_that_a_page_or_a_header_mentions_exists() {
    let defined = defined();
    // Columns of benches.
    let others = ["ldy_ms"];
    let headers =
        ["ldy_system.h", "ldy_bridge.h", "ldy_parallel.h", "ldy.hpp", "ldy_bridge.hpp", "ldy_parallel.hpp"];
    let headers = headers.map(|name| format!("include/{name}"));
    for path in pages().into_iter().filter(|path| !path.ends_with("/renamed.md")).chain(headers) {
        for name in names(&read(&path)).filter(|name| !others.contains(name)) {
            assert!(defined.contains(name), "{path}: {name} does not exist");
        }
    }
}

/// The names between backticks. One that begins with an underscore follows another one: `a_b_c`, `_d` may be `a_b_d` or `a_d`.
fn quoted(cell: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut last = String::new();
    for name in cell.split('`').skip(1).step_by(2).filter(|name| !name.contains([' ', '(', '…', '.'])) {
        if name.starts_with('_') {
            let ends = last.match_indices('_').map(|(end, _)| end).chain([last.len()]);
            found.push(ends.map(|end| format!("{}{name}", &last[..end])).collect());
        } else {
            last = name.to_string();
            found.push(vec![last.clone()]);
        }
    }
    found
}

#[test]
fn new_names_of_c_exist_and_old_ones_do_not() {
    let page = read(&page_called("renamed.md"));
    let (_, c) = page.split_once("\n## C\n").expect("the table of C");
    let (c, _) = c.split_once("\n## ").expect("another table");
    let defined = defined();
    let rows = c.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    let rows: Vec<(&str, &str)> =
        rows.filter(|(old, _)| old.contains("`ldy_") || old.contains("`LDY_")).collect();
    assert!(rows.len() > 35, "{rows:?}");
    for (old, new) in rows {
        let new: Vec<Vec<String>> = quoted(new);
        for candidates in &new {
            let prefix = candidates[0].ends_with('_');
            let exists = candidates.iter().any(|name| defined.contains(name));
            assert!(prefix || exists || !candidates[0].to_lowercase().starts_with("ldy_"), "{candidates:?}");
        }
        let old = old.split('`').skip(1).step_by(2).filter(|name| name.to_lowercase().starts_with("ldy_"));
        for name in old.filter(|name| defined.contains(*name)) {
            assert!(new.iter().flatten().any(|new| new == name), "{name} exists");
        }
    }
}

#[test]
fn the_page_of_new_names_counts_functions_as_the_headers_do() {
    let count = declared().len();
    let page = read(&page_called("renamed.md"));
    let numbers = page.lines().skip_while(|line| !line.starts_with("`ldy_system.h` declared 108 functions."));
    let text = numbers.take(2).collect::<Vec<_>>().join(" ");
    let words = text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse::<usize>().ok());
    let words: Vec<usize> = words.collect();
    assert!(
        matches!(words[..], [108, kept, new, all] if kept + new == all && all == count),
        "{count}: {text}"
    );
}

/// Pages that list functions or names without saying what they are for.
const LISTS: [&str; 4] = ["functions.md", "renamed.md", "compatibility.md", "symbols.md"];

#[test]
fn each_function_of_the_neutral_face_is_in_a_guide() {
    let guides = pages().into_iter().filter(|page| page.starts_with("docs/") || page == "README.md");
    let guides = guides.filter(|page| !LISTS.iter().any(|list| page.ends_with(&format!("/{list}"))));
    let texts: Vec<String> = guides.map(|page| read(&page)).collect();
    let mentioned: BTreeSet<&str> = texts.iter().flat_map(|text| names(text)).collect();
    let declared = declared_in(&["ldy_system.h", "ldy_bridge.h", "ldy_parallel.h"]);
    let missing: Vec<&String> = declared.iter().filter(|name| !mentioned.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "in no guide: {missing:?}");
}
