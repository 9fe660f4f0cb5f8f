/* split.c: groups by colour: every rank of a parent tells its colour and key, from which each finds the members of its
 * group. */
#include "collectives/comm.h"

typedef struct choice { int32_t colour, key; } choice;

/* The parent's ranks of this colour into place[], by key; equal keys in the parent's order. Returns their number. */
static int members_of(const choice *all, int size, int colour, int *place) {
    int n = 0;
    for (int r = 0; r < size; r++) {
        if (all[r].colour != colour) continue;
        int i = n++;
        for (; i > 0 && all[place[i - 1]].key > all[r].key; i--) place[i] = place[i - 1];
        place[i] = r;
    }
    return n;
}

weft_status weft_comm_split(weft_context *cx, weft_comm *parent, int colour, int key, weft_comm **out) {
    if (out) *out = NULL;
    if (!cx) return WEFT_ERR_USAGE;
    if (!parent || !out)
        return weft_report(cx, WEFT_D_usage, NULL,
                           "a group needs a context, a handle to be split, and an output pointer");
    const weft_allocator *a = &parent->world->alloc;
    size_t bytes = (size_t)parent->size * (sizeof(choice) + sizeof(int));
    choice mine = { colour < 0 ? -1 : colour, key }, *all = a->resize(a->user, NULL, 0, bytes);
    if (!all) return weft_oom();
    int *place = (int *)(all + parent->size);
    const weft_coll_buf b = {
        .in = &mine, .out = all, .dtype = WEFT_I32, .inner = (int64_t)(sizeof mine / sizeof(int32_t))
    };
    const weft_call_site site = { .op = "split", .axes = "", .place = "" };
    weft_status st = weft_coll_all_gather(parent, &b, 1, &site);
    if (st == WEFT_OK && colour >= 0) {
        int n = members_of(all, parent->size, colour, place);
        for (int i = 0; i < n; i++) place[i] = parent->members[place[i]];
        st = weft_comm_group(cx, parent, place, n, out);
    }
    a->resize(a->user, all, bytes, 0);
    return st;
}
