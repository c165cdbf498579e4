/* edits_meant.c - the small changes to what was meant next to what is written (editing.h): a round
 * more or less, a term on the other side of a bracket, a block's threads for a warp's, a row's
 * number for its place, a value that is stored before the old one was read.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

static const char *const sums[] = {"+", "-", NULL};

enum { NAMES = 4 }; /* of one sort, for one word */

int end_of_value(const struct scan *s, int i)
{
    int depth = 0, end = s->blocks[s->v[i].block].end;

    for (; i < end; i++) {
        depth += word_is_any(s, i, (const char *const[]){"(", "[", "{", NULL}) -
                 word_is_any(s, i, (const char *const[]){")", "]", "}", NULL});
        if (depth < 0 || (!depth && word_is_any(s, i, (const char *const[]){",", ";", NULL})))
            return i - 1;
    }
    return -1;
}

int set_to(const struct scan *s, int i)
{
    for (int k = s->blocks[s->v[i].block].open; k < i; k++) {
        if (word_same(s, k, i) && word_is(s, k + 1, "=") &&
            (word_is_declared(s, k) ||
             word_is_any(s, k - 1, (const char *const[]){",", "*", NULL})))
            return k + 2;
    }
    return -1;
}

/* ---- rounds ---- */

/* v /= 2, or v = v / 2: by what a loop goes on. sign: the operator's text. */
struct step {
    char sign[3];
    char *by; /* for free(); NULL: none */
};

static struct step step_at(const struct scan *s, int k)
{
    static const char *const sets[] = {"/=", "*=", "+=", "-=", ">>=", "<<=", NULL};
    static const char *const signs[] = {"/", "*", "+", "-", ">>", "<<", NULL};
    struct step step = {"", NULL};

    for (int n = 0; sets[n]; n++) {
        bool long_form = word_is(s, k + 1, "=") && word_same(s, k + 2, k) &&
                         word_is(s, k + 3, signs[n]) && operand_on(s, k + 4) >= 0;
        int from = word_is(s, k + 1, sets[n]) ? k + 2
                   : long_form                ? k + 4
                                              : -1,
            to = from < 0 ? -1 : operand_on(s, from);

        if (to < 0)
            continue;
        memcpy(step.sign, signs[n], strlen(signs[n]) + 1);
        step.by = words_text(s, from, to);
        break;
    }
    return step;
}

static const char *inverse(const char *sign)
{
    return !strcmp(sign, "/")    ? "*"
           : !strcmp(sign, "*")  ? "/"
           : !strcmp(sign, "+")  ? "-"
           : !strcmp(sign, "-")  ? "+"
           : !strcmp(sign, ">>") ? "<<"
                                 : ">>";
}

/* v = a, of a loop that goes on by v /= 2: a / 2, or a * 2, as its first. */
static void a_round_later(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int begin = statement_begin(s, i);

    if (word_kind(s, i) != NAME || !word_is(s, i + 1, "=") || word_is_member(s, i) ||
        (!word_is_declared(s, i) && begin != i && !word_is(s, i - 1, ",")))
        return;
    int end = end_of_value(s, i + 2);
    struct step step = {"", NULL};
    for (int k = i + 1; k < in->end && !step.by && end > 0; k++) {
        if (word_same(s, k, i) && k > end)
            step = step_at(s, k);
    }
    if (step.by && !strpbrk(step.sign, "+-")) {
        char *a = words_text(s, i + 2, end), *open = end > i + 2 ? "(" : "",
             *close = end > i + 2 ? ")" : "";
        if (!word_same(s, i, i + 2)) {
            change(s, i + 2, end, xformat("%s%s%s %s %s", open, a, close, step.sign, step.by));
            change(s, i + 2, end,
                   xformat("%s%s%s %s %s", open, a, close, inverse(step.sign), step.by));
        }
        free(a);
    }
    free(step.by);
}

/* for (…; v > 0; v /= 4), or such a while: what is left of an array by then, where 2 / 4 is 0, is
 * two elements, or more, of which only the first was meant to be. */
