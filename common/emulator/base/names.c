/* names.c - C++ names as they were written (names.h).
 *
 * The C++ runtime demangles; it is there whenever a program was linked by nvcc, and is
 * looked for when the first mangled name is to be shown. Without it names stay mangled.
 */
#include "names.h"
#include "base/alloc.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 120 /* characters; beyond, template arguments are left out */
#define BUCKETS 256

typedef char *(*demangler)(const char *name, char *buf, size_t *size, int *status);

struct entry {
    char *mangled, *shown;
    struct entry *next;
};
static struct entry *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static demangler find_demangler(void)
{
    static demangler found;
    static bool looked;

    if (looked)
        return found;
    looked = true;
    *(void **)&found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = found ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (library)
        *(void **)&found = dlsym(library, "__cxa_demangle");
    return found;
}

/* "void f<int, float>(g<int>)" to "void f<...>(g<...>)"; caller frees. */
static char *without_arguments(const char *name)
{
    char *text = xmalloc(3 * strlen(name) + 8), *to = text;
    unsigned depth = 0;

    for (const char *at = name; *at; at++) {
        if (*at == '<' && depth++ == 0)
            to = stpcpy(to, "<...>");
        else if (*at == '>' && depth)
            depth--;
        else if (*at != '<' && !depth)
            *to++ = *at;
    }
    *to = 0;
    return text;
}

/* Behind the list of parameters that begins at `list`: "::tile" of a variable in that function. */
static const char *behind_list(const char *list)
{
    int depth = 0;

    for (; *list; list++) {
        depth += *list == '(' ? 1 : *list == ')' ? -1 : 0;
        if (*list == ')' && !depth)
            return strncmp(list + 1, "::", 2) ? "" : list + 1;
    }
    return "";
}

static void shorten(char **name)
{
    if (strlen(*name) <= LONGEST || strstr(*name, "operator"))
        return; /* the signs of operator<, operator-> are no brackets */
    char *brief = without_arguments(*name);
    char *list = strstr(brief, "(anonymous namespace)");
    list = strchr(list ? list + 1 : brief, '(');
    if (strlen(brief) > LONGEST && list) {
        char *tail = xformat("%s%s", strlen(list) > 5 ? "(...)" : "", behind_list(list));

        if (strlen(tail) < strlen(list))
            strcpy(list, tail);
        free(tail);
    }
    free(*name);
    *name = brief;
}

static char *demangle(const char *mangled)
{
    demangler f = find_demangler();
    int status = -1;
    char *name = f ? f(mangled, NULL, NULL, &status) : NULL;

    if (!name || status) {
        free(name);
        name = xstrdup(mangled);
        if (strlen(name) > LONGEST) /* CUTLASS has some that no demangler knows */
            strcpy(name + LONGEST - 3, "...");
        return name;
    }
    shorten(&name);
    return name;
}

static struct entry **find(const char *mangled)
{
    uint32_t h = 5381;

    for (const char *c = mangled; *c; c++)
        h = h * 33 ^ (uint8_t)*c;
    struct entry **at = &buckets[h % BUCKETS];
    while (*at && strcmp((*at)->mangled, mangled) != 0)
        at = &(*at)->next;
    return at;
}

const char *shown_name(const char *mangled)
{
    if (!mangled || strncmp(mangled, "_Z", 2) != 0)
        return mangled;
    pthread_mutex_lock(&lock);
    struct entry **at = find(mangled);
    if (!*at) {
        struct entry *e = xcalloc(1, sizeof(*e));

        *e = (struct entry){xstrdup(mangled), demangle(mangled), NULL};
        *at = e;
    }
    const char *shown = (*at)->shown;
    pthread_mutex_unlock(&lock);
    return shown;
}
