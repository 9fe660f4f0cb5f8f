/* Arrays on the devices of one process: what goes in comes out, however it is sharded, filled, moved and read; their
 * texts; and mistakes. tests/capi/test_arrays.sh does the same on several processes. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>
#include <weft/array.h>
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static weft_context *cx;
static weft_client *client;

static void setup(void) {
    const weft_client_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o, .devices = 4 };
    cx = weft_context_new(NULL);
    ck_assert_int_eq(weft_client_open(cx, &o, &client), WEFT_OK);
}

static void teardown(void) {
    weft_client_close(client);
    weft_context_free(cx);
}

static const char *last_message(void) {
    size_t n = weft_context_diag_count(cx);
    return n ? weft_context_diag(cx, n - 1)->message : "";
}

#define OK(call) ck_assert_msg((call) == WEFT_OK, "%s: %s", #call, last_message())

/* Of 5x6 elements: even and uneven parts, empty ones, replicas, sub-axes, and no mesh. */
static const struct { const char *mesh, *sharding; } layouts[] = {
    { NULL, NULL }, { "", "" }, { "a=4", "-, -" }, { "a=4", "a, -" }, { "a=4", "-, a" }, { "a=2, b=2", "a, b" },
    { "a=2, b=2", "b, a" }, { "a=2, b=2", "a, -" }, { "a=2, b=2", "-, b" }, { "a=2, b=2", "b*a, -" },
    { "a=2, b=2", "-, a*b" }, { "a=4", "a:(1)2, a:(2)2" }, { "a=4", "-, a:(2)2" }, { "b=1, a=4", "a, b" },
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts, ROWS = 5, COLUMNS = 6, ELEMS = ROWS * COLUMNS };

static void expect_ramp(weft_array *a) {
    float got[ELEMS] = { 0 };
    OK(weft_array_read(a, got, sizeof got));
    for (int i = 0; i < ELEMS; i++) ASSERT_EACH(got[i] == (float)(i + 1), "element %d is %g", i, got[i]);
    memset(got, 0, sizeof got);
    OK(weft_array_read_all(a, got, sizeof got));
    for (int i = 0; i < ELEMS; i++) ASSERT_EACH(got[i] == (float)(i + 1), "element %d is %g", i, got[i]);
}

static weft_status fill(void *user, const weft_part *p) {
    ++*(int *)user;
    ck_assert_uint_eq(p->rank, 2);
    for (int64_t i = 0; i < p->count[0]; i++)
        for (int64_t k = 0; k < p->count[1]; k++) {
            float *at = (float *)p->data + i * p->stride[0] + k * p->stride[1];
            ASSERT_EACH(*at == 0, "what is filled is %g before", *at);
            *at = (float)((p->start[0] + i) * COLUMNS + p->start[1] + k + 1);
        }
    return WEFT_OK;
}

