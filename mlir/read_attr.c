/* read_attr.c: the builtin attributes, and the dispatch to those of the dialects.
 *
 * Attributes that Weft does not model (affine maps, resources, other dialects) become an OPAQUE attribute that holds
 * their text with runs of blanks made one.
 */
#include <stdlib.h>
#include "mlir/reader.h"
#include "mlir/writer.h"

static const weft_attr *made(weft_reader *r, const weft_attr *a) {
    if (!a) rd_oom(r);
    return a;
}

static char closer_of(char c) { return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : c == '<' ? '>' : 0; }

bool rd_skip_balanced(weft_reader *r) {
    char want[RD_MAX_DEPTH];
    size_t depth = 0;
    const char *from = r->p;
    for (const char *q = from;; q++) {
        if (*q == '"') {
            for (q++; *q != '"'; q++) {
                if (*q == '\n' || q >= r->end) return rd_fail(r, from, "string without its closing '\"'");
                if (*q == '\\' && q + 1 < r->end) q++;
                if (!*q) return rd_fail(r, q, "a NUL byte in a text");
            }
        } else if (q[0] == '/' && q[1] == '/') {
            while (q[1] != '\n' && q + 1 < r->end) q++;
        } else if (*q == '\n') {
            r->line++;
            r->line_start = q + 1;
        } else if (closer_of(*q)) {
            if (depth == RD_MAX_DEPTH) return rd_fail(r, q, "nested more than %d deep", RD_MAX_DEPTH);
            want[depth++] = closer_of(*q);
        } else if (*q == ')' || *q == ']' || *q == '}' || (*q == '>' && !(q > from && q[-1] == '-'))) {
            if (*q != want[depth - 1]) return rd_fail(r, q, "expected '%c', found '%c'", want[depth - 1], *q);
            if (!--depth) {
                r->p = q + 1;
                return true;
            }
        } else if (q >= r->end) {
            return rd_fail(r, from, "'%c' without its closing '%c'", *from, closer_of(*from));
        } else if (!*q) {
            return rd_fail(r, q, "a NUL byte in a text"); /* bytecode ends such texts with one */
        }
    }
}

bool rd_opaque_text(weft_reader *r, const char *from, weft_str *out) {
    const char *end = r->p;
    char *text = weft_arena_alloc(&r->arena, (size_t)(end - from) + 1, 1);
    if (!text) return rd_oom(r);
    char *w = text;
    bool quoted = false;
    for (const char *q = from; q < end; q++) {
        if (*q == '"') quoted = !quoted;
        while (!quoted && q[0] == '/' && q + 1 < end && q[1] == '/')
            while (q < end && *q != '\n') q++;
        if (q == end) break;
        if (quoted && *q == '\\' && q + 1 < end) *w++ = *q++;
        if (!quoted && (*q == ' ' || *q == '\t' || *q == '\n' || *q == '\r')) {
            if (w > text && w[-1] != ' ') *w++ = ' ';
        } else {
            *w++ = *q;
        }
    }
    while (w > text && w[-1] == ' ') w--;
    *out = (weft_str){ text, (size_t)(w - text) };
    return true;
}

const weft_attr *rd_opaque(weft_reader *r, const char *from) { return rd_opaque_typed(r, from, NULL); }

const weft_attr *rd_printed(weft_reader *r, const weft_attr *a, size_t most, bool *too_long) {
    weft_buf text;
    weft_buf_init(&text, &r->cx->alloc);
    text.most = most;
    weft_print_attr(&text, a);
    *too_long = text.over;
    const weft_attr *kept = text.failed ? NULL
                                        : weft_attr_copy(r->cx, &(weft_attr){ .kind = WEFT_ATTR_OPAQUE,
                                                                              .s = { text.p, text.n } });
    weft_buf_free(&text);
    return *too_long ? NULL : made(r, kept);
}

const weft_attr *rd_opaque_typed(weft_reader *r, const char *from, const weft_type *type) {
    weft_attr a = { .kind = WEFT_ATTR_OPAQUE, .type = type };
    if (!rd_opaque_text(r, from, &a.s)) return NULL;
    rd_skip(r);
    return made(r, weft_attr_copy(r->cx, &a));
}

bool rd_int_list(weft_reader *r, char open, char close) {
    if (!rd_expect(r, open)) return false;
    if (rd_accept(r, close)) return true;
    do {
        int64_t v;
        if (!rd_int(r, &v) || !RD_PUSH(r, ints, v)) return false;
    } while (rd_accept(r, ','));
    return rd_expect(r, close);
}

