/* children_test.c - what kernels ask of the device runtime: order, limits, errors. */
#include "cudart.h"
#include "warplab.h"
#include <criterion/criterion.h>
#include <string.h>

#define OK(call)           cr_assert_eq((call), cudaSuccess, "%s", #call)
#define GIVES(call, error) cr_assert_str_eq(cudaGetErrorName(call), #error, "%s", #call)

/* Calls, as nvcc writes them: arguments in registers, the result in a register. */
#define CALL2(name, out, ret, a, ta, b, tb)                                                        \
    "    { .param ." ta " a0; st.param." ta " [a0], " a "; .param ." tb " a1; st.param." tb        \
    " [a1], " b "; .param ." ret " r; call.uni (r), " name ", (a0, a1); ld.param." ret " " out     \
    ", [r]; }\n"
#define BUFFER(out, kernel, threads)                                                               \
    "    mov.u64 %f, " kernel ";\n"                                                                \
    "    { .param .b64 a0; st.param.b64 [a0], %f; .param .align 4 .b8 a1[12];\n"                   \
    "      st.param.b32 [a1], 1; st.param.b32 [a1+4], 1; st.param.b32 [a1+8], 1;\n"                \
    "      .param .align 4 .b8 a2[12]; st.param.b32 [a2], " threads ";\n"                          \
    "      st.param.b32 [a2+4], 1; st.param.b32 [a2+8], 1;\n"                                      \
    "      .param .b32 a3; st.param.b32 [a3], 0; .param .b64 r;\n"                                 \
    "      call.uni (r), __cudaCDP2GetParameterBufferV2, (a0, a1, a2, a3);\n"                      \
    "      ld.param.b64 " out ", [r]; }\n"
#define LAUNCH(out, buffer, stream)                                                                \
    CALL2("__cudaCDP2LaunchDeviceV2", out, "b32", buffer, "b64", stream, "b64")
#define LAST(out)                                                                                  \
    "    { .param .b32 r; call.uni (r), __cudaCDP2GetLastError, (); ld.param.b32 " out ", [r]; "   \
    "}\n"

