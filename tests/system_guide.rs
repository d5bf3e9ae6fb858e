//! The programs of `docs/system.md`: each is complete, compiles without a warning, and prints what the text behind it says.

mod compiler;
#[allow(dead_code, reason = "other tests use the rest of it")]
mod library;

use compiler::command;
use library::{Workshop, archive, cc, native_libraries, read, succeeds};
use std::ffi::OsString;
use std::fs;

/// Program and output, in the order of the text.
fn programs(text: &str) -> Vec<(String, String)> {
    let mut fences = text.split("```").skip(1).step_by(2);
    let mut programs = Vec::new();
    while let Some(fence) = fences.next() {
        if let Some(program) = fence.strip_prefix("c\n") {
            let output = fences.next().and_then(|fence| fence.strip_prefix("text\n"));
            programs.push((program.to_string(), output.expect("an output behind each program").to_string()));
        }
    }
    programs
}

#[test]
fn each_program_of_the_guide_prints_what_stands_there() {
    let text = read("docs/system.md");
    let programs = programs(&text);
    assert_eq!(programs.len(), text.matches("int main (void)").count());
    assert!(programs.len() >= 8);
    let workshop = Workshop::new();
    for (number, (program, output)) in programs.iter().enumerate() {
        let source = workshop.path(&format!("program{number}.c"));
        fs::write(&source, program).expect("a source file");
        let source = source.to_str().expect("a path in UTF-8");
        let object = workshop.compile(source, &format!("program{number}.o"), &["-fPIE"]);
        let mut arguments: Vec<OsString> = vec![object.into(), archive().into()];
        arguments.extend(native_libraries().into_iter().map(OsString::from));
        let linked = workshop.link(cc(), &format!("program{number}"), &arguments);
        let mut run = command(linked.to_str().expect("a path in UTF-8"));
        let printed = succeeds(run.current_dir(workshop.path("")));
        assert_eq!(&printed, output, "program {number}:\n{program}");
    }
}
