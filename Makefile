# The jobs of the library. `make run` and `make test` install the packages that they need. `make help` prints this list.
#
#   make run                          build the library, assemble a recorded scene, draw its W
#   make run-wall                     a ball hits a wall of bricks: its pictures are in target/wall
#   make run-ode SCENE=chain          ODE with the library's contacts and joints, and alone: times and penetrations (Debian: libode-dev)
#   make test                         all tests; test-rust: those in Rust alone, of which test-units are in the library
#   make lint                         rustfmt and clippy for all packages, also those that .ci/run leaves out
#   make fuzz SECONDS=60 SEED=1       random sequences of calls of both interfaces; without SEED the clock is the seed
#   make replay FILES="a.ldysnap b"   replay recorded states, one line for each; without FILES all of c_tests/reference
#   make solve FILES="a.npz b.npz" TOLERANCE=1e-8 OUT=folder  solve contacts with friction, one line for each file; forces to folder/a.npy
#   make bench SCENES="bclim-3"       measure scenes, one line for each; without SCENES all of benches/scenes
#   make bench-system                 updates through the neutral interface compared with the legacy interface
#   make bench-solve FILES="a.npz"    the solvers compared with Siconos (Debian: python3-siconos), Pinocchio and Clarabel
#   make bench-gradients              derivatives of solutions compared with one solution
#   make bench-batch                  small contact problems, and 1,024 humanoids in a batch, with one thread and two, beside MuJoCo
#   make bench-steps FILES="a.npz" TOLERANCES="1e-3 1e-4"  sequences of steps as a host runs them, each with the last forces as initial guess
#   make bench-scaling                scenes of several sizes; bench-crush: the largest scene; bench-kernels: kernels alone
#   make bench-pile                   friction in a pile of 5000 spheres compared with a plain Gauss-Seidel, one thread and two
#   make bench-parallel                one system on 1, 2 and 8 processes: times, messages, sweeps, memory (PARALLEL_SIZE=42)
#   make bench-peers                  measure in alternation with MuJoCo, Pinocchio, NumPy and Siconos
#   make bench-docs                   run all benches again and rewrite the tables and figures of docs
#   make mpi MPICC=mpicc              libldy-mpi.a, for hosts compiled with -DMPI by the same MPI
#   make install-mpi                  install it, with its headers and ldy-mpi.pc; same variables as install
#   make test-mpi                     its tests with each MPI of MPIS, on 1 to 4 processes
#   make scaling                      the data that processes send, and the time of an update on 1, 2 and 4 processes
#   make model                        loom tries every order of events in the pool of threads
#   make valgrind                     the C tests under valgrind
#   make brute-force CASES=1000000    each law's solution of one row against the conditions of the law, for that many random rows
#   make processors                   check that results have the same bits on emulated x86-64 processors with AVX2 and without
#   make arm64                        library and C tests for aarch64 under emulation; the same digests of results as here
#   make sanitize                     the C tests with the address and undefined-behavior sanitizers
#   make headers                      write include/*.h and the other generated files again
#   make check-host HOST_HEADERS=...  compare a host's own headers with the expected layouts
#   make shared                       libldy.so and its links in target/shared
#   make install PREFIX=... DESTDIR=...  install both libraries, the headers, and the files of pkg-config and CMake
#   make python                       the wheel of the Python package in target/wheels
#   make test-python PYTHONS="python3.10 python3.13"  its tests with one Python or several; bench-python: the overhead over C
#   make test-python-mpi              ldy.parallel with mpi4py of Debian on 1 to 3 processes
#   make test-torch                   the tests of ldy.torch with the PyTorch of Debian (python3-torch)
#   make site                         all documentation with references and gallery in target/site/html; figures: draw its figures again
#   make test-mujoco                  examples/mujoco.c with the MuJoCo of PyPI
#   make uninstall                    remove the installed files; same variables as install
#   make dist MACHINES="x86_64 aarch64"  tarballs, Debian packages and wheels for old versions of glibc, in target/dist; test-dist: their test
#   make abi                          compare the functions and types of the headers with the recorded ones; abi-accept: record them
#   make changelog                    the section of this version in CHANGELOG.md, of the files in changelog.d
#   make items                        compare the public items in Rust with the recorded ones; items-accept: record them
#   make release-check                all that a release needs; addresses: where the project lives, in all manifests
#   make other-systems                unit tests under Wine, digests of results with musl, compile for macOS
#   make size                         the size of a minimal program
#   make help                         this list

