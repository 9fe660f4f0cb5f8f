/* weft-hoist-loop-products and weft-sink-loop-sums on random loops: the results are those of the same loop without
 * them, to the last bit where sums are exact (integers, and floats that hold small ones), else within the rounding of a
 * sum in another order. Costs are such that all that may move does. A failure prints its seed: WEFT_SEED=N. */
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/codegen/program.h"
#include "tests/support/alloc.h"

enum { CASES = 160, MOST = 5, PROGRAMS = 12, FAILURES = 40 };

typedef struct element { const char *name, *sum; weft_dtype dtype, sum_dtype; double unit; } element;

/* of what is multiplied, and of sums; unit: half of the difference between 1 and the next number */
static const element elements[] = {
    { "i32", "i32", WEFT_I32, WEFT_I32, 0 },       { "i8", "i8", WEFT_I8, WEFT_I8, 0 },
    { "ui16", "ui16", WEFT_UI16, WEFT_UI16, 0 },   { "f32", "f32", WEFT_F32, WEFT_F32, 0x1p-24 },
    { "f64", "f64", WEFT_F64, WEFT_F64, 0x1p-53 }, { "bf16", "f32", WEFT_BF16, WEFT_F32, 0x1p-9 },
};
static const char *const counters[] = { "i32", "i64", "i8", "ui8", "ui32" };

/* A loop: `while c != from + n * by`, its counter in a type, arrays longer than it reads. */
typedef struct drawn {
    weft_rng rng;
    text t;
    const element *e;
    const char *counter;
    int64_t n, from, by, low, length; /* low: the first element that is read, of length */
    int64_t b, k, w;                  /* products are [b, k] x [k, w] */
    bool exact, nested, known;
    int values;                                /* named so far */
} drawn;

static bool chance(drawn *d, double p) { return weft_rng_chance(&d->rng, p); }
static int64_t between(drawn *d, int64_t low, int64_t high) { return weft_rng_range(&d->rng, low, high); }

/* Appends "%vN = ", and returns N. */
static int name(drawn *d) {
    text_add(&d->t, "%%v%d = stablehlo.", d->values);
    return d->values++;
}

static int number(drawn *d, const char *type, int64_t v) {
    const int k = name(d);
    text_add(&d->t, "constant dense<%lld> : tensor<%s>\n", (long long)v, type);
    return k;
}

/* counter + plus, or plus - counter */
static int index_of(drawn *d, int64_t plus, bool up) {
    const char *op = up && plus >= 0 ? "add" : "subtract";
    const int c = number(d, d->counter, up && plus < 0 ? -plus : plus), k = name(d);
    if (up) text_add(&d->t, "%s %%i, %%v%d : tensor<%s>\n", op, c, d->counter);
    else text_add(&d->t, "%s %%v%d, %%i : tensor<%s>\n", op, c, d->counter);
    return k;
}

typedef enum order { FORWARD, BACK, ASTRAY } order;

/* The same of a counter that goes by two. */
static int halved(drawn *d, order o, int64_t last) {
    const int so_far = index_of(d, -d->from, true), two = number(d, d->counter, 2), half = name(d);
    text_add(&d->t, "divide %%v%d, %%v%d : tensor<%s>\n", so_far, two, d->counter);
    const int first = number(d, d->counter, o == BACK ? last : d->low), k = name(d);
    text_add(&d->t, "%s %%v%d, %%v%d : tensor<%s>\n", o == BACK ? "subtract" : "add", first, half, d->counter);
    return k;
}

