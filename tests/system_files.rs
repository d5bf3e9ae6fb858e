//! The files that a system writes, read by others: NumPy's arrays by the crate npyz, and by SciPy where it can be had.

use crate::compiler::{command, run};
use crate::library::{c_tests, make_c_tests, read, target};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const PLACE: &str = "files_of_systems";

/// W in both kinds of file, written by a C program.
fn files() -> &'static [PathBuf; 2] {
    static WRITTEN: OnceLock<[PathBuf; 2]> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let (success, messages) = make_c_tests(&c_tests(PLACE), &["test-system_files"]);
        assert!(success && messages.contains(" 0 failed"), "{messages}");
        ["npz", "mtx"].map(|kind| c_tests(PLACE).join(format!("system_files.{kind}")))
    })
}

/// Entries by row and column, from 0.
fn matrix_market(path: &Path) -> BTreeMap<(usize, usize), f64> {
    let text = read(path.to_str().expect("a path in UTF-8"));
    let lines = text.lines().skip(2).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let index = |word: &str| word.parse::<usize>().expect("an index") - 1;
    lines.map(|words| ((index(words[0]), index(words[1])), words[2].parse().expect("a value"))).collect()
}

#[test]
fn the_arrays_are_those_of_a_block_sparse_matrix() {
    let [npz, mtx] = files();
    let mut archive = zip::ZipArchive::new(fs::File::open(npz).expect("a file")).expect("an archive");
    let names = ["indices", "indptr", "format", "shape", "data"].map(|name| format!("{name}.npy"));
    assert_eq!(archive.file_names().collect::<BTreeSet<_>>(), names.iter().map(String::as_str).collect());
    let mut array = |name: &str| {
        // Reading to the end checks the sum.
        let mut bytes = Vec::new();
        let mut file = archive.by_name(&format!("{name}.npy")).expect("there");
        file.read_to_end(&mut bytes).expect("readable");
        npyz::NpyFile::new(std::io::Cursor::new(bytes)).expect("an array")
    };
    assert_eq!(array("shape").into_vec::<i64>().unwrap(), [15, 15]);
    let format = array("format");
    assert!(format.shape().is_empty() && format.dtype().descr() == "'|S3'", "{}", format.dtype().descr());
    assert_eq!(format.into_vec::<Vec<u8>>().unwrap(), [b"bsr"]);
    let starts = array("indptr").into_vec::<i32>().unwrap();
    let columns = array("indices").into_vec::<i32>().unwrap();
    let data = array("data");
    assert_eq!((data.shape(), data.order()), (&[columns.len() as u64, 3, 3][..], npyz::Order::C));
    let data = data.into_vec::<f64>().unwrap();

    let mut entries = BTreeMap::new();
    for row in 0..starts.len() - 1 {
        for block in starts[row] as usize..starts[row + 1] as usize {
            for (k, value) in data[9 * block..9 * block + 9].iter().enumerate() {
                entries.insert((3 * row + k / 3, 3 * columns[block] as usize + k % 3), *value);
            }
        }
    }
    let text = matrix_market(mtx);
    assert_eq!(entries.keys().collect::<Vec<_>>(), text.keys().collect::<Vec<_>>());
    for (place, value) in &entries {
        assert!((value - text[place]).abs() <= 1e-14 * value.abs(), "{place:?}");
        // Blocks are not symmetric, so that a transposed one shows.
        assert_eq!(value.to_bits(), entries[&(place.1, place.0)].to_bits());
    }
    assert!(data.chunks(9).any(|block| block[1] != block[3]));
}

fn has_scipy(python: &Path) -> bool {
    python.exists()
        && run(command(python.to_str().expect("UTF-8")).args(["-c", "import scipy.sparse, scipy.io"])).0
}

/// The system's Python if it has SciPy, or one in an environment of its own, if that can be made: where there is no network it cannot.
fn python_with_scipy() -> Option<PathBuf> {
    let environment = target().join("scipy");
    let python = environment.join("bin/python");
    if let Some(there) = [Path::new("/usr/bin/python3"), &python].into_iter().find(|python| has_scipy(python))
    {
        return Some(there.to_path_buf());
    }
    run(command("python3").args(["-m", "venv"]).arg(&environment));
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-compile",
        "--retries=1",
        "--timeout=15",
        "scipy",
    ];
    let installed = python.exists() && run(command(python.to_str()?).args(pip)).0;
    (installed && has_scipy(&python)).then_some(python)
}

#[test]
fn scipy_reads_both_files_alike() {
    let Some(python) = python_with_scipy() else {
        eprintln!("SciPy cannot be had here: the files are read by npyz alone");
        return;
    };
    let program = "import sys, scipy.sparse, scipy.io, numpy\n\
        w, text = scipy.sparse.load_npz(sys.argv[1]), scipy.io.mmread(sys.argv[2]).toarray()\n\
        print(w.format, w.blocksize, w.shape, numpy.allclose(w.toarray(), text, rtol=1e-14, atol=0))";
    let [npz, mtx] = files();
    let (success, messages) =
        run(command(python.to_str().expect("UTF-8")).args(["-c", program]).args([npz, mtx]));
    assert!(success && messages.trim() == "bsr (3, 3) (15, 15) True", "{messages}");
}
