/* cmd_ckpt: `weft ckpt ls|verify|convert|reshard`: checkpoints as files (runtime/checkpoint.h): what is in one, whether
 * it is as it was saved, and the same arrays in other files or for another mesh.
 */
#include <errno.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include "pipeline/checkpoint_reshard.h"
#include "runtime/host_array.h"
#include "tool/tool.h"

typedef struct ckpt_settings {
    int64_t file_bytes, files, step;
    bool npy;
    const char *mesh;
    tool_list shard;
} ckpt_settings;

static void set_defaults(void *settings) { ((ckpt_settings *)settings)->file_bytes = (int64_t)4 << 30; }

static const tool_option options[] = {
    { "npy", NULL, TOOL_FLAG, offsetof(ckpt_settings, npy),
      "convert: write a .npy file for each array, in the folder TO" },
    { "file-bytes", "N", TOOL_NUMBER, offsetof(ckpt_settings, file_bytes),
      "convert, reshard: the most that a file of several arrays has (default 4 GiB)" },
    { "files", "N", TOOL_NUMBER, offsetof(ckpt_settings, files),
      "reshard: the arrays in at most so many files, of sizes as even as that allows" },
    { "mesh", "AXIS=SIZE,...", TOOL_TEXT, offsetof(ckpt_settings, mesh), "reshard: the mesh of the new checkpoint" },
    { "shard", "PATTERN=SHARDING", TOOL_LIST, offsetof(ckpt_settings, shard),
      "reshard: the sharding of arrays by name, as in 'blocks/*=data, -'; the last one counts" },
    { "step", "N", TOOL_COUNT, offsetof(ckpt_settings, step),
      "convert, reshard: the step of the new checkpoint, where the old one has none" },
};

enum { WIDEST = 60 }; /* a longer name does not move the others' columns */

/* A name as it is, but for characters that a terminal takes as commands: a file may come from anywhere. */
static void print_name(weft_buf *b, const char *name) {
    for (const char *p = name; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c == '\n') weft_buf_puts(b, "\\n");
        else if (c == '\t') weft_buf_puts(b, "\\t");
        else if (c < ' ' || c == 0x7f) weft_buf_printf(b, "\\x%02x", c);
        else weft_buf_putc(b, *p);
    }
}

static int64_t total_of(const weft_saved *s) {
    int64_t bytes = 0;
    for (size_t i = 0; i < s->array_count; i++) bytes += s->arrays[i].stored->bytes;
    return bytes;
}

/* "run7/step-00001000: step 1000, 12 arrays, 1.5 GiB, sealed" */
static void print_head(weft_buf *b, const weft_saved *s) {
    weft_buf_printf(b, "%s: ", s->folder);
    if (s->step >= 0) weft_buf_printf(b, "step %lld, ", (long long)s->step);
    weft_buf_printf(b, "%zu array%s, ", s->array_count, s->array_count == 1 ? "" : "s");
    weft_buf_bytes(b, (double)total_of(s));
    weft_buf_puts(b, s->is_sealed ? ", sealed\n" : "\n");
}

static tool_exit list(tool *t, const weft_saved *s) {
    weft_buf b, type, name;
    weft_buf_init(&b, &t->cx->alloc);
    weft_buf_init(&type, &t->cx->alloc);
    weft_buf_init(&name, &t->cx->alloc);
    size_t names = 0, types = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass) print_head(&b, s);
        for (size_t i = 0; i < s->array_count; i++) {
            const weft_saved_array *a = &s->arrays[i];
            type.n = name.n = 0;
            weft_stored_print_type(&type, a->stored);
            print_name(&name, a->stored->name);
            if (type.failed || name.failed) break;
            names = name.n > names && name.n <= WIDEST ? name.n : names;
            types = type.n > types ? type.n : types;
            if (!pass) continue;
            weft_buf_printf(&b, "  %-*.*s  %-*.*s  %s", (int)names, (int)name.n, name.n ? name.p : "",
                            (int)types, (int)type.n, type.p,
                            strrchr(a->file->path, '/') ? strrchr(a->file->path, '/') + 1 : a->file->path);
            if (*a->mesh) weft_buf_printf(&b, "  \"%s\" over \"%s\"", a->sharding, a->mesh);
            weft_buf_putc(&b, '\n');
        }
    }
    weft_status st = b.failed || type.failed || name.failed ? weft_oom() : tool_output_write(t, NULL, b.p, b.n);
    weft_buf_free(&b);
    weft_buf_free(&type);
    weft_buf_free(&name);
    return tool_exit_of(st);
}

