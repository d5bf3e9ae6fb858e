//! `ldy.hpp`: its test program, in C++17 and C++20.

mod compiler;
#[allow(dead_code, reason = "other tests use the rest of it")]
mod library;

use compiler::command;
use library::{Workshop, archive, cxx, native_libraries, succeeds};

#[test]
fn every_function_is_called_from_cpp() {
    let workshop = Workshop::new();
    for standard in ["-std=c++17", "-std=c++20"] {
        let object = workshop.compile("c_tests/cpp/system.cpp", "system.o", &["-fPIE", "-Wshadow", standard]);
        let mut arguments = vec![object.into_os_string(), archive().into_os_string()];
        arguments.extend(native_libraries().into_iter().map(Into::into));
        let program = workshop.link(cxx(), "system", &arguments);
        let mut run = command(program.to_str().expect("a path in UTF-8"));
        let printed = succeeds(run.arg(workshop.path("")));
        assert!(printed.ends_with(" checks, 0 failed\n"), "{standard}: {printed}");
    }
}
