# What .ci/run runs, two at a time: while one of them waits for a test or for the one crate that all others need, the other goes on.
# `make -f .ci/checks.mk NAME` runs one of them, with what it needs.

CARGO ?= cargo

# Each make below has its own jobs.
unexport MAKEFLAGS

.PHONY: all commands library test-programs dependencies python model valgrind processors test fuzz lint test-mpi
# Those come first that others wait for, or that take long.
all: library test-programs python test valgrind model dependencies processors fuzz lint test-mpi

# One at a time: two cannot install packages at the same time.
commands:
	scripts/require cc c++ ar ld nm readelf objcopy cmake pkg-config libclang mpicc mpicc.openmpi mpirun.openmpi
	scripts/require mpicc.mpich mpirun.mpich valgrind qemu-x86_64 libfclib

library: commands
	make --no-print-directory library

# Advisories would need the network beyond the registry.
dependencies: commands
	scripts/one-build-of-each
	scripts/cargo-deny --locked check bans licenses sources

# After the packages of Python, which wait for the network, examples/mujoco.c is linked with the library.
python: library
	make --no-print-directory test-python test-mujoco

model: commands
	make --no-print-directory model

valgrind: library
	make --no-print-directory valgrind

# Compiled while the library is, which they need only when they run.
test-programs: commands
	$(CARGO) test --locked --no-run

# Always the same random cases: `make test` alone tries others.
test: library test-programs
	PROPTEST_RNG_SEED=1 make --no-print-directory test

# After valgrind, and before fuzzing: all of them build C programs.
processors: valgrind
	make --no-print-directory processors

# Always the same sequences, too.
fuzz: processors
	make --no-print-directory fuzz SECONDS=60 SEED=1

# Cargo lets one command at a time build into a folder: the programs of the tests come first. While these run, it is free.
lint: test-programs
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked --features mpi -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --workspace --exclude ldy-python

# For a moment libldy.a is the library for MPI: nothing else may link with it then.
test-mpi: test valgrind fuzz python
	make --no-print-directory test-mpi
