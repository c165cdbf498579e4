/* json.h - strings of a program's in JSON: file names, names and messages may hold any bytes. */
#ifndef EMULATOR_JSON_H
#define EMULATOR_JSON_H

#include <jansson.h>

/* The string as it is when it is UTF-8; else with \xNN for each byte that is not. NULL: "". */
json_t *json_words(const char *s);

#endif
