/* count.h - counters by source line, since the last reset. */
#ifndef EMULATOR_COUNT_H
#define EMULATOR_COUNT_H

struct emu_module;

/* As JSON; caller frees. */
char *count_lines_json(void);
char *count_module_lines_json(const struct emu_module *m); /* of one module; NULL: all */
void count_lines_reset(void);

#endif
