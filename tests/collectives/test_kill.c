/* test_kill: one of four processes is killed or stopped at a random moment of its work, over each transport. The others
 * return an error that names its rank in a bounded time, and leave no shared memory. WEFT_SEED repeats a run.
 */
#include "config.h"
#include <check.h>
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/collectives/law.h"
#include "tests/support/port.h"
#include "tests/support/suite.h"

#define P 4
#define TIMEOUT_S 2     /* of the world; then the stopped process is named */
/* the time-out, three seconds' grace, two of farewell: a few times that, for a machine with other work */
#define BOUND_S 40

static const char *program; /* set once in main */

/* Transports, the nodes that this machine stands for, and runs. */
static const struct { const char *transport; int nodes, runs; } ways[] = {
#ifdef HAVE_UCX
    { "shm", 1, 14 }, { "tcp", 1, 10 }, { "shm,tcp", 2, 8 }, { "ucx", 1, 10 }, { "shm,ucx", 2, 8 },
#else
    { "shm", 1, 20 }, { "tcp", 1, 16 }, { "shm,tcp", 2, 14 },
#endif
};
#define RUNS 50
#ifdef WEFT_SANITIZERS
#define EVERY 3 /* of them: most of a run is waiting for what the others notice */
#else
#define EVERY 1
#endif

typedef struct worker {
    pid_t pid;
    int output;
    char said[2048];
    size_t n;
    int over;           /* its output has ended */
} worker;

static void start(worker *w, int rank, int port, const char *transport, int nodes) {
    int out[2];
    ck_assert_int_eq(pipe(out), 0);
    *w = (worker){ .pid = fork(), .output = out[0] };
    ck_assert_int_ge(w->pid, 0);
    if (w->pid) {
        close(out[1]);
        return;
    }
    char at[64], number[16], count[16], seconds[16], node[16];
    snprintf(at, sizeof at, "tcp:127.0.0.1:%d", port);
    snprintf(number, sizeof number, "%d", rank);
    snprintf(count, sizeof count, "%d", P);
    snprintf(seconds, sizeof seconds, "%d", TIMEOUT_S);
    snprintf(node, sizeof node, "node%d", rank * nodes / P);
    setenv("WEFT_RENDEZVOUS", at, 1);
    setenv("WEFT_PROCESS", number, 1);
    setenv("WEFT_PROCESSES", count, 1);
    setenv("WEFT_TRANSPORT", transport, 1);
    setenv("WEFT_NODE", node, 1);
    dup2(out[1], 1);
    dup2(out[1], 2);
    close(out[0]);
    close(out[1]);
    execl(program, program, "1", "until", seconds, (char *)NULL);
    _exit(126);
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Reads what the workers say, but for one, until each has said `text` or, NULL, has ended; false when that takes too
 * long. */
static int listen_to(worker *w, int but, const char *text, double until_s) {
    for (;;) {
        struct pollfd p[P];
        int waiting = 0;
        for (int i = 0; i < P; i++) {
            int done = i == but || w[i].over || (text && strstr(w[i].said, text));
            p[i] = (struct pollfd){ .fd = done ? -1 : w[i].output, .events = POLLIN };
            waiting += !done;
        }
        if (!waiting) return 1;
        if (now_s() > until_s) return 0;
        if (poll(p, P, 100) <= 0) continue;
        for (int i = 0; i < P; i++) {
            if (!p[i].revents) continue;
            ssize_t got = read(w[i].output, w[i].said + w[i].n, sizeof w[i].said - 1 - w[i].n);
            if (got <= 0) w[i].over = 1;
            else w[i].n += (size_t)got;
        }
    }
}

static int is_mapped(const char *name) {
    char path[300], line[1024];
    int found = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && !found && (e = readdir(d));) {
        if (e->d_name[0] < '0' || e->d_name[0] > '9') continue;
        snprintf(path, sizeof path, "/proc/%s/maps", e->d_name);
        FILE *f = fopen(path, "r");
        while (f && !found && fgets(line, sizeof line, f)) found = strstr(line, "/dev/shm/") && strstr(line, name);
        if (f) fclose(f);
    }
    if (d) closedir(d);
    return found;
}

