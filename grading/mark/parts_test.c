/* parts_test.c - CSV, systems' file names, expected verdicts, escaping. */
#include "base/csv.h"
#include "base/text.h"
#include "expect.h"
#include "grading/intake/names.h"
#include "grading/report/report.h"
#include "grading/commands/similar.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(csv, read)
{
    static const char text[] =
        "\xef\xbb\xbfStudent,ID\r\n\"O'Neil, \"\"Pat\"\"\",17\n,\"two\nlines\"\n";
    struct csv *c = csv_parse(text, sizeof(text) - 1);
    cr_assert_eq(c->nrows, 3);
    cr_assert_eq(csv_column(c, "no such|id"), 1);
    cr_assert_str_eq(csv_cell(c, 1, 0), "O'Neil, \"Pat\"");
    cr_assert_str_eq(csv_cell(c, 1, 1), "17");
    cr_assert_str_eq(csv_cell(c, 2, 0), "");
    cr_assert_str_eq(csv_cell(c, 2, 1), "two\nlines");
    cr_assert_str_eq(csv_cell(c, 9, 9), "");
    csv_free(c);
}

Test(csv, write)
{
    struct text t = {0};
    static const char *const cells[] = {"", "=1+1", "-2.5", "a,b", "say \"x\"", "-"};
    for (size_t i = 0; i < 6; i++)
        csv_put(&t, cells[i]);
    csv_end(&t);
    cr_assert_str_eq(t.s, "\"\",\"'=1+1\",-2.5,\"a,b\",\"say \"\"x\"\"\",-\n");
    text_free(&t);
}

