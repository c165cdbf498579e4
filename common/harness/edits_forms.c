/* edits_forms.c - the small changes to another form of what is there (editing.h): a quotient that
 * is rounded up, a difference that wraps around, a loop the other way, else, brackets of a macro,
 * one name everywhere.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

static const char *const less[] = {"<", "<=", NULL}, *const sums[] = {"+", "-", NULL},
                         *const asks[] = {"==", "!=", "<", ">", "<=", ">=", NULL},
                         *const arithmetic[] = {"+", "-", "*", "/", "%", "<<", ">>", NULL};

/* The first word of the sum, or product, whose last operand begins with word i. */
static int sum_back(const struct scan *s, int i)
{
    return chain_back(s, i, arithmetic);
}

/* The last word of the sum that begins with word i. */
static int sum_on(const struct scan *s, int i)
{
    return chain_on(s, operand_on(s, i), arithmetic);
}

/* a / b: rounded up. */
static void rounded_up(struct scan *s, int i)
{
    int left = word_is(s, i, "/") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1;

    if (right < 0)
        return;
    bool whole = word_is(s, left, "(") && word_match(s, left, 1) == i - 1;
    char *a = words_text(s, left + whole, i - 1 - whole), *b = words_text(s, i + 1, right), *end;
    unsigned long by = word_kind(s, right) == NUMBER ? strtoul(b, &end, 10) : 0;
    if (by > 1 && b[strspn(b, "0123456789")] == '\0') {
        /* (n + 1) / 2: (n + 2) / 2 */
        int last = i - 1 - whole;
        bool adds = whole && word_kind(s, last) == NUMBER && word_is(s, last - 1, "+");
        char *number = words_text(s, last, last),
             *before = adds ? words_text(s, left + 1, last - 2) : xstrdup(a);
        const char *suffix = number + strspn(number, "0123456789");
        bool folds = adds && (!*suffix || !strcmp(suffix, "u"));
        unsigned long more = by - 1 + (folds ? strtoul(number, NULL, 10) : 0);
        bool inside = word_is_any(s, left - 1, (const char *const[]){"*", "/", "%", NULL});

        change(s, left, right,
               xformat("%s(%s + %lu) / %s%s", inside ? "(" : "", folds ? before : a, more, b,
                       inside ? ")" : ""));
        free(number);
        free(before);
    } else {
        change(s, left, right, xformat("((%s + %s - 1) / %s)", a, b, b));
    }
    free(a);
    free(b);
}

/* a & SIZE, of a power of two: its bits below that. */
static void bits_below(struct scan *s, int i)
{
    static const char *const behind[] = {";", ",", ")", "]", "+", "-", NULL};
    bool masks = (word_is(s, i, "&") && word_is_binary(s, i)) || word_is(s, i, "&=");
    long v = word_kind(s, i + 1) == NUMBER && masks ? strtol(s->text + s->v[i + 1].at, NULL, 0) : 0;
    bool one_bit = v > 1 && !(v & (v - 1));

    if (!masks || operand_on(s, i + 1) != i + 1 || !word_is_any(s, i + 2, behind) ||
        !(one_bit || word_is_constant(s, i + 1) || word_is_plain(s, i + 1)))
        return;
    char *a = words_text(s, i + 1, i + 1);
    change(s, i + 1, i + 1, one_bit ? xformat("%ld", v - 1) : xformat("(%s - 1)", a));
    free(a);
}

/* a / b: of one less, as the last of so many is found; and of one more. */
static void last_of_parts(struct scan *s, int i)
{
    int left = word_is(s, i, "/") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1;

    if (right < 0 || word_is(s, left, "("))
        return;
    char *a = words_text(s, left, i - 1), *b = words_text(s, i + 1, right);
    change(s, left, right, xformat("(%s - 1) / %s", a, b));
    change(s, left, right, xformat("(%s + 1) / %s", a, b));
    free(a);
    free(b);
}

/* a = b; the other way round. */
static void reversed(struct scan *s, int i)
{
    static const char *const before[] = {";", "{", "}", ",", NULL}, *const behind[] = {";", ",",
                                                                                       NULL};

    if (!word_is(s, i, "=") || word_is_type(s, statement_begin(s, i)) ||
        !word_is_any(s, i - 2, before) || !word_is_any(s, i + 2, behind) ||
        !word_is_plain(s, i - 1) || !word_is_plain(s, i + 1))
        return;
    char *a = words_text(s, i - 1, i - 1), *b = words_text(s, i + 1, i + 1);
    change(s, i - 1, i + 1, xformat("%s = %s", b, a));
    free(a);
    free(b);
}

