/* peers.h - what a user would call instead of writing a kernel: the toolkit's own code for the work
 * of a lab's last rung. For peers_main.c; peers.cu is built by nvcc, where there is one. */
#ifndef HARNESS_PEERS_H
#define HARNESS_PEERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct peer_work { /* places on the device */
    const void *in[2];
    void *out;
    size_t out_bytes;
    uint64_t n, m, k; /* as in the lab's case */
};
/* Puts the work into the default stream; NULL, or what went wrong. Memory that it needs beside is
 * there after the first call of that size. */
typedef const char *peer_call(const struct peer_work *w);

peer_call peer_copy; /* out_bytes of the first input */
/* cub::DeviceReduce, n elements */
peer_call peer_sum_i32, peer_sum_f32, peer_min_i32, peer_max_i32;
peer_call peer_sgemm; /* cuBLAS, in fp32 all the way (pedantic): matmul's c = a b */
/* cublasLt, f16 or bf16 in, f32 sums and results: its heuristics' first choice */
peer_call peer_gemm_f16, peer_gemm_bf16;

#ifdef __cplusplus
}
#endif
#endif
