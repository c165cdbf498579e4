/* plain.c - several ways of saying one thing made one, by rules (pass.h). See plain.h. */
#include "plain.h"
#include "base/alloc.h"
#include "condition.h"
#include "pass.h"
#include "wrapped.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 64, NESTED = 2 };

/* ---- what is always done, once or never ---- */

/* Behind the condition that begins at i, if it is of numbers alone, whether true or not; or i. */
static int constant_condition(const struct pass *p, int i, bool *holds)
{
    int open = i + 1 + word(p, i + 1, "constexpr"), k = open + 1;
    if (at(p, open) != '(')
        return i;
    while (k < open + NEAR && at(p, k) != ';' && k != p->partner[open] &&
           (!name_at(p, k) || value_at(p, k) >= 0))
        k++;
    if (k == open + 1 || k != p->partner[open])
        return i;
    struct list between = {p->in->v + open + 1, k - open - 1, 0};
    *holds = condition_holds(&between);
    return k + 1;
}

/* if (0) …, while (0) … and else of if (1) {…} are gone; if (1) and do {…} while (0) are blocks. */
static int done_as_is(struct pass *p, int i)
{
    bool holds, is_if = word(p, i, "if");
    if (word(p, i, "do") && at(p, i + 1) == '{' && p->partner[i + 1] >= 0) {
        int end = p->partner[i + 1] + 1, behind = constant_condition(p, end, &holds);
        return word(p, end, "while") && behind > end && !holds ? i + 1 : i;
    }
    int body = is_if || word(p, i, "while") ? constant_condition(p, i, &holds) : i;
    if (body == i || (holds && !is_if))
        return i;
    int end = statement_end(p, body);
    if (!holds)
        return end + (end < p->in->n && word(p, end, "else"));
    if (word(p, end, "else") && at(p, body) == '{')
        for (int k = end, last = statement_end(p, end + 1); k < last; k++)
            p->gone[k] = true;
    return body;
}

/* n - n, n ^ n and n != n are 0, n == n is 1, of a name alone; name: at a statement is no more. */
static int fold(struct pass *p, int i)
{
    static const char *const ops[] = {"-", "^", "<", ">", "!=", "=="};
    if (!name_at(p, i))
        return i;
    if (at(p, i + 1) == ':' && at(p, i + 2) != ':' && among(at(p, i - 1), ";{}") &&
        !word(p, i, "default"))
        return i + 2;
    for (size_t k = 0; k < sizeof(ops) / sizeof(ops[0]); k++) {
        int n = (int)strlen(ops[k]), behind = i + n + 2;
        bool apart = !among(at(p, i - 1), "*/.>%:-") && !among(at(p, behind), "*/%.[(:-<") &&
                     !name_at(p, i - 1) && !name_at(p, behind);
        if (apart && at(p, i + 1) == *ops[k] && (n == 1 || at(p, i + 2) == '=') &&
            behind <= p->in->n && same_token(&p->in->v[i], &p->in->v[behind - 1])) {
            pass_add(p, *ops[k] == '=' ? "1" : "0");
            return behind;
        }
    }
    return i;
}

/* true ? x : y is x. */
static int choice(struct pass *p, int i)
{
    double value = value_at(p, i);
    if ((value != 0 && value != 1) || at(p, i + 1) != '?' || !is_unary(p->in, i))
        return i;
    int colon = expression_end(p, i + 2, ":;,"), end = expression_end(p, colon + 1, ";,?");
    if (at(p, colon) != ':' || at(p, colon + 1) == ':')
        return i;
    for (int k = value == 1 ? colon : i + 2; k < (value == 1 ? end : colon + 1); k++)
        p->gone[k] = true;
    return i + 2;
}

/* ---- expressions that add nothing ---- */

/* Whether a round bracket at i holds an expression, and not arguments or a condition. */
static bool groups(const struct pass *p, int i)
{
    return at(p, i) == '(' && p->partner[i] >= 0 &&
           (word(p, i - 1, "return") || (!name_at(p, i - 1) && !among(at(p, i - 1), ")]>")));
}

