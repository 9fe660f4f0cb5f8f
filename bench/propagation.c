/* propagation FILE [REPEATS]: the time in which Weft reads a program, propagates its shardings, and prints it again;
 * the least of several times, in a line for the script bench/propagate. Processor time of the one thread, since
 * machines are shared. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pipeline/pipeline.h"

enum { READ, PROPAGATE, PRINT, STAGES };

typedef struct counted { /* an allocator's bytes */
    size_t now, peak;
} counted;

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes) {
    counted *c = user;
    c->now = c->now - old_bytes + new_bytes;
    if (c->now > c->peak) c->peak = c->now;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

static char *slurp(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    *n = 0;
    for (size_t got = 1; f && got;) {
        char *more = realloc(text, *n + (1 << 20));
        if (!more) break;
        text = more;
        got = fread(text + *n, 1, 1 << 20, f);
        *n += got;
    }
    if (f) fclose(f);
    return text;
}

/* One way through; times are kept where they are the least. c counts bytes, in place of the allocator that programs
 * have; NULL: none. */
static weft_status once(const char *text, size_t n, double *ms, counted *c, size_t *bytes, uint32_t *ops) {
    const weft_allocator alloc = { resize, c };
    weft_context *cx = weft_context_new(c ? &alloc : NULL);
    weft_module *m = NULL;
    weft_buf out;
    double at[STAGES + 1];
    if (!cx) return WEFT_ERR_MEMORY;
    weft_buf_init(&out, &cx->alloc);
    at[0] = cpu_ms();
    weft_status st = weft_read_text(cx, (weft_str){ text, n }, "program", 0, &m);
    at[1] = cpu_ms();
    if (st == WEFT_OK) *ops = m->op_count;
    size_t before = c ? c->now : 0;
    if (c) c->peak = before;
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("sdy-propagation-pipeline"), WEFT_PIPELINE_TAKE, &m);
    if (c) *bytes = c->peak - before;
    at[2] = cpu_ms();
    if (st == WEFT_OK) st = weft_print_module(m, 0, &out);
    at[3] = cpu_ms();
    for (int i = 0; i < STAGES; i++)
        if (at[i + 1] - at[i] < ms[i]) ms[i] = at[i + 1] - at[i];
    weft_buf_free(&out);
    weft_module_free(m);
    weft_context_free(cx);
    return st;
}

int main(int argc, char **argv) {
    double ms[STAGES] = { 1e30, 1e30, 1e30 };
    size_t n = 0, bytes = 0;
    uint32_t ops = 0;
    counted c = { 0 };
    char *text = argc > 1 ? slurp(argv[1], &n) : NULL;
    weft_status st = text ? WEFT_OK : WEFT_ERR_USAGE;
    if (st == WEFT_OK) st = once(text, n, ms, &c, &bytes, &ops);
    for (int i = 0, repeats = argc > 2 ? atoi(argv[2]) : 5; i < repeats && st == WEFT_OK; i++)
        st = once(text, n, ms, NULL, &bytes, &ops);
    free(text);
    if (st != WEFT_OK) return fprintf(stderr, "propagation: %s\n", weft_status_name(st)), 1;
    printf("read %.2f propagate %.2f print %.2f ms, %zu bytes, %u ops\n", ms[READ], ms[PROPAGATE], ms[PRINT], bytes,
           ops);
    return 0;
}