static void last_round_lost(struct scan *s, int i)
{
    bool head = word_is(s, i, "for");
    int body = head || word_is(s, i, "while") ? head_body(s, i) : -1, array = -1, line = 0;
    struct step step = {"", NULL};

    if (body < 0 || !word_is(s, body, "{"))
        return;
    int end = brace_end(s, body);
    for (int k = head ? i + 2 : body; k < (head ? body : end) && !step.by; k++) {
        if (head || word_is_any(s, k - 1, (const char *const[]){";", "{", "}", NULL}))
            step = step_at(s, k);
        line = s->v[k].line;
    }
    long each = step.by ? strtol(step.by, NULL, 0) : 0;
    long parts = !strcmp(step.sign, "/")                ? each
                 : !strcmp(step.sign, ">>") && each < 6 ? 1 << each
                                                        : 0;
    free(step.by);
    for (int k = body; k < end && array < 0; k++) {
        int close =
            word_kind(s, k) == NAME && word_is(s, k + 1, "[") ? word_match(s, k + 1, 1) : -1;

        if (close > 0 && word_is_any(s, close + 1, (const char *const[]){"=", "+=", NULL}))
            array = k;
    }
    for (long left = 2; left < parts && array > 0; left *= 2) {
        char *a = words_text(s, array, array);

        change(s, end + 1, end + 1,
               xformat("if (!(threadIdx.x | threadIdx.y)) for (int more = 1; more < %ld; more++) "
                       "%s[0] += %s[more]; ",
                       left, a, a));
        if (s->changed)
            s->to->v[s->to->n - 1].length = 0;
        if (left == 2)
            change_told(s, xformat("with \"%s[0] += %s[1]\" by thread 0 before this line (do the "
                                   "rounds end with 2 elements left, as 2 / %ld is 0 on line %d?)",
                                   a, a, parts, line));
        else
            change_told(
                s, xformat("with %s[1] to %s[%ld] added to %s[0] by thread 0 before this "
                           "line (do the rounds end with %ld elements left, as %ld / %ld is 0 on "
                           "line %d?)",
                           a, a, left - 1, a, left, left, parts, line));
        free(a);
    }
}

/* break; before the next case, which is to be gone on into. */
static void goes_on(struct scan *s, int i)
{
    if (word_is(s, i, "break") && word_is(s, i + 1, ";") &&
        word_is_any(s, i + 2, (const char *const[]){"case", "default", NULL}) &&
        word_kind(s, i - 1) == SIGN) {
        change(s, i, i, xstrdup(""));
        change_told(s, xstrdup("without this \"break\", so that it goes on into the next case,"));
    }
}

/* if (a) break; in a loop that is to go all of its rounds. */
static void all_rounds(struct scan *s, int i)
{
    static const char *const out[] = {"break", "continue", NULL};
    int body = word_is(s, i, "if") ? head_body(s, i) : -1, jump = body + word_is(s, body, "{"),
        end = body_end(s, body);

    if (body < 0 || end < 0 || word_is(s, i - 1, "else") || word_is(s, end + 1, "else") ||
        !word_is_any(s, jump, out) || end != jump + 1 + word_is(s, body, "{"))
        return;
    char *head = words_text(s, i, body - 1), *leaves = words_text(s, jump, jump);
    change(s, i, end, xstrdup(";"));
    change_told(s, xformat("without this \"%s\" and its \"%s\"", head, leaves));
    free(head);
    free(leaves);
}

/* for (i = lane; i < n; i += 32), of all threads; and of a warp's lanes, where there are such. */
static void by_all_threads(struct scan *s, int i)
{
    int open = word_is(s, i, "for") && word_is(s, i + 1, "(") ? i + 1 : -1, close, from = -1,
        by = -1;

    if (open < 0 || (close = word_match(s, open, 1)) < 0)
        return;
    for (int k = open; k < close; k++) {
        if (from < 0 && word_is(s, k, "="))
            from = k + 1;
        if (word_is(s, k, "+="))
            by = k + 1;
    }
    int to = from < 0 ? -1 : end_of_value(s, from);
    if (to < 0 || by != close - 1 ||
        !(word_is(s, by, "32") || word_is_constant(s, by) || word_is(s, by, "warpSize")))
        return;
    int value = from == to ? set_to(s, from) : from;
    if (value < 0 || !word_is(s, value, "threadIdx"))
        return;
    char *head = words_text(s, i, from - 1), *between = words_text(s, to + 1, by - 1);
    change(s, i, close, xformat("%s threadIdx.x%s blockDim.x)", head, between));
    free(head);
    free(between);
}

/* ---- brackets ---- */

