# tests.mk - the suites, and what looks at the sources. Included by the top Makefile.
$B/test/emulator: $(EMU_TESTS:%.c=$B/%.o) $(RUNNER) $(EMU_OBJ) $(FFT_OBJ) $(NCCL_OBJ)
$B/test/harness: $(HAR_TESTS:%.c=$B/%.o) $(RUNNER) $B/$(HAR)/testlab.o $(HAR_LIBS)
$B/test/emulator: LIBS = $(EMU_LIBS)
$B/test/emulator: | $B/bin/warprun $B/lib/libcudart.so.13
$B/test/harness: LIBS = $(CUDA_LIBS) -lnettle
$(patsubst %.c,$B/%.o,$(EMU_TESTS) $(HAR_TESTS) $(GR_TESTS)): | build/deps-test.ok
# Compiled once and run for moments: better code of theirs takes longer to make than it saves.
TEST_OBJ := $(patsubst %.c,$B/%.o,$(EMU_TESTS) $(HAR_TESTS) $(GR_TESTS) $(LAB_TESTED:%=labs/%_test.c))
$(TEST_OBJ) $(RUNNER) $B/common/testing/faults_test.o: CFLAGS += -O0 $(UNIT)
$B/test/emulator $B/test/harness:
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(CRITERION) $(LIBS)
TEST_BIN = $B/test/emulator $B/test/harness $B/test/testlab $B/test/grading $(LAB_TESTS)
test-emulator: $B/test/emulator
	$(Q)$B/test/emulator
$B/test/testlab: $B/$(HAR)/testlab.o $B/gen/lab_testlab.o $B/$(HAR)/main.o $(HAR_LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(CUDA_LIBS)
test-harness: $B/test/harness $B/test/testlab $B/lib/libcudart.so.13 $(LIBRARIES)
	$(Q)$(ON_emulator) $B/test/harness
# The bank of faults: are their causes told right? ONLY='a word of the title', SHOW=1. In all of the tests
# every eighth one; FULL=1 has them all, as `make test-diagnosis` does.
EVERY ?= 1
test-diagnosis: $B/lib/libcudart.so.13 $(LAB_BINS)
	$(Q)$(ON_emulator) $(HAR)/bank.py --bin $B/bin --every $(EVERY) $(if $(LAB),--lab $(LAB)) $(if $(ONLY),--only '$(ONLY)') $(if $(SHOW),--show)
test-runs: $B/lib/libcudart.so.13 $(LAB_BINS)
	$(Q)common/run.sh tests '$(ON_emulator)' $B/bin $(or $(LAB),$(LABS))
test-san:
	$(Q)$(MAKE) --no-print-directory SAN=1 test-faults test-emulator test-harness test-grading
# Does the runner see them all?
$B/test/faults: $B/common/testing/faults_test.o $(RUNNER)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@
test-faults: $B/test/faults
	$(Q)$B/test/faults --timeout 1 >$B/test/faults.txt; \
	 grep -q 'got: "what it is"' $B/test/faults.txt && \
	 [ "$$(tail -n 1 $B/test/faults.txt)" = '1 passed, 11 failed, 1 skipped' ] && echo '1 passed, 0 failed' || { cat $B/test/faults.txt; exit 1; }

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
	$(Q)common/workflow.py --check
# For clangd and the like, on demand.
compile_commands.json: FORCE
	$(Q)$(MAKE) -Bnk V=1 --no-print-directory programs grading test-binaries $(ARROWS) 2>/dev/null | \
	    common/compile_commands.py >$@.new && mv $@.new $@
# Do the tests see a fault? A sample of mutants, or the faults made by hand, in a copy of the tree.
mutate-c: build/deps-test.ok
	$(Q)common/mutants/mutate_c.py $(if $(FAULTS),--faults '$(filter-out 1,$(FAULTS))') $(if $(AGAIN),--again '$(AGAIN)') \
	    $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) $(if $(FILES),--files $(FILES:%='%')) \
	    $(if $(JOBS),--jobs $(JOBS)) $(if $(MINUTES),--minutes $(MINUTES))
# Which room uses which: held to what each one's README.md says, and drawn.
ARROWS := $B/bin/emubench $B/bin/ptxcases $B/bin/ptxcounts $B/bin/ptxrandom $B/bin/ptxhopper $B/bin/ptxtexture \
    $B/$(HAR)/peers_main.o # the rest of benchpeers needs nvcc
test-arrows: programs grading $(ARROWS)
	$(Q)common/arrows.py --build $B
map: programs grading $(ARROWS)
	$(Q)common/arrows.py --build $B --map
tables:
	$(Q)$(HAR)/readme_tables README.md
# README's tables are the records'; and all that documents name is there
test-readme:
	$(Q)$(HAR)/readme_tables --check README.md
	$(Q)common/named.py

# Suites run side by side: what two of them use is built before, and the long ones begin.
LONG := san slurm grading plots programs diagnosis runs student random
test: build/deps-test.ok $(if $(filter slurm,$(SUITES)),build/deps-slurm.ok) \
      $(if $(filter plots,$(SUITES)),build/deps-slides.ok)
	+$(Q)$(MAKE) --no-print-directory programs grading test-binaries $(ARROWS)
	+$(Q)EVERY=$(if $(FULL),1,8) common/test.sh $B/test/logs $(filter $(SUITES),$(LONG)) $(filter-out $(LONG),$(SUITES))
# for who changes one thing: what takes seconds each
CHECKS := format emulator harness labs readme
check: build/deps-test.ok
	+$(Q)$(MAKE) --no-print-directory programs $(filter-out %/grading,$(TEST_BIN))
	+$(Q)common/test.sh $B/test/logs $(CHECKS)
test-binaries: $(TEST_BIN)
# README's commands in bare systems, as root; logs and the table in build/distros
DISTROS ?= bookworm trixie noble
test-distros:
	$(Q)common/distros.sh build/distros $(DISTROS)
# the steps of .github/workflows as a runner takes them: JOB=test WORDS='clang debian:13'
test-workflow:
	$(Q)common/workflow.py build/distros/workflow $(JOB) $(WORDS)
test-gpu: $(if $(GPU),programs)
	$(Q)JOBS=$(JOBS) common/run.sh gpu-tests '$(GPU)' '$(ON_gpu)' $B/bin $(LABS)
