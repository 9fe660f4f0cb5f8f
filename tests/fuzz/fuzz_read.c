/* fuzz_read.c: arbitrary bytes as MLIR text, or as bytecode where they begin as that does.
 *
 * Refused text leaves at least one diagnostic; accepted text must print to a text that reads again and prints the same,
 * in the pretty and the generic form, and the pretty form loses nothing. Written as bytecode, it reads as before, and
 * as a portable artifact it reads, unless the module is refused with a diagnostic. The first byte chooses whether the
 * module is verified.
 *
 *   fuzz_read [-max_total_time=60] [CORPUS]
 *
 * seeds.h lists the added options.
 */
#include "mlir/print.h"
#include "mlir/read.h"
#include "mlir/write.h"
#include "tests/fuzz/seeds.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void quiet(void *user, const weft_diag *d) {
    (void)d;
    ++*(size_t *)user;
}

/* text must read as before and print as it stands. */
static void expect_same(weft_context *cx, const weft_buf *text, unsigned flags) {
    weft_module *m = NULL;
    weft_buf again;
    weft_buf_init(&again, &cx->alloc);
    if (weft_read_text(cx, (weft_str){ text->p, text->n }, "again", flags, &m) != WEFT_OK) {
        fprintf(stderr, "printed, but not read again:\n%s\n", text->p);
        abort();
    }
    if (weft_print_module(m, WEFT_PRINT_PRETTY, &again) != WEFT_OK || again.n != text->n ||
        memcmp(again.p, text->p, text->n)) {
        fprintf(stderr, "printed:\n%s\nthen:\n%s\n", text->p, again.p);
        abort();
    }
    weft_buf_free(&again);
    weft_module_free(m);
}

/* The pretty form must say all that the generic form says. */
static void expect_whole(weft_context *cx, const weft_module *m, const weft_buf *pretty, unsigned flags) {
    weft_module *back = NULL;
    weft_buf before, after;
    weft_buf_init(&before, &cx->alloc);
    weft_buf_init(&after, &cx->alloc);
    if (weft_read_text(cx, (weft_str){ pretty->p, pretty->n }, "pretty", flags, &back) != WEFT_OK) abort();
    if (weft_print_module(m, WEFT_PRINT_GENERIC, &before) != WEFT_OK ||
        weft_print_module(back, WEFT_PRINT_GENERIC, &after) != WEFT_OK)
        abort();
    if (before.n != after.n || memcmp(before.p, after.p, after.n)) {
        fprintf(stderr, "the pretty form:\n%s\nof:\n%s\nis read as:\n%s\n", pretty->p, before.p, after.p);
        abort();
    }
    weft_buf_free(&before);
    weft_buf_free(&after);
    weft_module_free(back);
}

static void print_and_read(weft_context *cx, const weft_module *m, unsigned flags) {
    weft_buf pretty, generic;
    weft_buf_init(&pretty, &cx->alloc);
    weft_buf_init(&generic, &cx->alloc);
    if (weft_print_module(m, WEFT_PRINT_PRETTY, &pretty) != WEFT_OK) abort();
    expect_same(cx, &pretty, flags);
    expect_whole(cx, m, &pretty, flags);
    if (weft_print_module(m, WEFT_PRINT_GENERIC | WEFT_PRINT_LOCS, &generic) != WEFT_OK) abort();
    weft_module *back = NULL;
    if (weft_read_text(cx, (weft_str){ generic.p, generic.n }, "generic", flags, &back) != WEFT_OK) {
        fprintf(stderr, "the generic form is not read:\n%s\n", generic.p);
        abort();
    }
    weft_module_free(back);
    weft_buf_free(&pretty);
    weft_buf_free(&generic);
}

/* What was written must read; as bytecode, as it was. */
static void expect_reads(weft_context *cx, const weft_module *m, const weft_buf *bytes, unsigned flags, bool same) {
    weft_module *back = NULL;
    weft_buf before, after;
    weft_buf_init(&before, &cx->alloc);
    weft_buf_init(&after, &cx->alloc);
    if (weft_read_text(cx, (weft_str){ bytes->p, bytes->n }, "written", flags, &back) != WEFT_OK) {
        fprintf(stderr, "written, but not read again\n");
        abort();
    }
    if (weft_print_module(m, WEFT_PRINT_GENERIC | WEFT_PRINT_LOCS, &before) != WEFT_OK ||
        weft_print_module(back, WEFT_PRINT_GENERIC | WEFT_PRINT_LOCS, &after) != WEFT_OK)
        abort();
    if (same && (before.n != after.n || memcmp(before.p, after.p, after.n))) {
        fprintf(stderr, "bytecode of:\n%s\nis read as:\n%s\n", before.p, after.p);
        abort();
    }
    weft_buf_free(&before);
    weft_buf_free(&after);
    weft_module_free(back);
}

static void write_and_read(weft_context *cx, const weft_module *m, unsigned flags, const size_t *reports) {
    weft_buf own, portable;
    weft_buf_init(&own, &cx->alloc);
    weft_buf_init(&portable, &cx->alloc);
    size_t before = *reports;
    if (weft_write_bytecode(m, &own) == WEFT_OK) expect_reads(cx, m, &own, flags, true);
    else if (*reports == before || own.n) abort();
    before = *reports;
    /* VHLO's attributes are other kinds, which the verifier may not take where they are no op's own */
    if (weft_write_portable(m, &weft_vhlo_newest, &portable) == WEFT_OK)
        expect_reads(cx, m, &portable, flags | WEFT_READ_NO_VERIFY, false);
    else if (*reports == before || portable.n)
        abort();
    weft_buf_free(&own);
    weft_buf_free(&portable);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    unsigned flags = WEFT_READ_ALLOW_UNREGISTERED | (data[0] & 1 ? WEFT_READ_NO_VERIFY : 0);
    size_t reports = 0;
    weft_context *cx = weft_context_new(NULL);
    if (!cx) return 0;
    weft_context_set_handler(cx, quiet, &reports);
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, (weft_str){ (const char *)data + 1, size - 1 }, "fuzz", flags, &m);
    if (st == WEFT_OK) {
        print_and_read(cx, m, flags);
        write_and_read(cx, m, flags, &reports);
    } else if (!reports || m) {
        abort();
    }
    weft_module_free(m);
    weft_context_free(cx);
    return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) { return add_options(argc, argv); }