/* Of (a + b - 1) / b, which rounds up, "- 1 / b" is a number that is 0, or 1 at the most. */
static bool is_nothing(const struct scan *s, int open, int last, int close)
{
    bool rounds_up = false;

    if (!word_is(s, close + 1, "/") || last != close - 2 || word_kind(s, last + 1) != NUMBER)
        return false;
    for (int k = open + 1; k < last && !rounds_up; k++)
        rounds_up = word_same(s, k, close + 2);
    return rounds_up;
}

/* a * (b ^ c + d) to a * (b ^ c) + d, and the other way round. */
static void across_bracket(struct scan *s, int i)
{
    int open = word_is(s, i, ")") ? word_match(s, i, -1) : -1, last = -1, depth = 0;

    if (open < 1 || word_kind(s, open - 1) == NAME)
        return;
    char *all = words_text(s, open, i - 1);
    for (int k = open + 1; k < i; k++) {
        depth += word_is(s, k, "(") - word_is(s, k, ")") + word_is(s, k, "[") - word_is(s, k, "]");
        if (!depth && word_is_any(s, k, sums) && word_is_binary(s, k))
            last = k;
    }
    if (last > open + 2 && operand_on(s, last + 1) == i - 1 && !is_nothing(s, open, last, i) &&
        (word_is_any(s, open - 1, (const char *const[]){"*", "/", "%", NULL}) ||
         word_is_any(s, i + 1, (const char *const[]){"*", "/", "%", "&", ">>", "<<", NULL}))) {
        bool twice = word_is(s, open + 1, "(") && word_match(s, open + 1, 1) == last - 1;
        char *before = words_text(s, open + twice, last - 1), *term = words_text(s, last, i - 1);

        change(s, open, i, xformat("%s%s %s", before, twice ? "" : ")", term));
        free(before);
        free(term);
    }
    int end = word_is_any(s, i + 1, sums) && word_is_binary(s, i + 1) ? operand_on(s, i + 2) : -1;
    if (end > 0) {
        char *term = words_text(s, i + 1, end);

        change(s, open, end, xformat("%s %s)", all, term));
        free(term);
    }
    free(all);
}

/* ---- places ---- */

/* y += blockIdx.x + …, or y[blockIdx.x + …]: rows of so many elements. */
static void rows_of(struct scan *s, int i)
{
    static const char *const before[] = {"+", "=", "+=", "[", NULL}, *const behind[] = {"+", ";",
                                                                                        "]", NULL};
    const struct block *in = &s->blocks[s->v[i].block];
    int n = 0;

    if (!word_is(s, i, "blockIdx") || !word_is_any(s, i - 1, before) ||
        !word_is_any(s, i + 3, behind))
        return;
    char *a = words_text(s, i, i + 2);
    for (int k = in->first; k < in->open && n < NAMES; k++) {
        char *size = word_is_parameter(s, k) ? words_text(s, k, k) : NULL;

        if (size) {
            change(s, i, i + 2, xformat("%s * %s", a, size));
            n++;
        }
        free(size);
    }
    free(a);
}

/* row, as an index or a factor, where the function has first + row elsewhere. */
static void with_its_base(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    bool factor = word_is(s, i + 1, "*") || word_is(s, i - 1, "*"),
         whole = word_is(s, i - 1, "[") && word_is(s, i + 1, "]");
    int base[NAMES], n = 0;

    if (!word_is_plain(s, i) || !(factor || whole) || word_is_array(s, i) || word_is(s, i - 1, "+"))
        return;
    for (int k = in->open; k < in->end && n < NAMES; k++) {
        int with = !word_same(s, k, i)      ? -1
                   : word_is(s, k - 1, "+") ? k - 2
                   : word_is(s, k + 1, "+") ? k + 2
                                            : -1;
        bool known = with < 0 || k == i || !word_is_plain(s, with) || word_same(s, with, i) ||
                     word_is_array(s, with) || word_is(s, with + 1, "[") ||
                     (with < k && word_is(s, with - 1, "*")) ||
                     (with > k && word_is(s, with + 1, "*"));

        for (int b = 0; b < n && !known; b++)
            known = word_same(s, base[b], with);
        if (!known)
            base[n++] = with;
    }
    for (int b = 0; b < n; b++) {
        char *first = words_text(s, base[b], base[b]), *a = words_text(s, i, i);

        change(s, i, i, xformat(factor ? "(%s + %s)" : "%s + %s", first, a));
        free(first);
        free(a);
    }
}