/* Shared memory that has a name and that no process has: files in /dev/shm, and System V's segments. Other tests have
 * theirs meanwhile. */
static long abandoned_memory(void) {
    long n = 0;
    unsigned long attached;
    char line[512];
    DIR *d = opendir("/dev/shm");
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.' && !is_mapped(e->d_name);
    if (d) closedir(d);
    FILE *f = fopen("/proc/sysvipc/shm", "r");
    while (f && fgets(line, sizeof line, f))
        n += sscanf(line, "%*s %*s %*s %*s %*s %*s %lu", &attached) == 1 && attached == 0;
    if (f) fclose(f);
    return n;
}

/* A process that has just made memory maps it a moment later. */
static int is_abandoned_more(long before) {
    for (int i = 0; i < 50; i++, usleep(100000))
        if (abandoned_memory() <= before) return 0;
    return 1;
}

START_TEST(test_kill) {
    uint64_t seed = law_seed(20261122) + (uint64_t)_i, state = seed;
    worker w[P];
    char named[32], all[P * sizeof w[0].said] = "";
    int run = _i * EVERY % RUNS, way = 0;
    while (run >= ways[way].runs) run -= ways[way++].runs;
    int victim = (int)(law_random(&state) % P), kills = (int)(law_random(&state) & 1), port = weft_test_free_port();
    useconds_t after = (useconds_t)(law_random(&state) % 60000);
    long before = abandoned_memory();
    for (int i = 0; i < P; i++) start(&w[i], i, port, ways[way].transport, ways[way].nodes);
    ck_assert_msg(listen_to(w, -1, "works", now_s() + 90), "%s: not all work: %s%s%s%s", ways[way].transport, w[0].said,
                  w[1].said, w[2].said, w[3].said);
    usleep(after);
    kill(w[victim].pid, kills ? SIGKILL : SIGSTOP);
    double started = now_s();
    int ended = listen_to(w, victim, NULL, started + BOUND_S);
    double took = now_s() - started;
    kill(w[victim].pid, SIGKILL);
    snprintf(named, sizeof named, kills ? "rank %d" : "s for rank %d ", victim);
    fprintf(stderr, "%s, %d nodes: rank %d %s after %u us: %.2f s, WEFT_SEED=%llu\n", ways[way].transport,
            ways[way].nodes, victim, kills ? "killed" : "stopped", (unsigned)after, took,
            (unsigned long long)(seed - (uint64_t)_i));
    int status[P];
    for (int i = 0; i < P; i++) {
        if (!ended) kill(w[i].pid, SIGKILL);
        ck_assert_int_eq(waitpid(w[i].pid, &status[i], 0), w[i].pid);
        close(w[i].output);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%d: %s", i, w[i].said);
    }
    for (int i = 0; i < P; i++) {
        if (i == victim) continue;
        const char *heard = strstr(w[i].said, " heard: ");
        ck_assert_msg(ended && WIFEXITED(status[i]) && WEXITSTATUS(status[i]) == 0,
                      "%s: rank %d %s, rank %d: status %d\n%s", ways[way].transport, victim,
                      kills ? "killed" : "stopped", i, status[i], all);
        ck_assert_msg(!strstr(w[i].said, " UCX "), "%s: rank %d lets UCX print\n%s", ways[way].transport, i, all);
        ck_assert_msg(heard && strstr(heard, named), "%s: rank %d %s, and not named\n%s", ways[way].transport, victim,
                      kills ? "killed" : "stopped", all);
    }
    ck_assert(!is_abandoned_more(before));
}
END_TEST

int main(void) {
    static char path[WEFT_TEST_PATH];
    program = weft_test_built(path, "tests/collectives/ranks");
    Suite *s = suite_create("kill");
    TCase *tc = tcase_create("kill");
    tcase_set_timeout(tc, 150);
    tcase_add_loop_test(tc, test_kill, 0, weft_test_long((RUNS + EVERY - 1) / EVERY));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
