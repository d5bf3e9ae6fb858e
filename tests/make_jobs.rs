//! Jobs of the Makefile that need variables.

use crate::compiler::command;

#[test]
fn solve_without_files_prints_how_it_is_used() {
    let mut make = command("make");
    let run =
        make.env_remove("MAKEFLAGS").env_remove("FILES").args(["--no-print-directory", "solve"]).output();
    let run = run.expect("make");
    assert_eq!(run.status.code(), Some(2));
    assert!(run.stdout.is_empty());
    let messages = String::from_utf8_lossy(&run.stderr);
    assert!(messages.contains("make solve FILES=\"a.npz b.npz\" TOLERANCE=1e-8 OUT=folder"), "{messages}");
}