/* a * 8, or a * BLOCK: by what else its function has rows of. */
static void another_pitch(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int left = word_is(s, i - 1, "*") && word_is_binary(s, i - 1) ? operand_back(s, i - 2) : -1,
        n = 0;

    if ((word_kind(s, i) != NUMBER && !word_is_constant(s, i)) || left < 0 ||
        word_is_any(s, i + 1, (const char *const[]){".", "(", "[", NULL}))
        return;
    for (int k = in->open; k < in->end && n < NAMES; k++) {
        bool known = !word_is_plain(s, k) || !word_is(s, k - 1, "*") || !word_is_binary(s, k - 1) ||
                     word_same(s, k, i);

        for (int before = in->open; before < k && !known; before++)
            known = word_same(s, before, k) && word_is(s, before - 1, "*") &&
                    word_is_binary(s, before - 1);
        if (known)
            continue;
        char *a = words_text(s, left, i - 1), *pitch = words_text(s, k, k);

        change(s, left, i, xformat("%s %s", a, pitch));
        free(a);
        free(pitch);
        n++;
    }
}

/* a * b + c to c * 4 + a, of the numbers that its function divides by. */
static void transposed_by_number(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int a = word_is(s, i, "*") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1, b, c, n = 0;

    if (a < 0 || (b = operand_on(s, i + 1)) < 0 || !word_is(s, b + 1, "+") ||
        (c = operand_on(s, b + 2)) < 0)
        return;
    char *first = words_text(s, a, i - 1), *last = words_text(s, b + 2, c);
    for (int k = in->open; k < in->end && n < NAMES; k++) {
        bool known = word_kind(s, k) != NUMBER ||
                     !word_is_any(s, k - 1, (const char *const[]){"/", "%", NULL});

        for (int before = in->open; before < k && !known; before++)
            known = word_same(s, before, k) &&
                    word_is_any(s, before - 1, (const char *const[]){"/", "%", NULL});
        if (known)
            continue;
        char *pitch = words_text(s, k, k);
        change(s, a, c, xformat("%s * %s + %s", last, pitch, first));
        free(pitch);
        n++;
    }
    free(first);
    free(last);
}

/* f<0>(…) and f<1>(…) of a function: each for the other. */
static void steps_exchanged(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int k = i + 4;

    if (word_kind(s, i) != NAME || !word_is(s, i + 1, "<") || word_kind(s, i + 2) != NUMBER ||
        !word_is(s, i + 3, ">") || !word_is(s, i + 4, "("))
        return;
    while (k < in->end && !(word_same(s, k, i) && word_is(s, k + 1, "<") &&
                            word_kind(s, k + 2) == NUMBER && word_is(s, k + 3, ">")))
        k++;
    if (k >= in->end || word_same(s, i + 2, k + 2))
        return;
    char *a = words_text(s, i + 2, i + 2), *b = words_text(s, k + 2, k + 2),
         *between = words_text(s, i + 3, k + 1), *f = words_text(s, i, i);
    change(s, i + 2, k + 2, xformat("%s%s%s", b, between, a));
    change_told(s,
                xformat("with %s<%s> and %s<%s> exchanged, here and where the other stands next,",
                        f, a, f, b));
    free(a);
    free(b);
    free(between);
    free(f);
}

/* ---- statements ---- */

/* The last word of the statement of this block in which words a to b are read last, behind word
 * `from`; -1: nowhere, or they are set there, or something jumps away. */
static int read_last(const struct scan *s, int from, int a, int b)
{
    int stop = -1, end = s->blocks[s->v[a].block].end;
    bool reads = false;

    for (int k = from, depth = 0; k < end && depth >= 0; k++) {
        bool same = true;

        depth += word_is_any(s, k, (const char *const[]){"{", "(", NULL}) -
                 word_is_any(s, k, (const char *const[]){"}", ")", NULL});
        for (int w = a; w <= b && same; w++)
            same = word_same(s, k + w - a, w);
        same &= !word_is_member(s, k);
        if (same &&
            word_is_any(s, k + b - a + 1, (const char *const[]){"=", "+=", "-=", "^=", NULL}))
            return -1;
        if (word_is_any(s, k, (const char *const[]){"return", "break", "continue", NULL}))
            return -1;
        reads |= same;
        if (reads && !depth && word_is_any(s, k, (const char *const[]){";", "}", NULL})) {
            stop = k;
            reads = false;
        }
    }
    return stop;
}

