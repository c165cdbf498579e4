/* spool.c - see spool.h. */
#include "spool.h"
#include "base/alloc.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE = 64 << 20, ROOM = 1 << 20 };

static const char *const folders[] = {"todo", "done", "taken", "bad", "seen", "refused", "log"};

char *spool_path(const struct spool *s, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *name = xvformat(format, ap), *path = xformat("%s/%s", s->dir, name);
    va_end(ap);
    free(name);
    return path;
}

void spool_free(struct spool *s)
{
    if (s->lock > 0)
        close(s->lock);
    free(s->dir);
    *s = (struct spool){0};
}

static int make_private(const char *path)
{
    return mkdir(path, 0700) && errno != EEXIST ? errno : 0;
}

/* In a folder that all may write to, somebody can have made it before us, or given it away. */
static bool is_private(const char *path, struct text *why)
{
    struct stat st;

    if (lstat(path, &st))
        text_addf(why, "the run's folder %s cannot be seen: %s", path, strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        text_addf(why, "%s is no folder", path);
    else if (st.st_uid != geteuid())
        text_addf(why,
                  "the run's folder %s belongs to another user (number %u, you are %u), who could "
                  "write marks there: name a folder of your own with --shared",
                  path, (unsigned)st.st_uid, (unsigned)geteuid());
    else if (st.st_mode & 077)
        text_addf(why,
                  "the run's folder %s is open to others (mode %o), who could read the secret or "
                  "write marks there: look who did that, then chmod 700 it, or remove it",
                  path, (unsigned)st.st_mode & 0777);
    return !why->length;
}

bool spool_make(struct spool *s, const char *shared, const char *key, struct text *why)
{
    int e = make_dirs(shared);
    char *whole = e ? NULL : realpath(shared, NULL); /* nodes have other current folders */

    if (!whole) {
        text_addf(why, "the shared folder %s cannot be made: %s", shared, strerror(e ? e : errno));
        return false;
    }
    s->dir = xformat("%s/%s", whole, key);
    e = make_private(s->dir);
    for (size_t i = 0; !e && i < sizeof(folders) / sizeof(*folders); i++) {
        if (i == 0 && !is_private(s->dir, why))
            break;
        char *path = spool_path(s, "%s", folders[i]);
        e = make_private(path);
        free(path);
    }
    if (e)
        text_addf(why, "the run's folder %s cannot be made: %s", s->dir, strerror(e));
    free(whole);
    return !why->length;
}

struct spool spool_at(const char *dir)
{
    return (struct spool){xstrdup(dir), 0};
}

/* Where a file system knows no locks, two that are started at once are not told apart. */
bool spool_lock(struct spool *s, struct text *why)
{
    char *path = spool_path(s, "collector");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        text_addf(why, "%s cannot be written: %s", path, strerror(errno));
    else if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        text_addf(why,
                  "another grade takes in what this run finishes (it has locked %s): leave it to "
                  "that, or end that first",
                  path);
    else
        s->lock = fd;
    if (fd >= 0 && why->length)
        close(fd);
    free(path);
    return !why->length;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path) && errno != ENOENT;
}

bool spool_remove(const struct spool *s)
{
    return !nftw(s->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS) || errno == ENOENT;
}

