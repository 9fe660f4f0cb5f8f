/* ranks: a session across the processes of mpirun, over a hand-made executable; run by test_ranks.sh.
 *
 *   ranks ok        sums over all ranks, three steps, and joins the result on process 0
 *   ranks refuse    process 1 could not prepare its program
 *   ranks differ    process 1 has another program
 *   ranks fail      the kernel of the last rank fails while the others wait for it
 *   ranks die       the process of the last rank ends while the others wait for it
 *   ranks stop      the process of the last rank is stopped while the others wait for it
 * Prints process 0's results, or each diagnostic of a process that must report. Exit status 0 or 1.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "runtime/execute.h"

#define N 1000
#define DEVICES 4

static const char *mode;

static weft_status add_rank(const void *state, void *const *b, const weft_run_env *env) {
    (void)state;
    if (env->partition_id == DEVICES - 1 && !strcmp(mode, "fail")) return WEFT_ERR_INTERNAL;
    if (env->partition_id == DEVICES - 1 && !strcmp(mode, "die")) _exit(3);
    if (env->partition_id == DEVICES - 1 && !strcmp(mode, "stop")) raise(SIGSTOP);
    for (int i = 0; i < N; i++) ((float *)b[1])[i] = ((float *)b[0])[i] + (float)env->partition_id;
    return WEFT_OK;
}

static const weft_kernel kernel = { .name = "add_rank", .run = add_rank };
static const weft_kernel *const all_kernels[] = { &kernel };
static const weft_kernel_set kernels = { all_kernels, 1, NULL };

static const int64_t dims[] = { N }, mesh_sizes[] = { DEVICES };
static const weft_exec_mesh mesh = { mesh_sizes, 1, NULL, NULL };
static const weft_exec_value vector = { WEFT_F32, 1, dims, N * sizeof(float), -1, -1 };
static const weft_layout_axis axis[] = { { 1, DEVICES } };
static const weft_layout_dim cut_dims[] = { { DEVICES * N, N, axis, 1 } };
static const weft_layout cut = { WEFT_F32, 1, cut_dims, DEVICES, NULL, NULL, 0 };
static const weft_slice slices[2] = { { WEFT_SPACE_ARGUMENT, 0, 0, N * sizeof(float) },
                                      { WEFT_SPACE_RESULT, 0, 0, N * sizeof(float) } };
static const weft_group_axis all = { 0, 1, DEVICES };
static const weft_coll_operand operand = { { WEFT_SPACE_RESULT, 0, 0, N * sizeof(float) },
                                           { WEFT_SPACE_RESULT, 0, 0, N * sizeof(float) }, WEFT_F32, 1, 1, N, false };
static const weft_coll_step sum = { .kind = WEFT_PLAN_ALL_REDUCE,
                                    .group = { .size = DEVICES, .axes = &all, .axis_count = 1 }, .operands = &operand,
                                    .operand_count = 1 };

static int check(weft_session *s, int process) {
    static float out[DEVICES * N];
    weft_host_array b = { .data = process == 0 ? out : NULL };
    weft_status st = weft_session_fill(s, 0, &(weft_fill){ WEFT_FILL_CONSTANT, 1, 0 });
    for (int k = 0; st == WEFT_OK && k < 3; k++) st = weft_session_step(s);
    if (st == WEFT_OK) st = weft_session_get(s, 0, &b);
    if (st != WEFT_OK) return 1;
    if (process != 0) return 0;
    for (int i = 0; i < DEVICES * N; i++)
        if (out[i] != DEVICES + DEVICES * (DEVICES - 1) / 2) return 1;
    printf("sum %g\n", out[0]);
    return 0;
}

static void speak(void *user) {
    weft_context *cx = user;
    for (size_t i = 0; i < weft_context_diag_count(cx); i++)
        fprintf(stderr, "ranks: error: %s\n", weft_context_diag(cx, i)->message);
    fflush(stderr);
}

static void report(void *user, const weft_diag *d) {
    (void)user;
    fprintf(stderr, "ranks: error: %s\n", d->message);
}

int main(int argc, char **argv) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *size = getenv("OMPI_COMM_WORLD_SIZE");
    int process = rank ? atoi(rank) : 0, processes = size ? atoi(size) : 1, code = 1;
    weft_step steps[] = {
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "add_rank" },
          .slices = slices, .slice_count = 2, .loc = &weft_loc_unknown },
        { .kind = WEFT_STEP_COLLECTIVE, .coll = &sum, .loc = &weft_loc_unknown }
    };
    weft_executable x = { .args = &vector, .arg_count = 1, .results = &vector, .result_count = 1, .steps = steps,
                          .step_count = 2, .meshes = &mesh, .mesh_count = 1, .device_count = DEVICES,
                          .partition_count = DEVICES, .fingerprint = 7 };
    weft_context *cx = weft_context_new(NULL);
    weft_session_options o = { .processes = { .process = process, .processes = processes, .timeout_s = 5 }, .exec = &x,
                               .kernels = &kernels, .args = &cut, .results = &cut, .speak = speak, .user = cx };
    weft_session *s = NULL;
    bool speaker = true;
    mode = argc > 1 ? argv[1] : "ok";
    if (!strcmp(mode, "refuse") && process == 1)
        o.prepared = weft_report(cx, WEFT_D_file, NULL, "process 1 has no file");
    if (!strcmp(mode, "differ") && process == 1) x.fingerprint = 8;
    if (weft_session_open(cx, &o, &speaker, &s) == WEFT_OK) {
        weft_context_set_handler(cx, report, NULL);
        code = check(s, process);
    }
    weft_session_close(s);
    weft_context_free(cx);
    return code;
}