CARGO ?= cargo
# The command that builds the library, and its options: without the benches, but with the features that these and tests ask of
# dependencies.
CARGO_BUILD ?= $(CARGO) build
LIBRARY = --release --locked $(CARGO_QUIET) --package ldy --package ldy-testing --no-default-features
# Cargo shows its progress to a person; other programs see errors and warnings only.
CARGO_QUIET := $(shell test -t 2 || echo --quiet)
CC ?= cc

# Directories and flags that the host's headers need, and the headers that define its structures.
HOST_HEADERS ?=
HOST_INCLUDE ?=
HOST_CFLAGS ?=

TARGET := $(or $(CARGO_TARGET_DIR),target)
LDY_LIB := $(abspath $(TARGET))/release/libldy.a
C_TESTS = $(MAKE) --no-print-directory -f c_tests/Makefile LDY_LIB=$(LDY_LIB) BUILD=$(abspath $(TARGET))/c_tests

.DEFAULT_GOAL := library

include packaging/install.mk
include packaging/python.mk
include packaging/dist.mk
include packaging/site.mk
include packaging/release.mk
include packaging/arm64.mk
include benches/bench.mk

.PHONY: help library run run-wall run-ode test test-rust test-units test-others test-programs c-programs lint fuzz replay solve mpi test-mpi test-mpi-crate test-mpi-programs scaling model valgrind brute-force processors sanitize headers check-host

help:
	@sed -n '/^# The jobs/,/^$$/s/^# \{0,1\}//p' Makefile

library:
	@scripts/require cc ar ld nm objcopy $(CARGO)
	@$(CARGO_BUILD) $(LIBRARY)
	@$(call slim_once,$(LDY_LIB))

# Cargo may bring an older archive back, of another job or with other settings: its members say whether it is slim.
slim_once = ar t $(1) | grep -qx ldy.o || packaging/slim $(1) $(1)

run: library
	@$(C_TESTS) --quiet run
	@echo "make run-wall: a ball hits a wall of bricks"

run-wall:
	@scripts/require cc $(CARGO)
	@$(CARGO) run --release --locked $(CARGO_QUIET) --package ldy-wall -- $(abspath $(TARGET))/wall

run-ode: library
	@scripts/require cc pkg-config libode
	@$(C_TESTS) --quiet run-ode SCENE=$(SCENE)

test: library
	@scripts/require c++ clang clang++ readelf cmake pkg-config libclang mpicc
	$(CARGO) check --locked --features mpi
	@$(MAKE) --no-print-directory test-rust
	$(CARGO) test --locked --package ldy-wall
	@$(C_TESTS) --quiet sanitize

# Unit tests compute little, so they are not optimized: their compiler would take longer than they do. Tests from outside compute more.
checked_settings = $(foreach setting,opt-level=0 debug-assertions=true overflow-checks=true codegen-units=16,--config profile.$(1).package.ldy.$(setting))
UNIT_TESTS := $(CARGO) $(call checked_settings,test) test --locked --package ldy --lib
# .ci/checks.mk tests the library of the release profile, which it builds anyway.
PROFILE_OPTIONS ?=
OTHER_TESTS := $(CARGO) test --locked $(PROFILE_OPTIONS) --package ldy-tests --package ldy-benches --package ldy-solve

test-rust: test-units test-others

test-units:
	$(UNIT_TESTS)

test-others:
	$(OTHER_TESTS)
	$(CARGO) test --locked $(PROFILE_OPTIONS) --package ldy --doc

# The programs of these tests alone.
test-programs:
	$(OTHER_TESTS) --no-run

# All packages and targets; .ci/run lints what it compiles.
lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked --features mpi -- -D warnings

c-programs: library
	@$(C_TESTS) --quiet all

fuzz: library
	@$(C_TESTS) --quiet fuzz

replay: library
	@$(C_TESTS) --quiet replay $(if $(FILES),FILES="$(FILES)")

TOLERANCE ?= 1e-8
OUT ?= $(abspath $(TARGET))/solve

solve:
	@test -n "$(strip $(FILES))" || { \
	  echo 'solve: name the problems:' >&2; \
	  echo '  make solve FILES="a.npz b.npz" TOLERANCE=1e-8 OUT=folder' >&2; \
	  exit 2; }
	@scripts/require cc $(CARGO)
	@$(CARGO) run --release --locked $(CARGO_QUIET) --package ldy-solve -- --tolerance $(TOLERANCE) --out $(OUT) $(FILES)

