/* archives_test.c - archives that were cut, that hold archives, or that mean harm: what is read,
 * what is refused, and in which words. */
#include "base/alloc.h"
#include "base/file.h"
#include "grading/sandbox/sandbox.h"
#include "submissions.h"
#include "unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define LAB "coalescing"

enum { MOST = 4 << 20 }; /* bytes of an archive made here */
enum form { ZIP, STORED_ZIP, TAR, TAR_GZ, TAR_BZ2, TAR_XZ, SEVEN_ZIP, FORMS };

struct bytes {
    char *s;
    size_t n;
};

static struct archive *begin(struct bytes *out, enum form form)
{
    struct archive *a = archive_write_new();
    if (form == ZIP || form == STORED_ZIP)
        archive_write_set_format_zip(a);
    else if (form == SEVEN_ZIP)
        archive_write_set_format_7zip(a);
    else
        archive_write_set_format_ustar(a);
    if (form == STORED_ZIP)
        archive_write_zip_set_compression_store(a);
    if (form == TAR_GZ)
        archive_write_add_filter_gzip(a);
    if (form == TAR_BZ2)
        archive_write_add_filter_bzip2(a);
    if (form == TAR_XZ)
        archive_write_add_filter_xz(a);
    archive_write_set_bytes_in_last_block(a, 1);
    out->s = xzalloc(MOST);
    cr_assert_eq(archive_write_open_memory(a, out->s, MOST, &out->n), ARCHIVE_OK);
    return a;
}

static void add(struct archive *a, const char *path, const void *data, size_t n)
{
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, path);
    archive_entry_set_filetype(e, path[strlen(path) - 1] == '/' ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, (la_int64_t)n);
    cr_assert_eq(archive_write_header(a, e), ARCHIVE_OK);
    archive_write_data(a, data, n);
    archive_entry_free(e);
}

static void end(struct archive *a)
{
    archive_write_close(a);
    archive_write_free(a);
}

/* An archive of one member; what it held is freed. */
static struct bytes around(enum form form, const char *path, struct bytes inner)
{
    struct bytes out;
    struct archive *a = begin(&out, form);
    add(a, path, inner.s, inner.n);
    end(a);
    free(inner.s);
    return out;
}

static struct bytes text_bytes_of(const char *s)
{
    return (struct bytes){xstrdup(s), strlen(s)};
}

/* Whether the archive is read, from a file; why not, in *why. */
static bool read_bytes(const char *data, size_t n, struct submissions *s, struct text *why)
{
    char path[] = "/tmp/archivestestXXXXXX";
    close(mkstemp(path));
    cr_assert_eq(file_write(path, data, n), 0);
    bool ok = submissions_read(path, LAB, s, why);
    unlink(path);
    return ok;
}

static struct submissions read_all(struct bytes b)
{
    struct submissions s;
    struct text why = {0};
    cr_assert(read_bytes(b.s, b.n, &s, &why), "%s", text_str(&why));
    free(b.s);
    text_free(&why);
    return s;
}

static const struct submission *of(const struct submissions *s, const char *student)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->v[i].student, student))
            return &s->v[i];
    cr_assert_fail("%s is not there; notes: %s", student, text_str(&s->notes));
    return NULL;
}

static void expect_refused(const char *data, size_t n, const char *what, const char *reason)
{
    struct submissions s;
    struct text why = {0};
    cr_expect(!read_bytes(data, n, &s, &why), "%s was read, %d students", what, s.n);
    cr_expect(strstr(text_str(&why), reason) && strstr(text_str(&why), "nothing is marked"),
              "%s: %s", what, text_str(&why));
    cr_expect(!strchr(text_str(&why), '\n'), "%s: %s", what, text_str(&why));
    text_free(&why);
    submissions_free(&s);
}

/* Twelve students, one with an archive of her own: where a zip is cut behind that, its list of
 * members is the last. */
static struct bytes class_of_twelve(enum form form)
{
    struct bytes out, own = around(STORED_ZIP, LAB ".cu", text_bytes_of("kernel"));
    struct archive *a = begin(&out, form);
    char text[1000];
    for (int i = 0; i < 12; i++) {
        char path[32];
        snprintf(path, sizeof(path), i == 7 ? "s%02d.zip" : "s%02d.cu", i);
        for (size_t k = 0; k < sizeof(text); k++) /* does not become small */
            text[k] = (char)(' ' + (i * 7919 + (int)k * 104729 % 8191) % 90);
        add(a, path, i == 7 ? own.s : text, i == 7 ? own.n : sizeof(text));
    }
    end(a);
    free(own.s);
    return out;
}

