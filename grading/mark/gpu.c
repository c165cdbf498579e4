/* gpu.c - finds the GPUs and their driver, tries them in a box, locks them. See gpu.h. */
#include "gpu.h"
#include "base/alloc.h"
#include "base/text.h"

#include "boxes.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_GPUS = 16, PROBE_SECONDS = 60 };

/* The numbers of /dev/nvidiaN that are there: a container may have /dev/nvidia3 alone. */
static int find_devices(char files[MOST_GPUS][24])
{
    int n = 0;
    for (int i = 0; i < MOST_GPUS; i++) {
        snprintf(files[n], sizeof(files[n]), "/dev/nvidia%d", i);
        n += access(files[n], F_OK) == 0;
    }
    if (n == 0 && access("/dev/dxg", F_OK) == 0)
        snprintf(files[n++], sizeof(files[0]), "/dev/dxg");
    return n;
}

int gpu_count(void)
{
    char files[MOST_GPUS][24];
    return find_devices(files);
}

const char *gpu_device(int i)
{
    static char files[MOST_GPUS][24];
    int n = find_devices(files);
    return n ? files[i % n] : "/dev/nvidia0";
}

static bool has_driver(const char *folder, size_t length)
{
    char *path = xformat("%.*s/libcuda.so.1", (int)length, folder);
    bool there = access(path, R_OK) == 0;
    free(path);
    return there;
}

/* The loader's own path first, as for any program; then where distributions, containers and
 * clusters put it. What lies under /usr/lib, the box and its loader's cache see. */
const char *gpu_driver_folder(void)
{
    static const char *const places[] = {"/usr/local/nvidia/lib64", "/usr/local/nvidia/lib",
                                         "/run/opengl-driver/lib", "/opt/nvidia/lib64"};
    static char found[4096];
    const char *list = getenv("LD_LIBRARY_PATH");
    for (const char *p = list ? list : ""; *p;) {
        size_t n = strcspn(p, ":");
        if (p[0] == '/' && n < sizeof(found) && has_driver(p, n)) {
            snprintf(found, sizeof(found), "%.*s", (int)n, p);
            return found;
        }
        p += n + (p[n] == ':');
    }
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (has_driver(places[i], strlen(places[i])))
            return places[i];
    return NULL;
}

/* ---- trying it ---- */

static bool receive_loaded(struct box *b, struct loaded *l, struct text *why)
{
    struct wire w = box_wire(b);
    bool ok = loaded_read(&w, l);
    text_add(why, ok ? l->why : "");
    return ok && l->state == LOADED;
}

/* "refused 41": a system call's number, one a line, from the runner. */
static void name_refused(const char *log, struct text *why)
{
    bool seen[1024] = {false};
    for (const char *p = log; (p = strstr(p, "refused ")); p++) {
        long n = strtol(p + 8, NULL, 10);
        if (n < 0 || n >= 1024 || seen[n])
            continue;
        seen[n] = true;
        char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)n);
        text_addf(why, " %s", name ? name : "(unknown)");
        free(name);
    }
}

static bool try(const struct engine_options *o, struct loaded *l, bool traced, struct text *why)
{
    struct box b;
    struct engine_options own = *o;
    own.gpu = true;
    own.run_s = PROBE_SECONDS; /* a driver that was asleep takes its time */
    *l = (struct loaded){.state = LOAD_NO_DEVICE};
    bool ok = runner_start(&b, &own, "probe", traced) && receive_loaded(&b, l, why);
    if (ok && l->machine.emulator) {
        text_add(why, "the toolkit's libcudart is the emulator's");
        ok = false;
    }
    box_finish(&b);
    if (!ok && !traced && b.log.length) {
        text_add(why, why->length ? ": " : "");
        text_cut(why, text_str(&b.log), 600);
    }
    if (!ok && !why->length)
        text_addf(why, "it ended without a word (code %d)", b.exit_code);
    if (traced) {
        text_add(why, "refused calls:");
        name_refused(text_str(&b.log), why);
    }
    box_close(&b);
    free(l->why);
    l->why = NULL;
    return ok;
}

bool gpu_probe(const struct engine_options *o, struct loaded *l, struct text *why)
{
    struct text refused = {0};
    struct loaded second;
    if (!gpu_count()) {
        text_add(why, "there is no /dev/nvidia*");
        return false;
    }
    if (try(o, l, false, why))
        return true;
    try(o, &second, true, &refused);
    text_addf(why, "; driver folder: %s; %s",
              gpu_driver_folder() ? gpu_driver_folder() : "the system's", text_str(&refused));
    text_free(&refused);
    return false;
}

bool gpu_use(struct engine_options *o, struct text *why)
{
    struct loaded l;
    if (!gpu_probe(o, &l, why))
        return false;
    o->measure = true;
    snprintf(o->gpu_arch, sizeof(o->gpu_arch), "%s", l.machine.arch);
    snprintf(o->gpu_name, sizeof(o->gpu_name), "%s, %s", l.machine.device, l.machine.version);
    return true;
}

/* ---- one job at a time ---- */

/* A lock file of another user is opened for reading: that is enough, and creating over it is
 * refused in a sticky folder. */
int gpu_lock(int index)
{
    const char *device = strrchr(gpu_device(index), '/') + 1;
    char *path = xformat("/tmp/warplab-%s.lock", device);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd >= 0)
        fchmod(fd, 0644); /* ours: whatever the umask, others can open it. Theirs: refused */
    if (fd < 0)
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW); /* another was quicker */
    free(path);
    while (fd >= 0 && flock(fd, LOCK_EX) && errno == EINTR)
        ;
    return fd;
}

void gpu_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
