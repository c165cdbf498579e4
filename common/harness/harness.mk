# harness.mk - lab, run and harness, a library each, and one program a lab. Included by the top
# Makefile.
HAR := common/harness
HAR_ROOMS := common/lab common/run $(HAR)
HAR_TESTS := $(wildcard common/base/*_test.c $(HAR_ROOMS:%=%/*_test.c))
objects = $(patsubst %.c,$B/%.o,$(filter-out %_test.c %_main.c %/main.c %/testlab.c,$(wildcard $1/*.c)))
# In the order in which one needs the other: run calls CUDA, lab does not.
HAR_LIBS := $B/libharness.a $B/librun.a $B/liblab.a $B/libbase.a
LABS := $(patsubst labs/%/harness.c,%,$(wildcard labs/*/harness.c))
LAB_BINS := $(LABS:%=$B/bin/%)
LAB_OBJ := $(LABS:%=$B/labs/%/harness.o)
.SECONDARY:

$B/liblab.a: $(call objects,common/lab)
$B/librun.a: $(call objects,common/run)
$B/libharness.a: $(call objects,$(HAR))
$B/liblab.a $B/librun.a $B/libharness.a:
	$(Q)rm -f $@ && ar rcs $@ $^
$(LABS:%=$B/gen/lab_%.c) $B/gen/lab_testlab.c: $B/gen/lab_%.c: Makefile
	@mkdir -p $(@D)
	@printf '#include "lab/lab.h"\nextern const struct lab lab_$*;\nconst struct lab *const all_labs[] = {&lab_$*};\nconst int all_labs_count = 1;\n' >$@
$B/gen/labs.c: $(LABS:%=labs/%/harness.c) Makefile
	@mkdir -p $(@D)
	@{ echo '#include "lab/lab.h"'; printf 'extern const struct lab lab_%s;\n' $(LABS); \
	   echo 'const struct lab *const all_labs[] = {'; printf '    &lab_%s,\n' $(LABS); \
	   echo '};'; echo 'const int all_labs_count = $(words $(LABS));'; } >$@
$B/gen/%.o: $B/gen/%.c
	$(Q)$(CC) $(CFLAGS) -c $< -o $@
$(LAB_BINS): $B/bin/%: $B/labs/%/harness.o $B/gen/lab_%.o $B/$(HAR)/main.o $(HAR_LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(CUDA_LIBS)
$B/bin/labcc: $B/$(HAR)/labcc_main.o $(HAR_LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(CUDA_LIBS)
$B/bin/emubench: $B/$(HAR)/bench_main.o $(HAR_LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(CUDA_LIBS)
# KERNEL=copy, ROUNDS=5; BUILDS='/old/build build': two of them by turns
BENCH_WORDS = $(if $(KERNEL),--kernel $(KERNEL)) $(if $(ROUNDS),--rounds $(ROUNDS))
bench-emulator: $B/bin/emubench $B/lib/libcudart.so.13
	$(Q)$(if $(BUILDS),$(HAR)/bench_compare.py $(BUILDS),$(ON_emulator) $B/bin/emubench) $(BENCH_WORDS)
# The last rungs beside the toolkit's own code. LAB=matmul: that lab's, KERNEL=mm_bf16: that one; RECORD_AS=h200: kept.
PEERS_TO = $(if $(filter command% environment%,$(origin RECORD_AS)),plots/records/$(RECORD_AS)/peers.txt,$B/peers.csv)
NVCC = $(firstword $(wildcard $(CUDA)/bin/nvcc) $(shell command -v nvcc))
bench-peers: $(if $(filter gpu,$(BACKEND)),$(if $(NVCC),$B/bin/benchpeers))
	$(Q)$(if $(filter gpu,$(BACKEND)),,echo 'make bench-peers: it compares kernels with the libraries of a GPU, and here is none' >&2; exit 1)
	$(Q)$(if $(NVCC),,echo 'make bench-peers: CUB is compiled by nvcc, which is not in $(CUDA)/bin and not in PATH' >&2; exit 1)
	$(Q)$(ON_gpu) $B/bin/benchpeers --csv=$(PEERS_TO) $(if $(LAB),--lab=$(LAB)) $(if $(KERNEL),--kernel=$(KERNEL)) $(if $(CASE),--case='$(CASE)')
$B/$(HAR)/peers.o: $(HAR)/peers.cu $(HAR)/peers.h
	@mkdir -p $(@D)
	$(Q)$(NVCC) -O2 -std=c++17 -arch=native -Xcompiler -fPIC,-Wall,-Wextra -Icommon -c $< -o $@
$B/bin/benchpeers: $B/$(HAR)/peers_main.o $B/$(HAR)/peers.o $B/gen/labs.o $(LAB_OBJ) $(HAR_LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ -lcublas -lcublasLt $(CUDA_LIBS) -lstdc++
$B/$(HAR)/records.o $B/$(HAR)/peers_main.o: $B/gen/version.h
$B/gen/version.h: FORCE
	@mkdir -p $(@D)
	@v=$$(git describe --always --dirty 2>/dev/null); echo "#define WARPLAB_VERSION \"$$v\"" >$@.$$$$; \
	 cmp -s $@.$$$$ $@ && rm $@.$$$$ || mv $@.$$$$ $@
