/* installed.cc: a user's program in C++: every macro of the headers, and a job whose result is known. */
#include <weft/array.h>
#include <weft/checkpoint.h>
#include <weft/data.h>
#include <weft/tokenizer.h>
#include <weft/dryrun.h>
#include <weft/coll.h>
#include <weft/graph.h>
#include <weft/nn.h>
#include <weft/optim.h>
#include <weft/parameters.h>
#include <weft/random.h>
#include <weft/strategy.h>
#include <weft/topo.h>
#ifdef WITH_MPI
#include <weft/mpi.h>
#endif

#include <cstdio>
#include <cstring>
#include <vector>

static_assert(WEFT_VERSION_MAJOR >= 0 && WEFT_VERSION_MINOR >= 0 && WEFT_VERSION_PATCH >= 0, "the headers say their version");

/* Of a float, of two floats and of two integers: each into the sum of all. */
static weft_tensor *elementwise(weft_graph *g, weft_tensor *x, weft_tensor *i) {
    weft_tensor *y = x, *k = i;
    y = weft_graph_add(g, y, weft_graph_abs(g, x));
    y = weft_graph_add(g, y, weft_graph_cbrt(g, x));
    y = weft_graph_add(g, y, weft_graph_ceil(g, x));
    y = weft_graph_add(g, y, weft_graph_cosine(g, x));
    y = weft_graph_add(g, y, weft_graph_exponential(g, x));
    y = weft_graph_add(g, y, weft_graph_exponential_minus_one(g, x));
    y = weft_graph_add(g, y, weft_graph_floor(g, x));
    y = weft_graph_add(g, y, weft_graph_log(g, x));
    y = weft_graph_add(g, y, weft_graph_log_plus_one(g, x));
    y = weft_graph_add(g, y, weft_graph_logistic(g, x));
    y = weft_graph_add(g, y, weft_graph_negate(g, x));
    y = weft_graph_add(g, y, weft_graph_round_nearest_afz(g, x));
    y = weft_graph_add(g, y, weft_graph_round_nearest_even(g, x));
    y = weft_graph_add(g, y, weft_graph_rsqrt(g, x));
    y = weft_graph_add(g, y, weft_graph_sign(g, x));
    y = weft_graph_add(g, y, weft_graph_sine(g, x));
    y = weft_graph_add(g, y, weft_graph_sqrt(g, x));
    y = weft_graph_add(g, y, weft_graph_tan(g, x));
    y = weft_graph_add(g, y, weft_graph_tanh(g, x));
    y = weft_graph_add(g, y, weft_graph_atan2(g, x, x));
    y = weft_graph_add(g, y, weft_graph_divide(g, x, x));
    y = weft_graph_add(g, y, weft_graph_maximum(g, x, x));
    y = weft_graph_add(g, y, weft_graph_minimum(g, x, x));
    y = weft_graph_add(g, y, weft_graph_multiply(g, x, x));
    y = weft_graph_add(g, y, weft_graph_power(g, x, x));
    y = weft_graph_add(g, y, weft_graph_remainder(g, x, x));
    y = weft_graph_add(g, y, weft_graph_subtract(g, x, x));
    k = weft_graph_add(g, k, weft_graph_shift_left(g, i, i));
    k = weft_graph_add(g, k, weft_graph_shift_right_arithmetic(g, i, i));
    k = weft_graph_add(g, k, weft_graph_shift_right_logical(g, i, i));
    k = weft_graph_add(g, k, weft_graph_and(g, i, i));
    k = weft_graph_add(g, k, weft_graph_or(g, i, i));
    k = weft_graph_add(g, k, weft_graph_xor(g, i, i));
    k = weft_graph_add(g, k, weft_graph_count_leading_zeros(g, i));
    k = weft_graph_add(g, k, weft_graph_popcnt(g, i));
    k = weft_graph_add(g, k, weft_graph_not(g, i));
    weft_tensor *c = weft_graph_complex(g, x, y);
    y = weft_graph_add(g, weft_graph_real(g, c), weft_graph_imag(g, c));
    y = weft_graph_select(g, weft_graph_is_finite(g, y), y, x);
    y = weft_graph_select(g, weft_graph_compare(g, "LT", x, y), y, weft_graph_clamp(g, x, y, x));
    return weft_graph_add(g, y, weft_graph_pointwise(g, "add", weft_graph_convert(g, k, "f32"), x));
}

