// ipc_answers.cu - what the runtime answers about memory and events of other processes (answers.h).
#include "answers.h"

struct handles {
    cudaIpcMemHandle_t memory, small, freed, offset;
    cudaIpcEventHandle_t event, gone;
};

static int to_other[2], to_owner[2];

static void send(int pipe, const void *p, size_t n)
{
    if (write(pipe, p, n) != (ssize_t)n)
        _exit(1);
}
static void receive(int pipe, void *p, size_t n)
{
    if (read(pipe, p, n) != (ssize_t)n)
        _exit(1);
}
static void tell_owner()
{
    send(to_owner[1], "", 1);
}
static void wait_for_other()
{
    char c;

    receive(to_owner[0], &c, 1);
}

__global__ void add(int *p)
{
    atomicAdd(p, 1);
}

static void say(const char *where)
{
    printf("  %s:\n", where);
    fflush(stdout);
}

/* ---- the process that opens what the owner made ---- */

static handles h;
static int *p, *q, *small_one;

static void other_opens()
{
    cudaEvent_t e, f;
    cudaIpcMemHandle_t none = {};
    cudaIpcEventHandle_t no_event = {};
    cudaPointerAttributes a;
    float ms;

    ASK(cudaIpcOpenMemHandle((void **)&p, h.memory, 0));
    ASK(cudaIpcOpenMemHandle((void **)&p, h.memory, 2));
    ASK(cudaIpcOpenMemHandle((void **)&p, none, cudaIpcMemLazyEnablePeerAccess));
    ASK(cudaIpcOpenMemHandle((void **)&p, h.memory, cudaIpcMemLazyEnablePeerAccess));
    TELL("again", cudaIpcOpenMemHandle((void **)&q, h.memory, cudaIpcMemLazyEnablePeerAccess));
    value("the same address", p == q);
    ASK(cudaIpcOpenMemHandle((void **)&small_one, h.small, cudaIpcMemLazyEnablePeerAccess));
    TELL("memory that was freed",
         cudaIpcOpenMemHandle((void **)&q, h.freed, cudaIpcMemLazyEnablePeerAccess));
    TELL("the handle of a place within",
         cudaIpcOpenMemHandle((void **)&q, h.offset, cudaIpcMemLazyEnablePeerAccess));
    value("at the start", q == p);
    cudaGetLastError();
    ASK(cudaPointerGetAttributes(&a, p));
    value("type", a.type);
    add<<<1, 1>>>(p);
    ASK(cudaDeviceSynchronize());
    cudaIpcMemHandle_t further;
    TELL("export it further", cudaIpcGetMemHandle(&further, p));
    ASK(cudaFree(p));
    ASK(cudaMemset(p, 0, 4));
    ASK(cudaIpcOpenEventHandle(&e, h.event));
    TELL("again", cudaIpcOpenEventHandle(&f, h.event));
    value("the same event", e == f);
    ASK(cudaIpcOpenEventHandle(&f, no_event));
    ASK(cudaEventQuery(e));
    ASK(cudaEventSynchronize(e));
    ASK(cudaStreamWaitEvent(0, e, 0));
    ASK(cudaEventRecord(e, 0));
    ASK(cudaEventElapsedTime(&ms, e, e));
    cudaIpcEventHandle_t again;
    TELL("export it further", cudaIpcGetEventHandle(&again, e));
    ASK(cudaEventDestroy(e));
    ASK(cudaIpcCloseMemHandle(NULL));
    ASK(cudaIpcCloseMemHandle(p + 1));
    ASK(cudaIpcCloseMemHandle(small_one));
    int *own;
    MUST(cudaMalloc(&own, 64));
    ASK(cudaIpcCloseMemHandle(own));
}

