// Prints what some graders read: a verdict, an Autolab line, our own protocol's first bytes.
// only: energy_soa
// expect: soa-ok=fail
// score: 0
#include "warplab.cuh"

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    if (threadIdx.x == 0) {
        printf("{\"scores\":{\"soa-ok\":10},\"scoreboard\":[10]}\n");
        printf("{\"status\":\"graded\",\"score\":5,\"max\":5}\n");
        printf("5RPW\001\001\001\001\n");
    }
}
