/* texture_op.h - what a texture or surface instruction does: struct insn.data of those. */
#ifndef EMULATOR_TEXTURE_OP_H
#define EMULATOR_TEXTURE_OP_H

#include "emulator/ptx/ptx.h"

enum texture_lod { LOD_NONE, LOD_LEVEL, LOD_GRADIENT };

struct texture_op {
    enum ptx_op op;
    uint8_t dims;       /* coordinates, 1 to 3; 3 of a cube */
    bool layered, cube; /* of the instruction; the object may be of another geometry */
    bool whole;         /* tex: coordinates are .s32 */
    bool formatted;     /* sust.p, sured.p: texels, not bytes */
    uint8_t lod;        /* enum texture_lod */
    uint8_t component;  /* tld4: 0 to 3 */
    uint8_t what;       /* txq, suq, istypep: enum ptx_mod; sured: the operation */
    uint8_t outside;    /* surfaces: M_trap, M_clamp, M_zero */
    enum ptx_type type; /* of results, or of what is stored */
    uint8_t bits;       /* suld, sust, sured: of an element */
    uint8_t n;          /* elements */
    uint8_t width[4];   /* bytes of each one's register */
    uint32_t value[4];  /* places: results, or what is stored; NO_PLACE for "_" */
    uint32_t at[3], layer, lod_at, dx[3], dy[3];
    uint32_t there; /* predicate: is it resident? NO_PLACE */
};

#endif
