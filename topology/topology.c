/* topology.c: machines by hwloc; see weft/topo.h and topology.h. */
#include "topology/cgroup.h"
#include "topology/topology_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Keeps only the processors that this process may use; the launcher may have bound it. */
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
    int cores = hwloc_get_nbobjs_by_type(t->machine, HWLOC_OBJ_CORE),
        threads = hwloc_get_nbobjs_by_type(t->machine, HWLOC_OBJ_PU);
    t->threads = threads > 0 ? threads : 1;
    t->cores = cores > 0 ? cores : t->threads;
}

weft_status weft_topology_discover_with(weft_context *cx, unsigned flags, weft_topology **out) {
    weft_topology *t;
    weft_status st = begin(cx, HERE, &t);
    *out = NULL;
    if (st != WEFT_OK) return st;
    t->extent = WHOLE;
    if (flags & WEFT_TOPOLOGY_DEVICES) hwloc_topology_set_io_types_filter(t->machine, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    if (hwloc_topology_load(t->machine) != 0) {
        st = weft_report(cx, WEFT_D_system, NULL, "hwloc finds no machine: %s", strerror(errno));
        weft_topology_free(t);
        return st;
    }
    if (!(flags & WEFT_TOPOLOGY_UNBOUND)) keep_bound_part(t);
    count(t);
    *out = t;
    return WEFT_OK;
}

/* Without a context the error cannot be reported. */
static weft_status misused(weft_context *cx, weft_topology **out) {
    if (out) *out = NULL;
    return cx ? weft_report(cx, WEFT_D_usage, NULL,
                            "a topology needs a context, a description and an output pointer")
              : WEFT_ERR_USAGE;
}

weft_status weft_topology_discover(weft_context *cx, weft_topology **out) {
    return cx && out ? weft_topology_discover_with(cx, 0, out) : misused(cx, out);
}

typedef enum source { FROM_FILE, FROM_TEXT, FROM_SYNTHETIC } source;

/* A machine described by a text of n bytes, or in the file of that name. */
static weft_status load(weft_context *cx, source from, const char *text, size_t n, weft_topology **out) {
    weft_topology *t;
    weft_status st = begin(cx, ELSEWHERE, &t);
    *out = NULL;
    if (st != WEFT_OK) return st;
    t->extent = WHOLE;
    hwloc_topology_set_io_types_filter(t->machine, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    int set = from == FROM_FILE   ? hwloc_topology_set_xml(t->machine, text)
              : from == FROM_TEXT ? hwloc_topology_set_xmlbuffer(t->machine, text, (int)n)
                                  : hwloc_topology_set_synthetic(t->machine, text);
    if (set == 0 && hwloc_topology_load(t->machine) == 0) {
        count(t);
        *out = t;
        return WEFT_OK;
    }
    if (from == FROM_SYNTHETIC)
        st = weft_report(cx, WEFT_D_usage, NULL, "'%s' describes no machine; an example is 'package:2 core:4 pu:2'",
                         text);
    else if (from == FROM_FILE)
        st =
            weft_report(cx, WEFT_D_file, NULL, "'%s' is not a machine description that this version of hwloc can read", text);
    else st = weft_report(cx, WEFT_D_system, NULL, "a node's description cannot be read");
    weft_topology_free(t);
    return st;
}

/* hwloc does not describe the error in a file. "-" is standard input for hwloc. */
weft_status weft_topology_from_xml(weft_context *cx, const char *path, weft_topology **out) {
    struct stat about;
    if (!cx || !path || !out) return misused(cx, out);
    *out = NULL;
    int why = !strcmp(path, "-") || (stat(path, &about) == 0 && access(path, R_OK) == 0) ? 0 : errno;
    if (!why && strcmp(path, "-") && S_ISDIR(about.st_mode)) why = EISDIR;
    if (why) return weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be read: %s", path, strerror(why));
    return load(cx, FROM_FILE, path, 0, out);
}
weft_status weft_topology_from_xml_text(weft_context *cx, const char *text, size_t n, weft_topology **out) {
    return load(cx, FROM_TEXT, text, n, out);
}

/* threads: hwloc compares each object of a level with those before it, and takes 4 s for so many in one level */
#define SYNTHETIC_MOST 4096

/* The threads of a synthetic string, at most most + 1: the product of its counts, "TYPE:COUNT" or "COUNT", without
 * attributes in brackets. */
static long long synthetic_threads(const char *text, long long most) {
    long long all = 1;
    int depth = 0;
    char before = ' ';
    for (const char *p = text; *p && all <= most; before = *p++) {
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
        if (depth != 0 || !isdigit((unsigned char)*p) || isalnum((unsigned char)before)) continue;
        errno = 0;
        long long n = strtoll(p, NULL, 0); /* hwloc reads 0x10 as 16, too */
        all = errno || n > most ? most + 1 : all * n;
    }
    return all;
}

weft_status weft_topology_from_synthetic(weft_context *cx, const char *description, weft_topology **out) {
    if (!cx || !description || !out) return misused(cx, out);
    *out = NULL;
    if (synthetic_threads(description, SYNTHETIC_MOST) > SYNTHETIC_MOST)
        return weft_report(cx, WEFT_D_usage, NULL,
                           "'%s' has more hardware threads than the %d that such a description may have", description,
                           SYNTHETIC_MOST);
    return load(cx, FROM_SYNTHETIC, description, 0, out);
}

weft_status weft_topology_to_xml(weft_context *cx, const weft_topology *t, weft_buf *out) {
    char *text = NULL;
    int n = 0;
    if (hwloc_topology_export_xmlbuffer(t->machine, &text, &n, 0) != 0)
        return weft_report(cx, WEFT_D_system, NULL, "hwloc cannot write this machine down: %s", strerror(errno));
    weft_buf_put(out, text, (size_t)n);
    hwloc_free_xmlbuffer(t->machine, text);
    return out->failed ? weft_oom() : WEFT_OK;
}

weft_status weft_topology_bound_cpus(const weft_topology *t, weft_buf *out) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    char *text = NULL;
    if (!set) return weft_oom();
    if (hwloc_get_cpubind(t->machine, set, HWLOC_CPUBIND_PROCESS) != 0)
        hwloc_bitmap_copy(set, hwloc_topology_get_topology_cpuset(t->machine));
    int n = hwloc_bitmap_list_asprintf(&text, set);
    if (n > 0) weft_buf_put(out, text, (size_t)n);
    free(text);
    hwloc_bitmap_free(set);
    return n < 0 || out->failed ? weft_oom() : WEFT_OK;
}

int weft_topology_core_among(const weft_topology *t, int core, const char *cpus) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (!set) return 0;
    int among =
        hwloc_bitmap_list_sscanf(set, cpus) == 0 && hwloc_bitmap_intersects(set, weft_topology_core(t, core)->cpuset);
    hwloc_bitmap_free(set);
    return among;
}

