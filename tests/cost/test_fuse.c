/* The kernels of a vendor's compiler, and their time. */
#include "base/context.h"
#include "cost/floor.h"
#include "cost/library.h"
#include "cost/timeline.h"
#include "mlir/read.h"
#include "tests/support/random_module.h"
#include "tests/support/suite.h"

static weft_context *cx;
static weft_module *m;
static weft_machine machine;

static void begin(void) { cx = weft_context_new(NULL); m = NULL; }
static void end(void) { weft_module_free(m); weft_context_free(cx); }

#define GPU "device 100Tflop/s bandwidth 1TB/s memory 8GB engine vendor costs { half 100Tflop/s float 50Tflop/s "
#define LINKS " } nodes 2 { gpu 4 100GB/s 1us launch 5us } net 10GB/s 2us launch 10us"

static void read_machine(const char *text) {
    ck_assert_int_eq(weft_machine_read(cx, weft_str_from(text), "test", &machine), WEFT_OK);
}

static weft_task_list fuse(const char *body, weft_attention attention) {
    weft_task_list list;
    weft_status st = weft_read_text(cx, weft_str_from(body), "m", 0, &m);
    ck_assert_msg(st == WEFT_OK, "%s", weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "?");
    const weft_fuse_options opt = { .machine = &machine, .attention = attention, .devices = 8 };
    ck_assert_int_eq(weft_fuse(m, &opt, &cx->arena, &list), WEFT_OK);
    return list;
}

static weft_timeline run(const weft_task_list *list, weft_overlap overlap) {
    weft_timeline t;
    const weft_timeline_options opt = { .machine = &machine, .overlap = overlap };
    ck_assert_int_eq(weft_timeline_run(list, &opt, &cx->arena, &t), WEFT_OK);
    return t;
}

#define V "tensor<64x64xf32>"
#define ROW "tensor<64xf32>"
#define ADD(a, b) "stablehlo.add " a ", " b " : " V "\n"
#define BODY "({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
#define SUM_ROWS(a, z, dim) \
    "\"stablehlo.reduce\"(" a ", " z ") <{dimensions = array<i64: " dim ">}> " BODY \
    "%s = stablehlo.add %x, %y : tensor<f32>\n\"stablehlo.return\"(%s) : (tensor<f32>) -> ()\n}) : (" V ", tensor<f32>) -> " ROW "\n"
#define SPREAD(a) "stablehlo.broadcast_in_dim " a ", dims = [0] : (" ROW ") -> " V "\n"
#define FUNC(args, text, types, values) \
    "func.func @main(" args ") -> (" types ") {\n" text "return " values " : " types "\n}\n"
#define DOT(a, b) "stablehlo.dot_general " a ", " b ", contracting_dims = [1] x [0] : (" V ", " V ") -> " V "\n"

enum { SIZE = 64 * 64 * 4 };

