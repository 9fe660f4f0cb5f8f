/* strategy.c: see strategy.h. */
#include "pipeline/dryrun/strategy.h"

#include "base/nearest.h"
#include "ir/rewrite.h"
#include "pipeline/dryrun/annotate.h"
#include "pipeline/dryrun/arguments.h"
#include "pipeline/dryrun/products.h"

enum { MOST_AXES = 6 }; /* of one dimension */
#define NO_AXIS UINT32_MAX

typedef struct axes { uint8_t n, v[MOST_AXES]; } axes;

struct weft_strategist {
    const weft_module *m;
    weft_arena *arena;
    const weft_op *main;
    const weft_mesh_attr *mesh;
    const weft_attr *ref;
    weft_dim_classes classes;
    weft_roles roles;
    weft_products products;
    axes *of_class;            /* of all dimensions of a class: by class */
    axes *of_dim;              /* besides, of one argument: by number of the dimension */
    bool *whole;               /* by class: tp gathers it. By number of its first dimension */
    uint32_t sequence;         /* class: of data, after the batch */
    uint32_t tp_axis;
    bool scatters, gathers;    /* sp; fsdp, zero1, zero2 */
    uint64_t taken;            /* axes that a tactic without a name does not take */
    uint32_t changes;          /* of the tactic that is being added */
};

/* ---- questions ---- */

static int64_t size_of(const weft_strategist *s, uint32_t axis) { return s->mesh->axes[axis].size; }

static bool lists(const axes *a, uint32_t axis) {
    for (uint8_t i = 0; i < a->n; i++)
        if (a->v[i] == axis) return true;
    return false;
}

static int64_t parts(const weft_strategist *s, const axes *a) {
    int64_t n = 1;
    for (uint8_t i = 0; i < a->n; i++) n *= size_of(s, a->v[i]);
    return n;
}

static const weft_value *argument(const weft_strategist *s, uint32_t i) { return weft_op_body(s->main, 0)->args[i]; }

/* That of an argument of data that follows its batch and does not end it. */
static uint32_t find_sequence(const weft_strategist *s) {
    for (uint32_t i = 0; i < s->roles.argument_count; i++) {
        const weft_type *t = argument(s, i)->type;
        if (s->roles.of[i] != WEFT_ROLE_DATA || !weft_type_is_tensor(t)) continue;
        if (t->rank < (weft_dtype_is_float(t->dtype) ? 3u : 2u)) continue;
        if (weft_dim_class(&s->classes, argument(s, i), 0) == s->roles.batch && t->dims[1] > 1)
            return weft_dim_class(&s->classes, argument(s, i), 1);
    }
    return WEFT_NO_CLASS;
}

/* The axes of dimension d of argument i. Only data has those of the sequence. An axis that an earlier dimension has, or
 * that does not divide what is left, is not among them. */
static axes axes_at(const weft_strategist *s, uint32_t i, uint32_t d) {
    const weft_value *v = argument(s, i);
    uint64_t used = 0;
    axes out = { 0 };
    for (uint32_t k = 0; k <= d; k++) {
        const uint32_t class = weft_dim_class(&s->classes, v, k);
        out = (axes){ 0 };
        if (class == WEFT_NO_CLASS) continue;
        const bool kept = class == s->sequence && s->roles.of[i] != WEFT_ROLE_DATA;
        const axes *from[] = { kept ? NULL : &s->of_class[class], &s->of_dim[s->classes.first[v->id] + k] };
        for (int f = 0; f < 2; f++)
            for (uint8_t a = 0; from[f] && a < from[f]->n && out.n < MOST_AXES; a++) {
                const uint8_t axis = from[f]->v[a];
                if (used >> axis & 1 || v->type->dims[k] % (parts(s, &out) * size_of(s, axis))) continue;
                used |= (uint64_t)1 << axis;
                out.v[out.n++] = axis;
            }
    }
    return out;
}

static bool argument_has(const weft_strategist *s, uint32_t i, uint32_t axis) {
    for (uint32_t d = 0; d < argument(s, i)->type->rank; d++) {
        const axes a = axes_at(s, i, d);
        if (lists(&a, axis)) return true;
    }
    return false;
}

