/* The process stays the user's: jobs and worlds leave signals, masks, descriptors, environment, working directory,
 * locale, floating-point modes, limits, threads, and threads of OpenMP and OpenBLAS as they found them, and most of
 * them also between their calls. Their output does not depend on the process's locale, and a forked child can use Weft
 * as well. */
#include <dirent.h>
#include <dlfcn.h>
#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/coll.h>
#include <weft/graph.h>

#include "base/str.h"
#include "tests/support/suite.h"

extern char **environ;

enum { SIGNALS = 64 };

/* What can be seen from outside. */
typedef struct state {
    struct sigaction actions[SIGNALS + 1];
    sigset_t mask;
    uint64_t environment;
    char folder[4096];
    mode_t creation;
    int rounding, traps, flushes, omp, blas, descriptors, threads;
    char locale[256];
    locale_t own_locale;
    struct rlimit limits[RLIM_NLIMITS];
} state;

static uint64_t hash_text(uint64_t h, const char *p) {
    for (; *p; p++) h = (h ^ (unsigned char)*p) * 1099511628211u;
    return h;
}

static int ask(const char *function) {
    int (*f)(void);
    *(void **)&f = dlsym(RTLD_DEFAULT, function);
    return f ? f() : -1;
}

static int count(const char *folder) {
    DIR *d = opendir(folder);
    int n = 0;
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

static void look(state *s) {
    memset(s, 0, sizeof *s);
    for (int i = 1; i <= SIGNALS; i++) (void)sigaction(i, NULL, &s->actions[i]);
    pthread_sigmask(SIG_SETMASK, NULL, &s->mask);
    s->environment = 14695981039346656037u;
    for (char **e = environ; *e; e++) s->environment = hash_text(s->environment, *e);
    ck_assert_ptr_nonnull(getcwd(s->folder, sizeof s->folder));
    s->creation = umask(022);
    umask(s->creation);
    s->rounding = fegetround();
    s->omp = ask("omp_get_max_threads");
    s->blas = ask("openblas_get_num_threads");
    s->descriptors = count("/proc/self/fd");
    s->threads = count("/proc/self/task");
    s->traps = fegetexcept();
    volatile double least = DBL_MIN;
    s->flushes = least / 2 == 0; /* numbers too small to be normal are taken for 0 */
    snprintf(s->locale, sizeof s->locale, "%s", setlocale(LC_ALL, NULL));
    s->own_locale = uselocale((locale_t)0);
    for (int i = 0; i < RLIM_NLIMITS; i++) (void)getrlimit((__rlimit_resource_t)i, &s->limits[i]);
}

enum { ALL, BUT_DESCRIPTORS }; /* while a job is open it has some */

static void same(const char *when, const state *a, const state *b, int what) {
    for (int i = 1; i <= SIGNALS; i++) {
        ck_assert_msg(a->actions[i].sa_handler == b->actions[i].sa_handler, "%s: signal %d has another handler", when,
                      i);
        ck_assert_msg(a->actions[i].sa_flags == b->actions[i].sa_flags, "%s: signal %d has other flags", when, i);
        ck_assert_msg(sigismember(&a->mask, i) == sigismember(&b->mask, i), "%s: signal %d is masked otherwise", when,
                      i);
    }
    ck_assert_msg(a->environment == b->environment, "%s: the environment has changed", when);
    ck_assert_msg(!strcmp(a->folder, b->folder), "%s: the working directory has changed", when);
    ck_assert_msg(a->creation == b->creation, "%s: the file mode creation mask has changed", when);
    ck_assert_msg(a->rounding == b->rounding, "%s: the rounding mode has changed", when);
    ck_assert_msg(a->traps == b->traps, "%s: other floating-point exceptions are trapped", when);
    ck_assert_msg(a->flushes == b->flushes, "%s: small numbers are treated otherwise", when);
    ck_assert_msg(!strcmp(a->locale, b->locale) && a->own_locale == b->own_locale, "%s: the locale has changed", when);
    ck_assert_msg(!memcmp(a->limits, b->limits, sizeof a->limits), "%s: a limit has changed", when);
    ck_assert_msg(a->omp == b->omp, "%s: OpenMP has %d threads, not %d", when, b->omp, a->omp);
    ck_assert_msg(a->blas == b->blas, "%s: OpenBLAS has %d threads, not %d", when, b->blas, a->blas);
    if (what == ALL)
        ck_assert_msg(a->threads == b->threads, "%s: there are %d threads, not %d", when, b->threads, a->threads);
    if (what == ALL)
        ck_assert_msg(a->descriptors == b->descriptors, "%s: %d descriptors are open, not %d", when, b->descriptors,
                      a->descriptors);
}

static void on_fault(int s) { (void)s; }

/* The caller's own choices, which are none of the defaults. */
static void choose(void) {
    void (*set)(int);
    signal(SIGSEGV, on_fault);
    signal(SIGUSR2, on_fault);
    signal(SIGPIPE, on_fault);
    *(void **)&set = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
    if (set) set(3);
    *(void **)&set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (set) set(2);
}

/* A product and a convolution, which are oneDNN's, and a factorisation, which is LAPACK's, on two devices. */
static weft_graph *libraries(weft_context *cx) {
    weft_graph *g = weft_graph_new(cx, "libraries");
    weft_tensor *a = weft_graph_input(g, "a", "96x128xf32"), *b = weft_graph_input(g, "b", "128x96xf32"), *l = NULL;
    weft_shard(g, a, weft_graph_mesh(g, "d=2"), "d, -");
    weft_graph_output(g, "y", weft_graph_einsum(g, "ik,kj->ij", a, b));
    weft_tensor *s = weft_graph_input(g, "s", "24x24xf64");
    weft_graph_op(g, "stablehlo.cholesky", &s, 1, "{lower = true}", NULL, &l, 1);
    weft_graph_output(g, "l", l);
    return g;
}

START_TEST(a_job) {
    state before, now;
    weft_context *cx = weft_context_new(NULL);
    choose();
    for (int again = 0; again < 2; again++) { /* what a library opens once for the process it opens the first time */
        look(&before);
        weft_graph *g = libraries(cx);
        weft_job *j;
        weft_job_options o = { .launch = WEFT_LAUNCH_THREADS };
        ck_assert_int_eq(weft_job_open(cx, g, &o, &j), WEFT_OK);
        look(&now);
        same("a job is open", &before, &now, BUT_DESCRIPTORS);
        ck_assert_int_eq(weft_job_step(j), WEFT_OK);
        look(&now);
        same("after a step", &before, &now, BUT_DESCRIPTORS);
        static float y[96 * 96];
        ck_assert_int_eq(weft_job_read(j, "y", y, sizeof y), WEFT_OK);
        weft_job_close(j);
        weft_graph_free(g);
        look(&now);
        same("a job is closed", &before, &now, again ? ALL : BUT_DESCRIPTORS);
    }
    weft_context_free(cx);
}
END_TEST

static const char *const flights[] = { NULL, "flight" };

START_TEST(a_world) {
    state before, now;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c[2];
    choose();
    look(&before);
    for (int again = 0; again < 2; again++) {
        weft_world_options o = { .size = sizeof o, .local_ranks = 2, .flight = flights[_i] };
        weft_world *w;
        ck_assert_int_eq(weft_world_create_threads(cx, &o, &w), WEFT_OK);
        for (int r = 0; r < 2; r++) ck_assert_int_eq(weft_comm_world(cx, w, r, &c[r]), WEFT_OK);
        look(&now);
        /* else SIGUSR1 is held back, as the header says */
        if (!flights[_i]) same("a world is there", &before, &now, BUT_DESCRIPTORS);
        for (int r = 0; r < 2; r++) weft_comm_free(c[r]);
        weft_world_free(w);
        look(&now);
        same("a world is gone", &before, &now, again ? ALL : BUT_DESCRIPTORS);
    }
    weft_context_free(cx);
}
END_TEST

/* --- a process that writes commas --------------------------------------------------------------------------------- */

/* Makes German the process's locale; false where the system has nothing to make it of. */
static bool write_commas(const char *folder) {
    char make[512], text[16];
    snprintf(make, sizeof make, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    if (system(make) == -1 || setenv("LOCPATH", folder, 1) != 0 || !setlocale(LC_ALL, "de_DE.UTF-8")) return false;
    snprintf(text, sizeof text, "%.1f", 1.5);
    return !strcmp(text, "1,5");
}

static void all_of_file(const char *path, char *to, size_t n) {
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    to[fread(to, 1, n - 1, f)] = '\0';
    fclose(f);
}

START_TEST(a_comma) {
    char folder[] = "/tmp/weft-comma-XXXXXX", path[64], remove[64], text[32], *end;
    static char record[1 << 16];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/record", folder);
    if (!write_commas(folder)) {
        printf("skipped: 1 (no German locale can be made: localedef, and Debian's package locales)\n");
    } else {
        weft_context *cx = weft_context_new(NULL);
        weft_world_options o = { .size = sizeof o, .local_ranks = 1 };
        weft_world *w;
        weft_comm *c;
        float in = 1, out = 0;
        weft_coll_buf b = {
            .in = &in, .out = &out, .outer = 1, .middle = 1, .inner = 1, .dtype = weft_coll_type("f32")
        };
        ck_assert_int_eq(weft_format(text, sizeof text, "%.1f", 1.5), 3);
        ck_assert_str_eq(text, "1.5");
        ck_assert_double_eq(weft_read_double("2.5", &end), 2.5);
        ck_assert_int_eq(*end, '\0');
        ck_assert_int_eq(weft_world_create_threads(cx, &o, &w), WEFT_OK);
        ck_assert_int_eq(weft_comm_world(cx, w, 0, &c), WEFT_OK);
        ck_assert_int_eq(weft_coll_all_reduce(c, WEFT_SUM, &b, 1, NULL), WEFT_OK);
        ck_assert_int_eq(weft_world_record(w, path), WEFT_OK);
        all_of_file(path, record, sizeof record);
        const char *age = strstr(record, "\"age_s\": ");
        ck_assert_msg(age && sscanf(age, "\"age_s\": %*[0-9].%31[0-9]", text) == 1, "%s", record);
        weft_comm_free(c);
        weft_world_free(w);
        weft_context_free(cx);
        snprintf(text, sizeof text, "%.1f", 1.5);
        ck_assert_str_eq(text, "1,5"); /* and the process still writes them */
    }
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    ck_assert_int_ne(system(remove), -1);
}
END_TEST

/* --- a child ------------------------------------------------------------------------------------------------------ */

static weft_status run_job(void) {
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = libraries(cx);
    weft_job *j = NULL;
    weft_job_options o = { .launch = WEFT_LAUNCH_THREADS };
    weft_status st = weft_job_open(cx, g, &o, &j);
    if (st == WEFT_OK) st = weft_job_step(j);
    if (j) weft_job_close(j);
    weft_graph_free(g);
    weft_context_free(cx);
    return st;
}

static void in_child(weft_status (*does)(void)) {
    int status = -1;
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        alarm(40);
        _exit(does() == WEFT_OK ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(status == 0, "the child ends with status %x", (unsigned)status);
}

static weft_status nothing(void) { return WEFT_OK; }

/* A child that is made after a job runs one of its own; one that is made while a job is open, and ends, takes nothing
 * from it. */
START_TEST(a_child) {
    ck_assert_int_eq(run_job(), WEFT_OK);
    in_child(run_job);
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = libraries(cx);
    weft_job *j;
    weft_job_options o = { .launch = WEFT_LAUNCH_THREADS };
    ck_assert_int_eq(weft_job_open(cx, g, &o, &j), WEFT_OK);
    ck_assert_int_eq(weft_job_step(j), WEFT_OK);
    in_child(nothing);
    ck_assert_int_eq(weft_job_step(j), WEFT_OK);
    weft_job_close(j);
    weft_graph_free(g);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("process");
    TCase *tc = tcase_create("process");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_job);
    tcase_add_loop_test(tc, a_world, 0, 2);
    tcase_add_test(tc, a_comma);
    tcase_add_test(tc, a_child);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