/* a ? b : c, which is to be no choice. */
static void no_choice(struct scan *s, int i)
{
    int from = i, colon = i, end, depth = 0;

    if (!word_is(s, i, "?"))
        return;
    while (
        from > 0 &&
        !word_is_any(s, from - 1, (const char *const[]){"=", "return", ";", "{", "}", ",", NULL})) {
        int open = word_is(s, from - 1, ")") || word_is(s, from - 1, "]")
                       ? word_match(s, from - 1, -1)
                       : -1;
        if (word_is(s, from - 1, "(") || word_is(s, from - 1, "["))
            break;
        from = open > 0 ? open : from - 1;
    }
    while (colon + 1 < s->n && !(depth == 0 && word_is(s, colon, ":")) && !word_is(s, colon, ";")) {
        colon++;
        depth += word_is(s, colon, "(") - word_is(s, colon, ")");
    }
    end = word_is(s, colon, ":") ? sum_on(s, colon + 1) : -1;
    if (end < 0 || from >= i)
        return;
    change(s, from, end, words_text(s, colon + 1, end));
    change(s, from, end, words_text(s, i + 1, colon - 1));
}

/* a < b - c, which wraps around where b is less: a + c < b. */
static void no_difference(struct scan *s, int i)
{
    static const char *const more[] = {">", ">=", NULL};
    int left = word_is(s, i, "-") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1;

    while (right > 0 && word_is(s, right + 1, "*") && word_is_binary(s, right + 1))
        right = operand_on(s, right + 2);
    if (right < 0)
        return;
    char *b = words_text(s, left, i - 1), *c = words_text(s, i + 1, right);
    if (word_is_any(s, left - 1, less) && word_is_binary(s, left - 1)) {
        int from = sum_back(s, operand_back(s, left - 2));
        char *a = from >= 0 ? words_text(s, from, left - 2) : NULL,
             *sign = words_text(s, left - 1, left - 1);

        if (a)
            change(s, from, right, xformat("%s + %s %s %s", a, c, sign, b));
        free(a);
        free(sign);
    } else if (word_is_any(s, right + 1, more) && word_is_binary(s, right + 1)) {
        int to = operand_on(s, right + 2);
        char *a = to >= 0 ? words_text(s, right + 2, to) : NULL,
             *sign = words_text(s, right + 1, right + 1);

        if (a)
            change(s, left, to, xformat("%s %s %s + %s", b, sign, a, c));
        free(a);
        free(sign);
    }
    free(b);
    free(c);
}

/* #define N a + b, or N(x) x + b: in brackets. */
static void macro_in_brackets(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    bool macro = in->name == in->first && (i == in->first + 1 || word_is(s, i - 1, ")")),
         first = macro && i == in->open, open = false;

    for (int k = i; k < in->end && first; k++)
        open |= word_is_binary(s, k);
    if (!open || (word_is(s, i, "(") && word_match(s, i, 1) == in->end - 1))
        return;
    char *a = words_text(s, i, in->end - 1);
    change(s, i, in->end - 1, xformat("(%s)", a));
    free(a);
}

/* a & b == c, or a & b - 1 == c: == binds more. */
static void bits_in_brackets(struct scan *s, int i)
{
    static const char *const bits[] = {"&", "|", "^", NULL};
    int left = word_is_any(s, i, bits) && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 && operand_on(s, i + 1) >= 0 ? sum_on(s, i + 1) : -1;

    if (right < 0 || !word_is_any(s, right + 1, asks))
        return;
    left = sum_back(s, left);
    char *a = words_text(s, left, right);
    change(s, left, right, xformat("(%s)", a));
    free(a);
}

/* a / b > 0, which asks whether both have one sign: a > 0 && b > 0. */
static void each_asked(struct scan *s, int i)
{
    int left = word_is(s, i, "/") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1, end;

    if (right < 0 || !word_is_any(s, right + 1, (const char *const[]){">", ">=", NULL}) ||
        (end = operand_on(s, right + 2)) < 0)
        return;
    char *a = words_text(s, left, i - 1), *b = words_text(s, i + 1, right),
         *than = words_text(s, right + 1, end);
    change(s, left, end, xformat("%s %s && %s %s", a, than, b, than));
    free(a);
    free(b);
    free(than);
}

