/* Loops and branches: the carried values, their order, the number of iterations; random loops against a model in C. */
#include <stdarg.h>
#include <stdio.h>
#include "mlir/read.h"
#include "tests/codegen/walk.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

/* Runs text on arguments of i32; results are i32 too. */
static void run(const char *text, void *const *args, void *const *results) {
    walk_text(text, NULL, args, results);
}

/* ---- programs of scalars: main(a, b) -> r ---- */

#define COUNT(n) \
    "    %n = stablehlo.constant dense<" #n "> : tensor<i32>\n" \
    "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n"
#define NEXT "    %one = stablehlo.constant dense<1> : tensor<i32>\n    %j = stablehlo.add %i, %one : tensor<i32>\n"

static const struct { const char *what, *text; int32_t a, b, r;
} scalars[] = {
    { "no turn at all",
      "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %w:2 = stablehlo.while(%i = %z, %x = %a) : tensor<i32>, tensor<i32>\n  cond {\n" COUNT(
          0) "  } do {\n" NEXT
             "    %y = stablehlo.add %x, %b : tensor<i32>\n    stablehlo.return %j, %y : tensor<i32>, tensor<i32>\n  }\n"
             "  return %w#1 : tensor<i32>\n",
      5, 7, 5 },
    { "three values change places",
      "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %w:4 = stablehlo.while(%i = %z, %x = %a, %y = %b, %v = %z) : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>\n  cond {\n" COUNT(
          4) "  } do {\n" NEXT
             "    stablehlo.return %j, %y, %v, %x : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>\n  }\n"
             "  return %w#1 : tensor<i32>\n",
      5, 7, 7 },
    { "one value twice, one kept",
      "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %w:4 = stablehlo.while(%i = %z, %x = %a, %y = %a, %k = %b) : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>\n  cond {\n" COUNT(
          3) "  } do {\n" NEXT
             "    %s = stablehlo.add %x, %k : tensor<i32>\n    stablehlo.return %j, %s, %s, %k : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>\n  }\n"
             "  %r = stablehlo.add %w#2, %w#3 : tensor<i32>\n  return %r : tensor<i32>\n",
      5, 7, 33 },
    { "a constant and a value from outside carried on",
      "  %z = stablehlo.constant dense<0> : tensor<i32>\n  %c = stablehlo.constant dense<9> : tensor<i32>\n  %out = stablehlo.multiply %a, %b : tensor<i32>\n"
      "  %w:3 = stablehlo.while(%i = %z, %x = %a, %y = %b) : tensor<i32>, tensor<i32>, tensor<i32>\n  cond {\n" COUNT(
          2) "  } do {\n" NEXT "    stablehlo.return %j, %c, %out : tensor<i32>, tensor<i32>, tensor<i32>\n  }\n"
             "  %r = stablehlo.subtract %w#2, %w#1 : tensor<i32>\n  return %r : tensor<i32>\n",
      5, 7, 26 },
    { "a loop of a loop, each with what the other carries",
      "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %w:2 = stablehlo.while(%i = %z, %x = %a) : tensor<i32>, tensor<i32>\n  cond {\n" COUNT(
          3) "  } do {\n" NEXT "    %v:2 = stablehlo.while(%q = %z, %y = %x) : tensor<i32>, tensor<i32>\n    cond {\n"
             "      %p = stablehlo.compare LT, %q, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>\n      stablehlo.return %p : tensor<i1>\n    } do {\n"
             "      %k = stablehlo.add %q, %one : tensor<i32>\n      %s = stablehlo.add %y, %b : tensor<i32>\n      %t = stablehlo.add %s, %i : tensor<i32>\n"
             "      stablehlo.return %k, %t : tensor<i32>, tensor<i32>\n    }\n"
             "    stablehlo.return %j, %v#1 : tensor<i32>, tensor<i32>\n  }\n  return %w#1 : tensor<i32>\n",
      5, 7, 5 + 6 * 7 + 0 + 2 + 6 },
    { "branch 1 of 3",
      "  %r = \"stablehlo.case\"(%a) ({\n    stablehlo.return %a : tensor<i32>\n  }, {\n    %s = stablehlo.add %a, %b : tensor<i32>\n    stablehlo.return %s : tensor<i32>\n"
      "  }, {\n    stablehlo.return %b : tensor<i32>\n  }) : (tensor<i32>) -> tensor<i32>\n  return %r : tensor<i32>\n",
      1, 7, 8 },
    { "no such branch: the last",
      "  %r = \"stablehlo.case\"(%a) ({\n    stablehlo.return %a : tensor<i32>\n  }, {\n    %s = stablehlo.add %a, %b : tensor<i32>\n    stablehlo.return %s : tensor<i32>\n"
      "  }, {\n    stablehlo.return %b : tensor<i32>\n  }) : (tensor<i32>) -> tensor<i32>\n  return %r : tensor<i32>\n",
      3, 7, 7 },
    { "a negative branch: the last",
      "  %r = \"stablehlo.case\"(%a) ({\n    stablehlo.return %a : tensor<i32>\n  }, {\n    stablehlo.return %b : tensor<i32>\n  }) : (tensor<i32>) -> tensor<i32>\n"
      "  return %r : tensor<i32>\n",
      -1, 7, 7 },
    { "branches without results",
      "  %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "  \"stablehlo.if\"(%p) ({\n    stablehlo.return\n  }, {\n    %s = stablehlo.add %a, %b : tensor<i32>\n    stablehlo.return\n  }) : (tensor<i1>) -> ()\n"
      "  \"stablehlo.case\"(%a) ({\n    stablehlo.return\n  }) : (tensor<i32>) -> ()\n  return %a : tensor<i32>\n",
      5, 7, 5 },
    { "two results, one of them not used",
      "  %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "  %r:2 = \"stablehlo.if\"(%p) ({\n    stablehlo.return %a, %b : tensor<i32>, tensor<i32>\n  }, {\n    stablehlo.return %b, %b : tensor<i32>, tensor<i32>\n"
      "  }) : (tensor<i1>) -> (tensor<i32>, tensor<i32>)\n  return %r#1 : tensor<i32>\n",
      5, 7, 7 },
    { "a loop that carries nothing and does not turn",
      "  stablehlo.while() cond {\n    %p = stablehlo.constant dense<false> : tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  } do {\n    stablehlo.return\n  }\n"
      "  return %b : tensor<i32>\n",
      5, 7, 7 },
};

