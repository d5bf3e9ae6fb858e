//! The example that reads and writes files of FCLIB, where libfclib is installed: `.ci/run` sees to that. The content of the files is
//! tested by `c_tests/system/fclib.c`.

use crate::compiler::{command, root, run};
use crate::library::{c_tests, make_c_tests};

const PLACE: &str = "fclib_files";

#[test]
fn a_recorded_state_is_written_and_solved() {
    if !run(command("pkg-config").args(["--exists", "fclib"])).0 {
        eprintln!("libfclib is not installed: nothing is tested");
        return;
    }
    let (built, messages) = make_c_tests(
        &c_tests(PLACE),
        &[c_tests(PLACE).join("fclib_example").to_str().expect("a path in UTF-8")],
    );
    assert!(built, "{messages}");
    let folder = tempfile::tempdir().expect("a folder");
    let example = |arguments: &[&str]| {
        let mut command = command(c_tests(PLACE).join("fclib_example").to_str().expect("a path in UTF-8"));
        run(command.args(arguments).current_dir(folder.path()))
    };
    let state = |name: &str| root().join("c_tests/reference").join(name).display().to_string();

    let (written, line) = example(&["write", &state("rigid_boxes-30.ldysnap"), "0.5", "a.hdf5", "a.dat"]);
    assert!(written && line.starts_with("a.hdf5, a.dat: 39 contacts, "), "{line}");
    let (solved, line) = example(&["solve", "a.hdf5", "1e-10"]);
    let residual: f64 = line
        .strip_prefix("a.hdf5: 39 contacts, 0 equations, residual ")
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or_else(|| panic!("{line}"));
    assert!(solved && residual <= 1e-10, "{line}");

    let (again, line) = example(&["solve", "a.hdf5"]);
    assert!(!again && line.contains("there may be one already"), "{line}");
    let (text, line) = example(&["solve", "a.dat"]);
    assert!(!text && line.contains("a.dat: no local problem"), "{line}");
    let (joints, line) = example(&["write", &state("rigid_constraints-2.ldysnap"), "0.5", "b.hdf5", "b.dat"]);
    assert!(!joints && line.contains("a constraint is no contact"), "{line}");
}