/* a = b; and what reads a behind it: a is to be what it was there. */
static void stored_late(struct scan *s, int i)
{
    int last = word_kind(s, i) == NAME &&
                       word_is_any(s, i - 1, (const char *const[]){";", "{", "}", NULL}) &&
                       !word_is_type(s, i) && !word_is_keyword(s, i)
                   ? operand_on(s, i)
                   : -1,
        end = last < 0 || !word_is(s, last + 1, "=") ? -1 : statement_end(s, i) + 1,
        stop = end > 0 && word_is(s, end, ";") ? read_last(s, end + 1, i, last) : -1;

    if (stop < 0)
        return;
    char *a = words_text(s, i, last), *b = words_text(s, last + 2, end - 1),
         *between = words_text(s, end + 1, stop);
    change(s, i, stop, xformat("{ const auto late = %s; %s %s = late; }", b, between, a));
    change_told(s,
                xformat("with \"%s\" overwritten only behind line %d, which needs its old value,",
                        a, s->v[stop].line));
    free(a);
    free(b);
    free(between);
}

/* a >>= 1; if (a & 1) …: asked of what a was before. */
static void asked_late(struct scan *s, int i)
{
    bool begins = word_kind(s, i) == NAME &&
                  word_is_any(s, i - 1, (const char *const[]){";", "{", "}", NULL}) &&
                  !word_is_type(s, i) && !word_is_keyword(s, i);
    int last = begins ? operand_on(s, i) : -1,
        end = last >= 0 && word_assigns(s, last + 1) ? statement_end(s, i) + 1 : -1,
        close = end < 0 || !word_is(s, end, ";") ? -1 : condition_end(s, end + 1);
    bool reads = false, calls = false;

    for (int k = end + 3; k < close; k++) {
        reads |= word_same(s, k, i) && !word_is_member(s, k);
        calls |= word_is(s, k, "(") && word_kind(s, k - 1) == NAME; /* what may be no question */
    }
    if (!reads || calls)
        return;
    char *set = words_text(s, i, end), *asked = words_text(s, end + 3, close - 1),
         *line = one_line(set, strlen(set)), *question = one_line(asked, strlen(asked));
    change(s, i, close, xformat("const bool before = %s; %s if (before)", asked, set));
    change_told(s, xformat("with \"%s\" asked before \"%.*s\", not after it,", question,
                           (int)strlen(line) - 1, line));
    free(set);
    free(asked);
    free(line);
    free(question);
}

/* if (i >= n) return; to be asked of the place that is stored to, there. */
static void guard_at_store(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int close = condition_end(s, i), sign = i + 2, array = -1, bracket = -1;

    if (close < 0 || !word_is(s, close + 1, "return") || !word_is(s, close + 2, ";"))
        return;
    while (sign < close && !word_is(s, sign, ">="))
        sign++;
    if (sign + 2 != close || !word_is_plain(s, sign + 1))
        return;
    for (int k = close + 3; k < in->end; k++) {
        int to = word_kind(s, k) == NAME && word_is(s, k + 1, "[") ? word_match(s, k + 1, 1) : -1;

        if (to > 0 && word_is(s, to + 1, "=") && statement_begin(s, k) == k) {
            array = k;
            bracket = to;
        }
    }
    if (array < 0)
        return;
    int begin = set_to(s, array);
    char *n = words_text(s, sign + 1, sign + 1), *name = words_text(s, array, array),
         *index = words_text(s, array + 2, bracket - 1),
         *from = begin < 0 ? NULL : words_text(s, begin, begin),
         *between = words_text(s, close + 3, array - 1), *was = words_text(s, i, close + 2),
         *asked = one_line(was, strlen(was));
    char *guard = from ? xformat("if (%s + %s < %s + %s)", name, index, from, n)
                       : xformat("if (%s < %s)", index, n);
    change(s, i, array - 1, xformat("%s %s ", between, guard));
    change_told(s, xformat("without \"%s\", and with \"%s\" before what is stored on line %d,",
                           asked, guard, s->v[array].line));
    free(n);
    free(name);
    free(index);
    free(from);
    free(between);
    free(was);
    free(asked);
    free(guard);
}

/* The bracket that closes the one size of the shared array that word i declares; -1: none. */
static int array_end(const struct scan *s, int i)
{
    int close = word_kind(s, i) == NAME && word_is(s, i + 1, "[") &&
                        word_is(s, statement_begin(s, i), "__shared__")
                    ? word_match(s, i + 1, 1)
                    : -1;
    bool one = close > i + 2 && word_is_any(s, close + 1, (const char *const[]){";", ",", NULL});

    return one ? close : -1;
}

