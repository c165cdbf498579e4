/* picture_svg.c - draws a verdict's pictures as SVG. See picture.h.
 *
 * Colour never stands alone: what it says is also written beside the row or in the caption.
 */
#include "grading/mark/picture.h"
#include "base/alloc.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { WARP = 32, CELL = 20, ROW = 16, LEFT = 52, RIGHT = 140, MOST_ROWS = 64 };
#define FARTHEST (1ull << 40) /* bytes between two lanes: no memory is larger */
#define WIDTH    (LEFT + WARP * CELL + RIGHT)

struct request {
    uint32_t mask;
    unsigned size;
    uint64_t at[WARP];
    int lane[WARP], n;
};

static bool read_request(const json_t *p, struct request *r)
{
    json_t *at = json_object_get(p, "at");
    *r = (struct request){.mask = (uint32_t)json_integer_value(json_object_get(p, "mask")),
                          .size = (unsigned)json_integer_value(json_object_get(p, "size"))};
    for (int i = 0; i < WARP; i++)
        if (r->mask >> i & 1)
            r->lane[r->n++] = i;
    for (int i = 0; i < r->n; i++) {
        r->at[i] = (uint64_t)json_integer_value(json_array_get(at, (size_t)i));
        if (r->at[i] > FARTHEST)
            return false;
    }
    return r->n && json_array_size(at) == (size_t)r->n && r->size >= 1 && r->size <= 16;
}

static void open_svg(struct text *out, int rows, const char *label, int lanes, long long units)
{
    text_addf(out,
              "<svg class=\"picture\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" "
              "aria-label=\"%d lanes, %lld %s\">",
              WIDTH, rows * ROW + 20, WIDTH, lanes, units, label);
}

static void add_rect(struct text *out, const char *class, int x, int y, int w, int h)
{
    text_addf(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", class, x, y,
              w, h);
}

static void add_label(struct text *out, const char *class, int x, int y, const char *text)
{
    text_addf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
    html_escape(out, text);
    text_add(out, "</text>");
}

static void add_number(struct text *out, const char *class, int x, int y, long long n,
                       const char *after)
{
    char *s = xformat("%lld%s", n, after);
    add_label(out, class, x, y, s);
    free(s);
}

static void add_columns(struct text *out, const char *name)
{
    add_label(out, "soft", 0, 12, name);
    for (int i = 0; i < WARP; i += 8)
        add_number(out, "mid", LEFT + i * CELL + CELL / 2, 12, i, "");
    add_number(out, "mid", LEFT + 31 * CELL + CELL / 2, 12, 31, "");
}

/* ---- sectors: a row is a line of 128 bytes, four sectors of eight 4-byte words ---- */

static int row_of(uint64_t *lines, int *n, uint64_t line)
{
    int k = 0;
    while (k < *n && lines[k] != line)
        k++;
    if (k == *n)
        lines[(*n)++] = line;
    return k;
}

static void sort_lines(uint64_t *lines, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k && lines[k] < lines[k - 1]; k--) {
            uint64_t t = lines[k];
            lines[k] = lines[k - 1];
            lines[k - 1] = t;
        }
}

static bool touches(const struct request *r, uint64_t sector)
{
    for (int i = 0; i < r->n; i++)
        if (r->at[i] / 32 <= sector && (r->at[i] + r->size - 1) / 32 >= sector)
            return true;
    return false;
}

/* A lane's bytes; several lanes with one address are one box with the first's number and a +. */
static void add_lane(struct text *out, const struct request *r, int i, int y)
{
    int same = 0, x = LEFT + (int)(r->at[i] % 128) * CELL / 4, w = (int)r->size * CELL / 4;
    for (int k = 0; k < r->n; k++) {
        if (r->at[k] != r->at[i])
            continue;
        if (k < i)
            return;
        same++;
    }
    add_rect(out, "lane", x + 1, y + 3, w < 3 ? 1 : w - 2, ROW - 6);
    if (w >= CELL)
        add_number(out, "number", x + w / 2, y + 12, r->lane[i], same > 1 ? "+" : "");
}