/* The index of an iteration's element; ASTRAY: not each once. */
static int place(drawn *d, order o, const char **type) {
    const int64_t last = d->low + (d->n ? d->n - 1 : 0);
    int k;
    if (o == ASTRAY && chance(d, 0.5)) k = number(d, d->counter, d->low);
    else if (d->by == 2) k = halved(d, o, last);
    else if (o == BACK) k = index_of(d, d->by > 0 ? last + d->from : last - d->from, d->by < 0);
    else k = index_of(d, d->by > 0 ? d->low - d->from : d->low + d->from, d->by > 0);
    if (o == ASTRAY) {
        const int one = number(d, d->counter, 1), next = name(d);
        text_add(&d->t, "add %%v%d, %%v%d : tensor<%s>\n", k, one, d->counter);
        k = next;
    }
    *type = d->counter;
    if (chance(d, 0.5)) {
        const int wide = name(d);
        text_add(&d->t, "convert %%v%d : (tensor<%s>) -> tensor<i64>\n", k, d->counter);
        k = wide, *type = "i64";
    }
    if (chance(d, 0.3) && (*type)[0] == 'i') {
        const int zero = number(d, *type, 0), length = number(d, *type, d->length), less = name(d);
        text_add(&d->t, "compare LT, %%v%d, %%v%d : (tensor<%s>, tensor<%s>) -> tensor<i1>\n", k, zero, *type, *type);
        const int sum = name(d);
        text_add(&d->t, "add %%v%d, %%v%d : tensor<%s>\n", k, length, *type);
        const int chosen = name(d);
        text_add(&d->t, "select %%v%d, %%v%d, %%v%d : tensor<i1>, tensor<%s>\n", less, sum, k, *type);
        k = chosen;
    }
    return k;
}

/* Row [rows, columns] of array %x ([length, rows, columns]) or %xt ([rows, length, columns]). */
static int row(drawn *d, order o, const char *array, int64_t rows, int64_t columns) {
    const bool inner = array[1] == 't';
    const char *type, *e = d->e->name;
    const int at = place(d, o, &type), zero = number(d, type, 0), slice = name(d);
    text full = { .n = 0 }, one = { .n = 0 };
    text_type(&full, 3, inner ? (int64_t[]){ rows, d->length, columns } : (int64_t[]){ d->length, rows, columns }, e);
    text_type(&one, 3, inner ? (int64_t[]){ rows, 1, columns } : (int64_t[]){ 1, rows, columns }, e);
    text_add(&d->t, "dynamic_slice %%%s, %%v%d, %%v%d, %%v%d, sizes = [%lld, %lld, %lld] : (tensor<%s>, tensor<%s>, tensor<%s>, tensor<%s>) -> tensor<%s>\n",
             array, inner ? zero : at, inner ? at : zero, zero, (long long)(inner ? rows : 1),
             (long long)(inner ? 1 : rows), (long long)columns, full.v, type, type, type, one.v);
    int k = name(d);
    text_add(&d->t, "reshape %%v%d : (tensor<%s>) -> tensor<%lldx%lldx%s>\n", slice, one.v, (long long)rows,
             (long long)columns, e);
    if (chance(d, 0.3)) {
        const int less = name(d);
        text_add(&d->t, "negate %%v%d : tensor<%lldx%lldx%s>\n", k, (long long)rows, (long long)columns, e);
        k = less;
    }
    return k;
}

/* v, [r, c], transposed or not: sets *turned. */
static int maybe_turned(drawn *d, const char *v, int64_t r, int64_t c, bool *turned) {
    const int k = name(d);
    *turned = chance(d, 0.5);
    if (*turned)
        text_add(&d->t, "transpose %s, dims = [1, 0] : (tensor<%lldx%lldx%s>) -> tensor<%lldx%lldx%s>\n", v,
                 (long long)r, (long long)c, d->e->name, (long long)c, (long long)r, d->e->name);
    else text_add(&d->t, "negate %s : tensor<%lldx%lldx%s>\n", v, (long long)r, (long long)c, d->e->name);
    return k;
}

/* The product over the dimension `over` of [r0, c0] and [r1, c1]: 1 x 0 or 0 x 0. Returns [left, right] or, swapped,
 * [right, left]. */
