/* strategy.c: see strategy.h. */
#include "pipeline/dryrun/strategy_impl.h"

#include "base/nearest.h"
#include "pipeline/dryrun/arguments.h"

/* ---- questions ---- */

/* That of an argument of data that follows its batch and does not end it. */
static uint32_t find_sequence(const weft_strategist *s) {
    for (uint32_t i = 0; i < s->roles.argument_count; i++) {
        const weft_type *t = weft_strategist_argument(s, i)->type;
        if (s->roles.of[i] != WEFT_ROLE_DATA || !weft_type_is_tensor(t)) continue;
        const weft_value *v = weft_strategist_argument(s, i);
        const uint32_t lead = weft_leading_dim(&s->roles, &s->classes, v);
        if (t->rank < lead + (weft_dtype_is_float(t->dtype) ? 3u : 2u)) continue;
        if (weft_dim_class(&s->classes, v, lead) == s->roles.batch && t->dims[lead + 1] > 1)
            return weft_dim_class(&s->classes, v, lead + 1);
    }
    return WEFT_NO_CLASS;
}

weft_axes weft_strategist_axes(const weft_strategist *s, uint32_t i, uint32_t d) {
    const weft_value *v = weft_strategist_argument(s, i);
    uint64_t used = 0;
    weft_axes out = { 0 };
    for (uint32_t k = 0; k <= d; k++) {
        const uint32_t class = weft_dim_class(&s->classes, v, k);
        out = (weft_axes){ 0 };
        if (class == WEFT_NO_CLASS) continue;
        const bool kept = class == s->sequence && s->roles.of[i] != WEFT_ROLE_DATA;
        const weft_axes *from[] = { kept ? NULL : &s->of_class[class], &s->of_dim[s->classes.first[v->id] + k] };
        for (int f = 0; f < 2; f++)
            for (uint8_t a = 0; from[f] && a < from[f]->n && out.n < WEFT_MOST_AXES; a++) {
                const uint8_t axis = from[f]->v[a];
                if (used >> axis & 1 || !weft_axes_divide(s, v->type->dims[k], &out, axis)) continue;
                used |= (uint64_t)1 << axis;
                out.v[out.n++] = axis;
            }
    }
    return out;
}

bool weft_strategist_has(const weft_strategist *s, uint32_t i, uint32_t axis) {
    for (uint32_t d = 0; d < weft_strategist_argument(s, i)->type->rank; d++) {
        const weft_axes a = weft_strategist_axes(s, i, d);
        if (weft_axes_have(&a, axis)) return true;
    }
    return false;
}

static void split(weft_strategist *s, weft_axes *a, uint32_t axis) { s->changes += weft_axes_add(a, axis); }

bool weft_strategist_divides(const weft_strategist *s, uint32_t class, uint32_t axis) {
    return weft_axes_divide(s, s->products.divisor[class], &s->of_class[class], axis);
}

/* The batch of the data; 0: there is none. */
static int64_t batch_size(const weft_strategist *s) {
    for (uint32_t i = 0; i < s->roles.argument_count && s->roles.batch != WEFT_NO_CLASS; i++) {
        const weft_value *v = weft_strategist_argument(s, i);
        if (s->roles.of[i] == WEFT_ROLE_DATA && weft_leading_class(&s->roles, &s->classes, v) == s->roles.batch)
            return v->type->dims[weft_leading_dim(&s->roles, &s->classes, v)];
    }
    return 0;
}

static bool divides_batch(const weft_strategist *s, uint32_t axis) {
    const int64_t size = batch_size(s);
    return size && weft_axes_divide(s, size, &s->of_class[s->roles.batch], axis);
}

/* ---- tactics ---- */

static void add_batch(weft_strategist *s, uint32_t axis) {
    if (divides_batch(s, axis)) split(s, &s->of_class[s->roles.batch], axis);
}

static void add_sequence(weft_strategist *s, uint32_t axis) {
    if (s->sequence != WEFT_NO_CLASS && weft_strategist_divides(s, s->sequence, axis))
        split(s, &s->of_class[s->sequence], axis);
}

/* The largest dimension that no axis splits and this one divides; not that of stacked layers, nor the one inside of a
 * head, over which scores would be sums. Rows of a table, which a lookup would have to find on other devices, come
 * last. */