static void shapes(weft_graph *g, weft_tensor *x, weft_tensor *row) {
    const std::vector<float> four(4, 1.0f);
    weft_tensor *one = weft_graph_constant(g, "4xf32", four.data(), four.size() * sizeof(float));
    weft_tensor *wide = weft_graph_broadcast(g, one, WEFT_DIMS(four.size(), 4), WEFT_DIMS(0));
    auto both = WEFT_DIMS(0, 1);
    wide = weft_graph_add(g, wide, weft_graph_broadcast_like(g, row, x, WEFT_DIMS(1)));
    wide = weft_graph_add(g, wide, weft_graph_fill_like(g, x, 2));
    wide = weft_graph_add(g, wide, weft_graph_fill(g, "4x4xf32", 3));
    wide = weft_graph_add(g, wide, weft_graph_iota(g, "4x4xf32", 1));
    weft_tensor *halves[] = { weft_graph_slice(g, wide, WEFT_DIMS(0, 0), WEFT_DIMS(2, 4), WEFT_NO_DIMS),
                              weft_graph_slice(g, wide, WEFT_DIMS(2, 0), WEFT_DIMS(4, 4), WEFT_DIMS(1, 1)) };
    weft_tensor *again = weft_graph_concatenate(g, halves, 2, 0), *sorted[1];
    weft_graph_op(g, "stablehlo.reverse", &again, 1, "{dimensions = array<i64: 0>}", nullptr, sorted, 1);
    weft_graph_output(g, "shapes", weft_graph_transpose(g, weft_graph_reshape(g, sorted[0], WEFT_DIMS(2, 8)), WEFT_DIMS(1, 0)));
    weft_graph_output(g, "all", weft_graph_reduce(g, "maximum", x, both));
}

/* Bodies. */
static void falls(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *) { y[0] = weft_graph_compare(g, "GT", x[0], x[1]); }
static void adds(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *) { y[0] = weft_graph_add(g, x[0], x[1]); }
static void keeps(weft_graph *, weft_tensor *const *x, weft_tensor **y, void *) { y[0] = x[0]; }
static void keeps_second(weft_graph *, weft_tensor *const *x, weft_tensor **y, void *) { y[0] = x[1]; }
static void gives(weft_graph *, weft_tensor *const *, weft_tensor **y, void *user) { y[0] = static_cast<weft_tensor *>(user); }
static void never(weft_graph *g, weft_tensor *const *, weft_tensor **y, void *) { y[0] = weft_graph_fill(g, "i1", 0); }

static void control(weft_graph *g, weft_tensor *x) {
    weft_tensor *zero = weft_graph_fill(g, "f32", 0), *out = nullptr, *index = weft_graph_fill(g, "i32", 0);
    weft_graph_push(g, "control");
    weft_graph_while(g, &x, 1, never, keeps, nullptr, &out);
    weft_graph_for(g, 0, 2, 1, &out, 1, keeps_second, nullptr, &out);
    weft_graph_if(g, weft_graph_fill(g, "i1", 1), gives, gives, out, &out, 1);
    weft_body *branch[] = { gives, gives };
    weft_graph_case(g, index, branch, 2, out, &out, 1);
    weft_graph_scan(g, 4, &out, 1, nullptr, 0, 0, keeps, nullptr, &out);
    weft_graph_tangents(g, &out, 1, &out, &out, 1, &out);
    const weft_tensor *like[] = { x };
    weft_function *f = weft_graph_function(g, "f", like, 1, 1, keeps, nullptr);
    weft_graph_call(g, f, &out, 1, &out, 1);
    weft_graph_pop(g);
    weft_graph_sort_by(g, &out, 1, 0, falls, nullptr, &out);
    const int64_t ones[] = { 1, 1 };
    weft_window_dims window = weft_window_dims();
    window.size = weft_dims{ ones, 2 };
    out = weft_graph_broadcast(g, out, weft_dims{ std::vector<int64_t>{ 4, 4 }.data(), 2 }, WEFT_DIMS(0, 1));
    weft_graph_reduce_window(g, &out, &zero, 1, window, adds, nullptr, &out);
    out = weft_graph_select_and_scatter(g, x, out, zero, window, falls, adds, nullptr);
    out = weft_graph_scatter_rows(g, "add", out, weft_graph_fill(g, "4xi32", 1), x);
    const int64_t dims[] = { 0, 1 };
    weft_scatter_numbers rows = weft_scatter_numbers();
    rows.window = weft_dims{ dims + 1, 1 };
    rows.inserted = rows.places = weft_dims{ dims, 1 };
    rows.vector = 1;
    weft_graph_scatter(g, &out, 1, weft_graph_fill(g, "4x1xi32", 1), &x, rows, adds, nullptr, &out);
    weft_op_region body = { "tensor<f32>; f32", 1, adds, nullptr };
    weft_graph_op_with(g, "reduce", (std::vector<weft_tensor *>{ out, zero }.data()), 2, "{dimensions = array<i64: 0>}", nullptr,
                       &body, 1, &out, 1);
    weft_graph_reduce_by(g, &out, &zero, 1, WEFT_DIMS(0), adds, nullptr, &out);
    weft_graph_output(g, "control", out);
}

