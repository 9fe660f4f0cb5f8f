/* tree.c: hwloc's tree as boxes: packages, memories, caches, cores, network adapters and accelerators, with ranks and
 * links. */
#include "topology/draw.h"
#include "topology/topology_internal.h"

typedef struct tree {
    weft_arena *arena;
    const weft_topology *t;
    const weft_links *links;      /* NULL: they are not drawn */
    const weft_rank_map *map;     /* NULL: no ranks */
    unsigned char *has;
    hwloc_obj_type_t leaf;        /* cores, or threads if hwloc sees no cores */
    weft_status status;
} tree;

static void print_size(weft_buf *b, uint64_t bytes) {
    weft_buf_putc(b, ' ');
    weft_buf_bytes(b, (double)bytes);
}

static weft_box_kind kind_of(hwloc_obj_t o) {
    switch (o->type) {
    case HWLOC_OBJ_MACHINE: return WEFT_BOX_NODE;
    case HWLOC_OBJ_NUMANODE: return WEFT_BOX_MEMORY;
    case HWLOC_OBJ_CORE: case HWLOC_OBJ_PU: return WEFT_BOX_CORE;
    case HWLOC_OBJ_OS_DEVICE: case HWLOC_OBJ_PCI_DEVICE: return WEFT_BOX_IO;
    default: return hwloc_obj_type_is_cache(o->type) ? WEFT_BOX_CACHE : WEFT_BOX_PACKAGE;
    }
}

/* "package 0 "Some CPU"", "l3cache 32 MiB". */
static void print_label(weft_buf *b, hwloc_obj_t o) {
    char type[64];
    hwloc_obj_type_snprintf(type, sizeof type, o, 0);
    for (char *c = type; *c; c++)
        if (*c >= 'A' && *c <= 'Z' && !(c == type && c[1] >= '0' && c[1] <= '9')) *c = (char)(*c - 'A' + 'a');
    weft_buf_puts(b, type);
    if (o->type != HWLOC_OBJ_MACHINE && o->logical_index != HWLOC_UNKNOWN_INDEX && !hwloc_obj_type_is_cache(o->type))
        weft_buf_printf(b, " %u", o->logical_index);
    if (o->type == HWLOC_OBJ_NUMANODE && o->attr->numanode.local_memory) print_size(b, o->attr->numanode.local_memory);
    if (o->type == HWLOC_OBJ_MACHINE && o->total_memory) print_size(b, o->total_memory);
    if (hwloc_obj_type_is_cache(o->type)) print_size(b, o->attr->cache.size);
    const char *model = o->type == HWLOC_OBJ_PACKAGE ? hwloc_obj_get_info_by_name(o, "CPUModel") : NULL;
    if (model) weft_buf_printf(b, " \"%s\"", model);
}

static const char *keep(tree *w, weft_buf *b) {
    const char *text = b->failed ? NULL : weft_arena_strdup(w->arena, b->p ? b->p : "", b->n);
    weft_buf_free(b);
    if (!text) w->status = weft_oom();
    return text ? text : "";
}

static hwloc_obj_t first_leaf(const tree *w, hwloc_obj_t in) {
    return hwloc_get_obj_inside_cpuset_by_type(w->t->machine, in->cpuset, w->leaf, 0);
}

/* The link of two cores that share no object below this one, if it joins several: groups and dies as well as
 * packages. */
static void set_link(tree *w, hwloc_obj_t o, weft_box *box) {
    if (!w->links || o->arity < 2 || o->type == HWLOC_OBJ_CORE) return;
    const hwloc_obj_t x = first_leaf(w, o->first_child), y = first_leaf(w, o->first_child->next_sibling);
    if (!x || !y || x == y) return;
    weft_buf b;
    weft_buf_init(&b, &w->arena->alloc);
    weft_link_print(&b, &w->links->at[weft_topology_core_level(w->t, (int)x->logical_index, (int)y->logical_index)]);
    box->link = keep(w, &b);
}

static void set_ranks(tree *w, hwloc_obj_t o, weft_box *box) {
    if (!w->map || !w->map->ranks || o->type != w->leaf) return;
    memset(w->has, 0, (size_t)w->map->ranks);
    w->map->on_core(w->map->user, w->t, (int)o->logical_index, w->has);
    box->ranks = weft_ranks_text(w->arena, w->has, w->map->ranks);
}

static const char *device_class(hwloc_obj_t o) {
    switch (o->attr->osdev.type) {
    case HWLOC_OBJ_OSDEV_NETWORK: case HWLOC_OBJ_OSDEV_OPENFABRICS: return "network adapter";
    case HWLOC_OBJ_OSDEV_GPU: case HWLOC_OBJ_OSDEV_COPROC: return "accelerator";
    default: return NULL;
    }
}

/* Devices under bridges, each as a box of its own: network adapters and accelerators, the latter also without a
 * driver. */
