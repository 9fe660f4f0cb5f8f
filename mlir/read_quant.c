/* read_quant.c: !quant.uniform<i8<-127:127>:f32:1, {0.1:2, 0.3}>.
 *
 *   uniform   = storage [ '<' min ':' max '>' ] ':' expressed [ ':' axis ] ',' ( parameter | '{' parameter, ... '}' )
 *   storage   = ( 'i' | 'u' | 'ui' ) width
 *   parameter = scale [ ':' zero_point ]
 *
 * Forms that Weft does not model (parameters per block, odd widths, floats of other kinds) are left to be kept as
 * text.
 */
#include "mlir/reader.h"

/* i8, u8 and ui8 as the table's names; NONE for widths that it does not have. */
static weft_dtype storage_type(weft_str word) {
    char name[8];
    bool bare = word.n > 1 && word.n < sizeof name - 1 && word.p[0] == 'u' && rd_is_digit(word.p[1]);
    if (bare) {
        memcpy(name + 2, word.p + 1, word.n - 1);
        memcpy(name, "ui", 2);
        word = (weft_str){ name, word.n + 1 };
    }
    weft_dtype t = weft_dtype_parse(word);
    return weft_quant_is_storage(t) ? t : WEFT_DTYPE_NONE;
}

/* scale[:zero_point], pushed on ints as the scale's bits and the zero point. */
static bool parameter(weft_reader *r) {
    rd_number n;
    double scale;
    int64_t bits, zero_point = 0;
    if (!rd_number_read(r, &n) || !rd_number_store(r, &n, WEFT_F64, &scale)) return false;
    memcpy(&bits, &scale, sizeof bits);
    if (rd_accept(r, ':') && !rd_int(r, &zero_point)) return false;
    return RD_PUSH(r, ints, bits) && RD_PUSH(r, ints, zero_point);
}

static bool parameters(weft_reader *r, const weft_quant *q) {
    if (!weft_quant_per_axis(q)) return parameter(r);
    if (!rd_expect(r, '{')) return false;
    do {
        if (!parameter(r)) return false;
    } while (rd_accept(r, ','));
    return rd_expect(r, '}');
}

static bool axis(weft_reader *r, weft_quant *q) {
    const char *at = r->p;
    int64_t v;
    if (!rd_int(r, &v)) return false;
    if (v < 0 || v > INT32_MAX)
        return rd_fail_as(r, WEFT_D_verify, at, "quantisation dimension %lld is not a dimension", (long long)v);
    q->axis = (int32_t)v;
    return true;
}

/* After the '<'. *known is false, and the cursor undefined, for a form that Weft does not model. */
static bool head(weft_reader *r, weft_quant *q, bool *known) {
    weft_str word;
    *known = false;
    if (!rd_ident(r, &word)) return false;
    if (weft_dtype_is_integer(weft_dtype_parse(word)) && !storage_type(word))
        return rd_fail_as(r, WEFT_D_verify, word.p, "the storage of a quantised type has at most 32 bits");
    if (!(q->storage = storage_type(word))) return true;
    q->min = weft_quant_least(q->storage);
    q->max = weft_quant_most(q->storage);
    if (rd_accept(r, '<') && !(rd_int(r, &q->min) && rd_expect(r, ':') && rd_int(r, &q->max) && rd_expect(r, '>')))
        return false;
    if (!rd_expect(r, ':')) return false;
    const char *at = r->p;
    const weft_type *expressed = rd_type(r);
    if (!expressed) return false;
    if (expressed->kind == WEFT_TYPE_OPAQUE) return true;
    if (expressed->kind != WEFT_TYPE_SCALAR || !weft_dtype_is_float(expressed->dtype))
        return rd_fail_as(r, WEFT_D_verify, at, "the expressed type of a quantised type must be a float");
    q->expressed = expressed->dtype;
    q->axis = WEFT_PER_TENSOR;
    if (rd_accept(r, ':')) {
        if (rd_at(r, '{')) return true;
        if (!axis(r, q)) return false;
    }
    *known = true;
    return rd_expect(r, ',');
}

/* The parameters on ints from height on, as arrays of their own. */
static bool fill(weft_reader *r, weft_quant *q, size_t height) {
    q->count = (uint32_t)((r->ints.n - height) / 2);
    double *scales = weft_arena_array(&r->arena, double, q->count);
    int64_t *zero_points = weft_arena_array(&r->arena, int64_t, q->count);
    if (!scales || !zero_points) return rd_oom(r);
    for (uint32_t i = 0; i < q->count; i++) {
        memcpy(&scales[i], &r->ints.v[height + 2 * i], sizeof *scales);
        zero_points[i] = r->ints.v[height + 2 * i + 1];
    }
    q->scales = scales;
    q->zero_points = zero_points;
    return true;
}

bool rd_quant(weft_reader *r, const weft_type **out) {
    const char *at = r->p;
    weft_quant q = { 0 };
    char why[160];
    bool known;
    size_t height = r->ints.n;
    *out = NULL;
    if (!rd_expect(r, '<') || !rd_enter(r) || !head(r, &q, &known)) return false;
    rd_leave(r);
    if (!known) return true;
    bool ok = parameters(r, &q) && rd_expect(r, '>') && fill(r, &q, height);
    r->ints.n = height;
    if (!ok) return false;
    if (!weft_quant_valid(&q, 0, NULL, why, sizeof why)) return rd_fail_as(r, WEFT_D_verify, at, "%s", why);
    *out = weft_type_quant_scalar(r->cx, &q);
    return *out || rd_oom(r);
}