/* Wherever it is cut: nothing of it is taken, so that nobody is missing. */
Test(archives, cut_ones_are_refused, .timeout = 200)
{
    for (enum form f = 0; f < FORMS; f++) {
        struct bytes b = class_of_twelve(f);
        struct submissions s;
        struct text why = {0};
        cr_assert(read_bytes(b.s, b.n, &s, &why), "form %d: %s", f, text_str(&why));
        cr_expect_eq(s.n, 12);
        submissions_free(&s);
        size_t whole = f == TAR ? b.n - 1024 : b.n; /* a tar's end is zeros */
        for (int i = 1; i < 8; i++)
            expect_refused(b.s, whole * (size_t)i / 8, "a part", "");
        expect_refused(b.s, whole - 1, "all but a byte", "");
        free(b.s);
    }
}

Test(archives, cut_behind_a_member_or_an_archive_inside)
{
    struct bytes tar = class_of_twelve(TAR), zip = class_of_twelve(STORED_ZIP);
    expect_refused(tar.s, 3 * (512 + 1024), "three members of a tar", "its end is missing");
    char *last = NULL; /* the end record of the archive inside */
    for (size_t i = 0; i + 4 < zip.n && !last; i++)
        last = !memcmp(zip.s + i, "PK\5\6", 4) ? zip.s + i : NULL;
    cr_assert(last);
    expect_refused(zip.s, (size_t)(last - zip.s) + 22, "up to the inner zip's end", "it was cut");
    expect_refused(zip.s, (size_t)(last - zip.s) + 500, "a member later", "it was cut");
    expect_refused("", 0, "nothing", "it is empty");
    free(tar.s);
    free(zip.s);
}

/* What grade-unpack makes of the bytes, its box aside. */
static struct bytes unpacked(const char *data, size_t n)
{
    char *program = xformat("%s/grade-unpack", boxed_programs());
    int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC), status;
    cr_assert(in >= 0 && out >= 0 && !file_write_fd(in, data, n) && !lseek(in, 0, SEEK_SET));
    pid_t child = fork();
    if (!child) {
        dup2(in, 0);
        dup2(out, 1);
        execl(program, program, (char *)NULL);
        _exit(9);
    }
    cr_assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    struct bytes got;
    cr_assert(!lseek(out, 0, SEEK_SET) && !file_read_fd(out, MOST, &got.s, &got.n));
    close(in);
    close(out);
    free(program);
    return got;
}

/* The next member in what was unpacked; false: none. */
static bool next_member(struct bytes *b, struct member_head *h, const char **path)
{
    if (b->n < sizeof(*h))
        return false;
    memcpy(h, b->s, sizeof(*h));
    *path = b->s + sizeof(*h);
    size_t whole = sizeof(*h) + h->path_bytes + h->data_bytes;
    cr_assert(h->magic == MEMBER_MAGIC && whole <= b->n);
    b->s += whole;
    b->n -= whole;
    return true;
}

/* Members that have it that the archive is damaged, or that a student's file cannot be read. */
static int told(struct bytes b)
{
    struct member_head h;
    const char *path;
    int n = 0;
    while (next_member(&b, &h, &path))
        n += h.kind == MEMBER_BROKEN || h.kind == MEMBER_DAMAGED || h.kind == MEMBER_ENCRYPTED ||
             h.kind == MEMBER_LINK;
    return n;
}

/* The same files with the same bytes, whatever their times. */
static bool same_members(struct bytes a, struct bytes b)
{
    struct member_head x = {0}, y = {0};
    const char *p, *q;
    bool more;
    while ((more = next_member(&a, &x, &p)) == next_member(&b, &y, &q) && more)
        if (x.kind != y.kind || x.path_bytes != y.path_bytes || x.data_bytes != y.data_bytes ||
            memcmp(p, q, x.path_bytes + x.data_bytes) != 0)
            return false;
    return !more && !a.n && !b.n;
}

