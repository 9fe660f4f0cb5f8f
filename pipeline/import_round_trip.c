/* import_round_trip: converts shardings that Shardy wrote as texts back to sdy's.
 *
 * Pass weft-import-round-trip. When a program leaves MLIR for XLA's own format or for a file of jax.export, Shardy
 * writes sdy's attributes and ops as texts in mhlo.frontend_attributes and as custom calls, to be read back on the
 * other side:
 *
 *     xla.sdy.meshes of the module                            sdy.mesh
 *     xla.sdy.sharding of arguments and ops                   sdy.sharding; of @Sharding an sdy.sharding_constraint
 *     @xla.sdy.FuncResultSharding before func.return          sdy.sharding of the result
 *     @xla.sdy.FuncResultSharding before other ops            sdy.sharding_constraint with open dimensions
 *     xla.sdy.tuple_args_shardings of the module              sdy.sharding of @main's arguments
 *     xla.sdy.tuple_results_shardings of the module           sdy.sharding of @main's results
 *     xla.sdy.sharding_rule                                   sdy.sharding_rule
 *     @xla.sdy.ShardingGroup, @xla.sdy.PropagationBarrier     sdy.sharding_group, sdy.propagation_barrier
 *     a call of @xla.sdy.manual_computation_body              sdy.manual_computation (import_round_trip_manual.c)
 *
 * Shardy writes the same shardings as mhlo.sharding too; the pass drops these. XLA copies the attributes of ops to ops
 * of other shapes: a sharding that does not fit its op is dropped too, as Shardy does. Any other call of xla.sdy.*
 * gives a warning, class annotation; a text that is no attribute of sdy's is an error. Needs: nothing. Leaves: no
 * xla.sdy.* except in calls with a warning; the module then has weft.imported, so that the warning is not repeated.
 * Source: OpenXLA, xla/service/spmd/shardy (constants.h, sdy_round_trip).
 */
#include <stdlib.h>

#include "ir/symbols.h"
#include "ir/verify.h"
#include "pipeline/import_round_trip.h"

#define FRONTEND "mhlo.frontend_attributes"
#define PREFIX "xla.sdy."
#define MARK "weft.imported"

weft_status weft_pass_import_round_trip(weft_pass *p, const weft_module *in, weft_module **out);

/* --- texts -------------------------------------------------------------------------------------------------------- */

static bool begins_with(weft_str s, const char *start) {
    return s.n >= strlen(start) && !memcmp(s.p, start, strlen(start));
}

bool rt_is_call(const weft_op *op, const char *target) {
    const weft_attr *name = op->kind == WEFT_OP_custom_call ? weft_op_attr(op, WEFT_A_call_target_name) : NULL;
    return name && name->kind == WEFT_ATTR_STRING && weft_str_is(name->s, target);
}

/* The text may have been quoted twice: \22 and \" are then still quotation marks. */
static weft_status read_text(weft_context *cx, weft_str text, const char *name, const weft_loc *loc,
                             const weft_attr **out) {
    char *plain = weft_arena_take(&cx->scratch, text.n + 1, 1);
    size_t n = 0;
    if (!plain) return weft_oom();
    for (size_t i = 0; i < text.n; i++) {
        const bool code = text.p[i] == '\\' && i + 2 < text.n && text.p[i + 1] == '2' && text.p[i + 2] == '2';
        const bool quote = text.p[i] == '\\' && i + 1 < text.n && text.p[i + 1] == '"';
        plain[n++] = code || quote ? '"' : text.p[i];
        i += code ? 2 : quote ? 1 : 0;
    }
    weft_diag said;
    weft_status st = weft_read_quietly(cx, (weft_str){ plain, n }, out, NULL, &said);
    if (said.message)
        st = weft_report(cx, WEFT_D_sharding, loc, "'%s' cannot be read, at character %lld: %s", name,
                         (long long)said.column, said.message);
    return st;
}