static void split(weft_strategist *s, axes *a, uint32_t axis) {
    if (a->n == MOST_AXES || lists(a, axis)) return;
    a->v[a->n++] = (uint8_t)axis;
    s->changes++;
}

/* Whether the axis divides all dimensions of the class further. */
static bool divides(const weft_strategist *s, uint32_t class, uint32_t axis) {
    return s->products.divisor[class] % (parts(s, &s->of_class[class]) * size_of(s, axis)) == 0;
}

/* The batch of the data; 0: there is none. */
static int64_t batch_size(const weft_strategist *s) {
    for (uint32_t i = 0; i < s->roles.argument_count && s->roles.batch != WEFT_NO_CLASS; i++)
        if (s->roles.of[i] == WEFT_ROLE_DATA && weft_dim_class(&s->classes, argument(s, i), 0) == s->roles.batch)
            return argument(s, i)->type->dims[0];
    return 0;
}

static bool divides_batch(const weft_strategist *s, uint32_t axis) {
    const int64_t size = batch_size(s);
    return size && size % (parts(s, &s->of_class[s->roles.batch]) * size_of(s, axis)) == 0;
}

/* ---- tactics ---- */

static void add_batch(weft_strategist *s, uint32_t axis) {
    if (divides_batch(s, axis)) split(s, &s->of_class[s->roles.batch], axis);
}

static void add_sequence(weft_strategist *s, uint32_t axis) {
    if (s->sequence != WEFT_NO_CLASS && divides(s, s->sequence, axis)) split(s, &s->of_class[s->sequence], axis);
}

/* The largest dimension that no axis splits and this one divides; not that of stacked layers, nor the one inside of a
 * head, over which scores would be sums. Rows of a table, which a lookup would have to find on other devices, come
 * last. */
static void add_largest(weft_strategist *s, uint32_t i, uint32_t axis) {
    const weft_value *v = argument(s, i);
    int64_t most = 0;
    uint32_t best = 0;
    if (!weft_type_is_tensor(v->type) || argument_has(s, i, axis)) return;
    for (uint32_t d = 0; d < v->type->rank; d++) {
        const uint32_t class = weft_dim_class(&s->classes, v, d);
        const int64_t size = v->type->dims[d];
        if (class == WEFT_NO_CLASS || s->products.sliced[class] || s->products.inner[class]) continue;
        const int64_t rank = s->products.looked_up[class] ? 1 : size;
        if (axes_at(s, i, d).n || size % size_of(s, axis) || rank <= most) continue;
        most = rank;
        best = d;
    }
    if (most) split(s, &s->of_dim[s->classes.first[v->id] + best], axis);
}

static void add_state(weft_strategist *s, uint32_t axis, bool parameters) {
    s->gathers = true;
    add_batch(s, axis);
    for (uint32_t i = 0; i < s->roles.argument_count; i++)
        if (s->roles.of[i] == WEFT_ROLE_STATE || (parameters && s->roles.of[i] == WEFT_ROLE_PARAMETER))
            add_largest(s, i, axis);
}

static bool any_split(const weft_strategist *s, const uint32_t *classes, uint32_t n, uint32_t axis) {
    for (uint32_t i = 0; i < n; i++)
        if (lists(&s->of_class[classes[i]], axis)) return true;
    return false;
}

static void keep_whole(weft_strategist *s, const uint32_t *classes, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) s->whole[classes[i]] = true;
}

/* Whether a later product contracts the class. */
static bool has_rows(const weft_strategist *s, size_t from, uint32_t class) {
    for (size_t k = from + 1; k < s->products.n; k++)
        for (uint32_t i = 0; i < s->products.v[k].contracted_count; i++)
            if (s->products.v[k].contracted[i] == class) return true;
    return false;
}

