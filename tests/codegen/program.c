/* See program.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/codegen/program.h"

void program_open(program *p, const char *source) { program_open_for(p, source, NULL); }

void program_open_for(program *p, const char *source, const char *cpu) {
    const weft_compile_options options = { .device_count = 1, .cpu = cpu, .machine = walk_machine() };
    weft_module *m = NULL;
    program_begin(p);
    weft_status st = weft_read_text(p->cx, weft_str_from(source), "test", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(p->cx, WEFT_STR("weft-prepare"), WEFT_PIPELINE_VERIFY_EACH, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(p->cx, WEFT_STR("weft-legalize"), WEFT_PIPELINE_VERIFY_EACH, &m);
    program_compile(p, source, st, m, &options);
}

void program_begin(program *p) {
    *p = (program){ .cx = weft_context_new(NULL) };
    ck_assert(p->cx != NULL);
}

void program_compile(program *p, const char *source, weft_status st, weft_module *m,
                     const weft_compile_options *options) {
    if (st == WEFT_OK) st = weft_codegen_compile(p->cx, m, options, &p->x);
    if (st != WEFT_OK) {
        printf("%s\n", source);
        fflush(stdout);
    }
    ck_assert_msg(st == WEFT_OK, "%s",
                  weft_context_diag_count(p->cx) ? weft_context_diag(p->cx, 0)->message : "no memory");
    weft_module_free(m);
    p->args = calloc(p->x->arg_count + 1, sizeof *p->args);
    p->results = calloc(p->x->result_count + 1, sizeof *p->results);
    ck_assert(p->args && p->results);
    for (uint32_t i = 0; i < p->x->arg_count; i++) p->args[i] = walk_buffer((size_t)p->x->args[i].bytes);
    for (uint32_t i = 0; i < p->x->result_count; i++) p->results[i] = walk_buffer((size_t)p->x->results[i].bytes);
}

void program_run(program *p) { ck_assert_int_eq(walk_run(p->x, p->args, p->results, NULL), WEFT_OK); }

void program_close(program *p) {
    for (uint32_t i = 0; i < p->x->arg_count; i++) free(p->args[i]);
    for (uint32_t i = 0; i < p->x->result_count; i++) free(p->results[i]);
    free(p->args);
    free(p->results);
    weft_executable_free(p->x);
    weft_context_free(p->cx);
}

void program_compare(const program *want, const program *got, bounds most, const char *text, uint64_t seed) {
    for (uint32_t i = 0; i < want->x->result_count; i++) {
        const weft_exec_value *v = &want->x->results[i];
        const size_t each = weft_dtype_bytes(v->dtype);
        for (size_t k = 0; k < (size_t)v->bytes / each; k++) {
            const double x = weft_dtype_load(v->dtype, (char *)want->results[i] + k * each),
                         y = weft_dtype_load(v->dtype, (char *)got->results[i] + k * each);
            if (fabs(x - y) <= most.absolute + most.relative * fabs(x)) continue;
            if (most.nans_agree && isnan(x) && isnan(y)) continue;
            printf("%s\n", text), fflush(stdout);
            ck_abort_msg("WEFT_SEED=%llu: result %u, element %zu is %.9g and not %.9g", (unsigned long long)seed, i, k,
                         y, x);
        }
    }
}

void text_add(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->v + t->n, sizeof t->v - t->n, format, args);
    va_end(args);
    ck_assert(n >= 0 && t->n + (size_t)n < sizeof t->v);
    t->n += (size_t)n;
}

void text_type(text *t, uint32_t rank, const int64_t *dims, const char *dtype) {
    for (uint32_t d = 0; d < rank; d++) text_add(t, "%lldx", (long long)dims[d]);
    text_add(t, "%s", dtype);
}

int64_t shape_elems(uint32_t rank, const int64_t *dims) {
    int64_t n = 1;
    for (uint32_t d = 0; d < rank; d++) n *= dims[d];
    return n;
}

bool shape_next(uint32_t rank, const int64_t *dims, int64_t *at) {
    for (uint32_t d = rank; d-- > 0;) {
        if (++at[d] < dims[d]) return true;
        at[d] = 0;
    }
    return false;
}

int64_t shape_number(uint32_t rank, const int64_t *dims, const int64_t *at) {
    int64_t n = 0;
    for (uint32_t d = 0; d < rank; d++) n = n * dims[d] + at[d];
    return n;
}

static int32_t wrapped(int64_t v) { return (int32_t)(uint32_t)(uint64_t)v; }
static void add(const int32_t *a, const int32_t *b, int32_t *r) { r[0] = wrapped((int64_t)a[0] + b[0]); }
static void multiply(const int32_t *a, const int32_t *b, int32_t *r) { r[0] = wrapped((int64_t)a[0] * b[0]); }
static void maximum(const int32_t *a, const int32_t *b, int32_t *r) { r[0] = a[0] > b[0] ? a[0] : b[0]; }
static void minimum(const int32_t *a, const int32_t *b, int32_t *r) { r[0] = a[0] < b[0] ? a[0] : b[0]; }
static void first(const int32_t *a, const int32_t *b, int32_t *r) { r[0] = a[0] ? a[0] : b[0]; }
static void last(const int32_t *a, const int32_t *b, int32_t *r) { r[0] = b[0] ? b[0] : a[0]; }
static void sums(const int32_t *a, const int32_t *b, int32_t *r) {
    r[0] = wrapped((int64_t)a[0] + b[0]);
    r[1] = wrapped((int64_t)a[1] * b[1]);
}
static void best(const int32_t *a, const int32_t *b, int32_t *r) {
    const bool left = a[0] > b[0] || (a[0] == b[0] && a[1] < b[1]);
    r[0] = left ? a[0] : b[0];
    r[1] = left ? a[1] : b[1];
}
/* x -> a0 x + a1, first a and then b */
static void affine(const int32_t *a, const int32_t *b, int32_t *r) {
    const int32_t a0 = a[0], a1 = a[1];
    r[0] = wrapped((int64_t)a0 * b[0]);
    r[1] = wrapped((int64_t)wrapped((int64_t)a1 * b[0]) + b[1]);
}

