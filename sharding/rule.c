/* rule.c: the column `rule` of ir/ops.def, and the table of interned rules. */
#include "sharding/rule_build.h"

#include "ir/attr_numbers.h"

typedef struct seen_op { /* an op with a rule that follows from its kind, types and attributes */
    const weft_rule *rule;
    uint64_t hash;
    weft_op_kind kind;
    weft_rule_mode mode;
    uint32_t type_count, attr_count;
    const weft_type **types;
    const weft_attr **attrs;
} seen_op;

struct weft_rules {
    weft_context *cx;
    weft_arena *arena;
    weft_table seen;           /* of seen_op: unrolled layers repeat their ops */
    weft_table interned;       /* of rules, by content */
    const weft_attr **attr_of; /* by id; NULL until asked for */
    size_t attr_of_cap;
    weft_attr_facts attrs;     /* rules that were read: many ops share one attribute */
};

#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    void weft_rule_##rule(weft_rule_builder *b);
#include "ir/ops.def"

static const weft_rule_fn rule_of_kind[WEFT_OP_COUNT] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    [WEFT_OP_##id] = weft_rule_##rule,
#include "ir/ops.def"
};

weft_status weft_rules_open(weft_context *cx, weft_arena *arena, weft_rules **out) {
    weft_rules *t = weft_arena_new(arena, weft_rules);
    if (!t) return weft_oom();
    t->cx = cx;
    t->arena = arena;
    t->attrs.numbers = weft_attr_numbers_in(arena);
    *out = t;
    return WEFT_OK;
}

uint32_t weft_rules_count(const weft_rules *t) { return (uint32_t)t->interned.count; }

/* Interning. A rule under construction points into scratch memory; store() copies it. */

static uint32_t cell_count(const weft_rule *r) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->tensor_count; i++) n += r->tensors[i].rank;
    return n;
}

static uint64_t rule_hash(const weft_rule *r) {
    uint64_t h = weft_hash_mix(weft_hash_mix(r->factor_count, r->operand_count), r->tensor_count);
    for (uint32_t i = 0; i < r->factor_count; i++) h = weft_hash_mix(h, (uint64_t)r->sizes[i]);
    for (uint32_t i = 0; i < r->tensor_count; i++) {
        h = weft_hash_mix(h, r->tensors[i].rank);
        for (uint32_t d = 0; d < r->tensors[i].rank; d++) {
            weft_rule_dim dim = r->tensors[i].dims[d];
            h = weft_hash_mix(h, dim.n);
            for (uint32_t k = 0; k < dim.n; k++) h = weft_hash_mix(h, r->factors[dim.first + k]);
        }
    }
    h = weft_hash_mix(weft_hash_mix(h, r->reduction), r->replicated);
    h = weft_hash_mix(weft_hash_mix(h, r->permutation), r->blocked);
    if (r->other) h = weft_hash_mix(h, r->other->id);
    return weft_hash_end(h);
}

static bool rule_same(const weft_rule *a, const weft_rule *b) {
    if (a->factor_count != b->factor_count || a->operand_count != b->operand_count ||
        a->tensor_count != b->tensor_count || a->reduction != b->reduction || a->replicated != b->replicated ||
        a->permutation != b->permutation || a->blocked != b->blocked || a->custom != b->custom ||
        a->registered != b->registered || a->padding != b->padding || a->other != b->other ||
        (a->factor_count && memcmp(a->sizes, b->sizes, a->factor_count * sizeof *a->sizes)))
        return false;
    for (uint32_t i = 0; i < a->tensor_count; i++) {
        if (a->tensors[i].rank != b->tensors[i].rank) return false;
        for (uint32_t d = 0; d < a->tensors[i].rank; d++) {
            weft_rule_dim x = a->tensors[i].dims[d], y = b->tensors[i].dims[d];
            if (x.n != y.n || (x.n && memcmp(a->factors + x.first, b->factors + y.first, x.n))) return false;
        }
    }
    return true;
}

