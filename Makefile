# Warplab: build, test, run, grade, plots, slides. `make help` lists the targets.
B := build
CC := gcc
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules
ifeq ($(MAKELEVEL)$(filter -j% --jobs%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif
# How far it is: a line that moves on a terminal, a plain line each in a log.
TTY := $(shell [ -t 2 ] && echo 1)
STEP = $(eval STEPS += x)@printf '$(if $(TTY),\r\033[K)%s$(if $(TTY),,\n)' \
    '$1 $(words $(STEPS))$(if $(word $(words $(STEPS)),$(MISSING)), of $(words $(MISSING))): $2' >&2
ENDSTEP = @printf '$(if $(TTY),\r\033[K)' >&2

ifneq ($(word 2,$(CURDIR)),)
$(error The path of this folder has a space in it, which make cannot handle: move it, "$(CURDIR)", to one without)
endif

# ---- what is needed: installed when missing; deps.mk then says where CUDA and python are ----
NO_DEPS := help clean format test-distros
ifneq ($(or $(filter-out $(NO_DEPS),$(MAKECMDGOALS)),$(if $(MAKECMDGOALS),,all)),)
include build/deps.mk
endif
build/deps.mk: common/deps.sh
	$(Q)common/deps.sh build $@
build/deps-%.ok: common/deps.sh
	$(Q)common/deps.sh $* $@

ifeq ($(SAN),1)
B := build/san
# gcc 12 warns of overflows that are none when it adds its own checks: the plain build warns.
SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer -Wno-format-overflow \
            -Wno-stringop-overflow -Wno-maybe-uninitialized
LDFLAGS += -fsanitize=address,undefined
export LSAN_OPTIONS := suppressions=$(CURDIR)/common/harness/leaks.supp:print_suppressions=0
endif
CFLAGS := -std=gnu11 -O2 -g -fPIC -pthread -Wall -Wextra -Wformat-security -Werror -MMD -MP -D_GNU_SOURCE \
          -Icommon -I. -I$B/gen -isystem $(CUDA)/include \
          -DCUDA_INCLUDE='"$(CUDA)/include"' $(SANITIZE)
CUDA_LIBS = -L$(CUDA)/lib64 -lcudart -lnvrtc -Wl,-rpath,'$$ORIGIN/../lib:$(CUDA)/lib64' \
            -Wl,--enable-new-dtags -ljansson -lm -ldl -pthread

# ---- which machine: BACKEND=gpu or emulator decides the library path, and nothing else ----
GPU := $(shell { [ -e /dev/nvidia0 ] || nvidia-smi -L; } >/dev/null 2>&1 && echo 1)
BACKEND ?= $(if $(GPU),gpu,emulator)
ifeq ($(filter gpu emulator,$(BACKEND)),)
$(error BACKEND=$(BACKEND): it is gpu or emulator)
endif
RUNTIME_gpu :=
RUNTIME_emulator := $B/lib/libcudart.so.13
OTHER_PATHS := $(if $(LD_LIBRARY_PATH),:$(LD_LIBRARY_PATH))
ON_gpu = LD_LIBRARY_PATH=$(CUDA)/lib64$(OTHER_PATHS)
ON_emulator = LD_LIBRARY_PATH=$(CURDIR)/$B/lib$(OTHER_PATHS)
ON = $(ON_$(BACKEND))

# ---- emulator: exec/ops is built once per x86-64 level, the rest once ----
ARCH := $(shell uname -m)
LEVELS := $(if $(filter x86_64,$(ARCH)),v2 v3 v4,base)
LEVEL_v2 := -march=x86-64-v2
LEVEL_v3 := -march=x86-64-v3
LEVEL_v4 := -march=x86-64-v4 -mprefer-vector-width=512
EMU := common/emulator
EMU_ROOMS := $(addprefix $(EMU)/,base ptx code exec count check runtime)
EMU_EXEC := $(wildcard $(EMU)/exec/ops/*.c)
EMU_SRC := $(filter-out %_test.c %_main.c %_fuzz.c,$(wildcard $(EMU_ROOMS:%=%/*.c)))
EMU_BASE := $(addprefix $B/common/base/,alloc.o csv.o elf.o file.o text.o)
EMU_OBJ := $(EMU_SRC:%.c=$B/%.o) $(EMU_BASE) $(foreach l,$(LEVELS),$(EMU_EXEC:%.c=$B/%.$l.o))
# What every part stands on. The emulator takes of it what it needs: no nettle.
BASE_OBJ := $(patsubst %.c,$B/%.o,$(filter-out %_test.c,$(wildcard common/base/*.c)))
EMU_LIBS := -lzstd -llz4 -ljansson -lm -ldl -pthread

define level_rule
$B/$(EMU)/%.$1.o: $(EMU)/%.c
	$$(call STEP,compiling,$$<)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off $$(LEVEL_$1) -DLEVEL=$1 -c $$< -o $$@
endef
$(foreach l,$(LEVELS),$(eval $(call level_rule,$l)))
$B/%.o: %.c
	$(call STEP,compiling,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -c $< -o $@

emulator: $B/lib/libcudart.so.13 $(if $(wildcard $(EMU)/tools/warprun_main.c),$B/bin/warprun)
$B/lib/libcudart.so.13: $(EMU_OBJ) $(EMU)/runtime/libcudart.map
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script=$(EMU)/runtime/libcudart.map $(LDFLAGS) $(EMU_OBJ) -o $@ $(EMU_LIBS)
$B/bin/warprun: $B/$(EMU)/tools/warprun_main.o $(EMU_BASE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@

# ---- lab, run, harness: a library each; one program a lab ----
HAR := common/harness
HAR_ROOMS := common/lab common/run $(HAR)
objects = $(patsubst %.c,$B/%.o,$(filter-out %_test.c %_main.c %/main.c %/testlab.c,$(wildcard $1/*.c)))
# In the order in which one needs the other: run calls CUDA, lab does not.
HAR_LIBS := $B/libharness.a $B/librun.a $B/liblab.a $B/libbase.a
LABS := $(patsubst labs/%/harness.c,%,$(wildcard labs/*/harness.c))
LAB_BINS := $(LABS:%=$B/bin/%)
LAB_OBJ := $(LABS:%=$B/labs/%/harness.o)
.SECONDARY:

$B/libbase.a: $(BASE_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^
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
bench-emulator: $B/bin/emubench $B/lib/libcudart.so.13
	$(Q)$(ON_emulator) $B/bin/emubench
$B/$(HAR)/records.o: $B/gen/version.h
$B/gen/version.h: FORCE
	@mkdir -p $(@D)
	@v=$$(git describe --always --dirty 2>/dev/null); echo "#define WARPLAB_VERSION \"$$v\"" >$@.new; \
	 cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# The version's one place is common/VERSION; common/CHANGELOG.md says what it means.
RELEASE := $(shell cat common/VERSION)
$B/gen/release.h: common/VERSION
	@mkdir -p $(@D)
	@echo '#define RELEASE "$(RELEASE)"' >$@
$B/$(EMU)/runtime/warplab_api.o $B/fuzz/$(EMU)/runtime/warplab_api.o $B/$(EMU)/tools/warprun_main.o $B/grading/commands/main.o: $B/gen/release.h

# ---- running ----
QUICK = $(if $(filter emulator,$(BACKEND)),--quick)
all: programs
	$(ENDSTEP)
	$(Q)common/run.sh all '$(ON)' $B '$(QUICK)' $(LABS); status=$$?; \
	 $(MAKE) -s --no-print-directory plots-changed && exit $$status
# every lab again, changed or not
labs: programs
	$(ENDSTEP)
	$(Q)FRESH=1 common/run.sh all '$(ON)' $B '$(QUICK)' $(LABS)
programs: emulator $(LAB_BINS) $B/bin/labcc
ifneq ($(and $(filter run,$(MAKECMDGOALS)),$(filter-out $(LABS),$(or $(LAB),none))),)
$(error which lab$(if $(LAB), is "$(LAB)")? LAB=… is one of: $(LABS))
endif
run: $(RUNTIME_$(BACKEND)) $B/bin/$(LAB)
	$(Q)$(ON) BACKEND=$(BACKEND) CHECK=$(CHECK) PROFILE=$(PROFILE) common/run.sh one $B/bin/$(LAB) \
	    $(if $(SOLUTION),--solution) $(if $(KERNEL),--kernel $(KERNEL)) $(if $(N),--n $(N)) \
	    $(if $(CASE),--case '$(CASE)') $(if $(FILE),--file $(FILE)) $(ARGS)

# ---- tests ----
EMU_TESTS := $(wildcard $(EMU)/*/*_test.c)
HAR_TESTS := $(wildcard common/base/*_test.c $(HAR_ROOMS:%=%/*_test.c))
$B/test/emulator: $(EMU_TESTS:%.c=$B/%.o) $(EMU_OBJ)
$B/test/harness: $(HAR_TESTS:%.c=$B/%.o) $B/$(HAR)/testlab.o $(HAR_LIBS)
$B/test/emulator: LIBS = $(EMU_LIBS)
$B/test/harness: LIBS = $(CUDA_LIBS)
$B/test/emulator $B/test/harness: | build/deps-test.ok
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ -lcriterion $(LIBS)
TEST_BIN = $B/test/emulator $B/test/harness $B/test/testlab $B/test/grading $(LAB_TESTS)
test-emulator: $B/test/emulator
	$(Q)$B/test/emulator
$B/test/testlab: $B/$(HAR)/testlab.o $B/gen/lab_testlab.o $B/$(HAR)/main.o $(HAR_LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(CUDA_LIBS)
test-harness: $B/test/harness $B/test/testlab $B/lib/libcudart.so.13
	$(Q)$(ON_emulator) $B/test/harness
test-runs: $B/lib/libcudart.so.13 $(LAB_BINS)
	$(Q)common/run.sh tests '$(ON_emulator)' $B/bin $(LABS)
test-san:
	$(Q)$(MAKE) --no-print-directory SAN=1 test-emulator test-harness test-grading

CLANG_FORMAT = $(or $(wildcard .venv/bin/clang-format),clang-format)
C_FILES = $(shell git ls-files -co --exclude-standard '*.c' '*.h')
format:
	$(CLANG_FORMAT) -i $(C_FILES)
test-format: | build/deps-test.ok
	$(Q)$(CLANG_FORMAT) --dry-run -Werror $(C_FILES) && common/dialect.py $(C_FILES) && echo '2 passed, 0 failed'
# Suppressed: what cppcheck 2.10 says of checks before calls that do not return, of initialisers
# of structures, and of lane loops, which gcc's own warnings see through.
LINT := -q --error-exitcode=1 --inline-suppr --enable=warning,portability --std=c11 --suppress=missingInclude \
    --suppress=nullPointerRedundantCheck --suppress=ctunullpointer --suppress=nullPointerArithmeticRedundantCheck \
    --suppress=unknownEvaluationOrder '--suppress=uninitvar:$(EMU)/exec/*' '--suppress=ctuuninitvar:$(EMU)/exec/*' '--suppress=legacyUninitvar:$(EMU)/exec/*' \
    -Icommon -I. -D__x86_64__ -DLEVEL=v3 --include=common/harness/cppcheck.h
lint test-lint: | build/deps-test.ok
	$(Q)common/lint.sh $B/test/lint.log $(LINT) $(filter-out %_test.c %_fuzz.c,$(filter %.c,$(C_FILES)))
# For clangd and the like, on demand.
compile_commands.json: FORCE
	$(Q)$(MAKE) -Bnk V=1 --no-print-directory programs grading $B/test/emulator $B/test/harness $B/test/grading 2>/dev/null | \
	    common/compile_commands.py >$@.new && mv $@.new $@
# Do the tests see a fault? A sample of mutants, or the faults made by hand, in a copy of the tree.
mutate-c: build/deps-test.ok
	$(Q)common/mutants/mutate_c.py $(if $(FAULTS),--faults '$(filter-out 1,$(FAULTS))') $(if $(AGAIN),--again '$(AGAIN)') \
	    $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) $(if $(FILES),--files $(FILES:%='%'))
# Which room uses which: held to what each one's README.md says, and drawn.
ARROWS := $B/bin/emubench $B/bin/ptxcases $B/bin/ptxrandom
test-arrows: programs grading $(ARROWS)
	$(Q)common/arrows.py --build $B
map: programs grading $(ARROWS)
	$(Q)common/arrows.py --build $B --map
tables:
	$(Q)$(HAR)/readme_tables README.md
test-readme:
	$(Q)$(HAR)/readme_tables --check README.md

SUITES := format lint arrows emulator harness runs readme
-include $(wildcard $(EMU)/programs/programs.mk $(EMU)/packaging/packaging.mk $(EMU)/cases/cases.mk $(EMU)/tools/fuzz.mk $(EMU)/arm64/arm64.mk labs/labs.mk plots/plots.mk slides/slides.mk grading/grading.mk)
slides-tools: | build/deps-slides.ok
SUITES += grading $(if $(wildcard plots/test_*.py),plots) san
test: build/deps-test.ok
	+$(Q)$(MAKE) --no-print-directory programs grading test-binaries
	$(Q)common/test.sh $B/test/logs $(SUITES)
# for who changes one thing: what takes seconds each
CHECKS := format emulator harness labs readme
check: build/deps-test.ok
	+$(Q)$(MAKE) --no-print-directory programs $(filter-out %/grading,$(TEST_BIN))
	$(Q)common/test.sh $B/test/logs $(CHECKS)
test-binaries: $(TEST_BIN)
# README's commands in bare systems, as root; logs and the table in build/distros
DISTROS ?= bookworm trixie noble
test-distros:
	$(Q)common/distros.sh build/distros $(DISTROS)
test-gpu: $(if $(GPU),programs)
	$(Q)common/run.sh gpu-tests '$(GPU)' '$(ON_gpu)' $B/bin $(LABS)

help:
	@sed -n 's/^#h //p' Makefile
#h make                 install what is missing, build, run every lab's solution, tables and figures
#h make labs            every lab's solution again, also where nothing has changed
#h make run LAB=…       your labs/LAB/LAB.cu; SOLUTION=1 the reference, BACKEND=emulator|gpu,
#h                      KERNEL=3, N=2^20, CASE=…, FILE=my.cu, CHECK=1 (memory, races, barriers),
#h                      PROFILE=1 (hardware counters), ARGS='--help' for the rest
#h make grade LAB=…     mark your file as the grader will, hidden cases aside
#h make check           the tests that take seconds; after a change
#h make test            every test; make test-gpu: those that need a GPU
#h make plots           figures from build/records and plots/records; RECORDS='a.csv b.csv'
#h make picture LAB=… KERNEL=…   what one block did, drawn; ANIMATE=1 as it went on
#h make tables          the README's, from plots/records
#h make slides          lecture decks (installs pandoc and LaTeX)
#h make fuzz            libFuzzer (clang) on fatbins, PTX and what runs it; FUZZ_TIME=20 each
#h make bench-emulator  instructions a second; make bench-grade: submissions a second;
#h                      make bench-memory: 5,000 submissions
#h make mutate-c        do the tests see a fault? COUNT=60 mutants of the project's own C, drawn by
#h                      SEED=1 from FILES='common/lab/*'; FAULTS=1: those made by hand
#h make test-arm64      the emulator as an arm64 library, under qemu
#h make test-pages      the grader's reports in headless Chromium
#h make test-distros    README's commands in bare Debian and Ubuntu systems (as root, with debootstrap)
#h make deps            install what everything above needs, slides aside
#h make test-arrows     does each room use what its README.md says? make map: draws them
#h make format, lint, clean
#h make compile_commands.json   for clangd and other tools
#h V=1 shows commands, SAN=1 builds with sanitizers under build/san
deps: build/deps.mk build/deps-test.ok
clean:
	rm -rf build
FORCE:
.PHONY: all labs check map test-arrows mutate-c test-binaries tables emulator programs run bench-emulator test test-emulator test-harness test-runs test-readme test-san test-format \
        test-lint test-gpu test-distros format lint help deps clean FORCE
-include $(shell find $B -path $B/distros -prune -o -name '*.d' -print 2>/dev/null)
# what STEP counts to: objects that are not there yet, of what was asked for
ALL_OBJ := $(EMU_OBJ) $(BASE_OBJ) $(foreach r,$(HAR_ROOMS),$(call objects,$r)) $(LAB_OBJ) $(addprefix $B/,$(HAR)/main.o $(HAR)/labcc_main.o $(EMU)/tools/warprun_main.o) \
    $(if $(filter grad% test%,$(MAKECMDGOALS)),$(GR_OBJ)) \
    $(if $(filter test%,$(MAKECMDGOALS)),$(patsubst %.c,$B/%.o,$(EMU_TESTS) $(HAR_TESTS) $(GR_TESTS)))
MISSING := $(filter-out $(wildcard $(ALL_OBJ)),$(ALL_OBJ))
