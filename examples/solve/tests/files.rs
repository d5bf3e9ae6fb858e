//! Files that NumPy may write, and files that do not fit together.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use npyz::{Order, WriterBuilder};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::data;
use crate::{Arguments, solve_all, solve_bodies, solve_matrix, status};
use ldy::solve::Options;
use problem_files::archive::Archive;

/// The bytes of an array with this shape, in this order.
pub fn array<T: npyz::AutoSerialize + Clone>(values: &[T], shape: &[u64], order: Order) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = npyz::WriteOptions::new().default_dtype().shape(shape).order(order);
    let mut writer = options.writer(&mut bytes).begin_nd().unwrap();
    writer.extend(values.iter().cloned()).unwrap();
    writer.finish().unwrap();
    bytes
}

/// The bytes of an array with one index.
pub fn list<T: npyz::AutoSerialize + Clone>(values: &[T]) -> Vec<u8> {
    array(values, &[values.len() as u64], Order::C)
}

/// Write an archive.
pub fn archive(folder: &TempDir, members: &[(&str, Vec<u8>)]) -> PathBuf {
    let path = folder.path().join("problem.npz");
    let mut writer = ZipWriter::new(File::create(&path).unwrap());
    for (name, bytes) in members {
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        writer.start_file(format!("{name}.npy"), stored).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
    path
}

/// Two contacts with different blocks, which are not symmetric.
fn contacts() -> Vec<(&'static str, Vec<u8>)> {
    let mut data = [0.0; 18];
    for (block, off) in [(0, 0.5), (9, 0.25)] {
        (data[block], data[block + 4], data[block + 8], data[block + 1]) = (1.0, 1.0, 1.0, off);
    }
    vec![
        ("data", array(&data, &[2, 3, 3], Order::C)),
        ("indices", list(&[0, 1])),
        ("indptr", list(&[0, 1, 2])),
        ("q", list(&[-1.0, 0.1, 0.2, -1.0, 0.3, 0.0])),
        ("mu", list(&[0.3, 0.3])),
    ]
}

/// The forces of a problem, or the error.
pub fn solved(path: &Path) -> Result<Vec<f64>, String> {
    let archive = &mut Archive::open(path).map_err(|error| error.to_string())?;
    let options = Options::default();
    let solve = if archive.has("vf") { solve_bodies } else { solve_matrix };
    solve(archive, &options).map(|(_, _, forces)| forces).map_err(|error| error.to_string())
}

/// The members with one replaced.
fn with(
    mut members: Vec<(&'static str, Vec<u8>)>,
    name: &str,
    bytes: Vec<u8>,
) -> Vec<(&'static str, Vec<u8>)> {
    members.iter_mut().find(|(other, _)| *other == name).unwrap().1 = bytes;
    members
}

#[test]
fn arrays_may_have_the_order_of_fortran() {
    let folder = tempfile::tempdir().unwrap();
    let expected = solved(&archive(&folder, &contacts())).unwrap();
    // The first index changes first.
    let mut data = [0.0; 18];
    for block in 0..2 {
        (data[block], data[block + 8], data[block + 16]) = (1.0, 1.0, 1.0);
        data[block + 6] = [0.5, 0.25][block];
    }
    let bytes = array(&data, &[2, 3, 3], Order::Fortran);
    let forces = solved(&archive(&folder, &with(contacts(), "data", bytes))).unwrap();
    assert_eq!(forces, expected);
}

#[test]
fn without_files_the_message_is_how_it_is_used() {
    let parse = |words: &[&str]| Arguments::parse(words.iter().map(OsString::from));
    let message = parse(&["--tolerance", "1e-4"]).err().unwrap();
    assert!(message.contains("usage: solve [--tolerance 1e-8]"), "{message}");
    assert_eq!(parse(&["a.npz", "--tolerance", "1e-4"]).unwrap().files, [PathBuf::from("a.npz")]);
}

#[test]
fn a_damaged_member_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(&folder, &contacts());
    let mut bytes = fs::read(&path).unwrap();
    let value = (-1.0_f64).to_le_bytes();
    let at = bytes.windows(8).position(|window| window == value).unwrap();
    bytes[at + 6] ^= 0x20;
    fs::write(&path, bytes).unwrap();
    assert_eq!(solved(&path).unwrap_err(), "q is damaged: its checksum differs");
}

#[test]
fn arrays_of_contacts_must_fit() {
    let folder = tempfile::tempdir().unwrap();
    for (name, wrong, bytes) in [
        ("q", "q", list(&[-1.0, 0.1, 0.2, -1.0, 0.3, 0.0, 9.0])),
        ("q", "data", list(&[-1.0, 0.1, 0.2, -1.0])),
        ("q", "q", list::<f64>(&[])),
        ("data", "data", list(&[1.0; 17])),
        ("data", "data", list(&[1.0; 19])),
        ("mu", "mu", list(&[0.3; 3])),
        ("mu", "mu", list::<f64>(&[])),
        ("indptr", "indptr", list::<i32>(&[])),
    ] {
        let error = solved(&archive(&folder, &with(contacts(), name, bytes))).unwrap_err();
        assert_eq!(error, format!("{wrong} does not fit the rest of the file"), "{name}");
    }
    for starts in [[1, 1, 2], [0, 3, 2], [0, 1, 1], [0, 1, 3], [-1, 1, 2]] {
        let path = archive(&folder, &with(contacts(), "indptr", list(&starts)));
        assert!(solved(&path).is_err(), "{starts:?}");
    }
}

/// Each array of a recorded step in turn has a value too few or too many.
#[test]
fn arrays_of_bodies_must_fit() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["stack-4.npz", "chain-28.npz"] {
        let recorded = data().join("bodies").join(file);
        let arrays = arrays_of(&recorded);
        let members: Vec<_> =
            arrays.iter().map(|(name, values)| (name.as_str(), bytes(name, values))).collect();
        solved(&archive(&folder, &members)).unwrap();
        for (k, (name, values)) in arrays.iter().enumerate() {
            for count in [values.len() - 1, values.len() + 1] {
                let mut changed = values.clone();
                changed.resize(count, 1.0);
                let mut members = members.clone();
                members[k].1 = bytes(name, &changed);
                let result = solved(&archive(&folder, &members));
                assert!(result.is_err(), "{file}: {count} values of {name}");
            }
        }
    }
}

