/* downloads_test.c - classes as Moodle and Gradescope hand them out, zip and tar, from the archive
 * to the marks: names, ids, late work, groups, odd names, and one that cannot be read.
 */
#include "base/csv.h"
#include "base/alloc.h"
#include "base/file.h"
#include "gradescope.h"
#include "grading/mark/session.h"
#include "submissions.h"

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAB "coalescing"

struct member {
    const char *path, *text; /* text NULL: a link to /etc/passwd; "@": the lab's skeleton */
};

static struct engine_options o;

static char *skeleton(void)
{
    char *path = xformat("%s/labs/" LAB "/" LAB ".cu", o.root), *text;
    size_t n;
    cr_assert_eq(file_read_no_link(path, 1 << 20, &text, &n), 0);
    free(path);
    return text;
}

/* text NULL: a link. */
static void add(struct archive *a, const char *path, const char *text, size_t n)
{
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, path);
    archive_entry_set_filetype(e, text ? AE_IFREG : AE_IFLNK);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_mtime(e, 2000000000, 0); /* of the download: years after any due time */
    if (!text)
        archive_entry_set_symlink(e, "/etc/passwd");
    archive_entry_set_size(e, (la_int64_t)n);
    cr_assert_eq(archive_write_header(a, e), ARCHIVE_OK);
    if (text)
        archive_write_data(a, text, n);
    archive_entry_free(e);
}

static struct archive *begin(const char *path, bool zip)
{
    struct archive *a = archive_write_new();
    if (zip) {
        archive_write_set_format_zip(a);
    } else {
        archive_write_set_format_pax_restricted(a);
        archive_write_add_filter_gzip(a);
    }
    cr_assert_eq(archive_write_open_filename(a, path), ARCHIVE_OK);
    return a;
}

static void end(struct archive *a)
{
    archive_write_close(a);
    archive_write_free(a);
}

static void write_archive(const char *path, const struct member *v, int n, bool zip)
{
    struct archive *a = begin(path, zip);
    char *lab = skeleton();
    for (int i = 0; i < n; i++) {
        const char *text = v[i].text && !strcmp(v[i].text, "@") ? lab : v[i].text;
        add(a, v[i].path, text, text ? strlen(text) : 0);
    }
    end(a);
    free(lab);
}

/* Marks archive in folder with `more` options; the gradebook's CSV. */
static struct csv *mark(const char *folder, const char *archive, const char *more)
{
    char *batch = xformat("%s/grade batch %s/%s --book %s/g.db --lab " LAB " --no-secret -q -j2 "
                          "%s >%s/log 2>&1; %s/grade export csv --book %s/g.db --lab " LAB
                          " -o %s/marks.csv",
                          o.bin, folder, archive, folder, more, folder, o.bin, folder, folder),
         *path = xformat("%s/marks.csv", folder), *text;
    size_t n;
    cr_assert_eq(system(batch), 0, "%s", batch);
    cr_assert_eq(file_read_no_link(path, 1 << 20, &text, &n), 0);
    struct csv *c = csv_parse(text, n);
    free(text);
    free(path);
    free(batch);
    return c;
}

static const char *cell(const struct csv *c, const char *student, const char *column)
{
    int id = csv_column(c, "ID"), k = csv_column(c, column);
    cr_assert(id >= 0 && k >= 0, "no column %s", column);
    for (int r = 1; r < c->nrows; r++)
        if (!strcmp(csv_cell(c, r, id), student))
            return csv_cell(c, r, k);
    cr_assert_fail("no student %s", student);
    return NULL;
}

static char *new_folder(void)
{
    char folder[] = "/tmp/downloadXXXXXX";
    engine_defaults(&o);
    setlocale(LC_CTYPE, "C.UTF-8"); /* libarchive's names */
    cr_assert(mkdtemp(folder));
    return xstrdup(folder);
}

