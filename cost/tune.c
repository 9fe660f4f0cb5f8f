/* tune.c: tables of measurements as text, and their places. */
#include "cost/tune.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/context.h"
#include "base/draft.h"
#include "topology/machine.h"
#include "base/quantity.h"

#define MOST_BYTES (1 << 20) /* of a table */
#define MOST_RANKS (1 << 24)

void weft_tune_clear(weft_tune *out) {
    memset(out, 0, sizeof *out);
    out->links = weft_links_default;
}

bool weft_tune_add(weft_tune *t, const weft_tune_rule *rule) {
    if (t->rule_count == WEFT_TUNE_RULES) return false;
    t->rules[t->rule_count++] = *rule;
    return true;
}

static int stream_at(const weft_tune *t, int ranks, int nodes) {
    int i = 0;
    while (i < t->stream_count && (t->streams[i].ranks != ranks || t->streams[i].nodes != nodes)) i++;
    return i;
}

void weft_tune_set_stream(weft_tune *t, const weft_tune_stream *stream) {
    const int at = stream_at(t, stream->ranks, stream->nodes);
    const bool full = at == WEFT_TUNE_STREAMS;
    if (full) memmove(t->streams, t->streams + 1, (WEFT_TUNE_STREAMS - 1) * sizeof *t->streams);
    t->streams[at - full] = *stream;
    if (at == t->stream_count && !full) t->stream_count++;
}

int64_t weft_tune_stream_of(const weft_tune *t, int ranks, int nodes) {
    const int at = stream_at(t, ranks, nodes);
    return at < t->stream_count ? t->streams[at].bytes : 0;
}

static bool is_for(const weft_tune *t, int ranks, int nodes) {
    for (int i = 0; i < t->rule_count; i++)
        if (t->rules[i].ranks == ranks && t->rules[i].nodes == nodes) return true;
    return false;
}

static const char *const products[] = { [WEFT_TUNE_F32] = "f32", [WEFT_TUNE_BF16] = "bf16", [WEFT_TUNE_F64] = "f64" };

const char *weft_tune_product_name(weft_tune_product p) { return products[p]; }

double weft_tune_least_s(const weft_tune_rates *r, int cores, weft_dtype dtype, double flops, double bytes) {
    const weft_dtype part = weft_dtype_is_complex(dtype) ? weft_dtype_part(dtype) : dtype;
    const weft_tune_product p = part == WEFT_F64 ? WEFT_TUNE_F64 : part == WEFT_BF16 ? WEFT_TUNE_BF16 : WEFT_TUNE_F32;
    const double rate = cores * r->product_flops_per_s[p], all = r->node_bytes_per_s;
    double memory = cores * r->core_bytes_per_s;
    if (all > 0 && memory > all) memory = all;
    const double arithmetic_s = rate > 0 ? flops / rate : 0, memory_s = memory > 0 ? bytes / memory : 0;
    return arithmetic_s > memory_s ? arithmetic_s : memory_s;
}

static void merge_rates(weft_tune_rates *into, const weft_tune_rates *found) {
    for (int i = 0; i < WEFT_TUNE_PRODUCTS; i++)
        if (found->product_flops_per_s[i] > 0) into->product_flops_per_s[i] = found->product_flops_per_s[i];
    if (found->core_bytes_per_s > 0) into->core_bytes_per_s = found->core_bytes_per_s;
    if (found->node_bytes_per_s > 0) into->node_bytes_per_s = found->node_bytes_per_s;
}

void weft_tune_merge(weft_tune *into, const weft_tune *found) {
    int kept = 0;
    memcpy(into->machine, found->machine, sizeof into->machine);
    for (unsigned i = 0; i < WEFT_LINK_COUNT; i++)
        if (weft_bits_has(found->measured, i)) into->links.at[i] = found->links.at[i];
    into->measured |= found->measured;
    if (found->reduce_measured)
        into->links.reduce_bytes_per_s = found->links.reduce_bytes_per_s, into->reduce_measured = true;
    if (found->copy_measured) into->links.copy_bytes_per_s = found->links.copy_bytes_per_s, into->copy_measured = true;
    merge_rates(&into->rates, &found->rates);
    for (int i = 0; i < into->rule_count; i++)
        if (!is_for(found, into->rules[i].ranks, into->rules[i].nodes)) into->rules[kept++] = into->rules[i];
    int room = WEFT_TUNE_RULES - found->rule_count, drop = kept > room ? kept - room : 0;
    memmove(into->rules, into->rules + drop, (size_t)(kept - drop) * sizeof *into->rules);
    into->rule_count = kept - drop;
    for (int i = 0; i < found->rule_count; i++) weft_tune_add(into, &found->rules[i]);
    for (int i = 0; i < found->stream_count; i++) weft_tune_set_stream(into, &found->streams[i]);
}

