/* weft-tile-products on random attention, forward and with its gradient: the results are those of the same program
 * without it, within the rounding of sums in another order. Costs are such that all that can be tiled is. A failure
 * prints its seed: WEFT_SEED=N. */
#include <math.h>
#include "ir/trips.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/codegen/program.h"
#include "tests/support/alloc.h"

enum { CASES = 120, PROGRAMS = 6, FAILURES = 40, RANK = 5 };

typedef struct element { const char *name, *wide; double unit; } element;

/* of what is multiplied, and of scores; unit: of the former, half of the difference between 1 and the next number */
static const element elements[] = { { "f32", "f32", 0x1p-24 }, { "f64", "f64", 0x1p-53 }, { "bf16", "f32", 0x1p-9 } };

typedef struct shape { uint32_t rank; int64_t d[RANK]; } shape;

typedef struct drawn {
    weft_rng rng;
    text t;
    const element *e;
    bool gradient;
    uint32_t batches;          /* dimensions */
    int64_t b[2], g, q, k, d;  /* batches; query heads of a key head, or 0; queries, keys, numbers of each */
    double tile_bytes;
    int values;                /* named so far */
} drawn;

static bool chance(drawn *d, double p) { return weft_rng_chance(&d->rng, p); }
static int64_t between(drawn *d, int64_t low, int64_t high) { return weft_rng_range(&d->rng, low, high); }

static int name(drawn *d) {
    text_add(&d->t, "%%v%d = stablehlo.", d->values);
    return d->values++;
}

typedef struct typed { char v[96]; } typed; /* "tensor<2x3xf32>" */
static typed type_of(shape s, const char *e) {
    typed t = { "tensor<" };
    size_t n = strlen(t.v);
    for (uint32_t i = 0; i < s.rank; i++) n += (size_t)snprintf(t.v + n, sizeof t.v - n, "%lldx", (long long)s.d[i]);
    snprintf(t.v + n, sizeof t.v - n, "%s>", e);
    return t;
}

static shape with(shape s, int64_t n) {
    s.d[s.rank++] = n;
    return s;
}

/* Batches, then those of a queries' head. */
static shape batches(const drawn *d) {
    shape s = { 0 };
    for (uint32_t i = 0; i < d->batches; i++) s = with(s, d->b[i]);
    return s;
}
static shape rows_of(const drawn *d) { return with(d->g ? with(batches(d), d->g) : batches(d), d->q); }
static shape scores_of(const drawn *d) { return with(rows_of(d), d->k); }

static int splat(drawn *d, shape s, const char *e, double v) {
    const int k = name(d);
    char number[40] = "0xFF800000";
    if (isfinite(v)) snprintf(number, sizeof number, "%.17e", v);
    else if (!strcmp(e, "f64")) snprintf(number, sizeof number, "0xFFF0000000000000");
    text_add(&d->t, "constant dense<%s> : %s\n", number, type_of(s, e).v);
    return k;
}

static int binary(drawn *d, const char *op, int x, int y, shape s, const char *e) {
    const int k = name(d);
    text_add(&d->t, "%s %%v%d, %%v%d : %s\n", op, x, y, type_of(s, e).v);
    return k;
}

static int unary(drawn *d, const char *op, int x, shape s, const char *e) {
    const int k = name(d);
    text_add(&d->t, "%s %%v%d : %s\n", op, x, type_of(s, e).v);
    return k;
}

static int convert(drawn *d, int x, shape s, const char *from, const char *to) {
    if (!strcmp(from, to)) return x;
    const int k = name(d);
    text_add(&d->t, "convert %%v%d : (%s) -> %s\n", x, type_of(s, from).v, type_of(s, to).v);
    return k;
}

static int reduce(drawn *d, const char *op, int x, shape s, double init) {
    const shape none = { 0 };
    const int from = splat(d, none, d->e->wide, init), k = name(d);
    shape to = s;
    to.rank--;
    text_add(&d->t, "reduce(%%v%d init: %%v%d) applies stablehlo.%s across dimensions = [%u] : (%s, %s) -> %s\n", x, from,
             op, to.rank, type_of(s, d->e->wide).v, type_of(none, d->e->wide).v, type_of(to, d->e->wide).v);
    return k;
}

