/* spelling.c: see spelling.h. */
#include "sharding/spelling.h"

#include "base/nearest.h"

/* ---- a cursor over the text ---- */

typedef struct cursor {
    weft_context *cx;
    const weft_loc *loc;
    const char *p, *end;
    weft_str whole;
    weft_status status; /* the first mistake's */
} cursor;

static cursor cursor_at(weft_context *cx, const weft_loc *loc, weft_str text) {
    return (cursor){ cx, loc, text.p, text.p + text.n, text, WEFT_OK };
}

static void skip_spaces(cursor *c) {
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\t')) c->p++;
}

static bool at_char(cursor *c, char ch) {
    skip_spaces(c);
    return c->p < c->end && *c->p == ch;
}

static bool eat(cursor *c, char ch) {
    if (!at_char(c, ch)) return false;
    c->p++;
    return true;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static weft_str word(cursor *c) {
    skip_spaces(c);
    const char *from = c->p;
    while (c->p < c->end && is_word(*c->p)) c->p++;
    return (weft_str){ from, (size_t)(c->p - from) };
}

/* -1 when there is no number or it does not fit. */
static int64_t number(weft_str s) {
    int64_t v = 0;
    if (!s.n) return -1;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9' || !weft_mul_i64(v, 10, &v) || !weft_add_i64(v, s.p[i] - '0', &v)) return -1;
    return v;
}

static bool fail(cursor *c, weft_status st) {
    if (c->status == WEFT_OK) c->status = st;
    return false;
}

/* Of a text in a file the place in that file. */
static const weft_loc *here(const cursor *c) {
    const weft_loc *at = NULL;
    if (c->loc && c->loc->kind == WEFT_LOC_FILE && c->loc->column)
        at = weft_loc_file(c->cx, c->loc->name, c->loc->line, c->loc->column + (uint32_t)(c->p - c->whole.p));
    return at ? at : c->loc;
}

static bool bad(cursor *c, const char *why) {
    return fail(c, weft_report(c->cx, WEFT_D_sharding, here(c), "%s at column %d of \"%.*s\"", why,
                               (int)(c->p - c->whole.p) + 1, WEFT_STR_ARG(c->whole)));
}

/* ---- meshes ---- */

weft_status weft_mesh_spelled(weft_context *cx, const weft_loc *loc, weft_str text, const weft_attr **out) {
    weft_mesh_axis axes[64];
    uint32_t n = 0;
    int64_t devices = 1;
    cursor at = cursor_at(cx, loc, text), *c = &at;
    do {
        weft_str name = word(c);
        if (!name.n) return bad(c, "an axis' name is missing"), c->status;
        int64_t size = eat(c, '=') ? number(word(c)) : -1;
        if (size < 1 || !weft_mul_i64(devices, size, &devices)) return bad(c, "a size above 0 is missing"), c->status;
        if (n == WEFT_COUNT(axes)) return bad(c, "more than 64 axes"), c->status;
        axes[n] = (weft_mesh_axis){ weft_name_intern(cx, name), size };
        if (!axes[n].name) return weft_oom();
        for (uint32_t i = 0; i < n; i++)
            if (axes[i].name == axes[n].name) return bad(c, "an axis is repeated"), c->status;
        n++;
    } while (eat(c, ','));
    skip_spaces(c);
    if (c->p != c->end) return bad(c, "expected ','"), c->status;
    const weft_attr a = { .kind = WEFT_ATTR_MESH, .mesh = { .axes = axes, .axis_count = n } };
    const weft_attr *made = weft_attr_copy(cx, &a);
    if (!made) return weft_oom();
    *out = made;
    return WEFT_OK;
}

/* ---- shardings ---- */

#define MAX_AXES 256 /* in one sharding: 64 axes and their sub-axes */

typedef struct spelling {
    const weft_mesh_attr *mesh;
    weft_axis_ref axes[MAX_AXES];
    uint32_t used;
} spelling;

static bool no_such_axis(cursor *c, const spelling *s, weft_str name) {
    weft_nearest near = weft_nearest_to(name);
    for (uint32_t i = 0; i < s->mesh->axis_count; i++) weft_nearest_offer(&near, weft_name_str(s->mesh->axes[i].name));
    return fail(c, weft_report(c->cx, WEFT_D_sharding, c->loc, "the mesh has no axis '%.*s'" WEFT_NEAREST,
                               WEFT_STR_ARG(name), WEFT_NEAREST_ARG(near)));
}

/* model, "model", model:(1)2 */
static bool axis(cursor *c, spelling *s) {
    const bool quoted = eat(c, '"');
    weft_str name = word(c);
    if (!name.n) return bad(c, "an axis' name is missing");
    if (quoted && !eat(c, '"')) return bad(c, "expected '\"'");
    if (s->used == MAX_AXES) return bad(c, "too many axes");
    weft_axis_ref *ref = &s->axes[s->used];
    *ref = (weft_axis_ref){ 0 };
    for (uint32_t i = 0; i < s->mesh->axis_count; i++)
        if (weft_str_equal(weft_name_str(s->mesh->axes[i].name), name)) ref->name = s->mesh->axes[i].name;
    if (!ref->name) return no_such_axis(c, s, name);
    if (eat(c, ':')) {
        ref->pre_size = eat(c, '(') ? number(word(c)) : -1;
        ref->size = eat(c, ')') ? number(word(c)) : -1;
        if (ref->pre_size < 1 || ref->size < 2) return bad(c, "a sub-axis is spelled 'axis:(pre)size'");
    }
    for (uint32_t i = 0; i < s->used; i++)
        if (s->axes[i].name == ref->name && (!s->axes[i].size || !ref->size || s->axes[i].pre_size == ref->pre_size))
            return fail(c, weft_report(c->cx, WEFT_D_sharding, c->loc, "axis '%s' is used twice in \"%.*s\"",
                                       ref->name->text, WEFT_STR_ARG(c->whole)));
    s->used++;
    return true;
}

/* Axes joined by such a character. */
static bool axis_list(cursor *c, spelling *s, char join, weft_axis_refs *out) {
    uint32_t first = s->used;
    do
        if (!axis(c, s)) return false;
    while (eat(c, join));
    *out = (weft_axis_refs){ s->axes + first, s->used - first };
    return true;
}

static bool priority(cursor *c, weft_dim_sharding *d) {
    if (!eat(c, 'p')) return true;
    int64_t p = number(word(c));
    if (p < 0 || p > INT32_MAX) return bad(c, "a priority is spelled 'p' and a number");
    d->priority = (int32_t)p;
    return true;
}

static bool dimension(cursor *c, spelling *s, weft_dim_sharding *d) {
    *d = (weft_dim_sharding){ .priority = WEFT_NO_PRIORITY };
    if (eat(c, '-')) return true;
    if (!at_char(c, '?') && !axis_list(c, s, '*', &d->axes)) return false;
    d->open = eat(c, '?');
    return priority(c, d);
}

/* "; replicated x*y; unreduced z" */
static bool extras(cursor *c, spelling *s, weft_sharding_attr *sh) {
    while (eat(c, ';')) {
        weft_str what = word(c);
        weft_axis_refs *to = weft_str_is(what, "replicated")  ? &sh->replicated
                             : weft_str_is(what, "unreduced") ? &sh->unreduced
                                                              : NULL;
        if (!to || to->n) return bad(c, "expected 'replicated' or 'unreduced', once each");
        if (!axis_list(c, s, '*', to)) return false;
    }
    skip_spaces(c);
    return c->p == c->end || bad(c, "expected ',' or ';'");
}

/* {"x", "y":(1)2, ?}p1 */
static bool sdy_dimension(cursor *c, spelling *s, weft_dim_sharding *d) {
    const uint32_t first = s->used;
    *d = (weft_dim_sharding){ .priority = WEFT_NO_PRIORITY };
    if (!eat(c, '{')) return bad(c, "expected '{'");
    while (!at_char(c, '}')) {
        if (s->used > first || d->open)
            if (d->open || !eat(c, ',')) return bad(c, "expected ',' or '}'");
        if (eat(c, '?')) d->open = true;
        else if (!axis(c, s)) return false;
    }
    d->axes = (weft_axis_refs){ s->axes + first, s->used - first };
    return eat(c, '}') && priority(c, d);
}

/* , replicated={"x"}, unreduced={"y"} */
static bool sdy_extras(cursor *c, spelling *s, weft_sharding_attr *sh) {
    while (eat(c, ',')) {
        weft_str what = word(c);
        weft_axis_refs *to = weft_str_is(what, "replicated")  ? &sh->replicated
                             : weft_str_is(what, "unreduced") ? &sh->unreduced
                                                              : NULL;
        if (!to || to->n || !eat(c, '=') || !eat(c, '{')) return bad(c, "expected 'replicated={' or 'unreduced={'");
        if (!axis_list(c, s, ',', to)) return false;
        if (!eat(c, '}')) return bad(c, "expected ',' or '}'");
    }
    skip_spaces(c);
    return c->p == c->end || bad(c, "expected ','");
}

/* As sdy writes it if the text begins with '['. */
static bool read_dims(cursor *c, spelling *s, weft_dim_sharding *dims, uint32_t *n) {
    const bool sdy = eat(c, '[');
    *n = 0;
    if (sdy ? !at_char(c, ']') : c->p < c->end && *c->p != ';') {
        do {
            if (*n == WEFT_MAX_RANK) return bad(c, "too many dimensions");
            if (sdy ? !sdy_dimension(c, s, &dims[*n]) : !dimension(c, s, &dims[*n])) return false;
            ++*n;
        } while (eat(c, ','));
    }
    return !sdy || eat(c, ']') || bad(c, "expected ',' or ']'");
}

weft_status weft_sharding_spelled(weft_context *cx, const weft_loc *loc, const weft_attr *ref,
                                  const weft_mesh_attr *mesh, uint32_t rank, weft_str text, const weft_attr **out) {
    cursor c = cursor_at(cx, loc, text);
    spelling s = { .mesh = mesh };
    weft_dim_sharding dims[WEFT_MAX_RANK];
    uint32_t n = 0;
    skip_spaces(&c);
    const bool sdy = c.p < c.end && *c.p == '[';
    weft_attr a = { .kind = WEFT_ATTR_SHARDING, .sharding = { .mesh = ref, .dims = dims } };
    if (!read_dims(&c, &s, dims, &n)) return c.status;
    a.sharding.rank = n;
    if (sdy ? !sdy_extras(&c, &s, &a.sharding) : !extras(&c, &s, &a.sharding)) return c.status;
    if (n != rank)
        return weft_report(cx, WEFT_D_sharding, loc, "\"%.*s\" has %u dimension%s, the tensor has %u",
                           WEFT_STR_ARG(text), n, n == 1 ? "" : "s", rank);
    const weft_attr *made = weft_attr_copy(cx, &a);
    if (!made) return weft_oom();
    *out = made;
    return WEFT_OK;
}