static struct bytes class_of_three(enum form form)
{
    struct bytes out;
    struct archive *a = begin(&out, form);
    for (int i = 0; i < 3; i++) {
        char path[16], text[200];
        snprintf(path, sizeof(path), "s%02d.cu", i);
        for (size_t k = 0; k < sizeof(text); k++)
            text[k] = (char)('a' + (i * 31 + (int)k * (int)k * 7) % 13);
        add(a, path, text, sizeof(text));
    }
    end(a);
    return out;
}

/* Where a tar's own bytes are files' contents: it has no check of them. */
static bool is_unchecked(enum form form, size_t at)
{
    return form == TAR && at / 512 % 2 && at < (size_t)6 * 512;
}

/* A bit flipped in any byte of an archive: it is told, or what is read is what was packed. */
Test(archives, any_byte_flipped, .timeout = 600)
{
    for (enum form f = 0; f < FORMS; f++) {
        struct bytes b = class_of_three(f), whole = unpacked(b.s, b.n);
        cr_assert(!told(whole), "form %d", f);
        for (size_t i = 0; i < b.n; i++) {
            if (is_unchecked(f, i))
                continue;
            b.s[i] ^= (char)(1 << i % 8);
            struct bytes got = unpacked(b.s, b.n);
            cr_expect(told(got) || same_members(got, whole),
                      "form %d, byte %zu of %zu: read as something else", f, i, b.n);
            free(got.s);
            b.s[i] ^= (char)(1 << i % 8);
        }
        free(b.s);
        free(whole.s);
    }
}

/* A student's own, too, is never read as something that was not handed in. */
Test(archives, damaged_gzip)
{
    struct bytes b = class_of_twelve(TAR_GZ),
                 own = around(TAR_GZ, LAB ".cu", text_bytes_of("kernel"));
    b.s[b.n - 6] ^= 1;
    expect_refused(b.s, b.n, "a wrong check sum", "its gzip data is damaged");
    b.s[b.n - 6] ^= 1;
    expect_refused(b.s, b.n - 8, "no check sum", "it was cut");
    memcpy(b.s + b.n, "junk", 4);
    expect_refused(b.s, b.n + 4, "no member behind", "its gzip data is damaged");
    memset(b.s + b.n, 0, 4);
    b.n += 4;
    struct submissions s = read_all(b); /* as on a tape */
    cr_expect_eq(s.n, 12);
    submissions_free(&s);
    own.s[own.n - 1] ^= 1;
    s = read_all(around(ZIP, "ann.tgz", own));
    cr_expect(strstr(of(&s, "ann")->problem, "its gzip data is damaged"), "%s",
              of(&s, "ann")->problem);
    submissions_free(&s);
}

/* Of several members one after the other, as pigz and `cat` make them, each is checked. */
Test(archives, gzip_of_several_members)
{
    struct bytes tar = class_of_twelve(TAR), all = {xzalloc(MOST), 0};
    size_t half = 6 * 1536, first = 0;
    for (int i = 0; i < 2; i++) {
        z_stream z = {.next_in = (Bytef *)tar.s + (i ? half : 0),
                      .avail_in = (uInt)(i ? tar.n - half : half),
                      .next_out = (Bytef *)all.s + all.n,
                      .avail_out = (uInt)(MOST - all.n)};
        cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
        cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
        all.n += z.total_out;
        deflateEnd(&z);
        first = i ? first : all.n;
    }
    free(tar.s);
    expect_refused(all.s, first, "a member of two", "");
    all.s[first - 5] ^= 1;
    expect_refused(all.s, all.n, "a damaged one of two", "its gzip data is damaged");
    all.s[first - 5] ^= 1;
    struct submissions s = read_all(all);
    cr_expect_eq(s.n, 12);
    submissions_free(&s);
}

static struct bytes changed(struct bytes b, size_t at, size_t n, char to)
{
    struct bytes copy = {xzalloc(b.n), b.n};
    memcpy(copy.s, b.s, b.n);
    memset(copy.s + at, to, n);
    return copy;
}

static void expect_damaged(struct bytes b, const char *what, const char *reason)
{
    expect_refused(b.s, b.n, what, reason);
    free(b.s);
}

/* A tar's end is two blocks of zeros and nothing else behind them: a header that was lost is
 * none, nor is one block behind a cut. */