/* --- as text ------------------------------------------------------------------------------------------------------ */

typedef struct reader {
    weft_context *cx;
    weft_name file;
    uint32_t line;
    weft_str whole, left;     /* the line without its comment, and the rest of it */
    weft_tune *out;
} reader;

/* The next word of the line; empty at its end. */
static weft_str next_word(reader *r) {
    size_t i = 0, n = 0;
    while (i < r->left.n && (r->left.p[i] == ' ' || r->left.p[i] == '\t')) i++;
    while (i + n < r->left.n && r->left.p[i + n] != ' ' && r->left.p[i + n] != '\t') n++;
    weft_str word = { r->left.p + i, n };
    r->left = (weft_str){ word.p + n, r->left.n - i - n };
    return word;
}

static weft_status wrong(const reader *r, weft_str at, const char *expected) {
    const weft_loc *loc = weft_loc_file(r->cx, r->file, r->line, (uint32_t)(at.p - r->whole.p) + 1);
    if (!at.n) return weft_report(r->cx, WEFT_D_data, loc, "expected %s, but the line ends here", expected);
    return weft_report(r->cx, WEFT_D_data, loc, "expected %s, not '%.*s'", expected, at.n < 60 ? (int)at.n : 60, at.p);
}

static weft_status read_quantity(reader *r, weft_quantity q, double *out) {
    weft_str word = next_word(r);
    double v = 0;
    if (weft_quantity_read(word, &v) != q || !weft_quantity_fits(q, v)) return wrong(r, word, weft_quantity_about(q));
    *out = v;
    return WEFT_OK;
}

static weft_status read_number(reader *r, const char *before, int32_t *out) {
    weft_str word = next_word(r);
    if (before && !weft_str_is(word, before)) return wrong(r, word, "'nodes'");
    if (before) word = next_word(r);
    int64_t n = 0;
    for (size_t i = 0; i < word.n && n <= MOST_RANKS; i++)
        n = word.p[i] >= '0' && word.p[i] <= '9' ? n * 10 + (word.p[i] - '0') : INT32_MAX;
    if (n < 1 || n > MOST_RANKS) return wrong(r, word, "a number from 1");
    *out = (int32_t)n;
    return WEFT_OK;
}

static weft_status read_link(reader *r) {
    weft_str word = next_word(r);
    unsigned level = 0;
    while (level < WEFT_LINK_COUNT && !weft_str_is(word, weft_link_name((weft_link_level)level))) level++;
    if (level == WEFT_LINK_COUNT) return wrong(r, word, "one of CORE, CACHE, NUMA, PACKAGE, MACHINE and NETWORK");
    weft_link *link = &r->out->links.at[level];
    weft_status st = read_quantity(r, WEFT_RATE, &link->bytes_per_s);
    if (st == WEFT_OK) st = read_quantity(r, WEFT_TIME, &link->latency_s);
    r->out->measured |= weft_bit(level);
    return st;
}

static weft_status read_rule(reader *r) {
    weft_tune_rule rule;
    weft_status st = read_number(r, NULL, &rule.ranks);
    if (st == WEFT_OK) st = read_number(r, "nodes", &rule.nodes);
    if (st != WEFT_OK) return st;
    weft_str word = next_word(r);
    weft_tune_stream stream = { rule.ranks, rule.nodes, 0 };
    if (weft_stream_rule_read(word, &stream.bytes)) {
        weft_tune_set_stream(r->out, &stream);
        return WEFT_OK;
    }
    if (!weft_alg_rule_read(word, &rule.rule))
        return wrong(r, word, "an algorithm, as all_reduce:64K-1M=windows, or stream=4M");
    return weft_tune_add(r->out, &rule) ? WEFT_OK : wrong(r, word, "no more rules");
}

