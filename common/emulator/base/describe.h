/* describe.h - an address in words. */
#ifndef EMULATOR_DESCRIBE_H
#define EMULATOR_DESCRIBE_H

#include "base/text.h"
#include "mem.h"

/* Adds "12 bytes after a 4096-byte block from cudaMalloc (allocation 3)" and the like, for any
 * address; windows of shared, local and parameter memory included. Of an array that has a name
 * (mem_name()) "in[1004], of 1001 elements". */
void mem_describe(struct text *t, uint64_t addr);
/* "a freed 4096-byte block from cudaMalloc (allocation 3)" */
void mem_describe_allocation(struct text *t, const struct mem_alloc *a);

#endif
