/* edits_near.c - which words may have to do with what was seen on a line (editing.h).
 *
 * Not modelled: the language. Lines are followed back by the names on them, to where these are set,
 * to the conditions around them, to what calls a function give its parameters, and to what a
 * function that is called gives back; whatever has the same name counts.
 */
#include "base/alloc.h"
#include "editing.h"

#include <stdlib.h>

enum {
    ELSEWHERE = 60, /* lines: where nothing of these functions is */
    UNRELATED = 12, /* further than what is related, by as much, and the lines between */
    HOPS = 5,
    A_HOP = 2 /* as far as so many lines */
};

/* Does word i name another block, of these? */
static bool names_one(const struct scan *s, int i, const bool *blocks)
{
    for (int b = 0; b < s->nblocks; b++) {
        if (blocks[b] && b != s->v[i].block && word_same(s, i, s->blocks[b].name))
            return true;
    }
    return false;
}

bool *near_blocks(const struct scan *s, const int lines[2])
{
    bool *in = xcalloc((size_t)s->nblocks + 1, sizeof(*in)), more = true;

    while (more) {
        more = false;
        for (int i = 0; i < s->n; i++) {
            int b = s->v[i].block;

            if (b < 0 || in[b] || i < s->blocks[b].open)
                continue;
            in[b] = s->v[i].line == lines[0] || s->v[i].line == lines[1] || names_one(s, i, in);
            more |= in[b];
        }
    }
    return in;
}

/* ---- back along the data ---- */

/* Of the words, how many hops away; HOPS + 1: more. */
struct trail {
    const struct scan *s;
    int *hops;
    bool more;
};

/* All words of the line of word i, in its block. */
static void reach_line(struct trail *t, int i, int hops)
{
    const struct scan *s = t->s;

    for (int k = i; k >= 0 && s->v[k].line == s->v[i].line && t->hops[k] > hops; k--) {
        t->hops[k] = hops;
        t->more = true;
    }
    for (int k = i + 1; k < s->n && s->v[k].line == s->v[i].line && t->hops[k] > hops; k++) {
        t->hops[k] = hops;
        t->more = true;
    }
}

/* What follows the brackets behind an array's name, or a name. */
static int behind_operand(const struct scan *s, int i)
{
    while (word_is(s, i + 1, "[") && word_match(s, i + 1, 1) > 0)
        i = word_match(s, i + 1, 1);
    return i + 1;
}

static bool is_set(const struct scan *s, int i)
{
    int behind = behind_operand(s, i);

    return word_is_declared(s, i) || word_assigns(s, behind) || word_is(s, behind, "++") ||
           word_is(s, behind, "--") || word_is(s, i - 1, "++") || word_is(s, i - 1, "--") ||
           word_is(s, i - 1, "&");
}

/* The conditions around word i: of heads whose statement it is in, with braces or without. */
static void reach_heads(struct trail *t, int i, int hops)
{
    static const char *const heads[] = {"if", "for", "while", NULL};
    const struct scan *s = t->s;
    int depth = 0, from = s->blocks[s->v[i].block].open, begin = statement_begin(s, i);

    for (int k = begin; k > from; k--) {
        bool opens = word_is(s, k, "{") && !depth;
        int open = (opens || k == begin) && word_is(s, k - 1, ")") ? word_match(s, k - 1, -1) : -1;

        depth += k < begin ? word_is(s, k, "}") - (word_is(s, k, "{") && depth) : 0;
        if (open > 0 && word_is_any(s, open - 1, heads))
            reach_line(t, open, hops);
    }
}

/* Where functions of this block's name are called. */
static void reach_calls(struct trail *t, int block, int hops)
{
    const struct scan *s = t->s;

    for (int i = 0; i < s->n; i++) {
        if (scan_reaches(s, i) && s->v[i].block != block && word_same(s, i, s->blocks[block].name))
            reach_line(t, i, hops);
    }
}

/* What a function gives back, or a constant is. */
static void reach_returns(struct trail *t, int i, int hops)
{
    const struct scan *s = t->s;

    for (int b = 0; b < s->nblocks; b++) {
        bool function = word_is(s, s->blocks[b].open - 1, ")");

        if (b == s->v[i].block || (function && !word_same(s, i, s->blocks[b].name)))
            continue;
        for (int k = s->blocks[b].first; k < s->blocks[b].end; k++) {
            if (function ? word_is(s, k, "return") : word_same(s, i, k))
                reach_line(t, k, hops);
        }
    }
}

/* From word i, which is so many hops away. */
static void follow(struct trail *t, int i, int hops)
{
    const struct scan *s = t->s;
    const struct block *in = &s->blocks[s->v[i].block];

    reach_heads(t, i, hops + 1);
    if (word_kind(s, i) != NAME || word_is_member(s, i) || word_is_keyword(s, i))
        return;
    reach_returns(t, i, hops + 1);
    for (int k = in->first; k < in->end; k++) {
        if (!word_same(s, i, k) || word_is_member(s, k))
            continue;
        if (k < in->open)
            reach_calls(t, s->v[i].block, hops + 1);
        else if (is_set(s, k))
            reach_line(t, k, hops + 1);
    }
}

static int *hops_from(const struct scan *s, const int lines[2])
{
    struct trail t = {.s = s, .hops = xcalloc((size_t)s->n + 1, sizeof(int)), .more = true};

    for (int i = 0; i < s->n; i++) {
        bool there = scan_reaches(s, i) && (s->v[i].line == lines[0] || s->v[i].line == lines[1]);

        t.hops[i] = there ? 0 : HOPS + 1;
    }
    for (int hops = 0; hops < HOPS && t.more; hops++) {
        t.more = false;
        for (int i = 0; i < s->n; i++) {
            if (t.hops[i] == hops && scan_reaches(s, i))
                follow(&t, i, hops);
        }
    }
    return t.hops;
}

int *near_lines(const struct scan *s, const int lines[2])
{
    int *away = xcalloc((size_t)s->n + 1, sizeof(*away)), *hops = hops_from(s, lines);
    bool *in = near_blocks(s, lines);

    for (int i = 0; i < s->n; i++)
        away[i] = ELSEWHERE;
    for (int i = 0; i < s->n; i++) {
        const struct word *w = &s->v[i];

        if (w->block < 0 || i < s->blocks[w->block].open ||
            (w->line != lines[0] && w->line != lines[1] && !names_one(s, i, in)))
            continue;
        for (int k = s->blocks[w->block].open; k < s->blocks[w->block].end; k++) {
            int n = UNRELATED + abs(s->v[k].line - w->line);

            away[k] = n < away[k] ? n : away[k];
        }
    }
    for (int i = 0; i < s->n; i++) {
        if (hops[i] <= HOPS)
            away[i] = A_HOP * hops[i];
    }
    free(hops);
    free(in);
    return away;
}

bool near_is_related(int away)
{
    return away <= A_HOP * HOPS;
}
