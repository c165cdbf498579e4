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
NO_DEPS := help clean format test-distros test-workflow
ifneq ($(or $(filter-out $(NO_DEPS),$(MAKECMDGOALS)),$(if $(MAKECMDGOALS),,all)),)
include build/deps.mk
# The folder was moved or copied, or the toolkit is gone: all but records is built anew.
HERE := $(if $(filter %/.venv/cuda,$(CUDA)),$(filter $(CURDIR)/.venv/cuda,$(CUDA)),$(CUDA))
ifeq ($(if $(CUDA),$(wildcard $(HERE)/include/cuda_runtime_api.h),1),)
$(info what was built with $(CUDA) is built anew: this folder was moved, or that is gone)
$(shell find build -mindepth 1 -maxdepth 1 ! -name records ! -name deps.log ! -name deps.lock -exec rm -rf {} +)
endif
endif
build/deps.mk: common/deps.sh
	$(Q)common/deps.sh build $@
build/deps-%.ok: common/deps.sh
	$(Q)common/deps.sh $* $@

# Behind what is wrong with the command line the one to try next: this one, with another word for
# that variable's, or with one more. make puts ".  Stop." behind it.
define NEWLINE


endef
NEXT = $(NEWLINE)next: make $(strip $(MAKECMDGOALS) $(patsubst $1=%,$2,$(MAKEOVERRIDES)) $3) is understood

OPT := -O2
UNIT :=
ifeq ($(SAN),1)
B := build/san
# Half the time to compile, and more accesses are left to be looked at; the emulator, which is
# what runs for long, with -O1.
OPT := -O0
# Checks of its own make gcc warn of overflows that are none: the plain build warns.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -w -DWITH_ASAN
LDFLAGS += -fsanitize=address,undefined
# Criterion's start of each test as a new process of the program takes longer than most tests do.
UNIT := -Icommon/testing
export LSAN_OPTIONS := suppressions=$(CURDIR)/common/harness/leaks.supp:print_suppressions=0
endif
RUNNER := $B/common/$(if $(UNIT),testing/tests_main,criterion_test).o
CRITERION := $(if $(UNIT),,-lcriterion)
# Lines, and no variables: a fifth of the time to compile. DEBUG=-g for a debugger.
DEBUG := -g1
CFLAGS := -std=gnu11 $(OPT) $(DEBUG) -fPIC -pthread -Wall -Wextra -Wformat-security -Werror -MMD -MP -D_GNU_SOURCE \
          -Icommon -I. -I$B/gen -isystem $(CUDA)/include \
          -DCUDA_INCLUDE='"$(CUDA)/include"' $(SANITIZE)
# clang knows neither gcc's pragmas for loops nor its names of warnings; half floats from 15 on.
ifneq ($(findstring clang,$(CC)),)
CFLAGS += -Wno-unknown-pragmas -Wno-unknown-attributes -Wno-unknown-warning-option -Wno-missing-field-initializers
endif
CUDA_LIBS = -L$(CUDA)/lib64 -lcudart -lnvrtc -Wl,-rpath,'$$ORIGIN/../lib:$(CUDA)/lib64' \
            -Wl,--enable-new-dtags -ljansson -lm -ldl -pthread

# ---- which machine: BACKEND=gpu or emulator decides the library path, and nothing else ----
GPU := $(shell { [ -e /dev/nvidia0 ] || nvidia-smi -L; } >/dev/null 2>&1 && echo 1)
BACKEND ?= $(if $(GPU),gpu,emulator)
ifeq ($(filter gpu emulator,$(BACKEND)),)
$(error BACKEND=$(BACKEND): it is gpu or emulator$(call NEXT,BACKEND,BACKEND=emulator))
endif
RUNTIME_gpu :=
RUNTIME_emulator := $B/lib/libcudart.so.13
OTHER_PATHS := $(if $(LD_LIBRARY_PATH),:$(LD_LIBRARY_PATH))
ON_gpu = LD_LIBRARY_PATH=$(CUDA)/lib64$(OTHER_PATHS)
ON_emulator = LD_LIBRARY_PATH=$(CURDIR)/$B/lib$(OTHER_PATHS)
ON = $(ON_$(BACKEND))

