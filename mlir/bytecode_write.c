/* bytecode_write.c: the sections of a bytecode file, and the numbers and pools in them. */
#include "mlir/bytecode_write.h"

const weft_vhlo_version weft_vhlo_newest = { WEFT_VHLO_NEWEST_MAJOR, WEFT_VHLO_NEWEST_MINOR, 0 };

/* The bits of v above its lowest one; that one and the zeros below it say how many bytes follow the first. */
void bw_int(weft_buf *b, uint64_t v) {
    unsigned bytes = 1;
    char text[9] = { 0 };
    while (bytes < 9 && v >> 7 * bytes) bytes++;
    const uint64_t tagged = bytes < 9 ? (v << 1 | 1) << (bytes - 1) : v;
    for (unsigned i = 0; i < 8; i++) text[bytes < 9 ? i : i + 1] = (char)(tagged >> 8 * i);
    weft_buf_put(b, text, bytes);
}

void bw_signed(weft_buf *b, int64_t v) { bw_int(b, (uint64_t)v << 1 ^ (v < 0 ? ~UINT64_C(0) : 0)); }
void bw_flagged(weft_buf *b, uint64_t v, bool flag) { bw_int(b, v << 1 | flag); }

void bw_bits(weft_buf *b, uint32_t width, uint64_t bits) {
    if (width < 64) bits &= (UINT64_C(1) << width) - 1;
    if (width <= 8) weft_buf_putc(b, (char)bits);
    else bw_signed(b, (int64_t)bits);
}

void bw_real(weft_buf *b, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    bw_bits(b, 64, bits);
}

void bw_ints(weft_buf *b, weft_ints v) {
    bw_int(b, v.n);
    for (uint32_t i = 0; i < v.n; i++) bw_signed(b, v.v[i]);
}

static void append(weft_buf *b, const weft_buf *more) {
    if (more->failed) b->failed = true;
    if (more->n) weft_buf_put(b, more->p, more->n);
}

void bw_section(weft_buf *b, bc_section_id id, const weft_buf *bytes) {
    weft_buf_putc(b, (char)id);
    bw_int(b, bytes->n);
    append(b, bytes);
}

void bw_refuse(bc_writer *w, const char *fmt, ...) {
    char text[512];
    va_list ap;
    if (w->status != WEFT_OK) return;
    va_start(ap, fmt);
    weft_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    w->status = weft_report(w->cx, WEFT_D_unsupported, w->op ? w->op->loc : NULL, "%s", text);
}

void bw_refuse_newer(bc_writer *w, unsigned since, const char *fmt, ...) {
    char what[384]; /* so that the version is said after a long one, too */
    va_list ap;
    va_start(ap, fmt);
    weft_vformat(what, sizeof what, fmt, ap);
    va_end(ap);
    bw_refuse(w, "%s came with StableHLO %u.%u.0; version %u.%u.0 does not have it", what, since / 1000, since % 1000,
              w->vhlo / 1000, w->vhlo % 1000);
}

void bw_oom(bc_writer *w) {
    if (w->status == WEFT_OK) w->status = weft_oom();
}

static const bw_entry *known(const bw_pool *pool, uint64_t hash, const bw_entry *like) {
    size_t probe = 0;
    for (const bw_entry *e; (e = weft_table_next(&pool->known, hash, &probe));)
        if (e->n == like->n && e->dialect == like->dialect && e->encoding == like->encoding &&
            (!e->n || !memcmp(e->p, like->p, e->n)))
            return e;
    return NULL;
}

static uint32_t add(bc_writer *w, bw_pool *pool, bw_entry like) {
    const uint64_t hash = weft_hash_end(weft_hash_bytes(weft_hash_mix(like.dialect, like.encoding), like.p, like.n));
    const bw_entry *old = known(pool, hash, &like);
    if (old) return old->number;
    bw_entry *e = weft_arena_new(&w->arena, bw_entry);
    const char *p = weft_arena_strdup(&w->arena, like.p, like.n);
    if (!e || !p || pool->n == UINT32_MAX ||
        (pool->n == pool->cap &&
         !weft_arena_grow(&w->arena, (void **)&pool->v, &pool->cap, pool->n + 1, sizeof *pool->v)) ||
        !weft_table_add(&pool->known, &w->arena, hash, e))
        return bw_oom(w), 0;
    *e = like;
    e->p = p;
    e->number = (uint32_t)pool->n;
    pool->v[pool->n++] = e;
    return e->number;
}

uint32_t bw_string(bc_writer *w, weft_str s) {
    return add(w, &w->strings, (bw_entry){ .p = s.p ? s.p : "", .n = s.n });
}

uint32_t bw_dialect(bc_writer *w, weft_str name) {
    return add(w, &w->dialects, (bw_entry){ .p = name.p, .n = name.n });
}

uint32_t bw_add(bc_writer *w, bw_pool *pool, const char *dialect, bw_encoding encoding, weft_buf *b) {
    uint32_t number = 0;
    if (b->failed) bw_oom(w);
    else
        number = add(w, pool, (bw_entry){ .p = b->p ? b->p : "", .n = b->n, .encoding = encoding,
                                          .dialect = dialect ? bw_dialect(w, weft_str_from(dialect)) : 0 });
    weft_buf_free(b);
    return number;
}