weft_status rt_read(weft_context *cx, const weft_attr *dict, const char *name, weft_attr_kind kind, const weft_loc *loc,
                    const weft_attr **out) {
    const weft_attr *text = weft_dict_get_named(dict, name);
    *out = NULL;
    if (!text) return WEFT_OK;
    if (text->kind == kind) return *out = text, WEFT_OK;
    if (text->kind != WEFT_ATTR_STRING) return weft_report(cx, WEFT_D_sharding, loc, "'%s' is not a text", name);
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = read_text(cx, text->s, name, loc, out);
    weft_arena_reset(&cx->scratch, mark);
    if (st == WEFT_OK && (*out)->kind != kind) {
        *out = NULL;
        st = weft_report(cx, WEFT_D_sharding, loc, "'%s' has an unexpected value: '%.*s'", name,
                         WEFT_STR_ARG(text->s));
    }
    return st;
}

const weft_attr *rt_dict(const weft_op *op) {
    const weft_attr *dict = weft_op_attr_named(op, FRONTEND);
    return dict && dict->kind == WEFT_ATTR_DICT ? dict : NULL;
}

/* The texts of argument or result i of a function. */
static const weft_attr *entry_at(const weft_op *func, weft_attr_name name, uint32_t i) {
    const weft_attr *list = weft_op_attr(func, name);
    return list && list->kind == WEFT_ATTR_ARRAY && i < list->items.n ? list->items.v[i] : NULL;
}

static bool speaks(const weft_attr *dict) {
    for (uint32_t i = 0; dict && dict->kind == WEFT_ATTR_DICT && i < dict->entries.n; i++)
        if (begins_with(weft_name_str(dict->entries.v[i].name), PREFIX)) return true;
    return false;
}

static weft_status note_speech(void *user, weft_op *op) {
    bool *found = user;
    const weft_attr *target = op->kind == WEFT_OP_custom_call ? weft_op_attr(op, WEFT_A_call_target_name) : NULL;
    *found |= op->parent && (speaks(rt_dict(op)) ||
                             (target && target->kind == WEFT_ATTR_STRING && begins_with(target->s, PREFIX)));
    *found |= op->kind == WEFT_OP_func_call && rt_names_body(weft_op_symbol(op, WEFT_A_callee));
    static const weft_attr_name lists[] = { WEFT_A_arg_attrs, WEFT_A_res_attrs };
    for (size_t k = 0; op->kind == WEFT_OP_func && k < WEFT_COUNT(lists); k++) {
        const weft_attr *list = weft_op_attr(op, lists[k]);
        for (uint32_t i = 0; list && list->kind == WEFT_ATTR_ARRAY && i < list->items.n; i++)
            *found |= speaks(weft_dict_get_named(list->items.v[i], FRONTEND));
    }
    return WEFT_OK;
}

/* dict without the attributes that this pass reads; NULL if none is left. */
static weft_status without_texts(weft_context *cx, const weft_attr *dict, const weft_attr **out) {
    weft_named_attr *kept = weft_scratch_array(cx, weft_named_attr, dict->entries.n);
    uint32_t n = 0;
    *out = NULL;
    if (!kept) return weft_oom();
    for (uint32_t i = 0; i < dict->entries.n; i++)
        if (!begins_with(weft_name_str(dict->entries.v[i].name), PREFIX)) kept[n++] = dict->entries.v[i];
    if (n) *out = weft_attr_dict(cx, kept, n);
    return !n || *out ? WEFT_OK : weft_oom();
}