static void moves(weft_graph *g, weft_tensor *x) {
    weft_tensor *at[] = { weft_graph_fill(g, "i32", 0), weft_graph_fill(g, "i32", 0) }, *top[2];
    weft_tensor *y = weft_graph_dynamic_update(g, x, weft_graph_dynamic_slice(g, x, at, WEFT_DIMS(2, 2)), at);
    y = weft_graph_gather_rows(g, y, weft_graph_argmax(g, y, 1));
    y = weft_graph_add(g, y, weft_graph_gather_rows(g, y, weft_graph_argmin(g, y, 1)));
    y = weft_graph_shift(g, weft_graph_roll(g, weft_graph_sort(g, y, 1), 0, 1), 1, 1, 0);
    y = weft_graph_cumulative(g, "add", weft_graph_reverse(g, y, WEFT_DIMS(0)), 0);
    y = weft_graph_pad(g, y, WEFT_DIMS(0, 0), WEFT_DIMS(0, 0), 0);
    y = weft_graph_fft(g, "IRFFT", weft_graph_fft(g, "RFFT", y, WEFT_DIMS(4)), WEFT_DIMS(4));
    y = weft_graph_triangular_solve(g, weft_graph_cholesky(g, y, 0), y, WEFT_MATRIX_UNIT | WEFT_MATRIX_ADJOINT);
    y = weft_graph_bitcast_convert(g, weft_graph_bitcast_convert(g, weft_graph_reduce_precision(g, y, 8, 10), "ui8"), "f32");
    weft_gather_numbers rows = {};
    const int64_t dim[] = { 0, 1 };
    rows.window = weft_dims{ dim + 1, 1 };
    rows.collapsed = rows.places = weft_dims{ dim, 1 };
    rows.vector = 1;
    y = weft_graph_gather(g, y, weft_graph_fill(g, "4x1xi32", 1), rows, WEFT_DIMS(1, 4));
    weft_graph_optimization_barrier(g, &y, 1, &y);
    weft_graph_top_k(g, y, 2, top);
    weft_tensor *key = weft_graph_random_fold(g, weft_graph_random_key(g, 1), at[0]);
    y = weft_graph_add(g, y, weft_graph_random_normal(g, key, "4x4xf32"));
    y = weft_graph_add(g, y, weft_graph_random_uniform(g, key, "4x4xf32", 0, 1));
    y = weft_graph_add(g, y, weft_graph_convert(g, weft_graph_random_bits(g, key, "4x4xui32"), "f32"));
    y = weft_graph_select(g, weft_graph_random_bernoulli(g, key, "4x4xi1", 0.5), y, x);
    weft_graph_output(g, "choice", weft_graph_random_categorical(g, key, y));
    weft_tensor *image = weft_graph_reshape(g, y, WEFT_DIMS(1, 4, 4, 1)), *kernel = weft_graph_fill(g, "1x1x1x1xf32", 1);
    weft_graph_output(g, "moves", weft_graph_convolution(g, "bhwf,hwio->bhwf", image, kernel, weft_window_dims(), 1));
}