static int product(drawn *d, int x, int64_t r0, int64_t c0, int y, int64_t r1, int64_t c1, int over, bool *swapped) {
    char name0[16], name1[16];
    bool turned0, turned1;
    snprintf(name0, sizeof name0, "%%v%d", x), snprintf(name1, sizeof name1, "%%v%d", y);
    x = maybe_turned(d, name0, r0, c0, &turned0), y = maybe_turned(d, name1, r1, c1, &turned1);
    const int cx = turned0 ? 1 - over : over, cy = turned1 ? 1 : 0;
    const int64_t left = over ? r0 : c0, right = c1;
    text tx = { .n = 0 }, ty = { .n = 0 };
    text_type(&tx, 2, turned0 ? (int64_t[]){ c0, r0 } : (int64_t[]){ r0, c0 }, d->e->name);
    text_type(&ty, 2, turned1 ? (int64_t[]){ c1, r1 } : (int64_t[]){ r1, c1 }, d->e->name);
    *swapped = chance(d, 0.5);
    const int k = name(d);
    text_add(&d->t, "dot_general %%v%d, %%v%d, contracting_dims = [%d] x [%d] : (tensor<%s>, tensor<%s>) -> tensor<%lldx%lldx%s>\n",
             *swapped ? y : x, *swapped ? x : y, *swapped ? cy : cx, *swapped ? cx : cy, *swapped ? ty.v : tx.v,
             *swapped ? tx.v : ty.v, (long long)(*swapped ? right : left), (long long)(*swapped ? left : right),
             d->e->name);
    return k;
}

/* k, [c, r] where it is swapped, as [r, c]. */
static int straight(drawn *d, int k, int64_t r, int64_t c, bool swapped) {
    if (!swapped) return k;
    const int t = name(d);
    text_add(&d->t, "transpose %%v%d, dims = [1, 0] : (tensor<%lldx%lldx%s>) -> tensor<%lldx%lldx%s>\n", k, (long long)c,
             (long long)r, d->e->name, (long long)r, (long long)c, d->e->name);
    return t;
}

/* carried + v, v in the type of sums first */
static int added(drawn *d, const char *carried, int v, const char *shape) {
    if (d->e->dtype != d->e->sum_dtype) {
        const int wide = name(d);
        text_add(&d->t, "convert %%v%d : (tensor<%s%s>) -> tensor<%s%s>\n", v, shape, d->e->name, shape, d->e->sum);
        v = wide;
    }
    const int k = name(d);
    if (chance(d, 0.5)) text_add(&d->t, "add %s, %%v%d : tensor<%s%s>\n", carried, v, shape, d->e->sum);
    else text_add(&d->t, "add %%v%d, %s : tensor<%s%s>\n", v, carried, shape, d->e->sum);
    return k;
}

static order any_order(drawn *d) { return chance(d, 0.1) ? ASTRAY : chance(d, 0.5) ? FORWARD : BACK; }

/* The body: a state s, products with fixed values that are written out (o), a sum of products (g) and of rows (h). */
static void iteration(drawn *d) {
    char kw[32], w[16], carried[8] = "%g";
    bool swapped;
    snprintf(kw, sizeof kw, "%lldx%lldx", (long long)d->k, (long long)d->w);
    snprintf(w, sizeof w, "%lldx", (long long)d->w);
    const int x = row(d, any_order(d), chance(d, 0.3) ? "xt" : "x", d->b, d->k);
    const int fixed = name(d);
    text_add(&d->t, "%s %s : tensor<%s%s>\n", "negate", chance(d, 0.5) ? "%m" : "%mc", kw, d->e->name);
    int y = product(d, x, d->b, d->k, fixed, d->k, d->w, 1, &swapped);
    y = straight(d, y, d->b, d->w, swapped);
    const char *type;
    const int at = place(d, FORWARD, &type), zero = number(d, type, 0), one = name(d);
    text_add(&d->t, "reshape %%v%d : (tensor<%lldx%s%s>) -> tensor<1x%lldx%s%s>\n", y, (long long)d->b, w, d->e->name,
             (long long)d->b, w, d->e->name);
    const int o = name(d);
    text_add(&d->t, "dynamic_update_slice %%o, %%v%d, %%v%d, %%v%d, %%v%d : (tensor<%lldx%lldx%s%s>, tensor<1x%lldx%s%s>, tensor<%s>, tensor<%s>, tensor<%s>) -> tensor<%lldx%lldx%s%s>\n",
             one, at, zero, zero, (long long)d->length, (long long)d->b, w, d->e->name, (long long)d->b, w, d->e->name,
             type, type, type, (long long)d->length, (long long)d->b, w, d->e->name);
    const int s = name(d);
    text_add(&d->t, "subtract %%v%d, %%s : tensor<%lldx%lldx%s>\n", x, (long long)d->b, (long long)d->k, d->e->name);
    /* what is summed: rows, the state before or after, what was computed */
    const int from[] = { x, s };
    int left = from[between(d, 0, 1)];
    if (chance(d, 0.3)) {
        left = name(d);
        text_add(&d->t, "negate %%s : tensor<%lldx%lldx%s>\n", (long long)d->b, (long long)d->k, d->e->name);
    }
    const int right = chance(d, 0.5) ? row(d, any_order(d), "z", d->b, d->w) : y;
    const int sums = chance(d, 0.2) ? 2 : 1; /* a sum of two terms stays */
    int g = 0;
    for (int i = 0; i < sums; i++) {
        const int p = product(d, left, d->b, d->k, right, d->b, d->w, 0, &swapped);
        g = added(d, carried, straight(d, p, d->k, d->w, swapped), kw);
        snprintf(carried, sizeof carried, "%%v%d", g);
    }
    const int init = name(d);
    text_add(&d->t, "constant dense<%s> : tensor<%s>\n", d->e->unit ? "0.0" : "0", d->e->name);
    const int sum = name(d);
    text_add(&d->t, "reduce(%%v%d init: %%v%d) applies stablehlo.add across dimensions = [0] : (tensor<%lldx%s%s>, tensor<%s>) -> tensor<%s%s>\n",
             right, init, (long long)d->b, w, d->e->name, d->e->name, w, d->e->name);
    const int h = added(d, "%h", sum, w), step = number(d, d->counter, d->by), next = name(d);
    text_add(&d->t, "add %%i, %%v%d : tensor<%s>\n", step, d->counter);
    /* the sum as it was before this iteration, too: something reads it then */
    text_add(&d->t, "stablehlo.return %%v%d, %%v%d, %%v%d, %%v%d, %%v%d, %s, %%mc : ", next, s, o, g, h,
             chance(d, 0.15) ? "%g" : "%r");
}

