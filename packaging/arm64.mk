# The library and the C tests for aarch64, by the cross compiler of Debian and under emulation. Part of ../Makefile.

ARM := aarch64-linux-gnu
ARM_TRIPLE := aarch64-unknown-linux-gnu
ARM_LIB := $(abspath $(TARGET))/$(ARM_TRIPLE)/release/libldy.a
ARM_PLACE := $(abspath $(TARGET))/c_tests/aarch64

# GCC fuses products and sums on aarch64 unless it is told not to. The libraries of other projects are not there: pkg-config finds none.
arm_tests = PKG_CONFIG_LIBDIR=$(ARM_PLACE) $(MAKE) --no-print-directory --silent -f c_tests/Makefile CC=$(ARM)-gcc \
  CFLAGS=-ffp-contract=off EMULATOR="qemu-aarch64 -L /usr/$(ARM)" LDY_LIB=$(ARM_LIB) BUILD=$(ARM_PLACE)

# Options of cargo.
ARM_OPTIONS ?=

.PHONY: arm64 arm64-library arm64-digests

arm64: arm64-digests
	@$(arm_tests) emulated

arm64-library:
	@scripts/require $(ARM)-gcc $(ARM)-objcopy qemu-aarch64 $(CARGO)
	@$(call need_target,$(ARM_TRIPLE))
	@$(CARGO_BUILD) $(LIBRARY) --target $(ARM_TRIPLE) $(ARM_OPTIONS)
	@export BINUTILS=$(ARM)-; $(call slim_once,$(ARM_LIB))

# They are the same on both processors.
arm64-digests: library arm64-library
	@mkdir -p $(ARM_PLACE)
	@$(arm_tests) digests | grep ^everywhere > $(ARM_PLACE)/digests
	@$(C_TESTS) --quiet digests | grep ^everywhere | diff - $(ARM_PLACE)/digests
	@echo "arm64: $$(wc -l < $(ARM_PLACE)/digests) results have the same bits on aarch64 and $$(uname -m)"
