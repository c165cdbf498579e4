/* diagnose.h - why is a kernel wrong? Looked for by running it again; nothing is guessed.
 *
 * Interface: diagnose(). In this order, until something is established:
 *   what stopped it, and what the checker finds (the emulator's)   finding.h
 *   parameters of another type than is passed, a value that is not returned (before all else),
 *   parameters used in each other's place,
 *   what stays from one run to the next
 *   what lanes bring that are not there, and variables that nothing has set
 *   elements never written, results that are transposed, of another type, or that no input changes
 *   right values of a matrix in other rows and columns
 *   what its outputs are made of                                   probe.h
 *   results that stand in each other's places, or once more; by how much, or how many times, all
 *   of them, or all that are wrong, are off
 *   where an example is all there is: one small change of the file with which it is right   edits.h
 *   launch records with which it is right
 * and beside it the least size at which it goes wrong.
 */
#ifndef HARNESS_DIAGNOSE_H
#define HARNESS_DIAGNOSE_H

#include "experiment.h"
#include "probe.h"

/* failed: the cases on which it is wrong, at least one. path: what the file is called. The
 * experiment's budget is set here. */
void diagnose(struct experiment *x, const struct lab_case *const *failed, int nfailed,
              const char *path, struct diagnosis *d);
/* Of a whole program: what the checker finds, which call was refused, what it has not launched or
 * copied, and what its result is made of, whatever status it ends with. No kernel of it can be
 * tried alone. */
void diagnose_program(struct experiment *x, const struct lab_case *const *failed, int nfailed,
                      const char *path, struct diagnosis *d);
/* Of a kernel whose results are right: what the checker finds on one small case (of these) of
 * several warps and, where there is one, several blocks; or nothing. Of a program, too: what it
 * does when its calls fail, and when numbers come back wrong, and which of its lab's goals it
 * misses. */
void diagnose_right(struct experiment *x, const struct lab_case *const *cases, int ncases,
                    const char *path, struct diagnosis *d);
/* It writes nothing, or the same for every input: it is still to be written. */
bool diagnose_nothing(struct experiment *x, const struct lab_case *const *failed, int nfailed);
void diagnosis_free(struct diagnosis *d);

#endif
