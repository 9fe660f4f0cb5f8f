/* machine_read.c: reads descriptions of machines.
 *
 *   machine := { "about" TEXT | "device" { property } | "costs" "{" { NAME QUANTITY } "}" } level
 *   property := FLOPS | "bandwidth" RATE | "memory" SIZE | "reduce" RATE | "copy" RATE | "engine" | "vendor"
 *   level := ( NAME ( COUNT | "*" ) | ( "torus" | "grid" ) SIZES [ "rings" COUNT ] ) [ "{" level "}" ] link
 *   link := [ NAME ] RATE [ "shared" ] [ TIME ] { "launch" TIME | "share" NUMBER | "ramp" SIZE | "reduces" NUMBER }
 *
 * '#' begins a comment. NAME COUNT { ... } is COUNT parts, each with the contents of the braces, or devices called
 * NAME. A "shared" rate is that of a part, which its devices share. Quantities are a number with a unit: 450GB/s,
 * 400Gbit/s, 2us, 989Tflop/s, 80GB, 96GiB. docs/topology.md explains the format to users. */
#include "topology/machine.h"

#include <stdio.h>
#include "base/bits.h"
#include "base/context.h"
#include "base/nearest.h"
#include "base/quantity.h"

typedef enum token_kind { END, WORD, NUMBER, TEXT, OPEN, CLOSE, STAR, OTHER } token_kind;

typedef struct token {
    token_kind kind;
    weft_str text;
    uint32_t line, column;
} token;

typedef struct reader {
    weft_context *cx;
    weft_name file;
    const char *p, *end, *line_start;
    uint32_t line;
    token t;            /* the next one; at the end it is right after the last one */
    /* the word after a device's properties, if it is in their line: the first level's name, or an error */
    token behind;
    uint64_t costs_given; /* a bit each */
    weft_machine *out;
} reader;
_Static_assert(WEFT_COST_COUNT <= 64, "a bit each");

/* --- tokens ------------------------------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '/'; }

static void skip_space(reader *r) {
    for (; r->p < r->end; r->p++) {
        if (*r->p == '#')
            while (r->p + 1 < r->end && r->p[1] != '\n') r->p++;
        else if (*r->p == '\n') r->line++, r->line_start = r->p + 1;
        else if (*r->p != ' ' && *r->p != '\t' && *r->p != '\r') break;
    }
}

/* Advances to the next token. A quoted text ends at its line's end at the latest: its kind is then OTHER. */
static void advance(reader *r) {
    token behind = { END, { r->p, 0 }, r->line, (uint32_t)(r->p - r->line_start) + 1 };
    bool first = r->t.line == 0;
    skip_space(r);
    const char *from = r->p;
    r->t = (token){ END, { from, 0 }, r->line, (uint32_t)(from - r->line_start) + 1 };
    if (from == r->end && !first) r->t = behind;
    if (from == r->end) return;
    char c = *r->p++;
    r->t.kind = c == '{'       ? OPEN
                : c == '}'     ? CLOSE
                : c == '*'     ? STAR
                : is_digit(c)  ? NUMBER
                : is_letter(c) ? WORD
                               : OTHER;
    if (r->t.kind == NUMBER || r->t.kind == WORD)
        while (r->p < r->end && is_word(*r->p)) r->p++;
    if (c == '"') {
        while (r->p < r->end && *r->p != '"' && *r->p != '\n') r->p++;
        if (r->p < r->end && *r->p == '"') r->p++, r->t.kind = TEXT;
    }
    r->t.text.n = (size_t)(r->p - from);
}

static weft_status wrong(reader *r, const token *at, const char *fmt, ...) WEFT_PRINTF(3, 4);
static weft_status wrong(reader *r, const token *at, const char *fmt, ...) {
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    weft_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    return weft_report(r->cx, WEFT_D_data, weft_loc_file(r->cx, r->file, at->line, at->column), "%s", text);
}

