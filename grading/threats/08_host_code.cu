// Host code that would answer for the clock, and a constructor that would run before main.
// None of it is ever built for the host; as device code it does nothing.
// only: energy_soa
// expect: soa-ok=fail
// score: 0
#include "warplab.cuh"

struct timespec_like {
    long s, ns;
};
extern "C" int clock_gettime(int, timespec_like *t)
{
    t->s = t->ns = 0;
    return 0;
}
extern "C" float cudaEventElapsedTime(float *ms, void *, void *)
{
    return *ms = 0.0001f;
}
extern "C" int main()
{
    return 0;
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
}
