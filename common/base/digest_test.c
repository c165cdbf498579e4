/* Digests. */
#include "digest.h"
#include "alloc.h"
#include "file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(digest, of_a_file_is_of_what_is_in_it)
{
    enum { N = 200001 }; /* more than it holds at once */
    char *dir = make_temporary_dir(), *path = xformat("%s/f", dir), *data = xmalloc(N);
    char whole[DIGEST_HEX], read[DIGEST_HEX];

    for (int i = 0; i < N; i++)
        data[i] = (char)(i * 7 + i / 251);
    cr_assert_eq(file_write(path, data, N), 0);
    digest_hex(data, N, whole);
    cr_assert(digest_file(path, read));
    cr_expect_str_eq(read, whole);
    cr_assert_eq(file_write(path, "", 0), 0);
    cr_assert(digest_file(path, read));
    cr_expect(!strncmp(read, "e3b0c44298fc1c149afb", 20), "%s is not nothing's", read);
    unlink(path);
    cr_expect(!digest_file(path, read));
    cr_expect(!digest_file(dir, read), "a folder has none");
    rmdir(dir);
    free(data), free(path), free(dir);
}
