# Measuring. docs/developers/measured/legacy.md describes the lines that come out.

VENV = $(abspath $(TARGET))/venv
PYTHON = $(VENV)/bin/python
REQUIREMENTS := benches/requirements.txt
TEXTBOOK_SOURCES := $(addprefix benches/textbook/,update.c matrix.c rows.c)
TEXTBOOK_LIB = $(abspath $(TARGET))/textbook/libtextbook.so
# The lines that `make bench-docs` records. The pages show the tables that are made from them; figures are drawn from the tables.
RECORDED := $(abspath $(TARGET))/performance
PAGES := docs/developers/measured/legacy.md docs/developers/measured/neutral.md docs/solvers/choosing.md docs/developers/measured/solvers.md

SCALING := $(addprefix spheres-,8 12 16 24 32 48) $(addprefix hub-,8 12 16 24 32 48 64)
CRUSH := crush-10

# `make bench TEXTBOOK=no` leaves the textbook's update out, and the libraries that it needs.
TEXTBOOK ?= yes
ifeq ($(TEXTBOOK),no)
  bench bench-scaling bench-crush: export LDY_TEXTBOOK :=
else
  bench bench-scaling bench-crush: $(TEXTBOOK_LIB)
  bench bench-scaling bench-crush: export LDY_TEXTBOOK = $(TEXTBOOK_LIB)
endif

MEASURE = $(CARGO) bench --locked --quiet --package ldy-benches --bench

.PHONY: bench bench-system bench-solve bench-gradients bench-batch bench-steps bench-pile bench-parallel bench-scaling bench-crush bench-peers bench-kernels bench-tables bench-docs bench-solve-docs bench-steps-docs

bench:
	@scripts/require cc $(CARGO)
	@$(MEASURE) table -- $(SCENES)

bench-system:
	@scripts/require cc libopenblas $(CARGO)
	@$(MEASURE) system -- $(SCENES)

bench-solve: shared
	@scripts/require cc python3-siconos python3-scipy python3-cffi
	@/usr/bin/python3 -B benches/solve/main.py $(SHARED) $(FILES)
	@$(MEASURE) determinacy

# Pinocchio and Clarabel run with the Python of the peers.
bench-solve: export LDY_PYTHON = $(wildcard $(PYTHON))
bench-solve: $(VENV)/installed

# MuJoCo runs with the Python of the peers.
bench-batch: export LDY_PYTHON = $(PYTHON)
bench-batch: $(VENV)/installed
	@scripts/require cc $(CARGO)
	@$(MEASURE) batch

bench-gradients:
	@scripts/require cc $(CARGO)
	@$(MEASURE) gradients

# Sequences of steps, of one thread.
bench-steps: export LDY_NUM_THREADS = 1
bench-steps:
	@scripts/require cc $(CARGO)
	@$(MEASURE) steps -- --tolerances "$(or $(TOLERANCES),1e-3 1e-4 1e-6)" $(foreach file,$(FILES),"$(abspath $(file))")

bench-pile:
	@scripts/require cc $(CARGO)
	@$(MEASURE) pile

