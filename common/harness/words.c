/* words.c - a .cu file as a list of words (words.h). */
#include "words.h"
#include "base/alloc.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

size_t comment_length(const char *p)
{
    const char *end = p;

    if (p[0] == '/' && p[1] == '/')
        return strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*')
        return (end = strstr(p + 2, "*/")) ? (size_t)(end + 2 - p) : strlen(p);
    return 0;
}

/* A directive of the preprocessor, with the lines that it goes on. */
static size_t directive_length(const char *p)
{
    size_t n = 0;

    do
        n += strcspn(p + n, "\n") + 1;
    while (p[n - 1] && n >= 2 && p[n - 2] == '\\');
    return p[n - 1] ? n : n - 1;
}

size_t quoted_length(const char *p)
{
    size_t n = 1;

    for (; p[n] && p[n] != *p && p[n] != '\n'; n++)
        n += p[n] == '\\' && p[n + 1];
    return p[n] ? n + 1 : n;
}

static size_t sign_length(const char *p)
{
    static const char *const longer[] = {
        "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
        "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "++", "--", "->", "::"};

    for (size_t i = 0; i < sizeof(longer) / sizeof(longer[0]); i++) {
        if (!strncmp(p, longer[i], strlen(longer[i])))
            return strlen(longer[i]);
    }
    return 1;
}

static size_t number_length(const char *p)
{
    size_t n = 0;

    while (isalnum((unsigned char)p[n]) || p[n] == '.' || p[n] == '\'' ||
           (n && strchr("+-", p[n]) && p[n] &&
            strchr(p[0] == '0' && (p[1] | 32) == 'x' ? "pP" : "eE", p[n - 1])))
        n++;
    return n;
}

size_t name_length(const char *p)
{
    size_t n = 0;

    while (isalnum((unsigned char)p[n]) || p[n] == '_')
        n++;
    return n;
}

static void add_word(struct scan *s, const char *p, size_t length, enum kind kind)
{
    if (s->n % 256 == 0)
        s->v = xrealloc(s->v, (size_t)(s->n + 256) * sizeof(*s->v));
    s->v[s->n++] = (struct word){(size_t)(p - s->text), length, kind, -1, 0};
}

static void number_lines(struct scan *s)
{
    size_t at = 0;
    int line = 1;

    for (int i = 0; i < s->n; i++) {
        if (s->v[i].at < at) { /* constants that are defined, behind all else */
            at = 0;
            line = 1;
        }
        for (; at < s->v[i].at; at++)
            line += s->text[at] == '\n';
        s->v[i].line = line;
    }
}

/* What begins at p, which is added where it is a word: its length. */
static size_t split_one(struct scan *s, const char *p)
{
    size_t n = comment_length(p);
    bool digit = isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1])),
         name = isalpha((unsigned char)*p) || *p == '_';

    if (n || isspace((unsigned char)*p))
        return n ? n : 1;
    if (strchr("\"'", *p))
        return quoted_length(p);
    n = digit ? number_length(p) : name ? name_length(p) : sign_length(p);
    add_word(s, p, n, digit ? NUMBER : name ? NAME : SIGN);
    return n;
}

static void split(struct scan *s)
{
    bool start = true; /* of a line, but for blanks */

    for (const char *p = s->text; *p;) {
        size_t n = *p == '#' && start ? directive_length(p) : split_one(s, p);

        start = p[n - 1] == '\n' || (start && isspace((unsigned char)*p));
        p += n;
    }
}

bool word_is(const struct scan *s, int i, const char *word)
{
    return i >= 0 && i < s->n && s->v[i].length == strlen(word) &&
           !strncmp(s->text + s->v[i].at, word, s->v[i].length);
}

bool word_is_any(const struct scan *s, int i, const char *const *words)
{
    for (; *words; words++) {
        if (word_is(s, i, *words))
            return true;
    }
    return false;
}

