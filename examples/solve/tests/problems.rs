//! Files of problems with rows of any heights and laws of any kind.

use std::fs::File;
use std::path::{Path, PathBuf};

use npyz::Order;

use super::data;
use super::files::{archive, array, arrays_of, list, solved};
use ldy::solve::{Options, Solver, write_problem};
use problem_files::archive::Archive;
use problem_files::problems::MatrixProblem;

const INTEGERS: [&str; 8] =
    ["version", "normal_first", "heights", "indptr", "indices", "kind", "Z_indptr", "Z_indices"];

/// The file that a C program has written: tests/data/problems/README.md.
fn recorded() -> PathBuf {
    data().join("problems/mixed.npz")
}

fn read(path: &Path) -> MatrixProblem {
    MatrixProblem::read_local(&mut Archive::open(path).unwrap()).unwrap()
}

/// The forces from zeros, to the accuracy of the recorded ones.
fn forces_of(problem: &mut MatrixProblem) -> Vec<f64> {
    let options = Options { tolerance: 1e-12, ..Options::default() };
    let solved = problem.with(|problem, laws, _, _| {
        let mut forces = vec![0.0; problem.b.len()];
        Solver::new().solve(problem, laws, &options, &mut forces).map(|_| forces)
    });
    solved.unwrap()
}

fn are_near(one: &[f64], other: &[f64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| (one - other).abs() < 2e-9)
}

#[test]
fn the_problem_of_a_c_program_has_its_forces() {
    let mut problem = read(&recorded());
    let expected = problem.forces.clone();
    assert!(expected.iter().filter(|force| force.abs() > 1e-3).count() > 10);
    assert!(are_near(&forces_of(&mut problem), &expected));
}

#[test]
fn a_file_that_is_read_and_written_is_the_same() {
    let (folder, recorded) = (tempfile::tempdir().unwrap(), recorded());
    let path = folder.path().join("again.npz");
    let mut problem = read(&recorded);
    let written = problem.with(|problem, laws, forces, z| {
        write_problem(&mut File::create(&path).unwrap(), problem, laws, Some(forces), z).unwrap();
        Ok(())
    });
    written.unwrap();
    assert!(std::fs::read(&recorded).unwrap() == std::fs::read(&path).unwrap());
    let refused = problem.with(|problem, laws, forces, z| {
        Ok(write_problem(&mut std::io::sink(), problem, &laws[1..], Some(forces), z).unwrap_err())
    });
    assert_eq!(refused.unwrap().to_string(), "laws: 6 values where 7 are needed");
}

/// Members with some values replaced.
fn members(change: impl Fn(&str, &mut Vec<f64>)) -> Vec<(String, Vec<u8>)> {
    let one = |(name, mut values): (String, Vec<f64>)| {
        change(&name, &mut values);
        let whole: Vec<i32> = values.iter().map(|&value| value as i32).collect();
        let bytes = if INTEGERS.contains(&name.as_str()) { list(&whole) } else { list(&values) };
        (name, bytes)
    };
    arrays_of(&recorded()).into_iter().map(one).collect()
}

fn result_of(members: &[(String, Vec<u8>)]) -> Result<Vec<f64>, String> {
    let folder = tempfile::tempdir().unwrap();
    let members: Vec<_> = members.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    solved(&archive(&folder, &members))
}

