/* rules.h - what accesses cost on devices that count otherwise.
 *
 * The interpreter counts as every device since compute capability 5.0 does: sectors of 32
 * bytes a warp, 32 banks. Where the device profile says otherwise, rules_count() counts each
 * access anew, and the launch's slots take that count instead (count.c). Nothing of it runs
 * under the other profiles.
 */
#ifndef EMULATOR_RULES_H
#define EMULATOR_RULES_H

#include "emulator/base/profile.h"
#include "events.h"

struct rule_count { /* of one instruction, like struct slot */
    uint64_t sectors, wavefronts, conflicts;
};

bool rules_differ(const struct device_profile *d); /* from what the interpreter counts */
void rules_count(const struct device_profile *d, const struct access *a, struct rule_count *n);

#endif
