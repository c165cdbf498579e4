/* look.h - runs that look at the same thing again, and see what the first one saw.
 *
 * A module's variables live on from run to run. A kernel that counts in one of them would know the
 * run in which its loads are disturbed, or which is checked, as it has been asked the same before.
 * So the variables are kept as they were before the first run of a number; each later run of it
 * begins with these, and leaves behind what was there.
 *
 * A run apart (of which only a part may run) begins with what is there, and leaves it so.
 *
 * Not modelled: those of modules that were loaded since.
 */
#ifndef RUN_LOOK_H
#define RUN_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#define LOOK_APART UINT64_MAX

/* 0: this run is one for itself. False: what is to be kept of all numbers takes too much memory. */
bool look_begin(uint64_t number);
void look_end(void); /* when nothing runs any more */

#endif
