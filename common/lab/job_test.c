/* job_test.c - jobs and outputs over a pipe: what goes in comes out, nothing broken is believed. */
#include "job.h"
#include "base/alloc.h"
#include "machine.h"
#include "plan.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab lab_testlab;

/* A pipe that is a piece of memory. */
struct tape {
    struct text bytes;
    size_t at;
};

static bool get(void *user, void *data, size_t n)
{
    struct tape *t = user;

    if (n > t->bytes.length - t->at)
        return false;
    memcpy(data, t->bytes.s + t->at, n);
    t->at += n;
    return true;
}

static bool put(void *user, const void *data, size_t n)
{
    struct tape *t = user;

    text_bytes(&t->bytes, data, n);
    return true;
}

static struct plan small_plan(void)
{
    static const struct device_limits limits = {.max_threads_per_block = 1024};
    struct plan p;
    char err[200];

    cr_assert(plan_make(&lab_testlab, &lab_testlab.variants[0], &lab_testlab.cases[2],
                        &lab_testlab.variants[0].record, &limits, &p, err, sizeof(err)));
    p.buffers[0].count = p.buffers[1].count = 4; /* x, y */
    return p;
}

static struct outputs some_outputs(void)
{
    struct outputs o = {
        .stage = STAGE_DONE, .error = 7, .changed = 0, .changed_at = 3, .late = true};
    static const int32_t y[4] = {1, 3, 5, 7};

    o.counted = true;
    o.counters.inst_executed = 42;
    o.modelled_ms = 0.25;
    strcpy(o.bound, "DRAM");
    o.nfindings = 2;
    o.message = xstrdup("a message");
    o.findings = xstrdup("{}\n{}\n");
    o.lines = xstrdup("");
    o.instructions = xstrdup("[{}]");
    o.data[1] = large_alloc(sizeof(y));
    memcpy(o.data[1], y, sizeof(y));
    return o;
}

Test(job, comes_back_as_it_went)
{
    static const int32_t x[4] = {0, 1, 2, 3};
    struct plan p = small_plan(), q;
    struct job j = {.plan = &p, .inputs = {x}}, k;
    struct tape t = {{0}, 0};
    struct wire w = {get, put, &t};

    j.options = (struct job_options){.check = true,
                                     .want_instructions = true,
                                     .untimed = true,
                                     .any_status = true,
                                     .disturb = 1u << DISTURB_tensor,
                                     .timed = true,
                                     .poison = POISON_OUTPUTS,
                                     .steps = 99,
                                     .seed = 7,
                                     .as_is = true,
                                     .check_some = true,
                                     .sample_at = 11};
    cr_assert(job_write(&w, &j));
    cr_assert(job_read(&w, &k, &q));
    cr_assert_eq(t.at, t.bytes.length);
    cr_assert(k.options.check && k.options.timed && !k.options.want_lines &&
              k.options.want_instructions && k.options.untimed);
    cr_assert_eq(k.options.poison, POISON_OUTPUTS);
    cr_assert_eq(k.options.steps, 99);
    cr_assert(k.options.any_status && k.options.as_is && k.options.check_some && !k.options.blank);
    cr_assert_eq(k.options.disturb, 1u << DISTURB_tensor);
    cr_assert_eq(k.options.seed, 7);
    cr_assert_eq(k.options.sample_at, 11);
    cr_assert_str_eq(q.steps[0].kernel, "scale");
    cr_assert_arr_eq(k.inputs[0], x, sizeof(x));
    job_free(&k);
    text_free(&t.bytes);
}

/* Inputs stay here. */
Test(job, of_no_inputs)
{
    static const int32_t x[4] = {0, 1, 2, 3};
    struct plan p = small_plan(), q;
    struct job j = {.plan = &p, .inputs = {x}, .options = {.blank = true}}, k;
    struct tape t = {{0}, 0};
    struct wire w = {get, put, &t};

    cr_assert(job_write(&w, &j) && job_read(&w, &k, &q));
    cr_assert_eq(t.at, t.bytes.length);
    cr_assert(k.options.blank && !k.options.check_some && !k.inputs[0]);
    job_free(&k);
    text_free(&t.bytes);
}

Test(outputs, come_back_as_they_went)
{
    struct plan p = small_plan();
    struct outputs o = some_outputs(), r;
    struct tape t = {{0}, 0};
    struct wire w = {get, put, &t};

    cr_assert(outputs_write(&w, &p, &o));
    cr_assert(outputs_read(&w, &p, false, &r));
    cr_assert_eq(t.at, t.bytes.length);
    cr_assert_eq(r.stage, STAGE_DONE);
    cr_assert_eq(r.error, 7);
    cr_assert(r.changed == 0 && r.changed_at == 3 && r.late);
    cr_assert(r.counted && r.counters.inst_executed == 42);
    cr_assert_eq(r.modelled_ms, 0.25);
    cr_assert_str_eq(r.bound, "DRAM");
    cr_assert_str_eq(r.message, "a message");
    cr_assert_eq(r.nfindings, 2);
    cr_assert_str_eq(r.findings, "{}\n{}\n");
    cr_assert_str_empty(r.lines);
    cr_assert_str_eq(r.instructions, "[{}]");
    cr_assert_null(r.trace);
    cr_assert_arr_eq(r.data[1], o.data[1], 16);
    outputs_free(&o);
    outputs_free(&r);
    text_free(&t.bytes);
}

