/* profile.c - the log of --profile: a row a launch, copy or fill; rows by source line.
 *
 * The file's name ends in .json (a list of objects) or is taken for CSV. A row is written
 * when its work is done, so that a program that crashes leaves what came before. Columns,
 * after those of the old CUDA profiler's log (method, gputime, cputime, occupancy):
 *
 *   kind       kernel, library, memcpyHtoD, memcpyDtoH, memcpyDtoD, memcpyPtoP, memcpyHtoH,
 *              memset, line
 *   method     the kernel; of a library its function; for a line FILE:LINE
 *   gputime    us, modelled (column evidence says so); cputime: us that the emulator took
 *   occupancy  theoretical, 0..1; limiter: what limits it; bound: what bounds the time
 *   stream, device, grid_*, block_*, static_shared, dynamic_shared, registers
 *   registers_from   machine code, or an estimate from PTX
 *   bytes      of a copy or fill; that a library's function read and wrote
 *   then the counters of counters.h. Empty (absent in JSON): does not apply.
 *   l2_sectors, dram_sectors, l1_passes, shared_skipped, shared_joined, l2_repeated, life_l2,
 *              life_dram, const_visits, const_bytes, atom_chain, cluster_sectors: what a sample
 *              showed (exec/launch.h, struct sampled), which the modelled time rests on beside
 *              counters
 *   parent     the kernel that launched it; the host's launches have none
 *   function   the kernel as it was written; method is its name in the object code, which
 *              tells overloads and template instances apart and never changes
 *
 * Line rows come at the end, before counts are reset and before a module is unloaded:
 * rows of one line add up.
 */
#include "profile.h"
#include "base/alloc.h"
#include "base/csv.h"
#include "count.h"
#include "emulator/base/json.h"
#include "emulator/base/names.h"
#include "emulator/base/options.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[] = {
    "kind",
    "method",
    "gputime",
    "cputime",
    "evidence",
    "occupancy",
    "limiter",
    "bound",
    "stream",
    "device",
    "grid_x",
    "grid_y",
    "grid_z",
    "block_x",
    "block_y",
    "block_z",
    "static_shared",
    "dynamic_shared",
    "registers",
    "registers_from",
    "bytes",
#define X(id, metric, unit, text) #id,
    COUNTERS(X)
#undef X
        "l2_sectors",
    "dram_sectors",
    "l1_passes",
    "shared_skipped",
    "shared_joined",
    "l2_repeated",
    "life_l2",
    "life_dram",
    "const_visits",
    "const_bytes",
    "atom_chain",
    "cluster_sectors",
    "parent",
    "function",
};
#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static bool json, any_row;

static bool open_file(void)
{
    static bool tried;
    const char *path = emu_options()->profile;
    size_t n = path ? strlen(path) : 0;

    if (tried || !path)
        return file != NULL;
    tried = true;
    file = fopen(path, "we");
    if (!file) {
        fprintf(stderr, "warplab: cannot write profile %s\n", path);
        return false;
    }
    json = n > 5 && strcmp(path + n - 5, ".json") == 0;
    for (size_t i = 0; !json && i < NCOLUMNS; i++)
        fprintf(file, "%s%s", i ? "," : "", columns[i]);
    fputs(json ? "[" : "\n", file);
    return true;
}

static void put_csv(struct text *t, const json_t *value)
{
    char number[40] = "";

    if (json_is_integer(value))
        snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(number, sizeof(number), "%.6g", json_real_value(value));
    csv_put(t, json_is_string(value) ? json_string_value(value) : number);
}

static void write_csv(const json_t *row)
{
    struct text t = {0};

    for (size_t i = 0; i < NCOLUMNS; i++)
        put_csv(&t, json_object_get(row, columns[i]));
    csv_end(&t);
    fputs(text_str(&t), file);
    text_free(&t);
}

static void write_row(json_t *row)
{
    pthread_mutex_lock(&lock);
    if (open_file()) {
        if (json) {
            fputs(any_row ? ",\n" : "\n", file);
            json_dumpf(row, file, JSON_COMPACT | JSON_REAL_PRECISION(6));
        } else {
            write_csv(row);
        }
        any_row = true;
        fflush(file);
    }
    pthread_mutex_unlock(&lock);
    json_decref(row);
}

static void put_counters(json_t *row, const struct counters *c)
{
#define X(id, metric, unit, text) json_object_set_new(row, #id, json_integer((json_int_t)c->id));
    COUNTERS(X)
#undef X
}