/* So many kernels; of them all the bytes and the flop of products. */
static const struct {
    const char *costs, *text;
    uint32_t kernels;
    double read, written, flops;
} fused[] = {
    /* a chain is one kernel */
    { "", FUNC("%a: " V ", %b: " V, "%0 = " ADD("%a", "%b") "%1 = " ADD("%0", "%a") "%2 = stablehlo.tanh %1 : " V "\n", V, "%2"), 1, 2 * SIZE, SIZE, 0 },
    /* what is a constant or a counter is not read */
    { "", FUNC("%a: " V, "%i = stablehlo.iota dim = 0 : " V "\n%0 = " ADD("%a", "%i"), V, "%0"), 1, SIZE, SIZE, 0 },
    /* a slice is read as far as it is used; another shape is no kernel */
    { "", FUNC("%a: tensor<640x64xf32>", "%0 = stablehlo.slice %a [0:64, 0:64] : (tensor<640x64xf32>) -> " V "\n%1 = " ADD("%0", "%0"), V, "%1"), 1, SIZE, SIZE, 0 },
    { "", FUNC("%a: " V, "%0 = stablehlo.transpose %a, dims = [1, 0] : (" V ") -> " V "\n%1 = " DOT("%0", "%a"), V, "%1"), 1, SIZE, SIZE, 2.0 * 64 * 64 * 64 },
    /* what two products read is in memory; and so is what one of them makes */
    { "", FUNC("%a: " V ", %b: " V, "%0 = " ADD("%a", "%b") "%1 = " DOT("%0", "%a") "%2 = " DOT("%0", "%b") "%3 = " ADD("%1", "%2"), V, "%3"), 4, 2 * SIZE + 4 * SIZE + 2 * SIZE, 4 * SIZE, 4.0 * 64 * 64 * 64 },
    { "product-fusion 1", FUNC("%a: " V ", %b: " V, "%1 = " DOT("%a", "%b") "%3 = " ADD("%1", "%a"), V, "%3"), 1, 2 * SIZE, SIZE, 2.0 * 64 * 64 * 64 },
    /* sums of rows: where they share a kernel with what comes of them a is read once */
    { "", FUNC("%a: " V, "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%0 = " SUM_ROWS("%a", "%z", "1") "%1 = " SPREAD("%0") "%2 = " ADD("%a", "%1"), V, "%2"), 2, 2 * SIZE + 256, SIZE + 256, 0 },
    { "row-fusion 1", FUNC("%a: " V, "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%0 = " SUM_ROWS("%a", "%z", "1") "%1 = " SPREAD("%0") "%2 = " ADD("%a", "%1"), V, "%2"), 1, SIZE, SIZE, 0 },
    { "row-fusion 1", FUNC("%a: " V, "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%0 = " SUM_ROWS("%a", "%z", "0") "%1 = " SPREAD("%0") "%2 = " ADD("%a", "%1"), V, "%2"), 2, 2 * SIZE + 256, SIZE + 256, 0 },
    /* a value of a task that goes into a slice is written there once; one from outside is copied */
    { "", FUNC("%a: " V ", %s: tensor<640x64xf32>, %i: tensor<i32>", "%0 = " ADD("%a", "%a") "%1 = stablehlo.dynamic_update_slice %s, %0, %i, %i : (tensor<640x64xf32>, " V ", tensor<i32>, tensor<i32>) -> tensor<640x64xf32>\n", "tensor<640x64xf32>", "%1"), 1, SIZE, SIZE, 0 },
    { "", FUNC("%a: " V ", %s: tensor<640x64xf32>, %i: tensor<i32>", "%1 = stablehlo.dynamic_update_slice %s, %a, %i, %i : (tensor<640x64xf32>, " V ", tensor<i32>, tensor<i32>) -> tensor<640x64xf32>\n", "tensor<640x64xf32>", "%1"), 1, SIZE + 8, SIZE, 0 },
    /* nothing is fused across a barrier, whichever of its values is read */
    { "", FUNC("%a: " V ", %b: " V, "%0 = " ADD("%a", "%b") "%1 = stablehlo.optimization_barrier %0 : " V "\n%2 = " ADD("%1", "%a"), V, "%2"), 2, 4 * SIZE, 2 * SIZE, 0 },
    { "", FUNC("%a: " V ", %b: " V, "%0 = " ADD("%a", "%b") "%1:2 = stablehlo.optimization_barrier %b, %0 : " V ", " V "\n%2 = " ADD("%1#1", "%1#0"), V, "%2"), 2, 4 * SIZE, 2 * SIZE, 0 },
    { "", FUNC("%a: " V ", %b: " V, "%0 = " ADD("%a", "%b") "%1:2 = stablehlo.optimization_barrier %b, %0 : " V ", " V "\n%2 = " ADD("%1#0", "%a") "%3 = stablehlo.tanh %2 : " V "\n", V ", " V, "%0, %3"), 2, 4 * SIZE, 2 * SIZE, 0 },
    { "product-fusion 1", FUNC("%a: " V ", %b: " V, "%0 = " DOT("%a", "%b") "%1 = stablehlo.optimization_barrier %0 : " V "\n%3 = " ADD("%1", "%a"), V, "%3"), 2, 4 * SIZE, 2 * SIZE, 2.0 * 64 * 64 * 64 },
    { "row-fusion 1", FUNC("%a: " V, "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%0 = " SUM_ROWS("%a", "%z", "1") "%r = stablehlo.optimization_barrier %0 : " ROW "\n%1 = " SPREAD("%r") "%2 = " ADD("%a", "%1"), V, "%2"), 2, 2 * SIZE + 256, SIZE + 256, 0 },
};

START_TEST(test_fused) {
    char text[512];
    double read = 0, written = 0, flops = 0;
    snprintf(text, sizeof text, GPU "%s" LINKS, fused[_i].costs);
    read_machine(text);
    const weft_task_list list = fuse(fused[_i].text, WEFT_ATTENTION_FUSED);
    ck_assert_uint_eq(list.task_count, fused[_i].kernels);
    for (uint32_t i = 0; i < list.task_count; i++) {
        read += list.tasks[i].kernel.read_bytes;
        written += list.tasks[i].kernel.write_bytes;
        flops += list.tasks[i].kernel.flops;
    }
    ck_assert_double_eq(read, fused[_i].read);
    ck_assert_double_eq(written, fused[_i].written);
    ck_assert_double_eq(flops, fused[_i].flops);
}
END_TEST

/* Scores of 256 x 256 for 8 heads of 32. */
#define Q "tensor<8x256x32xf32>"
#define S "tensor<8x256x256xf32>"
#define R "tensor<8x256xf32>"
#define ROWS(op, a, z) \
    "\"stablehlo.reduce\"(" a ", " z ") <{dimensions = array<i64: 2>}> " BODY \
    "%s = stablehlo." op " %x, %y : tensor<f32>\n\"stablehlo.return\"(%s) : (tensor<f32>) -> ()\n}) : (" S ", tensor<f32>) -> " R "\n"
