/* step.h - what drop-ins of CUDA's libraries (libcufft.so.12, …) ask of the runtime beside CUDA's
 * own API.
 *
 * What such a library does on a GPU with kernels of its own is a step here: begun, its memory read
 * and written through these functions as by a kernel (a bad address is a fault of the device,
 * --check finds what nobody has written), and ended. Its stream has then worked as long as the
 * model says. A step is one thread's; a fault comes back from the calls after it, as a kernel's.
 */
#ifndef EMULATOR_STEP_H
#define EMULATOR_STEP_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

struct warplab_step;

/* cudaSuccess, or why the device cannot take it: a fault before, or no such stream. name is what
 * profiles and findings call it, and stays. */
cudaError_t warplab_step_begin(struct warplab_step **out, const char *name, cudaStream_t stream);
/* Whose stream it is in. */
int warplab_step_device(const struct warplab_step *s);
/* `bytes` in elements of `element` bytes, which their address is to be a multiple of. False after a
 * fault, this one's or one before: then nothing is copied. */
bool warplab_step_read(struct warplab_step *s, void *to, const void *from, size_t bytes,
                       size_t element);
bool warplab_step_write(struct warplab_step *s, void *to, const void *from, size_t bytes,
                        size_t element);
/* It took so many kernels, each of which reads and writes all its data. Frees the step. */
void warplab_step_end(struct warplab_step *s, unsigned passes);

/* Steps of several devices that are one operation: each brings, and takes, `bytes` over its link;
 * one_way: the first brings them and the second takes them. All begin when the last one's stream
 * lets it, and end together. Frees them. */
void warplab_steps_end(struct warplab_step *const *s, int n, uint64_t bytes, bool one_way);

/* A call of the library's that is no step: into the record; cudaSuccess, or the fault before. */
cudaError_t warplab_library_call(const char *name);
/* cudaSetDevice() for the library itself, which no record of the program's calls has. Returns the
 * former device. */
int warplab_library_device(int device);
/* Device memory of the library's own, which messages call by that name; NULL: there is no more. */
void *warplab_library_memory(size_t bytes, const char *label);
void warplab_library_free(void *p);
/* "warplab: WORDS" on stderr, as refused calls of the runtime say why. */
void warplab_say(const char *words);

#endif
