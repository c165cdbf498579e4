/* unpack.h - what is in an archive that somebody else made, read in a box.
 *
 * libarchive reads what students made: it runs in a box of its own for each archive (grade-unpack,
 * unpack_main.c), which knows no other submission. The archive goes in, its members come out, one
 * after the other, and the end; nothing that comes out is trusted:
 *
 *      grader ── archive ──▶ grade-unpack
 *             ◀── struct member_head, path, bytes; …; the end, or what is wrong with it
 */
#ifndef GRADING_UNPACK_H
#define GRADING_UNPACK_H

#include "base/text.h"
#include "names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCHIVE_MAX_BYTES (1u << 30) /* of a class's */
#define MEMBERS_MAX       200000
#define MEMBERS_MAX_BYTES (1ull << 30) /* unpacked, of all members together */
#define MEMBER_PATH_MAX   4096

enum member_kind {
    MEMBER_FILE,
    MEMBER_NAME,   /* a file of whose bytes nothing is made */
    MEMBER_FOLDER, /* no bytes, here and below */
    MEMBER_LINK,   /* or a device, … */
    MEMBER_ENCRYPTED,
    MEMBER_LONG,    /* in its name, of which the first MEMBER_PATH_MAX bytes are given */
    MEMBER_LARGE,   /* more bytes than name_cap() */
    MEMBER_DAMAGED, /* the bytes are the reason */
    MEMBER_END,     /* the archive is whole */
    MEMBER_BROKEN,  /* it is not: the bytes are the reason */
    MEMBER_KINDS
};

enum { MEMBER_MAGIC = 0x4d454d42 };
struct member_head {
    uint32_t magic, kind, path_bytes, data_bytes;
    int64_t time; /* of the file, seconds since 1970; 0: not said */
};

struct member {
    enum member_kind kind;
    char *path, *data; /* the receiver's; data has a NUL after its bytes */
    size_t length;
    int64_t time;
};
typedef void take_member(void *user, struct member *m);

/* Hands over each member, then says whether the archive was whole; else adds to why what is
 * wrong. unpack_file() is for what a system or an instructor made, unpack_bytes() for what a
 * student did: its box has less time and memory. */
bool unpack_file(const char *path, take_member *take, void *user, struct text *why);
bool unpack_bytes(const void *data, size_t n, take_member *take, void *user, struct text *why);

#endif
