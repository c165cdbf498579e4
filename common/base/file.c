/* file.c - whole files, folders, and where the course is (file.h). */
#include "file.h"
#include "alloc.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

int file_read_fd(int fd, size_t max, char **data, size_t *length)
{
    struct text t = {0};
    char chunk[65536];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || t.length + (size_t)n > max) {
            int e = n < 0 ? errno : EFBIG;
            text_free(&t);
            return e;
        }
        text_bytes(&t, chunk, (size_t)n);
    }
    text_bytes(&t, "", 0);
    *data = t.s;
    *length = t.length;
    return 0;
}

int file_write_fd(int fd, const void *data, size_t length)
{
    for (const char *p = data; length;) {
        ssize_t n = write(fd, p, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? errno : EIO;
        p += n;
        length -= (size_t)n;
    }
    return 0;
}

static int read_with(const char *path, int flags, size_t max, char **data, size_t *length)
{
    *data = NULL;
    *length = 0;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags);
    if (fd < 0)
        return errno;
    struct stat st;
    int e = fstat(fd, &st)         ? errno
            : S_ISDIR(st.st_mode)  ? EISDIR
            : !S_ISREG(st.st_mode) ? EINVAL
                                   : 0;
    if (!e && (uint64_t)st.st_size > max)
        e = EFBIG;
    if (!e)
        e = file_read_fd(fd, max, data, length);
    close(fd);
    return e;
}

int file_read(const char *path, size_t max, char **data, size_t *length)
{
    return read_with(path, 0, max, data, length);
}

int file_read_no_link(const char *path, size_t max, char **data, size_t *length)
{
    return read_with(path, O_NOFOLLOW, max, data, length);
}

const char *file_why(int error)
{
    return error == EFBIG    ? "it is too large"
           : error == EINVAL ? "not a regular file"
           : error == ELOOP  ? "a symbolic link"
                             : strerror(error);
}

static int make_dir(const char *path)
{
    return mkdir(path, 0777) && errno != EEXIST ? errno : 0;
}

char *make_temporary_dir(void)
{
    const char *tmp = getenv("TMPDIR");
    char *path = xformat("%s/warplab-XXXXXX", tmp && *tmp ? tmp : "/tmp");

    if (mkdtemp(path))
        return path;
    int error = errno;
    free(path);
    errno = error;
    return NULL;
}

int make_dirs_above(const char *path)
{
    char *p = xstrdup(path);
    int e = 0;
    for (char *s = *p ? p + 1 : p; !e && *s; s++) {
        if (*s != '/')
            continue;
        *s = 0;
        e = make_dir(p);
        *s = '/';
    }
    free(p);
    return e;
}

int make_dirs(const char *path)
{
    int e = make_dirs_above(path);
    return e ? e : make_dir(path);
}

static int write_new(const char *path, const void *data, size_t length)
{
    FILE *f = fopen(path, "wbe");
    if (!f)
        return errno;
    int e = 0;
    if (fwrite(data, 1, length, f) != length || fflush(f))
        e = errno ? errno : EIO;
    if (fclose(f) && !e)
        e = errno;
    return e;
}

/* A device, a pipe or a link, which another file must not take the place of. */
static bool stays(const char *path)
{
    struct stat s;
    return !lstat(path, &s) && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

int file_write(const char *path, const void *data, size_t length)
{
    int e = make_dirs_above(path);
    if (e)
        return e;
    if (stays(path))
        return write_new(path, data, length);
    char *temporary = xformat("%s.tmp.%d", path, (int)getpid());
    e = write_new(temporary, data, length);
    if (!e && rename(temporary, path))
        e = errno;
    if (e)
        unlink(temporary);
    free(temporary);
    return e;
}

char *file_load(const char *path, size_t max, size_t *size, struct text *why)
{
    char *data;
    int e = file_read(path, max, &data, size);
    if (e == EFBIG)
        text_addf(why, "%s: larger than %zu bytes", path, max);
    else if (e)
        text_addf(why, "%s: %s", path, file_why(e));
    return data;
}

bool file_save(const char *path, const void *data, size_t size, struct text *why)
{
    int e = file_write(path, data, size);
    if (e)
        text_addf(why, "%s: %s", path, file_why(e));
    return !e;
}

const char *course_root(void)
{
    static char root[PATH_MAX];
    if (root[0])
        return root;
    ssize_t n = readlink("/proc/self/exe", root, sizeof(root) - 1);
    root[n > 0 ? n : 0] = '\0';
    if (n <= 0) /* no /proc, as in the compiler's box: by the name it was started with */
        snprintf(root, sizeof(root), "%s", (const char *)getauxval(AT_EXECFN));
    for (char *slash = strrchr(root, '/'); slash; slash = strrchr(root, '/')) {
        *slash = '\0';
        char *probe = xformat("%s/common/device/warplab.cuh", root);
        bool found = !access(probe, R_OK);
        free(probe);
        if (found)
            return root;
    }
    strcpy(root, ".");
    return root;
}
