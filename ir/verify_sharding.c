/* verify_sharding.c: meshes, shardings and sharding rules are well formed.
 *
 * Only what an attribute says is looked at: whether its mesh and axes exist, whether ranks fit, whether an axis is used
 * twice. A dimension need not divide by its axes. Source: Shardy docs/sharding_representation.md, docs/sdy_dialect.md.
 */
#include "ir/infer.h"

#include <stdio.h>

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

static weft_status check_device_ids(weft_checker *c, const weft_op *op, weft_ints ids, int64_t devices) {
    if (ids.n != devices) return weft_bad_sharding(c, op, "the mesh has %u device ids for %lld devices", ids.n, (long long)devices);
    uint8_t *seen = weft_scratch_array(c->cx, uint8_t, ids.n);
    if (!seen) return weft_oom();
    for (uint32_t i = 0; i < ids.n; i++) {
        if (ids.v[i] < 0 || ids.v[i] >= ids.n)
            return weft_bad_sharding(c, op, "device id %lld is not within 0 to %u", (long long)ids.v[i], ids.n - 1);
        if (seen[ids.v[i]]++) return weft_bad_sharding(c, op, "device id %lld is listed twice", (long long)ids.v[i]);
    }
    return WEFT_OK;
}

weft_status weft_check_mesh(weft_checker *c, const weft_op *op, const weft_mesh_attr *mesh) {
    int64_t devices = 1;
    for (uint32_t i = 0; i < mesh->axis_count; i++) {
        const weft_mesh_axis *a = &mesh->axes[i];
        if (a->size < 1) return weft_bad_sharding(c, op, "mesh axis \"%s\" has size %lld, expected at least 1", a->name->text, (long long)a->size);
        if (weft_mesh_axis_index(mesh, a->name) != i) return weft_bad_sharding(c, op, "mesh axis \"%s\" is listed twice", a->name->text);
        if (!weft_mul_i64(devices, a->size, &devices)) return weft_bad_sharding(c, op, "the mesh has too many devices");
    }
    if (mesh->axis_count && mesh->device_ids.n) return check_device_ids(c, op, mesh->device_ids, devices);
    if (mesh->axis_count) return WEFT_OK;
    if (mesh->device_ids.n > 1) return weft_bad_sharding(c, op, "a mesh without axes has %u device ids, expected at most 1", mesh->device_ids.n);
    if (mesh->device_ids.n && mesh->device_ids.v[0] < 0) return weft_bad_sharding(c, op, "device id %lld is below 0", (long long)mesh->device_ids.v[0]);
    return WEFT_OK;
}

const weft_mesh_attr *weft_check_mesh_ref(weft_checker *c, const weft_op *op, const char *what, const weft_attr *ref) {
    if (ref->kind == WEFT_ATTR_MESH) return weft_check_mesh(c, op, &ref->mesh) == WEFT_OK ? &ref->mesh : NULL;
    weft_str name = ref->kind == WEFT_ATTR_SYMBOL ? weft_name_str(ref->names.v[ref->names.n - 1]) : (weft_str){ NULL, 0 };
    const weft_op *mesh = weft_check_symbol(c, op, name);
    const weft_attr *a = mesh && mesh->kind == WEFT_OP_sdy_mesh ? weft_op_attr(mesh, WEFT_A_mesh) : NULL;
    if (a && a->kind == WEFT_ATTR_MESH) return &a->mesh;
    weft_bad_sharding(c, op, "%s: there is no mesh '@%.*s'", what, WEFT_STR_ARG(name));
    return NULL;
}

/* ---- axes ---- */

const char *weft_text_of_axis(weft_checker *c, const weft_axis_ref *a) {
    char *text = weft_arena_alloc(&c->cx->scratch, a->name->n + 64, 1);
    if (!text) return "?";
    if (a->size) snprintf(text, a->name->n + 64, "\"%s\":(%lld)%lld", a->name->text, (long long)a->pre_size, (long long)a->size);
    else snprintf(text, a->name->n + 64, "\"%s\"", a->name->text);
    return text;
}

