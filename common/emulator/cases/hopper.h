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
/* Runs kernel k of this PTX on so many blocks of 128 threads. */
cudaError_t hopper_run(const char *ptx, uint32_t blocks, void **args);
void hopper_need(cudaError_t e, const char *what); /* ends the program where it failed */
/* The case ended with this error, which the process does not outlive: another goes on after it. */
void hopper_fault(const char *name, cudaError_t e);
/* PTX: all threads copy `bytes` from global [%l<from>] to shared s + at; labels a and b. */
void hopper_put_fill(FILE *f, const char *label, int from, int at, int bytes);

struct hopper_map { /* a tensor map */
    _Alignas(128) uint64_t word[16];
};
/* hopper_tensor.c: of a tensor of u32, so many in a box. */
void hopper_tile(struct hopper_map *t, void *at, const uint64_t extent[2], const uint32_t box[2]);

void hopper_cases(void);  /* all of a program: hopper_list.c, texture_list.c */
void wgmma_cases(void);   /* hopper_wgmma.c */
void tensor_cases(void);  /* hopper_tensor.c */
void bulk_cases(void);    /* hopper_bulk.c, after those */
void maps_cases(void);    /* hopper_maps.c */
void arrival_cases(void); /* hopper_bulk.c, after its others */

#endif