START_TEST(test_what_goes_in_comes_out) {
    float ramp[ELEMS];
    weft_array *a, *b, *moved;
    int parts = 0;
    for (int i = 0; i < ELEMS; i++) ramp[i] = (float)(i + 1);
    OK(weft_array_from(client, "5x6xf32", layouts[_i].mesh, layouts[_i].sharding, ramp, sizeof ramp, &a));
    OK(weft_array_make(client, "5x6xf32", layouts[_i].mesh, layouts[_i].sharding, fill, &parts, &b));
    expect_ramp(a);
    expect_ramp(b);
    int distinct = 0; /* a part that several devices hold is filled once */
    for (int d = 0; d < 4; d++) {
        weft_part mine, other;
        int first = 1;
        OK(weft_array_part(b, d, &mine));
        for (int e = 0; e < d; e++) {
            OK(weft_array_part(b, e, &other));
            if (!memcmp(mine.start, other.start, sizeof mine.start)) first = 0;
        }
        distinct += first;
        for (int64_t i = 0; i < mine.count[0]; i++)
            for (int64_t k = 0; k < mine.count[1]; k++)
                ck_assert_float_eq(((float *)mine.data)[i * mine.stride[0] + k * mine.stride[1]],
                                   ramp[(mine.start[0] + i) * COLUMNS + mine.start[1] + k]);
    }
    ck_assert_int_eq(parts, distinct);
    weft_array_release(b);
    for (int to = 0; to < LAYOUTS; to++) {
        OK(weft_array_move(a, layouts[to].mesh, layouts[to].sharding, &moved));
        expect_ramp(moved);
        weft_array_release(moved);
    }
    weft_array_release(a);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

static void write_npy(const char *path, const char *dict, const void *p, size_t n) {
    char head[128];
    FILE *f = fopen(path, "wb");
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\1\0\x76\0", 10);
    memcpy(head + 10, dict, strlen(dict));
    head[127] = '\n';
    ck_assert(f && fwrite(head, 1, sizeof head, f) == sizeof head && fwrite(p, 1, n, f) == n && !fclose(f));
}

#define NPY(descr, order, shape) "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

/* A process may have closed its standard input: the file gets descriptor 0, and is closed, too. */
START_TEST(test_from_npy_without_input) {
    char path[64];
    float ramp[ELEMS] = { 0 };
    weft_array *a;
    snprintf(path, sizeof path, "/tmp/weft-array-%d.npy", (int)getpid());
    write_npy(path, NPY("<f4", "False", "(5, 6)"), ramp, sizeof ramp);
    const int input = dup(0);
    ck_assert(input > 0 && !close(0));
    OK(weft_array_from_npy(client, path, NULL, NULL, &a));
    ck_assert(fcntl(0, F_GETFD) < 0 && errno == EBADF);
    ck_assert(dup2(input, 0) == 0 && !close(input));
    weft_array_release(a);
    unlink(path);
}
END_TEST

START_TEST(test_from_npy) {
    char path[64];
    float ramp[ELEMS];
    weft_array *a;
    snprintf(path, sizeof path, "/tmp/weft-array-%d.npy", (int)getpid());
    for (int i = 0; i < ELEMS; i++) ramp[i] = (float)(i + 1);
    write_npy(path, NPY("<f4", "False", "(5, 6)"), ramp, sizeof ramp);
    for (int i = 0; i < LAYOUTS; i++) {
        OK(weft_array_from_npy(client, path, layouts[i].mesh, layouts[i].sharding, &a));
        ck_assert_str_eq(weft_array_type(a), "5x6xf32");
        expect_ramp(a);
        weft_array_release(a);
    }
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    for (int turned = 1; turned < 4; turned++) { /* by columns, big-endian, and both */
        unsigned char bytes[sizeof ramp];
        for (int i = 0; i < ELEMS; i++) {
            const float x = ramp[turned & 1 ? i % 5 * 6 + i / 5 : i];
            memcpy(bytes + 4 * i, &x, 4);
            for (int k = 0; turned & 2 && k < 2; k++) {
                const unsigned char b = bytes[4 * i + k];
                bytes[4 * i + k] = bytes[4 * i + 3 - k];
                bytes[4 * i + 3 - k] = b;
            }
        }
        write_npy(path, turned == 1 ? NPY("<f4", "True", "(5, 6)") : turned == 2 ? NPY(">f4", "False", "(5, 6)")
                                                                     : NPY(">f4", "True", "(5, 6)"),
                  bytes, sizeof bytes);
        for (int i = 0; i < LAYOUTS; i++) {
            OK(weft_array_from_npy(client, path, layouts[i].mesh, layouts[i].sharding, &a));
            expect_ramp(a);
            weft_array_release(a);
        }
    }
    static const struct { const char *dict; size_t bytes; const char *sharding, *want; } wrong[] = {
        { NPY("<f4", "True", "(5, 6)"), 119, "a, -", "has 119 bytes of data where its header says 120" },
        { NPY("<U1", "True", "(5, 6)"), 120, "a, -", "has elements of type '<U1', which Weft does not read" },
        { NPY("<f4", "False", "(5, 6)"), 119, "a, -", "has 119 bytes of data where its header says 120" },
        { NPY("<f4", "False", "(4611686018427387904, 4)"), 120, "a, -",
          "has a shape of 2^63 bytes or more in its header" },
        { NPY("<f4", "False", "(30,)"), 120, "a, -", "\"a, -\" has 2 dimensions, the tensor has 1" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_npy(path, wrong[i].dict, ramp, wrong[i].bytes);
        ck_assert_int_eq(weft_array_from_npy(client, path, "a=4", wrong[i].sharding, &a), WEFT_ERR_INVALID);
        ck_assert_ptr_null(a);
        ck_assert_uint_eq(weft_context_diag_count(cx), i + 1);
        ck_assert_msg(strstr(last_message(), wrong[i].want) != NULL, "%s", last_message());
    }
    ck_assert_int_eq(weft_array_from_npy(client, NULL, NULL, NULL, &a), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "the path of an array's file is NULL");
    unlink(path);
    ck_assert_int_eq(weft_array_from_npy(client, path, NULL, NULL, &a), WEFT_ERR_IO);
}
END_TEST

static const struct { const char *type; size_t bytes; } types[] = {
    { "i1", 1 }, { "ui8", 1 }, { "3xi8", 3 }, { "4x2xbf16", 16 }, { "2x3x4xf64", 192 }, { "2xcomplex<f32>", 16 },
    { "0x4xf32", 0 }, { "f32", 4 },
};

START_TEST(test_types) {
    unsigned char data[256], got[256] = { 0 };
    weft_array *a;
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i & 1);
    OK(weft_array_from(client, types[_i].type, NULL, NULL, data, types[_i].bytes, &a));
    ck_assert_str_eq(weft_array_type(a), types[_i].type);
    ck_assert_uint_eq(weft_array_bytes(a), types[_i].bytes);
    OK(weft_array_read(a, got, types[_i].bytes));
    ck_assert_int_eq(memcmp(data, got, types[_i].bytes), 0);
    weft_array_release(a);
    OK(weft_array_of_zeros(client, types[_i].type, NULL, NULL, &a));
    OK(weft_array_read(a, got, types[_i].bytes));
    for (size_t i = 0; i < types[_i].bytes; i++) ck_assert_uint_eq(got[i], 0);
    weft_array_release(a);
}
END_TEST

static int draw(unsigned *state, unsigned n) {
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 16) % n);
}

