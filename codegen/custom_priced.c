/* custom_priced.c: custom calls of a plan that Weft has no code for: memory from their types, time as the user says it.
 */
#include "codegen/custom_priced.h"
#include "ir/signature.h"

#include <stdlib.h>
#include "codegen/custom_call.h"

enum { MOST_LINES = 8 }; /* of a target that are named */

/* What tells two calls of one target on the same operands apart. */
typedef struct priced_state { uint32_t config, mhlo_config, kernel, result_count; } priced_state;

static uint32_t hash_of(const weft_attr *a) { return a ? weft_attr_hash(a) : 0; }

static weft_str string_of(const weft_attr *a) { return a && a->kind == WEFT_ATTR_STRING ? a->s : (weft_str){ 0 }; }

/* Pallas' kernel_name of a TPU kernel; the name in Triton's backend_config, which is a dictionary. */
static weft_str kernel_of(const cg_custom *c) {
    const weft_str name = string_of(weft_op_attr_named(c->op, "kernel_name"));
    return name.n ? name : string_of(weft_custom_call_config(c->op, "name"));
}

/* Whether what a user calls KEY, TARGET or TARGET/KERNEL, is this call. */
typedef enum key_match { KEY_OTHER, KEY_TARGET, KEY_KERNEL } key_match;

static key_match match(weft_str key, weft_str target, weft_str kernel) {
    if (weft_str_equal(key, target)) return KEY_TARGET;
    if (!kernel.n || key.n != target.n + 1 + kernel.n || memcmp(key.p, target.p, target.n) != 0 ||
        key.p[target.n] != '/')
        return KEY_OTHER;
    return memcmp(key.p + target.n + 1, kernel.p, kernel.n) == 0 ? KEY_KERNEL : KEY_OTHER;
}

/* What the user says of the kernel, else of the target; NULL: nothing. */
static const weft_custom_cost *cost_of(const cg_import *im, weft_str target, weft_str kernel) {
    const weft_custom_cost *found = NULL;
    for (size_t i = 0; i < im->opt->custom_cost_count; i++) {
        const key_match m = match(im->opt->custom_costs[i].target, target, kernel);
        if (m == KEY_KERNEL) return &im->opt->custom_costs[i];
        if (m == KEY_TARGET) found = &im->opt->custom_costs[i];
    }
    return found;
}

/* The number after "key": in text; negative where there is none. */
static double number_of(weft_str text, const char *key) {
    char number[32];
    const size_t length = strlen(key);
    for (size_t i = 0; i + length + 2 < text.n; i++) {
        size_t k = i + length + 2, n = 0;
        if (text.p[i] != '"' || memcmp(text.p + i + 1, key, length) != 0 || text.p[i + length + 1] != '"') continue;
        while (k < text.n && (text.p[k] == ' ' || text.p[k] == ':')) k++;
        while (k < text.n && n + 1 < sizeof number && strchr("0123456789.eE+-", text.p[k]) && text.p[k])
            number[n++] = text.p[k++];
        number[n] = '\0';
        return n ? strtod(number, NULL) : -1;
    }
    return -1;
}

static const char *find(weft_str text, const char *part) {
    return text.n ? memmem(text.p, text.n, part, strlen(part)) : NULL;
}

/* Pallas' cost_estimate; false where there is none. */
static bool estimate_of(const weft_op *op, double *flops, double *bytes) {
    weft_str text = string_of(weft_op_attr(op, WEFT_A_backend_config));
    const char *at = find(text, "\"cost_estimate\"");
    if (!at) return false;
    text = (weft_str){ at, text.n - (size_t)(at - text.p) };
    const char *end = memchr(text.p, '}', text.n);
    if (end) text.n = (size_t)(end - text.p);
    *flops = number_of(text, "flops");
    *bytes = number_of(text, "bytes_accessed");
    return *flops >= 0 && *flops <= 1e30;
}

/* The number of the sequence's dimension, of queries [batch, sequence, heads, size] or [batch, heads, sequence, size]:
 * the products' batch dimensions are 0 and 2, or 0 and 1. */
static uint32_t sequence_of(weft_str config) {
    char last = 0;
    for (const char *at = find(config, "\"lhs_batch_dimensions\""); at && at < config.p + config.n && *at != ']'; at++)
        if (*at >= '0' && *at <= '9') last = *at;
    return last == '1' ? 2 : 1;
}

/* cuDNN's attention, as XLA and JAX call it: two products of queries, keys and values forward, five backward, of which
 * a causal mask leaves half. */
static bool attention_of(const weft_op *op, weft_str target, double *flops) {
    static const char name[] = "__cudnn$fmha";
    const weft_str config = string_of(weft_op_attr(op, WEFT_A_backend_config));
    const weft_type *q = op->operand_count > 1 ? op->operands[0]->type : NULL, *k = q ? op->operands[1]->type : NULL;
    if (target.n < sizeof name - 1 || memcmp(target.p, name, sizeof name - 1) != 0) return false;
    if (!q || !weft_type_is_tensor(q) || !weft_type_is_tensor(k) || q->rank != 4 || k->rank != 4) return false;
    const int64_t elems = weft_type_elems(q), keys = k->dims[sequence_of(config)];
    if (elems < 0 || keys < 0) return false;
    *flops = 2.0 * (find(target, "Backward") ? 5 : 2) * (double)elems * (double)keys;
    if (find(config, "CAUSAL")) *flops /= 2;
    return *flops <= 1e30;
}

