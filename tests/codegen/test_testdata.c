/* test_testdata.c: StableHLO's own test programs, unchanged, as `weft run FILE` runs them: built by the pipeline, run
 * by a session on one device, judged by their own checks. Two threads share the files.
 *
 * Looked for in $WEFT_SHARED/stablehlo-testdata, else beside the checkout; skipped with a message when absent. Files
 * with RUN-DISABLED(inaccurate) or RUN-DISABLED(#2497) in the first line are run and reported separately: their
 * authors' own expectation is off there.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include "pipeline/pipeline.h"
#include "runtime/execute.h"
#include "tests/support/suite.h"

enum { THREADS = 2, MOST_FILES = 8192, SLOWEST = 5 };

typedef enum verdict { PASSED, FAILED, UNSUPPORTED } verdict;

typedef struct file {
    char *name;
    bool apart;
    verdict verdict;
    char why[300];
    double seconds;
} file;

static struct {
    const char *dir;
    file files[MOST_FILES];
    int count;
    atomic_int next;       /* taken by the threads; each then owns its file's record */
} all;

static char *slurp(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *p = calloc(1, (size_t)n + 1);
    bool whole = p && fread(p, 1, (size_t)n, f) == (size_t)n;
    fclose(f);
    if (whole) return p;
    free(p);
    return NULL;
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static weft_status run(weft_context *cx, const weft_built_program *p) {
    weft_session *s = NULL;
    bool speaker;
    const weft_session_options o = { .processes = { .process = 0, .processes = 1 }, .exec = p->exec,
                                     .args = p->arg_layouts, .results = p->result_layouts };
    weft_status st = weft_session_open(cx, &o, &speaker, &s);
    if (st == WEFT_OK) st = weft_session_step(s);
    weft_session_close(s);
    return st;
}

static void one(file *f) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", all.dir, f->name);
    const double start = now_s();
    char *text = slurp(path);
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_built_program *p = NULL;
    weft_status st = text && cx ? weft_read_text(cx, weft_str_from(text), f->name, 0, &m) : WEFT_ERR_IO;
    const weft_build_options options = { 0 };
    if (st == WEFT_OK) st = weft_program_build(cx, m, &options, &p);
    if (st == WEFT_OK) st = run(cx, p);
    const weft_diag *d = cx && st != WEFT_OK ? weft_context_diag(cx, weft_context_diag_count(cx) - 1) : NULL;
    snprintf(f->why, sizeof f->why, "%s", d ? d->message : weft_status_name(st));
    f->verdict = st == WEFT_OK ? PASSED : st == WEFT_ERR_UNSUPPORTED ? UNSUPPORTED : FAILED;
    f->apart =
        text && (!strncmp(text, "// RUN-DISABLED(inaccurate)", 27) || !strncmp(text, "// RUN-DISABLED(#2497)", 22));
    weft_built_program_free(p);
    weft_module_free(m);
    weft_context_free(cx);
    free(text);
    f->seconds = now_s() - start;
}

static void *work(void *unused) {
    (void)unused;
    for (;;) {
        /* Relaxed: the number is all that is shared; the join publishes the records. */
        const int i = atomic_fetch_add_explicit(&all.next, 1, memory_order_relaxed);
        if (i >= all.count) return NULL;
        one(&all.files[i]);
    }
}

static int by_name(const void *a, const void *b) { return strcmp(((const file *)a)->name, ((const file *)b)->name); }
static int by_time(const void *a, const void *b) {
    const double x = ((const file *)a)->seconds, y = ((const file *)b)->seconds;
    return (x < y) - (x > y);
}

static bool find_files(void) {
    DIR *d = opendir(all.dir);
    if (!d) return false;
    for (struct dirent *e; (e = readdir(d)) && all.count < MOST_FILES;)
        if (strlen(e->d_name) > 5 && !strcmp(e->d_name + strlen(e->d_name) - 5, ".mlir"))
            all.files[all.count++].name = strdup(e->d_name);
    closedir(d);
    qsort(all.files, (size_t)all.count, sizeof *all.files, by_name);
    return true;
}

static void print_times(double wall_s) {
    double sum = 0;
    for (int i = 0; i < all.count; i++) sum += all.files[i].seconds;
    qsort(all.files, (size_t)all.count, sizeof *all.files, by_time);
    printf("%.1f s with %d threads, %.1f ms per program; slowest:", wall_s, THREADS,
           1e3 * sum / (all.count ? all.count : 1));
    for (int i = 0; i < all.count && i < SLOWEST; i++) printf(" %s %.2f s", all.files[i].name, all.files[i].seconds);
    printf("\n");
}

START_TEST(test_all) {
    const char *top = getenv("top_srcdir"), *shared = getenv("WEFT_SHARED");
    char dir[512];
    int count[3] = { 0 }, apart[3] = { 0 }, wrong = 0;
    pthread_t thread[THREADS];
    if (shared) snprintf(dir, sizeof dir, "%s/stablehlo-testdata", shared);
    else snprintf(dir, sizeof dir, "%s/../shared/stablehlo-testdata", top ? top : ".");
    all.dir = dir;
    if (!find_files()) {
        printf("skipped: no %s\n", dir);
        return;
    }
    ck_assert_int_gt(all.count, 0);
    const double start = now_s();
    for (int t = 0; t < THREADS; t++) ck_assert_int_eq(pthread_create(&thread[t], NULL, work, NULL), 0);
    for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
    const double wall_s = now_s() - start;
    for (int i = 0; i < all.count; i++) {
        const file *f = &all.files[i];
        (f->apart ? apart : count)[f->verdict]++;
        wrong += !f->apart && f->verdict != PASSED;
        if (f->verdict != PASSED) printf("%s%s: %s\n", f->name, f->apart ? " (apart)" : "", f->why);
    }
    printf("%d of %d programs pass, %d fail, %d are unsupported; apart: %d pass, %d fail, %d are unsupported\n",
           count[PASSED], count[PASSED] + count[FAILED] + count[UNSUPPORTED], count[FAILED], count[UNSUPPORTED],
           apart[PASSED], apart[FAILED], apart[UNSUPPORTED]);
    print_times(wall_s);
    fflush(stdout);
    ck_assert_int_eq(wrong, 0);
    for (int i = 0; i < all.count; i++) free(all.files[i].name);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/testdata");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, test_all);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
