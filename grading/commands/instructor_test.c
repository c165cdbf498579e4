/* instructor_test.c - what an instructor does after a batch: look, mark again, change a mark or a
 * rule, compare, export; each command run as typed.
 */
#include "grading/mark/session.h"
#include "base/testing.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAB "coalescing"

static struct engine_options o;
static char folder[64];

/* `grade` with these arguments on the test's gradebook; what it prints, its exit status. */
static char *grade(int want, const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *grade(int want, const char *format, ...)
{
    char *arguments = NULL;
    int code;
    va_list ap;
    va_start(ap, format);
    cr_assert(vasprintf(&arguments, format, ap) > 0);
    va_end(ap);
    size_t word = strcspn(arguments, " ");
    char *text = shell(&code, "%s/grade %.*s --book %s/g.db%s 2>&1", o.bin, (int)word, arguments,
                       folder, arguments + word);
    cr_assert_eq(code, want, "%s: exit status %d\n%s", arguments, code, text);
    free(arguments);
    return text;
}

static void says(char *text, const char *part)
{
    cr_assert(strstr(text, part), "\"%s\" is not in:\n%s", part, text);
    free(text);
}

static void silent_about(char *text, const char *part)
{
    cr_assert(!strstr(text, part), "\"%s\" is in:\n%s", part, text);
    free(text);
}

/* Four students: two alike, one of the bank's wrong kernels, one who has not begun. */
static void a_class(void)
{
    engine_defaults(&o);
    snprintf(folder, sizeof(folder), "/tmp/instructorXXXXXX");
    cr_assert(mkdtemp(folder));
    free(shell(NULL,
               "cd %s && mkdir class && printf 'a secret text\\n' >secret && "
               "printf 'ID,Student,Email\\nann,Ann Ames,ann@x.edu\\nbob,Bob Best,bob@x.edu\\n"
               "cas,Cas Crew,cas@x.edu\\ndee,Dee Dunn,dee@x.edu\\n' >roster.csv",
               folder));
    free(shell(
        NULL,
        "r=$(realpath %s) && cd %s/class && cp $r/solutions/" LAB "/" LAB ".cu ann.cu && "
        "sed 's/energy/power/2' ann.cu >bob.cu && cp $r/labs/" LAB "/wrong/tile_conflicts.cu "
        "cas.cu && cp $r/labs/" LAB "/" LAB ".cu dee.cu && touch -d '2026-11-18 12:00' *.cu && "
        "touch -d '2026-11-22 12:00' bob.cu",
        o.root, folder));
    says(grade(0, "batch --lab " LAB " --secret %s/secret --roster %s/roster.csv -q -j2 %s/class",
               folder, folder, folder),
         "4 submissions");
}

static void end_of_class(void)
{
    free(shell(NULL, "rm -rf '%s'", folder));
}

Test(instructor, marks_again, .init = a_class, .fini = end_of_class, .timeout = 100)
{
    says(grade(0,
               "regrade --lab " LAB " --secret %s/secret --why 'new driver' 'Cas Crew' bob@x.edu",
               folder),
         "2 marked again, 0 changed");
    says(grade(0, "audit"), "new driver");
    says(grade(0, "show cas"), "regrade, run 1: graded 8 -> graded 8");
    says(grade(2, "regrade --lab " LAB " --secret %s/secret --why x nobody", folder),
         "no student \"nobody\"");
    says(grade(2, "regrade --lab " LAB " --no-secret ann"), "--why");
    says(grade(2, "regrade --lab " LAB " --no-secret --why x"), "whom?");
    says(grade(0, "regrade --lab " LAB " --no-secret --why x ann"), "another secret");
    says(grade(2, "regrade --lab " LAB " --no-secret --why x --needs-person"), "0 marked again");
    says(grade(0, "regrade --lab " LAB " --secret %s/secret --why 'all of it' --all", folder),
         "4 marked again");
    int entries = 0;
    char *audit = grade(0, "audit");
    for (const char *p = audit; (p = strstr(p, "regrade, run 1")); p++)
        entries++;
    cr_assert_eq(entries, 2 + 1, "%s", audit); /* of who was named */
    cr_assert(strstr(audit, "regrade: 4 marked again, the same  " LAB "    all of it\n"), "%s",
              audit);
    free(audit);
}

Test(instructor, changes_marks_and_rules, .init = a_class, .fini = end_of_class, .timeout = 100)
{
    says(grade(0, "override --lab " LAB " --why 'office hour' 'Dee Dunn' 7"), "dee: 7 points");
    says(grade(1, "override --lab " LAB " --why x 'Dee' 7"), "no student \"Dee\"");
    says(grade(2, "override --lab " LAB " dee 7"), "--why");
    says(grade(2, "override --lab " LAB " --why x dee seven"), "not a number");
    says(grade(0, "marks"), "set by hand: office hour");
    says(grade(0, "override --lab " LAB " --why 'a typing error' dee 70"), "more than the lab has");
    says(grade(0, "override --lab " LAB " --why 'office hour' dee 7"), "set by hand\n");
    says(grade(0, "total"), "dee,Dee Dunn,1,29.2,0");
    says(grade(0, "override --lab " LAB " --why 'was a mistake' dee none"),
         "again what was marked");
    silent_about(grade(0, "marks"), "set by hand");
    says(grade(0, "policy --lab " LAB " --due '2026-11-20 23:59' --late-per-day 25"), "25 %");
    says(grade(0, "marks"), "2 days late: -50 %");
    says(grade(0, "policy --lab " LAB " --late-days 1"), "due 2026-11-20 23:59");
    says(grade(0, "marks"), "1 day late: -25 %");
    says(grade(0, "policy --lab " LAB " --late-days 0 --grace 5000"), "grace 5000 min");
    silent_about(grade(0, "marks"), "late");
    says(grade(0, "audit"), "policy");
    says(grade(0, "policy --lab " LAB " --late-max-days 3"), "no marks after 3 days");
    says(grade(2, "policy --lab " LAB " --late-per-day 101"), "there are 100 percent");
    says(grade(2, "policy --lab " LAB " --late-days 2.5"), "not a whole number: 2.5");
    says(grade(2, "policy --lab " LAB " --late-max-days 0.5"), "not a whole number: 0.5");
    says(grade(2, "total --drop 1.5"), "not a whole number: 1.5");
    says(grade(0, "policy --lab " LAB " --grace 2.5"), "grace 2.5 min");
    says(grade(2, "policy --lab nosuch --grace 15"), "there is no lab \"nosuch\"");
}

Test(instructor, is_told_of_utf_16_by_name, .init = a_class, .fini = end_of_class, .timeout = 100)
{
    free(shell(NULL, "printf '\\377\\376#\\0i\\0' >%s/class/eve.cu", folder));
    says(grade(0, "batch --lab " LAB " --secret %s/secret -q -j2 %s/class", folder, folder),
         " 0  UTF-16\n");
    says(grade(0, "report --lab " LAB " %s/pages", folder), "");
    says(shell(NULL, "cat %s/pages/index.html", folder), "<strong>UTF-16</strong>");
}

Test(instructor, is_told_of_a_lab_that_nobody_handed_in, .init = a_class, .fini = end_of_class,
     .timeout = 100)
{
    static const char *const words[] = {"marks",         "stats",
                                        "similar",       "show ann",
                                        "export csv",    "report /tmp/none",
                                        "export moodle", "override --why x ann 3"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        says(grade(1, "%s --lab reduction", words[i]), "has handed in reduction");
}

Test(instructor, compares_and_exports, .init = a_class, .fini = end_of_class, .timeout = 100)
{
    char *first = grade(0, "export anonymous --lab " LAB), *again;
    again = grade(0, "export anonymous --lab " LAB);
    cr_assert_str_eq(first, again, "aliases change");
    cr_assert(!strstr(first, "Ames") && !strstr(first, "ann") && !strstr(first, "x.edu"), "%s",
              first);
    free(first);
    free(again);
    says(grade(0, "similar --lab " LAB " --top 1"), "100.0 %");
    says(grade(0, "similar --lab " LAB " --least 99"), "ann Ann Ames  =  bob Bob Best\n");
    says(grade(0, "similar --lab " LAB " --least 99"),
         "ann Ann Ames  =  the published solution \n");
    free(shell(NULL, "cp %s/class/ann.cu %s/class/dee.cu", folder, folder));
    says(grade(0, "batch --lab " LAB " --secret %s/secret -q -j2 %s/class", folder, folder),
         "4 known by content");
    says(grade(1, "diff 1 2"), "dee: graded");
    says(grade(0, "diff 1 1"), "0 differences");
    says(grade(2, "diff 1 last"), "not a run's number: last");
    says(grade(0, "stats"), "4 students");
    says(grade(1, "report --lab reduction %s/pages", folder), "nobody");
    says(grade(1, "show nobody"), "no student");
}

/* Ann has not begun, Gus handed in what nobody can read, Fay nothing; of the other lab Fay, too,
 * and Ann nothing. */
static void a_class_with_gaps(void)
{
    engine_defaults(&o);
    snprintf(folder, sizeof(folder), "/tmp/instructorXXXXXX");
    cr_assert(mkdtemp(folder));
    free(shell(NULL,
               "r=$(realpath %s) && cd %s && mkdir one two && printf 'ID,Name\nann,Ann\nfay,Fay\n"
               "gus,Gus\n' >r.csv && cp $r/labs/" LAB "/" LAB
               ".cu one/ann.cu && echo x >one/gus.pdf "
               "&& cp $r/solutions/reduction/reduction.cu two/fay.cu && cp two/fay.cu two/gus.cu",
               o.root, folder));
    free(grade(1, "batch --lab " LAB " --no-secret --roster %s/r.csv -q %s/one", folder, folder));
    free(grade(0, "batch --lab reduction --no-secret --roster %s/r.csv -q %s/two", folder, folder));
}

/* What is not there is no 0: neither in a total, nor in a mean, unless the instructor says so. */
Test(instructor, counts_no_gap_as_zero, .init = a_class_with_gaps, .fini = end_of_class,
     .timeout = 100)
{
    char *total = grade(0, "total");
    cr_expect_str_eq(total, "student,name,labs,percent,waiting for a person,missing\n"
                            "ann,Ann,2,,0,1\nfay,Fay,2,,0,1\ngus,Gus,2,,1,0\n");
    free(total);
    total = grade(0, "total --missing-zero");
    cr_expect(strstr(total, "\nann,Ann,2,0.0,0,1\nfay,Fay,2,50.0,0,1\ngus,Gus,2,,1,0\n"), "%s",
              total);
    free(total);
    total = grade(0, "total --drop 1"); /* the one that is missing */
    cr_expect(strstr(total, "\nann,Ann,2,0.0,0,1\nfay,Fay,2,100.0,0,1\ngus,Gus,2,,1,0\n"), "%s",
              total);
    free(total);
    says(grade(0, "stats --lab " LAB),
         "3 students, 1 handed in nothing, 1 need a person; 2 without "
         "a mark are left out\n  mean 0,");
    says(grade(0, "stats --lab reduction"), "1 handed in nothing, 0 need a person; 1 without");
    says(grade(0, "stats --lab reduction --missing-zero"), "0 need a person\n  mean ");
    says(grade(0, "show fay --lab " LAB), "no mark (missing)");
    says(grade(0, "show gus --lab " LAB), "no mark (needs a person)");
    free(grade(0, "override --lab " LAB " --why 'on paper' gus 12"));
    free(grade(0, "override --lab " LAB " --why ill fay 24"));
    says(grade(0, "total"), "\nfay,Fay,2,100.0,0,0\ngus,Gus,2,75.0,0,0\n");
    says(grade(0, "stats --lab " LAB), "3 students, 0 handed in nothing, 0 need a person\n");
}

static int times_in(char *text, const char *part)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, part)); p++)
        n++;
    free(text);
    return n;
}

