/* print_aliases.c: writes long lists of numbers that several ops share, such as the pairs of permutes, once, in
 * front:
 *
 *   #source_target_pairs = dense<"0x..."> : tensor<4096x2xi64>
 *
 * MLIR reads that, though its own printer would repeat the list. Lists count as shared if they are one attribute, not
 * if they are equal: a pass gives ops with one list one attribute, and a text that is read keeps its separate lists.
 */
#include "mlir/writer.h"

struct pr_alias {
    const weft_attr *attr;
    uint32_t name;     /* WEFT_A_... of its first user */
    uint32_t users;
    uint32_t number;   /* among those of that name */
};

typedef struct collected {
    weft_context *cx;
    pr_alias *v; size_t n, cap;
} collected;

static weft_status collect(void *user, weft_op *op) {
    collected *c = user;
    if (op->kind == WEFT_OP_constant) return WEFT_OK;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const weft_attr *a = op->attrs[i].value;
        if (a->kind != WEFT_ATTR_DENSE || op->attrs[i].name->id >= WEFT_A_COUNT || !pr_dense_is_long(a)) continue;
        size_t k = 0;
        while (k < c->n && c->v[k].attr != a) k++;
        if (k == c->n) {
            if (!weft_arena_grow(&c->cx->scratch, (void **)&c->v, &c->cap, c->n + 1, sizeof *c->v)) return weft_oom();
            c->v[c->n++] = (pr_alias){ .attr = a, .name = op->attrs[i].name->id };
        }
        c->v[k].users++;
    }
    return WEFT_OK;
}

static void name_of(weft_writer *w, const pr_alias *a) {
    weft_buf_putc(w->b, '#');
    weft_buf_str(w->b, weft_name_str(weft_name_at(w->m->cx, a->name)));
    if (a->number) weft_buf_i64(w->b, a->number);
}

weft_status pr_aliases(weft_writer *w) {
    collected c = { .cx = w->m->cx };
    weft_status st = weft_module_walk(w->m, collect, &c);
    if (st != WEFT_OK) return st;
    for (size_t i = 0; i < c.n; i++) {
        pr_alias *a = &c.v[i];
        if (a->users < 2) continue;
        for (uint32_t k = 0; k < w->alias_count; k++) a->number += c.v[k].name == a->name;
        name_of(w, a);
        weft_buf_puts(w->b, " = ");
        pr_dense(w, a->attr);
        weft_buf_putc(w->b, '\n');
        c.v[w->alias_count++] = *a; /* those with one user are overwritten */
    }
    w->aliases = c.v;
    return WEFT_OK;
}

bool pr_by_alias(weft_writer *w, const weft_attr *a) {
    for (uint32_t i = 0; i < w->alias_count; i++) {
        if (w->aliases[i].attr != a) continue;
        name_of(w, &w->aliases[i]);
        return true;
    }
    return false;
}