/* __shared__ T x[SIZE]: one element more, or as many. */
void longer_array(struct scan *s, int i)
{
    int close = array_end(s, i);

    if (close < 0)
        return;
    char *size = words_text(s, i + 2, close - 1);
    bool one = close == i + 3;
    change(s, i + 2, close - 1, xformat("%s + 1", size));
    change(s, i + 2, close - 1, xformat(one ? "2 * %s" : "2 * (%s)", size));
    free(size);
}

/* __shared__ T x[SIZE], whose rows of ROW have ROW + 1 places where they are used. */
static void rows_in_array(struct scan *s, int i)
{
    int close = array_end(s, i), n = 0, row[NAMES];

    if (close < 0 || chain_on(s, i + 2, sums) != i + 2)
        return;
    char *size = words_text(s, i + 2, close - 1);
    for (int k = 0; k < s->n && n < NAMES; k++) {
        bool more = scan_reaches(s, k) && word_is(s, k - 1, "(") && word_is(s, k - 2, "*") &&
                    (word_is_constant(s, k) || word_kind(s, k) == NUMBER) &&
                    word_is(s, k + 1, "+") && word_kind(s, k + 2) == NUMBER &&
                    word_is(s, k + 3, ")");

        for (int known = 0; known < n && more; known++)
            more = !word_same(s, k, row[known]) || !word_same(s, k + 2, row[known] + 2);
        if (!more)
            continue;
        row[n++] = k;
        char *by = words_text(s, k, k), *pad = words_text(s, k + 2, k + 2);
        change(s, i + 2, close - 1,
               strcmp(pad, "1") ? xformat("%s + %s / %s * %s", size, size, by, pad)
                                : xformat("%s + %s / %s", size, size, by));
        free(by);
        free(pad);
    }
    free(size);
}

/* ---- parts that are rounded up ---- */

/* "at + 2 * part < n" of p[2 * part], where p is x + at; or of x[i], where x is a parameter, "i <
 * n". For free(). */
static char *within(const struct scan *s, int array, int bracket, const char *n)
{
    int begin = set_to(s, array), end = begin < 0 ? -1 : end_of_value(s, begin);
    char *index = words_text(s, array + 2, bracket - 1);
    char *before = begin >= 0 && begin + 2 <= end && word_is(s, begin + 1, "+")
                       ? words_text(s, begin + 2, end)
                       : NULL,
         *asked =
             before ? xformat("%s + (%s) < %s", before, index, n) : xformat("%s < %s", index, n);

    free(index);
    free(before);
    return asked;
}

enum { FOLLOW = 16 }; /* names */

/* Is one of them in words from … to, in no index of another array? */
static bool has_any(const struct scan *s, int from, int to, const int *names, int n)
{
    bool has = false;

    for (int w = from, depth = 0; w <= to && !has; w++) {
        depth += word_is(s, w, "[") - word_is(s, w, "]");
        for (int k = 0; k < n && !depth; k++)
            has |= word_same(s, w, names[k]);
    }
    return has;
}

/* Word `part`, and what is declared as some of it in words from … to: how many. */
static int follow(const struct scan *s, int from, int to, int part, int *names)
{
    int n = 0;

    names[n++] = part;
    for (int k = from; k <= to && n < FOLLOW; k++) {
        int end = word_kind(s, k) == NAME && word_is(s, k + 1, "=") &&
                          (word_is_declared(s, k) || word_is(s, k - 1, ","))
                      ? end_of_value(s, k + 2)
                      : -1;

        if (end > 0 && has_any(s, k + 2, end, names, n))
            names[n++] = k;
    }
    return n;
}

/* Words from … to, with each place whose index has word `part`, or what follows from it, asked for.
 * For free(). */
static char *asked_places(const struct scan *s, int from, int to, int part, const char *n)
{
    int names[FOLLOW], nnames = follow(s, from, to, part, names);
    struct text t = {0};
    size_t at = s->v[from].at;

    for (int k = from; k <= to; k++) {
        int close =
            word_kind(s, k) == NAME && word_is(s, k + 1, "[") ? word_match(s, k + 1, 1) : -1;

        if (close < 0 || !has_any(s, k + 2, close - 1, names, nnames) || word_is_type(s, k - 1))
            continue;
        bool store = word_is(s, close + 1, "=");
        char *asked = within(s, k, close, n), *place = words_text(s, k, close);
        text_bytes(&t, s->text + at, s->v[k].at - at);
        if (store)
            text_addf(&t, "if (%s) %s", asked, place);
        else
            text_addf(&t, "(%s ? %s : 0)", asked, place);
        at = s->v[close].at + s->v[close].length;
        k = close;
        free(asked);
        free(place);
    }
    text_bytes(&t, s->text + at, s->v[to].at + s->v[to].length - at);
    return text_take(&t);
}

