/* lower_suffix.c - are the types and modifiers those that the opcode takes (PTX ISA 9.7)?
 *
 * Suffixes are read by spelling alone, whatever the opcode; here those that the opcode does not
 * have for its type are refused, as ptxas refuses them, by the opcode's forms (opcodes.def).
 * Not modelled: the order of modifiers, of which ptxas accepts some orders and not others.
 */
#include "lower.h"
#include <string.h>

/* Of each at most one, whatever the opcode. */
enum { ROUNDS, PARTS };
static const uint8_t groups[][20] = {
    [ROUNDS] = {M_rn, M_rz, M_rm, M_rp, M_rni, M_rzi, M_rmi, M_rpi, M_rna, M_rs, M_approx, M_full},
    [PARTS] = {M_lo, M_hi, M_wide},
    {M_sat, M_relu, M_cc},
    {M_l, M_r},
    {M_wrap, M_clamp},
    {M_up, M_down, M_bfly, M_idx},
    {M_uni, M_any, M_all, M_ballot},
    {M_cta, M_cluster, M_gpu, M_sys},
    {M_add, M_min, M_max, M_inc, M_dec, M_and, M_or, M_xor, M_cas, M_exch, M_popc},
    {M_eq, M_ne, M_lt, M_le, M_gt, M_ge, M_lo, M_ls, M_hi, M_hs, M_equ, M_neu, M_ltu, M_leu, M_gtu,
     M_geu, M_num, M_nan},
};

/* Arithmetic's own: what takes loose modifiers has none of these. */
static const uint8_t arithmetic[] = {M_rn,  M_rz,  M_rm,     M_rp,        M_rni,  M_rzi,
                                     M_rmi, M_rpi, M_lo,     M_hi,        M_wide, M_rna,
                                     M_rs,  M_ftz, M_sat,    M_satfinite, M_relu, M_xorsign,
                                     M_NaN, M_cc,  M_approx, M_full,      M_oob};

static unsigned count(const struct ptx_insn *in, const uint8_t *group)
{
    unsigned n = 0;
    for (; *group; group++)
        n += ptx_has(in, group[0]);
    return n;
}
static bool takes(const struct form *f, enum ptx_mod m)
{
    if (f->needs == TAKES_LOOSE)
        return !memchr(arithmetic, m, sizeof(arithmetic));
    return memchr(f->mods, m, strlen((const char *)f->mods)) != NULL;
}
static void refuse(struct lower *l, const struct form *f, enum ptx_mod m)
{
    const struct ptx_insn *in = l->in;
    lower_fail(l, "%s%s%s takes no .%s", ptx_op_name(in->op), in->ntypes ? " of ." : "",
               in->ntypes ? ptx_type_name(form_type(f, in)) : "", ptx_mod_name(m));
}
static void check_modifiers(struct lower *l, const struct form *f)
{
    for (unsigned k = 0; k < sizeof(l->in->mods) / sizeof(l->in->mods[0]); k++)
        for (uint64_t left = l->in->mods[k]; left; left &= left - 1) {
            enum ptx_mod m = (enum ptx_mod)(64 * k + (unsigned)__builtin_ctzll(left));
            if (!takes(f, m))
                refuse(l, f, m);
        }
}
static void check_groups(struct lower *l)
{
    for (size_t k = 0; k < sizeof(groups) / sizeof(groups[0]); k++) {
        if (count(l->in, groups[k]) <= 1)
            continue;
        char names[200] = "";
        for (const uint8_t *m = groups[k]; *m; m++)
            strcat(strcat(names, " "), ptx_mod_name(m[0]));
        lower_fail(l, "%s takes at most one of:%s", ptx_op_name(l->in->op), names);
    }
}
static void check_needs(struct lower *l, const struct form *f)
{
    const struct ptx_insn *in = l->in;
    const char *op = ptx_op_name(in->op), *type = ptx_type_name(form_type(f, in));
    if (f->needs != TAKES_SPACE && (in->has_space || in->vec > 1 || in->cache))
        lower_fail(l, "%s takes no %s", op,
                   in->has_space ? "state space"
                   : in->cache   ? "cache operator"
                                 : "vector width");
    check_groups(l);
    if (f->needs == NEEDS_ROUND && !count(in, groups[ROUNDS]))
        lower_fail(l, "%s of .%s does not say how to round", op, type);
    if (f->needs == NEEDS_PART && !count(in, groups[PARTS]))
        lower_fail(l, "%s of .%s needs .lo, .hi or .wide", op, type);
}

const struct form *lower_suffixes(struct lower *l)
{
    const struct form *f = form_of(l->in);
    if (!f) {
        lower_unsupported(l);
        return NULL;
    }
    if (f->needs != TAKES_ANY)
        check_modifiers(l, f);
    if (f->needs != TAKES_ANY && f->needs != TAKES_LOOSE)
        check_needs(l, f);
    return l->error ? NULL : f;
}
