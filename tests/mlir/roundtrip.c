/* roundtrip.c: reads a file and prints it again, for the tests that compare with MLIR's own parser.
 *
 *   roundtrip [--generic] [--locs] [--no-verify] [--repeat N] FILE
 *
 * With --repeat the file is read and printed N times and the fastest of each is printed on stderr.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "mlir/print.h"
#include "mlir/read.h"

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

static weft_status once(const char *path, unsigned read_flags, unsigned print_flags, weft_buf *out, times *best) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    if (!cx) return WEFT_ERR_MEMORY;
    weft_context_set_handler(cx, report, NULL);
    double t0 = now_ms();
    weft_status st = weft_read_file(cx, path, read_flags, &m);
    double t1 = now_ms();
    if (st == WEFT_OK) st = weft_print_module(m, print_flags, out);
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
    unsigned read_flags = WEFT_READ_ALLOW_UNREGISTERED, print_flags = WEFT_PRINT_PRETTY;
    int repeat = 1, i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (!strcmp(argv[i], "--generic")) print_flags |= WEFT_PRINT_GENERIC;
        else if (!strcmp(argv[i], "--locs")) print_flags |= WEFT_PRINT_LOCS;
        else if (!strcmp(argv[i], "--no-verify")) read_flags |= WEFT_READ_NO_VERIFY;
        else if (!strcmp(argv[i], "--repeat") && i + 1 < argc) repeat = atoi(argv[++i]);
        else break;
    }
    if (i + 1 != argc) {
        fputs("usage: roundtrip [--generic] [--locs] [--no-verify] [--repeat N] FILE\n", stderr);
        return 2;
    }
    const weft_allocator alloc = { resize, NULL };
    times best = { 1e9, 1e9 };
    for (int k = 0; k < repeat; k++) {
        weft_buf out;
        weft_buf_init(&out, &alloc);
        weft_status st = once(argv[i], read_flags, print_flags, &out, &best);
        if (st == WEFT_OK && k == 0) fwrite(out.p, 1, out.n, stdout);
        weft_buf_free(&out);
        if (st != WEFT_OK) return 1;
    }
    if (repeat > 1) fprintf(stderr, "%s: read %.2f ms, printed %.2f ms\n", argv[i], best.read_ms, best.print_ms);
    return 0;
}
