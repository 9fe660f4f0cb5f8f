/* Checkpoints of one process: what is saved is loaded, onto any mesh; files are the same for every mesh; damaged ones
 * never give wrong data; mistakes. tests/capi/test_checkpoints.sh has several processes, and kills. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/checkpoint.h>
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static weft_context *cx;
static char dir[64];

static void setup(void) {
    cx = weft_context_new(NULL);
    strcpy(dir, "/tmp/weft-checkpoint-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void empty(const char *path, int itself) {
    DIR *d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char name[600];
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (unlink(name)) empty(name, 1);
    }
    if (d) closedir(d);
    if (itself) rmdir(path);
}

static void teardown(void) {
    weft_context_free(cx);
    empty(dir, 1);
}

/* Whatever it is about, it is at a line of this file. */
static const char *last_message(void) {
    const size_t n = weft_context_diag_count(cx);
    const weft_diag *d = n ? weft_context_diag(cx, n - 1) : NULL;
    if (d) ck_assert_msg(d->file && strstr(d->file, "test_checkpoint.c") && d->line > 0, "%s has no line", d->message);
    return d ? d->message : "";
}

#define OK(call) ck_assert_msg((call) == WEFT_OK, "%s: %s", #call, last_message())

static weft_client *open_client(weft_context *of, int64_t devices) {
    const weft_client_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o, .devices = devices };
    weft_client *c = NULL;
    ck_assert_int_eq(weft_client_open(of, &o, &c), WEFT_OK);
    return c;
}

