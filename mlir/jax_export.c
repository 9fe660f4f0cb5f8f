/* jax_export.c: the module in a file of jax.export (Exported.serialize()).
 *
 * The file is a FlatBuffer without an identifier. Its root table has the module as a vector of bytes, which are
 * bytecode; the other fields say how JAX calls it and are not needed. Shardings are in the module.
 *
 * Authority: JAX, jax/_src/export/serialization.fbs; FlatBuffers, docs/source/internals.md.
 */
#include "mlir/bytecode.h"

#define MODULE_FIELD 13   /* mlir_module_serialized, counted from 0 */

static bool u16_at(weft_str b, uint64_t at, uint64_t *out) {
    if (at > b.n || b.n - at < 2) return false;
    const unsigned char *p = (const unsigned char *)b.p + at;
    *out = (uint64_t)p[0] | (uint64_t)p[1] << 8;
    return true;
}

static bool u32_at(weft_str b, uint64_t at, uint64_t *out) {
    uint64_t low, high;
    if (!u16_at(b, at, &low) || !u16_at(b, at + 2, &high)) return false;
    *out = low | high << 16;
    return true;
}

/* A table begins with the distance back to its list of fields: that list's bytes, the table's bytes, and where in the
 * table each field is, 0 for an absent one. A vector is its length and its bytes, at a distance from the field. */
static bool vector_of(weft_str b, uint64_t table, unsigned field, weft_str *out) {
    uint64_t back, list_bytes, table_bytes, place, distance, n;
    if (!u32_at(b, table, &back)) return false;
    const int64_t list = (int64_t)table - (int32_t)(uint32_t)back;
    if (list < 0 || !u16_at(b, (uint64_t)list, &list_bytes) || !u16_at(b, (uint64_t)list + 2, &table_bytes))
        return false;
    const uint64_t slot = 4 + 2 * (uint64_t)field;
    if (slot + 2 > list_bytes || !u16_at(b, (uint64_t)list + slot, &place) || !place || place + 4 > table_bytes)
        return false;
    if (!u32_at(b, table + place, &distance) || !u32_at(b, table + place + distance, &n)) return false;
    const uint64_t at = table + place + distance + 4;
    if (n > b.n - at) return false;
    *out = (weft_str){ b.p + at, (size_t)n };
    return true;
}

static bool begins(weft_str b) {
    const size_t n = sizeof BC_MAGIC - 1;
    return b.n >= n && !memcmp(b.p, BC_MAGIC, n);
}

weft_str bc_find(weft_str file) {
    uint64_t root;
    weft_str module;
    if (begins(file)) return file;
    if (u32_at(file, 0, &root) && vector_of(file, root, MODULE_FIELD, &module) && begins(module)) return module;
    return (weft_str){ NULL, 0 };
}