/* Any words; the first ones are kept. */
static weft_status read_machine(reader *r) {
    char *to = r->out->machine;
    size_t n = 0;
    while (r->left.n && (*r->left.p == ' ' || *r->left.p == '\t')) r->left.p++, r->left.n--;
    for (size_t i = 0; i < r->left.n; i++)
        if ((unsigned char)r->left.p[i] < ' ') return wrong(r, (weft_str){ r->left.p + i, 1 }, "words");
    while (n < r->left.n && n < sizeof r->out->machine - 1) to[n] = r->left.p[n], n++;
    while (n && to[n - 1] == ' ') n--;
    to[n] = 0;
    r->left.n = 0;
    return WEFT_OK;
}

/* The first words of lines. */
static weft_status read_reduce(reader *r) {
    return r->out->reduce_measured = true, read_quantity(r, WEFT_RATE, &r->out->links.reduce_bytes_per_s);
}
static weft_status read_copy(reader *r) {
    return r->out->copy_measured = true, read_quantity(r, WEFT_RATE, &r->out->links.copy_bytes_per_s);
}
static weft_status read_product(reader *r) {
    weft_str word = next_word(r);
    unsigned p = 0;
    while (p < WEFT_TUNE_PRODUCTS && !weft_str_is(word, products[p])) p++;
    if (p == WEFT_TUNE_PRODUCTS) return wrong(r, word, "one of f32, bf16 and f64");
    return read_quantity(r, WEFT_FLOPS, &r->out->rates.product_flops_per_s[p]);
}
static weft_status read_memory(reader *r) {
    const weft_status st = read_quantity(r, WEFT_RATE, &r->out->rates.core_bytes_per_s);
    return st == WEFT_OK && r->left.n ? read_quantity(r, WEFT_RATE, &r->out->rates.node_bytes_per_s) : st;
}
static const struct { const char *word; weft_status (*read)(reader *r); } entries[] = {
    { "machine", read_machine }, { "link", read_link }, { "reduce", read_reduce }, { "copy", read_copy },
    { "product", read_product }, { "memory", read_memory }, { "ranks", read_rule },
};

static weft_status read_line(reader *r) {
    weft_str word = next_word(r);
    size_t i = 0;
    if (!word.n) return WEFT_OK;
    while (i < WEFT_COUNT(entries) && !weft_str_is(word, entries[i].word)) i++;
    if (i == WEFT_COUNT(entries)) return wrong(r, word, "'link', 'reduce', 'copy', 'product', 'memory', 'ranks' or 'machine'");
    weft_status st = entries[i].read(r);
    word = st == WEFT_OK ? next_word(r) : (weft_str){ 0 };
    return word.n ? wrong(r, word, "the end of the line") : st;
}

weft_status weft_tune_read(weft_context *cx, weft_str text, const char *name, weft_tune *out) {
    reader r = { .cx = cx, .file = weft_name_from(cx, name), .out = out };
    bool titled = false;
    weft_status st = r.file ? WEFT_OK : weft_oom();
    weft_tune_clear(out);
    for (const char *p = text.p, *end = text.p + text.n; p < end && st == WEFT_OK; p++) {
        const char *from = p, *stop;
        while (p < end && *p != '\n') p++;
        stop = memchr(from, '#', (size_t)(p - from));
        r.line++;
        r.whole = (weft_str){ from, (size_t)((stop ? stop : p) - from) };
        while (r.whole.n && (r.whole.p[r.whole.n - 1] == ' ' || r.whole.p[r.whole.n - 1] == '\r' ||
                             r.whole.p[r.whole.n - 1] == '\t'))
            r.whole.n--;
        r.left = r.whole;
        if (!r.whole.n) continue;
        if (titled) st = read_line(&r);
        else if (!weft_str_is(r.whole, "weft-tune 1")) st = wrong(&r, r.whole, "'weft-tune 1' on the first line");
        titled = true;
    }
    if (st == WEFT_OK && !titled) {
        r.line++;
        st = wrong(&r, r.whole, "'weft-tune 1' on the first line");
    }
    if (st != WEFT_OK) weft_tune_clear(out);
    return st;
}

