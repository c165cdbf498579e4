/* book.c - the gradebook in SQLite. See book.h. */
#include "book.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/digest.h"

#include <errno.h>
#include <math.h>
#include <pwd.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

struct book {
    sqlite3 *db;
};

static const char schema[] =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS run(id INTEGER PRIMARY KEY, lab TEXT NOT NULL, key TEXT NOT NULL,"
    " settings TEXT NOT NULL, who TEXT NOT NULL, started TEXT NOT NULL DEFAULT (datetime('now')), "
    "finished TEXT);"
    "CREATE TABLE IF NOT EXISTS student(id TEXT PRIMARY KEY, person TEXT, email TEXT, login TEXT, "
    "section TEXT,"
    " alias TEXT NOT NULL UNIQUE) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS source(hash TEXT PRIMARY KEY, text BLOB NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS item(run INTEGER NOT NULL REFERENCES run(id), student TEXT NOT NULL"
    " REFERENCES student(id), original TEXT NOT NULL, hash TEXT REFERENCES source(hash), problem "
    "TEXT,"
    " late INTEGER NOT NULL, missing INTEGER NOT NULL, handed_in INTEGER NOT NULL, status TEXT, "
    "score REAL, max REAL,"
    " verdict TEXT, needs_human INTEGER, marked TEXT, PRIMARY KEY(run, student)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS cache(key TEXT PRIMARY KEY, verdict TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS replaced(run INTEGER NOT NULL, student TEXT NOT NULL, verdict TEXT "
    "NOT NULL, marked TEXT, at TEXT NOT NULL DEFAULT (datetime('now')), why TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS override(lab TEXT NOT NULL, student TEXT NOT NULL, points REAL NOT "
    "NULL,"
    " why TEXT NOT NULL, PRIMARY KEY(lab, student)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS policy(lab TEXT PRIMARY KEY, due INTEGER, grace INTEGER, per_day "
    "REAL,"
    " max_days INTEGER, late_days INTEGER, best INTEGER) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS made_on(run INTEGER NOT NULL, student TEXT NOT NULL, node TEXT NOT "
    "NULL,"
    " seconds REAL NOT NULL, PRIMARY KEY(run, student)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS pace(lab TEXT PRIMARY KEY, seconds REAL NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS audit(id INTEGER PRIMARY KEY, at TEXT NOT NULL DEFAULT "
    "(datetime('now')),"
    " who TEXT NOT NULL, what TEXT NOT NULL, lab TEXT, student TEXT, why TEXT);"
    "COMMIT;";

static _Noreturn void broken(struct book *b, const char *doing)
{
    bool full = sqlite3_errcode(b->db) == SQLITE_FULL;
    die("gradebook: %s: %s%s", doing, sqlite3_errmsg(b->db),
        full ? "; what was there before is kept: make room and start again" : "");
}

static void run_sql(struct book *b, const char *sql)
{
    if (sqlite3_exec(b->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        broken(b, sql);
}

/* Prepares sql and binds by type letter: s text, i int64, d double, n nothing. */
static sqlite3_stmt *query(struct book *b, const char *sql, const char *types, ...)
{
    sqlite3_stmt *q;
    if (sqlite3_prepare_v2(b->db, sql, -1, &q, NULL) != SQLITE_OK)
        broken(b, sql);
    va_list ap;
    va_start(ap, types);
    for (int i = 0; types[i]; i++) {
        if (types[i] == 's')
            sqlite3_bind_text(q, i + 1, va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
        else if (types[i] == 'i')
            sqlite3_bind_int64(q, i + 1, va_arg(ap, int64_t));
        else if (types[i] == 'd')
            sqlite3_bind_double(q, i + 1, va_arg(ap, double));
    }
    va_end(ap);
    return q;
}

static bool step(struct book *b, sqlite3_stmt *q)
{
    int r = sqlite3_step(q);
    if (r != SQLITE_ROW && r != SQLITE_DONE)
        broken(b, sqlite3_sql(q));
    return r == SQLITE_ROW;
}

/* Runs to the end; rows changed. */
static int finish(struct book *b, sqlite3_stmt *q)
{
    while (step(b, q))
        ;
    sqlite3_finalize(q);
    return sqlite3_changes(b->db);
}

static char *column(sqlite3_stmt *q, int i)
{
    return xstrdup((const char *)sqlite3_column_text(q, i));
}

static const char *who(void)
{
    const char *name = getenv("USER");
    struct passwd *p = name && *name ? NULL : getpwuid(getuid());
    return name && *name ? name : p ? p->pw_name : "unknown";
}

/* Whether the file, and beside it SQLite's own, can be written: 0, or why not. A file that is
 * not there yet: whether it can be made. */
static int why_read_only(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = xformat("%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    int e = access(folder, W_OK) ? errno : 0;
    if (!e && access(path, W_OK) && errno != ENOENT)
        e = errno;
    free(folder);
    return e;
}

static struct book *opened(struct book *b, int r, const char *path, struct text *why)
{
    if (r == SQLITE_OK)
        return b;
    text_addf(why, "gradebook %s: %s", path, sqlite3_errmsg(b->db));
    book_close(b);
    return NULL;
}

struct book *book_open(const char *path, struct text *why)
{
    int e = why_read_only(path);
    if (e) {
        text_addf(why,
                  "gradebook %s cannot be written: %s; copy it to a folder of yours and name the "
                  "copy with --book",
                  path, strerror(e));
        return NULL;
    }
    struct book *b = xzalloc(sizeof(*b));
    int r = sqlite3_open_v2(
        path, &b->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, NULL);
    if (r == SQLITE_OK) {
        sqlite3_busy_timeout(b->db, 20000);
        r = sqlite3_exec(b->db, schema, NULL, NULL, NULL);
    }
    return opened(b, r, path, why);
}

/* Bytes in the write-ahead log beside the file: results that are not in it yet. */
static bool has_log(const char *path)
{
    char *log = xformat("%s-wal", path);
    struct stat st;
    bool has = !stat(log, &st) && st.st_size;
    free(log);
    return has;
}

/* As a URI: what no disk can be asked to write is read as it stands, without locks and log. */
static char *as_it_stands(const char *path)
{
    struct text t = {0};
    text_add(&t, "file:");
    for (; *path; path++)
        text_addf(&t, strchr("%?#", *path) ? "%%%02x" : "%c", (unsigned char)*path);
    text_add(&t, "?immutable=1");
    return text_take(&t);
}

struct book *book_open_read(const char *path, struct text *why)
{
    struct book *b = xzalloc(sizeof(*b));
    bool fixed = why_read_only(path) && !has_log(path);
    char *name = fixed ? as_it_stands(path) : xstrdup(path);
    int how = why_read_only(path) ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    int r = sqlite3_open_v2(name, &b->db,
                            how | (fixed ? SQLITE_OPEN_URI : 0) | SQLITE_OPEN_NOFOLLOW, NULL);
    if (r == SQLITE_OK) {
        sqlite3_busy_timeout(b->db, 20000);
        r = sqlite3_exec(b->db, "SELECT 1 FROM run, item, student LIMIT 1", NULL, NULL, NULL);
    }
    free(name);
    if (r != SQLITE_CANTOPEN || !has_log(path))
        return opened(b, r, path, why);
    text_addf(why,
              "gradebook %s: its last results are in %s-wal, which cannot be taken in on a disk "
              "that is read-only; copy both files to a folder of yours and name the copy with "
              "--book",
              path, path);
    book_close(b);
    return NULL;
}

void book_close(struct book *b)
{
    if (!b)
        return;
    sqlite3_close(b->db);
    free(b);
}

void book_audit(struct book *b, const char *what, const char *lab, const char *student,
                const char *why)
{
    finish(b, query(b, "INSERT INTO audit(who, what, lab, student, why) VALUES (?,?,?,?,?)",
                    "sssss", who(), what, lab, student, why));
}

/* ---- runs ---- */

/* A name that says nothing about the student and stays the same in this gradebook. */
static void new_alias(char out[16])
{
    uint32_t v = 0;
    if (getrandom(&v, sizeof(v), 0) != sizeof(v))
        die("no random numbers");
    snprintf(out, 16, "s-%08x", v);
}

/* A roster's name stays when a later batch knows only what its files are called. */
static void put_student(struct book *b, const struct submission *x)
{
    char alias[16];
    new_alias(alias);
    finish(
        b,
        query(b,
              "INSERT INTO student(id, person, email, login, section, alias) VALUES (?,?,?,?,?,?)"
              " ON CONFLICT(id) DO UPDATE SET person=iif(excluded.person<>'' AND (?7 OR "
              "person=''),excluded.person,person),"
              " email=iif(excluded.email<>'',excluded.email,email),"
              " login=iif(excluded.login<>'',excluded.login,login),"
              " section=iif(excluded.section<>'',excluded.section,section)",
              "ssssssi", x->student, x->person, x->email, x->login, x->section, alias,
              (int64_t)(x->row > 0)));
}

static void put_item(struct book *b, int64_t run, const struct submission *x)
{
    char hash[DIGEST_HEX] = "";
    put_student(b, x);
    if (x->source) {
        digest_hex(x->source, x->length, hash);
        sqlite3_stmt *q =
            query(b, "INSERT OR IGNORE INTO source(hash, text) VALUES (?,?)", "sn", hash);
        sqlite3_bind_blob(q, 2, x->source, (int)x->length, SQLITE_TRANSIENT);
        finish(b, q);
    }
    finish(b,
           query(b,
                 "INSERT INTO item(run, student, original, hash, problem, late, missing, handed_in)"
                 " VALUES (?,?,?,?,?,?,?,?)",
                 "issssiii", run, x->student, x->original, x->source ? hash : NULL, x->problem,
                 (int64_t)x->late, (int64_t)x->missing, x->handed_in));
}

int64_t book_run(struct book *b, const char *lab, const char *key, const char *settings,
                 const struct submissions *s, int *resumed)
{
    run_sql(b, "BEGIN IMMEDIATE");
    sqlite3_stmt *q =
        query(b,
              "SELECT id, (SELECT count(*) FROM item WHERE run=id AND verdict IS NOT NULL) FROM run"
              " WHERE lab=? AND key=? AND finished IS NULL ORDER BY id DESC LIMIT 1",
              "ss", lab, key);
    int64_t run = 0;
    *resumed = 0;
    if (step(b, q)) {
        run = sqlite3_column_int64(q, 0);
        *resumed = sqlite3_column_int(q, 1);
    }
    sqlite3_finalize(q);
    if (!run) {
        finish(b, query(b, "INSERT INTO run(lab, key, settings, who) VALUES (?,?,?,?)", "ssss", lab,
                        key, settings, who()));
        run = sqlite3_last_insert_rowid(b->db);
        for (int i = 0; i < s->n; i++)
            put_item(b, run, &s->v[i]);
    }
    run_sql(b, "COMMIT");
    return run;
}

static struct book_item *read_items(struct book *b, const char *sql, int64_t run, int *n)
{
    struct book_item *v = NULL;
    *n = 0;
    sqlite3_stmt *q = query(b, sql, "i", run);
    while (step(b, q)) {
        v = xrealloc(v, (size_t)(*n + 1) * sizeof(*v));
        struct book_item *x = &v[(*n)++];
        *x = (struct book_item){.run = run,
                                .student = column(q, 0),
                                .original = column(q, 1),
                                .problem = column(q, 3),
                                .hash = column(q, 4),
                                .late = sqlite3_column_int(q, 5)};
        if (sqlite3_column_type(q, 2) != SQLITE_NULL) {
            x->length = (size_t)sqlite3_column_bytes(q, 2);
            x->source = xzalloc(x->length + 1);
            if (x->length)
                memcpy(x->source, sqlite3_column_blob(q, 2), x->length);
        }
    }
    sqlite3_finalize(q);
    return v;
}

#define ITEM_COLUMNS                                                                               \
    "SELECT student, original, text, problem, item.hash, late FROM item LEFT JOIN source"          \
    " ON item.hash=source.hash WHERE run=? AND "

struct book_item *book_pending(struct book *b, int64_t run, int *n)
{
    return read_items(b, ITEM_COLUMNS "verdict IS NULL ORDER BY student", run, n);
}

struct book_item *book_sources(struct book *b, int64_t run, int *n)
{
    return read_items(b, ITEM_COLUMNS "text IS NOT NULL ORDER BY student", run, n);
}

char *book_source(struct book *b, int64_t run, const char *student, size_t *length)
{
    sqlite3_stmt *q = query(b,
                            "SELECT text FROM item JOIN source ON item.hash=source.hash WHERE "
                            "run=? AND student=?",
                            "is", run, student);
    char *text = NULL;
    *length = 0;
    if (step(b, q)) {
        *length = (size_t)sqlite3_column_bytes(q, 0);
        text = xzalloc(*length + 1);
        if (*length)
            memcpy(text, sqlite3_column_blob(q, 0), *length);
    }
    sqlite3_finalize(q);
    return text;
}

static struct verdict *read_verdict(const char *text, int64_t run, const char *student)
{
    char *why;
    struct verdict *v = verdict_read(text, strlen(text), &why);
    if (!v)
        die("gradebook: the verdict of %s in run %lld: %s", student, (long long)run, why);
    return v;
}

struct verdict *book_verdict(struct book *b, int64_t run, const char *student)
{
    sqlite3_stmt *q =
        query(b, "SELECT verdict FROM item WHERE run=? AND student=?", "is", run, student);
    const char *text = step(b, q) ? (const char *)sqlite3_column_text(q, 0) : NULL;
    struct verdict *v = text ? read_verdict(text, run, student) : NULL;
    sqlite3_finalize(q);
    return v;
}

struct verdict *mark_verdict(const struct mark *m)
{
    return m->verdict ? read_verdict(m->verdict, m->run, m->student) : NULL;
}

const char *mark_status(const struct mark *m, const char *none)
{
    return m->verdict ? verdict_word(m->status) : none;
}

bool mark_counts(const struct mark *m, bool missing_zero)
{
    return m->overridden || (m->verdict && !m->needs_human && (!m->missing || missing_zero));
}

bool mark_has_score(const struct mark *m, bool missing_zero)
{
    bool nothing = m->status == VERDICT_UNREADABLE || m->status == VERDICT_FAILED;
    return m->verdict && !nothing && (!m->missing || missing_zero);
}

void book_items_free(struct book_item *v, int n)
{
    for (int i = 0; i < n; i++) {
        free(v[i].student);
        free(v[i].original);
        free(v[i].source);
        free(v[i].problem);
        free(v[i].hash);
    }
    free(v);
}

/* Rows changed. */
static int put_verdict(struct book *b, const char *sql, int64_t run, const char *student,
                       const struct verdict *v)
{
    char *text = verdict_text(v, 0);
    int changed = finish(b, query(b, sql, "sddsiis", verdict_word(v->status), v->score, v->max,
                                  text, (int64_t)v->needs_human, run, student));
    free(text);
    return changed;
}

#define PUT_VERDICT                                                                                \
    "UPDATE item SET status=?, score=?, max=?, verdict=?, needs_human=?, marked=datetime('now')"   \
    " WHERE run=? AND student=?"

bool book_result(struct book *b, int64_t run, const char *student, const struct verdict *v)
{
    return put_verdict(b, PUT_VERDICT " AND verdict IS NULL", run, student, v) == 1;
}

bool book_made_on(struct book *b, int64_t run, const char *student, const char *node,
                  double seconds)
{
    return finish(b, query(b,
                           "INSERT INTO made_on(run, student, node, seconds) VALUES (?,?,?,?)"
                           " ON CONFLICT DO UPDATE SET node=excluded.node, seconds=excluded.seconds"
                           " WHERE node<>excluded.node OR seconds<>excluded.seconds",
                           "issd", run, student, node, seconds)) == 1;
}

char *book_node(struct book *b, int64_t run, const char *student)
{
    sqlite3_stmt *q;
    /* a gradebook of an earlier version that is only read has no such table */
    if (sqlite3_prepare_v2(b->db, "SELECT node FROM made_on WHERE run=? AND student=?", -1, &q,
                           NULL) != SQLITE_OK)
        return NULL;
    sqlite3_bind_int64(q, 1, run);
    sqlite3_bind_text(q, 2, student, -1, SQLITE_TRANSIENT);
    char *node = step(b, q) ? column(q, 0) : NULL;
    sqlite3_finalize(q);
    return node;
}

double book_pace(struct book *b, const char *lab)
{
    sqlite3_stmt *q = query(b, "SELECT seconds FROM pace WHERE lab=?", "s", lab);
    double seconds = step(b, q) ? sqlite3_column_double(q, 0) : 0;
    sqlite3_finalize(q);
    return seconds;
}

void book_pace_set(struct book *b, const char *lab, double seconds)
{
    finish(b,
           query(b, "INSERT OR REPLACE INTO pace(lab, seconds) VALUES (?,?)", "sd", lab, seconds));
}

void book_run_done(struct book *b, int64_t run)
{
    finish(b, query(b,
                    "UPDATE run SET finished=datetime('now') WHERE id=? AND NOT EXISTS"
                    " (SELECT 1 FROM item WHERE run=run.id AND verdict IS NULL)",
                    "i", run));
}

int64_t book_last_run(struct book *b, const char *lab)
{
    sqlite3_stmt *q = query(b, "SELECT max(id) FROM run WHERE lab=?", "s", lab);
    int64_t run = step(b, q) ? sqlite3_column_int64(q, 0) : 0;
    sqlite3_finalize(q);
    return run;
}

struct verdict *book_cached(struct book *b, const char *key)
{
    sqlite3_stmt *q = query(b, "SELECT verdict FROM cache WHERE key=?", "s", key);
    const char *text = step(b, q) ? (const char *)sqlite3_column_text(q, 0) : NULL;
    char *why = NULL;
    struct verdict *v = text ? verdict_read(text, strlen(text), &why) : NULL;
    sqlite3_finalize(q);
    free(why); /* what cannot be read is marked again */
    return v;
}

void book_cache(struct book *b, const char *key, const struct verdict *v)
{
    char *text = verdict_text(v, 0);
    finish(b, query(b, "INSERT OR REPLACE INTO cache(key, verdict) VALUES (?,?)", "ss", key, text));
    free(text);
}

/* ---- changes by a person ---- */

bool book_replace(struct book *b, int64_t run, const char *student, const struct verdict *v,
                  const char *why, bool told)
{
    run_sql(b, "BEGIN IMMEDIATE");
    sqlite3_stmt *q = query(b,
                            "SELECT lab, status, score FROM item JOIN run ON run.id=item.run WHERE "
                            "item.run=? AND student=? AND verdict IS NOT NULL",
                            "is", run, student);
    bool ok = step(b, q);
    if (ok) {
        char *lab = column(q, 0);
        char *what = xformat("regrade, run %lld: %s %g -> %s %g", (long long)run,
                             (const char *)sqlite3_column_text(q, 1), sqlite3_column_double(q, 2),
                             verdict_word(v->status), v->score);
        finish(b, query(b,
                        "INSERT INTO replaced(run, student, verdict, marked, why) SELECT run, "
                        "student, verdict, marked, ? FROM item WHERE run=? AND student=?",
                        "sis", why, run, student));
        put_verdict(b, PUT_VERDICT, run, student, v);
        if (told)
            book_audit(b, what, lab, student, why);
        free(what);
        free(lab);
    }
    sqlite3_finalize(q);
    run_sql(b, "COMMIT");
    return ok;
}

/* Whether an override to these points, or none where they are below 0, is what there is. A reason
 * can be given later: another one is another override. */
static bool is_set(struct book *b, const char *lab, const char *student, double points,
                   const char *why)
{
    sqlite3_stmt *q =
        query(b, "SELECT points, why FROM override WHERE lab=? AND student=?", "ss", lab, student);
    bool set = step(b, q);
    bool same = set ? sqlite3_column_double(q, 0) == points &&
                          !strcmp((const char *)sqlite3_column_text(q, 1), why)
                    : points < 0;
    sqlite3_finalize(q);
    return same;
}

bool book_override(struct book *b, const char *lab, const char *student, double points,
                   const char *why)
{
    sqlite3_stmt *q =
        query(b, "SELECT 1 FROM item JOIN run ON run=run.id WHERE lab=? AND student=?", "ss", lab,
              student);
    bool known = step(b, q);
    sqlite3_finalize(q);
    if (!known || is_set(b, lab, student, points, why))
        return known;
    char *what = points < 0 ? xstrdup("override removed") : xformat("override to %g", points);
    run_sql(b, "BEGIN IMMEDIATE");
    if (points < 0)
        finish(b, query(b, "DELETE FROM override WHERE lab=? AND student=?", "ss", lab, student));
    else
        finish(b,
               query(b,
                     "INSERT OR REPLACE INTO override(lab, student, points, why) VALUES (?,?,?,?)",
                     "ssds", lab, student, points, why));
    book_audit(b, what, lab, student, why);
    run_sql(b, "COMMIT");
    free(what);
    return true;
}

void book_policy_set(struct book *b, const char *lab, const struct policy *p)
{
    finish(
        b,
        query(b,
              "INSERT OR REPLACE INTO policy(lab, due, grace, per_day, max_days, late_days, best)"
              " VALUES (?,?,?,?,?,?,?)",
              "siidiii", lab, p->due, p->grace, p->per_day, (int64_t)p->max_days,
              (int64_t)p->late_days, (int64_t)p->best));
}

struct policy book_policy(struct book *b, const char *lab)
{
    struct policy p = {0};
    sqlite3_stmt *q =
        query(b, "SELECT due, grace, per_day, max_days, late_days, best FROM policy WHERE lab=?",
              "s", lab);
    if (step(b, q))
        p = (struct policy){.due = sqlite3_column_int64(q, 0),
                            .grace = sqlite3_column_int64(q, 1),
                            .per_day = sqlite3_column_double(q, 2),
                            .max_days = sqlite3_column_int(q, 3),
                            .late_days = sqlite3_column_int(q, 4),
                            .best = sqlite3_column_int(q, 5)};
    sqlite3_finalize(q);
    return p;
}

/* ---- marks ---- */

static double days_late(const struct mark *m, const struct policy *p)
{
    if (p->due && m->handed_in) {
        int64_t over = m->handed_in - p->due - p->grace;
        return over > 0 ? ceil((double)(over + p->grace) / 86400.0) : 0;
    }
    return m->late ? 1 : 0; /* marked late by the system, by a time it does not say */
}

/* Lateness, then what a person set. *free_days: what the student has left. */
static void apply_policy(struct mark *m, const struct policy *p, int *free_days)
{
    m->lateness_days = m->missing ? 0 : days_late(m, p);
    double used = m->lateness_days < *free_days ? m->lateness_days : *free_days;
    double charged = m->lateness_days - used;
    *free_days -= (int)used;
    double share = charged * p->per_day;
    bool too_late = p->max_days > 0 && charged > p->max_days;
    m->mark = too_late || share > 1 ? 0 : m->score * (1 - share);
    if (too_late)
        m->rule = xformat("%g days late: no longer accepted", charged);
    else if (charged > 0)
        m->rule = xformat("%g day%s late: -%g %%", charged, charged == 1 ? "" : "s", 100 * share);
    else if (used > 0)
        m->rule = xformat("%g late day%s used", used, used == 1 ? "" : "s");
    else
        m->rule = xstrdup("as marked");
}

static void apply_override(struct book *b, struct mark *m)
{
    sqlite3_stmt *q = query(b, "SELECT points, why FROM override WHERE lab=? AND student=?", "ss",
                            m->lab, m->student);
    if (step(b, q)) {
        m->mark = sqlite3_column_double(q, 0);
        m->overridden = true;
        free(m->rule);
        m->rule = xformat("set by hand: %s", (const char *)sqlite3_column_text(q, 1));
    }
    sqlite3_finalize(q);
}

static void read_mark(sqlite3_stmt *q, struct mark *m)
{
    const char *status = (const char *)sqlite3_column_text(q, 7);
    *m = (struct mark){.lab = column(q, 0),
                       .student = column(q, 1),
                       .person = column(q, 2),
                       .email = column(q, 3),
                       .login = column(q, 4),
                       .section = column(q, 5),
                       .alias = column(q, 6),
                       .original = column(q, 8),
                       .hash = column(q, 9),
                       .verdict = column(q, 10),
                       .score = sqlite3_column_double(q, 11),
                       .max = sqlite3_column_double(q, 12),
                       .late = sqlite3_column_int(q, 13),
                       .missing = sqlite3_column_int(q, 14),
                       .handed_in = sqlite3_column_int64(q, 15),
                       .needs_human = sqlite3_column_int(q, 16),
                       .run = sqlite3_column_int64(q, 17)};
    if (m->verdict && !verdict_status_of(status, &m->status))
        die("gradebook: run %lld has %s as \"%s\", a status that is not known", (long long)m->run,
            m->student, or_empty(status));
}

static void mark_free(struct mark *m)
{
    char *all[] = {m->student, m->person,   m->email, m->login,   m->section, m->alias,
                   m->lab,     m->original, m->hash,  m->verdict, m->rule};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

/* Late days are spent in the order of labs' due dates as they come out of the query: by
 * student, then due date. Only what counts (latest or best) spends them. */
struct mark *book_marks(struct book *b, const char *lab, int64_t run, bool brief, int *n)
{
    static const char sql[] =
        "SELECT run.lab, item.student, person, email, login, section, alias, status, original, "
        "hash, iif(?3 AND verdict IS NOT NULL, '', verdict),"
        " score, max, late, missing, handed_in, needs_human, run.id FROM item JOIN run ON "
        "item.run=run.id"
        " JOIN student ON student.id=item.student LEFT JOIN policy ON policy.lab=run.lab"
        " WHERE (?2=0 OR run.id=?2) AND (?1 IS NULL OR ?2=0 OR run.lab=?1)"
        " ORDER BY item.student, coalesce(policy.due, 0), run.lab,"
        " iif(coalesce(policy.best,0), coalesce(score,-1), 0), run.id";
    struct mark *v = NULL;
    *n = 0;
    sqlite3_stmt *q = query(b, sql, "sii", lab, run, (int64_t)brief);
    while (step(b, q)) { /* of one student and lab the last row counts */
        struct mark m;
        read_mark(q, &m);
        bool same = *n && !strcmp(v[*n - 1].student, m.student) && !strcmp(v[*n - 1].lab, m.lab);
        if (same && !m.verdict && v[*n - 1].verdict) {
            mark_free(&m);
            continue;
        }
        if (same)
            mark_free(&v[--*n]);
        v = xrealloc(v, (size_t)(*n + 1) * sizeof(*v));
        v[(*n)++] = m;
    }
    sqlite3_finalize(q);
    int keep = 0, free_days = 0;
    for (int i = 0; i < *n; i++) {
        struct policy p = book_policy(b, v[i].lab);
        if (i == 0 || strcmp(v[i].student, v[i - 1].student))
            free_days = p.late_days;
        apply_policy(&v[i], &p, &free_days);
        apply_override(b, &v[i]);
    }
    for (int i = 0; i < *n; i++) {
        if (!lab || !strcmp(v[i].lab, lab))
            v[keep++] = v[i];
        else
            mark_free(&v[i]);
    }
    *n = keep;
    return v;
}

void book_marks_free(struct mark *v, int n)
{
    for (int i = 0; i < n; i++)
        mark_free(&v[i]);
    free(v);
}

/* Names and reasons are somebody's: nothing in them may end a line or steer a terminal. */
void book_print_audit(struct book *b, const char *student, struct text *out)
{
    sqlite3_stmt *q = query(b,
                            "SELECT at, who, what, lab, student, why FROM audit"
                            " WHERE ?1 IS NULL OR student=?1 ORDER BY id",
                            "s", student);
    while (step(b, q)) {
        for (int k = 0; k < 6; k++) {
            const char *s = (const char *)sqlite3_column_text(q, k);
            text_printable(out, s ? s : "", s ? strlen(s) : 0, false);
            text_add(out, k < 5 ? "  " : "\n");
        }
    }
    sqlite3_finalize(q);
}
