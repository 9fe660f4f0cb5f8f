/* Random programs with donated arguments over several steps: what is fed back is what the attributes say, wherever results lie and however
 * they are sharded: swapped, permuted, left over, in part. The reference is the same program without attributes on one device, whose
 * results are written back by hand. Whole numbers, so results are equal bit for bit. WEFT_SEED=S repeats one. */
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
static const char *const shardings[] = { "[{}, {}]", "[{\"x\"}, {}]", "[{\"y\"}, {\"x\"}]", "[{\"x\", \"y\"}, {}]", "[{}, {\"y\"}]" };

typedef struct program {
    int args, results;
    int type_of_arg[MOST], type_of_result[MOST];
    int result_of[MOST];               /* by argument: the result that it is donated to, or -1 */
    enum { KEPT, ALIAS, DONOR } how[MOST];
    char text[2][8192];                /* as it is to run; plain */
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
            if (p->how[a] == DONOR && p->result_of[a] < 0 && p->type_of_arg[a] == p->type_of_result[r]) taken[p->result_of[a] = r] = true;
}

static int same_type(const program *p, int type) {
    int a;
    do a = (int)draw((uint32_t)p->args); while (p->type_of_arg[a] != type);
    return a;
}

static const char *sharded(char *to, size_t room, bool plain) {
    const uint32_t s = draw(8);
    to[0] = '\0';
    if (s < WEFT_COUNT(shardings) && !plain) snprintf(to, room, "sdy.sharding = #sdy.sharding<@mesh, %s>", shardings[s]);
    return to;
}

/* A result: an argument as it is, moved, added to another, or turned. */
static size_t body_of(const program *p, int r, char *to, size_t room) {
    const int t = p->type_of_result[r], a = same_type(p, t), b = same_type(p, t), c = (int)draw((uint32_t)p->args);
    const char *type = types[t];
    switch (draw(5)) {
    case 0: return (size_t)snprintf(to, room, "    %%r%d = stablehlo.reverse %%a%d, dims = [0] : %s\n", r, a, type);
    case 1: return (size_t)snprintf(to, room, "    %%r%d = stablehlo.add %%a%d, %%a%d : %s\n", r, a, b, type);
    case 2: return (size_t)snprintf(to, room, "    %%t%d = stablehlo.reverse %%a%d, dims = [1] : %s\n    %%r%d = stablehlo.subtract %%t%d, %%a%d : %s\n", r, a, type, r, r, b, type);
    case 3:
        if (p->type_of_arg[c] != t) return (size_t)snprintf(to, room, "    %%r%d = stablehlo.transpose %%a%d, dims = [1, 0] : (%s) -> %s\n", r, c, types[1 - t], type);
        return (size_t)snprintf(to, room, "    %%r%d = stablehlo.xor %%a%d, %%a%d : %s\n", r, a, c, type);
    default: return (size_t)snprintf(to, room, "    %%r%d = stablehlo.optimization_barrier %%a%d : %s\n", r, a, type);
    }
}

static void write_program(program *p) {
    char body[4096], s[128];
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
            n += (size_t)snprintf(to + n, room - n, "%s%%a%d: %s {%s", a ? ", " : "", a, types[p->type_of_arg[a]], sharded(s, sizeof s, plain));
            if (p->how[a] != KEPT && !plain) n += (size_t)snprintf(to + n, room - n, "%s", s[0] ? ", " : "");
            if (p->how[a] == ALIAS && !plain) n += (size_t)snprintf(to + n, room - n, "tf.aliasing_output = %d : i32", p->result_of[a]);
            if (p->how[a] == DONOR && !plain) n += (size_t)snprintf(to + n, room - n, "jax.buffer_donor = true");
            n += (size_t)snprintf(to + n, room - n, "}");
        }
        n += (size_t)snprintf(to + n, room - n, ") -> (");
        for (int r = 0; r < p->results; r++) n += (size_t)snprintf(to + n, room - n, "%s%s {%s}", r ? ", " : "", types[p->type_of_result[r]], sharded(s, sizeof s, plain));
        n += (size_t)snprintf(to + n, room - n, ") {\n%s    return ", body);
        for (int r = 0; r < p->results; r++) n += (size_t)snprintf(to + n, room - n, "%s%%r%d", r ? ", " : "", r);
        for (int r = 0; r < p->results; r++) n += (size_t)snprintf(to + n, room - n, "%s%s", r ? ", " : " : ", types[p->type_of_result[r]]);
        n += (size_t)snprintf(to + n, room - n, "\n}\n");
        ck_assert_uint_lt(n, room);
    }
}

typedef struct running {
    weft_context *cx;
    weft_program *p;
    weft_session *s;
} running;

static running start(const program *p, int plain, const char *mesh) {
    running r = { .cx = weft_context_new(NULL) };
    weft_module *m = NULL;
    bool speaker;
    weft_status st = weft_read_text(r.cx, weft_str_from(p->text[plain]), "random", 0, &m);
    if (st == WEFT_OK) st = weft_program_build(r.cx, m, &(weft_build_options){ .mesh = mesh }, &r.p);
    if (st == WEFT_OK) {
        weft_session_options so = { .processes = { .processes = 1, .timeout_s = 20 }, .exec = r.p->exec, .args = r.p->arg_layouts, .results = r.p->result_layouts };
        st = weft_session_open(r.cx, &so, &speaker, &r.s);
    }
    weft_module_free(m);
    ck_assert_msg(st == WEFT_OK, "%s\n%s", weft_context_diag_count(r.cx) ? weft_context_diag(r.cx, 0)->message : weft_status_name(st), p->text[plain]);
    return r;
}

static void stop(running *r) {
    weft_session_close(r->s);
    weft_program_free(r->p);
    weft_context_free(r->cx);
}

static void get(running *x, int r, int32_t *to) {
    weft_array a = { .data = to };
    ck_assert_int_eq(weft_session_get(x->s, (uint32_t)r, &a), WEFT_OK);
}

static void put(running *x, int a, const int32_t *from) {
    weft_array whole;
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
            ck_assert_msg(!memcmp(got, want[r], sizeof got), "WEFT_SEED=%llu: result %d differs in step %d\n%s", (unsigned long long)seed, r, step, p.text[0]);
        }
        for (int r = 0; r < p.results; r++)
            if (many.p->exec->results[r].becomes >= 0)
                ck_assert_int_eq(weft_session_feed(many.s, (uint32_t)r, (uint32_t)many.p->exec->results[r].becomes), WEFT_OK);
        for (int a = 0; a < p.args; a++)
            if (p.result_of[a] >= 0) put(&one, a, want[p.result_of[a]]);
    }
    stop(&many), stop(&one);
}

START_TEST(donated_arguments_become_their_results) {
    const char *only = getenv("WEFT_SEED");
    if (only) check_one(strtoull(only, NULL, 0));
    for (uint64_t i = 0; !only && i < PROGRAMS; i++) check_one(i);
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
    tcase_add_test(c, memory_is_shared);
    suite_add_tcase(s, c);
    return weft_run_suite(s);
}