/* (type) x, int(x) and such_cast<type>(x) are x: names and stars alone, before an operand. */
static int cast(struct pass *p, int i)
{
    static const char *const types[] = {"int", "float", "unsigned", "double", "long", "bool"};
    int end = p->partner[i], k = i + 1;
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
        if (word(p, i, types[t]) && at(p, i + 1) == '(' && !name_at(p, i - 1))
            return i + 1;
    if (name_at(p, i) && at(p, i + 1) == '<' && p->in->v[i].n > 5 &&
        !memcmp(p->in->v[i].s + p->in->v[i].n - 5, "_cast", 5)) {
        for (k = i + 2; k < i + NEAR && (name_at(p, k) || among(at(p, k), "*&:")); k++)
            ;
        return at(p, k) == '>' ? k + 1 : i;
    }
    if (!groups(p, i) || end > i + NEAR || at(p, i + 1) == ')')
        return i;
    while (k < end && (name_at(p, k) || (k > i + 1 && at(p, k) == '*')))
        k++;
    bool operand = end + 1 < p->in->n &&
                   (at(p, end + 1) == '(' || name_at(p, end + 1) || is_number(&p->in->v[end + 1]));
    return k == end && operand ? end + 1 : i;
}

/* (x) is x, ((a + b)) and = (a + b); are without the outer brackets, (0, x) without the 0. */
static int bracket(struct pass *p, int i)
{
    int end = p->partner[i], comma = i;
    if (!groups(p, i))
        return i;
    for (int k = i + 1; k < end && k < i + NEAR && !among(at(p, k), "(=\"'{"); k++)
        if (at(p, k) == ',' && p->around[k] == i)
            comma = k;
    if (end == i + 2 || (!among(at(p, i - 1), "*&!~+-/%.<>|^") && among(at(p, end + 1), ";),]"))) {
        p->gone[end] = true;
        return comma + 1;
    }
    if (comma > i)
        pass_add(p, "(");
    return comma > i ? comma + 1 : i;
}

/* The brackets that __VA_OPT__ leaves around what begins with a comma. */
static int option(struct pass *p, int i)
{
    if (at(p, i) != '(' || at(p, i + 1) != ',' || p->partner[i] < 0)
        return i;
    p->gone[p->partner[i]] = true;
    return i + 1;
}

/* Whether two tokens are one operator: ++ and not + +. */
static bool joined_at(const struct pass *p, int i)
{
    return at(p, i) == at(p, i + 1) && p->in->v[i + 1].s == p->in->v[i].s + 1;
}

/* - -x, !!x and ~(~x) are x; the brackets stay. */
static int sign(struct pass *p, int i)
{
    int next = i + 1 + (at(p, i + 1) == '(');
    if (!among(at(p, i), "-!~") || at(p, next) != at(p, i) || !is_unary(p->in, i) ||
        (at(p, i) == '-' && joined_at(p, i)))
        return i;
    p->gone[next] = true;
    return i + 1;
}

/* Operators and the number that changes nothing beside them: at the right, at both sides. */
static const struct {
    const char *op;
    double value;
    bool left;
} identities[] = {{"&&", 1, true}, {"||", 0, true}, {"<<", 0, false}, {">>", 0, false},
                  {"+", 0, true},  {"-", 0, false}, {"|", 0, true},   {"^", 0, true},
                  {"*", 1, true},  {"/", 1, false}};

static bool operator_at(const struct pass *p, int i, const char *op)
{
    for (; *op; op++, i++)
        if (at(p, i) != *op)
            return false;
    return at(p, i) != '=' && at(p, i) != op[-1];
}

static int identity(struct pass *p, int i)
{
    for (size_t k = 0; k < sizeof(identities) / sizeof(identities[0]); k++) {
        int n = (int)strlen(identities[k].op);
        double value = identities[k].value;
        n += operator_at(p, i, "+") && at(p, i + 1) == '-' && !joined_at(p, i + 1);
        if (operator_at(p, i, identities[k].op) && value_at(p, i + n) == value && i &&
            ends_operand(&p->in->v[i - 1]) && !among(at(p, i + n + 1), "*/%"))
            return i + n + 1;
        if (identities[k].left && value_at(p, i) == value && is_unary(p->in, i) &&
            operator_at(p, i + 1, identities[k].op))
            return i + 1 + n;
    }
    return i;
}

/* ---- one form of what has several ---- */

/* Where the operator that assigns stands, in the statement that begins at i, or -1. */
static int assignment_in(const struct pass *p, int i)
{
    int k = i, name = begins_statement(p, i) && (name_at(p, i) || at(p, i) == '*');
    for (; name && k < i + NEAR && k < p->in->n && assigns(p, k) == k; k++) {
        if (opens(at(p, k)) && p->partner[k] >= 0)
            k = p->partner[k];
        else if (among(at(p, k), ";,{})]?=!<>"))
            return -1;
    }
    return name && k > i && assigns(p, k) > k ? k : -1;
}

static bool same(const struct pass *p, int a, int b, int n)
{
    for (int i = 0; i < n; i++)
        if (b + i >= p->in->n || !same_token(&p->in->v[a + i], &p->in->v[b + i]))
            return false;
    return true;
}

