/* restore.c: loads a state from a checkpoint, each process its own parts. */
#include <stdlib.h>

#include <weft/checkpoint.h>
#include "base/nearest.h"
#include "base/options.h"
#include "capi/array_impl.h"
#include "capi/pattern.h"
#include "capi/restore_as.h"
#include "runtime/checkpoint.h"

typedef struct wanted {
    weft_name name;                      /* in the state */
    const weft_kind *kind;               /* NULL: as it was saved */
    const weft_saved_array *saved;
    weft_restore_view *view;             /* instead of saved, by the options' rows */
    weft_array *array;
} wanted;

typedef struct loading {
    weft_source at;
    weft_client *client;
    weft_context *cx;
    weft_restore_options options;
    weft_saved saved;
    weft_restore_as as;                  /* rows NULL: none */
    wanted *all;
    size_t count;
    weft_name *names;                    /* of all arrays that may be loaded, for messages */
    size_t name_count;
} loading;

/* ---- which ---- */

static const char *stored_name(const loading *l, const char *name) {
    return l->options.map ? l->options.map(l->options.map_user, name) : name;
}

static bool is_chosen(const loading *l, weft_str name) {
    return !l->options.arrays || weft_pattern_matches(weft_str_from(l->options.arrays), name);
}

static weft_status not_there(loading *l, const char *name) {
    weft_nearest near = weft_nearest_to(weft_str_from(name));
    for (size_t i = 0; i < l->saved.array_count; i++)
        weft_nearest_offer(&near, weft_str_from(l->saved.arrays[i].stored->name));
    return weft_report(l->cx, WEFT_D_data, weft_place_of(l->cx, l->at), "'%s' has no array '%s'" WEFT_NEAREST,
                       l->saved.folder,
                       name, WEFT_NEAREST_ARG(near));
}

/* By rows: what has none is left out only if it need not be there. */
static weft_status add_by_row(loading *l, weft_name name, const weft_kind *kind, bool must) {
    const bool has_row = weft_restore_as_names(&l->as, name->text);
    l->names[l->name_count++] = name;
    if (!is_chosen(l, weft_name_str(name)) || (!has_row && !must)) return WEFT_OK;
    if (!has_row)
        return weft_report(l->cx, WEFT_D_usage, weft_place_of(l->cx, l->at),
                           "there is no row for array '%s', and the pattern of `arrays` does not take it away",
                           name->text);
    l->all[l->count] = (wanted){ .name = name, .kind = kind };
    weft_status st = weft_restore_as_find(&l->as, name->text, kind, &l->all[l->count].view);
    if (st == WEFT_OK) l->count++;
    return st;
}

static weft_status add(loading *l, weft_name name, const weft_kind *kind, bool must) {
    if (l->as.rows) return add_by_row(l, name, kind, must);
    const char *stored = is_chosen(l, weft_name_str(name)) ? stored_name(l, name->text) : NULL;
    if (!stored) return WEFT_OK;
    const weft_saved_array *a = weft_saved_find(&l->saved, stored);
    if (!a) return must ? not_there(l, stored) : WEFT_OK;
    for (size_t i = 0; i < l->count; i++)
        if (l->all[i].name == name) return WEFT_OK;
    l->all[l->count++] = (wanted){ .name = name, .kind = kind, .saved = a };
    return WEFT_OK;
}

static weft_status add_of_program(loading *l, const weft_program *p, const weft_state *s) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < weft_program_input_count(p); i++) {
        const weft_program_port port = weft_program_input(p, i);
        st = add(l, port.name, port.kind, port.is_updated);
    }
    (void)s;
    return st;
}

/* Everything that is there, under the state's names: with a map nobody knows these. */
static weft_status add_all(loading *l) {
    weft_status st = WEFT_OK;
    if (l->options.map || l->as.rows)
        return weft_report(l->cx, WEFT_D_usage, weft_place_of(l->cx, l->at),
                           "a map of names needs a program, or a state that has arrays");
    for (size_t i = 0; st == WEFT_OK && i < l->saved.array_count; i++) {
        weft_name name = weft_name_from(l->cx, l->saved.arrays[i].stored->name);
        st = name ? add(l, name, NULL, false) : weft_oom();
    }
    return st;
}

static weft_status choose(loading *l, const weft_state *s) {
    const weft_program *p = l->options.program;
    weft_status st = WEFT_OK;
    const size_t most = s->count + l->saved.array_count + weft_program_input_count(p);
    l->all = weft_scratch_array(l->cx, wanted, most);
    l->names = weft_scratch_array(l->cx, weft_name, most);
    if (!l->all || !l->names) return weft_oom();
    if (l->options.as && l->options.map)
        return weft_report(l->cx, WEFT_D_usage, weft_place_of(l->cx, l->at),
                           "names are given by a map or by rows, not by both");
    if (l->options.as) {
        l->as = (weft_restore_as){ .cx = l->cx, .at = l->at, .saved = &l->saved, .rows = l->options.as,
                                   .n = l->options.as_count, .prefix = l->options.prefix };
        st = weft_restore_as_begin(&l->as);
        if (st != WEFT_OK) return st;
    }
    if (p) st = add_of_program(l, p, s);
    else if (!s->count) st = add_all(l);
    for (size_t i = 0; st == WEFT_OK && !p && i < s->count; i++)
        st = add(l, s->entries[i].name, s->entries[i].array->kind, true);
    if (st == WEFT_OK && l->as.rows) st = weft_restore_as_end(&l->as, l->names, l->name_count);
    if (st != WEFT_OK || l->count) return st;
    return weft_report(l->cx, WEFT_D_data, weft_place_of(l->cx, l->at), "'%s' has no array to load", l->saved.folder);
}