static void draw_sectors(const struct request *r, long long units, struct text *out)
{
    uint64_t lines[2 * WARP];
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        row_of(lines, &n, r->at[i] / 128);
        row_of(lines, &n, (r->at[i] + r->size - 1) / 128);
    }
    sort_lines(lines, n);
    open_svg(out, n, "sectors", r->n, units);
    add_label(out, "soft", 0, 12, "byte");
    for (int s = 0; s < 4; s++)
        add_number(out, "mid", LEFT + (2 * s + 1) * 4 * CELL, 12, 32 * s, " …");
    for (int row = 0; row < n; row++) {
        int y = 18 + row * ROW, moved = 0;
        add_number(out, "soft", 0, y + 12, (long long)lines[row] * 128, "");
        for (int s = 0; s < 4; s++) {
            bool hit = touches(r, lines[row] * 4 + (uint64_t)s);
            add_rect(out, hit ? "sector" : "still", LEFT + s * 8 * CELL, y, 8 * CELL - 2, ROW - 2);
            moved += hit;
        }
        for (int i = 0; i < r->n; i++)
            if (r->at[i] / 128 == lines[row])
                add_lane(out, r, i, y - 1);
        add_number(out, "soft", LEFT + WARP * CELL + 8, y + 12, moved,
                   moved == 1 ? " sector" : " sectors");
    }
    text_add(out, "</svg>\n");
}

/* ---- banks: a row is a pass ---- */

static bool word_before(const struct request *r, int i, int first, uint64_t word)
{
    for (int k = first; k < i; k++)
        for (unsigned j = 0; j < (r->size + 3) / 4; j++)
            if (r->at[k] / 4 + j == word)
                return true;
    return false;
}

/* Fills served[pass][bank] with lane + 1 of the lanes i … end-1; returns the passes. */
static int serve(const struct request *r, int i, int end, int served[MOST_ROWS][WARP], int row)
{
    int depth[WARP] = {0}, most = 0;
    for (int k = i; k < end; k++)
        for (unsigned j = 0; j < (r->size + 3) / 4; j++) {
            uint64_t word = r->at[k] / 4 + j;
            int b = (int)(word % WARP);
            if (word_before(r, k, i, word) || row + depth[b] >= MOST_ROWS)
                continue;
            served[row + depth[b]++][b] = r->lane[k] + 1;
            most = depth[b] > most ? depth[b] : most;
        }
    return most;
}

static void draw_banks(const struct request *r, int groups, long long units, struct text *out)
{
    int served[MOST_ROWS][WARP] = {{0}}, needed[MOST_ROWS + 1] = {0}, rows = 0;
    for (int g = 0, from = 0, end = 0; g < groups; g++, from = end) {
        while (end < r->n && r->lane[end] < (g + 1) * WARP / groups)
            end++;
        needed[rows] = 1; /* a group's second pass is a conflict's doing */
        rows += serve(r, from, end, served, rows);
    }
    open_svg(out, rows, "passes", r->n, units);
    add_columns(out, "bank");
    for (int p = 0; p < rows && p < MOST_ROWS; p++) {
        int y = 18 + p * ROW;
        add_number(out, "soft", 0, y + 12, p + 1, "");
        for (int b = 0; b < WARP; b++) {
            int lane = served[p][b], x = LEFT + b * CELL;
            add_rect(out, !lane ? "still" : needed[p] ? "lane" : "clash", x, y, CELL - 2, ROW - 2);
            if (lane)
                add_number(out, "number", x + CELL / 2 - 1, y + 11, lane - 1, "");
        }
        if (!needed[p])
            add_label(out, "soft", LEFT + WARP * CELL + 8, y + 12, "by a conflict");
    }
    text_add(out, "</svg>\n");
}

/* ---- lanes: a row is a path, the instructions between two branches ---- */