# ---- MPI

# The library is built once for each MPI, since their C interfaces differ. Cargo gives it the name of the serial library, which is
# then built again.
MPICC ?= mpicc
MPI_TARGET := $(abspath $(TARGET))/mpi
MPI_LIB := $(abspath $(TARGET))/release/libldy-mpi.a

# The MPIs of Debian. For any other: MPIS=its-name MPICC.its-name=... MPIRUN.its-name="... -np".
MPIS ?= openmpi mpich
MPICC.openmpi ?= mpicc.openmpi
MPICC.mpich ?= mpicc.mpich
MPIRUN.openmpi ?= mpirun.openmpi --oversubscribe --allow-run-as-root -np
MPIRUN.mpich ?= mpirun.mpich -np

# Build the library for the MPI with compiler $(1), as $(2).
build_mpi = mkdir -p $(dir $(2)) && LDY_MPICC=$(1) $(CARGO) build $(LIBRARY) --features mpi && \
  packaging/slim $(LDY_LIB) $(2) && $(CARGO) build $(LIBRARY)

# Those with the first MPI and with others. .ci/run leaves some out.
FIRST_MPI_TESTS ?= one-process test
OTHER_MPI_TESTS ?= one-process test

# The tests with MPI $(1): with the first all, with others fewer steps.
mpi_tests = $(MAKE) --no-print-directory --silent -f c_tests/mpi/Makefile $(if $(filter $(1),$(firstword $(MPIS))),,STEPS=10 UPDATES=50 WORLDS=4) MPICC="$(MPICC.$(1))" \
  MPIRUN="$(MPIRUN.$(1))" BUILD=$(MPI_TARGET)/$(1)/tests LDY_LIB=$(MPI_TARGET)/$(1)/libldy-mpi.a

mpi:
	@scripts/require cc $(CARGO) $(MPICC)
	@$(call build_mpi,$(MPICC),$(MPI_LIB))

test-mpi: test-mpi-crate test-mpi-programs

# The crate's own tests of code that MPI changes. The linker is an argument of rustc, for this crate alone: as a setting of cargo it would
# cause all other crates to be built again. With the profile bench, other crates are those of the release profile.
MPI_UNIT_TESTS ?= legacy:: ffi:: parallel::
MPI_UNIT_PROFILE ?= test

