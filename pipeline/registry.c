/* registry: passes.def as a table that can be searched.
 *
 * The functions are declared here from the table, so that a pass is one file and one line, and a line whose function
 * does not exist fails to link.
 */
#include "pipeline/registry.h"

#define PASS(name, function, options, help) \
    weft_status function(weft_pass *p, const weft_module *in, weft_module **out);
#define PIPELINE(name, switches, passes, help)
#include "pipeline/passes.def"

static const weft_pass_row rows[] = {
#define PASS(name, function, options, help) { { name, options, help, false, "" }, function },
#define PIPELINE(name, switches, passes, help) { { name, passes, help, true, switches }, NULL },
#include "pipeline/passes.def"
    { { NULL, NULL, NULL, false, NULL }, NULL } /* so that an empty table is C too */
};

size_t weft_pass_count(void) { return WEFT_COUNT(rows) - 1; }

const weft_pass_info *weft_pass_at(size_t i) { return i < weft_pass_count() ? &rows[i].info : NULL; }

const weft_pass_row *weft_pass_row_find(weft_str name) {
    for (size_t i = 0; i < weft_pass_count(); i++)
        if (weft_str_is(name, rows[i].info.name)) return &rows[i];
    return NULL;
}

const weft_pass_info *weft_pass_find(weft_str name) {
    const weft_pass_row *row = weft_pass_row_find(name);
    return row ? &row->info : NULL;
}
