# Archives to hand out: a tarball, packages of Debian, and a wheel of Python. Part of ../Makefile.
#
# They are built for an old glibc, so that one of them serves all distributions that are in use: by zig, which has the symbols of every
# version, for each of MACHINES, whatever this machine is. All that is needed is put into target/.

DIST_GLIBC ?= 2.17
MACHINES ?= x86_64 aarch64
DIST := $(abspath $(TARGET))/dist
ZIG := $(DIST)/zig
MACHINE := $(shell uname -m)
DIST_TRIPLE := $(MACHINE)-unknown-linux-gnu
DIST_CARGO := $(DIST)/cargo
DIST_LIB := $(DIST_CARGO)/$(DIST_TRIPLE)/release/libldy.a
DIST_NAME := ldy-$(VERSION)-$(MACHINE)-linux-gnu$(DIST_GLIBC)
# What is made for this machine alone.
PLACE := $(DIST)/$(MACHINE)
DIST_TARBALL := $(DIST)/$(DIST_NAME).tar.xz
MULTIARCH := $(MACHINE)-linux-gnu
# Binutils and compilers for another machine have its name in front.
DIST_BINUTILS := $(if $(filter $(shell uname -m),$(MACHINE)),,$(MULTIARCH)-)

# When the sources were made, and no names of folders of this machine: the same sources give the same archives anywhere.
ifndef SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH := $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
endif
# For these jobs alone: cargo compiles the library again when this variable changes.
tarball deb wheel: export SOURCE_DATE_EPOCH := $(SOURCE_DATE_EPOCH)
CARGO_REGISTRY = $(or $(CARGO_HOME),$(HOME)/.cargo)
remap = --remap-path-prefix=$(CARGO_REGISTRY)=/cargo --remap-path-prefix=$(CURDIR)=/ldy --remap-path-prefix=$(DIST_CARGO)=/target
dist_environment = PATH="$(ZIG)/bin:$$PATH" RUSTFLAGS="$(remap)" CARGO_TARGET_DIR=$(DIST_CARGO)

# `make`, first of the library for the old glibc, then of other targets with it.
dist_make = $(dist_environment) BINUTILS=$(DIST_BINUTILS) $(MAKE) --no-print-directory CARGO_TARGET_DIR=$(DIST_CARGO) LDY_LIB=$(DIST_LIB) \
  SHARED_DIR=$(PLACE)/shared CARGO_BUILD="cargo-zigbuild zigbuild --target $(DIST_TRIPLE).$(DIST_GLIBC) --lib" \
  CC="$(ZIG)/bin/python -m ziglang cc -target $(MACHINE)-linux-gnu.$(DIST_GLIBC)" library

# Rust's standard library for a target.
need_target = test -d $$(rustc --print sysroot)/lib/rustlib/$(1) || rustup --quiet target add $(1) || { \
  echo "Rust's standard library for $(1) is missing" >&2; exit 1; }

.PHONY: dist archives tarball deb wheel test-dist test-archives test-reproducible

dist:
	@for machine in $(MACHINES); do $(MAKE) --no-print-directory MACHINE=$$machine archives || exit 1; done

archives: tarball deb wheel

$(ZIG)/installed: packaging/requirements-dist.txt
	@scripts/require python3
	@$(call environment,python3) $(ZIG)
	@$(call install,$(ZIG)) --requirement $< || { \
	  echo "dist: ziglang and cargo-zigbuild, which build for old versions of glibc, cannot be installed from PyPI" >&2; exit 1; }
	@touch $@

# The standard library of the machine, and binutils for what is not this machine.
$(PLACE)/installed: $(ZIG)/installed
	@scripts/require ar ld nm objcopy readelf strip $(if $(DIST_BINUTILS),$(DIST_BINUTILS)objcopy) $(CARGO)
	@$(call need_target,$(DIST_TRIPLE))
	@mkdir -p $(@D) && touch $@

# What is linked in: the licences that come with it, and a bill of materials; the same for the Python package. The page of Rust's standard
# library comes with the compiler.
RUST_LICENCES = $(shell rustc --print sysroot)/share/doc/rust/COPYRIGHT-library.html
BILLS := $(PLACE)/ldy.cdx.json $(PLACE)/ldy.licences.txt
PYTHON_BILLS := $(PLACE)/ldy-python.cdx.json $(PLACE)/ldy-python.licences.txt
BILLED := Cargo.toml Cargo.lock $(wildcard python/Cargo.toml) packaging/crates.py $(ZIG)/installed

$(PLACE)/%.cdx.json: packaging/sbom $(BILLED) | $(PLACE)/installed
	@$< $* $(DIST_TRIPLE) $(ZIG) > $@.new && mv $@.new $@

