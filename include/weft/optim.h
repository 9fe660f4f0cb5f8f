/* optim.h: from a loss to the next parameters: gradients, clipping, accumulation, schedules, optimizers, averages and
 * loss scaling, as functions over the ops of a graph (graph.h).
 *
 *     weft_tensors p = weft_parameters(g, "*"), d = weft_gradients(g, loss, p, NULL);
 *     weft_tensor *step = weft_training_step(g), *norm;
 *     weft_tensor *rate = weft_schedule_warmup_cosine(g, step, 6e-4, 100, 5000, 6e-5);
 *     d = weft_clip_by_global_norm(g, d, 1.0, &norm);
 *     weft_adamw(g, p, d, rate, &(weft_adamw_options){ .decay = 0.1, .decayed = "*weight" });
 *
 * An optimizer updates the parameters (weft_graph_update) and variables of its own (parameters.h), whose names are
 * paths: "adamw/m/blocks/up/weight". They are of f32, f64 for parameters of f64, and lie as their parameters do. What
 * is computed for narrower parameters is computed in f32 and rounded. An optimizer returns the parameters' next values.
 *
 * p and d are lists of equal length: parameters as weft_parameters lists them, and tensors of their shapes. rate is a
 * scalar of floats. Options may be NULL; fields that are 0 have the number that stands in brackets, and where 0 makes
 * sense, a negative number stands for it. Numbers are finite, and momenta and betas below 1. `when`, an i1 scalar, or
 * NULL: where it is false, nothing changes.
 *
 * Errors, ownership and threads are those of graph.h.
 */
#ifndef WEFT_OPTIM_H
#define WEFT_OPTIM_H

#include <weft/gradients.h>
#include <weft/parameters.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- gradients ---- */

/* Those of a loss with respect to p: weft_graph_gradients for lists. */
WEFT_API weft_tensors weft_gradients_at(weft_source at, weft_graph *g, weft_tensor *loss, weft_tensors p,
                                        const weft_gradient_options *options);

/* Means over n micro-batches, one after another in a loop: each x[i] is a batch along dimension 0, and micro-batch j
 * has its elements j, j + n, j + 2 n ..., which lie where the batch's do. body gets the m micro-batches and returns a
 * scalar, its loss; it may make parameters. *loss gets the mean of the losses, and the result is the mean of their
 * gradients, of f32 at least, with respect to the parameters that the pattern chooses (weft_parameters lists them
 * afterwards, in that order). Gradients are summed over devices once, after the loop. options say what is kept of each
 * micro-batch for its gradients (weft/gradients.h); NULL, which weft_accumulate passes: all. */
WEFT_API weft_tensors weft_accumulate_at(weft_source at, weft_graph *g, int64_t n, weft_tensor *const *x, size_t m,
                                         weft_body *body, void *user, const char *pattern, weft_tensor **loss,
                                         const weft_gradient_options *options);

/* The root of the sum of all squares. */
WEFT_API weft_tensor *weft_global_norm_at(weft_source at, weft_graph *g, weft_tensors d);
/* d, times most / norm where the norm is larger than most. *norm (or NULL) gets the norm. */
WEFT_API weft_tensors weft_clip_by_global_norm_at(weft_source at, weft_graph *g, weft_tensors d, double most,
                                                  weft_tensor **norm);

/* ---- schedules ---- functions of the step, a scalar of integers or floats, as scalars of f32 */

/* The variable "step", an i32 that counts the runs: 0 in the first. */
WEFT_API weft_tensor *weft_training_step_at(weft_source at, weft_graph *g);

WEFT_API weft_tensor *weft_schedule_constant_at(weft_source at, weft_graph *g, double rate);
/* From `from` at step 0 to `to` at step `steps`, and `to` after it: along a line, and along half a cosine. */
WEFT_API weft_tensor *weft_schedule_linear_at(weft_source at, weft_graph *g, weft_tensor *step, double from, double to,
                                              double steps);
WEFT_API weft_tensor *weft_schedule_cosine_at(weft_source at, weft_graph *g, weft_tensor *step, double from, double to,
                                              double steps);
