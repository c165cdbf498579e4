/* record_test.c - what a program did, as the record has it. */
#include "cudart.h"
#include "base/file.h"
#include "base/text.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OK(call) cr_assert_eq((call), cudaSuccess, "%s", #call)

Test(record, what_a_reset_frees_was_left)
{
    char path[] = "/tmp/record-XXXXXX";
    struct text why = {0};
    size_t length;
    void *p, *q;

    close(mkstemp(path));
    setenv("WARPLAB_RECORD", path, 1);
    OK(cudaMalloc(&p, 400));
    OK(cudaMalloc(&q, 400));
    OK(cudaFree(p));
    OK(cudaDeviceReset());
    OK(cudaMalloc(&p, 400));
    OK(cudaFree(p));
    OK(cudaDeviceReset());
    record_finish();
    char *record = file_load(path, 1 << 20, &length, &why);
    unlink(path);
    cr_assert(record, "%s", text_str(&why));
    cr_expect(strstr(record, "\nleft 0\n"), "%s", record);
    cr_expect(strstr(record, "\nleft_at_reset 1\n"), "%s", record);
    free(record);
}