/* "expected X, not 'y'" at the next token. */
static weft_status expected(reader *r, const char *what) {
    if (r->t.kind == END) return wrong(r, &r->t, "expected %s, but the description ends here", what);
    const unsigned char c = (unsigned char)r->t.text.p[0];
    if (c < ' ' || c >= 127) return wrong(r, &r->t, "expected %s, not byte 0x%02X", what, c);
    return wrong(r, &r->t, "expected %s, not '%.*s'", what, (int)weft_min_i64((int64_t)r->t.text.n, 40), r->t.text.p);
}

static bool next_is(const reader *r, const char *word) { return r->t.kind == WORD && weft_str_is(r->t.text, word); }

/* Keeps a name, truncated if too long. It will be written to JSON and SVG, which are UTF-8. */
static void keep(char *to, size_t room, weft_str s) { (void)weft_utf8_copy(to, room, s); }

/* --- quantities --------------------------------------------------------------------------------------------------- */

/* The quantity of the next token; WEFT_QUANTITIES: none. */
static weft_quantity next_quantity(const reader *r, double *out) {
    return r->t.kind == NUMBER ? weft_quantity_read(r->t.text, out) : WEFT_QUANTITIES;
}

static weft_status read_quantity(reader *r, weft_quantity q, double *out) {
    if (next_quantity(r, out) != q) return expected(r, weft_quantity_about(q));
    if (!weft_quantity_fits(q, *out)) return wrong(r, &r->t, "'%.*s' is out of range", WEFT_STR_ARG(r->t.text));
    advance(r);
    return WEFT_OK;
}

/* --- the description ---------------------------------------------------------------------------------------------- */

static weft_status read_device(reader *r) {
    weft_machine *m = r->out;
    token at = r->t;
    advance(r);
    const struct { const char *word; double *to; weft_quantity q; } properties[] = {
        { "bandwidth", &m->bytes_per_s, WEFT_RATE }, { "memory", &m->memory_bytes, WEFT_SIZE },
        { "reduce", &m->links.reduce_bytes_per_s, WEFT_RATE }, { "copy", &m->links.copy_bytes_per_s, WEFT_RATE },
    };
    for (;;) {
        double v;
        size_t i = 0;
        weft_status st = WEFT_OK;
        while (i < WEFT_COUNT(properties) && !next_is(r, properties[i].word)) i++;
        if (i < WEFT_COUNT(properties)) {
            if (*properties[i].to > 0) return wrong(r, &r->t, "'%s' is given twice", properties[i].word);
            advance(r);
            st = read_quantity(r, properties[i].q, properties[i].to);
        } else if (next_is(r, "engine")) {
            m->mover = WEFT_MOVER_ENGINE;
            advance(r);
        } else if (next_is(r, "vendor")) {
            m->compiler = WEFT_COMPILER_VENDOR;
            advance(r);
        } else if (next_quantity(r, &v) == WEFT_FLOPS) {
            if (m->flops_per_s > 0) return wrong(r, &r->t, "the arithmetic rate is given twice");
            st = read_quantity(r, WEFT_FLOPS, &m->flops_per_s);
        } else {
            break;
        }
        if (st != WEFT_OK) return st;
    }
    if (r->t.kind == NUMBER)
        return expected(r, "a property of a device: 989Tflop/s, bandwidth, memory, reduce, copy, engine or vendor");
    if (m->flops_per_s <= 0 || m->bytes_per_s <= 0)
        return wrong(
            r, &at,
            "a device needs its arithmetic and its memory's bandwidth, as in 'device 989Tflop/s bandwidth 3.35TB/s'");
    m->rates = WEFT_RATES_GIVEN;
    if (r->t.kind == WORD && r->t.line == at.line) r->behind = r->t;
    return WEFT_OK;
}

static weft_status no_cost(reader *r) {
    weft_nearest near = weft_nearest_to(r->t.text);
    for (size_t i = 0; i < WEFT_COST_COUNT; i++) weft_nearest_offer(&near, weft_str_from(weft_cost_fields[i].name));
    return wrong(r, &r->t, "there is no cost '%.*s'" WEFT_NEAREST, WEFT_STR_ARG(r->t.text), WEFT_NEAREST_ARG(near));
}

