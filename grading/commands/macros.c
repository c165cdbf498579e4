/* macros.c - directives and macros. See macros.h. */
#include "macros.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "condition.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Macros can be made to grow without end, or to nothing in endless time; headers, to be many. */
enum { MOST_WORK = 1 << 23, DEEPEST = 32, MOST_HEADERS = 64, MOST_HEADER_BYTES = 1 << 18 };

struct macro {
    struct token name;
    const struct token *params, *body;
    int nparams, nbody; /* nparams < 0: it takes none; with the commas */
    bool open;          /* being expanded: its name means itself */
    bool given;         /* by a header or the compiler: only conditions see it */
};

struct macros {
    struct macro *v;
    int n;
    int64_t work; /* tokens looked at for them */
    int inside;   /* headers being read */
    int headers;  /* read */
    bool testing; /* a condition */
    struct list *lists;
    int nlists;
    struct preprocessed *to;
};

/* NVRTC's (CUDA 13.0, as compile.c calls it), found by asking it for each that gcc, clang or nvcc
 * have. */
static const char predefined[] =
    "#define __CUDACC__ 1\n#define __CUDACC_RTC__ 1\n#define __CUDACC_VER_MAJOR__ 13\n"
    "#define __CUDACC_VER_MINOR__ 0\n#define __CUDACC_VER_BUILD__ 88\n"
    "#define __CUDA_API_VER_MAJOR__ 13\n#define __CUDA_API_VER_MINOR__ 0\n"
    "#define CUDART_VERSION 13000\n#define __CUDA_ARCH__ 900\n#define __CUDA_ARCH_LIST__ 900\n"
    "#define __CUDA_ARCH_SPECIFIC__ 900\n#define __CUDA_ARCH_FEAT_SM90_ALL 1\n"
    "#define __CUDA_FTZ 0\n#define __CUDACC_DEVICE_ATOMIC_BUILTINS__ 1\n"
    "#define __NVCC_DIAG_PRAGMA_SUPPORT__ 1\n#define __EDG__ 1\n#define __EDG_VERSION__ 606\n"
    "#define __EXCEPTIONS 1\n#define __RTTI 1\n#define _BOOL 1\n#define _WCHAR_T 1\n"
    "#define __ARRAY_OPERATORS 1\n#define __CHAR16_T_AND_CHAR32_T 1\n"
    "#define __VARIADIC_TEMPLATES 1\n#define __LP64__ 1\n#define __STDC__ 1\n"
    "#define __STDC_HOSTED__ 1\n#define __PRAGMA_REDEFINE_EXTNAME 1\n#define NULL 0\n"
    "#define __cplusplus 202002L\n#define __LINE__ 1\n#define __FILE__ \"\"\n"
    "#define __DATE__ \"\"\n#define __TIME__ \"\"\n#define __device__\n#define __global__\n"
    "#define __shared__\n#define __constant__\n#define __host__\n#define __noinline__\n"
    "#define __forceinline__\n#define __launch_bounds__\n#define __align__\n"
    "#define __builtin_align__\n#define __has_include\n#define __has_builtin\n"
    "#define __has_attribute\n#define __has_cpp_attribute\n#define __has_feature\n#define assert\n";

static void keep_text(struct macros *m, char *s)
{
    struct preprocessed *p = m->to;
    p->texts = xrealloc(p->texts, (size_t)(p->ntexts + 1) * sizeof(*p->texts));
    p->texts[p->ntexts++] = s;
}

/* The tokens of a text, which is then m's, kept as long as the macros. */
static struct list read_text(struct macros *m, char *text)
{
    struct list l = lex(text);
    keep_text(m, text);
    m->lists = xrealloc(m->lists, (size_t)(m->nlists + 1) * sizeof(*m->lists));
    m->lists[m->nlists++] = l;
    return l;
}

static struct macro *find_macro(const struct macros *m, const struct token *t)
{
    for (int i = m->n - 1; i >= 0; i--)
        if (same_token(&m->v[i].name, t))
            return &m->v[i];
    return NULL;
}

/* # define NAME … up to `end`. A bracket right behind the name begins its parameters. */
static void define(struct macros *m, const struct token *t, const struct token *end)
{
    if (t >= end || !is_name(t))
        return;
    struct macro x = {.name = *t, .nparams = -1, .given = m->inside > 0};
    if (++t < end && is(t, "(") && t->s == x.name.s + x.name.n) {
        x.params = ++t;
        while (t < end && !is(t, ")"))
            t++;
        x.nparams = (int)(t - x.params);
        t += t < end;
    }
    x.body = t;
    x.nbody = (int)(end - t);
    struct macro *old = find_macro(m, &x.name);
    if (old && !old->open) {
        *old = x;
        return;
    }
    m->v = xrealloc(m->v, (size_t)(m->n + 1) * sizeof(*m->v));
    m->v[m->n++] = x;
}

