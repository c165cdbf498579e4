/* names.c - reads the names learning systems give to submitted files. See names.h. */
#include "names.h"
#include "base/alloc.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char moodle_mark[] = "_assignsubmission_file";

const char *name_refused(const char *path)
{
    if (!*path)
        return "an entry without a name";
    if (path[0] == '/' || path[0] == '\\' ||
        (isalpha((unsigned char)path[0]) && path[1] == ':' && path[2] == '\\'))
        return "an absolute name";
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/\\");
        if (n == 2 && p[0] == '.' && p[1] == '.')
            return "a name with '..'";
        p += n + (p[n] != 0);
    }
    return NULL;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static char *prefix(const char *s, size_t n)
{
    return xformat("%.*s", (int)n, s);
}

static size_t digits(const char *s)
{
    size_t n = strspn(s, "0123456789");
    return n <= 20 ? n : 0;
}

/* _USERID_FILEID_ somewhere in the base name; the first place that fits. */
static bool parse_canvas(const char *path, struct file_name *out)
{
    const char *base = base_name(path);
    bool anonymous = !strncasecmp(base, "anon_", 5);
    for (const char *u = strchr(base, '_'); u; u = strchr(u + 1, '_')) {
        size_t id =
            anonymous
                ? strspn(u + 1, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
                : digits(u + 1);
        if (!id || u[1 + id] != '_' || !strncmp(u + 1, "LATE_", 5))
            continue;
        const char *file = u + 2 + id;
        size_t n = digits(file);
        if (!n || file[n] != '_' || !file[n + 1])
            continue;
        size_t name = (size_t)(u - base);
        if (name > 5 && !strncmp(base + name - 5, "_LATE", 5)) {
            out->late = true;
            name -= 5;
        }
        out->student = prefix(u + 1, id);
        out->person = prefix(base, name);
        out->original = xstrdup(file + n + 1);
        return true;
    }
    return false;
}

static bool parse_moodle(const char *path, struct file_name *out)
{
    for (const char *part = path; part && *part;
         part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
        size_t n = strcspn(part, "/");
        const char *mark = strstr(part, moodle_mark), *file = part + n + 1;
        if (!mark || mark > part + n)
            continue;
        if (part[n] != '/') { /* downloaded without folders: …_file_ORIGINAL */
            file = mark + sizeof(moodle_mark) - 1;
            if (*file++ != '_')
                continue;
        }
        const char *id = mark;
        while (id > part && isdigit((unsigned char)id[-1]))
            id--;
        if (id == mark || id == part || id[-1] != '_')
            continue;
        out->student = prefix(id, (size_t)(mark - id));
        out->person = prefix(part, (size_t)(id - 1 - part));
        out->original = xstrdup(base_name(file));
        return out->original[0] != 0;
    }
    return false;
}

static bool parse_gradescope(const char *path, struct file_name *out)
{
    for (const char *part = path; part && *part;
         part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
        size_t n = strcspn(part, "/"),
               id = strncmp(part, "submission_", 11) ? 0 : digits(part + 11);
        if (!id || n != 11 + id || part[n] != '/' || !part[n + 1])
            continue;
        out->student = prefix(part + 11, id);
        out->person = xstrdup("");
        out->original = xstrdup(base_name(part));
        return out->original[0] != 0;
    }
    return false;
}

static bool has_suffix(const char *s, const char *suffix)
{
    size_t n = strlen(s), k = strlen(suffix);
    return n >= k && !strcasecmp(s + n - k, suffix);
}

/* Length of a file's name without its ending, of which a packed tar has two: ann.tar.gz. */
static size_t without_ending(const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    bool packed_tar = n > 4 && !strncasecmp(name + n - 4, ".tar", 4) && !has_suffix(name, ".cu");
    return packed_tar ? n - 4 : n;
}

/* STUDENT.cu, or STUDENT/…/FILE */
static bool parse_plain(const char *path, struct file_name *out)
{
    const char *slash = strchr(path, '/'), *base = base_name(path);
    size_t n = slash ? (size_t)(slash - path) : without_ending(path);
    if (base[0] == '.' || !base[0] || path[0] == '.') /* .git/config is nobody's */
        return false;
    out->student = prefix(path, n);
    out->person = xstrdup("");
    out->original = xstrdup(base);
    return n > 0;
}

bool name_parse(enum name_system system, const char *path, struct file_name *out)
{
    static bool (*const parse[])(const char *,
                                 struct file_name *) = {[NAMES_PLAIN] = parse_plain,
                                                        [NAMES_CANVAS] = parse_canvas,
                                                        [NAMES_MOODLE] = parse_moodle,
                                                        [NAMES_GRADESCOPE] = parse_gradescope};
    *out = (struct file_name){.system = system};
    if (!strncmp(path, "./", 2))
        path += 2;
    if (!strncmp(path, "__MACOSX/", 9) || !strncmp(base_name(path), "._", 2) ||
        !strcmp(base_name(path), ".DS_Store"))
        return false;
    return parse[system](path, out);
}

enum name_system names_detect(const char *const *paths, int n)
{
    static const enum name_system order[] = {NAMES_MOODLE, NAMES_GRADESCOPE, NAMES_CANVAS};
    for (size_t k = 0; k < 3; k++) {
        int fit = 0;
        for (int i = 0; i < n; i++) {
            struct file_name f;
            fit += name_parse(order[k], paths[i], &f);
            name_free(&f);
        }
        if (fit * 2 > n)
            return order[k];
    }
    return NAMES_PLAIN;
}

void name_free(struct file_name *f)
{
    free(f->student);
    free(f->person);
    free(f->original);
    *f = (struct file_name){0};
}

int name_rank(const char *original, const char *lab)
{
    size_t n = strlen(original), l = strlen(lab);
    if (n < 3 || strcasecmp(original + n - 3, ".cu"))
        return 0;
    if (n < l + 3 || strncasecmp(original, lab, l))
        return 1;
    if (n == l + 3)
        return 3;
    size_t d = original[l] == '-' ? digits(original + l + 1) : 0;
    if (d && d < 7 && l + 1 + d + 3 == n)
        return 3 + atoi(original + l + 1);
    return 2;
}

char *name_printable(const char *name)
{
    struct text t = {0};
    text_add(&t, "");
    text_printable(&t, name, strlen(name), false);
    return text_take(&t);
}

bool name_is_archive(const char *path)
{
    static const char *const suffixes[] = {".zip",    ".7z",      ".tar",     ".tar.gz",
                                           ".tgz",    ".tar.bz2", ".tbz2",    ".tbz",
                                           ".tar.xz", ".txz",     ".tar.zst", ".tzst"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
        if (has_suffix(path, suffixes[i]))
            return true;
    return false;
}

bool name_is_metadata(const char *path)
{
    return !strcmp(base_name(path), "submission_metadata.yml");
}

size_t name_cap(const char *path)
{
    if (name_is_metadata(path))
        return METADATA_MAX_BYTES;
    if (name_is_archive(path))
        return NESTED_MAX_BYTES;
    return has_suffix(path, ".cu") ? SUBMISSION_MAX_BYTES : 0;
}
