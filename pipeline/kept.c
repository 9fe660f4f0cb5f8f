/* kept.c: see kept.h. */
#include "pipeline/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include "exec/build.h"
#include "exec/cache.h"
#include "exec/cpu.h"
#include "mlir/print.h"
#include "pipeline/said.h"

weft_status weft_kept_machine(weft_context *cx, const weft_machine *usual, weft_machine *out) {
    const char *costs = getenv("WEFT_COSTS");
    *out = usual ? *usual : weft_machine_default;
    return costs && *costs ? weft_costs_open(cx, costs, out) : WEFT_OK;
}

/* The options with the machine and the cache of the environment. */
static weft_status furnish(weft_context *cx, const weft_build_options *opt, weft_machine *machine,
                           weft_build_options *out) {
    const weft_cache_place place = weft_cache_place_of_process();
    weft_status st = weft_kept_machine(cx, opt->machine, machine);
    *out = *opt;
    out->machine = machine;
    return st == WEFT_OK ? weft_cache_open(cx, &place, &out->cache) : st;
}

weft_status weft_program_build_kept(weft_context *cx, const weft_module *m, const weft_build_options *opt,
                                    weft_built_program **out) {
    weft_build_options own;
    weft_machine machine;
    weft_status st = furnish(cx, opt, &machine, &own);
    if (st == WEFT_OK) st = weft_program_build(cx, m, &own, out);
    weft_cache_close(own.cache);
    return st;
}

/* ---- keys ---- as lines "NAME VALUE", as the tool's (tool/program_cache.c) */

void weft_kept_key_machine(weft_buf *key, const weft_machine *m, weft_buf *text) {
    text->n = 0;
    weft_machine_print(m, text);
    weft_cache_key_hash(key, "machine", text->p, text->n);
    weft_cache_key_hash(key, "costs", &m->costs, sizeof m->costs); /* the text rounds them */
}

/* Names that are none of MLIR's are not in the module's text. */
static void put_names(weft_buf *key, const weft_module *m, const weft_port_names *names, weft_buf *text) {
    const weft_type *t = weft_func_type(weft_module_main(m));
    text->n = 0;
    for (uint32_t i = 0; i < t->part_count; i++)
        weft_buf_printf(text, "%s\n", i < t->input_count ? names->args[i] : names->results[i - t->input_count]);
    weft_cache_key_hash(key, "names", text->p, text->n);
}

/* Warnings that the context does not want, or has reported once, are not kept with the program. */
static void put_context(weft_buf *key, const weft_context *cx) {
    weft_buf_printf(key, "werror %x\nsilence %x\ntold %x\n", cx->werror, cx->silent, cx->told);
}

static bool names_all(const weft_context *cx, const weft_module *m, const weft_build_options *o) {
    return !cx->rule_texts && !cx->auto_partitioner && !o->compile_flags && !o->mesh && !o->order && !o->cpu &&
           !o->even_borders && !o->terms && !o->remat && !o->plan && !o->assumed_trips && !o->custom_costs &&
           !o->foreign && !o->dump && !o->question && weft_module_main(m);
}

/* All that the program depends on. Empty: it is not kept as a whole. */
static weft_status make_key(weft_context *cx, const weft_module *m, const weft_build_options *o,
                            const weft_port_names *names, weft_buf *key) {
    weft_buf text;
    if (!o->cache || !names_all(cx, m, o)) return WEFT_OK;
    weft_buf_init(&text, &cx->alloc);
    weft_status st = weft_print_module(m, WEFT_PRINT_LOCS, &text);
    weft_buf_printf(key, "weft %s\nprocessor this ", weft_build_name());
    weft_cpu_print_whole(key);
    weft_buf_puts(key, "\nfile of the C API\n");
    weft_cache_key_hash(key, "text", text.p, text.n);
    put_names(key, m, names, &text);
    weft_buf_printf(key, "devices %lld\nobey-constraints %d\nmemory %lld\nprecision %s\n", (long long)o->devices,
                    o->obey_constraints, (long long)o->memory_bytes, o->precision ? o->precision : "f32");
    weft_kept_key_machine(key, o->machine, &text);
    put_context(key, cx);
    if (st == WEFT_OK && (text.failed || key->failed)) st = weft_oom();
    weft_buf_free(&text);
    return st;
}

/* ---- entries: the warnings told once, what was said, then the program's file ---- */

static void walk_before(weft_archive *a, uint32_t *told, weft_said *said) {
    WEFT_ARCHIVE_NUMBER(a, *told);
    weft_said_walk(a, said);
}

static void drop(void *user, const weft_diag *d) { (void)user, (void)d; }

/* An entry that cannot be read is none; a report of that would be of no use. */
static weft_program_file *read_entry(weft_context *cx, const weft_cached *e) {
    weft_archive a = { .mode = WEFT_ARCHIVE_READ, .arena = &cx->arena, .at = e->data, .end = e->data + e->bytes };
    weft_program_file *file = NULL;
    weft_said said = { .v = NULL };
    uint32_t told = 0;
    walk_before(&a, &told, &said);
    if (a.status != WEFT_OK) return NULL;
    const weft_diag error = cx->error;
    const weft_diag_handler handler = cx->handler;
    void *user = cx->handler_user;
    weft_context_set_handler(cx, drop, NULL);
    if (weft_program_file_read(cx, a.at, (size_t)(a.end - a.at), "a kept program", &file) != WEFT_OK) file = NULL;
    weft_context_set_handler(cx, handler, user);
    cx->error = error;
    if (!file) return NULL;
    weft_said_again(&said, cx);
    cx->told |= told;
    return file;
}

