/* more_rows.h - handlers of the wider families (half precision, matrices, asynchronous
 * copies, video), by the file that defines them. */
#define HALF_HANDLERS(X) X(half) X(pair16) X(setp_half) X(set_half) X(cvt_narrow)
#define MMA_HANDLERS(X)
#define ASYNC_HANDLERS(X)
#define VIDEO_HANDLERS(X)