bool word_same(const struct scan *s, int i, int j)
{
    return s->v[i].length == s->v[j].length &&
           !strncmp(s->text + s->v[i].at, s->text + s->v[j].at, s->v[i].length);
}

bool word_assigns(const struct scan *s, int i)
{
    static const char *const sets[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};

    return word_is_any(s, i, sets);
}

bool word_is_new(const struct scan *s, int i, const int *found, int n)
{
    bool new = true;

    for (int k = 0; k < n && new; k++)
        new = !word_same(s, i, found[k]);
    return new;
}

enum kind word_kind(const struct scan *s, int i)
{
    return i >= 0 && i < s->n ? s->v[i].kind : SIGN;
}

/* ---- blocks ---- */

/* __launch_bounds__(…), CLUSTER(…): what is no function has a name behind its brackets. */
static bool is_attribute(const struct scan *s, int i, int open)
{
    int next = word_match(s, i + 1, 1) + 1;

    return word_is(s, i, "LAUNCH") ||
           (next > 0 && next < open && word_kind(s, next) == NAME && !word_is(s, next, "const"));
}

/* Of what stands before the brace: the name before the first bracket that is no attribute's, else
 * the first behind struct. */
static int head_name(const struct scan *s, int first, int open)
{
    for (int i = first; i + 1 < open; i++) {
        if (word_is(s, i, "struct"))
            return i + 1;
        if (s->v[i].kind == NAME && word_is(s, i + 1, "(") && !is_attribute(s, i, open))
            return i;
    }
    return first;
}

/* What a macro makes, NAME(…) with no semicolon behind it, is none of what follows. */
static int behind_macros(const struct scan *s, int first, int open)
{
    while (word_kind(s, first) == NAME && word_is(s, first + 1, "(")) {
        int close = word_match(s, first + 1, 1);

        if (close < 0 || close + 1 >= open || word_kind(s, close + 1) != NAME)
            break;
        first = close + 1;
    }
    return first;
}

static void add_block(struct scan *s, int first, int open, int end)
{
    first = behind_macros(s, first, open);
    struct block b = {first, open, end, head_name(s, first, open), false, false};

    for (int i = first; i < open; i++)
        b.kernel |= word_is(s, i, "KERNEL") || word_is(s, i, "__global__");
    for (int i = first; i < end; i++)
        s->v[i].block = s->nblocks;
    s->blocks = xrealloc(s->blocks, (size_t)(s->nblocks + 1) * sizeof(b));
    s->blocks[s->nblocks++] = b;
}

/* constexpr int NAME = …; at file level, up to its semicolon: a block of its own, too. */
static void add_constant(struct scan *s, int first, int semicolon)
{
    static const char *const constants[] = {"constexpr", "const", NULL};
    bool constant = false;

    for (int i = first; i < semicolon; i++) {
        constant |= word_is_any(s, i, constants);
        if (!constant || !word_is(s, i, "=") || word_is(s, i - 1, "]"))
            continue;
        struct block b = {first, i, semicolon + 1, i - 1, false, false};

        for (int k = first; k <= semicolon; k++)
            s->v[k].block = s->nblocks;
        s->blocks = xrealloc(s->blocks, (size_t)(s->nblocks + 1) * sizeof(b));
        s->blocks[s->nblocks++] = b;
        return;
    }
}

static void find_blocks(struct scan *s)
{
    int depth = 0, open = 0, first = 0;

    for (int i = 0; i < s->n; i++) {
        if (word_is(s, i, "{") && !depth++)
            open = i;
        if (word_is(s, i, "}") && depth && !--depth) {
            add_block(s, first, open, i + 1);
            first = i + 1;
        }
        if (!depth && word_is(s, i, ";")) {
            add_constant(s, first, i);
            first = i + 1;
        }
    }
}

