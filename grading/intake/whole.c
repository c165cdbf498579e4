/* whole.c - see whole.h. */
#include "whole.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

static size_t used_of(const char *p, size_t n)
{
    while (n && !p[n - 1])
        n--;
    return n;
}

/* ---- gzip (RFC 1952) ---- */

static struct gzip {
    z_stream z;
    bool ended;
    char chunk[1 << 16];
} gzip;

static la_ssize_t damaged(struct archive *a, int result)
{
    if (result == Z_BUF_ERROR)
        archive_set_error(a, EINVAL, "its gzip data ends too soon: it was cut");
    else
        archive_set_error(a, EINVAL, "its gzip data is damaged: %s",
                          gzip.z.msg ? gzip.z.msg : "no sense in it");
    return ARCHIVE_FATAL;
}

/* The next bytes; 0: the end. Behind a member there may be another, or zeros. */
static la_ssize_t inflate_some(struct archive *a, void *user, const void **out)
{
    (void)user;
    *out = gzip.chunk;
    gzip.z.next_out = (Bytef *)gzip.chunk;
    gzip.z.avail_out = sizeof(gzip.chunk);
    while (!gzip.ended && gzip.z.avail_out == sizeof(gzip.chunk)) {
        int r = inflate(&gzip.z, Z_NO_FLUSH);
        if (r != Z_OK && r != Z_STREAM_END)
            return damaged(a, r);
        if (r == Z_OK)
            continue;
        gzip.ended = !used_of((const char *)gzip.z.next_in, gzip.z.avail_in);
        inflateReset(&gzip.z);
    }
    return (la_ssize_t)(sizeof(gzip.chunk) - gzip.z.avail_out);
}

static int close_gzip(struct archive *a, void *user)
{
    (void)a;
    (void)user;
    inflateEnd(&gzip.z);
    return ARCHIVE_OK;
}

int whole_open(struct archive *a, const char *data, size_t n)
{
    enum { ONLY_GZIP = 16 };
    if (n < 2 || memcmp(data, "\x1f\x8b", 2))
        return archive_read_open_memory(a, data, n);
    gzip = (struct gzip){.z = {.next_in = (Bytef *)data, .avail_in = (uInt)n}};
    if (n > UINT32_MAX || inflateInit2(&gzip.z, MAX_WBITS + ONLY_GZIP) != Z_OK) {
        archive_set_error(a, ENOMEM, "too large to be inflated");
        return ARCHIVE_FATAL;
    }
    return archive_read_open(a, NULL, NULL, inflate_some, close_gzip);
}

bool whole_extent(struct archive *a, int64_t most, struct extent *x)
{
    struct archive_entry *e;
    const void *block;
    size_t n;
    la_int64_t at;
    *x = (struct extent){0};
    int r = archive_read_next_header(a, &e);
    while (r == ARCHIVE_OK && x->bytes <= most) {
        r = archive_read_data_block(a, &block, &n, &at);
        size_t used = r == ARCHIVE_OK ? used_of(block, n) : 0;
        x->used = used ? x->bytes + (int64_t)used : x->used;
        x->bytes += r == ARCHIVE_OK ? (int64_t)n : 0;
    }
    return r == ARCHIVE_OK || r == ARCHIVE_EOF;
}

/* ---- zip (APPNOTE.TXT 4.3) ----
 *
 *      before member: PK 3 4, …, its name
 *      list:          PK 1 2, …, its name, where it is       one a member
 *      end record:    PK 5 6, …, how many, the list's size and place
 */

enum { LOCAL = 30, LISTED = 46, RECORD = 22, LOCATOR = 20, RECORD64 = 56, COMMENT_MOST = 65535 };

struct list {
    uint64_t at, size, shift; /* shift: bytes before the zip, of a program that unpacks it */
    uint64_t members, wraps;  /* members are counted modulo this */
};

static uint64_t number(const char *p, int bytes)
{
    uint64_t v = 0;
    for (int i = bytes; i-- > 0;)
        v = v << 8 | (unsigned char)p[i];
    return v;
}

static bool is_at(const char *data, size_t n, uint64_t at, const char *mark, size_t room)
{
    return at <= n && room <= n - at && !memcmp(data + at, mark, 4);
}

/* The list of `size` bytes ends where its record begins. */
static bool set_list(struct list *l, uint64_t record, uint64_t size, uint64_t place)
{
    if (size > record || place > record - size)
        return false;
    l->size = size;
    l->at = record - size;
    l->shift = l->at - place;
    return true;
}