static void draw_lanes(const json_t *p, struct text *out)
{
    json_t *paths = json_object_get(p, "paths"), *x;
    int rows = (int)json_array_size(paths);
    long long all = 0, active = 0;
    size_t i;
    json_array_foreach(paths, i, x)
    {
        uint32_t mask = (uint32_t)json_integer_value(json_array_get(x, 0));
        long long insns = json_integer_value(json_array_get(x, 1));
        all += insns;
        active += insns * __builtin_popcount(mask);
    }
    open_svg(out, rows, "instructions", all ? (int)(active / all) : 0, all);
    add_columns(out, "lane");
    json_array_foreach(paths, i, x)
    {
        uint32_t mask = (uint32_t)json_integer_value(json_array_get(x, 0));
        int y = 18 + (int)i * ROW;
        for (int lane = 0; lane < WARP; lane++)
            add_rect(out, mask >> lane & 1 ? "lane" : "still", LEFT + lane * CELL, y, CELL - 2,
                     ROW - 2);
        add_number(out, "soft", 0, y + 12, __builtin_popcount(mask), "");
        long long from = json_integer_value(json_array_get(x, 2)),
                  to = json_integer_value(json_array_get(x, 3));
        struct text said = {0};
        text_addf(&said, "%lld instr. ", (long long)json_integer_value(json_array_get(x, 1)));
        if (from > 0)
            text_addf(&said, to > from ? "lines %lld-%lld" : "line %lld", from, to);
        add_label(out, "soft", LEFT + WARP * CELL + 8, y + 12, said.s);
        text_free(&said);
    }
    text_add(out, "</svg>\n");
}

/* ---- captions ---- */

static void add_place(const json_t *p, struct text *out)
{
    long long line = json_integer_value(json_object_get(p, "line"));
    if (line <= 0)
        return;
    text_addf(out, "Line %lld: <code>", line);
    html_escape(out, json_text(p, "text"));
    text_add(out, "</code><br>");
}

static void add_caption(const json_t *p, const struct request *r, struct text *out)
{
    long long units = json_integer_value(json_object_get(p, "units")),
              least = json_integer_value(json_object_get(p, "least")),
              more = json_integer_value(json_object_get(p, "more"));
    const char *kind = json_text(p, "kind");
    text_add(out, "<figcaption>");
    add_place(p, out);
    if (!strcmp(kind, "sectors"))
        text_addf(out,
                  "One %s of a warp: %d lanes of %u bytes each move %lld sectors of 32 bytes; "
                  "%lld would hold what they asked for. Framed: a sector that moves. Filled: the "
                  "bytes of a lane, with its number.",
                  !strcmp(json_text(p, "what"), "load") ? "load" : "store", r->n, r->size, units,
                  least);
    else if (!strcmp(kind, "banks"))
        text_addf(out,
                  "One %s of a warp in shared memory: %d lanes of %u bytes each take %lld passes "
                  "over the 32 banks; %lld without conflicts. A row is a pass, the number the lane "
                  "that is served.",
                  !strcmp(json_text(p, "what"), "load") ? "load" : "store", r->n, r->size, units,
                  least);
    else
        text_add(out, "What one warp did, from top to bottom: filled lanes took part, the others "
                      "waited. On the left, how many took part.");
    if (more > 0)
        text_addf(out, " %lld more rows are not shown.", more);
    text_add(out, "</figcaption></figure>\n");
}

void picture_svg(const json_t *p, struct text *out)
{
    struct request r = {.n = 0};
    const char *kind = json_text(p, "kind");
    bool lanes = !strcmp(kind, "lanes"), sectors = !strcmp(kind, "sectors");
    if ((!lanes && !sectors && strcmp(kind, "banks")) || (!lanes && !read_request(p, &r)))
        return;
    long long units = json_integer_value(json_object_get(p, "units")),
              groups = json_integer_value(json_object_get(p, "groups"));
    text_add(out, "<figure>");
    if (lanes)
        draw_lanes(p, out);
    else if (sectors)
        draw_sectors(&r, units, out);
    else
        draw_banks(&r, groups == 2 || groups == 4 ? (int)groups : 1, units, out);
    add_caption(p, &r, out);
}