/* Types of what the loop carries but for its counter. */
static void types(drawn *d, text *t) {
    const char *e = d->e->name, *sum = d->e->sum;
    const long long b = d->b, k = d->k, w = d->w;
    text_add(t, "tensor<%lldx%lldx%s>, tensor<%lldx%lldx%lldx%s>, tensor<%lldx%lldx%s>, tensor<%lldx%s>, ", b, k, e,
             (long long)d->length, b, w, e, k, w, sum, w, sum);
    text_add(t, "tensor<%lldx%lldx%s>, tensor<%lldx%lldx%s>", k, w, sum, k, w, e);
}

/* %NAME:7 = the loop from values `from`, six names. */
static void loop(drawn *d, const char *result, const char *from, const char *carried) {
    const int first = number(d, d->counter, d->from),
              limit = d->known ? number(d, d->counter, d->from + d->n * d->by) : -1;
    char end[16];
    snprintf(end, sizeof end, limit < 0 ? "%%end" : "%%v%d", limit);
    text_add(&d->t, "%%%s:7 = stablehlo.while(%%i = %%v%d, %s) : tensor<%s>, ", result, first, from, d->counter);
    types(d, &d->t);
    text_add(&d->t, "\ncond {\n%%more = stablehlo.compare %s, %%i, %s : (tensor<%s>, tensor<%s>) -> tensor<i1>\n",
             chance(d, 0.3) ? "NE" : d->by > 0 ? "LT" : "GT", end, d->counter, d->counter);
    text_add(&d->t, "stablehlo.return %%more : tensor<i1>\n} do {\n");
    iteration(d);
    text_add(&d->t, "tensor<%s>, %s\n}\n", d->counter, carried);
}

