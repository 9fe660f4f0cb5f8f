/* program_cache.c: see program_cache.h. */
#include "tool/program_cache.h"

#include <stdlib.h>
#include "exec/archive.h"
#include "exec/build.h"
#include "exec/cpu.h"
#include "pipeline/kept.h"

weft_status tool_cache_open(tool *t, weft_cache **out) {
    weft_status st = WEFT_OK;
    if (!t->cache_opened) st = weft_cache_open(t->cx, &t->cache_place, &t->cache);
    t->cache_opened = true;
    *out = t->cache;
    return st;
}

/* ---- keys ---- */

static void put_list(weft_buf *key, const char *name, const tool_list *l) {
    for (size_t i = 0; i < l->n; i++) weft_buf_printf(key, "%s %s\n", name, l->v[i]);
}

static void put_word(weft_buf *key, const char *name, const char *value) {
    weft_buf_printf(key, "%s %s\n", name, value ? value : "-");
}

/* --plan: the text of its file. */
static weft_status put_plan(tool *t, const char *path, weft_buf *key) {
    tool_text plan = { NULL, NULL, 0 };
    if (!path) return WEFT_OK;
    const weft_status st = tool_text_read(t, path, &plan);
    if (st == WEFT_OK) weft_cache_key_hash(key, "plan", plan.text, plan.n);
    free((char *)plan.text);
    return st;
}

/* --topology and --costs: the machine as a text. */
static weft_status put_machine(tool *t, const char *what, const char *costs, weft_buf *key) {
    if (!what && !costs) return WEFT_OK;
    weft_machine *m = weft_arena_new(&t->cx->arena, weft_machine);
    weft_buf text;
    if (!m) return weft_oom();
    weft_buf_init(&text, &t->cx->alloc);
    weft_status st = tool_priced_open(t, what, costs, m);
    if (st == WEFT_OK) weft_kept_key_machine(key, m, &text);
    const bool failed = text.failed;
    weft_buf_free(&text);
    return st == WEFT_OK && failed ? weft_oom() : st;
}

static void put_processor(weft_buf *key, const char *cpu) {
    if (cpu) weft_buf_printf(key, "processor %s\n", cpu);
    else {
        weft_buf_puts(key, "processor this ");
        weft_cpu_print_whole(key);
        weft_buf_putc(key, '\n');
    }
}

weft_status tool_program_key(tool *t, const tool_build_settings *s, const char *inputs, weft_buf *key) {
    const tool_text *in = &t->input;
    key->n = 0;
    /* sizes may come from files */
    if (inputs && !s->types && memchr(in->text, '?', in->n)) return WEFT_OK;
    weft_buf_printf(key, "weft %s\n", weft_build_name());
    put_processor(key, s->cpu);
    put_word(key, "file", in->name);
    weft_cache_key_hash(key, "text", in->text, in->n);
    weft_buf_printf(key, "devices %lld\n", (long long)s->devices);
    put_word(key, "mesh", s->mesh);
    put_word(key, "order", s->order);
    put_word(key, "types", s->types);
    put_word(key, "obey-constraints", s->obey ? "yes" : NULL);
    put_word(key, "memory", s->memory);
    put_word(key, "precision", s->precision);
    put_word(key, "no-overlap", s->blocking ? "yes" : NULL);
    put_list(key, "rule", &s->compiling.rules);
    put_list(key, "werror", &s->compiling.werror);
    put_list(key, "silence", &s->compiling.silence);
    weft_status st = put_plan(t, s->plan, key);
    if (st == WEFT_OK) st = put_machine(t, s->topology, tool_costs(t, s->costs), key);
    return st == WEFT_OK && key->failed ? weft_oom() : st;
}

/* ---- entries: what was said, then the program's file ---- */

/* An entry that cannot be read, whatever is wrong with it, is none; reports of that would be of no use. */
static weft_program_file *read_entry(tool *t, const weft_cached *e, weft_said *said) {
    weft_archive a = { .mode = WEFT_ARCHIVE_READ, .arena = &t->cx->arena, .at = e->data, .end = e->data + e->bytes };
    weft_program_file *file = NULL;
    weft_said_walk(&a, said);
    if (a.status != WEFT_OK) return NULL;
    weft_context_set_handler(t->cx, tool_diag_drop, t);
    if (weft_program_file_read(t->cx, a.at, (size_t)(a.end - a.at), t->input.name, &file) != WEFT_OK) file = NULL;
    weft_context_set_handler(t->cx, tool_diag_handler, t);
    return file;
}

weft_program_file *tool_program_find(tool *t, weft_cache *c, const weft_buf *key) {
    weft_cached e;
    weft_said said = { .v = NULL };
    if (!weft_cache_get(c, WEFT_CACHE_PROGRAM, key->p, key->n, &e)) return NULL;
    weft_program_file *file = read_entry(t, &e, &said);
    weft_cache_release(&e);
    if (file) weft_said_again(&said, t->cx);
    return file;
}

weft_status tool_program_keep(tool *t, weft_cache *c, const weft_buf *key, weft_said *said, const tool_built *b) {
    weft_port_names names;
    weft_buf data;
    char label[256];
    weft_buf_init(&data, &t->cx->alloc);
    weft_archive a = { .mode = WEFT_ARCHIVE_WRITE, .out = &data };
    weft_said_walk(&a, said);
    snprintf(label, sizeof label, "%s, %lld devices", t->input.name, (long long)b->p->device_count);
    if (a.status == WEFT_OK && weft_module_port_names(b->m, &t->cx->arena, &names) == WEFT_OK &&
        weft_built_program_write(b->p, &names, &data) == WEFT_OK)
        weft_cache_put(c, WEFT_CACHE_PROGRAM, label, key->p, key->n, data.p, data.n);
    weft_buf_free(&data);
    return weft_cache_tell(c);
}
