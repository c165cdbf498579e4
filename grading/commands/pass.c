/* pass.c - what rules look at, and how one is run over a list (pass.h). */
#include "pass.h"
#include "base/alloc.h"
#include "plain.h"

#include <stdlib.h>
#include <string.h>

char at(const struct pass *p, int i)
{
    const struct token *t = &p->in->v[i];
    return i < 0 || i >= p->in->n ? ';' : t->n == 1 || strchr("\"'", *t->s) ? *t->s : 'a';
}

bool word(const struct pass *p, int i, const char *text)
{
    return i >= 0 && i < p->in->n && is(&p->in->v[i], text);
}

bool opens(char c)
{
    return c == '(' || c == '[' || c == '{';
}

bool closes(char c)
{
    return c == ')' || c == ']' || c == '}';
}

bool among(char c, const char *these)
{
    return c && strchr(these, c);
}

bool name_at(const struct pass *p, int i)
{
    return i >= 0 && i < p->in->n && is_name(&p->in->v[i]);
}

double value_at(const struct pass *p, int i)
{
    char s[16], *end;
    if (i < 0 || i >= p->in->n || p->in->v[i].n >= (int)sizeof(s))
        return -1;
    if (word(p, i, "true") || word(p, i, "false"))
        return word(p, i, "true");
    if (!is_number(&p->in->v[i]))
        return -1;
    memcpy(s, p->in->v[i].s, (size_t)p->in->v[i].n);
    s[p->in->v[i].n] = 0;
    double value = strtod(s, &end);
    return strspn(end, "uUlLfFzZ") == strlen(end) ? value : -1;
}

bool ends_operand(const struct token *t)
{
    return !is(t, "return") && (is_name(t) || is_number(t) || strchr(")]\"'", *t->s));
}

bool is_unary(const struct list *l, int i)
{
    return !i || !ends_operand(&l->v[i - 1]);
}

static void find_brackets(struct pass *p)
{
    int open = -1; /* the innermost; the ones around it by p->around */
    for (int i = 0; i < p->in->n; i++) {
        char c = at(p, i);
        p->partner[i] = -1;
        while (c == '}' && open >= 0 && at(p, open) != '{')
            open = p->around[open];
        if (closes(c) && open >= 0 && at(p, open) == (c == ')' ? '(' : c == ']' ? '[' : '{')) {
            p->partner[i] = open;
            p->partner[open] = i;
            open = p->around[open];
        }
        p->around[i] = open;
        if (opens(c))
            open = i;
    }
}

void pass_copy(struct pass *p, int from, int to)
{
    for (int i = from; i < to; i++)
        if (!p->gone[i])
            push(&p->out, p->in->v[i]);
}

void pass_begin(struct pass *p, const struct list *l)
{
    size_t n = (size_t)l->n + 1;
    *p = (struct pass){l, xmalloc(n * sizeof(int)), xmalloc(n * sizeof(int)), xzalloc(n), {0}};
    p->partner[l->n] = p->around[l->n] = -1;
    find_brackets(p);
}

void pass_end(struct pass *p, struct list *l)
{
    free(p->partner);
    free(p->around);
    free(p->gone);
    free(l->v);
    *l = p->out;
}

void pass_add(struct pass *p, const char *text)
{
    push(&p->out, (struct token){text, 1, false});
}

void rewrite(struct list *l, rule apply)
{
    struct pass p;
    pass_begin(&p, l);
    for (int i = 0; i < l->n;) {
        int next = p.gone[i] ? i + 1 : apply(&p, i);
        if (next == i)
            push(&p.out, l->v[i++]);
        else
            i = next;
    }
    pass_end(&p, l);
}

int statement_end(const struct pass *p, int i)
{
    for (int n = 0; i < p->in->n && n < FAR; i++, n++) {
        bool block = at(p, i) == '{';
        if (closes(at(p, i)))
            return i;
        if (p->partner[i] >= 0)
            i = p->partner[i];
        if (block || at(p, i) == ';')
            return i + 1;
    }
    return i;
}

int expression_end(const struct pass *p, int i, const char *these)
{
    int most = i + NEAR;
    for (; i < p->in->n && i < most; i++) {
        if (closes(at(p, i)) || among(at(p, i), these))
            return i;
        if (opens(at(p, i)) && p->partner[i] >= 0)
            i = p->partner[i];
    }
    return i;
}

int assigns(const struct pass *p, int i)
{
    int k = i;
    if (among(at(p, k), "+-*/%&|^"))
        k++;
    else if (among(at(p, k), "<>") && at(p, k + 1) == at(p, k))
        k += 2;
    return at(p, k) == '=' && at(p, k + 1) != '=' ? k + 1 : i;
}

bool begins_statement(const struct pass *p, int i)
{
    return among(at(p, i - 1), ";{}),(:") || word(p, i - 1, "else") || word(p, i - 1, "do");
}

static int by_spelling(const void *a, const void *b)
{
    const struct token *x = *(const struct token *const *)a, *y = *(const struct token *const *)b;
    int least = x->n < y->n ? x->n : y->n, order = memcmp(x->s, y->s, (size_t)least);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

void number_names(const struct pass *p, bool apart, int *names)
{
    const struct token *v = p->in->v, **sorted = xmalloc(((size_t)p->in->n + 1) * sizeof(*sorted));
    int last = -1;
    for (int i = 0, n = 0; i < p->in->n; i++) {
        names[i] = -1;
        if (is_name(&v[i]))
            sorted[n++] = &v[i];
        if (i + 1 < p->in->n && (!apart || at(p, i) != '}' || p->around[i] >= 0))
            continue;
        qsort(sorted, (size_t)n, sizeof(*sorted), by_spelling);
        for (int k = 0; k < n; k++) {
            last += !k || !same_token(sorted[k], sorted[k - 1]);
            names[sorted[k] - v] = last;
        }
        n = 0;
    }
    free(sorted);
}

bool declares_elsewhere(const struct pass *p, int i)
{
    static const char *const words[] = {"return", "goto",       "case",         "throw",
                                        "else",   "do",         "using",        "new",
                                        "break",  "typedef",    "extern",       "__shared__",
                                        "delete", "__device__", "__constant__", "continue"};
    for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
        if (word(p, i, words[k]))
            return true;
    return false;
}