static void layer(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *) {
    y[0] = weft_graph_multiply(g, x[0], weft_parameter(g, "scale", "4x4xf32", weft_init_normal(0.02)));
}

static void parameters(weft_graph *g, weft_tensor *x) {
    weft_layers(g, "layers", 2, &x, 1, layer, nullptr, &x);
    weft_layers_unrolled(g, "single", 2, &x, 1, layer, nullptr, &x);
    const weft_tensors all = weft_parameters(g, "*");
    weft_graph_push(g, "sums");
    weft_variable_of(g, all.v[0], WEFT_DIMS(0), nullptr, weft_init_zeros());
    weft_graph_pop(g);
    weft_variable(g, "turns", "i32", weft_init_ones());
    if (!x || all.n != 3 || weft_variables(g, "turns").n != 1) weft_graph_refuse(g, "%d parameters", int(all.n));
    weft_graph_output(g, "layered", x);
    weft_graph_free(weft_graph_initialiser(g, 1));
}

static weft_status ones(void *, const weft_part *p) {
    for (int64_t i = 0; i < p->count[0]; i++) static_cast<float *>(p->data)[i * p->stride[0]] = 1;
    return WEFT_OK;
}

/* Eight ones, and then 0 + 1 + .. + 7 more. */
static weft_status arrays(weft_context *cx, float *sum) {
    const char *mesh = "a=2";
    weft_client_options o{};
    weft_program_options po{};
    weft_client *c = nullptr;
    weft_state *s = nullptr;
    weft_program *p = nullptr;
    weft_array *x = nullptr, *y = nullptr, *z = nullptr, *moved = nullptr;
    weft_part part;
    float in[8], all = 0;
    o.size = sizeof o, o.launch = WEFT_LAUNCH_THREADS, o.devices = 2;
    po.size = sizeof po;
    for (int i = 0; i < 8; i++) in[i] = float(i);
    weft_graph *g = weft_graph_new(cx, "arrays");
    weft_tensor *a = weft_graph_input(g, "x", "8xf32"), *b = weft_graph_input(g, "y", "8xf32");
    weft_shard(g, a, weft_graph_mesh(g, mesh), "a");
    weft_graph_update(g, a, weft_graph_add(g, a, b));
    weft_graph_output(g, "sum", weft_graph_reduce(g, "add", weft_graph_add(g, a, b), WEFT_DIMS(0)));
    weft_status st = weft_client_open(cx, &o, &c);
    if (st == WEFT_OK) st = weft_state_new(c, &s);
    if (st == WEFT_OK) st = weft_program_load(c, g, &po, &p);
    if (st == WEFT_OK) st = weft_array_of_zeros(c, "8xf32", mesh, "a", &z);
    if (st == WEFT_OK) st = weft_array_from(c, "8xf32", mesh, "a", in, sizeof in, &x);
    if (st == WEFT_OK) st = weft_array_make(c, "8xf32", mesh, "a", ones, nullptr, &y);
    weft_array *none = nullptr;
    if (st == WEFT_OK && weft_array_from_npy(nullptr, "x.npy", mesh, "a", &none) != WEFT_ERR_USAGE) st = WEFT_ERR_MISMATCH;
    if (st == WEFT_OK) st = weft_array_move(y, mesh, "-", &moved);
    if (st == WEFT_OK) st = weft_array_part(moved, 1, &part);
    if (st == WEFT_OK) st = weft_state_set(s, "x", z);
    if (st == WEFT_OK) st = weft_program_put(p, s, "y", in, sizeof in);
    if (st == WEFT_OK) st = weft_program_make(p, s, "y", ones, nullptr);
    weft_program *again = nullptr;
    if (st == WEFT_OK) st = weft_program_write(p, "/tmp/weft-installed.weft");
    if (st == WEFT_OK) st = weft_program_read(c, "/tmp/weft-installed.weft", &again);
    weft_program_close(again);
    if (st == WEFT_OK) st = weft_program_run(p, s);
    if (st == WEFT_OK) st = weft_state_set(s, "y", x);
    if (st == WEFT_OK) st = weft_program_run(p, s);
    if (st == WEFT_OK) st = weft_array_read(weft_program_output(p, "sum"), sum, sizeof *sum);
    if (st == WEFT_OK) st = weft_array_read_all(weft_program_output(p, "sum"), &all, sizeof all);
    if (st == WEFT_OK) st = weft_program_store(p, s);
    const weft_program_time *times = nullptr;
    size_t kinds = 1;
    double run_s = 1;
    if (st == WEFT_OK) st = weft_program_times(p, &times, &kinds, &run_s);
    if (st == WEFT_OK && (times || kinds || run_s > 0)) st = WEFT_ERR_MISMATCH;
    if (st == WEFT_OK && (!weft_state_get(s, "sum") || all != *sum || part.count[0] != 8)) st = WEFT_ERR_MISMATCH;
    if (st == WEFT_OK)
        for (const char *text : { weft_program_input_type(p, "x"), weft_program_input_mesh(p, "x"),
                                  weft_program_input_sharding(p, "x"), weft_program_output_type(p, "sum"),
                                  weft_program_output_mesh(p, "x"), weft_program_output_sharding(p, "sum") })
            if (!text) st = WEFT_ERR_MISMATCH;
    weft_checkpoint_options save{};
    weft_restore_options restore{};
    save.size = sizeof save, save.blocking = 1;
    restore.size = sizeof restore, restore.program = p;
    int64_t step = 0;
    if (st == WEFT_OK) st = weft_checkpoint_save(c, "installed-checkpoint", s, 7, &save);
    if (st == WEFT_OK) st = weft_checkpoint_load(c, "installed-checkpoint", s, &restore, &step);
    if (st == WEFT_OK && step != 7) st = WEFT_ERR_MISMATCH;
    weft_tokens *tokens = nullptr;
    if (st == WEFT_OK && weft_tokens_put(tokens, p, s, "x", 0, 0) != WEFT_ERR_USAGE) st = WEFT_ERR_MISMATCH;
    weft_tokens_close(tokens);
    weft_tokenizer *words = nullptr;
    size_t count = 0;
    if (weft_tokenizer_encode(words, "a", 1, nullptr, 0, &count) != WEFT_ERR_USAGE) st = WEFT_ERR_MISMATCH;
    weft_tokenizer_close(words);
    weft_state_free(s);
    weft_program_close(p);
    for (weft_array *each : { x, y, z, moved }) weft_array_release(each);
    weft_client_close(c);
    weft_graph_free(g);
    return st;
}

