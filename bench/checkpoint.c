/* checkpoint: how fast checkpoints are written, beside the disk, and what they take from a program that goes on.
 *
 *     bench/checkpoint DIR [MIB [DEVICES [TURNS]]]       [1024 MiB, 2 devices, 5 turns]
 *
 * The disk's speed is dd's with bs=1M conv=fsync: a new file of as many bytes, written in pieces of 1 MiB and then
 * brought to the disk. Both write in turns, in DIR, and the medians are compared. Half of the arrays are split by rows,
 * half by columns, as those of a model are.
 *
 * Then a program runs that reads and updates the whole state: alone, and after the call that begins a save. The call
 * keeps the program waiting; the step after it copies what it updates while that is not yet written; the writer takes
 * from all steps the time of the processors that it needs. The first save stands apart: the system gives the memory
 * for the copies then, and later saves find it.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <weft/checkpoint.h>
#include <weft/control.h>

enum { ARRAY_MIB = 16, PIECE = 1 << 20, MOST_TURNS = 64 };

static const char *folder;
static int mib = 1024, devices = 2, turns = 5;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *v, int n) {
    qsort(v, (size_t)n, sizeof *v, by_size);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void say(void *user, const weft_diag *d) {
    (void)user;
    fprintf(stderr, "%s: %s\n", weft_severity_name(d->severity), d->message);
}

/* ---- the disk ---- */

/* The seconds that a new file takes; negative: it cannot be written. */
static double write_plain(const char *path) {
    char *piece = malloc(PIECE);
    if (!piece) return -1;
    memset(piece, 1, PIECE);
    const double begun = now();
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int ok = fd >= 0;
    for (int i = 0; ok && i < mib; i++) ok = write(fd, piece, PIECE) == PIECE;
    if (ok) ok = !fsync(fd);
    if (fd >= 0) close(fd);
    const double took = now() - begun;
    unlink(path);
    free(piece);
    return ok ? took : -1;
}

/* ---- the state and its program ---- */

static weft_status fill(void *user, const weft_part *p) {
    float *at = p->data;
    for (int64_t i = 0; i < p->count[0]; i++)
        for (int64_t k = 0; k < p->count[1]; k++)
            at[i * p->stride[0] + k * p->stride[1]] =
                1e-3f * (float)((p->start[0] + i) * 7 + (p->start[1] + k) * 13 + *(const int *)user);
    return WEFT_OK;
}

static void name_of(char name[32], int i) { snprintf(name, 32, "layer%d/weight", i); }

static weft_status make_state(weft_client *c, weft_state *s) {
    char name[32], mesh[32];
    weft_status st = WEFT_OK;
    snprintf(mesh, sizeof mesh, "d=%d", devices);
    for (int i = 0; st == WEFT_OK && i < mib / ARRAY_MIB; i++) {
        weft_array *a = NULL;
        st = weft_array_make(c, "4096x1024xf32", mesh, i % 2 ? "-, d" : "d, -", fill, &i, &a);
        name_of(name, i);
        if (st == WEFT_OK) st = weft_state_set(s, name, a);
        weft_array_release(a);
    }
    return st;
}

/* h goes through all weights, there and back, and each of them shrinks. */
static weft_graph *make_step(weft_context *cx) {
    char name[32], mesh[32];
    weft_graph *g = weft_graph_new(cx, "step");
    snprintf(mesh, sizeof mesh, "d=%d", devices);
    const weft_device_mesh *m = weft_graph_mesh(g, mesh);
    weft_tensor *h = weft_graph_fill(g, "256x1024xf32", 0.01);
    for (int i = 0; i < mib / ARRAY_MIB; i++) {
        name_of(name, i);
        weft_tensor *w = weft_graph_input(g, name, "4096x1024xf32");
        weft_shard(g, w, m, i % 2 ? "-, d" : "d, -");
        h = weft_graph_scale(g, weft_graph_einsum(g, "bo,oi->bi", weft_graph_einsum(g, "bi,oi->bo", h, w), w), 1e-3);
        weft_graph_update(g, w, weft_graph_scale(g, w, 0.999));
    }
    weft_graph_output(g, "h", h);
    return g;
}

/* ---- what is measured ---- */

static int remove_one(const char *path, const struct stat *sb, int flag, struct FTW *place) {
    (void)sb, (void)flag, (void)place;
    return remove(path);
}

