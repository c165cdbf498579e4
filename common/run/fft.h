/* fft.h - a plan's transforms, by the machine's own cuFFT: NVIDIA's, or the emulator's.
 *
 * The library is loaded when the first plan with a transform is opened: nothing else needs it.
 */
#ifndef RUN_FFT_H
#define RUN_FFT_H

#include "exec.h"

struct fft;

/* cuFFT's plan for step i; false with a message. */
bool fft_open(struct exec *e, int i);
bool fft_run(struct exec *e, int i, cudaStream_t stream);
void fft_close(struct fft *f); /* NULL is allowed */

#endif
