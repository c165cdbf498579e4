/* report_async.c - the checker's findings about copies, products and mbarriers in words.
 *
 * Interface: private.h. What meets a copy or a product that nobody has waited for is told when its
 * launch ends, for its advice may come to light later: struct later.
 */
#include "report.h"
#include "findings.h"
#include <stdio.h>
#include <stdlib.h>

/* Kinds, compared by address. */
static const char unfenced[] = "async-proxy", overwritten[] = "async-overwrite",
                  unwaited[] = "async-unwaited", left[] = "async-left", peers[] = "cluster-barrier",
                  unmade[] = "mbarrier-early", registers[] = "wgmma-registers",
                  maps[] = "tensormap-proxy";

static json_t *other_place(const struct site *s)
{
    return json_pack("{s:I, s:I, s:o}", "line", (json_int_t)s->line, "ptx_line",
                     (json_int_t)s->ptx_line, "file", json_words(s->file ? s->file : ""));
}

static const struct {
    const char *kind, *head, *says, *advice;
} async_faults[] = {
    [ASYNC_OVERWRITTEN] = {overwritten, "overwritten while read",
                           " asked for it to be read, and nobody has waited for that to be over\n",
                           "    wait_group before the memory is given back\n"},
    [ASYNC_UNFENCED] =
        {unfenced, "missing proxy fence",
         " wrote it by an ordinary store, which wgmma and bulk copies need not see\n",
         "    fence.proxy.async after the stores, before the barrier\n"},
    [ASYNC_UNWAITED] = {unwaited, "a copy's place touched before the copy has come",
                        " has it copied there, and this thread does not know that it has come\n",
                        "    before the place is written again, its readers must have waited for "
                        "the copy, and have said so at an mbarrier that is waited for here\n"},
    [ASYNC_UNORDERED] = {overwritten, "overwritten while read",
                         " reads it, in another block of the cluster, and nothing orders the two\n",
                         "    do all blocks that read arrive at the mbarrier that is waited for "
                         "before the copy, and are they all counted?\n"},
    [ASYNC_NOT_WAITED] = {unwaited, "a copy's place read before the copy has come",
                          " has it copied there, and nobody has waited for that\n", ""},
};

/* Of an element by st.async or red.async. */
static const char sent[] =
    " sends it there, and this thread does not know from the mbarrier that it has come\n";

/* Where another than who asked for the read overwrites it, by a copy or a store. */
static const char by_copy[] =
    "    before the place is written again, those who asked must have waited for "
    "the read to be over, and only then have arrived at the mbarrier (or barrier) "
    "that is waited for here\n",
                  by_store[] =
                      "    who asked must wait for it (wait_group) before the barrier behind which "
                      "others write here\n";

const char report_first_wait[] =
    "    this copy's thread had nothing to wait for: its wait named the parity that is over before "
    "the first round, as it may at first\n"
    "    was the other early, behind a wait that does not name the parity of its own round?\n";

/* The same warp, or of products one of the four. */
static bool asked_itself(const struct block_state *b, uint32_t warp, const struct asked *by)
{
    uint32_t unit = by->product ? 4 : 1;

    return b->block == by->block && warp / unit == by->warp / unit;
}

void report_put_left_by(struct text *t, const struct left_by *by)
{
    text_add(t, "    ");
    report_put_site(t, by->site);
    text_add(t, ", a wait after it was asked for, leaves the last ");
    if (by->left == 1)
        text_add(t, "group under way, and that was this one");
    else
        text_addf(t, "%u groups under way, and this was one of them", by->left);
    text_add(t, ": is the place given back behind that wait, before a later one has ended it?\n");
}

static void put_coming(struct text *t, const struct coming *c)
{
    if (!c->committed) {
        text_add(t, "    its thread has committed no group (cp.async.commit_group) since then, and "
                    "a wait for groups leaves out what is in none\n");
    } else if (!c->wait) {
        text_add(t, "    it has been committed to a group, and its thread has not waited "
                    "(cp.async.wait_group) since\n"
                    "    a wait before the read, and a barrier behind that?\n");
    } else {
        text_add(t, "    ");
        report_put_site(t, c->wait);
        text_add(t, ", its thread's last wait, leaves the last ");
        if (c->left == 1)
            text_add(t, "group under way, and that was the copy's");
        else
            text_addf(t, "%u groups under way, and the copy's was one of them, with %u behind it",
                      c->left, c->since);
        text_add(t, c->idle ? "; between it and the wait before no group was committed\n"
                              "    commit one in each round, an empty one where nothing is left to "
                              "copy? Or wait for all of them there\n"
                            : "\n    leave fewer under way?\n");
    }
}

