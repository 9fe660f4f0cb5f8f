/* choice_memory.c: two tables from words, of classes and of requests; see choice_memory.h. */
#include "partitioner/plan/choice_memory.h"
#include "base/table.h"

typedef struct answer {
    struct answer *next;
    weft_choice_mode mode;
    weft_choice_basis basis;
    weft_choice choice;
} answer;

/* Words and what they stand for. */
typedef struct entry {
    const uint32_t *words;
    uint32_t n;
    void *found;                       /* a class, or the first of a request's answers */
} entry;

struct weft_choice_memory {
    weft_context *cx;
    weft_arena *arena;
    const weft_choice_class **class_of; /* by the id of the op */
    weft_table classes, requests;      /* of entry */
};

weft_status weft_choice_memory_open(const weft_module *m, weft_arena *arena, weft_choice_memory **out) {
    weft_choice_memory *y = weft_arena_new(arena, weft_choice_memory);
    if (!y) return weft_oom();
    *y = (weft_choice_memory){ .cx = m->cx, .arena = arena,
                               .class_of = weft_arena_array(arena, const weft_choice_class *, m->op_count) };
    *out = y;
    return y->class_of ? WEFT_OK : weft_oom();
}

/* --- words ------------------------------------------------------------------------------------------------------- */

/* Where the next word goes: a key is written in one go, by local copies of this. */
typedef uint32_t *cursor;

static cursor put(cursor at, uint64_t word) {
    *at = (uint32_t)word;
    return at + 1;
}

static cursor put_long(cursor at, uint64_t v) {
    memcpy(at, &v, sizeof v);
    return at + 2;
}

static cursor put_double(cursor at, double v) {
    memcpy(at, &v, sizeof v);
    return at + 2;
}

static void finish(weft_choice_key *k, cursor end) {
    k->n = (uint32_t)(end - k->words);
    uint64_t h = 0x9e3779b97f4a7c15u ^ k->n, pair;
    uint32_t i = 0;
    for (; i + 1 < k->n; i += 2) {
        memcpy(&pair, k->words + i, sizeof pair);
        h = (h ^ pair) * 0xff51afd7ed558ccdu, h ^= h >> 32;
    }
    if (i < k->n) h = (h ^ k->words[i]) * 0xff51afd7ed558ccdu, h ^= h >> 32;
    k->hash = h;
}

static weft_status begin(weft_choice_memory *y, size_t most, weft_choice_key *k) {
    *k = (weft_choice_key){ .words = weft_arena_take(&y->cx->scratch, most * sizeof *k->words, _Alignof(uint32_t)) };
    return k->words ? WEFT_OK : weft_oom();
}

static entry *find(const weft_table *t, const weft_choice_key *k) {
    size_t probe = 0;
    for (const entry *e; (e = weft_table_next(t, k->hash, &probe));)
        if (e->n == k->n && !memcmp(e->words, k->words, k->n * sizeof *k->words)) return (entry *)e;
    return NULL;
}

/* The entry of these words, made if there is none. */
static weft_status take(weft_choice_memory *y, weft_table *t, const weft_choice_key *k, entry **out) {
    if ((*out = find(t, k))) return WEFT_OK;
    entry *e = weft_arena_new(y->arena, entry);
    const uint32_t *words = weft_arena_dup(y->arena, k->words, k->n * sizeof *words, _Alignof(uint32_t));
    if (!e || !words || !weft_table_add(t, y->arena, k->hash, e)) return weft_oom();
    *e = (entry){ .words = words, .n = k->n };
    *out = e;
    return WEFT_OK;
}

/* --- classes ----------------------------------------------------------------------------------------------------- */

static bool is_product(const weft_rule *rule) {
    const weft_bits all = weft_bits_below(rule->factor_count);
    for (uint32_t i = 0; i < rule->tensor_count; i++)
        if (rule->tensors[i].factors == all) return false;
    return true;
}

static weft_choice_class describe(const weft_op *op, const weft_rule *rule) {
    const weft_local *l = weft_local_of((weft_op_kind)op->kind);
    weft_choice_class c = { .rule = rule, .local = l, .linear = weft_op_linearity(op),
                            .terms = weft_op_terms(op), .product = is_product(rule) };
    c.partial = rule->reduction && l->partial ? l->partial(op) : WEFT_PARTIAL_NONE;
    c.allowed = l->factors ? l->factors(op, rule) : 0;
    if (!c.partial) c.allowed &= ~rule->reduction;
    c.uneven = c.allowed & weft_uneven_factors(op, rule);
    if (l->any_parts) c.uneven |= c.allowed & l->any_parts(op, rule);
    c.places = l->places ? l->places(op, rule) : 0;
    return c;
}