/* --- limits ------------------------------------------------------------------------------------------------------- */

double weft_topology_quota(void) { return weft_cgroup_cores(&weft_cgroups_here); }

double weft_topology_memory(void) {
    const double pages = (double)sysconf(_SC_PHYS_PAGES), page = (double)sysconf(_SC_PAGESIZE),
                 granted = weft_cgroup_memory(&weft_cgroups_here);
    const double there = pages > 0 && page > 0 ? pages * page : 0;
    return granted > 0 && (there <= 0 || granted < there) ? granted : there;
}

void weft_topology_why(const weft_topology *t, weft_buf *out) {
    hwloc_const_bitmap_t complete = hwloc_topology_get_complete_cpuset(t->machine),
                         allowed = hwloc_topology_get_topology_cpuset(t->machine);
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    int all = hwloc_bitmap_weight(complete), may = hwloc_bitmap_weight(allowed);
    weft_buf_printf(out, "hardware threads      %6d\n", all);
    weft_buf_printf(out, "that may be used      %6d%s\n", may,
                    may < all ? "  (the others are offline, or not in this process's cpuset)" : "");
    if (bound && t->where == HERE && hwloc_get_cpubind(t->machine, bound, HWLOC_CPUBIND_PROCESS) == 0)
        weft_buf_printf(out, "bound to              %6d%s\n", hwloc_bitmap_weight(bound),
                        hwloc_bitmap_weight(bound) < may ? "  (by the launcher, taskset or the like)" : "");
    hwloc_bitmap_free(bound);
    double quota = t->where == HERE ? weft_topology_quota() : 0;
    if (quota > 0)
        weft_buf_printf(out, "time of a cgroup      %6.3g  cores' worth: more ranks than that take turns\n", quota);
    double memory = t->where == HERE ? weft_cgroup_memory(&weft_cgroups_here) : 0;
    if (memory <= 0) return;
    weft_buf_puts(out, "memory of a cgroup    ");
    weft_buf_bytes(out, memory);
    weft_buf_puts(out, "\n");
}

