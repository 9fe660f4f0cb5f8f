/* import_main.c: a module's @main with the op table's column "gen". */
#include "codegen/custom_priced.h"
#include "codegen/import.h"

weft_status cg_import_main(cg_graph *g, const weft_module *m, const weft_compile_options *opt, weft_grid grid,
                           cg_block **out) {
    const weft_op *main = weft_module_main(m);
    if (!main || !weft_op_body(main, 0))
        return weft_report(g->cx, WEFT_D_verify, m->root->loc, "the module has no function @main");
    cg_import im = { .g = g, .m = m, .opt = opt, .grid = grid, .gen_of = weft_gen_of,
                     .groups = weft_group_list_in(&g->arena) };
    im.value = weft_arena_array(&g->arena, cg_node *, m->value_count);
    weft_status st = im.value ? cg_import_region(&im, &main->regions[0], out) : weft_oom();
    return st == WEFT_OK ? cg_custom_priced_report(&im) : st;
}
