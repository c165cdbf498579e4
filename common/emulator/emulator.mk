# emulator.mk - the library and warprun. Included by the top Makefile.
# exec/ops is built once per x86-64 level, the rest once. Levels are the same text: with
# sanitizers one is built, for any machine.
ARCH := $(shell uname -m)
LEVELS := $(if $(filter x86_64-,$(ARCH)-$(SAN)),v2 v3 v4,base)
# v2 is for machines of before 2013: what -O3 adds is not worth building it for.
LEVEL_v2 := -O2 -march=x86-64-v2
LEVEL_v3 := -O3 -march=x86-64-v3
LEVEL_v4 := -O3 -march=x86-64-v4 -mprefer-vector-width=512
LEVEL_base = $(if $(SAN),$(if $(filter $(SAN_LONG),$(basename $(basename $(@F)))),-O1,-O0),-O3)
# With sanitizers these run for long; the others take longer to optimise than they run.
SAN_LONG := alu float mem
EMU := common/emulator
EMU_ROOMS := $(addprefix $(EMU)/,base ptx code exec count check runtime)
EMU_EXEC := $(wildcard $(EMU)/exec/ops/*.c)
EMU_SRC := $(filter-out %_test.c %_main.c %_fuzz.c,$(wildcard $(EMU_ROOMS:%=%/*.c)))
EMU_TESTS := $(wildcard $(EMU)/*/*_test.c)
EMU_BASE := $(addprefix $B/common/base/,alloc.o csv.o elf.o file.o text.o)
EMU_OBJ := $(EMU_SRC:%.c=$B/%.o) $(EMU_BASE) $(foreach l,$(LEVELS),$(EMU_EXEC:%.c=$B/%.$l.o))
EMU_LIBS := -lzstd -llz4 -ljansson -lm -ldl -pthread

define level_rule
$B/$(EMU)/%.$1.o: $(EMU)/%.c
	$$(call STEP,compiling,$$<)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) -fno-math-errno -fno-trapping-math -ffp-contract=off $$(LEVEL_$1) -DLEVEL=$1 -c $$< -o $$@
endef
$(foreach l,$(LEVELS),$(eval $(call level_rule,$l)))

ifeq ($(SAN),1)
$(filter-out $B/$(EMU)/runtime/%,$(EMU_SRC:%.c=$B/%.o)): CFLAGS += -O1
endif
$B/$(EMU)/exec/levels.o: CFLAGS += $(if $(filter base,$(LEVELS)),-DONE_LEVEL)
$B/$(EMU)/base/profile.o: $(wildcard $(EMU)/profiles/*.conf)
# Drop-ins of CUDA's libraries, each on the runtime: with it or not at all.
FFT_SRC := $(filter-out %_test.c,$(wildcard $(EMU)/fft/*.c))
FFT_OBJ := $(FFT_SRC:%.c=$B/%.o)
NCCL_SRC := $(filter-out %_test.c,$(wildcard $(EMU)/nccl/*.c))
NCCL_OBJ := $(NCCL_SRC:%.c=$B/%.o)
LIBRARIES := $B/lib/libcufft.so.12 $B/lib/libnccl.so.2
emulator: $B/lib/libcudart.so.13 $(LIBRARIES) $(if $(wildcard $(EMU)/tools/warprun_main.c),$B/bin/warprun)
$B/lib/libcudart.so.13: $(EMU_OBJ) $(EMU)/runtime/libcudart.map
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script=$(EMU)/runtime/libcudart.map $(LDFLAGS) $(EMU_OBJ) -o $@ $(EMU_LIBS)
# clang's sanitizers leave their own names to the program
comma := ,
NO_UNDEFINED := $(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs)
$B/lib/libcufft.so.12: $(FFT_OBJ) $B/common/base/alloc.o $(EMU)/fft/libcufft.map $B/lib/libcudart.so.13
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,libcufft.so.12 -Wl,--version-script=$(EMU)/fft/libcufft.map $(NO_UNDEFINED) $(LDFLAGS) \
	    $(FFT_OBJ) $B/common/base/alloc.o -o $@ $B/lib/libcudart.so.13 -lm -pthread
$B/lib/libnccl.so.2: $(NCCL_OBJ) $B/common/base/alloc.o $B/common/base/text.o $(EMU)/nccl/libnccl.map $B/lib/libcudart.so.13
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,libnccl.so.2 -Wl,--version-script=$(EMU)/nccl/libnccl.map $(NO_UNDEFINED) $(LDFLAGS) \
	    $(NCCL_OBJ) $B/common/base/alloc.o $B/common/base/text.o -o $@ $B/lib/libcudart.so.13 -lm -pthread
$B/bin/warprun: $B/$(EMU)/tools/warprun_main.o $(EMU_BASE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@