/* Exchanges among random layouts of random arrays: every element is where it was. */
START_TEST(test_random_moves) {
    const char *seed_text = getenv("WEFT_SEED");
    const unsigned seed = seed_text ? (unsigned)atoi(seed_text) : (unsigned)_i;
    unsigned state = seed * 2654435761u + 1;
    char type[64], from[32], to[32];
    int64_t elems = 1;
    const int rank = 1 + draw(&state, 4);
    type[0] = from[0] = to[0] = 0;
    for (int d = 0; d < rank; d++) {
        const int size = draw(&state, 8);
        snprintf(type + strlen(type), sizeof type - strlen(type), "%dx", size);
        elems *= size;
    }
    strcat(type, "i16");
    int split[2][2]; /* by side and axis: the dimension that it splits; rank: none */
    for (int i = 0; i < 4; i++) split[i / 2][i % 2] = draw(&state, (unsigned)rank + 1);
    for (int side = 0; side < 2; side++)
        for (int d = 0; d < rank; d++) {
            const int a = split[side][0] == d, b = split[side][1] == d;
            strcat(side ? to : from, d ? ", " : "");
            strcat(side ? to : from, a && b ? "b*a" : a ? "a" : b ? "b" : "-");
        }
    int16_t *data = malloc((size_t)elems * sizeof *data + 1), *got = calloc((size_t)elems + 1, sizeof *got);
    weft_array *one, *other;
    for (int64_t i = 0; i < elems; i++) data[i] = (int16_t)i;
    OK(weft_array_from(client, type, "a=2, b=2", from, data, (size_t)elems * sizeof *data, &one));
    OK(weft_array_move(one, "a=2, b=2", to, &other));
    OK(weft_array_read(other, got, (size_t)elems * sizeof *data));
    ck_assert_msg(!memcmp(data, got, (size_t)elems * sizeof *data), "%s from \"%s\" to \"%s\" (WEFT_SEED=%u)", type,
                  from, to,
                  seed);
    weft_array_release(one);
    weft_array_release(other);
    free(data);
    free(got);
}
END_TEST

