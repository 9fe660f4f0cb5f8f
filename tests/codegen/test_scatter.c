/* Scatters of one and two tensors with random dimension numbers, indices inside and outside, against the spec's
 * formula, with updates in row-major order. The seed is printed; WEFT_SEED sets it. */
#include <stdio.h>
#include "tests/codegen/program.h"

enum { RANK = 3, PER_BODY = 12 };

/* Operand dimension d is a batching one, an inserted one, or a window dimension; indexed or not. `wide`: the first
 * dimension is longer than half of what a byte counts, and indices are anywhere in their type. */
typedef struct case_of {
    /* scatter_rank: dimensions of the indices but the vector */
    uint32_t rank, batches, scatter_rank, update_rank, mapped;
    int64_t dims[RANK], window[RANK], scatter[2 + RANK], update[2 * RANK + 2];
    bool inserted[RANK], batch[RANK];
    bool wide;
    int64_t map[RANK];      /* scatter_dims_to_operand_dims */
    uint32_t vector_dim;    /* of the indices: first or last */
    const char *index_type;
} case_of;

static case_of random_case(weft_rng *r) {
    static const char *const types[] = { "i32", "i64", "i8", "ui32", "ui8", "i16" };
    case_of c = { .rank = 1 + (uint32_t)weft_rng_range(r, 0, RANK - 1), .index_type = types[weft_rng_range(r, 0, 5)],
                  .wide = weft_rng_range(r, 0, 2) == 0 };
    for (uint32_t d = 0; d < c.rank; d++) {
        c.dims[d] = c.wide && d == 0 ? weft_rng_range(r, 120, 270) : weft_rng_range(r, 1, 6);
        const int64_t what = weft_rng_range(r, 0, 5);
        c.batch[d] = what == 0;
        c.inserted[d] = what == 1 || what == 2;
        c.window[d] = c.batch[d] || c.inserted[d] ? 1 : weft_rng_range(r, 1, c.dims[d]);
        if (!c.batch[d] && weft_rng_range(r, 0, 3) > (c.inserted[d] ? 0 : 1)) c.map[c.mapped++] = d;
        if (c.batch[d]) c.batches++;
    }
    for (uint32_t d = 0; d < c.rank; d++)
        if (c.batch[d]) c.scatter[c.scatter_rank++] = c.dims[d];
    for (int64_t n = weft_rng_range(r, 0, 2); n > 0; n--)
        c.scatter[c.scatter_rank++] = weft_rng_range(r, 0, 9) ? weft_rng_range(r, 1, 5) : 0;
    c.vector_dim = weft_rng_range(r, 0, 1) ? c.scatter_rank : 0;
    for (uint32_t d = 0; d < c.scatter_rank; d++) c.update[c.update_rank++] = c.scatter[d];
    for (uint32_t d = 0; d < c.rank; d++)
        if (!c.batch[d] && !c.inserted[d]) c.update[c.update_rank++] = c.window[d];
    return c;
}

static void tensor(text *t, uint32_t rank, const int64_t *dims, const char *dtype) {
    text_add(t, "tensor<");
    text_type(t, rank, dims, dtype);
    text_add(t, ">");
}

static uint32_t index_shape(const case_of *c, int64_t *out) {
    uint32_t n = 0;
    for (uint32_t d = 0; d <= c->scatter_rank; d++) {
        if (d == c->vector_dim) out[n++] = c->mapped;
        if (d < c->scatter_rank) out[n++] = c->scatter[d];
    }
    return n;
}

/* "a = [1, 2], " of the dimensions that pick says yes to. */
static void numbers(text *t, const char *name, const int64_t *v, uint32_t n) {
    text_add(t, "%s = [", name);
    for (uint32_t i = 0; i < n; i++) text_add(t, "%s%lld", i ? ", " : "", (long long)v[i]);
    text_add(t, "], ");
}

static void write_numbers(text *t, const case_of *c) {
    int64_t windows[RANK], inserted[RANK], batches[RANK], index_batches[RANK];
    uint32_t w = 0, i = 0, b = 0;
    for (uint32_t d = 0; d < c->rank; d++) {
        if (c->batch[d]) index_batches[b] = b + (c->vector_dim == 0), batches[b++] = d;
        else if (c->inserted[d]) inserted[i++] = d;
        else windows[w] = c->scatter_rank + w, w++;
    }
    text_add(t, "scatter_dimension_numbers = #stablehlo.scatter<");
    if (w) numbers(t, "update_window_dims", windows, w);
    if (i) numbers(t, "inserted_window_dims", inserted, i);
    if (b) numbers(t, "input_batching_dims", batches, b), numbers(t, "scatter_indices_batching_dims", index_batches, b);
    if (c->mapped) numbers(t, "scatter_dims_to_operand_dims", c->map, c->mapped);
    text_add(t, "index_vector_dim = %u>", c->vector_dim);
}

