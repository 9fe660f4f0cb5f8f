/* cmd_verify: `weft verify`: compares the partitioned program with the same program on one device, under its own
 * shardings or random ones. The comparison is pipeline/verify.h; this file has the options, the arguments and the list
 * of failures.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "pipeline/variants.h"
#include "pipeline/verify.h"
#include "tool/data.h"
#include "tool/program.h"

typedef struct verify_settings {
    int64_t devices, seed;
    const char *mesh, *inputs, *types, *shardings, *save, *rtol, *atol, *costs;
    double timeout_s;
    tool_list fill;
    tool_compiling compiling;
} verify_settings;

static const tool_option options[] = {
    { "devices", "N", TOOL_NUMBER, offsetof(verify_settings, devices), "devices to run on; the program's mesh by default" },
    { "mesh", "AXIS=SIZE,...", TOOL_TEXT, offsetof(verify_settings, mesh), "sizes of mesh axes to use instead of the program's; with --shardings all axes of the mesh" },
    { "shardings", "SEED[:COUNT]", TOOL_TEXT, offsetof(verify_settings, shardings), "random shardings instead of the program's, COUNT times from SEED on (default 1)" },
    { "save", "DIR", TOOL_TEXT, offsetof(verify_settings, save), "write the program with the shardings of each seed that fails to DIR/seed-SEED.mlir" },
    { "types", "TYPE,...", TOOL_TEXT, offsetof(verify_settings, types), "types of all arguments, for a program that leaves sizes open with '?'" },
    { "inputs", "DIR", TOOL_TEXT, offsetof(verify_settings, inputs), "read arguments from DIR/in0.npy, DIR/in1.npy, ..." },
    { "seed", "S", TOOL_COUNT, offsetof(verify_settings, seed), "seed of random arguments (default 0)" },
    { "fill", "A[-B]=HOW", TOOL_LIST, offsetof(verify_settings, fill), "arguments A to B: normal, uniform, zeros, ones or a number" },
    { "rtol", "R", TOOL_TEXT, offsetof(verify_settings, rtol), "allow |got - want| <= A + R * |want|; by default from the digits of the element type" },
    { "atol", "A", TOOL_TEXT, offsetof(verify_settings, atol), "see --rtol; by default R / 10 of the largest number in the tensor" },
    { "costs", "FILE|LIST", TOOL_TEXT, offsetof(verify_settings, costs), "costs by which both programs are compiled, as in run (default: WEFT_COSTS)" },
    { "timeout", "SECONDS", TOOL_REAL, offsetof(verify_settings, timeout_s), "give up on a device that does not answer (default 30)" },
    TOOL_COMPILING_OPTIONS(verify_settings, compiling),
};

typedef struct job {
    tool *t;
    const verify_settings *s;
    weft_module *m;              /* prepared */
    uint64_t first, count;       /* of --shardings */
    weft_npy *inputs;            /* per argument, or NULL */
    uint32_t arg_count;
    weft_machine machine;
    weft_verify_options how;
} job;

/* ---- the options ---- */

/* "17" or "17:100" */
static weft_status read_seeds(job *j) {
    const char *text = j->s->shardings;
    char *end;
    j->count = 1;
    if (!text) return WEFT_OK;
    j->first = strtoull(text, &end, 10);
    bool good = end != text && *text != '-';
    if (good && *end == ':') {
        const char *from = end + 1;
        j->count = strtoull(from, &end, 10);
        good = end != from && *from != '-' && j->count > 0;
    }
    return good && !*end
               ? WEFT_OK
               : weft_report(j->t->cx, WEFT_D_usage, NULL, "--shardings takes SEED or SEED:COUNT, not '%s'", text);
}

static weft_status read_tolerance(job *j, const char *name, const char *text, double *out) {
    char *end = NULL;
    *out = text ? strtod(text, &end) : -1;
    if (!text || (end != text && !*end && *out >= 0)) return WEFT_OK;
    return weft_report(j->t->cx, WEFT_D_usage, NULL, "option '--%s' takes a number of at least 0, not '%s'", name,
                       text);
}

