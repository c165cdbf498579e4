/* report_test.c - table, records, predictions, Nsight Compute's CSV, and times, on results
 * made by hand. */
#include "base/alloc.h"
#include "base/file.h"
#include "ncu.h"
#include "report.h"
#include "verify.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct lab lab_testlab;

static struct machine machine = {.emulator = true, .device = "Some GPU, \"quoted\""};
static struct entry results[3];
static struct report report = {.lab = &lab_testlab,
                               .machine = &machine,
                               .results = results,
                               .n = 3,
                               .command = "build/bin/testlab --solution"};

static void make_report(void)
{
    static const double ms[] = {0.4, 0.2, 0.1};

    for (int i = 0; i < 3; i++) {
        struct entry *r = &results[i];

        *r = (struct entry){.variant = &lab_testlab.variants[i],
                            .input = &lab_testlab.cases[3],
                            .verdict = VERDICT_PASS,
                            .seed = 7,
                            .block = {16, 16, 1},
                            .grid = {16, 1, 1},
                            .counted = true};
        struct plan p = {.bytes = 32768, .nsteps = 1};
        p.steps[0] = (struct plan_step){.grid = {16, 1, 1}, .block = {16, 16, 1}};
        r->amounts = amounts_of(r->input, &p);
        r->time.hot = (struct spread){1, ms[i], ms[i], ms[i]};
        r->counters.global_ld_sectors = 512;
        r->counters.global_ld_requests = 128;
        memset(r->metric_given, true, sizeof(r->metric_given));
    }
    report.lab = &lab_testlab;
    report.n = 3;
    machine.emulator = true;
    report_speedups(&report);
}

/* Not inlined: gcc 12 then takes what the stream allocated for this function's own. */
__attribute__((noinline)) static char *in_memory(void (*print)(FILE *f))
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    print(f);
    fclose(f);
    return text;
}

static void print_table(FILE *f)
{
    table_print(f, &report);
}

/* Columns on a screen: bytes that do not continue a UTF-8 character. */
static int widest(const char *text)
{
    int widest = 0, width = 0;

    for (; *text; text++) {
        if (*text == '\n')
            width = 0;
        else if ((*text & 0xc0) != 0x80)
            width++;
        widest = width > widest ? width : widest;
    }
    return widest;
}

Test(table, has_speedups_and_fits, .init = make_report)
{
    char *text = in_memory(print_table);

    cr_assert_eq(results[2].step, 2.0);
    cr_assert_eq(results[2].cumulative, 4.0);
    cr_assert(strstr(text, "0.10000"), "%s", text);
    cr_assert(strstr(text, "sectors a load: global_ld_sectors / global_ld_requests"), "%s", text);
    cr_assert(strstr(text, " sectors      global\n"), "%s", text);
    cr_assert(strstr(text, "  a load      stores\n"), "%s", text);
    cr_assert_leq(widest(text), 100, "%s", text);
    cr_assert_null(strchr(text, '\033'));
    free(text);
}

/* Two sizes of three kernels, a table each; the last kernel is slower than the one above it. */
static struct lab_case two_sizes[] = {{.name = "n=2^10", .n = 1 << 10},
                                      {.name = "n=2^20", .n = 1 << 20}};
static struct lab sized;
static struct entry six[6];

static void make_sizes(void)
{
    make_report();
    machine.limits.sms = 132;
    sized = lab_testlab;
    sized.extents = "n";
    for (int i = 0; i < 6; i++) {
        six[i] = results[i % 3];
        six[i].input = &two_sizes[i / 3];
        six[i].alone = true;
        six[i].grid[0] = i == 5 ? 16384 : i == 2 ? 16 : 200;
        if (i % 3 == 2)
            six[i].time.hot.median = 0.5;
    }
    report.lab = &sized;
    report.results = six;
    report.n = 6;
}

static char *table_of_sizes(void)
{
    report_speedups(&report);
    char *text = in_memory(print_table);

    cr_assert_leq(widest(text), 100, "%s", text);
    return text;
}

static void leave_sizes(void)
{
    report.results = results;
    machine.limits.sms = 0;
}

