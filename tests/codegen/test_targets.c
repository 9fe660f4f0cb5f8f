/* Processors of other kinds than this one, as far as this one runs their code: rows that end within a vector, of
 * concatenations, pads, updated parts and permutations, with nothing mapped before and after the arguments. What is
 * masked off must not be read: LLVM 19 read whole registers of it where there are AVX registers but no masks of
 * AVX-512. WEFT_SEED changes what is drawn. */
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/codegen/program.h"

typedef struct target { const char *cpu, *needs; } target;
static const target targets[] = {
    { NULL, "sse2" },
    { "x86-64", "sse2" },
    { "haswell,+avx,+avx2,+fma,+f16c,+bmi,+bmi2", "avx2" },
    { "skylake-avx512,+avx,+avx2,+fma,+f16c,+avx512f,+avx512cd,+avx512bw,+avx512dq,+avx512vl", "avx512vl" },
};

static bool runs_here(const target *t) {
#ifdef __x86_64__
    if (!strcmp(t->needs, "avx2")) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return strcmp(t->needs, "avx512vl") || (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                                            __builtin_cpu_supports("avx512dq"));
#else
    return !t->cpu;
#endif
}

/* Bytes that begin at a page, or end as near to one as buffers may, and nothing mapped on either side. */
typedef struct guarded { char *map, *at; size_t pages; } guarded;

static guarded guard(size_t bytes, bool at_end) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
    guarded g = { .pages = room + 2 * page };
    g.map = mmap(NULL, g.pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(g.map != MAP_FAILED);
    /* qemu-user refuses no bytes, where Linux has nothing to do. */
    if (room) ck_assert_int_eq(mprotect(g.map + page, room, PROT_READ | PROT_WRITE), 0);
    g.at = g.map + page + (at_end ? (room - bytes) / WEFT_BUFFER_ALIGN * WEFT_BUFFER_ALIGN : 0);
    return g;
}

/* part: of a float or of a complex number's part; 0: an integer */
typedef struct type { const char *name; size_t bytes, part; } type;

/* pad(concatenate(x, y, x)), at its edges and between its elements, part of it replaced by y where it fits, negated, or
 * the absolute value of integers. */
typedef struct drawn {
    type type;
    int64_t rows, cols, dim, low[2], high[2], step[2], out[2]; /* step: 1 + what is padded between elements */
    int64_t start[2];       /* of the part, before it is clamped */
    bool update;
} drawn;

static const type types[] = { { "f64", 8, 8 },          { "f32", 4, 4 },           { "f16", 2, 2 },
                              { "complex<f32>", 8, 4 }, { "complex<f64>", 16, 8 }, { "i64", 8, 0 },
                              { "i32", 4, 0 },          { "i16", 2, 0 },           { "i8", 1, 0 },
                              { "bf16", 2, 2 },         { "f8E5M2", 1, 1 } };

static drawn draw(weft_rng *r) {
    drawn d = { .type = types[weft_rng_below(r, sizeof types / sizeof *types)] };
    d.rows = weft_rng_range(r, 1, weft_rng_chance(r, 0.7) ? 4 : 20);
    d.cols = weft_rng_range(r, 1, weft_rng_chance(r, 0.7) ? 40 : 300);
    d.dim = weft_rng_chance(r, 0.3);
    for (int i = 0; i < 2; i++) {
        d.low[i] = weft_rng_chance(r, 0.5) ? 0 : weft_rng_range(r, i ? 1 - d.cols : 0, 20);
        d.high[i] = weft_rng_chance(r, 0.5) ? 0 : weft_rng_range(r, 0, 20);
        d.step[i] = weft_rng_chance(r, 0.7) ? 1 : weft_rng_range(r, 2, 10);
    }
    d.out[0] = ((d.dim ? 1 : 3) * d.rows - 1) * d.step[0] + 1 + d.low[0] + d.high[0];
    d.out[1] = ((d.dim ? 3 : 1) * d.cols - 1) * d.step[1] + 1 + d.low[1] + d.high[1];
    d.update = d.out[0] >= d.rows && d.out[1] >= d.cols && weft_rng_chance(r, 0.4);
    for (int i = 0; i < 2; i++) d.start[i] = weft_rng_range(r, -3, d.out[i] + 3);
    return d;
}

