/* undefined.h - functions that PTX calls and that nothing defines. */
#ifndef HARNESS_UNDEFINED_H
#define HARNESS_UNDEFINED_H

/* The name of one that a GPU's driver would not find either, as nothing is linked to a lab's file:
 * the device runtime's launches and copies among them. NULL: there is none. Allocated. */
char *undefined_function(const char *ptx);

#endif
