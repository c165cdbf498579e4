/* filter.h - which system calls a box may make. */
#ifndef GRADING_FILTER_H
#define GRADING_FILTER_H

#include "sandbox.h"

/* The seccomp program of a box, in a file to be read from its start: its descriptor, or -1. */
int filter_of(const struct box_spec *s);

#endif
