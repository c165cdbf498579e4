/* text.c - strings that grow, and what is safe to show (text.h). */
#include "text.h"
#include "alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void text_bytes(struct text *t, const void *bytes, size_t n)
{
    if (t->length + n + 1 > t->capacity) {
        t->capacity = (t->length + n + 1) * 2;
        t->s = xrealloc(t->s, t->capacity);
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

void text_vaddf(struct text *t, const char *format, va_list ap)
{
    char small[256];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof(small), format, ap);
    if (n >= (int)sizeof(small)) {
        char *large = xvformat(format, again);
        text_bytes(t, large, (size_t)n);
        free(large);
    } else if (n > 0) {
        text_bytes(t, small, (size_t)n);
    }
    va_end(again);
}

void text_addf(struct text *t, const char *format, ...)
{
    va_list ap;
    if (!format)
        return;
    va_start(ap, format);
    text_vaddf(t, format, ap);
    va_end(ap);
}

char *text_take(struct text *t)
{
    char *s = t->s ? t->s : xstrdup("");
    *t = (struct text){0};
    return s;
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

/* A byte in the middle of a character. */
static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

void text_cut(struct text *t, const char *s, size_t most)
{
    size_t n = strlen(s), keep = n;
    if (n > most) {
        keep = most;
        while (keep && continues(s[keep]))
            keep--;
    }
    text_bytes(t, s, keep);
    text_add(t, keep < n ? "…" : "");
}

char *cut_copy(const char *s, size_t most)
{
    struct text t = {0};
    text_cut(&t, s, most);
    return text_take(&t);
}

void text_column(struct text *t, const char *s, size_t width)
{
    size_t characters = 0, last = 0; /* last: where the last one that fits begins */
    for (size_t i = 0; s[i]; i++) {
        if (continues(s[i]))
            continue;
        if (++characters == width)
            last = i;
    }
    text_bytes(t, s, characters > width ? last : strlen(s));
    if (characters > width)
        text_add(t, "…");
    for (; characters < width; characters++)
        text_add(t, " ");
}

bool text_lists(const char *list, const char *word, size_t n)
{
    size_t k;

    for (const char *p = list; p && *p; p += k + strspn(p + k, " ")) {
        k = strcspn(p, " ");
        if (k == n && !strncmp(p, word, n))
            return true;
    }
    return false;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned text_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b), width = nb + 1;
    unsigned *d = xcalloc((na + 1) * width, sizeof(*d));

    for (size_t i = 0; i <= na; i++) {
        for (size_t j = 0; j <= nb; j++) {
            unsigned *at = &d[i * width + j];

            *at = (unsigned)(i + j);
            if (!i || !j)
                continue;
            *at = least(least(at[-(long)width], at[-1]) + 1,
                        at[-(long)width - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                *at = least(*at, at[-2 * (long)width - 2] + 1);
        }
    }
    unsigned distance = d[na * width + nb];
    free(d);
    return distance;
}

bool text_near(const char *word, const char *known, unsigned *best)
{
    size_t n = strlen(word), m = strlen(known), shorter = n < m ? n : m;
    unsigned distance = strcasecmp(word, known) ? text_distance(word, known) : 1;

    if (distance >= *best || distance > shorter / 3)
        return false;
    *best = distance;
    return true;
}

const char *text_encoding(const char *bytes, size_t n)
{
    if (n >= 4 && (!memcmp(bytes, "\xff\xfe\0\0", 4) || !memcmp(bytes, "\0\0\xfe\xff", 4)))
        return "UTF-32";
    if (n >= 2 && (!memcmp(bytes, "\xff\xfe", 2) || !memcmp(bytes, "\xfe\xff", 2)))
        return "UTF-16";
    bool even = n >= 4 && !bytes[0] && !bytes[2], odd = n >= 4 && !bytes[1] && !bytes[3];
    if ((even && !bytes[1] && bytes[3]) || (odd && !bytes[2] && bytes[0]))
        return "UTF-32";
    return (even && bytes[1] && bytes[3]) || (odd && bytes[0] && bytes[2]) ? "UTF-16" : NULL;
}

void text_shell(struct text *t, const char *s)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-";

    if (*s && s[strspn(s, plain)] == 0) {
        text_add(t, s);
        return;
    }
    text_add(t, "'");
    for (size_t n; *s; s += n) {
        n = strcspn(s, "'");
        text_bytes(t, s, n);
        if (s[n] && ++n)
            text_add(t, "'\\''");
    }
    text_add(t, "'");
}
