/* conv.c: operands and result of a CG_CONV as strided tensors in the library's order of dimensions. */
#include "codegen/conv.h"
#include "codegen/strided.h"

/* Memory that can be read forwards, without elements that several indices share. */
static bool deep(const cg_node *x, cg_strided *s) {
    if (!cg_follow((cg_node *)x, s)) return false;
    for (uint32_t d = 0; d < x->rank; d++)
        if (x->dims[d] > 1 && s->stride[d] <= 0) return false;
    return true;
}

cg_node *cg_conv_operand(const cg_node *conv, uint32_t i) {
    cg_strided s;
    return deep(conv->in[i], &s) ? s.base : conv->in[i];
}

static cg_strided place(const cg_node *conv, uint32_t i) {
    const cg_node *x = i < 2 ? conv->in[i] : conv;
    cg_strided s;
    if (i < 2 && deep(x, &s)) return s;
    s.base = (cg_node *)x;
    s.offset = 0;
    if (x->strides) memcpy(s.stride, x->strides, x->rank * sizeof *s.stride);
    else cg_row_major(x->rank, x->dims, s.stride);
    return s;
}

static void put(weft_conv_tensor *t, int64_t dim, int64_t stride) {
    t->dims[t->rank] = dim;
    t->strides[t->rank++] = stride;
}

/* Where the parts of tensor i are: two named dimensions and the spatial ones. */
typedef struct sides { int64_t first, second; weft_ints spatial; } sides;

static sides sides_of(const weft_conv_dims *d, uint32_t i) {
    if (i == 0) return (sides){ d->input_batch, d->input_feature, d->input_spatial };
    if (i == 1) return (sides){ d->kernel_input_feature, d->kernel_output_feature, d->kernel_spatial };
    return (sides){ d->output_batch, d->output_feature, d->output_spatial };
}

/* The kernel is rhs, or the result of WEIGHTS, where [batch, feature] are its [in, out]. DATA's kernel leads from the
 * result's features to lhs's. */
static void describe(const cg_node *conv, uint32_t i, weft_conv_tensor *t) {
    const weft_conv_kind kind = conv->conv->kind;
    const cg_node *x = i < 2 ? conv->in[i] : conv;
    const sides at = sides_of(&conv->conv->dims, i);
    const cg_strided s = place(conv, i);
    const int64_t groups = conv->conv->groups, first = x->dims[at.first], second = x->dims[at.second];
    t->offset = s.offset;
    t->rank = 0;
    if (i == (kind == WEFT_CONV_WEIGHTS ? 2 : 1)) {
        put(t, groups, second / groups * s.stride[at.second]);
        if (kind == WEFT_CONV_DATA) {
            put(t, first, s.stride[at.first]);
            put(t, second / groups, s.stride[at.second]);
        } else {
            put(t, second / groups, s.stride[at.second]);
            put(t, first, s.stride[at.first]);
        }
    } else if (kind == WEFT_CONV_WEIGHTS) {
        const int64_t batch = i == 0 ? at.second : at.first, feature = i == 0 ? at.first : at.second;
        put(t, x->dims[batch], s.stride[batch]);
        put(t, x->dims[feature], s.stride[feature]);
    } else {
        put(t, first, s.stride[at.first]);
        put(t, second, s.stride[at.second]);
    }
    for (uint32_t d = 0; d < at.spatial.n; d++) put(t, x->dims[at.spatial.v[d]], s.stride[at.spatial.v[d]]);
}

void cg_conv_task_of(const cg_node *conv, weft_conv_task *out) {
    static const uint8_t roles[][3] = {
        [WEFT_CONV_FORWARD] = { 0, 1, 2 }, [WEFT_CONV_DATA] = { 2, 1, 0 }, [WEFT_CONV_WEIGHTS] = { 0, 2, 1 }
    };
    const cg_conv *c = conv->conv;
    memset(out, 0, sizeof *out);
    out->kind = c->kind;
    out->dtype = (weft_dtype)conv->in[0]->dtype;
    out->result = (weft_dtype)conv->dtype;
    out->spatial = c->dims.input_spatial.n;
    for (uint32_t i = 0; i < 3; i++) describe(conv, i, &out->tensors[i]);
    weft_conv_tensor *image = &out->tensors[roles[c->kind][0]];
    const weft_conv_tensor *kernel = &out->tensors[roles[c->kind][1]], *output = &out->tensors[roles[c->kind][2]];
    for (uint32_t d = 0; d < out->spatial; d++) {
        out->stride[d] = c->stride[d];
        out->dilation[d] = c->dilation[d];
        out->low[d] = c->low[d];
        int64_t reach =
            (output->dims[2 + d] - 1) * c->stride[d] + (kernel->dims[3 + d] - 1) * c->dilation[d] + 1 - c->low[d];
        /* the rest is never read */
        if (c->kind != WEFT_CONV_DATA && reach <= image->dims[2 + d] - c->stride[d]) image->dims[2 + d] = reach;
        out->high[d] = weft_max_i64(0, reach - image->dims[2 + d]); /* less than a stride left over: no padding */
    }
}