const weft_attr *rd_ints_attr(weft_reader *r, weft_dtype dtype) {
    size_t height = r->ints.n;
    if (!rd_int_list(r, '[', ']')) return NULL;
    const weft_attr *a = weft_attr_ints(r->cx, dtype, r->ints.v + height, (uint32_t)(r->ints.n - height));
    r->ints.n = height;
    return made(r, a);
}

bool rd_enum(weft_reader *r, weft_enum_set set, weft_enum_value *out) {
    weft_str word;
    const char *at = r->p;
    if (!rd_ident(r, &word)) return false;
    for (unsigned e = 0; e < WEFT_ENUM_COUNT; e++)
        if (weft_enum_table[e].set == set && weft_str_is(word, weft_enum_table[e].keyword)) {
            *out = (weft_enum_value)e;
            return true;
        }
    return rd_fail(r, at, "'%.*s' is no %s", WEFT_STR_ARG(word), weft_enum_sets[set].mnemonic);
}

/* The rest of array<f32: 1.5, 2.0>, which is kept as the text that MLIR prints. */
static const weft_attr *float_array(weft_reader *r, weft_dtype dtype) {
    weft_buf text;
    weft_buf_init(&text, &r->cx->alloc);
    weft_buf_puts(&text, "array<");
    weft_buf_puts(&text, weft_dtype_of(dtype)->name);
    bool ok = true;
    for (char separator = ':'; ok && rd_accept(r, separator); separator = ',') {
        rd_number n;
        char stored[16] = { 0 };
        weft_buf_puts(&text, separator == ':' ? ": " : ", ");
        ok = rd_number_read(r, &n) && rd_number_store(r, &n, dtype, stored);
        if (ok) pr_element(&text, dtype, stored);
    }
    weft_buf_putc(&text, '>');
    weft_attr a = { .kind = WEFT_ATTR_OPAQUE };
    a.s = (weft_str){ text.p, text.n };
    const weft_attr *copy = ok && rd_expect(r, '>') && !text.failed ? made(r, weft_attr_copy(r->cx, &a)) : NULL;
    if (text.failed) rd_oom(r);
    weft_buf_free(&text);
    return copy;
}

/* array<i64: 1, 2>, after the word */
static const weft_attr *dense_array(weft_reader *r) {
    weft_str name;
    if (!rd_expect(r, '<')) return NULL;
    const char *at = r->p;
    if (!rd_ident(r, &name)) return NULL;
    weft_dtype dtype = weft_dtype_parse(name);
    if (!dtype) return rd_fail(r, at, "'%.*s' is no element type of an array", WEFT_STR_ARG(name)), NULL;
    if (weft_dtype_is_float(dtype)) return float_array(r, dtype);
    size_t height = r->ints.n;
    if (rd_accept(r, ':')) {
        do {
            int64_t v = 0;
            char stored[16] = { 0 };
            rd_number n;
            if (rd_word(r, "true")) v = 1;
            else if (rd_word(r, "false")) v = 0;
            else if (!rd_number_read(r, &n) || !rd_number_store(r, &n, dtype, stored)) return NULL;
            else v = weft_dtype_load_int(dtype, stored);
            if (!RD_PUSH(r, ints, v)) return NULL;
        } while (rd_accept(r, ','));
    }
    if (!rd_expect(r, '>')) return NULL;
    const weft_attr *a = weft_attr_ints(r->cx, dtype, r->ints.v + height, (uint32_t)(r->ints.n - height));
    r->ints.n = height;
    return made(r, a);
}

/* 1, -2 : i32, 0x7F : i8, 1.5 : f32, 0x7FC00000 : f32 */
static const weft_attr *number(weft_reader *r, const weft_type *type) {
    rd_number n;
    if (!rd_number_read(r, &n)) return NULL;
    if (rd_accept(r, ':')) {
        const char *at = r->p;
        if (!(type = rd_type(r))) return NULL;
        if (type->kind == WEFT_TYPE_OPAQUE) return rd_opaque(r, n.at);
        if (type->kind != WEFT_TYPE_SCALAR && type->kind != WEFT_TYPE_INDEX)
            return rd_fail(r, at, "a number cannot be of this type"), NULL;
    }
    weft_dtype dtype = type ? type->dtype : n.is_float ? WEFT_F64 : WEFT_I64;
    if (type && type->kind == WEFT_TYPE_INDEX) dtype = WEFT_I64;
    if (!type && !(type = weft_type_scalar(r->cx, dtype))) return rd_oom(r), NULL;
    if (weft_dtype_is_complex(dtype)) return rd_fail(r, n.at, "a number cannot be of this type"), NULL;
    char stored[16] = { 0 };
    if (!rd_number_store(r, &n, dtype, stored)) return NULL;
    if (weft_dtype_is_float(dtype)) return made(r, weft_attr_float(r->cx, weft_dtype_load(dtype, stored), type));
    return made(r, weft_attr_int(r->cx, weft_dtype_load_int(dtype, stored), type));
}