#define ATTENTION(mask, scores) ATTENTION_AT("", mask, scores)
#define NEGATE "%a = stablehlo.negate %0 : " S " loc(\"rematted_computation/neg\")\n"
#define AGAIN(mask, scores) \
    FUNC(QKV, ATTENTION_AT(" loc(\"jit(f)/rematted_computation/dot\")", mask, scores), Q, "%8")
#define ATTENTION_AT(loc, mask, scores) \
    "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%n = stablehlo.constant dense<-1.0e30> : " S "\n" \
    "%0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (" Q ", " Q ") -> " S loc "\n" mask \
    "%1 = " ROWS("maximum", scores, "%z") "%2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (" R ") -> " S "\n" \
    "%3 = stablehlo.subtract " scores ", %2 : " S "\n%4 = stablehlo.exponential %3 : " S "\n" \
    "%5 = " ROWS("add", "%4", "%z") \
    "%6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (" R ") -> " S "\n%7 = stablehlo.divide %4, %6 : " S "\n" \
    "%8 = stablehlo.dot_general %7, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (" S ", " Q ") -> " Q "\n"
#define TRIANGLE \
    "%i = stablehlo.iota dim = 1 : " S "\n%j = stablehlo.iota dim = 2 : " S "\n" \
    "%c = stablehlo.compare GE, %i, %j : (" S ", " S ") -> tensor<8x256x256xi1>\n" \
    "%m = stablehlo.select %c, %0, %n : tensor<8x256x256xi1>, " S "\n"
#define TRIL /* by jnp.tril of ones */ \
    "%i = stablehlo.iota dim = 0 : " SQUARE("i32") "%o = stablehlo.constant dense<0> : " SQUARE("i32") \
    "%h = stablehlo.add %i, %o : " SQUARE("i32") "%j = stablehlo.iota dim = 1 : " SQUARE("i32") \
    "%g = stablehlo.compare GE, %h, %j : (tensor<256x256xi32>, tensor<256x256xi32>) -> " SQUARE("i1") \
    "%yes = stablehlo.constant dense<true> : " SQUARE("i1") "%no = stablehlo.constant dense<false> : " SQUARE("i1") \
    "%t = stablehlo.select %g, %yes, %no : tensor<256x256xi1>, tensor<256x256xi1>\n"
#define SQUARE(type) "tensor<256x256x" type ">\n"
#define SCORES_OF(what) \
    "%b = stablehlo.broadcast_in_dim " what ", dims = [1, 2] : (tensor<256x256xf32>) -> " S "\n" \
    "%m = stablehlo.add %0, %b : " S "\n"
#define TRIL_SELECTS \
    TRIL "%c = stablehlo.broadcast_in_dim %t, dims = [1, 2] : (tensor<256x256xi1>) -> tensor<8x256x256xi1>\n" \
    "%m = stablehlo.select %c, %0, %n : tensor<8x256x256xi1>, " S "\n"
#define TRIL_IS_ADDED \
    TRIL "%u = stablehlo.constant dense<-1.0e30> : " SQUARE("f32") \
    "%w = stablehlo.constant dense<0.0> : " SQUARE("f32") \
    "%e = stablehlo.select %t, %w, %u : tensor<256x256xi1>, tensor<256x256xf32>\n" SCORES_OF("%e")
#define TRIL_FROM_ONE \
    TRIL "%u = stablehlo.constant dense<1.0> : " SQUARE("f32") \
    "%w = stablehlo.constant dense<-1.0e30> : " SQUARE("f32") \
    "%d = stablehlo.convert %t : (tensor<256x256xi1>) -> " SQUARE("f32") \
    "%p = stablehlo.subtract %u, %d : " SQUARE("f32") "%e = stablehlo.multiply %p, %w : " SQUARE("f32") SCORES_OF("%e")
/* Masks that are no triangle: a diagonal; one by a counter and a constant. */
#define DIAGONAL \
    "%i = stablehlo.iota dim = 1 : " S "\n%j = stablehlo.iota dim = 2 : " S "\n" \
    "%c = stablehlo.compare NE, %i, %j : (" S ", " S ") -> tensor<8x256x256xi1>\n" \
    "%m = stablehlo.select %c, %0, %n : tensor<8x256x256xi1>, " S "\n"
#define HALF \
    "%i = stablehlo.iota dim = 1 : " S "\n%j = stablehlo.constant dense<1.0> : " S "\n" \
    "%c = stablehlo.compare GE, %i, %j : (" S ", " S ") -> tensor<8x256x256xi1>\n" \
    "%m = stablehlo.select %c, %0, %n : tensor<8x256x256xi1>, " S "\n"
#define QKV "%q: " Q ", %k: " Q ", %v: " Q

/* One kernel that reads and writes no scores, with half the work under a triangle; unless it may not be one, or the
 * scores are a result. */
