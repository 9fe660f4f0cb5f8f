/* requests: what MPI promises of collectives beside results (differ.c has those). Requests go on while their process
 * waits in another call, complete in any order and in arrays with other requests, outlive their communicators and
 * datatypes, and stay out of each other's way; buffers may be MPI_BOTTOM; errors come to the communicator's handler.
 * mpirun -n P requests [threads | leave | leave-one | die | wide | mistakes]; prints what is wrong. leave: MPI_Finalize
 * comes while calls are under way, of all ranks or of one; die: a rank is killed while others wait for it; wide: more
 * than 2^31 bytes, by the calls with wide counts; mistakes: only whether MPI reports them. MISTAKES=none leaves those
 * out, for an MPI that was built without such checks.
 */
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow" /* gcc 12 takes MPICH's MPI_STATUSES_IGNORE for an array */
#endif

enum { N = 20000 };
static int rank, size;

static int sum_of_ranks(void) { return size * (size - 1) / 2; }

/* A rank in MPI_Recv takes part in the collective that it has begun: the sender waits for that first. */
static int goes_on_in_a_receive(void) {
    int *in = malloc(N * sizeof *in), *out = malloc(N * sizeof *out), bad = 0, word = -1;
    MPI_Request q;
    for (int turn = 0; turn < 20; turn++) {
        for (int i = 0; i < N; i++) in[i] = rank + turn, out[i] = -1;
        MPI_Iallreduce(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q);
        if (rank == 0)
            for (int k = 1; k < size; k++) MPI_Recv(&word, 1, MPI_INT, k, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        if (rank) MPI_Send(&turn, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        bad |= out[0] != sum_of_ranks() + size * turn || out[N - 1] != out[0];
    }
    free(in), free(out);
    return bad;
}

/* The first call on a communicator may be one that a rank begins only after a message of another that has begun it. */
static int begins_without_others(void) {
    MPI_Comm c[3];
    MPI_Group g;
    MPI_Request q;
    int bad = 0, token = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &c[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &c[1]);
    MPI_Comm_group(MPI_COMM_WORLD, &g);
    MPI_Comm_create_group(MPI_COMM_WORLD, g, 9, &c[2]);
    for (int k = 0; k < 3; k++) {
        if (rank) MPI_Recv(&token, 1, MPI_INT, rank - 1, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int one = 1, sum = 0;
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c[k], &q);
        if (rank + 1 < size) MPI_Send(&token, 1, MPI_INT, rank + 1, k, MPI_COMM_WORLD);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        bad |= sum != size;
        MPI_Comm_free(&c[k]);
    }
    MPI_Group_free(&g);
    return bad;
}

enum { EACH = 12 };

/* Collectives on several communicators, an MPI_Iscan, which is MPI's, and messages, in one array. */
static int in_one_array(int how) {
    MPI_Comm comm[3];
    MPI_Request q[3 * EACH + 3];
    MPI_Status status[3 * EACH + 3];
    int in[3 * EACH], out[3 * EACH], n = 0, bad = 0, scan = 0, there = -1, right = (rank + 1) % size,
        left = (rank + size - 1) % size;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm[1]);
    comm[2] = MPI_COMM_WORLD;
    MPI_Irecv(&there, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &q[n++]);
    for (int i = 0; i < EACH; i++)
        for (int k = 0; k < 3; k++) {
            int at = i * 3 + k;
            in[at] = rank + at, out[at] = -1;
            if (i % 3 == 0) MPI_Iallreduce(&in[at], &out[at], 1, MPI_INT, MPI_SUM, comm[k], &q[n++]);
            else if (i % 3 == 1) MPI_Ibcast(&in[at], 1, MPI_INT, 0, comm[k], &q[n++]);
            else MPI_Ibarrier(comm[k], &q[n++]);
        }
    MPI_Iscan(&rank, &scan, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[n++]);
    MPI_Isend(&rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &q[n++]);
    int some[3 * EACH + 3], index, done = 0;
    switch (how) {
    case 0: bad |= MPI_Waitall(n, q, status); break;
    case 1:
        for (int left_over = n; left_over; left_over--) bad |= MPI_Waitany(n, q, &index, &status[0]) || index < 0;
        break;
    case 2:
        for (int left_over = n; left_over; left_over -= done) bad |= MPI_Waitsome(n, q, &done, some, status);
        break;
    case 3: while (!done) bad |= MPI_Testall(n, q, &done, status); break;
    case 4:
        for (int left_over = n; left_over;) {
            bad |= MPI_Testany(n, q, &index, &done, MPI_STATUS_IGNORE);
            if (done) left_over--;
        }
        break;
    case 5:
        for (int left_over = n; left_over; left_over -= done)
            bad |= MPI_Testsome(n, q, &done, some, MPI_STATUSES_IGNORE);
        break;
    default:
        for (int i = n - 1; i >= 0; i--) bad |= MPI_Wait(&q[i], MPI_STATUS_IGNORE); /* the last one first */
    }
    for (int i = 0; i < n; i++) bad |= q[i] != MPI_REQUEST_NULL;
    for (int i = 0; i < EACH; i++)
        for (int k = 0; k < 3; k++) {
            int at = i * 3 + k, parts = k == 1 ? 2 : 1, first = k == 1 ? rank % 2 : 0, want = 0, root_has = first + at;
            for (int r = first; r < size; r += parts) want += r + at;
            if (i % 3 == 0) bad |= out[at] != want;
            if (i % 3 == 1) bad |= in[at] != root_has;
        }
    bad |= there != left || scan != rank * (rank + 1) / 2;
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
    return bad;
}

/* A blocking call between others, on the same communicator; a status that leaves the request as it is. */
static int blocking_between(void) {
    int a = 1, b = 0, c = 0, d = 0, done = 0, bad = 0;
    MPI_Request q[2];
    MPI_Iallreduce(&a, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[0]);
    MPI_Allreduce(&a, &c, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iallreduce(&a, &d, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[1]);
    while (!done) bad |= MPI_Request_get_status(q[1], &done, MPI_STATUS_IGNORE);
    bad |= q[1] == MPI_REQUEST_NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    bad |= MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    return bad || b != size || c != size || d != size;
}

/* Communicator and datatype are freed while the call is under way; a rank comes late. */
static int outlives_its_handles(void) {
    int *out = malloc(2 * (size_t)size * 50 * sizeof *out), bad = 0;
    for (int turn = 0; turn < 30; turn++) {
        MPI_Comm c;
        MPI_Datatype vector, gaps;
        MPI_Request q[2];
        int mine[50], sum = 0;
        for (int i = 0; i < 50; i++) mine[i] = rank * 1000 + i + turn;
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
        MPI_Type_vector(50, 1, 2, MPI_INT, &vector);
        MPI_Type_create_resized(vector, 0, 100 * (MPI_Aint)sizeof(int), &gaps);
        MPI_Type_commit(&gaps);
        MPI_Type_free(&vector);
        memset(out, 0xff, 2 * (size_t)size * 50 * sizeof *out);
        if (rank == turn % size)
            for (volatile int k = 0; k < 100000; k++) {}
        MPI_Iallgather(mine, 50, MPI_INT, out, 1, gaps, c, &q[0]);
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, c, &q[1]);
        MPI_Comm_free(&c);
        MPI_Type_free(&gaps);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
        for (int r = 0; r < size; r++)
            for (int i = 0; i < 50; i++)
                bad |= out[r * 100 + 2 * i] != r * 1000 + i + turn || (i < 49 && out[r * 100 + 2 * i + 1] != -1);
        bad |= sum != sum_of_ranks();
    }
    free(out);
    return bad;
}

/* Persistent collectives and messages, started together again and again. */
static int started_again(void) {
    int bad = 0;
#define HAS_MPI_4S_NAMES (MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5)
#if HAS_MPI_4S_NAMES || defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#if HAS_MPI_4S_NAMES
#define AGAIN(name) MPI_##name##_init
#else
#define AGAIN(name) MPIX_##name##_init
#endif
    MPI_Request q[5];
    MPI_Comm c;
    int in = 0, sum = 0, word = 0, to = 0, from = 0, done = 0, right = (rank + 1) % size,
        left = (rank + size - 1) % size;
    (void)done;
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    AGAIN(Allreduce)(&in, &sum, 1, MPI_INT, MPI_SUM, c, MPI_INFO_NULL, &q[0]);
    MPI_Recv_init(&from, 1, MPI_INT, left, 4, c, &q[1]);
    AGAIN(Bcast)(&word, 1, MPI_INT, size - 1, c, MPI_INFO_NULL, &q[2]);
    MPI_Send_init(&to, 1, MPI_INT, right, 4, c, &q[3]);
    AGAIN(Barrier)(c, MPI_INFO_NULL, &q[4]);
    /* MPICH 4.0.2 takes one that was never started for one that is under way */
#if !defined MPICH_VERSION && !defined MPI_ABI_VERSION
    for (int i = 0; i < 5; i++) bad |= MPI_Test(&q[i], &done, MPI_STATUS_IGNORE) || !done;
#endif
    for (int turn = 0; turn < 40; turn++) {
        in = turn + rank, to = turn * 100 + rank, word = rank == size - 1 ? turn : -1, sum = from = -1;
        if (turn % 2) MPI_Startall(5, q);
        else
            for (int i = 0; i < 5; i++) MPI_Start(&q[(i + rank) % 5]); /* in any order */
        if (turn % 3 == 0) MPI_Waitall(5, q, MPI_STATUSES_IGNORE);
        else
            for (int i = 4; i >= 0; i--) MPI_Wait(&q[i], MPI_STATUS_IGNORE);
        bad |= sum != sum_of_ranks() + size * turn || from != turn * 100 + left || word != turn;
    }
    MPI_Comm_free(&c);
#if !defined MPICH_VERSION && !defined MPI_ABI_VERSION /* the requests keep it */
    in = rank, sum = -1;
    bad |= MPI_Start(&q[0]) || MPI_Wait(&q[0], MPI_STATUS_IGNORE) || sum != sum_of_ranks();
#endif
    for (int i = 0; i < 5; i++) bad |= MPI_Request_free(&q[i]) || q[i] != MPI_REQUEST_NULL;
#endif
    return bad;
}

/* Datatypes that have addresses of their own, on MPI_BOTTOM, on one side or on both. */
static int from_the_bottom(void) {
    enum { M = 700 };
    int *part[2] = { malloc(M * sizeof(int)), malloc(M * sizeof(int)) }, lengths[2] = { M, M }, bad = 0;
    int *all = malloc(2 * (size_t)size * M * sizeof(int));
    MPI_Aint at[2];
    MPI_Datatype two;
    MPI_Request q;
    for (int k = 0; k < 2; k++) MPI_Get_address(part[k], &at[k]);
    MPI_Type_create_hindexed(2, lengths, at, MPI_INT, &two);
    MPI_Type_commit(&two);
    for (int turn = 0; turn < 4; turn++) {
        for (int i = 0; i < M; i++) part[0][i] = rank + i + turn, part[1][i] = -rank - i;
        if (turn % 2) MPI_Allgather(MPI_BOTTOM, 1, two, all, 2 * M, MPI_INT, MPI_COMM_WORLD);
        else {
            MPI_Iallgather(MPI_BOTTOM, 1, two, all, 2 * M, MPI_INT, MPI_COMM_WORLD, &q);
            MPI_Wait(&q, MPI_STATUS_IGNORE);
        }
        for (int r = 0; r < size; r++) bad |= all[2 * r * M + 3] != r + 3 + turn || all[(2 * r + 1) * M + 3] != -r - 3;
        MPI_Bcast(MPI_BOTTOM, 1, two, size - 1, MPI_COMM_WORLD);
        bad |= part[0][5] != size - 1 + 5 + turn || part[1][M - 1] != 1 - size - (M - 1);
    }
    MPI_Type_free(&two);
    free(part[0]), free(part[1]), free(all);
    return bad;
}

/* Nothing to be moved is a call like any other, and null pointers are fine for it. */
static int of_nothing(void) {
    int bad = 0, *none = calloc((size_t)size, sizeof *none);
    MPI_Request q[3];
    bad |= MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    bad |= MPI_Bcast(NULL, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    bad |= MPI_Allgatherv(NULL, 0, MPI_INT, NULL, none, none, MPI_INT, MPI_COMM_WORLD);
    bad |= MPI_Ibcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD, &q[0]);
    bad |= MPI_Ialltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD, &q[1]);
    bad |= MPI_Iallgatherv(NULL, 0, MPI_INT, NULL, none, none, MPI_INT, MPI_COMM_WORLD, &q[2]);
    bad |= MPI_Waitall(3, q, MPI_STATUSES_IGNORE);
    free(none);
    return bad;
}