/* #define NAME … or NAME(…) …, of one line: a block of its own, too, behind all others. */
static void add_defines(struct scan *s)
{
    static const char define[] = "#define ";

    for (const char *p = s->text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        size_t skip = strlen(define), n = strcspn(p, "\n"), name;
        int first = s->n;

        if (strncmp(p, define, skip) || p[n - 1] == '\\' || !(name = name_length(p + skip)) ||
            !strchr(" (", p[skip + name]))
            continue;
        for (size_t at = skip; at < n;)
            at += split_one(s, p + at);
        int open = first + 1;
        for (bool head = p[skip + name] == '('; head && open < s->n; open++)
            head = !word_is(s, open, ")");
        struct block b = {first, open, s->n, first, false, false};
        for (int i = first; i < s->n; i++)
            s->v[i].block = s->nblocks;
        s->blocks = xrealloc(s->blocks, (size_t)(s->nblocks + 1) * sizeof(b));
        s->blocks[s->nblocks++] = b;
    }
}

/* names have spaces between them. */
static bool is_named(const struct scan *s, int i, const char *names)
{
    return text_lists(names, s->text + s->v[i].at, s->v[i].length);
}

/* Does word i name what the block is, or, of an enum, one of what is in it? */
static bool names_block(const struct scan *s, int i, int b)
{
    const struct block *of = &s->blocks[b];
    bool one = word_same(s, i, of->name);

    for (int k = of->open; word_is(s, of->first, "enum") && k < of->end && !one; k++)
        one = s->v[k].kind == NAME && word_same(s, i, k);
    return one;
}

static void reach(struct scan *s, int b)
{
    if (s->blocks[b].reached)
        return;
    s->blocks[b].reached = true;
    for (int i = s->blocks[b].first; i < s->blocks[b].end; i++) {
        for (int other = 0; s->v[i].kind == NAME && other < s->nblocks; other++) {
            if (names_block(s, i, other))
                reach(s, other);
        }
    }
}

/* The words from first up to end. */
static void drop(const struct scan *s, char *text, int first, int end)
{
    size_t to = s->v[end - 1].at + 1;

    for (size_t i = s->v[first].at; i < to; i++)
        text[i] = text[i] == '\n' ? '\n' : ' ';
}

/* Other kernels take time to compile. */
static void drop_other_kernels(struct scan *s)
{
    for (int b = 0; b < s->nblocks; b++) {
        if (s->blocks[b].kernel && !s->blocks[b].reached)
            drop(s, s->text, s->blocks[b].first, s->blocks[b].end);
    }
}

/* Not reached, and no structure or the like. */
static bool is_spare(const struct scan *s, const struct block *b)
{
    return !b->reached && word_is(s, b->open - 1, ")");
}

/* Is it the name of a function that is not needed? Of several with one name, none is. */
static bool names_spare(const struct scan *s, const char *name, size_t length)
{
    bool spare = false;

    for (int b = 0; b < s->nblocks; b++) {
        const struct word *w = &s->v[s->blocks[b].name];

        if (w->length != length || strncmp(s->text + w->at, name, length) != 0)
            continue;
        if (!is_spare(s, &s->blocks[b]))
            return false;
        spare = true;
    }
    return spare;
}

/* Does what the macro is defined as name such a function? */
static bool makes_spare(const struct scan *s, int macro)
{
    const struct word *w = &s->v[macro];
    char *define = xformat("#define %.*s(", (int)w->length, s->text + w->at);
    const char *p = strstr(s->text, define), *end = p ? p + directive_length(p) : p;
    bool spare = false;

    for (p = p ? p + strlen(define) : p; p < end && !spare; p++) {
        size_t n = name_length(p);

        spare = n && names_spare(s, p, n);
        p += n ? n - 1 : 0;
    }
    free(define);
    return spare;
}

/* Kernels that a macro makes at file level, NAME(…) with no semicolon behind it, of functions that
 * are not needed: the last word of such a call, or -1. */
static int spare_call(const struct scan *s, int i)
{
    int close = s->v[i].block < 0 && s->v[i].kind == NAME && word_is(s, i + 1, "(")
                    ? word_match(s, i + 1, 1)
                    : -1;
    bool spare = close >= 0 && makes_spare(s, i);

    if (close < 0 || word_is(s, close + 1, ";"))
        return -1;
    for (int k = i + 2; k < close && !spare; k++)
        spare = names_spare(s, s->text + s->v[k].at, s->v[k].length);
    return spare ? close : -1;
}