/* x, of the shape of rows, along scores; by way of a dimension of one element, or not. */
static int along(drawn *d, int x) {
    const shape rows = rows_of(d), all = scores_of(d);
    const bool ones = chance(d, 0.5);
    if (ones) {
        const int y = name(d);
        text_add(&d->t, "reshape %%v%d : (%s) -> %s\n", x, type_of(rows, d->e->wide).v,
                 type_of(with(rows, 1), d->e->wide).v);
        x = y;
    }
    const int k = name(d);
    text_add(&d->t, "broadcast_in_dim %%v%d, dims = [", x);
    for (uint32_t i = 0; i < rows.rank + ones; i++) text_add(&d->t, "%s%u", i ? ", " : "", i);
    text_add(&d->t, "] : (%s) -> %s\n", type_of(ones ? with(rows, 1) : rows, d->e->wide).v, type_of(all, d->e->wide).v);
    return k;
}

static void list(drawn *d, uint32_t from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) text_add(&d->t, "%s%u", i ? ", " : "", from + i);
}

/* Scores: queries by keys; dimensions are batches, heads, rows, numbers. */
static int scores(drawn *d, const char *q, const char *k) {
    const shape left = with(rows_of(d), d->d), right = with(with(batches(d), d->k), d->d), s = scores_of(d);
    const int x = name(d);
    text_add(&d->t, "dot_general %s, %s, ", q, k);
    if (d->batches) {
        text_add(&d->t, "batching_dims = ["), list(d, 0, d->batches), text_add(&d->t, "] x ["), list(d, 0, d->batches);
        text_add(&d->t, "], ");
    }
    text_add(&d->t, "contracting_dims = [%u] x [%u] : (%s, %s) -> %s\n", left.rank - 1, right.rank - 1,
             type_of(left, d->e->name).v, type_of(right, d->e->name).v, type_of(s, d->e->wide).v);
    return x;
}

/* Which scores count, [q, k]. */
static int mask(drawn *d) {
    const shape s = { 2, { d->q, d->k } };
    const int q = name(d);
    text_add(&d->t, "iota dim = 0 : %s\n", type_of(s, "i32").v);
    const int k = name(d);
    text_add(&d->t, "iota dim = 1 : %s\n", type_of(s, "i32").v);
    const int64_t offset = chance(d, 0.5) ? 0 : between(d, -3, 9);
    const int moved = name(d);
    text_add(&d->t, "constant dense<%lld> : %s\n", (long long)offset, type_of(s, "i32").v);
    const int row = binary(d, "add", q, moved, s, "i32"), causal = name(d);
    const bool mirrored = chance(d, 0.3);
    text_add(&d->t, "compare %s, %%v%d, %%v%d : (%s, %s) -> %s\n", mirrored ? "LE" : "GE", mirrored ? k : row,
             mirrored ? row : k, type_of(s, "i32").v, type_of(s, "i32").v, type_of(s, "i1").v);
    if (chance(d, 0.5)) return causal;
    const int far = name(d);
    text_add(&d->t, "constant dense<%lld> : %s\n", (long long)between(d, 1, 20), type_of(s, "i32").v);
    const int back = binary(d, "subtract", row, k, s, "i32"), near = name(d);
    text_add(&d->t, "compare LT, %%v%d, %%v%d : (%s, %s) -> %s\n", back, far, type_of(s, "i32").v, type_of(s, "i32").v,
             type_of(s, "i1").v);
    return binary(d, "and", causal, near, s, "i1");
}

static int broadcast_mask(drawn *d, int x, const char *e) {
    const shape s = { 2, { d->q, d->k } }, all = scores_of(d);
    const int k = name(d);
    text_add(&d->t, "broadcast_in_dim %%v%d, dims = [%u, %u] : (%s) -> %s\n", x, all.rank - 2, all.rank - 1,
             type_of(s, e).v, type_of(all, e).v);
    return k;
}

