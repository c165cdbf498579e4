/* inject.c - calls that are made to fail, for programs to show what they do then.
 *
 * WARPLAB_FAIL=cudaMalloc:2,cudaMemcpy:1=cudaErrorInvalidValue (warprun --fail): the second
 * cudaMalloc and the first cudaMemcpy of the program return an error and do nothing. Calls are
 * counted as rt_enter() sees them, those of all threads together. "back:17" lets nothing fail, but
 * the 17th word of 32 bits that is copied from the device to the host come back wrong. A name that
 * the runtime does not have, or an error that there is not, ends the program: a typing error must
 * not look like a program that nothing can shake.
 */
#include "cudart.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fault {
    struct fault *next;
    char *name;
    unsigned call; /* this one fails, counted from 1 */
    atomic_uint calls;
    cudaError_t error;
};

static struct fault *faults;
static atomic_uint_fast64_t spoiled, copied_back; /* which word is to be wrong, 0: none; bytes */

static _Noreturn void refuse(const char *word, const char *why)
{
    fprintf(stderr,
            "warplab: WARPLAB_FAIL: %s: %s. Write cudaMalloc:2 for the second cudaMalloc, or "
            "cudaMalloc:2=cudaErrorMemoryAllocation; several with commas\n",
            word, why);
    _exit(2);
}

/* What such a call fails with on a GPU, most often. */
static cudaError_t usual_error(const char *name)
{
    if (strstr(name, "Alloc") || !strncmp(name, "cudaMalloc", 10))
        return cudaErrorMemoryAllocation;
    if (strstr(name, "Launch"))
        return cudaErrorLaunchOutOfResources;
    return cudaErrorUnknown;
}

static void add(char *word)
{
    struct fault *f = xzalloc(sizeof(*f));
    char *whole = xstrdup(word), *error = strchr(word, '='), *call, *end = "";

    if (error)
        *error++ = '\0';
    call = strchr(word, ':');
    if (call)
        *call++ = '\0';
    f->call = call ? (unsigned)strtoul(call, &end, 10) : 1;
    if (*end || f->call == 0 || (call && (*call < '0' || *call > '9')))
        refuse(whole, "which call is not a number from 1 on");
    if (!strcmp(word, "back") && call && !error) {
        spoiled = f->call;
        free(whole), free(f);
        return;
    }
    if (strncmp(word, "cuda", 4) || !dlsym(RTLD_DEFAULT, word))
        refuse(whole, "the CUDA runtime has no function of that name");
    f->error = error ? rt_error_named(error) : usual_error(word);
    if (error && f->error == cudaSuccess)
        refuse(whole, "there is no error of that name");
    f->name = xstrdup(word);
    f->next = faults;
    faults = f;
    free(whole);
}

void inject_start(void)
{
    const char *text = emu_options()->fail;
    char *words = xstrdup(text ? text : ""), *rest = words;

    for (char *word; (word = strsep(&rest, ","));)
        if (*word)
            add(word);
    free(words);
}

cudaError_t inject(const char *function)
{
    for (struct fault *f = faults; f; f = f->next)
        if (!strncmp(function, f->name, strlen(f->name)) &&
            (!function[strlen(f->name)] || function[strlen(f->name)] == '_') &&
            atomic_fetch_add(&f->calls, 1) + 1 == f->call) {
            record_add("", "made_to_fail", 1);
            fprintf(stderr, "warplab: %s, call %u: made to fail with %s\n", f->name, f->call,
                    cudaGetErrorName(f->error));
            return f->error;
        }
    return cudaSuccess;
}

/* Sign and half of the mantissa: another number, and one that can be computed with. */
void inject_back(void *to, size_t bytes)
{
    uint64_t from = atomic_fetch_add(&copied_back, bytes), at = 4 * (spoiled - 1);
    uint32_t word;

    if (!spoiled || at < from || at + 4 > from + bytes)
        return;
    memcpy(&word, (char *)to + (at - from), 4);
    word ^= 0x80400000;
    memcpy((char *)to + (at - from), &word, 4);
    record_add("", "made_wrong", 1);
    fprintf(stderr, "warplab: word %llu that came back from the device: made wrong\n",
            (unsigned long long)spoiled);
}

void inject_finish(void)
{
    if (spoiled && atomic_load(&copied_back) < 4 * spoiled)
        fprintf(stderr, "warplab: back:%llu was not made wrong: %llu bytes came back\n",
                (unsigned long long)spoiled, (unsigned long long)atomic_load(&copied_back));
    for (struct fault *f = faults; f; f = f->next)
        if (atomic_load(&f->calls) < f->call)
            fprintf(stderr,
                    "warplab: %s:%u was not made to fail: %u calls of it were seen (functions that "
                    "only ask are not)\n",
                    f->name, f->call, atomic_load(&f->calls));
}
