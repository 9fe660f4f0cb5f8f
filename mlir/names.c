/* names.c: the values of %x.
 *
 * Numbers index an array, other names a map; both give a binding. A region opens a scope: its definitions are undone
 * when it closes. An op that is isolated from above (func.func, builtin.module) also opens a zone, and bindings of
 * other zones do not count.
 */
#include "base/nearest.h"
#include "mlir/reader.h"

#define NAMED 0x80000000u      /* slots of names have this bit; others are numbers */
#define MAX_NUMBER 0x00FFFFFFu /* %numbers above are looked up as names */

static rd_binding *binding_of(weft_reader *r, uint32_t slot) {
    return slot & NAMED ? &r->named.v[slot & ~NAMED] : &r->numbered.v[slot];
}

rd_scope rd_scope_open(weft_reader *r, bool isolated) {
    rd_scope s = { (uint32_t)r->undo.n, r->zone };
    if (isolated) r->zone = ++r->zones;
    return s;
}

void rd_scope_close(weft_reader *r, rd_scope s) {
    while (r->undo.n > s.undo) {
        const rd_undo *u = &r->undo.v[--r->undo.n];
        *binding_of(r, u->slot) = u->old;
    }
    r->zone = s.zone;
}

/* A plain number that may index the array: no leading zero, and not larger than the text could define. */
static bool number_slot(weft_reader *r, const char *p, size_t n, uint32_t *slot) {
    if (n == 0 || n > 8 || (n > 1 && *p == '0')) return false;
    uint32_t v = 0;
    for (size_t i = 0; i < n; i++) {
        if (!rd_is_digit(p[i])) return false;
        v = v * 10 + (uint32_t)(p[i] - '0');
    }
    if (v > MAX_NUMBER || v > (size_t)(r->end - r->text)) return false;
    *slot = v;
    return true;
}

static bool slot_of(weft_reader *r, const char *p, size_t n, uint32_t *slot) {
    if (number_slot(r, p, n, slot)) {
        if (*slot < r->numbered.n) return true;
        if (!weft_arena_grow(&r->arena, (void **)&r->numbered.v, &r->numbered.cap, (size_t)*slot + 1,
                             sizeof *r->numbered.v))
            return rd_oom(r);
        r->numbered.n = (size_t)*slot + 1; /* the arena's memory is zeroed */
        return true;
    }
    bool fresh;
    if (!rd_map_get(r, &r->names, p, n, slot, &fresh)) return false;
    if (fresh) {
        weft_name hint = rd_intern(r, (weft_str){ p, n });
        if (!hint || !RD_PUSH(r, named, (rd_binding){ 0 }) || !RD_PUSH(r, hints, hint)) return false;
    }
    *slot |= NAMED;
    return true;
}

/* The name after %: digits alone, or a word of letters, digits, $ . _ - */
static size_t name_length(const char *p) {
    size_t n = 0;
    if (rd_is_digit(*p)) {
        while (rd_is_digit(p[n])) n++;
        return n;
    }
    if (!rd_is_ident_start(*p) && *p != '$' && *p != '.' && *p != '-') return 0;
    while (rd_is_ident(p[n]) || (p[n] == '-' && p[n + 1] != '>')) n++;
    return n;
}

bool rd_value_name_read(weft_reader *r, rd_value_name *out) {
    if (*r->p != '%') return rd_unexpected(r, "a value such as %0");
    const char *at = r->p;
    size_t n = name_length(at + 1);
    if (!n) return rd_fail(r, at, "'%%' without a name");
    if (!slot_of(r, at + 1, n, &out->slot)) return false;
    out->at = at;
    out->n = (uint32_t)n;
    out->count = 1;
    out->line = r->line;
    out->column = (uint32_t)(at - r->line_start) + 1;
    r->p = at + 1 + n;
    rd_skip(r);
    return true;
}

const weft_loc *rd_name_place(weft_reader *r, const rd_value_name *name, const weft_loc *given) {
    const bool both = r->flags & WEFT_READ_TEXT_PLACES;
    if (given && !both && weft_loc_place(given)) return given;
    const weft_loc *place = weft_loc_file(r->cx, r->file, name->line, name->column);
    if (given && place && !both) return weft_loc_read(r->cx, given, place);
    return given && place ? weft_loc_fused(r->cx, (const weft_loc *const[]){ place, given }, 2) : place;
}

bool rd_define(weft_reader *r, rd_value_name name, weft_value *first, uint32_t count) {
    rd_binding *b = binding_of(r, name.slot);
    if (b->first && b->zone == r->zone) {
        (void)rd_fail(r, name.at, "'%%%.*s' is defined twice", (int)name.n, name.at + 1);
        weft_note(r->cx, weft_value_loc(b->first), "first here");
        return false;
    }
    if (!RD_PUSH(r, undo, (rd_undo){ name.slot, *b })) return false;
    *b = (rd_binding){ first, count, r->zone };
    if (name.slot & NAMED) first->hint = r->hints.v[name.slot & ~NAMED];
    return true;
}

/* The nearest of the names with a value here. A number is another value, not another spelling. */
static bool undefined(weft_reader *r, const rd_value_name *name) {
    weft_nearest near = weft_nearest_to((weft_str){ name->at + 1, name->n });
    for (size_t i = 0; i < r->named.n && name->slot & NAMED; i++)
        if (r->named.v[i].first && r->named.v[i].zone == r->zone)
            weft_nearest_offer(&near, weft_name_str(r->hints.v[i]));
    return rd_fail(r, name->at, "'%%%.*s' is not defined here%s%.*s%s", (int)name->n, name->at + 1,
                   near.best.n ? "; did you mean '%" : "", (int)near.best.n, near.best.n ? near.best.p : "",
                   near.best.n ? "'?" : "");
}

bool rd_operand_read(weft_reader *r) {
    rd_value_name name;
    if (!rd_value_name_read(r, &name)) return false;
    const rd_binding *b = binding_of(r, name.slot);
    if (!b->first || b->zone != r->zone) return undefined(r, &name);
    uint32_t index = 0;
    if (*r->p == '#') {
        const char *at = r->p;
        int64_t v;
        r->p++;
        if (!rd_int(r, &v)) return false;
        if (v < 0 || v >= b->count)
            return rd_fail(r, at, "'%%%.*s' has %u results, there is no number %lld", (int)name.n, name.at + 1,
                           b->count, (long long)v);
        index = (uint32_t)v;
    }
    return RD_PUSH(r, operands, b->first + index) && RD_PUSH(r, operand_at, name.at);
}

bool rd_operand_list(weft_reader *r) {
    if (*r->p != '%') return true;
    do {
        if (!rd_operand_read(r)) return false;
    } while (rd_accept(r, ','));
    return true;
}