Test(archives, ends_of_a_tar)
{
    enum { MEMBER = 512 + 1024 };
    struct bytes tar = class_of_twelve(TAR);
    size_t twelve = tar.n - 1024;
    struct bytes whole = {xzalloc(MOST), twelve + 10240};
    memcpy(whole.s, tar.s, twelve);
    static const char behind[] = "there is more behind what looks like its end",
                      cut[] = "its end is missing: it was cut";
    expect_damaged(changed(tar, 2 * MEMBER, 512, 0), "a header of zeros", behind);
    expect_damaged(changed(tar, 2 * MEMBER, MEMBER, 0), "a member of zeros", behind);
    expect_damaged(changed(whole, twelve + 9000, 1, 1), "a byte behind its end", behind);
    expect_damaged(changed(tar, twelve + 512, 1, 1), "half an end", behind);
    expect_refused(tar.s, twelve + 512, "one block of zeros", cut);
    memset(tar.s + MEMBER, 0, 512);
    expect_refused(tar.s, MEMBER + 512, "one behind a cut", cut);
    struct submissions s = read_all(whole); /* blocks of twenty, as tars have them */
    cr_expect_eq(s.n, 12);
    submissions_free(&s);
    free(tar.s);
}

/* A name is in a zip twice: before the member and in the list at the end. So is how it is packed,
 * and the list says how long it is. */
Test(archives, lists_of_a_zip)
{
    static const char other[] = "list of files is not of what is in it";
    struct bytes zip = class_of_three(ZIP);
    char *local = memmem(zip.s, zip.n, "s01.cu", 6), *end = zip.s + zip.n - 22,
         *listed = memmem(local + 6, (size_t)(end - local) - 6, "s01.cu", 6);
    size_t entry = (size_t)(listed - zip.s) - 46;
    cr_assert(listed && !memcmp(end, "PK\5\6", 4));
    expect_damaged(changed(zip, (size_t)(local - zip.s) + 2, 1, '9'), "a name before", other);
    expect_damaged(changed(zip, (size_t)(listed - zip.s) + 2, 1, '9'), "a name listed", other);
    expect_damaged(changed(zip, (size_t)(local - zip.s) - 30, 1, 0), "none before", other);
    expect_damaged(changed(zip, entry + 42, 1, 1), "another place", other);
    expect_damaged(changed(zip, entry + 38, 1, 0x10), "a folder with bytes", other);
    expect_damaged(changed(zip, entry, 1, 0), "none listed", "list of files is damaged");
    expect_damaged(changed(zip, (size_t)(end - zip.s) + 10, 1, 2), "one fewer",
                   "list of files is damaged");
    struct bytes none = {xzalloc(22), 22}, program = {xzalloc(zip.n + 300), zip.n + 300};
    memcpy(none.s, "PK\5\6", 4);
    expect_damaged(none, "an empty zip", "nothing is in it");
    memcpy(program.s + 300, zip.s, zip.n); /* of one that unpacks itself */
    struct submissions s = read_all(program);
    cr_expect_eq(s.n, 3);
    submissions_free(&s);
    free(zip.s);
}

/* A class in which nobody handed in anything is a download of something else. */
Test(archives, nothing_handed_in)
{
    char folder[] = "/tmp/nothingXXXXXX";
    struct submissions s;
    struct text why = {0};
    struct bytes folders;
    struct archive *a = begin(&folders, ZIP);
    add(a, "ann/", NULL, 0);
    add(a, "bob/", NULL, 0);
    end(a);
    expect_damaged(folders, "empty folders", "no submission in it");
    a = begin(&folders, TAR);
    end(a);
    expect_damaged(folders, "an empty tar", "there are only zeros in it");
    expect_damaged((struct bytes){xzalloc(10240), 10240}, "zeros", "there are only zeros in it");
    a = begin(&folders, SEVEN_ZIP);
    end(a);
    expect_damaged(folders, "an empty 7z", "nothing is in it");
    expect_damaged(around(ZIP, ".git/x.cu", text_bytes_of("x")), "nobody's", "no submission in it");
    cr_assert(mkdtemp(folder));
    cr_expect(!submissions_read(folder, LAB, &s, &why) &&
                  strstr(text_str(&why), "no submission in it"),
              "%s", text_str(&why));
    submissions_free(&s);
    text_free(&why);
    rmdir(folder);
}

