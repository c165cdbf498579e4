# The emulator on arm64: cross-built, and run under qemu. Not part of `make test`; on an arm64
# machine `make test` itself is the test.
ARM64_B := build/arm64
ARM64_MAKE = +$(Q)$(MAKE) --no-print-directory B=$(ARM64_B) ARCH=aarch64 CC=aarch64-linux-gnu-gcc \
    CUDA_LIBS='$(ARM64_B)/lib/libcudart.so.13 -lm'
# qemu writes down every page that a program reserves: without a limit, gigabytes of them
QEMU_ARM64 = ulimit -v 64000000 && qemu-aarch64-static -E LD_LIBRARY_PATH=$(ARM64_B)/lib
# left out: what builds its own programs with nvcc, for this machine, and what starts warprun
ARM64_TESTS := $(filter-out %/check/programs_test.c %/tools/warprun_test.c,$(EMU_TESTS))
ARM64_PROGRAMS := copies $(if $(wildcard $(CUDA)/bin/nvcc),vector_add variables language errors groups)
ARM64_NVCC = $(CUDA)/bin/nvcc -std=c++17 -arch=sm_90 -ccbin aarch64-linux-gnu-g++ \
    -I$(CUDA)/include -I$(CUDA)/include/cccl -cudart none -cudadevrt none

test-arm64: build/deps-arm64.ok
	$(ARM64_MAKE) emulator
	$(ARM64_MAKE) $(ARM64_B)/test/units $(ARM64_B)/bin/ptxcases $(ARM64_PROGRAMS:%=$(ARM64_B)/run/%)
	$(Q)for page in 4096 65536; do echo "unit tests, pages of $$page bytes"; \
	    ($(QEMU_ARM64) -p $$page $(ARM64_B)/test/units) || exit 1; done
	$(Q)for p in $(ARM64_PROGRAMS); do echo "program $$p"; \
	    ($(QEMU_ARM64) $(ARM64_B)/run/$$p 2>$(ARM64_B)/run/$$p.err | grep '^ok') || exit 1; done
	$(Q)echo 'instruction cases'; \
	    $(QEMU_ARM64) $(ARM64_B)/bin/ptxcases $(CASES)/ops.txt --check $(CASES)/ops.h200

$(ARM64_B)/units/%.o: CFLAGS := -Icommon/testing $(CFLAGS) -Wno-type-limits
$(ARM64_B)/units/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -c $< -o $@
$(ARM64_B)/test/units: $(ARM64_TESTS:%.c=$(ARM64_B)/units/%.o) $(ARM64_B)/units/common/testing/tests_main.o $(EMU_OBJ) $(FFT_OBJ) $(NCCL_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) $^ -o $@ $(EMU_LIBS)
$(ARM64_B)/run/%: $(PROGRAMS_DIR)/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) -I$(CUDA)/include $< -o $@ $(CUDA_LIBS)
$(ARM64_B)/run/%: $(PROGRAMS_DIR)/%.cu
	@mkdir -p $(@D)
	$(Q)$(ARM64_NVCC) $< -o $@ -Xlinker $(ARM64_B)/lib/libcudart.so.13
.PHONY: test-arm64