/* The arrays of a state of a step, whose elements depend on it. */
static const struct { const char *name, *type; size_t elem, elems; } arrays[] = {
    { "w", "5x6xf32", 4, 30 }, { "b", "7xbf16", 2, 7 }, { "step", "i64", 8, 1 }, { "none", "0x3xf64", 8, 0 },
    { "on", "6xi1", 1, 6 },
    { "blocks/0/w", "2x4x4xf32", 4, 32 },
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static void values(int a, int step, unsigned char out[256]) {
    for (size_t i = 0; i < arrays[a].elem * arrays[a].elems; i++)
        out[i] = arrays[a].elem == 1 ? (unsigned char)((i + (size_t)step) & 1)
                                     : (unsigned char)(i * 7 + (size_t)(step * 31 + a));
}

/* Shardings of w, b and blocks/0/w; the others are whole on each device. */
typedef struct mesh { int64_t devices; const char *mesh, *sharding[ARRAYS]; } mesh;
static const mesh meshes[] = {
    { 1, NULL, { 0 } }, { 2, "a=2", { "a, -", "a", "", "-, -", "-", "-, a, -" } },
    { 2, "a=2", { "-, a", "-", "", "-, -", "-", "a, -, -" } },
    { 4, "a=2, b=2", { "a, b", "b*a", "", "-, -", "-", "-, a, b" } },
    { 4, "a=4", { "-, a", "a", "", "-, a", "a", "-, -, a" } },
    { 4, "a=2, b=2", { "-, b", "-", "", "-, -", "b", "-, -, -" } },
};
enum { MESHES = sizeof meshes / sizeof *meshes };

static weft_state *make_state(weft_client *c, const mesh *m, int step) {
    weft_state *s;
    unsigned char data[256];
    OK(weft_state_new(c, &s));
    for (int i = 0; i < ARRAYS; i++) {
        weft_array *a;
        values(i, step, data);
        OK(weft_array_from(c, arrays[i].type, m->mesh, m->sharding[i], data, arrays[i].elem * arrays[i].elems, &a));
        OK(weft_state_set(s, arrays[i].name, a));
        weft_array_release(a);
    }
    return s;
}

static int is_of_step(weft_state *s, int step) {
    unsigned char want[256], got[256];
    for (int i = 0; i < ARRAYS; i++) {
        values(i, step, want);
        memset(got, 0xee, sizeof got);
        if (!weft_state_has(s, arrays[i].name)) return 0;
        OK(weft_array_read(weft_state_get(s, arrays[i].name), got, arrays[i].elem * arrays[i].elems));
        if (memcmp(got, want, arrays[i].elem * arrays[i].elems)) return 0;
    }
    return 1;
}

static const weft_checkpoint_options blocking = { .size = sizeof blocking, .blocking = 1 };
static const weft_checkpoint_options small = { .size = sizeof small, .blocking = 1, .file_bytes = 64 };

static void save(const mesh *m, int step, const weft_checkpoint_options *o) {
    weft_client *c = open_client(cx, m->devices);
    weft_state *s = make_state(c, m, step);
    OK(weft_checkpoint_save(c, dir, s, step, o));
    weft_state_free(s);
    weft_client_close(c);
}

static size_t read_bytes(const char *path, unsigned char *to, size_t room) {
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(to, 1, room, f) : 0;
    if (f) fclose(f);
    return n;
}

START_TEST(test_from_any_mesh_to_any) {
    const mesh *from = &meshes[_i];
    unsigned char first[8192], other[8192];
    char path[256];
    save(&meshes[0], 3, &small);
    snprintf(path, sizeof path, "%s/step-00000003/model-00002-of-00003.safetensors", dir);
    const size_t n = read_bytes(path, first, sizeof first);
    ck_assert_uint_gt(n, 0);
    empty(dir, 0);
    ck_assert_int_eq(weft_checkpoint_is_there(dir), 0);
    save(from, 3, &small);
    ck_assert_int_eq(weft_checkpoint_is_there(dir), 1);
    ck_assert_uint_eq(read_bytes(path, other, sizeof other), n); /* files do not depend on the mesh */
    ck_assert_int_eq(memcmp(first, other, n), 0);
    for (int to = 0; to < MESHES; to++) {
        weft_client *c = open_client(cx, meshes[to].devices);
        weft_state *s, *templates = make_state(c, &meshes[to], 99);
        int64_t step = 0;
        OK(weft_state_new(c, &s));
        OK(weft_checkpoint_load(c, dir, s, NULL, &step)); /* all, as it was saved where that fits */
        ck_assert_int_eq(step, 3);
        ck_assert_uint_eq(weft_state_count(s), ARRAYS);
        ck_assert(is_of_step(s, 3));
        if (to == _i && from->mesh) ck_assert_str_eq(weft_array_sharding(weft_state_get(s, "w")), from->sharding[0]);
        OK(weft_checkpoint_load(c, dir, templates, NULL, NULL)); /* as the state's arrays are */
        ck_assert(is_of_step(templates, 3));
        if (meshes[to].mesh)
            ck_assert_str_eq(weft_array_sharding(weft_state_get(templates, "w")), meshes[to].sharding[0]);
        weft_state_free(s);
        weft_state_free(templates);
        weft_client_close(c);
    }
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

/* w doubles. */
static weft_program *doubling(weft_client *c) {
    weft_graph *g = weft_graph_new(cx, "doubling");
    weft_program *p;
    weft_tensor *w = weft_graph_input(g, "w", "5x6xf32"), *x = weft_graph_input(g, "x", "f32");
    weft_shard(g, w, weft_graph_mesh(g, "a=2"), "-, a");
    weft_graph_update(g, w, weft_graph_add(g, w, w));
    weft_graph_output(g, "y", x);
    OK(weft_program_load(c, g, NULL, &p));
    weft_graph_free(g);
    return p;
}

START_TEST(test_saving_while_the_state_changes) {
    weft_client *c = open_client(cx, 2);
    weft_program *p = doubling(c);
    weft_state *s, *loaded;
    float w[30], got[30];
    int64_t step;
    for (int i = 0; i < 30; i++) w[i] = (float)(i + 1);
    OK(weft_state_new(c, &s));
    OK(weft_program_put_zeros(p, s));
    OK(weft_program_put(p, s, "w", w, sizeof w));
    const weft_restore_options of_program = { .program = p };
    weft_checkpoint_options o = { .arrays = "w", .keep = 2, .size = sizeof o };
    for (int k = 0; k < 5; k++) {
        OK(weft_checkpoint_save(c, dir, s, k, &o)); /* waits for the one before */
        OK(weft_program_run(p, s));
        OK(weft_program_run(p, s));
    }
    OK(weft_checkpoint_wait(c));
    OK(weft_checkpoint_wait(c));
    OK(weft_state_new(c, &loaded));
    for (int k = 0; k < 5; k++) {
        char path[128];
        snprintf(path, sizeof path, "%s/step-%08d", dir, k);
        ck_assert_int_eq(weft_checkpoint_is_there(path), k >= 3);
        if (k < 3) continue;
        OK(weft_checkpoint_load(c, path, loaded, &of_program, &step));
        ck_assert_int_eq(step, k);
        ck_assert_uint_eq(weft_state_count(loaded), 1); /* x is not saved, and need not be there */
        ck_assert_str_eq(weft_array_sharding(weft_state_get(loaded, "w")), "-, a");
        OK(weft_array_read(weft_state_get(loaded, "w"), got, sizeof got));
        for (int i = 0; i < 30; i++) ck_assert_float_eq(got[i], w[i] * (float)(1 << 2 * k));
    }
    OK(weft_checkpoint_save(c, dir, s, 4, &o)); /* once more: that of the step stays */
    weft_program_close(p);
    weft_state_free(s);
    OK(weft_checkpoint_wait(c));
    OK(weft_checkpoint_load(c, dir, loaded, NULL, &step));
    OK(weft_array_read(weft_state_get(loaded, "w"), got, sizeof got));
    ck_assert_float_eq(got[0], 1 << 10);
    ck_assert_int_eq(step, 4);
    weft_state_free(loaded);
    weft_client_close(c);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

/* ---- damage ---- */

static const char *const files[] = { "latest", "step-00000002/model-00001-of-00001.safetensors",
                                     "step-00000002/model.safetensors.index.json",
                                     "step-00000002/sums-00000-of-00001.json", "step-00000002/seal.json" };

static void write_bytes(const char *path, const unsigned char *p, size_t n) {
    FILE *f = fopen(path, "wb");
    ck_assert(f && fwrite(p, 1, n, f) == n && !fclose(f));
}

/* Loads into a state of another step: either all of step 2, or one error and the state as it was. Returns whether it
 * was refused. */
static int load_or_refuse(weft_client *c, weft_state *s, const char *what, size_t at) {
    const size_t before = weft_context_diag_count(cx);
    int64_t step = -7;
    const weft_status st = weft_checkpoint_load(c, dir, s, NULL, &step);
    const size_t said = weft_context_diag_count(cx) - before;
    if (st == WEFT_OK) {
        ASSERT_EACH(said == 0 && step == 2 && is_of_step(s, 2), "%s, byte %zu: other data was loaded", what, at);
        weft_state *fresh = make_state(c, &meshes[1], 9);
        for (int i = 0; i < ARRAYS; i++) OK(weft_state_set(s, arrays[i].name, weft_state_get(fresh, arrays[i].name)));
        weft_state_free(fresh);
        return 0;
    }
    ASSERT_EACH(said == 1, "%s, byte %zu: %zu diagnostics: %s", what, at, said, last_message());
    ASSERT_EACH(step == -7 && is_of_step(s, 9), "%s, byte %zu: the state has changed", what, at);
    return 1;
}

START_TEST(test_damage) {
    unsigned char was[8192], is[8192];
    char path[256];
    save(&meshes[1], 2, &blocking);
    weft_client *c = open_client(cx, 2);
    weft_state *s = make_state(c, &meshes[1], 9);
    snprintf(path, sizeof path, "%s/%s", dir, files[_i]);
    const size_t n = read_bytes(path, was, sizeof was);
    ck_assert_uint_gt(n, 0);
    ck_assert_uint_lt(n, sizeof was);
    size_t refused = 0;
    for (size_t at = 0; at < n; at++) { /* each byte, one bit or all of it */
        memcpy(is, was, n);
        is[at] ^= at % 3 ? (unsigned char)(1u << at % 8) : 0xff;
        write_bytes(path, is, n);
        refused += (size_t)load_or_refuse(c, s, files[_i], at);
    }
    /* without latest the complete checkpoints are looked through; blanks of the seal, and hashes' names, say nothing */
    if (_i == 0) ck_assert_uint_eq(refused, 0);
    else if (_i < 4) ck_assert_uint_eq(refused, n);
    else ck_assert_uint_gt(refused, n / 2);
    for (size_t length = 0; length < n; length += 1 + n / 50) {
        write_bytes(path, was, length);
        const int no = load_or_refuse(c, s, files[_i], length);
        ASSERT_EACH(_i == 0 || no, "%s of %zu bytes is loaded", files[_i], length);
    }
    unlink(path);
    ck_assert_int_eq(load_or_refuse(c, s, files[_i], n), _i != 0);
    write_bytes(path, was, n);
    ck_assert_int_eq(load_or_refuse(c, s, files[_i], n), 0);
    weft_state_free(s);
    weft_client_close(c);
}
END_TEST

/* What is changed in the index is sealed anew, as another program could. */
/* Without latest: the highest step, and of its checkpoints the last one, in whatever order the folder lists them. */
START_TEST(test_lost_latest) {
    static const char *const kept[] = { "step-00000002", "step-00000002.1", "step-00000001" };
    char latest[128], from[128], to[128];
    weft_client *c = open_client(cx, 2);
    weft_state *first = make_state(c, &meshes[1], 2), *last = make_state(c, &meshes[1], 5),
               *loaded = make_state(c, &meshes[1], 9);
    int64_t step;
    OK(weft_checkpoint_save(c, dir, first, 1, &blocking));
    OK(weft_checkpoint_save(c, dir, first, 2, &blocking));
    OK(weft_checkpoint_save(c, dir, last, 2, &blocking));
    snprintf(latest, sizeof latest, "%s/latest", dir);
    ck_assert_int_eq(unlink(latest), 0);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) { /* a folder that comes back is listed elsewhere */
        snprintf(from, sizeof from, "%s/%s", dir, kept[i]);
        snprintf(to, sizeof to, "%s/away", dir);
        ck_assert(!rename(from, to) && !rename(to, from));
        OK(weft_checkpoint_load(c, dir, loaded, NULL, &step));
        ck_assert_int_eq(step, 2);
        ck_assert_msg(is_of_step(loaded, 5), "after %s", kept[i]);
    }
    weft_state_free(first);
    weft_state_free(last);
    weft_state_free(loaded);
    weft_client_close(c);
}
END_TEST

START_TEST(test_others_folders) {
    char path[256];
    unsigned char file[8192];
    weft_client *c = open_client(cx, 2);
    weft_state *s;
    int64_t step = 0;
    save(&meshes[1], 2, &blocking);
    snprintf(path, sizeof path, "%s/step-00000002/model-00001-of-00001.safetensors", dir);
    const size_t n = read_bytes(path, file, sizeof file);
    OK(weft_state_new(c, &s));
    OK(weft_checkpoint_load(c, path, s, NULL, &step)); /* a file alone */
    ck_assert_int_eq(step, -1);
    ck_assert(is_of_step(s, 2));
    empty(dir, 0);
    snprintf(path, sizeof path, "%s/model.safetensors", dir); /* a folder of Hugging Face's, with one file */
    write_bytes(path, file, n);
    OK(weft_checkpoint_load(c, dir, s, NULL, &step));
    ck_assert_int_eq(step, -1);
    snprintf(path, sizeof path, "%s/part.safetensors", dir);
    write_bytes(path, file, n);
    snprintf(path, sizeof path, "%s/model.safetensors.index.json", dir); /* with an index */
    static const struct { const char *text, *said; } indexes[] = {
        { "{\"metadata\": {\"total_size\": 1}, \"weight_map\": {\"w\": \"part.safetensors\"}}", NULL },
        { "{\"weight_map\": {\"w\": \"../part.safetensors\"}}", "has a weight_map with more than names of files" },
        { "{\"weight_map\": {\"w\": 3}}", "has a weight_map with more than names of files" },
        { "{\"weight_map\": 3}", "has no weight_map" },
        { "{}", "has no weight_map" },
        { "{\"weight_map\": {\"v\": \"part.safetensors\"}}", "has no tensor 'v', which the index says is there" },
        { "{\"metadata\": {\"weft\": {\"version\": 2, \"step\": 1}}, \"weight_map\": {}}",
          "is a checkpoint of version 2, this Weft reads version 1" },
        { "{\"metadata\": {\"weft\": {}}, \"weight_map\": {}}", "has no version or no step" },
        { "{\"metadata\": {\"weft\": {\"version\": 1, \"step\": 1}}, \"weight_map\": {}}",
          "is not complete: it has no seal.json" },
        { "{", "is not JSON: line 1: " },
        { "{\"weight_map\": {}}", "has no array to load" },
    };
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        weft_state *fresh;
        const size_t before = weft_context_diag_count(cx);
        OK(weft_state_new(c, &fresh));
        write_bytes(path, (const unsigned char *)indexes[i].text, strlen(indexes[i].text));
        const weft_status st = weft_checkpoint_load(c, dir, fresh, NULL, &step);
        ck_assert_msg((st == WEFT_OK) == !indexes[i].said, "%s: %s", indexes[i].text, last_message());
        ck_assert_uint_eq(weft_context_diag_count(cx), before + (indexes[i].said != NULL));
        if (indexes[i].said) ck_assert_msg(strstr(last_message(), indexes[i].said) != NULL, "%s", last_message());
        else ck_assert_uint_eq(weft_state_count(fresh), 1);
        weft_state_free(fresh);
    }
    weft_state_free(s);
    weft_client_close(c);
}
END_TEST

#define INDEX_1 "{\"metadata\": {\"weft\": {\"version\": 1, \"step\": 1}}, \"weight_map\": {\"w\": " \
                "\"part.safetensors\"}}"
#define SEAL    "{\"sha256\": {\"model.safetensors.index.json\": \"\", \"sums\": \"\"}, \"headers\": " \
                "{\"part.safetensors\": \"\"}}"
#define W(start, count) "{\"array\": \"w\", \"start\": " start ", \"count\": " count "}"

/* As a Weft without libcrypto seals: without sums. */
static const struct { const char *seal, *sums, *said; } seals[] = {
    { SEAL, W("[0, 0]", "[5, 6]"), NULL },
    { SEAL, W("[0, 0]", "[2, 6]") "," W("[2, 0]", "[3, 6]"), NULL },
    { SEAL, W("[0, 0]", "[5, 5]"), "has not all of array 'w': 100 of 120 bytes" },
    { SEAL, "", "has not all of array 'w': 0 of 120 bytes" },
    { SEAL, W("[0, 0]", "[3, 6]") "," W("[2, 0]", "[2, 6]"), "has array 'w' twice in part" },
    { SEAL, W("[1, 0]", "[5, 6]"), "has a part that is outside of its array" },
    { SEAL, W("[0]", "[5]"), "has a part that is outside of its array" },
    { SEAL, W("[0, -1]", "[5, 6]"), "has a part that is outside of its array" },
    { SEAL, "{\"array\": \"v\"}", "has a part of an array that is not there" },
    { "{}", "", "does not seal the index" },
    { "{\"sha256\": {\"model.safetensors.index.json\": \"\", \"../sums\": \"\"}}", "", "names a file elsewhere" },
    { "{\"sha256\": {\"model.safetensors.index.json\": \"\", \"sums\": \"\"}, \"headers\": {}}", "",
      "is not in the seal" },
    { "{\"sha256\": {\"model.safetensors.index.json\": \"12\", \"sums\": \"\"}}", "",
      "is damaged: its SHA-256 is not the sealed one" },
};

START_TEST(test_seals) {
    char path[256], text[1024];
    unsigned char file[8192];
    weft_client *c = open_client(cx, 2);
    weft_state *s;
    int64_t step = 0;
    save(&meshes[1], 2, &blocking);
    snprintf(path, sizeof path, "%s/step-00000002/model-00001-of-00001.safetensors", dir);
    const size_t n = read_bytes(path, file, sizeof file);
    empty(dir, 0);
    snprintf(path, sizeof path, "%s/part.safetensors", dir);
    write_bytes(path, file, n);
    const struct { const char *name, *text; } parts[] = {
        { "model.safetensors.index.json", INDEX_1 }, { "seal.json", seals[_i].seal }, { "sums", text },
    };
    snprintf(text, sizeof text, "{\"pieces\": [%s]}", seals[_i].sums);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, parts[i].name);
        write_bytes(path, (const unsigned char *)parts[i].text, strlen(parts[i].text));
    }
    OK(weft_state_new(c, &s));
    const weft_status st = weft_checkpoint_load(c, dir, s, NULL, &step);
    ck_assert_msg((st == WEFT_OK) == !seals[_i].said, "%s", last_message());
    ck_assert_uint_eq(weft_context_diag_count(cx), seals[_i].said != NULL);
    if (seals[_i].said) ck_assert_msg(strstr(last_message(), seals[_i].said) != NULL, "%s", last_message());
    else ck_assert_int_eq(step, 1);
    weft_state_free(s);
    weft_client_close(c);
}
END_TEST