/* ---- how they lie ---- */

static int64_t devices_of(const char *mesh) {
    int64_t n = 1;
    for (const char *p = mesh; (p = strchr(p, '=')); p++)
        if (!weft_mul_i64(n, strtoll(p + 1, NULL, 10), &n)) return -1;
    return n;
}

static weft_status find_kind(loading *l, wanted *w) {
    if (w->view) return WEFT_OK; /* compared when it was found */
    const weft_stored *t = w->saved->stored;
    weft_status st = WEFT_OK;
    weft_buf type;
    weft_buf_init(&type, &l->cx->alloc);
    weft_stored_print_type(&type, t);
    if (type.failed) st = weft_oom();
    const bool fits = *w->saved->mesh && devices_of(w->saved->mesh) == weft_client_devices(l->client);
    if (st == WEFT_OK && !w->kind)
        w->kind = weft_kind_of_texts(l->at, l->client, type.p, fits ? w->saved->mesh : NULL,
                                     fits ? w->saved->sharding : NULL, &st);
    if (st == WEFT_OK && strcmp(w->kind->type, type.p))
        st = weft_report(l->cx, WEFT_D_data, weft_place_of(l->cx, l->at), "array '%s' is %s, and in '%s' %s",
                         w->name->text,
                         w->kind->type, w->saved->file->path, type.p);
    weft_buf_free(&type);
    return st;
}

/* ---- data ---- */

static weft_status read_part(void *user, const weft_part *p) {
    const struct { loading *l; const wanted *w; } *in = user;
    const weft_layout *layout = in->w->kind->layout;
    if (in->w->view) return weft_restore_as_read(&in->l->as, in->w->view, in->w->kind, p);
    int64_t local[WEFT_MOST_DIMS];
    for (uint32_t d = 0; d < layout->rank; d++) local[d] = layout->dims[d].local;
    const weft_box r = { layout->rank, weft_dtype_bytes(layout->dtype), in->w->saved->stored->dims, p->start, p->count,
                            local };
    return weft_saved_read(&in->l->saved, in->w->saved, &r, p->data);
}

static weft_status read_all(loading *l) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < l->count; i++) {
        struct { loading *l; const wanted *w; } in = { l, &l->all[i] };
        st = weft_array_fill(l->at, l->client, l->all[i].kind, read_part, &in, &l->all[i].array);
    }
    return st;
}

weft_status weft_checkpoint_load_at(weft_source at, weft_client *c, const char *dir, weft_state *s,
                                    const weft_restore_options *opt, int64_t *step) {
    if (!c || !s) return WEFT_ERR_USAGE;
    loading l = { .at = at, .client = c, .cx = weft_client_context(c) };
    weft_mark mark = weft_arena_mark(&l.cx->scratch);
    weft_status st = WEFT_OPTIONS_READ(l.cx, weft_place_of(l.cx, at), weft_restore_options, opt, &l.options);
    if (st == WEFT_OK && (!dir || !*dir))
        st = weft_report(l.cx, WEFT_D_usage, weft_place_of(l.cx, at), "a checkpoint needs a directory");
    if (st == WEFT_OK && s->client != c)
        st = weft_report(l.cx, WEFT_D_usage, weft_place_of(l.cx, at),
                         "the state is of another client than the checkpoint");
    if (st != WEFT_OK) return st;
    const weft_call call = weft_call_begin(weft_client_context(c), at);
    weft_journal_call(c);
    st = weft_saved_open(l.cx, dir, &l.saved);
    if (st == WEFT_OK) st = choose(&l, s);
    for (size_t i = 0; st == WEFT_OK && i < l.count; i++) st = find_kind(&l, &l.all[i]);
    if (st == WEFT_OK && !l.options.unchecked)
        st = weft_saved_verify(&l.saved, weft_client_process(c), weft_client_processes(c));
    st = weft_agree(c, st);
    if (st == WEFT_OK) st = read_all(&l);
    for (size_t i = 0; i < l.count; i++) {
        if (st == WEFT_OK) st = weft_state_put(s, l.all[i].name, l.all[i].array);
        else weft_array_release(l.all[i].array);
    }
    if (st == WEFT_OK && step) *step = l.saved.step;
    weft_saved_close(&l.saved);
    weft_arena_reset(&l.cx->scratch, mark);
    return weft_call_end(call, st);
}