/* a <= 0 || b <= 0, which is false of no numbers: !(a > 0 && b > 0). */
static void not_all(struct scan *s, int i)
{
    static const char *const of[][2] = {{"<", ">="}, {"<=", ">"}, {">", "<="}, {">=", "<"}};
    int open = i + 1, close = condition_end(s, i), n = 0;
    struct text t = {0};

    if (close < 0)
        return;
    size_t at = s->v[open + 1].at;
    for (int k = open + 1; k < close; k++) {
        const char *other = word_is(s, k, "||") ? "&&" : NULL;

        if (word_is(s, k, "&&") || word_is(s, k, "==") || word_is(s, k, "!=")) {
            text_free(&t);
            return;
        }
        for (size_t o = 0; o < sizeof(of) / sizeof(of[0]); o++) {
            other = word_is(s, k, of[o][0]) ? of[o][1] : other;
            n += word_is(s, k, of[o][0]);
        }
        if (!other)
            continue;
        text_bytes(&t, s->text + at, s->v[k].at - at);
        text_add(&t, other);
        at = s->v[k].at + s->v[k].length;
    }
    text_bytes(&t, s->text + at, s->v[close - 1].at + s->v[close - 1].length - at);
    if (n)
        change(s, open + 1, close - 1, xformat("!(%s)", text_str(&t)));
    text_free(&t);
}

/* i < n: i < n + m - 1, of another number that the function is given. */
static void bound_of_both(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];

    if (!word_is_any(s, i - 1, less) || !word_is_plain(s, i) || operand_on(s, i) != i ||
        word_is_any(s, i + 1, arithmetic))
        return;
    char *a = words_text(s, i, i);
    for (int k = in->first; k < in->open; k++) {
        char *b = word_is_parameter(s, k) && !word_same(s, k, i) ? words_text(s, k, k) : NULL;

        if (b) {
            change(s, i, i, xformat("%s + %s - 1", a, b));
            change(s, i, i, xformat("%s + %s", a, b));
        }
        free(b);
    }
    free(a);
}

/* f(a + b), int x = a + b: a + b - 1, as many inputs as a block of outputs needs. */
static void both_but_one(struct scan *s, int i)
{
    static const char *const from[] = {"(", ",", "=", NULL}, *const to[] = {")", ",", ";", NULL};
    int first = word_is_any(s, i - 1, from) ? operand_on(s, i) : -1,
        last = first >= 0 && word_is(s, first + 1, "+") ? operand_on(s, first + 2) : -1;

    if (last < 0 || !word_is_any(s, last + 1, to) || word_kind(s, last) == NUMBER)
        return;
    char *a = words_text(s, i, last);
    change(s, i, last, xformat("%s - 1", a));
    free(a);
}

/* a && 1: a & 1. */
static void bits_of(struct scan *s, int i)
{
    int left = word_is(s, i, "&&") && word_kind(s, i + 1) == NUMBER ? operand_back(s, i - 1) : -1;

    if (left < 0 || operand_on(s, i + 1) != i + 1)
        return;
    char *a = words_text(s, left, i - 1), *b = words_text(s, i + 1, i + 1);
    change(s, left, i + 1, xformat("%s & %s", a, b));
    free(a);
    free(b);
}

/* What is compared with: another such of its function. */
static void bound_of_function(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int right = word_is_any(s, i, less) && word_is_binary(s, i) ? sum_on(s, i + 1) : -1;

    for (int k = in->open; k < in->end && right > 0; k++) {
        int end = k != i && word_is_any(s, k, less) && word_is_binary(s, k) ? sum_on(s, k + 1) : -1;
        char *a = words_text(s, i + 1, right), *b = end > 0 ? words_text(s, k + 1, end) : NULL;

        if (b && end > k + 1 && strcmp(a, b) != 0)
            change(s, i + 1, right, xstrdup(b));
        free(a);
        free(b);
    }
}

/* ---- loops ---- */

/* "a + 1", of a number the next one; only where it is asked for. For free(). */
static char *and_one(char *a, bool more)
{
    char *end;
    long v = strtol(a, &end, 10);

    if (!more)
        return a;
    char *sum = *a && !*end ? xformat("%ld", v + 1) : xformat("%s + 1", a);
    free(a);
    return sum;
}

