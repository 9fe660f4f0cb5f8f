/* fuzz_program.c: arbitrary bytes as what follows the header of a compiled program's file, under a valid hash, or as a
 * cache's image of a function. A file that is read is whole and is written and read again unchanged; a refused one
 * leaves a diagnostic. Nothing is run.
 *
 *   fuzz_program [-max_total_time=60] [CORPUS]
 *
 * Input: a byte that says which. Of a program: how many bytes of a real one come first (two bytes), then the rest.
 */
#include <stdlib.h>
#include "base/context.h"
#include "exec/file.h"
#include "exec/walk.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "runtime/program_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BODY_AT = WEFT_FILE_BODY_AT };

static const char text[] =
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2], device_ids=[3, 1, 2, 0]>\n"
    "func.func @main(%a: tensor<7x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>,\n"
    "                                     tf.aliasing_output = 0 : i32}) -> tensor<7x8xf32> {\n"
    "  %s = stablehlo.sine %a : tensor<7x8xf32>\n"
    "  return %s : tensor<7x8xf32>\n}\n";

static char *program;
static size_t program_bytes;

static void compile_once(void) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_built_program *p = NULL;
    weft_port_names names;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    if (weft_read_text(cx, weft_str_from(text), "fuzz.mlir", 0, &m) != WEFT_OK ||
        weft_module_port_names(m, &cx->arena, &names) != WEFT_OK || weft_program_build(cx, m, NULL, &p) != WEFT_OK ||
        weft_built_program_write(p, &names, &b) != WEFT_OK)
        abort();
    program = malloc(b.n);
    program_bytes = b.n;
    if (!program) abort();
    memcpy(program, b.p, b.n);
    weft_buf_free(&b);
    weft_built_program_free(p);
    weft_module_free(m);
    weft_context_free(cx);
}

static void quiet(void *user, const weft_diag *d) {
    (void)d;
    ++*(size_t *)user;
}

/* What a process would divide by, allocate or index with. */
static void use(weft_context *cx, const weft_program_file *f) {
    weft_program_file *again = NULL;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    for (uint32_t i = 0; i < f->exec->arg_count; i++)
        for (uint32_t d = 0; d < f->arg_layouts[i].rank; d++)
            if (weft_layout_shard(&f->arg_layouts[i], d, f->exec->device_count - 1) < 0) abort();
    if (weft_program_file_write(f, &b) != WEFT_OK || weft_program_file_read(cx, b.p, b.n, "again", &again) != WEFT_OK)
        abort();
    weft_program_file_free(again);
    weft_buf_free(&b);
}

static void read_program(weft_context *cx, const uint8_t *data, size_t size) {
    size_t reports = 0, kept = 0;
    weft_program_file *f = NULL;
    if (size >= 2) kept = (size_t)(data[0] | data[1] << 8) % (program_bytes - BODY_AT), data += 2, size -= 2;
    const size_t n = BODY_AT + kept + size;
    char *bytes = malloc(n);
    if (!bytes) abort();
    memcpy(bytes, program, BODY_AT + kept);
    if (size) memcpy(bytes + BODY_AT + kept, data, size);
    weft_file_seal(bytes, n);
    weft_context_set_handler(cx, quiet, &reports);
    if (weft_program_file_read(cx, bytes, n, "fuzz", &f) == WEFT_OK) use(cx, f);
    else if (!reports || f) abort();
    weft_program_file_free(f);
    free(bytes);
}

static void read_image(weft_context *cx, const uint8_t *data, size_t size) {
    weft_archive a = { .mode = WEFT_ARCHIVE_READ, .arena = &cx->arena, .at = data, .end = data + size };
    weft_image image = { .machine = NULL };
    weft_image_walk(&a, &image);
    if (a.status == WEFT_OK && weft_image_whole(&image))
        for (uint32_t i = 0; i < image.function_count; i++)
            if (image.functions[i].offset + image.functions[i].bytes > image.bytes) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!program) compile_once();
    weft_context *cx = weft_context_new(NULL);
    if (!cx || !size) goto out;
    if (data[0] & 1) read_image(cx, data + 1, size - 1);
    else read_program(cx, data + 1, size - 1);
out:
    weft_context_free(cx);
    return 0;
}
