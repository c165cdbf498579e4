/* expect.h - what wrong.cu and right.cu share: buffers, and a list of findings to expect.
 *
 * The findings come from the emulator through warplabFinding(); without the emulator
 * the programs end with status 77 ("skipped").
 */
#ifndef EXPECT_H
#define EXPECT_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

/* Notes the line it stands on under a name. */
#define HERE(name) /* found by name in the source: see line_of() */

static int failures;
static void *buffers[16];
static int nbuffers;
static size_t checked; /* findings accounted for */

static size_t finding_count()
{
    auto f = (size_t(*)())dlsym(RTLD_DEFAULT, "warplabFindingCount");

    if (!f) {
        std::puts("not on the emulator: skipped");
        std::exit(77);
    }
    return f();
}

static const char *finding(size_t i)
{
    return ((const char *(*)(size_t))dlsym(RTLD_DEFAULT, "warplabFinding"))(i);
}

static int *allocate(size_t bytes)
{
    void *p = nullptr;

    if (cudaMalloc(&p, bytes) != cudaSuccess) {
        std::puts("cudaMalloc failed");
        std::exit(1);
    }
    return (int *)(buffers[nbuffers++ % 16] = p);
}

[[maybe_unused]] static int *unwritten(size_t bytes)
{
    return allocate(bytes);
}

[[maybe_unused]] static int *written(size_t bytes)
{
    int *p = allocate(bytes);

    cudaMemset(p, 0, bytes);
    return p;
}

/* The line of HERE(name) in the source. */
[[maybe_unused]] static int line_of(const char *file, const char *name)
{
    char line[512], mark[128];
    FILE *f = std::fopen(file, "r");
    int n = 0, found = 0;

    std::snprintf(mark, sizeof(mark), "HERE(%s)", name);
    while (f && std::fgets(line, sizeof(line), f) && !found) {
        n++;
        if (std::strstr(line, mark))
            found = n;
    }
    if (f)
        std::fclose(f);
    return found;
}

/* The launch just made gave this many findings, all of this kind, the first at the line. */
[[maybe_unused]] static void expect(const char *file, const char *name, const char *kind,
                                    size_t wanted)
{
    char line[64];

    cudaDeviceSynchronize();
    size_t n = finding_count() - checked;
    std::snprintf(line, sizeof(line), "\"line\":%d,", line_of(file, name));
    bool good = n == wanted && std::strstr(finding(checked), line);
    for (size_t i = 0; i < n; i++)
        good &= std::strstr(finding(checked + i), kind) != nullptr;
    if (!good) {
        std::printf("FAIL %s: expected %zu %s, %s got %zu\n", name, wanted, kind, line, n);
        for (size_t i = 0; i < n; i++)
            std::printf("    %s\n", finding(checked + i));
        failures++;
    } else {
        std::printf("ok   %s\n", name);
    }
    checked += n;
}

#define EXPECT(n, name, kind, ...)                                                                 \
    do {                                                                                           \
        __VA_ARGS__;                                                                               \
        expect(__FILE__, #name, kind, n);                                                          \
    } while (0)

/* No finding is left over; the exit status. */
static int expectations()
{
    cudaError_t e = cudaDeviceSynchronize();
    size_t n = finding_count();

    if (e != cudaSuccess)
        std::printf("FAIL %s\n", cudaGetErrorString(e)), failures++;
    for (int i = 0; i < nbuffers; i++)
        cudaFree(buffers[i]);
    for (; checked < n; checked++)
        std::printf("FAIL unexpected: %s\n", finding(checked)), failures++;
    std::printf("%d failures\n", failures);
    return failures != 0;
}

#endif
