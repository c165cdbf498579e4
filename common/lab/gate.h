/* gate.h - conditions on counters: "global_sectors <= 1.05 * ref.global_sectors".
 *
 *   condition  = comparison { "&&" comparison }
 *   comparison = sum ( "<=" | ">=" | "==" | "<" | ">" ) sum
 *   sum        = product { ("+" | "-") product }
 *   product    = unary { ("*" | "/") unary }
 *   unary      = "-" unary | number | name | call | "(" sum ")"
 *   call       = ( "min" | "max" ) "(" sum "," sum ")"
 *              | "ceil" "(" sum ")"
 *              | [ "ref." ] "worst" "(" sum ")"
 *              | [ "ref." ] "influence" "(" name ")"
 *   name       = letter { letter | digit | "_" | "." }
 *
 * worst(EXPR) is the largest value of EXPR over the instructions that were executed, a counter in
 * it being that instruction's own; those where EXPR is not finite (nothing to divide by) are left
 * out. When all are, it is NaN: no comparison with it holds.
 *
 * What comes after a comparison that does not hold is not asked for: it may need a run.
 */
#ifndef LAB_GATE_H
#define LAB_GATE_H

#include <stdbool.h>
#include <stddef.h>

/* The value of a name; false when there is none of that name. */
typedef bool gate_lookup(void *user, const char *name, double *value);

/* What names mean; all but `lookup` may be NULL: there is no such thing here. `ref` asks about the
 * reference solution instead. */
struct gate_result;
struct gate_world {
    gate_lookup *lookup;
    long (*instructions)(void *user, bool ref); /* executed, numbered from 0; -1: not known */
    bool (*of_instruction)(void *user, bool ref, long i, const char *name, double *value);
    bool (*influence)(void *user, bool ref, const char *what, double *value);
    bool every;             /* ask for all names, also after a comparison that does not hold */
    bool without_influence; /* comparisons with influence() hold, and no run is made for them */
    bool without_worst;     /* and those with worst() */
    /* Does a comparison that does not hold do so all the same? */
    bool (*eased)(void *user, const struct gate_result *r);
    void *user;
};

struct gate_result {
    bool ok;
    /* The comparison that decided: the first that fails, else the last that was not left out. Texts
     * are allocated. */
    double left, right;
    char *left_text, op[3], *right_text;
    char *first_name; /* first name of its left side, "" when it has none */
    long worst;       /* the instruction that its left side's worst() is of, -1: none */
    char *error;      /* not NULL: the expression is wrong, or a name is unknown */
};

/* Evaluates; a comparison with NaN on either side (0/0) does not hold. */
struct gate_result gate_eval(const char *expression, const struct gate_world *world);
void gate_free(struct gate_result *r);
/* What a comparison asks for: "at most" of "<=". */
const char *gate_op_words(const char *op);
/* A lone sum, for table columns and predictions. NaN, and the reason in *error (allocated; NULL
 * when there is a value), which may itself be NULL. */
double gate_value(const char *sum, const struct gate_world *world, char **error);

#endif
