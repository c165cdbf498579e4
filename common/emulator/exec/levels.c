/* levels.c - which build of the interpreter this machine runs. */
#include "exec.h"
#include "emulator/code/handlers.h"
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && !defined(ONE_LEVEL)
extern const struct exec_level exec_level_v2, exec_level_v3, exec_level_v4;

static const struct exec_level *pick(void)
{
    const char *want = getenv("WARPLAB_LEVEL");
    const struct exec_level *const all[] = {&exec_level_v4, &exec_level_v3, &exec_level_v2};
    const bool runs[] = {
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512cd"),
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
            __builtin_cpu_supports("bmi2"),
        true,
    };
    for (int i = 0; i < 3; i++)
        if (runs[i] && (!want || !strcmp(want, all[i]->name)))
            return all[i];
    return &exec_level_v2;
}
#else
extern const struct exec_level exec_level_base;

static const struct exec_level *pick(void)
{
    return &exec_level_base;
}
#endif

const struct exec_level *exec_level(void)
{
    static _Atomic(const struct exec_level *) chosen;
    const struct exec_level *l = chosen;
    if (!l)
        chosen = l = pick();
    return l;
}

/* Code is made of this build's handlers. */
static void __attribute__((constructor)) bind(void)
{
    handlers_bind(exec_level()->handlers);
}
