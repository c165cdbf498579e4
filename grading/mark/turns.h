/* turns.h - how the instructions of a kernel have turned out (emulator/exec/outcomes.h). */
#ifndef GRADING_TURNS_H
#define GRADING_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a function in launches of a kernel: a mask for each instruction. */
struct turns_of {
    char kernel[64];
    unsigned function;
    size_t n;
    uint8_t *all;
};
struct turns {
    struct turns_of *of;
    int n;
};

/* How many ways to turn out there are in these lines that x has not; lines that are none of
 * session_outcomes()'s are passed over: they come from the box. */
int turns_news(const struct turns *x, const char *lines);
/* Has x all functions of these lines? */
bool turns_knows(const struct turns *x, const char *lines);
void turns_add(struct turns *x, const char *lines);
void turns_free(struct turns *x);

#endif