/* A block may begin before the buffer, one without elements anywhere, and what is sent may lie between blocks. */
static int blocks_anywhere(void) {
    enum { M = 40 };
    int bad = 0, *n = calloc(2 * (size_t)size, sizeof *n), *at = n + size;
    int *x = calloc((2 * (size_t)size + 1) * M, sizeof *x);
    for (int turn = 0; turn < 4; turn++) {
        /* before all blocks; between two of them; blocks before the buffer; empty ones */
        int from = turn == 1 ? (2 * ((rank + 1) % size) + 1) * M : 0, base = turn == 2 ? 2 * size * M : 0;
        for (int k = 0; k < size; k++) {
            n[k] = turn == 3 && k % 2 ? 0 : M;
            at[k] = turn == 1 ? 2 * k * M : turn == 2 ? (k - size) * M : (k + 1) * M;
            if (!n[k]) at[k] = k % 4 == 1 ? INT_MIN : INT_MAX;
        }
        for (int i = 0; i < M; i++) x[from + i] = 1000 * rank + i + turn;
        bad |= MPI_Allgatherv(x + from, n[rank], MPI_INT, x + base, n, at, MPI_INT, MPI_COMM_WORLD);
        for (int k = 0; k < size; k++)
            for (int i = 0; i < n[k]; i++) bad |= x[base + at[k] + i] != 1000 * k + i + turn;
    }
    free(n), free(x);
    return bad;
}