/* Along a line to `rate`, which the step number `warmup` (counted from 1) has, then along a cosine to `last` at
 * `steps`.
 */
WEFT_API weft_tensor *weft_schedule_warmup_cosine_at(weft_source at, weft_graph *g, weft_tensor *step, double rate,
                                                     double warmup, double steps, double last);
/* The same line, then rate * sqrt(warmup / (step + 1)). */
WEFT_API weft_tensor *weft_schedule_inverse_sqrt_at(weft_source at, weft_graph *g, weft_tensor *step, double rate,
                                                    double warmup);

/* ---- optimizers ---- */

typedef enum weft_nesterov { WEFT_PLAIN_MOMENTUM, WEFT_NESTEROV } weft_nesterov;

/* decay of all optimizers: the parameter times rate * decay is subtracted, too, for the parameters that the pattern
 * `decayed` chooses [all]. */

typedef struct weft_sgd_options {
    double momentum, decay;      /* none */
    weft_nesterov nesterov;
    const char *decayed;
    weft_tensor *when;
    size_t size;                 /* sizeof(weft_sgd_options); 0: the fields above (weft/weft.h) */
} weft_sgd_options;
/* m = momentum m + d; p -= rate m, or rate (d + momentum m) by Nesterov. State "sgd/m/..." if there is momentum. */
WEFT_API weft_tensors weft_sgd_at(weft_source at, weft_graph *g, weft_tensors p, weft_tensors d, weft_tensor *rate,
                                  const weft_sgd_options *options);

typedef struct weft_adamw_options {
    double beta1, beta2, epsilon, decay; /* [0.9, 0.999, 1e-8, none] */
    const char *decayed;
    weft_tensor *when;
    size_t size;                 /* sizeof(weft_adamw_options); 0: the fields above (weft/weft.h) */
} weft_adamw_options;
/* Loshchilov and Hutter, 2019. State "adamw/m/...", "adamw/v/..." and "adamw/count". */
WEFT_API weft_tensors weft_adamw_at(weft_source at, weft_graph *g, weft_tensors p, weft_tensors d, weft_tensor *rate,
                                    const weft_adamw_options *options);

typedef struct weft_lion_options {
    double beta1, beta2, decay;  /* [0.9, 0.99, none] */
    const char *decayed;
    weft_tensor *when;
    size_t size;                 /* sizeof(weft_lion_options); 0: the fields above (weft/weft.h) */
} weft_lion_options;
/* p -= rate sign(beta1 m + (1 - beta1) d); m = beta2 m + (1 - beta2) d. Chen et al., 2023. State "lion/m/...". */
WEFT_API weft_tensors weft_lion_at(weft_source at, weft_graph *g, weft_tensors p, weft_tensors d, weft_tensor *rate,
                                   const weft_lion_options *options);

typedef struct weft_adafactor_options {
    double decay_exponent;       /* second moments keep 1 - count^-decay_exponent [0.8] */
    double epsilon;              /* added to squares [1e-30] */
    double clip;                 /* the most that the root of a layer's mean square of the change may be [1] */
    double least_scale;          /* the change is times the root of the mean square of the parameter, at least this
                                  * [1e-3]; negative: not */
    int64_t least_factored;      /* both of a layer's last dimensions have so many: rows and columns are kept [128] */
    double decay;
    const char *decayed;
    weft_tensor *when;
    size_t size;                 /* sizeof(weft_adafactor_options); 0: the fields above (weft/weft.h) */
} weft_adafactor_options;
/* Shazeer and Stern, 2018, without a first moment. State "adafactor/row/..." and "adafactor/column/...", which have the
 * size of a row and of a column, or "adafactor/v/..." where a layer's parameter is small or a vector, and
 * "adafactor/count". */
WEFT_API weft_tensors weft_adafactor_at(weft_source at, weft_graph *g, weft_tensors p, weft_tensors d,
                                        weft_tensor *rate, const weft_adafactor_options *options);