/* a = a + b and a = b + a are a += b; a = a is nothing. */
static int compound(struct pass *p, int i)
{
    int e = assignment_in(p, i), n = e - i;
    if (e < 0 || at(p, e) != '=')
        return i;
    int op = e + 1 + n, end = expression_end(p, e + 1, ";,"), tail = end - n - 1;
    int wide = among(at(p, op), "<>") && at(p, op) == at(p, op + 1);
    if (op == end && same(p, i, e + 1, n))
        return end + (at(p, end) == ';');
    if (same(p, i, e + 1, n) && (wide || among(at(p, op), "+-*/%&|^")) &&
        (wide || at(p, op + 1) != at(p, op))) {
        pass_copy(p, i, e);
        pass_copy(p, op, op + 1 + wide);
        pass_add(p, "=");
        return op + 1 + wide;
    }
    if (tail <= e + 1 || !same(p, i, tail + 1, n) || !among(at(p, tail), "+*&|^") ||
        is_unary(p->in, tail))
        return i;
    pass_copy(p, i, e);
    pass_copy(p, tail, tail + 1);
    pass_add(p, "=");
    for (int k = tail; k < end; k++)
        p->gone[k] = true;
    return e + 1;
}

/* ++i and i += 1 are i++. */
static int increment(struct pass *p, int i)
{
    char c = at(p, i);
    if (c != '+' && c != '-')
        return i;
    if (at(p, i + 1) == '=' && value_at(p, i + 2) == 1 && among(at(p, i + 3), ";),")) {
        pass_copy(p, i, i + 1);
        pass_copy(p, i, i + 1);
        return i + 3;
    }
    int k = i + 3;
    if (!joined_at(p, i) || !name_at(p, i + 2) || !is_unary(p->in, i))
        return i;
    while ((at(p, k) == '.' && name_at(p, k + 1)) || (at(p, k) == '[' && p->partner[k] >= 0))
        k = at(p, k) == '.' ? k + 2 : p->partner[k] + 1;
    pass_copy(p, i + 2, k);
    pass_copy(p, i, i + 2);
    return k;
}

/* Where the left operand of a comparison begins in what is written; -1: it may be a template's. */
static int left_operand(const struct list *out)
{
    int depth = 0, start = -1, i = out->n - 1;
    for (; i >= 0 && i > out->n - NEAR; i--) {
        char c = out->v[i].n == 1 ? *out->v[i].s : 'a';
        if (!depth && c == '<')
            return -1;
        depth += (c == ')' || c == ']') - (c == '(' || c == '[');
        if (start < 0 &&
            (depth < 0 || (!depth && among(c, ";{},?:=&|")) || is(&out->v[i], "return")))
            start = i + 1;
        if (depth < 0 || among(c, ";{}&|=?"))
            break;
    }
    return start;
}

/* b > a is a < b. */
static int relation(struct pass *p, int i)
{
    int right = i + 1 + (at(p, i + 1) == '=');
    if (at(p, i) != '>' || at(p, i + 1) == '>' || among(at(p, i - 1), "->"))
        return i;
    int left = left_operand(&p->out), end = expression_end(p, right, ";,?:&|={<>");
    if (left < 0 || left == p->out.n || end == right)
        return i;
    int n = p->out.n - left;
    struct token *kept = xmalloc((size_t)n * sizeof(*kept));
    memcpy(kept, p->out.v + left, (size_t)n * sizeof(*kept));
    p->out.n = left;
    pass_copy(p, right, end);
    pass_add(p, "<");
    pass_copy(p, i + 1, right);
    for (int k = 0; k < n; k++)
        push(&p->out, kept[k]);
    free(kept);
    return end;
}

/* Whether statements stand in the bracket at i, or outside of all. */
static bool holds_statements(const struct pass *p, int i)
{
    if (i < 0 || at(p, i) != '{')
        return i < 0 || word(p, i - 1, "for");
    return among(at(p, i - 1), ")};{") || word(p, i - 1, "else") || word(p, i - 1, "do");
}

/* A comma between statements is a semicolon; between declarations, the type comes behind it. */
static int comma(struct pass *p, int i)
{
    int around = p->around[i], k = i - 1, least = i - NEAR > around ? i - NEAR : around;
    if (at(p, i) != ',' || !holds_statements(p, around))
        return i;
    for (; k > least && !among(at(p, k), ";{"); k--) {
        if (at(p, k) == '<')
            return i;
        if (at(p, k) == '}' && holds_statements(p, p->partner[k]))
            break;
        k = p->partner[k] >= 0 ? p->partner[k] : k;
    }
    pass_add(p, ";");
    if (name_at(p, k + 1) && name_at(p, k + 2))
        pass_copy(p, k + 1, k + 2);
    return i + 1;
}

