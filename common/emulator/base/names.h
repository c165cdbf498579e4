/* names.h - C++ names as they were written. */
#ifndef EMULATOR_NAMES_H
#define EMULATOR_NAMES_H

/* A mangled C++ name as it was written, template arguments left out where it is very long; any
 * other name as it is. Lives as long as the process. Thread safe. */
const char *shown_name(const char *mangled);

#endif