static weft_status open_arguments(job *j) {
    weft_context *cx = j->t->cx;
    const weft_op *main = weft_module_main(j->m);
    const weft_type *f = weft_func_type(main);
    j->arg_count = f->input_count;
    weft_host_array *wants = weft_arena_array(&cx->arena, weft_host_array, j->arg_count);
    weft_fill *fills = weft_arena_array(&cx->arena, weft_fill, j->arg_count);
    if (!wants || !fills) return weft_oom();
    for (uint32_t i = 0; i < j->arg_count; i++) {
        const weft_type *t = f->parts[i];
        wants[i] = (weft_host_array){ .dtype = t->dtype, .rank = t->rank };
        memcpy(wants[i].dims, t->dims, t->rank * sizeof *t->dims);
    }
    weft_status st = weft_verify_fills(j->m, (uint64_t)j->s->seed, fills);
    if (st == WEFT_OK) st = tool_fills_read(j->t, &j->s->fill, j->arg_count, fills);
    j->how.fills = fills;
    if (st != WEFT_OK || !j->s->inputs) return st;
    st = tool_arrays_open(cx, j->s->inputs, "in", wants, j->arg_count, &j->inputs);
    for (uint32_t i = 0; st == WEFT_OK && i < j->arg_count; i++) wants[i] = j->inputs[i].array;
    j->how.arguments = wants;
    return st;
}

static weft_status prepare(job *j, const char *path) {
    tool *t = j->t;
    char chosen[1024];
    const char *mesh = NULL;
    weft_module *sized = NULL;
    weft_status st = read_seeds(j);
    if (st == WEFT_OK) st = read_tolerance(j, "rtol", j->s->rtol, &j->how.rtol);
    if (st == WEFT_OK) st = read_tolerance(j, "atol", j->s->atol, &j->how.atol);
    if (st == WEFT_OK) st = tool_priced_open(t, NULL, j->s->costs, &j->machine);
    j->how.machine = &j->machine;
    j->how.timeout_s = j->s->timeout_s;
    if (st == WEFT_OK) st = tool_module_read(t, path, &j->s->compiling, &j->m);
    if (st == WEFT_OK) st = tool_types_choose(t, &j->m, j->s->types, j->s->inputs);
    if (st == WEFT_OK) st = weft_pipeline_run(t->cx, WEFT_STR("weft-prepare"), 0, &j->m);
    if (st == WEFT_OK) st = weft_module_check_main(j->m);
    if (st == WEFT_OK && !j->s->shardings && weft_module_devices(j->m) == 1 && !j->s->devices && !j->s->mesh)
        return weft_report(t->cx, WEFT_D_usage, NULL,
                           "the program is for one device; --shardings SEED draws a mesh and shardings");
    if (st == WEFT_OK && !j->s->shardings)
        st = tool_mesh_choose(t, j->m, j->s->mesh, j->s->devices, chosen, sizeof chosen, &mesh);
    if (st == WEFT_OK && mesh) {
        st = weft_module_resize_mesh(j->m, mesh, &sized);
        if (st == WEFT_OK) weft_module_free(j->m), j->m = sized;
    }
    return st == WEFT_OK ? open_arguments(j) : st;
}

/* ---- verifying ---- */

static weft_status save(job *j, uint64_t seed, const weft_module *m) {
    weft_context *cx = j->t->cx;
    weft_buf path, text;
    if (!j->s->save) return WEFT_OK;
    if (mkdir(j->s->save, 0777) && errno != EEXIST)
        return weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be made: %s", j->s->save, strerror(errno));
    weft_buf_init(&path, &cx->alloc);
    weft_buf_init(&text, &cx->alloc);
    weft_buf_printf(&path, "%s/seed-%llu.mlir", j->s->save, (unsigned long long)seed);
    weft_status st = weft_print_module(m, 0, &text);
    if (st == WEFT_OK) st = path.failed || text.failed ? weft_oom() : tool_output_write(j->t, path.p, text.p, text.n);
    weft_buf_free(&path);
    weft_buf_free(&text);
    return st;
}