static const struct { const char *text; weft_attention attention; uint32_t kernels; double share; } attends[] = {
    { FUNC(QKV, ATTENTION("", "%0"), Q, "%8"), WEFT_ATTENTION_FUSED, 1, 1 },
    { FUNC(QKV, ATTENTION(TRIANGLE, "%m"), Q, "%8"), WEFT_ATTENTION_FUSED, 1, 0.5 },
    { FUNC(QKV, ATTENTION(TRIL_SELECTS, "%m"), Q, "%8"), WEFT_ATTENTION_FUSED, 1, 0.5 },
    { FUNC(QKV, ATTENTION(TRIL_IS_ADDED, "%m"), Q, "%8"), WEFT_ATTENTION_FUSED, 1, 0.5 },
    { FUNC(QKV, ATTENTION(TRIL_FROM_ONE, "%m"), Q, "%8"), WEFT_ATTENTION_FUSED, 1, 0.5 },
    { FUNC(QKV, ATTENTION(DIAGONAL, "%m"), Q, "%8"), WEFT_ATTENTION_FUSED, 1, 1 },
    { FUNC(QKV, ATTENTION(HALF, "%m"), Q, "%8"), WEFT_ATTENTION_FUSED, 1, 1 },
    { FUNC(QKV, ATTENTION("", "%0"), Q, "%8"), WEFT_ATTENTION_UNFUSED, 0, 1 },
    { FUNC(QKV, ATTENTION("", "%0"), Q ", " S, "%8, %7"), WEFT_ATTENTION_FUSED, 0, 1 },
};

START_TEST(test_attention) {
    const double bytes = 8 * 256 * 32 * 4, work = 2 * 2.0 * 8 * 256 * 256 * 32;
    double flops = 0;
    read_machine(GPU "row-fusion 1" LINKS);
    const weft_task_list list = fuse(attends[_i].text, attends[_i].attention);
    for (uint32_t i = 0; i < list.task_count; i++) {
        flops += list.tasks[i].kernel.flops;
        if (!attends[_i].kernels) ck_assert_int_ne(list.tasks[i].kernel.kind, WEFT_KERNEL_ATTENTION);
    }
    ck_assert_double_eq(flops, attends[_i].share * work);
    if (!attends[_i].kernels) {
        ck_assert_uint_ge(list.task_count, 3);
        return;
    }
    ck_assert_uint_eq(list.task_count, 1);
    ck_assert_int_eq(list.tasks[0].kernel.kind, WEFT_KERNEL_ATTENTION);
    ck_assert_double_eq(list.tasks[0].kernel.read_bytes, 3 * bytes);
    ck_assert_double_eq(list.tasks[0].kernel.write_bytes, bytes);
}
END_TEST

/* Of a kernel in which a rematerialised region's product joins others, that product alone is work done again. */
START_TEST(test_again) {
    const double work = 2 * 2.0 * 8 * 256 * 256 * 32;
    read_machine(GPU "row-fusion 1" LINKS);
    const weft_task_list list = fuse(FUNC(QKV, ATTENTION(NEGATE, "%a"), Q, "%8"), WEFT_ATTENTION_FUSED);
    ck_assert_uint_eq(list.task_count, 1);
    ck_assert_double_eq(list.tasks[0].again_flops, 0);
    weft_module_free(m);
    const weft_task_list other = fuse(AGAIN(TRIANGLE, "%m"), WEFT_ATTENTION_FUSED);
    ck_assert_uint_eq(other.task_count, 1);
    ck_assert_double_eq(other.tasks[0].kernel.flops, work / 2);
    ck_assert_double_eq(other.tasks[0].again_flops, work / 4);
    ck_assert_double_eq(run(&other, WEFT_OVERLAP_COLLECTIVES).again_flops, work / 4);
}
END_TEST

/* A loop of ten turns. Its collective needs nothing of the turn before, or its result. */
#define GATHER(a) "\"stablehlo.all_gather\"(" a ") <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, " \
    "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<512x2048xf32>) -> tensor<2048x2048xf32>\n"
#define BIG "tensor<2048x2048xf32>"
#define LOOP(shard, next) \
    "func.func @main(%a: " BIG ", %w: tensor<512x2048xf32>) -> " BIG " {\n" \
    "%c0 = stablehlo.constant dense<0> : tensor<i32>\n" \
    "%c1 = stablehlo.constant dense<1> : tensor<i32>\n%c10 = stablehlo.constant dense<10> : tensor<i32>\n" \
    "%r:3 = stablehlo.while(%i = %c0, %x = %a, %s = %w) : tensor<i32>, " BIG ", tensor<512x2048xf32>\n cond {\n" \
    "%p = stablehlo.compare LT, %i, %c10 : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n} do {\n" \
    "%g = " GATHER(shard) "%y = stablehlo.dot_general %x, %g, contracting_dims = [1] x [0] : (" BIG ", " BIG ") -> " BIG "\n" \
    "%n = stablehlo.slice %y [0:512, 0:2048] : (" BIG ") -> tensor<512x2048xf32>\n" \
    "%k = stablehlo.add %i, %c1 : tensor<i32>\nstablehlo.return %k, %y, " next " : tensor<i32>, " BIG ", tensor<512x2048xf32>\n}\nreturn %r#1 : " BIG "\n}\n"