/* ---- what is computed for nothing ---- */

enum { VARIABLE = 1, ARRAY };
enum { CONDITION = -1, VALUE = -2 };

/* Tokens that are needed or not as a whole: an assignment or declaration, where its name is; a
 * condition, where something in its body is; a value that nobody takes never is. What is in none is
 * needed, with the names in it. */
struct unit {
    int from, to;
    int name;     /* assigned to, or one of these */
    int body_end; /* of a condition; its body begins at `to` */
    bool needed;
};

struct use {
    struct pass p;
    struct unit *units;
    int n;
    int *names;  /* of each token; -1: it is none */
    int *needed; /* names; then, up to each token, how many needed ones came before */
    char *kinds; /* of names: of a variable, or an array, of a thread's own */
};

/* Where the name stands of a constant that is a number, declared from i on outside of all blocks,
 * or -1: within them, put_copies() sees to it. */
static int constant(const struct pass *p, int i)
{
    bool is_constant = false;
    if (p->around[i] >= 0 || !among(at(p, i - 1), ";{}"))
        return -1;
    for (; name_at(p, i + 1) && !declares_elsewhere(p, i); i++)
        is_constant |= word(p, i, "const") || word(p, i, "constexpr");
    return is_constant && at(p, i + 1) == '=' && value_at(p, i + 2) >= 0 && at(p, i + 3) == ';'
               ? i
               : -1;
}

/* The numbers that constants are stand in their places. */
static void put_constants(struct list *l)
{
    struct pass p;
    size_t n = (size_t)l->n + 1;
    int *names = xmalloc(n * sizeof(*names));
    const struct token **numbers = xzalloc(n * sizeof(const struct token *));
    pass_begin(&p, l);
    number_names(&p, false, names);
    for (int i = 0; i < l->n; i++) {
        int at_name = constant(&p, i);
        if (at_name < 0)
            continue;
        numbers[names[at_name]] = &l->v[at_name + 2];
        for (; i < at_name + 4; i++)
            p.gone[i] = true;
        i--;
    }
    for (int i = 0; i < l->n; i++)
        if (!p.gone[i])
            push(&p.out, names[i] >= 0 && numbers[names[i]] ? *numbers[names[i]] : l->v[i]);
    pass_end(&p, l);
    free(names);
    free(numbers);
}

/* Behind the subscripts at i. */
static int subscripts_end(const struct pass *p, int i)
{
    while (at(p, i) == '[' && p->partner[i] >= 0)
        i = p->partner[i] + 1;
    return i;
}

/* Behind what declares or assigns to the name at k: its subscripts, or what it is made with. */
static int behind_target(const struct pass *p, int k, bool declares)
{
    int open = k + 1;
    bool made = declares && among(at(p, open), "({") && p->partner[open] >= 0;
    return made && at(p, p->partner[open] + 1) == ';' ? p->partner[open] + 1
                                                      : subscripts_end(p, open);
}

/* The unit of an assignment to, or a declaration of, a name that begins at i, or of the name alone;
 * to 0: there is none. */
static struct unit assignment(const struct use *u, int i)
{
    const struct pass *p = &u->p;
    int k = i;
    for (; name_at(p, k + 1) && k < i + NEAR && !declares_elsewhere(p, k); k++)
        ;
    int behind = behind_target(p, k, k > i), end = expression_end(p, behind, ";");
    bool stepped = among(at(p, behind), "+-") && at(p, behind + 1) == at(p, behind);
    char kind = at(p, k + 1) == '[' ? ARRAY : VARIABLE, *known = &u->kinds[u->names[k]];
    if (declares_elsewhere(p, k) || at(p, end) != ';' ||
        (!stepped && assigns(p, behind) == behind && at(p, behind) != ';'))
        return (struct unit){0};
    if (k > i)
        *known = kind;
    return *known == kind ? (struct unit){i, end + 1, u->names[k], 0, false} : (struct unit){0};
}

/* The unit of an expression at i that only has a value; to 0: there is none. */
static struct unit value(const struct use *u, int i)
{
    const struct pass *p = &u->p;
    int k = i, end = expression_end(p, i, ";={}?\"'");
    for (; k < end && !declares_elsewhere(p, k); k++)
        if (name_at(p, k) ? name_at(p, k + 1) || at(p, k + 1) == '(' : joined_at(p, k))
            break;
    return k == end && end > i && at(p, end) == ';' ? (struct unit){i, end + 1, VALUE, 0, false}
                                                    : (struct unit){0};
}

