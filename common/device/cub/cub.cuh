/* cub.cuh - cub/cub.cuh for device code that NVRTC compiles: the parts for blocks and warps. The
 * others are launched from the host, of which there is nothing here. nvcc gets the real one.
 */
#ifndef WARPLAB_CUB_CUH
#define WARPLAB_CUB_CUH
#ifdef __CUDACC_RTC__
#include <cmath>
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>
#else
#include_next <cub/cub.cuh>
#endif
#endif