$(PLACE)/%.licences.txt: packaging/licences $(BILLED) | $(PLACE)/installed
	@$< $* $(DIST_TRIPLE) $(ZIG) > $@.new && mv $@.new $@

tarball: TREE = $(PLACE)/tarball/$(DIST_NAME)
tarball: TREE_DOC = $(TREE)/share/doc/ldy
tarball: $(PLACE)/installed $(BILLS)
	@scripts/require tar xz
	@rm -rf $(PLACE)/tarball
	@$(dist_make) --silent install DESTDIR=$(PLACE)/tarball PREFIX=/$(DIST_NAME)
	@$(INSTALL) -d $(TREE_DOC)
	@$(put) packaging/tarball/CMakeLists.txt $(TREE)
	@$(put) packaging/tarball/README.md $(TREE_DOC)
	@$(if $(HOME_PAGE),printf '\nThe project lives at <%s>.\n' "$(HOME_PAGE)" >> $(TREE_DOC)/README.md)
	@cp -r docs examples $(TREE_DOC) && rm -r $(TREE_DOC)/docs/site
	@mkdir $(TREE_DOC)/python && cp -r python/README.md python/examples $(TREE_DOC)/python && chmod -R u=rwX,go=rX $(TREE)
	@$(put) CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE-MIT LICENSE-APACHE $(PLACE)/ldy.cdx.json $(TREE_DOC)
	@$(put) $(PLACE)/ldy.licences.txt $(TREE_DOC)/LICENSES-OTHERS.txt
	@$(put) $(RUST_LICENCES) $(TREE_DOC)/LICENSES-RUST.html
	@tar --directory $(PLACE)/tarball --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(SOURCE_DATE_EPOCH)" \
	  --create --xz --file $(DIST_TARBALL) $(DIST_NAME)
	@ls -l $(DIST_TARBALL)

deb: $(PLACE)/installed $(BILLS)
	@scripts/require dpkg-deb
	@rm -rf $(PLACE)/debian
	@$(dist_make) --silent install DESTDIR=$(PLACE)/debian/all PREFIX=/usr LIBDIR=/usr/lib/$(MULTIARCH)
	@packaging/debian/build $(PLACE)/debian $(VERSION) $(SO_VERSION) $(MULTIARCH) $(BILLS) $(RUST_LICENCES)

# `make python` makes one for the glibc that is here.
wheel: $(PLACE)/installed $(PYTHON_BUILD)/installed $(PYTHON_BILLS)
	@rm -rf $(PLACE)/wheel
	@cd python && $(dist_environment) ../packaging/with-zig $(DIST_TRIPLE).$(DIST_GLIBC) $(PYTHON_BUILD)/bin/maturin build --release --locked \
	  --quiet --target $(DIST_TRIPLE) --compatibility manylinux_$(subst .,_,$(DIST_GLIBC)) --sbom-include $(PLACE)/ldy-python.cdx.json --out $(PLACE)/wheel
	@$(PYTHON_BUILD)/bin/python -B packaging/complete-wheel $(PLACE)/wheel/*.whl $(PLACE)/ldy-python.licences.txt LICENSE-MIT LICENSE-APACHE $(RUST_LICENCES)
	@ls -l $(PLACE)/wheel/*.whl

# They are installed into empty roots and used by programs; takes seconds once they are there. Programs for another machine are emulated.
test-dist: dist
	@for machine in $(MACHINES); do $(MAKE) --no-print-directory MACHINE=$$machine test-archives || exit 1; done
	@for machine in $(MACHINES); do grep ^everywhere $(DIST)/$$machine/digests > $(DIST)/$$machine/everywhere || exit 1; \
	  diff $(DIST)/$(firstword $(MACHINES))/everywhere $(DIST)/$$machine/everywhere || exit 1; done
	@echo "test-dist: results that are promised everywhere have the same bits on: $(MACHINES)"
	@$(MAKE) --no-print-directory test-reproducible

test-archives:
	@scripts/require pkg-config cmake lintian $(if $(DIST_BINUTILS),qemu-$(MACHINE) $(DIST_BINUTILS)gcc $(DIST_BINUTILS)g++,cc c++)
	@packaging/test-dist $(MACHINE) $(DIST_TARBALL) $(PLACE)/debian $(PLACE)/wheel $(DIST_GLIBC) $(PLACE)

# The archives again, in a copy of the sources elsewhere, with a target folder of its own: the same bytes. As long as `make dist` once more.
test-reproducible:
	@packaging/test-reproducible $(DIST) "$(MACHINES)"
