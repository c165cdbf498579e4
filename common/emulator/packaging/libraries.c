/* libraries.c - which cuFFT and NCCL a program finds under warprun: their versions and files. */
#include <dlfcn.h>
#include <stdio.h>

static int told(const char *library, const char *function)
{
    void *l = dlopen(library, RTLD_NOW);
    int (*version_of)(int *) = l ? (int (*)(int *))dlsym(l, function) : NULL;
    Dl_info where;
    int version;

    if (!version_of || version_of(&version) || !dladdr((void *)version_of, &where)) {
        fprintf(stderr, "%s: %s\n", library, l ? function : dlerror());
        return 1;
    }
    printf("%s %d in %s\n", library, version, where.dli_fname);
    return 0;
}

int main(void)
{
    return told("libcufft.so.12", "cufftGetVersion") | told("libnccl.so.2", "ncclGetVersion");
}