static weft_status note_call(cg_import *im, const weft_op *op, weft_str target, weft_str kernel, bool is_priced) {
    cg_priced *p = weft_arena_new(&im->g->arena, cg_priced);
    if (!p) return weft_oom();
    *p = (cg_priced){ target, kernel, op->loc, is_priced, false, NULL };
    if (im->last_priced) im->last_priced->next = p;
    else im->priced = p;
    im->last_priced = p;
    return WEFT_OK;
}

weft_status cg_custom_priced(cg_custom *c) {
    cg_import *im = c->im;
    const weft_str target = weft_op_attr(c->op, WEFT_A_call_target_name)->s;
    const weft_str kernel = kernel_of(c);
    const weft_custom_cost *cost = cost_of(im, target, kernel);
    const priced_state state = { hash_of(weft_op_attr(c->op, WEFT_A_backend_config)),
                                 hash_of(weft_op_attr(c->op, WEFT_A_mhlo_backend_config)),
                                 hash_of(weft_op_attr_named(c->op, "kernel_name")), c->op->result_count };
    cg_call_spec spec = { .state = &state, .state_bytes = sizeof state, .bytes = CG_BYTES_OF_TYPES };
    double flops = 0, bytes = -1;
    bool known = cost && cost->flops.n;
    weft_status st = WEFT_OK;
    if (cost) st = weft_custom_cost_of(im->g->cx, cost, c->op, &flops, &bytes);
    else known = estimate_of(c->op, &flops, &bytes) || attention_of(c->op, target, &flops);
    if (known) spec.flops = flops;
    /* 0 is of the types */
    if (bytes >= 0) spec.bytes = bytes < 0x1p62 ? weft_max_i64((int64_t)bytes, 1) : INT64_MAX / 2;
    if (st == WEFT_OK) st = note_call(im, c->op, target, kernel, known);
    return st == WEFT_OK ? cg_custom_call(c, &spec) : st;
}

/* Two calls of one target and kernel. */
static bool is_alike(const cg_priced *a, const cg_priced *b) {
    return weft_str_equal(a->target, b->target) && weft_str_equal(a->kernel, b->kernel);
}

static bool same_place(const weft_loc *a, const weft_loc *b) {
    const weft_loc *x = weft_loc_place(a), *y = weft_loc_place(b);
    return a == b || (x && x == y);
}

/* Where else the calls are that p is the first of. */
static void name_lines(weft_context *cx, cg_priced *p) {
    const weft_loc *named[MOST_LINES + 1] = { p->loc };
    uint32_t n = 1, more = 0;
    for (cg_priced *q = p->next; q; q = q->next) {
        if (q->said || !is_alike(p, q)) continue;
        bool known = false;
        q->said = true;
        for (uint32_t i = 0; i < n && !known; i++) known = same_place(named[i], q->loc);
        if (known) continue;
        if (n == WEFT_COUNT(named)) {
            more++;
            continue;
        }
        named[n++] = q->loc;
        weft_note(cx, q->loc, "and here");
    }
    if (more) weft_note(cx, p->loc, "and %u more calls at other places", more);
}

/* A cost for a target that no call has would change nothing. */
static weft_status check_names(const cg_import *im) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < im->opt->custom_cost_count && st == WEFT_OK; i++) {
        const weft_str target = im->opt->custom_costs[i].target;
        const cg_priced *p = im->priced;
        while (p && match(target, p->target, p->kernel) == KEY_OTHER) p = p->next;
        if (p) continue;
        st = weft_report(im->g->cx, WEFT_D_usage, NULL,
                         "no custom call without code has the target '%.*s', for which a cost is given",
                         WEFT_STR_ARG(target));
        if (im->priced)
            weft_note(im->g->cx, im->priced->loc, "the target here is '%.*s'", WEFT_STR_ARG(im->priced->target));
    }
    return st;
}

/* "'tpu_custom_call', kernel 'flash'" */
static weft_status print_target(weft_buf *b, const cg_priced *p) {
    weft_buf_printf(b, "'%.*s'", WEFT_STR_ARG(p->target));
    if (p->kernel.n) weft_buf_printf(b, ", kernel '%.*s'", WEFT_STR_ARG(p->kernel));
    return b->failed ? weft_oom() : WEFT_OK;
}

static weft_status report_one(weft_context *cx, cg_priced *p) {
    uint32_t calls = 0;
    weft_buf name;
    weft_buf_init(&name, &cx->alloc);
    for (const cg_priced *q = p; q; q = q->next) calls += is_alike(p, q) && !q->has_cost;
    weft_status st = print_target(&name, p);
    if (st == WEFT_OK)
        st = weft_report(
            cx, WEFT_D_cost, p->loc,
            "the arithmetic of custom call target %s (%u call%s) is not known and not counted: its time is that of "
            "reading its operands and writing its results",
            name.p, calls, calls == 1 ? "" : "s");
    if (weft_warning_wanted(cx, WEFT_D_cost)) name_lines(cx, p);
    weft_help(cx, NULL, "--custom-call '%.*s%s%.*s=flops:N,bytes:N' says what one call on one device costs",
              WEFT_STR_ARG(p->target), p->kernel.n ? "/" : "", WEFT_STR_ARG(p->kernel));
    for (cg_priced *q = p; q; q = q->next) q->said = q->said || is_alike(p, q);
    weft_buf_free(&name);
    return st;
}

weft_status cg_custom_priced_report(const cg_import *im) {
    weft_status st = check_names(im);
    for (cg_priced *p = im->priced; p && st == WEFT_OK; p = p->next)
        if (!p->said && !p->has_cost) st = report_one(im->g->cx, p);
    return st;
}
