/* Files and folders. */
#include "file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Test(file, temporary_folders_are_ones_own_and_where_tmpdir_says)
{
    char *above = make_temporary_dir();
    cr_assert(above, "%s", strerror(errno));
    setenv("TMPDIR", above, 1);
    char *a = make_temporary_dir(), *b = make_temporary_dir();
    struct stat s;

    cr_assert(a && b);
    cr_expect(!strncmp(a, above, strlen(above)), "%s is not in %s", a, above);
    cr_expect(strcmp(a, b));
    cr_expect(!stat(a, &s) && S_ISDIR(s.st_mode) && (s.st_mode & 0777) == 0700);
    rmdir(a), rmdir(b), rmdir(above);
    cr_expect_null(make_temporary_dir());
    cr_expect_eq(errno, ENOENT);
    free(a), free(b), free(above);
}