static void types(text *t, const case_of *c, const body *b, bool named) {
    int64_t indices[RANK + 3];
    const uint32_t n = index_shape(c, indices);
    for (uint32_t i = 0; i < b->n; i++) {
        if (named) text_add(t, "%%x%u: ", i);
        tensor(t, c->rank, c->dims, "i32");
        text_add(t, ", ");
    }
    if (named) text_add(t, "%%i: ");
    tensor(t, n, indices, c->index_type);
    for (uint32_t i = 0; i < b->n; i++) {
        text_add(t, named ? ", %%u%u: " : ", ", i);
        tensor(t, c->update_rank, c->update, "i32");
    }
}

static void results(text *t, const case_of *c, const body *b) {
    for (uint32_t i = 0; i < b->n; i++) {
        if (i) text_add(t, ", ");
        tensor(t, c->rank, c->dims, "i32");
    }
}

static void write_program(text *t, const case_of *c, const body *b) {
    text_add(t, "func.func @main(");
    types(t, c, b, true);
    text_add(t, ") -> (");
    results(t, c, b);
    text_add(t, ") {\n%%r%s = \"stablehlo.scatter\"(%s) (", b->n == 2 ? ":2" : "",
             b->n == 2 ? "%x0, %x1, %i, %u0, %u1" : "%x0, %i, %u0");
    text_region(t, b);
    text_add(t, ") {");
    write_numbers(t, c);
    text_add(t, "} : (");
    types(t, c, b, false);
    text_add(t, ") -> (");
    results(t, c, b);
    text_add(t, ")\nreturn %s : ", b->n == 2 ? "%r#0, %r#1" : "%r");
    results(t, c, b);
    text_add(t, "\n}\n");
}

/* Where update element u goes, or -1. */
static int64_t place(const case_of *c, weft_dtype type, const char *indices, const int64_t *u) {
    int64_t shape[RANK + 3], at[RANK + 3], full[RANK] = { 0 };
    const uint32_t n = index_shape(c, shape);
    uint32_t batch = 0, window = c->scatter_rank;
    for (uint32_t k = 0; k < c->mapped; k++) {
        for (uint32_t d = 0, s = 0; d < n; d++) at[d] = d == c->vector_dim ? k : u[s++];
        const int64_t i = shape_number(n, shape, at);
        full[c->map[k]] = (int64_t)weft_dtype_load(type, indices + i * (int64_t)weft_dtype_bytes(type));
    }
    for (uint32_t d = 0; d < c->rank; d++) {
        if (c->batch[d]) full[d] = u[batch++];
        else if (!c->inserted[d]) full[d] += u[window++];
        if (full[d] < 0 || full[d] >= c->dims[d]) return -1;
    }
    return shape_number(c->rank, c->dims, full);
}

static void expect(const case_of *c, const body *b, const program *p, int32_t *want) {
    int64_t u[2 * RANK + 2] = { 0 }, k = 0;
    for (int64_t i = 0; i < shape_elems(c->rank, c->dims); i++)
        for (uint32_t e = 0; e < b->n; e++) want[2 * i + e] = ((int32_t *)p->args[e])[i];
    if (!shape_elems(c->update_rank, c->update)) return;
    do {
        const int64_t to = place(c, p->x->args[b->n].dtype, p->args[b->n], u);
        int32_t v[2] = { 0 };
        for (uint32_t e = 0; e < b->n; e++) v[e] = ((int32_t *)p->args[b->n + 1 + e])[k];
        if (to >= 0) b->apply(&want[2 * to], v, &want[2 * to]);
        k++;
    } while (shape_next(c->update_rank, c->update, u));
}

static void fill(const weft_exec_value *v, void *p, weft_rng *r, int64_t low, int64_t high) {
    const int64_t size = (int64_t)weft_dtype_bytes(v->dtype);
    for (int64_t i = 0; i < v->bytes; i += size)
        weft_dtype_store(v->dtype, (char *)p + i, (double)weft_rng_range(r, low, high));
}

START_TEST(test_random) {
    const uint64_t seed = weft_test_seed(12000) + (uint64_t)_i;
    const body *b = &bodies[(uint32_t)_i % body_count];
    weft_rng r = { seed };
    const case_of c = random_case(&r);
    text t = { .n = 0 };
    program p;
    write_program(&t, &c, b);
    program_open(&p, t.v);
    const bool from_zero = c.index_type[0] == 'u';
    const int64_t most = c.wide ? from_zero ? 255 : 127 : 7, least = from_zero ? 0 : c.wide ? -128 : -2;
    for (uint32_t i = 0; i < p.x->arg_count; i++)
        fill(&p.x->args[i], p.args[i], &r, i == b->n ? least : -9, i == b->n ? most : 9);
    program_run(&p);
    const int64_t n = shape_elems(c.rank, c.dims);
    int32_t *want = calloc((size_t)n * 2 + 1, sizeof *want);
    expect(&c, b, &p, want);
    for (int64_t i = 0; i < n; i++)
        for (uint32_t e = 0; e < b->n; e++) {
            if (((int32_t *)p.results[e])[i] != want[2 * i + e])
                printf("seed %llu, %s, element %lld\n%s", (unsigned long long)seed, b->name, (long long)i, t.v);
            ck_assert_int_eq(((int32_t *)p.results[e])[i], want[2 * i + e]);
        }
    free(want);
    program_close(&p);
}
END_TEST

