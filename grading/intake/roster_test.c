/* roster_test.c - rosters as people export, join and edit them: who is who, and what is said of
 * rows that tell nobody. */
#include "base/alloc.h"
#include "base/file.h"
#include "submissions.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAB "coalescing"

/* Students ann, bob and cem handed in; with names where the system is Moodle. */
static struct submissions class_of_three(enum name_system system)
{
    static const char *const ids[] = {"ann", "bob", "cem"}, *const names[] = {"Ann Ames", "Kim Lee",
                                                                              "Kim Lee"};
    struct submissions s = {.v = xzalloc(3 * sizeof(struct submission)), .n = 3, .system = system};
    for (int i = 0; i < 3; i++)
        s.v[i] = (struct submission){.student = xstrdup(ids[i]),
                                     .person = xstrdup(system == NAMES_MOODLE ? names[i] : ""),
                                     .email = xstrdup(""),
                                     .login = xstrdup(""),
                                     .section = xstrdup(""),
                                     .original = xstrdup(LAB ".cu"),
                                     .source = xstrdup("x"),
                                     .length = 1};
    return s;
}

static bool apply_bytes(struct submissions *s, const char *csv, size_t n, struct text *why)
{
    char path[] = "/tmp/rosterXXXXXX";
    close(mkstemp(path));
    cr_assert_eq(file_write(path, csv, n), 0);
    bool ok = submissions_roster(s, path, why);
    unlink(path);
    return ok;
}

static bool apply(struct submissions *s, const char *csv, struct text *why)
{
    return apply_bytes(s, csv, strlen(csv), why);
}

static const struct submission *of(const struct submissions *s, const char *student)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->v[i].student, student))
            return &s->v[i];
    cr_assert_fail("%s is not there", student);
    return NULL;
}

Test(roster, refused_ones)
{
    static const struct {
        const char *csv, *why;
    } rows[] = {
        {"", "no column ID"},
        {"ID,Student,Email\n", "nobody in it"},
        {"ID,Student,Email", "nobody in it"},
        {"ID,Student\r\n,\r\n\r\n", "nobody in it"},
        {"ID;Student\nann;Ann Ames\n", "commas between"},
        {"Student,Mark\nAnn,3\n", "no column ID"},
        {"ID,Student\n901,X\n902,Y\n", "nobody who handed in is in it"},
        {"ID,Student\nann,\"Ann\nbob,Bob\ncem,Cem\n", "is a quote not closed?"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct submissions s = class_of_three(NAMES_PLAIN);
        struct text why = {0};
        cr_expect(!apply(&s, rows[i].csv, &why), "%s", rows[i].csv);
        cr_expect(strstr(text_str(&why), rows[i].why), "%s: %s", rows[i].csv, text_str(&why));
        text_free(&why);
        submissions_free(&s);
    }
}

/* As a spreadsheet's "Unicode text" is, with a byte-order mark or without. */
Test(roster, of_wide_characters)
{
    static const struct {
        const char *mark, *form;
        size_t mark_bytes, wide;
        bool high_first;
    } rows[] = {{"\xff\xfe", "UTF-16", 2, 2, false},
                {"\xfe\xff", "UTF-16", 2, 2, true},
                {"", "UTF-16", 0, 2, false},
                {"\xff\xfe\0", "UTF-32", 4, 4, false}};
    static const char csv[] = "ID,Student\r\nann,A\r\n";
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char bytes[4 * sizeof(csv) + 4] = "";
        size_t n = rows[i].mark_bytes, w = rows[i].wide;
        memcpy(bytes, rows[i].mark, n);
        for (size_t k = 0; k + 1 < sizeof(csv); k++, n += w)
            bytes[n + (rows[i].high_first ? w - 1 : 0)] = csv[k];
        struct submissions s = class_of_three(NAMES_PLAIN);
        struct text why = {0};
        cr_expect(!apply_bytes(&s, bytes, n, &why));
        cr_expect(strstr(text_str(&why), rows[i].form) && strstr(text_str(&why), "CSV UTF-8"),
                  "row %zu: %s", i, text_str(&why));
        text_free(&why);
        submissions_free(&s);
    }
}

