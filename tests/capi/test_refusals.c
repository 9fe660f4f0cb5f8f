/* Errors in graphs made in C, as a table: an error, and its diagnostic at the line that made it. */
#include <math.h>
#include <weft/nn.h>
#include <weft/optim.h>
#include <weft/random.h>
#include <weft/strategy.h>
#include "tests/support/suite.h"

static weft_context *cx;
static weft_graph *g, *other;
static weft_tensor *x, *y; /* 4x8 of f32, 8 of i32 */
static const weft_device_mesh *mesh;

#define DIMS(...) \
    ((weft_dims){ (const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t) })

static void makes_parameter(weft_graph *in, weft_tensor *const *a, weft_tensor **b, void *user) {
    (void)user;
    weft_parameter(in, "p", "4xf32", weft_init_zeros());
    b[0] = a[0];
}
static void makes_loss(weft_graph *in, weft_tensor *const *a, weft_tensor **b, void *user) {
    makes_parameter(in, a, b, user);
    b[0] = weft_graph_reduce(in, "add", a[0], DIMS(0, 1));
}
/* Name, what is said, the mistake. */
#define ONE(t) ((weft_tensors){ &(weft_tensor *){ t }, 1 })
#define NO_LIST ((weft_tensors){ NULL, 0 })
#define SCALAR weft_graph_fill(g, "f32", 1)
#define LEARNED ONE(weft_parameter(g, "p", "4xf32", weft_init_zeros()))
#define LEARNED_AS ONE(weft_graph_fill(g, "4xf32", 1))
#define FOUR weft_graph_reshape(g, x, DIMS(1, 4, 2, 4))
#define TEXT_OF(n) #n
#define TEXT(n) TEXT_OF(n)
#define THIS TEXT(WEFT_VERSION_MAJOR) "." TEXT(WEFT_VERSION_MINOR) "." TEXT(WEFT_VERSION_PATCH)
/* The options of a later version. */
static const struct { weft_linear_options known; int64_t more; } newer = { { .size = sizeof newer }, 1 };
#define MISTAKES(M) \
    M(size_of_linear, "weft_linear_options.size is 3: it has to be 0 or sizeof(weft_linear_options)", \
      weft_linear(g, "l", x, DIMS(4), &(weft_linear_options){ .size = 3 })) \
    M(size_of_conv, "weft_conv_options.size is 5000: it has to be 0 or sizeof(weft_conv_options)", \
      weft_conv(g, "c", weft_graph_reshape(g, x, DIMS(1, 4, 8)), DIMS(3), 4, &(weft_conv_options){ .size = 5000 })) \
    M(size_of_attention, "weft_attention_options.size is 1: it has to be 0 or sizeof(weft_attention_options)", \
      weft_attention(g, FOUR, FOUR, FOUR, &(weft_attention_options){ .size = 1 })) \
    M(size_of_experts, "weft_experts_options.size is 1: it has to be 0 or sizeof(weft_experts_options)", \
      weft_experts(g, "m", weft_graph_reshape(g, x, DIMS(1, 4, 8)), &(weft_experts_options){ .size = 1 }, NULL)) \
    M(size_of_sgd, "weft_sgd_options.size is 1: it has to be 0 or sizeof(weft_sgd_options)", \
      weft_sgd(g, LEARNED, ONE(x), SCALAR, &(weft_sgd_options){ .size = 1 })) \
    M(size_of_adamw, "weft_adamw_options.size is 1: it has to be 0 or sizeof(weft_adamw_options)", \
      weft_adamw(g, LEARNED, ONE(x), SCALAR, &(weft_adamw_options){ .size = 1 })) \
    M(size_of_lion, "weft_lion_options.size is 1: it has to be 0 or sizeof(weft_lion_options)", \
      weft_lion(g, LEARNED, ONE(x), SCALAR, &(weft_lion_options){ .size = 1 })) \
    M(size_of_adafactor, "weft_adafactor_options.size is 1: it has to be 0 or sizeof(weft_adafactor_options)", \
      weft_adafactor(g, LEARNED, ONE(x), SCALAR, &(weft_adafactor_options){ .size = 1 })) \
    M(size_of_muon, "weft_muon_options.size is 1: it has to be 0 or sizeof(weft_muon_options)", \
      weft_muon(g, LEARNED, ONE(x), SCALAR, &(weft_muon_options){ .size = 1 })) \
    M(size_of_unscale, "weft_unscale_options.size is 1: it has to be 0 or sizeof(weft_unscale_options)", \
      weft_unscale(g, ONE(x), SCALAR, &(weft_unscale_options){ .size = 1 }, NULL)) \
    M(size_of_gradients, "weft_gradient_options.size is 1: it has to be 0 or sizeof(weft_gradient_options)", \
      weft_accumulate_with(g, 1, &x, 1, makes_loss, NULL, "*", NULL, &(weft_gradient_options){ .size = 1 })) \
    M(newer_field, "a field of weft_linear_options is set that this version of Weft, " THIS ", does not have", \
      weft_linear(g, "l", x, DIMS(4), &newer.known)) \
    M(no_gradients, "sgd: 1 parameters and 0 gradients: there is one of its shape for each", \
      weft_sgd(g, ONE(weft_parameter(g, "p", "4xf32", weft_init_zeros())), NO_LIST, SCALAR, NULL)) \
    M(no_steps, "schedule: 0 steps are not above 0", weft_schedule_linear(g, SCALAR, 0, 1, 0)) \
    M(no_warmup, "schedule: 0 steps are not above 0", weft_schedule_inverse_sqrt(g, SCALAR, 1, 0)) \
    M(all_warmup, "schedule: 5 steps of warm-up are not fewer than 5", \
      weft_schedule_warmup_cosine(g, SCALAR, 1, 5, 5, 0)) \
    M(norm_of_nothing, "global_norm: the list is empty", weft_global_norm(g, NO_LIST)) \
    M(unscaled_nothing, "unscale: the list is empty", weft_unscale(g, NO_LIST, SCALAR, NULL, NULL)) \
    M(average_of_nothing, "ema: 1 parameters and 0 next values", weft_ema(g, ONE(x), NO_LIST, 0.9, NULL)) \
    M(orthogonal_vector, "muon: 'p' is a vector: it is another optimizer's (in \"muon\")", \
      (x = weft_parameter(g, "p", "4xf32", weft_init_zeros()), weft_muon(g, ONE(x), ONE(x), SCALAR, NULL))) \
    M(no_micro_batches, "'accumulate' has 0 micro-batches", \
      weft_accumulate(g, 0, &x, 1, makes_parameter, NULL, "*", NULL)) \
    M(accumulated_nothing, "'accumulate' has no body: it is NULL", \
      weft_accumulate(g, 2, &x, 1, NULL, NULL, "*", NULL)) \
    M(uneven_batch, "batch 0 of 'accumulate' has 4 elements, which 3 does not divide", \
      weft_accumulate(g, 3, &x, 1, makes_parameter, NULL, "*", NULL)) \
    M(layer_of_nothing, "softmax: an operand is NULL", weft_softmax(g, NULL, 0)) \
    M(flat_heads, "attention: an operand has 2 dimensions, not 4", weft_attention(g, x, x, x, NULL)) \
    M(flat_image, "conv: an operand has 2 dimensions, not 3 to 8", weft_conv(g, "c", x, WEFT_DIMS(3), 8, NULL)) \
    M(layer_of_integers, "softmax: an operand is of 'i32', not of floats", weft_softmax(g, y, 0)) \
    M(linear_to_nothing, "linear: 1 dimensions are summed and 0 made, of a tensor that has 2", \
      weft_linear(g, "l", x, WEFT_NO_DIMS, NULL)) \
    M(kernel_without_sizes, "conv: a list of sizes has not 1 entries above 0", \
      weft_conv(g, "c", weft_graph_reshape(g, x, DIMS(1, 4, 8)), WEFT_DIMS(3, 3), 8, NULL)) \
    M(odd_groups, "conv: 8 features in and 9 out are not divided by 2 groups", \
      weft_conv(g, "c", weft_graph_reshape(g, x, DIMS(1, 4, 8)), WEFT_DIMS(3), 9, \
                &(weft_conv_options){ .groups = 2, .bias = WEFT_WITH_BIAS })) \
    M(no_such_padding, "the padding 9 is not a weft_padding", \
      weft_max_pool(g, weft_graph_reshape(g, x, DIMS(1, 4, 8)), WEFT_DIMS(2), WEFT_NO_DIMS, (weft_padding)9)) \
    M(no_such_norm, "batch_norm: 5 is not a weft_batch_norm_by (in \"n\")", \
      weft_batch_norm(g, "n", x, (weft_batch_norm_by)5, 0.9, 1e-5)) \
    M(softmax_past_the_end, "softmax: there is no dimension 2", weft_softmax(g, x, 2)) \
    M(all_dropped, "dropout: the rate 1 is not from 0 to below 1", weft_dropout(g, x, x, 1)) \
    M(odd_heads, "rope: a head of 1 elements has no halves", \
      weft_rope(g, weft_graph_reshape(g, x, DIMS(1, 4, 8, 1)), NULL, 0)) \
    M(uneven_heads, "attention: 4 heads are not divided by 8 groups of keys", \
      weft_attention(g, weft_graph_reshape(g, x, DIMS(1, 2, 4, 4)), weft_graph_reshape(g, x, DIMS(1, 1, 8, 4)), \
                     weft_graph_reshape(g, x, DIMS(1, 1, 8, 4)), NULL)) \
    M(window_of_all, "attention: a window is above 0, and of a causal mask", \
      weft_attention(g, weft_graph_reshape(g, x, DIMS(1, 2, 4, 4)), weft_graph_reshape(g, x, DIMS(1, 2, 4, 4)), \
                     weft_graph_reshape(g, x, DIMS(1, 2, 4, 4)), \
                     &(weft_attention_options){ .mask = WEFT_MASK_NONE, .window = 2 })) \
    M(no_outputs, "linear: a dimension of the outputs is 0, not a number above 0", \
      weft_linear(g, "l", x, DIMS(4, 0), NULL)) \
    M(no_such_bias, "linear: 7 is not a weft_bias", \
      weft_linear(g, "l", x, DIMS(4), &(weft_linear_options){ .bias = (weft_bias)7 })) \
    M(conv_bias, "conv: 7 is not a weft_bias", \
      weft_conv(g, "c", weft_graph_reshape(g, x, DIMS(1, 4, 8)), DIMS(3), 4, \
                &(weft_conv_options){ .bias = (weft_bias)7 })) \
    M(swiglu_to_nothing, "linear: a dimension of the outputs is -5, not a number above 0 (in \"s\")", \
      weft_swiglu(g, "s", x, -5, weft_init_he())) \
    M(whole_table, "unembed: an operand is of 'i32', not of floats", \
      weft_unembed(g, x, weft_graph_reshape(g, y, DIMS(1, 8)))) \
    M(long_kernel, "a window of 5 elements is longer than the 4 of its dimension, which has no padding", \
      weft_conv(g, "c", weft_graph_reshape(g, x, DIMS(1, 4, 8)), DIMS(3), 4, \
                &(weft_conv_options){ .padding = WEFT_PADDING_NONE, .dilation = DIMS(2) })) \
    M(long_window, "a window of 5 elements is longer than the 4 of its dimension, which has no padding", \
      weft_max_pool(g, weft_graph_reshape(g, x, DIMS(1, 4, 8)), DIMS(5), WEFT_NO_DIMS, WEFT_PADDING_NONE)) \
    M(mean_of_integers, "mean: an operand is of 'i32', not of floats", weft_mean(g, y, DIMS(0))) \
    M(pool_of_integers, "average_pool: an operand is of 'i32', not of floats", \
      weft_average_pool(g, weft_graph_reshape(g, y, DIMS(1, 8, 1)), DIMS(2), WEFT_NO_DIMS, WEFT_PADDING_SAME)) \
    M(epsilon_below, "layer_norm: epsilon is -1, not at least 0", weft_layer_norm(g, "n", x, -1)) \
    M(epsilon_of_rms, "rms_norm: epsilon is nan, not a finite number", weft_rms_norm(g, "n", x, NAN)) \
    M(epsilon_of_batch, "batch_norm: epsilon is -1, not at least 0", \
      weft_batch_norm(g, "n", x, WEFT_BY_BATCH, 0.9, -1)) \
    M(momentum_of_batch, "batch_norm: momentum is 1.5, not below 1", \
      weft_batch_norm(g, "n", x, WEFT_BY_BATCH, 1.5, 1e-5)) \
    M(real_positions, "rope: an operand is of 'f32', not of integers", \
      weft_rope(g, FOUR, weft_graph_fill(g, "4xf32", 0), 0)) \
    M(negative_base, "rope: base is -2, not at least 0", weft_rope(g, FOUR, NULL, -2)) \
    M(scale_of_nothing, "attention: scale is inf, not a finite number", \
      weft_attention(g, FOUR, FOUR, FOUR, &(weft_attention_options){ .scale = INFINITY })) \
    M(queries_before_keys, "attention: the mask is causal, and 2 keys are fewer than 4 queries", \
      weft_attention(g, FOUR, weft_graph_reshape(g, x, DIMS(1, 2, 2, 8)), \
                     weft_graph_reshape(g, x, DIMS(1, 2, 2, 8)), NULL)) \
    M(real_labels, "cross_entropy: an operand is of 'f32', not of integers", \
      weft_cross_entropy(g, x, weft_graph_fill(g, "4xf32", 0))) \
    M(heavy_ball, "sgd: momentum is 1.5, not below 1", \
      weft_sgd(g, LEARNED, LEARNED_AS, SCALAR, &(weft_sgd_options){ .momentum = 1.5 })) \
    M(no_such_nesterov, "sgd: 5 is not a weft_nesterov", \
      weft_sgd(g, LEARNED, LEARNED_AS, SCALAR, &(weft_sgd_options){ .nesterov = (weft_nesterov)5 })) \
    M(decay_of_infinity, "lion: decay is inf, not a finite number", \
      weft_lion(g, LEARNED, LEARNED_AS, SCALAR, &(weft_lion_options){ .decay = INFINITY })) \
    M(beta_of_one, "adamw: beta1 is 1, not below 1", \
      weft_adamw(g, LEARNED, LEARNED_AS, SCALAR, &(weft_adamw_options){ .beta1 = 1 })) \
    M(beta_of_two, "adamw: beta2 is 2, not below 1", \
      weft_adamw(g, LEARNED, LEARNED_AS, SCALAR, &(weft_adamw_options){ .beta2 = 2 })) \
    M(beta_of_lion, "lion: beta2 is nan, not a finite number", \
      weft_lion(g, LEARNED, LEARNED_AS, SCALAR, &(weft_lion_options){ .beta2 = NAN })) \
    M(clip_below, "adafactor: clip is -1, not at least 0", \
      weft_adafactor(g, LEARNED, LEARNED_AS, SCALAR, &(weft_adafactor_options){ .clip = -1 })) \
    M(momentum_of_muon, "muon: momentum is 2, not below 1", \
      weft_muon(g, LEARNED, LEARNED_AS, SCALAR, &(weft_muon_options){ .momentum = 2 })) \
    M(average_of_more, "ema: decay is 1.5, not below 1", weft_ema(g, LEARNED, LEARNED_AS, 1.5, NULL)) \
    M(clipped_to_nothing, "clip_by_global_norm: the norm is -1, not a number above 0", \
      weft_clip_by_global_norm(g, ONE(x), -1, NULL)) \
    M(no_scale, "loss_scale: the scale is 0, not a number above 0", weft_loss_scale(g, 0)) \
    M(scale_shrinks, "unscale: growth is 0.5, not at least 1", \
      weft_unscale(g, ONE(x), SCALAR, &(weft_unscale_options){ .growth = 0.5 }, NULL)) \
    M(scale_stays, "unscale: backoff is 1, not below 1", \
      weft_unscale(g, ONE(x), SCALAR, &(weft_unscale_options){ .backoff = 1 }, NULL)) \
    M(negative_interval, "unscale: interval is -5, not at least 0", \
      weft_unscale(g, ONE(x), SCALAR, &(weft_unscale_options){ .interval = -5 }, NULL)) \
    M(rate_of_nothing, "schedule: a number is nan, not a finite number", weft_schedule_constant(g, NAN)) \
    M(line_to_nothing, "schedule: a number is inf, not a finite number", \
      weft_schedule_linear(g, SCALAR, 1, INFINITY, 10)) \
    M(negative_deviation, "the parameter's initialiser has a standard deviation of -1", \
      weft_parameter(g, "p", "4xf32", weft_init_normal(-1))) \
    M(turned_interval, "the parameter's initialiser draws from 2 to 1", \
      weft_parameter(g, "p", "4xf32", weft_init_uniform(2, 1))) \
    M(negative_fan, "the parameter's initialiser has fans of -1 and 0", \
      weft_parameter(g, "p", "4xf32", (weft_init){ .kind = WEFT_INIT_HE, .fan_in = -1 })) \
    M(turned_draw, "'random_uniform' draws from 2 to 1", \
      weft_graph_random_uniform(g, weft_graph_random_key(g, 1), "4xf32", 2, 1)) \
    M(likelier_than_sure, "'random_bernoulli' has the probability 1.5", \
      weft_graph_random_bernoulli(g, weft_graph_random_key(g, 1), "4xi1", 1.5)) \
    M(columns_of_nothing, "a pattern of names is empty: \"*\" is all", weft_strategy_tp(g, mesh, "a", NULL, NULL)) \
    M(no_experts, "experts: 0 experts of 8 hidden features, 2 of them chosen (16 at most), capacity 1.25", \
      weft_experts(g, "m", weft_graph_reshape(g, x, DIMS(1, 4, 8)), &(weft_experts_options){ .hidden = 8 }, NULL)) \
    M(parameter_without_name, "a parameter needs a name", weft_parameter(g, "", "4xf32", weft_init_zeros())) \
    M(variable_without_name, "a variable needs a name", weft_variable(g, NULL, "4xf32", weft_init_zeros())) \
    M(whole_parameter, "a parameter is of floats, not '4xi32'", weft_parameter(g, "p", "4xi32", weft_init_zeros())) \
    M(random_integers, "a variable of 'i32' cannot begin with random numbers: they are floats", \
      weft_variable(g, "v", "4xi32", weft_init_normal(1))) \
    M(no_such_start, "the parameter's initialiser has no kind 77", \
      weft_parameter(g, "p", "4xf32", (weft_init){ .kind = (weft_init_kind)77 })) \
    M(parameter_twice, "there is an input 'p' already", \
      (weft_parameter(g, "p", "4xf32", weft_init_zeros()), weft_parameter(g, "p", "4xf32", weft_init_zeros()))) \
    M(copying_parameter, "a parameter begins with no other's value: that is for variables", \
      weft_parameter(g, "p", "4xf32", weft_init_copy())) \
    M(copy_of_nothing, "a variable of no parameter begins with no parameter's value", \
      weft_variable(g, "v", "4xf32", weft_init_copy())) \
    M(copy_of_part, "a copy of a parameter has all of its dimensions", \
      weft_variable_of(g, weft_parameter(g, "p", "4x8xf32", weft_init_zeros()), DIMS(0), NULL, weft_init_copy())) \
    M(of_no_parameter, "a variable is of a parameter as weft_parameters lists it", \
      weft_variable_of(g, x, DIMS(0), NULL, weft_init_zeros())) \
    M(of_other_dims, "the dimensions of a variable ascend and are the parameter's", \
      weft_variable_of(g, weft_parameter(g, "p", "4x8xf32", weft_init_zeros()), DIMS(1, 0), NULL, weft_init_zeros())) \
    M(pattern_of_none, "parameters: none of 1 parameters is called \"wieght\"; did you mean 'weight'?", \
      (weft_parameter(g, "weight", "4xf32", weft_init_zeros()), weft_parameters(g, "wieght"))) \
    M(empty_pattern, "a pattern of names is empty: \"*\" is all", weft_parameters(g, "")) \
    M(no_layers, "'layers' has 0 layers", \
      weft_layers(g, "blocks", 0, &x, 1, makes_parameter, NULL, &(weft_tensor *){ NULL })) \
    M(nameless_layers, "'layers' needs a name", \
      weft_layers_unrolled(g, "", 2, &x, 1, makes_parameter, NULL, &(weft_tensor *){ NULL })) \
    M(layers_without_body, "'layers' has no body: it is NULL", \
      weft_layers(g, "blocks", 2, &x, 1, NULL, NULL, &(weft_tensor *){ NULL })) \
    M(refused, "a layer of 3 things", weft_graph_refuse(g, "a layer of %d things", 3)) \
    M(no_operand, "operand 1 of 'stablehlo.negate' is NULL", weft_graph_negate(g, NULL)) \
    M(no_type, "'4y8' is not a tensor's type, such as \"64x256xf32\" or \"f32\"", weft_graph_input(g, "z", "4y8")) \
    M(no_name, "an input needs a name", weft_graph_input(g, "", "f32")) \
    M(not_an_input, "only an input can be updated", weft_graph_update(g, weft_graph_negate(g, x), x)) \
    M(two_updates, "input 'x' has an update already", (weft_graph_update(g, x, x), weft_graph_update(g, x, x))) \
    M(no_output, "an output needs a name", weft_graph_output(g, NULL, x)) \
    M(no_attribute, "'stablehlo.negate' has no attribute 'speed'", \
      weft_graph_op(g, "negate", &x, 1, "{speed = 3 : i64}", NULL, &(weft_tensor *){ NULL }, 1)) \
    M(no_dictionary, "the attributes of 'stablehlo.negate' are not a dictionary", \
      weft_graph_op(g, "negate", &x, 1, "3 : i64", NULL, &(weft_tensor *){ NULL }, 1)) \
    M(no_braces, "in the attributes of 'stablehlo.negate', at character 1: unknown type 'speed'", \
      weft_graph_op(g, "negate", &x, 1, "speed = 3", NULL, &(weft_tensor *){ NULL }, 1)) \
    M(open_braces, \
      "in the attributes of 'stablehlo.reverse', at character 28: expected '}', found the end of the text", \
      weft_graph_op(g, "reverse", &x, 1, "{dimensions = array<i64: 0>", NULL, &(weft_tensor *){ NULL }, 1)) \
    M(odd_type, "in the type 'tensor<4x?y8>', at character 11: expected 'x' after a dimension, found 'y8'", \
      weft_graph_op(g, "negate", &x, 1, NULL, "tensor<4x?y8>", &(weft_tensor *){ NULL }, 1)) \
    M(many_types, "more types than results", \
      weft_graph_op(g, "negate", &x, 1, NULL, "4x8xf32; 4x8xf32", &(weft_tensor *){ NULL }, 1)) \
    M(no_result_type, "the result type of 'stablehlo.reshape' must be given", \
      weft_graph_op(g, "reshape", &x, 1, NULL, NULL, &(weft_tensor *){ NULL }, 1)) \
    M(no_comparison, "'LESS' is not a comparison: EQ, NE, GE, GT, LE or LT", weft_graph_compare(g, "LESS", x, x)) \
    M(no_element_type, "'f31' is not an element type", weft_graph_convert(g, x, "f31")) \
    M(not_pointwise, "'stablehlo.transpose' is not pointwise", \
      weft_graph_pointwise_at(WEFT_HERE, g, "transpose", &x, 1)) \
    M(too_few, "'stablehlo.add' takes 2 operands, not 1", weft_graph_pointwise_at(WEFT_HERE, g, "add", &x, 1)) \
    M(no_op, "there is no op 'negatee'; did you mean 'stablehlo.negate'?", \
      weft_graph_pointwise_at(WEFT_HERE, g, "negatee", &x, 1)) \
    M(op_of_another_dialect, "there is no op 'mhlo.cosine'; did you mean 'stablehlo.cosine'?", \
      weft_graph_op(g, "mhlo.cosine", &x, 1, NULL, NULL, &(weft_tensor *){ NULL }, 1)) \
    M(op_return, \
      "'stablehlo.return' ends a body or names a symbol, and is made by the graph: weft_graph_function, " \
      "weft_graph_mesh", \
      weft_graph_op(g, "return", &x, 1, NULL, NULL, NULL, 0)) \
    M(op_with_region, "'stablehlo.sort' has a body: weft_graph_op_with makes it (weft/control.h)", \
      weft_graph_op(g, "sort", &x, 1, NULL, NULL, &(weft_tensor *){ NULL }, 1)) \
    M(nothing_joined, "'stablehlo.concatenate' needs an operand: n is 0", weft_graph_concatenate(g, &x, 0, 0)) \
    M(below_zero, "dimension 1 is negative", weft_graph_reshape(g, x, DIMS(4, -8))) \
    M(too_many_letters, "\"bij,io->bo\" names 3 and 2 dimensions, the operands have 2 and 2", \
      weft_graph_einsum(g, "bij,io->bo", x, x)) \
    M(letter_of_nobody, "'q' of \"bi,bi->bq\" is in no operand", weft_graph_einsum(g, "bi,bi->bq", x, x)) \
    M(lonely_letter, "'j' of \"bi,bj->bi\" is in one operand only: reduce it first", \
      weft_graph_einsum(g, "bi,bj->bi", x, x)) \
    M(no_reduction, "'mean' is no reduction: add, multiply, maximum, minimum, and, or, xor", \
      weft_graph_reduce(g, "mean", x, DIMS(0))) \
    M(reduced_twice, "reduced dimension 0 is repeated or not below the rank 2", \
      weft_graph_reduce(g, "add", x, DIMS(0, 0))) \
    M(no_mesh, "the mesh is NULL or of another graph", weft_shard(g, x, NULL, "-, -")) \
    M(mesh_of_another, "the mesh is NULL or of another graph", \
      weft_shard(g, x, weft_graph_mesh(other, "a=2"), "a, -")) \
    M(annotated_twice, "input 'x' is annotated already", \
      (weft_shard(g, x, mesh, "a, -"), weft_shard(g, x, mesh, "-, a"))) \
    M(used_twice, "axis 'a' is used twice in \"a, a\"", weft_shard(g, x, mesh, "a, a")) \
    M(bad_sharding, "expected ',' or ';' at column 3 of \"a -\"", weft_shard(g, x, mesh, "a -"))

#define FUNCTION(name, want, mistake) static void make_##name(void) { (void)y; mistake; }
MISTAKES(FUNCTION)
#define ROW(name, want, mistake) { make_##name, want },
static const struct { void (*make)(void); const char *want; } mistakes[] = { MISTAKES(ROW) };

START_TEST(test_mistake) {
    cx = weft_context_new(NULL);
    g = weft_graph_new(cx, "test"), other = weft_graph_new(cx, "other");
    x = weft_graph_input(g, "x", "4x8xf32"), y = weft_graph_input(g, "y", "8xi32");
    mesh = weft_graph_mesh(g, "a=2,b=2");
    ck_assert(x && y && mesh);
    mistakes[_i].make();
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_int_ne(weft_graph_status(g), WEFT_OK);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_str_eq(d->message, mistakes[_i].want);
    ck_assert(d->file && strstr(d->file, "test_refusals.c"));
    weft_graph_free(g), weft_graph_free(other);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/refusals");
    TCase *tc = tcase_create("refusals");
    tcase_add_loop_test(tc, test_mistake, 0, (int)(sizeof mistakes / sizeof *mistakes));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
