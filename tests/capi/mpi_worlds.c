/* mpi_worlds: programs that use MPI themselves, or leave it to Weft; run by test_mpi_worlds.sh under mpirun.
 *
 *   mpi_worlds worlds     worlds on all processes, on those of a colour and on one, at once and again, and jobs on them
 *   mpi_worlds refusals   invalid communicators
 *   mpi_worlds jobs       one job after another, with an MPI that Weft starts: it is finalised when the process ends
 *   mpi_worlds theirs     the same with an MPI that this program has started: it is unchanged after the jobs
 *   mpi_worlds apart      one process frees its world, and the others only when they have learnt of that
 *   mpi_worlds failing    one process's graph has an error: each process reports it
 *   mpi_worlds differing  one process's graph is another one: each process reports the first difference
 *   mpi_worlds skipping   one process leaves out a step: process 0 learns of it with its next read
 *   mpi_worlds missing    process 1 does not come to the world; when the others have given up it comes after all: each
 *                         names the missing ones
 *   mpi_worlds level N    a world where the program has started MPI with thread level N
 *   mpi_worlds finalised  the program finalises its MPI during a world's life: calls that need MPI report it, and the
 *                         world can be freed
 *   mpi_worlds at_exit    the world is freed by a function that atexit calls, after Weft's own
 *   mpi_worlds forks      children have the world, free it and exit: their parents are not affected
 *   mpi_worlds early      the program finalises the MPI that Weft has started: there are no further jobs
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/graph.h>
#include <weft/mpi.h>

static int rank, size, failures;
static char said[4096]; /* all messages */
static int errors;

static void say(void *user, const weft_diag *d) {
    (void)user;
    size_t n = strlen(said);
    snprintf(said + n, sizeof said - n, "%s\n", d->message);
    errors += d->severity == WEFT_ERROR;
    fprintf(stderr, "process %d: %s: %s\n", rank, weft_severity_name(d->severity), d->message);
}

static void expect_at(int line, int ok, const char *what) {
    if (ok) return;
    failures++;
    fprintf(stderr, "process %d: line %d: not so: %s\n", rank, line, what);
}
#define EXPECT(ok) expect_at(__LINE__, (ok), #ok)

/* Each rank of the world says which process it is, and hears of the others in the order of the communicator. */
static void check_members(weft_context *cx, weft_world *w, MPI_Comm comm) {
    int members[64], got[64], n, me;
    weft_comm *c;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    MPI_Allgather(&rank, 1, MPI_INT, members, 1, MPI_INT, comm);
    EXPECT(weft_world_size(w) == n && weft_world_process(w) == me && weft_world_first(w) == me);
    EXPECT(weft_comm_world(cx, w, me, &c) == WEFT_OK);
    weft_coll_buf b = { .in = &rank, .out = got, .dtype = weft_coll_type("i32"), .inner = 1 };
    EXPECT(weft_coll_all_gather(c, &b, 1, NULL) == WEFT_OK);
    EXPECT(!memcmp(got, members, (size_t)n * sizeof *got));
    weft_comm_free(c);
}

/* A counter over n devices that grows by x each step, and the sum of its elements. */
static weft_job *open_counter(weft_context *cx, weft_world *w, int n) {
    char axis[32];
    snprintf(axis, sizeof axis, "d=%d", n);
    weft_graph *g = weft_graph_new(cx, "counter");
    weft_tensor *x = weft_graph_input(g, "x", "16xf32"), *sum = weft_graph_input(g, "sum", "16xf32");
    weft_shard(g, sum, weft_graph_mesh(g, axis), "d");
    weft_tensor *next = weft_graph_add(g, sum, x);
    weft_graph_update(g, sum, next);
    weft_graph_output(g, "total", weft_graph_reduce(g, "add", next, WEFT_DIMS(0)));
    weft_job *j;
    weft_job_options o = { .size = sizeof o, .world = w };
    EXPECT(weft_job_open(cx, g, &o, &j) == WEFT_OK);
    weft_graph_free(g);
    return j;
}

static void step(weft_job *j, float x, float want) {
    float v[16], total = -1, parts[16] = { 0 };
    for (int i = 0; i < 16; i++) v[i] = x;
    EXPECT(weft_job_write(j, "x", v, sizeof v) == WEFT_OK);
    EXPECT(weft_job_step(j) == WEFT_OK);
    EXPECT(weft_job_read(j, "total", &total, sizeof total) == WEFT_OK);
    EXPECT(weft_job_read(j, "sum", parts, sizeof parts) == WEFT_OK);
    if (weft_job_process(j) != 0) return;
    EXPECT(total == want);
    for (int i = 0; i < 16; i++) EXPECT(parts[i] == want / 16);
}