static void remove_folder(char *folder)
{
    char *command = xformat("rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
    free(command);
    free(folder);
}

static void put_file(const char *folder, const char *name, const char *text)
{
    char *path = xformat("%s/%s", folder, name);
    cr_assert_eq(file_write(path, text, strlen(text)), 0);
    free(path);
}

static const struct member moodle[] = {
    {"Ada Lovelace_1001_assignsubmission_file_/coalescing.cu", "@"},
    {"Jos\xc3\xa9 Mu\xc3\xb1oz_1002_assignsubmission_file/work.cu", "@"},
    {"O'Neil \"Bob\" <b>_1003_assignsubmission_file_/coalescing.cu", "@"},
    {"Under_Score_1004_assignsubmission_file_coalescing.cu", "@"}, /* without folders */
    {"Link Lin_1005_assignsubmission_file_/coalescing.cu", NULL},
    {"Text Tom_1006_assignsubmission_file_/answer.txt", "I could not do it."},
};
static const char worksheet[] =
    "\xef\xbb\xbfIdentifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum "
    "Grade\",\"Grade can be changed\",\"Last modified (submission)\",\"Last modified "
    "(grade)\",\"Feedback comments\"\n"
    "Participant 1001,Ada Lovelace,ada@x.edu,Submitted for grading,,20.00,Yes,\"Friday, 20 "
    "November 2026, 11:14 PM\",-,\n"
    "Participant 1002,Jos\xc3\xa9 Mu\xc3\xb1oz,jose@x.edu,Submitted for grading,,20.00,Yes,"
    "\"Sunday, 22 November 2026, 10:00 AM\",-,\n"
    "Participant 1007,Nobody There,no@x.edu,No submission,,20.00,Yes,-,-,\n";

static void check_moodle(bool zip)
{
    char *folder = new_folder(), *path = xformat("%s/class.%s", folder, zip ? "zip" : "tar.gz");
    write_archive(path, moodle, sizeof(moodle) / sizeof(moodle[0]), zip);
    put_file(folder, "sheet.csv", worksheet);
    char *more =
        xformat("--roster %s/sheet.csv --due '2026-11-20 23:59' --late-per-day 10", folder);
    struct csv *c = mark(folder, zip ? "class.zip" : "class.tar.gz", more);
    free(more);
    cr_assert_eq(c->nrows, 8);
    cr_assert_str_eq(cell(c, "1001", "name"), "Ada Lovelace");
    cr_assert_str_eq(cell(c, "1001", "rule"), "as marked");
    cr_assert_str_eq(cell(c, "1002", "name"), "Jos\xc3\xa9 Mu\xc3\xb1oz");
    cr_assert_str_eq(cell(c, "1002", "rule"), "2 days late: -20 %");
    cr_assert_str_eq(cell(c, "1003", "name"), "O'Neil \"Bob\" <b>");
    cr_assert_str_eq(cell(c, "1004", "name"), "Under_Score");
    for (int i = 1; i <= 4; i++) {
        char id[8];
        snprintf(id, sizeof(id), "100%d", i);
        cr_assert_str_eq(cell(c, id, "status"), "graded", "%s", id);
    }
    cr_assert_str_eq(cell(c, "1005", "status"), "unreadable");
    cr_assert_str_eq(cell(c, "1006", "status"), "unreadable");
    cr_assert_str_eq(cell(c, "1006", "mark"), "");
    cr_assert_str_eq(cell(c, "1007", "status"), "missing");
    csv_free(c);
    free(path);
    remove_folder(folder);
}

Test(downloads, moodle_zip, .timeout = 60)
{
    check_moodle(true);
}

Test(downloads, moodle_tar, .timeout = 60)
{
    check_moodle(false);
}

#define ROOT "assignment_4711_export/"
static const char metadata[] = "---\n"
                               "submission_900:\n"
                               "  :submitters:\n"
                               "  - :name: Ada Lovelace\n"
                               "    :sid: '77'\n"
                               "    :email: ada@x.edu\n"
                               "  :created_at: 2026-11-20 21:53:31.379093000 Z\n"
                               "  :score: 0.0\n"
                               "  :status: processed\n"
                               "  :history:\n"
                               "  - :id: 899\n"
                               "    :created_at: 2026-11-19 01:00:00.000000000 Z\n"
                               "submission_901:\n"
                               "  :submitters:\n"
                               "  - :name: \"Pair \\\"One\\\"\"\n"
                               "    :sid: '78'\n"
                               "    :email: one@x.edu\n"
                               "  - :name: 'D''Arc, Jeanne'\n"
                               "    :sid: \n"
                               "    :email: two@x.edu\n"
                               "  :created_at: 2026-11-22 01:00:00.000000000 +02:00\n"
                               "submission_902:\n"
                               "  :submitters:\n"
                               "  - :name: Twice Named\n"
                               "    :sid: '77'\n"
                               "  :created_at: 2026-11-20 01:00:00 Z\n";
static const struct member gradescope[] = {
    {ROOT "submission_metadata.yml", metadata},
    {ROOT "submission_900/coalescing.cu", "@"},
    {ROOT "submission_900/notes.txt", "see the code"},
    {ROOT "submission_901/src/my kernel.cu", "@"},
    {ROOT "submission_902/coalescing.cu", "@"},
    {ROOT "submission_903/coalescing.cu", NULL},
};

static void check_gradescope(bool zip)
{
    char *folder = new_folder(), *path = xformat("%s/class.%s", folder, zip ? "zip" : "tar.gz");
    write_archive(path, gradescope, sizeof(gradescope) / sizeof(gradescope[0]), zip);
    struct csv *c = mark(folder, zip ? "class.zip" : "class.tar.gz",
                         "--due '2026-11-20 23:00' --grace 10 --late-per-day 10");
    cr_assert_eq(c->nrows, 6);
    cr_assert_str_eq(cell(c, "77", "name"), "Ada Lovelace");
    cr_assert_str_eq(cell(c, "77", "rule"), "as marked");
    cr_assert_str_eq(cell(c, "78", "name"), "Pair \"One\"");
    cr_assert_str_eq(cell(c, "78", "rule"), "1 day late: -10 %");
    cr_assert_str_eq(cell(c, "two@x.edu", "name"), "D'Arc, Jeanne");
    cr_assert_str_eq(cell(c, "two@x.edu", "rule"), "1 day late: -10 %");
    cr_assert_str_eq(cell(c, "two@x.edu", "status"), "graded");
    cr_assert_str_eq(cell(c, "902", "name"), "Twice Named"); /* its sid is somebody else's */
    cr_assert_str_eq(cell(c, "903", "status"), "unreadable");
    csv_free(c);
    free(path);
    remove_folder(folder);
}

Test(downloads, gradescope_zip, .timeout = 60)
{
    setenv("TZ", "UTC", 1);
    check_gradescope(true);
}

Test(downloads, gradescope_tar, .timeout = 60)
{
    setenv("TZ", "UTC", 1);
    check_gradescope(false);
}

Test(downloads, odd_metadata)
{
    static const struct {
        const char *text;
        bool damaged;
    } odd[] = {{"", false},
               {"\n\n", false},
               {"submission_:\n  :submitters:\n  - :name: x\n", false},
               {"submission_1", false},
               {"submission_1:\n  :submitters:\n", false},
               {"submission_1:\n  :submitters:\n  - x\n  - [name, y]\n", false},
               {"? [submission_1]\n: {a: [{b: x}]}\n", false},
               {"  - :name: nobody's\n", false},
               {"submission_12345678901234567890123:\n  - :name: x\n", false},
               {"submission_1: &a\n  :submitters: *a\n", false},
               {"submission_1:\n  :score: \"1\n", true},
               {"submission_1: [[[[{{{{", true},
               {"\xff\xfe\n \xff", true}};
    int n;
    char *problem;
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        struct submitter *none =
            gradescope_metadata(odd[i].text, strlen(odd[i].text), &n, &problem);
        cr_assert_eq(n, 0, "%s", odd[i].text);
        cr_assert_eq(problem != NULL, odd[i].damaged, "%s: %s", odd[i].text, problem);
        gradescope_free(none, n);
        free(problem);
    }
    struct submitter *v = gradescope_metadata(metadata, sizeof(metadata) - 1, &n, &problem);
    cr_assert_eq(n, 4);
    cr_assert(!problem, "%s", problem);
    cr_assert_eq(v[0].created, 1795211611); /* 2026-11-20 21:53:31 UTC */
    cr_assert_eq(v[1].created, v[2].created);
    gradescope_free(v, n);
}

