/* wrapped.c - what is around a statement or a value only to be there. See wrapped.h. */
#include "wrapped.h"
#include "base/alloc.h"
#include "condition.h"
#include "plain.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lambdas called where they stand ---- */

enum { PARAMETERS = 4 };

struct lambda {
    int body, call, end; /* its brackets, and behind those of the call */
    int names[PARAMETERS], from[PARAMETERS], to[PARAMETERS];
    int n; /* of these: parameters, and their arguments */
};

/* Behind the expression at i, and before the bracket that closes it: a comma, or that. */
static int argument_end(const struct pass *p, int i, int close)
{
    for (; i < close && at(p, i) != ','; i++)
        if (opens(at(p, i)) && p->partner[i] >= 0)
            i = p->partner[i];
    return i < close ? i : close;
}

/* Whether parameters, from `open` on, have an argument each of the call; they are paired then. */
static bool pair_up(const struct pass *p, int open, struct lambda *l)
{
    int k = open + 1, a = l->call + 1, close = open < 0 ? 0 : p->partner[open];
    for (l->n = 0; open >= 0 && k < close; l->n++) {
        int end = argument_end(p, k, close), behind = argument_end(p, a, l->end - 1);
        if (l->n == PARAMETERS || end == k || behind == a || behind - a > NEAR ||
            !name_at(p, end - 1))
            return false;
        l->names[l->n] = end - 1;
        l->from[l->n] = a;
        l->to[l->n] = behind;
        k = end + 1;
        a = behind + 1;
    }
    return true;
}

/* [captures] (parameters) mutable -> type { … } (arguments) */
static bool find_lambda(const struct pass *p, int i, struct lambda *l)
{
    int k = p->partner[i] + 1, open = -1;
    if (at(p, i) != '[' || p->partner[i] < 0 || !among(at(p, k), "({"))
        return false;
    if (at(p, k) == '(' && p->partner[k] >= 0) {
        open = k;
        k = p->partner[k] + 1;
    }
    for (int last = k + NEAR; k < last && (name_at(p, k) || among(at(p, k), "->*&:<")); k++)
        ;
    l->body = k;
    if (at(p, k) != '{' || p->partner[k] < 0 || at(p, p->partner[k] + 1) != '(')
        return false;
    l->call = p->partner[k] + 1;
    l->end = p->partner[l->call] + 1;
    return l->end && pair_up(p, open, l);
}

/* Its tokens, a parameter being its argument. */
static void push_body(struct pass *p, const struct lambda *l, int from, int to)
{
    for (int i = from; i < to; i++) {
        int k = 0;
        while (k < l->n && !same_token(&p->in->v[i], &p->in->v[l->names[k]]))
            k++;
        if (k == l->n) {
            pass_copy(p, i, i + 1);
            continue;
        }
        pass_add(p, "(");
        pass_copy(p, l->from[k], l->to[k]);
        pass_add(p, ")");
    }
}

/* [&] { s; }(); is a block, and [] (int x) { return x; }(y) is (y). */
int called_lambda(struct pass *p, int i)
{
    struct lambda l;
    if (!find_lambda(p, i, &l))
        return i;
    int from = l.body, to = l.call, last = to - 2;
    bool statement = at(p, l.end) == ';' && begins_statement(p, i);
    if (statement) {
        push_body(p, &l, from, to);
        return l.end;
    }
    for (from++; last > from && !among(at(p, last - 1), ";{}"); last--)
        last = p->partner[last - 1] >= 0 && p->partner[last - 1] > from ? p->partner[last - 1] + 1
                                                                        : last;
    pass_add(p, "(");
    push_body(p, &l, from, last);
    push_body(p, &l, last + word(p, last, "return"), to - 1 - (at(p, to - 2) == ';'));
    pass_add(p, ")");
    return l.end;
}

/* ---- values of conditions ---- */

static struct token number_token(char *buffer, size_t size, long value)
{
    return (struct token){buffer, snprintf(buffer, size, "%ld", value), false};
}

/* Whether a condition holds if `name` has this value; all else in it is numbers (numbers()). */
static bool holds_with(const struct pass *p, int from, int to, int name, long value)
{
    char digits[32];
    struct list l = {0};
    struct token number = number_token(digits, sizeof(digits), value < 0 ? -value : value);
    for (int i = from; i < to; i++) {
        bool put = name >= 0 && same_token(&p->in->v[i], &p->in->v[name]);
        if (put && value < 0)
            push(&l, (struct token){"-", 1, false});
        push(&l, put ? number : p->in->v[i]);
    }
    bool holds = condition_holds(&l);
    free(l.v);
    return holds;
}

