//! `ldy.hpp`: its test program and its example, in C++17 and C++20.

use crate::compiler::command;
use crate::header_compile::{STRICT, STRICT_CPP};
use crate::library::{Workshop, archive, cxx, native_libraries, succeeds};
use std::path::PathBuf;

const STANDARDS: [&str; 2] = ["-std=c++17", "-std=c++20"];

fn build(workshop: &Workshop, source: &str, standard: &str) -> PathBuf {
    // Not optimized, which takes half of the time of the compiler.
    let flags = [&STRICT[..], &STRICT_CPP, &["-fPIE", "-O0", "-g0", standard]].concat();
    let object = workshop.compile(source, "program.o", &flags);
    let mut arguments = vec![object.into_os_string(), archive().into_os_string()];
    arguments.extend(native_libraries().into_iter().map(Into::into));
    workshop.link(cxx(), "program", &arguments)
}

#[test]
fn every_function_is_called_from_cpp() {
    let workshop = Workshop::new();
    for standard in STANDARDS {
        let program = build(&workshop, "c_tests/system/cpp_header.cpp", standard);
        let mut run = command(program.to_str().expect("a path in UTF-8"));
        let printed = succeeds(run.arg(workshop.path("")));
        assert!(printed.ends_with(" checks, 0 failed\n"), "{standard}: {printed}");
    }
}

/// The number after some words.
fn number(text: &str, words: &str) -> f64 {
    let (_, rest) = text.split_once(words).unwrap_or_else(|| panic!("no {words:?}: {text}"));
    let number = rest.split([' ', '\n']).next().and_then(|number| number.trim_end_matches(',').parse().ok());
    number.unwrap_or_else(|| panic!("no number behind {words:?}: {text}"))
}

#[test]
fn a_chain_hangs_swings_and_sweeps_the_floor() {
    let workshop = Workshop::new();
    for standard in STANDARDS {
        let program = build(&workshop, "examples/chain.cpp", standard);
        let printed = succeeds(&mut command(program.to_str().expect("a path in UTF-8")));
        assert_eq!(printed.lines().count(), 3, "every step was solved: {printed}");
        assert!(number(&printed, "what is below it, to ") < 1e-8, "{printed}");
        assert!(number(&printed, "joints open by ") < 1e-2, "{printed}");
        assert!(number(&printed, "energy changes by ") < 1e-2, "{printed}");
        assert!(number(&printed, "on the floor in ") > 10.0, "{printed}");
        assert!(number(&printed, " steps, ") < 1e-2, "{printed}");
        assert!(printed.ends_with("energy is lost\n"), "{printed}");
    }
}