/* What a reader by lines would take for something else. */
Test(downloads, metadata_in_other_layouts)
{
    static const char text[] =
        "submission_7:\n"
        "    :results:\n"
        "      :output: |\n"
        "        :submitters:\n"
        "        - :name: Not Me\n"
        "    :created_at: 2026-11-20 00:00:00 Z\n"
        "    :submitters:\n"
        "    -   :email: a@x.edu\n"
        "        :name: |-\n"
        "          Long\n"
        "          Name\n"
        "        :sid: ~\n"
        "submission_8: {\":submitters\": [{\":name\": \"\\u00e9\", \":sid\": 5}]}\n"
        "submission_9:\n"
        "  :submitters:\n"
        "  - :name: Kept\n"
        "  :score: \"1\n";
    int n;
    char *problem;
    struct submitter *v = gradescope_metadata(text, sizeof(text) - 1, &n, &problem);
    cr_assert_eq(n, 3);
    cr_assert_str_eq(v[0].name, "Long\nName");
    cr_assert_str_eq(v[0].sid, "");
    cr_assert_neq(v[0].created, 0);
    cr_assert_str_eq(v[1].name, "\xc3\xa9");
    cr_assert_str_eq(v[1].sid, "5");
    cr_assert_str_eq(v[2].name, "Kept");
    cr_assert(problem);
    gradescope_free(v, n);
    free(problem);
}

