/* verdict.h - what the grader found out about one source text: a structure, its words, its JSON.
 *
 * The JSON is an object with the members named here; verdict.c has them in tables, one row a
 * member, for both ways. Written with sorted members, so that the same source, rubric, secret
 * and tools give the same text, byte for byte. Every text in it is safe to show: it was made
 * printable when it was put in.
 */
#ifndef GRADING_VERDICT_H
#define GRADING_VERDICT_H

#include "rubric.h"
#include "session.h"

enum verdict_status {
    VERDICT_GRADED,
    VERDICT_NOT_COMPILED,
    VERDICT_EMPTY,
    VERDICT_NOT_TEXT,
    VERDICT_UTF16,
    VERDICT_UTF32,
    VERDICT_TOO_LARGE,
    VERDICT_UNREADABLE,
    VERDICT_MISSING,
    VERDICT_FAILED, /* the grader could not: a person must */
};

enum row_status {
    STATUS_PASS,
    STATUS_FAIL,
    STATUS_BLOCKED,      /* what it rests on failed */
    STATUS_INCONCLUSIVE, /* a person has to say */
    STATUS_SKIPPED,      /* evidence not to be had here: it does not count */
    STATUS_ERROR,        /* the grader's: a person has to look */
};

enum evidence {
    EVIDENCE_EMULATOR,
    EVIDENCE_BOTH, /* emulator and GPU */
    EVIDENCE_COUNTED,
    EVIDENCE_MODELLED,
    EVIDENCE_MEASURED,
    EVIDENCE_RECORD, /* of a program, by the runtime that shares its address space */
};

/* How a row's status is said, wherever it is. */
struct status_words {
    const char *word;   /* in JSON and `expect:` lines */
    const char *mark;   /* four columns of a terminal */
    const char *said;   /* in a page */
    const char *colour; /* on a terminal */
};
const struct status_words *status_words(enum row_status s);
bool status_of(const char *word, enum row_status *out); /* false: no such word */
bool status_loses_nothing(enum row_status s);           /* pass or skipped */

const char *verdict_word(enum verdict_status s);
bool verdict_status_of(const char *word, enum verdict_status *out);
const char *row_kind_name(enum row_kind k);
const char *evidence_word(enum evidence e);

/* Members whose text is NULL, whose number is NAN or whose line is 0 are not written. */
struct verdict_row {
    char *id, *title, *variant;
    enum row_kind kind;
    enum row_status status;
    double points, max;
    char *why, *hint, *case_name;
    int64_t line;
    enum evidence evidence;
    char *expression;
    double counted, limit;
    double *samples, *reference_samples; /* ms, of the rounds of a measurement */
    int nsamples;
    int64_t clocks_mhz[2]; /* least and greatest; 0: not known */
    json_t *picture;       /* picture.h */
    json_t *finding;       /* as the emulator writes them */
};

struct verdict_counter {
    char *name;
    int64_t value;
};

/* One run of a variant on a case. Lists: NULL with a count of 0. Of a hidden case there is
 * nothing beside its name and how it ended. */
struct verdict_run {
    char *variant, *case_name, *dtype;
    int64_t n, m, k, param;
    uint64_t seed;
    bool hidden, check, correct;
    enum run_end end;
    char *why;
    int64_t wrong, compared, block_x, block_y, items;
    struct {
        int64_t index;
        char *expected, *got;
    } first[3];
    int nfirst;
    struct verdict_counter *counters;
    int ncounters;
    double modelled_ms, occupancy;
    char *bound;
    json_t *findings; /* the first ten */
};

struct verdict {
    char *lab, *title, *file;
    enum verdict_status status;
    char *message; /* a sentence when status is not VERDICT_GRADED */
    double score, max;
    bool needs_human;
    char *source; /* SHA-256; NULL where there was nothing to compile */
    int64_t length;
    char *backend, *device, *version, *gpu, *gpu_version;
    char *tools, *secret; /* digests; secret NULL: marked without one */
    bool compiled;        /* with source: what the compiler did and said */
    char *log;
    struct verdict_row *rows;
    int nrows;
    bool ran; /* the rows were tried: there is a list of runs, maybe an empty one */
    struct verdict_run *runs;
    int nruns;
    char *output; /* what the device printed, capped */
    int64_t output_dropped;
    /* Not in the JSON: of the budget, and of the dearest run, where each counts once. */
    uint64_t steps, dearest;
};

/* Replaces *field by a copy of text made printable; NULL empties it. */
void verdict_put(char **field, const char *text);
/* A row that is empty; add it when it is settled: the verdict then owns what is in it. */
struct verdict_row verdict_row_new(void);
void verdict_add_row(struct verdict *v, struct verdict_row row);
void verdict_drop_rows(struct verdict *v);
void verdict_add_run(struct verdict *v, const struct run *r);
void verdict_free(struct verdict *v);

char *verdict_text(const struct verdict *v, size_t flags); /* flags: jansson's; compact is 0 */
/* NULL with a reason, allocated, for what is no verdict. */
struct verdict *verdict_read(const char *text, size_t length, char **why);
struct verdict *verdict_of_json(const json_t *o, char **why);

static inline const char *or_empty(const char *s)
{
    return s ? s : "";
}

#endif
