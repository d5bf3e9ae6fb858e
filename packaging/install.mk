# The shared library, installation, and the size of a linked program. Part of ../Makefile.
#
# Variables: PREFIX, LIBDIR, INCLUDEDIR (where things will be used), DESTDIR (put in front while they are copied).

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DESTDIR ?=
INSTALL ?= install
# In front of the names of binutils for another processor.
BINUTILS ?=
# For the shared library that is installed. STRIP=true leaves it as it is.
STRIP ?= $(BINUTILS)strip

PKGCONFIGDIR = $(LIBDIR)/pkgconfig
CMAKEDIR = $(LIBDIR)/cmake/ldy

VERSION := $(shell sed -n '/^version = /{s/[^"]*"\(.*\)"/\1/p;q}' Cargo.toml)
# The part of the version that stays while compiled programs go on working: before 1.0 a minor release may change everything, from then on
# only a major one.
MAJOR := $(firstword $(subst ., ,$(VERSION)))
SO_VERSION := $(if $(filter 0,$(MAJOR)),0.$(word 2,$(subst ., ,$(VERSION))),$(MAJOR))

# Where the project lives, if Cargo.toml says so.
HOME_PAGE := $(shell sed -n 's/^repository = "\(.*\)"$$/\1/p' Cargo.toml)

# What rustc says that the archive needs of the system (--print native-static-libs), and the part of it that a C
# compiler does not bring by itself: it chooses the unwinder that goes with the kind of program.
NATIVE_LIBS := $(shell cat packaging/native-libs)
PRIVATE_LIBS := $(filter-out -lgcc_s,$(NATIVE_LIBS))
empty :=
CMAKE_LIBS := $(subst $(empty) $(empty),;,$(PRIVATE_LIBS:-l%=%))

# In a directory of its own: beside libldy.a it would be found by every -L that meant the archive.
SHARED_DIR := $(abspath $(TARGET))/shared
SHARED := $(SHARED_DIR)/libldy.so.$(VERSION)

HEADERS := ldy.h ldy_host.h ldy_system.h ldy_bridge.h ldy.hpp ldy_bridge.hpp
# Only the library for MPI has the functions of these.
MPI_HEADERS := ldy_parallel.h ldy_parallel.hpp

.PHONY: shared install install-mpi uninstall size

# The files are compared here, and not by cargo, so that installing what is built needs no cargo: root may have none.
$(LDY_LIB): Cargo.toml Cargo.lock build.rs $(shell find src codegen include -type f)
	@$(MAKE) --no-print-directory library
	@touch $@

$(SHARED): $(LDY_LIB) packaging/libldy.map packaging/native-libs packaging/install.mk
	@scripts/require cc
	@mkdir -p $(@D)
	$(CC) -shared -o $@ -Wl,-soname,libldy.so.$(SO_VERSION) -Wl,--version-script=packaging/libldy.map \
	  -Wl,-z,defs -Wl,-z,relro -Wl,-z,now -Wl,--gc-sections $(LDFLAGS) \
	  -Wl,--whole-archive $(LDY_LIB) -Wl,--no-whole-archive -Wl,--as-needed $(NATIVE_LIBS)

# The library with the links by which the loader and the linker find it, in a given directory.
links = ln -sf libldy.so.$(VERSION) "$(1)/libldy.so.$(SO_VERSION)" && ln -sf libldy.so.$(SO_VERSION) "$(1)/libldy.so"

shared: $(SHARED)
	@$(call links,$(SHARED_DIR))

relative = $(shell realpath -ms --relative-to="$(1)" "$(2)")

# The templates name their own place relative to everything else, so that an installed tree can be moved.
fill = sed -e 's|@VERSION@|$(VERSION)|g' -e 's|@REPOSITORY@|$(HOME_PAGE)|g' -e '/^URL: $$/d' -e 's|@SO_VERSION@|$(SO_VERSION)|g' \
  -e 's|@NATIVE_LIBS@|$(NATIVE_LIBS)|g' -e 's|@PRIVATE_LIBS@|$(PRIVATE_LIBS)|g' -e 's|@CMAKE_LIBS@|$(CMAKE_LIBS)|g' \
  -e 's|@PREFIX_FROM_PKGCONFIGDIR@|$(call relative,$(PKGCONFIGDIR),$(PREFIX))|g' \
  -e 's|@PREFIX_FROM_CMAKEDIR@|$(call relative,$(CMAKEDIR),$(PREFIX))|g' \
  -e 's|@LIBDIR_FROM_PREFIX@|$(call relative,$(PREFIX),$(LIBDIR))|g' \
  -e 's|@INCLUDEDIR_FROM_PREFIX@|$(call relative,$(PREFIX),$(INCLUDEDIR))|g'