/* An operand that is needed afterwards, and one that two scatters start from, stay what they were. */
START_TEST(test_operand_stays) {
    static const char source[] =
        "func.func @main(%x: tensor<5xi32>, %i: tensor<3x1xi32>, %u: tensor<3xi32>) -> (tensor<5xi32>, tensor<5xi32>, tensor<5xi32>) {\n"
        "%y = stablehlo.add %x, %x : tensor<5xi32>\n"
        "%a = \"stablehlo.scatter\"(%y, %i, %u) ({\n^bb0(%p: tensor<i32>, %q: tensor<i32>):\n%s = stablehlo.add %p, %q : tensor<i32>\nstablehlo.return %s : tensor<i32>\n})"
        " {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<5xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<5xi32>\n"
        "%b = \"stablehlo.scatter\"(%y, %i, %u) ({\n^bb0(%p: tensor<i32>, %q: tensor<i32>):\n%s = stablehlo.multiply %p, %q : tensor<i32>\nstablehlo.return %s : tensor<i32>\n})"
        " {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<5xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<5xi32>\n"
        "%c = stablehlo.subtract %y, %a : tensor<5xi32>\n"
        "return %a, %b, %c : tensor<5xi32>, tensor<5xi32>, tensor<5xi32>\n}\n";
    static const int32_t x[5] = { 1, 2, 3, 4, 5 }, i[3] = { 1, 4, 1 }, u[3] = { 10, 20, 30 };
    static const int32_t want[3][5] = { { 2, 44, 6, 8, 30 }, { 2, 1200, 6, 8, 200 }, { 0, -40, 0, 0, -20 } };
    program p;
    program_open(&p, source);
    memcpy(p.args[0], x, sizeof x), memcpy(p.args[1], i, sizeof i), memcpy(p.args[2], u, sizeof u);
    program_run(&p);
    for (int k = 0; k < 3; k++) ck_assert_mem_eq(p.results[k], want[k], sizeof want[k]);
    program_close(&p);
}
END_TEST

/* Two tensors of different types, one update of each. */
START_TEST(test_two_types) {
    static const char source[] =
        "func.func @main(%x: tensor<3xf64>, %y: tensor<3xi8>, %i: tensor<1xi32>, %u: tensor<f64>, %v: tensor<i8>) -> (tensor<3xf64>, tensor<3xi8>) {\n"
        "%r:2 = \"stablehlo.scatter\"(%x, %y, %i, %u, %v) ({\n^bb0(%a: tensor<f64>, %b: tensor<i8>, %c: tensor<f64>, %d: tensor<i8>):\n"
        "%s = stablehlo.maximum %a, %c : tensor<f64>\n%t = stablehlo.add %b, %d : tensor<i8>\nstablehlo.return %s, %t : tensor<f64>, tensor<i8>\n})"
        " {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}"
        " : (tensor<3xf64>, tensor<3xi8>, tensor<1xi32>, tensor<f64>, tensor<i8>) -> (tensor<3xf64>, tensor<3xi8>)\n"
        "return %r#0, %r#1 : tensor<3xf64>, tensor<3xi8>\n}\n";
    static const double x[3] = { 1, 2, 3 }, u = 2.5, first[3] = { 1, 2.5, 3 };
    static const int8_t y[3] = { 4, 120, 6 }, v = 9, second[3] = { 4, -127, 6 };
    static const int32_t i = 1;
    program p;
    program_open(&p, source);
    memcpy(p.args[0], x, sizeof x), memcpy(p.args[1], y, sizeof y), memcpy(p.args[2], &i, sizeof i),
        memcpy(p.args[3], &u, sizeof u), memcpy(p.args[4], &v, sizeof v);
    program_run(&p);
    ck_assert_int_eq(p.x->results[1].dtype, WEFT_I8);
    ck_assert_mem_eq(p.results[0], first, sizeof first);
    ck_assert_mem_eq(p.results[1], second, sizeof second);
    program_close(&p);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/scatter");
    TCase *tc = tcase_create("scatter");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_random, 0, PER_BODY * (int)body_count);
    tcase_add_test(tc, test_operand_stays);
    tcase_add_test(tc, test_two_types);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