static void add_largest(weft_strategist *s, uint32_t i, uint32_t axis) {
    const weft_value *v = weft_strategist_argument(s, i);
    int64_t most = 0;
    uint32_t best = 0;
    if (!weft_type_is_tensor(v->type) || weft_strategist_has(s, i, axis)) return;
    for (uint32_t d = 0; d < v->type->rank; d++) {
        const uint32_t class = weft_dim_class(&s->classes, v, d);
        const int64_t size = v->type->dims[d];
        if (class == WEFT_NO_CLASS || s->products.sliced[class] || s->products.inner[class]) continue;
        const int64_t rank = s->products.looked_up[class] ? 1 : size;
        if (weft_strategist_axes(s, i, d).n || size % weft_axis_size(s, axis) || rank <= most) continue;
        most = rank;
        best = d;
    }
    if (most) split(s, &s->of_dim[s->classes.first[v->id] + best], axis);
}

/* A program may have no state, and then is as under dp. One whose parameters cannot be split is not what fsdp says:
 * then its batch alone is no change. */
static void add_state(weft_strategist *s, uint32_t axis, bool parameters) {
    s->gathers = true;
    add_batch(s, axis);
    if (parameters) s->changes = 0;
    for (uint32_t i = 0; i < s->roles.argument_count; i++)
        if (s->roles.of[i] == WEFT_ROLE_STATE || (parameters && s->roles.of[i] == WEFT_ROLE_PARAMETER))
            add_largest(s, i, axis);
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
        if (!weft_strategist_divides(s, class, axis)) continue;
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
        if (p->op->kind == WEFT_OP_gather && rows != WEFT_NO_CLASS && !s->whole[rows] &&
            weft_strategist_divides(s, rows, axis))
            split(s, &s->of_class[rows], axis);
        if (weft_classes_split(s, p->contracted, p->contracted_count, axis)) {
            keep_whole(s, p->free, p->free_count);
            continue;
        }
        if (p->op->kind == WEFT_OP_gather) continue;
        if (!weft_classes_split(s, p->free, p->free_count, axis)) {
            const uint32_t columns = columns_of(s, k, axis);
            if (columns == WEFT_NO_CLASS) continue;
            split(s, &s->of_class[columns], axis);
        }
        keep_whole(s, p->contracted, p->contracted_count);
    }
}

/* The first of these classes that may be experts. */
static void split_experts(weft_strategist *s, const uint32_t *classes, uint32_t n, uint32_t axis) {
    for (uint32_t i = 0; i < n; i++) {
        if (classes[i] == s->roles.batch || s->products.sliced[classes[i]]) continue;
        if (!weft_strategist_divides(s, classes[i], axis)) continue;
        split(s, &s->of_class[classes[i]], axis);
        return;
    }
}