/* Removes the texts from a copied op. */
static weft_status strip(rt_importer *im, const weft_op *op, weft_op *made) {
    const weft_attr *dict = rt_dict(op), *left = NULL;
    weft_mark mark = weft_arena_mark(&im->cx->scratch);
    weft_status st = dict ? without_texts(im->cx, dict, &left) : WEFT_OK;
    weft_name name = weft_name_from(im->cx, FRONTEND);
    if (st == WEFT_OK) st = name ? WEFT_OK : weft_oom();
    if (st == WEFT_OK && dict) st = weft_op_set_attr(im->rewrite.out, made, name, left);
    if (st == WEFT_OK) st = weft_op_set(im->rewrite.out, made, WEFT_A_mhlo_sharding, NULL);
    weft_arena_reset(&im->cx->scratch, mark);
    return st;
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

/* An argument's or result's attributes, with its sharding if there is one. */
static weft_status import_entry(rt_importer *im, const weft_attr **dict, const weft_attr *sharding) {
    const weft_attr *frontend = weft_dict_get_named(*dict, FRONTEND), *left = NULL;
    const uint32_t old = *dict ? (*dict)->entries.n : 0;
    weft_named_attr *entries = weft_scratch_array(im->cx, weft_named_attr, old + 2);
    uint32_t n = 0;
    if (!entries) return weft_oom();
    if (frontend && frontend->kind != WEFT_ATTR_DICT) return WEFT_OK;
    weft_status st = frontend ? without_texts(im->cx, frontend, &left) : WEFT_OK;
    for (uint32_t i = 0; i < old; i++) {
        const weft_named_attr *e = &(*dict)->entries.v[i];
        if (e->value != frontend && e->name->id != WEFT_A_mhlo_sharding &&
            !(sharding && e->name->id == WEFT_A_sdy_sharding)) entries[n++] = *e;
    }
    if (left) entries[n++] = (weft_named_attr){ weft_name_from(im->cx, FRONTEND), left };
    if (sharding) entries[n++] = (weft_named_attr){ weft_name_at(im->cx, WEFT_A_sdy_sharding), sharding };
    if (st == WEFT_OK) *dict = weft_attr_dict(im->cx, entries, n);
    return *dict ? st : weft_oom();
}

/* given[i]: the sharding of value i from elsewhere, or NULL. Not all functions have lists. */
static weft_status import_entries(rt_importer *im, const weft_op *func, weft_op *made, weft_attr_name name,
                                  const weft_attr *const *given, uint32_t count) {
    const weft_attr **items = weft_scratch_array(im->cx, const weft_attr *, count);
    bool any = false;
    weft_status st = items ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < count; i++) {
        const weft_attr *sharding = NULL;
        items[i] = entry_at(func, name, i);
        st = rt_read(im->cx, weft_dict_get_named(items[i], FRONTEND), PREFIX "sharding", WEFT_ATTR_SHARDING, func->loc,
                     &sharding);
        if (!sharding && given) sharding = given[i];
        any |= items[i] || sharding;
        if (st == WEFT_OK) st = import_entry(im, &items[i], sharding);
    }
    if (st != WEFT_OK || !any) return st;
    const weft_attr *list = weft_attr_array(im->cx, items, count);
    return list ? weft_op_set(im->rewrite.out, made, name, list) : weft_oom();
}

/* One sharding for each of @main's arguments or results, from the module's attributes. */
static weft_status from_module(rt_importer *im, const weft_op *func, const char *name, const weft_attr **given,
                               uint32_t count) {
    const weft_attr *all;
    if (func != weft_module_main(im->rewrite.in)) return WEFT_OK;
    weft_status st = rt_read(im->cx, rt_dict(im->rewrite.in->root), name, WEFT_ATTR_SHARDINGS, func->loc, &all);
    if (st == WEFT_OK && all && all->items.n != count)
        return weft_report(im->cx, WEFT_D_sharding, func->loc,
                           "'%s' of the module has %u shardings for %u values of @main", name, all->items.n, count);
    for (uint32_t i = 0; st == WEFT_OK && all && i < count; i++) given[i] = all->items.v[i];
    return st;
}

/* The shardings in @xla.sdy.FuncResultSharding for the results that func.return takes from it. */
static weft_status from_returns(rt_importer *im, const weft_op *func, const weft_attr **given, uint32_t count) {
    const weft_block *body = func->region_count ? weft_op_body(func, 0) : NULL;
    const weft_op *end = body ? weft_block_terminator(body) : NULL;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && end && i < count && i < end->operand_count; i++) {
        const weft_value *v = end->operands[i];
        const weft_attr *all = NULL;
        if (!v->def || !rt_is_call(v->def, PREFIX "FuncResultSharding")) continue;
        st = rt_read(im->cx, rt_dict(v->def), PREFIX "sharding", WEFT_ATTR_SHARDINGS, v->def->loc, &all);
        if (all && v->index < all->items.n) given[i] = all->items.v[v->index];
    }
    return st;
}

