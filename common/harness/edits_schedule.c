/* edits_schedule.c - small changes of a SCHEDULE (edits.h): those of any statement, and steps that
 * it may lack, which are for the same chunks, or events, as one that it has.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

/* The block of SCHEDULE(name); -1: none. */
static int block_of(const struct scan *s, const char *name)
{
    for (int b = 0; b < s->nblocks; b++) {
        int i = s->blocks[b].first;

        if (word_is(s, i, "SCHEDULE") && word_is(s, i + 2, name))
            return b;
    }
    return -1;
}

/* s.kernel(stream, i); which word i begins: the bracket that closes; -1: it is no step. */
static int step_end(const struct scan *s, int i)
{
    int close = word_is(s, i + 1, ".") && word_is(s, i + 3, "(") ? word_match(s, i + 3, 1) : -1;

    return word_kind(s, i) == NAME && close > 0 && word_is(s, close + 1, ";") ? close : -1;
}

/* The last word of the argument that begins with word i, before `close`. */
static int argument_end(const struct scan *s, int i, int close)
{
    while (i < close && !word_is(s, i, ","))
        i = word_is(s, i, "(") ? word_match(s, i, 1) + 1 : i + 1;
    return i - 1;
}

/* "s.wait(1, " of the step that word i begins, with another verb and stream, for free(). */
static char *step_like(const struct scan *s, int i, const char *verb, const char *stream)
{
    int close = step_end(s, i), behind = argument_end(s, i + 4, close) + 1;
    char *object = words_text(s, i, i), *rest = words_text(s, behind, close),
         *first = words_text(s, i + 4, behind - 1),
         *step = xformat("%s.%s(%s%s;", object, verb, stream ? stream : first, rest);

    free(object);
    free(rest);
    free(first);
    return step;
}

/* Takes `with`, the step that is put in before the one of words i to close, or behind it. */
static void put_in(struct scan *s, int i, int close, char *with, bool before)
{
    char *was = words_text(s, i, close + 1);

    change(s, i, close + 1, before ? xformat("%s %s", with, was) : xformat("%s %s", was, with));
    change_told(s, xformat("with \"%s\" %s \"%s\"", with, before ? "before" : "behind", was));
    free(was);
    free(with);
}

/* The kernel's copies, and what adds up; each for a chunk. */
static void chunk_step(struct scan *s, int i)
{
    static const char *const verbs[] = {"copy_in", "kernel", "copy_out", "sum", "gather", NULL};
    int close = step_end(s, i);

    for (int k = 0; close > 0 && word_is_any(s, i + 2, verbs) && verbs[k]; k++) {
        if (word_is(s, i + 2, verbs[k]))
            continue;
        put_in(s, i, close, step_like(s, i, verbs[k], NULL), true);
        put_in(s, i, close, step_like(s, i, verbs[k], NULL), false);
    }
}

/* A wait for an event that is recorded, of any other stream that it has; a record of one that is
 * waited for. */
static void event_step(struct scan *s, int i)
{
    int close = step_end(s, i), b = s->v[i].block, found[16], n = 0;
    bool wait = word_is(s, i + 2, "wait"), event = wait || word_is(s, i + 2, "record");

    for (int k = s->blocks[b].open; close > 0 && event && k < s->blocks[b].end && n < 16; k++) {
        int stream = k + 4;

        if (step_end(s, k) < 0 || !word_is(s, stream + 1, ",") || word_same(s, stream, i + 4) ||
            !word_is_new(s, stream, found, n))
            continue;
        found[n++] = stream;
        char *text = words_text(s, stream, stream);
        put_in(s, i, close, step_like(s, i, wait ? "record" : "wait", text), wait);
        free(text);
    }
}

/* The variable of the innermost loop that word i is in; -1: it is in none. */
static int loop_variable(const struct scan *s, int i)
{
    for (int k = i - 1; k > s->blocks[s->v[i].block].open; k--) {
        int close = word_is(s, k, "for") ? word_match(s, k + 1, 1) : -1, name = k + 2;

        if (close < 0 || close > i || body_end(s, close + 1) < i)
            continue;
        while (name < close && !word_is(s, name + 1, "="))
            name++;
        return name < close && word_kind(s, name) == NAME ? name : -1;
    }
    return -1;
}

