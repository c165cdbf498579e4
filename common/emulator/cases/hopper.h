/* hopper.h - cases of instructions that work on whole tiles: wgmma, bulk and tensor copies.
 *
 * A case is a kernel of 128 threads on random numbers, and a hash of what it leaves. Lines of
 * records are "name = result": the hash, or an error's name.
 */
#ifndef EMULATOR_CASES_HOPPER_H
#define EMULATOR_CASES_HOPPER_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

bool hopper_wanted(const char *name); /* is it among those to run? */
void hopper_result(const char *name, uint64_t hash);
void hopper_error(const char *name, const char *error); /* or another result than one hash */
uint64_t hopper_hash(const void *data, size_t n);
uint32_t hopper_random(uint64_t *state);
/* Runs kernel k of this PTX on one block of 128 threads. */
cudaError_t hopper_run(const char *ptx, void **args);
void hopper_need(cudaError_t e, const char *what); /* ends the program where it failed */
/* PTX: all threads copy `bytes` from global [%l<from>] to shared s + at; labels a and b. */
void hopper_put_fill(FILE *f, const char *label, int from, int at, int bytes);

void wgmma_cases(void);  /* hopper_wgmma.c */
void tensor_cases(void); /* hopper_tensor.c */

#endif