const weft_attr *rd_symbol(weft_reader *r) {
    weft_name path[8];
    uint32_t n = 0;
    const char *at = r->p;
    do {
        weft_str s;
        if (n == WEFT_COUNT(path)) return rd_fail(r, at, "a symbol of more than %zu parts", WEFT_COUNT(path)), NULL;
        if (!rd_symbol_name(r, &s) || !(path[n++] = rd_intern(r, s))) return NULL;
    } while (r->p[0] == ':' && r->p[1] == ':' && (r->p += 2));
    if (n == 1) return made(r, weft_attr_symbol(r->cx, path[0]));
    weft_attr a = { .kind = WEFT_ATTR_SYMBOL };
    a.names.v = path;
    a.names.n = n;
    return made(r, weft_attr_copy(r->cx, &a));
}

const weft_attr *rd_array(weft_reader *r) {
    size_t height = r->items.n;
    if (!rd_expect(r, '[')) return NULL;
    if (!rd_at(r, ']')) {
        do {
            const weft_attr *a = rd_attr(r);
            if (!a || !RD_PUSH(r, items, a)) return NULL;
        } while (rd_accept(r, ','));
    }
    if (!rd_expect(r, ']')) return NULL;
    const weft_attr *a = weft_attr_array(r->cx, r->items.v + height, (uint32_t)(r->items.n - height));
    r->items.n = height;
    return made(r, a);
}

