/* bytecode.c: the sections of a bytecode file, and the numbers and names in them. */
#include "mlir/bytecode.h"

#include "ir/verify.h"

static const char *const section_names[BC_SECTIONS] = {
    "String", "Dialect", "AttrType", "AttrTypeOffset", "BC_IR", "Resource", "ResourceOffset", "DialectVersions",
    "Properties",
};

#define PADDING 0xCB

static bool fail_with(bc_reader *f, weft_diag_class cls, const uint8_t *at, const char *fmt, va_list ap) {
    if (f->r.status != WEFT_OK) return false;
    char text[512];
    weft_vformat(text, sizeof text, fmt, ap);
    weft_context *cx = f->r.cx;
    f->r.status =
        weft_report(cx, cls, NULL, "'%s', byte %zu of the bytecode: %s", f->file, (size_t)(at - f->begin), text);
    if (f->producer.n)
        weft_note(cx, NULL,
                  "bytecode of version %llu by '%.*s'; Weft knows version %d, and VHLO of StableHLO " WEFT_VHLO_OLDEST
                  " to " WEFT_VHLO_NEWEST,
                  (unsigned long long)f->version, WEFT_STR_ARG(f->producer), BC_NEWEST);
    return false;
}

bool bc_fail(bc_reader *f, const uint8_t *at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fail_with(f, WEFT_D_syntax, at, fmt, ap);
    va_end(ap);
    return false;
}

bool bc_fail_as(bc_reader *f, weft_diag_class cls, const uint8_t *at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fail_with(f, cls, at, fmt, ap);
    va_end(ap);
    return false;
}

bool bc_oom(bc_reader *f) { return rd_oom(&f->r); }

static bool ended(bc_reader *f, const bc_in *in) { return bc_fail(f, in->p, "the file or a part of it ends here"); }

bool bc_byte(bc_reader *f, bc_in *in, uint8_t *out) {
    if (in->p == in->end) return ended(f, in);
    *out = *in->p++;
    return true;
}

/* The number of trailing zeros of the first byte is the number of bytes after it; the bits above its lowest one begin
 * the value. A first byte of zero has eight bytes after it. */
bool bc_int(bc_reader *f, bc_in *in, uint64_t *out) {
    if (in->p == in->end) return ended(f, in);
    unsigned first = *in->p, more = 0;
    while (more < 8 && !(first >> more & 1)) more++;
    if ((size_t)(in->end - in->p) <= more) return ended(f, in);
    uint64_t v = more < 8 ? first >> (more + 1) : 0;
    const unsigned have = more < 8 ? 7 - more : 0;
    for (unsigned i = 0; i < more; i++) v |= (uint64_t)in->p[1 + i] << (have + 8 * i);
    in->p += 1 + more;
    *out = v;
    return true;
}

bool bc_signed(bc_reader *f, bc_in *in, int64_t *out) {
    uint64_t v;
    if (!bc_int(f, in, &v)) return false;
    *out = (int64_t)(v >> 1 ^ (0 - (v & 1)));
    return true;
}

bool bc_flagged(bc_reader *f, bc_in *in, uint64_t *out, bool *flag) {
    if (!bc_int(f, in, out)) return false;
    *flag = *out & 1;
    *out >>= 1;
    return true;
}

bool bc_part(bc_reader *f, bc_in *in, uint64_t n, bc_in *out) {
    if (n > (uint64_t)(in->end - in->p))
        return bc_fail(f, in->p, "%llu bytes expected, %zu are left", (unsigned long long)n, (size_t)(in->end - in->p));
    *out = (bc_in){ in->p, in->p + n };
    in->p += n;
    return true;
}

bool bc_blob(bc_reader *f, bc_in *in, bc_in *out) {
    uint64_t n;
    return bc_int(f, in, &n) && bc_part(f, in, n, out);
}

bool bc_count(bc_reader *f, bc_in *in, uint32_t *out) {
    const uint8_t *at = in->p;
    uint64_t n;
    if (!bc_int(f, in, &n)) return false;
    if (n > (uint64_t)(in->end - in->p) || n > INT32_MAX)
        return bc_fail(f, at, "%llu things in %zu bytes", (unsigned long long)n, (size_t)(in->end - in->p));
    *out = (uint32_t)n;
    return true;
}

bool bc_skip_padding(bc_reader *f, bc_in *in, const uint8_t *at, uint64_t alignment) {
    if (!alignment || alignment & (alignment - 1)) return bc_fail(f, at, "an alignment that is no power of two");
    while (in->p < in->end && *in->p == PADDING && (uint64_t)(in->p - f->begin) & (alignment - 1)) in->p++;
    return true;
}

