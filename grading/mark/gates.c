/* gates.c - rows that are conditions on what was counted: what names mean, what is said of them.
 *
 * The condition's language is common/lab/gate.h's. A counter is the run's; worst() asks for the
 * counters by instruction (session_instructions()).
 */
#include "marking.h"
#include "base/alloc.h"
#include "base/digest.h"
#include "base/text.h"
#include "lab/amounts.h"
#include "lab/counter.h"
#include "lab/gate.h"
#include "picture.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* Counters by instruction: of the submission [0], of the reference [1]. */
struct instructions {
    bool asked;
    long n; /* -1: not known */
    struct counters *counters;
    int64_t *lines;
};

struct gate_user {
    struct marking *m;
    struct run *run;
    struct instructions instructions[2];
};

static bool gate_name(void *user, const char *name, double *value)
{
    struct gate_user *u = user;
    struct amounts amounts = amounts_of(&u->run->c, u->run->plan);
    if (amount_named(&amounts, name, value))
        return true;
    if (!strcmp(name, "overlap")) {
        *value = outputs_overlap(&u->run->outputs, u->run->plan);
        return true;
    }
    if (!strcmp(name, "beside")) {
        *value = outputs_beside(&u->run->outputs, u->run->plan);
        return true;
    }
    if (!strcmp(name, "skew") || !strcmp(name, "skew_loaded")) {
        *value = outputs_skew(&u->run->outputs, u->run->plan, !strcmp(name, "skew_loaded"));
        return true;
    }
    if (program_fact(&u->run->outputs, name, value))
        return true;
    if (!strncmp(name, "ref.", 4)) {
        const struct run *ref = marking_reference(u->m, u->run);
        return ref->result.end == RUN_OK && run_counter(ref, name + 4, value);
    }
    return run_counter(u->run, name, value);
}

static void read_instructions(struct instructions *x, const char *json)
{
    json_error_t bad;
    json_t *list = json ? json_loads(json, 0, &bad) : NULL, *o;
    size_t i;
    x->n = json_is_array(list) ? (long)json_array_size(list) : -1;
    x->counters = xcalloc(x->n > 0 ? (size_t)x->n : 1, sizeof(*x->counters));
    x->lines = xcalloc(x->n > 0 ? (size_t)x->n : 1, sizeof(*x->lines));
    json_array_foreach(list, i, o)
    {
        x->lines[i] = json_integer_value(json_object_get(o, "line"));
        for (int k = 0; k < ncounters; k++) {
            json_int_t v = json_integer_value(json_object_get(o, counter_infos[k].name));
            counter_set(&x->counters[i], k, (uint64_t)v);
        }
    }
    json_decref(list);
}

static struct instructions *instructions_of(struct gate_user *u, bool ref)
{
    struct instructions *x = &u->instructions[ref];
    if (x->asked)
        return x;
    struct session *s = ref ? engine_reference(u->m->e) : u->m->s;
    struct run *r = ref ? marking_reference(u->m, u->run) : u->run;
    x->asked = true;
    read_instructions(x, session_instructions(s, r));
    return x;
}

static long gate_instructions(void *user, bool ref)
{
    return instructions_of(user, ref)->n;
}

static bool gate_of_instruction(void *user, bool ref, long i, const char *name, double *value)
{
    struct gate_user *u = user;
    const struct instructions *x = instructions_of(u, ref);
    int k = counter_index(name);
    if (k >= 0)
        *value = i < x->n ? (double)counter_get(&x->counters[i], k) : NAN;
    return k >= 0;
}

static bool gate_influence(void *user, bool ref, const char *what, double *value)
{
    struct gate_user *u = user;
    int class = disturb_index(what);
    if (class < 0)
        return false;
    struct session *s = ref ? engine_reference(u->m->e) : u->m->s;
    struct run *r = ref ? marking_reference(u->m, u->run) : u->run;
    *value = session_influence(s, r, class)->share;
    return true;
}

static struct gate_world world_of(struct gate_user *u)
{
    return (struct gate_world){.lookup = gate_name,
                               .instructions = gate_instructions,
                               .of_instruction = gate_of_instruction,
                               .influence = gate_influence,
                               .user = u};
}

