/* Random programs with donated arguments over several steps: results are fed back as the attributes say, whatever
 * their memory and sharding: swapped, permuted, left over, in part. The reference is the same program
 * without attributes on one device, with results written back by hand. Integers, so results are equal bit for
 * bit. WEFT_SEED=S repeats one. */
#include "pipeline/pipeline.h"
#include "runtime/execute.h"
#include "tests/support/suite.h"

#ifndef PROGRAMS
#define PROGRAMS 30
#endif
enum { STEPS = 4, MOST = 5, ELEMS = 32 };

static uint64_t state;
static uint32_t draw(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static const char *const types[] = { "tensor<8x4xi32>", "tensor<4x8xi32>" };
static const char *const shardings[] = { "[{}, {}]", "[{\"x\"}, {}]", "[{\"y\"}, {\"x\"}]", "[{\"x\", \"y\"}, {}]",
                                         "[{}, {\"y\"}]" };

typedef struct program {
    int args, results;
    int type_of_arg[MOST], type_of_result[MOST];
    int result_of[MOST];               /* by argument: the result that it is donated to, or -1 */
    enum { KEPT, ALIAS, DONOR } how[MOST];
    char text[2][16384];               /* as it is to run; plain */
} program;

/* Donors take what is left of their type, in the order of the results. */
static void donate(program *p) {
    bool taken[MOST] = { false };
    for (int a = 0; a < p->args; a++) {
        p->result_of[a] = -1;
        p->how[a] = draw(3);
        const int r = (int)draw((uint32_t)p->results);
        if (p->how[a] != ALIAS) continue;
        if (taken[r] || p->type_of_result[r] != p->type_of_arg[a]) p->how[a] = KEPT;
        else taken[p->result_of[a] = r] = true;
    }
    for (int r = 0; r < p->results; r++)
        for (int a = 0; a < p->args && !taken[r]; a++)
            if (p->how[a] == DONOR && p->result_of[a] < 0 && p->type_of_arg[a] == p->type_of_result[r])
                taken[p->result_of[a] = r] = true;
}

static int same_type(const program *p, int type) {
    int a;
    do a = (int)draw((uint32_t)p->args); while (p->type_of_arg[a] != type);
    return a;
}

static const char *sharded(char *to, size_t room, bool plain) {
    const uint32_t s = draw(8);
    to[0] = '\0';
    if (s < WEFT_COUNT(shardings) && !plain)
        snprintf(to, room, "sdy.sharding = #sdy.sharding<@mesh, %s>", shardings[s]);
    return to;
}

/* An argument that a loop carries: each turn changes all of it or a part, and may read another argument. */
static size_t loop_of(int r, int a, int b, const char *type, char *to, size_t room) {
    static const char *const turns[] = {
        "%%n = stablehlo.add %%c, %%c : @ ",
        "%%n = stablehlo.reverse %%c, dims = [0, 1] : @ ",
        "%%n = stablehlo.subtract %%c, B : @ ",
        "%%p = stablehlo.slice B [1:3, 0:2] : (@) -> tensor<2x2xi32> %%n = stablehlo.dynamic_update_slice %%c, %%p, %%i, %%i : (@, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> @ ",
    };
    char other[16];
    size_t n = (size_t)snprintf(
        to, room,
        "    %%z%d = stablehlo.constant dense<0> : tensor<i32>\n    %%o%d = stablehlo.constant dense<1> : tensor<i32>\n"
        "    %%k%d = stablehlo.constant dense<%u> : tensor<i32>\n    %%l%d:2 = stablehlo.while(%%i = %%z%d, %%c = %%a%d) : tensor<i32>, %s\n"
        "      cond { %%t = stablehlo.compare LT, %%i, %%k%d : (tensor<i32>, tensor<i32>) -> tensor<i1> stablehlo.return %%t : tensor<i1> } do { ",
        r, r, r, draw(4), r, r, a, type, r);
    snprintf(other, sizeof other, "%%a%d", b);
    for (const char *c = turns[draw(WEFT_COUNT(turns))]; *c && n < room; c++) {
        if (*c == '@') n += (size_t)snprintf(to + n, room - n, "%s", type);
        else if (*c == 'B') n += (size_t)snprintf(to + n, room - n, "%s", other);
        else if (*c != '%' || c[1] != '%') to[n++] = *c;
    }
    if (n >= room) return n;
    return n +
           (size_t)
               snprintf(to + n, room - n,
                        "%%j = stablehlo.add %%i, %%o%d : tensor<i32> stablehlo.return %%j, %%n : tensor<i32>, %s }\n"
                        "    %%r%d = stablehlo.optimization_barrier %%l%d#1 : %s\n",
                        r, type, r, r, type);
}

/* A part of an argument is overwritten, by a part of one of the same type. */
static size_t update_of(int r, int a, int b, const char *type, char *to, size_t room) {
    return (size_t)snprintf(
        to, room,
        "    %%z%d = stablehlo.constant dense<%u> : tensor<i32>\n    %%p%d = stablehlo.slice %%a%d [0:2, 1:4] : (%s) -> tensor<2x3xi32>\n"
        "    %%r%d = stablehlo.dynamic_update_slice %%a%d, %%p%d, %%z%d, %%z%d : (%s, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> %s\n",
        r, draw(3), r, b, type, r, a, r, r, r, type, type);
}

/* A result: an argument as it is, moved, added to another, turned, in part, or what a loop makes of it. */
static size_t body_of(const program *p, int r, char *to, size_t room) {
    const int t = p->type_of_result[r], a = same_type(p, t), b = same_type(p, t), c = (int)draw((uint32_t)p->args);
    const char *type = types[t];
    switch (draw(8)) {
    case 5:
    case 6: return loop_of(r, a, b, type, to, room);
    case 7: return update_of(r, a, b, type, to, room);
    case 0: return (size_t)snprintf(to, room, "    %%r%d = stablehlo.reverse %%a%d, dims = [0] : %s\n", r, a, type);
    case 1: return (size_t)snprintf(to, room, "    %%r%d = stablehlo.add %%a%d, %%a%d : %s\n", r, a, b, type);
    case 2:
        return (size_t)snprintf(
            to, room,
            "    %%t%d = stablehlo.reverse %%a%d, dims = [1] : %s\n    %%r%d = stablehlo.subtract %%t%d, %%a%d : %s\n",
            r, a, type, r, r, b, type);
    case 3:
        if (p->type_of_arg[c] != t)
            return (size_t)snprintf(to, room, "    %%r%d = stablehlo.transpose %%a%d, dims = [1, 0] : (%s) -> %s\n", r,
                                    c, types[1 - t], type);
        return (size_t)snprintf(to, room, "    %%r%d = stablehlo.xor %%a%d, %%a%d : %s\n", r, a, c, type);
    default: return (size_t)snprintf(to, room, "    %%r%d = stablehlo.optimization_barrier %%a%d : %s\n", r, a, type);
    }
}

static void write_program(program *p) {
    char body[8192], s[128];
    size_t n = 0;
    p->args = 2 + (int)draw(MOST - 1), p->results = 1 + (int)draw(MOST);
    for (int a = 0; a < p->args; a++) p->type_of_arg[a] = a < 2 ? a : (int)draw(2); /* both are there */
    for (int r = 0; r < p->results; r++) p->type_of_result[r] = (int)draw(2);
    donate(p);
    for (int r = 0; r < p->results; r++) n += body_of(p, r, body + n, sizeof body - n);
    for (int plain = 0; plain < 2; plain++) {
        char *to = p->text[plain];
        const size_t room = sizeof p->text[0];
        n = (size_t)snprintf(to, room, "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\nfunc.func @main(");
        for (int a = 0; a < p->args; a++) {
            n += (size_t)snprintf(to + n, room - n, "%s%%a%d: %s {%s", a ? ", " : "", a, types[p->type_of_arg[a]],
                                  sharded(s, sizeof s, plain));
            if (p->how[a] != KEPT && !plain) n += (size_t)snprintf(to + n, room - n, "%s", s[0] ? ", " : "");
            if (p->how[a] == ALIAS && !plain)
                n += (size_t)snprintf(to + n, room - n, "tf.aliasing_output = %d : i32", p->result_of[a]);
            if (p->how[a] == DONOR && !plain) n += (size_t)snprintf(to + n, room - n, "jax.buffer_donor = true");
            n += (size_t)snprintf(to + n, room - n, "}");
        }
        n += (size_t)snprintf(to + n, room - n, ") -> (");
        for (int r = 0; r < p->results; r++)
            n += (size_t)snprintf(to + n, room - n, "%s%s {%s}", r ? ", " : "", types[p->type_of_result[r]],
                                  sharded(s, sizeof s, plain));
        n += (size_t)snprintf(to + n, room - n, ") {\n%s    return ", body);
        for (int r = 0; r < p->results; r++) n += (size_t)snprintf(to + n, room - n, "%s%%r%d", r ? ", " : "", r);
        for (int r = 0; r < p->results; r++)
            n += (size_t)snprintf(to + n, room - n, "%s%s", r ? ", " : " : ", types[p->type_of_result[r]]);
        n += (size_t)snprintf(to + n, room - n, "\n}\n");
        ck_assert_uint_lt(n, room);
    }
}

typedef struct running {
    weft_context *cx;
    weft_built_program *p;
    weft_session *s;
} running;

static running start(const program *p, int plain, const char *mesh) {
    running r = { .cx = weft_context_new(NULL) };
    weft_module *m = NULL;
    bool speaker;
    weft_status st = weft_read_text(r.cx, weft_str_from(p->text[plain]), "random", 0, &m);
    if (st == WEFT_OK) st = weft_program_build(r.cx, m, &(weft_build_options){ .mesh = mesh }, &r.p);
    if (st == WEFT_OK) {
        weft_session_options so = { .processes = { .processes = 1, .timeout_s = 20 }, .exec = r.p->exec,
                                    .args = r.p->arg_layouts, .results = r.p->result_layouts };
        st = weft_session_open(r.cx, &so, &speaker, &r.s);
    }
    weft_module_free(m);
    ck_assert_msg(st == WEFT_OK, "%s\n%s",
                  weft_context_diag_count(r.cx) ? weft_context_diag(r.cx, 0)->message : weft_status_name(st),
                  p->text[plain]);
    return r;
}

static void stop(running *r) {
    weft_session_close(r->s);
    weft_built_program_free(r->p);
    weft_context_free(r->cx);
}

static void get(running *x, int r, int32_t *to) {
    weft_host_array a = { .data = to };
    ck_assert_int_eq(weft_session_get(x->s, (uint32_t)r, &a), WEFT_OK);
}

static void put(running *x, int a, const int32_t *from) {
    weft_host_array whole;
    weft_session_describe(&x->p->arg_layouts[a], &whole);
    whole.data = (void *)from;
    ck_assert_int_eq(weft_session_put(x->s, (uint32_t)a, &whole), WEFT_OK);
}

static void check_one(uint64_t seed) {
    program p = { .args = 0 };
    int32_t data[ELEMS], got[ELEMS], want[MOST][ELEMS];
    state = seed * 2654435761u + 1;
    write_program(&p);
    running many = start(&p, 0, draw(3) ? NULL : "x=1,y=1"), one = start(&p, 1, "x=1,y=1");
    for (int a = 0; a < p.args; a++) {
        for (int i = 0; i < ELEMS; i++) data[i] = (int32_t)draw(1000);
        put(&many, a, data), put(&one, a, data);
    }
    for (int step = 0; step < STEPS; step++) {
        ck_assert_int_eq(weft_session_step(many.s), WEFT_OK);
        ck_assert_int_eq(weft_session_step(one.s), WEFT_OK);
        for (int r = 0; r < p.results; r++) {
            get(&many, r, got), get(&one, r, want[r]);
            ck_assert_msg(!memcmp(got, want[r], sizeof got), "WEFT_SEED=%llu: result %d differs in step %d\n%s",
                          (unsigned long long)seed, r, step, p.text[0]);
        }
        for (int r = 0; r < p.results; r++)
            if (many.p->exec->results[r].becomes >= 0)
                ck_assert_int_eq(weft_session_feed(many.s, (uint32_t)r, (uint32_t)many.p->exec->results[r].becomes),
                                 WEFT_OK);
        for (int a = 0; a < p.args; a++)
            if (p.result_of[a] >= 0) put(&one, a, want[p.result_of[a]]);
    }
    stop(&many), stop(&one);
}

START_TEST(donated_arguments_become_their_results) {
    const char *only = getenv("WEFT_SEED");
    if (only) check_one(strtoull(only, NULL, 0));
    for (uint64_t i = 0; !only && i < (uint64_t)weft_test_long(PROGRAMS); i++) check_one(i);
}
END_TEST

/* A donated argument that a loop carries or an update changes in part is changed where it lies: nothing is held beside
 * it, and what else reads it does so before. Where one kernel reads it for two results, there is a second array. In
 * arrays: what is held beside arguments and results, and the most that steps touch. */
static const struct { const char *body; int beside, touched;
} in_place[] = {
    { "%r = stablehlo.dynamic_update_slice %a, %b, %z, %z : (@, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> @", 0,
      3 },
    { "%u = stablehlo.dynamic_update_slice %a, %b, %z, %z : (@, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> @ "
      "%v = stablehlo.dynamic_update_slice %u, %b, %k, %z : (@, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> @ "
      "%r = stablehlo.dynamic_update_slice %v, %b, %k, %k : (@, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> @",
      0, 3 },
    { "%n = stablehlo.negate %a : @ %r = stablehlo.dynamic_update_slice %n, %b, %z, %z : (@, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> @",
      1, 5 },
    { "%l:2 = stablehlo.while(%i = %z, %c = %a) : tensor<i32>, @ cond { %t = stablehlo.compare LT, %i, %k : (tensor<i32>, tensor<i32>) -> tensor<i1> "
      "stablehlo.return %t : tensor<i1> } do { %n = stablehlo.add %c, %c : @ %j = stablehlo.add %i, %k : tensor<i32> stablehlo.return %j, %n : tensor<i32>, @ } "
      "%r = stablehlo.optimization_barrier %l#1 : @",
      0, 5 },
    { "%l:2 = stablehlo.while(%i = %z, %c = %a) : tensor<i32>, @ cond { %t = stablehlo.compare LT, %i, %k : (tensor<i32>, tensor<i32>) -> tensor<i1> "
      "stablehlo.return %t : tensor<i1> } do { %n = stablehlo.dynamic_update_slice %c, %b, %i, %i : (@, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> @ "
      "%j = stablehlo.add %i, %k : tensor<i32> stablehlo.return %j, %n : tensor<i32>, @ } "
      "%r = stablehlo.dynamic_update_slice %l#1, %b, %z, %z : (@, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> @",
      0, 3 },
};

START_TEST(loops_change_donated_arguments_where_they_lie) {
    program p = { .args = 2 };
    char body[2048];
    size_t n = 0;
    for (const char *c = in_place[_i].body; *c; c++) {
        if (*c == '@') n += (size_t)snprintf(body + n, sizeof body - n, "tensor<64x64xi32>");
        else body[n++] = *c;
        body[n] = '\0';
    }
    snprintf(
        p.text[0], sizeof p.text[0],
        "func.func @main(%%a: tensor<64x64xi32> {tf.aliasing_output = 0 : i32}, %%b: tensor<2x2xi32>) -> (tensor<64x64xi32>, tensor<64x64xi32>) {\n"
        "  %%z = stablehlo.constant dense<0> : tensor<i32>\n  %%k = stablehlo.constant dense<3> : tensor<i32>\n  %s\n  %%s = stablehlo.reverse %%a, dims = [0] : tensor<64x64xi32>\n"
        "  return %%r, %%s : tensor<64x64xi32>, tensor<64x64xi32>\n}\n",
        body);
    running x = start(&p, 0, NULL);
    const weft_plan *plan = &x.p->exec->plan;
    ck_assert_int_eq(plan->alias_bytes, 64 * 64 * 4);
    ck_assert_msg(plan->temp_bytes <= in_place[_i].beside * 64 * 64 * 4 + 512, "%lld bytes beside the argument\n%s",
                  (long long)plan->temp_bytes, p.text[0]);
    int64_t touched = 0;
    for (uint32_t i = 0; i < plan->step_count; i++) touched += plan->steps[i].read_bytes + plan->steps[i].write_bytes;
    ck_assert_msg(touched <= in_place[_i].touched * 64 * 64 * 4 + 512, "%lld bytes touched\n%s", (long long)touched,
                  p.text[0]);
    stop(&x);
}
END_TEST

/* Memory is shared where shardings allow, and donors count like aliases. */
START_TEST(memory_is_shared) {
    static const char *const attrs[] = { "tf.aliasing_output = 0 : i32", "jax.buffer_donor = true" };
    for (size_t i = 0; i < WEFT_COUNT(attrs); i++) {
        program p = { .args = 1 };
        snprintf(p.text[0], sizeof p.text[0],
                 "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\nfunc.func @main(%%a: tensor<8x4xi32> {%s}) -> tensor<8x4xi32> {\n"
                 "  %%0 = stablehlo.add %%a, %%a : tensor<8x4xi32>\n  return %%0 : tensor<8x4xi32>\n}\n", attrs[i]);
        running x = start(&p, 0, NULL);
        ck_assert_int_eq(x.p->exec->results[0].alias, 0);
        ck_assert_int_eq(x.p->exec->plan.alias_bytes, 128);
        stop(&x);
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("donation");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, donated_arguments_become_their_results);
    tcase_add_loop_test(c, loops_change_donated_arguments_where_they_lie, 0, WEFT_COUNT(in_place));
    tcase_add_test(c, memory_is_shared);
    suite_add_tcase(s, c);
    return weft_run_suite(s);
}