static const char *renamed(void *user, const char *name) {
    (void)user;
    return !strcmp(name, "model/w") ? "w" : !strcmp(name, "skipped") ? NULL : "nowhere";
}

START_TEST(test_names) {
    weft_client *c = open_client(cx, 2);
    weft_state *s;
    weft_array *a;
    float got[30];
    save(&meshes[1], 2, &blocking);
    OK(weft_state_new(c, &s));
    OK(weft_array_of_zeros(c, "5x6xf32", "a=2", "a, -", &a));
    OK(weft_state_set(s, "model/w", a));
    OK(weft_state_set(s, "skipped", a));
    weft_array_release(a);
    weft_restore_options o = { .size = sizeof o, .map = renamed };
    OK(weft_checkpoint_load(c, dir, s, &o, NULL));
    unsigned char want[256];
    values(0, 2, want);
    OK(weft_array_read(weft_state_get(s, "model/w"), got, sizeof got));
    ck_assert_int_eq(memcmp(got, want, sizeof got), 0);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    weft_state_free(s);
    OK(weft_state_new(c, &s));
    o = (weft_restore_options){ .arrays = "blocks/*", .size = sizeof o, .unchecked = 1 };
    OK(weft_checkpoint_load(c, dir, s, &o, NULL));
    ck_assert_uint_eq(weft_state_count(s), 1);
    ck_assert_str_eq(weft_state_name(s, 0), "blocks/0/w");
    weft_state_free(s);
    weft_client_close(c);
}
END_TEST

