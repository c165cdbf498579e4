// Does nothing and hopes that the output still holds an earlier answer.
// only: energy_soa
// expect: soa-ok=fail
// hint: soa-ok: never written
// score: 0
#include "warplab.cuh"

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
}