/* What is said of a whole class is said once, however often a batch was started. */
Test(instructor, audit_says_a_thing_once, .init = a_class, .fini = end_of_class, .timeout = 100)
{
    for (int i = 0; i < 3; i++)
        free(grade(0, "batch --lab " LAB " --secret %s/secret -q --late-per-day 10 %s/class",
                   folder, folder));
    cr_expect_eq(times_in(grade(0, "audit"), "  policy  "), 1);
    free(grade(0, "policy --lab " LAB " --late-per-day 10"));
    cr_expect_eq(times_in(grade(0, "audit"), "  policy  "), 1);
    free(grade(0, "policy --lab " LAB " --late-per-day 20"));
    cr_expect_eq(times_in(grade(0, "audit"), "  policy  "), 2);
    cr_expect_eq(
        times_in(grade(0, "regrade --lab " LAB " --no-secret --why x --all"), "another secret"), 1);
    setenv("USER", "eve\033[31m", 1);
    free(grade(0, "override --lab " LAB " --why 'one\ntwo' dee 3"));
    free(grade(0, "override --lab " LAB " --why 'one\ntwo' dee 3"));
    cr_expect_eq(times_in(grade(0, "audit"), "override to 3"), 1);
    silent_about(grade(0, "audit"), "\033");
}