static const weft_rule *store(weft_rules *t, const weft_rule *r, uint64_t hash) {
    uint32_t cells = cell_count(r), factors = 0, at = 0;
    for (uint32_t i = 0; i < r->tensor_count; i++)
        for (uint32_t d = 0; d < r->tensors[i].rank; d++) factors += r->tensors[i].dims[d].n;
    weft_rule *mine = weft_arena_dup(t->arena, r, sizeof *r, _Alignof(weft_rule));
    weft_rule_tensor *tensors =
        weft_arena_dup(t->arena, r->tensors, r->tensor_count * sizeof *tensors, _Alignof(weft_rule_tensor));
    weft_rule_dim *dims = weft_arena_array(t->arena, weft_rule_dim, cells);
    if (!mine || !tensors || !dims) return NULL;
    mine->sizes = weft_arena_dup(t->arena, r->sizes, r->factor_count * sizeof *r->sizes, _Alignof(int64_t));
    mine->factors = weft_arena_dup(t->arena, r->factors, factors, 1);
    if (!mine->sizes || !mine->factors) return NULL;
    for (uint32_t i = 0; i < r->tensor_count; i++) {
        memcpy(dims + at, r->tensors[i].dims, r->tensors[i].rank * sizeof *dims);
        tensors[i].dims = dims + at;
        tensors[i].factors = 0;
        for (uint32_t d = 0; d < tensors[i].rank; d++)
            for (uint32_t k = 0; k < tensors[i].dims[d].n; k++)
                tensors[i].factors |= weft_bit(r->factors[tensors[i].dims[d].first + k]);
        at += tensors[i].rank;
    }
    mine->tensors = tensors;
    mine->id = (uint32_t)t->interned.count;
    return weft_table_add(&t->interned, t->arena, hash, mine) ? mine : NULL;
}

static const weft_rule *intern(weft_rules *t, const weft_rule *r) {
    const uint64_t hash = rule_hash(r);
    size_t probe = 0;
    for (const weft_rule *old; (old = weft_table_next(&t->interned, hash, &probe));)
        if (rule_same(old, r)) return old;
    return store(t, r, hash);
}

/* Sorts the pairs by cell, keeping the order within one, and interns. */
static weft_status finish(weft_rules *t, weft_rule_builder *b, const weft_rule **out) {
    uint32_t cells = b->first_cell[b->tensor_count];
    weft_rule_map_rest(b);
    if (b->status != WEFT_OK) return b->status;
    weft_arena *scratch = &b->cx->scratch;
    weft_rule_dim *dims = weft_arena_array(scratch, weft_rule_dim, cells);
    uint8_t *factors = weft_arena_array(scratch, uint8_t, b->pair_count);
    weft_rule_tensor *tensors = weft_arena_array(scratch, weft_rule_tensor, b->tensor_count);
    if (!dims || !factors || !tensors) return weft_oom();
    for (uint32_t c = 1; c < cells; c++) dims[c].first = dims[c - 1].first + b->mapped[c - 1];
    for (size_t i = 0; i < b->pair_count; i++) {
        weft_rule_dim *dim = &dims[b->pairs[i].cell];
        factors[dim->first + dim->n++] = b->pairs[i].factor;
    }
    for (uint32_t i = 0; i < b->tensor_count; i++)
        tensors[i] = (weft_rule_tensor){ .dims = dims + b->first_cell[i], .rank = weft_rule_rank(b, i) };
    *out = intern(t, &(weft_rule){ .factor_count = b->factor_count, .operand_count = b->operand_count,
                                   .tensor_count = b->tensor_count, .sizes = b->sizes, .tensors = tensors,
                                   .factors = factors, .reduction = b->reduction, .replicated = b->replicated,
                                   .permutation = b->permutation, .blocked = b->blocked,
                                   .registered = b->registered, .padding = b->padding, .other = b->other });
    return *out ? WEFT_OK : weft_oom();
}

static weft_status build_rule(weft_rules *t, const weft_op *op, weft_rule_mode mode, const weft_uses *uses,
                              const weft_type *const *types, const weft_rule **out) {
    weft_rule_builder b = { .cx = t->cx, .op = op, .uses = uses, .mode = mode, .operand_count = op->operand_count,
                            .tensor_count = op->operand_count + op->result_count, .types = types };
    if (!weft_rule_builder_open(&b)) return weft_oom();
    rule_of_kind[op->kind](&b);
    if (b.status == WEFT_OK && b.shifts) b.status = build_rule(t, op, WEFT_RULE_SHIFT, uses, types, &b.other);
    if (b.status != WEFT_OK || b.none) return b.status;
    return finish(t, &b, out);
}

