/* warprun_test.c - warprun from outside: what it hands on, and how it exits. programs/run.sh has
 * what needs programs of nvcc's. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* build/bin, beside this program's folder. */
static const char *bin(void)
{
    static char self[4096];

    if (!*self && readlink("/proc/self/exe", self, sizeof(self) - 8) > 0)
        strcpy(strstr(self, "/test/"), "/bin");
    return self;
}

static const struct {
    const char *before, *words;
    int status;
    const char *says;
} rows[] = {
    {"", "env", 0, "/lib\n"}, /* LD_LIBRARY_PATH=.../lib */
    {"LD_LIBRARY_PATH=/mine", "env", 0, "/lib:/mine\n"},
    {"", "sh -c 'exit 3'", 3, ""},
    {"", "--check env", 0, "WARPLAB_CHECK=1\n"},
    {"", "--profile p.csv env", 0, "WARPLAB_PROFILE=p.csv\n"},
    {"", "--device=a100 env", 0, "WARPLAB_DEVICE=a100\n"},
    {"", "--devices 4 env", 0, "WARPLAB_DEVICES=4\n"},
    {"", "--threads 3 env", 0, "WARPLAB_THREADS=3\n"},
    {"", "--steps 7 env", 0, "WARPLAB_STEPS=7\n"},
    {"", "--fail cudaMalloc:2 env", 0, "WARPLAB_FAIL=cudaMalloc:2\n"},
    {"", "--record r env", 0, "WARPLAB_RECORD=r\n"},
    {"WARPLAB_STEPS=9", "--threads 3 env", 0, "WARPLAB_STEPS=9\n"},
    {"WARPLAB_STEPS=9", "--steps 7 env", 0, "WARPLAB_STEPS=7\n"},
    {"", "--check echo --steps 7", 0, "--steps 7\n"}, /* the program's own */
    {"", "", 2, "Usage: warprun"},
    {"", "--check", 2, "Usage: warprun"},
    {"", "--bogus env", 127, "unrecognized option '--bogus'"},
    {"", "--steps", 127, "requires an argument"},
    {"", "/none", 127, "warprun: no program /none"},
    {"", "none-of-that-name", 127, "warprun: no program none-of-that-name"},
    {"PATH=/none", "sh", 127, "warprun: no program sh"},
    {"-u PATH", "none", 127, "warprun: no program none"},
    {"", "/etc/passwd", 127, "warprun: cannot run /etc/passwd: Permission denied"},
    {"", "--support /none", 2, "/none"},
    {"", "--help", 0, "--support"},
    {"", "--version", 0, "/lib/libcudart.so.13)\n"},
};

static void expect(const char *command, int status, const char *says)
{
    char text[1 << 16];
    FILE *p = popen(command, "r");

    cr_assert(p);
    text[fread(text, 1, sizeof(text) - 1, p)] = '\0';
    int got = WEXITSTATUS(pclose(p));
    cr_expect_eq(got, status, "%s: status %d: %s", command, got, text);
    cr_expect(strstr(text, says), "%s: no \"%s\" in %s", command, says, text);
}

Test(warprun, hands_on_and_exits_as_it_should, .timeout = 60)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char command[8192];

        snprintf(command, sizeof(command),
                 "env -u LD_LIBRARY_PATH %s ASAN_OPTIONS=detect_leaks=0 %s/warprun %s 2>&1",
                 rows[i].before, bin(), rows[i].words);
        expect(command, rows[i].status, rows[i].says);
    }
}

Test(warprun, misses_its_library, .timeout = 60)
{
    static const char *const words[] = {"env", "--support /none"};
    static const char *const says[] = {"lib/libcudart.so.13 is missing: run `make emulator`",
                                       "warprun: cannot load the emulator: "};

    for (size_t i = 0; i < 2; i++) {
        char command[8192];

        snprintf(command, sizeof(command),
                 "d=$(mktemp -d) && mkdir $d/bin && cp %s/warprun $d/bin && "
                 "ASAN_OPTIONS=detect_leaks=0 $d/bin/warprun %s 2>&1; s=$?; rm -r $d; exit $s",
                 bin(), words[i]);
        expect(command, 127, says[i]);
    }
}