Test(names, parse)
{
    static const struct {
        enum name_system system;
        const char *path, *student, *person, *original; /* student NULL: nobody's */
        bool late;
    } rows[] = {
        {NAMES_CANVAS, "doejane_1234_98765_reduction.cu", "1234", "doejane", "reduction.cu", false},
        {NAMES_CANVAS, "doejane_LATE_1234_98765_reduction-2.cu", "1234", "doejane",
         "reduction-2.cu", true},
        {NAMES_CANVAS, "anon_AbC12_98765_my_1_2_x.cu", "AbC12", "anon", "my_1_2_x.cu", false},
        {NAMES_CANVAS, "anon_LATE_123_98765_x.cu", "123", "anon", "x.cu", true},
        {NAMES_CANVAS, "notes.txt", NULL, "", "", false},
        {NAMES_MOODLE, "Jane van Doe_4711_assignsubmission_file_/reduction.cu", "4711",
         "Jane van Doe", "reduction.cu", false},
        {NAMES_MOODLE, "Ann Lee_12_assignsubmission_file/sub/k.cu", "12", "Ann Lee", "k.cu", false},
        {NAMES_MOODLE, "Ann Lee_12_assignsubmission_onlinetext/x.html", NULL, "", "", false},
        {NAMES_GRADESCOPE, "assignment_9_export/submission_31/reduction.cu", "31", "",
         "reduction.cu", false},
        {NAMES_GRADESCOPE, "assignment_9_export/submission_metadata.yml", NULL, "", "", false},
        {NAMES_PLAIN, "alice.cu", "alice", "", "alice.cu", false},
        {NAMES_PLAIN, "bob/src/reduction.cu", "bob", "", "reduction.cu", false},
        {NAMES_PLAIN, "bob/.DS_Store", NULL, "", "", false},
        {NAMES_PLAIN, "__MACOSX/._alice.cu", NULL, "", "", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct file_name f;
        bool ok = name_parse(rows[i].system, rows[i].path, &f);
        cr_assert(ok == (rows[i].student != NULL), "%s", rows[i].path);
        if (ok) {
            cr_assert_str_eq(f.student, rows[i].student);
            cr_assert_str_eq(f.person, rows[i].person);
            cr_assert_str_eq(f.original, rows[i].original);
            cr_assert(f.late == rows[i].late, "%s", rows[i].path);
        }
        name_free(&f);
    }
}

Test(names, refused)
{
    static const char *const bad[] = {"/etc/passwd", "../x.cu",  "a/../../x", "C:\\x",
                                      "\\\\host\\x", "a\\..\\x", ""};
    static const char *const fine[] = {"a/b.cu", "..a/b", "a..b", "...", "-rf.cu", "a b.cu"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        cr_assert(name_refused(bad[i]), "%s", bad[i]);
    for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
        cr_assert(!name_refused(fine[i]), "%s", fine[i]);
}

Test(names, rank)
{
    cr_assert_eq(name_rank("report.pdf", "reduction"), 0);
    cr_assert_eq(name_rank("x.cu", "reduction"), 1);
    cr_assert_eq(name_rank("reduction_final.cu", "reduction"), 2);
    cr_assert_eq(name_rank("Reduction.CU", "reduction"), 3);
    cr_assert_lt(name_rank("reduction-1.cu", "reduction"),
                 name_rank("reduction-2.cu", "reduction"));
}

Test(expect, parse)
{
    struct expect x;
    struct text why = {0};
    cr_assert(expect_parse("// What is wrong.\n// only: a b\n// expect: r-ok=fail r-clean=any\n// "
                           "hint: r-ok: the tail\n// score: 1.5\n#include\n// expect: x=pass\n",
                           &x, &why),
              "%s", text_str(&why));
    cr_assert_str_eq(x.only, "a b");
    cr_assert_eq(x.nrows, 2);
    cr_assert(x.rows[1].any);
    cr_assert_str_eq(x.hints[0].text, "the tail");
    cr_assert(x.has_score && x.score == 1.5);
    expect_free(&x);
    cr_assert(expect_parse("\xef\xbb\xbf// expect: r-ok=fail\r\n", &x, &why) && x.nrows == 1);
    expect_free(&x);
    cr_assert(!expect_parse("// expect: r-ok=perhaps\n", &x, &why));
    expect_free(&x);
    cr_assert(expect_parse("// Adds zeros\n// to look busy.\n// class: dilution\n", &x, &why));
    cr_assert_str_eq(x.prose, "Adds zeros to look busy.");
    cr_assert_str_eq(x.class, "dilution");
    expect_free(&x);
    cr_assert(expect_parse("// Wider.\n// after: narrow\n", &x, &why));
    cr_assert_str_eq(x.after, "narrow");
    expect_free(&x);
    cr_assert(!expect_parse("// class: mischief\n", &x, &why));
    expect_free(&x);
    text_free(&why);
}

Test(html, escapes)
{
    struct text t = {0};
    html_escape(&t, "<script>\"&'\x01</script>");
    cr_assert_str_eq(t.s, "&lt;script&gt;&quot;&amp;&#39;?&lt;/script&gt;");
    text_free(&t);
    text_printable(&t, "a\x1b[31m\xff\xe2\x80\xae\xc3\xa9\n", 13, true);
    cr_assert_str_eq(t.s, "a\\x1b[31m\\xff\\xe2\\x80\\xae\xc3\xa9\n");
    text_free(&t);
}

Test(rubrics, hold_together)
{
    cr_assert_gt(all_rubrics_count, 0);
    for (int i = 0; i < all_rubrics_count; i++) {
        struct text t = {0};
        const struct lab *lab = lab_named(all_rubrics[i]->lab);
        cr_assert(lab, "%s", all_rubrics[i]->lab);
        cr_assert_eq(rubric_problems(lab, all_rubrics[i], &t), 0, "%s", text_str(&t));
        text_free(&t);
    }
}

Test(similar, sees_through_renaming)
{
    static const char a[] = "KERNEL f(const float *in, float *out, unsigned n)\n{\n    unsigned i "
                            "= blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "    float sum = 0;\n    for (unsigned k = i; k < n; k += 64)\n        "
                            "sum += in[k] * 2;\n    if (i < n)\n"
                            "        out[i] = sum;\n}\n";
    static const char renamed[] = "KERNEL g(const float *src, float *dst, unsigned len) // mine\n{ "
                                  "unsigned me = blockIdx.x*blockDim.x+threadIdx.x;"
                                  " float acc = 1; /* KERNEL x() { "
                                  "acc++; } // */ for (unsigned q = me; q < len; q += 32) acc += "
                                  "src[q] * 3; if (me < len) dst[me] = acc; }";
    static const char other[] = "KERNEL h(int *x)\n{\n    __shared__ int s[64];\n    "
                                "s[threadIdx.x] = x[threadIdx.x];\n    __syncthreads();\n"
                                "    while (x[0] > 0) {\n        x[threadIdx.x] -= s[63 - "
                                "threadIdx.x];\n        break;\n    }\n    return;\n}\n";
    struct prints p = prints_of(a), q = prints_of(renamed), r = prints_of(other),
                  none = prints_of("");
    cr_assert_eq(prints_overlap(&p, &q), 1);
    cr_assert_lt(prints_overlap(&p, &r), 0.2);
    cr_assert_eq(prints_overlap(&p, &none), 0);
    prints_subtract(&p, &q);
    cr_assert_eq(p.n, 0);
    prints_free(&p);
    prints_free(&q);
    prints_free(&r);
    prints_free(&none);
}
