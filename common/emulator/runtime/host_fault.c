/* host_fault.c - says what happened when host code touches device memory, or none at all.
 *
 * The access faults, as with a GPU; this adds the line that a student needs, where in the program
 * that was, and hands the fault on. A program that handles SIGSEGV itself is left alone.
 */
#include "emulator/base/describe.h"
#include "cudart.h"
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say(const char *text)
{
    ssize_t n = write(STDERR_FILENO, text, strlen(text));
    (void)n;
}

enum { FRAMES = 64 };

/* Of the program itself, which is the first that is told of. */
struct code {
    uintptr_t at, offset; /* at: an address; its offset, 0: it is elsewhere */
};
static int find_code(struct dl_phdr_info *info, size_t size, void *user)
{
    struct code *c = user;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr;

        if (p->p_type == PT_LOAD && c->at >= from && c->at < from + p->p_memsz)
            c->offset = c->at - info->dlpi_addr;
    }
    return 1;
}

/* Where the program was, or what it called: a return address is behind the call. Nothing is
 * allocated, as what was overwritten before may be what malloc() needs. */
static void say_place(void)
{
    void *frames[FRAMES];
    int n = backtrace(frames, FRAMES);
    char line[128];

    for (int i = 0; i < n; i++) {
        struct code c = {.at = (uintptr_t)frames[i]};

        dl_iterate_phdr(find_code, &c);
        if (!c.offset)
            continue;
        snprintf(line, sizeof(line),
                 "warplab: that was at +0x%lx of the program (addr2line says which line)\n",
                 c.offset);
        say(line);
        return;
    }
}

/* Not strictly async-signal-safe (snprintf, backtrace): the process is about to end anyway. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    uint64_t addr = (uint64_t)info->si_addr;

    (void)context;
    if (mem_in_window(addr)) {
        struct text line = {0};

        text_addf(&line, "warplab: host code touched device memory at 0x%lx (", addr);
        mem_describe(&line, addr);
        text_add(&line, "). Copy it with cudaMemcpy, or use cudaMallocManaged.\n");
        say(text_str(&line));
    } else {
        say(addr < 4096 ? "warplab: host code touched memory by a null pointer\n"
                        : "warplab: host code touched memory that is not there\n");
    }
    say_place();
    struct sigaction a = {.sa_handler = SIG_DFL};
    sigaction(signal, &a, NULL); /* returning repeats the access, which now ends the process */
}

void host_fault_install(void)
{
    void *frames[FRAMES];
    struct sigaction old, a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    backtrace(frames, FRAMES); /* loads what it needs, which is no time to do in a signal */
    sigemptyset(&a.sa_mask);
    if (sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_handler == SIG_DFL &&
        !(old.sa_flags & SA_SIGINFO))
        sigaction(SIGSEGV, &a, NULL);
}