static const weft_type *type_of(const weft_op *op, uint32_t tensor) {
    const uint32_t n = op->operand_count;
    return tensor < n ? op->operands[tensor]->type : op->results[tensor - n].type;
}

static bool is_alike(const weft_op *op, const weft_rule *rule, uint32_t i, uint32_t k) {
    const weft_rule_tensor *a = &rule->tensors[i], *b = &rule->tensors[k];
    const weft_type *x = type_of(op, i), *y = type_of(op, k);
    if (a->rank != b->rank || x->rank != y->rank || a->factors != b->factors) return false;
    for (uint32_t d = 0; d < a->rank; d++)
        if (a->dims[d].n != b->dims[d].n || x->dims[d] != y->dims[d] ||
            memcmp(rule->factors + a->dims[d].first, rule->factors + b->dims[d].first, a->dims[d].n))
            return false;
    return true;
}

/* Most ops are pointwise: each tensor is like the one before it. */
static const uint32_t *find_alike(weft_choice_memory *y, const weft_op *op, const weft_rule *rule) {
    const uint32_t n = op->operand_count + op->result_count;
    uint32_t *alike = weft_arena_array(y->arena, uint32_t, n);
    for (uint32_t i = 0; alike && i < n; i++)
        alike[i] = i > 0 && is_alike(op, rule, i, alike[i - 1]) ? alike[i - 1] : i;
    return alike;
}

/* The first operand that is the same value as this one. */
static uint32_t first_alike(const weft_op *op, uint32_t i) {
    uint32_t k = 0;
    while (op->operands[k] != op->operands[i]) k++;
    return k;
}

weft_status weft_choice_class_of(weft_choice_memory *y, const weft_op *op, const weft_rule *rule,
                                 const weft_choice_class **out) {
    const weft_choice_class **of = &y->class_of[op->id];
    if (*of && (*of)->rule == rule) {
        *out = *of;
        return WEFT_OK;
    }
    const weft_choice_class c = describe(op, rule);
    weft_choice_key k;
    entry *e = NULL;
    weft_status st = begin(y, 13 + 2 * (size_t)op->operand_count + op->result_count, &k);
    if (st != WEFT_OK) return st;
    cursor at = k.words;
    at = put(at, op->kind);
    at = put(at, rule->id);
    at = put(at, op->operand_count);
    at = put_long(at, c.allowed);
    at = put_long(at, c.uneven);
    at = put_long(at, c.places);
    at = put(at, c.partial);
    at = put(at, c.linear);
    at = put(at, c.terms);
    at = put(at, c.local->talk && !(c.local->talks_by_rule && c.local->talks_by_rule(op)) ? 1 + (uint64_t)op->id : 0);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        at = put(at, op->operands[i]->type->id);
        at = put(at, first_alike(op, i));
    }
    for (uint32_t i = 0; i < op->result_count; i++) at = put(at, op->results[i].type->id);
    finish(&k, at);
    st = take(y, &y->classes, &k, &e);
    if (st == WEFT_OK && !e->found) {
        weft_choice_class *made = weft_arena_dup(y->arena, &c, sizeof c, _Alignof(weft_choice_class));
        if (!made) return weft_oom();
        made->number = (uint32_t)y->classes.count;
        if (!(made->alike = find_alike(y, op, rule))) return weft_oom();
        e->found = made;
    }
    if (st == WEFT_OK) *out = *of = e->found;
    return st;
}

/* --- requests ---------------------------------------------------------------------------------------------------- */

static size_t most_words(const weft_choice_request *r) {
    size_t n = 3;
    for (uint32_t i = 0; i < r->op->operand_count; i++) {
        n += 6 + 3 * (size_t)r->operands[i].have_count;
        if (r->operands[i].source) n += 6 + 3 * (size_t)r->operands[i].source->have_count + WEFT_MAX_RANK;
    }
    for (uint32_t i = 0; i < r->op->result_count; i++) n += 2 + (r->wishes && r->wishes[i] ? 3 * r->wishes[i]->n : 0);
    return n;
}