START_TEST(test_scalars) {
    char text[4096];
    int32_t *a = walk_buffer(4), *b = walk_buffer(4), *r = walk_buffer(4);
    snprintf(text, sizeof text, "func.func @main(%%a: tensor<i32>, %%b: tensor<i32>) -> tensor<i32> {\n%s}\n",
             scalars[_i].text);
    *a = scalars[_i].a;
    *b = scalars[_i].b;
    run(text, (void *[]){ a, b }, (void *[]){ r });
    ck_assert_msg(*r == scalars[_i].r, "%s: %d, not %d", scalars[_i].what, *r, scalars[_i].r);
    free(a), free(b), free(r);
}
END_TEST

/* Branches in branches in loops, thirty deep. */
START_TEST(test_depth) {
    enum { DEPTH = 30 };
    static char text[DEPTH * 700];
    size_t n = (size_t)snprintf(
        text, sizeof text,
        "func.func @main(%%v0: tensor<i32>) -> tensor<i32> {\n  %%one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %%p = stablehlo.compare EQ, %%v0, %%v0 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n");
    for (int d = 0; d < DEPTH; d++) {
        if (d % 2)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "%%r%d = \"stablehlo.if\"(%%p) ({ %%v%d = stablehlo.add %%v%d, %%one : tensor<i32>\n",
                                  d, d + 1, d);
        else
            n += (size_t)snprintf(
                text + n, sizeof text - n,
                "%%w%d:2 = stablehlo.while(%%i%d = %%one, %%x%d = %%v%d) : tensor<i32>, tensor<i32>\n cond { %%c%d = stablehlo.compare LE, %%i%d, %%one : (tensor<i32>, "
                "tensor<i32>) -> tensor<i1>\n stablehlo.return %%c%d : tensor<i1> }\n do { %%v%d = stablehlo.add %%x%d, %%one : tensor<i32>\n"
                " %%j%d = stablehlo.add %%i%d, %%one : tensor<i32>\n",
                d, d, d, d, d, d, d, d + 1, d, d, d);
    }
    n +=
        (size_t)snprintf(text + n, sizeof text - n, "%%r%d = stablehlo.add %%v%d, %%one : tensor<i32>\n", DEPTH, DEPTH);
    for (int d = DEPTH; d-- > 0;) {
        const char *value = (d + 1) % 2 || d + 1 == DEPTH ? "r" : "w";
        const char *part = (d + 1) % 2 || d + 1 == DEPTH ? "" : "#1";
        if (d % 2)
            n += (size_t)snprintf(
                text + n, sizeof text - n,
                "stablehlo.return %%%s%d%s : tensor<i32> }, { stablehlo.return %%v%d : tensor<i32> }) : (tensor<i1>) -> tensor<i32>\n",
                value, d + 1, part, d);
        else
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "stablehlo.return %%j%d, %%%s%d%s : tensor<i32>, tensor<i32> }\n", d, value, d + 1,
                                  part);
    }
    snprintf(text + n, sizeof text - n, "return %%w0#1 : tensor<i32>\n}\n");
    int32_t *a = walk_buffer(4), *r = walk_buffer(4);
    *a = 100;
    run(text, (void *[]){ a }, (void *[]){ r });
    ck_assert_int_eq(*r, 100 + DEPTH + 1);
    free(a), free(r);
}
END_TEST