/* struct NAME {…}, a template too, whose methods may name functions that are dropped. */
static bool is_struct(const struct scan *s, const struct block *b)
{
    return b->name > b->first && word_is(s, b->name - 1, "struct") && !word_is(s, b->open - 1, ")");
}

/* Is it in a macro? */
static bool is_in_directives(const struct scan *s, int name)
{
    const char *word = s->text + s->v[name].at;
    size_t n = s->v[name].length;

    for (const char *p = s->text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        p += strspn(p, " \t");
        size_t end = *p == '#' ? directive_length(p) : 0, length;

        for (size_t k = 0; k < end; k += length ? length : 1) {
            length = name_length(p + k);
            if (length == n && !strncmp(p + k, word, n))
                return true;
        }
    }
    return false;
}

/* Outside itself, and what is dropped. */
static bool is_needed(const struct scan *s, int block, const bool *dropped)
{
    if (is_in_directives(s, s->blocks[block].name))
        return true;
    for (int i = 0; i < s->n; i++) {
        int in = s->v[i].block;

        if (in != block && (in < 0 || !dropped[in]) && word_same(s, i, s->blocks[block].name))
            return true;
    }
    return false;
}

char *scan_lean(const struct scan *s)
{
    char *lean = xstrdup(s->text);
    bool *dropped = xcalloc((size_t)s->nblocks + 1, sizeof(*dropped)), more = true;

    for (int b = 0; b < s->nblocks; b++)
        dropped[b] = !s->blocks[b].reached &&
                     (s->blocks[b].kernel || word_is(s, s->blocks[b].open - 1, ")"));
    while (more) {
        more = false;
        for (int b = 0; b < s->nblocks; b++) {
            if (dropped[b] || s->blocks[b].reached || !is_struct(s, &s->blocks[b]) ||
                is_needed(s, b, dropped))
                continue;
            dropped[b] = more = true;
        }
    }
    for (int b = 0; b < s->nblocks; b++) {
        if (dropped[b])
            drop(s, lean, s->blocks[b].first, s->blocks[b].end);
    }
    for (int i = 0; i < s->n; i++) {
        int close = spare_call(s, i);

        if (close >= 0)
            drop(s, lean, i, close + 1);
    }
    free(dropped);
    return lean;
}

/* ---- operands ---- */

bool word_jumps(const struct scan *s, int from, int to)
{
    static const char *const out[] = {"break", "continue", "goto", "return", NULL};
    bool found = false;

    for (int k = from; k <= to && !found; k++)
        found = word_is_any(s, k, out);
    return found;
}

int word_match(const struct scan *s, int i, int step)
{
    int depth = 0;

    for (; i >= 0 && i < s->n; i += step) {
        depth += step * (word_is(s, i, "(") || word_is(s, i, "["));
        depth -= step * (word_is(s, i, ")") || word_is(s, i, "]"));
        if (!depth)
            return i;
    }
    return -1;
}

int operand_back(const struct scan *s, int i)
{
    while (i >= 0) {
        if (word_is(s, i, ")") || word_is(s, i, "]")) {
            int open = word_match(s, i, -1);
            if (open < 1 || (word_kind(s, open - 1) != NAME && !word_is(s, open - 1, "]")))
                return word_is(s, i, ")") ? open : -1;
            i = open - 1;
        } else if (s->v[i].kind == SIGN) {
            return -1;
        } else if (word_is(s, i - 1, ".") || word_is(s, i - 1, "->")) {
            i -= 2;
        } else {
            return i;
        }
    }
    return -1;
}