static cursor put_operand(cursor at, const weft_choice_operand *o) {
    const bool turns = o->turns > 1;
    at = put(at, (uint64_t)o->have_count << 5 | o->free | (uint64_t)o->may_stay_partial << 1 | (uint64_t)turns << 2 |
                 (uint64_t)(o->making != NULL) << 3 | (uint64_t)(o->source != NULL) << 4);
    at = put(at, o->value->type->id);
    for (uint32_t k = 0; k < o->have_count; k++) at = put(at, o->have[k]);
    for (uint32_t k = 0; o->making && k < o->have_count; k++) at = put_double(at, o->making[k]);
    if (!turns) return at;
    at = put_double(at, o->turns);
    return put_long(at, (uint64_t)o->room);
}

static cursor put_source(cursor at, const weft_choice_operand *o) {
    const weft_attr *dims = weft_op_attr(o->value->def, WEFT_A_broadcast_dimensions);
    at = put_operand(at, o->source);
    for (uint32_t d = 0; d < dims->ints.n; d++) at = put(at, (uint64_t)dims->ints.v[d]);
    return at;
}

weft_status weft_choice_key_of(weft_choice_memory *y, const weft_choice_class *of, const weft_choice_request *r,
                               weft_choice_key *key) {
    weft_status st = begin(y, most_words(r), key);
    if (st != WEFT_OK) return st;
    key->of = of;
    key->op = r->op;
    cursor at = key->words;
    at = put(at, of->number);
    at = put(at, r->spare);
    at = put(at, r->barred);
    for (uint32_t i = 0; i < r->op->operand_count; i++) {
        at = put_operand(at, &r->operands[i]);
        if (r->operands[i].source) at = put_source(at, &r->operands[i]);
    }
    for (uint32_t i = 0; i < r->op->result_count; i++) {
        const weft_wishes *w = r->wishes ? r->wishes[i] : NULL;
        at = put(at, r->declared[i]);
        at = put(at, w ? 1 + (uint64_t)w->n : 0);
        for (uint32_t k = 0; w && k < w->n; k++) {
            at = put(at, (uint64_t)w->v[k].at << 1 | w->v[k].offered);
            at = put_double(at, w->v[k].cost);
        }
    }
    finish(key, at);
    return WEFT_OK;
}

static bool holds(const answer *a, const weft_choice_class *of, weft_choice_mode mode) {
    if (a->basis == WEFT_CHOICE_FREE) return !of->product || a->mode.wide == mode.wide;
    return a->mode.wide == mode.wide && a->mode.trust >= mode.trust && a->mode.trust <= mode.trust;
}

bool weft_choice_recall(const weft_choice_memory *y, const weft_choice_key *key, weft_choice_mode mode,
                        weft_choice *out) {
    const entry *e = find(&y->requests, key);
    const answer *a = e ? e->found : NULL;
    while (a && !holds(a, key->of, mode)) a = a->next;
    if (!a) return false;
    const weft_choice own = *out;
    *out = a->choice;
    out->operands = own.operands;
    out->results = own.results;
    memcpy(out->operands, a->choice.operands, key->op->operand_count * sizeof *out->operands);
    memcpy(out->results, a->choice.results, key->op->result_count * sizeof *out->results);
    return true;
}

weft_status weft_choice_remember(weft_choice_memory *y, const weft_choice_key *key, weft_choice_mode mode,
                                 weft_choice_basis basis, const weft_choice *c) {
    entry *e = NULL;
    answer *a = weft_arena_new(y->arena, answer);
    if (!a) return weft_oom();
    *a = (answer){ .mode = mode, .basis = basis, .choice = *c };
    a->choice.operands = weft_arena_dup(y->arena, c->operands, key->op->operand_count * sizeof *c->operands,
                                        _Alignof(weft_placement_id));
    a->choice.results =
        weft_arena_dup(y->arena, c->results, key->op->result_count * sizeof *c->results, _Alignof(weft_placement_id));
    if (!a->choice.operands || !a->choice.results) return weft_oom();
    weft_status st = take(y, &y->requests, key, &e);
    if (st != WEFT_OK) return st;
    a->next = e->found;
    e->found = a;
    return WEFT_OK;
}
