/* test_random_shardings.c: programs under random shardings equal one device's results.
 *
 * Every StableHLO test program of $WEFT_SHARED/stablehlo-testdata (else beside the checkout; skipped with a message
 * when absent) is prepared, run on one device, and then verified under drawn shardings on small meshes, as `weft verify
 * FILE --shardings` does it. A program and a seed are a case; most programs are one op and its constants. A failure is
 * printed with file and seed:
 *     weft verify FILE --shardings SEED
 *
 * WEFT_SEED=S is the first seed, WEFT_DRAWS=N the draws per program, WEFT_PROGRAMS=DIR another folder of programs
 * (tests/jax/export.py writes one), WEFT_ONLY=TEXT takes only files whose names contain it, WEFT_FILES=N tries N of the
 * programs, evenly spread from one that the seed determines. The cases depend on seed and counts alone, not on the
 * clock.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "pipeline/pipeline.h"
#include "pipeline/variants.h"
#include "pipeline/verify.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { THREADS = 2, MOST_FILES = 16384, MOST_ARGUMENTS = 64, DRAWS = 2, FILES = 1200 };

static struct {
    char dir[512], *names[MOST_FILES];
    int count;
    uint64_t seed;
    int draws;
    int files;   /* how many of names are tried */
    atomic_int next, cases, differ, refused, no_reference; /* counters: the join publishes them */
    pthread_mutex_t print;
} all;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What was said from diagnostic `first` on, but for warnings. */
static void tell(const char *name, uint64_t seed, weft_context *cx, size_t first, weft_status st) {
    pthread_mutex_lock(&all.print);
    printf("%s --shardings %llu: %s\n", name, (unsigned long long)seed, weft_status_name(st));
    for (size_t i = first; i < weft_context_diag_count(cx); i++) {
        const weft_diag *d = weft_context_diag(cx, i);
        if (d->severity != WEFT_WARNING) printf("    %s\n", d->message);
    }
    fflush(stdout);
    pthread_mutex_unlock(&all.print);
}

static void one_case(weft_context *cx, weft_verify *v, const weft_module *prepared, const char *name, uint64_t seed) {
    weft_module *m = NULL;
    const size_t said = weft_context_diag_count(cx);
    weft_status st = weft_module_draw_shardings(prepared, &(weft_draw){ .seed = seed, .evenness = WEFT_DRAW_ANY }, &m);
    if (st == WEFT_OK) st = weft_verify_run(v, m);
    atomic_fetch_add(&all.cases, 1);
    if (getenv("WEFT_TRACE")) fprintf(stderr, "%s %llu done\n", name, (unsigned long long)seed);
    if (st != WEFT_OK) {
        atomic_fetch_add(st == WEFT_ERR_MISMATCH ? &all.differ : &all.refused, 1);
        tell(name, seed, cx, said, st);
    }
    weft_module_free(m);
}

/* NAME.in0.npy and so on beside NAME.mlir, one for each argument, or none: arguments are random then. */
typedef struct given { weft_npy files[MOST_ARGUMENTS]; weft_host_array arrays[MOST_ARGUMENTS]; uint32_t n; } given;

static bool open_arguments(weft_context *cx, const char *path, const weft_module *m, given *g) {
    const weft_type *f = weft_func_type(weft_module_main(m));
    bool all_there = f->input_count > 0 && f->input_count <= MOST_ARGUMENTS;
    for (uint32_t i = 0; all_there && i < f->input_count; i++) {
        char file[1100];
        weft_host_array want = { .dtype = f->parts[i]->dtype, .rank = f->parts[i]->rank };
        memcpy(want.dims, f->parts[i]->dims, want.rank * sizeof *want.dims);
        snprintf(file, sizeof file, "%.*s.in%u.npy", (int)strlen(path) - 5, path, i);
        all_there = weft_npy_open(cx, file, &want, &g->files[i]) == WEFT_OK;
        if (all_there) g->arrays[g->n++] = g->files[i].array;
    }
    return all_there;
}

static void one_file(int i) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", all.dir, all.names[i]);
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_verify *v = NULL;
    given g = { .n = 0 };
    weft_verify_options options = { .rtol = -1, .atol = -1 };
    weft_status st = weft_read_file(cx, path, 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-prepare"), 0, &m);
    if (st == WEFT_OK && open_arguments(cx, path, m, &g)) options.arguments = g.arrays;
    if (st == WEFT_OK) st = weft_verify_open(cx, m, &options, &v);
    if (st != WEFT_OK) atomic_fetch_add(&all.no_reference, 1);
    for (int k = 0; v && k < all.draws; k++)
        one_case(cx, v, m, all.names[i], all.seed + (uint64_t)i * 1000 + (uint64_t)k);
    weft_verify_close(v);
    for (uint32_t k = 0; k < g.n; k++) weft_npy_close(cx, &g.files[k]);
    weft_module_free(m);
    weft_context_free(cx);
}

static void *work(void *unused) {
    (void)unused;
    for (;;) {
        const int k = atomic_fetch_add(&all.next, 1);
        if (k >= all.files) return NULL;
        one_file((int)(((uint64_t)k * (uint64_t)all.count / (uint64_t)all.files + all.seed - 1) % (uint64_t)all.count));
    }
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool find_files(void) {
    DIR *d = opendir(all.dir);
    if (!d) return false;
    for (struct dirent *e; (e = readdir(d)) && all.count < MOST_FILES;) {
        const size_t n = strlen(e->d_name);
        if (n > 5 && !strcmp(e->d_name + n - 5, ".mlir") && weft_test_wanted(e->d_name))
            all.names[all.count++] = strdup(e->d_name);
    }
    closedir(d);
    qsort(all.names, (size_t)all.count, sizeof *all.names, by_name);
    return true;
}

START_TEST(test_all) {
    const char *top = getenv("top_srcdir"), *shared = getenv("WEFT_SHARED"), *other = getenv("WEFT_PROGRAMS"),
               *draws = getenv("WEFT_DRAWS");
    const char *files = getenv("WEFT_FILES");
    pthread_t thread[THREADS];
    all.draws = draws ? atoi(draws) : weft_test_long(DRAWS);
    all.seed = weft_test_seed(1);
    if (other) snprintf(all.dir, sizeof all.dir, "%s", other);
    else if (shared) snprintf(all.dir, sizeof all.dir, "%s/stablehlo-testdata", shared);
    else snprintf(all.dir, sizeof all.dir, "%s/../shared/stablehlo-testdata", top ? top : ".");
    if (!find_files()) {
        printf("skipped: no %s\n", all.dir);
        return;
    }
    const double start = now_s();
    const int most = files ? atoi(files) : weft_test_long(FILES);
    all.files = most < all.count ? most : all.count;
    pthread_mutex_init(&all.print, NULL);
    for (int t = 0; t < THREADS; t++) ck_assert_int_eq(pthread_create(&thread[t], NULL, work, NULL), 0);
    for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
    printf(
        "WEFT_SEED=%llu: %d cases of %d programs of %d in %.1f s: %d differ, %d are refused; %d programs have no run on one device\n",
        (unsigned long long)all.seed, all.cases, all.files, all.count, now_s() - start, all.differ, all.refused,
        all.no_reference);
    fflush(stdout);
    for (int i = 0; i < all.count; i++) free(all.names[i]);
    ck_assert_int_eq(all.differ + all.refused, 0);
    ck_assert_int_ge(all.cases, all.draws * (all.files - all.no_reference));
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/random_shardings");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 3600);
    tcase_add_test(tc, test_all);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
