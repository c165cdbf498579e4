/* submissions_test.c - whose file is whose where no learning system says it, and how large
 * what is read may be. Systems' own archives are downloads_test.c's matter. */
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

static char *archive; /* path of the archive being written */

static struct archive *new_archive(void)
{
    struct archive *a = archive_write_new();

    free(archive);
    archive = xstrdup("/tmp/submissionsXXXXXX");
    close(mkstemp(archive));
    archive_write_set_format_zip(a);
    archive_write_zip_set_compression_store(a);
    cr_assert_eq(archive_write_open_filename(a, archive), ARCHIVE_OK);
    return a;
}

static void add(struct archive *a, const char *path, const char *data, size_t n)
{
    struct archive_entry *e = archive_entry_new();

    archive_entry_set_pathname(e, path);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, (la_int64_t)n);
    cr_assert_eq(archive_write_header(a, e), ARCHIVE_OK);
    archive_write_data(a, data, n);
    archive_entry_free(e);
}

static struct submissions read_path(const char *path)
{
    struct submissions s;
    struct text why = {0};

    cr_assert(submissions_read(path, LAB, &s, &why), "%s", text_str(&why));
    text_free(&why);
    return s;
}

static struct submissions read_back(struct archive *a)
{
    archive_write_close(a);
    archive_write_free(a);
    struct submissions s = read_path(archive);
    unlink(archive);
    return s;
}

/* "ann=a.cu bob=b.cu": students, and what they called the file that is marked. */
static char *shown(const struct submissions *s)
{
    struct text t = {0};

    text_add(&t, "");
    for (int i = 0; i < s->n; i++)
        text_addf(&t, "%s%s=%s%s", i ? " " : "", s->v[i].student, s->v[i].original,
                  s->v[i].source ? "" : "!");
    return t.s ? t.s : xstrdup("");
}

/* A folder around everything is the download's, unless it is the one student's own. */
Test(submissions, folders_around_everything)
{
    static const struct {
        const char *paths[4], *students;
    } rows[] = {
        {{"ann.cu", "bob.cu"}, "ann=ann.cu bob=bob.cu"},
        {{"ann/a.cu", "bob/b.cu"}, "ann=a.cu bob=b.cu"},
        {{"class/ann.cu", "class/bob.cu"}, "ann=ann.cu bob=bob.cu"},
        {{"class/ann/a.cu", "class/bob/b.cu"}, "ann=a.cu bob=b.cu"},
        {{"class/ann/a.cu", "class/bob.cu"}, "ann=a.cu bob=bob.cu"},
        {{"class/ann/a.cu"}, "ann=a.cu"},
        {{"ann/a.cu"}, "ann=a.cu"},
        {{"ann.cu"}, "ann=ann.cu"},
        {{"class/ann.cu", "bob.cu"}, "bob=bob.cu class=ann.cu"},
        {{"ann/a.cu", "annie/a.cu"}, "ann=a.cu annie=a.cu"},
        {{"class/ann/a.cu", "class/ann/" LAB ".cu", "class/bob/b.cu"}, "ann=" LAB ".cu bob=b.cu"},
        {{"class/ann/deep/a.cu", "class/bob/b.cu"}, "ann=a.cu bob=b.cu"},
        {{"a/b/ann.cu", "a/b/bob.cu"}, "b=ann.cu"}, /* one folder and no more */
    };
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct archive *a = new_archive();
        for (int i = 0; i < 4 && rows[r].paths[i]; i++)
            add(a, rows[r].paths[i], "x", 1);
        struct submissions s = read_back(a);
        char *text = shown(&s);
        cr_expect_str_eq(text, rows[r].students, "row %zu, %s …: %s", r, rows[r].paths[0], text);
        free(text);
        submissions_free(&s);
    }
}

/* A refused name among them: nothing is taken off, and nobody gets another's file. */
Test(submissions, refused_names_are_in_no_folder)
{
    struct archive *a = new_archive();

    add(a, "class/ann.cu", "x", 1);
    add(a, "class/../bob.cu", "x", 1);
    struct submissions s = read_back(a);
    for (int i = 0; i < s.n; i++)
        cr_expect_str_neq(s.v[i].student, "ann");
    submissions_free(&s);
}

static void expect_taken(const struct submissions *s, const char *student, bool taken,
                         const char *why)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->v[i].student, student)) {
            cr_expect_eq(s->v[i].source != NULL, taken, "%s", student);
            cr_expect(taken || strstr(s->v[i].problem, why), "%s: %s", student, s->v[i].problem);
            return;
        }
    cr_expect_fail("%s is not there", student);
}

Test(submissions, sizes_that_are_just_taken)
{
    size_t most = 256 << 10;
    char *text = xzalloc(most + 1);

    memset(text, ' ', most + 1);
    struct archive *a = new_archive();
    add(a, "largest.cu", text, most);
    add(a, "larger.cu", text, most + 1);
    struct submissions s = read_back(a);
    expect_taken(&s, "largest", true, "");
    expect_taken(&s, "larger", false, "larger than 256 KiB");
    submissions_free(&s);

    char folder[] = "/tmp/sizesXXXXXX";
    cr_assert(mkdtemp(folder));
    char *one = xformat("%s/largest.cu", folder), *two = xformat("%s/larger.cu", folder);
    cr_assert(file_write(one, text, most) == 0 && file_write(two, text, most + 1) == 0);
    s = read_path(folder);
    expect_taken(&s, "largest", true, "");
    expect_taken(&s, "larger", false, "larger than 256 KiB");
    submissions_free(&s);
    unlink(one);
    unlink(two);
    rmdir(folder);
    free(one);
    free(two);
    free(text);
}

/* In an archive that a student handed in, the same; that archive may have 16 MiB. */
Test(submissions, sizes_of_archives_in_archives)
{
    size_t most = 16 << 20, n, used;
    char *bytes = xzalloc(most + 1), *inner;
    struct archive *a = new_archive();

    add(a, "small.cu", "x", 1);
    archive_write_close(a);
    archive_write_free(a);
    cr_assert_eq(file_read_no_link(archive, most, &inner, &n), 0);
    unlink(archive);
    memcpy(bytes + most - n, inner, n); /* a zip is read from its end */
    a = new_archive();
    add(a, "ann.zip", inner, n);
    used = most;
    add(a, "bob.zip", bytes, used);
    add(a, "cem.zip", bytes, used + 1);
    struct submissions s = read_back(a);
    expect_taken(&s, "ann", true, "");
    expect_taken(&s, "cem", false, "larger than 16384 KiB");
    for (int i = 0; i < s.n; i++)
        if (!strcmp(s.v[i].student, "bob"))
            cr_expect(s.v[i].source || !strstr(s.v[i].problem, "larger"), "%s", s.v[i].problem);
    submissions_free(&s);
    free(inner);
    free(bytes);
}