/* A step backwards has a reason, where a larger size of the tables shows that it is the size. */
Test(table, small_sizes_say_so, .init = make_sizes, .fini = leave_sizes)
{
    char *text = table_of_sizes();
    cr_assert_null(strstr(text, "too small"), "larger, it is as slow: %s", text);
    free(text);

    six[5].time.hot.median = 0.1;
    text = table_of_sizes();
    cr_assert(strstr(text, "scale_best on n=2^10 has 16 blocks for 132 SMs\nThere"), "%s", text);
    cr_assert(strstr(text, "\nOn n=2^20 its step is 2.00.\n"), "%s", text);
    cr_assert_null(strstr(text, "a launch\n"), "%s", text);
    free(text);

    six[2].time.hot.median = 10;
    text = table_of_sizes();
    cr_assert_null(strstr(text, "too small"), "not by 12 times as few: %s", text);
    free(text);

    six[2].time.hot.median = 0.5;
    six[2].grid[0] = 200;
    text = table_of_sizes();
    cr_assert_null(strstr(text, "too small"), "it has enough: %s", text);
    free(text);

    for (int i = 1; i < 3; i++)
        snprintf(six[i].bound, sizeof(six[i].bound), "launch");
    text = table_of_sizes();
    cr_assert(strstr(text, "no part of scale_best on n=2^10 takes longer than a launch\nThere a "),
              "%s", text);
    free(text);
    six[2].alone = false;
    text = table_of_sizes();
    cr_assert_null(strstr(text, "a launch\n"), "its time may be others', too: %s", text);
    free(text);
}

/* Blocks that are as few at any size, or as few in the row above, or copied for, are no reason. */
Test(table, few_blocks_need_not_be_the_size, .init = make_sizes, .fini = leave_sizes)
{
    report.n = 3;
    char *text = table_of_sizes();
    cr_assert_null(strstr(text, "too small"), "no larger case has more: %s", text);
    free(text);

    six[2].filled_by = &two_sizes[1];
    text = table_of_sizes();
    cr_assert(strstr(text, "16 blocks for 132 SMs\n"), "%s", text);
    cr_assert(strstr(text, "\nOn n=2^20 it has a block for each SM.\n"), "%s", text);
    free(text);

    six[1].grid[0] = 16;
    text = table_of_sizes();
    cr_assert_null(strstr(text, "too small"), "so has the row above: %s", text);
    free(text);
    six[1].grid[0] = 200;
    six[2].alone = false;
    text = table_of_sizes();
    cr_assert_null(strstr(text, "too small"), "it has copies: %s", text);
    free(text);

    six[2].alone = true;
    report.n = 6;
    for (int i = 3; i < 6; i++)
        six[i].grid[0] = 16;
    six[5].filled_by = NULL;
    six[2].filled_by = NULL;
    text = table_of_sizes();
    cr_assert_null(strstr(text, "too small"), "it is the kernel's way: %s", text);
    free(text);
}

/* A sweep's table has no steps. */
Test(table, nothing_is_said_of_steps_that_are_not_shown, .init = make_sizes, .fini = leave_sizes)
{
    struct lab_case stride[] = {{.name = "stride=1", .n = 64, .param = 1},
                                {.name = "stride=2", .n = 64, .param = 2},
                                {.name = "n=64", .n = 64}};
    struct entry rows[7];

    for (int i = 0; i < 7; i++) {
        rows[i] = six[i % 3];
        rows[i].input = &stride[i / 3];
        rows[i].filled_by = &two_sizes[1];
    }
    sized.param_name = "stride";
    report.results = rows;
    report.n = 7;
    char *text = table_of_sizes();
    cr_assert(strstr(text, "\nstep: ") && !strstr(text, "too small"), "%s", text);
    free(text);
}

/* The heading's type is all its kernels'. */
Test(table, a_type_that_is_not_all_rows_is_not_told, .init = make_report)
{
    char *text = in_memory(print_table);
    cr_assert(strstr(text, "n=4096 · i32\n"), "%s", text);
    free(text);
    results[1].other_type = true;
    text = in_memory(print_table);
    cr_assert(strstr(text, "\nn=4096\n") && !strstr(text, " · "), "%s", text);
    free(text);
}