weft_kept weft_kept_of_file(weft_program_file *f) {
    return (weft_kept){ f->exec, f->args, f->results, f->arg_layouts, f->result_layouts, .file = f };
}

weft_status weft_kept_write(const weft_kept *k, weft_buf *out) {
    const weft_program_file file = { .exec = k->built ? k->built->exec : k->file->exec, .args = k->args,
                                     .results = k->results, .arg_layouts = k->arg_layouts,
                                     .result_layouts = k->result_layouts };
    return weft_program_file_write(&file, out);
}

static bool find(weft_context *cx, weft_cache *c, const weft_buf *key, weft_kept *out) {
    weft_cached e;
    if (!weft_cache_get(c, WEFT_CACHE_PROGRAM, key->p, key->n, &e)) return false;
    weft_program_file *f = read_entry(cx, &e);
    weft_cache_release(&e);
    if (f) *out = weft_kept_of_file(f);
    return f != NULL;
}

static void put(weft_cache *c, const weft_buf *key, uint32_t told, weft_said *said, const weft_kept *k) {
    weft_context *cx = k->built->cx;
    weft_buf data;
    char label[64];
    weft_buf_init(&data, &cx->alloc);
    weft_archive a = { .mode = WEFT_ARCHIVE_WRITE, .out = &data };
    walk_before(&a, &told, said);
    snprintf(label, sizeof label, "a graph, %lld devices", (long long)k->built->device_count);
    if (a.status == WEFT_OK && weft_kept_write(k, &data) == WEFT_OK)
        weft_cache_put(c, WEFT_CACHE_PROGRAM, label, key->p, key->n, data.p, data.n);
    weft_buf_free(&data);
}

/* ---- compiling ---- */

static weft_status build(weft_context *cx, const weft_module *m, const weft_build_options *o,
                         const weft_port_names *names, weft_kept *out) {
    weft_built_program *b = NULL;
    weft_status st = weft_program_build(cx, m, o, &b);
    if (st != WEFT_OK) return st;
    *out = (weft_kept){ .exec = b->exec, .arg_layouts = b->arg_layouts, .result_layouts = b->result_layouts,
                        .built = b };
    st = weft_built_program_ports(b, names, &out->args, &out->results);
    if (st != WEFT_OK) weft_kept_free(out);
    return st;
}

/* The one of the processes that compiles: it has the cores of those that wait. */
static weft_status build_and_put(weft_context *cx, const weft_module *m, const weft_build_options *opt,
                                 const weft_port_names *names, const weft_buf *key, weft_kept *out) {
    weft_build_options o = *opt;
    weft_said said;
    const uint32_t told = cx->told;
    o.waiting = o.processes > 1 ? o.processes - 1 : 0;
    o.process = o.processes = 0;
    weft_said_begin(&said, cx);
    weft_status st = build(cx, m, &o, names, out);
    weft_said_end(&said);
    if (st == WEFT_OK && !said.failed) put(o.cache, key, cx->told & ~told, &said, out);
    return st == WEFT_OK ? weft_cache_tell(o.cache) : st;
}

static weft_status find_or_build(weft_context *cx, const weft_module *m, const weft_build_options *o,
                                 const weft_port_names *names, const weft_buf *key, weft_kept *out) {
    int claim;
    weft_status st = WEFT_OK;
    if (!key->n) return build(cx, m, o, names, out);
    if (find(cx, o->cache, key, out)) return WEFT_OK;
    const bool mine = weft_cache_claim(o->cache, WEFT_CACHE_PROGRAM, key->p, key->n, &claim);
    if (!find(cx, o->cache, key, out))
        st = mine ? build_and_put(cx, m, o, names, key, out) : build(cx, m, o, names, out);
    if (mine) weft_cache_unclaim(o->cache, WEFT_CACHE_PROGRAM, key->p, key->n, claim);
    return st;
}

weft_status weft_program_keep(weft_context *cx, const weft_module *m, const weft_build_options *opt,
                              const weft_port_names *names, weft_kept *out) {
    weft_build_options o;
    weft_machine machine;
    weft_buf key;
    *out = (weft_kept){ .exec = NULL };
    weft_buf_init(&key, &cx->alloc);
    weft_status st = furnish(cx, opt, &machine, &o);
    if (st == WEFT_OK) st = make_key(cx, m, &o, names, &key);
    if (st == WEFT_OK) st = find_or_build(cx, m, &o, names, &key, out);
    weft_buf_free(&key);
    weft_cache_close(o.cache);
    return st;
}

void weft_kept_free(weft_kept *k) {
    weft_built_program_free(k->built);
    weft_program_file_free(k->file);
    *k = (weft_kept){ .exec = NULL };
}
