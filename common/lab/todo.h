/* todo.h - is a kernel still to be written? What its text says: a skeleton's kernels hold a TODO.
 */
#ifndef LAB_TODO_H
#define LAB_TODO_H

#include "lab.h"

enum written {
    WRITTEN,        /* it is there, and no TODO in it or above it */
    WRITTEN_NOT,    /* the TODO stands in it */
    WRITTEN_PARTLY, /* … above it, in a helper of its own, or in its schedule */
    WRITTEN_NONE    /* nothing of that name is defined */
};
/* Of that of the variant's kernels of which most is left. One that a macro makes of a template
 * ("reduce2_i32_sum") is looked for by its stem, too. Reads braces and comments; does not expand
 * macros. */
enum written written_of(const char *source, const struct lab_variant *v);
/* The name of the first of its kernels in which the TODO stands, of *length characters; NULL: it is
 * none that a function of the file has. */
const char *kernel_to_write(const char *source, const struct lab_variant *v, size_t *length);

#endif