Test(table, types_are_those_of_a_plan)
{
    struct lab_case c = {.dtype = DT_F32};
    struct plan p = {.nbuffers = 3,
                     .buffers = {{.role = BUF_INPUT, .dtype = DT_U32},
                                 {.role = BUF_OUTPUT, .dtype = DT_F32},
                                 {.role = BUF_SCRATCH, .dtype = DT_F32}}};

    cr_assert_not(plan_has_other_type(&p, &c));
    p.parts[2] = 2;
    cr_assert_not(plan_has_other_type(&p, &c), "scratch");
    p.parts[1] = 2;
    cr_assert(plan_has_other_type(&p, &c), "pairs");
    p.parts[1] = 1;
    p.buffers[1].dtype = DT_F64;
    cr_assert(plan_has_other_type(&p, &c));
}

/* What is left out of a part is said, and no more. */
Test(table, a_part_says_what_is_left_out, .init = make_report)
{
    static const struct {
        bool kernels, cases;
        const char *says;
    } rows[] = {
        {true, true, "This is a part: kernels that are right, on some cases; DETAIL=1 tells all."},
        {true, false, "This is a part: kernels that are right; DETAIL=1 tells all."},
        {false, true, "This is a part: some cases; DETAIL=1 tells all."},
        {false, false, NULL},
    };

    report.brief = true;
    for (int i = 0; i < 4; i++) {
        report.kernels_left = rows[i].kernels;
        report.cases_left = rows[i].cases;
        char *text = in_memory(print_table);
        cr_assert_eq(strstr(text, "This is a part") != NULL, rows[i].says != NULL, "%s", text);
        cr_assert(!rows[i].says || strstr(text, rows[i].says), "%s", text);
        free(text);
    }
    report.brief = report.kernels_left = report.cases_left = false;
}

/* By which time and among which rows: as it is computed. */
Test(table, legend_says_which_rows_are_compared, .init = make_report)
{
    struct lab lab = lab_testlab;
    char *text = in_memory(print_table);

    cr_assert(strstr(text, "rows that have a time and move as many bytes\n"), "%s", text);
    free(text);
    lab.flops_formula = "2 n";
    report.lab = &lab;
    for (int i = 0; i < 3; i++)
        results[i].amounts.flops = 8192;
    for (int i = 0; i < 2; i++)
        results[i].time.cold = results[i].time.hot;
    text = in_memory(print_table);
    cr_assert(strstr(text, " that have a time, move as many bytes and do as many operations\n"),
              "%s", text);
    cr_assert(strstr(text, "8 n bytes, by the cold time, or the hot one where there is no cold "),
              "%s", text);
    cr_assert_leq(widest(text), 100, "%s", text);
    free(text);
}

Test(table, still_fits_with_everything_in_it, .init = make_report)
{
    static const struct lab_column four[] = {{"global", "loads", "global_ld_bytes"},
                                             {"global", "stores", "global_st_bytes"},
                                             {"", "flops", "flop_fp32"},
                                             {"shared", "loads", "shared_ld_bytes"},
                                             {0}};
    struct lab lab = lab_testlab;

    lab.columns = four;
    lab.flops_formula = "2 n^3";
    report.lab = &lab;
    for (int i = 0; i < 3; i++) {
        results[i].amounts.flops = 1e15;
        results[i].counters.global_ld_bytes = UINT64_MAX / 2;
        results[i].counters.flop_fp32 = 123456789;
        results[i].time.hot = (struct spread){21, 1234.5, 1000, 2000};
        results[i].time.cold = (struct spread){21, 1234.5, 1000, 2000};
    }
    char *text = in_memory(print_table);
    cr_assert_leq(widest(text), 100, "%s", text);
    free(text);
}

/* Of a lab that asks for them; there is none for a kernel that failed. */
Test(table, errors_have_two_columns, .init = make_report)
{
    struct lab lab = lab_testlab;

    for (int i = 0; i < 3; i++)
        results[i].error_l1 = 5.98e-8, results[i].error_max = i ? 1.526e-5 : NAN;
    char *text = in_memory(print_table);
    cr_assert_null(strstr(text, "6.0e-08"), "%s", text);
    free(text);
    lab.tells_errors = true;
    report.lab = &lab;
    text = in_memory(print_table);
    cr_assert(strstr(text, "  6.0e-08  1.5e-05") && strstr(text, "  6.0e-08        -"), "%s", text);
    cr_assert_leq(widest(text), 100, "%s", text);
    free(text);
}