/* The columns of product k: those that a later product reads as its rows, else the last free ones. */
static uint32_t columns_of(const weft_strategist *s, size_t k, uint32_t axis) {
    const weft_product *p = &s->products.v[k];
    uint32_t other = WEFT_NO_CLASS;
    for (uint32_t i = 0; i < p->free_count; i++) {
        const uint32_t class = p->free[i];
        if (s->whole[class] || s->products.inner[class] || s->products.sliced[class]) continue;
        if (!divides(s, class, axis)) continue;
        if (has_rows(s, k, class)) return class;
        other = class;
    }
    return other;
}

/* In program order, so that forward products decide. What a product contracts and is not split stays whole. A table's
 * rows are split. */
static void add_tensor(weft_strategist *s, uint32_t axis) {
    s->tp_axis = axis;
    keep_whole(s, &s->roles.batch, s->roles.batch != WEFT_NO_CLASS);
    keep_whole(s, &s->sequence, s->sequence != WEFT_NO_CLASS);
    for (size_t k = 0; k < s->products.n; k++) {
        const weft_product *p = &s->products.v[k];
        const uint32_t rows = p->contracted_count ? p->contracted[0] : WEFT_NO_CLASS;
        if (p->op->kind == WEFT_OP_gather && rows != WEFT_NO_CLASS && !s->whole[rows] && divides(s, rows, axis))
            split(s, &s->of_class[rows], axis);
        if (any_split(s, p->contracted, p->contracted_count, axis)) {
            keep_whole(s, p->free, p->free_count);
            continue;
        }
        if (p->op->kind == WEFT_OP_gather) continue;
        if (!any_split(s, p->free, p->free_count, axis)) {
            const uint32_t columns = columns_of(s, k, axis);
            if (columns == WEFT_NO_CLASS) continue;
            split(s, &s->of_class[columns], axis);
        }
        keep_whole(s, p->contracted, p->contracted_count);
    }
}

static void add_experts(weft_strategist *s, uint32_t axis) {
    for (size_t k = 0; k < s->products.n; k++)
        for (uint32_t i = 0; i < s->products.v[k].batched_count; i++) {
            const uint32_t class = s->products.v[k].batched[i];
            if (class == s->roles.batch || s->products.sliced[class] || !divides(s, class, axis)) continue;
            split(s, &s->of_class[class], axis);
            break;
        }
    if (s->changes) add_batch(s, axis);
}

/* ---- words ---- */

typedef enum kind { DP, FSDP, ZERO1, ZERO2, TP, SP, EP, CP } kind;

/* Axes are called so, the most usual first. */
static const struct { const char *name, *axes[6]; } kinds[] = {
    [DP] = { "dp", { "data", "dp", "batch", "replica" } },
    [FSDP] = { "fsdp", { "fsdp", "data", "dp", "batch" } },
    [ZERO1] = { "zero1", { "data", "dp", "fsdp", "batch" } },
    [ZERO2] = { "zero2", { "data", "dp", "fsdp", "batch" } },
    [TP] = { "tp", { "model", "tensor", "tp", "mp" } },
    [SP] = { "sp", { "model", "tensor", "tp", "mp" } },
    [EP] = { "ep", { "expert", "experts", "ep" } },
    [CP] = { "cp", { "seq", "context", "cp", "sequence" } },
};

static weft_status find_kind(const weft_strategist *s, const weft_loc *loc, weft_str word, kind *out) {
    weft_nearest near = weft_nearest_to(word);
    for (size_t k = 0; k < WEFT_COUNT(kinds); k++) {
        weft_nearest_offer(&near, weft_str_from(kinds[k].name));
        if (!weft_str_is(word, kinds[k].name)) continue;
        *out = (kind)k;
        return WEFT_OK;
    }
    return weft_report(s->m->cx, WEFT_D_usage, loc,
                       "there is no strategy '%.*s'" WEFT_NEAREST " (there are dp, fsdp, zero1, zero2, tp, sp, ep, cp)",
                       WEFT_STR_ARG(word), WEFT_NEAREST_ARG(near));
}

static uint32_t axis_called(const weft_strategist *s, weft_str name) {
    for (uint32_t i = 0; i < s->mesh->axis_count; i++)
        if (weft_str_equal(weft_name_str(s->mesh->axes[i].name), name)) return i;
    return NO_AXIS;
}