static weft_status import_func(rt_importer *im, weft_builder *b, const weft_op *op) {
    const weft_type *t = weft_func_type(op);
    const uint32_t results = t->part_count - t->input_count;
    weft_mark mark = weft_arena_mark(&im->cx->scratch);
    const weft_attr **args = weft_scratch_array(im->cx, const weft_attr *, t->input_count),
        **outs = weft_scratch_array(im->cx, const weft_attr *, results);
    weft_op *made = weft_clone_shell(b, op, &im->rewrite.map, NULL);
    weft_status st = !made ? b->status : args && outs ? strip(im, op, made) : weft_oom();
    if (st == WEFT_OK) st = from_module(im, op, PREFIX "tuple_args_shardings", args, t->input_count);
    if (st == WEFT_OK) st = from_module(im, op, PREFIX "tuple_results_shardings", outs, results);
    if (st == WEFT_OK) st = from_returns(im, op, outs, results);
    if (st == WEFT_OK) st = import_entries(im, op, made, WEFT_A_arg_attrs, args, t->input_count);
    if (st == WEFT_OK) st = import_entries(im, op, made, WEFT_A_res_attrs, outs, results);
    weft_arena_reset(&im->cx->scratch, mark);
    return st == WEFT_OK ? weft_rewrite_regions(&im->rewrite, op, made) : st;
}

/* --- ops ---------------------------------------------------------------------------------------------------------- */

static weft_value *now(const rt_importer *im, const weft_value *old) { return im->rewrite.map.to[old->id]; }

/* Whether the shardings fit op's results. */
static bool fits(const weft_attr *all, const weft_op *op) {
    if (!all || all->items.n != op->result_count) return false;
    for (uint32_t i = 0; i < op->result_count; i++) {
        const weft_type *t = op->results[i].type;
        if (all->items.v[i]->sharding.rank != (weft_type_is_tensor(t) ? t->rank : 0) && all->items.v[i]->sharding.rank)
            return false;
    }
    return true;
}

static weft_status constrain(rt_importer *im, weft_builder *b, weft_value **value, const weft_attr *sharding) {
    /* one element has no dimension to split */
    if (!weft_type_is_tensor((*value)->type) || !(*value)->type->rank) return WEFT_OK;
    *value = weft_build_1(b, WEFT_OP_sdy_sharding_constraint, (*value)->type, value, 1,
                          &(weft_attr_pair){ WEFT_A_sharding, sharding }, 1);
    (void)im;
    return *value ? WEFT_OK : b->status;
}

static weft_status import_constraint(rt_importer *im, weft_builder *b, const weft_op *op) {
    const weft_attr *all;
    weft_value *value = now(im, op->operands[0]);
    weft_status st = rt_read(im->cx, rt_dict(op), PREFIX "sharding", WEFT_ATTR_SHARDINGS, op->loc, &all);
    if (st == WEFT_OK && fits(all, op)) st = constrain(im, b, &value, all->items.v[0]);
    if (st == WEFT_OK) im->rewrite.map.to[op->results[0].id] = value;
    return st;
}

static const weft_attr *opened(weft_context *cx, const weft_attr *sharding) {
    weft_attr a = *sharding;
    weft_dim_sharding *dims = weft_scratch_array(cx, weft_dim_sharding, a.sharding.rank);
    if (!dims) return NULL;
    for (uint32_t d = 0; d < a.sharding.rank; d++) dims[d] = a.sharding.dims[d], dims[d].open = true;
    a.sharding.dims = dims;
    return weft_attr_copy(cx, &a);
}