static void write_text(const drawn *d, text *t) {
    char in[64], whole[64], out[64];
    const char *e = d->type.name;
    snprintf(in, sizeof in, "tensor<%lldx%lldx%s>", (long long)d->rows, (long long)d->cols, e);
    snprintf(whole, sizeof whole, "tensor<%lldx%lldx%s>", (long long)((d->dim ? 1 : 3) * d->rows),
             (long long)((d->dim ? 3 : 1) * d->cols), e);
    snprintf(out, sizeof out, "tensor<%lldx%lldx%s>", (long long)d->out[0], (long long)d->out[1], e);
    text_add(t, "func.func @main(%%x: %s, %%y: %s, %%i: tensor<i64>, %%j: tensor<i64>) -> %s {\n", in, in, out);
    text_add(t, "  %%z = stablehlo.constant dense<%s> : tensor<%s>\n",
             *e == 'c'      ? "(0.0, 0.0)"
             : d->type.part ? "0.0"
                            : "0",
             e);
    text_add(t, "  %%0 = stablehlo.concatenate %%x, %%y, %%x, dim = %lld : (%s, %s, %s) -> %s\n", (long long)d->dim, in,
             in, in, whole);
    text_add(
        t,
        "  %%1 = stablehlo.pad %%0, %%z, low = [%lld, %lld], high = [%lld, %lld], interior = [%lld, %lld] : (%s, tensor<%s>) -> %s\n",
        (long long)d->low[0], (long long)d->low[1], (long long)d->high[0], (long long)d->high[1],
        (long long)d->step[0] - 1, (long long)d->step[1] - 1, whole, e, out);
    if (d->update)
        text_add(
            t, "  %%u = stablehlo.dynamic_update_slice %%1, %%y, %%i, %%j : (%s, %s, tensor<i64>, tensor<i64>) -> %s\n",
            out, in, out);
    text_add(t, "  %%2 = stablehlo.%s %%%s : %s\n  return %%2 : %s\n}\n", d->type.part ? "negate" : "abs",
             d->update ? "u" : "1", out, out);
}

/* The element of x or y at (i, j) of the result; NULL: a zero of the padding. */
static const char *element_at(const drawn *d, const char *x, const char *y, int64_t i, int64_t j) {
    const int64_t size[2] = { d->rows, d->cols };
    int64_t at[2] = { i, j }, in[2] = { i - d->low[0], j - d->low[1] };
    bool in_part = d->update;
    for (int k = 0; k < 2; k++) {
        const int64_t most = d->out[k] - size[k], start = d->start[k] < 0 ? 0 : d->start[k] > most ? most : d->start[k];
        at[k] -= start;
        in_part = in_part && at[k] >= 0 && at[k] < size[k];
    }
    if (in_part) return y + (size_t)(at[0] * d->cols + at[1]) * d->type.bytes;
    for (int k = 0; k < 2; k++) {
        if (in[k] < 0 || in[k] % d->step[k] || in[k] / d->step[k] >= size[k] * (d->dim == k ? 3 : 1)) return NULL;
        in[k] /= d->step[k];
    }
    const char *from = in[d->dim] / size[d->dim] == 1 ? y : x;
    in[d->dim] %= size[d->dim];
    return from + (size_t)(in[0] * d->cols + in[1]) * d->type.bytes;
}

static void expect(const drawn *d, const char *x, const char *y, char *out) {
    for (int64_t i = 0; i < d->out[0]; i++)
        for (int64_t j = 0; j < d->out[1]; j++, out += d->type.bytes) {
            const char *from = element_at(d, x, y, i, j);
            memset(out, 0, d->type.bytes);
            if (from) memcpy(out, from, d->type.bytes);
            for (size_t p = d->type.part; p && p <= d->type.bytes; p += d->type.part) out[p - 1] ^= (char)0x80;
        }
}

