# Figures and pictures. `make plots` from the newest records, `make plots RECORDS="a.csv b.csv"`.
PY ?= $(if $(wildcard .venv/bin/python),.venv/bin/python,python3)
PLOTS_NEED = $(PY) -c 'import matplotlib' 2>/dev/null || \
    { echo "plots: matplotlib is missing for $(PY): python3 -m venv .venv && .venv/bin/pip install matplotlib" >&2; exit 1; }

.PHONY: plots plots-changed picture marks test-plots
plots:
	@$(PLOTS_NEED)
	$(Q)MPLCONFIGDIR=$B/mpl $(PY) plots/all_figures.py --out $B/plots $(RECORDS)

# The same when records or scripts have changed.
$B/plots/.done: $(wildcard plots/*.py plots/*.csv $B/records/*.csv) $(shell find plots/records -name '*.csv')
	$(Q)$(MAKE) --no-print-directory plots && touch $@
plots-changed:
	$(Q)if $(MAKE) -q $B/plots/.done; then echo 'figures: nothing has changed (make plots: again)'; \
	 else $(MAKE) --no-print-directory $B/plots/.done; fi

# make picture LAB=reduction KERNEL=2 [KIND=lanes|tree|sectors|banks] [ANIMATE=1] [N=… PARAM=… BLOCK=… SOLUTION=1]
picture: $(if $(TRACE),,$(RUNTIME_emulator) $(addprefix $B/bin/,$(filter $(LAB),$(LABS))))
	@$(PLOTS_NEED)
	$(Q)MPLCONFIGDIR=$B/mpl $(PY) plots/picture.py --build $B --out $B/plots --lab '$(LAB)' --kernel '$(KERNEL)' \
	    $(if $(KIND),--kind $(KIND)) $(if $(filter 1,$(ANIMATE)),--animate) $(if $(N),--n '$(N)') $(if $(PARAM),--param $(PARAM)) $(if $(SOLUTION),--solution) $(if $(BLOCK),--block $(BLOCK)) $(if $(TRACE),--trace $(TRACE))

# make marks EXPORT=class.csv
marks:
	@[ -n '$(EXPORT)' ] || { echo 'marks: of which class? EXPORT=FILE.csv, as the grader exports it' >&2; exit 1; }
	@$(PLOTS_NEED)
	$(Q)MPLCONFIGDIR=$B/mpl PLOTS_OUT=$B/plots $(PY) plots/fig_marks.py $(EXPORT)

test-plots:
	$(Q)MPLCONFIGDIR=$B/mpl $(PY) -m pytest -q plots slides

# Records to keep: `make records` runs every solution on every case and writes plots/records/
# (RECORD_AS=h200 on that GPU; emulator by default), and the traces of the kept pictures.
# The emulator also counts some cases that a GPU's counters are kept for, of those it does in
# seconds: the figure `counters` sets them side by side.
BESIDE_coalescing := --case stride=1-n=2^25,stride=8-n=2^25,offset=1-n=2^25,particles=2^22,8192x4096
BESIDE_divergence := --case branch-n=2^22,paths=4-n=2^22,mixed-n=2^22,data-n=2^22
BESIDE_bank_conflicts := --kernel bank_once,transpose_conflict,transpose_padded,transpose_swizzled \
    --case 'stride=1 n=2^22,stride=32 n=2^22,4096x4096'
BESIDE_conv1d := --case 'width=3 n=2^24,width=15 n=2^24'
BESIDE_matmul := --case 'n=1024,f16 n=1024'
RECORD_AS ?= $(if $(filter gpu,$(BACKEND)),gpu,emulator)
.PHONY: records
records: programs
	$(Q)mkdir -p plots/records/$(RECORD_AS)
	$(Q)for lab in $(or $(LAB),$(LABS)); do echo "== $$lab"; \
	    $(ON) $B/bin/$$lab --solution --csv=plots/records/$(RECORD_AS)/$$lab.csv $(ARGS) >$B/records-$$lab.log 2>&1 || \
	    { tail -5 $B/records-$$lab.log; exit 1; }; done
ifeq ($(RECORD_AS),emulator)
	$(Q)$(MAKE) --no-print-directory records-beside
	$(Q)WARPLAB_DEVICE=g80 $(ON) $B/bin/reduction --solution --kernel 1,2,3,4,5,6,7,8 --case n=2^22 \
	    --csv=plots/records/emulator/reduction-g80.csv >$B/records-g80.log 2>&1 || { tail -5 $B/records-g80.log; exit 1; }
	$(Q)sed -i '1s/^# command: /&WARPLAB_DEVICE=g80 /' plots/records/emulator/reduction-g80.csv
	$(Q)$(PY) plots/picture.py --keep --build $B
endif

define beside
	$(Q)$(ON_emulator) $B/bin/$1 --solution $(BESIDE_$1) --csv=plots/records/emulator/$1-beside.csv >$B/records-$1.log 2>&1 || \
	    { tail -5 $B/records-$1.log; exit 1; }

endef
.PHONY: records-beside
records-beside: programs
	$(foreach l,$(or $(LAB),$(LABS)),$(if $(BESIDE_$l),$(call beside,$l)))

# The pictures that README and handouts show: drawn from the kept records and traces.
KEPT_FIGURES := opening ladder reduction-table-h200-2e25 lanes-reduction-reduce1 lanes-reduction-reduce2 \
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
