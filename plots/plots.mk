# Figures and pictures. `make plots` from the newest records, `make plots RECORDS="a.csv b.csv"`.
PY ?= $(if $(wildcard .venv/bin/python),.venv/bin/python,python3)
# matplotlib's cache: in the build folder, not in the user's home.
export MPLCONFIGDIR := $(CURDIR)/$B/mpl
PLOTS_NEED = $(PY) -c 'import matplotlib' 2>/dev/null || \
    { echo "plots: matplotlib is missing for $(PY): python3 -m venv .venv && .venv/bin/pip install matplotlib" >&2; exit 1; }

.PHONY: plots plots-changed picture marks test-plots
plots:
	@$(PLOTS_NEED)
	$(Q)$(PY) plots/all_figures.py --out $B/plots $(if $(KINDS),--kinds $(KINDS)) $(RECORDS)

# What a browser shows of them, when records or scripts have changed: PDF takes most of the time.
$B/plots/.done: $(wildcard plots/*.py plots/*.csv $B/records/*.csv) $(shell find plots/records -name '*.csv' 2>/dev/null)
	$(Q)$(MAKE) --no-print-directory plots KINDS=svg && touch $@
plots-changed:
	$(Q)if $(MAKE) -q $B/plots/.done; then echo 'figures: nothing has changed (make plots: again, as PDF and PNG too)'; \
	 else $(MAKE) --no-print-directory $B/plots/.done; fi

# make picture LAB=reduction KERNEL=2 [KIND=lanes|tree|sectors|banks] [ANIMATE=1] [N=… PARAM=… BLOCK=… SOLUTION=1]
picture: $(if $(TRACE),,$(RUNTIME_emulator) $(addprefix $B/bin/,$(filter $(LAB),$(LABS))))
	@$(PLOTS_NEED)
	$(Q)$(PY) plots/picture.py --build $B --out $B/plots --lab '$(LAB)' --kernel '$(KERNEL)' \
	    $(if $(KIND),--kind $(KIND)) $(if $(filter 1,$(ANIMATE)),--animate) $(if $(N),--n '$(N)') $(if $(PARAM),--param $(PARAM)) $(if $(SOLUTION),--solution) $(if $(BLOCK),--block $(BLOCK)) $(if $(TRACE),--trace $(TRACE))

# make marks EXPORT=class.csv
marks:
	@[ -n '$(EXPORT)' ] || { echo 'marks: of which class? EXPORT=FILE.csv, as the grader exports it' >&2; exit 1; }
	@$(PLOTS_NEED)
	$(Q)PLOTS_OUT=$B/plots $(PY) plots/fig_marks.py $(EXPORT)

# The two at once: each keeps one core busy. Pictures are of runs: the programs have to be there.
test-plots: programs
	@mkdir -p $B/test
	$(Q)$(PY) -m pytest -q slides >$B/test/slides.log 2>&1 & pid=$$!; PLOTS_BUILD=$(CURDIR)/$B $(PY) -m pytest -q plots; ended=$$?; \
	wait $$pid || ended=1; cat $B/test/slides.log; exit $$ended

# Records to keep: `make records` runs every solution on every case and writes plots/records/
# (RECORD_AS=h200 on that GPU; emulator by default), and the traces of the kept pictures.
# The emulator also counts some cases that a GPU's counters are kept for, of those it does in
# seconds (labs/LAB/shown.json, "beside"): the figure `counters` sets them side by side.
RECORD_AS ?= $(if $(filter gpu,$(BACKEND)),gpu,emulator)
.PHONY: records
records: programs
	$(Q)mkdir -p plots/records/$(RECORD_AS)
	$(Q)for lab in $(or $(LAB),$(LABS)); do echo "== $$lab"; \
	    $(ON) $B/bin/$$lab --solution --csv=plots/records/$(RECORD_AS)/$$lab.csv \
	    --timeline=plots/records/$(RECORD_AS)/$$lab.timeline $(ARGS) >$B/records-$$lab.log 2>&1 || \
	    { tail -5 $B/records-$$lab.log; exit 1; }; done
ifeq ($(RECORD_AS),emulator)
	$(Q)$(MAKE) --no-print-directory records-beside
	$(Q)WARPLAB_DEVICE=g80 $(ON) $B/bin/reduction --solution --kernel 1,2,3,4,5,6,7,8 --case n=2^22 \
	    --csv=plots/records/emulator/reduction-g80.csv >$B/records-g80.log 2>&1 || { tail -5 $B/records-g80.log; exit 1; }
	$(Q)sed -i '1s/^# command: /&WARPLAB_DEVICE=g80 /' plots/records/emulator/reduction-g80.csv
	$(Q)$(PY) plots/picture.py --keep --build $B
endif

.PHONY: records-beside
records-beside: programs
	$(Q)for lab in $(or $(LAB),$(LABS)); do \
	    args=$$($(PY) plots/picture.py --beside --lab $$lab) || exit 1; [ -n "$$args" ] || continue; \
	    eval "$(ON_emulator) $B/bin/$$lab --solution $$args --csv=plots/records/emulator/$$lab-beside.csv" >$B/records-$$lab.log 2>&1 || \
	    { tail -5 $B/records-$$lab.log; exit 1; }; done

# What the modelled times are held to the measured ones with, anew (half an hour): after a change to
# what is counted or sampled, or to a solution.
.PHONY: launches
launches: programs
	$(Q)$(PY) common/emulator/count/launches.py $B $(LAB)

# The page that sets the emulator beside an H200 (common/emulator/count/FIDELITY.md), from kept
# records; on that GPU, what Nsight Compute counts for it.
.PHONY: fidelity fidelity-small fidelity-again fidelity-record
fidelity: $B/test/emulator $B/bin/ptxcounts $B/bin/warprun
	$(Q)WARPLAB_KEEP=1 $B/test/emulator --filter ladders/kept_times_are_the_models >$B/fidelity.log 2>&1 || { tail -5 $B/fidelity.log; exit 1; }
	$(Q)$(PY) plots/fidelity.py $B
fidelity-small: $B/bin/ptxcounts
	$(Q)$(ON_gpu) $(PY) plots/fidelity.py --small-record $B
fidelity-again: programs
	$(Q)$(ON_gpu) $(PY) plots/fidelity.py --again $B
fidelity-record: programs
	$(Q)$(ON) $(PY) plots/fidelity.py --record $B $(LAB)

# How far the last rungs are from CUB, cuBLAS, copies and the machine (common/harness/LIMITS.md).
.PHONY: limits
limits: | $B/deps.mk
	$(Q)$(PY) plots/limits.py

# The pictures that README and handouts show: drawn from the kept records and traces.
KEPT_FIGURES := opening ladder latency-hiding-h200 sum-grid-h200 monte-carlo-h200 monte-carlo-switch-h200 multi-gpu-h200 multi-gpu-many-h200 poisson-h200 transfers-timeline-h200 transfers-copies-h200 black-scholes-time-h200 black-scholes-kernels-h200 reduction-table-h200-2e25 lanes-reduction-reduce1 lanes-reduction-reduce2 \
    tree-reduction-reduce3 banks-reduction-reduce2 lanes-divergence-branch_thread \
    sectors-coalescing-strided_copy banks-bank_conflicts-bank_loop4 sectors-matmul-mm_naive \
    matmul-traffic-emulator-h200 sectors-conv1d-conv_naive schedule-two-sm
KEPT_MOVIES := schedule-two-sm lanes-divergence-branch_thread sectors-coalescing-strided_copy \
    banks-bank_conflicts-bank_loop4 tree-reduction-reduce1
.PHONY: figures
figures: $B/slides/figures/.done
	$(Q)mkdir -p plots/figures
	$(Q)cp $(KEPT_FIGURES:%=$B/slides/figures/%.svg) $B/slides/figures/opening.png \
	    $(KEPT_MOVIES:%=$B/slides/figures/%.gif) plots/figures/
