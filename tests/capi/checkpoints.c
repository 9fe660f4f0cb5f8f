/* checkpoints: saves and loads on the processes of a launch; run by test_checkpoints.sh and test_checkpoint.py.
 *
 *   checkpoints save DIR DEVICES STEP [BYTES PROCESS]
 *                                       saves the state of a step, and prints "saved STEP". Of this process, or of all
 *                                       if it is -1, no file may be longer than BYTES
 *   checkpoints load DIR DEVICES        loads the newest, prints its step, and checks every element
 *   checkpoints loop DIR DEVICES STEP   saves that step and all that follow, without an end; "saved N" follows once N
 *                                       is complete
 * Process 0 prints; each process its diagnostics.
 */
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include <weft/checkpoint.h>

static int process;
static weft_client *client;

static void say(void *user, const weft_diag *d) {
    (void)user;
    fprintf(stderr, "process %d: %s: %s\n", process, weft_severity_name(d->severity), d->message);
}

enum { ARRAYS = 4 };
static const struct { const char *name, *type; int64_t elems; } arrays[ARRAYS] = {
    { "w", "96x50xf32", 4800 }, { "rows", "37x3xf32", 111 }, { "scale", "f32", 1 }, { "blocks/1/bias", "128xf32", 128 },
};
static const char *const split[ARRAYS] = { "-, d", "d, -", "", "-" };

/* Element i of array a in a step. */
static float value(int a, int64_t i,
                   int64_t step) { return (float)((i * 3 + a) % 1000) + (float)((step + 4096) % 4096); }

typedef struct filling { int array; int64_t step; } filling;

static weft_status fill(void *user, const weft_part *p) {
    const filling *f = user;
    float *at = p->data;
    const int64_t rows = p->rank > 0 ? p->count[0] : 1, columns = p->rank > 1 ? p->count[1] : 1;
    const int64_t width = p->rank < 2 ? 1 : f->array == 0 ? 50 : 3;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < columns; k++) {
            const int64_t row = (p->rank > 0 ? p->start[0] : 0) + i, column = (p->rank > 1 ? p->start[1] : 0) + k;
            at[(p->rank > 0 ? i * p->stride[0] : 0) + (p->rank > 1 ? k * p->stride[1] : 0)] =
                value(f->array, row * width + column, f->step);
        }
    return WEFT_OK;
}

static weft_status make(weft_state *s, int64_t step) {
    char mesh[32];
    weft_status st = WEFT_OK;
    snprintf(mesh, sizeof mesh, "d=%d", (int)weft_client_devices(client));
    for (int a = 0; st == WEFT_OK && a < ARRAYS; a++) {
        weft_array *made;
        st = weft_array_make(client, arrays[a].type, mesh, split[a], fill, &(filling){ a, step }, &made);
        if (st == WEFT_OK) st = weft_state_set(s, arrays[a].name, made);
        weft_array_release(made);
    }
    return st;
}

static weft_status load(const char *dir, weft_state *s) {
    int64_t step = -1;
    static float got[4800];
    weft_status st = make(s, 4000); /* shardings of this mesh */
    if (st == WEFT_OK) st = weft_checkpoint_load(client, dir, s, NULL, &step);
    for (int a = 0; st == WEFT_OK && a < ARRAYS; a++) {
        st = weft_array_read_all(weft_state_get(s, arrays[a].name), got, (size_t)arrays[a].elems * sizeof *got);
        for (int64_t i = 0; st == WEFT_OK && i < arrays[a].elems; i++)
            if (got[i] != value(a, i, step)) {
                fprintf(stderr, "process %d: not so: element %d of %s is %g\n", process, (int)i, arrays[a].name,
                        got[i]);
                st = WEFT_ERR_MISMATCH;
            }
    }
    if (st == WEFT_OK && process == 0) printf("loaded %d\n", (int)step);
    return st;
}

static weft_status save(const char *dir, weft_state *s, int64_t step, const weft_checkpoint_options *o) {
    weft_status st = make(s, step);
    return st == WEFT_OK ? weft_checkpoint_save(client, dir, s, step, o) : st;
}

static weft_status loop(const char *dir, weft_state *s, int64_t step) {
    const weft_checkpoint_options o = { .keep = 2, .size = sizeof o, .file_bytes = 5000 };
    weft_status st = WEFT_OK;
    for (; st == WEFT_OK; step++) {
        st = save(dir, s, step, &o);
        if (st == WEFT_OK) st = make(s, step + 1); /* other arrays, while those are being written */
        if (st == WEFT_OK) st = weft_checkpoint_wait(client);
        if (st == WEFT_OK && process == 0) printf("saved %d\n", (int)step), fflush(stdout);
    }
    return st;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const int64_t step = argc > 4 ? atoi(argv[4]) : 0;
    const weft_client_options co = { .timeout_s = 20, .size = sizeof co, .devices = atoi(argv[3]) };
    const weft_checkpoint_options o = { .size = sizeof o, .file_bytes = 5000, .blocking = 1 };
    weft_context *cx = weft_context_new(NULL);
    weft_state *s = NULL;
    weft_context_set_handler(cx, say, NULL);
    weft_status st = weft_client_open(cx, &co, &client);
    process = weft_client_process(client);
    if (st == WEFT_OK) st = weft_state_new(client, &s);
    if (st == WEFT_OK && !strcmp(argv[1], "save")) {
        if (argc > 6 && (atoi(argv[6]) < 0 || atoi(argv[6]) == process)) {
            const rlim_t bytes = (rlim_t)atoi(argv[5]);
            signal(SIGXFSZ, SIG_IGN);
            if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){ bytes, bytes })) return 2;
        }
        st = save(argv[2], s, step, &o);
        if (st == WEFT_OK && process == 0) printf("saved %d\n", (int)step);
    } else if (st == WEFT_OK && !strcmp(argv[1], "loop")) {
        st = loop(argv[2], s, step);
    } else if (st == WEFT_OK) {
        st = load(argv[2], s);
    }
    weft_state_free(s);
    weft_client_close(client);
    weft_context_free(cx);
    return st != WEFT_OK;
}
