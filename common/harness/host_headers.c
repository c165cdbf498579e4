/* host_headers.c - headers of host code, by what stands in for them (host_headers.h). */
#include "host_headers.h"

#include <string.h>

static const struct {
    const char *names, *advice;
} rows[] = {
    /* headers, what to use in a kernel */
    {"vector list deque forward_list", "use an array of fixed size, or <array>"},
    {"stack queue", "use an array and an index"},
    {"map set unordered_map unordered_set", "use an array, sorted or indexed by the key"},
    {"string string_view cwchar wchar.h cuchar uchar.h", "use char arrays; printf() writes them"},
    {"iostream ostream istream iomanip sstream fstream ios iosfwd streambuf format print "
     "syncstream strstream",
     "use printf(), which needs no header"},
    {"memory memory_resource scoped_allocator",
     "use pointers, or arrays on the stack and in shared memory"},
    {"thread mutex shared_mutex condition_variable future semaphore latch barrier stop_token "
     "pthread.h threads.h omp.h",
     "use __syncthreads() and atomicAdd(), or <cuda/barrier>"},
    {"atomic stdatomic.h", "use atomicAdd() and its like, or <cuda/atomic>"},
    {"chrono sys/time.h", "use clock64(), which needs no header"},
    {"random", "write the generator as a function of its own"},
    {"exception stdexcept system_error cerrno errno.h csignal signal.h csetjmp setjmp.h",
     "use assert(), as device code has no exceptions"},
    {"typeinfo typeindex any", "use templates and <type_traits>"},
    {"cctype ctype.h cwctype wctype.h locale clocale locale.h codecvt",
     "compare characters: c >= '0' && c <= '9'"},
    {"regex charconv", "write the loop yourself"},
    {"filesystem unistd.h fcntl.h sys/types.h sys/stat.h",
     "leave it out, as a kernel has no files"},
    {"valarray", "use an array and a loop"},
    {"cfenv fenv.h", "use __fadd_rz() and its like, which have the rounding in their names"},
    {"cstdarg stdarg.h", "use a template with a parameter pack"},
    {"tgmath.h complex.h ccomplex ctgmath", "use <cmath> and <complex>"},
    {"execution ranges coroutine generator stacktrace source_location compare expected mdspan",
     "write it out as a loop"},
};

static int has_word(const char *words, const char *name, size_t length)
{
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");

        if (n == length && !strncmp(at, name, n))
            return 1;
        at += n;
    }
    return 0;
}

const char *host_header(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (has_word(rows[i].names, name, length))
            return rows[i].advice;
    return NULL;
}
