# The Python package: a wheel, and its tests. Part of ../Makefile.

PYTHON_BUILD := $(abspath $(TARGET))/python/build
PYTHON_TEST := $(abspath $(TARGET))/python/test
# Those that the tests run with, for instance PYTHONS="python3.10 python3.13".
PYTHONS ?= python3
WHEELS := $(abspath $(TARGET))/wheels
# Modules are compiled when they are imported: most of them never are.
PIP := -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: python test-python test-python-mpi test-torch test-mujoco bench-python $(PYTHONS:%=test-with-%)

$(PYTHON_BUILD)/installed: python/requirements-build.txt
	@scripts/require python3 python3-venv
	@python3 -m venv $(PYTHON_BUILD)
	@$(PYTHON_BUILD)/bin/python $(PIP) --requirement $<
	@touch $@

# The library as it is built for C, with the classes of Python around it.
python: $(PYTHON_BUILD)/installed
	@scripts/require cc $(CARGO)
	@rm -rf $(WHEELS)
	@cd python && CARGO_TARGET_DIR=$(abspath $(TARGET)) $(PYTHON_BUILD)/bin/maturin build --release --locked --quiet \
	  --interpreter $(PYTHON_BUILD)/bin/python --out $(WHEELS)
	@ls $(WHEELS)

# An environment for each Python, with everything but the wheel; without what examples compare with where that is not to be had.
$(PYTHON_TEST)/%/installed: python/requirements-test.txt python/requirements-peers.txt
	@scripts/require $* python3-venv
	@rm -rf $(@D)
	@$* -m venv $(@D)
	@$(@D)/bin/python $(PIP) --requirement python/requirements-test.txt
	@sed '/^#/d' python/requirements-peers.txt | while read -r package; do \
	  $(@D)/bin/python $(PIP) "$$package" || echo "not installed: $$package" >&2; \
	done
	@touch $@

test-python: $(PYTHONS:%=test-with-%)

$(PYTHONS:%=test-with-%): test-with-%: python $(PYTHON_TEST)/%/installed
	@$(PYTHON_TEST)/$*/bin/python $(PIP) --force-reinstall --no-deps $(WHEELS)/*.whl
	@$(PYTHON_TEST)/$*/bin/python -m pytest --quiet -p no:cacheprovider python/tests

# PyTorch of PyPI brings CUDA, some gigabytes. Debian's is small, and belongs to Debian's Python, which gets the wheel and pytest by path.
TORCH_TEST := $(PYTHON_TEST)/torch

$(TORCH_TEST)/installed: python/requirements-test.txt $(PYTHON_BUILD)/installed
	@scripts/require python3-torch python3-scipy
	@rm -rf $(@D)
	@$(PYTHON_BUILD)/bin/python $(PIP) --target $(@D) $$(grep '^pytest==' python/requirements-test.txt)
	@touch $@

test-torch: python $(TORCH_TEST)/installed
	@$(PYTHON_BUILD)/bin/python $(PIP) --target $(TORCH_TEST) --upgrade --no-deps $(WHEELS)/*.whl
	@PYTHONPATH=$(TORCH_TEST) /usr/bin/python3 -B -m pytest --quiet -p no:cacheprovider -k torch python/tests/test_torch.py python/tests/test_documentation.py

# An example in C with MuJoCo of the test's environment; left out, with a word, where that is not there.
test-mujoco: library $(PYTHON_TEST)/$(firstword $(PYTHONS))/installed
	@packaging/test-mujoco $(PYTHON_TEST)/$(firstword $(PYTHONS))/bin/python $(LDY_LIB) "$(NATIVE_LIBS)"

# What Python adds to the times of C.
bench-python: python library $(PYTHON_TEST)/$(firstword $(PYTHONS))/installed
	@for name in overhead small_loop; do \
	  $(CC) -O2 -fPIC -shared -Iinclude -DLDY_NO_LINK_CHECK python/bench/$$name.c -o $(PYTHON_TEST)/lib$$name.so $(LDY_LIB) $(NATIVE_LIBS) \
	    || exit 1; \
	done
	@$(PYTHON_TEST)/$(firstword $(PYTHONS))/bin/python $(PIP) --force-reinstall --no-deps \
	  $(WHEELS)/*.whl
	@$(PYTHON_TEST)/$(firstword $(PYTHONS))/bin/python -B python/bench/overhead.py $(PYTHON_TEST)/liboverhead.so $(WHEELS)/*.whl
	@$(PYTHON_TEST)/$(firstword $(PYTHONS))/bin/python -B python/bench/small_loop.py $(PYTHON_TEST)/libsmall_loop.so

# Systems across processes, with mpi4py of Debian, which is for the first MPI. The extension is not optimized, and linked by the MPI's compiler.
PYTHON_MPI := $(PYTHON_TEST)/mpi

test-python-mpi: $(PYTHON_BUILD)/installed
	@scripts/require cc $(CARGO) $(MPICC.openmpi) python3-mpi4py python3-scipy
	@rm -rf $(PYTHON_MPI)
	@cd python && LDY_MPICC=$(MPICC.openmpi) CARGO_TARGET_DIR=$(abspath $(TARGET)) $(PYTHON_BUILD)/bin/maturin build --locked --quiet \
	  --interpreter $(PYTHON_BUILD)/bin/python --out $(PYTHON_MPI)/wheel --auditwheel skip --features mpi \
	  --config profile.dev.package.ldy.opt-level=0 -- -C linker=$(MPICC.openmpi)
	@$(PYTHON_BUILD)/bin/python $(PIP) --target $(PYTHON_MPI) --no-deps $(PYTHON_MPI)/wheel/*.whl
	@for processes in 1 2 3; do \
	  PYTHONPATH=$(PYTHON_MPI) $(MPIRUN.openmpi) $$processes /usr/bin/python3 -B python/tests/mpi/chain.py || exit 1; \
	done
