/* edits_every.c - the small changes of a name, a type, a function or a number at all places of its
 * function at once (editing.h).
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

enum { EVERYWHERE = 4000 /* characters of a function */ };

/* Is word i what word `of` is, behind the same operator and operand? */
static bool stands_as(const struct scan *s, int i, int of)
{
    return word_same(s, i, of) && word_same(s, i - 1, of - 1) && word_same(s, i - 2, of - 2);
}

/* Each word from … to that stands as word i does, or all that are the same, as `name`. For free();
 * NULL: it is one alone. */
static char *everywhere(const struct scan *s, int from, int to, int i, const char *name, bool all)
{
    struct text t = {0};
    size_t at = s->v[from].at;
    int n = 0;

    for (int k = from; k <= to; k++) {
        if (all ? !word_same(s, k, i) : !stands_as(s, k, i))
            continue;
        text_bytes(&t, s->text + at, s->v[k].at - at);
        text_add(&t, name);
        at = s->v[k].at + s->v[k].length;
        n++;
    }
    text_bytes(&t, s->text + at, s->v[to].at + s->v[to].length - at);
    if (n > 1)
        return text_take(&t);
    text_free(&t);
    return NULL;
}

static void change_all(struct scan *s, int i, int last, char *with, const char *name, bool all)
{
    char *was = all ? words_text(s, i, i) : words_text(s, i - 2, i),
         *before = all ? xstrdup("") : words_text(s, i - 2, i - 1);

    change(s, i, last, with);
    change_told(s, xformat("with \"%s%s%s\" in place of \"%s\", here and in the rest "
                           "of the function,",
                           before, all ? "" : " ", name, was));
    free(was);
    free(before);
}

/* Where it stands so for the last time in its function; -1: it does before word i. */
static int last_such(const struct scan *s, int i, bool all)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int last = i;

    for (int k = in->open; k < in->end; k++) {
        if (all ? !word_same(s, k, i) : !stands_as(s, k, i))
            continue;
        if (k < i)
            return -1;
        last = k;
    }
    return s->v[last].at - s->v[i].at < EVERYWHERE ? last : -1;
}

/* a * n, wherever that is: with another name of its function. */
static void name_everywhere(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];

    if (!word_is_plain(s, i) || word_is_array(s, i) ||
        !word_is_any(s, i - 1, (const char *const[]){"*", "/", "%", "<", NULL}) ||
        !word_is_binary(s, i - 1))
        return;
    int last = last_such(s, i, false);
    for (int k = in->first; k < in->end && last > i; k++) {
        bool known = word_same(s, k, i) || !word_is_plain(s, k) || word_is_array(s, k);

        for (int before = in->first; before < k && !known; before++)
            known = word_same(s, before, k) && word_is_plain(s, before);
        char *name = known ? NULL : words_text(s, k, k),
             *with = name ? everywhere(s, i, last, i, name, false) : NULL;
        if (with)
            change_all(s, i, last, with, name, false);
        free(name);
    }
}

/* Word i, where it is the first of a pair, as the second, at all places of its function. */
static void each_pair(struct scan *s, int i, const char *const pairs[][2], size_t n)
{
    for (size_t k = 0; k < n; k++) {
        int last = word_is(s, i, pairs[k][0]) ? last_such(s, i, true) : -1;
        char *with = last > i ? everywhere(s, i, last, i, pairs[k][1], true) : NULL;

        if (with)
            change_all(s, i, last, with, pairs[k][1], true);
    }
}

/* The functions that are taken for each other, at all calls. */
static void function_everywhere(struct scan *s, int i)
{
    static const char *const pairs[][2] = {
        {"__mulhi", "__umulhi"}, {"__shfl_up_sync", "__shfl_down_sync"},
        {"sqrtf", "rsqrtf"},     {"__shfl_down_sync", "__shfl_up_sync"},
        {"expf", "exp2f"},       {"fminf", "fmaxf"},
        {"fmaxf", "fminf"},      {"min", "max"},
        {"max", "min"},          {"logf", "log2f"},
        {"log2f", "logf"},       {"atomicInc", "atomicAdd"}};

    if (word_is(s, i + 1, "("))
        each_pair(s, i, pairs, sizeof(pairs) / sizeof(pairs[0]));
}