/* Whose time alone is asked for, they have no data; who expects some does not take that for none.
 */
Test(outputs, of_a_launch_alone)
{
    struct plan p = small_plan();
    struct outputs o = some_outputs(), r;
    struct tape t = {{0}, 0};
    struct wire w = {get, put, &t};

    outputs_drop_data(&o);
    cr_assert(outputs_write(&w, &p, &o));
    cr_assert(outputs_read(&w, &p, true, &r));
    cr_assert_eq(t.at, t.bytes.length);
    cr_assert(r.stage == STAGE_DONE && !r.data[1] && r.modelled_ms == 0.25);
    outputs_free(&r);
    t.at = 0;
    cr_assert_not(outputs_read(&w, &p, false, &r));
    outputs_free(&r);
    outputs_free(&o);
    text_free(&t.bytes);
}

/* Whatever the other side sends: what is accepted is whole and points to what there is. */
Test(outputs, survive_any_changed_byte)
{
    struct plan p = small_plan();
    struct outputs o = some_outputs(), r;
    struct tape t = {{0}, 0};
    struct wire w = {get, put, &t};
    size_t size, refused = 0;

    cr_assert(outputs_write(&w, &p, &o));
    size = t.bytes.length;
    for (size_t i = 0; i < size; i++) {
        for (int flip = 1; flip < 256; flip <<= 1) {
            t.bytes.s[i] = (char)(t.bytes.s[i] ^ flip);
            t.at = 0;
            if (!outputs_read(&w, &p, false, &r)) {
                refused++;
            } else {
                cr_assert_leq(r.stage, STAGE_DONE);
                cr_assert(r.changed == -1 || (r.changed == 0 && r.changed_at < 4));
                cr_assert(memchr(r.bound, 0, sizeof(r.bound)) && r.message && r.findings);
                cr_assert((r.stage == STAGE_DONE) == (r.data[1] != NULL));
            }
            outputs_free(&r);
            t.bytes.s[i] = (char)(t.bytes.s[i] ^ flip);
        }
    }
    cr_assert_gt(refused, 300);
    for (t.bytes.length = 0; t.bytes.length < size; t.bytes.length++) {
        t.at = 0;
        cr_assert_not(outputs_read(&w, &p, false, &r), "cut to %zu bytes", t.bytes.length);
        outputs_free(&r);
    }
    outputs_free(&o);
    text_free(&t.bytes);
}

/* A lab's plan divides by the limits. */
Test(machine, no_device_has_such_limits)
{
    struct machine m = {.limits = {132, 1024, 2048, 232448, 90}, .device = "H200"}, r;
    struct tape t = {{0}, 0};
    struct wire w = {get, put, &t};

    cr_assert(machine_write(&w, &m) && machine_read(&w, &r));
    cr_assert_str_eq(r.device, "H200");
    cr_assert_eq(r.limits.shared_per_block, 232448);
    m.limits.max_threads_per_block = 0;
    cr_assert(machine_write(&w, &m));
    cr_assert_not(machine_read(&w, &r));
    m.limits.max_threads_per_block = 2048;
    cr_assert(machine_write(&w, &m));
    cr_assert_not(machine_read(&w, &r));
    text_free(&t.bytes);
}

/* Of three ranks the last has 2 + 3 of 6: two and a half times what each has on average, however
 * long it takes; and where instructions are even, what is loaded need not be. */
Test(job, the_busiest_rank)
{
    struct plan p = {.nops = 5, .ranks = 3};
    struct op_time times[5] = {{.work = 5, .loaded = 1},
                               {.work = 5, .end = 9},
                               {.work = 20, .loaded = 1},
                               {.work = 30, .loaded = 1},
                               {.work = 99, .loaded = 99}};
    struct outputs o = {0};

    for (uint32_t i = 0; i < 4; i++)
        p.ops[i].rank = i < 3 ? i : 2;
    p.ops[4].kind = OP_SUM;
    cr_expect(isinf(outputs_skew(&o, &p, false)), "nothing is known");
    o.times = times;
    cr_expect_float_eq(outputs_skew(&o, &p, false), 2.5, 1e-12);
    times[2].work = 0;
    times[3].work = 5;
    cr_expect_float_eq(outputs_skew(&o, &p, false), 1, 1e-12);
    cr_expect_float_eq(outputs_skew(&o, &p, true), 2, 1e-12);
    p.ranks = 0;
    p.nops = 1;
    cr_expect_float_eq(outputs_skew(&o, &p, false), 1, 1e-12);
}

