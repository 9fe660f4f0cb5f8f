/* dryrun_json.h: the dry run's report as a JSON value, for what prints, compares or stores it. */
#ifndef WEFT_TOOL_DRYRUN_JSON_H
#define WEFT_TOOL_DRYRUN_JSON_H

#include <jansson.h>
#include "tool/dryrun.h"
#include "tool/json_text.h"

/* The object of docs/dryrun.md; NULL: memory is out. r has its collectives by place. */
json_t *dryrun_json(tool *t, const weft_dry_report *r);

/* Prints the value, which it takes; reports. */
weft_status dryrun_json_put(tool *t, json_t *value);

/* dryrun_compare.c: the report that `weft dryrun --json` has written to a file. */
weft_status dryrun_json_load(tool *t, const char *path, json_t **out);

/* Prints the numbers of two reports side by side if form is text; then checks --fail-on's conditions. before NULL:
 * there is one report only, which conditions of values are for. */
weft_status dryrun_compare(tool *t, const json_t *before, const char *before_name, const json_t *now,
                           const char *now_name, const tool_list *conditions, dryrun_form form);

#endif
