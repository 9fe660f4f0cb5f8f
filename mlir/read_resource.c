/* read_resource.c: the section of a file that holds the bytes of its dense_resource attributes.
 *
 *   section = '{-#' group ',' ... '#-}'
 *   group   = word ':' '{' dialect ':' '{' name ':' "0x..." ',' ... '}' ',' ... '}'
 *
 * It is at the end of the file, so it is looked for when the first dense_resource is read. Of the group
 * dialect_resources only the dialect builtin counts: its resource is the alignment in four bytes and then the elements,
 * as in dense<"0x...">. A resource that no section has (MLIR's tools omit bytes on request) stays text.
 */
#include "mlir/reader.h"

#define ALIGNMENT_DIGITS 8 /* of the four bytes in front */

/* name: value, the value a string. */
static bool entry(weft_reader *r, bool kept) {
    weft_str name, value;
    uint32_t number;
    bool fresh;
    const char *at = r->p;
    if (!(rd_at(r, '"') ? rd_string(r, &name) : rd_ident(r, &name)) || !rd_expect(r, ':')) return false;
    const char *from = r->p;
    if (!rd_at(r, '"')) return kept ? rd_unexpected(r, "a string of the form \"0x...\"") : rd_attr(r) != NULL;
    if (!rd_string(r, &value)) return false;
    if (!kept) return true;
    if (value.n < 2 + ALIGNMENT_DIGITS || value.p[0] != '0' || value.p[1] != 'x')
        return rd_fail(r, from, "a resource is a string \"0x...\" that begins with four bytes of alignment");
    if (!rd_map_get(r, &r->resource_names, name.p, name.n, &number, &fresh)) return false;
    if (!fresh) return rd_fail(r, at, "resource '%.*s' is given twice", WEFT_STR_ARG(name));
    value = (weft_str){ value.p + 2 + ALIGNMENT_DIGITS, value.n - 2 - ALIGNMENT_DIGITS };
    return RD_PUSH(r, resources, value);
}

static bool entries(weft_reader *r, bool kept) {
    if (!rd_expect(r, '{')) return false;
    while (!rd_at(r, '}')) {
        if (!entry(r, kept)) return false;
        if (!rd_accept(r, ',')) break;
    }
    return rd_expect(r, '}');
}

static bool group(weft_reader *r) {
    weft_str name, dialect;
    if (!rd_ident(r, &name) || !rd_expect(r, ':') || !rd_expect(r, '{')) return false;
    while (!rd_at(r, '}')) {
        if (!rd_ident(r, &dialect) || !rd_expect(r, ':')) return false;
        if (!entries(r, weft_str_is(name, "dialect_resources") && weft_str_is(dialect, "builtin"))) return false;
        if (!rd_accept(r, ',')) break;
    }
    return rd_expect(r, '}');
}

/* The last {-# of the text, or NULL. */
static const char *section_of(const weft_reader *r) {
    for (const char *p = r->end; p-- > r->text;)
        if (p[0] == '{' && p[1] == '-' && p[2] == '#') return p;
    return NULL;
}

static bool load(weft_reader *r) {
    r->resources_known = true;
    rd_cursor here = rd_tell(r);
    const char *at = section_of(r);
    if (!at || at < r->p) return true;
    for (; r->p < at; r->p++)
        if (*r->p == '\n') r->line++, r->line_start = r->p + 1;
    r->p += 3;
    rd_skip(r);
    while (!rd_at(r, '#')) {
        if (!group(r)) return false;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_at(r, '#') || r->p[1] != '-' || r->p[2] != '}') return rd_unexpected(r, "'#-}'");
    rd_seek(r, here);
    return true;
}

bool rd_resource(weft_reader *r, weft_str name, weft_str *digits) {
    uint32_t number;
    bool fresh;
    *digits = (weft_str){ NULL, 0 };
    if (!r->resources_known && !load(r)) return false;
    if (!rd_map_get(r, &r->resource_names, name.p, name.n, &number, &fresh)) return false;
    if (!fresh) *digits = r->resources.v[number];
    else if (!RD_PUSH(r, resources, *digits)) return false; /* none, from now on */
    return true;
}