static bool numbers(const struct pass *p, int from, int to, int name)
{
    for (int i = from; i < to; i++)
        if (name_at(p, i) && value_at(p, i) < 0 &&
            (name < 0 || !same_token(&p->in->v[i], &p->in->v[name])))
            return false;
    return to > from && to < from + NEAR;
}

/* ---- switches with one way ---- */

/* Whether switch (from … to) goes to the label at i. */
static bool goes_to(const struct pass *p, int from, int to, int i, int colon)
{
    struct list l = {0};
    if (!numbers(p, i + 1, colon, -1))
        return false;
    push(&l, (struct token){"(", 1, false});
    for (int k = from; k < to; k++)
        push(&l, p->in->v[k]);
    for (const char *s = ")==("; *s; s++)
        push(&l, (struct token){s, 1, false});
    for (int k = i + 1; k < colon; k++)
        push(&l, p->in->v[k]);
    push(&l, (struct token){")", 1, false});
    bool same = condition_holds(&l);
    free(l.v);
    return same;
}

static void leave_out(struct pass *p, int from, int to)
{
    for (int i = from; i < to; i++)
        p->gone[i] = true;
}

/* Where the block's statements are left by a break of its own, or its end. */
static int left_at(const struct pass *p, int from, int close)
{
    for (int i = from; i < close; i++) {
        bool begins = among(at(p, i - 1), ":;{}");
        if (word(p, i, "break") && begins)
            return i;
        if (opens(at(p, i)) && p->partner[i] >= 0 && !(at(p, i) == '{' && begins))
            i = p->partner[i];
    }
    return close;
}

/* switch (1) { case 0: … case 1: s; break; default: … } is { s; }. */
int chosen_case(struct pass *p, int i)
{
    int end = p->partner[i + 1], open = end + 1, close, chosen = -1, fallback = -1;
    if (!word(p, i, "switch") || at(p, i + 1) != '(' || end < 0 || at(p, open) != '{' ||
        p->partner[open] < 0 || !numbers(p, i + 2, end, -1))
        return i;
    close = p->partner[open];
    for (int k = open + 1; k < close; k++) {
        int colon = expression_end(p, k + 1, ":;");
        if (opens(at(p, k)) && p->partner[k] >= 0) {
            k = p->partner[k];
        } else if ((word(p, k, "case") || word(p, k, "default")) && at(p, colon) == ':') {
            bool is_default = word(p, k, "default");
            fallback = is_default ? colon + 1 : fallback;
            if (chosen < 0 && !is_default && goes_to(p, i + 2, end, k, colon))
                chosen = colon + 1;
            leave_out(p, k, colon + 1);
            k = colon;
        }
    }
    chosen = chosen < 0 ? fallback : chosen;
    if (chosen < 0)
        return close + 1;
    int left = left_at(p, chosen, close);
    leave_out(p, open + 1, chosen);
    for (int k = left; k < close; k++)
        p->gone[k] |= !among(at(p, k), "}") || p->partner[k] > left;
    return open;
}

/* ---- loops of one round ---- */

/* What v is after its step, from … to: v++, v -= 2, v = 0 and the like. False: not known. */
static bool step(const struct pass *p, int from, int to, int v, long *value)
{
    bool before = to == from + 3 && same_token(&p->in->v[from + 2], &p->in->v[v]);
    int op = before ? from : from + 1;
    if (to < from + 3 || (!before && !same_token(&p->in->v[from], &p->in->v[v])))
        return false;
    long sign = at(p, op) == '-' ? -1 : 1;
    double by = value_at(p, to - 1);
    if (to == from + 3 && among(at(p, op), "+-") && at(p, op + 1) == at(p, op))
        *value += sign;
    else if (to == from + 4 && among(at(p, op), "+-") && at(p, op + 1) == '=' && by >= 0)
        *value += sign * (long)by;
    else if (to == from + 3 && at(p, op) == '=' && by >= 0)
        *value = (long)by;
    else
        return false;
    return true;
}

/* Rounds of for (…) at i: 0 and 1, or 2 for any number. */
static int rounds(const struct pass *p, int i)
{
    int close = p->partner[i], first = expression_end(p, i + 1, ";"),
        second = expression_end(p, first + 1, ";"), v = first - 3;
    if (at(p, first) != ';' || at(p, second) != ';' || v <= i || !name_at(p, v) ||
        at(p, v + 1) != '=' || value_at(p, first - 1) < 0 || value_at(p, first - 1) > 1e6)
        return 2;
    long value = (long)value_at(p, first - 1);
    bool counts_down = second == first + 4 && close == second + 1 && at(p, second - 1) == '-' &&
                       at(p, second - 2) == '-' &&
                       same_token(&p->in->v[first + 1], &p->in->v[v]); /* for (v = 1; v--;) */
    if (counts_down)
        return value < 2 ? (int)value : 2;
    if (!numbers(p, first + 1, second, v))
        return 2;
    if (!holds_with(p, first + 1, second, v, value))
        return 0;
    return step(p, second + 1, close, v, &value) && !holds_with(p, first + 1, second, v, value) ? 1
                                                                                                : 2;
}