/* In a zip of 64 bits a longer record stands before the end record, and a locator between. */
static bool find_list64(struct list *l, const char *data, size_t n, uint64_t end)
{
    if (end < LOCATOR + RECORD64 || !is_at(data, n, end - LOCATOR, "PK\6\7", LOCATOR))
        return false;
    uint64_t at = number(data + end - LOCATOR + 8, 8);
    if (!is_at(data, n, at, "PK\6\6", RECORD64))
        at = end - LOCATOR - RECORD64;
    if (!is_at(data, n, at, "PK\6\6", RECORD64))
        return false;
    const char *p = data + at;
    l->members = number(p + 32, 8);
    l->wraps = UINT64_MAX;
    return set_list(l, at, number(p + 40, 8), number(p + 48, 8));
}

/* Where a zip was cut, the end record of a smaller one inside may come last: its numbers do not
 * fit where it stands, unless the one inside is all there is, from the first byte on. */
static bool find_list(struct list *l, const char *data, size_t n)
{
    bool from_start = is_at(data, n, 0, "PK\3\4", LOCAL);
    for (size_t back = RECORD; back <= n && back <= RECORD + COMMENT_MOST; back++) {
        const char *p = data + n - back;
        if (memcmp(p, "PK\5\6", 4))
            continue;
        *l = (struct list){.members = number(p + 10, 2), .wraps = 1 << 16};
        if ((find_list64(l, data, n, n - back) ||
             set_list(l, n - back, number(p + 12, 4), number(p + 16, 4))) &&
            !(from_start && l->shift))
            return true;
    }
    return false;
}

/* Where the listed member is. What 32 bits cannot hold is in an extra field (4.5.3), the two
 * sizes first. */
static uint64_t place_of(const char *p, size_t extra, size_t extra_bytes)
{
    uint64_t place = number(p + 42, 4);
    size_t before =
        8 * ((size_t)(number(p + 24, 4) == UINT32_MAX) + (size_t)(number(p + 20, 4) == UINT32_MAX));
    for (size_t i = 0; place == UINT32_MAX && i + 4 <= extra_bytes;) {
        const char *x = p + extra + i;
        size_t bytes = number(x + 2, 2);
        if (number(x, 2) == 1 && before + 8 <= bytes && i + 4 + bytes <= extra_bytes)
            return number(x + 4 + before, 8);
        i += 4 + bytes;
    }
    return place;
}

static bool says_folder(const char *p)
{
    enum { MADE_ON_UNIX = 3, DOS_FOLDER = 0x10, UNIX_KIND = 0170000, UNIX_FOLDER = 0040000 };
    uint64_t attributes = number(p + 38, 4);
    return attributes & DOS_FOLDER ||
           (p[5] == MADE_ON_UNIX && (attributes >> 16 & UNIX_KIND) == UNIX_FOLDER);
}

/* Whether the member listed at p is what stands where it is said to be. */
static bool agrees(const char *data, size_t n, const struct list *l, const char *p, size_t name)
{
    size_t extra = number(p + 30, 2);
    uint64_t at = place_of(p, LISTED + name, extra) + l->shift;
    if (!is_at(data, n, at, "PK\3\4", LOCAL + name))
        return false;
    const char *local = data + at;
    bool encrypted = number(local + 6, 2) & 1;
    bool folder = name && p[LISTED + name - 1] == '/';
    return number(local + 26, 2) == name && !memcmp(local + LOCAL, p + LISTED, name) &&
           number(local + 8, 2) == number(p + 10, 2) && /* how it is packed */
           encrypted == (number(p + 8, 2) & 1) && (folder || !says_folder(p) || !number(p + 24, 4));
}

const char *zip_damage(const char *data, size_t n)
{
    struct list l;
    uint64_t members = 0, i = 0;
    if (!find_list(&l, data, n))
        return "a zip without its list of files: it was cut";
    while (i < l.size && is_at(data, n, l.at + i, "PK\1\2", LISTED)) {
        const char *p = data + l.at + i;
        uint64_t name = number(p + 28, 2),
                 whole = LISTED + name + number(p + 30, 2) + number(p + 32, 2);
        if (whole > l.size - i || !agrees(data, n, &l, p, name))
            return "a zip whose list of files is not of what is in it: it is damaged";
        i += whole;
        members++;
    }
    if (i < l.size || members % l.wraps != l.members)
        return "a zip whose list of files is damaged";
    return members ? NULL : "nothing is in it";
}