static struct gate_result evaluate(struct gate_user *u, bool influence)
{
    struct gate_world world = world_of(u);
    world.without_influence = !influence;
    return gate_eval(u->m->row->gate, &world);
}

static void gate_user_free(struct gate_user *u)
{
    for (int k = 0; k < 2; k++) {
        free(u->instructions[k].counters);
        free(u->instructions[k].lines);
    }
}

/* A case too small to say anything. */
static bool is_little(const struct run *r)
{
    struct amounts a = amounts_of(&r->c, r->plan);
    return a.bytes < 8192 && a.flops < 65536;
}

/* A number that something is, or is at most, 0 among them. */
static bool is_exact(const struct gate_result *r)
{
    char *rest;
    double v = strtod(r->right_text, &rest);
    return !*rest && (!strcmp(r->op, "==") || (!strcmp(r->op, "<=") && v == 0));
}

/* How much wider a row's limits are where only results are compared. */
static double eased_times(const struct rubric_row *row)
{
    return row->elsewhere > 0 ? row->elsewhere : row->larger > 0 ? row->larger : 2;
}
/* Of totals alone, on a case where the reference keeps to the limit, more or less. Tiles of other
 * shapes than its own are right, and other parts of them are used where a matrix ends: so limits
 * are wide. Of what is not to be at all there is none, however little there is to do. */
static bool near_reference(void *user, const struct gate_result *r)
{
    struct gate_user *u = user, theirs = {.m = u->m, .run = marking_reference(u->m, u->run)};
    if (strpbrk(r->left_text, "/,") || theirs.run->result.end != RUN_OK)
        return true;
    struct gate_world world = world_of(&theirs);
    double left = gate_value(r->left_text, &world, NULL), times = eased_times(u->m->row);
    if (is_exact(r))
        return strcmp(r->op, "<=") ? left != r->right : left > r->right;
    if (is_little(u->run))
        return true;
    if (r->op[0] == '>')
        return left < r->right / 5 || r->left >= fmin(r->right, left) / times;
    return left > r->right * 5 || r->left <= fmax(r->right, left) * times;
}

/* Its condition is one on times. */
bool gate_on_times(const char *gate)
{
    static const char *const names[] = {"overlap", "beside", "modelled", "printed.", "rate."};
    for (size_t i = 0; gate && i < sizeof(names) / sizeof(names[0]); i++)
        if (strstr(gate, names[i]))
            return true;
    return false;
}

/* ---- words ---- */

/* 1,310,720; fractions with six digits. */
static void put_number(struct text *t, double v)
{
    char digits[40];
    if (v != floor(v) || fabs(v) >= 1e15) {
        text_addf(t, "%.6g", v);
        return;
    }
    int n = snprintf(digits, sizeof(digits), "%.0f", fabs(v));
    text_add(t, v < 0 ? "-" : "");
    for (int i = 0; i < n; i++) {
        text_add(t, i && (n - i) % 3 == 0 ? "," : "");
        text_bytes(t, &digits[i], 1);
    }
}

