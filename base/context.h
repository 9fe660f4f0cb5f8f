/* context.h: the inside of weft_context. A context is used by one thread at a time. */
#ifndef WEFT_BASE_CONTEXT_H
#define WEFT_BASE_CONTEXT_H

#include "base/diag.h"
#include "base/table.h"

typedef struct weft_type_table weft_type_table; /* ir/type.c */
struct weft_rule_text;                          /* sharding/rule_text.h */
struct weft_auto_partitioner;                   /* propagate/auto_partition.h */

/* A line of the program that uses the library; file NULL: none. */
typedef struct weft_from { const char *file; int64_t line; } weft_from;

struct weft_context {
    weft_allocator alloc;
    weft_chunk_pool pool;
    weft_allocator chunks;     /* of the pool: for the arenas of modules and passes */
    weft_arena arena;          /* names, types, attributes, locations, diagnostics */
    weft_arena scratch;        /* between weft_arena_mark and weft_arena_reset of one function */
    struct {
        weft_table of_text;
        weft_name_entry **by_id; /* NULL for reserved ids not in use yet */
        size_t next_id, id_cap;
    } names;
    weft_type_table *types;    /* made by ir/ at first use */
    const struct weft_rule_text *rule_texts; /* registered sharding rules, the last first */
    const struct weft_auto_partitioner *auto_partitioner; /* or NULL */
    weft_diag_handler handler;
    void *handler_user;
    weft_diag *diags;
    size_t diag_count, diag_cap;
    weft_from caller;        /* of the call under way: what is reported without a place is reported there */
    weft_diag error;           /* the last error, whether a handler has it or diags; status WEFT_OK: none yet */
    uint32_t werror;           /* bit per class */
    uint32_t silent;           /* bit per class: warnings that are not reported */
    bool hushed;               /* the last diagnostic was silent */
    uint32_t told;             /* bit per class: reported by weft_report_once */
};

#define weft_scratch_array(cx, T, n) weft_arena_array(&(cx)->scratch, T, n)

#endif