void weft_tune_print(const weft_tune *t, weft_buf *b) {
    weft_buf_puts(b, "weft-tune 1\n");
    if (t->machine[0]) weft_buf_printf(b, "machine %s\n", t->machine);
    WEFT_EACH_BIT(i, t->measured) {
        weft_buf_printf(b, "link %s ", weft_link_name((weft_link_level)i));
        weft_link_print(b, &t->links.at[i]);
        weft_buf_puts(b, t->links.at[i].latency_s > 0 ? "\n" : " 0s\n");
    }
    if (t->reduce_measured) weft_buf_puts(b, "reduce "), weft_scaled_print(b, t->links.reduce_bytes_per_s, "B/s\n");
    if (t->copy_measured) weft_buf_puts(b, "copy "), weft_scaled_print(b, t->links.copy_bytes_per_s, "B/s\n");
    for (int i = 0; i < WEFT_TUNE_PRODUCTS; i++) {
        if (!(t->rates.product_flops_per_s[i] > 0)) continue;
        weft_buf_printf(b, "product %s ", products[i]);
        weft_scaled_print(b, t->rates.product_flops_per_s[i], "flop/s\n");
    }
    if (t->rates.core_bytes_per_s > 0) {
        const double all = t->rates.node_bytes_per_s;
        weft_buf_puts(b, "memory "), weft_scaled_print(b, t->rates.core_bytes_per_s, all > 0 ? "B/s " : "B/s\n");
        if (all > 0) weft_scaled_print(b, all, "B/s\n");
    }
    for (int i = 0; i < t->rule_count; i++) {
        weft_buf_printf(b, "ranks %d nodes %d ", t->rules[i].ranks, t->rules[i].nodes);
        weft_alg_rule_print(b, &t->rules[i].rule);
        weft_buf_putc(b, '\n');
    }
    for (int i = 0; i < t->stream_count; i++) {
        weft_buf_printf(b, "ranks %d nodes %d ", t->streams[i].ranks, t->streams[i].nodes);
        weft_stream_rule_print(b, t->streams[i].bytes);
        weft_buf_putc(b, '\n');
    }
}

/* --- the place ---------------------------------------------------------------------------------------------------- */

static bool cache_folder(const weft_tune_place *p, char *out, size_t room) {
    int n = 0;
    /* a relative one is not valid: XDG Base Directory Specification */
    if (p->cache && *p->cache == '/') n = snprintf(out, room, "%s/weft", p->cache);
    else if (p->home && *p->home) n = snprintf(out, room, "%s/.cache/weft", p->home);
    return n > 0 && (size_t)n < room;
}

weft_status weft_tune_path(weft_context *cx, const weft_tune_place *p, const weft_topology *t, char *out, size_t room) {
    char folder[3072];
    if (p->where && !strcmp(p->where, "none"))
        return weft_report(cx, WEFT_D_usage, NULL, "WEFT_TUNE is none: there is no table of measurements");
    if (p->where && *p->where) {
        if ((size_t)snprintf(out, room, "%s", p->where) < room) return WEFT_OK;
        return weft_report(cx, WEFT_D_usage, NULL, "the name of the table of measurements is too long");
    }
    if (!cache_folder(p, folder, sizeof folder))
        return weft_report(cx, WEFT_D_usage, NULL,
                           "there is no cache directory: neither XDG_CACHE_HOME nor HOME is set");
    snprintf(out, room, "%s/tune-%016llx", folder, (unsigned long long)weft_topology_hash(t));
    return WEFT_OK;
}

bool weft_tune_any(const weft_tune_place *p) {
    char folder[3072];
    bool any = false;
    if (p->where && !strcmp(p->where, "none")) return false;
    if (p->where && *p->where) return access(p->where, F_OK) == 0;
    if (!cache_folder(p, folder, sizeof folder)) return false;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && !any && (e = readdir(d));) any = !strncmp(e->d_name, "tune-", 5);
    if (d) closedir(d);
    return any;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* The owner of a table decides whether it is believed. */
typedef enum belief { ANYBODYS, OURS } belief;

/* A group may be its user's own; its members then count as the user. */
static bool is_ours(int fd) {
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == geteuid() || st.st_uid == 0) &&
           !(st.st_mode & S_IWOTH);
}

