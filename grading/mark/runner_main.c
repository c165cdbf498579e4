/* runner_main.c - runs a submission's module in the box and sends back what it did.
 *
 * It knows no lab and no expected answer; plans are carried out by the harness's exec.c. Standard
 * input and output are the grader's (proto.h); what device code prints goes to standard error,
 * which the grader keeps and caps. Each plan runs on fresh allocations, outputs filled with a
 * pattern; the whole device is waited for before anything is read back.
 */
#include "lab/counter.h"
#include "lab/plan.h"
#include "lab/random.h"
#include "run/exec.h"
#include "proto.h"
#include "emulator/runtime/warplab.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static int in_fd, out_fd;
static struct module module;

/* The emulator's extras; NULL on a GPU. */
static struct {
    uint64_t (*counter)(const char *);
    double (*modelled_ms)(void), (*occupancy)(void);
    const char *(*bound)(void), *(*limiter)(void), *(*version)(void), *(*finding)(size_t);
    void (*reset)(void);
    size_t (*finding_count)(void);
    int (*set_check)(int);
    uint64_t (*set_steps)(uint64_t);
    char *(*lines)(void);
    int (*trace)(const char *kernel, unsigned block, const char *file);
} emu;

static void find_emulator(void)
{
    struct {
        void **where;
        const char *name;
    } const table[] = {
        {(void **)&emu.counter, "warplabCounter"},
        {(void **)&emu.modelled_ms, "warplabModelledMs"},
        {(void **)&emu.occupancy, "warplabOccupancy"},
        {(void **)&emu.bound, "warplabBound"},
        {(void **)&emu.limiter, "warplabOccupancyLimiter"},
        {(void **)&emu.version, "warplabVersion"},
        {(void **)&emu.finding, "warplabFinding"},
        {(void **)&emu.reset, "warplabReset"},
        {(void **)&emu.finding_count, "warplabFindingCount"},
        {(void **)&emu.set_check, "warplabSetCheck"},
        {(void **)&emu.set_steps, "warplabSetSteps"},
        {(void **)&emu.lines, "warplabLines"},
        {(void **)&emu.trace, "warplabTrace"},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        *table[i].where = dlsym(RTLD_DEFAULT, table[i].name);
}

/* ---- pipes ---- */

static bool get(void *data, size_t n)
{
    char *p = data;
    while (n) {
        ssize_t r = read(in_fd, p, n);
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            return false;
        p += r;
        n -= (size_t)r;
    }
    return true;
}

static void put(const void *data, size_t n)
{
    const char *p = data;
    while (n) {
        ssize_t w = write(out_fd, p, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            _exit(3);
        p += w;
        n -= (size_t)w;
    }
}

static void *need(size_t n)
{
    void *p = malloc(n ? n : 1);
    if (!p) {
        fputs("runner: out of memory\n", stderr);
        _exit(4);
    }
    return p;
}

/* ---- loading and asking ---- */

static void fill_device(struct msg_loaded *m)
{
    struct cudaDeviceProp p;
    memset(&p, 0, sizeof(p));
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess)
        return;
    snprintf(m->device, sizeof(m->device), "%.63s", p.name);
    m->limits =
        (struct device_limits){.sms = (uint32_t)p.multiProcessorCount,
                               .max_threads_per_block = (uint32_t)p.maxThreadsPerBlock,
                               .max_threads_per_sm = (uint32_t)p.maxThreadsPerMultiProcessor,
                               .shared_per_block = (uint32_t)p.sharedMemPerBlock,
                               .cc = (uint32_t)(10 * p.major + p.minor)};
    int driver = 0, runtime = 0, khz = 0, bits = 0;
    cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, 0);
    cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0);
    m->dram_gbps = 2.0 * khz * bits / 8 / 1e6; /* two transfers a clock */
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (emu.version)
        snprintf(m->version, sizeof(m->version), "%s", emu.version());
    else
        snprintf(m->version, sizeof(m->version), "CUDA driver %d, runtime %d", driver, runtime);
}

static bool load(void)
{
    struct msg_hello h;
    struct msg_loaded m = {.magic = PROTO_MAGIC, .emulated = emu.counter != NULL};
    char err[512] = "";
    if (!get(&h, sizeof(h)) || h.magic != PROTO_MAGIC)
        return false;
    char *image = need((size_t)h.module_bytes + 1);
    if (!get(image, h.module_bytes))
        return false;
    image[h.module_bytes] = 0;
    h.name[sizeof(h.name) - 1] = 0;
    fill_device(&m);
    m.error = !module_load(&module, h.name, image, (size_t)h.module_bytes + 1, err, sizeof(err));
    m.text_bytes = (uint32_t)strlen(err);
    put(&m, sizeof(m));
    put(err, m.text_bytes);
    return m.error == 0; /* the image stays: the library may refer to it */
}