/* A flipped bit in a class's archive is the download's, and no student's. */
Test(archives, damaged_members)
{
    struct bytes zip = class_of_twelve(STORED_ZIP);
    zip.s[500] ^= 4;
    expect_refused(zip.s, zip.n, "a flipped bit", "s00.cu cannot be unpacked");
    free(zip.s);
    struct bytes own = around(STORED_ZIP, LAB ".cu", text_bytes_of("a kernel of some length"));
    *(char *)memmem(own.s, own.n, "some length", 4) ^= 4;
    struct submissions s = read_all(around(ZIP, "ann.zip", own));
    cr_expect(strstr(of(&s, "ann")->problem, "cannot be unpacked"), "%s", of(&s, "ann")->problem);
    submissions_free(&s);
    own = around(ZIP, LAB ".cu", text_bytes_of("kernel"));
    own.n -= 10;
    s = read_all(around(ZIP, "ann.zip", own));
    cr_expect(strstr(of(&s, "ann")->problem, "it was cut"), "%s", of(&s, "ann")->problem);
    cr_expect(strstr(text_str(&s.notes), "ann: ann.zip cannot be read"), "%s", s.notes.s);
    submissions_free(&s);
}

/* Formats that libarchive would have another program read: that program is not started. */
Test(archives, no_program_of_the_machines)
{
    char folder[] = "/tmp/filterXXXXXX";
    cr_assert(mkdtemp(folder));
    static const char script[] = "#!/bin/sh\necho started >%s/started\n";
    static const char *const programs[] = {"lrzip", "lzop", "grzip"};
    char *started = xformat("%s/started", folder), *path = xformat("%s:/usr/bin:/bin", folder);
    for (int i = 0; i < 3; i++) {
        char *name = xformat("%s/%s", folder, programs[i]), *text = xformat(script, folder);
        cr_assert(file_write(name, text, strlen(text)) == 0 && chmod(name, 0755) == 0);
        free(name);
        free(text);
    }
    setenv("PATH", path, 1);
    static const char lrzi[40] = "LRZI\0\6", lzo[40] = "\x89LZO\0\r\n\x1a\n", grz[40] = "GRZipII";
    const char *const heads[] = {lrzi, lzo, grz};
    for (int i = 0; i < 3; i++) {
        expect_refused(heads[i], 40, programs[i], "Unrecognized archive format");
        struct bytes own = {xzalloc(40), 40};
        memcpy(own.s, heads[i], 40);
        struct submissions s = read_all(around(ZIP, "ann.zip", own));
        cr_expect(strstr(of(&s, "ann")->problem, "Unrecognized"), "%s", of(&s, "ann")->problem);
        submissions_free(&s);
    }
    cr_expect(access(started, F_OK), "a program was started");
    char *command = xformat("rm -r %s", folder);
    cr_assert_eq(system(command), 0);
    free(command);
    free(started);
    free(path);
}

/* An archive in a student's archive is opened, one in that is not. */
Test(archives, two_deep)
{
    struct bytes out,
        one = around(ZIP, "work/" LAB ".cu", text_bytes_of("one")),
        two = around(TAR_GZ, "inner.zip", around(ZIP, LAB ".cu", text_bytes_of("two"))),
        three = around(ZIP, "b.tar",
                       around(TAR, "a.zip", around(ZIP, LAB ".cu", text_bytes_of("three"))));
    struct archive *a = begin(&out, ZIP);
    add(a, "ann.zip", one.s, one.n);
    add(a, "bob.tar.gz", two.s, two.n);
    add(a, "cem.zip", three.s, three.n);
    end(a);
    free(one.s);
    free(two.s);
    free(three.s);
    struct submissions s = read_all(out);
    cr_expect_str_eq(of(&s, "ann")->source, "one");
    cr_expect_str_eq(of(&s, "bob")->source, "two");
    cr_expect(!of(&s, "cem")->source && strstr(text_str(&s.notes), "a.zip in b.tar is not opened"),
              "%s", text_str(&s.notes));
    submissions_free(&s);
}

