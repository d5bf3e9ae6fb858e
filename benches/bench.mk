# Measuring. docs/performance.md describes the lines that come out.

VENV = $(abspath $(TARGET))/venv
PYTHON = $(VENV)/bin/python
REQUIREMENTS := benches/requirements.txt
TEXTBOOK_SOURCES := $(addprefix c_tests/,textbook.c textbook_matrix.c)
TEXTBOOK_LIB = $(abspath $(TARGET))/textbook/libtextbook.so
RECORDED := docs/performance

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

TABLE = $(CARGO) bench --locked --quiet --bench table --

.PHONY: bench bench-system bench-solve bench-scaling bench-crush bench-peers bench-kernels bench-picture bench-tables bench-docs

bench:
	@scripts/require cc $(CARGO)
	@$(TABLE) $(SCENES)

bench-system:
	@scripts/require cc $(CARGO)
	@$(CARGO) bench --locked --quiet --bench system -- $(SCENES)

bench-solve: shared
	@scripts/require python3-siconos python3-scipy
	@/usr/bin/python3 -B benches/solve.py $(SHARED) $(FILES)

bench-scaling:
	@scripts/require cc $(CARGO)
	@$(TABLE) $(or $(SCENES),$(SCALING))

bench-crush:
	@scripts/require cc $(CARGO)
	@$(TABLE) $(or $(SCENES),$(CRUSH))

bench-peers: export LDY_PYTHON = $(PYTHON)
bench-peers: $(VENV)/installed
	@scripts/require cc $(CARGO)
	@$(CARGO) bench --locked --quiet --bench peers -- $(SCENES)

bench-kernels:
	@scripts/require cc $(CARGO)
	@$(CARGO) bench --locked --quiet --bench kernels

# From the lines recorded last.
bench-picture: $(VENV)/installed
	@$(PYTHON) -B benches/report/picture.py $(RECORDED)/scaling.txt $(RECORDED)/scaling.svg

bench-tables:
	@scripts/require python3
	@python3 -B benches/report/tables.py docs/performance.md $(RECORDED)

# Everything that docs/performance.md shows, measured anew: takes about an hour, on a machine that does nothing else.
bench-docs:
	@benches/report/record $(RECORDED)/scenes.txt bench
	@benches/report/record $(RECORDED)/system.txt bench-system
	@benches/report/record $(RECORDED)/crush.txt bench-crush
	@benches/report/record $(RECORDED)/scaling.txt bench-scaling
	@benches/report/record $(RECORDED)/peers.txt bench-peers
	@$(MAKE) --no-print-directory bench-tables bench-picture

# -O3 and no more, as legacy code is built: BLAS, where the arithmetic is, is compiled for any processor too.
$(TEXTBOOK_LIB): $(TEXTBOOK_SOURCES) $(wildcard c_tests/textbook*.h include/*.h)
	@scripts/require cc liblapack libblas
	@mkdir -p $(@D)
	@$(CC) -std=c11 -O3 -fPIC -shared -Wall -Wextra -pedantic -Werror -Ic_tests -Iinclude $(TEXTBOOK_SOURCES) -o $@ -llapack -lblas -lm

$(VENV)/installed: $(REQUIREMENTS)
	@scripts/require python3 python3-venv
	@python3 -m venv $(VENV)
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --requirement $(REQUIREMENTS)
	@touch $@