/* Rules that depend on more than kind, types and attributes: on makers of operands, on regions, on readers. */
static bool looks_around(weft_op_kind kind) {
    static const weft_rule_fn far[] = { weft_rule_concatenate, weft_rule_dynamic_update_slice, weft_rule_scatter,
                                        weft_rule_custom_call };
    for (size_t i = 0; i < WEFT_COUNT(far); i++)
        if (rule_of_kind[kind] == far[i]) return true;
    return false;
}

static bool has_no_rule(weft_op_kind kind) {
    static const weft_rule_fn none[] = { weft_rule_none, weft_rule_legalized, weft_rule_constant, weft_rule_data_flow };
    for (size_t i = 0; i < WEFT_COUNT(none); i++)
        if (rule_of_kind[kind] == none[i]) return true;
    return false;
}

/* Discardable attributes have ids from this one on; no rule depends on them. */
static bool is_inherent(const weft_named_attr *a) { return a->name->id < WEFT_A_sdy_sharding; }

/* Fills key's lists, which have room, and its hash. */
static void key_of(seen_op *key, const weft_op *op) {
    uint64_t h = weft_hash_mix(weft_hash_mix(0xcbf29ce484222325u, (uint64_t)op->kind), key->mode);
    for (uint32_t i = 0; i < key->type_count; i++) h = weft_hash_mix(h, key->types[i]->id);
    for (uint32_t i = 0; i < op->attr_count; i++) {
        if (!is_inherent(&op->attrs[i])) continue;
        key->attrs[key->attr_count++] = op->attrs[i].value;
        h = weft_hash_mix(h, weft_attr_hash(op->attrs[i].value));
    }
    key->hash = weft_hash_end(h);
}

static bool same_key(const seen_op *a, const seen_op *b) {
    if (a->hash != b->hash || a->kind != b->kind || a->mode != b->mode || a->type_count != b->type_count ||
        a->attr_count != b->attr_count || memcmp(a->types, b->types, a->type_count * sizeof *a->types))
        return false;
    for (uint32_t i = 0; i < a->attr_count; i++)
        if (a->attrs[i] != b->attrs[i] && !weft_attr_equal(a->attrs[i], b->attrs[i])) return false;
    return true;
}

static const seen_op *find_seen(const weft_rules *t, const seen_op *key) {
    size_t probe = 0;
    const seen_op *old;
    while ((old = weft_table_next(&t->seen, key->hash, &probe)) && !same_key(old, key)) {}
    return old;
}

static weft_status rule_from_kind(weft_rules *t, const weft_op *op, weft_rule_mode mode, const weft_uses *uses,
                                  const weft_rule **out) {
    seen_op key = { .kind = (weft_op_kind)op->kind, .mode = mode, .type_count = op->operand_count + op->result_count };
    if (has_no_rule(key.kind)) return WEFT_OK;
    key.types = weft_scratch_array(t->cx, const weft_type *, key.type_count);
    key.attrs = weft_scratch_array(t->cx, const weft_attr *, op->attr_count);
    if (!key.types || !key.attrs) return weft_oom();
    for (uint32_t i = 0; i < op->operand_count; i++) key.types[i] = op->operands[i]->type;
    for (uint32_t i = 0; i < op->result_count; i++) key.types[op->operand_count + i] = op->results[i].type;
    if (looks_around(key.kind)) return build_rule(t, op, mode, uses, key.types, out);
    key_of(&key, op);
    const seen_op *old = find_seen(t, &key);
    if (!old) {
        weft_status st = build_rule(t, op, mode, uses, key.types, &key.rule);
        if (st != WEFT_OK) return st;
        key.types =
            weft_arena_dup(t->arena, key.types, key.type_count * sizeof *key.types, _Alignof(const weft_type *));
        key.attrs =
            weft_arena_dup(t->arena, key.attrs, key.attr_count * sizeof *key.attrs, _Alignof(const weft_attr *));
        old = key.types && key.attrs ? weft_arena_dup(t->arena, &key, sizeof key, _Alignof(seen_op)) : NULL;
        if (!old || !weft_table_add(&t->seen, t->arena, key.hash, old)) return weft_oom();
    }
    *out = old->rule;
    return WEFT_OK;
}

