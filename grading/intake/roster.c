/* roster.c - who is in the class: names for who handed in, and entries for who did not. See
 * submissions.h. */
#include "base/alloc.h"
#include "base/csv.h"
#include "base/file.h"
#include "submissions.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { ID, LOGIN, EMAIL, NAME, KEYS }; /* by how surely they tell whose something is */

struct roster {
    struct csv *csv;
    int columns[KEYS], section, handed_in;
    int people, known; /* rows with somebody; of these, who handed in */
    int odd_times;     /* and the first row of these */
    int odd_row, open_row;
    int odd_names, name_row;
};

struct person {
    int row; /* as a spreadsheet numbers it */
    const char *keys[KEYS];
};

/* "Friday, 20 November 2026, 11:14 PM", as English Moodle writes it, in local time; 0: "-", none;
 * -1: another form. */
static int64_t worksheet_time(const char *s)
{
    struct tm t = {.tm_isdst = -1};
    const char *comma = strchr(s, ',');
    if (!*s || !strcmp(s, "-"))
        return 0;
    if (!comma || (!strptime(comma + 1, " %d %B %Y, %I:%M %p", &t) &&
                   !strptime(comma + 1, " %d %B %Y, %H:%M", &t)))
        return -1;
    return mktime(&t);
}

static bool is_key(const struct submission *x, const char *key)
{
    return *key && !strcasecmp(x->student, key);
}

/* By id, login or e-mail; else by name, where one alone has it. Canvas writes names in another
 * way there than here. */
static struct submission *find_person(struct submissions *s, const struct person *p)
{
    struct submission *named = NULL;
    int namesakes = 0;
    for (int k = 0; k < KEYS; k++)
        for (int i = 0; i < s->n; i++)
            if (is_key(&s->v[i], p->keys[k]))
                return &s->v[i];
    for (int i = 0; s->system != NAMES_CANVAS && *p->keys[NAME] && i < s->n; i++) {
        if (strcasecmp(s->v[i].person, p->keys[NAME]) || s->v[i].row)
            continue;
        named = &s->v[i];
        namesakes++;
    }
    return namesakes == 1 ? named : NULL;
}

/* Canvas' two rows that are nobody, and lines left empty. */
static bool is_nobody(const struct person *p)
{
    const char *name = p->keys[NAME];
    return !strncasecmp(name, "Points Possible", 15) || !strcmp(name, "Student, Test") ||
           (!*name && !*p->keys[ID] && !*p->keys[LOGIN] && !*p->keys[EMAIL]);
}

/* Blanks around a cell are no part of it. */
static void trim(char *s)
{
    size_t lead = strspn(s, " \t\r"), n = strlen(s);
    while (n > lead && strchr(" \t\r", s[n - 1]))
        n--;
    memmove(s, s + lead, n - lead);
    s[n - lead] = 0;
}

static void trim_all(struct csv *c)
{
    for (int r = 0; r < c->nrows; r++)
        for (int k = 0; k < c->widths[r]; k++)
            trim(c->rows[r][k]);
}

static struct person person_in(const struct roster *r, int row)
{
    struct person p = {.row = row + 1};
    for (int k = 0; k < KEYS; k++)
        p.keys[k] = csv_cell(r->csv, row, r->columns[k]);
    if (!strncasecmp(p.keys[ID], "Participant ", 12))
        p.keys[ID] += 12;
    return p;
}

static void take_time(struct roster *r, struct submission *x, int row)
{
    int64_t time = worksheet_time(csv_cell(r->csv, row, r->handed_in));
    if (time > 0 && !x->missing)
        x->handed_in = time;
    if (time >= 0)
        return;
    r->odd_row = r->odd_times++ ? r->odd_row : row;
}

/* As Excel writes it where it is not told to write UTF-8. */
static bool is_odd(const struct person *p)
{
    bool odd = false;
    for (int k = 0; k < KEYS; k++) {
        char *safe = name_printable(p->keys[k]);
        odd = odd || strcmp(safe, p->keys[k]);
        free(safe);
    }
    return odd;
}

/* A quote that is not closed makes one cell of the rest of the class. */
static bool runs_on(const struct person *p)
{
    for (int k = 0; k < KEYS; k++)
        if (strchr(p->keys[k], '\n'))
            return true;
    return false;
}

