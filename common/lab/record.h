/* record.h - a launch record as the student gives it, and as a variant allows it. */
#ifndef LAB_RECORD_H
#define LAB_RECORD_H

#include "base/text.h"
#include "lab.h"

enum record_state { RECORD_NONE, RECORD_GIVEN, RECORD_BAD /* not of a record's size */ };

/* Applies the variant's min, max and default to `given`. Fields the file may not change keep
 * the default, others are clamped to the allowed range; each such change adds a sentence to
 * note. */
void record_clamp(const struct lab_variant *v, const struct launch_record *given,
                  struct launch_record *out, struct text *note);

#endif