static void one(const target *on, weft_rng *r) {
    const drawn d = draw(r);
    int64_t start[2] = { d.start[0], d.start[1] };
    text t = { .n = 0 };
    write_text(&d, &t);
    const size_t in = (size_t)(d.rows * d.cols) * d.type.bytes, out = (size_t)(d.out[0] * d.out[1]) * d.type.bytes;
    guarded g[2] = { guard(in, weft_rng_chance(r, 0.5)), guard(in, weft_rng_chance(r, 0.5)) };
    for (int a = 0; a < 2; a++)
        for (size_t i = 0; i < in; i++)
            g[a].at[i] = (char)(1 + weft_rng_below(r, 40)); /* numbers of every type, none negative */
    program p;
    program_open_for(&p, t.v, on->cpu);
    char *want = calloc(1, out + 1);
    ck_assert(want != NULL);
    expect(&d, g[0].at, g[1].at, want);
    void *args[4] = { g[0].at, g[1].at, &start[0], &start[1] };
    ck_assert_int_eq(walk_run(p.x, args, p.results, NULL), WEFT_OK);
    ck_assert_msg(!memcmp(p.results[0], want, out), "%s: another result\n%s", on->cpu ? on->cpu : "this processor",
                  t.v);
    free(want);
    program_close(&p);
    for (int a = 0; a < 2; a++) munmap(g[a].map, g[a].pages);
}

static void many(const target *on, int count, void (*one_of)(const target *on, weft_rng *r)) {
    const uint64_t seed = weft_test_seed(1);
    if (!runs_here(on)) {
        printf("targets: this processor does not run the code of %s\n", on->cpu);
        return;
    }
    printf("targets: %s, seed %llu\n", on->cpu ? on->cpu : "this processor", (unsigned long long)seed);
    fflush(stdout);
    weft_rng r = { seed };
    for (int i = 0; i < weft_test_sample(count); i++) one_of(on, &r);
}

START_TEST(test_rows) { many(&targets[_i], 100, one); }
END_TEST

/* ---- permutations ---- */

/* x, of any rank, transposed, and then negated (or its absolute value) or not: run over in tiles, of more elements
 * where it is only moved. */
typedef struct permuted {
    type type;
    bool moved;
    uint32_t rank;
    int64_t dims[5], order[5], out[5];
} permuted;

static permuted draw_permuted(weft_rng *r) {
    permuted d = { .type = types[weft_rng_below(r, sizeof types / sizeof *types)],
                   .moved = weft_rng_chance(r, 0.5),
                   .rank = (uint32_t)weft_rng_range(r, 2, 5) };
    const int64_t longest = d.moved ? 200 : 70;
    int64_t left = d.moved ? 40000 : 6000;
    /* a dimension of a few elements beside long ones */
    const uint32_t thin = weft_rng_chance(r, 0.4) ? weft_rng_below(r, d.rank) : d.rank;
    for (uint32_t i = 0; i < d.rank; i++) d.order[i] = i;
    for (uint32_t i = d.rank; i-- > 0;) {
        const uint32_t k = (uint32_t)weft_rng_below(r, i + 1);
        const int64_t moved = d.order[i];
        d.order[i] = d.order[k], d.order[k] = moved;
        d.dims[i] = weft_rng_range(r, 1, left < longest ? left : longest);
        if (thin < d.rank)
            d.dims[i] = i == thin    ? weft_rng_range(r, 2, 9)
                        : d.rank < 4 ? weft_rng_range(r, 50, 150)
                                     : weft_rng_range(r, 1, 70);
        if (d.dims[i] > left && i != thin) d.dims[i] = left;
        left /= d.dims[i];
        if (left < 1) left = 1;
    }
    for (uint32_t i = 0; i < d.rank; i++) d.out[i] = d.dims[d.order[i]];
    return d;
}

