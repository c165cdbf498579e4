/* source_test.c - places in the sources, names as written, and warprun --support's report. */
#include "source.h"
#include "emulator/base/error.h"
#include "emulator/base/mem.h"
#include "emulator/base/names.h"
#include "emulator/exec/launch.h"
#include "emulator/runtime/warplab.h"
#include <criterion/criterion.h>
#include <elf.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER "/usr/local/cuda/bin/../targets/x86_64-linux/include/cooperative_groups.h"

Test(names, as_written)
{
    cr_assert_str_eq(shown_name("_Z3addPKfS0_Pfi"), "add(float const*, float const*, float*, int)");
    cr_assert_str_eq(shown_name("reduce1_i32_sum"), "reduce1_i32_sum");
    cr_assert_str_eq(shown_name("_Z_oops"), "_Z_oops");
    cr_assert_eq(shown_name("_Z1kPi"), shown_name("_Z1kPi"), "kept");
}

Test(names, long_ones_lose_their_arguments)
{
    const char *shown = shown_name(
        "_ZN3cub17CUB_300001_SM_9006detail4scan16DeviceScanKernelINS2_10policy_hubIjjjjN4cuda3std3_"
        "_44plusIvEEE10Policy1000EPjSC_NS0_13ScanTileStateIjLb1EEES9_NS1_10InputValueIjSC_EEjjLb0Ej"
        "EEvT0_T1_T2_iT3_T4_T5_");

    cr_assert(strstr(shown, "DeviceScanKernel<...>("), "%s", shown);
    cr_assert_leq(strlen(shown), 120, "%s", shown);
}

/* … and a variable keeps its own. */
Test(names, long_ones_of_variables)
{
    const char *shown = shown_name(
        "_ZZN3cub17CUB_300001_SM_9006detail4scan16DeviceScanKernelINS2_10policy_"
        "hubIjjjjN4cuda3std3_"
        "_44plusIvEEE10Policy1000EPjSC_NS0_13ScanTileStateIjLb1EEES9_NS1_10InputValueIjSC_EEjjLb0Ej"
        "EEvT0_T1_T2_iT3_T4_T5_E4tile");

    cr_assert(strstr(shown, "(...)::tile"), "%s", shown);
}

Test(names, long_ones_that_are_none_are_cut)
{
    char name[200] = "_Z_oops";

    memset(name + 7, 'o', sizeof(name) - 8);
    cr_assert_eq(strlen(shown_name(name)), 120);
    cr_assert_eq(strncmp(shown_name(name), name, 117), 0);
    cr_assert_str_eq(shown_name(name) + 117, "...");
}

Test(toolkit, paths)
{
    static const char *const theirs[] = {HEADER, "/usr/local/cuda-13.0/include/cccl/cub/x.cuh",
                                         "/usr/include/c++/12/complex",
                                         "/home/me/.venv/lib/nvidia/cu13/include/crt/mma.hpp"};
    static const char *const ours[] = {"/home/me/saxpy.cu", "/home/me/include/tile.h",
                                       "common/device/warplab.cuh", "/usr/local/cuda/samples/a.cu"};

    for (size_t i = 0; i < sizeof(theirs) / sizeof(*theirs); i++)
        cr_assert(source_is_toolkit(theirs[i]), "%s", theirs[i]);
    for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
        cr_assert_not(source_is_toolkit(ours[i]), "%s", ours[i]);
}

/* An instruction of tensor.cuh is its caller's, who answers for it. */
Test(toolkit, the_labs_own_wrappers)
{
    const char *files[] = {NULL, "/x/common/device/tensor.cuh", "/home/me/mm.cu"};
    struct ptx_inlined inlined[] = {{0}, {.file = 2, .line = 12}};
    struct ptx_module m = {.files = files, .nfiles = 3, .inlined = inlined, .ninlined = 2};
    struct site s = {0};

    site_locate(&m, &(struct ptx_loc){.file = 1, .line = 90, .inlined = 1}, &s);
    cr_assert_str_eq(s.file, files[2]);
    cr_assert_eq(s.line, 12);
    cr_assert_eq(s.inner_line, 90);
    cr_assert_not(site_of_a_library("k", &s));
}

