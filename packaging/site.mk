# The site: guides, references of C, C++, Python and Rust, the gallery. Part of ../Makefile.

SITE := $(abspath $(TARGET))/site
SITE_PYTHON = $(PYTHON_TEST)/$(firstword $(PYTHONS))

# One search over all pages, without the source text that rustdoc shows.
SEARCHED := {*.html,c/{ldy,struct,class}*.html,rust/ldy/**/*.html,[!cr]*/**/*.html,concepts/**/*.html,reference/**/*.html}

.PHONY: site rustdoc figures

DOCUMENTED ?= --workspace --exclude ldy-python --exclude ldy-wall --exclude ldy-kernels

rustdoc:
	@RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps $(CARGO_QUIET) $(PROFILE_OPTIONS) $(DOCUMENTED)

# The environment of the tests, with Sphinx in addition: the gallery runs the examples.
$(PYTHON_TEST)/%/installed-site: $(PYTHON_TEST)/%/installed python/requirements-site.txt
	@$(call install,$(@D)) --requirement python/requirements-site.txt
	@touch $@

# SPHINX_OPTIONS="-D plot_gallery=0 -D nb_execution_mode=off" does not run the examples.
SPHINX_OPTIONS ?=

# Every warning is an error, also of Doxygen; every link within the site is followed.
site: python $(SITE_PYTHON)/installed-site
	@scripts/require doxygen doxygen-awesome-css $(CARGO)
	@$(call install,$(SITE_PYTHON)) $(WHEEL_OPTIONS) $(WHEELS)/*.whl
	@rm -rf $(SITE) && mkdir -p $(SITE)/html
	@$(SITE_PYTHON)/bin/python docs/figures/draw.py --check
	@(cat docs/site/Doxyfile && printf '%s\n' "OUTPUT_DIRECTORY = $(SITE)/html" "GENERATE_TAGFILE = $(SITE)/c.tag" "PROJECT_NUMBER = $(VERSION)") | \
	  doxygen -
	@$(SITE_PYTHON)/bin/python docs/site/stage.py $(SITE)/source $(SITE)/c.tag
	@PYTHONPATH=docs/site $(SITE_PYTHON)/bin/python -m sphinx -q -W --keep-going -j 2 $(SPHINX_OPTIONS) -c docs/site -d $(SITE)/doctrees $(SITE)/source $(SITE)/html
	@$(MAKE) --no-print-directory rustdoc && cp -r $(abspath $(TARGET))/doc $(SITE)/html/rust
	@$(SITE_PYTHON)/bin/python -m pagefind --silent --force-language en --exclude-selectors .headerlink --site $(SITE)/html --glob '$(SEARCHED)'
	@$(SITE_PYTHON)/bin/python docs/site/check_links.py $(SITE)/html
	@echo "site: $(SITE)/html/index.html"

# The figures of the pages, from their tables; docs/figures/record.py records the data of two of them again.
figures: $(SITE_PYTHON)/installed
	@$(SITE_PYTHON)/bin/python docs/figures/draw.py
