//! README.md and `docs`: programs are complete, compile without a warning and print the output that the text after them shows; links lead
//! somewhere.

use crate::compiler::{command, root};
use crate::library::{Workshop, archive, cc, cxx, native_libraries, read, succeeds};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// A program of a page.
#[derive(Clone)]
struct Program {
    /// Its language, by the ending of a file's name.
    language: &'static str,
    text: String,
    output: String,
}

/// The programs of a page in their order. Code without a `main` is part of a program of the reader.
fn programs(text: &str) -> Vec<Program> {
    let fences: Vec<&str> = text.split("```").skip(1).step_by(2).collect();
    let mut programs = Vec::new();
    for (place, fence) in fences.iter().enumerate() {
        let in_language =
            |language| fence.strip_prefix(language)?.strip_prefix('\n').map(|text| (language, text));
        let code = ["c", "cpp"].into_iter().find_map(in_language);
        if let Some((language, text)) = code.filter(|(_, text)| text.contains("int main (")) {
            let output = fences[place..].iter().find_map(|fence| fence.strip_prefix("text\n"));
            let output = output.expect("an output behind each program").to_string();
            programs.push(Program { language, text: text.to_string(), output });
        }
    }
    programs
}

#[test]
fn each_program_prints_what_stands_there() {
    let pages: Vec<String> = pages().iter().map(|page| read(page)).collect();
    let mains: usize = pages.iter().map(|page| page.matches("int main (").count()).sum();
    let programs = pages.iter().flat_map(|page| programs(page)).collect::<Vec<_>>();
    assert_eq!(programs.len(), mains);
    assert!(programs.len() >= 20);
    let workshop = Workshop::new();
    for (number, Program { language, text, output }) in programs.iter().enumerate() {
        let source = workshop.path(&format!("program{number}.{language}"));
        fs::write(&source, text).expect("a source file");
        let source = source.to_str().expect("a path in UTF-8");
        let object = workshop.compile(source, &format!("program{number}.o"), &["-fPIE"]);
        let mut arguments: Vec<OsString> = vec![object.into(), archive().into()];
        arguments.extend(native_libraries().into_iter().map(OsString::from));
        let linker = if *language == "cpp" { cxx() } else { cc() };
        let linked = workshop.link(linker, &format!("program{number}"), &arguments);
        let mut run = command(linked.to_str().expect("a path in UTF-8"));
        let printed = succeeds(run.current_dir(workshop.path("")));
        assert_eq!(&printed, output, "program {number}:\n{text}");
    }
}

/// The pages, by their path from the root of the repository.
fn pages() -> Vec<String> {
    let mut pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "python/README.md"]
        .map(String::from)
        .to_vec();
    let mut folders = vec!["docs".to_string()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a directory of the documentation") {
            let entry = entry.expect("an entry");
            let path = format!("{folder}/{}", entry.file_name().to_str().expect("a name in UTF-8"));
            if entry.file_type().expect("a type").is_dir() {
                folders.push(path);
            } else if path.ends_with(".md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// How GitHub and others name the anchor of a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn each_link_within_the_repository_leads_somewhere() {
    for page in pages() {
        let text = read(&page);
        let directory = Path::new(&page).parent().expect("a directory");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            if link.starts_with("http") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if file.is_empty() { page.clone() } else { directory.join(file).display().to_string() };
            assert!(root().join(&target).exists(), "{page}: {link}");
            let found = heading.is_empty()
                || read(&target).lines().any(|line| line.starts_with('#') && anchor(line) == heading);
            assert!(found, "{page}: {link}");
        }
    }
}

/// Longer ones cannot be read beside others.
#[test]
fn no_cell_of_a_table_has_more_than_200_characters() {
    for page in pages() {
        for line in read(&page).lines().filter(|line| line.starts_with('|')) {
            let longest = line.replace("\\|", "/").split('|').map(|cell| cell.trim().chars().count()).max();
            assert!(longest <= Some(200), "{page}: {longest:?} characters in {line}");
        }
    }
}

#[test]
fn the_readme_is_short_and_names_the_minimum_version_of_rust() {
    let readme = read("README.md");
    assert!(readme.split_whitespace().count() <= 900, "{} words", readme.split_whitespace().count());
    let version = env!("CARGO_PKG_RUST_VERSION");
    assert!(readme.contains(&format!("Rust {version} or newer")), "README.md does not name Rust {version}");
}