/* id | aligned << 7, length, then alignment and padding when aligned, then the bytes. */
bool bc_section(bc_reader *f, bc_in *in, uint8_t *id, bc_in *out) {
    const uint8_t *at = in->p;
    uint64_t length, alignment;
    if (!bc_byte(f, in, id) || !bc_int(f, in, &length)) return false;
    const bool aligned = *id & 0x80;
    *id &= 0x7f;
    if (*id >= BC_SECTIONS) return bc_fail(f, at, "a section of unknown kind %u", *id);
    if (aligned) {
        if (!bc_int(f, in, &alignment) || !bc_skip_padding(f, in, at, alignment)) return false;
    }
    return bc_part(f, in, length, out);
}

bool bc_string_at(bc_reader *f, const uint8_t *at, uint64_t index, weft_str *out) {
    if (index >= f->string_count)
        return bc_fail(f, at, "string %llu of %u", (unsigned long long)index, f->string_count);
    *out = f->strings[index];
    return true;
}

bool bc_string(bc_reader *f, bc_in *in, weft_str *out) {
    const uint8_t *at = in->p;
    uint64_t index;
    return bc_int(f, in, &index) && bc_string_at(f, at, index, out);
}

weft_name bc_name(bc_reader *f, bc_in *in) {
    weft_str s;
    return bc_string(f, in, &s) ? rd_intern(&f->r, s) : NULL;
}

/* A count, the lengths from the last string to the first, then the strings, each with a NUL. */
static bool string_section(bc_reader *f, bc_in in) {
    if (!bc_count(f, &in, &f->string_count)) return false;
    f->strings = weft_arena_array(&f->r.arena, weft_str, f->string_count);
    if (!f->strings) return bc_oom(f);
    const uint8_t *at = in.p;
    uint64_t total = 0;
    for (uint32_t i = f->string_count; i-- > 0;) {
        uint64_t n;
        if (!bc_int(f, &in, &n)) return false;
        if (!n || n > f->size || (total += n) > f->size) return bc_fail(f, at, "strings longer than the file");
        f->strings[i].n = (size_t)n;
    }
    if (total != (uint64_t)(in.end - in.p)) return bc_fail(f, in.p, "the strings do not fill their section");
    for (uint32_t i = 0; i < f->string_count; i++) {
        f->strings[i].p = (const char *)in.p;
        in.p += f->strings[i].n--;
        if (in.p[-1]) return bc_fail(f, in.p - 1, "a string that does not end with a NUL");
    }
    return true;
}

static bc_dialect dialect_kind(weft_str name) {
    static const struct { const char *name; bc_dialect kind; } known[] = {
        { "builtin", BC_BUILTIN }, { "vhlo", BC_VHLO }, { "sdy", BC_SDY }, { "stablehlo", BC_STABLEHLO },
        { "chlo", BC_CHLO },       { "quant", BC_QUANT },
    };
    for (size_t i = 0; i < WEFT_COUNT(known); i++)
        if (weft_str_is(name, known[i].name)) return known[i].kind;
    return BC_OTHER;
}

static bool dialect(bc_reader *f, bc_in *in, bc_dialect_name *out) {
    const uint8_t *at = in->p;
    uint64_t name;
    bool versioned = false;
    if (f->version < BC_VERSIONED_DIALECTS ? !bc_int(f, in, &name) : !bc_flagged(f, in, &name, &versioned))
        return false;
    if (!bc_string_at(f, at, name, &out->name)) return false;
    out->kind = dialect_kind(out->name);
    uint8_t id;
    bc_in ignored;
    if (!versioned) return true;
    at = in->p;
    if (!bc_section(f, in, &id, &ignored)) return false;
    return id == BC_DIALECT_VERSION || bc_fail(f, at, "no section of a dialect's version");
}

/* A group of ops or entries: dialect, count. */
static bool group(bc_reader *f, bc_in *in, bc_dialect_name *of, uint32_t *count) {
    const uint8_t *at = in->p;
    uint64_t d;
    if (!bc_int(f, in, &d)) return false;
    if (d >= f->dialect_count) return bc_fail(f, at, "dialect %llu of %u", (unsigned long long)d, f->dialect_count);
    *of = f->dialects[d];
    return bc_count(f, in, count);
}

static bool op_name(bc_reader *f, bc_in *in, const bc_dialect_name *of) {
    const uint8_t *at = in->p;
    bc_op_name n = { .dialect = of->name, .in = of->kind, .is_registered = true };
    uint64_t name;
    if (f->version < BC_REGISTERED_OPS ? !bc_int(f, in, &name) : !bc_flagged(f, in, &name, &n.is_registered))
        return false;
    if (!bc_string_at(f, at, name, &n.name)) return false;
    if (!rd_push(&f->r, (void **)&f->op_names.v, &f->op_names.n, &f->op_names.cap, sizeof n)) return false;
    f->op_names.v[f->op_names.n - 1] = n;
    return true;
}