/* `grade` where nothing can be written, as on a mounted backup. */
static char *read_only(int want, const char *arguments)
{
    int code;
    size_t word = strcspn(arguments, " ");
    char *text = shell(&code,
                       "bwrap --ro-bind / / --dev /dev --proc /proc %s/grade %.*s --book %s/g.db%s "
                       "2>&1",
                       o.bin, (int)word, arguments, folder, arguments + word);
    cr_expect_eq(code, want, "%s: exit status %d\n%s", arguments, code, text);
    return text;
}

Test(instructor, read_only_disk, .init = a_class, .fini = end_of_class, .timeout = 100)
{
    static const char *const reading[] = {"marks",
                                          "show ann",
                                          "stats",
                                          "policy --lab " LAB,
                                          "audit",
                                          "total",
                                          "export csv",
                                          "export junit",
                                          "similar --lab " LAB,
                                          "export anonymous",
                                          "export moodle --lab " LAB};
    static const char *const writing[] = {"override --lab " LAB " --why x ann 3",
                                          "policy --lab " LAB " --grace 3"};
    for (size_t i = 0; i < sizeof(reading) / sizeof(reading[0]); i++) {
        char *want = grade(0, "%s", reading[i]), *got = read_only(0, reading[i]);
        cr_expect_str_eq(got, want, "%s: %s", reading[i], got);
        free(got);
        free(want);
    }
    for (size_t i = 0; i < sizeof(writing) / sizeof(writing[0]); i++)
        says(read_only(2, writing[i]), "cannot be written: Read-only");
    says(read_only(0, "diff 1 1"), "0 differences");
    free(shell(NULL, "printf x >%s/g.db-wal", folder)); /* of a batch that was killed */
    says(read_only(2, "marks"), "copy both files");
    says(shell(NULL, "%s/grade marks --book %s/secret 2>&1; true", o.bin, folder),
         "not a database");
    says(shell(NULL, "%s/grade marks --book %s/g.db 2>&1 >/dev/full; true", o.bin, folder),
         "not whole");
}

