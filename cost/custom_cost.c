/* custom_cost.c: sums of products over an op's dimensions, read and evaluated by one descent. */
#include "cost/custom_cost.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include "base/context.h"

#define MOST 1e30 /* most of a call, so that sums over a program stay finite */

typedef struct reader {
    weft_context *cx;
    const weft_op *op;      /* NULL: the text is only checked */
    weft_str rest, whole;
    weft_status status;
} reader;

static double wrong(reader *r, const char *what) {
    if (r->status != WEFT_OK) return 0;
    r->status =
        weft_report(r->cx, WEFT_D_usage, r->op ? r->op->loc : NULL, "the cost of a custom call '%.*s': %s at '%.*s'",
                    WEFT_STR_ARG(r->whole), what, WEFT_STR_ARG(r->rest));
    return 0;
}

static bool skip(reader *r, char c) {
    if (!r->rest.n || *r->rest.p != c) return false;
    r->rest.p++, r->rest.n--;
    return true;
}

static int64_t count(reader *r) {
    int64_t n = 0;
    if (!r->rest.n || !isdigit((unsigned char)*r->rest.p)) return (int64_t)wrong(r, "a number is missing");
    for (; r->rest.n && isdigit((unsigned char)*r->rest.p) && n < 1 << 20; r->rest.p++, r->rest.n--)
        n = 10 * n + (*r->rest.p - '0');
    return n;
}

/* iK.D, oK.D */
static double size(reader *r) {
    const weft_str at = r->rest;
    const bool result = skip(r, 'o');
    if (!result) skip(r, 'i');
    const int64_t k = count(r);
    if (r->status == WEFT_OK && !skip(r, '.')) return wrong(r, "the dimension is missing, as in i0.1,");
    const int64_t d = r->status == WEFT_OK ? count(r) : 0;
    if (r->status != WEFT_OK || !r->op) return 1;
    const bool there = result ? k < r->op->result_count : k < r->op->operand_count;
    const weft_type *t = !there ? NULL : result ? r->op->results[k].type : r->op->operands[k]->type;
    if (t && weft_type_is_tensor(t) && d < t->rank && t->dims[d] >= 0) return (double)t->dims[d];
    r->rest = at;
    return wrong(r, "the call has no such dimension");
}

static double number(reader *r) {
    char text[64], *end;
    const size_t n = r->rest.n < sizeof text - 1 ? r->rest.n : sizeof text - 1;
    memcpy(text, r->rest.p, n);
    text[n] = '\0';
    const double v = weft_read_double(text, &end);
    if (end == text || !isfinite(v) || v < 0) return wrong(r, "a number, iK.D or oK.D is missing");
    r->rest.p += end - text, r->rest.n -= (size_t)(end - text);
    return v;
}

static double product(reader *r) {
    double v = 1;
    do v *= r->rest.n && (*r->rest.p == 'i' || *r->rest.p == 'o') ? size(r) : number(r);
    while (r->status == WEFT_OK && skip(r, '*'));
    return v;
}

static double sum(reader *r) {
    double v = 0;
    do v += product(r);
    while (r->status == WEFT_OK && skip(r, '+'));
    return v;
}

static weft_status evaluate(weft_context *cx, const weft_op *op, weft_str text, double *out) {
    reader r = { cx, op, text, text, WEFT_OK };
    *out = sum(&r);
    if (r.status == WEFT_OK && r.rest.n) wrong(&r, "'+' or '*' is missing");
    if (r.status == WEFT_OK && !(*out <= MOST)) {
        r.rest = text;
        wrong(&r, "more than 1e30");
    }
    return r.status;
}

weft_status weft_custom_cost_read(weft_context *cx, const char *text, weft_custom_cost *out) {
    const char *at = strchr(text, '=');
    *out = (weft_custom_cost){ { text, at ? (size_t)(at - text) : 0 }, { NULL, 0 }, { NULL, 0 } };
    weft_status st = out->target.n ? WEFT_OK
                                   : weft_report(cx, WEFT_D_usage, NULL,
                                                 "the cost of a custom call is TARGET=flops:N,bytes:N, not '%s'", text);
    while (st == WEFT_OK && at) {
        const char *const key = at + 1, *const end = key + strcspn(key, ",");
        const bool is_flops = !strncmp(key, "flops:", 6), is_bytes = !strncmp(key, "bytes:", 6);
        const weft_str value = { key + 6, is_flops || is_bytes ? (size_t)(end - key) - 6 : 0 };
        double unused;
        if (!is_flops && !is_bytes)
            return weft_report(cx, WEFT_D_usage, NULL,
                               "the cost of custom call '%.*s' has flops: and bytes:, not '%.*s'",
                               WEFT_STR_ARG(out->target), (int)(end - key), key);
        weft_str *const known = is_flops ? &out->flops : &out->bytes;
        if (known->p)
            return weft_report(cx, WEFT_D_usage, NULL, "the cost of custom call '%.*s' has %.5s twice",
                               WEFT_STR_ARG(out->target), key);
        st = evaluate(cx, NULL, value, &unused);
        *known = value;
        at = *end ? end : NULL;
    }
    return st;
}

weft_status weft_custom_cost_of(weft_context *cx, const weft_custom_cost *c, const weft_op *op, double *flops,
                                double *bytes) {
    *flops = 0;
    *bytes = -1;
    weft_status st = c->flops.n ? evaluate(cx, op, c->flops, flops) : WEFT_OK;
    return st == WEFT_OK && c->bytes.n ? evaluate(cx, op, c->bytes, bytes) : st;
}