/* Is word i one of the words from a to b? */
static bool is_among(const struct scan *s, int i, int a, int b)
{
    bool is = false;

    for (int k = a; k <= b && i >= 0; k++)
        is |= word_same(s, k, i);
    return is;
}

/* Another number for the event that is recorded with words `from` on, of a step that `close` ends,
 * and waited for with words at to last - 1. */
static void number_event(struct scan *s, int from, int close, int at, int last, const char *number)
{
    char *between = words_text(s, close, at - 1);

    change(s, from, last - 1, xformat("%s%s %s", number, between, number));
    change_told(s, xformat("with numbers of its own for the event, as \"%s\", here and on line %d,",
                           number, s->v[at].line));
    free(between);
}

/* An event that is recorded here and waited for there, where others may have the same numbers: more
 * than all chunks, or that of the round alone, in both. */
static void events_apart(struct scan *s, int i)
{
    int close = step_end(s, i), end = s->blocks[s->v[i].block].end,
        from = close > 0 && word_is(s, i + 2, "record") ? argument_end(s, i + 4, close) + 2 : close;
    char *event = from < close ? words_text(s, from, close - 1) : NULL;

    for (int k = close + 2; event && k < end; k++) {
        int last = step_end(s, k), at = last > 0 ? argument_end(s, k + 4, last) + 2 : -1;
        char *other =
            at > 0 && at < last && word_is(s, k + 2, "wait") ? words_text(s, at, last - 1) : NULL;

        if (other && !strcmp(event, other)) {
            char *object = words_text(s, i, i), *own = xformat("%s.chunks + %s", object, event),
                 *round = strstr(event, " % ");
            number_event(s, from, close, at, last, own);
            if (round) {
                free(own);
                own = xformat("%.*s", (int)(round - event), event);
                number_event(s, from, close, at, last, own);
            }
            free(own);
            free(object);
            k = end;
        }
        free(other);
    }
    free(event);
}

/* Stream and chunk or event of the step that word i begins, as another step has them; but not one
 * for all rounds of a loop. */
static void argument_as(struct scan *s, int i)
{
    int close = step_end(s, i), b = s->v[i].block, from = i + 4;

    for (int n = 0; close > 0 && n < 2 && from < close; n++) {
        int to = argument_end(s, from, close);
        char *was = words_text(s, from, to);
        int loop = n ? loop_variable(s, i) : -1, variable = is_among(s, loop, from, to) ? loop : -1;

        for (int k = s->blocks[b].open; k < s->blocks[b].end; k++) {
            int end = step_end(s, k), at = k + 4;

            if (end > 0 && n)
                at = argument_end(s, at, end) + 2;
            int last = end > 0 && at < end ? argument_end(s, at, end) : -1;
            char *is = last >= 0 && (variable < 0 || is_among(s, variable, at, last))
                           ? words_text(s, at, last)
                           : NULL;
            if (is && strcmp(was, is) != 0) {
                char *before = words_text(s, i, from - 1), *behind = words_text(s, to + 1, close);

                change(s, from, to, xstrdup(is));
                change_told(s,
                            xformat("with \"%s%s%s%s\" in place of \"%s%s%s%s\"", before,
                                    n ? " " : "", is, behind, before, n ? " " : "", was, behind));
                free(before);
                free(behind);
            }
            free(is);
        }
        free(was);
        from = to + 2;
    }
}

/* The variable of an event's number, and what is added to it there, as the chunk of the step beside
 * has them: "done + t - 2" where that is "t - 2". */
static void event_beside(struct scan *s, int i)
{
    int close = step_end(s, i), steps[2] = {close + 2, -1};
    bool event = word_is(s, i + 2, "wait") || word_is(s, i + 2, "record");

    for (int k = i - 1; close > 0 && k > i - 40 && k > 0 && steps[1] < 0; k--)
        steps[1] = step_end(s, k) == i - 2 ? k : -1;
    for (int n = 0; close > 0 && event && n < 2; n++) {
        int end = steps[n] < 0 ? -1 : step_end(s, steps[n]),
            from = end < 0 ? -1 : argument_end(s, steps[n] + 4, end) + 2;

        if (end < 0 || from >= end || word_kind(s, from) != NAME ||
            word_is_any(s, steps[n] + 2, (const char *const[]){"wait", "record", NULL}))
            continue;
        for (int k = argument_end(s, i + 4, close) + 2; k < close; k++) {
            bool more = word_is(s, k + 1, "+") || word_is(s, k + 1, "-");
            int to = more && word_kind(s, k + 2) == NUMBER ? k + 2 : k;

            if (!word_same(s, k, from))
                continue;
            char *before = words_text(s, i, k - 1), *chunk = words_text(s, from, end - 1),
                 *behind = words_text(s, to + 1, close);
            change(s, i, close, xformat("%s %s%s", before, chunk, behind));
            free(before);
            free(chunk);
            free(behind);
        }
    }
}