/* A trial's time is up, and no stream has work that waits; 702: cudaErrorLaunchTimeout. */
Test(job, goes_on)
{
    struct plan p = small_plan();
    const struct job_options any = {0}, trial = {.disturb = 1u << DISTURB_few};

    cr_expect(job_goes_on(&p, &any, 0));
    cr_expect_not(job_goes_on(&p, &any, 702));
    cr_expect(job_goes_on(&p, &trial, 702));
    cr_expect_not(job_goes_on(&p, &trial, 700));
    p.nops = 1;
    cr_expect_not(job_goes_on(&p, &trial, 702));
}

/* A kernel from 0 to 2, a copy from 1 to 3, and an event that is nobody's work. */
Test(job, overlap_and_times)
{
    struct plan p = small_plan();
    struct outputs o = {.stage = STAGE_RUN, .changed = -1}, q;
    struct tape t = {{0}, 0};
    struct wire w = {get, put, &t};

    p.memory = PINNED;
    p.nops = 3;
    p.ops[0] = (struct plan_op){.kind = OP_LAUNCH};
    p.ops[1] = (struct plan_op){.kind = OP_COPY_OUT, .index = 1, .count = 4};
    p.ops[2] = (struct plan_op){.kind = OP_RECORD};
    cr_expect_eq(outputs_overlap(&o, &p), 0, "nothing is known");
    cr_expect_eq(outputs_beside(&o, &p), 0, "nor of kernels");
    o.times = xcalloc(3, sizeof(*o.times));
    o.times[0] = (struct op_time){.end = 2};
    o.times[1] = (struct op_time){.start = 1, .end = 3};
    o.times[2] = (struct op_time){.end = 9};
    cr_expect_float_eq(outputs_overlap(&o, &p), 4.0 / 3, 1e-12);
    cr_expect_float_eq(outputs_beside(&o, &p), 0.5, 1e-12);
    p.ops[2] = (struct plan_op){.kind = OP_COPY_IN, .index = 0, .count = 4};
    o.times[2] = (struct op_time){.start = 0.5, .end = 1.5};
    cr_expect_float_eq(outputs_beside(&o, &p), 0.75, 1e-12, "what two copies have is once");
    o.times[2] = (struct op_time){.start = 2, .end = 9};
    cr_expect_float_eq(outputs_beside(&o, &p), 0.5, 1e-12);
    p.ops[2] = (struct plan_op){.kind = OP_RECORD};
    o.message = xstrdup("");
    o.findings = xstrdup("");
    cr_assert(outputs_write(&w, &p, &o) && outputs_read(&w, &p, false, &q));
    cr_expect(q.times && !memcmp(q.times, o.times, 3 * sizeof(*o.times)));
    outputs_free(&q);
    t.at = 0;
    t.bytes.length -= 1;
    cr_expect_not(outputs_read(&w, &p, false, &q));
    outputs_free(&q);
    outputs_free(&o);
    text_free(&t.bytes);
}

Test(job, what_a_program_left)
{
    struct outputs o = {.printed = "kernel 0.25 ms 12.5 GB/s\nto_host 3 s\n",
                        .record = "calls.cudaMalloc 2\nleft 1\n"};
    double value;

    cr_expect(program_fact(&o, "calls.cudaMalloc", &value) && value == 2);
    cr_expect(program_fact(&o, "calls.cudaFree", &value) && value == 0);
    cr_expect(program_fact(&o, "record.left", &value) && value == 1);
    cr_expect(program_fact(&o, "printed.kernel", &value) && value == 0.25);
    cr_expect(program_fact(&o, "rate.kernel", &value) && value == 12.5);
    cr_expect(program_fact(&o, "printed.to_host", &value) && value != value, "no milliseconds");
    cr_expect_not(program_fact(&o, "inst_executed", &value));
    cr_expect(program_fact(&o, "told.kernel", &value) && value != value, "no event was asked");
    o.record = "told_ms 0.11\ntold_ms 0.2401\ntold_ms 0.15\nleft 1\n";
    cr_expect(program_fact(&o, "told.kernel", &value) && value == 0.2401, "%g", value);
    o.record = "told_ms 0.11\ntold_ms 0.14\ntold_ms 0.5\n";
    cr_expect(program_fact(&o, "told.kernel", &value) && value == 0.11 + 0.14, "%g", value);
    cr_expect(program_fact(&o, "told.cpu", &value) && value != value, "no such line");
    o.record = "";
    cr_expect(program_fact(&o, "record.left", &value) && value != value, "there is no record");
}

Test(job, calls_that_give_back)
{
    cr_expect(job_gives_back("cudaFree:2") && job_gives_back("cudaFreeHost"));
    cr_expect(job_gives_back("cudaEventDestroy:1") && job_gives_back("cudaStreamDestroy"));
    cr_expect(job_gives_back("cudaHostUnregister") && job_gives_back("cudaDeviceReset:1"));
    cr_expect_not(job_gives_back("cudaMalloc:1") || job_gives_back("cudaEventCreate") ||
                  job_gives_back("disk:full"));
}
