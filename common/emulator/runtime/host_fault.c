/* host_fault.c - says what happened when host code touches device memory.
 *
 * The access faults, as with a GPU; this adds the line that a student needs and hands the
 * fault on. A program that handles SIGSEGV itself is left alone.
 */
#include "emulator/base/describe.h"
#include "cudart.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say(const char *text)
{
    ssize_t n = write(STDERR_FILENO, text, strlen(text));
    (void)n;
}

/* Not strictly async-signal-safe (snprintf): the process is about to end anyway. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    uint64_t addr = (uint64_t)info->si_addr;
    struct text line = {0};

    (void)context;
    if (mem_in_window(addr)) {
        text_addf(&line, "warplab: host code touched device memory at 0x%lx (", addr);
        mem_describe(&line, addr);
        text_add(&line, "). Copy it with cudaMemcpy, or use cudaMallocManaged.\n");
        say(text_str(&line));
    }
    struct sigaction a = {.sa_handler = SIG_DFL};
    sigaction(signal, &a, NULL); /* returning repeats the access, which now ends the process */
}

void host_fault_install(void)
{
    struct sigaction old, a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    sigemptyset(&a.sa_mask);
    if (sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_handler == SIG_DFL &&
        !(old.sa_flags & SA_SIGINFO))
        sigaction(SIGSEGV, &a, NULL);
}
