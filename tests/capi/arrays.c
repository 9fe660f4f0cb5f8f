/* arrays: arrays and programs on the processes of a launch; run by test_arrays.sh.
 *
 *   arrays law DEVICES       arrays from data and by callbacks, every layout to every other, read on one and on all
 *   arrays train DEVICES     three programs that share a state; prints the weights' hash
 *   arrays callback DEVICES  a callback fails on one process: all hear why, and go on
 *   arrays refused DEVICES   a program that one process cannot compile, and one that differs: all hear of it, and go on
 *   arrays other DEVICES     one process gives other data: process 0 is warned when it reads
 *   arrays skip DEVICES      one process leaves out a call: the next read ends the client
 *   arrays null DEVICES      process 0 reads into NULL: all hear of it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/array.h>

static int process, failures, errors, warnings;
static char said[4096];
static int64_t devices;
static weft_client *client;
static weft_status last_status; /* of the last error that was said */

static void say(void *user, const weft_diag *d) {
    (void)user;
    size_t n = strlen(said);
    snprintf(said + n, sizeof said - n, "%s\n", d->message);
    errors += d->severity == WEFT_ERROR;
    if (d->severity == WEFT_ERROR) last_status = d->status;
    warnings += d->severity == WEFT_WARNING;
    fprintf(stderr, "process %d: %s: %s\n", process, weft_severity_name(d->severity), d->message);
}

static void expect_at(int line, int ok, const char *what) {
    if (ok) return;
    failures++;
    fprintf(stderr, "process %d: line %d: not so: %s\n", process, line, what);
}
#define EXPECT(ok) expect_at(__LINE__, (ok) ? 1 : 0, #ok)

