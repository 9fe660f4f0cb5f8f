/* topology.c: machines by hwloc; see weft/topo.h and topology.h. */
#include "topology/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include "base/context.h"

struct weft_topology {
    weft_allocator alloc;
    hwloc_topology_t machine;
    int cores, threads;
    enum { PART, WHOLE } extent;
    enum { HERE, ELSEWHERE } where;
};

void weft_topology_free(weft_topology *t) {
    if (!t) return;
    if (t->machine) hwloc_topology_destroy(t->machine);
    t->alloc.resize(t->alloc.user, t, sizeof *t, 0);
}

static weft_status begin(weft_context *cx, int where, weft_topology **out) {
    weft_topology *t = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *t);
    *out = NULL;
    if (!t) return weft_oom();
    *t = (weft_topology){ .alloc = cx->alloc, .where = where };
    if (hwloc_topology_init(&t->machine) != 0) {
        t->machine = NULL;
        weft_topology_free(t);
        return weft_oom();
    }
    *out = t;
    return WEFT_OK;
}

/* Leaves only what this process may run on; the launcher may have bound it. */
static void keep_bound_part(weft_topology *t) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (!set) return;
    hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(t->machine);
    if (hwloc_get_cpubind(t->machine, set, HWLOC_CPUBIND_PROCESS) == 0 && hwloc_bitmap_intersects(set, all)
        && !hwloc_bitmap_isincluded(all, set)) {
        hwloc_bitmap_and(set, set, all);
        if (hwloc_topology_restrict(t->machine, set, 0) == 0) t->extent = PART;
    }
    hwloc_bitmap_free(set);
}

static void count(weft_topology *t) {
    int cores = hwloc_get_nbobjs_by_type(t->machine, HWLOC_OBJ_CORE), threads = hwloc_get_nbobjs_by_type(t->machine, HWLOC_OBJ_PU);
    t->threads = threads > 0 ? threads : 1;
    t->cores = cores > 0 ? cores : t->threads;
}

weft_status weft_topology_discover(weft_context *cx, weft_topology **out) {
    weft_topology *t;
    weft_status st = begin(cx, HERE, &t);
    *out = NULL;
    if (st != WEFT_OK) return st;
    t->extent = WHOLE;
    if (hwloc_topology_load(t->machine) != 0) {
        st = weft_report(cx, WEFT_D_system, NULL, "hwloc finds no machine: %s", strerror(errno));
        weft_topology_free(t);
        return st;
    }
    keep_bound_part(t);
    count(t);
    *out = t;
    return WEFT_OK;
}

weft_status weft_topology_from_xml(weft_context *cx, const char *path, weft_topology **out) {
    weft_topology *t;
    weft_status st = begin(cx, ELSEWHERE, &t);
    *out = NULL;
    if (st != WEFT_OK) return st;
    t->extent = WHOLE;
    if (hwloc_topology_set_xml(t->machine, path) != 0 || hwloc_topology_load(t->machine) != 0) {
        st = weft_report(cx, WEFT_D_file, NULL, "'%s' is no machine description of hwloc's", path);
        weft_topology_free(t);
        return st;
    }
    count(t);
    *out = t;
    return WEFT_OK;
}

weft_status weft_topology_from_synthetic(weft_context *cx, const char *description, weft_topology **out) {
    weft_topology *t;
    weft_status st = begin(cx, ELSEWHERE, &t);
    *out = NULL;
    if (st != WEFT_OK) return st;
    t->extent = WHOLE;
    if (hwloc_topology_set_synthetic(t->machine, description) != 0 || hwloc_topology_load(t->machine) != 0) {
        st = weft_report(cx, WEFT_D_usage, NULL, "'%s' describes no machine; an example is 'package:2 core:4 pu:2'", description);
        weft_topology_free(t);
        return st;
    }
    count(t);
    *out = t;
    return WEFT_OK;
}

int weft_topology_cores(const weft_topology *t) { return t->cores; }
int weft_topology_threads(const weft_topology *t) { return t->threads; }
int weft_topology_whole(const weft_topology *t) { return t->extent == WHOLE; }

void weft_topology_place(const weft_topology *t, int ranks, int rank, int *first, int *n) {
    int64_t from = (int64_t)rank * t->cores / ranks, to = (int64_t)(rank + 1) * t->cores / ranks;
    *first = (int)from;
    *n = to > from ? (int)(to - from) : 1;
}

/* Core i, or its stand-in where hwloc sees no cores. */
static hwloc_obj_t core_at(const weft_topology *t, int i) {
    hwloc_obj_t core = hwloc_get_obj_by_type(t->machine, HWLOC_OBJ_CORE, (unsigned)i);
    if (!core) core = hwloc_get_obj_by_type(t->machine, HWLOC_OBJ_PU, (unsigned)i);
    return core ? core : hwloc_get_root_obj(t->machine);
}

