# labs.mk - tests of the labs' own tables and references. Included by the top Makefile.
LAB_TESTED := $(patsubst labs/%_test.c,%,$(wildcard $(foreach l,$(LABS),labs/$l/$l_test.c)))
LAB_TESTS := $(foreach t,$(LAB_TESTED),$B/test/lab_$(notdir $t))
SUITES += labs
.PHONY: test-labs

$(LAB_TESTS): $B/test/lab_%: $B/labs/%/harness.o $(RUNNER) $B/liblab.a $B/libbase.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) -o $@ $(CRITERION) -lm
$(foreach t,$(LAB_TESTED),$(eval $B/test/lab_$(notdir $t): $B/labs/$t_test.o | build/deps-test.ok))
test-labs: $(LAB_TESTS)
	$(Q)for t in $^; do $$t || exit 1; done
