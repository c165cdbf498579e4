/* share.h - private to this folder: files that processes share (share.c).
 *
 * A shared thing is a file without a name (memfd): what it is in its first bytes, contents from
 * SHARE_START on. Who is given a ticket opens it through /proc/PID/fd of the process that made it.
 * A file goes when the last process that has it open or mapped is gone, however that ended, so that
 * nothing is left behind; what a process has open or mapped stays when another dies.
 */
#ifndef EMULATOR_SHARE_H
#define EMULATOR_SHARE_H

#include "emulator/base/mem.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SHARE_START 65536 /* a multiple of every system's pages */

enum share_kind { SHARE_MEMORY = 1, SHARE_EVENT, SHARE_POOL };

struct share { /* at the file's beginning */
    uint64_t magic;
    uint64_t key[2]; /* random: a ticket for another file, or none, is told */
    uint64_t size;   /* bytes of contents */
    uint32_t kind;
    int32_t device;
};

struct ticket { /* at most 64 bytes: what handles are */
    uint64_t magic, key[2];
    uint32_t kind;
    int32_t pid, file, zero; /* no bytes of it are undefined: handles are compared */
};

/* A file of so many bytes of contents that read as zero; -1: the system has none left. */
int share_new(struct share *s, enum share_kind kind, uint64_t size, int device);
/* Is this file one of that kind? */
bool share_read(int file, struct share *s, enum share_kind kind);
struct ticket share_ticket(const struct share *s, int file);
bool share_is_ticket(const struct ticket *t, enum share_kind kind); /* as far as it says */
/* The file behind a ticket, -1: that is none, of another kind, or its process has gone. */
int share_open(const struct ticket *t, struct share *s, enum share_kind kind);
/* Contents [at, at + size) of it, mapped; NULL: no room. *mapped: how many bytes munmap() takes. */
void *share_map(int file, uint64_t at, uint64_t size, uint64_t *mapped);
/* The same as memory of a device; NULL: no room. */
struct mem_alloc *share_adopt(int file, uint64_t at, uint64_t size, int device, enum mem_kind kind);

#endif
