/* round.h - sizes and places up to a multiple. */
#ifndef EMULATOR_ROUND_H
#define EMULATOR_ROUND_H

#define ROUND_UP(x, a) (((x) + (a)-1) / (a) * (a))

#endif
