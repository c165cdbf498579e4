/* spool.h - the shared folder of one run: work for the nodes, and what they finished.
 *
 * The submitting host and the nodes see it under one name. Each file in it is written beside
 * itself, synchronised and renamed, so that nobody reads half of one; no two hosts write one name,
 * and but for `collector` nothing is locked. Its folder is its owner's alone, and is refused when
 * it is not: the secret is in it, and who can write there makes marks.
 *
 *     collector          locked by the one process that takes bundles in
 *     settings.json      what the run is marked with (struct spool_settings)
 *     secret             what hidden cases are drawn from
 *     todo/ID            one submission: its name and its text
 *     round-1/0 …        the tasks of the first job: IDs, a line each; round-2 is what was left
 *     done/ID.jsonl      a bundle: a line of who made it and where, and the verdict, a line; the
 *     taken/ID.jsonl     collector moves it here once the gradebook has it
 *     seen/TASK.NODE     a task began on that node
 *     refused/NODE       why that node cannot mark
 *     log/               what the tasks said
 */
#ifndef GRADING_SPOOL_H
#define GRADING_SPOOL_H

#include "base/digest.h"
#include "base/text.h"
#include "grading/mark/verdict.h"

#include <stdbool.h>
#include <stddef.h>

#define SPOOL_ID 33 /* 32 hexadecimal digits */

struct spool {
    char *dir;
    int lock; /* 0: not locked */
};
/* All text is allocated; spool_settings_free(). */
struct spool_settings {
    char *lab, *tools, *secret; /* tools: cluster_tools()'s digest; secret NULL: none */
    bool gpu;
};
/* Of a bundle: who made it. */
struct bundle {
    char *node, *tools;
    double seconds; /* of marking it, wall clock */
    struct verdict *verdict;
};

/* Makes the run's folder, SHARED/KEY, or finds it. False with the reason, as where it is not its
 * user's alone. */
bool spool_make(struct spool *s, const char *shared, const char *key, struct text *why);
/* The same folder, by its own name, as a node sees it. */
struct spool spool_at(const char *dir);
/* Of all processes that ask one has it, until it ends. False with the reason. */
bool spool_lock(struct spool *s, struct text *why);
bool spool_remove(const struct spool *s); /* with all that is in it; false with errno set */
void spool_free(struct spool *s);
char *spool_path(const struct spool *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a file of the spool so that it is on the disk, whole, when this returns: 0, or errno. */
int spool_write(const struct spool *s, const char *name, const void *data, size_t length);
/* The same; false with the reason, and what to do. */
bool spool_put(const struct spool *s, const char *name, const void *data, size_t length,
               struct text *why);
/* Whether there is room for some more bundles, and they may be written. */
bool spool_has_room(const struct spool *s, struct text *why);

bool spool_save_settings(const struct spool *s, const struct spool_settings *set, struct text *why);
bool spool_load_settings(const struct spool *s, struct spool_settings *set, struct text *why);
void spool_settings_free(struct spool_settings *set);

/* What identifies a submission in a run: its name and its text. */
void spool_id(const char *name, const char *source, size_t length, char out[SPOOL_ID]);
/* Before the first is put; -1 with the reason. */
int spool_begin_work(const struct spool *s, struct text *why);
/* Where it is there already, whole, nothing is written. */
bool spool_put_work(const struct spool *s, const char *id, const char *name, const char *source,
                    size_t length, struct text *why);
/* After the last: all that was put since is on the disk. Synchronised at once, it takes a disk's
 * time once, not a submission each. */
bool spool_end_work(const struct spool *s, int begun, struct text *why);
/* Both allocated; false with the reason. */
bool spool_get_work(const struct spool *s, const char *id, char **name, char **source,
                    size_t *length, struct text *why);

/* Whether a bundle of it is there, taken or not. */
bool spool_has_bundle(const struct spool *s, const char *id);
/* verdict: verdict_text()'s, a line. */
int spool_save_bundle(const struct spool *s, const char *id, const struct bundle *b,
                      const char *verdict, size_t length);
/* False with the reason where done/ID.jsonl is no bundle, or another's; it is moved aside, to be
 * made again. */
bool spool_load_bundle(const struct spool *s, const char *id, struct bundle *b, struct text *why);
void bundle_free(struct bundle *b);
void spool_bundle_taken(const struct spool *s, const char *id);
void spool_bundle_again(const struct spool *s, const char *id); /* as if not taken */
void spool_bundle_bad(const struct spool *s, const char *id);   /* moved aside, to be made again */

/* Names in a folder of the spool, in no order, but for those that are being written; for
 * spool_names_free(). */
char **spool_names(const struct spool *s, const char *folder, int *n);
void spool_names_free(char **names, int n);
int spool_count(const struct spool *s, const char *folder);
/* The nodes that refused, with commas, for free(); how many. */
char *spool_refused(const struct spool *s, int *n);
void spool_refuse(const struct spool *s, const char *node, const char *why);
void spool_ask_anew(const struct spool *s); /* nobody has refused */

#endif
