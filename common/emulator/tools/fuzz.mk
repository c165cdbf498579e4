# make fuzz: libFuzzer on what reads a program (fatbin_fuzz.c, ptx_fuzz.c) and on what runs it
# (run_fuzz.c), FUZZ_TIME seconds each. They start from testdata/fuzz and the instruction
# cases. New inputs gather in $B/fuzz; what crashes or hangs is left there too, and belongs,
# mended, into testdata/fuzz, which the tests replay.
FUZZ_TIME ?= 20
FUZZ_DATA := $(EMU)/testdata/fuzz
FUZZ := fatbin ptx run
FUZZ_MAIN_fatbin := $(EMU)/ptx/fatbin_fuzz.c
FUZZ_MAIN_ptx := $(EMU)/ptx/ptx_fuzz.c
FUZZ_MAIN_run := $(EMU)/tools/run_fuzz.c
FUZZ_SRC_fatbin := $(EMU)/ptx/fatbin.c
FUZZ_SRC_ptx := $(filter-out %_test.c %_fuzz.c,$(wildcard $(EMU)/ptx/*.c)) $(EMU)/tools/mutate_fuzz.c
FUZZ_SRC_run := $(EMU_BASE:$B/%.o=%.c) $(EMU_SRC) $(EMU_EXEC) $(EMU)/tools/mutate_fuzz.c
FUZZ_OBJ = $(patsubst %.c,$B/fuzz/%.o,$(filter-out $(EMU_EXEC),$(FUZZ_SRC_$1)) $(FUZZ_MAIN_$1)) \
    $(foreach l,$(if $(filter $(EMU_EXEC),$(FUZZ_SRC_$1)),$(LEVELS)),$(EMU_EXEC:%.c=$B/fuzz/%.$l.o))
FUZZ_CC = clang $(filter-out -Werror -fanalyzer,$(CFLAGS)) -O1 -fsanitize=fuzzer-no-link,address,undefined \
    -fno-sanitize=function -Wno-everything -DWITH_ASAN

define fuzz_rules
$B/fuzz/$1: $$(call FUZZ_OBJ,$1)
	$$(Q)clang -fsanitize=fuzzer,address,undefined $$^ -o $$@ $(EMU_LIBS)
endef
$(foreach f,$(FUZZ),$(eval $(call fuzz_rules,$f)))
$B/fuzz/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) -c $< -o $@
define fuzz_level_rule
$B/fuzz/$(EMU)/%.$1.o: $(EMU)/%.c
	@mkdir -p $$(@D)
	$$(Q)$$(FUZZ_CC) -ffp-contract=off $$(LEVEL_$1) -DLEVEL=$1 -c $$< -o $$@
endef
$(foreach l,$(LEVELS),$(eval $(call fuzz_level_rule,$l)))

# a file for each instruction case; and a dictionary of the words that PTX is made of
$B/fuzz/seeds/ok: $B/bin/ptxcases $B/lib/libcudart.so.13
	$(Q)rm -rf $(@D) && mkdir -p $(@D)
	$(Q)$(ON_emulator) $B/bin/ptxcases $(CASES)/ops.txt --print all | \
	    awk '/^\/\/ / { close(f); f = "$(@D)/" ++n } { print >f }'
	$(Q)grep -ohE 'X\(\w+|"%\w+' $(EMU)/ptx/ptx.h $(EMU)/ptx/private.h $(EMU)/ptx/insn.c | \
	    sed -E 's/^(X\(|")(.*)/"\2"/' | sort -u >$B/fuzz/words
	$(Q)touch $@
fuzz: $(FUZZ:%=$B/fuzz/%) $B/fuzz/seeds/ok
	$(Q)for f in $(FUZZ); do \
	    mkdir -p $B/fuzz/corpus-$$f; \
	    data=$(FUZZ_DATA)/$$f; \
	    [ $$f = fatbin ] || data="-dict=$B/fuzz/words $(FUZZ_DATA)/ptx $(FUZZ_DATA)/run $B/fuzz/seeds"; \
	    echo "$$f: $(FUZZ_TIME) s"; \
	    $B/fuzz/$$f -max_total_time=$(FUZZ_TIME) -timeout=10 -rss_limit_mb=4096 -close_fd_mask=3 -print_final_stats=1 \
	        -artifact_prefix=$B/fuzz/$$f- $B/fuzz/corpus-$$f $$data 2>$B/fuzz/$$f.log || \
	        { tail -n 30 $B/fuzz/$$f.log; exit 1; }; \
	    grep -E 'number_of_executed_units' $B/fuzz/$$f.log; done
.PHONY: fuzz
