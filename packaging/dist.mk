# Archives to hand out: a tarball, packages of Debian, and a wheel of Python. Part of ../Makefile.
#
# They are built for an old glibc, so that one of them serves all distributions that are in use: by zig, which has the symbols of every
# version. All that is needed is put into target/.

DIST_GLIBC ?= 2.17
DIST := $(abspath $(TARGET))/dist
ZIG := $(DIST)/zig
MACHINE := $(shell uname -m)
DIST_TRIPLE := $(MACHINE)-unknown-linux-gnu
DIST_LIB := $(DIST)/cargo/$(DIST_TRIPLE)/release/libldy.a
DIST_NAME := ldy-$(VERSION)-$(MACHINE)-linux-gnu$(DIST_GLIBC)
DIST_TARBALL := $(DIST)/$(DIST_NAME).tar.xz
DIST_LICENCES := $(DIST)/LICENSES-OTHERS.txt
MULTIARCH := $(MACHINE)-linux-gnu

# `make`, first of the library for the old glibc, then of other targets with it.
dist_make = PATH="$(ZIG)/bin:$$PATH" $(MAKE) --no-print-directory CARGO_TARGET_DIR=$(DIST)/cargo LDY_LIB=$(DIST_LIB) \
  CARGO_BUILD="cargo-zigbuild zigbuild --target $(DIST_TRIPLE).$(DIST_GLIBC)" \
  CC="$(ZIG)/bin/python -m ziglang cc -target $(MACHINE)-linux-gnu.$(DIST_GLIBC)" LDFLAGS=-s library

.PHONY: dist tarball deb wheel test-dist

dist: tarball deb wheel

$(ZIG)/installed: packaging/requirements-dist.txt
	@scripts/require python3 python3-venv
	@python3 -m venv $(ZIG)
	@$(ZIG)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $< || { \
	  echo "dist: ziglang and cargo-zigbuild, which build for old versions of glibc, cannot be installed from PyPI" >&2; exit 1; }
	@touch $@

# What the licences of the crates in the archive and of zig's unwinder demand; that of Rust's standard library comes with the compiler.
RUST_LICENCES = $(shell rustc --print sysroot)/share/doc/rust/COPYRIGHT-library.html

$(DIST_LICENCES): $(ZIG)/installed Cargo.lock packaging/licences packaging/about.toml packaging/about.hbs
	@packaging/licences $(ZIG) > $@.new && mv $@.new $@

tarball: $(ZIG)/installed $(DIST_LICENCES)
	@scripts/require tar xz readelf objcopy $(CARGO)
	@rm -rf $(DIST)/tarball
	@$(dist_make) --silent install DESTDIR=$(DIST)/tarball PREFIX=/$(DIST_NAME)
	@$(INSTALL) -d $(DIST)/tarball/$(DIST_NAME)/share/doc/ldy
	@$(put) packaging/README.tarball.md $(DIST)/tarball/$(DIST_NAME)/share/doc/ldy/README.md
	@cp -r docs examples $(DIST)/tarball/$(DIST_NAME)/share/doc/ldy && rm -r $(DIST)/tarball/$(DIST_NAME)/share/doc/ldy/docs/site
	@$(put) CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE-MIT LICENSE-APACHE $(DIST_LICENCES) $(DIST)/tarball/$(DIST_NAME)/share/doc/ldy
	@$(put) $(RUST_LICENCES) $(DIST)/tarball/$(DIST_NAME)/share/doc/ldy/LICENSES-RUST.html
	@tar --directory $(DIST)/tarball --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(SOURCE_DATE)" \
	  --create --xz --file $(DIST_TARBALL) $(DIST_NAME)
	@ls -l $(DIST_TARBALL)

# When the sources were made, so that the same sources give the same archives.
SOURCE_DATE = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || echo 0))

deb: $(ZIG)/installed $(DIST_LICENCES)
	@scripts/require dpkg-deb readelf objcopy $(CARGO)
	@rm -rf $(DIST)/debian
	@$(dist_make) --silent install DESTDIR=$(DIST)/debian/all PREFIX=/usr LIBDIR=/usr/lib/$(MULTIARCH)
	@SOURCE_DATE_EPOCH=$(SOURCE_DATE) packaging/debian/build $(DIST)/debian $(VERSION) $(MULTIARCH) $(DIST_LICENCES) $(RUST_LICENCES)

# `make python` makes one for the glibc that is here.
wheel: $(ZIG)/installed $(PYTHON_BUILD)/installed
	@scripts/require $(CARGO)
	@rm -rf $(DIST)/wheel
	@cd python && PATH="$(ZIG)/bin:$$PATH" CARGO_TARGET_DIR=$(DIST)/cargo $(PYTHON_BUILD)/bin/maturin build --release --locked --quiet \
	  --zig --target $(DIST_TRIPLE) --compatibility manylinux_$(subst .,_,$(DIST_GLIBC)) \
	  --interpreter $(PYTHON_BUILD)/bin/python --out $(DIST)/wheel
	@ls -l $(DIST)/wheel/*.whl

# They are installed into empty roots and used by programs; takes seconds once they are there.
test-dist: dist
	@scripts/require cc pkg-config cmake lintian
	@packaging/test-dist $(DIST_TARBALL) $(DIST)/debian $(DIST)/wheel $(DIST_GLIBC)
