/* floor.c: see floor.h. */
#include "cost/floor.h"

#include <math.h>
#include "cost/fuse_internal.h"

static weft_status find_mask(void *user, weft_op *op) {
    bool *found = user;
    *found |= fuse_masks_triangle(op);
    return WEFT_OK;
}

/* A fused attention's products have batch dimensions (fuse_attention.c). */
static bool may_be_attention(const weft_op *op) {
    const weft_attr *a = op->kind == WEFT_OP_dot_general ? weft_op_attr(op, WEFT_A_dot_dimension_numbers) : NULL;
    return a && a->dot.lhs_batch.n > 0;
}

typedef struct sums {
    weft_floor floor;
    const weft_machine *machine;
    bool fused;
    /* of products that may be a part of attention, whose kernel works at the rate of one of them */
    double attention_flops, attention_rate;
} sums;

static void add(sums *s, const weft_task_use *u) {
    const weft_costs *c = &s->machine->costs;
    const weft_kernel *k = &u->task->kernel;
    const double times = (double)u->count, rate = weft_kernel_rate(s->machine, k->dtype);
    if (u->task->kind != WEFT_TASK_KERNEL || k->flops <= 0) return;
    if (s->fused && k->kind == WEFT_KERNEL_PRODUCT && may_be_attention(u->task->op)) {
        s->attention_flops += times * k->flops;
        s->attention_rate = fmax(s->attention_rate, rate);
    } else if (k->kind == WEFT_KERNEL_PRODUCT) {
        const double arithmetic_s = times * k->flops / (rate * c->product_share);
        s->floor.split_s += arithmetic_s;
        s->floor.ramp_s += arithmetic_s * cbrt(pow(1e9 * c->product_ramp / k->flops, 2));
        s->floor.fixed_s += times * c->kernel_s;
    } else if (k->kind == WEFT_KERNEL_CONVOLUTION) {
        s->floor.split_s += times * k->flops / (rate * c->convolution_share);
        s->floor.fixed_s += times * c->kernel_s;
    }
}

weft_status weft_floor_of(const weft_module *m, const weft_fuse_options *fuse, const weft_timeline_options *time,
                          weft_arena *scratch, weft_floor *out) {
    const weft_mark mark = weft_arena_mark(scratch);
    sums s = { .machine = fuse->machine, .fused = fuse->attention == WEFT_ATTENTION_FUSED };
    weft_machine apart = *fuse->machine; /* each product is a kernel of its own */
    weft_fuse_options options = *fuse;
    weft_task_list list;
    const weft_task_use *uses = NULL;
    size_t n = 0;
    bool masked = false;
    apart.costs.product_fusion = 0;
    options.machine = &apart;
    options.attention = WEFT_ATTENTION_UNFUSED;
    weft_status st = weft_fuse(m, &options, scratch, &list);
    if (st == WEFT_OK) st = weft_task_uses(&list, time, scratch, &uses, &n);
    if (st == WEFT_OK) st = weft_module_walk(m, find_mask, &masked);
    for (size_t i = 0; i < n && st == WEFT_OK; i++) add(&s, &uses[i]);
    if (s.attention_flops > 0)
        s.floor.split_s += (masked ? 0.5 : 1) * s.attention_flops /
                           (s.attention_rate * fmax(apart.costs.product_share, apart.costs.attention_share));
    *out = s.floor;
    weft_arena_reset(scratch, mark);
    return st;
}

double weft_floor_s(const weft_floor *f, int64_t devices) {
    const double n = (double)devices;
    return devices > 0 ? f->fixed_s + f->split_s / n + f->ramp_s / cbrt(n) : 0;
}
