// device_graph_answers.cu - graphs that kernels launch (answers.h).
// Built with -rdc=true.
#include "answers.h"

__device__ int log_at, log_of[1024], rounds;

__device__ static void note_it(int what)
{
    int at = atomicAdd(&log_at, 1);

    if (at < 1024)
        log_of[at] = what;
}
__global__ void note(int what)
{
    note_it(what);
}

#define SAY(call) printf("  %s: %d\n", #call, (int)(call))

__global__ void launch_in(cudaGraphExec_t x, cudaStream_t s, int what)
{
    int e = cudaGraphLaunch(x, s);

    if (what)
        note_it(what);
    if (e)
        printf("  the launch: %d\n", e);
}
__global__ void launch_two(cudaGraphExec_t x, cudaGraphExec_t y, cudaStream_t s)
{
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaGraphLaunch(y, s));
}
__global__ void again(int most)
{
    note_it(rounds);
    if (++rounds < most)
        cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}
__global__ void again_twice()
{
    if (++rounds > 1)
        return;
    SAY(cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch));
    SAY(cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch));
}
__global__ void again_forgotten()
{
    if (++rounds > 1)
        return;
    SAY(cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphFireAndForget));
}
__global__ void odd(cudaGraphExec_t x)
{
    SAY(cudaGraphLaunch(x, 0));
    SAY(cudaGraphLaunch(x, (cudaStream_t)1));
    SAY(cudaGraphLaunch(x, (cudaStream_t)2));
    SAY(cudaGraphLaunch(x, (cudaStream_t)3));
    SAY(cudaGraphLaunch(x, (cudaStream_t)0x0400000000000000));
    SAY(cudaGraphLaunch(x, (cudaStream_t)0x0200000000000001));
}
__global__ void many(cudaGraphExec_t x, cudaStream_t s, int n)
{
    for (int i = 1; i <= n; i++) {
        int e = cudaGraphLaunch(x, s);

        if (e) {
            printf("  launch %d: %d\n", i, e);
            return;
        }
    }
    printf("  %d launches\n", n);
}
__global__ void many_of(const cudaGraphExec_t *x, cudaStream_t s, int n)
{
    for (int i = 1; i <= n; i++) {
        int e = cudaGraphLaunch(x[i - 1], s);

        if (e) {
            printf("  launch %d: %d\n", i, e);
            return;
        }
    }
    printf("  %d launches\n", n);
}
__global__ void current(const cudaGraphExec_t *x)
{
    printf("  there is a graph: %d, the one that was launched: %d\n",
           cudaGetCurrentGraphExec() != NULL, x && cudaGetCurrentGraphExec() == *x);
}

static cudaStream_t s;
static cudaGraph_t g;
static cudaGraphExec_t x, y, z;

template <typename... P>
static cudaGraphNode_t add(void (*f)(P...), cudaGraphNode_t *after, P... p)
{
    void *args[] = {&p..., NULL};
    cudaKernelNodeParams k = {(void *)f, 1, 1, 0, args, NULL};
    cudaGraphNode_t n;

    MUST(cudaGraphAddKernelNode(&n, g, after, after != NULL, &k));
    return n;
}
static void fresh()
{
    MUST(cudaGraphCreate(&g, 0));
}
static cudaGraphExec_t made(unsigned long long flags)
{
    cudaGraphExec_t e = NULL;

    MUST(cudaGraphInstantiate(&e, g, flags));
    return e;
}
/* One for kernels to launch: it notes what. */
static cudaGraphExec_t noting(int what)
{
    fresh();
    add(note, NULL, what);
    cudaGraphExec_t e = made(cudaGraphInstantiateFlagDeviceLaunch);
    MUST(cudaGraphUpload(e, s));
    MUST(cudaStreamSynchronize(s));
    return e;
}
static void show_log()
{
    int log[1024], n = 0, none = 0;

    if (cudaMemcpyFromSymbol(&n, log_at, sizeof(n)) || cudaMemcpyFromSymbol(log, log_of, sizeof(log)))
        return;
    printf("  %d noted:", n);
    for (int i = 0; i < n && i < 20; i++)
        printf(" %d", log[i]);
    printf("\n");
    cudaMemcpyToSymbol(log_at, &none, sizeof(none));
    cudaMemcpyToSymbol(rounds, &none, sizeof(none));
}
/* What the kernels print comes first. */
static void run(cudaGraphExec_t e, const char *what)
{
    cudaError_t launched = cudaGraphLaunch(e, s), ended = cudaStreamSynchronize(s);

    TELL("launch", launched);
    TELL(what, ended);
    show_log();
}
static void show(const char *what)
{
    TELL(what, cudaStreamSynchronize(s));
    show_log();
}
static void begin()
{
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
}