# With the first MPI. PARALLEL_SIZE: the edge of the packing of which times and memory are measured; 42 has about 200,000 contacts. Messages
# are counted, and sweeps to a tolerance made, with the edge PARALLEL_SWEEPS_SIZE; 16 has about 11,000. From 24 on, the
# residual of the serial solver, too, stays near 1e-3.
PARALLEL_SIZE ?= 42
PARALLEL_SWEEPS_SIZE ?= 16
PARALLEL_DIR = $(MPI_TARGET)/bench
bench-parallel: first = $(firstword $(MPIS))
bench-parallel: run = $(MPIRUN.$(first)) $(1) $(PARALLEL_DIR)/parallel $(2)
bench-parallel:
	@scripts/require cc $(CARGO) $(MPICC.$(first)) $(firstword $(MPIRUN.$(first)))
	@$(call build_mpi,$(MPICC.$(first)),$(PARALLEL_DIR)/libldy-mpi.a)
	@$(MPICC.$(first)) -std=c11 -O2 -Wall -Wextra -Iinclude -o $(PARALLEL_DIR)/parallel benches/parallel/*.c $(PARALLEL_DIR)/libldy-mpi.a \
	  $(shell cat packaging/native-libs)
	@rm -f $(PARALLEL_DIR)/lines
	@for processes in 1 2; do $(call run,$$processes,times $(PARALLEL_SIZE)) | tee -a $(PARALLEL_DIR)/lines; done
	@$(call run,8,memory $(PARALLEL_SIZE)) | tee -a $(PARALLEL_DIR)/lines
	@for processes in 1 8; do $(call run,$$processes,counts $(PARALLEL_SWEEPS_SIZE)) | tee -a $(PARALLEL_DIR)/lines; done
	@benches/parallel/targets $(PARALLEL_DIR)/lines

bench-scaling:
	@scripts/require cc $(CARGO)
	@$(MEASURE) table -- $(or $(SCENES),$(SCALING))

bench-crush:
	@scripts/require cc $(CARGO)
	@$(MEASURE) table -- $(or $(SCENES),$(CRUSH))

# Siconos comes with the system; lines of peers that are not to be had are left out.
bench-peers: export LDY_PYTHON = $(PYTHON)
bench-peers: export LDY_SICONOS_PYTHON = /usr/bin/python3
bench-peers: $(VENV)/installed
	@scripts/require cc $(CARGO)
	@scripts/require python3-siconos python3-scipy || true
	@$(MEASURE) peers -- $(SCENES)

bench-kernels:
	@scripts/require cc $(CARGO)
	@$(CARGO) bench --locked --quiet --package ldy-kernels

# From the lines recorded last.
bench-tables:
	@scripts/require python3
	@for page in $(PAGES); do python3 -B benches/report/tables.py $$page $(RECORDED) || exit; done

# Everything that docs/developers/measured/legacy.md shows, measured anew: takes about an hour, on a machine that does nothing else.
bench-docs:
	@benches/report/record $(RECORDED)/scenes.txt bench
	@benches/report/record $(RECORDED)/system.txt bench-system
	@benches/report/record $(RECORDED)/crush.txt bench-crush
	@benches/report/record $(RECORDED)/scaling.txt bench-scaling
	@benches/report/record $(RECORDED)/peers.txt bench-peers
	@$(MAKE) --no-print-directory bench-tables figures

# The tables of docs/developers/measured/solvers.md and docs/solvers/choosing.md that are measured with files: the same variables as those of bench-solve and
# bench-steps.
bench-solve-docs bench-steps-docs: bench-%-docs:
	@benches/report/record $(RECORDED)/$*.txt bench-$*
	@$(MAKE) --no-print-directory bench-tables

# -O3 and no more, as legacy code is built: BLAS, where the arithmetic is, is compiled for any processor too.
$(TEXTBOOK_LIB): $(TEXTBOOK_SOURCES) $(wildcard benches/textbook/*.h include/*.h)
	@scripts/require cc liblapack libblas
	@mkdir -p $(@D)
	@$(CC) -std=c11 -O3 -fPIC -shared -Wall -Wextra -pedantic -Werror -DLDY_NO_LINK_CHECK -Iinclude $(TEXTBOOK_SOURCES) -o $@ -llapack -lblas -lm

# One by one: where one is not to be had, the others are of use. What failed is tried again the next time.
$(VENV)/installed: $(REQUIREMENTS)
	@scripts/require python3
	@$(call environment,python3) $(VENV)
	@failed=; for package in $$(sed '/^#/d' $(REQUIREMENTS)); do \
	  $(call install,$(VENV)) $$package || failed="$$failed $$package"; \
	done; test -z "$$failed" && touch $@ || echo "not installed:$$failed" >&2