/* A time that no calendar or clock has is refused, with what to write. */
Test(instructor, due_times_that_do_not_exist, .timeout = 60)
{
    static const struct {
        const char *due, *said; /* NULL: taken */
    } rows[] = {
        {"2028-02-29 00:00", NULL},
        {"2026-12-31 23:59", NULL},
        {"none", NULL},
        {"2026-02-30 10:00", "no such day; the month's last is \"2026-02-28\""},
        {"2027-02-29 10:00", "the month's last is \"2027-02-28\""},
        {"2100-02-29 10:00", "the month's last is \"2100-02-28\""},
        {"2026-11-31 10:00", "the month's last is \"2026-11-30\""},
        {"2026-11-00 10:00", "no such day"},
        {"2026-13-01 10:00", "a month from 01 to 12"},
        {"0026-11-20 10:00", "a year from 1970 on"},
        {"2026-11-20 24:00", "from 00:00 to 23:59"},
        {"2026-11-20 23:60", "from 00:00 to 23:59"},
        {"2026-11-20 24:61", "from 00:00 to 23:59"},
        {"2026-03-29 02:30", "the clocks are put forward over it; write \"03:30\""},
        {"2026-11-20", "write it like"},
        {"2026-11-20T10:00", "write it like"},
        {"2026-11-20 10:00 Z", "write it like"},
        {"2026-11-20 +1:00", "write it like"},
        {"20.11.2026 10:00", "write it like"},
        {"26-11-20 10:00", "write it like"},
        {"tomorrow", "write it like"},
    };
    int code;
    engine_defaults(&o);
    snprintf(folder, sizeof(folder), "/tmp/dueXXXXXX");
    cr_assert(mkdtemp(folder));
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *text = shell(&code, "%s/grade policy --book %s/g.db --lab reduction --due '%s' 2>&1",
                           o.bin, folder, rows[i].due);
        const char *want = rows[i].said ? rows[i].said : "there is no gradebook";
        cr_expect(strstr(text, want) && code == 2, "%s: %d %s", rows[i].due, code, text);
        free(text);
    }
    end_of_class();
}