/* func.return takes the operand, and its function has the sharding. Other readers get a constraint, as in an inlined
 * function. */
static weft_status import_result_sharding(rt_importer *im, weft_builder *b, const weft_op *op) {
    const weft_attr *all;
    weft_status st = rt_read(im->cx, rt_dict(op), PREFIX "sharding", WEFT_ATTR_SHARDINGS, op->loc, &all);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count && i < op->operand_count; i++) {
        const weft_value *v = &op->results[i];
        weft_value *value = now(im, op->operands[i]);
        bool elsewhere = false;
        for (uint32_t u = im->uses.start[v->id]; u < im->uses.start[v->id + 1]; u++)
            elsewhere |= im->uses.use[u].op->kind != WEFT_OP_func_return;
        weft_mark mark = weft_arena_mark(&im->cx->scratch);
        const weft_attr *open = elsewhere && fits(all, op) ? opened(im->cx, all->items.v[i]) : NULL;
        weft_arena_reset(&im->cx->scratch, mark);
        if (elsewhere && fits(all, op)) st = open ? constrain(im, b, &value, open) : weft_oom();
        im->rewrite.map.to[v->id] = value;
    }
    return st;
}

/* "12", or in the printed form of an attribute, "12 : i64". */
static bool number_of(const rt_importer *im, const weft_op *op, const char *name, int64_t *out) {
    const weft_attr *a = weft_dict_get_named(rt_dict(op), name);
    (void)im;
    if (a && a->kind == WEFT_ATTR_INT) return *out = a->i, true;
    if (!a || a->kind != WEFT_ATTR_STRING || !a->s.n || a->s.n > 15 || a->s.p[0] < '0' || a->s.p[0] > '9') return false;
    *out = 0;
    for (size_t i = 0; i < a->s.n && a->s.p[i] >= '0' && a->s.p[i] <= '9'; i++) *out = 10 * *out + (a->s.p[i] - '0');
    return true;
}

static weft_status import_group(rt_importer *im, weft_builder *b, const weft_op *op) {
    int64_t id;
    weft_value *value = now(im, op->operands[0]);
    if (!number_of(im, op, PREFIX "sharding_group_id", &id))
        return weft_report(im->cx, WEFT_D_sharding, op->loc, "this call has no 'xla.sdy.sharding_group_id'");
    for (uint32_t i = 0; i < op->result_count; i++) im->rewrite.map.to[op->results[i].id] = value;
    const weft_named_attr attr = { weft_name_at(im->cx, WEFT_A_group_id), weft_attr_i64(im->cx, id) };
    const weft_op_spec spec = { .kind = WEFT_OP_sdy_sharding_group, .operands = &value, .operand_count = 1,
                                .attrs = &attr, .attr_count = 1 };
    return attr.value && weft_build_op(b, &spec) ? WEFT_OK : weft_oom();
}

/* The direction is a number, as enumerations are printed, or its word. */
static weft_status import_barrier(rt_importer *im, weft_builder *b, const weft_op *op) {
    const weft_attr *text = weft_dict_get_named(rt_dict(op), PREFIX "allowed_direction");
    weft_value *value = now(im, op->operands[0]);
    int64_t number = -1;
    (void)number_of(im, op, PREFIX "allowed_direction", &number);
    if (text && text->kind == WEFT_ATTR_STRING) {
        const weft_enum_value e = weft_enum_find(WEFT_ENUM_propagation_direction, text->s);
        if (e != WEFT_ENUM_COUNT) number = (int)e - (int)WEFT_propagation_direction_NONE;
    }
    if (number < 0 || number > WEFT_propagation_direction_BOTH - WEFT_propagation_direction_NONE)
        return weft_report(im->cx, WEFT_D_sharding, op->loc, "this call has no 'xla.sdy.allowed_direction'");
    const weft_attr *direction = weft_attr_enum(im->cx, (weft_enum_value)(WEFT_propagation_direction_NONE + number));
    if (!direction) return weft_oom();
    value = weft_build_1(b, WEFT_OP_sdy_propagation_barrier, value->type, &value, 1,
                         &(weft_attr_pair){ WEFT_A_allowed_direction, direction }, 1);
    im->rewrite.map.to[op->results[0].id] = value;
    return value ? WEFT_OK : b->status;
}

