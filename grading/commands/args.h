/* args.h - what the commands' parsers have in common: where an option's value goes. */
#ifndef GRADING_ARGS_H
#define GRADING_ARGS_H

#include <argp.h>
#include <stddef.h>

struct arg_field {
    int key;
    enum {
        ARG_END,   /* after the last field */
        ARG_TEXT,  /* const char * */
        ARG_COUNT, /* int, 0 … 10^9 */
        ARG_FLAG,  /* bool */
    } as;
    size_t at; /* in the structure that is the parser's input */
};

/* Stores what belongs to `key`; ARGP_ERR_UNKNOWN: none of the fields. */
error_t arg_store(const struct arg_field *fields, int key, const char *arg,
                  struct argp_state *state);
double arg_number(struct argp_state *state, const char *arg); /* 0 … 10^9, or an error */
int arg_count(struct argp_state *state, const char *arg);     /* the same, and whole */
/* The one word that a command takes. */
void arg_word(struct argp_state *state, const char **word, const char *arg);

enum { KEY_MISSING_ZERO = 1000 }; /* --missing-zero */
#define BOOK_OPTION                                                                                \
    {                                                                                              \
        "book", 'b', "FILE", 0, "The gradebook (default: grades.db)", 0                            \
    }
#define JOBS_OPTION                                                                                \
    {                                                                                              \
        "jobs", 'j', "N", 0, "Submissions at a time (default: as many as there are cores)", 0      \
    }

#endif