/* Bytes of temporaries at the peak, in matrices: results are where they are returned. */
#define DONATED "%a: " V " {tf.aliasing_output = 0 : i32}, %b: " V
#define TURNS(next, returns) \
    "%c1 = stablehlo.constant dense<1> : tensor<i32>\n%c9 = stablehlo.constant dense<9> : tensor<i32>\n" \
    "%r:2 = stablehlo.while(%i = %c1, %x = %a) : tensor<i32>, " V "\n cond {\n" \
    "%p = stablehlo.compare LT, %i, %c9 : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n} do {\n" next \
    "%k = stablehlo.add %i, %c1 : tensor<i32>\nstablehlo.return %k, " returns " : tensor<i32>, " V "\n}\n"
static const struct { const char *text; double matrices; } holds[] = {
    { FUNC("%a: " V ", %b: " V, "%0 = " DOT("%a", "%b"), V, "%0"), 0 },
    { FUNC("%a: " V ", %b: " V, "%0 = " DOT("%a", "%b") "%1 = " ADD("%0", "%a"), V, "%1"), 1 },
    { FUNC(DONATED, "%0 = " ADD("%a", "%b"), V, "%0"), 0 },
    /* a product cannot be written over what it reads; nor what is read later, or returned */
    { FUNC(DONATED, "%0 = " DOT("%a", "%b"), V, "%0"), 1 },
    { FUNC(DONATED, "%0 = " ADD("%b", "%b") "%1 = " DOT("%a", "%b"), V ", " V, "%0, %1"), 1 },
    { FUNC(DONATED, "%1 = " DOT("%a", "%b") "%0 = " DOT("%b", "%b"), V ", " V, "%0, %1"), 0 },
    { FUNC(DONATED, "%0 = " DOT("%b", "%b"), V ", " V, "%0, %a"), 1 },
    /* a donated argument goes through a loop; one that is not is copied to the result */
    { FUNC(DONATED, TURNS("%y = " ADD("%x", "%x"), "%y"), V, "%r#1"), 0 },
    { FUNC("%a: " V ", %b: " V, TURNS("%y = " ADD("%x", "%x"), "%y"), V, "%r#1"), 0 },
    { FUNC(DONATED, TURNS("%y = " DOT("%x", "%x"), "%y"), V, "%r#1"), 1 },
    { FUNC(DONATED, TURNS("%y = " DOT("%x", "%a"), "%y"), V, "%r#1"), 2 },
    /* a loop goes on in the memory of what it begins with */
    { FUNC("%q: " V ", %b: " V, "%a = " DOT("%q", "%b") TURNS("%y = " ADD("%x", "%x"), "%y") "%0 = " DOT("%r#1", "%b"), V, "%0"), 1 },
    { FUNC("%q: " V ", %b: " V, "%a = " DOT("%q", "%b") TURNS("%y = " ADD("%x", "%x"), "%y") "%0 = " DOT("%r#1", "%a"), V, "%0"), 2 },
};

START_TEST(test_memory) {
    weft_task_memory memory;
    read_machine(GPU LINKS);
    const weft_task_list list = fuse(holds[_i].text, WEFT_ATTENTION_FUSED);
    ck_assert_int_eq(weft_task_memory_of(&list, &cx->arena, &memory), WEFT_OK);
    ck_assert_double_eq(memory.bytes, holds[_i].matrices * SIZE);
}
END_TEST

/* Kernels of libraries and of random bits have a class and take time. */
static const struct { const char *text; weft_kernel_class kind; double written; } classes[] = {
    { FUNC("%a: tensor<64x64xcomplex<f32>>", "%0 = \"stablehlo.fft\"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 64>}> : (tensor<64x64xcomplex<f32>>) -> tensor<64x64xcomplex<f32>>\n", "tensor<64x64xcomplex<f32>>", "%0"), WEFT_KERNEL_CUSTOM, 2 * SIZE },
    { FUNC("%a: " V, "%0 = stablehlo.cholesky %a, lower = true : " V "\n", V, "%0"), WEFT_KERNEL_CUSTOM, SIZE },
    { FUNC("%a: tensor<2xui64>", "%s, %0 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<64x64xui32>)\n", "tensor<64x64xui32>", "%0"), WEFT_KERNEL_POINTWISE, SIZE },
};

