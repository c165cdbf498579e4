/* tokens.c - what is alike is made equal. See tokens.h. */
#include "tokens.h"
#include "base/alloc.h"
#include "base/lex.h"
#include "macros.h"
#include "plain.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is alike is made equal ---- */

enum { NAME = 1, NUMBER, LITERAL, CHARACTERS = 10, WORDS = 1000, BUILTINS = 2000 };

static const char *const builtins[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
static const char *const kept_words[] = {"if",
                                         "else",
                                         "for",
                                         "while",
                                         "do",
                                         "return",
                                         "break",
                                         "continue",
                                         "switch",
                                         "case",
                                         "goto",
                                         "template",
                                         "struct",
                                         "__shared__",
                                         "__global__",
                                         "KERNEL",
                                         "LAUNCH",
                                         "__syncthreads",
                                         "__syncwarp",
                                         "atomicAdd",
                                         "atomicMin",
                                         "atomicMax",
                                         "atomicCAS",
                                         "__shfl_down_sync",
                                         "__shfl_xor_sync",
                                         "__shfl_sync",
                                         "__ballot_sync",
                                         "min",
                                         "max",
                                         "fmaf"};
/* They change nothing of what is computed. */
static const char *const silent_words[] = {
    "const",  "volatile", "static",       "inline",     "register",        "constexpr",
    "extern", "restrict", "__restrict__", "__restrict", "__forceinline__", "__noinline__"};

static int index_of(const struct token *t, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is(t, words[i]))
            return (int)i;
    return -1;
}
#define INDEX(t, words) index_of(t, words, sizeof(words) / sizeof((words)[0]))

static uint64_t name_code(const struct token *t)
{
    int word = INDEX(t, kept_words);
    if (t->s[t->n - 1] == '"')
        return LITERAL;
    return word >= 0 ? WORDS + (uint64_t)word : INDEX(t, silent_words) >= 0 ? 0 : NAME;
}

static uint64_t code_of(const struct token *t)
{
    char c = *t->s;
    if (is_name(t))
        return name_code(t);
    if (c == '"' || c == '\'')
        return LITERAL;
    if (is_number(t))
        return NUMBER;
    return strchr("(){}", c) ? 0 : CHARACTERS + (unsigned char)c;
}

/* Types of several words, casts and calls put names side by side: one. */
static bool repeats(uint64_t code, uint64_t before)
{
    return code == before && (code == NAME || code == LITERAL || code == CHARACTERS + ';');
}

/* threadIdx.x and the like, whatever is between; 0: it is none. Moves *i to its last token. */
static uint64_t builtin_code(const struct list *l, int *i)
{
    int word = INDEX(&l->v[*i], builtins);
    if (word < 0 || *i + 2 >= l->n || !is(&l->v[*i + 1], "."))
        return 0;
    *i += 2;
    return BUILTINS + 256 * (uint64_t)word + (unsigned char)*l->v[*i].s;
}

/* a[i], *(a + i) and i[a] are one sum; so are &a[i] and a + i. */
static uint64_t address_code(const struct list *l, int i)
{
    const struct token *t = &l->v[i];
    if (is(t, "["))
        return CHARACTERS + '+';
    bool sign = strchr("*&+", *t->s);
    return is(t, "]") || (sign && is_unary(l, i)) ? 0 : code_of(t);
}

/* n without the last statement of these codes where that has no operator: nothing of names,
 * numbers and texts alone, as (void)0 or asm(""), has a shape. */
static int without_shapeless(const uint64_t *codes, int n)
{
    int k = n;
    while (k && (codes[k - 1] == NAME || codes[k - 1] == NUMBER || codes[k - 1] == LITERAL))
        k--;
    return k && codes[k - 1] != CHARACTERS + ';' ? n : k;
}

uint64_t *tokens_of(const char *source, int *n)
{
    struct preprocessed p = preprocess(source);
    struct list *all = &p.tokens;
    make_plain(all);
    uint64_t *codes = xmalloc((size_t)(all->n + 1) * sizeof(*codes));
    *n = 0;
    for (int i = 0; i < all->n; i++) {
        uint64_t builtin = builtin_code(all, &i), code = builtin ? builtin : address_code(all, i);
        if (code == CHARACTERS + ';')
            *n = without_shapeless(codes, *n);
        if (code && !(*n && repeats(code, codes[*n - 1])))
            codes[(*n)++] = code;
    }
    preprocessed_free(&p);
    return codes;
}
