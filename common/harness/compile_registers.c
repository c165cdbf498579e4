/* compile_registers.c - how many registers a thread of each kernel has in machine code (compile.h).
 *
 * A cubin's .nv.info is a list of
 *
 *      u8 format | u8 attribute | u16 size or value | for format 4 so many bytes
 *
 * of which attribute 0x2f holds a symbol's number and its registers.
 */
#include "compile.h"
#include "base/alloc.h"
#include "base/elf.h"
#include "base/text.h"

#include <elf.h>
#include <string.h>

enum { SIZED = 4, REGCOUNT = 0x2f };

static const char *symbol(const struct elf *e, const struct elf_section *symbols, uint32_t number)
{
    struct elf_section names = elf_section(e, symbols->link);
    Elf64_Sym s;

    if (!symbols->data || number >= symbols->size / sizeof(s))
        return NULL;
    memcpy(&s, symbols->data + number * sizeof(s), sizeof(s));
    if (!names.data || s.st_name >= names.size ||
        !memchr(names.data + s.st_name, 0, names.size - s.st_name))
        return NULL;
    return (const char *)names.data + s.st_name;
}

char *compiled_registers(const void *image, size_t size)
{
    struct elf e;
    struct text t = {0};

    if (!elf_open(&e, image, size))
        return xstrdup("");
    struct elf_section info = elf_find(&e, ".nv.info"), symbols = elf_find(&e, ".symtab");
    for (size_t at = 0; info.data && at + 4 <= info.size;) {
        uint16_t bytes;
        uint32_t value[2];
        memcpy(&bytes, info.data + at + 2, sizeof(bytes));
        bool sized = info.data[at] == SIZED, count = info.data[at + 1] == REGCOUNT;
        at += 4;
        if (!sized)
            continue;
        if (bytes > info.size - at)
            break;
        if (count && bytes >= sizeof(value)) {
            memcpy(value, info.data + at, sizeof(value));
            const char *name = symbol(&e, &symbols, value[0]);
            if (name)
                text_addf(&t, "// registers: %s %u\n", name, value[1]);
        }
        at += bytes;
    }
    return text_take(&t);
}