/* ---- mistakes ---- */

static weft_client *client;

static weft_status put(weft_state *s, const char *name, const char *type) {
    weft_array *a;
    weft_status st = weft_array_of_zeros(client, type, NULL, NULL, &a);
    if (st == WEFT_OK) st = weft_state_set(s, name, a);
    weft_array_release(a);
    return st;
}

static const weft_restore_options mapped = { .size = sizeof mapped, .map = renamed };
static const weft_checkpoint_options only_b = { .arrays = "b*" };

/* Name, what is said, the call. */
#define MISTAKES(M) \
    M(no_directory, "a checkpoint needs a directory", weft_checkpoint_save(client, "", s, 1, NULL)) \
    M(negative_step, "the step, keep and file_bytes of a checkpoint are not negative", \
      weft_checkpoint_save(client, dir, s, -1, NULL)) \
    M(no_arrays, "the state has no arrays to save", weft_checkpoint_save(client, dir, s, 1, NULL)) \
    M(no_match, "no array of the state has a name of the pattern 'b*'", \
      (put(s, "a", "f32"), weft_checkpoint_save(client, dir, s, 1, &only_b))) \
    M(another_client, "the state is of another client than the checkpoint", \
      weft_checkpoint_save(client, dir, others, 1, NULL)) \
    M(no_type, "'z' is of type complex<f64>, which safetensors files cannot hold", \
      (put(s, "z", "complex<f64>"), weft_checkpoint_save(client, dir, s, 1, NULL))) \
    M(not_made, "' cannot be made: No such file or directory", \
      (put(s, "a", "f32"), weft_checkpoint_save(client, "/nowhere/at/all", s, 1, NULL))) \
    M(no_checkpoint, "there is no checkpoint in '/nowhere'", weft_checkpoint_load(client, "/nowhere", s, NULL, NULL)) \
    M(load_nowhere, "a checkpoint needs a directory", weft_checkpoint_load(client, NULL, s, NULL, NULL)) \
    M(load_elsewhere, "the state is of another client than the checkpoint", \
      weft_checkpoint_load(client, dir, others, NULL, NULL)) \
    M(shape, "array 'w' is 6x5xf32, and in '", \
      (put(s, "w", "6x5xf32"), weft_checkpoint_load(client, dir, s, NULL, NULL))) \
    M(dtype, "array 'w' is 5x6xi32, and in '", \
      (put(s, "w", "5x6xi32"), weft_checkpoint_load(client, dir, s, NULL, NULL))) \
    M(missing, "' has no array 'stepp'; did you mean 'step'?", \
      (put(s, "stepp", "i64"), weft_checkpoint_load(client, dir, s, NULL, NULL))) \
    M(map_of_nothing, "a map of names needs a program, or a state that has arrays", \
      weft_checkpoint_load(client, dir, s, &mapped, NULL))

