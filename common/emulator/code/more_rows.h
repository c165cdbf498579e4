/* more_rows.h - handlers of the wider families (half precision, matrices, asynchronous
 * copies, video), by the file that defines them. */
#define HALF_HANDLERS(X) X(half) X(pair16) X(setp_half) X(set_half) X(cvt_narrow)
#define MMA_HANDLERS(X)  X(mma) X(wmma_mma) X(wmma_move) X(ldmatrix)
#define ASYNC_HANDLERS(X)                                                                          \
    X(cp_async)                                                                                    \
    X(cp_commit)                                                                                   \
    X(cp_wait) X(cp_bulk) X(mbarrier) X(mapa) X(getctarank) X(cluster_arrive) X(cluster_wait)
#define VIDEO_HANDLERS(X)