/* Any other op with texts. */
static weft_status import_texts(rt_importer *im, weft_builder *b, const weft_op *op) {
    const weft_attr *sharding, *rule;
    weft_op *made = weft_clone_shell(b, op, &im->rewrite.map, NULL);
    if (!made) return b->status;
    weft_status st = rt_read(im->cx, rt_dict(op), PREFIX "sharding", WEFT_ATTR_SHARDINGS, op->loc, &sharding);
    if (st == WEFT_OK && sharding && fits(sharding, op))
        st = weft_op_set(im->rewrite.out, made, WEFT_A_sdy_sharding, sharding);
    if (st == WEFT_OK) st = rt_read(im->cx, rt_dict(op), PREFIX "sharding_rule", WEFT_ATTR_RULE, op->loc, &rule);
    if (st == WEFT_OK && rule) st = weft_op_set(im->rewrite.out, made, WEFT_A_sdy_sharding_rule, rule);
    if (st == WEFT_OK) st = strip(im, op, made);
    return st == WEFT_OK ? weft_rewrite_regions(&im->rewrite, op, made) : st;
}

static bool is_read(const rt_importer *im, const weft_op *op) {
    for (uint32_t i = 0; i < op->result_count; i++)
        if (weft_use_count(&im->uses, &op->results[i])) return true;
    return false;
}

static weft_status import_call(rt_importer *im, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    static const struct { const char *target; weft_status (*import)(rt_importer *im, weft_builder *b,
                                                                    const weft_op *op); } calls[] = {
        { "Sharding", import_constraint },
        { PREFIX "FuncResultSharding", import_result_sharding },
        { PREFIX "ShardingGroup", import_group },
        { PREFIX "PropagationBarrier", import_barrier },
    };
    for (size_t i = 0; i < WEFT_COUNT(calls); i++)
        if (rt_is_call(op, calls[i].target) && op->operand_count >= 1 &&
            (op->result_count || calls[i].import == import_group)) {
            if (op->result_count && op->operands[0]->type != op->results[0].type) break;
            return *did = WEFT_DONE, calls[i].import(im, b, op);
        }
    const weft_attr *target = weft_op_attr(op, WEFT_A_call_target_name);
    if (!target || target->kind != WEFT_ATTR_STRING || !begins_with(target->s, PREFIX)) return WEFT_OK;
    *did = WEFT_DONE; /* a copy with its texts, which were not read */
    const bool around = rt_is_call(op, PREFIX "GlobalToLocalShape") || rt_is_call(op, PREFIX "LocalToGlobalShape");
    if (around && !is_read(im, op)) return WEFT_OK; /* values without elements, replaced by constants in XLA */
    /* of the call between them */
    if (around && im->warned) return weft_clone_op(b, op, &im->rewrite.map) ? WEFT_OK : b->status;
    im->warned = true;
    weft_status st = weft_report(im->cx, WEFT_D_annotation, op->loc,
                                 "'%.*s' cannot be read: it is no form of Shardy's that Weft knows; "
                                 "take the program from before its export (in JAX: jit(f).lower(...).as_text())",
                                     WEFT_STR_ARG(target->s));
    return st == WEFT_OK && !weft_clone_op(b, op, &im->rewrite.map) ? b->status : st;
}

