//! `make install`: what it puts where, programs built from the installed tree, and `make uninstall`.

use crate::compiler::{command, root, run};
use crate::library::{archive, cc, make, native_libraries, shared, so_version, succeeds};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const VERSIONED: &str = concat!("libldy.so.", env!("CARGO_PKG_VERSION"));

fn soname() -> String {
    format!("libldy.so.{}", so_version(VERSION))
}

/// A place to install into, removed in the end.
struct Stage {
    directory: TempDir,
    variables: Vec<String>,
}

impl Stage {
    /// Installs under DESTDIR with these variables.
    fn install(variables: &[&str]) -> Stage {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let stage = Stage { directory, variables: variables.iter().map(|v| v.to_string()).collect() };
        stage.make("install");
        stage
    }

    fn make(&self, target: &str) {
        let destination = format!("DESTDIR={}", self.path("").display());
        make(&[vec![target.to_string(), destination], self.variables.clone()].concat());
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Everything below, with what it is: `-` for a file, `/` for a directory, else where the link leads.
    fn tree(&self) -> BTreeMap<String, String> {
        let mut tree = BTreeMap::new();
        let mut directories = vec![self.path("")];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(&directory).expect("a directory") {
                let path = entry.expect("its entry").path();
                let name = path.strip_prefix(self.path("")).expect("below").display().to_string();
                let kind = path.symlink_metadata().expect("it exists").file_type();
                let what = if kind.is_symlink() {
                    fs::read_link(&path).expect("a link").display().to_string()
                } else if kind.is_dir() {
                    directories.push(path);
                    "/".to_string()
                } else {
                    "-".to_string()
                };
                tree.insert(name, what);
            }
        }
        tree
    }
}

/// What an installation consists of: all files, the links, and the directories that lead to them.
fn expected_tree(libdir: &str, includedir: &str) -> BTreeMap<String, String> {
    let file = |name: String| (name, "-".to_string());
    let mut tree: BTreeMap<String, String> = [
        file(format!("{includedir}/ldy.h")),
        file(format!("{includedir}/ldy_host.h")),
        file(format!("{includedir}/ldy_system.h")),
        file(format!("{includedir}/ldy.hpp")),
        file(format!("{includedir}/ldy_bridge.h")),
        file(format!("{includedir}/ldy_bridge.hpp")),
        file(format!("{libdir}/libldy.a")),
        file(format!("{libdir}/{VERSIONED}")),
        (format!("{libdir}/{}", soname()), VERSIONED.to_string()),
        (format!("{libdir}/libldy.so"), soname()),
        file(format!("{libdir}/pkgconfig/ldy.pc")),
        file(format!("{libdir}/cmake/ldy/ldyConfig.cmake")),
        file(format!("{libdir}/cmake/ldy/ldyConfigVersion.cmake")),
    ]
    .into();
    for file in tree.clone().keys() {
        for directory in Path::new(file).ancestors().skip(1).filter(|path| !path.as_os_str().is_empty()) {
            tree.insert(directory.display().to_string(), "/".to_string());
        }
    }
    tree
}

/// The three usual ways: by default, a distribution's, and every directory of its own.
const DEFAULT: &[&str] = &[];
const DEBIAN: &[&str] = &["PREFIX=/usr", "LIBDIR=/usr/lib/x86_64-linux-gnu"];
const APART: &[&str] = &["PREFIX=/opt/ldy", "LIBDIR=/opt/libraries", "INCLUDEDIR=/opt/ldy/include/ldy-0"];

#[test]
fn the_installed_tree_is_the_expected_one_and_nothing_lies_outside_the_prefix() {
    assert_eq!(Stage::install(DEFAULT).tree(), expected_tree("usr/local/lib", "usr/local/include"));
    assert_eq!(Stage::install(DEBIAN).tree(), expected_tree("usr/lib/x86_64-linux-gnu", "usr/include"));
    assert_eq!(Stage::install(APART).tree(), expected_tree("opt/libraries", "opt/ldy/include/ldy-0"));
}

#[test]
fn the_installed_files_are_those_that_were_built_and_readable_by_all() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::install(DEFAULT);
    let bytes = |path: &Path| fs::read(path).expect("a file");
    // Without the names that only a debugger or a profiler reads; with STRIP=true as it was linked.
    let whole = Stage::install(&["STRIP=true"]);
    let stripped = whole.path("stripped");
    succeeds(command("strip").arg(shared()).arg("-o").arg(&stripped));
    assert!(bytes(&stage.path("usr/local/lib/libldy.so")) == bytes(&stripped));
    assert!(bytes(&stripped).len() < bytes(&shared()).len());
    assert!(bytes(&whole.path("usr/local/lib/libldy.so")) == bytes(&shared()));
    assert!(bytes(&stage.path("usr/local/lib/libldy.a")) == bytes(&archive()));
    for header in ["ldy.h", "ldy_host.h", "ldy_system.h", "ldy_bridge.h", "ldy.hpp", "ldy_bridge.hpp"] {
        let installed = bytes(&stage.path("usr/local/include").join(header));
        assert!(installed == bytes(&root().join("include").join(header)), "{header}");
    }
    for (name, _) in stage.tree().iter().filter(|(_, what)| *what == "-") {
        let mode = fs::metadata(stage.path(name)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o644, "{name}");
    }
}

