//! Builds and runs the programs of `c_tests` that measure reliability: statistics, bad input, failing allocations with
//! factored matrices, memory over a long run, and all of the C side with sanitizers.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod compiler;
#[allow(dead_code, reason = "other tests use the rest of it")]
mod library;

use library::make_c_tests;

/// Runs a target; it has to succeed. What it printed.
fn run(place: &str, target: &str) -> String {
    let (success, messages) = make_c_tests(place, &[target]);
    assert!(success, "{target}\n{messages}");
    messages
}

/// Runs a test program, which has to say how many checks it made and that none failed.
fn passes(program: &str) {
    let messages = run(&format!("reliability-{program}"), &format!("test-{program}"));
    let summary = messages.lines().last().unwrap_or_default();
    let start = format!("{program}: ");
    assert!(summary.starts_with(&start) && summary.ends_with(" checks, 0 failed"), "{messages}");
    assert!(!summary.contains(" 0 checks"), "{messages}");
}

#[test]
fn statistics() {
    passes("stats");
}

#[test]
fn bad_input() {
    passes("bad_input");
}

#[test]
fn failing_allocations_with_factors() {
    passes("factor_allocations");
}

#[test]
fn long_run() {
    passes("long_run");
}

/// Every test program, and the replay of recorded states.
#[test]
fn sanitizers() {
    let messages = run("sanitizers", "sanitize");
    let summaries: Vec<&str> = messages.lines().filter(|line| line.ends_with(" checks, 0 failed")).collect();
    assert!(summaries.len() >= 17, "{messages}");
    // The programs end in any order; the replay alone says so.
    let replays = messages.lines().filter(|line| line.ends_with(" passed, 0 failed"));
    assert_eq!(replays.count(), 1, "{messages}");
}