/* Two cases that differ in the parameter alone are rows of one table, kernel after kernel. */
Test(table, a_sweep_is_one_table, .init = make_report)
{
    struct lab_case sweep[] = {{.name = "stride=1-n=64", .n = 64, .param = 1},
                               {.name = "stride=33-n=64", .n = 64, .param = 33},
                               {.name = "n=2^20", .n = 1 << 20}};
    struct entry rows[5];
    struct lab lab = lab_testlab;

    for (int i = 0; i < 5; i++) {
        rows[i] = results[i % 2];
        rows[i].input = &sweep[i / 2];
    }
    lab.param_name = "stride";
    report.lab = &lab;
    report.results = rows;
    report.n = 5;
    char *text = in_memory(print_table);
    report.results = results;
    char *first = strstr(text, "variant");
    cr_assert(strstr(text, "stride=1-n=64 … stride=33-n=64 · ") && strstr(text, "\nn=2^20 · "),
              "%s", text);
    char *second = strstr(first + 1, "variant");
    cr_assert(second && !strstr(second + 1, "variant"), "two tables of\n%s", text);
    cr_assert_leq(strstr(text, " 33 "), strstr(text, "scale_float"), "by kernel:\n%s", text);
    cr_assert_leq(widest(text), 100, "%s", text);
    free(text);
}

/* A ladder keeps a table a size; one kernel over many sizes is a sweep. */
Test(table, sizes_are_a_sweep_of_one_kernel, .init = make_report)
{
    struct lab_case sizes[] = {{.name = "n=2^10", .n = 1024}, {.name = "n=2^11", .n = 2048}};
    struct entry rows[4];

    for (int i = 0; i < 4; i++) {
        rows[i] = results[i % 2];
        rows[i].input = &sizes[i / 2];
    }
    report.results = rows;
    report.n = 4;
    char *text = in_memory(print_table);
    cr_assert(!strstr(text, "…") && strstr(text, "   step  total"), "%s", text);
    free(text);
    rows[1] = rows[2];
    report.n = 2;
    text = in_memory(print_table);
    report.results = results;
    cr_assert(strstr(text, "n=2^10 … n=2^11"), "%s", text);
    cr_assert(strstr(text, "  2^11 "), "%s", text);
    cr_assert_null(strstr(strstr(text, "variant"), "  total "), "nothing to compare:\n%s", text);
    free(text);
}

/* Four of ten cases, the first and the last among them. */
Test(table, a_sweep_in_brief, .init = make_report)
{
    struct lab_case sizes[10];
    struct entry rows[10];
    char *names[10];

    for (int i = 0; i < 10; i++) {
        names[i] = xformat("n=2^%d", i + 10);
        sizes[i] = (struct lab_case){.name = names[i], .n = 1024ull << i};
        rows[i] = results[0];
        rows[i].input = &sizes[i];
    }
    report.results = rows;
    report.n = 10;
    report.brief = true;
    char *text = in_memory(print_table);
    report.results = results;
    report.brief = false;
    for (int i = 0; i < 10; i++) {
        char *cell = xformat(" %s ", names[i] + 2);

        cr_assert_eq(strstr(text, cell) != NULL, i % 3 == 0, "2^%d:\n%s", i + 10, text);
        free(cell);
        free(names[i]);
    }
    free(text);
}

static char *heading_of_records_md(void)
{
    char *path = xformat("%s/common/harness/RECORDS.md", course_root());
    struct text why = {0};
    size_t size;
    char *text = file_load(path, 1 << 20, &size, &why);

    cr_assert(text, "%s", text_str(&why));
    free(path);
    return text;
}

/* Each column of the CSV, counters aside, is in RECORDS.md, and in its order. */
Test(records, have_the_columns_that_are_documented, .init = make_report)
{
    struct text why = {0};
    char path[] = "/tmp/records_test_XXXXXX", *text, *save = NULL, *heading;
    char *page = heading_of_records_md(), *at = strstr(page, "| --- |");
    size_t size;
    int columns = 0;

    close(mkstemp(path));
    cr_assert(records_csv(&report, path, &why), "%s", text_str(&why));
    text = file_load(path, 1 << 20, &size, &why);
    unlink(path);
    cr_assert(!strncmp(text, "# command: build/bin/testlab --solution\nlab,variant,", 52), "%s",
              text);
    cr_assert(strstr(text, "\"Some GPU, \"\"quoted\"\"\",emulator,modelled,pass"), "%s", text);
    heading = strchr(text, '\n') + 1;
    heading[strcspn(heading, "\n")] = '\0';
    for (char *c = strtok_r(heading, ",", &save); c; c = strtok_r(NULL, ",", &save), columns++) {
        if (counter_index(c) >= 0)
            continue;
        at = strstr(at, c);
        cr_assert(at, "column %s is not in RECORDS.md, or not in this order", c);
    }
    cr_assert_eq(columns, 40 + ncounters, "%d columns", columns);
    free(text);
    free(page);
}