static int wrong_in_callbacks;
static int calls_on_it(MPI_Comm c, int keyval, void *value, void *state) {
    int one = 1, sum = 0, members;
    (void)keyval, (void)value, (void)state;
    MPI_Comm_size(c, &members);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
    MPI_Barrier(c);
    wrong_in_callbacks |= sum != members;
    return MPI_SUCCESS;
}

/* A callback of a communicator's attribute may call collectives on it while it is freed; the next communicator may have
 * the same handle and other members. */
static int freed_by_callbacks(void) {
    int bad = 0, keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, calls_on_it, &keyval, NULL);
    for (int turn = 0; turn < 60; turn++) {
        MPI_Comm c;
        int one = 1, sum = 0, members;
        MPI_Comm_split(MPI_COMM_WORLD, turn % 3 == 1 ? rank % 2 : 0, turn % 2 ? -rank : rank, &c);
        MPI_Comm_size(c, &members);
        if (turn % 4 < 2) MPI_Comm_set_attr(c, keyval, NULL);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
        bad |= sum != members;
        if (turn % 4 == 2) MPI_Comm_set_attr(c, keyval, NULL);
        if (turn % 5) MPI_Comm_free(&c);
        else MPI_Comm_disconnect(&c);
    }
    MPI_Comm_free_keyval(&keyval);
    return bad | wrong_in_callbacks;
}

