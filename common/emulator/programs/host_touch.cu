/* The beginner's mistake: host code that follows a device pointer. It must not work. */
#include <cstdio>

int main()
{
    int *p;

    if (cudaMalloc(&p, 64))
        return 1;
    *p = 1;
    printf("worked\n");
    return 0;
}
