/* counters.h - what one launch is counted by.
 *
 * One row per counter: identifier, Nsight Compute's metric of the same meaning ("" when
 * there is none), unit, definition. A warp-level event counts once per warp, a
 * thread-level one once per lane. count/COUNTERS.md says where counting PTX must
 * differ from counting machine code.
 */
#ifndef EMULATOR_COUNTERS_H
#define EMULATOR_COUNTERS_H

#include <stdint.h>

/* clang-format off */
#define COUNTERS(X)                                                                                \
    X(inst_executed, "smsp__inst_executed.sum", "inst", "warp instructions")                       \
    X(inst_executed_max_warp, "", "inst",                                                          \
      "of each launch, those of the warp that executed most")                                      \
    X(inst_executed_busiest, "", "inst",                                                           \
      "of each block, those of its warp that executed most, summed over blocks")                   \
    X(thread_inst_executed, "smsp__thread_inst_executed.sum", "inst",                              \
      "lanes active at each warp instruction, predicated off or not")                              \
    X(thread_inst_executed_pred_on, "smsp__thread_inst_executed_pred_on.sum", "inst",              \
      "lanes active and not predicated off")                                                       \
    X(inst_lanes_1, "", "inst", "warp instructions with 1 lane active and not predicated off")     \
    X(inst_lanes_2, "", "inst", "with 2 or 3")                                                     \
    X(inst_lanes_4, "", "inst", "with 4 to 7")                                                     \
    X(inst_lanes_8, "", "inst", "with 8 to 15")                                                    \
    X(inst_lanes_16, "", "inst", "with 16 to 31")                                                  \
    X(inst_lanes_32, "", "inst", "with all 32")                                                    \
    X(branches, "smsp__sass_branch_targets.sum", "inst", "conditional branches executed by a warp") \
    X(divergent_branches, "smsp__sass_branch_targets_threads_divergent.sum", "inst",               \
      "of those, with lanes going both ways")                                                      \
    X(branches_back, "", "inst", "taken to an instruction before, by lanes that go on there")      \
    X(global_ld_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request",            \
      "global loads with at least one lane on")                                                    \
    X(global_ld_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector",               \
      "distinct 32-byte sectors those touch, per request")                                         \
    X(global_ld_bytes, "", "byte", "bytes the lanes asked for")                                    \
    X(global_ld_lanes, "", "",                                                                     \
      "lanes that asked, of each request; of a bulk copy, which a lane asks for, 32")              \
    X(global_st_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request", "")        \
    X(global_st_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector", "")           \
    X(global_st_bytes, "", "byte", "")                                                             \
    X(global_sectors, "", "sector",                                                                \
      "of loads, stores, atomics and asynchronous copies together: all ways to global memory")     \
    X(global_lane_steps, "", "byte",                                                               \
      "of loads and stores: from each lane that is on to the next, the bytes between their "       \
      "addresses over the lanes between")                                                          \
    X(global_ld_squares, "", "byte^2",                                                             \
      "of each warp, the bytes that its global loads asked for, squared: where one loads all, the "  \
      "square of global_ld_bytes, where W share it evenly a W-th of that")                         \
    X(local_ld_requests, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "request", "")          \
    X(local_ld_sectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sector", "")             \
    X(local_st_requests, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "request", "")          \
    X(local_st_sectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sector", "")             \
    X(shared_ld_requests, "smsp__inst_executed_op_shared_ld.sum", "request",                       \
      "shared loads with at least one lane on")                                                    \
    X(shared_ld_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront",   \
      "passes over the 32 banks")                                                                  \
    X(shared_ld_bank_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",        \
      "wavefront", "wavefronts beyond what the access width needs")                                \
    X(shared_ld_bytes, "", "byte", "")                                                             \
    X(shared_ld_strided, "", "request",                                                            \
      "shared loads whose lanes' addresses are evenly spaced in each half of the warp")            \
    X(shared_ld_span, "", "byte",                                                                  \
      "of each block, from the first byte that a shared load reads to the last, summed")           \
    X(shared_ld_lanes_1, "", "request", "shared loads by 1 lane")                                  \
    X(shared_ld_lanes_2, "", "request", "by 2 or 3")                                               \
    X(shared_ld_lanes_4, "", "request", "by 4 to 7")                                               \
    X(shared_ld_lanes_8, "", "request", "by 8 to 15")                                              \
    X(shared_ld_lanes_16, "", "request", "by 16 to 31")                                            \
    X(shared_ld_lanes_32, "", "request", "by all 32")                                              \
    X(shared_st_requests, "smsp__inst_executed_op_shared_st.sum", "request", "")                   \
    X(shared_st_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefront", "") \
    X(shared_st_bank_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",        \
      "wavefront", "")                                                                             \
    X(shared_st_bytes, "", "byte", "")                                                             \
    X(const_ld_requests, "", "request", "ld.const and kernel parameters are not counted together") \
    X(const_ld_sectors, "", "sector",                                                              \
      "distinct 32-byte sectors those touch, per request: one where all lanes want one word")      \
    X(const_ld_bytes, "", "byte", "bytes the lanes asked for")                                     \
    X(texture_requests, "l1tex__t_requests_pipe_tex_mem_texture.sum", "request",                   \
      "groups of 4 lanes of a fetch, of 8 from memory of one dimension")                           \
    X(texture_sectors, "l1tex__t_sectors_pipe_tex_mem_texture.sum", "sector",                      \
      "distinct sectors of those: in an array 16 bytes of each of two rows")                       \
    X(surface_ld_requests, "l1tex__t_requests_pipe_tex_mem_surface_op_ld.sum", "request",          \
      "groups of 8 lanes of a load from a surface")                                                \
    X(surface_ld_sectors, "l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum", "sector", "")         \
    X(surface_st_requests, "l1tex__t_requests_pipe_tex_mem_surface_op_st.sum", "request",          \
      "of a store, or a reduction")                                                                \
    X(surface_st_sectors, "l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum", "sector", "")         \
    X(global_atom_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request", "")    \
    X(global_red_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request",          \
      "atomics whose result is unused")                                                            \
    X(global_atom_lanes, "", "", "lanes that asked for an atom or red, of each request")           \
    X(global_atom_sectors, "", "sector", "atom and red")                                           \
    X(global_atom_passes, "", "pass", "per request, the most lanes that share one address")        \
    X(shared_atom_requests, "", "request", "")                                                     \
    X(shared_atom_passes, "", "pass", "per request, the most lanes that share one address")        \
    X(shared_block_bytes, "", "byte",                                                              \
      "shared memory that the blocks were given, static and dynamic, summed over blocks")          \
    X(async_bytes, "", "byte", "that cp.async and bulk copies read from global memory")            \
    X(async_flight, "", "byte inst",                                                               \
      "those bytes, times the floating-point and tensor instructions that their warp executed "    \
      "from the copy's commit to the wait for it")                                                 \
    X(async_sends, "", "request",                                                                  \
      "st.async, red.async, bulk copies that add to what is there or stay in shared memory: what " \
      "no store or atomic counts")                                                                 \
    X(barriers, "", "inst", "warps that arrived at a block barrier")                               \
    X(barriers_close, "", "inst",                                                                  \
      "of those, waits with next to no floating-point and tensor instructions since the one "      \
      "before, of the warp's or of those that it waited for")                                      \
    X(floats_first, "", "inst",                                                                    \
      "floating-point and tensor instructions of a warp before its first wait at a block barrier, "  \
      "of warps that have one")                                                                    \
    X(warp_syncs, "", "inst", "bar.warp.sync")                                                     \
    X(fences, "", "inst", "membar and fence, but fence.proxy")                                     \
    X(shuffles, "", "inst", "shfl")                                                                \
    X(shuffles_one, "", "inst", "of those, by which all lanes get the word of one")                 \
    X(exchanges, "", "inst", "other ways between lanes: vote, match, redux, movmatrix")            \
    X(flop_fp16, "", "flop", "add, mul 1, fma 2, per lane and element")                            \
    X(flop_fp32, "", "flop", "add, mul 1, fma 2, per lane")                                        \
    X(flop_fp32_coded, "", "flop",                                                                 \
      "of those, of fma of which a factor and the addend are numbers of the code")                  \
    X(flop_fp32_slots, "", "flop", "what flop_fp32 would be with all 32 lanes on")                 \
    X(flop_fp64, "", "flop", "add, mul 1, fma 2, per lane")                                        \
    X(thread_inst_fp64, "", "inst",                                                                \
      "by lanes, of any kind with a double among its types, but loads, stores and moves")          \
    X(sfu_ops, "", "inst", "warp instructions for the special-function unit")                      \
    X(div_ops, "", "inst",                                                                         \
      "warp instructions that machine code expands: div, rem (integer), div.rn, sqrt.rn")          \
    X(tensor_flop, "", "flop", "2*m*n*k per warp-wide mma")                                        \
    X(tensor_ops_fp16, "sm__ops_path_tensor_src_fp16.sum", "op",                                   \
      "of tensor_flop, by the factors' type: f16")                                                 \
    X(tensor_ops_bf16, "sm__ops_path_tensor_src_bf16_dst_fp32.sum", "op", "bf16")                  \
    X(tensor_ops_tf32, "sm__ops_path_tensor_src_tf32_dst_fp32.sum", "op", "tf32")                  \
    X(tensor_ops_fp64, "sm__ops_path_tensor_src_fp64.sum", "op", "f64")                            \
    X(tensor_ops_fp8, "sm__ops_path_tensor_src_fp8.sum", "op", "e4m3, e5m2")                       \
    X(tensor_ops_int8, "sm__ops_path_tensor_src_int8.sum", "op", "s8, u8, s4, u4")                 \
    X(tensor_ops_int1, "sm__ops_path_tensor_src_int1.sum", "op", "b1")                             \
    X(wgmma_ops, "", "op", "of tensor_flop, by wgmma")                                             \
    X(wgmma_requests, "sm__inst_executed_pipe_tensor_op_gmma.sum", "inst",                         \
      "wgmma.mma_async, by each of the four warps")                                                \
    X(ldmatrix_requests, "smsp__inst_executed_op_ldsm.sum", "inst", "ldmatrix")                    \
    X(stmatrix_requests, "smsp__inst_executed_op_shared_stsm.sum", "inst", "stmatrix")             \
    X(cp_async_requests, "smsp__inst_executed_op_ldgsts.sum", "inst", "cp.async, but no bulk copy") \
    X(tma_ld_requests, "smsp__inst_executed_op_tma_ld.sum", "inst",                                \
      "bulk copies from global memory, of bytes and of tiles: one a lane that asks")               \
    X(tma_ld_busy, "", "inst", "of those, asked for by a warp that had computed before")           \
    X(tma_st_requests, "smsp__inst_executed_op_tma_st.sum", "inst",                                \
      "bulk copies from shared memory, and reductions")                                            \
    X(tma_ld_bytes, "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", "byte",             \
      "32 a sector of those, zeros filled in among them, for each block they go to")                               \
    X(tma_st_bytes, "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum", "byte",            \
      "32 a sector that those write in global memory")                                             \
    X(tma_red_bytes, "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_red.sum", "byte",          \
      "the same of reductions")                                                                    \
    X(tma_peer_bytes, "l1tex__m_l1tex2xbar_write_bytes_mem_dshared_op_tma_st.sum", "byte",         \
      "bulk copies into another block's shared memory")                                            \
    X(mbarrier_arrivals, "", "inst", "mbarrier.arrive and arrive_drop, with expect_tx or without") \
    X(mbarrier_waits, "", "inst", "mbarrier.test_wait and try_wait, each time they are executed")  \
    X(strong_accesses, "", "inst",                                                                 \
      "atom, red, and ld and st that are volatile, mmio, relaxed, acquire or release")             \
    X(clock_reads, "", "inst",                                                                     \
      "reads of what differs from run to run: clocks, %globaltimer, %smid, %warpid, %gridid")       \
    X(calls, "", "inst", "call instructions not inlined")
/* clang-format on */

/* Lanes on, in groups of 1, 2 to 3, 4 to 7, 8 to 15, 16 to 31 and 32. */
#define LANE_GROUPS 6

struct counters {
#define X(id, metric, unit, text) uint64_t id;
    COUNTERS(X)
#undef X
};
#define COUNTER_COUNT (sizeof(struct counters) / sizeof(uint64_t))

#endif