static bool ask(void)
{
    struct msg_ask q;
    if (!get((char *)&q + sizeof(q.kind), sizeof(q) - sizeof(q.kind)))
        return false;
    for (uint32_t i = 0; i < q.count; i++) {
        char name[PROTO_NAME], variable[PROTO_NAME + 8];
        struct msg_answer a = {0};
        void *address;
        size_t bytes = 0;
        if (!get(name, sizeof(name)))
            return false;
        name[sizeof(name) - 1] = 0;
        snprintf(variable, sizeof(variable), "%s_launch", name);
        if (cudaLibraryGetGlobal(&address, &bytes, module.library, variable) == cudaSuccess)
            a.has_record = bytes != sizeof(a.record) ? RECORD_BAD : RECORD_GIVEN;
        if (a.has_record == RECORD_GIVEN &&
            cudaMemcpy(&a.record, address, sizeof(a.record), cudaMemcpyDeviceToHost) != cudaSuccess)
            a.has_record = RECORD_BAD;
        cudaGetLastError();
        put(&a, sizeof(a));
    }
    return true;
}

/* ---- running a plan ---- */

struct memory {
    void *host[LAB_MAX_BUFFERS]; /* inputs as sent, then outputs as read */
    size_t bytes[LAB_MAX_BUFFERS];
};

static bool upload(const struct plan *p, struct exec *e, struct memory *m, const struct msg_run *q)
{
    for (int i = 0; i < p->nbuffers; i++) {
        if (p->buffers[i].role == BUF_OUTPUT) {
            m->host[i] = need(m->bytes[i]);
            memset(m->host[i], poison_byte(q->poison), m->bytes[i]);
        }
        /* In checked runs scratch stays as it is: reads of what nobody wrote are found. */
        if (p->buffers[i].role != BUF_SCRATCH && !exec_upload(e, i, m->host[i]))
            return false;
    }
    return q->check || exec_poison(e);
}

/* nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM = 1, …) without linking the library. */
static uint32_t clock_now(void)
{
    static void *nvml, *device;
    static int (*clock)(void *, int, unsigned *);
    int (*init)(void), (*by_index)(unsigned, void **);
    unsigned mhz = 0;
    if (!nvml && (nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW))) {
        *(void **)&init = dlsym(nvml, "nvmlInit_v2");
        *(void **)&by_index = dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2");
        *(void **)&clock = dlsym(nvml, "nvmlDeviceGetClockInfo");
        if (!init || !by_index || !clock || init() || by_index(0, &device))
            clock = NULL;
    }
    return clock && !clock(device, 1, &mhz) ? mhz : 0;
}

enum { LATE_MS = 1 };

/* The launches with the clock around them. A third event comes after the whole device was
 * waited for: what goes on long after the second, wherever it was left, counts. Waiting before
 * the second would add the host's way there and back to kernels of a few microseconds. Each
 * timed run has inputs of its own, so there is no earlier answer to give again. */