/* ---- random loops ---- */

enum { VALUES = 5, SIZE = 400, PART = 8, MOST_TEXT = 1 << 15 };

typedef enum kind { KEEP, MOVE, ADD, PLACE, PLACE_OWN, SCATTER, CHOOSE, INNER, KINDS } kind;
typedef struct body { kind kind[VALUES]; int j[VALUES], k[VALUES], trips; } body;

static char *say(char *at, const char *fmt, ...) {
    va_list v;
    va_start(v, fmt);
    at += vsprintf(at, fmt, v);
    va_end(v);
    return at;
}

#define T "tensor<400xi32>"

static char *say_value(char *at, const body *b, int r) {
    const int j = b->j[r], k = b->k[r];
    switch (b->kind[r]) {
    case KEEP: case MOVE: case KINDS: break;
    case ADD: return say(at, "%%n%d = stablehlo.add %%x%d, %%x%d : " T "\n", r, j, k);
    case PLACE: case PLACE_OWN:
        at = say(at, "%%s%d = stablehlo.slice %%x%d [%d:%d] : (" T ") -> tensor<8xi32>\n", r, k, 7 * j, 7 * j + PART);
        at = say(
            at,
            "%%t%d = stablehlo.add %%s%d, %%s%d : tensor<8xi32>\n%%at%d = stablehlo.multiply %%i, %%five : tensor<i32>\n",
            r, r, r, r);
        return say(at,
                   "%%n%d = stablehlo.dynamic_update_slice %%x%d, %%t%d, %%at%d : (" T
                   ", tensor<8xi32>, tensor<i32>) -> " T "\n",
                   r, j, r, r);
    case SCATTER:
        at = say(at,
                 "%%s%d = stablehlo.slice %%x%d [3:4] : (" T
                 ") -> tensor<1xi32>\n%%u%d = stablehlo.reshape %%s%d : (tensor<1xi32>) -> tensor<i32>\n",
                 r, k, r, r);
        at = say(at, "%%at%d = stablehlo.reshape %%i : (tensor<i32>) -> tensor<1xi32>\n", r);
        return say(
            at,
            "%%n%d = \"stablehlo.scatter\"(%%x%d, %%at%d, %%u%d) ({\n^bb0(%%old: tensor<i32>, %%new: tensor<i32>):\n%%sum = stablehlo.add %%old, %%new : tensor<i32>\n"
            "stablehlo.return %%sum : tensor<i32>\n}) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
            "index_vector_dim = 0>} : (" T ", tensor<1xi32>, tensor<i32>) -> " T "\n",
            r, j, r, r);
    case CHOOSE:
        return say(at,
                   "%%n%d = \"stablehlo.if\"(%%odd) ({\n%%y = stablehlo.add %%x%d, %%x%d : " T
                   "\nstablehlo.return %%y : " T "\n}, {\nstablehlo.return %%x%d : " T "\n}) : (tensor<i1>) -> " T "\n",
                   r, j, k, k);
    case INNER:
        return say(
            at,
            "%%w%d:2 = stablehlo.while(%%q = %%one, %%y = %%x%d) : tensor<i32>, " T
            "\ncond {\n%%p = stablehlo.compare LT, %%q, %%five : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "stablehlo.return %%p : tensor<i1>\n} do {\n%%v = stablehlo.add %%q, %%one : tensor<i32>\n%%s = stablehlo.slice %%x%d [0:8] : (" T
            ") -> tensor<8xi32>\n"
            "%%zz = stablehlo.dynamic_update_slice %%y, %%s, %%q : (" T ", tensor<8xi32>, tensor<i32>) -> " T
            "\nstablehlo.return %%v, %%zz : tensor<i32>, " T "\n}\n",
            r, j, k);
    }
    return at;
}

static char *say_name(char *at, const body *b, int r) {
    if (b->kind[r] == KEEP) return say(at, "%%x%d", r);
    if (b->kind[r] == MOVE) return say(at, "%%x%d", b->j[r]);
    return b->kind[r] == INNER ? say(at, "%%w%d#1", r) : say(at, "%%n%d", r);
}

static char *say_types(char *at) {
    for (int r = 0; r < VALUES; r++) at = say(at, r ? ", " T : T);
    return at;
}

static void program(const body *b, char *text) {
    char *at = say(text, "func.func @main(");
    for (int r = 0; r < VALUES; r++) at = say(at, "%s%%a%d: " T, r ? ", " : "", r);
    at = say_types(say(at, ") -> ("));
    at = say(
        at,
        ") {\n%%z = stablehlo.constant dense<0> : tensor<i32>\n%%one = stablehlo.constant dense<1> : tensor<i32>\n%%five = stablehlo.constant dense<5> : tensor<i32>\n"
        "%%m = stablehlo.constant dense<%d> : tensor<i32>\n%%w:%d = stablehlo.while(%%i = %%z",
        b->trips, VALUES + 1);
    for (int r = 0; r < VALUES; r++) at = say(at, ", %%x%d = %%a%d", r, r);
    at = say_types(say(at, ") : tensor<i32>, "));
    at = say(
        at,
        "\ncond {\n%%p = stablehlo.compare LT, %%i, %%m : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %%p : tensor<i1>\n} do {\n"
        "%%next = stablehlo.add %%i, %%one : tensor<i32>\n%%bit = stablehlo.and %%i, %%one : tensor<i32>\n"
        "%%odd = stablehlo.compare EQ, %%bit, %%one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n");
    for (int r = 0; r < VALUES; r++) at = say_value(at, b, r);
    at = say(at, "stablehlo.return %%next");
    for (int r = 0; r < VALUES; r++) at = say_name(say(at, ", "), b, r);
    at = say_types(say(at, " : tensor<i32>, "));
    at = say(at, "\n}\nreturn ");
    for (int r = 0; r < VALUES; r++) at = say(at, "%s%%w#%d", r ? ", " : "", r + 1);
    at = say_types(say(at, " : "));
    say(at, "\n}\n");
}

/* What value r is after turn i, of the old ones. */
static void model(const body *b, int r, int i, int32_t old[VALUES][SIZE], int32_t *new) {
    const int j = b->j[r], k = b->k[r];
    const int from = 5 * i < SIZE - PART ? 5 * i : SIZE - PART;
    memcpy(new, old[b->kind[r] == KEEP ? r : j], SIZE * sizeof *new);
    for (int e = 0; b->kind[r] == ADD && e < SIZE; e++) new[e] = (int32_t)((uint32_t)old[j][e] + (uint32_t)old[k][e]);
    for (int e = 0; (b->kind[r] == PLACE || b->kind[r] == PLACE_OWN) && e < PART; e++)
        new[from + e] = (int32_t)(2 * (uint32_t)old[k][7 * j + e]);
    if (b->kind[r] == SCATTER && i < SIZE) new[i] = (int32_t)((uint32_t)new[i] + (uint32_t)old[k][3]);
    for (int e = 0; b->kind[r] == CHOOSE && e < SIZE; e++)
        new[e] = i % 2 ? (int32_t)((uint32_t)old[j][e] + (uint32_t)old[k][e]) : old[k][e];
    for (int q = 1; b->kind[r] == INNER && q < 5; q++) memcpy(new + q, old[k], PART * sizeof *new);
}

/* The same of 40 elements, which a loop keeps in memory of its own. */
static void shrink(char *text) {
    for (char *at = text; (at = strstr(at, "<400x")) != NULL;) memmove(at + 3, at + 4, strlen(at + 4) + 1);
}

START_TEST(test_random) {
    static char text[MOST_TEXT];
    const uint64_t seed = 7000 + (uint64_t)_i;
    const int size = _i % 2 ? 40 : SIZE;
    weft_rng rng = { seed };
    body b = { .trips = (int)weft_rng_below(&rng, 7) };
    int32_t *args[VALUES], *results[VALUES], want[VALUES][SIZE], next[VALUES][SIZE];
    for (int r = 0; r < VALUES; r++) {
        b.kind[r] = (kind)weft_rng_below(&rng, KINDS);
        b.j[r] = b.kind[r] == MOVE || weft_rng_below(&rng, 2) ? (int)weft_rng_below(&rng, VALUES) : r;
        b.k[r] = b.kind[r] == PLACE_OWN ? b.j[r] : (int)weft_rng_below(&rng, VALUES);
        args[r] = walk_buffer(SIZE * 4);
        results[r] = walk_buffer(SIZE * 4);
        for (int e = 0; e < SIZE; e++) args[r][e] = want[r][e] = (int32_t)weft_rng_below(&rng, 1000);
    }
    program(&b, text);
    if (size < SIZE) shrink(text);
    for (int i = 0; i < b.trips; i++) {
        for (int r = 0; r < VALUES; r++) model(&b, r, i, want, next[r]);
        memcpy(want, next, sizeof want);
    }
    walk_text(text, _i % 4 < 2 ? NULL : "weft-legalize", (void *const *)args, (void *const *)results);
    for (int r = 0; r < VALUES; r++)
        for (int e = 0; e < size; e++)
            ck_assert_msg(results[r][e] == want[r][e], "seed %llu: element %d of value %d is %d, not %d\n%s",
                          (unsigned long long)seed, e, r, results[r][e], want[r][e], text);
    for (int r = 0; r < VALUES; r++) free(args[r]), free(results[r]);
}
END_TEST

/* ---- what a region reads from outside and a step needs in memory ---- */

/* Each makes %v of 8 i32. */
static const char *const outside[] = {
    "%v = stablehlo.constant dense<3> : tensor<8xi32>\n",
    "%v = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>\n",
    "%v = stablehlo.iota dim = 0 : tensor<8xi32>\n",
    "%a = stablehlo.constant dense<3> : tensor<8xi32>\n%v = stablehlo.multiply %a, %a : tensor<8xi32>\n",
    "%a = stablehlo.constant dense<3> : tensor<2x4xi32>\n%b = stablehlo.multiply %a, %a : tensor<2x4xi32>\n%v = stablehlo.reshape %b : (tensor<2x4xi32>) -> tensor<8xi32>\n",
    "%a = stablehlo.partition_id : tensor<ui32>\n%b = stablehlo.convert %a : (tensor<ui32>) -> tensor<i32>\n%v = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<i32>) -> tensor<8xi32>\n",
    "%v = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> tensor<8xi32>\n",
};

#define PERMUTE(x) \
    "\"stablehlo.collective_permute\"(" x \
    ") <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>}> : (tensor<8xi32>) -> tensor<8xi32>\n"
#define SUM(x) \
    "\"stablehlo.all_reduce\"(" x \
    ") <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({\n^bb0(%p: tensor<i32>, %q: tensor<i32>):\n" \
    "%t = stablehlo.add %p, %q : tensor<i32>\nstablehlo.return %t : tensor<i32>\n}) : (tensor<8xi32>) -> tensor<8xi32>\n"

/* Each makes %r of %v. */
static const char *const readers[] = {
    "%r = " PERMUTE("%v"),
    "%r = " SUM("%v"),
    "%w = stablehlo.reshape %v : (tensor<8xi32>) -> tensor<4x2xi32>\n%x = stablehlo.reshape %w : (tensor<4x2xi32>) -> tensor<8xi32>\n%r = " PERMUTE(
        "%x"),
    "%m = stablehlo.reshape %v : (tensor<8xi32>) -> tensor<2x4xi32>\n%n = stablehlo.reshape %v : (tensor<8xi32>) -> tensor<4x2xi32>\n"
    "%d = stablehlo.dot_general %n, %m, contracting_dims = [1] x [0] : (tensor<4x2xi32>, tensor<2x4xi32>) -> tensor<4x4xi32>\n%e = stablehlo.slice %d [0:4, 0:2] : (tensor<4x4xi32>) -> tensor<4x2xi32>\n"
    "%r = stablehlo.reshape %e : (tensor<4x2xi32>) -> tensor<8xi32>\n",
    "%r = \"stablehlo.sort\"(%v) <{dimension = 0 : i64}> ({\n^bb0(%p: tensor<i32>, %q: tensor<i32>):\n%l = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %l : tensor<i1>\n}) : (tensor<8xi32>) -> tensor<8xi32>\n",
};

static const char *const regions[] = {
    "%o = \"stablehlo.case\"(%k) ({\nstablehlo.return %v : tensor<8xi32>\n}, {\n%s\nstablehlo.return %r : tensor<8xi32>\n}) : (tensor<i32>) -> tensor<8xi32>\nreturn %o : tensor<8xi32>\n",
    "%o:2 = stablehlo.while(%i = %k, %x0 = %v) : tensor<i32>, tensor<8xi32>\ncond {\n" COUNT(
        3) "} do {\n" NEXT
           "%s\n%y = stablehlo.add %x0, %r : tensor<8xi32>\nstablehlo.return %j, %y : tensor<i32>, tensor<8xi32>\n}\n"
           "return %o#1 : tensor<8xi32>\n",
};

START_TEST(test_outside) {
    const weft_compile_options opt = { .flags = WEFT_COMPILE_PLAN_ONLY, .device_count = 2 };
    for (size_t reader = 0; reader < WEFT_COUNT(readers); reader++)
        for (size_t region = 0; region < WEFT_COUNT(regions); region++) {
            weft_context *cx = weft_context_new(NULL);
            weft_module *m = NULL;
            weft_executable *x = NULL;
            char text[8192];
            const char *gap = strstr(regions[region], "%s\n");
            snprintf(text, sizeof text, "func.func @main(%%k: tensor<i32>) -> tensor<8xi32> {\n%s%.*s%s%s}\n",
                     outside[_i], (int)(gap - regions[region]), regions[region], readers[reader], gap + 3);
            weft_status st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
            if (st == WEFT_OK) st = weft_codegen_compile(cx, m, &opt, &x);
            ck_assert_msg(st == WEFT_OK, "%s\n%s", weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "",
                          text);
            weft_executable_free(x);
            weft_module_free(m);
            weft_context_free(cx);
        }
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/control");
    TCase *tc = tcase_create("control");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_scalars, 0, (int)WEFT_COUNT(scalars));
    tcase_add_test(tc, test_depth);
    tcase_add_loop_test(tc, test_outside, 0, (int)WEFT_COUNT(outside));
    tcase_add_loop_test(tc, test_random, 0, 240);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
