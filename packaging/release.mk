# Checks before a release. Part of ../Makefile.

ABI := $(abspath $(TARGET))/abi
ABI_BASELINE := packaging/libldy.abi

.PHONY: abi abi-accept release-check

# Functions, types and layouts of the headers compared with those of the baseline. What is new is a difference, too: a release promises it.
abi:
	@scripts/require cc python3 abidiff
	@mkdir -p $(ABI)
	@packaging/abi-stub libldy.so.$(SO_VERSION) $(ABI)/libldy.so
	@abidiff --no-show-locs $(ABI_BASELINE) $(ABI)/libldy.so || { \
	  echo "abi: this is not what $(ABI_BASELINE) records; where docs/upgrading/abi.md allows it: make abi-accept, and a file in changelog.d" >&2; \
	  exit 1; }

# The baseline written again, which a commit shows.
abi-accept:
	@scripts/require cc python3 abidw
	@mkdir -p $(ABI)
	@packaging/abi-stub libldy.so.$(SO_VERSION) $(ABI)/libldy.so
	@abidw --no-corpus-path --no-comp-dir-path --no-show-locs --type-id-style hash --out-file $(ABI_BASELINE) $(ABI)/libldy.so

# Kinds and names of the public items in Rust, of rustdoc's list, compared with the recorded ones. Signatures are not: cargo-semver-checks
# and cargo-public-api read rustdoc's JSON, which the stable compiler writes only with RUSTC_BOOTSTRAP=1.
ITEMS := packaging/ldy.items
items = grep -o 'href="[^"]*/[a-z]*[.][^"/]*[.]html"' $(abspath $(TARGET))/doc/ldy/all.html | sed 's/^href="//; s/[.]html"$$//' | LC_ALL=C sort

.PHONY: items items-accept
items: rustdoc
	@$(items) | diff $(ITEMS) - || { \
	  echo "items: these are not the items that $(ITEMS) records; where they should change: make items-accept, and a file in changelog.d" >&2; exit 1; }

items-accept: rustdoc
	@$(items) > $(ITEMS)

# The section of this version in CHANGELOG.md, of the files in changelog.d, which are removed. CHANGELOG_OPTIONS=--draft prints it.
CHANGELOG_TOOL := $(abspath $(TARGET))/changelog
CHANGELOG_OPTIONS ?= --yes

.PHONY: changelog
changelog: $(CHANGELOG_TOOL)/installed
	@$(CHANGELOG_TOOL)/bin/towncrier build --version $(VERSION) $(CHANGELOG_OPTIONS)

$(CHANGELOG_TOOL)/installed: packaging/requirements-changelog.txt
	@scripts/require python3
	@$(call environment,python3) $(CHANGELOG_TOOL)
	@$(call install,$(CHANGELOG_TOOL)) --requirement $<
	@touch $@

# In every manifest, from which packages and pages have them: make addresses REPOSITORY=https://... REPORTS=security@...
DOCUMENTATION ?= https://docs.rs/ldy

.PHONY: addresses
addresses:
	@scripts/require python3
	@test -n "$(REPOSITORY)" -a -n "$(REPORTS)" || { \
	  echo "addresses: name both: make addresses REPOSITORY=https://... REPORTS=security@..." >&2; exit 2; }
	@packaging/addresses "$(REPOSITORY)" "$(DOCUMENTATION)" "$(REPORTS)" && packaging/addresses --check

WINDOWS := x86_64-pc-windows-gnu
WINE := $(DIST)/wine

# Compiled for systems on which nobody has run it, with warnings as errors. For macOS zig leaves an empty a.o in the folder of the sources.
OTHER_SYSTEMS := aarch64-apple-darwin x86_64-apple-darwin $(WINDOWS)
for_others = PATH="$(ZIG)/bin:$$PATH" CARGO_TARGET_DIR=$(DIST)/other cargo-zigbuild $(1) --quiet --locked --package ldy --lib --target $(2)

.PHONY: other-systems musl-digests windows-tests
other-systems: musl-digests windows-tests
	@$(foreach system,$(OTHER_SYSTEMS),$(call need_target,$(system)) && RUSTFLAGS="-D warnings" $(call for_others,check,$(system)) && \
	  rm -f a.o && echo "other-systems: compiles for $(system)" &&) true

# A program that is linked with musl, and with the library without optimization, which changes no bit.
MUSL := x86_64-unknown-linux-musl
MUSL_LIB := $(DIST)/other/$(MUSL)/release/libldy.a
MUSL_PLACE := $(abspath $(TARGET))/c_tests/musl

musl-digests: library $(ZIG)/installed
	@$(call need_target,$(MUSL))
	@$(call for_others,zigbuild,$(MUSL)) --release --config profile.release.package.ldy.opt-level=0
	@$(call slim_once,$(MUSL_LIB))
	@mkdir -p $(MUSL_PLACE)
	@$(MAKE) --no-print-directory --silent -f c_tests/Makefile CC="$(ZIG)/bin/python -m ziglang cc -target x86_64-linux-musl" \
	  CFLAGS=-ffp-contract=off LDY_LIB=$(MUSL_LIB) BUILD=$(MUSL_PLACE) digests | grep ^everywhere > $(MUSL_PLACE)/digests
	@$(C_TESTS) --quiet digests | grep ^everywhere | diff - $(MUSL_PLACE)/digests
	@echo "other-systems: $$(wc -l < $(MUSL_PLACE)/digests) results have the same bits with musl"

# The unit tests as a program of Windows, under Wine.
windows-tests: $(ZIG)/installed
	@scripts/require wine
	@$(call need_target,$(WINDOWS))
	@mkdir -p $(WINE)
	@$(ZIG)/bin/python -m ziglang cc -target x86_64-windows-gnu -shared packaging/wine-random.c -ladvapi32 -o $(WINE)/bcryptprimitives.dll
	@export WINEPREFIX=$(WINE) WINEDEBUG=-all WINEPATH=Z:$(WINE) CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine; \
	  $(call for_others,test,$(WINDOWS)) --config profile.test.package.ldy.opt-level=0

# All that a release needs besides the checks of each change. The crates are packed, built from what is packed, and all but published.
release-check: abi items other-systems
	@scripts/require python3 $(CARGO)
	@packaging/addresses --check
	@$(MAKE) --no-print-directory lint
	@scripts/cargo-deny --locked check bans licenses sources
	@$(CARGO) publish --dry-run --locked --quiet --target-dir $(abspath $(TARGET))/publish --package ldy-codegen --package ldy
	@$(MAKE) --no-print-directory test-dist