static void draw(drawn *d, uint64_t seed) {
    *d = (drawn){ .rng = { seed } };
    d->e = &elements[between(d, 0, WEFT_COUNT(elements) - 1)];
    d->counter = counters[between(d, 0, WEFT_COUNT(counters) - 1)];
    d->exact = !d->e->unit || chance(d, 0.5);
    d->n = chance(d, 0.1) ? between(d, 0, 1) : between(d, 2, MOST);
    d->b = between(d, 1, 3), d->k = between(d, 1, 3), d->w = between(d, 1, 3);
    d->by = d->counter[0] == 'i' && chance(d, 0.3) ? -1 : chance(d, 0.1) ? 2 : 1;
    d->from = chance(d, 0.5) ? 0 : d->counter[0] == 'i' ? between(d, -9, 9) : between(d, 0, 9);
    d->low = chance(d, 0.6) ? 0 : between(d, 0, 3);
    d->length = d->low + (d->n ? d->n : 1) + (chance(d, 0.6) ? 0 : between(d, 0, 2));
    d->nested = chance(d, 0.2), d->known = !chance(d, 0.1);
    text all = { .n = 0 };
    types(d, &all);
    const char *e = d->e->name, *sum = d->e->sum;
    const long long b = d->b, k = d->k, w = d->w, n = d->length;
    text_add(&d->t, "func.func @main(%%x: tensor<%lldx%lldx%lldx%s>, %%xt: tensor<%lldx%lldx%lldx%s>, %%z: tensor<%lldx%lldx%lldx%s>, ",
             n, b, k, e, b, n, k, e, n, b, w, e);
    text_add(&d->t, "%%m: tensor<%lldx%lldx%s>, %%s0: tensor<%lldx%lldx%s>, %%o0: tensor<%lldx%lldx%lldx%s>, ", k, w, e, b,
             k, e, n, b, w, e);
    text_add(&d->t, "%%g0: tensor<%lldx%lldx%s>, %%h0: tensor<%lldx%s>, %%end: tensor<%s>) -> (%s) {\n", k, w, sum, w, sum,
             d->counter, all.v);
    if (d->nested) {
        const int zero = number(d, "i32", 0);
        text_add(&d->t, "%%out:7 = stablehlo.while(%%j = %%v%d, %%s1 = %%s0, %%o1 = %%o0, %%g1 = %%g0, %%h1 = %%h0, %%r1 = %%g0, %%m1 = %%m) : tensor<i32>, %s\n",
                 zero, all.v);
        text_add(&d->t, "cond {\n%%two = stablehlo.constant dense<2> : tensor<i32>\n%%more = stablehlo.compare LT, %%j, %%two : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %%more : tensor<i1>\n} do {\n");
        loop(d, "in", "%s = %s1, %o = %o1, %g = %g1, %h = %h1, %r = %r1, %mc = %m1", all.v);
        const int one = number(d, "i32", 1), next = name(d);
        text_add(&d->t, "add %%j, %%v%d : tensor<i32>\n", one);
        text_add(&d->t, "stablehlo.return %%v%d, %%in#1, %%in#2, %%in#3, %%in#4, %%in#5, %%in#6 : tensor<i32>, %s\n}\n", next, all.v);
    } else loop(d, "out", "%s = %s0, %o = %o0, %g = %g0, %h = %h0, %r = %g0, %mc = %m", all.v);
    text_add(&d->t, "return %%out#1, %%out#2, %%out#3, %%out#4, %%out#5, %%out#6 : %s\n}\n", all.v);
}

/* ---- both ways ---- */

typedef struct counted { int products, sums, carried; } counted;

/* The products and sums inside of loops. */
static weft_status count(void *user, weft_op *op) {
    counted *c = user;
    bool inside = false;
    for (const weft_op *p = weft_op_parent(op); p; p = weft_op_parent(p)) inside = inside || p->kind == WEFT_OP_while;
    c->products += inside && op->kind == WEFT_OP_dot_general;
    c->sums += inside && op->kind == WEFT_OP_reduce;
    return WEFT_OK;
}

/* All that may move moves, if stacks is "true". */
static weft_status legalize(weft_context *cx, const char *stacks, weft_module **m) {
    weft_machine machine = weft_machine_default;
    machine.costs.stack_gain = -1e30, machine.costs.hold_growth = 1e30;
    const weft_environment environment = { .machine = &machine };
    const weft_pass_option option = { WEFT_STR("stack-steps"), weft_str_from(stacks) };
    const weft_pipeline_call call = { .spec = WEFT_STR("weft-legalize"), .options = &option, .option_count = 1,
                                      .environment = &environment, .flags = WEFT_PIPELINE_VERIFY_EACH };
    return weft_pipeline_call_run(cx, &call, m);
}