/* A custom call's arithmetic has the rate of the floats that it takes. */
START_TEST(test_call_rate) {
    read_machine(GPU LINKS);
    const weft_task_list list =
        fuse(FUNC("%i: tensor<4xi8>, %a: tensor<64x64xbf16>",
                  "%0 = stablehlo.custom_call @any(%i, %a) : (tensor<4xi8>, tensor<64x64xbf16>) -> " V "\n", V, "%0"),
             WEFT_ATTENTION_FUSED);
    ck_assert_uint_eq(list.task_count, 1);
    ck_assert_int_eq(list.tasks[0].kernel.dtype, WEFT_BF16);
}
END_TEST

START_TEST(test_classes) {
    read_machine(GPU LINKS);
    const weft_task_list list = fuse(classes[_i].text, WEFT_ATTENTION_FUSED);
    ck_assert_uint_eq(list.task_count, 1);
    ck_assert_int_eq(list.tasks[0].kernel.kind, classes[_i].kind);
    ck_assert_double_eq(list.tasks[0].kernel.write_bytes, classes[_i].written);
    ck_assert_double_gt(run(&list, WEFT_OVERLAP_COLLECTIVES).step_s, 0);
}
END_TEST

/* Of branches the slowest counts, or the fastest. */
START_TEST(test_branches) {
    double fastest;
    read_machine(GPU LINKS);
    const weft_task_list list =
        fuse("func.func @main(%p: tensor<i32>, %a: " BIG ", %b: " BIG ") -> " BIG " {\n"
             "%0 = \"stablehlo.case\"(%p) ({\n"
             "%1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" BIG ", " BIG ") -> " BIG "\n"
             "\"stablehlo.return\"(%1) : (" BIG ") -> ()\n}, {\n%2 = stablehlo.add %a, %b : " BIG "\n"
             "\"stablehlo.return\"(%2) : (" BIG ") -> ()\n}) : (tensor<i32>) -> " BIG "\nreturn %0 : " BIG "\n}\n",
             WEFT_ATTENTION_FUSED);
    const weft_timeline_options opt = { .machine = &machine, .branches = WEFT_BRANCHES_FASTEST };
    ck_assert_int_eq(weft_timeline_step_s(&list, &opt, &cx->arena, &fastest), WEFT_OK);
    ck_assert_double_eq_tol(run(&list, WEFT_OVERLAP_COLLECTIVES).step_s, 2.0 * 2048 * 2048 * 2048 / 50e12, 1e-9);
    ck_assert_double_eq_tol(fastest, 3 * 2048.0 * 2048 * 4 / 1e12, 1e-9);
}
END_TEST

START_TEST(test_overlap) {
    read_machine(GPU LINKS);
    const weft_task_list apart = fuse(LOOP("%w", "%s"), WEFT_ATTENTION_FUSED);
    const double product = 2.0 * 2048 * 2048 * 2048 / 50e12, gather = 2048.0 * 2048 * 4 * 3 / 4 / 100e9 + 5e-6 + 3e-6;
    weft_timeline t = run(&apart, WEFT_OVERLAP_COLLECTIVES), u = run(&apart, WEFT_OVERLAP_NOTHING);
    ck_assert_int_eq(t.calls, 10);
    ck_assert_double_eq_tol(t.compute_s, 10 * product, 1e-9);
    ck_assert_double_eq_tol(t.collective_s, 10 * gather, 1e-9);
    ck_assert_double_eq_tol(t.step_s, 10 * product + gather, 1e-9); /* all but the first are hidden */
    ck_assert_double_eq_tol(u.step_s, 10 * (product + gather), 1e-9);
    weft_module_free(m);
    const weft_task_list chain = fuse(LOOP("%s", "%n"), WEFT_ATTENTION_FUSED);
    ck_assert_double_eq_tol(run(&chain, WEFT_OVERLAP_COLLECTIVES).step_s, 10 * (product + gather), 1e-9);
    weft_module_free(m);
    read_machine(GPU "beside-share 0.5" LINKS);
    const weft_task_list slowed = fuse(LOOP("%w", "%s"), WEFT_ATTENTION_FUSED);
    t = run(&slowed, WEFT_OVERLAP_COLLECTIVES); /* nine of them slow the products */
    ck_assert_double_eq_tol(t.step_s, 10 * product + gather + 9 * gather / 2, 2e-6);
}
END_TEST

