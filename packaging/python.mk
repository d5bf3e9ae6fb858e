# The Python package: a wheel, and its tests. Part of ../Makefile.

PYTHON_BUILD := $(abspath $(TARGET))/python/build
PYTHON_TEST := $(abspath $(TARGET))/python/test
# Those that the tests run with, for instance PYTHONS="python3.10 python3.13".
PYTHONS ?= python3
WHEELS := $(abspath $(TARGET))/wheels
# Modules are compiled once for all programs of the tests, apart from their sources.
export PYTHONPYCACHEPREFIX := $(abspath $(TARGET))/python/compiled
unexport PYTHONDONTWRITEBYTECODE
# $(call environment,PYTHON) and a folder: an environment of this Python. $(call install,PYTHON) and packages: they are installed for this
# Python or environment.
environment = scripts/uv venv --quiet --clear --python $(1)
install = scripts/uv pip install --quiet --python $(1)
# The last wheel had the same version.
WHEEL_OPTIONS := --reinstall --no-deps --no-cache

.PHONY: python test-python test-python-mpi test-torch test-mujoco bench-python $(PYTHONS:%=test-with-%)

$(PYTHON_BUILD)/installed: python/requirements-build.txt
	@scripts/require python3
	@$(call environment,python3) $(PYTHON_BUILD)
	@$(call install,$(PYTHON_BUILD)) --requirement $<
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
	@scripts/require $*
	@$(call environment,$*) $(@D)
	@$(call install,$(@D)) --requirement python/requirements-test.txt
	@sed '/^#/d' python/requirements-peers.txt | while read -r package; do \
	  $(call install,$(@D)) "$$package" || echo "not installed: $$package" >&2; \
	done
	@touch $@

test-python: $(PYTHONS:%=test-with-%)

$(PYTHONS:%=test-with-%): test-with-%: python $(PYTHON_TEST)/%/installed
	@$(call install,$(PYTHON_TEST)/$*) $(WHEEL_OPTIONS) $(WHEELS)/*.whl
	@$(PYTHON_TEST)/$*/bin/python -m pytest --quiet -p no:cacheprovider python/tests

# PyTorch of PyPI brings CUDA, some gigabytes. Debian's is small, and belongs to Debian's Python, which gets the wheel and pytest by path.
TORCH_TEST := $(PYTHON_TEST)/torch

$(TORCH_TEST)/installed: python/requirements-test.txt
	@scripts/require python3-torch python3-scipy
	@rm -rf $(@D)
	@$(call install,/usr/bin/python3) --target $(@D) $$(grep '^pytest==' python/requirements-test.txt)
	@touch $@

test-torch: python $(TORCH_TEST)/installed
	@$(call install,/usr/bin/python3) --target $(TORCH_TEST) $(WHEEL_OPTIONS) $(WHEELS)/*.whl
	@PYTHONPATH=$(TORCH_TEST) /usr/bin/python3 -m pytest --quiet -p no:cacheprovider -k torch python/tests/test_torch.py python/tests/test_documentation.py

# An example in C with MuJoCo of the test's environment; left out, with a word, where that is not there.
test-mujoco: library $(PYTHON_TEST)/$(firstword $(PYTHONS))/installed
	@packaging/test-mujoco $(PYTHON_TEST)/$(firstword $(PYTHONS))/bin/python $(LDY_LIB) "$(NATIVE_LIBS)"

# What Python adds to the times of C.
bench-python: python library $(PYTHON_TEST)/$(firstword $(PYTHONS))/installed
	@for name in overhead small_loop; do \
	  $(CC) -O2 -fPIC -shared -Iinclude -DLDY_NO_LINK_CHECK python/bench/$$name.c -o $(PYTHON_TEST)/lib$$name.so $(LDY_LIB) $(NATIVE_LIBS) \
	    || exit 1; \
	done
	@$(call install,$(PYTHON_TEST)/$(firstword $(PYTHONS))) $(WHEEL_OPTIONS) $(WHEELS)/*.whl
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
	@$(call install,/usr/bin/python3) --target $(PYTHON_MPI) $(WHEEL_OPTIONS) $(PYTHON_MPI)/wheel/*.whl
	@for processes in 1 2 3; do \
	  PYTHONPATH=$(PYTHON_MPI) $(MPIRUN.openmpi) $$processes /usr/bin/python3 -B python/tests/mpi/chain.py || exit 1; \
	done