static void put_sampled(json_t *row, const struct sampled *s)
{
    json_t *x = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:I, s:I, s:I, s:I}", "l2_sectors",
        (json_int_t)s->l2_sectors, "dram_sectors", (json_int_t)s->dram_sectors, "l1_passes",
        (json_int_t)s->l1_passes, "shared_skipped", (json_int_t)s->shared_skipped, "shared_joined",
        (json_int_t)s->shared_joined, "l2_repeated", (json_int_t)s->l2_repeated, "life_l2",
        s->life_l2, "life_dram", s->life_dram, "const_visits", (json_int_t)s->const_visits,
        "const_bytes", (json_int_t)s->const_bytes, "atom_chain", (json_int_t)s->atom_chain,
        "cluster_sectors", (json_int_t)s->cluster_sectors);
    json_object_update(row, x);
    json_decref(x);
}

void profile_launch(const struct emu_launch *l, const struct emu_func_info *f,
                    const struct emu_result *r, double host_us)
{
    if (!emu_options()->profile)
        return;
    json_t *row = json_pack(
        "{s:s, s:s, s:f, s:f, s:s, s:f, s:s, s:s, s:I, s:i}", "kind", "kernel", "method", f->name,
        "gputime", r->modelled_ms * 1e3, "cputime", host_us, "evidence", "modelled", "occupancy",
        r->occupancy, "limiter", r->occupancy_limiter ? r->occupancy_limiter : "", "bound",
        r->bound ? r->bound : "", "stream", (json_int_t)l->stream, "device", (int)l->device);
    for (int d = 0; d < 3; d++) {
        char name[16];

        snprintf(name, sizeof(name), "grid_%c", "xyz"[d]);
        json_object_set_new(row, name, json_integer(l->grid[d]));
        snprintf(name, sizeof(name), "block_%c", "xyz"[d]);
        json_object_set_new(row, name, json_integer(l->block[d]));
    }
    json_object_set_new(row, "static_shared", json_integer(f->shared_bytes));
    json_object_set_new(row, "dynamic_shared", json_integer(l->shared_bytes));
    json_object_set_new(row, "registers", json_integer(f->registers));
    json_object_set_new(row, "registers_from",
                        json_string(f->registers_estimated ? "estimate" : "machine code"));
    put_counters(row, &r->counters);
    put_sampled(row, &r->sampled);
    if (l->origin)
        json_object_set_new(row, "parent", json_string(emu_func_info(l->origin->parent)->name));
    json_object_set_new(row, "function", json_string(shown_name(f->name)));
    write_row(row);
}

void profile_step(const char *name, uint64_t bytes, uint64_t stream, unsigned device, double ms,
                  double host_us)
{
    if (!emu_options()->profile)
        return;
    write_row(json_pack("{s:s, s:s, s:f, s:f, s:s, s:I, s:i, s:I}", "kind", "library", "method",
                        name, "gputime", ms * 1e3, "cputime", host_us, "evidence", "modelled",
                        "stream", (json_int_t)stream, "device", (int)device, "bytes",
                        (json_int_t)bytes));
}

void profile_copy(const char *what, uint64_t bytes, uint64_t stream, unsigned device, double ms,
                  double host_us)
{
    if (!emu_options()->profile)
        return;
    write_row(json_pack("{s:s, s:s, s:f, s:f, s:s, s:I, s:i, s:I}", "kind", what, "method",
                        strncmp(what, "memcpy", 6) == 0 ? "memcpy" : what, "gputime", ms * 1e3,
                        "cputime", host_us, "evidence", "modelled", "stream", (json_int_t)stream,
                        "device", (int)device, "bytes", (json_int_t)bytes));
}

void profile_lines(const struct emu_module *m)
{
    json_t *line;
    size_t i;

    if (!emu_options()->profile)
        return;
    char *text = count_module_lines_json(m);
    json_t *lines = json_loads(text, 0, NULL);
    free(text);
    json_array_foreach(lines, i, line)
    {
        const char *name = json_string_value(json_object_get(line, "file"));

        if (!name || !*name) /* compiled without -lineinfo */
            continue;
        char *where =
            xformat("%s:%lld", name, (long long)json_integer_value(json_object_get(line, "line")));
        json_object_set_new(line, "kind", json_string("line"));
        json_object_set_new(line, "method", json_words(where));
        free(where);
        write_row(json_incref(line));
    }
    json_decref(lines);
}

void profile_finish(void)
{
    profile_lines(NULL);
    pthread_mutex_lock(&lock);
    if (file) {
        if (json)
            fputs("\n]\n", file);
        fclose(file);
        file = NULL;
    }
    pthread_mutex_unlock(&lock);
}