enum { ROWS = 13, COLUMNS = 6, ELEMS = ROWS * COLUMNS };
static const char type[] = "13x6xi64";
static int64_t ramp[ELEMS];
static char line_mesh[32], grid_mesh[32];
static const struct { const char *mesh, *sharding; } layouts[] = {
    { NULL, NULL }, { line_mesh, "d, -" }, { line_mesh, "-, d" }, { line_mesh, "-, -" },
    { grid_mesh, "a, b" }, { grid_mesh, "b, a" }, { grid_mesh, "b*a, -" }, { grid_mesh, "-, b" }, { grid_mesh, "a, -" },
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static weft_status fill(void *user, const weft_part *p) {
    int64_t *at = p->data;
    if (user && *(int *)user == process) return WEFT_ERR_IO;
    for (int64_t i = 0; i < p->count[0]; i++)
        for (int64_t k = 0; k < p->count[1]; k++)
            at[i * p->stride[0] + k * p->stride[1]] = (p->start[0] + i) * COLUMNS + p->start[1] + k;
    return WEFT_OK;
}

static void expect_ramp(weft_array *a) {
    int64_t got[ELEMS];
    memset(got, -1, sizeof got);
    EXPECT(weft_array_read(a, got, sizeof got) == WEFT_OK);
    EXPECT(process || !memcmp(got, ramp, sizeof got));
    memset(got, -1, sizeof got);
    EXPECT(weft_array_read_all(a, got, sizeof got) == WEFT_OK);
    EXPECT(!memcmp(got, ramp, sizeof got));
}

static void law(void) {
    for (int from = 0; from < LAYOUTS; from++) {
        weft_array *a, *b, *moved;
        EXPECT(weft_array_from(client, type, layouts[from].mesh, layouts[from].sharding, ramp, sizeof ramp, &a) == WEFT_OK);
        EXPECT(weft_array_make(client, type, layouts[from].mesh, layouts[from].sharding, fill, NULL, &b) == WEFT_OK);
        expect_ramp(b);
        for (int to = 0; to < LAYOUTS; to++) {
            EXPECT(weft_array_move(a, layouts[to].mesh, layouts[to].sharding, &moved) == WEFT_OK);
            expect_ramp(moved);
            weft_array_release(moved);
        }
        weft_part part;
        for (int64_t d = 0; d < devices; d++) {
            const int64_t first = weft_client_first_device(client);
            EXPECT(weft_array_part(a, d, &part) == WEFT_OK);
            EXPECT((part.data != NULL) == (d >= first && d < first + weft_client_local_devices(client)));
        }
        weft_array_release(a);
        weft_array_release(b);
    }
}

static weft_graph *train_graph(weft_context *cx, const char *op) {
    weft_graph *g = weft_graph_new(cx, "train");
    weft_tensor *w = weft_graph_input(g, "w", type), *x = weft_graph_input(g, "x", type);
    weft_shard(g, w, weft_graph_mesh(g, line_mesh), "d, -");
    weft_tensor *next = weft_graph_pointwise(g, op, w, x);
    weft_graph_update(g, w, next);
    weft_graph_output(g, "sum", weft_graph_reduce(g, "add", next, WEFT_DIMS(0, 1)));
    return g;
}

static weft_graph *turn_graph(weft_context *cx) {
    weft_graph *g = weft_graph_new(cx, "turn");
    weft_tensor *w = weft_graph_input(g, "w", type);
    weft_shard(g, w, weft_graph_mesh(g, grid_mesh), "b, a");
    weft_graph_output(g, "t", weft_graph_transpose(g, w, WEFT_DIMS(1, 0)));
    return g;
}

static weft_program *load(weft_graph *g) {
    weft_program *p;
    EXPECT(weft_program_load(client, g, NULL, &p) == WEFT_OK);
    weft_graph_free(g);
    return p;
}

static void train(weft_context *cx) {
    weft_program *step = load(train_graph(cx, "add")), *turn = load(turn_graph(cx));
    weft_state *s;
    int64_t sum = 0, t[ELEMS], want = 0;
    EXPECT(weft_state_new(client, &s) == WEFT_OK);
    EXPECT(weft_program_make(step, s, "w", fill, NULL) == WEFT_OK);
    EXPECT(weft_program_put(step, s, "x", ramp, sizeof ramp) == WEFT_OK);
    weft_array *kept = weft_array_retain(weft_state_get(s, "w"));
    for (int k = 2; k < 6; k++) {
        EXPECT(weft_program_run(step, s) == WEFT_OK);
        EXPECT(weft_program_run(turn, s) == WEFT_OK);
        EXPECT(weft_array_read_all(weft_program_output(turn, "t"), t, sizeof t) == WEFT_OK);
        for (int i = 0; i < ELEMS; i++) want += t[i] != k * ramp[i % ROWS * COLUMNS + i / ROWS];
        EXPECT(want == 0);
        EXPECT(weft_array_read(weft_program_output(step, "sum"), &sum, sizeof sum) == WEFT_OK);
        EXPECT(process || sum == (int64_t)k * ELEMS * (ELEMS - 1) / 2);
    }
    expect_ramp(kept);
    EXPECT(errors == 0 && warnings == (devices % 2 == 0)); /* w moves for turn, which each process says once */
    weft_array_release(kept);
    weft_state_free(s);
    weft_program_close(step);
    weft_program_close(turn);
}

static void callback(void) {
    weft_array *a;
    int who = 1;
    EXPECT(weft_array_make(client, type, line_mesh, "d, -", fill, &who, &a) == WEFT_ERR_IO && !a);
    EXPECT(errors == 1 && strstr(said, "the callback for the part of device "));
    if (process != 1) EXPECT(strstr(said, ": ") && strstr(said, "arrays.c:"));
    EXPECT(weft_array_make(client, type, line_mesh, "d, -", fill, NULL, &a) == WEFT_OK);
    expect_ramp(a);
    weft_array_release(a);
}

static void refused(weft_context *cx) {
    weft_program *p;
    weft_graph *g = weft_graph_new(cx, "refused");
    weft_shard(g, weft_graph_input(g, "x", "8xf32"), weft_graph_mesh(g, line_mesh), process == 1 ? "e" : "d");
    EXPECT(weft_program_load(client, g, NULL, &p) == WEFT_ERR_INVALID && !p);
    EXPECT(errors == 1 && strstr(said, "the mesh has no axis 'e'"));
    weft_graph_free(g);
    g = train_graph(cx, process == 1 ? "multiply" : "add");
    EXPECT(weft_program_load(client, g, NULL, &p) == WEFT_ERR_PEER && !p);
    EXPECT(errors == 2 && strstr(said, "compiled another program than rank 0"));
    weft_graph_free(g);
    g = weft_graph_new(cx, "of another number of devices");
    weft_graph_output(g, "x", weft_shard(g, weft_graph_input(g, "x", "8xf32"),
                                         weft_graph_mesh(g, process == 1 ? "d=64" : line_mesh), "d"));
    EXPECT(weft_program_load(client, g, NULL, &p) == WEFT_ERR_USAGE && !p);
    EXPECT(errors == 3 && last_status == WEFT_ERR_USAGE && strstr(said, "the program is for 64 devices, the client has "));
    weft_graph_free(g);
    weft_program_close(load(train_graph(cx, "add")));
}

static void other(void) {
    weft_array *a;
    int64_t mine[ELEMS], got[ELEMS];
    memcpy(mine, ramp, sizeof mine);
    mine[ELEMS / 2] += process == 1;
    EXPECT(weft_array_from(client, type, line_mesh, "d, -", mine, sizeof mine, &a) == WEFT_OK);
    for (int k = 0; k < 2; k++) EXPECT(weft_array_read(a, got, sizeof got) == WEFT_OK);
    EXPECT(errors == 0 && warnings == (process == 0));
    if (process == 0) EXPECT(strstr(said, " was given other data for '13x6xi64' than rank 0"));
    weft_array_release(a);
}

static void skip(void) {
    weft_array *a, *b = NULL;
    int64_t got[ELEMS];
    EXPECT(weft_array_of_zeros(client, type, line_mesh, "d, -", &a) == WEFT_OK);
    if (process != 1) EXPECT(weft_array_of_zeros(client, type, line_mesh, "d, -", &b) == WEFT_OK);
    EXPECT(weft_array_read(a, got, sizeof got) == WEFT_ERR_PEER);
    if (process == 0) EXPECT(errors == 1 && strstr(said, " has made 2 calls where rank 0 has made 3"));
    EXPECT(weft_array_read(a, got, sizeof got) == WEFT_ERR_PEER);
    weft_array_release(a);
    weft_array_release(b);
}

static void null(void) {
    weft_array *a;
    int64_t got[ELEMS];
    EXPECT(weft_array_of_zeros(client, type, line_mesh, "d, -", &a) == WEFT_OK);
    const weft_status st = weft_array_read(a, process ? got : NULL, sizeof got);
    EXPECT(st == (process ? WEFT_ERR_PEER : WEFT_ERR_USAGE));
    EXPECT(strstr(said, process ? "a process reads an array into NULL" : "the data of the array is NULL"));
    weft_array_release(a);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "law";
    weft_client_options o = { .timeout_s = 20, .size = sizeof o, .devices = argc > 2 ? atoi(argv[2]) : 0 };
    weft_context *cx = weft_context_new(NULL);
    weft_context_set_handler(cx, say, NULL);
    for (int i = 0; i < ELEMS; i++) ramp[i] = i;
    if (weft_client_open(cx, &o, &client) != WEFT_OK) return 1;
    process = weft_client_process(client);
    devices = weft_client_devices(client);
    snprintf(line_mesh, sizeof line_mesh, "d=%d", (int)devices);
    snprintf(grid_mesh, sizeof grid_mesh, "a=%d, b=%d", devices % 2 ? 1 : 2,
             (int)(devices % 2 ? devices : devices / 2));
    if (!strcmp(what, "law")) law();
    else if (!strcmp(what, "train")) train(cx);
    else if (!strcmp(what, "callback")) callback();
    else if (!strcmp(what, "refused")) refused(cx);
    else if (!strcmp(what, "other")) other();
    else if (!strcmp(what, "skip")) skip();
    else null();
    weft_client_close(client);
    weft_context_free(cx);
    if (!failures) puts("fine");
    return failures != 0;
}