static const char ptx[] =
    ".version 9.0\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 a,\n"
    "    .param .align 4 .b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b);\n"
    ".extern .func (.param .b32 r) __cudaCDP2GetLastError();\n"
    ".extern .func (.param .b64 r) cudaGetParameterBuffer(.param .b64 a, .param .b64 b);\n"
    ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 a, .param .b64 b,\n"
    "    .param .align 4 .b8 c[12], .param .align 4 .b8 d[12], .param .b32 e, .param .b64 "
    "f);\n"
    ".extern .func (.param .b32 r) __cudaCDP2EventCreateWithFlags(.param .b64 a, .param .b32 "
    "b);\n"
    /* p[0] = p[0] * 2 + value, so that the order of launches is seen */
    ".visible .entry add(.param .u64 p, .param .u32 value)\n"
    "{\n"
    "    .reg .b32 %r<4>;\n"
    "    .reg .b64 %rd<2>;\n"
    "    ld.param.u64 %rd1, [p];\n"
    "    ld.param.u32 %r1, [value];\n"
    "    ld.global.u32 %r2, [%rd1];\n"
    "    mad.lo.s32 %r3, %r2, 2, %r1;\n"
    "    st.global.u32 [%rd1], %r3;\n"
    "    ret;\n"
    "}\n"
    /* add(p, 1) into stream s, add(p, 2) into stream t */
    ".visible .entry two(.param .u64 p, .param .u64 s, .param .u64 t)\n"
    "{\n"
    "    .reg .b32 %r<4>;\n"
    "    .reg .b64 %rd<5>, %f;\n"
    "    ld.param.u64 %rd1, [p];\n"
    "    ld.param.u64 %rd2, [s];\n"
    "    ld.param.u64 %rd3, [t];\n" BUFFER(
        "%rd4", "add",
        "1") "    mov.u32 %r2, 1;\n"
             "    st.u64 [%rd4], %rd1;\n"
             "    st.u32 [%rd4+8], %r2;\n" LAUNCH("%r1", "%rd4", "%rd2") BUFFER(
                 "%rd4", "add",
                 "1") "    mov.u32 %r2, 2;\n"
                      "    st.u64 [%rd4], %rd1;\n"
                      "    st.u32 [%rd4+8], %r2;\n" LAUNCH(
                          "%r1", "%rd4",
                          "%rd3") "    ret;\n"
                                  "}\n"
                                  /* each thread launches nothing(), of so many threads, into
                                     stream s: p[tid] is its error */
                                  ".visible .entry nothing() { ret; }\n"
                                  ".visible .entry each(.param .u64 p, .param .u32 threads, "
                                  ".param "
                                  ".u64 s)\n"
                                  "{\n"
                                  "    .reg .pred %p;\n"
                                  "    .reg .b32 %r<5>;\n"
                                  "    .reg .b64 %rd<5>, %f;\n"
                                  "    ld.param.u64 %rd1, [p];\n"
                                  "    ld.param.u32 %r1, [threads];\n"
                                  "    ld.param.u64 %rd2, [s];\n" BUFFER(
                                      "%rd4", "nothing",
                                      "%r1") "    setp.eq.u64 %p, %rd4, 0;\n"
                                             "    @%p bra NONE;\n" LAUNCH(
                                                 "%r2", "%rd4",
                                                 "%rd2") "NONE:\n"
                                                         "    mov.u32 %r3, %tid.x;\n"
                                                         "    mad.wide.u32 %rd3, %r3, 4, "
                                                         "%rd1;\n" LAST(
                                                             "%r4") "    st.global.u32 "
                                                                    "[%rd3], "
                                                                    "%r4;\n"
                                                                    "    ret;\n"
                                                                    "}\n"
                                                                    /* launches itself n times,
                                                                       one below the other, and
                                                                       counts in p[0] */
                                                                    ".visible .entry "
                                                                    "down(.param "
                                                                    ".u64 p, .param .u32 n, "
                                                                    ".param "
                                                                    ".u64 s)\n"
                                                                    "{\n"
                                                                    "    .reg .pred %p;\n"
                                                                    "    .reg .b32 %r<5>;\n"
                                                                    "    .reg .b64 %rd<5>, "
                                                                    "%f;\n"
                                                                    "    ld.param.u64 %rd1, "
                                                                    "[p];\n"
                                                                    "    ld.param.u32 %r1, "
                                                                    "[n];\n"
                                                                    "    ld.param.u64 %rd2, "
                                                                    "[s];\n"
                                                                    "    ld.global.u32 %r2, "
                                                                    "[%rd1];\n"
                                                                    "    add.u32 %r2, %r2, "
                                                                    "1;\n"
                                                                    "    st.global.u32 "
                                                                    "[%rd1], "
                                                                    "%r2;\n"
                                                                    "    setp.eq.u32 %p, %r1, "
                                                                    "0;\n"
                                                                    "    @%p ret;\n"
                                                                    "    sub.u32 %r1, %r1, "
                                                                    "1;\n" BUFFER(
                                                                        "%rd4", "down",
                                                                        "1") "    st.u64 "
                                                                             "[%rd4], "
                                                                             "%rd1;\n"
                                                                             "    st.u32 "
                                                                             "[%rd4+8], "
                                                                             "%r1;\n"
                                                                             "    st.u64 "
                                                                             "[%rd4+16], "
                                                                             "%rd2;\n" LAUNCH(
                                                                                 "%r3",
                                                                                 "%rd4", "%rd2") " "
                                                                                                 " "
                                                                                                 " "
                                                                                                 " "
                                                                                                 "r"
                                                                                                 "e"
                                                                                                 "t"
                                                                                                 ";"
                                                                                                 "\n"
                                                                                                 "}"
                                                                                                 "\n"
                                                                                                 /* as
                                                                                                    compilers
                                                                                                    may:
                                                                                                    add(p,
                                                                                                    value),
                                                                                                    and
                                                                                                    the
                                                                                                    result
                                                                                                    of
                                                                                                    the
                                                                                                    launch
                                                                                                    in
                                                                                                    p[1]
                                                                                                  */
                                                                                                 "."
                                                                                                 "v"
                                                                                                 "i"
                                                                                                 "s"
                                                                                                 "i"
                                                                                                 "b"
                                                                                                 "l"
                                                                                                 "e"
                                                                                                 " "
                                                                                                 "."
                                                                                                 "e"
                                                                                                 "n"
                                                                                                 "t"
                                                                                                 "r"
                                                                                                 "y"
                                                                                                 " "
                                                                                                 "p"
                                                                                                 "l"
                                                                                                 "a"
                                                                                                 "i"
                                                                                                 "n"
                                                                                                 "("
                                                                                                 "."
                                                                                                 "p"
                                                                                                 "a"
                                                                                                 "r"
                                                                                                 "a"
                                                                                                 "m"
                                                                                                 " "
                                                                                                 "."
                                                                                                 "u"
                                                                                                 "6"
                                                                                                 "4"
                                                                                                 " "
                                                                                                 "p"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "."
                                                                                                 "p"
                                                                                                 "a"
                                                                                                 "r"
                                                                                                 "a"
                                                                                                 "m"
                                                                                                 " "
                                                                                                 "."
                                                                                                 "u"
                                                                                                 "3"
                                                                                                 "2"
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "a"
                                                                                                 "l"
                                                                                                 "u"
                                                                                                 "e"
                                                                                                 ")"
                                                                                                 "\n"
                                                                                                 "{"
                                                                                                 "\n"
                                                                                                 " "
                                                                                                 " "
                                                                                                 " "
                                                                                                 " "
                                                                                                 "."
                                                                                                 "r"
                                                                                                 "e"
                                                                                                 "g"
                                                                                                 " "
                                                                                                 "."
                                                                                                 "b"
                                                                                                 "3"
                                                                                                 "2"
                                                                                                 " "
                                                                                                 "%"
                                                                                                 "r"
                                                                                                 "<"
                                                                                                 "4"
                                                                                                 ">"
                                                                                                 ";"
                                                                                                 "\n"
                                                                                                 " "
                                                                                                 " "
                                                                                                 " "
                                                                                                 " "
                                                                                                 "."
                                                                                                 "r"
                                                                                                 "e"
                                                                                                 "g"
                                                                                                 " "
                                                                                                 "."
                                                                                                 "b"
                                                                                                 "6"
                                                                                                 "4"
                                                                                                 " "
                                                                                                 "%"
                                                                                                 "r"
                                                                                                 "d"
                                                                                                 "<"
                                                                                                 "5"
                                                                                                 ">"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "%"
                                                                                                 "f"
                                                                                                 ";"
                                                                                                 "\n"
                                                                                                 " "
                                                                                                 " "
                                                                                                 " "
                                                                                                 " "
                                                                                                 "l"
                                                                                                 "d"
                                                                                                 "."
                                                                                                 "p"
                                                                                                 "a"
                                                                                                 "r"
                                                                                                 "a"
                                                                                                 "m"
                                                                                                 "."
                                                                                                 "u"
                                                                                                 "6"
                                                                                                 "4"
                                                                                                 " "
                                                                                                 "%"
                                                                                                 "r"
                                                                                                 "d"
                                                                                                 "1"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "["
                                                                                                 "p"
                                                                                                 "]"
                                                                                                 ";"
                                                                                                 "\n"
                                                                                                 " "
                                                                                                 " "
                                                                                                 " "
                                                                                                 " "
                                                                                                 "l"
                                                                                                 "d"
                                                                                                 "."
                                                                                                 "p"
                                                                                                 "a"
                                                                                                 "r"
                                                                                                 "a"
                                                                                                 "m"
                                                                                                 "."
                                                                                                 "u"
                                                                                                 "3"
                                                                                                 "2"
                                                                                                 " "
                                                                                                 "%"
                                                                                                 "r"
                                                                                                 "1"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "["
                                                                                                 "v"
                                                                                                 "a"
                                                                                                 "l"
                                                                                                 "u"
                                                                                                 "e"
                                                                                                 "]"
                                                                                                 ";"
                                                                                                 "\n"
                                                                                                 " "
                                                                                                 " "
                                                                                                 " "
                                                                                                 " "
                                                                                                 "m"
                                                                                                 "o"
                                                                                                 "v"
                                                                                                 "."
                                                                                                 "u"
                                                                                                 "6"
                                                                                                 "4"
                                                                                                 " "
                                                                                                 "%"
                                                                                                 "r"
                                                                                                 "d"
                                                                                                 "3"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "8"
                                                                                                 ";"
                                                                                                 " "
                                                                                                 "m"
                                                                                                 "o"
                                                                                                 "v"
                                                                                                 "."
                                                                                                 "u"
                                                                                                 "6"
                                                                                                 "4"
                                                                                                 " "
                                                                                                 "%"
                                                                                                 "r"
                                                                                                 "d"
                                                                                                 "4"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "1"
                                                                                                 "2"
                                                                                                 ";"
                                                                                                 "\n" CALL2(
                                                                                                     "cudaG"
                                                                                                     "etPar"
                                                                                                     "amete"
                                                                                                     "rBuff"
                                                                                                     "er",
                                                                                                     "%rd2", "b64",
                                                                                                     "%rd3", "b64", "%rd4", "b64") "    st.u64 [%rd2], %rd1;\n"
                                                                                                                                   "    st.u32 [%rd2+8], %r1;\n"
                                                                                                                                   "    mov.u64 %f, add;\n"
                                                                                                                                   "    { .param .b64 a0; st.param.b64 [a0], %f; .param .b64 a1; st.param.b64 [a1], %rd2;\n"
                                                                                                                                   "      .param .align 4 .b8 a2[12]; st.param.b32 [a2], 1; st.param.b32 [a2+4], 1;\n"
                                                                                                                                   "      st.param.b32 [a2+8], 1; .param .align 4 .b8 a3[12]; st.param.b32 [a3], 1;\n"
                                                                                                                                   "      st.param.b32 [a3+4], 1; st.param.b32 [a3+8], 1; .param .b32 a4; st.param.b32 [a4], 0;\n"
                                                                                                                                   "      .param .b64 a5; st.param.b64 [a5], 0; .param .b32 r;\n"
                                                                                                                                   "      call.uni (r), cudaLaunchDevice, (a0, a1, a2, a3, a4, a5); ld.param.b32 %r2, [r]; }\n"
                                                                                                                                   "    st.global.u32 [%rd1+4], %r2;\n"
                                                                                                                                   "    ret;\n"
                                                                                                                                   "}\n"
                                                                                                                                   /* gives its child an address of its own local memory */
                                                                                                                                   ".visible .entry own(.param .u64 p)\n"
                                                                                                                                   "{\n"
                                                                                                                                   "    .local .b32 mine;\n"
                                                                                                                                   "    .reg .b32 %r<4>;\n"
                                                                                                                                   "    .reg .b64 %rd<5>, %f;\n"
                                                                                                                                   "    mov.u64 %rd1, mine;\n"
                                                                                                                                   "    cvta.local.u64 %rd1, %rd1;\n" BUFFER("%rd4", "add", "1") "    st.u64 [%rd4], %rd1;\n" LAUNCH("%r1", "%rd4", "0") "    ret;\n"
                                                                                                                                                                                                                                                         "}\n"
                                                                                                                                                                                                                                                         /* thread 0 launches add(p, 1) into stream s; a thread stores p[0], before it (0), before it
                                                                                                                                                                                                                                                          * and a barrier (1), or after it (2) */
                                                                                                                                                                                                                                                         ".visible .entry beside(.param .u64 p, .param .u32 writer, .param .u32 when, .param .u64 s)\n"
                                                                                                                                                                                                                                                         "{\n"
                                                                                                                                                                                                                                                         "    .reg .pred %p<5>;\n"
                                                                                                                                                                                                                                                         "    .reg .b32 %r<6>;\n"
                                                                                                                                                                                                                                                         "    .reg .b64 %rd<5>, %f;\n"
                                                                                                                                                                                                                                                         "    ld.param.u64 %rd1, [p];\n"
                                                                                                                                                                                                                                                         "    ld.param.u32 %r1, [writer];\n"
                                                                                                                                                                                                                                                         "    ld.param.u32 %r2, [when];\n"
                                                                                                                                                                                                                                                         "    ld.param.u64 %rd2, [s];\n"
                                                                                                                                                                                                                                                         "    mov.u32 %r3, %tid.x;\n"
                                                                                                                                                                                                                                                         "    setp.eq.u32 %p1, %r1, %r3;\n"
                                                                                                                                                                                                                                                         "    setp.ne.and.u32 %p2, %r2, 2, %p1;\n"
                                                                                                                                                                                                                                                         "    setp.eq.and.u32 %p3, %r2, 2, %p1;\n"
                                                                                                                                                                                                                                                         "    setp.ne.u32 %p4, %r3, 0;\n"
                                                                                                                                                                                                                                                         "    @%p2 st.global.u32 [%rd1], 5;\n"
                                                                                                                                                                                                                                                         "    setp.ne.u32 %p1, %r2, 1;\n"
                                                                                                                                                                                                                                                         "    @%p1 bra NOW;\n"
                                                                                                                                                                                                                                                         "    bar.sync 0;\n"
                                                                                                                                                                                                                                                         "NOW:\n"
                                                                                                                                                                                                                                                         "    @%p4 bra LATER;\n" BUFFER("%rd4",
                                                                                                                                                                                                                                                                                        "add",
                                                                                                                                                                                                                                                                                        "1") "    mov.u32 %r4, 1;\n"
                                                                                                                                                                                                                                                                                             "    st.u64 [%rd4], %rd1;\n"
                                                                                                                                                                                                                                                                                             "    st.u32 [%rd4+8], %r4;\n" LAUNCH(
                                                                                                                                                                                                                                                                                                 "%r5",
                                                                                                                                                                                                                                                                                                 "%rd4",
                                                                                                                                                                                                                                                                                                 "%rd2") "LATER:\n"
                                                                                                                                                                                                                                                                                                         "    @%p3 st.global.u32 [%rd1], 7;\n"
                                                                                                                                                                                                                                                                                                         "    ret;\n"
                                                                                                                                                                                                                                                                                                         "}\n"
                                                                                                                                                                                                                                                                                                         /* makes events until there are no more: how many there were, and the error */
                                                                                                                                                                                                                                                                                                         ".visible .entry events(.param .u64 p)\n"
                                                                                                                                                                                                                                                                                                         "{\n"
                                                                                                                                                                                                                                                                                                         "    .local .b64 mine;\n"
                                                                                                                                                                                                                                                                                                         "    .reg .pred %p;\n"
                                                                                                                                                                                                                                                                                                         "    .reg .b32 %r<4>;\n"
                                                                                                                                                                                                                                                                                                         "    .reg .b64 %rd<5>;\n"
                                                                                                                                                                                                                                                                                                         "    ld.param.u64 %rd1, [p];\n"
                                                                                                                                                                                                                                                                                                         "    mov.u64 %rd2, mine;\n"
                                                                                                                                                                                                                                                                                                         "    cvta.local.u64 %rd2, %rd2;\n"
                                                                                                                                                                                                                                                                                                         "    mov.u32 %r1, 0;\n"
                                                                                                                                                                                                                                                                                                         "    mov.u32 %r2, 2;\n"
                                                                                                                                                                                                                                                                                                         "MORE:\n" CALL2("__cudaCDP2EventCreateWithFlags", "%r3",
                                                                                                                                                                                                                                                                                                                         "b32",
                                                                                                                                                                                                                                                                                                                         "%rd2",
                                                                                                                                                                                                                                                                                                                         "b64", "%r2", "b32") "    setp.ne.u32 %p, %r3, 0;\n"
                                                                                                                                                                                                                                                                                                                                              "    @%p bra DONE;\n"
                                                                                                                                                                                                                                                                                                                                              "    add.u32 %r1, %r1, 1;\n"
                                                                                                                                                                                                                                                                                                                                              "    bra MORE;\n"
                                                                                                                                                                                                                                                                                                                                              "DONE:\n"
                                                                                                                                                                                                                                                                                                                                              "    st.global.v2.u32 [%rd1], {%r1, %r3};\n"
                                                                                                                                                                                                                                                                                                                                              "    ret;\n"
                                                                                                                                                                                                                                                                                                                                              "}\n";

