# make outside-programs DIR=…: programs that others wrote, built and run (outside_programs.py).
# ONLY and AGAIN are expressions, LIMIT seconds, MEMORY GiB, ARGUMENTS a file, CHECK=0 leaves out the checks' run.
OUTSIDE := $(EMU)/tools/outside_programs.py
outside-programs: emulator
	$(Q)$(if $(DIR),,$(error DIR=… is a checkout of NVIDIA's cuda-samples, or of HeCBench))$(OUTSIDE) '$(DIR)' \
	    --out $B/outside/$(notdir $(patsubst %/,%,$(DIR))) --warprun $B/bin/warprun --nvcc $(CUDA)/bin/nvcc \
	    $(if $(ONLY),--only '$(ONLY)') $(if $(AGAIN),--again '$(AGAIN)') $(if $(LIMIT),--limit $(LIMIT)) \
	    $(if $(ARGUMENTS),--arguments '$(ARGUMENTS)') $(if $(MEMORY),--memory $(MEMORY)) $(if $(filter 0,$(CHECK)),--no-check)
test-outside: emulator
	$(Q)$(EMU)/tools/outside_test.sh $B $(CUDA)/bin/nvcc
ifneq ($(wildcard $(CUDA)/bin/nvcc),)
SUITES += outside
endif
.PHONY: outside-programs test-outside