static tool_exit verify(tool *t, const weft_saved *s) {
    size_t summed = 0;
    weft_buf b;
    weft_status st = weft_saved_verify(s, 0, 1);
    for (size_t i = 0; i < s->piece_count; i++) summed += *s->pieces[i].sha256 != 0;
    if (st == WEFT_OK && !(summed && weft_digest_is_there()))
        st = weft_report(t->cx, WEFT_D_data, NULL, "'%s' has no sums to compare its data with", s->folder);
    weft_buf_init(&b, &t->cx->alloc);
    print_head(&b, s);
    weft_buf_printf(&b, "  all %zu parts are as they were saved\n", summed);
    if (st == WEFT_OK) st = b.failed ? weft_oom() : tool_output_write(t, NULL, b.p, b.n);
    weft_buf_free(&b);
    return tool_exit_of(st);
}

/* ---- converting ---- */

/* One array after another, in memory for the largest. */
typedef struct source {
    const weft_saved *saved;
    char *room; size_t bytes;
} source;

static weft_status read_whole(void *user, size_t i, const void **data) {
    source *in = user;
    const weft_saved_array *a = &in->saved->arrays[i];
    const weft_stored *t = a->stored;
    int64_t zeros[64] = { 0 };
    const weft_box box = { t->rank, weft_dtype_bytes(t->dtype), t->dims, zeros, t->dims, t->dims };
    *data = in->room;
    return weft_saved_read(in->saved, a, &box, in->room);
}

/* 'a/b' and 'a.b' are one file. */
static weft_status check_names(tool *t, const weft_saved *s) {
    for (size_t i = 0; i < s->array_count; i++)
        for (size_t k = 0; k < i; k++) {
            const char *p = s->arrays[i].stored->name, *q = s->arrays[k].stored->name;
            for (; *p && (*p == *q || (strchr("./", *p) && strchr("./", *q) && *q)); p++) q++;
            if (!*p && !*q)
                return weft_report(t->cx, WEFT_D_data, NULL, "arrays '%s' and '%s' would be the same .npy file",
                                   s->arrays[k].stored->name, s->arrays[i].stored->name);
        }
    return WEFT_OK;
}

static weft_status write_npy(tool *t, source *in, const char *to) {
    weft_status st = check_names(t, in->saved);
    weft_buf path;
    if (st != WEFT_OK) return st;
    if (mkdir(to, 0777) && errno != EEXIST)
        return weft_report(t->cx, WEFT_D_file, NULL, "'%s' cannot be made: %s", to, strerror(errno));
    weft_buf_init(&path, &t->cx->alloc);
    for (size_t i = 0; st == WEFT_OK && i < in->saved->array_count; i++) {
        const weft_stored *a = in->saved->arrays[i].stored;
        weft_host_array whole = { .dtype = a->dtype, .rank = a->rank };
        const void *data = NULL;
        for (uint32_t d = 0; d < a->rank; d++) whole.dims[d] = a->dims[d];
        path.n = 0;
        weft_buf_printf(&path, "%s/", to);
        for (const char *p = a->name; *p; p++) weft_buf_putc(&path, *p == '/' ? '.' : *p);
        weft_buf_puts(&path, ".npy");
        st = path.failed ? weft_oom() : read_whole(in, i, &data);
        whole.data = (void *)data;
        if (st == WEFT_OK) st = weft_npy_write(t->cx, path.p, &whole);
    }
    weft_buf_free(&path);
    return st;
}

static weft_status write_checkpoint(tool *t, source *in, const char *to, const ckpt_settings *settings) {
    weft_context *cx = t->cx;
    const weft_saved *s = in->saved;
    const _Atomic int never = 0;
    int64_t *zeros = weft_arena_array(&cx->arena, int64_t, 64);
    weft_save_array *arrays = weft_arena_array(&cx->arena, weft_save_array, s->array_count);
    weft_save_piece *pieces = weft_arena_array(&cx->arena, weft_save_piece, s->array_count);
    weft_save *save = NULL;
    if (!zeros || !arrays || !pieces) return weft_oom();
    for (size_t i = 0; i < s->array_count; i++) {
        const weft_stored *a = s->arrays[i].stored;
        arrays[i] = (weft_save_array){ a->name, s->arrays[i].mesh, s->arrays[i].sharding, a->dtype, a->rank, a->dims };
        pieces[i] = (weft_save_piece){ .array = i, .start = zeros, .count = a->dims, .local = a->dims,
                                       .read = read_whole,
                                       .user = in };
    }
    weft_status st = weft_save_plan(cx, to, s->step >= 0 ? s->step : settings->step, arrays, s->array_count,
                                    settings->file_bytes, &save);
    if (st == WEFT_OK) st = weft_save_create(save);
    if (st == WEFT_OK) {
        st = weft_save_write(save, pieces, s->array_count, 0, 1);
        if (st == WEFT_OK) st = weft_save_commit(save, 1, 0, &never);
        if (st != WEFT_OK) weft_save_abandon(save);
        if (st != WEFT_OK && *weft_save_why(save)) st = weft_report(cx, WEFT_D_file, NULL, "%s", weft_save_why(save));
    }
    weft_save_free(save);
    return st;
}

