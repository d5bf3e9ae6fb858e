# The checks of .ci/run, two at a time: while one waits for a test or for a crate that all others need, the other continues.
# `make -f .ci/checks.mk NAME` runs one check and the checks before it.

CARGO ?= cargo

# Each make below has its own jobs.
unexport MAKEFLAGS

# Clippy compiles the packages of the workspace as rustc does, and lints them. `cargo clippy` would check all dependencies in addition. It
# would pass "-D warnings" in this variable, too. The library itself is what rustc makes of it: without optimization, clippy compiles and
# lints it for MPI, for aarch64, and with its unit tests.
LINTED := RUSTC_WRAPPER=clippy-driver
export CLIPPY_ARGS := -D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__

# All packages have the profile of releases, so that the library is compiled once. Other crates are optimized only if Cargo.toml says so
# for each.
export PROFILE_OPTIONS := --release
export CARGO_PROFILE_RELEASE_OPT_LEVEL := 0
# The library is built before: nothing waits for cargo, which builds into a folder for one command at a time.
MAKE_WITH_LIBRARY := make --no-print-directory --old-file=library

# Random cases have a fixed seed, and there are fewer than in `make test`: an eighth of those of each property.
export PROPTEST_RNG_SEED := 1
export PROPTEST_CASES := 32
export LDY_CASES_PERCENT := 12

# The references of the packages for tests and benches would need what these depend on.
export DOCUMENTED := --package ldy

.PHONY: all commands uv library test-programs c-programs dependencies abi python model valgrind processors arm64 test fuzz lint site mpi-crate mpi-programs
# The first are the library, and what can be done beside it; then checks for which others wait, or that take long.
all: library model dependencies abi test-programs c-programs valgrind python lint mpi-crate mpi-programs test site arm64 processors fuzz

# All packages are installed here, since two checks cannot install packages at the same time.
commands:
	scripts/require cc c++ ar ld nm readelf objcopy cmake pkg-config libclang mpicc mpicc.openmpi mpirun.openmpi
	scripts/require aarch64-linux-gnu-gcc aarch64-linux-gnu-objcopy qemu-aarch64
	scripts/require mpicc.mpich mpirun.mpich valgrind qemu-x86_64 libfclib libode clang clang++ python3 python3-venv
	scripts/require doxygen doxygen-awesome-css abidiff python3-torch python3-scipy

uv: commands
	scripts/uv --quiet --version

library: commands
	make --no-print-directory library

# Without advisories, which would need the network.
dependencies: uv
	scripts/one-build-of-each
	scripts/cargo-deny --locked check bans licenses sources

abi: commands
	make --no-print-directory abi

# The packages of Python come first, since they wait for the network; then examples/mujoco.c is linked with the library. Only the package
# ldy-python is compiled here, and so linted: what it depends on is there.
python: library uv
	$(LINTED) $(MAKE_WITH_LIBRARY) test-python test-torch test-mujoco

model: export CARGO_PROFILE_RELEASE_OPT_LEVEL := 3
model: commands
	make --no-print-directory model

# Without programs that call nothing that others do not call, or that test the programs' own code; `make valgrind` has them.
valgrind: c-programs
	$(MAKE_WITH_LIBRARY) valgrind LEFT_OUT="bad_input cycles errors_bare fclib history insertion_orders levels ode reference_side \
	  reuse_pairs shadow_steps snapshot_errors system_faces threads traps zeros"

test-programs: library
	$(LINTED) make --no-print-directory test-programs

# Rust's linker takes a third of the time of GNU's for a program in C, and a sixth with a library that is not optimized; tests in Rust, and
# that of what links with what for MPI, have GNU's.
RUST_LINKER := $(wildcard $(shell rustc --print sysroot)/lib/rustlib/*/bin/gcc-ld)
LINKED_FAST := LDFLAGS="$(RUST_LINKER:%=-fuse-ld=lld -B%)"

# The programs in C, once for all checks that run them.
c-programs: library
	$(LINKED_FAST) $(MAKE_WITH_LIBRARY) c-programs

# Those of `make test` but for the unit tests, see mpi-crate. valgrind checks the programs in C, which sanitizers watch there; of errors,
# allocations that fail and orders, the programs try as many as with sanitizers, and a quarter of the random sequences.
test: c-programs test-programs
	ERROR_STEP=5 ATTEMPT_STEP=16 ALLOCATION_STEP=5 PAIRS="3 499" ROUNDS="600 2" ORDERS=4 FACTORED=fem-BC_lim-2 \
	  OPERATIONS=2500 MESH_OPERATIONS=750 SHADOW_OPERATIONS=250 SYSTEM_CALLS=750 SCENES=50 TIES=5 LONG_RUN=250000 \
	  make --no-print-directory test-others

processors: c-programs
	$(MAKE_WITH_LIBRARY) processors

# The library is not optimized, since bits depend neither on that nor on the processor; `make arm64` has the tests, too.
arm64: c-programs
	$(LINTED) $(MAKE_WITH_LIBRARY) arm64-digests ARM_OPTIONS="--config profile.release.package.ldy.opt-level=0"

# With a fixed seed, too.
fuzz: c-programs
	$(MAKE_WITH_LIBRARY) fuzz SECONDS=10 SEED=1

# What the tests do not compile. `make lint` has all packages. Cargo allows only one command at a time to build into a folder. The test
# programs are built first; while they run, cargo is free.
lint: test-programs
	$(CARGO) fmt --check
	$(LINTED) $(CARGO) build --release --locked --package ldy-benches --package ldy-solve --bench '*' --bins
	make --no-print-directory items

# After the checks that build the wheel and the documentation of the crate. The tests of Python have run the examples.
site: python lint
	make --no-print-directory site SPHINX_OPTIONS="-D plot_gallery=0 -D nb_execution_mode=off"

# All unit tests, in the build for MPI, which has those of the serial build and more. After the lints, which build into the same folder.
mpi-crate: lint
	$(LINTED) make --no-print-directory test-mpi-crate MPI_UNIT_TESTS= MPI_UNIT_PROFILE=bench

# On 1 and 3 processes, recorded states on 3, with a third of the random systems. MPI's own failing calls are made with the second MPI
# alone, since the launcher of Open MPI may hang after them until its time is over; delays has the programs of systems across processes
# that are left out there. `make test-mpi` has all of these.
mpi-programs: library lint
	$(LINTED) $(LINKED_FAST) RANKS="1 3" STATE_RANKS=3 STEPS=20 UPDATES=50 WORLDS=4 \
	  $(MAKE_WITH_LIBRARY) test-mpi-programs FIRST_MPI_TESTS="one-process most" \
	  OTHER_MPI_TESTS="$(patsubst %,test-%,replay changes steady faults fatal broken parallel_faults parallel_files delays deaths)"