static weft_status load(weft_context *cx, const char *path, belief whose, weft_tune *out) {
    weft_tune_clear(out);
    /* non-blocking, in case a pipe is in its place */
    int fd = open(path, O_RDONLY | O_CLOEXEC | (whose == OURS ? O_NONBLOCK : 0));
    if (fd < 0 && errno == ENOENT) return WEFT_ERR_IO;
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!f) {
        int why = errno;
        if (fd >= 0) close(fd);
        return weft_report(cx, WEFT_D_data, NULL, "'%s' cannot be read: %s", path, strerror(why));
    }
    if (whose == OURS && !is_ours(fd)) {
        fclose(f);
        return weft_report(cx, WEFT_D_data, NULL,
                           "'%s' is ignored: it is not a plain file of this user, or everybody may write to it",
                           path);
    }
    weft_mark mark = weft_arena_mark(&cx->scratch);
    char *text = weft_arena_take(&cx->scratch, MOST_BYTES + 1, 1);
    size_t n = text ? fread(text, 1, MOST_BYTES + 1, f) : 0;
    weft_status st;
    if (!text) st = weft_oom();
    else if (ferror(f)) st = weft_report(cx, WEFT_D_data, NULL, "'%s' cannot be read: %s", path, strerror(errno));
    else if (n > MOST_BYTES)
        st = weft_report(cx, WEFT_D_data, NULL, "'%s' is too long for a table of measurements", path);
    else st = weft_tune_read(cx, (weft_str){ text, n }, path, out);
    weft_arena_reset(&cx->scratch, mark);
    fclose(f);
    return st;
}

weft_status weft_tune_load(weft_context *cx, const char *path, weft_tune *out) { return load(cx, path, ANYBODYS, out); }

/* The estimates are used instead. */
static weft_status complain(weft_context *cx, weft_context *inner) {
    const weft_diag *d = weft_context_diag(inner, 0);
    const weft_loc *loc =
        d && d->file ? weft_loc_file(cx, weft_name_from(cx, d->file), (uint32_t)d->line, (uint32_t)d->column) : NULL;
    return weft_report(cx, WEFT_D_fallback, loc, "%s: links and algorithms are estimated",
                       d ? d->message : "the table of measurements cannot be read");
}

weft_status weft_tune_find(weft_context *cx, const weft_tune_place *place, const weft_topology *t, weft_tune *out,
                           bool *there) {
    char path[4096];
    weft_context *inner = weft_context_new(&cx->alloc);
    weft_tune_clear(out);
    weft_status st = inner ? weft_tune_path(inner, place, t, path, sizeof path) : weft_oom();
    if (st == WEFT_OK) st = load(inner, path, place->where && *place->where ? ANYBODYS : OURS, out);
    *there = st == WEFT_OK;
    if (st == WEFT_ERR_IO) st = WEFT_OK; /* another machine's table exists */
    else if (st != WEFT_OK && st != WEFT_ERR_MEMORY) st = complain(cx, inner);
    weft_context_free(inner);
    return st;
}

weft_status weft_tune_miss(weft_context *cx, const weft_tune_place *p) {
    if (!p->where || !*p->where || !strcmp(p->where, "none") || access(p->where, F_OK) == 0) return WEFT_OK;
    return weft_report(cx, WEFT_D_fallback, NULL,
                       "the table of measurements '%s' does not exist: links and algorithms are estimated", p->where);
}

/* Creates the missing folders before the file's name. */
static void make_folders(const char *path) {
    char part[4096];
    for (const char *p = path; (p = strchr(p + 1, '/'));) {
        if ((size_t)(p - path) >= sizeof part) return;
        memcpy(part, path, (size_t)(p - path));
        part[p - path] = 0;
        mkdir(part, 0777);
    }
}

weft_status weft_tune_save(weft_context *cx, const char *path, const weft_tune *t) {
    weft_draft draft;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_buf_puts(&b, "# Measurements of `weft tune`. They may be edited: see `weft tune --help`.\n");
    weft_tune_print(t, &b);
    weft_status st = b.failed ? weft_oom() : WEFT_OK;
    if (st == WEFT_OK) {
        make_folders(path);
        st = weft_draft_open(&cx->alloc, path, &draft);
        if (st == WEFT_OK) {
            (void)fwrite(b.p, 1, b.n, draft.file); /* the stream remembers failures */
            st = weft_draft_close(&draft);
        }
        if (st == WEFT_ERR_MEMORY) st = weft_oom();
        else if (st != WEFT_OK)
            st = weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be written: %s", path, strerror(errno));
    }
    weft_buf_free(&b);
    return st;
}
