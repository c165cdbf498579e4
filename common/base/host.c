/* host.c - memory, text and files (host.h). */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void host_die(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(2);
}

void *host_alloc(size_t size)
{
    void *p = calloc(1, size ? size : 1);

    if (!p)
        host_die("out of memory: %zu bytes asked for", size);
    return p;
}

void *host_realloc(void *p, size_t size)
{
    p = realloc(p, size ? size : 1);
    if (!p)
        host_die("out of memory: %zu bytes asked for", size);
    return p;
}

char *host_strdup(const char *s)
{
    size_t n = strlen(s) + 1;

    return memcpy(host_alloc(n), s, n);
}

char *host_format(const char *format, ...)
{
    va_list ap;
    char *s;

    va_start(ap, format);
    if (vasprintf(&s, format, ap) < 0)
        host_die("out of memory");
    va_end(ap);
    return s;
}

static char *read_open_file(int fd, const char *path, size_t max, size_t *size, char *err,
                            size_t errsize)
{
    struct stat st;
    char *data;
    ssize_t n = 0;

    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        snprintf(err, errsize, "%s: not a regular file", path);
        return NULL;
    }
    if ((unsigned long long)st.st_size > max) {
        snprintf(err, errsize, "%s: larger than %zu bytes", path, max);
        return NULL;
    }
    data = host_alloc((size_t)st.st_size + 1);
    *size = 0;
    while (*size < (size_t)st.st_size &&
           (n = read(fd, data + *size, (size_t)st.st_size - *size)) > 0)
        *size += (size_t)n;
    if (n < 0) {
        snprintf(err, errsize, "%s: %s", path, strerror(errno));
        free(data);
        return NULL;
    }
    return data;
}

char *host_read_file(const char *path, size_t max, size_t *size, char *err, size_t errsize)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *data;

    if (fd < 0) {
        snprintf(err, errsize, "%s: %s", path, strerror(errno));
        return NULL;
    }
    data = read_open_file(fd, path, max, size, err, errsize);
    close(fd);
    return data;
}

bool host_make_dirs(const char *path)
{
    char *copy = host_strdup(path);
    bool ok = true;

    for (char *slash = strchr(copy + 1, '/'); slash && ok; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ok = !mkdir(copy, 0777) || errno == EEXIST;
        *slash = '/';
    }
    free(copy);
    return ok;
}

bool host_write_file(const char *path, const void *data, size_t size, char *err, size_t errsize)
{
    char *temporary = host_format("%s.%ld.tmp", path, (long)getpid());
    FILE *f = host_make_dirs(path) ? fopen(temporary, "wbe") : NULL;
    bool ok = f && fwrite(data, 1, size, f) == size;

    if (f && fclose(f))
        ok = false;
    ok = ok && !rename(temporary, path);
    if (!ok) {
        snprintf(err, errsize, "%s: %s", path, strerror(errno));
        unlink(temporary);
    }
    free(temporary);
    return ok;
}

const char *host_root(void)
{
    static char root[PATH_MAX];
    char probe[PATH_MAX + 64];
    ssize_t n;

    if (root[0])
        return root;
    n = readlink("/proc/self/exe", root, sizeof(root) - 1);
    root[n > 0 ? n : 0] = '\0';
    for (char *slash = strrchr(root, '/'); slash; slash = strrchr(root, '/')) {
        *slash = '\0';
        snprintf(probe, sizeof(probe), "%s/common/device/warplab.cuh", root);
        if (!access(probe, R_OK))
            return root;
    }
    strcpy(root, ".");
    return root;
}

unsigned host_distance(const char *a, const char *b)
{
    unsigned row[128];
    size_t nb = strlen(b);

    if (nb > 126)
        return UINT_MAX;
    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[nb];
}
