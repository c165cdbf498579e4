/* streams.h - carries a plan's operations out: copies, launches and events on streams.
 *
 * Part of exec.c: where a plan has `memory`, each input and output has a place on the host, of that
 * kind, and (unless kernels use it there) another on the device. Streams are blocking ones, so that
 * work in the default stream comes before and after all of it.
 */
#ifndef RUN_STREAMS_H
#define RUN_STREAMS_H

#include "exec.h"

/* The host's place of buffer b, of so many bytes; into e->host_base[b]. False with a message. */
bool host_open(struct exec *e, int b, size_t bytes);
/* Do kernels use the host's place of buffer b? */
bool host_is_used(const struct exec *e, int b);

/* Streams and events. schedule_close() frees these and the host's places. */
bool schedule_open(struct exec *e);
/* Before each run, and no part of it: managed memory is put where it is then. */
bool schedule_prepare(struct exec *e);
/* All operations in their order; waits for the device, and looks at the results on the host. */
bool schedule_launch(struct exec *e);
void schedule_close(struct exec *e);

#endif