static weft_status find_axis(const weft_strategist *s, const weft_loc *loc, weft_str name, uint32_t *out) {
    weft_nearest near = weft_nearest_to(name);
    *out = axis_called(s, name);
    if (*out != NO_AXIS) return WEFT_OK;
    for (uint32_t i = 0; i < s->mesh->axis_count; i++) weft_nearest_offer(&near, weft_name_str(s->mesh->axes[i].name));
    return weft_report(s->m->cx, WEFT_D_usage, loc, "the mesh has no axis '%.*s'" WEFT_NEAREST, WEFT_STR_ARG(name),
                       WEFT_NEAREST_ARG(near));
}

/* sp is on tp's axis. */
static weft_status choose_axis(const weft_strategist *s, const weft_loc *loc, kind k, uint32_t *out) {
    if (k == SP && s->tp_axis != NO_AXIS) return *out = s->tp_axis, WEFT_OK;
    for (size_t i = 0; i < WEFT_COUNT(kinds[k].axes) && kinds[k].axes[i]; i++) {
        *out = axis_called(s, weft_str_from(kinds[k].axes[i]));
        if (*out != NO_AXIS && !(s->taken >> *out & 1)) return WEFT_OK;
    }
    for (*out = 0; *out < s->mesh->axis_count; ++*out)
        if (!(s->taken >> *out & 1)) return WEFT_OK;
    return weft_report(s->m->cx, WEFT_D_usage, loc,
                       "no axis of the mesh is left for strategy %s; '%s:AXIS' names one that another has", kinds[k].name,
                       kinds[k].name);
}

static weft_status add_kind(weft_strategist *s, const weft_loc *loc, kind k, uint32_t axis) {
    s->changes = 0;
    if (k <= ZERO2 && batch_size(s) && !divides_batch(s, axis))
        return weft_report(s->m->cx, WEFT_D_usage, loc, "axis '%s' of %lld does not divide the batch of %lld further",
                           s->mesh->axes[axis].name->text, (long long)size_of(s, axis),
                           (long long)batch_size(s));
    if (k == SP) {
        if (s->tp_axis != axis)
            return weft_report(s->m->cx, WEFT_D_usage, loc, "strategy sp is for the axis of tp, which comes before it");
        s->scatters = true;
        s->changes = s->sequence != WEFT_NO_CLASS && divides(s, s->sequence, axis);
    }
    if (k == DP) add_batch(s, axis);
    if (k == FSDP) add_state(s, axis, true);
    if (k == ZERO1 || k == ZERO2) add_state(s, axis, false);
    if (k == TP) add_tensor(s, axis);
    if (k == EP) add_experts(s, axis);
    if (k == CP) add_sequence(s, axis);
    s->taken |= (uint64_t)1 << axis;
    if (s->changes || size_of(s, axis) == 1) return WEFT_OK;
    return weft_report(s->m->cx, WEFT_D_usage, loc, "strategy %s finds nothing that it can split over axis '%s' of %lld",
                       kinds[k].name, s->mesh->axes[axis].name->text, (long long)size_of(s, axis));
}

static weft_status add_term(weft_strategist *s, const weft_loc *loc, weft_str term) {
    const char *colon = memchr(term.p, ':', term.n);
    const weft_str word = { term.p, colon ? (size_t)(colon - term.p) : term.n };
    kind k = DP;
    uint32_t axis = NO_AXIS;
    weft_status st = find_kind(s, loc, word, &k);
    if (st == WEFT_OK && colon) st = find_axis(s, loc, (weft_str){ colon + 1, term.n - word.n - 1 }, &axis);
    else if (st == WEFT_OK) st = choose_axis(s, loc, k, &axis);
    return st == WEFT_OK ? add_kind(s, loc, k, axis) : st;
}

