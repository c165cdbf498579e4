/* more_rows.h - handlers of the wider families (half precision, matrices, asynchronous
 * copies, video), by the file that defines them. */
#define HALF_HANDLERS(X)
#define MMA_HANDLERS(X)
#define ASYNC_HANDLERS(X)
#define VIDEO_HANDLERS(X)
