//! Builds the programs of `c_tests` and runs them: unit tests in C of every entry point, random sequences of operations, and the replay
//! of states recorded from the original program. One program alone: `make -f c_tests/Makefile test-NAME`.

use crate::compiler::root;
use crate::library::{c_tests, make_c_tests, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Runs a target that has to succeed, once all programs are built; what it printed.
fn harness(arguments: &[&str]) -> String {
    let (success, messages) = try_harness(arguments);
    assert!(success, "{arguments:?}\n{messages}");
    messages
}

/// The programs are those of the targets of make, such as valgrind; what they write is apart.
fn try_harness(arguments: &[&str]) -> (bool, String) {
    static BUILD: LazyLock<PathBuf> = LazyLock::new(|| target().join("c_tests"));
    static BUILT: LazyLock<(bool, String)> = LazyLock::new(|| make_c_tests(&BUILD, &["all"]));
    assert!(BUILT.0, "{}", BUILT.1);
    let results = format!("RESULTS={}", c_tests("harness").display());
    make_c_tests(&BUILD, &[&[results.as_str()], arguments].concat())
}

/// The test programs, from the one list there is, in `c_tests/Makefile`.
fn programs() -> Vec<String> {
    let names = harness(&["list"]);
    let names: Vec<String> = names.lines().map(str::to_string).collect();
    assert!(names.iter().any(|name| name == "symbolic"), "{names:?}");
    names
}

/// Whether a test program said how many checks it made, and that none failed.
fn passed(program: &str, messages: &str) -> bool {
    let count = |line: &str| -> Option<u64> {
        line.strip_prefix(program)?.strip_prefix(": ")?.strip_suffix(" checks, 0 failed")?.parse().ok()
    };
    messages.lines().filter_map(count).any(|checks| checks > 0)
}

/// Every recorded state, in the messages of a replay.
fn every_state_passes(messages: &str) {
    let states = fs::read_dir(root().join("c_tests/reference")).expect("recorded states");
    let states = states.map(|entry| entry.expect("an entry").path());
    let states: Vec<PathBuf> =
        states.filter(|path| path.extension().is_some_and(|x| x == "ldysnap")).collect();
    assert!(states.len() >= 52, "{states:?}");
    for state in &states {
        let name = state.file_name().and_then(|name| name.to_str()).expect("a name");
        let passed =
            messages.lines().any(|line| line.starts_with("ok ") && line.contains(&format!("/{name} ")));
        assert!(passed, "{name}: {messages}");
    }
    let summary = format!("{} passed, 0 failed", states.len());
    assert_eq!(messages.lines().filter(|line| *line == summary).count(), 1, "{messages}");
}

#[test]
fn programs_and_recorded_states_pass() {
    let programs = programs();
    let (success, messages) = try_harness(&["several"]);
    let failed: Vec<&String> = programs.iter().filter(|program| !passed(program, &messages)).collect();
    assert!(success && failed.is_empty(), "failed: {failed:?}\n{messages}");
    every_state_passes(&messages);
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn replay(files: &[PathBuf]) -> (bool, String) {
    let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    try_harness(&["replay", &format!("FILES={}", files.join(" "))])
}

/// Writes a recorded state with one line changed, the first after `expected_rows` that begins with `key`.
fn spoil(directory: &Path, key: &str, change: impl Fn(&str) -> String) -> PathBuf {
    let source = root().join("c_tests/reference/rigid_constraints-2.ldysnap");
    let text = read(&source);
    let (inputs, expected) = text.split_once("expected_rows").expect("expected rows");
    let mut spoilt = false;
    let lines = expected.lines().map(|line| {
        if spoilt || !line.starts_with(key) {
            return line.to_string();
        }
        spoilt = true;
        change(line)
    });
    let lines: Vec<String> = lines.collect();
    let path = directory.join(format!("{}.ldysnap", key.trim()));
    fs::write(&path, format!("{inputs}expected_rows{}\n", lines.join("\n"))).expect("a spoilt state");
    path
}

/// The line with the first number after its first `skipped` words made slightly larger.
fn nudge(line: &str, skipped: usize) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
    let value: f64 = words[skipped].parse().expect("a number");
    words[skipped] = format!("{:e}", value + 1e-9 * value.abs().max(1e-3));
    words.join(" ")
}

#[test]
fn a_wrong_value_is_seen() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let values = [("V ", 1), ("B ", 1), ("W ", 1), ("A ", 1), ("rho ", 1), ("adj ", 3), ("free_energy ", 1)];
    let files = values.map(|(key, skipped)| spoil(directory.path(), key, |line| nudge(line, skipped)));
    let (success, messages) = replay(&files);
    assert!(!success && messages.contains("0 passed, 7 failed"), "{messages}");
    for quantity in ["V", "B", "W", "A", "rho", "block"] {
        assert!(messages.contains(&format!(" {quantity} of constraint")), "{quantity}: {messages}");
    }
    assert!(messages.contains(" free_energy is off by"), "{messages}");
}

#[test]
fn a_wrong_list_is_seen() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // The first block counts for its neighbor's neighbor, and one that is to be left alone is written.
    let other = spoil(directory.path(), "adj ", |line| {
        let words: Vec<&str> = line.split(' ').collect();
        let neighbour: usize = words[1].parse().expect("an index");
        format!("adj {} {}", (neighbour + 1) % 12, words[2..].join(" "))
    });
    let (success, messages) = replay(&[other]);
    assert!(!success && messages.contains("unexpected block"), "{messages}");
    let alone = spoil(directory.path(), "adj ", |line| line.split(' ').take(3).collect::<Vec<_>>().join(" "));
    let (success, messages) = replay(&[alone]);
    assert!(!success && messages.contains("is to be left alone and was not"), "{messages}");
}

#[test]
fn the_example_draws_its_scene() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let picture = directory.path().join("deep/er/W.svg");
    let messages = harness(&["run", &format!("PICTURE={}", picture.display())]);
    for line in ["rows                     39", "off-diagonal blocks      126", "largest error"] {
        assert!(messages.contains(line), "{messages}");
    }
    let svg = read(&picture);
    assert_eq!(svg.matches("<title>row ").count(), 39 + 126, "a square a block");
    assert!(svg.contains("W of rigid_boxes-30") && svg.trim_end().ends_with("</svg>"));
}