static void one_permuted(const target *on, weft_rng *r) {
    const permuted d = draw_permuted(r);
    text t = { .n = 0 };
    text in = { .n = 0 }, out = { .n = 0 };
    text_type(&in, d.rank, d.dims, d.type.name), text_type(&out, d.rank, d.out, d.type.name);
    text_add(&t, "func.func @main(%%x: tensor<%s>) -> tensor<%s> {\n  %%0 = stablehlo.transpose %%x, dims = [", in.v,
             out.v);
    for (uint32_t i = 0; i < d.rank; i++) text_add(&t, "%s%lld", i ? ", " : "", (long long)d.order[i]);
    text_add(&t, "] : (tensor<%s>) -> tensor<%s>\n", in.v, out.v);
    if (!d.moved) text_add(&t, "  %%1 = stablehlo.%s %%0 : tensor<%s>\n", d.type.part ? "negate" : "abs", out.v);
    text_add(&t, "  return %%%d : tensor<%s>\n}\n", !d.moved, out.v);
    const size_t size = d.type.bytes, bytes = (size_t)shape_elems(d.rank, d.dims) * size;
    guarded g = guard(bytes, weft_rng_chance(r, 0.5));
    /* what is moved may be any bits, also of a NaN */
    for (size_t i = 0; i < bytes; i++) g.at[i] = (char)(d.moved ? weft_rng_below(r, 256) : 1 + weft_rng_below(r, 40));
    program p;
    program_open_for(&p, t.v, on->cpu);
    void *args[1] = { g.at };
    ck_assert_int_eq(walk_run(p.x, args, p.results, NULL), WEFT_OK);
    int64_t at[5] = { 0 }, from[5];
    const char *got = p.results[0];
    do {
        char want[16];
        for (uint32_t i = 0; i < d.rank; i++) from[d.order[i]] = at[i];
        memcpy(want, g.at + (size_t)shape_number(d.rank, d.dims, from) * size, size);
        for (size_t part = d.type.part; !d.moved && part && part <= size; part += d.type.part)
            want[part - 1] ^= (char)0x80;
        ck_assert_msg(!memcmp(got, want, size), "%s: another result\n%s", on->cpu ? on->cpu : "this processor", t.v);
        got += size;
    } while (shape_next(d.rank, d.out, at));
    program_close(&p);
    munmap(g.map, g.pages);
}

START_TEST(test_permutations) { many(&targets[_i], 60, one_permuted); }
END_TEST

/* ---- gathers ---- */

/* x's columns at places that are moved inside, negated (or the absolute value). */
static void one_gathered(const target *on, weft_rng *r) {
    const type e = types[weft_rng_below(r, sizeof types / sizeof *types)];
    const int64_t rows = weft_rng_range(r, 1, 9), cols = weft_rng_range(r, 1, 90), n = weft_rng_range(r, 1, 70);
    const size_t bytes = (size_t)(rows * cols) * e.bytes;
    int32_t place[70];
    text t = { .n = 0 };
    text_add(&t, "func.func @main(%%x: tensor<%lldx%lldx%s>, %%i: tensor<%lldx1xi32>) -> tensor<%lldx%lldx%s> {\n",
             (long long)rows, (long long)cols, e.name, (long long)n, (long long)rows, (long long)n, e.name);
    text_add(&t,
             "  %%0 = \"stablehlo.gather\"(%%x, %%i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], "
             "collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: %lld, "
             "1>}> : (tensor<%lldx%lldx%s>, tensor<%lldx1xi32>) -> tensor<%lldx%lldx%s>\n",
             (long long)rows, (long long)rows, (long long)cols, e.name, (long long)n, (long long)rows, (long long)n,
             e.name);
    text_add(&t, "  %%1 = stablehlo.%s %%0 : tensor<%lldx%lldx%s>\n  return %%1 : tensor<%lldx%lldx%s>\n}\n",
             e.part ? "negate" : "abs", (long long)rows, (long long)n, e.name, (long long)rows, (long long)n, e.name);
    guarded g = guard(bytes, weft_rng_chance(r, 0.5));
    for (size_t i = 0; i < bytes; i++) g.at[i] = (char)(1 + weft_rng_below(r, 40));
    for (int64_t k = 0; k < n; k++) place[k] = (int32_t)weft_rng_range(r, -3, cols + 3);
    program p;
    program_open_for(&p, t.v, on->cpu);
    void *args[2] = { g.at, place };
    ck_assert_int_eq(walk_run(p.x, args, p.results, NULL), WEFT_OK);
    const char *got = p.results[0];
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < n; k++, got += e.bytes) {
            char want[16];
            const int64_t j = place[k] < 0 ? 0 : place[k] >= cols ? cols - 1 : place[k];
            memcpy(want, g.at + (size_t)(i * cols + j) * e.bytes, e.bytes);
            for (size_t part = e.part; part && part <= e.bytes; part += e.part) want[part - 1] ^= (char)0x80;
            ck_assert_msg(!memcmp(got, want, e.bytes), "%s: another result\n%s", on->cpu ? on->cpu : "this processor",
                          t.v);
        }
    program_close(&p);
    munmap(g.map, g.pages);
}