/* One seed; *differs if the program under its shardings is wrong, or does not run. */
static weft_status verify_seed(job *j, weft_verify *v, uint64_t seed, bool *differs) {
    weft_module *m = NULL;
    const weft_draw how = { seed, weft_str_from(j->s->mesh ? j->s->mesh : ""), j->s->devices, WEFT_DRAW_ANY };
    weft_status st = weft_module_draw_shardings(j->m, &how, &m);
    if (st == WEFT_OK) {
        *differs = weft_verify_run(v, m) != WEFT_OK;
        if (*differs) {
            printf("seed %llu: fails on %lld devices\n", (unsigned long long)seed, (long long)weft_module_devices(m));
            fflush(stdout);
            st = save(j, seed, m);
        }
    }
    weft_module_free(m);
    return st;
}

static weft_status verify_all(job *j, weft_verify *v) {
    uint64_t failed = 0;
    weft_status st = WEFT_OK;
    if (!j->s->shardings) {
        st = weft_verify_run(v, j->m);
        if (st == WEFT_OK) printf("equal on %lld devices and on one\n", (long long)weft_module_devices(j->m));
        return st;
    }
    for (uint64_t k = 0; k < j->count && st == WEFT_OK; k++) {
        bool differs = false;
        st = verify_seed(j, v, j->first + k, &differs);
        failed += differs;
    }
    if (st != WEFT_OK) return st;
    printf("%llu random sharding%s: %llu equal, %llu failed\n", (unsigned long long)j->count, j->count == 1 ? "" : "s",
           (unsigned long long)(j->count - failed), (unsigned long long)failed);
    return failed ? WEFT_ERR_MISMATCH : WEFT_OK;
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    job j = { .t = t, .s = settings };
    weft_verify *v = NULL;
    (void)count;
    if (t->launch.processes > 1)
        return tool_usage(t, "all devices are threads of one process here; start it without mpirun");
    weft_status st = tool_compiling_set(t, &j.s->compiling);
    if (st == WEFT_OK) st = prepare(&j, arguments[0]);
    if (st == WEFT_OK) st = weft_verify_open(t->cx, j.m, &j.how, &v);
    if (st == WEFT_OK) st = verify_all(&j, v);
    weft_verify_close(v);
    tool_arrays_close(t->cx, j.inputs, j.arg_count);
    weft_module_free(j.m);
    return tool_exit_of(st);
}

const tool_command tool_cmd_verify = {
    .name = "verify",
    .arguments = "FILE|-",
    .summary = "compare the partitioned program with the same program on one device",
    .description =
        "Runs the program partitioned over its mesh, with threads of this process as devices, and without its shardings on\n"
        "one device, with the same arguments, and compares all results. If one differs, the values from which it is computed\n"
        "are compared too: the message names the first op that differs, its place, the shardings of its operands and\n"
        "result, and the smallest range of indices that contains all differences, with both values of the first few. The exit\n"
        "status is then 1.\n\n"
        "--shardings replaces the program's shardings by random ones, from SEED on: for arguments, results and intermediate\n"
        "values, over several axes or parts of axes, evenly or not, on the mesh of --mesh, one of --devices, the\n"
        "program's own, or a small one. Each seed that fails is listed; the same seed gives the same shardings again, also as\n"
        "`weft opt --weft-prepare --weft-draw-shardings=seed=SEED`.\n\n"
        "Without --inputs the arguments are random, the same for every number of devices: floats normal with mean 0 and\n"
        "deviation 1, or from 0 to 1 if the program takes a root or a logarithm of the argument (second moments), integers 0 to 7.\n"
        "Floats may differ by the order of sums: without --rtol by some 1e-4 of the value for f32, 1e-12 for f64, four units in\n"
        "the last place for narrower types. If the program amplifies rounding, they may differ as much as one device's results\n"
        "do when the arguments, and numbers that are converted to narrower floats, change by some units in the last place.\n"
        "Integers and booleans must be equal. The program's own checks (check.expect_*) count as results. A program written\n"
        "per device has no one-device form:\n"
        "`weft run --compare` compares it with expected results.",
    .examples =
        "weft verify program.mlir                                # its own mesh and shardings, random arguments\n"
        "weft verify program.mlir --inputs data --rtol 1e-3       # real arguments, a wider tolerance\n"
        "weft verify program.mlir --costs program.costs           # as it is compiled with what weft tune kept\n"
        "weft verify program.mlir --shardings 1:100 --save bad    # 100 random shardings; those that fail as programs in bad/\n"
        "weft verify program.mlir --shardings 17 --mesh x=2,y=4   # one of them, on this mesh",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(verify_settings),
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
