/* args.c - puts options where the commands want them. See args.h. */
#include "args.h"

#include <stdbool.h>
#include <stdlib.h>

double arg_number(struct argp_state *state, const char *arg)
{
    char *end;
    double v = strtod(arg, &end);
    if (end == arg || *end || !(v >= 0 && v < 1e9))
        argp_error(state, "not a number: %s", arg);
    return v;
}

int arg_count(struct argp_state *state, const char *arg)
{
    double v = arg_number(state, arg);
    if (v != (int)v)
        argp_error(state, "not a whole number: %s", arg);
    return (int)v;
}

void arg_word(struct argp_state *state, const char **word, const char *arg)
{
    if (*word)
        argp_usage(state);
    *word = arg;
}

error_t arg_store(const struct arg_field *f, int key, const char *arg, struct argp_state *state)
{
    while (f->as != ARG_END && f->key != key)
        f++;
    void *at = (char *)state->input + f->at;
    switch (f->as) {
    case ARG_TEXT:
        *(const char **)at = arg;
        return 0;
    case ARG_COUNT:
        *(int *)at = arg_count(state, arg);
        return 0;
    case ARG_FLAG:
        *(bool *)at = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}