/* s.memory = …; */
static void another_memory(struct scan *s, int i)
{
    static const char *const names[] = {"PAGEABLE", "PINNED", "MAPPED", "MANAGED", "RESIDENT"};

    if (!word_is(s, i - 2, "memory") || !word_is(s, i - 1, "=") || !word_is(s, i + 1, ";"))
        return;
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        if (!word_is(s, i, names[k]))
            change(s, i, i, xstrdup(names[k]));
    }
}

/* s.chunks - 1: all of them. */
static void without_number(struct scan *s, int i)
{
    int left = (word_is(s, i, "+") || word_is(s, i, "-")) && word_is_binary(s, i) &&
                       word_kind(s, i + 1) == NUMBER
                   ? operand_back(s, i - 1)
                   : -1;

    if (left >= 0)
        change(s, left, i + 1, words_text(s, left, i - 1));
}

/* The chunk of the step that word i begins, for free(), and its first word; NULL: it is for none.
 */
static char *chunk_of(const struct scan *s, int i, int *at)
{
    static const char *const verbs[] = {"copy_in", "kernel", "copy_out", "sum", "gather", NULL};
    int close = step_end(s, i);

    if (close < 0 || !word_is_any(s, i + 2, verbs))
        return NULL;
    *at = argument_end(s, i + 4, close) + 2;
    return *at < close ? words_text(s, *at, close - 1) : NULL;
}

/* Steps behind each other for the same chunk, which may be the number of a buffer or a stream: the
 * loop's variable in all of them. */
static void chunk_of_round(struct scan *s, int i)
{
    int at, loop = loop_variable(s, i), from = i, n = 0;
    char *was = loop < 0 ? NULL : chunk_of(s, i, &at);

    if (!was)
        return;
    char *variable = words_text(s, loop, loop), *chunk;
    struct text with = {0};
    for (int step = i; (chunk = chunk_of(s, step, &at)) && !strcmp(chunk, was); n++) {
        char *before = words_text(s, from, at - 1);

        text_addf(&with, "%s %s", before, variable);
        free(before);
        free(chunk);
        from = step_end(s, step); /* ");" and the step behind it */
        step = from + 2;
    }
    free(chunk);
    if (n > 1 && strcmp(was, variable) != 0) {
        change(s, i, from - 1, text_take(&with));
        change_told(s, xformat("with \"%s\" in place of \"%s\" as the chunk of this step and of "
                               "those behind it,",
                               variable, was));
    }
    text_free(&with);
    free(variable);
    free(was);
}

static way *const likely[] = {events_apart,   event_beside, without_number,
                              another_memory, argument_as,  chunk_of_round};
static const struct ways likely_ways = {likely, sizeof(likely) / sizeof(likely[0])};
static way *const steps[] = {chunk_step, event_step};
static const struct ways schedule_ways = {steps, sizeof(steps) / sizeof(steps[0])};

bool edits_schedule(struct edits *e, const char *source, const char *name)
{
    static const struct ways *const lists[] = {&likely_ways, &slip_ways,     &every_ways,
                                               &other_ways,  &schedule_ways, &form_ways,
                                               &alike_ways,  &left_ways,     &shape_ways};
    struct scan s = {.told = "", .to = e};

    *e = (struct edits){0};
    scan_open(&s, source, "");
    int b = block_of(&s, name);
    if (b >= 0)
        s.blocks[b].reached = true;
    for (size_t k = 0; b >= 0 && k < sizeof(lists) / sizeof(lists[0]); k++) {
        for (int w = 0; w < lists[k]->n; w++) {
            for (int i = s.blocks[b].open; i < s.blocks[b].end; i++)
                lists[k]->v[w](&s, i);
        }
    }
    e->text = s.text;
    e->lean = scan_lean(&s);
    scan_close(&s);
    return e->n;
}
