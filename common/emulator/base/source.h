/* source.h - where in the sources an instruction comes from, and names as a person knows them.
 *
 * Interface: site_locate() fills in a site's place. An instruction that came from a header of
 * the toolkit (cooperative groups, CUB, Thrust, libcu++, intrinsics) belongs to the line that
 * called it: the place of the innermost call that is in no such header. Where in the header
 * is kept beside it. site_text() puts both into words. shown_name() is a C++ function as
 * it was written.
 */
#ifndef EMULATOR_SOURCE_H
#define EMULATOR_SOURCE_H

#include "emulator/exec/events.h"
#include "emulator/ptx/ptx.h"

void site_locate(const struct ptx_module *m, const struct ptx_loc *loc, struct site *s);
/* True for a header that comes with the CUDA toolkit or the host's compiler. */
bool source_is_toolkit(const char *path);
/* "saxpy.cu:12" or "saxpy.cu:12 (in reduce.h:113)" or, without line information, "PTX line 80";
 * "" when s is NULL. Files of the user's with their folders. */
const char *site_text(const struct site *s, char *buf, size_t size);
/* The same place for PTX text that could not be parsed: from the .loc before that line; "" when
 * there is none. */
const char *source_before(const char *text, size_t length, uint32_t ptx_line, char *buf,
                          size_t size);

/* A mangled C++ name as it was written, template arguments left out where it is very long; any
 * other name as it is. Lives as long as the process. Thread safe. */
const char *shown_name(const char *mangled);

#endif