static void loss_of(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *) {
    y[0] = weft_mean(g, weft_linear(g, "micro", x[0], WEFT_DIMS(2, 2), nullptr), WEFT_DIMS(0, 1, 2));
}

static void optimizers(weft_graph *g, weft_tensor *x) {
    weft_tensor *loss, *finite, *norm, *step = weft_training_step(g);
    weft_tensors d = weft_accumulate(g, 2, &x, 1, loss_of, nullptr, "micro/weight", &loss), p = weft_parameters(g, "micro/weight");
    d = weft_clip_by_global_norm(g, weft_unscale(g, d, weft_loss_scale(g, 2), nullptr, &finite), 1, &norm);
    weft_tensor *rate = weft_graph_add(g, weft_schedule_constant(g, 1), weft_schedule_linear(g, step, 0, 1, 2));
    rate = weft_graph_add(g, rate, weft_schedule_cosine(g, step, 0, 1, 2));
    rate = weft_graph_add(g, rate, weft_schedule_warmup_cosine(g, step, 0, 1, 2, 0));
    rate = weft_graph_add(g, rate, weft_schedule_inverse_sqrt(g, step, 0, 1));
    weft_sgd_options once{};
    once.when = finite;
    weft_ema(g, p, weft_sgd(g, p, d, rate, &once), 0.9, finite);
    weft_tensors layer[4];
    for (int i = 0; i < 4; i++) layer[i] = weft_parameters(g, i % 2 ? "single/0/scale" : "single/1/scale");
    layer[2] = weft_parameters(g, "layers/scale");
    weft_adamw(g, layer[0], weft_gradients(g, loss, layer[0], nullptr), rate, nullptr);
    weft_lion(g, layer[1], weft_gradients(g, loss, layer[1], nullptr), rate, nullptr);
    weft_muon(g, layer[2], weft_gradients(g, loss, layer[2], nullptr), rate, nullptr);
    weft_tensors last = weft_parameters(g, "micro/bias");
    weft_adafactor(g, last, weft_gradients(g, loss, last, nullptr), rate, nullptr);
    weft_graph_output(g, "all of it", weft_graph_add(g, norm, weft_global_norm(g, last)));
}

