/* turn.h - four by four words, turned: rows of `from`, `line` words apart, become columns of `to`,
 * whose rows lie `apart`.
 */
#ifndef EMULATOR_EXEC_TURN_H
#define EMULATOR_EXEC_TURN_H

#include "lanes.h"

typedef u32 four __attribute__((vector_size(16), aligned(4), may_alias));
static inline void turn_four(const u32 *from, u32 line, u32 *to, u32 apart)
{
    four a = *(const four *)from, b = *(const four *)(from + line);
    four c = *(const four *)(from + 2 * line), d = *(const four *)(from + 3 * line);
    four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
         AB = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5),
         CD = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(four *)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(four *)(to + apart) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *(four *)(to + 2 * apart) = __builtin_shufflevector(AB, CD, 0, 1, 4, 5);
    *(four *)(to + 3 * apart) = __builtin_shufflevector(AB, CD, 2, 3, 6, 7);
}

#endif
