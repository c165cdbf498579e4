/* html_test.c - a student's source on the page, with what was found of its lines; the class's. */
#include "html.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct mark mark = {.student = (char *)"s1",
                           .person = (char *)"Adams, Alex",
                           .alias = (char *)"a1",
                           .original = (char *)"f.cu",
                           .lab = (char *)"l",
                           .rule = (char *)"as marked",
                           .verdict = (char *)"",
                           .max = 20};

static void add_row(struct verdict *v, enum row_status status, int64_t line)
{
    struct verdict_row row = verdict_row_new();
    verdict_put(&row.id, "tile");
    verdict_put(&row.title, "The tile");
    verdict_put(&row.why, "writes <tile> twice");
    row.status = status;
    row.line = line;
    verdict_add_row(v, row);
}

static char *page_of(const struct verdict *v, const char *source)
{
    struct text page = {0};
    html_student(&mark, v, source, &mark, 1, &page);
    return text_take(&page);
}

static int count(const char *s, const char *part)
{
    int n = 0;
    for (; (s = strstr(s, part)); s++)
        n++;
    return n;
}

/* Lines end as on any system; what stands in them is text. */
Test(html, source_with_what_was_found)
{
    struct verdict v = {.status = VERDICT_GRADED};
    add_row(&v, STATUS_FAIL, 2);
    add_row(&v, STATUS_PASS, 3);
    char *page = page_of(&v, "KERNEL a\r\ntile[<b>] = 1;\rc\n\n");
    cr_expect(strstr(page, "<i id=\"line1\">1</i><code>KERNEL a</code>\n"), "%s", page);
    cr_expect(strstr(page, "<i class=\"at\" id=\"line2\">2</i><code class=\"at\">tile[&lt;b&gt;] = "
                           "1;</code><div class=\"said\"><strong class=\"fail\">The tile</strong>: "
                           "writes &lt;tile&gt; twice</div>\n"),
              "%s", page);
    cr_expect(strstr(page, "<i id=\"line3\">3</i><code>c</code>\n"), "what passed says nothing: %s",
              page);
    cr_expect_eq(count(page, "<a href=\"#line2\">see line 2</a>"), 1);
    cr_expect_eq(count(page, "#line3"), 0);
    cr_expect_eq(count(page, "<i "), 4);
    cr_expect_eq(count(page, "class=\"said\""), 1);
    free(page);
    page = page_of(&v, NULL);
    cr_expect_eq(count(page, "class=\"source\""), 0);
    free(page);
    verdict_drop_rows(&v);
}

Test(html, source_with_what_the_compiler_says)
{
    struct verdict v = {.status = VERDICT_NOT_COMPILED,
                        .log = (char *)"f.cu(2): error: expected a \";\"\nf.cu(22): error: x\n"};
    char *page = page_of(&v, "a\nb\nc\n");
    cr_expect(strstr(page,
                     "<code class=\"at\">b</code><div class=\"said\"><strong class=\"fail\">the "
                     "compiler</strong>: error: expected a &quot;;&quot;</div>"),
              "%s", page);
    cr_expect_eq(count(page, "class=\"said\""), 1);
    free(page);
}

Test(html, a_class)
{
    struct verdict right = {.status = VERDICT_GRADED}, wrong = right;
    struct mark all[] = {mark, mark, mark};
    struct pass_rates r = {0};
    struct causes c = {0};
    struct text page = {0};
    add_row(&right, STATUS_PASS, 0);
    add_row(&wrong, STATUS_FAIL, 3);
    all[1].alias = (char *)"a2";
    all[0].mark = 8;
    all[2].needs_human = true; /* has no mark, so is none of the mean's */
    const struct verdict *v[] = {&right, &wrong, NULL};
    for (int i = 0; i < 3; i++) {
        pass_rates_add(&r, v[i]);
        causes_add(&c, i, v[i], NULL);
    }
    html_class(all, 3, &r, &c, &page);
    cr_expect(
        strstr(page.s, "<td class=\"n\">1</td><td><strong>writes &lt;tile&gt; twice</strong>"),
        "%s", page.s);
    cr_expect(strstr(page.s, "<td class=\"c pass\">\xe2\x9c\x93</td></tr>\n"), "%s", page.s);
    cr_expect(
        strstr(page.s,
               "<a href=\"a2.html\">s1</a></td><td class=\"c fail\">\xe2\x9c\x97</td></tr>\n"),
        "%s", page.s);
    cr_expect(strstr(page.s, "3 students, 2 have a mark, mean 4 of 20; 1 need"), "%s", page.s);
    cr_expect(strstr(page.s, "<td class=\"n\">\xe2\x80\x93</td><td>graded <strong"), "%s", page.s);
    cr_expect(strstr(page.s, "</td><td></td></tr>\n"), "no submission, no sign: %s", page.s);
    text_free(&page);
    pass_rates_free(&r);
    causes_free(&c);
    verdict_drop_rows(&right);
    verdict_drop_rows(&wrong);
}