static void undefine(struct macros *m, const struct token *t)
{
    struct macro *x = find_macro(m, t);
    if (x)
        x->name.n = 0;
}

static void expand(struct list *out, struct macros *m, const struct token *t,
                   const struct token *end, int depth);

/* ---- conditionals ---- */

static const struct token *line_end(const struct token *t, const struct token *end)
{
    for (t++; t < end && !t->first; t++)
        ;
    return t;
}

static bool begins_with(const struct token *t, const char *s)
{
    return (size_t)t->n >= strlen(s) && !memcmp(t->s, s, strlen(s));
}

/* The #elif, #else or #endif that ends the group whose lines begin at t; `end` without one. */
static const struct token *group_end(const struct token *t, const struct token *end)
{
    for (int depth = 0; t < end; t = line_end(t, end)) {
        if (!t->first || !is(t, "#") || t + 1 >= end || t[1].first)
            continue;
        if (!depth && (begins_with(&t[1], "el") || is(&t[1], "endif")))
            return t;
        depth += begins_with(&t[1], "if") - is(&t[1], "endif");
    }
    return end;
}

/* A header of the course's, allocated, or NULL: `word` is <…> or "…" up to `end`. */
static char *course_header(const struct token *word, const struct token *end)
{
    const char *a = word->s + 1,
               *b = is(word, "<") ? end[-1].s : word->s + (word->n > 1 ? word->n - 1 : 1);
    static const char *const folders[] = {"common/device", "common/device/std"};
    char *text = NULL;
    if (word >= end || a >= b || b - a > 100 || (*word->s != '"' && !is(word, "<")))
        return NULL;
    char *name = xformat("%.*s", (int)(b - a), a);
    for (size_t i = 0; i < 2 && !text && !strstr(name, "..") && *name != '/'; i++) {
        char *path = xformat("%s/%s/%s", course_root(), folders[i], name);
        size_t n;
        if (file_read(path, MOST_HEADER_BYTES, &text, &n))
            text = NULL;
        free(path);
    }
    free(name);
    return text;
}

/* Between the brackets behind t, or the one word there; *next is behind. */
static const struct token *operand(const struct token *t, const struct token *end,
                                   const struct token **last, const struct token **next)
{
    if (t >= end || !is(t, "(")) {
        *last = *next = t < end ? t + 1 : end;
        return t;
    }
    const struct token *a = ++t;
    while (t < end && !is(t, ")"))
        t++;
    *last = t;
    *next = t + (t < end);
    return a;
}

/* defined X and __has_include(X), then macros. */
static bool holds(struct macros *m, const struct token *t, const struct token *end)
{
    struct list l = {0}, all = {0};
    while (t < end) {
        bool defined = is(t, "defined");
        if (!defined && !is(t, "__has_include")) {
            push(&l, *t++);
            continue;
        }
        const struct token *last, *a = operand(t + 1, end, &last, &t);
        char *header = defined || a >= last ? NULL : course_header(a, last);
        bool yes = defined ? a < last && find_macro(m, a) : header != NULL;
        m->work += defined ? m->n : 0;
        push(&l, (struct token){yes ? "1" : "0", 1, false});
        free(header);
    }
    m->testing = true;
    expand(&all, m, l.v, end_of(&l), 1);
    m->testing = false;
    bool yes = condition_holds(&all);
    free(l.v);
    free(all.v);
    return yes;
}

/* Whether the group behind the directive whose word is at t is compiled: #if, #elif and their
 * like, #else. */
static bool takes_group(struct macros *m, const struct token *t, const struct token *end)
{
    bool named = end - t > 1 && find_macro(m, t + 1);
    m->work += m->n;
    if (is(t, "ifdef") || is(t, "elifdef"))
        return named;
    if (is(t, "ifndef") || is(t, "elifndef"))
        return !named;
    return is(t, "else") || holds(m, t + 1, end);
}

/* Behind the #endif of the groups of which the next one's lines begin at t, or where the first of
 * them that is compiled begins. */
static const struct token *choose(struct macros *m, const struct token *t, const struct token *end,
                                  bool any)
{
    while ((t = group_end(t, end)) < end) {
        const struct token *word = t + 1, *next = line_end(t, end);
        if (is(word, "endif") || (any && takes_group(m, word, next)))
            return next;
        t = next;
    }
    return end;
}

