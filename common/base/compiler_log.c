/* compiler_log.c - the first error of a compiler's log (compiler_log.h).
 *
 *     FILE:LINE: error: …          begins an error, of NVRTC as of nvcc
 *               more of it         lines that begin with a blank
 *     Note #3326-D: …              candidates, a line each: of one wrong argument there can be
 * forty
 */
#include "compiler_log.h"

#include <string.h>

enum { FEW_LINES = 12 };

static size_t line_of(const char *s)
{
    size_t n = strcspn(s, "\n");

    return n + (s[n] == '\n');
}

static bool begins_error(const char *line)
{
    size_t n = line_of(line);
    const char *at = strstr(line, "error: ");

    return *line != ' ' && at && at < line + n;
}

unsigned compiler_log_errors(const char *log)
{
    unsigned errors = 0;

    for (const char *s = log; *s; s += line_of(s))
        errors += begins_error(s);
    return errors;
}

unsigned compiler_log_first(struct text *t, const char *log)
{
    const unsigned errors = compiler_log_errors(log);
    unsigned lines = 0, shown = 0;
    const char *first = NULL;

    for (const char *s = log; *s; s += line_of(s)) {
        first = !first && begins_error(s) ? s : first;
        lines++;
    }
    if (lines <= FEW_LINES || !first) {
        text_add(t, log);
        return 0;
    }
    do {
        text_bytes(t, first, line_of(first));
        first += line_of(first);
        shown++;
    } while (*first == ' ');
    text_addf(t, "… and ");
    if (errors > 1)
        text_addf(t, "%u more error%s, ", errors - 1, errors == 2 ? "" : "s");
    text_addf(t, "%u more line%s", lines - shown, lines == shown + 1 ? "" : "s");
    return lines - shown;
}
