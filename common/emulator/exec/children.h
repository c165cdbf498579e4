/* children.h - what the threads of a grid ask for beside their own work: kernels, copies, fills.
 *
 * Interface: a launch of a kernel that uses the device runtime begins with children_begin() and
 * ends with children_end(), which hands out what its threads asked for, in the order in which it
 * is to be done. All of it waits for the grid's end, which the programming guide allows: a child
 * "is not guaranteed to begin execution until" then. device_call.c makes it from calls.
 *
 * Order: by block, and in a block as asked for, which keeps each stream's order and each event's;
 * but as it came, over all blocks, where blocks share a stream or event. Then what was launched
 * into the tail stream.
 */
#ifndef EMULATOR_CHILDREN_H
#define EMULATOR_CHILDREN_H

#include "exec.h"

enum { STREAM_OF_BLOCK = 0, STREAM_OF_THREAD = 2, STREAM_TAIL = 3, STREAM_FORGET = 4 };

void children_begin(struct launch *l);
struct device_work *children_end(struct launch *l);

/* Memory for the arguments of a launch to come, bytes of it at a device address; 0: no memory. *at:
 * what is kept of it. */
struct slot_of_launch {
    bool taken;     /* it was launched, once */
    bool known;     /* launch says what: GetParameterBufferV2 */
    uint32_t bytes; /* of arguments */
    struct emu_launch launch;
    const uint8_t *arguments; /* their contents */
};
uint64_t children_buffer(uint32_t bytes, struct slot_of_launch **at);
struct slot_of_launch *children_slot(uint64_t buffer); /* NULL: none begins there */

/* The k-th, from 1 on, of the grid's streams or events: its handle; 0: there are too many. */
uint64_t children_stream(const struct block *b);
uint64_t children_event(const struct block *b, uint64_t most);
/* Is there such a stream, such an event? This block uses it, ends it. */
bool children_use(const struct block *b, uint64_t handle, bool event, bool end);
/* Takes w over: its block has asked for it. False: no more than `most` may wait, on the device. */
bool children_add(const struct block *b, struct device_work *w, uint64_t most);
void children_wait(void); /* some stream of the grid's waits for an event */
/* True once a grid: its first error is to be told. */
bool children_tell(void);

#endif