static void include(struct macros *m, const struct token *t, const struct token *end)
{
    char *source = t < end && m->headers < MOST_HEADERS ? course_header(t, end) : NULL;
    struct list none = {0};
    if (!source)
        return;
    struct list l = read_text(m, joined(source));
    free(source);
    m->headers++;
    m->inside++;
    expand(&none, m, l.v, end_of(&l), 0);
    m->inside--;
    free(none.v);
}

/* Behind the directive at t, whose effect it has. */
static const struct token *directive(struct macros *m, const struct token *t,
                                     const struct token *end)
{
    const struct token *next = line_end(t, end), *word = t + 1;
    if (word >= next)
        return next;
    if (is(word, "define"))
        define(m, word + 1, next);
    else if (is(word, "undef") && word + 1 < next)
        undefine(m, word + 1);
    else if (is(word, "include"))
        include(m, word + 1, next);
    else if (begins_with(word, "if"))
        return takes_group(m, word, next) ? next : choose(m, next, end, true);
    else if (begins_with(word, "el")) /* a group before it was compiled */
        return choose(m, t, end, false);
    return next;
}

/* ---- macros ---- */

/* Behind the bracket that closes the one at t. */
static const struct token *closing(const struct token *t, const struct token *end)
{
    int depth = 0;
    for (; t < end; t++) {
        depth += is(t, "(") - is(t, ")");
        if (!depth)
            return t + 1;
    }
    return end;
}

/* The n-th of the arguments between brackets, from t on; the last may have commas. */
static struct list argument(const struct token *t, const struct token *end, int n, bool rest)
{
    struct list l = {0};
    for (int depth = 0; t < end; t++) {
        bool comma = !depth && is(t, ",");
        if (comma && (n || !rest)) {
            if (!n--)
                break;
            continue;
        }
        depth += is(t, "(") - is(t, ")");
        if (!n)
            push(&l, *t);
    }
    return l;
}

/* Of `...`, and of `args...`, whose dots are behind the name. */
static bool is_variadic(const struct macro *x, int i)
{
    return i < x->nparams &&
           (is(&x->params[i], ".") || (i + 1 < x->nparams && is(&x->params[i + 1], ".")));
}

/* Which of the macro's parameters t is, -1: none; *rest: it takes all that is left. */
static int parameter(const struct macro *x, const struct token *t, bool *rest)
{
    for (int i = 0; i < x->nparams; i += 2) {
        bool dots = is(&x->params[i], ".");
        *rest = is_variadic(x, i);
        if (dots ? is(t, "__VA_ARGS__") : same_token(&x->params[i], t))
            return i / 2;
        if (dots)
            break;
    }
    return -1;
}

struct call {
    const struct macro *x; /* a copy: macros move */
    const struct token *args, *end;
    int depth;
};

/* Empty where the body's token k is no parameter of the call's (*p < 0). */
static struct list argument_of(const struct call *c, int k, int *p)
{
    bool rest = false;
    struct list none = {0};
    *p = parameter(c->x, &c->x->body[k], &rest);
    return *p < 0 ? none : argument(c->args, c->end, *p, rest);
}

static bool pastes(const struct macro *x, int k)
{
    return k >= 0 && k + 1 < x->nbody && is(&x->body[k], "#") && is(&x->body[k + 1], "#");
}

static void push_all(struct list *to, const struct list *from)
{
    for (int i = 0; i < from->n; i++)
        push(to, from->v[i]);
}

/* a ## b: names and numbers become one; operators are a token a character anyway. */
static void paste(struct list *to, struct macros *m, const struct list *right)
{
    struct token *left = to->n ? &to->v[to->n - 1] : NULL;
    bool one = left && right->n && in_name(left->s[left->n - 1]) && in_name(*right->v[0].s);
    if (one && m->work < MOST_WORK) {
        char *s = xformat("%.*s%.*s", left->n, left->s, right->v[0].n, right->v[0].s);
        struct token t = {s, left->n + right->v[0].n, left->first};
        m->work += t.n;
        keep_text(m, s);
        to->n--;
        push_spelled(to, t);
    }
    for (int i = one; i < right->n; i++)
        push(to, right->v[i]);
}

/* The body's token k: *t its own or its argument's tokens, as they are where # or ## is beside. */
static struct list body_part(struct macros *m, const struct call *c, int k, bool raw)
{
    int p;
    struct list a = argument_of(c, k, &p), all = {0};
    m->work += 1 + c->x->nparams + (p < 0 ? 0 : c->end - c->args);
    if (p < 0) {
        push(&all, c->x->body[k]);
        return all;
    }
    if (raw)
        return a;
    expand(&all, m, a.v, end_of(&a), c->depth + 1);
    free(a.v);
    return all;
}