static int masked(drawn *d, int x) {
    const bool given = chance(d, 0.15);
    const shape s = { 2, { d->q, d->k } }, all = scores_of(d);
    const char *e = d->e->wide;
    int m = -1;
    if (!given) m = mask(d);
    const double lows[] = { -1e9, -1e30, -3e38, -INFINITY };
    const double low = lows[between(d, 0, 3)];
    if (given) {
        m = name(d);
        text_add(&d->t, "compare GT, %%m, %%m0 : (%s, %s) -> %s\n", type_of(s, e).v, type_of(s, e).v,
                 type_of(s, "i1").v);
    }
    if (chance(d, 0.3)) { /* added */
        const int none = splat(d, s, e, 0), some = splat(d, s, e, low), bias = name(d);
        text_add(&d->t, "select %%v%d, %%v%d, %%v%d : %s, %s\n", m, none, some, type_of(s, "i1").v, type_of(s, e).v);
        return binary(d, "add", x, broadcast_mask(d, bias, e), all, e);
    }
    const int yes = broadcast_mask(d, m, "i1"), no = splat(d, all, e, low), k = name(d);
    text_add(&d->t, "select %%v%d, %%v%d, %%v%d : %s, %s\n", yes, x, no, type_of(all, "i1").v, type_of(all, e).v);
    return k;
}

/* The weights of values: a softmax, or another function. Sets *sums to a value by row. */
static int weights(drawn *d, int x, int *sums) {
    const shape s = scores_of(d);
    const char *e = d->e->wide;
    if (chance(d, 0.1)) {
        const int w = unary(d, "logistic", x, s, e);
        *sums = reduce(d, "add", w, s, 0);
        return w;
    }
    if (chance(d, 0.9)) {
        const int most = reduce(d, "maximum", x, s, -INFINITY);
        x = binary(d, "subtract", x, along(d, most), s, e);
    }
    const int w = unary(d, "exponential", x, s, e);
    *sums = reduce(d, "add", w, s, 0);
    return binary(d, "divide", w, along(d, *sums), s, e);
}

static int attend(drawn *d, int w, const char *v) {
    const shape s = scores_of(d), values = with(with(batches(d), d->k), d->d), to = with(rows_of(d), d->d);
    w = convert(d, w, s, d->e->wide, d->e->name);
    const int k = name(d);
    text_add(&d->t, "dot_general %%v%d, %s, ", w, v);
    if (d->batches) {
        text_add(&d->t, "batching_dims = ["), list(d, 0, d->batches), text_add(&d->t, "] x ["), list(d, 0, d->batches);
        text_add(&d->t, "], ");
    }
    text_add(&d->t, "contracting_dims = [%u] x [%u] : (%s, %s) -> %s\n", s.rank - 1, d->batches,
             type_of(s, d->e->name).v, type_of(values, d->e->name).v, type_of(to, d->e->wide).v);
    return k;
}

/* Attention whose queries are what attention gave, as they are or after another op. */
static int again(drawn *d, int o, const char *k, const char *v) {
    const shape q = with(rows_of(d), d->d);
    const char *wide = d->e->wide;
    char queries[16];
    int sums;
    if (chance(d, 0.5)) { /* what tiles are not computed of */
        const int back = name(d);
        text_add(&d->t, "reverse %%v%d, dims = [0] : %s\n", o, type_of(q, wide).v);
        o = back;
    }
    snprintf(queries, sizeof queries, "%%v%d", convert(d, o, q, wide, d->e->name));
    return attend(d, weights(d, scores(d, queries, k), &sums), v);
}

static int total(drawn *d, int x, shape s) {
    const shape none = { 0 };
    const int zero = splat(d, none, d->e->wide, 0), k = name(d);
    text_add(&d->t, "reduce(%%v%d init: %%v%d) applies stablehlo.add across dimensions = [", x, zero);
    list(d, 0, s.rank);
    text_add(&d->t, "] : (%s, %s) -> %s\n", type_of(s, d->e->wide).v, type_of(none, d->e->wide).v,
             type_of(none, d->e->wide).v);
    return k;
}