int operand_on(const struct scan *s, int i)
{
    while (word_is(s, i, "-") || word_is(s, i, "~") || word_is(s, i, "!"))
        i++;
    if (word_kind(s, i) == SIGN && !word_is(s, i, "("))
        return -1;
    if (word_is(s, i, "("))
        i = word_match(s, i, 1);
    while (i >= 0 && i < s->n) {
        if ((word_is(s, i + 1, "(") && s->v[i].kind == NAME) || word_is(s, i + 1, "["))
            i = word_match(s, i + 1, 1);
        else if (word_is(s, i + 1, ".") || word_is(s, i + 1, "->"))
            i += 2;
        else
            return i;
    }
    return -1;
}

int chain_back(const struct scan *s, int i, const char *const *signs)
{
    while (i > 1 && word_is_any(s, i - 1, signs) && word_is_binary(s, i - 1)) {
        int left = operand_back(s, i - 2);

        if (left < 0)
            break;
        i = left;
    }
    return i;
}

int chain_on(const struct scan *s, int i, const char *const *signs)
{
    while (i > 0 && word_is_any(s, i + 1, signs) && word_is_binary(s, i + 1))
        i = operand_on(s, i + 2);
    return i;
}

static const char *const types[] = {"int",    "unsigned", "float", "double",   "char",
                                    "long",   "short",    "bool",  "half",     "float2",
                                    "float4", "uint2",    "uint4", "void",     "size_t",
                                    "auto",   "T",        "const", "template", NULL};
static const char *const keywords[] = {
    "return",      "if",       "for",      "while",      "else",       "case",
    "struct",      "static",   "volatile", "__shared__", "__device__", "__restrict__",
    "constexpr",   "asm",      "switch",   "typename",   "sizeof",     "reinterpret_cast",
    "static_cast", "true",     "false",    "KERNEL",     "break",      "continue",
    "extern",      "SCHEDULE", "class",    "inline",     NULL};

/* "unsigned half": a name that its function has. */
static bool is_name_there(const struct scan *s, int i)
{
    int b = s->v[i].block;

    for (int k = b < 0 ? 1 : s->blocks[b].first + 1; k < (b < 0 ? s->n : s->blocks[b].end); k++) {
        if (word_same(s, k, i) && !word_same(s, k - 1, i) && word_is_any(s, k - 1, types) &&
            !word_is(s, k - 1, "const"))
            return true;
    }
    return false;
}

bool word_is_type(const struct scan *s, int i)
{
    return word_is_any(s, i, types) && !(word_is(s, i, "half") && is_name_there(s, i));
}

bool word_is_keyword(const struct scan *s, int i)
{
    return word_is_any(s, i, keywords);
}

bool word_is_variable(const struct scan *s, int i)
{
    return word_kind(s, i) == NAME && !word_is_type(s, i) && !word_is_keyword(s, i) &&
           !word_is(s, i + 1, "(") && !word_is(s, i + 1, "::") && !word_is(s, i - 1, "::");
}

bool word_is_declared(const struct scan *s, int i)
{
    return word_kind(s, i - 1) == NAME && !word_is(s, i - 1, "return") &&
           !word_is(s, i - 1, "case");
}

bool word_is_member(const struct scan *s, int i)
{
    return word_is(s, i - 1, ".") || word_is(s, i - 1, "->");
}

bool word_is_binary(const struct scan *s, int i)
{
    static const char *const binary[] = {"+", "-",  "*", "/",  "%",  "<<", ">>", "&",  "|", "^",
                                         "<", "<=", ">", ">=", "==", "!=", "&&", "||", NULL};
    int before = i - 1;

    return word_is_any(s, i, binary) && before >= 0 &&
           (word_kind(s, before) != SIGN || word_is(s, before, ")") || word_is(s, before, "]")) &&
           !word_is_type(s, before) && !word_is_keyword(s, before) && operand_on(s, i + 1) >= 0;
}

char *words_text(const struct scan *s, int from, int to)
{
    size_t at = s->v[from].at;

    return xformat("%.*s", (int)(s->v[to].at + s->v[to].length - at), s->text + at);
}

/* ---- variables and statements ---- */

