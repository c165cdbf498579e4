/* table.c - one level's handlers as a table in the order of handlers_list.h. */
#include "lanes.h"

#define H(name) const struct insn *FN(name)(struct warp *, const struct insn *);
#include "emulator/code/handlers_list.h"
#undef H
void FN(run_warp)(struct warp *w);

static const handler table[] = {
#define H(name) FN(name),
#include "emulator/code/handlers_list.h"
#undef H
};

#define STRING2(x) #x
#define STRING(x)  STRING2(x)
extern const struct exec_level JOIN(exec_level, LEVEL);
const struct exec_level JOIN(exec_level, LEVEL) = {STRING(LEVEL), table, FN(run_warp)};
