# Instruction cases: the same kernels on the emulator and on a GPU (cases_main.c).
CASES := common/emulator/cases
$B/bin/ptxcases: $B/$(CASES)/cases_main.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ -lzstd $(CUDA_LIBS)
test-cases: $B/bin/ptxcases $B/lib/libcudart.so.13
	$(Q)$(ON_emulator) $B/bin/ptxcases $(CASES)/ops.txt --covers $(CASES)/opcodes.txt
	$(Q)$(CASES)/every_type.py $B/bin/ptxcases
	$(Q)for level in $(LEVELS); do \
	    WARPLAB_LEVEL=$$level $(ON_emulator) $B/bin/ptxcases $(CASES)/ops.txt --check $(CASES)/ops.h200 || exit 1; done
# on a GPU: what the emulator is held to
cases-record: $B/bin/ptxcases
	$(Q)$(ON_gpu) $B/bin/ptxcases $(CASES)/ops.txt --write $(CASES)/ops.h200
# Random programs: the same, whole kernels from seeds
RANDOM_SEEDS ?= 0-5000
$B/bin/ptxrandom: $B/$(CASES)/random_main.o $B/$(CASES)/random_gen.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(CUDA_LIBS)
test-random: $B/bin/ptxrandom $B/lib/libcudart.so.13
	$(Q)if [ -e $(CASES)/random.h200 ]; then $(ON_emulator) $B/bin/ptxrandom --check $(CASES)/random.h200; \
	 else echo 'skipped: $(CASES)/random.h200 does not exist; make random-record on a GPU writes it'; fi
random-record: $B/bin/ptxrandom
	$(Q)$(ON_gpu) $B/bin/ptxrandom --seeds $(RANDOM_SEEDS) --write $(CASES)/random.h200
# Tiles: wgmma, and copies of them
$B/bin/ptxhopper: $(patsubst %.c,$B/%.o,$(wildcard $(CASES)/hopper_*.c))
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(CUDA_LIBS)
test-hopper: $B/bin/ptxhopper $B/bin/ptxcounts $B/bin/warprun $B/lib/libcudart.so.13
	$(Q)$(ON_emulator) $B/bin/ptxhopper --check $(CASES)/hopper.h200
	$(Q)$(PY) plots/fidelity.py --small-check $B
hopper-record: $B/bin/ptxhopper
	$(Q)$(ON_gpu) $B/bin/ptxhopper --write $(CASES)/hopper.h200
# Small kernels for counters (make fidelity, make fidelity-small)
$B/bin/ptxcounts: $B/$(CASES)/counts_main.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(CUDA_LIBS)
# Arrays, textures and surfaces
$B/bin/ptxtexture: $(patsubst %.c,$B/%.o,$(wildcard $(CASES)/texture_*.c) $(CASES)/hopper_main.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(CUDA_LIBS) -lm
test-texture: $B/bin/ptxtexture $B/lib/libcudart.so.13
	$(Q)$(ON_emulator) $B/bin/ptxtexture --check $(CASES)/texture.h200
texture-record: $B/bin/ptxtexture
	$(Q)$(ON_gpu) $B/bin/ptxtexture --write $(CASES)/texture.h200
# the same on a GPU: does it still say what it said? (another generation may differ where a
# row has a bound, and random programs are compared as ptxas -O0 makes them)
test-gpu-cases: $B/bin/ptxcases $B/bin/ptxrandom $B/bin/ptxhopper $B/bin/ptxtexture
	$(Q)$(ON_gpu) $B/bin/ptxcases $(CASES)/ops.txt --check $(CASES)/ops.h200
	$(Q)$(ON_gpu) $B/bin/ptxrandom --check $(CASES)/random.h200
	$(Q)$(ON_gpu) $B/bin/ptxhopper --check $(CASES)/hopper.h200
	$(Q)$(ON_gpu) $B/bin/ptxtexture --check $(CASES)/texture.h200
test-gpu: $(if $(GPU),test-gpu-cases)
SUITES += cases hopper texture $(if $(wildcard $(CASES)/random.h200),random)
.PHONY: test-gpu-cases test-cases cases-record test-hopper hopper-record test-texture texture-record test-random random-record