static int sync_folder_of(const char *path)
{
    char *folder = xformat("%.*s", (int)(strrchr(path, '/') - path), path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int e = fd < 0 || (fsync(fd) && errno != EINVAL) ? errno : 0;

    if (fd >= 0)
        close(fd);
    free(folder);
    return e;
}

/* The name that nobody else writes: of this host and process. */
static char *unfinished(const char *path)
{
    char host[256] = "";
    const char *slash = strrchr(path, '/');

    gethostname(host, sizeof(host) - 1);
    return xformat("%.*s/.%s.%s.%ld", (int)(slash - path), path, slash + 1, host, (long)getpid());
}

/* Where it is synchronised, its data are on the disk, but its name may not be. */
static int write_file(const struct spool *s, const char *name, const void *data, size_t length,
                      bool synchronised)
{
    char *path = spool_path(s, "%s", name), *part = unfinished(path);
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int e = fd < 0 ? errno : file_write_fd(fd, data, length);

    if (synchronised && fd >= 0 && fsync(fd) && !e)
        e = errno;
    if (fd >= 0 && close(fd) && !e) /* a full disk or a quota can show here first, on NFS */
        e = errno;
    if (!e && rename(part, path))
        e = errno;
    if (e && fd >= 0)
        unlink(part);
    free(path);
    free(part);
    return e;
}

int spool_write(const struct spool *s, const char *name, const void *data, size_t length)
{
    int e = write_file(s, name, data, length, true);
    char *path = spool_path(s, "%s", name);

    e = e ? e : sync_folder_of(path);
    free(path);
    return e;
}

static bool wrote(const struct spool *s, const char *name, int e, struct text *why)
{
    if (!e)
        return true;
    text_addf(why, "%s/%s cannot be written: %s", s->dir, name, strerror(e));
    if (e == ENOSPC || e == EDQUOT)
        text_addf(why, "; make room there%s, or name another folder with --shared",
                  e == EDQUOT ? " (what you may use is used up)" : "");
    return false;
}

bool spool_put(const struct spool *s, const char *name, const void *data, size_t length,
               struct text *why)
{
    return wrote(s, name, spool_write(s, name, data, length), why);
}

bool spool_has_room(const struct spool *s, struct text *why)
{
    char *nothing = xcalloc(1, ROOM), *path = spool_path(s, "room");
    bool ok = spool_put(s, "room", nothing, ROOM, why);

    unlink(path);
    free(path);
    free(nothing);
    return ok;
}

static bool read_json(const struct spool *s, const char *name, json_t **o, struct text *why)
{
    char *path = spool_path(s, "%s", name), *data = NULL;
    size_t n;
    json_error_t bad;
    int e = file_read_no_link(path, MAX_FILE, &data, &n);

    *o = e ? NULL : json_loadb(data, n, 0, &bad);
    if (!*o)
        text_addf(why, "%s: %s", path, e ? file_why(e) : bad.text);
    free(data);
    free(path);
    return *o;
}

/* ---- settings ---- */

bool spool_save_settings(const struct spool *s, const struct spool_settings *set, struct text *why)
{
    json_t *o = json_pack("{s:s,s:s,s:b,s:b}", "lab", set->lab, "tools", set->tools, "gpu",
                          set->gpu, "secret", set->secret != NULL);
    char *text = json_dumps(o, JSON_INDENT(1));
    bool ok = !set->secret || spool_put(s, "secret", set->secret, strlen(set->secret), why);

    ok = ok && spool_put(s, "settings.json", text, strlen(text), why);
    json_decref(o);
    free(text);
    return ok;
}

static char *member(const json_t *o, const char *name)
{
    return xstrdup(json_string_value(json_object_get(o, name)));
}

bool spool_load_settings(const struct spool *s, struct spool_settings *set, struct text *why)
{
    json_t *o;

    *set = (struct spool_settings){0};
    if (!read_json(s, "settings.json", &o, why))
        return false;
    *set = (struct spool_settings){member(o, "lab"), member(o, "tools"), NULL,
                                   json_is_true(json_object_get(o, "gpu"))};
    bool secret = json_is_true(json_object_get(o, "secret"));
    json_decref(o);
    if (!set->lab || !set->tools)
        text_addf(why, "%s/settings.json is of another version of grade", s->dir);
    char *path = spool_path(s, "secret");
    size_t n;
    if (secret && !why->length)
        set->secret = file_load(path, 65536, &n, why);
    free(path);
    return !why->length;
}

void spool_settings_free(struct spool_settings *set)
{
    free(set->lab);
    free(set->tools);
    free(set->secret);
    *set = (struct spool_settings){0};
}

/* ---- submissions ---- */

void spool_id(const char *name, const char *source, size_t length, char out[SPOOL_ID])
{
    struct text t = {0};
    char digest[DIGEST_HEX];

    text_addf(&t, "%zu %s", strlen(name), name);
    text_bytes(&t, source, length);
    digest_hex(t.s, t.length, digest);
    snprintf(out, SPOOL_ID, "%.*s", SPOOL_ID - 1, digest);
    text_free(&t);
}

static bool holds(const struct spool *s, const char *name, const struct text *t)
{
    char *path = spool_path(s, "%s", name), *data = NULL;
    size_t n;
    bool same =
        !file_read_no_link(path, MAX_FILE, &data, &n) && n == t->length && !memcmp(data, t->s, n);

    free(data);
    free(path);
    return same;
}

/* A name has no NUL, a text may have. After a crash a file may be there and not its data. */
bool spool_put_work(const struct spool *s, const char *id, const char *name, const char *source,
                    size_t length, struct text *why)
{
    struct text t = {0};
    char *file = xformat("todo/%s", id);

    text_bytes(&t, name, strlen(name) + 1);
    text_bytes(&t, source, length);
    bool ok = holds(s, file, &t) || wrote(s, file, write_file(s, file, t.s, t.length, false), why);
    text_free(&t);
    free(file);
    return ok;
}

/* An error of the disk is told to who had something open there before it. */
int spool_begin_work(const struct spool *s, struct text *why)
{
    char *folder = spool_path(s, "todo");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    wrote(s, "todo", fd < 0 ? errno : 0, why);
    free(folder);
    return fd;
}

bool spool_end_work(const struct spool *s, int begun, struct text *why)
{
    int e = syncfs(begun) ? errno : 0;

    close(begun);
    return wrote(s, "todo", e, why);
}

bool spool_get_work(const struct spool *s, const char *id, char **name, char **source,
                    size_t *length, struct text *why)
{
    char *path = spool_path(s, "todo/%s", id), *data = NULL;
    size_t n;
    int e = file_read_no_link(path, MAX_FILE, &data, &n);

    if (e) {
        text_addf(why, "%s cannot be read: %s", path, file_why(e));
        free(path);
        return false;
    }
    size_t head = strlen(data) + 1; /* file_read() ends all with a NUL */
    *name = xstrdup(data);
    *length = head < n ? n - head : 0;
    *source = xmalloc(*length + 1);
    memcpy(*source, data + (head < n ? head : n), *length);
    (*source)[*length] = 0;
    free(data);
    free(path);
    return true;
}

/* ---- bundles ---- */

static bool is_there(const struct spool *s, const char *folder, const char *id)
{
    char *path = spool_path(s, "%s/%s.jsonl", folder, id);
    bool there = !access(path, F_OK);

    free(path);
    return there;
}

bool spool_has_bundle(const struct spool *s, const char *id)
{
    return is_there(s, "done", id) || is_there(s, "taken", id);
}

/* Whose it is: the run's folder and the submission in it. Copied elsewhere, it is no bundle. */
static char *belongs_to(const struct spool *s, const char *id)
{
    return xformat("%s/%s", strrchr(s->dir, '/') + 1, id);
}

int spool_save_bundle(const struct spool *s, const char *id, const struct bundle *b,
                      const char *verdict, size_t length)
{
    char *name = xformat("done/%s.jsonl", id), *of = belongs_to(s, id);
    json_t *o = json_pack("{s:s,s:s,s:s,s:f}", "of", of, "node", b->node, "tools", b->tools,
                          "seconds", b->seconds);
    char *head = json_dumps(o, JSON_COMPACT);
    struct text t = {0};

    text_addf(&t, "%s\n", head);
    text_bytes(&t, verdict, length);
    text_add(&t, "\n");
    int e = spool_write(s, name, t.s, t.length);
    text_free(&t);
    json_decref(o);
    free(of);
    free(name);
    free(head);
    return e;
}

static void move_bundle(const struct spool *s, const char *id, const char *from, const char *to)
{
    char *old = spool_path(s, "%s/%s.jsonl", from, id);
    char *new = spool_path(s, "%s/%s.jsonl", to, id);

    rename(old, new); /* where it is gone, NFS has carried it out before and lost the answer */
    free(old);
    free(new);
}

void spool_bundle_taken(const struct spool *s, const char *id)
{
    move_bundle(s, id, "done", "taken");
}

void spool_bundle_again(const struct spool *s, const char *id)
{
    move_bundle(s, id, "taken", "done");
}

void spool_bundle_bad(const struct spool *s, const char *id)
{
    move_bundle(s, id, "done", "bad");
}

/* The first line, of whose bundle it is; NULL with the reason. The verdict is behind it. */
static const char *read_head(const char *text, const char *own, struct bundle *b, struct text *why)
{
    const char *end = strchr(text, '\n');
    json_error_t bad;
    json_t *o = end ? json_loadb(text, (size_t)(end - text), 0, &bad) : NULL;
    const char *of = json_string_value(json_object_get(o, "of"));

    if (of && !strcmp(of, own))
        *b = (struct bundle){.node = member(o, "node"),
                             .tools = member(o, "tools"),
                             .seconds = json_number_value(json_object_get(o, "seconds"))};
    else if (of)
        text_addf(why, "is of another submission or run (%.80s)", of);
    json_decref(o);
    if (b->node && b->tools)
        return end + 1;
    if (!why->length)
        text_add(why, "is no bundle: members are missing");
    return NULL;
}

static void read_bundle(const char *text, size_t n, const char *own, struct bundle *b,
                        struct text *why)
{
    const char *verdict = read_head(text, own, b, why);
    char *reason = NULL;

    if (verdict)
        b->verdict = verdict_read(verdict, n - (size_t)(verdict - text), &reason);
    if (verdict && !b->verdict)
        text_addf(why, "is no bundle: %s", reason ? reason : "it has no verdict");
    free(reason);
}

bool spool_load_bundle(const struct spool *s, const char *id, struct bundle *b, struct text *why)
{
    char *path = spool_path(s, "done/%s.jsonl", id), *own = belongs_to(s, id), *text;
    struct text reason = {0};
    size_t n;
    int e = file_read_no_link(path, MAX_FILE, &text, &n);

    *b = (struct bundle){0};
    if (e)
        text_addf(&reason, "cannot be read: %s", file_why(e));
    else
        read_bundle(text, n, own, b, &reason);
    free(text);
    free(path);
    free(own);
    if (b->verdict)
        return true;
    text_addf(why, "done/%s.jsonl %s", id, reason.s);
    text_free(&reason);
    bundle_free(b);
    spool_bundle_bad(s, id);
    return false;
}

void bundle_free(struct bundle *b)
{
    if (b->verdict)
        verdict_free(b->verdict);
    free(b->node);
    free(b->tools);
    *b = (struct bundle){0};
}

/* ---- folders ---- */

char **spool_names(const struct spool *s, const char *folder, int *n)
{
    char *path = spool_path(s, "%s", folder), **names = NULL;
    DIR *d = opendir(path);

    *n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        names = xrealloc(names, (size_t)(*n + 1) * sizeof(*names));
        names[(*n)++] = xstrdup(e->d_name);
    }
    if (d)
        closedir(d);
    free(path);
    return names;
}

void spool_names_free(char **names, int n)
{
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

int spool_count(const struct spool *s, const char *folder)
{
    int n;
    char **names = spool_names(s, folder, &n);

    spool_names_free(names, n);
    return n;
}

char *spool_refused(const struct spool *s, int *n)
{
    struct text t = {0};
    char **names = spool_names(s, "refused", n);

    for (int i = 0; i < *n; i++)
        text_addf(&t, "%s%s", i ? "," : "", names[i]);
    spool_names_free(names, *n);
    text_add(&t, "");
    return text_take(&t);
}

void spool_refuse(const struct spool *s, const char *node, const char *why)
{
    char *name = xformat("refused/%s", node);

    spool_write(s, name, why, strlen(why)); /* where it cannot be, the node is asked once more */
    free(name);
}

void spool_ask_anew(const struct spool *s)
{
    int n;
    char **names = spool_names(s, "refused", &n);

    for (int i = 0; i < n; i++) {
        char *path = spool_path(s, "refused/%s", names[i]);
        unlink(path);
        free(path);
    }
    spool_names_free(names, n);
}
