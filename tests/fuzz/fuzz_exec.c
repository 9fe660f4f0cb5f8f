/* fuzz_exec.c: the bytes of a compiled program, changed, under a valid hash. A file that is read is complete, and is
 * written and read again unchanged; a refused one leaves a diagnostic. Nothing is run.
 *
 *   fuzz_exec [-max_total_time=60] [CORPUS]
 *
 * Input: changes of four bytes each, three of offset and the new byte; the rest is inserted at the last offset.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/context.h"
#include "codegen/compile.h"
#include "exec/file.h"
#include "exec/walk.h"
#include "mlir/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BODY_AT = WEFT_FILE_BODY_AT, CHANGES = 16 };

static const char text[] =
    "func.func @main(%a: tensor<16x8xf32>, %n: tensor<i32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %w:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<16x8xf32>\n"
    "  cond {\n"
    "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n"
    "  } do {\n"
    "    %u = \"stablehlo.all_reduce\"(%v) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({\n"
    "    ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
    "      %c = stablehlo.add %x, %y : tensor<f32>\n"
    "      stablehlo.return %c : tensor<f32>\n"
    "    }) : (tensor<16x8xf32>) -> tensor<16x8xf32>\n"
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %m = stablehlo.add %i, %one : tensor<i32>\n"
    "    stablehlo.return %m, %u : tensor<i32>, tensor<16x8xf32>\n"
    "  }\n"
    "  %s = \"stablehlo.case\"(%n) ({\n"
    "    %e = stablehlo.exponential %a : tensor<16x8xf32>\n    stablehlo.return %e : tensor<16x8xf32>\n"
    "  }, {\n"
    "    stablehlo.return %w#1 : tensor<16x8xf32>\n"
    "  }) : (tensor<i32>) -> tensor<16x8xf32>\n"
    "  return %w#1, %s : tensor<16x8xf32>, tensor<16x8xf32>\n}\n";

static char *program;
static size_t program_bytes;

static void compile_once(void) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_executable *x = NULL;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    const weft_compile_options opt = { .device_count = 2 };
    if (weft_read_text(cx, weft_str_from(text), "fuzz.mlir", 0, &m) != WEFT_OK ||
        weft_codegen_compile(cx, m, &opt, &x) != WEFT_OK || weft_executable_write(x, &b) != WEFT_OK) {
        fprintf(stderr, "%s\n", weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "no memory");
        abort();
    }
    program = malloc(b.n);
    program_bytes = b.n;
    if (!program) abort();
    memcpy(program, b.p, b.n);
    weft_buf_free(&b);
    weft_executable_free(x);
    weft_module_free(m);
    weft_context_free(cx);
}

/* The program's bytes with the input's changes; *n of them. */
static char *changed(const uint8_t *data, size_t size, size_t *n) {
    char *p = malloc(program_bytes + size);
    size_t at = BODY_AT;
    if (!p) abort();
    memcpy(p, program, program_bytes);
    for (int i = 0; i < CHANGES && size >= 4; i++, data += 4, size -= 4) {
        at = BODY_AT + (data[0] | data[1] << 8 | data[2] << 16) % (program_bytes - BODY_AT);
        p[at] = (char)data[3];
    }
    memmove(p + at + size, p + at, program_bytes - at);
    memcpy(p + at, data, size);
    *n = program_bytes + size;
    weft_file_seal(p, *n);
    return p;
}

static void quiet(void *user, const weft_diag *d) {
    (void)d;
    ++*(size_t *)user;
}

static void use(weft_context *cx, const weft_executable *x) {
    weft_executable *again = NULL;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    if (weft_executable_wrong(x)) abort();
    if (weft_executable_write(x, &b) != WEFT_OK || weft_executable_read(cx, b.p, b.n, "again", &again) != WEFT_OK ||
        again->fingerprint != x->fingerprint)
        abort();
    weft_executable_free(again);
    weft_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t reports = 0, n;
    if (!program) compile_once();
    weft_context *cx = weft_context_new(NULL);
    if (!cx) return 0;
    char *bytes = changed(data, size, &n);
    weft_executable *x = NULL;
    weft_context_set_handler(cx, quiet, &reports);
    if (weft_executable_read(cx, bytes, n, "fuzz", &x) == WEFT_OK) use(cx, x);
    else if (!reports || x) abort();
    weft_executable_free(x);
    weft_context_free(cx);
    free(bytes);
    return 0;
}