#define FUNCTION(name, want, call) \
    static weft_status make_##name(weft_state *s, weft_state *others) { (void)s, (void)others; return call; }
MISTAKES(FUNCTION)
#define ROW(name, want, call) { make_##name, want },
static const struct { weft_status (*make)(weft_state *,
                                          weft_state *); const char *want; } mistakes[] = { MISTAKES(ROW) };

START_TEST(test_mistakes) {
    weft_client *another = open_client(cx, 1);
    weft_state *s, *others;
    save(&meshes[0], 2, &blocking);
    client = open_client(cx, 2);
    OK(weft_state_new(client, &s));
    OK(weft_state_new(another, &others));
    ck_assert_int_ne(mistakes[_i].make(s, others), WEFT_OK);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_msg(strstr(last_message(), mistakes[_i].want) != NULL, "'%s', not '%s'", last_message(),
                  mistakes[_i].want);
    OK(weft_checkpoint_wait(client));
    weft_state_free(s);
    OK(weft_state_new(client, &s)); /* the client goes on */
    OK(weft_checkpoint_load(client, dir, s, NULL, NULL));
    weft_state_free(s);
    weft_state_free(others);
    weft_client_close(client);
    weft_client_close(another);
}
END_TEST

/* What a crash has left is removed by the next save, of whatever step it is, and nothing else is. */
START_TEST(test_rests) {
    static const struct { const char *name; int stays; } folders[] = {
        { "saving-step-00000007", 0 }, { "removing-step-00000001", 0 }, { "saving-step-00000002", 0 },
        { "saving-notes", 1 }, { "removed", 1 } };
    char path[128];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, folders[i].name);
        ck_assert_int_eq(mkdir(path, 0777), 0);
        snprintf(path, sizeof path, "%s/%s/part", dir, folders[i].name);
        FILE *f = fopen(path, "w");
        ck_assert(f && !fclose(f));
    }
    save(&meshes[0], 2, &blocking);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, folders[i].name);
        ck_assert_msg((access(path, F_OK) == 0) == folders[i].stays, "%s", folders[i].name);
    }
}
END_TEST

