/* start: the memory of each process while a sharded model begins, is saved and is loaded: its parts of the arrays, and
 * what else?
 *
 *     mpirun -n 4 bench/start [LAYERS DIM [DIR]]          [20 layers of 2048: 1.0 billion parameters of f32]
 *
 * A transformer's parameters, sharded over all processes (fsdp), get their first values; with DIR they are saved there,
 * dropped, and loaded from there. A line per process and stage: the bytes of its parts, the most that the process has
 * had in memory since it began (VmHWM of /proc/self/status), what of it was the text of programs and libraries, which
 * all processes share (RssFile), and the rest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/checkpoint.h>
#include <weft/nn.h>
#include <weft/strategy.h>

static weft_client *client;
static int dim = 2048;

static void say(void *user, const weft_diag *d) {
    (void)user;
    fprintf(stderr, "%s: %s\n", weft_severity_name(d->severity), d->message);
}

/* "VmHWM:   123 kB", in MiB. */
static double status_mib(const char *key) {
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key))) kib = strtod(line + strlen(key) + 1, NULL);
    if (f) fclose(f);
    return kib / 1024;
}

static weft_status print_memory(const char *stage, weft_state *s) {
    double parts = 0;
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < weft_state_count(s); i++) {
        weft_array *a = weft_state_get(s, weft_state_name(s, i));
        for (int64_t d = 0; st == WEFT_OK && d < weft_client_local_devices(client); d++) {
            weft_part p;
            double bytes = 4; /* f32 */
            st = weft_array_part(a, weft_client_first_device(client) + d, &p);
            for (size_t k = 0; st == WEFT_OK && k < p.rank; k++) bytes *= (double)p.count[k];
            if (st == WEFT_OK) parts += bytes / (1 << 20);
        }
    }
    const double most = status_mib("VmHWM"), code = status_mib("RssFile");
    if (st == WEFT_OK)
        printf("%-6s process %d: parts %.0f MiB, most %.0f MiB, %.0f of it libraries: %.0f MiB beside the parts, %.0f "
               "without libraries\n", stage, weft_client_process(client), parts, most, code, most - parts,
               most - parts - code);
    fflush(stdout);
    return st;
}

static void block(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    weft_tensor *h = weft_layer_norm(g, "norm1", x[0], 1e-5);
    weft_tensor *q = weft_linear(g, "q", h, WEFT_DIMS(dim), NULL), *k = weft_linear(g, "k", h, WEFT_DIMS(dim), NULL);
    h = weft_linear(g, "v", weft_graph_add(g, q, k), WEFT_DIMS(dim), NULL);
    h = weft_graph_add(g, x[0], weft_linear(g, "out", h, WEFT_DIMS(dim), NULL));
    weft_tensor *up = weft_linear(g, "up", weft_layer_norm(g, "norm2", h, 1e-5), WEFT_DIMS(4 * dim), NULL);
    y[0] = weft_graph_add(g, h, weft_linear(g, "down", weft_gelu_tanh(g, up), WEFT_DIMS(dim), NULL));
}

static weft_graph *make_start(weft_context *cx, int layers) {
    char type[64], axis[32];
    weft_graph *g = weft_graph_new(cx, "start");
    snprintf(type, sizeof type, "1x%dxf32", dim);
    snprintf(axis, sizeof axis, "data=%d", (int)weft_client_devices(client));
    weft_tensor *h = weft_graph_input(g, "x", type);
    weft_layers(g, "blocks", layers, &h, 1, block, NULL, &h);
    weft_strategy_fsdp(g, weft_graph_mesh(g, axis), "data", "*");
    weft_graph *start = weft_graph_initialiser(g, 1);
    weft_graph_free(g);
    return start;
}

int main(int argc, char **argv) {
    const int layers = argc > 1 ? atoi(argv[1]) : 20;
    const char *dir = argc > 3 ? argv[3] : NULL;
    weft_context *cx = weft_context_new(NULL);
    weft_state *s = NULL, *again = NULL;
    weft_program *p = NULL;
    if (argc > 2) dim = atoi(argv[2]);
    weft_context_set_handler(cx, say, NULL);
    weft_status st = weft_client_open(cx, NULL, &client);
    if (st == WEFT_OK) st = weft_state_new(client, &s);
    if (st == WEFT_OK) st = weft_state_new(client, &again);
    weft_graph *start = st == WEFT_OK ? make_start(cx, layers) : NULL;
    if (st == WEFT_OK) st = weft_program_load(client, start, NULL, &p);
    if (st == WEFT_OK) st = weft_program_run(p, s);
    if (st == WEFT_OK) st = weft_program_store(p, s);
    if (st == WEFT_OK) st = print_memory("start", s);
    if (st == WEFT_OK && dir) st = weft_checkpoint_save(client, dir, s, 0, NULL);
    if (st == WEFT_OK && dir) st = weft_checkpoint_wait(client);
    if (st == WEFT_OK && dir) st = print_memory("saved", s);
    weft_program_close(p);
    weft_state_free(s);
    if (st == WEFT_OK && dir) st = weft_checkpoint_load(client, dir, again, NULL, NULL);
    if (st == WEFT_OK && dir) st = print_memory("loaded", again);
    weft_state_free(again);
    weft_graph_free(start);
    weft_client_close(client);
    weft_context_free(cx);
    return st != WEFT_OK;
}