/* Dimensions that others need are split before the largest of what is left: fsdp and zero come last. */
weft_status weft_strategist_add(weft_strategist *s, const weft_loc *loc, weft_str text) {
    weft_status st = WEFT_OK;
    for (int last = 0; last < 2; last++)
        for (size_t at = 0; at <= text.n && st == WEFT_OK;) {
            const char *plus = memchr(text.p + at, '+', text.n - at);
            const size_t end = plus ? (size_t)(plus - text.p) : text.n;
            const weft_str term = { text.p + at, end - at };
            const bool is_last = term.n && (*term.p == 'f' || *term.p == 'z');
            if (is_last == last) st = add_term(s, loc, term);
            at = end + 1;
        }
    return st;
}

/* ---- lines ---- */

static weft_str next_word(weft_str *rest) {
    while (rest->n && (*rest->p == ' ' || *rest->p == '\t' || *rest->p == ',')) rest->p++, rest->n--;
    weft_str word = { rest->p, 0 };
    while (word.n < rest->n && !memchr(" \t,\r", word.p[word.n], 4)) word.n++;
    rest->p += word.n;
    rest->n -= word.n;
    return word;
}

static weft_status split_dimension(weft_strategist *s, const weft_loc *loc, uint32_t i, uint32_t d, uint32_t axis) {
    const weft_value *v = argument(s, i);
    if (!weft_type_is_tensor(v->type) || d >= v->type->rank)
        return weft_report(s->m->cx, WEFT_D_usage, loc, "argument %u has no dimension %u", i, d);
    const axes has = axes_at(s, i, d);
    if (argument_has(s, i, axis))
        return weft_report(s->m->cx, WEFT_D_usage, loc, "argument %u is split along axis '%s' already", i,
                           s->mesh->axes[axis].name->text);
    if (v->type->dims[d] % (parts(s, &has) * size_of(s, axis)))
        return weft_report(s->m->cx, WEFT_D_usage, loc, "axis '%s' of %lld does not divide dimension %u of argument %u",
                           s->mesh->axes[axis].name->text, (long long)size_of(s, axis), d, i);
    split(s, &s->of_dim[s->classes.first[v->id] + d], axis);
    return WEFT_OK;
}

weft_status weft_strategist_add_line(weft_strategist *s, const weft_loc *loc, weft_str line) {
    weft_str rest = line;
    const weft_str axis_name = next_word(&rest), what = next_word(&rest), number = next_word(&rest);
    const weft_str more = next_word(&rest);
    uint32_t axis = NO_AXIS, n = 0, d = 0;
    const uint32_t *v;
    weft_status st;
    if (!what.n || more.n)
        return weft_report(s->m->cx, WEFT_D_usage, loc,
                           "a tactic is 'AXIS STRATEGY' or 'AXIS PATTERN DIMENSION', such as 'model params*wq 1'");
    st = find_axis(s, loc, axis_name, &axis);
    if (st == WEFT_OK && !number.n) {
        kind k = DP;
        st = find_kind(s, loc, what, &k);
        return st == WEFT_OK ? add_kind(s, loc, k, axis) : st;
    }
    for (size_t i = 0; i < number.n && st == WEFT_OK; i++) {
        if (number.p[i] < '0' || number.p[i] > '9' || d > WEFT_MAX_RANK)
            return weft_report(s->m->cx, WEFT_D_usage, loc, "'%.*s' is no number of a dimension", WEFT_STR_ARG(number));
        d = 10 * d + (uint32_t)(number.p[i] - '0');
    }
    if (st == WEFT_OK) st = weft_arguments_matching(s->m, loc, what, s->arena, &v, &n);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) st = split_dimension(s, loc, v[i], d, axis);
    return st;
}

/* ---- annotations ---- */

/* rank lists of axes as a SHARDING; NULL: memory is out. */
static const weft_attr *sharding(const weft_strategist *s, uint32_t rank, const axes *of) {
    weft_dim_sharding dims[WEFT_MAX_RANK];
    weft_axis_ref refs[WEFT_MAX_RANK][MOST_AXES];
    for (uint32_t d = 0; d < rank; d++) {
        for (uint8_t i = 0; i < of[d].n; i++) refs[d][i] = (weft_axis_ref){ .name = s->mesh->axes[of[d].v[i]].name };
        dims[d] = (weft_dim_sharding){ .axes = { refs[d], of[d].n }, .priority = WEFT_NO_PRIORITY };
    }
    return weft_attr_copy(s->m->cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDING,
                                                  .sharding = { .mesh = s->ref, .dims = dims, .rank = rank } });
}