/* A directory in which another job saves, whose lock is held here, has what that job writes. */
START_TEST(test_another_job) {
    weft_client *c = open_client(cx, 2);
    weft_state *s = make_state(c, &meshes[1], 5);
    char path[128];
    snprintf(path, sizeof path, "%s/saving-step-00000005", dir);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    const int other = open(dir, O_RDONLY | O_DIRECTORY);
    ck_assert(other >= 0 && !flock(other, LOCK_EX));
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(weft_checkpoint_save(c, dir, s, 5, i ? &blocking : NULL), WEFT_ERR_IO);
        ck_assert_ptr_nonnull(strstr(last_message(), "another job is saving a checkpoint in '"));
        ck_assert_int_eq(access(path, F_OK), 0);
    }
    ck_assert_int_eq(close(other), 0);
    for (int i = 0; i < 3; i++) OK(weft_checkpoint_save(c, dir, s, 5 + i, NULL));
    OK(weft_checkpoint_wait(c));
    OK(weft_checkpoint_load(c, dir, s, NULL, NULL));
    ck_assert(is_of_step(s, 5));
    weft_state_free(s);
    weft_client_close(c);
}
END_TEST

START_TEST(test_weights_of_torch) {
    char path[128];
    weft_client *c = open_client(cx, 1);
    weft_state *s = make_state(c, &meshes[0], 1);
    snprintf(path, sizeof path, "%s/pytorch_model.bin", dir);
    FILE *f = fopen(path, "w");
    ck_assert(f && fputs("PK", f) >= 0 && !fclose(f));
    ck_assert_int_eq(weft_checkpoint_load(c, dir, s, NULL, NULL), WEFT_ERR_IO);
    ck_assert_ptr_nonnull(strstr(last_message(), ": its pytorch_model.bin is to be saved as safetensors"));
    weft_state_free(s);
    weft_client_close(c);
}
END_TEST

