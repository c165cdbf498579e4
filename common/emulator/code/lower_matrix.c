/* lower_matrix.c - what matrix instructions become: mma, wmma, wgmma, ldmatrix, stmatrix,
 * movmatrix.
 */
#include "lower.h"
#include "mma_shape.h"
#include <stdlib.h>

/* The fragment's registers, `want` of them with as many bits each, to places; returns want, or
 * 0 after lower_fail. */
static uint32_t register_list(struct lower *l, const struct ptx_operand *o, bool write,
                              uint32_t want, unsigned bits, uint32_t *places)
{
    const struct ptx_operand *list = o->kind == OPD_VEC ? o->elems : o;
    uint32_t n = o->kind == OPD_VEC ? o->nelems : 1;
    bool good = n == want;
    for (uint32_t k = 0; k < n && good; k++) {
        good = list[k].kind == OPD_REG && lower_reg_bytes(l, list[k].reg) == bits / 8;
        if (good)
            places[k] = write ? lower_dst(l, &list[k])
                              : lower_src(l, &list[k], bits == 64 ? PTX_B64 : PTX_B32);
    }
    if (good)
        return n;
    lower_fail(l, "this fragment is made of %u %u-bit registers", want, bits);
    return 0;
}
static bool is_byte(unsigned type)
{
    return type == PTX_S8 || type == PTX_U8;
}
static bool is_nibble(unsigned type)
{
    return type == PTX_S4 || type == PTX_U4;
}
/* Less than a byte an element: whole words are moved, and multiplied. */
static bool is_narrow(unsigned type)
{
    return is_nibble(type) || type == PTX_B1;
}
static bool known_types(const struct mma_shape *s)
{
    bool whole = is_byte(s->a_type) || is_narrow(s->a_type);
    unsigned sum = s->a_type == PTX_F64 ? PTX_F64 : whole ? PTX_S32 : PTX_F32;
    bool half = s->a_type == PTX_F16;
    return (s->b_type == s->a_type || (is_byte(s->a_type) && is_byte(s->b_type)) ||
            (is_nibble(s->a_type) && is_nibble(s->b_type))) &&
           (s->c_type == sum || (half && s->c_type == PTX_F16)) &&
           (s->d_type == sum || (half && s->d_type == PTX_F16));
}
static bool known_wmma(const struct mma_shape *s)
{
    bool tall =
        (s->m == 16 && s->n == 16) || (s->m == 8 && s->n == 32) || (s->m == 32 && s->n == 8);
    switch (s->a_type) {
    case PTX_F16:
    case PTX_BF16:
    case PTX_S8:
    case PTX_U8:
        return tall && s->k == 16;
    case PTX_S4:
    case PTX_U4:
        return s->m == 8 && s->n == 8 && s->k == 32;
    case PTX_B1:
        return s->m == 8 && s->n == 8 && s->k == 128;
    case PTX_TF32:
        return s->m == 16 && s->n == 16 && s->k == 8;
    default:
        return s->a_type == PTX_F64 && s->m == 8 && s->n == 8 && s->k == 4;
    }
}
static uint32_t elements_per_register(unsigned type)
{
    return type == PTX_F64 ? 1 : 32 / ptx_type_bits((enum ptx_type)type);
}
/* Registers a lane that hold rows x cols elements; wmma has f16's factors twice. */
static uint32_t fragment(unsigned type, uint32_t rows, uint32_t cols, bool factor)
{
    uint32_t e = type == PTX_TF32 ? 1 : elements_per_register(type);
    return factor && type == PTX_F16 ? 8 : rows * cols / (32 * e);
}
static unsigned fragment_bits(unsigned type)
{
    return type == PTX_F64 ? 64 : 32;
}
static bool known_mma(const struct mma_shape *s)
{
    static const struct {
        unsigned type;
        uint16_t m, n, k;
    } rows[] = {
        {PTX_F16, 16, 8, 8},  {PTX_F16, 16, 8, 16}, {PTX_BF16, 16, 8, 8}, {PTX_BF16, 16, 8, 16},
        {PTX_TF32, 16, 8, 4}, {PTX_TF32, 16, 8, 8}, {PTX_F64, 8, 8, 4},   {PTX_F64, 16, 8, 4},
        {PTX_F64, 16, 8, 8},  {PTX_F64, 16, 8, 16}, {PTX_S8, 8, 8, 16},   {PTX_S8, 16, 8, 16},
        {PTX_S8, 16, 8, 32},  {PTX_U8, 8, 8, 16},   {PTX_U8, 16, 8, 16},  {PTX_U8, 16, 8, 32},
        {PTX_S4, 8, 8, 32},   {PTX_S4, 16, 8, 32},  {PTX_S4, 16, 8, 64},  {PTX_U4, 8, 8, 32},
        {PTX_U4, 16, 8, 32},  {PTX_U4, 16, 8, 64},  {PTX_B1, 8, 8, 128},  {PTX_B1, 16, 8, 128},
        {PTX_B1, 16, 8, 256}};
    for (unsigned k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        if (rows[k].type == s->a_type && rows[k].m == s->m && rows[k].n == s->n &&
            rows[k].k == s->k)
            return true;
    return false;
}
void lower_product(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    struct mma_shape *s = xcalloc(1, sizeof(*s));
    bool wmma = p->op == OP_wmma;
    s->m = p->shape_m;
    s->n = p->shape_n;
    s->k = p->shape_k;
    s->d_type = p->types[0];
    s->c_type = p->ntypes == 2 ? p->types[1] : p->types[3];
    s->a_type = p->ntypes == 2 ? PTX_F16 : p->types[1];
    s->b_type = p->ntypes == 2 ? PTX_F16 : p->types[2];
    if (wmma) {
        s->a_col = p->col[0];
        s->b_col = p->col[1];
    }
    s->exclusive = ptx_has(p, M_xor);
    bool bits = s->a_type == PTX_B1, narrow = is_narrow(s->a_type);
    uint32_t *places = lower_places(l, 64), n = 0;
    if (p->noperands < 4 || ptx_has(p, M_sp) || !known_types(s) ||
        !(wmma ? known_wmma(s) : known_mma(s)) || (narrow && wmma && (s->a_col || !s->b_col)) ||
        bits != ptx_has(p, M_popc) || bits != (ptx_has(p, M_and) || s->exclusive)) {
        lower_unsupported(l);
        free(s);
        free(places);
        return;
    }
    const unsigned type[] = {s->d_type, s->a_type, s->b_type, s->c_type};
    const uint32_t want[] = {
        fragment(s->d_type, s->m, s->n, false), fragment(s->a_type, s->m, s->k, wmma),
        fragment(s->b_type, s->k, s->n, wmma), fragment(s->c_type, s->m, s->n, false)};
    uint32_t *const have[] = {&s->nd, &s->na, &s->nb, &s->nc};
    for (int k = 0; k < 4; k++)
        n += *have[k] =
            register_list(l, &p->operands[k], k == 0, want[k], fragment_bits(type[k]), places + n);
    struct insn *in = lower_emit(l, narrow ? H_mma_narrow : wmma ? H_wmma_mma : H_mma);
    in->data = s;
    in->places = places;
    in->flags |= lower_float_flags(l) & (F_SATFINITE | F_ROUND);
}
static uint8_t move_space(const struct ptx_insn *p)
{
    return (uint8_t)(is_shared(p->space) ? SPACE_SHARED : p->space);
}
/* wmma.load.{a,b,c} {…}, [p]{, stride}; wmma.store.d [p], {…}{, stride} */
static void wmma_move(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    struct mma_shape *s = xcalloc(1, sizeof(*s));
    uint32_t *places = lower_places(l, 16), stride = NO_PLACE;
    uint8_t bytes;
    int64_t offset;
    s->store = ptx_has(p, M_store);
    s->row_major = ptx_has(p, M_row);
    s->accumulator = ptx_has(p, M_c) || ptx_has(p, M_d);
    s->m = p->shape_m;
    s->n = p->shape_n;
    s->k = p->shape_k;
    s->a_type = !s->accumulator || p->types[0] == PTX_F64 ? p->types[0]
                : s->k == 8                               ? PTX_TF32
                : s->k == 32                              ? PTX_S4
                : s->k == 128                             ? PTX_B1
                                                          : PTX_F16; /* whose shapes it has */
    s->rows = ptx_has(p, M_b) ? p->shape_k : p->shape_m;
    s->cols = ptx_has(p, M_a) ? p->shape_k : p->shape_n;
    s->element_bytes = type_bytes(p->types[0]);
    s->nd = register_list(l, &p->operands[s->store ? 1 : 0], !s->store,
                          fragment(p->types[0], s->rows, s->cols, !s->accumulator),
                          fragment_bits(p->types[0]), places);
    if (is_narrow(p->types[0])) { /* as a matrix of words */
        uint32_t e = elements_per_register(p->types[0]);
        *(ptx_has(p, M_a) ? &s->cols : &s->rows) /= e;
        s->element_bytes = 4;
        s->stride_shift = (uint8_t)__builtin_ctz(e);
    }
    uint32_t base = lower_base(l, &p->operands[s->store ? 0 : 1], &offset, &bytes);
    if (p->noperands > 2)
        stride = lower_src(l, &p->operands[2], PTX_B32);
    struct insn *in = lower_emit(l, H_wmma_move);
    in->data = s;
    in->places = places;
    in->src[0] = base;
    in->src[2] = stride;
    in->imm = offset;
    in->sub = move_space(p);
    in->flags |= F_COLLECTIVE | (bytes == 4 ? F_SHARED32 : 0);
    access_slots(l, in, in->sub == SPACE_GENERIC);
    if (!known_wmma(s) || (is_narrow(p->types[0]) && s->row_major != ptx_has(p, M_a)))
        lower_fail(l, "this wmma shape: not supported");
}
void lower_wmma(struct lower *l)
{
    if (ptx_has(l->in, M_mma))
        lower_product(l);
    else
        wmma_move(l);
}
/* ldmatrix, stmatrix */
void lower_ldmatrix(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    struct mma_shape *s = xcalloc(1, sizeof(*s));
    uint32_t *places = lower_places(l, 16);
    uint8_t bytes;
    int64_t offset;
    s->store = p->op == OP_stmatrix;
    s->row_major = !ptx_has(p, M_trans);
    s->nd = register_list(l, &p->operands[s->store ? 1 : 0], !s->store,
                          ptx_has(p, M_x4)   ? 4
                          : ptx_has(p, M_x2) ? 2
                                             : 1,
                          32, places);
    uint32_t base = lower_base(l, &p->operands[s->store ? 0 : 1], &offset, &bytes);
    struct insn *in = lower_emit(l, H_ldmatrix);
    in->data = s;
    in->places = places;
    in->src[0] = base;
    in->imm = offset;
    in->sub = move_space(p);
    in->flags |= F_COLLECTIVE | (bytes == 4 ? F_SHARED32 : 0);
    access_slots(l, in, in->sub == SPACE_GENERIC);
    if (p->types[0] != PTX_B16 || p->shape_m != 8 || p->shape_n != 8)
        lower_fail(l, "this form of %s: not supported", ptx_op_name(p->op));
}
void lower_movmatrix(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    if (p->noperands != 2 || !ptx_has(p, M_trans) || p->shape_m != 8 || p->shape_n != 8) {
        lower_fail(l, "this form of movmatrix: not supported");
        return;
    }
    uint32_t from = lower_src(l, &p->operands[1], PTX_B32);
    struct insn *in = lower_emit(l, H_movmatrix);
    in->src[0] = from;
    in->dst = lower_dst(l, &p->operands[0]);
    in->width = 4;
}

/* ---- wgmma: PTX ISA 9.7.15 ---- */
static bool is_fp8(unsigned type)
{
    return type == PTX_E4M3 || type == PTX_E5M2;
}
static bool known_wgmma(const struct mma_shape *s)
{
    bool half = s->a_type == PTX_F16 || is_fp8(s->a_type), whole = is_byte(s->a_type);
    bool pair = s->a_type == s->b_type || (is_fp8(s->a_type) && is_fp8(s->b_type)) ||
                (whole && is_byte(s->b_type));
    bool floats = half || s->a_type == PTX_BF16 || s->a_type == PTX_TF32;
    bool sum = s->d_type == PTX_F32 ? floats : s->d_type == PTX_F16 ? half : s->d_type == PTX_S32;
    uint32_t step = floats || s->n <= 32 ? 8 : 16;
    return pair && sum && (floats || whole || s->a_type == PTX_B1) &&
           floats == (s->d_type != PTX_S32) && s->m == 64 && s->n >= 8 && s->n <= 256 &&
           s->n % step == 0 && s->k * ptx_type_bits((enum ptx_type)s->a_type) == 256;
}
/* An operand that is a number: 1 or -1, 0 or 1. */
static bool is_minus(struct lower *l, uint32_t k)
{
    const struct ptx_operand *o = op(l, k);
    if (o->kind != OPD_IMM ||
        (o->imm != 1 && o->imm != UINT64_MAX && (uint32_t)o->imm != UINT32_MAX))
        lower_fail(l, "wgmma: the scale of a factor is 1 or -1");
    return o->kind == OPD_IMM && o->imm != 1;
}
static bool is_one(struct lower *l, uint32_t k)
{
    const struct ptx_operand *o = op(l, k);
    if (o->kind != OPD_IMM || o->imm > 1)
        lower_fail(l, "wgmma: whether a factor is transposed is 0 or 1");
    return o->kind == OPD_IMM && o->imm;
}
/* d, a or its descriptor, b's, scale-d{, scale-a, scale-b{{, trans-a}, trans-b}} */
static void warpgroup_product(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    struct mma_shape *s = xcalloc(1, sizeof(*s));
    s->m = p->shape_m;
    s->n = p->shape_n;
    s->k = p->shape_k;
    s->d_type = s->c_type = p->types[0];
    s->a_type = p->types[1];
    s->b_type = p->types[2];
    bool from_registers = op(l, 1)->kind == OPD_VEC, floats = s->d_type != PTX_S32;
    bool turns = s->a_type == PTX_F16 || s->a_type == PTX_BF16;
    uint32_t want = 4 + (floats ? 2 : 0) + (turns ? from_registers ? 1 : 2 : 0);
    if (p->ntypes != 3 || ptx_has(p, M_sp) || !known_wgmma(s) || p->noperands != want ||
        (s->a_type == PTX_B1 && !(ptx_has(p, M_and) && ptx_has(p, M_popc)))) {
        lower_unsupported(l);
        free(s);
        return;
    }
    uint32_t *places = lower_places(l, s->n / 2 + 4), a = NO_PLACE;
    s->nd = register_list(l, op(l, 0), true, s->n / (s->d_type == PTX_F16 ? 4 : 2), 32, places);
    if (from_registers)
        s->na = register_list(l, op(l, 1), false, 4, 32, places + s->nd);
    else
        a = lower_src(l, op(l, 1), PTX_B64);
    uint32_t b = lower_src(l, op(l, 2), PTX_B64), scale = lower_src(l, op(l, 3), PTX_PRED);
    if (floats) {
        s->a_neg = is_minus(l, 4);
        s->b_neg = is_minus(l, 5);
    }
    if (turns) {
        s->a_col = !from_registers && is_one(l, 6);
        s->b_col = is_one(l, from_registers ? 6 : 7);
    }
    struct insn *in = lower_emit(l, H_wgmma);
    in->data = s;
    in->places = places;
    in->src[0] = a;
    in->src[1] = b;
    in->src[2] = scale;
    in->flags |= F_COLLECTIVE | (op(l, 3)->negated ? F_NEG_SRC : 0) |
                 (ptx_has(p, M_satfinite) ? F_SATFINITE : 0);
}
void lower_wgmma(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    const struct ptx_module *m = ptx_module_of(l->f);
    if (m->sm != 90 || m->sm_suffix != 'a')
        lower_fail(l, "wgmma is of sm_90a alone: the target is %s (nvcc -arch=sm_90a)", m->target);
    else if (ptx_has(p, M_mma_async))
        warpgroup_product(l);
    else if (ptx_has(p, M_fence))
        lower_emit(l, H_nop);
    else if (ptx_has(p, M_commit_group))
        lower_emit(l, H_wgmma_commit);
    else if (ptx_has(p, M_wait_group) && op(l, 0)->kind == OPD_IMM)
        lower_emit(l, H_wgmma_wait)->imm = (int64_t)op(l, 0)->imm;
    else
        lower_unsupported(l);
}