static void draw(drawn *d, uint64_t seed) {
    static const double tiles[] = { 64, 3000, 20000, 1e6 };
    *d = (drawn){ .rng = { seed } };
    d->e = &elements[between(d, 0, WEFT_COUNT(elements) - 1)];
    d->batches = (uint32_t)between(d, 0, 2), d->b[0] = between(d, 1, 3), d->b[1] = between(d, 1, 4);
    d->g = chance(d, 0.2) ? between(d, 1, 3) : 0;
    d->q = between(d, 20, 70), d->k = chance(d, 0.7) ? d->q : between(d, 20, 70), d->d = between(d, 1, 5);
    d->gradient = chance(d, 0.5), d->tile_bytes = tiles[between(d, 0, WEFT_COUNT(tiles) - 1)];
    const shape q = with(rows_of(d), d->d), kv = with(with(batches(d), d->k), d->d), m = { 2, { d->q, d->k } },
                none = { 0 };
    const bool one = !d->g && d->q == d->k && chance(d, 0.1);
    const char *e = d->e->name, *wide = d->e->wide, *k = one ? "%q" : "%k", *v = one ? "%q" : "%v";
    text_add(&d->t, "func.func @main(%%q: %s, %%k: %s, %%v: %s, %%c: %s, %%m: %s, %%m0: %s) -> (%s, %s, %s) {\n",
             type_of(q, e).v, type_of(kv, e).v, type_of(kv, e).v, type_of(q, wide).v, type_of(m, wide).v,
             type_of(m, wide).v, type_of(none, wide).v, type_of(q, wide).v, type_of(rows_of(d), wide).v);
    int sums, x = scores(d, "%q", k);
    const shape s = scores_of(d);
    if (chance(d, 0.7)) x = binary(d, "multiply", x, splat(d, s, wide, 0.5), s, wide);
    if (chance(d, 0.2)) x = unary(d, "tanh", x, s, wide);
    if (chance(d, 0.7)) x = masked(d, x);
    int o = attend(d, weights(d, x, &sums), v);
    if (chance(d, 0.3)) o = again(d, o, k, v);
    const int term = name(d);
    text_add(&d->t, "multiply %%v%d, %%c : %s\n", o, type_of(q, wide).v);
    const int loss = total(d, term, q);
    text_add(&d->t, "return %%v%d, %%v%d, %%v%d : %s, %s, %s\n}\n", loss, o, sums, type_of(none, wide).v,
             type_of(q, wide).v, type_of(rows_of(d), wide).v);
}

/* ---- both ways ---- */

typedef struct counted { int loops; double products; } counted;

/* Loops, and the elements of all products. */
static weft_status count(void *user, weft_op *op) {
    counted *c = user;
    c->loops += op->kind == WEFT_OP_while;
    if (op->kind != WEFT_OP_dot_general) return WEFT_OK;
    double n = (double)weft_type_elems(op->results[0].type);
    const weft_op *in = weft_op_parent(op);
    if (in && in->kind == WEFT_OP_while) n *= (double)weft_loop_trips(in);
    c->products += n;
    return WEFT_OK;
}

static weft_status legalize(weft_context *cx, double least, double tile, weft_module **m) {
    weft_machine machine = weft_machine_default;
    machine.costs.tile_gain = -1e30, machine.costs.tile_least_bytes = least, machine.costs.tile_bytes = tile;
    const weft_environment environment = { .machine = &machine };
    const weft_pipeline_call call = { .spec = WEFT_STR("weft-legalize"), .environment = &environment,
                                      .flags = WEFT_PIPELINE_VERIFY_EACH };
    return weft_pipeline_call_run(cx, &call, m);
}