/* for (type i = a; i < b; i++) from its end on; and one that goes down, up. */
static void backwards(struct scan *s, int i)
{
    int open = i + 1, close = word_is(s, i, "for") ? word_match(s, open, 1) : -1, name = open + 2,
        first = -1, second = -1;

    if (close < 0 || !word_is_type(s, open + 1) || !word_is(s, name + 1, "="))
        return;
    for (int k = open; k < close; k++) {
        if (word_is(s, k, ";"))
            *(first < 0 ? &first : &second) = k;
    }
    if (second < 0 || !word_same(s, name, first + 1))
        return;
    bool up = word_is_any(s, first + 2, (const char *const[]){"<", "<=", NULL}),
         down = word_is_any(s, first + 2, (const char *const[]){">", ">=", NULL}),
         with = first + 2 < second &&
                word_is_any(s, first + 2, (const char *const[]){"<=", ">=", NULL});
    if (!(up && (word_is(s, second + 1, "++") || word_is(s, second + 2, "++"))) &&
        !(down && (word_is(s, second + 1, "--") || word_is(s, second + 2, "--"))))
        return;
    int step = second + (word_is(s, second + 1, "++") || word_is(s, second + 1, "--") ? 1 : 2);
    step += word_same(s, step + 1, name); /* ++i */
    char *also = step < close - 1 ? words_text(s, step + 1, close - 1) : xstrdup("");
    char *type = words_text(s, open + 1, open + 1), *n = words_text(s, name, name),
         *from = words_text(s, name + 2, first - 1),
         *to = and_one(words_text(s, first + 3, second - 1), up == with);
    size_t length = strlen(from), one = strlen(" - 1");
    bool below = length > one && !strcmp(from + length - one, " - 1"); /* up to it */
    if (up)
        change(s, open + 1, close - 1,
               xformat("%s %s = %s; %s-- > %s;%s", type, n, to, n, from, also + (*also == ',')));
    else
        change(s, open + 1, close - 1,
               xformat("%s %s = %s; %s %s %.*s; %s++%s", type, n, to, n,
                       below ? "<" : "<=", (int)(length - (below ? one : 0)), from, n, also));
    free(also);
    free(type);
    free(n);
    free(from);
    free(to);
}

/* A case that goes on into the next. */
static void break_before(struct scan *s, int i)
{
    if ((word_is(s, i, "case") || word_is(s, i, "default")) && word_is(s, i - 1, ";")) {
        change(s, i, i, xstrdup("break; "));
        s->to->v[s->to->n - 1].length = 0;
    }
}

/* ---- else ---- */

static int last_else(const struct scan *s, int i, const char *next)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int last = i;

    for (int k = i; k + 1 < in->end; k++)
        last = word_is(s, k, "else") && word_is(s, k + 1, next) ? k : last;
    return last;
}

/* else if: if, here, and at all of its function. */
static void without_else(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int last = word_is(s, i, "else") && word_is(s, i + 1, "if") ? last_else(s, i, "if") : i;
    struct text t = {0};
    bool first = true;

    if (!word_is(s, i, "else") || !word_is(s, i + 1, "if"))
        return;
    change(s, i, i + 1, xstrdup("if"));
    for (int k = in->open; k < i; k++)
        first &= !word_is(s, k, "else");
    if (!first || last == i)
        return;
    size_t at = s->v[i].at;
    for (int k = i; k <= last; k++) {
        if (!word_is(s, k, "else") || !word_is(s, k + 1, "if"))
            continue;
        text_bytes(&t, s->text + at, s->v[k].at - at);
        at = s->v[k + 1].at;
    }
    text_bytes(&t, s->text + at, s->v[last + 1].at + 2 - at);
    change(s, i, last + 1, text_take(&t));
    change_told(
        s, xstrdup("with \"if\" in place of \"else if\", here and in the rest of the function,"));
}

/* if (a) b; c; to if (a) b; else c; and what is in braces. */
static void with_else(struct scan *s, int i)
{
    int close = condition_end(s, i), end, next, depth = 0;

    if (close < 0)
        return;
    for (end = close + 1; end < s->blocks[s->v[i].block].end; end++) {
        depth += word_is(s, end, "{") - word_is(s, end, "}");
        if (!depth && word_is_any(s, end, (const char *const[]){";", "}", NULL}))
            break;
    }
    next = statement_end(s, end + 1) + 1;
    if (word_is(s, end + 1, "else") || word_kind(s, end + 1) != NAME || !word_is(s, next, ";") ||
        word_is_type(s, end + 1) || word_is_keyword(s, end + 1))
        return;
    char *a = words_text(s, i, end), *b = words_text(s, end + 1, next);
    change(s, i, next, xformat("%s else %s", a, b));
    free(a);
    free(b);
}

/* A condition that is to hold always. */
static void always(struct scan *s, int i)
{
    int close = condition_end(s, i);

    if (close > i + 2)
        change(s, i + 2, close - 1, xstrdup("true"));
}

/* ---- numbers ---- */

