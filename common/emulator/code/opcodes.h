/* opcodes.h - what is known of each opcode: ptx/opcodes.def as a table.
 *
 * Interface: opcode_of() gives the row of an instruction; lower_insn() dispatches by it,
 * lower_suffix.c checks types and modifiers by its forms, lower_cost.c and regalloc.c read what
 * an execution costs and which operands it writes.
 */
#ifndef EMULATOR_OPCODES_H
#define EMULATOR_OPCODES_H

#include "emulator/ptx/ptx.h"
#include "handlers.h"

struct lower;
typedef void lowering(struct lower *l);

/* What one execution adds to the counters (lower_cost.c). */
enum cost {
    COST_NONE,
    COST_FLOP,   /* a floating-point operation an element, none of integers */
    COST_FMA,    /* two */
    COST_SFU,    /* a special function */
    COST_DIVIDE, /* a division, unless .approx or .full; of floating point a special function too */
    COST_MATRIX, /* 2 m n k tensor operations a warp; wmma's loads and stores none */
};

/* Which operands an instruction writes. */
enum result {
    RESULT_FIRST, /* the first, unless that is an address */
    RESULT_NONE,
    RESULT_RED, /* the first with .red, else none */
};

/* What a form asks of modifiers beyond having those that it lists alone. */
enum needs {
    TAKES,       /* at most these */
    NEEDS_ROUND, /* and one that says how to round */
    NEEDS_PART,  /* and .lo, .hi or .wide */
    TAKES_SPACE, /* and a state space, a vector width, cache operators */
    TAKES_LOOSE, /* any but those of arithmetic */
    TAKES_ANY,   /* not looked at */
};

#define MAX_MODIFIERS 26

struct form {
    uint64_t types;  /* bit sets of enum ptx_type: the first type, */
    uint64_t to;     /* or, by_source, the second, and this is the first's */
    lowering *lower; /* NULL: the opcode's */
    enum needs needs;
    bool by_source;
    uint8_t mods[MAX_MODIFIERS + 1]; /* enum ptx_mod, up to M_none */
};

struct opcode {
    lowering *lower;
    const struct form *forms; /* up to one without types */
    enum handler_id handler;  /* what lower_1, _2, … emit: this, or, H_none, */
    enum family family;       /* the one for the type */
    enum cost cost;
    enum result result;
};

const struct opcode *opcode_of(const struct ptx_insn *in);
/* The form that an instruction's types are of; NULL: none. */
const struct form *form_of(const struct ptx_insn *in);
enum ptx_type form_type(const struct form *f, const struct ptx_insn *in); /* the one that counts */

#endif