#define T " : tensor<i32>\n"
const body bodies[] = {
    { "add", 1, "%r0 = stablehlo.add %a0, %b0" T, add, { 0 } },
    { "add from 3", 1, "%r0 = stablehlo.add %a0, %b0" T, add, { 3 } },
    { "multiply", 1, "%r0 = stablehlo.multiply %b0, %a0" T, multiply, { 1 } },
    { "maximum", 1, "%r0 = stablehlo.maximum %a0, %b0" T, maximum, { INT32_MIN } },
    { "minimum", 1, "%r0 = stablehlo.minimum %a0, %b0" T, minimum, { INT32_MAX } },
    { "first that is not 0",
      1,
      "%z = stablehlo.constant dense<0>" T
      "%p = stablehlo.compare NE, %a0, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "%r0 = stablehlo.select %p, %a0, %b0 : tensor<i1>, tensor<i32>\n",
      first,
      { 0 } },
    { "last that is not 0",
      1,
      "%z = stablehlo.constant dense<0>" T
      "%p = stablehlo.compare EQ, %b0, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "%r0 = stablehlo.select %p, %a0, %b0 : tensor<i1>, tensor<i32>\n",
      last,
      { 0 } },
    { "largest, by branches",
      1,
      "%p = stablehlo.compare LT, %a0, %b0 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "%r0 = \"stablehlo.if\"(%p) ({\n%e = stablehlo.compare EQ, %a0, %b0 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n%k = stablehlo.convert %e : (tensor<i1>) -> tensor<i32>\n"
      "%o = \"stablehlo.case\"(%k) ({\nstablehlo.return %b0 : tensor<i32>\n}, {\n%m = stablehlo.negate %b0" T
      "stablehlo.return %m : tensor<i32>\n}) : (tensor<i32>) -> tensor<i32>\n"
      "stablehlo.return %o : tensor<i32>\n}, {\nstablehlo.return %a0 : tensor<i32>\n}) : (tensor<i1>) -> tensor<i32>\n",
      maximum,
      { INT32_MIN } },
    { "sum and product", 2, "%r0 = stablehlo.add %a0, %b0" T "%r1 = stablehlo.multiply %a1, %b1" T, sums, { 0, 1 } },
    { "sum and product from 5 and 2",
      2,
      "%r0 = stablehlo.add %a0, %b0" T "%r1 = stablehlo.multiply %a1, %b1" T,
      sums,
      { 5, 2 } },
    { "largest, and where",
      2,
      "%g = stablehlo.compare GT, %a0, %b0 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "%e = stablehlo.compare EQ, %a0, %b0 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "%l = stablehlo.compare LT, %a1, %b1 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "%el = stablehlo.and %e, %l : tensor<i1>\n%p = stablehlo.or %g, %el : tensor<i1>\n"
      "%r0 = stablehlo.select %p, %a0, %b0 : tensor<i1>, tensor<i32>\n%r1 = stablehlo.select %p, %a1, %b1 : tensor<i1>, tensor<i32>\n",
      best,
      { INT32_MIN, INT32_MAX } },
    { "affine maps",
      2,
      "%r0 = stablehlo.multiply %a0, %b0" T "%m = stablehlo.multiply %a1, %b0" T "%r1 = stablehlo.add %m, %b1" T,
      affine,
      { 1, 0 } },
    /* more than scalar arithmetic */
    { "add, in a loop",
      1,
      "%z = stablehlo.constant dense<0>" T "%one = stablehlo.constant dense<1>" T
      "%w9:2 = stablehlo.while(%turn = %z, %x9 = %a0) : tensor<i32>, tensor<i32>\ncond {\n"
      "%p9 = stablehlo.compare LT, %turn, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %p9 : tensor<i1>\n} do {\n"
      "%j9 = stablehlo.add %turn, %one" T "%y9 = stablehlo.add %x9, %b0" T
      "stablehlo.return %j9, %y9 : tensor<i32>, tensor<i32>\n}\n%r0 = stablehlo.add %w9#1, %z" T,
      add,
      { 3 } },
    { "maximum, by a reduction",
      1,
      "%u9 = stablehlo.reshape %a0 : (tensor<i32>) -> tensor<1xi32>\n%v9 = stablehlo.reshape %b0 : (tensor<i32>) -> tensor<1xi32>\n"
      "%c9 = stablehlo.concatenate %u9, %v9, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>\n%turn = stablehlo.constant dense<-2147483648>" T
      "%r0 = stablehlo.reduce(%c9 init: %turn) applies stablehlo.maximum across dimensions = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<i32>\n",
      maximum,
      { INT32_MIN } },
    { "affine maps, by a map of a region of its own",
      2,
      "%r0 = stablehlo.multiply %a0, %b0" T
      "%m9 = \"stablehlo.map\"(%a1, %b0) ({\n^bb0(%c9: tensor<i32>, %d9: tensor<i32>):\n"
      "%e9 = stablehlo.dot_general %c9, %d9, contracting_dims = [] x [] : (tensor<i32>, tensor<i32>) -> tensor<i32>\nstablehlo.return %e9 : tensor<i32>\n}) {dimensions = array<i64>} : "
      "(tensor<i32>, tensor<i32>) -> tensor<i32>\n%r1 = stablehlo.add %m9, %b1" T,
      affine,
      { 1, 0 } },
};
const uint32_t body_count = WEFT_COUNT(bodies);

void text_region(text *t, const body *b) {
    text_add(t, "{\n^bb0(");
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < b->n; i++)
            text_add(t, "%s%%%c%u: tensor<i32>", side + i ? ", " : "", side ? 'b' : 'a', i);
    text_add(t, "):\n%sstablehlo.return %s : %s\n}", b->ops, b->n == 2 ? "%r0, %r1" : "%r0",
             b->n == 2 ? "tensor<i32>, tensor<i32>" : "tensor<i32>");
}