enum { N = 64 };
static cudaLibrary_t library;
static int *device, host[N];

static void set_up(void)
{
    OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaMalloc((void **)&device, sizeof(host)));
    OK(cudaMemset(device, 0, sizeof(host)));
}

static void launch(const char *name, unsigned threads, void **args)
{
    cudaKernel_t kernel;

    OK(cudaLibraryGetKernel(&kernel, library, name));
    OK(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){threads, 1, 1}, args, 0, 0));
}

static int *now(void)
{
    OK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
    return host;
}

/* p[0] after add(p, 1) into one stream and add(p, 2) into another. */
static int two(uint64_t first, uint64_t second)
{
    OK(cudaMemset(device, 0, sizeof(host)));
    launch("two", 1, (void *[]){&device, &first, &second});
    return now()[0];
}

TestSuite(children, .init = set_up);

Test(children, run_in_their_streams_order)
{
    enum { BLOCK, LEGACY, THREAD, TAIL, FORGET };

    cr_expect_eq(two(BLOCK, BLOCK), 4); /* (0 * 2 + 1) * 2 + 2 */
    cr_expect_eq(two(TAIL, BLOCK), 5);  /* (0 * 2 + 2) * 2 + 1 */
    cr_expect_eq(two(TAIL, FORGET), 5);
    cr_expect_eq(two(TAIL, THREAD), 5);
    cr_expect_eq(two(TAIL, TAIL), 4);
    cr_expect_eq(two(LEGACY, BLOCK), 4, "the block's stream, too");
    cr_expect_eq(two(99, BLOCK), 2, "none of a kernel's");
}