weft_status weft_rule_of(weft_rules *t, const weft_op *op, weft_rule_mode mode, const weft_uses *uses,
                         const weft_rule **out) {
    const weft_attr *attr = weft_op_attr(op, WEFT_A_sdy_sharding_rule);
    *out = NULL;
    if (attr) return weft_rule_from_attr(t, attr, op->loc, out);
    weft_mark mark = weft_arena_mark(&t->cx->scratch);
    weft_status st = rule_from_kind(t, op, mode, uses, out);
    weft_arena_reset(&t->cx->scratch, mark);
    return st;
}

weft_status weft_rule_identity(weft_rules *t, const weft_type *type, uint32_t operands, uint32_t results,
                               const weft_rule **out) {
    weft_rule_builder b = { .cx = t->cx, .operand_count = operands, .tensor_count = operands + results };
    weft_mark mark = weft_arena_mark(&t->cx->scratch);
    const weft_type **types = weft_scratch_array(t->cx, const weft_type *, b.tensor_count);
    weft_status st = weft_oom();
    if (types) {
        for (uint32_t i = 0; i < b.tensor_count; i++) types[i] = type;
        b.types = types;
        if (weft_rule_builder_open(&b)) {
            weft_rule_all_dims(&b, type, weft_rule_rank(&b, 0));
            st = finish(t, &b, out);
        }
    }
    weft_arena_reset(&t->cx->scratch, mark);
    return st;
}

/* Attributes. */

static weft_status bits_of(weft_rules *t, weft_ints v, uint32_t factors, const weft_loc *loc, weft_bits *out) {
    *out = 0;
    for (uint32_t i = 0; i < v.n; i++) {
        if (v.v[i] < 0 || v.v[i] >= factors)
            return weft_report(t->cx, WEFT_D_sharding, loc, "a sharding rule speaks of a factor that it does not have");
        *out |= weft_bit((uint32_t)v.v[i]);
    }
    return WEFT_OK;
}

static weft_status read_rule(weft_rules *t, const weft_rule_attr *a, const weft_loc *loc, const weft_rule **out) {
    weft_rule r = { .factor_count = a->factor_sizes.n, .operand_count = a->operand_count,
                    .tensor_count = a->operand_count + a->result_count, .sizes = a->factor_sizes.v,
                    .custom = a->custom };
    uint32_t cells = 0, factors = 0, at = 0;
    weft_status st;
    if (r.factor_count > WEFT_MAX_FACTORS)
        return weft_report(t->cx, WEFT_D_unsupported, loc, "a sharding rule of more than %d factors", WEFT_MAX_FACTORS);
    if ((st = bits_of(t, a->reduction, r.factor_count, loc, &r.reduction)) != WEFT_OK ||
        (st = bits_of(t, a->need_replication, r.factor_count, loc, &r.replicated)) != WEFT_OK ||
        (st = bits_of(t, a->permutation, r.factor_count, loc, &r.permutation)) != WEFT_OK ||
        (st = bits_of(t, a->blocked, r.factor_count, loc, &r.blocked)) != WEFT_OK)
        return st;
    for (uint32_t i = 0; i < r.tensor_count; i++)
        for (uint32_t d = 0; d < a->ranks[i]; d++, cells++) factors += a->dims[i][d].n;
    weft_rule_tensor *tensors = weft_scratch_array(t->cx, weft_rule_tensor, r.tensor_count);
    weft_rule_dim *dims = weft_scratch_array(t->cx, weft_rule_dim, cells);
    uint8_t *list = weft_scratch_array(t->cx, uint8_t, factors);
    if (!tensors || !dims || !list) return weft_oom();
    for (uint32_t i = 0; i < r.tensor_count; i++) {
        tensors[i] = (weft_rule_tensor){ .dims = dims, .rank = a->ranks[i] };
        for (uint32_t d = 0; d < a->ranks[i]; d++) {
            *dims++ = (weft_rule_dim){ at, a->dims[i][d].n };
            for (uint32_t k = 0; k < a->dims[i][d].n; k++) {
                if (a->dims[i][d].v[k] < 0 || a->dims[i][d].v[k] >= r.factor_count)
                    return weft_report(t->cx, WEFT_D_sharding, loc,
                                       "a sharding rule speaks of a factor that it does not have");
                list[at++] = (uint8_t)a->dims[i][d].v[k];
            }
        }
    }
    r.tensors = tensors;
    r.factors = list;
    *out = intern(t, &r);
    return *out ? WEFT_OK : weft_oom();
}