/* The layout that a product's result is held to, so that the plan is the strategy's where another is cheaper. Under tp
 * a sum over its axis is complete, or under sp in parts of the sequence. Under fsdp and zero (without sp) every result
 * with the batch keeps it, and matrices are gathered. *out NULL: none. */
static weft_status held_layout(const weft_strategist *s, const weft_product *p, const weft_attr **out) {
    const weft_value *v = &p->op->results[0];
    const bool sums = s->tp_axis != NO_AXIS && any_split(s, p->contracted, p->contracted_count, s->tp_axis);
    axes of[WEFT_MAX_RANK];
    bool found = !(sums && s->scatters), has_batch = false;
    *out = NULL;
    for (uint32_t d = 0; d < v->type->rank; d++) {
        const uint32_t class = weft_dim_class(&s->classes, v, d);
        of[d] = (axes){ 0 };
        if (class == WEFT_NO_CLASS) continue;
        has_batch |= class == s->roles.batch;
        if (v->type->dims[d] % parts(s, &s->of_class[class]) == 0) of[d] = s->of_class[class];
        if (class != s->sequence || found || v->type->dims[d] % (parts(s, &of[d]) * size_of(s, s->tp_axis))) continue;
        of[d].v[of[d].n++] = (uint8_t)s->tp_axis;
        found = true;
    }
    if (!sums && !(s->gathers && !s->scatters && has_batch)) return WEFT_OK;
    *out = sharding(s, v->type->rank, of);
    return *out ? WEFT_OK : weft_oom();
}

typedef struct writer {
    const weft_strategist *s;
    const weft_attr **constraint; /* by op id */
    weft_uses uses;
} writer;

/* Products whose results are only added up, as the gradients of what several matrices read, are held as their sum: one
 * sum over the axis in place of several. */
static weft_status hold_sums(void *user, weft_op *op) {
    writer *w = user;
    const weft_op *x, *y;
    if (op->kind != WEFT_OP_add || !(x = op->operands[0]->def) || !(y = op->operands[1]->def) || x == y) return WEFT_OK;
    if (!w->constraint[x->id] || !w->constraint[y->id] || op->operands[0]->type != op->results[0].type) return WEFT_OK;
    if (weft_use_count(&w->uses, op->operands[0]) != 1 || weft_use_count(&w->uses, op->operands[1]) != 1 ||
        !weft_attr_equal(w->constraint[x->id], w->constraint[y->id]))
        return WEFT_OK;
    w->constraint[op->id] = w->constraint[x->id];
    w->constraint[x->id] = w->constraint[y->id] = NULL;
    return WEFT_OK;
}

static weft_status constrain(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const writer *w = r->user;
    const weft_attr *a = w->constraint[op->id];
    if (!a) return WEFT_OK;
    weft_op *made = weft_clone_shell(b, op, &r->map, NULL);
    weft_status st = made ? weft_rewrite_regions(r, op, made) : b->status;
    if (st != WEFT_OK) return st;
    weft_value *v = r->map.to[op->results[0].id];
    r->map.to[op->results[0].id] = weft_build_1(b, WEFT_OP_sdy_sharding_constraint, v->type, &v, 1,
                                                &(weft_attr_pair){ WEFT_A_sharding, a }, 1);
    *did = WEFT_DONE;
    return b->status;
}

