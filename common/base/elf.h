/* elf.h - what is in a 64-bit ELF file: programs, libraries, machine code for a GPU.
 *
 * The file is somebody else's: whatever its headers say, nothing outside of its bytes is read.
 */
#ifndef BASE_ELF_H
#define BASE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
    const uint8_t *data;
    size_t size;
    size_t sections; /* offset of their headers */
    unsigned nsections;
    const char *names; /* of sections */
    size_t names_size;
};
struct elf_section {
    const char *name;    /* "" when the file does not hold it */
    const uint8_t *data; /* NULL when it is not wholly in the file */
    size_t size;
    uint32_t type, link;
};

/* False: these bytes are no such file. They are to stay where they are. */
bool elf_open(struct elf *e, const void *data, size_t size);
/* Section i, of nsections. */
struct elf_section elf_section(const struct elf *e, unsigned i);
/* The first with this name whose bytes are there; data NULL: there is none. */
struct elf_section elf_find(const struct elf *e, const char *name);
/* Does a string of the dynamic sections' entries with this tag start so? */
bool elf_dynamic(const struct elf *e, int64_t tag, const char *prefix);

#endif
