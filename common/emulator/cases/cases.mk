# Instruction cases: the same kernels on the emulator and on a GPU (cases_main.c).
CASES := common/emulator/cases
$B/bin/ptxcases: $B/common/emulator/cases_main.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ -lzstd $(CUDA_LIBS)
test-cases: $B/bin/ptxcases $B/lib/libcudart.so.13
	$(Q)for level in v2 v3 v4; do \
	    WARPLAB_LEVEL=$$level $(ON_emulator) $B/bin/ptxcases $(CASES)/ops.txt --check $(CASES)/ops.h200 || exit 1; done
# on a GPU: what the emulator is held to
cases-record: $B/bin/ptxcases
	$(Q)$(ON_gpu) $B/bin/ptxcases $(CASES)/ops.txt --write $(CASES)/ops.h200
SUITES += cases
.PHONY: test-cases cases-record
