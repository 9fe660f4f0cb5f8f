/* cmd_ops: `weft ops`: the op table with the support for an op in each room. */
#include "pipeline/pipeline.h"
#include "tool/tool.h"

typedef struct ops_settings { bool missing; } ops_settings;

static const tool_option options[] = {
    { "missing", NULL, TOOL_FLAG, offsetof(ops_settings, missing), "only ops that some part does not support yet; none if all are supported" },
};

/* The words in columns that are not names of functions; all other entries are supported. */
static const struct { const char *column, *mark; } marks[] = {
    { "unsupported", "-" }, { "none", "." }, { "legalized", "early" }, { "refused", "no" },
};

static const char *mark(const char *column) {
    for (size_t i = 0; i < WEFT_COUNT(marks); i++)
        if (!strcmp(column, marks[i].column)) return marks[i].mark;
    return "yes";
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const ops_settings *s = settings;
    (void)t;
    (void)arguments;
    (void)count;
    bool headed = false;
    for (size_t i = 0; i < weft_op_support_count(); i++) {
        const weft_op_support *o = weft_op_support_at(i);
        const char *columns[] = { mark(o->syntax), mark(o->infer), mark(o->rule),
                                  mark(o->local),  mark(o->gen),   mark(o->cost) };
        bool missing = false;
        for (size_t k = 0; k < WEFT_COUNT(columns); k++) missing |= columns[k][0] == '-';
        if (!*o->name || (s->missing && !missing)) continue;
        if (!headed)
            printf("%-38s %-6s %-6s %-6s %-6s %-6s %-6s\n", "op", "text", "types", "rule", "local", "kernel", "cost");
        headed = true;
        printf("%-38s", o->name);
        for (size_t k = 0; k < WEFT_COUNT(columns); k++) printf(" %-6s", columns[k]);
        putchar('\n');
    }
    return TOOL_DONE;
}

const tool_command tool_cmd_ops = {
    .name = "ops",
    .arguments = "",
    .summary = "list the operations and their support in Weft",
    .description =
        "Prints one line per operation: whether it has its pretty text form, type inference, a sharding rule, a local\n"
        "form for the partitioner, a kernel and a cost. '-' is not supported yet, '.' is never needed, 'early' means that\n"
        "a pass replaces it by simpler ops before, 'no' that a run reports it as an error.",
    .examples = "weft ops                # all\n"
                "weft ops --missing      # the incomplete ones",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(ops_settings),
    .run = run,
};
