/* unpack_main.c - build/bin/grade-unpack, in its box: an archive on standard input, its members on
 * standard output (unpack.h).
 *
 * Formats and filters are named one by one: some that libarchive knows are other programs that
 * it would start. What it does not look at, whole.h does: nothing is handed over of an archive
 * that was cut or is damaged.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "unpack.h"
#include "whole.h"

#include <archive.h>
#include <archive_entry.h>
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNPACKED_MOST                                                                              \
    ((int64_t)(8 * MEMBERS_MAX_BYTES)) /* of what a tar or a member is packed in */

static int answer; /* standard output's descriptor; nothing else may write to it */

static void put(const void *data, size_t n)
{
    if (file_write_fd(answer, data, n))
        _exit(3);
}

static void put_member(enum member_kind kind, const char *path, int64_t time, const char *data,
                       size_t n)
{
    struct member_head h = {.magic = MEMBER_MAGIC,
                            .kind = kind,
                            .path_bytes = (uint32_t)strnlen(path, MEMBER_PATH_MAX),
                            .data_bytes = (uint32_t)n,
                            .time = time};
    put(&h, sizeof(h));
    put(path, h.path_bytes);
    put(data, n);
}

static void put_reason(enum member_kind kind, const char *path, const char *reason)
{
    put_member(kind, path, 0, reason, strlen(reason));
}

static _Noreturn void broken(const char *reason)
{
    put_reason(MEMBER_BROKEN, "", reason);
    exit(0);
}

static char *read_input(size_t *length)
{
    char *s;
    int e = file_read_fd(0, SIZE_MAX / 2, &s, length);
    if (e)
        die("cannot read the archive: %s", strerror(e));
    return s;
}

/* One line, for free(). */
static char *reason_of(struct archive *a)
{
    const char *s = archive_error_string(a);
    return s ? xformat("%.*s", (int)strcspn(s, "\n"), s) : xstrdup("damaged");
}

static struct archive *open_with(int (*const known[])(struct archive *), const char *data, size_t n)
{
    struct archive *a = archive_read_new();
    for (int i = 0; a && known[i]; i++)
        known[i](a);
    if (!a || whole_open(a, data, n) != ARCHIVE_OK)
        broken(a ? reason_of(a) : "out of memory");
    return a;
}

static struct archive *open_archive(const char *data, size_t n)
{
    static int (*const known[])(struct archive *) = {archive_read_support_format_zip_seekable,
                                                     archive_read_support_format_tar,
                                                     archive_read_support_format_7zip,
                                                     archive_read_support_filter_bzip2,
                                                     archive_read_support_filter_xz,
                                                     archive_read_support_filter_zstd,
                                                     NULL};
    return open_with(known, data, n);
}

/* Reads all that was packed, before any of it is taken. */
static struct extent extent_of(const char *data, size_t n)
{
    static int (*const known[])(struct archive *) = {
        archive_read_support_format_raw,   archive_read_support_format_empty,
        archive_read_support_filter_bzip2, archive_read_support_filter_xz,
        archive_read_support_filter_zstd,  NULL};
    struct archive *a = open_with(known, data, n);
    struct extent x;
    if (!whole_extent(a, UNPACKED_MOST, &x))
        broken(reason_of(a));
    if (x.bytes > UNPACKED_MOST)
        broken("more than 8 GiB in it when unpacked: refused");
    archive_read_free(a);
    return x;
}

static int format_of(struct archive *a)
{
    return archive_format(a) & ARCHIVE_FORMAT_BASE_MASK;
}

/* With nothing before it; an empty one has its end record alone. */
static bool is_zip(const char *data, size_t n)
{
    return n > 3 && (!memcmp(data, "PK\3\4", 4) || !memcmp(data, "PK\5\6", 4));
}

static const char *path_of(struct archive_entry *e)
{
    const char *p = archive_entry_pathname(e);
    if (!p)
        p = archive_entry_pathname_utf8(e);
    return p ? p : "";
}