START_TEST(test_gathers) { many(&targets[_i], 60, one_gathered); }
END_TEST

/* ---- several vectors at once ---- */

static void write_chain(text *t, int64_t n, const char *name) {
    char type[64];
    snprintf(type, sizeof type, "tensor<%lldx%s>", (long long)n, name);
    text_add(t, "func.func @main(%%x: %s) -> %s {\n  %%0 = stablehlo.logistic %%x : %s\n", type, type, type);
    text_add(t, "  %%1 = stablehlo.multiply %%x, %%0 : %s\n  %%2 = stablehlo.tanh %%1 : %s\n", type, type);
    text_add(t, "  %%3 = stablehlo.subtract %%2, %%x : %s\n  return %%3 : %s\n}\n", type, type);
}

/* Long rows go by several vectors at once and give the bits that short ones give, which do not. */
static void one_chain(const target *on, weft_rng *r) {
    static const weft_dtype of[] = { WEFT_F32, WEFT_BF16, WEFT_F16, WEFT_F8E4M3FN };
    enum { SHORT = 61 };
    const weft_dtype type = of[weft_rng_below(r, sizeof of / sizeof *of)];
    const char *name = weft_dtype_of(type)->name;
    const int64_t n = weft_rng_range(r, SHORT, 1500), size = (int64_t)weft_dtype_bytes(type);
    text t = { .n = 0 }, part = { .n = 0 };
    write_chain(&t, n, name), write_chain(&part, SHORT, name);
    guarded g = guard((size_t)(n * size), weft_rng_chance(r, 0.5));
    for (int64_t i = 0; i < n; i++) weft_dtype_store(type, g.at + i * size, 16 * weft_rng_unit(r) - 8);
    program p, q;
    program_open_for(&p, t.v, on->cpu), program_open_for(&q, part.v, on->cpu);
    ck_assert_int_eq(walk_run(p.x, (void *[]){ g.at }, p.results, NULL), WEFT_OK);
    for (int64_t at = 0; at < n; at += SHORT) {
        char in[SHORT * 4];
        const int64_t first = at + SHORT < n ? at : n - SHORT;
        memcpy(in, g.at + first * size, (size_t)(SHORT * size));
        ck_assert_int_eq(walk_run(q.x, (void *[]){ in }, q.results, NULL), WEFT_OK);
        ck_assert_msg(!memcmp((char *)p.results[0] + first * size, q.results[0], (size_t)(SHORT * size)),
                      "%s: another result from %lld on\n%s", on->cpu ? on->cpu : "this processor", (long long)first,
                      t.v);
    }
    program_close(&p), program_close(&q);
    munmap(g.map, g.pages);
}

START_TEST(test_chains) { many(&targets[_i], 24, one_chain); }
END_TEST

/* ---- prefixes ---- */

/* Of -x along the rows, and what is left of them when x is taken away. */
static void write_prefixes(text *t, const type *e, const char *op, int64_t rows, int64_t cols) {
    char x[64];
    snprintf(x, sizeof x, "tensor<%lldx%lldx%s>", (long long)rows, (long long)cols, e->name);
    text_add(t, "func.func @main(%%x: %s, %%y: tensor<%lldx%s>) -> (%s, %s) {\n  %%n = stablehlo.negate %%x : %s\n", x,
             (long long)cols, e->name, x, x, x);
    text_add(t, "  %%i = stablehlo.constant dense<%s> : tensor<%s>\n  %%p = \"stablehlo.reduce_window\"(%%n, %%i) ({\n",
             e->part && e->part < e->bytes ? "(3.0, 1.0)" : e->part ? "3.0" : "3", e->name);
    text_add(t, "  ^bb0(%%a: tensor<%s>, %%b: tensor<%s>):\n    %%s = stablehlo.%s %%a, %%b : tensor<%s>\n", e->name,
             e->name, op, e->name);
    text_add(t, "    stablehlo.return %%s : tensor<%s>\n  }) {window_dimensions = array<i64: 1, %lld>, padding = "
             "dense<[[0, 0], [%lld, 0]]> : tensor<2x2xi64>} : (%s, tensor<%s>) -> %s\n", e->name, (long long)cols,
             (long long)cols - 1, x, e->name, x);
    text_add(t, "  %%z = stablehlo.broadcast_in_dim %%y, dims = [1] : (tensor<%lldx%s>) -> %s\n", (long long)cols,
             e->name, x);
    text_add(t, "  %%q = stablehlo.subtract %%p, %%z : %s\n  return %%p, %%q : %s, %s\n}\n", x, x, x);
}