static int errors_heard;
static void hear(MPI_Comm *c, int *code, ...) {
    (void)c;
    errors_heard += *code != MPI_SUCCESS;
}

/* Mistakes in the arguments come to the communicator's handler, once each, and calls after them go on. */
static int errors_come_to_the_handler(void) {
    MPI_Comm c;
    MPI_Errhandler h;
    MPI_Request q = MPI_REQUEST_NULL;
    MPI_Datatype raw;
    int one = 1, sum = 0, bad = 0, room[6] = { 0 };
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Comm_create_errhandler(hear, &h);
    MPI_Comm_set_errhandler(c, h);
    bad |= MPI_Bcast(&one, -1, MPI_INT, 0, c) == MPI_SUCCESS || errors_heard != 1;
    bad |= MPI_Ibcast(&one, 1, MPI_INT, size, c, &q) == MPI_SUCCESS || errors_heard != 2;
    bad |= MPI_Iallreduce(&one, &sum, 1, MPI_DATATYPE_NULL, MPI_SUM, c, &q) == MPI_SUCCESS || errors_heard != 3;
    MPI_Type_vector(3, 1, 2, MPI_INT, &raw); /* not committed */
    bad |= MPI_Bcast(room, 1, raw, 0, c) == MPI_SUCCESS || errors_heard != 4;
    MPI_Type_free(&raw);
    bad |= MPI_Allgather(&one, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, c) == MPI_SUCCESS || errors_heard != 5;
    bad |= MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c) || sum != size;
    MPI_Errhandler_free(&h);
    MPI_Comm_free(&c);
    return bad;
}