static void strategies(weft_graph *g, weft_tensor *x) {
    const weft_device_mesh *mesh = weft_graph_mesh(g, "a=2");
    weft_strategy_sp(g, mesh, "a", "wide");
    weft_tensor *input = weft_graph_input(g, "batch", "4x4xf32");
    x = weft_activation(g, "wide", weft_linear(g, "sharded", weft_graph_add(g, x, input), WEFT_DIMS(4), nullptr));
    weft_strategy_dp(g, mesh, "a", "batch");
    weft_strategy_tp(g, mesh, "a", "sharded/bias", nullptr);
    weft_strategy_fsdp(g, mesh, "a", "sharded/weight");
    weft_strategy_ep(g, mesh, "a", "single/1/scale");
    weft_graph_output(g, "strategies", x);
}

static void layers(weft_graph *g, weft_tensor *x) {
    weft_tensor *table, *balance;
    weft_tensor *rows = weft_graph_convert(g, x, "i32"), *h = weft_embedding(g, "e", rows, 8, 4, weft_init_zeros(), &table);
    h = weft_linear(g, "l", weft_layer_norm(g, "n", h, 1e-5), WEFT_DIMS(4), nullptr);
    h = weft_conv(g, "c", weft_rms_norm(g, "r", h, 1e-5), WEFT_DIMS(3), 4, nullptr);
    h = weft_average_pool(g, weft_max_pool(g, h, WEFT_DIMS(1), WEFT_NO_DIMS, WEFT_PADDING_SAME), WEFT_DIMS(1), WEFT_NO_DIMS,
                          WEFT_PADDING_NONE);
    h = weft_swiglu(g, "s", weft_batch_norm(g, "b", h, WEFT_BY_BATCH, 0.9, 1e-5), 8, weft_init_xavier());
    h = weft_relu(g, weft_gelu(g, weft_gelu_tanh(g, weft_silu(g, weft_stop_gradient(g, h)))));
    h = weft_dropout(g, weft_softmax(g, weft_log_softmax(g, h, 2), 2), weft_graph_random_key(g, 1), 0.5);
    weft_experts_options options{};
    options.experts = 4;
    options.hidden = 8;
    h = weft_experts(g, "x", h, &options, &balance);
    weft_tensor *q = weft_rope(g, weft_graph_reshape(g, h, WEFT_DIMS(4, 4, 2, 2)), nullptr, 0);
    h = weft_graph_reshape(g, weft_attention(g, q, q, q, nullptr), WEFT_DIMS(4, 4, 4));
    weft_tensor *loss = weft_mean(g, weft_cross_entropy(g, weft_unembed(g, h, table), rows), WEFT_DIMS(0, 1));
    weft_graph_output(g, "layers", weft_graph_add(g, loss, balance));
}

/* The seconds and the bytes of memory of a step, of which something is known: there is a sum over the mesh. */
static weft_status dry_run(weft_context *cx, weft_graph *g) {
    weft_dryrun *d = nullptr;
    weft_dryrun_options options{};
    options.size = sizeof options;
    options.flags = WEFT_DRYRUN_UNFUSED | WEFT_DRYRUN_NO_OVERLAP;
    const weft_status st = weft_dryrun_make(cx, g, &options, &d);
    const weft_dryrun_report *r = weft_dryrun_get(d);
    int64_t calls = 0;
    for (size_t i = 0; r && i < r->collective_count; i++) calls += weft_dryrun_get_collective(d, i)->count;
    const bool whole = r && r->size == sizeof *r && r->devices == 2 && calls == r->collective_calls && calls > 0 &&
                       r->step_time_s > 0 && weft_dryrun_get_use(d, 0) && !weft_dryrun_get_line(d, 0);
    weft_dryrun_free(d);
    return st == WEFT_OK && !whole ? WEFT_ERR_MISMATCH : st;
}

