/* fatbin_fuzz.c - libFuzzer target: no bytes of known length crash, hang or exhaust
 * fatbin_open(). Built and run by `make fuzz`; fatbin_test.c replays testdata/fuzz/fatbin.
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
