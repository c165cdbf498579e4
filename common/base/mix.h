/* mix.h - a number that looks drawn, of a number: the last steps of splitmix64. */
#ifndef BASE_MIX_H
#define BASE_MIX_H

#include <stdint.h>

static inline uint64_t mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
