//! What may be linked beside the library: nothing at all, a host's own operators, the legacy module's object.
//! (`link_archive.rs` has the ways to link it.) Each program is linked by `c_tests/Makefile` with `libldy.a` and the documented
//! system libraries only.

use crate::compiler::{command, root};
use crate::library::{c_tests, make_c_tests, succeeds};
use std::sync::LazyLock;

const PLACE: &str = "linking";

/// Runs one of the programs; what it printed.
fn output(program: &str) -> String {
    static BUILT: LazyLock<(bool, String)> = LazyLock::new(|| make_c_tests(&c_tests(PLACE), &["linking"]));
    assert!(BUILT.0, "{}", BUILT.1);
    succeeds(&mut command(&c_tests(PLACE).join(program).display().to_string()))
}

const OPERATORS: [&str; 6] = [
    "MX_Create",
    "BODY_Gen_To_Loc_Operator",
    "BODY_Local_Velo",
    "FEM_Gen_To_Loc_Operator",
    "FEM_Local_Velo",
    "MX_Destroy",
];

#[test]
fn a_program_needs_nothing_but_the_library() {
    let expected = "\
constraint 2: normal free velocity -1, W = 0.005 in the normal direction
  to constraint 1 through body 1: -0.0005
  to constraint 1 through body 2: -0.0005
constraint 1: normal free velocity -1, W = 0.005 in the normal direction
  to constraint 2 through body 1: -0.0005
  to constraint 2 through body 2: -0.0005
";
    assert_eq!(output("minimal"), expected);
}

#[test]
fn the_documentation_shows_that_program_and_its_output() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect(path);
    let page = read("docs/solfec/legacy.md");
    assert!(page.contains(&format!("```c\n{}```", read("examples/minimal.c"))), "another examples/minimal.c");
    assert!(page.contains(&format!("```text\n{}```", output("minimal"))), "another output");
}

#[test]
fn a_hosts_own_operators_win() {
    let text = output("own_operators");
    for name in OPERATORS {
        assert!(text.contains(&format!("{name}: the host's\n")), "{text}");
    }
}

#[test]
fn without_them_there_are_the_librarys() {
    let text = output("library_operators");
    for name in &OPERATORS[..5] {
        assert!(text.contains(&format!("{name}: the library's\n")), "{text}");
    }
}

#[test]
fn assembly_does_not_go_through_the_operators() {
    let text = output("own_operators");
    assert!(text.contains("host's operators called by the assembly: 0\n"), "{text}");
    let w = |text: &str| text.lines().find(|line| line.starts_with("W = ")).map(str::to_string);
    assert_eq!(w(&text).as_deref(), Some("W = 0.001 0.001 0.001"));
    assert_eq!(w(&text), w(&output("library_operators")));
}

#[test]
fn the_legacy_object_wins_and_the_additions_stay() {
    let expected = "\
free_energy = 4711, measures 4712 4713 4714
clone is the source: 1
version is there: 1
operator: 0, H(2,0) = 0.25
matrix: H(2,0) = 0.25
option: 52
details: yes
";
    assert_eq!(output("legacy_object"), expected);
}

#[test]
fn operators_alone_can_be_taken() {
    assert_eq!(output("operators_only"), "H(0,2) = -0.25, H(1,2) = 0.5\nvelocity -0.5 1 0\n");
}

#[test]
fn a_shadow_finds_the_wrong_value_of_a_legacy_module() {
    let text = output("shadow_example");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 7, "{text}");
    for (step, line) in (1..).zip(&lines[..5]) {
        assert_eq!(*line, format!("step {step}: agree"));
    }
    let wrong = "step 6: constraint 23 (CONTACT) between bodies 3 and 4: the block to constraint 24 through body 4 is off by";
    assert!(lines[5].starts_with(wrong), "{text}");
    let times = lines[6].strip_prefix("seconds: the legacy module ").expect("the times");
    for time in times.split(", the library ") {
        assert!(time.parse::<f64>().is_ok_and(|seconds| seconds > 0.0), "{text}");
    }
}
