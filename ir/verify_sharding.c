/* verify_sharding.c: meshes, axes and shardings are well formed. Rules of ops: verify_rule.c.
 *
 * Checked is the attribute itself: whether its mesh and axes exist, whether ranks fit, whether an axis is used twice. A
 * dimension need not be divisible by its axes. The rules, their order and their words are Shardy's
 * (shardy/dialect/sdy/ir/verifiers.cc), which its users know.
 */
#include "ir/check.h"

#include <stdio.h>
#include <stdlib.h>
#include "ir/verify.h"

int64_t weft_mesh_axis_index(const weft_mesh_attr *mesh, weft_name axis) {
    for (uint32_t i = 0; i < mesh->axis_count; i++)
        if (mesh->axes[i].name == axis) return i;
    return -1;
}

int64_t weft_mesh_axis_size(const weft_mesh_attr *mesh, weft_name axis) {
    int64_t i = weft_mesh_axis_index(mesh, axis);
    return i < 0 ? 0 : mesh->axes[i].size;
}

/* ---- meshes ---- */

WEFT_PRINTF(3, 4) static weft_status wrong(char *why, size_t size, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    weft_vformat(why, size, fmt, ap);
    va_end(ap);
    return WEFT_ERR_INVALID;
}

/* "0, 2, 1", as many as fit in a message. */
static void list_ids(char *out, size_t size, const int64_t *v, uint32_t n) {
    size_t at = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < n && at + 28 < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%lld", i ? ", " : "", (long long)v[i]);
    if (at + 28 >= size) snprintf(out + at, size - at, ", ...");
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Each device once. */
static weft_status explain_ids(weft_context *cx, weft_ints ids, char *why, size_t size) {
    int64_t *sorted = weft_scratch_array(cx, int64_t, ids.n);
    if (!sorted) return weft_oom();
    memcpy(sorted, ids.v, ids.n * sizeof *sorted);
    qsort(sorted, ids.n, sizeof *sorted, by_value);
    for (uint32_t i = 0; i < ids.n; i++) {
        if (sorted[i] == i) continue;
        char list[256];
        list_ids(list, sizeof list, sorted, ids.n);
        return wrong(why, size, "sorted device ids must be iota(product(axes)), got: %s", list);
    }
    return WEFT_OK;
}

weft_status weft_mesh_explain(weft_context *cx, const weft_mesh_attr *mesh, char *why, size_t size) {
    int64_t devices = 1;
    for (uint32_t i = 0; i < mesh->axis_count; i++)
        if (mesh->axes[i].size < 1)
            return wrong(why, size, "axis size must be at least 1, got: %lld", (long long)mesh->axes[i].size);
    for (uint32_t i = 0; i < mesh->device_ids.n; i++)
        if (mesh->device_ids.v[i] < 0)
            return wrong(why, size, "device id must be non-negative, got: %lld", (long long)mesh->device_ids.v[i]);
    if (!mesh->axis_count && mesh->device_ids.n > 1)
        return wrong(why, size, "axes is empty and device_ids has more than one element");
    for (uint32_t i = 0; i < mesh->axis_count; i++) {
        const weft_mesh_axis *a = &mesh->axes[i];
        if (weft_mesh_axis_index(mesh, a->name) != i)
            return wrong(why, size, "duplicate axis name: \"%s\"", a->name->text);
        if (!weft_mul_i64(devices, a->size, &devices)) return wrong(why, size, "the mesh has too many devices");
    }
    if (!mesh->axis_count || !mesh->device_ids.n) return WEFT_OK;
    if (mesh->device_ids.n != devices)
        return wrong(why, size, "total product of axis sizes must match total number of device ids, got: %lld != %u",
                     (long long)devices, mesh->device_ids.n);
    return explain_ids(cx, mesh->device_ids, why, size);
}

weft_status weft_check_mesh(weft_checker *c, const weft_op *op, const weft_mesh_attr *mesh) {
    char why[512];
    weft_status st = weft_mesh_explain(c->cx, mesh, why, sizeof why);
    return st == WEFT_ERR_INVALID ? weft_bad_sharding(c, op, "%s", why) : st;
}

const weft_mesh_attr *weft_find_mesh(weft_checker *c, const weft_op *op, const weft_attr *ref) {
    if (ref->kind == WEFT_ATTR_MESH) return &ref->mesh;
    const weft_op *mesh =
        ref->kind == WEFT_ATTR_SYMBOL ? weft_check_symbol(c, op, weft_name_str(ref->names.v[ref->names.n - 1])) : NULL;
    const weft_attr *a = mesh && mesh->kind == WEFT_OP_sdy_mesh ? weft_op_attr(mesh, WEFT_A_mesh) : NULL;
    return a && a->kind == WEFT_ATTR_MESH ? &a->mesh : NULL;
}

const weft_mesh_attr *weft_check_mesh_ref(weft_checker *c, const weft_op *op, const char *what, const weft_attr *ref) {
    if (ref->kind == WEFT_ATTR_MESH) return weft_check_mesh(c, op, &ref->mesh) == WEFT_OK ? &ref->mesh : NULL;
    const weft_mesh_attr *mesh = weft_find_mesh(c, op, ref);
    weft_str name =
        ref->kind == WEFT_ATTR_SYMBOL ? weft_name_str(ref->names.v[ref->names.n - 1]) : (weft_str){ NULL, 0 };
    if (mesh) return mesh;
    const weft_nearest near = weft_nearest_symbol(c, op, WEFT_OP_sdy_mesh, name);
    weft_bad_sharding(c, op, "%sunknown mesh: @%.*s" WEFT_NEAREST, what, WEFT_STR_ARG(name), WEFT_NEAREST_ARG(near));
    return NULL;
}

const char *weft_text_of_mesh(weft_checker *c, const weft_mesh_attr *mesh) {
    char ids[256];
    weft_buf b;
    weft_buf_init(&b, &c->cx->alloc);
    weft_buf_puts(&b, "#sdy.mesh<[");
    for (uint32_t i = 0; i < mesh->axis_count; i++)
        weft_buf_printf(&b, "%s\"%s\"=%lld", i ? ", " : "", mesh->axes[i].name->text, (long long)mesh->axes[i].size);
    weft_buf_putc(&b, ']');
    list_ids(ids, sizeof ids, mesh->device_ids.v, mesh->device_ids.n);
    if (mesh->device_ids.n) weft_buf_printf(&b, ", device_ids=[%s]", ids);
    weft_buf_putc(&b, '>');
    const char *text = b.failed ? NULL : weft_arena_strdup(&c->cx->scratch, b.p, b.n);
    weft_buf_free(&b);
    return text ? text : "?";
}

/* ---- axes ---- */

const char *weft_text_of_axis(weft_checker *c, const weft_axis_ref *a) {
    char *text = weft_arena_alloc(&c->cx->scratch, a->name->n + 64, 1);
    if (!text) return "?";
    if (a->size || a->pre_size)
        snprintf(text, a->name->n + 64, "\"%s\":(%lld)%lld", a->name->text, (long long)a->pre_size, (long long)a->size);
    else snprintf(text, a->name->n + 64, "\"%s\"", a->name->text);
    return text;
}

static void put_axes(weft_checker *c, weft_buf *b, const char *before, weft_axis_refs axes) {
    weft_buf_puts(b, before);
    for (uint32_t i = 0; i < axes.n; i++) weft_buf_printf(b, "%s%s", i ? ", " : "", weft_text_of_axis(c, &axes.v[i]));
}

const char *weft_text_of_axes(weft_checker *c, weft_axis_refs axes) {
    weft_buf b;
    weft_buf_init(&b, &c->cx->alloc);
    put_axes(c, &b, "{", axes);
    weft_buf_putc(&b, '}');
    const char *text = b.failed ? NULL : weft_arena_strdup(&c->cx->scratch, b.p, b.n);
    weft_buf_free(&b);
    return text ? text : "?";
}

const char *weft_text_of_sharding(weft_checker *c, const weft_attr *sharding) {
    static const char *const unreduced[] = {
        [WEFT_BY_SUM] = ", unreduced={", [WEFT_BY_MAX] = ", unreduced=max{", [WEFT_BY_MIN] = ", unreduced=min{"
    };
    if (!sharding || sharding->kind != WEFT_ATTR_SHARDING) return "no sharding";
    const weft_sharding_attr *s = &sharding->sharding;
    weft_buf b;
    weft_buf_init(&b, &c->cx->alloc);
    if (s->mesh->kind == WEFT_ATTR_SYMBOL) weft_buf_printf(&b, "<@%s, [", s->mesh->names.v[s->mesh->names.n - 1]->text);
    else weft_buf_printf(&b, "<%s, [", weft_text_of_mesh(c, &s->mesh->mesh));
    for (uint32_t d = 0; d < s->rank; d++) {
        put_axes(c, &b, d ? ", {" : "{", s->dims[d].axes);
        weft_buf_puts(&b, !s->dims[d].open ? "}" : s->dims[d].axes.n ? ", ?}" : "?}");
    }
    weft_buf_putc(&b, ']');
    if (s->replicated.n) put_axes(c, &b, ", replicated={", s->replicated);
    if (s->replicated.n) weft_buf_putc(&b, '}');
    if (s->unreduced.n) put_axes(c, &b, unreduced[s->unreduced_by], s->unreduced);
    if (s->unreduced.n) weft_buf_putc(&b, '}');
    weft_buf_putc(&b, '>');
    const char *text = b.failed ? NULL : weft_arena_strdup(&c->cx->scratch, b.p, b.n);
    weft_buf_free(&b);
    return text ? text : "?";
}

static bool is_sub_axis(const weft_axis_ref *a) { return a->size || a->pre_size; }

static bool same_axis(const weft_axis_ref *a, const weft_axis_ref *b) {
    return a->name == b->name && a->pre_size == b->pre_size && a->size == b->size;
}

/* The product of a sub-axis's sizes, or 0 on overflow. */
static int64_t next_pre_size(const weft_axis_ref *a) {
    int64_t n;
    return weft_mul_i64(a->pre_size, a->size, &n) ? n : 0;
}

/* In mesh order, and by position within an axis. An axis that the mesh does not have comes last. */
static bool axis_before(const weft_mesh_attr *mesh, const weft_axis_ref *a, const weft_axis_ref *b) {
    if (a->name != b->name)
        return (uint64_t)weft_mesh_axis_index(mesh, a->name) < (uint64_t)weft_mesh_axis_index(mesh, b->name);
    return a->pre_size != b->pre_size ? a->pre_size < b->pre_size : a->size < b->size;
}

static weft_status unknown_axis(weft_checker *c, const weft_op *op, const char *what, const weft_mesh_attr *mesh,
                                weft_name name) {
    weft_nearest near = weft_nearest_to(weft_name_str(name));
    for (uint32_t i = 0; i < mesh->axis_count; i++) weft_nearest_offer(&near, weft_name_str(mesh->axes[i].name));
    return weft_bad_sharding(c, op, "%sunknown axis name: \"%s\"" WEFT_NEAREST, what, name->text,
                             WEFT_NEAREST_ARG(near));
}

/* Checks one list: an axis that does not exist or is in an earlier list too, or two mergeable
 * neighbours. */
static weft_status check_list(weft_checker *c, const weft_op *op, const char *what, const weft_mesh_attr *mesh,
                              const weft_axis_refs *lists, uint32_t l) {
    for (uint32_t i = 0; i < lists[l].n; i++) {
        const weft_axis_ref *a = &lists[l].v[i], *last = i ? a - 1 : NULL;
        if (weft_mesh_axis_index(mesh, a->name) < 0) return unknown_axis(c, op, what, mesh, a->name);
        for (uint32_t k = 0; k <= l; k++)
            for (uint32_t j = 0; j < (k == l ? i : lists[k].n); j++)
                if (same_axis(a, &lists[k].v[j]))
                    return weft_bad_sharding(c, op, "%sduplicate axis ref: %s", what, weft_text_of_axis(c, a));
        if (last && is_sub_axis(a) && is_sub_axis(last) && last->name == a->name && next_pre_size(last) == a->pre_size)
            return weft_bad_sharding(c, op, "%stwo consecutive sub-axes can be merged: %s, %s", what,
                                     weft_text_of_axis(c, last), weft_text_of_axis(c, a));
    }
    return WEFT_OK;
}

static weft_status check_sub_axis(weft_checker *c, const weft_op *op, const char *what, int64_t full,
                                  const weft_axis_ref *a) {
    if (a->pre_size < 1)
        return weft_bad_sharding(c, op, "%ssub-axis pre-size must be at least 1: %s", what, weft_text_of_axis(c, a));
    if (a->size <= 1)
        return weft_bad_sharding(c, op, "%ssub-axis sizes must be greater than 1: %s", what, weft_text_of_axis(c, a));
    if (!next_pre_size(a) || full % next_pre_size(a))
        return weft_bad_sharding(c, op,
                                 "%ssub-axis next pre-size %lld doesn't divide the size of the full axis %lld: %s",
                                 what, (long long)next_pre_size(a), (long long)full, weft_text_of_axis(c, a));
    if (a->size == full)
        return weft_bad_sharding(c, op, "%ssub-axis size is equal to the full axis size: %s", what,
                                 weft_text_of_axis(c, a));
    return WEFT_OK;
}

/* The sub-axes of one axis, over all lists: each is valid, and none overlaps the one before it or the axis
 * itself. */
static weft_status check_sub_axes(weft_checker *c, const weft_op *op, const char *what, const weft_mesh_attr *mesh,
                                  const weft_axis_refs *lists, uint32_t list_count, weft_name axis) {
    const weft_axis_ref *last = NULL;
    for (uint32_t l = 0; l < list_count; l++)
        for (uint32_t i = 0; i < lists[l].n; i++)
            if (lists[l].v[i].name == axis && !is_sub_axis(&lists[l].v[i]))
                return weft_bad_sharding(c, op, "%sboth sub-axis and full-axis are used for axis name: \"%s\"", what,
                                         axis->text);
    for (;;) { /* ascending, without duplicates */
        const weft_axis_ref *next = NULL;
        for (uint32_t l = 0; l < list_count; l++)
            for (uint32_t i = 0; i < lists[l].n; i++) {
                const weft_axis_ref *a = &lists[l].v[i];
                if (a->name == axis && (!last || axis_before(mesh, last, a)) && (!next || axis_before(mesh, a, next)))
                    next = a;
            }
        if (!next) return WEFT_OK;
        weft_status st = check_sub_axis(c, op, what, weft_mesh_axis_size(mesh, axis), next);
        if (st != WEFT_OK) return st;
        if (last && next_pre_size(last) > next->pre_size)
            return weft_bad_sharding(c, op, "%soverlapping sub-axes: %s, %s", what, weft_text_of_axis(c, last),
                                     weft_text_of_axis(c, next));
        last = next;
    }
}

/* All sub-axes of lists with known axes. */
static weft_status check_all_sub_axes(weft_checker *c, const weft_op *op, const char *what, const weft_mesh_attr *mesh,
                                      const weft_axis_refs *lists, uint32_t list_count) {
    weft_status st = WEFT_OK;
    for (uint32_t l = 0; l < list_count; l++)
        for (uint32_t i = 0; i < lists[l].n && st == WEFT_OK; i++)
            if (is_sub_axis(&lists[l].v[i]))
                st = check_sub_axes(c, op, what, mesh, lists, list_count, lists[l].v[i].name);
    return st;
}

weft_status weft_check_axes(weft_checker *c, const weft_op *op, const char *what, const weft_mesh_attr *mesh,
                            const weft_axis_refs *lists, uint32_t list_count) {
    weft_status st = WEFT_OK;
    for (uint32_t l = 0; l < list_count && st == WEFT_OK; l++) st = check_list(c, op, what, mesh, lists, l);
    return st == WEFT_OK ? check_all_sub_axes(c, op, what, mesh, lists, list_count) : st;
}

weft_status weft_check_axis_order(weft_checker *c, const weft_op *op, const char *what, const char *axes_name,
                                  const weft_mesh_attr *mesh, weft_axis_refs axes) {
    for (uint32_t i = 1; i < axes.n; i++)
        if (axis_before(mesh, &axes.v[i], &axes.v[i - 1]))
            return weft_bad_sharding(c, op, "%s%s axes are not ordered w.r.t. mesh", what, axes_name);
    return WEFT_OK;
}

/* ---- shardings ---- */

weft_status weft_report_manual(weft_checker *c, const weft_op *op, const char *what, weft_name axis,
                               const weft_op *owner) {
    weft_status st =
        weft_bad_sharding(c, op,
                          "%soperates on axis \"%s\" which is already bound by a parent sdy.manual_computation op",
                          what, axis->text);
    weft_note(c->cx, owner->loc, "parent bounding this axis as manual");
    weft_help(
        c->cx, op->loc,
        "inside, values are one device's part along \"%s\" already: leave it out of shardings here, or out of manual_axes there",
        axis->text);
    return st;
}

const weft_op *weft_manual_owner(const weft_op *op, weft_name axis) {
    for (const weft_op *up = weft_op_parent(op); up; up = weft_op_parent(up)) {
        const weft_attr *manual =
            up->kind == WEFT_OP_sdy_manual_computation ? weft_op_attr(up, WEFT_A_manual_axes) : NULL;
        for (uint32_t i = 0; manual && manual->kind == WEFT_ATTR_AXES && i < manual->axes.n; i++)
            if (manual->axes.v[i].name == axis) return up;
    }
    return NULL;
}

/* Manual axes of a surrounding manual computation must not be used inside. */
static weft_status check_not_manual(weft_checker *c, const weft_op *op, const char *what, const weft_axis_refs *lists,
                                    uint32_t n) {
    if (!weft_op_parent(op)) return WEFT_OK;
    for (uint32_t l = 0; l < n; l++)
        for (uint32_t i = 0; i < lists[l].n; i++) {
            const weft_op *owner = weft_manual_owner(op, lists[l].v[i].name);
            if (owner) return weft_report_manual(c, op, what, lists[l].v[i].name, owner);
        }
    return WEFT_OK;
}

static weft_status check_dims(weft_checker *c, const weft_op *op, const char *what, const weft_sharding_attr *s,
                              const weft_mesh_attr *mesh, const weft_axis_refs *lists) {
    weft_status st = WEFT_OK;
    for (uint32_t d = 0; d < s->rank && st == WEFT_OK; d++) {
        if (s->dims[d].priority != WEFT_NO_PRIORITY) {
            if (s->dims[d].priority < 0) return weft_bad_sharding(c, op, "%sdim %u has a negative priority", what, d);
            if (!s->dims[d].open && !s->dims[d].axes.n)
                return weft_bad_sharding(c, op, "%sdim %u is empty and closed but has a priority", what, d);
        }
        st = check_list(c, op, what, mesh, lists, d);
    }
    return st;
}

/* Checks axes one by one, then as lists. */
static weft_status check_sharding_axes(weft_checker *c, const weft_op *op, const char *what,
                                       const weft_sharding_attr *s, const weft_mesh_attr *mesh,
                                       const weft_axis_refs *lists) {
    weft_status st = check_dims(c, op, what, s, mesh, lists);
    if (st == WEFT_OK) st = weft_check_axis_order(c, op, what, "replicated", mesh, s->replicated);
    if (st == WEFT_OK) st = check_list(c, op, what, mesh, lists, s->rank);
    if (st == WEFT_OK) st = weft_check_axis_order(c, op, what, "unreduced", mesh, s->unreduced);
    if (st == WEFT_OK) st = check_list(c, op, what, mesh, lists, s->rank + 1);
    return st == WEFT_OK ? check_all_sub_axes(c, op, what, mesh, lists, s->rank + 2) : st;
}

/* The type with the dimensions of a sharding of a value of type t, or NULL, e.g. for a token. */
static const weft_type *sharded_type(const weft_type *t) {
    if (t->kind == WEFT_TYPE_TUPLE && t->part_count == 1) t = t->parts[0];
    return t->kind == WEFT_TYPE_TENSOR || t->kind == WEFT_TYPE_FOREIGN ? t : NULL;
}

static bool says_nothing(const weft_sharding_attr *s) { return !s->rank && !s->replicated.n && !s->unreduced.n; }

/* type NULL: of an op without results. */
weft_status weft_check_sharding(weft_checker *c, const weft_op *op, const char *what, const weft_attr *sharding,
                                const weft_type *type) {
    const weft_sharding_attr *s = &sharding->sharding;
    const weft_mesh_attr *mesh = weft_check_mesh_ref(c, op, what, s->mesh);
    if (!mesh) return WEFT_ERR_INVALID;
    if ((!mesh->axis_count && mesh->device_ids.n) || !type) {
        if (says_nothing(s)) return WEFT_OK;
        return weft_bad_sharding(
            c, op, "%sa maximal sharding can only have a sharding with rank 0 and no replicated or unreduced axes",
            what);
    }
    if (type->kind == WEFT_TYPE_TUPLE && type->part_count != 1)
        return weft_bad_sharding(c, op, "%sops can only have a sharding for a tuple of size 1: '%s'", what,
                                 weft_text_of(c, type));
    const weft_type *t = sharded_type(type);
    if (!t) {
        if (type->kind == WEFT_TYPE_OPAQUE && type->text.n > 8 && !memcmp(type->text.p, "tensor<*", 8))
            return weft_bad_sharding(c, op, "%sonly ranked tensors can have a sharding. type: '%s'", what,
                                     weft_text_of(c, type));
        if (says_nothing(s)) return WEFT_OK;
        return weft_bad_sharding(
            c, op,
            "%snon-shaped tensors can only have a sharding with rank 0 and no replicated or unreduced axes. type: '%s'",
            what, weft_text_of(c, type));
    }
    if (s->rank != t->rank)
        return weft_bad_sharding(c, op, "%ssharding doesn't match tensor rank: %u != %u", what, s->rank, t->rank);
    weft_axis_refs few[WEFT_MAX_RANK + 2], *lists = few;
    if (s->rank > WEFT_MAX_RANK)
        return weft_bad_sharding(c, op, "%ssharding has more than %d dimensions", what, WEFT_MAX_RANK);
    for (uint32_t d = 0; d < s->rank; d++) lists[d] = s->dims[d].axes;
    lists[s->rank] = s->replicated;
    lists[s->rank + 1] = s->unreduced;
    weft_status st = check_sharding_axes(c, op, what, s, mesh, lists);
    if (st == WEFT_ERR_INVALID)
        weft_help(c->cx, op->loc, "the sharding: %s; its mesh: %s", weft_text_of_sharding(c, sharding),
                  weft_text_of_mesh(c, mesh));
    return st == WEFT_OK ? check_not_manual(c, op, what, lists, s->rank + 2) : st;
}

weft_status weft_check_shardings(weft_checker *c, const weft_op *op, const char *what, const weft_attr *list,
                                 const weft_type *const *types, uint32_t n) {
    char text[64];
    snprintf(text, sizeof text, "%s 0 - ", what);
    if (!n && list->items.n == 1) { /* an op without results may still name its device */
        const weft_attr *s = list->items.v[0];
        const weft_mesh_attr *mesh = weft_find_mesh(c, op, s->sharding.mesh);
        if ((mesh && !mesh->axis_count && mesh->device_ids.n) || says_nothing(&s->sharding))
            return weft_check_sharding(c, op, text, s, NULL);
    }
    if (list->items.n != n)
        return weft_bad_sharding(c, op, "%s shardings don't match number of values: %u shardings vs %u values", what,
                                 list->items.n, n);
    for (uint32_t i = 0; i < n; i++) {
        if (n == 1) snprintf(text, sizeof text, "%s - ", what);
        else snprintf(text, sizeof text, "%s %u - ", what, i);
        weft_status st = weft_check_sharding(c, op, text, list->items.v[i], types[i]);
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}