static weft_status prepare(weft_context *cx, const drawn *d, weft_module **m) {
    weft_status st = weft_read_text(cx, weft_str_from(d->t.v), "test", 0, m);
    const weft_pass_option options[] = { { WEFT_STR("of"), WEFT_STR("0") }, { WEFT_STR("wrt"), WEFT_STR("0,1,2,3") } };
    const weft_pipeline_call call = { .spec = WEFT_STR("weft-differentiate"), .options = options, .option_count = 2 };
    if (st == WEFT_OK && d->gradient) st = weft_pipeline_call_run(cx, &call, m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-prepare"), 0, m);
    return st == WEFT_OK ? weft_pipeline_run(cx, WEFT_STR("cse"), 0, m) : st;
}

static void compile(program *p, const drawn *d, double least, counted *c) {
    const weft_compile_options options = { .device_count = 1 };
    weft_module *m = NULL;
    program_begin(p);
    weft_status st = prepare(p->cx, d, &m);
    if (st == WEFT_OK) st = legalize(p->cx, least, d->tile_bytes, &m);
    *c = (counted){ 0 };
    if (st == WEFT_OK) st = weft_module_walk(m, count, c);
    program_compile(p, d->t.v, st, m, &options);
}

/* Numbers within [-1, 1]. */
static void fill(drawn *d, const program *p) {
    weft_rng r = d->rng;
    for (uint32_t i = 0; i < p->x->arg_count; i++) {
        const weft_exec_value *v = &p->x->args[i];
        const size_t each = weft_dtype_bytes(v->dtype);
        for (size_t k = 0; k < (size_t)v->bytes / each; k++)
            weft_dtype_store(v->dtype, (char *)p->args[i] + k * each, 2 * weft_rng_unit(&r) - 1);
    }
}

/* Sums of at most q * g or k * d terms within [-5, 5], of factors that are rounded to their type. */
static bounds bounds_of(const drawn *d) {
    const double most = 5 * 210 * 8 * d->e->unit;
    return (bounds){ .absolute = most, .relative = most, .nans_agree = true };
}

START_TEST(same_results) {
    const uint64_t first = weft_test_seed(31000);
    const int cases = getenv("WEFT_SEED") ? 1 : weft_test_sample(CASES);
    int tiled = 0, gradients = 0, spared = 0;
    for (int i = 0; i < cases; i++) {
        static drawn d;
        program plain, tiles;
        counted before, after;
        draw(&d, first + (uint64_t)i);
        compile(&plain, &d, 1e300, &before), compile(&tiles, &d, 1, &after);
        fill(&d, &plain), fill(&d, &tiles);
        program_run(&plain), program_run(&tiles);
        program_compare(&plain, &tiles, bounds_of(&d), d.t.v, first + (uint64_t)i);
        const bool some = after.loops > before.loops || after.products != before.products;
        tiled += some, gradients += some && d.gradient, spared += after.products < 0.97 * before.products;
        program_close(&plain), program_close(&tiles);
    }
    printf("%d programs: %d in tiles, %d of them with gradients; %d leave some out\n", cases, tiled, gradients, spared);
    fflush(stdout);
    ck_assert(cases == 1 || (tiled > cases / 2 && gradients > cases / 8 && spared > cases / 16));
}
END_TEST

static weft_status begin(weft_context *cx, void *user) {
    weft_module *m = NULL;
    weft_status st = prepare(cx, user, &m);
    weft_module_free(m);
    return st;
}

static weft_status tile(weft_context *cx, void *user) {
    const drawn *d = user;
    weft_module *m = NULL;
    weft_status st = prepare(cx, d, &m);
    if (st == WEFT_OK) st = legalize(cx, 1, d->tile_bytes, &m);
    weft_module_free(m);
    return st;
}

/* Memory that runs out on the way. */
START_TEST(failures) {
    static drawn d;
    draw(&d, weft_test_seed(31000) + (uint64_t)_i);
    ck_assert(weft_test_any_failure(begin, tile, &d, weft_test_long(FAILURES)));
}
END_TEST

int main(void) {
    Suite *s = suite_create("legalize/tile");
    TCase *tc = tcase_create("tile");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, same_results);
    tcase_add_loop_test(tc, failures, 0, PROGRAMS);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
