/* fatbin_fuzz.c - libFuzzer target: no bytes of known length crash, hang or exhaust
 * fatbin_open().
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -Icommon/emulator \
 *       common/emulator/fatbin.c common/emulator/fatbin_fuzz.c -lzstd -llz4 -o build/fatbin_fuzz
 *   build/fatbin_fuzz CORPUS common/emulator/testdata/fuzz/fatbin
 */
#include "fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fatbin f;
    if (size > 0)
        fatbin_open(data, size, 90, &f);
    else
        return 0;
    fatbin_registers(&f, "kernel");
    fatbin_close(&f);
    return 0;
}