START_TEST(test_nothing) {
    ck_assert_int_eq(weft_checkpoint_save(NULL, dir, NULL, 1, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_checkpoint_load(NULL, dir, NULL, NULL, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_checkpoint_wait(NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_checkpoint_is_there(NULL), 0);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

static weft_status save_and_load(weft_context *own, void *user) {
    const weft_client_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o, .devices = 2 };
    weft_client *c = NULL;
    weft_state *s = NULL;
    weft_array *a = NULL;
    (void)user;
    weft_status st = weft_client_open(own, &o, &c);
    if (st == WEFT_OK) st = weft_state_new(c, &s);
    if (st == WEFT_OK) st = weft_array_of_zeros(c, "4xf32", "a=2", "a", &a);
    if (st == WEFT_OK) st = weft_state_set(s, "a", a);
    if (st == WEFT_OK) st = weft_checkpoint_save(c, dir, s, 1, &blocking);
    if (st == WEFT_OK) st = weft_checkpoint_load(c, dir, s, NULL, NULL);
    weft_array_release(a);
    weft_state_free(s);
    weft_client_close(c);
    return st;
}

START_TEST(test_memory_failures) { weft_test_each_failure(save_and_load, NULL); }
END_TEST

int main(void) {
    Suite *s = suite_create("capi/checkpoint");
    TCase *tc = tcase_create("checkpoint");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 240);
    tcase_add_loop_test(tc, test_from_any_mesh_to_any, 0, MESHES);
    tcase_add_test(tc, test_saving_while_the_state_changes);
    tcase_add_loop_test(tc, test_damage, 0, (int)(sizeof files / sizeof *files));
    tcase_add_test(tc, test_lost_latest);
    tcase_add_test(tc, test_others_folders);
    tcase_add_loop_test(tc, test_seals, 0, (int)(sizeof seals / sizeof *seals));
    tcase_add_test(tc, test_names);
    tcase_add_loop_test(tc, test_mistakes, 0, (int)(sizeof mistakes / sizeof *mistakes));
    tcase_add_test(tc, test_rests);
    tcase_add_test(tc, test_another_job);
    tcase_add_test(tc, test_weights_of_torch);
    tcase_add_test(tc, test_nothing);
    tcase_add_test(tc, test_memory_failures);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