static void add_experts(weft_strategist *s, uint32_t axis) {
    for (size_t k = 0; k < s->products.n; k++) {
        const weft_product *p = &s->products.v[k];
        split_experts(s, p->batched, p->batched_count, axis);
        split_experts(s, p->grouped, p->grouped_count, axis);
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
    return WEFT_NO_AXIS;
}

static weft_status find_axis(const weft_strategist *s, const weft_loc *loc, weft_str name, uint32_t *out) {
    weft_nearest near = weft_nearest_to(name);
    *out = axis_called(s, name);
    if (*out != WEFT_NO_AXIS) return WEFT_OK;
    for (uint32_t i = 0; i < s->mesh->axis_count; i++) weft_nearest_offer(&near, weft_name_str(s->mesh->axes[i].name));
    return weft_report(s->m->cx, WEFT_D_usage, loc, "the mesh has no axis '%.*s'" WEFT_NEAREST, WEFT_STR_ARG(name),
                       WEFT_NEAREST_ARG(near));
}

/* sp is on tp's axis. */
static weft_status choose_axis(const weft_strategist *s, const weft_loc *loc, kind k, uint32_t *out) {
    if (k == SP && s->tp_axis != WEFT_NO_AXIS) return *out = s->tp_axis, WEFT_OK;
    for (size_t i = 0; i < WEFT_COUNT(kinds[k].axes) && kinds[k].axes[i]; i++) {
        *out = axis_called(s, weft_str_from(kinds[k].axes[i]));
        if (*out != WEFT_NO_AXIS && !(s->taken >> *out & 1)) return WEFT_OK;
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
                           s->mesh->axes[axis].name->text, (long long)weft_axis_size(s, axis),
                           (long long)batch_size(s));
    if (k == SP) {
        if (s->tp_axis != axis)
            return weft_report(s->m->cx, WEFT_D_usage, loc, "strategy sp is for the axis of tp, which comes before it");
        s->scatters = true;
        s->changes = s->sequence != WEFT_NO_CLASS && weft_strategist_divides(s, s->sequence, axis);
    }
    if (k == DP) add_batch(s, axis);
    if (k == FSDP) add_state(s, axis, true);
    if (k == ZERO1 || k == ZERO2) add_state(s, axis, false);
    if (k == ZERO1) s->keeps_gradients = true;
    if (k == TP) add_tensor(s, axis);
    if (k == EP) add_experts(s, axis);
    if (k == CP) add_sequence(s, axis);
    s->taken |= (uint64_t)1 << axis;
    if (s->changes || weft_axis_size(s, axis) == 1) return WEFT_OK;
    const char *what = k == FSDP ? "no parameter" : "nothing";
    return weft_report(s->m->cx, WEFT_D_usage, loc, "strategy %s finds %s that it can split over axis '%s' of %lld",
                       kinds[k].name, what, s->mesh->axes[axis].name->text, (long long)weft_axis_size(s, axis));
}

static weft_status add_term(weft_strategist *s, const weft_loc *loc, weft_str term) {
    const char *colon = memchr(term.p, ':', term.n);
    const weft_str word = { term.p, colon ? (size_t)(colon - term.p) : term.n };
    kind k = DP;
    uint32_t axis = WEFT_NO_AXIS;
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
    const weft_value *v = weft_strategist_argument(s, i);
    if (!weft_type_is_tensor(v->type) || d >= v->type->rank)
        return weft_report(s->m->cx, WEFT_D_usage, loc, "argument %u has no dimension %u", i, d);
    const weft_axes has = weft_strategist_axes(s, i, d);
    if (weft_strategist_has(s, i, axis))
        return weft_report(s->m->cx, WEFT_D_usage, loc, "argument %u is split along axis '%s' already", i,
                           s->mesh->axes[axis].name->text);
    if (!weft_axes_divide(s, v->type->dims[d], &has, axis))
        return weft_report(s->m->cx, WEFT_D_usage, loc, "axis '%s' of %lld does not divide dimension %u of argument %u",
                           s->mesh->axes[axis].name->text, (long long)weft_axis_size(s, axis), d, i);
    split(s, &s->of_dim[s->classes.first[v->id] + d], axis);
    return WEFT_OK;
}

weft_status weft_strategist_add_line(weft_strategist *s, const weft_loc *loc, weft_str line) {
    weft_str rest = line;
    const weft_str axis_name = next_word(&rest), what = next_word(&rest), number = next_word(&rest);
    const weft_str more = next_word(&rest);
    uint32_t axis = WEFT_NO_AXIS, n = 0, d = 0;
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
    *s = (weft_strategist){ .m = m, .arena = arena, .main = weft_module_main(m), .tp_axis = WEFT_NO_AXIS };
    weft_status st = find_mesh(s);
    if (st == WEFT_OK) st = weft_dim_classes_find(m, arena, &s->classes);
    if (st == WEFT_OK) st = weft_roles_find(m, &s->classes, arena, &s->roles);
    if (st == WEFT_OK) st = weft_products_find(m, &s->classes, &s->roles, arena, &s->products);
    if (st != WEFT_OK) return st;
    s->sequence = find_sequence(s);
    const uint32_t n = s->classes.count;
    s->of_class = weft_arena_array(arena, weft_axes, n);
    s->of_dim = weft_arena_array(arena, weft_axes, n);
    s->whole = weft_arena_array(arena, bool, n);
    if (!s->of_class || !s->of_dim || !s->whole) return weft_oom();
    memset(s->of_class, 0, n * sizeof *s->of_class);
    memset(s->of_dim, 0, n * sizeof *s->of_dim);
    memset(s->whole, 0, n * sizeof *s->whole);
    *out = s;
    return WEFT_OK;
}