START_TEST(test_questions) {
    weft_array *a;
    char *text;
    weft_part part;
    OK(weft_array_of_zeros(client, "6x2xf32", "a=2, b=2", "a, -", &a));
    ck_assert_str_eq(weft_array_mesh(a), "a=2, b=2");
    ck_assert_str_eq(weft_array_sharding(a), "a, -");
    ck_assert_str_eq(weft_array_dtype(a), "f32");
    ck_assert_uint_eq(weft_array_rank(a), 2);
    ck_assert_int_eq(weft_array_dim(a, 0), 6);
    ck_assert_int_eq(weft_array_dim(a, 2), 0);
    OK(weft_array_text(a, &text));
    ck_assert_str_eq(text, "6x2xf32 on \"a=2, b=2\", sharded \"a, -\"\n  [0:3, 0:2] on 0, 1\n  [3:6, 0:2] on 2, 3");
    weft_text_free(cx, text);
    OK(weft_array_part(a, 3, &part));
    ck_assert_int_eq(part.device, 3);
    ck_assert_int_eq(part.start[0], 3);
    ck_assert_ptr_eq(weft_array_retain(a), a);
    weft_array_release(a);
    weft_array_release(a);
    ck_assert_int_eq(weft_client_process(client), 0);
    ck_assert_int_eq(weft_client_processes(client), 1);
    ck_assert_int_eq(weft_client_devices(client), 4);
    ck_assert_int_eq(weft_client_first_device(client), 0);
    ck_assert_int_eq(weft_client_local_devices(client), 4);
    /* nothing is asked of nothing */
    ck_assert_int_eq(weft_client_process(NULL), -1);
    ck_assert_int_eq(weft_client_processes(NULL), 0);
    ck_assert_int_eq(weft_client_devices(NULL), 0);
    ck_assert_str_eq(weft_array_type(NULL), "");
    ck_assert_str_eq(weft_array_dtype(NULL), "");
    ck_assert_uint_eq(weft_array_bytes(NULL), 0);
    ck_assert_int_eq(weft_array_read(NULL, &part, 1), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_array_text(NULL, &text), WEFT_ERR_USAGE);
    weft_array_release(NULL);
    weft_client_close(NULL);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

static weft_status refuse(void *user, const weft_part *p) {
    (void)user, (void)p;
    return WEFT_ERR_IO;
}

/* Name, what is said, the call; each returns an error and leaves NULL. */
#define MISTAKES(M) \
    M(no_type, "'5y6' is not a tensor's type, such as \"64x256xf32\" or \"f32\"", \
      weft_array_of_zeros(client, "5y6", NULL, NULL, &a)) \
    M(no_size, "an array's type has a size for each dimension, not 'tensor<?xf32>'", \
      weft_array_of_zeros(client, "tensor<?xf32>", NULL, NULL, &a)) \
    M(no_tensor, "an array's type has a size for each dimension, not '!stablehlo.token'", \
      weft_array_of_zeros(client, "!stablehlo.token", NULL, NULL, &a)) \
    M(no_axis, "the mesh has no axis 'b'", weft_array_of_zeros(client, "8xf32", "a=4", "b", &a)) \
    M(dimensions, "\"a, -\" has 2 dimensions, the tensor has 1", \
      weft_array_of_zeros(client, "8xf32", "a=4", "a, -", &a)) \
    M(devices, "the mesh \"a=2\" has 2 devices, the client has 4", \
      weft_array_of_zeros(client, "8xf32", "a=2", "a", &a)) \
    M(bytes, "an array of type 8xf32 has 32 bytes, not 31", \
      weft_array_from(client, "8xf32", "a=4", "a", data, 31, &a)) \
    M(no_data, "the data of an array is NULL", weft_array_from(client, "8xf32", "a=4", "a", NULL, 32, &a)) \
    M(no_callback, "the callback that fills the parts is NULL", \
      weft_array_make(client, "8xf32", "a=4", "a", NULL, NULL, &a)) \
    M(callback, "the callback for the part of device 0 failed: input or output failed", \
      weft_array_make(client, "8xf32", "a=4", "a", refuse, NULL, &a)) \
    M(no_out, "the array has no output pointer: out is NULL", weft_array_of_zeros(client, "8xf32", NULL, NULL, NULL)) \
    M(no_device, "there is no device 4: the client has 4", weft_array_part(whole, 4, &part)) \
    M(negative_device, "there is no device -1: the client has 4", weft_array_part(whole, -1, &part)) \
    M(no_part, "the part has no output pointer: out is NULL", weft_array_part(whole, 0, NULL)) \
    M(read_bytes, "the array of type 8xf32 has 32 bytes, not 4", weft_array_read(whole, data, 4)) \
    M(read_null, "the data of the array is NULL", weft_array_read(whole, NULL, 32)) \
    M(read_all_null, "the data of the array is NULL", weft_array_read_all(whole, NULL, 32)) \
    M(move_axis, "the mesh has no axis 'c'", weft_array_move(whole, "a=4", "c", &a)) \
    M(no_name, "an array of a state needs a name", weft_state_set(state, "", whole)) \
    M(another_client, "the array for 'w' is of another client", weft_state_set(others, "w", whole)) \
    M(no_array, "the state has no array 'weigths'; did you mean 'weights'?", \
      weft_state_get(state, "weigths") ? WEFT_OK : WEFT_ERR_USAGE)

typedef struct given { weft_array *whole; weft_state *state, *others; float *data; } given;
#define FUNCTION(name, want, call) \
    static weft_status make_##name(given g) { \
        weft_array *a = g.whole, *whole = g.whole; \
        weft_state *state = g.state, *others = g.others; \
        float *data = g.data; \
        weft_part part; \
        (void)whole, (void)data, (void)part, (void)state, (void)others; \
        weft_status st = call; \
        ck_assert(!a || a == whole); \
        return st; \
    }