#[test]
fn arrays_must_fit_and_values_be_valid() {
    result_of(&members(|_, _| {})).unwrap();
    for (name, _) in arrays_of(&recorded()) {
        for by in [-1, 1] {
            let changed = members(|other, values| {
                let count = values.len().saturating_add_signed(by);
                if other == name {
                    values.resize(count, 0.0);
                }
            });
            let error = result_of(&changed).unwrap_err();
            let of_z =
                ["the starts of Z are not", "values of Z: "].iter().any(|text| error.starts_with(text));
            assert!(of_z || error.ends_with("does not fit the rest of the file"), "{name} {by}: {error}");
        }
        if !["r0", "mu_r", "mu_s", "Z_indptr"].contains(&name.as_str()) {
            let without: Vec<_> =
                members(|_, _| {}).into_iter().filter(|(other, _)| *other != name).collect();
            assert!(result_of(&without).is_err(), "{name}");
        }
    }
    for (name, at, value, expected) in [
        ("version", 0, 2.0, "version 2: this program reads version 1"),
        ("kind", 3, 4.0, "kind does not fit the rest of the file"),
        ("kind", 3, 3.0, "constraint of row 3: a contact in expansion has two or three scalar rows"),
        ("kind", 2, 0.0, "constraint of row 2: a contact has two to six scalar rows"),
        ("heights", 0, 0.0, "heights does not fit the rest of the file"),
        ("heights", 0, 7.0, "heights does not fit the rest of the file"),
        ("heights", 0, 2.0, "q does not fit the rest of the file"),
        ("indices", 0, 6.0, "indices does not fit the rest of the file"),
        ("indices", 0, -1.0, "indices does not fit the rest of the file"),
        ("mu", 0, -1.0, "constraint of row 0: its friction is negative or not finite"),
        ("mu_2", 1, 0.5, "constraint of row 1: a contact of two scalar rows has one coefficient of friction"),
        ("q", 4, f64::NAN, "constraint of row 1: B is not finite"),
        ("Z_indices", 0, 99.0, "a node of Z is negative or too large"),
        ("Z_indptr", 1, 99.0, "the starts of Z are not those of its parts"),
        ("Z_data", 0, 9.0, "constraint of row 0: its blocks of W are not those of Z Zᵀ"),
        ("lower", 10, 9.0, "constraint of row 3: a lower bound of its force is above the upper one"),
    ] {
        let changed = members(|other, values| {
            if other == name {
                values[at] = value;
            }
        });
        assert_eq!(result_of(&changed).unwrap_err(), expected, "{name}");
    }
}

#[test]
fn fixed_rows_need_no_bounds() {
    let fixed = members(|name, values| match name {
        "kind" => values[5] = 1.0,
        "lower" | "upper" => values[15..].fill(0.0),
        _ => {}
    });
    let forces = result_of(&fixed).unwrap();
    assert!(forces.iter().zip(solved(&recorded()).unwrap()).all(|(one, other)| (one - other).abs() < 1e-9));
}

/// A file with a byte that changed is refused, or the byte means nothing to the problem, such as the date of a member. If it is in the
/// name of the initial guess, the solution begins from zeros.
#[test]
fn damaged_bytes_do_not_change_forces() {
    let (folder, bytes) = (tempfile::tempdir().unwrap(), std::fs::read(recorded()).unwrap());
    let path = folder.path().join("damaged.npz");
    let expected = solved(&recorded()).unwrap();
    let mut refused = 0;
    for at in (0..bytes.len()).step_by(5) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        std::fs::write(&path, damaged).unwrap();
        match solved(&path) {
            Ok(forces) => {
                let near = forces.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 1e-7);
                assert!(near, "byte {at}: {forces:?}");
            }
            Err(_) => refused += 1,
        }
    }
    assert!(10 * refused > bytes.len(), "{refused}");
}

/// An old file of planar contacts has the normal first. A contact slides, the other one is lifted.
#[test]
fn planar_contacts_of_old_files_have_two_rows() {
    let folder = tempfile::tempdir().unwrap();
    let data = [2.0, 0.5, 0.5, 1.0, 1.0, 0.0, 0.0, 1.0];
    let mut members = vec![
        ("data", array(&data, &[2, 2, 2], Order::C)),
        ("indices", list(&[0, 1])),
        ("indptr", list(&[0, 1, 2])),
        ("q", list(&[-1.0, 3.0, 1.0, 0.5])),
        ("mu", list(&[0.5, 0.5])),
    ];
    let path = archive(&folder, &members);
    // Sliding along its tangent: R_T = −0.5 R_N, and 0 = −1 + 2 R_N + 0.5 R_T.
    let normal = 1.0 / 1.75;
    assert!(are_near(&solved(&path).unwrap(), &[normal, -0.5 * normal, 0.0, 0.0]));
    members.push(("mu_r", list(&[0.1, 0.1])));
    let error = solved(&archive(&folder, &members)).unwrap_err();
    assert!(
        error.contains("it has rolling friction without the rows of moments about the tangents"),
        "{error}"
    );
}
