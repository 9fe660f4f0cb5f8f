/* uneven_borders: keeps the user's uneven shardings, and the shardings that propagation found for results.
 *
 * Passes weft-note-uneven-borders, weft-note-uneven-results and weft-keep-uneven-borders: before propagation, after it,
 * and after Shardy's pass that truncates every argument's and result's axes to those that divide the dimension
 * (update_non_divisible_input_output_shardings.c). Weft can hold parts of different lengths, so unevenly sharded
 * dimensions keep the user's axes. A dimension of a result without the user's axes keeps those of propagation if every
 * device has some of it; else all devices would gather the parts. Arguments are sharded as the caller has them, and a
 * result that takes an argument's memory is sharded like the argument. The note is an attribute of @main,
 * `weft.given_shardings`: arguments, then results, replicated if there is nothing to keep.
 * Needs, to keep: the note. Leaves: no note; such dimensions with these axes and no more.
 */
#include "propagate/copy.h"
#include "propagate/propagate.h"
#include "sharding/values.h"

typedef enum moment { BEFORE, FOUND, AFTER } moment;

typedef struct borders {
    weft_shardings *t;
    const weft_op *main;
    moment when;
} borders;

static const weft_attr *border_attr(const weft_op *f, const weft_type *type, uint32_t i) {
    return i < type->input_count ? weft_func_arg_attr(f, i, WEFT_A_sdy_sharding)
                                 : weft_func_result_attr(f, i - type->input_count, WEFT_A_sdy_sharding);
}

static const weft_attr *note_of(const weft_op *f) {
    const weft_attr *a = weft_op_attr(f, WEFT_A_weft_given_shardings);
    return a && a->kind == WEFT_ATTR_SHARDINGS ? a : NULL;
}

static bool is_uneven(const weft_sharding *s, const weft_type *type, uint32_t d) {
    return type->dims[d] > 0 && type->dims[d] % weft_dim_shards(s, d) != 0;
}

/* Sharding i of @main as written; *uneven if a part of it must be kept. */
static weft_status read_border(const borders *x, const weft_type *type, uint32_t i, const weft_sharding **s,
                               bool *uneven) {
    const weft_attr *a = border_attr(x->main, type, i);
    const weft_type *of = type->parts[i];
    *s = NULL;
    *uneven = false;
    if (!a || !weft_type_is_tensor(of) || !weft_type_is_static(of)) return WEFT_OK;
    weft_status st = weft_sharding_from_attr(x->t, a, x->main->loc, s);
    if (st != WEFT_OK || (*s)->rank != of->rank) return st;
    for (uint32_t d = 0; d < of->rank; d++) *uneven |= is_uneven(*s, of, d);
    return WEFT_OK;
}

/* Priorities serve propagation, and a closed dimension without axes may have none. */
static const weft_sharding *to_note(const borders *x, const weft_sharding *s) {
    s = weft_sharding_without_priorities(x->t, s);
    return s ? weft_sharding_close(x->t, s) : NULL;
}

static weft_status write_note(const borders *x, weft_module *m, weft_op *copy) {
    const weft_type *type = weft_func_type(x->main);
    const weft_attr **items = weft_scratch_array(m->cx, const weft_attr *, type->part_count);
    const weft_sharding *any = NULL;
    weft_status st = items ? WEFT_OK : weft_oom();
    for (uint32_t pass = 0; pass < 2; pass++) /* the first finds a mesh for those without a sharding */
        for (uint32_t i = 0; st == WEFT_OK && i < type->part_count; i++) {
            const weft_sharding *s;
            bool uneven;
            st = read_border(x, type, i, &s, &uneven);
            if (st == WEFT_OK && uneven) any = s;
            if (st != WEFT_OK || pass == 0) continue;
            if (!any) return WEFT_OK;
            uint32_t rank = weft_type_is_tensor(type->parts[i]) ? type->parts[i]->rank : 0;
            s = uneven ? to_note(x, s) : weft_sharding_empty(x->t, any->mesh, rank, WEFT_CLOSED);
            if (!s || !(items[i] = weft_sharding_to_attr(x->t, s))) return weft_oom();
        }
    const weft_attr *list =
        st == WEFT_OK
            ? weft_attr_copy(m->cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS, .items = { items, type->part_count } })
            : NULL;
    if (st != WEFT_OK) return st;
    return list ? weft_op_set(m, copy, WEFT_A_weft_given_shardings, list) : weft_oom();
}

/* `now` with the user's axes where they were uneven; `now` itself if they are used elsewhere by now. */
static const weft_sharding *kept(const borders *x, const weft_sharding *now, const weft_sharding *given,
                                 const weft_type *type) {
    for (uint32_t d = 0; d < type->rank; d++) {
        if (!is_uneven(given, type, d)) continue;
        weft_axes axes = given->dims[d].axes;
        bool taken = weft_axes_overlap(axes, now->replicated) || weft_axes_overlap(axes, now->unreduced);
        for (uint32_t k = 0; k < now->rank; k++) taken |= k != d && weft_axes_overlap(axes, now->dims[k].axes);
        if (taken) continue;
        now = weft_sharding_with_dim(x->t, now, d, (weft_dim){ axes, false, WEFT_NO_PRIORITY });
        if (!now) return NULL;
    }
    return now;
}