static void put_async_advice(struct text *t, const struct block_state *b, enum async_fault what,
                             const struct access *a, const struct asked *by)
{
    bool copies = a->kind == ACCESS_STORE && site_brings(a->site) && by->of;
    uint64_t at;

    if (copies && !rounds_waited(b, a->warp, &at))
        text_add(t, "    this thread has waited for no mbarrier yet\n");
    if (what == ASYNC_UNWAITED && a->kind == ACCESS_LOAD)
        rounds_put_read_early(t, b, a->warp, by->barrier, by->over);
    else if (what == ASYNC_NOT_WAITED)
        put_coming(t, by->coming);
    else if (copies &&
             (rounds_put_again(t, b, a->warp) || rounds_put_absent(t, b, a->warp, by->of->info)))
        return;
    else if (copies && what == ASYNC_OVERWRITTEN && rounds_waited_for_nothing(b, a->warp))
        text_add(t, report_first_wait);
    else if (copies && by->left_by.site)
        report_put_left_by(t, &by->left_by);
    else if (what == ASYNC_OVERWRITTEN && !asked_itself(b, a->warp, by))
        text_add(t, site_brings(a->site) ? by_copy : by_store);
    else
        text_add(t, async_faults[what].advice);
}

/* A finding that is told when its launch ends. Its advice waits for the end of its block, for then
 * it is known how many arrive at an mbarrier, and what copies brought. */
struct later {
    struct later *next; /* of its launch */
    const struct block_state *b;
    const char *kind;
    struct block_info info;
    const struct site *site, *other;
    uint32_t thread, size;
    enum access_space space;
    uint64_t addr, barrier;
    bool has_waited; /* its thread, for an mbarrier at barrier */
    bool landing;    /* it is about what copies bring */
    struct report r;
    struct text advice; /* where nothing is sure */
    uint64_t more;      /* of the pair */
};

static void complete(struct later *l, const struct block_state *b)
{
    bool sure = (l->has_waited && rounds_put_too_many(&l->r.words, b, l->barrier)) ||
                (l->landing && rounds_put_surplus(&l->r.words, b));

    if (!sure)
        text_add(&l->r.words, text_str(&l->advice));
    text_free(&l->advice);
    l->b = NULL;
}

void report_complete(const struct block_state *b)
{
    pthread_mutex_lock(&b->launch->later_lock);
    for (struct later *l = b->launch->later; l; l = l->next)
        if (l->b == b)
            complete(l, b);
    pthread_mutex_unlock(&b->launch->later_lock);
}

void report_later(struct launch_state *launch)
{
    for (struct later *l = launch->later, *next; l; l = next) {
        next = l->next;
        report_tell(l->kind, &l->info, l->site, l->thread, l->addr, &l->r,
                    report_members(l->space, l->size), other_place(l->other));
        for (uint64_t i = 0; i < l->more; i++)
            finding_report(l->kind, &l->info, l->site, l->thread, l->addr, NULL, NULL);
        free(l);
    }
    launch->later = NULL;
}

static void add_later(struct launch_state *launch, const struct later *l)
{
    struct later **end = &launch->later, *made = xcalloc(1, sizeof(*made));

    *made = *l;
    pthread_mutex_lock(&launch->later_lock);
    while (*end)
        end = &(*end)->next;
    *end = made;
    pthread_mutex_unlock(&launch->later_lock);
}

/* One more of those that wait? */
static bool counted_later(struct launch_state *launch, const char *kind, const struct site *s,
                          const struct site *other)
{
    struct later *l;

    pthread_mutex_lock(&launch->later_lock);
    for (l = launch->later; l; l = l->next)
        if (l->kind == kind && report_same_place(l->site, s) && report_same_place(l->other, other))
            break;
    if (l)
        l->more++;
    pthread_mutex_unlock(&launch->later_lock);
    return l != NULL;
}

void report_async(struct block_state *b, enum async_fault what, const struct access *a,
                  uint32_t lane, const struct asked *by)
{
    const char *kind = async_faults[what].kind;
    uint32_t thread = a->warp * 32 + lane;
    uint64_t addr = report_kept(b->info, a->space, a->addr[lane]);
    bool follows = what != ASYNC_UNFENCED && (b->follows || (by->of && by->of->follows));

    if (a->space == ACCESS_SHARED)
        report_remember(b, a->site);
    b->follows |= what != ASYNC_UNFENCED;
    if (by->of)
        by->of->follows = true;
    if (counted_later(b->launch, kind, a->site, by->site) ||
        report_counted(kind, b->info, a->site, by->site, thread, addr))
        return;
    struct later l = {.b = b,
                      .kind = kind,
                      .info = *b->info,
                      .site = a->site,
                      .other = by->site,
                      .thread = thread,
                      .size = a->size,
                      .space = a->space,
                      .addr = addr};
    l.r = report_head(async_faults[what].head, b->info, a->site, thread);
    text_addf(&l.r.words, "    %s ", a->kind == ACCESS_LOAD ? "reads" : "writes");
    report_put_place(&l.r.words, b->info, a->space, a->addr[lane]);
    text_addf(&l.r.words, "\n    ");
    report_put_site(&l.r.words, by->site);
    text_add(&l.r.words, by->site->sends ? sent : async_faults[what].says);
    l.has_waited =
        a->kind == ACCESS_STORE && site_brings(a->site) && rounds_waited(b, a->warp, &l.barrier);
    l.landing = what == ASYNC_UNWAITED || (a->kind == ACCESS_STORE && site_brings(a->site));
    if (!follows && !barrier_is_crowded(b->info))
        put_async_advice(&l.advice, b, what, a, by);
    add_later(b->launch, &l);
}