static bool launch_timed(struct exec *e, struct msg_reply *r)
{
    cudaEvent_t events[3] = {NULL};
    float ms = 0, late = 0;
    bool ok = true;
    for (int i = 0; i < 3; i++)
        ok = ok && cudaEventCreate(&events[i]) == cudaSuccess;
    ok = ok && cudaDeviceSynchronize() == cudaSuccess &&
         cudaEventRecord(events[0], 0) == cudaSuccess && exec_launch(e) &&
         cudaEventRecord(events[1], 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess &&
         cudaEventRecord(events[2], 0) == cudaSuccess && exec_finish(e) &&
         cudaEventElapsedTime(&ms, events[0], events[1]) == cudaSuccess &&
         cudaEventElapsedTime(&late, events[0], events[2]) == cudaSuccess;
    r->measured_ms = late > ms + LATE_MS ? late : ms;
    r->sm_mhz = clock_now();
    for (int i = 0; i < 3; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    return ok;
}

static bool download(const struct plan *p, struct exec *e, struct memory *m, struct msg_reply *r)
{
    for (int i = 0; i < p->nbuffers; i++) {
        if (p->buffers[i].role == BUF_SCRATCH)
            continue;
        if (!exec_download(e, i, m->host[i]))
            return false;
        if (p->buffers[i].role == BUF_INPUT)
            r->input_sum = data_sum(r->input_sum, m->host[i], m->bytes[i]);
    }
    return true;
}

static void read_counters(struct msg_reply *r)
{
    if (!emu.counter)
        return;
    for (int i = 0; i < ncounters; i++)
        r->counters[i] = emu.counter(counter_infos[i].name);
    r->modelled_ms = emu.modelled_ms();
    r->occupancy = emu.occupancy();
    snprintf(r->bound, sizeof(r->bound), "%s", emu.bound() ? emu.bound() : "");
    snprintf(r->limiter, sizeof(r->limiter), "%s", emu.limiter() ? emu.limiter() : "");
}

/* Findings from number `from` on, as a JSON array of at most 100. */
static char *findings_text(size_t from)
{
    char *text;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    if (!f)
        _exit(4);
    size_t n = emu.finding_count ? emu.finding_count() : 0;
    fputc('[', f);
    for (size_t i = from; i < n && i < from + 100; i++)
        fprintf(f, "%s%s", i > from ? "," : "", emu.finding(i));
    fputc(']', f);
    fclose(f);
    return text;
}

/* ---- the trace of one block, for pictures: through a pipe, as files in the box are small ---- */

static struct {
    pthread_t reader;
    int read_end, write_end;
    char *text;
    size_t length;
} trace;

static void *read_trace(void *unused)
{
    char chunk[65536];
    ssize_t n;
    (void)unused;
    while ((n = read(trace.read_end, chunk, sizeof(chunk))) > 0) {
        size_t room = PROTO_MAX_TRACE - trace.length, keep = (size_t)n < room ? (size_t)n : room;
        memcpy(trace.text + trace.length, chunk, keep);
        trace.length += keep;
    }
    return NULL;
}

static bool trace_begin(const char *kernel)
{
    char path[64];
    int ends[2];
    if (!emu.trace || pipe2(ends, O_CLOEXEC))
        return false;
    trace.read_end = ends[0];
    trace.write_end = ends[1];
    trace.text = need(PROTO_MAX_TRACE);
    trace.length = 0;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
    if (!emu.trace(kernel, 0, path) && !pthread_create(&trace.reader, NULL, read_trace, NULL))
        return true;
    close(ends[0]);
    close(ends[1]);
    return false;
}

/* The emulator closes its end when the launch is over. Where a launch may never have come,
 * arming anew closes it. */
static void trace_end(bool launched)
{
    if (!launched)
        emu.trace("", 0, "/dev/null");
    close(trace.write_end);
    pthread_join(trace.reader, NULL);
    close(trace.read_end);
}

static bool receive_plan(struct plan *p, uint32_t bytes)
{
    unsigned char *packed = bytes <= PLAN_MAX_PACKED ? need(bytes) : NULL;
    char err[200];
    bool ok = packed && get(packed, bytes) && plan_read(packed, bytes, p, err, sizeof(err));
    free(packed);
    return ok;
}

static bool receive_inputs(const struct plan *p, struct memory *m)
{
    for (int i = 0; i < p->nbuffers; i++) {
        m->bytes[i] = plan_buffer_bytes(p, i);
        if (p->buffers[i].role != BUF_INPUT)
            continue;
        m->host[i] = need(m->bytes[i]);
        if (!get(m->host[i], m->bytes[i]))
            return false;
    }
    return true;
}

static void reply(const struct plan *p, struct memory *m, struct msg_reply *r, const char *error,
                  char *findings, char *lines)
{
    r->trace_bytes = (uint32_t)trace.length;
    r->error_bytes = (uint32_t)strlen(error);
    r->findings_bytes = (uint32_t)strlen(findings);
    r->lines_bytes = lines ? (uint32_t)strlen(lines) : 0;
    put(r, sizeof(*r));
    put(error, r->error_bytes);
    put(findings, r->findings_bytes);
    put(lines, r->lines_bytes);
    put(trace.text, trace.length);
    free(trace.text);
    trace.text = NULL;
    trace.length = 0;
    for (int i = 0; r->stage == STAGE_DONE && i < p->nbuffers; i++)
        if (p->buffers[i].role == BUF_OUTPUT)
            put(m->host[i], m->bytes[i]);
    free(findings);
    free(lines);
}

/* From opening to outputs. r->stage says how far it came; a GPU gets guard zones. */
static void carry_out(const struct plan *p, const struct msg_run *q, struct memory *m,
                      struct exec *e, struct msg_reply *r)
{
    struct exec_options o = {
        .guard_bytes = emu.counter ? 0 : EXEC_GUARD_BYTES, .poison = true, .seed = q->poison};
    r->stage = STAGE_OPEN;
    bool ok = exec_open(e, p, &module, &o) && upload(p, e, m, q);
    if (ok) {
        r->stage = STAGE_RUN;
        ok = q->timed && !emu.counter ? launch_timed(e, r) : exec_launch(e) && exec_finish(e);
        read_counters(r);
    }
    if (ok && download(p, e, m, r))
        r->stage = STAGE_DONE;
    r->error = (int32_t)e->error;
}

static bool run(void)
{
    static struct plan p;
    static struct exec e;
    struct msg_run q;
    struct memory m = {{NULL}, {0}};
    struct msg_reply r = {0};
    if (!get((char *)&q + sizeof(q.kind), sizeof(q) - sizeof(q.kind)) ||
        !receive_plan(&p, q.plan_bytes) || !receive_inputs(&p, &m))
        return false;
    size_t from = emu.finding_count ? emu.finding_count() : 0;
    if (emu.reset) {
        emu.set_check((int)q.check);
        emu.set_steps(q.steps);
        emu.reset();
    }
    bool traced = q.want_lines && p.nsteps && trace_begin(p.steps[0].kernel);
    carry_out(&p, &q, &m, &e, &r);
    if (traced)
        trace_end(r.stage == STAGE_DONE);
    char *lines = q.want_lines && emu.lines ? emu.lines() : NULL;
    reply(&p, &m, &r, r.stage == STAGE_DONE ? "" : e.message, findings_text(from), lines);
    exec_close(&e);
    for (int i = 0; i < p.nbuffers; i++)
        free(m.host[i]);
    return true;
}

/* ---- probing: what a box on this machine's GPU can do, before any student's code ---- */

/* A refused system call, in boxes whose filter says so (box_spec.traced): its number, and the
 * answer that it gets in others. */
static void refused(int signal, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    char line[32];
    (void)signal;
    int n = snprintf(line, sizeof(line), "refused %d\n", info->si_syscall);
    if (write(2, line, (size_t)n) < 0)
        _exit(3);
#if defined(__x86_64__)
    c->uc_mcontext.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
    c->uc_mcontext.regs[0] = (unsigned long long)-EPERM;
#else
    (void)c;
#endif
}

static cudaError_t try_device(void)
{
    void *memory = NULL;
    cudaEvent_t event = NULL;
    cudaError_t e = cudaSetDevice(0);
    e = e ? e : cudaMalloc(&memory, 1 << 20);
    e = e ? e : cudaMemset(memory, 0, 1 << 20);
    e = e ? e : cudaEventCreate(&event);
    e = e ? e : cudaEventRecord(event, 0);
    e = e ? e : cudaDeviceSynchronize();
    cudaFree(memory);
    return e;
}

static int probe(void)
{
    struct msg_loaded m = {.magic = PROTO_MAGIC, .emulated = emu.counter != NULL};
    struct sigaction a = {.sa_sigaction = refused, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &a, NULL);
    cudaError_t e = try_device();
    char text[256] = "";
    m.error = (int32_t)e;
    if (e)
        snprintf(text, sizeof(text), "%s (%s)", cudaGetErrorString(e), cudaGetErrorName(e));
    else
        fill_device(&m);
    m.sm_mhz = clock_now();
    m.text_bytes = (uint32_t)strlen(text);
    put(&m, sizeof(m));
    put(text, m.text_bytes);
    return e != cudaSuccess;
}

int main(int argc, char **argv)
{
    in_fd = fcntl(0, F_DUPFD_CLOEXEC, 10);
    out_fd = fcntl(1, F_DUPFD_CLOEXEC, 10);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(2, 1); /* device printf */
    find_emulator();
    if (argc == 2 && !strcmp(argv[1], "probe"))
        return probe();
    uint32_t kind;
    bool go_on = load();
    while (go_on && get(&kind, sizeof(kind)))
        go_on = kind == MSG_ASK ? ask() : kind == MSG_RUN ? run() : false;
    return go_on ? 0 : 1;
}