/* part = n / 4: rounded up, where each place of a part has to be asked for then. */
static void parts_asked(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int value = word_kind(s, i) == NAME && word_is(s, i + 1, "=") && word_is_declared(s, i) &&
                        word_is_plain(s, i + 2) && word_is(s, i + 3, "/")
                    ? i + 2
                    : -1,
        end = value < 0 ? -1 : end_of_value(s, value), by = value + 2, depth = 0, to;

    if (end != by || (word_kind(s, by) != NUMBER && !word_is_constant(s, by)) ||
        !word_is_any(s, end + 1, (const char *const[]){";", ",", NULL}))
        return;
    for (to = end + 2; to < in->end && depth >= 0; to++)
        depth += word_is(s, to, "{") - word_is(s, to, "}");
    to -= 2; /* the last of the block that it is in */
    if (to <= end + 1)
        return;
    char *n = words_text(s, value, value), *each = words_text(s, by, by),
         *was = words_text(s, end + 1, to), *is = asked_places(s, end + 1, to, i, n);
    if (strcmp(was, is)) {
        int begin = statement_begin(s, i);
        char *declared = words_text(s, begin, i + 1);

        change(s, begin, to, xformat("%s (%s + %s - 1) / %s%s", declared, n, each, each, is));
        free(declared);
        change_told(s,
                    xformat("with \"(%s + %s - 1) / %s\" in place of \"%s / %s\", and each place "
                            "that follows from it read and stored only below %s,",
                            n, each, each, n, each, n));
    }
    free(n);
    free(each);
    free(was);
    free(is);
}

/* rounds = n / threads, that many of each thread: one more of those that the rest is left for. */
static void round_of_rest(struct scan *s, int i)
{
    static const char *const before[] = {"=", "<", NULL}, *const behind[] = {";", ",", NULL};
    int left = word_is(s, i, "/") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left < 0 ? -1 : operand_on(s, i + 1), value = right;

    if (right < 0 || !word_is_any(s, left - 1, before) || !word_is_any(s, right + 1, behind))
        return;
    int from = right == i + 1 && (value = set_to(s, right)) >= 0 ? value : i + 1,
        to = from == value ? end_of_value(s, value) : right;
    bool grid = false, block = word_is_constant(s, i + 1);
    for (int k = from; k <= to; k++) {
        grid |= word_is(s, k, "gridDim");
        block |= word_is(s, k, "blockDim");
    }
    if (!grid && !block)
        return;
    char *a = words_text(s, left, i - 1), *b = words_text(s, i + 1, right),
         *me = grid ? "blockIdx.x * blockDim.x + threadIdx.x" : "threadIdx.x";
    change(s, left, right, xformat("%s / %s + (%s < %s %% %s)", a, b, me, a, b));
    change_told(s, xformat("with one round more for the first %s %% %s threads (\"%s / %s + (%s < "
                           "%s %% %s)\" in place of \"%s / %s\", which is rounded down)",
                           a, b, a, b, me, a, b, a, b));
    free(a);
    free(b);
}

/* ---- what a whole block answers ---- */

/* __syncthreads_or() of numbers: of their bits. */
static void bits_of_all(struct scan *s, int i)
{
    static const char *const calls[][3] = {{"__syncthreads_or", "atomicOr", "0"},
                                           {"__syncthreads_and", "atomicAnd", "~0u"}};
    int close = word_is(s, i + 1, "(") ? word_match(s, i + 1, 1) : -1;

    for (size_t k = 0; close > i + 2 && k < sizeof(calls) / sizeof(calls[0]); k++) {
        if (!word_is(s, i, calls[k][0]))
            continue;
        char *a = words_text(s, i + 2, close - 1);
        bool all = k == 1;

        change(
            s, i, close,
            xformat("[&] { __shared__ unsigned of_all; if (!(threadIdx.x | threadIdx.y | "
                    "threadIdx.z)) of_all = %s; __syncthreads(); %s(&of_all, %s); __syncthreads(); "
                    "return of_all; }()",
                    calls[k][2], calls[k][1], a));
        change_told(s, xformat("with the bitwise %s of what all threads bring in place of %s(), "
                               "which tells only whether %s of them is not 0,",
                               all ? "and" : "or", calls[k][0], all ? "each" : "one"));
        free(a);
    }
}