/* So is one of load_matrix_sync()'s; what CUB reads in vain is nobody's. */
Test(toolkit, matrices_are_their_callers)
{
    struct site s = {.file = "/home/me/mm.cu",
                     .inner_file = "/usr/local/cuda-13.0/include/crt/mma.hpp"};

    cr_assert_not(site_of_a_library("k", &s));
    s.inner_file = HEADER;
    cr_assert(site_of_a_library("k", &s));
}

static const char broken[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".func dev(.param .b32 p)\n{\n.reg .b32 %r<4>;\n.loc 1 3 1\n"
    "vset.s32.s32.lt %r0, %r1, %r2;\nret;\n}\n"
    ".func good(.param .b32 p)\n{\n.reg .b32 %r<4>;\nadd.s32 %r0, %r1, %r2;\nret;\n}\n"
    ".visible .entry _Z3fooPi(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .f32 %f<4>;\n"
    ".loc 1 10 1\nfrob.s32 %r0, %r1;\n.loc 1 11 1\nadd.s32.blurb %r0, %r1, %r2;\n"
    ".loc 1 12 1\ntcgen05.fence.sync.aligned;\nadd.f32 %f0, %f1, 1;\nsin.approx.f32 %f0, %f1;\n"
    "ret;\n}\n.file 1 \"/home/me/foo.cu\"\n";

/* What --support prints of the text, and its exit status. */
static char *support(const char *ptx, int *status)
{
    char path[] = "/tmp/supportXXXXXX", out[] = "/tmp/reportXXXXXX";
    char *text = calloc(1, 65536);
    int fd = mkstemp(path), to = mkstemp(out);

    cr_assert(fd >= 0 && to >= 0 && text);
    cr_assert_eq(write(fd, ptx, strlen(ptx)), (ssize_t)strlen(ptx));
    cr_assert(freopen(out, "w", stdout));
    *status = warplabSupport(path);
    fflush(stdout);
    FILE *f = fopen(out, "r");
    cr_assert(f && fread(text, 1, 65535, f) > 0);
    fclose(f);
    close(fd);
    close(to);
    unlink(path);
    unlink(out);
    return text;
}

Test(support, every_reason_with_its_place)
{
    static const char *const wanted[] = {
        "/home/me/foo.cu:10: PTX line 22: unknown opcode 'frob'",
        "/home/me/foo.cu:11: PTX line 24: unknown suffix '.blurb'",
        "/home/me/foo.cu:3: vset.s32.s32.lt: not supported",
        "kernel foo(int*) cannot run:",
        "/home/me/foo.cu:12: tcgen05.fence.sync.aligned: not supported",
        "PTX line 26: tcgen05.fence.sync.aligned",
        "/home/me/foo.cu:12: an integer where a floating-point constant is expected",
        "not supported  tcgen05.fence.sync.aligned",
        "approximate    sin.approx.f32",
        "exact          add.s32",
        "1 of 3 functions in 1 modules can run",
    };
    int status;
    char *text = support(broken, &status);

    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
        cr_assert(strstr(text, wanted[i]), "no \"%s\" in\n%s", wanted[i], text);
    cr_assert_eq(status, 1);
    free(text);
}

Test(support, kernels_fail_with_what_they_call)
{
    int status;
    char *text = support(".version 8.0\n.target sm_90\n.address_size 64\n"
                         ".func dev()\n{\ntcgen05.fence.sync.aligned;\nret;\n}\n"
                         ".entry k()\n{\ncall.uni dev, ();\nret;\n}\n",
                         &status);

    cr_assert(strstr(text, "kernel k cannot run: it calls a function that cannot"), "%s", text);
    cr_assert(strstr(text, "0 of 2 functions"), "%s", text);
    free(text);
}

/* What is left out of a text that cannot be read at all is no place in another one. */
Test(support, a_text_that_is_no_ptx)
{
    int status;
    char *text = support(".version 8.0\n.target sm_90\n.address_size 64\n"
                         ".entry k()\n{\nfrob.s32 %r0;\nret;\n",
                         &status);

    cr_assert(strstr(text, "line 6: unknown opcode 'frob'"), "%s", text);
    cr_assert(strstr(text, "line 4: the body of 'k' does not end"), "%s", text);
    cr_assert(strstr(text, "0 of 0 functions in 0 modules can run"), "%s", text);
    cr_assert_eq(status, 1);
    free(text);
}

/* Each of them is kept until its function is named. */
Test(support, many_statements_that_cannot_be_read)
{
    char ptx[1000] = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n";
    int status;

    for (int i = 0; i < 18; i++)
        strcat(ptx, "frob.s32 %r0;\n");
    strcat(ptx, "ret;\n}\n.entry last()\n{\nret;\n}\n");
    char *text = support(ptx, &status);
    cr_assert(strstr(text, "line 6: unknown") && strstr(text, "line 23: unknown"), "%s", text);
    cr_assert(strstr(text, "1 of 2 functions in 1 modules can run"), "%s", text);
    free(text);
}

Test(support, all_can_run)
{
    int status;
    char *text =
        support(".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\nret;\n}\n", &status);

    cr_assert(strstr(text, "1 of 1 functions"), "%s", text);
    cr_assert_eq(status, 0);
    free(text);
}

/* ---- faults in headers belong to the line that called ---- */

static const char inlined[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry _Z1kPi(.param .u64 p)\n{\n.reg .b64 %d<2>;\n.reg .b32 %r<2>;\n"
    ".loc 1 7 3\nmov.u32 %r0, 5;\n"
    ".loc 2 100 1, function_name $L__info_string0, inlined_at 1 8 3\nmov.u64 %d1, 64;\n"
    ".loc 2 50 1, function_name $L__info_string1, inlined_at 2 100 1\n"
    "st.global.u32 [%d1], %r0;\nret;\n}\n"
    ".file 1 \"/home/me/foo.cu\"\n.file 2 \"" HEADER "\"\n"
    ".section .debug_str\n{\n$L__info_string0:\n.b8 97\n.b8 0\n$L__info_string1:\n.b8 98\n.b8 "
    "0\n}\n";

static cudaError_t run_inlined(void)
{
    const char *texts[] = {inlined};
    size_t lengths[] = {sizeof(inlined) - 1};
    uint64_t parameter = 0;
    struct emu_module *m;

    mem_init();
    cr_assert_eq(emu_module_load(texts, lengths, 1, "inlined", &m), cudaSuccess);
    struct emu_launch l = {.func = emu_module_func(m, "_Z1kPi"),
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .params = &parameter};
    cudaError_t e = emu_launch(&l, NULL);

    emu_module_unload(m);
    return e;
}

Test(places, climb_out_of_headers)
{
    cr_assert_eq(run_inlined(), cudaErrorIllegalAddress);
    cr_assert(strstr(emu_error_text(), "/home/me/foo.cu:8 (in cooperative_groups.h:50): illegal"),
              "%s", emu_error_text());
    cr_assert(strstr(emu_error_text(), "in kernel k(int*), block"), "%s", emu_error_text());
    cr_assert(strstr(warplabFinding(0), "\"line\":8"), "%s", warplabFinding(0));
    cr_assert(strstr(warplabFinding(0), "\"kernel\":\"_Z1kPi\""), "the stable name");
}

Test(places, of_text_that_does_not_parse)
{
    static const struct {
        int line;
        const char *place;
    } rows[] = {{22, "/home/me/foo.cu:10"}, {2, ""}, {14, "" /* a function before has ended */}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *place = source_before(broken, strlen(broken), rows[i].line);
        cr_expect_str_eq(place, rows[i].place, "line %d", rows[i].line);
        free(place);
    }
}

/* The name of the program's file takes nothing away from what is said of it. */
Test(places, in_a_file_of_a_long_name)
{
    char name[3001], text[4096];
    const char *texts[] = {text};
    struct emu_module *m;
    uint64_t parameter = 0;

    memset(name, 'd', sizeof(name) - 1);
    memcpy(name + 1000, "\xff\\\t\xf0\x9f", 5);
    strcpy(name + sizeof(name) - 6, "/k.cu");
    size_t lengths[] = {(size_t)snprintf(
        text, sizeof(text),
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b64 %%d<2>;\nmov.u64 %%d1, 64;\n.loc 1 7 3\nst.global.u64 [%%d1], %%d1;\nret;\n}\n"
        ".file 1 \"%s\"\n",
        name)};
    mem_init();
    cr_assert_eq(emu_module_load(texts, lengths, 1, "long", &m), cudaSuccess);
    struct emu_launch l = {.func = emu_module_func(m, "k"),
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .params = &parameter};
    cr_assert_eq(emu_launch(&l, NULL), cudaErrorIllegalAddress);
    cr_assert(strstr(emu_error_text(), "…"), "%s", emu_error_text());
    cr_assert(strstr(emu_error_text(), "dd/k.cu:7: illegal address"), "%s", emu_error_text());
    json_t *o = json_loads(warplabFinding(0), 0, NULL);
    cr_assert(o, "no JSON: %s", warplabFinding(0));
    cr_assert_gt(json_string_length(json_object_get(o, "file")), sizeof(name) - 1);
    cr_assert(strstr(json_string_value(json_object_get(o, "message")), "illegal address"));
    json_decref(o);
}

/* ---- who prints findings ---- */

/* What the launch prints on stderr. */
static char *printed(void)
{
    char path[] = "/tmp/printedXXXXXX";
    char *text = calloc(1, 65536);
    int fd = mkstemp(path);

    cr_assert(fd >= 0 && text && freopen(path, "w", stderr));
    run_inlined();
    fflush(stderr);
    FILE *f = fopen(path, "r");
    cr_assert(f);
    size_t n = fread(text, 1, 65535, f);
    cr_assert(n < 65535 && !ferror(f));
    fclose(f);
    unlink(path);
    return text;
}

Test(findings, said_on_stderr)
{
    char *text = printed();

    cr_assert(strstr(text, "illegal address"));
    free(text);
}

Test(findings, of_a_module_that_is_gone_are_not_those_of_the_next)
{
    for (size_t i = 1; i <= 5; i++) {
        run_inlined();
        cr_assert_eq(warplabFindingCount(), i);
    }
}

Test(findings, left_to_a_program_that_reads_them)
{
    warplabSetCheck(1);
    char *text = printed();

    cr_assert_str_eq(text, "");
    free(text);
    cr_assert_eq(warplabFindingCount(), 1);
}

/* A program whose fatbin says that its header is longer than its section. */
Test(support, a_header_longer_than_its_section)
{
    static struct {
        Elf64_Ehdr head;
        Elf64_Shdr sections[2];
        char names[16];
        uint32_t magic;
        uint16_t version, header;
        uint64_t bytes;
    } program = {.names = ".nv_fatbin", .magic = 0xBA55ED50, .version = 1, .header = UINT16_MAX};
    int status = 0;
    char path[] = "/tmp/supportXXXXXX";
    int fd = mkstemp(path);

    memcpy(program.head.e_ident, ELFMAG, SELFMAG);
    program.head.e_shoff = offsetof(typeof(program), sections);
    program.head.e_shnum = 2;
    program.head.e_shstrndx = 1;
    program.sections[0] =
        (Elf64_Shdr){.sh_offset = offsetof(typeof(program), magic), .sh_size = 16};
    program.sections[1] = (Elf64_Shdr){.sh_name = 11,
                                       .sh_offset = offsetof(typeof(program), names),
                                       .sh_size = sizeof(program.names)};
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, &program, sizeof(program)), (ssize_t)sizeof(program));
    cr_assert(freopen("/dev/null", "w", stderr));
    status = warplabSupport(path);
    close(fd);
    unlink(path);
    cr_assert_eq(status, 1);
}