static weft_status check_axis(weft_checker *c, const weft_op *op, const char *what, const weft_mesh_attr *mesh, const weft_axis_ref *a) {
    int64_t full = weft_mesh_axis_size(mesh, a->name), reach;
    if (!full) return weft_bad_sharding(c, op, "%s: axis \"%s\" is not in the mesh", what, a->name->text);
    if (!a->size && !a->pre_size) return WEFT_OK;
    if (a->pre_size < 1) return weft_bad_sharding(c, op, "%s: sub-axis %s has a pre-size below 1", what, weft_text_of_axis(c, a));
    if (a->size < 2) return weft_bad_sharding(c, op, "%s: sub-axis %s has a size below 2", what, weft_text_of_axis(c, a));
    if (!weft_mul_i64(a->pre_size, a->size, &reach) || full % reach)
        return weft_bad_sharding(c, op, "%s: sub-axis %s does not divide \"%s\" of size %lld", what, weft_text_of_axis(c, a), a->name->text, (long long)full);
    if (a->size == full) return weft_bad_sharding(c, op, "%s: sub-axis %s is the whole axis, write \"%s\"", what, weft_text_of_axis(c, a), a->name->text);
    return WEFT_OK;
}

static bool overlap(const weft_axis_ref *a, const weft_axis_ref *b) {
    if (a->name != b->name) return false;
    if (!a->size || !b->size) return true;
    return a->pre_size < b->pre_size * b->size && b->pre_size < a->pre_size * a->size;
}

static weft_status report_overlap(weft_checker *c, const weft_op *op, const char *what, const weft_axis_ref *a, const weft_axis_ref *b) {
    if (a->size == b->size && a->pre_size == b->pre_size) return weft_bad_sharding(c, op, "%s: axis %s is used twice", what, weft_text_of_axis(c, a));
    return weft_bad_sharding(c, op, "%s: axes %s and %s overlap", what, weft_text_of_axis(c, a), weft_text_of_axis(c, b));
}

weft_status weft_check_axes(weft_checker *c, const weft_op *op, const char *what, const weft_mesh_attr *mesh,
                            const weft_axis_refs *lists, uint32_t list_count) {
    for (uint32_t l = 0; l < list_count; l++)
        for (uint32_t i = 0; i < lists[l].n; i++) {
            const weft_axis_ref *a = &lists[l].v[i];
            weft_status st = check_axis(c, op, what, mesh, a);
            if (st != WEFT_OK) return st;
            for (uint32_t k = 0; k <= l; k++)
                for (uint32_t j = 0; j < (k == l ? i : lists[k].n); j++)
                    if (overlap(a, &lists[k].v[j])) return report_overlap(c, op, what, &lists[k].v[j], a);
            const weft_axis_ref *last = i ? a - 1 : NULL;
            if (last && last->name == a->name && last->pre_size * last->size == a->pre_size)
                return weft_bad_sharding(c, op, "%s: axes %s and %s must be written as one", what, weft_text_of_axis(c, last), weft_text_of_axis(c, a));
        }
    return WEFT_OK;
}

weft_status weft_check_axis_order(weft_checker *c, const weft_op *op, const char *what, const weft_mesh_attr *mesh, weft_axis_refs axes) {
    for (uint32_t i = 1; i < axes.n; i++) {
        int64_t a = weft_mesh_axis_index(mesh, axes.v[i - 1].name), b = weft_mesh_axis_index(mesh, axes.v[i].name);
        if (a > b || (a == b && axes.v[i - 1].pre_size > axes.v[i].pre_size))
            return weft_bad_sharding(c, op, "%s: axes %s and %s are not in the mesh's order", what, weft_text_of_axis(c, &axes.v[i - 1]), weft_text_of_axis(c, &axes.v[i]));
    }
    return WEFT_OK;
}

/* ---- shardings ---- */

static weft_status check_priorities(weft_checker *c, const weft_op *op, const char *what, const weft_sharding_attr *s) {
    for (uint32_t d = 0; d < s->rank; d++) {
        if (s->dims[d].priority == WEFT_NO_PRIORITY) continue;
        if (s->dims[d].priority < 0) return weft_bad_sharding(c, op, "%s: dimension %u has a priority below 0", what, d);
        if (!s->dims[d].open && !s->dims[d].axes.n)
            return weft_bad_sharding(c, op, "%s: dimension %u is empty and closed, its priority has no meaning", what, d);
    }
    return WEFT_OK;
}