int weft_topology_cores(const weft_topology *t) { return t ? t->cores : 0; }
int weft_topology_threads(const weft_topology *t) { return t ? t->threads : 0; }
int weft_topology_whole(const weft_topology *t) { return t && t->extent == WHOLE; }

int weft_topology_room(const weft_topology *t, double quota) {
    return weft_cgroup_room(weft_topology_cores(t), quota);
}

void weft_cores_place(int cores, int ranks, int rank, int *first, int *n) {
    int64_t from = (int64_t)rank * cores / ranks, to = (int64_t)(rank + 1) * cores / ranks;
    *first = (int)from;
    *n = to > from ? (int)(to - from) : 1;
}

void weft_topology_place(const weft_topology *t, int ranks, int rank, int *first, int *n) {
    *first = *n = 0;
    if (t && rank >= 0 && rank < ranks) weft_cores_place(t->cores, ranks, rank, first, n);
}

hwloc_obj_t weft_topology_core(const weft_topology *t, int i) {
    hwloc_obj_t core = hwloc_get_obj_by_type(t->machine, HWLOC_OBJ_CORE, (unsigned)i);
    if (!core) core = hwloc_get_obj_by_type(t->machine, HWLOC_OBJ_PU, (unsigned)i);
    return core ? core : hwloc_get_root_obj(t->machine);
}

weft_status weft_topology_bind(weft_context *cx, const weft_topology *t, int first, int n) {
    if (!cx) return WEFT_ERR_USAGE;
    if (!t || t->where != HERE || first < 0 || n < 1 || n > t->cores - first)
        return weft_report(cx, WEFT_D_usage, NULL, "%d cores from core %d on are not of this machine", n, first);
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (!set) return weft_oom();
    for (int i = first; i < first + n; i++) hwloc_bitmap_or(set, set, weft_topology_core(t, i)->cpuset);
    weft_status st = WEFT_OK;
    if (hwloc_set_cpubind(t->machine, set, HWLOC_CPUBIND_THREAD) != 0)
        st = weft_report(cx, WEFT_D_system, NULL, "cannot bind to cores %d to %d: %s", first, first + n - 1,
                         strerror(errno));
    hwloc_bitmap_free(set);
    return st;
}

weft_link_level weft_topology_level(const weft_topology *t, int ranks, int a, int b) {
    int ca, cb, n;
    weft_topology_place(t, ranks, a, &ca, &n);
    weft_topology_place(t, ranks, b, &cb, &n);
    return weft_topology_core_level(t, ca, cb);
}

weft_link_level weft_topology_core_level(const weft_topology *t, int ca, int cb) {
    if (ca == cb) return WEFT_LINK_CORE;
    hwloc_obj_t x = weft_topology_core(t, ca), y = weft_topology_core(t, cb),
                common = hwloc_get_common_ancestor_obj(t->machine, x, y);
    for (hwloc_obj_t o = common; o; o = o->parent)
        if (hwloc_obj_type_is_cache(o->type)) return WEFT_LINK_CACHE;
    if (hwloc_bitmap_isequal(x->nodeset, y->nodeset)) return WEFT_LINK_NUMA;
    for (hwloc_obj_t o = common; o; o = o->parent)
        if (o->type == HWLOC_OBJ_PACKAGE) return WEFT_LINK_PACKAGE;
    return WEFT_LINK_MACHINE;
}
