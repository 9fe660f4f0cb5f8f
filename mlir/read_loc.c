/* read_loc.c: loc(...) and the aliases.
 *
 * JAX and MLIR write location aliases after the module that uses them. A use before the definition gets an empty node,
 * which the definition fills in place. A definition names only what is defined already, so no location is a part of
 * itself.
 */
#include "mlir/reader.h"

rd_alias *rd_alias_get(weft_reader *r, weft_str name) {
    uint32_t number;
    bool fresh;
    if (!rd_map_get(r, &r->alias_names, name.p, name.n, &number, &fresh)) return NULL;
    if (fresh && !RD_PUSH(r, aliases, (rd_alias){ .first_use = r->p })) return NULL;
    return &r->aliases.v[number];
}

bool rd_alias_used(weft_reader *r, const rd_alias *a, const char *at) {
    if (r->depth + a->depth > RD_MAX_DEPTH) return rd_fail(r, at, "nested more than %d deep", RD_MAX_DEPTH);
    if (r->depth + a->depth > r->deepest) r->deepest = r->depth + a->depth;
    return rd_spend(r, a->nodes, at);
}

bool rd_spend(weft_reader *r, uint64_t nodes, const char *at) {
    if (nodes > rd_left(r)) return rd_fail(r, at, "aliases that spell out too much");
    r->nodes += nodes;
    return true;
}

uint64_t rd_left(const weft_reader *r) {
    const uint64_t most = RD_FREE_NODES + RD_NODES_PER_BYTE * (uint64_t)(r->end - r->text);
    return most > r->nodes ? most - r->nodes : 0; /* rd_enter counts without a look */
}

static const weft_loc *alias_loc(weft_reader *r) {
    const char *at = r->p++;
    weft_str name;
    if (!rd_ident(r, &name)) return NULL;
    rd_alias *a = rd_alias_get(r, name);
    if (!a) return NULL;
    if (!a->loc_defined && r->in_alias)
        return rd_fail(r, at, "location '#%.*s' is not defined yet", WEFT_STR_ARG(name)), NULL;
    if (!a->loc) {
        a->loc = weft_arena_new(&r->cx->arena, weft_loc);
        a->first_use = at;
        if (!a->loc) return rd_oom(r), NULL;
        a->loc->open = true;
    }
    a->early_uses += !a->loc_defined;
    return rd_alias_used(r, a, at) ? a->loc : NULL;
}

/* "file":line:col, "file":line:col to ..., "name", "name"(child) */
static const weft_loc *file_or_name(weft_reader *r) {
    weft_str text;
    if (!rd_string(r, &text)) return NULL;
    weft_name name = rd_intern(r, text);
    if (!name) return NULL;
    if (rd_accept(r, ':')) {
        int64_t line, column = 0, ignored;
        if (!rd_int(r, &line)) return NULL;
        if (rd_accept(r, ':') && !rd_int(r, &column)) return NULL;
        if (rd_word(r, "to")) { /* a range: its start is enough */
            if (!rd_at(r, ':') && !rd_int(r, &ignored)) return NULL;
            if (rd_accept(r, ':') && !rd_int(r, &ignored)) return NULL;
        }
        if (line < 0 || line > UINT32_MAX || column < 0 || column > UINT32_MAX)
            return rd_fail(r, r->p, "line or column out of range"), NULL;
        return weft_loc_file(r->cx, name, (uint32_t)line, (uint32_t)column);
    }
    const weft_loc *child = NULL;
    if (rd_accept(r, '(')) {
        child = rd_loc_body(r);
        if (!child || !rd_expect(r, ')')) return NULL;
    }
    return weft_loc_named(r->cx, name, child);
}

static const weft_loc *call_site(weft_reader *r) {
    const weft_loc *callee, *caller;
    if (!rd_expect(r, '(') || !(callee = rd_loc_body(r))) return NULL;
    if (!rd_expect_word(r, "at") || !(caller = rd_loc_body(r)) || !rd_expect(r, ')')) return NULL;
    return weft_loc_call(r->cx, callee, caller);
}

static const weft_loc *fused(weft_reader *r) {
    if (rd_at(r, '<')) { /* metadata: ignored */
        r->p++;
        rd_skip(r);
        if (!rd_attr(r) || !rd_expect(r, '>')) return NULL;
    }
    RD_STACK(const weft_loc *) parts = { 0 };
    if (!rd_expect(r, '[')) return NULL;
    while (!rd_at(r, ']')) {
        const weft_loc *l = rd_loc_body(r);
        if (!l || !rd_push(r, (void **)&parts.v, &parts.n, &parts.cap, sizeof *parts.v)) return NULL;
        parts.v[parts.n - 1] = l;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']')) return NULL;
    return weft_loc_fused(r->cx, parts.v, (uint32_t)parts.n);
}

const weft_loc *rd_loc_body(weft_reader *r) {
    if (!rd_enter(r)) return NULL;
    const weft_loc *l = NULL;
    if (rd_at(r, '#')) l = alias_loc(r);
    else if (rd_at(r, '"')) l = file_or_name(r);
    else if (rd_word(r, "unknown")) l = &weft_loc_unknown;
    else if (rd_word(r, "callsite")) l = call_site(r);
    else if (rd_word(r, "fused")) l = fused(r);
    else rd_unexpected(r, "a location");
    rd_leave(r);
    return l;
}

const weft_loc *rd_loc(weft_reader *r) {
    if (!rd_expect_word(r, "loc") || !rd_expect(r, '(')) return NULL;
    const weft_loc *l = rd_loc_body(r);
    return l && rd_expect(r, ')') ? l : NULL;
}

bool rd_loc_optional(weft_reader *r, const weft_loc **loc) {
    if (r->p[0] != 'l' || strncmp(r->p, "loc(", 4)) return true;
    const weft_loc *l = rd_loc(r);
    if (!l) return false;
    const weft_loc *place = *loc;
    if (place && r->flags & WEFT_READ_TEXT_PLACES)
        *loc = weft_loc_fused(r->cx, (const weft_loc *const[]){ place, l }, 2);
    else if (place && place->kind == WEFT_LOC_FILE && !weft_loc_place(l))
        *loc = weft_loc_read(r->cx, l, place); /* an alias may still get its place */
    else *loc = l;
    return *loc || rd_oom(r);
}