static struct unit statement(const struct use *u, int i)
{
    int around = u->p.around[i];
    if (around < 0 || at(&u->p, around) != '{' || !begins_statement(&u->p, i))
        return (struct unit){0};
    int output = asm_output(&u->p, i);
    if (output >= 0 && u->kinds[u->names[output]] == VARIABLE)
        return (struct unit){i, statement_end(&u->p, i), u->names[output], 0, false};
    struct unit found = name_at(&u->p, i) ? assignment(u, i) : (struct unit){0};
    return found.to ? found : value(u, i);
}

/* The unit of a condition, or of an else, that begins at i; to 0: there is none. */
static struct unit condition(const struct use *u, int i)
{
    const struct pass *p = &u->p;
    int open = i + 1 + word(p, i + 1, "constexpr"), to = i + 1;
    if (word(p, i, "if") || word(p, i, "while") || word(p, i, "for")) {
        if (at(p, open) != '(' || p->partner[open] < 0)
            return (struct unit){0};
        to = p->partner[open] + 1;
        for (int k = open + 1; k < to && k < open + FAR; k++)
            if (at(p, k) == '(' && name_at(p, k - 1))
                return (struct unit){0};
    } else if (!word(p, i, "else")) {
        return (struct unit){0};
    }
    if (at(p, to) == ';' && !word(p, i, "else"))
        return (struct unit){0};
    int end = statement_end(p, to);
    for (int k = 0; k < NEAR && word(p, i, "if") && word(p, end, "else"); k++)
        end = statement_end(p, end + 1);
    return (struct unit){i, to, CONDITION, end, false};
}

static void find_units(struct use *u)
{
    for (int i = 0; i < u->p.in->n; i++) {
        struct unit found = condition(u, i);
        if (!found.to)
            found = statement(u, i);
        if (!found.to)
            continue;
        u->units[u->n++] = found;
        i = found.to - 1;
    }
}

/* Marks the names of what is needed, and counts it in u->needed. */
static void mark(struct use *u, bool *live)
{
    for (int i = 0, k = 0, n = 0; i < u->p.in->n; i++) {
        while (k < u->n && u->units[k].to <= i)
            k++;
        bool needed = k == u->n || i < u->units[k].from || u->units[k].needed;
        u->needed[i] = n;
        n += needed && !among(at(&u->p, i), "{};");
        if (needed && u->names[i] >= 0)
            live[u->names[i]] = true;
        u->needed[i + 1] = n;
    }
}

/* Whether a unit is needed that was not, and so are the names in it. */
static bool comes_to_need(const struct use *u, struct unit *x, bool *live)
{
    bool body = x->name == CONDITION && u->needed[x->body_end] > u->needed[x->to];
    if (x->needed || !(body || (x->name >= 0 && live[x->name])))
        return false;
    x->needed = true;
    for (int i = x->from; i < x->to; i++)
        if (u->names[i] >= 0)
            live[u->names[i]] = true;
    return true;
}

/* What nothing needs is gone. */
static void drop_unused(struct list *l)
{
    size_t n = (size_t)l->n + 1;
    struct use u = {.units = xmalloc(n * sizeof(*u.units)),
                    .names = xmalloc(n * sizeof(int)),
                    .needed = xzalloc(n * sizeof(int)),
                    .kinds = xzalloc(n)};
    bool *live = xzalloc(n), changed = true;
    pass_begin(&u.p, l);
    number_names(&u.p, true, u.names);
    find_units(&u);
    for (int round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        mark(&u, live);
        for (int k = u.n - 1; k >= 0; k--)
            changed |= comes_to_need(&u, &u.units[k], live);
    }
    for (int k = 0; !changed && k < u.n; k++)
        for (int i = u.units[k].from; !u.units[k].needed && i < u.units[k].to; i++)
            u.p.gone[i] = true;
    pass_copy(&u.p, 0, l->n);
    pass_end(&u.p, l);
    free(u.units);
    free(u.names);
    free(u.needed);
    free(u.kinds);
    free(live);
}

void make_plain(struct list *l)
{
    static const rule rules[] = {cast,        fold,      bracket,  done_as_is, one_round,
                                 chosen_case, sign,      identity, choice,     bracket,
                                 compound,    increment, relation};
    rewrite(l, option);
    rewrite(l, comma);
    rewrite(l, asm_of_nothing);
    for (int i = 0; i < NESTED; i++)
        rewrite(l, called_lambda);
    put_constants(l);
    put_copies(l);
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        rewrite(l, rules[i]);
    drop_unused(l);
}
