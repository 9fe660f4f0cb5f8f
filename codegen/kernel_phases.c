/* kernel_phases.c: what each pass over a row computes, and what is worth keeping from one pass to the next. */
#include "codegen/kernel.h"

typedef struct marker { const cg_kernel *k; bool *needed; } marker;

static void mark(const cg_kernel *k, uint32_t i, bool *needed) {
    if (i == CG_NONE || needed[i]) return;
    const cg_ins *x = &k->ins[i];
    if (x->level <= k->inner && k->row) return; /* known before the row, or between its phases */
    needed[i] = true;
    for (int a = 0; a < 3; a++) mark(k, x->a[a], needed);
    mark(k, x->ix.sym, needed);
}

static void mark_use(void *user, uint32_t i) {
    const marker *m = user;
    mark(m->k, i, m->needed);
}

bool cg_store_per_element(const cg_kernel *k, const cg_store *s) { return !k->row || s->level > k->inner; }

void cg_kernel_phase(const cg_kernel *k, uint32_t phase, bool *needed) {
    for (uint32_t i = 0; i < k->fold_count; i++)
        for (uint32_t r = 0; k->folds[i].phase == phase && r < k->folds[i].n; r++)
            mark(k, k->folds[i].value[r], needed);
    for (uint32_t i = 0; i < k->store_count; i++) {
        const cg_store *s = &k->stores[i];
        if (!cg_store_per_element(k, s) || s->phase != phase) continue;
        cg_store_uses(k, s, mark_use, &(marker){ k, needed });
    }
}

/* Units of arithmetic in what i is made of per element, as far as nothing is kept below. */
static uint32_t work(const cg_kernel *k, uint32_t i, const uint8_t *kept, uint32_t depth) {
    if (i == CG_NONE || k->ins[i].level != k->var_count || kept[i] || depth > 24) return 0;
    uint32_t sum = k->ins[i].kind == CG_I_SCALAR ? cg_op_table[k->ins[i].op].weight
                   : k->ins[i].kind == CG_I_LOAD ? 2
                                                 : 1;
    for (int a = 0; a < 3 && sum < 100; a++) sum += work(k, k->ins[i].a[a], kept, depth + 1);
    return sum;
}

/* i is used in this phase by something that no earlier phase computed. */
static bool at_the_edge(const cg_kernel *k, uint32_t i, uint32_t phase, const bool *needed, const bool *earlier) {
    for (uint32_t u = i + 1; u < k->ins_count; u++) {
        if (!needed[u] || earlier[u]) continue;
        for (int a = 0; a < 3; a++)
            if (k->ins[u].a[a] == i) return true;
    }
    for (uint32_t f = 0; f < k->fold_count; f++)
        for (uint32_t r = 0; k->folds[f].phase == phase && r < k->folds[f].n; r++)
            if (k->folds[f].value[r] == i) return true;
    for (uint32_t s = 0; s < k->store_count; s++)
        if (cg_store_per_element(k, &k->stores[s]) && k->stores[s].phase == phase && k->stores[s].kind == CG_STORE &&
            k->stores[s].value == i)
            return true;
    return false;
}

void cg_kernel_keep(const cg_kernel *k, const cg_code_costs *costs, uint8_t *kept, bool *needed, bool *earlier) {
    int64_t left = (int64_t)costs->row_bytes;
    for (uint32_t phase = 1; phase < k->phases; phase++) {
        memset(needed, 0, k->ins_count * sizeof *needed);
        memset(earlier, 0, k->ins_count * sizeof *earlier);
        for (uint32_t p = 0; p < phase; p++) cg_kernel_phase(k, p, earlier);
        cg_kernel_phase(k, phase, needed);
        for (uint32_t i = 0; i < k->ins_count; i++) {
            const int64_t bytes = k->row * 8;
            if (!needed[i] || !earlier[i] || kept[i] || k->ins[i].level != k->var_count || bytes > left) continue;
            if (!at_the_edge(k, i, phase, needed, earlier) || work(k, i, kept, 0) < costs->keep_weight) continue;
            uint32_t p = 0;
            for (; p < phase; p++) { /* the first phase that computes it */
                memset(earlier, 0, k->ins_count * sizeof *earlier);
                cg_kernel_phase(k, p, earlier);
                if (earlier[i]) break;
            }
            kept[i] = (uint8_t)(p + 1);
            left -= bytes;
            memset(earlier, 0, k->ins_count * sizeof *earlier);
            for (p = 0; p < phase; p++) cg_kernel_phase(k, p, earlier);
        }
    }
}