/// The functions that a header declares.
fn declared(header: &str) -> impl Iterator<Item = &str> {
    let starts = ["int ", "void ", "size_t ", "const char *"];
    let names = header.lines().filter_map(move |line| {
        let rest = starts.iter().find_map(|start| line.strip_prefix(start))?;
        rest.split_once('(').map(|(name, _)| name)
    });
    names.filter(|name| name.starts_with("ldy_") && !name.contains(' '))
}

#[test]
fn the_list_of_functions_has_each_function_of_the_neutral_face() {
    let headers = ["include/ldy_system.h", "include/ldy_bridge.h", "include/ldy_parallel.h"].map(read);
    let declared: BTreeSet<&str> = headers.iter().flat_map(|header| declared(header)).collect();
    let list = read("docs/reference/functions.md");
    let listed: BTreeSet<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect();
    assert!(declared.contains("ldy_system_create") && declared.len() > 90);
    assert_eq!(listed, declared);
}

/// The parts of the tables of `docs/errors.md` that begin with a code, a name or a message, without the ticks.
fn error_cells(column: usize) -> Vec<String> {
    let page = read("docs/errors.md");
    let cells =
        page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").nth(column).map(String::from));
    cells.collect()
}

#[test]
fn the_page_of_errors_has_the_codes_of_the_header() {
    let header = read("include/ldy_system.h");
    let codes: Vec<(&str, &str)> = header
        .lines()
        .filter_map(|line| line.trim().trim_end_matches(',').split_once(" = "))
        .filter(|(name, _)| name.starts_with("LDY_ERROR_"))
        .collect();
    assert!(codes.contains(&("LDY_ERROR_INVALID_ARGUMENT", "52")));
    let listed: Vec<(String, String)> = error_cells(1)
        .into_iter()
        .zip(error_cells(0))
        .filter(|(name, _)| name.starts_with("`LDY_ERROR_"))
        .map(|(name, code)| (name.trim_matches('`').to_string(), code))
        .collect();
    let listed: Vec<(&str, &str)> =
        listed.iter().map(|(name, code)| (name.as_str(), code.as_str())).collect();
    assert_eq!(listed, codes);
}

#[test]
fn the_messages_of_the_page_of_errors_are_those_of_the_library() {
    let mut source = String::new();
    let mut folders = vec![root().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a directory of the source") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                source += &fs::read_to_string(path).expect("a source file");
            }
        }
    }
    let messages: Vec<String> = error_cells(0).into_iter().filter(|cell| cell.starts_with('`')).collect();
    assert!(messages.len() > 15);
    for message in messages {
        for part in message.trim_matches('`').split('…').map(str::trim).filter(|part| !part.is_empty()) {
            assert!(source.contains(part), "no text of the library has {part:?} of {message}");
        }
    }
}

/// The words of a text that begin with a prefix of this library.
fn own_words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let own = words.filter(|word| ["ldy_", "LDY_", "LOCDYN_"].iter().any(|prefix| word.starts_with(prefix)));
    own.map(String::from).collect()
}

/// What benches print, and names whose rest the sentence leaves out, are no names of functions.
#[test]
fn each_name_of_the_library_on_a_page_is_in_a_header() {
    let headers = fs::read_dir(root().join("include"))
        .expect("the headers")
        .map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("a header"));
    let known: BTreeSet<String> = headers.flat_map(|header| own_words(&header)).collect();
    assert!(known.contains("ldy_system_update"));
    let old_names = ["docs/upgrading/renamed.md", "CHANGELOG.md"];
    for page in pages().into_iter().filter(|page| !old_names.contains(&page.as_str())) {
        for word in own_words(&read(&page)) {
            // Versions of symbols, LDY_0.1, and variables of scripts and tests are no names either.
            let others = ["ldy_ms", "LDY_0", "LDY_1", "LDY_INSTALL", "LDY_CASES_PERCENT"];
            let is_part = word.ends_with('_') || others.contains(&word.as_str());
            assert!(is_part || known.contains(&word), "{page}: no header has {word}");
        }
    }
}
