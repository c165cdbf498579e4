/* cmd_policy.c - grade policy: the rules for late work, per lab, without marking anything;
 * grade total: a student's labs together, the worst dropped.
 */
#include "cmd_policy.h"
#include "base/alloc.h"
#include "base/text.h"
#include "args.h"
#include "commands.h"
#include "base/csv.h"
#include "grading/mark/cases.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    GIVEN_DUE = 1,
    GIVEN_GRACE = 2,
    GIVEN_DAY = 4,
    GIVEN_MAX = 8,
    GIVEN_FREE = 16,
    GIVEN_BEST = 32
};
enum { KEY_DUE = 2000, KEY_GRACE, KEY_PER_DAY, KEY_MAX_DAYS, KEY_LATE_DAYS, KEY_BEST, KEY_LATEST };

static const struct argp_option policy_options[] = {
    {0, 0, 0, 0, "Late work (kept in the gradebook for the lab; what is not said stays):", 1},
    {"due", KEY_DUE, "TIME", 0, "\"2026-11-20 23:59\", local time; \"none\"", 1},
    {"grace", KEY_GRACE, "MINUTES", 0, "Still in time this much later", 1},
    {"late-per-day", KEY_PER_DAY, "PERCENT", 0, "Lost for each day or part of one", 1},
    {"late-max-days", KEY_MAX_DAYS, "N", 0, "No marks beyond; 0: no such limit", 1},
    {"late-days", KEY_LATE_DAYS, "N", 0,
     "Days each student may be late without loss, over all labs", 1},
    {"best", KEY_BEST, 0, 0, "Of several runs a student's best result counts", 1},
    {"latest", KEY_LATEST, 0, 0, "… the latest counts (the default)", 1},
    {0}};

/* Whether s is of the shape's form: a digit for each 0, all else as it stands. */
static bool has_shape(const char *s, const char *shape)
{
    for (; *shape; s++, shape++)
        if (*shape == '0' ? *s < '0' || *s > '9' : *s != *shape)
            return false;
    return !*s;
}