/* Counters as people speak of them; another expression is shown as it is written. */
static const char *words_of(const char *expression)
{
    static const struct {
        const char *name, *words;
    } rows[] = {
        {"inst_executed", "warp instructions"},
        {"inst_executed_max_warp", "instructions of the busiest warp"},
        {"inst_executed_max_warp * warps", "instructions, were all warps as busy as the busiest"},
        {"thread_inst_executed_pred_on", "instructions of all threads"},
        {"inst_lanes_1", "warp instructions with a single lane at work"},
        {"global_sectors", "sectors of global memory in all"},
        {"global_ld_sectors", "sectors loaded from global memory"},
        {"global_lane_steps", "bytes from lane to lane"},
        {"global_st_sectors", "sectors stored to global memory"},
        {"global_atom_sectors", "sectors of global memory by atomics"},
        {"local_ld_sectors + local_st_sectors", "sectors of local memory"},
        {"shared_ld_bytes", "bytes loaded from shared memory"},
        {"shared_st_bytes", "bytes stored to shared memory"},
        {"shared_ld_bank_conflicts + shared_st_bank_conflicts", "bank conflicts"},
        {"shared_ld_bank_conflicts", "bank conflicts of loads from shared memory"},
        {"shared_st_bank_conflicts", "bank conflicts of stores to shared memory"},
        {"shared_ld_lanes_1", "loads from shared memory by a single lane"},
        {"shared_ld_lanes_32", "loads from shared memory by full warps"},
        {"async_bytes", "bytes copied asynchronously"},
        {"const_ld_sectors", "sectors of constant memory"},
        {"barriers", "arrivals of warps at barriers"},
        {"shuffles", "shuffles"},
        {"divergent_branches", "branches that part a warp"},
        {"branches_back", "turns of loops beyond the first"},
        {"tensor_flop", "operations of the tensor cores"},
        {"thread_inst_fp64", "instructions on doubles"},
        {"clock_reads", "reads of a clock, or of where a warp runs"},
        {"global_ld_lanes", "lanes that load from global memory"},
        {"beside", "of the kernels' time in which something is copied"},
        {"record.launches", "launches"},
        {"record.left", "allocations that nobody freed"},
        {"record.memcpyHtoD", "bytes copied to the device"},
        {"record.memcpyDtoH", "bytes copied to the host"},
        {"printed.kernel", "ms, the kernel's time as printed"},
        {"global_st_bytes", "bytes stored to global memory"},
        {"flop_fp32", "floating-point operations"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!strcmp(rows[i].name, expression))
            return rows[i].words;
    return NULL;
}

static bool is_name(const char *s, const char *end)
{
    while (s < end && (isalnum((unsigned char)*s) || strchr("_.", *s)))
        s++;
    return s == end;
}

/* "ref.X", "F * ref.X" or "ref.X * F": F times what the reference counts. */
static bool times_reference(const char *text, double *factor)
{
    const char *end = text + strlen(text), *star = strstr(text, " * ");
    char *rest;
    *factor = 1;
    if (!star)
        return !strncmp(text, "ref.", 4) && is_name(text, end);
    if (!strncmp(text, "ref.", 4)) {
        *factor = strtod(star + 3, &rest);
        return is_name(text, star) && rest == end;
    }
    *factor = strtod(text, &rest);
    return rest == star && !strncmp(star + 3, "ref.", 4) && is_name(star + 3, end);
}

/* Of a hidden case no number is said. */
static void put_limit(struct text *t, const struct gate_result *g, bool hidden)
{
    double factor;
    char *rest;
    bool times = times_reference(g->right_text, &factor) && factor > 0;
    if (times && hidden) {
        text_addf(t, ", expected %s %.6g times what the reference needs", gate_op_words(g->op),
                  factor);
        return;
    }
    if (times) {
        text_add(t, ", the reference needs ");
        put_number(t, g->right / factor);
        text_addf(t, ": %s %.6g times that", gate_op_words(g->op), factor);
        return;
    }
    strtod(g->right_text, &rest);
    text_addf(t, ", expected %s ", gate_op_words(g->op));
    if (hidden || !*rest)
        text_add(t, g->right_text);
    else
        put_number(t, g->right);
    if (*rest && !hidden)
        text_addf(t, " (%s)", g->right_text);
}

/* What is in worst(…), allocated; NULL when the expression is more than that, or less. */
static char *inside_worst(const char *expression)
{
    size_t n = strlen(expression), start = strlen("worst(");
    if (strncmp(expression, "worst(", start) || strchr(expression, ')') != expression + n - 1)
        return NULL;
    return xformat("%.*s", (int)(n - start - 1), expression + start);
}

/* What was counted and what is asked, without its end; in the row's words where nobody could read
 * it. */
static void put_evidence(struct text *t, const struct rubric_row *row, const struct gate_result *g,
                         bool hidden)
{
    if (row->asks && strlen(g->left_text) > GATE_READABLE) {
        text_addf(t, "It %s what the row asks for: %s", g->ok ? "has" : "lacks", row->asks);
        return;
    }
    char *inside = inside_worst(g->left_text);
    const char *expression = inside ? inside : g->left_text, *words = words_of(expression);
    text_add(t, hidden ? "Not as asked:" : "Counted ");
    if (!hidden)
        put_number(t, g->left);
    text_addf(t, "%s%s%s", words || hidden ? " " : " for ", words ? words : expression,
              inside ? " at the worst instruction" : "");
    put_limit(t, g, hidden);
    free(inside);
}

/* "influence(CLASS)": which; -1 for another expression. */
static int influence_of(const char *expression)
{
    size_t n = strlen(expression), start = strlen("influence(");
    if (n < start + 1 || strncmp(expression, "influence(", start) || expression[n - 1] != ')')
        return -1;
    char *class = xformat("%.*s", (int)(n - start - 1), expression + start);
    int i = disturb_index(class);
    free(class);
    return i;
}

/* Of a hidden case no share, which a kernel can make of what it sees. */
static void put_influence(struct text *t, const struct gate_result *g, int class,
                          const struct influence *x, bool hidden)
{
    text_addf(t, "With %s disturbed, ", disturb_infos[class].text);
    if (isnan(x->share)) {
        text_add(t, "the kernel does not come to its end, so it is not known whether results "
                    "depend on it: load no indices and no loop's bounds this way");
        if (!hidden)
            text_addf(t, ". It ended so: %s", x->why);
        return;
    }
    if (hidden) {
        text_addf(t, "%s",
                  g->ok             ? "as many results change as are asked for"
                  : g->op[0] == '>' ? "too few results change: they are not made from it"
                                    : "more results change than are asked for");
        return;
    }
    text_addf(t, "%.3g %% of the results change, expected %s %.3g %%", 100 * x->share,
              gate_op_words(g->op), 100 * g->right);
    if (!g->ok && g->op[0] == '>')
        text_add(t, ": they are not made from it");
}

/* ---- the row ---- */

/* The line of the submission where `counter` counts most: warplabLines' JSON, an array of
 * objects with "line" and one member a counter. 0: not known. */
static int64_t heaviest_line(const char *lines, const char *counter)
{
    json_error_t bad;
    json_t *list = lines ? json_loads(lines, 0, &bad) : NULL, *x;
    int64_t line = 0;
    double most = 0;
    size_t i;
    json_array_foreach(list, i, x)
    {
        double v = json_number_value(json_object_get(x, counter));
        if (v > most) {
            most = v;
            line = json_integer_value(json_object_get(x, "line"));
        }
    }
    json_decref(list);
    return line;
}

/* Of the worst instruction, or where most is counted. */
static int64_t line_of(struct gate_user *u, const struct gate_result *g, const char *counter)
{
    const char *lines = session_lines(u->m->s, u->run);
    const struct instructions *x = &u->instructions[0];
    return g->worst >= 0 && g->worst < x->n ? x->lines[g->worst] : heaviest_line(lines, counter);
}

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}
/* Of a program: a line that it did not print, or a record that the runtime could not write. Of
 * others: nothing to divide by. */