/* Every command reads its words with argp: each has help, and refuses what it does not know. */
Test(commands, each_has_help_and_refuses_the_rest, .timeout = 60)
{
    int code;
    engine_defaults(&o);
    char *list = shell(NULL, "%s/grade --help | sed -n 's/^  \\([a-z]*\\) .*/\\1/p'", o.bin);
    int n = 0;
    char *save = NULL;
    for (char *c = strtok_r(list, "\n", &save); c; c = strtok_r(NULL, "\n", &save), n++) {
        char *help = shell(&code, "%s/grade %s --help", o.bin, c);
        char *usage = xformat("Usage: grade %s", c);
        cr_assert(code == 0 && strstr(help, usage), "%s: %d %s", c, code, help);
        free(help);
        free(usage);
        free(shell(&code, "%s/grade %s --no-such-option 2>&1", o.bin, c));
        cr_assert_eq(code, 2, "%s: %d", c, code);
    }
    cr_assert_geq(n, 19);
    free(list);
}

/* A word mistyped is no submission: it is told what there is, and gets no mark. */
Test(commands, check_says_what_is_missing, .timeout = 60)
{
    static const struct {
        const char *words, *said;
    } rows[] = {
        {"check --lab " LAB " /none.cu", "there is no file /none.cu"},
        {"check --lab " LAB " /tmp", "/tmp cannot be marked: Is a directory"},
        {"check --lab nonsense x.cu", "there is no lab \"nonsense\"; there are: bank_conflicts"},
        {"check x.cu", "which lab?"},
        {"check --lab " LAB, "which file?"},
        {"nonsense", "no command \"nonsense\""},
    };
    int code;
    engine_defaults(&o);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *text = shell(&code, "%s/grade %s 2>&1", o.bin, rows[i].words);
        cr_expect(strstr(text, rows[i].said) && code == 2, "%s: %d %s", rows[i].words, code, text);
        free(text);
    }
}
