/* handlers.h - the handlers that there are, as numbers: what lowering chooses from.
 *
 * The functions themselves are exec/ops/'s, built once for each instruction-set level; exec says
 * which build this machine runs by handlers_bind(), before anything is lowered. A *family* has a
 * handler for each type, or for each width where signs make no difference: handler_of().
 */
#ifndef EMULATOR_HANDLERS_H
#define EMULATOR_HANDLERS_H

#include "emulator/ptx/ptx.h"

struct warp;
struct insn;
/* Executes an instruction for the lanes of w->mask; returns what to execute next. */
typedef const struct insn *(*handler)(struct warp *w, const struct insn *in);

enum handler_id {
    H_none,
#define SINGLE(h)   H_##h,
#define TYPED(f, t) H_##f##_##t,
#define NAMED(f)
#include "handlers.def"
    H_COUNT
};

enum family {
    FAM_none,
#define SINGLE(h)
#define TYPED(f, t)
#define NAMED(f) FAM_##f,
#include "handlers.def"
    FAM_COUNT
};

/* The ends of handlers' names: any type of that width, one type, one with rounding, .ftz, .sat. */
enum tag {
    TAG_none,
    TAG_16,
    TAG_32,
    TAG_64,
    TAG_u16,
    TAG_s16,
    TAG_u32,
    TAG_s32,
    TAG_u64,
    TAG_s64,
    TAG_f32,
    TAG_f64,
    TAG_f32x,
    TAG_f64x,
    TAG_pred,
    TAG_COUNT
};

/* The family's handler for a type, H_none: it has none. */
enum handler_id handler_of(enum family f, enum ptx_type t);
/* The same for f32 and f64 with directed rounding, .ftz or .sat. */
enum handler_id handler_rounded(enum family f, enum ptx_type t);

void handlers_bind(const handler *table); /* by enum handler_id */
handler handler_function(enum handler_id h);

#endif