static void tail()
{
    begin();
    y = noting(2);
    fresh();
    cudaGraphNode_t n = add(launch_in, NULL, y, cudaStreamGraphTailLaunch, 0);
    add(note, &n, 1);
    x = made(cudaGraphInstantiateFlagDeviceLaunch);
    ASK(cudaGraphLaunch(x, s));
    note<<<1, 1, 0, s>>>(3);
    show("from a graph for kernels");
    x = made(0);
    ASK(cudaGraphLaunch(x, s));
    note<<<1, 1, 0, s>>>(3);
    show("from one that is not");
    z = noting(3);
    fresh();
    add(launch_two, NULL, y, z, cudaStreamGraphTailLaunch);
    run(made(0), "two tails");
}
static void tail_of_tail()
{
    begin();
    cudaGraphExec_t last = noting(3);
    fresh();
    add(launch_in, NULL, last, cudaStreamGraphTailLaunch, 1);
    y = made(cudaGraphInstantiateFlagDeviceLaunch);
    MUST(cudaGraphUpload(y, s));
    z = noting(4);
    fresh();
    add(launch_two, NULL, y, z, cudaStreamGraphTailLaunch);
    run(made(0), "the tail of a tail goes before what follows");
}
static void forgotten()
{
    begin();
    y = noting(1);
    fresh();
    cudaGraphNode_t n = add(launch_in, NULL, y, cudaStreamGraphFireAndForget, 0);
    x = made(0);
    (void)n;
    ASK(cudaGraphLaunch(x, s));
    note<<<1, 1, 0, s>>>(2);
    show("fire and forget, then the stream goes on");
    fresh();
    n = add(launch_in, NULL, noting(2), cudaStreamGraphTailLaunch, 0);
    fresh();
    add(launch_two, NULL, y, y, cudaStreamGraphFireAndForget);
    run(made(0), "the same twice");
}
static void sibling()
{
    begin();
    y = noting(1);
    fresh();
    add(launch_in, NULL, y, cudaStreamGraphFireAndForgetAsSibling, 0);
    run(made(cudaGraphInstantiateFlagDeviceLaunch), "as a sibling");
}
static void itself()
{
    begin();
    fresh();
    add(again, NULL, 5);
    ASK(cudaGraphLaunch(made(cudaGraphInstantiateFlagDeviceLaunch), s));
    note<<<1, 1, 0, s>>>(99);
    show("a graph that launches itself");
    run(made(0), "and is not for kernels");
}
static void itself_twice()
{
    begin();
    fresh();
    add(again_twice, NULL);
    run(made(cudaGraphInstantiateFlagDeviceLaunch), "twice in the tail");
    fresh();
    add(again_forgotten, NULL);
    run(made(cudaGraphInstantiateFlagDeviceLaunch), "forgotten");
}
static void no_graph()
{
    begin();
    y = noting(1);
    current<<<1, 1, 0, s>>>(NULL);
    launch_in<<<1, 1, 0, s>>>(y, cudaStreamGraphTailLaunch, 0);
    show("from a kernel of no graph, in the tail");
    launch_in<<<1, 1, 0, s>>>(y, cudaStreamGraphFireAndForget, 0);
    show("from a kernel of no graph, forgotten");
}
static void streams()
{
    begin();
    y = noting(1);
    fresh();
    add(odd, NULL, y);
    run(made(0), "other streams");
}
static void wrong_exec()
{
    begin();
    fresh();
    add(launch_in, NULL, (cudaGraphExec_t)NULL, cudaStreamGraphTailLaunch, 0);
    run(made(0), "NULL");
}
static void host_exec()
{
    begin();
    fresh();
    add(note, NULL, 1);
    y = made(0);
    fresh();
    add(launch_in, NULL, y, cudaStreamGraphTailLaunch, 0);
    run(made(0), "a graph that is not for kernels");
}
static void not_uploaded()
{
    begin();
    fresh();
    add(note, NULL, 1);
    y = made(cudaGraphInstantiateFlagDeviceLaunch);
    fresh();
    add(launch_in, NULL, y, cudaStreamGraphTailLaunch, 0);
    run(made(0), "a graph that was not uploaded");
}
static void how_many()
{
    static cudaGraphExec_t all[300];
    cudaGraphExec_t *on_device;

    begin();
    for (int i = 0; i < 300; i++)
        all[i] = noting(1);
    MUST(cudaMalloc(&on_device, sizeof(all)));
    MUST(cudaMemcpy(on_device, all, sizeof(all), cudaMemcpyHostToDevice));
    fresh();
    add(many, NULL, all[0], cudaStreamGraphTailLaunch, 3);
    run(made(0), "one in the tail, again and again");
    fresh();
    add(many_of, NULL, (const cudaGraphExec_t *)on_device, cudaStreamGraphTailLaunch, 300);
    run(made(0), "in the tail");
    fresh();
    add(many_of, NULL, (const cudaGraphExec_t *)on_device, cudaStreamGraphFireAndForget, 300);
    run(made(0), "forgotten");
}
static void currents()
{
    cudaGraphExec_t *at;

    begin();
    MUST(cudaMallocHost(&at, sizeof(*at)));
    for (int i = 0; i < 2; i++) {
        fresh();
        add(current, NULL, (const cudaGraphExec_t *)at);
        *at = made(i ? cudaGraphInstantiateFlagDeviceLaunch : 0);
        run(*at, i ? "of a graph for kernels" : "of another");
    }
}

#define TOPIC(name) {#name, name}
static const struct topic topics[] = {
    TOPIC(tail),      TOPIC(tail_of_tail), TOPIC(forgotten),    TOPIC(sibling),
    TOPIC(itself),    TOPIC(itself_twice), TOPIC(no_graph),     TOPIC(streams),
    TOPIC(wrong_exec), TOPIC(host_exec),   TOPIC(not_uploaded), TOPIC(how_many),
    TOPIC(currents),
};

int main(int argc, char **argv)
{
    ask_all(topics, sizeof(topics) / sizeof(topics[0]), argc, argv);
    return 0;
}
