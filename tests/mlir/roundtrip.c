/* roundtrip.c: reads a file and prints it again, for the tests that compare with MLIR's own parser.
 *
 *   roundtrip [--generic] [--locs] [--no-verify] [--repeat N] [--to bytecode|VERSION] FILE
 *
 * With --to it writes bytecode, or the portable artifact of that version of StableHLO, instead.
 * With --repeat the file is read and printed N times and the fastest of each is printed on stderr.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "mlir/print.h"
#include "mlir/read.h"
#include "mlir/write.h"

static void report(void *user, const weft_diag *d) {
    (void)user;
    static const char *const words[] = { "note", "warning", "error", "help" };
    fprintf(stderr, "%s:%lld:%lld: %s: %s\n", d->file ? d->file : "?", (long long)d->line, (long long)d->column,
            words[d->severity], d->message);
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

typedef struct times { double read_ms, print_ms; } times;

typedef struct output { unsigned print_flags; const char *to; } output;

static weft_status write_module(weft_context *cx, const weft_module *m, const output *how, weft_buf *out) {
    weft_vhlo_version version;
    if (!how->to) return weft_print_module(m, how->print_flags, out);
    if (!strcmp(how->to, "bytecode")) return weft_write_bytecode(m, out);
    weft_status st = weft_vhlo_version_read(cx, weft_str_from(how->to), &version);
    return st == WEFT_OK ? weft_write_portable(m, &version, out) : st;
}

static weft_status once(const char *path, unsigned read_flags, const output *how, weft_buf *out, times *best) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    if (!cx) return WEFT_ERR_MEMORY;
    weft_context_set_handler(cx, report, NULL);
    double t0 = now_ms();
    weft_status st = weft_read_file(cx, path, read_flags, &m);
    double t1 = now_ms();
    if (st == WEFT_OK) st = write_module(cx, m, how, out);
    double t2 = now_ms();
    if (t1 - t0 < best->read_ms) best->read_ms = t1 - t0;
    if (t2 - t1 < best->print_ms) best->print_ms = t2 - t1;
    weft_module_free(m);
    weft_context_free(cx);
    return st;
}

static void *resize(void *user, void *p, size_t old, size_t n) {
    (void)user, (void)old;
    if (n) return realloc(p, n);
    free(p);
    return NULL;
}

int main(int argc, char **argv) {
    unsigned read_flags = WEFT_READ_ALLOW_UNREGISTERED;
    output how = { WEFT_PRINT_PRETTY, NULL };
    int repeat = 1, i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (!strcmp(argv[i], "--generic")) how.print_flags |= WEFT_PRINT_GENERIC;
        else if (!strcmp(argv[i], "--locs")) how.print_flags |= WEFT_PRINT_LOCS;
        else if (!strcmp(argv[i], "--no-verify")) read_flags |= WEFT_READ_NO_VERIFY;
        else if (!strcmp(argv[i], "--repeat") && i + 1 < argc) repeat = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--to") && i + 1 < argc) how.to = argv[++i];
        else break;
    }
    if (i + 1 != argc) {
        fputs("usage: roundtrip [--generic] [--locs] [--no-verify] [--repeat N] [--to FORM] FILE\n", stderr);
        return 2;
    }
    const weft_allocator alloc = { resize, NULL };
    times best = { 1e9, 1e9 };
    for (int k = 0; k < repeat; k++) {
        weft_buf out;
        weft_buf_init(&out, &alloc);
        weft_status st = once(argv[i], read_flags, &how, &out, &best);
        if (st == WEFT_OK && k == 0) fwrite(out.p, 1, out.n, stdout);
        weft_buf_free(&out);
        if (st != WEFT_OK) return 1;
    }
    if (repeat > 1) fprintf(stderr, "%s: read %.2f ms, printed %.2f ms\n", argv[i], best.read_ms, best.print_ms);
    return 0;
}