# ---- the parts, each beside what it builds ----
include common/emulator/emulator.mk common/harness/harness.mk
$B/%.o: %.c
	$(call STEP,compiling,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -c $< -o $@
# What every part stands on. The emulator takes of it what it needs: no nettle.
BASE_OBJ := $(patsubst %.c,$B/%.o,$(filter-out %_test.c,$(wildcard common/base/*.c)))
$B/libbase.a: $(BASE_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^
# The version's one place is common/VERSION; common/CHANGELOG.md says what it means.
RELEASE := $(shell cat common/VERSION)
$B/gen/release.h: common/VERSION
	@mkdir -p $(@D)
	@echo '#define RELEASE "$(RELEASE)"' >$@
$B/$(EMU)/runtime/warplab_api.o $B/fuzz/$(EMU)/runtime/warplab_api.o $B/$(EMU)/tools/warprun_main.o $B/grading/commands/main.o: $B/gen/release.h

SUITES := format lint arrows emulator harness diagnosis runs readme
include $(wildcard $(addprefix $(EMU)/,programs/programs.mk packaging/packaging.mk cases/cases.mk tools/fuzz.mk tools/outside.mk arm64/arm64.mk) \
    labs/labs.mk plots/plots.mk slides/slides.mk grading/grading.mk)
SUITES += grading plots san student $(if $(filter 0,$(shell id -u)),slurm)
include $(wildcard common/tests.mk) common/student/student.mk

# A misspelt variable would be nobody's, and the run another than was asked for.
GIVEN := $(if $(filter 0,$(MAKELEVEL)),$(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $v))),$v)))
MISSPELT := $(if $(GIVEN),$(shell common/misspelt.sh '$(GIVEN)' $(wildcard $(filter Makefile %.mk,$(MAKEFILE_LIST)))))
ifneq ($(MISSPELT),)
$(error $(word 1,$(MISSPELT))=… is no variable of this Makefile: did you mean $(word 2,$(MISSPELT))=…?$(call NEXT,$(word 1,$(MISSPELT)),$(word 2,$(MISSPELT))=%))
endif

# ---- running ----
# on a GPU nothing is timed: all sizes took over nine minutes on an H200's host
all: programs
	$(ENDSTEP)
	$(Q)common/run.sh all '$(ON)' $B $(BACKEND) $(if $(filter emulator,$(BACKEND)),--quick,--untimed) $(LABS); status=$$?; \
	 $(if $(wildcard plots/records),$(MAKE) -s --no-print-directory plots-changed &&) exit $$status
# every lab again, changed or not; on a GPU all sizes
labs: programs
	$(ENDSTEP)
	$(Q)FRESH=1 common/run.sh all '$(ON)' $B $(BACKEND) '$(if $(filter emulator,$(BACKEND)),--quick)' $(or $(LAB),$(LABS))
programs: emulator $(LAB_BINS) $B/bin/labcc
# A lab that is named is there, whatever it is for, and is told before anything is built.
ONE_LAB := $(filter run $(if $(wildcard solutions),grade),$(MAKECMDGOALS))
ifneq ($(and $(filter command,$(origin LAB))$(ONE_LAB),$(filter-out $(LABS),$(or $(LAB),$(if $(ONE_LAB),none)))),)
# the one that begins like it, or that one begins with
LIKE := $(firstword $(if $(LAB),$(filter $(LAB)% $(shell printf '%.3s' '$(LAB)')%,$(LABS))) $(filter first_program,$(LABS)) $(LABS))
$(error which lab$(if $(LAB), is "$(LAB)")? LAB=… is one of: $(LABS)$(call NEXT,LAB,LAB=$(LIKE),$(if $(filter command,$(origin LAB)),,LAB=$(LIKE))))
endif
run: $(RUNTIME_$(BACKEND)) $B/bin/$(LAB)
	$(Q)$(ON) BACKEND=$(BACKEND) CHECK=$(CHECK) PROFILE=$(PROFILE) common/run.sh one $B/bin/$(LAB) \
	    $(if $(SOLUTION),--solution) $(if $(KERNEL),--kernel $(KERNEL)) $(if $(N),--n $(N)) \
	    $(if $(CASE),--case '$(CASE)') $(if $(FILE),--file '$(FILE)') $(if $(DETAIL),--verbose) $(ARGS)

help:
	@sed -n 's/^#h //p' Makefile
#h make                 install what is missing, build, see that every lab's solution is right, figures
#h make labs            every lab's solution again, with its tables: what you are to predict; LAB=… one
#h make run LAB=…       your labs/LAB/LAB.cu; SOLUTION=1 the reference, BACKEND=emulator|gpu,
#h                      KERNEL=3, N=2^20, CASE=…, FILE=my.cu, CHECK=1 (memory, races, barriers),
#h                      PROFILE=1 (hardware counters), DETAIL=1 (each failure and each row),
#h                      ARGS='--help' for the rest
#h make grade LAB=…     mark your file as the grader will, on other inputs; DETAIL=1, FILE=my.cu
#h make check           the tests that take seconds; after a change
#h make test            every test (FULL=1: all of the tutor's bank); make test-gpu: those that need a GPU (JOBS=4 labs at once)
#h make plots           figures from build/records and plots/records; RECORDS='a.csv b.csv'
#h make picture LAB=… KERNEL=…   what one block did, drawn; ANIMATE=1 as it went on
#h make tables          the README's, from plots/records
#h make slides          lecture decks (installs pandoc and LaTeX)
#h make fuzz            libFuzzer (clang) on fatbins, PTX and what runs it; FUZZ_TIME=20 each
#h make outside-programs DIR=…  a checkout of NVIDIA's samples or HeCBench, built, run and tabled;
#h                      ONLY=, AGAIN=, LIMIT=120, MEMORY=, CHECK=0 (common/emulator/tools)
#h make bench-emulator  instructions a second; KERNEL=copy, ROUNDS=5 for the median;
#h                      BUILDS='/old/build build' by turns
#h make bench-peers     on a GPU, with nvcc: the last rungs and CUB, cuBLAS and copies by turns;
#h                      LAB=matmul for one lab's, KERNEL=mm_bf16 for that one, CASE='2^1?';
#h                      make limits: the page of goals and what was measured
#h make bench-grade     submissions a second; make bench-memory: 5,000 submissions
#h make cheats LAB=…    the pages of grading/cheats: what each known cheat loses, and why
#h make steps            what marking takes of the budget of steps: solutions and right kernels
#h make rungs            what each rung gets when it is handed in for the next; GPU=1: measured
#h make mutate-c        do the tests see a fault? COUNT=60 mutants of the project's own C, drawn by
#h                      SEED=1 from FILES='common/lab/*'; JOBS=4 at once, MINUTES=30 in all;
#h                      FAULTS=1: those made by hand
#h make test-arm64      the emulator as an arm64 library, under qemu
#h make test-slurm      a class on four Slurm nodes on this host (FULL=1: time limits, too);
#h                      make bench-slurm: what Slurm adds; make test-slurm-gpu: on this host's GPUs
#h make test-pages      the grader's reports in headless Chromium
#h make student-package the labs as a class gets them, without solutions, rubrics and records;
#h                      make test-student builds and smokes it in an empty folder
#h make smoke           every lab's skeleton runs, and says what to do next
#h make install         warprun alone, into PREFIX=/usr/local (DESTDIR=…), and make uninstall out of it;
#h                      make deb, make wheel pack it
#h make test-packages   each of the three in an empty place, with CUDA programs
#h make test-distros    README's commands in bare Debian and Ubuntu systems (as root, with debootstrap)
#h make test-workflow   the steps of .github/workflows in such systems; JOB=packages for one job
#h make deps            install what everything above needs, slides aside
#h make test-arrows     does each room use what its README.md says? make map: draws them
#h make format, lint, clean
#h make compile_commands.json   for clangd and other tools
#h                      a misspelt variable is refused: FIEL=my.cu does not run another file
#h V=1 shows commands, SAN=1 builds with sanitizers under build/san, DEBUG=-g for a debugger
deps: build/deps.mk build/deps-test.ok
clean:
	rm -rf build
FORCE:
.PHONY: all labs check map test-arrows mutate-c test-binaries tables emulator programs run bench-emulator bench-peers test test-emulator test-harness test-diagnosis test-runs test-readme test-san test-format \
        test-lint test-faults test-gpu test-distros test-workflow format lint help deps clean FORCE
-include $(shell find $B -path $B/distros -prune -o -name '*.d' -print 2>/dev/null)
# what STEP counts to: objects that are not there yet, of what was asked for
ALL_OBJ := $(EMU_OBJ) $(FFT_OBJ) $(NCCL_OBJ) $(BASE_OBJ) $(foreach r,$(HAR_ROOMS),$(call objects,$r)) $(LAB_OBJ) $(addprefix $B/,$(HAR)/main.o $(HAR)/labcc_main.o $(EMU)/tools/warprun_main.o) \
    $(if $(filter grad% test%,$(MAKECMDGOALS)),$(GR_OBJ)) \
    $(if $(filter test%,$(MAKECMDGOALS)),$(patsubst %.c,$B/%.o,$(EMU_TESTS) $(HAR_TESTS) $(GR_TESTS)))
MISSING := $(filter-out $(wildcard $(ALL_OBJ)),$(ALL_OBJ))
