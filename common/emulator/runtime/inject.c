/* inject.c - calls that are made to fail, for programs to show what they do then.
 *
 * WARPLAB_FAIL=cudaMalloc:2,cudaMemcpy:1=cudaErrorInvalidValue (warprun --fail): the second
 * cudaMalloc and the first cudaMemcpy of the program return an error and do nothing. Calls are
 * counted as rt_enter() sees them, those of all threads together. "back:17" lets nothing fail, but
 * the 17th word of 32 bits that is copied from the device to the host come back wrong; of the first
 * such copy, "back:slight" lets the float that is furthest from 0 come back a thousandth off,
 * "back:nan" the same one as no number, "back:infinite" as an infinity, "back:huge" as 1e30,
 * "back:sign" with the other sign, "back:small" the one that is nearest to 0 as 1 more,
 * "back:below" as 1 less, "back:swapped" its first and last word in each other's place: a sum does
 * not notice, and "back:many" as many words wrong as the greatest power of 2 that it has: a count
 * of few bits has none. "back:zero" lets all of that copy be 0, as of memory that nobody wrote. Of
 * errors that make each other up "back:17=evened" has eight, in the floats from the 17th word on:
 * even() says which sums do not notice; "back:17=78" two, words 17 and 78 in each other's place.
 * "late" lets nothing fail: copies and kernels are done where something waits for them (hold.c). A
 * name that the runtime does not have, or an error that there is not, ends the program: a typing
 * error must not look like a program that nothing can shake.
 */
#include "cudart.h"
#include "hold.h"
#include <dlfcn.h>
#include <math.h>
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
static enum {
    ONE_WORD,
    SLIGHT,
    NO_NUMBER,
    INFINITE,
    HUGE_NUMBER,
    OTHER_SIGN,
    SMALL,
    BELOW,
    MANY,
    ZERO,
    SWAPPED,
    EVENED,
    EXCHANGED
} how;                   /* of the first copy, but those that say which word */
static uint64_t partner; /* EXCHANGED: the other word */

static const char *const ways[] = {[ONE_WORD] = "",
                                   [SLIGHT] = "back:slight",
                                   [NO_NUMBER] = "back:nan",
                                   [INFINITE] = "back:infinite",
                                   [HUGE_NUMBER] = "back:huge",
                                   [OTHER_SIGN] = "back:sign",
                                   [SMALL] = "back:small",
                                   [BELOW] = "back:below",
                                   [MANY] = "back:many",
                                   [ZERO] = "back:zero",
                                   [SWAPPED] = "back:swapped",
                                   [EVENED] = "evened"};

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

/* "evened" or another word's number. */
static void spoil_with(unsigned which, const char *with, const char *whole)
{
    char *end;

    spoiled = which;
    how = strcmp(with, ways[EVENED]) ? EXCHANGED : EVENED;
    partner = how == EXCHANGED ? strtoull(with, &end, 10) : 0;
    if (how == EXCHANGED && (*end || *with < '0' || *with > '9' || !partner || partner == which))
        refuse(whole, "neither evened nor another word's number");
}

