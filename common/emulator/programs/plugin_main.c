/* Opens and closes a library with a kernel: each time its variables are new. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    for (int i = 0; i < 3 && argc > 1; i++) {
        void *library = dlopen(argv[1], RTLD_NOW);
        int (*plugin)(void) = NULL;

        if (library)
            *(void **)&plugin = dlsym(library, "plugin");
        if (!plugin)
            return printf("%s\n", dlerror()), 1;
        int value = plugin();
        if (value != 2)
            return printf("round %d: %d\n", i, value), 2;
        dlclose(library);
    }
    printf("ok\n");
    return 0;
}
