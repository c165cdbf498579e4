/* table.c - one level's handlers as a table by enum handler_id. */
#include "lanes.h"

#define SINGLE(h)   HANDLER(h);
#define TYPED(f, t) HANDLER(f##_##t);
#define NAMED(f)
#include "emulator/code/handlers.def"
void FN(run_warp)(struct warp *w);

static const handler table[H_COUNT] = {
#define SINGLE(h)   [H_##h] = FN(h),
#define TYPED(f, t) [H_##f##_##t] = FN(f##_##t),
#define NAMED(f)
#include "emulator/code/handlers.def"
};

#define STRING2(x) #x
#define STRING(x)  STRING2(x)
extern const struct exec_level JOIN(exec_level, LEVEL);
const struct exec_level JOIN(exec_level, LEVEL) = {STRING(LEVEL), table, FN(run_warp)};
