# student.mk - the package for students, and what is other in it. Included by the top Makefile.
STUDENT = $B/student/warplab-$(RELEASE).tar.gz
.PHONY: smoke student-package test-student
# every lab's skeleton, run and checked
smoke: $(RUNTIME_emulator) $(LAB_BINS)
	$(ENDSTEP)
	$(Q)common/student/smoke.sh '$(ON_emulator)' $B/bin $(or $(LAB),$(LABS))

ifneq ($(wildcard solutions),)
# also a suite of `make test`
student-package:
	$(Q)common/student/package.sh $(STUDENT) && echo '$(STUDENT)'
test-student: student-package
	$(Q)common/student/package_test.sh $(STUDENT) '$(CC)'
else
# It is the package: marks are the instructor's.
.PHONY: grade
grade:
	@echo 'make grade is for instructors; make run LAB=$(or $(LAB),…) CHECK=1 is as strict about your own cases' >&2; exit 2
endif