/* The last word of the call, or of the type with brackets, that word i begins. */
static int call_end(const struct scan *s, int i)
{
    return word_is(s, i + 1, "(") ? word_match(s, i + 1, 1) : i;
}

/* Such a call as Op::neutral(T()) of this function, for free(); NULL: there is none. */
static char *neutral_in(const struct scan *s, const struct block *in)
{
    for (int k = in->open; k < in->end; k++) {
        if (word_is(s, k, "neutral") && word_is(s, k + 1, "("))
            return words_text(s, word_is(s, k - 1, "::") ? k - 2 : k, call_end(s, k));
    }
    return NULL;
}

/* … of another one. */
static char *neutral_elsewhere(const struct scan *s)
{
    char *found = NULL;

    for (int b = 0; b < s->nblocks && !found; b++)
        found = s->blocks[b].reached ? neutral_in(s, &s->blocks[b]) : NULL;
    return found;
}

/* The name that is set to what word i is a part of; -1: none is. */
static int set_by(const struct scan *s, int i)
{
    int k = i, begin = statement_begin(s, i);

    while (k > begin && !word_is(s, k, "="))
        k--;
    return k > begin && word_is(s, k, "=") ? operand_back(s, k - 1) : -1;
}

/* Is it given to a function with such a part in its name, as warp_and(bits) is? */
static bool goes_to(const struct scan *s, int name, const char *part)
{
    const struct block *in = &s->blocks[s->v[name].block];
    bool found = false;

    for (int k = in->open; k < in->end && !found; k++) {
        char *f = word_kind(s, k) == NAME && word_is(s, k + 1, "(") ? words_text(s, k, k) : NULL;

        for (int a = k + 2; f && strstr(f, part) && a < word_match(s, k + 1, 1); a++)
            found |= word_same(s, a, name);
        free(f);
    }
    return found;
}

/* Is it put together with others by this sign? */
static bool joined_by(const struct scan *s, int name, const char *sign)
{
    const struct block *in = &s->blocks[s->v[name].block];
    bool found = false;

    for (int k = in->open; k < in->end && !found; k++)
        found = word_is(s, k, sign) && word_same(s, operand_back(s, k - 1), name);
    return found;
}

/* = 0, or : 0, or T(), or T(0), for a thread without an element: what changes nothing. */
static void neutral_for_none(struct scan *s, int i)
{
    bool zero = word_is_any(s, i, (const char *const[]){"0", "0u", "0.0f", "0.f", "0.0", NULL}),
         number = word_is(s, i + 2, "0"),
         made =
             word_kind(s, i) == NAME && word_is(s, i + 1, "(") && word_is(s, i + 2 + number, ")");
    int end = zero ? i : i + 2 + number;

    if ((!zero && !made) ||
        (!word_is(s, i - 1, "=") && !word_is(s, i - 1, "?") && !is_else(s, i - 1)) ||
        !word_is_any(s, end + 1, (const char *const[]){";", ",", ":", ")", NULL}))
        return;
    char *neutral = neutral_in(s, &s->blocks[s->v[i].block]),
         *other = neutral ? NULL : neutral_elsewhere(s);
    if (neutral || other)
        change(s, i, end, neutral ? neutral : other);
    if (neutral)
        return;
    int name = zero ? set_by(s, i) : -1;
    if (name < 0)
        return;
    bool whole = s->v[i].length < 3, least = goes_to(s, name, "min");
    if (whole && (joined_by(s, name, "&=") || goes_to(s, name, "_and") || least))
        change(s, i, i, xstrdup("0xffffffff"));
    if (joined_by(s, name, "*="))
        change(s, i, i, xstrdup("1"));
    if (least)
        change(s, i, i, xstrdup("INFINITY"));
    if (goes_to(s, name, "max"))
        change(s, i, i, xstrdup("-INFINITY"));
}

static way *const meant[] = {
    neutral_for_none, bits_of_all,          all_rounds,     goes_on,
    last_round_lost,  by_all_threads,       a_round_later,  steps_exchanged,
    rows_of,          across_bracket,       with_its_base,  another_pitch,
    stored_late,      transposed_by_number, guard_at_store, parts_asked,
    round_of_rest,    asked_late,           rows_in_array};
const struct ways meant_ways = {meant, sizeof(meant) / sizeof(meant[0])};
