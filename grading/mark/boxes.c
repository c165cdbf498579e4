/* boxes.c - what the compiler's and the runner's boxes hold. See boxes.h. */
#include "boxes.h"

#include "gpu.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/file.h"
#include "lab/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CUDA_DIR
#define CUDA_DIR "/usr/local/cuda"
#endif

void engine_defaults(struct engine_options *o)
{
    static char *lib;
    const char *bin = boxed_programs();
    if (!lib)
        lib = xformat("%s/../lib", bin);
    const char *cuda = getenv("WARPLAB_CUDA");
    *o = (struct engine_options){.steps = 40000000,
                                 .steps_all = 1000000000,
                                 .compile_s = 20,
                                 .run_s = 30,
                                 .bin = bin,
                                 .lib = lib,
                                 .root = course_root(),
                                 .cuda = cuda ? cuda : CUDA_DIR};
}

struct paths {
    struct text owned[16];
    int n;
};

static const char *path(struct paths *p, const char *folder, const char *name)
{
    struct text *t = &p->owned[p->n++];
    text_addf(t, "%s%s%s", folder, *name ? "/" : "", name);
    return t->s;
}

static void paths_free(struct paths *p)
{
    while (p->n)
        text_free(&p->owned[--p->n]);
}

static void bind(struct box_spec *s, const char *host, const char *inside)
{
    s->binds[s->nbinds].host = host;
    s->binds[s->nbinds++].inside = inside;
}

static const char *lib_folder(struct paths *p, const char *cuda)
{
    const char *lib64 = path(p, cuda, "lib64");
    return access(lib64, X_OK) == 0 ? lib64 : path(p, cuda, "lib");
}

bool compiler_start(struct box *b, const struct engine_options *o, const char *name,
                    const char *how)
{
    bool in = !o->unconfined, program = how && !strcmp(how, "program");
    struct paths p = {.n = 0};
    const char *libs = lib_folder(&p, o->cuda), *include = path(&p, o->cuda, "include");
    const char *argv[] = {in ? "/box/build/bin/grade-cc" : path(&p, o->bin, "grade-cc"),
                          "--",
                          name,
                          o->gpu ? o->gpu_arch : EMULATOR_ARCH,
                          how,
                          NULL};
    const char *env[] = {BOX_COMPILER_ENV "LD_LIBRARY_PATH",
                         in ? "/box/cuda/lib64" : libs,
                         "WARPLAB_CUDA_INCLUDE",
                         in ? "/box/cuda/include" : include,
                         "GLIBC_TUNABLES", /* the compiler frees what it soon asks for again */
                         "glibc.malloc.tcache_count=65535",
                         NULL};
    struct box_spec spec = {.argv = argv,
                            .env = env,
                            .cpu_s = o->compile_s * 0.75,
                            .wall_s = o->compile_s,
                            .address_bytes = BOX_ADDRESS_LIMIT(3ull << 30),
                            .resident_bytes = 1ull << 30,
                            .file_bytes = COMPILER_IMAGE_CAP,
                            .log_cap = 4096,
                            .no_proc = BOX_NO_PROC,
                            .tools = program,
                            .unconfined = o->unconfined};
    bind(&spec, path(&p, o->bin, "grade-cc"), "/box/build/bin/grade-cc");
    bind(&spec, path(&p, o->root, "common/device"), "/box/common/device");
    if (program) {
        bind(&spec, o->cuda, "/box/cuda");
    } else {
        bind(&spec, include, "/box/cuda/include");
        bind(&spec, libs, "/box/cuda/lib64");
    }
    bool ok = box_start(b, &spec);
    paths_free(&p);
    return ok;
}

/* No address limit: CUDA reserves far more addresses than there is memory. The processor time
 * is the wall clock's many times over, as one runner serves many runs. */
bool runner_start(struct box *b, const struct engine_options *o, const char *argument, bool traced)
{
    bool in = !o->unconfined;
    struct paths p = {.n = 0};
    const char *libs = !o->gpu      ? path(&p, o->lib, "")
                       : o->gpu_lib ? o->gpu_lib
                                    : lib_folder(&p, o->cuda),
               *driver = o->gpu ? gpu_driver_folder() : NULL;
    const char *search = in ? "/box/build/lib" : libs;
    char *both = driver ? xformat("%s:%s", search, driver) : xstrdup(search);
    const char *argv[] = {in ? "/box/build/bin/grade-runner" : path(&p, o->bin, "grade-runner"),
                          argument, NULL};
    const char *env[] = {BOX_SANITIZER_ENV "LD_LIBRARY_PATH",
                         both,
                         "WARPLAB_THREADS",
                         "1",
                         "WARPLAB_LIBRARIES",
                         "0",
                         "CUDA_CACHE_DISABLE",
                         "1",
                         NULL};
    struct box_spec spec = {.argv = argv,
                            .env = env,
                            .cpu_s = o->trusted ? 0 : 20 * o->run_s,
                            .wall_s = o->run_s,
                            .resident_bytes = 3ull << 30,
                            .file_bytes = 16 << 20,
                            .log_cap = RUNNER_LOG_CAP,
                            .gpu = o->gpu ? gpu_device(o->gpu_index) : NULL,
                            .traced = traced,
                            .processes = argument && !strcmp(argument, "program"),
                            .unconfined = o->unconfined};
    bind(&spec, path(&p, o->bin, "grade-runner"), "/box/build/bin/grade-runner");
    bind(&spec, libs, "/box/build/lib");
    if (driver)
        bind(&spec, driver, driver);
    bool ok = box_start(b, &spec);
    free(both);
    paths_free(&p);
    return ok;
}