/* The name is the student's without its ending, all of it. */
Test(archives, names_of_packed_tars)
{
    static const char *const endings[] = {"tar", "tar.gz", "TAR.GZ", "tgz",     "tar.bz2", "tbz2",
                                          "tbz", "tar.xz", "txz",    "tar.zst", "tzst",    "7z"};
    enum { ENDINGS = sizeof(endings) / sizeof(endings[0]) };
    struct bytes out, own = around(TAR_XZ, LAB ".cu", text_bytes_of("kernel"));
    struct archive *a = begin(&out, TAR);
    char path[32];
    for (int i = 0; i < ENDINGS; i++) {
        snprintf(path, sizeof(path), "s%02d.%s", i, endings[i]);
        add(a, path, own.s, own.n);
    }
    add(a, "ann.b.tar.Z", "x", 1); /* a form that is not read, handed in by ann.b */
    add(a, "bob.tar.cu", "kernel", 6);
    end(a);
    free(own.s);
    struct submissions s = read_all(out);
    cr_expect_eq(s.n, ENDINGS + 2);
    for (int i = 0; i < ENDINGS; i++) {
        snprintf(path, sizeof(path), "s%02d", i);
        cr_expect(of(&s, path)->source, "%s: %s", endings[i], of(&s, path)->problem);
    }
    cr_expect(strstr(of(&s, "ann.b")->problem, "no .cu file"));
    cr_expect_str_eq(of(&s, "bob.tar")->source, "kernel");
    submissions_free(&s);
}

static struct bytes many_inside(int n)
{
    struct bytes out, one = around(ZIP, "notes.txt", text_bytes_of("x"));
    struct archive *a = begin(&out, ZIP);
    for (int i = 0; i < n; i++) {
        char path[32];
        snprintf(path, sizeof(path), "%d.zip", i);
        add(a, path, one.s, one.n);
    }
    end(a);
    free(one.s);
    return out;
}

/* A student's archive costs little time and memory, whatever is in it. */
Test(archives, bombs, .timeout = 60)
{
    size_t large = 200u << 20;
    struct bytes bomb = {xzalloc(large), large}, out;
    struct archive *a = begin(&out, ZIP);
    struct bytes inner = around(ZIP, LAB ".cu", bomb), many = many_inside(12);
    add(a, "ann.zip", inner.s, inner.n);
    add(a, "bob.zip", many.s, many.n);
    add(a, "cem.cu", "kernel", 6);
    end(a);
    free(inner.s);
    free(many.s);
    struct submissions s = read_all(out);
    cr_expect(strstr(of(&s, "ann")->problem, "larger than 256 KiB"), "%s", of(&s, "ann")->problem);
    cr_expect(strstr(text_str(&s.notes), "bob: 8.zip in bob.zip is not opened: 8 others were"),
              "%s", text_str(&s.notes));
    cr_expect(!strstr(text_str(&s.notes), "9.zip"));
    cr_expect_str_eq(of(&s, "cem")->source, "kernel");
    submissions_free(&s);
}

/* What a student packed is at most 16 MiB, in the class's archive or in the student's own. */
Test(archives, larger_than_one_inside_may_be)
{
    size_t n = (16u << 20) + 1;
    char *heavy = xzalloc(n);
    struct bytes out, deeper = around(TAR_GZ, "inner.tar", (struct bytes){xzalloc(n), n}),
                      most = around(TAR, LAB ".cu", text_bytes_of("most"));
    struct archive *a = begin(&out, TAR_GZ);
    add(a, "ann.tar", heavy, n);
    add(a, "bob.tar", most.s, most.n);
    add(a, "cem.tar.gz", deeper.s, deeper.n);
    end(a);
    free(heavy);
    free(most.s);
    free(deeper.s);
    struct submissions s = read_all(out);
    cr_expect_str_eq(of(&s, "bob")->source, "most");
    const char *why = of(&s, "ann")->problem;
    cr_expect(why && strstr(why, "larger than 16384 KiB"), "%s", why ? why : "no problem");
    cr_expect(strstr(text_str(&s.notes), "inner.tar in cem.tar.gz is not opened: is larger than"),
              "%s", text_str(&s.notes));
    submissions_free(&s);
}