static weft_status compare(weft_client *c, weft_state *s) {
    const weft_checkpoint_options o = { .size = sizeof o, .blocking = 1 };
    double disk[MOST_TURNS], save[MOST_TURNS], ratio[MOST_TURNS];
    char path[4096], to[4096];
    const double bytes = (double)mib * PIECE / 1e6;
    weft_status st = WEFT_OK;
    snprintf(path, sizeof path, "%s/plain", folder);
    snprintf(to, sizeof to, "%s/saved", folder);
    for (int i = 0; st == WEFT_OK && i < turns; i++) {
        if ((disk[i] = write_plain(path)) < 0) {
            perror(path);
            return WEFT_ERR_IO;
        }
        const double begun = now();
        st = weft_checkpoint_save(c, to, s, i, &o);
        save[i] = now() - begun;
        nftw(to, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        ratio[i] = disk[i] / save[i];
    }
    if (st != WEFT_OK) return st;
    printf("%d MiB on %d devices, median of %d: disk %.0f MB/s, checkpoint %.0f MB/s, %.2f of it\n", mib, devices,
           turns, bytes / median(disk, turns), bytes / median(save, turns), median(ratio, turns));
    return st;
}

/* A step, the call that saves, and the two steps after it. */
typedef struct turn { double alone, call, first, next; } turn;

static weft_status take_turn(weft_client *c, weft_state *s, weft_program *p, int64_t number, turn *t) {
    const weft_checkpoint_options o = { .keep = 1, .size = sizeof o };
    double begun = now();
    weft_status st = weft_program_run(p, s);
    t->alone = now() - begun;
    begun = now();
    if (st == WEFT_OK) st = weft_checkpoint_save(c, folder, s, number, &o);
    t->call = now() - begun;
    begun = now();
    if (st == WEFT_OK) st = weft_program_run(p, s);
    t->first = now() - begun;
    begun = now();
    if (st == WEFT_OK) st = weft_program_run(p, s);
    t->next = now() - begun;
    return st == WEFT_OK ? weft_checkpoint_wait(c) : st;
}

/* The first save, and then `turns` further ones. */
static weft_status stall(weft_context *cx, weft_client *c, weft_state *s) {
    double alone[MOST_TURNS], call[MOST_TURNS], first[MOST_TURNS], next[MOST_TURNS];
    turn t;
    weft_graph *g = make_step(cx);
    weft_program *p = NULL;
    weft_status st = weft_program_load(c, g, NULL, &p);
    if (st == WEFT_OK) st = weft_program_run(p, s);
    if (st == WEFT_OK) st = take_turn(c, s, p, turns, &t);
    const double begins = st == WEFT_OK ? 100 * (t.first / t.alone - 1) : 0;
    for (int i = 0; st == WEFT_OK && i < turns; i++) {
        st = take_turn(c, s, p, turns + 1 + i, &t);
        alone[i] = t.alone, call[i] = t.call, first[i] = t.first, next[i] = t.next;
    }
    if (st == WEFT_OK) {
        const double step = median(alone, turns);
        printf("a step takes %.3f s; the call that saves %.1f %% of one; the step after it %+.1f %% (after the first "
               "save %+.1f %%), the next %+.1f %%\n",
               step, 100 * median(call, turns) / step, 100 * (median(first, turns) / step - 1), begins,
               100 * (median(next, turns) / step - 1));
    }
    weft_program_close(p);
    weft_graph_free(g);
    return st;
}

int main(int argc, char **argv) {
    const weft_client_options o = { .size = sizeof o, .devices = argc > 3 ? atoi(argv[3]) : devices };
    weft_client *c = NULL;
    weft_state *s = NULL;
    if (argc > 2) mib = atoi(argv[2]);
    if (argc > 4) turns = atoi(argv[4]);
    devices = (int)o.devices;
    if (argc < 2 || mib < ARRAY_MIB || mib % ARRAY_MIB || devices < 1 || turns < 1 || turns > MOST_TURNS) {
        fprintf(stderr, "usage: checkpoint DIR [MIB [DEVICES [TURNS]]]; MIB is a multiple of %d\n", ARRAY_MIB);
        return 2;
    }
    folder = argv[1];
    weft_context *cx = weft_context_new(NULL);
    weft_context_set_handler(cx, say, NULL);
    weft_status st = weft_client_open(cx, &o, &c);
    if (st == WEFT_OK) st = weft_state_new(c, &s);
    if (st == WEFT_OK) st = make_state(c, s);
    if (st == WEFT_OK) st = compare(c, s);
    if (st == WEFT_OK) st = stall(cx, c, s);
    weft_state_free(s);
    weft_client_close(c);
    weft_context_free(cx);
    return st != WEFT_OK;
}