static tool_exit convert(tool *t, const weft_saved *s, const char *to, const ckpt_settings *settings) {
    weft_allocator *a = &t->cx->alloc;
    source in = { .saved = s, .bytes = 1 };
    for (size_t i = 0; i < s->array_count; i++)
        if ((size_t)s->arrays[i].stored->bytes > in.bytes) in.bytes = (size_t)s->arrays[i].stored->bytes;
    weft_status st = weft_saved_verify(s, 0, 1);
    in.room = st == WEFT_OK ? a->resize(a->user, NULL, 0, in.bytes) : NULL;
    if (st == WEFT_OK && !in.room) st = weft_oom();
    if (st == WEFT_OK) st = settings->npy ? write_npy(t, &in, to) : write_checkpoint(t, &in, to, settings);
    if (in.room) a->resize(a->user, in.room, in.bytes, 0);
    return tool_exit_of(st);
}

static tool_exit reshard(tool *t, const weft_saved *s, const char *to, const ckpt_settings *settings) {
    const weft_reshard_options o = { .mesh = settings->mesh, .shards = settings->shard.v,
                                     .shard_count = settings->shard.n, .files = settings->files,
                                     .file_bytes = settings->file_bytes, .step = settings->step };
    weft_status st = weft_saved_verify(s, 0, 1);
    if (st == WEFT_OK) st = weft_checkpoint_reshard(t->cx, s, to, &o);
    return tool_exit_of(st);
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const char *action = arguments[0];
    const ckpt_settings *o = settings;
    const bool converts = !strcmp(action, "convert"), reshards = !strcmp(action, "reshard");
    weft_saved s;
    if (!converts && !reshards && strcmp(action, "ls") && strcmp(action, "verify"))
        return tool_usage(t, "'%s' is none of ls, verify, convert, reshard", action);
    if (count != (converts || reshards ? 3 : 2))
        return tool_usage(t,
                          converts || reshards ? "%s takes a checkpoint and where its copy goes"
                                               : "%s takes a checkpoint",
                              action);
    if (!reshards && (o->mesh || o->shard.n || o->files))
        return tool_usage(t, "--mesh, --shard and --files are for reshard");
    weft_status st = weft_saved_open(t->cx, arguments[1], &s);
    if (st != WEFT_OK) return tool_exit_of(st);
    const tool_exit how = converts                   ? convert(t, &s, arguments[2], settings)
                          : reshards                 ? reshard(t, &s, arguments[2], settings)
                          : !strcmp(action, "verify") ? verify(t, &s)
                                                      : list(t, &s);
    weft_saved_close(&s);
    return how;
}

const tool_command tool_cmd_ckpt = {
    .name = "ckpt",
    .arguments = "ls|verify|convert|reshard PATH [TO]",
    .summary = "list, verify, convert and reshard checkpoints",
    .description =
        "PATH is a directory of checkpoints (the newest complete one counts), the folder of one, a folder with Hugging Face's index or\n"
        "model.safetensors, or a .safetensors file.\n"
        "\n"
        "ls prints the arrays with their types, files, and the shardings that they had. verify compares all data with the sums that were\n"
        "saved with it. convert writes the same arrays as a checkpoint into the directory TO, or as .npy files. Arrays are whole in\n"
        "checkpoints, so every mesh and number of processes loads the same files.\n"
        "\n"
        "reshard writes a checkpoint anew, into the directory TO, for another mesh or in another number of files: the shardings that it\n"
        "names, by which weft_checkpoint_load places arrays of which the program says nothing, and the parts that have sums, which are\n"
        "those that a device of the mesh holds. An array keeps its sharding if the mesh has its axes, unless --shard gives it another.\n"
        "Parts are copied one at a time, in pieces of at most 64 MiB, so no array is held whole.",
    .examples = "weft ckpt ls run7                                  # the newest checkpoint of run7\n"
                "weft ckpt verify run7/step-00001000                # exit status 1 if a byte has changed\n"
                "weft ckpt convert model.safetensors run8 --step 0  # what weft_checkpoint_load resumes from\n"
                "weft ckpt convert run7 arrays --npy                # arrays/wte.npy ...\n"
                "weft ckpt reshard run7 run9 --mesh data=4,model=2 --files 8   # for another mesh",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(ckpt_settings),
    .defaults = set_defaults,
    .min_arguments = 2,
    .max_arguments = 3,
    .run = run,
};