static int colour(void) { return rank % 2; }

static void worlds(weft_context *cx) {
    MPI_Comm comm[3], reverse;
    weft_world *w[3];
    weft_world_options o = { .size = sizeof o, .local_ranks = 1, .timeout_s = 200 };
    comm[0] = MPI_COMM_WORLD;
    comm[2] = MPI_COMM_SELF;
    MPI_Comm_split(MPI_COMM_WORLD, colour(), rank, &comm[1]);
    for (int again = 0; again < 2; again++) {
        weft_job *j[3];
        for (int i = 0; i < 3; i++) EXPECT(weft_world_create_mpi_comm(cx, comm[i], &o, &w[i]) == WEFT_OK);
        for (int i = 2; i >= 0; i--) check_members(cx, w[i], comm[i]);
        for (int i = 0; i < 3; i++) j[i] = open_counter(cx, w[i], weft_world_size(w[i]));
        /* Steps of all jobs in turn: what a group adds is its own. */
        for (int k = 1; k <= 3; k++) {
            step(j[0], 1, 16.f * (float)k);
            step(j[1], 1 + (float)colour(), 16.f * (float)(k * (1 + colour())));
            step(j[2], (float)rank, 16.f * (float)(k * rank));
        }
        check_members(cx, w[1], comm[1]); /* beside the job */
        weft_job_close(j[1]);
        for (int more = 0; more < 3; more++) { /* one job after another on one world */
            j[1] = open_counter(cx, w[1], weft_world_size(w[1]));
            step(j[1], 2, 32);
            if (more < 2) weft_job_close(j[1]);
        }
        for (int i = 0; i < 3; i++) weft_job_close(j[i]);
        check_members(cx, w[0], comm[0]);
        weft_job_options wrong = { .world = w[0] };
        weft_job *none;
        weft_graph *g = weft_graph_new(cx, "wrong");
        weft_tensor *x = weft_graph_input(g, "x", "16xf32");
        weft_shard(g, x, weft_graph_mesh(g, "d=16"), "d");
        weft_graph_output(g, "y", x);
        EXPECT(weft_job_open(cx, g, &wrong, &none) == WEFT_ERR_USAGE && !none);
        weft_graph_free(g);
        check_members(cx, w[0], comm[0]); /* the world has not suffered from it */
        for (int i = 0; i < 3; i++) weft_world_free(w[i]);
    }
    /* Ranks are the communicator's, in its order; several of a process follow each other. */
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reverse);
    EXPECT(weft_world_create_mpi_comm(cx, reverse, &o, &w[0]) == WEFT_OK);
    check_members(cx, w[0], reverse);
    EXPECT(weft_world_process(w[0]) == size - 1 - rank);
    weft_world_free(w[0]);
    o.local_ranks = 2;
    EXPECT(weft_world_create_mpi_comm(cx, reverse, &o, &w[0]) == WEFT_OK);
    weft_job *j = open_counter(cx, w[0], 2 * size);
    step(j, 1, 16);
    weft_job_close(j);
    weft_world_free(w[0]);
    MPI_Comm_free(&reverse);
    MPI_Comm_free(&comm[1]);
}

