/* archives_test.c - archives that were cut, that hold archives, or that mean harm: what is read,
 * what is refused, and in which words. */
#include "base/alloc.h"
#include "base/file.h"
#include "submissions.h"

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAB "coalescing"

enum { MOST = 4 << 20 }; /* bytes of an archive made here */
enum form { ZIP, STORED_ZIP, TAR, TAR_GZ, TAR_XZ, SEVEN_ZIP };

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
    static const enum form forms[] = {ZIP, STORED_ZIP, TAR, TAR_GZ, TAR_XZ, SEVEN_ZIP};
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
        struct bytes b = class_of_twelve(forms[f]);
        struct submissions s;
        struct text why = {0};
        cr_assert(read_bytes(b.s, b.n, &s, &why), "form %zu: %s", f, text_str(&why));
        cr_expect_eq(s.n, 12);
        submissions_free(&s);
        size_t whole = forms[f] == TAR ? b.n - 1024 : b.n; /* a tar's end is zeros */
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
    cr_expect_str_eq(of(&s, "bob.tar")->source, "two");
    cr_expect(!of(&s, "cem")->source && strstr(text_str(&s.notes), "a.zip in b.tar is not opened"),
              "%s", text_str(&s.notes));
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
