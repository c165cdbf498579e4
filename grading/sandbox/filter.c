/* filter.c - see filter.h: what a compiler and an interpreter need; everything else is EPERM. */
#include "filter.h"
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NAMESPACES = 0x7e020080 }; /* clone()'s flags that make one, CLONE_NEW… */

static const char *const allowed[] = {
    "read",
    "write",
    "readv",
    "writev",
    "pread64",
    "pwrite64",
    "open",
    "openat",
    "close",
    "close_range",
    "lseek",
    "stat",
    "fstat",
    "lstat",
    "newfstatat",
    "statx",
    "access",
    "faccessat",
    "faccessat2",
    "readlink",
    "readlinkat",
    "getdents64",
    "getcwd",
    "chdir",
    "fcntl",
    "dup",
    "dup2",
    "dup3",
    "pipe",
    "pipe2",
    "poll",
    "ppoll",
    "select",
    "pselect6",
    "epoll_create1",
    "epoll_ctl",
    "epoll_wait",
    "eventfd2",
    "ftruncate",
    "fallocate",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rename",
    "renameat",
    "renameat2",
    "fsync",
    "fdatasync",
    "statfs",
    "fstatfs",
    "umask",
    "flock",
    "mmap",
    "munmap",
    "mprotect",
    "mremap",
    "madvise",
    "mlock",
    "munlock",
    "brk",
    "msync",
    "mincore",
    "memfd_create",
    "membarrier",
    "rseq",
    "futex",
    "set_robust_list",
    "get_robust_list",
    "set_tid_address",
    "gettid",
    "getpid",
    "getppid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getresuid",
    "getresgid",
    "getpgrp",
    "getpgid",
    "getsid",
    "sched_yield",
    "sched_getaffinity",
    "sched_setaffinity",
    "sched_getparam",
    "sched_getscheduler",
    "sched_get_priority_max",
    "sched_get_priority_min",
    "getpriority",
    "clock_gettime",
    "clock_getres",
    "clock_nanosleep",
    "nanosleep",
    "gettimeofday",
    "time",
    "times",
    "getrusage",
    "getrlimit",
    "prlimit64",
    "sysinfo",
    "uname",
    "getcpu",
    "getrandom",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "rt_sigsuspend",
    "rt_sigpending",
    "rt_sigtimedwait",
    "sigaltstack",
    "tgkill",
    "exit",
    "exit_group",
    "arch_prctl",
    "prctl",
    "execve",
    "wait4",
    "restart_syscall",
    "ioctl",
    "get_mempolicy",
    "mbind",
    "set_mempolicy",
    "timer_create",
    "timer_settime",
    "timer_delete",
    "setitimer",
    "getitimer",
    "alarm",
    "pause",
};

/* NVIDIA's driver library listens on a local socket for others that want its descriptors; in
 * the box's own network namespace nobody is there to connect. */
static const char *const allowed_gpu[] = {
    "bind",        "listen",     "accept",     "accept4",     "connect", "getsockname",
    "getpeername", "setsockopt", "getsockopt", "sendmsg",     "recvmsg", "shutdown",
    "capget",      "fadvise64",  "mlock2",     "epoll_pwait",
};

static int allow_all(scmp_filter_ctx c, const char *const *names, size_t n)
{
    int e = 0;
    for (size_t i = 0; i < n; i++) {
        int number = seccomp_syscall_resolve_name(names[i]);
        if (number >= 0) /* not every machine has every call */
            e |= seccomp_rule_add(c, SCMP_ACT_ALLOW, number, 0);
    }
    return e;
}

/* Where more than one process may be; and what compilers do beyond. */
static const char *const allowed_processes[] = {"fork", "vfork", "waitid"};
static const char *const allowed_tools[] = {"chmod", "fchmod", "fchmodat"};

static scmp_filter_ctx rules_of(const struct box_spec *s)
{
    bool gpu = s->gpu, traced = s->traced, processes = s->processes || s->tools;
    scmp_filter_ctx c = seccomp_init(traced ? SCMP_ACT_TRAP : SCMP_ACT_ERRNO(EPERM));
    if (!c)
        return NULL;
    int e = allow_all(c, allowed, sizeof(allowed) / sizeof(allowed[0]));
    if (gpu) {
        e |= allow_all(c, allowed_gpu, sizeof(allowed_gpu) / sizeof(allowed_gpu[0]));
        for (int call = 0; call < 2; call++)
            e |= seccomp_rule_add(c, SCMP_ACT_ALLOW, call ? SCMP_SYS(socketpair) : SCMP_SYS(socket),
                                  1, SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
    }
    /* Threads yes, processes no; clone3 hides its flags behind a pointer, so glibc is told
     * that there is none and falls back to clone. */
    e |= seccomp_rule_add(c, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                          processes ? SCMP_A0(SCMP_CMP_MASKED_EQ, NAMESPACES, 0)
                                    : SCMP_A0(SCMP_CMP_MASKED_EQ, 0x10000, 0x10000));
    if (processes)
        e |= allow_all(c, allowed_processes,
                       sizeof(allowed_processes) / sizeof(allowed_processes[0]));
    if (s->tools)
        e |= allow_all(c, allowed_tools, sizeof(allowed_tools) / sizeof(allowed_tools[0]));
    e |= seccomp_rule_add(c, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    if (!e)
        return c;
    seccomp_release(c);
    return NULL;
}

/* False: it cannot be had. */
static bool export(const struct box_spec *s, struct text *t)
{
    scmp_filter_ctx c = rules_of(s);
    int fd = c ? memfd_create("seccomp", MFD_CLOEXEC) : -1;
    char *bytes = NULL;
    size_t n;
    bool ok = fd >= 0 && !seccomp_export_bpf(c, fd) && !lseek(fd, 0, SEEK_SET) &&
              !file_read_fd(fd, 1 << 20, &bytes, &n);
    if (ok)
        text_bytes(t, bytes, n);
    free(bytes);
    if (fd >= 0)
        close(fd);
    if (c)
        seccomp_release(c);
    return ok;
}

/* There are few kinds of boxes, and a program takes longer to make than a file. */
int filter_of(const struct box_spec *s)
{
    static struct text made[16];
    struct text *t = &made[(s->gpu ? 1 : 0) + 2 * s->traced + 4 * s->processes + 8 * s->tools];
    int fd = t->length || export(s, t) ? memfd_create("seccomp", MFD_CLOEXEC) : -1;
    if (fd < 0 || (write(fd, t->s, t->length) == (ssize_t)t->length && !lseek(fd, 0, SEEK_SET)))
        return fd;
    close(fd);
    return -1;
}
