/* count.h - counters by source line and by instruction, since the last reset. */
#ifndef EMULATOR_COUNT_H
#define EMULATOR_COUNT_H

struct emu_module;

/* As JSON; caller frees. */
char *count_lines_json(void);
char *count_module_lines_json(const struct emu_module *m); /* of one module; NULL: all */
char *count_instructions_json(void); /* each that was executed, by its place in the PTX */
void count_lines_reset(void);

#endif