uint32_t bw_op_name(bc_writer *w, weft_str dialect, weft_str name, bw_registration registration) {
    return add(w, &w->op_names, (bw_entry){ .p = name.p, .n = name.n, .dialect = bw_dialect(w, dialect),
                                            .encoding = registration == BW_REGISTERED ? BW_ENCODED : BW_TEXT });
}

void bw_begin(bc_writer *w, weft_buf *b, uint64_t code) {
    weft_buf_init(b, &w->cx->alloc);
    bw_int(b, code);
}

uint32_t bw_end(bc_writer *w, const char *dialect, weft_buf *b) {
    return bw_add(w, &w->attrs, dialect, BW_ENCODED, b);
}

const bc_property *bw_properties(bc_writer *w, weft_op_kind kind, uint32_t *count) {
    const bc_vhlo_op *row = w->chosen[kind];
    uint32_t n = 0;
    if (!w->lists[kind].v) {
        w->lists[kind].v = row ? bc_vhlo_properties(w->cx, &w->arena, row, &n)
                               : bc_own_properties(w->cx, &w->arena, kind, &n);
        w->lists[kind].n = n;
    }
    if (!w->lists[kind].v) bw_oom(w);
    *count = w->lists[kind].n;
    return w->lists[kind].v;
}

void bw_push(bc_writer *w, bw_attrs *attrs, weft_name name, uint32_t attr) {
    if (attrs->n == attrs->cap &&
        !weft_arena_grow(&w->arena, (void **)&attrs->v, &attrs->cap, attrs->n + 1, sizeof *attrs->v)) {
        bw_oom(w);
        return;
    }
    attrs->v[attrs->n++] = (bw_named){ name, attr };
}

/* The end of the run of entries of one dialect that begins at i. */
static size_t run_end(const bw_pool *pool, size_t i) {
    size_t end = i + 1;
    while (end < pool->n && pool->v[end]->dialect == pool->v[i]->dialect) end++;
    return end;
}

/* Names of dialects, then of ops in groups. Called before the section of the strings, which get these. */
static void dialect_section(bc_writer *w, weft_buf *b) {
    bw_int(b, w->dialects.n);
    for (size_t i = 0; i < w->dialects.n; i++) {
        const uint32_t name = bw_string(w, (weft_str){ w->dialects.v[i]->p, w->dialects.v[i]->n });
        if (w->format < BC_VERSIONED_DIALECTS) bw_int(b, name);
        else bw_flagged(b, name, false);
    }
    if (w->format >= BC_OP_COUNT) bw_int(b, w->op_names.n);
    for (size_t i = 0, end; i < w->op_names.n; i = end) {
        end = run_end(&w->op_names, i);
        bw_int(b, w->op_names.v[i]->dialect);
        bw_int(b, end - i);
        for (size_t k = i; k < end; k++) {
            const bw_entry *e = w->op_names.v[k];
            const uint32_t name = bw_string(w, (weft_str){ e->p, e->n });
            if (w->format < BC_REGISTERED_OPS) bw_int(b, name);
            else bw_flagged(b, name, e->encoding == BW_ENCODED);
        }
    }
}

static void entries(const bw_pool *pool, weft_buf *sizes, weft_buf *bytes) {
    for (size_t i = 0, end; i < pool->n; i = end) {
        end = run_end(pool, i);
        bw_int(sizes, pool->v[i]->dialect);
        bw_int(sizes, end - i);
        for (size_t k = i; k < end; k++) {
            bw_flagged(sizes, pool->v[k]->n, pool->v[k]->encoding == BW_ENCODED);
            weft_buf_put(bytes, pool->v[k]->p, pool->v[k]->n);
        }
    }
}

static void entry_sections(bc_writer *w, weft_buf *out, weft_buf *sizes, weft_buf *bytes) {
    bw_int(sizes, w->attrs.n);
    bw_int(sizes, w->types.n);
    entries(&w->attrs, sizes, bytes);
    entries(&w->types, sizes, bytes);
    bw_section(out, BC_ENTRY_SIZES, sizes);
    bw_section(out, BC_ENTRIES, bytes);
}

/* The lengths from the last to the first, then the strings. */
static void string_section(const bc_writer *w, weft_buf *b) {
    bw_int(b, w->strings.n);
    for (size_t i = w->strings.n; i-- > 0;) bw_int(b, w->strings.v[i]->n + 1);
    for (size_t i = 0; i < w->strings.n; i++) weft_buf_put(b, w->strings.v[i]->p, w->strings.v[i]->n + 1);
}

static void property_section(const bc_writer *w, weft_buf *b) {
    bw_int(b, w->properties.n);
    for (size_t i = 0; i < w->properties.n; i++) {
        bw_int(b, w->properties.v[i]->n);
        weft_buf_put(b, w->properties.v[i]->p, w->properties.v[i]->n);
    }
}

