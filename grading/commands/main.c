/* main.c - build/bin/grade: the autograder's commands. */
#include "commands.h"
#include "release.h"
#include "base/alloc.h"

#include <argp.h>
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} commands[] = {
    {"check", cmd_check, "mark one file and print the report"},
    {"batch", cmd_batch, "mark a class's submissions into the gradebook"},
    {"marks", cmd_marks, "print what counts for each student"},
    {"show", cmd_show, "print a student's report, marks and audit trail"},
    {"stats", cmd_stats, "print each lab's distribution and pass rates"},
    {"regrade", cmd_regrade, "mark students again, with the reason"},
    {"override", cmd_override, "set a mark by hand, with the reason"},
    {"policy", cmd_policy, "show or change a lab's rules for late work"},
    {"total", cmd_total, "each student's labs together, the worst dropped, as CSV"},
    {"audit", cmd_audit, "print who changed what, when and why"},
    {"diff", cmd_diff, "compare two runs"},
    {"export", cmd_export, "write marks for Canvas, Moodle, Gradescope, Autolab, JUnit and others"},
    {"report", cmd_report, "write HTML pages, one a student and one of the class"},
    {"selftest", cmd_selftest, "mark the labs' wrong, right, solution and skeleton kernels"},
    {"cheats", cmd_cheats, "mark a lab's known cheats: what each loses, as a page"},
    {"rungs", cmd_rungs, "what the rung before gets where speed is asked for"},
    {"steps", cmd_steps, "what files, or right kernels, take of the budget of steps, as CSV"},
    {"similar", cmd_similar, "list pairs of submissions alike in structure, to read yourself"},
    {"mutate", cmd_mutate, "change a solution in one place at a time: is it caught?"},
    {"bench", cmd_bench, "print submissions a second"},
    {"gpu", cmd_gpu, "say whether the sandbox can use this machine's GPUs"},
    {"task", cmd_task, "what a job of batch --slurm runs on a node"},
    {"labs", cmd_labs, "list the labs and their rubrics' rows"},
};
#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

static int help(FILE *f)
{
    fputs("usage: grade COMMAND [OPTIONS]   (each takes --help)\n"
          "       grade --version\n\n",
          f);
    for (size_t i = 0; i < NCOMMANDS; i++)
        fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].what);
    return f == stderr ? 2 : 0;
}

/* Half a class's marks are no marks. Why a write failed earlier errno no longer says: one more is
 * tried. */
static void end_of_output(void)
{
    if (!fflush(stdout) && !ferror(stdout))
        return;
    clearerr(stdout);
    bool again = putchar('\n') == EOF || fflush(stdout);
    die("what was printed is not whole: %s",
        again ? strerror(errno) : "the disk was full, perhaps; print it again");
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    alloc_keep_freed();
    signal(SIGPIPE, SIG_IGN);
    argp_err_exit_status = 2;
    if (argc < 2)
        return help(stderr);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help") || !strcmp(argv[1], "-?"))
        return help(stdout);
    if (!strcmp(argv[1], "--version")) {
        printf("grade %s\n", RELEASE);
        return 0;
    }
    for (size_t i = 0; i < NCOMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name))
            continue;
        char *name = xformat("grade %s", argv[1]); /* what --help and argp's errors call it */
        argv[1] = name;
        int code = commands[i].run(argc - 1, argv + 1);
        free(name);
        end_of_output();
        return code;
    }
    fprintf(stderr, "grade: no command \"%s\"; %s --help lists them\n", argv[1], argv[0]);
    return 2;
}