/* Axes that a surrounding manual computation has taken are not there inside. */
static weft_status check_not_manual(weft_checker *c, const weft_op *op, const char *what, const weft_axis_refs *lists, uint32_t n) {
    for (const weft_op *up = weft_op_parent(op); up; up = weft_op_parent(up)) {
        if (up->kind != WEFT_OP_sdy_manual_computation) continue;
        const weft_attr *manual = weft_op_attr(up, WEFT_A_manual_axes);
        if (!manual || manual->kind != WEFT_ATTR_AXES) continue;
        for (uint32_t l = 0; l < n; l++)
            for (uint32_t i = 0; i < lists[l].n; i++)
                for (uint32_t k = 0; k < manual->axes.n; k++)
                    if (manual->axes.v[k].name == lists[l].v[i].name)
                        return weft_bad_sharding(c, op, "%s: axis %s is manual in the surrounding sdy.manual_computation", what, weft_text_of_axis(c, &lists[l].v[i]));
    }
    return WEFT_OK;
}

/* The type whose dimensions a sharding of a value of type t speaks of, or NULL: a token, say. */
static const weft_type *sharded_type(const weft_type *t) {
    if (t->kind == WEFT_TYPE_TUPLE && t->part_count == 1) t = t->parts[0];
    return t->kind == WEFT_TYPE_TENSOR || t->kind == WEFT_TYPE_FOREIGN ? t : NULL;
}

weft_status weft_check_sharding(weft_checker *c, const weft_op *op, const char *what, const weft_attr *sharding, const weft_type *type) {
    const weft_sharding_attr *s = &sharding->sharding;
    const weft_mesh_attr *mesh = weft_check_mesh_ref(c, op, what, s->mesh);
    if (!mesh) return WEFT_ERR_INVALID;
    const weft_type *t = sharded_type(type);
    bool maximal = !mesh->axis_count && mesh->device_ids.n;
    if (maximal || !t) {
        if (!s->rank && !s->replicated.n && !s->unreduced.n) return WEFT_OK;
        return weft_bad_sharding(c, op, maximal ? "%s: on a mesh of one device it has no dimensions and no axes"
                                                : "%s: a value without a shape has no dimensions and no axes", what);
    }
    if (s->rank != t->rank)
        return weft_bad_sharding(c, op, "%s has %u dimensions, but the value of type '%s' has %u", what, s->rank, weft_text_of(c, type), t->rank);
    weft_axis_refs few[WEFT_MAX_RANK + 2], *lists = few;
    if (s->rank > WEFT_MAX_RANK) return weft_bad_sharding(c, op, "%s has more than %d dimensions", what, WEFT_MAX_RANK);
    for (uint32_t d = 0; d < s->rank; d++) lists[d] = s->dims[d].axes;
    lists[s->rank] = s->replicated;
    lists[s->rank + 1] = s->unreduced;
    weft_status st = check_priorities(c, op, what, s);
    if (st == WEFT_OK) st = weft_check_axes(c, op, what, mesh, lists, s->rank + 2);
    if (st == WEFT_OK) st = weft_check_axis_order(c, op, what, mesh, s->replicated);
    if (st == WEFT_OK) st = weft_check_axis_order(c, op, what, mesh, s->unreduced);
    if (st == WEFT_OK) st = check_not_manual(c, op, what, lists, s->rank + 2);
    return st;
}

