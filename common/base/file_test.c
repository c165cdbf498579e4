/* Files and folders. */
#include "file.h"
#include "alloc.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
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

Test(file, a_device_a_pipe_or_a_link_stays_what_it_is)
{
    char *dir = make_temporary_dir(), *link = xformat("%s/link", dir),
         *pipe = xformat("%s/pipe", dir), *file = xformat("%s/file", dir), *data;
    size_t size;
    struct stat s;

    cr_assert(!symlink("file", link) && !mkfifo(pipe, 0600));
    cr_assert_eq(file_write(link, "words", 5), 0);
    cr_expect(!lstat(link, &s) && S_ISLNK(s.st_mode));
    cr_assert_eq(file_read(file, 100, &data, &size), 0);
    cr_expect(size == 5 && !memcmp(data, "words", 5));
    int fd = open(pipe, O_RDWR | O_CLOEXEC);
    cr_assert_eq(file_write(pipe, "more", 4), 0);
    char got[8] = "";
    cr_expect_eq(read(fd, got, sizeof(got) - 1), 4);
    cr_expect_str_eq(got, "more");
    cr_expect(!lstat(pipe, &s) && S_ISFIFO(s.st_mode));
    close(fd);
    unlink(link), unlink(pipe), unlink(file), rmdir(dir);
    free(data), free(link), free(pipe), free(file), free(dir);
}
