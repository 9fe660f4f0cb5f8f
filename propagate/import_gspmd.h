/* import_gspmd.h: what the files of the pass weft-import-gspmd share. */
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
    bool names_devices;             /* some text does, or cannot be read */
    bool noted;                     /* the module says of what its arguments or results are parts */
} gspmd_importer;

/* What a text says of value i of those that it speaks of; NULL where it says nothing that can be read. */
const gspmd_sharding *gspmd_said(const gspmd_importer *im, const weft_attr *text, uint32_t i);
/* entry i of a function's arg_attrs or res_attrs: its mhlo.sharding, or NULL */
const weft_attr *gspmd_entry_text(const weft_attr *list, uint32_t i);

static inline const gspmd_mesh *gspmd_main_mesh(const gspmd_importer *im) {
    return im->meshes.count ? im->meshes.v[0] : NULL;
}

/* What stands for a value of the old module. */
static inline weft_value *gspmd_now(const gspmd_importer *im, const weft_value *old) {
    return im->rewrite.map.to[old->id];
}

bool gspmd_is_sharding_call(const weft_op *op); /* @Sharding */
weft_bits gspmd_open_dims(const weft_op *call); /* "unspecified_dims=[0,1]" of its backend_config */

/* s as a sharding of sdy's for a value of this type, over mesh where s names none. *out is NULL where there is nothing
 * to say; *why then tells what is wrong, or is NULL. */
weft_status gspmd_to_sdy(gspmd_importer *im, const gspmd_sharding *s, const weft_type *type, weft_bits open,
                         const gspmd_mesh *mesh, const weft_attr **out,
                         const char **why);

/* import_gspmd_batch.c: of how many dimensions a custom call says that it is a batch, or 0; its sharding rule, set on
 * made. */
uint32_t gspmd_batch_dims(const weft_op *op);
weft_status gspmd_set_batch_rule(gspmd_importer *im, const weft_op *op, weft_op *made);

/* import_gspmd_manual.c: which regions cannot be said (a warning each, `unread`), before anything is built; and the op
 * of one that can. */
weft_status gspmd_check_regions(gspmd_importer *im);
weft_status gspmd_import_region(gspmd_importer *im, weft_builder *b, manual_region *r);

#endif
