/* fragment.h - the registers of a factor of wmma as words in the order of memory, and back: of n
 * registers a lane, word l * n + r is register r of lane l. n is 1, 2, 4 or 8.
 */
#ifndef EMULATOR_EXEC_FRAGMENT_H
#define EMULATOR_EXEC_FRAGMENT_H

#include "turn.h"

static inline void fragment_to_words(struct warp *w, const uint32_t *places, u32 n, u32 *to)
{
    u32 rows[4 * WARP];
    for (u32 r = 0; r < n && n < 4; r++) {
        const u32 *reg = place(w, places[r]);
        for (u32 l = 0; l < WARP; l++)
            to[l * n + r] = reg[l];
    }
    for (u32 r = 0; r < n && n >= 4; r += 4) {
        for (u32 k = 0; k < 4; k++)
            memcpy(rows + k * WARP, place(w, places[r + k]), WARP * 4);
        for (u32 l = 0; l < WARP; l += 4)
            turn_four(rows + l, WARP, to + l * n + r, n);
    }
}
static inline void fragment_from_words(struct warp *w, const uint32_t *places, u32 n,
                                       const u32 *from)
{
    u32 rows[4 * WARP];
    for (u32 r = 0; r < n && n < 4; r++) {
        u32 *reg = place(w, places[r]);
        for (u32 l = 0; l < WARP; l++)
            reg[l] = from[l * n + r];
    }
    for (u32 r = 0; r < n && n >= 4; r += 4) {
        for (u32 l = 0; l < WARP; l += 4)
            turn_four(from + l * n + r, n, rows + l, WARP);
        for (u32 k = 0; k < 4; k++)
            memcpy(place(w, places[r + k]), rows + k * WARP, WARP * 4);
    }
}

#endif
