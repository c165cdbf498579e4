/* calls.c - see calls.h. */
#include "calls.h"
#include "base/alloc.h"

#include <dlfcn.h>
#include <string.h>

bool calls_find(void *library, const struct call *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        void *f = dlsym(library, v[i].name);

        if (!f)
            return false;
        memcpy(v[i].slot, &f, sizeof(f));
    }
    return true;
}

char *calls_load(const char *library, const struct call *v, size_t n)
{
    void *l = dlopen(library, RTLD_NOW);

    return l && calls_find(l, v, n) ? NULL : xstrdup(dlerror());
}