static bool is_divisor(const struct scan *s, int i)
{
    return word_kind(s, i) == NUMBER || word_is_constant(s, i) || word_is_plain(s, i);
}

/* x % a: x / b, of the numbers that its function divides by; and the other way round. */
static void part_of_number(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    bool rest = word_is(s, i, "%"), quotient = word_is(s, i, "/");
    int left = (rest || quotient) && word_is_binary(s, i) ? operand_back(s, i - 1) : -1;

    if (left < 0 || !is_divisor(s, i + 1))
        return;
    char *a = words_text(s, left, i - 1);
    for (int k = in->open; k < in->end; k++) {
        bool known = !word_is_any(s, k - 1, (const char *const[]){"/", "%", NULL}) ||
                     !is_divisor(s, k) || word_same(s, k, i + 1);

        for (int before = in->open; before < k && !known; before++)
            known = word_same(s, before, k) &&
                    word_is_any(s, before - 1, (const char *const[]){"/", "%", NULL});
        char *b = known ? NULL : words_text(s, k, k);
        if (b) {
            change(s, left, i + 1, xformat("%s %s %s", a, rest ? "/" : "%", b));
            change(s, i + 1, i + 1, xstrdup(b));
        }
        free(b);
    }
    free(a);
}

/* What is not there, of a choice: 0, or 1. */
static void or_none(struct scan *s, int i)
{
    int end = is_else(s, i) ? sum_on(s, i + 1) : -1;

    if (end < 0 || word_kind(s, i + 1) == NUMBER)
        return;
    change(s, i + 1, end, xstrdup("0"));
    change(s, i + 1, end, xstrdup("1"));
}

/* a / b * b; and a number of groups as that of what is in them. */
static void of_groups(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int left = word_is(s, i, "/") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1;

    if (right > 0 && !word_is(s, right + 1, "*") && !word_is_any(s, right + 1, asks)) {
        char *a = words_text(s, left, right), *b = words_text(s, i + 1, right);
        change(s, left, right, xformat("%s * %s", a, b));
        free(a);
        free(b);
    }
    if (!word_is_plain(s, i) || !word_is(s, i - 1, "=") || !word_is(s, i + 1, ";"))
        return;
    char *name = words_text(s, i, i);
    for (int k = in->open; k < i; k++) {
        bool known = !word_is(s, k - 1, "/") || word_kind(s, k) != NUMBER;

        for (int before = in->open; before < k && !known; before++)
            known = word_same(s, before, k) && word_is(s, before - 1, "/");
        if (known)
            continue;
        char *b = words_text(s, k, k);
        change(s, i, i, xformat("%s * %s", name, b));
        free(b);
    }
    free(name);
}

/* i < n of what moves several at a time: the last of them. */
static void last_of_several(struct scan *s, int i)
{
    static const char *const vectors[] = {"float4", "int4", "uint4", "float2", "half2", NULL};
    const struct block *in = &s->blocks[s->v[i].block];
    int left = word_is(s, i, "<") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1;
    bool moves = false;

    for (int k = in->open; k < in->end && left >= 0; k++)
        moves |= word_is_any(s, k, vectors);
    if (!moves || word_is_any(s, left - 1, arithmetic))
        return;
    char *a = words_text(s, left, i - 1);
    change(s, left, i - 1, xformat("%s + 3", a));
    change(s, left, i - 1, xformat("%s + 1", a));
    free(a);
}

/* What is given one by one is taken together: sums of all of a chain, in brackets. */
static void sum_in_brackets(struct scan *s, int i)
{
    static const char *const products[] = {"*", "/", "%", NULL};
    int left = word_is_any(s, i, products) && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1, from;

    if (right < 0 || !word_is_any(s, left - 1, sums) || !word_is_binary(s, left - 1))
        return;
    from = sum_back(s, left);
    if (from >= left)
        return;
    char *a = words_text(s, from, i - 1), *b = words_text(s, i, right);
    change(s, from, right, xformat("(%s) %s", a, b));
    free(a);
    free(b);
}

static way *const forms[] = {rounded_up,    last_of_parts,     reversed,         no_choice,
                             no_difference, macro_in_brackets, bits_in_brackets, each_asked,
                             not_all,       without_else,      with_else,        break_before,
                             backwards,     last_of_several,   or_none,          always,
                             bits_below,    both_but_one,      bits_of};
const struct ways form_ways = {forms, sizeof(forms) / sizeof(forms[0])};

static way *const names[] = {bound_of_function, bound_of_both, part_of_number, of_groups,
                             sum_in_brackets};
const struct ways name_ways = {names, sizeof(names) / sizeof(names[0])};
