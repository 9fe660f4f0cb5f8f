/* kernel_tile.c: kernels that read across what they write.
 *
 * A transpose writes rows and reads columns. Element by element each read takes a line of the cache for itself, and
 * rows whose length is a power of two put all of a column's lines into the same few places there (faults/33: six times
 * slower than rows a little shorter). Run over in tiles, both sides go along their lines: emit_kernel.c reads a tile by
 * its columns, turns it and goes over it by its rows. What is only moved goes by tiles of whole lines, which are more
 * elements the narrower they are.
 *
 * Rows of a few elements (the other side of a transpose of 3 columns, pairs stacked along the last dimension) leave
 * most lanes empty. There vectors run along the rows, and what they hold is woven together when it is stored.
 *
 * Prefixes along rows go by tiles too, one row in each lane.
 */
#include "codegen/kernel.h"

enum { LEAST_EXTENT = 4, MOST_TILED_INSTRUCTIONS = 400, LEAST_WOVEN = 64, LEAST_SCANNED = 8 };

bool cg_kernel_reads_across(const cg_kernel *k, const cg_ins *x, uint32_t along) {
    const int64_t step = x->ix.k[k->var_count - 1];
    return x->kind == CG_I_LOAD && x->a[0] == CG_NONE && x->ix.sym == CG_NONE && step > 1 && x->ix.k[along] == 1;
}

/* Plain stores along the last variable, nothing that is folded. */
static bool stores_rows(const cg_kernel *k) {
    const uint32_t last = k->var_count - 1;
    if (k->var_count < 2 || k->row || k->fold_count) return false;
    for (uint32_t i = 0; i < k->store_count; i++) {
        const cg_store *s = &k->stores[i];
        if (s->kind != CG_STORE || s->level != k->var_count || s->ix.k[last] != 1 || s->ix.sym != CG_NONE ||
            s->guard != CG_NONE)
            return false;
    }
    return true;
}

/* The variable along which most loads lie; the last where there is none. */
static uint32_t choose(const cg_kernel *k) {
    uint32_t best = k->var_count - 1, most = 0;
    for (uint32_t v = 0; v + 1 < k->var_count; v++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < k->ins_count; i++) n += cg_kernel_reads_across(k, &k->ins[i], v);
        if (n > most && k->extent[v] >= LEAST_EXTENT) best = v, most = n;
    }
    return best;
}

/* Variable v is moved to `to`, after it. */
static void move(int64_t *x, uint32_t v, uint32_t to) {
    const int64_t moved = x[v];
    memmove(x + v, x + v + 1, (to - v) * sizeof *x);
    x[to] = moved;
}

static uint8_t level_of(const cg_kernel *k, const cg_ins *x) {
    uint8_t level = 0;
    for (uint32_t v = 0; v < k->var_count; v++)
        if (x->ix.k[v]) level = (uint8_t)(v + 1);
    const uint32_t needs[] = { x->a[0], x->a[1], x->a[2], x->ix.sym };
    for (uint32_t i = 0; i < WEFT_COUNT(needs); i++)
        if (needs[i] != CG_NONE && k->ins[needs[i]].level > level) level = k->ins[needs[i]].level;
    return level;
}

/* Puts variable v at place `to`. */
static void reorder(cg_kernel *k, uint32_t v, uint32_t to) {
    move(k->extent, v, to);
    for (uint32_t i = 0; i < k->ins_count; i++) {
        move(k->ins[i].ix.k, v, to);
        k->ins[i].level = level_of(k, &k->ins[i]);
    }
    for (uint32_t i = 0; i < k->store_count; i++) move(k->stores[i].ix.k, v, to);
}

/* ---- a last variable of a few elements ---- */

/* Rows of a few elements leave most lanes empty. Lanes can run along the variable before, when what they store lies
 * side by side with that too, and something is read along it, or is chosen by which of the few elements it is: that is
 * known then. */
