/* schedule.cuh - a host's part of the work, written down as data.
 *
 *     SCHEDULE(two_halves)
 *     {
 *         s.memory = PINNED; // what memory of the host input and results lie in
 *         s.chunks = 2;      // so many pieces, of the same size, the last may be smaller
 *         for (unsigned i = 0; i < s.chunks; i++) {
 *             s.copy_in(0, i); // on stream 0, chunk i
 *             s.kernel(0, i);
 *             s.copy_out(0, i);
 *         }
 *     };
 *
 * The compiler runs the body, and what is in the module is the list of steps that it made: the
 * harness reads that list, checks it and carries it out, in the order in which the steps were
 * added. Steps of one stream follow each other; those of two streams are in no order, unless one
 * of them waits for an event that the other recorded. The host waits at the end, for everything.
 */
#ifndef WARPLAB_SCHEDULE_CUH
#define WARPLAB_SCHEDULE_CUH

/* MAPPED: kernels use the host's memory where it is, nothing is copied. MANAGED: pages move when
 * they are touched; copy_in and copy_out move them before (cudaMemPrefetchAsync). RESIDENT: the
 * data lies on the devices already, on each of several ranks, and results stay on the first. */
enum host_memory { NO_MEMORY, PAGEABLE, PINNED, MAPPED, MANAGED, RESIDENT };

enum { SCHEDULE_STEPS = 512 };

struct schedule {
    unsigned memory, chunks, nsteps;
    struct {
        unsigned what, stream, first, count;
    } steps[SCHEDULE_STEPS];

    /* Of chunk `first`, or of `count` chunks from there on as one piece. */
    constexpr void copy_in(unsigned stream, unsigned first, unsigned count = 1)
    {
        add(1, stream, first, count);
    }
    constexpr void kernel(unsigned stream, unsigned first, unsigned count = 1)
    {
        add(2, stream, first, count);
    }
    constexpr void copy_out(unsigned stream, unsigned first, unsigned count = 1)
    {
        add(3, stream, first, count);
    }
    /* Of several ranks, which all carry out this same list, each on its own device: every rank gets
     * the sum of all ranks' results of the chunk (ncclAllReduce) … */
    constexpr void sum(unsigned stream, unsigned first, unsigned count = 1)
    {
        add(6, stream, first, count);
    }
    /* … or the first rank fetches the others', one after another, and adds them up. */
    constexpr void gather(unsigned stream, unsigned first, unsigned count = 1)
    {
        add(7, stream, first, count);
    }
    /* Event `event` stands for all that was added to the stream so far … */
    constexpr void record(unsigned stream, unsigned event)
    {
        add(4, stream, event, 1);
    }
    /* … and this stream goes on when that is done. */
    constexpr void wait(unsigned stream, unsigned event)
    {
        add(5, stream, event, 1);
    }

    constexpr void add(unsigned what, unsigned stream, unsigned first, unsigned count)
    {
        if (nsteps < SCHEDULE_STEPS) {
            steps[nsteps].what = what;
            steps[nsteps].stream = stream;
            steps[nsteps].first = first;
            steps[nsteps].count = count;
        }
        nsteps++;
    }
};

struct schedule_of {
    template <class body> constexpr schedule operator=(body make) const
    {
        schedule s = {};
        make(s);
        return s;
    }
};
#define SCHEDULE(name)                                                                             \
    extern "C" __device__ const struct schedule name##_schedule = schedule_of{} =                  \
        [](schedule & s) constexpr

#endif
