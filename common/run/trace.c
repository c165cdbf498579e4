/* trace.c - the emulator's trace of one block, read from a pipe (trace.h). */
#include "trace.h"
#include "base/alloc.h"
#include "base/text.h"
#include "emulator.h"
#include "lab/job.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct trace {
    pthread_t reader;
    int ends[2]; /* read, write */
    struct text text;
};

/* Past JOB_MAX_TRACE it goes on reading, so that the writer does not wait. */
static void *read_all(void *user)
{
    struct trace *t = user;
    char chunk[65536];

    for (;;) {
        ssize_t n = read(t->ends[0], chunk, sizeof(chunk));
        size_t room = JOB_MAX_TRACE - t->text.length;

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return NULL;
        text_bytes(&t->text, chunk, (size_t)n < room ? (size_t)n : room);
    }
}

struct trace *trace_begin(const char *kernel)
{
    struct trace *t = xzalloc(sizeof(*t));
    char path[64];

    if (!pipe2(t->ends, O_CLOEXEC)) {
        snprintf(path, sizeof(path), "/proc/self/fd/%d", t->ends[1]);
        if (emulator_trace(kernel, path) && !pthread_create(&t->reader, NULL, read_all, t))
            return t;
        close(t->ends[0]);
        close(t->ends[1]);
    }
    free(t);
    return NULL;
}

/* The emulator closes its end when the launch is over. Where a launch may never have come,
 * arming anew closes it. */
char *trace_end(struct trace *t, bool launched)
{
    if (!launched)
        emulator_trace("", "/dev/null");
    close(t->ends[1]);
    pthread_join(t->reader, NULL);
    close(t->ends[0]);
    char *text = text_take(&t->text);
    free(t);
    return text;
}