weft_status weft_check_shardings(weft_checker *c, const weft_op *op, const char *what, const weft_attr *list, const weft_type *const *types, uint32_t n) {
    /* An op without results may still say on which device it runs. */
    if (!n && list->items.n == 1) {
        const weft_type *none = weft_type_simple(c->cx, WEFT_TYPE_NONE);
        return none ? weft_check_sharding(c, op, what, list->items.v[0], none) : weft_oom();
    }
    if (list->items.n != n) return weft_bad_sharding(c, op, "%ss: %u shardings for %u values", what, list->items.n, n);
    for (uint32_t i = 0; i < n; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s %u", what, i);
        weft_status st = weft_check_sharding(c, op, text, list->items.v[i], types[i]);
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

/* ---- rules ---- */

static weft_status check_factor_set(weft_checker *c, const weft_op *op, const char *what, weft_ints set, uint32_t factors, uint8_t *seen, uint8_t mark) {
    for (uint32_t i = 0; i < set.n; i++) {
        if (set.v[i] < 0 || set.v[i] >= factors) return weft_bad_sharding(c, op, "sharding rule: %s factor %lld is not within 0 to %d", what, (long long)set.v[i], (int)factors - 1);
        if (i && set.v[i] <= set.v[i - 1]) return weft_bad_sharding(c, op, "sharding rule: %s factors are not in rising order", what);
        if (mark && seen[set.v[i]] & mark) return weft_bad_sharding(c, op, "sharding rule: factor %lld is of two special kinds", (long long)set.v[i]);
        seen[set.v[i]] |= mark;
    }
    return WEFT_OK;
}

enum { USED = 1, IN_RESULT = 2, SPECIAL = 4, IN_TENSOR = 8 };

static weft_status check_rule_tensor(weft_checker *c, const weft_op *op, const weft_rule_attr *r, uint32_t t, const weft_type *type, uint8_t *seen) {
    bool result = t >= r->operand_count;
    const char *what = result ? "result" : "operand";
    uint32_t index = result ? t - r->operand_count : t;
    if (!weft_type_is_static(type) || r->ranks[t] != type->rank)
        return weft_bad_sharding(c, op, "sharding rule: %s %u has %u dimensions, but the value has type '%s'", what, index, r->ranks[t], weft_text_of(c, type));
    for (uint32_t f = 0; f < r->factor_sizes.n; f++) seen[f] &= (uint8_t)~IN_TENSOR;
    for (uint32_t d = 0; d < type->rank; d++) {
        weft_ints factors = r->dims[t][d];
        if (!factors.n) return weft_bad_sharding(c, op, "sharding rule: %s %u dimension %u has no factor", what, index, d);
        for (uint32_t i = 0; i < factors.n; i++) {
            int64_t f = factors.v[i];
            if (f < 0 || f >= r->factor_sizes.n)
                return weft_bad_sharding(c, op, "sharding rule: factor %lld is not within 0 to %d", (long long)f, (int)r->factor_sizes.n - 1);
            if (seen[f] & IN_TENSOR) return weft_bad_sharding(c, op, "sharding rule: %s %u uses a factor twice", what, index);
            if (factors.n > 1 && r->factor_sizes.v[f] == 1)
                return weft_bad_sharding(c, op, "sharding rule: %s %u dimension %u has a factor of size 1 among several", what, index, d);
            seen[f] |= (uint8_t)(USED | IN_TENSOR | (result ? IN_RESULT : 0));
        }
    }
    return WEFT_OK;
}

weft_status weft_check_rule(weft_checker *c, const weft_op *op, const weft_rule_attr *r) {
    if (r->operand_count != op->operand_count || r->result_count != op->result_count)
        return weft_bad_sharding(c, op, "sharding rule has %u operands and %u results, but the op has %u and %u", r->operand_count, r->result_count,
                                 op->operand_count, op->result_count);
    uint32_t n = r->factor_sizes.n;
    uint8_t *seen = weft_scratch_array(c->cx, uint8_t, n);
    if (!seen) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t t = 0; t < r->operand_count + r->result_count && st == WEFT_OK; t++)
        st = check_rule_tensor(c, op, r, t, t < r->operand_count ? op->operands[t]->type : op->results[t - r->operand_count].type, seen);
    for (uint32_t f = 0; f < n && st == WEFT_OK; f++)
        if (!(seen[f] & USED)) st = weft_bad_sharding(c, op, "sharding rule: factor %u is in no operand or result", f);
    if (st == WEFT_OK) st = check_factor_set(c, op, "reduction", r->reduction, n, seen, SPECIAL);
    if (st == WEFT_OK) st = check_factor_set(c, op, "need_replication", r->need_replication, n, seen, SPECIAL);
    if (st == WEFT_OK) st = check_factor_set(c, op, "permutation", r->permutation, n, seen, SPECIAL);
    if (st == WEFT_OK) st = check_factor_set(c, op, "blocked_propagation", r->blocked, n, seen, 0);
    for (uint32_t i = 0; i < r->reduction.n && st == WEFT_OK; i++)
        if (seen[r->reduction.v[i]] & IN_RESULT) st = weft_bad_sharding(c, op, "sharding rule: reduction factor %lld is in a result", (long long)r->reduction.v[i]);
    return st;
}
