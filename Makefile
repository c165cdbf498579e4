# Warplab: build, test, run, grade, plots, slides. `make help` lists the targets.
B := build
CUDA ?= $(firstword $(wildcard /usr/local/cuda) $(wildcard .venv/cuda))
CC := gcc
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
CFLAGS := -std=gnu11 -O2 -g -fPIC -pthread -Wall -Wextra -Werror -MMD -MP -D_GNU_SOURCE \
          -Icommon/emulator -Icommon/harness -isystem $(CUDA)/include
ifeq ($(SAN),1)
B := build/san
CFLAGS += -fsanitize=address,undefined -fno-omit-frame-pointer
LDFLAGS += -fsanitize=address,undefined
endif

.DEFAULT_GOAL := all
.PHONY: all emulator test-emulator clean

# ---- emulator: exec*.c is built once per x86-64 level, the rest once ----
ARCH := $(shell uname -m)
LEVELS := $(if $(filter x86_64,$(ARCH)),v2 v3 v4,base)
LEVEL_v2 := -march=x86-64-v2
LEVEL_v3 := -march=x86-64-v3
LEVEL_v4 := -march=x86-64-v4 -mprefer-vector-width=512
EMU := common/emulator
EMU_EXEC := $(wildcard $(EMU)/exec*.c)
EMU_SRC := $(filter-out $(EMU_EXEC) %_test.c %_main.c %_fuzz.c,$(wildcard $(EMU)/*.c))
EMU_OBJ := $(EMU_SRC:%.c=$B/%.o) $(foreach l,$(LEVELS),$(EMU_EXEC:%.c=$B/%.$l.o))
EMU_LIBS := -lzstd -llz4 -lm -ldl -pthread

define level_rule
$B/$(EMU)/%.$1.o: $(EMU)/%.c
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) -O3 -fno-math-errno -ffp-contract=off -frounding-math $$(LEVEL_$1) -DLEVEL=$1 -c $$< -o $$@
endef
$(foreach l,$(LEVELS),$(eval $(call level_rule,$l)))
$B/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -c $< -o $@

emulator: $B/lib/libcudart.so.13
$B/lib/libcudart.so.13: $(EMU_OBJ) $(EMU)/libcudart.map
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script=$(EMU)/libcudart.map $(LDFLAGS) $(EMU_OBJ) -o $@ $(EMU_LIBS)

EMU_TESTS := $(wildcard $(EMU)/*_test.c)
$B/test/emulator: $(EMU_TESTS:%.c=$B/%.o) $(EMU_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ -lcriterion $(EMU_LIBS)
test-emulator: $B/test/emulator
	$(Q)$B/test/emulator

clean:
	rm -rf build
-include $(shell find build -name '*.d' 2>/dev/null)