/* Each of these is a line of the batch's summary, and nobody is lost. */
Test(archives, what_is_odd_is_noted)
{
    struct bytes out, own;
    struct archive *a = begin(&own, ZIP);
    add(a, "x.cu", "first", 5);
    add(a, "x.cu", "second", 6);
    end(a);
    a = begin(&out, TAR);
    add(a, "class/ann/" LAB ".cu", "one", 3);
    add(a, "class/ann/old.cu", "two", 3);
    add(a, "class/ann/older.cu", "three", 5);
    add(a, "class/bob.cu", "first", 5);
    add(a, "class/bob.cu", "second", 6);
    add(a, "class/bob.cu", "third", 5);
    add(a, "class/cem/", NULL, 0);
    add(a, "class/dee/in/", NULL, 0);
    add(a, "class/dee/in/1/2/3/4/5/6/7/8/9/deep.cu", "deep", 4);
    add(a, "class/.git/config.cu", "x", 1);
    add(a, "class/__MACOSX/._eve.cu", "x", 1);
    add(a, "class/Eve.cu", "x", 1);
    add(a, "class/eve.cu", "y", 1);
    add(a, "class/fay\n\x1b[31m.cu", "z", 1);
    add(a, "class/--book.cu", "z", 1);
    add(a, "class/gus.zip", own.s, own.n);
    end(a);
    free(own.s);
    struct submissions s = read_all(out);
    cr_expect_str_eq(of(&s, "ann")->source, "one");
    cr_expect_str_eq(of(&s, "bob")->source, "third");
    cr_expect(of(&s, "cem")->missing);
    cr_expect_str_eq(of(&s, "dee")->source, "deep");
    cr_expect_str_eq(of(&s, "fay\\x0a\\x1b[31m")->source, "z");
    cr_expect_str_eq(of(&s, "--book")->source, "z");
    cr_expect_str_eq(of(&s, "gus")->source, "second");
    cr_expect_eq(s.n, 9);
    static const char *const lines[] = {
        "ann: 3 .cu files: " LAB ".cu is marked, not old.cu, older.cu\n",
        "class/bob.cu is in the archive 3 times: the last one counts\n",
        "cem: an empty folder\n",
        ".git/config.cu was skipped: its name says no student\n",
        "Eve and eve differ in capitals alone: two students here\n",
        "gus: gus.zip: x.cu is in the archive 2 times: the last one counts\n"};
    int n = 0;
    for (const char *p = text_str(&s.notes); (p = strchr(p, '\n')); p++)
        n++;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        cr_expect(strstr(text_str(&s.notes), lines[i]), "no line %sin\n%s", lines[i], s.notes.s);
    cr_expect_eq(n, 6, "%s", text_str(&s.notes));
    submissions_free(&s);
}

/* A student's file of that name is no word of Gradescope's on whose the others are. */
Test(archives, metadata_from_a_student)
{
    static const char own[] = "submission_901:\n  :submitters:\n  - :name: Ann\n    :sid: '1'\n",
                      truth[] = "submission_900:\n  :submitters:\n  - :name: Ann\n    :sid: '1'\n"
                                "submission_901:\n  :submitters:\n  - :name: \"B\\eob\"\n"
                                "    :sid: '2'\n";
    struct bytes out;
    struct archive *a = begin(&out, ZIP);
    add(a, "export/submission_900/submission_metadata.yml", own, sizeof(own) - 1);
    add(a, "export/submission_900/src/submission_metadata.yml", "[[[[{", 5);
    add(a, "export/submission_900/" LAB ".cu", "ann's", 5);
    add(a, "export/submission_901/" LAB ".cu", "bob's", 5);
    add(a, "export/submission_902/" LAB ".cu", "whose?", 6);
    add(a, "export/submission_metadata.yml", truth, sizeof(truth) - 1);
    end(a);
    struct submissions s = read_all(out);
    cr_expect_eq(s.n, 3);
    cr_expect_str_eq(text_str(&s.notes),
                     "submission_902 is not in submission_metadata.yml: it keeps "
                     "that number\n");
    cr_expect_str_eq(of(&s, "1")->source, "ann's");
    cr_expect_str_eq(of(&s, "2")->source, "bob's");
    cr_expect_str_eq(of(&s, "2")->person, "B\\x1bob");
    submissions_free(&s);
    struct bytes damaged;
    a = begin(&damaged, ZIP);
    add(a, "export/submission_900/" LAB ".cu", "ann's", 5);
    add(a, "export/submission_901/" LAB ".cu", "bob's", 5);
    add(a, "export/submission_metadata.yml", "submission_900: [[[[{", 21);
    end(a);
    expect_refused(damaged.s, damaged.n, "metadata", "submission_metadata.yml is damaged");
    free(damaged.s);
}