static void take_row(struct submissions *s, struct roster *r, int row)
{
    struct person p = person_in(r, row);
    const char *id = *p.keys[ID] ? p.keys[ID] : *p.keys[LOGIN] ? p.keys[LOGIN] : p.keys[EMAIL];
    if (is_nobody(&p))
        return;
    if (runs_on(&p) && !r->open_row)
        r->open_row = p.row;
    if (is_odd(&p) && !r->odd_names++)
        r->name_row = p.row;
    if (!*id) {
        submissions_note(s, "roster: row %d, %s, has no id, login or e-mail: left out", p.row,
                         p.keys[NAME]);
        return;
    }
    r->people++;
    struct submission *x = find_person(s, &p);
    if (x && x->row) {
        submissions_note(s,
                         "roster: row %d, %s %s, is row %d's student again: the first row counts",
                         p.row, id, p.keys[NAME], x->row);
        return;
    }
    r->known += x != NULL;
    if (!x)
        x = submissions_missing(s, id);
    x->row = p.row;
    submission_set(&x->person, p.keys[NAME]);
    submission_set(&x->email, p.keys[EMAIL]);
    submission_set(&x->login, p.keys[LOGIN]);
    submission_set(&x->section, csv_cell(r->csv, row, r->section));
    take_time(r, x, row);
}

static void note_strangers(struct submissions *s)
{
    for (int i = 0; i < s->n; i++)
        if (!s->v[i].row)
            submissions_note(s, "roster: %s %s (%s) is not on it: marked all the same",
                             s->v[i].student, s->v[i].person, s->v[i].original);
}

static bool find_columns(struct roster *r)
{
    r->columns[ID] = csv_column(r->csv, "ID|Student ID|id|SID|Identifier");
    r->columns[NAME] = csv_column(r->csv, "Student|Full name|Name");
    r->columns[EMAIL] = csv_column(r->csv, "Email|Email address|E-mail");
    r->columns[LOGIN] = csv_column(r->csv, "SIS Login ID|Login|Username|SIS User ID");
    r->section = csv_column(r->csv, "Section|Sections|Group");
    r->handed_in = csv_column(r->csv, "Last modified (submission)");
    return r->columns[ID] >= 0 || r->columns[EMAIL] >= 0 || r->columns[LOGIN] >= 0;
}

static bool take_roster(struct submissions *s, struct roster *r, const char *path, struct text *why)
{
    int handed_in = s->n;
    if (!find_columns(r)) {
        text_addf(
            why,
            "%s: no column ID, Identifier, Email or Login in its first line, with commas between",
            path);
        return false;
    }
    for (int row = 1; row < r->csv->nrows; row++)
        take_row(s, r, row);
    if (r->open_row)
        text_addf(why, "%s: row %d goes over several lines: is a quote not closed?", path,
                  r->open_row);
    else if (!r->people)
        text_addf(why, "%s: nobody in it; leave --roster out, or export the class's list", path);
    else if (handed_in && !r->known)
        text_addf(why, "%s: nobody who handed in is in it; is it this class's?", path);
    if (r->odd_times)
        submissions_note(s,
                         "roster: %d times of \"%s\" are in no form that is known, the first in "
                         "row %d (\"%s\"): "
                         "nobody is late by them",
                         r->odd_times, csv_cell(r->csv, 0, r->handed_in), r->odd_row + 1,
                         csv_cell(r->csv, r->odd_row, r->handed_in));
    if (r->odd_names)
        submissions_note(s,
                         "roster: %d rows are not in UTF-8, the first is row %d: export it as "
                         "\"CSV UTF-8\" for names as they are written",
                         r->odd_names, r->name_row);
    note_strangers(s);
    return !why->length;
}

bool submissions_roster(struct submissions *s, const char *csv_path, struct text *why)
{
    char *text;
    size_t length;
    int e = file_read(csv_path, 64u << 20, &text, &length);
    if (e) {
        text_addf(why, "%s: %s", csv_path, file_why(e));
        return false;
    }
    const char *wide = text_encoding(text, length);
    if (wide) {
        text_addf(why, "%s: it is in %s: save or export it as \"CSV UTF-8\"", csv_path, wide);
        free(text);
        return false;
    }
    struct roster r = {.csv = csv_parse(text, length)};
    free(text);
    trim_all(r.csv);
    bool ok = take_roster(s, &r, csv_path, why);
    csv_free(r.csv);
    submissions_sort(s);
    return ok;
}
