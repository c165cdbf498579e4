/* unpack.c - the grader's side of unpacking. See unpack.h. */
#include "unpack.h"
#include "base/alloc.h"
#include "grading/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define TIME_MAX 100000000000 /* the year 5138 */

struct limits {
    double cpu_s, wall_s;
    size_t address_bytes;
    uint64_t member_bytes; /* of all members together */
};
static const struct limits of_class = {600, 7200, 4ull << 30, MEMBERS_MAX_BYTES},
                           of_student = {5, 120, 1ull << 30, 64u << 20};

static bool start(struct box *b, const struct limits *l)
{
    const char *argv[] = {"/box/build/bin/grade-unpack", NULL},
               *env[] = {BOX_SANITIZER_ENV NULL, NULL};
    char *program = xformat("%s/grade-unpack", boxed_programs());
    struct box_spec spec = {.argv = argv,
                            .binds = {{program, argv[0]}},
                            .nbinds = 1,
                            .env = env,
                            .cpu_s = l->cpu_s,
                            .wall_s = l->wall_s,
                            .address_bytes = BOX_ADDRESS_LIMIT(l->address_bytes),
                            .file_bytes = 4096,
                            .log_cap = 4096,
                            .no_proc = BOX_NO_PROC};
    bool ok = box_start(b, &spec);
    free(program);
    return ok;
}

/* ---- what comes out ---- */

/* n bytes and a NUL, or NULL. */
static char *receive_bytes(struct box *b, size_t n)
{
    char *s = xmalloc(n + 1);
    s[n] = 0;
    if (box_receive(b, s, n))
        return s;
    free(s);
    return NULL;
}

static bool plausible(const struct member_head *h)
{
    return h->magic == MEMBER_MAGIC && h->kind < MEMBER_KINDS && h->path_bytes <= MEMBER_PATH_MAX &&
           h->data_bytes <= METADATA_MAX_BYTES;
}

/* The next member, whose text is the receiver's. False: the box ended, or it is no member. */
static bool receive(struct box *b, struct member *m)
{
    struct member_head h;
    *m = (struct member){.path = NULL};
    if (!box_receive(b, &h, sizeof(h)) || !plausible(&h))
        return false;
    m->kind = h.kind;
    m->time = h.time > 0 && h.time < TIME_MAX ? h.time : 0;
    m->path = receive_bytes(b, h.path_bytes);
    m->length = h.data_bytes;
    m->data = m->path ? receive_bytes(b, h.data_bytes) : NULL;
    bool ok = m->data && strlen(m->path) == h.path_bytes &&
              (m->kind != MEMBER_FILE || m->length <= name_cap(m->path));
    if (ok)
        return true;
    free(m->path);
    free(m->data);
    return false;
}

static void say_broken(const struct member *m, struct text *why)
{
    char *safe = name_printable(m->data);
    text_cut(why, safe, 200);
    free(safe);
}

/* Until the end that the box tells. False: said why, or the box ended without one. */
static bool receive_all(struct box *b, const struct limits *l, take_member *take, void *user,
                        struct text *why)
{
    struct member m;
    uint64_t bytes = 0;
    int n = 0;
    while (receive(b, &m)) {
        bool end = m.kind == MEMBER_END || m.kind == MEMBER_BROKEN;
        bytes += m.length + strlen(m.path);
        if (m.kind == MEMBER_BROKEN)
            say_broken(&m, why);
        else if (!end && (bytes > l->member_bytes || ++n > MEMBERS_MAX))
            text_addf(why, "more than %d files or %llu MiB to read in it: refused", MEMBERS_MAX,
                      (unsigned long long)(l->member_bytes >> 20));
        if (!end && !why->length) {
            take(user, &m);
            continue;
        }
        free(m.path);
        free(m.data);
        return !why->length;
    }
    return false;
}

static void say_why(const struct box *b, const struct limits *l, struct text *why)
{
    if (why->length)
        return;
    if (b->end == BOX_NO_START)
        text_addf(why, "the sandbox does not work here, so nothing is unpacked: %s",
                  text_str(&b->log));
    else if (b->end == BOX_TIMEOUT || b->exit_code >= 128)
        text_addf(why, "it takes more than %g s or %zu MiB to unpack: refused", l->cpu_s,
                  l->address_bytes >> 20);
    else
        text_addf(why, "it cannot be unpacked: %s",
                  b->log.length ? b->log.s : "the unpacker ended early");
}

/* ---- what goes in ---- */

typedef bool feed(struct box *b, const void *source, size_t n, struct text *why);

static bool feed_bytes(struct box *b, const void *data, size_t n, struct text *why)
{
    (void)why;
    return box_send(b, data, n);
}

static bool feed_file(struct box *b, const void *descriptor, size_t n, struct text *why)
{
    static char chunk[1 << 20];
    int fd = *(const int *)descriptor;
    (void)n;
    uint64_t all = 0;
    for (ssize_t got; (got = read(fd, chunk, sizeof(chunk))) != 0;) {
        all += got > 0 ? (uint64_t)got : 0;
        if (all > ARCHIVE_MAX_BYTES)
            text_addf(why, "it is larger than %u MiB: unpack it, and name the folder",
                      ARCHIVE_MAX_BYTES >> 20);
        else if (got < 0 && errno != EINTR)
            text_add(why, strerror(errno));
        if (why->length || (got > 0 && !box_send(b, chunk, (size_t)got)))
            return false;
    }
    return true;
}

static bool unpack(feed *fill, const void *source, size_t n, const struct limits *l,
                   take_member *take, void *user, struct text *why)
{
    struct box b;
    bool ok = start(&b, l) && fill(&b, source, n, why);
    if (ok) {
        box_end_input(&b);
        ok = receive_all(&b, l, take, user, why);
    }
    if (!ok && why->length && b.end == BOX_RUNNING)
        box_deadline(&b, 0); /* nothing more is wanted of it */
    if (b.end != BOX_NO_START)
        box_finish(&b);
    if (!ok)
        say_why(&b, l, why);
    box_close(&b);
    return ok;
}

bool unpack_file(const char *path, take_member *take, void *user, struct text *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        text_add(why, strerror(errno));
        return false;
    }
    bool ok = unpack(feed_file, &fd, 0, &of_class, take, user, why);
    close(fd);
    return ok;
}

bool unpack_bytes(const void *data, size_t n, take_member *take, void *user, struct text *why)
{
    return unpack(feed_bytes, data, n, &of_student, take, user, why);
}
