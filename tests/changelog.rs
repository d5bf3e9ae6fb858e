//! The files in `changelog.d`, of which `make changelog` makes a section of CHANGELOG.md.

use crate::compiler::root;
use crate::library::read;
use std::fs;

/// The kinds of changes in `towncrier.toml`.
fn kinds() -> Vec<String> {
    let settings = read("towncrier.toml");
    let kinds = settings.split("[[tool.towncrier.type]]\ndirectory = \"").skip(1);
    kinds.map(|rest| rest.split('"').next().expect("a name").to_string()).collect()
}

/// Why a file is not NAME.KIND.md with one paragraph.
fn fault(name: &str, text: &str, kinds: &[String]) -> Option<&'static str> {
    let parts: Vec<&str> = name.split('.').collect();
    let is_plain = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    let [first, kind, "md"] = parts[..] else { return Some("its name is not NAME.KIND.md") };
    match () {
        () if !is_plain(first) => Some("its name has other letters than a-z, digits and -"),
        () if !kinds.iter().any(|known| known == kind) => Some("its kind is not in towncrier.toml"),
        () if text.lines().any(str::is_empty) => Some("it has an empty line"),
        () if text.starts_with(['-', '*', '#', ' ']) => Some("it begins as a list or a title"),
        () if !text.ends_with(".\n") => Some("it does not end with a full stop and one newline"),
        () if text.lines().any(|line| line.chars().count() > 140) => Some("a line has over 140 characters"),
        () => None,
    }
}

#[test]
fn each_file_is_a_paragraph_of_a_known_kind() {
    let kinds = kinds();
    assert!(kinds.contains(&"fixed".to_string()), "{kinds:?}");
    for entry in fs::read_dir(root().join("changelog.d")).expect("the folder of changes") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name in UTF-8");
        if name != "template.md.jinja" {
            let fault = fault(&name, &read(&format!("changelog.d/{name}")), &kinds);
            assert_eq!(fault, None, "changelog.d/{name}");
        }
    }
}

#[test]
fn faults_are_found() {
    let kinds = kinds();
    let of = |name, text| fault(name, text, &kinds);
    assert_eq!(of("a-2.fixed.md", "A sentence\nof two lines.\n"), None);
    let good = "A sentence.\n";
    let bad = [
        ("a.md", good),
        ("a.fixed.txt", good),
        ("A.fixed.md", good),
        (".fixed.md", good),
        ("a.new.md", good),
        ("a.fixed.md", ""),
        ("a.fixed.md", "A sentence"),
        ("a.fixed.md", "A sentence.\n\n"),
        ("a.fixed.md", "- A sentence.\n"),
        ("a.fixed.md", "One.\n\nTwo.\n"),
    ];
    for (name, text) in bad {
        assert!(of(name, text).is_some(), "{name}: {text:?}");
    }
    assert!(of("a.fixed.md", &format!("{}.\n", "x".repeat(140))).is_some());
}
