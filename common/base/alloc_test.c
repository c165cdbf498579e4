/* alloc_test.c - buffers that are used again, in a process and in its children. */
#include "alloc.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void check_zero(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(p[i], 0, "byte %zu of %zu", i, n);
}

/* Of every size, each apart from the others, zeroed however often it was used. */
Test(alloc, large_buffers_are_apart_and_zeroed)
{
    enum { N = 12 };
    static const size_t sizes[N] = {0,      1,      100,    65535,   65536, 65537,
                                    200000, 200001, 131072, 5 << 20, 70000, 1 << 20};
    unsigned char *p[N];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            p[i] = large_zeroed(sizes[i]);
            check_zero(p[i], sizes[i]);
            memset(p[i], i + 1, sizes[i]);
        }
        for (int i = 0; i < N; i++) {
            for (size_t k = 0; k < sizes[i]; k++)
                cr_assert_eq(p[i][k], i + 1);
            large_free(p[i]);
        }
    }
    large_free(NULL);
}

/* What the parent freed is not there for the child: it takes its own. */
Test(alloc, a_child_has_large_buffers_of_its_own)
{
    int status = -1;

    large_free(memset(large_alloc(3 << 20), 7, 3 << 20));
    pid_t child = fork();
    if (child == 0) {
        unsigned char *p = large_zeroed(3 << 20);
        bool zero = !p[0] && !p[(3 << 20) - 1];
        memset(p, 1, 3 << 20);
        large_free(p);
        _exit(zero ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    unsigned char *p = large_zeroed(3 << 20);
    check_zero(p, 3 << 20);
    large_free(p);
}
