# grading.mk - the autograder. Included by the top Makefile; uses its B, CC, CFLAGS, CUDA, Q.
.PHONY: grade grading test-grading test-pages test-grading-gpu no-grading-gpu bench-grade bench-memory bench-slurm model-slurm test-slurm test-slurm-gpu mutate cheats rungs steps

GR := grading
GR_TOOLS := $(GR)/mark/fast_clock.c $(GR)/commands/main.c $(GR)/mark/runner_main.c $(GR)/mark/compile_main.c $(GR)/intake/unpack_main.c $(GR)/intake/whole.c
GR_ROOMS := $(addprefix $(GR)/,sandbox intake mark cluster book report export commands)
GR_SRC := $(filter-out $(GR_TOOLS) %_test.c,$(wildcard $(GR_ROOMS:%=%/*.c)))
GR_LABS := $(patsubst labs/%/grader.c,%,$(wildcard labs/*/grader.c))
GR_LIBS := -lsqlite3 -ljansson -larchive -lseccomp -lyaml -lnettle -lm -ldl
GR_NVRTC := -L$(firstword $(wildcard $(CUDA)/lib64 $(CUDA)/lib))
GR_OBJ := $(GR_SRC:%.c=$B/%.o) $(GR_LABS:%=$B/labs/%/grader.o) $(GR_LABS:%=$B/labs/%/harness.o) \
          $B/$(GR)/tables.o $B/liblab.a $B/libbase.a
GR_BOXED := $B/bin/grade-runner $B/bin/grade-cc $B/bin/grade-unpack

$B/$(GR)/%.o $B/labs/%/grader.o: CFLAGS += -DCUDA_DIR='"$(abspath $(CUDA))"'

# The tables of labs and rubrics, from the folders that have a grader.c.
$B/$(GR)/tables.c: $(wildcard labs/*/grader.c) $(GR)/grading.mk
	@mkdir -p $(@D)
	$(Q){ echo '#include "grading/mark/rubric.h"'; \
	  $(foreach l,$(GR_LABS),echo 'extern const struct lab lab_$l; extern const struct rubric rubric_$l;';) \
	  echo 'const struct lab *const all_labs[] = {$(foreach l,$(GR_LABS),&lab_$l,)};'; \
	  echo 'const int all_labs_count = $(words $(GR_LABS));'; \
	  echo 'const struct rubric *const all_rubrics[] = {$(foreach l,$(GR_LABS),&rubric_$l,)};'; \
	  echo 'const int all_rubrics_count = $(words $(GR_LABS));'; } > $@
$B/$(GR)/tables.o: $B/$(GR)/tables.c
	$(Q)$(CC) $(CFLAGS) -c $< -o $@

$B/bin/grade: $B/$(GR)/commands/main.o $(GR_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(GR_LIBS)
$B/bin/grade-runner: $B/$(GR)/mark/runner_main.o $B/$(GR)/mark/proto.o $B/librun.a $B/liblab.a $B/libbase.a $B/lib/libcudart.so.13
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(filter %.o %.a,$^) -o $@ -L$B/lib -l:libcudart.so.13 -Wl,-rpath,'$$ORIGIN/../lib' -lm -ldl
# A submission can include what is in the compiler's box, the program itself, too: it names no
# folder of this machine. Its library is found by the environment.
$B/bin/grade-cc: $B/$(GR)/mark/compile_main.o $B/libharness.a $B/libbase.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(GR_NVRTC) -lnvrtc -lm -s
$B/bin/grade-unpack: $B/$(GR)/intake/unpack_main.o $B/$(GR)/intake/whole.o $B/$(GR)/intake/names.o $B/libbase.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ -larchive -lz

# What the grader shares with the labs, `make` builds without its packages.
$(filter $B/$(GR)/% %/grader.o,$(GR_OBJ)) $B/$(GR)/intake/unpack_main.o $B/$(GR)/intake/whole.o $B/$(GR)/commands/main.o $B/$(GR)/mark/runner_main.o: | build/deps-grade.ok
grading: $B/bin/grade $(GR_BOXED)
grade: grading
	$(Q)common/deps.sh sandbox -
	$(Q)$B/bin/grade check --practice $(if $(DETAIL),--detail) --lab $(LAB) \
	  '$(or $(FILE),$(if $(filter 1,$(SOLUTION)),solutions,labs)/$(LAB)/$(LAB).cu)'

bench-grade: grading
	$(Q)common/deps.sh sandbox -
	$(Q)for l in $(or $(LAB),$(GR_LABS)); do $B/bin/grade bench --lab $$l --count $(or $(N),40) || exit 1; done
# Memory over a large class; grading/bench_memory.txt keeps a run.
bench-memory: grading
	$(Q)grading/bench_memory.sh $B/bin/grade $(or $(LAB),coalescing) $(or $(N),5000)
# The pages of grading/cheats: what each known cheat loses.
cheats: grading
	$(Q)common/deps.sh sandbox -
	$(Q)for l in $(or $(LAB),$(GR_LABS)); do echo "cheats: $$l, a minute or so" >&2; $B/bin/grade cheats --lab $$l >$B/cheats-$$l.md && \
	  cp $B/cheats-$$l.md $(GR)/cheats/$$l.md || exit 1; done
# What the rung before gets where speed is asked for; GPU=1: measured.
rungs: grading
	$(Q)common/deps.sh sandbox -
	$(Q)$B/bin/grade rungs $(if $(GPU),--gpu) >$B/rungs.md && cp $B/rungs.md $(GR)/cheats/rungs-$(if $(GPU),gpu,emulator).md
# What marking solutions and right kernels takes of the budget of steps; LAB=… only prints.
steps: grading
	$(Q)common/deps.sh sandbox -
	$(Q)$B/bin/grade steps $(if $(LAB),--lab $(LAB),>$B/steps.csv && cp $B/steps.csv $(GR)/steps.csv)
mutate: grading
	$(Q)for l in $(or $(LAB),$(GR_LABS)); do $B/bin/grade mutate --lab $$l; done

# Runtimes that stand in for a GPU's: the emulator with its own functions hidden, and the same
# with impossible times.
GR_GPU := $B/test/gpu
GR_HIDDEN = -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script=$(GR_GPU)/hidden.map $(LDFLAGS)
$(GR_GPU)/hidden.map: $(EMU)/runtime/libcudart.map
	@mkdir -p $(GR_GPU)/honest $(GR_GPU)/fast
	$(Q)sed 's/ *warplab\*;//' $< >$@
$(GR_GPU)/honest/libcudart.so.13: $(EMU_OBJ) $(GR_GPU)/hidden.map
	$(Q)$(CC) $(GR_HIDDEN) $(EMU_OBJ) -o $@ $(EMU_LIBS)
$(GR_GPU)/stream.o: $B/$(EMU)/runtime/stream.o $(GR_GPU)/hidden.map
	$(Q)objcopy --redefine-sym cudaEventElapsedTime=emulated_elapsed $< $@
$(GR_GPU)/fast/libcudart.so.13: $(EMU_OBJ) $(GR_GPU)/stream.o $B/$(GR)/mark/fast_clock.o
	$(Q)$(CC) $(GR_HIDDEN) $(filter-out %/runtime/stream.o,$(EMU_OBJ)) $(GR_GPU)/stream.o $B/$(GR)/mark/fast_clock.o -o $@ $(EMU_LIBS)

GR_TESTS := $(wildcard $(GR_ROOMS:%=%/*_test.c))
$B/test/grading: $(GR_TESTS:%.c=$B/%.o) $(RUNNER) $(GR_OBJ) | $(GR_BOXED) $B/bin/grade $B/lib/libcudart.so.13 $(GR_GPU)/honest/libcudart.so.13 $(GR_GPU)/fast/libcudart.so.13
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(CRITERION) $(GR_LIBS) -lz
# Every solution, right kernel and attack of threats/gpu, marked with times and results of this
# machine's GPU. It runs in the sandbox alone: where that cannot be, it fails.
test-grading-gpu: grading
	$(Q)$B/bin/grade gpu && $B/bin/grade selftest --gpu $(if $(LAB),--lab $(LAB))
GR_BWRAP := $(wildcard /usr/bin/bwrap /usr/local/bin/bwrap)
test-gpu: $(if $(GPU),$(if $(GR_BWRAP),test-grading-gpu,no-grading-gpu))
no-grading-gpu:
	@echo 'the grader was not tried on the GPU: bubblewrap is not installed' >&2
# The reports' pages in a browser. Not part of `make test`: it installs Chromium (0.4 GB).
test-pages: grading | build/deps-pages.ok
	$(Q)grading/report/pages_test.sh $B/bin/grade
# A class on a Slurm cluster of four nodes on this host, of real daemons; they want to be root's.
# FULL=1: also what waits for minutes, a task's time limit.
test-slurm: grading | build/deps-slurm.ok build/deps-test.ok
	$(Q)common/deps.sh sandbox - || { echo 'error: no sandbox, no test of the grader'; exit 1; }
	$(Q)WARPLAB_BUILD=$B FULL=$(FULL) $(PY) -m pytest -q $(GR)/cluster
# A GPU is one submission's at a time, on nodes with one of this host's each and on one with two.
test-slurm-gpu: grading | build/deps-slurm.ok
	$(Q)WARPLAB_BUILD=$B $(PY) $(GR)/cluster/gpus.py
test-gpu: $(if $(and $(GPU),$(GR_BWRAP),$(filter 0,$(shell id -u)),$(wildcard /usr/sbin/slurmd)),test-slurm-gpu)
# What Slurm adds to a class, beside the local pool; grading/cluster/bench.txt keeps a run.
bench-slurm: grading | build/deps-slurm.ok
	$(Q)WARPLAB_BUILD=$B $(PY) $(GR)/cluster/bench.py $(if $(N),--count $(N))
# What that computes for a large class, from the record again.
model-slurm:
	$(Q)$(PY) $(GR)/cluster/bench.py --model $(GR)/cluster/bench.txt
# Without a sandbox nothing can be marked, nor any verdict tested: one failure that says why.
test-grading: $B/test/grading
	$(Q)common/deps.sh sandbox - || { echo 'error: no sandbox, no test of the grader'; exit 1; }
	$(Q)$B/test/grading -j2 --timeout 1200 $(if $(filter 1,$(SAN)),--filter '!(@(bank|sample)/*|gpu_path/@(measured_in_turns|too_slow|waiting*|t12*)|threats/@(t22*|t30_code*))')