static bool put_missing(struct text *t, const struct gate_result *g, const struct run *r)
{
    double there;
    bool recorded = begins(g->first_name, "record.") || begins(g->first_name, "calls.");
    if (!isnan(g->left) || influence_of(g->left_text) >= 0)
        return false;
    if (begins(g->first_name, "printed."))
        text_addf(t, "It printed no line \"%s … ms\"", g->first_name + 8);
    else if (begins(g->first_name, "rate."))
        text_addf(t, "It printed no line \"%s … ms … GB/s\"", g->first_name + 5);
    else if (recorded && !record_value(&r->outputs, "left", &there))
        text_add(t, "The runtime has no record of it: it made no call, or ended past the runtime");
    else if (!recorded)
        text_addf(t, "Nothing was counted of which %s could be said", g->left_text);
    return t->length;
}

/* Influence is said of hidden cases, too: it gives no value away. */
static void put_reason(struct text *t, struct gate_user *u, const struct gate_result *g,
                       const struct marked_case *c)
{
    int class = influence_of(g->left_text);
    if (put_missing(t, g, u->run))
        return;
    if (class >= 0 && u->run->influence[class].asked)
        put_influence(t, g, class, &u->run->influence[class], c->kind != NULL);
    else
        put_evidence(t, u->m->row, g, c->kind);
}

