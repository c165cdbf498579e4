/* util.c - memory, text, files and digests. See util.h. */
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void gr_die(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    fputs("grade: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(2);
}

void *gr_alloc(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p)
        gr_die("out of memory (%zu bytes)", size);
    return p;
}

void *gr_realloc(void *p, size_t size)
{
    void *q = realloc(p, size ? size : 1);
    if (!q)
        gr_die("out of memory (%zu bytes)", size);
    return q;
}

char *gr_strdup(const char *s)
{
    return s ? memcpy(gr_alloc(strlen(s) + 1), s, strlen(s)) : NULL;
}

char *gr_format(const char *format, ...)
{
    char *s = NULL;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&s, format, ap);
    va_end(ap);
    if (n < 0)
        gr_die("out of memory");
    return s;
}

void text_bytes(struct text *t, const void *bytes, size_t n)
{
    if (t->length + n + 1 > t->capacity) {
        t->capacity = (t->length + n + 1) * 2;
        t->s = gr_realloc(t->s, t->capacity);
    }
    if (n)
        memcpy(t->s + t->length, bytes, n);
    t->length += n;
    t->s[t->length] = 0;
}

void text_add(struct text *t, const char *s)
{
    text_bytes(t, s, strlen(s));
}

void text_addf(struct text *t, const char *format, ...)
{
    char small[256];
    va_list ap, again;
    if (!format)
        return;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof(small), format, ap);
    va_end(ap);
    if (n >= (int)sizeof(small)) {
        char *large = gr_alloc((size_t)n + 1);
        vsnprintf(large, (size_t)n + 1, format, again);
        text_bytes(t, large, (size_t)n);
        free(large);
    } else if (n > 0) {
        text_bytes(t, small, (size_t)n);
    }
    va_end(again);
}

void text_free(struct text *t)
{
    free(t->s);
    *t = (struct text){0};
}

const char *text_str(const struct text *t)
{
    return t->s ? t->s : "";
}

/* Length of the UTF-8 sequence at s (n bytes left), 0 when it is none. Overlong forms,
 * surrogates and C1 controls count as none. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
    size_t want = s[0] < 0x80   ? 1
                  : s[0] < 0xc2 ? 0
                  : s[0] < 0xe0 ? 2
                  : s[0] < 0xf0 ? 3
                  : s[0] < 0xf5 ? 4
                                : 0;
    if (want == 0 || want > n)
        return 0;
    for (size_t i = 1; i < want; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ||
               (s[0] == 0xc2 && s[1] < 0xa0) || /* C1 */
               (s[0] == 0xef && s[1] == 0xbf && s[2] > 0xbd) ||
               (s[0] == 0xe2 && s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) || /* bidi */
               (s[0] == 0xe2 && s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
    return bad ? 0 : want;
}

void text_printable(struct text *t, const char *s, size_t n, bool keep_lines)
{
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)s[i];
        size_t len = utf8_length((const unsigned char *)s + i, n - i);
        bool plain = len > 1 || (c >= 0x20 && c < 0x7f) || (keep_lines && (c == '\n' || c == '\t'));
        if (len && plain) {
            text_bytes(t, s + i, len);
            i += len;
        } else {
            text_addf(t, "\\x%02x", c);
            i++;
        }
    }
}

static int read_all(int fd, size_t max, char **data, size_t *length)
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

int file_read(const char *path, size_t max, char **data, size_t *length)
{
    *data = NULL;
    *length = 0;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
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
        e = read_all(fd, max, data, length);
    close(fd);
    return e;
}

int file_write(const char *path, const void *data, size_t length)
{
    char *temporary = gr_format("%s.tmp.%d", path, (int)getpid());
    FILE *f = fopen(temporary, "wbe");
    int e = f ? 0 : errno;
    if (f) {
        if (fwrite(data, 1, length, f) != length || fflush(f))
            e = errno ? errno : EIO;
        if (fclose(f) && !e)
            e = errno;
        if (!e && rename(temporary, path))
            e = errno;
        if (e)
            unlink(temporary);
    }
    free(temporary);
    return e;
}

int make_dirs(const char *path)
{
    char *p = gr_strdup(path);
    int e = 0;
    for (char *s = p + 1; !e && *s; s++) {
        if (*s != '/')
            continue;
        *s = 0;
        if (mkdir(p, 0777) && errno != EEXIST)
            e = errno;
        *s = '/';
    }
    if (!e && mkdir(p, 0777) && errno != EEXIST)
        e = errno;
    free(p);
    return e;
}

void digest_hex(const void *data, size_t length, char out[DIGEST_HEX])
{
    struct sha256_ctx ctx;
    uint8_t d[SHA256_DIGEST_SIZE];
    sha256_init(&ctx);
    sha256_update(&ctx, length, data);
    sha256_digest(&ctx, sizeof(d), d);
    for (size_t i = 0; i < sizeof(d); i++)
        snprintf(out + 2 * i, 3, "%02x", d[i]);
}

uint64_t secret_draw(const char *secret, const char *label)
{
    struct hmac_sha256_ctx ctx;
    uint64_t v;
    hmac_sha256_set_key(&ctx, strlen(secret), (const uint8_t *)secret);
    hmac_sha256_update(&ctx, strlen(label), (const uint8_t *)label);
    uint8_t d[SHA256_DIGEST_SIZE];
    hmac_sha256_digest(&ctx, sizeof(d), d);
    memcpy(&v, d, sizeof(v));
    return v;
}

double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