static weft_status copy(const weft_strategist *s, weft_module **out) {
    weft_arena arena;
    writer w = { .s = s };
    weft_arena_init(&arena, &s->m->cx->chunks);
    w.constraint = weft_arena_array(&arena, const weft_attr *, s->m->op_count);
    weft_status st = w.constraint ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < s->m->op_count; i++) w.constraint[i] = NULL;
    for (size_t k = 0; st == WEFT_OK && k < s->products.n; k++)
        st = held_layout(s, &s->products.v[k], &w.constraint[s->products.v[k].op->id]);
    if (st == WEFT_OK) st = weft_uses_build(s->m, &arena, &w.uses);
    if (st == WEFT_OK) st = weft_module_walk(s->m, hold_sums, &w);
    if (st == WEFT_OK)
        st = weft_rewrite_module(&(weft_rewrite){ .user = &w, .op = constrain }, s->m, &arena, out);
    weft_arena_free(&arena);
    return st;
}

weft_status weft_strategist_write(const weft_strategist *s, weft_module **out) {
    const weft_roles *roles = &s->roles;
    weft_arena arena;
    weft_module *m = NULL;
    weft_arena_init(&arena, &s->m->cx->alloc);
    const weft_attr **args = weft_arena_array(&arena, const weft_attr *, roles->argument_count);
    const weft_attr **results = weft_arena_array(&arena, const weft_attr *, roles->result_count);
    weft_status st = args && results ? copy(s, &m) : weft_oom();
    for (uint32_t r = 0; st == WEFT_OK && r < roles->result_count; r++) results[r] = NULL;
    for (uint32_t i = 0; st == WEFT_OK && i < roles->argument_count; i++) {
        const weft_type *t = argument(s, i)->type;
        axes of[WEFT_MAX_RANK];
        args[i] = NULL;
        if (!weft_type_is_tensor(t)) continue;
        for (uint32_t d = 0; d < t->rank; d++) of[d] = axes_at(s, i, d);
        args[i] = sharding(s, t->rank, of);
        if (!args[i]) st = weft_oom();
        if (roles->result[i] >= 0) results[roles->result[i]] = args[i];
    }
    if (st == WEFT_OK) st = weft_module_set_shardings(m, WEFT_A_arg_attrs, args);
    if (st == WEFT_OK) st = weft_module_set_shardings(m, WEFT_A_res_attrs, results);
    weft_arena_free(&arena);
    if (st == WEFT_OK) *out = m;
    else weft_module_free(m);
    return st;
}

const weft_roles *weft_strategist_roles(const weft_strategist *s) { return &s->roles; }

static weft_status find_mesh(weft_strategist *s) {
    WEFT_EACH_OP(op, weft_module_body(s->m)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        if (!mesh) continue;
        s->mesh = &mesh->mesh;
        s->ref = weft_attr_symbol(s->m->cx, weft_name_intern(s->m->cx, weft_op_symbol(op, WEFT_A_sym_name)));
        return s->ref ? WEFT_OK : weft_oom();
    }
    return weft_report(s->m->cx, WEFT_D_usage, NULL, "a strategy needs a mesh: --mesh data=8,model=4 gives the program one");
}

weft_status weft_strategist_open(const weft_module *m, weft_arena *arena, weft_strategist **out) {
    weft_strategist *s = weft_arena_new(arena, weft_strategist);
    if (!s) return weft_oom();
    *s = (weft_strategist){ .m = m, .arena = arena, .main = weft_module_main(m), .tp_axis = NO_AXIS };
    weft_status st = find_mesh(s);
    if (st == WEFT_OK) st = weft_dim_classes_find(m, arena, &s->classes);
    if (st == WEFT_OK) st = weft_roles_find(m, &s->classes, arena, &s->roles);
    if (st == WEFT_OK) st = weft_products_find(m, &s->classes, &s->roles, arena, &s->products);
    if (st != WEFT_OK) return st;
    s->sequence = find_sequence(s);
    const uint32_t n = s->classes.count;
    s->of_class = weft_arena_array(arena, axes, n);
    s->of_dim = weft_arena_array(arena, axes, n);
    s->whole = weft_arena_array(arena, bool, n);
    if (!s->of_class || !s->of_dim || !s->whole) return weft_oom();
    memset(s->of_class, 0, n * sizeof *s->of_class);
    memset(s->of_dim, 0, n * sizeof *s->of_dim);
    memset(s->whole, 0, n * sizeof *s->whole);
    *out = s;
    return WEFT_OK;
}