static bool is_narrow(const cg_kernel *k) {
    const uint32_t last = k->var_count - 1, along = last - 1;
    const int64_t width = k->extent[last];
    bool gains = false;
    if (width > CG_MAX_NARROW || k->extent[along] < LEAST_WOVEN || k->ins_count * width > MOST_TILED_INSTRUCTIONS)
        return false;
    for (uint32_t i = 0; i < k->store_count; i++)
        if (k->stores[i].ix.k[along] != width) return false;
    for (uint32_t i = 0; i < k->ins_count; i++) {
        const cg_ins *x = &k->ins[i];
        gains |= x->kind == CG_I_LOAD && x->ix.sym == CG_NONE && x->ix.k[along] == 1 && x->ix.k[last] != 1;
        gains |= x->kind == CG_I_RANGE && x->ix.k[last] != 0 && x->ix.k[along] == 0 && x->ix.sym == CG_NONE;
    }
    return gains;
}

/* Stores of what is read across, as it is. */
static bool only_moves(const cg_kernel *k) {
    for (uint32_t i = 0; i < k->store_count; i++)
        if (!cg_kernel_reads_across(k, &k->ins[k->stores[i].value], k->var_count - 2)) return false;
    return true;
}

/* ---- prefixes ---- */

/* Whether guard is false where the last variable is 0, and depends on nothing else: there a chain of sums begins. */
static bool begins_chains(const cg_kernel *k, const cg_ins *guard) {
    if (guard->kind != CG_I_RANGE || guard->ix.sym != CG_NONE || (guard->lo <= guard->ix.c && guard->ix.c < guard->hi))
        return false;
    for (uint32_t v = 0; v + 1 < k->var_count; v++)
        if (guard->ix.k[v]) return false;
    return true;
}

/* Prefixes along the last variable are one chain of sums, in which each waits for the one before. Lanes can run along
 * the variable before, a chain each: what is read and written lies across them. The order of each sum stays. */
static bool is_scan(const cg_kernel *k) {
    const uint32_t last = k->var_count - 1, along = last - 1;
    bool scans = false, across = false;
    if (k->var_count < 2 || k->row || k->fold_count || k->extent[last] < LEAST_SCANNED ||
        k->extent[along] < LEAST_SCANNED || k->ins_count > MOST_TILED_INSTRUCTIONS)
        return false;
    for (uint32_t i = 0; i < k->store_count; i++) {
        const cg_store *s = &k->stores[i];
        if (s->level != k->var_count || s->ix.k[last] != 1 || s->ix.k[along] < 1 || s->ix.sym != CG_NONE) return false;
        if (s->kind == CG_STORE && s->guard == CG_NONE) continue;
        if (s->kind != CG_RUNNING || s->back != 1 || !begins_chains(k, &k->ins[s->guard])) return false;
        scans = true;
    }
    for (uint32_t i = 0; i < k->ins_count; i++) {
        const cg_ins *x = &k->ins[i];
        across |= x->kind == CG_I_LOAD && x->a[0] == CG_NONE && x->ix.sym == CG_NONE && x->ix.k[last] == 1 &&
                  x->ix.k[along] > 1;
    }
    return scans && across;
}

void cg_kernel_tile(cg_kernel *k) {
    const uint32_t last = k->var_count - 1;
    if (is_scan(k)) {
        k->tiled = k->scanned = true;
        reorder(k, last - 1, last);
        return;
    }
    if (!stores_rows(k)) return;
    if (is_narrow(k)) {
        k->narrow = true;
        reorder(k, last - 1, last);
        return;
    }
    if (k->ins_count > MOST_TILED_INSTRUCTIONS || k->extent[last] < LEAST_EXTENT) return;
    const uint32_t v = choose(k);
    if (v == last) return;
    k->tiled = true;
    reorder(k, v, last - 1);
    k->moves = only_moves(k);
}