test-mpi-crate:
	@scripts/require cc $(CARGO) $(MPICC.$(firstword $(MPIS)))
	@$$(env LDY_MPICC=$(MPICC.$(firstword $(MPIS))) $(CARGO) $(call checked_settings,$(MPI_UNIT_PROFILE)) rustc --locked --quiet --lib \
	  --profile $(MPI_UNIT_PROFILE) --features mpi --message-format json-render-diagnostics -- \
	  -C linker=$(MPICC.$(firstword $(MPIS))) | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p') --quiet $(MPI_UNIT_TESTS)

# For each MPI, the C tests of one process that work in a build for MPI, and the tests of several processes. These compute little, too:
# the library is not optimized. With a target named it has a place of its own, beside the serial library.
RUST_TARGET = $(shell rustc --print host-tuple)
MPI_PLAIN_LIB = $(abspath $(TARGET))/$(RUST_TARGET)/release/libldy.a

test-mpi-programs: library
	@scripts/require cc pkg-config $(CARGO) $(foreach mpi,$(MPIS),$(MPICC.$(mpi)) $(firstword $(MPIRUN.$(mpi))))
	@LDY_MPICC=$(MPICC.$(firstword $(MPIS))) $(CARGO) $(call checked_settings,release) build $(LIBRARY) --features mpi --target $(RUST_TARGET)
	@mkdir -p $(MPIS:%=$(MPI_TARGET)/%)
	@packaging/slim $(MPI_PLAIN_LIB) $(call mpi_library,$(firstword $(MPIS)))
	@$(other_mpis) true
	@$(foreach mpi,$(MPIS),echo "---- $(mpi)" && $(call mpi_tests,$(mpi)) $(if $(filter $(mpi),$(firstword $(MPIS))),$(FIRST_MPI_TESTS),$(OTHER_MPI_TESTS)) &&) true
	@$(foreach mpi,$(MPIS),$(call mpi_tests,$(mpi)) test-link LDY_SERIAL=$(LDY_LIB) \
	  FOREIGN="$(patsubst %,$(MPI_TARGET)/%/libldy-mpi.a,$(filter-out $(mpi),$(MPIS)))" &&) true

mpi_library = $(MPI_TARGET)/$(1)/libldy-mpi.a
other_mpis = $(foreach mpi,$(wordlist 2,$(words $(MPIS)),$(MPIS)),\
  packaging/other-mpi $(MPI_PLAIN_LIB) $(MPICC.$(mpi)) $(call mpi_library,$(mpi)) &&)

# With the first MPI.
scaling:
	@scripts/require cc $(CARGO) $(MPICC.$(firstword $(MPIS))) $(firstword $(MPIRUN.$(firstword $(MPIS))))
	@$(call build_mpi,$(MPICC.$(firstword $(MPIS))),$(MPI_TARGET)/$(firstword $(MPIS))/libldy-mpi.a)
	@$(call mpi_tests,$(firstword $(MPIS))) scaling

model:
	@scripts/require cc $(CARGO)
	$(CARGO) test --release --locked --quiet --manifest-path tests/pool_model/Cargo.toml --target-dir $(TARGET)/pool_model

valgrind: library
	@scripts/require valgrind
	@$(C_TESTS) --quiet valgrind

CASES ?= 1000000

brute-force:
	LDY_BRUTE_FORCE_CASES=$(CASES) $(CARGO) test --release --locked --lib -p ldy brute_force

processors: library
	@scripts/require qemu-x86_64
	@$(C_TESTS) --quiet processors $(if $(FILES),FILES="$(FILES)")

sanitize: library
	@$(C_TESTS) --quiet sanitize

# Write include/*.h, c_tests/legacy/layout_assertions.c and packaging/libldy.map from the tables in src/legacy and the declarations in Rust.
headers:
	LDY_WRITE_HEADERS=1 $(CARGO) test --quiet --test main generated_headers::

# Compile the layout assertions with the headers of a host, for example Solfec's, serial and with MPI:
#   make check-host HOST_HEADERS="dom.h nts.h sol.h" HOST_INCLUDE=SOLFEC HOST_CFLAGS="-DHDF5 -I/usr/include/hdf5/serial"
#   make check-host CC=mpicc HOST_HEADERS="dom.h nts.h sol.h" HOST_INCLUDE="SOLFEC DYNLB" \
#     HOST_CFLAGS="-DMPI -DHDF5 -I/usr/include/hdf5/serial"
# SOLFEC and DYNLB are the folders of its sources and of its load balancer; the flags must be the flags of its own build.
# The target stops at the first field that differs, and names it.
check-host:
	@test -n "$(strip $(HOST_HEADERS))" || { \
	  echo 'check-host: name the headers that define the structures of the host:' >&2; \
	  echo '  make check-host HOST_HEADERS="dom.h nts.h sol.h" HOST_INCLUDE=DIRECTORIES HOST_CFLAGS=FLAGS' >&2; \
	  exit 2; }
	@messages=$$(LC_ALL=C $(CC) -std=gnu11 -fsyntax-only -Wfatal-errors $(HOST_CFLAGS) \
	    $(addprefix -I,$(HOST_INCLUDE)) $(addprefix -include ,$(HOST_HEADERS)) \
	    c_tests/legacy/layout_assertions.c 2>&1); \
	status=$$?; \
	test -z "$$messages" || printf '%s\n' "$$messages" >&2; \
	missing=$$(printf '%s\n' "$$messages" | sed -n "s/.*incomplete type '\(struct [a-z_]*\)'.*/\1/p"); \
	if test -n "$$missing"; then \
	  echo "check-host: $$missing is defined in none of $(strip $(HOST_HEADERS)):" \
	    "name its header in HOST_HEADERS too" >&2; \
	fi; \
	absent=$$(printf '%s\n' "$$messages" | sed -n 's/.*error: \(.*\): No such file or directory.*/\1/p'); \
	if test "$$absent" = mpi.h; then \
	  echo "check-host: mpi.h is found by MPI's compiler: say CC=mpicc too" >&2; \
	elif test -n "$$absent"; then \
	  echo "check-host: $$absent is in no folder of HOST_INCLUDE: name its folder there, and the flags that the" \
	    "host is compiled with in HOST_CFLAGS. If the host's build generates this header, build the host first" >&2; \
	fi; \
	if test $$status -eq 0; then \
	  echo "check-host: every structure in $(strip $(HOST_HEADERS)) has the expected layout"; \
	fi; \
	exit $$status
