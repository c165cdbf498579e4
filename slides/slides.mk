# Decks: Markdown with references to records, expanded, then pandoc to Beamer.
#   NAME.pdf the slides, NAME-notes.pdf with the speaker's notes, NAME-handout.pdf to print.
DECKS := $(patsubst slides/%.md,%,$(filter-out slides/README.md,$(wildcard slides/*.md)))
SLIDES_OUT := $B/slides
SLIDES_RECORDS ?= plots/records
SLIDES_KEPT := $(shell find $(SLIDES_RECORDS) plots/records -type f 2>/dev/null)
DRAFT ?= 0

.PHONY: slides slides-tools slides-figures claims
SLIDES_PDF := $(foreach d,$(DECKS),$(SLIDES_OUT)/$d.pdf $(SLIDES_OUT)/$d-notes.pdf $(SLIDES_OUT)/$d-handout.pdf)
SLIDES_SAY = $(eval SLIDES_AT += x)@echo 'slides: PDF $(words $(SLIDES_AT)) of at most $(words $(SLIDES_PDF)): $@'
slides: slides-tools $(SLIDES_PDF)
	@echo 'slides: in $(SLIDES_OUT), a lab each: NAME.pdf to show, NAME-notes.pdf to speak from, NAME-handout.pdf to print'

slides-tools: | build/deps-slides.ok
	@miss=; command -v pandoc >/dev/null || miss="$$miss pandoc"; \
	command -v pdftotext >/dev/null || miss="$$miss poppler-utils"; \
	command -v pdflatex >/dev/null || miss="$$miss texlive-latex-base"; \
	command -v kpsewhich >/dev/null && kpsewhich beamer.cls >/dev/null || miss="$$miss texlive-latex-recommended"; \
	command -v kpsewhich >/dev/null && kpsewhich newunicodechar.sty >/dev/null || miss="$$miss texlive-latex-extra"; \
	command -v kpsewhich >/dev/null && kpsewhich lmodern.sty >/dev/null || miss="$$miss lmodern"; \
	command -v kpsewhich >/dev/null && kpsewhich tgheros.sty >/dev/null || miss="$$miss tex-gyre"; \
	if [ -n "$$miss" ]; then echo "slides: missing:$$miss. Install with: apt-get install$$miss" >&2; exit 1; fi
	@$(PLOTS_NEED)

# Figures of the decks come from the kept records alone, whatever was run here since.
$(SLIDES_OUT)/figures/.done: $(filter-out plots/test_%,$(wildcard plots/*.py plots/*.csv)) $(SLIDES_KEPT)
	@echo 'slides: drawing the figures of the decks, a minute or two'
	@rm -rf $(@D).new && mkdir -p $(@D).new
	$(Q)$(PY) plots/all_figures.py --out $(@D).new $(SLIDES_RECORDS) >$(@D).new/log || { cat $(@D).new/log; exit 1; }
	$(Q)$(PY) plots/picture.py --kept --out $(@D).new >>$(@D).new/log
	@rm -rf $(@D) && mv $(@D).new $(@D) && touch $@
slides-figures: $(SLIDES_OUT)/figures/.done

$(SLIDES_OUT)/%.expanded.md: slides/%.md slides/expand.py slides/refs.py $(SLIDES_OUT)/figures/.done | slides-tools
	$(Q)$(PY) slides/expand.py --records $(SLIDES_RECORDS) $(if $(filter 1,$(DRAFT)),--draft) --figures $(SLIDES_OUT)/figures $< $@

PANDOC = pandoc -s -f markdown -t beamer --slide-level=2 --columns=400 \
    --metadata-file=slides/deck.yaml -H slides/deck.tex
TYPESET = $(PY) slides/typeset.py $(if $(filter 1,$(DRAFT)),--draft) --deck slides/$*.md
DECK_LOOK := slides/deck.yaml slides/deck.tex slides/typeset.py
$(SLIDES_OUT)/%-notes.pdf: $(SLIDES_OUT)/%.expanded.md $(DECK_LOOK) slides/notes.tex
	$(SLIDES_SAY)
	$(Q)$(PANDOC) -V classoption=handout -H slides/notes.tex $< -o $(@:.pdf=.tex) && $(TYPESET) $(@:.pdf=.tex) $@
$(SLIDES_OUT)/%-handout.pdf: $(SLIDES_OUT)/%.expanded.md $(DECK_LOOK) slides/handout.tex
	$(SLIDES_SAY)
	$(Q)$(PANDOC) -V classoption=handout -M section-titles=false -H slides/handout.tex $< -o $(@:.pdf=.tex) && $(TYPESET) $(@:.pdf=.tex) $@
$(SLIDES_OUT)/%.pdf: $(SLIDES_OUT)/%.expanded.md $(DECK_LOOK)
	$(SLIDES_SAY)
	$(Q)$(PANDOC) $< -o $(@:.pdf=.tex) && $(TYPESET) $(@:.pdf=.tex) $@
.PRECIOUS: $(SLIDES_OUT)/%.expanded.md

claims:
	$(Q)$(PY) slides/claims.py