#[test]
fn uninstall_leaves_what_was_there_before_and_is_no_error_when_repeated() {
    for (variables, libdir) in [(DEFAULT, "usr/local/lib"), (DEBIAN, "usr/lib/x86_64-linux-gnu")] {
        let stage = Stage::install(variables);
        stage.make("uninstall");
        let left = stage.tree();
        assert!(left.values().all(|what| what == "/"), "{left:?}");
        assert!(left.keys().all(|name| !name.contains("pkgconfig") && !name.contains("cmake")), "{left:?}");
        let others = ["libother.so", "pkgconfig/other.pc", "cmake/ldy-tools/ldy-toolsConfig.cmake"];
        for other in others {
            let path = stage.path(libdir).join(other);
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(path, "").expect("somebody else's file");
        }
        let before = stage.tree();
        stage.make("install");
        assert_ne!(stage.tree(), before);
        stage.make("uninstall");
        assert_eq!(stage.tree(), before);
        stage.make("uninstall");
        assert_eq!(stage.tree(), before);
    }
}

/// Two cubes of unit mass and inverse inertia 6, touching at (±½, 0, ½): with h = 0.001 the normal entries
/// of W are 2 h (1 + 6·¼) and, between the contacts through each body, h (1 − 6·¼).
fn check_minimal(program: &mut Command) {
    let printed = succeeds(program);
    let contacts = printed.lines().filter(|line| line.ends_with("W = 0.005 in the normal direction"));
    assert_eq!(contacts.count(), 2, "{printed}");
    assert_eq!(printed.lines().filter(|line| line.ends_with(": -0.0005")).count(), 4, "{printed}");
}

fn pkg_config(libdir: &Path, arguments: &[&str]) -> Vec<String> {
    let mut command = command("pkg-config");
    command.env("PKG_CONFIG_PATH", libdir.join("pkgconfig")).env_remove("PKG_CONFIG_SYSROOT_DIR");
    let printed = succeeds(command.args(arguments).arg("ldy"));
    printed.split_whitespace().map(str::to_string).collect()
}

#[test]
fn programs_build_through_pkg_config() {
    for (variables, libdir) in
        [(DEFAULT, "usr/local/lib"), (DEBIAN, "usr/lib/x86_64-linux-gnu"), (APART, "opt/libraries")]
    {
        let stage = Stage::install(variables);
        let libdir = stage.path(libdir);
        let build = |name: &str, flags: &[String]| {
            let program = stage.path(name);
            succeeds(cc().arg("examples/minimal.c").args(flags).arg("-o").arg(&program));
            Command::new(program)
        };
        let dynamic = pkg_config(&libdir, &["--cflags", "--libs"]);
        let mut shared = build("with_shared", &dynamic);
        let (success, messages) = run(&mut shared);
        assert!(!success && messages.contains(&soname()), "the loader does not look there: {messages}");
        check_minimal(shared.env("LD_LIBRARY_PATH", &libdir));

        let mut with_archive = pkg_config(&libdir, &["--static", "--cflags", "--libs"]);
        check_minimal(&mut build("wholly_static", &[vec!["-static".into()], with_archive.clone()].concat()));
        // As docs/how-to/linking.md says: the archive, although the shared library is beside it.
        for flag in with_archive.iter_mut().filter(|flag| *flag == "-lldy") {
            *flag = "-l:libldy.a".into();
        }
        check_minimal(&mut build("with_archive", &with_archive));
    }
}

#[test]
fn pkg_config_tells_the_version_and_the_native_libraries() {
    let stage = Stage::install(DEFAULT);
    let libdir = stage.path("usr/local/lib");
    assert_eq!(pkg_config(&libdir, &["--modversion"]), [VERSION]);
    let file = fs::read_to_string(libdir.join("pkgconfig/ldy.pc")).expect("ldy.pc");
    assert!(!file.contains('@'), "{file}");
    let native = native_libraries();
    let first = file.lines().next().unwrap_or_default();
    assert!(first.ends_with(&format!(": {}", native.join(" "))), "{first}");
    // Said there too: the compiler brings the unwinder itself.
    let private = file.lines().find_map(|line| line.strip_prefix("Libs.private: ")).expect("Libs.private");
    let mut named: Vec<&str> = private.split(' ').collect();
    named.insert(0, "-lgcc_s");
    assert_eq!(named, native);
}

/// Configures and builds `c_tests/install` with the package under a prefix.
fn cmake(stage: &Stage, prefix: &Path) -> PathBuf {
    let build = stage.path("build");
    let mut configure = command("cmake");
    configure.arg("-S").arg(root().join("c_tests/install")).arg("-B").arg(&build);
    configure.arg(format!("-DPROGRAM={}", root().join("examples/minimal.c").display()));
    // So that no package of the system is taken for this one.
    configure.args(["-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF"]);
    succeeds(configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())));
    succeeds(command("cmake").arg("--build").arg(&build));
    build
}