static void compile(program *p, const char *source, const char *stacks, counted *c) {
    const weft_compile_options options = { .device_count = 1 };
    weft_module *m = NULL;
    program_begin(p);
    weft_status st = weft_read_text(p->cx, weft_str_from(source), "test", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(p->cx, WEFT_STR("weft-prepare"), WEFT_PIPELINE_VERIFY_EACH, &m);
    if (st == WEFT_OK) st = legalize(p->cx, stacks, &m);
    *c = (counted){ 0 };
    if (st == WEFT_OK) st = weft_module_walk(m, count, c);
    program_compile(p, source, st, m, &options);
}

/* Small integers, or numbers within [-1, 1]; the last argument is the loop's end. */
static void fill(drawn *d, const program *p) {
    weft_rng r = d->rng;
    for (uint32_t i = 0; i + 1 < p->x->arg_count; i++) {
        const weft_exec_value *v = &p->x->args[i];
        const size_t each = weft_dtype_bytes(v->dtype);
        const int64_t low = weft_dtype_of(v->dtype)->kind == WEFT_KIND_UINT ? 0 : -3;
        for (size_t k = 0; k < (size_t)v->bytes / each; k++)
            weft_dtype_store(v->dtype, (char *)p->args[i] + k * each,
                             d->exact ? (double)weft_rng_range(&r, low, 3) : 2 * weft_rng_unit(&r) - 1);
    }
    const weft_exec_value *end = &p->x->args[p->x->arg_count - 1];
    weft_dtype_store_int(end->dtype, p->args[p->x->arg_count - 1], d->from + d->n * d->by);
}

/* The sum of all terms has at most 2 * MOST * 3 * 3 of them, in two loops of a nest, each a product of numbers within
 * [-8, 8]; a term may be rounded to the type of its factors. */
static double bound(const drawn *d) { return d->exact ? 0 : 2 * MOST * 9 * 64 * d->e->unit; }

START_TEST(same_results) {
    const uint64_t first = weft_test_seed(27000);
    const int cases = getenv("WEFT_SEED") ? 1 : weft_test_sample(CASES);
    int hoisted = 0, sunk = 0, sums = 0, same = 0;
    for (int i = 0; i < cases; i++) {
        static drawn d;
        program plain, stacked;
        counted before, after;
        draw(&d, first + (uint64_t)i);
        compile(&plain, d.t.v, "false", &before), compile(&stacked, d.t.v, "true", &after);
        fill(&d, &plain), fill(&d, &stacked);
        program_run(&plain), program_run(&stacked);
        program_compare(&plain, &stacked, (bounds){ .absolute = bound(&d) }, d.t.v, first + (uint64_t)i);
        hoisted += before.products - after.products == 1, sunk += before.products - after.products == 2;
        sums += before.sums > after.sums, same += before.products == after.products && before.sums == after.sums;
        program_close(&plain), program_close(&stacked);
    }
    printf("%d loops: %d lost one product, %d two, %d a sum of rows; %d kept all\n", cases, hoisted, sunk, sums, same), fflush(stdout);
    ck_assert(cases == 1 || (hoisted > cases / 8 && sunk > cases / 8 && sums > cases / 8 && same > cases / 16));
}
END_TEST

static weft_status prepare(weft_context *cx, const char *source, weft_module **m) {
    weft_status st = weft_read_text(cx, weft_str_from(source), "test", 0, m);
    return st == WEFT_OK ? weft_pipeline_run(cx, WEFT_STR("weft-prepare"), 0, m) : st;
}

static weft_status begin(weft_context *cx, void *source) {
    weft_module *m = NULL;
    weft_status st = prepare(cx, source, &m);
    weft_module_free(m);
    return st;
}

static weft_status rearrange(weft_context *cx, void *source) {
    weft_module *m = NULL;
    weft_status st = prepare(cx, source, &m);
    if (st == WEFT_OK) st = legalize(cx, "true", &m);
    weft_module_free(m);
    return st;
}

/* Memory that runs out on the way. */
START_TEST(failures) {
    static drawn d;
    draw(&d, weft_test_seed(27000) + (uint64_t)_i);
    ck_assert(weft_test_any_failure(begin, rearrange, d.t.v, weft_test_long(FAILURES)));
}
END_TEST

int main(void) {
    Suite *s = suite_create("legalize/steps");
    TCase *tc = tcase_create("steps");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, same_results);
    tcase_add_loop_test(tc, failures, 0, PROGRAMS);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