weft_status weft_topology_bind(weft_context *cx, const weft_topology *t, int first, int n) {
    if (t->where != HERE || first < 0 || n < 1 || first + n > t->cores)
        return weft_report(cx, WEFT_D_usage, NULL, "cores %d to %d are not of this machine", first, first + n - 1);
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (!set) return weft_oom();
    for (int i = first; i < first + n; i++) hwloc_bitmap_or(set, set, core_at(t, i)->cpuset);
    weft_status st = WEFT_OK;
    if (hwloc_set_cpubind(t->machine, set, HWLOC_CPUBIND_THREAD) != 0)
        st = weft_report(cx, WEFT_D_system, NULL, "cannot bind to cores %d to %d: %s", first, first + n - 1, strerror(errno));
    hwloc_bitmap_free(set);
    return st;
}

weft_link_level weft_topology_level(const weft_topology *t, int ranks, int a, int b) {
    int ca, cb, n;
    weft_topology_place(t, ranks, a, &ca, &n);
    weft_topology_place(t, ranks, b, &cb, &n);
    if (ca == cb) return WEFT_LINK_CORE;
    hwloc_obj_t x = core_at(t, ca), y = core_at(t, cb), common = hwloc_get_common_ancestor_obj(t->machine, x, y);
    for (hwloc_obj_t o = common; o; o = o->parent)
        if (hwloc_obj_type_is_cache(o->type)) return WEFT_LINK_CACHE;
    if (hwloc_bitmap_isequal(x->nodeset, y->nodeset)) return WEFT_LINK_NUMA;
    for (hwloc_obj_t o = common; o; o = o->parent)
        if (o->type == HWLOC_OBJ_PACKAGE) return WEFT_LINK_PACKAGE;
    return WEFT_LINK_MACHINE;
}

/* --- the tree as text ---------------------------------------------------------------------------------------------------- */

typedef struct printer {
    const weft_topology *t;
    weft_buf out;
    int ranks;
} printer;

static void print_size(weft_buf *b, uint64_t bytes) {
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    size_t u = 0;
    double v = (double)bytes;
    while (v >= 1024 && u + 1 < WEFT_COUNT(units)) v /= 1024, u++;
    weft_buf_printf(b, " %.3g %s", v, units[u]);
}

/* "  ranks 2-3": those whose run of cores begins or lies here. */
static void print_ranks(printer *p, int core) {
    int low = -1, high = -1;
    for (int r = 0; r < p->ranks; r++) {
        int first, n;
        weft_topology_place(p->t, p->ranks, r, &first, &n);
        if (core < first || core >= first + n) continue;
        if (low < 0) low = r;
        high = r;
    }
    if (low < 0) return;
    if (low == high) weft_buf_printf(&p->out, "  rank %d", low);
    else weft_buf_printf(&p->out, "  ranks %d-%d", low, high);
}

static void print_object(printer *p, hwloc_obj_t o, int depth) {
    char type[64];
    hwloc_obj_type_snprintf(type, sizeof type, o, 0);
    for (char *c = type; *c; c++)
        if (*c >= 'A' && *c <= 'Z' && !(c == type && c[1] >= '0' && c[1] <= '9')) *c = (char)(*c - 'A' + 'a');
    weft_buf_printf(&p->out, "%*s%s", 2 * depth, "", type);
    if (o->type != HWLOC_OBJ_MACHINE && o->logical_index != HWLOC_UNKNOWN_INDEX && !hwloc_obj_type_is_cache(o->type))
        weft_buf_printf(&p->out, " %u", o->logical_index);
    if (o->type == HWLOC_OBJ_NUMANODE && o->attr->numanode.local_memory) print_size(&p->out, o->attr->numanode.local_memory);
    if (o->type == HWLOC_OBJ_MACHINE && o->total_memory) print_size(&p->out, o->total_memory);
    if (hwloc_obj_type_is_cache(o->type)) print_size(&p->out, o->attr->cache.size);
    const char *model = o->type == HWLOC_OBJ_PACKAGE ? hwloc_obj_get_info_by_name(o, "CPUModel") : NULL;
    if (model) weft_buf_printf(&p->out, " \"%s\"", model);
    hwloc_obj_type_t leaf = hwloc_get_nbobjs_by_type(p->t->machine, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    if (o->type == leaf) print_ranks(p, (int)o->logical_index);
    weft_buf_putc(&p->out, '\n');
    for (hwloc_obj_t m = o->memory_first_child; m; m = m->next_sibling) print_object(p, m, depth + 1);
    for (hwloc_obj_t child = o->first_child; child; child = child->next_sibling)
        if (child->type != HWLOC_OBJ_PU || leaf == HWLOC_OBJ_PU || o->arity > 1) print_object(p, child, depth + 1);
}

size_t weft_topology_print(const weft_topology *t, int ranks, char *text, size_t room) {
    printer p = { .t = t, .ranks = ranks > 0 ? ranks : 0 };
    weft_buf_init(&p.out, &t->alloc);
    print_object(&p, hwloc_get_root_obj(t->machine), 0);
    size_t n = p.out.n;
    if (room) {
        size_t part = n < room ? n : room - 1;
        if (part) memcpy(text, p.out.p, part);
        text[part] = 0;
    }
    weft_buf_free(&p.out);
    return n;
}
