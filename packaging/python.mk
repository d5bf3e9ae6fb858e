# The Python package: a wheel, and its tests. Part of ../Makefile.

PYTHON_BUILD := $(abspath $(TARGET))/python/build
PYTHON_TEST := $(abspath $(TARGET))/python/test
WHEELS := $(abspath $(TARGET))/wheels

.PHONY: python test-python

$(PYTHON_BUILD)/installed: python/requirements-build.txt
	@scripts/require python3 python3-venv
	@python3 -m venv $(PYTHON_BUILD)
	@$(PYTHON_BUILD)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# Cargo's folder is its own: the library is built as a part of the package here.
python: $(PYTHON_BUILD)/installed
	@scripts/require cc $(CARGO)
	@rm -rf $(WHEELS)
	@cd python && CARGO_TARGET_DIR=$(abspath $(TARGET))/python/cargo $(PYTHON_BUILD)/bin/maturin build --release --locked --quiet \
	  --interpreter $(PYTHON_BUILD)/bin/python --out $(WHEELS)
	@ls $(WHEELS)

# A fresh environment each time.
test-python: python
	@rm -rf $(PYTHON_TEST)
	@python3 -m venv $(PYTHON_TEST)
	@$(PYTHON_TEST)/bin/python -m pip install --quiet --disable-pip-version-check $(WHEELS)/*.whl --requirement python/requirements-test.txt
	@$(PYTHON_TEST)/bin/python -m pytest --quiet -p no:cacheprovider python/tests