put = $(INSTALL) -m 644

# Writes a template of this directory, filled in, to another.
put_filled = @echo "packaging/$(1).in -> $(2)/$(1)"; \
  $(fill) "packaging/$(1).in" > "$(2)/$(1)" && chmod 644 "$(2)/$(1)"

install: $(SHARED)
	$(INSTALL) -d "$(DESTDIR)$(INCLUDEDIR)" "$(DESTDIR)$(PKGCONFIGDIR)" "$(DESTDIR)$(CMAKEDIR)"
	$(put) $(HEADERS:%=include/%) "$(DESTDIR)$(INCLUDEDIR)"
	$(put) $(LDY_LIB) "$(DESTDIR)$(LIBDIR)"
	$(put) --strip --strip-program=$(STRIP) $(SHARED) "$(DESTDIR)$(LIBDIR)"
	$(call links,$(DESTDIR)$(LIBDIR))
	$(call put_filled,ldy.pc,$(DESTDIR)$(PKGCONFIGDIR))
	$(call put_filled,ldyConfig.cmake,$(DESTDIR)$(CMAKEDIR))
	$(call put_filled,ldyConfigVersion.cmake,$(DESTDIR)$(CMAKEDIR))

# The static library for one MPI, which `make mpi` has built, beside the serial ones or alone.
install-mpi:
	@test -e $(MPI_LIB) || { echo "install-mpi: there is no $(MPI_LIB); first: make mpi MPICC=mpicc" >&2; exit 2; }
	$(INSTALL) -d "$(DESTDIR)$(INCLUDEDIR)" "$(DESTDIR)$(PKGCONFIGDIR)"
	$(put) $(HEADERS:%=include/%) $(MPI_HEADERS:%=include/%) "$(DESTDIR)$(INCLUDEDIR)"
	$(put) $(MPI_LIB) "$(DESTDIR)$(LIBDIR)/libldy-mpi.a"
	$(call put_filled,ldy-mpi.pc,$(DESTDIR)$(PKGCONFIGDIR))

# Directories that others use too stay; those for packages alone go when they are empty.
uninstall:
	rm -f $(foreach header,$(HEADERS) $(MPI_HEADERS),"$(DESTDIR)$(INCLUDEDIR)/$(header)")
	rm -f "$(DESTDIR)$(LIBDIR)/libldy.a" "$(DESTDIR)$(LIBDIR)/libldy-mpi.a" "$(DESTDIR)$(LIBDIR)/libldy.so" \
	  "$(DESTDIR)$(LIBDIR)/libldy.so.$(SO_VERSION)" "$(DESTDIR)$(LIBDIR)/libldy.so.$(VERSION)"
	rm -f "$(DESTDIR)$(PKGCONFIGDIR)/ldy.pc" "$(DESTDIR)$(PKGCONFIGDIR)/ldy-mpi.pc"
	rm -f "$(DESTDIR)$(CMAKEDIR)/ldyConfig.cmake" "$(DESTDIR)$(CMAKEDIR)/ldyConfigVersion.cmake"
	@for directory in "$(CMAKEDIR)" "$(LIBDIR)/cmake" "$(PKGCONFIGDIR)"; do \
	  test ! -d "$(DESTDIR)$$directory" || rmdir --ignore-fail-on-non-empty "$(DESTDIR)$$directory"; done

# What the smallest program of examples/ takes on disk, symbols stripped, with either library.
size: $(SHARED)
	@$(call links,$(SHARED_DIR))
	@directory=$$(mktemp -d) && trap 'rm -rf "$$directory"' EXIT && cd "$$directory" && \
	link="$(CC) -O2 -s -Wl,--gc-sections -I$(CURDIR)/include $(CURDIR)/examples/minimal.c" && \
	$$link $(LDY_LIB) $(NATIVE_LIBS) -o with_archive && \
	$$link -L$(SHARED_DIR) -lldy -o with_shared && \
	strip -o libldy.so $(SHARED) && \
	wc -c with_archive with_shared libldy.so | sed '/total/d'