/* A child's tail comes before what its parent launched after it. */
Test(children, are_complete_with_their_own)
{
    uint64_t none = 0, tail = 3;
    int deep = 1000, once = 0;

    launch("down", 1, (void *[]){&device, &deep, &none});
    cr_expect_eq(now()[0], 1001);
    launch("down", 1, (void *[]){&device, &deep, &tail});
    cr_expect_eq(now()[0], 2002);
    launch("down", 1, (void *[]){&device, &once, &tail});
    cr_expect_eq(now()[0], 2003);
}

Test(children, are_limited_while_they_wait)
{
    uint64_t none = 0;
    int one = 1;

    launch("each", N, (void *[]){&device, &one, &none});
    cr_expect_eq(now()[N - 1], cudaSuccess);
    OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 33));
    launch("each", 35, (void *[]){&device, &one, &none});
    cr_expect_eq(now()[32], cudaSuccess);
    cr_expect_eq(now()[33], cudaErrorLaunchPendingCountExceeded);
    cr_expect_eq(now()[34], cudaErrorLaunchPendingCountExceeded);
    launch("each", 33, (void *[]){&device, &one, &none}); /* those before are over */
    cr_expect_eq(now()[32], cudaSuccess);
    OK(cudaDeviceSynchronize());
    launch("events", 1, (void *[]){&device});
    cr_expect_eq(now()[0], 66);
    cr_expect_eq(now()[1], cudaErrorMemoryAllocation);
}