/// The numeric arrays of a file that are read.
pub fn arrays_of(path: &Path) -> Vec<(String, Vec<f64>)> {
    let names = ZipArchive::new(File::open(path).unwrap()).unwrap();
    let names = names.file_names().map(|name| name.trim_end_matches(".npy").to_string());
    let mut archive = Archive::open(path).unwrap();
    let has_operators = archive.has("H_data");
    let is_read = |name: &str| name != "key" && !(has_operators && ["centre", "point"].contains(&name));
    let numbers = names.filter(|name| is_read(name)).filter_map(|name| {
        let numbers = archive.numbers(&name).ok()?;
        Some((name, numbers))
    });
    numbers.collect()
}

/// The bytes of an array of a step, with the type that it has there.
fn bytes(name: &str, values: &[f64]) -> Vec<u8> {
    let are_integers = ["a", "b", "heights", "kind", "dofs", "H_indices", "H_indptr"].contains(&name);
    if are_integers {
        return list(&values.iter().map(|&value| value as i64).collect::<Vec<_>>());
    }
    list(values)
}

/// Takes some lines, then fails.
struct Limited(usize, io::ErrorKind);

impl Write for Limited {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let lines = text.iter().filter(|&&byte| byte == b'\n').count();
        self.0 = self.0.checked_sub(lines).ok_or(self.1)?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let words = ["no-such-file", "nor-this"].map(Into::into);
    let arguments = Arguments::parse(words.into_iter()).unwrap();
    let solve = |lines, kind| status(solve_all(&arguments, &mut Limited(lines, kind)));
    assert_eq!(solve(1, io::ErrorKind::BrokenPipe), 0);
    assert_eq!(solve(1, io::ErrorKind::StorageFull), 2);
    assert_eq!(solve(3, io::ErrorKind::BrokenPipe), 1);
}