static bool dialect_section(bc_reader *f, bc_in in) {
    if (!bc_count(f, &in, &f->dialect_count)) return false;
    f->dialects = weft_arena_array(&f->r.arena, bc_dialect_name, f->dialect_count);
    if (!f->dialects) return bc_oom(f);
    for (uint32_t i = 0; i < f->dialect_count; i++)
        if (!dialect(f, &in, &f->dialects[i])) return false;
    uint64_t ignored;
    if (f->version >= BC_OP_COUNT && !bc_int(f, &in, &ignored)) return false;
    while (in.p < in.end) {
        bc_dialect_name of;
        uint32_t count;
        if (!group(f, &in, &of, &count)) return false;
        for (uint32_t i = 0; i < count; i++)
            if (!op_name(f, &in, &of)) return false;
    }
    return true;
}

/* The sizes of n entries, in groups; their bytes follow each other in *bytes. */
static bool entries(bc_reader *f, bc_in *sizes, bc_in *bytes, bc_entry *entry, uint32_t n) {
    for (uint32_t i = 0; i < n;) {
        const uint8_t *at = sizes->p;
        bc_dialect_name of;
        uint32_t count;
        if (!group(f, sizes, &of, &count)) return false;
        if (count > n - i) return bc_fail(f, at, "more attributes or types than the section's number of them");
        for (uint32_t end = i + count; i < end; i++) {
            uint64_t size;
            bool encoded;
            if (!bc_flagged(f, sizes, &size, &encoded)) return false;
            entry[i].dialect = (uint8_t)of.kind;
            entry[i].is_text = !encoded;
            if (!bc_part(f, bytes, size, &entry[i].bytes)) return false;
        }
    }
    return true;
}

static bool entry_sections(bc_reader *f, bc_in sizes, bc_in bytes) {
    if (!bc_count(f, &sizes, &f->attr_count) || !bc_count(f, &sizes, &f->type_count)) return false;
    f->attrs = weft_arena_array(&f->r.arena, bc_entry, f->attr_count);
    f->types = weft_arena_array(&f->r.arena, bc_entry, f->type_count);
    if (!f->attrs || !f->types) return bc_oom(f);
    return entries(f, &sizes, &bytes, f->attrs, f->attr_count) && entries(f, &sizes, &bytes, f->types, f->type_count);
}

static bool property_section(bc_reader *f, bc_in in) {
    if (in.p == in.end) return true;
    if (!bc_count(f, &in, &f->property_count)) return false;
    f->properties = weft_arena_array(&f->r.arena, bc_in, f->property_count);
    if (!f->properties) return bc_oom(f);
    for (uint32_t i = 0; i < f->property_count; i++)
        if (!bc_blob(f, &in, &f->properties[i])) return false;
    return true;
}

static bool header(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p += sizeof BC_MAGIC - 1;
    if (!bc_int(f, in, &f->version)) return false;
    const uint8_t *nul = memchr(in->p, 0, (size_t)(in->end - in->p));
    if (!nul) return bc_fail(f, in->p, "a producer's name that does not end");
    if (f->version > BC_NEWEST)
        return bc_fail_as(f, WEFT_D_unsupported, at, "version %llu of MLIR bytecode by '%.200s'; Weft reads up to %d",
                          (unsigned long long)f->version, (const char *)in->p, BC_NEWEST);
    f->producer = (weft_str){ (const char *)in->p, (size_t)(nul - in->p) };
    in->p = nul + 1;
    return true;
}

static bool file_body(bc_reader *f) {
    bc_in in = { f->begin, f->begin + f->size }, section[BC_SECTIONS] = { { NULL, NULL } };
    if (!header(f, &in)) return false;
    while (in.p < in.end) {
        const uint8_t *at = in.p;
        uint8_t id;
        bc_in bytes;
        if (!bc_section(f, &in, &id, &bytes)) return false;
        if (section[id].p) return bc_fail(f, at, "a second section %s", section_names[id]);
        section[id] = bytes;
    }
    for (int id = BC_STRINGS; id <= BC_IR; id++)
        if (!section[id].p) return bc_fail(f, in.p, "no section %s", section_names[id]);
    return string_section(f, section[BC_STRINGS]) && dialect_section(f, section[BC_DIALECTS]) &&
           entry_sections(f, section[BC_ENTRY_SIZES], section[BC_ENTRIES]) &&
           property_section(f, section[BC_PROPERTIES]) &&
           bc_resource_sections(f, section[BC_RESOURCE_SIZES], section[BC_RESOURCES]) &&
           bc_ir_section(f, section[BC_IR]);
}

weft_status bc_read(weft_context *cx, weft_str bytes, const char *file, unsigned flags, weft_module **out) {
    bc_reader f = { .file = file, .begin = (const uint8_t *)bytes.p, .size = bytes.n };
    weft_module *m = weft_module_new(cx);
    if (!m) return weft_oom();
    bool ok = rd_begin(&f.r, cx, "", 0, file, flags);
    f.r.m = m;
    weft_builder_init(&f.r.b, m, NULL);
    ok = ok && file_body(&f);
    weft_status st = f.r.status;
    rd_end(&f.r);
    if (ok && st == WEFT_OK && !(flags & WEFT_READ_NO_VERIFY)) st = weft_verify_module(cx, m);
    if (ok && st == WEFT_OK) *out = m;
    else weft_module_free(m);
    return st;
}