static void put_file(struct archive *a, const char *path, int64_t time)
{
    struct text t = {0};
    size_t cap = name_cap(path);
    char chunk[65536];
    la_ssize_t n = 1;
    while (cap && t.length <= cap && (n = archive_read_data(a, chunk, sizeof(chunk))) > 0)
        text_bytes(&t, chunk, (size_t)n);
    char *reason = n < 0 ? reason_of(a) : NULL;
    if (reason)
        put_reason(MEMBER_DAMAGED, path, reason);
    else if (!cap)
        put_member(MEMBER_NAME, path, time, "", 0);
    else if (t.length > cap)
        put_member(MEMBER_LARGE, path, time, "", 0);
    else
        put_member(MEMBER_FILE, path, time, text_str(&t), t.length);
    text_free(&t);
    free(reason);
}

static void put_entry(struct archive *a, struct archive_entry *e)
{
    const char *path = path_of(e);
    int64_t time = archive_entry_mtime_is_set(e) ? archive_entry_mtime(e) : 0;
    if (strlen(path) > MEMBER_PATH_MAX)
        put_member(MEMBER_LONG, path, time, "", 0);
    else if (archive_entry_hardlink(e))
        put_member(MEMBER_LINK, path, time, "", 0);
    else if (archive_entry_filetype(e) == AE_IFDIR)
        put_member(MEMBER_FOLDER, path, time, "", 0);
    else if (archive_entry_filetype(e) != AE_IFREG)
        put_member(MEMBER_LINK, path, time, "", 0);
    else if (archive_entry_is_encrypted(e))
        put_member(MEMBER_ENCRYPTED, path, time, "", 0);
    else
        put_file(a, path, time);
}

/* A tar ends with two blocks of zeros, and nothing else follows them. Where there is but one, a
 * member's header may have been lost, or it was cut. */
static void check_tars_end(int64_t members, int64_t end, const struct extent *x)
{
    enum { TWO_BLOCKS = 1024 };
    if (x->used > end)
        broken("there is more behind what looks like its end: it is damaged");
    if (end - members < TWO_BLOCKS)
        broken("its end is missing: it was cut");
}

static void put_all(struct archive *a, const char *data, size_t length, const struct extent *x)
{
    struct archive_entry *e;
    int r, n = 0;
    int64_t before = 0;
    while ((r = archive_read_next_header(a, &e)) == ARCHIVE_OK || r == ARCHIVE_WARN) {
        bool other_zip = !n && format_of(a) == ARCHIVE_FORMAT_ZIP && !is_zip(data, length);
        const char *damage = other_zip ? zip_damage(data, length) : NULL;
        if (damage)
            broken(damage);
        if (++n > MEMBERS_MAX)
            broken("more than 200000 files in it: refused");
        put_entry(a, e);
        if (archive_read_data_skip(a) == ARCHIVE_FATAL)
            broken(reason_of(a));
        before = archive_filter_bytes(a, 0);
        if (before > UNPACKED_MOST)
            broken("more than 8 GiB in it when unpacked: refused");
    }
    if (r != ARCHIVE_EOF)
        broken(reason_of(a));
    if (!n)
        broken(x->used ? "nothing is in it" : "there are only zeros in it");
    if (format_of(a) == ARCHIVE_FORMAT_TAR)
        check_tars_end(before, archive_filter_bytes(a, 0), x);
    put_member(MEMBER_END, "", 0, "", 0);
}

int main(int argc, char **argv)
{
    const struct argp argp = {.doc = "Unpacks the archive on standard input. What is in it goes to "
                                     "standard output, for the grader."};
    size_t n;
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    answer = fcntl(1, F_DUPFD_CLOEXEC, 10);
    dup2(2, 1);
    setlocale(LC_CTYPE, "C.UTF-8"); /* libarchive's names */
    char *data = read_input(&n);
    if (!n)
        broken("it is empty");
    const char *damage = is_zip(data, n) ? zip_damage(data, n) : NULL;
    if (damage)
        broken(damage);
    const struct extent x = extent_of(data, n);
    struct archive *a = open_archive(data, n);
    put_all(a, data, n, &x);
    archive_read_free(a);
    free(data);
    return 0;
}