/* Of n bytes of elements. Which of two NaN a sum gives is the processor's. */
static bool are_same(const type *e, const char *a, const char *b, size_t n) {
    if (!e->part) return !memcmp(a, b, n);
    const weft_dtype t = weft_dtype_part(weft_dtype_parse(weft_str_from(e->name)));
    for (size_t i = 0; i < n; i += e->part)
        if (memcmp(a + i, b + i, e->part) && (!isnan(weft_dtype_load(t, a + i)) || !isnan(weft_dtype_load(t, b + i))))
            return false;
    return true;
}

/* Rows side by side give the numbers that one gives, which has nothing beside it. */
static void one_prefix(const target *on, weft_rng *r) {
    static const char *const ops[] = { "add", "multiply", "maximum", "minimum" };
    const type e = types[weft_rng_below(r, sizeof types / sizeof *types)];
    const char *op = ops[weft_rng_below(r, e.part && e.part < e.bytes ? 2 : 4)];
    const int64_t rows = weft_rng_range(r, 8, 50), cols = weft_rng_range(r, 17, 90);
    const size_t row = (size_t)cols * e.bytes;
    text t = { .n = 0 }, alone = { .n = 0 };
    write_prefixes(&t, &e, op, rows, cols), write_prefixes(&alone, &e, op, 1, cols);
    guarded x = guard((size_t)rows * row, weft_rng_chance(r, 0.5)), y = guard(row, weft_rng_chance(r, 0.5));
    const bool any = weft_rng_chance(r, 0.3);
    for (size_t i = 0; i < (size_t)rows * row; i++) x.at[i] = (char)weft_rng_below(r, any ? 256 : 60);
    for (size_t i = 0; i < row; i++) y.at[i] = (char)weft_rng_below(r, 60);
    program p, q;
    program_open_for(&p, t.v, on->cpu), program_open_for(&q, alone.v, on->cpu);
    ck_assert_int_eq(walk_run(p.x, (void *[]){ x.at, y.at }, p.results, NULL), WEFT_OK);
    for (int64_t i = 0; i < rows; i++) {
        ck_assert_int_eq(walk_run(q.x, (void *[]){ x.at + (size_t)i * row, y.at }, q.results, NULL), WEFT_OK);
        for (int k = 0; k < 2; k++)
            ck_assert_msg(are_same(&e, (char *)p.results[k] + (size_t)i * row, q.results[k], row),
                          "%s: another result %d of row %lld\n%s", on->cpu ? on->cpu : "this processor", k,
                          (long long)i, t.v);
    }
    program_close(&p), program_close(&q);
    munmap(x.map, x.pages), munmap(y.map, y.pages);
}

START_TEST(test_prefixes) { many(&targets[_i], 30, one_prefix); }
END_TEST

/* ---- every so many-th element, backwards, and a few side by side ---- */

/* [x's columns from start on, every step-th, turned round or not | y transposed], both of few columns or one of many.
 */
typedef struct woven {
    type type;
    int64_t rows, cols, start, step, taken, beside;
    bool back;
} woven;

static woven draw_woven(weft_rng *r) {
    woven d = { .type = types[weft_rng_below(r, sizeof types / sizeof *types)],
                .rows = weft_rng_range(r, 1, weft_rng_chance(r, 0.5) ? 150 : 9) };
    d.taken = weft_rng_range(r, 1, d.rows < 10 && weft_rng_chance(r, 0.7) ? 150 : 5);
    d.step = weft_rng_range(r, 1, 10);
    d.start = weft_rng_range(r, 0, 3);
    d.cols = d.start + (d.taken - 1) * d.step + weft_rng_range(r, 1, d.step);
    d.back = weft_rng_chance(r, 0.4);
    d.beside = weft_rng_range(r, 0, 5);
    return d;
}