weft_status weft_rule_from_attr(weft_rules *t, const weft_attr *attr, const weft_loc *loc, const weft_rule **out) {
    if (attr->kind != WEFT_ATTR_RULE)
        return weft_report(t->cx, WEFT_D_sharding, loc, "sdy.sharding_rule does not hold a rule");
    const void **known = weft_attr_fact(&t->attrs, attr);
    if (!known) return weft_oom();
    if ((*out = *known)) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&t->cx->scratch);
    weft_status st = read_rule(t, &attr->rule, loc, out);
    weft_arena_reset(&t->cx->scratch, mark);
    if (st == WEFT_OK) *known = *out;
    return st;
}

static bool write_bits(weft_context *cx, weft_bits bits, weft_ints *out) {
    int64_t *v = weft_scratch_array(cx, int64_t, weft_bits_count(bits));
    if (!v) return false;
    out->v = v;
    out->n = 0;
    WEFT_EACH_BIT(i, bits) v[out->n++] = (int64_t)i;
    return true;
}

static const weft_attr *write_rule(weft_context *cx, const weft_rule *r) {
    weft_attr a = { .kind = WEFT_ATTR_RULE,
                    .rule = { .factor_sizes = { r->sizes, r->factor_count }, .operand_count = r->operand_count,
                              .result_count = r->tensor_count - r->operand_count, .custom = r->custom } };
    uint32_t *ranks = weft_scratch_array(cx, uint32_t, r->tensor_count);
    const weft_ints **dims = weft_scratch_array(cx, const weft_ints *, r->tensor_count);
    if (!ranks || !dims || !write_bits(cx, r->reduction, &a.rule.reduction) ||
        !write_bits(cx, r->replicated, &a.rule.need_replication) ||
        !write_bits(cx, r->permutation, &a.rule.permutation) || !write_bits(cx, r->blocked, &a.rule.blocked))
        return NULL;
    for (uint32_t i = 0; i < r->tensor_count; i++) {
        weft_ints *of = weft_scratch_array(cx, weft_ints, r->tensors[i].rank);
        if (!of) return NULL;
        for (uint32_t d = 0; d < r->tensors[i].rank; d++) {
            weft_rule_dim dim = r->tensors[i].dims[d];
            int64_t *v = weft_scratch_array(cx, int64_t, dim.n);
            if (!v) return NULL;
            for (uint32_t k = 0; k < dim.n; k++) v[k] = r->factors[dim.first + k];
            of[d] = (weft_ints){ v, dim.n };
        }
        ranks[i] = r->tensors[i].rank;
        dims[i] = of;
    }
    a.rule.ranks = ranks;
    a.rule.dims = dims;
    return weft_attr_copy(cx, &a);
}

const weft_attr *weft_rule_to_attr(weft_rules *t, const weft_rule *r) {
    if (!weft_arena_grow(t->arena, (void **)&t->attr_of, &t->attr_of_cap, t->interned.count, sizeof *t->attr_of))
        return NULL;
    if (!t->attr_of[r->id]) {
        weft_mark mark = weft_arena_mark(&t->cx->scratch);
        t->attr_of[r->id] = write_rule(t->cx, r);
        weft_arena_reset(&t->cx->scratch, mark);
    }
    return t->attr_of[r->id];
}