Test(children, of_a_shape_that_there_is_not)
{
    uint64_t none = 0, other = 12345;
    int many = 2048, one = 1;

    launch("each", 2, (void *[]){&device, &many, &none});
    cr_expect_eq(now()[0], cudaErrorInvalidConfiguration);
    cr_expect_eq(now()[1], cudaErrorInvalidConfiguration);
    launch("each", 1, (void *[]){&device, &one, &other});
    cr_expect_eq(now()[0], cudaErrorInvalidValue);
    OK(cudaDeviceSynchronize());
}

Test(children, launched_as_compilers_may)
{
    int value = 7;

    launch("plain", 1, (void *[]){&device, &value});
    cr_expect_eq(now()[0], 7);
    cr_expect_eq(now()[1], cudaSuccess);
}

Test(children, are_not_given_what_is_a_threads_own)
{
    launch("own", 1, (void *[]){&device});
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    cr_expect(strstr(emu_error_text(), "argument 0 of kernel add points to local memory"));
}

Test(children, bring_their_faults_to_the_host)
{
    int *wild = (int *)16;
    uint64_t none = 0;

    launch("two", 1, (void *[]){&wild, &none, &none});
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    cr_expect(strstr(emu_error_text(), "in kernel add"));
}

/* All that a kernel of the host's launches is one launch to the limit. */
Test(children, take_steps_of_their_parents_limit)
{
    uint64_t none = 0;
    int deep = 1000000;

    warplabSetSteps(100000);
    launch("down", 1, (void *[]){&device, &deep, &none});
    GIVES(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
}

/* Findings that a launch of beside() adds. */
static size_t beside(unsigned threads, int writer, int when, uint64_t stream)
{
    size_t before = warplabFindingCount();

    launch("beside", threads, (void *[]){&device, &writer, &when, &stream});
    return warplabFindingCount() - before;
}

Test(children, race_with_their_parent)
{
    enum { BEFORE, AND_BARRIER, AFTER };
    enum { BLOCK = 0, TAIL = 3 };

    warplabSetCheck(1);
    cr_expect_eq(beside(64, 0, BEFORE, BLOCK), 0, "what the thread wrote before");
    cr_expect_eq(beside(64, 33, AND_BARRIER, BLOCK), 0, "what its block wrote before a barrier");
    cr_expect_eq(beside(64, 33, AFTER, TAIL), 0);
    cr_expect_gt(beside(64, 33, BEFORE, BLOCK), 0, "another warp");
    const char *finding = warplabFinding(0);
    cr_expect(strstr(finding, "global-race") && strstr(finding, "kernel beside, block (0,0,0)"),
              "%s", finding);
}

Test(children, race_with_what_their_parent_does_next)
{
    warplabSetCheck(1);
    cr_expect_gt(beside(64, 0, 2, 0), 0);
}

Test(children, race_with_a_lane_beside_their_parent)
{
    warplabSetCheck(1);
    cr_expect_gt(beside(32, 1, 0, 0), 0);
}

Test(children, race_with_each_other)
{
    enum { BLOCK = 0, THREAD = 2, TAIL = 3, FORGET = 4 };

    warplabSetCheck(1);
    two(BLOCK, BLOCK);
    two(THREAD, THREAD);
    two(FORGET, TAIL);
    two(TAIL, TAIL);
    cr_expect_eq(warplabFindingCount(), 0);
    two(FORGET, FORGET);
    cr_assert_gt(warplabFindingCount(), 0);
    cr_expect(strstr(warplabFinding(0), "different streams"), "%s", warplabFinding(0));
}