static weft_status import_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    rt_importer *im = r->user;
    if (rt_is_part(im, op)) return *did = WEFT_DONE, WEFT_OK;
    if (op->kind == WEFT_OP_func) return *did = WEFT_DONE, import_func(im, b, op);
    if (op->kind == WEFT_OP_func_return && im->filling && op->parent == im->filling)
        return *did = WEFT_DONE, rt_end_manual(im, b, op);
    if (op->kind == WEFT_OP_func_call && rt_is_manual(im, op)) return *did = WEFT_DONE, rt_import_manual(im, b, op);
    weft_status st = op->kind == WEFT_OP_custom_call &&
        (speaks(rt_dict(op)) || !rt_is_call(op, "Sharding")) ? import_call(im, b, op, did) : WEFT_OK;
    if (st != WEFT_OK || *did == WEFT_DONE || !(speaks(rt_dict(op)) || weft_op_attr(op, WEFT_A_mhlo_sharding)))
        return st;
    return *did = WEFT_DONE, import_texts(im, b, op);
}

/* --- the module --------------------------------------------------------------------------------------------------- */

/* A call that is not read gives one warning, however often the program is imported. */
static weft_status leave_mark(rt_importer *im, weft_op *root) {
    const weft_attr *mark = im->warned ? weft_attr_unit(im->cx) : NULL;
    weft_name name = weft_name_from(im->cx, MARK);
    if (!im->warned) return WEFT_OK;
    return mark && name ? weft_op_set_attr(im->rewrite.out, root, name, mark) : weft_oom();
}

static weft_status import_meshes(weft_rewrite *r, const weft_block *old, weft_block *made) {
    rt_importer *im = r->user;
    const weft_op *root = r->in->root;
    const weft_attr *meshes;
    weft_builder b;
    if (old != weft_module_body(r->in)) return WEFT_OK;
    weft_status st = rt_read(im->cx, rt_dict(root), PREFIX "meshes", WEFT_ATTR_DICT, root->loc, &meshes);
    if (st == WEFT_OK) st = strip(im, root, r->out->root);
    weft_builder_init(&b, r->out, made);
    b.loc = root->loc;
    for (uint32_t i = 0; st == WEFT_OK && meshes && i < meshes->entries.n; i++) {
        const weft_named_attr *e = &meshes->entries.v[i];
        if (weft_module_symbol(r->in, weft_name_str(e->name))) continue;
        if (e->value->kind != WEFT_ATTR_MESH)
            return weft_report(im->cx, WEFT_D_sharding, root->loc, "'%s' of 'xla.sdy.meshes' is not a mesh",
                               e->name->text);
        const weft_named_attr attrs[] = {
            { weft_name_at(im->cx, WEFT_A_sym_name), weft_attr_string(im->cx, weft_name_str(e->name)) },
            { weft_name_at(im->cx, WEFT_A_mesh), e->value },
        };
        const weft_op_spec spec = { .kind = WEFT_OP_sdy_mesh, .attrs = attrs, .attr_count = WEFT_COUNT(attrs) };
        if (!attrs[0].value) return weft_oom();
        if (!weft_build_op(&b, &spec)) st = b.status;
    }
    return st;
}

static weft_status import_module(rt_importer *im, const weft_module *in, weft_module **out) {
    weft_status st = weft_uses_build(in, &im->arena, &im->uses);
    if (st == WEFT_OK) st = rt_find_manual(im, in);
    if (st == WEFT_OK) st = weft_rewrite_module(&im->rewrite, in, &im->arena, out);
    if (st == WEFT_OK && (st = leave_mark(im, (*out)->root)) != WEFT_OK) weft_module_free(*out), *out = NULL;
    if (st != WEFT_OK) return st;
    st = weft_verify_module(im->cx, *out);
    if (st == WEFT_OK) return st;
    weft_module_free(*out);
    *out = NULL;
    return st;
}

weft_status weft_pass_import_round_trip(weft_pass *p, const weft_module *in, weft_module **out) {
    rt_importer im = { .rewrite = { .op = import_op, .enter = import_meshes }, .cx = p->cx };
    bool found = speaks(rt_dict(in->root));
    weft_status st = weft_module_walk(in, note_speech, &found);
    if (st != WEFT_OK || !found || weft_op_attr_named(in->root, MARK)) return st;
    weft_arena_init(&im.arena, &p->cx->chunks);
    im.rewrite.user = &im;
    st = import_module(&im, in, out);
    weft_arena_free(&im.arena);
    return st;
}