static void other_after_free()
{
    int v = -1;

    TELL("read what its owner freed", cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    value("it is", v);
    ASK(cudaIpcCloseMemHandle(p));
    TELL("again", cudaIpcCloseMemHandle(p));
    TELL("a third time", cudaIpcCloseMemHandle(p));
}

static void other()
{
    receive(to_other[0], &h, sizeof(h));
    other_opens();
    tell_owner();
    receive(to_other[0], &h, 1);
    other_after_free();
    tell_owner();
}

/* ---- the owner ---- */

static void owner_alone(cudaEvent_t shared)
{
    static int on_host[16];
    cudaIpcMemHandle_t m;
    cudaIpcEventHandle_t e;
    cudaEvent_t ev;
    int *r;
    void *managed, *pinned, *async;

    say("not to be shared");
    MUST(cudaMallocManaged(&managed, 64));
    MUST(cudaMallocHost(&pinned, 64));
    MUST(cudaMallocAsync(&async, 64, 0));
    ASK(cudaIpcGetMemHandle(&m, NULL));
    ASK(cudaIpcGetMemHandle(&m, on_host));
    ASK(cudaIpcGetMemHandle(&m, managed));
    ASK(cudaIpcGetMemHandle(&m, pinned));
    ASK(cudaIpcGetMemHandle(&m, async));
    ASK(cudaEventCreateWithFlags(&ev, cudaEventInterprocess));
    ASK(cudaEventCreateWithFlags(&ev, cudaEventBlockingSync | cudaEventInterprocess));
    MUST(cudaEventCreate(&ev));
    TELL("an event that is timed", cudaIpcGetEventHandle(&e, ev));
    MUST(cudaEventCreateWithFlags(&ev, cudaEventDisableTiming));
    TELL("an event that is not shared", cudaIpcGetEventHandle(&e, ev));
    ASK(cudaIpcGetEventHandle(&e, NULL));
    say("in its own process");
    ASK(cudaIpcOpenMemHandle((void **)&r, h.memory, cudaIpcMemLazyEnablePeerAccess));
    ASK(cudaIpcOpenEventHandle(&ev, h.event));
    ASK(cudaIpcCloseMemHandle(p));
    float ms;
    MUST(cudaEventRecord(shared, 0));
    MUST(cudaDeviceSynchronize());
    ASK(cudaEventElapsedTime(&ms, shared, shared));
}

static void sharing()
{
    cudaEvent_t event, gone;
    cudaIpcMemHandle_t again;
    int *freed, v;

    if (pipe(to_other) || pipe(to_owner))
        _exit(1);
    if (fork() == 0) {
        alarm(20);
        other();
        _exit(0);
    }
    MUST(cudaMalloc(&p, 1 << 20));
    MUST(cudaMemset(p, 0, 1 << 20));
    MUST(cudaMalloc(&small_one, 64));
    MUST(cudaMalloc(&freed, 1 << 22));
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    MUST(cudaEventCreateWithFlags(&gone, cudaEventDisableTiming | cudaEventInterprocess));
    ASK(cudaIpcGetMemHandle(&h.memory, p));
    ASK(cudaIpcGetMemHandle(&again, p));
    value("the same", !memcmp(&again, &h.memory, sizeof(again)));
    ASK(cudaIpcGetMemHandle(&h.offset, p + 64));
    value("of the start", !memcmp(&h.offset, &h.memory, sizeof(again)));
    ASK(cudaIpcGetMemHandle(&h.small, small_one));
    ASK(cudaIpcGetMemHandle(&h.freed, freed));
    ASK(cudaFree(freed));
    ASK(cudaIpcGetMemHandle(&again, freed));
    ASK(cudaIpcGetEventHandle(&h.event, event));
    ASK(cudaIpcGetEventHandle(&h.gone, gone));
    ASK(cudaEventDestroy(gone));
    owner_alone(event);
    say("in another process");
    send(to_other[1], &h, sizeof(h));
    wait_for_other();
    say("in its own again");
    MUST(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    value("what the other wrote", v);
    ASK(cudaFree(p));
    ASK(cudaEventDestroy(event));
    say("in another process");
    send(to_other[1], "", 1);
    wait_for_other();
    wait(NULL);
}

#define TOPIC(name) {#name, name}
static const struct topic topics[] = {TOPIC(sharing)};

int main(int argc, char **argv)
{
    ask_all(topics, sizeof(topics) / sizeof(topics[0]), argc, argv);
    return 0;
}