Test(records, say_the_same_in_json, .init = make_report)
{
    struct text why = {0};
    char path[] = "/tmp/records_test_XXXXXX";

    results[1].counted = false;
    close(mkstemp(path));
    cr_assert(records_json(&report, path, &why), "%s", text_str(&why));
    json_t *top = json_load_file(path, 0, NULL);
    unlink(path);
    cr_assert_eq(json_array_size(json_object_get(top, "rows")), 3);
    json_t *row = json_array_get(json_object_get(top, "rows"), 0);
    cr_assert_eq(json_integer_value(json_object_get(row, "global_ld_sectors")), 512);
    cr_assert_eq(json_real_value(json_object_get(row, "hot_ms")), 0.4);
    cr_assert_str_eq(json_string_value(json_object_get(row, "block")), "16x16");
    cr_assert(json_is_null(json_object_get(row, "cold_ms")));
    row = json_array_get(json_object_get(top, "rows"), 1);
    cr_assert(json_is_null(json_object_get(row, "global_ld_sectors")));
    json_decref(top);
}

static int predict(const char *answers, char **text)
{
    struct text why = {0};
    char path[] = "/tmp/predict_test_XXXXXX";
    size_t size;
    FILE *f = open_memstream(text, &size);

    close(mkstemp(path));
    file_save(path, answers, strlen(answers), &why);
    int n = predict_print(f, &report, path);
    fclose(f);
    unlink(path);
    return n;
}

Test(predict, stands_beside_the_fact, .init = make_report)
{
    char *text;

    cr_assert_eq(predict("# mine\nsectors = 4\nwarps = ?\n", &text), 1);
    cr_assert(strstr(text, "yes"), "%s", text);
    free(text);
    cr_assert_eq(predict("sectors = 32\nwarps = 128 # 4096 / 32\n", &text), 2);
    cr_assert(strstr(text, "look again") && strstr(text, "yes"), "%s", text);
    free(text);
    cr_assert_eq(predict("warps = 1572864\n", &text), 1);
    cr_assert(strstr(text, " 1572864 "), "in full: %s", text);
    free(text);
    cr_assert_eq(predict("", &text), 0);
    free(text);
}

/* A skeleton confirms and refutes nothing. */
Test(predict, is_not_judged_on_a_kernel_that_is_wrong, .init = make_report)
{
    char *text;

    for (int i = 0; i < report.n; i++)
        results[i].wrong = true;
    cr_assert_eq(predict("sectors = 4\n", &text), 1);
    cr_assert(strstr(text, "not yet: scale is not right") && !strstr(text, "yes  "), "%s", text);
    cr_assert(!strstr(text, "look again") && !strstr(text, " was "), "%s", text);
    free(text);
}

/* N=4096 is n=4096, whatever it is called; N=4097 is another run. */
Test(predict, is_judged_on_a_size_of_ones_own, .init = make_report)
{
    struct lab_case own = *results[0].input;
    char *text;

    own.name = "n=4096 of one's own";
    for (int i = 0; i < report.n; i++)
        results[i].input = &own;
    cr_assert_eq(predict("sectors = 4\n", &text), 1);
    cr_assert(strstr(text, "yes"), "%s", text);
    free(text);
    own.n++;
    cr_assert_eq(predict("sectors = 4\n", &text), 1);
    cr_assert(strstr(text, "not part of this run"), "%s", text);
    free(text);
}

