/* timeline.h - when each step of a schedule ran, as CSV: a row a step, ms from the first's issue.
 * On a GPU a step begins when its stream comes to it, though the engine may be busy still.
 *
 *   lab,variant,case,n,device,evidence,memory,step,what,rank,stream,offset,elements,bytes,start_ms,
 *   end_ms
 */
#ifndef HARNESS_TIMELINE_H
#define HARNESS_TIMELINE_H

#include "lab/job.h"
#include "report.h"

void timeline_head(struct text *t, const char *command);
/* Nothing where nothing is known of its operations. */
void timeline_add(struct text *t, const struct lab *lab, const struct machine *m,
                  const struct entry *x, const struct plan *p, const struct outputs *o);

#endif
