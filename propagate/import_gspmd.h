/* import_gspmd.h: shared by the files of the pass weft-import-gspmd. */
#ifndef WEFT_PROPAGATE_IMPORT_GSPMD_H
#define WEFT_PROPAGATE_IMPORT_GSPMD_H

#include "ir/rewrite.h"
#include "propagate/gspmd.h"
#include "propagate/gspmd_manual.h"
#include "base/bits.h"

#define GSPMD_REMEDY "JAX writes what is read where jax_use_shardy_partitioner is on"

typedef struct gspmd_importer {
    weft_rewrite rewrite;
    weft_context *cx;
    weft_arena arena;
    weft_symbols symbols;
    gspmd_sharding **known;         /* every text once */
    size_t known_count, known_cap;
    gspmd_meshes meshes;
    gspmd_meshes alone;             /* of maximal shardings: one device each */
    manual_regions regions;
    const manual_region *filling;   /* the region whose ops are being copied, or NULL */
    weft_uses uses;
    bool names_devices;             /* some text names devices, or is unreadable */
    bool noted;                     /* the module notes the global shapes of its arguments or results */
} gspmd_importer;

/* The sharding in a text for value i of its values; NULL if there is no readable one. */
const gspmd_sharding *gspmd_said(const gspmd_importer *im, const weft_attr *text, uint32_t i);
/* entry i of a function's arg_attrs or res_attrs: its mhlo.sharding, or NULL */
const weft_attr *gspmd_entry_text(const weft_attr *list, uint32_t i);

static inline const gspmd_mesh *gspmd_main_mesh(const gspmd_importer *im) {
    return im->meshes.count ? im->meshes.v[0] : NULL;
}

/* The replacement of a value of the old module. */
static inline weft_value *gspmd_now(const gspmd_importer *im, const weft_value *old) {
    return im->rewrite.map.to[old->id];
}

bool gspmd_is_sharding_call(const weft_op *op); /* @Sharding */
weft_bits gspmd_open_dims(const weft_op *call); /* "unspecified_dims=[0,1]" of its backend_config */

/* s as a sdy sharding for a value of this type, over mesh if s names none. *out is NULL if there is nothing to express;
 * *why is then the problem, or NULL. */
weft_status gspmd_to_sdy(gspmd_importer *im, const gspmd_sharding *s, const weft_type *type, weft_bits open,
                         const gspmd_mesh *mesh, const weft_attr **out,
                         const char **why);

/* import_gspmd_batch.c: the number of batch dimensions that a custom call declares, or 0; its sharding rule, set on
 * made. */
uint32_t gspmd_batch_dims(const weft_op *op);
weft_status gspmd_set_batch_rule(gspmd_importer *im, const weft_op *op, weft_op *made);

/* import_gspmd_manual.c: finds the regions that cannot be expressed (a warning each, `unread`) before anything is
 * built; and makes the op of one that can. */
weft_status gspmd_check_regions(gspmd_importer *im);
weft_status gspmd_import_region(gspmd_importer *im, weft_builder *b, manual_region *r);

#endif