#[test]
fn programs_build_through_cmake() {
    for (variables, prefix) in [(DEFAULT, "usr/local"), (DEBIAN, "usr")] {
        let stage = Stage::install(variables);
        let build = cmake(&stage, &stage.path(prefix));
        for (program, is_shared) in [("with_static", false), ("with_shared", true)] {
            let program = build.join(program);
            let dynamic = succeeds(command("readelf").arg("--dynamic").arg(&program));
            assert_eq!(dynamic.contains(&soname()), is_shared, "{dynamic}");
            check_minimal(&mut Command::new(program));
        }
    }
}

/// A moved tree works, also where /lib leads to /usr/lib, as on many systems.
#[test]
fn a_tree_may_be_moved() {
    let stage = Stage::install(DEBIAN);
    fs::create_dir(stage.path("elsewhere")).expect("a directory");
    fs::rename(stage.path("usr"), stage.path("elsewhere/usr")).expect("it moves");
    std::os::unix::fs::symlink("usr/lib", stage.path("elsewhere/lib")).expect("a link");
    let build = cmake(&stage, &stage.path("elsewhere"));
    check_minimal(&mut Command::new(build.join("with_shared")));
    let flags = pkg_config(&stage.path("elsewhere/usr/lib/x86_64-linux-gnu"), &["--cflags", "--libs"]);
    let program = stage.path("program");
    succeeds(cc().arg("examples/minimal.c").args(flags).arg("-o").arg(&program));
    check_minimal(Command::new(program).env("LD_LIBRARY_PATH", stage.path("elsewhere/lib/x86_64-linux-gnu")));
}

/// Whether the package's version file says that it serves a request, asked as CMake asks.
fn serves(stage: &Stage, version: &str, pointer: &str) -> bool {
    let file = stage.path("usr/local/lib/cmake/ldy/ldyConfigVersion.cmake");
    let script = stage.path("ask.cmake");
    let mut parts = version.split('.');
    let mut part = || parts.next().unwrap_or("0");
    let text = format!(
        "set(PACKAGE_FIND_VERSION {version})\nset(PACKAGE_FIND_VERSION_MAJOR {})\n\
         set(PACKAGE_FIND_VERSION_MINOR {})\nset(CMAKE_SIZEOF_VOID_P {pointer})\ninclude({})\n\
         if(PACKAGE_VERSION_COMPATIBLE AND NOT PACKAGE_VERSION_UNSUITABLE)\n  message(\"yes\")\nendif()\n",
        part(),
        part(),
        file.display()
    );
    fs::write(&script, text).expect("a script");
    succeeds(command("cmake").arg("-P").arg(script)).contains("yes")
}

/// An installation with the given version. Its shared library has a folder of its own.
fn install_version(version: &str) -> Stage {
    let elsewhere = tempfile::tempdir().expect("a temporary directory");
    let directory = format!("SHARED_DIR={}", elsewhere.path().display());
    Stage::install(&[&format!("VERSION={version}"), &directory])
}

/// Minor releases before 1.0 are strangers to each other, those after it are not.
#[test]
fn the_cmake_package_and_the_soname_serve_what_is_compatible() {
    let cases: [(&str, &str, &[&str], &[&str]); 3] = [
        ("0.1.2", "0.1", &["0.1", "0.1.0", "0.1.2"], &["0", "0.0.9", "0.1.3", "0.2", "1", "1.1"]),
        ("0.2.0", "0.2", &["0.2", "0.2.0"], &["0", "0.1", "0.1.0", "0.2.1", "0.20", "1.0", "2.0"]),
        ("1.2.3", "1", &["1", "1.0", "1.1.9", "1.2.3"], &["0.1", "0.2", "1.2.4", "1.3", "2", "10.0"]),
    ];
    for (version, series, served, refused) in cases {
        assert_eq!(so_version(version), series);
        let stage = install_version(version);
        let library = stage.path("usr/local/lib").join(format!("libldy.so.{version}"));
        let dynamic = succeeds(command("readelf").arg("--dynamic").arg(library));
        assert!(dynamic.contains(&format!("[libldy.so.{series}]")), "{version}: {dynamic}");
        let link = fs::read_link(stage.path("usr/local/lib/libldy.so")).expect("a link");
        assert_eq!(link, Path::new(&format!("libldy.so.{series}")));
        served.iter().for_each(|asked| assert!(serves(&stage, asked, "8"), "{version} for {asked}"));
        refused.iter().for_each(|asked| assert!(!serves(&stage, asked, "8"), "{version} for {asked}"));
        assert!(!serves(&stage, version, "4"));
    }
}

#[test]
fn the_size_of_a_minimal_program_is_printed() {
    let printed = make(&["size".into()]);
    for name in ["with_archive", "with_shared", "libldy.so"] {
        let line = printed.lines().find(|line| line.ends_with(name));
        let bytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        assert!(bytes.is_some_and(|bytes| bytes > 0), "{name}: {printed}");
    }
}
