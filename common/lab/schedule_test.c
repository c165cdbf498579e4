/* schedule_test.c - what the checker finds in a schedule from its list of steps alone. */
#include "schedule.h"

#include <criterion/criterion.h>
#include <string.h>

#define IN(stream, chunk)                                                                          \
    {                                                                                              \
        DO_COPY_IN, stream, chunk, 1                                                               \
    }
#define WORK(stream, chunk)                                                                        \
    {                                                                                              \
        DO_KERNEL, stream, chunk, 1                                                                \
    }
#define OUT(stream, chunk)                                                                         \
    {                                                                                              \
        DO_COPY_OUT, stream, chunk, 1                                                              \
    }
#define SUM(stream, chunk)                                                                         \
    {                                                                                              \
        DO_SUM, stream, chunk, 1                                                                   \
    }
#define GATHER(stream, chunk)                                                                      \
    {                                                                                              \
        DO_GATHER, stream, chunk, 1                                                                \
    }
#define RECORD(stream, event)                                                                      \
    {                                                                                              \
        DO_RECORD, stream, event, 1                                                                \
    }
#define WAIT(stream, event)                                                                        \
    {                                                                                              \
        DO_WAIT, stream, event, 1                                                                  \
    }

static const struct {
    const char *what, *says; /* NULL: nothing is wrong */
    uint32_t memory, chunks, nsteps;
    struct schedule_step steps[12];
} rows[] = {
    {"one stream", NULL, PAGEABLE, 1, 3, {IN(0, 0), WORK(0, 0), OUT(0, 0)}},
    {"two streams",
     NULL,
     PINNED,
     2,
     6,
     {IN(0, 0), WORK(0, 0), OUT(0, 0), IN(1, 1), WORK(1, 1), OUT(1, 1)}},
    {"several chunks at once",
     NULL,
     PINNED,
     4,
     3,
     {{DO_COPY_IN, 2, 0, 4}, {DO_KERNEL, 2, 0, 4}, {DO_COPY_OUT, 2, 0, 4}}},
    {"handed on by events",
     NULL,
     PINNED,
     1,
     7,
     {IN(0, 0), RECORD(0, 0), WAIT(1, 0), WORK(1, 0), RECORD(1, 1), WAIT(2, 1), OUT(2, 0)}},
    {"one event stands for all before it",
     NULL,
     PINNED,
     2,
     8,
     {IN(0, 0), IN(0, 1), RECORD(0, 9), WAIT(1, 9), WORK(1, 0), WORK(1, 1), OUT(1, 1), OUT(1, 0)}},
    {"handed on twice",
     NULL,
     PINNED,
     1,
     7,
     {IN(0, 0), RECORD(0, 0), WAIT(1, 0), RECORD(1, 1), WAIT(2, 1), WORK(2, 0), OUT(2, 0)}},
    {"mapped", NULL, MAPPED, 1, 1, {WORK(0, 0)}},
    {"managed, moved by touching", NULL, MANAGED, 1, 1, {WORK(0, 0)}},
    {"managed, moved before", NULL, MANAGED, 1, 3, {IN(0, 0), WORK(0, 0), OUT(0, 0)}},
    {"summed", NULL, RESIDENT, 1, 2, {WORK(0, 0), SUM(0, 0)}},
    {"gathered", NULL, RESIDENT, 1, 2, {WORK(0, 0), GATHER(0, 0)}},
    {"summed on another stream",
     NULL,
     RESIDENT,
     1,
     4,
     {WORK(0, 0), RECORD(0, 0), WAIT(1, 0), SUM(1, 0)}},
    {"summed too early",
     "step 0, sum(stream 0, chunk 0): no kernel has worked on chunk 0",
     RESIDENT,
     1,
     2,
     {SUM(0, 0), WORK(0, 0)}},
    {"summed on a stream that does not wait",
     "step 1, sum(stream 1, chunk 0) may begin before step 0, kernel(stream 0, chunk 0) is over",
     RESIDENT,
     1,
     2,
     {WORK(0, 0), SUM(1, 0)}},
    {"summed twice",
     "chunk 0 had its turn already, in step 1",
     RESIDENT,
     1,
     3,
     {WORK(0, 0), SUM(0, 0), SUM(0, 0)}},
    {"summed and gathered",
     "chunk 0 had its turn already, in step 1, sum",
     RESIDENT,
     1,
     3,
     {WORK(0, 0), SUM(0, 0), GATHER(0, 0)}},
    {"never summed",
     "the results of chunk 1 stay on each rank",
     RESIDENT,
     2,
     3,
     {WORK(0, 0), WORK(0, 1), SUM(0, 0)}},
    {"resident, and copied in", "lies on the devices already", RESIDENT, 1, 1, {IN(0, 0)}},
    {"resident, and copied out",
     "lies on the devices already",
     RESIDENT,
     1,
     2,
     {WORK(0, 0), OUT(0, 0)}},
    {"summed on one device",
     "not for PINNED memory",
     PINNED,
     1,
     3,
     {IN(0, 0), WORK(0, 0), SUM(0, 0)}},
    {"gathered from mapped memory",
     "not for MAPPED memory",
     MAPPED,
     1,
     2,
     {WORK(0, 0), GATHER(0, 0)}},

    {"nothing yet", "still to be written", NO_MEMORY, 0, 0, {{0}}},
    {"no memory", "says no memory", NO_MEMORY, 1, 3, {IN(0, 0), WORK(0, 0), OUT(0, 0)}},
    {"an unknown memory", "memory 9 is not known", 9, 1, 3, {IN(0, 0), WORK(0, 0), OUT(0, 0)}},
    {"no chunks", "0 chunks", PINNED, 0, 3, {IN(0, 0), WORK(0, 0), OUT(0, 0)}},
    {"too many chunks", "65 chunks", PINNED, 65, 3, {IN(0, 0), WORK(0, 0), OUT(0, 0)}},
    {"no steps", "no steps", PINNED, 1, 0, {{0}}},
    {"too many steps", "513 steps: there is room for 512", PINNED, 1, 513, {{0}}},
    {"an unknown step", "8 is no kind of step", PINNED, 1, 1, {{8, 0, 0, 1}}},
    {"an unknown stream", "stream 16; streams are 0 to 15", PINNED, 1, 1, {IN(16, 0)}},
    {"an unknown event", "event 256; events are 0 to 255", PINNED, 1, 1, {RECORD(0, 256)}},
    {"of no size", "of 0 chunks", PINNED, 1, 1, {{DO_COPY_IN, 0, 0, 0}}},
    {"past the last chunk",
     "2 chunks from chunk 1 on; the last one is chunk 1",
     PINNED,
     2,
     1,
     {{DO_COPY_IN, 0, 1, 2}}},
    {"of one chunk",
     "1 chunk from chunk 1 on; the last one is chunk 0",
     PINNED,
     1,
     1,
     {{DO_COPY_IN, 0, 1, 1}}},
    {"a range that wraps",
     "4294967295 chunks from chunk 1 on",
     PINNED,
     2,
     1,
     {{DO_COPY_IN, 0, 1, UINT32_MAX}}},
    {"copied in twice",
     "chunk 1 had its turn already, in step 0",
     PINNED,
     2,
     2,
     {{DO_COPY_IN, 0, 0, 2}, IN(0, 1)}},
    {"worked on twice",
     "chunk 0 had its turn already, in step 1",
     PINNED,
     1,
     3,
     {IN(0, 0), WORK(0, 0), WORK(0, 0)}},
    {"copied back twice",
     "chunk 0 had its turn already, in step 2",
     PINNED,
     1,
     4,
     {IN(0, 0), WORK(0, 0), OUT(0, 0), OUT(0, 0)}},
    {"never copied in",
     "step 0, kernel(stream 0, chunk 0): nothing has copied in chunk 0",
     PINNED,
     1,
     2,
     {WORK(0, 0), OUT(0, 0)}},
    {"copied in too late",
     "nothing has copied in chunk 0 before",
     PINNED,
     1,
     3,
     {WORK(0, 0), IN(0, 0), OUT(0, 0)}},
    {"managed, moved too late",
     "step 1 copies chunk 0 in after the kernel",
     MANAGED,
     1,
     2,
     {WORK(0, 0), IN(0, 0)}},
    {"another chunk was copied in",
     "nothing has copied in chunk 1",
     PINNED,
     2,
     2,
     {IN(0, 0), WORK(0, 1)}},
    {"copied back too early",
     "no kernel has worked on chunk 0",
     PINNED,
     1,
     3,
     {IN(0, 0), OUT(0, 0), WORK(0, 0)}},
    {"no kernel",
     "no kernel works on chunk 1, only on 0; s.chunks is 2, so chunks are 0 to 1",
     PINNED,
     2,
     3,
     {IN(0, 0), WORK(0, 0), OUT(0, 0)}},
    {"chunks counted from 1",
     "no kernel works on chunk 0, only on 1 and 2; s.chunks is 3",
     MAPPED,
     3,
     2,
     {WORK(0, 1), WORK(0, 2)}},
    {"every other chunk, and more",
     "no kernel works on chunk 1, only on 0, 2 and 4 to 7;",
     MAPPED,
     8,
     3,
     {WORK(0, 0), WORK(0, 2), {DO_KERNEL, 0, 4, 4}}},
    {"some results stay there",
     "the results of chunk 1 are never copied back, only those of 0 and 2; s.chunks is 3",
     PINNED,
     3,
     4,
     {{DO_COPY_IN, 0, 0, 3}, {DO_KERNEL, 0, 0, 3}, OUT(0, 0), OUT(0, 2)}},
    {"results stay there",
     "results of chunk 0 are never copied back",
     PINNED,
     1,
     2,
     {IN(0, 0), WORK(0, 0)}},
    {"mapped and copied", "MAPPED memory is not copied", MAPPED, 1, 1, {IN(0, 0)}},
    {"no order between streams",
     "step 1, kernel(stream 1, chunk 0) may begin before step 0, copy_in(stream 0, chunk 0) is "
     "over",
     PINNED,
     1,
     3,
     {IN(0, 0), WORK(1, 0), OUT(1, 0)}},
    {"copied back by a stream that does not wait",
     "step 2, copy_out(stream 1, chunk 0) may begin before step 1",
     PINNED,
     1,
     3,
     {IN(0, 0), WORK(0, 0), OUT(1, 0)}},
    {"recorded too early",
     "step 1, copy_in(stream 0, chunk 0) is over: what step 2, wait(stream 1, event 0) waits for, "
     "step 0, record(stream 0, event 0), comes before it",
     PINNED,
     1,
     5,
     {RECORD(0, 0), IN(0, 0), WAIT(1, 0), WORK(1, 0), OUT(1, 0)}},
    {"of a stream in between, something earlier",
     "of stream 0, stream 1 waits for earlier steps alone",
     PINNED,
     2,
     8,
     {IN(0, 0), RECORD(0, 0), WAIT(2, 0), RECORD(2, 1), WAIT(1, 1), IN(0, 1), WORK(1, 0),
      WORK(1, 1)}},
    {"another stream waits",
     "nothing makes stream 1 wait for stream 0",
     PINNED,
     1,
     5,
     {IN(0, 0), RECORD(0, 0), WAIT(2, 0), WORK(1, 0), OUT(1, 0)}},
    {"waits for another event",
     "step 6, copy_out(stream 2, chunk 0) may begin before step 3, kernel(stream 1, chunk 0) is "
     "over: step 5, wait(stream 2, event 0), waits for step 1, record(stream 0, event 0), which is "
     "on stream 0 and need not come after step 3, on stream 1; step 4, record(stream 1, event 1), "
     "does. With event 1 in step 5 it is right",
     PINNED,
     1,
     7,
     {IN(0, 0), RECORD(0, 0), WAIT(1, 0), WORK(1, 0), RECORD(1, 1), WAIT(2, 0), OUT(2, 0)}},
    {"waits for another event, and nothing records a right one",
     "step 1, record(stream 0, event 0), which is on stream 0 and need not come after step 3, on "
     "stream 1",
     PINNED,
     1,
     6,
     {IN(0, 0), RECORD(0, 0), WAIT(1, 0), WORK(1, 0), WAIT(2, 0), OUT(2, 0)}},
    {"a kernel twice, and one chunk without",
     "step 3, copy_out(stream 0, chunk 0): no kernel has worked on chunk 0 before; step 2, "
     "kernel(stream 0, chunk 1), and step 4, kernel(stream 0, chunk 1), are both of chunk 1. With "
     "chunk 0 in step 2 it is right",
     PINNED,
     2,
     6,
     {IN(0, 0), IN(0, 1), WORK(0, 1), OUT(0, 0), WORK(0, 1), OUT(0, 1)}},
    {"waits too late",
     "nothing makes stream 1 wait for stream 0",
     PINNED,
     1,
     5,
     {IN(0, 0), RECORD(0, 0), WORK(1, 0), WAIT(1, 0), OUT(1, 0)}},
    {"recorded again, elsewhere",
     "step 4, kernel(stream 1, chunk 0) may begin before step 0, copy_in(stream 0, chunk 0) is "
     "over: "
     "step 1, record(stream 0, event 0), comes after that, but step 2, record(stream 2, event 0), "
     "records the event again before step 3, wait(stream 1, event 0): an event stands for its last "
     "record alone",
     PINNED,
     1,
     6,
     {IN(0, 0), RECORD(0, 0), RECORD(2, 0), WAIT(1, 0), WORK(1, 0), OUT(1, 0)}},
    {"waits for what is recorded later",
     "no step before it records that event",
     PINNED,
     1,
     6,
     {IN(0, 0), WAIT(1, 0), RECORD(0, 0), WORK(1, 0), RECORD(1, 1), OUT(1, 0)}},
    {"managed, moved by a stream that it does not wait for",
     "nothing makes stream 1 wait",
     MANAGED,
     1,
     2,
     {IN(0, 0), WORK(1, 0)}},
};

