/* attr_names: warns of attributes that have no effect because their names are misspelt.
 *
 * A module may carry attributes of any name. An attribute of a dialect that Weft or XLA reads, with an unknown name
 * that is nearly a known one, gives a warning: else a sharding or a donation would have no effect, unnoticed.
 */
#include "base/nearest.h"
#include "mlir/reader.h"

/* Besides those that Weft reads (ir/attrs.def): those that JAX, XLA and Shardy write. */
static const char *const others[] = {
    "jax.arg_info",
    "jax.global_constant",
    "jax.uses_shape_polymorphism",
    "mhlo.attributes",
    "mhlo.cross_program_prefetches",
    "mhlo.frontend_attributes",
    "mhlo.input_output_alias",
    "mhlo.is_dynamic",
    "mhlo.is_same_data_across_replicas",
    "mhlo.layout_mode",
    "mhlo.memory_kind",
    "mhlo.original_value",
    "mhlo.parameter_replication",
    "mhlo.spmd_output_sharding",
    "mhlo.spmd_parameters_shardings",
    "mhlo.use_auto_spmd_partitioning",
    "mhlo.xla_entry_computation_parameter_layouts",
    "mhlo.xla_entry_computation_parameter_tiles",
    "mhlo.xla_entry_computation_result_layout",
    "mhlo.xla_entry_computation_result_tiles",
    "xla.sdy.allowed_direction",
    "xla.sdy.in_shardings",
    "xla.sdy.manual_axes",
    "xla.sdy.meshes",
    "xla.sdy.out_shardings",
    "xla.sdy.sharding",
    "xla.sdy.sharding_group_id",
    "xla.sdy.sharding_rule",
    "xla.sdy.tuple_args_shardings",
    "xla.sdy.tuple_results_shardings",
};

static bool begins(weft_str s, const char *prefix) {
    return s.n > strlen(prefix) && !memcmp(s.p, prefix, strlen(prefix));
}

weft_status rd_note_attr_name(weft_reader *r, weft_str name, const char *at) {
    static const char *const dialects[] = { "sdy.", "mhlo.", "jax.", "tf.", "xla.sdy." };
    bool ours = false;
    for (size_t i = 0; i < WEFT_COUNT(dialects); i++) ours |= begins(name, dialects[i]);
    if (!ours) return WEFT_OK;
    weft_nearest near = weft_nearest_to(name);
    for (uint32_t i = 0; i < WEFT_A_COUNT; i++) {
        if (weft_str_is(name, weft_attr_names[i])) return WEFT_OK;
        if (strchr(weft_attr_names[i], '.')) weft_nearest_offer(&near, weft_str_from(weft_attr_names[i]));
    }
    for (size_t i = 0; i < WEFT_COUNT(others); i++) {
        if (weft_str_is(name, others[i])) return WEFT_OK;
        weft_nearest_offer(&near, weft_str_from(others[i]));
    }
    return near.best.n ? weft_report(r->cx, WEFT_D_annotation, rd_place(r, at),
                                     "the attribute '%.*s' has no effect: no attribute has this name" WEFT_NEAREST,
                                     WEFT_STR_ARG(name), WEFT_NEAREST_ARG(near))
                       : WEFT_OK;
}