/* { NAME QUANTITY } */
static weft_status read_cost_list(reader *r) {
    while (r->t.kind == WORD) {
        size_t i = 0;
        double v = 0;
        while (i < WEFT_COST_COUNT && !next_is(r, weft_cost_fields[i].name)) i++;
        if (i == WEFT_COST_COUNT) return no_cost(r);
        if (r->costs_given & weft_bit((unsigned)i))
            return wrong(r, &r->t, "'%s' is given twice", weft_cost_fields[i].name);
        r->costs_given |= weft_bit((unsigned)i);
        const token name = r->t;
        advance(r);
        const token at = r->t;
        weft_status st = read_quantity(r, weft_cost_fields[i].quantity, &v);
        if (st == WEFT_OK && weft_cost_fields[i].most > 0 && v > weft_cost_fields[i].most)
            st = wrong(r, &at, "'%.*s' is out of range", WEFT_STR_ARG(at.text));
        if (st == WEFT_ERR_INVALID)
            weft_note(r->cx, weft_loc_file(r->cx, r->file, name.line, name.column), "cost '%s': %s",
                      weft_cost_fields[i].name, weft_cost_fields[i].use);
        if (st != WEFT_OK) return st;
        weft_cost_set(&r->out->costs, i, v);
    }
    return WEFT_OK;
}

static weft_status read_costs(reader *r) {
    advance(r);
    if (r->t.kind != OPEN) return expected(r, "'{' and costs, as 'costs { keep 20 }'");
    advance(r);
    const weft_status st = read_cost_list(r);
    if (st != WEFT_OK) return st;
    if (r->t.kind != CLOSE) return expected(r, "a cost, as 'keep 20', or '}'");
    advance(r);
    return WEFT_OK;
}

/* "64", "*" or, of a torus, "4x4x8". */
static weft_status read_sizes(reader *r, weft_machine_level *l) {
    weft_str s = r->t.text;
    if (r->t.kind == STAR && l->wiring == WEFT_WIRED_SWITCH) {
        if (l != r->out->levels) return wrong(r, &r->t, "only the outermost level may have an open size");
        l->dim_count = 1;
        advance(r);
        return WEFT_OK;
    }
    const char *what = l->wiring == WEFT_WIRED_SWITCH ? "a count, as 8 or *" : "sizes, as 4x4x8";
    if (r->t.kind != NUMBER) return expected(r, what);
    for (size_t i = 0; i < s.n || l->dim_count == 0; i++) {
        int64_t n = 0;
        size_t from = i;
        for (; i < s.n && is_digit(s.p[i]); i++)
            if ((n = n * 10 + (s.p[i] - '0')) > WEFT_MACHINE_DEVICES)
                return wrong(r, &r->t, "a machine has at most %lld devices", (long long)WEFT_MACHINE_DEVICES);
        if (i == from || (i < s.n && (s.p[i] != 'x' || i + 1 == s.n))) return expected(r, what);
        if (n < 1) return wrong(r, &r->t, "there must be at least one");
        if (l->dim_count == WEFT_MACHINE_DIMS) return wrong(r, &r->t, "at most %d dimensions", WEFT_MACHINE_DIMS);
        if (l->dim_count == 1 && l->wiring == WEFT_WIRED_SWITCH)
            return expected(r, "one number, since only a torus or a grid has sizes");
        l->dims[l->dim_count++] = n;
    }
    advance(r);
    if (l->wiring != WEFT_WIRED_TORUS || !next_is(r, "rings")) return WEFT_OK;
    advance(r);
    token at = r->t;
    for (size_t i = 0; i < at.text.n && at.kind == NUMBER && l->rings <= WEFT_MACHINE_DEVICES; i++)
        l->rings = is_digit(at.text.p[i]) ? l->rings * 10 + (at.text.p[i] - '0') : WEFT_MACHINE_DEVICES + 1;
    if (l->rings < 1 || l->rings > WEFT_MACHINE_DEVICES)
        return expected(r, "a number whose multiples close to rings, as in 'rings 16'");
    advance(r);
    return WEFT_OK;
}

