/* mutate_fuzz.c - mutations for ptx_fuzz.c and run_fuzz.c that keep statements whole: PTX is a
 * statement a line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t most, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most); /* libFuzzer's */

static const uint8_t *random_line(const uint8_t *data, size_t size, size_t *length)
{
    const uint8_t *line = data, *end;

    for (size_t at = size ? (size_t)rand() % size : 0; at > 0; at--)
        if (data[at - 1] == '\n') {
            line = data + at;
            break;
        }
    end = memchr(line, '\n', size - (size_t)(line - data));
    *length = (size_t)((end ? end + 1 : data + size) - line);
    return line;
}

/* A line of the second text before some line of the first. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t most, unsigned seed)
{
    size_t length, unused;

    srand(seed);
    const uint8_t *line = random_line(data2, size2, &length);
    size_t at = (size_t)(random_line(data1, size1, &unused) - data1);

    if (size1 + length > most)
        return 0;
    memcpy(out, data1, at);
    memcpy(out + at, line, length);
    memcpy(out + at + length, data1 + at, size1 - at);
    return size1 + length;
}

/* Drops or repeats a line, or does what libFuzzer does to bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    size_t length;
    uint8_t copy[4096];

    srand(seed);
    if (size == 0 || seed % 8 > 1)
        return LLVMFuzzerMutate(data, size, most);
    size_t at = (size_t)(random_line(data, size, &length) - data);
    if (seed % 8 == 0) {
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    }
    if (length > sizeof(copy) || size + length > most)
        return size;
    memcpy(copy, data + at, length);
    at = (size_t)(random_line(data, size, &(size_t){0}) - data);
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, copy, length);
    return size + length;
}