static weft_status keep(const borders *x, weft_module *m, weft_op *copy, const weft_attr *note) {
    const weft_type *type = weft_func_type(x->main);
    const weft_sharding **of = weft_scratch_array(m->cx, const weft_sharding *, type->part_count);
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < type->part_count; i++) {
        const weft_sharding *given;
        bool uneven;
        if ((st = read_border(x, type, i, &of[i], &uneven)) != WEFT_OK || i >= note->items.n) continue;
        st = weft_sharding_from_attr(x->t, note->items.v[i], x->main->loc, &given);
        if (st != WEFT_OK || !weft_sharding_has_axes(given) || given->rank != type->parts[i]->rank) continue;
        if (!of[i] && !(of[i] = weft_sharding_empty(x->t, given->mesh, given->rank, WEFT_CLOSED))) return weft_oom();
        if (!(of[i] = kept(x, of[i], given, type->parts[i]))) return weft_oom();
    }
    if (st == WEFT_OK) st = weft_func_set_shardings(x->t, m, copy, of, of + type->input_count);
    return st == WEFT_OK ? weft_op_set(m, copy, WEFT_A_weft_given_shardings, NULL) : st;
}

static bool takes_an_argument(const borders *x, const weft_type *type, uint32_t result) {
    for (uint32_t i = 0; i < type->input_count; i++) {
        const weft_attr *alias = weft_func_arg_attr(x->main, i, WEFT_A_tf_aliasing_output);
        if (alias && alias->kind == WEFT_ATTR_INT && alias->i == (int64_t)result) return true;
    }
    return false;
}

/* s along the dimensions that it splits into parts of different lengths, none of them empty; NULL when memory is
 * out. */
static const weft_sharding *uneven_part(const borders *x, const weft_sharding *s, const weft_type *type) {
    for (uint32_t d = 0; s && d < type->rank; d++) {
        const int64_t shards = weft_dim_shards(s, d), part = weft_ceil_div(type->dims[d], shards);
        if (!is_uneven(s, type, d) || (shards - 1) * part >= type->dims[d])
            s = weft_sharding_with_dim(x->t, s, d, (weft_dim){ .priority = WEFT_NO_PRIORITY });
    }
    return s ? to_note(x, s) : NULL;
}

/* Adds to the note the shardings that propagation found for results without the user's. */
static weft_status add_results(const borders *x, weft_module *m, weft_op *copy, const weft_attr *note) {
    const weft_type *type = weft_func_type(x->main);
    const weft_attr **items = weft_scratch_array(m->cx, const weft_attr *, type->part_count);
    const weft_sharding *any = NULL, *s, **of = weft_scratch_array(m->cx, const weft_sharding *, type->part_count);
    weft_status st = items && of ? WEFT_OK : weft_oom();
    bool uneven;
    for (uint32_t i = 0; st == WEFT_OK && i < type->part_count; i++) {
        if (note) st = weft_sharding_from_attr(x->t, note->items.v[i], x->main->loc, &of[i]);
        if (st == WEFT_OK && (!of[i] || !weft_sharding_has_axes(of[i])) && i >= type->input_count &&
            !takes_an_argument(x, type, i - type->input_count)) {
            st = read_border(x, type, i, &s, &uneven);
            if (st == WEFT_OK && uneven && !(of[i] = uneven_part(x, s, type->parts[i]))) st = weft_oom();
        }
        if (of[i] && weft_sharding_has_axes(of[i])) any = of[i];
    }
    for (uint32_t i = 0; st == WEFT_OK && any && i < type->part_count; i++) {
        if (!of[i])
            of[i] = weft_sharding_empty(x->t, any->mesh, weft_type_is_tensor(type->parts[i]) ? type->parts[i]->rank : 0,
                                        WEFT_CLOSED);
        if (!of[i] || !(items[i] = weft_sharding_to_attr(x->t, of[i]))) st = weft_oom();
    }
    if (st != WEFT_OK || !any) return st;
    const weft_attr *list =
        weft_attr_copy(m->cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS, .items = { items, type->part_count } });
    return list ? weft_op_set(m, copy, WEFT_A_weft_given_shardings, list) : weft_oom();
}

static weft_status change_main(weft_copy *c, const weft_op *op, weft_op *copy) {
    const borders *x = c->user;
    if (op != x->main) return WEFT_OK;
    const weft_attr *note = note_of(op);
    weft_mark mark = weft_arena_mark(&c->out->cx->scratch);
    weft_status st = x->when == BEFORE  ? write_note(x, c->out, copy)
                     : x->when == FOUND ? add_results(x, c->out, copy, note)
                                        : keep(x, c->out, copy, note);
    weft_arena_reset(&c->out->cx->scratch, mark);
    return st;
}

static weft_status run(const weft_pass *p, const weft_module *in, moment when, weft_module **out) {
    weft_arena arena;
    borders x = { .main = weft_module_main(in), .when = when };
    bool any = false;
    if (!x.main || (when != FOUND && (note_of(x.main) != NULL) != (when == AFTER))) return WEFT_OK;
    weft_arena_init(&arena, &in->cx->chunks);
    weft_status st = weft_shardings_open(in->cx, in, &arena, &x.t);
    const weft_type *type = weft_func_type(x.main);
    for (uint32_t i = 0; st == WEFT_OK && !any && i < type->part_count; i++) {
        const weft_sharding *s;
        st = read_border(&x, type, i, &s, &any);
    }
    if (st == WEFT_OK && (any || when == AFTER))
        st = weft_edit_module(p, in, &(weft_copy_hooks){ .after = change_main }, &x, out);
    weft_arena_free(&arena);
    return st;
}

weft_status weft_pass_note_uneven_borders(weft_pass *p, const weft_module *in, weft_module **out) {
    return run(p, in, BEFORE, out);
}

weft_status weft_pass_note_uneven_results(weft_pass *p, const weft_module *in, weft_module **out) {
    return run(p, in, FOUND, out);
}

weft_status weft_pass_keep_uneven_borders(weft_pass *p, const weft_module *in, weft_module **out) {
    return run(p, in, AFTER, out);
}