static void write_woven(const woven *d, text *t) {
    const char *type = d->type.name;
    const long long rows = d->rows, cols = d->cols, taken = d->taken, beside = d->beside;
    text_add(t, "func.func @main(%%x: tensor<%lldx%lldx%s>, %%y: tensor<%lldx%lldx%s>) -> tensor<%lldx%lldx%s> {\n",
             rows, cols, type, beside, rows, type, rows, taken + beside, type);
    text_add(t,
             "  %%s = stablehlo.slice %%x [0:%lld, %lld:%lld:%lld] : (tensor<%lldx%lldx%s>) -> tensor<%lldx%lldx%s>\n",
             rows, (long long)d->start, cols, (long long)d->step, rows, cols, type, rows, taken, type);
    text_add(t, "  %%r = stablehlo.reverse %%s, dims = [%s] : tensor<%lldx%lldx%s>\n", d->back ? "1" : "", rows, taken,
             type);
    text_add(t, "  %%t = stablehlo.transpose %%y, dims = [1, 0] : (tensor<%lldx%lldx%s>) -> tensor<%lldx%lldx%s>\n",
             beside, rows, type, rows, beside, type);
    text_add(
        t,
        "  %%c = stablehlo.concatenate %%r, %%t, dim = 1 : (tensor<%lldx%lldx%s>, tensor<%lldx%lldx%s>) -> tensor<%lldx%lldx%s>\n",
        rows, taken, type, rows, beside, type, rows, taken + beside, type);
    text_add(t, "  return %%c : tensor<%lldx%lldx%s>\n}\n", rows, taken + beside, type);
}

static void one_woven(const target *on, weft_rng *r) {
    const woven d = draw_woven(r);
    const size_t size = d.type.bytes,
                 bytes[2] = { (size_t)(d.rows * d.cols) * size, (size_t)(d.beside * d.rows) * size };
    text t = { .n = 0 };
    write_woven(&d, &t);
    guarded g[2] = { guard(bytes[0], weft_rng_chance(r, 0.5)), guard(bytes[1], weft_rng_chance(r, 0.5)) };
    for (int a = 0; a < 2; a++)
        for (size_t i = 0; i < bytes[a]; i++) g[a].at[i] = (char)(1 + weft_rng_below(r, 40));
    program p;
    program_open_for(&p, t.v, on->cpu);
    void *args[2] = { g[0].at, g[1].at };
    ck_assert_int_eq(walk_run(p.x, args, p.results, NULL), WEFT_OK);
    const char *got = p.results[0];
    for (int64_t i = 0; i < d.rows; i++)
        for (int64_t j = 0; j < d.taken + d.beside; j++, got += size) {
            const int64_t k = d.back ? d.taken - 1 - j : j, x = i * d.cols + d.start + k * d.step,
                          y = (j - d.taken) * d.rows + i;
            ck_assert_msg(!memcmp(got, j < d.taken ? g[0].at + (size_t)x * size : g[1].at + (size_t)y * size, size),
                          "%s: another result at %lld, %lld\n%s", on->cpu ? on->cpu : "this processor", (long long)i,
                          (long long)j, t.v);
        }
    program_close(&p);
    for (int a = 0; a < 2; a++) munmap(g[a].map, g[a].pages);
}

START_TEST(test_woven) { many(&targets[_i], 80, one_woven); }
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/targets");
    TCase *tc = tcase_create("targets");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, test_rows, 0, (int)(sizeof targets / sizeof *targets));
    tcase_add_loop_test(tc, test_permutations, 0, (int)(sizeof targets / sizeof *targets));
    tcase_add_loop_test(tc, test_gathers, 0, (int)(sizeof targets / sizeof *targets));
    tcase_add_loop_test(tc, test_chains, 0, (int)(sizeof targets / sizeof *targets));
    tcase_add_loop_test(tc, test_prefixes, 0, (int)(sizeof targets / sizeof *targets));
    tcase_add_loop_test(tc, test_woven, 0, (int)(sizeof targets / sizeof *targets));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