/* Types that hold other numbers, or the same as others. */
static void type_everywhere(struct scan *s, int i)
{
    static const char *const pairs[][2] = {
        {"uint4", "float4"}, {"int4", "float4"}, {"double", "float"},    {"float", "double"},
        {"int", "unsigned"}, {"char", "int"},    {"unsigned", "size_t"}, {"short", "int"}};

    each_pair(s, i, pairs, sizeof(pairs) / sizeof(pairs[0]));
}

enum { COMMON = 2 }; /* so small a number stands for many things */

/* 4 at all places of its function: one more, one less, twice or half as much. */
static void number_everywhere(struct scan *s, int i)
{
    char *end, *was = words_text(s, i, i);
    long n = strtol(was, &end, 10), others[] = {n + 1, n - 1, 2 * n, n / 2};
    bool whole = word_kind(s, i) == NUMBER && n > COMMON && n < 1 << 16 && !*end;
    int last = whole ? last_such(s, i, true) : -1;

    free(was);
    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]) && last > i; k++) {
        char *other = xformat("%ld", others[k]), *with = everywhere(s, i, last, i, other, true);

        if (with)
            change_all(s, i, last, with, other, true);
        free(other);
    }
}

/* blockIdx.x * w, or gridDim.x * w, where w is word i: a number or a name. */
static bool is_of_blocks(const struct scan *s, int i)
{
    bool of = word_is(s, i - 4, "blockIdx") || word_is(s, i - 4, "gridDim");
    bool one = word_kind(s, i) == NUMBER || (word_is_plain(s, i) && !word_is_array(s, i));

    return i > 4 && of && one && word_is(s, i - 1, "*") && word_is(s, i - 3, ".") &&
           !word_is_any(s, i + 1, (const char *const[]){"(", ".", "[", NULL});
}

/* The threads of a block as a constant, which holds in blocks of one size alone. */
static void threads_of_block(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    bool set = word_kind(s, i) == NUMBER && word_is(s, i - 1, "=") && word_is_declared(s, i - 2);
    int of = set ? i - 2 : i, first = -1, last = -1;
    struct text t = {0};

    if (!set && !is_of_blocks(s, i))
        return;
    for (int k = in->open; k < in->end; k++) {
        if (!word_same(s, k, of) || !is_of_blocks(s, k))
            continue;
        first = first < 0 ? k : first;
        last = k;
    }
    if (!set && set_to(s, i) >= 0 && word_kind(s, set_to(s, i)) == NUMBER)
        return; /* where it is set */
    if (first < 0 || (!set && first != i) || s->v[last].at - s->v[first].at >= EVERYWHERE)
        return;
    char *axis = words_text(s, first - 2, first - 2), *was = words_text(s, of, of);
    size_t at = s->v[i].at;
    for (int k = first; k <= last && !set; k++) {
        if (!word_same(s, k, of) || !is_of_blocks(s, k))
            continue;
        text_bytes(&t, s->text + at, s->v[k].at - at);
        text_addf(&t, "blockDim.%s", axis);
        at = s->v[k].at + s->v[k].length;
    }
    if (set)
        change(s, i, i, xformat("blockDim.%s", axis));
    else
        change(s, i, last, text_take(&t));
    if (!set && last > i)
        change_told(s, xformat("with \"blockDim.%s\" in place of \"%s\", here and in the rest of "
                               "the function,",
                               axis, was));
    text_free(&t);
    free(axis);
    free(was);
}

static way *const everywhere_ways[] = {function_everywhere, type_everywhere, number_everywhere,
                                       name_everywhere};
const struct ways every_ways = {everywhere_ways,
                                sizeof(everywhere_ways) / sizeof(everywhere_ways[0])};

static way *const block_of_threads[] = {threads_of_block};
const struct ways block_ways = {block_of_threads, 1};