bool word_is_array(const struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];

    for (int k = in->first; k < in->end; k++) {
        if (word_same(s, i, k) &&
            (word_is(s, k + 1, "[") || (k < in->open && word_is(s, k - 1, "*"))))
            return true;
    }
    return false;
}

bool word_is_plain(const struct scan *s, int i)
{
    return word_is_variable(s, i) && !word_is_member(s, i) && !word_is_declared(s, i) &&
           !word_is(s, i + 1, ".");
}

bool word_is_constant(const struct scan *s, int i)
{
    const struct word *w = &s->v[i];
    bool capital = word_is_variable(s, i) && !word_is_member(s, i) && w->length > 1;

    for (size_t k = 0; k < w->length && capital; k++)
        capital = !islower((unsigned char)s->text[w->at + k]);
    return capital && isupper((unsigned char)s->text[w->at]) && !word_is(s, i, "T");
}

bool word_is_parameter(const struct scan *s, int k)
{
    const struct block *in = &s->blocks[s->v[k].block];

    return k > in->name && k < in->open && word_is_variable(s, k) && word_is_declared(s, k) &&
           (word_is(s, k + 1, ",") || word_is(s, k + 1, ")")) && !word_is_array(s, k);
}

static const char *const ends[] = {";", "{", "}", NULL}, *const heads[] = {"if", "for", "while",
                                                                           NULL};

int head_body(const struct scan *s, int i)
{
    static const char *const heads[] = {"if", "for", "while", NULL};
    int close = word_is_any(s, i, heads) && word_is(s, i + 1, "(") ? word_match(s, i + 1, 1) : -1;

    return close < 0 ? -1 : close + 1;
}

int brace_end(const struct scan *s, int i)
{
    int depth = 0;

    for (int k = i; k < s->n && k < s->blocks[s->v[i].block].end; k++) {
        depth += word_is(s, k, "{") - word_is(s, k, "}");
        if (!depth)
            return k;
    }
    return -1;
}

int condition_end(const struct scan *s, int i)
{
    return word_is(s, i, "if") && word_is(s, i + 1, "(") ? word_match(s, i + 1, 1) : -1;
}

int statement_begin(const struct scan *s, int i)
{
    while (i > 0 && !word_is_any(s, i - 1, ends)) {
        int open = word_is(s, i - 1, ")") ? word_match(s, i - 1, -1) : -1;

        if (word_is(s, i - 1, "(") && word_is_any(s, i - 2, heads))
            break;
        if (open >= 0 && word_is_any(s, open - 1, heads)) /* its own head */
            break;
        i = open >= 0 ? open : i - 1;
    }
    return i;
}

int statement_end(const struct scan *s, int i)
{
    for (i--; i + 1 < s->n && !word_is_any(s, i + 1, ends) && !word_is(s, i + 1, ")");) {
        int close = word_is(s, i + 1, "(") ? word_match(s, i + 1, 1) : -1;

        i = close >= 0 ? close : i + 1;
    }
    return i;
}

/* ---- all of it ---- */

void scan_split(struct scan *s, const char *source)
{
    s->text = xstrdup(source);
    split(s);
}

void scan_open(struct scan *s, const char *source, const char *names)
{
    scan_split(s, source);
    find_blocks(s);
    add_defines(s);
    number_lines(s);
    for (int b = 0; b < s->nblocks; b++) {
        if (is_named(s, s->blocks[b].name, names))
            reach(s, b);
    }
    drop_other_kernels(s);
}

void scan_close(struct scan *s)
{
    free(s->v);
    free(s->blocks);
}

bool scan_reaches(const struct scan *s, int i)
{
    int b = s->v[i].block;

    return b >= 0 && s->blocks[b].reached && i >= s->blocks[b].open;
}

bool is_else(const struct scan *s, int i)
{
    bool choice = false;

    for (int k = statement_begin(s, i); k < i; k++)
        choice |= word_is(s, k, "?");
    return word_is(s, i, ":") && choice;
}