/* Whether the loop at i, of head (…), goes on without end: for (;;), while (1). */
static bool is_endless(const struct pass *p, int i, int open)
{
    int close = p->partner[open];
    if (word(p, i, "for"))
        return close == open + 3 && at(p, open + 1) == ';' && at(p, open + 2) == ';';
    return numbers(p, open + 1, close, -1) && holds_with(p, open + 1, close, -1, 0);
}

/* for (int i = 0; i < 1; i++) s; is s; and while (1) { s; break; } is { s; }. */
int one_round(struct pass *p, int i)
{
    int open = i + 1, body = p->partner[open] + 1, close;
    bool is_for = word(p, i, "for");
    if (!(is_for || word(p, i, "while")) || at(p, open) != '(' || body <= open)
        return i;
    int n = is_for ? rounds(p, open) : 2;
    if (n < 2)
        return n ? body : statement_end(p, body);
    close = at(p, body) == '{' ? p->partner[body] : -1;
    if (close < 0 || !is_endless(p, i, open) || at(p, close - 1) != ';' ||
        !word(p, close - 2, "break") || !among(at(p, close - 3), ";{}"))
        return i;
    for (int k = body; k < close; k++)
        if (word(p, k, "continue"))
            return i;
    leave_out(p, close - 2, close);
    return body;
}

/* ---- asm ---- */

/* Parts of instructions that do more than give their results. */
static const char *const effects[] = {
    "st.",      "red",      "atom",       "bar",   "cp.",      "fence",   "mma",   "ld.",
    "ldmatrix", "prefetch", "trap",       "exit",  "sleep",    "call",    "ret",   "vote",
    "shfl",     "match",    "activemask", "tcgen", "stmat",    "tex",     "tld4",  "sust",
    "suld",     "bra",      "set",        "grid",  "applypri", "discard", "%clock"};

static bool has_effect(const struct token *t)
{
    char *s = strndup(t->s, (size_t)t->n);
    bool found = false;
    for (size_t k = 0; s && k < sizeof(effects) / sizeof(effects[0]); k++)
        found |= strstr(s, effects[k]) != NULL;
    free(s);
    return found;
}

/* The bracket of the asm at i that is a statement; -1: none is. */
static int asm_bracket(const struct pass *p, int i)
{
    int k = i + 1;
    if (!word(p, i, "asm") && !word(p, i, "__asm__") && !word(p, i, "__asm"))
        return -1;
    while (name_at(p, k) && k < i + NEAR)
        k++;
    return at(p, k) == '(' && p->partner[k] >= 0 && at(p, p->partner[k] + 1) == ';' ? k : -1;
}

/* Behind the texts of the asm of this bracket; *active: one of them does something. */
static int texts_end(const struct pass *p, int open, bool *active)
{
    int k = open + 1;
    *active = false;
    for (; at(p, k) == '"'; k++)
        *active |= has_effect(&p->in->v[k]);
    return k;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '%';
}

/* Whether the text is of blanks, signs and a comment alone. */
static bool is_blank(const struct token *t)
{
    for (int i = 1; i < t->n - 1; i++) {
        if (t->s[i] == '/' && (t->s[i + 1] == '/' || t->s[i + 1] == '*'))
            return true;
        if (t->s[i] == '\\')
            i++;
        else if (is_letter(t->s[i]))
            return false;
    }
    return true;
}

/* The brackets around it may be gone. */
int asm_output(const struct pass *p, int i)
{
    bool active;
    int open = asm_bracket(p, i), k = open < 0 ? 0 : texts_end(p, open, &active);
    if (open < 0 || active || at(p, k) != ':' || at(p, k + 1) != '"')
        return -1;
    bool round = at(p, k + 2) == '(';
    int name = k + 2 + round, behind = name + 1 + (round && at(p, name + 1) == ')');
    return name_at(p, name) && (at(p, behind) == ':' || behind == p->partner[open]) ? name : -1;
}

/* Asm whose texts are empty, or which does nothing and has no results. */
int asm_of_nothing(struct pass *p, int i)
{
    bool active, blank = true;
    int open = asm_bracket(p, i), end = open < 0 ? 0 : texts_end(p, open, &active);
    if (open < 0 || end == open + 1)
        return i;
    for (int k = open + 1; k < end; k++)
        blank &= is_blank(&p->in->v[k]);
    bool results = at(p, end) == ':' && at(p, end + 1) == '"';
    return blank || (!active && !results) ? p->partner[open] + 2 : i;
}

