/* elf.c - see elf.h. */
#include "elf.h"

#include <elf.h>
#include <string.h>

static bool inside(const struct elf *e, uint64_t offset, uint64_t length)
{
    return offset <= e->size && length <= e->size - offset;
}

bool elf_open(struct elf *e, const void *data, size_t size)
{
    Elf64_Ehdr head;
    *e = (struct elf){.data = data, .size = size, .names = ""};
    if (size < sizeof(head))
        return false;
    memcpy(&head, data, sizeof(head));
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shstrndx >= head.e_shnum ||
        !inside(e, head.e_shoff, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr)))
        return false;
    e->sections = head.e_shoff;
    e->nsections = head.e_shnum;
    struct elf_section names = elf_section(e, head.e_shstrndx);
    if (!names.data)
        return false;
    e->names = (const char *)names.data;
    e->names_size = names.size;
    return true;
}

struct elf_section elf_section(const struct elf *e, unsigned i)
{
    Elf64_Shdr head;
    struct elf_section s = {.name = ""};
    if (i >= e->nsections)
        return s;
    memcpy(&head, e->data + e->sections + i * sizeof(head), sizeof(head));
    s.type = head.sh_type;
    s.link = head.sh_link;
    if (inside(e, head.sh_offset, head.sh_size)) {
        s.data = e->data + head.sh_offset;
        s.size = head.sh_size;
    }
    if (head.sh_name < e->names_size &&
        memchr(e->names + head.sh_name, 0, e->names_size - head.sh_name))
        s.name = e->names + head.sh_name;
    return s;
}

struct elf_section elf_find(const struct elf *e, const char *name)
{
    for (unsigned i = 0; i < e->nsections; i++) {
        struct elf_section s = elf_section(e, i);
        if (s.data && !strcmp(s.name, name))
            return s;
    }
    return (struct elf_section){.name = ""};
}

static bool starts(const struct elf_section *strings, uint64_t at, const char *prefix)
{
    size_t n = strlen(prefix);
    return strings->data && at <= strings->size && n <= strings->size - at &&
           !memcmp(strings->data + at, prefix, n);
}

bool elf_dynamic(const struct elf *e, int64_t tag, const char *prefix)
{
    for (unsigned i = 0; i < e->nsections; i++) {
        struct elf_section s = elf_section(e, i), strings = elf_section(e, s.link);
        Elf64_Dyn d;
        if (s.type != SHT_DYNAMIC || !s.data)
            continue;
        for (size_t at = 0; at + sizeof(d) <= s.size; at += sizeof(d)) {
            memcpy(&d, s.data + at, sizeof(d));
            if (d.d_tag == tag && starts(&strings, d.d_un.d_val, prefix))
                return true;
        }
    }
    return false;
}