/* What the vendor's library makes of the link; a NUMBER is at most 1 for `share`, at least 1 for `reduces`. */
static weft_status read_library(reader *r, weft_machine_level *l) {
    const struct { const char *word; double *to; weft_quantity q; double least, most; } properties[] = {
        { "launch", &l->launch_s, WEFT_TIME, 0, 1e9 }, { "share", &l->share, WEFT_NUMBER, 0, 1 },
        { "ramp", &l->ramp_bytes, WEFT_SIZE, 0, 1e18 }, { "reduces", &l->reduces, WEFT_NUMBER, 1, 64 },
    };
    unsigned given = 0;
    for (size_t i = 0; i < WEFT_COUNT(properties);) {
        if (!next_is(r, properties[i].word)) {
            i++;
            continue;
        }
        if (given >> i & 1) return wrong(r, &r->t, "'%s' is given twice", properties[i].word);
        given |= 1u << i;
        advance(r);
        const token at = r->t;
        weft_status st = read_quantity(r, properties[i].q, properties[i].to);
        if (st != WEFT_OK) return st;
        if (*properties[i].to < properties[i].least || *properties[i].to > properties[i].most)
            return wrong(r, &at, "'%.*s' is out of range", WEFT_STR_ARG(at.text));
        i = 0;
    }
    return WEFT_OK;
}

static weft_status read_link(reader *r, int level) {
    weft_machine_level *l = &r->out->levels[level];
    l->share = l->reduces = 1;
    double bandwidth = 0, latency = 0;
    if (r->t.kind == WORD) {
        keep(l->link_name, sizeof l->link_name, r->t.text);
        advance(r);
    }
    if (next_quantity(r, &bandwidth) != WEFT_RATE) {
        char what[160];
        snprintf(what, sizeof what, "the bandwidth of the link that joins the %s, as in '%s 450GB/s 2us'", l->name,
                 l->link_name[0] ? l->link_name : "nvlink");
        return expected(r, what);
    }
    weft_status st = read_quantity(r, WEFT_RATE, &l->link.bytes_per_s);
    if (st == WEFT_OK && next_is(r, "shared")) {
        if (l->wiring != WEFT_WIRED_SWITCH) return wrong(r, &r->t, "a link of a %s belongs to one place", l->name);
        l->is_shared = true;
        advance(r);
    }
    if (st == WEFT_OK && next_quantity(r, &latency) == WEFT_TIME) st = read_quantity(r, WEFT_TIME, &l->link.latency_s);
    else if (st == WEFT_OK && r->t.kind == NUMBER)
        st = expected(r, "a latency, as 2us"); /* no other token that may follow is a number */
    return st == WEFT_OK ? read_library(r, l) : st;
}

static weft_status read_level(reader *r) {
    int level = r->out->level_count;
    if (r->t.kind != WORD) return expected(r, "a level, as 'gpu 8 nvlink 450GB/s 2us' or 'torus 16x16 100GB/s'");
    if (level == WEFT_MACHINE_LEVELS) return wrong(r, &r->t, "at most %d levels", WEFT_MACHINE_LEVELS);
    weft_machine_level *l = &r->out->levels[r->out->level_count++];
    keep(l->name, sizeof l->name, r->t.text);
    l->wiring = next_is(r, "torus") ? WEFT_WIRED_TORUS : next_is(r, "grid") ? WEFT_WIRED_GRID : WEFT_WIRED_SWITCH;
    for (int i = 0; i < level; i++)
        if (l->wiring == WEFT_WIRED_SWITCH && !strcmp(r->out->levels[i].name, l->name))
            return wrong(r, &r->t, "there are '%s' outside of these already", l->name);
    advance(r);
    weft_status st = read_sizes(r, l);
    if (st == WEFT_OK && r->t.kind == OPEN) {
        token open = r->t;
        advance(r);
        st = read_level(r);
        if (st == WEFT_OK && r->t.kind != CLOSE) {
            st = expected(r, "'}'");
            weft_note(r->cx, weft_loc_file(r->cx, r->file, open.line, open.column),
                      "this brace is open; it holds one level");
        }
        if (st == WEFT_OK) advance(r);
    }
    return st == WEFT_OK ? read_link(r, level) : st;
}