static const char no_fence[] = "missing wgmma.fence";

/* One site, and what there is to say of another (NULL: of none). */
static void report_two(const char *kind, const char *title, const struct block_info *b,
                       uint32_t warp, const struct site *s, const struct site *other,
                       const char *says)
{
    uint32_t thread = warp * 32;

    if (report_counted(kind, b, s, other, thread, 0))
        return;
    struct report r = report_head(title, b, s, thread);
    text_add(&r.words, "    ");
    if (other && (other->line || !other->file))
        report_put_site(&r.words, other);
    else if (title == no_fence)
        text_add(&r.words, "something before it");
    text_add(&r.words, says);
    report_tell(kind, b, s, thread, 0, &r, json_object(), other ? other_place(other) : NULL);
}

static struct block_info beside(const struct block_state *b, uint32_t block)
{
    struct block_info other = *b->info;

    other.index = block;
    return other;
}

void report_left(struct block_state *b, const struct asked *by)
{
    struct block_info who = beside(b, by->block);
    struct text t = {0};

    text_add(&t,
             "the block whose shared memory this uses has ended, and nobody in it has waited for "
             "that to be over: the memory goes with the block\n");
    if (by->of && !b->follows)
        rounds_put_left(&t, by->of, by->barrier, by->over);
    else if (!by->of)
        text_add(&t, "    a wait before the end (wait_group)?\n");
    report_two(left, "left under way", &who, by->warp, by->site, NULL, text_str(&t));
    text_free(&t);
}

void report_map(struct block_state *b, uint32_t warp, const struct site *s,
                const struct site *writer, bool acquired)
{
    report_two(maps, "a tensor map used without its fence", b->info, warp, s, writer,
               acquired ? " writes this map, and nothing hands it to the copies' proxy\n"
                          "    fence.proxy.tensormap::generic.release behind the write?\n"
                        : " writes this map, and copies of this block may know the one before\n"
                          "    fence.proxy.tensormap::generic.acquire of it, before the copy?\n");
}

void report_surplus(struct block_state *b, uint32_t block, uint32_t warp, const struct site *s,
                    const struct site *made, uint32_t bytes)
{
    struct block_info who = beside(b, block);
    char words[200];

    snprintf(words, sizeof(words),
             " sets up the mbarrier that counts it, and %u bytes more came there than it was told "
             "to expect: its phases are complete too soon\n"
             "    does expect_tx name the bytes of all copies?\n",
             bytes);
    report_two(unwaited, "more bytes than expected", &who, warp, s, made, words);
}

void report_early(struct block_state *b, uint32_t block, uint32_t warp, const struct site *s,
                  const struct site *made)
{
    struct block_info who = beside(b, block);

    report_two(peers, "another block's mbarrier used too early", &who, warp, s, made,
               " sets it up, and nothing orders that before\n"
               "    a barrier.cluster between, behind a fence.mbarrier_init?\n");
}

void report_unmade(struct block_state *b, uint32_t warp, const struct site *s,
                   const struct site *made)
{
    report_two(unmade, "an mbarrier used before it is set up", b->info, warp, s, made,
               " sets it up, and nothing orders that before\n"
               "    __syncthreads() between, so that all threads find it set up?\n");
}

void report_late(struct block_state *b, uint32_t block, uint32_t warp, const struct site *s,
                 const struct site *made)
{
    struct block_info who = beside(b, block);

    report_two(peers, "another block's mbarrier used too late", &who, warp, s, made,
               " has set it up, in a block that may have ended by then\n"
               "    a barrier.cluster as the last thing that all blocks do?\n");
}

void report_registers(const struct block_info *b, enum register_fault what, uint32_t warp,
                      const struct site *s, const struct site *other)
{
    report_two(registers,
               what == REGISTER_TOUCHED ? "a product's registers touched while it is under way"
                                        : no_fence,
               b, warp, s, other,
               what == REGISTER_TOUCHED
                   ? " asked for the product, and nobody has waited for it\n"
                     "    wgmma.wait_group before its sums are used, or what it reads is changed\n"
                   : " touched registers of this product, which may come before that\n"
                     "    wgmma.fence behind it, before the first product\n");
}