Test(schedule, what_is_wrong_is_said)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct schedule s = {rows[i].memory, rows[i].chunks, rows[i].nsteps, {{0}}};
        char err[400] = "";

        memcpy(s.steps, rows[i].steps, sizeof(rows[i].steps));
        bool ok = schedule_check(&s, err, sizeof(err));
        cr_expect_eq(ok, !rows[i].says, "%s: %s", rows[i].what, err);
        if (rows[i].says)
            cr_expect(strstr(err, rows[i].says), "%s: %s", rows[i].what, err);
    }
}

/* The second kernel waits for nothing of the first sum's, the third waits for it. */
Test(schedule, what_can_be_under_way_at_a_time)
{
    struct schedule s = {RESIDENT,
                         3,
                         9,
                         {WORK(0, 0), RECORD(0, 0), WAIT(1, 0), SUM(1, 0), WORK(0, 1), RECORD(1, 1),
                          WAIT(0, 1), WORK(0, 2), WORK(2, 3)}};

    cr_expect(schedule_overlap(&s, 3, 4) && schedule_overlap(&s, 4, 3));
    cr_expect_not(schedule_overlap(&s, 0, 3));
    cr_expect_not(schedule_overlap(&s, 0, 4));
    cr_expect_not(schedule_overlap(&s, 3, 7));
    cr_expect_not(schedule_overlap(&s, 4, 7));
    cr_expect_not(schedule_overlap(&s, 8, 8));
    cr_expect(schedule_overlap(&s, 8, 0));
}

/* Chunks are all there is, once; none begins within a warp's 32 elements. */
Test(schedule, chunks_are_the_whole)
{
    for (uint64_t n = 1; n < 700; n += 23)
        for (uint32_t chunks = 1; chunks <= SCHEDULE_CHUNKS; chunks += 3) {
            struct schedule s = {.memory = PINNED, .chunks = chunks};
            uint64_t next = 0, offset, count;

            for (uint32_t k = 0; k < chunks; k++) {
                schedule_range(&s, &(struct schedule_step){DO_KERNEL, 0, k, 1}, n, &offset, &count);
                cr_assert_eq(offset, next, "%lu %u %u", n, chunks, k);
                cr_assert(!count || offset % SCHEDULE_UNIT == 0);
                next = offset + count;
            }
            cr_assert_eq(next, n);
            schedule_range(&s, &(struct schedule_step){DO_KERNEL, 0, 0, chunks}, n, &offset,
                           &count);
            cr_assert(offset == 0 && count == n);
        }
}