static void file(bc_writer *w, const weft_module *m, weft_str producer, weft_buf *out) {
    enum { IR, DIALECTS, SIZES, BYTES, STRINGS, PROPERTIES, PARTS };
    weft_buf part[PARTS];
    for (int i = 0; i < PARTS; i++) weft_buf_init(&part[i], &w->cx->alloc);
    weft_buf_puts(out, BC_MAGIC);
    bw_int(out, w->format);
    weft_buf_str(out, producer);
    weft_buf_putc(out, 0);
    bw_ir(w, m, &part[IR]);
    if (w->status == WEFT_OK) {
        dialect_section(w, &part[DIALECTS]);
        bw_section(out, BC_DIALECTS, &part[DIALECTS]);
        entry_sections(w, out, &part[SIZES], &part[BYTES]);
        bw_section(out, BC_IR, &part[IR]);
        string_section(w, &part[STRINGS]);
        bw_section(out, BC_STRINGS, &part[STRINGS]);
        if (w->format >= BC_REGISTERED_OPS) property_section(w, &part[PROPERTIES]);
        if (w->format >= BC_REGISTERED_OPS) bw_section(out, BC_PROPERTIES, &part[PROPERTIES]);
    }
    for (int i = 0; i < PARTS; i++) weft_buf_free(&part[i]);
    if (out->failed) bw_oom(w);
}

static weft_status write_as(bc_writer *w, const weft_module *m, weft_str producer, weft_buf *out) {
    weft_buf made;
    weft_arena_init(&w->arena, &m->cx->chunks);
    weft_buf_init(&made, &m->cx->alloc);
    for (int k = 0; w->vhlo && k < WEFT_OP_COUNT; k++) {
        w->newest[k] = bc_vhlo_op_at((weft_op_kind)k, BC_VHLO_NEWEST);
        w->chosen[k] = bc_vhlo_op_at((weft_op_kind)k, w->vhlo);
    }
    w->numbers = weft_arena_array(&w->arena, uint32_t, m->value_count);
    w->casts = weft_arena_array(&w->arena, uint32_t, m->value_count);
    if (!w->numbers || !w->casts) bw_oom(w);
    else file(w, m, producer, &made);
    if (w->status == WEFT_OK) append(out, &made);
    if (out->failed) bw_oom(w);
    weft_buf_free(&made);
    weft_arena_free(&w->arena);
    return w->status;
}

weft_status weft_write_bytecode(const weft_module *m, weft_buf *out) {
    bc_writer w = { .cx = m->cx, .format = BC_NEWEST };
    return write_as(&w, m, WEFT_STR("Weft"), out);
}

/* Source: StableHLO, dialect/Version.cpp, getBytecodeVersion. */
static unsigned format_of(unsigned vhlo) {
    return vhlo < BC_VHLO(0, 10)   ? 0
           : vhlo < BC_VHLO(0, 12) ? 1
           : vhlo < BC_VHLO(0, 14) ? 3
           : vhlo < BC_VHLO(0, 15) ? 4
                                   : 6;
}

/* StableHLO finds an artifact's version in the name of its producer. */
weft_status weft_write_portable(const weft_module *m, const weft_vhlo_version *version, weft_buf *out) {
    bc_writer w = { .cx = m->cx, .vhlo = BC_VHLO(version->major, version->minor) };
    char producer[64];
    w.format = format_of(w.vhlo);
    weft_format(producer, sizeof producer, "StableHLO_v%u.%u.%u", version->major, version->minor, version->patch);
    return write_as(&w, m, weft_str_from(producer), out);
}

static bool number_read(weft_str *text, uint32_t *out) {
    size_t n = 0;
    *out = 0;
    for (; n < text->n && n < 4 && text->p[n] >= '0' && text->p[n] <= '9'; n++)
        *out = *out * 10 + (uint32_t)(text->p[n] - '0');
    *text = (weft_str){ text->p + n, text->n - n };
    return n > 0;
}

static bool dot(weft_str *text) {
    if (!text->n || *text->p != '.') return false;
    *text = (weft_str){ text->p + 1, text->n - 1 };
    return true;
}

weft_status weft_vhlo_version_read(weft_context *cx, weft_str text, weft_vhlo_version *out) {
    weft_str rest = text;
    weft_vhlo_version v = { 0 };
    if (!number_read(&rest, &v.major) || !dot(&rest) || !number_read(&rest, &v.minor) ||
        (rest.n && (!dot(&rest) || !number_read(&rest, &v.patch))) || rest.n)
        return weft_report(cx, WEFT_D_usage, NULL, "'%.*s' is no version of StableHLO, such as 1.13.0",
                           WEFT_STR_ARG(text));
    const unsigned number = BC_VHLO(v.major, v.minor);
    if (v.minor > 999 || number < BC_VHLO_OLDEST || number > BC_VHLO_NEWEST)
        return weft_report(cx, WEFT_D_usage, NULL,
                           "Weft writes StableHLO " WEFT_VHLO_OLDEST " to " WEFT_VHLO_NEWEST ", not %.*s",
                           WEFT_STR_ARG(text));
    *out = v;
    return WEFT_OK;
}
