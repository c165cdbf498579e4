/* gate.h - conditions on counters: "global_ld_sectors / global_ld_requests <= 4.1".
 *
 *   condition  = comparison { "&&" comparison }
 *   comparison = sum ( "<=" | ">=" | "==" | "<" | ">" ) sum
 *   sum        = product { ("+" | "-") product }
 *   product    = unary { ("*" | "/") unary }
 *   unary      = "-" unary | number | name | "(" sum ")"
 *   name       = letter { letter | digit | "_" | "." }
 */
#ifndef LAB_GATE_H
#define LAB_GATE_H

#include <stdbool.h>
#include <stddef.h>

/* The value of a name; false when there is none of that name. */
typedef bool gate_lookup(void *user, const char *name, double *value);

struct gate_result {
    bool ok;
    /* The comparison that decided: the first that fails, else the last. */
    double left, right;
    char left_text[128], op[3], right_text[128];
    char first_name[64]; /* first name of its left side */
    char error[160];     /* not empty: the expression is wrong, or a name is unknown */
};

/* Evaluates; a comparison with NaN on either side (0/0) does not hold. */
struct gate_result gate_eval(const char *expression, gate_lookup *lookup, void *user);
/* A lone sum, for table columns and predictions. NaN with a message in error. */
double gate_value(const char *sum, gate_lookup *lookup, void *user, char *error, size_t size);

#endif
