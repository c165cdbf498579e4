/* copies.h - what a warp keeps of its cp.async until it waits for them (async.c, exec/coming.c). */
#ifndef EXEC_OPS_COPIES_H
#define EXEC_OPS_COPIES_H

#include <stdbool.h>
#include <stdint.h>

struct insn;

struct copy {
    uint32_t mask, size;
    uint32_t group; /* commit group it belongs to */
    const struct insn *in;
    uint64_t to[32], from[32];
    uint32_t bytes[32];    /* read from the source; the rest is zeros */
    bool committed, again; /* asked for after something was used */
    uint64_t since; /* warp_floats() at the commit; before it, where it matters, at the copy */
    uint64_t clock; /* follow_clock() then */
};
struct async { /* head of an allocation that holds the copies, too; freed by warp.c */
    uint32_t n, capacity;
    uint32_t group; /* being filled */
    struct {        /* last: by which instruction and lanes, and the group being filled then */
        const struct insn *in;
        uint32_t mask, group;
        bool idle; /* that was the same at the wait before */
    } wait;
    struct copy copies[];
};

#endif