/* testlab takes 1 % of the sectors, which are 4, and 0 % of the warps, which are 128. */
Test(predict, within_the_tolerance_and_no_further, .init = make_report)
{
    static const struct {
        const char *answer;
        bool right;
    } rows[] = {
        {"sectors = 4.039", true},  {"sectors = 4.041", false}, {"sectors = 3.961", true},
        {"sectors = 3.959", false}, {"sectors = 5.9", false},   {"sectors = -4", false},
        {"warps = 128", true},      {"warps = 127", false},     {"warps = 129", false},
        {"warps = 0", false},       {"warps = 1e300", false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *text;

        cr_assert_eq(predict(rows[i].answer, &text), 1);
        cr_assert_eq(strstr(text, "yes") != NULL, rows[i].right, "%s: %s", rows[i].answer, text);
        cr_assert_eq(strstr(text, "look again") == NULL, rows[i].right, "%s", rows[i].answer);
        free(text);
    }
}

Test(predict, mistakes_are_located, .init = make_report)
{
    char *text;

    cr_assert_eq(predict("sectors = 4\nsektors = 3\n", &text), -1);
    cr_assert(strstr(text, ":2: this lab asks nothing called \"sektors\". Did you mean sectors?"),
              "%s", text);
    free(text);
    cr_assert_eq(predict("another_word = 4\n", &text), -1);
    cr_assert(strstr(text, ":1: this lab asks nothing called \"another_word\"; make run LAB="),
              "%s", text);
    cr_assert(strstr(text, " ARGS=--list names what it asks"), "%s", text);
    free(text);
    cr_assert_eq(predict("xyztuvw = 4\nxyz = 3\n", &text), -1);
    cr_assert_not(strstr(text, "Did you mean"), "%s", text);
    free(text);
    char *of_kernel = xformat("%s.1 = 4\n", lab_testlab.predictions[0].variant);
    cr_assert_eq(predict(of_kernel, &text), -1);
    cr_assert(strstr(text, "; of that kernel it asks sectors, warps\n"), "%s", text);
    free(text);
    free(of_kernel);
    cr_assert_eq(predict("SECTORS = 4\n", &text), -1);
    cr_assert(strstr(text, "nothing called \"SECTORS\". Did you mean sectors?"), "%s", text);
    free(text);
    cr_assert_eq(predict("sectors = 4\nsectors = 3\n", &text), -1);
    cr_assert(strstr(text, ":2: sectors has an answer already, 4: strike one of them out"), "%s",
              text);
    free(text);
    cr_assert_eq(predict("sectors = many\n", &text), -1);
    cr_assert(strstr(text, ":1: \"many\" is not a number"), "%s", text);
    cr_assert_not(strstr(text, "you"), "an answer that is none: %s", text);
    free(text);
}

/* ncu adds hundreds of columns nobody asked for. */
#define X10(s)     s s s s s s s s s s
#define ATTRIBUTES X10(X10("\"1\",") X10("\"1\",") X10("\"1\","))
#define NCU_HEAD                                                                                   \
    "==PROF== Connected\n\"ID\",\"Kernel Name\"," ATTRIBUTES                                       \
    "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"smsp__inst_executed.sum\","              \
    "\"sm__maximum_warps_per_active_cycle_pct\"\n"                                                 \
    "\"\",\"\"," ATTRIBUTES "\"sector\",\"inst\",\"%\"\n"
#define NCU_ROW(id, name, sectors, inst)                                                           \
    "\"" id "\",\"" name "\"," ATTRIBUTES "\"" sectors "\",\"" inst "\",\"75\"\n"

static bool merge(const char *csv, struct text *why)
{
    char path[] = "/tmp/ncu_test_XXXXXX";

    close(mkstemp(path));
    file_save(path, csv, strlen(csv), why);
    bool ok = ncu_merge(&report, path, why);
    unlink(path);
    return ok;
}

Test(ncu, counts_go_to_their_launches, .init = make_report)
{
    struct text why = {0};
    char err[200] = "";

    for (int i = 0; i < 3; i++) {
        results[i].counted = false;
        results[i].counters = (struct counters){0};
        memset(results[i].metric_given, false, sizeof(results[i].metric_given));
    }
    results[0].amounts.launches = 2;
    results[1].verdict = VERDICT_FAIL;
    cr_assert(merge(NCU_HEAD NCU_ROW("0", "a(int, int)", "1,000", "7") NCU_ROW("1", "b", "24", "1")
                        NCU_ROW("2", "c", "5", "9"),
                    &why),
              "%s", text_str(&why));
    cr_assert_eq(results[0].counters.global_ld_sectors, 1024);
    cr_assert_eq(results[0].counters.inst_executed, 8);
    cr_assert_eq(results[0].occupancy, 0.75);
    cr_assert_eq(results[2].counters.global_ld_sectors, 5);
    cr_assert_not(results[1].counted);
    cr_assert(isnan(entry_value(&results[0], "shuffles", err, sizeof(err))));
    cr_assert_eq(entry_value(&results[0], "global_ld_sectors / 2", err, sizeof(err)), 512.0);
}

Test(ncu, a_librarys_kernels_are_left_out, .init = make_report)
{
    struct text why = {0};

    for (int i = 0; i < 3; i++) {
        results[i].counters = (struct counters){0};
        results[i].verdict = VERDICT_PASS;
        results[i].amounts.launches = i < 2;
    }
    const struct lab_variant *v = &report.lab->variants[0];
    char *rows = xformat("%s\"0\",\"void vector_fft<8>(x)\"," ATTRIBUTES "\"9\",\"9\",\"50\"\n"
                         "\"1\",\"%s(int)\"," ATTRIBUTES "\"3\",\"4\",\"50\"\n"
                         "\"2\",\"%s\"," ATTRIBUTES "\"5\",\"6\",\"50\"\n",
                         NCU_HEAD, v->name, v->name);
    cr_assert(merge(rows, &why), "%s", text_str(&why));
    cr_assert_eq(results[0].counters.global_ld_sectors, 3);
    cr_assert_eq(results[1].counters.global_ld_sectors, 5);
    free(rows);
}

Test(ncu, another_runs_file_is_refused, .init = make_report)
{
    struct text why = {0};

    cr_assert_not(merge(NCU_HEAD NCU_ROW("0", "a", "1", "1"), &why));
    cr_assert(strstr(why.s, "1 launches; this run has 3"), "%s", why.s);
    cr_assert_not(results[0].counted);
    text_free(&why);
}

Test(time, quantiles)
{
    double samples[] = {5, 1, 3, 2, 4};
    struct spread s = spread_of(samples, 5);

    cr_assert_eq(s.median, 3.0);
    cr_assert_eq(s.lo, 2.0);
    cr_assert_eq(s.hi, 4.0);
}

/* Tables of the sign test: of 20 the 6th and the 15th, of 50 the 18th and the 33rd (95 to 96 %). */
Test(time, interval_of_the_median)
{
    double samples[50];

    for (int i = 0; i < 50; i++)
        samples[i] = 50 - i;
    struct spread all = interval_of(samples, 50), some = interval_of(samples, 20);

    cr_assert_eq(all.median, 25.5);
    cr_assert_eq(all.lo, 18);
    cr_assert_eq(all.hi, 33);
    cr_assert_eq(some.lo, 6);
    cr_assert_eq(some.hi, 15);
    cr_assert_eq(interval_of(samples, 1).hi, 1);
}

Test(time, what_no_machine_can_do_is_refused)
{
    struct machine h200 = {
        .l2_bytes = 60u << 20, .peak_gbps = 4814, .peak_l1_gbps = 33454, .peak_flops = 1.07e15};
    struct plan p = {.bytes = 4294967296.0};
    struct timing t = {.hot = {21, 0.95, 0.95, 0.96}, .cold = {21, 0.95, 0.95, 0.96}};

    cr_assert_null(time_impossible(&h200, &p, &t)); /* 4521 GB/s */
    t.cold.lo = 0.85;                               /* 5053 GB/s from DRAM */
    cr_assert_not_null(time_impossible(&h200, &p, &t));
    t.cold.lo = 0.95;
    t.hot.lo = 0.5;
    cr_assert_not_null(time_impossible(&h200, &p, &t));
    p.on_chip = true; /* 8590 GB/s of shared memory's 33454 */
    cr_assert_null(time_impossible(&h200, &p, &t));
    t.hot.lo = 0.1; /* 42950 */
    cr_assert_not_null(time_impossible(&h200, &p, &t));
    p.on_chip = false;
    t = (struct timing){.hot = {21, 0.5, 0.5, 0.5}};
    cr_assert_not_null(time_impossible(&h200, &p, &t));
    p.ranks = 2; /* have 9628 GB/s between them */
    cr_assert_null(time_impossible(&h200, &p, &t));
    t = (struct timing){.hot = {21, 0, 0, 0}};
    cr_assert_not_null(time_impossible(&h200, &p, &t));
    p = (struct plan){.bytes = 1e6, .flops = 1e12};
    t = (struct timing){.hot = {21, 0.5, 0.5, 0.5}};
    cr_assert_not_null(time_impossible(&h200, &p, &t));
}