/* More bytes and more members take longer; a call over nodes longer than one within. */
START_TEST(test_library) {
    read_machine(GPU LINKS);
    for (int kind = 0; kind <= WEFT_PLAN_COLLECTIVE_BROADCAST; kind++) {
        double before = 0;
        for (int64_t bytes = 1024; bytes < (1 << 30); bytes *= 4) {
            const weft_reach in = weft_machine_reach_strided(&machine, 4, 1),
                             out = weft_machine_reach_strided(&machine, 8, 1);
            const double near = weft_library_time_s(&machine, kind, 4, &in, bytes),
                         far = weft_library_time_s(&machine, kind, 8, &out, bytes);
            ck_assert_double_gt(near, before);
            ck_assert_double_gt(far, near);
            before = near;
        }
    }
    const weft_reach in = weft_machine_reach_strided(&machine, 4, 1), out = weft_machine_reach_strided(&machine, 8, 1);
    /* of 1 GB each device gets half of the other node's by its own adapter */
    ck_assert_double_eq_tol(weft_library_time_s(&machine, WEFT_PLAN_ALL_GATHER, 8, &out, 1000000000), 0.0125, 1e-4);
    ck_assert_double_eq_tol(weft_library_time_s(&machine, WEFT_PLAN_ALL_GATHER, 4, &in, 1000000000), 0.0075, 1e-4);
    ck_assert_double_eq_tol(weft_library_time_s(&machine, WEFT_PLAN_ALL_REDUCE, 4, &in, 1000000000), 0.015, 1e-4);
}
END_TEST