/* ---- copies ---- */

enum { DEEP = 16 };

struct copies {
    struct pass p;
    int *names;
    int *next; /* where each token's name is next; -1: nowhere */
    int *
        stands; /* what each token stands for begins there and ends at a semicolon; 0: for itself */
};

static bool changes_at(const struct pass *p, int i)
{
    bool before = among(at(p, i - 1), "+-") && at(p, i - 2) == at(p, i - 1);
    bool behind = among(at(p, i + 1), "+-") && at(p, i + 2) == at(p, i + 1);
    bool declares = name_at(p, i - 1) && at(p, i + 1) == '=';
    return before || behind || (!declares && assigns(p, i + 1) > i + 1) ||
           (at(p, i - 1) == '&' && is_unary(p->in, i - 1));
}

static void find_next(struct copies *c)
{
    int n = c->p.in->n, *last = xmalloc(((size_t)n + 1) * sizeof(int));
    for (int i = 0; i <= n; i++)
        last[i] = -1;
    for (int i = n - 1; i >= 0; i--) {
        c->next[i] = c->names[i] < 0 ? -1 : last[c->names[i]];
        if (c->names[i] >= 0)
            last[c->names[i]] = i;
    }
    free(last);
}

/* Where the name stands that is declared at i, with a value: `T n = …;`; -1: none is. */
static int declared(const struct pass *p, int i)
{
    int k = i;
    if (p->around[i] < 0 || !among(at(p, i - 1), ";{}") || !name_at(p, i))
        return -1;
    for (; name_at(p, k + 1) && k < i + NEAR && !declares_elsewhere(p, k); k++)
        ;
    return k > i && !declares_elsewhere(p, k) && at(p, k + 1) == '=' ? k : -1;
}

/* How often the name at k is used up to its block's end; FAR: it is changed, or more often. */
static int uses(const struct copies *c, int k, int end)
{
    int n = 0;
    for (int u = c->next[k]; u >= 0 && u < end; u = c->next[u])
        if (n++ == FAR || changes_at(&c->p, u))
            return FAR;
    return n;
}

/* Whether the name at k is declared with a name or a number. */
static bool is_copy(const struct pass *p, int k)
{
    return at(p, k + 3) == ';' && (name_at(p, k + 2) || value_at(p, k + 2) >= 0);
}

/* Whether what is declared at i is a copy: what it is one of then has several uses. */
static bool copied_at(const struct copies *c, int i, int block)
{
    int k = declared(&c->p, i);
    return k >= 0 && is_copy(&c->p, k) && uses(c, k, block) < FAR;
}

static void find_copies(struct copies *c)
{
    const struct pass *p = &c->p;
    for (int i = 0; i < p->in->n; i++) {
        int k = declared(p, i), end = k < 0 ? 0 : expression_end(p, k + 2, ";,{\"");
        if (k < 0 || at(p, end) != ';' || end == k + 2)
            continue;
        int block = p->partner[p->around[i]], n = uses(c, k, block), first = c->next[k];
        bool once = n == 1 && first < statement_end(p, end + 1) && !copied_at(c, end + 1, block);
        if (n == FAR || !n || !(is_copy(p, k) || once))
            continue;
        for (int u = first; u >= 0 && u < block; u = c->next[u])
            c->stands[u] = k + 2;
        for (int t = i; t <= end; t++)
            c->p.gone[t] = true;
    }
}

static void push_replaced(struct copies *c, int i, int depth)
{
    int k = depth < DEEP ? c->stands[i] : 0;
    if (!k || c->p.out.n == MOST_TOKENS) {
        push(&c->p.out, c->p.in->v[i]);
        return;
    }
    pass_add(&c->p, "(");
    for (; at(&c->p, k) != ';'; k++)
        push_replaced(c, k, depth + 1);
    pass_add(&c->p, ")");
}

void put_copies(struct list *l)
{
    size_t n = (size_t)l->n + 1;
    struct copies c = {.names = xmalloc(n * sizeof(int)),
                       .next = xmalloc(n * sizeof(int)),
                       .stands = xzalloc(n * sizeof(int))};
    pass_begin(&c.p, l);
    number_names(&c.p, true, c.names);
    find_next(&c);
    find_copies(&c);
    for (int i = 0; i < l->n; i++)
        if (!c.p.gone[i])
            push_replaced(&c, i, 0);
    pass_end(&c.p, l);
    free(c.names);
    free(c.next);
    free(c.stands);
}