typedef struct weft_muon_options {
    double momentum;             /* [0.95] */
    weft_nesterov nesterov;
    double decay;
    const char *decayed;
    weft_tensor *when;
    size_t size;                 /* sizeof(weft_muon_options); 0: the fields above (weft/weft.h) */
} weft_muon_options;
/* Jordan, 2024: m = momentum m + (1 - momentum) d; p -= rate sqrt(max(1, outputs / inputs)) times m, or by Nesterov
 * times momentum m + (1 - momentum) d, made nearly orthogonal by five steps of Newton and Schulz. Each layer's
 * parameter is one matrix, of the dimensions that an output sums by those of the outputs; a vector is refused, and is
 * another optimizer's. State "muon/m/...". */
WEFT_API weft_tensors weft_muon_at(weft_source at, weft_graph *g, weft_tensors p, weft_tensors d, weft_tensor *rate,
                                   const weft_muon_options *options);

/* The averages that "ema/..." will have: decay times what they are and 1 - decay times next, the parameters' next
 * values. They begin with the parameters. */
WEFT_API weft_tensors weft_ema_at(weft_source at, weft_graph *g, weft_tensors p, weft_tensors next, double decay,
                                  weft_tensor *when);

/* ---- loss scaling ---- for gradients in f16 or bf16: the loss times a scale is differentiated. */

/* The variable "loss_scale/scale", f32, which begins with `first`. */
WEFT_API weft_tensor *weft_loss_scale_at(weft_source at, weft_graph *g, double first);

typedef struct weft_unscale_options {
    double growth, backoff;      /* of the scale after `interval` steps of finite gradients [2], and else [0.5] */
    int64_t interval;            /* [2000] */
    size_t size;                 /* sizeof(weft_unscale_options); 0: the fields above (weft/weft.h) */
} weft_unscale_options;
/* d / scale, in f32. *finite gets whether all of them are finite: `when` of the optimizer. The scale is updated. State
 * "loss_scale/good", the steps since it changed. */
WEFT_API weft_tensors weft_unscale_at(weft_source at, weft_graph *g, weft_tensors d, weft_tensor *scale,
                                      const weft_unscale_options *options, weft_tensor **finite);

/* ---- the calls as they are made: with the caller's place. Options may be a compound literal ---- */

#define weft_gradients(...)                  weft_gradients_at(WEFT_HERE, __VA_ARGS__)
#define weft_accumulate(...)                 weft_accumulate_at(WEFT_HERE, __VA_ARGS__, NULL)
#define weft_accumulate_with(...)            weft_accumulate_at(WEFT_HERE, __VA_ARGS__)
#define weft_global_norm(...)                weft_global_norm_at(WEFT_HERE, __VA_ARGS__)
#define weft_clip_by_global_norm(...)        weft_clip_by_global_norm_at(WEFT_HERE, __VA_ARGS__)
#define weft_training_step(...)              weft_training_step_at(WEFT_HERE, __VA_ARGS__)
#define weft_schedule_constant(...)          weft_schedule_constant_at(WEFT_HERE, __VA_ARGS__)
#define weft_schedule_linear(...)            weft_schedule_linear_at(WEFT_HERE, __VA_ARGS__)
#define weft_schedule_cosine(...)            weft_schedule_cosine_at(WEFT_HERE, __VA_ARGS__)
#define weft_schedule_warmup_cosine(...)     weft_schedule_warmup_cosine_at(WEFT_HERE, __VA_ARGS__)
#define weft_schedule_inverse_sqrt(...)      weft_schedule_inverse_sqrt_at(WEFT_HERE, __VA_ARGS__)
#define weft_sgd(...)                        weft_sgd_at(WEFT_HERE, __VA_ARGS__)
#define weft_adamw(...)                      weft_adamw_at(WEFT_HERE, __VA_ARGS__)
#define weft_lion(...)                       weft_lion_at(WEFT_HERE, __VA_ARGS__)
#define weft_adafactor(...)                  weft_adafactor_at(WEFT_HERE, __VA_ARGS__)
#define weft_muon(...)                       weft_muon_at(WEFT_HERE, __VA_ARGS__)
#define weft_ema(...)                        weft_ema_at(WEFT_HERE, __VA_ARGS__)
#define weft_loss_scale(...)                 weft_loss_scale_at(WEFT_HERE, __VA_ARGS__)
#define weft_unscale(...)                    weft_unscale_at(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