/* eased: so many times what the condition says, or the reference has there, would do; 0: it would
 * not. */
static void fail_gate(struct gate_user *u, const struct gate_result *g, const struct marked_case *c,
                      double eased)
{
    struct marking *m = u->m;
    const char *counter = m->row->line_of ? m->row->line_of : g->first_name;
    int64_t line = c->pooled ? 0 : line_of(u, g, counter);
    char *place = marking_place(c);
    struct text t = {0};
    put_reason(&t, u, g, c);
    text_addf(&t, " (%s", place);
    if (eased > 0 && !is_exact(g))
        text_addf(&t,
                  g->op[0] == '>' ? ", where 1/%g of that or of the reference's would do"
                                  : ", where %g times that or the reference's would do",
                  eased);
    if (line)
        text_addf(&t, ", %s line %lld", g->worst >= 0 ? "on" : "most of it on", (long long)line);
    text_add(&t, ").");
    marking_settle(m, STATUS_FAIL, text_str(&t), c->c.name);
    m->out.line = line;
    if (!c->kind)
        m->out.picture = picture_of(u->run->trace, counter, line, m->s->source);
    free(place);
    text_free(&t);
}

static void pass_gate(struct gate_user *u, const struct gate_result *g, const struct marked_case *c)
{
    struct text t = {0};
    put_reason(&t, u, g, c);
    text_add(&t, ".");
    marking_settle(u->m, STATUS_PASS, text_str(&t), NULL);
    text_free(&t);
}

/* Of a hidden case that it holds on, nothing is said. */
bool mark_gate_on(struct marking *m, const struct marked_case *c, bool influence)
{
    struct gate_user u = {.m = m, .run = marking_run(m, c, 0, false)};
    if (marking_blocked(m, u.run, c))
        return false;
    struct gate_result g = evaluate(&u, influence);
    bool ok = g.ok;
    if (!c->kind) {
        m->out.counted = isfinite(g.left) ? g.left : -1;
        m->out.limit = isfinite(g.right) ? g.right : -1;
    }
    if (g.error)
        marking_settle(m, STATUS_ERROR, g.error, c->c.name);
    else if (!ok)
        fail_gate(&u, &g, c, 0);
    else if (!c->kind)
        pass_gate(&u, &g, c);
    gate_free(&g);
    gate_user_free(&u);
    return ok;
}

/* Who does the work as asked only where the gate looks is seen where results are compared: most
 * runs are there anyhow, and the reference is run only where something looks wrong. */
bool mark_gate_elsewhere(struct marking *m, const struct marked_case *c)
{
    struct gate_user u = {.m = m, .run = marking_run(m, c, 0, false)};
    if (u.run->result.end != RUN_OK)
        return true; /* rows of results tell the first */
    struct gate_world world = world_of(&u);
    world.without_influence = world.without_worst = true;
    world.eased = near_reference;
    struct gate_result g = gate_eval(m->row->gate, &world);
    bool ok = g.ok;
    if (g.error)
        marking_settle(m, STATUS_ERROR, g.error, c->c.name);
    else if (!ok)
        fail_gate(&u, &g, c, eased_times(m->row));
    gate_free(&g);
    gate_user_free(&u);
    return ok;
}

/* Each influence takes a run: of a row's hidden cases it is asked for on one alone, which follows
 * from secret and submission as the cases do, unless the row says otherwise. -1: on all. */
static int case_of_influence(const struct marking *m, const struct marked_case *cases, int n)
{
    if (!cases->kind || m->row->influence_on_each)
        return -1;
    char *label = xformat("%s/%s/%s/influence", m->e->lab->name, m->row->id, m->draw.submission);
    int i = (int)(secret_draw(m->draw.secret, label) % (uint64_t)n);
    free(label);
    return i;
}

void mark_gate(struct marking *m, struct marked_case *cases, int n)
{
    int one = case_of_influence(m, cases, n);
    for (int i = 0; i < n; i++)
        if (!mark_gate_on(m, &cases[i], one < 0 || i == one))
            return;
    if (!m->settled)
        marking_settle(m, STATUS_PASS, "It holds on the hidden cases.", NULL);
}