MISTAKES(FUNCTION)
#define ROW(name, want, call) { make_##name, want },
static const struct { weft_status (*make)(given); const char *want; } mistakes[] = { MISTAKES(ROW) };

START_TEST(test_mistakes) {
    float data[8] = { 0 };
    given g = { .data = data };
    weft_client *another;
    const weft_client_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o, .devices = 1 };
    OK(weft_client_open(cx, &o, &another));
    OK(weft_array_of_zeros(client, "8xf32", "a=4", "a", &g.whole));
    OK(weft_state_new(client, &g.state));
    OK(weft_state_new(another, &g.others));
    OK(weft_state_set(g.state, "weights", g.whole));
    ck_assert_int_ne(mistakes[_i].make(g), WEFT_OK);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_str_eq(d->message, mistakes[_i].want);
    ck_assert(d->file && strstr(d->file, "test_array.c"));
    OK(weft_array_read(g.whole, data, sizeof data)); /* the client goes on */
    weft_state_free(g.state);
    weft_state_free(g.others);
    weft_array_release(g.whole);
    weft_client_close(another);
}
END_TEST

START_TEST(test_clients_that_cannot_be) {
    weft_client *c = client;
    const struct { weft_client_options o; const char *want; } wrong[] = {
        { { .launch = (weft_launch)7, .size = sizeof(weft_client_options) },
          "weft_client_options.launch is 7, which is not a weft_launch" },
        { { .size = sizeof(weft_client_options), .devices = -2 },
          "weft_client_options.devices is -2, which is no number of devices" },
        { { .devices = -3 }, "weft_client_options.devices is -3, which is no number of devices" }, /* without a size */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(weft_client_open(cx, &wrong[i].o, &c), WEFT_ERR_USAGE);
        ck_assert_ptr_null(c);
        ck_assert_str_eq(last_message(), wrong[i].want);
    }
    ck_assert_int_eq(weft_client_open(cx, NULL, NULL), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "the client has no output pointer: out is NULL");
    ck_assert_int_eq(weft_state_new(client, NULL), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "the state has no output pointer: out is NULL");
}
END_TEST