static void refusals(weft_context *cx) {
    weft_world_options o = { .size = sizeof o, .local_ranks = 1 };
    weft_world *w;
    MPI_Comm half, between;
    int it = 0;
    MPI_Comm_split(MPI_COMM_WORLD, colour(), rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - colour(), 0, &between);
    EXPECT(weft_world_create_mpi_comm(cx, MPI_COMM_NULL, &o, &w) == WEFT_ERR_USAGE && !w);
    EXPECT(weft_world_create_mpi_comm(cx, between, &o, &w) == WEFT_ERR_USAGE && !w);
    EXPECT(weft_world_create_mpi_handle(cx, &it, 3, &o, &w) == WEFT_ERR_USAGE && !w);
    EXPECT(weft_world_create_mpi_handle(cx, NULL, sizeof(MPI_Comm), &o, &w) == WEFT_ERR_USAGE && !w);
    o.local_ranks = 0;
    EXPECT(weft_world_create_mpi_comm(cx, half, &o, &w) != WEFT_OK && !w);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

static void jobs(weft_context *cx) {
    for (int again = 0; again < 3; again++) {
        weft_job *a = open_counter(cx, NULL, 2 * size), *b = open_counter(cx, NULL, size);
        for (int k = 1; k <= 2; k++) {
            step(a, 1, 16.f * (float)k);
            step(b, 3, 48.f * (float)k);
        }
        weft_job_close(a);
        weft_job_close(b);
    }
}

/* A process that frees a world waits for the others, but not longer than a rank waits for its peers. */
static void apart(weft_context *cx) {
    weft_world_options o = { .size = sizeof o, .local_ranks = 1, .timeout_s = 0.5 };
    weft_world *w;
    int out = 0;
    EXPECT(weft_world_create_mpi(cx, &o, &w) == WEFT_OK);
    if (rank > 0) MPI_Recv(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    weft_world_free(w);
    for (int p = 1; rank == 0 && p < size; p++) MPI_Send(&p, 1, MPI_INT, p, 0, MPI_COMM_WORLD);
}

static int is_said(const char *text) { return strstr(said, text) != NULL; }

static weft_graph *sum_of(weft_context *cx, const char *spelling, const char *op) {
    weft_graph *g = weft_graph_new(cx, "sum");
    char axis[32];
    snprintf(axis, sizeof axis, "d=%d", size);
    weft_tensor *x = weft_graph_input(g, "x", "16xf32");
    weft_shard(g, x, weft_graph_mesh(g, axis), spelling);
    weft_tensor *y = weft_graph_pointwise(g, op, x, x);
    weft_graph_output(g, "y", weft_graph_reduce(g, "add", y, WEFT_DIMS(0)));
    return g;
}

static void failing(weft_context *cx) {
    weft_graph *g = sum_of(cx, rank == 1 ? "e" : "d", "add");
    weft_job *j;
    EXPECT(weft_job_open(cx, g, NULL, &j) == WEFT_ERR_INVALID && !j);
    EXPECT(errors == 1 && is_said("the mesh has no axis 'e'"));
    if (rank != 1) EXPECT(is_said("rank 1: ") && is_said("mpi_worlds.c:"));
    weft_graph_free(g);
}

static void differing(weft_context *cx) {
    weft_graph *g = sum_of(cx, "d", rank == 1 ? "multiply" : "add");
    weft_job *j;
    EXPECT(weft_job_open(cx, g, NULL, &j) == WEFT_ERR_PEER && !j);
    EXPECT(errors == 1 && is_said("rank 1 compiled another program than rank 0: rank 0 has '%0 = stablehlo.add %arg0, %arg0 : tensor<16xf32>' at "));
    EXPECT(is_said(", rank 1 has '%0 = stablehlo.multiply %arg0, %arg0") && is_said("mpi_worlds.c"));
    weft_graph_free(g);
}

static void skipping(weft_context *cx) {
    weft_graph *g = sum_of(cx, "d", "add");
    weft_job *j;
    EXPECT(weft_job_open(cx, g, NULL, &j) == WEFT_OK);
    for (int k = 0; k < 4; k++) {
        float x[16], y;
        for (int i = 0; i < 16; i++) x[i] = (float)k;
        if (k == 2 && rank == 1) continue;
        EXPECT(weft_job_write(j, "x", x, sizeof x) == WEFT_OK);
        if (k == 3 && rank != 1) break; /* the others have no step more */
        EXPECT(weft_job_step(j) == WEFT_OK);
        EXPECT(weft_job_read(j, "y", &y, sizeof y) == WEFT_OK);
        if (rank == 0)
            EXPECT(is_said("rank 1 was given other data for input 'x' than rank 0 up to step 3") == (k == 2));
    }
    weft_job_close(j);
    weft_graph_free(g);
}

/* --- what belongs to the process ---------------------------------------------------------------------------------- */

enum { SIGNALS = 64 };
static struct sigaction taken[SIGNALS + 1];

static void note_signals(void) {
    for (int i = 1; i <= SIGNALS; i++) (void)sigaction(i, NULL, &taken[i]);
}

/* No other process has taken them meanwhile. */
static void check_signals(void) {
    struct sigaction now;
    for (int i = 1; i <= SIGNALS; i++)
        if (sigaction(i, NULL, &now) == 0 && now.sa_handler != taken[i].sa_handler)
            EXPECT(!"the signal has another handler"), fprintf(stderr, "signal %d\n", i);
}

static weft_world *last_world;
static weft_comm *last_comm;

static void open_world(weft_context *cx) {
    weft_world_options o = { .size = sizeof o, .local_ranks = 1, .timeout_s = 20 };
    EXPECT(weft_world_create_mpi(cx, &o, &last_world) == WEFT_OK);
    EXPECT(weft_comm_world(cx, last_world, rank, &last_comm) == WEFT_OK);
}

static weft_status add_up(void) {
    float x = 1, y = 0;
    weft_coll_buf b = { .in = &x, .out = &y, .dtype = weft_coll_type("f32"), .inner = 1 };
    weft_status st = weft_coll_all_reduce(last_comm, WEFT_SUM, &b, 1, NULL);
    EXPECT(st != WEFT_OK || y == (float)size);
    return st;
}

static void free_world(void) {
    weft_comm_free(last_comm);
    weft_world_free(last_world);
}

static void level(weft_context *cx) {
    open_world(cx);
    EXPECT(add_up() == WEFT_OK);
    free_world();
}

/* By the transport mpi the call needs it. */
static void finalised(weft_context *cx) {
    open_world(cx);
    EXPECT(add_up() == WEFT_OK);
    MPI_Finalize();
    EXPECT(add_up() == WEFT_ERR_PEER && is_said(": MPI has been finalised"));
    free_world();
}

static void forks(weft_context *cx) {
    int status = -1;
    open_world(cx);
    EXPECT(add_up() == WEFT_OK);
    weft_job *j = open_counter(cx, NULL, size);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        weft_job_close(j);
        free_world();
        exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(add_up() == WEFT_OK);
    step(j, 1, 16);
    weft_job_close(j);
    free_world();
    child = fork(); /* without a world, too, MPI is the parent's */
    if (child == 0) {
        alarm(20);
        exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

/* Ends the process: MPI has collectives in progress that no process will join. */
static void missing(weft_context *cx) {
    weft_world_options o = { .size = sizeof o, .local_ranks = 1, .join_timeout_s = 1 };
    weft_world *w;
    int out = 0;
    for (int p = 0; rank == 1 && p < size; p++)
        if (p != 1) MPI_Recv(&out, 1, MPI_INT, p, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(weft_world_create_mpi(cx, &o, &w) == WEFT_ERR_IO && !w);
    EXPECT(is_said(rank == 1 ? "processes 0 and 2 did not come to the meeting of MPI's processes within 1 s" : "process 1 did not come to the meeting of MPI's processes within 1 s"));
    if (rank != 1) MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (failures == 0) printf("so\n");
    fflush(stdout);
    sleep(rank == 1 ? 1 : 20); /* the launcher ends all with the first that ends without MPI_Finalize */
    _exit(failures != 0);
}

static int mpi_is_there(void) {
    int there = 0, over = 0;
    MPI_Initialized(&there);
    MPI_Finalized(&over);
    return there && !over;
}

/* Runs after all that Weft has to do at the end, for it was registered before. */
static void at_the_end(void) {
    int over = 0;
    MPI_Finalized(&over);
    if (failures == 0 && over) printf("finalised\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "worlds", *number = getenv("OMPI_COMM_WORLD_RANK"),
               *all = getenv("OMPI_COMM_WORLD_SIZE");
    int is_mine = !strcmp(what, "worlds") || !strcmp(what, "refusals") || !strcmp(what, "theirs") ||
                  !strcmp(what, "missing") || !strcmp(what, "level") || !strcmp(what, "finalised"),
        wanted = !strcmp(what, "level") ? atoi(argv[2]) : MPI_THREAD_SERIALIZED;
    rank = number ? atoi(number) : 0;
    size = all ? atoi(all) : 1;
    atexit(at_the_end);
    weft_context *cx = weft_context_new(NULL);
    weft_context_set_handler(cx, say, NULL);
    weft_world_options o = { .size = sizeof o, .local_ranks = 1 };
    weft_world *w;
    if (is_mine) {
        MPI_Comm early = MPI_COMM_WORLD;
        EXPECT(weft_world_create_mpi_comm(cx, early, &o, &w) == WEFT_ERR_USAGE && !w);
        int got;
        MPI_Init_thread(&argc, &argv, wanted, &got);
    }
    if (!strcmp(what, "at_exit")) atexit(free_world);
    note_signals();
    if (!strcmp(what, "worlds")) worlds(cx);
    else if (!strcmp(what, "refusals")) refusals(cx);
    else if (!strcmp(what, "apart")) apart(cx);
    else if (!strcmp(what, "failing")) failing(cx);
    else if (!strcmp(what, "differing")) differing(cx);
    else if (!strcmp(what, "skipping")) skipping(cx);
    else if (!strcmp(what, "missing")) missing(cx);
    else if (!strcmp(what, "level")) level(cx);
    else if (!strcmp(what, "finalised")) finalised(cx);
    else if (!strcmp(what, "forks")) forks(cx);
    else if (!strcmp(what, "at_exit")) open_world(cx);
    else jobs(cx);
    check_signals();
    if (!strcmp(what, "finalised")) return failures != 0;
    EXPECT(mpi_is_there());
    if (is_mine || !strcmp(what, "early")) MPI_Finalize();
    if (!strcmp(what, "early")) EXPECT(weft_world_create_mpi(cx, &o, &w) == WEFT_ERR_USAGE && !w);
    if (strcmp(what, "at_exit")) weft_context_free(cx);
    return failures != 0;
}