static int days_of(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

/* mktime() makes another day of one that is not in the calendar, so that is looked at first. */
static int64_t parse_time(struct argp_state *state, const char *arg)
{
    int year = 0, month = 0, day = 0, hour = 0, minute = 0;
    if (!strcmp(arg, "none"))
        return 0;
    if (!has_shape(arg, "0000-00-00 00:00") ||
        sscanf(arg, "%d-%d-%d %d:%d", &year, &month, &day, &hour, &minute) != 5)
        argp_error(state, "--due \"%s\": write it like \"2026-11-20 23:59\", or \"none\"", arg);
    if (year < 1970 || month < 1 || month > 12)
        argp_error(state, "--due \"%s\": write a year from 1970 on and a month from 01 to 12", arg);
    if (day < 1 || day > days_of(year, month))
        argp_error(state,
                   "--due \"%s\": there is no such day; the month's last is \"%04d-%02d-%02d\"",
                   arg, year, month, days_of(year, month));
    if (hour > 23 || minute > 59)
        argp_error(state, "--due \"%s\": write a time of day from 00:00 to 23:59", arg);
    struct tm t = {.tm_year = year - 1900,
                   .tm_mon = month - 1,
                   .tm_mday = day,
                   .tm_hour = hour,
                   .tm_min = minute,
                   .tm_isdst = -1};
    int64_t due = mktime(&t);
    if (t.tm_hour != hour || t.tm_min != minute)
        argp_error(state, "--due \"%s\": the clocks are put forward over it; write \"%02d:%02d\"",
                   arg, t.tm_hour, t.tm_min);
    return due;
}

static error_t parse_policy(int key, char *arg, struct argp_state *state)
{
    struct policy_args *a = state->input;
    switch (key) {
    case KEY_DUE:
        a->p.due = parse_time(state, arg);
        a->given |= GIVEN_DUE;
        return 0;
    case KEY_GRACE:
        a->p.grace = (int64_t)(60 * arg_number(state, arg));
        a->given |= GIVEN_GRACE;
        return 0;
    case KEY_PER_DAY:
        a->p.per_day = arg_number(state, arg) / 100;
        if (a->p.per_day > 1)
            argp_error(state, "--late-per-day %s: there are 100 percent", arg);
        a->given |= GIVEN_DAY;
        return 0;
    case KEY_MAX_DAYS:
        a->p.max_days = arg_count(state, arg);
        a->given |= GIVEN_MAX;
        return 0;
    case KEY_LATE_DAYS:
        a->p.late_days = arg_count(state, arg);
        a->given |= GIVEN_FREE;
        return 0;
    case KEY_BEST:
    case KEY_LATEST:
        a->p.best = key == KEY_BEST;
        a->given |= GIVEN_BEST;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp policy_argp = {policy_options, parse_policy, 0, 0, 0, 0, 0};

static bool same_policy(const struct policy *a, const struct policy *b)
{
    return a->due == b->due && a->grace == b->grace && a->per_day == b->per_day &&
           a->max_days == b->max_days && a->late_days == b->late_days && a->best == b->best;
}

void policy_apply(struct book *b, const char *lab, const struct policy_args *a)
{
    const struct policy was = book_policy(b, lab);
    struct policy p = was;
    p.due = a->given & GIVEN_DUE ? a->p.due : p.due;
    p.grace = a->given & GIVEN_GRACE ? a->p.grace : p.grace;
    p.per_day = a->given & GIVEN_DAY ? a->p.per_day : p.per_day;
    p.max_days = a->given & GIVEN_MAX ? a->p.max_days : p.max_days;
    p.late_days = a->given & GIVEN_FREE ? a->p.late_days : p.late_days;
    p.best = a->given & GIVEN_BEST ? a->p.best : p.best;
    if (same_policy(&was, &p)) /* a batch that is gone on with says its rules again */
        return;
    book_policy_set(b, lab, &p);
    char *said = policy_text(&p);
    book_audit(b, "policy", lab, NULL, said);
    free(said);
}

char *policy_text(const struct policy *p)
{
    char due[32] = "none", last[48] = "no last day";
    time_t t = (time_t)p->due;
    struct tm local;
    if (p->due && localtime_r(&t, &local))
        strftime(due, sizeof(due), "%Y-%m-%d %H:%M", &local);
    if (p->max_days)
        snprintf(last, sizeof(last), "no marks after %d day%s", p->max_days,
                 p->max_days == 1 ? "" : "s");
    return xformat("due %s, grace %g min, %g %% a day, %s, %d free late days, the %s result "
                   "counts",
                   due, (double)p->grace / 60, 100 * p->per_day, last, p->late_days,
                   p->best ? "best" : "latest");
}

/* ---- grade policy ---- */

struct own_args {
    const char *book, *lab;
    int drop;
    bool missing_zero;
    struct policy_args policy;
};

static const struct argp_option book_options[] = {
    BOOK_OPTION, {"lab", 'l', "LAB", 0, "The lab", 0}, {0}};
static const struct argp_option total_options[] = {
    BOOK_OPTION,
    {"drop", 'd', "N", 0, "Leave out each student's N worst labs", 0},
    {"missing-zero", KEY_MISSING_ZERO, 0, 0,
     "0 for a lab of which nothing was handed in (default: no percent, unless it is left out)", 0},
    {0}};

static const struct arg_field fields[] = {
    {'b', ARG_TEXT, offsetof(struct own_args, book)},
    {'l', ARG_TEXT, offsetof(struct own_args, lab)},
    {'d', ARG_COUNT, offsetof(struct own_args, drop)},
    {KEY_MISSING_ZERO, ARG_FLAG, offsetof(struct own_args, missing_zero)},
    {0},
};

static error_t parse_own(int key, char *arg, struct argp_state *state)
{
    struct own_args *a = state->input;
    if (key == ARGP_KEY_INIT && state->child_inputs)
        state->child_inputs[0] = &a->policy;
    return arg_store(fields, key, arg, state);
}

int cmd_policy(int argc, char **argv)
{
    static const struct argp_child children[] = {{&policy_argp, 0, 0, 0}, {0}};
    static const struct argp argp = {
        book_options, parse_own, "", "Shows a lab's rules for late work, or changes those given.",
        children,     0,         0};
    struct own_args a = {.book = "grades.db"};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if (!a.lab)
        die("--lab LAB is needed");
    if (!rubric_of(a.lab))
        die("there is no lab \"%s\": grade labs lists them", a.lab);
    struct book *b = a.policy.given ? open_book(a.book) : read_book(a.book);
    policy_apply(b, a.lab, &a.policy);
    struct policy p = book_policy(b, a.lab);
    char *said = policy_text(&p);
    printf("%s: %s\n", a.lab, said);
    free(said);
    book_close(b);
    return 0;
}

/* ---- grade total ---- */

enum { MOST_LABS = 64 };

static int by_share(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y); /* best first */
}

struct total {
    double share; /* mean of what is not dropped */
    int waiting, missing;
    bool known; /* nothing that counts is open */
};

/* One student's marks v[0..n), in shares of full marks. What is missing is 0 if it was said so, or
 * where it is dropped: nothing is worse. Who waits for a person may yet have any mark. */
static struct total total_of(const struct mark *v, int n, int nlabs, const struct own_args *a)
{
    double share[MOST_LABS] = {0}, sum = 0;
    struct total t = {.missing = nlabs - n};
    int keep = nlabs - a->drop > 0 ? nlabs - a->drop : 1;
    for (int i = 0; i < n && i < MOST_LABS; i++) {
        bool given = mark_counts(&v[i], a->missing_zero);
        share[i] = given && v[i].max > 0 ? v[i].mark / v[i].max : 0;
        t.missing += v[i].missing && !v[i].overridden;
        t.waiting += !given && !v[i].missing;
    }
    qsort(share, (size_t)nlabs, sizeof(*share), by_share);
    for (int i = 0; i < keep; i++)
        sum += share[i];
    t.share = sum / keep;
    t.known = !t.waiting && (a->missing_zero || t.missing <= nlabs - keep);
    return t;
}

static int count_labs(const struct mark *v, int n)
{
    int labs = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (strcmp(v[k].lab, v[i].lab))
            k++;
        labs += k == i;
    }
    return labs < MOST_LABS ? labs : MOST_LABS;
}

int cmd_total(int argc, char **argv)
{
    static const struct argp argp = {total_options,
                                     parse_own,
                                     "",
                                     "Prints, as CSV, each student's mean over all labs of the "
                                     "gradebook, in percent; none for who "
                                     "waits for a person or has labs missing.",
                                     0,
                                     0,
                                     0};
    struct own_args a = {.book = "grades.db"};
    int n, from = 0;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    struct book *b = read_book(a.book);
    struct mark *v = book_marks(b, NULL, 0, true, &n);
    struct text out = {0};
    int nlabs = count_labs(v, n);
    text_add(&out, "student,name,labs,percent,waiting for a person,missing\n");
    for (int i = 1; i <= n; i++) {
        if (i < n && !strcmp(v[i].student, v[from].student))
            continue;
        struct total t = total_of(&v[from], i - from, nlabs, &a);
        char percent[32] = "";
        if (t.known)
            snprintf(percent, sizeof(percent), "%.1f", 100 * t.share);
        csv_put(&out, v[from].student);
        csv_put(&out, v[from].person);
        text_addf(&out, ",%d,%s,%d,%d", i - from, percent, t.waiting, t.missing);
        csv_end(&out);
        from = i;
    }
    fputs(text_str(&out), stdout);
    text_free(&out);
    book_marks_free(v, n);
    book_close(b);
    return 0;
}