/* __VA_OPT__ at k: its brackets are left away, or all of it where nothing is passed. */
static int skip_option(const struct call *c, int k)
{
    const struct token *body = c->x->body, *end = body + c->x->nbody;
    if (!is(&body[k], "__VA_OPT__") || k + 1 >= c->x->nbody)
        return k;
    struct list a =
        argument(c->args, c->end, c->x->nparams > 1 ? (c->x->nparams - 3) / 2 : 0, true);
    bool some = a.n;
    free(a.v);
    return some ? k + 1 : (int)(closing(body + k + 1, end) - body);
}

/* The body with its arguments put in. */
static struct list substitute(struct macros *m, const struct call *c)
{
    static const struct token literal = {"\"\"", 2, false};
    const struct macro *x = c->x;
    struct list l = {0};
    for (int k = 0; k < x->nbody && m->work < MOST_WORK; k++) {
        bool join = pastes(x, k), quote = !join && is(&x->body[k], "#") && x->nparams >= 0;
        k += join ? 2 : quote ? 1 : 0;
        k = k < x->nbody ? skip_option(c, k) : k;
        if (k >= x->nbody)
            break;
        struct list part = body_part(m, c, k, join || quote || pastes(x, k + 1));
        if (join)
            paste(&l, m, &part);
        else if (quote)
            push(&l, literal);
        else
            push_all(&l, &part);
        free(part.v);
    }
    return l;
}

/* Whether x is a macro that is expanded before a token `next`. */
static bool applies(const struct macros *m, const struct macro *x, const struct token *next,
                    const struct token *end)
{
    return x && !x->open && (!x->given || m->testing) &&
           (x->nparams < 0 || (next < end && is(next, "(")));
}

/* Behind the macro that is expanded, whose arguments are at t. What is left last can be the name
 * of another, with its arguments behind. */
static const struct token *expand_one(struct list *out, struct macros *m, struct macro *x,
                                      const struct token *t, const struct token *end, int depth)
{
    for (int turns = 0; turns < DEEPEST; turns++) {
        struct macro copy = *x;
        int at = (int)(x - m->v);
        const struct token *next = x->nparams >= 0 ? closing(t, end) : t;
        bool args = x->nparams >= 0 && next - t >= 2;
        struct call c = {&copy, args ? t + 1 : t, args ? next - 1 : t, depth};
        struct list body = substitute(m, &c);
        m->work += next - t + 1;
        int before = out->n;
        m->v[at].open = true;
        expand(out, m, body.v, end_of(&body), depth + 1);
        m->v[at].open = false;
        free(body.v);
        t = next;
        struct token last = out->n > before ? out->v[out->n - 1] : (struct token){"", 0, false};
        x = last.n && is_name(&last) && m->work < MOST_WORK ? find_macro(m, &last) : NULL;
        m->work += m->n;
        if (!x || x->nparams < 0 || !applies(m, x, t, end))
            break;
        out->n--;
    }
    return t;
}

static void expand(struct list *out, struct macros *m, const struct token *t,
                   const struct token *end, int depth)
{
    while (t < end && out->n < MOST_TOKENS) {
        bool may = is_name(t) && depth < DEEPEST && m->work < MOST_WORK;
        struct macro *x = may ? find_macro(m, t) : NULL;
        m->work += may ? m->n : 0;
        if (!depth && t->first && is(t, "#"))
            t = directive(m, t, end);
        else if (is(t, "_Pragma") && t + 1 < end && is(t + 1, "("))
            t = closing(t + 1, end);
        else if (applies(m, x, t + 1, end))
            t = expand_one(out, m, x, t + 1, end, depth);
        else
            push(out, *t++);
    }
}

struct preprocessed preprocess(const char *source)
{
    struct preprocessed p = {0};
    struct macros m = {.to = &p, .inside = 1};
    struct list none = {0}, own = read_text(&m, xstrdup(predefined));
    expand(&none, &m, own.v, end_of(&own), 0);
    m.inside = 0;
    struct list raw = read_text(&m, joined(source));
    expand(&p.tokens, &m, raw.v, end_of(&raw), 0);
    for (int i = 0; i < m.nlists; i++)
        free(m.lists[i].v);
    free(m.lists);
    free(m.v);
    free(none.v);
    return p;
}

void preprocessed_free(struct preprocessed *p)
{
    for (int i = 0; i < p->ntexts; i++)
        free(p->texts[i]);
    free(p->texts);
    free(p->tokens.v);
}