/* The end of a loop's body, which is no task, may read what the loop carries: however many tasks the body has. */
START_TEST(test_loop_end) {
    enum { MOST = 40 };
    read_machine(GPU LINKS);
    for (uint32_t n = 1; n <= MOST; n++) {
        weft_buf b;
        weft_buf_init(&b, &cx->alloc);
        weft_buf_puts(&b, "func.func @main(%a: " V ", %n: tensor<i32>) -> " V " {\n"
                          "%c1 = stablehlo.constant dense<1> : tensor<i32>\n"
                          "%r:2 = stablehlo.while(%i = %c1, %x0 = %a) : tensor<i32>, " V "\n cond {\n"
                          "%p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                          "stablehlo.return %p : tensor<i1>\n} do {\n");
        for (uint32_t i = 0; i < n; i++) /* each but the first reads up to four results of others */
            weft_buf_printf(&b,
                            "%%p%u = stablehlo.dot_general %%x%u, %%x%u, contracting_dims = [1] x [0] : (" V ", " V ") -> " V "\n"
                            "%%s%u = stablehlo.add %%p%u, %%p%u : " V "\n%%t%u = stablehlo.add %%s%u, %%p%u : " V "\n"
                            "%%x%u = stablehlo.add %%t%u, %%p%u : " V "\n",
                            i, i, i, i, i, i / 2, i, i, i / 3, i + 1, i, i ? i - 1 : 0);
        weft_buf_printf(&b, "%%k = stablehlo.add %%i, %%c1 : tensor<i32>\nstablehlo.return %%k, %%x%u : tensor<i32>, " V "\n}\n"
                            "return %%r#1 : " V "\n}\n%c", n, 0);
        ck_assert(!b.failed);
        const weft_task_list list = fuse(b.p, WEFT_ATTENTION_FUSED);
        ck_assert_uint_eq(list.task_count, 1);
        ck_assert_uint_eq(list.tasks[0].bodies[0].task_count, 2 * n);
        for (uint32_t i = 0; i < 2 * n; i++) /* the first product waits for the last of the iteration before */
            ck_assert_uint_eq(list.tasks[0].bodies[0].tasks[i].before_count, i == 0);
        weft_buf_free(&b);
        weft_module_free(m);
        m = NULL;
    }
}
END_TEST

static double floor_s(weft_attention attention, int64_t devices) {
    const weft_fuse_options how = { .machine = &machine, .attention = attention, .devices = 8 };
    const weft_timeline_options time = { .machine = &machine };
    weft_floor floor;
    ck_assert_int_eq(weft_floor_of(m, &how, &time, &cx->arena, &floor), WEFT_OK);
    return weft_floor_s(&floor, devices);
}

#define MATRIX(rows) "tensor<" #rows "x4096xf32>"
#define PRODUCT(rows) \
    FUNC("%a: " MATRIX(rows) ", %b: " MATRIX(4096), \
         "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" MATRIX(rows) ", " MATRIX(4096) ") -> " MATRIX(rows) "\n", \
         MATRIX(rows), "%0")

/* The floor of a product is the time of one device's rows, where memory takes less; a loop's that of its turns. */
START_TEST(test_floor) {
    static const char *const parts[] = { PRODUCT(4096), PRODUCT(2048), PRODUCT(1024) };
    for (int fusion = 0; fusion < 2; fusion++) {
        read_machine(fusion ? GPU "kernel 2us product-share 0.8 product-ramp 5 product-fusion 1" LINKS
                            : GPU "kernel 2us product-share 0.8 product-ramp 5" LINKS);
        double least[WEFT_COUNT(parts)];
        for (size_t i = 0; i < WEFT_COUNT(parts); i++) {
            const weft_task_list list = fuse(parts[i], WEFT_ATTENTION_FUSED);
            for (size_t k = 0; !i && k < WEFT_COUNT(parts); k++)
                least[k] = floor_s(WEFT_ATTENTION_FUSED, (int64_t)1 << k);
            ck_assert_double_eq_tol(run(&list, WEFT_OVERLAP_COLLECTIVES).step_s, least[i], 1e-12);
            weft_module_free(m);
        }
    }
    read_machine(GPU LINKS);
    const weft_task_list loop = fuse(LOOP("%w", "%s"), WEFT_ATTENTION_FUSED);
    ck_assert_double_eq_tol(run(&loop, WEFT_OVERLAP_COLLECTIVES).compute_s, floor_s(WEFT_ATTENTION_FUSED, 1), 1e-12);
    ck_assert_double_eq(floor_s(WEFT_ATTENTION_FUSED, 0), 0);
}
END_TEST

/* It does not say which products attention takes in, nor whether a mask halves them: both ways take no less. */
START_TEST(test_floor_of_attention) {
    static const char *const costs[] = { GPU "row-fusion 1 attention-share 0.3 product-share 0.8" LINKS,
                                         GPU "row-fusion 1 attention-share 0.9 product-share 0.5 product-fusion 1" LINKS };
    for (size_t i = 0; i < WEFT_COUNT(costs); i++) {
        read_machine(costs[i]);
        const weft_task_list list = fuse(attends[_i].text, attends[_i].attention);
        const double step_s = run(&list, WEFT_OVERLAP_COLLECTIVES).step_s, least = floor_s(attends[_i].attention, 1);
        ck_assert_double_gt(least, 0);
        ck_assert_double_le(least, step_s);
        if (attends[_i].attention == WEFT_ATTENTION_FUSED)
            ck_assert_double_le(least, floor_s(WEFT_ATTENTION_UNFUSED, 1));
        weft_module_free(m);
        m = NULL;
    }
}
END_TEST

/* Any program has tasks, in an order in which each follows what it needs. */
static void check_list(const weft_task_list *list) {
    for (uint32_t i = 0; i < list->task_count; i++) {
        const weft_task *t = &list->tasks[i];
        for (uint32_t k = 0; k < t->need_count; k++) ck_assert_uint_lt(t->needs[k], i);
        for (uint32_t k = 0; k < t->before_count; k++) ck_assert_uint_lt(t->before[k], list->task_count);
        ck_assert(t->kernel.read_bytes >= 0 && t->kernel.write_bytes >= 0 && t->kernel.flops >= 0);
        for (uint32_t b = 0; b < t->body_count; b++) check_list(&t->bodies[b]);
    }
    for (uint32_t i = 0; i < list->buffer_count; i++) ck_assert_uint_le(list->buffers[i].first, list->buffers[i].last);
}

START_TEST(test_random) {
    read_machine(GPU "row-fusion 1 product-fusion 1 kernel 1us" LINKS);
    for (int i = 0; i < 40; i++) {
        weft_random_options opt = { .seed = weft_test_seed(300) + (uint64_t)i, .ops = 60 };
        weft_task_list list;
        weft_task_memory memory;
        const weft_fuse_options how = { .machine = &machine, .devices = 8 };
        ck_assert_int_eq(weft_random_module(cx, &opt, &m), WEFT_OK);
        ck_assert_int_eq(weft_fuse(m, &how, &cx->arena, &list), WEFT_OK);
        check_list(&list);
        const weft_timeline t = run(&list, WEFT_OVERLAP_COLLECTIVES), u = run(&list, WEFT_OVERLAP_NOTHING);
        ck_assert_double_ge(t.step_s, t.compute_s - 1e-9);
        ck_assert_double_le(t.step_s, u.step_s + 1e-9);
        ck_assert_double_le(floor_s(WEFT_ATTENTION_FUSED, 1), t.compute_s + 1e-9);
        ck_assert_double_le(floor_s(WEFT_ATTENTION_UNFUSED, 1), t.compute_s + 1e-9);
        ck_assert_int_eq(weft_task_memory_of(&list, &cx->arena, &memory), WEFT_OK);
        weft_module_free(m);
        m = NULL;
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("cost/fuse");
    TCase *t = tcase_create("fuse");
    tcase_add_checked_fixture(t, begin, end);
    tcase_add_loop_test(t, test_fused, 0, WEFT_COUNT(fused));
    tcase_add_loop_test(t, test_attention, 0, WEFT_COUNT(attends));
    tcase_add_test(t, test_again);
    tcase_add_loop_test(t, test_memory, 0, WEFT_COUNT(holds));
    tcase_add_loop_test(t, test_classes, 0, WEFT_COUNT(classes));
    tcase_add_test(t, test_call_rate);
    tcase_add_test(t, test_branches);
    tcase_add_test(t, test_overlap);
    tcase_add_test(t, test_library);
    tcase_add_test(t, test_loop_end);
    tcase_add_test(t, test_floor);
    tcase_add_loop_test(t, test_floor_of_attention, 0, WEFT_COUNT(attends));
    tcase_add_test(t, test_random);
    suite_add_tcase(s, t);
    return weft_run_suite(s);
}
