//! Cargo's progress during `make library`: a person sees it, a program does not.

use crate::compiler::command;
use crate::library::succeeds;

#[test]
fn a_person_sees_the_progress_of_make_library() {
    let dry_run = "make --no-print-directory --dry-run library";
    let mut unseen = command("sh");
    unseen.env_remove("MAKEFLAGS").args(["-c", dry_run]);
    assert!(succeeds(&mut unseen).contains(" build --release --locked --quiet "));
    // With a terminal of its own.
    let mut seen = command("script");
    seen.env_remove("MAKEFLAGS").args(["--quiet", "--return", "--command", dry_run, "/dev/null"]);
    let printed = succeeds(&mut seen);
    assert!(printed.contains(" build --release --locked") && !printed.contains("--quiet"), "{printed}");
}
