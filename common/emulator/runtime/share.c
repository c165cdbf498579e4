/* share.c - files that processes share: see share.h. */
#include "share.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#define MAGIC 0x3165726168537057ull /* "WpShare1" */
#define NAME  "warplab"

int share_new(struct share *s, enum share_kind kind, uint64_t size, int device)
{
    int file = memfd_create(NAME, MFD_CLOEXEC);

    *s = (struct share){.magic = MAGIC, .size = size, .kind = kind, .device = device};
    if (file < 0)
        return -1;
    if (getrandom(s->key, sizeof(s->key), 0) == sizeof(s->key) &&
        ftruncate(file, (off_t)(SHARE_START + size)) == 0 &&
        pwrite(file, s, sizeof(*s), 0) == sizeof(*s))
        return file;
    close(file);
    return -1;
}

bool share_read(int file, struct share *s, enum share_kind kind)
{
    return pread(file, s, sizeof(*s), 0) == sizeof(*s) && s->magic == MAGIC && s->kind == kind;
}

struct ticket share_ticket(const struct share *s, int file)
{
    return (struct ticket){MAGIC, {s->key[0], s->key[1]}, s->kind, getpid(), file, 0};
}

/* Whatever else the number stands for in that process by now is not opened. */
static bool is_shared_file(const char *path)
{
    char target[64] = "";

    return readlink(path, target, sizeof(target) - 1) > 0 &&
           !strncmp(target, "/memfd:" NAME, strlen("/memfd:" NAME));
}

bool share_is_ticket(const struct ticket *t, enum share_kind kind)
{
    return t->magic == MAGIC && t->kind == (uint32_t)kind;
}

int share_open(const struct ticket *t, struct share *s, enum share_kind kind)
{
    char path[64];

    if (!share_is_ticket(t, kind))
        return -1;
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", t->pid, t->file);
    int file = is_shared_file(path) ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0 && share_read(file, s, kind) && !memcmp(s->key, t->key, sizeof(s->key)))
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

void *share_map(int file, uint64_t at, uint64_t size, uint64_t *mapped)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    *mapped = (size + page - 1) / page * page;
    void *p =
        mmap(NULL, *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)(SHARE_START + at));
    return p == MAP_FAILED ? NULL : p;
}

struct mem_alloc *share_adopt(int file, uint64_t at, uint64_t size, int device, enum mem_kind kind)
{
    uint64_t mapped;
    void *host = share_map(file, at, size, &mapped);
    struct mem_alloc *a = host ? mem_adopt((unsigned)device, size, kind, host, mapped) : NULL;

    if (host && !a)
        munmap(host, mapped);
    return a;
}
