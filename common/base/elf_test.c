/* elf_test.c - the ELF reader on a small file made here, and on what has been done to it. */
#include "elf.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

static const char names[] = "\0.names\0.text.f\0.dynamic\0.strings";
static const char strings[] = "\0libcudart.so.13";
enum { NAMES = 1, TEXT = 8, DYNAMIC = 16, STRINGS = 25 };

static struct file {
    Elf64_Ehdr head;
    Elf64_Shdr sections[5];
    char names[sizeof(names)], strings[sizeof(strings)], code[4];
    Elf64_Dyn dynamic[2];
} file;

static Elf64_Shdr section(uint32_t name, uint32_t type, const void *at, size_t size, uint32_t link)
{
    return (Elf64_Shdr){.sh_name = name,
                        .sh_type = type,
                        .sh_offset = (uint64_t)((const char *)at - (const char *)&file),
                        .sh_size = size,
                        .sh_link = link};
}

static void make(void)
{
    file = (struct file){.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                                  .e_shoff = offsetof(struct file, sections),
                                  .e_shentsize = sizeof(Elf64_Shdr),
                                  .e_shnum = 5,
                                  .e_shstrndx = 1},
                         .code = "code",
                         .dynamic = {{.d_tag = DT_NEEDED, .d_un.d_val = 1}, {0}}};
    memcpy(file.names, names, sizeof(names));
    memcpy(file.strings, strings, sizeof(strings));
    file.sections[1] = section(NAMES, SHT_STRTAB, file.names, sizeof(names), 0);
    file.sections[2] = section(TEXT, SHT_PROGBITS, file.code, 4, 0);
    file.sections[3] = section(DYNAMIC, SHT_DYNAMIC, file.dynamic, sizeof(file.dynamic), 4);
    file.sections[4] = section(STRINGS, SHT_STRTAB, file.strings, sizeof(strings), 0);
}

Test(elf, finds_sections_and_libraries)
{
    struct elf e;

    make();
    cr_assert(elf_open(&e, &file, sizeof(file)));
    cr_assert_eq(e.nsections, 5);
    cr_assert_eq(elf_find(&e, ".text.f").size, 4);
    cr_assert(!memcmp(elf_find(&e, ".text.f").data, "code", 4));
    cr_assert_null(elf_find(&e, ".text").data);
    cr_assert(elf_dynamic(&e, DT_NEEDED, "libcudart.so"));
    cr_assert(!elf_dynamic(&e, DT_NEEDED, "libcudart.so.12"));
    cr_assert(!elf_dynamic(&e, DT_RPATH, ""));
}

Test(elf, is_no_other_file)
{
    struct elf e;

    make();
    cr_assert(!elf_open(&e, &file, sizeof(file.head) - 1));
    file.head.e_ident[0] = 0;
    cr_assert(!elf_open(&e, &file, sizeof(file)));
    make();
    file.head.e_ident[EI_CLASS] = ELFCLASS32;
    cr_assert(!elf_open(&e, &file, sizeof(file)));
    make();
    file.head.e_shoff = sizeof(file) - sizeof(file.sections) + 1;
    cr_assert(!elf_open(&e, &file, sizeof(file)), "headers beyond the end");
    make();
    file.sections[1].sh_offset = UINT64_MAX;
    cr_assert(!elf_open(&e, &file, sizeof(file)), "names beyond the end");
}

Test(elf, reads_nothing_beyond_the_end)
{
    struct elf e;

    make();
    file.sections[2].sh_size = sizeof(file);
    file.sections[3].sh_name = sizeof(names);
    file.dynamic[0].d_un.d_val = sizeof(strings) + 1;
    cr_assert(elf_open(&e, &file, sizeof(file)));
    cr_assert_null(elf_find(&e, ".text.f").data);
    cr_assert_str_eq(elf_section(&e, 3).name, "");
    cr_assert(!elf_dynamic(&e, DT_NEEDED, ""));
    cr_assert_null(elf_section(&e, 5).data);
    file.sections[1].sh_size = STRINGS + 3; /* the last name has no end */
    cr_assert(elf_open(&e, &file, sizeof(file)));
    cr_assert_str_eq(elf_section(&e, 4).name, "");
}