/* Fills in the derived fields. */
static weft_status finish(reader *r, const token *at) {
    weft_machine *m = r->out;
    int64_t n = 1;
    for (int i = 0; i < m->level_count; i++)
        for (int d = 0; d < m->levels[i].dim_count; d++)
            if (!weft_mul_i64(n, m->levels[i].dims[d] ? m->levels[i].dims[d] : 1, &n) || n > WEFT_MACHINE_DEVICES)
                return wrong(r, at, "a machine has at most %lld devices", (long long)WEFT_MACHINE_DEVICES);
    for (int i = 0; i < m->level_count; i++) {
        if (m->levels[i].is_shared) m->levels[i].link.bytes_per_s /= (double)weft_machine_part_devices(m, i);
        if (m->levels[i].link.bytes_per_s < 1)
            return wrong(r, at, "a device's share of the link that joins the %s is too small", m->levels[i].name);
    }
    if (m->rates == WEFT_RATES_DEFAULT) {
        m->flops_per_s = weft_machine_default.flops_per_s;
        m->bytes_per_s = weft_machine_default.bytes_per_s;
    }
    weft_machine_settle(m);
    return WEFT_OK;
}

static weft_status read_machine(reader *r) {
    weft_status st = WEFT_OK;
    for (advance(r); st == WEFT_OK; ) {
        if (next_is(r, "about")) {
            advance(r);
            if (r->t.kind != TEXT) return expected(r, "a text in quotes");
            keep(r->out->about, sizeof r->out->about, (weft_str){ r->t.text.p + 1, r->t.text.n - 2 });
            advance(r);
        } else if (next_is(r, "device")) {
            st = read_device(r);
        } else if (next_is(r, "costs")) {
            st = read_costs(r);
        } else {
            break;
        }
    }
    token at = r->t;
    if (st == WEFT_OK && (st = read_level(r)) == WEFT_ERR_INVALID && r->behind.kind == WORD)
        weft_note(r->cx, weft_loc_file(r->cx, r->file, r->behind.line, r->behind.column),
                  "'%.*s' is no property of a device, so that levels begin here", WEFT_STR_ARG(r->behind.text));
    if (st == WEFT_OK && r->t.kind != END) st = expected(r, "the end of the description");
    return st == WEFT_OK ? finish(r, &at) : st;
}

/* "dgx-h100" of "/usr/share/weft/machines/dgx-h100.machine". */
static weft_str stem_of(const char *path) {
    const char *slash = strrchr(path, '/');
    weft_str s = weft_str_from(slash ? slash + 1 : path);
    const char *dot = memchr(s.p, '.', s.n);
    if (dot && dot > s.p) s.n = (size_t)(dot - s.p);
    return s;
}

weft_status weft_machine_read(weft_context *cx, weft_str text, const char *name, weft_machine *out) {
    reader r = { .cx = cx, .file = weft_name_from(cx, name), .p = text.p, .end = text.p + text.n, .line_start = text.p,
                 .line = 1, .out = out };
    *out = (weft_machine){ .rates = WEFT_RATES_DEFAULT, .costs = weft_machine_default.costs };
    if (!r.file) return weft_oom();
    keep(out->name, sizeof out->name, stem_of(name));
    return read_machine(&r);
}

weft_status weft_costs_read(weft_context *cx, weft_str text, const char *name, weft_machine *m) {
    weft_machine changed = *m;
    reader r = { .cx = cx, .file = weft_name_from(cx, name), .p = text.p, .end = text.p + text.n, .line_start = text.p,
                 .line = 1, .out = &changed };
    if (!r.file) return weft_oom();
    advance(&r);
    weft_status st = read_cost_list(&r);
    if (st == WEFT_OK && r.t.kind != END) st = expected(&r, "a cost, as 'keep 20'");
    if (st == WEFT_OK) m->costs = changed.costs;
    return st;
}