START_TEST(test_text_to_nowhere) {
    weft_array *a;
    OK(weft_array_of_zeros(client, "f32", NULL, NULL, &a));
    ck_assert_int_eq(weft_array_text(a, NULL), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "the array's text has no output pointer: text is NULL");
    weft_array_release(a);
}
END_TEST

START_TEST(test_states) {
    weft_state *s;
    weft_array *a, *b;
    OK(weft_state_new(client, &s));
    OK(weft_array_of_zeros(client, "2xf32", NULL, NULL, &a));
    OK(weft_array_of_zeros(client, "3xf32", NULL, NULL, &b));
    OK(weft_state_set(s, "a", a));
    OK(weft_state_set(s, "b", a));
    OK(weft_state_set(s, "b", b));
    OK(weft_state_set(s, "c", NULL)); /* was not there */
    weft_array_release(a);
    weft_array_release(b);
    ck_assert_uint_eq(weft_state_count(s), 2);
    ck_assert_str_eq(weft_state_name(s, 0), "a");
    ck_assert_str_eq(weft_state_name(s, 1), "b");
    ck_assert_ptr_null(weft_state_name(s, 2));
    ck_assert_ptr_eq(weft_state_get(s, "b"), b);
    ck_assert_int_eq(weft_state_has(s, "a"), 1);
    ck_assert_int_eq(weft_state_has(s, "c"), 0);
    OK(weft_state_set(s, "a", NULL));
    ck_assert_uint_eq(weft_state_count(s), 1);
    ck_assert_str_eq(weft_state_name(s, 0), "b");
    weft_state_free(s);
    weft_state_free(NULL);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

static weft_status life(weft_context *own, void *user) {
    const weft_client_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o, .devices = 2 };
    weft_client *c = NULL;
    weft_array *a = NULL, *b = NULL;
    weft_state *s = NULL;
    char *text = NULL;
    float data[6] = { 0 };
    (void)user;
    weft_status st = weft_client_open(own, &o, &c);
    if (st == WEFT_OK) st = weft_array_from(c, "3x2xf32", "a=2", "a, -", data, sizeof data, &a);
    if (st == WEFT_OK) st = weft_array_move(a, "a=2", "-, a", &b);
    if (st == WEFT_OK) st = weft_array_read_all(b, data, sizeof data);
    if (st == WEFT_OK) st = weft_array_text(b, &text);
    if (st == WEFT_OK) st = weft_state_new(c, &s);
    if (st == WEFT_OK) st = weft_state_set(s, "b", b);
    weft_text_free(own, text);
    weft_state_free(s);
    weft_array_release(b);
    weft_array_release(a);
    weft_client_close(c);
    return st;
}

START_TEST(test_memory_failures) { weft_test_each_failure(life, NULL); }
END_TEST

int main(void) {
    Suite *s = suite_create("capi/array");
    TCase *tc = tcase_create("array");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_what_goes_in_comes_out, 0, LAYOUTS);
    tcase_add_test(tc, test_from_npy);
    tcase_add_test(tc, test_from_npy_without_input);
    tcase_add_loop_test(tc, test_types, 0, (int)(sizeof types / sizeof *types));
    tcase_add_loop_test(tc, test_random_moves, 0, weft_test_long(100));
    tcase_add_test(tc, test_questions);
    tcase_add_loop_test(tc, test_mistakes, 0, (int)(sizeof mistakes / sizeof *mistakes));
    tcase_add_test(tc, test_clients_that_cannot_be);
    tcase_add_test(tc, test_text_to_nowhere);
    tcase_add_test(tc, test_states);
    suite_add_tcase(s, tc);
    TCase *failures = tcase_create("failures");
    tcase_set_timeout(failures, 120);
    tcase_add_test(failures, test_memory_failures);
    suite_add_tcase(s, failures);
    return weft_run_suite(s);
}
