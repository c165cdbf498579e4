/* maps.h - tensor maps as the driver makes them, for kernels that take them as arguments. */
#ifndef RUN_MAPS_H
#define RUN_MAPS_H

#include "exec.h"

#define MAP_BYTES 128

/* Room for the maps of all steps; after exec_open()'s buffers are there. */
bool maps_open(struct exec *e);
/* Argument a of step i, which is one. */
void *maps_argument(struct exec *e, int i, int a);
void maps_close(struct exec *e);

#endif