/* ---- archives that students handed in, and that are damaged ---- */

struct bytes {
    char *s;
    size_t n;
};

static struct bytes zip_of(const char *folder, const char *name, const char *text, size_t n)
{
    char *path = xformat("%s/own.zip", folder);
    struct archive *a = begin(path, true);
    struct bytes out;
    add(a, name, text, n);
    end(a);
    cr_assert_eq(file_read_no_link(path, 1 << 20, &out.s, &out.n), 0);
    cr_assert_eq(unlink(path), 0);
    free(path);
    return out;
}

/* The archives of students 10, 11, …: a class in a folder, and as Canvas hands it out. */
static void put_class(const char *folder, const struct bytes *v, int n)
{
    char *in = xformat("%s/folder", folder), *canvas = xformat("%s/canvas", folder);
    struct archive *a = begin(canvas, true);
    cr_assert_eq(make_dirs(in), 0);
    for (int i = 0; i < n; i++) {
        char *path = xformat("%s/%d.zip", in, 10 + i), *name = xformat("ann_%d_7_a.zip", 10 + i);
        cr_assert_eq(file_write(path, v[i].s, v[i].n), 0);
        add(a, name, v[i].s, v[i].n);
        free(name);
        free(path);
    }
    end(a);
    free(in);
    free(canvas);
}

/* Nobody gets a 0 for it: it may be the upload's fault. One archive is whole, two are cut, one has
 * a flipped bit, and one holds one that is cut. */
static void check_damaged(const char *how)
{
    char *folder = new_folder(), *lab = skeleton(), *log = xformat("%s/log", folder), *said;
    struct bytes zip = zip_of(folder, LAB ".cu", lab, strlen(lab)),
                 nested = zip_of(folder, "in.zip", zip.s, zip.n / 2),
                 flipped = {memcpy(xmalloc(zip.n), zip.s, zip.n), zip.n};
    size_t n;
    flipped.s[zip.n / 2] ^= 4;
    put_class(folder,
              (struct bytes[]){zip, {zip.s, zip.n / 2}, {zip.s, zip.n - 1}, flipped, nested}, 5);
    struct csv *c = mark(folder, how, "");
    cr_expect_str_eq(cell(c, "10", "status"), "graded");
    cr_expect_str_eq(cell(c, "10", "mark"), "0");
    for (int i = 11; i < 15; i++) {
        char id[8];
        snprintf(id, sizeof(id), "%d", i);
        cr_expect_str_eq(cell(c, id, "status"), "unreadable", "%s", id);
        cr_expect_str_eq(cell(c, id, "mark"), "", "%s", id);
    }
    csv_free(c);
    cr_assert_eq(file_read_no_link(log, 1 << 20, &said, &n), 0);
    cr_expect(strstr(said, "-  unreadable  (needs a person)"), "%s", said);
    cr_expect(strstr(said, ", 4 need a person"), "%s", said);
    char *all[] = {said, log, lab, zip.s, nested.s, flipped.s};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
    remove_folder(folder);
}

Test(downloads, damaged_archive_in_a_folder, .timeout = 60)
{
    check_damaged("folder");
}

Test(downloads, damaged_archive_from_canvas, .timeout = 60)
{
    check_damaged("canvas");
}