static void add(char *word)
{
    if (!strcmp(word, "late")) {
        hold_be_late();
        return;
    }
    struct fault *f = xzalloc(sizeof(*f));
    char *whole = xstrdup(word), *error = strchr(word, '='), *call, *end = "";

    if (error)
        *error++ = '\0';
    call = strchr(word, ':');
    if (call)
        *call++ = '\0';
    for (int k = SLIGHT; k <= SWAPPED; k++)
        if (!strcmp(whole, ways[k])) {
            how = k;
            spoiled = 1;
            free(whole), free(f);
            return;
        }
    f->call = call ? (unsigned)strtoul(call, &end, 10) : 1;
    if (*end || f->call == 0 || (call && (*call < '0' || *call > '9')))
        refuse(whole, "which call is not a number from 1 on");
    if (!strcmp(word, "back") && call) {
        if (error)
            spoil_with(f->call, error, whole);
        else
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

static void change_word(char *at, uint32_t bits)
{
    uint32_t word;

    memcpy(&word, at, 4);
    word ^= bits;
    memcpy(at, &word, 4);
}

/* NaN is not further from 0 than anything. */
static size_t furthest_from_0(const char *floats, size_t n)
{
    size_t found = 0;
    float most = -1, f;

    for (size_t i = 0; i < n; i++) {
        memcpy(&f, floats + 4 * i, 4);
        if (fabsf(f) > most)
            most = fabsf(f), found = i;
    }
    return found;
}

/* Asked for a relative difference alone, who leaves out what is near 0 does not look at it. */
static void add_to_nearest_0(char *floats, size_t n, float by)
{
    size_t found = 0;
    float least = INFINITY, f;

    for (size_t i = 0; i < n; i++) {
        memcpy(&f, floats + 4 * i, 4);
        if (fabsf(f) < least)
            least = fabsf(f), found = i;
    }
    memcpy(&f, floats + 4 * found, 4);
    memcpy(floats + 4 * found, &(float){f + by}, 4);
}

static void swap(char *word, char *other)
{
    char kept[4];

    memcpy(kept, word, 4);
    memmove(word, other, 4);
    memcpy(other, kept, 4);
}

/* Of the n floats, the first eight, or 4, 2, 1: as in a mirror, 0 there being what lies across
 * signs
 * + - - + - + + -. Their sum stays, that of their squares, and those with weights that are the same
 * in all, or go by the place or its square. */
static void even(char *floats, size_t n)
{
    enum { MOST = 8 };
    size_t many = MOST;
    float f[MOST];
    double along = 0;

    while (many > n)
        many /= 2;
    memcpy(f, floats, 4 * many);
    for (size_t i = 0; i < many; i++)
        along += __builtin_parity((unsigned)i) ? -f[i] : f[i];
    double by = -2 * along / (double)many;
    by = fabs(by) < 1 ? 1 : by; /* to be seen, if the squares are, too */
    for (size_t i = 0; i < many; i++)
        f[i] = (float)(f[i] + (__builtin_parity((unsigned)i) ? -by : by));
    memcpy(floats, f, 4 * many);
}

/* Sign and half of the mantissa: another number, and one that can be computed with. */
static const uint32_t wrong_bits = 0x80400000;

static void change_many(char *words, size_t n)
{
    size_t many = 1;

    while (2 * many <= n)
        many *= 2;
    for (size_t i = 0; i < many; i++)
        change_word(words + 4 * i, wrong_bits);
}

/* Of a slight fault the mantissa's 2^-10. */
void inject_back(void *to, size_t bytes)
{
    uint64_t from = atomic_fetch_add(&copied_back, bytes), at = 4 * (spoiled - 1);

    if (!spoiled || at < from || at + 4 > from + bytes)
        return;
    if (how == SLIGHT)
        change_word((char *)to + 4 * furthest_from_0(to, bytes / 4), 1u << 13);
    else if (how == NO_NUMBER)
        memcpy((char *)to + 4 * furthest_from_0(to, bytes / 4), &(float){NAN}, 4);
    else if (how == INFINITE)
        memcpy((char *)to + 4 * furthest_from_0(to, bytes / 4), &(float){INFINITY}, 4);
    else if (how == HUGE_NUMBER)
        memcpy((char *)to + 4 * furthest_from_0(to, bytes / 4), &(float){1e30f}, 4);
    else if (how == OTHER_SIGN)
        change_word((char *)to + 4 * furthest_from_0(to, bytes / 4), 1u << 31);
    else if (how == MANY)
        change_many(to, bytes / 4);
    else if (how == ZERO)
        memset(to, 0, bytes);
    else if (how == SMALL || how == BELOW)
        add_to_nearest_0(to, bytes / 4, how == SMALL ? 1 : -1);
    else if (how == SWAPPED)
        swap(to, (char *)to + 4 * (bytes / 4 - 1));
    else if (how == EVENED)
        even((char *)to + (at - from), (bytes - (at - from)) / 4);
    else if (how == EXCHANGED && 4 * (partner - 1) >= from && 4 * partner <= from + bytes)
        swap((char *)to + (at - from), (char *)to + (4 * (partner - 1) - from));
    else /* nor is there a partner in another copy */
        change_word((char *)to + (at - from), wrong_bits);
    record_add("", "made_wrong", 1);
    if (how == ONE_WORD)
        fprintf(stderr, "warplab: word %llu that came back from the device: made wrong\n",
                (unsigned long long)spoiled);
    else
        fprintf(stderr, "warplab: %s that came back from the device: made wrong\n",
                how == SWAPPED                 ? "the first and the last word"
                : how == MANY                  ? "a power of 2 of words"
                : how == ZERO                  ? "all"
                : how == EVENED                ? "some floats, by errors that make each other up,"
                : how == EXCHANGED             ? "a word and another"
                : how == SMALL || how == BELOW ? "the float nearest to 0"
                                               : "the float furthest from 0");
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
