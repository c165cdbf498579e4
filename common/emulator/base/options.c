/* options.c - WARPLAB_* environment variables, read once (options.h).
 *
 * A value that cannot be meant is an error that ends the program: a limit silently
 * ignored would be worse.
 */
#include "options.h"
#include "mem.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct emu_options options;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t number(const char *name, uint64_t otherwise, uint64_t least, uint64_t most)
{
    const char *text = getenv(name);
    unsigned long long value;
    char *end;

    if (!text || !*text)
        return otherwise;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (*end || errno || *text == '-' || value < least || value > most) {
        fprintf(stderr, "warplab: %s=%s: expected a number from %llu to %llu\n", name, text,
                (unsigned long long)least, (unsigned long long)most);
        _exit(2); /* not exit(): its functions would ask for options, too */
    }
    return value;
}

static const char *word(const char *name, const char *otherwise)
{
    const char *text = getenv(name);
    return text && *text ? text : otherwise;
}

static void read_options(void)
{
    options = (struct emu_options){
        .threads = (int)number("WARPLAB_THREADS", 0, 0, 4096),
        .devices = (int)number("WARPLAB_DEVICES", 1, 1, MEM_DEVICES),
        .steps = number("WARPLAB_STEPS", 0, 0, UINT64_MAX),
        .check = number("WARPLAB_CHECK", 0, 0, 1),
        .libraries = number("WARPLAB_LIBRARIES", 1, 0, 1),
        .sample = number("WARPLAB_SAMPLE", 1, 0, 1),
        .profile = word("WARPLAB_PROFILE", NULL),
        .device = word("WARPLAB_DEVICE", "h200"),
        .record = word("WARPLAB_RECORD", NULL),
        .disturb = word("WARPLAB_DISTURB", NULL),
        .fail = word("WARPLAB_FAIL", NULL),
    };
}

int emu_devices(int at_least)
{
    static atomic_int more;
    int first = emu_options()->devices, now = atomic_load(&more);

    while (now < at_least && !atomic_compare_exchange_weak(&more, &now, at_least))
        ;
    now = now < at_least ? at_least : now;
    return now > first ? now : first;
}

/* The texts that options point to are the environment's own: copies of them. */
static void keep(const char **text)
{
    if (*text && !(*text = strdup(*text)))
        abort();
}

/* Before a program's own constructors: its libraries' come first. The words are overwritten where
 * they stand, as /proc/self/environ shows them. */
__attribute__((constructor)) static void hide_options(void)
{
    const char *hidden = getenv("WARPLAB_HIDDEN");
    int kept = 0;

    if (!hidden || strcmp(hidden, "1") != 0)
        return;
    emu_options();
    keep(&options.profile), keep(&options.device), keep(&options.record);
    keep(&options.disturb), keep(&options.fail);
    for (int i = 0; environ[i]; i++) {
        if (strncmp(environ[i], "WARPLAB_", 8))
            environ[kept++] = environ[i];
        else
            memset(environ[i], 0, strlen(environ[i]));
    }
    environ[kept] = NULL;
}

const struct emu_options *emu_options(void)
{
    pthread_once(&once, read_options);
    return &options;
}