Test(roster, odd_rows_are_noted)
{
    static const struct {
        const char *csv, *notes;
        int n; /* students afterwards */
    } rows[] = {
        {"ID,Student\nann,A\nbob,B\ncem,C\n", "", 3},
        {"ID,Student\rann,A\rbob,B\rcem,C\r", "", 3},
        {"\xef\xbb\xbfID,Student\r\nann,A\r\nbob,B\r\ncem,C\r\n", "", 3},
        {"ID,Student\n ann ,A\nBOB,B\n\"cem\",C\n,\n\n", "", 3},
        {"ID,Student\nann,A\nbob,B\ncem,C\ndee,D\n", "", 4},
        {"ID,Student\nann,A\nbob,B\ncem,C\nann,A\n",
         "roster: row 5, ann A, is row 2's student again: the first row counts\n", 3},
        {"ID,Student\nann,A\nbob,B\ncem,C\ndee,D\nDee,E\n",
         "roster: row 6, Dee E, is row 5's student again: the first row counts\n", 4},
        {"ID,Student\nann,A\nbob,B\ncem,C\n,Dee\n",
         "roster: row 5, Dee, has no id, login or e-mail: left out\n", 3},
        {"ID,Student\nann,A\nbob,J\xf6rg\ncem,C\n",
         "roster: 1 rows are not in UTF-8, the first is row 3: export it as \"CSV UTF-8\" for "
         "names "
         "as they are written\n",
         3},
        {"ID,Student\nann,A\nbob,B\n",
         "roster: cem  (" LAB ".cu) is not on it: marked all the same\n", 3},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct submissions s = class_of_three(NAMES_PLAIN);
        struct text why = {0};
        cr_expect(apply(&s, rows[i].csv, &why), "%s: %s", rows[i].csv, text_str(&why));
        cr_expect_str_eq(text_str(&s.notes), rows[i].notes, "%s: %s", rows[i].csv,
                         text_str(&s.notes));
        cr_expect_eq(s.n, rows[i].n, "%s", rows[i].csv);
        cr_expect_str_eq(of(&s, "ann")->person, "A");
        text_free(&why);
        submissions_free(&s);
    }
}

/* Two students of one name: an id tells them apart; without one, neither is guessed. */
Test(roster, namesakes)
{
    struct submissions s = class_of_three(NAMES_MOODLE);
    struct text why = {0};
    cr_assert(
        apply(&s, "ID,Full name,Email\ncem,Kim Lee,c@x\nbob,Kim Lee,b@x\n1,Ann Ames,a@x\n", &why));
    cr_expect_str_eq(of(&s, "bob")->email, "b@x");
    cr_expect_str_eq(of(&s, "cem")->email, "c@x");
    cr_expect_str_eq(of(&s, "ann")->email, "a@x");
    cr_expect_eq(s.n, 3);
    submissions_free(&s);
    s = class_of_three(NAMES_MOODLE);
    cr_assert(apply(&s, "ID,Full name,Email\nann,Ann Ames,a@x\n7,Kim Lee,k@x\n", &why));
    cr_expect(of(&s, "7")->missing);
    cr_expect_str_eq(of(&s, "bob")->email, "");
    submissions_free(&s);
    text_free(&why);
}

Test(roster, times_of_a_worksheet)
{
    struct submissions s = class_of_three(NAMES_PLAIN);
    struct text why = {0};
    cr_assert(apply(&s,
                    "ID,Student,Last modified (submission)\n"
                    "ann,A,\"Friday, 20 November 2026, 11:14 PM\"\n"
                    "bob,B,\"Freitag, 20. November 2026, 23:14\"\n"
                    "cem,C,-\ndee,D,\n",
                    &why));
    cr_expect_neq(of(&s, "ann")->handed_in, 0);
    cr_expect_eq(of(&s, "bob")->handed_in, 0);
    cr_expect(strstr(text_str(&s.notes), "1 times of \"Last modified (submission)\" are in no form "
                                         "that is known, the first in row 3"),
              "%s", text_str(&s.notes));
    submissions_free(&s);
    text_free(&why);
}