/* A group that handed in twice: each member has both, under ids of which none is there twice. */
Test(archives, a_group_twice)
{
    static const char text[] = "submission_900:\n  :submitters:\n  - :sid: '1'\n  - :sid: '2'\n"
                               "submission_901:\n  :submitters:\n  - :sid: '1'\n  - :sid: '2'\n";
    struct bytes out;
    struct archive *a = begin(&out, ZIP);
    add(a, "export/submission_900/" LAB ".cu", "first", 5);
    add(a, "export/submission_901/" LAB ".cu", "second", 6);
    add(a, "export/submission_metadata.yml", text, sizeof(text) - 1);
    end(a);
    struct submissions s = read_all(out);
    cr_expect_eq(s.n, 4);
    cr_expect_str_eq(of(&s, "1")->source, "first");
    cr_expect_str_eq(of(&s, "2")->source, "first");
    cr_expect_str_eq(of(&s, "901")->source, "second");
    cr_expect_str_eq(of(&s, "901-2")->source, "second");
    cr_expect(strstr(text_str(&s.notes), "is in several submissions: in 901 here as 901-2"), "%s",
              text_str(&s.notes));
    submissions_free(&s);
}

/* What one student chose to hand in is no reason to refuse a class, nor fills its summary. */
Test(archives, names_by_the_thousand)
{
    struct bytes out, own;
    struct archive *a = begin(&own, TAR_GZ);
    for (int i = 0; i < 3000; i++) {
        char path[32];
        snprintf(path, sizeof(path), "k%d.cu", i % 1500);
        add(a, path, "x", 1);
    }
    end(a);
    char *longest = xzalloc(6001);
    memcpy(longest, "bob/", 4);
    for (int i = 4; i < 6000; i++)
        longest[i] = i % 200 ? 'y' : '/';
    memcpy(longest + 5996, "z.cu", 4);
    a = begin(&out, ZIP);
    add(a, "ann.tgz", own.s, own.n);
    add(a, longest, "x", 1);
    add(a, "cem/.DS_Store", "x", 1);
    add(a, "dee.cu", "x", 1);
    end(a);
    free(own.s);
    free(longest);
    struct submissions s = read_all(out);
    cr_expect_eq(s.n, 4);
    cr_expect(of(&s, "ann")->source && of(&s, "dee")->source && of(&s, "cem")->missing);
    cr_expect(strstr(of(&s, "bob")->problem, "name that is too long"), "%s",
              of(&s, "bob")->problem);
    cr_expect_lt(s.notes.length, 2000, "%s", s.notes.s);
    cr_expect(strstr(s.notes.s, "ann: 1500 .cu files: "), "%s", s.notes.s);
    submissions_free(&s);
}

/* What a folder holds that cannot be read is the instructor's matter; how deep, is nobody's. */
Test(archives, folders)
{
    char folder[] = "/tmp/foldersXXXXXX";
    struct text deep = {0}, why = {0};
    cr_assert(mkdtemp(folder));
    text_addf(&deep, "%s/ann", folder);
    for (int i = 0; i < 20; i++)
        text_add(&deep, "/d");
    char *deepest = xformat("%s/k.cu", text_str(&deep));
    cr_assert_eq(file_write(deepest, "deep", 4), 0);
    for (int i = 0; i < 60; i++)
        text_add(&deep, "/d");
    char *too_deep = xformat("%s/k.cu", text_str(&deep)), *empty = xformat("%s/bob/in", folder);
    cr_assert(file_write(too_deep, "deeper", 6) == 0 && make_dirs(empty) == 0);
    struct submissions s;
    cr_assert(submissions_read(folder, LAB, &s, &why), "%s", text_str(&why));
    cr_expect_str_eq(of(&s, "ann")->source, "deep");
    cr_expect(of(&s, "bob")->missing);
    cr_expect(strstr(text_str(&s.notes), "bob: an empty folder"), "%s", text_str(&s.notes));
    submissions_free(&s);
    char *command = xformat("rm -r %s", folder);
    cr_assert_eq(system(command), 0);
    free(command);
    free(empty);
    free(too_deep);
    free(deepest);
    text_free(&deep);
    text_free(&why);
}