/* A graph's text makes a graph, from memory and from a file. */
static weft_status texts(weft_context *cx, weft_graph *g) {
    const char *path = "installed.mlir";
    char *text = nullptr;
    weft_graph *again = nullptr, *filed = nullptr;
    weft_status st = weft_graph_text(g, &text);
    if (st == WEFT_OK) st = weft_graph_read_text(cx, "text", text, std::strlen(text), &again);
    if (std::FILE *f = st == WEFT_OK ? std::fopen(path, "w") : nullptr) {
        if (std::fputs(text, f) < 0) st = WEFT_ERR_IO;
        if (std::fclose(f)) st = WEFT_ERR_IO;
    }
    if (st == WEFT_OK) st = weft_graph_read(cx, path, &filed);
    weft_graph_free(filed);
    weft_graph_free(again);
    weft_text_free(cx, text);
    return st;
}

/* How the job's x lies: the second device has the last two of four rows. */
static weft_status parts(weft_job *job) {
    int64_t start[2] = { 0, 0 }, count[2] = { 0, 0 };
    weft_status st = weft_job_input_part(job, "x", 1, start, count, 2);
    if (st == WEFT_OK && (start[0] != 2 || count[0] != 2 || count[1] != 4)) st = WEFT_ERR_MISMATCH;
    if (st == WEFT_OK) st = weft_job_output_part(job, "product", 1, start, count, 2);
    if (st == WEFT_OK && (start[0] != 2 || count[0] != 2)) st = WEFT_ERR_MISMATCH;
    if (!weft_job_input_sharding(job, "x") || !weft_job_output_sharding(job, "product")) st = WEFT_ERR_MISMATCH;
    return st;
}

int main() {
    weft_context *cx = weft_context_new(nullptr);
    weft_graph *g = weft_graph_new(cx, "cxx");
    weft_rule_register(cx, "mine", "ij,jk->ik");
    weft_tensor *x = weft_graph_input(g, "x", "4x4xf32"), *row = weft_graph_input(g, "row", "4xf32"), *n = weft_graph_input(g, "n", "f32");
    const weft_device_mesh *mesh = weft_graph_mesh(g, "a=2");
    weft_shard(g, x, mesh, "a, -");
    shapes(g, x, row);
    control(g, x);
    moves(g, x);
    parameters(g, x);
    optimizers(g, x);
    layers(g, x);
    strategies(g, x);
    weft_graph_output(g, "elementwise", elementwise(g, x, weft_graph_convert(g, x, "i32")));
    weft_graph_output_sharded(g, "product", weft_graph_einsum(g, "ij,jk->ik", x, x), mesh, "a, -");
    weft_graph_update(g, n, weft_graph_scale(g, weft_graph_add(g, n, weft_graph_reduce(g, "add", x, WEFT_DIMS(0, 1))), 0.5));
    weft_job *job = nullptr;
    weft_job_options options{};
    options.size = sizeof options;
    options.launch = WEFT_LAUNCH_THREADS;
    float in[16], sum = 0;
    for (int i = 0; i < 16; i++) in[i] = float(i);
    weft_status st = dry_run(cx, g);
    if (st == WEFT_OK) st = texts(cx, g);
    if (st == WEFT_OK) st = weft_job_open(cx, g, &options, &job);
    if (st == WEFT_OK) st = parts(job);
    if (st == WEFT_OK) st = weft_job_write(job, "x", in, sizeof in);
    if (st == WEFT_OK) st = weft_job_step(job);
    if (st == WEFT_OK) st = weft_job_read(job, "n", &sum, sizeof sum);
    float shared = 0;
    if (st == WEFT_OK) st = arrays(cx, &shared);
    for (size_t i = 0; i < weft_context_diag_count(cx); i++)
        std::printf("%s: %s\n", weft_severity_name(weft_context_diag(cx, i)->severity), weft_context_diag(cx, i)->message);
    std::printf("%s: %g\n", weft_status_name(st), double(sum));
    weft_job_close(job);
    weft_graph_free(g);
    weft_context_free(cx);
    return st != WEFT_OK || sum != 60 || shared != 36; /* (0 + 1 + .. + 15) / 2; 8 + 0 + 1 + .. + 7 */
}