/* Bytes over 2^31, by MPI 4's calls. */
static int wide(void) {
    int bad = 0;
#if MPI_VERSION >= 4
    MPI_Count n = ((MPI_Count)1 << 31) + 4099;
    signed char *x = malloc((size_t)n);
    if (!x) return 1;
    memset(x, rank == 0 ? 7 : 1, (size_t)n);
    bad |= MPI_Bcast_c(x, n, MPI_BYTE, 0, MPI_COMM_WORLD) || x[0] != 7 || x[n - 1] != 7;
    memset(x, 1, (size_t)n);
    bad |= MPI_Allreduce_c(MPI_IN_PLACE, x, n, MPI_SIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD) || x[0] != size ||
           x[n - 1] != size;
    free(x);
#endif
    return bad;
}

static void *strand(void *p) {
    MPI_Comm c = *(MPI_Comm *)p;
    long bad = 0;
    for (int turn = 0; turn < 60; turn++) {
        MPI_Request q[8];
        int in[8], out[8], one = 1, all = 0;
        for (int i = 0; i < 8; i++) {
            in[i] = rank + i + turn;
            MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, c, &q[i]);
        }
        if (turn % 3 == 0) MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, c), bad |= all != size;
        MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 8; i++) bad |= out[i] != sum_of_ranks() + size * (i + turn);
    }
    return (void *)bad;
}

static int from_threads(void) {
    enum { STRANDS = 4 };
    MPI_Comm c[STRANDS];
    pthread_t t[STRANDS];
    void *got;
    int bad = 0;
    for (int k = 0; k < STRANDS; k++) MPI_Comm_dup(MPI_COMM_WORLD, &c[k]);
    for (int k = 0; k < STRANDS; k++) pthread_create(&t[k], NULL, strand, &c[k]);
    for (int k = 0; k < STRANDS; k++) pthread_join(t[k], &got), bad |= got != NULL;
    for (int k = 0; k < STRANDS; k++) MPI_Comm_free(&c[k]);
    return bad;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    int with_threads = !strcmp(mode, "threads"), level, bad[20] = { 0 }, all[20];
    static const char *const what[20] = {
        "a receive while a collective is under way", "the first call on a communicator", "MPI_Waitall",
        "MPI_Waitany", "MPI_Waitsome", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Wait, the last first",
        "a blocking call between", "freed handles", "persistent requests", "threads",
        "MPI_BOTTOM", "nothing", "errors", "wide", "places of blocks", "callbacks of a freed communicator", ""
    };
    MPI_Init_thread(&argc, &argv, with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strncmp(mode, "leave", 5)) {
        static int in = 1, out;
        MPI_Request q;
        if (rank == 0 || !strcmp(mode, "leave")) MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q);
        if (rank == 0) printf("all the same\n");
        fflush(stdout);
        MPI_Finalize();
        return 0;
    }
    if (!strcmp(mode, "die")) {
        int in = 1, out;
        for (int turn = 0; turn < 100; turn++) {
            if (turn == 50 && rank == size - 1) raise(SIGKILL);
            MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
    }
    if (!strcmp(mode, "mistakes")) {
        int wrong = errors_come_to_the_handler();
        MPI_Finalize();
        return wrong;
    }
    bad[0] = goes_on_in_a_receive();
    bad[1] = begins_without_others();
    for (int how = 0; how < 7; how++) bad[2 + how] = in_one_array(how);
    bad[9] = blocking_between();
    bad[10] = outlives_its_handles();
    bad[11] = started_again();
    if (with_threads && level == MPI_THREAD_MULTIPLE) bad[12] = from_threads();
    bad[13] = from_the_bottom();
    bad[14] = of_nothing();
    if (!getenv("MISTAKES")) bad[15] = errors_come_to_the_handler();
    if (!strcmp(mode, "wide")) bad[16] = wide();
    bad[17] = blocks_anywhere();
    bad[18] = freed_by_callbacks();
    PMPI_Allreduce(bad, all, 20, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    int worst = 0;
    for (int i = 0; i < 20; i++) {
        worst |= all[i] != 0;
        if (rank == 0 && all[i]) printf("wrong: %s\n", what[i]);
    }
    if (rank == 0 && !worst) printf("all the same\n");
    MPI_Finalize();
    return worst;
}