static int by_id(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* No name occurs twice among the attributes above height; few were compared one by one already. */
bool rd_attrs_differ(weft_reader *r, size_t height) {
    size_t n = r->attrs.n - height;
    if (n <= RD_MANY_ATTRS) return true;
    uint32_t *ids = weft_arena_array(&r->arena, uint32_t, n);
    if (!ids) return rd_oom(r);
    for (size_t i = 0; i < n; i++) ids[i] = r->attrs.v[height + i].name->id;
    qsort(ids, n, sizeof *ids, by_id);
    for (size_t i = 1; i < n; i++)
        if (ids[i] == ids[i - 1])
            return rd_fail(r, r->p, "attribute '%s' is given twice", weft_name_at(r->cx, ids[i])->text);
    return true;
}

bool rd_attr_entries(weft_reader *r) {
    size_t height = r->attrs.n;
    if (!rd_expect(r, '{')) return false;
    if (rd_accept(r, '}')) return true;
    do {
        weft_str text;
        const char *at = r->p;
        if (!rd_keyword_or_string(r, &text)) return false;
        if (!text.n) return rd_fail(r, at, "an attribute without a name");
        weft_name name = rd_attr_name(r, text);
        if (!name) return false;
        for (size_t i = height; i < r->attrs.n && i < height + RD_MANY_ATTRS; i++)
            if (r->attrs.v[i].name == name) return rd_fail(r, at, "attribute '%s' is given twice", name->text);
        const weft_attr *value = rd_accept(r, '=') ? rd_attr(r) : made(r, weft_attr_unit(r->cx));
        if (!value || !RD_PUSH(r, attrs, (weft_named_attr){ name, value })) return false;
    } while (rd_accept(r, ','));
    return rd_attrs_differ(r, height) && rd_expect(r, '}');
}

const weft_attr *rd_dict(weft_reader *r) {
    size_t height = r->attrs.n;
    if (!rd_attr_entries(r)) return NULL;
    const weft_attr *a = weft_attr_dict(r->cx, r->attrs.v + height, (uint32_t)(r->attrs.n - height));
    r->attrs.n = height;
    return made(r, a);
}

static const weft_attr *string_attr(weft_reader *r) {
    weft_str s;
    const char *from = r->p;
    if (!rd_string(r, &s)) return NULL;
    if (rd_accept(r, ':')) return rd_type(r) ? rd_opaque(r, from) : NULL; /* a typed string */
    return made(r, weft_attr_string(r->cx, s));
}

/* mnemonic and body of #dialect.mnemonic..., or the text in #dialect<...>; NULL and no error: not known */
static const weft_attr *dialect_body(weft_reader *r, weft_str dialect, weft_str mnemonic) {
    if (weft_str_is(dialect, "stablehlo") || weft_str_is(dialect, "chlo")) {
        for (unsigned s = 0; s < WEFT_ENUM_SET_COUNT; s++) {
            if (!weft_str_is(mnemonic, weft_enum_sets[s].mnemonic) || !weft_str_is(dialect, weft_enum_sets[s].dialect))
                continue;
            weft_enum_value e;
            bool angle = rd_accept(r, '<');
            if (!rd_enum(r, (weft_enum_set)s, &e) || (angle && !rd_expect(r, '>'))) return NULL;
            return made(r, weft_attr_enum(r->cx, e));
        }
        return rd_stablehlo_attr(r, dialect, mnemonic);
    }
    return weft_str_is(dialect, "sdy") ? rd_sdy_attr(r, mnemonic) : NULL;
}

static const weft_attr *attr_alias(weft_reader *r, const char *from, weft_str name) {
    rd_alias *a = rd_alias_get(r, name);
    if (!a) return NULL;
    if (!a->attr) return rd_fail(r, from, "attribute alias '#%.*s' is not defined", WEFT_STR_ARG(name)), NULL;
    return rd_alias_used(r, a, from) ? a->attr : NULL;
}

static const weft_attr *dialect_attr(weft_reader *r) {
    const char *from = r->p++;
    weft_str whole, mnemonic;
    if (!rd_is_ident_start(*r->p)) return rd_unexpected(r, "a name after '#'"), NULL;
    if (!rd_ident(r, &whole)) return NULL;
    const char *dot = memchr(whole.p, '.', whole.n);
    bool wrapped = !dot && rd_at(r, '<');
    if (!dot && !wrapped) return attr_alias(r, from, whole);

    weft_str dialect = { whole.p, dot ? (size_t)(dot - whole.p) : whole.n };
    const char *back = r->p, *line_start = r->line_start;
    uint32_t line = r->line;
    const weft_attr *a = NULL;
    if (dot) {
        mnemonic = (weft_str){ dot + 1, whole.n - dialect.n - 1 };
        a = dialect_body(r, dialect, mnemonic);
    } else {
        r->p++;
        rd_skip(r);
        if (rd_is_ident_start(*r->p)) {
            if (!rd_ident(r, &mnemonic)) return NULL;
            a = dialect_body(r, dialect, mnemonic);
            if (a && !rd_expect(r, '>')) return NULL;
        }
    }
    if (a || r->status != WEFT_OK) return a;
    r->p = back;
    r->line_start = line_start;
    r->line = line;
    if (rd_at(r, '<')) {
        if (!rd_skip_balanced(r)) return NULL;
    } else {
        r->p = whole.p + whole.n;
    }
    return rd_opaque(r, from);
}

/* A word that is an attribute itself, opens a literal, or is a type. */
static const weft_attr *word_attr(weft_reader *r) {
    const char *from = r->p;
    if (rd_word(r, "dense")) return rd_dense(r, from);
    if (rd_word(r, "dense_resource")) return rd_dense_resource(r, from);
    if (rd_word(r, "array")) return dense_array(r);
    if (rd_word(r, "true")) return made(r, weft_attr_bool(r->cx, true));
    if (rd_word(r, "false")) return made(r, weft_attr_bool(r->cx, false));
    if (rd_word(r, "unit")) return made(r, weft_attr_unit(r->cx));
    static const struct { const char *word; bool typed; } kept[] = {
        { "affine_map", false }, { "affine_set", false }, { "sparse", true },
        { "strided", false }, { "loc", false }, { "opaque", true },
    };
    for (size_t i = 0; i < WEFT_COUNT(kept); i++) {
        if (!rd_word(r, kept[i].word)) continue;
        if (!closer_of(*r->p)) return rd_unexpected(r, "'<'"), NULL;
        if (!rd_skip_balanced(r)) return NULL;
        rd_skip(r);
        const weft_type *type = NULL;
        if (kept[i].typed && (!rd_expect(r, ':') || !(type = rd_type(r)))) return NULL;
        return rd_opaque_typed(r, from, type);
    }
    const weft_type *t = rd_type(r);
    return t ? made(r, weft_attr_type(r->cx, t)) : NULL;
}

const weft_attr *rd_attr_typed(weft_reader *r, const weft_type *type) {
    if (!rd_enter(r)) return NULL;
    const weft_attr *a = NULL;
    char c = *r->p;
    if (c == '"') a = string_attr(r);
    else if (c == '@') a = rd_symbol(r);
    else if (c == '[') a = rd_array(r);
    else if (c == '{') a = rd_dict(r);
    else if (c == '-' || rd_is_digit(c)) a = number(r, type);
    else if (c == '#') a = dialect_attr(r);
    else if (rd_is_ident_start(c)) a = word_attr(r);
    else if (c == '!' || c == '(') {
        const weft_type *t = rd_type(r);
        a = t ? made(r, weft_attr_type(r->cx, t)) : NULL;
    } else rd_unexpected(r, "an attribute");
    rd_leave(r);
    return a;
}

const weft_attr *rd_attr(weft_reader *r) { return rd_attr_typed(r, NULL); }