static void add_devices(tree *w, hwloc_obj_t o, weft_box *in) {
    for (hwloc_obj_t d = o->io_first_child; d && w->status == WEFT_OK; d = d->next_sibling) {
        const char *what = d->type == HWLOC_OBJ_OS_DEVICE ? device_class(d) : NULL;
        bool bare = d->type == HWLOC_OBJ_PCI_DEVICE && !d->io_first_child && d->attr->pcidev.class_id >> 8 == 0x03;
        weft_box *b = NULL;
        if (what) b = weft_box_add(w->arena, in, WEFT_BOX_IO, "%s %s", what, d->name ? d->name : "?");
        else if (bare)
            b = weft_box_add(w->arena, in, WEFT_BOX_IO, "accelerator %04x:%02x:%02x.%u", d->attr->pcidev.domain,
                             d->attr->pcidev.bus, d->attr->pcidev.dev, d->attr->pcidev.func);
        if ((what || bare) && !b) w->status = weft_oom();
        add_devices(w, d, in);
    }
}

static weft_box *add_object(tree *w, hwloc_obj_t o, weft_box *in) {
    weft_buf b;
    weft_buf_init(&b, &w->arena->alloc);
    print_label(&b, o);
    weft_box *box = weft_box_add(w->arena, in, kind_of(o), "%s", keep(w, &b));
    if (!box) w->status = weft_oom();
    if (w->status != WEFT_OK) return NULL;
    set_ranks(w, o, box);
    set_link(w, o, box);
    for (hwloc_obj_t m = o->memory_first_child; m && w->status == WEFT_OK; m = m->next_sibling) add_object(w, m, box);
    for (hwloc_obj_t child = o->first_child; child && w->status == WEFT_OK; child = child->next_sibling)
        if (child->type != HWLOC_OBJ_PU || w->leaf == HWLOC_OBJ_PU || o->arity > 1) add_object(w, child, box);
    add_devices(w, o, box);
    return box;
}

weft_box *weft_topology_boxes(weft_arena *a, const weft_topology *t, const weft_links *links,
                              const weft_rank_map *map) {
    tree w = { .arena = a, .t = t, .links = links, .map = map,
               .leaf = hwloc_get_nbobjs_by_type(t->machine, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU };
    w.has = weft_arena_array(a, unsigned char, (map ? map->ranks : 0) + 1);
    if (!w.has) return NULL;
    weft_box *root = add_object(&w, hwloc_get_root_obj(t->machine), NULL);
    return w.status == WEFT_OK ? root : NULL;
}

/* --- the public forms --------------------------------------------------------------------------------------------- */

/* Ranks assigned contiguously to the cores. */
static void contiguous(const void *user, const weft_topology *t, int core, unsigned char *has) {
    int ranks = *(const int *)user;
    for (int r = 0; r < ranks; r++) {
        int first, n;
        weft_topology_place(t, ranks, r, &first, &n);
        has[r] = core >= first && core < first + n;
    }
}

static size_t give(const weft_topology *t, weft_buf *b, char *text, size_t room) {
    size_t n = b->n;
    if (room) {
        size_t part = n < room ? n : room - 1;
        if (part) memcpy(text, b->p, part);
        text[part] = 0;
    }
    (void)t;
    weft_buf_free(b);
    return n;
}

size_t weft_topology_print(const weft_topology *t, int ranks, char *text, size_t room) {
    weft_arena arena;
    weft_buf out;
    if (room) *text = 0;
    if (!t) return 0;
    weft_arena_init(&arena, &t->alloc);
    weft_buf_init(&out, &t->alloc);
    weft_rank_map map = { ranks > 0 ? ranks : 0, contiguous, &map.ranks };
    weft_box *root = weft_topology_boxes(&arena, t, NULL, &map);
    if (root) weft_box_text(root, &out);
    weft_arena_free(&arena);
    return give(t, &out, text, room);
}

weft_status weft_topology_svg(weft_context *cx, const weft_topology *t, int ranks, char **svg, size_t *length) {
    weft_arena arena;
    weft_buf out;
    if (!cx || !t || !svg || !length)
        return cx ? weft_report(cx, WEFT_D_usage, NULL, "a drawing needs a topology, and an output pointer")
                  : WEFT_ERR_USAGE;
    weft_arena_init(&arena, &t->alloc);
    weft_buf_init(&out, &t->alloc);
    weft_rank_map map = { ranks > 0 ? ranks : 0, contiguous, &map.ranks };
    weft_box *root = weft_topology_boxes(&arena, t, &weft_links_default, &map);
    weft_status st = root ? weft_box_svg(cx, root, &out) : weft_oom();
    *svg = st == WEFT_OK ? weft_arena_strdup(&cx->arena, out.p, out.n) : NULL;
    *length = out.n;
    if (st == WEFT_OK && !*svg) st = weft_oom();
    weft_buf_free(&out);
    weft_arena_free(&arena);
    return st;
}
